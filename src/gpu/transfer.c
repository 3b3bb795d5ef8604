#include "gpu/transfer.h"

#include "base/error.h"
#include "base/memory.h"
#include "cores/cores.h"
#include "gpu/memory.h"

#include <omp.h>
#include <string.h>

enum {
    PINNED_FROM = 1 << 20, /* from this number of bytes on, a copy through pinned memory is faster */
    COPY_SHARED = 1 << 20, /* from this number of bytes on, several threads copy */
    COPY_THREADS = 16,
    MOST_SHARE = 64 << 10, /* bytes that a thread copies at once: threads come and go while a piece is copied */
    MOST_PIECE = 16 << 20  /* bytes of a piece on its way through pinned memory */
};

/* --- copies on the host ------------------------------------------------------------------------------------------- */

typedef struct shared_copy {
    char *to;
    const char *from;
    size_t bytes, share;
    const opi_isa *isa; /* NULL: memcpy */
} shared_copy;

static void copy_share(void *job, size_t worker, size_t i)
{
    const shared_copy *const c = job;
    const size_t begin = i * c->share;
    (void)worker;
    const size_t bytes = opi_smaller(c->share, c->bytes - begin);
    if (!c->isa) {
        memcpy(c->to + begin, c->from + begin, bytes);
        return;
    }
    c->isa->stream(c->to + begin, c->from + begin, bytes, NULL);
    c->isa->fence();
}

void opi_copy_shared(opi_crew **crew, char *to, const char *from, size_t bytes, int threads, const opi_isa *isa)
{
    if (bytes == 0) return;
    const size_t even = opi_round_up((bytes + (size_t)threads - 1) / (size_t)threads, OPI_CACHE_LINE);
    const size_t share = opi_smaller(even, MOST_SHARE), shares = (bytes + share - 1) / share;
    opi_crew_run(crew, threads, copy_share, &(shared_copy){to, from, bytes, share, isa}, shares);
}

/* One thread is slower than the copy to the device. */
static void copy_host(const opi_accelerator *g, char *to, const char *from, size_t bytes, const opi_isa *isa)
{
    if (g->rehearsal) return;
    const int most = (int)opi_smaller(opi_cores_threads(g->dev.cores, bytes), COPY_THREADS);
    if (most < 2 || bytes < COPY_SHARED || omp_in_parallel())
        memcpy(to, from, bytes);
    else
        opi_copy_shared(&g->dev.cores->crew, to, from, bytes, most, isa);
}

/* Pinned memory stays in the caches: the device reads it next, and it is written again soon. */
void opi_fill_pinned(const opi_accelerator *g, char *pinned, const char *from, size_t bytes)
{
    copy_host(g, pinned, from, bytes, NULL);
}

/* The caller's array does not: its lines would be read first, and would drive others out. */
void opi_empty_pinned(const opi_accelerator *g, char *to, const char *pinned, size_t bytes)
{
    copy_host(g, to, pinned, bytes, g->dev.cores->isa);
}

/* --- arrays in pieces through pinned memory ----------------------------------------------------------------------- */

bool opi_goes_through_pinned(const opi_accelerator *g, opi_gpu_side side, size_t bytes)
{
    return side == OPI_SIDE_HOST && !g->gpu->facts.host_cores && bytes >= PINNED_FROM;
}

/* An array on its way: pieces of it, which begin at every multiple of `stride`. */
typedef struct transfer {
    opi_accelerator *g;
    const char *call;
    char *to;
    const char *from;
    size_t bytes, piece, stride;
} transfer;

static size_t piece_bytes(const transfer *t, size_t begin) { return opi_smaller(t->piece, t->bytes - begin); }

static opi_slot *slot_of(const transfer *t, size_t begin) { return &t->g->slot[begin / t->stride % OPI_SLOTS]; }

/* Where there is no pinned memory, the driver copies by itself: slower, but without an allocation. */
static oplus_status reserve(const transfer *t)
{
    for (size_t begin = 0, i = 0; begin < t->bytes && i < OPI_SLOTS; begin += t->stride, i++)
        OPI_TRY(opi_pinned_reserve(t->g, t->call, &t->g->slot[i].pinned, t->piece));
    return OPLUS_OK;
}

/* Waits for all copies, so that the slots are free. */
static oplus_status settle(const transfer *t, oplus_status status)
{
    opi_gpu *const gpu = t->g->gpu;
    const oplus_status settled = opi_gpu_settle(t->g, t->call, status);
    for (int i = 0; i < OPI_SLOTS; i++) {
        gpu->driver->drop(gpu, t->g->slot[i].mark);
        t->g->slot[i].mark = NULL;
    }
    return settled;
}

static oplus_status bring_pieces(const transfer *t)
{
    for (size_t begin = 0; begin < t->bytes; begin += t->stride) {
        opi_slot *const slot = slot_of(t, begin);
        OPI_TRY(opi_gpu_reached(t->g, t->call, &slot->mark)); /* the copy that had the slot before */
        opi_fill_pinned(t->g, slot->pinned.mem, t->from + begin, piece_bytes(t, begin));
        OPI_TRY(
            opi_gpu_upload(t->g, t->call, OPI_QUEUE_COMPUTE, t->to + begin, slot->pinned.mem, piece_bytes(t, begin)));
        OPI_TRY(opi_gpu_mark(t->g, t->call, OPI_QUEUE_COMPUTE, &slot->mark));
    }
    return OPLUS_OK;
}

