/* oplus_reduce_by_key, oplus_scan_by_key, oplus_group: a select finds where runs begin, and then there are segments.
 *
 * A reduce goes from piece to piece, each of which begins where a run does, so that scratch memory is bounded, and so
 * that on cores keys, offsets and values of a piece are still in a cache when they are read again.  A run that is longer
 * than a piece is a reduce of its own. */
#include "front/by_key.h"

#include "cores/cores.h"
#include "front/runs.h"
#include "front/scratch.h"
#include "front/sort.h"
#include "task/make.h"

/* Keys of a piece. */
enum {
    CORES_PIECE = 1 << 18, /* for each thread, whose offsets are 1 MiB: they stay in a cache */
    CORES_MOST = 1 << 22,
    HOST_PIECE = 1 << 24, /* of the host's arrays, on an accelerator */
    DEVICE_PIECE =
        1 << 26, /* of an accelerator's arrays: to wait for the number of runs takes no time beside the work */
    MORE = 64    /* the last piece has up to this part of a piece more */
};

static size_t cores_piece(const opi_by_key *b)
{
    const size_t bytes = b->n * (b->key->size + b->op->type->size);
    return opi_smaller(CORES_MOST, CORES_PIECE * opi_cores_threads(b->dev->cores, bytes));
}

oplus_status opi_by_key_home(opi_by_key *b)
{
    const opi_machine *const machine = b->dev->machine;
    b->home = NULL;
    if (machine->look && b->n > 0)
        OPI_TRY(machine->look(b->dev, b->call, "keys", b->keys, b->n * b->key->size, &b->home));
    if (!b->home) b->home = &b->dev->cores->dev;
    const size_t most = machine->is_host ? cores_piece(b) : b->home->machine->is_host ? HOST_PIECE : DEVICE_PIECE;
    b->piece = opi_smaller(most, b->n);
    return OPLUS_OK;
}

static oplus_status copy(const opi_by_key *b, void *to, const void *from, size_t bytes)
{
    return b->dev->machine->copy(b->dev, b->call, to, from, bytes);
}

/* --- runs ---------------------------------------------------------------------------------------------------------- */

/* Finds where runs begin among n > 0 keys from index `at` on: a run begins at the first of them, too. */
static oplus_status find_runs(const opi_by_key *b, size_t at, size_t n, void *out_keys, uint32_t *firsts, size_t *found)
{
    opi_task task;
    opi_task_select(&task, OPI_PICKS_HEADS, b->same, b->key, b->keys + at * b->key->size, NULL, n,
                    &(opi_selected){.picked = out_keys, .index = firsts, .index_bytes = sizeof *firsts}, found);
    return opi_run(b->dev, b->call, &task, NULL);
}

/* Reduces the run from index `open` on, which goes on up to index `at` at least.  Sets *end to where it ends. */
static oplus_status reduce_long(const opi_by_key *b, size_t open, size_t at, uint32_t *firsts, void *out, size_t *end)
{
    opi_task task;
    size_t found = 1;
    uint32_t first = 0;
    while (at < b->n && found == 1) { /* the element before `at` is of the run */
        const size_t begin = at - 1, m = opi_smaller(b->piece, b->n - begin);
        OPI_TRY(find_runs(b, begin, m, NULL, firsts, &found));
        if (found > 1) OPI_TRY(copy(b, &first, firsts + 1, sizeof first));
        at = begin + (found > 1 ? first : m);
    }
    *end = at;
    opi_task_reduce(&task, b->op, b->values + open * b->op->type->size, NULL, at - open, 0, out);
    return opi_run(b->dev, b->call, &task, NULL);
}

/* Reduces the values from index `open` on, in so many segments. */
static oplus_status reduce_runs(const opi_by_key *b, size_t open, size_t n, const uint32_t *firsts, size_t segments,
                                void *out)
{
    opi_task task;
    const opi_offsets offsets = {firsts, segments, sizeof *firsts, n};
    opi_task_segreduce(&task, b->op, b->values + open * b->op->type->size, n, &oplus_u32, &offsets, out);
    return opi_run(b->dev, b->call, &task, NULL);
}

