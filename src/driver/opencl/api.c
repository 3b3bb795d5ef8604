/* OpenCL's library, opened at run time. */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include "driver/opencl/api.h"

#include "base/library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INSTALL                                                                                                        \
    "install OpenCL and a driver (Debian: apt-get install ocl-icd-libopencl1, and for the cores pocl-opencl-icd), or " \
    "name the library in the environment variable OPLUS_OPENCL_LIBRARY"

/* Written once, then only read. */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static opi_cl_api api;
static bool complete;
static char reason[640];

static const struct {
    const char *name;
    size_t at; /* in the table of calls */
} symbol[] = {
#define ROW(result, name, parameters) {"cl" #name, offsetof(opi_cl_api, name)},
    OPI_CL_CALLS(ROW)
#undef ROW
};

/* The library that the environment names, and no other; else one that is here already, by linking or by LD_PRELOAD
 * (so Oclgrind takes the place of the installed one); else the installed one. */
static bool find_library(void **library, const char **name)
{
    static const char *const installed[] = {"libOpenCL.so.1", "libOpenCL.so"};
    *name = secure_getenv("OPLUS_OPENCL_LIBRARY");
    if (*name && **name) return (*library = dlopen(*name, RTLD_NOW | RTLD_LOCAL)) != NULL;
    *name = "a library of this program";
    *library = RTLD_DEFAULT;
    if (dlsym(RTLD_DEFAULT, symbol[0].name)) return true;
    for (size_t i = 0; i < sizeof installed / sizeof *installed; i++) {
        *name = installed[i];
        if ((*library = dlopen(*name, RTLD_NOW | RTLD_LOCAL))) return true;
    }
    return false;
}

/* The library stays open: drivers leave threads behind. */
static void look_up(void)
{
    void *library;
    const char *name;
    const char *const refusal = opi_library_refusal();
    if (refusal) {
        snprintf(reason, sizeof reason, "%s", refusal);
        return;
    }
    if (!find_library(&library, &name)) {
        const char *const said = dlerror();
        snprintf(reason, sizeof reason, "there is no OpenCL library (%s); " INSTALL, said ? said : name);
        return;
    }
    for (size_t i = 0; i < sizeof symbol / sizeof *symbol; i++) {
        void *const found = dlsym(library, symbol[i].name);
        if (!found) {
            snprintf(reason, sizeof reason, "%s has no %s, a call of OpenCL 1.2; " INSTALL, name, symbol[i].name);
            return;
        }
        memcpy((char *)&api + symbol[i].at, &found, sizeof found);
    }
    complete = true;
}

const opi_cl_api *opi_cl_open(const char **why)
{
    pthread_once(&once, look_up);
    *why = reason;
    return complete ? &api : NULL;
}

const char *opi_cl_word(cl_int error)
{
    static const struct {
        cl_int error;
        const char *word;
    } words[] = {
#define ROW(name, number) {number, #name},
        OPI_CL_ERRORS(ROW) OPI_CL_MORE_ERRORS(ROW)
#undef ROW
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (words[i].error == error) return words[i].word;
    return "an error without a name";
}
