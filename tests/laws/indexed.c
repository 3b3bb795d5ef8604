/* A function that has the index i of its elements: it is what a function of the elements and of an array of their indices
 * gives, wherever the arrays are, in how many parts they are computed, and where the indices begin. */
#include "support/laws.h"

#include <stdlib.h>
#include <string.h>

/* Numbers below 2^16 are spread over 64 bits, so that a wrong index does not stay unseen. */
OPLUS_MAP_INDEXED(spread, uint64_t, uint32_t, { return a ^ (i + 1) * 0x9e3779b97f4a7c15u; })
OPLUS_ZIP(spread_of, uint64_t, uint32_t, uint64_t, { return a ^ (b + 1) * 0x9e3779b97f4a7c15u; })
OPLUS_MAP_INDEXED(ramp, double, double, { return a * (double)i; })
OPLUS_ZIP(ramp_of, double, double, uint64_t, { return a * (double)b; })
OPLUS_ZIP_INDEXED(mixed, uint16_t, uint8_t, uint32_t, { return (uint16_t)(a + b * i); })
OPLUS_ZIP3(mixed_of, uint16_t, uint8_t, uint32_t, uint64_t, { return (uint16_t)(a + b * c); })
OPLUS_MAP_INDEXED_WITH(scaled, float, float, float, { return a + p * (float)(i % 1000); })
OPLUS_ZIP_WITH(scaled_of, float, float, uint64_t, float, { return a + p * (float)(b % 1000); })
OPLUS_PREDICATE_INDEXED(chosen, uint64_t, { return (a + i) % 3 == 0; })
OPLUS_ZIP(chosen_of, uint8_t, uint64_t, uint64_t, { return (a + b) % 3 == 0; })

enum { MOST = 300000, INPUT_BYTES = MOST * 8 + 64, CASES = 5 };

/* A function, and the same as a function of the elements and their indices. */
typedef struct indexed_case {
    const oplus_fn *fn, *plain;
} indexed_case;

static const float slope = 0.5f;
static oplus_fn bound[2], *text, *text_plain;
static indexed_case cases[CASES];
static unsigned char *input[2], *out, *expected;
static uint64_t *number, *places_of;

static int allocate(void **state)
{
    (void)state;
    rng r = test_rng("indexed inputs");
    const oplus_type *const types[] = {&oplus_i32, &oplus_u64};
    must_be_ok(
        oplus_fn_make("text", &oplus_i64, 1, types, NULL, "for (int k = 0; k < 2; k++) r += a - (int64_t)i;", &text),
        "oplus_fn_make");
    must_be_ok(oplus_fn_make("plain", &oplus_i64, 2, types, NULL, "2 * (a - (int64_t)b)", &text_plain),
               "oplus_fn_make");
    bound[0] = oplus_with(&scaled_fn, &slope);
    bound[1] = oplus_with(&scaled_of_fn, &slope);
    cases[0] = (indexed_case){&spread_fn, &spread_of_fn};
    cases[1] = (indexed_case){&bound[0], &bound[1]};
    cases[2] = (indexed_case){&mixed_fn, &mixed_of_fn};
    cases[3] = (indexed_case){&ramp_fn, &ramp_of_fn};
    cases[4] = (indexed_case){text, text_plain};
    for (int k = 0; k < 2; k++) {
        input[k] = must(malloc(INPUT_BYTES));
        for (size_t i = 0; i < INPUT_BYTES; i++) input[k][i] = (unsigned char)rng_below(&r, 64); /* no NaN */
    }
    out = must(malloc(INPUT_BYTES));
    expected = must(malloc(INPUT_BYTES));
    number = must(malloc(INPUT_BYTES));
    places_of = must(malloc(INPUT_BYTES));
    return 0;
}

static int release(void **state)
{
    (void)state;
    free(input[0]);
    free(input[1]);
    free(out);
    free(expected);
    free(number);
    free(places_of);
    oplus_fn_free(text);
    oplus_fn_free(text_plain);
    close_places();
    return 0;
}

