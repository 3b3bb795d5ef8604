/* Segmented reduce on an accelerator (src/gpu/segreduce/segreduce.cl).
 *
 * Short segments are a work-item's; longer ones have work-groups of their own in proportion to their elements, so that
 * one long segment among short ones keeps the whole device busy.  Arrays of the host come in batches of whole segments;
 * a segment that is too large for the device by itself is reduced as any array of the host is, in pieces. */
#include "base/error.h"
#include "text/source.h"
#include "cores/reduce.h"
#include "gpu/groups.h"

#include <stdlib.h>
#include <string.h>

enum {
    LOG_LEAST = 8,      /* shorter segments are a work-item's, where work-groups have many */
    PARTS_A_UNIT = 8,   /* work-groups that look at offsets, for each multiprocessor */
    CHUNKS_A_UNIT = 32, /* chunks of segments, so that their lengths even out */
    CHUNK_LEAST = 64,   /* segments of a chunk */
    SEEN = 3            /* numbers behind the counts: their sum, the first and the last offset */
};

/* --- looking at offsets ------------------------------------------------------------------------------------------- */

/* The program that looks at offsets, and how many of them a work-group does. */
typedef struct looking {
    opi_groups *g;
    const char *call;
    opi_program *program;
    opi_shape shape;
    uint64_t segments, part, parts;
    size_t offset; /* bytes */
} looking;

static void write_offsets(opi_gpu_source *source, const void *context)
{
    const looking *const l = context;
    opi_gpu_write_shape(source, l->shape, sizeof(uint64_t));
    opi_gpu_define(source, "OPI_OFFSET_SIZE", l->offset);
    opi_gpu_write_kernels(source, "sums");
    opi_gpu_write_kernels(source, "offset");
    opi_gpu_write_kernels(source, "offsets");
}

static unsigned units(const opi_groups *g) { return g->gpu->facts.units ? g->gpu->facts.units : 1; }

static oplus_status begin_looking(looking *l, opi_groups *g, const char *call, size_t segments, size_t offset)
{
    *l = (looking){.g = g, .call = call, .segments = segments, .offset = offset};
    l->shape = opi_shape_for(&g->gpu->facts, sizeof(uint64_t), sizeof(uint64_t));
    if (l->shape.log_w == 0) l->shape.log_e = 0;
    const uint64_t most = (uint64_t)PARTS_A_UNIT * units(g);
    l->part = opi_round_up((segments + most - 1) / most, l->shape.log_w ? (size_t)1 << l->shape.log_w : CHUNK_LEAST);
    l->parts = (segments + l->part - 1) / l->part;
    opi_key key = opi_key_begin("offsets", l->shape);
    opi_key_number(&key, l->offset);
    return opi_program_get(&g->programs, call, "the kernels of oplus_segreduce", key.hash, write_offsets, l,
                           &l->program);
}

static oplus_status look(const looking *l, const char *kernel, uint64_t groups, const opi_gpu_argument *list, int count)
{
    return opi_gpu_launch(l->g, l->call, l->program, kernel, groups, 1u << l->shape.log_w, list, count);
}

/* counts[] of the parts become what comes before each; behind them stands the sum. */
static oplus_status add_up(const looking *l, char *counts)
{
    char *const total = counts + l->parts * sizeof(uint64_t);
    const opi_gpu_argument list[] = {opi_memory(counts), opi_value(l->parts), opi_memory(total)};
    return look(l, "opi_rows", 1, list, 3);
}

static size_t counts_bytes(const looking *l)
{
    return opi_round_up((l->parts + SEEN) * sizeof(uint64_t), OPI_CACHE_LINE);
}

oplus_status opi_groups_offsets(oplus_device *dev, const char *call, opi_offsets *offsets, bool empty_allowed,
                                uint64_t ends[2])
{
    opi_groups *const g = dev->groups;
    opi_gpu_side side;
    OPI_TRY(opi_gpu_side_of(g, call, "offsets", offsets->at, opi_offsets_bytes(offsets), &side));
    if (side != OPI_SIDE_DEVICE) return OPLUS_OK;

    looking l;
    uint64_t seen[SEEN];
    const uint32_t allowed = empty_allowed;
    OPI_TRY(begin_looking(&l, g, call, offsets->segments, offsets->bytes));
    OPI_TRY(opi_gpu_reserve(g, call, &g->work, counts_bytes(&l)));
    char *const counts = g->work.mem;
    const opi_gpu_argument list[] = {opi_memory(offsets->at),     opi_value(l.segments), opi_value(l.part),
                                     opi_value(offsets->largest), opi_value(allowed),    opi_memory(counts)};
    OPI_TRY(look(&l, "opi_offsets_look", l.parts, list, 6));
    OPI_TRY(add_up(&l, counts));
    OPI_TRY(opi_gpu_fetch(g, call, seen, counts + l.parts * sizeof(uint64_t), sizeof seen));
    ends[0] = seen[1];
    ends[1] = seen[2];
    if (seen[0] > 0) return opi_groups_read_offsets(dev, call, offsets);
    offsets->at = NULL;
    return OPLUS_OK;
}

