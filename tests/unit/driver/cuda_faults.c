/* Every call of CUDA's driver and of NVRTC failing in turn, and every allocation, with a fake driver that keeps the
 * books (fake/cuda.c): each failure has a message with a remedy, and nothing is left over. */
#include "driver/cuda/api.h"
#include "support/allocations.h"
#include "support/cuda.h"
#include "support/launch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- 1. something of everything ----------------------------------------------------------------------------------- */

typedef struct things {
    opi_gpu *gpu;
    void *mem, *known, *pinned, *program, *loaded, *kernel, *mark, *binary;
    size_t bytes;
    bool inside; /* it has entered the device */
} things;

#define STEP(...)                                                                                                      \
    do {                                                                                                               \
        const oplus_status status = (__VA_ARGS__);                                                                     \
        if (status != OPLUS_OK) return status;                                                                         \
    } while (0)

/* All work-groups run at once, in clusters. */
static oplus_status use_together(things *t)
{
    const opi_driver *const d = &opi_cuda;
    const opi_gpu_argument argument = opi_memory(t->mem);
    opi_launch all = {.kernel = t->kernel, .items = 64, .local = 100 << 10, .argument = &argument, .arguments = 1};
    all.resident = true;
    STEP(d->allow(t->gpu, "test", t->kernel, all.local, 100));
    STEP(d->residents(t->gpu, "test", &all, &all.groups));
    STEP(d->launch(t->gpu, "test", &all));
    all.cluster = 4;
    STEP(d->residents(t->gpu, "test", &all, &all.groups));
    return d->launch(t->gpu, "test", &all);
}

static oplus_status use(things *t, const char *source, void *queue)
{
    static char host[64], back[64];
    const opi_driver *const d = &opi_cuda;
    opi_gpu_side side;
    bool done;
    STEP(d->open("test", "", queue, &t->gpu));
    STEP(opi_enter(t->gpu, "test"));
    t->inside = true;
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
    STEP(launch_plain(t->gpu, t->kernel, 1, 16, &argument, 1));
    STEP(use_together(t));
    STEP(d->query(t->gpu, "test", t->mark, &done));
    STEP(d->reached(t->gpu, "test", t->mark));
    STEP(d->download(t->gpu, "test", OPI_QUEUE_DOWN, back, t->mem, 64));
    STEP(d->sync(t->gpu, "test", OPI_QUEUE_DOWN));
    STEP(opi_enter(t->gpu, "test")); /* once more, as a call inside another one */
    STEP(opi_leave(t->gpu, "test", OPLUS_OK));
    t->inside = false;
    return opi_leave(t->gpu, "test", OPLUS_OK);
}

static void give_back(things *t)
{
    const opi_driver *const d = &opi_cuda;
    if (!t->gpu) return;
    const bool inside = t->inside || opi_enter(t->gpu, "test") == OPLUS_OK;
    d->drop(t->gpu, t->mark);
    d->unload(t->gpu, t->program);
    d->unload(t->gpu, t->loaded);
    d->free(t->gpu, t->known);
    d->free(t->gpu, t->mem);
    d->pinned_free(t->gpu, t->pinned);
    if (inside) opi_leave(t->gpu, "test", OPLUS_OK);
    d->close(t->gpu);
    free(t->binary);
}

/* --- 2. every call fails in turn ---------------------------------------------------------------------------------- */

/* A call that frees something may fail: the driver then keeps it.  So may the stack of contexts, which cannot be
 * repaired. */
static bool may_leave(const char *name)
{
    static const char *const parts[] = {"CtxPush", "CtxPop", "Destroy", "Free", "Unload", "Release"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strstr(name, parts[i])) return true;
    return false;
}

/* A call may fail too whose failure does not matter to the caller. */
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
    begin_books(NULL);
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
        begin_books(NULL);
    else if (end_books(NULL) != 0)
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
        begin_books(NULL);
        assert_int_equal(use(&t, u->source, queue), u->expected);
        give_back(&t);
        const int calls = fake->calls;
        assert_int_equal(end_books(NULL), 0);
        assert_true(calls > 50);
        for (int which = 1; which <= calls; which++) {
            one_failure(which, CUDA_ERROR_UNKNOWN, u, queue);
            one_failure(which, CUDA_ERROR_OUT_OF_MEMORY, u, queue);
        }
    }
    begin_books(NULL);
}

/* --- 3. every allocation fails in turn ---------------------------------------------------------------------------- */

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
        assert_int_equal(end_books(NULL), 0);
        if (!reached_it) break;
        fails_with(OPLUS_ERR_MEMORY, status, "free some");
        assert_true(which < 50);
    }
    assert_true(allocations > 8);
}

/* --- 4. the part -------------------------------------------------------------------------------------------------- */

static int run_fake(void)
{
    const struct CMUnitTest tests[] = {WITH_BOOKS(every_call), WITH_BOOKS(every_allocation)};
    return cmocka_run_group_tests_name("a fake driver that fails", tests, find_fake, NULL);
}

int main(void)
{
    const part parts[] = {{FAKE_CUDA, FAKE_CUDA, NULL, NULL, NULL, run_fake}};
    return run_parts(parts, 1);
}
