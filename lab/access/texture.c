/* A texture object over linear memory (CUDA), an image over a buffer (OpenCL). */
#define _GNU_SOURCE /* dladdr */
#include "lab/access/texture.h"

#include "driver/cuda/cuda.h"
#include "driver/opencl/opencl.h"
#include "lab/access/texture_api.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* --- 1. calls that the driver's table has not --------------------------------------------------------------------- */

/* The library is open already, and stays open. */
void *lab_texture_symbol(const void *call, const char *name, char why[LAB_TEXTURE_WHY])
{
    Dl_info library;
    void *address, *found = NULL, *handle = NULL;
    memcpy(&address, call, sizeof address);
    if (dladdr(address, &library) && library.dli_fname)
        handle = dlopen(library.dli_fname, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
    if (handle) {
        found = dlsym(handle, name);
        dlclose(handle);
    }
    if (!found) snprintf(why, LAB_TEXTURE_WHY, "the driver's library has no %s", name);
    return found;
}

/* Did a call succeed?  One for CUDA, one for OpenCL. */
static bool cu_worked(const opi_cuda_gpu *g, const char *name, CUresult result, char why[LAB_TEXTURE_WHY])
{
    if (result != CUDA_SUCCESS) opi_cuda_words(g->cu, name, result, "", why, LAB_TEXTURE_WHY);
    return result == CUDA_SUCCESS;
}

static bool cl_worked(const char *name, cl_int error, char why[LAB_TEXTURE_WHY])
{
    if (error != CL_SUCCESS) snprintf(why, LAB_TEXTURE_WHY, "%s failed: %s", name, opi_cl_word(error));
    return error == CL_SUCCESS;
}

/* --- 2. CUDA ------------------------------------------------------------------------------------------------------ */

/* Creates the texture; the device's context is current. */
static bool create_cuda(const opi_cuda_gpu *g, lab_texture *texture, void *mem, size_t n, void *call,
                        char why[LAB_TEXTURE_WHY])
{
    lab_cuda_create_texture create;
    lab_cuda_resource resource = {.type = LAB_CUDA_LINEAR};
    lab_cuda_sampling sampling = {.flags = LAB_CUDA_AS_INTEGERS};
    memcpy(&create, &call, sizeof create);
    resource.of.linear.address = (CUdeviceptr)(uintptr_t)mem;
    resource.of.linear.format = LAB_CUDA_UINT32;
    resource.of.linear.channels = 1;
    resource.of.linear.bytes = n * sizeof(uint32_t);
    return cu_worked(g, "cuTexObjectCreate", create(&texture->handle.cuda, &resource, &sampling, NULL), why);
}

static bool open_cuda(lab_texture *texture, void *mem, size_t n, char why[LAB_TEXTURE_WHY])
{
    const opi_cuda_gpu *const g = opi_cuda_self(texture->dev->gpu);
    void *const call = lab_texture_symbol(&g->cu->Init, "cuTexObjectCreate", why);
    CUcontext ours;
    texture->destroy = lab_texture_symbol(&g->cu->Init, "cuTexObjectDestroy", why);
    if (!call || !texture->destroy || !cu_worked(g, "cuCtxPushCurrent", g->cu->CtxPushCurrent(g->context), why))
        return false;
    const bool created = create_cuda(g, texture, mem, n, call, why);
    char ignored[LAB_TEXTURE_WHY] = ""; /* the first failure counts */
    return cu_worked(g, "cuCtxPopCurrent", g->cu->CtxPopCurrent(&ours), created ? why : ignored) && created;
}

static void close_cuda(const lab_texture *texture)
{
    const opi_cuda_gpu *const g = opi_cuda_self(texture->dev->gpu);
    lab_cuda_destroy_texture destroy;
    CUcontext ours;
    memcpy(&destroy, &texture->destroy, sizeof destroy);
    if (g->cu->CtxPushCurrent(g->context) != CUDA_SUCCESS) return; /* it is then freed with the context */
    destroy(texture->handle.cuda);
    g->cu->CtxPopCurrent(&ours);
}

/* --- 3. OpenCL ---------------------------------------------------------------------------------------------------- */

/* Does the device have images of this length? */
static bool has_images(const opi_cl_gpu *g, size_t n, char why[LAB_TEXTURE_WHY])
{
    const struct {
        cl_uint fact;
        size_t bytes;
    } asked[] = {{LAB_CL_DEVICE_IMAGE_SUPPORT, sizeof(cl_bool)}, {LAB_CL_DEVICE_IMAGE_MAX_BUFFER_SIZE, sizeof(size_t)}};
    size_t known[2] = {0, 0};
    for (int i = 0; i < 2 && (i == 0 || known[0]); i++)
        if (!cl_worked("clGetDeviceInfo",
                       g->cl->GetDeviceInfo(g->device, asked[i].fact, asked[i].bytes, &known[i], NULL), why))
            return false;
    if (!known[0])
        snprintf(why, LAB_TEXTURE_WHY, "%s (%s) has no images", g->gpu.facts.where, g->gpu.facts.name);
    else if (n > known[1])
        snprintf(why, LAB_TEXTURE_WHY, "an image of %s has up to %zu elements, not %zu", g->gpu.facts.where, known[1],
                 n);
    return known[0] && n <= known[1];
}

static bool open_opencl(lab_texture *texture, void *mem, size_t n, char why[LAB_TEXTURE_WHY])
{
    const opi_cl_gpu *const g = (const opi_cl_gpu *)texture->dev->gpu;
    const lab_cl_format format = {LAB_CL_R, LAB_CL_UNSIGNED_INT32};
    lab_cl_image image = {.type = LAB_CL_MEM_OBJECT_IMAGE1D_BUFFER, .width = n};
    lab_cl_create_image create;
    size_t offset;
    cl_int error = CL_SUCCESS;
    void *const call = has_images(g, n, why) ? lab_texture_symbol(&g->cl->GetDeviceInfo, "clCreateImage", why) : NULL;
    if (!call) return false;
    memcpy(&create, &call, sizeof create);
    lab_must(opi_cl_place(g, "oplus lab", mem, n * sizeof(uint32_t), &image.buffer, &offset));
    texture->handle.opencl = create(g->context, LAB_CL_MEM_READ_ONLY, &format, &image, NULL, &error);
    return cl_worked("clCreateImage", error, why);
}

/* --- 4. either ---------------------------------------------------------------------------------------------------- */

bool lab_texture_open(lab_device *dev, void *mem, size_t n, lab_texture *texture, char why[LAB_TEXTURE_WHY])
{
    *texture = (lab_texture){.dev = dev};
    return (lab_is_cuda(dev) ? open_cuda : open_opencl)(texture, mem, n, why);
}

void lab_texture_close(lab_texture *texture)
{
    lab_wait(texture->dev);
    if (lab_is_cuda(texture->dev))
        close_cuda(texture);
    else
        ((const opi_cl_gpu *)texture->dev->gpu)->cl->ReleaseMemObject(texture->handle.opencl);
}

opi_gpu_argument lab_texture_argument(const lab_texture *texture)
{
    return lab_is_cuda(texture->dev) ? opi_value(texture->handle.cuda) : opi_value(texture->handle.opencl);
}
