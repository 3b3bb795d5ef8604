/* oplus_merge_many: a tree of merges of two arrays.
 *
 * The arrays are halved again and again.  A merge writes to `out` or to scratch memory, and those that it joins to the other one
 * of the two, each to its own part: so none overwrites what another one reads, and nothing is copied. */
#include "front/check.h"
#include "front/scratch.h"
#include "front/sort.h"
#include "task/explain.h"
#include "task/make.h"

#include <oplus/order.h>

#include <stdio.h>

typedef struct merging {
    oplus_device *dev;
    const char *call;
    const oplus_type *key;
    oplus_order order;
    const void *const *in;
    const size_t *n;
    size_t count, total;
    char *to[2]; /* out, scratch memory */
} merging;

/* Some of the arrays as one. */
typedef struct merged {
    const char *at;
    size_t n;
} merged;

static oplus_status check(merging *m)
{
    OPI_TRY(opi_sort_check(m->call, m->dev, m->key, m->order, NULL, false, NULL, NULL, "n", 0));
    OPI_TRY(opi_check_pointer(m->call, "in", m->in, m->count));
    OPI_TRY(opi_check_pointer(m->call, "n", m->n, m->count));
    char name[2][48];
    for (size_t k = 0; k < m->count; k++) {
        snprintf(name[0], sizeof name[0], "in[%zu]", k);
        snprintf(name[1], sizeof name[1], k > 1 ? "n[0] + ... + n[%zu]" : k > 0 ? "n[0] + n[%zu]" : "n[%zu]", k);
        OPI_TRY(opi_check_pointer(m->call, name[0], m->in[k], m->n[k]));
        if (__builtin_add_overflow(m->total, m->n[k], &m->total)) m->total = SIZE_MAX;
        OPI_TRY(opi_check_bytes(m->call, name[1], m->total, m->key->size));
    }
    OPI_TRY(opi_check_pointer(m->call, "out", m->to[0], m->total));
    for (size_t k = 0; k < m->count; k++) {
        snprintf(name[0], sizeof name[0], "in[%zu]", k);
        OPI_TRY(opi_check_overlap(m->call, name[0], m->in[k], m->n[k] * m->key->size, "out", m->to[0],
                                  m->total * m->key->size, false));
    }
    return OPLUS_OK;
}

/* NOLINTBEGIN(misc-no-recursion): the depth is the logarithm of the number of arrays */
/* Merges the arrays [begin, end), of which `before` elements come before, into m->to[side]; one array stays where it is. */
static oplus_status merge(const merging *m, size_t begin, size_t end, size_t before, int side, merged *made)
{
    merged a, b;
    const size_t middle = begin + (end - begin) / 2, size = m->key->size;
    if (end - begin == 1) {
        *made = (merged){m->in[begin], m->n[begin]};
        return OPLUS_OK;
    }
    OPI_TRY(merge(m, begin, middle, before, !side, &a));
    OPI_TRY(merge(m, middle, end, before + a.n, !side, &b));
    *made = (merged){m->to[side] + before * size, a.n + b.n};
    if (made->n == 0) return OPLUS_OK;
    opi_task task;
    opi_task_merge(&task, m->key, m->order, NULL, a.at, a.n, b.at, b.n, m->to[side] + before * size);
    return opi_run(m->dev, m->call, &task, NULL);
}
/* NOLINTEND(misc-no-recursion) */

/* The last merge, and in words those before. */
static oplus_status explain(const merging *m)
{
    opi_task last;
    size_t first = 0;
    if (m->count == 1) return OPLUS_OK; /* a copy */
    for (size_t k = 0; k < m->count / 2; k++) first += m->n[k];
    opi_task_merge(&last, m->key, m->order, NULL, m->to[0], first, m->to[0], m->total - first, m->to[0]);
    OPI_TRY(opi_run(m->dev, m->call, &last, NULL));
    if (m->count > 2)
        opi_say(&m->dev->explained, "before it %zu merge%s of fewer elements: a tree of merges of two arrays\n",
                m->count - 2, m->count == 3 ? "" : "s");
    return OPLUS_OK;
}

static oplus_status run(merging *m)
{
    merged made;
    const size_t bytes = m->total * m->key->size;
    if (m->dev->explained.text) return explain(m);
    if (m->count == 1) return m->dev->machine->copy(m->dev, m->call, m->to[0], m->in[0], bytes);
    if (m->count == 2) return merge(m, 0, 2, 0, 0, &made);
    OPI_TRY(opi_borrow(m->dev, m->call, bytes, (void **)&m->to[1]));
    const oplus_status status = merge(m, 0, m->count, 0, 0, &made);
    opi_give_back(m->dev, m->to[1]);
    return status;
}

oplus_status oplus_merge_many(oplus_device *dev, const oplus_type *key, oplus_order order, const void *const *in,
                              const size_t *n, size_t count, void *out)
{
    OPI_OWN_MODE;
    merging m = {
        .dev = dev, .call = __func__, .key = key, .order = order, .in = in, .n = n, .count = count, .to = {out, NULL}};
    OPI_TRY(check(&m));
    return m.total == 0 ? OPLUS_OK : run(&m);
}
