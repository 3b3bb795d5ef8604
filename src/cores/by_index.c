#include "cores/by_index.h"

#include "cores/bins.h"
#include "cores/by_index_ways.h"
#include "task/explain.h"

#include <string.h>

/* --- the ways ----------------------------------------------------------------------------------------------------- */

static const opi_by_index_way ways[] = {
    {"tables", opi_by_index_tables_suits, opi_by_index_tables, opi_by_index_tables_explain,
     "each element is joined to its bin's result: an operator whose order of joins does not matter"},
    {"blocks", opi_by_index_blocks_suits, opi_by_index_blocks, opi_by_index_blocks_explain,
     "each bin collects a block of its elements, then joins them: few bins, many elements"},
    {"deal", opi_by_index_deal_suits, opi_by_index_deal, opi_by_index_deal_explain,
     "elements are copied bin by bin, then each bin is reduced as a segment"},
};
enum { WAYS = sizeof ways / sizeof *ways };

static const opi_by_index_way *way_of(opi_cores *cores, const opi_task *task)
{
    for (int i = 0; i < WAYS && cores->wanted.count > 0; i++)
        if (opi_way_is_wanted(&cores->wanted, ways[i].name) && ways[i].suits(cores, task)) return &ways[i];
    const opi_by_index_way *way = ways;
    while (!way->suits(cores, task)) way++; /* the last suits all */
    return way;
}

oplus_status opi_by_index_run(opi_cores *cores, const char *call, const opi_task *task)
{
    return way_of(cores, task)->run(cores, call, task);
}

void opi_by_index_explain(opi_cores *cores, const opi_task *task, opi_saying *to)
{
    const opi_by_index_way *const way = way_of(cores, task);
    opi_say(to, "way: %s\n", way->name);
    for (int i = 0; i < WAYS; i++)
        if (ways[i].suits(cores, task)) opi_say_way(to, &ways[i] == way, ways[i].name, ways[i].words);
    if (opi_way_is_wanted(&cores->wanted, way->name)) opi_say(to, "why: OPLUS_WAY asks for it\n");
    way->explain(cores, task, to);
}

void opi_binned_explain(const opi_binned *b, size_t scratch, opi_saying *to)
{
    opi_say(to, "parts: %zu\nscratch: ", b->parts);
    opi_say_bytes(to, (double)scratch);
    opi_say(to, "\n");
}

/* --- how many elements of each part are in each bin --------------------------------------------------------------- */

void opi_binned_make(opi_binned *b, opi_cores *cores, const opi_task *task, size_t per_bin)
{
    const size_t n = task->n, size = task->array[OPI_BINNED].size;
    opi_sweep_clear(&b->sweep);
    b->isa = cores->isa;
    b->bins = &task->bins;
    b->indices = task->array[OPI_INDICES].mem;
    b->in = task->array[OPI_BINNED].mem;
    b->n = n;
    b->size = size;
    b->sweep.bytes = 2 * n * (size + task->bins.type->size);
    const size_t workers = opi_cores_threads(cores, b->sweep.bytes);
    b->parts = opi_larger(1, opi_smaller(workers, n / per_bin / (size_t)task->bins.n));
    b->part = (n + b->parts - 1) / b->parts;
    b->sweep.n = b->parts;
    b->sweep.block = 1;
    b->next = NULL;
}

static void count_words(const opi_binned *b, size_t i, size_t n, uint64_t *counts)
{
    bool beyond = false;
    uint32_t room[OPI_BINS_PIECE];
    const uint32_t *const bin = opi_bins_find_words(b->isa, b->bins, opi_binned_index(b, i), n, room, &beyond);
    for (size_t k = 0; k < n; k++) counts[bin[k]]++;
}

static void count_many(const opi_binned *b, size_t i, size_t n, uint64_t *counts)
{
    uint64_t bin[OPI_BINS_PIECE];
    opi_bins_find(b->bins, NULL, opi_binned_index(b, i), n, bin);
    for (size_t k = 0; k < n; k++) counts[bin[k]]++;
}

static void count_part(const opi_binned *b, size_t p)
{
    uint64_t *const counts = opi_binned_next(b, p);
    memset(counts, 0, opi_binned_slots(b) * sizeof *counts);
    for (size_t i = p * b->part, n; i < opi_binned_end(b, p); i += n) {
        n = opi_smaller(OPI_BINS_PIECE, opi_binned_end(b, p) - i);
        (b->bins->n < UINT32_MAX ? count_words : count_many)(b, i, n, counts);
    }
}

static void count_parts(const opi_sweep *sweep, size_t begin, size_t end, void *carry, const void *total,
                        bool aggregated, void *scratch)
{
    (void)carry, (void)total, (void)aggregated, (void)scratch;
    for (size_t p = begin; p < end; p++) count_part((const opi_binned *)sweep, p);
}

oplus_status opi_binned_count(opi_cores *cores, const char *call, opi_binned *b)
{
    b->sweep.apply = count_parts;
    return opi_cores_sweep(cores, call, &b->sweep, NULL);
}
