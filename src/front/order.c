/* oplus_argsort, oplus_search, oplus_merge, and their like. */
#include "front/order.h"

#include "front/check.h"
#include "front/fn.h"
#include "front/indices.h"
#include "front/sort.h"
#include "ranks/ranks.h"
#include "task/make.h"

#include <oplus/order.h>

/* --- what they share ---------------------------------------------------------------------------------------------- */

oplus_status opi_check_less(const char *call, const oplus_fn *less)
{
    OPI_TRY(opi_check_fn_without_index(call, "less", less));
    const oplus_type *const a = less->input[0], *const b = less->arity == 2 ? less->input[1] : NULL;
    if (b && opi_is_same_type(a, b) && less->result->scalar == OPLUS_U8) return OPLUS_OK;
    return opi_fail(
        OPLUS_ERR_ARGUMENT,
        "%s: less is function \"%s\" of %u inputs with a result of type %s; give one of two inputs of the same "
        "type and with a result of type uint8_t, made by OPLUS_ZIP",
        call, opi_name(less->name), less->arity, opi_name(less->result->name));
}

/* --- argsort ------------------------------------------------------------------------------------------------------ */

oplus_status oplus_argsort(oplus_device *dev, const oplus_type *key, oplus_order order, const void *keys, size_t n,
                           const oplus_type *index, void *indices)
{
    OPI_OWN_MODE;
    OPI_TRY(opi_sort_check(__func__, dev, key, order, keys, false, NULL, NULL, "n", n));
    OPI_TRY(opi_check_index_room(__func__, index, n ? n - 1 : 0));
    OPI_TRY(opi_check_pointer(__func__, "indices", indices, n));
    OPI_TRY(opi_check_bytes(__func__, "n", n, index->size));
    OPI_TRY(opi_check_overlap(__func__, "keys", keys, n * key->size, "indices", indices, n * index->size, false));
    opi_task task;
    if (n == 0) return OPLUS_OK;
    opi_task_argsort(&task, key, order, keys, n, index, indices);
    return opi_run(dev, __func__, &task, NULL);
}

/* --- top ---------------------------------------------------------------------------------------------------------- */

oplus_status oplus_top(oplus_device *dev, const oplus_type *key, oplus_order order, const void *keys, size_t n,
                       size_t k, void *out, const oplus_type *index, void *indices)
{
    OPI_OWN_MODE;
    OPI_TRY(opi_sort_check(__func__, dev, key, order, keys, false, NULL, NULL, "n", n));
    if (k > n) return opi_fail(OPLUS_ERR_ARGUMENT, "%s: k is %zu, and n is %zu; give a k of at most n", __func__, k, n);
    if (indices || index) OPI_TRY(opi_check_index_room(__func__, index, n ? n - 1 : 0));
    if (!out && !indices && k > 0)
        return opi_fail(OPLUS_ERR_ARGUMENT,
                        "%s: out and indices are NULL; give room for k = %zu keys, indices, or both", __func__, k);
    const size_t in_bytes = n * key->size, out_bytes = out ? k * key->size : 0;
    if (indices) OPI_TRY(opi_check_bytes(__func__, "k", k, index->size));
    const size_t index_bytes = indices ? k * index->size : 0;
    OPI_TRY(opi_check_overlap(__func__, "keys", keys, in_bytes, "out", out, out_bytes, false));
    OPI_TRY(opi_check_overlap(__func__, "keys", keys, in_bytes, "indices", indices, index_bytes, false));
    OPI_TRY(opi_check_overlap(__func__, "out", out, out_bytes, "indices", indices, index_bytes, false));
    opi_task task;
    if (k == 0) return OPLUS_OK;
    opi_task_top(&task, key, order, keys, n, k, out, indices ? index->size : 0, indices);
    return opi_run(dev, __func__, &task, NULL);
}

static oplus_status prepare_top_all(const char *call, oplus_device *dev, const oplus_type *key, oplus_order order,
                                    const void *keys, size_t n, size_t k, void *out, const uint64_t *indices,
                                    opi_task *task)
{
    OPI_TRY(opi_sort_check(call, dev, key, order, keys, false, NULL, NULL, "n", n));
    if (!out && !indices && k > 0)
        return opi_fail(OPLUS_ERR_ARGUMENT,
                        "%s: out and indices are NULL; give room for k = %zu keys, indices, or both", call, k);
    OPI_TRY(opi_check_bytes(call, "k", k, key->size + sizeof *indices));
    const size_t in_bytes = n * key->size, out_bytes = out ? k * key->size : 0;
    const size_t index_bytes = indices ? k * sizeof *indices : 0;
    OPI_TRY(opi_check_overlap(call, "keys", keys, in_bytes, "out", out, out_bytes, false));
    OPI_TRY(opi_check_overlap(call, "keys", keys, in_bytes, "indices", indices, index_bytes, false));
    OPI_TRY(opi_check_overlap(call, "out", out, out_bytes, "indices", indices, index_bytes, false));
    opi_task_top(task, key, order, keys, n, k, out, 0, NULL);
    return OPLUS_OK;
}

