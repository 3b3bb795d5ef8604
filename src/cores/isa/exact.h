/* Exact operators on lanes of one width: reduce, scan and segmented scan of any n at any place.
 *
 * A template, included once a width with LANE_BITS = 8, 16, 32 or 64.  Its functions take the operator as a constant
 * and are always inlined (see exact_leaves.h).  An operator works on unsigned lanes; `key` maps what lies in
 * memory to them and `unkey` back, which turns the minimum of floats into one of integers.
 *
 * A vector is scanned by itself, in steps within its 128-bit parts and then across them, the identity coming in from
 * the left; only the vectors' totals form a chain, one operation each. */
#include "cores/isa/lanes.h"

#define N(name) OPI_PASTE(name, LANE_BITS)
#define W       OPI_PASTE(OPI_LANES, LANE_BITS)
#define U       N(opi_lane)
#define V       N(opi_vector)

typedef OPI_PASTE(OPI_UINT, LANE_BITS) U;
typedef OPI_PASTE(OPI_INT, LANE_BITS) N(opi_signed_lane);
typedef U V __attribute__((vector_size(OPI_VECTOR)));
typedef N(opi_signed_lane) N(opi_signed) __attribute__((vector_size(OPI_VECTOR)));
typedef uint8_t N(opi_heads) __attribute__((vector_size(W)));
typedef V (*N(opi_join))(V a, V b);
typedef V (*N(opi_mapping))(V v);

/* An operator: the bits of its identity as a key, and how keys are made. */
typedef struct N(opi_exact) {
    U identity;
    N(opi_join) join;
    N(opi_mapping) key, unkey;
} N(opi_exact);

OPI_INLINE V N(splat)(U x) { return (V){0} + x; }
OPI_INLINE V N(select)(V mask, V a, V b) { return b ^ ((a ^ b) & mask); }

OPI_INLINE V N(load)(const void *in)
{
    V v;
    memcpy(&v, in, sizeof v);
    return v;
}

/* Loads the first n lanes; the others get the identity. */
OPI_INLINE V N(load_some)(const void *in, size_t n, V identity)
{
    memcpy(&identity, in, n * sizeof(U));
    return identity;
}

/* Sets all bits of the lanes that are heads. */
OPI_INLINE V N(load_heads)(const uint8_t *heads, size_t n)
{
    uint8_t some[W] = {0};
    if (n < W) {
        memcpy(some, heads, n);
        heads = some;
    }
#ifdef OPI_WIDEN_8
    return (V)((V)OPI_PASTE(OPI_WIDEN, LANE_BITS)(heads) != 0);
#else
    N(opi_heads) h;
    memcpy(&h, heads, sizeof h);
    return (V)(__builtin_convertvector(h, V) != 0);
#endif
}

/* --- operators on vectors ---------------------------------------------------------------------------------------- */

OPI_INLINE V N(same)(V v) { return v; }
OPI_INLINE V N(sum)(V a, V b) { return a + b; }
OPI_INLINE V N(prod)(V a, V b) { return a * b; }
OPI_INLINE V N (and)(V a, V b) { return a & b; }
OPI_INLINE V N(or)(V a, V b) { return a | b; }
OPI_INLINE V N (xor)(V a, V b) { return a ^ b; }
OPI_INLINE V N(land)(V a, V b) { return (V)(a != 0) & (V)(b != 0) & 1; }
OPI_INLINE V N(lor)(V a, V b) { return (V)((a | b) != 0) & 1; }
#if defined(OPI_EXTREME) && (LANE_BITS < 64 || defined(__AVX512F__))
OPI_INLINE V N(min_u)(V a, V b) { return (V)OPI_EXTREME(min, epu, LANE_BITS, a, b); }
OPI_INLINE V N(max_u)(V a, V b) { return (V)OPI_EXTREME(max, epu, LANE_BITS, a, b); }
OPI_INLINE V N(min_i)(V a, V b) { return (V)OPI_EXTREME(min, epi, LANE_BITS, a, b); }
OPI_INLINE V N(max_i)(V a, V b) { return (V)OPI_EXTREME(max, epi, LANE_BITS, a, b); }
#else
OPI_INLINE V N(min_u)(V a, V b) { return N(select)((V)(a < b), a, b); }
OPI_INLINE V N(max_u)(V a, V b) { return N(select)((V)(a > b), a, b); }
OPI_INLINE V N(min_i)(V a, V b) { return N(select)((V)((N(opi_signed))a < (N(opi_signed))b), a, b); }
OPI_INLINE V N(max_i)(V a, V b) { return N(select)((V)((N(opi_signed))a > (N(opi_signed))b), a, b); }
#endif

