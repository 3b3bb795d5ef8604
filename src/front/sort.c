/* oplus_sort, oplus_sort_pairs, and both by some bits of the keys. */
#include "front/sort.h"
#include "front/check.h"
#include "task/make.h"
#include "type/scalars.h"

#include <oplus/sorts.h>

static oplus_status check_key(const char *call, oplus_device *dev, const oplus_type *key, oplus_order order,
                              const void *keys, const char *count, size_t n)
{
    OPI_TRY(opi_check_device(call, dev));
    OPI_TRY(opi_check_type(call, "key", key));
    if (!opi_is_scalar(key->scalar))
        return opi_fail(OPLUS_ERR_ARGUMENT,
                        "%s: key \"%s\" is not a scalar; sort by a member with oplus_sort_pairs, the records as values",
                        call, opi_name(key->name));
    if (order != OPLUS_ASCENDING && order != OPLUS_DESCENDING)
        return opi_fail(OPLUS_ERR_ARGUMENT, "%s: order is %d; give OPLUS_ASCENDING (0) or OPLUS_DESCENDING (1)", call,
                        (int)order);
    OPI_TRY(opi_check_pointer(call, "keys", keys, n));
    return opi_check_bytes(call, count, n, key->size);
}

oplus_status opi_sort_check(const char *call, oplus_device *dev, const oplus_type *key, oplus_order order,
                            const void *keys, bool pairs, const oplus_type *value, const void *values,
                            const char *count, size_t n)
{
    OPI_TRY(check_key(call, dev, key, order, keys, count, n));
    if (!pairs) return OPLUS_OK;
    OPI_TRY(opi_check_type(call, "value", value));
    OPI_TRY(opi_check_pointer(call, "values", values, n));
    OPI_TRY(opi_check_bytes(call, count, n, value->size));
    return opi_check_overlap(call, "keys", keys, n * key->size, "values", values, n * value->size, false);
}

static oplus_status run(const char *call, oplus_device *dev, const oplus_type *key, oplus_order order, void *keys,
                        const oplus_type *value, void *values, size_t n)
{
    opi_task task;
    if (n < 2) return OPLUS_OK;
    opi_task_sort(&task, key, order, keys, value, values, n);
    return opi_run(dev, call, &task, NULL);
}

/* --- by some bits ------------------------------------------------------------------------------------------------- */

static oplus_status check_bits(const char *call, const oplus_type *key, unsigned low, unsigned high)
{
    const unsigned bits = 8 * (unsigned)key->size;
    if (high > bits)
        return opi_fail(OPLUS_ERR_ARGUMENT,
                        "%s: high is %u, but a key of type \"%s\" has %u bits; give a high of at most %u", call, high,
                        opi_name(key->name), bits, bits);
    if (low <= high) return OPLUS_OK;
    return opi_fail(OPLUS_ERR_ARGUMENT, "%s: low is %u and high is %u; give a low of at most high", call, low, high);
}

static oplus_status run_bits(const char *call, oplus_device *dev, const oplus_type *key, oplus_order order,
                             unsigned low, unsigned high, void *keys, const oplus_type *value, void *values, size_t n)
{
    opi_task task;
    OPI_TRY(check_bits(call, key, low, high));
    if (n < 2 || low == high) return OPLUS_OK;
    opi_task_sort(&task, key, order, keys, value, values, n);
    opi_task_sort_by_bits(&task, low, high);
    return opi_run(dev, call, &task, NULL);
}

oplus_status oplus_sort_bits(oplus_device *dev, const oplus_type *key, oplus_order order, unsigned low, unsigned high,
                             void *keys, size_t n)
{
    OPI_OWN_MODE;
    OPI_TRY(opi_sort_check(__func__, dev, key, order, keys, false, NULL, NULL, "n", n));
    return run_bits(__func__, dev, key, order, low, high, keys, NULL, NULL, n);
}

oplus_status oplus_sort_pairs_bits(oplus_device *dev, const oplus_type *key, oplus_order order, unsigned low,
                                   unsigned high, void *keys, const oplus_type *value, void *values, size_t n)
{
    OPI_OWN_MODE;
    OPI_TRY(opi_sort_check(__func__, dev, key, order, keys, true, value, values, "n", n));
    return run_bits(__func__, dev, key, order, low, high, keys, value, values, n);
}

/* --- by whole keys ------------------------------------------------------------------------------------------------ */

oplus_status oplus_sort(oplus_device *dev, const oplus_type *key, oplus_order order, void *keys, size_t n)
{
    OPI_OWN_MODE;
    OPI_TRY(opi_sort_check(__func__, dev, key, order, keys, false, NULL, NULL, "n", n));
    return run(__func__, dev, key, order, keys, NULL, NULL, n);
}

oplus_status oplus_sort_pairs(oplus_device *dev, const oplus_type *key, oplus_order order, void *keys,
                              const oplus_type *value, void *values, size_t n)
{
    OPI_OWN_MODE;
    OPI_TRY(opi_sort_check(__func__, dev, key, order, keys, true, value, values, "n", n));
    return run(__func__, dev, key, order, keys, value, values, n);
}
