/* The OpenCL driver by itself, on every device of this machine: memory, programs, launches, order, messages. */
#define _GNU_SOURCE /* setenv, PROT_NONE mappings */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* Where the standard's header is installed, what the driver declares by itself is compared with it. */
#if defined(__has_include)
#if __has_include(<CL/cl.h>)
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#endif
#endif
#include "driver/opencl/opencl.h"
#include "support/launch.h"

#ifdef CL_VERSION_1_2
#define SAME_VALUE(name, value) _Static_assert((name) == (value), #name);
#define SAME_CALL(result, name, arguments)                                                                             \
    _Static_assert(_Generic(&cl##name, result(*) arguments : 1, default : 0), #name);
OPI_CL_CONSTANTS(SAME_VALUE)
OPI_CL_ERRORS(SAME_VALUE)
OPI_CL_CALLS(SAME_CALL)
_Static_assert(CL_DEVICE_TYPE_ALL == 0xFFFFFFFF, "CL_DEVICE_TYPE_ALL");
#endif

enum { MOST = 16, N = 1000, GROUP = 32 };

static const opi_driver *const cl = &opi_opencl;
static opi_gpu_facts facts[MOST];
static int devices;

static const char source[] = //
    "#define AT(p) ((global int *)(p##_memory + p##_at))\n"
    "kernel void add(global uchar *out_memory, const ulong out_at, global uchar *in_memory, const ulong in_at,\n"
    "                const ulong n, const int more)\n"
    "{\n"
    "    const size_t i = get_global_id(0);\n"
    "    if (i < n) AT(out)[i] = AT(in)[i] + more;\n"
    "}\n"
    "kernel void given(global uchar *out_memory, const ulong out_at, global uchar *in_memory, const ulong in_at)\n"
    "{\n"
    "    if (get_global_id(0) == 0) *AT(out) = in_memory != 0;\n"
    "}\n";

/* --- helpers ------------------------------------------------------------------------------------------------------ */

static void good(oplus_status status)
{
    if (status != OPLUS_OK) print_error("%s: %s\n", oplus_status_string(status), oplus_last_error());
    assert_int_equal(status, OPLUS_OK);
}

/* The status, and each of the words in the message, up to NULL. */
static void fails(oplus_status status, oplus_status expected, ...)
{
    va_list words;
    if (status != expected) print_error("%s: %s\n", oplus_status_string(status), oplus_last_error());
    assert_int_equal(status, expected);
    va_start(words, expected);
    for (const char *word; (word = va_arg(words, const char *));) {
        if (!strstr(oplus_last_error(), word)) print_error("no \"%s\" in: %s\n", word, oplus_last_error());
        assert_non_null(strstr(oplus_last_error(), word));
    }
    va_end(words);
}

static const char *suffix_of(int device) { return facts[device].where + strlen("opencl"); }

static opi_gpu *opened(int device)
{
    opi_gpu *gpu = NULL;
    good(cl->open("test", suffix_of(device), NULL, &gpu));
    return gpu;
}

/* All tests of a device, once for each. */
static void on_all(void (*test)(opi_gpu *gpu))
{
    for (int i = 0; i < devices; i++) {
        opi_gpu *const gpu = opened(i);
        test(gpu);
        cl->close(gpu);
    }
}
#define ON_ALL(name)                                                                                                   \
    static void name(void **state)                                                                                     \
    {                                                                                                                  \
        (void)state;                                                                                                   \
        on_all(name##_on);                                                                                             \
    }

static void count(int *x, int first)
{
    for (int i = 0; i < N; i++) x[i] = first + i;
}

static void is_counted(const int *x, int first)
{
    for (int i = 0; i < N; i++) assert_int_equal(x[i], first + i);
}

/* --- devices ------------------------------------------------------------------------------------------------------ */

static void test_list(void **state)
{
    (void)state;
    char why[400] = "untouched";
    opi_gpu_facts one[2] = {{.name = "first"}, {.name = "second"}};
    assert_int_equal(cl->list(one, 1, why, sizeof why), devices); /* of all, however few are asked for */
    assert_string_equal(one[1].name, "second");
    for (int i = 0; i < devices && i < MOST; i++) {
        char where[32];
        const opi_gpu_facts *const f = &facts[i];
        snprintf(where, sizeof where, "opencl:%d", i);
        assert_string_equal(f->where, where);
        assert_true(*f->name && *f->driver && f->architecture == 0);
        assert_true(f->memory > 0 && f->largest > 0 && f->largest <= f->memory && f->local > 0);
        assert_true(f->units > 0 && f->group > 0 && f->lanes == 0 && f->fast_bytes == 16);
        printf("# %s: %s; %s; cores %d, f64 %d, denormals %d, divides %d, %llu bytes (%llu), local %zu, %u units, "
               "group %u\n",
               f->where, f->name, f->driver, f->host_cores, f->f64, f->denormals, f->divides,
               (unsigned long long)f->memory, (unsigned long long)f->largest, f->local, f->units, f->group);
    }
}

static void test_open(void **state)
{
    (void)state;
    static const char *const malformed[] = {":", ":x", ":1x", ":-1", ": 1", "0", ":cpus", ":0:0"};
    opi_gpu *gpu = NULL;
    good(cl->open("test", "", NULL, &gpu));
    assert_ptr_equal(gpu->driver, cl);
    cl->close(gpu);
    for (int i = 0; i < devices; i++) {
        gpu = opened(i);
        assert_memory_equal(&gpu->facts, &facts[i], sizeof *facts);
        cl->close(gpu);
    }
    for (size_t i = 0; i < sizeof malformed / sizeof *malformed; i++)
        fails(cl->open("test", malformed[i], NULL, &gpu), OPLUS_ERR_ARGUMENT, "test: where is \"opencl", malformed[i],
              "\"opencl:0\"", NULL);
    fails(cl->open("test", ":4711", NULL, &gpu), OPLUS_ERR_DEVICE, "\"opencl:4711\"", "0: ", facts[0].name,
          "use \"opencl:0\"", NULL);
    fails(cl->open("test", ":99999999999999999999", NULL, &gpu), OPLUS_ERR_DEVICE, facts[0].name, NULL);
}

static const struct {
    const char *suffix;
    cl_device_type type;
} kinds[] = {{":gpu", CL_DEVICE_TYPE_GPU}, {":accelerator", CL_DEVICE_TYPE_ACCELERATOR}, {":cpu", CL_DEVICE_TYPE_CPU}};

static bool is_of(const opi_gpu *gpu, cl_device_type type)
{
    const opi_cl_gpu *const of = (const opi_cl_gpu *)gpu;
    cl_device_type is = 0;
    assert_int_equal(of->cl->GetDeviceInfo(of->device, CL_DEVICE_TYPE, sizeof is, &is, NULL), CL_SUCCESS);
    return (is & type) != 0;
}

/* A kind opens the first that is one, or says which there are; without a kind, the best there is. */
static void test_kinds(void **state)
{
    (void)state;
    opi_gpu *best = NULL;
    good(cl->open("test", "", NULL, &best));
    for (int i = 0; i < 3; i++) {
        opi_gpu *gpu = NULL;
        const oplus_status status = cl->open("test", kinds[i].suffix, NULL, &gpu);
        if (status != OPLUS_OK) {
            fails(status, OPLUS_ERR_DEVICE, kinds[i].suffix, facts[0].name, NULL);
            continue;
        }
        assert_true(is_of(gpu, kinds[i].type));
        assert_true(!gpu->facts.host_cores || kinds[i].type != CL_DEVICE_TYPE_GPU);
        if (best) assert_string_equal(gpu->facts.where, best->facts.where);
        if (best) cl->close(best);
        best = NULL;
        cl->close(gpu);
    }
    assert_null(best);
}

/* In a process of its own, because the library is looked up once; before it is here. */
static int without_library(void)
{
    opi_gpu *gpu = NULL;
    char why[700] = "";
    opi_gpu_facts none;
    setenv("OPLUS_OPENCL_LIBRARY", "/nonexistent/libOpenCL.so", 1);
    if (cl->list(&none, 1, why, sizeof why) != 0) return 1;
    if (!strstr(why, "/nonexistent/libOpenCL.so") || !strstr(why, "apt-get install")) return 2;
    if (cl->open("test", ":0", NULL, &gpu) != OPLUS_ERR_DEVICE) return 3;
    return strstr(oplus_last_error(), "test: where is \"opencl:0\", but ") && strstr(oplus_last_error(), why) ? 0 : 4;
}

/* A library that is none of OpenCL's. */
static int with_wrong_library(void)
{
    char why[700] = "";
    opi_gpu_facts none;
    setenv("OPLUS_OPENCL_LIBRARY", "libc.so.6", 1);
    if (cl->list(&none, 1, why, sizeof why) != 0) return 1;
    return strstr(why, "libc.so.6 has no clGetPlatformIDs") ? 0 : 2;
}

/* No driver behind the loader: of the loader's variables, that of ocl-icd. */
static int without_driver(void)
{
    char why[700] = "";
    opi_gpu_facts none;
    setenv("OCL_ICD_VENDORS", "/nonexistent", 1);
    if (getenv("LD_PRELOAD") || cl->list(&none, 1, why, sizeof why) > 0) return 0; /* another loader */
    return strstr(why, "apt-get install") ? 0 : 1;
}

/* What a process of its own returns. */
static int apart(int (*test)(void))
{
    int state = -1;
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) _exit(test());
    if (child < 0 || waitpid(child, &state, 0) != child || !WIFEXITED(state)) return -1;
    return WEXITSTATUS(state);
}

static int told_apart[3];
static void test_absence(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) assert_int_equal(told_apart[i], 0);
}

/* --- memory ------------------------------------------------------------------------------------------------------- */

static void test_side_on(opi_gpu *gpu)
{
    opi_gpu_side side;
    char *mem = NULL;
    void *pinned = NULL;
    const int on_stack = 0;
    good(cl->alloc(gpu, "test", 4096, (void **)&mem));
    good(cl->pinned_alloc(gpu, "test", 4096, &pinned));
    assert_int_equal((uintptr_t)mem % 64, 0);
    memset(pinned, 1, 4096); /* it is memory */
    const struct {
        const void *p;
        size_t bytes;
        opi_gpu_side side;
    } rows[] = {
        {mem, 4096, OPI_SIDE_DEVICE},
        {mem, 0, OPI_SIDE_DEVICE},
        {mem + 4096, 0, OPI_SIDE_DEVICE},
        {mem + 1, 4095, OPI_SIDE_DEVICE},
        {mem + 4095, 1, OPI_SIDE_DEVICE},
        {mem - 1, 1, OPI_SIDE_HOST},
        {&on_stack, sizeof on_stack, OPI_SIDE_HOST},
        {NULL, 0, OPI_SIDE_HOST},
        {pinned, 4096, OPI_SIDE_PINNED},
        {(char *)pinned + 100, 3996, OPI_SIDE_PINNED},
        {(char *)pinned + 100, 3997, OPI_SIDE_HOST},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        good(cl->side(gpu, "test", "in", rows[i].p, rows[i].bytes, &side));
        assert_int_equal(side, rows[i].side);
    }
    fails(cl->side(gpu, "test", "in", mem + 96, 4001, &side), OPLUS_ERR_ARGUMENT, "test: in is 4001 bytes",
          "byte 96 of a buffer of 4096 bytes", gpu->facts.where, NULL);
    fails(cl->side(gpu, "test", "in", mem + 4096, 1, &side), OPLUS_ERR_ARGUMENT, NULL);
    fails(cl->side(gpu, "test", "in", mem + 1, SIZE_MAX, &side), OPLUS_ERR_ARGUMENT, NULL);
    cl->free(gpu, mem);
    cl->pinned_free(gpu, pinned);
    good(cl->side(gpu, "test", "in", mem, 4096, &side));
    assert_int_equal(side, OPI_SIDE_HOST);
    cl->free(gpu, NULL);
}
ON_ALL(test_side)

/* Many buffers, freed out of order: each address finds its own. */
static void test_many_on(opi_gpu *gpu)
{
    enum { MANY = 100 };
    int *mem[MANY], value;
    opi_gpu_side side;
    for (int i = 0; i < MANY; i++) {
        good(cl->alloc(gpu, "test", (size_t)(i + 1) * sizeof **mem, (void **)&mem[i]));
        good(cl->upload(gpu, "test", OPI_QUEUE_COMPUTE, mem[i] + i, &i, sizeof i)); /* its last */
    }
    for (int i = 0; i < MANY; i += 3) cl->free(gpu, mem[i]);
    for (int i = 0; i < MANY; i++) {
        good(cl->side(gpu, "test", "in", mem[i], sizeof value, &side));
        assert_int_equal(side, i % 3 ? OPI_SIDE_DEVICE : OPI_SIDE_HOST);
        if (i % 3 == 0) continue;
        good(cl->download(gpu, "test", OPI_QUEUE_COMPUTE, &value, mem[i] + i, sizeof value));
        assert_int_equal(value, i);
    } /* the rest is freed by close */
}
ON_ALL(test_many)

static void test_largest_on(opi_gpu *gpu)
{
    void *mem = NULL;
    char limit[32];
    snprintf(limit, sizeof limit, "%llu", (unsigned long long)gpu->facts.largest);
    fails(cl->alloc(gpu, "test", (size_t)gpu->facts.largest + 1, &mem), OPLUS_ERR_MEMORY, "test: ", limit,
          gpu->facts.where, NULL);
    assert_null(mem);
    fails(cl->alloc(gpu, "test", SIZE_MAX, &mem), OPLUS_ERR_MEMORY, limit, NULL);
}
ON_ALL(test_largest)

static void test_copies_on(opi_gpu *gpu)
{
    int x[N], y[N], *mem = NULL, *more = NULL, *pinned = NULL;
    good(cl->alloc(gpu, "test", 2 * sizeof x, (void **)&mem));
    good(cl->alloc(gpu, "test", 2 * sizeof x, (void **)&more));
    good(cl->pinned_alloc(gpu, "test", 2 * sizeof x, (void **)&pinned));
    count(x, 5);
    memset(y, 0, sizeof y);

    /* Of ordinary memory: x is ours again at once. */
    good(cl->upload(gpu, "test", OPI_QUEUE_COMPUTE, mem + 7, x, sizeof x));
    memset(x, 0, sizeof x);
    good(cl->copy(gpu, "test", OPI_QUEUE_COMPUTE, more + 500, mem + 7, sizeof x));
    good(cl->copy(gpu, "test", OPI_QUEUE_COMPUTE, more + 500, more + 500, sizeof x));
    good(cl->download(gpu, "test", OPI_QUEUE_COMPUTE, y, more + 500, sizeof y));
    is_counted(y, 5);

    /* Of pinned memory: enqueued. */
    count(pinned + 3, 11);
    good(cl->upload(gpu, "test", OPI_QUEUE_COMPUTE, mem, pinned + 3, sizeof x));
    good(cl->download(gpu, "test", OPI_QUEUE_COMPUTE, pinned + N, mem, sizeof x));
    good(cl->sync(gpu, "test", OPI_QUEUE_COMPUTE));
    is_counted(pinned + N, 11);

    /* Nothing, and what is no memory of the device. */
    good(cl->upload(gpu, "test", OPI_QUEUE_UP, mem, x, 0));
    good(cl->download(gpu, "test", OPI_QUEUE_DOWN, x, mem, 0));
    good(cl->copy(gpu, "test", OPI_QUEUE_COMPUTE, mem, more, 0));
    fails(cl->upload(gpu, "test", OPI_QUEUE_UP, y, x, sizeof x), OPLUS_ERR_INTERNAL, "test: ", NULL);
    fails(cl->download(gpu, "test", OPI_QUEUE_UP, y, mem + 2 * N - 1, 8), OPLUS_ERR_INTERNAL, NULL);
    cl->free(gpu, mem);
    cl->free(gpu, more);
    cl->pinned_free(gpu, pinned);
}
ON_ALL(test_copies)

/* --- programs ----------------------------------------------------------------------------------------------------- */

/* out = in + more, at offsets, by the kernel `add` of the program. */
static void add_with(opi_gpu *gpu, void *program)
{
    int x[N], y[N + 2], more = 42, *in = NULL, *out = NULL;
    const uint64_t n = N;
    void *kernel = NULL;
    count(x, 0);
    memset(y, 0xff, sizeof y);
    good(cl->kernel(gpu, "test", program, "add", &kernel));
    good(cl->alloc(gpu, "test", sizeof x + 400, (void **)&in));
    good(cl->alloc(gpu, "test", sizeof y, (void **)&out));
    good(cl->upload(gpu, "test", OPI_QUEUE_COMPUTE, out, y, sizeof y));
    good(cl->upload(gpu, "test", OPI_QUEUE_COMPUTE, in + 100, x, sizeof x));
    const opi_gpu_argument arguments[] = {opi_memory(out + 1), opi_memory(in + 100), opi_value(n), opi_value(more)};
    good(launch_plain(gpu, kernel, (N + GROUP - 1) / GROUP, GROUP, arguments, 4));
    good(launch_plain(gpu, kernel, 0, GROUP, arguments, 4)); /* of nothing */
    good(cl->download(gpu, "test", OPI_QUEUE_COMPUTE, y, out, sizeof y));
    is_counted(y + 1, 42);
    assert_int_equal(y[0], -1);
    assert_int_equal(y[N + 1], -1);
    cl->free(gpu, in);
    cl->free(gpu, out);
}

static void test_launch_on(opi_gpu *gpu)
{
    void *program = NULL;
    good(cl->compile(gpu, "test", "the kernel", source, &program));
    add_with(gpu, program);
    cl->unload(gpu, program);
    cl->unload(gpu, NULL);
}
ON_ALL(test_launch)

/* NULL comes to a kernel as NULL. */
static void test_null_on(opi_gpu *gpu)
{
    void *program = NULL, *kernel = NULL;
    int *out = NULL, value;
    good(cl->compile(gpu, "test", "the kernel", source, &program));
    good(cl->kernel(gpu, "test", program, "given", &kernel));
    good(cl->alloc(gpu, "test", sizeof *out, (void **)&out));
    for (int given = 0; given < 2; given++) {
        const opi_gpu_argument arguments[] = {opi_memory(out), opi_memory(given ? out : NULL)};
        good(launch_plain(gpu, kernel, 1, 1, arguments, 2));
        good(cl->download(gpu, "test", OPI_QUEUE_COMPUTE, &value, out, sizeof value));
        assert_int_equal(value, given);
    }
    cl->unload(gpu, program);
    cl->free(gpu, out);
}
ON_ALL(test_null)

static void test_binary_on(opi_gpu *gpu)
{
    void *program = NULL, *loaded = NULL, *binary = NULL;
    size_t bytes = 0;
    good(cl->compile(gpu, "test", "the kernel", source, &program));
    good(cl->binary(gpu, "test", program, &binary, &bytes));
    cl->unload(gpu, program);
    assert_true(binary && bytes > 0);
    good(cl->load(gpu, "test", binary, bytes, &loaded));
    add_with(gpu, loaded);
    cl->unload(gpu, loaded);
    free(binary);
    loaded = NULL;
    fails(cl->load(gpu, "test", "no program", 10, &loaded), OPLUS_ERR_DEVICE, "test: ", gpu->facts.where, NULL);
    assert_null(loaded);
}
ON_ALL(test_binary)

static void test_messages_on(opi_gpu *gpu)
{
    static const char wrong[] = "#line 17 \"users.c\"\nkernel void k(global int *p) { *p = nothing; }\n";
    void *program = NULL, *kernel = NULL;
    fails(cl->compile(gpu, "test", "operator \"wrong\"", wrong, &program), OPLUS_ERR_COMPILE,
          "test: operator \"wrong\" does not compile for opencl:", "nothing", NULL);
    printf("# %s\n", oplus_last_error());
    assert_null(program);
    good(cl->compile(gpu, "test", "the kernel", source, &program));
    fails(cl->kernel(gpu, "test", program, "absent", &kernel), OPLUS_ERR_DEVICE, "clCreateKernel of absent",
          "CL_INVALID_KERNEL_NAME (-46)", gpu->facts.where, gpu->facts.name, NULL);

    int *mem = NULL;
    good(cl->alloc(gpu, "test", 64, (void **)&mem));
    good(cl->kernel(gpu, "test", program, "given", &kernel));
    const opi_gpu_argument two[] = {opi_memory(mem), opi_memory(mem), opi_memory(mem)};
    fails(launch_plain(gpu, kernel, 1, gpu->facts.group * 2, two, 2), OPLUS_ERR_DEVICE, "clEnqueueNDRangeKernel",
          "given", "CL_INVALID_WORK_", NULL);
    fails(launch_plain(gpu, kernel, 1, 1, two, 3), OPLUS_ERR_DEVICE, "clSetKernelArg 2 of given",
          "CL_INVALID_ARG_INDEX (-49)", NULL);
    const opi_gpu_argument host[] = {opi_memory(&mem), opi_memory(mem)};
    fails(launch_plain(gpu, kernel, 1, 1, host, 2), OPLUS_ERR_INTERNAL, NULL);
    cl->free(gpu, mem);
    cl->unload(gpu, program);
}
ON_ALL(test_messages)

/* What OpenCL cannot do. */
static void test_refusals_on(opi_gpu *gpu)
{
    void *program = NULL, *kernel = NULL;
    uint64_t groups;
    good(cl->compile(gpu, "test", "the kernel", source, &program));
    good(cl->kernel(gpu, "test", program, "given", &kernel));
    const opi_launch local = {.kernel = kernel, .groups = 2, .items = 1, .local = 64},
                     resident = {.kernel = kernel, .groups = 2, .items = 1, .resident = true},
                     clusters = {.kernel = kernel, .groups = 2, .items = 1, .cluster = 2};
    assert_true(!gpu->facts.resident && gpu->facts.cluster == 0 && gpu->facts.local_most == gpu->facts.local);
    fails(cl->launch(gpu, "test", &local), OPLUS_ERR_UNSUPPORTED, "given", "64 bytes of local memory", "declare", NULL);
    fails(cl->launch(gpu, "test", &resident), OPLUS_ERR_UNSUPPORTED, "given", "at the same time", NULL);
    fails(cl->launch(gpu, "test", &clusters), OPLUS_ERR_UNSUPPORTED, "given", "clusters of 2", NULL);
    fails(cl->residents(gpu, "test", &resident, &groups), OPLUS_ERR_UNSUPPORTED, "at the same time", NULL);
    fails(cl->allow(gpu, "test", kernel, 64, 100), OPLUS_ERR_UNSUPPORTED, "64 bytes of local memory", NULL);
    good(cl->allow(gpu, "test", kernel, 0, 100)); /* a preference */
    cl->unload(gpu, program);
}
ON_ALL(test_refusals)

static void test_words(void **state)
{
    (void)state;
    assert_string_equal(opi_cl_word(-5), "CL_OUT_OF_RESOURCES");
    assert_string_equal(opi_cl_word(-1001), "CL_PLATFORM_NOT_FOUND_KHR");
    assert_string_equal(opi_cl_word(12345), "an error without a name");
    for (int error = 0; error >= -68; error--) /* -20 to -29 are free */
        assert_true((strncmp(opi_cl_word(error), "CL_", 3) == 0) == (error > -20 || error < -29));
}

/* --- order -------------------------------------------------------------------------------------------------------- */

/* A pipeline over three queues: pieces go up, are worked on, and come down; only marks keep them in order. */
static void test_marks_on(opi_gpu *gpu)
{
    enum { PIECES = 8 };
    int *host = NULL, *mem = NULL, more = 1000;
    void *program = NULL, *kernel = NULL, *landed[PIECES];
    const uint64_t n = N;
    good(cl->compile(gpu, "test", "the kernel", source, &program));
    good(cl->kernel(gpu, "test", program, "add", &kernel));
    good(cl->pinned_alloc(gpu, "test", 2 * PIECES * N * sizeof *host, (void **)&host));
    good(cl->alloc(gpu, "test", PIECES * N * sizeof *mem, (void **)&mem));
    int *const result = host + PIECES * N;
    for (int p = 0; p < PIECES; p++) count(host + p * N, p);
    for (int p = 0; p < PIECES; p++) {
        void *up = NULL, *worked = NULL;
        int *const piece = mem + p * N;
        good(cl->upload(gpu, "test", OPI_QUEUE_UP, piece, host + p * N, N * sizeof *host));
        good(cl->mark(gpu, "test", OPI_QUEUE_UP, &up));
        good(cl->after(gpu, "test", OPI_QUEUE_COMPUTE, up));
        const opi_gpu_argument arguments[] = {opi_memory(piece), opi_memory(piece), opi_value(n), opi_value(more)};
        good(launch_plain(gpu, kernel, (N + GROUP - 1) / GROUP, GROUP, arguments, 4));
        good(cl->mark(gpu, "test", OPI_QUEUE_COMPUTE, &worked));
        good(cl->after(gpu, "test", OPI_QUEUE_COMPUTE, worked)); /* itself */
        good(cl->after(gpu, "test", OPI_QUEUE_DOWN, worked));
        good(cl->download(gpu, "test", OPI_QUEUE_DOWN, result + p * N, piece, N * sizeof *host));
        good(cl->mark(gpu, "test", OPI_QUEUE_DOWN, &landed[p]));
        cl->drop(gpu, up);
        cl->drop(gpu, worked);
    }
    for (int p = 0; p < PIECES; p++) {
        bool done = false;
        good(cl->query(gpu, "test", landed[p], &done)); /* either */
        good(cl->reached(gpu, "test", landed[p]));
        is_counted(result + p * N, p + 1000);
        good(cl->query(gpu, "test", landed[p], &done));
        assert_true(done);
        cl->drop(gpu, landed[p]);
    }
    cl->drop(gpu, NULL);
    for (int q = 0; q < OPI_QUEUES; q++) good(cl->sync(gpu, "test", q));
    cl->unload(gpu, program);
    cl->free(gpu, mem);
    cl->pinned_free(gpu, host);
}
ON_ALL(test_marks)

/* A queue waits for a mark: the upload before it takes long, and the kernel behind it, run before, is there at once. */
static void test_wait_on(opi_gpu *gpu)
{
    enum { LONG = 1 << 22 };
    int *host = NULL, *mem = NULL, *out = NULL, y[N], more = 1;
    void *program = NULL, *kernel = NULL, *up = NULL;
    const uint64_t n = N;
    good(cl->compile(gpu, "test", "the kernel", source, &program));
    good(cl->kernel(gpu, "test", program, "add", &kernel));
    good(cl->pinned_alloc(gpu, "test", LONG * sizeof *host, (void **)&host));
    good(cl->alloc(gpu, "test", LONG * sizeof *mem, (void **)&mem));
    good(cl->alloc(gpu, "test", sizeof y, (void **)&out));
    int *const last = mem + LONG - N;
    const opi_gpu_argument arguments[] = {opi_memory(out), opi_memory(last), opi_value(n), opi_value(more)};
    memset(host, 0, LONG * sizeof *host);
    for (int round = 0; round < 4; round++) {
        count(host + LONG - N, round);
        good(cl->upload(gpu, "test", OPI_QUEUE_UP, mem, host, LONG * sizeof *host));
        good(cl->mark(gpu, "test", OPI_QUEUE_UP, &up));
        good(cl->after(gpu, "test", OPI_QUEUE_COMPUTE, up));
        good(launch_plain(gpu, kernel, (N + GROUP - 1) / GROUP, GROUP, arguments, 4));
        good(cl->download(gpu, "test", OPI_QUEUE_COMPUTE, y, out, sizeof y));
        is_counted(y, round + 1);
        cl->drop(gpu, up);
    }
    cl->unload(gpu, program);
    cl->free(gpu, mem);
    cl->free(gpu, out);
    cl->pinned_free(gpu, host);
}
ON_ALL(test_wait)

/* Memory and programs that are released while work is under way; and all that is left to close. */
static void test_leftovers_on(opi_gpu *gpu)
{
    int *mem = NULL, *pinned = NULL, more = 1;
    void *program = NULL, *kernel = NULL;
    const uint64_t n = 1 << 16;
    good(cl->compile(gpu, "test", "the kernel", source, &program));
    good(cl->kernel(gpu, "test", program, "add", &kernel));
    for (int i = 0; i < 3; i++) {
        good(cl->pinned_alloc(gpu, "test", n * sizeof *mem, (void **)&pinned));
        good(cl->alloc(gpu, "test", n * sizeof *mem, (void **)&mem));
        memset(pinned, 0, n * sizeof *mem);
        good(cl->upload(gpu, "test", OPI_QUEUE_COMPUTE, mem, pinned, n * sizeof *mem));
        const opi_gpu_argument arguments[] = {opi_memory(mem), opi_memory(mem), opi_value(n), opi_value(more)};
        good(launch_plain(gpu, kernel, n / GROUP, GROUP, arguments, 4));
        good(cl->download(gpu, "test", OPI_QUEUE_COMPUTE, pinned, mem, n * sizeof *mem));
        if (i == 0) cl->free(gpu, mem);
        if (i == 1) cl->pinned_free(gpu, pinned);
    }
    cl->unload(gpu, program);
}
ON_ALL(test_leftovers)

/* --- a caller's queue and buffer ---------------------------------------------------------------------------------- */

static void wrap_on(opi_gpu *gpu, opi_gpu *other)
{
    const opi_cl_gpu *const own = (const opi_cl_gpu *)gpu;
    const opi_cl_api *const api = own->cl;
    cl_int error = CL_SUCCESS;
    int x[N], y[N], *mem = NULL;
    void *refused = NULL;
    opi_gpu_side side;
    cl_mem theirs = api->CreateBuffer(own->context, CL_MEM_READ_WRITE, sizeof x, NULL, &error);
    assert_int_equal(error, CL_SUCCESS);
    fails(cl->wrap(gpu, "test", theirs, sizeof x + 1, &refused), OPLUS_ERR_ARGUMENT, "bytes is 4001", "4000", NULL);
    fails(cl->wrap(other, "test", theirs, sizeof x, &refused), OPLUS_ERR_ARGUMENT, "another context", NULL);
    fails(cl->wrap(gpu, "test", NULL, sizeof x, &refused), OPLUS_ERR_ARGUMENT, "native is NULL", NULL);
    assert_null(refused);

    good(cl->wrap(gpu, "test", theirs, sizeof x, (void **)&mem));
    good(cl->side(gpu, "test", "in", mem + 1, sizeof x - 4, &side));
    assert_int_equal(side, OPI_SIDE_DEVICE);
    good(cl->side(other, "test", "in", mem + 1, sizeof x - 4, &side));
    assert_int_equal(side, OPI_SIDE_HOST);
    count(x, 1);
    memset(y, 0, sizeof y);
    good(cl->upload(gpu, "test", OPI_QUEUE_COMPUTE, mem, x, sizeof x));
    cl->free(gpu, mem); /* it is still theirs */
    error = api->EnqueueReadBuffer(own->queue[OPI_QUEUE_COMPUTE], theirs, CL_TRUE, 0, sizeof y, y, 0, NULL, NULL);
    assert_int_equal(error, CL_SUCCESS);
    is_counted(y, 1);
    assert_int_equal(api->ReleaseMemObject(theirs), CL_SUCCESS);
}

static void test_foreign_on(opi_gpu *other)
{
    const opi_cl_gpu *const o = (const opi_cl_gpu *)other;
    const char *const suffix = other->facts.where + strlen("opencl");
    cl_int error = CL_SUCCESS;
    opi_gpu *gpu = NULL;
    cl_context context = o->cl->CreateContext(NULL, 1, &o->device, NULL, NULL, &error);
    assert_int_equal(error, CL_SUCCESS);
    cl_command_queue queue = o->cl->CreateCommandQueue(context, o->device, 0, &error);
    assert_int_equal(error, CL_SUCCESS);
    fails(cl->open("test", ":4711", queue, &gpu), OPLUS_ERR_ARGUMENT, other->facts.where, "use \"opencl\"", NULL);
    for (int i = 0; i < 3; i++)
        if (!is_of(other, kinds[i].type))
            fails(cl->open("test", kinds[i].suffix, queue, &gpu), OPLUS_ERR_ARGUMENT, other->facts.where, NULL);
    for (int named = 0; named < 2; named++) {
        void *program = NULL;
        good(cl->open("test", named ? suffix : "", queue, &gpu));
        assert_string_equal(gpu->facts.where, other->facts.where);
        assert_ptr_equal(((opi_cl_gpu *)gpu)->queue[OPI_QUEUE_COMPUTE], queue);
        good(cl->compile(gpu, "test", "the kernel", source, &program));
        add_with(gpu, program);
        cl->unload(gpu, program);
        wrap_on(gpu, other);
        cl->close(gpu);
    }
    assert_int_equal(o->cl->Finish(queue), CL_SUCCESS); /* it is still theirs */
    assert_int_equal(o->cl->ReleaseCommandQueue(queue), CL_SUCCESS);

    queue = o->cl->CreateCommandQueue(context, o->device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &error);
    if (error == CL_SUCCESS) {
        fails(cl->open("test", "", queue, &gpu), OPLUS_ERR_ARGUMENT, "out-of-order", NULL);
        assert_int_equal(o->cl->ReleaseCommandQueue(queue), CL_SUCCESS);
    }
    assert_int_equal(o->cl->ReleaseContext(context), CL_SUCCESS);
}
ON_ALL(test_foreign)

int main(void)
{
    static int (*const absences[])(void) = {without_library, with_wrong_library, without_driver};
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_absence),  cmocka_unit_test(test_list),      cmocka_unit_test(test_open),
        cmocka_unit_test(test_kinds),    cmocka_unit_test(test_side),      cmocka_unit_test(test_many),
        cmocka_unit_test(test_largest),  cmocka_unit_test(test_copies),    cmocka_unit_test(test_launch),
        cmocka_unit_test(test_null),     cmocka_unit_test(test_binary),    cmocka_unit_test(test_messages),
        cmocka_unit_test(test_refusals), cmocka_unit_test(test_words),     cmocka_unit_test(test_marks),
        cmocka_unit_test(test_wait),     cmocka_unit_test(test_leftovers), cmocka_unit_test(test_foreign),
    };
    char why[700] = "";
    for (int i = 0; i < 3; i++) told_apart[i] = apart(absences[i]);
    devices = cl->list(facts, MOST, why, sizeof why);
    if (devices == 0) {
        printf("skipped: %s\n", why);
        return 77;
    }
    if (devices > MOST) devices = MOST;
    return cmocka_run_group_tests_name("opencl", tests, NULL, NULL);
}
