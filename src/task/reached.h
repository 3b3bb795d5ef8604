/* Sorted runs in the memory of several devices, which one of them merges: it reaches all of them. */
#ifndef OPI_REACHED_H
#define OPI_REACHED_H

#include "task/task.h"

enum { OPI_MOST_REACHED = 8 };

/* A part of the stable merge of some runs.  Of equal keys those of earlier runs come first. */
typedef struct opi_reached {
    const oplus_type *key, *value; /* value NULL: there are only keys */
    oplus_order order;
    unsigned runs; /* 2 or more */
    const void *keys[OPI_MOST_REACHED], *values[OPI_MOST_REACHED];
    uint64_t n[OPI_MOST_REACHED]; /* elements of each run, together less than 2^63 */
    uint64_t first, count;        /* the part: so many elements of the merge, from this one on */
    void *out, *out_values;       /* in memory of the device that merges; not where a run is */
} opi_reached;

#endif
