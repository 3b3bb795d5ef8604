/* Random calls of what came later: by index, in order, selections, extremes, and a function before a primitive. */
#include "support/calls_family.h"

#include "support/keys.h"

#include <string.h>

#define COUNT(list) (sizeof(list) / sizeof *(list))

/* --- what is drawn from ------------------------------------------------------------------------------------------- */

/* Each share has one of these, so that few programs are compiled. */
static const oplus_type *const values[] = {&oplus_u32,     &mixed12_type, &oplus_u8,
                                           &affine64_type, &oplus_f64,    &oplus_u16};
static const oplus_type *const keys[] = {&oplus_u32, &oplus_u64, &oplus_i32, &oplus_f32, &oplus_u16};
static const oplus_type *const offsets[] = {&oplus_u32, &oplus_i64, &oplus_u64, &oplus_i32};
static const oplus_type *const results[] = {&oplus_u32, &oplus_u64}; /* of indices that a call writes */

/* Keys whose order is that of their numbers. */
static const oplus_type *const ordered[] = {&oplus_u32, &oplus_u64, &oplus_i32};

/* Of each function, an operator over its result, and a predicate, or none. */
static const struct {
    const char *op, *keep;
} behind[CALL_FUNCTIONS] = {{"sum_f32", "below_f32"},
                            {"sum_f32", "below_f32"},
                            {"sum_u64", "any_u64"},
                            {"max_f64", "above_f64"},
                            {"sum_f32", "below_f32"}};

static const oplus_fn *predicate_named(const char *name)
{
    size_t i = 0;
    while (strcmp(call_predicates[i].fn->name, name) != 0) i++;
    return call_predicates[i].fn;
}

/* --- making it ----------------------------------------------------------------------------------------------------- */

static oplus_status select(const call *c, oplus_device *d, unsigned char *const a[])
{
    size_t *const kept = (size_t *)a[NOTE];
    if (c->what == PARTITION) return oplus_partition(d, c->fn, a[IN], c->n, a[OUT], a[MORE], kept);
    if (c->what == INDICES) return oplus_indices(d, c->fn, a[IN], c->n, c->offset, a[OUT], kept);
    return oplus_filter_mask(d, c->value, (oplus_mask)c->kind, a[IN], a[MORE], c->n, a[OUT], kept);
}

static oplus_status keyed(const call *c, oplus_device *d, unsigned char *const a[])
{
    size_t *const runs = (size_t *)a[NOTE];
    if (c->what == UNIQUE)
        return oplus_unique(d, c->key, NULL, a[IN], c->n, a[OUT], c->offset, a[MORE], NULL, NULL, runs);
    return oplus_reduce_by_key(d, c->op, c->key, NULL, a[IN], a[MORE], c->n, NULL, a[OUT], runs);
}

static oplus_status fused(const call *c, oplus_device *d, unsigned char *const a[])
{
    const void *const in[] = {a[IN], a[MORE]};
    if (c->what == MAP_REDUCE) return oplus_map_reduce(d, c->fn, c->op, in, c->n, a[OUT]);
    if (c->what == MAP_SCAN) return oplus_map_scan(d, c->fn, c->op, c->kind, NULL, in, c->n, a[OUT]);
    return oplus_map_filter(d, c->fn, c->keep, in, c->n, a[OUT], (size_t *)a[NOTE]);
}

/* out may have more room than is needed; what is behind the elements stays. */
static oplus_status repeat(const call *c, oplus_device *d, unsigned char *const a[])
{
    size_t total;
    return oplus_repeat(d, c->value, a[IN], c->segments, c->offset, a[MORE], a[OUT], c->n, &total);
}

oplus_status family_make(const call *c, oplus_device *d, unsigned char *const a[])
{
    switch (c->what) {
    case TAKE:
        return oplus_take(d, c->value, OPLUS_CLIP, a[IN], c->n, c->offset, a[MORE], c->segments, a[OUT]);
    case PUT:
        return oplus_put(d, c->value, OPLUS_CLIP, a[IN], c->offset, a[MORE], c->segments, a[OUT], c->n);
    case REPEAT:
        return repeat(c, d, a);
    case ARGSORT:
        return oplus_argsort(d, c->key, c->order, a[IN], c->n, c->offset, a[OUT]);
    case SEARCH:
        return oplus_search(d, c->key, c->order, a[IN], c->n, (oplus_bound)c->kind, a[MORE], c->segments, c->offset,
                            a[OUT]);
    case MERGE:
        return oplus_merge(d, c->key, c->order, a[IN], c->n, a[MORE], c->segments, a[OUT]);
    case ARGMIN:
        return (c->kind == OPLUS_INCLUSIVE ? oplus_argmin : oplus_argmax)(d, c->key, a[IN], c->n, (size_t *)a[OUT]);
    case MINMAX:
        return oplus_minmax(d, c->key, a[IN], c->n, a[OUT]);
    case PARTITION:
    case INDICES:
    case MASK:
        return select(c, d, a);
    case UNIQUE:
    case REDUCE_BY_KEY:
        return keyed(c, d, a);
    default:
        return fused(c, d, a);
    }
}

