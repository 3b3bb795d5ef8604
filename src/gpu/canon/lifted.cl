/* A node is an element with a flag, and the operator is that of the segmented scan. */
typedef struct opi_node {
    opi_t value;
    uint32_t head;
} opi_node;

OPI_FUNCTION opi_node opi_lift(opi_t value, uint8_t head)
{
    opi_node node;
    node.value = value;
    node.head = head != 0;
    return node;
}
#define OPI_MAKE(x, head) opi_lift(x, head)
#define OPI_VALUE(node)   (node).value
#define OPI_ANSWER(node)  opi_quiet((node).value)
typedef opi_t opi_answer;

/* (f,s) (+) (g,t) = (f|g, g ? t : s (+) t).  For large elements see plain.cl. */
#if OPI_LARGE
OPI_CALLED void opi_join_at(opi_t *to, const opi_t *a, const opi_t *b OPI_TAKE_P)
{
    *to = opi_op(*a, *b OPI_OP_P);
}
OPI_FUNCTION opi_node opi_join(opi_node a, opi_node b OPI_TAKE_P)
{
    if (!b.head) opi_join_at(&b.value, &a.value, &b.value OPI_GIVE_P);
    b.head |= a.head;
    return b;
}
#else
OPI_FUNCTION opi_node opi_join(opi_node a, opi_node b OPI_TAKE_P)
{
    if (!b.head) b.value = opi_op(a.value, b.value OPI_OP_P);
    b.head |= a.head;
    return b;
}
#endif
