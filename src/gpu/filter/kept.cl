/* A node is a number of kept elements. */
typedef opi_a opi_t;
typedef uint64_t opi_node;
typedef uint64_t opi_answer;
#define OPI_ANSWER(node) (node)
OPI_FUNCTION opi_node opi_join(opi_node a, opi_node b) { return a + b; }

/* The predicate, and its parameter if there is one. */
#if OPI_PARAMETER
#define OPI_READ(param) (*OPI_AT(const opi_p, param))
#define OPI_KEEPS(x, p) (opi_fn(x, p) != 0)
#else
typedef uint32_t opi_p;
#define OPI_READ(param) 0
#define OPI_KEEPS(x, p) (opi_fn(x) != 0)
#endif
