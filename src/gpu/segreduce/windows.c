#include "gpu/segreduce/windows.h"

#include "base/error.h"
#include "gpu/canon/tree.h"
#include "gpu/launch.h"
#include "gpu/memory.h"
#include "gpu/ways.h"

#include <string.h>

enum {
    LOG_W = 8,         /* staged.cl divides a tile into 16 * 16 units, one for each work-item */
    LOG_OWN = 2,       /* tiles of a long segment that a work-group does, at most */
    RESIDENTS = 5,     /* work-groups on a multiprocessor, at least: some copy while others compute; */
    MORE = 6,          /* local memory has room for more, if elements are no larger than words; */
    FEW = 4,           /* long segments are summed up faster by fewer, */
    LONG_WORDS = 2000, /* whose words are at least so many on average */
    LARGEST = 24,      /* bytes of an element whose tiles fit local memory twice */
    WORD_BYTES = 4,
    SPARSE_WORDS = 8,                    /* of a segment, on average: if there are less, many segments may be empty */
    BANKS = 32,                          /* of local memory, each a word wide */
    WINDOW_BYTES = 6 * sizeof(uint64_t), /* as opi_window of windows.cl, */
    LIST_HEAD_BYTES = 16                 /* and opi_list */
};

/* Elements are read from words of 4 bytes: none may lie across two of them in another way than words do. */
static bool is_made_of_words(const oplus_type *type)
{
    if (type->size == 1 || type->size == 2) return type->align == type->size;
    return type->size % 4 == 0 && type->align % 4 == 0;
}

/* OpenCL promises no order of memory between work-groups. */
bool opi_windows_can(const opi_job *job, uint64_t n)
{
    const opi_gpu_facts *const facts = &job->g->gpu->facts;
    const oplus_type *const type = job->task->op->type;
    (void)n;
    return facts->architecture > 0 && job->shape.log_w == LOG_W && type->size <= LARGEST && is_made_of_words(type);
}

bool opi_windows_check(const opi_segments *s, uint64_t n) { return opi_way_of(&s->job, n)->run == opi_windows_run; }

/* --- the program -------------------------------------------------------------------------------------------------- */

static void write_source(opi_gpu_source *source, const void *context)
{
    const opi_segments *const s = context;
    opi_gpu_write_shape(source, s->job.shape, s->size);
    opi_gpu_define(source, "OPI_LOG_OWN", LOG_OWN);
    opi_gpu_define(source, "OPI_RESIDENTS", s->residents);
    opi_gpu_define(source, "OPI_GAP", s->gap);
    opi_gpu_define(source, "OPI_SPARSE", s->is_sparse);
    opi_gpu_define(source, "OPI_OFFSET_SIZE", s->offset);
    opi_gpu_write_op(source, s->job.task->op);
    opi_gpu_write_kernels(source, "plain");
    opi_gpu_write_tree(source, s->job.shape, s->size);
    opi_gpu_write_kernels(source, "offset");
    opi_gpu_write_kernels(source, "staged");
    opi_deal_write_pages(s->job.deal, source);
    opi_gpu_write_kernels(source, "long");
    opi_gpu_write_kernels(source, "windows");
}

/* Words between which there are gaps in local memory: neighbouring work-items begin a segment's length apart.  With gaps of
 * one word, segments of 31 or 62 words would all begin in the same bank; wider gaps take more instructions. */
static unsigned gap_of(uint64_t words) { return words == BANKS - 1 || words == 2 * (BANKS - 1) ? 3 : 1; }

/* Words of a segment, on average. */
static uint64_t words_of(const opi_segments *s, uint64_t n)
{
    return s->segments > 0 ? (n * s->size / WORD_BYTES + s->segments / 2) / s->segments : 0;
}

