/* Reduce and scan along the last axis: each row of consecutive elements by itself. */
#ifndef OPI_ROWS_H
#define OPI_ROWS_H

#include "cores/scan.h"

typedef struct opi_rows_sweep {
    opi_sweep sweep;     /* items: rows */
    opi_scan_sweep scan; /* of a row; its loops are those of a reduce, too */
    const char *in;
    char *out;
    size_t n, row; /* elements of a row, and bytes */
    bool scans;
} opi_rows_sweep;

/* The rows must have elements. */
void opi_rows_plan(opi_rows_sweep *plan, const opi_isa *isa, const opi_task *task);

#endif