/* How many keys the piece from index `begin` on has: a little more, if only so few are left. */
static size_t next_of(const opi_by_key *b, size_t begin)
{
    const size_t left = b->n - begin;
    return left <= b->piece + b->piece / MORE ? left : b->piece;
}

/* Reduces the runs that end in the piece from index *open on, which is where a run begins; *open becomes where the first
 * run begins that does not, and *runs grows.  firsts: room for one more than a piece has keys. */
static oplus_status reduce_piece(const opi_by_key *b, uint32_t *firsts, size_t *open, size_t *runs)
{
    const size_t begin = *open, n = next_of(b, begin);
    const bool is_last = begin + n == b->n;
    void *const out_keys = b->out_keys ? b->out_keys + *runs * b->key->size : NULL;
    char *const out = b->out + *runs * b->op->type->size;
    size_t found;
    uint32_t end = (uint32_t)n;
    OPI_TRY(find_runs(b, begin, n, out_keys, firsts, &found));
    if (is_last) OPI_TRY(copy(b, firsts + found, &end, sizeof end));
    const size_t complete = is_last ? found : found - 1;
    if (complete == 0) {
        ++*runs;
        return reduce_long(b, begin, begin + n, firsts, out, open);
    }
    if (!is_last) OPI_TRY(copy(b, &end, firsts + complete, sizeof end)); /* now: later it would wait for the reduce */
    OPI_TRY(reduce_runs(b, begin, n, firsts, complete, out));
    *open = begin + end;
    *runs += complete;
    return OPLUS_OK;
}

size_t opi_by_key_scratch(const opi_by_key *b) { return (b->piece + b->piece / MORE + 1) * sizeof(uint32_t); }

/* Says that it is done piece by piece, if it is, and how much scratch memory the call takes. */
static void say_pieces(const opi_by_key *b, size_t scratch)
{
    opi_saying *const to = &b->dev->explained;
    if (next_of(b, 0) < b->n)
        opi_say(to, "both: for each piece of about %zu of the %zu keys, which begins where a run does\n", b->piece,
                b->n);
    opi_say(to, "scratch memory: %zu bytes\n", scratch);
}

/* Explains what is done with the first piece, and says what follows. */
static oplus_status explain_reduce(const opi_by_key *b, uint32_t *firsts)
{
    size_t found;
    if (b->n == 0) return OPLUS_OK;
    OPI_TRY(find_runs(b, 0, next_of(b, 0), b->out_keys, firsts, &found));
    opi_say(&b->dev->explained,
            "then: a segmented reduce of the values; how many segments it has is known only then\n");
    say_pieces(b, opi_by_key_scratch(b));
    return OPLUS_OK;
}

oplus_status opi_by_key_reduce(const opi_by_key *b, uint32_t *firsts, size_t *runs)
{
    size_t open = 0, count = 0;
    while (open < b->n) OPI_TRY(reduce_piece(b, firsts, &open, &count));
    return copy(b, runs, &count, sizeof count);
}

/* --- checks -------------------------------------------------------------------------------------------------------- */

oplus_status opi_by_key_check(const opi_by_key *b)
{
    OPI_TRY(opi_check_op(b->call, b->op));
    OPI_TRY(opi_check_same(b->call, "key", b->key, b->same));
    OPI_TRY(opi_check_pointer(b->call, "keys", b->keys, b->n));
    OPI_TRY(opi_check_pointer(b->call, "values", b->values, b->n));
    return opi_check_bytes(b->call, "n", b->n, opi_larger(b->key->size, b->op->type->size));
}

