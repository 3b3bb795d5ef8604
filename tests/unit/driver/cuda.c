/* CUDA's table of calls: without CUDA, and with a fake driver that keeps the books (fake/cuda.c).  Launches are in
 * cuda_launch.c, failures in cuda_faults.c, a real device in cuda_real.c. */
#include "driver/cuda/api.h"
#include "driver/cuda/nvrtc.h"
#include "support/cuda.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* --- 1. no CUDA --------------------------------------------------------------------------------------------------- */

static void there_is_none(void **state)
{
    opi_gpu_facts facts[2];
    char why[512] = "";
    opi_gpu *gpu = NULL;
    (void)state;
    assert_int_equal(opi_cuda.list(facts, 2, why, sizeof why), 0);
    if (!strstr(why, this_part->reason)) fail_msg("%s", why);
    fails_with(OPLUS_ERR_DEVICE, opi_cuda.open("oplus_open", ":1", NULL, &gpu),
               "oplus_open: there is no device cuda:1");
    says(this_part->reason);
    assert_null(gpu);
}

static void malformed_places(void **state)
{
    static const char *const places[] = {":", ":x", ":-1", ":1x", ":+1", ": 1", "0", ":1:2", "::1"};
    opi_gpu *gpu;
    (void)state;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        fails_with(OPLUS_ERR_ARGUMENT, opi_cuda.open("oplus_open", places[i], NULL, &gpu), places[i]);
        says("cuda:1");
    }
}

static void no_compiler(void **state)
{
    void *binary;
    size_t bytes;
    (void)state;
    fails_with(OPLUS_ERR_COMPILE, opi_nvrtc_compile("oplus_scan", "operator \"add\"", "", 90, &binary, &bytes),
               "oplus_scan: operator \"add\" cannot be compiled for CUDA");
    says("OPLUS_NVRTC_LIBRARY");
    assert_null(binary);
}

