/* Arrays of the host on an accelerator: cut into pieces that end at tiles, each brought, computed and taken home; while
 * one is computed the next is on its way. */
#include "gpu/run.h"

#include "base/error.h"
#include "cores/crew.h"

#include <omp.h>
#include <string.h>

enum {
    PINNED_FROM = 1 << 20, /* bytes from which a copy into pinned memory pays */
    COPY_SHARED = 1 << 20, /* bytes that several threads copy */
    COPY_THREADS = 8
};

/* --- which arrays ------------------------------------------------------------------------------------------------- */

static const char *name_of(const opi_form *form, int k)
{
    static const char *const inputs[] = {"in[0]", "in[1]", "in[2]", "in[3]", "in[4]", "in[5]", "in[6]", "in[7]"};
    if (form->array[k].access != OPI_READS) return "out";
    if (form->fn && form->arrays > 2) return inputs[k];
    return k == 0 ? "in" : "heads";
}

oplus_status opi_run_look(const opi_run *r, uint64_t n, opi_staging *staging)
{
    const size_t tile = opi_tile(r->formed.shape);
    memset(staging, 0, sizeof *staging);
    for (int k = 0; k < r->form->arrays; k++) {
        const opi_array *const array = &r->form->array[k];
        if (!array->mem) continue;
        const bool appends = array->access == OPI_APPENDS; /* room for the kept ones is enough */
        OPI_TRY(opi_gpu_side_of(r->g, r->call, name_of(r->form, k), array->mem, appends ? 1 : n * array->size,
                                &staging->side[k]));
        if (staging->side[k] == OPI_SIDE_DEVICE) continue;
        staging->any = true;
        staging->appends |= appends;
        staging->item_bytes += array->size;
    }
    if (!staging->any) return OPLUS_OK;
    const size_t tiles = r->g->piece_bytes / staging->item_bytes / tile;
    staging->piece_items = (tiles ? tiles : 1) * tile;
    staging->pinned = !r->g->gpu->facts.host_cores && n * staging->item_bytes >= PINNED_FROM;
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

/* Between the caller's memory and pinned memory; one thread alone does not keep up with what carries it on. */
static void copy_host(opi_groups *g, char *to, const char *from, size_t bytes)
{
    const int most = omp_get_max_threads() < COPY_THREADS ? omp_get_max_threads() : COPY_THREADS;
    if (most < 2 || bytes < COPY_SHARED || omp_in_parallel())
        memcpy(to, from, bytes);
    else
        opi_copy_shared(&g->crew, to, from, bytes, most);
}

/* --- one piece ---------------------------------------------------------------------------------------------------- */

/* Items [begin, begin + items) of the arrays. */
typedef struct piece {
    opi_slot *slot;
    uint64_t begin, items;
    const char *address[OPI_MAX_ARRAYS]; /* on the device */
    char *host[OPI_MAX_ARRAYS];          /* what the driver copies from or to; NULL: nothing */
} piece;

static char *own_place(const opi_run *r, const piece *p, int k)
{
    return (char *)r->form->array[k].mem + p->begin * r->form->array[k].size;
}

static size_t bytes_of(const opi_run *r, const piece *p, int k) { return p->items * r->form->array[k].size; }

static void lay_out(const opi_run *r, const opi_staging *s, piece *p)
{
    size_t offset = 0;
    for (int k = 0; k < r->form->arrays; k++) {
        const opi_array *const array = &r->form->array[k];
        p->host[k] = NULL;
        p->address[k] = array->mem;
        if (!array->mem) continue;
        if (s->side[k] == OPI_SIDE_DEVICE) {
            if (array->access != OPI_APPENDS) p->address[k] = own_place(r, p, k);
            continue;
        }
        p->address[k] = (const char *)p->slot->device.mem + offset;
        p->host[k] =
            s->pinned && s->side[k] == OPI_SIDE_HOST ? (char *)p->slot->pinned.mem + offset : own_place(r, p, k);
        offset += opi_round_up(bytes_of(r, p, k), OPI_CACHE_LINE);
    }
}

/* The memory of all pieces: before the first writes anything. */
static oplus_status reserve_all(const opi_run *r, const opi_staging *s, uint64_t n, size_t skew)
{
    const uint64_t pieces = (n + skew + s->piece_items - 1) / s->piece_items;
    const size_t items = n < s->piece_items ? n : s->piece_items;
    const size_t bytes = items * s->item_bytes + (size_t)OPI_CACHE_LINE * OPI_MAX_ARRAYS;
    for (uint64_t i = 0; i < OPI_SLOTS && i < pieces; i++) {
        OPI_TRY(opi_gpu_reserve(r->g, r->call, &r->g->slot[i].device, bytes));
        if (s->pinned) OPI_TRY(opi_pinned_reserve(r->g, r->call, &r->g->slot[i].pinned, bytes));
    }
    return opi_run_reserve(r, items);
}

/* What is enqueued on one queue from now on waits for what another has been given. */
static oplus_status follow(const opi_run *r, opi_gpu_queue earlier, opi_gpu_queue later)
{
    opi_gpu *const gpu = r->g->gpu;
    void *mark;
    OPI_TRY(gpu->driver->mark(gpu, r->call, earlier, &mark));
    const oplus_status status = gpu->driver->after(gpu, r->call, later, mark);
    gpu->driver->drop(gpu, mark);
    return status;
}

static oplus_status bring(const opi_run *r, const piece *p)
{
    opi_gpu *const gpu = r->g->gpu;
    for (int k = 0; k < r->form->arrays; k++) {
        if (!p->host[k] || r->form->array[k].access != OPI_READS) continue;
        if (p->host[k] != own_place(r, p, k)) copy_host(r->g, p->host[k], own_place(r, p, k), bytes_of(r, p, k));
        OPI_TRY(gpu->driver->upload(gpu, r->call, OPI_QUEUE_UP, (void *)p->address[k], p->host[k], bytes_of(r, p, k)));
    }
    return follow(r, OPI_QUEUE_UP, OPI_QUEUE_COMPUTE);
}

static oplus_status take(const opi_run *r, const piece *p)
{
    opi_gpu *const gpu = r->g->gpu;
    OPI_TRY(follow(r, OPI_QUEUE_COMPUTE, OPI_QUEUE_DOWN));
    for (int k = 0; k < r->form->arrays; k++) {
        if (!p->host[k] || r->form->array[k].access != OPI_WRITES) continue;
        r->g->wrote |= p->host[k] == own_place(r, p, k);
        OPI_TRY(gpu->driver->download(gpu, r->call, OPI_QUEUE_DOWN, p->host[k], p->address[k], bytes_of(r, p, k)));
    }
    return gpu->driver->mark(gpu, r->call, OPI_QUEUE_DOWN, &p->slot->mark);
}

/* Waits until a piece is done, and puts its results where they belong. */
static oplus_status settle(const opi_run *r, const piece *p)
{
    opi_gpu *const gpu = r->g->gpu;
    if (!p->slot || !p->slot->mark) return OPLUS_OK;
    const oplus_status status = gpu->driver->reached(gpu, r->call, p->slot->mark);
    gpu->driver->drop(gpu, p->slot->mark);
    p->slot->mark = NULL;
    if (status != OPLUS_OK) return status;
    for (int k = 0; k < r->form->arrays; k++) {
        if (!p->host[k] || r->form->array[k].access != OPI_WRITES || p->host[k] == own_place(r, p, k)) continue;
        r->g->wrote = true;
        copy_host(r->g, own_place(r, p, k), p->host[k], bytes_of(r, p, k));
    }
    return OPLUS_OK;
}

/* The elements that this piece appends, `kept` having been appended before; the host has to know how many they are. */
static oplus_status append(opi_run *r, const piece *p, uint64_t *kept)
{
    const int k = r->form->arrays - 1;
    const size_t size = r->form->array[k].size;
    uint64_t own;
    OPI_TRY(opi_run_result(r, r->g->value.mem));
    OPI_TRY(opi_gpu_fetch(r->g, r->call, &own, r->g->value.mem, sizeof own));
    char *const to = (char *)r->form->array[k].mem + *kept * size;
    r->g->wrote |= own > 0;
    if (own > 0) OPI_TRY(opi_gpu_fetch(r->g, r->call, to, p->address[k], own * size));
    *kept += own;
    r->fresh = true; /* the next piece counts from 0 */
    r->at = 0;
    return OPLUS_OK;
}

/* --- all of them -------------------------------------------------------------------------------------------------- */

/* Piece `p`, whose slot is free, up to its way home. */
static oplus_status run_piece(opi_run *r, const opi_staging *s, piece *p, bool last, uint64_t *kept)
{
    lay_out(r, s, p);
    OPI_TRY(bring(r, p));
    OPI_TRY(opi_run_compute(r, p->address, p->items, last || s->appends));
    return s->appends ? append(r, p, kept) : take(r, p);
}

/* After a failure nothing may be under way when the slots are used again. */
static void abandon(const opi_run *r, piece *pieces)
{
    opi_gpu *const gpu = r->g->gpu;
    for (int q = 0; q < OPI_QUEUES; q++) gpu->driver->sync(gpu, r->call, (opi_gpu_queue)q);
    for (int i = 0; i < OPI_SLOTS; i++) {
        if (!pieces[i].slot) continue;
        gpu->driver->drop(gpu, pieces[i].slot->mark);
        pieces[i].slot->mark = NULL;
    }
}

oplus_status opi_run_staged(opi_run *r, const opi_staging *staging, const opi_sweep *sweep)
{
    const size_t tile = opi_tile(r->formed.shape), skew = r->at % tile;
    piece pieces[OPI_SLOTS] = {{0}};
    oplus_status status = OPLUS_OK;
    uint64_t kept = 0, index = 0;
    OPI_TRY(reserve_all(r, staging, sweep->n, skew));
    for (uint64_t begin = 0; begin < sweep->n && status == OPLUS_OK; index++) {
        piece *const p = &pieces[index % OPI_SLOTS];
        const uint64_t room = begin == 0 ? staging->piece_items - skew : staging->piece_items;
        status = settle(r, p); /* the piece that had the slot before */
        p->slot = &r->g->slot[index % OPI_SLOTS];
        p->begin = begin;
        p->items = room < sweep->n - begin ? room : sweep->n - begin;
        begin += p->items;
        if (status == OPLUS_OK) status = run_piece(r, staging, p, begin == sweep->n, &kept);
    }
    for (uint64_t i = 0; i < OPI_SLOTS && status == OPLUS_OK; i++) status = settle(r, &pieces[(index + i) % OPI_SLOTS]);
    if (status != OPLUS_OK) {
        abandon(r, pieces);
        return status;
    }
    r->g->wrote |= staging->appends;
    return staging->appends ? opi_gpu_put(r->g, r->call, sweep->result, &kept, sweep->result_bytes) : OPLUS_OK;
}
