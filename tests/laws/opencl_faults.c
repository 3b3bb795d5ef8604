/* Every call of OpenCL fails once, in each call of the library: the status and its message say so, the inputs are
 * intact, the device goes on, and nothing is left over.  Then the device is lost in the middle, and everything after
 * that fails, too.
 *
 * fake/opencl.c stands in front of the installed library. */
#include "support/laws.h"

#include "fake/opencl.h"
#include "driver/opencl/api.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 21001, ROWS = 150, COLS = 140, SEGMENTS = 300, REPEATED = 50 };

OPLUS_MAP(minus_u32, uint32_t, uint32_t, { return ~a; })
OPLUS_PREDICATE(odd_u32, uint32_t, { return (a & 1) == 1; })

static fake_opencl *fake;
static oplus_device *dev;
static bool on_device; /* where the arrays are */

/* The arrays of all calls: inputs on the host, which must stay as they are, and in device memory. */
static uint32_t x[N], expected[N], y[N], values[N], expected_values[N];
static uint8_t heads[N];
static uint64_t offsets[SEGMENTS + 1];
static uint32_t counts[SEGMENTS];
static void *dev_x, *dev_heads, *dev_offsets, *dev_counts, *dev_y, *dev_values;

static const void *in(void) { return on_device ? dev_x : x; }
static const uint8_t *flags(void) { return on_device ? dev_heads : heads; }
static const void *bounds(void) { return on_device ? dev_offsets : offsets; }
static void *out(void) { return on_device ? dev_y : y; }
static void *payload(void) { return on_device ? dev_values : values; }

/* --- the calls ---------------------------------------------------------------------------------------------------- */

static oplus_status run_reduce(oplus_device *d, bool host)
{
    return oplus_reduce(d, &oplus_sum_u32, host ? x : in(), N, host ? expected : out());
}
static oplus_status run_fold(oplus_device *d, bool host)
{
    static const uint32_t init = 77;
    return oplus_fold(d, &oplus_sum_u32, &init, host ? x : in(), N, host ? expected : out());
}
static oplus_status run_scan(oplus_device *d, bool host)
{
    return oplus_scan(d, &oplus_sum_u32, OPLUS_EXCLUSIVE, host ? x : in(), N, host ? expected : out());
}
static oplus_status run_segscan(oplus_device *d, bool host)
{
    return oplus_segscan(d, &oplus_sum_u32, OPLUS_INCLUSIVE, host ? x : in(), host ? heads : flags(), N,
                         host ? expected : out());
}
static oplus_status run_segreduce(oplus_device *d, bool host)
{
    return oplus_segreduce(d, &oplus_sum_u32, host ? x : in(), N, &oplus_u64, host ? offsets : bounds(), SEGMENTS,
                           host ? expected : out());
}
static oplus_status run_map(oplus_device *d, bool host)
{
    const void *const arrays[] = {host ? x : in()};
    return oplus_map(d, &minus_u32_fn, arrays, N, host ? expected : out());
}
static oplus_status run_filter(oplus_device *d, bool host)
{
    size_t kept;
    return oplus_filter(d, &odd_u32_fn, host ? x : in(), N, host ? expected : out(), &kept);
}
/* It takes scratch memory of the host, if the device has none. */
static oplus_status run_repeat(oplus_device *d, bool host)
{
    size_t total;
    const oplus_status status = oplus_trim(d);
    if (status != OPLUS_OK) return status;
    return oplus_repeat(d, &oplus_u32, host ? x : in(), SEGMENTS, &oplus_u32, host || !on_device ? counts : dev_counts,
                        host ? expected : out(), N, &total);
}
/* By a tree of samples, if that is wanted, and the device has memory for it. */
static oplus_status run_search(oplus_device *d, bool host)
{
    const oplus_status status = oplus_trim(d);
    if (status != OPLUS_OK) return status;
    return oplus_search(d, &oplus_u64, OPLUS_ASCENDING, host ? offsets : bounds(), SEGMENTS + 1, OPLUS_UPPER,
                        host ? x : in(), N / 2, &oplus_u32, host ? expected : out());
}
static oplus_status run_transpose(oplus_device *d, bool host)
{
    return oplus_transpose(d, &oplus_u32, host ? x : in(), ROWS, COLS, host ? expected : out());
}
static oplus_status run_sort(oplus_device *d, bool host)
{
    return oplus_sort(d, &oplus_u32, OPLUS_ASCENDING, host ? expected : out(), N);
}
static oplus_status run_sort_pairs(oplus_device *d, bool host)
{
    return oplus_sort_pairs(d, &oplus_u32, OPLUS_DESCENDING, host ? expected : out(), &oplus_u32,
                            host ? expected_values : payload(), N);
}
static oplus_status run_carry(oplus_device *d, bool host)
{
    oplus_carry *carry;
    oplus_status status = oplus_carry_open(&oplus_sum_u32, 0, &carry);
    if (status != OPLUS_OK) return status;
    status = oplus_carry_add(d, carry, host ? x : in(), N);
    if (status == OPLUS_OK)
        status = oplus_scan_from(d, carry, OPLUS_INCLUSIVE, host ? x : in(), N, host ? expected : out());
    oplus_carry_close(carry);
    return status;
}
static oplus_status run_memory(oplus_device *d, bool host)
{
    void *mem = NULL;
    oplus_status status = oplus_alloc(d, sizeof x, &mem);
    if (status == OPLUS_OK) status = oplus_copy(d, mem, host ? x : in(), sizeof x);
    if (status == OPLUS_OK) status = oplus_copy(d, host ? expected : out(), mem, sizeof x);
    if (status == OPLUS_OK) status = oplus_sync(d);
    oplus_free(d, mem);
    return status;
}
static oplus_status run_trim(oplus_device *d, bool host)
{
    const oplus_status status = oplus_trim(d);
    return status == OPLUS_OK ? run_scan(d, host) : status;
}

