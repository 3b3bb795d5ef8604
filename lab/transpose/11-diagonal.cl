/* padded tiles in diagonal order
 *
 * Changes: Neighbouring work-groups take tiles along a diagonal, not along a row.
 *
 * Why: Along a diagonal both what is read and what is written spread over the partitions of memory. In the order of
 * rows, groups that run together write tiles that lie below each other: at a pitch of 4096 words these begin in the
 * same partition of a GTX 280, and queue for it while others idle (partition camping). Later devices scramble addresses
 * among their channels: look whether there is anything left to gain. */
#define TILE 32

KERNEL transpose(ARRAY(const uint, in), ARRAY(uint, out), const uint n)
{
    SHARED uint tile[TILE][TILE + 1];
    const uint x = ITEM % TILE, y = ITEM / TILE;
    const uint tiles = (n + TILE - 1) / TILE; /* in a row of them */
    const uint across = GROUP % tiles, down = (GROUP / tiles + across) % tiles;
    const uint top = down * TILE, left = across * TILE;

    UNROLLED for (uint r = 0; r < TILE; r += ROWS)
        if (top + y + r < n && left + x < n)
            tile[y + r][x] = in[(top + y + r) * n + left + x];
    BARRIER();

    UNROLLED for (uint r = 0; r < TILE; r += ROWS)
        if (left + y + r < n && top + x < n)
            out[(left + y + r) * n + top + x] = tile[x][y + r];
}
