/* oplus_segreduce. */
#include "leaf/segreduce.h"
#include "front/auto.h"
#include "front/check.h"
#include "tree/sweep.h"

#include <string.h>

/* --- are the offsets in order?  A sweep over segments; the carry is the first one that is wrong */

typedef struct offsets_sweep {
    opi_sweep sweep;
    const size_t *offsets;
    bool empty_allowed;
} offsets_sweep;

static void start(const opi_sweep *sweep, size_t at, void *carry)
{
    (void)at;
    *(size_t *)carry = sweep->n; /* none */
}

static void aggregate(const opi_sweep *sweep, size_t begin, size_t end, void *carry, void *scratch)
{
    const offsets_sweep *plan = (const offsets_sweep *)sweep;
    const size_t *offsets = plan->offsets;
    (void)scratch;
    for (size_t s = begin; s < end; s++) {
        const bool wrong = offsets[s + 1] < offsets[s] || (!plan->empty_allowed && offsets[s + 1] == offsets[s]);
        if (wrong && s < *(size_t *)carry) *(size_t *)carry = s;
    }
}

static void join(const opi_sweep *sweep, void *left, const void *right)
{
    (void)sweep;
    if (*(const size_t *)right < *(size_t *)left) *(size_t *)left = *(const size_t *)right;
}

static oplus_status check_offsets(oplus_device *dev, const oplus_op *op, const size_t *offsets, size_t segments)
{
    offsets_sweep plan = {{0}, offsets, op->identity != NULL};
    size_t wrong = segments;
    plan.sweep.n = segments;
    plan.sweep.block = 8192;
    plan.sweep.bytes = segments * sizeof *offsets;
    plan.sweep.carry_bytes = sizeof(size_t);
    plan.sweep.start = start;
    plan.sweep.aggregate = aggregate;
    plan.sweep.join = join;
    OPI_TRY(opi_sweep_run(dev, "oplus_segreduce", &plan.sweep, &wrong));
    if (wrong == segments) return OPLUS_OK;
    if (offsets[wrong + 1] == offsets[wrong])
        return opi_fail(OPLUS_ERR_ARGUMENT,
                        "oplus_segreduce: segment %zu is empty, and operator \"%s\" has no identity to give for it; "
                        "define it with OPLUS_OP, or leave empty segments out",
                        wrong, opi_name(op->name));
    return opi_fail(OPLUS_ERR_ARGUMENT,
                    "oplus_segreduce: offsets[%zu] is %zu but offsets[%zu] is %zu; offsets must not decrease", wrong,
                    offsets[wrong], wrong + 1, offsets[wrong + 1]);
}

/* The same for offsets wherever they are; ends: the first and the last of them. */
static oplus_status look_at_offsets(oplus_device *dev, const oplus_op *op, const size_t *offsets, size_t segments,
                                    size_t ends[2])
{
    const size_t *readable = offsets;
    if (dev->tree->offsets)
        OPI_TRY(dev->tree->offsets(dev, "oplus_segreduce", offsets, segments, op->identity != NULL, &readable, ends));
    if (!readable) return OPLUS_OK;
    OPI_TRY(check_offsets(dev, op, readable, segments));
    ends[0] = readable[0];
    ends[1] = readable[segments];
    return OPLUS_OK;
}

/* --- the call */

static oplus_status run(oplus_device *dev, const oplus_op *op, const void *in, const size_t *offsets, size_t segments,
                        void *out)
{
    if (offsets[segments] == offsets[0]) { /* nothing but empty segments */
        for (size_t s = 0; s < segments; s++) memcpy((char *)out + s * op->type->size, op->identity, op->type->size);
        return OPLUS_OK;
    }
    opi_segreduce_sweep plan;
    opi_segreduce_plan(&plan, op, dev->isa, in, offsets, segments, out);
    if (!opi_buffer_reserve(&dev->carry, plan.sweep.carry_bytes))
        return opi_fail(OPLUS_ERR_MEMORY, "oplus_segreduce: no memory for %zu bytes of carry", plan.sweep.carry_bytes);
    plan.sweep.start(&plan.sweep, 0, dev->carry.mem);
    return opi_sweep_run(dev, "oplus_segreduce", &plan.sweep, dev->carry.mem);
}

/* On a device that is one; what can be said without looking at the offsets has been checked. */
static oplus_status reduce_on(oplus_device *dev, const char *call, const oplus_op *op, const void *in,
                              const size_t *offsets, size_t segments, void *out)
{
    const size_t size = op->type->size;
    size_t ends[2] = {0, 0};
    OPI_TRY(look_at_offsets(dev, op, offsets, segments, ends));
    const size_t n = ends[1] - ends[0];
    OPI_TRY(opi_check_pointer(call, "in", in, n));
    OPI_TRY(opi_check_bytes(call, "offsets[segments]", ends[1], size));
    const void *const first = n ? (const char *)in + ends[0] * size : in; /* in may be NULL if n is 0 */
    OPI_TRY(opi_check_overlap(call, "in", first, n * size, "out", out, segments * size, false));
    OPI_TRY(opi_check_overlap(call, "offsets", offsets, (segments + 1) * sizeof *offsets, "out", out, segments * size,
                              false));
    if (dev->tree->segreduce) return dev->tree->segreduce(dev, call, op, in, offsets, segments, out);
    return run(dev, op, in, offsets, segments, out);
}

/* How many bytes a call moves, if the offsets are the host's and in order. */
static size_t bytes_of(const oplus_op *op, const size_t *offsets, size_t segments)
{
    const size_t size = op->type->size, n = offsets[segments] - offsets[0];
    const size_t own = segments * (size + sizeof *offsets);
    return offsets[segments] >= offsets[0] && n <= (SIZE_MAX - own) / size ? own + n * size : own;
}

oplus_status oplus_segreduce(oplus_device *dev, const oplus_op *op, const void *in, const size_t *offsets,
                             size_t segments, void *out)
{
    const void *const arrays[] = {in, offsets, out};
    OPI_TRY(opi_check_device(__func__, dev));
    OPI_TRY(opi_check_op(__func__, op));
    if (segments == 0) return OPLUS_OK;
    const size_t size = op->type->size;
    OPI_TRY(opi_check_pointer(__func__, "offsets", offsets, segments + 1));
    OPI_TRY(opi_check_pointer(__func__, "out", out, segments));
    OPI_TRY(opi_check_bytes(__func__, "segments", segments, size > sizeof *offsets ? size : sizeof *offsets));
    oplus_device *chosen = opi_chosen(dev, arrays, 3, OPI_WORK_READ, 0); /* by where the arrays lie, */
    if (chosen != dev && chosen == opi_cores_of(dev)) /* and where they are the host's, by how long they are */
        chosen = opi_chosen(dev, arrays, 3, OPI_WORK_READ, bytes_of(op, offsets, segments));
    const oplus_status status = reduce_on(chosen, __func__, op, in, offsets, segments, out);
    if (!opi_auto_retries(dev, chosen, status, arrays, 3)) return status;
    return reduce_on(opi_cores_of(dev), __func__, op, in, offsets, segments, out);
}
