#define _GNU_SOURCE /* dladdr, dl_iterate_phdr */
#include "driver/cuda/api.h"

#include "base/error.h"
#include "base/library.h"
#include "driver/cuda/cuda.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

enum { PATH_BYTES = 4096, WHY_BYTES = 512 };

/* --- 1. finding a library ----------------------------------------------------------------------------------------- */

/* The environment of a set-user-id program is another user's. */
static const char *environment(const char *name)
{
    const char *const value = getauxval(AT_SECURE) ? NULL : getenv(name);
    return value && *value ? value : NULL;
}

typedef struct symbol {
    const char *name;
    size_t at; /* offset in the struct of pointers */
} symbol;

/* Fills in the pointers; returns the name of a function that the library lacks, or NULL. */
static const char *resolve(void *library, const symbol *symbols, size_t count, void *calls)
{
    for (size_t i = 0; i < count; i++) {
        void *const address = dlsym(library, symbols[i].name);
        if (!address) return symbols[i].name;
        memcpy((char *)calls + symbols[i].at, &address, sizeof address); /* C has no cast from void * to a function */
    }
    return NULL;
}

/* flags: of dlopen. */
static void *open_library(const char *path, int flags, char *why)
{
    void *const library = dlopen(path, flags | RTLD_LOCAL);
    const char *const error = library ? NULL : dlerror();
    if (error && !*why) snprintf(why, WHY_BYTES, "%.*s", opi_cut(error, WHY_BYTES - 1), error); /* the first is kept */
    return library;
}

/* Whether nothing can be loaded, and why. */
static bool refuses(char *why)
{
    const char *const refusal = opi_library_refusal();
    if (refusal) snprintf(why, WHY_BYTES, "%s", refusal);
    return refusal != NULL;
}

/* Opens the library that an environment variable names, and no other. */
static void *open_named(const char *variable, const char *path, int flags, char *why)
{
    char reason[WHY_BYTES] = "";
    void *const library = open_library(path, flags, reason);
    if (!library)
        snprintf(why, WHY_BYTES, "the environment variable %s, \"%.*s\", names no library that can be opened (%.*s)",
                 variable, opi_cut(path, 120), path, opi_cut(reason, 240), reason);
    return library;
}

/* --- 2. the driver ------------------------------------------------------------------------------------------------ */

static struct {
    pthread_once_t once;
    bool there;
    int version; /* 13000 */
    char why[WHY_BYTES];
    opi_cuda_calls calls;
} cuda = {.once = PTHREAD_ONCE_INIT};

static void *find_cuda(int flags, char *why)
{
    static const char *const names[] = {"libcuda.so.1", "libcuda.so"};
    const char *const named = environment("OPLUS_CUDA_LIBRARY");
    char reason[WHY_BYTES] = "";
    void *library = NULL;
    if (refuses(why)) return NULL;
    if (named) return open_named("OPLUS_CUDA_LIBRARY", named, flags, why);
    for (size_t i = 0; !library && i < sizeof names / sizeof *names; i++)
        library = open_library(names[i], flags, reason);
    if (!library)
        snprintf(why, WHY_BYTES,
                 "no driver of NVIDIA's is installed (%.*s); install it, or name its library in the environment "
                 "variable OPLUS_CUDA_LIBRARY",
                 opi_cut(reason, 240), reason);
    return library;
}

static bool cuda_answers(const char *name, CUresult result)
{
    if (result != CUDA_SUCCESS) opi_cuda_words(&cuda.calls, name, result, "", cuda.why, sizeof cuda.why);
    return result == CUDA_SUCCESS;
}

static void open_cuda(void)
{
    static const symbol symbols[] = {
#define SYMBOL(name, suffix, parameters) {"cu" #name #suffix, offsetof(opi_cuda_calls, name)},
        OPI_CUDA_CALLS(SYMBOL)};
    static const symbol later[] = {OPI_CUDA_LATER_CALLS(SYMBOL)
#undef SYMBOL
    };
    void *const library = find_cuda(RTLD_NOW, cuda.why);
    if (!library) return;
    const char *const missing = resolve(library, symbols, sizeof symbols / sizeof *symbols, &cuda.calls);
    if (missing) {
        snprintf(cuda.why, sizeof cuda.why,
                 "the driver's library lacks %s; install a driver for CUDA 11.2 or later, and look whether "
                 "OPLUS_CUDA_LIBRARY names libcuda",
                 missing);
        return;
    }
    for (size_t i = 0; i < sizeof later / sizeof *later; i++) resolve(library, &later[i], 1, &cuda.calls);
    cuda.there = cuda_answers("cuInit", cuda.calls.Init(0)) &&
                 cuda_answers("cuDriverGetVersion", cuda.calls.DriverGetVersion(&cuda.version));
}

const opi_cuda_calls *opi_cuda_open(const char **why)
{
    pthread_once(&cuda.once, open_cuda);
    *why = cuda.why;
    return cuda.there ? &cuda.calls : NULL;
}

static bool can_open(int flags)
{
    char why[WHY_BYTES] = "";
    void *const library = find_cuda(RTLD_LAZY | flags, why);
    if (library) dlclose(library);
    return library != NULL;
}

bool opi_cuda_installed(void) { return can_open(0); }

/* Counts all libraries that this process has ever loaded; any object knows the number, so the first one is enough. */
static int see_loads(struct dl_phdr_info *object, size_t bytes, void *loads)
{
    (void)bytes;
    *(uint64_t *)loads = object->dlpi_adds;
    return 1;
}

