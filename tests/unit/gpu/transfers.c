/* Whole arrays between the host and a device whose copies are done as late as they may be: when the host waits for them.
 * So a copy from memory that was written again too early, or to memory that was read too early, gives wrong bytes. */
#include "support/laws.h"

#include "base/error.h"
#include "cores/cores.h"
#include "gpu/memory.h"
#include "gpu/transfer.h"

#include <stdlib.h>
#include <string.h>

/* --- a driver that puts everything off ---------------------------------------------------------------------------- */

enum { MOST_WAITING = 1000 };

typedef struct copy {
    void *to;
    const void *from;
    size_t bytes;
} copy;

static copy waiting[MOST_WAITING];
static int first, last;        /* of the copies that have yet to be done */
static int marks, calls, pins; /* marks that live, calls of the driver, allocations that live */
static int failing;            /* the number of the call that fails; 0: none does */

static oplus_status step(const char *call)
{
    return ++calls == failing ? opi_fail(OPLUS_ERR_DEVICE, "%s: the driver fails", call) : OPLUS_OK;
}

static void do_until(int end)
{
    for (; first < end; first++) memcpy(waiting[first].to, waiting[first].from, waiting[first].bytes);
    if (first == last) first = last = 0;
}

static oplus_status put_off(opi_gpu *gpu, const char *call, opi_gpu_queue queue, void *to, const void *from,
                            size_t bytes)
{
    (void)gpu, (void)queue;
    assert_true(last < MOST_WAITING);
    OPI_TRY(step(call));
    waiting[last++] = (copy){to, from, bytes};
    return OPLUS_OK;
}

static oplus_status mark(opi_gpu *gpu, const char *call, opi_gpu_queue queue, void **made)
{
    (void)gpu, (void)queue;
    *made = NULL;
    OPI_TRY(step(call));
    *(int *)(*made = must(malloc(sizeof(int)))) = last;
    marks++;
    return OPLUS_OK;
}

static void drop(opi_gpu *gpu, void *made)
{
    (void)gpu;
    marks -= made != NULL;
    free(made);
}

static oplus_status reached(opi_gpu *gpu, const char *call, void *made)
{
    (void)gpu;
    OPI_TRY(step(call));
    if (first < last) do_until(*(const int *)made);
    return OPLUS_OK;
}

static oplus_status sync(opi_gpu *gpu, const char *call, opi_gpu_queue queue)
{
    (void)gpu, (void)queue;
    do_until(last); /* even if it says that something has failed */
    return step(call);
}

static oplus_status pin(opi_gpu *gpu, const char *call, size_t bytes, void **mem)
{
    (void)gpu;
    *mem = NULL;
    OPI_TRY(step(call));
    *mem = must(malloc(bytes));
    pins++;
    return OPLUS_OK;
}

static void unpin(opi_gpu *gpu, void *mem)
{
    (void)gpu;
    pins--;
    free(mem);
}

static const opi_driver driver = {.name = "late",
                                  .upload = put_off,
                                  .download = put_off,
                                  .mark = mark,
                                  .drop = drop,
                                  .reached = reached,
                                  .sync = sync,
                                  .pinned_alloc = pin,
                                  .pinned_free = unpin,
                                  .free = unpin};
static opi_gpu gpu = {.driver = &driver, .facts = {.where = "late"}};

/* --- tests -------------------------------------------------------------------------------------------------------- */

enum { PIECE = 300000, LEAST = 1 << 20, GUARD = 64, MOST = LEAST + 12 * PIECE };

static unsigned char *from, *to;

static opi_accelerator opened(void)
{
    opi_accelerator g = {.gpu = &gpu, .piece_bytes = PIECE};
    must_be_ok(opi_cores_open("test", 3, &g.dev.cores), "cores");
    return g;
}

static void closed(opi_accelerator *g)
{
    opi_gpu_release_all(g);
    opi_cores_close(g->dev.cores);
    assert_int_equal(pins, 0);
}

typedef oplus_status direction(opi_accelerator *g, const char *call, opi_gpu_side side, void *to, const void *from,
                               size_t bytes);
static direction *const directions[] = {opi_transfer_up, opi_transfer_down};

static oplus_status try(opi_accelerator *g, direction *transfer, opi_gpu_side side, size_t bytes)
{
    memset(to, 0, MOST + GUARD);
    calls = 0;
    const oplus_status status = transfer(g, "test", side, to, from, bytes);
    if (side != OPI_SIDE_HOST || bytes < LEAST)
        return status == OPLUS_OK ? sync(&gpu, "test", OPI_QUEUE_COMPUTE) : status;
    assert_int_equal(first, last); /* it has waited */
    return status;
}

static void all_came(size_t bytes)
{
    if (memcmp(to, from, bytes) != 0) fail_msg("%zu bytes: some are wrong", bytes);
    for (size_t i = bytes; i < bytes + GUARD; i++) assert_int_equal(to[i], 0);
    assert_int_equal(marks, 0);
}

static void every_byte(void **state)
{
    static const size_t sizes[] = {0,         1,         1000,      LEAST - 1,         LEAST,
                                   4 * PIECE, LEAST + 1, 5 * PIECE, 4 * PIECE + 12345, MOST};
    opi_accelerator g = opened();
    (void)state;
    for (int way = 0; way < 2; way++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            for (opi_gpu_side side = OPI_SIDE_HOST; side <= OPI_SIDE_PINNED; side++) {
                must_be_ok(try(&g, directions[way], side, sizes[i]), "transfer");
                all_came(sizes[i]);
                assert_int_equal(pins > 0, g.slot[0].pinned.mem != NULL);
            }
    closed(&g);
}

/* Whatever call fails, no copy is under way afterwards, no mark is left, and the next transfer is right.  The first calls
 * ask for pinned memory: without it the driver copies by itself. */
static void failures(void **state)
{
    (void)state;
    for (int way = 0; way < 2; way++) {
        bool failed = true;
        for (int at = 1; failed; at++) {
            opi_accelerator g = opened();
            failing = at;
            const oplus_status status = try(&g, directions[way], OPI_SIDE_HOST, MOST);
            failed = calls >= at;
            failing = 0;
            assert_int_equal(status, failed && at > OPI_SLOTS ? OPLUS_ERR_DEVICE : OPLUS_OK);
            if (status == OPLUS_OK) all_came(MOST);
            assert_int_equal(first, last);
            assert_int_equal(marks, 0);
            must_be_ok(try(&g, directions[way], OPI_SIDE_HOST, MOST), "transfer after a failure");
            all_came(MOST);
            closed(&g);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_byte), cmocka_unit_test(failures)};
    from = must(malloc(MOST));
    to = must(malloc(MOST + GUARD));
    for (size_t i = 0; i < MOST; i++) from[i] = (unsigned char)(1 + i * 2654435761u % 255); /* never 0 */
    const int failed = cmocka_run_group_tests_name("transfers", tests, NULL, NULL);
    free(from);
    free(to);
    return failed;
}
