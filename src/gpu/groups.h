/* The work-group tree's own state, and what the calls that are no plain sweep (sort, segmented reduce, transpose) share
 * with it: buffers, launches, arrays of the host brought to the device in pieces. */
#ifndef OPI_GROUPS_H
#define OPI_GROUPS_H

#include "gpu/form.h"
#include "cores/crew.h"
#include "cores/device.h"

/* A buffer that grows: device memory, or pinned memory of the host. */
typedef struct opi_gpu_buffer {
    void *mem;
    size_t bytes;
} opi_gpu_buffer;

enum { OPI_SLOTS = 3 }; /* pieces under way: one comes, one is computed, one goes */

enum { OPI_WHOLES = 3 };

/* A piece of the host's arrays on its way. */
typedef struct opi_slot {
    opi_gpu_buffer device;
    opi_gpu_buffer pinned; /* of the host, where pieces go through it */
    void *mark;            /* its last work */
} opi_slot;

typedef struct opi_groups {
    opi_gpu *gpu;
    opi_programs programs;
    size_t piece_bytes;   /* of a piece of the host's arrays */
    size_t memory_bytes;  /* that arrays of the host may take when they come whole */
    opi_gpu_buffer range; /* what is carried */
    opi_gpu_buffer nodes; /* of tiles */
    opi_gpu_buffer value; /* a result on its way to the host */
    opi_gpu_buffer param; /* the captured parameter of a function, or of an operator with its identity, */
    void *param_copy;     /* which is this on the host */
    size_t param_bytes;
    opi_buffer image;                 /* of what is carried, on the host */
    opi_gpu_buffer work;              /* of a primitive, */
    opi_gpu_buffer array[OPI_WHOLES]; /* and as large as its arrays */
    opi_slot slot[OPI_SLOTS];
    void *staging; /* pinned; of an exchange between ranks */
    size_t staging_bytes;
    opi_crew *crew; /* copies between the caller's memory and pinned memory; NULL: none yet */
    /* Results may have reached memory of the host that is the caller's, so that what a call in place has read is not
     * there any more.  Set before they do; "auto" clears it before each call. */
    bool wrote;
} opi_groups;

extern const opi_tree opi_groups_tree;
oplus_status opi_groups_sweep(oplus_device *dev, const char *call, const opi_sweep *sweep, void *carry);
oplus_status opi_groups_sort(oplus_device *dev, const char *call, const oplus_type *key, oplus_order order, void *keys,
                             const oplus_type *value, void *values, size_t n);
oplus_status opi_groups_segreduce(oplus_device *dev, const char *call, const oplus_op *op, const void *in,
                                  const opi_offsets *offsets, void *out);
oplus_status opi_groups_offsets(oplus_device *dev, const char *call, opi_offsets *offsets, bool empty_allowed,
                                uint64_t ends[2]);
/* Offsets in device memory become a copy in dev->array. */
oplus_status opi_groups_read_offsets(oplus_device *dev, const char *call, opi_offsets *offsets);
oplus_status opi_groups_transpose(oplus_device *dev, const char *call, size_t size, const void *in, size_t rows,
                                  size_t cols, void *out);

/* Opens the accelerator that `where` names ("cuda:0", "opencl:cpu"); *known: whether it names one at all. */
oplus_status opi_groups_open(const char *call, const char *where, void *queue, oplus_device *dev, bool *known);

/* Makes a buffer at least that large, its content lost if it grows. */
oplus_status opi_gpu_reserve(opi_groups *g, const char *call, opi_gpu_buffer *buffer, size_t bytes);
void opi_gpu_release(opi_groups *g, opi_gpu_buffer *buffer);
/* The same in pinned memory of the host. */
oplus_status opi_pinned_reserve(opi_groups *g, const char *call, opi_gpu_buffer *buffer, size_t bytes);
void opi_pinned_release(opi_groups *g, opi_gpu_buffer *buffer);

/* Pinned memory of the host, kept until oplus_trim; its content is lost if it grows. */
oplus_status opi_gpu_stage(opi_groups *g, const char *call, size_t bytes, void **mem);

/* Launches a kernel of a program; the arguments are opi_memory(...) and opi_value(...). */
oplus_status opi_gpu_launch(opi_groups *g, const char *call, opi_program *program, const char *kernel, uint64_t groups,
                            unsigned items, const opi_gpu_argument *argument, int arguments);

/* Where an array lies; NULL and 0 bytes are the host's. */
oplus_status opi_gpu_side_of(opi_groups *g, const char *call, const char *argument, const void *p, size_t bytes,
                             opi_gpu_side *side);

/* Bytes to an address of the host or of the device, from one of the device; waits where it is the host's. */
oplus_status opi_gpu_fetch(opi_groups *g, const char *call, void *to, const void *from, size_t bytes);

/* Bytes of the host to an address of the host or of the device; waits. */
oplus_status opi_gpu_put(opi_groups *g, const char *call, void *to, const void *from, size_t bytes);

/* The device address of the parameter of fn or of op, whichever is not NULL, brought there if it has changed; NULL if
 * it takes none. */
oplus_status opi_gpu_param(opi_groups *g, const char *call, const oplus_fn *fn, const oplus_op *op,
                           const void **address);

#endif
