/* Two sorted runs become one.  Included by merge_keys.h, which says what T and V are.
 *
 * The runs are merged from both ends at once: each step of one waits for the one before it, so two of them share the
 * time.  What remains of the runs lies between a and x, and between b and y; while both hold two elements, the least
 * and the greatest of what remains are not the same. */
#ifdef V
#define MERGE(name) KEY_PASTE(KEY_PASTE(name, T), V)
#define BYTES       sizeof(V)
#else
#define MERGE(name) KEY_PASTE(KEY_PASTE(name, T), alone)
#define BYTES       0
#endif

/* Copies what goes along with key i of the result: from place f in `first` or, if `second`, from place s in `other`.
 * Without a branch: a processor cannot predict which run is next. */
static inline void MERGE(pick)(unsigned char *to, size_t i, const unsigned char *first, size_t f,
                               const unsigned char *other, size_t s, size_t second)
{
#ifdef V
    V x, y;
    memcpy(&x, first + f * sizeof x, sizeof x);
    memcpy(&y, other + s * sizeof y, sizeof y);
    x ^= (x ^ y) & (V)(0 - (V)second);
    memcpy(to + i * sizeof x, &x, sizeof x);
#else
    (void)to, (void)i, (void)first, (void)f, (void)other, (void)s, (void)second;
#endif
}

/* `is_integer` is a constant where this is called, and so is the function that maps keys. */
OPLUS_INLINE_ void MERGE(merge_as)(bool is_integer, const opi_key_order *order, run earlier, run later, place to)
{
    const opi_key_order by = *order;
    T (*const mapped)(const opi_key_order *, T) = is_integer ? K(mapped_integer) : K(mapped);
    const unsigned char *const A = earlier.keys, *const B = later.keys;
    const unsigned char *const P = earlier.payload, *const Q = later.payload;
    unsigned char *OPLUS_RESTRICT_ const out = to.keys, *OPLUS_RESTRICT_ const carried = to.payload;
    size_t a = 0, b = 0, x = earlier.n, y = later.n;
    for (size_t steps; (steps = (x - a < y - b ? x - a : y - b) / 2) > 0;)
        for (; steps > 0; steps--) {
            const T first_a = K(load)(A, a), first_b = K(load)(B, b);
            const size_t from_b = mapped(&by, first_b) < mapped(&by, first_a);
            K(store)(out, a + b, (T)(first_a ^ ((first_a ^ first_b) & (T)(0 - (T)from_b))));
            MERGE(pick)(carried, a + b, P, a, Q, b, from_b);
            a += 1 - from_b;
            b += from_b;
            const T last_a = K(load)(A, x - 1), last_b = K(load)(B, y - 1);
            const size_t from_a = mapped(&by, last_b) < mapped(&by, last_a);
            K(store)(out, x + y - 1, (T)(last_b ^ ((last_a ^ last_b) & (T)(0 - (T)from_a))));
            MERGE(pick)(carried, x + y - 1, Q, y - 1, P, x - 1, from_a);
            x -= from_a;
            y -= 1 - from_a;
        }
    while (a < x && b < y) { /* one of them is a single element: a branch is predictable */
        const T first_a = K(load)(A, a), first_b = K(load)(B, b);
        const bool from_b = mapped(&by, first_b) < mapped(&by, first_a);
        K(store)(out, a + b, from_b ? first_b : first_a);
        MERGE(pick)(carried, a + b, P, a, Q, b, from_b);
        a += !from_b;
        b += from_b;
    }
    memcpy(out + (a + b) * sizeof(T), A + a * sizeof(T), (x - a) * sizeof(T));
    memcpy(out + (x + b) * sizeof(T), B + b * sizeof(T), (y - b) * sizeof(T));
    if (BYTES > 0) {
        memcpy(carried + (a + b) * BYTES, P + a * BYTES, (x - a) * BYTES);
        memcpy(carried + (x + b) * BYTES, Q + b * BYTES, (y - b) * BYTES);
    }
}

static void MERGE(merge)(const opi_key_order *order, run earlier, run later, place to)
{
    if (order->float_mask)
        MERGE(merge_as)(false, order, earlier, later, to);
    else
        MERGE(merge_as)(true, order, earlier, later, to);
}

#undef MERGE
#undef BYTES
