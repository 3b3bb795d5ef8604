/* Reduce and scan of short rows: each work-group has a tile of them in local memory (row_tile.cl).
 *
 * A row is parts of OPI_E elements, of which the last one may have fewer; a work-item has a part in registers.  There are at most
 * 16 parts, and the nodes of the whole ones meet in local memory, where a work-item has a row.  Where a row is one part, nothing
 * meets.  OPI_DEALT: tiles are dealt out to several accelerators (shares.cl). */

/* --- reduce -------------------------------------------------------------------------------------------------------- */

/* Returns the node of 2^log_n elements, which begin at `first` and have a distance of `step`. */
#define OPI_PAIRS(log_n, k)                                                                                            \
    _Pragma("unroll") for (uint32_t i = 0; i < 1u << (log_n) >> (k); i++) x[i] = opi_join(x[2 * i], x[2 * i + 1]);
#define OPI_NODE_OF(log_n)                                                                                             \
    OPI_INLINED opi_node opi_node_of_##log_n(const opi_rows *rows, uint32_t first, uint32_t step OPI_TAKE_P)          \
    {                                                                                                                  \
        opi_node x[1 << (log_n)];                                                                                      \
        _Pragma("unroll") for (uint32_t i = 0; i < 1u << (log_n); i++) x[i] = opi_get(rows, first + i * step);         \
        OPI_PAIRS(log_n, 1)                                                                                            \
        OPI_PAIRS(log_n, 2)                                                                                            \
        OPI_PAIRS(log_n, 3)                                                                                            \
        OPI_PAIRS(log_n, 4)                                                                                            \
        return x[0];                                                                                                   \
    }
OPI_NODE_OF(0)
OPI_NODE_OF(1)
OPI_NODE_OF(2)
OPI_NODE_OF(3)
OPI_NODE_OF(4)
#define OPI_PASTED_(a, b) a##b
#define OPI_PASTED(a, b)  OPI_PASTED_(a, b)
#define OPI_NODE_OF_PART(rows, first) OPI_PASTED(opi_node_of_, OPI_LOG_E)(rows, first, 1 OPI_GIVE_P)

/* Joins the nodes that the binary digits of count < 16 name, the largest first. */
#define OPI_DIGIT(log_n)                                                                                               \
    if (count >> (log_n) & 1) {                                                                                        \
        const opi_node node = opi_node_of_##log_n(rows, first, step OPI_GIVE_P);                                       \
        all = any ? opi_join(all, node) : node;                                                                        \
        any = 1;                                                                                                       \
        first += step << (log_n);                                                                                      \
    }

/* Returns the reduce of a row of n elements, which begins at `first`; with several parts, the node of each stands where the part
 * begins. */
OPI_INLINED opi_node opi_row_sum(const opi_rows *rows, uint32_t first, uint32_t n OPI_TAKE_P)
{
    const uint32_t parts = n >> OPI_LOG_E;
    opi_node all = opi_get(rows, first);
    uint32_t any = 0;
    if (parts == 1) {
        all = OPI_NODE_OF_PART(rows, first);
        any = 1;
        first += OPI_E;
    }
    OPI_ROLLED for (uint32_t is_rest = parts < 2; is_rest < 2; is_rest++) {
        const uint32_t step = is_rest ? 1 : OPI_E, count = is_rest ? n & (OPI_E - 1) : parts;
        OPI_DIGIT(3)
        OPI_DIGIT(2)
        OPI_DIGIT(1)
        OPI_DIGIT(0)
    }
    return all;
}

/* n < 16 * OPI_E; rows: of a tile. */
OPI_WHOLE_KERNEL void opi_short_rows_reduce(OPI_PARAM(in), OPI_PARAM(out), const uint64_t outer, const uint32_t n,
                                            const uint32_t rows_of_tile OPI_SHARES_PARAM OPI_KERNEL_P)
{
    OPI_READ_P
    OPI_LOCAL_MEMORY uint32_t stage[OPI_ROW_STAGE];
    const opi_row_tile tile = opi_row_tile_of(OPI_SHARED_ITEM(OPI_GROUP), outer, rows_of_tile);
    OPI_GLOBAL const opi_t *const from = OPI_AT(const opi_t, in) + tile.first * n;
    const opi_rows all = {stage, OPI_SKEW(from)}, *const rows = &all;
    opi_rows_in(stage, (OPI_GLOBAL const uint8_t *)from, tile.rows * n * OPI_SIZE);
    OPI_BARRIER();
    const uint32_t parts = n >> OPI_LOG_E;
    if (parts > 1) {
        OPI_ROLLED for (uint32_t q = OPI_SELF; q < tile.rows * parts; q += OPI_W)
        {
            const uint32_t row = q / parts, first = row * n + ((q - row * parts) << OPI_LOG_E);
            opi_put(rows, first, OPI_NODE_OF_PART(rows, first));
        }
    }
    OPI_BARRIER();
    OPI_ROLLED for (uint32_t row = OPI_SELF; row < tile.rows; row += OPI_W)
        OPI_AT(opi_t, out)[tile.first + row] = opi_quiet(opi_row_sum(rows, row * n, n OPI_GIVE_P));
}

/* --- scan ---------------------------------------------------------------------------------------------------------- */

#define OPI_OF_PART(i) x[i]

/* Loads `size` elements; behind the last one it comes again, because the operator is defined for it. */
OPI_INLINED void opi_part_in(const opi_rows *rows, uint32_t first, uint32_t size, opi_node *x)
{
    OPI_UNROLL for (uint32_t i = 0; i < OPI_E; i++) x[i] = opi_get(rows, first + (i < size ? i : size - 1));
}

