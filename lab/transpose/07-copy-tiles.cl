/* copy through tiles
 *
 * Changes: The tile is brought into shared memory, and taken out as it came in. The result is a copy.
 *
 * Why: It tells what the way through shared memory and its barrier cost by themselves: no column is read, and no banks
 * conflict. A transpose through such tiles can hope for this rate. */
#define TILE 32

KERNEL copy(ARRAY(const uint, in), ARRAY(uint, out), const uint n)
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
        if (top + y + r < n && left + x < n)
            out[(top + y + r) * n + left + x] = tile[y + r][x];
}
