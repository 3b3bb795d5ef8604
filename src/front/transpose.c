/* oplus_transpose. */
#include "cores/transpose.h"
#include "auto/auto.h"
#include "front/check.h"
#include "front/transpose.h"
#include "cores/run.h"

oplus_status opi_check_matrix(const char *call, const oplus_type *type, size_t rows, size_t cols)
{
    OPI_TRY(opi_check_type(call, "type", type));
    if (cols > 0 && rows > (size_t)PTRDIFF_MAX / type->size / cols)
        return opi_fail(
            OPLUS_ERR_ARGUMENT,
            "%s: rows %zu times cols %zu times %zu bytes does not fit the address space; give smaller extents", call,
            rows, cols, type->size);
    return OPLUS_OK;
}

static oplus_status check(const char *call, const oplus_device *dev, const oplus_type *type, const void *in,
                          size_t rows, size_t cols, const void *out)
{
    OPI_TRY(opi_check_device(call, dev));
    OPI_TRY(opi_check_matrix(call, type, rows, cols));
    const size_t n = rows * cols, bytes = n * type->size;
    OPI_TRY(opi_check_pointer(call, "in", in, n));
    OPI_TRY(opi_check_pointer(call, "out", out, n));
    if (n > 0 && in == out && rows != cols && rows != 1 && cols != 1)
        return opi_fail(
            OPLUS_ERR_OVERLAP,
            "%s: in and out are the same, but rows is %zu and cols is %zu; in place a matrix must be square: "
            "give memory of its own to out",
            call, rows, cols);
    return opi_check_overlap(call, "in", in, bytes, "out", out, bytes, true);
}

oplus_status opi_transpose(const char *call, oplus_device *dev, size_t size, const void *in, size_t rows, size_t cols,
                           void *out)
{
    if (rows == 0 || cols == 0) return OPLUS_OK;
    if (in == out && (rows == 1 || cols == 1)) return OPLUS_OK;
    const void *const arrays[] = {in, out};
    oplus_device *const chosen = opi_chosen(dev, arrays, 2, OPI_WORK_WRITE, 2 * rows * cols * size);
    if (chosen->tree->transpose) {
        const oplus_status status = chosen->tree->transpose(chosen, call, size, in, rows, cols, out);
        if (!opi_auto_retries(dev, chosen, status, in != out, arrays, 2)) return status;
    }
    dev = opi_cores_of(dev);
    opi_transpose_sweep plan;
    opi_transpose_plan(&plan, dev->isa, size, in, rows, cols, out);
    return opi_sweep_run(dev, call, &plan.sweep, NULL);
}

oplus_status oplus_transpose(oplus_device *dev, const oplus_type *type, const void *in, size_t rows, size_t cols,
                             void *out)
{
    OPI_OWN_MODE;
    OPI_TRY(check(__func__, dev, type, in, rows, cols, out));
    return opi_transpose(__func__, dev, type->size, in, rows, cols, out);
}
