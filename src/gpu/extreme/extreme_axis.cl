/* Argmin and argmax along an axis of an array outer x rows x inner.  A column is (o, c); its number is o * inner + c.
 *
 * A work-group has 2^log_c columns side by side, and of each a part of its rows; OPI_W >> log_c work-items share a column.
 * With inner = 1 they load neighbours, else those of different columns do.  OPI_DEALT: work-groups are dealt out to several
 * accelerators (shares.cl): those of parts, or of strips of columns. */

#if OPI_INDEX_SIZE == 4
typedef uint32_t opi_index;
#else
typedef uint64_t opi_index;
#endif
#define OPI_LANES 8 /* loads of a work-item that are under way at the same time */

typedef struct opi_least {
    opi_key key;
    uint32_t at; /* its row, counted from the first one of the part */
} opi_least;

OPI_FUNCTION opi_least opi_least_seen(opi_least least, opi_word element, uint32_t at)
{
    const opi_key key = opi_key_of(element, OPI_FIRST_SIDE);
    if (key < least.key) {
        least.key = key;
        least.at = at;
    }
    return least;
}

/* The least of every `step`th row from `begin` on, of which x is the element; begin < end. */
OPI_FUNCTION opi_least opi_least_of(OPI_GLOBAL const opi_word *x, uint64_t inner, uint32_t begin, uint32_t end,
                                    uint32_t step)
{
    const uint64_t stride = step * inner;
    opi_least least;
    uint32_t i = begin;
    least.key = opi_key_of(x[0], OPI_FIRST_SIDE);
    least.at = begin;
    for (; end - i > (OPI_LANES - 1) * step; i += OPI_LANES * step) {
        opi_word some[OPI_LANES];
        OPI_UNROLL for (uint32_t l = 0; l < OPI_LANES; l++) some[l] = x[l * stride];
        OPI_UNROLL for (uint32_t l = 0; l < OPI_LANES; l++) least = opi_least_seen(least, some[l], i + l * step);
        x += OPI_LANES * stride;
        if (end - i <= OPI_LANES * step) return least;
    }
    for (;; i += step, x += stride) {
        least = opi_least_seen(least, x[0], i);
        if (end - i <= step) return least;
    }
}

/* found: for each part and column the least key, and its row; if it is not given, there is one part, and `out` gets the
 * rows. */
OPI_WHOLE_KERNEL void opi_extreme_columns(OPI_PARAM(in), const uint64_t rows, const uint64_t inner,
                                          const uint64_t columns, const uint64_t part, const uint32_t log_c,
                                          OPI_PARAM(found), OPI_PARAM(out) OPI_SHARES_PARAM)
{
    OPI_LOCAL_MEMORY opi_key keys[OPI_W];
    OPI_LOCAL_MEMORY uint32_t places[OPI_W];
    const uint64_t strips = ((columns - 1) >> log_c) + 1, group = OPI_SHARED_GROUP(strips), p = group / strips;
    const uint64_t column = ((group - p * strips) << log_c) + (OPI_SELF & ((1u << log_c) - 1));
    const uint32_t r = OPI_SELF >> log_c, step = OPI_W >> log_c;
    const uint64_t begin = p * part;
    const uint32_t end = (uint32_t)(rows - begin < part ? rows - begin : part);
    opi_least own;
    own.key = OPI_MASK;
    own.at = ~(uint32_t)0; /* behind all others */
    const bool has_column = group != OPI_NO_GROUP && column < columns;
    if (has_column && r < end) {
        const uint64_t o = column / inner, c = column - o * inner;
        own = opi_least_of(OPI_AT(const opi_word, in) + (o * rows + begin + r) * inner + c, inner, r, end, step);
    }
    keys[OPI_SELF] = own.key;
    places[OPI_SELF] = own.at;
    OPI_BARRIER();
    for (uint32_t by = step / 2; by > 0; by /= 2) {
        if (r < by) {
            const uint32_t other = OPI_SELF + (by << log_c);
            if (keys[other] < keys[OPI_SELF] || (keys[other] == keys[OPI_SELF] && places[other] < places[OPI_SELF])) {
                keys[OPI_SELF] = keys[other];
                places[OPI_SELF] = places[other];
            }
        }
        OPI_BARRIER();
    }
    if (r > 0 || !has_column) return;
    if (OPI_GIVEN(found)) {
        OPI_GLOBAL uint64_t *const to = OPI_AT(uint64_t, found) + (p * columns + column) * 2;
        to[0] = keys[OPI_SELF];
        to[1] = begin + places[OPI_SELF];
    } else {
        OPI_AT(opi_index, out)[column] = (opi_index)(begin + places[OPI_SELF]);
    }
}

/* Each work-item compares what was found of a column's parts. */
OPI_WHOLE_KERNEL void opi_extreme_parts(OPI_PARAM(found), const uint64_t parts, const uint64_t columns, OPI_PARAM(out))
{
    const uint64_t column = (OPI_GROUP << OPI_LOG_W) + OPI_SELF;
    if (column >= columns) return;
    OPI_GLOBAL const uint64_t *const from = OPI_AT(const uint64_t, found) + column * 2;
    uint64_t key = from[0], least = 0;
    for (uint64_t p = 1; p < parts; p += OPI_LANES) {
        uint64_t some[OPI_LANES]; /* behind the last part it comes again, and is not less */
        OPI_UNROLL for (uint32_t l = 0; l < OPI_LANES; l++)
            some[l] = from[(p + l < parts ? p + l : parts - 1) * columns * 2];
        OPI_UNROLL for (uint32_t l = 0; l < OPI_LANES; l++) {
            if (some[l] >= key) continue;
            key = some[l];
            least = p + l;
        }
    }
    OPI_AT(opi_index, out)[column] = (opi_index)from[least * columns * 2 + 1];
}
