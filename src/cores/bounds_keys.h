/* Bounds of keys of one width: a template, included once a width with
 *     T    the unsigned integer of a key
 *
 * LANES searches go on at the same time, since each step of one waits for memory.  All take the same steps: `left`
 * elements are left of each, and half of them are dropped without a branch. */
#include "cores/key_width.h"

/* `upper` is a constant where this is called. */
OPLUS_INLINE_ void K(search)(const opi_bounds_sweep *plan, const unsigned char *wanted, size_t lanes, size_t *place,
                             bool upper)
{
    const opi_key_order order = plan->order;
    const unsigned char *const sorted = plan->sorted;
    T key[LANES];
    size_t at[LANES] = {0};
    for (size_t l = 0; l < LANES; l++) key[l] = K(mapped)(&order, K(load)(wanted, l < lanes ? l : 0));
    for (size_t left = plan->n, half; left > 0; left -= half) {
        half = (left + 1) / 2;
        for (size_t l = 0; l < LANES; l++) {
            const T there = K(mapped)(&order, K(load)(sorted, at[l] + half - 1));
            at[l] += (upper ? there <= key[l] : there < key[l]) ? half : 0;
        }
    }
    for (size_t l = 0; l < lanes; l++) place[l] = at[l];
}

static void K(find)(const opi_bounds_sweep *plan, const unsigned char *wanted, size_t count, size_t *place)
{
    for (size_t i = 0; i < count; i += LANES) {
        const size_t lanes = count - i < LANES ? count - i : LANES;
        if (plan->upper)
            K(search)(plan, wanted + i * sizeof(T), lanes, place + i, true);
        else
            K(search)(plan, wanted + i * sizeof(T), lanes, place + i, false);
    }
}

#undef K
#undef T
