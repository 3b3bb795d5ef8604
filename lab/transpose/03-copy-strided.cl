/* columns in, columns out
 *
 * Changes: A copy again, but neighbouring items go down a column: they read words that are n words apart, and put them
 * where they belong, n words apart too.
 *
 * Why: Nothing is gained: it shows what the wrong direction costs, where only that is changed. Still slow: each warp
 * touches 32 sectors where it reads and 32 where it writes. The naive transpose has that trouble on one side, this has
 * it on both: the lecture's 2.7 GB/s is about half of its 5.3. */
KERNEL copy(ARRAY(const uint, in), ARRAY(uint, out), const uint n)
{
    const uint i = GROUP * ITEMS + ITEM;
    const uint row = i % n, col = i / n;

    if (col < n)
        out[row * n + col] = in[row * n + col];
}
