/* oplus_sort_axis, oplus_argsort_axis: each row along the axis is a segment, and all have one length.
 *
 * Where inner is 1, they are sorted where they are.  Else the array, seen as outer * n rows of inner elements, is transposed
 * to scratch memory: there the elements of each row are neighbours, and what comes of them is transposed back. */
#include "front/axis.h"
#include "front/check.h"
#include "front/indices.h"
#include "front/scratch.h"
#include "front/sort.h"
#include "task/explain.h"
#include "task/make.h"

/* What a call is given; index NULL: a sort. */
typedef struct along {
    oplus_device *dev;
    const char *call;
    const oplus_type *key;
    oplus_order order;
    void *keys; /* of an argsort, they are only read */
    opi_axis axis;
    const oplus_type *index;
    void *indices;
    size_t n, rows;
} along;

static oplus_status check(along *a)
{
    OPI_TRY(opi_sort_check(a->call, a->dev, a->key, a->order, NULL, false, NULL, NULL, "n", 0));
    return opi_check_axis(a->call, &a->axis, a->key->size, "keys", a->keys, &a->n, &a->rows);
}

/* The task that sorts rows of neighbours. */
static opi_task task_of_rows(const along *a, void *keys, void *indices)
{
    opi_task t;
    if (a->index)
        opi_task_segargsort_even(&t, a->key, a->order, keys, a->rows, a->axis.n, a->index, indices);
    else
        opi_task_segsort_even(&t, a->key, a->order, keys, a->rows, a->axis.n);
    return t;
}

static oplus_status turn(const along *a, size_t size, const void *in, size_t rows, size_t cols, void *out)
{
    opi_task t;
    opi_task_transpose(&t, size, in, rows, cols, out);
    return opi_run(a->dev, a->call, &t, NULL);
}

/* turned: scratch memory for the keys, and behind them, at `found`, for the indices. */
static oplus_status run_turned(const along *a, char *turned, char *found)
{
    const size_t tall = a->axis.outer * a->axis.n, wide = a->axis.inner;
    const opi_task sort = task_of_rows(a, turned, found);
    OPI_TRY(turn(a, a->key->size, a->keys, tall, wide, turned));
    OPI_TRY(opi_run(a->dev, a->call, &sort, NULL));
    if (a->index) return turn(a, a->index->size, found, wide, tall, a->indices);
    return turn(a, a->key->size, turned, wide, tall, a->keys);
}

static oplus_status explain(const along *a)
{
    const opi_task sort = task_of_rows(a, a->keys, a->indices);
    OPI_TRY(opi_run(a->dev, a->call, &sort, NULL));
    if (a->axis.inner > 1)
        opi_say(&a->dev->explained, "before it a transpose of the array to scratch memory, and behind it one back\n");
    return OPLUS_OK;
}

/* A device needs more than the scratch memory: for the sorts of rows, and for copies.  If keys of the host are too many for
 * it, all is done in memory of the host. */
static oplus_status borrow(const along *a, opi_scratch *scratch, void **mem)
{
    enum { OF_SORTS = 24 /* bytes a key, and the key once more */ };
    const size_t key = a->key->size, found = a->index ? a->index->size : 0;
    const size_t bytes = opi_round_up(a->n * key, OPI_CACHE_LINE) + a->n * found;
    OPI_TRY(opi_check_bytes(a->call, "scratch memory for n", a->n, key + found));
    OPI_TRY(opi_scratch_find(a->dev, a->call, "keys", a->keys, a->n * key, scratch));
    if (a->n > SIZE_MAX / (3 * key + found + OF_SORTS) ||
        !opi_scratch_fits(scratch, a->n * (3 * key + found + OF_SORTS)))
        opi_scratch_on_host(scratch, a->dev);
    const oplus_status status = opi_borrow(scratch->home, a->call, bytes, mem);
    if (status != OPLUS_ERR_MEMORY || !scratch->is_apart) return status;
    opi_scratch_on_host(scratch, a->dev);
    return opi_borrow(scratch->home, a->call, bytes, mem);
}

static oplus_status run(const along *a)
{
    if (a->n == 0 || (a->axis.n == 1 && !a->index)) return OPLUS_OK;
    if (a->dev->explained.text) return explain(a);
    if (a->axis.inner == 1) {
        const opi_task sort = task_of_rows(a, a->keys, a->indices);
        return opi_run(a->dev, a->call, &sort, NULL);
    }
    opi_scratch scratch;
    void *mem;
    const size_t keys = opi_round_up(a->n * a->key->size, OPI_CACHE_LINE);
    OPI_TRY(borrow(a, &scratch, &mem));
    char *const turned = mem;
    const oplus_status status = run_turned(a, turned, turned + keys);
    opi_give_back(scratch.home, turned);
    return status;
}

oplus_status oplus_sort_axis(oplus_device *dev, const oplus_type *key, oplus_order order, void *keys, size_t outer,
                             size_t n, size_t inner)
{
    OPI_OWN_MODE;
    along a = {.dev = dev, .call = __func__, .key = key, .order = order, .keys = keys, .axis = {outer, n, inner}};
    OPI_TRY(check(&a));
    return run(&a);
}

oplus_status oplus_argsort_axis(oplus_device *dev, const oplus_type *key, oplus_order order, const void *keys,
                                size_t outer, size_t n, size_t inner, const oplus_type *index, void *indices)
{
    OPI_OWN_MODE;
    along a = {.dev = dev,
               .call = __func__,
               .key = key,
               .order = order,
               .keys = (void *)keys,
               .axis = {outer, n, inner},
               .index = index,
               .indices = indices};
    OPI_TRY(check(&a));
    OPI_TRY(opi_check_index_room(__func__, index, n ? n - 1 : 0));
    OPI_TRY(opi_check_pointer(__func__, "indices", indices, a.n));
    OPI_TRY(opi_check_bytes(__func__, "n", a.n, index->size));
    OPI_TRY(opi_check_overlap(__func__, "keys", keys, a.n * key->size, "indices", indices, a.n * index->size, false));
    return run(&a);
}
