/* padded tiles in diagonal order
 *
 * Changes: Neighbouring work-groups take tiles along a diagonal, not along a row.
 *
 * Why: Along a diagonal both what is read and what is written spread over the partitions of memory. In the order of
 * rows, groups that run together write tiles that lie below each other: at a pitch of 4096 words these begin in the
 * same partition of a GTX 280, and queue for it while others idle (partition camping). Later devices scramble addresses
 * among their channels: look whether there is anything left to gain. */
#like 09-padded-32.cl
#swap const uint top = GROUP / tiles * TILE, left = GROUP % tiles * TILE; => const uint across = GROUP % tiles, down = (GROUP / tiles + across) % tiles;\n    const uint top = down * TILE, left = across * TILE;