/* --- the steps within a vector ----------------------------------------------------------------------------------- */

/* Within a 128-bit part each lane takes the h-th lane before it; a whole part takes the last lane of the part
 * before. */
#define PART            (128 / LANE_BITS)
#define WITHIN(W, h, l) ((l) % PART >= (h) ? (W) + (l) - (h) : (l))
#define ACROSS(W, h, l) ((l) & (h) ? (W) + ((l) & ~((h)-1)) - 1 : (l))
#if (defined(__x86_64__) || defined(__i386__)) && !defined(__SSSE3__)
/* SSE2 can only shift in zeros. */
#define MOVE(v, fill, f, h) (OPI_SHUFFLE(W, (V){0}, v, f, h) | ((fill) & ~OPI_SHUFFLE(W, (V){0}, ~(V){0}, f, h)))
#define MOVE_UP(v, fill)    MOVE(v, fill, WITHIN, 1)
#else
#define MOVE(v, fill, f, h) OPI_SHUFFLE(W, fill, v, f, h)
#define MOVE_UP(v, fill)    OPI_SHUFFLE(W, fill, v, OPI_UP, 0)
#endif
#define FOR_STEPS(STEP)                                                                                                \
    if (PART > 1) STEP(WITHIN, 1)                                                                                      \
    if (PART > 2) STEP(WITHIN, 2)                                                                                      \
    if (PART > 4) STEP(WITHIN, 4)                                                                                      \
    if (PART > 8) STEP(WITHIN, 8)                                                                                      \
    if (W > PART) STEP(ACROSS, PART)                                                                                   \
    if (W > 2 * PART) STEP(ACROSS, 2 * PART)

OPI_INLINE V N(scan_lanes)(N(opi_exact) op, V y)
{
    const V identity = N(splat)(op.identity);
#define STEP(f, h) y = op.join(MOVE(y, identity, f, h), y);
    FOR_STEPS(STEP)
#undef STEP
    return y;
}

/* Scans the lanes from the last head on; *f becomes whether there is a head at or before a lane. */
OPI_INLINE V N(segscan_lanes)(N(opi_exact) op, V y, V *f)
{
    const V identity = N(splat)(op.identity), none = {0};
#define STEP(move, h)                                                                                                  \
    {                                                                                                                  \
        y = N(select)(*f, y, op.join(MOVE(y, identity, move, h), y));                                                  \
        *f |= MOVE(*f, none, move, h);                                                                                 \
    }
    FOR_STEPS(STEP)
#undef STEP
    return y;
}

/* --- the leaves -------------------------------------------------------------------------------------------------- */

/* far: the elements come from memory, and are asked for in advance. */
OPI_INLINE void N(exact_reduce_from)(N(opi_exact) op, const void *in, size_t n, void *carry, bool far)
{
    const U *x = in;
    const V identity = N(splat)(op.identity);
    V sum[4] = {identity, identity, identity, identity};
    if (n == 0) return;
    for (; n >= 4 * W; n -= 4 * W, x += 4 * W) {
        for (size_t j = 0; far && j < 4 * OPI_VECTOR; j += 64) __builtin_prefetch((const char *)x + 4096 + j, 0, 2);
        for (int j = 0; j < 4; j++) sum[j] = op.join(sum[j], op.key(N(load)(x + j * W)));
    }
    for (; n >= W; n -= W, x += W) sum[0] = op.join(sum[0], op.key(N(load)(x)));
    sum[1] = op.join(sum[1], op.key(N(load_some)(x, n, op.unkey(identity))));

    V total = op.key(N(load_some)(carry, 1, op.unkey(identity)));
    for (int j = 0; j < 4; j++) total = op.join(total, sum[j]);
    total = op.unkey(N(scan_lanes)(op, total));
    memcpy(carry, (char *)&total + (W - 1) * sizeof(U), sizeof(U));
}