/* A library that is not CUDA's is detected as soon as it is loaded, and no sooner. */
static void loaded_by_others(void **state)
{
    (void)state;
    assert_false(opi_cuda.loaded());
    assert_true(opi_cuda.installed());
    assert_false(opi_cuda.loaded()); /* it has been closed again */
    assert_false(opi_cuda.loaded());
    void *const library = dlopen(FAKE_CUDA, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(library);
    assert_true(opi_cuda.loaded());
    assert_true(opi_cuda.loaded());
    dlclose(library);
}

static void not_installed(void **state)
{
    (void)state;
    assert_false(opi_cuda.installed());
    assert_false(opi_cuda.loaded());
}

/* --- 2. the fake driver ------------------------------------------------------------------------------------------- */

static void facts(void **state)
{
    opi_gpu_facts f[3];
    char why[256] = "";
    (void)state;
    assert_int_equal(opi_cuda.list(f, 3, why, sizeof why), FAKE_DEVICES);
    assert_int_equal(opi_cuda.list(NULL, 0, why, sizeof why), FAKE_DEVICES);
    assert_string_equal(why, "");
    assert_string_equal(f[1].where, "cuda:1");
    assert_string_equal(f[1].name, "Fake B");
    assert_string_equal(f[1].driver, "CUDA 12.8, NVRTC 12.8");
    assert_int_equal(f[0].architecture, 90);
    assert_int_equal(f[1].architecture, 121);
    assert_true(f[0].f64 && f[0].denormals && f[0].divides && !f[0].host_cores);
    assert_int_equal(f[0].memory, UINT64_C(1) << 33);
    assert_int_equal(f[0].largest, f[0].memory);
    assert_int_equal(f[0].local, 49152);
    assert_int_equal(f[0].local_most, FAKE_SHARED_MOST);
    assert_int_equal(f[1].local_most, 32768);
    assert_int_equal(f[0].cluster, 8);
    assert_int_equal(f[1].cluster, 0);
    assert_true(f[0].resident && !f[1].resident);
    assert_int_equal(f[0].units, 132);
    assert_int_equal(f[0].group, 1024);
    assert_int_equal(f[0].lanes, 32);
    assert_int_equal(f[0].fast_bytes, 16);
    fake->failing = fake->calls + 3;
    fake->error = CUDA_ERROR_DEVICE_UNAVAILABLE;
    assert_int_equal(opi_cuda.list(f, 3, why, sizeof why), 0);
    assert_non_null(strstr(why, "cuDeviceGetName failed: CUDA_ERROR_DEVICE_UNAVAILABLE"));
    assert_non_null(strstr(why, "on cuda:0"));
}

static void absent_devices(void **state)
{
    opi_gpu *gpu;
    (void)state;
    fails_with(OPLUS_ERR_DEVICE, opi_cuda.open("oplus_open", ":2", NULL, &gpu),
               "no device cuda:2; they go up to cuda:1");
    fails_with(OPLUS_ERR_DEVICE, opi_cuda.open("oplus_open", ":99999999999999999999", NULL, &gpu), "go up to cuda:1");
    malformed_places(state);
    close_device(open_device("", NULL));
    close_device(open_device(":01", NULL));
}

static void sides(void **state)
{
    static char host[64], registered[64], managed[64], neighbour[64];
    opi_gpu *const gpu = open_device(":0", NULL);
    opi_gpu_side side;
    void *mem, *pinned;
    (void)state;
    good(opi_cuda.alloc(gpu, "test", 100, &mem));
    good(opi_cuda.pinned_alloc(gpu, "test", 100, &pinned));
    fake->know(registered, sizeof registered, 1, 0, false);
    fake->know(managed, sizeof managed, 1, 1, true);
    fake->know(neighbour, sizeof neighbour, 2, 1, false);
    assert_int_equal(side_of(gpu, host, sizeof host), OPI_SIDE_HOST);
    assert_int_equal(side_of(gpu, NULL, 0), OPI_SIDE_HOST);
    assert_int_equal(side_of(gpu, pinned, 100), OPI_SIDE_PINNED);
    assert_int_equal(side_of(gpu, (char *)pinned + 50, 50), OPI_SIDE_PINNED);
    assert_int_equal(side_of(gpu, (char *)pinned + 50, 51), OPI_SIDE_HOST); /* in part */
    assert_int_equal(side_of(gpu, registered, 64), OPI_SIDE_PINNED);
    assert_int_equal(side_of(gpu, mem, 100), OPI_SIDE_DEVICE);
    assert_int_equal(side_of(gpu, (char *)mem + 99, 1), OPI_SIDE_DEVICE);
    assert_int_equal(side_of(gpu, managed, 64), OPI_SIDE_DEVICE);
    fails_with(OPLUS_ERR_ARGUMENT, opi_cuda.side(gpu, "oplus_scan", "out", (char *)mem + 60, 41, &side),
               "oplus_scan: out is ");
    says("41 bytes long, and its memory on cuda:0 ends after 40 bytes");
    fails_with(OPLUS_ERR_ARGUMENT, opi_cuda.side(gpu, "t", "out", mem, SIZE_MAX, &side), "ends after 100 bytes");
    fails_with(OPLUS_ERR_ARGUMENT, opi_cuda.side(gpu, "t", "out", neighbour, 8, &side), "memory of cuda:1");
    opi_cuda.free(gpu, mem);
    opi_cuda.pinned_free(gpu, pinned);
    close_device(gpu);
}

/* The driver waits before memory of the caller is used, and leaves that memory to the caller. */
static void wrapped(void **state)
{
    static char host[8];
    opi_gpu *const gpu = open_device(":0", NULL);
    void *theirs, *known[9], *none = host;
    (void)state;
    good(opi_cuda.alloc(gpu, "test", 100, &theirs));
    for (size_t i = 0; i < 9; i++) {
        good(opi_cuda.wrap(gpu, "test", (char *)theirs + 10 * i, 10, &known[i]));
        assert_ptr_equal(known[i], (char *)theirs + 10 * i);
    }
    fails_with(OPLUS_ERR_ARGUMENT, opi_cuda.wrap(gpu, "test", host, 8, &none), "no memory of cuda:0");
    assert_null(none);
    fails_with(OPLUS_ERR_ARGUMENT, opi_cuda.wrap(gpu, "test", theirs, 101, &none), "ends after 100 bytes");
    fake->synchronizations = 0;
    for (size_t i = 0; i < 9; i++) opi_cuda.free(gpu, known[i]);
    assert_int_equal(fake->synchronizations, 9 * OPI_QUEUES);
    assert_int_equal(fake->live[FAKE_MEMORY], 1);
    opi_cuda.free(gpu, theirs);
    assert_int_equal(fake->live[FAKE_MEMORY], 0);
    opi_cuda.free(gpu, NULL);
    opi_cuda.pinned_free(gpu, NULL);
    close_device(gpu);
}

/* A stream of the caller computes, is not destroyed, and its context is used. */
static void streams(void **state)
{
    void *const stream = fake->stream(0), *const strange = fake->stream(1);
    void *mark, *legacy;
    const uintptr_t special = 1; /* CU_STREAM_LEGACY: belongs to what is current */
    bool done;
    opi_gpu *gpu = open_device(":0", stream);
    (void)state;
    assert_int_equal(fake->live[FAKE_RETAINS], 0);
    assert_int_equal(fake->live[FAKE_STREAMS], OPI_QUEUES - 1);
    good(opi_cuda.sync(gpu, "test", OPI_QUEUE_COMPUTE));
    assert_ptr_equal(fake->synchronized[0], stream);
    good(opi_cuda.sync(gpu, "test", OPI_QUEUE_UP));
    assert_ptr_not_equal(fake->synchronized[1], stream);
    good(opi_cuda.mark(gpu, "test", OPI_QUEUE_COMPUTE, &mark));
    good(opi_cuda.query(gpu, "test", mark, &done));
    assert_true(done);
    fake->busy = true;
    good(opi_cuda.query(gpu, "test", mark, &done));
    assert_false(done);
    opi_cuda.drop(gpu, mark);
    opi_cuda.drop(gpu, NULL);
    close_device(gpu);
    memcpy(&legacy, &special, sizeof legacy);
    gpu = open_device(":1", legacy);
    assert_int_equal(fake->live[FAKE_RETAINS], 1);
    fails_with(OPLUS_ERR_ARGUMENT, opi_cuda.open("oplus_open", ":0", strange, &(opi_gpu *){NULL}),
               "belongs to device 1, not to cuda:0");
    close_device(gpu);
}

/* Cubins if NVRTC knows the device, text for the nearest older device if not; both come back from the cache. */
static void programs(void **state)
{
    static const char *const architecture[] = {"sm_90", "compute_90"};
    (void)state;
    for (int i = 0; i < FAKE_DEVICES; i++) {
        opi_gpu *const gpu = open_device(i ? ":1" : "", NULL);
        void *program, *again, *kernel, *binary;
        size_t bytes;
        good(opi_cuda.compile(gpu, "test", "a kernel", "text of it", &program));
        assert_string_equal(fake->architecture, architecture[i]);
        good(opi_cuda.binary(gpu, "test", program, &binary, &bytes));
        good(opi_cuda.load(gpu, "test", binary, bytes, &again));
        fails_with(OPLUS_ERR_DEVICE, opi_cuda.kernel(gpu, "test", again, "absent", &kernel), "CUDA_ERROR_NOT_FOUND");
        says("the kernel is absent");
        opi_cuda.unload(gpu, program);
        opi_cuda.unload(gpu, again);
        opi_cuda.unload(gpu, NULL);
        fails_with(OPLUS_ERR_DEVICE, opi_cuda.load(gpu, "test", binary, 0, &again), "0 bytes for cuda:");
        if (i == 0) {
            fails_with(OPLUS_ERR_DEVICE, opi_cuda.load(gpu, "test", (char *)binary + 1, bytes - 1, &again), "damaged");
            for (size_t cut = 1; cut < 64; cut++) /* its header */
                fails_with(OPLUS_ERR_DEVICE, opi_cuda.load(gpu, "test", binary, cut, &again), "damaged");
            ((unsigned char *)binary)[60] = 1; /* a section, which is not there */
            ((unsigned char *)binary)[40] = 70;
            fails_with(OPLUS_ERR_DEVICE, opi_cuda.load(gpu, "test", binary, bytes, &again), "damaged");
        } else {
            ((char *)binary)[5] = '\0';
            fails_with(OPLUS_ERR_DEVICE, opi_cuda.load(gpu, "test", binary, bytes, &again), "damaged");
        }
        assert_null(again);
        free(binary);
        fails_with(OPLUS_ERR_DEVICE, opi_cuda.compile(gpu, "test", "a kernel", "damaged", &program),
                   "compile it anew; it says: the fake does not like it");
        assert_null(program);
        close_device(gpu);
    }
}

static void messages_of_compilers(void **state)
{
    opi_gpu *const gpu = open_device("", NULL);
    void *program;
    (void)state;
    strcpy(fake->log, "\nf.c(3): error: one\n\nf.c(4): error: two\n2 errors detected in the compilation of \"o\".\n");
    fails_with(OPLUS_ERR_COMPILE, opi_cuda.compile(gpu, "oplus_map", "function \"f\"", "#error", &program),
               "oplus_map: function \"f\" does not compile:\nf.c(3): error: one\nf.c(4): error: two");
    assert_null(strstr(oplus_last_error(), "detected"));
    strcpy(fake->log, "");
    fails_with(OPLUS_ERR_COMPILE, opi_cuda.compile(gpu, "oplus_map", "function \"f\"", "#error", &program),
               "does not say why");
    close_device(gpu);
}

static void messages_of_the_driver(void **state)
{
    opi_gpu *const gpu = open_device("", NULL);
    void *mem;
    (void)state;
    fails_with(OPLUS_ERR_MEMORY, opi_cuda.alloc(gpu, "oplus_alloc", (size_t)1 << 40, &mem),
               "oplus_alloc: cuMemAlloc failed: CUDA_ERROR_OUT_OF_MEMORY (as the fake says) on cuda:0 (Fake A); free ");
    says("1099511627776 bytes were asked for");
    fake->failing = fake->calls + 1;
    fake->error = CUDA_ERROR_ILLEGAL_ADDRESS;
    fails_with(OPLUS_ERR_DEVICE, opi_cuda.sync(gpu, "oplus_sync", OPI_QUEUE_DOWN),
               "oplus_sync: cuStreamSynchronize failed: CUDA_ERROR_ILLEGAL_ADDRESS");
    says("restart it");
    fake->failing = fake->calls + 1;
    fake->error = 12345;
    fails_with(OPLUS_ERR_DEVICE, opi_cuda.sync(gpu, "oplus_sync", OPI_QUEUE_DOWN), "failed: error 12345 (unknown");
    close_device(gpu);
}

/* --- 3. the parts ------------------------------------------------------------------------------------------------- */

static int run_absent(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(there_is_none), cmocka_unit_test(malformed_places),
                                       cmocka_unit_test(no_compiler)};
    return cmocka_run_group_tests_name("without CUDA", tests, NULL, NULL);
}

