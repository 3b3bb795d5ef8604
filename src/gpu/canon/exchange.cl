/* The work-items of a warp exchange nodes, word by word, from register to register.  CUDA alone. */
#define OPI_EXCHANGE(name, exchange)                                                                                   \
    OPI_FUNCTION opi_node name(opi_node node, uint32_t by)                                                             \
    {                                                                                                                  \
        opi_words x;                                                                                                   \
        x.word[OPI_WORDS - 1] = 0;                                                                                     \
        x.node = node;                                                                                                 \
        _Pragma("unroll") for (uint32_t w = 0; w < OPI_WORDS; w++) x.word[w] = exchange(x.word[w], by);                \
        return x.node;                                                                                                 \
    }
OPI_EXCHANGE(opi_node_across, OPI_SHUFFLE_XOR)  /* of the work-item whose number differs in the bits `by` */
OPI_EXCHANGE(opi_node_behind, OPI_SHUFFLE_DOWN) /* of the work-item `by` lanes behind */
OPI_EXCHANGE(opi_node_of, OPI_SHUFFLE)          /* of work-item `by` */

/* One step of a butterfly: work-items at distance 2^k join their nodes, and both have the result.  lane: of the warp. */
OPI_FUNCTION opi_node opi_pair_up(opi_node own, uint32_t lane, uint32_t k OPI_TAKE_P)
{
    const bool right = lane >> k & 1;
    const opi_node got = opi_node_across(own, 1u << k);
    return opi_join(right ? got : own, right ? own : got);
}

/* Work-items at distance 2^k have two nodes each, `first` and `second`.  Each keeps one of them, joins it with that of its
 * partner, and gives the other away: one exchange for both. */
OPI_FUNCTION opi_node opi_pair_two(opi_node first, opi_node second, uint32_t lane, uint32_t k OPI_TAKE_P)
{
    const bool right = lane >> k & 1;
    const opi_node kept = right ? second : first;
    const opi_node got = opi_node_across(right ? first : second, 1u << k);
    return opi_join(right ? got : kept, right ? kept : got);
}
