/* oplus_segreduce. */
#include "cores/segreduce.h"
#include "auto/auto.h"
#include "front/check.h"
#include "cores/run.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* --- are the offsets in order?  A sweep over them; the carry is the first one that is wrong */

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
static oplus_status refuse(const oplus_op *op, const oplus_type *type, const opi_offsets *offsets, size_t i, size_t n)
{
    const uint64_t value = opi_offset(offsets, i);
    char own[24], before[24];
    offset_text(type, offsets, i, own);
    if (value > offsets->largest)
        return opi_fail(OPLUS_ERR_ARGUMENT,
                        "oplus_segreduce: offsets[%zu] is %s and n is %zu; give offsets from 0 to n", i, own, n);
    if (value == opi_offset(offsets, i - 1))
        return opi_fail(OPLUS_ERR_ARGUMENT,
                        "oplus_segreduce: segment %zu is empty, and operator \"%s\" has no identity to give for it; "
                        "define it with OPLUS_OP, or leave empty segments out",
                        i - 1, opi_name(op->name));
    return opi_fail(OPLUS_ERR_ARGUMENT,
                    "oplus_segreduce: offsets[%zu] is %s but offsets[%zu] is %s (n is %zu); offsets must not decrease",
                    i - 1, offset_text(type, offsets, i - 1, before), i, own, n);
}

/* Offsets that the host can read. */
static oplus_status check_offsets(oplus_device *dev, const oplus_op *op, const oplus_type *type,
                                  const opi_offsets *offsets, size_t n)
{
    offsets_sweep plan = {{0}, offsets, op->identity != NULL};
    size_t wrong = offsets->segments + 1;
    plan.sweep.n = wrong;
    plan.sweep.block = 8192;
    plan.sweep.bytes = opi_offsets_bytes(offsets);
    plan.sweep.carry_bytes = sizeof(size_t);
    plan.sweep.start = start;
    plan.sweep.aggregate = aggregate;
    plan.sweep.join = join;
    OPI_TRY(opi_sweep_run(dev, "oplus_segreduce", &plan.sweep, &wrong));
    return wrong > offsets->segments ? OPLUS_OK : refuse(op, type, offsets, wrong, n);
}

/* The same for offsets wherever they are; ends: the first and the last of them. */
static oplus_status look_at_offsets(oplus_device *dev, const oplus_op *op, const oplus_type *type,
                                    const opi_offsets *offsets, size_t n, uint64_t ends[2])
{
    opi_offsets readable = *offsets;
    if (dev->tree->offsets) OPI_TRY(dev->tree->offsets(dev, "oplus_segreduce", &readable, op->identity != NULL, ends));
    if (!readable.at) return OPLUS_OK;
    OPI_TRY(check_offsets(dev, op, type, &readable, n));
    ends[0] = opi_offset(&readable, 0);
    ends[1] = opi_offset(&readable, readable.segments);
    return OPLUS_OK;
}

/* --- the call */

static oplus_status run(oplus_device *dev, const oplus_op *op, const void *in, const opi_offsets *offsets, bool empty,
                        void *out)
{
    if (empty) { /* all segments are */
        for (size_t s = 0; s < offsets->segments; s++)
            memcpy((char *)out + s * op->type->size, op->identity, op->type->size);
        return OPLUS_OK;
    }
    opi_segreduce_sweep plan;
    opi_segreduce_plan(&plan, op, dev->isa, in, offsets, out);
    if (!opi_buffer_reserve(&dev->carry, plan.sweep.carry_bytes))
        return opi_fail(OPLUS_ERR_MEMORY, "oplus_segreduce: no memory for %zu bytes of carry", plan.sweep.carry_bytes);
    plan.sweep.start(&plan.sweep, 0, dev->carry.mem);
    return opi_sweep_run(dev, "oplus_segreduce", &plan.sweep, dev->carry.mem);
}

/* On a device that is one; what can be said without looking at the offsets has been checked. */
static oplus_status reduce_on(oplus_device *dev, const char *call, const oplus_op *op, const void *in, size_t n,
                              const oplus_type *type, const opi_offsets *offsets, void *out)
{
    uint64_t ends[2] = {0, 0};
    OPI_TRY(look_at_offsets(dev, op, type, offsets, n, ends));
    if (dev->tree->segreduce) return dev->tree->segreduce(dev, call, op, in, offsets, out);
    return run(dev, op, in, offsets, ends[0] == ends[1], out);
}

/* How many bytes a call moves, if the offsets are the host's and in order. */
static size_t bytes_of(const oplus_op *op, const opi_offsets *offsets)
{
    const uint64_t begin = opi_offset(offsets, 0), end = opi_offset(offsets, offsets->segments);
    const size_t n = begin <= end && end <= offsets->largest ? (size_t)(end - begin) : 0;
    return n * op->type->size + offsets->segments * (op->type->size + offsets->bytes);
}

/* offset: the type of an offset. */
static oplus_status check_offset_type(const char *call, const oplus_type *offset)
{
    OPI_TRY(opi_check_type(call, "offset", offset));
    const oplus_scalar scalar = offset->scalar;
    if (scalar == OPLUS_U32 || scalar == OPLUS_U64 || scalar == OPLUS_I32 || scalar == OPLUS_I64) return OPLUS_OK;
    return opi_fail(OPLUS_ERR_ARGUMENT,
                    "%s: offset is the type \"%s\"; give &oplus_u32, &oplus_u64, &oplus_i32 or &oplus_i64", call,
                    opi_name(offset->name));
}

oplus_status oplus_segreduce(oplus_device *dev, const oplus_op *op, const void *in, size_t n, const oplus_type *offset,
                             const void *offsets, size_t segments, void *out)
{
    OPI_OWN_MODE;
    const void *const arrays[] = {in, offsets, out};
    OPI_TRY(opi_check_device(__func__, dev));
    OPI_TRY(opi_check_op(__func__, op));
    OPI_TRY(check_offset_type(__func__, offset));
    const size_t size = op->type->size, wider = size > offset->size ? size : offset->size;
    OPI_TRY(opi_check_pointer(__func__, "in", in, n));
    OPI_TRY(opi_check_bytes(__func__, "n", n, size));
    if (segments == 0) return OPLUS_OK;
    OPI_TRY(opi_check_pointer(__func__, "offsets", offsets, segments < SIZE_MAX ? segments + 1 : segments));
    OPI_TRY(opi_check_pointer(__func__, "out", out, segments));
    OPI_TRY(opi_check_bytes(__func__, "segments", segments, wider));
    const uint64_t most = offset->scalar == OPLUS_I32 ? INT32_MAX : UINT64_MAX;
    const opi_offsets given = {offsets, segments, offset->size, n < most ? n : most};
    OPI_TRY(opi_check_overlap(__func__, "in", in, n * size, "out", out, segments * size, false));
    OPI_TRY(
        opi_check_overlap(__func__, "offsets", offsets, opi_offsets_bytes(&given), "out", out, segments * size, false));

    oplus_device *chosen = opi_chosen(dev, arrays, 3, OPI_WORK_READ, 0); /* by where the arrays lie, */
    if (chosen != dev && chosen == opi_cores_of(dev)) /* and where they are the host's, by how long they are */
        chosen = opi_chosen(dev, arrays, 3, OPI_WORK_READ, bytes_of(op, &given));
    const oplus_status status = reduce_on(chosen, __func__, op, in, n, offset, &given, out);
    if (!opi_auto_retries(dev, chosen, status, true, arrays, 3)) return status;
    return reduce_on(opi_cores_of(dev), __func__, op, in, n, offset, &given, out);
}
