/* Sorting networks: up to 16 vectors of keys, in registers; included once for each width, after sort_lanes.h.
 *
 * Keys stand in rows, one a vector.  A network of vectors sorts all columns at once; then neighbouring columns are
 * merged, 2, 4, 8, ... of them, by Batcher's bitonic merge: the first step compares each key with its mirror image in
 * the other half, which needs keys of other lanes, then keys of ever closer columns are compared, and of ever closer
 * rows.  In the end rows and columns are exchanged. */

/* --- all columns: the smallest networks that are known ------------------------------------------------------------ */

#define COLUMNS_1(c)
#define COLUMNS_2(c) c(0, 1)
#define COLUMNS_4(c) c(0, 1) c(2, 3) c(0, 2) c(1, 3) c(1, 2)
#define COLUMNS_8(c)                                                                                                   \
    c(0, 2) c(1, 3) c(4, 6) c(5, 7) c(0, 4) c(1, 5) c(2, 6) c(3, 7) c(0, 1) c(2, 3) c(4, 5) c(6, 7) c(2, 4) c(3, 5)    \
        c(1, 4) c(3, 6) c(1, 2) c(3, 4) c(5, 6)
#define COLUMNS_16(c)                                                                                                  \
    c(0, 5) c(1, 4) c(2, 12) c(3, 13) c(6, 7) c(8, 9) c(10, 15) c(11, 14) c(0, 2) c(1, 10) c(3, 6) c(4, 7) c(5, 14)    \
        c(8, 11) c(9, 12) c(13, 15) c(0, 8) c(1, 3) c(2, 11) c(4, 13) c(5, 9) c(6, 10) c(7, 15) c(12, 14) c(0, 1)      \
            c(2, 4) c(3, 8) c(5, 6) c(7, 12) c(9, 10) c(11, 13) c(14, 15) c(1, 3) c(2, 5) c(4, 8) c(6, 9) c(7, 11)     \
                c(10, 13) c(12, 14) c(1, 2) c(3, 5) c(4, 11) c(6, 8) c(7, 9) c(10, 12) c(13, 14) c(2, 3) c(4, 5)       \
                    c(6, 7) c(8, 9) c(10, 11) c(12, 13) c(4, 6) c(5, 7) c(8, 10) c(9, 11) c(3, 4) c(5, 6) c(7, 8)      \
                        c(9, 10) c(11, 12)

/* --- which rows --------------------------------------------------------------------------------------------------- */

#define EACH_1(f, ...) f(0, __VA_ARGS__)
#define EACH_2(f, ...) EACH_1(f, __VA_ARGS__) f(1, __VA_ARGS__)
#define EACH_4(f, ...) EACH_2(f, __VA_ARGS__) f(2, __VA_ARGS__) f(3, __VA_ARGS__)
#define EACH_8(f, ...) EACH_4(f, __VA_ARGS__) f(4, __VA_ARGS__) f(5, __VA_ARGS__) f(6, __VA_ARGS__) f(7, __VA_ARGS__)
#define EACH_16(f, ...)                                                                                                \
    EACH_8(f, __VA_ARGS__)                                                                                             \
    f(8, __VA_ARGS__) f(9, __VA_ARGS__) f(10, __VA_ARGS__) f(11, __VA_ARGS__) f(12, __VA_ARGS__) f(13, __VA_ARGS__)    \
        f(14, __VA_ARGS__) f(15, __VA_ARGS__)

#define HALVES_1(c, i)
#define HALVES_2(c, i) c(i, i + 1)
#define HALVES_4(c, i) c(i, i + 2) c(i + 1, i + 3) HALVES_2(c, i) HALVES_2(c, i + 2)
#define HALVES_8(c, i) c(i, i + 4) c(i + 1, i + 5) c(i + 2, i + 6) c(i + 3, i + 7) HALVES_4(c, i) HALVES_4(c, i + 4)
#define HALVES_16(c, i)                                                                                                \
    c(i, i + 8) c(i + 1, i + 9) c(i + 2, i + 10) c(i + 3, i + 11) c(i + 4, i + 12) c(i + 5, i + 13) c(i + 6, i + 14)   \
        c(i + 7, i + 15) HALVES_8(c, i) HALVES_8(c, i + 8)

