/* Several devices as one, with a fake driver that keeps the books (fake/cuda.c): their names, memory that is dealt out to
 * them, copies, the order of their work, and every call of the driver failing in turn.  Kernels do nothing there. */
#include "driver/cuda/api.h"
#include "gpus/gpus.h"
#include "gpus/memory.h"
#include "support/allocations.h"
#include "support/cuda.h"
#include "task/make.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE = FAKE_PAGE };

static oplus_device *dev;
static opi_gpus *self(void) { return (opi_gpus *)dev; }

static int open_two(void **state)
{
    begin_books(state);
    good(oplus_open("cuda:0-1", &dev));
    return 0;
}

static int open_twice(void **state)
{
    begin_books(state);
    good(oplus_open("cuda:0,0", &dev));
    return 0;
}

/* Arrays of a few pages are dealt out if that is wanted. */
static int open_to_deal(void **state, const char *where)
{
    begin_books(state);
    setenv("OPLUS_WAY", "pages", 1);
    good(oplus_open(where, &dev));
    unsetenv("OPLUS_WAY");
    return 0;
}

static int open_two_to_deal(void **state) { return open_to_deal(state, "cuda:0-1"); }
static int open_twice_to_deal(void **state) { return open_to_deal(state, "cuda:0,0"); }

static int close_it(void **state)
{
    oplus_close(dev);
    return end_books(state);
}

/* --- 1. names ----------------------------------------------------------------------------------------------------- */

static void names(void **state)
{
    static const struct {
        const char *where;
        unsigned count;
    } good_ones[] = {{"cuda:0-1", 2}, {"cuda:0,1", 2},       {"cuda:1,0", 2},        {"cuda:*", 2},
                     {"cuda:0,0", 2}, {"cuda:0-1,0-1,0", 5}, {"cuda:0,0,0,0,1-1", 5}};
    (void)state;
    for (size_t i = 0; i < sizeof good_ones / sizeof *good_ones; i++) {
        good(oplus_open(good_ones[i].where, &dev));
        assert_ptr_equal(dev->machine, &opi_gpus_machine);
        assert_int_equal(self()->count, good_ones[i].count);
        assert_non_null(strstr(oplus_device_name(dev), good_ones[i].where));
        oplus_close(dev);
    }
    good(oplus_open("cuda:1-1", &dev)); /* one is an accelerator like any other */
    assert_string_equal(oplus_device_name(dev), "cuda:1 Fake B");
    oplus_close(dev);
}

static void wrong_names(void **state)
{
    static const char *const wrong[] = {"cuda:0-", "cuda:-1",  "cuda:1-0",  "cuda:0,",
                                        "cuda:,0", "cuda:*,0", "cuda:0-1x", "cuda:a-b"};
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        fails_with(OPLUS_ERR_ARGUMENT, oplus_open(wrong[i], &dev), "which names no devices; write \"cuda:0-3\"");
        says(wrong[i]);
    }
    fails_with(OPLUS_ERR_ARGUMENT, oplus_open("cuda:0-8", &dev), "more than 8 devices");
    fails_with(OPLUS_ERR_ARGUMENT, oplus_open("cuda:0-99999999999999999999", &dev), "more than 8 devices");
    fails_with(OPLUS_ERR_DEVICE, oplus_open("cuda:0-2", &dev), "there is no device cuda:2; they go up to cuda:1");
    fails_with(OPLUS_ERR_ARGUMENT, oplus_open_on("cuda:0-1", fake->stream(0), &dev), "a queue belongs to one device");
    fake->apart = true;
    fails_with(OPLUS_ERR_UNSUPPORTED, oplus_open("cuda:0-1", &dev),
               "cuda:0 (Fake A) cannot use the memory of cuda:1 (Fake B)");
    good(oplus_open("cuda:0,0", &dev)); /* a device reaches itself */
    oplus_close(dev);
}

/* --- 2. memory ---------------------------------------------------------------------------------------------------- */

/* The device that has the page at p, by what the driver says. */
static unsigned home_of(const char *p)
{
    opi_gpu *gpus[] = {opi_gpu_driver_of(self()->worker[0]), opi_gpu_driver_of(self()->worker[1])};
    unsigned which;
    good(opi_enter(gpus[0], "test"));
    good(opi_leave(gpus[0], "test", gpus[0]->driver->home(gpus, 2, "test", p, &which)));
    return which;
}

