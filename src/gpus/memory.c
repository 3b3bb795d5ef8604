#include "gpus/memory.h"

#include "base/error.h"
#include "base/memory.h"
#include "gpus/order.h"

#include <assert.h>
#include <stdlib.h>

/* Mapping a page takes some 150 us whatever its size is: the more there are, the larger they are. */
static const size_t large_range = (size_t)16 << 30, huge_range = (size_t)64 << 30;
enum {
    LARGE = 4,     /* times the smallest page, of a large range, */
    HUGE = 16,     /* ... and of a huge one */
    CLASSES = 16,  /* sizes of ranges from one power of 2 to the next, so that one that is free serves again */
    POOL_SHARE = 4 /* up to this part of all memory stays in the pool */
};

/* --- ranges ------------------------------------------------------------------------------------------------------- */

static void gpus_of(const opi_gpus *g, opi_gpu *gpus[OPI_MOST_WORKERS])
{
    for (unsigned w = 0; w < OPI_MOST_WORKERS; w++) gpus[w] = NULL;
    for (unsigned w = 0; w < g->count; w++) gpus[w] = opi_gpu_driver_of(g->worker[w]);
}

static size_t page_for(const opi_gpus *g, size_t bytes)
{
    return g->page * (bytes > huge_range ? HUGE : bytes > large_range ? LARGE : 1);
}

/* The bytes of a range that has room for so many. */
static size_t class_of(const opi_gpus *g, size_t bytes)
{
    const size_t page = page_for(g, bytes);
    size_t step = page;
    if (bytes <= large_range)
        while (step * 2 * CLASSES <= bytes) step *= 2;
    return opi_round_up(bytes, step);
}

static void give_back(opi_gpus *g, opi_dealt_range *range)
{
    opi_gpu *gpus[OPI_MOST_WORKERS];
    gpus_of(g, gpus);
    if (opi_enter(gpus[0], "oplus_free") == OPLUS_OK) {
        gpus[0]->driver->gather(gpus, g->count, range->mem, range->bytes);
        opi_leave(gpus[0], "oplus_free", OPLUS_OK);
    }
    free(range);
}

bool opi_gpus_drain(opi_gpus *g)
{
    const bool any = g->pool != NULL;
    while (g->pool) {
        opi_dealt_range *const range = g->pool;
        g->pool = range->next;
        give_back(g, range);
    }
    g->pooled = 0;
    return any;
}

static opi_dealt_range *from_pool(opi_gpus *g, size_t bytes)
{
    for (opi_dealt_range **at = &g->pool; *at; at = &(*at)->next) {
        opi_dealt_range *const range = *at;
        if (range->bytes != bytes) continue;
        *at = range->next;
        g->pooled -= bytes;
        return range;
    }
    return NULL;
}

static oplus_status deal(opi_gpus *g, const char *call, opi_dealt_range *range)
{
    opi_gpu *gpus[OPI_MOST_WORKERS];
    void *mem;
    gpus_of(g, gpus);
    OPI_TRY(opi_enter(gpus[0], call));
    OPI_TRY(opi_leave(gpus[0], call, gpus[0]->driver->deal(gpus, g->count, call, range->page, range->bytes, &mem)));
    range->mem = mem;
    return OPLUS_OK;
}

static oplus_status new_range(opi_gpus *g, const char *call, size_t bytes, opi_dealt_range **made)
{
    opi_dealt_range *const range = calloc(1, sizeof *range);
    if (!range) return opi_fail(OPLUS_ERR_MEMORY, "%s: no memory to know a range by; free some", call);
    range->page = page_for(g, bytes);
    range->bytes = bytes;
    oplus_status status = deal(g, call, range);
    if (status == OPLUS_ERR_MEMORY && opi_gpus_drain(g)) status = deal(g, call, range);
    if (status == OPLUS_OK)
        *made = range;
    else
        free(range);
    return status;
}

/* --- alloc, wrap, free -------------------------------------------------------------------------------------------- */

static oplus_status make_room(opi_gpus *g, const char *call)
{
    if (opi_spans_reserve(&g->spans)) return OPLUS_OK;
    return opi_fail(OPLUS_ERR_MEMORY, "%s: no memory to know %zu allocations by; free some", call, g->spans.count + 1);
}

static void know(opi_gpus *g, void *mem, size_t bytes, size_t reach, void *object)
{
    opi_spans_add(&g->spans, (opi_span){mem, bytes, reach, OPI_SIDE_DEVICE, false, object});
}

/* A range is known by its own address, so that it cannot be taken for a worker. */
static opi_dealt_range *range_of(const opi_gpus *g, const opi_span *span)
{
    for (unsigned w = 0; w < g->count; w++)
        if (span->object == g->worker[w]) return NULL;
    return span->object;
}

