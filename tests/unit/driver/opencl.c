/* The OpenCL driver by itself, on every device of this machine: opening it, memory, messages.  Programs and order are in
 * opencl_programs.c. */
#define _GNU_SOURCE /* setenv, PROT_NONE mappings */
#include <sys/wait.h>
#include <unistd.h>

/* If the standard's header is installed, the driver's own declarations are compared with it. */
#if defined(__has_include)
#if __has_include(<CL/cl.h>)
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#endif
#endif
#include "support/opencl.h"

#ifdef CL_VERSION_1_2
#define SAME_VALUE(name, value) _Static_assert((name) == (value), #name);
#define SAME_CALL(result, name, arguments)                                                                             \
    _Static_assert(_Generic(&cl##name, result(*) arguments : 1, default : 0), #name);
OPI_CL_CONSTANTS(SAME_VALUE)
OPI_CL_ERRORS(SAME_VALUE)
OPI_CL_CALLS(SAME_CALL)
_Static_assert(CL_DEVICE_TYPE_ALL == 0xFFFFFFFF, "CL_DEVICE_TYPE_ALL");
#endif

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

/* A kind opens the first device of that kind, or the message says which devices there are; without a kind it opens the
 * best device. */
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

/* No driver behind the loader: the variable is that of the loader ocl-icd. */
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

/* Many buffers, freed in another order: each address finds its own buffer. */
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

static void test_words(void **state)
{
    (void)state;
    assert_string_equal(opi_cl_word(-5), "CL_OUT_OF_RESOURCES");
    assert_string_equal(opi_cl_word(-1001), "CL_PLATFORM_NOT_FOUND_KHR");
    assert_string_equal(opi_cl_word(12345), "an error without a name");
    for (int error = 0; error >= -68; error--) /* -20 to -29 are free */
        assert_true((strncmp(opi_cl_word(error), "CL_", 3) == 0) == (error > -20 || error < -29));
}

int main(void)
{
    static int (*const absences[])(void) = {without_library, with_wrong_library, without_driver};
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_absence), cmocka_unit_test(test_list),   cmocka_unit_test(test_open),
        cmocka_unit_test(test_kinds),   cmocka_unit_test(test_side),   cmocka_unit_test(test_many),
        cmocka_unit_test(test_largest), cmocka_unit_test(test_copies), cmocka_unit_test(test_words)};
    for (int i = 0; i < 3; i++) told_apart[i] = apart(absences[i]);
    return find_devices() ? cmocka_run_group_tests_name("opencl", tests, NULL, NULL) : 77;
}
