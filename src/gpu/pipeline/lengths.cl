/* Lengths of runs, from the indices at which they begin.  A work-group has OPI_CHUNK runs, and reads all that it needs before
 * it writes, so that lengths may replace the indices: where the next chunk begins has been copied before.
 *
 *   result   the number of runs; it means nothing if a group has given up (fault), or is more than n
 *   begins   first the number of runs as the second kernel takes it, then where chunks begin */
#define OPI_BEGINS_AT 16 /* bytes */
#define OPI_CHUNK_RUNS 8 /* of a work-item */
#define OPI_CHUNK      (OPI_CHUNK_RUNS * OPI_CHUNK_ITEMS)

OPI_KERNEL void opi_copy_begins(OPI_PARAM(firsts), OPI_PARAM(begins), const uint64_t n, OPI_PARAM(result), OPI_PARAM(fault))
{
    const uint64_t chunk = OPI_GROUP * OPI_CHUNK_ITEMS + OPI_SELF, next = (chunk + 1) * OPI_CHUNK;
    const uint64_t told = *OPI_AT(const uint64_t, result);
    const uint64_t runs = *OPI_AT(const uint32_t, fault) || told > n ? 0 : told;
    unsigned char *const begins = OPI_AT(unsigned char, begins);
    if (chunk == 0) *(uint64_t *)begins = runs;
    if (next < runs) ((opi_index *)(begins + OPI_BEGINS_AT))[chunk] = OPI_AT(const opi_index, firsts)[next];
}

/* n: the number of elements, where the last run ends. */
OPI_KERNEL void opi_measure_runs(OPI_PARAM(firsts), OPI_PARAM(begins), const uint64_t n, OPI_PARAM(lengths))
{
    const unsigned char *const begins = OPI_AT(const unsigned char, begins);
    const opi_index *const firsts = OPI_AT(const opi_index, firsts);
    const uint64_t runs = *(const uint64_t *)begins, end = (OPI_GROUP + 1) * OPI_CHUNK;
    opi_index length[OPI_CHUNK_RUNS];
    if (OPI_GROUP * OPI_CHUNK >= runs) return;
    OPI_UNROLL for (uint32_t j = 0; j < OPI_CHUNK_RUNS; j++) {
        const uint64_t k = OPI_GROUP * OPI_CHUNK + j * OPI_CHUNK_ITEMS + OPI_SELF, next = k + 1;
        if (k < runs)
            length[j] = (next == runs  ? (opi_index)n
                         : next == end ? ((const opi_index *)(begins + OPI_BEGINS_AT))[OPI_GROUP]
                                       : firsts[next]) -
                        firsts[k];
    }
    OPI_BARRIER_ALL();
    OPI_UNROLL for (uint32_t j = 0; j < OPI_CHUNK_RUNS; j++) {
        const uint64_t k = OPI_GROUP * OPI_CHUNK + j * OPI_CHUNK_ITEMS + OPI_SELF;
        if (k < runs) OPI_AT(opi_index, lengths)[k] = length[j];
    }
}