static opi_gpus_place place_of(const void *p, size_t bytes)
{
    opi_gpus_place place;
    good(opi_gpus_look(self(), "test", "in", p, bytes, &place));
    return place;
}

static void pages_lie_in_turn(void **state)
{
    void *mem;
    (void)state;
    assert_true(fake->peers);
    good(oplus_alloc(dev, 5 * PAGE + 17, &mem));
    assert_int_equal((uintptr_t)mem % PAGE, 0);
    for (unsigned k = 0; k < 6; k++) {
        assert_int_equal(home_of((char *)mem + k * PAGE + 5), k % 2);
        for (unsigned w = 0; w < 2; w++) /* each device knows all of it */
            assert_int_equal(side_of(opi_gpu_driver_of(self()->worker[w]), (char *)mem + k * PAGE, PAGE),
                             OPI_SIDE_DEVICE);
    }
    const opi_gpus_place place = place_of((char *)mem + PAGE, 4 * PAGE + 17);
    assert_int_equal(place.side, OPI_LIES_DEALT);
    assert_int_equal(place.range->page, PAGE);
    opi_gpus_place ignored;
    fails_with(OPLUS_ERR_ARGUMENT, opi_gpus_look(self(), "test", "in", (char *)mem + PAGE, 4 * PAGE + 18, &ignored),
               "its memory on cuda:0-1 2 x Fake A ends after 8388625 bytes");
    oplus_free(dev, mem);
}

static void ranges_come_from_the_pool(void **state)
{
    void *mem, *again;
    (void)state;
    good(oplus_alloc(dev, 4 * PAGE, &mem));
    oplus_free(dev, mem);
    assert_int_equal(fake->live[FAKE_MAPPED], 4);
    good(oplus_alloc(dev, 4 * PAGE - 1, &again)); /* as many pages */
    assert_ptr_equal(mem, again);
    oplus_free(dev, again);
    good(oplus_alloc(dev, 6 * PAGE, &mem));
    assert_int_equal(fake->live[FAKE_MAPPED], 10);
    oplus_trim(dev);
    assert_int_equal(fake->live[FAKE_MAPPED], 6);
    assert_int_equal(fake->live[FAKE_RESERVED], 1);
    oplus_free(dev, mem);
}

static void little_memory_is_the_first_one_s(void **state)
{
    void *mem, *none;
    (void)state;
    good(oplus_alloc(dev, 2 * PAGE - 1, &mem));
    assert_int_equal(fake->live[FAKE_MEMORY], 1);
    assert_int_equal(place_of(mem, 2 * PAGE - 1).side, OPI_LIES_ON_ONE);
    assert_int_equal(place_of(mem, 1).worker, 0);
    assert_int_equal(place_of(&mem, sizeof mem).side, OPI_LIES_ON_HOST);
    oplus_free(dev, mem);
    fails_with(OPLUS_ERR_MEMORY, oplus_alloc(dev, (size_t)1 << 40, &none), "are more than cuda:0-1 2 x Fake A have");
}

/* Memory that the program has from the driver: it lies on one of them. */
static void foreign_memory(void **state)
{
    static char first[64], second[64];
    void *mem;
    (void)state;
    fake->know(first, sizeof first, 2, 0, false);
    fake->know(second, sizeof second, 2, 1, false);
    assert_int_equal(place_of(first, 64).worker, 0);
    assert_int_equal(place_of(second, 64).side, OPI_LIES_ON_ONE);
    assert_int_equal(place_of(second, 64).worker, 1);
    good(oplus_wrap(dev, second, 64, &mem));
    assert_ptr_equal(mem, second);
    assert_int_equal(place_of(second, 64).worker, 1);
    oplus_free(dev, mem);
}

/* --- 3. copies ---------------------------------------------------------------------------------------------------- */

/* The fake runs no kernels, by which large copies between devices are made: laws/gpus tries those. */
enum { LEAST_MOVED = 1 << 20 };

static void copy_through(size_t at, size_t bytes, const unsigned char *from, unsigned char *to)
{
    void *mem, *other;
    good(oplus_alloc(dev, 10 * PAGE, &mem));
    good(oplus_alloc(dev, 10 * PAGE, &other));
    memset(to, 0, bytes + 1);
    good(oplus_copy(dev, (char *)mem + at, from, bytes));
    if (bytes < LEAST_MOVED) {
        good(oplus_copy(dev, (char *)other + 1, (char *)mem + at, bytes));
        good(oplus_copy(dev, to, (char *)other + 1, bytes));
    } else {
        good(oplus_copy(dev, to, (char *)mem + at, bytes));
    }
    assert_memory_equal(from, to, bytes);
    assert_int_equal(to[bytes], 0);
    oplus_free(dev, mem);
    oplus_free(dev, other);
}

