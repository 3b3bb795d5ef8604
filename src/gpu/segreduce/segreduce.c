/* Segmented reduce on an accelerator.
 *
 * One work-item reduces a short segment; a longer segment has work-groups of its own, in proportion to its elements, so
 * that one long segment among short ones keeps the whole device busy.  Arrays of the host are copied in batches of whole
 * segments; a segment that is too large for the device is reduced in pieces, as any array of the host is. */
#include "base/error.h"
#include "gpu/memory.h"
#include "gpu/param.h"
#include "gpu/segreduce/offsets.h"
#include "gpu/segreduce/segments.h"
#include "gpu/segreduce/windows.h"
#include "gpu/transfer.h"
#include "gpu/ways.h"
#include "task/make.h"

typedef struct reducing {
    opi_segments s; /* must be first */
    opi_gpu_side in_side, offsets_side, out_side;
} reducing;

/* Segments [begin, end), which have elements [first, last) of those that the offsets count. */
typedef struct batch {
    size_t begin, end;
    uint64_t first, last;
    const char *in;      /* element `first` */
    const void *offsets; /* offset `begin` */
    char *out;           /* result `begin` */
} batch;

/* --- one batch ---------------------------------------------------------------------------------------------------- */

/* g->array[i] becomes the place on the device of `bytes` bytes of the host. */
static oplus_status reserve(const opi_job *job, int i, size_t bytes, const char **address)
{
    OPI_TRY(opi_gpu_reserve(job->g, job->call, &job->g->array[i], bytes));
    *address = job->g->array[i].mem;
    return OPLUS_OK;
}

static oplus_status bring(const opi_job *job, opi_gpu_side side, const void *from, size_t bytes, const char *to)
{
    return opi_transfer_up(job->g, job->call, side, (void *)to, from, bytes);
}

/* Copies the host's arrays to the device, computes, and copies the results back. */
static oplus_status run_batch(reducing *r, const batch *b)
{
    opi_job *const job = &r->s.job;
    const uint64_t n = b->last - b->first;
    const size_t segments = b->end - b->begin, in_bytes = (size_t)n * r->s.size;
    const size_t offsets_bytes = (segments + 1) * r->s.offset, out_bytes = segments * r->s.size;
    const bool brings = r->in_side != OPI_SIDE_DEVICE && in_bytes > 0, takes = r->out_side != OPI_SIDE_DEVICE;
    opi_part part = {.n = n, .last = true};
    const char **const address = part.address;
    address[OPI_IN] = in_bytes > 0 ? b->in : NULL;
    address[OPI_OFFSETS] = b->offsets;
    address[OPI_SEGMENT_OUT] = b->out;
    if (brings) {
        OPI_TRY(reserve(job, 0, in_bytes, &address[OPI_IN]));
        OPI_TRY(bring(job, r->in_side, b->in, in_bytes, address[OPI_IN]));
    }
    if (r->offsets_side != OPI_SIDE_DEVICE) {
        OPI_TRY(reserve(job, 1, offsets_bytes, &address[OPI_OFFSETS]));
        OPI_TRY(bring(job, r->offsets_side, b->offsets, offsets_bytes, address[OPI_OFFSETS]));
    }
    if (takes) OPI_TRY(reserve(job, 2, out_bytes, &address[OPI_SEGMENT_OUT]));
    r->s.segments = segments;
    r->s.first = b->first;
    OPI_TRY(opi_way_run(job, &part));
    if (!takes) return OPLUS_OK;
    return opi_transfer_down(job->g, job->call, r->out_side, b->out, address[OPI_SEGMENT_OUT], out_bytes);
}

/* The same; afterwards no copy of the host's arrays is under way. */
static oplus_status run_settled(reducing *r, const batch *b)
{
    const oplus_status status = run_batch(r, b);
    if (r->in_side == OPI_SIDE_DEVICE && r->offsets_side == OPI_SIDE_DEVICE && r->out_side == OPI_SIDE_DEVICE)
        return status;
    return opi_gpu_settle(r->s.job.g, r->s.job.call, status);
}

/* --- batches ------------------------------------------------------------------------------------------------------ */

/* Whether the device has room for so many segments with so many elements at once. */
static bool fits(const reducing *r, uint64_t segments, uint64_t n)
{
    const uint64_t largest = r->s.job.g->gpu->facts.largest, limit = r->s.job.g->memory_bytes;
    const uint64_t in = r->in_side == OPI_SIDE_DEVICE ? 0 : n * r->s.size;
    const uint64_t offsets = r->offsets_side == OPI_SIDE_DEVICE ? 0 : (segments + 1) * r->s.offset;
    const uint64_t out = r->out_side == OPI_SIDE_DEVICE ? 0 : segments * r->s.size;
    return in <= largest && offsets <= largest && out <= largest && in + offsets + out <= limit;
}

/* Whether segments are reduced together.  If the type is so large that a tile is one element, each is reduced by
 * itself. */
static bool is_shared(const reducing *r) { return opi_log_tile(r->s.job.shape) > 0; }

/* Reduces one segment by itself, in pieces. */
static oplus_status stream(const reducing *r, const char *in, size_t n, char *out)
{
    opi_task task;
    opi_task_reduce(&task, r->s.job.task->op, in, NULL, n, 0, out);
    return opi_gpu_scan(&(opi_job){.g = r->s.job.g, .call = r->s.job.call, .task = &task});
}

