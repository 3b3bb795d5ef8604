/* oplus_reduce_axis, oplus_scan_axis, oplus_argmin_axis, oplus_argmax_axis. */
#include "front/axis.h"

#include "front/check.h"
#include "front/indices.h"
#include "front/statistics.h"
#include "task/make.h"

/* Sets *items to a * b * c; false: they, as elements of `size` bytes, do not fit the address space. */
static bool fits(size_t a, size_t b, size_t c, size_t size, size_t *items)
{
    size_t bytes;
    *items = 0;
    if (a == 0 || b == 0 || c == 0) return true;
    return !__builtin_mul_overflow(a, b, items) && !__builtin_mul_overflow(*items, c, items) &&
           !__builtin_mul_overflow(*items, size, &bytes) && bytes <= (size_t)PTRDIFF_MAX;
}

oplus_status opi_check_axis(const char *call, const opi_axis *axis, size_t size, const char *argument, const void *in,
                            size_t *in_n, size_t *rows)
{
    if (!fits(axis->outer, axis->n, axis->inner, size, in_n) || !fits(axis->outer, 1, axis->inner, size, rows))
        return opi_fail(OPLUS_ERR_ARGUMENT,
                        "%s: outer %zu times n %zu times inner %zu elements of %zu bytes do not fit the address space; "
                        "give smaller extents",
                        call, axis->outer, axis->n, axis->inner, size);
    return opi_check_pointer(call, argument, in, *in_n);
}

/* --- by an operator ----------------------------------------------------------------------------------------------- */

/* Checks what both calls have; *in_n, *rows: elements of in, and how many rows there are. */
static oplus_status check(const char *call, oplus_device *dev, const oplus_op *op, const void *in, const opi_axis *axis,
                          size_t *in_n, size_t *rows)
{
    OPI_TRY(opi_check_device(call, dev));
    OPI_TRY(opi_check_op(call, op));
    return opi_check_axis(call, axis, op->type->size, "in", in, in_n, rows);
}

oplus_status oplus_reduce_axis(oplus_device *dev, const oplus_op *op, const void *in, size_t outer, size_t n,
                               size_t inner, void *out)
{
    OPI_OWN_MODE;
    const opi_axis axis = {outer, n, inner};
    size_t in_n = 0, rows = 0;
    OPI_TRY(check(__func__, dev, op, in, &axis, &in_n, &rows));
    OPI_TRY(opi_check_pointer(__func__, "out", out, rows));
    if (n == 0 && rows > 0) OPI_TRY(opi_check_identity(__func__, op, "a reduce of rows of n = 0 elements"));
    const size_t size = op->type->size;
    OPI_TRY(opi_check_overlap(__func__, "in", in, in_n * size, "out", out, rows * size, false));
    if (rows == 0) return OPLUS_OK;
    opi_task task;
    opi_task_reduce_axis(&task, op, in, &axis, out);
    return opi_run(dev, __func__, &task, NULL);
}

oplus_status oplus_scan_axis(oplus_device *dev, const oplus_op *op, oplus_kind kind, const void *in, size_t outer,
                             size_t n, size_t inner, void *out)
{
    OPI_OWN_MODE;
    const opi_axis axis = {outer, n, inner};
    size_t in_n = 0, rows = 0;
    OPI_TRY(check(__func__, dev, op, in, &axis, &in_n, &rows));
    OPI_TRY(opi_check_kind(__func__, kind));
    if (kind == OPLUS_EXCLUSIVE) OPI_TRY(opi_check_identity(__func__, op, "an exclusive scan"));
    OPI_TRY(opi_check_pointer(__func__, "out", out, in_n));
    const size_t bytes = in_n * op->type->size;
    OPI_TRY(opi_check_overlap(__func__, "in", in, bytes, "out", out, bytes, true));
    if (in_n == 0) return OPLUS_OK;
    opi_task task;
    opi_task_scan_axis(&task, op, kind, in, &axis, out);
    return opi_run(dev, __func__, &task, NULL);
}

/* --- extremes ----------------------------------------------------------------------------------------------------- */

static oplus_status extreme(const char *call, oplus_device *dev, const oplus_type *type, unsigned side, const void *in,
                            const opi_axis *axis, const oplus_type *index, void *indices)
{
    size_t in_n = 0, rows = 0;
    OPI_TRY(opi_check_device(call, dev));
    OPI_TRY(opi_check_extreme_type(call, type));
    OPI_TRY(opi_check_axis(call, axis, type->size, "in", in, &in_n, &rows));
    OPI_TRY(opi_check_index_room(call, index, axis->n ? axis->n - 1 : 0));
    OPI_TRY(opi_check_pointer(call, "indices", indices, rows));
    if (axis->n == 0 && rows > 0) return opi_fail_no_extreme(call);
    OPI_TRY(opi_check_bytes(call, "outer * inner", rows, index->size));
    OPI_TRY(opi_check_overlap(call, "in", in, in_n * type->size, "indices", indices, rows * index->size, false));
    if (rows == 0) return OPLUS_OK;
    opi_task task;
    opi_task_extreme_axis(&task, type, side, in, axis, index->size, indices);
    return opi_run(dev, call, &task, NULL);
}

oplus_status oplus_argmin_axis(oplus_device *dev, const oplus_type *type, const void *in, size_t outer, size_t n,
                               size_t inner, const oplus_type *index, void *indices)
{
    OPI_OWN_MODE;
    return extreme(__func__, dev, type, OPI_LEAST, in, &(opi_axis){outer, n, inner}, index, indices);
}

oplus_status oplus_argmax_axis(oplus_device *dev, const oplus_type *type, const void *in, size_t outer, size_t n,
                               size_t inner, const oplus_type *index, void *indices)
{
    OPI_OWN_MODE;
    return extreme(__func__, dev, type, OPI_GREATEST, in, &(opi_axis){outer, n, inner}, index, indices);
}
