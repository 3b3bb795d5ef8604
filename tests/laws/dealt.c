/* Tasks that are dealt out to several accelerators (gpu/deal.h): scans, segmented or not, filters, reduces, segmented reduces,
 * indices, runs, transposes, maps and merges have the bits of one core, for pages of any size, wherever they begin, and nothing
 * outside of the output is touched.
 *
 * One GPU is enough: it is opened two or three times, and each of the accelerators has a part of its multiprocessors.  It
 * ends with 77 where no device can do this.
 *
 *     OPLUS_TEST_CALLS=n     so many random calls of each kind */
#include "laws/dealing.h"

#include "task/make.h"

OPLUS_ZIP(weighted, uint32_t, uint32_t, uint8_t, { return a * 3 + b; })
OPLUS_MAP(halves, uint16_t, uint32_t, { return (uint16_t)(a >> 16); })

/* --- scans ---------------------------------------------------------------------------------------------------------- */

static call draw_call(rng *r)
{
    call c = draw(r, rng_below(r, 3) ? subject_named(names[rng_below(r, NAMES)]) : &structs[rng_below(r, STRUCTS)]);
    fill(c.s, r, c.n);
    for (size_t k = 0; k < c.n; k++) heads[k] = 0;
    for (size_t k = 0; c.heads > 0 && k < c.n; k += 1 + rng_below(r, 2 * c.heads)) heads[k] = (uint8_t)(k | 1);
    return c;
}

static void any_scan(void **state)
{
    rng r = test_rng("dealt scans");
    (void)state;
    for (long i = calls(); i > 0; i--) {
        const call c = draw_call(&r);
        const size_t size = c.s->op->type->size, bytes = c.n * size;
        const size_t before = GUARD + (c.in_place ? c.skew_in : c.skew_out) * size, room = before + bytes + GUARD;
        opi_task task;
        must_be_ok(scan(serial, &c, x, heads, expected), "the core");
        unsigned char *const in = bring(x, c.skew_in * size, bytes), *const flags = bring(heads, c.skew_heads, c.n);
        unsigned char *const out = bring_output(room);
        if (c.in_place) must_be_ok(oplus_copy(dev, out + before, x, bytes), "copy");
        opi_task_scan(&task, c.s->op, c.kind, c.in_place ? out + before : in + c.skew_in * size,
                      c.heads > 0 ? flags + c.skew_heads : NULL, c.n, 0, out + before);
        deal_out(&r, &task, c.s->name);
        must_be_ok(oplus_copy(dev, got, out, room), "copy");
        compare(&c, bytes, before);
        oplus_free(dev, in);
        oplus_free(dev, flags);
        oplus_free(dev, out);
    }
}

/* --- reduces -------------------------------------------------------------------------------------------------------- */

static void any_reduce(void **state)
{
    rng r = test_rng("dealt reduces");
    (void)state;
    for (long i = calls(); i > 0; i--) {
        const call c = draw_call(&r);
        const size_t size = c.s->op->type->size, skew = c.skew_in * size;
        const bool here = rng_below(&r, 2);
        opi_task task;
        must_be_ok(oplus_reduce(serial, c.s->op, x, c.n, expected), "the core");
        unsigned char *const in = bring(x, skew, c.n * size), *const there = bring_output(size);
        opi_task_reduce(&task, c.s->op, in + skew, NULL, c.n, 0, here ? (void *)got : (void *)there);
        deal_out(&r, &task, c.s->name);
        if (!here) must_be_ok(oplus_copy(dev, got, there, size), "copy");
        if (memcmp(got, expected, size) != 0) differs(&c, 0);
        oplus_free(dev, in);
        oplus_free(dev, there);
    }
}

/* --- filters -------------------------------------------------------------------------------------------------------- */

