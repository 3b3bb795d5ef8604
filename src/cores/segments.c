/* A segmented reduce on the cores: its offsets are looked at first, then its elements are swept over. */
#include "cores/segments.h"

#include "base/error.h"
#include "cores/segreduce.h"
#include "cores/ways.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* --- are the offsets in order?  A sweep over them; the carry is the first one that is wrong ------------------------- */

enum { BLOCK = 8192 };

typedef struct offsets_sweep {
    opi_sweep sweep;
    const opi_offsets *offsets;
    bool empty_allowed;
} offsets_sweep;

static void start(const opi_sweep *sweep, size_t at, void *carry)
{
    (void)at;
    *(size_t *)carry = sweep->n; /* none */
}

/* Whether offset i is wrong, which must be in [least, largest]. */
static bool is_wrong(uint64_t own, uint64_t least, uint64_t largest) { return own < least || own > largest; }

/* Whether one of [begin, end) may be wrong, begin > 0: signs of differences, which vectors of all kinds have.  Those of
 * offsets from 2^63 on mean nothing, but such an offset is itself negative then. */
#define ANY_WRONG(T)                                                                                                   \
    static bool any_wrong_##T(const T *offsets, size_t begin, size_t end, uint64_t gap, uint64_t largest)              \
    {                                                                                                                  \
        uint64_t signs = 0;                                                                                            \
        for (size_t i = begin; i < end; i++) {                                                                         \
            const uint64_t own = offsets[i], least = offsets[i - 1] + gap;                                             \
            signs |= own | (own - least) | (largest - own);                                                            \
        }                                                                                                              \
        return signs >> 63;                                                                                            \
    }
ANY_WRONG(uint32_t)
ANY_WRONG(uint64_t)

static void aggregate(const opi_sweep *sweep, size_t begin, size_t end, void *carry, void *scratch)
{
    const offsets_sweep *plan = (const offsets_sweep *)sweep;
    const opi_offsets *const offsets = plan->offsets;
    const uint64_t gap = plan->empty_allowed ? 0 : 1, largest = offsets->largest;
    (void)scratch;
    size_t i = begin;
    if (begin == 0 && !is_wrong(opi_offset(offsets, 0), 0, largest)) i = 1;
    if (i > 0 && !(offsets->bytes == sizeof(uint32_t) ? any_wrong_uint32_t(offsets->at, i, end, gap, largest)
                                                      : any_wrong_uint64_t(offsets->at, i, end, gap, largest)))
        return;
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
    if (value == opi_offset(offsets, i - 1))
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
    offsets_sweep plan = {{0}, offsets, task->op->identity != NULL};
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

/* --- the reduce --------------------------------------------------------------------------------------------------- */

oplus_status opi_segreduce_run(opi_cores *cores, const char *call, const opi_task *task)
{
    const opi_offsets *const offsets = &task->segments.offsets;
    const size_t size = task->op->type->size;
    OPI_TRY(opi_cores_check_offsets(cores, call, task, offsets));
    if (opi_offset(offsets, 0) == opi_offset(offsets, offsets->segments)) { /* all segments are empty */
        char *const out = (char *)task->array[OPI_SEGMENT_OUT].mem;
        for (size_t s = 0; s < offsets->segments; s++) memcpy(out + s * size, task->op->identity, size);
        return OPLUS_OK;
    }
    opi_segreduce_sweep plan;
    opi_segreduce_plan(&plan, cores->isa, task);
    return opi_cores_sweep(cores, call, &plan.sweep, NULL);
}

void opi_segments_explain(const opi_cores *cores, const opi_task *task, opi_saying *to)
{
    const opi_offsets *const offsets = &task->segments.offsets;
    if (opi_offset(offsets, 0) >= opi_offset(offsets, offsets->segments)) return; /* nothing but identities, or wrong */
    opi_segreduce_sweep plan;
    opi_segreduce_plan(&plan, cores->isa, task);
    opi_say(to, "first the offsets are looked at, whether they are in order; then the elements:\n");
    opi_cores_explain_sweep(cores, &plan.sweep, to);
}
