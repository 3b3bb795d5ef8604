/* oplus_transpose_all. */
#include "front/check.h"
#include "front/transpose.h"
#include "ranks/ranks.h"
#include "task/make.h"

/* Checks everything that this rank can check alone; it gives n elements and gets m. */
static oplus_status check(const char *call, oplus_device *dev, const oplus_type *type, const void *in, size_t n,
                          size_t rows, size_t cols, const void *out, size_t m)
{
    OPI_TRY(opi_check_device(call, dev));
    OPI_TRY(opi_check_matrix(call, type, rows, cols));
    OPI_TRY(opi_check_bytes(call, "n", n, type->size));
    OPI_TRY(opi_check_bytes(call, "m", m, type->size));
    OPI_TRY(opi_check_pointer(call, "in", in, n));
    if (!out && m > 0)
        return opi_fail(OPLUS_ERR_ARGUMENT, "%s: out is NULL though m is %zu; give memory for %zu elements", call, m,
                        m);
    return opi_check_overlap(call, "in", in, n * type->size, "out", out, m * type->size, false);
}

oplus_status oplus_transpose_all(oplus_device *dev, const oplus_comm *comm, const oplus_type *type, const void *in,
                                 size_t n, size_t rows, size_t cols, void *out, size_t m)
{
    OPI_OWN_MODE;
    opi_ranks ranks;
    opi_task task = {.n = 0};
    OPI_TRY(opi_ranks_open(&ranks, dev, comm, __func__));
    const oplus_status status = check(__func__, dev, type, in, n, rows, cols, out, m);
    if (status == OPLUS_OK) opi_task_transpose(&task, type->size, in, rows, cols, out);
    return opi_ranks_close(&ranks, opi_ranks_transpose(&ranks, status, &task, type, n, m));
}