oplus_status opi_gpus_alloc(opi_gpus *g, const char *call, size_t bytes, void **mem)
{
    OPI_TRY(make_room(g, call));
    if (g->page == 0 || bytes < g->count * g->page) {
        oplus_status status = g->worker[0]->machine->alloc(g->worker[0], call, bytes, mem);
        if (status == OPLUS_ERR_MEMORY && opi_gpus_drain(g))
            status = g->worker[0]->machine->alloc(g->worker[0], call, bytes, mem);
        OPI_TRY(status);
        know(g, *mem, bytes, bytes, g->worker[0]);
        return OPLUS_OK;
    }
    if (bytes > g->memory)
        return opi_fail(OPLUS_ERR_MEMORY, "%s: %zu bytes are more than %s have together (%llu); ask for less", call,
                        bytes, g->dev.name, (unsigned long long)g->memory);
    const size_t whole = class_of(g, bytes);
    opi_dealt_range *range = from_pool(g, whole);
    if (!range) OPI_TRY(new_range(g, call, whole, &range));
    assert(range);
    know(g, range->mem, bytes, whole, range);
    *mem = range->mem;
    return OPLUS_OK;
}

oplus_status opi_gpus_wrap(opi_gpus *g, const char *call, void *native, size_t bytes, void **mem)
{
    opi_gpus_place place;
    OPI_TRY(make_room(g, call));
    OPI_TRY(opi_gpus_look(g, call, "native", native, bytes, &place));
    oplus_device *const worker = g->worker[place.side == OPI_LIES_ON_ONE ? place.worker : 0];
    OPI_TRY(worker->machine->wrap(worker, call, native, bytes, mem));
    know(g, *mem, bytes, bytes, worker);
    return OPLUS_OK;
}

/* Nothing uses the memory any more when it is given to somebody else. */
void opi_gpus_free(opi_gpus *g, void *mem)
{
    opi_span span;
    if (!mem) return;
    opi_gpus_wait(g, "oplus_free");
    const bool known = opi_spans_remove(&g->spans, mem, &span);
    opi_dealt_range *const range = known ? range_of(g, &span) : NULL;
    if (!range) {
        oplus_device *const worker = known ? span.object : g->worker[0];
        assert(worker);
        worker->machine->free(worker, mem);
        return;
    }
    if (g->pooled + range->bytes > g->memory / POOL_SHARE) {
        give_back(g, range);
        return;
    }
    range->next = g->pool;
    g->pool = range;
    g->pooled += range->bytes;
}

/* --- scratch ------------------------------------------------------------------------------------------------------ */

static void drop_scratch(opi_gpus *g, unsigned w)
{
    if (g->scratch[w].mem) g->worker[w]->machine->free(g->worker[w], g->scratch[w].mem);
    g->scratch[w] = (opi_gpus_scratch){NULL, 0};
}

oplus_status opi_gpus_reserve(opi_gpus *g, const char *call, unsigned w, size_t bytes)
{
    opi_gpus_scratch *const scratch = &g->scratch[w];
    if (bytes <= scratch->bytes) return OPLUS_OK;
    drop_scratch(g, w);
    OPI_TRY(g->worker[w]->machine->alloc(g->worker[w], call, bytes, &scratch->mem));
    scratch->bytes = bytes;
    return OPLUS_OK;
}

void opi_gpus_release(opi_gpus *g)
{
    for (unsigned w = 0; w < g->count; w++) drop_scratch(g, w);
}

/* --- where memory lies -------------------------------------------------------------------------------------------- */

/* Memory that was not allocated here: the driver is asked whose it is. */
static oplus_status ask(opi_gpus *g, const char *call, const char *argument, const void *p, size_t bytes,
                        opi_gpus_place *place)
{
    opi_gpu *gpus[OPI_MOST_WORKERS];
    oplus_device *home;
    unsigned which;
    gpus_of(g, gpus);
    if (!gpus[0]) return OPLUS_OK;
    OPI_TRY(opi_enter(gpus[0], call));
    OPI_TRY(opi_leave(gpus[0], call, gpus[0]->driver->home(gpus, g->count, call, p, &which)));
    oplus_device *const worker = g->worker[which < g->count ? which : 0];
    OPI_TRY(worker->machine->look(worker, call, argument, p, bytes, &home)); /* it refuses what ends too early */
    if (!home) return OPLUS_OK;
    place->side = OPI_LIES_ON_ONE;
    place->worker = which < g->count ? which : 0; /* managed memory belongs to all */
    return OPLUS_OK;
}

oplus_status opi_gpus_look(opi_gpus *g, const char *call, const char *argument, const void *p, size_t bytes,
                           opi_gpus_place *place)
{
    *place = (opi_gpus_place){.side = OPI_LIES_ON_HOST};
    if (!p || bytes == 0) return OPLUS_OK;
    const opi_span *const span = opi_spans_find(&g->spans, p);
    if (!span) return ask(g, call, argument, p, bytes, place);
    if (!opi_span_holds(span, p, bytes)) {
        const size_t before = (size_t)((const char *)p - span->address);
        return opi_fail(OPLUS_ERR_ARGUMENT,
                        "%s: %s is %p and %zu bytes long, and its memory on %s ends after %zu bytes; say fewer, or "
                        "allocate more",
                        call, argument, p, bytes, g->dev.name, before < span->bytes ? span->bytes - before : 0);
    }
    place->range = range_of(g, span);
    place->side = place->range ? OPI_LIES_DEALT : OPI_LIES_ON_ONE;
    for (unsigned w = 0; w < g->count; w++)
        if (span->object == g->worker[w]) place->worker = w;
    return OPLUS_OK;
}
