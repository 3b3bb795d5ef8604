/* The machine of accelerators: what one keeps from call to call. */
#ifndef OPI_GPU_H
#define OPI_GPU_H

#include "gpu/program.h"
#include "task/machine.h"
#include "task/way.h"

/* A buffer that grows: device memory, or pinned memory of the host. */
typedef struct opi_gpu_buffer {
    void *mem;
    size_t bytes;
} opi_gpu_buffer;

enum {
    OPI_SLOTS = 3, /* pieces under way: one comes, one is computed, one goes */
    OPI_WHOLES = 3
};

/* Where a piece of the host's arrays is on its way. */
typedef struct opi_slot {
    opi_gpu_buffer device;
    opi_gpu_buffer pinned; /* of the host, where pieces go through it */
    void *mark;            /* its last work */
} opi_slot;

/* What a call would do: see opi_gpu_rehearse. */
typedef struct opi_rehearsal {
    unsigned launches;
    uint64_t up, down; /* bytes that cross between the host and the device */
    const char *way;   /* the first that was taken (gpu/ways.c); NULL: none was, there is nothing to compute */
} opi_rehearsal;

typedef struct opi_accelerator {
    oplus_device dev;
    opi_gpu *gpu;
    opi_programs programs;
    opi_ways_wanted wanted;
    opi_rehearsal *rehearsal; /* NULL: calls are done */
    size_t piece_bytes;       /* of a piece of the host's arrays */
    size_t memory_bytes;      /* that arrays of the host may take when they come whole */
    opi_gpu_buffer range;     /* what is carried */
    opi_gpu_buffer nodes;     /* of tiles */
    opi_gpu_buffer value;     /* a result on its way to the host */
    opi_gpu_buffer param;     /* the captured parameter of a function, or of an operator with its identity, */
    void *param_copy;         /* which is this on the host */
    size_t param_bytes;
    opi_buffer image;                 /* of what is carried, on the host */
    opi_gpu_buffer work;              /* of a primitive, */
    opi_gpu_buffer array[OPI_WHOLES]; /* and as large as its arrays */
    opi_slot slot[OPI_SLOTS];
    opi_gpu_buffer staging; /* pinned; of an exchange between ranks */
    uint64_t summaries;     /* made so far, */
    uint64_t ticket;        /* and the one whose tiles' nodes are in `work`; 0: none */
} opi_accelerator;

extern const opi_machine opi_gpu_machine;

/* Opens the accelerator that `where` names ("cuda:0", "opencl:cpu"), and cores beside it; *known: whether it names one
 * at all. */
oplus_status opi_gpu_open(const char *call, const char *where, void *queue, oplus_device **dev, bool *known);
/* Its driver's; NULL if the device is no accelerator. */
opi_gpu *opi_gpu_driver_of(oplus_device *dev);

/* Goes through a call as if it were done: all its memory and all its programs are there then, and what is launched and
 * copied is counted, but nothing is.  Fails where the call would.  What only the device could tell is assumed: a filter
 * keeps everything, and offsets in device memory are in order and cover all of `in`. */
oplus_status opi_gpu_rehearse(oplus_device *dev, const char *call, const opi_task *task, opi_rehearsal *seen);

#endif
