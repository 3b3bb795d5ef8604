#include "cores/by_index_ways.h"

#include "base/error.h"
#include "cores/bins.h"
#include "cores/segments.h"
#include "task/make.h"

#include <string.h>

enum { PER_BIN = 4 /* elements of a part for each bin, at least: else the counts are most of the work */ };

typedef struct dealing {
    opi_binned binned; /* next: where the next element goes */
    uint64_t *offsets; /* where each bin begins, and where the last one ends */
    char *dealt;       /* the elements, bin by bin */
} dealing;

static size_t slots(const dealing *d) { return opi_binned_slots(&d->binned); }

/* --- where they go --------------------------------------------------------------------------------------------- */

/* Elements that are in no bin go behind all others. */
static void find_places(const dealing *d)
{
    uint64_t at = 0;
    for (size_t b = 0; b < slots(d); b++) {
        d->offsets[b] = at;
        for (size_t p = 0; p < d->binned.parts; p++) {
            uint64_t *const next = &opi_binned_next(&d->binned, p)[b], count = *next;
            *next = at;
            at += count;
        }
    }
}

/* --- they are copied ------------------------------------------------------------------------------------------- */

/* `size` is a constant where this is called. */
OPLUS_INLINE_ void deal_words(const dealing *d, size_t size, const char *in, const uint32_t *bin, size_t n,
                              uint64_t *next)
{
    for (size_t k = 0; k < n; k++) memcpy(d->dealt + next[bin[k]]++ * size, in + k * size, size);
}

static void deal_many(const dealing *d, const char *in, const uint64_t *bin, size_t n, uint64_t *next)
{
    const size_t size = d->binned.size;
    for (size_t k = 0; k < n; k++) memcpy(d->dealt + next[bin[k]]++ * size, in + k * size, size);
}

/* Deals out n elements from number i on, which are a piece. */
static void deal_piece(const dealing *d, size_t i, size_t n, uint64_t *next)
{
    const opi_binned *const b = &d->binned;
    const char *const in = b->in + i * b->size;
    bool beyond = false; /* seen before */
    uint32_t room[OPI_BINS_PIECE];
    if (b->bins->n >= UINT32_MAX) {
        uint64_t bin[OPI_BINS_PIECE];
        opi_bins_find(b->bins, NULL, opi_binned_index(b, i), n, bin);
        deal_many(d, in, bin, n, next);
        return;
    }
    const uint32_t *const bin = opi_bins_find_words(b->isa, b->bins, opi_binned_index(b, i), n, room, &beyond);
    if (b->size == 4)
        deal_words(d, 4, in, bin, n, next);
    else if (b->size == 8)
        deal_words(d, 8, in, bin, n, next);
    else
        deal_words(d, b->size, in, bin, n, next);
}

static void deal_parts(const opi_sweep *sweep, size_t begin, size_t end, void *carry, const void *total,
                       bool aggregated, void *scratch)
{
    const dealing *const d = (const dealing *)sweep;
    const opi_binned *const b = &d->binned;
    (void)carry, (void)total, (void)aggregated, (void)scratch;
    for (size_t p = begin; p < end; p++)
        for (size_t i = p * b->part, n; i < opi_binned_end(b, p); i += n) {
            n = opi_smaller(OPI_BINS_PIECE, opi_binned_end(b, p) - i);
            deal_piece(d, i, n, opi_binned_next(b, p));
        }
}

/* --- all of it ---------------------------------------------------------------------------------------------------- */

static void make_plan(dealing *d, opi_cores *cores, const opi_task *task)
{
    opi_binned_make(&d->binned, cores, task, PER_BIN);
}

static size_t scratch_bytes(const dealing *d)
{
    const size_t words = (d->binned.parts + 1) * slots(d) * sizeof(uint64_t);
    return opi_round_up(words, OPI_CACHE_LINE) + d->binned.n * d->binned.size;
}

static oplus_status reserve(opi_cores *cores, const char *call, dealing *d)
{
    const size_t bytes = scratch_bytes(d);
    if (!opi_buffer_reserve(&cores->array, bytes))
        return opi_fail(OPLUS_ERR_MEMORY, "%s: no memory for %zu bytes of scratch; free some, or reduce fewer elements",
                        call, bytes);
    d->offsets = cores->array.mem;
    d->binned.next = d->offsets + slots(d);
    d->dealt = (char *)cores->array.mem + bytes - d->binned.n * d->binned.size;
    return OPLUS_OK;
}

/* The bins as segments of the elements that have been dealt out. */
static oplus_status reduce_bins(opi_cores *cores, const char *call, const opi_task *task, const dealing *d)
{
    opi_task segments;
    const size_t n = d->binned.n;
    const opi_offsets offsets = {d->offsets, (size_t)task->bins.n, sizeof *d->offsets, n};
    opi_task_segreduce(&segments, task->op, d->dealt, n, &oplus_u64, &offsets, (void *)task->array[OPI_BINNED_OUT].mem);
    return opi_segreduce_run(cores, call, &segments);
}

oplus_status opi_by_index_deal(opi_cores *cores, const char *call, const opi_task *task)
{
    dealing d;
    const opi_bins *const bins = &task->bins;
    make_plan(&d, cores, task);
    OPI_TRY(reserve(cores, call, &d));
    OPI_TRY(opi_binned_count(cores, call, &d.binned));
    find_places(&d);
    if (bins->bounds == OPLUS_REFUSE && d.offsets[bins->n] < task->n)
        return opi_bins_refuse(call, bins, d.binned.indices, task->n);
    d.binned.sweep.apply = deal_parts;
    OPI_TRY(opi_cores_sweep(cores, call, &d.binned.sweep, NULL));
    return reduce_bins(cores, call, task, &d);
}

bool opi_by_index_deal_suits(opi_cores *cores, const opi_task *task)
{
    (void)cores, (void)task;
    return true;
}

void opi_by_index_deal_explain(opi_cores *cores, const opi_task *task, opi_saying *to)
{
    dealing d;
    make_plan(&d, cores, task);
    opi_binned_explain(&d.binned, scratch_bytes(&d), to);
}
