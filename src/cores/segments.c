/* A segmented reduce on the cores: its offsets are looked at first, then its elements are swept over. */
#include "cores/segments.h"

#include "base/error.h"
#include "cores/segreduce.h"
#include "cores/ways.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* --- are the offsets in order?  A sweep over them; the carry is the first one that is wrong ----------------------- */

enum { BLOCK = 8192 };

typedef struct offsets_sweep {
    opi_sweep sweep;
    const opi_isa *isa;
    const opi_offsets *offsets;
    bool empty_allowed;
} offsets_sweep;

static void start(const opi_sweep *sweep, size_t at, void *carry)
{
    (void)at;
    *(size_t *)carry = sweep->n; /* none */
}

/* Whether an offset is wrong: it must be in [least, largest]. */
static bool is_wrong(uint64_t own, uint64_t least, uint64_t largest) { return own < least || own > largest; }

/* Whether one of the offsets [begin, end) may be wrong, begin > 0.  If each is at least as large as the one before, all
 * are in range if the last one is. */
static bool any_wrong(const offsets_sweep *plan, size_t begin, size_t end, uint64_t gap)
{
    const opi_offsets *const offsets = plan->offsets;
    if (begin == end) return false;
    if (opi_offset(offsets, end - 1) > offsets->largest) return true;
    return offsets->bytes == sizeof(uint32_t)
               ? plan->isa->falls_u32((const uint32_t *)offsets->at + begin, end - begin, gap)
               : plan->isa->falls_u64((const uint64_t *)offsets->at + begin, end - begin, gap);
}

static void aggregate(const opi_sweep *sweep, size_t begin, size_t end, void *carry, void *scratch)
{
    const offsets_sweep *plan = (const offsets_sweep *)sweep;
    const opi_offsets *const offsets = plan->offsets;
    const uint64_t gap = plan->empty_allowed ? 0 : 1, largest = offsets->largest;
    (void)scratch;
    size_t i = begin;
    if (begin == 0 && !is_wrong(opi_offset(offsets, 0), 0, largest)) i = 1;
    if (i > 0 && !any_wrong(plan, i, end, gap)) return;
    while (i < end && i > 0 && !is_wrong(opi_offset(offsets, i), opi_offset(offsets, i - 1) + gap, largest)) i++;
    if (i < end && i < *(size_t *)carry) *(size_t *)carry = i;
}

static void join(const opi_sweep *sweep, void *left, const void *right)
{
    (void)sweep;
    if (*(const size_t *)right < *(size_t *)left) *(size_t *)left = *(const size_t *)right;
}

/* Offset i, with its sign. */
static const char *offset_text(const oplus_type *type, const opi_offsets *offsets, size_t i, char text[24])
{
    const uint64_t value = opi_offset(offsets, i);
    if (type->scalar == OPLUS_I32)
        snprintf(text, 24, "%" PRId32, (int32_t)(uint32_t)value);
    else
        snprintf(text, 24, type->scalar == OPLUS_I64 ? "%" PRId64 : "%" PRIu64, value);
    return text;
}

/* Says what is wrong with offset i, the first one that is. */
static oplus_status refuse(const char *call, const opi_task *task, const opi_offsets *offsets, size_t i)
{
    const oplus_type *const type = task->segments.offset;
    const size_t n = task->n;
    const uint64_t value = opi_offset(offsets, i);
    char own[24], before[24];
    offset_text(type, offsets, i, own);
    if (value > offsets->largest)
        return opi_fail(OPLUS_ERR_ARGUMENT, "%s: offsets[%zu] is %s and n is %zu; give offsets from 0 to n", call, i,
                        own, n);
    if (value == opi_offset(offsets, i - 1) && task->op)
        return opi_fail(OPLUS_ERR_ARGUMENT,
                        "%s: segment %zu is empty, and operator \"%s\" has no identity to give for it; "
                        "define it with OPLUS_OP, or leave empty segments out",
                        call, i - 1, task->op->name ? task->op->name : "?");
    return opi_fail(OPLUS_ERR_ARGUMENT,
                    "%s: offsets[%zu] is %s but offsets[%zu] is %s (n is %zu); offsets must not decrease", call, i - 1,
                    offset_text(type, offsets, i - 1, before), i, own, n);
}

