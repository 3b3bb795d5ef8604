/* padded tiles of 48 x 48
 *
 * Changes: 49 words a row for a tile of one and a half warps.
 *
 * Why: 49 is odd as well: the words of a column that a warp reads lie in different banks. Still slow: of a warp that
 * lies in two rows, or columns, one pair still meets in a bank; and the tiles stick out as before. */
#define TILE 48

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