/* --- lanes -------------------------------------------------------------------------------------------------------- */

#define XORED(W, d, l)    ((l) ^ (d))
#define UPPER(W, top, l)  ((l) & (top) ? (W) + (l) : (l))
#define ZIP_LOW(W, h, l)  ((l) / 2 + ((l)&1 ? (W) : 0))
#define ZIP_HIGH(W, h, l) ((W) / 2 + (l) / 2 + ((l)&1 ? (W) : 0))
#define SWAPPED(v, d)     OPI_SHUFFLE(LANES, v, v, XORED, d)
/* Lanes of `high` where their number has the bit `top`, else those of `low`. */
#define PICKED(low, high, top) OPI_SHUFFLE(LANES, low, high, UPPER, top)

#define ORDER(i, j) V(order)(&v[i], &v[j]);
/* Orders lane l and lane l ^ d of the same row; the larger goes to the lane that has the bit `top`, the highest of
 * d. */
#define EXCHANGE(i, d, top)                                                                                            \
    {                                                                                                                  \
        VECTOR low = v[i], high = SWAPPED(v[i], d);                                                                    \
        V(order)(&low, &high);                                                                                         \
        v[i] = PICKED(low, high, top);                                                                                 \
    }
/* Orders lane l of row i and lane l ^ d of row j. */
#define MIRROR(i, j, d, top)                                                                                           \
    {                                                                                                                  \
        VECTOR low = v[i], high = SWAPPED(v[j], d), turned;                                                            \
        V(order)(&low, &high);                                                                                         \
        v[i] = PICKED(low, high, top);                                                                                 \
        turned = PICKED(high, low, top);                                                                               \
        v[j] = SWAPPED(turned, d);                                                                                     \
    }
#define MIRROR_IN(rows, i, d, top)  MIRROR(i, (rows)-1 - (i), d, top)
#define MIRROR_ROW(i, rows, d, top) MIRROR_IN(rows, i, d, top)
#define MIRRORS_1(d, top)           EXCHANGE(0, d, top)
#define MIRRORS_2(d, top)           EACH_1(MIRROR_ROW, 2, d, top)
#define MIRRORS_4(d, top)           EACH_2(MIRROR_ROW, 4, d, top)
#define MIRRORS_8(d, top)           EACH_4(MIRROR_ROW, 8, d, top)
#define MIRRORS_16(d, top)          EACH_8(MIRROR_ROW, 16, d, top)

/* Merges each `width` columns with the next ones. */
#define MERGE_1(rows) MIRRORS_##rows(1, 1) HALVES_##rows(ORDER, 0)
#define MERGE_2(rows) MIRRORS_##rows(3, 2) EACH_##rows(EXCHANGE, 1, 1) HALVES_##rows(ORDER, 0)
#define MERGE_4(rows)                                                                                                  \
    MIRRORS_##rows(7, 4) EACH_##rows(EXCHANGE, 2, 2) EACH_##rows(EXCHANGE, 1, 1) HALVES_##rows(ORDER, 0)
#define MERGE_8(rows)                                                                                                  \
    MIRRORS_##rows(15, 8) EACH_##rows(EXCHANGE, 4, 4) EACH_##rows(EXCHANGE, 2, 2) EACH_##rows(EXCHANGE, 1, 1)          \
        HALVES_##rows(ORDER, 0)

#define MERGES_4(rows)        MERGE_1(rows) MERGE_2(rows)
#define MERGES_8(rows)        MERGES_4(rows) MERGE_4(rows)
#define MERGES_16(rows)       MERGES_8(rows) MERGE_8(rows)
#define MERGES_(lanes, rows)  MERGES_##lanes(rows)
#define MERGES__(lanes, rows) MERGES_(lanes, rows)
#define MERGES(rows)          MERGES__(LANES, rows)