/* --- drawing ------------------------------------------------------------------------------------------------------ */

/* c->n elements, of which c->segments are moved; or so many are repeated. */
static void draw_moved(call *c, rng *r)
{
    const bool puts = c->what != TAKE;
    c->value = values[c->share % COUNT(values)];
    c->offset = offsets[c->share % COUNT(offsets)];
    c->n = call_draw_n(r, c->value->size, false) + 1;
    c->segments = call_draw_n(r, c->value->size, false);
    call_lay(c, IN, r, c->value->size, puts ? c->segments : c->n);
    call_lay(c, MORE, r, c->offset->size, c->segments);
    call_lay(c, OUT, r, c->value->size, puts ? c->n : c->segments);
}

static void draw_order(call *c, rng *r)
{
    const bool sorts = c->what == ARGSORT;
    c->key = sorts ? keys[c->share % COUNT(keys)] : ordered[c->share % COUNT(ordered)];
    c->offset = results[c->share % COUNT(results)];
    c->n = call_draw_n(r, 2 * sizeof(uint64_t), false);
    c->segments = sorts ? 0 : call_draw_n(r, 2 * sizeof(uint64_t), false);
    call_lay(c, IN, r, c->key->size, c->n);
    if (!sorts) call_lay(c, MORE, r, c->key->size, c->segments);
    call_lay(c, OUT, r, c->what == MERGE ? c->key->size : c->offset->size,
             sorts              ? c->n
             : c->what == MERGE ? c->n + c->segments
                                : c->segments);
}

static void draw_extreme(call *c, rng *r)
{
    c->key = keys[c->share % COUNT(keys)];
    c->n = call_draw_n(r, c->key->size, false) + 1;
    call_lay(c, IN, r, c->key->size, c->n);
    call_lay(c, OUT, r, c->what == ARGMIN ? sizeof(size_t) : c->key->size, c->what == ARGMIN ? 1 : 2);
}

static void draw_selection(call *c, rng *r)
{
    const call_function *const f = &call_predicates[c->share % CALL_PREDICATES];
    const bool masks = c->what == MASK;
    c->fn = masks ? NULL : f->fn;
    c->value = masks ? values[c->share % COUNT(values)] : f->fn->input[0];
    c->offset = results[c->share % COUNT(results)];
    c->from[0] = masks ? NULL : subject_named(f->from[0]);
    c->n = call_draw_n(r, c->value->size, false);
    call_lay(c, IN, r, c->value->size, c->n);
    if (masks) call_lay(c, MORE, r, 1, c->kind == (oplus_kind)OPLUS_MASK_BITS ? (c->n + 7) / 8 : c->n);
    if (c->what == PARTITION) call_lay(c, MORE, r, c->value->size, c->n);
    call_lay(c, OUT, r, c->what == INDICES ? c->offset->size : c->value->size, c->n + 1);
    call_lay(c, NOTE, r, sizeof(size_t), 1);
}

static void draw_keyed(call *c, rng *r)
{
    const subject *const s = subject_named(behind[c->share % CALL_FUNCTIONS].op);
    const bool reduces = c->what == REDUCE_BY_KEY;
    c->key = ordered[c->share % COUNT(ordered)];
    c->offset = results[c->share % COUNT(results)];
    c->op = reduces ? s->op : NULL;
    c->from[1] = reduces ? s : NULL;
    c->n = call_draw_n(r, 2 * sizeof(uint64_t), false);
    call_lay(c, IN, r, c->key->size, c->n);
    call_lay(c, MORE, r, reduces ? s->op->type->size : c->offset->size, c->n);
    call_lay(c, OUT, r, reduces ? s->op->type->size : c->key->size, c->n);
    call_lay(c, NOTE, r, sizeof(size_t), 1);
}

