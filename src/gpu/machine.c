/* The machine of accelerators: its verbs, and how it is opened. */
#include "base/error.h"
#include "cores/cores.h"
#include "cores/count.h"
#include "gpu/job.h"
#include "gpu/map/map.h"
#include "gpu/memory.h"
#include "gpu/repeat/repeat.h"
#include "gpu/transfer.h"
#include "gpu/ways.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE_BYTES = 32 << 20, LEAST_PIECE_BYTES = 4096 };

static opi_accelerator *of(oplus_device *dev) { return (opi_accelerator *)dev; }

static opi_gpu *gpu_of(oplus_device *dev) { return of(dev)->gpu; }

/* Each verb enters the device and leaves it again (OPI_INSIDE).  So functions below need not do this, and between two
 * verbs other users of the driver have their own context. */

/* --- tasks -------------------------------------------------------------------------------------------------------- */

static oplus_status (*const primitives[OPI_PRIMITIVES])(opi_job *job) = {
    [OPI_REDUCE] = opi_gpu_scan,
    [OPI_SCAN] = opi_gpu_scan,
    [OPI_MAP] = opi_gpu_map,
    [OPI_FILTER] = opi_gpu_filter,
    [OPI_SEGREDUCE] = opi_gpu_segreduce,
    [OPI_SORT] = opi_gpu_sort,
    [OPI_TRANSPOSE] = opi_gpu_transpose,
    [OPI_TAKE] = opi_gpu_take,
    [OPI_EXTREME] = opi_gpu_extreme,
    [OPI_BOUNDS] = opi_gpu_order,
    [OPI_MERGE] = opi_gpu_order,
    [OPI_SELECT] = opi_gpu_select,
    [OPI_PUT] = opi_gpu_put_by_index,
    [OPI_REDUCE_AXIS] = opi_gpu_axis,
    [OPI_SCAN_AXIS] = opi_gpu_axis,
    [OPI_EXTREME_AXIS] = opi_gpu_extreme_axis,
    [OPI_WINDOW] = opi_gpu_window,
    [OPI_SCAN_REVERSE] = opi_gpu_scan_reverse,
    [OPI_COUNT] = opi_gpu_count,
    [OPI_BY_INDEX] = opi_gpu_reduce_by_index,
    [OPI_REPEAT] = opi_gpu_repeat,
    [OPI_COUNT_ENDS] = opi_gpu_count_ends,
    [OPI_PACK] = opi_gpu_pack,
    [OPI_TOP] = opi_gpu_top,
    [OPI_NTH] = opi_gpu_top,
    [OPI_SORT_BY] = opi_gpu_sort_by,
    [OPI_SEGSORT] = opi_gpu_segsort,
};

/* A task without items may still have results: one value, or one for each empty segment or bin. */
static bool is_nothing(const opi_task *task)
{
    const bool writes = task->what == OPI_SEGREDUCE || task->what == OPI_REDUCE_AXIS || task->what == OPI_COUNT ||
                        task->what == OPI_BY_INDEX || task->what == OPI_SEGSORT;
    return task->n == 0 && !task->result && !writes;
}

static oplus_status run(oplus_device *dev, const char *call, const opi_task *task, opi_range *carry)
{
    opi_job job = {.g = of(dev), .call = call, .task = task, .carry = carry, .index = opi_task_index(task)};
    if (is_nothing(task)) return OPLUS_OK;
    of(dev)->ticket = 0;
    OPI_INSIDE(gpu_of(dev), call, primitives[task->what](&job));
}

static oplus_status summarise(oplus_device *dev, const char *call, const opi_task *task, opi_range *carry,
                              opi_ticket *ticket)
{
    opi_job job = {.g = of(dev), .call = call, .task = task, .carry = carry, .index = opi_task_index(task)};
    ticket->number = 0;
    if (task->n == 0) return OPLUS_OK;
    of(dev)->ticket = 0;
    OPI_INSIDE(gpu_of(dev), call, opi_gpu_scan_summarise(&job, ticket));
}

