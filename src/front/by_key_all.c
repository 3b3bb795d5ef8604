/* oplus_reduce_by_key_all, oplus_scan_by_key_all, oplus_group_all.
 *
 * In a reduce each rank reduces the runs that begin on it.  Where a run goes on on later ranks, each of these summarises its
 * part, as elements that stand so far behind the beginning of the run: at most 2 log2 N nodes.  The ranks exchange the
 * nodes, and the rank where the run begins joins them: they are those of a reduce of the whole run, to the bit. */
#include "cores/cores.h"
#include "front/by_key.h"
#include "front/runs.h"
#include "front/sort.h"
#include "ranks/ranks.h"
#include "task/late.h"
#include "task/make.h"

#include <stdio.h>
#include <string.h>

typedef struct by_key_all {
    opi_ranks *ranks;
    opi_by_key b; /* of this rank, with the caller's arrays */
    oplus_layout layout;
    size_t capacity;
    const char *what; /* what is counted: "runs" */
    size_t *count;
    bool device; /* an array lies in the device's memory */
    bool keys;   /* keys of the results are wanted */
    opi_runs runs;
    opi_blocks blocks;
    char *made_keys, *made; /* where this rank makes its results: the caller's arrays, or memory apart */
    size_t own;             /* results that this rank makes, */
    size_t gets;            /* ... and has at the end */
} by_key_all;

static const oplus_op *op_of(const by_key_all *a) { return a->b.op; }

static uint64_t keys_of(const by_key_all *a, int rank) { return a->ranks->note[rank].n; }

static const opi_part *own_part(const by_key_all *a) { return &a->runs.part[a->ranks->comm->rank]; }

static bool is_dealt_out(const by_key_all *a) { return a->layout == OPLUS_EVEN && a->ranks->comm->size > 1; }

static oplus_status copy(const by_key_all *a, void *to, const void *from, size_t bytes)
{
    return a->ranks->dev->machine->copy(a->ranks->dev, a->ranks->call, to, from, bytes);
}

/* --- memory ------------------------------------------------------------------------------------------------------- */

static size_t most_nodes(const oplus_op *op) { return op->flags & OPLUS_EXACT ? 1 : OPI_RANGE_NODES; }

/* The summary of a part of a run; behind it the record of one, and a result. */
static opi_range *carry_of(const by_key_all *a) { return a->ranks->dev->rank->carries.mem; }
static char *record_of(const by_key_all *a) { return (char *)carry_of(a) + opi_range_bytes(op_of(a)); }
static size_t result_at(const oplus_op *op)
{
    return opi_round_up(opi_range_bytes(op) + opi_range_record_bytes(op, most_nodes(op)), OPI_CACHE_LINE);
}

static oplus_status reserve(by_key_all *a)
{
    const oplus_op *const op = op_of(a);
    const size_t bytes = result_at(op) + op->type->size;
    if (!opi_buffer_reserve(&a->ranks->dev->rank->carries, bytes))
        return opi_fail(OPLUS_ERR_MEMORY, "%s: no memory for %zu bytes of carry", a->ranks->call, bytes);
    if (is_dealt_out(a)) OPI_TRY(opi_blocks_reserve(a->ranks, &a->blocks));
    return opi_runs_reserve(a->ranks, &a->runs, opi_range_record_bytes(op, most_nodes(op)));
}

/* Takes memory for results that go to other ranks. */
static oplus_status reserve_apart(by_key_all *a)
{
    const size_t keys = opi_round_up(a->own * a->b.key->size, OPI_CACHE_LINE);
    void *mem;
    a->made_keys = a->b.out_keys;
    a->made = a->b.out;
    if (!is_dealt_out(a)) return OPLUS_OK;
    OPI_TRY(opi_ranks_lend(a->ranks, a->device, keys + a->own * op_of(a)->type->size, &mem));
    a->made_keys = a->keys ? mem : NULL;
    a->made = mem ? (char *)mem + keys : NULL;
    return OPLUS_OK;
}

/* --- runs that span ranks ------------------------------------------------------------------------------------------ */

/* Whether the last run that begins on this rank goes on on later ones. */
static bool goes_on(const by_key_all *a)
{
    const opi_part *const part = own_part(a);
    const bool begins = a->b.n > 0 && (part->lead < a->b.n || !part->continues);
    return begins && opi_runs_goes_on(a->ranks, &a->runs, a->ranks->comm->rank);
}

