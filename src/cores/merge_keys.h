/* Keys of one width in order, and two sorted runs of them merged.
 *
 * A template, included once a width with
 *     T    the unsigned integer of a key
 * and itself including merge_two.h with each
 *     V    the unsigned integer that goes along with a key; undefined: keys alone */
#include "cores/key_width.h"

static inline void K(store)(unsigned char *to, size_t i, T x) { memcpy(to + i * sizeof x, &x, sizeof x); }

/* The same for the keys of integers, which need no mask: this is shorter, and each step waits for it. */
static inline T K(mapped_integer)(const opi_key_order *order, T raw) { return (T)(raw ^ (T)order->flip); }

static uint64_t K(key)(const opi_key_order *order, const void *keys, size_t i)
{
    return K(mapped)(order, K(load)(keys, i));
}

static size_t K(below)(const opi_key_order *order, const void *keys, size_t begin, size_t end, uint64_t bound)
{
    while (begin < end) {
        const size_t middle = begin + (end - begin) / 2;
        const bool is_below = K(key)(order, keys, middle) < bound;
        begin = is_below ? middle + 1 : begin;
        end = is_below ? end : middle;
    }
    return begin;
}

#include "cores/merge_two.h"
#define V uint32_t
#include "cores/merge_two.h"
#undef V
#define V uint64_t
#include "cores/merge_two.h"
#undef V

#undef K
#undef T
