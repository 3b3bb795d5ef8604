/* Tiles: W vectors of W lanes.  Level by level, pairs of vectors are shuffled into the left and the right operands of
 * neighbours at distance h, so that W vectors become one, which holds in lane v the result of vector v. */
#ifndef OPI_ISA_TILES_H
#define OPI_ISA_TILES_H

/* Pairs at distance h, for which h lanes are one piece: pieces a0 a1 a2 a3 and b0 b1 b2 b3 give a0 b0 a2 b2 and
 * a1 b1 a3 b3; this undoes itself.  Floats at distances 1 and 2 are shuffled as in the picture of tree.h, by
 * instructions of SSE2 and AVX2. */
#define OPI_SWAP_LEFT(W, h, l)   ((l) & (h) ? (W) + (l) - (h) : (l))
#define OPI_SWAP_RIGHT(W, h, l)  ((l) & (h) ? (W) + (l) : (((l) + (h)) & (2 * (W)-1)))
#define OPI_QUAD_LEFT(W, h, l)   (((l) & ~3) + ((l)&2 ? (W) + 2 * ((l)&1) : 2 * ((l)&1)))
#define OPI_QUAD_RIGHT(W, h, l)  (OPI_QUAD_LEFT(W, h, l) + 1)
#define OPI_QUAD_FIRST(W, h, l)  (((l) & ~3) + ((l)&3) / 2 + ((l)&1 ? (W) : 0))
#define OPI_QUAD_SECOND(W, h, l) (OPI_QUAD_FIRST(W, h, l) + 2)

/* Calls LEVEL(h, left, right) for each distance, from the nearest on: the first one, and the others; and on the way
 * back LEVEL(h, first, second). */
#define OPI_LEVEL_ONE_32(LEVEL) LEVEL(1, OPI_QUAD_LEFT, OPI_QUAD_RIGHT)
#define OPI_LEVELS_ON_32(LEVEL)                                                                                        \
    LEVEL(2, OPI_QUAD_LEFT, OPI_QUAD_RIGHT)                                                                            \
    LEVEL(4, OPI_SWAP_LEFT, OPI_SWAP_RIGHT)                                                                            \
    LEVEL(8, OPI_SWAP_LEFT, OPI_SWAP_RIGHT)
#define OPI_LEVEL_ONE_64(LEVEL) LEVEL(1, OPI_SWAP_LEFT, OPI_SWAP_RIGHT)
#define OPI_LEVELS_ON_64(LEVEL)                                                                                        \
    LEVEL(2, OPI_SWAP_LEFT, OPI_SWAP_RIGHT)                                                                            \
    LEVEL(4, OPI_SWAP_LEFT, OPI_SWAP_RIGHT)
#define OPI_LEVELS_UP_32(LEVEL) OPI_LEVEL_ONE_32(LEVEL) OPI_LEVELS_ON_32(LEVEL)
#define OPI_LEVELS_UP_64(LEVEL) OPI_LEVEL_ONE_64(LEVEL) OPI_LEVELS_ON_64(LEVEL)
#define OPI_LEVELS_DOWN_32(LEVEL)                                                                                      \
    LEVEL(8, OPI_SWAP_LEFT, OPI_SWAP_RIGHT)                                                                            \
    LEVEL(4, OPI_SWAP_LEFT, OPI_SWAP_RIGHT)                                                                            \
    LEVEL(2, OPI_QUAD_FIRST, OPI_QUAD_SECOND)                                                                          \
    LEVEL(1, OPI_QUAD_FIRST, OPI_QUAD_SECOND)
#define OPI_LEVELS_DOWN_64(LEVEL)                                                                                      \
    LEVEL(4, OPI_SWAP_LEFT, OPI_SWAP_RIGHT)                                                                            \
    LEVEL(2, OPI_SWAP_LEFT, OPI_SWAP_RIGHT)                                                                            \
    LEVEL(1, OPI_SWAP_LEFT, OPI_SWAP_RIGHT)

#endif
