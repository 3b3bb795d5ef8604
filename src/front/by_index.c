/* oplus_take and oplus_put.  The machine checks the indices, in the memory where they lie. */
#include "front/indices.h"
#include "task/make.h"

oplus_status oplus_take(oplus_device *dev, const oplus_type *type, oplus_bounds bounds, const void *in, size_t n,
                        const oplus_type *index, const void *indices, size_t count, void *out)
{
    OPI_OWN_MODE;
    const opi_indices given = {indices, count, index, n, bounds == OPLUS_CLIP};
    const opi_by_index_call arrays = {type, in, out, n, count, "n", "count", bounds};
    opi_task task;
    OPI_TRY(opi_check_by_index(__func__, dev, &arrays, &given));
    if (count == 0) return OPLUS_OK;
    opi_task_take(&task, type->size, in, &given, out);
    return opi_run(dev, __func__, &task, NULL);
}

oplus_status oplus_put(oplus_device *dev, const oplus_type *type, oplus_bounds bounds, const void *in,
                       const oplus_type *index, const void *indices, size_t count, void *out, size_t n)
{
    OPI_OWN_MODE;
    const opi_indices given = {indices, count, index, n, bounds == OPLUS_CLIP};
    const opi_by_index_call arrays = {type, in, out, count, n, "count", "n", bounds};
    opi_task task;
    OPI_TRY(opi_check_by_index(__func__, dev, &arrays, &given));
    if (count == 0) return OPLUS_OK;
    opi_task_put(&task, type->size, in, &given, out);
    return opi_run(dev, __func__, &task, NULL);
}