/* Bytes of the records that ranks exchange, 0 if no run spans ranks.  Every rank computes the same.  Sets *behind to how
 * far this rank's first key stands behind the beginning of its run. */
static size_t record_bytes(const by_key_all *a, uint64_t *behind)
{
    uint64_t first = 0, start = 0;
    size_t most = 0;
    for (int q = 0; q < a->ranks->comm->size; q++) {
        const opi_part *const part = &a->runs.part[q];
        if (keys_of(a, q) == 0) continue;
        if (!part->continues) start = first;
        if (part->continues)
            most = opi_larger(most, opi_range_nodes(op_of(a), first - start, first - start + part->lead));
        if (q == a->ranks->comm->rank) *behind = first - start;
        if (part->lead < keys_of(a, q)) start = first + part->last;
        first += keys_of(a, q);
    }
    return most > 0 ? opi_range_record_bytes(op_of(a), most) : 0;
}

/* Summarises values from index `at` on, as elements from index `first` on. */
static oplus_status summarise(const by_key_all *a, size_t at, size_t n, uint64_t first)
{
    oplus_device *const dev = a->ranks->dev;
    const oplus_op *const op = op_of(a);
    opi_ticket none = {0};
    opi_task task;
    opi_task_reduce(&task, op, a->b.values + at * op->type->size, NULL, n, first, NULL);
    opi_range_start(carry_of(a), op, first, false);
    return dev->machine->summarise(dev, a->ranks->call, &task, carry_of(a), &none);
}

/* Reduces the runs that begin and end on this rank.  Sets *made to their number. */
static oplus_status reduce_own(const by_key_all *a, size_t *made)
{
    const opi_part *const part = own_part(a);
    const size_t begin = part->continues ? (size_t)part->lead : 0, end = goes_on(a) ? (size_t)part->last : a->b.n;
    opi_by_key own = a->b;
    void *firsts;
    *made = 0;
    if (begin == end) return OPLUS_OK;
    own.keys += begin * own.key->size;
    own.values += begin * own.op->type->size;
    own.n = end - begin;
    own.out_keys = a->made_keys;
    own.out = a->made;
    OPI_TRY(opi_by_key_home(&own));
    OPI_TRY(opi_ranks_lend(a->ranks, a->runs.device, opi_by_key_scratch(&own), &firsts));
    return opi_by_key_reduce(&own, firsts, made);
}

/* Does all that needs no other rank.  behind: as above. */
static oplus_status make_own(by_key_all *a, uint64_t behind)
{
    const opi_part *const part = own_part(a);
    size_t made;
    OPI_TRY(reserve_apart(a));
    OPI_TRY(reduce_own(a, &made));
    a->own = made + goes_on(a);
    if (part->continues) {
        OPI_TRY(summarise(a, 0, (size_t)part->lead, behind));
        opi_range_write(carry_of(a), record_of(a));
    }
    if (!goes_on(a)) return OPLUS_OK;
    const size_t last = (size_t)part->last, size = a->b.key->size;
    if (a->made_keys) OPI_TRY(copy(a, a->made_keys + made * size, a->b.keys + last * size, size));
    return summarise(a, last, a->b.n - last, 0);
}

/* Joins the parts of the run that goes on, and writes its result. */
static oplus_status join(const by_key_all *a, size_t bytes)
{
    const oplus_op *const op = op_of(a);
    char *const value = (char *)carry_of(a) + result_at(op);
    uint64_t end = carry_of(a)->end;
    opi_task task;
    if (!goes_on(a)) return OPLUS_OK;
    for (int q = a->ranks->comm->rank + 1; q < a->ranks->comm->size; q++) {
        const opi_part *const part = &a->runs.part[q];
        if (keys_of(a, q) == 0) continue;
        if (!part->continues) break;
        end += part->lead;
        opi_range_read(carry_of(a), end, opi_ranks_record(a->ranks, q, bytes));
        if (part->lead < keys_of(a, q)) break;
    }
    opi_task_reduce(&task, op, NULL, NULL, 0, 0, NULL);
    opi_cores_finish(opi_cores_of(a->ranks->dev), &task, carry_of(a), value);
    return copy(a, a->made + (a->own - 1) * op->type->size, value, op->type->size);
}

/* --- a reduce ------------------------------------------------------------------------------------------------------ */

