/* Vectors of sorted keys: networks (sort_network.h) and quicksort (sort_split.h) are written with them; included once
 * for each width, with KEY_BITS 32 or 64.  Keys compare as unsigned numbers, or, where KEY_BIAS is not 0, as signed
 * ones: whoever brings a key flips the bits KEY_BIAS of it.
 *
 *   V(order)(&a, &b)   a becomes the smaller, b the larger of each lane
 *   V(split_vector)(v, pivot, low, high)
 *                      the keys <= pivot to `low`, the others to `high`, in either case with a whole vector's store;
 *                      returns the number of the others
 *   V(load_some)(from, count, rest), V(store_some)(to, count, v)
 *                      `count` keys, 0 to all; a load takes the other lanes from `rest`, a store leaves them out */

#define V__(name, bits) name##_##bits
#define V_(name, bits)  V__(name, bits)
#define V(name)         V_(name, KEY_BITS)

#undef LANES
#undef KEY_BIAS
#define KEY    V(key)
#define VECTOR V(vector)
#if KEY_BITS == 32
typedef uint32_t V(vector) __attribute__((vector_size(OPI_VECTOR)));
typedef int32_t V(signed) __attribute__((vector_size(OPI_VECTOR)));
typedef uint32_t V(key) __attribute__((may_alias, aligned(1))); /* the caller's array has another type */
#define LANES    OPI_LANES_32
#define KEY_BIAS 0
#else
typedef uint64_t V(vector) __attribute__((vector_size(OPI_VECTOR)));
typedef int64_t V(signed) __attribute__((vector_size(OPI_VECTOR)));
typedef uint64_t V(key) __attribute__((may_alias, aligned(1)));
#define LANES OPI_LANES_64
#if defined(__AVX512F__)
#define KEY_BIAS 0
#else
#define KEY_BIAS ((uint64_t)1 << 63) /* AVX2 compares no unsigned numbers of 64 bits */
#endif
#endif

OPI_INLINE VECTOR V(load)(const KEY *from)
{
    VECTOR v;
    memcpy(&v, from, sizeof v);
    return v;
}

OPI_INLINE void V(store)(KEY *to, VECTOR v) { memcpy(to, &v, sizeof v); }

OPI_INLINE VECTOR V(all)(KEY key) { return (VECTOR){0} + key; }

/* --- AVX-512: masks, and compression in registers (to memory it is microcode on some processors) ------------------ */

#if defined(__AVX512F__)
#if KEY_BITS == 32
#define MASK           __mmask16
#define SIGNED(name)   _mm512_##name##_epi32
#define UNSIGNED(name) _mm512_##name##_epu32
#define GREATER        _mm512_cmpgt_epu32_mask
#else
#define MASK           __mmask8
#define SIGNED(name)   _mm512_##name##_epi64
#define UNSIGNED(name) _mm512_##name##_epu64
#define GREATER        _mm512_cmpgt_epu64_mask
#endif

OPI_INLINE void V(order)(VECTOR *a, VECTOR *b)
{
    const __m512i x = (__m512i)*a, y = (__m512i)*b;
    *a = (VECTOR)UNSIGNED(min)(x, y);
    *b = (VECTOR)UNSIGNED(max)(x, y);
}

OPI_INLINE size_t V(split_vector)(VECTOR v, VECTOR pivot, KEY *low, KEY *high)
{
    const MASK greater = GREATER((__m512i)v, (__m512i)pivot);
    V(store)(low, (VECTOR)SIGNED(maskz_compress)((MASK)~greater, (__m512i)v));
    V(store)(high, (VECTOR)SIGNED(maskz_compress)(greater, (__m512i)v));
    return (size_t)__builtin_popcount(greater);
}

OPI_INLINE VECTOR V(load_some)(const KEY *from, size_t count, VECTOR rest)
{
    return (VECTOR)SIGNED(mask_loadu)((__m512i)rest, (MASK)((1u << count) - 1), from);
}

OPI_INLINE void V(store_some)(KEY *to, size_t count, VECTOR v)
{
    SIGNED(mask_storeu)(to, (MASK)((1u << count) - 1), (__m512i)v);
}

OPI_INLINE bool V(is_zero)(VECTOR v) { return _mm512_test_epi64_mask((__m512i)v, (__m512i)v) == 0; }

#undef MASK
#undef SIGNED
#undef UNSIGNED
#undef GREATER

/* --- AVX2: permutations from tables ------------------------------------------------------------------------------- */

#elif KEY_BITS == 32

