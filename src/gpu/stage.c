/* Arrays of the host on an accelerator: they are cut into pieces that end at tiles; each piece is copied to the device,
 * computed, and copied back.  While one piece is computed the next is copied, and the one before is copied back. */
#include "gpu/stage.h"

#include "base/error.h"
#include "gpu/memory.h"
#include "gpu/transfer.h"
#include "gpu/ways.h"

#include <assert.h>
#include <string.h>

enum {
    PIECES = 16,           /* of a call: more hide more of the first copy and of the last one, */
    LEAST_PIECE = 4 << 20, /* but each takes some 30 us of the host's time */
    MOST_PIECE = 16 << 20
};

/* --- which arrays ------------------------------------------------------------------------------------------------- */

static const char *name_of(const opi_task *task, int k)
{
    static const char *const inputs[] = {"in[0]", "in[1]", "in[2]", "in[3]", "in[4]", "in[5]", "in[6]", "in[7]"};
    if (task->array[k].access != OPI_READS) return "out";
    if (task->what == OPI_MAP && task->arrays > 2) return inputs[k];
    if (task->what == OPI_TAKE || task->what == OPI_PUT) return k == OPI_INDICES ? "indices" : "in";
    if (opi_task_is_fused(task) && task->before && task->before->arity > 1)
        return inputs[k == OPI_IN ? 0 : k - (task->arrays - 1 - (int)task->before->arity)];
    return k == OPI_IN ? "in" : "heads";
}

/* Bytes of a piece of arrays of so many bytes. */
static size_t piece_bytes(const opi_accelerator *g, size_t bytes)
{
    return opi_smaller(g->piece_bytes, opi_larger(LEAST_PIECE, opi_smaller(bytes / PIECES, MOST_PIECE)));
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
    const size_t tiles = piece_bytes(job->g, task->n * staging->item_bytes) / staging->item_bytes / tile;
    staging->piece_items = (tiles ? tiles : 1) * tile;
    staging->pinned = opi_goes_through_pinned(job->g, OPI_SIDE_HOST, task->n * staging->item_bytes);
    return OPLUS_OK;
}

/* --- one piece ---------------------------------------------------------------------------------------------------- */

/* A piece: items [begin, begin + part.n) of the arrays. */
typedef struct piece {
    opi_slot *slot;
    uint64_t begin;
    opi_part part;
    char *host[OPI_MAX_ARRAYS]; /* what the driver copies from or to; NULL: no copy */
    void *brought;              /* mark behind the copies to the device */
    char *end;                  /* where its appended items belong */
    uint64_t appended;          /* their number */
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

static oplus_status bring(const opi_job *job, piece *p)
{
    for (int k = 0; k < job->task->arrays; k++) {
        if (!p->host[k] || job->task->array[k].access != OPI_READS) continue;
        char *const own = own_place(job, p, k), *const to = (char *)p->part.address[k];
        if (p->host[k] != own) opi_fill_pinned(job->g, p->host[k], own, bytes_of(job, p, k));
        OPI_TRY(opi_gpu_upload(job->g, job->call, OPI_QUEUE_UP, to, p->host[k], bytes_of(job, p, k)));
    }
    return opi_gpu_mark(job->g, job->call, OPI_QUEUE_UP, &p->brought);
}

static void drop(const opi_job *job, void **mark)
{
    job->g->gpu->driver->drop(job->g->gpu, *mark);
    *mark = NULL;
}

/* Computes a piece as soon as it has been brought. */
static oplus_status compute(opi_job *job, piece *p)
{
    opi_gpu *const gpu = job->g->gpu;
    oplus_status status = OPLUS_OK;
    if (p->brought) status = gpu->driver->after(gpu, job->call, OPI_QUEUE_COMPUTE, p->brought);
    drop(job, &p->brought);
    job->index = opi_task_index(job->task) + p->begin;
    return status == OPLUS_OK ? opi_way_run(job, &p->part) : status;
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
        const opi_access access = job->task->array[k].access;
        if (!p->host[k] || access == OPI_READS) continue;
        char *const own = access == OPI_APPENDS ? p->end : own_place(job, p, k);
        const size_t bytes = access == OPI_APPENDS ? p->appended * job->task->array[k].size : bytes_of(job, p, k);
        if (p->host[k] != own && bytes > 0) opi_empty_pinned(job->g, own, p->host[k], bytes);
    }
    return OPLUS_OK;
}

