/* One case: arrays between guards, the call, the reference, the comparison. */
#define _GNU_SOURCE /* feenableexcept */
#include "random/differ.h"
#include "random/kinds.h"
#include "random/ranks.h"
#include "random/tree.h"

#include <fenv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

place places[MAX_PLACES];

static void *must(void *mem)
{
    if (mem) return mem;
    fprintf(stderr, "no memory\n");
    exit(1);
}

/* --- arrays between guards ---------------------------------------------------------------------------------------- */

enum { GUARD = 128, GUARD_BYTE = 0xa5 };

typedef struct array {
    const char *name;
    size_t lead, bytes, total;
    unsigned char *image;  /* content on the host */
    unsigned char *expect; /* what the image must become */
    void *there;           /* memory of the device; NULL: the image itself is used */
} array;

typedef struct run {
    const random_case *c;
    oplus_device *dev;
    finding *f;
    array array[MAX_ARRAYS];
    int arrays;
    rng r;
    bool failed;
} run;

static void say(run *t, const char *text)
{
    if (!t->failed) snprintf(t->f->text, sizeof t->f->text, "%s", text);
    t->failed = true;
}

/* n elements, which begin that many elements after a place aligned to 64. */
static array *open_array(run *t, const char *name, size_t size, size_t n)
{
    array *const a = &t->array[t->arrays];
    a->name = name;
    a->lead = GUARD + t->c->shift[t->arrays++] * size;
    a->bytes = n * size;
    a->total = (a->lead + a->bytes + GUARD + 63) / 64 * 64;
    a->image = must(aligned_alloc(64, a->total));
    a->expect = must(malloc(a->total));
    a->there = NULL;
    memset(a->image, GUARD_BYTE, a->total);
    return a;
}

static unsigned char *content(array *a) { return a->image + a->lead; }
static unsigned char *expected(array *a) { return a->expect + a->lead; }

/* Once all arrays have their content: what is expected begins as this content. */
static void settle(run *t)
{
    for (int i = 0; i < t->arrays; i++) {
        array *const a = &t->array[i];
        memcpy(a->expect, a->image, a->total);
        if (!t->c->on_device || !a->total) continue;
        if (oplus_alloc(t->dev, a->total, &a->there) != OPLUS_OK ||
            oplus_copy(t->dev, a->there, a->image, a->total) != OPLUS_OK)
            say(t, oplus_last_error());
    }
}

static void *given(array *a) { return (a->there ? (char *)a->there : (char *)a->image) + a->lead; }

static void close_arrays(run *t)
{
    for (int i = 0; i < t->arrays; i++) {
        array *const a = &t->array[i];
        if (a->there) oplus_free(t->dev, a->there);
        free(a->image);
        free(a->expect);
    }
}

/* --- the call ----------------------------------------------------------------------------------------------------- */

static fenv_t outside;

static void begin_call(const random_case *c)
{
    fegetenv(&outside);
    feclearexcept(FE_ALL_EXCEPT);
    if (c->traps) feenableexcept(FE_ALL_EXCEPT);
}

static void end_call(run *t, oplus_status status)
{
    fesetenv(&outside);
    if (status != OPLUS_OK) say(t, oplus_last_error());
}

#define CALL(t, call)                                                                                                  \
    do {                                                                                                               \
        if ((t)->failed) break;                                                                                        \
        begin_call((t)->c);                                                                                            \
        const oplus_status status_ = call;                                                                             \
        end_call(t, status_);                                                                                          \
    } while (0)

/* Makes the call over ranks, if the case has ranks.  Returns whether it has. */
static bool called_over_ranks(run *t, spread s)
{
    if (t->c->ranks == 0) return false;
    if (t->failed) return true;
    s.c = t->c;
    begin_call(t->c);
    const oplus_status status = call_over_ranks(&s);
    fesetenv(&outside);
    if (status != OPLUS_OK) say(t, s.error);
    return true;
}

/* --- the comparison ----------------------------------------------------------------------------------------------- */

