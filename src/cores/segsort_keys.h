/* A few keys of one width are sorted by insertion: a template, included once a width with
 *     T    the unsigned integer of a key */
#include "cores/key_width.h"

static inline T K(unmapped)(const opi_key_order *order, T mapped)
{
    const T flipped = (T)(mapped ^ (T)order->flip), negative = (T)(0 - (T)(flipped >> (8 * sizeof flipped - 1)));
    return (T)(flipped ^ (negative & (T)order->float_mask));
}

static void K(sort_few)(const opi_key_order *order, unsigned char *keys, size_t n)
{
    T x[FEW];
    for (size_t i = 0; i < n; i++) {
        const T own = K(mapped)(order, K(load)(keys, i));
        size_t j = i;
        for (; j > 0 && x[j - 1] > own; j--) x[j] = x[j - 1];
        x[j] = own;
    }
    for (size_t i = 0; i < n; i++) {
        const T key = K(unmapped)(order, x[i]);
        memcpy(keys + i * sizeof key, &key, sizeof key);
    }
}

/* Writes the mapped keys in order to x; from[i] becomes where the key at i was. */
static void K(order_few)(const opi_key_order *order, const unsigned char *keys, size_t n, T *x, uint8_t *from)
{
    for (size_t i = 0; i < n; i++) {
        const T own = K(mapped)(order, K(load)(keys, i));
        size_t j = i;
        for (; j > 0 && x[j - 1] > own; j--) {
            x[j] = x[j - 1];
            from[j] = from[j - 1];
        }
        x[j] = own;
        from[j] = (uint8_t)i;
    }
}

static void K(argsort_few)(const opi_key_order *order, const unsigned char *keys, size_t n, uint8_t *from)
{
    T x[FEW];
    K(order_few)(order, keys, n, x, from);
}

static void K(sort_few_pairs)(const opi_key_order *order, unsigned char *keys, size_t n, uint8_t *from)
{
    T x[FEW];
    K(order_few)(order, keys, n, x, from);
    for (size_t i = 0; i < n; i++) {
        const T key = K(unmapped)(order, x[i]);
        memcpy(keys + i * sizeof key, &key, sizeof key);
    }
}

#undef K
#undef T
