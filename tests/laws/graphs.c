/* Calls that are captured into a graph of CUDA: replayed on other data, they have the bits of one core, also after the
 * same device has been used for larger calls and with other parameters.  It ends with 77 where there is no CUDA device. */
#include "support/laws.h"

#include "driver/cuda/cuda.h"
#include "driver/driver.h"
#include "gpu/gpu.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 3000017, REPLAYS = 3 };

static oplus_device *dev, *serial;
static const opi_cuda_calls *cu;
static CUcontext context;
static CUstream stream;

/* --- graphs: of the driver, but nothing that the library calls ---------------------------------------------------- */

typedef struct CUgraph_st *graph;
typedef struct CUgraphExec_st *graph_exec;
enum { CAPTURES_THREAD = 1 /* CU_STREAM_CAPTURE_MODE_THREAD_LOCAL */ };

static struct {
    CUresult (*begin)(CUstream, int);
    CUresult (*end)(CUstream, graph *);
    CUresult (*instantiate)(graph_exec *, graph, unsigned long long);
    CUresult (*launch)(graph_exec, CUstream);
    CUresult (*destroy)(graph);
    CUresult (*destroy_exec)(graph_exec);
} graphs;

static bool find_graphs(void)
{
    static const char *const names[] = {"cuStreamBeginCapture_v2", "cuStreamEndCapture", "cuGraphInstantiateWithFlags",
                                        "cuGraphLaunch",           "cuGraphDestroy",     "cuGraphExecDestroy"};
    void *const library = dlopen("libcuda.so.1", RTLD_NOW);
    void *found[sizeof names / sizeof *names];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!library || !(found[i] = dlsym(library, names[i]))) return printf("not tried: no %s\n", names[i]), false;
    _Static_assert(sizeof found == sizeof graphs, "one pointer for each name");
    memcpy(&graphs, found, sizeof graphs);
    return true;
}

static void done(CUresult result, const char *what)
{
    if (result != CUDA_SUCCESS) fail_msg("%s: error %d of CUDA", what, (int)result);
}

/* --- calls -------------------------------------------------------------------------------------------------------- */

OPLUS_MAP_WITH(add_p, uint32_t, uint32_t, uint32_t, { return a + p; })
OPLUS_OP_WITH(sum_modulo, uint32_t, uint32_t, (0), 0, { return (uint32_t)(((uint64_t)a + b) % p); })
OPLUS_PREDICATE(odd, uint32_t, { return (a & 1) == 1; })
static uint32_t parameter;

/* Arrays in one memory; `in` is as large as `out`, `small` has ROOM bytes.  Segment s begins at offsets[s], for every n. */
typedef struct arrays {
    void *in, *out, *small;
    const void *offsets;
} arrays;
enum { ROOM = 64, LENGTH = 23 /* of a segment, about */ };

#define CALL(name, ...)                                                                                                \
    static oplus_status name(oplus_device *d, const arrays *a, size_t n) { return __VA_ARGS__; }
CALL(reduce, oplus_reduce(d, &oplus_sum_f32, a->in, n, a->small))
CALL(fold, oplus_fold(d, &oplus_sum_f32, &(float){0.5f}, a->in, n, a->small))
CALL(scan, oplus_scan(d, &oplus_sum_f32, OPLUS_INCLUSIVE, a->in, n, a->out))
CALL(segscan, oplus_segscan(d, &oplus_sum_u32, OPLUS_EXCLUSIVE, a->in, a->in, n, a->out))
CALL(segreduce, oplus_segreduce(d, &oplus_sum_f32, a->in, n, &oplus_u32, a->offsets, n / LENGTH, a->out))
CALL(filter, oplus_filter(d, &odd_fn, a->in, n, a->out, a->small))
CALL(sort, oplus_sort(d, &oplus_u32, OPLUS_DESCENDING, a->in, n))
CALL(sort_f32, oplus_sort(d, &oplus_f32, OPLUS_ASCENDING, a->in, n))
CALL(pairs, oplus_sort_pairs(d, &oplus_u32, OPLUS_ASCENDING, a->in, &oplus_u32, a->out, n))
CALL(transpose, oplus_transpose(d, &oplus_u32, a->in, 7, n / 7, a->out))
#undef CALL

