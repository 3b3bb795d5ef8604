/* Map: out[i] = fn(a[i], b[i], ..., parameter).
 *
 * There are OPI_INPUTS input arrays; OPI_PARAMETER is 1 if there is a parameter; OPI_INDEXED is 1 if the function has the
 * index i of its elements, behind the parameter.  OPI_MOVED elements of each array are
 * moved at once: as many elements of the largest type as 16 bytes hold; 1 if the size of a type does not divide 16.  There
 * is one work-group more than whole tiles, because the first tile may begin before the arrays.  OPI_DEALT: the tiles are
 * dealt out to several accelerators (gpu/deal.h). */

#define OPI_E    (1u << OPI_LOG_E)
#define OPI_W    (1u << OPI_LOG_W)
#define OPI_TILE (1u << OPI_LOG_TILE)

/* What is between inputs and what follows them; a function of the index alone has no inputs, and a parameter. */
#if OPI_INPUTS
#define OPI_BEHIND_INPUTS ,
#else
#define OPI_BEHIND_INPUTS
#endif
#if OPI_PARAMETER
#define OPI_READ_PARAMETER const opi_p parameter = *OPI_AT(const opi_p, param);
#define OPI_PASS_PARAMETER OPI_BEHIND_INPUTS parameter
#else
#define OPI_READ_PARAMETER
#define OPI_PASS_PARAMETER
#endif

#if OPI_INDEXED
#define OPI_INDEX_PARAM   , const uint64_t index
#define OPI_PASS_INDEX(i) , index + first + (i)
#else
#define OPI_INDEX_PARAM
#define OPI_PASS_INDEX(i)
#endif

#define OPI_DECLARE(k)  OPI_PARAM(in_##k),
#define OPI_POINT(k)    OPI_GLOBAL const opi_##k *const k = OPI_AT(const opi_##k, in_##k) + first;
#define OPI_ELEMENT(k)  k[i]
#define OPI_NEXT(k)     , k[i]

#if OPI_MOVED > 1
#define OPI_RUN         (OPI_E / OPI_MOVED) /* moves of one work-item */

/* What is moved at once.  A pack of the output is aligned, because the first tile begins before the output if it has to.
 * Then an input may be beyond a multiple of the size of its pack, by `skew` bytes: it is loaded as words of 4 bytes, and
 * each word is made of two, if the skew asks for it.  The first and the last word may have bytes of other elements: the
 * tile must not be the first or the last one then. */
