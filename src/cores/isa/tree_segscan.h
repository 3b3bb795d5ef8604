/* Segmented scan of a block, for an operator that rounds: a part of tree.h.
 *
 * It is the scan of the lifted operator.  Each value has a flag, which says whether a head lies in the elements that
 * the value is made of; a flag is a lane in a vector of its own, all ones or 0. */

typedef uint8_t N(heads) __attribute__((vector_size(W)));

/* --- heads as flags ----------------------------------------------------------------------------------------------- */

OPI_INLINE M N(load_flags)(const N(flag) * flags)
{
    M m;
    memcpy(&m, flags, sizeof m);
    return m;
}

OPI_INLINE M N(load_heads)(const uint8_t *heads)
{
#ifdef OPI_WIDEN_8
    return (M)((M)OPI_PASTE(OPI_WIDEN, LANE_BITS)(heads) != 0);
#else
    N(heads) h;
    memcpy(&h, heads, sizeof h);
    return (M)(__builtin_convertvector(h, M) != 0);
#endif
}

/* --- a tile up and down ------------------------------------------------------------------------------------------- */

/* As tile_up; f: the flags of the vectors, destroyed too.  *flags becomes whether a head lies in each vector. */
OPI_INLINE V N(tile_up_heads)(V x[W], M f[W], V *left, M *left_flag, M *flags)
{
    int k = 0;
#define LEVEL(h, LEFT, RIGHT)                                                                                          \
    for (int j = 0; j < W / (2 * h); j++) {                                                                            \
        const V a = OPI_SHUFFLE(W, x[2 * j], x[2 * j + 1], LEFT, h);                                                   \
        const V b = OPI_SHUFFLE(W, x[2 * j], x[2 * j + 1], RIGHT, h);                                                  \
        const M p = OPI_SHUFFLE(W, f[2 * j], f[2 * j + 1], LEFT, h);                                                   \
        const M q = OPI_SHUFFLE(W, f[2 * j], f[2 * j + 1], RIGHT, h);                                                  \
        left[k] = a;                                                                                                   \
        left_flag[k++] = p;                                                                                            \
        x[j] = N(choose)(q, b, JOIN(a, b));                                                                            \
        f[j] = p | q;                                                                                                  \
    }
    OPI_PASTE(OPI_LEVELS_UP, LANE_BITS)
    (LEVEL)
#undef LEVEL
        *flags = f[0];
    return x[0];
}

OPI_INLINE void N(tile_down_heads)(V x[W], const V *left, const M *left_flag)
{
    int k = W - 1;
#define LEVEL(h, FIRST, SECOND)                                                                                        \
    for (int j = W / (2 * h); j-- > 0;) {                                                                              \
        k--;                                                                                                           \
        const V c = x[j], d = N(choose)(left_flag[k], left[k], JOIN(c, left[k]));                                      \
        x[2 * j] = OPI_SHUFFLE(W, c, d, FIRST, h);                                                                     \
        x[2 * j + 1] = OPI_SHUFFLE(W, c, d, SECOND, h);                                                                \
    }
    OPI_PASTE(OPI_LEVELS_DOWN, LANE_BITS)(LEVEL)
#undef LEVEL
}

/* --- a single vector ---------------------------------------------------------------------------------------------- */

/* f: the flags of the lanes; becomes those of the nodes that end in them. */
OPI_INLINE V N(vector_up_heads)(V y, M *f)
{
#define STEP(h)                                                                                                        \
    if (h < W) {                                                                                                       \
        const V joined = N(choose)(*f, y, JOIN(OPI_SHUFFLE(W, y, y, BEFORE_UP, h), y));                                \
        y = OPI_SHUFFLE(W, y, joined, CHOOSE_UP, h);                                                                   \
        *f |= OPI_SHUFFLE(W, *f, *f, BEFORE_UP, h);                                                                    \
    }
    STEP(1);
    STEP(2);
    STEP(4);
    STEP(8);
#undef STEP
    return y;
}

OPI_INLINE V N(vector_down_heads)(V c, V y, M f)
{
#define STEP(h)                                                                                                        \
    if (h < W) {                                                                                                       \
        const V node = OPI_SHUFFLE(W, y, y, BEFORE_DOWN, h);                                                           \
        const M head = OPI_SHUFFLE(W, f, f, BEFORE_DOWN, h);                                                           \
        c = OPI_SHUFFLE(W, c, N(choose)(head, node, JOIN(c, node)), CHOOSE_DOWN, h);                                   \
    }
    STEP(8);
    STEP(4);
    STEP(2);
    STEP(1);
#undef STEP
    return c;
}

