/* Launches on CUDA, and what is allowed for a kernel: with a fake driver that keeps the books (fake/cuda.c), and on a
 * real device if there is one. */
#include "driver/cuda/api.h"
#include "support/cuda.h"
#include "support/launch.h"

#include <string.h>

static opi_gpu *gpu;
static void *program, *kernel;

static void stand_on(const char *where, const char *text, const char *name)
{
    gpu = open_device(where, NULL);
    good(opi_cuda.compile(gpu, "test", "a kernel", text, &program));
    good(opi_cuda.kernel(gpu, "test", program, name, &kernel));
}

static void leave(void)
{
    opi_cuda.unload(gpu, program);
    close_device(gpu);
}

static int on_the_first(void **state)
{
    const int status = begin_books(state);
    stand_on(":0", "text", "k");
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
    good(launch_plain(gpu, kernel, 0, 1, many, 1)); /* no work-groups: the driver is not asked */
    assert_int_equal(fake->calls, calls);
    opi_cuda.free(gpu, mem);
}

/* --- groups that know of each other ------------------------------------------------------------------------------- */

/* Bytes of shared memory that the launch adds; more than the default only after that has been allowed. */
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
    assert_false(fake->launch.early);
    some.early = true;
    good(opi_cuda.launch(gpu, "test", &some));
    assert_true(fake->launch.early);
    good(opi_cuda.allow(gpu, "test", kernel, FAKE_SHARED_MOST, -1));
    assert_int_equal(fake->carve_out, -1);
    fails_with(OPLUS_ERR_UNSUPPORTED, opi_cuda.allow(gpu, "test", kernel, FAKE_SHARED_MOST + 1, -1),
               "test: 232449 bytes of shared memory in a work-group; cuda:0 has up to 232448");
    some.local = FAKE_SHARED_MOST + 1;
    fails_with(OPLUS_ERR_UNSUPPORTED, opi_cuda.launch(gpu, "test", &some), "cuda:0 has up to 232448");
}