#define OPI_PACK(T)                                                                                                    \
    typedef struct __attribute__((aligned(OPI_MOVED * sizeof(T)))) T##_pack {                                          \
        T x[OPI_MOVED];                                                                                                \
    } T##_pack;                                                                                                        \
    typedef union T##_words {                                                                                          \
        T##_pack pack;                                                                                                 \
        uint32_t word[(sizeof(T##_pack) + 3) / 4];                                                                     \
    } T##_words;
#define OPI_PACK_INPUT(k)                                                                                              \
    OPI_PACK(opi_##k)                                                                                                  \
    OPI_FUNCTION opi_##k##_pack opi_load_##k(OPI_GLOBAL const opi_##k *from, uint32_t skew)                            \
    {                                                                                                                  \
        const uint32_t by = 8 * (skew & 3), words = sizeof(opi_##k##_pack) / 4;                                        \
        OPI_GLOBAL const uint32_t *const word = (OPI_GLOBAL const uint32_t *)((ulong)from & ~(ulong)3);                \
        opi_##k##_words x;                                                                                             \
        if (skew == 0) return *(OPI_GLOBAL const opi_##k##_pack *)from;                                                \
        if (words == 0) { /* less than a word */                                                                       \
            _Pragma("unroll") for (uint32_t i = 0; i < OPI_MOVED; i++) x.pack.x[i] = from[i];                          \
            return x.pack;                                                                                             \
        }                                                                                                              \
        _Pragma("unroll") for (uint32_t i = 0; i < words; i++) x.word[i] = word[i];                                    \
        if (by == 0) return x.pack;                                                                                    \
        const uint32_t last = word[words];                                                                             \
        _Pragma("unroll") for (uint32_t i = 0; i < words; i++)                                                         \
            x.word[i] = x.word[i] >> by | (i + 1 < words ? x.word[i + 1] : last) << (32 - by);                         \
        return x.pack;                                                                                                 \
    }
#define OPI_ALL_ZERO(k)     &&skew_##k == 0
#define OPI_SKEW(k)         const uint32_t skew_##k = (uint32_t)((ulong)k % sizeof(opi_##k##_pack));
#define OPI_LOAD(k)                                                                                                    \
    opi_##k##_pack pack_##k[OPI_RUN];                                                                                  \
    _Pragma("unroll") for (uint32_t j = 0; j < OPI_RUN; j++)                                                           \
        pack_##k[j] = opi_load_##k(k + (((j << OPI_LOG_W) + OPI_SELF) * OPI_MOVED), skew_##k);
#define OPI_OF_PACK(k)      pack_##k[j].x[i]
#define OPI_NEXT_OF_PACK(k) , pack_##k[j].x[i]
#define OPI_OTHERS          4 /* at least so many elements are before a tile and behind it, if one has a skew */
OPI_EACH(OPI_PACK_INPUT)
OPI_PACK(opi_result)
#endif

OPI_KERNEL void opi_apply(OPI_EACH(OPI_DECLARE) OPI_PARAM(out), const uint64_t n,
                          OPI_PARAM(param) OPI_INDEX_PARAM OPI_DEALT_PARAM)
{
    OPI_AFTER_LAUNCHES();
#if OPI_MOVED > 1
    const uint64_t back = (ulong)OPI_AT(opi_result, out) % sizeof(opi_result_pack) / sizeof(opi_result);
#else
    const uint64_t back = 0;
#endif
    const uint64_t place = OPI_DEALT_ITEM(OPI_GROUP) * OPI_TILE, first = place > back ? place - back : 0;
    const uint64_t left = first < n ? n - first : 0, whole = place + OPI_TILE - back - first;
    const uint32_t count = (uint32_t)(left < whole ? left : whole);
    OPI_GLOBAL opi_result *const to = OPI_AT(opi_result, out) + first;
    OPI_EACH(OPI_POINT)
    OPI_READ_PARAMETER
#if OPI_MOVED > 1
    OPI_EACH(OPI_SKEW)
    const bool has_others = first >= OPI_OTHERS && left >= OPI_TILE + OPI_OTHERS;
    if (count == OPI_TILE && (ulong)to % sizeof(opi_result_pack) == 0 &&
        (has_others || (true OPI_EACH(OPI_ALL_ZERO)))) {
        OPI_EACH(OPI_LOAD) /* all loads are under way before the first value is used */
        _Pragma("unroll") for (uint32_t j = 0; j < OPI_RUN; j++) {
            opi_result_pack pack;
            _Pragma("unroll") for (uint32_t i = 0; i < OPI_MOVED; i++)
                pack.x[i] = opi_result_quiet(
                    opi_fn(OPI_EACH_OTHERWISE(OPI_OF_PACK, OPI_NEXT_OF_PACK)
                               OPI_PASS_PARAMETER OPI_PASS_INDEX(((j << OPI_LOG_W) + OPI_SELF) * OPI_MOVED + i)));
            ((OPI_GLOBAL opi_result_pack *)to)[(j << OPI_LOG_W) + OPI_SELF] = pack;
        }
        return;
    }
#endif
    for (uint32_t i = OPI_SELF; i < count; i += OPI_W)
        to[i] = opi_result_quiet(
            opi_fn(OPI_EACH_OTHERWISE(OPI_ELEMENT, OPI_NEXT) OPI_PASS_PARAMETER OPI_PASS_INDEX(i)));
}
