/* oplus_transpose. */
#include "front/transpose.h"
#include "front/check.h"
#include "task/make.h"

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

static oplus_status check(const char *call, oplus_device *dev, const oplus_type *type, const void *in, size_t rows,
                          size_t cols, const void *out)
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

oplus_status oplus_transpose(oplus_device *dev, const oplus_type *type, const void *in, size_t rows, size_t cols,
                             void *out)
{
    OPI_OWN_MODE;
    OPI_TRY(check(__func__, dev, type, in, rows, cols, out));
    if (rows == 0 || cols == 0 || (in == out && (rows == 1 || cols == 1))) return OPLUS_OK;
    opi_task task;
    opi_task_transpose(&task, type->size, in, rows, cols, out);
    return opi_run(dev, __func__, &task, NULL);
}
