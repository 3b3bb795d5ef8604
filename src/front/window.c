/* oplus_window. */
#include "front/check.h"
#include "task/make.h"

static oplus_status check(const char *call, oplus_device *dev, const oplus_op *op, const void *in, size_t n, size_t w,
                          const void *out)
{
    OPI_TRY(opi_check_device(call, dev));
    OPI_TRY(opi_check_op(call, op));
    if (w == 0)
        return opi_fail(OPLUS_ERR_ARGUMENT, "%s: w is 0; a window has at least 1 element, which is the last one", call);
    OPI_TRY(opi_check_bytes(call, "n", n, op->type->size));
    OPI_TRY(opi_check_pointer(call, "in", in, n));
    OPI_TRY(opi_check_pointer(call, "out", out, n));
    return opi_check_overlap(call, "in", in, n * op->type->size, "out", out, n * op->type->size, false);
}

oplus_status oplus_window(oplus_device *dev, const oplus_op *op, const void *in, size_t n, size_t w, void *out)
{
    OPI_OWN_MODE;
    opi_task task;
    OPI_TRY(check(__func__, dev, op, in, n, w, out));
    if (n == 0) return OPLUS_OK;
    opi_task_window(&task, op, in, n, w, out);
    return opi_run(dev, __func__, &task, NULL);
}
