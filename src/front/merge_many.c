/* oplus_merge_many, oplus_merge_many_pairs, oplus_merge_many_by: a tree of merges of two arrays.
 *
 * The arrays are halved again and again.  A merge writes to one of two sides, and those that it joins to the other one, each to
 * its own part: so none overwrites what another one reads, and nothing is copied.  The first side is the output itself, the
 * second one is scratch memory.  If the output lies in memory of the host and a device with memory of its own merges, the first
 * side is scratch memory of the device, too, and only the last merge writes to the output. */
#include "base/memory.h"
#include "front/check.h"
#include "front/order.h"
#include "front/scratch.h"
#include "front/sort.h"
#include "task/explain.h"
#include "task/make.h"

#include <oplus/order.h>

#include <stdio.h>

enum { KEYS, VALUES, KINDS };

/* Arrays of one kind: keys (or elements), or values. */
typedef struct some_arrays {
    const char *in_name, *out_name; /* in messages */
    const oplus_type *type;         /* NULL: there are none */
    const void *const *in;
    char *out;
} some_arrays;

typedef struct merging {
    oplus_device *dev;
    const char *call;
    oplus_order order;
    const oplus_fn *less;
    some_arrays of[KINDS];
    const size_t *n;
    size_t count, total;
    char *to[2][KINDS]; /* the two sides */
} merging;

/* Some of the arrays as one. */
typedef struct merged {
    const char *at[KINDS];
    size_t n;
} merged;

static bool has(const merging *m, int kind) { return m->of[kind].type; }

static size_t size_of(const merging *m, int kind) { return has(m, kind) ? m->of[kind].type->size : 0; }

/* --- the arguments ------------------------------------------------------------------------------------------------ */

enum { NAME_BYTES = 48 };

static void name_array(const merging *m, int kind, size_t k, char name[NAME_BYTES])
{
    snprintf(name, NAME_BYTES, "%s[%zu]", m->of[kind].in_name, k);
}

/* The output of a kind may overlap no input. */
static oplus_status check_apart(const merging *m, int kind)
{
    char name[NAME_BYTES];
    const some_arrays *const out = &m->of[kind];
    for (int own = KEYS; own < KINDS && has(m, own); own++)
        for (size_t k = 0; k < m->count; k++) {
            name_array(m, own, k, name);
            OPI_TRY(opi_check_overlap(m->call, name, m->of[own].in[k], m->n[k] * size_of(m, own), out->out_name,
                                      out->out, m->total * size_of(m, kind), false));
        }
    return OPLUS_OK;
}

/* Adds up the lengths of the arrays. */
static oplus_status check_lengths(merging *m)
{
    char name[NAME_BYTES];
    OPI_TRY(opi_check_pointer(m->call, "n", m->n, m->count));
    for (size_t k = 0; k < m->count; k++) {
        snprintf(name, sizeof name, k > 1 ? "n[0] + ... + n[%zu]" : k > 0 ? "n[0] + n[%zu]" : "n[%zu]", k);
        if (__builtin_add_overflow(m->total, m->n[k], &m->total)) m->total = SIZE_MAX;
        OPI_TRY(opi_check_bytes(m->call, name, m->total, size_of(m, KEYS)));
        if (has(m, VALUES)) OPI_TRY(opi_check_bytes(m->call, name, m->total, size_of(m, VALUES)));
    }
    return OPLUS_OK;
}

static oplus_status check_kind(const merging *m, int kind)
{
    char name[NAME_BYTES];
    OPI_TRY(opi_check_pointer(m->call, m->of[kind].in_name, m->of[kind].in, m->count));
    for (size_t k = 0; k < m->count; k++) {
        name_array(m, kind, k, name);
        OPI_TRY(opi_check_pointer(m->call, name, m->of[kind].in[k], m->n[k]));
    }
    return opi_check_pointer(m->call, m->of[kind].out_name, m->of[kind].out, m->total);
}

