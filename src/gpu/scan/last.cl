/* A reduce in one launch: each work-group finds the node of 2^log_own strips, and the one that ends last joins the
 * nodes.  Which one that is does not matter: the tree is the same.  In CUDA alone.
 *
 * A strip is what a warp loads at once: OPI_LINES lines of 32 spans, one span for each work-item.  A span is as many
 * elements as 16 bytes hold, or a few if they are no part of 16 bytes.  No work-item needs another's elements, so that only
 * registers change hands.
 *
 * Of `strips` strips, whole groups have 2^log_own each.  Each bit that is set in the number of strips behind them has a
 * work-group of its own, and the elements behind the strips have the last one. */

#define OPI_SPAN       (1u << OPI_LOG_SPAN)
#define OPI_LINES      (1u << OPI_LOG_LINES)
#define OPI_LOG_STRIP  (5 + OPI_LOG_LINES + OPI_LOG_SPAN)
#define OPI_STRIP      (1u << OPI_LOG_STRIP)
#define OPI_LOG_WARPS_OF_GROUP (OPI_LOG_W - 5)
#define OPI_LOG_JOINED OPI_LOG_LAST_JOINED
#define OPI_MOST_NODES 96 /* that are joined one after the other: a node for each bit of three numbers */

typedef union opi_span {
    opi_t x[OPI_SPAN];
#if OPI_SPAN_IS_VECTOR
    opi_vector vector;
#endif
} opi_span;

#if OPI_INPUTS