static void draw_fused(call *c, rng *r)
{
    const size_t which = c->share % CALL_FUNCTIONS;
    const call_function *const f = &call_functions[which];
    c->fn = f->fn;
    c->op = subject_named(behind[which].op)->op;
    c->keep = predicate_named(behind[which].keep);
    c->n = call_draw_n(r, 2 * sizeof(uint64_t), false) + 1;
    for (unsigned k = 0; k < c->fn->arity; k++) {
        c->from[k] = subject_named(f->from[k]);
        call_lay(c, k == 0 ? IN : MORE, r, c->fn->input[k]->size, c->n);
    }
    call_lay(c, OUT, r, c->fn->result->size, c->what == MAP_REDUCE ? 1 : c->n);
    if (c->what == MAP_FILTER) call_lay(c, NOTE, r, sizeof(size_t), 1);
}

void family_draw(call *c, rng *r)
{
    c->in_place = false;
    if (c->what <= REPEAT)
        draw_moved(c, r);
    else if (c->what <= MERGE)
        draw_order(c, r);
    else if (c->what <= MINMAX)
        draw_extreme(c, r);
    else if (c->what <= MASK)
        draw_selection(c, r);
    else if (c->what <= REDUCE_BY_KEY)
        draw_keyed(c, r);
    else
        draw_fused(c, r);
}

/* --- its inputs ---------------------------------------------------------------------------------------------------- */

/* Mostly in range; in order, in reverse order or anyhow. */
static void fill_indices(const call *c, rng *r, unsigned char *to)
{
    for (size_t k = 0; k < c->segments; k++) {
        uint64_t index = c->style < 3 ? k % c->n : c->style < 5 ? c->n - 1 - k % c->n : rng_below(r, c->n);
        if (rng_below(r, 9) == 0) index = rng_next(r);
        memcpy(to + k * c->offset->size, &index, c->offset->size); /* little endian */
    }
}

/* Of like counts, mostly zeros, or one large one; their sum is c->n at most. */
static void fill_counts(const call *c, rng *r, unsigned char *to)
{
    const size_t mean = c->n / (c->segments + 1) + 1, giant = rng_below(r, c->segments + 1);
    uint64_t left = c->n;
    for (size_t k = 0; k < c->segments; k++) {
        uint64_t count = c->style < 4   ? rng_below(r, 2 * mean)
                         : c->style < 8 ? (rng_below(r, 9) ? 0 : rng_below(r, 16 * mean))
                                        : (k == giant ? c->n : rng_below(r, 3));
        count = count < left ? count : left;
        left -= count;
        memcpy(to + k * c->offset->size, &count, c->offset->size); /* little endian */
    }
}

void call_fill_sorted(const call *c, rng *r, unsigned char *to, size_t n)
{
    const uint64_t gap = 1 + rng_below(r, 50), equal = 1 + rng_below(r, c->style < 3 ? 5000 : 4);
    const bool falls = c->order == OPLUS_DESCENDING;
    for (size_t i = 0; i < n; i++) {
        const uint64_t key = (falls ? n - 1 - i : i) / equal * gap;
        memcpy(to + i * c->key->size, &key, c->key->size); /* little endian */
    }
}

void family_fill(const call *c, rng *r, unsigned char *const to[])
{
    if (c->what == SEARCH || c->what == MERGE) {
        call_fill_sorted(c, r, to[IN], c->n);
        call_fill_sorted(c, r, to[MORE], c->segments); /* what is searched is in order, too */
    } else if (c->what == UNIQUE || c->what == REDUCE_BY_KEY) {
        call_fill_sorted(c, r, to[IN], c->n);
        if (c->from[1]) call_fill_by(c->from[1]->random, c->style, r, c->size[MORE], to[MORE], c->n);
    } else if (c->from[0]) {
        call_fill_by(c->from[0]->random, c->style, r, c->size[IN], to[IN], c->n);
        if (c->from[1]) call_fill_by(c->from[1]->random, c->style, r, c->size[MORE], to[MORE], c->n);
    } else {
        const bool keyed = c->what == ARGSORT || c->what == ARGMIN || c->what == MINMAX;
        call_fill_keys(r, keyed ? c->key : c->value, keyed ? c->style : KEY_KINDS, to[IN], c->elements[IN]);
    }
    if (c->what <= PUT) fill_indices(c, r, to[MORE]);
    if (c->what == REPEAT) fill_counts(c, r, to[MORE]);
    if (c->what == MASK)
        for (size_t i = 0; i < c->elements[MORE]; i++)
            to[MORE][i] = rng_below(r, c->style + 1) ? 0 : (unsigned char)rng_next(r);
}
