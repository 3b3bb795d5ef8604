/* The machine of several accelerators of one host: together they are one device, "cuda:0-3".
 *
 * Each worker is an accelerator as a whole (gpu/gpu.h), with queues and scratch memory of its own.  Memory of the device is a
 * range of addresses whose pages lie on the workers in turn, and which all of them can use. */
#ifndef OPI_GPUS_H
#define OPI_GPUS_H

#include "cores/crew.h"
#include "driver/spans.h"
#include "gpu/deal.h"
#include "task/machine.h"
#include "task/way.h"

/* A range of addresses whose page k is memory of worker k % count. */
typedef struct opi_dealt_range {
    struct opi_dealt_range *next; /* in the pool */
    char *mem;
    size_t bytes, page;
} opi_dealt_range;

/* Scratch memory of a worker, which grows. */
typedef struct opi_gpus_scratch {
    void *mem;
    size_t bytes;
} opi_gpus_scratch;

typedef struct opi_gpus {
    oplus_device dev;
    unsigned count;
    oplus_device *worker[OPI_MOST_WORKERS];
    unsigned share; /* the most workers that are the same accelerator */
    opi_ways_wanted wanted;
    opi_crew *crew;           /* a thread for each worker (together.h) */
    oplus_device *summarised; /* the worker that has made the last summary */

    /* --- order (order.c): a bit for each worker --- */
    unsigned busy; /* all work so far is done when these have done theirs */
    bool joined;   /* each of them has waited for the others already */

    /* --- memory (memory.c) --- */
    size_t page;           /* bytes of the smallest page; 0: the workers use the host's memory */
    uint64_t memory;       /* bytes of all workers */
    opi_spans spans;       /* what `alloc` and `wrap` gave; object: where it lies, an opi_dealt_range or a worker */
    opi_dealt_range *pool; /* ranges that are free */
    size_t pooled;         /* their bytes */
    opi_gpus_scratch scratch[OPI_MOST_WORKERS];
} opi_gpus;

extern const opi_machine opi_gpus_machine;

/* Opens the accelerators that `where` names: "cuda:0-3", "cuda:0,2", "cuda:*"; of one alone, that accelerator.  *known is
 * set to whether `where` is such a name. */
oplus_status opi_gpus_open(const char *call, const char *where, void *queue, oplus_device **dev, bool *known);

/* The driver's handle of an accelerator, or of the first one of several; NULL if the device is none. */
opi_gpu *opi_gpus_driver_of(oplus_device *dev);

#endif