static void any_filter(void **state)
{
    rng r = test_rng("dealt filters");
    (void)state;
    for (long i = calls(); i > 0; i--) {
        const oplus_fn keep = draw_predicate(&r);
        const size_t size = keep.input[0]->size, n = 1 + rng_below(&r, draw_tiles(&r) * TILE_BYTES / size);
        const size_t skew = rng_below(&r, MOST_SKEW) * size, before = GUARD + rng_below(&r, MOST_SKEW) * size;
        const bool here = rng_below(&r, 2), in_place = rng_below(&r, 4) == 0;
        size_t kept, kept_there;
        opi_task task;
        fill(subject_named("hash4"), &r, n * size / 4 + 1);
        must_be_ok(oplus_filter(serial, &keep, x, n, expected, &kept), "the core");
        unsigned char *const in = bring(x, skew, n * size), *const out = bring_output(before + n * size + GUARD);
        unsigned char *const count = bring_output(sizeof kept);
        if (in_place) must_be_ok(oplus_copy(dev, out + before, x, n * size), "copy");
        opi_task_filter(&task, &keep, in_place ? out + before : in + skew, n, out + before,
                        here ? &kept_there : (size_t *)(void *)count);
        deal_out(&r, &task, keep.name);
        if (!here) must_be_ok(oplus_copy(dev, &kept_there, count, sizeof kept), "copy");
        must_be_ok(oplus_copy(dev, got, out, before + n * size + GUARD), "copy");
        if (kept != kept_there || memcmp(got + before, expected, kept * size) != 0)
            fail_msg("%s of %zu: %zu are kept, not %zu, or others; OPLUS_TEST_SEED=%llu", keep.name, n, kept_there,
                     kept, (unsigned long long)test_seed());
        for (size_t k = 0; k < before + n * size + GUARD; k++)
            if ((k < before || k >= before + (in_place ? n : kept) * size) && got[k] != 0xa5)
                fail_msg("%s of %zu has written outside, at byte %zu", keep.name, n, k);
        oplus_free(dev, in);
        oplus_free(dev, out);
        oplus_free(dev, count);
    }
}

/* --- segmented reduces ---------------------------------------------------------------------------------------------- */

/* Mostly of one kind; some of them long, some empty if that is allowed. */
static size_t draw_length(rng *r, size_t usual, bool may_be_empty)
{
    const size_t dice = rng_below(r, 100);
    if (dice == 0) return 1 + rng_below(r, 200000);
    if (dice < 10) return may_be_empty ? 0 : 1;
    return 1 + rng_below(r, usual);
}

/* Offsets of up to n elements; returns how many segments they have.  The first elements and the last ones may be nobody's. */
static size_t draw_offsets(rng *r, size_t n, bool may_be_empty, uint64_t *offsets)
{
    const size_t usual = (size_t)1 << rng_below(r, 18);
    size_t at = rng_below(r, 3) ? 0 : rng_below(r, opi_smaller(n, 1000)), segments = 0;
    offsets[0] = at;
    while (at < n) {
        const size_t length = draw_length(r, usual, may_be_empty);
        if (length > n - at) break;
        offsets[++segments] = at += length;
    }
    if (segments == 0) offsets[++segments] = n;
    return segments;
}

static void try_segments(rng *r, const oplus_op *op, size_t n, uint64_t *offsets)
{
    const size_t size = op->type->size, skew = rng_below(r, MOST_SKEW) * size, bytes = rng_below(r, 2) ? 4 : 8;
    const size_t segments = draw_offsets(r, n, op->identity != NULL, offsets), before = GUARD + skew;
    const oplus_type *const type = bytes == 4 ? &oplus_u32 : &oplus_u64;
    opi_task task;
    if (bytes == 4)
        for (size_t s = 0; s <= segments; s++) ((uint32_t *)(void *)offsets)[s] = (uint32_t)offsets[s];
    must_be_ok(oplus_segreduce(serial, op, x, n, type, offsets, segments, expected), "the core");
    unsigned char *const in = bring(x, skew, n * size), *const there = bring(offsets, 8, (segments + 1) * bytes);
    unsigned char *const out = bring_output(before + segments * size + GUARD);
    const opi_offsets list = {there + 8, segments, bytes, n};
    opi_task_segreduce(&task, op, in + skew, n, type, &list, out + before);
    deal_out(r, &task, "segreduce");
    same_bytes(out, expected, before, segments * size, "a segmented reduce");
    oplus_free(dev, in);
    oplus_free(dev, there);
    oplus_free(dev, out);
}

