/* What a test sees of the library that stands in front of OpenCL's (opencl.c). */
#ifndef FAKE_OPENCL_H
#define FAKE_OPENCL_H

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

typedef struct fake_opencl {
    int fail;           /* counts down to the call that fails; 0: none does */
    int lost;           /* 1: all calls after the failing one fail too, as if the device was lost */
    int error;          /* the error of a call that fails */
    const char *failed; /* the first call that failed: "clCreateBuffer"; NULL: none */
    int as_gpu;         /* 1: every device says that it is a GPU */
    long calls;         /* number of all calls */
    long objects;       /* contexts, queues, buffers, programs, kernels, events: made and retained, less released */
} fake_opencl;

/* Looked up as "fake_opencl_state". */
typedef fake_opencl *fake_opencl_of(void);

/* The state of the library at that path; NULL, and a message, if it cannot be loaded. */
static inline fake_opencl *fake_opencl_open(const char *path)
{
    void *const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void *const address = library ? dlsym(library, "fake_opencl_state") : NULL;
    fake_opencl_of *of;
    if (!address) {
        fprintf(stderr, "%s: %s\n", path, dlerror());
        return NULL;
    }
    memcpy(&of, &address, sizeof of);
    return of();
}

#endif
