/* an offset
 *
 * Changes: Work-item i reads element i + offset, so that a warp of 32 begins at any word, not at a multiple of 32.
 *
 * Why: A warp that begins at a sector's first word needs 4 sectors of 32 bytes, and uses all of each. Still slow:
 * memory moves whole sectors, and a warp that begins elsewhere needs 5, and leaves a part of the first and of the last
 * unused. Its neighbours want those parts, and find them in a cache, where there is one. */
KERNEL offsets(ARRAY(const uint, in), ARRAY(uint, out), const uint offset)
{
    const uint i = GROUP * ITEMS + ITEM;
    uint sum = 0;

    UNROLLED
    for (uint load = 0; load < LOADS; load++)
        sum += in[load * GROUPS * ITEMS + i + offset];
    out[i] = sum;
}