/* Wherever the bytes begin and end in the pages. */
static void copies(void **state)
{
    static const size_t begins[] = {0, 3, PAGE - 1, PAGE, PAGE + 5, 3 * PAGE - 7},
                        sizes[] = {1, PAGE, PAGE + 1, 2 * PAGE, 5 * PAGE + 12345};
    enum { MOST = 5 * PAGE + 12345 };
    unsigned char *const from = malloc(MOST), *const to = malloc(MOST + 1);
    (void)state;
    assert_true(from && to);
    for (size_t i = 0; i < MOST; i++) from[i] = (unsigned char)(i * 7 + i / 251 + 1);
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) copy_through(begins[i], sizes[k], from, to);
    free(from);
    free(to);
}

/* A copy to the host, which waits for all, tells what kernels of any of them have found, once. */
static void copies_tell_of_faults(void **state)
{
    static char host[3 * PAGE];
    static const size_t sizes[] = {100, 3 * PAGE};
    void *mem;
    (void)state;
    good(oplus_alloc(dev, sizeof host, &mem));
    for (unsigned w = 0; w < 2; w++)
        for (int k = 0; k < 2; k++) {
            opi_gpu_buffer *const wrong = &((opi_accelerator *)self()->worker[w])->wrong_offset;
            uint64_t word = 1 + 5;
            assert_null(wrong->mem);
            wrong->mem = &word;
            assert_int_equal(oplus_copy(dev, host, mem, sizes[k]), OPLUS_ERR_ARGUMENT);
            assert_non_null(strstr(oplus_last_error(), "offsets[5]"));
            good(oplus_copy(dev, host, mem, sizes[k]));
            wrong->mem = NULL;
        }
    oplus_free(dev, mem);
}

/* --- 4. order ----------------------------------------------------------------------------------------------------- */

static int waits, launches;
static void listen(const char *name)
{
    waits += strcmp(name, "cuStreamWaitEvent") == 0;
    launches += strstr(name, "cuLaunchKernel") != NULL;
}

/* The fake's kernels do not say how structs are laid out: the test pretends that they have. */
static void take_layouts_as_checked(void)
{
    for (unsigned w = 0; w < self()->count; w++)
        for (opi_program *p = ((opi_accelerator *)self()->worker[w])->programs.first; p; p = p->next) p->checked = true;
}

static oplus_status scan(const void *in, void *out)
{
    oplus_status status = oplus_scan(dev, &oplus_sum_f32, OPLUS_INCLUSIVE, in, 1000, out);
    for (int tries = 0; tries < 8 && status != OPLUS_OK; tries++) {
        take_layouts_as_checked();
        status = oplus_scan(dev, &oplus_sum_f32, OPLUS_INCLUSIVE, in, 1000, out);
    }
    return status;
}

/* A call waits for another device only if that has had work since. */
static void work_is_in_order(void **state)
{
    static float second[1000];
    void *mem;
    (void)state;
    fake->know(second, sizeof second, 2, 1, false);
    good(oplus_alloc(dev, 4 * PAGE, &mem));
    good(scan(mem, mem));
    good(scan(second, second));
    waits = launches = 0;
    fake->heard = listen;
    good(scan(mem, mem)); /* on the first one, behind what the second one does */
    assert_int_equal(waits, 1);
    good(scan(mem, mem));
    assert_int_equal(waits, 1);
    good(scan(second, second)); /* on the second one */
    assert_int_equal(waits, 2);
    good(scan(second, mem)); /* the most bytes of arrays that have one home decide */
    assert_int_equal(waits, 2);
    assert_true(launches >= 4);
    fake->heard = NULL;
    oplus_free(dev, mem);
}

