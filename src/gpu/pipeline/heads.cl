/* As kept.cl, where an element is kept if a run begins with it: if it is the first one, or not the same as the one before.
 * If lengths of runs are written, nodes are those of ends.cl.
 *
 *   OPI_COMPARES 1: a function says whether two elements are the same (opi_fn); 0: their bits */
#if OPI_COMPARES
typedef opi_a opi_t;
#else
typedef struct opi_t {
    opi_unit unit[OPI_SIZE / OPI_UNIT];
} opi_t;
#endif
#if !OPI_LENGTHS
typedef uint64_t opi_node;
typedef uint64_t opi_answer;
#define OPI_ANSWER(node) (node)
OPI_FUNCTION opi_node opi_join(opi_node a, opi_node b) { return a + b; }
#endif

#if OPI_PARAMETER
#define OPI_READ(param)       (*OPI_AT(const opi_p, param))
#define OPI_SAME_PARAMETER(p) , p
#else
typedef uint32_t opi_p;
#define OPI_READ(param)       0
#define OPI_SAME_PARAMETER(p)
#endif

OPI_FUNCTION bool opi_differ(opi_t a, opi_t b, const opi_p p)
{
#if OPI_COMPARES
    return opi_fn(a, b OPI_SAME_PARAMETER(p)) == 0;
#else
    for (uint32_t k = 0; k < OPI_SIZE / OPI_UNIT; k++)
        if (a.unit[k] != b.unit[k]) return true;
    return false;
#endif
}
