/* The parameters of a task's operator and functions: one behind the other in one buffer of the device. */
#ifndef OPI_GPU_PARAM_H
#define OPI_GPU_PARAM_H

#include "gpu/gpu.h"

/* A value in the buffer. */
typedef struct opi_param_piece {
    const void *value; /* NULL: what is there means nothing */
    size_t size;       /* bytes; 0: there is none */
    size_t at;         /* how many bytes behind the beginning of the buffer it is */
} opi_param_piece;

typedef struct opi_params {
    /* Of the operator, or of the function fn; the identity of an operator with a parameter; of the functions of a fused
     * task. */
    opi_param_piece own, identity, before, after;
    size_t bytes; /* of all; 0: there are none */
} opi_params;

opi_params opi_params_of(const opi_task *task);

/* Sets *address to the device address of the parameters of a task, and copies them there if one has changed; NULL if
 * there are none. */
oplus_status opi_gpu_params(opi_accelerator *g, const char *call, const opi_task *task, const void **address);
/* The same for fn or op alone, whichever is not NULL. */
oplus_status opi_gpu_param(opi_accelerator *g, const char *call, const oplus_fn *fn, const oplus_op *op,
                           const void **address);

#endif
