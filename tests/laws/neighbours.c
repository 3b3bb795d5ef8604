/* A function of neighbours is a map of the array and of itself, shifted: of any type, with any rule for the edges, wherever
 * the arrays are, with the index, and in parts as in the whole. */
#include "support/laws.h"

#include <stdlib.h>
#include <string.h>

OPLUS_STRUCT(triple, float x, y, z;)
OPLUS_ZIP(step, float, float, float, { return b - a; })
OPLUS_ZIP(begins, uint8_t, uint64_t, uint64_t, { return a % 3 != b % 3; })
OPLUS_ZIP3(weigh, uint32_t, uint32_t, uint32_t, uint32_t, { return 3 * a + 5 * b - 7 * c; })
OPLUS_ZIP3(smooth, double, float, float, float, { return 0.25 * a + 0.5 * b + 0.25 * c; })
OPLUS_ZIP3(bytes, uint8_t, uint8_t, uint8_t, uint8_t, { return (uint8_t)(a + 3 * b + 9 * c); })
OPLUS_ZIP3(turn, triple, triple, triple, triple, {
    triple r;
    r.x = a.y - c.z;
    r.y = b.z + c.x;
    r.z = a.x - b.y;
    return r;
})
OPLUS_ZIP_WITH(limited, float, float, float, float, { return b - a > p ? p : b - a; })

enum { MOST = 200000, WIDEST = 12, GUARD = 64, CASES = 8, BEYOND = 77 /* of the bytes of given ends */ };

static const float limit = 0.5f;
static oplus_fn bound, *text;
static const oplus_fn *cases[CASES];
static unsigned char *input, *padded, *out, *expected;

static int allocate(void **state)
{
    (void)state;
    rng r = test_rng("neighbours' inputs");
    const oplus_type *const longs[] = {&oplus_i64, &oplus_i64, &oplus_i64};
    must_be_ok(oplus_fn_make("text", &oplus_i64, 3, longs, NULL, "a - 2 * b + c + (int64_t)i", &text), "oplus_fn_make");
    bound = oplus_with(&limited_fn, &limit);
    const oplus_fn *const all[] = {&step_fn, &weigh_fn, &smooth_fn, &bytes_fn, &turn_fn, &begins_fn, &bound, text};
    memcpy(cases, all, sizeof all);
    input = must(malloc((size_t)MOST * WIDEST + GUARD));
    padded = must(malloc((size_t)(MOST + 2) * WIDEST));
    out = must(malloc((size_t)MOST * WIDEST + 2 * GUARD));
    expected = must(malloc((size_t)MOST * WIDEST));
    for (size_t i = 0; i < (size_t)MOST * WIDEST + GUARD; i++) input[i] = (unsigned char)rng_below(&r, 64); /* no NaN */
    return 0;
}

static int release(void **state)
{
    (void)state;
    free(input);
    free(padded);
    free(out);
    free(expected);
    oplus_fn_free(text);
    close_places();
    return 0;
}

typedef struct trial_of {
    const place *at;
    oplus_device *serial;
    const oplus_fn *fn;
    oplus_edge edge;
    size_t n, skew;
    bool device; /* input and results are in the memory of the device */
} trial_of;

static void complain(const trial_of *t, const char *what)
{
    fail_msg("neighbours by \"%s\", n = %zu, skew %zu, edge %d%s, on %s %s: %s; OPLUS_TEST_SEED=%llu", t->fn->name,
             t->n, t->skew, (int)t->edge, t->device ? ", on the device" : "", t->at->where, t->at->isa, what,
             (unsigned long long)test_seed());
}

/* Writes what a map of three copies of the array makes, which is longer by what lies beyond its ends. */
static void map_copies(const trial_of *t, const unsigned char *x, const unsigned char *ends)
{
    const size_t size = t->fn->input[0]->size, n = t->n, bytes = n * size;
    const unsigned char *const last = x + bytes - size;
    const unsigned char *before = x, *behind = last;
    if (t->edge == OPLUS_EDGE_WRAP) before = last, behind = x;
    if (t->edge == OPLUS_EDGE_MIRROR && n > 1) before = x + size, behind = last - size;
    if (t->edge == OPLUS_EDGE_GIVEN) before = ends, behind = ends + size;
    memcpy(padded, before, size);
    memcpy(padded + size, x, bytes);
    memcpy(padded + size + bytes, behind, size);
    must_be_ok(oplus_map(t->serial, t->fn, OPLUS_IN(padded, padded + size, padded + 2 * size), n, expected),
               "the core");
}

static void check_guards(const trial_of *t, size_t begin, size_t end)
{
    for (size_t i = 0; i < begin; i++)
        if (out[i] != 0xa5) complain(t, "it writes before its beginning");
    for (size_t i = end; i < end + GUARD; i++)
        if (out[i] != 0xa5) complain(t, "it writes behind its end");
}

