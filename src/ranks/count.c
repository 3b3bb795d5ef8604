/* Counts in bins over ranks: each rank counts its own elements and sends each rank the counts of a block of the bins; that
 * rank adds them up, and all ranks exchange the sums.  So a rank sends and holds few times the counts, whatever the number
 * of ranks. */
#include "ranks/ranks.h"

#include "base/error.h"
#include "base/memory.h"

#include <assert.h>
#include <string.h>

typedef struct counting {
    size_t bins, block;       /* block: bins of a rank; beyond the last bin there are zeros */
    uint64_t *own, *block_of; /* this rank's counts of all bins; the counts of its block, by all ranks */
} counting;

static size_t block_bytes(const counting *c) { return c->block * sizeof *c->own; }

static oplus_status reserve(opi_ranks *ranks, counting *c)
{
    const size_t p = (size_t)ranks->comm->size, bytes = p * block_bytes(c);
    void *own, *block_of;
    OPI_TRY(opi_ranks_lend(ranks, false, bytes, &own));
    OPI_TRY(opi_ranks_lend(ranks, false, bytes, &block_of));
    c->own = own;
    c->block_of = block_of;
    if (own) memset(own, 0, bytes);
    return opi_ranks_room(ranks, block_bytes(c));
}

/* Counts this rank's elements. */
static oplus_status count_own(opi_ranks *ranks, const opi_task *task, counting *c)
{
    const size_t p = (size_t)ranks->comm->size;
    opi_task own = *task;
    c->bins = (size_t)task->bins.n;
    c->block = c->bins / p + (c->bins % p != 0);
    OPI_TRY(reserve(ranks, c));
    if (task->n == 0 || c->bins == 0) return OPLUS_OK;
    own.array[OPI_COUNTS] = (opi_array){c->own, sizeof *c->own, c->bins, OPI_WRITES};
    return opi_run(ranks->dev, ranks->call, &own, NULL);
}

/* Adds up the counts of this rank's block, in place of the first rank's. */
static void add_up(const opi_ranks *ranks, const counting *c)
{
    for (size_t q = 1; q < (size_t)ranks->comm->size; q++)
        for (size_t b = 0; b < c->block; b++) c->block_of[b] += c->block_of[q * c->block + b];
}

/* Writes the sums, which all ranks have exchanged, as the caller's counts. */
static oplus_status give(opi_ranks *ranks, const opi_task *task, const counting *c)
{
    const opi_array *const counts = &task->array[OPI_COUNTS];
    char *const made = (char *)c->own;
    assert(made);
    for (size_t b = 0; b < c->bins; b++) {
        const uint64_t *const sums = opi_ranks_record(ranks, (int)(b / c->block), block_bytes(c));
        const uint64_t count = sums[b % c->block];
        const uint32_t narrow = (uint32_t)count;
        memcpy(made + b * counts->size, counts->size == sizeof narrow ? (const void *)&narrow : &count, counts->size);
    }
    return ranks->dev->machine->copy(ranks->dev, ranks->call, (void *)counts->mem, made, c->bins * counts->size);
}

oplus_status opi_ranks_count(opi_ranks *ranks, oplus_status status, const opi_task *task, uint64_t most)
{
    counting c = {.bins = 0};
    if (opi_ranks_explained(ranks) && (status != OPLUS_OK || task->bins.n == 0)) return status;
    if (opi_ranks_explained(ranks)) return opi_ranks_explain(ranks, status, task);
    if (status == OPLUS_OK) status = count_own(ranks, task, &c);
    OPI_TRY(opi_ranks_index(ranks, status, task->n, 0, 0));
    if (ranks->total > most)
        return opi_fail(
            OPLUS_ERR_ARGUMENT,
            "%s: counter, of %zu bytes, cannot hold the count %llu, which is that of the elements of all ranks; "
            "give &oplus_u64",
            ranks->call, task->array[OPI_COUNTS].size, (unsigned long long)ranks->total);
    if (c.bins == 0) return OPLUS_OK;
    status = opi_ranks_scatter(ranks, c.own, block_bytes(&c), c.block_of);
    if (status == OPLUS_OK) add_up(ranks, &c);
    OPI_TRY(opi_ranks_gather(ranks, status, c.block_of, block_bytes(&c)));
    return opi_ranks_agree_at_end(ranks, give(ranks, task, &c));
}