OPLUS_MAP(twice, float, float, { return 2 * a; })
enum { DEALT_BYTES = 4 * PAGE, DEALT = DEALT_BYTES / sizeof(float) };
static oplus_status dealt_map(const void *in, void *out)
{
    return oplus_map(dev, &twice_fn, (const void *const[]){in}, DEALT, out);
}
static oplus_status dealt_scan(const void *in, void *out)
{
    return oplus_scan(dev, &oplus_sum_f32, OPLUS_INCLUSIVE, in, DEALT, out);
}
static oplus_status dealt_reduce(const void *in, void *out)
{
    return oplus_reduce(dev, &oplus_sum_f32, in, DEALT, out);
}
static oplus_status dealt_argmin(const void *in, void *out) { return oplus_argmin(dev, &oplus_f32, in, DEALT, out); }
static oplus_status dealt_histogram(const void *in, void *out)
{
    return oplus_histogram(dev, &oplus_f32, in, DEALT, 0, 1, &oplus_u32, out, 100);
}
static oplus_status dealt_top(const void *in, void *out)
{
    return oplus_top(dev, &oplus_f32, OPLUS_ASCENDING, in, DEALT, 10, out, NULL, NULL);
}
static oplus_status dealt_nth(const void *in, void *out)
{
    return oplus_nth(dev, &oplus_f32, OPLUS_ASCENDING, in, DEALT, DEALT / 2, out);
}

static void explain_call(oplus_status (*call)(const void *in, void *out), const void *in, void *out, const char *words)
{
    char text[4096];
    good(oplus_explain(dev, text, sizeof text));
    good(call(in, out));
    good(oplus_explain(dev, NULL, 0));
    if (!strstr(text, words)) fail_msg("no \"%s\" in:\n%s", words, text);
}

/* Both do a part of a call on memory that is dealt out.  Each waits for the other one's part of the call before, and before
 * a result is made. */
static void pages_are_worked_on_by_all(void **state)
{
    static const struct {
        oplus_status (*call)(const void *in, void *out);
        int launches, waits;
    } calls[] = {{dealt_map, 2, 2},       {dealt_scan, 2, 2}, {dealt_reduce, 4, 1}, {dealt_argmin, 3, 2},
                 {dealt_histogram, 6, 2}, {dealt_top, 17, 4}, {dealt_nth, 12, 4}};
    void *in, *out, *host = calloc(1, DEALT_BYTES);
    (void)state;
    assert_non_null(host);
    good(oplus_alloc(dev, DEALT_BYTES, &in));
    good(oplus_alloc(dev, DEALT_BYTES, &out));
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        oplus_status status = calls[i].call(in, out);
        for (int tries = 0; tries < 8 && status != OPLUS_OK; tries++) {
            take_layouts_as_checked();
            status = calls[i].call(in, out);
        }
        good(status);
        waits = launches = 0;
        fake->heard = listen;
        good(calls[i].call(in, out));
        fake->heard = NULL;
        assert_int_equal(launches, calls[i].launches);
        assert_int_equal(waits, calls[i].waits);
        explain_call(calls[i].call, in, out, "  > pages ");
    }
    explain_call(dealt_map, in, host, "  > one "); /* the host's memory is reached by copies alone */
    oplus_free(dev, in);
    oplus_free(dev, out);
    free(host);
}

static opi_accelerator *accelerator(unsigned w) { return (opi_accelerator *)self()->worker[w]; }

/* All is idle, and the first one must clear what both write to when both scan. */
static void must_clear(void)
{
    good(oplus_sync(dev));
    accelerator(0)->pipeline.dealt.is_clear = false;
}

/* Whatever makes a call ready is waited for by the other device, also if it is done before, or by a call that fails. */
static void what_makes_ready_is_waited_for(void **state)
{
    void *mem;
    opi_task task;
    (void)state;
    good(oplus_alloc(dev, DEALT_BYTES, &mem));
    oplus_status status = dealt_scan(mem, mem);
    for (int tries = 0; tries < 8 && status != OPLUS_OK; tries++) {
        take_layouts_as_checked();
        status = dealt_scan(mem, mem);
    }
    good(status);
    opi_task_scan(&task, &oplus_sum_f32, OPLUS_INCLUSIVE, mem, NULL, DEALT, 0, mem);
    for (int way = 0; way < 3; way++) {
        good(oplus_sync(dev));
        if (way > 0) must_clear();
        if (way < 2) {
            good(dev->machine->takes(dev, "test", &task));
        } else {
            for (opi_program *p = accelerator(1)->programs.first; p; p = p->next) p->checked = false;
            assert_int_not_equal(dealt_scan(mem, mem), OPLUS_OK);
            take_layouts_as_checked();
        }
        assert_true(accelerator(0)->pipeline.dealt.is_clear);
        waits = 0;
        fake->heard = listen;
        good(dealt_scan(mem, mem));
        fake->heard = NULL;
        assert_int_equal(waits, way > 0 ? 2 : 0);
    }
    oplus_free(dev, mem);
}