/* A call: where it computes, and with which arrays. */
typedef struct trial_of {
    const place *at;
    oplus_device *serial;
    size_t n, skew;
    uint64_t first; /* the index of the first element */
    bool device;    /* inputs and results are in the memory of the device */
    void *mem[3];
} trial_of;

static void complain(const trial_of *t, const char *call, const char *name)
{
    fail_msg("%s of \"%s\", n = %zu, first = %llu, skew %zu%s, on %s %s: other bits; OPLUS_TEST_SEED=%llu", call, name,
             t->n, (unsigned long long)t->first, t->skew, t->device ? ", on the device" : "", t->at->where, t->at->isa,
             (unsigned long long)test_seed());
}

static void *room(trial_of *t, int which, unsigned char *host, size_t bytes)
{
    if (!t->device) return host;
    must_be_ok(oplus_alloc(t->at->dev, bytes + 1, &t->mem[which]), "oplus_alloc");
    must_be_ok(oplus_copy(t->at->dev, t->mem[which], host, bytes), "oplus_copy");
    return t->mem[which];
}

static void place_inputs(trial_of *t, const oplus_fn *fn, const void **in)
{
    for (unsigned k = 0; k < fn->arity; k++) {
        const size_t size = fn->input[k]->size;
        in[k] = (char *)room(t, (int)k, input[k], (t->skew + t->n) * size) + t->skew * size;
    }
}

/* Brings the results home, compares them, and frees what is on the device. */
static void check(trial_of *t, const char *call, const char *name, const void *results, size_t bytes)
{
    if (t->device) must_be_ok(oplus_copy(t->at->dev, out, results, bytes), "oplus_copy");
    for (int k = 0; k < 3; k++) oplus_free(t->at->dev, t->mem[k]);
    memset(t->mem, 0, sizeof t->mem);
    if (memcmp(t->device ? out : results, expected, bytes) != 0) complain(t, call, name);
}

/* The inputs on the host, and behind them the indices. */
static const void *const *plain_inputs(const trial_of *t, const oplus_fn *fn, const void **in)
{
    for (unsigned k = 0; k < fn->arity; k++) in[k] = input[k] + t->skew * fn->input[k]->size;
    in[fn->arity] = number;
    for (size_t i = 0; i < t->n; i++) number[i] = t->first + i;
    return in;
}

static void maps(trial_of *t, const indexed_case *c)
{
    const void *in[OPLUS_MAX_ARITY], *plain[OPLUS_MAX_ARITY];
    const oplus_fn fn = oplus_from(c->fn, t->first);
    const size_t size = fn.result->size;
    must_be_ok(oplus_map(t->serial, c->plain, plain_inputs(t, &fn, plain), t->n, expected), "the core");
    place_inputs(t, &fn, in);
    void *const to = room(t, 2, out, t->n * size);
    must_be_ok(oplus_map(t->at->dev, &fn, in, t->n, to), "oplus_map");
    check(t, "map", fn.name, to, t->n * size);
}

/* Keeps what `flags` says of n elements. */
static size_t keep_flagged(const uint8_t *flags, const uint64_t *x, size_t n, uint64_t *kept, uint64_t *rest)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        if (flags[i])
            kept[count++] = x[i];
        else if (rest)
            rest[i - count] = x[i];
    }
    return count;
}

static void filters(trial_of *t)
{
    const void *in[1], *plain[2];
    size_t kept;
    const oplus_fn keep = oplus_from(&chosen_fn, t->first);
    uint8_t *const flags = (uint8_t *)places_of;
    must_be_ok(oplus_map(t->serial, &chosen_of_fn, plain_inputs(t, &keep, plain), t->n, flags), "the core");
    const size_t wanted = keep_flagged(flags, plain[0], t->n, (uint64_t *)(void *)expected, NULL);
    place_inputs(t, &keep, in);
    void *const to = room(t, 2, out, t->n * 8);
    must_be_ok(oplus_filter(t->at->dev, &keep, in[0], t->n, to, &kept), "oplus_filter");
    if (kept != wanted) complain(t, "the count of a filter", keep.name);
    check(t, "filter", keep.name, to, kept * 8);
}

