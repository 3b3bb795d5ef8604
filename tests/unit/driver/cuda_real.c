/* NVRTC for devices that are not here; its results with a fake driver that keeps the books (fake/cuda.c); and a real
 * device if there is one. */
#include "driver/cuda/api.h"
#include "driver/cuda/nvrtc.h"
#include "support/cuda.h"
#include "support/launch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* --- 1. NVRTC ----------------------------------------------------------------------------------------------------- */

static const char kernel_text[] =
    "#line 7 \"here.c\"\n"
    "int twice(int x) { return 2 * x; }\n" /* of the device, without a qualifier */
    "extern \"C\" __global__ void k(unsigned char *memory, unsigned long at, int add)\n"
    "{ int *p = (int *)(memory + at); unsigned i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  p[i] = twice(p[i]) + add; }\n";

static void architectures(void **state)
{
    static const unsigned known[] = {75, 80, 90, 100, 120};
    void *binary;
    size_t bytes;
    (void)state;
    if (!has_nvrtc()) skip();
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        good(opi_nvrtc_compile("test", "a kernel", kernel_text, known[i], &binary, &bytes));
        assert_true(bytes > 64);
        free(binary);
    }
    good(opi_nvrtc_compile("test", "a kernel", kernel_text, 999, &binary, &bytes)); /* of the future: PTX */
    assert_int_equal(((char *)binary)[bytes - 1], '\0');
    assert_non_null(strstr(binary, ".version"));
    free(binary);
    fails_with(OPLUS_ERR_COMPILE, opi_nvrtc_compile("test", "a kernel", kernel_text, 20, &binary, &bytes),
               "does not compile for sm_20 any more");
    fails_with(OPLUS_ERR_COMPILE, opi_nvrtc_compile("test", "a kernel", kernel_text, 0, &binary, &bytes), "sm_0");
}

/* Options that would change the bits are off. */
static void instructions(void **state)
{
    static const char text[] = "extern \"C\" __global__ void k(float *p, double *q)\n"
                               "{ p[0] = p[1] * p[2] + p[3]; p[4] = p[5] / p[6]; p[7] = sqrtf(p[8]);\n"
                               "  q[0] = q[1] * q[2] + q[3]; }\n";
    void *binary;
    size_t bytes;
    (void)state;
    if (!has_nvrtc()) skip();
    good(opi_nvrtc_compile("test", "a kernel", text, 999, &binary, &bytes));
    assert_null(strstr(binary, "fma"));
    assert_null(strstr(binary, ".ftz"));
    assert_null(strstr(binary, "approx"));
    assert_non_null(strstr(binary, "div.rn.f32"));
    assert_non_null(strstr(binary, "sqrt.rn.f32"));
    free(binary);
}

static void errors_of_a_text(void **state)
{
    void *binary;
    size_t bytes;
    (void)state;
    if (!has_nvrtc()) skip();
    fails_with(OPLUS_ERR_COMPILE,
               opi_nvrtc_compile("oplus_scan", "operator \"add\"",
                                 "#line 12 \"mine.c\"\nint unused() { int x; return 1; }\nint f() { return lost; }\n",
                                 90, &binary, &bytes),
               "oplus_scan: operator \"add\" does not compile, as a device knows none of the program's macros, "
               "enumeration constants, types and functions (write out numbers, members and bodies, or pass values as a "
               "parameter):\nmine.c(13): error: identifier \"lost\" is undefined");
    assert_null(strstr(oplus_last_error(), "warning"));
    assert_null(strstr(oplus_last_error(), "detected in"));
    assert_null(binary);
}

/* --- 2. NVRTC and the fake driver --------------------------------------------------------------------------------- */

/* With the fake driver: what NVRTC makes is accepted whole, and a part of it is not. */
static void real_programs(void **state)
{
    (void)state;
    if (!has_nvrtc()) skip();
    for (int i = 0; i < FAKE_DEVICES; i++) {
        opi_gpu *const gpu = open_device(i ? ":1" : "", NULL);
        void *program, *binary, *again;
        size_t bytes;
        good(opi_cuda.compile(gpu, "test", "a kernel", kernel_text, &program));
        good(opi_cuda.binary(gpu, "test", program, &binary, &bytes));
        good(opi_cuda.load(gpu, "test", binary, bytes, &again));
        opi_cuda.unload(gpu, program);
        opi_cuda.unload(gpu, again);
        for (size_t cut = bytes - 1; cut > bytes / 2 && memcmp(binary, "\177ELF", 4) == 0; cut -= 7)
            fails_with(OPLUS_ERR_DEVICE, opi_cuda.load(gpu, "test", binary, cut, &again), "damaged");
        free(binary);
        close_device(gpu);
    }
}

/* --- 3. a real device --------------------------------------------------------------------------------------------- */

enum { ELEMENTS = 1 << 20, ITEMS = 256 };

