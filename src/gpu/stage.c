/* Arrays of the host on an accelerator: they are cut into pieces that end at tiles; each piece is copied to the device,
 * computed, and copied back.  While one piece is computed the next is copied. */
#include "gpu/stage.h"

#include "base/error.h"
#include "cores/cores.h"
#include "gpu/memory.h"
#include "gpu/ways.h"

#include <assert.h>
#include <omp.h>
#include <string.h>

enum {
    PINNED_FROM = 1 << 20, /* from this number of bytes on, a copy through pinned memory is faster */
    COPY_SHARED = 1 << 20, /* from this number of bytes on, several threads copy */
    COPY_THREADS = 8
};

/* --- which arrays ------------------------------------------------------------------------------------------------- */

static const char *name_of(const opi_task *task, int k)
{
    static const char *const inputs[] = {"in[0]", "in[1]", "in[2]", "in[3]", "in[4]", "in[5]", "in[6]", "in[7]"};
    if (task->array[k].access != OPI_READS) return "out";
    if (task->what == OPI_MAP && task->arrays > 2) return inputs[k];
    return k == OPI_IN ? "in" : "heads";
}

oplus_status opi_stage_look(const opi_job *job, opi_staging *staging)
{
    const opi_task *const task = job->task;
    const size_t tile = opi_tile(job->shape);
    memset(staging, 0, sizeof *staging);
    for (int k = 0; k < task->arrays; k++) {
        const opi_array *const array = &task->array[k];
        if (!array->mem) continue;
        const bool appends = array->access == OPI_APPENDS; /* there may be room for the kept elements only */
        OPI_TRY(opi_gpu_side_of(job->g, job->call, name_of(task, k), array->mem, appends ? 1 : task->n * array->size,
                                &staging->side[k]));
        if (staging->side[k] == OPI_SIDE_DEVICE) continue;
        staging->any = true;
        staging->appends |= appends;
        staging->item_bytes += array->size;
    }
    if (!staging->any) return OPLUS_OK;
    const size_t tiles = job->g->piece_bytes / staging->item_bytes / tile;
    staging->piece_items = (tiles ? tiles : 1) * tile;
    staging->pinned = !job->g->gpu->facts.host_cores && task->n * staging->item_bytes >= PINNED_FROM;
    return OPLUS_OK;
}

/* --- copies on the host ------------------------------------------------------------------------------------------- */

typedef struct shared_copy {
    char *to;
    const char *from;
    size_t bytes, share;
} shared_copy;

static void copy_share(void *job, size_t worker, size_t i)
{
    const shared_copy *const c = job;
    const size_t begin = i * c->share;
    (void)worker;
    if (begin < c->bytes)
        memcpy(c->to + begin, c->from + begin, c->share < c->bytes - begin ? c->share : c->bytes - begin);
}

void opi_copy_shared(opi_crew **crew, char *to, const char *from, size_t bytes, int threads)
{
    const size_t share = opi_round_up((bytes + (size_t)threads - 1) / (size_t)threads, OPI_CACHE_LINE);
    opi_crew_run(crew, threads, copy_share, &(shared_copy){to, from, bytes, share}, (size_t)threads);
}

/* Copies between the caller's memory and pinned memory.  One thread is slower than the copy to the device. */
static void copy_host(const opi_job *job, char *to, const char *from, size_t bytes)
{
    if (job->g->rehearsal) return;
    const int most = (int)opi_smaller(opi_cores_threads(job->g->dev.cores, bytes), COPY_THREADS);
    if (most < 2 || bytes < COPY_SHARED || omp_in_parallel())
        memcpy(to, from, bytes);
    else
        opi_copy_shared(&job->g->dev.cores->crew, to, from, bytes, most);
}

/* --- one piece ---------------------------------------------------------------------------------------------------- */

/* A piece: items [begin, begin + part.n) of the arrays. */
typedef struct piece {
    opi_slot *slot;
    uint64_t begin;
    opi_part part;
    char *host[OPI_MAX_ARRAYS]; /* what the driver copies from or to; NULL: no copy */
} piece;

static char *own_place(const opi_job *job, const piece *p, int k)
{
    return (char *)job->task->array[k].mem + p->begin * job->task->array[k].size;
}

static size_t bytes_of(const opi_job *job, const piece *p, int k) { return p->part.n * job->task->array[k].size; }

static void lay_out(const opi_job *job, const opi_staging *s, piece *p)
{
    size_t offset = 0;
    for (int k = 0; k < job->task->arrays; k++) {
        const opi_array *const array = &job->task->array[k];
        const char **const address = &p->part.address[k];
        p->host[k] = NULL;
        *address = array->mem;
        if (!array->mem) continue;
        if (s->side[k] == OPI_SIDE_DEVICE) {
            if (array->access != OPI_APPENDS) *address = own_place(job, p, k);
            continue;
        }
        const bool pinned = s->pinned && s->side[k] == OPI_SIDE_HOST;
        *address = (const char *)p->slot->device.mem + offset;
        p->host[k] = pinned ? (char *)p->slot->pinned.mem + offset : own_place(job, p, k);
        offset += opi_round_up(bytes_of(job, p, k), OPI_CACHE_LINE);
    }
}

/* Allocates the memory of all pieces, before the first piece writes anything. */
static oplus_status reserve_all(opi_job *job, const opi_staging *s, size_t skew)
{
    const uint64_t n = job->task->n, pieces = (n + skew + s->piece_items - 1) / s->piece_items;
    const size_t items = n < s->piece_items ? n : s->piece_items;
    const size_t bytes = items * s->item_bytes + (size_t)OPI_CACHE_LINE * OPI_MAX_ARRAYS;
    for (uint64_t i = 0; i < OPI_SLOTS && i < pieces; i++) {
        OPI_TRY(opi_gpu_reserve(job->g, job->call, &job->g->slot[i].device, bytes));
        if (s->pinned) OPI_TRY(opi_pinned_reserve(job->g, job->call, &job->g->slot[i].pinned, bytes));
    }
    return opi_way_prepare(job, items);
}