static const struct step {
    const char *name;
    oplus_status (*run)(oplus_device *d, bool host);
    bool in_place;   /* begins with x (and the values with heads) */
    size_t computed; /* elements of the result */
} steps[] = {
    {"reduce", run_reduce, false, 1},
    {"fold", run_fold, false, 1},
    {"scan", run_scan, false, N},
    {"segscan", run_segscan, false, N},
    {"carry", run_carry, false, N},
    {"memory", run_memory, false, N},
    {"trim", run_trim, false, N},
    {"segreduce", run_segreduce, false, SEGMENTS},
    {"map", run_map, false, N},
    {"filter", run_filter, false, N / 4},
    {"repeat", run_repeat, false, SEGMENTS *REPEATED},
    {"search", run_search, false, N / 2},
    {"transpose", run_transpose, false, ROWS *COLS},
    {"sort", run_sort, true, N},
    {"sort_pairs", run_sort_pairs, true, N},
};
enum { STEPS = sizeof steps / sizeof *steps };

/* --- one call ----------------------------------------------------------------------------------------------------- */

static void good(oplus_status status)
{
    if (status != OPLUS_OK) fail_msg("%s: %s", oplus_status_string(status), oplus_last_error());
}

static void no_failure(void)
{
    fake->fail = 0;
    fake->lost = 0;
    fake->failed = NULL;
}

/* Random numbers, the same each time. */
static void fill(void)
{
    for (size_t i = 0; i < N; i++) {
        x[i] = (uint32_t)(i * 2654435761u) >> 3;
        heads[i] = i % 97 == 3;
        expected_values[i] = values[i] = (uint32_t)i;
    }
    for (size_t s = 0; s <= SEGMENTS; s++) offsets[s] = s * s / 5;
    for (size_t s = 0; s < SEGMENTS; s++) counts[s] = s % 2 ? REPEATED + 7 : REPEATED - 7;
}

static oplus_status prepare(const struct step *step)
{
    memset(y, 0, sizeof y);
    for (size_t i = 0; i < N; i++) values[i] = (uint32_t)i;
    if (step->in_place) memcpy(y, x, sizeof x);
    if (!on_device) return OPLUS_OK;
    const oplus_status status = oplus_copy(dev, dev_y, y, sizeof y);
    return status == OPLUS_OK ? oplus_copy(dev, dev_values, values, sizeof values) : status;
}

static void compare(const struct step *step, const char *when)
{
    if (on_device) good(oplus_copy(dev, y, dev_y, sizeof y));
    if (on_device) good(oplus_copy(dev, values, dev_values, sizeof values));
    if (memcmp(y, expected, step->computed * sizeof *y) != 0 ||
        (step->run == run_sort_pairs && memcmp(values, expected_values, sizeof values) != 0))
        fail_msg("%s, arrays of the %s: wrong %s", step->name, on_device ? "device" : "host", when);
}

