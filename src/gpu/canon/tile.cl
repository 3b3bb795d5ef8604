/* Moves the elements of a tile between memory and work-items.
 *
 * A work-item has a run of OPI_E consecutive elements.  If OPI_VECTORS is 1, whole tiles are moved in vectors of 16
 * bytes, and neighbouring work-items move neighbouring vectors; the elements change hands in local memory (`stage`).
 * The same holds, element by element, where an array is not aligned, where there is a part of a tile, or where elements
 * or results are made by a function, or come in the opposite order.  If it is 0, each work-item reads and writes its own run. */

#if OPI_VECTORS
#define OPI_RUN_VECTORS  ((OPI_E * OPI_SIZE) / 16)
#define OPI_TILE_VECTORS (OPI_W * OPI_RUN_VECTORS)
#define OPI_STAGE        (OPI_TILE_VECTORS + OPI_TILE_VECTORS / 8)
#define OPI_STAGED(v)    ((v) + (v) / 8) /* a gap every 128 bytes: neighbours then read different banks */
#define OPI_PER_STAGED   (16 / OPI_SIZE) /* elements of a vector */
#define OPI_STAGED_ELEMENT(stage, i)                                                                                   \
    ((OPI_LOCAL opi_t *)&(stage)[OPI_STAGED((i) / OPI_PER_STAGED)] + (i) % OPI_PER_STAGED)
typedef union opi_run {
    opi_vector v[OPI_RUN_VECTORS];
    opi_t x[OPI_E];
} opi_run;
#else
#define OPI_STAGE 1
typedef union opi_run {
    opi_t x[OPI_E];
} opi_run;
#endif

/* Loads `count` elements of a tile, 1 to OPI_TILE of them, as runs; the first `size` elements of the run are set.
 * Places beyond `count` get the last element again, because the operator is defined for it. */
OPI_FUNCTION void opi_load(opi_source in, uint32_t count, uint32_t size, opi_run *run,
                           OPI_LOCAL opi_vector *stage)
{
    const uint32_t first = OPI_SELF << OPI_LOG_E;
#if OPI_VECTORS
#if OPI_INPUTS || OPI_BACKWARD
    OPI_UNROLL for (uint32_t j = 0; j < OPI_E; j++) { /* all loads are under way before the first value is used */
        const uint32_t i = (j << OPI_LOG_W) + OPI_SELF;
        run->x[j] = opi_element(in, i < count ? i : count - 1);
    }
    OPI_UNROLL for (uint32_t j = 0; j < OPI_E; j++)
        *OPI_STAGED_ELEMENT(stage, (j << OPI_LOG_W) + OPI_SELF) = run->x[j];
#else
    if (count == OPI_TILE && OPI_ALIGNED(in)) {
        OPI_UNROLL for (uint32_t j = 0; j < OPI_RUN_VECTORS; j++) {
            const uint32_t v = (j << OPI_LOG_W) + OPI_SELF;
            stage[OPI_STAGED(v)] = ((OPI_GLOBAL const opi_vector *)in)[v];
        }
    } else {
        OPI_UNROLL for (uint32_t j = 0; j < OPI_E; j++) {
            const uint32_t i = (j << OPI_LOG_W) + OPI_SELF;
            *OPI_STAGED_ELEMENT(stage, i) = in[i < count ? i : count - 1];
        }
    }
#endif
    OPI_BARRIER();
    OPI_UNROLL for (uint32_t j = 0; j < OPI_RUN_VECTORS; j++)
        run->v[j] = stage[OPI_STAGED(OPI_SELF * OPI_RUN_VECTORS + j)];
    OPI_BARRIER();
#elif OPI_LOG_W == 0
    for (uint32_t j = 0; j < count; j++) run->x[j] = opi_element(in, j);
    for (uint32_t j = count; j < OPI_N(size); j++) run->x[j] = run->x[count - 1];
#else
    OPI_UNROLL for (uint32_t j = 0; j < OPI_E; j++)
        run->x[j] = opi_element(in, first + j < count ? first + j : count - 1);
#endif
}

OPI_FUNCTION void opi_store(opi_sink out, uint32_t count, uint32_t size, const opi_run *run,
                            OPI_LOCAL opi_vector *stage)
{
    const uint32_t first = OPI_SELF << OPI_LOG_E;
#if OPI_VECTORS
    OPI_UNROLL for (uint32_t j = 0; j < OPI_RUN_VECTORS; j++)
        stage[OPI_STAGED(OPI_SELF * OPI_RUN_VECTORS + j)] = run->v[j];
    OPI_BARRIER();
#if !OPI_AFTER && !OPI_BACKWARD
    if (count == OPI_TILE && OPI_ALIGNED(out)) {
        OPI_UNROLL for (uint32_t j = 0; j < OPI_RUN_VECTORS; j++) {
            const uint32_t v = (j << OPI_LOG_W) + OPI_SELF;
            ((OPI_GLOBAL opi_vector *)out)[v] = stage[OPI_STAGED(v)];
        }
    } else
#endif
    {
        OPI_UNROLL for (uint32_t j = 0; j < OPI_E; j++) {
            const uint32_t i = (j << OPI_LOG_W) + OPI_SELF;
            if (i < count) opi_set(out, i, *OPI_STAGED_ELEMENT(stage, i));
        }
    }
    OPI_BARRIER();
#elif OPI_LOG_W == 0
    for (uint32_t j = 0; j < count; j++) opi_set(out, j, run->x[j]);
#else
    OPI_UNROLL for (uint32_t j = 0; j < OPI_E; j++)
        if (first + j < count) opi_set(out, first + j, run->x[j]);
#endif
}
