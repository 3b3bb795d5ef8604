#include "gpu/memory.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

/* --- buffers ------------------------------------------------------------------------------------------------------ */

bool opi_gpu_see_recording(opi_accelerator *g)
{
    const opi_driver *const driver = g->gpu->driver;
    const bool now = driver->recording && driver->recording(g->gpu);
    g->recorded |= now;
    return now;
}

void opi_gpu_retire(opi_accelerator *g, void *mem)
{
    opi_retired *const retired = &g->retired;
    void **const more = realloc(retired->mem, (retired->count + 1) * sizeof *more);
    if (!more) return; /* it is never freed then: what has been recorded must not lose it */
    retired->mem = more;
    retired->mem[retired->count++] = mem;
}

static void free_retired(opi_accelerator *g)
{
    for (size_t i = 0; i < g->retired.count; i++) g->gpu->driver->free(g->gpu, g->retired.mem[i]);
    free(g->retired.mem);
    g->retired = (opi_retired){NULL, 0};
    g->recorded = false;
}

void opi_gpu_release(opi_accelerator *g, opi_gpu_buffer *buffer)
{
    if (buffer->mem && g->recorded)
        opi_gpu_retire(g, buffer->mem);
    else if (buffer->mem)
        g->gpu->driver->free(g->gpu, buffer->mem);
    buffer->mem = NULL;
    buffer->bytes = 0;
}

/* While launches are recorded, the driver refuses this; it does so before the old memory of a buffer is given up. */
static oplus_status may_grow(opi_accelerator *g, const char *call)
{
    void *mem;
    if (!opi_gpu_see_recording(g)) return OPLUS_OK;
    OPI_TRY(g->gpu->driver->alloc(g->gpu, call, 1, &mem));
    g->gpu->driver->free(g->gpu, mem);
    return OPLUS_OK;
}

oplus_status opi_gpu_reserve(opi_accelerator *g, const char *call, opi_gpu_buffer *buffer, size_t bytes)
{
    if (buffer->mem && bytes <= buffer->bytes) return OPLUS_OK;
    OPI_TRY(may_grow(g, call));
    opi_gpu_release(g, buffer); /* first: there may be no room for both */
    OPI_TRY(g->gpu->driver->alloc(g->gpu, call, bytes, &buffer->mem));
    buffer->bytes = bytes;
    return OPLUS_OK;
}

void opi_pinned_release(opi_accelerator *g, opi_gpu_buffer *buffer)
{
    if (buffer->mem) g->gpu->driver->pinned_free(g->gpu, buffer->mem);
    buffer->mem = NULL;
    buffer->bytes = 0;
}

oplus_status opi_pinned_reserve(opi_accelerator *g, const char *call, opi_gpu_buffer *buffer, size_t bytes)
{
    if (buffer->mem && bytes <= buffer->bytes) return OPLUS_OK;
    OPI_TRY(may_grow(g, call));
    opi_pinned_release(g, buffer);
    OPI_TRY(g->gpu->driver->pinned_alloc(g->gpu, call, bytes, &buffer->mem));
    buffer->bytes = bytes;
    return OPLUS_OK;
}

void opi_gpu_release_all(opi_accelerator *g)
{
    free_retired(g);
    opi_gpu_buffer *const all[] = {&g->range, &g->nodes, &g->value, &g->param, &g->work,   &g->binned,
                                   &g->lent,  &g->top,   &g->ended, &g->told,  &g->arrived};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) opi_gpu_release(g, all[i]);
    g->ended_is_0 = g->arrived_is_0 = g->told_is_clear = false;
    for (int i = 0; i < OPI_WHOLES; i++) opi_gpu_release(g, &g->array[i]);
    for (int i = 0; i < OPI_SLOTS; i++) {
        opi_gpu_release(g, &g->slot[i].device);
        opi_pinned_release(g, &g->slot[i].pinned);
    }
    opi_gpu_release(g, &g->pipeline.own.buffer);
    opi_gpu_release(g, &g->pipeline.dealt.buffer);
    opi_gpu_release(g, &g->pipeline.runs);
    opi_pinned_release(g, &g->staging);
    opi_buffer_release(&g->image);
    free(g->param_copy);
    g->param_copy = NULL;
    g->param_bytes = 0;
    g->ticket = 0;
}

