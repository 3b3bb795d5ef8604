/* Random calls of the primitives whose tasks have shapes of their own: along an axis, windows, bins, the first k, segments
 * that are sorted, orders that are functions, bits or members, and neighbours. */
#include "support/calls_family.h"

#include "support/keys.h"

#include <string.h>

#define COUNT(list) (sizeof(list) / sizeof *(list))

/* --- what is drawn from ------------------------------------------------------------------------------------------- */

static const oplus_type *const keys[] = {&oplus_u32, &oplus_f64, &oplus_i32, &oplus_f32, &oplus_u64, &oplus_u16};
static const oplus_type *const values[] = {&oplus_u32, &mixed12_type, &oplus_u8, &affine64_type};
static const oplus_type *const numbers[] = {&oplus_f32, &oplus_u8, &oplus_i32, &oplus_f64};
static const oplus_type *const integers[] = {&oplus_u32, &oplus_i64, &oplus_u64, &oplus_i32};
static const oplus_type *const results[] = {&oplus_u32, &oplus_u64}; /* of indices and counts that a call writes */
static const char *const operators[] = {"sum_f32", "hash4", "sum_u64", "join12", "sum_u8", "compose64", "max_f64"};

OPLUS_ZIP(less_u32, uint8_t, uint32_t, uint32_t, { return a < b; })
OPLUS_ZIP(less_low_u64, uint8_t, uint64_t, uint64_t, { return (a & 255) < (b & 255); })
OPLUS_ZIP(less_count, uint8_t, mixed12, mixed12, { return a.count > b.count; })
static const oplus_fn *const orders[] = {&less_u32_fn, &less_low_u64_fn, &less_count_fn};

/* Structs, and members by which they are sorted: of up to 32 bits, of up to 64, and of more. */
enum { MEMBERS = 3 };
static const struct {
    const oplus_type *type;
    size_t count;
    oplus_sort_member member[MEMBERS];
} sorted_structs[] = {
    {&mixed12_type, 1, {OPLUS_MEMBER(mixed12, shift, &oplus_f32, OPLUS_DESCENDING)}},
    {&affine64_type,
     2,
     {OPLUS_MEMBER(affine64, b, &oplus_f64, OPLUS_ASCENDING), OPLUS_MEMBER(affine64, a, &oplus_f64, OPLUS_DESCENDING)}},
    {&mixed12_type,
     3,
     {OPLUS_MEMBER(mixed12, count, &oplus_i32, OPLUS_DESCENDING),
      OPLUS_MEMBER(mixed12, scale, &oplus_u8, OPLUS_ASCENDING),
      OPLUS_MEMBER(mixed12, shift, &oplus_u16, OPLUS_ASCENDING)}},
};

OPLUS_ZIP(change, float, float, float, { return b - a; })
OPLUS_ZIP3(blur, double, double, double, double, { return 0.25 * a + 0.5 * b + 0.25 * c; })
OPLUS_ZIP3(between, uint32_t, uint8_t, uint8_t, uint8_t, { return a * 65536u + b * 256u + c; })
static const call_function of_neighbours[] = {
    {&change_fn, {"sum_f32"}}, {&blur_fn, {"max_f64"}}, {&between_fn, {"sum_u8"}}};

/* --- making it ----------------------------------------------------------------------------------------------------- */

static oplus_status bins(const call *c, oplus_device *d, unsigned char *const a[])
{
    const oplus_bounds bounds = c->cut ? OPLUS_CLIP : OPLUS_IGNORE;
    switch (c->what) {
    case BY_INDEX:
        return oplus_reduce_by_index(d, c->op, bounds, a[IN], c->offset, a[MORE], c->n, a[OUT], c->segments);
    case COUNT_BY_INDEX:
        return oplus_count_by_index(d, bounds, c->offset, a[MORE], c->n, c->value, a[OUT], c->segments);
    case HISTOGRAM:
        return oplus_histogram(d, c->key, a[IN], c->n, -100.0, 200.0, c->value, a[OUT], c->segments);
    default:
        return oplus_histogram_edges(d, c->key, a[IN], c->n, a[MORE], c->value, a[OUT], c->segments);
    }
}

static oplus_status ordered(const call *c, oplus_device *d, unsigned char *const a[])
{
    switch (c->what) {
    case TOP:
        return oplus_top(d, c->key, c->order, a[IN], c->n, c->segments, a[OUT], c->offset, a[MORE]);
    case NTH:
        return oplus_nth(d, c->key, c->order, a[IN], c->n, c->segments, a[OUT]);
    case SEGSORT:
        return oplus_segsort(d, c->key, c->order, a[IN], c->n, c->offset, a[MORE], c->segments);
    case SEGSORT_PAIRS:
        return oplus_segsort_pairs(d, c->key, c->order, a[IN], c->value, a[OUT], c->n, c->offset, a[MORE], c->segments);
    case SORT_BY:
        return oplus_sort_by(d, c->fn, a[IN], c->n);
    case ARGSORT_BY:
        return oplus_argsort_by(d, c->fn, a[IN], c->n, c->offset, a[OUT]);
    case MERGE_BY:
        return oplus_merge_by(d, c->fn, a[IN], c->n, a[MORE], c->segments, a[OUT]);
    default:
        return oplus_search_by(d, c->fn, a[IN], c->n, (oplus_bound)c->kind, a[MORE], c->segments, c->offset, a[OUT]);
    }
}

