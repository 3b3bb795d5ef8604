/* shared memory, with a stride
 *
 * Changes: Work-item i begins at word i * stride of shared memory.
 *
 * Why: Word w lies in bank w % 32, and a bank gives one word at once: with an odd stride the 32 lanes meet 32 different
 * banks, and are served together. Still slow: with an even one they meet fewer, and lanes that want different words of
 * one bank are served one after another: as many share a bank as the greatest common divisor of the stride and 32 says.
 * A row of 33 words in place of 32 is the usual remedy. */
KERNEL banks(ARRAY(const uint, in), ARRAY(uint, out), const uint stride, const uint rounds)
{
    SHARED uint word[WORDS];
    uint sum = GROUP;

    for (uint i = ITEM; i < WORDS; i += ITEMS)
        word[i] = in[i];
    BARRIER();

    for (uint round = 0; round < rounds; round++) {
        const uint first = (ITEM * stride + round) % SPAN;
        UNROLLED
        for (uint read = 0; read < READS; read++)
            sum += word[first + read * BANKS];
    }
    out[GROUP * ITEMS + ITEM] = sum;
}
