/* A sort over ranks, of keys or pairs.
 *
 *   1. each rank sorts its own elements
 *   2. the ranks find where each rank's part of the result begins (ranks/splitters.h)
 *   3. they exchange keys, then values
 *   4. each rank merges the runs that it has received
 *
 * If all arrays lie in memory of accelerators that reach each other's, there is only one step after the first: each rank
 * merges its part of the result from the sorted elements of all ranks, which it reads where they are.
 *
 * Beside the caller's arrays a rank needs memory for the elements that it receives; its own sort uses that memory as
 * scratch.  If all arrays lie in the memory of an accelerator, nothing else is needed: it finds where its keys are cut,
 * and merges the runs that it has received, two by two.  If arrays of the host are sorted by an accelerator, it needs
 * memory for the elements that it sends: it then sorts the received runs once more, which is stable and faster than a
 * merge by the host. */
#include "ranks/ranks.h"

#include "base/error.h"
#include "cores/cores.h"
#include "cores/sort.h"
#include "ranks/reach.h"
#include "ranks/splitters.h"
#include "task/make.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { LISTS = 4 };

/* The state of a call on this rank. */
typedef struct sorting {
    const oplus_type *key, *value; /* value NULL: keys alone */
    oplus_order order;
    oplus_layout layout;
    unsigned char *keys, *values; /* the caller's */
    size_t before, after;         /* elements of this rank before the sort, and after it */
    size_t capacity;              /* number of elements that the caller's arrays have room for */
    bool device;                  /* an array is in the device's memory */
    bool there;                   /* ... and so are all: the device merges received elements */
    bool again;                   /* received elements are sorted again, and not merged */
    opi_splitters splitters;
    opi_buffer lists;                       /* where the four lists are */
    size_t *send_count, *send_at;           /* elements that go to each rank, and where they are */
    size_t *recv_count, *recv_at;           /* elements from each rank, and where they go; and the end of the last */
    unsigned char *send_keys, *send_values; /* this rank's elements, sorted */
    unsigned char *recv_keys, *recv_values; /* received elements: a run from each rank */
} sorting;

static size_t value_size(const sorting *s) { return s->value ? s->value->size : 0; }

/* --- 0. where the result is to be --------------------------------------------------------------------------------- */

static oplus_status look(opi_ranks *ranks, sorting *s)
{
    bool keys, values;
    OPI_TRY(opi_ranks_look(ranks, "keys", s->keys, s->capacity * s->key->size, &keys));
    OPI_TRY(opi_ranks_look(ranks, "values", s->values, s->capacity * value_size(s), &values));
    s->device = keys || values;
    s->there = keys && (values || value_size(s) == 0 || s->capacity == 0);
    s->again = !s->there && (s->device || ranks->dev->machine->transfers);
    return OPLUS_OK;
}

/* Names everything that must be the same on all ranks, and reserves memory for what is exchanged before the
 * elements. */
static oplus_status prepare(opi_ranks *ranks, sorting *s)
{
    char options[32];
    const size_t p = (size_t)ranks->comm->size;
    OPI_TRY(look(ranks, s));
    snprintf(options, sizeof options, "%s, %s", s->order == OPLUS_DESCENDING ? "descending" : "ascending",
             s->layout == OPLUS_EVEN ? "even" : "as given");
    /* A sort that is part of another call, which has an operator, has that one's name. */
    if (!ranks->op) opi_ranks_name_types(ranks, s->key, s->value, options);

    const opi_sort plan = opi_sort_plan(opi_cores_of(ranks->dev)->isa, s->key, s->order, NULL, s->value, NULL, 0);
    s->splitters.order = (opi_key_order){plan.key_size, plan.float_mask, plan.flip};
    s->splitters.key = s->key;
    s->splitters.direction = s->order;
    s->splitters.there = s->there;
    if (!opi_buffer_reserve(&s->lists, (LISTS * p + 1) * sizeof(size_t)))
        return opi_fail(OPLUS_ERR_MEMORY, "%s: no memory for counts of %d ranks", ranks->call, ranks->comm->size);
    s->send_count = s->lists.mem;
    s->send_at = s->send_count + p;
    s->recv_count = s->send_at + p;
    s->recv_at = s->recv_count + p;
    return opi_splitters_reserve(ranks, &s->splitters);
}