/* Finds where the driver copies what a piece has appended: to its place, or to the slot's pinned memory.  The output may
 * begin in pinned memory, and end in other memory. */
static oplus_status aim(const opi_job *job, const opi_staging *s, piece *p, int k)
{
    const char *const slot = p->slot->device.mem;
    opi_gpu_side side = s->side[k];
    if (side == OPI_SIDE_PINNED)
        OPI_TRY(opi_gpu_side_of(job->g, job->call, "out", p->end, p->appended * job->task->array[k].size, &side));
    const bool direct = !s->pinned || side == OPI_SIDE_PINNED;
    p->host[k] = direct ? p->end : (char *)p->slot->pinned.mem + (p->part.address[k] - slot);
    return OPLUS_OK;
}

/* Computes a piece that appends, and begins to copy what it has appended; the pieces before it have appended `appended`
 * items.  The host must know the number: it waits for this piece, while the next one is on its way to the device. */
static oplus_status append(opi_job *job, const opi_staging *s, piece *p, opi_stage_count *count, uint64_t *appended)
{
    const int k = job->task->arrays - 1;
    const size_t size = job->task->array[k].size;
    p->appended = p->part.n; /* a rehearsal assumes that all are kept */
    OPI_TRY(compute(job, p));
    OPI_TRY(count(job, &p->appended));
    p->end = (char *)job->task->array[k].mem + *appended * size;
    *appended += p->appended;
    job->fresh = true; /* the next piece counts from 0 */
    job->at = 0;
    if (p->appended == 0) return OPLUS_OK;
    OPI_TRY(aim(job, s, p, k));
    OPI_TRY(opi_gpu_download(job->g, job->call, OPI_QUEUE_DOWN, p->host[k], p->part.address[k], p->appended * size));
    return opi_gpu_mark(job->g, job->call, OPI_QUEUE_DOWN, &p->slot->mark);
}

/* --- all of them -------------------------------------------------------------------------------------------------- */

/* After a failure, no copy may be under way when the slots are used again. */
static oplus_status abandon(const opi_job *job, piece *pieces, oplus_status failure)
{
    const oplus_status status = opi_gpu_settle(job->g, job->call, failure);
    for (int i = 0; i < OPI_SLOTS; i++) {
        drop(job, &pieces[i].brought);
        if (pieces[i].slot) drop(job, &pieces[i].slot->mark);
    }
    return status;
}

/* Begins to bring the next piece, of up to `most` items from `begin` on, in a slot that another piece may have had. */
static oplus_status begin_piece(const opi_job *job, const opi_staging *s, uint64_t begin, uint64_t most, opi_slot *slot,
                                piece *p)
{
    const uint64_t left = job->task->n - begin;
    OPI_TRY(settle(job, p));
    p->slot = slot;
    p->begin = begin;
    p->part.n = most < left ? most : left;
    p->part.last = p->part.n == left || s->appends;
    lay_out(job, s, p);
    return bring(job, p);
}

static oplus_status run_pieces(opi_job *job, const opi_staging *s, piece *pieces, opi_stage_count *count,
                               uint64_t *appended)
{
    uint64_t index = 0, most = s->piece_items - job->at % opi_tile(job->shape);
    piece *before = NULL;
    for (uint64_t begin = 0; begin < job->task->n; index++, most = s->piece_items) {
        const size_t i = index % OPI_SLOTS;
        piece *const p = &pieces[i];
        OPI_TRY(begin_piece(job, s, begin, most, &job->g->slot[i], p));
        begin += p->part.n;
        if (before) OPI_TRY(append(job, s, before, count, appended));
        if (s->appends) {
            before = p;
        } else {
            OPI_TRY(compute(job, p));
            OPI_TRY(take(job, p));
        }
    }
    if (before) OPI_TRY(append(job, s, before, count, appended));
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
    return status == OPLUS_OK ? OPLUS_OK : abandon(job, pieces, status);
}
