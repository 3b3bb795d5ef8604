/* Laws of runs of equal keys, of <oplus/runs.h>: each call is compared with a plain loop, with arrays in host memory, in
 * device memory, and in both. */
#include "support/arrays.h"

#include <stdlib.h>
#include <string.h>

/* --- keys ---------------------------------------------------------------------------------------------------------- */

OPLUS_STRUCT(dated, uint32_t day; uint32_t word;)
OPLUS_STRUCT(gappy, uint8_t sort; uint32_t number; uint16_t part;)
OPLUS_STRUCT(chunk80, uint32_t word[20];)
OPLUS_ZIP(same_day, uint8_t, dated, dated, { return a.day == b.day; })
OPLUS_ZIP_WITH(same_part, uint8_t, uint32_t, uint32_t, uint32_t, { return a / p == b / p; })

/* Numbers that parts of 100 numbers have are the same. */
static const uint32_t hundred = 100;

/* Keys of a type, and how they are compared; the key of run k is made of a number that differs from that of run k - 1. */
typedef struct kind {
    const oplus_type *type;
    const oplus_fn *same;
    void (*make)(rng *r, uint64_t number, void *key);
    bool sorts; /* a sort takes such keys */
} kind;

static void small(rng *r, uint64_t number, void *key)
{
    (void)r;
    memcpy(key, &number, 1);
}

static void narrow(rng *r, uint64_t number, void *key)
{
    (void)r;
    memcpy(key, &number, 2);
}

static void plain(rng *r, uint64_t number, void *key)
{
    (void)r;
    memcpy(key, &number, 4);
}

static void wide(rng *r, uint64_t number, void *key)
{
    (void)r;
    number *= UINT64_C(0x9e3779b97f4a7c15); /* odd, so that other numbers become other keys */
    memcpy(key, &number, 8);
}

static void day(rng *r, uint64_t number, void *key)
{
    const dated made = {(uint32_t)number, (uint32_t)rng_next(r)};
    memcpy(key, &made, sizeof made);
}

/* Whatever its padding is. */
static void gaps(rng *r, uint64_t number, void *key)
{
    gappy made;
    memset(&made, (int)rng_below(r, 256), sizeof made);
    made.sort = (uint8_t)(number & 1);
    made.number = 5;
    made.part = (uint16_t)(number >> 1);
    memcpy(key, &made, sizeof made);
}

static void chunk(rng *r, uint64_t number, void *key)
{
    chunk80 made = {{0}};
    (void)r;
    made.word[19] = (uint32_t)number;
    memcpy(key, &made, sizeof made);
}

static void part(rng *r, uint64_t number, void *key)
{
    const uint32_t made = (uint32_t)(number % 1000 * hundred + rng_below(r, hundred));
    memcpy(key, &made, sizeof made);
}

enum { KINDS_OF_KEYS = 8 };
static void kinds_of(kind kinds[KINDS_OF_KEYS])
{
    static oplus_fn same_hundred;
    same_hundred = oplus_with(&same_part_fn, &hundred);
    const kind all[KINDS_OF_KEYS] = {{&oplus_u8, NULL, small, true},          {&oplus_i16, NULL, narrow, true},
                                     {&oplus_u32, NULL, plain, true},         {&oplus_f64, NULL, wide, true},
                                     {&dated_type, &same_day_fn, day, false}, {&gappy_type, NULL, gaps, false},
                                     {&chunk80_type, NULL, chunk, false},     {&oplus_u32, &same_hundred, part, false}};
    memcpy(kinds, all, sizeof all);
}

/* --- a problem: keys in runs, and what a plain loop finds ----------------------------------------------------------- */

typedef struct runs {
    kind kind;
    size_t n, count;
    unsigned char *keys, *first_keys;
    uint64_t *firsts, *counts, *inverse; /* there is one first more: n */
    uint8_t *heads;
} runs;

/* How long the runs are: of one element, of a few, of tiles of a device, of pieces on cores; or all is one run. */
enum { STYLES = 6 };
static size_t any_length(rng *r, size_t style)
{
    static const size_t most[STYLES] = {1, 3, 60, 9000, 700000, SIZE_MAX};
    return style == STYLES - 1 ? SIZE_MAX : 1 + rng_below(r, most[style]);
}

