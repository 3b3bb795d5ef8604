/* What CUDA's textures and OpenCL's have in common. */
#define _GNU_SOURCE /* dladdr */
#include "lab/access/texture.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

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

bool lab_texture_open(lab_device *dev, void *mem, size_t n, lab_texture *texture, char why[LAB_TEXTURE_WHY])
{
    *texture = (lab_texture){.dev = dev};
    return lab_is_cuda(dev) ? lab_texture_open_cuda(texture, mem, n, why)
                            : lab_texture_open_opencl(texture, mem, n, why);
}

void lab_texture_close(lab_texture *texture)
{
    lab_wait(texture->dev);
    if (lab_is_cuda(texture->dev))
        lab_texture_close_cuda(texture);
    else
        lab_texture_close_opencl(texture);
}

opi_gpu_argument lab_texture_argument(const lab_texture *texture)
{
    return lab_is_cuda(texture->dev) ? opi_value(texture->handle.cuda) : opi_value(texture->handle.opencl);
}
