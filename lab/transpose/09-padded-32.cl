/* padded tiles of 32 x 32
 *
 * Changes: 33 words a row for a tile as wide as a warp.
 *
 * Why: Element (y, x) lies in bank (33 y + x) mod 32 = (y + x) mod 32: a row meets every bank once, and so does a
 * column. No conflict is left, for 128 bytes of shared memory. */
#like 05-tiled-32.cl
#swap tile[TILE][TILE] => tile[TILE][TILE + 1]