/* As many work-groups as the query says run at once; one more is refused. */
static void residents(void **state)
{
    static const struct {
        unsigned items;
        size_t local;
        unsigned each; /* number on each multiprocessor */
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

/* A device that does not support this says so, and the driver is not asked. */
static void an_older_device(void **state)
{
    opi_launch all = {.groups = 2, .items = 32, .resident = true};
    uint64_t groups;
    (void)state;
    stand_on(":1", "text", "k");
    all.kernel = kernel;
    const int calls = fake->calls;
    fails_with(OPLUS_ERR_UNSUPPORTED, opi_cuda.launch(gpu, "test", &all), "cuda:1 cannot promise that all work-groups");
    fails_with(OPLUS_ERR_UNSUPPORTED, opi_cuda.residents(gpu, "test", &all, &groups), "cuda:1 cannot promise");
    all = (opi_launch){.kernel = kernel, .groups = 2, .items = 32, .cluster = 2};
    fails_with(OPLUS_ERR_UNSUPPORTED, opi_cuda.launch(gpu, "test", &all), "cuda:1 has up to 0");
    assert_int_equal(fake->calls, calls);
    all.cluster = 1; /* by itself */
    all.early = true;
    good(opi_cuda.launch(gpu, "test", &all)); /* not refused, but plain */
    assert_false(fake->launch.early);
    leave();
}

/* A program that the driver translates may be for an older device, whose kernels do not wait for launches before them. */
static void translated(void **state)
{
    static const char text[] = "// PTX\n.version 7.0\n";
    opi_launch some = {.kernel = kernel, .groups = 2, .items = 32, .early = true};
    void *older;
    (void)state;
    good(opi_cuda.launch(gpu, "test", &some));
    assert_true(fake->launch.early);
    good(opi_cuda.load(gpu, "test", text, sizeof text, &older));
    good(opi_cuda.launch(gpu, "test", &some));
    assert_false(fake->launch.early);
    opi_cuda.unload(gpu, older);
}

/* --- a real device --------------------------------------------------------------------------------------------- */

/* Work-groups that wait for each other: each says what it has seen. */
static const char meeting_text[] =
    "extern \"C\" __global__ void meet(unsigned char *memory, unsigned long at, unsigned groups, unsigned bytes)\n"
    "{ extern __shared__ unsigned char shared[];\n"
    "  volatile unsigned *seen = (volatile unsigned *)(memory + at);\n"
    "  if (threadIdx.x != 0) return;\n"
    "  shared[bytes - 1] = 1;\n"
    "  atomicAdd((unsigned *)seen, 1);\n"
    "  for (long i = 0; i < 100000000 && *seen < groups; i++);\n"
    "  if (*seen == groups) atomicAdd((unsigned *)seen + 1, shared[bytes - 1]);\n"
    "#if __CUDA_ARCH__ >= 900\n"
    "  unsigned ranks; asm(\"mov.u32 %0, %%cluster_nctarank;\" : \"=r\"(ranks)); seen[2] = ranks;\n"
    "#endif\n"
    "}\n";

/* As many work-groups as the driver says run at once all meet; one more is refused. */
static void meet(size_t local, unsigned cluster)
{
    unsigned groups, bytes = (unsigned)local, seen[3] = {0, 0, 0};
    void *mem;
    good(opi_cuda.alloc(gpu, "test", sizeof seen, &mem));
    good(opi_cuda.upload(gpu, "test", OPI_QUEUE_COMPUTE, mem, seen, sizeof seen));
    const opi_gpu_argument argument[] = {opi_memory(mem), opi_value(groups), opi_value(bytes)};
    opi_launch all = {.kernel = kernel, .items = 256, .local = local, .cluster = cluster, .argument = argument};
    all.arguments = 3;
    all.resident = true;
    good(opi_cuda.residents(gpu, "test", &all, &all.groups));
    groups = (unsigned)all.groups;
    print_message("with %zu bytes and clusters of %u, %u work-groups run at once\n", local, cluster, groups);
    good(opi_cuda.launch(gpu, "test", &all));
    good(opi_cuda.download(gpu, "test", OPI_QUEUE_COMPUTE, seen, mem, sizeof seen));
    good(opi_cuda.sync(gpu, "test", OPI_QUEUE_COMPUTE));
    assert_true(groups >= gpu->facts.units / 2);
    assert_int_equal(seen[0], groups);
    assert_int_equal(seen[1], groups);
    if (gpu->facts.cluster > 0) assert_int_equal(seen[2], cluster);
    all.groups += cluster * gpu->facts.units;
    fails_with(OPLUS_ERR_DEVICE, opi_cuda.launch(gpu, "test", &all), "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE");
    opi_cuda.free(gpu, mem);
}

static void groups_that_meet(void **state)
{
    (void)state;
    if (!has_device() || !has_nvrtc()) skip();
    stand_on("", meeting_text, "meet");
    if (gpu->facts.resident) {
        meet(1000, 1);
        good(opi_cuda.allow(gpu, "test", kernel, gpu->facts.local_most, 100));
        meet(gpu->facts.local_most, 1);
        for (unsigned cluster = 2; cluster <= gpu->facts.cluster; cluster *= 2) meet(60000, cluster);
    }
    leave();
}

/* --- the parts ---------------------------------------------------------------------------------------------------- */

#define ON_THE_FIRST(test) cmocka_unit_test_setup_teardown(test, on_the_first, left)

static int run_fake(void)
{
    const struct CMUnitTest tests[] = {ON_THE_FIRST(arguments), ON_THE_FIRST(translated), ON_THE_FIRST(shared_memory),
                                       ON_THE_FIRST(residents), ON_THE_FIRST(clusters),   WITH_BOOKS(an_older_device)};
    return cmocka_run_group_tests_name("launches on a fake driver", tests, find_fake, NULL);
}

static int run_real(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(groups_that_meet)};
    return cmocka_run_group_tests_name("launches on a real device", tests, NULL, NULL);
}

int main(void)
{
    const part parts[] = {{FAKE_CUDA, FAKE_CUDA, NULL, NULL, NULL, run_fake}, {NULL, NULL, NULL, NULL, NULL, run_real}};
    return run_parts(parts, sizeof parts / sizeof *parts);
}
