/* rows in, columns out
 *
 * Changes: Nothing yet: this is the definition. Each work-item moves one element of the n x n matrix; neighbouring
 * items have neighbouring elements of a row.
 *
 * Why: A warp reads 32 neighbouring words, which lie in 4 sectors of 32 bytes, and uses all of each. Still slow: it
 * writes 32 words that are n words apart: 32 sectors, of which an eighth each is wanted. Memory moves whole sectors, so
 * that caches must hold them until the warps with the rows below have filled the rest. */
KERNEL transpose(ARRAY(const uint, in), ARRAY(uint, out), const uint n)
{
    const uint i = GROUP * ITEMS + ITEM;
    const uint row = i / n, col = i % n;

    if (row < n)
        out[col * n + row] = in[row * n + col];
}
