/* The top over ranks: each rank finds the top of its elements, and all find the top of these. */
#include "base/error.h"
#include "base/memory.h"
#include "cores/cores.h"
#include "ranks/ranks.h"
#include "task/make.h"

#include <stdio.h>
#include <string.h>

/* A record has the indices of a rank's top, which count from its first element on, and behind them its keys; it has room for
 * k of each. */
typedef struct top {
    const oplus_type *key;
    oplus_order order;
    size_t k;
    opi_buffer memory;
    char *record, *keys; /* this rank's record; the keys of all ranks, one rank's behind those of the one before */
    uint64_t *places;    /* where the top is in these */
} top;

static size_t record_bytes(const top *t) { return t->k * (sizeof(uint64_t) + t->key->size); }

/* How many elements of a rank's top there are. */
static size_t of_rank(const opi_ranks *ranks, const top *t, int q)
{
    return (size_t)opi_smaller(t->k, (size_t)ranks->note[q].n);
}

static oplus_status reserve(opi_ranks *ranks, top *t)
{
    const size_t p = (size_t)ranks->comm->size, record = opi_round_up(record_bytes(t), sizeof(uint64_t));
    const size_t places = t->k * sizeof(uint64_t), bytes = record + places + p * t->k * t->key->size;
    if (!opi_buffer_reserve(&t->memory, bytes))
        return opi_fail(OPLUS_ERR_MEMORY, "%s: no memory for k = %zu keys of %zu ranks (%zu bytes); give a smaller k",
                        ranks->call, t->k, p, bytes);
    t->record = t->memory.mem;
    t->places = (uint64_t *)(void *)(t->record + record);
    t->keys = (char *)t->places + places;
    return opi_ranks_room(ranks, record_bytes(t));
}

/* Finds the top of this rank's elements. */
static oplus_status find_own(opi_ranks *ranks, top *t, const void *keys, size_t n)
{
    const size_t k = t->k < n ? t->k : n;
    opi_task task;
    OPI_TRY(reserve(ranks, t));
    memset(t->record, 0, record_bytes(t));
    if (k == 0) return OPLUS_OK;
    opi_task_top(&task, t->key, t->order, keys, n, k, t->record + t->k * sizeof(uint64_t), sizeof(uint64_t), t->record);
    return opi_run(ranks->dev, ranks->call, &task, NULL);
}

/* Finds the top of what all ranks have found.  Keys of earlier ranks stand before equal ones of later ranks, so that of equal keys
 * those with lower indices come first. */
static oplus_status find_all(opi_ranks *ranks, top *t, void *out)
{
    size_t count = 0;
    opi_task task;
    for (int q = 0; q < ranks->comm->size; q++) {
        const char *const record = opi_ranks_record(ranks, q, record_bytes(t));
        const size_t own = of_rank(ranks, t, q);
        memcpy(t->keys + count * t->key->size, record + t->k * sizeof(uint64_t), own * t->key->size);
        count += own;
    }
    opi_task_top(&task, t->key, t->order, t->keys, count, t->k, out, sizeof *t->places, t->places);
    return opi_cores_run(opi_cores_of(ranks->dev), ranks->call, &task, NULL);
}

/* Makes indices in the whole array of places among what all ranks have found. */
static void number(const opi_ranks *ranks, const top *t, uint64_t *indices)
{
    for (size_t i = 0; i < t->k; i++) {
        uint64_t place = t->places[i], first = 0, index;
        int q = 0;
        for (; place >= of_rank(ranks, t, q); q++) {
            place -= of_rank(ranks, t, q);
            first += ranks->note[q].n;
        }
        const char *const record = opi_ranks_record(ranks, q, record_bytes(t));
        memcpy(&index, record + place * sizeof index, sizeof index);
        indices[i] = first + index;
    }
}

static oplus_status run(opi_ranks *ranks, oplus_status status, top *t, const opi_task *task, uint64_t *indices)
{
    if (status == OPLUS_OK) status = find_own(ranks, t, task->array[OPI_IN].mem, task->n);
    OPI_TRY(opi_ranks_index(ranks, status, task->n, 0, 0));
    if (t->k > ranks->total)
        return opi_fail(OPLUS_ERR_ARGUMENT,
                        "%s: k is %zu, and all ranks together have %llu element%s; give a k of at most so many",
                        ranks->call, t->k, (unsigned long long)ranks->total, opi_s(ranks->total));
    if (t->k == 0) return OPLUS_OK;
    OPI_TRY(opi_ranks_gather(ranks, OPLUS_OK, t->record, record_bytes(t)));
    OPI_TRY(opi_ranks_agree(ranks, find_all(ranks, t, (void *)task->array[OPI_TOP_OUT].mem)));
    if (indices) number(ranks, t, indices);
    return OPLUS_OK;
}

oplus_status opi_ranks_top(opi_ranks *ranks, oplus_status status, const opi_task *task, uint64_t *indices)
{
    top t = {.k = 0};
    if (opi_ranks_explained(ranks)) { /* what this rank does itself */
        opi_task own = *task;
        if (status == OPLUS_OK && own.top.k > own.n) own.top.k = own.n;
        return opi_ranks_explain(ranks, status, &own);
    }
    if (status == OPLUS_OK) {
        char options[64];
        t = (top){.key = task->top.key, .order = task->top.order, .k = task->top.k};
        snprintf(options, sizeof options, "%s, k = %zu", t.order == OPLUS_DESCENDING ? "descending" : "ascending", t.k);
        opi_ranks_name_types(ranks, t.key, NULL, options);
    }
    status = run(ranks, status, &t, task, indices);
    opi_buffer_release(&t.memory);
    return status;
}