static oplus_status apply(oplus_device *dev, const char *call, const opi_task *task, opi_range *carry,
                          opi_ticket *ticket)
{
    opi_job job = {.g = of(dev), .call = call, .task = task, .carry = carry, .index = opi_task_index(task)};
    if (task->n == 0 || task->what == OPI_REDUCE) return OPLUS_OK;
    OPI_TRY(opi_enter(gpu_of(dev), call));
    const oplus_status status = opi_leave(gpu_of(dev), call, opi_gpu_scan_apply(&job, ticket));
    of(dev)->ticket = 0;
    return status;
}

oplus_status opi_gpu_rehearse(oplus_device *dev, const char *call, const opi_task *task, opi_rehearsal *seen)
{
    memset(seen, 0, sizeof *seen);
    of(dev)->rehearsal = seen;
    const oplus_status status = run(dev, call, task, NULL);
    of(dev)->rehearsal = NULL;
    return status;
}

static oplus_status takes(oplus_device *dev, const char *call, const opi_task *task)
{
    opi_rehearsal seen;
    return opi_gpu_rehearse(dev, call, task, &seen);
}

static oplus_status explain(oplus_device *dev, const char *call, const opi_task *task, opi_saying *to)
{
    opi_rehearsal seen;
    opi_say(to, "machine: %s\n", dev->name);
    OPI_TRY(opi_gpu_rehearse(dev, call, task, &seen));
    opi_ways_explain(task->what, seen.way, to);
    opi_say(to, "  %u launch%s, ", seen.launches, seen.launches == 1 ? "" : "es");
    opi_say_bytes(to, (double)seen.up);
    opi_say(to, " to the device and ");
    opi_say_bytes(to, (double)seen.down);
    opi_say(to, " back\n");
    return OPLUS_OK;
}

/* --- memory ------------------------------------------------------------------------------------------------------- */

static oplus_status alloc(oplus_device *dev, const char *call, size_t bytes, void **mem)
{
    opi_gpu *const gpu = gpu_of(dev);
    OPI_INSIDE(gpu, call, gpu->driver->alloc(gpu, call, bytes, mem));
}

static void release(oplus_device *dev, void *mem)
{
    opi_gpu *const gpu = gpu_of(dev);
    if (!mem || opi_enter(gpu, "oplus_free") != OPLUS_OK) return;
    if (!opi_gpu_see_recording(of(dev)))
        gpu->driver->free(gpu, mem);
    else if (!gpu->driver->forget(gpu, mem))
        opi_gpu_retire(of(dev), mem);
    opi_leave(gpu, "oplus_free", OPLUS_OK);
}

static oplus_status lend(oplus_device *dev, const char *call, size_t bytes, void **mem)
{
    opi_accelerator *const g = of(dev);
    OPI_TRY(opi_enter(g->gpu, call));
    OPI_TRY(opi_leave(g->gpu, call, opi_gpu_reserve(g, call, &g->lent, bytes)));
    *mem = g->lent.mem;
    return OPLUS_OK;
}

static size_t room(const oplus_device *dev)
{
    const opi_accelerator *const g = (const opi_accelerator *)dev;
    return opi_smaller(g->memory_bytes, (size_t)g->gpu->facts.largest);
}

static oplus_status wrap(oplus_device *dev, const char *call, void *native, size_t bytes, void **mem)
{
    opi_gpu *const gpu = gpu_of(dev);
    OPI_INSIDE(gpu, call, gpu->driver->wrap(gpu, call, native, bytes, mem));
}

static oplus_status copy(oplus_device *dev, const char *call, void *dst, const void *src, size_t bytes)
{
    OPI_INSIDE(gpu_of(dev), call, opi_gpu_copy(of(dev), call, dst, src, bytes));
}

static oplus_status look(oplus_device *dev, const char *call, const char *argument, const void *p, size_t bytes,
                         oplus_device **home)
{
    opi_gpu_side side;
    OPI_TRY(opi_enter(gpu_of(dev), call));
    OPI_TRY(opi_leave(gpu_of(dev), call, opi_gpu_side_of(of(dev), call, argument, p, bytes, &side)));
    *home = side == OPI_SIDE_DEVICE ? dev : NULL;
    return OPLUS_OK;
}