oplus_status opi_cores_check_offsets(opi_cores *cores, const char *call, const opi_task *task,
                                     const opi_offsets *offsets)
{
    offsets_sweep plan = {{0}, cores->isa, offsets, !task->op || task->op->identity};
    size_t wrong = offsets->segments + 1;
    plan.sweep.n = wrong;
    plan.sweep.block = BLOCK;
    plan.sweep.bytes = opi_offsets_bytes(offsets);
    plan.sweep.carry_bytes = sizeof(size_t);
    plan.sweep.start = start;
    plan.sweep.aggregate = aggregate;
    plan.sweep.join = join;
    OPI_TRY(opi_cores_sweep(cores, call, &plan.sweep, &wrong));
    return wrong > offsets->segments ? OPLUS_OK : refuse(call, task, offsets, wrong);
}

/* --- nothing but empty segments ----------------------------------------------------------------------------------- */

typedef struct identities_sweep {
    opi_sweep sweep;
    const void *identity;
    size_t size;
    char *out;
} identities_sweep;

/* Writes some results, then copies these again and again. */
static void write_identities(const opi_sweep *sweep, size_t begin, size_t end, void *carry, const void *total,
                             bool aggregated, void *scratch)
{
    enum { COPIED_BYTES = 4096 };
    const identities_sweep *plan = (const identities_sweep *)sweep;
    char *const out = plan->out + begin * plan->size;
    const size_t bytes = (end - begin) * plan->size;
    (void)carry;
    (void)total;
    (void)aggregated;
    (void)scratch;
    memcpy(out, plan->identity, plan->size);
    for (size_t done = plan->size, more; done < bytes; done += more) {
        more = done < COPIED_BYTES ? done : opi_elements_in(COPIED_BYTES, plan->size) * plan->size;
        if (more > bytes - done) more = bytes - done;
        memcpy(out + done, out, more);
    }
}

static oplus_status reduce_empty(opi_cores *cores, const char *call, const opi_task *task)
{
    const size_t size = task->op->type->size, segments = task->segments.offsets.segments;
    identities_sweep plan = {{0}, task->op->identity, size, (char *)task->array[OPI_SEGMENT_OUT].mem};
    plan.sweep.n = segments;
    plan.sweep.block = opi_elements_in(BLOCK * sizeof(uint64_t), size);
    plan.sweep.bytes = segments * size;
    plan.sweep.apply = write_identities;
    return opi_cores_sweep(cores, call, &plan.sweep, NULL);
}

/* --- the reduce --------------------------------------------------------------------------------------------------- */

oplus_status opi_segreduce_run(opi_cores *cores, const char *call, const opi_task *task)
{
    const opi_offsets *const offsets = &task->segments.offsets;
    OPI_TRY(opi_cores_check_offsets(cores, call, task, offsets));
    if (opi_offset(offsets, 0) == opi_offset(offsets, offsets->segments)) return reduce_empty(cores, call, task);
    opi_segreduce_sweep plan;
    opi_segreduce_plan(&plan, cores->isa, task);
    return opi_cores_sweep(cores, call, &plan.sweep, NULL);
}

void opi_segments_explain(opi_cores *cores, const opi_task *task, opi_saying *to)
{
    const opi_offsets *const offsets = &task->segments.offsets;
    if (opi_offset(offsets, 0) >= opi_offset(offsets, offsets->segments)) return; /* nothing but identities, or wrong */
    opi_segreduce_sweep plan;
    opi_segreduce_plan(&plan, cores->isa, task);
    opi_say(to, "first the offsets are looked at, whether they are in order; then the elements:\n");
    opi_cores_explain_sweep(cores, &plan.sweep, to);
}
