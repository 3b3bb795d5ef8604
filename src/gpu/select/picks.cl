/* What a select needs before the tree: a node is a number of picked elements; and the function, with its parameter if
 * there is one. */
typedef uint64_t opi_node;
OPI_FUNCTION opi_node opi_join(opi_node a, opi_node b) { return a + b; }

#if OPI_INDEX == 4
typedef uint32_t opi_index;
#else
typedef uint64_t opi_index;
#endif

#if OPI_PARAMETER
#define OPI_TAKE_FN , const opi_p own_p
#define OPI_GIVE_FN , own_p
#define OPI_FN_P    , own_p
#define OPI_READ_FN const opi_p own_p = *OPI_AT(const opi_p, param);
#else
#define OPI_TAKE_FN
#define OPI_GIVE_FN
#define OPI_FN_P
#define OPI_READ_FN
#endif