static oplus_status check(merging *m)
{
    OPI_TRY(check_lengths(m));
    for (int kind = KEYS; kind < KINDS && has(m, kind); kind++) OPI_TRY(check_kind(m, kind));
    for (int kind = KEYS; kind < KINDS && has(m, kind); kind++) OPI_TRY(check_apart(m, kind));
    if (!has(m, VALUES)) return OPLUS_OK;
    const some_arrays *const keys = &m->of[KEYS], *const values = &m->of[VALUES];
    return opi_check_overlap(m->call, keys->out_name, keys->out, m->total * size_of(m, KEYS), values->out_name,
                             values->out, m->total * size_of(m, VALUES), false);
}

/* --- the tree ----------------------------------------------------------------------------------------------------- */

static void make_task(const merging *m, const merged *a, const merged *b, char *const to[KINDS], opi_task *task)
{
    opi_task_merge(task, m->of[KEYS].type, m->order, m->less, a->at[KEYS], a->n, b->at[KEYS], b->n, to[KEYS]);
    if (has(m, VALUES)) opi_task_merge_values(task, m->of[VALUES].type, a->at[VALUES], b->at[VALUES], to[VALUES]);
}

/* NOLINTBEGIN(misc-no-recursion): the depth is the logarithm of the number of arrays */
/* Merges the arrays [begin, end), of which `before` elements come before, into a side, or all of them into the output; one
 * array stays where it is. */
static oplus_status merge(const merging *m, size_t begin, size_t end, size_t before, int side, merged *made)
{
    merged a, b;
    char *to[KINDS] = {NULL, NULL};
    const size_t middle = begin + (end - begin) / 2;
    *made = (merged){.n = 0};
    if (end - begin == 1) {
        for (int kind = KEYS; kind < KINDS && has(m, kind); kind++) made->at[kind] = m->of[kind].in[begin];
        made->n = m->n[begin];
        return OPLUS_OK;
    }
    OPI_TRY(merge(m, begin, middle, before, !side, &a));
    OPI_TRY(merge(m, middle, end, before + a.n, !side, &b));
    made->n = a.n + b.n;
    if (made->n == 0) return OPLUS_OK;
    for (int kind = KEYS; kind < KINDS && has(m, kind); kind++) {
        char *const base = end - begin == m->count ? m->of[kind].out : m->to[side][kind];
        made->at[kind] = to[kind] = base + before * size_of(m, kind);
    }
    opi_task task;
    make_task(m, &a, &b, to, &task);
    return opi_run(m->dev, m->call, &task, NULL);
}
/* NOLINTEND(misc-no-recursion) */

/* The last merge, and in words those before. */
static oplus_status explain(const merging *m)
{
    opi_task last;
    char *const to[KINDS] = {m->of[KEYS].out, m->of[VALUES].out};
    merged a = {{to[KEYS], to[VALUES]}, 0}, b = a;
    if (m->count == 1) {
        opi_say(&m->dev->explained, "a copy of the %zu elements of the only array\n", m->total);
        return OPLUS_OK;
    }
    for (size_t k = 0; k < m->count / 2; k++) a.n += m->n[k];
    b.n = m->total - a.n;
    make_task(m, &a, &b, to, &last);
    OPI_TRY(opi_run(m->dev, m->call, &last, NULL));
    if (m->count > 2)
        opi_say(&m->dev->explained, "before it %zu merge%s of fewer elements: a tree of merges of two arrays\n",
                m->count - 2, m->count == 3 ? "" : "s");
    return OPLUS_OK;
}

/* --- scratch memory ----------------------------------------------------------------------------------------------- */

static size_t side_bytes(const merging *m)
{
    return opi_round_up(m->total * size_of(m, KEYS), OPI_CACHE_LINE) +
           opi_round_up(m->total * size_of(m, VALUES), OPI_CACHE_LINE);
}

/* Makes scratch memory at `mem` a side. */
static void use(merging *m, int side, char *mem)
{
    m->to[side][KEYS] = mem;
    m->to[side][VALUES] = mem + opi_round_up(m->total * size_of(m, KEYS), OPI_CACHE_LINE);
}

/* Merges of at most four arrays write to the second side and to the output. */
static unsigned sides(const merging *m, const opi_scratch *scratch)
{
    return scratch->is_apart && m->count > 4 ? 2 : 1;
}

