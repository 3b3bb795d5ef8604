/* radix sort: a pass of one bit
 *
 * Changes: zeros says 1 of keys whose bit is 0. The exclusive scan of that is the address of each of them; keys
 * whose bit is 1 follow behind the last of them, in their order: the i-th key has i - zeros_before ones before it.
 *
 * Why: Each pass is stable, so that after the pass of bit b the keys are in order by bits 0 to b. Still slow: a pass
 * moves all keys for one bit, 32 passes of three steps each. Passes of 8 bits are four; what they scan is 256 counts in
 * place of one. */
KERNEL zeros(ARRAY(const uint, in), ARRAY(uint, zero), const uint n, const uint bit)
{
    const uint i = GROUP * ITEMS + ITEM;

    if (i < n)
        zero[i] = ~in[i] >> bit & 1;
}

KERNEL scatter(ARRAY(const uint, in), ARRAY(const uint, zero), ARRAY(const uint, zeros_before), ARRAY(uint, out),
               const uint n)
{
    const uint i = GROUP * ITEMS + ITEM;

    if (i < n) {
        const uint all_zeros = zeros_before[n - 1] + zero[n - 1];
        out[zero[i] ? zeros_before[i] : all_zeros + i - zeros_before[i]] = in[i];
    }
}