static int run_none(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(there_is_none)};
    return cmocka_run_group_tests_name("without a device", tests, NULL, NULL);
}

static int run_closed(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(loaded_by_others)};
    return cmocka_run_group_tests_name("not loaded yet", tests, NULL, NULL);
}

static int run_nowhere(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(not_installed)};
    return cmocka_run_group_tests_name("not installed", tests, NULL, NULL);
}

static int run_fake(void)
{
    const struct CMUnitTest tests[] = {WITH_BOOKS(facts),
                                       WITH_BOOKS(absent_devices),
                                       WITH_BOOKS(sides),
                                       WITH_BOOKS(wrapped),
                                       WITH_BOOKS(streams),
                                       WITH_BOOKS(programs),
                                       WITH_BOOKS(messages_of_compilers),
                                       WITH_BOOKS(messages_of_the_driver)};
    return cmocka_run_group_tests_name("a fake driver", tests, find_fake, NULL);
}

int main(void)
{
    const part parts[] = {
        {"/nowhere/libcuda.so", "/nowhere/libnvrtc.so", NULL, NULL, "OPLUS_CUDA_LIBRARY, \"/nowhere/libcuda.so\"",
         run_absent},
        {"libm.so.6", "libm.so.6", NULL, NULL, "lacks cuInit", run_absent},
        {FAKE_CUDA, FAKE_CUDA, "FAKE_CUDA_INIT", "100", "cuInit failed: CUDA_ERROR_NO_DEVICE", run_none},
        {FAKE_CUDA, FAKE_CUDA, "FAKE_CUDA_INIT", "34", "the empty one for linking", run_none},
        {FAKE_CUDA, FAKE_CUDA, "FAKE_CUDA_DEVICES", "0", "CUDA_VISIBLE_DEVICES", run_none},
        {"/nowhere/libcuda.so", NULL, NULL, NULL, NULL, run_nowhere},
        {FAKE_CUDA, NULL, NULL, NULL, NULL, run_closed},
        {FAKE_CUDA, FAKE_CUDA, NULL, NULL, NULL, run_fake},
    };
    return run_parts(parts, sizeof parts / sizeof *parts);
}
