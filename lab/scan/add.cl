/* the second kernel: what precedes a block
 *
 * Changes: Every block but the first adds the sum of all blocks before it.
 *
 * Why: It makes one scan of the blocks' scans. The work-groups of one launch cannot wait for each other, since none is
 * promised to run while another waits: so this is a launch of its own. Still slow: it reads and writes every element
 * once more. */
KERNEL add(ARRAY(uint, out), ARRAY(const uint, sums), const uint n, const uint block)
{
    const uint first = (GROUP + 1) * block;
    const uint before = sums[GROUP];

    for (uint k = ITEM; k < block; k += ITEMS)
        if (first + k < n)
            out[first + k] += before;
}
