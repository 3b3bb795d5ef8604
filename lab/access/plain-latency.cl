/* one load after another
 *
 * Changes: One work-item follows a chain through memory: each load says where the next one goes.
 *
 * Why: Nothing can be asked for ahead, so that the time of a step is that of one load: the latency of memory, with no
 * cache to help, for the chain leaps all over an array that no cache holds. */
KERNEL chase(ARRAY(const uint, next), ARRAY(uint, at), const uint steps)
{
    uint here = at[0];

#pragma unroll 1
    for (uint i = 0; i < steps; i++)
        here = next[here];
    at[0] = here;
}
