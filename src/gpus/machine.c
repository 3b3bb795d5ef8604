/* The machine of several accelerators: its verbs. */
#include "base/error.h"
#include "gpus/copy.h"
#include "gpus/order.h"
#include "gpus/ways.h"

#include <stdlib.h>

static opi_gpus *of(oplus_device *dev) { return (opi_gpus *)dev; }

/* --- tasks -------------------------------------------------------------------------------------------------------- */

/* A call that lacks memory, and has enqueued nothing, has written nothing yet: free ranges may help. */
static oplus_status run(oplus_device *dev, const char *call, const opi_task *task, opi_range *carry)
{
    opi_gpus_job job = {.g = of(dev), .call = call, .task = task, .carry = carry};
    job.g->summarised = NULL; /* the arrays may be others afterwards */
    OPI_TRY(opi_gpus_look_at_all(&job));
    const opi_gpus_way *const way = opi_gpus_way_of(&job);
    const uint64_t before = opi_gpus_enqueued(job.g);
    const oplus_status status = way->run(&job);
    if (status != OPLUS_ERR_MEMORY || opi_gpus_enqueued(job.g) != before || !opi_gpus_drain(job.g)) return status;
    return way->run(&job);
}

static oplus_status takes(oplus_device *dev, const char *call, const opi_task *task)
{
    opi_gpus_job job = {.g = of(dev), .call = call, .task = task};
    OPI_TRY(opi_gpus_look_at_all(&job));
    return opi_gpus_way_of(&job)->takes(&job);
}

static oplus_status explain(oplus_device *dev, const char *call, const opi_task *task, opi_saying *to)
{
    opi_gpus_job job = {.g = of(dev), .call = call, .task = task};
    OPI_TRY(opi_gpus_look_at_all(&job));
    opi_say(to, "machine: %s\n", dev->name);
    return opi_gpus_ways_explain(&job, to);
}

/* A part of an array that is spread over ranks is summarised by one worker, which then applies what precedes the part. */
static oplus_status summarise(oplus_device *dev, const char *call, const opi_task *task, opi_range *carry,
                              opi_ticket *ticket)
{
    opi_gpus_job job = {.g = of(dev), .call = call, .task = task, .carry = carry};
    OPI_TRY(opi_gpus_look_at_all(&job));
    oplus_device *const worker = job.g->worker[job.home];
    job.g->summarised = worker;
    OPI_TRY(opi_gpus_begin(job.g, call, opi_gpus_only(job.home)));
    return worker->machine->summarise(worker, call, task, carry, ticket);
}

static oplus_status apply(oplus_device *dev, const char *call, const opi_task *task, opi_range *carry,
                          opi_ticket *ticket)
{
    opi_gpus_job job = {.g = of(dev), .call = call, .task = task, .carry = carry};
    OPI_TRY(opi_gpus_look_at_all(&job));
    oplus_device *const worker = job.g->worker[job.home];
    if (worker != job.g->summarised) ticket->number = 0; /* it reads again */
    OPI_TRY(opi_gpus_begin(job.g, call, opi_gpus_only(job.home)));
    return worker->machine->apply(worker, call, task, carry, ticket);
}

/* --- memory ------------------------------------------------------------------------------------------------------- */

static oplus_status alloc(oplus_device *dev, const char *call, size_t bytes, void **mem)
{
    return opi_gpus_alloc(of(dev), call, bytes, mem);
}

static void release(oplus_device *dev, void *mem) { opi_gpus_free(of(dev), mem); }

static oplus_status wrap(oplus_device *dev, const char *call, void *native, size_t bytes, void **mem)
{
    return opi_gpus_wrap(of(dev), call, native, bytes, mem);
}

static oplus_status look(oplus_device *dev, const char *call, const char *argument, const void *p, size_t bytes,
                         oplus_device **home)
{
    opi_gpus_place place;
    OPI_TRY(opi_gpus_look(of(dev), call, argument, p, bytes, &place));
    *home = place.side == OPI_LIES_ON_HOST ? NULL : dev;
    return OPLUS_OK;
}