static oplus_status bring(const opi_job *job, const piece *p)
{
    for (int k = 0; k < job->task->arrays; k++) {
        if (!p->host[k] || job->task->array[k].access != OPI_READS) continue;
        char *const own = own_place(job, p, k), *const to = (char *)p->part.address[k];
        if (p->host[k] != own) copy_host(job, p->host[k], own, bytes_of(job, p, k));
        OPI_TRY(opi_gpu_upload(job->g, job->call, OPI_QUEUE_UP, to, p->host[k], bytes_of(job, p, k)));
    }
    return opi_gpu_follow(job->g, job->call, OPI_QUEUE_UP, OPI_QUEUE_COMPUTE);
}

static oplus_status take(const opi_job *job, const piece *p)
{
    OPI_TRY(opi_gpu_follow(job->g, job->call, OPI_QUEUE_COMPUTE, OPI_QUEUE_DOWN));
    for (int k = 0; k < job->task->arrays; k++) {
        if (!p->host[k] || job->task->array[k].access != OPI_WRITES) continue;
        OPI_TRY(
            opi_gpu_download(job->g, job->call, OPI_QUEUE_DOWN, p->host[k], p->part.address[k], bytes_of(job, p, k)));
    }
    return opi_gpu_mark(job->g, job->call, OPI_QUEUE_DOWN, &p->slot->mark);
}

/* Waits until a piece is done, and puts its results where they belong. */
static oplus_status settle(const opi_job *job, const piece *p)
{
    if (!p->slot || !p->slot->mark) return OPLUS_OK;
    OPI_TRY(opi_gpu_reached(job->g, job->call, &p->slot->mark));
    for (int k = 0; k < job->task->arrays; k++) {
        if (!p->host[k] || job->task->array[k].access != OPI_WRITES) continue;
        char *const own = own_place(job, p, k);
        if (p->host[k] != own) copy_host(job, own, p->host[k], bytes_of(job, p, k));
    }
    return OPLUS_OK;
}

/* Sets how many items this piece appends; the pieces before it have appended `appended`.  The host must know this. */
static oplus_status append(opi_job *job, const piece *p, opi_stage_count *count, uint64_t *appended)
{
    const int k = job->task->arrays - 1;
    const size_t size = job->task->array[k].size;
    uint64_t own = p->part.n; /* a rehearsal assumes that all are kept */
    OPI_TRY(count(job, &own));
    char *const to = (char *)job->task->array[k].mem + *appended * size;
    if (own > 0) OPI_TRY(opi_gpu_fetch(job->g, job->call, to, p->part.address[k], own * size));
    *appended += own;
    job->fresh = true; /* the next piece counts from 0 */
    job->at = 0;
    return OPLUS_OK;
}

/* --- all of them -------------------------------------------------------------------------------------------------- */

/* Computes piece `p`, whose slot is free, and begins to copy its results back. */
static oplus_status run_piece(opi_job *job, const opi_staging *s, piece *p, opi_stage_count *count, uint64_t *appended)
{
    lay_out(job, s, p);
    OPI_TRY(bring(job, p));
    OPI_TRY(opi_way_run(job, &p->part));
    return s->appends ? append(job, p, count, appended) : take(job, p);
}

/* After a failure, no copy may be under way when the slots are used again. */
static void abandon(const opi_job *job, piece *pieces)
{
    opi_gpu *const gpu = job->g->gpu;
    for (int q = 0; q < OPI_QUEUES; q++) opi_gpu_sync(job->g, job->call, (opi_gpu_queue)q);
    for (int i = 0; i < OPI_SLOTS; i++) {
        if (!pieces[i].slot) continue;
        gpu->driver->drop(gpu, pieces[i].slot->mark);
        pieces[i].slot->mark = NULL;
    }
}

static oplus_status run_pieces(opi_job *job, const opi_staging *s, piece *pieces, opi_stage_count *count,
                               uint64_t *appended)
{
    const uint64_t n = job->task->n, skew = job->at % opi_tile(job->shape);
    uint64_t index = 0;
    for (uint64_t begin = 0; begin < n; index++) {
        piece *const p = &pieces[index % OPI_SLOTS];
        const uint64_t room = begin == 0 ? s->piece_items - skew : s->piece_items;
        OPI_TRY(settle(job, p)); /* the piece that had the slot before */
        p->slot = &job->g->slot[index % OPI_SLOTS];
        p->begin = begin;
        p->part.n = room < n - begin ? room : n - begin;
        begin += p->part.n;
        p->part.last = begin == n || s->appends;
        OPI_TRY(run_piece(job, s, p, count, appended));
    }
    for (uint64_t i = 0; i < OPI_SLOTS; i++) OPI_TRY(settle(job, &pieces[(index + i) % OPI_SLOTS]));
    return OPLUS_OK;
}

oplus_status opi_stage_run(opi_job *job, const opi_staging *staging, opi_stage_count *count, uint64_t *appended)
{
    piece pieces[OPI_SLOTS] = {{0}};
    assert(staging->any);
    if (staging->appends) *appended = 0;
    OPI_TRY(reserve_all(job, staging, job->at % opi_tile(job->shape)));
    const oplus_status status = run_pieces(job, staging, pieces, count, appended);
    if (status != OPLUS_OK) abandon(job, pieces);
    return status;
}
