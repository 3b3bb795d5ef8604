/* Lengths of runs, from the indices at which they begin.  A work-group has OPI_CHUNK runs, and reads all that it needs before
 * it writes, so that lengths may replace the indices: where the next chunk begins has been copied before.
 *
 *   result   the number of runs */
#define OPI_CHUNK_RUNS 8 /* of a work-item */
#define OPI_CHUNK      (OPI_CHUNK_RUNS * OPI_CHUNK_ITEMS)

OPI_KERNEL void opi_copy_begins(OPI_PARAM(firsts), OPI_PARAM(result), OPI_PARAM(begins))
{
    const uint64_t chunk = OPI_GROUP * OPI_CHUNK_ITEMS + OPI_SELF, next = (chunk + 1) * OPI_CHUNK;
    if (next < *OPI_AT(const uint64_t, result)) OPI_AT(opi_index, begins)[chunk] = OPI_AT(const opi_index, firsts)[next];
}

/* n: the number of elements, where the last run ends. */
OPI_KERNEL void opi_measure_runs(OPI_PARAM(firsts), OPI_PARAM(result), OPI_PARAM(begins), const uint64_t n, OPI_PARAM(lengths))
{
    const opi_index *const firsts = OPI_AT(const opi_index, firsts);
    const uint64_t runs = *OPI_AT(const uint64_t, result), end = (OPI_GROUP + 1) * OPI_CHUNK;
    opi_index length[OPI_CHUNK_RUNS];
    if (OPI_GROUP * OPI_CHUNK >= runs) return;
    OPI_UNROLL for (uint32_t j = 0; j < OPI_CHUNK_RUNS; j++) {
        const uint64_t k = OPI_GROUP * OPI_CHUNK + j * OPI_CHUNK_ITEMS + OPI_SELF, next = k + 1;
        if (k < runs)
            length[j] = (next == runs  ? (opi_index)n
                         : next == end ? OPI_AT(const opi_index, begins)[OPI_GROUP]
                                       : firsts[next]) -
                        firsts[k];
    }
    OPI_BARRIER_ALL();
    OPI_UNROLL for (uint32_t j = 0; j < OPI_CHUNK_RUNS; j++) {
        const uint64_t k = OPI_GROUP * OPI_CHUNK + j * OPI_CHUNK_ITEMS + OPI_SELF;
        if (k < runs) OPI_AT(opi_index, lengths)[k] = length[j];
    }
}
