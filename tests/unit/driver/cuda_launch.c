/* Launches on CUDA, and what a kernel is allowed, with a fake driver that keeps the books (fake/cuda.c). */
#include "driver/cuda/api.h"
#include "support/cuda.h"
#include "support/launch.h"

#include <string.h>

static opi_gpu *gpu;
static void *program, *kernel;

static void stand_on(const char *where)
{
    gpu = open_device(where, NULL);
    good(opi_cuda.compile(gpu, "test", "a kernel", "text", &program));
    good(opi_cuda.kernel(gpu, "test", program, "k", &kernel));
}

static void leave(void)
{
    opi_cuda.unload(gpu, program);
    close_device(gpu);
}

static int on_the_first(void **state)
{
    const int status = begin_books(state);
    stand_on(":0");
    return status;
}

static int left(void **state)
{
    leave();
    return end_books(state);
}

/* All allowed shapes of arguments, in their order, as the kernel gets them. */
static void arguments(void **state)
{
    void *mem;
    const uint8_t small = 200;
    const int32_t medium = -3;
    const uint64_t large = UINT64_C(1) << 40;
    (void)state;
    good(opi_cuda.alloc(gpu, "test", 64, &mem));
    const opi_gpu_argument argument[] = {opi_value(small), opi_memory((char *)mem + 8), opi_value(medium),
                                         opi_memory(NULL), opi_value(large)};
    const int sizes[] = {1, 8, 8, 4, 8, 8, 8};
    memcpy(fake->size, sizes, sizeof sizes);
    good(launch_plain(gpu, kernel, INT32_MAX, 256, argument, 5));
    const uint64_t expected[] = {small, (uintptr_t)mem + 8, 0, (uint32_t)medium, 0, 0, large};
    assert_memory_equal(fake->launch.parameter, expected, sizeof expected);
    assert_int_equal(fake->launch.grid[0], INT32_MAX);
    assert_int_equal(fake->launch.grid[1] * fake->launch.grid[2], 1);
    assert_int_equal(fake->launch.block[0], 256);
    assert_int_equal(fake->launch.block[1] * fake->launch.block[2], 1);
    assert_int_equal(fake->launch.shared, 0);
    assert_false(fake->launch.extra);

    opi_gpu_argument many[25];
    for (int i = 0; i < 25; i++) many[i] = opi_memory((char *)mem + i);
    for (int i = 0; i < 48; i++) fake->size[i] = 8;
    good(launch_plain(gpu, kernel, 1, 1, many, 24));
    assert_int_equal(fake->launch.parameter[46], (uintptr_t)mem + 23);
    assert_int_equal(fake->launch.parameter[47], 0);
    fails_with(OPLUS_ERR_INTERNAL, launch_plain(gpu, kernel, 1, 1, many, 25), "25 arguments");
    fails_with(OPLUS_ERR_UNSUPPORTED, launch_plain(gpu, kernel, UINT64_C(1) << 31, 1, many, 1),
               "2147483648 work-groups");
    const int calls = fake->calls;
    good(launch_plain(gpu, kernel, 0, 1, many, 1)); /* of nothing: the driver is not asked */
    assert_int_equal(fake->calls, calls);
    opi_cuda.free(gpu, mem);
}

/* --- groups that know of each other -------------------------------------------------------------------------------- */

/* Bytes of shared memory that the launch adds; more than kernels have by default only once that is allowed. */
static void shared_memory(void **state)
{
    opi_launch some = {.kernel = kernel, .groups = 3, .items = 64, .local = FAKE_SHARED};
    (void)state;
    good(opi_cuda.launch(gpu, "test", &some));
    assert_int_equal(fake->launch.shared, FAKE_SHARED);
    some.local = 200 << 10;
    fails_with(OPLUS_ERR_DEVICE, opi_cuda.launch(gpu, "test", &some), "CUDA_ERROR_INVALID_VALUE");
    good(opi_cuda.allow(gpu, "test", kernel, some.local, 100));
    assert_int_equal(fake->allowed, 200 << 10);
    assert_int_equal(fake->carve_out, 100);
    good(opi_cuda.launch(gpu, "test", &some));
    assert_int_equal(fake->launch.shared, 200 << 10);
    assert_int_equal(fake->launch.cluster, 1);
    assert_false(fake->launch.cooperative);
    good(opi_cuda.allow(gpu, "test", kernel, FAKE_SHARED_MOST, -1));
    assert_int_equal(fake->carve_out, -1);
    fails_with(OPLUS_ERR_UNSUPPORTED, opi_cuda.allow(gpu, "test", kernel, FAKE_SHARED_MOST + 1, -1),
               "test: 232449 bytes of shared memory in a work-group; cuda:0 has up to 232448");
    some.local = FAKE_SHARED_MOST + 1;
    fails_with(OPLUS_ERR_UNSUPPORTED, opi_cuda.launch(gpu, "test", &some), "cuda:0 has up to 232448");
}

