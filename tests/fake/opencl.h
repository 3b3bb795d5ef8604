/* What a test sees of the library that stands in front of OpenCL's (opencl.c). */
#ifndef FAKE_OPENCL_H
#define FAKE_OPENCL_H

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

typedef struct fake_opencl {
    int fail;           /* counts down to the call that fails; 0: none does */
    int lost;           /* 1: all that come after it fail too, as if the device were gone */
    int error;          /* with which error */
    const char *failed; /* the first that did: "clCreateBuffer"; NULL: none */
    int as_gpu;         /* 1: every device says that it is a GPU */
    long calls;         /* all */
    long objects;       /* contexts, queues, buffers, programs, kernels, events: made and retained, less released */
} fake_opencl;

/* Looked up as "fake_opencl_state". */
typedef fake_opencl *fake_opencl_of(void);

/* Of the library at that path; NULL, and a message, if it is not to be had. */
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
