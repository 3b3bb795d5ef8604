/* Tasks that are dealt out to several accelerators of the tests: how they are dealt, and arrays in device memory.
 *
 * One GPU is enough: it is opened several times, and each of the accelerators has a part of its multiprocessors. */
#ifndef TEST_LAWS_DEALING_H
#define TEST_LAWS_DEALING_H

#include "laws/pipeline_calls.h"

#include "gpu/deal.h"

#include <stdio.h>

enum { WORKERS = 3 };

static oplus_device *worker[WORKERS]; /* worker 0 is dev; after open_one all are */

static inline opi_accelerator *const *all_workers(opi_accelerator *all[WORKERS])
{
    for (int w = 0; w < WORKERS; w++) all[w] = (opi_accelerator *)worker[w];
    return all;
}

static inline long calls(void) { return test_number("OPLUS_TEST_CALLS", test_quick() ? 30 : 300); }

static inline opi_deal draw_deal(rng *r, opi_accelerator *const *all)
{
    opi_deal deal = {.all = all, .page = (size_t)(64 << 10) << rng_below(r, rng_below(r, 3) ? 2 : 6)};
    deal.workers = deal.share = 2 + (unsigned)rng_below(r, WORKERS - 1);
    deal.beyond = rng_below(r, 2) ? 0 : rng_below(r, 2 * deal.page * deal.workers);
    return deal;
}

static inline void sync_all(void)
{
    for (int w = 0; w < WORKERS; w++) must_be_ok(oplus_sync(worker[w]), "sync");
}

typedef oplus_status step(const opi_deal *deal, const char *call, const opi_task *task);

static inline void each(opi_deal *deal, step *of, const opi_task *task, const char *what)
{
    for (deal->own = 0; deal->own < deal->workers; deal->own++) must_be_ok(of(deal, "test", task), what);
    deal->own = 0;
}

static long dealt, whole;

/* Deals a task out, or, if that cannot be done, does it on the first accelerator. */
static inline void deal_out(rng *r, const opi_task *task, const char *what)
{
    opi_accelerator *all[WORKERS];
    opi_deal deal = draw_deal(r, all_workers(all));
    if (!opi_deal_can(&deal, task)) {
        must_be_ok(dev->machine->run(dev, "test", task, NULL), what);
        whole++;
        return;
    }
    each(&deal, opi_deal_prepare, task, what);
    sync_all();
    each(&deal, opi_deal_look, task, what);
    sync_all();
    each(&deal, opi_deal_run, task, what);
    sync_all();
    each(&deal, opi_deal_finish, task, what);
    sync_all();
    dealt++;
}

/* --- arrays in device memory ---------------------------------------------------------------------------------------- */

static inline unsigned char *bring(const void *from, size_t skew, size_t bytes)
{
    unsigned char *mem;
    must_be_ok(oplus_alloc(dev, skew + bytes, (void **)&mem), "alloc");
    must_be_ok(oplus_copy(dev, mem + skew, from, bytes), "copy");
    return mem;
}

static inline unsigned char *bring_output(size_t room)
{
    memset(got, 0xa5, room);
    return bring(got, 0, room);
}

static inline void same_bytes(const unsigned char *device, const void *wanted, size_t before, size_t bytes,
                              const char *what)
{
    must_be_ok(oplus_copy(dev, got, device, before + bytes + GUARD), "copy");
    if (memcmp(got + before, wanted, bytes) != 0)
        fail_msg("%s of %zu bytes differs; OPLUS_TEST_SEED=%llu", what, bytes, (unsigned long long)test_seed());
    for (size_t k = 0; k < before + bytes + GUARD; k++)
        if ((k < before || k >= before + bytes) && got[k] != 0xa5)
            fail_msg("%s of %zu bytes has written outside, at byte %zu", what, bytes, k);
}

/* --- the accelerators ----------------------------------------------------------------------------------------------- */

static inline bool open_workers(void)
{
    for (int w = 0; w < WORKERS; w++)
        if (oplus_open("cuda:0", &worker[w]) != OPLUS_OK) return printf("not tried: %s\n", oplus_last_error()), false;
    dev = worker[0];
    return true;
}

/* One accelerator as all: for tasks whose launches do not wait for each other, and which keep nothing from step to step. */
static inline bool open_one(const char *where)
{
    if (oplus_open(where, &dev) != OPLUS_OK) return printf("not tried: %s\n", oplus_last_error()), false;
    for (int w = 0; w < WORKERS; w++) worker[w] = dev;
    return true;
}

static inline void make_arrays(void)
{
    must_be_ok(oplus_open("serial", &serial), "serial");
    x = must(aligned_alloc(64, MOST_BYTES)); /* the largest alignment of an element */
    got = must(aligned_alloc(64, MOST_BYTES + 2 * GUARD + (MOST_SKEW + MOST_BACK) * 64));
    expected = must(aligned_alloc(64, MOST_BYTES));
    heads = must(malloc(MOST_BYTES));
}

static inline void end_all(void)
{
    for (int w = 0; w < WORKERS; w++)
        if (w == 0 || worker[w] != worker[0]) oplus_close(worker[w]);
    free(x);
    free(got);
    free(expected);
    free(heads);
    oplus_close(serial);
}

#endif
