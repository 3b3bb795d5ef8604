/* integer operations
 *
 * Changes: OPERATION is one of those in the table: x ^ by, x * by, x / by, x / 16u, x >> 4, ... An addition goes with
 * each, so that no compiler can take many at once.
 *
 * Why: Adders and shifters are cheap and there are many. A division by a constant power of two becomes a shift, one by
 * another constant a multiplication and a shift. Still slow: a division by a value that is known only at run time
 * becomes many instructions, for a GPU has no divider for integers. */
#ifndef OPERATION
#define OPERATION x ^ by
#endif

KERNEL operate(ARRAY(uint, out), const uint by, const uint more, const uint rounds)
{
    uint x = ITEM * 2654435761u;

    for (uint round = 0; round < rounds; round++) {
        UNROLLED
        for (uint k = 0; k < READS; k++)
            x = (OPERATION) + more;
    }
    out[GROUP * ITEMS + ITEM] = x + GROUP;
}
