/* Argmin and argmax of short rows: each work-group has a tile of them in local memory (row_tile.cl).
 *
 * A row of more than 16 elements is parts of 16, at most 16 of them, of which the last one may have fewer.  What a work-item finds
 * in a part takes the place of its first two elements: the least one, and its place in the row, which 8 bits hold.  OPI_DEALT:
 * tiles are dealt out to several accelerators (shares.cl). */

#if OPI_INDEX_SIZE == 4
typedef uint32_t opi_index;
#else
typedef uint64_t opi_index;
#endif
#define OPI_LOG_PART 4
#define OPI_PART     (1u << OPI_LOG_PART)
#define OPI_AT_ONCE  4 /* elements that are loaded before the first one is looked at */

typedef struct opi_least {
    opi_key key;
    uint32_t at;
} opi_least;

/* The least of n elements that begin at `first`; even: n is a multiple of OPI_AT_ONCE. */
OPI_INLINED opi_least opi_least_in(const opi_rows *rows, uint32_t first, uint32_t n, bool even)
{
    opi_least least;
    least.key = OPI_MASK;
    least.at = 0;
    OPI_ROLLED for (uint32_t i = 0; i < n; i += OPI_AT_ONCE)
    {
        opi_key key[OPI_AT_ONCE]; /* behind the last element it comes again, and is not less */
        OPI_UNROLL for (uint32_t l = 0; l < OPI_AT_ONCE; l++)
            key[l] = opi_key_of(opi_get(rows, first + (even || i + l < n ? i + l : n - 1)), OPI_FIRST_SIDE);
        OPI_UNROLL for (uint32_t l = 0; l < OPI_AT_ONCE; l++)
            if (key[l] < least.key) {
                least.key = key[l];
                least.at = i + l;
            }
    }
    return least;
}

OPI_INLINED opi_least opi_least_of(const opi_rows *rows, uint32_t first, uint32_t n)
{
    return n % OPI_AT_ONCE == 0 ? opi_least_in(rows, first, n, true) : opi_least_in(rows, first, n, false);
}

/* The same of a row of several parts, in which least elements and their places have been written. */
OPI_INLINED uint32_t opi_least_of_parts(const opi_rows *rows, uint32_t first, uint32_t n)
{
    opi_key key = OPI_MASK;
    uint32_t at = 0;
    OPI_ROLLED for (uint32_t i = 0; i < n; i += OPI_PART)
    {
        const opi_key own = opi_key_of(opi_get(rows, first + i), OPI_FIRST_SIDE);
        if (own < key) {
            key = own;
            at = i + 1 < n ? (uint32_t)opi_get(rows, first + i + 1) : i;
        }
    }
    return at;
}

/* n <= 16 * OPI_PART; rows: of a tile. */
OPI_WHOLE_KERNEL void opi_extreme_rows(OPI_PARAM(in), OPI_PARAM(out), const uint64_t outer, const uint32_t n,
                                       const uint32_t rows_of_tile OPI_SHARES_PARAM)
{
    OPI_LOCAL_MEMORY uint32_t stage[OPI_ROW_STAGE];
    const opi_row_tile tile = opi_row_tile_of(OPI_SHARED_ITEM(OPI_GROUP), outer, rows_of_tile);
    OPI_GLOBAL const opi_word *const from = OPI_AT(const opi_word, in) + tile.first * n;
    const opi_rows all = {stage, OPI_SKEW(from)}, *const rows = &all;
    opi_rows_in(stage, (OPI_GLOBAL const uint8_t *)from, tile.rows * n * OPI_SIZE);
    OPI_BARRIER();
    const uint32_t parts = (n + OPI_PART - 1) >> OPI_LOG_PART;
    if (parts > 1) {
        OPI_ROLLED for (uint32_t q = OPI_SELF; q < tile.rows * parts; q += OPI_W)
        {
            const uint32_t row = q / parts, begin = (q - row * parts) << OPI_LOG_PART, first = row * n + begin;
            const uint32_t size = n - begin < OPI_PART ? n - begin : OPI_PART;
            const opi_least least = opi_least_of(rows, first, size);
            const opi_word element = opi_get(rows, first + least.at);
            opi_put(rows, first, element);
            if (size > 1) opi_put(rows, first + 1, (opi_word)(begin + least.at));
        }
    }
    OPI_BARRIER();
    OPI_ROLLED for (uint32_t row = OPI_SELF; row < tile.rows; row += OPI_W)
        OPI_AT(opi_index, out)[tile.first + row] =
            parts > 1 ? opi_least_of_parts(rows, row * n, n) : opi_least_of(rows, row * n, n).at;
}
