/* Scans of blocks, as the table of builtin.c has them.  A part of the template tree.h. */

static void N(scan_fast)(const void *in, unsigned level, int exclusive, const void *before, void *out, void *node)
{
    const size_t n = (size_t)1 << level;
    if (n < W)
        N(scan)(in, level, exclusive, before, out, node);
    else
        N(scan_tiles)(in, n, exclusive ? N(EXCLUSIVE) : N(INCLUSIVE), *(const T *)before, out, node);
}

/* Scans a block of at least a tile and a cache line, past the caches; see opi_builtin::block_far. */
__attribute__((unused)) static void N(scan_far)(const void *in, unsigned level, int exclusive, const void *before,
                                                void *out, void *node, void *tail)
{
    N(scan_tiles_to)
    (in, (size_t)1 << level, exclusive ? N(EXCLUSIVE) : N(INCLUSIVE), *(const T *)before, out, node, true,
     exclusive ? NULL : tail);
}

/* Scans several largest blocks in a cache; see opi_builtin::scan_blocks. */
static void N(scan_blocks)(const void *in, unsigned level, int exclusive, const void *before, void *out, void *node)
{
    const size_t block = (size_t)1 << LEVELS, blocks = (size_t)1 << (level - LEVELS);
    T nodes[1 << OPI_BLOCKS_LEVEL], c[1 << OPI_BLOCKS_LEVEL]; /* nodes[b]: the largest one that ends with block b */
    c[0] = *(const T *)before;
    for (size_t b = 0; b < blocks; b++) {
        T *const y = (T *)out + b * block;
        N(scan_tiles)
        ((const T *)in + b * block, block, exclusive ? N(EXCLUSIVE) : N(INCLUSIVE), c[b], y, &nodes[b]);
        for (size_t h = 1; b & h; h *= 2) nodes[b] = JOIN(nodes[b - h], nodes[b]);
        if (b + 1 < blocks) {
            c[b + 1] = JOIN(c[b & (b + 1)], nodes[b]);
            if (!exclusive) y[block - 1] = c[b + 1];
        }
        QUIET(y, block);
    }
    *(T *)node = nodes[blocks - 1];
}
