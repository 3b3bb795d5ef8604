/* The k first keys in an order, in two ways:
 *
 *   candidates   the keys are read once.  The carry is a list of candidates; when it is full, the k first of them stay, and
 *                the last of these is the bound: a later key that is not below it is none of the first k
 *   argsort      of all keys, where k is so large that lists would be as large as the array */
#include "cores/top.h"

#include "base/error.h"
#include "cores/merge.h"
#include "cores/sort_passes.h"
#include "cores/ways.h"
#include "task/explain.h"
#include "task/make.h"

#include <string.h>

enum {
    PIECE = 2048,            /* keys that are compared with one bound */
    LEAST_SPARE = 1024,      /* candidates beyond k that a list has room for, at least */
    BLOCK_BYTES = 256 << 10, /* of keys, at least */
    KEYS_A_CANDIDATE = 8,    /* lists are made if there are so many keys for each wanted one */
    DELIVERED = 1 << 13      /* results that a thread writes at once */
};

typedef struct top_sweep {
    opi_sweep sweep; /* first: a leaf finds its sweep through it */
    const opi_isa *isa;
    opi_key_order order;
    unsigned log_size; /* of a key */
    const unsigned char *keys;
    size_t k, room; /* room: candidates in a list */
} top_sweep;

/* A list of candidates, as two arrays behind it: keys, mapped to unsigned integers, and their places. */
typedef struct list {
    size_t count;
    bool bounded;      /* k candidates come before what is not before the bound */
    uint64_t bound;    /* the last of the k first candidates, */
    uint64_t bound_at; /* ... and its place */
    uint64_t random;
} list;

static size_t list_bytes(size_t room)
{
    return opi_round_up(sizeof(list) + 2 * room * sizeof(uint64_t), OPI_CACHE_LINE);
}

static uint64_t *keys_of(list *l) { return (uint64_t *)(void *)(l + 1); }

static uint64_t *places_of(list *l, size_t room) { return keys_of(l) + room; }

/* --- the first k of a list ---------------------------------------------------------------------------------------- */

typedef struct candidates {
    uint64_t *key, *at;
} candidates;

static bool is_before(const candidates *c, size_t i, uint64_t key, uint64_t at)
{
    return c->key[i] < key || (c->key[i] == key && c->at[i] < at);
}

static bool is_behind(const candidates *c, size_t i, uint64_t key, uint64_t at)
{
    return c->key[i] > key || (c->key[i] == key && c->at[i] > at);
}

static void swap(const candidates *c, size_t i, size_t j)
{
    const uint64_t key = c->key[i], at = c->at[i];
    c->key[i] = c->key[j], c->at[i] = c->at[j];
    c->key[j] = key, c->at[j] = at;
}

static uint64_t draw(uint64_t *random)
{
    *random = *random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *random >> 33;
}

/* Hoare's selection: candidate `wanted` is then in its place in the order, and those before it come before it.  Pivots are
 * drawn, so that no input is slow. */
static void select_one(const candidates *c, size_t count, size_t wanted, uint64_t *random)
{
    ptrdiff_t low = 0, high = (ptrdiff_t)count - 1;
    const ptrdiff_t own = (ptrdiff_t)wanted;
    while (low < high) {
        const size_t pivot = (size_t)low + (size_t)(draw(random) % (uint64_t)(high - low + 1));
        const uint64_t key = c->key[pivot], at = c->at[pivot];
        ptrdiff_t i = low, j = high;
        while (i <= j) {
            while (is_before(c, (size_t)i, key, at)) i++;
            while (is_behind(c, (size_t)j, key, at)) j--;
            if (i <= j) swap(c, (size_t)i++, (size_t)j--);
        }
        if (own > j && own < i) return;
        if (own <= j)
            high = j;
        else
            low = i;
    }
}

/* Leaves the k first candidates of a list. */
static void shorten(const top_sweep *plan, list *l)
{
    const candidates c = {keys_of(l), places_of(l, plan->room)};
    if (l->count < plan->k) return;
    select_one(&c, l->count, plan->k - 1, &l->random);
    l->count = plan->k;
    l->bounded = true;
    l->bound = c.key[plan->k - 1];
    l->bound_at = c.at[plan->k - 1];
}