static void try_once(const trial_of *t)
{
    const size_t size = t->fn->input[0]->size, made = t->fn->result->size, skew = t->skew * made;
    const size_t in_bytes = (t->skew + t->n) * size, out_bytes = skew + t->n * made + GUARD;
    const unsigned char *const x = input + t->skew * size;
    unsigned char ends[2 * WIDEST];
    void *in_mem = NULL, *out_mem = NULL;
    memset(ends, BEYOND, sizeof ends);
    memset(ends + size, BEYOND - 1, size);
    if (t->n > 0) map_copies(t, x, ends);
    memset(out, 0xa5, out_bytes);
    if (t->device) {
        must_be_ok(oplus_alloc(t->at->dev, in_bytes + 1, &in_mem), "oplus_alloc");
        must_be_ok(oplus_alloc(t->at->dev, out_bytes, &out_mem), "oplus_alloc");
        must_be_ok(oplus_copy(t->at->dev, in_mem, input, in_bytes), "oplus_copy");
        must_be_ok(oplus_copy(t->at->dev, out_mem, out, out_bytes), "oplus_copy");
    }
    const unsigned char *const from = t->device ? (unsigned char *)in_mem + t->skew * size : x;
    unsigned char *const to = (t->device ? (unsigned char *)out_mem : out) + skew;
    must_be_ok(
        oplus_map_neighbours(t->at->dev, t->fn, t->edge, t->edge == OPLUS_EDGE_GIVEN ? ends : NULL, from, t->n, to),
        "oplus_map_neighbours");
    if (t->device) must_be_ok(oplus_copy(t->at->dev, out, out_mem, out_bytes), "oplus_copy");
    oplus_free(t->at->dev, in_mem);
    oplus_free(t->at->dev, out_mem);
    if (memcmp(out + skew, expected, t->n * made) != 0) complain(t, "other bits");
    check_guards(t, skew, skew + t->n * made);
}

static void it_is_a_map_of_shifted_copies(void **state)
{
    static const size_t most[] = {5, 40, 5000, 70000, MOST - 4};
    size_t places;
    const place *const place = all_places(&places);
    const int times = test_quick() ? 2 : 6;
    rng r = test_rng("neighbours");
    (void)state;
    for (size_t p = 0; p < places; p++) {
        stand_at(&place[p], NULL, false);
        for (int i = 0; i < CASES * times; i++)
            for (int edge = OPLUS_EDGE_NEAREST; edge <= OPLUS_EDGE_GIVEN; edge++)
                try_once(&(trial_of){.at = &place[p],
                                     .serial = place[0].dev,
                                     .fn = cases[i % CASES],
                                     .edge = (oplus_edge)edge,
                                     .n = rng_below(&r, most[rng_below(&r, 5)]),
                                     .skew = rng_below(&r, 4),
                                     .device = place[p].accelerator && rng_below(&r, 2)});
    }
}

static void short_arrays(void **state)
{
    size_t places;
    const place *const place = all_places(&places);
    (void)state;
    for (size_t p = 0; p < places; p++) {
        stand_at(&place[p], NULL, false);
        for (size_t n = 0; n <= 4; n++)
            for (int edge = OPLUS_EDGE_NEAREST; edge <= OPLUS_EDGE_GIVEN; edge++)
                for (int k = 0; k < 2; k++)
                    try_once(
                        &(trial_of){&place[p], place[0].dev, k ? &step_fn : text, (oplus_edge)edge, n, n % 3, false});
    }
}

/* Pieces with their neighbours as given ends, and where their indices begin. */
static void pieces_fit_together(void **state)
{
    enum { ALL = 1000, PIECE = 170 };
    size_t places;
    oplus_device *const dev = all_places(&places)[0].dev;
    const int64_t *const x = (const int64_t *)(const void *)input;
    int64_t whole[ALL], parts[ALL];
    const int64_t beyond[] = {x[0], x[ALL - 1]};
    (void)state;
    must_be_ok(oplus_map_neighbours(dev, text, OPLUS_EDGE_NEAREST, NULL, x, ALL, whole), "the whole");
    for (size_t at = 0; at < ALL; at += PIECE) {
        const size_t n = at + PIECE < ALL ? PIECE : ALL - at;
        const oplus_fn from = oplus_from(text, at);
        const int64_t ends[] = {at > 0 ? x[at - 1] : beyond[0], at + n < ALL ? x[at + n] : beyond[1]};
        must_be_ok(oplus_map_neighbours(dev, &from, OPLUS_EDGE_GIVEN, ends, x + at, n, parts + at), "a piece");
    }
    assert_memory_equal(whole, parts, sizeof whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(it_is_a_map_of_shifted_copies), cmocka_unit_test(short_arrays),
                                       cmocka_unit_test(pieces_fit_together)};
    return cmocka_run_group_tests_name("neighbours", tests, allocate, release);
}
