/* A node of a select that writes lengths of runs: how many elements are kept, and the index of the last of them, or 0 if
 * there is none.  Indices ascend, so that nodes may be joined in any order. */
#if OPI_INDEX_BYTES == 8
typedef uint64_t opi_end;
#else
typedef uint32_t opi_end;
#endif
typedef struct opi_node {
    opi_end kept, last;
} opi_node;
typedef uint64_t opi_answer;
#define OPI_ANSWER(node) ((node).kept)

OPI_FUNCTION opi_node opi_join(opi_node a, opi_node b)
{
    b.kept += a.kept;
    b.last = a.last > b.last ? a.last : b.last;
    return b;
}
