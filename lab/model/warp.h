/* Finds what a warp did at once from what its lanes did. */
#ifndef LAB_WARP_H
#define LAB_WARP_H

#include "lab/model/trace.h"

/* The counts of one group or of many. */
typedef struct lab_tally {
    uint64_t divergent, conflicts, requests, sectors, warps;
} lab_tally;

/* Adds up the warps of a group. */
lab_tally lab_tally_of(const lab_events *events, unsigned items);

#endif
