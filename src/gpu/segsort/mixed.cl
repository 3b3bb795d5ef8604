/* The elements of the long segments of many are copied to where they lie together, and back.  This text comes behind
 * offset.cl, segment.cl, key.cl, key_order.cl, with_key.cl and packed.cl.
 *
 * list: what opi_offsets_list writes: where each of `count` long segments begins among those that are copied; where they all
 * end; where each begins among the caller's.  A work-group copies OPI_ELEMENTS neighbours, and finds their segments among few. */
#define OPI_W        (1u << OPI_LOG_W)
#define OPI_EACH     8 /* elements of a work-item */
#define OPI_ELEMENTS (OPI_EACH * OPI_W)

/* edge[] becomes the long segments of the first and the last of the elements [begin, end). */
OPI_FUNCTION void opi_find_edges(OPI_LOCAL uint64_t *edge, OPI_GLOBAL const opi_offset *start, uint64_t count,
                                 uint64_t begin, uint64_t end)
{
    for (uint32_t k = OPI_SELF; k < 2; k += OPI_W)
        edge[k] = opi_segment(start + 1, k == 0 ? begin : end - 1, 0, count - 1); /* before the last one's end */
    OPI_BARRIER();
}

/* The elements of this work-group, [begin, end), and their long segments; then for each of its elements i that is this
 * work-item's: its long segment s, and its place `at` among the caller's. */
#define OPI_OF_LONG                                                                                                    \
    OPI_LOCAL_MEMORY uint64_t edge[2];                                                                                 \
    OPI_GLOBAL const opi_offset *const start = OPI_AT(const opi_offset, list), *const begins = start + count + 1;      \
    const uint64_t begin = OPI_GROUP * OPI_ELEMENTS, end = n - begin < OPI_ELEMENTS ? n : begin + OPI_ELEMENTS;        \
    opi_find_edges(edge, start, count, begin, end);
#define OPI_EACH_OF_LONG for (uint64_t i = begin + OPI_SELF; i < end; i += OPI_W)
#define OPI_FIND_LONG                                                                                                  \
    const uint64_t s = opi_segment(start + 1, i, edge[0], edge[1]), at = begins[s] + (i - start[s]);

#if OPI_PACKED_SIZE
/* packed[i] becomes the key of element i of the long segments, and which of these has it. */
OPI_WHOLE_KERNEL void opi_long_gather_packed(OPI_PARAM(list), const uint64_t count, const uint64_t n, OPI_PARAM(keys),
                                             const uint64_t negative, const uint64_t flip, const uint32_t unused,
                                             OPI_PARAM(packed))
{
    const opi_order order = opi_order_of(negative, flip);
    OPI_OF_LONG
    OPI_EACH_OF_LONG
    {
        OPI_FIND_LONG
        OPI_AT(opi_packed, packed)[i] = opi_pack(OPI_AT(const opi_key, keys)[at], s, order, unused);
    }
}

/* The caller's key at the place of element i of the long segments becomes that of packed[i]. */
OPI_WHOLE_KERNEL void opi_long_scatter_packed(OPI_PARAM(list), const uint64_t count, const uint64_t n,
                                              OPI_PARAM(packed), const uint64_t negative, const uint64_t flip,
                                              const uint32_t unused, OPI_PARAM(keys))
{
    const opi_order order = opi_order_of(negative, flip);
    OPI_OF_LONG
    OPI_EACH_OF_LONG
    {
        OPI_FIND_LONG
        OPI_AT(opi_key, keys)[at] = opi_unpacked(OPI_AT(const opi_packed, packed)[i], order, unused);
    }
}
#endif

/* own_keys[i], own_values[i] become the key and the value of element i of the long segments; numbers[i] which of these
 * has it. */
OPI_WHOLE_KERNEL void opi_long_gather(OPI_PARAM(list), const uint64_t count, const uint64_t n, OPI_PARAM(keys),
                                      OPI_PARAM(values), OPI_PARAM(own_keys), OPI_PARAM(own_values), OPI_PARAM(numbers))
{
    OPI_OF_LONG
    OPI_EACH_OF_LONG
    {
        OPI_FIND_LONG
        OPI_AT(opi_key, own_keys)[i] = OPI_AT(const opi_key, keys)[at];
#if OPI_VALUE_SIZE
        OPI_AT(opi_moved, own_values)[i] = OPI_AT(const opi_moved, values)[at];
#endif
        OPI_AT(opi_number, numbers)[i] = (opi_number)s;
    }
}

/* The caller's element at the place of element i of the long segments becomes own_keys[i], or own_keys[order[i]] if
 * there is an order; so does its value. */
OPI_WHOLE_KERNEL void opi_long_scatter(OPI_PARAM(list), const uint64_t count, const uint64_t n, OPI_PARAM(order),
                                       OPI_PARAM(own_keys), OPI_PARAM(own_values), OPI_PARAM(keys), OPI_PARAM(values))
{
    OPI_OF_LONG
    OPI_EACH_OF_LONG
    {
        OPI_FIND_LONG
        const uint64_t from = OPI_GIVEN(order) ? (uint64_t)OPI_AT(const opi_index, order)[i] : i;
        OPI_AT(opi_key, keys)[at] = OPI_AT(const opi_key, own_keys)[from];
#if OPI_VALUE_SIZE
        OPI_AT(opi_moved, values)[at] = OPI_AT(const opi_moved, own_values)[from];
#endif
    }
}
