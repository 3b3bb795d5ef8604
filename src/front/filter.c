/* oplus_filter, and over ranks. */
#include "front/check.h"
#include "front/fn.h"
#include "ranks/ranks.h"
#include "task/make.h"

static oplus_status check(const char *call, oplus_device *dev, const oplus_fn *keep, const void *in, size_t n,
                          const void *out, const size_t *kept)
{
    OPI_TRY(opi_check_device(call, dev));
    OPI_TRY(opi_check_keep(call, keep, kept));
    OPI_TRY(opi_check_pointer(call, "in", in, n));
    const size_t size = keep->input[0]->size;
    OPI_TRY(opi_check_bytes(call, "n", n, size));
    /* It is not known yet how much is written to out.  If out begins before `in`, results are right even if the arrays
     * overlap: the kept elements of a block never go beyond the end of that block. */
    if ((uintptr_t)out <= (uintptr_t)in) return OPLUS_OK;
    return opi_check_overlap(call, "in", in, n * size, "out", out, size, false);
}

static oplus_status run(const char *call, oplus_device *dev, const oplus_fn *keep, const void *in, size_t n, void *out,
                        size_t *kept)
{
    opi_task task;
    opi_task_filter(&task, keep, in, n, out, kept);
    return opi_run(dev, call, &task, NULL);
}

oplus_status oplus_filter(oplus_device *dev, const oplus_fn *keep, const void *in, size_t n, void *out, size_t *kept)
{
    OPI_OWN_MODE;
    OPI_TRY(check(__func__, dev, keep, in, n, out, kept));
    OPI_TRY(opi_check_pointer(__func__, "out", out, n));
    return run(__func__, dev, keep, in, n, out, kept);
}

/* --- over ranks --------------------------------------------------------------------------------------------------- */

static oplus_status check_all(const char *call, oplus_device *dev, const oplus_fn *keep, oplus_layout layout,
                              const void *in, size_t n, const void *out, size_t capacity, const size_t *kept)
{
    OPI_TRY(check(call, dev, keep, in, n, out, kept));
    OPI_TRY(opi_check_ranks_layout(call, layout));
    OPI_TRY(opi_check_bytes(call, "capacity", capacity, keep->input[0]->size));
    if (out || capacity == 0) return OPLUS_OK;
    return opi_fail(OPLUS_ERR_ARGUMENT, "%s: out is NULL though capacity is %zu; give memory for %zu element%s", call,
                    capacity, capacity, opi_s(capacity));
}

oplus_status oplus_filter_all(oplus_device *dev, const oplus_comm *comm, const oplus_fn *keep, oplus_layout layout,
                              const void *in, size_t n, void *out, size_t capacity, size_t *kept)
{
    OPI_OWN_MODE;
    opi_ranks ranks;
    opi_task task = {.n = n};
    OPI_TRY(opi_ranks_open(&ranks, dev, comm, __func__));
    const oplus_status status = check_all(__func__, dev, keep, layout, in, n, out, capacity, kept);
    if (status == OPLUS_OK) opi_task_filter(&task, keep, in, n, out, kept);
    return opi_ranks_close(&ranks, opi_ranks_filter(&ranks, status, &task, layout, capacity));
}