/* Interleaves the two halves of the rows, which rotates the number of a key's place by a bit.  Repeated log2(rows)
 * times, this exchanges rows and columns. */
#define ZIP(i, half)                                                                                                   \
    t[2 * (i)] = OPI_SHUFFLE(LANES, v[i], v[(i) + (half)], ZIP_LOW, 0);                                                \
    t[2 * (i) + 1] = OPI_SHUFFLE(LANES, v[i], v[(i) + (half)], ZIP_HIGH, 0);
#define BACK(i, unused) v[i] = t[i];
#define ZIPPED_2()      EACH_1(ZIP, 1) EACH_2(BACK, 0)
#define ZIPPED_4()      EACH_2(ZIP, 2) EACH_4(BACK, 0)
#define ZIPPED_8()      EACH_4(ZIP, 4) EACH_8(BACK, 0)
#define ZIPPED_16()     EACH_8(ZIP, 8) EACH_16(BACK, 0)
#define TURN_1()
#define TURN_2()  ZIPPED_2()
#define TURN_4()  ZIPPED_4() ZIPPED_4()
#define TURN_8()  ZIPPED_8() ZIPPED_8() ZIPPED_8()
#define TURN_16() ZIPPED_16() ZIPPED_16() ZIPPED_16() ZIPPED_16()

/* --- a network of each size --------------------------------------------------------------------------------------- */

/* The keys fill more than half of the rows, or there is one row. */
#define LOAD_ROW(i, rows)                                                                                              \
    v[i] = (i) < (rows) / 2                 ? V(load)(from + (i)*LANES)                                                \
           : n >= ((size_t)(i) + 1) * LANES ? V(load)(from + (i)*LANES)                                                \
           : n > (size_t)(i)*LANES          ? V(load_some)(from + (i)*LANES, n - (i)*LANES, last)                      \
                                            : last;
#define STORE_ROW(i, rows)                                                                                             \
    if ((i) >= (rows) / 2 && n < ((size_t)(i) + 1) * LANES) {                                                          \
        if (n > (size_t)(i)*LANES) V(store_some)(to + (i)*LANES, n - (i)*LANES, V(raw_vector)(coding, v[i]));          \
        return;                                                                                                        \
    }                                                                                                                  \
    V(store)(to + (i)*LANES, V(raw_vector)(coding, v[i]));

#define NETWORK(rows)                                                                                                  \
    static __attribute__((noinline)) void V(network_##rows)(const KEY *from, size_t n, KEY *to, V(coding) coding)      \
    {                                                                                                                  \
        const VECTOR last = V(all)((KEY)-1 ^ KEY_BIAS);                                                                \
        VECTOR v[rows], t[rows];                                                                                       \
        (void)t;                                                                                                       \
        EACH_##rows(LOAD_ROW, rows) COLUMNS_##rows(ORDER) MERGES(rows) TURN_##rows() EACH_##rows(STORE_ROW, rows)      \
    }
NETWORK(1)
NETWORK(2)
NETWORK(4)
NETWORK(8)
NETWORK(16)

enum { V(NETWORK_MAX) = 16 * LANES };

/* Sorts n <= NETWORK_MAX keys from anywhere to the caller's memory, as he has them; from == to is allowed. */
static void V(sort_few)(const KEY *from, size_t n, KEY *to, V(coding) coding)
{
    if (n <= LANES)
        V(network_1)(from, n, to, coding);
    else if (n <= 2 * LANES)
        V(network_2)(from, n, to, coding);
    else if (n <= 4 * LANES)
        V(network_4)(from, n, to, coding);
    else if (n <= 8 * LANES)
        V(network_8)(from, n, to, coding);
    else
        V(network_16)(from, n, to, coding);
}
