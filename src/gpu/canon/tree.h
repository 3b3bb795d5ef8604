/* The canonical tree inside a tile, on an accelerator. */
#ifndef OPI_GPU_TREE_H
#define OPI_GPU_TREE_H

#include "gpu/source.h"

/* Whether a work-group consists of whole warps, which can exchange what is in their registers. */
bool opi_gpu_has_warps(const opi_gpu_source *source, opi_shape shape);
/* Writes the texts of the tree for this shape; element: size of what a tile consists of. */
void opi_gpu_write_tree(opi_gpu_source *source, opi_shape shape, size_t element);
/* Writes what the elements of a kernel are (elements.cl). */
void opi_gpu_write_elements(opi_gpu_source *source);
/* The same, and the text that moves the elements of a tile (tile.cl). */
void opi_gpu_write_tile(opi_gpu_source *source);

#endif