static oplus_status pinned_alloc(oplus_device *dev, const char *call, size_t bytes, void **mem)
{
    opi_gpu *const gpu = gpu_of(dev);
    OPI_INSIDE(gpu, call, gpu->driver->pinned_alloc(gpu, call, bytes, mem));
}

static void pinned_free(oplus_device *dev, void *mem)
{
    opi_gpu *const gpu = gpu_of(dev);
    if (opi_enter(gpu, "oplus_free") != OPLUS_OK) return;
    gpu->driver->pinned_free(gpu, mem);
    opi_leave(gpu, "oplus_free", OPLUS_OK);
}

static oplus_status sync(oplus_device *dev, const char *call)
{
    OPI_INSIDE(gpu_of(dev), call, opi_gpu_sync(of(dev), call, OPI_QUEUE_COMPUTE));
}

/* Waits, and frees all memory that can be allocated again, and, if `programs`, the programs.  If the device cannot be
 * entered any more, the driver refuses to free what it owns; the host's memory is freed all the same. */
static void give_back(oplus_device *dev, const char *call, bool programs)
{
    const oplus_status entered = opi_enter(gpu_of(dev), call);
    for (int q = 0; q < OPI_QUEUES; q++) gpu_of(dev)->driver->sync(gpu_of(dev), call, (opi_gpu_queue)q);
    opi_gpu_release_all(of(dev));
    if (gpu_of(dev)->driver->close_opened) gpu_of(dev)->driver->close_opened(gpu_of(dev));
    if (programs) {
        opi_programs_release(&of(dev)->programs);
        opi_gpu_release_words(of(dev));
    }
    if (entered == OPLUS_OK) opi_leave(gpu_of(dev), call, OPLUS_OK);
}

/* Nothing can be freed while launches are recorded. */
static void trim(oplus_device *dev)
{
    if (opi_gpu_see_recording(of(dev))) return;
    give_back(dev, "oplus_trim", false);
    opi_cores_trim(dev->cores);
}

static size_t count_block(const oplus_device *dev)
{
    return opi_repeat_block(&((const opi_accelerator *)dev)->gpu->facts);
}

/* --- transfers ---------------------------------------------------------------------------------------------------- */

static opi_gpu_queue queue_of(opi_way_home way) { return way == OPI_TO_HOST ? OPI_QUEUE_DOWN : OPI_QUEUE_UP; }

static size_t transfer_bytes(const oplus_device *dev) { return ((const opi_accelerator *)dev)->piece_bytes / 2; }

static oplus_status stage(oplus_device *dev, const char *call, size_t bytes, void **mem)
{
    OPI_TRY(opi_enter(gpu_of(dev), call));
    OPI_TRY(opi_leave(gpu_of(dev), call, opi_pinned_reserve(of(dev), call, &of(dev)->staging, bytes)));
    *mem = of(dev)->staging.mem;
    return OPLUS_OK;
}

static oplus_status begin(oplus_device *dev, const char *call, opi_way_home way, void *to, const void *from,
                          size_t bytes)
{
    OPI_INSIDE(gpu_of(dev), call,
               way == OPI_TO_HOST ? opi_gpu_download(of(dev), call, queue_of(way), to, from, bytes)
                                  : opi_gpu_upload(of(dev), call, queue_of(way), to, from, bytes));
}

static oplus_status mark(oplus_device *dev, const char *call, opi_way_home way, void **mark)
{
    OPI_INSIDE(gpu_of(dev), call, opi_gpu_mark(of(dev), call, queue_of(way), mark));
}

static oplus_status reached(oplus_device *dev, const char *call, void *mark)
{
    OPI_INSIDE(gpu_of(dev), call, opi_gpu_reached(of(dev), call, &mark));
}

static oplus_status settle(oplus_device *dev, const char *call, opi_way_home way)
{
    OPI_INSIDE(gpu_of(dev), call, opi_gpu_sync(of(dev), call, queue_of(way)));
}

static bool shares_addresses(const oplus_device *dev)
{
    return strcmp(((const opi_accelerator *)dev)->gpu->driver->name, "cuda") ==
           0; /* OpenCL's addresses are oplus's own */
}