static void any_segreduce(void **state)
{
    rng r = test_rng("dealt segmented reduces");
    uint64_t *const offsets = must(malloc((MOST_BYTES + 2) * sizeof *offsets));
    (void)state;
    for (long i = calls(); i > 0; i--) {
        const subject *const s = subject_named(names[rng_below(&r, NAMES)]);
        const size_t size = s->op->type->size, n = 1 + rng_below(&r, draw_tiles(&r) * TILE_BYTES / size / 2);
        fill(s, &r, n);
        try_segments(&r, s->op, n, offsets);
    }
    free(offsets);
}

/* --- indices and runs ----------------------------------------------------------------------------------------------- */

/* x[0 .. n) becomes runs of equal elements. */
static void fill_runs(rng *r, size_t n, size_t size)
{
    const size_t usual = (size_t)1 << rng_below(r, 22);
    for (size_t i = 0; i < n;) {
        const uint64_t key = rng_next(r);
        for (size_t left = 1 + rng_below(r, usual); left > 0 && i < n; left--, i++) memcpy(x + i * size, &key, size);
    }
}

typedef struct runs {
    unsigned char *out, *firsts, *counts; /* NULL: not wanted */
} runs;

static void try_runs(rng *r, const oplus_type *key, size_t n, size_t bytes, const runs *wanted)
{
    const size_t skew = rng_below(r, MOST_SKEW) * key->size, room = GUARD + n * 8 + GUARD;
    const oplus_type *const index = bytes == 4 ? &oplus_u32 : &oplus_u64;
    unsigned char *firsts = must(malloc(n * bytes)), *counts = must(malloc(n * bytes));
    size_t found, found_there;
    opi_task task;
    fill_runs(r, n, key->size);
    must_be_ok(oplus_unique(serial, key, NULL, x, n, expected, index, counts, firsts, NULL, &found), "the core");
    unsigned char *const in = bring(x, skew, n * key->size);
    unsigned char *const out = bring_output(room), *const at = bring_output(room), *const lengths = bring_output(room);
    opi_task_select(&task, OPI_PICKS_HEADS, NULL, key, in + skew, NULL, n,
                    &(opi_selected){.picked = wanted->out ? out + GUARD : NULL,
                                    .index = wanted->firsts ? at + GUARD : NULL,
                                    .count = wanted->counts ? lengths + GUARD : NULL,
                                    .index_bytes = bytes},
                    &found_there);
    deal_out(r, &task, "runs");
    if (found != found_there) fail_msg("%zu runs of %zu, not %zu", found_there, n, found);
    if (wanted->out) same_bytes(out, expected, GUARD, found * key->size, "keys of runs");
    if (wanted->firsts) same_bytes(at, firsts, GUARD, found * bytes, "beginnings of runs");
    if (wanted->counts) same_bytes(lengths, counts, GUARD, found * bytes, "lengths of runs");
    unsigned char *const mem[] = {in, out, at, lengths};
    for (size_t k = 0; k < 4; k++) oplus_free(dev, mem[k]);
    free(firsts);
    free(counts);
}

