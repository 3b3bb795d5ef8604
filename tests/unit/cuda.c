/* CUDA's table of calls: its declarations against NVIDIA's headers; every driver's call failing in turn, and every
 * allocation, with a fake driver that keeps the books (fake/cuda.c); NVRTC for devices that are not here; and a real
 * device where there is one.
 *
 * A process opens one libcuda and one NVRTC, once: each part runs in a process of its own. */
#if defined(__has_include)
#if __has_include(<cuda.h>) && __has_include(<nvrtc.h>)
#include <cuda.h>
#include <nvrtc.h>
#endif
#endif

#include "fake/cuda.h"
#include "gpu/cuda_api.h"
#include "gpu/driver.h"
#include "gpu/nvrtc.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

/* --- 1. declarations ---------------------------------------------------------------------------------------------- */

#if defined(CUDA_VERSION) && CUDA_VERSION < 14000 /* plain names of later headers may mean later calls */
#define SAME_CALL(name, suffix, parameters)                                                                            \
    _Static_assert(__builtin_types_compatible_p(__typeof__(&cu##name##suffix), CUresult(*) parameters), "cu" #name);
#define SAME_COMPILER_CALL(name, result, parameters)                                                                   \
    _Static_assert(__builtin_types_compatible_p(__typeof__(&nvrtc##name), result(*) parameters), "nvrtc" #name);
#define SAME_VALUE(name, value) _Static_assert((int)(name) == (value), #name);
OPI_CUDA_CALLS(SAME_CALL)
OPI_NVRTC_CALLS(SAME_COMPILER_CALL)
OPI_CUDA_RESULTS(SAME_VALUE)
OPI_CUDA_DEVICE_ATTRIBUTES(SAME_VALUE)
OPI_CUDA_POINTER_ATTRIBUTES(SAME_VALUE)
OPI_CUDA_JIT_OPTIONS(SAME_VALUE)
OPI_CUDA_FLAGS(SAME_VALUE)
OPI_NVRTC_RESULTS(SAME_VALUE)
_Static_assert(sizeof(CUdeviceptr) == sizeof(void *) && sizeof(CUdevice) == sizeof(int), "handles");
#endif

/* --- 2. allocations that fail ------------------------------------------------------------------------------------- */

static int allocations, failing_allocation; /* counts down to the one that fails; 0: none */

static bool no_memory(void)
{
    allocations++;
    return failing_allocation > 0 && --failing_allocation == 0;
}

#define WRAP(name, parameters, arguments)                                                                              \
    void *__real_##name parameters;                                                                                    \
    void *__wrap_##name parameters;                                                                                    \
    void *__wrap_##name parameters { return no_memory() ? NULL : __real_##name arguments; }

WRAP(malloc, (size_t bytes), (bytes))
WRAP(calloc, (size_t n, size_t bytes), (n, bytes))
WRAP(realloc, (void *mem, size_t bytes), (mem, bytes))

/* --- 3. what the parts share -------------------------------------------------------------------------------------- */

static void says(const char *part)
{
    if (strstr(oplus_last_error(), part)) return;
    print_error("the message has no \"%s\": %s\n", part, oplus_last_error());
    fail();
}

static void fails_with(oplus_status expected, oplus_status status, const char *part)
{
    assert_int_equal(status, expected);
    says(part);
}

static void good(oplus_status status)
{
    if (status != OPLUS_OK) print_error("%s\n", oplus_last_error());
    assert_int_equal(status, OPLUS_OK);
}

static opi_gpu *open_device(const char *where, void *queue)
{
    opi_gpu *gpu;
    good(opi_cuda.open("test", where, queue, &gpu));
    return gpu;
}

/* --- 4. no CUDA --------------------------------------------------------------------------------------------------- */

static const char *reason; /* of this part */

static void there_is_none(void **state)
{
    opi_gpu_facts facts[2];
    char why[512] = "";
    opi_gpu *gpu = NULL;
    (void)state;
    assert_int_equal(opi_cuda.list(facts, 2, why, sizeof why), 0);
    if (!strstr(why, reason)) fail_msg("%s", why);
    fails_with(OPLUS_ERR_DEVICE, opi_cuda.open("oplus_open", ":1", NULL, &gpu),
               "oplus_open: there is no device cuda:1");
    says(reason);
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
    fails_with(OPLUS_ERR_COMPILE, opi_nvrtc_compile("oplus_scan", "operator \"add\"", "", "sm_90", &binary, &bytes),
               "oplus_scan: operator \"add\" cannot be compiled for CUDA");
    says("OPLUS_NVRTC_LIBRARY");
    assert_null(binary);
}

/* Somebody else's library is seen as soon as it is loaded, and no sooner. */
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

/* --- 5. the fake driver ------------------------------------------------------------------------------------------- */

static fake_cuda *fake;

static int find_fake(void **state)
{
    void *const library = dlopen(FAKE_CUDA, RTLD_NOW | RTLD_LOCAL);
    void *const address = library ? dlsym(library, "fake_cuda_state") : NULL;
    fake_cuda_of *of;
    (void)state;
    if (!address) return -1;
    memcpy(&of, &address, sizeof of);
    fake = of();
    return 0;
}

static int begin(void **state)
{
    (void)state;
    fake->reset();
    fake->push(fake->context(1)); /* the caller's: it stays current all along */
    return 0;
}

/* Whatever happened: the caller's context is current, and nothing is left over. */
static int end(void **state)
{
    (void)state;
    int left = fake->depth != 1 || fake->current != fake->context(1);
    for (int kind = 0; kind < FAKE_KINDS; kind++) left += abs(fake->live[kind]);
    return left ? -1 : 0;
}

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
    assert_string_equal(f[0].target, "sm_90");
    assert_string_equal(f[1].target, "sm_121");
    assert_true(f[0].f64 && f[0].denormals && f[0].divides && !f[0].host_cores);
    assert_int_equal(f[0].memory, UINT64_C(1) << 33);
    assert_int_equal(f[0].largest, f[0].memory);
    assert_int_equal(f[0].local, 49152);
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
    opi_cuda.close(open_device("", NULL));
    opi_cuda.close(open_device(":01", NULL));
}

/* All allowed shapes of arguments, in their order, as the kernel gets them. */
static void arguments(void **state)
{
    opi_gpu *const gpu = open_device(":0", NULL);
    void *mem, *program, *kernel;
    const uint8_t small = 200;
    const int32_t medium = -3;
    const uint64_t large = UINT64_C(1) << 40;
    (void)state;
    good(opi_cuda.alloc(gpu, "test", 64, &mem));
    good(opi_cuda.compile(gpu, "test", "a kernel", "text", &program));
    good(opi_cuda.kernel(gpu, "test", program, "k", &kernel));
    const opi_gpu_argument argument[] = {opi_value(small), opi_memory((char *)mem + 8), opi_value(medium),
                                         opi_memory(NULL), opi_value(large)};
    const int sizes[] = {1, 8, 8, 4, 8, 8, 8};
    memcpy(fake->size, sizes, sizeof sizes);
    good(opi_cuda.launch(gpu, "test", kernel, INT32_MAX, 256, argument, 5));
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
    good(opi_cuda.launch(gpu, "test", kernel, 1, 1, many, 24));
    assert_int_equal(fake->launch.parameter[46], (uintptr_t)mem + 23);
    assert_int_equal(fake->launch.parameter[47], 0);
    fails_with(OPLUS_ERR_INTERNAL, opi_cuda.launch(gpu, "test", kernel, 1, 1, many, 25), "25 arguments");
    fails_with(OPLUS_ERR_UNSUPPORTED, opi_cuda.launch(gpu, "test", kernel, UINT64_C(1) << 31, 1, many, 1),
               "2147483648 work-groups");
    const int calls = fake->calls;
    good(opi_cuda.launch(gpu, "test", kernel, 0, 1, many, 1)); /* of nothing: the driver is not asked */
    assert_int_equal(fake->calls, calls);
    opi_cuda.unload(gpu, program);
    opi_cuda.free(gpu, mem);
    opi_cuda.close(gpu);
}

static opi_gpu_side side_of(opi_gpu *gpu, const void *p, size_t bytes)
{
    opi_gpu_side side;
    good(opi_cuda.side(gpu, "test", "in", p, bytes, &side));
    return side;
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
    opi_cuda.close(gpu);
}

/* Memory of the caller is waited for, and left to him. */
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
    opi_cuda.close(gpu);
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
    opi_cuda.close(gpu);
    memcpy(&legacy, &special, sizeof legacy);
    gpu = open_device(":1", legacy);
    assert_int_equal(fake->live[FAKE_RETAINS], 1);
    fails_with(OPLUS_ERR_ARGUMENT, opi_cuda.open("oplus_open", ":0", strange, &(opi_gpu *){NULL}),
               "belongs to device 1, not to cuda:0");
    opi_cuda.close(gpu);
}

/* Cubins where NVRTC knows the device, text for the nearest older one where not; both come back from the cache. */
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
        opi_cuda.close(gpu);
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
    opi_cuda.close(gpu);
}

static void messages_of_the_driver(void **state)
{
    opi_gpu *const gpu = open_device("", NULL);
    void *mem;
    (void)state;
    fails_with(OPLUS_ERR_MEMORY, opi_cuda.alloc(gpu, "oplus_alloc", (size_t)1 << 40, &mem),
               "oplus_alloc: cuMemAlloc failed: CUDA_ERROR_OUT_OF_MEMORY (as the fake says) on cuda:0 (Fake A); free ");
    says("1099511627776 bytes were asked for");
    fake->failing = fake->calls + 2;
    fake->error = CUDA_ERROR_ILLEGAL_ADDRESS;
    fails_with(OPLUS_ERR_DEVICE, opi_cuda.sync(gpu, "oplus_sync", OPI_QUEUE_DOWN),
               "oplus_sync: cuStreamSynchronize failed: CUDA_ERROR_ILLEGAL_ADDRESS");
    says("restart it");
    fake->failing = fake->calls + 2;
    fake->error = 12345;
    fails_with(OPLUS_ERR_DEVICE, opi_cuda.sync(gpu, "oplus_sync", OPI_QUEUE_DOWN), "failed: error 12345 (unknown");
    opi_cuda.close(gpu);
}

/* --- 6. every call fails in turn ---------------------------------------------------------------------------------- */

typedef struct things {
    opi_gpu *gpu;
    void *mem, *known, *pinned, *program, *loaded, *kernel, *mark, *binary;
    size_t bytes;
} things;

#define STEP(...)                                                                                                      \
    do {                                                                                                               \
        const oplus_status status = (__VA_ARGS__);                                                                     \
        if (status != OPLUS_OK) return status;                                                                         \
    } while (0)

/* Something of everything. */
static oplus_status use(things *t, const char *source, void *queue)
{
    static char host[64], back[64];
    const opi_driver *const d = &opi_cuda;
    opi_gpu_side side;
    bool done;
    STEP(d->open("test", "", queue, &t->gpu));
    STEP(d->alloc(t->gpu, "test", 64, &t->mem));
    STEP(d->wrap(t->gpu, "test", (char *)t->mem + 8, 8, &t->known));
    STEP(d->pinned_alloc(t->gpu, "test", 64, &t->pinned));
    STEP(d->side(t->gpu, "test", "in", t->mem, 64, &side));
    STEP(d->upload(t->gpu, "test", OPI_QUEUE_UP, t->mem, host, 64));
    STEP(d->copy(t->gpu, "test", OPI_QUEUE_COMPUTE, t->mem, (char *)t->mem + 32, 32));
    STEP(d->compile(t->gpu, "test", "a kernel", source, &t->program));
    STEP(d->binary(t->gpu, "test", t->program, &t->binary, &t->bytes));
    STEP(d->load(t->gpu, "test", t->binary, t->bytes, &t->loaded));
    STEP(d->kernel(t->gpu, "test", t->loaded, "k", &t->kernel));
    STEP(d->mark(t->gpu, "test", OPI_QUEUE_UP, &t->mark));
    STEP(d->after(t->gpu, "test", OPI_QUEUE_COMPUTE, t->mark));
    const opi_gpu_argument argument = opi_memory(t->mem);
    STEP(d->launch(t->gpu, "test", t->kernel, 1, 16, &argument, 1));
    STEP(d->query(t->gpu, "test", t->mark, &done));
    STEP(d->reached(t->gpu, "test", t->mark));
    STEP(d->download(t->gpu, "test", OPI_QUEUE_DOWN, back, t->mem, 64));
    return d->sync(t->gpu, "test", OPI_QUEUE_DOWN);
}

static void give_back(things *t)
{
    const opi_driver *const d = &opi_cuda;
    if (!t->gpu) return;
    d->drop(t->gpu, t->mark);
    d->unload(t->gpu, t->program);
    d->unload(t->gpu, t->loaded);
    d->free(t->gpu, t->known);
    d->free(t->gpu, t->mem);
    d->pinned_free(t->gpu, t->pinned);
    d->close(t->gpu);
    free(t->binary);
}

/* A call that gives back may fail: what it leaves is the driver's.  So may the stack of contexts, which nothing mends.
 */
static bool may_leave(const char *name)
{
    static const char *const parts[] = {"CtxPush", "CtxPop", "Destroy", "Free", "Unload", "Release"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strstr(name, parts[i])) return true;
    return false;
}

/* And so may one whose failure changes nothing for who asked. */
static bool may_fail(const char *name)
{
    return strcmp(name, "nvrtcDestroyProgram") == 0 || strcmp(name, "cuDevicePrimaryCtxRelease") == 0;
}

typedef struct usage {
    const char *source;
    bool stream; /* of the caller, in a context of his */
    oplus_status expected;
} usage;

static void one_failure(int which, int error, const usage *u, void *queue)
{
    things t = {0};
    begin(NULL);
    fake->failing = which;
    fake->error = error;
    const oplus_status status = use(&t, u->source, queue);
    if (fake->failed && !may_fail(fake->failed)) {
        if (status == OPLUS_OK) fail_msg("%s fails, and nobody says so", fake->failed);
        if (error == CUDA_ERROR_OUT_OF_MEMORY) assert_int_equal(status, OPLUS_ERR_MEMORY);
        says(fake->failed);
        says("; "); /* a remedy */
    } else
        assert_int_equal(status, u->expected);
    give_back(&t);
    assert_non_null(fake->failed);
    if (!strstr(fake->failed, "CtxPop")) assert_int_equal(fake->depth, 1);
    if (may_leave(fake->failed))
        begin(NULL);
    else if (end(NULL) != 0)
        fail_msg("something is left over after %s", fake->failed);
}

static void every_call(void **state)
{
    static const usage usages[] = {
        {"a cubin", false, OPLUS_OK}, {"a cubin", true, OPLUS_OK}, {"#error", false, OPLUS_ERR_COMPILE}};
    (void)state;
    for (const usage *u = usages; u < usages + sizeof usages / sizeof *usages; u++) {
        void *const queue = u->stream ? fake->stream(0) : NULL;
        things t = {0};
        begin(NULL);
        assert_int_equal(use(&t, u->source, queue), u->expected);
        give_back(&t);
        const int calls = fake->calls;
        assert_int_equal(end(NULL), 0);
        assert_true(calls > 50);
        for (int which = 1; which <= calls; which++) {
            one_failure(which, CUDA_ERROR_UNKNOWN, u, queue);
            one_failure(which, CUDA_ERROR_OUT_OF_MEMORY, u, queue);
        }
    }
    begin(NULL);
}

static void every_allocation(void **state)
{
    (void)state;
    for (int which = 1;; which++) {
        things t = {0};
        failing_allocation = which;
        const oplus_status status = use(&t, "cubin", NULL);
        const bool reached_it = failing_allocation == 0;
        failing_allocation = 0;
        give_back(&t);
        assert_int_equal(end(NULL), 0);
        if (!reached_it) break;
        fails_with(OPLUS_ERR_MEMORY, status, "free some");
        assert_true(which < 50);
    }
    assert_true(allocations > 8);
}

/* --- 7. NVRTC itself ---------------------------------------------------------------------------------------------- */

static const char kernel_text[] =
    "#line 7 \"here.c\"\n"
    "int twice(int x) { return 2 * x; }\n" /* of the device, without a qualifier */
    "extern \"C\" __global__ void k(unsigned char *memory, unsigned long at, int add)\n"
    "{ int *p = (int *)(memory + at); unsigned i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  p[i] = twice(p[i]) + add; }\n";

static bool has_nvrtc(void)
{
    const char *why;
    return opi_nvrtc_open(&why) != NULL;
}

static void targets(void **state)
{
    static const char *const known[] = {"sm_75", "sm_80", "sm_90", "sm_100", "sm_120"};
    void *binary;
    size_t bytes;
    (void)state;
    if (!has_nvrtc()) skip();
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        good(opi_nvrtc_compile("test", "a kernel", kernel_text, known[i], &binary, &bytes));
        assert_true(bytes > 64);
        free(binary);
    }
    good(opi_nvrtc_compile("test", "a kernel", kernel_text, "sm_999", &binary, &bytes)); /* of the future: PTX */
    assert_int_equal(((char *)binary)[bytes - 1], '\0');
    assert_non_null(strstr(binary, ".version"));
    free(binary);
    fails_with(OPLUS_ERR_COMPILE, opi_nvrtc_compile("test", "a kernel", kernel_text, "sm_20", &binary, &bytes),
               "does not compile for sm_20 any more");
    fails_with(OPLUS_ERR_INTERNAL, opi_nvrtc_compile("test", "a kernel", kernel_text, "gfx90", &binary, &bytes),
               "gfx90");
}

/* What would bend the bits is off. */
static void instructions(void **state)
{
    static const char text[] = "extern \"C\" __global__ void k(float *p, double *q)\n"
                               "{ p[0] = p[1] * p[2] + p[3]; p[4] = p[5] / p[6]; p[7] = sqrtf(p[8]);\n"
                               "  q[0] = q[1] * q[2] + q[3]; }\n";
    void *binary;
    size_t bytes;
    (void)state;
    if (!has_nvrtc()) skip();
    good(opi_nvrtc_compile("test", "a kernel", text, "sm_999", &binary, &bytes));
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
                                 "sm_90", &binary, &bytes),
               "oplus_scan: operator \"add\" does not compile:\nmine.c(13): error: identifier \"lost\" is undefined");
    assert_null(strstr(oplus_last_error(), "warning"));
    assert_null(strstr(oplus_last_error(), "detected in"));
    assert_null(binary);
}