/* Asking the loader by name takes microseconds, so it is asked only if something has been loaded since last time. */
bool opi_cuda_loaded(void)
{
    static _Atomic uint64_t known; /* 2 * loads + the answer then */
    uint64_t loads = 0;
    dl_iterate_phdr(see_loads, &loads);
    uint64_t found = atomic_load_explicit(&known, memory_order_relaxed);
    if (found >> 1 != loads) {
        found = 2 * loads + can_open(RTLD_NOLOAD);
        atomic_store_explicit(&known, found, memory_order_relaxed);
    }
    return found & 1;
}

/* --- 3. NVRTC ----------------------------------------------------------------------------------------------------- */

static struct {
    pthread_once_t once;
    bool there;
    int major, minor;
    char why[WHY_BYTES];
    opi_nvrtc_calls calls;
} nvrtc = {.once = PTHREAD_ONCE_INIT};

static const struct {
    const char *name;
    int major; /* 0: any */
} nvrtc_names[] = {{"libnvrtc.so.13", 13}, {"libnvrtc.so.12", 12}, {"libnvrtc.so.11.2", 11}, {"libnvrtc.so", 0}};

/* Looks for it by the loader's search, then where CUDA's own installer puts it. */
static void *find_nvrtc_name(const char *name, char *why)
{
    const char *const roots[] = {environment("CUDA_HOME"), environment("CUDA_PATH"), "/usr/local/cuda"};
    static const char *const folders[] = {"lib64", "lib"};
    void *library = open_library(name, RTLD_NOW, why);
    for (size_t i = 0; !library && i < sizeof roots / sizeof *roots; i++)
        for (size_t k = 0; !library && roots[i] && k < sizeof folders / sizeof *folders; k++) {
            char path[PATH_BYTES];
            if ((size_t)snprintf(path, sizeof path, "%s/%s/%s", roots[i], folders[k], name) < sizeof path)
                library = open_library(path, RTLD_NOW, why);
        }
    return library;
}

static void *find_nvrtc(void)
{
    const size_t count = sizeof nvrtc_names / sizeof *nvrtc_names;
    const char *const named = environment("OPLUS_NVRTC_LIBRARY"), *ignored;
    const int driver = opi_cuda_open(&ignored) ? cuda.version / 1000 : INT_MAX;
    char reason[WHY_BYTES] = "";
    void *library = NULL;
    if (refuses(nvrtc.why)) return NULL;
    if (named) return open_named("OPLUS_NVRTC_LIBRARY", named, RTLD_NOW, nvrtc.why);
    for (int newer = 0; !library && newer < 2; newer++)
        for (size_t i = 0; !library && i < count; i++)
            if ((nvrtc_names[i].major > driver) == newer) library = find_nvrtc_name(nvrtc_names[i].name, reason);
    if (!library)
        snprintf(nvrtc.why, sizeof nvrtc.why,
                 "NVIDIA's run-time compiler is not installed (%.*s); install NVRTC 11.2 or later (package "
                 "cuda-nvrtc-13-0, libnvrtc or cuda-toolkit), or name its library in the environment variable "
                 "OPLUS_NVRTC_LIBRARY",
                 opi_cut(reason, 160), reason);
    return library;
}

/* NVRTC opens a second library by its name alone.  The loader may not find that library unless it is loaded already. */
static void open_builtins(void)
{
    Dl_info self;
    char path[PATH_BYTES];
    void *address;
    memcpy(&address, &nvrtc.calls.Version, sizeof address);
    if (!dladdr(address, &self) || !self.dli_fname) return;
    const char *const slash = strrchr(self.dli_fname, '/');
    if (!slash) return;
    const int length = snprintf(path, sizeof path, "%.*s/libnvrtc-builtins.so.%d.%d", (int)(slash - self.dli_fname),
                                self.dli_fname, nvrtc.major, nvrtc.minor);
    if (length < (int)sizeof path) dlopen(path, RTLD_NOW | RTLD_LOCAL); /* if not there, then by the loader's search */
}

static void open_nvrtc(void)
{
    static const symbol symbols[] = {
#define SYMBOL(name, result, parameters) {"nvrtc" #name, offsetof(opi_nvrtc_calls, name)},
        OPI_NVRTC_CALLS(SYMBOL)
#undef SYMBOL
    };
    void *const library = find_nvrtc();
    if (!library) return;
    const char *const missing = resolve(library, symbols, sizeof symbols / sizeof *symbols, &nvrtc.calls);
    if (missing) {
        snprintf(nvrtc.why, sizeof nvrtc.why,
                 "NVIDIA's run-time compiler lacks %s; install NVRTC 11.2 or later, and look whether "
                 "OPLUS_NVRTC_LIBRARY names libnvrtc",
                 missing);
        return;
    }
    const nvrtcResult result = nvrtc.calls.Version(&nvrtc.major, &nvrtc.minor);
    nvrtc.there = result == NVRTC_SUCCESS;
    if (nvrtc.there)
        open_builtins();
    else
        snprintf(nvrtc.why, sizeof nvrtc.why, "nvrtcVersion failed: %s; install NVRTC anew",
                 nvrtc.calls.GetErrorString(result));
}

const opi_nvrtc_calls *opi_nvrtc_open(const char **why)
{
    pthread_once(&nvrtc.once, open_nvrtc);
    *why = nvrtc.why;
    return nvrtc.there ? &nvrtc.calls : NULL;
}

void opi_cuda_versions(char *text, size_t bytes)
{
    const char *why;
    const int driver = opi_cuda_open(&why) ? cuda.version : 0;
    if (opi_nvrtc_open(&why))
        snprintf(text, bytes, "CUDA %d.%d, NVRTC %d.%d", driver / 1000, driver % 1000 / 10, nvrtc.major, nvrtc.minor);
    else
        snprintf(text, bytes, "CUDA %d.%d, no NVRTC", driver / 1000, driver % 1000 / 10);
}