/* --- the sweep ---------------------------------------------------------------------------------------------------- */

static void start(const opi_sweep *sweep, size_t at, void *carry)
{
    (void)sweep;
    *(list *)carry = (list){.random = at};
}

/* Candidates may come in any order: those of a list that is joined have no order. */
static void append(const top_sweep *plan, list *l, uint64_t key, uint64_t at)
{
    if (l->count == plan->room) shorten(plan, l);
    if (l->bounded && (key > l->bound || (key == l->bound && at > l->bound_at))) return;
    keys_of(l)[l->count] = key;
    places_of(l, plan->room)[l->count++] = at;
}

/* Sees a piece while there is no bound: each key is a candidate. */
static size_t see_all(const top_sweep *plan, size_t begin, size_t end, list *l)
{
    const size_t n = opi_smaller(end - begin, plan->room - l->count);
    for (size_t i = begin; i < begin + n; i++) append(plan, l, opi_key_at(&plan->order, plan->keys, i), i);
    if (l->count == plan->room) shorten(plan, l);
    return n;
}

/* Sees a piece of keys behind all that were seen: one that is the same as the bound is not before it. */
static size_t see_below(const top_sweep *plan, size_t begin, size_t end, list *l)
{
    uint32_t place[PIECE];
    const size_t n = opi_smaller(end - begin, PIECE);
    const size_t found =
        plan->isa->below[plan->log_size](plan->keys + begin * plan->order.size, n, &plan->order, l->bound, place);
    for (size_t i = 0; i < found; i++)
        append(plan, l, opi_key_at(&plan->order, plan->keys, begin + place[i]), begin + place[i]);
    return n;
}

static void aggregate(const opi_sweep *sweep, size_t begin, size_t end, void *carry, void *scratch)
{
    const top_sweep *const plan = (const top_sweep *)sweep;
    list *const l = carry;
    (void)scratch;
    for (size_t i = begin; i < end;) i += l->bounded ? see_below(plan, i, end, l) : see_all(plan, i, end, l);
}

static void join(const opi_sweep *sweep, void *left, const void *right)
{
    const top_sweep *const plan = (const top_sweep *)sweep;
    list *const from = (list *)right; /* it is only read */
    const uint64_t *const key = keys_of(from), *const at = places_of(from, plan->room);
    for (size_t i = 0; i < from->count; i++) append(plan, left, key[i], at[i]);
}

static top_sweep plan_of(opi_cores *cores, const opi_task *task)
{
    const size_t size = task->top.key->size, k = task->top.k;
    top_sweep plan = {.isa = cores->isa,
                      .order = opi_key_order_of(task->top.key, task->top.order),
                      .log_size = (unsigned)__builtin_ctzll(size),
                      .keys = task->array[OPI_IN].mem,
                      .k = k,
                      .room = k + opi_larger(k, LEAST_SPARE)};
    opi_sweep_clear(&plan.sweep);
    plan.sweep.n = task->n;
    /* A list is as large as a block at the most, so that all lists are about as large as the array. */
    plan.sweep.block = opi_larger(opi_elements_in(BLOCK_BYTES, size), plan.room);
    plan.sweep.bytes = task->n * size;
    plan.sweep.carry_bytes = list_bytes(plan.room);
    plan.sweep.start = start;
    plan.sweep.aggregate = aggregate;
    plan.sweep.join = join;
    return plan;
}

/* --- results ------------------------------------------------------------------------------------------------------ */

typedef struct delivery {
    opi_sweep sweep;
    const opi_task *task;
    const uint64_t *at;
} delivery;