/* Finds where each rank's part of the result begins.  Fails on all ranks if one of them has no room for its part. */
static oplus_status deal_out(const opi_ranks *ranks, sorting *s)
{
    opi_boundary *const b = s->splitters.boundary;
    uint64_t given = 0;
    for (int q = 0; q < ranks->comm->size; q++) {
        b[q].target = s->layout == OPLUS_AS_GIVEN ? given : opi_ranks_block(ranks, ranks->total, q);
        given += ranks->note[q].n;
    }
    b[ranks->comm->size].target = ranks->total;
    s->after = (size_t)(b[ranks->comm->rank + 1].target - b[ranks->comm->rank].target);
    for (int q = 0; q < ranks->comm->size; q++) {
        const uint64_t part = b[q + 1].target - b[q].target;
        if (part > ranks->note[q].m)
            return opi_fail(OPLUS_ERR_ARGUMENT,
                            "%s: capacity is %llu on rank %d, whose equal block of %llu elements has %llu; give room "
                            "for as many, or leave what each rank has with OPLUS_AS_GIVEN",
                            ranks->call, (unsigned long long)ranks->note[q].m, q, (unsigned long long)ranks->total,
                            (unsigned long long)part);
    }
    return OPLUS_OK;
}

/* --- 1. each rank sorts its own elements -------------------------------------------------------------------------- */

/* The device gets what a merge needs: it must not fail after the elements have been exchanged. */
static oplus_status prepare_merge(opi_ranks *ranks, const sorting *s)
{
    const size_t half = s->after / 2, rest = s->after - half;
    opi_task task;
    if (half == 0) return OPLUS_OK;
    opi_task_merge(&task, s->key, s->order, NULL, s->recv_keys, half, s->recv_keys + half * s->key->size, rest,
                   s->keys);
    if (s->value)
        opi_task_merge_values(&task, s->value, s->recv_values, s->recv_values + half * value_size(s), s->values);
    return ranks->dev->machine->takes(ranks->dev, ranks->call, &task);
}

/* Reserves memory for the next steps; no element has been moved yet. */
static oplus_status reserve(opi_ranks *ranks, sorting *s)
{
    if (s->there) {
        OPI_TRY(opi_ranks_lend(ranks, true, s->after * s->key->size, (void **)&s->recv_keys));
        OPI_TRY(opi_ranks_lend(ranks, true, s->after * value_size(s), (void **)&s->recv_values));
        return prepare_merge(ranks, s);
    }
    if (s->again) {
        OPI_TRY(opi_ranks_lend(ranks, false, s->before * s->key->size, (void **)&s->send_keys));
        return opi_ranks_lend(ranks, false, s->before * value_size(s), (void **)&s->send_values);
    }
    opi_cores *const cores = opi_cores_of(ranks->dev);
    const size_t coming = opi_round_up(s->after * s->key->size, OPI_CACHE_LINE) + s->after * value_size(s);
    /* Reserves what the merge needs: it must not fail after the elements have been exchanged. */
    const size_t scratch = opi_merge_scratch(s->key->size, value_size(s), (size_t)ranks->comm->size);
    const size_t workers = (size_t)cores->workers * opi_round_up(scratch, 2 * OPI_CACHE_LINE);
    if (opi_buffer_reserve(&cores->array, coming) && opi_buffer_reserve(&cores->workspace, workers)) return OPLUS_OK;
    return opi_fail(OPLUS_ERR_MEMORY,
                    "%s: no memory for %zu elements that come from other ranks (%zu bytes, and %zu of scratch); free "
                    "some, or use more ranks",
                    ranks->call, s->after, coming, workers);
}

/* Sorts the first n elements of the caller's arrays, on this rank's machine. */
static oplus_status sort(opi_ranks *ranks, const sorting *s, size_t n)
{
    opi_task task;
    opi_task_sort(&task, s->key, s->order, s->keys, s->value, s->values, n);
    return n < 2 ? OPLUS_OK : opi_run(ranks->dev, ranks->call, &task, NULL);
}