OPI_INLINED void opi_part_out(const opi_rows *rows, uint32_t first, uint32_t size, const opi_node *x)
{
    OPI_UNROLL for (uint32_t i = 0; i < OPI_E; i++)
        if (i < size) opi_put(rows, first + i, x[i]);
}

/* The results of a part, of which x has the inclusive ones; `before` is that of what precedes it, if anything does. */
OPI_INLINED void opi_part_results(const opi_rows *rows, uint32_t first, uint32_t size, const opi_node *x, opi_node before,
                                   uint32_t flags)
{
    opi_node result[OPI_E];
    OPI_UNROLL for (uint32_t i = 0; i < OPI_E; i++)
        result[i] = opi_quiet(flags & OPI_EXCLUSIVE ? (i > 0 ? x[i > 0 ? i - 1 : 0] : before) : x[i]);
    opi_part_out(rows, first, size, result);
}

#if OPI_HAS_PARTS

/* What precedes the end of each whole part takes the place of the part's node, which is its last element: a work-item for a
 * row. */
OPI_INLINED void opi_row_of_nodes(const opi_rows *rows, uint32_t first, uint32_t whole OPI_TAKE_P)
{
    first += OPI_E - 1;
    uint32_t k = 0;
    OPI_ROLLED for (; 2u << k <= whole; k++)
        OPI_ROLLED for (uint32_t i = (2u << k) - 1; i < whole; i += 2u << k)
            opi_put(rows, first + (i << OPI_LOG_E),
                    opi_join(opi_get(rows, first + (i - (1u << k) << OPI_LOG_E)), opi_get(rows, first + (i << OPI_LOG_E))));
    OPI_ROLLED while (k-- > 0)
        OPI_ROLLED for (uint32_t i = (3u << k) - 1; i < whole; i += 2u << k)
            opi_put(rows, first + (i << OPI_LOG_E),
                    opi_join(opi_get(rows, first + (i - (1u << k) << OPI_LOG_E)), opi_get(rows, first + (i << OPI_LOG_E))));
}

/* Scans the rows: a work-item for each part. */
OPI_INLINED void opi_scan_rows(const opi_rows *rows, uint32_t count, uint32_t n, uint32_t flags OPI_TAKE_P)
{
    const uint32_t parts = (n + OPI_E - 1) >> OPI_LOG_E, row = OPI_SELF / parts, j = OPI_SELF - row * parts;
    const uint32_t begin = row * n, first = begin + (j << OPI_LOG_E), left = n - (j << OPI_LOG_E);
    const uint32_t size = left < OPI_E ? left : OPI_E;
    const bool has_part = row < count;
    opi_node x[OPI_E], before;
    if (has_part) {
        opi_part_in(rows, first, size, x);
        OPI_UP(OPI_OF_PART, OPI_LOG_E)
        if (size == OPI_E) opi_put(rows, first + OPI_E - 1, x[OPI_E - 1]);
    }
    OPI_BARRIER();
    OPI_ROLLED for (uint32_t r = OPI_SELF; r < count; r += OPI_W)
        opi_row_of_nodes(rows, r * n, n >> OPI_LOG_E OPI_GIVE_P);
    OPI_BARRIER();
    if (has_part) {
        before = j > 0 ? opi_get(rows, first - 1) : opi_identity();
        if (j > 0) {
            OPI_FRONT(OPI_OF_PART, OPI_LOG_E, before)
        }
        OPI_DOWN(OPI_OF_PART, OPI_LOG_E)
        if (size == OPI_E) x[OPI_E - 1] = opi_get(rows, first + OPI_E - 1);
    }
    OPI_BARRIER();
    if (has_part) opi_part_results(rows, first, size, x, before, flags);
}

#else

/* Scans the rows, each of which is one part. */
OPI_INLINED void opi_scan_rows(const opi_rows *rows, uint32_t count, uint32_t n, uint32_t flags OPI_TAKE_P)
{
    OPI_ROLLED for (uint32_t row = OPI_SELF; row < count; row += OPI_W)
    {
        opi_node x[OPI_E];
        opi_part_in(rows, row * n, n, x);
        OPI_UP(OPI_OF_PART, OPI_LOG_E)
        OPI_DOWN(OPI_OF_PART, OPI_LOG_E)
        opi_part_results(rows, row * n, n, x, opi_identity(), flags);
    }
}

#endif

/* n <= 16 * OPI_E, and OPI_HAS_PARTS says whether n > OPI_E; then a tile has no more parts than work-items. */
OPI_WHOLE_KERNEL void opi_short_rows_scan(OPI_PARAM(in), OPI_PARAM(out), const uint64_t outer, const uint32_t n,
                                          const uint32_t rows_of_tile, const uint32_t flags OPI_SHARES_PARAM OPI_KERNEL_P)
{
    OPI_READ_P
    OPI_LOCAL_MEMORY uint32_t stage[OPI_ROW_STAGE];
    const opi_row_tile tile = opi_row_tile_of(OPI_SHARED_ITEM(OPI_GROUP), outer, rows_of_tile);
    OPI_GLOBAL const opi_t *const from = OPI_AT(const opi_t, in) + tile.first * n;
    OPI_GLOBAL opi_t *const to = OPI_AT(opi_t, out) + tile.first * n;
    const opi_rows all = {stage, OPI_SKEW(from)}, *const rows = &all;
    const uint32_t bytes = tile.rows * n * OPI_SIZE;
    opi_rows_in(stage, (OPI_GLOBAL const uint8_t *)from, bytes);
    OPI_BARRIER();
    opi_scan_rows(rows, tile.rows, n, flags OPI_GIVE_P);
    OPI_BARRIER();
    opi_rows_out(stage, rows->skew, (OPI_GLOBAL uint8_t *)to, bytes);
}
