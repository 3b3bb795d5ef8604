#include "gpu/pack/pack.h"

#include "base/error.h"
#include "base/memory.h"
#include "gpu/launch.h"
#include "gpu/stage.h"
#include "gpu/ways.h"

#include <inttypes.h>

enum {
    SHAPED_BYTES = 64, /* bytes of an element, which decide how a launch is cut */
    UNIT_MOST = 8
};

typedef struct packing {
    opi_job job; /* must be first */
    size_t unit; /* bytes that are read at a time: they divide elements, members, and where these begin */
} packing;

/* --- the program -------------------------------------------------------------------------------------------------- */

/* Pieces of the host's arrays are aligned in device memory. */
static void choose_unit(packing *p, opi_gpu_side side)
{
    const opi_task *const task = p->job.task;
    const opi_array *const in = &task->array[OPI_IN];
    uintptr_t all = in->size | UNIT_MOST | (side == OPI_SIDE_DEVICE ? (uintptr_t)in->mem : 0);
    for (size_t k = 0; k < task->pack.count; k++) all |= task->pack.member[k].at | task->pack.member[k].bits / 8;
    p->unit = all & -all;
}

static void write_members(opi_gpu_source *source, const packing *p)
{
    const opi_task *const task = p->job.task;
    if (opi_gpu_failed(source)) return;
    fprintf(source->to, "#define OPI_MEMBERS(X)");
    for (size_t k = 0; k < task->pack.count; k++) {
        const opi_packed *const m = &task->pack.member[k];
        fprintf(source->to, " X(%zuu, %zuu, %u, 0x%" PRIx64 "ul, 0x%" PRIx64 "ul)", m->at / p->unit,
                m->bits / 8 / p->unit, m->bits, m->negative, m->flip);
    }
    fprintf(source->to, "\n");
}

static void write_source(opi_gpu_source *source, const void *context)
{
    const packing *const p = context;
    const opi_task *const task = p->job.task;
    opi_gpu_write_shape(source, p->job.shape, task->array[OPI_IN].size);
    opi_gpu_define(source, "OPI_UNIT", p->unit);
    opi_gpu_define(source, "OPI_KEY_SIZE", task->array[OPI_PACKED_OUT].size);
    write_members(source, p);
    opi_gpu_write_kernels(source, "unit");
    opi_gpu_write_kernels(source, "key");
    opi_deal_write(p->job.deal, source);
    opi_gpu_write_kernels(source, "pack");
}

static oplus_status get_program(packing *p)
{
    opi_job *const job = &p->job;
    const opi_task *const task = job->task;
    opi_key key = opi_key_begin("pack", job->shape);
    opi_key_number(&key, task->array[OPI_IN].size);
    opi_key_number(&key, (uint64_t)(job->deal != NULL) << 32 | p->unit << 8 | task->array[OPI_PACKED_OUT].size);
    for (size_t k = 0; k < task->pack.count; k++) {
        const opi_packed *const m = &task->pack.member[k];
        opi_key_number(&key, m->at);
        opi_key_number(&key, m->bits);
        opi_key_number(&key, m->negative);
        opi_key_number(&key, m->flip);
    }
    return opi_program_get(&job->g->programs, job->call, "keys of members", key.hash, write_source, p, &job->program);
}

/* --- the call ----------------------------------------------------------------------------------------------------- */

oplus_status opi_pack_blocks(opi_job *job, const opi_part *part)
{
    const uint64_t tile = opi_tile(job->shape);
    uint64_t tiles = (part->n - 1) / tile + 1;
    opi_dealt dealt = {.epoch = 0};
    opi_arguments a = {.count = 0};
    opi_add(&a, opi_memory(part->address[OPI_IN]));
    opi_add(&a, opi_memory(part->address[OPI_PACKED_OUT]));
    opi_add(&a, opi_value(part->n));
    if (job->deal) {
        tiles = opi_deal_items(job->deal, tiles, (size_t)tile * job->task->array[OPI_IN].size, &dealt);
        opi_add(&a, opi_value(dealt));
    }
    return opi_gpu_launch(job, "opi_pack", tiles, a.list, a.count);
}

static packing packing_of(const opi_job *job)
{
    packing p = {.job = *job};
    const size_t size = job->task->array[OPI_IN].size;
    p.job.shape = opi_shape_for(&job->g->gpu->facts, opi_smaller(size, SHAPED_BYTES), 0);
    return p;
}

/* All arrays lie on devices. */
oplus_status opi_pack_ready(opi_job *job)
{
    packing p = packing_of(job);
    choose_unit(&p, OPI_SIDE_DEVICE);
    OPI_TRY(get_program(&p));
    *job = p.job;
    return OPLUS_OK;
}

oplus_status opi_gpu_pack(opi_job *job)
{
    packing p = packing_of(job);
    opi_staging staging;
    OPI_TRY(opi_stage_look(&p.job, &staging));
    choose_unit(&p, staging.side[OPI_IN]);
    OPI_TRY(get_program(&p));
    return staging.any ? opi_stage_run(&p.job, &staging, NULL, NULL) : opi_way_run_all(&p.job);
}
