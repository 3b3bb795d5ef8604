/* Argmin and argmax along an axis of an array outer x rows x inner.  A column is (o, c); its number is o * inner + c.
 *
 * A work-group has 2^log_c columns side by side, and of each a part of its rows; OPI_W >> log_c work-items share a column.
 * With inner = 1 they load neighbours, else those of different columns do.  OPI_DEALT: work-groups are dealt out to several
 * accelerators (shares.cl): sets of parts, or strips of columns. */

#if OPI_INDEX_SIZE == 4
typedef uint32_t opi_index;
#else
typedef uint64_t opi_index;
#endif
#if OPI_DEALT
#define OPI_SETS_PARAM , const uint64_t sets, const uint64_t sharers
#define OPI_HAS_SETS   (shares.by_parts != 0)
#define OPI_RECORD(p)  (OPI_HAS_SETS ? shares.own * sets * sharers + (p) : (p))
#else
#define OPI_SETS_PARAM
#define OPI_HAS_SETS   0
#define OPI_RECORD(p)  (p)
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

/* Neighbours, which are loaded together. */
#define OPI_PACKED (OPI_VECTOR_BYTES / OPI_SIZE)
#define OPI_PACKS  4 /* loads of a work-item that are under way at the same time */
typedef struct __attribute__((aligned(OPI_VECTOR_BYTES))) opi_pack {
    opi_word word[OPI_PACKED];
} opi_pack;

/* Whether neighbours from x on can be loaded so, and there are enough of them for all loads of all work-items. */
OPI_FUNCTION bool opi_is_packed(OPI_GLOBAL const opi_word *x, uint64_t inner, uint32_t end, uint32_t step)
{
    return inner == 1 && OPI_ALIGNED(x) && end % OPI_PACKED == 0 && end / OPI_PACKED >= OPI_PACKS * step;
}

/* The least of every `step`th pack from pack `begin` on; x: element 0 of the part; begin < end, the packs that it has.  Of a round
 * only the least key is compared; which element of the pack it was is looked up at the end. */
OPI_FUNCTION opi_least opi_least_of_packs(OPI_GLOBAL const opi_word *x, uint32_t begin, uint32_t end, uint32_t step)
{
    OPI_GLOBAL const opi_pack *const packs = (OPI_GLOBAL const opi_pack *)x;
    opi_least least;
    uint32_t place = begin;
    least.key = opi_key_of(x[begin * OPI_PACKED], OPI_FIRST_SIDE);
    for (uint32_t i = begin; i < end; i += OPI_PACKS * step) {
        opi_pack some[OPI_PACKS]; /* behind the last pack it comes again, and is not less */
        OPI_UNROLL for (uint32_t l = 0; l < OPI_PACKS; l++)
            some[l] = packs[i + l * step < end ? i + l * step : i];
        OPI_UNROLL for (uint32_t l = 0; l < OPI_PACKS; l++)
        {
            opi_key key = opi_key_of(some[l].word[0], OPI_FIRST_SIDE);
            OPI_UNROLL for (uint32_t w = 1; w < OPI_PACKED; w++)
            {
                const opi_key other = opi_key_of(some[l].word[w], OPI_FIRST_SIDE);
                key = other < key ? other : key;
            }
            if (key < least.key) {
                least.key = key;
                place = i + l * step;
            }
        }
    }
    const opi_pack found = packs[place];
    least.at = 0;
    OPI_UNROLL for (uint32_t w = OPI_PACKED; w > 0; w--)
        if (opi_key_of(found.word[w - 1], OPI_FIRST_SIDE) == least.key) least.at = place * OPI_PACKED + w - 1;
    return least;
}

/* The least key that was seen in a column, and its row. */
typedef struct opi_found {
    uint64_t key, row;
} opi_found;

OPI_FUNCTION bool opi_is_before(opi_found a, opi_found b) { return a.key < b.key || (a.key == b.key && a.row < b.row); }

/* Nothing: behind all others. */
OPI_FUNCTION opi_found opi_nothing(void)
{
    opi_found none;
    none.key = OPI_MASK;
    none.row = ~(uint64_t)0;
    return none;
}

/* What a work-item finds in its rows of part p: every `step`th one from r on. */
OPI_FUNCTION opi_found opi_found_in(OPI_GLOBAL const opi_word *x, uint64_t rows, uint64_t inner, uint64_t part,
                                    uint64_t p, uint32_t r, uint32_t step)
{
    const uint64_t begin = p * part;
    const uint32_t end = (uint32_t)(rows - begin < part ? rows - begin : part);
    opi_found found = opi_nothing();
    if (r >= end) return found;
    const opi_least least = opi_is_packed(x + begin, inner, end, step)
                                ? opi_least_of_packs(x + begin, r, end / OPI_PACKED, step)
                                : opi_least_of(x + (begin + r) * inner, inner, r, end, step);
    found.key = least.key;
    found.row = begin + least.at;
    return found;
}

#if OPI_DEALT
/* What a work-item finds in the parts that begin in every `sets`th page of this accelerator's, and there in every
 * `sharers`th: work-group p of a strip.  From page to page it adds, as divisions of 64 bits would take longer than the
 * loads. */