static void deliver(const opi_sweep *sweep, size_t begin, size_t end, void *carry, const void *total, bool aggregated,
                    void *scratch)
{
    const delivery *const d = (const delivery *)sweep;
    const opi_array *const in = &d->task->array[OPI_IN], *const out = &d->task->array[OPI_TOP_OUT],
                           *const indices = &d->task->array[OPI_TOP_INDICES];
    (void)carry, (void)total, (void)aggregated, (void)scratch;
    for (size_t i = begin; out->mem && i < end; i++)
        memcpy((char *)out->mem + i * out->size, (const char *)in->mem + d->at[i] * in->size, in->size);
    for (size_t i = begin; indices->mem && i < end; i++) {
        const uint32_t narrow = (uint32_t)d->at[i];
        memcpy((char *)indices->mem + i * indices->size,
               indices->size == sizeof narrow ? (const void *)&narrow : &d->at[i], indices->size);
    }
}

/* Writes the results: the keys at these places, and the places. */
static oplus_status deliver_all(opi_cores *cores, const char *call, const opi_task *task, const uint64_t *at)
{
    delivery d = {.task = task, .at = at};
    opi_sweep_clear(&d.sweep);
    d.sweep.n = task->top.k;
    d.sweep.block = DELIVERED;
    d.sweep.bytes = task->top.k * (sizeof *at + 2 * task->array[OPI_IN].size + task->array[OPI_TOP_INDICES].size);
    d.sweep.apply = deliver;
    return opi_cores_sweep(cores, call, &d.sweep, NULL);
}

/* --- the ways ----------------------------------------------------------------------------------------------------- */

static bool is_few(const opi_task *task) { return task->top.k <= task->n / KEYS_A_CANDIDATE; }

static oplus_status reserve(opi_cores *cores, const char *call, size_t bytes)
{
    if (opi_buffer_reserve(&cores->carry, bytes)) return OPLUS_OK;
    return opi_fail(OPLUS_ERR_MEMORY, "%s: no memory for %zu bytes of candidates; free some, or ask for a smaller k",
                    call, bytes);
}

/* Sorts the candidates: by their places, then stably by their keys. */
static oplus_status by_candidates(opi_cores *cores, const char *call, const opi_task *task)
{
    opi_task sort;
    top_sweep plan = plan_of(cores, task);
    OPI_TRY(reserve(cores, call, plan.sweep.carry_bytes));
    list *const l = cores->carry.mem;
    start(&plan.sweep, 0, l);
    OPI_TRY(opi_cores_sweep(cores, call, &plan.sweep, l));
    shorten(&plan, l);
    uint64_t *const key = keys_of(l), *const at = places_of(l, plan.room);
    opi_task_sort(&sort, &oplus_u64, OPLUS_ASCENDING, at, &oplus_u64, key, plan.k);
    OPI_TRY(opi_sort_run(cores, call, &sort));
    opi_task_sort(&sort, &oplus_u64, OPLUS_ASCENDING, key, &oplus_u64, at, plan.k);
    OPI_TRY(opi_sort_run(cores, call, &sort));
    return deliver_all(cores, call, task, at);
}

static oplus_status by_argsort(opi_cores *cores, const char *call, const opi_task *task)
{
    opi_task sort;
    OPI_TRY(reserve(cores, call, task->n * sizeof(uint64_t)));
    uint64_t *const at = cores->carry.mem;
    opi_task_argsort(&sort, task->top.key, task->top.order, task->array[OPI_IN].mem, task->n, &oplus_u64, at);
    OPI_TRY(opi_sort_run(cores, call, &sort));
    return deliver_all(cores, call, task, at);
}

oplus_status opi_top_run(opi_cores *cores, const char *call, const opi_task *task)
{
    return is_few(task) ? by_candidates(cores, call, task) : by_argsort(cores, call, task);
}

void opi_top_explain(opi_cores *cores, const opi_task *task, opi_saying *to)
{
    const bool few = is_few(task);
    opi_say_way(to, few, "candidates", "keys are read once, and the first of those so far are kept in lists");
    opi_say_way(to, !few, "argsort", "all keys are sorted: many are wanted");
    if (!few) return;
    const top_sweep plan = plan_of(cores, task);
    opi_cores_explain_sweep(cores, &plan.sweep, to);
}
