/* oplus_segsort, oplus_segsort_pairs.  The machine checks the order of the offsets, in the memory where they lie. */
#include "front/check.h"
#include "front/segments.h"
#include "front/sort.h"
#include "task/make.h"

#include <oplus/sorts.h>

static oplus_status run(const char *call, oplus_device *dev, const oplus_type *key, oplus_order order, void *keys,
                        bool pairs, const oplus_type *value, void *values, size_t n, const oplus_type *offset,
                        const void *offsets, size_t segments)
{
    OPI_TRY(opi_sort_check(call, dev, key, order, keys, pairs, value, values, "n", n));
    OPI_TRY(opi_check_offset_type(call, offset));
    if (segments == 0) return OPLUS_OK;
    OPI_TRY(opi_check_pointer(call, "offsets", offsets, segments < SIZE_MAX ? segments + 1 : segments));
    OPI_TRY(opi_check_bytes(call, "segments", segments, offset->size));
    const opi_offsets given = opi_offsets_given(offset, offsets, segments, n);
    const size_t bytes = opi_offsets_bytes(&given);
    OPI_TRY(opi_check_overlap(call, "keys", keys, n * key->size, "offsets", offsets, bytes, false));
    if (pairs) OPI_TRY(opi_check_overlap(call, "values", values, n * value->size, "offsets", offsets, bytes, false));
    opi_task task;
    opi_task_segsort(&task, key, order, keys, value, values, n, offset, &given);
    return opi_run(dev, call, &task, NULL);
}

oplus_status oplus_segsort(oplus_device *dev, const oplus_type *key, oplus_order order, void *keys, size_t n,
                           const oplus_type *offset, const void *offsets, size_t segments)
{
    OPI_OWN_MODE;
    return run(__func__, dev, key, order, keys, false, NULL, NULL, n, offset, offsets, segments);
}

oplus_status oplus_segsort_pairs(oplus_device *dev, const oplus_type *key, oplus_order order, void *keys,
                                 const oplus_type *value, void *values, size_t n, const oplus_type *offset,
                                 const void *offsets, size_t segments)
{
    OPI_OWN_MODE;
    return run(__func__, dev, key, order, keys, true, value, values, n, offset, offsets, segments);
}
