/* tiles of 16 x 16
 *
 * Changes: A work-group brings a square tile into shared memory row by row, and takes it out column by column. Eight
 * rows move at once.
 *
 * Why: Only shared memory is read against the grain; global memory is read and written along rows. Still slow: a row of
 * the tile is 64 bytes, half of a line of 128, so that a warp touches two rows; and the words of a column of the tile
 * lie in two banks. */
#define TILE 16

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