oplus_status opi_by_key_check_out(const opi_by_key *b, const char *name, const size_t *count, size_t room)
{
    const size_t key = b->key->size, value = b->op->type->size;
    OPI_TRY(opi_check_count(b->call, name, count));
    const opi_given given[] = {
        {"keys", b->keys, b->n * key}, {"out_keys", b->out_keys, room * key}, {"out", b->out, room * value}};
    OPI_TRY(opi_check_apart(b->call, given, sizeof given / sizeof *given));
    OPI_TRY(opi_check_overlap(b->call, "values", b->values, b->n * value, "out_keys", b->out_keys,
                              b->out_keys ? room * key : 0, false));
    return opi_check_overlap(b->call, "values", b->values, b->n * value, "out", b->out, room * value, false);
}

/* The same of a call over this process's arrays: it is not known how much it writes. */
static oplus_status check_reduce(const opi_by_key *b, const char *name, const size_t *count)
{
    OPI_TRY(opi_check_pointer(b->call, "out", b->out, b->n));
    return opi_by_key_check_out(b, name, count, b->n > 0);
}

/* --- the calls ----------------------------------------------------------------------------------------------------- */

oplus_status oplus_reduce_by_key(oplus_device *dev, const oplus_op *op, const oplus_type *key, const oplus_fn *same,
                                 const void *keys, const void *values, size_t n, void *out_keys, void *out,
                                 size_t *runs)
{
    OPI_OWN_MODE;
    void *firsts = NULL;
    opi_by_key b = {dev, __func__, op, key, same, keys, values, n, out_keys, out, NULL, 0};
    OPI_TRY(opi_check_device(__func__, dev));
    OPI_TRY(opi_by_key_check(&b));
    OPI_TRY(check_reduce(&b, "runs", runs));
    OPI_TRY(opi_by_key_home(&b));
    OPI_TRY(opi_borrow(b.home, __func__, opi_by_key_scratch(&b), &firsts));
    const oplus_status status = dev->explained.text ? explain_reduce(&b, firsts) : opi_by_key_reduce(&b, firsts, runs);
    opi_give_back(b.home, firsts);
    return status;
}

oplus_status opi_by_key_check_scan(const opi_by_key *b, oplus_kind kind)
{
    const size_t bytes = b->n * b->op->type->size;
    OPI_TRY(opi_check_kind(b->call, kind));
    if (kind == OPLUS_EXCLUSIVE) OPI_TRY(opi_check_identity(b->call, b->op, "an exclusive scan"));
    OPI_TRY(opi_check_pointer(b->call, "out", b->out, b->n));
    OPI_TRY(opi_check_overlap(b->call, "keys", b->keys, b->n * b->key->size, "out", b->out, bytes, false));
    return opi_check_overlap(b->call, "values", b->values, bytes, "out", b->out, bytes, true);
}

oplus_status opi_by_key_heads(const opi_by_key *b, void *heads)
{
    opi_task task;
    opi_task_select(&task, OPI_PICKS_HEADS, b->same, b->key, b->keys, NULL, b->n,
                    &(opi_selected){.head = heads, .index_bytes = sizeof(uint32_t)}, NULL);
    return opi_run(b->dev, b->call, &task, NULL);
}

/* heads: n bytes of scratch memory. */
static oplus_status scan(const opi_by_key *b, oplus_kind kind, void *heads)
{
    opi_task task;
    OPI_TRY(opi_by_key_heads(b, heads));
    opi_task_scan(&task, b->op, kind, b->values, heads, b->n, 0, b->out);
    return opi_run(b->dev, b->call, &task, NULL);
}

static oplus_status explain_scan(const opi_by_key *b, void *heads)
{
    OPI_TRY(opi_by_key_heads(b, heads));
    opi_say(&b->dev->explained, "then: a segmented scan of the values\nscratch memory: %zu bytes\n", b->n);
    return OPLUS_OK;
}

