/* How many calls of CUDA's driver a public call makes once it is warm, with a fake driver that keeps the books
 * (fake/cuda.c): a table, and what a scan may cost.  What a call computes does not matter here: kernels do nothing. */
#include "driver/cuda/cuda.h"
#include "gpu/gpu.h"
#include "support/cuda.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 1000, ROWS = 40, SEGMENTS = 10, ROOM = 16384 };

OPLUS_MAP(twice, float, float, { return 2 * a; })
OPLUS_PREDICATE(positive, float, { return a > 0; })

/* --- 1. calls ----------------------------------------------------------------------------------------------------- */

/* Arrays that a call may use, all of the device's memory. */
typedef struct arrays {
    void *in, *out, *more;
} arrays;

static oplus_device *dev;

static oplus_status reduce(const arrays *a) { return oplus_reduce(dev, &oplus_sum_f32, a->in, N, a->out); }
static oplus_status fold(const arrays *a) { return oplus_fold(dev, &oplus_sum_f32, &(float){1}, a->in, N, a->out); }
static oplus_status scan(const arrays *a) { return oplus_scan(dev, &oplus_sum_f32, OPLUS_INCLUSIVE, a->in, N, a->out); }
static oplus_status map(const arrays *a) { return oplus_map(dev, &twice_fn, (const void *const[]){a->in}, N, a->out); }
static oplus_status filter(const arrays *a) { return oplus_filter(dev, &positive_fn, a->in, N, a->out, a->more); }
static oplus_status sort(const arrays *a) { return oplus_sort(dev, &oplus_u32, OPLUS_ASCENDING, a->in, N); }
static oplus_status transpose(const arrays *a)
{
    return oplus_transpose(dev, &oplus_f32, a->in, ROWS, N / ROWS, a->out);
}
static oplus_status segreduce(const arrays *a)
{
    return oplus_segreduce(dev, &oplus_sum_f32, a->in, N, &oplus_u64, a->more, SEGMENTS, a->out);
}

/* The most calls of the driver for arrays of the library, and for arrays of the caller. */
static const struct {
    const char *name;
    oplus_status (*call)(const arrays *a);
    int own, foreign;
} calls[] = {
    {"reduce", reduce, 4, 4}, {"fold", fold, 5, 5}, {"scan", scan, 4, 4},           {"map", map, 4, 4},
    {"filter", filter, 4, 5}, {"sort", sort, 4, 3}, {"transpose", transpose, 4, 4}, {"segreduce", segreduce, 5, 6}};

/* --- 2. what the driver hears ------------------------------------------------------------------------------------- */

enum { HEARD = 64 };
static struct {
    const char *name[HEARD];
    int count;
} heard;

static void listen(const char *name)
{
    if (heard.count < HEARD) heard.name[heard.count] = name;
    heard.count++;
}

/* "GetCurrent, 2 LaunchKernel": runs of the same call as one. */
static void write_heard(char *text, size_t bytes)
{
    size_t used = 0;
    *text = '\0';
    for (int i = 0, same; i < heard.count && i < HEARD && used < bytes; i += same) {
        for (same = 1; i + same < heard.count && strcmp(heard.name[i], heard.name[i + same]) == 0;) same++;
        char times[16] = "";
        if (same > 1) snprintf(times, sizeof times, "%d ", same);
        used += (size_t)snprintf(text + used, bytes - used, "%s%s%s", i ? ", " : "", times, heard.name[i] + 2);
    }
}

/* --- 3. the table ------------------------------------------------------------------------------------------------- */

/* The fake's kernels do not say how structs are laid out: the test pretends that they have. */
static void take_layouts_as_checked(void)
{
    for (opi_program *p = ((opi_accelerator *)dev)->programs.first; p; p = p->next) p->checked = true;
}

static void warm_up(oplus_status (*call)(const arrays *a), const arrays *a)
{
    for (int tries = 0; tries < 8 && call(a) != OPLUS_OK; tries++) take_layouts_as_checked();
    good(call(a));
}

static int count(oplus_status (*call)(const arrays *a), const arrays *a)
{
    heard.count = 0;
    fake->heard = listen;
    const oplus_status status = call(a);
    fake->heard = NULL;
    good(status);
    return heard.count;
}