static void any_runs(void **state)
{
    static const oplus_type *const keys[] = {&oplus_u32, &oplus_u64, &oplus_u8, &oplus_i16, &oplus_f32};
    rng r = test_rng("dealt runs");
    (void)state;
    for (long i = calls(); i > 0; i--) {
        const oplus_type *const key = keys[rng_below(&r, sizeof keys / sizeof *keys)];
        const size_t n = 1 + rng_below(&r, draw_tiles(&r) * TILE_BYTES / 8), which = 1 + rng_below(&r, 7);
        const runs wanted = {which & 1 ? x : NULL, which & 2 ? x : NULL, which & 4 ? x : NULL};
        try_runs(&r, key, n, rng_below(&r, 2) ? 4 : 8, &wanted);
    }
}

static void any_indices(void **state)
{
    rng r = test_rng("dealt indices");
    (void)state;
    for (long i = calls(); i > 0; i--) {
        const oplus_fn keep = draw_predicate(&r);
        const size_t size = keep.input[0]->size, n = 1 + rng_below(&r, draw_tiles(&r) * TILE_BYTES / size / 8);
        const size_t skew = rng_below(&r, MOST_SKEW) * size, bytes = rng_below(&r, 2) ? 4 : 8;
        size_t kept, kept_there;
        opi_task task;
        fill(subject_named("hash4"), &r, n * size / 4 + 1);
        must_be_ok(oplus_indices(serial, &keep, x, n, bytes == 4 ? &oplus_u32 : &oplus_u64, expected, &kept),
                   "the core");
        unsigned char *const in = bring(x, skew, n * size), *const out = bring_output(GUARD + n * bytes + GUARD);
        opi_task_select(&task, OPI_PICKS_KEPT, &keep, keep.input[0], in + skew, NULL, n,
                        &(opi_selected){.index = out + GUARD, .index_bytes = bytes}, &kept_there);
        deal_out(&r, &task, keep.name);
        if (kept != kept_there) fail_msg("%zu of %zu are kept, not %zu", kept_there, n, kept);
        same_bytes(out, expected, GUARD, kept * bytes, "indices");
        oplus_free(dev, in);
        oplus_free(dev, out);
    }
}

/* --- maps ----------------------------------------------------------------------------------------------------------- */

static void any_map(void **state)
{
    rng r = test_rng("dealt maps");
    (void)state;
    for (long i = calls(); i > 0; i--) {
        const oplus_fn *const fn = rng_below(&r, 2) ? &weighted_fn : &halves_fn;
        const size_t n = 1 + rng_below(&r, draw_tiles(&r) * TILE_BYTES / 4), size = fn->result->size;
        const size_t skew = rng_below(&r, MOST_SKEW) * 4, skew_b = rng_below(&r, MOST_SKEW);
        const size_t before = GUARD + rng_below(&r, MOST_SKEW) * size, room = before + n * size + GUARD;
        opi_task task;
        fill(subject_named("hash4"), &r, n);
        must_be_ok(oplus_map(serial, fn, (const void *[]){x, x}, n, expected), "the core");
        unsigned char *const in = bring(x, skew, 4 * n), *const b = bring(x, skew_b, n),
                             *const out = bring_output(room);
        opi_task_map(&task, fn, (const void *[]){in + skew, b + skew_b}, n, out + before);
        deal_out(&r, &task, fn->name);
        must_be_ok(oplus_copy(dev, got, out, room), "copy");
        const call c = {.s = subject_named("hash4"), .n = n};
        compare(&c, n * size, before);
        oplus_free(dev, in);
        oplus_free(dev, b);
        oplus_free(dev, out);
    }
}

/* --- merges --------------------------------------------------------------------------------------------------------- */

static const oplus_type *const keys_of[] = {&oplus_u32, &oplus_u64, &oplus_i16, &oplus_f32, &oplus_f64, &oplus_u8};
enum { KEYS = sizeof keys_of / sizeof *keys_of };

typedef struct merge {
    const oplus_type *key, *value; /* value NULL: keys alone */
    oplus_order order;
    size_t a_n, b_n, skew, skew_values;
} merge;

