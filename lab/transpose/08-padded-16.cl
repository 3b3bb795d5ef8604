/* padded tiles of 16 x 16
 *
 * Changes: A row of the tile in shared memory is one word longer than it need be. The word is never used.
 *
 * Why: The words of a column are now 17 apart, which is odd: they lie in different banks. Still slow: a warp takes 16
 * words each of two neighbouring columns, of which one pair still meets; and so does one pair of two rows. A row is
 * still half of a line. */
#like 04-tiled-16.cl
#swap tile[TILE][TILE] => tile[TILE][TILE + 1]
