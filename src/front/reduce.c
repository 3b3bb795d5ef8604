/* oplus_reduce, oplus_fold, and over ranks. */
#include "cores/cores.h"
#include "front/check.h"
#include "ranks/ranks.h"
#include "task/late.h"
#include "task/make.h"

/* out = the join of init, if there is one, and the n elements. */
static oplus_status run(const char *call, oplus_device *dev, const oplus_op *op, const void *init, const void *in,
                        size_t n, void *out)
{
    opi_task task;
    opi_range *carry = NULL;
    opi_task_reduce(&task, op, in, NULL, n, 0, out);
    if (init) {
        OPI_TRY(opi_cores_range(dev->cores, call, &task, &carry));
        opi_range_init(carry, init);
    }
    return opi_run(dev, call, &task, carry);
}

static oplus_status check(const char *call, oplus_device *dev, const oplus_op *op, const void *in, size_t n,
                          const void *out)
{
    OPI_TRY(opi_check_device(call, dev));
    OPI_TRY(opi_check_op(call, op));
    OPI_TRY(opi_check_pointer(call, "in", in, n));
    OPI_TRY(opi_check_bytes(call, "n", n, op->type->size));
    return opi_check_pointer(call, "out", out, 1);
}

oplus_status oplus_reduce(oplus_device *dev, const oplus_op *op, const void *in, size_t n, void *out)
{
    OPI_OWN_MODE;
    OPI_TRY(check(__func__, dev, op, in, n, out));
    if (n == 0) OPI_TRY(opi_check_identity(__func__, op, "a reduce of n = 0 elements"));
    return run(__func__, dev, op, NULL, in, n, out);
}

oplus_status oplus_fold(oplus_device *dev, const oplus_op *op, const void *init, const void *in, size_t n, void *out)
{
    OPI_OWN_MODE;
    OPI_TRY(check(__func__, dev, op, in, n, out));
    OPI_TRY(opi_check_pointer(__func__, "init", init, 1));
    return run(__func__, dev, op, init, in, n, out);
}

/* --- over ranks --------------------------------------------------------------------------------------------------- */

/* Checks everything that this rank can check alone; only rank 0 has the init. */
static oplus_status prepare(opi_ranks *ranks, opi_task *task, const oplus_op *op, bool fold, const void *init,
                            const void *in, size_t n, void *out)
{
    OPI_TRY(check(ranks->call, ranks->dev, op, in, n, out));
    if (fold && ranks->comm->rank == 0) OPI_TRY(opi_check_pointer(ranks->call, "init", init, 1));
    OPI_TRY(opi_late_ready(ranks->call, op->late)); /* the host joins what ranks exchange */
    opi_ranks_name_op(ranks, op, "");
    opi_task_reduce(task, op, in, NULL, n, 0, out);
    return OPLUS_OK;
}

static oplus_status run_all(opi_ranks *ranks, const oplus_op *op, bool fold, const void *init, const void *in, size_t n,
                            void *out)
{
    opi_task task = {.n = n};
    const oplus_status status = prepare(ranks, &task, op, fold, init, in, n, out);
    return opi_ranks_run(ranks, status, &task, fold, init);
}

oplus_status oplus_reduce_all(oplus_device *dev, const oplus_comm *comm, const oplus_op *op, const void *in, size_t n,
                              void *out)
{
    OPI_OWN_MODE;
    opi_ranks ranks;
    OPI_TRY(opi_ranks_open(&ranks, dev, comm, __func__));
    return opi_ranks_close(&ranks, run_all(&ranks, op, false, NULL, in, n, out));
}

oplus_status oplus_fold_all(oplus_device *dev, const oplus_comm *comm, const oplus_op *op, const void *init,
                            const void *in, size_t n, void *out)
{
    OPI_OWN_MODE;
    opi_ranks ranks;
    OPI_TRY(opi_ranks_open(&ranks, dev, comm, __func__));
    return opi_ranks_close(&ranks, run_all(&ranks, op, true, init, in, n, out));
}
