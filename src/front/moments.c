/* oplus_mean, oplus_variance, and over ranks: a reduce of the moments that elements have. */
#include "cores/moments.h"
#include "front/check.h"
#include "ranks/ranks.h"
#include "task/make.h"
#include "type/scalars.h"

#include <oplus/moments.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* Checks the arguments of a call, and makes the task that reduces the elements to *all.  to: what is called `result`. */
static oplus_status prepare(const char *call, oplus_device *dev, const oplus_type *type, const void *in, size_t n,
                            const char *result, const double *to, opi_task *task, oplus_moments *all)
{
    OPI_TRY(opi_check_device(call, dev));
    OPI_TRY(opi_check_type(call, "type", type));
    if (!opi_is_scalar(type->scalar))
        return opi_fail(OPLUS_ERR_ARGUMENT,
                        "%s: type \"%s\" is not a scalar; make moments of structs with a function of yours, for "
                        "oplus_map_reduce and oplus_join_moments",
                        call, opi_name(type->name));
    OPI_TRY(opi_check_pointer(call, "in", in, n));
    OPI_TRY(opi_check_bytes(call, "n", n, sizeof *all));
    OPI_TRY(opi_check_pointer(call, result, to, 1));
    const void *const inputs[OPLUS_MAX_ARITY] = {in};
    opi_task_reduce(task, &oplus_join_moments, in, NULL, n, 0, all);
    opi_task_begin_with(task, opi_moments_of(type->scalar), inputs);
    return OPLUS_OK;
}

/* A mean needs more than 0 elements, a variance more than ddof. */
static oplus_status check_number(const char *call, uint64_t n, unsigned ddof, const char *where)
{
    if (n > ddof) return OPLUS_OK;
    if (n == 0)
        return opi_fail(OPLUS_ERR_ARGUMENT, "%s: n is 0%s, and so there is no mean; give at least one element", call,
                        where);
    return opi_fail(OPLUS_ERR_ARGUMENT, "%s: n is %" PRIu64 "%s and ddof is %u; give more elements than ddof", call, n,
                    where, ddof);
}

/* Writes a result, which may lie in device memory. */
static oplus_status give(const char *call, oplus_device *dev, double value, double *to)
{
    return dev->machine->copy(dev, call, to, &value, sizeof value);
}

oplus_status oplus_mean(oplus_device *dev, const oplus_type *type, const void *in, size_t n, double *mean)
{
    OPI_OWN_MODE;
    opi_task task;
    oplus_moments all = {0, 0, 0};
    OPI_TRY(prepare(__func__, dev, type, in, n, "mean", mean, &task, &all));
    OPI_TRY(check_number(__func__, n, 0, ""));
    OPI_TRY(opi_run(dev, __func__, &task, NULL));
    return dev->explained.text ? OPLUS_OK : give(__func__, dev, oplus_mean_of(all), mean);
}

oplus_status oplus_variance(oplus_device *dev, const oplus_type *type, unsigned ddof, const void *in, size_t n,
                            double *variance)
{
    OPI_OWN_MODE;
    opi_task task;
    oplus_moments all = {0, 0, 0};
    OPI_TRY(prepare(__func__, dev, type, in, n, "variance", variance, &task, &all));
    OPI_TRY(check_number(__func__, n, ddof, ""));
    OPI_TRY(opi_run(dev, __func__, &task, NULL));
    return dev->explained.text ? OPLUS_OK : give(__func__, dev, oplus_variance_of(all, ddof), variance);
}

/* --- of moments that are there ------------------------------------------------------------------------------------ */

/* NaNs as the library's calls give them. */
static double quiet(double x) { return x == x ? x : (double)NAN; }

double oplus_mean_of(oplus_moments moments) { return quiet(moments.sum / (double)moments.n); }

double oplus_variance_of(oplus_moments moments, unsigned ddof)
{
    if (moments.n <= ddof || !isfinite(moments.sum)) return (double)NAN;
    return quiet(moments.m2 / (double)(moments.n - ddof));
}

/* --- over ranks --------------------------------------------------------------------------------------------------- */

/* The moments of all ranks' elements, on each rank. */
static oplus_status reduce_all(opi_ranks *ranks, const oplus_type *type, unsigned ddof, const void *in, size_t n,
                               const char *result, const double *to, oplus_moments *all)
{
    opi_task task = {.n = n};
    char options[32];
    oplus_status status = prepare(ranks->call, ranks->dev, type, in, n, result, to, &task, all);
    if (status == OPLUS_OK) {
        snprintf(options, sizeof options, "ddof %u", ddof);
        opi_ranks_name_types(ranks, type, NULL, options);
    }
    OPI_TRY(opi_ranks_run(ranks, status, &task, false, NULL));
    return opi_ranks_explained(ranks) ? OPLUS_OK : check_number(ranks->call, all->n, ddof, " on all ranks");
}

static oplus_status mean_all(opi_ranks *ranks, const oplus_type *type, const void *in, size_t n, double *mean)
{
    oplus_moments all = {0, 0, 0};
    OPI_TRY(reduce_all(ranks, type, 0, in, n, "mean", mean, &all));
    if (!opi_ranks_explained(ranks)) *mean = oplus_mean_of(all);
    return OPLUS_OK;
}

oplus_status oplus_mean_all(oplus_device *dev, const oplus_comm *comm, const oplus_type *type, const void *in, size_t n,
                            double *mean)
{
    OPI_OWN_MODE;
    opi_ranks ranks;
    OPI_TRY(opi_ranks_open(&ranks, dev, comm, __func__));
    return opi_ranks_close(&ranks, mean_all(&ranks, type, in, n, mean));
}

static oplus_status variance_all(opi_ranks *ranks, const oplus_type *type, unsigned ddof, const void *in, size_t n,
                                 double *variance)
{
    oplus_moments all = {0, 0, 0};
    OPI_TRY(reduce_all(ranks, type, ddof, in, n, "variance", variance, &all));
    if (!opi_ranks_explained(ranks)) *variance = oplus_variance_of(all, ddof);
    return OPLUS_OK;
}

oplus_status oplus_variance_all(oplus_device *dev, const oplus_comm *comm, const oplus_type *type, unsigned ddof,
                                const void *in, size_t n, double *variance)
{
    OPI_OWN_MODE;
    opi_ranks ranks;
    OPI_TRY(opi_ranks_open(&ranks, dev, comm, __func__));
    return opi_ranks_close(&ranks, variance_all(&ranks, type, ddof, in, n, variance));
}
