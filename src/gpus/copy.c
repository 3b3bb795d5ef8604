#include "gpus/copy.h"

#include "base/error.h"
#include "base/memory.h"
#include "gpu/map/map.h"
#include "gpu/memory.h"
#include "gpu/transfer.h"
#include "gpus/order.h"
#include "gpus/together.h"
#include "gpus/ways.h"

/* --- between the host and a range --------------------------------------------------------------------------------- */

/* A copy between the host and a range: each worker copies the pages that it has, over its own link. */
typedef struct spread {
    opi_gpus *g;
    const char *call;
    const opi_dealt_range *range;
    bool up;
    char *device; /* what of the range is copied, */
    char *host;   /* and from or to where */
    size_t bytes;
} spread;

static oplus_status copy_one(const spread *s, opi_accelerator *g, opi_gpu_side side, size_t begin, size_t bytes,
                             size_t page, size_t stride)
{
    char *const device = s->device + begin, *const host = s->host + begin;
    return s->up ? opi_transfer_pages_up(g, s->call, side, device, host, bytes, page, stride)
                 : opi_transfer_pages_down(g, s->call, side, host, device, bytes, page, stride);
}

/* The first page of the bytes may be cut: it is copied by itself, so that the others begin at equal distances. */
static oplus_status copy_pages(const spread *s, unsigned w)
{
    opi_accelerator *const g = (opi_accelerator *)s->g->worker[w];
    const size_t page = s->range->page, before = (size_t)(s->device - s->range->mem);
    const size_t cut = (page - before % page) % page, head = opi_smaller(cut, s->bytes);
    const uint64_t next = (before + head) / page; /* number of the first whole page */
    const size_t skip = (size_t)((w + s->g->count - next % s->g->count) % s->g->count) * page;
    opi_gpu_side side;
    OPI_TRY(opi_gpu_side_of(g, s->call, s->up ? "src" : "dst", s->host, s->bytes, &side));
    if (head > 0 && before / page % s->g->count == w) OPI_TRY(copy_one(s, g, side, 0, head, head, head));
    if (head + skip >= s->bytes) return OPLUS_OK;
    return copy_one(s, g, side, head + skip, s->bytes - head - skip, page, s->g->count * page);
}

static oplus_status copy_part(void *context, unsigned w)
{
    const spread *const s = context;
    opi_gpu *const gpu = opi_gpu_driver_of(s->g->worker[w]);
    OPI_INSIDE(gpu, s->call, copy_pages(s, w));
}

/* It waits for all workers, so that no order is left to keep. */
static oplus_status copy_spread(spread *s)
{
    OPI_TRY(opi_gpus_begin(s->g, s->call, opi_gpus_everyone(s->g)));
    OPI_TRY(opi_gpus_together(s->g, copy_part, s));
    opi_gpus_idle(s->g);
    return OPLUS_OK;
}

static oplus_status copy_by_one(opi_gpus *g, const char *call, unsigned home, void *dst, const void *src, size_t bytes)
{
    oplus_device *const worker = g->worker[home];
    OPI_TRY(opi_gpus_begin(g, call, opi_gpus_only(home)));
    return worker->machine->copy(worker, call, dst, src, bytes);
}

/* --- between devices ----------------------------------------------------------------------------------------------- */

oplus_status opi_gpus_move(oplus_device *worker, const char *call, void *dst, const void *src, size_t bytes)
{
    const opi_task task = opi_task_move(dst, src, bytes);
    if (bytes < OPI_LEAST_MOVED) return worker->machine->copy(worker, call, dst, src, bytes);
    return worker->machine->run(worker, call, &task, NULL);
}

static bool overlap(const char *dst, const char *src, size_t bytes) { return dst < src + bytes && src < dst + bytes; }

/* As a map by the way that suits: each worker copies pages that it has. */
static oplus_status copy_dealt(opi_gpus *g, const char *call, void *dst, const void *src, size_t bytes)
{
    const opi_task task = opi_task_move(dst, src, bytes);
    return g->dev.machine->run(&g->dev, call, &task, NULL);
}

/* --- the choice --------------------------------------------------------------------------------------------------- */

oplus_status opi_gpus_copy(opi_gpus *g, const char *call, void *dst, const void *src, size_t bytes)
{
    opi_gpus_place from, to;
    OPI_TRY(opi_gpus_look(g, call, "src", src, bytes, &from));
    OPI_TRY(opi_gpus_look(g, call, "dst", dst, bytes, &to));
    const bool up = from.side == OPI_LIES_ON_HOST, crosses = up != (to.side == OPI_LIES_ON_HOST);
    const opi_dealt_range *const range = up ? to.range : from.range;
    if (crosses && range && bytes > range->page) {
        OPI_TRY(copy_spread(&(spread){g, call, range, up, up ? dst : (char *)src, up ? (char *)src : dst, bytes}));
        return up ? OPLUS_OK : opi_gpus_faults(g, call, opi_gpu_fault);
    }
    if (from.range && to.range && bytes >= OPI_LEAST_MOVED && !overlap(dst, src, bytes))
        return copy_dealt(g, call, dst, src, bytes);
    const unsigned home = to.side == OPI_LIES_ON_ONE ? to.worker : from.side == OPI_LIES_ON_ONE ? from.worker : 0;
    OPI_TRY(copy_by_one(g, call, home, dst, src, bytes));
    return crosses && !up ? opi_gpus_faults(g, call, opi_gpu_fault) : OPLUS_OK; /* it has waited for all workers */
}
