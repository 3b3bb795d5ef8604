/* Regroup: the elements of several parts of a matrix, each in the order of its columns, are put together to the whole,
 * in the order of its columns.
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

/* A part of a matrix, and where its elements are, in the order of its columns. */
typedef struct opi_matrix_part {
    opi_slice slice;
    const char *from; /* its elements, or those of them that are wanted */
    size_t first;     /* index of the element at `from`, in the order of the part's columns */
} opi_matrix_part;

typedef struct opi_regroup_sweep {
    opi_sweep sweep; /* over the elements of out */
    size_t size;     /* bytes of an element */
    size_t cols;     /* columns of the matrix */
    opi_slice whole; /* all parts together */
    size_t first;    /* index of out[0] in the order of the whole's columns */
    const opi_matrix_part *part;
    int parts; /* how many there are */
    char *out;
} opi_regroup_sweep;

/* out gets n elements of the whole, from the index `first` on.  The parts follow each other and make up the whole; each
 * has at least the elements that out gets of it. */
void opi_regroup_plan(opi_regroup_sweep *plan, size_t size, size_t cols, const opi_slice *whole,
                      const opi_matrix_part *part, int parts, void *out, size_t first, size_t n);

#endif
