#include "support/calls_family.h"

#include "support/keys.h"

#include <stdio.h>
#include <string.h>

/* --- what is drawn from ------------------------------------------------------------------------------------------- */

static const char *const operators[SHARES] = {"sum_u8",  "hash1",     "hash2",   "sum_i32",   "hash4",  "sum_f32",
                                              "max_f64", "hash_with", "sum_u64", "compose32", "join12", "compose64"};

OPLUS_STRUCT(wide24, uint64_t v[3];)

OPLUS_PREDICATE(low_u8, uint8_t, { return a < 40; })
OPLUS_PREDICATE(odd_u16, uint16_t, { return a & 1; })
OPLUS_PREDICATE(any_u64, uint64_t, { return a != 5; })
OPLUS_PREDICATE(below_f32, float, { return a < 0.25f; })
OPLUS_PREDICATE(above_f64, double, { return a > 0.9; })
OPLUS_PREDICATE(less_affine, affine32, { return a.a < a.b; })
OPLUS_PREDICATE(even_mixed, mixed12, { return a.count % 2 == 0; })
OPLUS_PREDICATE(below_affine, affine64, { return a.b < 0.0; })
OPLUS_MAP(twice, float, float, { return a * 2.0f + 1.0f; })
OPLUS_MAP(widen, uint64_t, uint8_t, { return (uint64_t)a * 3u; })
OPLUS_ZIP(axpy, float, float, float, { return 3.0f * a + b; })
OPLUS_ZIP(blend, double, double, uint16_t, { return a * 0.5 + b; })
OPLUS_MAP(shift_of, float, mixed12, { return a.shift; })

const call_function call_predicates[CALL_PREDICATES] = {
    {&below_f32_fn, {"sum_f32"}}, {&low_u8_fn, {"sum_u8"}},          {&odd_u16_fn, {"hash2"}},
    {&any_u64_fn, {"sum_u64"}},   {&above_f64_fn, {"max_f64"}},      {&less_affine_fn, {"compose32"}},
    {&even_mixed_fn, {"join12"}}, {&below_affine_fn, {"compose64"}},
};
const call_function call_functions[CALL_FUNCTIONS] = {
    {&axpy_fn, {"sum_f32", "sum_f32"}}, {&twice_fn, {"sum_f32"}},   {&widen_fn, {"sum_u8"}},
    {&blend_fn, {"max_f64", "hash2"}},  {&shift_of_fn, {"join12"}},
};

/* Sorts are of keys; of pairs: keys and values; a transpose has the type of the value. */
static const struct {
    const oplus_type *key, *value;
} kinds[] = {{&oplus_u32, &oplus_u32}, {&oplus_u8, &oplus_f64},     {&oplus_u16, &affine64_type},
             {&oplus_i32, &oplus_u16}, {&oplus_f32, &mixed12_type}, {&oplus_u64, &wide24_type},
             {&oplus_f64, &oplus_u8}};

#define COUNT(list) (sizeof(list) / sizeof *(list))

/* --- making it ----------------------------------------------------------------------------------------------------- */

static oplus_status stream(oplus_device *d, const call *c, unsigned char *const a[])
{
    const size_t skip = c->cut * c->size[IN];
    oplus_carry *carry;
    oplus_status status = oplus_carry_open(c->op, 0, &carry);
    if (status != OPLUS_OK) return status;
    status = oplus_carry_add(d, carry, a[IN], c->cut);
    if (status == OPLUS_OK) status = oplus_scan_from(d, carry, c->kind, a[IN] + skip, c->n - c->cut, a[OUT] + skip);
    oplus_carry_close(carry);
    return status;
}