/* The first n elements of out are results of that kind, whose padding does not count. */
static void compare(run *t, const array *out, const kind *k, size_t n)
{
    CALL(t, oplus_sync(t->dev));
    for (int i = 0; i < t->arrays && !t->failed; i++) {
        array *const a = &t->array[i];
        if (a->there && oplus_copy(t->dev, a->image, a->there, a->total) != OPLUS_OK) say(t, oplus_last_error());
        if (a == out) blank(k, content(a), n), blank(k, expected(a), n);
        if (memcmp(a->image, a->expect, a->total) == 0) continue;
        size_t at = 0;
        while (a->image[at] == a->expect[at]) at++;
        char text[256];
        snprintf(text, sizeof text, "%s: byte %td of %zu (element %td of %zu bytes) is %02x, not %02x", a->name,
                 (ptrdiff_t)(at - a->lead), a->bytes, (ptrdiff_t)(at - a->lead) / (ptrdiff_t)k->type->size,
                 k->type->size, a->image[at], a->expect[at]);
        say(t, text);
    }
}

/* --- primitives --------------------------------------------------------------------------------------------------- */

static const operation *op_of(const run *t) { return &operations[t->c->what]; }

static uint8_t *some_heads(run *t, array *a)
{
    for (size_t i = 0; i < t->c->n; i++)
        content(a)[i] = t->c->heads && rng_below(&t->r, t->c->heads) == 0 ? (uint8_t)(1 + rng_below(&t->r, 255)) : 0;
    return content(a);
}

/* P(0 .. n) of an array's content; init may be NULL. */
static unsigned char *prefixes(const operation *o, const void *x, const uint8_t *heads, const void *init, size_t n)
{
    const size_t size = o->of->type->size;
    unsigned char *const p = must(malloc((n + 1) * size));
    if (o->op->identity) memcpy(p, o->op->identity, size);
    tree_prefixes(o->combine, size, x, heads, init, n, p);
    return p;
}

static void run_reduce(run *t)
{
    const operation *const o = op_of(t);
    const size_t n = t->c->n, size = o->of->type->size;
    const bool fold = t->c->primitive == FOLD;
    const size_t results = t->c->ranks ? (size_t)t->c->ranks : 1;
    array *const in = open_array(t, "in", size, n), *const out = open_array(t, "out", size, results),
                 *const init = open_array(t, "init", size, 1);
    fill(o->of, &t->r, t->c->style, content(init), 1);
    fill(o->of, &t->r, t->c->style, content(in), n);
    settle(t);
    unsigned char *const p = prefixes(o, content(in), NULL, fold ? content(init) : NULL, n);
    for (size_t i = 0; i < results; i++) memcpy(expected(out) + i * size, p + n * size, size);
    canonical(o->of, expected(out), results);
    if (called_over_ranks(t, (spread){.in = given(in), .init = content(init), .out = given(out)}))
        ;
    else if (fold)
        CALL(t, oplus_fold(t->dev, o->op, content(init), given(in), n, given(out)));
    else
        CALL(t, oplus_reduce(t->dev, o->op, given(in), n, given(out)));
    compare(t, out, o->of, results);
    free(p);
}

static void run_scan(run *t)
{
    const operation *const o = op_of(t);
    const size_t n = t->c->n, size = o->of->type->size;
    const bool segmented = t->c->primitive == SEGSCAN, exclusive = t->c->kind == OPLUS_EXCLUSIVE;
    array *const in = open_array(t, "in", size, n), *const flags = open_array(t, "heads", 1, segmented ? n : 0),
                 *const out = t->c->in_place ? in : open_array(t, "out", size, n);
    fill(o->of, &t->r, t->c->style, content(in), n);
    const uint8_t *const heads = segmented ? some_heads(t, flags) : NULL;
    settle(t);
    unsigned char *const p = prefixes(o, content(in), heads, NULL, n);
    memcpy(expected(out), p + (exclusive ? 0 : size), n * size);
    for (size_t i = 0; exclusive && heads && i < n; i++)
        if (heads[i]) memcpy(expected(out) + i * size, o->op->identity, size);
    canonical(o->of, expected(out), n);
    if (called_over_ranks(t, (spread){.in = given(in), .heads = given(flags), .out = given(out)}))
        ;
    else if (segmented)
        CALL(t, oplus_segscan(t->dev, o->op, t->c->kind, given(in), given(flags), n, given(out)));
    else
        CALL(t, oplus_scan(t->dev, o->op, t->c->kind, given(in), n, given(out)));
    compare(t, out, o->of, n);
    free(p);
}