static oplus_status deal_out(const by_key_all *a)
{
    oplus_status keys = OPLUS_OK;
    if (!is_dealt_out(a)) return OPLUS_OK;
    if (a->keys) keys = opi_blocks_move(a->ranks, &a->blocks, a->b.key->size, a->made_keys, a->b.out_keys);
    const oplus_status values = opi_blocks_move(a->ranks, &a->blocks, op_of(a)->type->size, a->made, a->b.out);
    return keys != OPLUS_OK ? keys : values;
}

/* Looks where the arrays lie. */
static oplus_status look(by_key_all *a)
{
    const opi_by_key *const b = &a->b;
    const size_t key = b->key->size, value = b->op->type->size;
    bool values, out_keys, out;
    OPI_TRY(opi_ranks_look(a->ranks, "keys", b->keys, b->n * key, &a->runs.device));
    OPI_TRY(opi_ranks_look(a->ranks, "values", b->values, b->n * value, &values));
    OPI_TRY(opi_ranks_look(a->ranks, "out_keys", b->out_keys, b->out_keys ? a->capacity * key : 0, &out_keys));
    OPI_TRY(opi_ranks_look(a->ranks, "out", b->out, a->capacity * value, &out));
    a->device = a->runs.device || values || out_keys || out;
    return OPLUS_OK;
}

static oplus_status reduce(by_key_all *a, oplus_status status)
{
    opi_ranks *const ranks = a->ranks;
    uint64_t behind = 0;
    a->runs.key = a->b.key;
    a->runs.same = a->b.same;
    a->runs.keys = a->b.keys;
    a->runs.n = a->b.n;
    if (status == OPLUS_OK) status = look(a);
    if (status == OPLUS_OK) status = reserve(a);
    const uint32_t flags = opi_ranks_wants(0, a->b.out_keys, a->capacity) | (a->device ? OPI_NOTE_DEVICE : 0);
    OPI_TRY(opi_ranks_index(ranks, status, a->b.n, a->capacity, flags));
    OPI_TRY(opi_ranks_wanted(ranks, 0, "out_keys", &a->keys));
    const bool count = opi_runs_must_count(ranks, a->layout);
    OPI_TRY(opi_runs_find(ranks, &a->runs, count ? OPI_FIND_COUNT : OPI_FIND_ENDS));
    if (count) OPI_TRY(opi_runs_place(ranks, &a->runs, a->layout, a->what, &a->blocks, &a->gets));
    a->own = count ? (size_t)opi_runs_begin(&a->runs, ranks->comm->rank) : 0;
    const size_t bytes = record_bytes(a, &behind);
    OPI_TRY(opi_ranks_gather(ranks, make_own(a, behind), record_of(a), bytes));
    const oplus_status joined = join(a, bytes), dealt = deal_out(a);
    OPI_TRY(opi_ranks_agree(ranks, joined != OPLUS_OK ? joined : dealt));
    *a->count = is_dealt_out(a) ? a->gets : a->own;
    return OPLUS_OK;
}

/* Frees what the call has taken, and returns `status`. */
static oplus_status close(by_key_all *a, oplus_status status)
{
    opi_runs_release(&a->runs);
    return opi_ranks_close(a->ranks, status);
}

/* --- the calls ----------------------------------------------------------------------------------------------------- */

/* Checks the outputs of a reduce. */
static oplus_status check_out(const by_key_all *a)
{
    const opi_by_key *const b = &a->b;
    OPI_TRY(opi_check_ranks_layout(b->call, a->layout));
    OPI_TRY(opi_check_bytes(b->call, "capacity", a->capacity, opi_larger(b->key->size, b->op->type->size)));
    OPI_TRY(opi_by_key_check_out(b, a->what, a->count, a->capacity));
    if (b->out || a->capacity == 0)
        return opi_late_ready(b->call, b->op->late); /* the host joins what ranks exchange */
    return opi_fail(OPLUS_ERR_ARGUMENT, "%s: out is NULL though capacity is %zu; give memory for %zu result%s", b->call,
                    a->capacity, a->capacity, opi_s(a->capacity));
}

/* Names what must be the same on all ranks. */
static void name(const by_key_all *a, const char *options)
{
    char text[64];
    snprintf(text, sizeof text, "%s%s", options, a->layout == OPLUS_EVEN ? "even" : "as given");
    opi_ranks_name_op(a->ranks, op_of(a), text);
    opi_ranks_name_keys(a->ranks, a->b.key, a->b.same);
}

