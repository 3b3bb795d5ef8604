/* oplus_argmin, oplus_argmax, oplus_minmax, and over ranks. */
#include "front/statistics.h"

#include "front/check.h"
#include "ranks/ranks.h"
#include "task/make.h"
#include "type/scalars.h"

enum { BOTH = OPI_LEAST | OPI_GREATEST };

oplus_status opi_check_extreme_type(const char *call, const oplus_type *type)
{
    OPI_TRY(opi_check_type(call, "type", type));
    if (opi_is_scalar(type->scalar)) return OPLUS_OK;
    return opi_fail(OPLUS_ERR_ARGUMENT,
                    "%s: type \"%s\" is not a scalar, and has no order; reduce structs with an operator of yours", call,
                    opi_name(type->name));
}

oplus_status opi_fail_no_extreme(const char *call)
{
    return opi_fail(OPLUS_ERR_ARGUMENT, "%s: n is 0, and so there are no extremes; give at least one element", call);
}

/* Checks the arguments of a call for `sides`, and makes its task. */
static oplus_status prepare(const char *call, oplus_device *dev, const oplus_type *type, unsigned sides, const void *in,
                            size_t n, void *result, opi_task *task)
{
    OPI_TRY(opi_check_device(call, dev));
    OPI_TRY(opi_check_extreme_type(call, type));
    OPI_TRY(opi_check_pointer(call, "in", in, n));
    OPI_TRY(opi_check_bytes(call, "n", n, type->size));
    OPI_TRY(opi_check_pointer(call, sides == BOTH ? "out" : "at", result, 1));
    opi_task_extreme(task, type, sides, in, n, sides == BOTH ? OPI_GIVES_VALUES : OPI_GIVES_PLACE, result,
                     sides == BOTH ? 2 * type->size : sizeof(size_t));
    return OPLUS_OK;
}

static oplus_status run(const char *call, oplus_device *dev, const oplus_type *type, unsigned sides, const void *in,
                        size_t n, void *result)
{
    opi_task task;
    OPI_TRY(prepare(call, dev, type, sides, in, n, result, &task));
    if (n == 0) return opi_fail_no_extreme(call);
    return opi_run(dev, call, &task, NULL);
}

oplus_status oplus_argmin(oplus_device *dev, const oplus_type *type, const void *in, size_t n, size_t *at)
{
    OPI_OWN_MODE;
    return run(__func__, dev, type, OPI_LEAST, in, n, at);
}

oplus_status oplus_argmax(oplus_device *dev, const oplus_type *type, const void *in, size_t n, size_t *at)
{
    OPI_OWN_MODE;
    return run(__func__, dev, type, OPI_GREATEST, in, n, at);
}

oplus_status oplus_minmax(oplus_device *dev, const oplus_type *type, const void *in, size_t n, void *out)
{
    OPI_OWN_MODE;
    return run(__func__, dev, type, BOTH, in, n, out);
}

/* --- over ranks --------------------------------------------------------------------------------------------------- */

static oplus_status run_all(opi_ranks *ranks, const oplus_type *type, unsigned sides, const void *in, size_t n,
                            void *result)
{
    opi_task task = {.n = n};
    const oplus_status status = prepare(ranks->call, ranks->dev, type, sides, in, n, result, &task);
    if (status == OPLUS_OK) opi_ranks_name_types(ranks, type, NULL, "");
    return opi_ranks_close(ranks, opi_ranks_extreme(ranks, status, &task));
}

oplus_status oplus_argmin_all(oplus_device *dev, const oplus_comm *comm, const oplus_type *type, const void *in,
                              size_t n, size_t *at)
{
    OPI_OWN_MODE;
    opi_ranks ranks;
    OPI_TRY(opi_ranks_open(&ranks, dev, comm, __func__));
    return run_all(&ranks, type, OPI_LEAST, in, n, at);
}

oplus_status oplus_argmax_all(oplus_device *dev, const oplus_comm *comm, const oplus_type *type, const void *in,
                              size_t n, size_t *at)
{
    OPI_OWN_MODE;
    opi_ranks ranks;
    OPI_TRY(opi_ranks_open(&ranks, dev, comm, __func__));
    return run_all(&ranks, type, OPI_GREATEST, in, n, at);
}

oplus_status oplus_minmax_all(oplus_device *dev, const oplus_comm *comm, const oplus_type *type, const void *in,
                              size_t n, void *out)
{
    OPI_OWN_MODE;
    opi_ranks ranks;
    OPI_TRY(opi_ranks_open(&ranks, dev, comm, __func__));
    return run_all(&ranks, type, BOTH, in, n, out);
}
