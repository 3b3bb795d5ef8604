/* Ways: how a primitive computes items that lie in device memory.  Each way is a row of a table.  The first way that
 * suits is taken; or a way that OPLUS_WAY names, if it can compute the task. */
#ifndef OPI_GPU_WAYS_H
#define OPI_GPU_WAYS_H

#include "gpu/job.h"

typedef struct opi_way {
    opi_primitive what;
    const char *name;
    bool (*can)(const opi_job *job, uint64_t n);   /* whether it can compute n items, fast or not; NULL: always */
    bool (*suits)(const opi_job *job, uint64_t n); /* whether it is fast for n items, if it can; NULL: always */
    /* Allocates the memory and compiles the programs that computing up to n items needs; NULL: none.  If memory or a
     * program is missing, computing must fail before it has written anything. */
    oplus_status (*prepare)(opi_job *job, uint64_t n);
    oplus_status (*run)(opi_job *job, const opi_part *part);
    const char *words; /* what it does, for an explanation */
} opi_way;

const opi_way *opi_way_of(const opi_job *job, uint64_t n);
/* Chooses a way for n items, and prepares it. */
oplus_status opi_way_prepare(opi_job *job, uint64_t n);
/* Chooses a way for a part, prepares it and runs it. */
oplus_status opi_way_run(opi_job *job, const opi_part *part);
/* Chooses a way for all items of the task, prepares it and runs it; all arrays lie in device memory, where the caller
 * has them. */
oplus_status opi_way_run_all(opi_job *job);
/* Says in words all ways of a primitive; taken: the name of the way that is taken, or NULL. */
void opi_ways_explain(opi_primitive what, const char *taken, opi_saying *to);

#endif
