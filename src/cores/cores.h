/* The machine of the host's processor: one thread or several, and the host's memory. */
#ifndef OPI_CORES_H
#define OPI_CORES_H

#include "base/memory.h"
#include "cores/isa.h"
#include "cores/processors.h"
#include "cores/sweep.h"
#include "task/machine.h"
#include "task/way.h"

typedef struct opi_cores {
    oplus_device dev;
    int workers; /* threads that were asked for; 1 if serial */
    opi_processors processors;
    struct opi_crew *crew;  /* those that were started (cores/crew.h); NULL: none yet */
    const opi_isa *isa;     /* the built-in leaves for this processor */
    opi_buffer workspace;   /* of a sweep: carries and the workers' scratch */
    opi_buffer carry;       /* what a call begins and ends with */
    opi_buffer array;       /* as large as a primitive's data: records of a sort, offsets read from a device */
    opi_ways_wanted wanted; /* of the schedules */
    uint64_t ticket;        /* what the workspace holds: another number with each use of it */
    size_t ticket_workers;  /* how many workers made the summary */
    opi_buffer between;     /* what one task of a public call leaves to the next (front/scratch.h) */
} opi_cores;

extern const opi_machine opi_cores_machine;

static inline opi_cores *opi_cores_of(oplus_device *dev) { return dev->cores; }

/* A handle with so many workers; *dev is its first member. */
oplus_status opi_cores_open(const char *call, int workers, opi_cores **cores);
/* Makes OpenMP's threads the workers of a handle that was just opened. */
oplus_status opi_cores_use_openmp(const char *call, opi_cores *cores);
void opi_cores_close(opi_cores *cores); /* NULL allowed */
void opi_cores_trim(opi_cores *cores);

/* How many threads may take part in a call that moves so many bytes: those of the handle, but no more than there are
 * processors. */
size_t opi_cores_threads(opi_cores *cores, size_t bytes);

/* Does a task on the cores, whatever machine they stand beside: its arrays are the host's. */
oplus_status opi_cores_run(opi_cores *cores, const char *call, const opi_task *task, opi_range *carry);

/* Makes an empty range, with which a task of an operator begins; it is memory of the cores, until their next call. */
oplus_status opi_cores_range(opi_cores *cores, const char *call, const opi_task *task, opi_range **range);
/* Writes the result of a reduce, made of all that it carries, to memory of the host. */
void opi_cores_finish(opi_cores *cores, const opi_task *task, opi_range *carry, void *out);

/* Runs a sweep that is no task of its own: a pass of a sort, a look over offsets.  carry: as opi_machine's, of the
 * sweep's own kind. */
oplus_status opi_cores_sweep(opi_cores *cores, const char *call, const opi_sweep *sweep, void *carry);

/* Are the offsets of a segmented reduce, which the host can read, in order?  If not, says which one is wrong. */
oplus_status opi_cores_check_offsets(opi_cores *cores, const char *call, const opi_task *task,
                                     const opi_offsets *offsets);
/* Looks, with all threads, for the segments that have at least `least` elements, least > 0; the offsets are in order. */
oplus_status opi_cores_find_long(opi_cores *cores, const char *call, const opi_offsets *offsets, uint64_t least,
                                 opi_long_segments *found);

#endif
