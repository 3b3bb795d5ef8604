/* "auto" goes on with the cores where an accelerator lacks memory, but never with an input that is already written
 * over: every allocation, and every other call of OpenCL, fails once in each call that works in place, and the result
 * is right or the call says that it failed.  Where memory is what was lacking, the result is right: all of it is
 * reserved before anything is written.
 *
 * fake/opencl.c stands in front of the installed library, and says that the cores are a GPU; the linker sends the
 * library's calls of malloc and its kin through the __wrap_ functions here (auto_faults.link). */
#include "support/laws.h"

#include "fake/opencl.h"
#include "auto/auto.h"
#include "driver/opencl/api.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- the allocator that fails ------------------------------------------------------------------------------------- */

static int failing; /* counts down to the allocation that fails; 0: none */
static bool failed;

static bool fails(void)
{
    if (failing == 0 || --failing > 0) return false;
    failed = true;
    return true;
}

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *mem, size_t bytes);
void *__real_aligned_alloc(size_t align, size_t bytes);

void *__wrap_malloc(size_t bytes) { return fails() ? NULL : __real_malloc(bytes); }
void *__wrap_calloc(size_t n, size_t size) { return fails() ? NULL : __real_calloc(n, size); }
void *__wrap_realloc(void *mem, size_t bytes) { return fails() ? NULL : __real_realloc(mem, bytes); }
void *__wrap_aligned_alloc(size_t align, size_t bytes) { return fails() ? NULL : __real_aligned_alloc(align, bytes); }

/* --- the calls ---------------------------------------------------------------------------------------------------- */

enum {
    MOST = 200003, /* number of elements */
    SOME = 21001,
    SHIFT = 100, /* elements between the beginning of filter's output and its input */
    PAYLOAD = 3
};

OPLUS_MAP(step_u32, uint32_t, uint32_t, { return a * 3 + 1; })
OPLUS_ZIP(blend_u32, uint32_t, uint32_t, uint32_t, { return a * 5 + b; })
OPLUS_PREDICATE(odd_u32, uint32_t, { return (a & 1) == 1; })
OPLUS_STRUCT(load, uint32_t word[PAYLOAD];) /* too wide to travel with its key */

static fake_opencl *fake;
static oplus_device *dev;
static size_t n;

/* The arrays of a call; the whole struct is compared. */
static struct data {
    uint32_t x[SHIFT + MOST], second[MOST], values[PAYLOAD * MOST];
    uint8_t heads[MOST];
    uint32_t value; /* value of a carry, after the call */
    size_t kept;
} is, expected, was;

static oplus_status run_map(oplus_device *d, struct data *a)
{
    const void *const in[] = {a->x};
    return oplus_map(d, &step_u32_fn, in, n, a->x);
}
static oplus_status run_zip(oplus_device *d, struct data *a)
{
    const void *const in[] = {a->x, a->second};
    return oplus_map(d, &blend_u32_fn, in, n, a->second);
}
static oplus_status run_filter(oplus_device *d, struct data *a)
{
    return oplus_filter(d, &odd_u32_fn, a->x, n, a->x, &a->kept);
}
static oplus_status run_filter_before(oplus_device *d, struct data *a)
{
    return oplus_filter(d, &odd_u32_fn, a->x + SHIFT, n, a->x, &a->kept);
}
static oplus_status run_reduce(oplus_device *d, struct data *a)
{
    return oplus_reduce(d, &oplus_sum_u32, a->x, n, a->x);
}
static oplus_status run_scan(oplus_device *d, struct data *a)
{
    return oplus_scan(d, &oplus_sum_u32, OPLUS_EXCLUSIVE, a->x, n, a->x);
}
static oplus_status run_segscan(oplus_device *d, struct data *a)
{
    return oplus_segscan(d, &oplus_sum_u32, OPLUS_INCLUSIVE, a->x, a->heads, n, a->x);
}
static oplus_status run_scan_from(oplus_device *d, struct data *a)
{
    oplus_carry *carry;
    oplus_status status = oplus_carry_open(&oplus_sum_u32, 5, &carry);
    if (status != OPLUS_OK) return status;
    status = oplus_carry_add(d, carry, a->second, 11);
    if (status == OPLUS_OK) status = oplus_scan_from(d, carry, OPLUS_INCLUSIVE, a->x, n, a->x);
    if (status == OPLUS_OK) status = oplus_carry_value(carry, &a->value);
    oplus_carry_close(carry);
    return status;
}
static oplus_status run_sort(oplus_device *d, struct data *a)
{
    return oplus_sort(d, &oplus_u32, OPLUS_ASCENDING, a->x, n);
}
static oplus_status run_sort_pairs(oplus_device *d, struct data *a)
{
    return oplus_sort_pairs(d, &oplus_u32, OPLUS_DESCENDING, a->x, &oplus_u32, a->values, n);
}
static oplus_status run_sort_wide(oplus_device *d, struct data *a)
{
    return oplus_sort_pairs(d, &oplus_u32, OPLUS_ASCENDING, a->x, &load_type, a->values, n);
}
static oplus_status run_transpose(oplus_device *d, struct data *a)
{
    const size_t side = 60; /* so that it fits the device, and is turned there */
    return oplus_transpose(d, &oplus_u32, a->x, side, side, a->x);
}

