/* oplus_sort_all, oplus_sort_pairs_all. */
#include "front/check.h"
#include "front/sort.h"
#include "ranks/ranks.h"
#include "task/make.h"

/* The arguments of both calls; value and values NULL: there are only keys. */
typedef struct sorting {
    const oplus_type *key;
    oplus_order order;
    oplus_layout layout;
    void *keys;
    bool pairs;
    const oplus_type *value;
    void *values;
    size_t *n, capacity;
} sorting;

/* Checks everything that this rank can check alone. */
static oplus_status prepare(const opi_ranks *ranks, const sorting *s, opi_task *task)
{
    const char *const call = ranks->call;
    OPI_TRY(opi_sort_check(call, ranks->dev, s->key, s->order, s->keys, s->pairs, s->value, s->values, "capacity",
                           s->capacity));
    OPI_TRY(opi_check_ranks_layout(call, s->layout));
    if (!s->n) return opi_fail(OPLUS_ERR_ARGUMENT, "%s: n is NULL; give the address of the number of keys", call);
    if (*s->n > s->capacity)
        return opi_fail(OPLUS_ERR_ARGUMENT, "%s: capacity is %zu, but *n is %zu; give room for at least as many", call,
                        s->capacity, *s->n);
    opi_task_sort(task, s->key, s->order, s->keys, s->value, s->values, *s->n);
    return OPLUS_OK;
}

static oplus_status sort_all(opi_ranks *ranks, const sorting *s)
{
    opi_task task = {.n = 0};
    const oplus_status status = prepare(ranks, s, &task);
    return opi_ranks_close(ranks, opi_ranks_sort(ranks, status, &task, s->layout, s->capacity, s->n));
}

oplus_status oplus_sort_all(oplus_device *dev, const oplus_comm *comm, const oplus_type *key, oplus_order order,
                            oplus_layout layout, void *keys, size_t *n, size_t capacity)
{
    OPI_OWN_MODE;
    opi_ranks ranks;
    const sorting s = {.key = key, .order = order, .layout = layout, .keys = keys, .n = n, .capacity = capacity};
    OPI_TRY(opi_ranks_open(&ranks, dev, comm, __func__));
    return sort_all(&ranks, &s);
}

oplus_status oplus_sort_pairs_all(oplus_device *dev, const oplus_comm *comm, const oplus_type *key, oplus_order order,
                                  oplus_layout layout, void *keys, const oplus_type *value, void *values, size_t *n,
                                  size_t capacity)
{
    OPI_OWN_MODE;
    opi_ranks ranks;
    const sorting s = {key, order, layout, keys, true, value, values, n, capacity};
    OPI_TRY(opi_ranks_open(&ranks, dev, comm, __func__));
    return sort_all(&ranks, &s);
}
