#include "gpu/segreduce/segments.h"

#include "base/error.h"
#include "gpu/canon/tree.h"
#include "gpu/launch.h"
#include "gpu/memory.h"
#include "gpu/segreduce/offsets.h"

enum {
    LOG_LEAST = 8,     /* one work-item reduces each shorter segment, if work-groups have many work-items */
    CHUNKS_A_UNIT = 32 /* chunks of segments for each multiprocessor, so that their lengths even out */
};

/* --- the program -------------------------------------------------------------------------------------------------- */

static void write_source(opi_gpu_source *source, const void *context)
{
    const opi_segments *const s = context;
    opi_gpu_write_shape(source, s->job.shape, s->size);
    opi_gpu_define(source, "OPI_LOG_LEAST", s->log_least);
    opi_gpu_define(source, "OPI_OFFSET_SIZE", s->offset);
    opi_gpu_write_op(source, s->job.task->op);
    opi_gpu_write_kernels(source, "plain");
    opi_gpu_write_tree(source, s->job.shape, s->size);
    opi_gpu_write_tile(source);
    opi_gpu_write_kernels(source, "offset");
    opi_gpu_write_kernels(source, "segreduce");
}

void opi_gpu_segments_shape(opi_segments *s)
{
    s->job.shape = opi_shape_for(&s->job.g->gpu->facts, s->size, s->size);
    const unsigned log_tile = opi_log_tile(s->job.shape);
    s->log_least = s->job.shape.log_w == 0 || log_tile < LOG_LEAST ? log_tile : LOG_LEAST;
}

static oplus_status get_program(opi_segments *s)
{
    opi_job *const job = &s->job;
    const oplus_op *const op = job->task->op;
    opi_key key = opi_key_begin("segreduce", job->shape);
    opi_key_number(&key, s->log_least);
    opi_key_number(&key, s->offset);
    return opi_program_of_op(&job->g->programs, job->call, op, key, write_source, s, &job->program);
}

/* --- launches ----------------------------------------------------------------------------------------------------- */

/* list: `count` arguments, and behind them the parameter, if the operator has one. */
static oplus_status launch(const opi_segments *s, const char *kernel, uint64_t groups, const opi_gpu_argument *list,
                           int count)
{
    return opi_gpu_launch(&s->job, kernel, groups, list, s->job.task->op->param_type ? count + 1 : count);
}

/* Short segments: a work-item for each, in a GPU's shape; a chunk of segments for each otherwise. */
static oplus_status launch_few(const opi_segments *s, const opi_part *p)
{
    const uint64_t chunks = (uint64_t)CHUNKS_A_UNIT * opi_units(s->job.g);
    const uint64_t chunk = opi_larger((s->segments + chunks - 1) / chunks, OPI_CHUNK_SEGMENTS);
    const uint64_t part = s->job.shape.log_w > 0 ? (uint64_t)1 << s->job.shape.log_w : chunk;
    const opi_gpu_argument list[] = {opi_memory(p->address[OPI_IN]),
                                     opi_memory(p->address[OPI_OFFSETS]),
                                     opi_value(s->first),
                                     opi_value(s->segments),
                                     opi_value(part),
                                     opi_memory(p->address[OPI_SEGMENT_OUT]),
                                     opi_memory(s->job.param)};
    return launch(s, "opi_segment_few", (s->segments + part - 1) / part, list, 6);
}

/* start[i], in g->work, becomes the first of the work-groups of segment i. */
static oplus_status deal_groups(const opi_segments *s, const opi_part *p, char **start)
{
    opi_looking l;
    const uint64_t least = (uint64_t)1 << s->log_least;
    const uint32_t log_tile = opi_log_tile(s->job.shape);
    OPI_TRY(opi_looking_begin(&l, &s->job, s->segments, s->offset));
    char *const counts = s->job.g->work.mem;
    *start = counts + opi_looking_bytes(&l);
    const opi_gpu_argument list[] = {opi_memory(p->address[OPI_OFFSETS]),
                                     opi_value(l.segments),
                                     opi_value(l.part),
                                     opi_value(least),
                                     opi_value(log_tile),
                                     opi_memory(counts),
                                     opi_memory(*start)};
    OPI_TRY(opi_looking_launch(&l, "opi_offsets_want", l.parts, list, 6));
    OPI_TRY(opi_looking_add_up(&l, 1, counts));
    return opi_looking_launch(&l, "opi_offsets_place", l.parts, list, 7);
}

/* --- the way ------------------------------------------------------------------------------------------------------ */

/* Work-groups for all segments that are not short.  At most n >> log_least segments can be as long as that. */
static uint64_t groups_for(const opi_segments *s, uint64_t n)
{
    return (n >> opi_log_tile(s->job.shape)) + opi_smaller(n >> s->log_least, s->segments);
}

static bool has_long(const opi_segments *s, uint64_t n) { return n >= (uint64_t)1 << s->log_least; }

oplus_status opi_gpu_segments_prepare(opi_job *job, uint64_t n)
{
    opi_segments *const s = (opi_segments *)job;
    opi_accelerator *const g = job->g;
    opi_looking l;
    OPI_TRY(get_program(s));
    if (!has_long(s, n)) return OPLUS_OK;
    OPI_TRY(opi_looking_begin(&l, job, s->segments, s->offset));
    OPI_TRY(opi_gpu_reserve(g, job->call, &g->work, opi_looking_bytes(&l) + (l.segments + 1) * sizeof(uint64_t)));
    return opi_gpu_reserve(g, job->call, &g->nodes, groups_for(s, n) * s->size);
}

oplus_status opi_gpu_segments_run(opi_job *job, const opi_part *part)
{
    const opi_segments *const s = (const opi_segments *)job;
    OPI_TRY(launch_few(s, part));
    if (!has_long(s, part->n)) return OPLUS_OK;

    char *start;
    const uint64_t groups = groups_for(s, part->n);
    OPI_TRY(deal_groups(s, part, &start));
    const opi_gpu_argument list[] = {opi_memory(part->address[OPI_IN]),
                                     opi_memory(part->address[OPI_OFFSETS]),
                                     opi_value(s->first),
                                     opi_memory(start),
                                     opi_value(s->segments),
                                     opi_memory(job->g->nodes.mem),
                                     opi_memory(part->address[OPI_SEGMENT_OUT]),
                                     opi_memory(job->param)};
    OPI_TRY(launch(s, "opi_segment_tiles", groups, list, 7));
    return part->n >= opi_tile(job->shape) ? launch(s, "opi_segment_long", groups, list, 7) : OPLUS_OK;
}
