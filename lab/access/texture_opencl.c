/* An image over a buffer. */
#include "driver/opencl/opencl.h"
#include "lab/access/texture.h"
#include "lab/access/texture_api.h"

#include <stdio.h>
#include <string.h>

static bool worked(const char *name, cl_int error, char why[LAB_TEXTURE_WHY])
{
    if (error != CL_SUCCESS) snprintf(why, LAB_TEXTURE_WHY, "%s failed: %s", name, opi_cl_word(error));
    return error == CL_SUCCESS;
}

/* The device has images, and so long ones. */
static bool has_images(const opi_cl_gpu *g, size_t n, char why[LAB_TEXTURE_WHY])
{
    cl_bool any = CL_FALSE;
    size_t most = 0;
    if (!worked("clGetDeviceInfo", g->cl->GetDeviceInfo(g->device, LAB_CL_DEVICE_IMAGE_SUPPORT, sizeof any, &any, NULL),
                why))
        return false;
    if (!any) {
        snprintf(why, LAB_TEXTURE_WHY, "%s (%s) has no images", g->gpu.facts.where, g->gpu.facts.name);
        return false;
    }
    if (!worked("clGetDeviceInfo",
                g->cl->GetDeviceInfo(g->device, LAB_CL_DEVICE_IMAGE_MAX_BUFFER_SIZE, sizeof most, &most, NULL), why))
        return false;
    if (n > most)
        snprintf(why, LAB_TEXTURE_WHY, "an image of %s has up to %zu elements, not %zu", g->gpu.facts.where, most, n);
    return n <= most;
}

bool lab_texture_open_opencl(lab_texture *texture, void *mem, size_t n, char why[LAB_TEXTURE_WHY])
{
    const opi_cl_gpu *const g = (const opi_cl_gpu *)texture->dev->gpu;
    const lab_cl_format format = {LAB_CL_R, LAB_CL_UNSIGNED_INT32};
    lab_cl_image image = {.type = LAB_CL_MEM_OBJECT_IMAGE1D_BUFFER, .width = n};
    lab_cl_create_image create_image;
    size_t offset;
    cl_int error = CL_SUCCESS;
    if (!has_images(g, n, why)) return false;
    void *const call = lab_texture_symbol(&g->cl->GetDeviceInfo, "clCreateImage", why);
    if (!call) return false;
    memcpy(&create_image, &call, sizeof create_image);
    lab_must(opi_cl_place(g, "oplus lab", mem, n * sizeof(uint32_t), &image.buffer, &offset));
    texture->handle.opencl = create_image(g->context, LAB_CL_MEM_READ_ONLY, &format, &image, NULL, &error);
    return worked("clCreateImage", error, why);
}

void lab_texture_close_opencl(lab_texture *texture)
{
    const opi_cl_gpu *const g = (const opi_cl_gpu *)texture->dev->gpu;
    g->cl->ReleaseMemObject(texture->handle.opencl);
}