/* With the fake driver: what NVRTC makes is found whole, and a part of it is not. */
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
        opi_cuda.close(gpu);
    }
}

/* --- 8. a real device --------------------------------------------------------------------------------------------- */

static bool has_device(void)
{
    opi_gpu_facts f;
    char why[512];
    if (opi_cuda.list(&f, 1, why, sizeof why) > 0) return true;
    print_message("no device: %s\n", why);
    return false;
}

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
    good(d->launch(gpu, "test", kernel, ELEMENTS / ITEMS, ITEMS, argument, 2));
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

/* Each array of each call is asked for: it should cost no more than some hundred nanoseconds. */
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

/* What a device gets that is newer than NVRTC: as if it were one of the next number. */
static void run_as_text(opi_gpu *gpu)
{
    char next[32];
    void *binary, *program;
    size_t bytes;
    snprintf(next, sizeof next, "sm_%ld", strtol(gpu->facts.target + 3, NULL, 10) + 1);
    good(opi_nvrtc_compile("test", "a kernel", kernel_text, next, &binary, &bytes));
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
    print_message("%s: %s, %s, %s, %llu bytes, %u x %u, %zu shared\n", gpu->facts.where, gpu->facts.name,
                  gpu->facts.driver, gpu->facts.target, (unsigned long long)gpu->facts.memory, gpu->facts.units,
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
    d->close(gpu);
}

/* A context and a stream of the caller, made by the driver's own calls: used, and left as they were. */
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
        opi_cuda.close(gpu);
        assert_int_not_equal(cu->CtxPopCurrent(&top), CUDA_SUCCESS); /* nothing was left on the stack */
    }
    assert_int_equal(cu->CtxPushCurrent(primary), CUDA_SUCCESS);
    assert_int_equal(cu->StreamSynchronize(stream), CUDA_SUCCESS); /* it lives */
    assert_int_equal(cu->StreamDestroy(stream), CUDA_SUCCESS);
    assert_int_equal(cu->CtxPopCurrent(&top), CUDA_SUCCESS);
    assert_int_equal(cu->DevicePrimaryCtxRelease(device), CUDA_SUCCESS);
}