static oplus_status map(oplus_device *d, const arrays *a, size_t n)
{
    const oplus_fn fn = oplus_with(&add_p_fn, &parameter);
    return oplus_map(d, &fn, (const void *const[]){a->in}, n, a->out);
}

static oplus_status scan_with(oplus_device *d, const arrays *a, size_t n)
{
    const oplus_op op = oplus_op_with(&sum_modulo_op, &parameter);
    return oplus_scan(d, &op, OPLUS_EXCLUSIVE, a->in, n, a->out);
}

typedef struct call {
    const char *name;
    oplus_status (*run)(oplus_device *d, const arrays *a, size_t n);
} call;
static const call calls[] = {{"reduce", reduce},       {"fold", fold},           {"scan", scan},
                             {"scan with", scan_with}, {"segscan", segscan},     {"map", map},
                             {"filter", filter},       {"sort", sort},           {"sort f32", sort_f32},
                             {"pairs", pairs},         {"transpose", transpose}, {"segreduce", segreduce}};
enum { CALLS = sizeof calls / sizeof *calls };

/* --- data --------------------------------------------------------------------------------------------------------- */

static arrays there, here; /* of the device; of the host */
static void *fetched;

/* Keys that are floats in [0, 2), too. */
static void draw(rng *r)
{
    uint32_t *const in = here.in, *const out = here.out;
    for (size_t i = 0; i < MOST; i++) {
        in[i] = (uint32_t)rng_next(r) & 0x3fffffff;
        out[i] = (uint32_t)i;
    }
    memset(here.small, 0xa5, ROOM);
    must_be_ok(oplus_copy(dev, there.in, in, MOST * sizeof *in), "copy");
    must_be_ok(oplus_copy(dev, there.out, out, MOST * sizeof *out), "copy");
    must_be_ok(oplus_copy(dev, there.small, here.small, ROOM), "copy");
}

static void compare(const call *c, size_t n, int replay, const char *what, const void *own, const void *device,
                    size_t bytes)
{
    must_be_ok(oplus_copy(dev, fetched, device, bytes), "copy");
    if (memcmp(fetched, own, bytes) != 0)
        fail_msg("%s, n = %zu, replay %d: %s differs; OPLUS_TEST_SEED=%llu", c->name, n, replay, what,
                 (unsigned long long)test_seed());
}

static void compare_all(const call *c, size_t n, int replay)
{
    must_be_ok(c->run(serial, &here, n), c->name);
    compare(c, n, replay, "in", here.in, there.in, MOST * sizeof(uint32_t));
    compare(c, n, replay, "out", here.out, there.out, MOST * sizeof(uint32_t));
    compare(c, n, replay, "the result", here.small, there.small, ROOM);
}

/* Segments of 0 to 2 * LENGTH elements, in both memories. */
static void cut_segments(void)
{
    uint32_t *const offsets = must(malloc((MOST / LENGTH + 1) * sizeof *offsets));
    rng r = test_rng("segments");
    void *mem;
    for (size_t s = 0; s <= MOST / LENGTH; s++) offsets[s] = (uint32_t)(s * LENGTH);
    for (size_t s = 1; s < MOST / LENGTH; s++) offsets[s] -= (uint32_t)(rng_next(&r) % (LENGTH + 1));
    must_be_ok(oplus_alloc(dev, (MOST / LENGTH + 1) * sizeof *offsets, &mem), "alloc");
    must_be_ok(oplus_copy(dev, mem, offsets, (MOST / LENGTH + 1) * sizeof *offsets), "copy");
    here.offsets = offsets;
    there.offsets = mem;
}

/* --- captures ------------------------------------------------------------------------------------------------------ */

static graph_exec capture(const call *c, size_t n)
{
    graph recorded;
    graph_exec made;
    done(graphs.begin(stream, CAPTURES_THREAD), "cuStreamBeginCapture");
    must_be_ok(c->run(dev, &there, n), c->name);
    done(graphs.end(stream, &recorded), "cuStreamEndCapture");
    done(graphs.instantiate(&made, recorded, 0), "cuGraphInstantiateWithFlags");
    done(graphs.destroy(recorded), "cuGraphDestroy");
    return made;
}

