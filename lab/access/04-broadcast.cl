/* shared memory, several lanes at one word
 *
 * Changes: Work-item i begins at word i / c: groups of c neighbours read the same word.
 *
 * Why: Lanes that want the same word do not conflict: the bank gives it once, to all of them. Every c should be as
 * fast as c = 1. */
#like 03-banks.cl
#swap KERNEL banks => KERNEL broadcast
#swap const uint stride => const uint c
#swap ITEM * stride => ITEM / c
