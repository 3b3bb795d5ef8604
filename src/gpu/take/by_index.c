#include "gpu/take/by_index.h"

#include "base/error.h"
#include "base/memory.h"
#include "cores/cores.h"
#include "cores/take.h"
#include "gpu/memory.h"

#include <string.h>

static oplus_status side_of(const opi_by_index *t, const char *name, int k, opi_gpu_side *side)
{
    const opi_array *const array = &t->pieces.array[k];
    return opi_gpu_side_of(t->job.g, t->job.call, name, array->mem, array->items * array->size, side);
}

oplus_status opi_by_index_begin(opi_by_index *t)
{
    const bool puts = t->pieces.what == OPI_PUT;
    t->job.task = &t->pieces;
    t->pieces.arrays = OPI_TABLE;
    OPI_TRY(side_of(t, "indices", OPI_INDICES, &t->at));
    OPI_TRY(side_of(t, puts ? "in" : "out", OPI_TAKEN_OUT, &t->moved));
    return side_of(t, puts ? "out" : "in", OPI_TABLE, &t->table_side);
}

unsigned opi_by_index_unit(const opi_by_index *t)
{
    const opi_array *const moved = &t->pieces.array[OPI_TAKEN_OUT];
    const uintptr_t own = t->moved == OPI_SIDE_DEVICE ? (uintptr_t)moved->mem : 0;
    const uintptr_t all = moved->size | (uintptr_t)t->table | own | OPI_VECTOR_BYTES;
    return (unsigned)(all & -all);
}

void opi_by_index_write(opi_gpu_source *source, const opi_by_index *t)
{
    opi_gpu_write_shape(source, t->job.shape, t->pieces.array[OPI_TABLE].size);
    opi_gpu_define(source, "OPI_UNIT", t->unit);
    opi_gpu_define(source, "OPI_INDEX_SIZE", t->pieces.indices.type->size);
    opi_gpu_define(source, "OPI_CLIP", t->pieces.indices.clip);
    opi_gpu_write_kernels(source, "unit");
    opi_gpu_write_kernels(source, "index");
}

opi_key opi_by_index_key(const opi_by_index *t, const char *primitive)
{
    opi_key key = opi_key_begin(primitive, t->job.shape);
    opi_key_number(&key, (uint64_t)(t->job.deal != NULL) << 63 | t->pieces.array[OPI_TABLE].size);
    opi_key_number(&key, (uint64_t)t->unit << 16 | t->pieces.indices.type->size << 8 | t->pieces.indices.clip);
    return key;
}

/* --- indices out of range ----------------------------------------------------------------------------------------- */

/* Whether the call ends before its indices have been read: the next one that waits tells what is wrong with them. */
static bool does_not_wait(const opi_by_index *t)
{
    return t->job.g->gpu->facts.architecture > 0 && t->table_side == OPI_SIDE_DEVICE && t->at == OPI_SIDE_DEVICE &&
           t->moved == OPI_SIDE_DEVICE;
}

oplus_status opi_by_index_prepare_fault(opi_by_index *t)
{
    static const opi_wrong_index none = {0, 0};
    opi_accelerator *const g = t->job.g;
    if (t->pieces.indices.clip) return OPLUS_OK;
    if (does_not_wait(t)) {
        const bool is_new = !g->wrong_index.mem;
        OPI_TRY(opi_pinned_reserve(g, t->job.call, &g->wrong_index, sizeof none));
        if (is_new) memcpy(g->wrong_index.mem, &none, sizeof none);
        t->fault = g->wrong_index.mem;
        return OPLUS_OK;
    }
    OPI_TRY(opi_gpu_reserve(g, t->job.call, &g->work, sizeof none));
    t->fault = g->work.mem;
    return opi_gpu_put(g, t->job.call, t->fault, &none, sizeof none);
}

oplus_status opi_by_index_read(const opi_by_index *t, size_t count, opi_indices *indices)
{
    const opi_job *const job = &t->job;
    opi_buffer *const copy = &job->g->dev.cores->array;
    const size_t bytes = count * indices->type->size;
    const void *const from = indices->at;
    if (t->at != OPI_SIDE_DEVICE) return OPLUS_OK;
    if (!opi_buffer_reserve(copy, bytes))
        return opi_fail(OPLUS_ERR_MEMORY, "%s: no memory for %zu bytes of indices; free some, or call for fewer",
                        job->call, bytes);
    indices->at = copy->mem;
    return opi_gpu_fetch(job->g, job->call, copy->mem, from, bytes);
}

oplus_status opi_by_index_look_for_wrong(const opi_by_index *t)
{
    const opi_job *const job = &t->job;
    opi_wrong_index wrong = {0, 0};
    opi_indices readable = t->pieces.indices;
    if (readable.clip || does_not_wait(t)) return OPLUS_OK;
    OPI_TRY(opi_gpu_fetch(job->g, job->call, &wrong, t->fault, sizeof wrong));
    if (wrong.place == 0) return OPLUS_OK;
    readable.count = (size_t)wrong.place; /* this one is wrong, or one before it, too */
    OPI_TRY(opi_by_index_read(t, readable.count, &readable));
    return opi_indices_refuse(job->call, &readable, opi_indices_first_wrong(&readable, 0));
}