/* What follows the search for runs. */
static const char then_reduce[] = "  results: one of summaries where runs span ranks; elements only where the layout "
                                  "is even, those that change their rank\n"
                                  "then: each rank reduces the values of its runs\n";
static const char then_scan[] = "  and those of a scan of the values\n"
                                "then: each rank scans the values of its runs\n";

/* Explains the search for runs, with which a call begins. */
static oplus_status explain(const by_key_all *a, oplus_status status, const char *then)
{
    opi_task task;
    if (status == OPLUS_OK)
        opi_task_select(&task, OPI_PICKS_HEADS, a->b.same, a->b.key, a->b.keys, NULL, a->b.n,
                        &(opi_selected){.index_bytes = sizeof(uint32_t)}, NULL);
    OPI_TRY(opi_ranks_explain(a->ranks, status, &task));
    opi_say(&a->b.dev->explained, "%s", then);
    return OPLUS_OK;
}

static oplus_status prepare_reduce(const by_key_all *a)
{
    OPI_TRY(opi_check_device(a->b.call, a->b.dev));
    OPI_TRY(opi_by_key_check(&a->b));
    OPI_TRY(check_out(a));
    name(a, "");
    return OPLUS_OK;
}

oplus_status oplus_reduce_by_key_all(oplus_device *dev, const oplus_comm *comm, const oplus_op *op,
                                     const oplus_type *key, const oplus_fn *same, oplus_layout layout, const void *keys,
                                     const void *values, size_t n, void *out_keys, void *out, size_t capacity,
                                     size_t *runs)
{
    OPI_OWN_MODE;
    opi_ranks ranks;
    by_key_all a = {.ranks = &ranks,
                    .b = {dev, __func__, op, key, same, keys, values, n, out_keys, out, NULL, 0},
                    .layout = layout,
                    .capacity = capacity,
                    .what = "runs",
                    .count = runs};
    OPI_TRY(opi_ranks_open(&ranks, dev, comm, __func__));
    const oplus_status status = prepare_reduce(&a);
    return close(&a, opi_ranks_explained(&ranks) ? explain(&a, status, then_reduce) : reduce(&a, status));
}

/* --- a scan: a segmented scan whose heads are where runs begin ------------------------------------------------------ */

static oplus_status prepare_scan(const by_key_all *a, oplus_kind kind)
{
    OPI_TRY(opi_check_device(a->b.call, a->b.dev));
    OPI_TRY(opi_by_key_check(&a->b));
    OPI_TRY(opi_by_key_check_scan(&a->b, kind));
    OPI_TRY(opi_late_ready(a->b.call, a->b.op->late)); /* the host joins what ranks exchange */
    opi_ranks_name_op(a->ranks, op_of(a), kind == OPLUS_EXCLUSIVE ? "exclusive" : "inclusive");
    opi_ranks_name_keys(a->ranks, a->b.key, a->b.same);
    return OPLUS_OK;
}

/* Marks where runs begin among this rank's keys, as if the first one did. */
static oplus_status mark_own(by_key_all *a, void **heads)
{
    OPI_TRY(look(a));
    OPI_TRY(opi_runs_reserve(a->ranks, &a->runs, 0));
    OPI_TRY(opi_ranks_lend(a->ranks, a->runs.device, a->b.n, heads));
    return a->b.n > 0 ? opi_by_key_heads(&a->b, *heads) : OPLUS_OK;
}

static oplus_status scan(by_key_all *a, oplus_status status, oplus_kind kind)
{
    static const uint8_t none = 0;
    opi_ranks *const ranks = a->ranks;
    void *heads = NULL;
    opi_task task = {.n = a->b.n};
    if (status == OPLUS_OK) status = mark_own(a, &heads);
    OPI_TRY(opi_ranks_index(ranks, status, a->b.n, 0, 0));
    OPI_TRY(opi_runs_find(ranks, &a->runs, OPI_FIND_FIRST));
    if (own_part(a)->continues) status = copy(a, heads, &none, sizeof none);
    opi_task_scan(&task, op_of(a), kind, a->b.values, heads, a->b.n, 0, a->b.out);
    task.lifted = true; /* also on a rank that has no heads */
    return opi_ranks_run(ranks, status, &task, false, NULL);
}