static void run_kernel(opi_gpu *gpu, void *program)
{
    const opi_driver *const d = &opi_cuda;
    static int pageable[ELEMENTS];
    const int add = 5;
    void *mem, *staging, *kernel, *up, *computed;
    bool done = false;
    good(d->alloc(gpu, "test", sizeof pageable, &mem));
    good(d->pinned_alloc(gpu, "test", sizeof pageable, &staging));
    good(d->kernel(gpu, "test", program, "k", &kernel));
    assert_int_equal((uintptr_t)mem % 64, 0);
    assert_int_equal(side_of(gpu, mem, sizeof pageable), OPI_SIDE_DEVICE);
    assert_int_equal(side_of(gpu, (char *)mem + 4, sizeof pageable - 4), OPI_SIDE_DEVICE);
    assert_int_equal(side_of(gpu, staging, sizeof pageable), OPI_SIDE_PINNED);
    assert_int_equal(side_of(gpu, pageable, sizeof pageable), OPI_SIDE_HOST);
    assert_int_equal(side_of(gpu, NULL, 0), OPI_SIDE_HOST);
    for (int i = 0; i < ELEMENTS; i++) ((int *)staging)[i] = i;

    good(d->upload(gpu, "test", OPI_QUEUE_UP, mem, staging, sizeof pageable));
    good(d->mark(gpu, "test", OPI_QUEUE_UP, &up));
    good(d->after(gpu, "test", OPI_QUEUE_COMPUTE, up));
    const opi_gpu_argument argument[] = {opi_memory(mem), opi_value(add)};
    good(launch_plain(gpu, kernel, ELEMENTS / ITEMS, ITEMS, argument, 2));
    good(d->mark(gpu, "test", OPI_QUEUE_COMPUTE, &computed));
    good(d->after(gpu, "test", OPI_QUEUE_DOWN, computed));
    good(d->download(gpu, "test", OPI_QUEUE_DOWN, pageable, mem, sizeof pageable));
    good(d->sync(gpu, "test", OPI_QUEUE_DOWN));
    good(d->reached(gpu, "test", computed));
    good(d->query(gpu, "test", computed, &done));
    assert_true(done);
    for (int i = 0; i < ELEMENTS; i++) assert_int_equal(pageable[i], 2 * i + add);
    d->drop(gpu, up);
    d->drop(gpu, computed);

    good(d->copy(gpu, "test", OPI_QUEUE_COMPUTE, mem, (int *)mem + ELEMENTS / 2, sizeof pageable / 2));
    good(d->sync(gpu, "test", OPI_QUEUE_COMPUTE));
    good(d->download(gpu, "test", OPI_QUEUE_DOWN, staging, mem, sizeof pageable));
    good(d->sync(gpu, "test", OPI_QUEUE_DOWN));
    assert_memory_equal(staging, pageable + ELEMENTS / 2, sizeof pageable / 2);
    d->free(gpu, mem);
    d->pinned_free(gpu, staging);
}

/* The driver is asked for each array of each call: this should take no more than some hundred nanoseconds. */
static void time_side(opi_gpu *gpu, const char *what, const void *p)
{
    enum { TIMES = 10000 };
    struct timespec first, last;
    clock_gettime(CLOCK_MONOTONIC, &first);
    for (int i = 0; i < TIMES; i++) side_of(gpu, p, 1);
    clock_gettime(CLOCK_MONOTONIC, &last);
    const double nanoseconds = 1e9 * (double)(last.tv_sec - first.tv_sec) + (double)(last.tv_nsec - first.tv_nsec);
    print_message("where %s memory lies: %.0f ns\n", what, nanoseconds / TIMES);
}

/* What a device newer than NVRTC gets: as if it had the next number. */
static void run_as_text(opi_gpu *gpu)
{
    void *binary, *program;
    size_t bytes;
    good(opi_nvrtc_compile("test", "a kernel", kernel_text, gpu->facts.architecture + 1, &binary, &bytes));
    if (memcmp(binary, "\177ELF", 4) != 0) { /* there is no such device */
        good(opi_cuda.load(gpu, "test", binary, bytes, &program));
        run_kernel(gpu, program);
        opi_cuda.unload(gpu, program);
    }
    free(binary);
}

