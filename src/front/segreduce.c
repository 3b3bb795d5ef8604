/* oplus_segreduce. */
#include "leaf/segreduce.h"
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
    OPI_TRY(opi_sweep_run(dev, &plan.sweep, &wrong));
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
    return opi_sweep_run(dev, &plan.sweep, dev->carry.mem);
}

oplus_status oplus_segreduce(oplus_device *dev, const oplus_op *op, const void *in, const size_t *offsets,
                             size_t segments, void *out)
{
    OPI_TRY(opi_check_device(__func__, dev));
    OPI_TRY(opi_check_op(__func__, op));
    if (segments == 0) return OPLUS_OK;
    const size_t size = op->type->size;
    OPI_TRY(opi_check_pointer(__func__, "offsets", offsets, segments + 1));
    OPI_TRY(opi_check_pointer(__func__, "out", out, segments));
    OPI_TRY(opi_check_bytes(__func__, "segments", segments, size > sizeof *offsets ? size : sizeof *offsets));
    OPI_TRY(check_offsets(dev, op, offsets, segments));
    const size_t n = offsets[segments] - offsets[0];
    OPI_TRY(opi_check_pointer(__func__, "in", in, n));
    OPI_TRY(opi_check_bytes(__func__, "offsets[segments]", offsets[segments], size));
    const void *const first = n ? (const char *)in + offsets[0] * size : in; /* in may be NULL if n is 0 */
    OPI_TRY(opi_check_overlap(__func__, "in", first, n * size, "out", out, segments * size, false));
    OPI_TRY(opi_check_overlap(__func__, "offsets", offsets, (segments + 1) * sizeof *offsets, "out", out,
                              segments * size, false));
    return run(dev, op, in, offsets, segments, out);
}
