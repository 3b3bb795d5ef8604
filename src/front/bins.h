/* Counts in bins: what the calls of one process and those over ranks check. */
#ifndef OPI_FRONT_BINS_H
#define OPI_FRONT_BINS_H

#include "front/check.h"
#include "task/bins.h"

/* The arguments that all these calls have: elements or indices, and counts. */
typedef struct opi_counting {
    oplus_device *dev;
    const oplus_type *type; /* of an element, or of an index */
    const void *in;
    size_t n;
    const oplus_type *counter;
    void *counts;
    size_t bins;
} opi_counting;

/* Check everything, and fill in the bins. */
oplus_status opi_bins_by_number(const char *call, const opi_counting *c, oplus_bounds bounds, opi_bins *bins);
oplus_status opi_bins_even(const char *call, const opi_counting *c, double low, double high, opi_bins *bins);
/* The edges are copied to the host, wherever they lie, and checked there; *copy must be freed by opi_free, also after a
 * failure. */
oplus_status opi_bins_between(const char *call, const opi_counting *c, const void *edges, opi_bins *bins, void **copy);

/* The largest count that a type of counts holds. */
uint64_t opi_largest_count(const oplus_type *counter);

#endif
