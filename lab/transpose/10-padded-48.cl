/* padded tiles of 48 x 48
 *
 * Changes: 49 words a row for a tile of one and a half warps.
 *
 * Why: 49 is odd as well: the words of a column that a warp reads lie in different banks. Still slow: of a warp that
 * lies in two rows, or columns, one pair still meets in a bank; and the tiles stick out as before. */
#like 06-tiled-48.cl
#swap tile[TILE][TILE] => tile[TILE][TILE + 1]