/* --- by key: runs of equal keys ------------------------------------------------------------------------------------ */

/* Few keys, so that some runs have a key that an earlier one had.  Marks where runs begin; begun[i] of them do before key i.
 * Returns how many there are. */
static size_t some_runs(run *t, array *keys, uint8_t *heads, size_t *begun)
{
    uint32_t key = 0, last = 0;
    size_t runs = 0;
    for (size_t i = 0; i < t->c->n; i++) {
        if (t->c->heads && rng_below(&t->r, t->c->heads) == 0) key = (uint32_t)rng_below(&t->r, 5) << 29;
        heads[i] = i == 0 || key != last;
        begun[i] = runs;
        runs += heads[i];
        last = key;
        memcpy(content(keys) + i * sizeof key, &key, sizeof key);
    }
    return begun[t->c->n] = runs;
}

/* The results of all runs, and their keys. */
static void expect_runs(const operation *o, array *keys, array *in, const uint8_t *heads, size_t n, array *out_keys,
                        array *out)
{
    const size_t size = o->of->type->size, key = oplus_u32.size;
    size_t run = 0;
    for (size_t begin = 0, end; begin < n; begin = end, run++) {
        for (end = begin + 1; end < n && !heads[end];) end++;
        unsigned char *const p = prefixes(o, content(in) + begin * size, NULL, NULL, end - begin);
        memcpy(expected(out) + run * size, p + (end - begin) * size, size);
        memcpy(expected(out_keys) + run * key, content(keys) + begin * key, key);
        free(p);
    }
    canonical(o->of, expected(out), run);
}

static void run_reduce_by_key(run *t)
{
    const operation *const o = op_of(t);
    const size_t n = t->c->n, size = o->of->type->size;
    array *const in = open_array(t, "in", size, n), *const keys = open_array(t, "keys", oplus_u32.size, n),
                 *const out = open_array(t, "out", size, n),
                 *const out_keys = open_array(t, "out_keys", oplus_u32.size, n);
    uint8_t *const heads = must(malloc(n + 1));
    size_t *const begun = must(malloc((n + 1) * sizeof *begun)), got = SIZE_MAX;
    fill(o->of, &t->r, t->c->style, content(in), n);
    const size_t runs = some_runs(t, keys, heads, begun);
    settle(t);
    expect_runs(o, keys, in, heads, n, out_keys, out);
    if (called_over_ranks(t, (spread){.in = given(in),
                                      .keys = given(keys),
                                      .out = given(out),
                                      .out_keys = given(out_keys),
                                      .begun = begun,
                                      .kept = runs}))
        got = runs;
    else
        CALL(t, oplus_reduce_by_key(t->dev, o->op, &oplus_u32, NULL, given(keys), given(in), n, given(out_keys),
                                    given(out), &got));
    if (!t->failed && got != runs) say(t, "another number of runs");
    compare(t, out, o->of, runs);
    free(heads);
    free(begun);
}

