/* tiles of 48 x 48
 *
 * Changes: The tile is one and a half warps wide: each work-item moves six elements, and 48 * 8 items make a group.
 *
 * Why: More bytes are under way for each barrier. Still slow: rows of 48 words hold one warp and a half, so that every
 * third warp lies in two rows; a column lies in two banks; and the last tiles stick out beyond the edges of 4000 and
 * 4096. */
#define TILE 48

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
