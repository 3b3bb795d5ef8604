/* oplus_sort, oplus_sort_pairs. */
#include "front/sort.h"
#include "auto/auto.h"
#include "front/check.h"
#include "cores/sort.h"
#include "cores/run.h"

enum {
    PARTITION_FOR_THREADS = 1 << 15
}; /* elements from which a range that fits a cache is partitioned all the same */

/* --- scratch memory ---------------------------------------------------------------------------------------------- */

/* All that a sort needs, in the device's array buffer; the second array of records is touched only where a bucket of
 * the first partition is too large.  Returns the list of ranges, or NULL. */
static opi_sort_range *reserve(oplus_device *dev, opi_sort *sort, bool partitioned)
{
    const size_t per_element = 2 * sort->format->bytes + sort->value_size + 2 * sizeof(opi_sort_range);
    if (sort->n > (size_t)PTRDIFF_MAX / 2 / per_element) return NULL;
    const size_t records = opi_round_up(sort->n * sort->format->bytes, OPI_CACHE_LINE);
    const size_t second = sort->n > sort->cache_records ? records : 0;
    const size_t gathered = sort->payload == OPI_SORT_INDEX ? sort->n * sort->value_size : 0;
    const size_t ranges = partitioned ? opi_sort_ranges_max(sort) : 1;
    const size_t list = opi_round_up(ranges * sizeof(opi_sort_range), OPI_CACHE_LINE);
    if (!opi_buffer_reserve(&dev->array, records + second + list + gathered)) return NULL;

    unsigned char *const mem = dev->array.mem;
    sort->records[0] = mem;
    sort->records[1] = mem + records;
    sort->gathered = mem + records + second + list;
    return (opi_sort_range *)(mem + records + second);
}

/* --- the sweeps -------------------------------------------------------------------------------------------------- */

/* Partitions one range; *made says into how many others, 0 if nothing need be done with it at all. */
static oplus_status partition(const char *call, oplus_device *dev, const opi_sort *sort, opi_sort_range range,
                              opi_sort_range *ranges, size_t *made)
{
    unsigned shift = range.shift > OPI_SORT_DIGIT_BITS ? range.shift - OPI_SORT_DIGIT_BITS : 0;
    opi_sort_partition plan;
    opi_sort_summary total;
    for (;;) {
        opi_sort_partition_plan(&plan, sort, range, shift);
        plan.sweep.start(&plan.sweep, 0, &total);
        OPI_TRY(opi_sweep_run(dev, call, &plan.sweep, &total));
        if (total.sorted || opi_sort_moves(&plan, &total)) break;
        shift = opi_sort_shift(&total);
    }
    *made = total.sorted && range.place == OPI_SORT_CALLER ? 0 : opi_sort_split(&plan, &total, ranges);
    return OPLUS_OK;
}

/* Until the buckets are sorted only scratch memory is written: a failure before leaves the caller's arrays intact. */
static oplus_status run(const char *call, oplus_device *dev, opi_sort *sort)
{
    if (sort->n < 2) return OPLUS_OK;
    if (sort->n <= OPI_SORT_SMALL && sort->payload != OPI_SORT_INDEX) {
        opi_sort_small(sort);
        return OPLUS_OK;
    }
    const bool partitioned = sort->n > sort->cache_records || (dev->workers > 1 && sort->n >= PARTITION_FOR_THREADS);
    opi_sort_range *const range = reserve(dev, sort, partitioned);
    if (!range)
        return opi_fail(OPLUS_ERR_MEMORY,
                        "%s: no scratch memory for n = %zu elements; free some, or sort in parts and merge", call,
                        sort->n);

    /* --- 1. partition what is too large, and what comes of it, until all fits a cache --- */
    size_t ranges = 1;
    range[0] = (opi_sort_range){.end = sort->n, .place = OPI_SORT_CALLER, .shift = sort->key_bits};
    for (size_t i = 0; i < ranges; i++) {
        const bool small = range[i].end - range[i].begin <= sort->cache_records && !(i == 0 && partitioned);
        if (small || range[i].sorted) continue;
        size_t made;
        OPI_TRY(partition(call, dev, sort, range[i], range + ranges, &made));
        if (made == 0) return OPLUS_OK;
        range[i].end = range[i].begin;
        ranges += made;
    }

    /* --- 2. sort the buckets, bring the values home --- */
    opi_sort_buckets buckets;
    opi_sort_buckets_plan(&buckets, sort, range, ranges);
    OPI_TRY(opi_sweep_run(dev, call, &buckets.sweep, NULL));
    if (sort->payload != OPI_SORT_INDEX) return OPLUS_OK;
    opi_sort_return_plan(&buckets, sort);
    return opi_sweep_run(dev, call, &buckets.sweep, NULL);
}

/* --- the calls --------------------------------------------------------------------------------------------------- */

static oplus_status check_key(const char *call, oplus_device *dev, const oplus_type *key, oplus_order order,
                              const void *keys, const char *count, size_t n)
{
    OPI_TRY(opi_check_device(call, dev));
    OPI_TRY(opi_check_type(call, "key", key));
    if (key->scalar <= OPLUS_RECORD || key->scalar > OPLUS_F64)
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

oplus_status opi_sort_run(const char *call, oplus_device *dev, const oplus_type *key, oplus_order order, void *keys,
                          const oplus_type *value, void *values, size_t n)
{
    const void *const arrays[] = {keys, values};
    oplus_device *const chosen =
        opi_chosen(dev, arrays, 2, OPI_WORK_SORT, 2 * n * (key->size + (value ? value->size : 0)));
    if (chosen->tree->sort && n > 1) {
        const oplus_status status = chosen->tree->sort(chosen, call, key, order, keys, value, values, n);
        if (!opi_auto_retries(dev, chosen, status, false, arrays, 2)) return status;
    }
    dev = opi_cores_of(dev);
    opi_sort sort = opi_sort_plan(dev->isa, key, order, keys, value, values, n);
    return run(call, dev, &sort);
}

oplus_status oplus_sort(oplus_device *dev, const oplus_type *key, oplus_order order, void *keys, size_t n)
{
    OPI_OWN_MODE;
    OPI_TRY(opi_sort_check(__func__, dev, key, order, keys, false, NULL, NULL, "n", n));
    return opi_sort_run(__func__, dev, key, order, keys, NULL, NULL, n);
}

oplus_status oplus_sort_pairs(oplus_device *dev, const oplus_type *key, oplus_order order, void *keys,
                              const oplus_type *value, void *values, size_t n)
{
    OPI_OWN_MODE;
    OPI_TRY(opi_sort_check(__func__, dev, key, order, keys, true, value, values, "n", n));
    return opi_sort_run(__func__, dev, key, order, keys, value, values, n);
}