static oplus_status copy(oplus_device *dev, const char *call, void *dst, const void *src, size_t bytes)
{
    return opi_gpus_copy(of(dev), call, dst, src, bytes);
}

/* Pinned memory of one worker is pinned for all. */
static oplus_status pinned_alloc(oplus_device *dev, const char *call, size_t bytes, void **mem)
{
    oplus_device *const worker = of(dev)->worker[0];
    return worker->machine->pinned_alloc(worker, call, bytes, mem);
}

static void pinned_free(oplus_device *dev, void *mem)
{
    oplus_device *const worker = of(dev)->worker[0];
    opi_gpus_wait(of(dev), "oplus_free");
    worker->machine->pinned_free(worker, mem);
}

static oplus_status sync(oplus_device *dev, const char *call) { return opi_gpus_sync(of(dev), call); }

static void trim(oplus_device *dev)
{
    opi_gpus *const g = of(dev);
    opi_gpus_wait(g, "oplus_trim"); /* no worker frees what another one still uses */
    opi_gpus_release(g);
    for (unsigned w = 0; w < g->count; w++) g->worker[w]->machine->trim(g->worker[w]);
    opi_gpus_drain(g);
}

static void close_gpus(oplus_device *dev)
{
    opi_gpus *const g = of(dev);
    opi_gpus_sync(g, "oplus_close");
    opi_gpus_release(g);
    opi_gpus_drain(g);
    for (unsigned w = 0; w < g->count; w++) g->worker[w]->machine->close(g->worker[w]);
    opi_spans_free(&g->spans);
    opi_crew_close(g->crew);
    free(g);
}

/* --- transfers: the first worker's, which reaches all memory ------------------------------------------------------- */

static oplus_device *first(const oplus_device *dev) { return ((const opi_gpus *)dev)->worker[0]; }
static const opi_transfers *transfers_of(const oplus_device *dev) { return first(dev)->machine->transfers; }

static size_t transfer_bytes(const oplus_device *dev) { return transfers_of(dev)->bytes(first(dev)); }

static oplus_status stage(oplus_device *dev, const char *call, size_t bytes, void **mem)
{
    return transfers_of(dev)->stage(first(dev), call, bytes, mem);
}

static oplus_status begin(oplus_device *dev, const char *call, opi_way_home way, void *to, const void *from,
                          size_t bytes)
{
    return transfers_of(dev)->begin(first(dev), call, way, to, from, bytes);
}

static oplus_status mark(oplus_device *dev, const char *call, opi_way_home way, void **mark)
{
    return transfers_of(dev)->mark(first(dev), call, way, mark);
}

static oplus_status reached(oplus_device *dev, const char *call, void *mark)
{
    return transfers_of(dev)->reached(first(dev), call, mark);
}

static oplus_status settle(oplus_device *dev, const char *call, opi_way_home way)
{
    return transfers_of(dev)->settle(first(dev), call, way);
}

/* A transport may know single allocations alone, and not a range of many pages. */
static bool shares_addresses(const oplus_device *dev)
{
    (void)dev;
    return false;
}

static const opi_transfers transfers = {.bytes = transfer_bytes,
                                        .stage = stage,
                                        .begin = begin,
                                        .mark = mark,
                                        .reached = reached,
                                        .settle = settle,
                                        .shares_addresses = shares_addresses};

const opi_machine opi_gpus_machine = {.run = run,
                                      .summarise = summarise,
                                      .apply = apply,
                                      .takes = takes,
                                      .explain = explain,
                                      .alloc = alloc,
                                      .free = release,
                                      .wrap = wrap,
                                      .copy = copy,
                                      .look = look,
                                      .pinned_alloc = pinned_alloc,
                                      .pinned_free = pinned_free,
                                      .transfers = &transfers,
                                      .sync = sync,
                                      .trim = trim,
                                      .close = close_gpus};
