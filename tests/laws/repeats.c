/* The same large call again and again on a GPU: a race would show as a result that now and then is another one.  The first
 * result is compared with the cores', the others with the first one, on the device.  It ends with 77 where there is no CUDA
 * device.
 *
 *     OPLUS_TEST_CALLS=n   so many calls of each kind */
#include "support/laws.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = (1 << 23) + 12345, MOST = 8 /* bytes of an element */, WORDS = N * (MOST / 4) };

static oplus_device *dev, *cores;

OPLUS_PREDICATE(low, uint32_t, { return a < 0x60000000u; })
OPLUS_ZIP(alike, uint8_t, uint8_t, uint8_t, { return (a ^ b) < 128; })
OPLUS_ZIP(differs, uint32_t, uint32_t, uint32_t, { return a != b; })

/* `in` is the input; a call writes `out`, which has been `in` where it sorts, and `values`. */
typedef struct arrays {
    void *in, *out, *values, *small;
} arrays;

#define CALL(name, ...)                                                                                                \
    static oplus_status name(oplus_device *d, const arrays *a) { return __VA_ARGS__; }
CALL(reduce, oplus_reduce(d, &oplus_sum_f32, a->in, N, a->out))
CALL(scan, oplus_scan(d, &oplus_sum_f32, OPLUS_INCLUSIVE, a->in, N, a->out))
CALL(scan_wide, oplus_scan(d, &oplus_sum_f64, OPLUS_EXCLUSIVE, a->in, N, a->out))
CALL(segscan, oplus_segscan(d, &oplus_sum_u32, OPLUS_INCLUSIVE, a->in, a->in, N, a->out))
CALL(filter, oplus_filter(d, &low_fn, a->in, N, a->out, a->small))
CALL(runs, oplus_unique(d, &oplus_u8, &alike_fn, a->in, N, a->out, &oplus_u32, NULL, a->values, NULL, a->small))
CALL(sort, oplus_sort(d, &oplus_u32, OPLUS_ASCENDING, a->out, N))
CALL(sort_wide, oplus_sort(d, &oplus_i64, OPLUS_DESCENDING, a->out, N))
CALL(pairs, oplus_sort_pairs(d, &oplus_f32, OPLUS_ASCENDING, a->out, &oplus_u32, a->values, N))
CALL(transpose, oplus_transpose(d, &oplus_u32, a->in, 1023, N / 1023, a->out))
#undef CALL

static const struct {
    const char *name;
    oplus_status (*run)(oplus_device *d, const arrays *a);
} calls[] = {
    {"reduce", reduce}, {"scan", scan}, {"scan of f64", scan_wide}, {"segscan", segscan}, {"filter", filter},
    {"runs", runs},     {"sort", sort}, {"sort of i64", sort_wide}, {"pairs", pairs},     {"transpose", transpose}};

static arrays here, there;
static void *first;   /* what the first call has written */
static uint32_t *any; /* whether the words of an output differ */

/* Both places hold what they held before the first call. */
static void begin_at(oplus_device *d, const arrays *a)
{
    must_be_ok(oplus_copy(d, a->out, a->in, (size_t)WORDS * 4), "copy");
    must_be_ok(oplus_copy(d, a->values, a->in, (size_t)N * 4), "copy");
}

static void compare_with_cores(const char *name)
{
    uint32_t *const fetched = must(malloc((size_t)WORDS * 4));
    must_be_ok(oplus_copy(dev, fetched, there.out, (size_t)WORDS * 4), name);
    for (size_t i = 0; i < WORDS; i++)
        if (fetched[i] != ((uint32_t *)here.out)[i]) fail_msg("%s: word %zu differs from the cores'", name, i);
    must_be_ok(oplus_copy(dev, fetched, there.values, (size_t)N * 4), name);
    assert_memory_equal(fetched, here.values, (size_t)N * 4);
    free(fetched);
}

static uint32_t differing(void)
{
    uint32_t count;
    must_be_ok(oplus_map(dev, &differs_fn, (const void *const[]){there.out, first}, WORDS, any), "map");
    must_be_ok(oplus_reduce(dev, &oplus_sum_u32, any, WORDS, &count), "reduce");
    return count;
}

static void repeat(size_t i, long times)
{
    begin_at(cores, &here);
    must_be_ok(calls[i].run(cores, &here), calls[i].name);
    for (long k = 0; k < times; k++) {
        begin_at(dev, &there);
        must_be_ok(calls[i].run(dev, &there), calls[i].name);
        if (k == 0) {
            compare_with_cores(calls[i].name);
            must_be_ok(oplus_copy(dev, first, there.out, (size_t)WORDS * 4), "copy");
            continue;
        }
        const uint32_t count = differing();
        if (count > 0) fail_msg("%s: call %ld differs from the first one in %u words", calls[i].name, k, count);
    }
}

static void each_call_gives_the_same(void **state)
{
    const long times = test_number("OPLUS_TEST_CALLS", test_all() ? 1000 : 100);
    (void)state;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) repeat(i, times);
}

/* Floats of both widths that are numbers, and sums that stay finite. */
static void make_all(void)
{
    rng r = test_rng("repeats");
    void **const own[] = {&here.in, &here.out, &here.values, &here.small};
    void **const device[] = {&there.in, &there.out, &there.values, &there.small, &first, (void **)&any};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) *own[i] = must(malloc((size_t)WORDS * 4));
    for (size_t i = 0; i < sizeof device / sizeof *device; i++)
        must_be_ok(oplus_alloc(dev, (size_t)WORDS * 4, device[i]), "alloc");
    for (size_t i = 0; i < WORDS; i++) ((uint32_t *)here.in)[i] = (uint32_t)rng_next(&r) & 0x7f7fffffu & 0xbfffffffu;
    must_be_ok(oplus_copy(dev, there.in, here.in, (size_t)WORDS * 4), "copy");
}

static void free_all(void)
{
    void *const own[] = {here.in, here.out, here.values, here.small};
    void *const device[] = {there.in, there.out, there.values, there.small, first, any};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) free(own[i]);
    for (size_t i = 0; i < sizeof device / sizeof *device; i++) oplus_free(dev, device[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_call_gives_the_same)};
    if (oplus_open("cuda:0", &dev) != OPLUS_OK) return printf("not tried: %s\n", oplus_last_error()), 77;
    if (oplus_open("threads", &cores) != OPLUS_OK) return 1;
    make_all();
    const int failed = cmocka_run_group_tests_name("repeats", tests, NULL, NULL);
    free_all();
    oplus_close(dev);
    oplus_close(cores);
    return failed;
}