/* --- blocks ------------------------------------------------------------------------------------------------------- */

/* Heads are bytes in memory, and flags as wide as a lane in the spine. */
OPI_INLINE M N(heads_at)(const void *heads, N(kind) kind, size_t i)
{
    return kind == N(SPINE) ? N(load_flags)((const N(flag) *)heads + i) : N(load_heads)((const uint8_t *)heads + i);
}

OPI_INLINE void N(put_heads)(T *out, size_t v, V c, V next, const void *heads, N(kind) kind, V identity)
{
    N(put_vector)
    (out, v, kind == N(EXCLUSIVE) ? N(choose)(N(heads_at)(heads, kind, v * W), identity, c) : c, next, kind);
}

OPI_INLINE void N(segscan_vectors)(const T *in, const void *heads, size_t vectors, N(kind) kind, T before, V identity,
                                   T *out, T *node, uint8_t *head)
{
    V y[W];
    M f[W];
    T last[W], c[W + 1];
    N(flag) flag[W];
    for (size_t j = 0; j < vectors; j++) {
        f[j] = N(heads_at)(heads, kind, j * W);
        y[j] = N(vector_up_heads)(N(load)(in + j * W), &f[j]);
        last[j] = y[j][W - 1];
        flag[j] = f[j][W - 1];
    }
    for (size_t h = 1; h < vectors; h *= 2)
        for (size_t i = 2 * h - 1; i < vectors; i += 2 * h) {
            last[i] = flag[i] ? last[i] : JOIN(last[i - h], last[i]);
            flag[i] |= flag[i - h];
        }
    *node = last[vectors - 1];
    *head = flag[vectors - 1] != 0;
    c[0] = before;
    for (size_t i = 1; i < vectors; i++) c[i] = flag[i - 1] ? last[i - 1] : JOIN(c[i & (i - 1)], last[i - 1]);
    c[vectors] = before;
    for (size_t j = 0; j < vectors; j++) {
        const V down = N(vector_down_heads)(N(splat)(c[j]), y[j], f[j]);
        N(put_heads)(out, j, down, N(splat)(c[j + 1]), heads, kind, identity);
    }
}

static void N(segscan_tiles)(const T *in, const void *heads, size_t n, N(kind) kind, T before, V identity, T *out,
                             T *node, uint8_t *head)
{
    const size_t tiles = n / (W * W);
    V left[((size_t)1 << LEVELS) / W];
    M left_flag[((size_t)1 << LEVELS) / W];
    T spine[((size_t)1 << LEVELS) / W + W];
    N(flag) flags[((size_t)1 << LEVELS) / W];
    if (tiles == 0) {
        N(segscan_vectors)(in, heads, n / W, kind, before, identity, out, node, head);
        return;
    }
    for (size_t t = 0; t < tiles; t++) {
        V x[W];
        M f[W], flag;
        for (int j = 0; j < W; j++) {
            x[j] = N(load)(in + (t * W + j) * W);
            f[j] = N(heads_at)(heads, kind, (t * W + j) * W);
        }
        N(store)(spine + t * W, N(tile_up_heads)(x, f, left + t * (W - 1), left_flag + t * (W - 1), &flag));
        memcpy(flags + t * W, &flag, sizeof flag);
    }
    N(segscan_tiles)(spine, flags, n / W, N(SPINE), before, identity, spine, node, head);
    spine[n / W] = before;
    for (size_t t = 0; t < tiles; t++) {
        V x[W + 1];
        x[0] = N(load)(spine + t * W);
        x[W] = N(splat)(spine[(t + 1) * W]);
        N(tile_down_heads)(x, left + t * (W - 1), left_flag + t * (W - 1));
        for (int j = 0; j < W; j++) N(put_heads)(out, t * W + (size_t)j, x[j], x[j + 1], heads, kind, identity);
    }
}

static void N(segscan_fast)(const void *in, const uint8_t *heads, unsigned level, int exclusive, const void *before,
                            const void *identity, void *out, void *node, uint8_t *head)
{
    const size_t n = (size_t)1 << level;
    const N(kind) kind = exclusive ? N(EXCLUSIVE) : N(INCLUSIVE);
    const V none = N(splat)(exclusive ? *(const T *)identity : 0);
    if (n < W)
        N(segscan)(in, heads, level, exclusive, before, identity, out, node, head);
    else
        N(segscan_tiles)(in, heads, n, kind, *(const T *)before, none, out, node, head);
}