static void run_scan_by_key(run *t)
{
    const operation *const o = op_of(t);
    const size_t n = t->c->n, size = o->of->type->size;
    const bool exclusive = t->c->kind == OPLUS_EXCLUSIVE;
    array *const in = open_array(t, "in", size, n), *const keys = open_array(t, "keys", oplus_u32.size, n),
                 *const out = t->c->in_place ? in : open_array(t, "out", size, n);
    uint8_t *const heads = must(malloc(n + 1));
    size_t *const begun = must(malloc((n + 1) * sizeof *begun));
    fill(o->of, &t->r, t->c->style, content(in), n);
    some_runs(t, keys, heads, begun);
    settle(t);
    unsigned char *const p = prefixes(o, content(in), heads, NULL, n);
    memcpy(expected(out), p + (exclusive ? 0 : size), n * size);
    for (size_t i = 0; exclusive && i < n; i++)
        if (heads[i]) memcpy(expected(out) + i * size, o->op->identity, size);
    canonical(o->of, expected(out), n);
    if (!called_over_ranks(t, (spread){.in = given(in), .keys = given(keys), .out = given(out)}))
        CALL(t, oplus_scan_by_key(t->dev, o->op, t->c->kind, &oplus_u32, NULL, given(keys), given(in), n, given(out)));
    compare(t, out, o->of, n);
    free(p);
    free(heads);
    free(begun);
}

static const oplus_type *offset_type(const random_case *c)
{
    const oplus_type *const types[] = {&oplus_u32, &oplus_u64, &oplus_i32, &oplus_i64};
    return types[c->offset];
}

/* Makes offsets in order; without an identity no segment is empty. */
static void some_offsets(run *t, size_t *offset, size_t segments, bool filled)
{
    const size_t n = t->c->n;
    for (size_t s = 0; s <= segments; s++) offset[s] = rng_below(&t->r, n + 1);
    for (size_t s = 1; s <= segments; s++) /* insertion sort: few offsets are far from their place, or there are few */
        for (size_t k = s; k > 0 && offset[k - 1] > offset[k]; k--) {
            const size_t swap = offset[k];
            offset[k] = offset[k - 1];
            offset[k - 1] = swap;
        }
    for (size_t s = 0; filled && s <= segments; s++) offset[s] = s * n / segments; /* segments <= n */
}

static void run_segreduce(run *t)
{
    const operation *const o = op_of(t);
    const size_t n = t->c->n, size = o->of->type->size, width = offset_type(t->c)->size;
    const bool filled = !o->op->identity;
    const size_t segments = filled && t->c->segments > n ? n : t->c->segments;
    array *const in = open_array(t, "in", size, n), *const out = open_array(t, "out", size, segments),
                 *const offsets = open_array(t, "offsets", width, segments + 1);
    size_t *const offset = must(calloc(segments + 1, sizeof *offset));
    fill(o->of, &t->r, t->c->style, content(in), n);
    some_offsets(t, offset, segments, filled && segments > 0);
    for (size_t s = 0; s <= segments; s++) memcpy(content(offsets) + s * width, &offset[s], width); /* little-endian */
    settle(t);
    for (size_t s = 0; s < segments; s++) {
        const size_t length = offset[s + 1] - offset[s];
        unsigned char *const p = prefixes(o, content(in) + offset[s] * size, NULL, NULL, length);
        memcpy(expected(out) + s * size, p + length * size, size);
        free(p);
    }
    canonical(o->of, expected(out), segments);
    CALL(t, oplus_segreduce(t->dev, o->op, given(in), n, offset_type(t->c), given(offsets), segments, given(out)));
    compare(t, out, o->of, segments);
    free(offset);
}

