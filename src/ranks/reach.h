/* Memory of ranks' devices that all of them reach: those of one host, whose kernels read each other's memory. */
#ifndef OPI_RANKS_REACH_H
#define OPI_RANKS_REACH_H

#include "ranks/ranks.h"

enum { OPI_REACH_ARRAYS = 2 };

/* What the ranks offer each other until opi_reach_end. */
typedef struct opi_reach {
    opi_ranks *ranks;
    void *told;                                          /* by each rank */
    unsigned accepted;                                   /* ranks whose memory this rank has begun to use, */
    const void *mem[OPI_REACH_ARRAYS][OPI_MOST_REACHED]; /* ... and where it finds each array of each rank */
} opi_reach;

/* Whether other ranks might read a device's memory where it is.  Whether all can is not known before they have tried. */
bool opi_reach_may(const oplus_device *dev);
/* Whether this rank can take part: the flag of its note, OPI_NOTE_APART or 0.  It could not at the last call with this
 * transport, or there are too many ranks, or its machine has no such way. */
uint32_t opi_reach_flag(const opi_ranks *ranks, bool can);

/* Each rank offers arrays, which may be NULL where they have no bytes, and takes what the others offer.  status: whether
 * all is well on this rank.  Its device may still be at work.  Sets *reached to whether this rank reaches all. */
oplus_status opi_reach_begin(opi_ranks *ranks, opi_reach *reach, oplus_status status, const void *const *arrays,
                             bool *reached);
/* All ranks wait for each other, once what they have offered is computed.  Sets *all to whether each reaches all
 * others; if not, the next calls with this transport do not try. */
oplus_status opi_reach_agree(opi_reach *reach, oplus_status status, bool reached, bool *all);
/* Ends that: nobody reads any more. */
void opi_reach_end(opi_reach *reach);

#endif
