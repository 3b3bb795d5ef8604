/* The leaves of one exact operator, for the table of builtin.c:
 *
 *     LEAF_reduce, LEAF_scan_any, LEAF_segscan_any   any n at any place
 *     LEAF_scan_far, LEAF_segscan_far                the same where in and out are in memory
 *     LEAF_node, LEAF_scan, LEAF_segscan             blocks of the canonical tree
 *     LEAF_segments_any                              short segments
 *     LEAF_zip                                       pairs
 *     LEAF_by_bin                                    elements of bins in any order; not of logical operators
 *
 * A template, included once for each operator by exact_integers.h and exact_floats.h, with
 *     LEAF       name of the operator
 *     T          type of its elements, LANE_BITS wide
 *     IDENTITY   what changes no operand
 *     BODY       the operator on scalars: the body of a function of a and b
 *     JOIN       the operator on vectors (exact.h)
 *     ON_VECTORS which leaves are loops on vectors: ALL_LEAVES, REDUCE_ALONE or NO_LEAF; the others are generic loops
 *     LOGICAL    defined if the operator makes 0 or 1 of what it joins, also of one element and the identity
 *     KEY, UNKEY, KEY_OF_IDENTITY
 *                what makes keys of elements and elements of keys, if JOIN does not take elements as they are
 * LANE_BITS remains defined. */
#define N(name) OPI_PASTE(LEAF, name)
#define U       LANES(opi_lane)
#ifndef KEY
#define KEY             LANES(same)
#define UNKEY           LANES(same)
#define KEY_OF_IDENTITY IDENTITY
#endif

/* LEAF(a, b) itself */
OPLUS_FN_(T, LEAF, (T a, T b), BODY)

enum { N(streams) = ON_VECTORS == ALL_LEAVES };

#if ON_VECTORS != NO_LEAF
/* The operator as the loops of exact.h take it: a constant. */
OPI_INLINE LANES(opi_exact) N(on_vectors)(void) { return (LANES(opi_exact)){(U)(KEY_OF_IDENTITY), JOIN, KEY, UNKEY}; }

static void N(reduce)(const void *in, size_t n, void *carry) { LANES(exact_reduce)(N(on_vectors)(), in, n, carry); }
#endif

#if ON_VECTORS == ALL_LEAVES

/* --- loops on vectors: they take any n, and those for blocks call them ------------------------------------------- */

static void N(scan_any)(const void *in, size_t n, int exclusive, void *carry, void *out)
{
    LANES(exact_scan)(N(on_vectors)(), in, NULL, n, exclusive, carry, out, false);
}

static void N(segscan_any)(const void *in, const uint8_t *heads, size_t n, int exclusive, void *carry, void *out)
{
    LANES(exact_scan)(N(on_vectors)(), in, heads, n, exclusive, carry, out, false);
}

static void N(scan_far)(const void *in, size_t n, int exclusive, void *carry, void *out)
{
    LANES(exact_scan)(N(on_vectors)(), in, NULL, n, exclusive, carry, out, true);
}

static void N(segscan_far)(const void *in, const uint8_t *heads, size_t n, int exclusive, void *carry, void *out)
{
    LANES(exact_scan)(N(on_vectors)(), in, heads, n, exclusive, carry, out, true);
}

static void N(node)(const void *in, unsigned level, void *node)
{
    memcpy(node, in, sizeof(U));
    N(reduce)((const U *)in + 1, ((size_t)1 << level) - 1, node);
}

static void N(scan)(const void *in, unsigned level, int exclusive, const void *before, void *out, void *node)
{
    U carry;
    memcpy(&carry, before, sizeof carry);
    N(node)(in, level, node);
    N(scan_any)(in, (size_t)1 << level, exclusive, &carry, out);
}

static void N(segscan)(const void *in, const uint8_t *heads, unsigned level, int exclusive, const void *before,
                       const void *unused, void *out, void *node, uint8_t *head)
{
    const size_t n = (size_t)1 << level, last = last_head(heads, n);
    U carry;
    (void)unused;
    memcpy(&carry, before, sizeof carry);
    memcpy(node, (const U *)in + last, sizeof carry);
    N(reduce)((const U *)in + last + 1, n - last - 1, node);
    *head = heads[last];
    N(segscan_any)(in, heads, n, exclusive, &carry, out);
}

#else

/* --- generic loops: they take blocks, and those for any n are a row of blocks ------------------------------------ */

GENERIC_LOOPS(LEAF, T)

#if ON_VECTORS == NO_LEAF
static void N(reduce)(const void *in, size_t n, void *carry)
{
    T node, *const before = carry;
    unsigned level;
    for (const T *x = in; n > 0; x += (size_t)1 << level, n -= (size_t)1 << level) {
        N(node)(x, level = block_level(n, sizeof(T)), &node);
        *before = LEAF(*before, node);
    }
}
#endif