oplus_status call_make(const call *c, oplus_device *d, unsigned char *const a[])
{
    const oplus_op *const op = c->op;
    switch (c->what) {
    case REDUCE:
        return oplus_reduce(d, op, a[IN], c->n, a[OUT]);
    case FOLD:
        return oplus_fold(d, op, c->init, a[IN], c->n, a[OUT]);
    case SCAN:
        return oplus_scan(d, op, c->kind, a[IN], c->n, a[OUT]);
    case SEGSCAN:
        return oplus_segscan(d, op, c->kind, a[IN], a[MORE], c->n, a[OUT]);
    case STREAM:
        return stream(d, c, a);
    case SEGREDUCE:
        return oplus_segreduce(d, op, a[IN], c->n, c->offset, a[MORE], c->segments, a[OUT]);
    case FILTER:
        return oplus_filter(d, c->fn, a[IN], c->n, a[OUT], (size_t *)a[NOTE]);
    case MAP:
        return oplus_map(d, c->fn, (const void *const[]){a[IN], a[MORE]}, c->n, a[OUT]);
    case SORT:
        return oplus_sort(d, c->key, c->order, a[IN], c->n);
    case PAIRS:
        return oplus_sort_pairs(d, c->key, c->order, a[IN], c->value, a[MORE], c->n);
    case TRANSPOSE:
        return oplus_transpose(d, c->value, a[IN], c->rows, c->cols, a[OUT]);
    default:
        return (c->what >= REDUCE_AXIS ? shapes_make : family_make)(c, d, a);
    }
}

/* --- drawing ------------------------------------------------------------------------------------------------------ */

/* Where few operators are compiled, compilers are slow. */
static bool is_slow(const place *at) { return at->tries.plain != NULL; }

/* Mostly few elements, of any order of magnitude; edges of tiles; now and then many. */
size_t call_draw_n(rng *r, size_t size, bool slow)
{
    const size_t dice = rng_below(r, 100), tile = (16 << 10) / size;
    const size_t order = rng_below(r, dice < 88 || slow ? 12 : test_quick() ? 16 : 20);
    if (dice < 88 || dice > 97) return ((size_t)1 << order) - 1 + rng_below(r, (size_t)1 << order);
    const size_t n = tile * (1 + rng_below(r, slow ? 2 : 12)) - 2 + rng_below(r, 5);
    return n < MOST ? n : MOST;
}

/* The share's operator, or the next one that will do. */
static const subject *subject_of(const call *c)
{
    const bool lifted = c->what == SEGSCAN || c->what == SEGREDUCE;
    const subject *s;
    size_t i = c->share;
    do s = subject_named(operators[i++ % COUNT(operators)]);
    while (!stand_at(c->at, s, lifted) || (!s->op->identity && (c->what == SEGREDUCE || c->what == STREAM)));
    return s;
}

void call_lay(call *c, int k, rng *r, size_t size, size_t n)
{
    c->size[k] = size;
    c->elements[k] = n;
    c->shift[k] = rng_below(r, 3) ? rng_below(r, 63 / size + 1) : 0;
    c->here[k] = rng_below(r, 12) == 0;
}

/* Few rows, any number of them, or a square. */
static void draw_rows(call *c, rng *r)
{
    const size_t dice = rng_below(r, 3), most = dice == 0 ? 100 : dice == 1 ? c->n + 1 : 1024;
    c->rows = 1 + rng_below(r, most);
    while (dice == 2 && c->rows * c->rows > c->n && c->rows > 1) c->rows /= 2;
    c->cols = dice == 2 ? c->rows : c->n / c->rows;
    c->n = c->rows * c->cols;
    c->in_place = c->in_place && (c->rows == c->cols || c->rows == 1 || c->cols == 1);
}

static void draw_kinds(call *c, rng *r)
{
    const size_t which = c->share % COUNT(kinds);
    c->key = kinds[which].key;
    c->value = kinds[which].value;
    c->n = call_draw_n(r, c->value->size, false);
    if (c->what == TRANSPOSE) draw_rows(c, r);
    call_lay(c, IN, r, c->what == TRANSPOSE ? c->value->size : c->key->size, c->n);
    if (c->what == PAIRS) call_lay(c, MORE, r, c->value->size, c->n);
    if (c->what == TRANSPOSE) call_lay(c, OUT, r, c->value->size, c->n);
}