static void table(const char *about, const arrays *a, bool own)
{
    char text[1024];
    printf("%s:\n", about);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        warm_up(calls[i].call, a);
        const int counted = count(calls[i].call, a);
        write_heard(text, sizeof text);
        printf("  %-10s %2d  %s\n", calls[i].name, counted, text);
        const int most = own ? calls[i].own : calls[i].foreign;
        if (counted > most) fail_msg("%s: %d calls of the driver; at most %d", calls[i].name, counted, most);
    }
}

static void set_offsets(void *mem)
{
    uint64_t offsets[SEGMENTS + 1];
    for (size_t s = 0; s <= SEGMENTS; s++) offsets[s] = s * N / SEGMENTS;
    memcpy(mem, offsets, sizeof offsets);
}

/* Memory from oplus_alloc: the library knows where it is. */
static void own_memory(void **state)
{
    arrays a;
    (void)state;
    good(oplus_alloc(dev, ROOM, &a.in));
    good(oplus_alloc(dev, ROOM, &a.out));
    good(oplus_alloc(dev, ROOM, &a.more));
    set_offsets(a.more);
    table("memory from oplus_alloc, another context is current", &a, true);
    oplus_free(dev, a.in);
    oplus_free(dev, a.out);
    oplus_free(dev, a.more);
}

/* Memory that cudaMalloc gave, as the CUDA runtime leaves a thread: the driver is asked for each array. */
static void memory_of_the_runtime(void **state)
{
    static char mem[3][ROOM];
    const arrays a = {mem[0], mem[1], mem[2]};
    (void)state;
    for (int i = 0; i < 3; i++) fake->know(mem[i], ROOM, 2, 0, false);
    set_offsets(a.more);
    fake->push(opi_cuda_self(((opi_accelerator *)dev)->gpu)->context);
    table("memory from cudaMalloc, the device's context is current", &a, false);
    fake->pop();
}

/* --- 4. a reduce, a scan and a filter of many tiles are one launch --- */

enum { MANY = 3000001, SOME = 1000001 };
static oplus_status reduce_many(const arrays *a) { return oplus_reduce(dev, &oplus_sum_f32, a->in, MANY, a->out); }
static oplus_status scan_some(const arrays *a)
{
    return oplus_scan(dev, &oplus_sum_f32, OPLUS_INCLUSIVE, a->in, SOME, a->in);
}
static oplus_status filter_some(const arrays *a) { return oplus_filter(dev, &positive_fn, a->in, SOME, a->in, a->out); }

/* The first half of `in` are keys, the second half values. */
static oplus_status pairs_of(const arrays *a, size_t n)
{
    return oplus_sort_pairs(dev, &oplus_u32, OPLUS_ASCENDING, a->in, &oplus_u32, (uint32_t *)a->in + MANY / 2, n);
}
static oplus_status some_pairs(const arrays *a) { return pairs_of(a, MANY / 30); }
static oplus_status many_pairs(const arrays *a) { return pairs_of(a, MANY / 2); }

/* What work-groups tell each other is cleared before the first launch, also if a rehearsal has allocated it. */
static void is_one_launch(oplus_status (*call)(const arrays *a), const char *way)
{
    char text[1024];
    arrays a = {NULL, NULL, NULL};
    good(oplus_alloc(dev, MANY * sizeof(float), &a.in));
    good(oplus_alloc(dev, sizeof(uint64_t), &a.out));
    good(oplus_explain(dev, text, sizeof text));
    warm_up(call, &a);
    if (!strstr(text, way) || !strstr(text, "  1 launch, 0 bytes")) fail_msg("%s", text);
    good(oplus_explain(dev, NULL, 0));
    count(call, &a);
    write_heard(text, sizeof text);
    if (!strstr(text, "MemcpyHtoD")) fail_msg("nothing was cleared: %s", text);
    count(call, &a);
    write_heard(text, sizeof text);
    assert_string_equal(text, "CtxGetCurrent, CtxPushCurrent, LaunchKernelEx, CtxPopCurrent");
    assert_true(fake->launch.early);
    oplus_free(dev, a.in);
    oplus_free(dev, a.out);
}

static void many_tiles_are_one_launch(void **state)
{
    (void)state;
    is_one_launch(reduce_many, "  > last ");
    oplus_trim(dev);
    is_one_launch(scan_some, "  > look-back ");
    oplus_trim(dev);
    is_one_launch(filter_some, "  > look-back ");
}