static void N(scan_any)(const void *in, size_t n, int exclusive, void *carry, void *out)
{
    const T *x = in;
    T node, *y = out, *const before = carry;
    while (n > 0) {
        const unsigned level = block_level(n, sizeof(T));
        const size_t count = (size_t)1 << level;
        N(scan)(x, level, exclusive, before, y, &node);
        *before = LEAF(*before, node);
        if (!exclusive) y[count - 1] = *before;
        x += count, y += count, n -= count;
    }
}

static void N(segscan_any)(const void *in, const uint8_t *heads, size_t n, int exclusive, void *carry, void *out)
{
    static const T none = (T)(IDENTITY);
    const T *x = in;
    T node, *y = out, *const before = carry;
    uint8_t head;
    while (n > 0) {
        const unsigned level = block_level(n, sizeof(T));
        const size_t count = (size_t)1 << level;
        N(segscan)(x, heads, level, exclusive, before, &none, y, &node, &head);
        *before = head ? node : LEAF(*before, node);
        if (!exclusive) y[count - 1] = *before;
        x += count, y += count, heads += count, n -= count;
    }
}

static void N(scan_far)(const void *in, size_t n, int exclusive, void *carry, void *out)
{
    N(scan_any)(in, n, exclusive, carry, out);
}

static void N(segscan_far)(const void *in, const uint8_t *heads, size_t n, int exclusive, void *carry, void *out)
{
    N(segscan_any)(in, heads, n, exclusive, carry, out);
}

#endif

#if ON_VECTORS == ALL_LEAVES /* the generic loops have one */
static void N(zip)(const void *a, const void *b, size_t n, void *out)
{
    enum { LANES_ = sizeof(LANES(opi_vector)) / sizeof(T) };
    const LANES(opi_exact) op = N(on_vectors)();
    const LANES(opi_vector) none = LANES(splat)(0);
    const T *x = a, *y = b;
    T *to = out;
    for (; n >= LANES_; n -= LANES_, x += LANES_, y += LANES_, to += LANES_) {
        const LANES(opi_vector) v = op.unkey(op.join(op.key(LANES(load)(x)), op.key(LANES(load)(y))));
        memcpy(to, &v, sizeof v);
    }
    const LANES(opi_vector) last =
        op.unkey(op.join(op.key(LANES(load_some)(x, n, none)), op.key(LANES(load_some)(y, n, none))));
    memcpy(to, &last, n * sizeof(T));
}
#endif

/* --- short segments ---------------------------------------------------------------------------------------------- */

enum { N(FEW) = 256 };

/* A plain loop for each, in any association, which the compiler optimizes well.  One element alone is itself. */
OPLUS_STRICT_ static size_t N(plain_segments)(const void *in, const uint64_t *offsets, size_t segments,
                                              const void *none, void *out)
{
    for (size_t s = 0; s < segments; s++) {
        const T *const x = (const T *)in + offsets[s];
        const size_t n = (size_t)(offsets[s + 1] - offsets[s]);
        if (n >= N(FEW)) return s;
        T sum = *(n > 0 ? x : (const T *)none);
        for (size_t i = 1; i < n; i++) sum = LEAF(sum, x[i]);
        ((T *)out)[s] = sum;
    }
    return segments;
}

static size_t N(segments_any)(const void *in, const uint64_t *offsets, size_t segments, const void *none, void *out)
{
    size_t done = 0;
#if ON_VECTORS == ALL_LEAVES && LANE_BITS >= 32 && defined(OPI_MASKED_LOADS)
    done = LANES(exact_segments)(N(on_vectors)(), in, offsets, segments, out);
#endif
    return done + N(plain_segments)(in, offsets + done, segments - done, none, (T *)out + done);
}

/* --- bins -------------------------------------------------------------------------------------------------------- */

#ifndef LOGICAL
enum { N(BINS_AHEAD) = 2048 /* bytes: what is next in memory is fetched meanwhile */ };

OPLUS_STRICT_ static void N(by_bin)(const void *in, const uint32_t *bin, size_t n, size_t apart, void *tables)
{
    const T *const x = in;
    T *const table = tables;
    size_t i = 0;
    for (; i + OPI_TABLES <= n; i += OPI_TABLES) {
        __builtin_prefetch((const char *)(bin + i) + N(BINS_AHEAD), 0, 2);
        __builtin_prefetch((const char *)(x + i) + N(BINS_AHEAD), 0, 2);
        for (size_t t = 0; t < OPI_TABLES; t++) {
            T *const to = table + t * apart + bin[i + t];
            *to = LEAF(*to, x[i + t]);
        }
    }
    for (; i < n; i++) table[bin[i]] = LEAF(table[bin[i]], x[i]);
}
#endif

#undef U
#undef N
#undef LOGICAL
#undef UNKEY
#undef KEY
#undef KEY_OF_IDENTITY
#undef JOIN
#undef ON_VECTORS
#undef BODY
#undef IDENTITY
#undef T
#undef LEAF
