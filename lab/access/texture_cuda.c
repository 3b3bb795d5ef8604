/* A texture object over linear memory. */
#include "driver/cuda/cuda.h"
#include "lab/access/texture.h"
#include "lab/access/texture_api.h"

#include <string.h>

static bool worked(const opi_cuda_gpu *g, const char *name, CUresult result, char why[LAB_TEXTURE_WHY])
{
    if (result != CUDA_SUCCESS) opi_cuda_words(g->cu, name, result, "", why, LAB_TEXTURE_WHY);
    return result == CUDA_SUCCESS;
}

/* In the device's context. */
static bool create(const opi_cuda_gpu *g, lab_texture *texture, void *mem, size_t n, void *call,
                   char why[LAB_TEXTURE_WHY])
{
    lab_cuda_create_texture create_texture;
    lab_cuda_resource resource;
    lab_cuda_sampling sampling;
    memcpy(&create_texture, &call, sizeof create_texture);
    memset(&resource, 0, sizeof resource);
    memset(&sampling, 0, sizeof sampling);
    resource.type = LAB_CUDA_LINEAR;
    resource.of.linear.address = (CUdeviceptr)(uintptr_t)mem;
    resource.of.linear.format = LAB_CUDA_UINT32;
    resource.of.linear.channels = 1;
    resource.of.linear.bytes = n * sizeof(uint32_t);
    sampling.flags = LAB_CUDA_AS_INTEGERS;
    return worked(g, "cuTexObjectCreate", create_texture(&texture->handle.cuda, &resource, &sampling, NULL), why);
}

bool lab_texture_open_cuda(lab_texture *texture, void *mem, size_t n, char why[LAB_TEXTURE_WHY])
{
    const opi_cuda_gpu *const g = opi_cuda_self(texture->dev->gpu);
    void *const call = lab_texture_symbol(&g->cu->Init, "cuTexObjectCreate", why);
    CUcontext ours;
    texture->destroy = lab_texture_symbol(&g->cu->Init, "cuTexObjectDestroy", why);
    if (!call || !texture->destroy || !worked(g, "cuCtxPushCurrent", g->cu->CtxPushCurrent(g->context), why))
        return false;
    const bool created = create(g, texture, mem, n, call, why);
    char ignored[LAB_TEXTURE_WHY] = ""; /* the first failure counts */
    if (worked(g, "cuCtxPopCurrent", g->cu->CtxPopCurrent(&ours), created ? why : ignored)) return created;
    return false;
}

void lab_texture_close_cuda(lab_texture *texture)
{
    const opi_cuda_gpu *const g = opi_cuda_self(texture->dev->gpu);
    lab_cuda_destroy_texture destroy_texture;
    CUcontext ours;
    memcpy(&destroy_texture, &texture->destroy, sizeof destroy_texture);
    if (g->cu->CtxPushCurrent(g->context) != CUDA_SUCCESS) return; /* then it goes with the context */
    destroy_texture(texture->handle.cuda);
    g->cu->CtxPopCurrent(&ours);
}
