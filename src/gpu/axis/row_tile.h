/* Tiles of short rows of neighbours, which work-groups copy into local memory (row_tile.cl). */
#ifndef OPI_GPU_ROW_TILE_H
#define OPI_GPU_ROW_TILE_H

#include "gpu/job.h"

/* How an array of rows is cut: a tile is `rows` whole rows. */
typedef struct opi_row_tiles {
    uint64_t tiles;
    uint32_t rows;
} opi_row_tiles;

/* log2 of the work-items of a work-group. */
unsigned opi_row_tiles_log_w(const opi_gpu_facts *facts);
/* Whether the device's local memory has room for tiles, and rows of so many bytes are short enough for them. */
bool opi_row_tiles_can(const opi_job *job, uint64_t row_bytes);
/* outer: how many rows there are; row_bytes: of each; most: rows of a tile. */
opi_row_tiles opi_row_tiles_of(const opi_job *job, uint64_t outer, uint64_t row_bytes, uint64_t most);
/* Defines the unit of elements of such a size and alignment, and writes unit.cl and row_tile.cl.  The shape comes before. */
void opi_row_tiles_write(opi_gpu_source *source, size_t size, size_t align);

#endif