static void a_real_device(void **state)
{
    const opi_driver *const d = &opi_cuda;
    opi_gpu_side side;
    void *mem, *program, *again, *binary, *known, *nothing;
    size_t bytes;
    (void)state;
    if (!has_device()) skip();
    opi_gpu *const gpu = open_device("", NULL);
    print_message("%s: %s, %s, sm_%u, %llu bytes, %u x %u, %zu shared\n", gpu->facts.where, gpu->facts.name,
                  gpu->facts.driver, gpu->facts.architecture, (unsigned long long)gpu->facts.memory, gpu->facts.units,
                  gpu->facts.group, gpu->facts.local);
    assert_int_equal(gpu->facts.lanes, 32);
    assert_true(gpu->facts.group >= 512 && gpu->facts.local >= 48 << 10 && gpu->facts.units > 0);
    good(d->alloc(gpu, "test", 1000, &mem));
    good(d->wrap(gpu, "test", mem, 1000, &known));
    d->free(gpu, known);
    assert_int_equal(side_of(gpu, mem, 1000), OPI_SIDE_DEVICE); /* it is still there */
    time_side(gpu, "device", mem);
    time_side(gpu, "host", &mem);
    fails_with(OPLUS_ERR_ARGUMENT, d->side(gpu, "test", "in", mem, (size_t)1 << 40, &side), "ends after");
    fails_with(OPLUS_ERR_ARGUMENT, d->wrap(gpu, "test", &side, 1, &nothing), "no memory of cuda:0");
    fails_with(OPLUS_ERR_MEMORY, d->alloc(gpu, "test", 2 * (size_t)gpu->facts.memory, &nothing),
               "CUDA_ERROR_OUT_OF_MEMORY");
    d->free(gpu, mem);
    if (has_nvrtc()) {
        good(d->compile(gpu, "test", "a kernel", kernel_text, &program));
        run_kernel(gpu, program);
        good(d->binary(gpu, "test", program, &binary, &bytes));
        good(d->load(gpu, "test", binary, bytes, &again));
        run_kernel(gpu, again);
        fails_with(OPLUS_ERR_DEVICE, d->kernel(gpu, "test", again, "absent", &nothing), "the kernel is absent");
        d->unload(gpu, program);
        d->unload(gpu, again);
        fails_with(OPLUS_ERR_DEVICE, d->load(gpu, "test", binary, bytes / 2, &again), "damaged");
        free(binary);
        run_as_text(gpu);
    }
    fails_with(OPLUS_ERR_DEVICE, d->load(gpu, "test", "// no PTX", 10, &again), "cuModuleLoadDataEx failed");
    close_device(gpu);
}

/* A context and a stream of the caller, made by the driver's own calls: they are used, and left as they were. */
static void streams_of_a_real_caller(void **state)
{
    const char *why;
    CUcontext primary, top;
    CUstream stream;
    CUdevice device;
    opi_gpu *gpu;
    void *program;
    (void)state;
    if (!has_device() || !has_nvrtc()) skip();
    const opi_cuda_calls *const cu = opi_cuda_open(&why);
    assert_int_equal(cu->DeviceGet(&device, 0), CUDA_SUCCESS);
    assert_int_equal(cu->DevicePrimaryCtxRetain(&primary, device), CUDA_SUCCESS);
    assert_int_equal(cu->CtxPushCurrent(primary), CUDA_SUCCESS);
    assert_int_equal(cu->StreamCreate(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
    assert_int_equal(cu->CtxPopCurrent(&top), CUDA_SUCCESS);
    const uintptr_t special = 1; /* CU_STREAM_LEGACY */
    void *queues[2] = {stream, NULL};
    memcpy(&queues[1], &special, sizeof special);
    for (size_t i = 0; i < 2; i++) {
        gpu = open_device(":0", queues[i]);
        good(opi_cuda.compile(gpu, "test", "a kernel", kernel_text, &program));
        run_kernel(gpu, program);
        opi_cuda.unload(gpu, program);
        close_device(gpu);
        assert_int_not_equal(cu->CtxPopCurrent(&top), CUDA_SUCCESS); /* nothing was left on the stack */
    }
    assert_int_equal(cu->CtxPushCurrent(primary), CUDA_SUCCESS);
    assert_int_equal(cu->StreamSynchronize(stream), CUDA_SUCCESS); /* it lives */
    assert_int_equal(cu->StreamDestroy(stream), CUDA_SUCCESS);
    assert_int_equal(cu->CtxPopCurrent(&top), CUDA_SUCCESS);
    assert_int_equal(cu->DevicePrimaryCtxRelease(device), CUDA_SUCCESS);
}

/* --- 4. the parts ------------------------------------------------------------------------------------------------- */

static int run_nvrtc(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(architectures), cmocka_unit_test(instructions),
                                       cmocka_unit_test(errors_of_a_text)};
    return cmocka_run_group_tests_name("NVRTC", tests, NULL, NULL);
}

static int run_mixed(void)
{
    const struct CMUnitTest tests[] = {WITH_BOOKS(real_programs)};
    return cmocka_run_group_tests_name("NVRTC, and a fake driver", tests, find_fake, NULL);
}

static int run_real(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_real_device), cmocka_unit_test(streams_of_a_real_caller)};
    return cmocka_run_group_tests_name("a real device", tests, NULL, NULL);
}

int main(void)
{
    const part parts[] = {
        {"/nowhere/libcuda.so", NULL, NULL, NULL, NULL, run_nvrtc},
        {FAKE_CUDA, NULL, NULL, NULL, NULL, run_mixed},
        {NULL, NULL, NULL, NULL, NULL, run_real},
    };
    return run_parts(parts, sizeof parts / sizeof *parts);
}
