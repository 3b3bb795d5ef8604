/* Which segments are long?  A sweep over their offsets; the carry says how many there are up to a block, and where the first
 * few of them are. */
#include "cores/cores.h"
#include "cores/ways.h"

enum { BLOCK = 8192 };

typedef struct long_sweep {
    opi_sweep sweep;
    const opi_offsets *offsets;
    uint64_t least;
} long_sweep;

static void start(const opi_sweep *sweep, size_t at, void *carry)
{
    (void)sweep;
    (void)at;
    *(opi_long_segments *)carry = (opi_long_segments){0};
}

/* Whether one of the n segments behind `at` is long; these loops are vectors. */
static bool any_narrow(const uint32_t *at, size_t n, uint32_t least)
{
    unsigned any = 0;
    for (size_t s = 0; s < n; s++) any |= at[s + 1] - at[s] >= least;
    return any;
}

static bool any_wide(const uint64_t *at, size_t n, uint64_t least)
{
    uint64_t any = 0;
    for (size_t s = 0; s < n; s++) any |= at[s + 1] - at[s] >= least;
    return any;
}

static bool any(const long_sweep *plan, size_t begin, size_t end)
{
    const opi_offsets *const offsets = plan->offsets;
    if (offsets->bytes == sizeof(uint64_t))
        return any_wide((const uint64_t *)offsets->at + begin, end - begin, plan->least);
    return plan->least <= UINT32_MAX &&
           any_narrow((const uint32_t *)offsets->at + begin, end - begin, (uint32_t)plan->least);
}

static void aggregate(const opi_sweep *sweep, size_t begin, size_t end, void *carry, void *scratch)
{
    const long_sweep *const plan = (const long_sweep *)sweep;
    opi_long_segments *const found = carry;
    (void)scratch;
    if (!any(plan, begin, end)) return;
    for (size_t s = begin; s < end; s++) {
        const uint64_t at = opi_offset(plan->offsets, s), n = opi_offset(plan->offsets, s + 1) - at;
        if (n < plan->least) continue;
        if (found->count < OPI_FEW_LONG) {
            found->few[found->count].begin = at;
            found->few[found->count].n = n;
        }
        found->count++;
        found->elements += n;
    }
}

static void join(const opi_sweep *sweep, void *left, const void *right)
{
    opi_long_segments *const l = left;
    const opi_long_segments *const r = right;
    (void)sweep;
    for (uint64_t i = 0; i < r->count && i < OPI_FEW_LONG && l->count + i < OPI_FEW_LONG; i++)
        l->few[l->count + i] = r->few[i];
    l->count += r->count;
    l->elements += r->elements;
}

oplus_status opi_cores_find_long(opi_cores *cores, const char *call, const opi_offsets *offsets, uint64_t least,
                                 opi_long_segments *found)
{
    long_sweep plan = {.offsets = offsets, .least = least};
    plan.sweep.n = offsets->segments;
    plan.sweep.block = BLOCK;
    plan.sweep.bytes = opi_offsets_bytes(offsets);
    plan.sweep.carry_bytes = sizeof *found;
    plan.sweep.start = start;
    plan.sweep.aggregate = aggregate;
    plan.sweep.join = join;
    *found = (opi_long_segments){0};
    return opi_cores_sweep(cores, call, &plan.sweep, found);
}
