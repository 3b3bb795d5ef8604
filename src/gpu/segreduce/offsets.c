#include "gpu/segreduce/offsets.h"

#include "base/error.h"
#include "cores/cores.h"
#include "gpu/launch.h"
#include "gpu/memory.h"

enum {
    PARTS_A_UNIT = 8, /* work-groups that look at offsets, for each multiprocessor */
    COUNTS = 3        /* of each: wrong offsets, long segments, the elements of these */
};

/* What stands behind the counts. */
typedef struct seen {
    uint64_t wrong, are_long, in_long, first, last; /* the sums of the counts; the first and the last offset */
} seen;

static void write_source(opi_gpu_source *source, const void *context)
{
    const opi_looking *const l = context;
    opi_gpu_write_shape(source, l->shape, sizeof(uint64_t));
    opi_gpu_define(source, "OPI_OFFSET_SIZE", l->offset);
    opi_gpu_write_kernels(source, "sums");
    opi_gpu_write_kernels(source, "offset");
    opi_gpu_write_kernels(source, "offsets");
}

oplus_status opi_looking_begin(opi_looking *l, const opi_job *job, size_t segments, size_t offset)
{
    opi_accelerator *const g = job->g;
    *l = (opi_looking){.job = job, .segments = segments, .offset = offset};
    l->shape = opi_shape_for(&g->gpu->facts, sizeof(uint64_t), sizeof(uint64_t));
    if (l->shape.log_w == 0) l->shape.log_e = 0;
    const uint64_t most = (uint64_t)PARTS_A_UNIT * opi_units(g);
    const size_t grain = l->shape.log_w ? (size_t)1 << l->shape.log_w : OPI_CHUNK_SEGMENTS;
    l->part = opi_round_up((segments + most - 1) / most, grain);
    l->parts = (segments + l->part - 1) / l->part;
    opi_key key = opi_key_begin("offsets", l->shape);
    opi_key_number(&key, l->offset);
    return opi_program_get(&g->programs, job->call, "the kernels of oplus_segreduce", key.hash, write_source, l,
                           &l->program);
}

oplus_status opi_looking_launch(const opi_looking *l, const char *kernel, uint64_t groups, const opi_gpu_argument *list,
                                int count)
{
    return opi_gpu_launch_of(l->job, l->program, kernel, groups, 1u << l->shape.log_w, list, count);
}

oplus_status opi_looking_add_up(const opi_looking *l, unsigned kinds, char *counts)
{
    char *const total = counts + kinds * l->parts * sizeof(uint64_t);
    const opi_gpu_argument list[] = {opi_memory(counts), opi_value(l->parts), opi_memory(total)};
    return opi_looking_launch(l, "opi_rows", kinds, list, 3);
}

size_t opi_looking_bytes(const opi_looking *l)
{
    return opi_round_up(COUNTS * l->parts * sizeof(uint64_t) + sizeof(seen), OPI_CACHE_LINE);
}

/* Looks at the offsets in device memory: what comes before each part is then at g->work, and behind it what is seen. */
static oplus_status look(const opi_job *job, const void *at, uint64_t least, opi_looking *l)
{
    const opi_offsets *const offsets = &job->task->segments.offsets;
    opi_accelerator *const g = job->g;
    const uint32_t empty_allowed = !job->task->op || job->task->op->identity;
    OPI_TRY(opi_looking_begin(l, job, offsets->segments, offsets->bytes));
    OPI_TRY(opi_gpu_reserve(g, job->call, &g->work, opi_looking_bytes(l)));
    const opi_gpu_argument list[] = {
        opi_memory(at),           opi_value(l->segments), opi_value(l->part),     opi_value(offsets->largest),
        opi_value(empty_allowed), opi_value(least),       opi_memory(g->work.mem)};
    OPI_TRY(opi_looking_launch(l, "opi_offsets_look", l->parts, list, 7));
    return opi_looking_add_up(l, COUNTS, g->work.mem);
}

static oplus_status see(const opi_job *job, uint64_t least, const opi_meanwhile *meanwhile, seen *s)
{
    opi_accelerator *const g = job->g;
    opi_looking l;
    OPI_TRY(look(job, job->task->segments.offsets.at, least, &l));
    const char *const there = (char *)g->work.mem + COUNTS * l.parts * sizeof(uint64_t);
    if (meanwhile) OPI_TRY(meanwhile->run(meanwhile->context, there));
    return opi_gpu_fetch(g, job->call, s, there, sizeof *s);
}

oplus_status opi_offsets_list(const opi_job *job, const void *offsets, bool are_seen, uint64_t least, uint64_t count,
                              char *list)
{
    opi_looking l;
    OPI_TRY(are_seen
                ? opi_looking_begin(&l, job, job->task->segments.offsets.segments, job->task->segments.offsets.bytes)
                : look(job, offsets, least, &l));
    const opi_gpu_argument arguments[] = {opi_memory(offsets), opi_value(l.segments),        opi_value(l.part),
                                          opi_value(least),    opi_memory(job->g->work.mem), opi_value(count),
                                          opi_memory(list)};
    return opi_looking_launch(&l, "opi_offsets_list", l.parts, arguments, 7);
}

oplus_status opi_offsets_check(const opi_job *job, opi_gpu_side side, uint64_t least, opi_offsets_facts *facts)
{
    return opi_offsets_check_while(job, side, least, NULL, facts);
}

oplus_status opi_offsets_check_while(const opi_job *job, opi_gpu_side side, uint64_t least,
                                     const opi_meanwhile *meanwhile, opi_offsets_facts *facts)
{
    opi_offsets readable = job->task->segments.offsets;
    if (side == OPI_SIDE_DEVICE) {
        seen s = {.are_long = OPI_NOT_KNOWN, .in_long = job->task->n, .last = job->task->n}; /* of a rehearsal */
        OPI_TRY(see(job, least, meanwhile, &s));
        *facts = (opi_offsets_facts){s.first, s.last, {.count = s.are_long, .elements = s.in_long}};
        if (s.wrong == 0) return OPLUS_OK;
        OPI_TRY(opi_offsets_read(job, &readable)); /* the host finds out which offset is wrong */
    }
    OPI_TRY(opi_cores_check_offsets(job->g->dev.cores, job->call, job->task, &readable));
    facts->first = opi_offset(&readable, 0);
    facts->end = opi_offset(&readable, readable.segments);
    if (least == OPI_NONE_IS_LONG) return OPLUS_OK;
    return opi_cores_find_long(job->g->dev.cores, job->call, &readable, least, &facts->large);
}

oplus_status opi_offsets_read(const opi_job *job, opi_offsets *offsets)
{
    opi_buffer *const array = &job->g->dev.cores->array;
    const void *const from = offsets->at;
    const size_t bytes = opi_offsets_bytes(offsets);
    if (!opi_buffer_reserve(array, bytes))
        return opi_fail(OPLUS_ERR_MEMORY,
                        "%s: no memory for %zu bytes of offsets; free some, or call for fewer segments", job->call,
                        bytes);
    offsets->at = array->mem;
    return opi_gpu_fetch(job->g, job->call, array->mem, from, bytes);
}