oplus_status oplus_scan_by_key(oplus_device *dev, const oplus_op *op, oplus_kind kind, const oplus_type *key,
                               const oplus_fn *same, const void *keys, const void *values, size_t n, void *out)
{
    OPI_OWN_MODE;
    void *heads = NULL;
    opi_by_key b = {dev, __func__, op, key, same, keys, values, n, NULL, out, NULL, 0};
    OPI_TRY(opi_check_device(__func__, dev));
    OPI_TRY(opi_by_key_check(&b));
    OPI_TRY(opi_by_key_check_scan(&b, kind));
    if (n == 0) return OPLUS_OK;
    OPI_TRY(opi_by_key_home(&b));
    OPI_TRY(opi_borrow(b.home, __func__, n, &heads));
    const oplus_status status = dev->explained.text ? explain_scan(&b, heads) : scan(&b, kind, heads);
    opi_give_back(b.home, heads);
    return status;
}

/* Copies keys and values to scratch memory, and sorts them there. */
static oplus_status sort(const opi_by_key *b, oplus_order order, void *keys, void *values)
{
    opi_task task;
    const oplus_type *const value = b->op->type;
    if (b->n == 0) return OPLUS_OK;
    OPI_TRY(copy(b, keys, b->keys, b->n * b->key->size));
    OPI_TRY(copy(b, values, b->values, b->n * value->size));
    opi_task_sort(&task, b->key, order, keys, value, values, b->n);
    return opi_run(b->dev, b->call, &task, NULL);
}

/* scratch: for the keys, then for the values, then for the reduce. */
static oplus_status group(const opi_by_key *b, oplus_order order, char *scratch, size_t values_at, size_t firsts_at,
                          size_t *groups)
{
    opi_by_key sorted = *b;
    OPI_TRY(sort(b, order, scratch, scratch + values_at));
    sorted.keys = scratch;
    sorted.values = scratch + values_at;
    return opi_by_key_reduce(&sorted, (uint32_t *)(void *)(scratch + firsts_at), groups);
}

/* The same scratch memory, of so many bytes. */
static oplus_status explain_group(const opi_by_key *b, oplus_order order, char *scratch, size_t values_at, size_t bytes)
{
    opi_task task;
    if (b->n == 0) return OPLUS_OK;
    opi_task_sort(&task, b->key, order, scratch, b->op->type, scratch + values_at, b->n);
    OPI_TRY(opi_run(b->dev, b->call, &task, NULL));
    opi_say(&b->dev->explained, "before it: copies of the keys and the values in scratch memory\n"
                                "then: where groups begin is found, and a segmented reduce of the values\n");
    say_pieces(b, bytes);
    return OPLUS_OK;
}

oplus_status oplus_group(oplus_device *dev, const oplus_op *op, const oplus_type *key, oplus_order order,
                         const void *keys, const void *values, size_t n, void *out_keys, void *out, size_t *groups)
{
    OPI_OWN_MODE;
    void *scratch = NULL;
    opi_by_key b = {dev, __func__, op, key, NULL, keys, values, n, out_keys, out, NULL, 0};
    OPI_TRY(opi_sort_check(__func__, dev, key, order, keys, false, NULL, NULL, "n", n));
    OPI_TRY(opi_by_key_check(&b));
    OPI_TRY(check_reduce(&b, "groups", groups));
    OPI_TRY(opi_by_key_home(&b));
    OPI_TRY(opi_check_bytes(__func__, "n", n, key->size + op->type->size + 2 * sizeof(uint64_t)));
    const size_t values_at = opi_round_up(n * key->size, OPI_CACHE_LINE);
    const size_t firsts_at = opi_round_up(values_at + n * op->type->size, OPI_CACHE_LINE);
    const size_t bytes = firsts_at + opi_by_key_scratch(&b);
    OPI_TRY(opi_borrow(b.home, __func__, bytes, &scratch));
    const oplus_status status = dev->explained.text ? explain_group(&b, order, scratch, values_at, bytes)
                                                    : group(&b, order, scratch, values_at, firsts_at, groups);
    opi_give_back(b.home, scratch);
    return status;
}
