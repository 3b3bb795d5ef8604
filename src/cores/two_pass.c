/* All is aggregated first, in contiguous parts, and applied afterwards, each part from its own carry: no block need be
 * aggregated again.  The parts that were read last are applied first, because a cache may still have them.
 *
 * A part of a longer array goes this way (src/ranks): what precedes it becomes known between the two passes. */
#include "cores/blocks.h"
#include "cores/crew.h"
#include "cores/ways.h"

#include "base/error.h"

enum { PARTS_PER_WORKER = 8 };

/* The same parts in both passes, if both have as many workers. */
static opi_parts parts_of(const opi_sweeping *s) { return opi_parts_of(s->sweep, s->workers * PARTS_PER_WORKER); }

static size_t bytes_of(const opi_sweeping *s, const opi_parts *parts)
{
    return (parts->count + 2) * parts->carry_stride + s->workers * parts->scratch_stride;
}

/* Lays out the workspace: two carries, those of the parts, the workers' scratch. */
static char *lay_out(const opi_sweeping *s, opi_parts *parts)
{
    char *const other = s->cores->workspace.mem;
    parts->carries = other + 2 * parts->carry_stride;
    parts->scratch = parts->carries + parts->count * parts->carry_stride;
    return other;
}

oplus_status opi_two_pass_summarise(const opi_sweeping *s)
{
    opi_parts parts = parts_of(s);
    OPI_TRY(opi_workspace_reserve(s, bytes_of(s, &parts)));
    lay_out(s, &parts);
    opi_parts_aggregate(s, &parts);
    for (size_t p = 0; p < parts.count; p++) s->sweep->join(s->sweep, s->carry, opi_part_carry(&parts, p));
    return OPLUS_OK;
}

static void apply_part(void *job, size_t worker, size_t item)
{
    const opi_parts *const parts = job;
    const opi_sweep *const sweep = parts->sweep;
    const size_t p = parts->count - 1 - item, end = opi_part_begin(parts, p + 1);
    for (size_t begin = opi_part_begin(parts, p); begin < end;) {
        const size_t room = sweep->block - (sweep->skew + begin) % sweep->block;
        const size_t next = room < end - begin ? begin + room : end;
        sweep->apply(sweep, begin, next, opi_part_carry(parts, p), NULL, false, opi_part_scratch(parts, worker));
        begin = next;
    }
}

oplus_status opi_two_pass_apply(const opi_sweeping *s)
{
    const opi_sweep *const sweep = s->sweep;
    opi_parts parts = parts_of(s);
    char *const other = lay_out(s, &parts);
    for (size_t p = 0; p < parts.count; p++) {
        void *const own = opi_part_carry(&parts, p);
        opi_carry_copy(sweep, other, s->carry);
        sweep->join(sweep, s->carry, own);
        opi_carry_copy(sweep, own, other);
    }
    opi_crew_run(&s->cores->crew, (int)s->workers, apply_part, &parts, parts.count);
    return OPLUS_OK;
}

oplus_status opi_sweep_two_pass(const opi_sweeping *s)
{
    const opi_sweep *const sweep = s->sweep;
    opi_parts parts = parts_of(s);
    OPI_TRY(opi_workspace_reserve(s, bytes_of(s, &parts)));
    opi_sweeping own = *s;
    char *const other = lay_out(s, &parts);
    if (!own.carry) {
        own.carry = other + parts.carry_stride;
        sweep->start(sweep, 0, own.carry);
    }
    opi_parts_aggregate(s, &parts);
    return opi_two_pass_apply(&own);
}