oplus_status opi_windows_ready(opi_segments *s, uint64_t n)
{
    opi_job *const job = &s->job;
    const oplus_op *const op = job->task->op;
    const uint64_t words = words_of(s, n);
    s->gap = gap_of(words);
    s->is_sparse = words < SPARSE_WORDS;
    s->residents = words >= LONG_WORDS ? FEW : s->size <= WORD_BYTES ? MORE : RESIDENTS;
    opi_key key = opi_key_begin("windows", job->shape);
    opi_key_number(&key, (uint64_t)(job->deal != NULL) << 32 | (uint64_t)s->residents << 16 | (uint64_t)s->gap << 9 |
                             (uint64_t)s->is_sparse << 8 | s->offset);
    return opi_program_of_op(&job->g->programs, job->call, op, key, write_source, s, &job->program);
}

/* --- memory -------------------------------------------------------------------------------------------------------- */

static uint64_t windows_of(const opi_segments *s, uint64_t n)
{
    return (s->segments + n + opi_tile(s->job.shape) - 1) >> opi_log_tile(s->job.shape);
}

static bool is_dealt(const opi_segments *s) { return s->job.deal != NULL; }

/* Where windows are, how many runs have come, and the runs' nodes.  If windows are dealt out, an accelerator lists its own
 * ones, and accelerator 0 has counts and nodes of all in memory that lasts. */
typedef struct room {
    char *found, *list, *counts, *nodes;
} room;

static size_t windows_bytes(uint64_t windows) { return opi_round_up((size_t)windows * WINDOW_BYTES, OPI_CACHE_LINE); }
static size_t counts_bytes(uint64_t windows)
{
    return opi_round_up((size_t)windows * sizeof(uint32_t), OPI_CACHE_LINE);
}

static room room_of(const opi_segments *s, uint64_t windows)
{
    char *const found = s->job.g->work.mem, *const behind = found + windows_bytes(windows);
    if (!is_dealt(s)) return (room){found, NULL, behind, s->job.g->nodes.mem};
    char *const runs = s->job.deal->all[0]->pipeline.runs.mem;
    return (room){found, behind, runs, runs + counts_bytes(windows)};
}

static oplus_status reserve(const opi_segments *s, uint64_t windows)
{
    const opi_job *const job = &s->job;
    const size_t found = windows_bytes(windows), counts = counts_bytes(windows), nodes = (size_t)windows * s->size;
    OPI_TRY(opi_gpu_reserve(job->g, job->call, &job->g->work,
                            found + (is_dealt(s) ? LIST_HEAD_BYTES + (size_t)windows * sizeof(uint32_t) : counts)));
    if (!is_dealt(s)) return opi_gpu_reserve(job->g, job->call, &job->g->nodes, nodes);
    if (job->deal->own > 0) return OPLUS_OK;
    return opi_deal_reserve(job->deal, job->call, &job->g->pipeline.runs, counts + nodes);
}

/* Memory in which kernels tell of a wrong offset. */
static oplus_status reserve_fault(opi_accelerator *g, const char *call)
{
    if (g->wrong_offset.mem) return OPLUS_OK;
    OPI_TRY(opi_pinned_reserve(g, call, &g->wrong_offset, sizeof(uint64_t)));
    memset(g->wrong_offset.mem, 0, sizeof(uint64_t));
    return OPLUS_OK;
}

oplus_status opi_windows_prepare(opi_job *job, uint64_t n)
{
    opi_segments *const s = (opi_segments *)job;
    const uint64_t windows = windows_of(s, n);
    static const char *const kernels[] = {"opi_window_cuts", "opi_segment_windows", "opi_begin_list"};
    OPI_TRY(opi_windows_ready(s, n));
    OPI_TRY(opi_kernels_make(&job->g->programs, job->call, job->program, kernels, is_dealt(s) ? 3 : 2));
    if (!s->are_looked_at) OPI_TRY(reserve_fault(job->g, job->call));
    return reserve(s, windows);
}

/* --- launches ------------------------------------------------------------------------------------------------------ */

static const void *fault_of(const opi_segments *s) { return s->are_looked_at ? NULL : s->job.g->wrong_offset.mem; }

