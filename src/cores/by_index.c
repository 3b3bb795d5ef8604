#include "cores/by_index.h"

#include "base/error.h"
#include "base/memory.h"
#include "cores/bins.h"
#include "cores/segments.h"
#include "cores/ways.h"
#include "task/explain.h"
#include "task/make.h"

#include <string.h>

enum { PER_BIN = 4 /* elements of a part for each bin, at least: else the counts are most of the work */ };

typedef struct dealing {
    opi_sweep sweep; /* over the parts, then over the bins */
    const opi_bins *bins;
    const char *indices, *in;
    size_t n, size; /* elements; bytes of one */
    size_t parts, part;
    /* For each part a word for each bin, and one for the elements that are in none: how many elements of the part it has, then
     * where the next one goes. */
    uint64_t *next;
    uint64_t *offsets; /* where each bin begins, and where the last one ends */
    char *dealt;       /* the elements, bin by bin */
} dealing;

static size_t slots(const dealing *d) { return (size_t)d->bins->n + 1; }

static const char *index_at(const dealing *d, size_t i) { return d->indices + i * d->bins->type->size; }

static size_t part_end(const dealing *d, size_t p) { return opi_smaller((p + 1) * d->part, d->n); }

/* --- 1. how many elements of each part are in each bin ------------------------------------------------------------ */

static void count_part(const dealing *d, size_t p)
{
    uint64_t bin[OPI_BINS_PIECE], *const counts = d->next + p * slots(d);
    memset(counts, 0, slots(d) * sizeof *counts);
    for (size_t i = p * d->part, n; i < part_end(d, p); i += n) {
        n = opi_smaller(OPI_BINS_PIECE, part_end(d, p) - i);
        opi_bins_find(d->bins, NULL, index_at(d, i), n, bin);
        for (size_t k = 0; k < n; k++) counts[bin[k]]++;
    }
}

static void count_parts(const opi_sweep *sweep, size_t begin, size_t end, void *carry, const void *total,
                        bool aggregated, void *scratch)
{
    (void)carry, (void)total, (void)aggregated, (void)scratch;
    for (size_t p = begin; p < end; p++) count_part((const dealing *)sweep, p);
}

/* --- 2. where they go --------------------------------------------------------------------------------------------- */

/* Elements that are in no bin go behind all others. */
static void find_places(const dealing *d)
{
    uint64_t at = 0;
    for (size_t b = 0; b < slots(d); b++) {
        d->offsets[b] = at;
        for (size_t p = 0; p < d->parts; p++) {
            uint64_t *const next = &d->next[p * slots(d) + b], count = *next;
            *next = at;
            at += count;
        }
    }
}

/* --- 3. they are copied ------------------------------------------------------------------------------------------- */

/* `size` is a constant where this is called. */
OPLUS_INLINE_ void deal_part(const dealing *d, size_t size, size_t p)
{
    uint64_t bin[OPI_BINS_PIECE], *const next = d->next + p * slots(d);
    for (size_t i = p * d->part, n; i < part_end(d, p); i += n) {
        const char *const from = d->in + i * size;
        n = opi_smaller(OPI_BINS_PIECE, part_end(d, p) - i);
        opi_bins_find(d->bins, NULL, index_at(d, i), n, bin);
        for (size_t k = 0; k < n; k++) memcpy(d->dealt + next[bin[k]]++ * size, from + k * size, size);
    }
}

static void deal_parts(const opi_sweep *sweep, size_t begin, size_t end, void *carry, const void *total,
                       bool aggregated, void *scratch)
{
    const dealing *const d = (const dealing *)sweep;
    (void)carry, (void)total, (void)aggregated, (void)scratch;
    for (size_t p = begin; p < end; p++)
        if (d->size == 4)
            deal_part(d, 4, p);
        else if (d->size == 8)
            deal_part(d, 8, p);
        else
            deal_part(d, d->size, p);
}

/* --- all of it ---------------------------------------------------------------------------------------------------- */

static void make_dealing(dealing *d, opi_cores *cores, const opi_task *task)
{
    const size_t n = task->n, size = task->array[OPI_BINNED].size;
    opi_sweep_clear(&d->sweep);
    d->bins = &task->bins;
    d->indices = task->array[OPI_INDICES].mem;
    d->in = task->array[OPI_BINNED].mem;
    d->n = n;
    d->size = size;
    d->sweep.bytes = 2 * n * (size + task->bins.type->size);
    const size_t workers = opi_cores_threads(cores, d->sweep.bytes);
    d->parts = opi_larger(1, opi_smaller(workers, n / PER_BIN / (size_t)task->bins.n));
    d->part = (n + d->parts - 1) / d->parts;
    d->sweep.n = d->parts;
    d->sweep.block = 1;
}

static size_t scratch_bytes(const dealing *d)
{
    const size_t words = (d->parts + 1) * slots(d) * sizeof(uint64_t);
    return opi_round_up(words, OPI_CACHE_LINE) + d->n * d->size;
}

static oplus_status reserve(opi_cores *cores, const char *call, dealing *d)
{
    const size_t bytes = scratch_bytes(d);
    if (!opi_buffer_reserve(&cores->array, bytes))
        return opi_fail(OPLUS_ERR_MEMORY, "%s: no memory for %zu bytes of scratch; free some, or reduce fewer elements",
                        call, bytes);
    d->offsets = cores->array.mem;
    d->next = d->offsets + slots(d);
    d->dealt = (char *)cores->array.mem + bytes - d->n * d->size;
    return OPLUS_OK;
}

/* The bins as segments of the elements that have been dealt out. */
static oplus_status reduce_bins(opi_cores *cores, const char *call, const opi_task *task, const dealing *d)
{
    opi_task segments;
    const opi_offsets offsets = {d->offsets, (size_t)d->bins->n, sizeof *d->offsets, d->n};
    opi_task_segreduce(&segments, task->op, d->dealt, d->n, &oplus_u64, &offsets,
                       (void *)task->array[OPI_BINNED_OUT].mem);
    return opi_segreduce_run(cores, call, &segments);
}

oplus_status opi_by_index_run(opi_cores *cores, const char *call, const opi_task *task)
{
    dealing d;
    make_dealing(&d, cores, task);
    OPI_TRY(reserve(cores, call, &d));
    d.sweep.apply = count_parts;
    OPI_TRY(opi_cores_sweep(cores, call, &d.sweep, NULL));
    find_places(&d);
    if (d.bins->bounds == OPLUS_REFUSE && d.offsets[d.bins->n] < d.n)
        return opi_bins_refuse(call, d.bins, d.indices, d.n);
    d.sweep.apply = deal_parts;
    OPI_TRY(opi_cores_sweep(cores, call, &d.sweep, NULL));
    return reduce_bins(cores, call, task, &d);
}

void opi_by_index_explain(opi_cores *cores, const opi_task *task, opi_saying *to)
{
    dealing d;
    make_dealing(&d, cores, task);
    opi_say(to, "way: deal, in %zu part%s\n", d.parts, d.parts > 1 ? "s" : "");
    opi_say_way(to, true, "deal", "elements are copied bin by bin, then each bin is reduced as a segment");
    opi_say(to, "scratch: ");
    opi_say_bytes(to, (double)scratch_bytes(&d));
    opi_say(to, "\n");
}
