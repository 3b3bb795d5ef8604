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
    size_t size;                  /* bytes of an element */
    char *out;                    /* the caller's */
    size_t capacity;              /* number of elements that out has room for */
    bool device;                  /* the input is in the device's memory */
    char *apart;                  /* memory for the kept elements, if they cannot be written to out at once */
    uint64_t kept;                /* number of elements kept on this rank; at the end, number of elements that it has */
    uint64_t *first;              /* index of each rank's first kept element among all kept ones, and their number */
    size_t *send_count, *send_at; /* elements that go to each rank, and where they are in `apart` */
    size_t *recv_count, *recv_at; /* elements that come from each rank, and where they go in out */
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

static oplus_status too_small(const filterer *f, int rank, uint64_t capacity, uint64_t takes)
{
    return opi_fail(OPLUS_ERR_ARGUMENT,
                    "%s: capacity on rank %d is %llu, but it gets %llu elements; give room for %llu", f->ranks->call,
                    rank, (unsigned long long)capacity, (unsigned long long)takes, (unsigned long long)takes);
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
    return f->kept <= f->capacity ? OPLUS_OK : too_small(f, f->ranks->comm->rank, f->capacity, f->kept);
}

static oplus_status copy_own(const filterer *f, size_t to, size_t from, size_t count)
{
    oplus_device *const dev = f->ranks->dev;
    if (count == 0) return OPLUS_OK;
    return dev->machine->copy(dev, f->ranks->call, f->out + to * f->size, f->apart + from * f->size, count * f->size);
}

static oplus_status run_as_given(filterer *f)
{
    if (has_room_everywhere(f->ranks)) return opi_ranks_agree(f->ranks, filter_into(f, f->out));
    OPI_TRY(opi_ranks_agree(f->ranks, filter_tightly(f)));
    return opi_ranks_agree(f->ranks, copy_own(f, 0, 0, (size_t)f->kept));
}

/* --- in equal blocks ---------------------------------------------------------------------------------------------- */

/* Reserves memory for the lists, and for the elements that this rank keeps. */
static oplus_status filter_to_move(filterer *f)
{
    const size_t p = (size_t)f->ranks->comm->size;
    void *mem;
    OPI_TRY(opi_ranks_lend(f->ranks, false, (p + 1) * sizeof(uint64_t) + 4 * p * sizeof(size_t), &mem));
    f->first = mem;
    f->send_count = (size_t *)(f->first + p + 1);
    f->send_at = f->send_count + p;
    f->recv_count = f->send_at + p;
    f->recv_at = f->recv_count + p;
    return filter_apart(f);
}

/* Finds where each rank's kept elements are among all kept ones, and whether all of them fit. */
static oplus_status place_kept(filterer *f)
{
    const opi_ranks *const ranks = f->ranks;
    const int p = ranks->comm->size;
    assert(f->first); /* otherwise the ranks would not have agreed */
    f->first[0] = 0;
    for (int q = 0; q < p; q++) {
        uint64_t kept;
        memcpy(&kept, opi_ranks_record(ranks, q, sizeof kept), sizeof kept);
        f->first[q + 1] = f->first[q] + kept;
    }
    for (int q = 0; q < p; q++) {
        const uint64_t block = opi_ranks_block(ranks, f->first[p], q + 1) - opi_ranks_block(ranks, f->first[p], q);
        if (ranks->note[q].m < block) return too_small(f, q, ranks->note[q].m, block);
    }
    return OPLUS_OK;
}

/* Of the elements [begin, end), those in [from, to): the index of the first, counted from begin, and their number. */
static size_t common(uint64_t begin, uint64_t end, uint64_t from, uint64_t to, size_t *at)
{
    const uint64_t first = begin > from ? begin : from, last = end < to ? end : to;
    *at = first < last ? (size_t)(first - begin) : 0;
    return first < last ? (size_t)(last - first) : 0;
}

/* Sets what this rank sends to each rank and gets from it.  Returns whether any element changes its rank, here or
 * elsewhere. */
static bool list_moves(filterer *f)
{
    const opi_ranks *const ranks = f->ranks;
    const int p = ranks->comm->size, own = ranks->comm->rank;
    const uint64_t total = f->first[p];
    const uint64_t begin = opi_ranks_block(ranks, total, own), end = opi_ranks_block(ranks, total, own + 1);
    bool moves = false;
    for (int q = 0; q < p; q++) {
        const uint64_t theirs = opi_ranks_block(ranks, total, q), next = opi_ranks_block(ranks, total, q + 1);
        f->send_count[q] = common(f->first[own], f->first[own + 1], theirs, next, &f->send_at[q]);
        f->recv_count[q] = common(begin, end, f->first[q], f->first[q + 1], &f->recv_at[q]);
        moves |= f->first[q] != theirs;
    }
    return moves;
}

/* A failure here is told to the other ranks after the exchange, because they wait for the exchange. */
static oplus_status move(filterer *f)
{
    const int own = f->ranks->comm->rank;
    const bool moves = list_moves(f);
    const oplus_status stays = copy_own(f, f->recv_at[own], f->send_at[own], f->send_count[own]);
    if (!moves) return stays;
    f->send_count[own] = f->recv_count[own] = 0;
    const opi_parcel parcel = {.size = f->size,
                               .send = f->apart,
                               .recv = f->out,
                               .send_count = f->send_count,
                               .send_at = f->send_at,
                               .recv_count = f->recv_count,
                               .recv_at = f->recv_at};
    const oplus_status moved = opi_ranks_exchange(f->ranks, &parcel);
    return stays != OPLUS_OK ? stays : moved;
}

static oplus_status run_evenly(filterer *f)
{
    const opi_ranks *const ranks = f->ranks;
    const int own = ranks->comm->rank;
    OPI_TRY(opi_ranks_gather(f->ranks, filter_to_move(f), &f->kept, sizeof f->kept));
    OPI_TRY(place_kept(f));
    OPI_TRY(opi_ranks_agree(f->ranks, move(f)));
    const uint64_t total = f->first[ranks->comm->size];
    f->kept = opi_ranks_block(ranks, total, own + 1) - opi_ranks_block(ranks, total, own);
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
