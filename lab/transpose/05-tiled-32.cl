/* tiles of 32 x 32
 *
 * Changes: The tile is as wide as a warp: each work-item moves four elements.
 *
 * Why: A warp reads and writes one whole line of 128 bytes. Still slow: a column of the tile lies in one bank of the
 * 32; the lanes that read it are served one after another, 32 passes for what could be one. */
#define TILE 32

KERNEL transpose(ARRAY(const uint, in), ARRAY(uint, out), const uint n)
{
    SHARED uint tile[TILE][TILE];
    const uint x = ITEM % TILE, y = ITEM / TILE;
    const uint tiles = (n + TILE - 1) / TILE; /* in a row of them */
    const uint top = GROUP / tiles * TILE, left = GROUP % tiles * TILE;

    UNROLLED for (uint r = 0; r < TILE; r += ROWS)
        if (top + y + r < n && left + x < n)
            tile[y + r][x] = in[(top + y + r) * n + left + x];
    BARRIER();

    UNROLLED for (uint r = 0; r < TILE; r += ROWS)
        if (left + y + r < n && top + x < n)
            out[(left + y + r) * n + top + x] = tile[x][y + r];
}