/* A span of each input: it is loaded at once where every input is aligned. */
#define OPI_SPAN_BYTES(T)      (OPI_SPAN * sizeof(T))
#define OPI_LOWEST_BIT(bytes)  ((bytes) & (0 - (bytes)))
#define OPI_SPAN_ALIGNMENT(T)  (OPI_LOWEST_BIT(OPI_SPAN_BYTES(T)) < 16 ? OPI_LOWEST_BIT(OPI_SPAN_BYTES(T)) : 16)
#define OPI_SPAN_OF_INPUT(k)                                                                                           \
    typedef struct __attribute__((aligned(OPI_SPAN_ALIGNMENT(opi_before_##k)))) opi_span_##k {                         \
        opi_before_##k x[OPI_SPAN];                                                                                    \
    } opi_span_##k;
#define OPI_SPAN_IS_ALIGNED(k) &&(ulong)source.k % OPI_SPAN_ALIGNMENT(opi_before_##k) == 0
#define OPI_LOAD_SPAN(k)       const opi_span_##k span_##k = *(OPI_GLOBAL const opi_span_##k *)source.k;
#define OPI_FIRST_OF_SPAN(k)   span_##k.x[i]
#define OPI_OTHER_OF_SPAN(k)   , span_##k.x[i]
OPI_EACH(OPI_SPAN_OF_INPUT)

OPI_FUNCTION bool opi_is_aligned(opi_source source) { return true OPI_EACH(OPI_SPAN_IS_ALIGNED); }

OPI_FUNCTION opi_span opi_load_span(opi_source source, bool aligned)
{
    opi_span span;
    if (aligned) {
        OPI_EACH(OPI_LOAD_SPAN)
        OPI_UNROLL for (uint32_t i = 0; i < OPI_SPAN; i++)
            span.x[i] = opi_before_result_quiet(
                opi_before_fn(OPI_EACH_OTHERWISE(OPI_FIRST_OF_SPAN, OPI_OTHER_OF_SPAN) OPI_PASS_BEFORE_P OPI_PASS_INDEX(i)));
        return span;
    }
    OPI_UNROLL for (uint32_t i = 0; i < OPI_SPAN; i++) span.x[i] = opi_element(source, i);
    return span;
}

#else

#define opi_is_aligned(source) OPI_ALIGNED(source)

OPI_FUNCTION opi_span opi_load_span(opi_source source, bool aligned)
{
    opi_span span;
#if OPI_SPAN_IS_VECTOR
    if (aligned) {
        span.vector = *(OPI_GLOBAL const opi_vector *)source;
        return span;
    }
#endif
    OPI_UNROLL for (uint32_t i = 0; i < OPI_SPAN; i++) span.x[i] = source[i];
    return span;
}

#endif

#define OPI_OF_SPAN(i) span->x[i]

OPI_FUNCTION opi_node opi_span_up(opi_span *span OPI_TAKE_P)
{
    OPI_UP(OPI_OF_SPAN, OPI_LOG_SPAN)
    return span->x[OPI_SPAN - 1];
}

/* --- the work-items of a warp --------------------------------------------------------------------------------------- */

#define OPI_LANE (OPI_SELF & 31)

/* The node of a strip, in every work-item.  Lines are paired first, so that there are few exchanges. */
OPI_FUNCTION opi_node opi_strip_up(opi_source from, bool aligned OPI_TAKE_P)
{
    opi_span span[OPI_LINES];
    opi_node node[OPI_LINES];
    OPI_UNROLL for (uint32_t j = 0; j < OPI_LINES; j++)
        span[j] = opi_load_span(opi_behind(from, (j * 32 + OPI_LANE) << OPI_LOG_SPAN), aligned);
    OPI_UNROLL for (uint32_t j = 0; j < OPI_LINES; j++) node[j] = opi_span_up(&span[j] OPI_GIVE_P);
    OPI_UNROLL for (uint32_t k = 0; k < OPI_LOG_LINES; k++)
        OPI_UNROLL for (uint32_t j = 0; j < OPI_LINES >> (k + 1); j++)
            node[j] = opi_pair_two(node[2 * j], node[2 * j + 1], OPI_LANE, k OPI_GIVE_P);
    OPI_UNROLL for (uint32_t k = 0; k < 5; k++) /* the work-items of a line, then the lines */
        node[0] = opi_pair_up(node[0], OPI_LANE, (k + OPI_LOG_LINES) % 5 OPI_GIVE_P);
    return node[0];
}

/* Items t = 0, 1, 2, ..., whose nodes come one after the other to all work-items of a warp: work-item k keeps the node
 * of 2^k items for each bit k that is set in the number of items.  Returns the largest node that ends with item t. */
OPI_FUNCTION opi_node opi_pile_up(opi_node *kept, uint32_t t, opi_node node OPI_TAKE_P)
{
    uint32_t level = 0;
    for (; t >> level & 1; level++) node = opi_join(opi_node_of(*kept, level), node);
    if (OPI_LANE == level) *kept = node;
    return node;
}

/* The node of 2^level elements, fewer than a strip, in work-item 0 of the warp. */
OPI_FUNCTION opi_node opi_few_up(opi_source from, uint32_t level, bool aligned OPI_TAKE_P)
{
    const uint32_t log_spans = level < OPI_LOG_SPAN ? level : level - OPI_LOG_SPAN; /* or elements, if fewer than a span */
    const uint32_t log_own = log_spans < 5 ? log_spans : 5, own = OPI_LANE & ((1u << log_own) - 1);
    opi_node node, kept;
    for (uint32_t t = 0; t < 1u << (log_spans - log_own); t++) {
        if (level < OPI_LOG_SPAN) {
            node = opi_element(from, own);
        } else {
            opi_span span = opi_load_span(opi_behind(from, (32 * t + own) << OPI_LOG_SPAN), aligned);
            node = opi_span_up(&span OPI_GIVE_P);
        }
        for (uint32_t k = 0; k < log_own; k++) node = opi_pair_up(node, OPI_LANE, k OPI_GIVE_P);
        node = opi_pile_up(&kept, t, node OPI_GIVE_P);
    }
    return node;
}

/* --- a work-group --------------------------------------------------------------------------------------------------- */

/* The node of 2^log_strips strips, for work-item 0.  Warps read neighbouring strips: what a group reads at a time is as
 * long as possible. */
OPI_FUNCTION opi_node opi_group_up(OPI_LOCAL opi_node (*of_warp)[OPI_W / 32], opi_source from,
                                   uint32_t log_strips OPI_TAKE_P)
{
    const uint32_t log_warps = log_strips < OPI_LOG_WARPS_OF_GROUP ? log_strips : OPI_LOG_WARPS_OF_GROUP;
    const uint32_t steps = 1u << (log_strips - log_warps), warp = OPI_SELF >> 5;
    const bool aligned = opi_is_aligned(from);
    opi_node node, kept;
    from = opi_behind(from, (uint64_t)warp * OPI_STRIP);
    for (uint32_t t = 0; t < steps; t++, from = opi_behind(from, (uint64_t)OPI_STRIP << log_warps)) {
        if (warp >> log_warps == 0) node = opi_strip_up(from, aligned OPI_GIVE_P);
        if (OPI_LANE == 0) of_warp[t & 1][warp] = node;
        OPI_BARRIER(); /* one is enough: the next step writes the other half */
        if (warp > 0) continue;
        node = of_warp[t & 1][OPI_LANE & ((1u << log_warps) - 1)];
        for (uint32_t k = 0; k < log_warps; k++) node = opi_pair_up(node, OPI_LANE, k OPI_GIVE_P);
        node = opi_pile_up(&kept, t, node OPI_GIVE_P);
    }
    return node;
}

/* The highest bit of a number that is not 0. */
OPI_FUNCTION uint32_t opi_top(uint32_t bits) { return 31 - __clz(bits); }

/* Writes the nodes of `count` elements, fewer than a strip, the largest first. */
OPI_FUNCTION void opi_write_few(OPI_GLOBAL opi_node *to, opi_source from, uint32_t count OPI_TAKE_P)
{
    const uint32_t warp = OPI_SELF >> 5;
    uint32_t begin = 0, i = 0;
    for (uint32_t bits = count; bits; i++) {
        const uint32_t level = opi_top(bits);
        if (i % (OPI_W / 32) == warp) {
            const opi_node node = opi_few_up(opi_behind(from, begin), level, opi_is_aligned(from) OPI_GIVE_P);
            if (OPI_LANE == 0) to[i] = node;
        }
        begin += 1u << level;
        bits ^= 1u << level;
    }
}

/* Writes the nodes of one group. */
OPI_FUNCTION void opi_write_nodes(OPI_LOCAL opi_node (*of_warp)[OPI_W / 32], OPI_GLOBAL opi_node *node,
                                  opi_source in, uint64_t strips, uint32_t log_own, uint32_t tail OPI_TAKE_P)
{
    const uint64_t whole = strips >> log_own;
    uint64_t begin = OPI_GROUP << log_own;
    uint32_t level = log_own;
    if (OPI_GROUP >= whole) {
        uint32_t bits = (uint32_t)(strips & (((uint64_t)1 << log_own) - 1));
        begin = whole << log_own;
        for (uint64_t g = whole; g < OPI_GROUP && bits; g++) {
            begin += (uint64_t)1 << opi_top(bits);
            bits ^= 1u << opi_top(bits);
        }
        if (bits == 0) {
            opi_write_few(node + OPI_GROUP, opi_behind(in, strips * OPI_STRIP), tail OPI_GIVE_P);
            return;
        }
        level = opi_top(bits);
    }
    const opi_node own = opi_group_up(of_warp, opi_behind(in, begin * OPI_STRIP), level OPI_GIVE_P);
    if (OPI_SELF == 0) node[OPI_GROUP] = own;
}

/* --- a reduce that is dealt out to several accelerators (gpu/deal.h) ------------------------------------------------- */

#if OPI_DEALT
/* nodes[1 + i] of accelerator 0 becomes the node of the 2^log_own strips that group i of all has.  The group that ends last on
 * an accelerator says so in arrived[own] of accelerator 0.
 *
 * ended: how many groups of this accelerator have ended; 0 between launches. */
OPI_RESIDENT_KERNEL void opi_reduce_dealt(OPI_PARAM(in) OPI_MORE_PARAMS, OPI_PARAM(nodes), OPI_PARAM(arrived),
                                          OPI_PARAM(ended), const uint32_t log_own, const opi_dealt dealt OPI_KERNEL_P)
{
    OPI_READ_P
    OPI_SOURCE(0)
    OPI_LOCAL_MEMORY opi_node of_warp[2][OPI_W / 32];
    const uint64_t i = opi_dealt_item(&dealt, OPI_GROUP);
    const opi_node own = opi_group_up(of_warp, opi_behind(source, (i << log_own) * OPI_STRIP), log_own OPI_GIVE_P);
    if (OPI_SELF > 0) return;
    OPI_AT(opi_node, nodes)[1 + i] = own;
    __threadfence_system(); /* whoever sees the word sees the nodes of all groups that were counted before it */
    if (OPI_INCREMENT(OPI_AT(uint32_t, ended)) + 1 < OPI_GROUPS) return;
    *OPI_AT(uint32_t, ended) = 0;
    __threadfence_system();
    OPI_AT(volatile uint32_t, arrived)[dealt.own] = dealt.epoch;
}

/* Waits until the accelerators of `who`, a bit for each, have arrived; or gives up, and tells the host. */
OPI_KERNEL void opi_await(OPI_PARAM(arrived), const uint32_t who, const uint32_t epoch, OPI_PARAM(fault))
{
    const uint64_t since = (uint64_t)clock64();
    const volatile uint32_t *const own = OPI_AT(const volatile uint32_t, arrived) + OPI_SELF;
    while (who >> OPI_SELF & 1 && *own != epoch)
        if ((uint64_t)clock64() - since > OPI_PATIENCE) {
            *OPI_AT(volatile uint32_t, fault) = 1;
            break;
        }
    __threadfence_system();
}
#endif

/* --- the group that ends last --------------------------------------------------------------------------------------- */

/* The nodes from which the result is joined, from left to right, each with its level. */
typedef struct opi_list {
    uint8_t level[OPI_MOST_NODES];
    opi_node node[OPI_MOST_NODES];
} opi_list;

/* Joins m < 2^(OPI_LOG_W + OPI_LOG_JOINED) nodes of a level to a node for each bit of m, which the list gets. */
OPI_FUNCTION void opi_list_whole(OPI_LOCAL opi_list *list, OPI_LOCAL opi_node *of_warp, OPI_GLOBAL const opi_node *node,
                                 uint32_t m OPI_TAKE_P)
{
    opi_node own[1u << OPI_LOG_JOINED];
    const uint32_t first = OPI_SELF << OPI_LOG_JOINED;
    /* What is joined beyond m is in no node that the list gets. */
    OPI_UNROLL for (uint32_t j = 0; j < 1u << OPI_LOG_JOINED; j++) own[j] = node[first + j < m ? first + j : m - 1];
    /* The node of 2^k of them that the bit k of m names begins here, and its place is behind those of higher bits. */
#define OPI_BEGINS(k) (m >> (k) & 1 && first == (m >> (k) ^ 1) << (k))
#define OPI_LIST(k, of) list->node[__popc(m >> (k) >> 1)] = (of)
    OPI_UNROLL for (uint32_t j = 0; j < 1u << OPI_LOG_JOINED; j++)
        if (m & 1 && first + j == m - 1) OPI_LIST(0, own[j]);
    OPI_UNROLL for (uint32_t k = 1; k < OPI_LOG_JOINED; k++)
        OPI_UNROLL for (uint32_t j = 0; j < 1u << (OPI_LOG_JOINED - k); j++) {
            own[j] = opi_join(own[2 * j], own[2 * j + 1]);
            if (m >> k & 1 && first + (j << k) == (m >> k ^ 1) << k) OPI_LIST(k, own[j]);
        }
    opi_node up = opi_join(own[0], own[1]); /* of all that this work-item has */
    OPI_UNROLL for (uint32_t k = 0; k < 5; k++) {
        if (OPI_BEGINS(k + OPI_LOG_JOINED)) OPI_LIST(k + OPI_LOG_JOINED, up);
        up = opi_pair_up(up, OPI_LANE, k OPI_GIVE_P);
    }
    if (OPI_LANE == 0) of_warp[OPI_SELF >> 5] = up;
    OPI_BARRIER();
    if (OPI_SELF < 32) {
        up = of_warp[OPI_SELF & ((1u << OPI_LOG_WARPS_OF_GROUP) - 1)];
        OPI_UNROLL for (uint32_t k = 0; k < OPI_LOG_WARPS_OF_GROUP; k++) {
            const uint32_t level = k + 5 + OPI_LOG_JOINED;
            if (m >> level & 1 && OPI_SELF == (m >> level ^ 1) << k) OPI_LIST(level, up);
            up = opi_pair_up(up, OPI_LANE, k OPI_GIVE_P);
        }
    }
#undef OPI_BEGINS
#undef OPI_LIST
}

/* Work-item 0 writes the levels of the nodes of each bit, from place `at` on, and returns the place behind them. */
OPI_FUNCTION uint32_t opi_list_levels(OPI_LOCAL opi_list *list, uint32_t at, uint32_t bits, uint32_t base)
{
    for (; bits; bits ^= 1u << opi_top(bits)) list->level[at++] = (uint8_t)(opi_top(bits) + base);
    return at;
}

/* Appends the nodes of the list to the range. */
OPI_FUNCTION void opi_push_list(OPI_GLOBAL opi_range *range, OPI_LOCAL const opi_list *list, uint32_t count,
                                uint64_t first, uint32_t flags OPI_TAKE_P)
{
    if (flags & OPI_FRESH) {
        range->end = first;
        range->count = 0;
    }
    for (uint32_t i = 0; i < count; i++) opi_push(range, list->level[i], list->node[i] OPI_GIVE_P);
}

/* Whether all that is before the first element is one node, which joins no other: an init, or nothing. */
OPI_FUNCTION bool opi_is_simple(OPI_GLOBAL const opi_range *range, uint32_t flags)
{
    return flags & OPI_FRESH || (range->count == 1 && range->level[0] == OPI_INIT_LEVEL);
}

/* Work-item 0: the nodes become the result, if one is wanted, and the range, if that is wanted. */
OPI_FUNCTION void opi_finish(OPI_LOCAL const opi_list *list, uint32_t count, OPI_GLOBAL opi_range *range,
                             uint64_t first, uint32_t flags, OPI_GLOBAL opi_answer *result OPI_TAKE_P)
{
    if (!result || flags & OPI_KEEP || !opi_is_simple(range, flags)) {
        opi_push_list(range, list, count, first, flags OPI_GIVE_P);
        if (result) *result = OPI_ANSWER(OPI_RANGE_FOLD(range)[range->count - 1]);
        return;
    }
    opi_node all = list->node[0];
    if (!(flags & OPI_FRESH)) all = opi_join(OPI_RANGE_FOLD(range)[0], all);
    for (uint32_t i = 1; i < count; i++) all = opi_join(all, list->node[i]);
    *result = OPI_ANSWER(all);
}

/* nodes: room for a node of each group, and of each bit of tail; ended: how many work-groups have ended; 0 between
 * launches. */
OPI_RESIDENT_KERNEL void opi_reduce(OPI_PARAM(in) OPI_MORE_PARAMS, OPI_PARAM(nodes), const uint64_t strips, const uint32_t log_own,
                                 const uint32_t tail, OPI_PARAM(range), const uint64_t first, const uint32_t flags,
                                 OPI_PARAM(ended), OPI_PARAM(result) OPI_KERNEL_P)
{
    OPI_AFTER_LAUNCHES();
    OPI_READ_P
    OPI_SOURCE(0)
    OPI_LOCAL_MEMORY opi_list list;
    OPI_LOCAL_MEMORY opi_node of_warp[2][OPI_W / 32];
    OPI_LOCAL_MEMORY uint32_t is_last;
    OPI_GLOBAL opi_node *const node = OPI_AT(opi_node, nodes);
    OPI_GLOBAL uint32_t *const count_of_ended = OPI_AT(uint32_t, ended);
    opi_write_nodes(of_warp, node, source, strips, log_own, tail OPI_GIVE_P);
    OPI_FENCE(); /* whoever sees the count sees the nodes */
    OPI_BARRIER();
    if (OPI_SELF == 0) is_last = OPI_INCREMENT(count_of_ended) + 1 == OPI_GROUPS;
    OPI_BARRIER();
    if (!is_last) return;
    OPI_FENCE();
    const uint32_t m = (uint32_t)(strips >> log_own), rest = (uint32_t)(strips & (((uint64_t)1 << log_own) - 1));
    const uint32_t whole = __popc(m), count = whole + __popc(rest) + __popc(tail);
    if (OPI_SELF < count - whole) list.node[whole + OPI_SELF] = node[m + OPI_SELF];
    if (m > 0) opi_list_whole(&list, of_warp[0], node, m OPI_GIVE_P);
    if (OPI_SELF == 0) {
        uint32_t at = opi_list_levels(&list, 0, m, OPI_LOG_STRIP + log_own);
        at = opi_list_levels(&list, at, rest, OPI_LOG_STRIP);
        opi_list_levels(&list, at, tail, 0);
        *count_of_ended = 0;
    }
    OPI_BARRIER();
    if (OPI_SELF == 0)
        opi_finish(&list, count, OPI_AT(opi_range, range), first, flags,
                   OPI_GIVEN(result) ? OPI_AT(opi_answer, result) : 0 OPI_GIVE_P);
}
