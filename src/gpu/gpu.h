/* The machine of accelerators, and what it keeps from call to call. */
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
    OPI_SLOTS = 3, /* pieces at a time: one is copied to the device, one is computed, one is copied back */
    OPI_WHOLES = 3
};

/* A slot: the memory of one piece of the host's arrays while it is computed on the device. */
typedef struct opi_slot {
    opi_gpu_buffer device; /* the piece in device memory */
    opi_gpu_buffer pinned; /* the piece in pinned memory of the host, if pieces are copied through it */
    void *mark;            /* mark behind the last work on the slot */
} opi_slot;

/* What a call would do: see opi_gpu_rehearse. */
typedef struct opi_rehearsal {
    unsigned launches;
    uint64_t up, down; /* bytes copied from the host to the device, and back */
    const char *way;   /* name of the first way that was taken (gpu/ways.c); NULL: there is nothing to compute */
} opi_rehearsal;

/* What work-groups of launches that follow each other tell each other. */
typedef struct opi_states {
    opi_gpu_buffer buffer;
    bool is_clear; /* it has been made ready for its first launch */
    uint32_t epoch,
        seen; /* if tiles are dealt out: the number of the last launch, which the first accelerator counts; and
                             the last one that this accelerator knows */
} opi_states;

/* Memory of the way "pipeline" (gpu/pipeline). */
typedef struct opi_pipeline {
    opi_states own,
        dealt; /* of launches of this accelerator alone, and of those whose tiles are dealt out (gpu/deal.h) */
    opi_gpu_buffer runs;  /* counts and nodes of runs of long segments, of all accelerators (gpu/segreduce/windows.c) */
    opi_gpu_buffer fault; /* pinned memory: a word that is not 0 after a launch has given up (of a sort, too) */
} opi_pipeline;

/* Memory that nothing uses any more but what has been recorded. */
typedef struct opi_retired {
    void **mem;
    size_t count;
} opi_retired;

typedef struct opi_accelerator {
    oplus_device dev;
    opi_gpu *gpu;
    opi_programs programs;
    opi_ways_wanted wanted;
    opi_rehearsal *rehearsal; /* not NULL: calls are rehearsed, and what they would do is counted here */
    size_t piece_bytes;       /* size of a piece of the host's arrays */
    size_t memory_bytes;      /* the most device memory for arrays of the host that are copied whole */
    opi_gpu_buffer range;     /* the carry, as an image of a range */
    opi_gpu_buffer nodes;     /* nodes of tiles */
    opi_gpu_buffer value;     /* a result before it is copied to the host */
    opi_gpu_buffer param;     /* the captured parameter of a function; or of an operator, and then its identity */
    void *param_copy;         /* a copy of `param` on the host, which shows whether a new one differs */
    size_t param_bytes;
    opi_buffer image;                 /* image of the carry on the host */
    opi_gpu_buffer work;              /* scratch memory of a primitive */
    opi_gpu_buffer binned;            /* scratch memory of a reduce by index, which does other primitives */
    opi_gpu_buffer lent;              /* scratch memory of a public call between its tasks */
    opi_gpu_buffer top;               /* candidates of a top or an nth, and copies of its arrays */
    opi_gpu_buffer array[OPI_WHOLES]; /* scratch memory as large as the arrays of a primitive */
    opi_slot slot[OPI_SLOTS];
    opi_pipeline pipeline;
    opi_gpu_buffer ended;        /* the count of work-groups that have ended, of the way "last" (gpu/scan/last.c) */
    bool ended_is_0;             /* the count has been made ready for its first launch */
    opi_gpu_buffer arrived;      /* which accelerators have ended their part of a reduce (gpu/scan/last.c) */
    bool arrived_is_0;           /* ... has been made ready for its first launch */
    uint32_t arrivals;           /* number of the last such reduce */
    opi_gpu_buffer told;         /* what work-groups tell each other, of the way "look-back" (gpu/canon/look_back.c) */
    bool told_is_clear;          /* ... has been made ready for its first launch */
    opi_gpu_buffer wrong_offset; /* pinned memory: 1 + the segment in which a launch has found a wrong offset, or 0 */
    opi_gpu_buffer wrong_index;  /* pinned memory: what a launch that nobody waited for has found (opi_wrong_index) */
    opi_gpu_buffer staging;      /* pinned memory for an exchange between ranks */
    opi_retired retired;         /* device memory that recorded work may still use */
    bool recorded;               /* launches have been recorded (opi_driver::recording), to be done at any later time */
    bool param_recorded;         /* ... of which one has the parameter */
    uint64_t enqueued;           /* launches, copies and uploads so far */
    uint64_t summaries;          /* number of summaries made so far */
    uint64_t ticket;             /* number of the summary whose tiles' nodes are in `work`; 0: none */
} opi_accelerator;

extern const opi_machine opi_gpu_machine;

/* OPLUS_ERR_INTERNAL if a launch of a pipeline has given up since the last call of this function. */
oplus_status opi_pipeline_fault(opi_accelerator *g, const char *call);

/* Opens the accelerator that `where` names ("cuda:0", "opencl:cpu"), and cores in addition.  *known is set to whether
 * `where` is the name of an accelerator. */
oplus_status opi_gpu_open(const char *call, const char *where, void *queue, oplus_device **dev, bool *known);
/* The driver's handle of a device; NULL if the device is no accelerator. */
opi_gpu *opi_gpu_driver_of(oplus_device *dev);

/* Rehearses a call: goes through it, allocates all its memory and compiles all its programs, but only counts launches
 * and copies.  Fails if the call would.  Where only the device could know a number, it is assumed: a filter keeps all
 * elements, and offsets in device memory are in order and cover all of `in`. */
oplus_status opi_gpu_rehearse(oplus_device *dev, const char *call, const opi_task *task, opi_rehearsal *seen);

#endif