/* A work-group finds one window less than it has work-items. */
oplus_status opi_windows_cut(opi_job *job, const opi_part *part)
{
    const opi_segments *const s = (const opi_segments *)job;
    const uint64_t windows = windows_of(s, part->n), each = (1 << LOG_W) - 1;
    const uint64_t largest = job->task->segments.offsets.largest;
    const room room = room_of(s, windows);
    const opi_dealt_pages dealt = opi_deal_pages(job->deal);
    const opi_gpu_argument list[] = {opi_memory(part->address[OPI_OFFSETS]),
                                     opi_value(s->segments),
                                     opi_value(largest),
                                     opi_value(windows),
                                     opi_memory(room.found),
                                     opi_memory(room.counts),
                                     opi_memory(fault_of(s)),
                                     opi_value(dealt),
                                     opi_memory(room.list)};
    if (is_dealt(s)) OPI_TRY(opi_gpu_launch(job, "opi_begin_list", 1, &list[8], 1));
    return opi_gpu_launch(job, "opi_window_cuts", (windows + each - 1) / each, list, is_dealt(s) ? 9 : 7);
}

/* Work-groups: each accelerator has about as many windows as the others; those behind the last group are taken in turn. */
static uint64_t groups_for(const opi_segments *s, uint64_t windows)
{
    return is_dealt(s) ? windows / s->job.deal->workers + 1 : windows;
}

oplus_status opi_windows_reduce(opi_job *job, const opi_part *part)
{
    const opi_segments *const s = (const opi_segments *)job;
    const uint64_t windows = windows_of(s, part->n);
    const uint32_t empty_allowed = job->task->op->identity != NULL;
    const room room = room_of(s, windows);
    const opi_dealt_pages dealt = opi_deal_pages(job->deal);
    opi_arguments a = {.count = 0};
    opi_add(&a, opi_memory(part->address[OPI_IN]));
    opi_add(&a, opi_memory(part->address[OPI_OFFSETS]));
    opi_add(&a, opi_value(s->first));
    opi_add(&a, opi_value(empty_allowed));
    opi_add(&a, opi_memory(room.found));
    opi_add(&a, opi_memory(room.counts));
    opi_add(&a, opi_memory(room.nodes));
    opi_add(&a, opi_memory(part->address[OPI_SEGMENT_OUT]));
    opi_add(&a, opi_memory(fault_of(s)));
    if (is_dealt(s)) {
        opi_add(&a, opi_value(dealt));
        opi_add(&a, opi_memory(room.list));
    }
    if (job->task->op->param_type) opi_add(&a, opi_memory(job->param));
    return opi_gpu_launch(job, "opi_segment_windows", groups_for(s, windows), a.list, a.count);
}

/* --- the way ------------------------------------------------------------------------------------------------------ */

oplus_status opi_windows_run(opi_job *job, const opi_part *part)
{
    OPI_TRY(opi_windows_cut(job, part));
    return opi_windows_reduce(job, part);
}

/* --- dealt out ------------------------------------------------------------------------------------------------------ */

/* Long segments are joined by who comes last: accelerators count together in the memory of one. */
bool opi_segreduce_deals(opi_job *job)
{
    opi_segments s = {.job = *job};
    s.size = job->task->op->type->size;
    opi_gpu_segments_shape(&s);
    for (unsigned w = 0; w < job->deal->workers; w++)
        if (job->deal->all[w]->gpu->counts_apart) return false;
    return opi_log_tile(s.job.shape) > 0 && opi_windows_can(&s.job, job->task->n);
}

oplus_status opi_segreduce_prepare_dealt(opi_job *job)
{
    opi_segments s;
    OPI_TRY(opi_gpu_segreduce_ready(job, &s));
    return opi_windows_prepare(&s.job, job->task->n);
}

static oplus_status step_of_segreduce(opi_job *job, oplus_status (*step)(opi_job *job, const opi_part *part))
{
    const opi_part part = opi_part_of_all(job->task);
    opi_segments s;
    OPI_TRY(opi_gpu_segreduce_ready(job, &s));
    OPI_TRY(opi_windows_ready(&s, job->task->n));
    return step(&s.job, &part);
}

oplus_status opi_segreduce_look_dealt(opi_job *job) { return step_of_segreduce(job, opi_windows_cut); }
oplus_status opi_segreduce_run_dealt(opi_job *job) { return step_of_segreduce(job, opi_windows_reduce); }