static void draw_functions(call *c, rng *r)
{
    const bool filters = c->what == FILTER;
    const call_function *const f =
        filters ? &call_predicates[c->share % CALL_PREDICATES] : &call_functions[c->share % CALL_FUNCTIONS];
    c->fn = f->fn;
    c->n = call_draw_n(r, c->fn->input[0]->size, false);
    for (unsigned k = 0; k < c->fn->arity; k++) {
        c->from[k] = subject_named(f->from[k]);
        call_lay(c, k == 0 ? IN : MORE, r, c->fn->input[k]->size, c->n);
    }
    call_lay(c, OUT, r, filters ? c->fn->input[0]->size : c->fn->result->size, c->n);
    if (filters) call_lay(c, NOTE, r, sizeof(size_t), 1);
    c->in_place = c->in_place && c->size[IN] == c->size[OUT];
}

static void draw_operator(call *c, rng *r)
{
    static const oplus_type *const offsets[] = {&oplus_u32, &oplus_u64, &oplus_i32, &oplus_i64};
    const bool segments = c->what == SEGREDUCE, one = c->what == REDUCE || c->what == FOLD;
    const subject *const s = c->from[0] = subject_of(c);
    const size_t size = s->op->type->size;
    c->op = s->op;
    c->n = call_draw_n(r, size, is_slow(c->at));
    if (c->what == REDUCE && !c->op->identity) c->n++;
    if (!c->op->identity) c->kind = OPLUS_INCLUSIVE;
    c->heads = rng_below(r, 8) ? (size_t)1 << rng_below(r, 15) : SIZE_MAX;
    c->cut = rng_below(r, c->n + 1);
    c->offset = offsets[rng_below(r, COUNT(offsets))];
    c->segments = segments ? rng_below(r, rng_below(r, 2) ? c->n + 2 : 9) : 0;
    c->in_place = c->in_place && !segments && !one;
    s->random(r, c->init);
    call_lay(c, IN, r, size, c->n);
    if (c->what == SEGSCAN) call_lay(c, MORE, r, 1, c->n);
    if (segments) call_lay(c, MORE, r, c->offset->size, c->segments + 1);
    call_lay(c, OUT, r, size, one ? 1 : segments ? c->segments : c->n);
}

call call_draw(rng *r, const place *at, size_t share)
{
    call c = {.at = at, .share = share};
    c.what = (primitive)rng_below(r, is_slow(at) ? FILTER : PRIMITIVES);
    c.kind = rng_below(r, 2) ? OPLUS_EXCLUSIVE : OPLUS_INCLUSIVE;
    c.order = rng_below(r, 2) ? OPLUS_DESCENDING : OPLUS_ASCENDING;
    c.style = (unsigned)rng_below(r, KEY_KINDS);
    c.in_place = rng_below(r, 3) == 0;
    if (c.what >= REDUCE_AXIS)
        shapes_draw(&c, r);
    else if (c.what >= TAKE)
        family_draw(&c, r);
    else if (c.what >= SORT)
        draw_kinds(&c, r);
    else if (c.what >= FILTER)
        draw_functions(&c, r);
    else
        draw_operator(&c, r);
    return c;
}

/* --- its inputs ---------------------------------------------------------------------------------------------------- */

/* Random elements, which repeat themselves, but not as tiles do; now and then all are the same. */
void call_fill_by(void (*random)(rng *r, void *out), unsigned style, rng *r, size_t size, unsigned char *to, size_t n)
{
    const size_t most = style == 0 ? 1 : 4099, some = n < most ? n : most;
    for (size_t i = 0; i < some; i++) random(r, to + i * size);
    for (size_t i = some; i < n; i++) memcpy(to + i * size, to + (i - some) * size, size);
}

void call_fill_keys(rng *r, const oplus_type *type, unsigned style, unsigned char *to, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < type->size; k += 8) {
            const uint64_t key = odd_key(r, type, style, i, n);
            memcpy(to + i * type->size + k, &key, type->size - k < 8 ? type->size - k : 8);
        }
}