static oplus_status take_pieces(const transfer *t)
{
    size_t begun = 0;
    for (size_t begin = 0; begin < t->bytes; begin += t->stride) {
        for (; begun < t->bytes && begun < begin + OPI_SLOTS * t->stride; begun += t->stride) {
            opi_slot *const free = slot_of(t, begun);
            OPI_TRY(opi_gpu_download(t->g, t->call, OPI_QUEUE_COMPUTE, free->pinned.mem, t->from + begun,
                                     piece_bytes(t, begun)));
            OPI_TRY(opi_gpu_mark(t->g, t->call, OPI_QUEUE_COMPUTE, &free->mark));
        }
        opi_slot *const slot = slot_of(t, begin);
        OPI_TRY(opi_gpu_reached(t->g, t->call, &slot->mark));
        opi_empty_pinned(t->g, t->to + begin, slot->pinned.mem, piece_bytes(t, begin));
    }
    return OPLUS_OK;
}

static transfer transfer_of(opi_accelerator *g, const char *call, void *to, const void *from, size_t bytes)
{
    const size_t piece = opi_smaller(g->piece_bytes, MOST_PIECE);
    return (transfer){g, call, to, from, bytes, piece, piece};
}

oplus_status opi_transfer_up(opi_accelerator *g, const char *call, opi_gpu_side side, void *to, const void *from,
                             size_t bytes)
{
    const transfer t = transfer_of(g, call, to, from, bytes);
    if (bytes == 0) return OPLUS_OK;
    if (!opi_goes_through_pinned(g, side, bytes)) return opi_gpu_upload(g, call, OPI_QUEUE_COMPUTE, to, from, bytes);
    if (reserve(&t) != OPLUS_OK) return settle(&t, opi_gpu_upload(g, call, OPI_QUEUE_COMPUTE, to, from, bytes));
    return settle(&t, bring_pieces(&t));
}

oplus_status opi_transfer_down(opi_accelerator *g, const char *call, opi_gpu_side side, void *to, const void *from,
                               size_t bytes)
{
    const transfer t = transfer_of(g, call, to, from, bytes);
    if (bytes == 0) return OPLUS_OK;
    if (!opi_goes_through_pinned(g, side, bytes)) return opi_gpu_download(g, call, OPI_QUEUE_COMPUTE, to, from, bytes);
    if (reserve(&t) != OPLUS_OK) return settle(&t, opi_gpu_download(g, call, OPI_QUEUE_COMPUTE, to, from, bytes));
    return settle(&t, take_pieces(&t));
}

/* --- some of the pages of an array -------------------------------------------------------------------------------- */

/* Pieces that need no pinned memory in between, or cannot have it. */
static oplus_status bring_directly(const transfer *t)
{
    for (size_t begin = 0; begin < t->bytes; begin += t->stride)
        OPI_TRY(
            opi_gpu_upload(t->g, t->call, OPI_QUEUE_COMPUTE, t->to + begin, t->from + begin, piece_bytes(t, begin)));
    return OPLUS_OK;
}

static oplus_status take_directly(const transfer *t)
{
    for (size_t begin = 0; begin < t->bytes; begin += t->stride)
        OPI_TRY(
            opi_gpu_download(t->g, t->call, OPI_QUEUE_COMPUTE, t->to + begin, t->from + begin, piece_bytes(t, begin)));
    return OPLUS_OK;
}

static bool has_slots(const transfer *t, opi_gpu_side side)
{
    return opi_goes_through_pinned(t->g, side, t->bytes) && reserve(t) == OPLUS_OK;
}

oplus_status opi_transfer_pages_up(opi_accelerator *g, const char *call, opi_gpu_side side, void *to, const void *from,
                                   size_t bytes, size_t page, size_t stride)
{
    const transfer t = {g, call, to, from, bytes, page, stride};
    return settle(&t, has_slots(&t, side) ? bring_pieces(&t) : bring_directly(&t));
}

oplus_status opi_transfer_pages_down(opi_accelerator *g, const char *call, opi_gpu_side side, void *to,
                                     const void *from, size_t bytes, size_t page, size_t stride)
{
    const transfer t = {g, call, to, from, bytes, page, stride};
    return settle(&t, has_slots(&t, side) ? take_pieces(&t) : take_directly(&t));
}

oplus_status opi_gpu_copy(opi_accelerator *g, const char *call, void *dst, const void *src, size_t bytes)
{
    opi_gpu_side from, to;
    if (dst == src || bytes == 0) return OPLUS_OK;
    OPI_TRY(opi_gpu_side_of(g, call, "src", src, bytes, &from));
    OPI_TRY(opi_gpu_side_of(g, call, "out", dst, bytes, &to));
    if (from == OPI_SIDE_DEVICE && to == OPI_SIDE_DEVICE) return opi_gpu_move(g, call, dst, src, bytes);
    if (from != OPI_SIDE_DEVICE && to != OPI_SIDE_DEVICE) {
        copy_host(g, dst, src, bytes, NULL);
        return OPLUS_OK;
    }
    OPI_TRY(to == OPI_SIDE_DEVICE ? opi_transfer_up(g, call, from, dst, src, bytes)
                                  : opi_transfer_down(g, call, to, dst, src, bytes));
    return opi_gpu_sync(g, call, OPI_QUEUE_COMPUTE);
}