static oplus_status borrow(merging *m, opi_scratch *scratch)
{
    const size_t each = side_bytes(m);
    void *mem;
    OPI_TRY(
        opi_scratch_find(m->dev, m->call, m->of[KEYS].out_name, m->of[KEYS].out, m->total * size_of(m, KEYS), scratch));
    if (each > SIZE_MAX / 3) /* for scratch memory, and for copies of what a merge reads or writes */
        return opi_fail(OPLUS_ERR_MEMORY, "%s: no scratch memory for %zu elements; merge fewer at a time", m->call,
                        m->total);
    if (!opi_scratch_fits(scratch, (sides(m, scratch) + 1) * each)) opi_scratch_on_host(scratch, m->dev);
    oplus_status status = opi_borrow(scratch->home, m->call, sides(m, scratch) * each, &mem);
    if (status == OPLUS_ERR_MEMORY && scratch->is_apart) {
        opi_scratch_on_host(scratch, m->dev);
        status = opi_borrow(scratch->home, m->call, each, &mem);
    }
    OPI_TRY(status);
    use(m, 1, mem);
    if (sides(m, scratch) == 2) use(m, 0, (char *)mem + each);
    return OPLUS_OK;
}

/* --- the calls ---------------------------------------------------------------------------------------------------- */

static oplus_status copy(const merging *m)
{
    for (int kind = KEYS; kind < KINDS && has(m, kind); kind++)
        OPI_TRY(
            m->dev->machine->copy(m->dev, m->call, m->of[kind].out, m->of[kind].in[0], m->total * size_of(m, kind)));
    return OPLUS_OK;
}

static oplus_status run(merging *m)
{
    opi_scratch scratch;
    merged made;
    if (m->total == 0) return OPLUS_OK;
    if (m->dev->explained.text) return explain(m);
    if (m->count == 1) return copy(m);
    for (int kind = KEYS; kind < KINDS; kind++) m->to[0][kind] = m->of[kind].out;
    if (m->count == 2) return merge(m, 0, 2, 0, 0, &made);
    OPI_TRY(borrow(m, &scratch));
    const oplus_status status = merge(m, 0, m->count, 0, 0, &made);
    opi_give_back(scratch.home, m->to[1][KEYS]);
    return status;
}

oplus_status oplus_merge_many(oplus_device *dev, const oplus_type *key, oplus_order order, const void *const *in,
                              const size_t *n, size_t count, void *out)
{
    OPI_OWN_MODE;
    merging m = {.dev = dev,
                 .call = __func__,
                 .order = order,
                 .of = {[KEYS] = {"in", "out", key, in, out}},
                 .n = n,
                 .count = count};
    OPI_TRY(opi_sort_check(m.call, dev, key, order, NULL, false, NULL, NULL, "n", 0));
    OPI_TRY(check(&m));
    return run(&m);
}

oplus_status oplus_merge_many_pairs(oplus_device *dev, const oplus_type *key, oplus_order order,
                                    const void *const *keys, void *out_keys, const oplus_type *value,
                                    const void *const *values, void *out_values, const size_t *n, size_t count)
{
    OPI_OWN_MODE;
    merging m = {.dev = dev,
                 .call = __func__,
                 .order = order,
                 .of = {{"keys", "out_keys", key, keys, out_keys}, {"values", "out_values", value, values, out_values}},
                 .n = n,
                 .count = count};
    OPI_TRY(opi_sort_check(m.call, dev, key, order, NULL, false, NULL, NULL, "n", 0));
    OPI_TRY(opi_check_type(m.call, "value", value));
    OPI_TRY(check(&m));
    return run(&m);
}

oplus_status oplus_merge_many_by(oplus_device *dev, const oplus_fn *less, const void *const *in, const size_t *n,
                                 size_t count, void *out)
{
    OPI_OWN_MODE;
    merging m = {.dev = dev, .call = __func__, .order = OPLUS_ASCENDING, .less = less, .n = n, .count = count};
    OPI_TRY(opi_check_device(m.call, dev));
    OPI_TRY(opi_check_less(m.call, less));
    m.of[KEYS] = (some_arrays){"in", "out", less->input[0], in, out};
    OPI_TRY(check(&m));
    return run(&m);
}
