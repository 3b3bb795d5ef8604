/* Ways: how a primitive computes items that are in device memory.  One row each of a table; the first that suits is
 * taken, or one that OPLUS_WAY names and that can. */
#ifndef OPI_GPU_WAYS_H
#define OPI_GPU_WAYS_H

#include "gpu/job.h"

typedef struct opi_way {
    opi_primitive what;
    const char *name;
    bool (*can)(const opi_job *job, uint64_t n);   /* compute n items, right if not fast; NULL: always */
    bool (*suits)(const opi_job *job, uint64_t n); /* n items that it can; NULL: always */
    /* Makes ready what computing n items takes, at most; NULL: nothing.  Computing fails for the lack of memory, or of
     * a program, only before it has written anything. */
    oplus_status (*prepare)(opi_job *job, uint64_t n);
    oplus_status (*run)(opi_job *job, const opi_part *part);
    const char *words; /* what it does, for an explanation */
} opi_way;

const opi_way *opi_way_of(const opi_job *job, uint64_t n);
/* Chooses one, and has it prepare. */
oplus_status opi_way_prepare(opi_job *job, uint64_t n);
/* The same, and has it run. */
oplus_status opi_way_run(opi_job *job, const opi_part *part);
/* The same of all of the task, whose arrays are the device's: their addresses are the caller's. */
oplus_status opi_way_run_all(opi_job *job);
/* All that there are for a primitive; taken: the name of one, or NULL. */
void opi_ways_explain(opi_primitive what, const char *taken, opi_saying *to);

#endif
