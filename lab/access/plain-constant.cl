/* constant memory
 *
 * Changes: The lanes of a warp read the same word of a table, or up to 32 different ones: as many neighbours share one
 * as the parameter same says. The table lies in constant memory; and, to compare, in global memory.
 *
 * Why: Constant memory has a cache of its own, which gives one word at once, to all lanes that want it. It is made for
 * what all work-items read together: coefficients, parameters. Still slow: lanes that want other words wait for their
 * turn, so that it is not made for tables that each looks up in its own place. */
#define V(i)       ((i) * 2654435761u ^ 0x5bd1e995u)
#define V4(i)      V(i), V((i) + 1u), V((i) + 2u), V((i) + 3u)
#define V16(i)     V4(i), V4((i) + 4u), V4((i) + 8u), V4((i) + 12u)
#define V64(i)     V16(i), V16((i) + 16u), V16((i) + 32u), V16((i) + 48u)

CONSTANT_TABLE uint table[TABLE] = {V64(0u), V64(64u), V64(128u), V64(192u)};

KERNEL from_constant(ARRAY(uint, out), const uint same, const uint rounds)
{
    const uint self = ITEM % WARP / same;
    uint sum = GROUP;

    for (uint round = 0; round < rounds; round++) {
        const uint first = (self + round) % (TABLE / 2);
        UNROLLED
        for (uint read = 0; read < READS; read++)
            sum += table[first + read * (TABLE / 2 / READS)];
    }
    out[GROUP * ITEMS + ITEM] = sum;
}

KERNEL from_global(ARRAY(const uint, in), ARRAY(uint, out), const uint same, const uint rounds)
{
    const uint self = ITEM % WARP / same;
    uint sum = GROUP;

    for (uint round = 0; round < rounds; round++) {
        const uint first = (self + round) % (TABLE / 2);
        UNROLLED
        for (uint read = 0; read < READS; read++)
            sum += in[first + read * (TABLE / 2 / READS)];
    }
    out[GROUP * ITEMS + ITEM] = sum;
}
