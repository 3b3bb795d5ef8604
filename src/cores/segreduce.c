#include "cores/segreduce.h"

#include <string.h>

enum {
    BLOCK_BYTES = 256 << 10,
    PIECE = 1024 /* short segments at a time: their results are in a first-level cache until they are looked over */
};

static opi_range *range_of(const void *carry) { return (opi_range *)((opi_segreduce_carry *)carry)->range; }

/* Where segment s begins, as an item of the sweep. */
static size_t begin_of(const opi_segreduce_sweep *plan, size_t s)
{
    return (size_t)opi_offset(&plan->offsets, s) - plan->first;
}

/* The first s with begin_of(s) > at, or segments + 1. */
static size_t first_boundary_after(const opi_segreduce_sweep *plan, size_t at)
{
    size_t low = 0, high = plan->offsets.segments + 1;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (begin_of(plan, middle) > at)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* The last place <= at where a segment begins. */
static size_t anchor_at(const opi_segreduce_sweep *plan, size_t at)
{
    return begin_of(plan, first_boundary_after(plan, at) - 1);
}

static const char *element(const opi_segreduce_sweep *plan, size_t i) { return plan->in + i * plan->loops.size; }

/* --- the sweep ---------------------------------------------------------------------------------------------------- */

static void start(const opi_sweep *sweep, size_t at, void *carry)
{
    const opi_segreduce_sweep *plan = (const opi_segreduce_sweep *)sweep;
    const size_t anchor = anchor_at(plan, at);
    ((opi_segreduce_carry *)carry)->cut = anchor == at;
    opi_range_start(range_of(carry), plan->loops.op, at - anchor, false);
}

/* Only the segment that is open at the end matters: the others are reduced when they are applied. */
static void aggregate(const opi_sweep *sweep, size_t begin, size_t end, void *carry, void *scratch)
{
    const opi_segreduce_sweep *plan = (const opi_segreduce_sweep *)sweep;
    const size_t anchor = anchor_at(plan, end);
    const size_t open = anchor > begin ? anchor : begin;
    if (anchor >= begin) {
        ((opi_segreduce_carry *)carry)->cut = true;
        opi_range_start(range_of(carry), plan->loops.op, 0, false);
    }
    opi_reduce_append(&plan->loops, element(plan, open), end - open, range_of(carry), scratch);
}

static void join(const opi_sweep *sweep, void *left, const void *right)
{
    const bool cut = ((const opi_segreduce_carry *)right)->cut;
    (void)sweep;
    (cut ? opi_range_copy : opi_range_join)(range_of(left), range_of(right));
    ((opi_segreduce_carry *)left)->cut |= cut;
}

static void copy(const opi_sweep *sweep, void *to, const void *from)
{
    (void)sweep;
    ((opi_segreduce_carry *)to)->cut = ((const opi_segreduce_carry *)from)->cut;
    opi_range_copy(range_of(to), range_of(from));
}

/* Reduces the segment [begin, end), of which the range already holds what lies before `at`. */
static void finish(const opi_segreduce_sweep *plan, opi_range *range, size_t begin, size_t at, size_t end, char *out,
                   void *scratch)
{
    const opi_loops *loops = &plan->loops;
    if (begin == end) {
        memcpy(out, loops->op->identity, loops->size);
    } else if (begin == at && end - begin <= opi_reduce_slice_limit(loops)) {
        opi_reduce_slice(loops, element(plan, begin), end - begin, out, scratch);
    } else {
        if (begin == at) opi_range_start(range, loops->op, 0, false);
        opi_reduce_append(loops, element(plan, at), end - at, range, scratch);
        memcpy(out, opi_range_fold(range), loops->size);
    }
}

/* Offsets s ... s + count, count <= PIECE, as words: where they are, or in room. */
static const uint64_t *words_at(const opi_offsets *offsets, size_t s, size_t count, uint64_t room[PIECE + 1])
{
    if (offsets->bytes == sizeof(uint64_t)) return (const uint64_t *)offsets->at + s;
    for (size_t i = 0; i <= count; i++) room[i] = ((const uint32_t *)offsets->at)[s + i];
    return room;
}

/* Reduces segments from s on up to one that is not short, or to `end`; returns where it stopped. */
static size_t finish_short(const opi_segreduce_sweep *plan, size_t s, size_t end)
{
    const opi_loops *const loops = &plan->loops;
    const char *const in = plan->in - plan->first * loops->size;
    for (size_t asked = 0, done = 0; s < end && done == asked; s += done) {
        uint64_t room[PIECE + 1];
        char *const out = plan->out + s * loops->size;
        asked = end - s < PIECE ? end - s : PIECE;
        done = opi_loops_segments(loops, in, words_at(&plan->offsets, s, asked, room), asked, out);
        opi_quiet_run(&loops->quiet, out, done);
    }
    return s;
}

/* Finishes the segments that end in (begin, end]; the first block also finishes those that end at 0. */
static void apply(const opi_sweep *sweep, size_t begin, size_t end, void *carry, const void *total, bool aggregated,
                  void *scratch)
{
    const opi_segreduce_sweep *plan = (const opi_segreduce_sweep *)sweep;
    const size_t anchor = anchor_at(plan, begin);
    size_t at = begin; /* elements before `at` are in the range, or done */
    (void)total;
    const size_t s_begin = begin == 0 ? 0 : first_boundary_after(plan, begin) - 1;
    const size_t s_end = first_boundary_after(plan, end) - 1; /* the boundary of the last one that ends here */
    for (size_t s = s_begin; s < s_end; s++) {
        if (begin_of(plan, s) >= begin) s = finish_short(plan, s, s_end);
        if (s == s_end) break;
        const size_t first = begin_of(plan, s);
        at = first > begin ? first : begin;
        char *const out = plan->out + s * plan->loops.size;
        finish(plan, range_of(carry), first, at, begin_of(plan, s + 1), out, scratch);
        opi_quiet_run(&plan->loops.quiet, out, 1);
    }
    if (s_end > s_begin) at = begin_of(plan, s_end);
    if (!aggregated) { /* the carry goes on to the next block */
        if (at > begin || anchor == begin) opi_range_start(range_of(carry), plan->loops.op, 0, false);
        opi_reduce_append(&plan->loops, element(plan, at), end - at, range_of(carry), scratch);
    }
}

void opi_segreduce_plan(opi_segreduce_sweep *plan, const opi_isa *isa, const opi_task *task)
{
    const opi_offsets *const offsets = &task->segments.offsets;
    const size_t size = task->op->type->size, segments = offsets->segments;
    opi_sweep_clear(&plan->sweep);
    plan->first = (size_t)opi_offset(offsets, 0);
    const size_t n = (size_t)opi_offset(offsets, segments) - plan->first;
    opi_loops_plan(&plan->loops, task->op, isa, n * size);
    plan->in = (const char *)task->array[OPI_IN].mem + plan->first * size;
    plan->offsets = *offsets;
    plan->out = (char *)task->array[OPI_SEGMENT_OUT].mem;
    const size_t block = opi_loops_block(&plan->loops, plan->loops.level, BLOCK_BYTES);
    plan->sweep.n = n;
    plan->sweep.block = block;
    plan->sweep.bytes = n * size + segments * (size + offsets->bytes);
    plan->sweep.carry_bytes = sizeof(opi_segreduce_carry) + opi_range_bytes(task->op);
    plan->sweep.scratch_bytes = opi_reduce_scratch(&plan->loops);
    plan->sweep.start = start;
    plan->sweep.aggregate = aggregate;
    plan->sweep.join = join;
    plan->sweep.copy = copy;
    plan->sweep.apply = apply;
}