oplus_status oplus_top_all(oplus_device *dev, const oplus_comm *comm, const oplus_type *key, oplus_order order,
                           const void *keys, size_t n, size_t k, void *out, uint64_t *indices)
{
    OPI_OWN_MODE;
    opi_ranks ranks;
    opi_task task = {.n = n};
    OPI_TRY(opi_ranks_open(&ranks, dev, comm, __func__));
    const oplus_status status = prepare_top_all(__func__, dev, key, order, keys, n, k, out, indices, &task);
    return opi_ranks_close(&ranks, opi_ranks_top(&ranks, status, &task, indices));
}

/* --- nth ---------------------------------------------------------------------------------------------------------- */

oplus_status oplus_nth(oplus_device *dev, const oplus_type *key, oplus_order order, const void *keys, size_t n,
                       size_t k, void *out)
{
    OPI_OWN_MODE;
    OPI_TRY(opi_sort_check(__func__, dev, key, order, keys, false, NULL, NULL, "n", n));
    if (n == 0)
        return opi_fail(OPLUS_ERR_ARGUMENT, "%s: k is %zu, and n is 0: no keys have a key at a place; give some keys",
                        __func__, k);
    if (k >= n)
        return opi_fail(OPLUS_ERR_ARGUMENT, "%s: k is %zu, and n is %zu; places are 0 to %zu", __func__, k, n, n - 1);
    OPI_TRY(opi_check_pointer(__func__, "out", out, 1));
    OPI_TRY(opi_check_overlap(__func__, "keys", keys, n * key->size, "out", out, key->size, false));
    opi_task task;
    opi_task_nth(&task, key, order, keys, n, k, out);
    return opi_run(dev, __func__, &task, NULL);
}

/* --- bounds ------------------------------------------------------------------------------------------------------- */

/* Checks what oplus_search and oplus_search_by have in common; size: of an element. */
static oplus_status check_bounds(const char *call, size_t size, const void *sorted, size_t n, oplus_bound bound,
                                 const void *wanted, size_t count, const oplus_type *index, const void *places)
{
    OPI_TRY(opi_check_pointer(call, "sorted", sorted, n));
    OPI_TRY(opi_check_bytes(call, "n", n, size));
    if (bound != OPLUS_LOWER && bound != OPLUS_UPPER)
        return opi_fail(OPLUS_ERR_ARGUMENT, "%s: bound is %d; give OPLUS_LOWER (0) or OPLUS_UPPER (1)", call,
                        (int)bound);
    OPI_TRY(opi_check_pointer(call, "wanted", wanted, count));
    OPI_TRY(opi_check_bytes(call, "count", count, size));
    OPI_TRY(opi_check_index_room(call, index, n));
    OPI_TRY(opi_check_pointer(call, "places", places, count));
    OPI_TRY(opi_check_bytes(call, "count", count, index->size));
    OPI_TRY(opi_check_overlap(call, "sorted", sorted, n * size, "places", places, count * index->size, false));
    return opi_check_overlap(call, "wanted", wanted, count * size, "places", places, count * index->size, false);
}

oplus_status oplus_search(oplus_device *dev, const oplus_type *key, oplus_order order, const void *sorted, size_t n,
                          oplus_bound bound, const void *wanted, size_t count, const oplus_type *index, void *places)
{
    OPI_OWN_MODE;
    OPI_TRY(opi_sort_check(__func__, dev, key, order, sorted, false, NULL, NULL, "n", sorted ? n : 0));
    OPI_TRY(check_bounds(__func__, key->size, sorted, n, bound, wanted, count, index, places));
    opi_task task;
    if (count == 0) return OPLUS_OK;
    opi_task_bounds(&task, key, order, NULL, sorted, n, bound == OPLUS_UPPER, wanted, count, index->size, places);
    return opi_run(dev, __func__, &task, NULL);
}

oplus_status oplus_search_by(oplus_device *dev, const oplus_fn *less, const void *sorted, size_t n, oplus_bound bound,
                             const void *wanted, size_t count, const oplus_type *index, void *places)
{
    OPI_OWN_MODE;
    OPI_TRY(opi_check_device(__func__, dev));
    OPI_TRY(opi_check_less(__func__, less));
    OPI_TRY(check_bounds(__func__, less->input[0]->size, sorted, n, bound, wanted, count, index, places));
    opi_task task;
    if (count == 0) return OPLUS_OK;
    opi_task_bounds(&task, less->input[0], OPLUS_ASCENDING, less, sorted, n, bound == OPLUS_UPPER, wanted, count,
                    index->size, places);
    return opi_run(dev, __func__, &task, NULL);
}

