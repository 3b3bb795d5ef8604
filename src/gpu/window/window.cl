/* Windows: one step (task/window.h) for a tile.
 *
 * A tile has rows of 2^log_columns neighbours, which are 2^level elements apart in the array.  Its nodes are made level by
 * level in local memory.  For each bit of the digits a work-item keeps the nodes that its results need, and it folds them
 * at the end, because the largest comes first.  The last rows of a tile have no results: they are the ends of windows.
 *
 * OPI_DEALT: tiles are dealt out to several accelerators (shares.cl), if one step is all; a slot without a tile stands for one
 * behind the end. */

/* What a work-item keeps stays in registers where all levels are unrolled. */
#if OPI_ON_HOST || OPI_LARGE
#define OPI_EACH_LEVEL OPI_ROLLED
#else
#define OPI_EACH_LEVEL _Pragma("unroll")
#endif

/* The place in the array of element i of the tile. */
#define OPI_PLACE_OF(i)                                                                                                \
    (((first + ((i) >> log_columns)) << level) + (strip << log_columns) + ((i) & ((1u << log_columns) - 1)))

/* For each element j of the work-item that has a result, and its place. */
#define OPI_EACH_RESULT(...)                                                                                           \
    OPI_UNROLL for (uint32_t j = 0; j < OPI_E; j++)                                                                    \
    {                                                                                                                  \
        const uint32_t i = (j << OPI_LOG_W) + OPI_SELF;                                                                \
        const uint64_t at = OPI_PLACE_OF(i);                                                                           \
        if (i >> log_columns < rows && at < count) {                                                                   \
            __VA_ARGS__;                                                                                               \
        }                                                                                                              \
    }

OPI_RESIDENT_KERNEL void opi_window(OPI_PARAM(in), const uint64_t n, const uint64_t count, const uint32_t level,
                                    const uint32_t digits, const uint64_t ahead, OPI_PARAM(out),
                                    const uint32_t flags OPI_SHARES_PARAM OPI_KERNEL_P)
{
    OPI_READ_P
    OPI_LOCAL_MEMORY opi_t tile[OPI_TILE];
    opi_t x[OPI_E], kept[OPI_LEVELS][OPI_E];
    const uint32_t log_columns = level == 0 ? 0 : OPI_LOG_COLUMNS, strips = level - log_columns;
    const uint32_t rows = (OPI_TILE >> log_columns) - digits + 1;
    const uint64_t group = OPI_SHARED_ITEM(OPI_GROUP);
    const uint64_t strip = group & (((uint64_t)1 << strips) - 1), first = (group >> strips) * rows;
    OPI_GLOBAL const opi_t *const from = OPI_AT(const opi_t, in);
    OPI_GLOBAL opi_t *const to = OPI_AT(opi_t, out);
    uint32_t top = 0;
    OPI_ROLLED for (; digits >> top > 1; top++) {}
    OPI_UNROLL for (uint32_t j = 0; j < OPI_E; j++) {
        const uint32_t i = (j << OPI_LOG_W) + OPI_SELF;
        const uint64_t at = OPI_PLACE_OF(i);
        x[j] = from[at + ahead < n ? at + ahead : n - 1]; /* the operator is defined for it */
        tile[i] = x[j];
    }
    OPI_BARRIER();
    OPI_EACH_LEVEL for (uint32_t k = 0; k < OPI_LEVELS && k < top; k++) {
        const uint32_t step = 1u << k << log_columns, before = (digits >> k >> 1 << k << 1) << log_columns;
        OPI_UNROLL for (uint32_t j = 0; j < OPI_E; j++) {
            const uint32_t i = (j << OPI_LOG_W) + OPI_SELF;
            kept[k][j] = tile[digits >> k & 1 && i + before < OPI_TILE ? i + before : i];
            if (i + step < OPI_TILE) x[j] = opi_join(x[j], tile[i + step]);
        }
        OPI_BARRIER();
        OPI_UNROLL for (uint32_t j = 0; j < OPI_E; j++) tile[(j << OPI_LOG_W) + OPI_SELF] = x[j];
        OPI_BARRIER();
    }
    if (flags & OPI_FOLLOWS) {
        OPI_EACH_RESULT(x[j] = opi_join(to[at], x[j]))
    }
    OPI_EACH_LEVEL for (uint32_t k = OPI_LEVELS; k-- > 0;) {
        if (k < top && digits >> k & 1) {
            OPI_UNROLL for (uint32_t j = 0; j < OPI_E; j++) x[j] = opi_join(x[j], kept[k][j]);
        }
    }
    OPI_EACH_RESULT(to[at] = flags & OPI_KEEP ? x[j] : opi_quiet(x[j]))
}