static void fill(rng *r, runs *p, size_t begin, size_t end, uint64_t number)
{
    const size_t size = p->kind.type->size;
    for (size_t i = begin; i < end; i++) {
        p->kind.make(r, number, p->keys + i * size);
        p->inverse[i] = p->count;
        p->heads[i] = i == begin;
    }
    memcpy(p->first_keys + p->count * size, p->keys + begin * size, size);
    p->firsts[p->count] = begin;
    p->counts[p->count++] = end - begin;
}

static runs make_runs(rng *r, const kind *kind, size_t n)
{
    const size_t size = kind->type->size, style = rng_below(r, STYLES + 1);
    runs p = {.kind = *kind, .n = n};
    p.keys = must(malloc(n * size + 1));
    p.first_keys = must(malloc(n * size + 1));
    p.firsts = must(malloc((n + 1) * sizeof *p.firsts));
    p.counts = must(malloc((n + 1) * sizeof *p.counts));
    p.inverse = must(malloc((n + 1) * sizeof *p.inverse));
    p.heads = must(malloc(n + 1));
    uint64_t number = 0;
    for (size_t i = 0, end; i < n; i = end) {
        const size_t length = any_length(r, style < STYLES ? style : rng_below(r, 4));
        end = n - i < length ? n : i + length;
        number = (number + 1 + rng_below(r, 50)) % 200;
        fill(r, &p, i, end, number);
    }
    p.firsts[p.count] = n;
    return p;
}

static void forget(runs *p)
{
    free(p->keys);
    free(p->first_keys);
    free(p->firsts);
    free(p->counts);
    free(p->inverse);
    free(p->heads);
}

static size_t any_size(rng *r, size_t size)
{
    const size_t n = rng_below(r, (size_t)1 << (1 + rng_below(r, test_quick() ? 14 : 18)));
    return size > 16 ? n / 8 : n;
}

/* Each kind is another program for an accelerator, which takes seconds to compile: without OPLUS_TEST_DEVICES few are tried
 * there. */
static bool tries_few(const place *where) { return where->accelerator && !where->thorough; }

static runs any_runs(rng *r, const place *where, bool by_function)
{
    kind kinds[KINDS_OF_KEYS];
    kinds_of(kinds);
    const size_t any = rng_below(r, KINDS_OF_KEYS), few = by_function && any % 2 ? 7 : 5;
    const kind *const kind = &kinds[tries_few(where) ? few : any];
    return make_runs(r, kind, any_size(r, kind->type->size));
}

/* --- unique -------------------------------------------------------------------------------------------------------- */

/* Numbers as the type of an index has them. */
static void *as_index(const uint64_t *number, size_t n, size_t bytes)
{
    char *const as = must(malloc(n * bytes + 1));
    for (size_t i = 0; i < n; i++) {
        const uint32_t half = (uint32_t)number[i];
        memcpy(as + i * bytes, bytes == 4 ? (const void *)&half : &number[i], bytes);
    }
    return as;
}

static void check_numbers(arrays *a, const place *where, const char *what, int k, const uint64_t *number, size_t n,
                          size_t bytes)
{
    void *const want = as_index(number, n, bytes);
    check_array(a, where, what, k, want, n * bytes);
    free(want);
}

/* Some of the outputs are not wanted. */
static void uniques(rng *r, const place *where)
{
    const oplus_type *const types[] = {&oplus_u32, &oplus_i32, &oplus_u64, &oplus_i64};
    runs p = any_runs(r, where, true);
    const size_t width = where->accelerator ? p.kind.same != NULL : rng_below(r, 2); /* one program for each kind */
    const oplus_type *const index = types[2 * width + rng_below(r, 2)];
    const size_t n = p.n, size = p.kind.type->size;
    arrays a = {.dev = where->dev};
    const unsigned wants = (unsigned)rng_below(r, 16);
    const int in = add_array(&a, r, p.keys, n * size), out = add_array(&a, r, NULL, p.count * size),
              counts = add_array(&a, r, NULL, p.count * index->size),
              firsts = add_array(&a, r, NULL, p.count * index->size), inverse = add_array(&a, r, NULL, n * index->size),
              found = add_array(&a, r, NULL, sizeof(size_t));
    assert_int_equal(oplus_unique(where->dev, p.kind.type, p.kind.same, a.mem[in], n, wants & 1 ? a.mem[out] : NULL,
                                  wants > 1 ? index : NULL, wants & 2 ? a.mem[counts] : NULL,
                                  wants & 4 ? a.mem[firsts] : NULL, wants & 8 ? a.mem[inverse] : NULL,
                                  (size_t *)(void *)a.mem[found]),
                     OPLUS_OK);
    check_array(&a, where, "the number of runs", found, &p.count, sizeof p.count);
    check_array(&a, where, "the elements of a unique", out, p.first_keys, wants & 1 ? p.count * size : 0);
    check_numbers(&a, where, "the lengths of runs", counts, p.counts, wants & 2 ? p.count : 0, index->size);
    check_numbers(&a, where, "the first elements of runs", firsts, p.firsts, wants & 4 ? p.count : 0, index->size);
    check_numbers(&a, where, "the runs of elements", inverse, p.inverse, wants & 8 ? n : 0, index->size);
    drop_arrays(&a);
    forget(&p);
}

