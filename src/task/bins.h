/* Bins: how it is found to which of them an element belongs. */
#ifndef OPI_BINS_H
#define OPI_BINS_H

#include <oplus/elements.h>

#include <stdint.h>

typedef enum opi_binning {
    OPI_BY_NUMBER, /* the element is an index: it is the number of its bin */
    OPI_BY_EVEN,   /* bins of one width, from low to high */
    OPI_BY_EDGES   /* bin b begins at edge b */
} opi_binning;

typedef struct opi_bins {
    opi_binning binning;
    const oplus_type *type;  /* of an element, a number; by number, an integer */
    uint64_t n;              /* number of bins, at least 1 */
    oplus_bounds bounds;     /* by number: what becomes of an index out of range */
    double low, high, scale; /* even: scale is n / (high - low) */
} opi_bins;

#endif