/* --- 9. the parts ------------------------------------------------------------------------------------------------- */

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

#define WITH_BOOKS(test) cmocka_unit_test_setup_teardown(test, begin, end)

static int run_fake(void)
{
    const struct CMUnitTest tests[] = {WITH_BOOKS(facts),
                                       WITH_BOOKS(absent_devices),
                                       WITH_BOOKS(arguments),
                                       WITH_BOOKS(sides),
                                       WITH_BOOKS(wrapped),
                                       WITH_BOOKS(streams),
                                       WITH_BOOKS(programs),
                                       WITH_BOOKS(every_call),
                                       WITH_BOOKS(messages_of_compilers),
                                       WITH_BOOKS(messages_of_the_driver),
                                       WITH_BOOKS(every_allocation)};
    return cmocka_run_group_tests_name("a fake driver", tests, find_fake, NULL);
}

static int run_nvrtc(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(targets), cmocka_unit_test(instructions),
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

static const struct part {
    const char *cuda, *nvrtc; /* the libraries; NULL: the system's */
    const char *variable, *value;
    const char *reason;
    int (*run)(void);
} parts[] = {
    {"/nowhere/libcuda.so", "/nowhere/libnvrtc.so", NULL, NULL, "OPLUS_CUDA_LIBRARY, \"/nowhere/libcuda.so\"",
     run_absent},
    {"libm.so.6", "libm.so.6", NULL, NULL, "lacks cuInit", run_absent},
    {FAKE_CUDA, FAKE_CUDA, "FAKE_CUDA_INIT", "100", "cuInit failed: CUDA_ERROR_NO_DEVICE", run_none},
    {FAKE_CUDA, FAKE_CUDA, "FAKE_CUDA_INIT", "34", "the empty one for linking", run_none},
    {FAKE_CUDA, FAKE_CUDA, "FAKE_CUDA_DEVICES", "0", "CUDA_VISIBLE_DEVICES", run_none},
    {"/nowhere/libcuda.so", NULL, NULL, NULL, NULL, run_nowhere},
    {FAKE_CUDA, NULL, NULL, NULL, NULL, run_closed},
    {FAKE_CUDA, FAKE_CUDA, NULL, NULL, NULL, run_fake},
    {"/nowhere/libcuda.so", NULL, NULL, NULL, NULL, run_nvrtc},
    {FAKE_CUDA, NULL, NULL, NULL, NULL, run_mixed},
    {NULL, NULL, NULL, NULL, NULL, run_real},
};

/* In a process of its own. */
static int run_part(const struct part *part)
{
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        if (part->cuda) setenv("OPLUS_CUDA_LIBRARY", part->cuda, 1);
        if (part->nvrtc) setenv("OPLUS_NVRTC_LIBRARY", part->nvrtc, 1);
        if (part->variable) setenv(part->variable, part->value, 1);
        reason = part->reason;
        exit(part->run() != 0);
    }
    int end;
    if (child < 0 || waitpid(child, &end, 0) != child) return 1;
    return !WIFEXITED(end) || WEXITSTATUS(end) != 0;
}

int main(void)
{
    int failed = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) failed += run_part(&parts[i]);
    return failed != 0;
}
