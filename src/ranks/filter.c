/* A filter over ranks: each rank filters its own elements.  If the result is to be in equal blocks, the kept elements are
 * then sent to the ranks of their blocks. */
#include "ranks/ranks.h"

#include "base/error.h"
#include "task/make.h"

#include <assert.h>
#include <string.h>

/* The state of a call on this rank. */
typedef struct filterer {
    opi_ranks *ranks;
    const opi_task *task;
    oplus_layout layout;
    size_t size;     /* bytes of an element */
    char *out;       /* the caller's */
    size_t capacity; /* number of elements that out has room for */
    bool device;     /* the input is in the device's memory */
    char *apart;     /* memory for the kept elements, if they cannot be written to out at once */
    uint64_t kept;   /* number of elements kept on this rank; at the end, number of elements that it has */
    opi_blocks blocks;
} filterer;

/* Names everything that must be the same on all ranks, and reserves memory for the records. */
static oplus_status prepare(filterer *f, bool *device)
{
    opi_ranks *const ranks = f->ranks;
    const opi_task *const task = f->task;
    bool out_device;
    f->size = task->array[OPI_IN].size;
    f->out = (char *)opi_task_written(task)->mem;
    OPI_TRY(opi_ranks_look(ranks, "in", task->array[OPI_IN].mem, task->n * f->size, &f->device));
    OPI_TRY(opi_ranks_look(ranks, "out", f->out, f->capacity * f->size, &out_device));
    *device = f->device || out_device;
    opi_ranks_name_fn(ranks, task->fn, f->layout == OPLUS_EVEN ? "even" : "as given");
    return opi_ranks_room(ranks, sizeof f->kept);
}

/* --- where the kept elements are written -------------------------------------------------------------------------- */

/* Whether the elements of each rank fit into that rank's output, on every rank.  Then every rank may write at once. */
static bool has_room_everywhere(const opi_ranks *ranks)
{
    for (int q = 0; q < ranks->comm->size; q++)
        if (ranks->note[q].m < ranks->note[q].n) return false;
    return true;
}

/* Filters this rank's elements into `to`. */
static oplus_status filter_into(filterer *f, char *to)
{
    const opi_task *const task = f->task;
    size_t kept = 0;
    opi_task own;
    const oplus_fn keep = oplus_from(task->fn, task->fn->first + f->ranks->first);
    opi_task_filter(&own, &keep, task->array[OPI_IN].mem, task->n, to, &kept);
    const oplus_status status = opi_run(f->ranks->dev, f->ranks->call, &own, NULL);
    f->kept = kept;
    return status;
}

static oplus_status filter_apart(filterer *f)
{
    void *mem;
    OPI_TRY(opi_ranks_lend(f->ranks, f->device, f->task->n * f->size, &mem));
    f->apart = mem;
    return filter_into(f, f->apart);
}

static oplus_status filter_tightly(filterer *f)
{
    OPI_TRY(filter_apart(f));
    return f->kept <= f->capacity ? OPLUS_OK : opi_ranks_too_small(f->ranks, "elements", f->ranks->comm->rank, f->kept);
}

static oplus_status copy_own(const filterer *f)
{
    oplus_device *const dev = f->ranks->dev;
    if (f->kept == 0) return OPLUS_OK;
    return dev->machine->copy(dev, f->ranks->call, f->out, f->apart, (size_t)f->kept * f->size);
}

static oplus_status run_as_given(filterer *f)
{
    if (has_room_everywhere(f->ranks)) return opi_ranks_agree(f->ranks, filter_into(f, f->out));
    OPI_TRY(opi_ranks_agree(f->ranks, filter_tightly(f)));
    return opi_ranks_agree(f->ranks, copy_own(f));
}

/* --- in equal blocks ---------------------------------------------------------------------------------------------- */

/* Reserves memory for the lists, and for the elements that this rank keeps. */
static oplus_status filter_to_move(filterer *f)
{
    OPI_TRY(opi_blocks_reserve(f->ranks, &f->blocks));
    return filter_apart(f);
}

/* Finds where each rank's kept elements are among all kept ones, and whether all of them fit. */
static oplus_status place_kept(filterer *f)
{
    const opi_ranks *const ranks = f->ranks;
    uint64_t *const first = f->blocks.first;
    const int p = ranks->comm->size;
    assert(first); /* otherwise the ranks would not have agreed */
    first[0] = 0;
    for (int q = 0; q < p; q++) {
        uint64_t kept;
        memcpy(&kept, opi_ranks_record(ranks, q, sizeof kept), sizeof kept);
        first[q + 1] = first[q] + kept;
    }
    for (int q = 0; q < p; q++) {
        const uint64_t block = opi_blocks_gets(ranks, first[p], q);
        if (ranks->note[q].m < block) return opi_ranks_too_small(ranks, "elements", q, block);
    }
    return OPLUS_OK;
}

static oplus_status run_evenly(filterer *f)
{
    opi_ranks *const ranks = f->ranks;
    OPI_TRY(opi_ranks_gather(ranks, filter_to_move(f), &f->kept, sizeof f->kept));
    OPI_TRY(place_kept(f));
    opi_blocks_list(ranks, &f->blocks);
    /* A failure here is told to the other ranks after the exchange, because they wait for the exchange. */
    OPI_TRY(opi_ranks_agree(ranks, opi_blocks_move(ranks, &f->blocks, f->size, f->apart, f->out)));
    f->kept = opi_blocks_gets(ranks, f->blocks.first[ranks->comm->size], ranks->comm->rank);
    return OPLUS_OK;
}

oplus_status opi_ranks_filter(opi_ranks *ranks, oplus_status status, const opi_task *task, oplus_layout layout,
                              size_t capacity)
{
    if (opi_ranks_explained(ranks)) return opi_ranks_explain(ranks, status, task);
    filterer f = {.ranks = ranks, .task = task, .layout = layout, .capacity = capacity};
    bool device = false;
    if (status == OPLUS_OK) status = prepare(&f, &device);
    OPI_TRY(opi_ranks_index(ranks, status, task->n, capacity, device ? OPI_NOTE_DEVICE : 0));
    OPI_TRY(layout == OPLUS_AS_GIVEN || ranks->comm->size == 1 ? run_as_given(&f) : run_evenly(&f));
    *(size_t *)task->result = (size_t)f.kept;
    return OPLUS_OK;
}
