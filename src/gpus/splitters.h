/* Exact splitters of sorted runs: where each part of the merged result begins in every run. */
#ifndef OPI_GPUS_SPLITTERS_H
#define OPI_GPUS_SPLITTERS_H

#include "gpus/gpus.h"

/* A run of sorted keys in memory of each worker.  Of equal keys those of an earlier run come first. */
typedef struct opi_gpus_runs {
    const oplus_type *key;
    oplus_order order;
    const char *keys[OPI_MOST_WORKERS];
    size_t n[OPI_MOST_WORKERS];
} opi_gpus_runs;

/* Sets cut[q] to how many of the first `target` elements of the merged result are in run q, which are the first ones there.
 * The workers have sorted the runs; waits. */
oplus_status opi_gpus_split(opi_gpus *g, const char *call, const opi_gpus_runs *runs, size_t target,
                            size_t cut[OPI_MOST_WORKERS]);

#endif
