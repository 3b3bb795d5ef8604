/* shared memory, several lanes at one word
 *
 * Changes: Work-item i begins at word i / c: groups of c neighbours read the same word.
 *
 * Why: Lanes that want the same word do not conflict: the bank gives it once, to all of them. Every c should be as
 * fast as c = 1. */
KERNEL broadcast(ARRAY(const uint, in), ARRAY(uint, out), const uint c, const uint rounds)
{
    SHARED uint word[WORDS];
    uint sum = GROUP;

    for (uint i = ITEM; i < WORDS; i += ITEMS)
        word[i] = in[i];
    BARRIER();

    for (uint round = 0; round < rounds; round++) {
        const uint first = (ITEM / c + round) % SPAN;
        UNROLLED
        for (uint read = 0; read < READS; read++)
            sum += word[first + read * BANKS];
    }
    out[GROUP * ITEMS + ITEM] = sum;
}