static oplus_status by_parts(const call *c, oplus_device *d, unsigned char *const a[])
{
    const unsigned low = (unsigned)c->cut, high = (unsigned)c->rows;
    const size_t which = c->share % COUNT(sorted_structs), count = sorted_structs[which].count;
    const oplus_sort_member *const member = sorted_structs[which].member;
    switch (c->what) {
    case SORT_BITS:
        return oplus_sort_bits(d, c->key, c->order, low, high, a[IN], c->n);
    case PAIRS_BITS:
        return oplus_sort_pairs_bits(d, c->key, c->order, low, high, a[IN], c->value, a[MORE], c->n);
    case SORT_MEMBERS:
        return oplus_sort_members(d, c->value, member, count, a[IN], c->n);
    case ARGSORT_MEMBERS:
        return oplus_argsort_members(d, c->value, member, count, a[IN], c->n, c->offset, a[OUT]);
    default: { /* of neighbours; the ends are the host's */
        const oplus_edge edge = (oplus_edge)(c->style % (OPLUS_EDGE_GIVEN + 1));
        return oplus_map_neighbours(d, c->fn, edge, edge == OPLUS_EDGE_GIVEN ? c->init : NULL, a[IN], c->n, a[OUT]);
    }
    }
}

oplus_status shapes_make(const call *c, oplus_device *d, unsigned char *const a[])
{
    switch (c->what) {
    case REDUCE_AXIS:
        return oplus_reduce_axis(d, c->op, a[IN], c->rows, c->segments, c->cols, a[OUT]);
    case SCAN_AXIS:
        return oplus_scan_axis(d, c->op, c->kind, a[IN], c->rows, c->segments, c->cols, a[OUT]);
    case WINDOW:
        return oplus_window(d, c->op, a[IN], c->n, c->segments, a[OUT]);
    case SCAN_REVERSE:
        return oplus_scan_reverse(d, c->op, c->kind, a[IN], c->n, a[OUT]);
    case SCAN_BY_KEY:
        return oplus_scan_by_key(d, c->op, c->kind, c->key, NULL, a[IN], a[MORE], c->n, a[OUT]);
    case BY_INDEX:
    case COUNT_BY_INDEX:
    case HISTOGRAM:
    case EDGES:
        return bins(c, d, a);
    default:
        return (c->what >= SORT_BITS ? by_parts : ordered)(c, d, a);
    }
}

/* --- drawing ------------------------------------------------------------------------------------------------------ */

static void draw_operator(call *c)
{
    const subject *const s = c->from[0] = subject_named(operators[c->share % COUNT(operators)]);
    c->op = s->op;
    if (!s->op->identity) c->kind = OPLUS_INCLUSIVE;
}

/* Splits c->n elements into rows x segments x cols: one of them is small, and any may be 1. */
static void draw_axes(call *c, rng *r)
{
    const size_t small = 1 + rng_below(r, 70), rest = c->n / small, middle = 1 + rng_below(r, rest + 1),
                 large = rest / middle, turn = rng_below(r, 3);
    const size_t split[] = {small, middle, large};
    c->rows = split[turn];
    c->segments = split[(turn + 1) % 3];
    c->cols = split[(turn + 2) % 3];
    if (!c->op->identity && c->segments == 0) c->segments = 1;
    c->n = c->rows * c->segments * c->cols;
}

static void draw_one_array(call *c, rng *r)
{
    const size_t size = (draw_operator(c), c->op->type->size);
    const bool axes = c->what == REDUCE_AXIS || c->what == SCAN_AXIS, reduces = c->what == REDUCE_AXIS;
    const bool keyed = c->what == SCAN_BY_KEY, windows = c->what == WINDOW;
    c->n = call_draw_n(r, keyed && size < 8 ? 8 : size, false);
    if (axes) draw_axes(c, r);
    if (windows) c->segments = 1 + rng_below(r, (size_t)1 << rng_below(r, 14));
    if (keyed) {
        c->key = &oplus_u64;
        c->from[1] = c->from[0];
        c->from[0] = NULL;
    }
    c->in_place = c->in_place && !reduces && !keyed && !windows;
    call_lay(c, IN, r, keyed ? c->key->size : size, c->n);
    if (keyed) call_lay(c, MORE, r, size, c->n);
    call_lay(c, OUT, r, size, reduces ? c->rows * c->cols : c->n);
}