static void unique_is_the_loop(void **state)
{
    (void)state;
    often("unique", 10, 30, uniques);
}

/* The same past the caches, where results are written past them, too. */
static void long_uniques(rng *r, const place *where)
{
    kind kinds[KINDS_OF_KEYS];
    kinds_of(kinds);
    if (where->accelerator) return;
    runs p = make_runs(r, &kinds[2], ((size_t)8 << 20) / 4 + rng_below(r, 100000));
    arrays a = {.dev = where->dev};
    size_t count;
    const int in = add_array(&a, r, p.keys, p.n * 4), out = add_array(&a, r, NULL, p.count * 4),
              counts = add_array(&a, r, NULL, p.count * 4);
    assert_int_equal(oplus_unique(where->dev, &oplus_u32, NULL, a.mem[in], p.n, a.mem[out], &oplus_u32, a.mem[counts],
                                  NULL, NULL, &count),
                     OPLUS_OK);
    assert_int_equal(count, p.count);
    check_array(&a, where, "the elements of a long unique", out, p.first_keys, p.count * 4);
    check_numbers(&a, where, "the lengths of many runs", counts, p.counts, p.count, 4);
    drop_arrays(&a);
    forget(&p);
}

static void a_long_unique_is_the_loop(void **state)
{
    (void)state;
    often("long_unique", 1, 3, long_uniques);
}

/* --- by key -------------------------------------------------------------------------------------------------------- */

/* What is done with values; they are the reduces and the scans of one thread, which have laws of their own. */
static const char *const operators[] = {"compose32", "sum_f32", "max_u16", "compose64"};

static const subject *any_operator(rng *r, const place *where)
{
    return subject_named(operators[tries_few(where) ? 0 : rng_below(r, 4)]);
}

static unsigned char *values_of(rng *r, const subject *s, size_t n)
{
    const size_t size = s->op->type->size;
    unsigned char *const values = must(calloc(n + 1, size));
    for (size_t i = 0; i < n; i++) s->random(r, values + i * size);
    return values;
}

static oplus_device *one_thread(void)
{
    size_t count;
    return all_places(&count)[0].dev;
}

/* The reduce of each run of values. */
static unsigned char *reduce_each(const runs *p, const subject *s, const unsigned char *values)
{
    const size_t size = s->op->type->size;
    unsigned char *const out = must(calloc(p->count + 1, size));
    for (size_t k = 0; k < p->count; k++)
        must_be_ok(oplus_reduce(one_thread(), s->op, values + p->firsts[k] * size, p->counts[k], out + k * size),
                   "the reduce of a run");
    return out;
}

static void check_reduce_by_key(rng *r, const place *where, const runs *p)
{
    const subject *const s = any_operator(r, where);
    const size_t n = p->n, size = p->kind.type->size, value = s->op->type->size;
    const bool wants_keys = rng_below(r, 4) > 0;
    unsigned char *const values = values_of(r, s, n), *const want = reduce_each(p, s, values);
    arrays a = {.dev = where->dev};
    const int keys = add_array(&a, r, p->keys, n * size), x = add_array(&a, r, values, n * value),
              out_keys = add_array(&a, r, NULL, p->count * size), out = add_array(&a, r, NULL, p->count * value),
              found = add_array(&a, r, NULL, sizeof(size_t));
    must_be_ok(oplus_reduce_by_key(where->dev, s->op, p->kind.type, p->kind.same, a.mem[keys], a.mem[x], n,
                                   wants_keys ? a.mem[out_keys] : NULL, a.mem[out], (size_t *)(void *)a.mem[found]),
               "oplus_reduce_by_key");
    check_array(&a, where, "the number of reduced runs", found, &p->count, sizeof p->count);
    check_array(&a, where, "the keys of runs", out_keys, p->first_keys, wants_keys ? p->count * size : 0);
    check_array(&a, where, "a reduce by key", out, want, p->count * value);
    drop_arrays(&a);
    free(values);
    free(want);
}

