/* padded tiles of 32 x 32
 *
 * Changes: 33 words a row for a tile as wide as a warp.
 *
 * Why: Element (y, x) lies in bank (33 y + x) mod 32 = (y + x) mod 32: a row meets every bank once, and so does a
 * column. No conflict is left, for 128 bytes of shared memory. */
#define TILE 32

KERNEL transpose(ARRAY(const uint, in), ARRAY(uint, out), const uint n)
{
    SHARED uint tile[TILE][TILE + 1];
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