OPI_FUNCTION opi_found opi_found_in_set(OPI_GLOBAL const opi_word *x, uint64_t rows, uint64_t inner, uint64_t part,
                                        const opi_shares *shares, uint64_t p, uint64_t sets, uint64_t sharers, uint32_t r,
                                        uint32_t step)
{
    const uint64_t set = p / sharers, own_first = p - set * sharers;
    const uint64_t pages = shares->slots / shares->each, bytes = shares->bytes;
    const uint64_t by = sets * shares->workers * shares->page, items = by / bytes, rest = by - items * bytes;
    uint64_t first = 0, at = 0; /* the first part that begins in the page, and where, counted from the page */
    bool goes_on = false;       /* whether they say what those of the next page are */
    opi_found own = opi_nothing();
    for (uint64_t k = set; k < pages; k += sets) {
        const uint64_t page = k * shares->workers + shares->own, begin = page * shares->page;
        if (goes_on) {
            first += items;
            first += at < rest;
            at = at < rest ? at + bytes - rest : at - rest;
        } else {
            first = opi_first_in(shares, page);
            at = first * bytes + shares->beyond - begin;
            goes_on = begin > shares->beyond;
        }
        uint64_t item = first + own_first, where = at + own_first * bytes;
        for (; where < shares->page && item < shares->items; where += sharers * bytes, item += sharers) {
            const opi_found other = opi_found_in(x, rows, inner, part, item, r, step);
            if (opi_is_before(other, own)) own = other;
        }
        if (first >= shares->items) break; /* so are those of all later pages */
    }
    return own;
}
#endif

/* found: for each part and column the least key, and its row; if it is not given, there is one part, and `out` gets the
 * rows.  If parts are dealt out, a work-group goes through those in every `sets`th page of this accelerator's, or a
 * share of them, and what it finds of them all is that of one part. */
OPI_WHOLE_KERNEL void opi_extreme_columns(OPI_PARAM(in), const uint64_t rows, const uint64_t inner,
                                          const uint64_t columns, const uint64_t part, const uint32_t log_c,
                                          OPI_PARAM(found), OPI_PARAM(out) OPI_SHARES_PARAM OPI_SETS_PARAM)
{
    OPI_LOCAL_MEMORY opi_found all[OPI_W];
    const uint64_t strips = ((columns - 1) >> log_c) + 1;
    const uint64_t group = OPI_HAS_SETS ? OPI_GROUP : OPI_SHARED_GROUP(strips), p = group / strips;
    const uint64_t column = ((group - p * strips) << log_c) + (OPI_SELF & ((1u << log_c) - 1));
    const uint32_t r = OPI_SELF >> log_c, step = OPI_W >> log_c;
    const bool has_column = group != OPI_NO_GROUP && column < columns;
    opi_found own = opi_nothing();
    if (has_column) {
        const uint64_t o = column / inner, c = column - o * inner;
        OPI_GLOBAL const opi_word *const x = OPI_AT(const opi_word, in) + o * rows * inner + c;
#if OPI_DEALT
        if (OPI_HAS_SETS) own = opi_found_in_set(x, rows, inner, part, &shares, p, sets, sharers, r, step);
#endif
        if (!OPI_HAS_SETS) own = opi_found_in(x, rows, inner, part, p, r, step);
    }
    all[OPI_SELF] = own;
    OPI_BARRIER();
    for (uint32_t by = step / 2; by > 0; by /= 2) {
        if (r < by) {
            const uint32_t other = OPI_SELF + (by << log_c);
            if (opi_is_before(all[other], all[OPI_SELF])) all[OPI_SELF] = all[other];
        }
        OPI_BARRIER();
    }
    if (r > 0 || !has_column) return;
    if (OPI_GIVEN(found))
        OPI_AT(opi_found, found)[OPI_RECORD(p) * columns + column] = all[OPI_SELF];
    else
        OPI_AT(opi_index, out)[column] = (opi_index)all[OPI_SELF].row;
}

/* Each work-item compares what was found of a column's parts. */
OPI_WHOLE_KERNEL void opi_extreme_parts(OPI_PARAM(found), const uint64_t parts, const uint64_t columns, OPI_PARAM(out))
{
    const uint64_t column = (OPI_GROUP << OPI_LOG_W) + OPI_SELF;
    if (column >= columns) return;
    OPI_GLOBAL const opi_found *const from = OPI_AT(const opi_found, found) + column;
    opi_found least = from[0];
    for (uint64_t p = 1; p < parts; p += OPI_LANES) {
        opi_found some[OPI_LANES]; /* behind the last part it comes again, and is not less */
        OPI_UNROLL for (uint32_t l = 0; l < OPI_LANES; l++)
            some[l] = from[(p + l < parts ? p + l : parts - 1) * columns];
        OPI_UNROLL for (uint32_t l = 0; l < OPI_LANES; l++)
            if (opi_is_before(some[l], least)) least = some[l];
    }
    OPI_AT(opi_index, out)[column] = (opi_index)least.row;
}
