#include "gpu/bins/bins.h"

#include "base/error.h"
#include "cores/bins.h"
#include "cores/cores.h"
#include "gpu/memory.h"
#include "type/scalars.h"

#define FEW_BINS (UINT64_C(1) << 20)

void opi_gpu_bins_write(opi_gpu_source *source, const opi_job *job)
{
    const opi_bins *const bins = &job->task->bins;
    if (bins->binning == OPI_BY_EVEN && !source->gpu->facts.f64 && !opi_gpu_failed(source))
        source->status = opi_fail(
            OPLUS_ERR_UNSUPPORTED,
            "%s: even bins need double precision, which %s (%s) does not compute with; use \"threads\", or edges",
            source->call, source->gpu->facts.where, source->gpu->facts.name);
    opi_gpu_write_shape(source, job->shape, bins->type->size);
    opi_gpu_write_type(source, bins->type, "opi_x");
    opi_gpu_define(source, "OPI_BINNING", bins->binning);
    opi_gpu_define(source, "OPI_CLIP", bins->bounds == OPLUS_CLIP);
    opi_gpu_define(source, "OPI_REFUSES", opi_gpu_bins_refuse(bins));
    opi_gpu_define(source, "OPI_FEW_BINS", bins->n <= FEW_BINS);
    opi_gpu_define(source, "OPI_IS_SIGNED", opi_is_signed(bins->type->scalar));
    opi_gpu_write_kernels(source, "bins");
}

opi_key opi_gpu_bins_key(const char *primitive, const opi_job *job)
{
    const opi_bins *const bins = &job->task->bins;
    opi_key key = opi_key_begin(primitive, job->shape);
    opi_key_number(&key, (uint64_t)bins->type->scalar);
    opi_key_number(&key, (uint64_t)bins->binning << 8 | (uint64_t)bins->bounds);
    opi_key_number(&key, bins->n <= FEW_BINS);
    return key;
}

oplus_status opi_gpu_bins_look(const opi_job *job, const void *fault)
{
    opi_wrong_index wrong = {0, 0};
    opi_buffer *const copy = &job->g->dev.cores->array;
    const opi_array *const indices = &job->task->array[OPI_INDICES];
    opi_gpu_side side;
    OPI_TRY(opi_gpu_fetch(job->g, job->call, &wrong, fault, sizeof wrong));
    if (wrong.place == 0) return OPLUS_OK;
    const size_t count = (size_t)wrong.place,
                 bytes = count * indices->size; /* this one is wrong, or one before it, too */
    OPI_TRY(opi_gpu_side_of(job->g, job->call, "indices", indices->mem, bytes, &side));
    if (side != OPI_SIDE_DEVICE) return opi_bins_refuse(job->call, &job->task->bins, indices->mem, count);
    if (!opi_buffer_reserve(copy, bytes))
        return opi_fail(OPLUS_ERR_MEMORY, "%s: no memory for %zu bytes of indices; free some, or call for fewer",
                        job->call, bytes);
    OPI_TRY(opi_gpu_fetch(job->g, job->call, copy->mem, indices->mem, bytes));
    return opi_bins_refuse(job->call, &job->task->bins, copy->mem, count);
}