static void reduces(rng *r, const place *where)
{
    runs p = any_runs(r, where, false);
    check_reduce_by_key(r, where, &p);
    forget(&p);
}

static void reduce_by_key_is_reduce_of_each(void **state)
{
    (void)state;
    often("reduce_by_key", 5, 15, reduces);
}

/* More keys than a piece has on cores, and runs that are longer than one. */
static void long_reduces(rng *r, const place *where)
{
    kind kinds[KINDS_OF_KEYS];
    kinds_of(kinds);
    if (where->accelerator) return;
    runs p = make_runs(r, &kinds[rng_below(r, 4)], ((size_t)1 << 20) + rng_below(r, 100000));
    check_reduce_by_key(r, where, &p);
    forget(&p);
}

static void a_long_reduce_by_key_is_reduce_of_each(void **state)
{
    (void)state;
    often("long_reduce_by_key", 1, 3, long_reduces);
}

static void scans(rng *r, const place *where)
{
    runs p = any_runs(r, where, false);
    const subject *const s = any_operator(r, where);
    const oplus_kind kind = rng_below(r, 2) ? OPLUS_EXCLUSIVE : OPLUS_INCLUSIVE;
    const size_t n = p.n, size = p.kind.type->size, value = s->op->type->size;
    unsigned char *const values = values_of(r, s, n), *const want = must(calloc(n + 1, value));
    const bool in_place = rng_below(r, 2);
    arrays a = {.dev = where->dev};
    must_be_ok(oplus_segscan(one_thread(), s->op, kind, values, p.heads, n, want), "oplus_segscan");
    const int keys = add_array(&a, r, p.keys, n * size), x = add_array(&a, r, values, n * value),
              out = in_place ? x : add_array(&a, r, NULL, n * value);
    must_be_ok(
        oplus_scan_by_key(where->dev, s->op, kind, p.kind.type, p.kind.same, a.mem[keys], a.mem[x], n, a.mem[out]),
        "oplus_scan_by_key");
    check_array(&a, where, "a scan by key", out, want, n * value);
    drop_arrays(&a);
    free(values);
    free(want);
    forget(&p);
}

static void scan_by_key_is_segscan(void **state)
{
    (void)state;
    often("scan_by_key", 4, 12, scans);
}

/* --- group --------------------------------------------------------------------------------------------------------- */

/* Keys in any order: they are made of few numbers, or of many. */
static runs make_scattered(rng *r, const kind *kind, size_t n)
{
    runs p = make_runs(r, kind, n);
    const size_t numbers = 1 + rng_below(r, 250);
    for (size_t i = 0; i < n; i++) kind->make(r, rng_below(r, numbers), p.keys + i * kind->type->size);
    return p;
}

/* The plain way: the keys in order, then for each of them the elements that have it, in theirs. */
static size_t group_each(const runs *p, const subject *s, oplus_order order, const unsigned char *values,
                         unsigned char *out_keys, unsigned char *out)
{
    const size_t size = p->kind.type->size, value = s->op->type->size;
    unsigned char *const sorted = must(malloc(p->n * size + 1)), *const own = must(malloc(p->n * value + 1));
    size_t groups = 0;
    memcpy(sorted, p->keys, p->n * size);
    must_be_ok(oplus_sort(one_thread(), p->kind.type, order, sorted, p->n), "oplus_sort");
    for (size_t i = 0, m; i < p->n; i++) {
        const unsigned char *const key = sorted + i * size;
        if (i > 0 && memcmp(key - size, key, size) == 0) continue;
        m = 0;
        for (size_t j = 0; j < p->n; j++)
            if (memcmp(p->keys + j * size, key, size) == 0) memcpy(own + m++ * value, values + j * value, value);
        memcpy(out_keys + groups * size, key, size);
        must_be_ok(oplus_reduce(one_thread(), s->op, own, m, out + groups++ * value), "the reduce of a group");
    }
    free(sorted);
    free(own);
    return groups;
}

