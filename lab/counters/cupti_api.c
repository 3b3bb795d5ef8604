#define _GNU_SOURCE /* secure_getenv */
#include "lab/counters/cupti_api.h"

#include "base/error.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_BYTES = 4096, WHY_BYTES = 512 };

static struct {
    pthread_once_t once;
    bool there;
    char version[32], why[WHY_BYTES];
    lab_cupti_calls calls;
} cupti = {.once = PTHREAD_ONCE_INIT};

/* --- 1. finding it ------------------------------------------------------------------------------------------------ */

static const char *environment(const char *name)
{
    const char *const value = secure_getenv(name); /* a set-user-id program must not trust it */
    return value && *value ? value : NULL;
}

static void *open_library(const char *path, char *why)
{
    void *const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const char *const error = library ? NULL : dlerror();
    if (error && !*why) snprintf(why, WHY_BYTES, "%.*s", opi_cut(error, WHY_BYTES - 1), error); /* the first counts */
    return library;
}

/* By the loader's search, then where CUDA's own installers put it. */
static void *find_name(const char *name, char *why)
{
    const char *const roots[] = {environment("CUDA_HOME"), environment("CUDA_PATH"), "/usr/local/cuda"};
    static const char *const folders[] = {"lib64", "lib", "extras/CUPTI/lib64"};
    void *library = open_library(name, why);
    for (size_t i = 0; !library && i < sizeof roots / sizeof *roots; i++)
        for (size_t k = 0; !library && roots[i] && k < sizeof folders / sizeof *folders; k++) {
            char path[PATH_BYTES];
            if ((size_t)snprintf(path, sizeof path, "%s/%s/%s", roots[i], folders[k], name) < sizeof path)
                library = open_library(path, why);
        }
    return library;
}

/* The driver's CUDA version, such as 13; if unknown, the largest possible one. */
static int version_of_driver(void)
{
    const char *ignored;
    const opi_cuda_calls *const cu = opi_cuda_open(&ignored);
    int version;
    return cu && cu->DriverGetVersion(&version) == CUDA_SUCCESS ? version / 1000 : INT_MAX;
}

static void *find_any(char *why)
{
    static const struct {
        const char *name;
        int major;
    } names[] = {{"libcupti.so.13", 13}, {"libcupti.so.12", 12}};
    const int driver = version_of_driver();
    void *library = NULL;
    for (int newer = 0; !library && newer < 2; newer++)
        for (size_t i = 0; !library && i < sizeof names / sizeof *names; i++)
            if ((names[i].major > driver) == newer) library = find_name(names[i].name, why);
    return library;
}

static void *find(void)
{
    const char *const named = environment("OPLUS_CUPTI_LIBRARY");
    char reason[WHY_BYTES] = "";
    void *const library = named ? open_library(named, reason) : find_any(reason);
    if (!library && named)
        snprintf(cupti.why, sizeof cupti.why,
                 "the environment variable OPLUS_CUPTI_LIBRARY, \"%.*s\", names no library that can be opened (%.*s); "
                 "let it name libcupti.so.13 or libcupti.so.12, or unset it",
                 opi_cut(named, 100), named, opi_cut(reason, 200), reason);
    else if (!library)
        snprintf(cupti.why, sizeof cupti.why,
                 "NVIDIA's CUPTI is not installed (%.*s); install that of CUDA 12.8 or later (package cuda-cupti-13-0, "
                 "libcupti or cuda-toolkit), or name its library in the environment variable OPLUS_CUPTI_LIBRARY",
                 opi_cut(reason, 200), reason);
    return library;
}

/* --- 2. opening it ------------------------------------------------------------------------------------------------ */

/* The name of a symbol that the library lacks, or NULL. */
static const char *resolve(void *library)
{
    static const struct {
        const char *name;
        size_t at;
    } symbols[] = {
#define SYMBOL(name, kind, last) {"cupti" #name, offsetof(lab_cupti_calls, name)},
        LAB_CUPTI_CALLS(SYMBOL) SYMBOL(GetVersion, , ) SYMBOL(GetResultString, , )
#undef SYMBOL
    };
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        void *const address = dlsym(library, symbols[i].name);
        if (!address) return symbols[i].name;
        memcpy((char *)&cupti.calls + symbols[i].at, &address, sizeof address); /* C has no cast to a function */
    }
    return NULL;
}

/* Up to CUDA 12 the versions of CUPTI are small numbers of their own. */
static void name_version(uint32_t version)
{
    static const char *const early[] = {[24] = "12.6", [26] = "12.8", [27] = "12.9", [28] = "12.9"};
    if (version >= 130000)
        snprintf(cupti.version, sizeof cupti.version, "CUPTI %u.%u", (unsigned)(version / 10000),
                 (unsigned)(version / 100 % 100));
    else if (version < sizeof early / sizeof *early && early[version])
        snprintf(cupti.version, sizeof cupti.version, "CUPTI %s", early[version]);
    else
        snprintf(cupti.version, sizeof cupti.version, "CUPTI, version %u", (unsigned)version);
}

