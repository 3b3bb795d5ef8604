/* What is counted of a kernel's run: by the device itself (counters/, through CUPTI), or by replaying the kernel on the
 * host (model/), which gives the same numbers where they follow from addresses and branches alone. */
#ifndef LAB_COUNTERS_H
#define LAB_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>

typedef enum lab_counter {
    LAB_DIVERGENT,    /* branches at which the lanes of a warp part */
    LAB_CONFLICTS,    /* extra passes of accesses to shared memory, for lanes that meet in a bank */
    LAB_ACTIVE_WARPS, /* resident warps, summed over multiprocessors and cycles */
    LAB_WARPS,        /* warps launched */
    LAB_REQUESTS,     /* warp-wide loads and stores of global memory */
    LAB_SECTORS,      /* sectors of 32 bytes that they touch */
    LAB_BYTES,        /* read from and written to device memory, beyond the caches */
    LAB_OCCUPANCY,    /* resident warps / most possible, while multiprocessors are busy: 0 to 1 */
    LAB_COUNTERS
} lab_counter;

/* The counters of one run, all its launches together. */
typedef struct lab_counts {
    bool known[LAB_COUNTERS];
    double of[LAB_COUNTERS];
} lab_counts;

#endif
