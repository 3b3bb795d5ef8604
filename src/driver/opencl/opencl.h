/* What the files of the OpenCL driver share. */
#ifndef OPI_OPENCL_H
#define OPI_OPENCL_H

#include "base/error.h"
#include "driver/driver.h"
#include "driver/opencl/api.h"
#include "driver/spans.h"

typedef struct opi_cl_program opi_cl_program;

typedef struct opi_cl_kernel {
    struct opi_cl_kernel *next; /* of the same program */
    cl_kernel kernel;
    char name[];
} opi_cl_kernel;

typedef struct opi_cl_gpu {
    opi_gpu gpu; /* first: this is an opi_gpu */
    const opi_cl_api *cl;
    cl_device_id device;
    cl_context context;
    cl_command_queue queue[OPI_QUEUES]; /* NULL until it is used */
    opi_spans spans;                    /* all its memory */
} opi_cl_gpu;

/* Of what a call of OpenCL returned: OPLUS_OK, or the failure in words.  `name` is that call, and what it was about. */
oplus_status opi_cl_check(const opi_cl_gpu *gpu, const char *call, const char *name, cl_int error);
/* The same, of a call by its name in the table. */
#define OPI_CL_CHECK(g, call, name, ...) opi_cl_check(g, call, "cl" #name, (g)->cl->name(__VA_ARGS__))

/* The queue, made at its first use. */
oplus_status opi_cl_queue(opi_cl_gpu *gpu, const char *call, opi_gpu_queue which, cl_command_queue *queue);
/* Waits for all queues, whatever becomes of what they hold. */
void opi_cl_finish(opi_cl_gpu *gpu);

/* --- memory.c ----------------------------------------------------------------------------------------------------- */

oplus_status opi_cl_alloc(opi_gpu *gpu, const char *call, size_t bytes, void **mem);
oplus_status opi_cl_wrap(opi_gpu *gpu, const char *call, void *native, size_t bytes, void **mem);
oplus_status opi_cl_pinned_alloc(opi_gpu *gpu, const char *call, size_t bytes, void **mem);
void opi_cl_free(opi_gpu *gpu, void *mem); /* of any of these */
void opi_cl_free_all(opi_cl_gpu *gpu);
oplus_status opi_cl_side(opi_gpu *gpu, const char *call, const char *argument, const void *p, size_t bytes,
                         opi_gpu_side *side);
/* The buffer and the offset in it of an address of device memory; NULL and 0 of NULL. */
oplus_status opi_cl_place(const opi_cl_gpu *gpu, const char *call, const void *p, size_t bytes, cl_mem *mem,
                          size_t *offset);
oplus_status opi_cl_upload(opi_gpu *gpu, const char *call, opi_gpu_queue queue, void *to, const void *from,
                           size_t bytes);
oplus_status opi_cl_download(opi_gpu *gpu, const char *call, opi_gpu_queue queue, void *to, const void *from,
                             size_t bytes);
oplus_status opi_cl_copy(opi_gpu *gpu, const char *call, opi_gpu_queue queue, void *to, const void *from, size_t bytes);

/* --- program.c ---------------------------------------------------------------------------------------------------- */

oplus_status opi_cl_compile(opi_gpu *gpu, const char *call, const char *what, const char *source, void **program);
oplus_status opi_cl_load(opi_gpu *gpu, const char *call, const void *binary, size_t bytes, void **program);
oplus_status opi_cl_binary(opi_gpu *gpu, const char *call, void *program, void **binary, size_t *bytes);
oplus_status opi_cl_find_kernel(opi_gpu *gpu, const char *call, void *program, const char *name, void **kernel);
void opi_cl_unload(opi_gpu *gpu, void *program);

/* --- launch.c ----------------------------------------------------------------------------------------------------- */

oplus_status opi_cl_launch(opi_gpu *gpu, const char *call, const opi_launch *launch);
oplus_status opi_cl_allow(opi_gpu *gpu, const char *call, void *kernel, size_t local, int carve_out);
oplus_status opi_cl_residents(opi_gpu *gpu, const char *call, const opi_launch *launch, uint64_t *groups);

/* --- devices.c ---------------------------------------------------------------------------------------------------- */

/* A device that can be used. */
typedef struct opi_cl_found {
    cl_device_id device;
    cl_device_type type;
    opi_gpu_facts facts;
} opi_cl_found;

/* All of all platforms, in order, in memory to be freed; returns how many, and why none. */
int opi_cl_find(const opi_cl_api *cl, opi_cl_found **found, char *why, size_t why_bytes);
/* One device, without its place in that list; false, and why, if it cannot be used. */
bool opi_cl_describe(const opi_cl_api *cl, cl_device_id device, opi_cl_found *found, char *why, size_t why_bytes);

#endif