/* Keys to x, a behind b; values are numbers, so that it is seen which of equal keys comes first. */
static void fill_merge(const merge *m, rng *r)
{
    const size_t n = m->a_n + m->b_n, size = m->key->size, few = rng_below(r, 3) ? SIZE_MAX : 1 + rng_below(r, 300);
    for (size_t i = 0; i < n; i++) {
        const uint64_t key = few == SIZE_MAX ? rng_next(r) : rng_below(r, few);
        memcpy(x + i * size, &key, size); /* little endian */
    }
    for (size_t i = 0; i < n; i++) memcpy(heads + i * sizeof(uint32_t), &(uint32_t){(uint32_t)i}, sizeof(uint32_t));
    must_be_ok(oplus_sort(serial, m->key, m->order, x, m->a_n), "sort");
    must_be_ok(oplus_sort(serial, m->key, m->order, x + m->a_n * size, m->b_n), "sort");
}

static void try_merge(const merge *m, rng *r)
{
    const size_t n = m->a_n + m->b_n, size = m->key->size, before = GUARD + m->skew * size;
    const size_t before_values = GUARD + m->skew_values * sizeof(uint32_t);
    unsigned char *const keys = bring(x, m->skew * size, n * size), *const a = keys + m->skew * size;
    unsigned char *const values = bring(heads, 0, n * sizeof(uint32_t)), *const b_values = values + m->a_n * 4;
    unsigned char *const out = bring_output(before + n * size + GUARD);
    unsigned char *const out_values = bring_output(before_values + n * 4 + GUARD);
    opi_task task;
    opi_task_merge(&task, m->key, m->order, NULL, a, m->a_n, a + m->a_n * size, m->b_n, out + before);
    if (m->value) opi_task_merge_values(&task, m->value, values, b_values, out_values + before_values);
    deal_out(r, &task, m->key->name);
    unsigned char *const sorted_values = must(malloc(4 * n + 1));
    must_be_ok(oplus_merge_pairs(serial, m->key, m->order, x, x + m->a_n * size, expected, &oplus_u32, heads,
                                 heads + m->a_n * 4, sorted_values, m->a_n, m->b_n),
               "the core");
    same_bytes(out, expected, before, n * size, "a merge");
    if (m->value) same_bytes(out_values, sorted_values, before_values, 4 * n, "values of a merge");
    free(sorted_values);
    oplus_free(dev, keys);
    oplus_free(dev, values);
    oplus_free(dev, out);
    oplus_free(dev, out_values);
}

static void any_merge(void **state)
{
    rng r = test_rng("dealt merges");
    (void)state;
    for (long i = calls(); i > 0; i--) {
        merge m = {.key = keys_of[rng_below(&r, KEYS)]};
        const size_t n = 1 + rng_below(&r, draw_tiles(&r) * TILE_BYTES / 8);
        m.value = rng_below(&r, 2) ? &oplus_u32 : NULL;
        m.order = rng_below(&r, 2) ? OPLUS_DESCENDING : OPLUS_ASCENDING;
        m.a_n = rng_below(&r, 8) ? rng_below(&r, n + 1) : n * rng_below(&r, 2);
        m.b_n = n - m.a_n;
        m.skew = rng_below(&r, MOST_SKEW);
        m.skew_values = rng_below(&r, MOST_SKEW);
        fill_merge(&m, &r);
        try_merge(&m, &r);
    }
}

OPLUS_ZIP_WITH(before_by, uint8_t, mixed12, mixed12, uint32_t, { return a.count % p < b.count % p; })

