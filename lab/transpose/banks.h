/* Which banks of shared memory a tile's columns lie in. */
#ifndef LAB_TRANSPOSE_BANKS_H
#define LAB_TRANSPOSE_BANKS_H

#include "lab/lab.h"

/* A drawing of a tile with and without padding, and the passes that a warp needs, for all tiles of the ladder; both are
 * computed. */
void lab_transpose_banks(lab *l);

#endif
