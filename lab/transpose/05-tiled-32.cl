/* tiles of 32 x 32
 *
 * Changes: The tile is as wide as a warp: each work-item moves four elements.
 *
 * Why: A warp reads and writes one whole line of 128 bytes. Still slow: a column of the tile lies in one bank of the
 * 32; the lanes that read it are served one after another, 32 passes for what could be one. */
#like 04-tiled-16.cl
#swap TILE 16 => TILE 32