/* In the order of a function, of elements whose size does not divide a page. */
static void any_merge_by(void **state)
{
    rng r = test_rng("dealt merges by a function");
    const size_t size = sizeof(mixed12);
    (void)state;
    for (long i = calls(); i > 0; i--) {
        const size_t n = 1 + rng_below(&r, draw_tiles(&r) * TILE_BYTES / 24), a_n = rng_below(&r, n + 1);
        const size_t skew = rng_below(&r, MOST_SKEW) * size, before = GUARD + rng_below(&r, MOST_SKEW) * size;
        const uint32_t modulus = (uint32_t)(1 + rng_below(&r, 1000));
        const oplus_fn less = oplus_with(&before_by_fn, &modulus);
        opi_task task;
        fill(subject_named("hash4"), &r, n * size / 4);
        must_be_ok(oplus_sort_by(serial, &less, x, a_n), "sort");
        must_be_ok(oplus_sort_by(serial, &less, x + a_n * size, n - a_n), "sort");
        must_be_ok(oplus_merge_by(serial, &less, x, a_n, x + a_n * size, n - a_n, expected), "the core");
        unsigned char *const in = bring(x, skew, n * size), *const out = bring_output(before + n * size + GUARD);
        opi_task_merge(&task, &mixed12_type, OPLUS_ASCENDING, &less, in + skew, a_n, in + skew + a_n * size, n - a_n,
                       out + before);
        deal_out(&r, &task, "merge by a function");
        same_bytes(out, expected, before, n * size, "a merge by a function");
        oplus_free(dev, in);
        oplus_free(dev, out);
    }
}

/* --- transposes ----------------------------------------------------------------------------------------------------- */

static void any_transpose(void **state)
{
    static const oplus_type *const types[] = {&oplus_u8, &oplus_i16, &oplus_f32, &oplus_f64, &mixed12_type};
    rng r = test_rng("dealt transposes");
    (void)state;
    for (long i = calls(); i > 0; i--) {
        const oplus_type *const type = types[rng_below(&r, 5)];
        const size_t most = draw_tiles(&r) * TILE_BYTES / type->size, cols = 1 + rng_below(&r, 3000);
        const size_t rows = 1 + most / cols, n = rows * cols, size = type->size;
        const size_t skew = rng_below(&r, MOST_SKEW) * size, before = GUARD + rng_below(&r, MOST_SKEW) * size;
        opi_task task;
        if (n * size > MOST_BYTES) continue;
        fill(subject_named("hash4"), &r, n * size / 4 + 1);
        must_be_ok(oplus_transpose(serial, type, x, rows, cols, expected), "the core");
        unsigned char *const in = bring(x, skew, n * size), *const out = bring_output(before + n * size + GUARD);
        opi_task_transpose(&task, size, in + skew, rows, cols, out + before);
        deal_out(&r, &task, "transpose");
        same_bytes(out, expected, before, n * size, "a transpose");
        oplus_free(dev, in);
        oplus_free(dev, out);
    }
}

/* --- gathers -------------------------------------------------------------------------------------------------------- */

/* Accelerator by accelerator, what each has in the order of its pages. */
static void any_gather(void **state)
{
    rng r = test_rng("gathers");
    opi_accelerator *all[WORKERS];
    (void)state;
    for (int w = 0; w < WORKERS; w++) all[w] = (opi_accelerator *)worker[w];
    for (long i = calls(); i > 0; i--) {
        opi_deal deal = draw_deal(&r, all);
        const size_t unit = (size_t)1 << rng_below(&r, 5), n = 1 + rng_below(&r, draw_tiles(&r) * TILE_BYTES / unit);
        deal.beyond = deal.beyond / 16 * 16 + unit;
        fill(subject_named("hash4"), &r, n * unit / 4 + 1);
        unsigned char *const in = bring(x, unit, n * unit);
        for (deal.own = 0; deal.own < deal.workers; deal.own++) {
            size_t count = 0;
            for (size_t k = 0; k < n; k++)
                if ((deal.beyond + k * unit) / deal.page % deal.workers == deal.own)
                    memcpy(expected + count++ * unit, x + k * unit, unit);
            unsigned char *const out = bring_output(GUARD + count * unit + GUARD);
            must_be_ok(opi_deal_gather(&deal, "test", out + GUARD, in + unit, n * unit), "gather");
            sync_all();
            same_bytes(out, expected, GUARD, count * unit, "a gather");
            oplus_free(dev, out);
        }
        oplus_free(dev, in);
        dealt++;
    }
}