static void open_it(void)
{
    void *const library = find();
    uint32_t version = 0;
    if (!library) return;
    const char *const missing = resolve(library);
    if (missing) {
        snprintf(cupti.why, sizeof cupti.why,
                 "NVIDIA's CUPTI lacks %s; install that of CUDA 12.8 or later, and look whether OPLUS_CUPTI_LIBRARY "
                 "names libcupti",
                 missing);
        return;
    }
    const CUptiResult result = cupti.calls.GetVersion(&version);
    cupti.there = result == CUPTI_SUCCESS;
    if (cupti.there)
        name_version(version);
    else
        lab_cupti_words(&cupti.calls, "cuptiGetVersion", result, cupti.why, sizeof cupti.why);
}

const lab_cupti_calls *lab_cupti_library(const char **version, const char **why)
{
    pthread_once(&cupti.once, open_it);
    *version = cupti.version;
    *why = cupti.why;
    return cupti.there ? &cupti.calls : NULL;
}

/* --- 3. results in words ------------------------------------------------------------------------------------------ */

#define UPDATE                                                                                                         \
    "use a driver and a CUPTI that belong together (the driver no older than CUPTI); OPLUS_CUPTI_LIBRARY can name "    \
    "another CUPTI"
#define ALONE "end other profilers and debuggers of this process and device (Nsight, cuda-gdb, dcgmi)"

static const struct {
    CUptiResult result;
    const char *means, *remedy;
} meanings[] = {
    {CUPTI_ERROR_INVALID_PARAMETER, "it does not like a parameter", UPDATE},
    {CUPTI_ERROR_INVALID_DEVICE, "it does not know the device", UPDATE},
    {CUPTI_ERROR_INVALID_CONTEXT, "the context is gone", "close the device and open it again"},
    {CUPTI_ERROR_INVALID_OPERATION, "not in this state", ALONE},
    {CUPTI_ERROR_OUT_OF_MEMORY, "no memory is left", "free some of the device's memory and the host's"},
    {CUPTI_ERROR_HARDWARE, "the device's counters are in trouble", "see nvidia-smi and the system's log (dmesg)"},
    {CUPTI_ERROR_NOT_COMPATIBLE, "not in this state", ALONE},
    {CUPTI_ERROR_NOT_INITIALIZED, "it does not reach the driver", UPDATE},
    {CUPTI_ERROR_INVALID_METRIC_NAME, "this chip has no such counter", UPDATE},
    {CUPTI_ERROR_DISABLED, "another profiler is in this process", ALONE},
    {CUPTI_ERROR_HARDWARE_BUSY, "another profiler uses the device's counters", ALONE},
    {CUPTI_ERROR_NOT_SUPPORTED, "not on this device or system",
     "use a device of compute capability 7.5 or later; " UPDATE},
    {CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED, "not on a virtual device", "use a device of its own"},
    {CUPTI_ERROR_INSUFFICIENT_PRIVILEGES, "the device's counters are open to administrators only",
     "run this as root (in a container, with the capability SYS_ADMIN), or have an administrator open them to all: the "
     "line \"options nvidia NVreg_RestrictProfilingToAdminUsers=0\" in a file of /etc/modprobe.d, and a restart"},
    {CUPTI_ERROR_OLD_PROFILER_API_INITIALIZED, "another profiler is in this process", ALONE},
    {CUPTI_ERROR_LEGACY_PROFILER_NOT_SUPPORTED, "not on this device", UPDATE},
    {CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED, "another profiler is in this process", ALONE},
    {CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES, "the hypervisor has closed the device's counters",
     "have its administrator allow profiling of this virtual device"},
    {CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED, "not while computing is confidential",
     "use a device without confidential computing"},
    {CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED, "not on a device for mining", "use another device"},
    {CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED, "not on a part of a device (MIG)", "use a whole device"},
    {CUPTI_ERROR_SLI_DEVICE_NOT_SUPPORTED, "not on devices joined by SLI", "switch SLI off"},
    {CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED, "not under WSL", "use Linux itself, or a later driver of Windows"},
    {CUPTI_ERROR_INVALID_CHIP_NAME, "it does not know this chip", "install a later CUPTI"},
};

void lab_cupti_words(const lab_cupti_calls *calls, const char *call, CUptiResult result, char *text, size_t bytes)
{
    const char *error, *means = "it does not say why",
                       *remedy = ALONE ", and see nvidia-smi and the system's log (dmesg)";
    char number[32];
    snprintf(number, sizeof number, "error %d", (int)result);
    if (calls->GetResultString(result, &error) != CUPTI_SUCCESS || !error) error = number; /* newer than CUPTI */
    for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++)
        if (meanings[i].result == result) {
            means = meanings[i].means;
            remedy = meanings[i].remedy;
        }
    snprintf(text, bytes, "%s failed: %s (%s); %s", call, error, means, remedy);
}