OPI_INLINE void N(exact_reduce)(N(opi_exact) op, const void *in, size_t n, void *carry)
{
    if (n >= ((size_t)1 << 20) / sizeof(U))
        N(exact_reduce_from)(op, in, n, carry, true);
    else
        N(exact_reduce_from)(op, in, n, carry, false);
}

/* The results of a vector v that `carry` (in every lane) precedes; *carry moves on. */
OPI_INLINE V N(exact_scan_step)(N(opi_exact) op, V v, int exclusive, V *carry)
{
    const V y = N(scan_lanes)(op, op.key(v)), before = *carry, out = op.join(before, y);
    *carry = op.join(before, OPI_SHUFFLE(W, y, y, OPI_LAST, 0));
    return exclusive ? MOVE_UP(out, before) : out;
}

OPI_INLINE V N(exact_segscan_step)(N(opi_exact) op, V v, V heads, int exclusive, V *carry)
{
    V f = heads;
    const V y = N(segscan_lanes)(op, op.key(v), &f), before = *carry;
    const V out = N(select)(f, y, op.join(before, y));
    *carry = OPI_SHUFFLE(W, out, out, OPI_LAST, 0);
    return exclusive ? N(select)(heads, N(splat)(op.identity), MOVE_UP(out, before)) : out;
}

/* far: in and out are in memory, out aligned to a vector: reads are prefetched, and writes bypass the caches. */
OPI_INLINE void N(exact_scan)(N(opi_exact) op, const void *in, const uint8_t *heads, size_t n, int exclusive,
                              void *carry, void *out, bool far)
{
    const char *x = in;
    char *y = out;
    U first;
    memcpy(&first, carry, sizeof first);
    V before = op.key(N(splat)(first));
    for (; n >= W; n -= W, x += sizeof(V), y += sizeof(V)) {
        V result;
        if (heads) {
            result = N(exact_segscan_step)(op, N(load)(x), N(load_heads)(heads, W), exclusive, &before);
            heads += W;
        } else {
            result = N(exact_scan_step)(op, N(load)(x), exclusive, &before);
        }
        result = op.unkey(result);
        if (far) {
            __builtin_prefetch(x + 4096, 0, 2);
            OPI_STREAM(y, result);
        } else {
            memcpy(y, &result, sizeof result);
        }
    }
    if (n > 0) {
        /* What precedes in[n] is the last inclusive result of a lane in use: the others hold the identity, and joining
         * it may change a value that is not 0 or 1 (logical operators). */
        const V v = N(load_some)(x, n, op.unkey(N(splat)(op.identity)));
        const V h = heads ? N(load_heads)(heads, n) : (V){0};
        V again = before;
        V result = heads ? N(exact_segscan_step)(op, v, h, 0, &before) : N(exact_scan_step)(op, v, 0, &before);
        before = N(splat)(result[n - 1]);
        if (exclusive)
            result = heads ? N(exact_segscan_step)(op, v, h, 1, &again) : N(exact_scan_step)(op, v, 1, &again);
        result = op.unkey(result);
        memcpy(y, &result, n * sizeof(U));
    }
    before = op.unkey(before);
    memcpy(carry, &before, sizeof first);
}

#undef FOR_STEPS
#undef MOVE_UP
#undef MOVE
#undef ACROSS
#undef WITHIN
#undef PART
#undef V
#undef U
#undef W
#undef N
#undef LANE_BITS
