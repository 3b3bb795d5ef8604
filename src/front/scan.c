/* oplus_scan, oplus_segscan, and over ranks; oplus_scan_reverse. */
#include "front/check.h"
#include "ranks/ranks.h"
#include "task/late.h"
#include "task/make.h"

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

static oplus_status check_heads(const char *call, const oplus_op *op, const uint8_t *heads, size_t n, const void *out)
{
    OPI_TRY(opi_check_pointer(call, "heads", heads, n));
    return opi_check_overlap(call, "heads", heads, n, "out", out, n * op->type->size, false);
}

static oplus_status run(const char *call, oplus_device *dev, const oplus_op *op, oplus_kind kind, const void *in,
                        const uint8_t *heads, size_t n, void *out)
{
    opi_task task;
    opi_task_scan(&task, op, kind, in, heads, n, 0, out);
    return opi_run(dev, call, &task, NULL);
}

oplus_status oplus_scan(oplus_device *dev, const oplus_op *op, oplus_kind kind, const void *in, size_t n, void *out)
{
    OPI_OWN_MODE;
    OPI_TRY(check(__func__, dev, op, kind, in, n, out));
    return run(__func__, dev, op, kind, in, NULL, n, out);
}

oplus_status oplus_scan_reverse(oplus_device *dev, const oplus_op *op, oplus_kind kind, const void *in, size_t n,
                                void *out)
{
    OPI_OWN_MODE;
    opi_task task;
    OPI_TRY(check(__func__, dev, op, kind, in, n, out));
    if (n == 0) return OPLUS_OK;
    opi_task_scan_reverse(&task, op, kind, in, n, out);
    return opi_run(dev, __func__, &task, NULL);
}

oplus_status oplus_segscan(oplus_device *dev, const oplus_op *op, oplus_kind kind, const void *in, const uint8_t *heads,
                           size_t n, void *out)
{
    OPI_OWN_MODE;
    OPI_TRY(check(__func__, dev, op, kind, in, n, out));
    OPI_TRY(check_heads(__func__, op, heads, n, out));
    if (n == 0) return OPLUS_OK;
    return run(__func__, dev, op, kind, in, heads, n, out);
}

/* --- over ranks --------------------------------------------------------------------------------------------------- */

/* Checks everything that this rank can check alone. */
static oplus_status prepare(opi_ranks *ranks, opi_task *task, const oplus_op *op, oplus_kind kind, const void *in,
                            bool segmented, const uint8_t *heads, size_t n, void *out)
{
    OPI_TRY(check(ranks->call, ranks->dev, op, kind, in, n, out));
    if (segmented) OPI_TRY(check_heads(ranks->call, op, heads, n, out));
    OPI_TRY(opi_late_ready(ranks->call, op->late)); /* the host joins what ranks exchange */
    opi_ranks_name_op(ranks, op, kind == OPLUS_EXCLUSIVE ? "exclusive" : "inclusive");
    opi_task_scan(task, op, kind, in, segmented ? heads : NULL, n, 0, out);
    task->lifted =
        segmented; /* a rank without elements has no heads, but its summary must be like those of the others */
    return OPLUS_OK;
}

static oplus_status run_all(opi_ranks *ranks, const oplus_op *op, oplus_kind kind, const void *in, bool segmented,
                            const uint8_t *heads, size_t n, void *out)
{
    opi_task task = {.n = n};
    const oplus_status status = prepare(ranks, &task, op, kind, in, segmented, heads, n, out);
    return opi_ranks_run(ranks, status, &task, false, NULL);
}

oplus_status oplus_scan_all(oplus_device *dev, const oplus_comm *comm, const oplus_op *op, oplus_kind kind,
                            const void *in, size_t n, void *out)
{
    OPI_OWN_MODE;
    opi_ranks ranks;
    OPI_TRY(opi_ranks_open(&ranks, dev, comm, __func__));
    return opi_ranks_close(&ranks, run_all(&ranks, op, kind, in, false, NULL, n, out));
}

oplus_status oplus_segscan_all(oplus_device *dev, const oplus_comm *comm, const oplus_op *op, oplus_kind kind,
                               const void *in, const uint8_t *heads, size_t n, void *out)
{
    OPI_OWN_MODE;
    opi_ranks ranks;
    OPI_TRY(opi_ranks_open(&ranks, dev, comm, __func__));
    return opi_ranks_close(&ranks, run_all(&ranks, op, kind, in, true, heads, n, out));
}