/* --- 5. a stream that is being captured into a graph --- */

/* Calls that are warm make none of the driver's calls that would spoil the capture; calls that are not are refused. */
static void captured(void **state)
{
    arrays a;
    (void)state;
    good(oplus_alloc(dev, ROOM, &a.in));
    good(oplus_alloc(dev, ROOM, &a.out));
    good(oplus_alloc(dev, ROOM, &a.more));
    set_offsets(a.more);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        oplus_trim(dev); /* a fold has the program of a reduce */
        fake->capturing = true;
        fails_with(OPLUS_ERR_UNSUPPORTED, calls[i].call(&a), "is being captured into a graph");
        fake->capturing = false;
        warm_up(calls[i].call, &a);
        fake->capturing = true;
        good(calls[i].call(&a));
        if (fake->spoiled) fail_msg("%s spoils a capture", calls[i].name);
        assert_false(fake->launch.early);
        fake->capturing = false;
    }
    oplus_free(dev, a.in);
    oplus_free(dev, a.out);
    oplus_free(dev, a.more);
}

/* What a captured launch uses stays, although the next call needs more of it, until the device is trimmed. */
static void memory_of_a_capture_stays(void **state)
{
    arrays a = {NULL, NULL, NULL};
    (void)state;
    good(oplus_alloc(dev, MANY * sizeof(float), &a.in));
    good(oplus_alloc(dev, sizeof(float), &a.out));
    warm_up(some_pairs, &a);
    fake->capturing = true;
    good(some_pairs(&a));
    const int before = fake->live[FAKE_MEMORY];
    oplus_free(dev, a.out); /* refused by the driver during a capture */
    oplus_trim(dev);
    assert_int_equal(fake->live[FAKE_MEMORY], before);
    fake->capturing = false;
    warm_up(many_pairs, &a);
    assert_true(fake->live[FAKE_MEMORY] > before); /* the larger scratch memory, beside the old one */
    oplus_trim(dev);
    assert_int_equal(fake->live[FAKE_MEMORY], 1); /* a.in */
    assert_false(fake->spoiled);
    oplus_free(dev, a.in);
}

/* A call that is refused leaves what other calls need as it was.  Memory that was wrapped is forgotten at once. */
static void refused_in_a_capture(void **state)
{
    static char native[ROOM];
    arrays a = {NULL, NULL, NULL};
    void *wrapped;
    (void)state;
    good(oplus_alloc(dev, MANY * sizeof(float), &a.in));
    fake->know(native, ROOM, 2, 0, false);
    good(oplus_wrap(dev, native, ROOM, &wrapped));
    warm_up(many_pairs, &a); /* programs for many */
    oplus_trim(dev);
    warm_up(some_pairs, &a);
    fake->capturing = true;
    fails_with(OPLUS_ERR_UNSUPPORTED, many_pairs(&a), "is being captured into a graph");
    good(some_pairs(&a));
    oplus_free(dev, wrapped);
    fake->capturing = false;
    assert_false(fake->spoiled);
    good(some_pairs(&a));
    oplus_free(dev, a.in);
}

/* --- 6. the part -------------------------------------------------------------------------------------------------- */

static int open_it(void **state)
{
    begin_books(state);
    good(oplus_open("cuda:0", &dev));
    return 0;
}

static int open_on_stream(void **state)
{
    begin_books(state);
    good(oplus_open_on("cuda:0", fake->stream(0), &dev));
    return 0;
}

static int close_it(void **state)
{
    oplus_close(dev);
    return end_books(state);
}

static int run_fake(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(own_memory, open_it, close_it),
        cmocka_unit_test_setup_teardown(memory_of_the_runtime, open_it, close_it),
        cmocka_unit_test_setup_teardown(many_tiles_are_one_launch, open_it, close_it),
        cmocka_unit_test_setup_teardown(captured, open_on_stream, close_it),
        cmocka_unit_test_setup_teardown(memory_of_a_capture_stays, open_on_stream, close_it),
        cmocka_unit_test_setup_teardown(refused_in_a_capture, open_on_stream, close_it)};
    return cmocka_run_group_tests_name("calls of a fake driver", tests, find_fake, NULL);
}

int main(void)
{
    const part parts[] = {{FAKE_CUDA, FAKE_CUDA, "OPLUS_CACHE", "0", NULL, run_fake}};
    return run_parts(parts, 1);
}