static int open_for_blocks(void **state)
{
    setenv("OPLUS_WAY", "blocks", 1);
    const int failed = open_two(state);
    unsetenv("OPLUS_WAY");
    return failed;
}

static oplus_status dealt_sort(void *keys, void *values)
{
    return values ? oplus_sort_pairs(dev, &oplus_u32, OPLUS_ASCENDING, keys, &oplus_f32, values, DEALT)
                  : oplus_sort(dev, &oplus_u32, OPLUS_ASCENDING, keys, DEALT);
}

/* The host waits for nothing in a sort in blocks whose keys are dealt out. */
static void sorts_do_not_wait(void **state)
{
    void *keys, *values;
    (void)state;
    good(oplus_alloc(dev, DEALT_BYTES, &keys));
    good(oplus_alloc(dev, DEALT_BYTES, &values));
    for (int pairs = 0; pairs < 2; pairs++) {
        void *const with = pairs ? values : NULL;
        good(dealt_sort(keys, with));
        fake->synchronizations = waits = launches = 0;
        fake->heard = listen;
        good(dealt_sort(keys, with));
        fake->heard = NULL;
        assert_int_equal(fake->synchronizations, 0);
        assert_int_equal(waits, 6); /* of each for the other's earlier work, its block, and its merge */
        assert_true(launches >= 6);
    }
    oplus_free(dev, keys);
    oplus_free(dev, values);
}

/* Whoever reads the other's pages over the link is ready before both have begun. */
static void little_is_done_by_one(void **state)
{
    void *in, *out;
    (void)state;
    good(oplus_alloc(dev, DEALT_BYTES, &in));
    good(oplus_alloc(dev, DEALT_BYTES, &out));
    explain_call(dealt_reduce, in, out, "  > one ");
    explain_call(dealt_reduce, in, out, "    pages ");
    explain_call(dealt_reduce, in, out, "\ndealt out it would take longer, as little as it is: about ");
    oplus_free(dev, in);
    oplus_free(dev, out);
}

/* So does a call whose result comes to the host. */
static void results_tell_of_faults(void **state)
{
    void *in;
    float sum;
    (void)state;
    good(oplus_alloc(dev, DEALT_BYTES, &in));
    for (unsigned w = 0; w < 2; w++) {
        opi_gpu_buffer *const wrong = &((opi_accelerator *)self()->worker[w])->wrong_offset;
        uint64_t word = 1 + 5;
        good(dealt_reduce(in, &sum));
        wrong->mem = &word;
        assert_int_equal(dealt_reduce(in, &sum), OPLUS_ERR_ARGUMENT);
        assert_non_null(strstr(oplus_last_error(), "offsets[5]"));
        good(dealt_reduce(in, &sum));
        wrong->mem = NULL;
    }
    oplus_free(dev, in);
}

/* The argument of the call is named, also where only a part of an array is missing. */
static void arrays_that_are_too_small(void **state)
{
    void *in, *out;
    (void)state;
    good(oplus_alloc(dev, DEALT_BYTES, &in));
    good(oplus_alloc(dev, DEALT_BYTES - 4, &out));
    fails_with(OPLUS_ERR_ARGUMENT, dealt_scan(in, out), "oplus_scan: out is ");
    fails_with(OPLUS_ERR_ARGUMENT, dealt_scan((char *)in + 4, out), "oplus_scan: in is ");
    fails_with(OPLUS_ERR_ARGUMENT, oplus_sort(dev, &oplus_f32, OPLUS_ASCENDING, out, DEALT), "oplus_sort: keys is ");
    fails_with(OPLUS_ERR_ARGUMENT, oplus_reduce(dev, &oplus_sum_f32, in, 9, (char *)out + DEALT_BYTES - 4),
               "oplus_reduce: out is ");
    oplus_free(dev, in);
    oplus_free(dev, out);
}

static void explains(void **state)
{
    char text[4096];
    void *mem;
    (void)state;
    good(oplus_alloc(dev, 4 * PAGE, &mem));
    good(oplus_explain(dev, text, sizeof text));
    good(scan(mem, mem));
    good(oplus_explain(dev, NULL, 0));
    if (!strstr(text, "machine: cuda:0-1 2 x Fake A\n") || !strstr(text, "> one ") ||
        !strstr(text, "GPU 0 of 2 does it: it can use all of the memory\nmachine: cuda:0 Fake A\n"))
        fail_msg("%s", text);
    oplus_free(dev, mem);
}

