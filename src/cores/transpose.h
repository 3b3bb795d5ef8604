/* Transpose: tiles of a matrix, turned in a first-level cache. */
#ifndef OPI_TRANSPOSE_H
#define OPI_TRANSPOSE_H

#include "cores/isa.h"
#include "cores/sweep.h"
#include "task/task.h"

typedef struct opi_transpose_sweep {
    opi_sweep sweep; /* over tiles, bands of rows one after the other; in place, over bands */
    const opi_isa *isa;
    size_t size; /* of an element, bytes */
    const char *in;
    char *out;
    size_t rows, cols;   /* of in */
    size_t down, across; /* rows and columns of a tile */
    size_t lead;         /* rows above a tile that are turned with it, so that it is written by whole lines */
    size_t chunk;        /* columns of a tile that are turned at a time */
    bool packed;         /* a tile is turned in scratch and written from there */
    bool streaming;      /* past the caches */
} opi_transpose_sweep;

/* The matrix must not be empty. */
void opi_transpose_plan(opi_transpose_sweep *plan, const opi_isa *isa, const opi_task *task);

#endif