static oplus_status offer(oplus_device *dev, const char *call, const void *mem, opi_offer *made)
{
    opi_gpu *const gpu = gpu_of(dev);
    *made = (opi_offer){.host = 0};
    if (!gpu->driver->offer) return OPLUS_OK;
    OPI_INSIDE(gpu, call, gpu->driver->offer(gpu, call, mem, made));
}

static bool accept(oplus_device *dev, const char *call, const opi_offer *of_other, const void **mem)
{
    opi_gpu *const gpu = gpu_of(dev);
    if (!gpu->driver->accept || opi_enter(gpu, call) != OPLUS_OK) return false;
    const bool accepted = gpu->driver->accept(gpu, of_other, mem);
    return opi_leave(gpu, call, OPLUS_OK) == OPLUS_OK && accepted;
}

static void decline(oplus_device *dev, const opi_offer *of_other)
{
    opi_gpu *const gpu = gpu_of(dev);
    if (opi_enter(gpu, "decline") != OPLUS_OK) return;
    gpu->driver->decline(gpu, of_other);
    opi_leave(gpu, "decline", OPLUS_OK);
}

/* A kernel reads another device's memory at the rate of the link; the driver's copies reach half of it. */
static oplus_status pull_by_kernel(opi_accelerator *g, const char *call, void *to, const void *from, size_t bytes)
{
    const opi_task task = opi_task_move(to, from, bytes);
    opi_job job = {.g = g, .call = call, .task = &task};
    OPI_TRY(opi_gpu_map(&job));
    return opi_gpu_follow(g, call, OPI_QUEUE_COMPUTE, queue_of(OPI_TO_MACHINE));
}

/* Memory that cannot be exported, such as that of cudaMallocAsync, has rights of its own: the driver copies it, but a kernel of
 * another device may not read it, and would leave a context that is of no use any more. */
static bool can_be_read(const opi_offer *of_other) { return !of_other || of_other->is_exported; }

static oplus_status pull(oplus_device *dev, const char *call, void *to, const void *from, size_t bytes,
                         const opi_offer *of_other)
{
    opi_gpu *const gpu = gpu_of(dev);
    if (bytes >= OPI_LEAST_MOVED && can_be_read(of_other))
        OPI_INSIDE(gpu, call, pull_by_kernel(of(dev), call, to, from, bytes));
    OPI_INSIDE(gpu, call, gpu->driver->copy(gpu, call, queue_of(OPI_TO_MACHINE), to, from, bytes));
}

static oplus_status sort_to(oplus_device *dev, const char *call, const opi_task *task, void *keys, void *values)
{
    opi_job job = {.g = of(dev), .call = call, .task = task};
    of(dev)->ticket = 0;
    OPI_INSIDE(gpu_of(dev), call, opi_gpu_sort_to(&job, keys, values));
}

static oplus_status merge_prepare(oplus_device *dev, const char *call, const opi_reached *runs)
{
    of(dev)->ticket = 0;
    OPI_INSIDE(gpu_of(dev), call, opi_gpu_merge_prepare(of(dev), call, runs));
}

static oplus_status merge(oplus_device *dev, const char *call, const opi_reached *runs)
{
    of(dev)->ticket = 0;
    OPI_INSIDE(gpu_of(dev), call, opi_gpu_merge_run(of(dev), call, runs));
}

static const opi_transfers transfers = {.bytes = transfer_bytes,
                                        .stage = stage,
                                        .begin = begin,
                                        .mark = mark,
                                        .reached = reached,
                                        .settle = settle,
                                        .shares_addresses = shares_addresses,
                                        .offer = offer,
                                        .accept = accept,
                                        .decline = decline,
                                        .pull = pull,
                                        .sort_to = sort_to,
                                        .merge_can = opi_gpu_merge_can,
                                        .merge_prepare = merge_prepare,
                                        .merge = merge};

/* --- opening and closing ------------------------------------------------------------------------------------------ */

static void close_gpu(oplus_device *dev)
{
    opi_accelerator *const g = of(dev);
    give_back(dev, "oplus_close", true);
    g->gpu->driver->close(g->gpu);
    opi_cores_close(dev->cores);
    free(g);
}

