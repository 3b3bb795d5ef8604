/* padded tiles of 16 x 16
 *
 * Changes: A row of the tile in shared memory is one word longer than it need be. The word is never used.
 *
 * Why: The words of a column are now 17 apart, which is odd: they lie in different banks. Still slow: a warp takes 16
 * words each of two neighbouring columns, of which one pair still meets; and so does one pair of two rows. A row is
 * still half of a line. */
#define TILE 16

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