static oplus_status sort_own(opi_ranks *ranks, sorting *s)
{
    OPI_TRY(reserve(ranks, s));
    OPI_TRY(sort(ranks, s, s->before));
    if (s->again) { /* the host looks at the keys, and the caller's arrays are free for received elements */
        const opi_machine *const machine = ranks->dev->machine;
        if (s->before == 0) return OPLUS_OK;
        OPI_TRY(machine->copy(ranks->dev, ranks->call, s->send_keys, s->keys, s->before * s->key->size));
        if (!s->value) return OPLUS_OK;
        return machine->copy(ranks->dev, ranks->call, s->send_values, s->values, s->before * s->value->size);
    }
    s->send_keys = s->keys;
    s->send_values = s->values;
    return OPLUS_OK;
}

/* --- 3. the exchange ---------------------------------------------------------------------------------------------- */

/* How many elements go to each rank, and how many come from it. */
static oplus_status count_parts(opi_ranks *ranks, sorting *s)
{
    const opi_boundary *const b = s->splitters.boundary;
    for (int q = 0; q < ranks->comm->size; q++) {
        s->send_at[q] = b[q].begin;
        s->send_count[q] = b[q + 1].begin - b[q].begin;
    }
    OPI_TRY(opi_ranks_scatter(ranks, s->send_count, sizeof *s->send_count, s->recv_count));
    s->recv_at[0] = 0;
    for (int q = 0; q < ranks->comm->size; q++) s->recv_at[q + 1] = s->recv_at[q] + s->recv_count[q];
    return OPLUS_OK;
}

static void choose_places(const opi_ranks *ranks, sorting *s)
{
    if (s->there) return; /* they are lent */
    unsigned char *const mem = s->again ? NULL : opi_cores_of(ranks->dev)->array.mem;
    s->recv_keys = s->again ? s->keys : mem;
    s->recv_values = s->again ? s->values : mem + opi_round_up(s->after * s->key->size, OPI_CACHE_LINE);
}

static oplus_status exchange(opi_ranks *ranks, const sorting *s)
{
    opi_parcel parcel = {.size = s->key->size,
                         .send = s->send_keys,
                         .recv = s->recv_keys,
                         .send_count = s->send_count,
                         .send_at = s->send_at,
                         .recv_count = s->recv_count,
                         .recv_at = s->recv_at};
    const oplus_status keys = opi_ranks_exchange(ranks, &parcel);
    if (!s->value) return keys;
    parcel.size = s->value->size; /* set even after a failure, of which the others may not know */
    parcel.send = s->send_values;
    parcel.recv = s->recv_values;
    const oplus_status values = opi_ranks_exchange(ranks, &parcel);
    return keys != OPLUS_OK ? keys : values;
}

/* --- 4. the received runs become one ------------------------------------------------------------------------------ */

/* Elements of both arrays. */
typedef struct place {
    unsigned char *keys, *values;
} place;

static place beyond(const sorting *s, place p, size_t at)
{
    return (place){p.keys + at * s->key->size, p.values ? p.values + at * value_size(s) : NULL};
}

static oplus_status copy_there(opi_ranks *ranks, const sorting *s, place to, place from, size_t n)
{
    const opi_machine *const machine = ranks->dev->machine;
    if (n == 0) return OPLUS_OK;
    OPI_TRY(machine->copy(ranks->dev, ranks->call, to.keys, from.keys, n * s->key->size));
    return s->value ? machine->copy(ranks->dev, ranks->call, to.values, from.values, n * value_size(s)) : OPLUS_OK;
}

/* Merges two neighbouring runs in the device's memory, which begin at `from`. */
static oplus_status merge_there(opi_ranks *ranks, const sorting *s, place to, place from, size_t n, size_t m)
{
    opi_task task;
    const place next = beyond(s, from, n);
    if (n == 0 || m == 0) return copy_there(ranks, s, to, from, n + m);
    opi_task_merge(&task, s->key, s->order, NULL, from.keys, n, next.keys, m, to.keys);
    if (s->value) opi_task_merge_values(&task, s->value, from.values, next.values, to.values);
    return ranks->dev->machine->run(ranks->dev, ranks->call, &task, NULL);
}

/* Merges the received runs two by two, from one place to the other, until one is left in the caller's arrays.  Of equal
 * keys those of the earlier rank come first. */