static void draw_bins(call *c, rng *r)
{
    const bool indexed = c->what == BY_INDEX || c->what == COUNT_BY_INDEX;
    if (c->what == BY_INDEX) draw_operator(c);
    if (c->op && !c->op->identity) c->from[0] = subject_named("sum_u64"), c->op = c->from[0]->op;
    c->key = numbers[c->share % COUNT(numbers)];
    c->value = results[c->share % COUNT(results)];
    c->offset = integers[c->share % COUNT(integers)];
    c->n = call_draw_n(r, 2 * sizeof(uint64_t), false);
    c->segments = 1 + rng_below(r, (size_t)1 << rng_below(r, 17));
    c->cut = rng_below(r, 2);
    c->in_place = false;
    if (c->what != COUNT_BY_INDEX) call_lay(c, IN, r, c->op ? c->op->type->size : c->key->size, c->n);
    if (indexed) call_lay(c, MORE, r, c->offset->size, c->n);
    if (c->what == EDGES) call_lay(c, MORE, r, c->key->size, c->segments + 1);
    call_lay(c, OUT, r, c->op ? c->op->type->size : c->value->size, c->segments);
}

static void draw_sorted(call *c, rng *r)
{
    const bool pairs = c->what == SEGSORT_PAIRS, nth = c->what == NTH;
    c->key = keys[c->share % COUNT(keys)];
    c->value = values[c->share % COUNT(values)];
    c->offset = c->what == TOP ? results[c->share % COUNT(results)] : integers[c->share % COUNT(integers)];
    c->n = call_draw_n(r, 2 * sizeof(uint64_t), false);
    if (nth && c->n == 0) c->n = 1;
    c->segments = nth              ? rng_below(r, c->n)
                  : c->what == TOP ? (rng_below(r, 2) && c->n > 200 ? rng_below(r, 200) : rng_below(r, c->n + 1))
                                   : rng_below(r, rng_below(r, 2) ? c->n + 2 : 9);
    c->in_place = false;
    call_lay(c, IN, r, c->key->size, c->n);
    if (!nth) call_lay(c, MORE, r, c->offset->size, c->what == TOP ? c->segments : c->segments + 1);
    if (nth) call_lay(c, OUT, r, c->key->size, 1);
    if (c->what == TOP) call_lay(c, OUT, r, c->key->size, c->segments);
    if (pairs) call_lay(c, OUT, r, c->value->size, c->n);
}

static void draw_by(call *c, rng *r)
{
    const bool two = c->what == MERGE_BY || c->what == SEARCH_BY;
    c->fn = two ? orders[0] : orders[c->share % COUNT(orders)]; /* what is sorted already is u32 */
    c->key = c->fn->input[0];
    c->offset = results[c->share % COUNT(results)];
    c->order = OPLUS_ASCENDING;
    c->n = call_draw_n(r, 2 * sizeof(uint64_t), false);
    c->segments = two ? call_draw_n(r, 2 * sizeof(uint64_t), false) : 0;
    c->in_place = false;
    call_lay(c, IN, r, c->key->size, c->n);
    if (two) call_lay(c, MORE, r, c->key->size, c->segments);
    if (c->what == ARGSORT_BY) call_lay(c, OUT, r, c->offset->size, c->n);
    if (c->what == MERGE_BY) call_lay(c, OUT, r, c->key->size, c->n + c->segments);
    if (c->what == SEARCH_BY) call_lay(c, OUT, r, c->offset->size, c->segments);
}

static void draw_bits(call *c, rng *r)
{
    c->key = keys[c->share % COUNT(keys)];
    c->value = values[c->share % COUNT(values)];
    c->n = call_draw_n(r, 2 * sizeof(uint64_t), false);
    c->rows = rng_below(r, 8 * c->key->size + 1); /* they may be the same bit: then nothing moves */
    c->cut = rng_below(r, c->rows + 1);
    c->in_place = false;
    call_lay(c, IN, r, c->key->size, c->n);
    if (c->what == PAIRS_BITS) call_lay(c, MORE, r, c->value->size, c->n);
}

static void draw_members(call *c, rng *r)
{
    c->value = sorted_structs[c->share % COUNT(sorted_structs)].type;
    c->offset = results[c->share % COUNT(results)];
    c->n = call_draw_n(r, c->value->size, false);
    c->in_place = false;
    call_lay(c, IN, r, c->value->size, c->n);
    if (c->what == ARGSORT_MEMBERS) call_lay(c, OUT, r, c->offset->size, c->n);
}