oplus_status oplus_scan_by_key_all(oplus_device *dev, const oplus_comm *comm, const oplus_op *op, oplus_kind kind,
                                   const oplus_type *key, const oplus_fn *same, const void *keys, const void *values,
                                   size_t n, void *out)
{
    OPI_OWN_MODE;
    opi_ranks ranks;
    by_key_all a = {.ranks = &ranks,
                    .b = {dev, __func__, op, key, same, keys, values, n, NULL, out, NULL, 0},
                    .capacity = n,
                    .runs = {.key = key, .same = same, .keys = keys, .n = n}};
    OPI_TRY(opi_ranks_open(&ranks, dev, comm, __func__));
    const oplus_status status = prepare_scan(&a, kind);
    return close(&a, opi_ranks_explained(&ranks) ? explain(&a, status, then_scan) : scan(&a, status, kind));
}

/* --- a group: a stable sort of pairs, and a reduce ------------------------------------------------------------------- */

static oplus_status prepare_group(const by_key_all *a, oplus_order order)
{
    const opi_by_key *const b = &a->b;
    OPI_TRY(opi_sort_check(b->call, b->dev, b->key, order, b->keys, false, NULL, NULL, "n", b->n));
    OPI_TRY(opi_by_key_check(b));
    OPI_TRY(check_out(a));
    OPI_TRY(opi_check_bytes(b->call, "n", b->n, b->key->size + b->op->type->size + 2 * sizeof(uint64_t)));
    name(a, order == OPLUS_DESCENDING ? "descending, " : "ascending, ");
    return OPLUS_OK;
}

static oplus_status explain_group(const by_key_all *a, oplus_status status, oplus_order order)
{
    opi_task task;
    if (status == OPLUS_OK)
        opi_task_sort(&task, a->b.key, order, (char *)a->b.keys, op_of(a)->type, (char *)a->b.values, a->b.n);
    OPI_TRY(opi_ranks_explain(a->ranks, status, &task));
    opi_say(&a->b.dev->explained, "  and those of a reduce by key\n"
                                  "before it: copies of the keys and the values in memory apart\n"
                                  "then: each rank reduces the values of its groups\n");
    return OPLUS_OK;
}

/* Copies keys and values to memory apart, which takes their places. */
static oplus_status copy_apart(by_key_all *a)
{
    opi_by_key *const b = &a->b;
    const size_t keys = b->n * b->key->size, values = b->n * b->op->type->size;
    const size_t values_at = opi_round_up(keys, OPI_CACHE_LINE);
    void *mem;
    if (b->n == 0) return OPLUS_OK;
    OPI_TRY(look(a));
    OPI_TRY(opi_ranks_lend(a->ranks, a->device, values_at + values, &mem));
    OPI_TRY(copy(a, mem, b->keys, keys));
    OPI_TRY(copy(a, (char *)mem + values_at, b->values, values));
    b->keys = mem;
    b->values = b->keys + values_at;
    return OPLUS_OK;
}

static oplus_status group(by_key_all *a, oplus_status status, oplus_order order)
{
    opi_task task = {.n = a->b.n};
    size_t n = a->b.n;
    if (status == OPLUS_OK) status = copy_apart(a);
    if (status == OPLUS_OK)
        opi_task_sort(&task, a->b.key, order, (char *)a->b.keys, op_of(a)->type, (char *)a->b.values, n);
    OPI_TRY(opi_ranks_sort(a->ranks, status, &task, OPLUS_AS_GIVEN, n, &n));
    return reduce(a, OPLUS_OK);
}

oplus_status oplus_group_all(oplus_device *dev, const oplus_comm *comm, const oplus_op *op, const oplus_type *key,
                             oplus_order order, oplus_layout layout, const void *keys, const void *values, size_t n,
                             void *out_keys, void *out, size_t capacity, size_t *groups)
{
    OPI_OWN_MODE;
    opi_ranks ranks;
    by_key_all a = {.ranks = &ranks,
                    .b = {dev, __func__, op, key, NULL, keys, values, n, out_keys, out, NULL, 0},
                    .layout = layout,
                    .capacity = capacity,
                    .what = "groups",
                    .count = groups};
    OPI_TRY(opi_ranks_open(&ranks, dev, comm, __func__));
    const oplus_status status = prepare_group(&a, order);
    return close(&a, opi_ranks_explained(&ranks) ? explain_group(&a, status, order) : group(&a, status, order));
}