void opi_gpu_release_words(opi_accelerator *g)
{
    opi_pinned_release(g, &g->pipeline.fault);
    opi_pinned_release(g, &g->wrong_offset);
    opi_pinned_release(g, &g->wrong_index);
}

oplus_status opi_gpu_side_of(opi_accelerator *g, const char *call, const char *argument, const void *p, size_t bytes,
                             opi_gpu_side *side)
{
    *side = OPI_SIDE_HOST;
    return p && bytes ? g->gpu->driver->side(g->gpu, call, argument, p, bytes, side) : OPLUS_OK;
}

/* --- enqueued ----------------------------------------------------------------------------------------------------- */

oplus_status opi_gpu_upload(opi_accelerator *g, const char *call, opi_gpu_queue queue, void *to, const void *from,
                            size_t bytes)
{
    g->enqueued++;
    if (!g->rehearsal) return g->gpu->driver->upload(g->gpu, call, queue, to, from, bytes);
    g->rehearsal->up += bytes;
    return OPLUS_OK;
}

oplus_status opi_gpu_download(opi_accelerator *g, const char *call, opi_gpu_queue queue, void *to, const void *from,
                              size_t bytes)
{
    g->enqueued++;
    if (!g->rehearsal) return g->gpu->driver->download(g->gpu, call, queue, to, from, bytes);
    g->rehearsal->down += bytes;
    return OPLUS_OK;
}

oplus_status opi_gpu_move(opi_accelerator *g, const char *call, void *to, const void *from, size_t bytes)
{
    if (g->rehearsal) return OPLUS_OK;
    g->enqueued++;
    return g->gpu->driver->copy(g->gpu, call, OPI_QUEUE_COMPUTE, to, from, bytes);
}

oplus_status opi_gpu_follow(opi_accelerator *g, const char *call, opi_gpu_queue earlier, opi_gpu_queue later)
{
    opi_gpu *const gpu = g->gpu;
    void *mark;
    if (g->rehearsal) return OPLUS_OK;
    OPI_TRY(gpu->driver->mark(gpu, call, earlier, &mark));
    const oplus_status status = gpu->driver->after(gpu, call, later, mark);
    gpu->driver->drop(gpu, mark);
    return status;
}

oplus_status opi_gpu_mark(opi_accelerator *g, const char *call, opi_gpu_queue queue, void **mark)
{
    return g->rehearsal ? OPLUS_OK : g->gpu->driver->mark(g->gpu, call, queue, mark);
}

/* A call that did not wait may have found wrong offsets. */
static oplus_status offsets_fault(opi_accelerator *g, const char *call)
{
    volatile uint64_t *const wrong = g->wrong_offset.mem;
    if (!wrong || !*wrong) return OPLUS_OK;
    const unsigned long long s = *wrong - 1;
    *wrong = 0;
    return opi_fail(
        OPLUS_ERR_ARGUMENT,
        "%s: an earlier oplus_segreduce, which did not wait, found wrong offsets: offsets[%llu] or the next one "
        "is smaller than the one before it, or larger than n, or its segment is empty and the operator has "
        "no identity; some of its results were not written",
        call, s);
}

/* A call that did not wait may have found an index out of range. */
static oplus_status index_fault(opi_accelerator *g, const char *call)
{
    volatile opi_wrong_index *const wrong = g->wrong_index.mem;
    if (!wrong || !wrong->place) return OPLUS_OK;
    const unsigned long long k = wrong->place - 1, value = wrong->value;
    wrong->place = 0;
    return opi_fail(OPLUS_ERR_ARGUMENT,
                    "%s: an earlier call by index, which did not wait, found that indices[%llu] is out of range; it is "
                    "%llu (as an integer without sign), and was left out; give other indices, or OPLUS_CLIP, or "
                    "OPLUS_IGNORE where the call takes it",
                    call, k, value);
}