OPI_INLINE void V(order)(VECTOR *a, VECTOR *b)
{
    const __m256i x = (__m256i)*a, y = (__m256i)*b;
    *a = (VECTOR)_mm256_min_epu32(x, y);
    *b = (VECTOR)_mm256_max_epu32(x, y);
}

OPI_INLINE size_t V(split_vector)(VECTOR v, VECTOR pivot, KEY *low, KEY *high)
{
    const __m256i x = (__m256i)v, not_greater = _mm256_cmpeq_epi32(_mm256_min_epu32(x, (__m256i)pivot), x);
    const unsigned kept = (unsigned)_mm256_movemask_ps((__m256)not_greater), others = kept ^ 0xff;
    V(store)(low, (VECTOR)_mm256_permutevar8x32_epi32(x, _mm256_cvtepu8_epi32(positions(kept))));
    V(store)(high, (VECTOR)_mm256_permutevar8x32_epi32(x, _mm256_cvtepu8_epi32(positions(others))));
    return (size_t)__builtin_popcount(others);
}

OPI_INLINE __m256i V(first)(size_t count)
{
    return _mm256_cmpgt_epi32(_mm256_set1_epi32((int)count), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

OPI_INLINE VECTOR V(load_some)(const KEY *from, size_t count, VECTOR rest)
{
    const __m256i first = V(first)(count), some = _mm256_maskload_epi32((const int *)from, first);
    return (VECTOR)_mm256_blendv_epi8((__m256i)rest, some, first);
}

OPI_INLINE void V(store_some)(KEY *to, size_t count, VECTOR v)
{
    _mm256_maskstore_epi32((int *)to, V(first)(count), (__m256i)v);
}

#else

OPI_INLINE void V(order)(VECTOR *a, VECTOR *b)
{
    const __m256i x = (__m256i)*a, y = (__m256i)*b, greater = _mm256_cmpgt_epi64(x, y);
    *a = (VECTOR)_mm256_blendv_epi8(x, y, greater);
    *b = (VECTOR)_mm256_blendv_epi8(y, x, greater);
}

OPI_INLINE size_t V(split_vector)(VECTOR v, VECTOR pivot, KEY *low, KEY *high)
{
    const __m256i x = (__m256i)v, greater = _mm256_cmpgt_epi64(x, (__m256i)pivot);
    const unsigned others = (unsigned)_mm256_movemask_pd((__m256d)greater), kept = others ^ 0xf;
    V(store)(low, (VECTOR)_mm256_permutevar8x32_epi32(x, _mm256_cvtepu8_epi32(lanes(kept))));
    V(store)(high, (VECTOR)_mm256_permutevar8x32_epi32(x, _mm256_cvtepu8_epi32(lanes(others))));
    return (size_t)__builtin_popcount(others);
}

OPI_INLINE __m256i V(first)(size_t count)
{
    return _mm256_cmpgt_epi64(_mm256_set1_epi64x((long long)count), _mm256_setr_epi64x(0, 1, 2, 3));
}

OPI_INLINE VECTOR V(load_some)(const KEY *from, size_t count, VECTOR rest)
{
    const __m256i first = V(first)(count), some = _mm256_maskload_epi64((const long long *)from, first);
    return (VECTOR)_mm256_blendv_epi8((__m256i)rest, some, first);
}

OPI_INLINE void V(store_some)(KEY *to, size_t count, VECTOR v)
{
    _mm256_maskstore_epi64((long long *)to, V(first)(count), (__m256i)v);
}

#endif

#if !defined(__AVX512F__)
OPI_INLINE bool V(is_zero)(VECTOR v) { return _mm256_testz_si256((__m256i)v, (__m256i)v); }
#endif

/* The raw bits of sorted keys, as the caller has them. */
typedef struct V(coding) {
    KEY float_mask, flip; /* see opi_sort; with KEY_BIAS */
} V(coding);

OPI_INLINE bool V(greater)(KEY a, KEY b) { return (a ^ KEY_BIAS) > (b ^ KEY_BIAS); }

OPI_INLINE KEY V(raw)(V(coding) coding, KEY key)
{
    key ^= coding.flip;
    return key ^ (key >> (KEY_BITS - 1) ? coding.float_mask : 0);
}

OPI_INLINE VECTOR V(raw_vector)(V(coding) coding, VECTOR v)
{
    v ^= coding.flip;
    return v ^ ((VECTOR)((V(signed))v < 0) & coding.float_mask);
}

OPI_INLINE VECTOR V(keys_of)(V(coding) coding, VECTOR raw)
{
    return raw ^ ((VECTOR)((V(signed))raw < 0) & coding.float_mask) ^ coding.flip;
}
