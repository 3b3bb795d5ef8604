/* oplus_sort_by, oplus_argsort_by. */
#include "front/check.h"
#include "front/indices.h"
#include "front/order.h"
#include "task/make.h"

#include <oplus/sorts.h>

static oplus_status check(const char *call, oplus_device *dev, const oplus_fn *less, const void *elements, size_t n)
{
    OPI_TRY(opi_check_device(call, dev));
    OPI_TRY(opi_check_less(call, less));
    OPI_TRY(opi_check_pointer(call, "elements", elements, n));
    return opi_check_bytes(call, "n", n, less->input[0]->size);
}

oplus_status oplus_sort_by(oplus_device *dev, const oplus_fn *less, void *elements, size_t n)
{
    OPI_OWN_MODE;
    OPI_TRY(check(__func__, dev, less, elements, n));
    opi_task task;
    if (n < 2) return OPLUS_OK;
    opi_task_sort_by(&task, less, elements, n);
    return opi_run(dev, __func__, &task, NULL);
}

oplus_status oplus_argsort_by(oplus_device *dev, const oplus_fn *less, const void *elements, size_t n,
                              const oplus_type *index, void *indices)
{
    OPI_OWN_MODE;
    OPI_TRY(check(__func__, dev, less, elements, n));
    OPI_TRY(opi_check_index_room(__func__, index, n ? n - 1 : 0));
    OPI_TRY(opi_check_pointer(__func__, "indices", indices, n));
    OPI_TRY(opi_check_bytes(__func__, "n", n, index->size));
    OPI_TRY(opi_check_overlap(__func__, "elements", elements, n * less->input[0]->size, "indices", indices,
                              n * index->size, false));
    opi_task task;
    if (n == 0) return OPLUS_OK;
    opi_task_argsort_by(&task, less, elements, n, index->size, indices);
    return opi_run(dev, __func__, &task, NULL);
}