/* Returns the largest number of segments, from `begin` on, that fit. */
static size_t batch_end(const reducing *r, const opi_offsets *offsets, size_t begin)
{
    const uint64_t first = opi_offset(offsets, begin);
    size_t low = begin, high = offsets->segments;
    while (low < high) {
        const size_t middle = low + (high - low + 1) / 2;
        if (fits(r, middle - begin, opi_offset(offsets, middle) - first))
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* readable: the same offsets, in memory that the host can read. */
static oplus_status run_batches(reducing *r, const char *in, const opi_offsets *offsets, const opi_offsets *readable,
                                char *out)
{
    for (size_t begin = 0; begin < offsets->segments;) {
        const size_t end = is_shared(r) ? batch_end(r, readable, begin) : begin;
        const uint64_t first = opi_offset(readable, begin);
        const char *const from = in ? in + first * r->s.size : NULL;
        if (end == begin) {
            OPI_TRY(stream(r, from, (size_t)(opi_offset(readable, begin + 1) - first), out + begin * r->s.size));
            begin++;
            continue;
        }
        const opi_offsets slice = opi_offsets_slice(offsets, begin, end);
        const batch b = {begin, end, first, opi_offset(readable, end), from, slice.at, out + begin * r->s.size};
        OPI_TRY(run_settled(r, &b));
        begin = end;
    }
    return OPLUS_OK;
}

/* --- the task ----------------------------------------------------------------------------------------------------- */

/* Finds where the arrays are, and checks the offsets. */
static oplus_status look(reducing *r, opi_offsets_facts *facts)
{
    const opi_job *const job = &r->s.job;
    const opi_task *const task = job->task;
    const opi_offsets *const offsets = &task->segments.offsets;
    OPI_TRY(opi_gpu_side_of(job->g, job->call, "offsets", offsets->at, opi_offsets_bytes(offsets), &r->offsets_side));
    OPI_TRY(opi_offsets_check(job, r->offsets_side, OPI_NONE_IS_LONG, facts));
    const size_t n = (size_t)(facts->end - facts->first);
    const char *const first = n > 0 ? (const char *)task->array[OPI_IN].mem + facts->first * r->s.size : NULL;
    OPI_TRY(opi_gpu_side_of(job->g, job->call, "in", first, n * r->s.size, &r->in_side));
    return opi_gpu_side_of(job->g, job->call, "out", task->array[OPI_SEGMENT_OUT].mem, offsets->segments * r->s.size,
                           &r->out_side);
}

/* Whether the host has to know the offsets before it begins: not if all arrays are on the device, and the kernels check
 * the offsets themselves. */
static oplus_status has_to_wait(reducing *r, bool *waits)
{
    const opi_job *const job = &r->s.job;
    const opi_task *const task = job->task;
    const opi_offsets *const offsets = &task->segments.offsets;
    const opi_array *const in = &task->array[OPI_IN];
    *waits = true;
    if (!opi_windows_check(&r->s, task->n) || !is_shared(r)) return OPLUS_OK;
    OPI_TRY(opi_gpu_side_of(job->g, job->call, "offsets", offsets->at, opi_offsets_bytes(offsets), &r->offsets_side));
    OPI_TRY(opi_gpu_side_of(job->g, job->call, "in", in->mem, task->n * r->s.size, &r->in_side));
    OPI_TRY(opi_gpu_side_of(job->g, job->call, "out", task->array[OPI_SEGMENT_OUT].mem, offsets->segments * r->s.size,
                            &r->out_side));
    *waits = r->offsets_side != OPI_SIDE_DEVICE || (r->in_side != OPI_SIDE_DEVICE && task->n > 0) ||
             r->out_side != OPI_SIDE_DEVICE;
    return OPLUS_OK;
}

oplus_status opi_gpu_segreduce_ready(const opi_job *job, opi_segments *s)
{
    const opi_task *const task = job->task;
    *s = (opi_segments){.job = *job,
                        .size = task->op->type->size,
                        .offset = task->segments.offsets.bytes,
                        .segments = task->segments.offsets.segments};
    opi_gpu_segments_shape(s);
    return opi_gpu_param(job->g, job->call, NULL, task->op, &s->job.param);
}

oplus_status opi_gpu_segreduce(opi_job *job)
{
    const opi_task *const task = job->task;
    const opi_offsets *const offsets = &task->segments.offsets;
    char *const out = (char *)task->array[OPI_SEGMENT_OUT].mem;
    opi_offsets_facts facts = {0, task->n, {0}};
    reducing r = {.in_side = OPI_SIDE_HOST};
    bool waits;
    OPI_TRY(opi_gpu_segreduce_ready(job, &r.s));
    OPI_TRY(has_to_wait(&r, &waits));
    if (waits) OPI_TRY(look(&r, &facts));
    r.s.are_looked_at = waits;
    const uint64_t n = facts.end - facts.first;
    const char *const in = n > 0 ? task->array[OPI_IN].mem : NULL;
    if (fits(&r, offsets->segments, n) && is_shared(&r)) {
        const char *const first = in ? in + facts.first * r.s.size : NULL;
        const batch all = {0, offsets->segments, facts.first, facts.end, first, offsets->at, out};
        return run_settled(&r, &all);
    }
    opi_offsets readable = *offsets;
    if (r.offsets_side == OPI_SIDE_DEVICE) {
        if (job->g->rehearsal) return OPLUS_OK; /* a rehearsal does not know where the batches end */
        OPI_TRY(opi_offsets_read(job, &readable));
    }
    return run_batches(&r, in, offsets, &readable, out);
}