oplus_status opi_groups_read_offsets(oplus_device *dev, const char *call, opi_offsets *offsets)
{
    const void *const from = offsets->at;
    const size_t bytes = opi_offsets_bytes(offsets);
    if (!opi_buffer_reserve(&dev->array, bytes))
        return opi_fail(OPLUS_ERR_MEMORY,
                        "%s: no memory for %zu bytes of offsets; free some, or call for fewer segments", call, bytes);
    offsets->at = dev->array.mem;
    return opi_gpu_fetch(dev->groups, call, dev->array.mem, from, bytes);
}

/* --- a batch of segments in device memory ------------------------------------------------------------------------- */

typedef struct reducing {
    oplus_device *dev;
    opi_groups *g;
    const char *call;
    const oplus_op *op;
    size_t size, offset; /* bytes of an element, and of an offset */
    opi_program *program;
    opi_shape shape;
    unsigned log_least;
    const void *param; /* of op, on the device; NULL: it takes none */
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

static void write_source(opi_gpu_source *source, const void *context)
{
    const reducing *const r = context;
    opi_gpu_write_shape(source, r->shape, r->size);
    opi_gpu_define(source, "OPI_LOG_LEAST", r->log_least);
    opi_gpu_define(source, "OPI_OFFSET_SIZE", r->offset);
    opi_gpu_write_op(source, r->op);
    opi_gpu_write_kernels(source, "plain");
    opi_gpu_write_kernels(source, "tree");
    opi_gpu_write_kernels(source, "tile");
    opi_gpu_write_kernels(source, "offset");
    opi_gpu_write_kernels(source, "segreduce");
}

static oplus_status get_program(reducing *r)
{
    char what[OPI_WHAT_BYTES];
    r->shape = opi_shape_for(&r->g->gpu->facts, r->size, r->size);
    const unsigned log_tile = opi_log_tile(r->shape);
    r->log_least = r->shape.log_w == 0 || log_tile < LOG_LEAST ? log_tile : LOG_LEAST;
    opi_key key = opi_key_begin("segreduce", r->shape);
    opi_key_number(&key, r->log_least);
    opi_key_number(&key, r->offset);
    opi_key_op(&key, r->op);
    opi_gpu_what(what, OPI_LABEL_OP, r->op->name, r->op->file, r->op->line);
    return opi_program_get(&r->g->programs, r->call, what, key.hash, write_source, r, &r->program);
}

/* list: `count` arguments, and the parameter, which a kernel has if the operator takes one. */
static oplus_status launch(const reducing *r, const char *kernel, uint64_t groups, const opi_gpu_argument *list,
                           int count)
{
    return opi_gpu_launch(r->g, r->call, r->program, kernel, groups, 1u << r->shape.log_w, list,
                          r->op->param_type ? count + 1 : count);
}

/* A work-item for each segment of few elements, in a GPU's shape; a chunk of segments otherwise. */
static oplus_status launch_few(const reducing *r, const batch *b)
{
    const uint64_t segments = b->end - b->begin, chunks = (uint64_t)CHUNKS_A_UNIT * units(r->g);
    const uint64_t chunk = (segments + chunks - 1) / chunks;
    const uint64_t part = r->shape.log_w > 0    ? (uint64_t)1 << r->shape.log_w
                          : chunk < CHUNK_LEAST ? CHUNK_LEAST
                                                : chunk;
    const opi_gpu_argument list[] = {opi_memory(b->in),   opi_memory(b->offsets), opi_value(b->first),
                                     opi_value(segments), opi_value(part),        opi_memory(b->out),
                                     opi_memory(r->param)};
    return launch(r, "opi_segment_few", (segments + part - 1) / part, list, 6);
}

/* start[s]: the first of the work-groups that segment s wants, in g->work. */
static oplus_status deal_groups(const reducing *r, const batch *b, char **start)
{
    looking l;
    const uint64_t least = (uint64_t)1 << r->log_least;
    const uint32_t log_tile = opi_log_tile(r->shape);
    OPI_TRY(begin_looking(&l, r->g, r->call, b->end - b->begin, r->offset));
    OPI_TRY(opi_gpu_reserve(r->g, r->call, &r->g->work, counts_bytes(&l) + (l.segments + 1) * sizeof(uint64_t)));
    char *const counts = r->g->work.mem;
    *start = counts + counts_bytes(&l);
    const opi_gpu_argument list[] = {opi_memory(b->offsets), opi_value(l.segments), opi_value(l.part), opi_value(least),
                                     opi_value(log_tile),    opi_memory(counts),    opi_memory(*start)};
    OPI_TRY(look(&l, "opi_offsets_want", l.parts, list, 6));
    OPI_TRY(add_up(&l, counts));
    return look(&l, "opi_offsets_place", l.parts, list, 7);
}

static oplus_status compute(const reducing *r, const batch *b)
{
    const uint64_t segments = b->end - b->begin, n = b->last - b->first, least = (uint64_t)1 << r->log_least;
    OPI_TRY(launch_few(r, b));
    if (n < least) return OPLUS_OK;

    char *start;
    const uint64_t partial = n >> r->log_least; /* no more segments can have as many elements as that */
    const uint64_t groups = (n >> opi_log_tile(r->shape)) + (partial < segments ? partial : segments);
    OPI_TRY(deal_groups(r, b, &start));
    OPI_TRY(opi_gpu_reserve(r->g, r->call, &r->g->nodes, groups * r->size));
    const opi_gpu_argument list[] = {opi_memory(b->in),  opi_memory(b->offsets), opi_value(b->first),
                                     opi_memory(start),  opi_value(segments),    opi_memory(r->g->nodes.mem),
                                     opi_memory(b->out), opi_memory(r->param)};
    OPI_TRY(launch(r, "opi_segment_tiles", groups, list, 7));
    return n >= opi_tile(r->shape) ? launch(r, "opi_segment_long", groups, list, 7) : OPLUS_OK;
}

/* --- arrays of the host ------------------------------------------------------------------------------------------- */

/* Brings what is the host's to g->array[0 .. 2], computes, and takes the results home. */
static oplus_status run_batch(const reducing *r, const batch *caller)
{
    opi_gpu *const gpu = r->g->gpu;
    const size_t segments = caller->end - caller->begin, in_bytes = (size_t)(caller->last - caller->first) * r->size;
    const size_t offsets_bytes = (segments + 1) * r->offset, out_bytes = segments * r->size;
    batch b = *caller;
    if (in_bytes == 0) b.in = NULL;
    if (r->in_side != OPI_SIDE_DEVICE && in_bytes > 0) {
        OPI_TRY(opi_gpu_reserve(r->g, r->call, &r->g->array[0], in_bytes));
        OPI_TRY(gpu->driver->upload(gpu, r->call, OPI_QUEUE_COMPUTE, r->g->array[0].mem, caller->in, in_bytes));
        b.in = r->g->array[0].mem;
    }
    if (r->offsets_side != OPI_SIDE_DEVICE) {
        OPI_TRY(opi_gpu_reserve(r->g, r->call, &r->g->array[1], offsets_bytes));
        OPI_TRY(
            gpu->driver->upload(gpu, r->call, OPI_QUEUE_COMPUTE, r->g->array[1].mem, caller->offsets, offsets_bytes));
        b.offsets = r->g->array[1].mem;
    }
    if (r->out_side != OPI_SIDE_DEVICE) {
        OPI_TRY(opi_gpu_reserve(r->g, r->call, &r->g->array[2], out_bytes));
        b.out = r->g->array[2].mem;
    }
    OPI_TRY(compute(r, &b));
    if (r->out_side == OPI_SIDE_DEVICE) return OPLUS_OK;
    return gpu->driver->download(gpu, r->call, OPI_QUEUE_COMPUTE, caller->out, b.out, out_bytes);
}

/* The same; nothing of the host's is under way afterwards. */
static oplus_status run_settled(const reducing *r, const batch *b)
{
    opi_gpu *const gpu = r->g->gpu;
    const oplus_status status = run_batch(r, b);
    if (r->in_side == OPI_SIDE_DEVICE && r->offsets_side == OPI_SIDE_DEVICE && r->out_side == OPI_SIDE_DEVICE)
        return status;
    const oplus_status settled = gpu->driver->sync(gpu, r->call, OPI_QUEUE_COMPUTE);
    return status != OPLUS_OK ? status : settled;
}

/* Whether the device takes so many segments with so many elements at a time. */
static bool fits(const reducing *r, uint64_t segments, uint64_t n)
{
    const uint64_t largest = r->g->gpu->facts.largest, limit = r->g->memory_bytes;
    const uint64_t in = r->in_side == OPI_SIDE_DEVICE ? 0 : n * r->size;
    const uint64_t offsets = r->offsets_side == OPI_SIDE_DEVICE ? 0 : (segments + 1) * r->offset;
    const uint64_t out = r->out_side == OPI_SIDE_DEVICE ? 0 : segments * r->size;
    return in <= largest && offsets <= largest && out <= largest && in + offsets + out <= limit;
}

/* One segment by itself, in pieces. */
static oplus_status stream(const reducing *r, const char *in, size_t n, char *out)
{
    opi_reduce_sweep plan;
    opi_reduce_plan(&plan, r->op, r->dev->isa, in, n, 0);
    opi_reduce_result(&plan, out);
    return opi_groups_sweep(r->dev, r->call, &plan.sweep, NULL);
}

/* The most segments from `begin` on that fit. */
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

/* readable: the same offsets where the host can read them. */
static oplus_status run_batches(const reducing *r, const char *in, const opi_offsets *offsets,
                                const opi_offsets *readable, char *out)
{
    for (size_t begin = 0; begin < offsets->segments;) {
        /* Types so large that a tile is one element are nobody's to share. */
        const size_t end = opi_log_tile(r->shape) > 0 ? batch_end(r, readable, begin) : begin;
        const uint64_t first = opi_offset(readable, begin);
        const char *const from = in ? in + first * r->size : NULL;
        if (end == begin) {
            OPI_TRY(stream(r, from, (size_t)(opi_offset(readable, begin + 1) - first), out + begin * r->size));
            begin++;
            continue;
        }
        const opi_offsets slice = opi_offsets_slice(offsets, begin, end);
        const batch b = {begin, end, first, opi_offset(readable, end), from, slice.at, out + begin * r->size};
        OPI_TRY(run_settled(r, &b));
        begin = end;
    }
    return OPLUS_OK;
}

/* --- the call ----------------------------------------------------------------------------------------------------- */

/* The first and the last offset. */
static oplus_status read_ends(const reducing *r, const opi_offsets *offsets, uint64_t ends[2])
{
    for (int k = 0; k < 2; k++) {
        opi_offsets end = opi_offsets_slice(offsets, k == 0 ? 0 : offsets->segments, offsets->segments);
        uint64_t fetched;
        if (r->offsets_side == OPI_SIDE_DEVICE) {
            OPI_TRY(opi_gpu_fetch(r->g, r->call, &fetched, end.at, r->offset));
            end.at = &fetched;
        }
        ends[k] = opi_offset(&end, 0);
    }
    return OPLUS_OK;
}

oplus_status opi_groups_segreduce(oplus_device *dev, const char *call, const oplus_op *op, const void *in,
                                  const opi_offsets *offsets, void *out)
{
    reducing r = {.dev = dev, .g = dev->groups, .call = call, .op = op, .size = op->type->size};
    const size_t segments = offsets->segments;
    uint64_t ends[2];
    r.offset = offsets->bytes;
    OPI_TRY(opi_gpu_side_of(r.g, call, "offsets", offsets->at, opi_offsets_bytes(offsets), &r.offsets_side));
    OPI_TRY(read_ends(&r, offsets, ends));
    const size_t n = (size_t)(ends[1] - ends[0]);
    const char *const first = n > 0 ? (const char *)in + ends[0] * r.size : NULL;
    OPI_TRY(opi_gpu_side_of(r.g, call, "in", first, n * r.size, &r.in_side));
    OPI_TRY(opi_gpu_side_of(r.g, call, "out", out, segments * r.size, &r.out_side));
    OPI_TRY(get_program(&r));
    OPI_TRY(opi_gpu_param(r.g, call, NULL, op, &r.param));
    if (fits(&r, segments, n) && opi_log_tile(r.shape) > 0) {
        const batch all = {0, segments, ends[0], ends[1], first, offsets->at, out};
        return run_settled(&r, &all);
    }
    opi_offsets readable = *offsets;
    if (r.offsets_side == OPI_SIDE_DEVICE) OPI_TRY(opi_groups_read_offsets(dev, call, &readable));
    return run_batches(&r, n > 0 ? in : NULL, offsets, &readable, out);
}