static void selects(trial_of *t)
{
    const void *in[1], *plain[2];
    size_t kept;
    const oplus_fn keep = oplus_from(&chosen_fn, t->first);
    uint8_t *const flags = (uint8_t *)places_of;
    must_be_ok(oplus_map(t->serial, &chosen_of_fn, plain_inputs(t, &keep, plain), t->n, flags), "the core");
    for (size_t i = 0; i < t->n; i++) number[i] = i;
    const size_t wanted = keep_flagged(flags, number, t->n, (uint64_t *)(void *)expected, NULL);
    place_inputs(t, &keep, in);
    void *const to = room(t, 2, out, t->n * 8);
    must_be_ok(oplus_indices(t->at->dev, &keep, in[0], t->n, &oplus_u64, to, &kept), "oplus_indices");
    if (kept != wanted) complain(t, "the count of indices", keep.name);
    check(t, "indices", keep.name, to, kept * 8);
}

static void fused(trial_of *t)
{
    const void *in[1], *plain[2];
    size_t kept;
    uint64_t *const made = places_of;
    const oplus_fn before = oplus_from(&spread_fn, t->first), keep = oplus_from(&chosen_fn, t->first);
    must_be_ok(oplus_map(t->serial, &spread_of_fn, plain_inputs(t, &before, plain), t->n, made), "the core");

    must_be_ok(oplus_scan(t->serial, &oplus_sum_u64, OPLUS_EXCLUSIVE, made, t->n, expected), "the core");
    place_inputs(t, &before, in);
    void *to = room(t, 2, out, t->n * 8);
    must_be_ok(oplus_map_scan(t->at->dev, &before, &oplus_sum_u64, OPLUS_EXCLUSIVE, NULL, in, t->n, to),
               "oplus_map_scan");
    check(t, "map_scan", before.name, to, t->n * 8);

    must_be_ok(oplus_reduce(t->serial, &oplus_sum_u64, made, t->n, expected), "the core");
    place_inputs(t, &before, in);
    to = room(t, 2, out, 8);
    must_be_ok(oplus_map_reduce(t->at->dev, &before, &oplus_sum_u64, in, t->n, to), "oplus_map_reduce");
    check(t, "map_reduce", before.name, to, 8);

    must_be_ok(oplus_map(t->serial, &chosen_of_fn, OPLUS_IN(made, number), t->n, out), "the core");
    const size_t wanted = keep_flagged(out, made, t->n, (uint64_t *)(void *)expected, NULL);
    place_inputs(t, &before, in);
    to = room(t, 2, out, t->n * 8);
    must_be_ok(oplus_map_filter(t->at->dev, &before, &keep, in, t->n, to, &kept), "oplus_map_filter");
    if (kept != wanted) complain(t, "the count of a map_filter", keep.name);
    check(t, "map_filter", keep.name, to, kept * 8);
}

static trial_of draw(rng *r, const place *at, oplus_device *serial)
{
    static const size_t most[] = {40, 600, 5000, 70000, MOST - 4};
    static const uint64_t firsts[] = {0, 0, 7, (uint64_t)1 << 32, UINT64_MAX - 1000};
    return (trial_of){.at = at,
                      .serial = serial,
                      .n = rng_below(r, most[rng_below(r, 5)]),
                      .skew = rng_below(r, 2) ? 0 : rng_below(r, 4),
                      .first = firsts[rng_below(r, 5)],
                      .device = at->accelerator && rng_below(r, 2)};
}