/* Replays, and between two replays the device does other calls: larger ones, and those of another parameter. */
static void replay(const call *c, size_t n, rng *r)
{
    parameter = 1000003;
    draw(r);
    must_be_ok(c->run(dev, &there, n), c->name); /* warms up */
    const graph_exec made = capture(c, n);
    for (int i = 0; i < REPLAYS; i++) {
        parameter = 1000003;
        draw(r);
        done(graphs.launch(made, stream), "cuGraphLaunch");
        compare_all(c, n, i);
        parameter = 77;
        draw(r);
        must_be_ok(c->run(dev, &there, i ? MOST : n / 2), c->name);
        compare_all(c, i ? MOST : n / 2, -i);
    }
    done(graphs.destroy_exec(made), "cuGraphExecDestroy");
}

static void each_primitive_is_replayed(void **state)
{
    static const size_t sizes[] = {1001, 70001, 1100003};
    rng r = test_rng("graphs");
    (void)state;
    for (size_t i = 0; i < CALLS; i++)
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) replay(&calls[i], sizes[k], &r);
}

/* A call that would have to allocate or to wait is refused, and the capture goes on. */
static void what_cannot_be_recorded_is_refused(void **state)
{
    graph recorded;
    rng r = test_rng("refused");
    void *mem;
    (void)state;
    oplus_trim(dev);
    draw(&r);
    done(graphs.begin(stream, CAPTURES_THREAD), "cuStreamBeginCapture");
    assert_int_equal(sort(dev, &there, MOST), OPLUS_ERR_UNSUPPORTED);
    if (!strstr(oplus_last_error(), "being captured into a graph")) fail_msg("%s", oplus_last_error());
    assert_int_equal(scan(dev, &here, 1000), OPLUS_ERR_UNSUPPORTED);
    assert_int_equal(oplus_alloc(dev, 100, &mem), OPLUS_ERR_UNSUPPORTED);
    assert_int_equal(oplus_sync(dev), OPLUS_ERR_UNSUPPORTED);
    done(graphs.end(stream, &recorded), "cuStreamEndCapture");
    done(graphs.destroy(recorded), "cuGraphDestroy");
    must_be_ok(sort(dev, &there, MOST), "a sort after it");
    must_be_ok(sort(serial, &here, MOST), "the core");
    compare(&calls[0], MOST, 0, "in", here.in, there.in, MOST * sizeof(uint32_t));
}

/* --- the run ------------------------------------------------------------------------------------------------------ */

static bool open_stream(void)
{
    const char *why;
    CUdevice device;
    cu = opi_cuda_open(&why);
    if (!cu) return printf("not tried: %s\n", why), false;
    if (cu->DeviceGet(&device, 0) != CUDA_SUCCESS) return printf("not tried: there is no device of CUDA\n"), false;
    done(cu->DevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain");
    done(cu->CtxPushCurrent(context), "cuCtxPushCurrent");
    done(cu->StreamCreate(&stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
    return true;
}

static void open_all(void)
{
    must_be_ok(oplus_open_on("cuda:0", stream, &dev), "open");
    must_be_ok(oplus_open("serial", &serial), "open");
    here = (arrays){must(malloc(MOST * sizeof(uint32_t))), must(malloc(MOST * sizeof(uint32_t))), must(malloc(ROOM)),
                    NULL};
    fetched = must(malloc(MOST * sizeof(uint32_t)));
    must_be_ok(oplus_alloc(dev, MOST * sizeof(uint32_t), &there.in), "alloc");
    must_be_ok(oplus_alloc(dev, MOST * sizeof(uint32_t), &there.out), "alloc");
    must_be_ok(oplus_alloc(dev, ROOM, &there.small), "alloc");
    cut_segments();
}

static void close_all(void)
{
    free(here.in);
    free(here.out);
    free(here.small);
    free((void *)here.offsets);
    free(fetched);
    oplus_free(dev, (void *)there.offsets);
    oplus_free(dev, there.in);
    oplus_free(dev, there.out);
    oplus_free(dev, there.small);
    oplus_close(dev);
    oplus_close(serial);
    done(cu->StreamDestroy(stream), "cuStreamDestroy");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_primitive_is_replayed),
                                       cmocka_unit_test(what_cannot_be_recorded_is_refused)};
    if (!open_stream() || !find_graphs()) return 77;
    open_all();
    const int failed = cmocka_run_group_tests_name("graphs", tests, NULL, NULL);
    close_all();
    return failed;
}