/* --- sorts of what each has ----------------------------------------------------------------------------------------- */

enum { MOST_KEYS = 7 << 20, LEAST_KEYS = 1 << 20 };

/* Some keys are equal, or most, or the bits are not even. */
static void fill_keys(rng *r, size_t bytes)
{
    const uint64_t mask = rng_below(r, 2) ? UINT64_MAX : rng_next(r) & rng_next(r);
    for (size_t i = 0; i + 8 <= bytes; i += 8) {
        const uint64_t word = rng_next(r) & mask;
        memcpy(x + i, &word, 8);
    }
}

static void try_sort(rng *r, opi_deal *deal, const oplus_type *key, oplus_order order, size_t n)
{
    const size_t skew = rng_below(r, 2) ? 0 : 16 * rng_below(r, 4) + (rng_below(r, 4) ? 0 : key->size);
    deal->beyond = deal->beyond / 16 * 16 + skew % 16;
    unsigned char *const in = bring(x, skew, n * key->size);
    for (deal->own = 0; deal->own < deal->workers; deal->own++) {
        size_t count = 0;
        for (size_t k = 0; k < n; k++)
            if ((deal->beyond + k * key->size) / deal->page % deal->workers == deal->own)
                memcpy(expected + count++ * key->size, x + k * key->size, key->size);
        must_be_ok(oplus_sort(serial, key, order, expected, count), "the core");
        unsigned char *const out = bring_output(GUARD + count * key->size + GUARD);
        opi_task own;
        opi_task_sort(&own, key, order, out + GUARD, NULL, NULL, count);
        must_be_ok(opi_deal_sort(deal, "test", &own, in + skew, n), "sort");
        sync_all();
        same_bytes(out, expected, GUARD, count * key->size, "a sort of what one has");
        oplus_free(dev, out);
    }
    oplus_free(dev, in);
}

static void any_sort(void **state)
{
    rng r = test_rng("dealt sorts");
    opi_accelerator *all[WORKERS];
    (void)state;
    for (int w = 0; w < WORKERS; w++) all[w] = (opi_accelerator *)worker[w];
    for (long i = 3 + calls() / 20; i > 0; i--) {
        const oplus_type *const key = keys_of[rng_below(&r, KEYS)];
        const size_t n = LEAST_KEYS + rng_below(&r, MOST_KEYS - LEAST_KEYS);
        opi_deal deal = draw_deal(&r, all);
        fill_keys(&r, n * key->size + 8);
        try_sort(&r, &deal, key, rng_below(&r, 2) ? OPLUS_DESCENDING : OPLUS_ASCENDING, n);
        dealt++;
    }
}

/* ------------------------------------------------------------------------------------------------------------------ */

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_scan),      cmocka_unit_test(any_reduce),  cmocka_unit_test(any_filter),
        cmocka_unit_test(any_segreduce), cmocka_unit_test(any_indices), cmocka_unit_test(any_runs),
        cmocka_unit_test(any_map),       cmocka_unit_test(any_merge),   cmocka_unit_test(any_merge_by),
        cmocka_unit_test(any_transpose), cmocka_unit_test(any_gather),  cmocka_unit_test(any_sort)};
    int failed = 77;
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    make_arrays();
    if (open_workers() && ((opi_accelerator *)dev)->gpu->facts.architecture < 90)
        printf("not tried: %s has no bulk copies\n", dev->name);
    else if (dev) {
        failed = cmocka_run_group_tests_name("dealt", tests, NULL, NULL);
        printf("%ld calls were dealt out, %ld were done whole\n", dealt, whole);
        if (failed == 0 && dealt == 0 && argc == 1) failed = 1;
    }
    end_all();
    return failed;
}