/* What the call should give, computed by this thread. */
static void expect_of(const struct step *step)
{
    oplus_device *serial;
    memset(expected, 0, sizeof expected);
    if (step->in_place) memcpy(expected, x, sizeof x);
    for (size_t i = 0; i < N; i++) expected_values[i] = (uint32_t)i;
    good(oplus_open("serial", &serial));
    good(step->run(serial, true));
    oplus_close(serial);
}

static void inputs_are_intact(const struct step *step)
{
    static uint32_t copy[N];
    uint32_t was;
    if (on_device) good(oplus_copy(dev, copy, dev_x, sizeof copy));
    for (size_t i = 0; i < N; i++) {
        was = (uint32_t)(i * 2654435761u) >> 3;
        if (x[i] != was || (on_device && copy[i] != was)) fail_msg("%s changed its input", step->name);
    }
}

static void check_failure(const struct step *step, oplus_status status, int nth)
{
    if (status == OPLUS_OK) {
        compare(step, "although it succeeded in spite of a failure");
        return;
    }
    if (status != OPLUS_ERR_DEVICE && status != OPLUS_ERR_MEMORY)
        fail_msg("%s, call %d: status %s: %s", step->name, nth, oplus_status_string(status), oplus_last_error());
    if (!strstr(oplus_last_error(), fake->failed) || !strstr(oplus_last_error(), "oplus_"))
        fail_msg("%s, call %d: \"%s\" does not name %s", step->name, nth, oplus_last_error(), fake->failed);
}

/* The N-th call of OpenCL fails, for every N. */
static int each_call_fails(const struct step *step)
{
    for (int nth = 1;; nth++) {
        good(prepare(step));
        /* without memory of the device a repeat goes on, and so does a search */
        const bool may_go_on = step->run == run_repeat || step->run == run_search;
        fake->error = nth % 2 && !may_go_on ? CL_OUT_OF_RESOURCES : CL_OUT_OF_HOST_MEMORY;
        fake->fail = nth;
        fake->failed = NULL;
        const oplus_status status = step->run(dev, false);
        const bool failed = fake->failed != NULL;
        fake->fail = 0;
        if (failed) check_failure(step, status, nth);
        if (!failed) good(status);
        inputs_are_intact(step);
        no_failure();
        good(prepare(step)); /* the device goes on */
        good(step->run(dev, false));
        compare(step, "after a failure");
        if (!failed) return nth - 1;
    }
}

/* --- devices ------------------------------------------------------------------------------------------------------ */

static void open_device(void)
{
    good(oplus_open("opencl:cpu", &dev));
    if (!on_device) return;
    good(oplus_alloc(dev, sizeof x, &dev_x));
    good(oplus_alloc(dev, sizeof heads, &dev_heads));
    good(oplus_alloc(dev, sizeof offsets, &dev_offsets));
    good(oplus_alloc(dev, sizeof counts, &dev_counts));
    good(oplus_alloc(dev, sizeof y, &dev_y));
    good(oplus_alloc(dev, sizeof values, &dev_values));
    good(oplus_copy(dev, dev_x, x, sizeof x));
    good(oplus_copy(dev, dev_heads, heads, sizeof heads));
    good(oplus_copy(dev, dev_offsets, offsets, sizeof offsets));
    good(oplus_copy(dev, dev_counts, counts, sizeof counts));
}

/* Closes the device and frees its memory; no object of OpenCL may be left. */
static void close_device(const char *when)
{
    oplus_close(dev);
    no_failure();
    if (fake->objects != 0) fail_msg("%s: %ld objects are left after oplus_close", when, fake->objects);
}

static void steps_fail(bool device_memory)
{
    on_device = device_memory;
    open_device();
    for (int i = 0; i < STEPS; i++) {
        expect_of(&steps[i]);
        good(prepare(&steps[i]));
        good(steps[i].run(dev, false));
        compare(&steps[i], "without any failure");
        const int calls = each_call_fails(&steps[i]);
        /* the host may transpose what lies in its memory */
        if (calls < 2 && (on_device || steps[i].run != run_transpose))
            fail_msg("%s makes %d calls of OpenCL", steps[i].name, calls);
    }
    close_device("steps");
}

static void with_arrays_of_the_host(void **state)
{
    (void)state;
    steps_fail(false);
}

static void with_arrays_of_the_device(void **state)
{
    (void)state;
    steps_fail(true);
}

