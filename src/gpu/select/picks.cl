/* What a select needs before the tree: a node is a number of picked elements, and, if lengths of runs are wanted, the index
 * of the last one, if there is one; and the function, with its parameter if there is one. */
#if OPI_INDEX == 4
typedef uint32_t opi_index;
#else
typedef uint64_t opi_index;
#endif

#if OPI_LENGTHS
typedef struct opi_node {
    opi_index picked, last;
} opi_node;
#define OPI_PICKED(node) ((node).picked)
OPI_FUNCTION opi_node opi_make_node(uint32_t picked, uint64_t last)
{
    opi_node node;
    node.picked = picked;
    node.last = (opi_index)last;
    return node;
}
OPI_FUNCTION opi_node opi_join(opi_node a, opi_node b)
{
    if (b.picked == 0) return a;
    b.picked += a.picked;
    return b;
}
#else
typedef uint64_t opi_node;
#define OPI_PICKED(node) (node)
OPI_FUNCTION opi_node opi_make_node(uint32_t picked, uint64_t last) { return picked; }
OPI_FUNCTION opi_node opi_join(opi_node a, opi_node b) { return a + b; }
#endif

#if OPI_PARAMETER
#define OPI_TAKE_FN_P , const opi_p own_p
#define OPI_GIVE_FN_P , own_p
#define OPI_READ_FN_P const opi_p own_p = *OPI_AT(const opi_p, param);
#else
#define OPI_TAKE_FN_P
#define OPI_GIVE_FN_P
#define OPI_READ_FN_P
#endif

/* The index of element 0, if the function has the index of its element. */
#if OPI_INDEXED
#define OPI_INDEX_PARAM , const uint64_t own_index
#define OPI_GIVE_INDEX  , own_index
#define OPI_FN_INDEX(i) , own_index + (i)
#else
#define OPI_INDEX_PARAM
#define OPI_GIVE_INDEX
#define OPI_FN_INDEX(i)
#endif

#define OPI_TAKE_FN OPI_TAKE_FN_P OPI_INDEX_PARAM
#define OPI_GIVE_FN OPI_GIVE_FN_P OPI_GIVE_INDEX
