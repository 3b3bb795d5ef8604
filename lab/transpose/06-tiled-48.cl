/* tiles of 48 x 48
 *
 * Changes: The tile is one and a half warps wide: each work-item moves six elements, and 48 * 8 items make a group.
 *
 * Why: More bytes are under way for each barrier. Still slow: rows of 48 words hold one warp and a half, so that every
 * third warp lies in two rows; a column lies in two banks; and the last tiles stick out beyond the edges of 4000 and
 * 4096. */
#like 04-tiled-16.cl
#swap TILE 16 => TILE 48