/* As many as the query says run at once, and one more is refused. */
static void residents(void **state)
{
    static const struct {
        unsigned items;
        size_t local;
        unsigned each; /* of a multiprocessor */
    } cases[] = {{1024, 0, 2}, {256, 0, 8}, {32, 0, 64}, {256, 100 << 10, 2}, {512, 227 << 10, 1}, {1024, 40 << 10, 2}};
    (void)state;
    good(opi_cuda.allow(gpu, "test", kernel, FAKE_SHARED_MOST, 100));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        opi_launch all = {.kernel = kernel, .items = cases[i].items, .local = cases[i].local, .resident = true};
        good(opi_cuda.residents(gpu, "test", &all, &all.groups));
        assert_int_equal(all.groups, cases[i].each * FAKE_UNITS);
        good(opi_cuda.launch(gpu, "test", &all));
        assert_true(fake->launch.cooperative);
        assert_int_equal(fake->launch.grid[0], all.groups);
        assert_int_equal(fake->launch.shared, cases[i].local);
        all.groups++;
        fails_with(OPLUS_ERR_DEVICE, opi_cuda.launch(gpu, "test", &all), "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE");
        says("take fewer elements");
    }
}

static void clusters(void **state)
{
    const int sizes[] = {8, 8, 4};
    const uint32_t value = 7;
    const opi_gpu_argument list[] = {opi_memory(NULL), opi_value(value)};
    opi_launch all = {.kernel = kernel, .items = 1024, .cluster = 8, .argument = list, .arguments = 2};
    (void)state;
    memcpy(fake->size, sizes, sizeof sizes);
    for (int resident = 0; resident < 2; resident++) {
        all.resident = resident;
        good(opi_cuda.residents(gpu, "test", &all, &all.groups));
        assert_int_equal(all.groups, 2 * (FAKE_UNITS - 4)); /* some multiprocessors are in no cluster */
        good(opi_cuda.launch(gpu, "test", &all));
        assert_int_equal(fake->launch.cluster, 8);
        assert_int_equal(fake->launch.cooperative, resident);
        assert_int_equal(fake->launch.grid[0], all.groups);
        assert_int_equal(fake->launch.block[0], 1024);
        assert_int_equal(fake->launch.parameter[2], 7);
    }
    all.groups += 4;
    fails_with(OPLUS_ERR_INTERNAL, opi_cuda.launch(gpu, "test", &all),
               "260 work-groups are no whole number of clusters");
    all.cluster = 16;
    fails_with(OPLUS_ERR_UNSUPPORTED, opi_cuda.launch(gpu, "test", &all),
               "clusters of 16 work-groups; cuda:0 has up to 8");
    fails_with(OPLUS_ERR_UNSUPPORTED, opi_cuda.residents(gpu, "test", &all, &all.groups), "clusters of 16");
}

/* A device that has none of it says so, and the driver is not asked. */
static void an_older_device(void **state)
{
    opi_launch all = {.groups = 2, .items = 32, .resident = true};
    uint64_t groups;
    (void)state;
    stand_on(":1");
    all.kernel = kernel;
    const int calls = fake->calls;
    fails_with(OPLUS_ERR_UNSUPPORTED, opi_cuda.launch(gpu, "test", &all), "cuda:1 cannot promise that all work-groups");
    fails_with(OPLUS_ERR_UNSUPPORTED, opi_cuda.residents(gpu, "test", &all, &groups), "cuda:1 cannot promise");
    all = (opi_launch){.kernel = kernel, .groups = 2, .items = 32, .cluster = 2};
    fails_with(OPLUS_ERR_UNSUPPORTED, opi_cuda.launch(gpu, "test", &all), "cuda:1 has up to 0");
    assert_int_equal(fake->calls, calls);
    all.cluster = 1; /* by itself */
    good(opi_cuda.launch(gpu, "test", &all));
    leave();
}

/* --- the part ----------------------------------------------------------------------------------------------------- */

#define ON_THE_FIRST(test) cmocka_unit_test_setup_teardown(test, on_the_first, left)

static int run_fake(void)
{
    const struct CMUnitTest tests[] = {ON_THE_FIRST(arguments), ON_THE_FIRST(shared_memory), ON_THE_FIRST(residents),
                                       ON_THE_FIRST(clusters), WITH_BOOKS(an_older_device)};
    return cmocka_run_group_tests_name("launches on a fake driver", tests, find_fake, NULL);
}

int main(void)
{
    const part parts[] = {{FAKE_CUDA, FAKE_CUDA, NULL, NULL, NULL, run_fake}};
    return run_parts(parts, 1);
}