static void groups(rng *r, const place *where)
{
    kind kinds[KINDS_OF_KEYS];
    kinds_of(kinds);
    if (tries_few(where)) return; /* its sort and its reduce by key have been tried there */
    const subject *const s = any_operator(r, where);
    const oplus_order order = rng_below(r, 2) ? OPLUS_DESCENDING : OPLUS_ASCENDING;
    runs p = make_scattered(r, &kinds[rng_below(r, 4)], rng_below(r, test_quick() ? 2000 : 6000));
    const size_t n = p.n, size = p.kind.type->size, value = s->op->type->size;
    unsigned char *const values = values_of(r, s, n), *const each = must(malloc(n * size + 1)),
                         *const want = must(malloc(n * value + 1));
    const size_t count = group_each(&p, s, order, values, each, want);
    arrays a = {.dev = where->dev};
    const int keys = add_array(&a, r, p.keys, n * size), x = add_array(&a, r, values, n * value),
              out_keys = add_array(&a, r, NULL, count * size), out = add_array(&a, r, NULL, count * value),
              found = add_array(&a, r, NULL, sizeof(size_t));
    must_be_ok(oplus_group(where->dev, s->op, p.kind.type, order, a.mem[keys], a.mem[x], n, a.mem[out_keys], a.mem[out],
                           (size_t *)(void *)a.mem[found]),
               "oplus_group");
    check_array(&a, where, "the number of groups", found, &count, sizeof count);
    check_array(&a, where, "the keys of groups", out_keys, each, count * size);
    check_array(&a, where, "the reduces of groups", out, want, count * value);
    check_array(&a, where, "the keys that were given", keys, p.keys, n * size);
    check_array(&a, where, "the values that were given", x, values, n * value);
    drop_arrays(&a);
    free(values);
    free(each);
    free(want);
    forget(&p);
}

static void group_is_reduce_of_each(void **state)
{
    (void)state;
    often("group", 2, 6, groups);
}

/* --- explanations ------------------------------------------------------------------------------------------------- */

static void must_say(const char *words, const char *wanted)
{
    if (!strstr(words, wanted)) fail_msg("\"%s\" does not say \"%s\"", words, wanted);
}

/* What is explained is what is done: a reduce asks where runs begin, a scan for marks alone. */
static void explanations_tell_all_steps(void **state)
{
    enum { N = 3000 };
    static uint32_t keys[N], out[N];
    static const char guarded[] = "untouched";
    size_t count, runs = 7;
    const place *const places = all_places(&count);
    (void)state;
    for (size_t p = 0; p < count; p++) {
        char words[3000] = "", scan[3000] = "", group[3000] = "";
        oplus_device *const dev = places[p].dev;
        stand_at(&places[p], NULL, false);
        memcpy(out, guarded, sizeof guarded);
        must_be_ok(oplus_explain(dev, words, sizeof words), "explain");
        must_be_ok(oplus_reduce_by_key(dev, &oplus_sum_u32, &oplus_u32, NULL, keys, keys, N, NULL, out, &runs),
                   "explain");
        must_be_ok(oplus_explain(dev, scan, sizeof scan), "explain");
        must_be_ok(oplus_scan_by_key(dev, &oplus_sum_u32, OPLUS_INCLUSIVE, &oplus_u32, NULL, keys, keys, N, out),
                   "explain");
        must_be_ok(oplus_explain(dev, group, sizeof group), "explain");
        must_be_ok(oplus_group(dev, &oplus_sum_u32, &oplus_u32, OPLUS_ASCENDING, keys, keys, N, NULL, out, &runs),
                   "explain");
        must_be_ok(oplus_explain(dev, NULL, 0), "explain");
        assert_true(runs == 7 && memcmp(out, guarded, sizeof guarded) == 0);
        must_say(words, "oplus_reduce_by_key: ");
        must_say(words, "then: a segmented reduce of the values");
        must_say(words, "scratch memory: ");
        must_say(group, "sort of 3000 elements");
        must_say(group, "then: where groups begin is found");
        must_say(group, "scratch memory: ");
        must_say(scan, "then: a segmented scan of the values\nscratch memory: 3000 bytes");
        if (places[p].accelerator && !strchr(places[p].where, '@')) must_say(scan, "> flags");
        if (places[p].accelerator) assert_null(strstr(words, "> flags"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unique_is_the_loop),
        cmocka_unit_test(a_long_unique_is_the_loop),
        cmocka_unit_test(reduce_by_key_is_reduce_of_each),
        cmocka_unit_test(a_long_reduce_by_key_is_reduce_of_each),
        cmocka_unit_test(scan_by_key_is_segscan),
        cmocka_unit_test(explanations_tell_all_steps),
        cmocka_unit_test(group_is_reduce_of_each),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
