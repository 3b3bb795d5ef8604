/* A node is an element.  OPI_EXCHANGED: elements come in the opposite order, and so do the operands. */
typedef opi_t opi_node;
#define OPI_MAKE(x, head) (x)
#define OPI_VALUE(node)   (node)
#define OPI_ANSWER(node)  opi_quiet(node)
typedef opi_t opi_answer;

/* Large elements: their join is called and not inlined.  Compilers would copy it into a kernel a dozen times, and take
 * minutes. */
#if OPI_LARGE
OPI_CALLED void opi_join_at(opi_node *to, const opi_node *a, const opi_node *b OPI_TAKE_P)
{
#if OPI_EXCHANGED
    *to = opi_op(*b, *a OPI_OP_P);
#else
    *to = opi_op(*a, *b OPI_OP_P);
#endif
}
OPI_FUNCTION opi_node opi_join(opi_node a, opi_node b OPI_TAKE_P)
{
    opi_join_at(&a, &a, &b OPI_GIVE_P);
    return a;
}
#elif OPI_EXCHANGED
OPI_FUNCTION opi_node opi_join(opi_node a, opi_node b OPI_TAKE_P) { return opi_op(b, a OPI_OP_P); }
#else
OPI_FUNCTION opi_node opi_join(opi_node a, opi_node b OPI_TAKE_P) { return opi_op(a, b OPI_OP_P); }
#endif
