/* Map: out[i] = fn(a[i], b[i], ..., parameter).
 *
 * There are OPI_INPUTS input arrays; OPI_PARAMETER is 1 if there is a parameter.  OPI_MOVED elements of each array are
 * moved at once: as many elements of the largest type as 16 bytes hold; 1 if the size of a type does not divide 16. */

#define OPI_E    (1u << OPI_LOG_E)
#define OPI_W    (1u << OPI_LOG_W)
#define OPI_TILE (1u << OPI_LOG_TILE)

/* F(a) N(b) N(c) ...: F of the first input, N of the others. */
#define OPI_EACH_1(F, N) F(a)
#define OPI_EACH_2(F, N) OPI_EACH_1(F, N) N(b)
#define OPI_EACH_3(F, N) OPI_EACH_2(F, N) N(c)
#define OPI_EACH_4(F, N) OPI_EACH_3(F, N) N(d)
#define OPI_EACH_5(F, N) OPI_EACH_4(F, N) N(e)
#define OPI_EACH_6(F, N) OPI_EACH_5(F, N) N(f)
#define OPI_EACH_7(F, N) OPI_EACH_6(F, N) N(g)
#define OPI_EACH_8(F, N) OPI_EACH_7(F, N) N(h)
#define OPI_PASTE_(a, b) a##b
#define OPI_PASTE(a, b)  OPI_PASTE_(a, b)
#define OPI_EACH(F)      OPI_PASTE(OPI_EACH_, OPI_INPUTS)(F, F)
#define OPI_LIST(F, N)   OPI_PASTE(OPI_EACH_, OPI_INPUTS)(F, N)

#if OPI_PARAMETER
#define OPI_READ_PARAMETER const opi_p parameter = *OPI_AT(const opi_p, param);
#define OPI_PASS_PARAMETER , parameter
#else
#define OPI_READ_PARAMETER
#define OPI_PASS_PARAMETER
#endif

#define OPI_DECLARE(k)  OPI_PARAM(in_##k),
#define OPI_POINT(k)    OPI_GLOBAL const opi_##k *const k = OPI_AT(const opi_##k, in_##k) + first;
#define OPI_ELEMENT(k)  k[i]
#define OPI_NEXT(k)     , k[i]

#if OPI_MOVED > 1
#define OPI_RUN         (OPI_E / OPI_MOVED) /* moves of one work-item */
#define OPI_PACK(T)                                                                                                    \
    typedef struct __attribute__((aligned(OPI_MOVED * sizeof(T)))) T##_pack {                                          \
        T x[OPI_MOVED];                                                                                                \
    } T##_pack;
#define OPI_PACK_INPUT(k) OPI_PACK(opi_##k)
#define OPI_IS_ALIGNED(k) &&OPI_ALIGNED(k)
#define OPI_LOAD(k)                                                                                                    \
    opi_##k##_pack pack_##k[OPI_RUN];                                                                                  \
    _Pragma("unroll") for (uint32_t j = 0; j < OPI_RUN; j++)                                                           \
        pack_##k[j] = ((OPI_GLOBAL const opi_##k##_pack *)k)[(j << OPI_LOG_W) + OPI_SELF];
#define OPI_OF_PACK(k)      pack_##k[j].x[i]
#define OPI_NEXT_OF_PACK(k) , pack_##k[j].x[i]
OPI_EACH(OPI_PACK_INPUT)
OPI_PACK(opi_result)
#endif

OPI_KERNEL void opi_apply(OPI_EACH(OPI_DECLARE) OPI_PARAM(out), const uint64_t n, OPI_PARAM(param))
{
    const uint64_t first = OPI_GROUP * OPI_TILE;
    const uint32_t count = n - first < OPI_TILE ? (uint32_t)(n - first) : OPI_TILE;
    OPI_GLOBAL opi_result *const to = OPI_AT(opi_result, out) + first;
    OPI_EACH(OPI_POINT)
    OPI_READ_PARAMETER
#if OPI_MOVED > 1
    if (count == OPI_TILE && OPI_ALIGNED(to) OPI_EACH(OPI_IS_ALIGNED)) {
        OPI_EACH(OPI_LOAD) /* all loads are under way before the first value is used */
        _Pragma("unroll") for (uint32_t j = 0; j < OPI_RUN; j++) {
            opi_result_pack pack;
            _Pragma("unroll") for (uint32_t i = 0; i < OPI_MOVED; i++)
                pack.x[i] = opi_result_quiet(opi_fn(OPI_LIST(OPI_OF_PACK, OPI_NEXT_OF_PACK) OPI_PASS_PARAMETER));
            ((OPI_GLOBAL opi_result_pack *)to)[(j << OPI_LOG_W) + OPI_SELF] = pack;
        }
        return;
    }
#endif
    for (uint32_t i = OPI_SELF; i < count; i += OPI_W)
        to[i] = opi_result_quiet(opi_fn(OPI_LIST(OPI_ELEMENT, OPI_NEXT) OPI_PASS_PARAMETER));
}