/* --- merge -------------------------------------------------------------------------------------------------------- */

/* Checks arrays of keys or values: two inputs and the output, of elements of `size` bytes. */
static oplus_status check_merged(const char *call, const char *const name[3], size_t size, const void *a, size_t a_n,
                                 const void *b, size_t b_n, const void *out)
{
    size_t n;
    OPI_TRY(opi_check_pointer(call, name[0], a, a_n));
    OPI_TRY(opi_check_pointer(call, name[1], b, b_n));
    OPI_TRY(opi_check_bytes(call, "a_n", a_n, size));
    OPI_TRY(opi_check_bytes(call, "b_n", b_n, size));
    if (__builtin_add_overflow(a_n, b_n, &n)) n = SIZE_MAX;
    OPI_TRY(opi_check_bytes(call, "a_n + b_n", n, size));
    OPI_TRY(opi_check_pointer(call, name[2], out, n));
    OPI_TRY(opi_check_overlap(call, name[0], a, a_n * size, name[2], out, n * size, false));
    return opi_check_overlap(call, name[1], b, b_n * size, name[2], out, n * size, false);
}

oplus_status oplus_merge(oplus_device *dev, const oplus_type *key, oplus_order order, const void *a, size_t a_n,
                         const void *b, size_t b_n, void *out)
{
    OPI_OWN_MODE;
    OPI_TRY(opi_sort_check(__func__, dev, key, order, NULL, false, NULL, NULL, "n", 0));
    OPI_TRY(check_merged(__func__, (const char *const[]){"a", "b", "out"}, key->size, a, a_n, b, b_n, out));
    opi_task task;
    if (a_n + b_n == 0) return OPLUS_OK;
    opi_task_merge(&task, key, order, NULL, a, a_n, b, b_n, out);
    return opi_run(dev, __func__, &task, NULL);
}

oplus_status oplus_merge_pairs(oplus_device *dev, const oplus_type *key, oplus_order order, const void *a_keys,
                               const void *b_keys, void *out_keys, const oplus_type *value, const void *a_values,
                               const void *b_values, void *out_values, size_t a_n, size_t b_n)
{
    static const char *const keys[] = {"a_keys", "b_keys", "out_keys"}, *const values[] = {"a_values", "b_values",
                                                                                           "out_values"};
    OPI_OWN_MODE;
    OPI_TRY(opi_sort_check(__func__, dev, key, order, NULL, false, NULL, NULL, "n", 0));
    OPI_TRY(opi_check_type(__func__, "value", value));
    OPI_TRY(check_merged(__func__, keys, key->size, a_keys, a_n, b_keys, b_n, out_keys));
    OPI_TRY(check_merged(__func__, values, value->size, a_values, a_n, b_values, b_n, out_values));
    const size_t n = a_n + b_n, k = key->size, v = value->size;
    OPI_TRY(opi_check_overlap(__func__, "out_keys", out_keys, n * k, "out_values", out_values, n * v, false));
    OPI_TRY(opi_check_overlap(__func__, "out_keys", out_keys, n * k, "a_values", a_values, a_n * v, false));
    OPI_TRY(opi_check_overlap(__func__, "out_keys", out_keys, n * k, "b_values", b_values, b_n * v, false));
    OPI_TRY(opi_check_overlap(__func__, "a_keys", a_keys, a_n * k, "out_values", out_values, n * v, false));
    OPI_TRY(opi_check_overlap(__func__, "b_keys", b_keys, b_n * k, "out_values", out_values, n * v, false));
    opi_task task;
    if (n == 0) return OPLUS_OK;
    opi_task_merge(&task, key, order, NULL, a_keys, a_n, b_keys, b_n, out_keys);
    opi_task_merge_values(&task, value, a_values, b_values, out_values);
    return opi_run(dev, __func__, &task, NULL);
}

oplus_status oplus_merge_by(oplus_device *dev, const oplus_fn *less, const void *a, size_t a_n, const void *b,
                            size_t b_n, void *out)
{
    OPI_OWN_MODE;
    OPI_TRY(opi_check_device(__func__, dev));
    OPI_TRY(opi_check_less(__func__, less));
    const size_t size = less->input[0]->size;
    OPI_TRY(check_merged(__func__, (const char *const[]){"a", "b", "out"}, size, a, a_n, b, b_n, out));
    opi_task task;
    if (a_n + b_n == 0) return OPLUS_OK;
    opi_task_merge(&task, less->input[0], OPLUS_ASCENDING, less, a, a_n, b, b_n, out);
    return opi_run(dev, __func__, &task, NULL);
}