oplus_status opi_gpu_fault(opi_accelerator *g, const char *call)
{
    OPI_TRY(opi_pipeline_fault(g, call));
    OPI_TRY(offsets_fault(g, call));
    return index_fault(g, call);
}

oplus_status opi_gpu_reached(opi_accelerator *g, const char *call, void **mark)
{
    if (!*mark) return OPLUS_OK;
    const oplus_status status = g->gpu->driver->reached(g->gpu, call, *mark);
    g->gpu->driver->drop(g->gpu, *mark);
    *mark = NULL;
    return status == OPLUS_OK ? opi_gpu_fault(g, call) : status;
}

oplus_status opi_gpu_sync(opi_accelerator *g, const char *call, opi_gpu_queue queue)
{
    if (g->rehearsal) return OPLUS_OK;
    OPI_TRY(g->gpu->driver->sync(g->gpu, call, queue));
    return opi_gpu_fault(g, call);
}

oplus_status opi_gpu_settle(opi_accelerator *g, const char *call, oplus_status status)
{
    char words[OPI_FAILURE_BYTES];
    if (status == OPLUS_OK) return opi_gpu_sync(g, call, OPI_QUEUE_COMPUTE);
    snprintf(words, sizeof words, "%s", opi_last_error());
    for (int q = 0; q < OPI_QUEUES && !g->rehearsal; q++) g->gpu->driver->sync(g->gpu, call, (opi_gpu_queue)q);
    return opi_fail(status, "%s", words);
}

oplus_status opi_fault_reserve(opi_accelerator *g, const char *call)
{
    opi_gpu_buffer *const fault = &g->pipeline.fault;
    if (fault->mem) return OPLUS_OK;
    OPI_TRY(opi_pinned_reserve(g, call, fault, sizeof(uint32_t)));
    *(uint32_t *)fault->mem = 0;
    return OPLUS_OK;
}

oplus_status opi_pipeline_fault(opi_accelerator *g, const char *call)
{
    volatile uint32_t *const fault = g->pipeline.fault.mem;
    if (!fault || !*fault) return OPLUS_OK;
    *fault = 0;
    return opi_fail(OPLUS_ERR_INTERNAL,
                    "%s: work-groups on %s waited too long for each other and gave up, so that results are wrong; set "
                    "OPLUS_WAY=one,tiles,passes to compute without waiting, and report this",
                    call, g->gpu->facts.where);
}

/* --- done on return ----------------------------------------------------------------------------------------------- */

oplus_status opi_gpu_fetch(opi_accelerator *g, const char *call, void *to, const void *from, size_t bytes)
{
    opi_gpu_side side;
    if (bytes == 0) return OPLUS_OK;
    OPI_TRY(opi_gpu_side_of(g, call, "out", to, bytes, &side));
    if (side == OPI_SIDE_DEVICE) return opi_gpu_move(g, call, to, from, bytes);
    OPI_TRY(opi_gpu_download(g, call, OPI_QUEUE_COMPUTE, to, from, bytes));
    return opi_gpu_sync(g, call, OPI_QUEUE_COMPUTE);
}

oplus_status opi_gpu_put(opi_accelerator *g, const char *call, void *to, const void *from, size_t bytes)
{
    opi_gpu_side side;
    if (bytes == 0) return OPLUS_OK;
    OPI_TRY(opi_gpu_side_of(g, call, "out", to, bytes, &side));
    if (side != OPI_SIDE_DEVICE) {
        if (!g->rehearsal) memcpy(to, from, bytes);
        return OPLUS_OK;
    }
    OPI_TRY(opi_gpu_upload(g, call, OPI_QUEUE_COMPUTE, to, from, bytes));
    return opi_gpu_sync(g, call, OPI_QUEUE_COMPUTE);
}
