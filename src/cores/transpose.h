/* Transpose: tiles of a matrix, turned in a first-level cache. */
#ifndef OPI_TRANSPOSE_H
#define OPI_TRANSPOSE_H

#include "base/memory.h"
#include "cores/isa.h"
#include "cores/sweep.h"
#include "task/task.h"

/* The fewest rows that are whole cache lines of each column. */
static inline size_t opi_transpose_rows(size_t size)
{
    const size_t power_of_two = size & -size, line = OPI_CACHE_LINE;
    return power_of_two < line ? line / power_of_two : 1;
}

/* The rows that `transpose_lines` reads side by side: a processor foresees the reading of some 16 rows, and whoever
 * writes two lines of a column at a time is faster than with one. */
enum { OPI_SIDE_BY_SIDE = 16 };
static inline size_t opi_transpose_step(size_t size) { return opi_larger(opi_transpose_rows(size), OPI_SIDE_BY_SIDE); }

/* The scratch of `transpose_lines`: a piece of as many rows as a line has bytes, at most, and two steps of a column. */
static inline size_t opi_transpose_scratch(size_t size, size_t cols)
{
    return OPI_CACHE_LINE * OPI_CACHE_LINE + cols * 2 * opi_transpose_step(size) * size;
}

struct opi_transpose_tile;

typedef struct opi_transpose_sweep {
    opi_sweep sweep; /* over tiles, bands of rows one after the other; in place, over bands */
    const opi_isa *isa;
    size_t size; /* of an element, bytes */
    const char *in;
    char *out;
    size_t rows, cols;   /* of in */
    size_t down, across; /* rows and columns of a tile */
    bool streaming;      /* past the caches */
    void (*turn)(const struct opi_transpose_sweep *plan, const struct opi_transpose_tile *t, void *scratch);
} opi_transpose_sweep;

/* The matrix must not be empty.  workers: how many threads there are. */
void opi_transpose_plan(opi_transpose_sweep *plan, const opi_isa *isa, size_t workers, const opi_task *task);

#endif