static oplus_status merge_runs_there(opi_ranks *ranks, sorting *s)
{
    place from = {s->recv_keys, s->recv_values}, to = {s->keys, s->values};
    size_t *const at = s->recv_at;
    size_t runs = 0;
    for (size_t q = 0; q < (size_t)ranks->comm->size; q++) /* the runs that are not empty */
        if (at[q + 1] > at[q]) at[runs++] = at[q];
    at[runs] = s->after;
    for (; runs > 1; runs = (runs + 1) / 2) {
        for (size_t i = 0; i < runs; i += 2) {
            const size_t end = i + 2 < runs ? i + 2 : runs, middle = at[i + 1];
            OPI_TRY(
                merge_there(ranks, s, beyond(s, to, at[i]), beyond(s, from, at[i]), middle - at[i], at[end] - middle));
            at[i / 2] = at[i];
        }
        at[(runs + 1) / 2] = s->after;
        const place made = to;
        to = from;
        from = made;
    }
    return from.keys == s->keys ? OPLUS_OK : copy_there(ranks, s, to, from, s->after);
}

static oplus_status put_together(opi_ranks *ranks, sorting *s)
{
    opi_cores *const cores = opi_cores_of(ranks->dev);
    opi_merge merge;
    int runs = 0;
    if (s->there) return merge_runs_there(ranks, s);
    for (int q = 0; q < ranks->comm->size; q++) runs += s->recv_count[q] > 0;
    if (s->again) {
        if (runs < 2) return OPLUS_OK;
        return sort(ranks, s, s->after);
    }
    opi_merge_plan(&merge, s->splitters.order, s->recv_keys, value_size(s), s->recv_values, s->recv_at,
                   (size_t)ranks->comm->size, s->keys, s->values);
    return opi_cores_sweep(cores, ranks->call, &merge.sweep, NULL);
}

/* If a rank gets no elements but its own, it has them already. */
static void move_down(const sorting *s, size_t at)
{
    memmove(s->keys, s->keys + at * s->key->size, s->after * s->key->size);
    if (s->value) memmove(s->values, s->values + at * s->value->size, s->after * s->value->size);
}

static oplus_status travel(opi_ranks *ranks, sorting *s)
{
    const int own = ranks->comm->rank;
    const bool stays = !s->again && !s->there && s->recv_count[own] == s->after;
    choose_places(ranks, s);
    if (stays) s->send_count[own] = s->recv_count[own] = 0;
    OPI_TRY(exchange(ranks, s));
    if (!stays) return put_together(ranks, s);
    if (s->after > 0 && s->send_at[own] > 0) move_down(s, s->send_at[own]);
    return OPLUS_OK;
}

/* --- where all reach all -------------------------------------------------------------------------------------------- */

static bool is_aligned(const void *p, size_t to) { return (uintptr_t)p % to == 0; }

/* Whether a rank that has arrays here can merge what others have; or has no arrays. */
static bool can_reach(const opi_ranks *ranks, const sorting *s)
{
    const opi_reached runs = {.key = s->key, .value = s->value, .runs = OPI_MOST_REACHED};
    return (s->there || s->capacity == 0) && opi_reach_may(ranks->dev) &&
           ranks->dev->machine->transfers->merge_can(&runs) && is_aligned(s->keys, s->key->size) &&
           (!s->value || is_aligned(s->values, s->value->align));
}

static opi_reached merge_of(const opi_ranks *ranks, const sorting *s)
{
    opi_reached of = {.key = s->key,
                      .value = s->value,
                      .order = s->order,
                      .runs = (unsigned)ranks->comm->size,
                      .first = s->splitters.boundary[ranks->comm->rank].target,
                      .count = s->after,
                      .out = s->keys,
                      .out_values = s->values};
    for (unsigned q = 0; q < of.runs; q++) of.n[q] = ranks->note[q].n;
    return of;
}

/* Begins the sort of this rank's elements, into memory that others read: the caller's arrays are then free for the result. */
static oplus_status begin_sort(opi_ranks *ranks, sorting *s, const opi_reached *merge)
{
    const opi_transfers *const transfers = ranks->dev->machine->transfers;
    opi_task task;
    OPI_TRY(opi_ranks_lend(ranks, true, s->before * s->key->size, (void **)&s->send_keys));
    OPI_TRY(opi_ranks_lend(ranks, true, s->before * value_size(s), (void **)&s->send_values));
    if (s->before > 0) {
        opi_task_sort(&task, s->key, s->order, s->keys, s->value, s->values, s->before);
        OPI_TRY(transfers->sort_to(ranks->dev, ranks->call, &task, s->send_keys, s->send_values));
    }
    return s->after > 0 ? transfers->merge_prepare(ranks->dev, ranks->call, merge) : OPLUS_OK; /* while it sorts */
}