/* Cuts a stream into parts; each is added, scanned, or summarised by itself and joined. */
static void run_carry(run *t)
{
    const operation *const o = op_of(t);
    const size_t n = t->c->n, size = o->of->type->size;
    const bool exclusive = t->c->kind == OPLUS_EXCLUSIVE, begins = t->c->heads != 0;
    array *const in = open_array(t, "in", size, n), *const out = t->c->in_place ? in : open_array(t, "out", size, n),
                 *const value = open_array(t, "value", size, 1);
    unsigned char *const init = must(malloc(size));
    oplus_carry *carry = NULL, *part = NULL;
    fill(o->of, &t->r, t->c->style, content(in), n);
    fill(o->of, &t->r, t->c->style, init, 1);
    settle(t);
    unsigned char *const p = prefixes(o, content(in), NULL, begins ? init : NULL, n);
    CALL(t, oplus_carry_open(o->op, 0, &carry));
    if (begins) CALL(t, oplus_carry_init(carry, init));
    for (size_t at = 0; at < n;) {
        const size_t rest = n - at, some = t->c->cuts ? 1 + rng_below(&t->r, 2 * n / (size_t)t->c->cuts + 1) : rest,
                     m = some < rest ? some : rest;
        char *const x = (char *)given(in) + at * size, *const y = (char *)given(out) + at * size;
        switch (rng_below(&t->r, 3)) {
        case 0:
            CALL(t, oplus_carry_add(t->dev, carry, x, m));
            break;
        case 1:
            CALL(t, oplus_carry_open(o->op, at, &part));
            CALL(t, oplus_carry_add(t->dev, part, x, m));
            CALL(t, oplus_carry_join(carry, part));
            oplus_carry_close(part);
            part = NULL;
            break;
        default:
            if (exclusive && at == 0 && !begins && !o->op->identity) {
                CALL(t, oplus_carry_add(t->dev, carry, x, m));
                break;
            }
            CALL(t, oplus_scan_from(t->dev, carry, t->c->kind, x, m, y));
            memcpy(expected(out) + at * size, p + (exclusive ? at : at + 1) * size, m * size);
            canonical(o->of, expected(out) + at * size, m);
        }
        at += m;
    }
    if (n > 0 || begins || o->op->identity) {
        /* The value goes to host memory: the call has no device. */
        unsigned char *const got = must(malloc(size)), *const wanted = p + n * size;
        CALL(t, oplus_carry_value(carry, got));
        canonical(o->of, wanted, 1);
        blank(o->of, wanted, 1);
        blank(o->of, got, 1);
        if (!t->failed && memcmp(got, wanted, size) != 0) say(t, "the carry's value is another");
        free(got);
    }
    (void)value;
    oplus_carry_close(carry);
    compare(t, out, o->of, n);
    free(p);
    free(init);
}

static void run_map(run *t)
{
    const function *const f = &functions[t->c->what];
    const size_t n = t->c->n, size = f->result->type->size;
    const void *in[3], *from[3];
    array *input[3], *out = NULL;
    for (unsigned k = 0; k < f->fn->arity; k++) {
        input[k] = open_array(t, "in", f->input[k]->type->size, n);
        fill(f->input[k], &t->r, t->c->style, content(input[k]), n);
        if (t->c->in_place && f->input[k] == f->result) out = input[k];
    }
    if (!out) out = open_array(t, "out", size, n);
    settle(t);
    for (size_t i = 0; i < n; i++) {
        unsigned char one[sizeof(double) * 128] __attribute__((aligned(64)));
        for (unsigned k = 0; k < f->fn->arity; k++) from[k] = content(input[k]) + i * f->input[k]->type->size;
        f->one(one, from);
        memcpy(expected(out) + i * size, one, size);
    }
    canonical(f->result, expected(out), n);
    for (unsigned k = 0; k < f->fn->arity; k++) in[k] = given(input[k]);
    CALL(t, oplus_map(t->dev, f->fn, in, n, given(out)));
    compare(t, out, f->result, n);
}

static void run_filter(run *t)
{
    const function *const f = &predicates[t->c->what];
    const kind *const k = f->input[0];
    const size_t n = t->c->n, size = k->type->size;
    array *const in = open_array(t, "in", size, n), *const out = t->c->in_place ? in : open_array(t, "out", size, n);
    size_t kept = 0, got = SIZE_MAX;
    fill(k, &t->r, t->c->style, content(in), n);
    settle(t);
    for (size_t i = 0; i < n; i++) {
        uint8_t picked;
        f->one(&picked, (const void *[]){content(in) + i * size});
        if (picked) memcpy(expected(out) + kept++ * size, content(in) + i * size, size);
    }
    if (called_over_ranks(t, (spread){.in = given(in), .out = given(out), .kept = kept}))
        got = kept;
    else
        CALL(t, oplus_filter(t->dev, f->fn, given(in), n, given(out), &got));
    if (!t->failed && got != kept) {
        char text[80];
        snprintf(text, sizeof text, "kept is %zu, not %zu", got, kept);
        say(t, text);
    }
    compare(t, out, k, kept);
}

