/* the second kernel: what precedes a block
 *
 * Changes: Every block but the first adds the sum of all blocks before it.
 *
 * Why: The work-groups of one launch cannot wait for each other: none is promised to run while another waits. So
 * scanned blocks are made into one scan by a launch of its own, which reads and writes every element once more. */
KERNEL add(ARRAY(uint, out), ARRAY(const uint, sums), const uint n, const uint block)
{
    const uint first = (GROUP + 1) * block;
    const uint before = sums[GROUP];

    for (uint k = ITEM; k < block; k += ITEMS)
        if (first + k < n)
            out[first + k] += before;
}
