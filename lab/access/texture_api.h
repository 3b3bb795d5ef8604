/* The parts of the host interfaces of CUDA and OpenCL that make a texture of existing memory, declared here under
 * our own names: tests/lab/texture.c compares them with cuda.h and cl.h if these exist. */
#ifndef LAB_ACCESS_TEXTURE_API_H
#define LAB_ACCESS_TEXTURE_API_H

#include "driver/cuda/api.h"
#include "driver/opencl/api.h"

#include <stddef.h>

/* --- CUDA: a texture object over linear memory --- */

typedef unsigned long long lab_cuda_texture; /* CUtexObject */

/* CUDA_RESOURCE_DESC, of memory that begins at an address. */
typedef struct lab_cuda_resource {
    int type; /* LAB_CUDA_LINEAR */
    union {
        struct {
            CUdeviceptr address;
            int format; /* LAB_CUDA_UINT32 */
            unsigned channels;
            size_t bytes;
        } linear;
        int room[32];
    } of;
    unsigned flags; /* 0 */
} lab_cuda_resource;

/* CUDA_TEXTURE_DESC: linear memory has neither borders nor filters, so all but the flags stays 0. */
typedef struct lab_cuda_sampling {
    int address_mode[3], filter;
    unsigned flags; /* LAB_CUDA_AS_INTEGERS */
    unsigned anisotropy;
    int level_filter;
    float level_bias, least_level, most_level, border[4];
    int room[12];
} lab_cuda_sampling;

enum { LAB_CUDA_LINEAR = 2, LAB_CUDA_UINT32 = 3, LAB_CUDA_AS_INTEGERS = 1 };

/* cuTexObjectCreate and cuTexObjectDestroy; the last argument of the first describes a view, of arrays alone. */
typedef CUresult (*lab_cuda_create_texture)(lab_cuda_texture *, const lab_cuda_resource *, const lab_cuda_sampling *,
                                            const void *);
typedef CUresult (*lab_cuda_destroy_texture)(lab_cuda_texture);

/* --- OpenCL: an image over a buffer --- */

typedef struct lab_cl_format { /* cl_image_format */
    cl_uint order, type;
} lab_cl_format;

typedef struct lab_cl_image { /* cl_image_desc */
    cl_uint type;
    size_t width, height, depth, array_size, row_pitch, slice_pitch;
    cl_uint levels, samples;
    cl_mem buffer;
} lab_cl_image;

enum {
    LAB_CL_DEVICE_IMAGE_SUPPORT = 0x1016,
    LAB_CL_DEVICE_IMAGE_MAX_BUFFER_SIZE = 0x1040,
    LAB_CL_MEM_READ_ONLY = 1 << 2,
    LAB_CL_R = 0x10B0,
    LAB_CL_UNSIGNED_INT32 = 0x10DC,
    LAB_CL_MEM_OBJECT_IMAGE1D_BUFFER = 0x10F6
};

/* clCreateImage, of OpenCL 1.2. */
typedef cl_mem (*lab_cl_create_image)(cl_context, cl_ulong, const lab_cl_format *, const lab_cl_image *, void *,
                                      cl_int *);

#endif