/* --- fused: a function before, and perhaps one after --------------------------------------------------------------- */

/* Applies a function to n elements. */
static unsigned char *applied(const function *f, const unsigned char *const *x, size_t n)
{
    const size_t size = f->result->type->size;
    unsigned char *const results = must(calloc(n + 1, size)), *const one = must(malloc(1024));
    const void *from[3];
    for (size_t i = 0; i < n; i++) {
        for (unsigned k = 0; k < f->fn->arity; k++) from[k] = x[k] + i * f->input[k]->type->size;
        f->one(one, from);
        memcpy(results + i * size, one, size);
    }
    canonical(f->result, results, n);
    free(one);
    return results;
}

/* Computes what is expected of a fused reduce or scan.  Returns the number of results, which are of that kind. */
static size_t expect_combined(const run *t, const operation *o, const function *after, const unsigned char *made,
                              array *out)
{
    const size_t n = t->c->n, size = o->of->type->size;
    unsigned char *const p = prefixes(o, made, NULL, NULL, n);
    const bool scan = t->c->primitive == MAP_SCAN;
    unsigned char *from = p + (!scan ? n : t->c->kind == OPLUS_EXCLUSIVE ? 0 : 1) * size;
    const size_t results = scan ? n : 1;
    canonical(o->of, from, results);
    if (after) {
        unsigned char *const last = applied(after, (const unsigned char *const[]){from}, results);
        memcpy(expected(out), last, results * after->result->type->size);
        free(last);
    } else {
        memcpy(expected(out), from, results * size);
    }
    free(p);
    return results;
}

static size_t expect_kept(const function *keep, const unsigned char *made, size_t n, array *out)
{
    const size_t size = keep->input[0]->type->size;
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        uint8_t picked;
        keep->one(&picked, (const void *[]){made + i * size});
        if (picked) memcpy(expected(out) + kept++ * size, made + i * size, size);
    }
    return kept;
}

static void run_fused(run *t)
{
    const random_case *const c = t->c;
    const function *const f = &functions[c->what], *const keep = predicate_after(f),
                          *const after = c->primitive == MAP_SCAN && c->after ? function_after(f->result) : NULL;
    const operation *const o = operation_after(f, c->value, places[c->place].accelerator);
    const kind *const k = after ? after->result : f->result;
    const void *in[3];
    const unsigned char *from[3];
    array *input[3], *out = NULL;
    for (unsigned i = 0; i < f->fn->arity; i++) {
        input[i] = open_array(t, "in", f->input[i]->type->size, c->n);
        fill(f->input[i], &t->r, c->style, content(input[i]), c->n);
        from[i] = content(input[i]);
        if (c->in_place && c->primitive != MAP_REDUCE && f->input[i]->type->size == k->type->size) out = input[i];
    }
    if (!out) out = open_array(t, "out", k->type->size, c->primitive == MAP_REDUCE ? 1 : c->n);
    settle(t);
    unsigned char *const made = applied(f, from, c->n);
    for (unsigned i = 0; i < f->fn->arity; i++) in[i] = given(input[i]);
    size_t results, got;
    if (c->primitive == MAP_FILTER) {
        results = expect_kept(keep, made, c->n, out);
        CALL(t, oplus_map_filter(t->dev, f->fn, keep->fn, in, c->n, given(out), &got));
        if (!t->failed && got != results) say(t, "another number of elements is kept");
    } else {
        results = expect_combined(t, o, after, made, out);
        if (c->primitive == MAP_REDUCE)
            CALL(t, oplus_map_reduce(t->dev, f->fn, o->op, in, c->n, given(out)));
        else
            CALL(t, oplus_map_scan(t->dev, f->fn, o->op, c->kind, after ? after->fn : NULL, in, c->n, given(out)));
    }
    compare(t, out, k, results);
    free(made);
}

/* --- sorting: keys as unsigned numbers in their order; equal keys keep their order -------------------------------- */

typedef struct item {
    uint64_t key;
    size_t at;
} item;