static void index_is_an_array_of_indices(void **state)
{
    size_t places;
    const place *const place = all_places(&places);
    const int times = test_quick() ? 10 : 40;
    rng r = test_rng("indexed calls");
    (void)state;
    for (size_t p = 0; p < places; p++) {
        stand_at(&place[p], NULL, false);
        for (int i = 0; i < times; i++) {
            trial_of t = draw(&r, &place[p], place[0].dev);
            maps(&t, &cases[rng_below(&r, CASES)]);
            filters(&t);
            selects(&t);
            fused(&t);
        }
    }
}

/* --- what is refused ---------------------------------------------------------------------------------------------- */

static void refused(oplus_status status, const char *words)
{
    assert_int_equal(status, OPLUS_ERR_ARGUMENT);
    if (!strstr(oplus_last_error(), words)) fail_msg("\"%s\" does not say \"%s\"", oplus_last_error(), words);
}

OPLUS_MAP_INDEXED(later, uint64_t, uint64_t, { return a + i; })

static void elsewhere_there_is_no_index(void **state)
{
    size_t places, kept;
    oplus_device *const dev = all_places(&places)[0].dev;
    const oplus_type *const two[] = {&oplus_u64, &oplus_u64};
    const oplus_fn from_1 = oplus_from(&spread_fn, 1);
    oplus_fn *less;
    (void)state;
    refused(oplus_map_scan(dev, &spread_fn, &oplus_sum_u64, OPLUS_INCLUSIVE, &later_fn, OPLUS_IN(input[0]), 5, out),
            "after is function \"later\", which uses the index i");
    refused(oplus_map_filter(dev, &from_1, &chosen_fn, OPLUS_IN(input[0]), 5, out, &kept),
            "before has the index of its first elements 1, and keep 0");
    must_be_ok(oplus_fn_make(NULL, NULL, 2, two, NULL, "a < b + i", &less), "oplus_fn_make");
    assert_true(less->indexed);
    refused(oplus_sort_by(dev, less, number, 5), "less is function \"a < b + i\", which uses the index i");
    refused(oplus_unique(dev, &oplus_u64, less, number, 5, out, &oplus_u32, NULL, NULL, NULL, &kept),
            "same is function");
    oplus_fn_free(less);
}

/* A text has the index if it uses a free i. */
static void texts_have_it_if_they_use_it(void **state)
{
    static const struct {
        const char *text;
        int indexed;
        int64_t fifth; /* its value for a = 100 and i = 4 */
    } texts[] = {{"a + i", 1, 104},
                 {"a", 0, 100},
                 {"r = a; for (int i = 0; i < 3; i++) r += i;", 0, 103},
                 {"int64_t i = 7; return a + i;", 0, 107},
                 {"int64_t k = 1, i = 7; return a + i + k;", 1, 108},
                 {"struct { int64_t i; } s; s.i = 5; return a + s.i;", 0, 105},
                 {"a + /* i */ 1", 0, 101},
                 {"return\ni;", 1, 4}};
    size_t places;
    oplus_device *const dev = all_places(&places)[0].dev;
    const int64_t x[] = {0, 0, 0, 0, 100};
    int64_t y[5];
    (void)state;
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        oplus_fn *fn;
        must_be_ok(
            oplus_fn_make(NULL, &oplus_i64, 1, (const oplus_type *const[]){&oplus_i64}, NULL, texts[k].text, &fn),
            texts[k].text);
        must_be_ok(oplus_map(dev, fn, OPLUS_IN(x), 5, y), texts[k].text);
        if (fn->indexed != texts[k].indexed || y[4] != texts[k].fifth)
            fail_msg("\"%s\": indexed %d, value %lld", texts[k].text, fn->indexed, (long long)y[4]);
        oplus_fn_free(fn);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(index_is_an_array_of_indices),
                                       cmocka_unit_test(elsewhere_there_is_no_index),
                                       cmocka_unit_test(texts_have_it_if_they_use_it)};
    return cmocka_run_group_tests_name("indexed", tests, allocate, release);
}