/* Segments of like lengths, mostly empty ones, or one long one; not all elements are in a segment. */
void call_fill_offsets(const call *c, rng *r, unsigned char *to)
{
    const size_t mean = c->n / (c->segments + 1) + 1, giant = rng_below(r, c->segments + 1);
    uint64_t at = rng_below(r, 3) ? 0 : rng_below(r, c->n + 1);
    for (size_t i = 0; i <= c->segments; i++) {
        memcpy(to + i * c->offset->size, &at, c->offset->size); /* little endian */
        const size_t length = c->style < 4   ? rng_below(r, 2 * mean)
                              : c->style < 8 ? (rng_below(r, 9) ? 0 : rng_below(r, 16 * mean))
                                             : (i == giant ? c->n : rng_below(r, 3));
        at = length < c->n - at ? at + length : c->n;
    }
}

void call_fill(const call *c, rng *r, unsigned char *const to[])
{
    if (c->what >= TAKE) {
        (c->what >= REDUCE_AXIS ? shapes_fill : family_fill)(c, r, to);
        return;
    }
    if (c->what >= SORT) {
        const bool turns = c->what == TRANSPOSE;
        call_fill_keys(r, turns ? c->value : c->key, turns ? KEY_KINDS : c->style, to[IN], c->n);
        if (c->what == PAIRS) call_fill_keys(r, c->value, KEY_KINDS, to[MORE], c->n);
        return;
    }
    call_fill_by(c->from[0]->random, c->style, r, c->size[IN], to[IN], c->n);
    if (c->from[1]) call_fill_by(c->from[1]->random, c->style, r, c->size[MORE], to[MORE], c->n);
    for (size_t i = 0; c->what == SEGSCAN && i < c->n; i++)
        to[MORE][i] = rng_below(r, c->heads) == 0 ? (unsigned char)(1 + rng_below(r, 255)) : 0;
    if (c->what == SEGREDUCE) call_fill_offsets(c, r, to[MORE]);
}

/* --- in words ----------------------------------------------------------------------------------------------------- */

static const char *const names[PRIMITIVES] = {
    "reduce",
    "fold",
    "scan",
    "segscan",
    "stream",
    "segreduce",
    "filter",
    "map",
    "sort",
    "pairs",
    "transpose",
    "take",
    "put",
    "repeat",
    "argsort",
    "search",
    "merge",
    "argmin",
    "minmax",
    "partition",
    "indices",
    "mask",
    "unique",
    "reduce_by_key",
    "map_reduce",
    "map_scan",
    "map_filter",
    "reduce_axis",
    "scan_axis",
    "window",
    "scan_reverse",
    "scan_by_key",
    "reduce_by_index",
    "count_by_index",
    "histogram",
    "histogram_edges",
    "top",
    "nth",
    "segsort",
    "segsort_pairs",
    "sort_by",
    "argsort_by",
    "merge_by",
    "search_by",
    "sort_bits",
    "sort_pairs_bits",
    "sort_members",
    "argsort_members",
    "map_neighbours",
};

void call_describe(const call *c, char *text, size_t bytes)
{
    const char *const of = c->fn                        ? c->fn->name
                           : c->op                      ? c->op->name
                           : c->key && c->what != PAIRS ? c->key->name
                                                        : c->value->name;
    snprintf(text, bytes,
             "%s of %s at %s, n = %zu, cut %zu, %zu segments, %zu rows, 1 of %zu is a head, %s, %s, style %u%s, "
             "shifts %zu %zu %zu %zu, on the host %d%d%d%d",
             names[c->what], of, c->at->where, c->n, c->cut, c->segments, c->rows, c->heads,
             c->kind == OPLUS_EXCLUSIVE ? "exclusive" : "inclusive",
             c->order == OPLUS_DESCENDING ? "descending" : "ascending", c->style, c->in_place ? ", in place" : "",
             c->shift[0], c->shift[1], c->shift[2], c->shift[3], c->here[0], c->here[1], c->here[2], c->here[3]);
}
