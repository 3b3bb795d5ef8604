/* oplus_run_ranks, and the failure of a transport in words. */
#include "base/error.h"
#include "ranks/inprocess.h"

oplus_status oplus_comm_fail(const char *text) { return opi_fail(OPLUS_ERR_COMM, "%s", text ? text : "?"); }

oplus_status oplus_run_ranks(int ranks, void (*body)(const oplus_comm *comm, void *context), void *context)
{
    if (ranks < 1 || ranks > OPI_INPROCESS_MOST)
        return opi_fail(OPLUS_ERR_ARGUMENT, "%s: ranks is %d; give 1 to %d", __func__, ranks, (int)OPI_INPROCESS_MOST);
    if (!body) return opi_fail(OPLUS_ERR_ARGUMENT, "%s: body is NULL; give what each rank does", __func__);
    return opi_inprocess_run(__func__, ranks, body, context);
}
