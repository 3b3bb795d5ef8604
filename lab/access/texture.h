/* A texture: words of device memory that kernels read through the texture units. */
#ifndef LAB_ACCESS_TEXTURE_H
#define LAB_ACCESS_TEXTURE_H

#include "lab/device.h"

enum { LAB_TEXTURE_WHY = 640 };

typedef struct lab_texture {
    lab_device *dev;
    union {
        unsigned long long cuda; /* a CUtexObject */
        void *opencl;            /* a cl_mem */
    } handle;
    void *destroy; /* the driver's call that frees it, if looked up by name */
} lab_texture;

/* Makes a texture of n words in mem, which must outlive the texture.  false: it failed; why says the reason. */
bool lab_texture_open(lab_device *dev, void *mem, size_t n, lab_texture *texture, char why[LAB_TEXTURE_WHY]);
void lab_texture_close(lab_texture *texture); /* waits for the device */
/* The argument for a kernel that has the texture as a parameter. */
opi_gpu_argument lab_texture_argument(const lab_texture *texture);

/* Another call of the library that `call` (the address of a pointer to a function) belongs to; NULL, and why. */
void *lab_texture_symbol(const void *call, const char *name, char why[LAB_TEXTURE_WHY]);

#endif
