/* Gather: copies what an accelerator has of an array that is dealt out, to one place (gpu/deal.h). */
#include "gpu/deal.h"

#include "base/error.h"
#include "gpu/launch.h"
#include "gpu/memory.h"

/* What is copied at once: the largest power of two up to 16 bytes that divides addresses and bytes. */
static unsigned unit_of(const void *to, const void *from, uint64_t bytes)
{
    const uint64_t all = (uintptr_t)to | (uintptr_t)from | bytes | OPI_VECTOR_BYTES;
    return (unsigned)(all & -all);
}

typedef struct gathering {
    opi_job job; /* it must be the first member */
    unsigned unit;
} gathering;

static void write_source(opi_gpu_source *source, const void *context)
{
    const gathering *const g = context;
    opi_gpu_write_shape(source, g->job.shape, g->unit);
    opi_gpu_define(source, "OPI_UNIT", g->unit);
    opi_deal_write(g->job.deal, source);
    opi_gpu_write_kernels(source, "unit");
    opi_gpu_write_kernels(source, "gather");
}

static oplus_status get_program(gathering *g)
{
    opi_job *const job = &g->job;
    job->shape = opi_shape_for(&job->g->gpu->facts, g->unit, 0);
    opi_key key = opi_key_begin("gather", job->shape);
    opi_key_number(&key, g->unit);
    return opi_program_get(&job->g->programs, job->call, "the gather", key.hash, write_source, g, &job->program);
}

static oplus_status gather(gathering *g, void *to, const void *from, uint64_t bytes)
{
    opi_dealt dealt = {.epoch = 0};
    opi_arguments a = {.count = 0};
    OPI_TRY(get_program(g));
    const uint64_t n = opi_deal_items(g->job.deal, bytes / g->unit, g->unit, &dealt), tile = opi_tile(g->job.shape);
    opi_add(&a, opi_memory(from));
    opi_add(&a, opi_memory(to));
    opi_add(&a, opi_value(n));
    opi_add(&a, opi_value(dealt));
    return n == 0 ? OPLUS_OK : opi_gpu_launch(&g->job, "opi_gather", (n + tile - 1) / tile, a.list, a.count);
}

oplus_status opi_deal_gather(const opi_deal *deal, const char *call, void *to, const void *from, uint64_t bytes)
{
    gathering g = {.job = {.g = deal->all[deal->own], .call = call, .deal = deal}, .unit = unit_of(to, from, bytes)};
    OPI_INSIDE(g.job.g->gpu, call, gather(&g, to, from, bytes));
}