/* One step with arrays of the device, which reads this variable. */
static void step_fails(oplus_status (*run)(oplus_device *d, bool host), const char *variable, const char *value)
{
    const struct step *step = steps;
    while (step->run != run) step++;
    on_device = true;
    setenv(variable, value, 1);
    open_device();
    expect_of(step);
    each_call_fails(step);
    close_device(step->name);
    unsetenv(variable);
}

/* Work-groups of several work-items write ends of blocks, if the device has memory for these. */
static void repeat_of_blocks(void **state)
{
    (void)state;
    step_fails(run_repeat, "OPLUS_SHAPE", "group");
}

static void search_by_tree(void **state)
{
    (void)state;
    step_fails(run_search, "OPLUS_WAY", "tree");
}

/* Opening, and the first call, which compiles or loads a program. */
static void first_call_fails(int first)
{
    const struct step *const step = &steps[2];
    on_device = false;
    expect_of(step);
    for (int nth = first, failed = 1; failed; nth += test_quick() ? 5 : 1) {
        good(prepare(step));
        fake->error = nth % 2 ? CL_OUT_OF_RESOURCES : CL_OUT_OF_HOST_MEMORY;
        fake->fail = nth;
        oplus_status status = oplus_open("opencl:cpu", &dev);
        if (status == OPLUS_OK) status = step->run(dev, false);
        failed = fake->failed != NULL;
        fake->fail = 0;
        if (failed && status != OPLUS_OK && dev == NULL) { /* in a list of devices the failing one is missing */
            assert_int_equal(status, OPLUS_ERR_DEVICE == status ? OPLUS_ERR_DEVICE : OPLUS_ERR_MEMORY);
            assert_non_null(strstr(oplus_last_error(), "oplus_open"));
        } else if (failed) {
            check_failure(step, status, nth);
        } else {
            good(status);
        }
        no_failure();
        if (dev == NULL) continue;
        good(prepare(step));
        good(step->run(dev, false));
        compare(step, "after a failure");
        close_device("the first call");
    }
    assert_int_equal(fake->objects, 0);
}

static void first_call(void **state)
{
    (void)state;
    first_call_fails(1);
}

static void first_call_without_cache(void **state)
{
    (void)state;
    setenv("OPLUS_CACHE", "0", 1);
    fake->calls = 0;
    on_device = false;
    open_device(); /* every attempt to open it has failed */
    const int first = (int)fake->calls + 1;
    close_device("opening");
    first_call_fails(first);
    unsetenv("OPLUS_CACHE");
}

/* All calls from the N-th on fail: nothing crashes, and closing releases everything. */
static void lost_in_the_middle(void **state)
{
    (void)state;
    for (int device_memory = 0; device_memory < 2; device_memory++)
        for (int i = 0; i < STEPS; i++)
            for (int nth = 1, failed = 1; failed; nth += test_quick() ? 11 : 3) {
                on_device = device_memory;
                open_device();
                good(prepare(&steps[i]));
                fake->fail = nth;
                fake->lost = 1;
                fake->error = CL_DEVICE_NOT_AVAILABLE;
                const oplus_status status = steps[i].run(dev, false);
                failed = fake->failed != NULL;
                /* cores search in arrays of the host, for which this device has too little memory */
                const bool needs_none = !on_device && steps[i].run == run_search;
                if (failed && status == OPLUS_OK && strncmp(fake->failed, "clRelease", 9) != 0 &&
                    strcmp(steps[i].name, "memory") != 0 && !needs_none)
                    fail_msg("%s succeeded although the device was lost at %s", steps[i].name, fake->failed);
                close_device(steps[i].name);
            }
}

int main(void)
{
    setenv("OPLUS_OPENCL_LIBRARY", FAKE_OPENCL, 1);
    setenv("OPLUS_DEVICE_MEMORY", "96K", 1); /* pieces of 32 KiB */
    fake = fake_opencl_open(FAKE_OPENCL);
    if (!fake) return 1;
    fill();
    if (oplus_open("opencl:cpu", &dev) != OPLUS_OK) return printf("not tried: %s\n", oplus_last_error()), 77;
    oplus_close(dev);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(with_arrays_of_the_host),
        cmocka_unit_test(with_arrays_of_the_device),
        cmocka_unit_test(repeat_of_blocks),
        cmocka_unit_test(search_by_tree),
        cmocka_unit_test(first_call),
        cmocka_unit_test(first_call_without_cache),
        cmocka_unit_test(lost_in_the_middle),
    };
    return cmocka_run_group_tests_name("opencl_faults", tests, NULL, NULL);
}