/* Returns once nothing is read any more, whatever has happened. */
static oplus_status merge_all(opi_ranks *ranks, const sorting *s, const opi_reach *reach, opi_reached *of)
{
    const opi_machine *const machine = ranks->dev->machine;
    for (unsigned q = 0; q < of->runs; q++) {
        of->keys[q] = reach->mem[0][q];
        of->values[q] = reach->mem[1][q];
    }
    if (s->after == 0) return OPLUS_OK;
    const oplus_status status = machine->transfers->merge(ranks->dev, ranks->call, of);
    if (status == OPLUS_OK) return machine->sync(ranks->dev, ranks->call);
    char words[OPI_FAILURE_BYTES];
    snprintf(words, sizeof words, "%s", opi_last_error());
    machine->sync(ranks->dev, ranks->call);
    return opi_fail(status, "%s", words);
}

/* Ranks tell each other where their elements will be while their devices sort.  They wait for each other twice: when all
 * have sorted, and when all have merged.  Sets *done to whether all reach all; if not, the caller's arrays are as they were. */
static oplus_status merge_directly(opi_ranks *ranks, sorting *s, bool *done)
{
    opi_reach reach;
    opi_reached merge = merge_of(ranks, s);
    bool reached = false;
    *done = false;
    const oplus_status begun = begin_sort(ranks, s, &merge);
    const void *const arrays[OPI_REACH_ARRAYS] = {s->send_keys, s->send_values};
    oplus_status status = opi_reach_begin(ranks, &reach, begun, arrays, &reached);
    if (status == OPLUS_OK)
        status = opi_reach_agree(&reach, ranks->dev->machine->sync(ranks->dev, ranks->call), reached, done);
    if (*done) status = opi_ranks_agree(ranks, merge_all(ranks, s, &reach, &merge));
    opi_reach_end(&reach);
    opi_ranks_return(ranks, s->send_keys);
    opi_ranks_return(ranks, s->send_values);
    return status;
}

/* --- all of it ---------------------------------------------------------------------------------------------------- */

static oplus_status run(opi_ranks *ranks, sorting *s, oplus_status status, size_t *n)
{
    if (status == OPLUS_OK) status = prepare(ranks, s);
    uint32_t flag = s->device ? OPI_NOTE_DEVICE : 0;
    bool done = false;
    if (status == OPLUS_OK) flag |= opi_reach_flag(ranks, can_reach(ranks, s));
    OPI_TRY(opi_ranks_index(ranks, status, s->before, s->capacity, flag));
    assert(n && s->splitters.boundary); /* otherwise the ranks would not have agreed */
    if (ranks->total == 0) return OPLUS_OK;
    OPI_TRY(deal_out(ranks, s));
    if (ranks->comm->size == 1) return sort(ranks, s, s->before);
    if (!opi_ranks_any(ranks, OPI_NOTE_APART)) OPI_TRY(merge_directly(ranks, s, &done));
    if (done) {
        *n = s->after;
        return OPLUS_OK;
    }
    const oplus_status sorted = sort_own(ranks, s); /* sets send_keys */
    OPI_TRY(opi_splitters_find(ranks, &s->splitters, sorted, s->send_keys));
    OPI_TRY(count_parts(ranks, s));
    OPI_TRY(opi_ranks_agree_at_end(ranks, travel(ranks, s)));
    *n = s->after;
    return OPLUS_OK;
}

oplus_status opi_ranks_sort(opi_ranks *ranks, oplus_status status, const opi_task *task, oplus_layout layout,
                            size_t capacity, size_t *n)
{
    if (opi_ranks_explained(ranks)) return opi_ranks_explain(ranks, status, task);
    sorting s = {.layout = layout, .capacity = capacity, .before = task->n};
    if (status == OPLUS_OK) {
        s.key = task->sort.key;
        s.value = task->sort.value;
        s.order = task->sort.order;
        s.keys = (unsigned char *)task->array[OPI_KEYS].mem;
        s.values = (unsigned char *)task->array[OPI_VALUES].mem;
    }
    status = run(ranks, &s, status, n);
    opi_splitters_release(&s.splitters);
    opi_buffer_release(&s.lists);
    return status;
}