static const struct step {
    const char *name;
    oplus_status (*run)(oplus_device *d, struct data *a);
    size_t most; /* elements at most; a sort does not go in pieces, and is slow: some elements are enough */
} steps[] = {
    {"map", run_map, MOST},
    {"map of two", run_zip, MOST},
    {"filter", run_filter, MOST},
    {"filter to before", run_filter_before, MOST},
    {"reduce into its input", run_reduce, MOST},
    {"scan", run_scan, MOST},
    {"segscan", run_segscan, MOST},
    {"scan_from", run_scan_from, MOST},
    {"sort", run_sort, SOME},
    {"sort_pairs", run_sort_pairs, SOME},
    {"sort_pairs of wide values", run_sort_wide, SOME},
    {"transpose", run_transpose, MOST},
};
enum { STEPS = sizeof steps / sizeof *steps };

/* --- the devices -------------------------------------------------------------------------------------------------- */

static void good(oplus_status status)
{
    if (status != OPLUS_OK) fail_msg("%s: %s", oplus_status_string(status), oplus_last_error());
}

/* Opens "auto" as if it had measured that the accelerator is always faster. */
static void open_auto(const char *memory)
{
    setenv("OPLUS_DEVICE_MEMORY", memory, 1);
    good(oplus_open("auto", &dev));
    opi_auto *const a = (opi_auto *)dev;
    good(oplus_open("opencl:gpu", &a->accelerator));
    a->looked = true;
    for (int w = 0; w < OPI_WORKS; w++) {
        a->figures.cores[w] = (opi_line){1, 1};
        a->figures.accelerator[w] = (opi_line){0, 0};
    }
}

static void prepare(void) { memcpy(&is, &was, sizeof is); }

static void expect_of(const struct step *step)
{
    oplus_device *serial;
    good(oplus_open("serial", &serial));
    prepare();
    good(step->run(serial, &is));
    memcpy(&expected, &is, sizeof is);
    oplus_close(serial);
}

/* What a filter has written behind the kept elements does not matter. */
static bool is_right(const struct step *step)
{
    if (step->run == run_filter || step->run == run_filter_before)
        return is.kept == expected.kept && memcmp(is.x, expected.x, expected.kept * sizeof *is.x) == 0;
    return memcmp(&is, &expected, sizeof is) == 0;
}

/* --- the laws ----------------------------------------------------------------------------------------------------- */

/* Checks a call in which one thing failed; `rescued`: the cores can replace it. */
static void check(const struct step *step, oplus_status status, const char *what, int nth, bool rescued)
{
    if (status == OPLUS_OK && !is_right(step))
        fail_msg("%s: %s failed (%d), and the result is wrong", step->name, what, nth);
    if (rescued && status != OPLUS_OK)
        fail_msg("%s: %s failed (%d), and so did the call: %s", step->name, what, nth, oplus_last_error());
    if (status != OPLUS_OK && status != OPLUS_ERR_MEMORY && status != OPLUS_ERR_DEVICE)
        fail_msg("%s: %s failed (%d): %s", step->name, what, nth, oplus_status_string(status));
}

/* Large arrays make many calls, of which not all are tried. */
static int stride(void) { return test_quick() && n == MOST ? 3 : 1; }

static void each_call_of_opencl_fails(const struct step *step)
{
    for (int nth = 1, one_failed = 1; one_failed; nth += stride()) {
        good(oplus_trim(dev)); /* so that all memory is allocated again */
        prepare();
        fake->error = nth % 2 ? CL_MEM_OBJECT_ALLOCATION_FAILURE : CL_OUT_OF_HOST_MEMORY;
        fake->fail = nth;
        fake->failed = NULL;
        const oplus_status status = step->run(dev, &is);
        one_failed = fake->failed != NULL;
        fake->fail = 0;
        if (one_failed)
            check(step, status, fake->failed, nth, strcmp(fake->failed, "clCreateBuffer") == 0);
        else
            check(step, status, "nothing", 0, true);
        if (!one_failed && nth < 3) fail_msg("%s makes %d calls of OpenCL", step->name, nth - 1);
    }
}

