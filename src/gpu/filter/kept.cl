/* A node is a number of kept elements. */
typedef opi_a opi_t;
typedef uint64_t opi_node;
typedef uint64_t opi_answer;
#define OPI_ANSWER(node) (node)
OPI_FUNCTION opi_node opi_join(opi_node a, opi_node b) { return a + b; }

/* The predicate, its parameter if there is one, and the index of the element if it has that (OPI_KEEP_INDEXED).
 * OPI_INDEX(from) is the index of element `from`, in a kernel. */
#if OPI_KEEP_INDEXED
#define OPI_INDEX(from)     (item_index + (from))
#define OPI_KEEP_INDEX(i)   , (i)
#else
#define OPI_INDEX(from)     0
#define OPI_KEEP_INDEX(i)
#endif
#if OPI_PARAMETER
#define OPI_READ(param)     (*OPI_AT(const opi_p, param))
#define OPI_KEEPS(x, p, i)  (opi_fn(x, p OPI_KEEP_INDEX(i)) != 0)
#else
typedef uint32_t opi_p;
#define OPI_READ(param)     0
#define OPI_KEEPS(x, p, i)  (opi_fn(x OPI_KEEP_INDEX(i)) != 0)
#endif