/* Reads OPLUS_DEVICE_MEMORY: how many bytes of a device the library may use for pieces of the host's arrays.  *whole
 * becomes that number, or 0. */
static oplus_status piece_bytes(const char *call, size_t *bytes, size_t *whole)
{
    const char *const given = getenv("OPLUS_DEVICE_MEMORY");
    *bytes = PIECE_BYTES;
    *whole = 0;
    if (!given || !*given) return OPLUS_OK;
    char *end;
    errno = 0;
    unsigned long long limit = strtoull(given, &end, 10);
    const char *const unit = *end ? strchr("KMG", *end) : NULL;
    const unsigned shift = !unit ? 0 : *unit == 'K' ? 10 : *unit == 'M' ? 20 : 30;
    if (errno || *given < '0' || *given > '9' || (*end && (!unit || end[1])) || limit > ULLONG_MAX >> shift)
        return opi_fail(OPLUS_ERR_ARGUMENT,
                        "%s: the environment variable OPLUS_DEVICE_MEMORY is \"%s\"; give bytes, or a number and K, M "
                        "or G, as in 512M",
                        call, given);
    limit <<= shift;
    *whole = limit < LEAST_PIECE_BYTES ? LEAST_PIECE_BYTES : (size_t)limit;
    limit /= OPI_SLOTS;
    if (limit < *bytes) *bytes = limit < LEAST_PIECE_BYTES ? LEAST_PIECE_BYTES : (size_t)limit;
    return OPLUS_OK;
}

/* Whether `where` names a device of the driver. */
static bool is_of(const opi_driver *driver, const char *where)
{
    const size_t length = strlen(driver->name);
    return strncmp(where, driver->name, length) == 0 && (where[length] == '\0' || where[length] == ':');
}

static oplus_status open_driver(const char *call, const opi_driver *driver, const char *where, void *queue,
                                opi_accelerator *g)
{
    OPI_TRY(opi_cores_open(call, opi_cores_count(), &g->dev.cores));
    const oplus_status status = driver->open(call, where + strlen(driver->name), queue, &g->gpu);
    if (status != OPLUS_OK) opi_cores_close(g->dev.cores);
    return status;
}

oplus_status opi_gpu_open(const char *call, const char *where, void *queue, oplus_device **dev, bool *known)
{
    size_t i = 0, bytes, whole;
    while (opi_drivers[i] && !is_of(opi_drivers[i], where)) i++;
    *known = opi_drivers[i] != NULL;
    if (!*known) return OPLUS_OK;
    OPI_TRY(piece_bytes(call, &bytes, &whole));
    opi_accelerator *const g = calloc(1, sizeof *g);
    if (!g) return opi_fail(OPLUS_ERR_MEMORY, "%s: no memory for a device (%zu bytes)", call, sizeof *g);
    const oplus_status status = open_driver(call, opi_drivers[i], where, queue, g);
    if (status != OPLUS_OK) {
        free(g);
        return status;
    }
    g->dev.machine = &opi_gpu_machine;
    snprintf(g->dev.name, sizeof g->dev.name, "%s %s", g->gpu->facts.where, g->gpu->facts.name);
    g->programs.gpu = g->gpu;
    g->piece_bytes = bytes;
    g->memory_bytes = whole ? whole : g->gpu->facts.memory / 2;
    opi_ways_read(&g->wanted);
    *dev = &g->dev;
    return OPLUS_OK;
}

opi_gpu *opi_gpu_driver_of(oplus_device *dev) { return dev->machine == &opi_gpu_machine ? of(dev)->gpu : NULL; }

const opi_machine opi_gpu_machine = {.run = run,
                                     .summarise = summarise,
                                     .apply = apply,
                                     .takes = takes,
                                     .explain = explain,
                                     .alloc = alloc,
                                     .free = release,
                                     .lend = lend,
                                     .room = room,
                                     .wrap = wrap,
                                     .copy = copy,
                                     .look = look,
                                     .count_block = count_block,
                                     .pinned_alloc = pinned_alloc,
                                     .pinned_free = pinned_free,
                                     .transfers = &transfers,
                                     .sync = sync,
                                     .trim = trim,
                                     .close = close_gpu};