static int by_key(const void *x, const void *y)
{
    const item *const a = x, *const b = y;
    if (a->key != b->key) return a->key < b->key ? -1 : 1;
    return a->at < b->at ? -1 : 1;
}

static uint64_t in_order(const kind *k, const void *key, oplus_order order)
{
    const size_t bits = 8 * k->type->size;
    const uint64_t all = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1, sign = UINT64_C(1) << (bits - 1);
    const oplus_scalar scalar = k->type->scalar;
    uint64_t x = 0;
    memcpy(&x, key, k->type->size);
    if (scalar == OPLUS_F32 || scalar == OPLUS_F64)
        x = x & sign ? ~x & all : x | sign;
    else if (scalar <= OPLUS_I64)
        x ^= sign;
    return order == OPLUS_DESCENDING ? all - x : x;
}

static void run_sort(run *t)
{
    const kind *const k = &kinds[t->c->what], *const v = &kinds[t->c->value];
    const bool pairs = t->c->primitive == SORT_PAIRS;
    const size_t n = t->c->n, size = k->type->size, value = v->type->size;
    array *const keys = open_array(t, "keys", size, n), *const values = open_array(t, "values", value, pairs ? n : 0);
    item *const items = must(malloc((n + 1) * sizeof *items));
    fill(k, &t->r, t->c->style, content(keys), n);
    if (pairs) fill(v, &t->r, 1, content(values), n);
    settle(t);
    for (size_t i = 0; i < n; i++) items[i] = (item){in_order(k, content(keys) + i * size, t->c->order), i};
    qsort(items, n, sizeof *items, by_key);
    for (size_t i = 0; i < n; i++) {
        memcpy(expected(keys) + i * size, content(keys) + items[i].at * size, size);
        if (pairs) memcpy(expected(values) + i * value, content(values) + items[i].at * value, value);
    }
    if (called_over_ranks(t, (spread){.out = given(keys), .values = given(values)}))
        ;
    else if (pairs)
        CALL(t, oplus_sort_pairs(t->dev, k->type, t->c->order, given(keys), v->type, given(values), n));
    else
        CALL(t, oplus_sort(t->dev, k->type, t->c->order, given(keys), n));
    compare(t, NULL, k, n);
    free(items);
}

static void run_transpose(run *t)
{
    const kind *const k = &kinds[t->c->what];
    const size_t rows = t->c->rows, cols = t->c->n / rows, n = rows * cols, size = k->type->size;
    const bool can = rows == cols || rows == 1 || cols == 1;
    array *const in = open_array(t, "in", size, n), *const out =
                                                        t->c->in_place && can ? in : open_array(t, "out", size, n);
    fill(k, &t->r, t->c->style, content(in), n);
    settle(t);
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < cols; j++)
            memcpy(expected(out) + (j * rows + i) * size, content(in) + (i * cols + j) * size, size);
    if (!called_over_ranks(t, (spread){.in = given(in), .out = given(out)}))
        CALL(t, oplus_transpose(t->dev, k->type, given(in), rows, cols, given(out)));
    compare(t, NULL, k, n);
}

bool case_holds(const random_case *c, finding *f)
{
    static void (*const runs[PRIMITIVES])(run *) = {
        [REDUCE] = run_reduce,
        [FOLD] = run_reduce,
        [SCAN] = run_scan,
        [SEGSCAN] = run_scan,
        [MAP] = run_map,
        [FILTER] = run_filter,
        [SORT] = run_sort,
        [SORT_PAIRS] = run_sort,
        [CARRY] = run_carry,
        [SEGREDUCE] = run_segreduce,
        [TRANSPOSE] = run_transpose,
        [MAP_REDUCE] = run_fused,
        [MAP_SCAN] = run_fused,
        [MAP_FILTER] = run_fused,
        [REDUCE_BY_KEY] = run_reduce_by_key,
        [SCAN_BY_KEY] = run_scan_by_key,
    };
    run t = {.c = c, .dev = places[c->place].dev, .f = f, .r = {c->seed ^ 0x5eed}};
    runs[c->primitive](&t);
    close_arrays(&t);
    return !t.failed;
}
