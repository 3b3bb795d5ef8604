/* Takes the blocks in order and applies each as it comes, so that nothing is read twice. */
#include "cores/blocks.h"
#include "cores/ways.h"

#include "base/error.h"

/* With `whole` the array is one block: its summary first, then its application. */
static void sweep_whole(const opi_sweep *sweep, void *carry, void *total, void *scratch)
{
    sweep->start(sweep, 0, total);
    sweep->aggregate(sweep, 0, sweep->n, total, scratch);
    sweep->apply(sweep, 0, sweep->n, carry, total, true, scratch);
    sweep->join(sweep, carry, total);
}

/* The caller works alone, however many workers there might be. */
static inline oplus_status reserve(const opi_sweeping *s, size_t bytes)
{
    if (s->workers == 1) return opi_workspace_reserve(s, bytes);
    opi_sweeping alone = *s;
    alone.workers = 1;
    return opi_workspace_reserve(&alone, bytes);
}

oplus_status opi_sweep_serial(const opi_sweeping *s)
{
    const opi_sweep *const sweep = s->sweep;
    const size_t carry_bytes = opi_round_up(sweep->carry_bytes, OPI_CACHE_LINE);
    OPI_TRY(reserve(s, 2 * carry_bytes + sweep->scratch_bytes));
    char *const own = s->cores->workspace.mem, *const total = own + carry_bytes, *const scratch = total + carry_bytes;
    void *carry = s->carry;
    if (!carry && sweep->carry_bytes) {
        carry = own;
        sweep->start(sweep, 0, carry);
    }
    if (sweep->whole) {
        sweep_whole(sweep, carry, total, scratch);
    } else if (!sweep->apply) {
        sweep->aggregate(sweep, 0, sweep->n, carry, scratch);
    } else {
        const size_t blocks = opi_blocks(sweep);
        for (size_t b = 0; b < blocks; b++)
            sweep->apply(sweep, opi_block_begin(sweep, b), opi_block_end(sweep, b), carry, NULL, false, scratch);
    }
    return OPLUS_OK;
}
