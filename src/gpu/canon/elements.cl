/* The elements that a kernel computes with, and the place of its results.
 *
 * Elements come from an array of opi_t; or, if OPI_INPUTS is not 0, each is made by a function of an element of every input
 * (a fused task): opi_before_fn, of types opi_before_a, opi_before_b, ...  Results are opi_t; or, if OPI_AFTER is 1, what
 * opi_after_fn makes of them.  These functions may have parameters, opi_before_p and opi_after_p, which lie behind each
 * other in the memory that a kernel calls `param` (gpu/param.h).
 *
 *     opi_source, opi_sink        values that say where elements are, and where results go
 *     OPI_MORE_PARAMS             parameters of a kernel: the inputs behind the first, which is called `in`
 *     OPI_SOURCE(from)            in a kernel: declares `source`, whose element 0 is element `from` of the inputs
 *     OPI_SINK(from)              declares `sink` of the parameter `out`
 *     opi_element(source, i)      element i
 *     opi_behind(source, i)       the same elements, from element i on
 *     opi_set(sink, i, x)         writes result i
 *     opi_sink_behind(sink, i)    the same place, from result i on
 *
 * If OPI_INDEXED is 1, a function has the index i of its elements, and OPI_MORE_PARAMS ends in that of the first one, item_index.
 * OPI_BEFORE_INDEXED says whether opi_before_fn has it.
 *
 * If OPI_BACKWARD is 1, elements come from the last one to the first, and `in` and `out` are where the last ones are. */

#if OPI_INDEXED
#define OPI_INDEX_PARAM , const uint64_t item_index
#else
#define OPI_INDEX_PARAM
#endif

#if OPI_INPUTS

#define OPI_NOT(k)
#define OPI_MORE_PARAM(k)   , OPI_PARAM(in_##k)
#define OPI_MORE_PARAMS     OPI_EACH_OTHERWISE(OPI_NOT, OPI_MORE_PARAM) OPI_INDEX_PARAM
#define OPI_MEMBER(k)       OPI_GLOBAL const opi_before_##k *k;
#define OPI_BEHIND(k)       source.k += i;
#define OPI_POINT_FIRST(k)  source.k = OPI_AT(const opi_before_##k, in) + source_from;
#define OPI_POINT_OTHER(k)  source.k = OPI_AT(const opi_before_##k, in_##k) + source_from;
#define OPI_FIRST_OF(k)     source.k[i]
#define OPI_OTHER_OF(k)     , source.k[i]

typedef struct opi_source {
    OPI_EACH(OPI_MEMBER)
#if OPI_BEFORE_BOUND
    opi_before_p own_p;
#endif
#if OPI_BEFORE_INDEXED
    uint64_t index; /* of element 0 */
#endif
} opi_source;

#if OPI_BEFORE_BOUND
#define OPI_READ_BEFORE_P                                                                                              \
    source.own_p = *(OPI_GLOBAL const opi_before_p *)(OPI_AT(const uint8_t, param) + OPI_BEFORE_P_AT);
#define OPI_PASS_BEFORE_P , source.own_p
#else
#define OPI_READ_BEFORE_P
#define OPI_PASS_BEFORE_P
#endif

#if OPI_BEFORE_INDEXED
#define OPI_READ_INDEX    source.index = item_index + source_from;
#define OPI_MOVE_INDEX(i) source.index += (i);
#define OPI_PASS_INDEX(i) , source.index + (i)
#else
#define OPI_READ_INDEX
#define OPI_MOVE_INDEX(i)
#define OPI_PASS_INDEX(i)
#endif

#define OPI_SOURCE(from)                                                                                               \
    opi_source source;                                                                                                 \
    const uint64_t source_from = (from);                                                                               \
    OPI_EACH_OTHERWISE(OPI_POINT_FIRST, OPI_POINT_OTHER)                                                                         \
    OPI_READ_BEFORE_P                                                                                                  \
    OPI_READ_INDEX

OPI_FUNCTION opi_source opi_behind(opi_source source, uint64_t i)
{
    OPI_EACH(OPI_BEHIND)
    OPI_MOVE_INDEX(i)
    return source;
}

OPI_FUNCTION opi_t opi_element(opi_source source, uint64_t i)
{
    return opi_before_result_quiet(
        opi_before_fn(OPI_EACH_OTHERWISE(OPI_FIRST_OF, OPI_OTHER_OF) OPI_PASS_BEFORE_P OPI_PASS_INDEX(i)));
}

#elif OPI_BACKWARD

#define OPI_MORE_PARAMS OPI_INDEX_PARAM
#define OPI_SOURCE(from) OPI_GLOBAL const opi_t *const source = OPI_AT(const opi_t, in) - (from);
typedef OPI_GLOBAL const opi_t *opi_source;
#define opi_element(source, i) (source)[-(int64_t)(i)]
#define opi_behind(source, i)  ((source) - (i))

#else

#define OPI_MORE_PARAMS OPI_INDEX_PARAM
#define OPI_SOURCE(from) OPI_GLOBAL const opi_t *const source = OPI_AT(const opi_t, in) + (from);
typedef OPI_GLOBAL const opi_t *opi_source;
#define opi_element(source, i) (source)[i]
#define opi_behind(source, i)  ((source) + (i))

#endif

#if OPI_AFTER

typedef struct opi_sink {
    OPI_GLOBAL opi_after_result *to;
#if OPI_AFTER_BOUND
    opi_after_p own_p;
#endif
} opi_sink;

#if OPI_AFTER_BOUND
#define OPI_READ_AFTER_P                                                                                               \
    sink.own_p = *(OPI_GLOBAL const opi_after_p *)(OPI_AT(const uint8_t, param) + OPI_AFTER_P_AT);
#define OPI_PASS_AFTER_P , sink.own_p
#else
#define OPI_READ_AFTER_P
#define OPI_PASS_AFTER_P
#endif

#define OPI_SINK(from)                                                                                                 \
    opi_sink sink;                                                                                                     \
    sink.to = OPI_AT(opi_after_result, out) + (from);                                                                  \
    OPI_READ_AFTER_P

OPI_FUNCTION opi_sink opi_sink_behind(opi_sink sink, uint64_t i)
{
    sink.to += i;
    return sink;
}

OPI_FUNCTION void opi_set(opi_sink sink, uint32_t i, opi_t x)
{
    sink.to[i] = opi_after_result_quiet(opi_after_fn(x OPI_PASS_AFTER_P));
}

#elif OPI_BACKWARD

#define OPI_SINK(from) OPI_GLOBAL opi_t *const sink = OPI_AT(opi_t, out) - (from);
typedef OPI_GLOBAL opi_t *opi_sink;
#define opi_set(sink, i, x)      (sink)[-(int64_t)(i)] = (x)
#define opi_sink_behind(sink, i) ((sink) - (i))

#else

#define OPI_SINK(from) OPI_GLOBAL opi_t *const sink = OPI_AT(opi_t, out) + (from);
typedef OPI_GLOBAL opi_t *opi_sink;
#define opi_set(sink, i, x)      (sink)[i] = (x)
#define opi_sink_behind(sink, i) ((sink) + (i))

#endif