static void draw_neighbours(call *c, rng *r)
{
    const call_function *const f = &of_neighbours[c->share % COUNT(of_neighbours)];
    const size_t size = f->fn->input[0]->size;
    c->fn = f->fn;
    c->from[0] = subject_named(f->from[0]);
    c->n = call_draw_n(r, size, false);
    c->in_place = false;
    for (int end = 0; end < 2; end++) c->from[0]->random(r, c->init + (size_t)end * size);
    call_lay(c, IN, r, size, c->n);
    call_lay(c, OUT, r, c->fn->result->size, c->n);
}

void shapes_draw(call *c, rng *r)
{
    if (c->what <= SCAN_BY_KEY)
        draw_one_array(c, r);
    else if (c->what <= EDGES)
        draw_bins(c, r);
    else if (c->what <= SEGSORT_PAIRS)
        draw_sorted(c, r);
    else if (c->what <= SEARCH_BY)
        draw_by(c, r);
    else if (c->what <= PAIRS_BITS)
        draw_bits(c, r);
    else if (c->what <= ARGSORT_MEMBERS)
        draw_members(c, r);
    else
        draw_neighbours(c, r);
}

/* --- its inputs ---------------------------------------------------------------------------------------------------- */

/* Mostly bins that there are: any of them, few, or one after the other. */
static void fill_bins(const call *c, rng *r, unsigned char *to)
{
    const size_t few = 1 + rng_below(r, c->segments);
    for (size_t k = 0; k < c->n; k++) {
        uint64_t bin = c->style < 4 ? rng_below(r, c->segments) : c->style < 8 ? rng_below(r, few) : k % c->segments;
        if (rng_below(r, 50) == 0) bin = rng_next(r);
        memcpy(to + k * c->offset->size, &bin, c->offset->size); /* little endian */
    }
}

/* Numbers of which most are in the histogram, as a type of numbers has them; edges ascend. */
static void fill_numbers(const call *c, rng *r, unsigned char *to, size_t n, bool ascend)
{
    const double step = 250.0 / (double)n;
    for (size_t i = 0; i < n; i++) {
        const double x = ascend ? (double)i * step : (double)rng_below(r, 1000) * 0.3 - (c->style < 6 ? 20.0 : 150.0);
        if (c->key == &oplus_f32) {
            const float number = (float)x;
            memcpy(to + i * sizeof number, &number, sizeof number);
        } else if (c->key == &oplus_f64) {
            memcpy(to + i * sizeof x, &x, sizeof x);
        } else {
            const int32_t number = c->key == &oplus_u8 && x < 0 ? 0 : (int32_t)x;
            memcpy(to + i * c->key->size, &number, c->key->size); /* little endian */
        }
    }
}

void shapes_fill(const call *c, rng *r, unsigned char *const to[])
{
    if (c->from[0]) call_fill_by(c->from[0]->random, c->style, r, c->size[IN], to[IN], c->n);
    switch (c->what) {
    case SCAN_BY_KEY:
        call_fill_sorted(c, r, to[IN], c->n);
        call_fill_by(c->from[1]->random, c->style, r, c->size[MORE], to[MORE], c->n);
        break;
    case BY_INDEX:
    case COUNT_BY_INDEX:
        fill_bins(c, r, to[MORE]);
        break;
    case EDGES:
        fill_numbers(c, r, to[MORE], c->segments + 1, true);
        fill_numbers(c, r, to[IN], c->n, false);
        break;
    case HISTOGRAM:
        fill_numbers(c, r, to[IN], c->n, false);
        break;
    case SEGSORT_PAIRS:
        call_fill_keys(r, c->value, KEY_KINDS, to[OUT], c->n);
        call_fill_offsets(c, r, to[MORE]);
        call_fill_keys(r, c->key, c->style, to[IN], c->n);
        break;
    case SEGSORT:
        call_fill_offsets(c, r, to[MORE]);
        call_fill_keys(r, c->key, c->style, to[IN], c->n);
        break;
    case TOP:
    case NTH:
        call_fill_keys(r, c->key, c->style, to[IN], c->n);
        break;
    case PAIRS_BITS:
        call_fill_keys(r, c->value, KEY_KINDS, to[MORE], c->n);
        call_fill_keys(r, c->key, c->style, to[IN], c->n);
        break;
    case SORT_BITS:
        call_fill_keys(r, c->key, c->style, to[IN], c->n);
        break;
    case SORT_MEMBERS:
    case ARGSORT_MEMBERS: /* word by word */
        call_fill_keys(r, &oplus_u32, c->style, to[IN], c->n * (c->value->size / oplus_u32.size));
        break;
    case SORT_BY:
    case ARGSORT_BY:
        call_fill_keys(r, c->key, KEY_KINDS, to[IN], c->n);
        break;
    case MERGE_BY:
    case SEARCH_BY:
        call_fill_sorted(c, r, to[IN], c->n);
        call_fill_sorted(c, r, to[MORE], c->segments);
        break;
    default:
        break;
    }
}
