/* Put on an accelerator: the output lies there; indices and elements of the host are copied in pieces. */
#include "base/error.h"
#include "base/memory.h"
#include "cores/cores.h"
#include "gpu/launch.h"
#include "gpu/memory.h"
#include "gpu/stage.h"
#include "gpu/take/by_index.h"
#include "gpu/take/take.h"
#include "gpu/ways.h"

#include <stdio.h>

enum {
    SHAPED_BYTES = 16 /* bytes of an element, which decide how a launch is cut */
};

/* Numbers of indices have 32 bits: behind so many indices they begin anew. */
#define MOST_NUMBERED (UINT64_C(1) << 31)

/* --- the program -------------------------------------------------------------------------------------------------- */

static void write_source(opi_gpu_source *source, const void *context)
{
    const opi_by_index *const t = context;
    opi_by_index_write(source, t);
    opi_deal_write_pages(t->job.deal, source);
    opi_gpu_write_kernels(source, "put");
}

static oplus_status get_program(opi_by_index *t)
{
    static const char *const kernels[] = {"opi_put_clear", "opi_put_look", "opi_put"};
    char what[64];
    opi_job *const job = &t->job;
    const size_t size = t->pieces.array[OPI_TABLE].size;
    t->unit = opi_by_index_unit(t);
    job->shape = opi_shape_for(&job->g->gpu->facts, opi_smaller(size, SHAPED_BYTES), 0);
    const opi_key key = opi_by_index_key(t, "put");
    snprintf(what, sizeof what, "put of elements of %zu bytes", size);
    OPI_TRY(opi_program_get(&job->g->programs, job->call, what, key.hash, write_source, t, &job->program));
    return opi_kernels_make(&job->g->programs, job->call, job->program, kernels, sizeof kernels / sizeof *kernels);
}

/* --- launches ----------------------------------------------------------------------------------------------------- */

static uint64_t tiles_of(const opi_job *job, uint64_t n)
{
    return (n + opi_tile(job->shape) - 1) / opi_tile(job->shape);
}

static oplus_status clear(const opi_by_index *t)
{
    const opi_gpu_argument list[] = {opi_memory(t->job.g->nodes.mem), opi_value(t->pieces.indices.n)};
    return opi_gpu_launch(&t->job, "opi_put_clear", tiles_of(&t->job, t->pieces.indices.n), list, 2);
}

/* Puts n elements; so many indices have been numbered since the last clearing. */
static oplus_status put_numbered(const opi_by_index *t, const char *indices, const char *in, uint64_t n,
                                 uint64_t numbered)
{
    const opi_job *const job = &t->job;
    const void *const last = job->g->nodes.mem;
    const uint64_t places = t->pieces.indices.n, sign = opi_index_sign(&t->pieces.indices), before = job->at;
    const opi_dealt_pages pages = opi_deal_pages(job->deal);
    const opi_gpu_argument look[] = {opi_memory(indices), opi_value(n),         opi_value(places),
                                     opi_value(sign),     opi_value(numbered),  opi_value(before),
                                     opi_memory(last),    opi_memory(t->fault), opi_value(pages)};
    const opi_gpu_argument put[] = {opi_memory(indices),  opi_memory(in),    opi_value(n),
                                    opi_memory(t->table), opi_value(places), opi_value(sign),
                                    opi_value(numbered),  opi_memory(last),  opi_value(pages)};
    const int arguments = job->deal ? 9 : 8;
    OPI_TRY(opi_gpu_launch(job, "opi_put_look", tiles_of(job, n), look, arguments));
    return opi_gpu_launch(job, "opi_put", tiles_of(job, n), put, arguments);
}

oplus_status opi_put_blocks(opi_job *job, const opi_part *part)
{
    const opi_by_index *const t = (const opi_by_index *)job;
    const char *indices = part->address[OPI_INDICES], *in = part->address[OPI_PUT_IN];
    for (uint64_t left = part->n, n; left > 0; left -= n) {
        const uint64_t numbered = job->at % MOST_NUMBERED;
        n = opi_smaller(left, MOST_NUMBERED - numbered);
        if (numbered == 0) OPI_TRY(clear(t));
        OPI_TRY(put_numbered(t, indices, in, n, numbered));
        job->at += n;
        indices += n * t->pieces.array[OPI_INDICES].size;
        in += n * t->pieces.array[OPI_PUT_IN].size;
    }
    return OPLUS_OK;
}

/* All that a put needs whose output lies on the device. */
static oplus_status make_ready(opi_by_index *t)
{
    opi_accelerator *const g = t->job.g;
    t->table = t->pieces.array[OPI_TABLE].mem;
    OPI_TRY(get_program(t));
    OPI_TRY(opi_gpu_reserve(g, t->job.call, &g->nodes, t->pieces.indices.n * sizeof(uint32_t)));
    return opi_by_index_prepare_fault(t);
}

/* --- dealt out (gpu/deals.h) ---------------------------------------------------------------------------------------- */

static oplus_status make_dealt(const opi_job *job, opi_by_index *t)
{
    *t = (opi_by_index){.job = *job, .pieces = *job->task};
    OPI_TRY(opi_by_index_begin(t));
    return make_ready(t);
}

oplus_status opi_put_prepare_dealt(opi_job *job)
{
    opi_by_index t;
    return make_dealt(job, &t);
}

oplus_status opi_put_run_dealt(opi_job *job)
{
    const opi_part part = opi_part_of_all(job->task);
    opi_by_index t;
    OPI_TRY(make_dealt(job, &t));
    return opi_put_blocks(&t.job, &part);
}

/* --- the call ----------------------------------------------------------------------------------------------------- */

static oplus_status put(opi_by_index *t)
{
    opi_staging staging;
    OPI_TRY(make_ready(t));
    OPI_TRY(opi_stage_look(&t->job, &staging));
    OPI_TRY(staging.any ? opi_stage_run(&t->job, &staging, NULL, NULL) : opi_way_run_all(&t->job));
    return opi_by_index_look_for_wrong(t);
}

/* An output in host memory would be copied to the device and back, which takes longer than what is done there.  Indices
 * and elements that lie on the device are copied to the host. */
static oplus_status put_on_host(opi_by_index *t)
{
    opi_job *const job = &t->job;
    opi_array *const in = &t->pieces.array[OPI_PUT_IN];
    const size_t bytes = in->items * in->size;
    t->pieces.arrays++;
    OPI_TRY(opi_by_index_read(t, t->pieces.n, &t->pieces.indices));
    t->pieces.array[OPI_INDICES].mem = t->pieces.indices.at;
    if (t->moved == OPI_SIDE_DEVICE) {
        opi_buffer *const copy = &job->g->image;
        if (!opi_buffer_reserve(copy, bytes))
            return opi_fail(OPLUS_ERR_MEMORY, "%s: no memory for %zu bytes of elements; free some, or call for fewer",
                            job->call, bytes);
        OPI_TRY(opi_gpu_fetch(job->g, job->call, copy->mem, in->mem, bytes));
        in->mem = copy->mem;
    }
    return job->g->rehearsal ? OPLUS_OK : opi_cores_run(job->g->dev.cores, job->call, &t->pieces, NULL);
}

oplus_status opi_gpu_put_by_index(opi_job *job)
{
    opi_by_index t = {.job = *job, .pieces = *job->task};
    OPI_TRY(opi_by_index_begin(&t));
    return t.table_side == OPI_SIDE_DEVICE ? put(&t) : put_on_host(&t);
}
