/* oplus_argsort_keys: from the last key to the first, each time a stable sort of what the keys behind have put in order. */
#include "front/check.h"
#include "front/indices.h"
#include "front/scratch.h"
#include "front/sort.h"
#include "task/explain.h"
#include "task/make.h"

#include <oplus/order.h>

#include <assert.h>
#include <stdio.h>

/* What the call is given. */
typedef struct by_keys {
    oplus_device *dev;
    const char *call;
    const oplus_type *const *key;
    const oplus_order *order;
    const void *const *keys;
    size_t count, n;
    const oplus_type *index;
    void *indices;
} by_keys;

static oplus_status check(const by_keys *by)
{
    if (by->count == 0)
        return opi_fail(OPLUS_ERR_ARGUMENT, "%s: count is 0; give at least one key for each element", by->call);
    OPI_TRY(opi_check_pointer(by->call, "key", by->key, by->count));
    OPI_TRY(opi_check_pointer(by->call, "order", by->order, by->count));
    OPI_TRY(opi_check_pointer(by->call, "keys", by->keys, by->count));
    OPI_TRY(opi_check_index_room(by->call, by->index, by->n ? by->n - 1 : 0));
    OPI_TRY(opi_check_pointer(by->call, "indices", by->indices, by->n));
    OPI_TRY(opi_check_bytes(by->call, "n", by->n, by->index->size));
    for (size_t k = 0; k < by->count; k++) {
        char name[32];
        snprintf(name, sizeof name, "keys[%zu]", k);
        OPI_TRY(opi_sort_check(by->call, by->dev, by->key[k], by->order[k], NULL, false, NULL, NULL, "n", 0));
        OPI_TRY(opi_check_pointer(by->call, name, by->keys[k], by->n));
        OPI_TRY(opi_check_bytes(by->call, "n", by->n, by->key[k]->size));
        OPI_TRY(opi_check_overlap(by->call, name, by->keys[k], by->n * by->key[k]->size, "indices", by->indices,
                                  by->n * by->index->size, false));
    }
    return OPLUS_OK;
}

/* The bytes of the widest of the keys that are taken: all but the last. */
static size_t widest_taken(const by_keys *by)
{
    size_t widest = 0;
    for (size_t k = 0; k + 1 < by->count; k++)
        if (by->key[k]->size > widest) widest = by->key[k]->size;
    return widest;
}

/* Takes key k of each element in the order so far, and sorts the indices by them. */
static oplus_status sort_by(const by_keys *by, size_t k, void *taken)
{
    opi_task take, sort;
    const opi_indices so_far = {by->indices, by->n, by->index, by->n, false};
    opi_task_take(&take, by->key[k]->size, by->keys[k], &so_far, taken);
    OPI_TRY(opi_run(by->dev, by->call, &take, NULL));
    opi_task_sort(&sort, by->key[k], by->order[k], taken, by->index, by->indices, by->n);
    return opi_run(by->dev, by->call, &sort, NULL);
}

/* All but the last key, the one next to it first. */
static oplus_status sort_by_others(const by_keys *by, void *taken)
{
    oplus_status status = OPLUS_OK;
    for (size_t k = by->count - 1; k > 0 && status == OPLUS_OK; k--) status = sort_by(by, k - 1, taken);
    return status;
}

static oplus_status explain(const by_keys *by, const opi_task *last)
{
    OPI_TRY(opi_run(by->dev, by->call, last, NULL));
    if (by->count > 1)
        opi_say(&by->dev->explained, "then, for each of %zu keys before: a take, and a sort of pairs\n", by->count - 1);
    return OPLUS_OK;
}

static oplus_status run(const by_keys *by)
{
    assert(by->index);
    opi_task last;
    void *taken;
    const size_t k = by->count - 1;
    opi_task_argsort(&last, by->key[k], by->order[k], by->keys[k], by->n, by->index, by->indices);
    if (by->dev->explained.text) return explain(by, &last);
    if (k == 0) return opi_run(by->dev, by->call, &last, NULL);
    OPI_TRY(opi_borrow(by->dev, by->call, by->n * widest_taken(by), &taken));
    oplus_status status = opi_run(by->dev, by->call, &last, NULL);
    if (status == OPLUS_OK) status = sort_by_others(by, taken);
    opi_give_back(by->dev, taken);
    return status;
}

oplus_status oplus_argsort_keys(oplus_device *dev, const oplus_type *const *key, const oplus_order *order,
                                const void *const *keys, size_t count, size_t n, const oplus_type *index, void *indices)
{
    OPI_OWN_MODE;
    const by_keys by = {dev, __func__, key, order, keys, count, n, index, indices};
    OPI_TRY(opi_check_device(__func__, dev));
    OPI_TRY(check(&by));
    return n == 0 ? OPLUS_OK : run(&by);
}
