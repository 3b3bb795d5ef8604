/* The OpenCL driver by itself, on every device of this machine: programs, launches, order, what callers own. */
#include "support/launch.h"
#include "support/opencl.h"

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

/* NULL arrives in a kernel as NULL. */
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

/* Requests that OpenCL cannot fulfil. */
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

/* --- order -------------------------------------------------------------------------------------------------------- */

/* A pipeline over three queues: pieces are copied up, worked on, and copied down; only marks keep them in order. */
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

/* A queue waits for a mark: the upload before the mark takes long, and the kernel behind it would otherwise run at
 * once. */
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

/* Memory and programs that are released while work is under way; and everything that is left to close. */
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
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_launch),   cmocka_unit_test(test_null),      cmocka_unit_test(test_binary),
        cmocka_unit_test(test_messages), cmocka_unit_test(test_refusals),  cmocka_unit_test(test_marks),
        cmocka_unit_test(test_wait),     cmocka_unit_test(test_leftovers), cmocka_unit_test(test_foreign)};
    return find_devices() ? cmocka_run_group_tests_name("programs on opencl", tests, NULL, NULL) : 77;
}