/* Allocations of the host: if the cores lack memory too, nothing can go on. */
static void each_allocation_fails(const struct step *step)
{
    for (int nth = 1, one_failed = 1; one_failed; nth++) {
        good(oplus_trim(dev));
        prepare();
        failed = false;
        failing = nth;
        const oplus_status status = step->run(dev, &is);
        one_failed = failed;
        failing = 0;
        check(step, status, one_failed ? "an allocation" : "nothing", nth, !one_failed);
    }
}

static void with_memory(const char *memory, size_t elements)
{
    open_auto(memory);
    for (int i = 0; i < STEPS; i++) {
        n = elements < steps[i].most ? elements : steps[i].most;
        expect_of(&steps[i]);
        prepare();
        const long before = fake->calls;
        good(steps[i].run(dev, &is)); /* compiles */
        check(&steps[i], OPLUS_OK, "nothing", 0, true);
        if (fake->calls == before) fail_msg("%s is not done by the accelerator", steps[i].name);
        each_call_of_opencl_fails(&steps[i]);
        each_allocation_fails(&steps[i]);
    }
    oplus_close(dev);
}

/* Pieces go to the caller's arrays directly. */
static void in_small_pieces(void **state)
{
    (void)state;
    with_memory("96K", SOME);
}

/* Pieces go through pinned memory. */
static void in_pinned_pieces(void **state)
{
    (void)state;
    with_memory("1500K", MOST);
}

static void in_one_piece(void **state)
{
    (void)state;
    with_memory("", SOME);
}

/* The device "gpu" is one of OpenCL if CUDA has none. */
static void gpu_is_the_first(void **state)
{
    (void)state;
    oplus_device *first;
    good(oplus_open("gpu", &first));
    assert_memory_equal(oplus_device_name(first), "opencl:", 7);
    oplus_close(first);
    fake->as_gpu = 0;
    assert_int_equal(oplus_open("gpu", &first), OPLUS_ERR_DEVICE);
    assert_non_null(strstr(oplus_last_error(), "there is no GPU; cuda: "));
    assert_non_null(strstr(oplus_last_error(), "; opencl:0 ("));
    fake->as_gpu = 1;
}

/* A GPU that exists but cannot be opened counts as a GPU: the message says what failed. */
static void gpu_does_not_open(void **state)
{
    (void)state;
    oplus_status status = OPLUS_OK;
    fake->failed = NULL;
    for (int nth = 1; nth < 100 && (!fake->failed || strcmp(fake->failed, "clCreateContext") != 0); nth++) {
        oplus_device *first;
        fake->error = CL_DEVICE_NOT_AVAILABLE;
        fake->fail = nth;
        fake->failed = NULL;
        status = oplus_open("gpu", &first);
        oplus_close(first);
    }
    fake->fail = 0;
    assert_int_equal(status, OPLUS_ERR_DEVICE);
    if (!strstr(oplus_last_error(), "but none opens; ") || !strstr(oplus_last_error(), "; opencl: clCreateContext") ||
        strstr(oplus_last_error(), "is none"))
        fail_msg("%s", oplus_last_error());
}

static void fill(void)
{
    for (size_t i = 0; i < SHIFT + MOST; i++) was.x[i] = (uint32_t)(i * 2654435761u) >> 3;
    for (size_t i = 0; i < MOST; i++) {
        was.second[i] = (uint32_t)(i * 40503u);
        was.heads[i] = i % 97 == 3;
    }
    for (size_t i = 0; i < PAYLOAD * MOST; i++) was.values[i] = (uint32_t)i;
}

int main(void)
{
    setenv("OPLUS_OPENCL_LIBRARY", FAKE_OPENCL, 1);
    setenv("OPLUS_CUDA_LIBRARY", "/nowhere", 1);
    fake = fake_opencl_open(FAKE_OPENCL);
    if (!fake) return 1;
    fake->as_gpu = 1;
    /* The host does the same for kernels of both shapes, and PoCL needs twenty times as long to compile groups. */
    if (!test_long()) setenv("OPLUS_SHAPE", "chunk", 1);
    fill();
    if (oplus_open("opencl:gpu", &dev) != OPLUS_OK) return printf("not tried: %s\n", oplus_last_error()), 77;
    oplus_close(dev);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gpu_is_the_first), cmocka_unit_test(gpu_does_not_open), cmocka_unit_test(in_small_pieces),
        cmocka_unit_test(in_pinned_pieces), cmocka_unit_test(in_one_piece),
    };
    return cmocka_run_group_tests_name("auto_faults", tests, NULL, NULL);
}
