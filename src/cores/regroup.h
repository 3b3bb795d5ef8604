/* Regroup: the elements of several parts of a matrix, each in the order of its columns, become those of the whole, in the
 * order of its columns.
 *
 * A part is any range of the matrix's elements, which may begin and end inside a row.  A column of it is still a run
 * of rows, so that where an element stands in the order of the columns is a formula. */
#ifndef OPI_REGROUP_H
#define OPI_REGROUP_H

#include "cores/sweep.h"

typedef struct opi_place {
    size_t row, col;
} opi_place;

/* Elements of a row-major matrix, from one place on to before another. */
typedef struct opi_slice {
    opi_place begin, end;
} opi_slice;

static inline opi_slice opi_slice_of(size_t begin, size_t end, size_t cols)
{
    return (opi_slice){{begin / cols, begin % cols}, {end / cols, end % cols}};
}

/* How many elements of a slice precede a place in the order of the columns; the place {0, cols} is behind all. */
size_t opi_slice_before(const opi_slice *slice, opi_place place);

/* A part, and where its elements are: the one of that index, in the order of the part's columns, is at `from`. */
typedef struct opi_matrix_part {
    opi_slice slice;
    size_t first;
    const char *from;
} opi_matrix_part;

typedef struct opi_regroup_sweep {
    opi_sweep sweep; /* over elements of out */
    size_t size;     /* of an element, bytes */
    size_t cols;     /* of the matrix */
    opi_slice whole;
    size_t first; /* index of out[0] in the order of the whole's columns */
    const opi_matrix_part *part;
    int parts;
    char *out;
} opi_regroup_sweep;

/* out: n elements, from the index `first` on.  The parts follow each other and are the whole; of each there are the
 * elements that out gets. */
void opi_regroup_plan(opi_regroup_sweep *plan, size_t size, size_t cols, const opi_slice *whole,
                      const opi_matrix_part *part, int parts, void *out, size_t first, size_t n);

#endif