/* --- 5. every call fails in turn ---------------------------------------------------------------------------------- */

static oplus_status use(void)
{
    static char host[3 * PAGE];
    void *mem = NULL, *little = NULL;
    oplus_status status = oplus_open("cuda:0-1", &dev);
    if (status != OPLUS_OK) return status;
    status = oplus_alloc(dev, 3 * PAGE, &mem);
    if (status == OPLUS_OK) status = oplus_alloc(dev, 100, &little);
    if (status == OPLUS_OK) status = oplus_copy(dev, mem, host, 3 * PAGE);
    if (status == OPLUS_OK) status = oplus_copy(dev, little, mem, 100);
    if (status == OPLUS_OK) status = oplus_sync(dev);
    return oplus_free(dev, mem), oplus_free(dev, little), status;
}

/* A call that gives something back may fail: the driver then keeps it. */
static bool may_leave(const char *name)
{
    static const char *const parts[] = {"CtxPush", "CtxPop", "CtxGetCurrent", "Destroy", "Free", "Release", "Unmap"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strstr(name, parts[i])) return true;
    return false;
}

static void every_call(void **state)
{
    (void)state;
    good(use());
    const int all = fake->calls;
    oplus_close(dev);
    for (int which = 1; which <= all; which++) {
        begin_books(NULL);
        dev = NULL;
        fake->failing = which;
        fake->error = which % 2 ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_ERROR_UNKNOWN;
        const oplus_status status = use();
        assert_non_null(fake->failed);
        if (status != OPLUS_OK) says("; "); /* a remedy */
        if (status == OPLUS_OK && !may_leave(fake->failed) && !strstr(fake->failed, "MemHostAlloc") &&
            !strstr(fake->failed, "Synchronize"))
            fail_msg("%s fails, and nobody says so", fake->failed);
        const bool leaves = may_leave(fake->failed);
        fake->failing = 0;
        oplus_close(dev);
        if (!leaves && end_books(NULL) != 0) fail_msg("something is left over after %s", fake->failed);
    }
    begin_books(NULL);
}

static void every_allocation(void **state)
{
    (void)state;
    for (int which = 1;; which++) {
        dev = NULL;
        failing_allocation = which;
        const oplus_status status = use();
        const bool reached = failing_allocation == 0;
        failing_allocation = 0;
        oplus_close(dev);
        assert_int_equal(end_books(NULL), 0);
        if (!reached) break;
        if (status != OPLUS_OK) assert_int_equal(status, OPLUS_ERR_MEMORY);
        assert_true(which < 200);
    }
}

/* --- 6. the part -------------------------------------------------------------------------------------------------- */

#define WITH_TWO(test) cmocka_unit_test_setup_teardown(test, open_two, close_it)

static int run_fake(void)
{
    const struct CMUnitTest tests[] = {
        WITH_BOOKS(names),
        WITH_BOOKS(wrong_names),
        WITH_TWO(pages_lie_in_turn),
        WITH_TWO(ranges_come_from_the_pool),
        WITH_TWO(little_memory_is_the_first_one_s),
        WITH_TWO(foreign_memory),
        WITH_TWO(copies),
        WITH_TWO(copies_tell_of_faults),
        cmocka_unit_test_setup_teardown(copies, open_twice, close_it),
        WITH_TWO(work_is_in_order),
        cmocka_unit_test_setup_teardown(sorts_do_not_wait, open_for_blocks, close_it),
        cmocka_unit_test_setup_teardown(pages_are_worked_on_by_all, open_twice_to_deal, close_it),
        cmocka_unit_test_setup_teardown(what_makes_ready_is_waited_for, open_twice_to_deal, close_it),
        cmocka_unit_test_setup_teardown(results_tell_of_faults, open_two_to_deal, close_it),
        cmocka_unit_test_setup_teardown(little_is_done_by_one, open_two, close_it),
        WITH_TWO(arrays_that_are_too_small),
        WITH_TWO(explains),
        WITH_BOOKS(every_call),
        WITH_BOOKS(every_allocation)};
    return cmocka_run_group_tests_name("several devices of a fake driver", tests, find_fake, NULL);
}

int main(void)
{
    const part parts[] = {{FAKE_CUDA, FAKE_CUDA, "OPLUS_CACHE", "0", NULL, run_fake}};
    return run_parts(parts, 1);
}
