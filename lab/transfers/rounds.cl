/* as much arithmetic as is asked for
 *
 * Changes: Every element between begin and end goes through so many rounds of six operations, each of which needs the
 * one before.
 *
 * Why: The kernel reads and writes each element once, however many rounds there are: its time is set at will, and what
 * it overlaps with stays the same. */
KERNEL rounds(ARRAY(uint, array), const uint begin, const uint end, const uint count)
{
    const uint i = begin + GROUP * ITEMS + ITEM;

    if (i < end) {
        uint a = array[i];
        for (uint k = 0; k < count; k++) {
            a ^= a << 13;
            a ^= a >> 17;
            a ^= a << 5;
        }
        array[i] = a;
    }
}
