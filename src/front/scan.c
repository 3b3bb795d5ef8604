/* oplus_scan, oplus_segscan. */
#include "leaf/scan.h"
#include "front/check.h"
#include "tree/sweep.h"

static oplus_status check(const char *call, oplus_device *dev, const oplus_op *op, oplus_kind kind, const void *in,
                          size_t n, const void *out)
{
    OPI_TRY(opi_check_device(call, dev));
    OPI_TRY(opi_check_op(call, op));
    OPI_TRY(opi_check_kind(call, kind));
    if (kind == OPLUS_EXCLUSIVE) OPI_TRY(opi_check_identity(call, op, "an exclusive scan"));
    OPI_TRY(opi_check_pointer(call, "in", in, n));
    OPI_TRY(opi_check_pointer(call, "out", out, n));
    OPI_TRY(opi_check_bytes(call, "n", n, op->type->size));
    return opi_check_overlap(call, "in", in, n * op->type->size, "out", out, n * op->type->size, true);
}

static oplus_status run(const char *call, oplus_device *dev, const oplus_op *op, oplus_kind kind, const void *in,
                        const uint8_t *heads, size_t n, void *out)
{
    opi_scan_sweep plan;
    opi_scan_plan(&plan, op, dev->isa, kind, in, heads, n, out, 0);
    return opi_sweep_run(dev, call, &plan.sweep, NULL);
}

oplus_status oplus_scan(oplus_device *dev, const oplus_op *op, oplus_kind kind, const void *in, size_t n, void *out)
{
    OPI_TRY(check(__func__, dev, op, kind, in, n, out));
    return run(__func__, dev, op, kind, in, NULL, n, out);
}

oplus_status oplus_segscan(oplus_device *dev, const oplus_op *op, oplus_kind kind, const void *in, const uint8_t *heads,
                           size_t n, void *out)
{
    OPI_TRY(check(__func__, dev, op, kind, in, n, out));
    OPI_TRY(opi_check_pointer(__func__, "heads", heads, n));
    OPI_TRY(opi_check_overlap(__func__, "heads", heads, n, "out", out, n * op->type->size, false));
    if (n == 0) return OPLUS_OK;
    return run(__func__, dev, op, kind, in, heads, n, out);
}
