/* What OpenCL devices there are, and what they can do. */
#define _POSIX_C_SOURCE 200809L /* strnlen */
#include "driver/opencl/opencl.h"

#include "base/hash.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- single questions --------------------------------------------------------------------------------------------- */

/* A text, cut to fit, without the spaces around it; "" where there is none. */
static void text_of_device(const opi_cl_api *cl, cl_device_id device, cl_device_info what, char *text, size_t bytes)
{
    char long_text[8192] = "";
    if (cl->GetDeviceInfo(device, what, sizeof long_text - 1, long_text, NULL) != CL_SUCCESS) *long_text = '\0';
    const char *const begin = long_text + strspn(long_text, " ");
    size_t n = strlen(begin);
    while (n > 0 && begin[n - 1] == ' ') n--;
    snprintf(text, bytes, "%.*s", (int)n, begin);
    text[opi_cut(text, (int)bytes - 1)] = '\0';
}

static void text_of_platform(const opi_cl_api *cl, cl_platform_id platform, cl_platform_info what, char *text,
                             size_t bytes)
{
    *text = '\0';
    if (!platform || cl->GetPlatformInfo(platform, what, bytes, text, NULL) != CL_SUCCESS) *text = '\0';
}

/* --- the facts of a device ---------------------------------------------------------------------------------------- */

typedef struct answers {
    cl_device_type type;
    cl_platform_id platform;
    cl_bool available, compiler, little;
    cl_uint address_bits, units, dimensions;
    cl_ulong memory, largest, local;
    cl_device_fp_config single;
    size_t group;
} answers;

static const struct question {
    cl_device_info info;
    size_t at, bytes;
    const char *name;
} questions[] = {
#define ASK(info, member)                                                                                              \
    {                                                                                                                  \
        info, offsetof(answers, member), sizeof(((answers *)0)->member), #info                                         \
    }
    ASK(CL_DEVICE_TYPE, type),
    ASK(CL_DEVICE_PLATFORM, platform),
    ASK(CL_DEVICE_AVAILABLE, available),
    ASK(CL_DEVICE_COMPILER_AVAILABLE, compiler),
    ASK(CL_DEVICE_ENDIAN_LITTLE, little),
    ASK(CL_DEVICE_ADDRESS_BITS, address_bits),
    ASK(CL_DEVICE_MAX_COMPUTE_UNITS, units),
    ASK(CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS, dimensions),
    ASK(CL_DEVICE_GLOBAL_MEM_SIZE, memory),
    ASK(CL_DEVICE_MAX_MEM_ALLOC_SIZE, largest),
    ASK(CL_DEVICE_LOCAL_MEM_SIZE, local),
    ASK(CL_DEVICE_SINGLE_FP_CONFIG, single),
    ASK(CL_DEVICE_MAX_WORK_GROUP_SIZE, group),
#undef ASK
};

/* "OpenCL 1.2 ..." or later. */
static bool is_new_enough(const char *version)
{
    static const char prefix[] = "OpenCL ";
    char *end;
    if (strncmp(version, prefix, sizeof prefix - 1) != 0) return false;
    const unsigned long major = strtoul(version + sizeof prefix - 1, &end, 10);
    return *end == '.' && (major > 1 || (major == 1 && strtoul(end + 1, NULL, 10) >= 2));
}

/* What a device must be. */
static const char *refusal(const answers *a, const char *version)
{
    if (!a->available) return "it is not available (CL_DEVICE_AVAILABLE)";
    if (!a->compiler) return "its driver has no compiler (CL_DEVICE_COMPILER_AVAILABLE)";
    if (!a->little) return "it is big-endian";
    if (a->address_bits != 64) return "its addresses have not 64 bits (CL_DEVICE_ADDRESS_BITS)";
    if (!is_new_enough(version)) return "it is older than OpenCL 1.2 (CL_DEVICE_VERSION)";
    return NULL;
}

/* As many work-items as a group may have along its one dimension. */
static size_t group_of(const opi_cl_api *cl, cl_device_id device, const answers *a)
{
    size_t sizes[16] = {0};
    if (a->dimensions < 1 || a->dimensions > sizeof sizes / sizeof *sizes ||
        cl->GetDeviceInfo(device, CL_DEVICE_MAX_WORK_ITEM_SIZES, a->dimensions * sizeof *sizes, sizes, NULL) !=
            CL_SUCCESS)
        return a->group;
    return sizes[0] < a->group ? sizes[0] : a->group;
}

/* Double precision is optional in 1.2; the extension says so where the newer question is not answered. */
static bool has_f64(const opi_cl_api *cl, cl_device_id device)
{
    cl_device_fp_config config = 0;
    size_t bytes = 0;
    if (cl->GetDeviceInfo(device, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof config, &config, NULL) == CL_SUCCESS && config)
        return true;
    if (cl->GetDeviceInfo(device, CL_DEVICE_EXTENSIONS, 0, NULL, &bytes) != CL_SUCCESS || bytes == 0) return false;
    char *const extensions = malloc(bytes + 1);
    if (!extensions) return false;
    extensions[bytes] = '\0';
    const bool found = cl->GetDeviceInfo(device, CL_DEVICE_EXTENSIONS, bytes, extensions, NULL) == CL_SUCCESS &&
                       strstr(extensions, "cl_khr_fp64") != NULL;
    free(extensions);
    return found;
}

/* All versions in one line; where they are too long, what is cut off still counts, as a hash. */
static void driver_of(const opi_cl_api *cl, cl_device_id device, cl_platform_id platform, char *text, size_t bytes)
{
    char driver[128], device_version[256], name[128], version[256], whole[1024];
    text_of_device(cl, device, CL_DRIVER_VERSION, driver, sizeof driver);
    text_of_device(cl, device, CL_DEVICE_VERSION, device_version, sizeof device_version);
    text_of_platform(cl, platform, CL_PLATFORM_NAME, name, sizeof name);
    text_of_platform(cl, platform, CL_PLATFORM_VERSION, version, sizeof version);
    const int n = snprintf(whole, sizeof whole, "%s %s, %s, %s", name, version, device_version, driver);
    if (n >= 0 && (size_t)n < bytes) {
        memcpy(text, whole, (size_t)n + 1);
        return;
    }
    char tail[24];
    const int tail_bytes =
        snprintf(tail, sizeof tail, "... %016llx", (unsigned long long)opi_hash_bytes(whole, strlen(whole)).low);
    const int kept = opi_cut(whole, (int)bytes - 1 - tail_bytes);
    memcpy(text, whole, (size_t)kept);
    memcpy(text + kept, tail, (size_t)tail_bytes + 1);
}

bool opi_cl_describe(const opi_cl_api *cl, cl_device_id device, opi_cl_found *found, char *why, size_t why_bytes)
{
    opi_gpu_facts *const facts = &found->facts;
    answers a = {0};
    char version[256];
    *found = (opi_cl_found){.device = device};
    text_of_device(cl, device, CL_DEVICE_NAME, facts->name, sizeof facts->name);
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
        const struct question *const q = &questions[i];
        const cl_int error = cl->GetDeviceInfo(device, q->info, q->bytes, (char *)&a + q->at, NULL);
        if (error == CL_SUCCESS) continue;
        snprintf(why, why_bytes,
                 "%s cannot be used: clGetDeviceInfo of %s failed: %s (%d); see with clinfo whether its driver works",
                 facts->name, q->name, opi_cl_word(error), (int)error);
        return false;
    }
    text_of_device(cl, device, CL_DEVICE_VERSION, version, sizeof version);
    const char *const refused = refusal(&a, version);
    if (refused) {
        snprintf(why, why_bytes, "%s cannot be used: %s", facts->name, refused);
        return false;
    }
    found->type = a.type;
    snprintf(facts->where, sizeof facts->where, "opencl");
    driver_of(cl, device, a.platform, facts->driver, sizeof facts->driver);
    /* Oclgrind says that it is all kinds of device at once; it is there to run kernels for GPUs. */
    facts->host_cores = (a.type & (CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU)) == CL_DEVICE_TYPE_CPU;
    facts->f64 = has_f64(cl, device);
    facts->denormals = (a.single & CL_FP_DENORM) != 0;
    facts->divides = (a.single & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0;
    facts->memory = a.memory;
    facts->largest = a.largest;
    facts->local = facts->local_most = (size_t)a.local;
    facts->units = a.units;
    facts->group = (unsigned)group_of(cl, device, &a);
    facts->fast_bytes = 16;
    facts->element = facts->host_cores ? 64 << 10 : 1 << 10; /* NVRTC's, as a GPU may share its back end */
    return true;
}

/* --- all devices -------------------------------------------------------------------------------------------------- */

/* A list that grows; `lost` once there was no memory for it. */
typedef struct list {
    opi_cl_found *found;
    int n, capacity;
    bool lost;
} list;

static void append(list *all, const opi_cl_found *one)
{
    if (all->n == all->capacity) {
        const int capacity = all->capacity ? 2 * all->capacity : 8;
        opi_cl_found *const found = realloc(all->found, (size_t)capacity * sizeof *found);
        if (!found) {
            all->lost = true;
            return;
        }
        all->found = found;
        all->capacity = capacity;
    }
    opi_cl_found *const added = &all->found[all->n];
    *added = *one;
    snprintf(added->facts.where, sizeof added->facts.where, "opencl:%d", all->n);
    all->n++;
}

/* Whether a query has succeeded; if not, writes why, unless there is a reason already. */
static bool told(const char *name, cl_int error, char *why, size_t why_bytes)
{
    if (error != CL_SUCCESS && !*why)
        snprintf(why, why_bytes, "%s failed: %s (%d); see with clinfo whether the driver of OpenCL works", name,
                 opi_cl_word(error), (int)error);
    return error == CL_SUCCESS;
}

/* Finds the devices of one platform.  If no device can be used, `why` says what is wrong with the first one. */
static void find_on(const opi_cl_api *cl, cl_platform_id platform, list *all, char *why, size_t why_bytes)
{
    char refused[512];
    cl_uint n = 0;
    const cl_int error = cl->GetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, NULL, &n);
    if (error == CL_DEVICE_NOT_FOUND || !told("clGetDeviceIDs", error, why, why_bytes) || n == 0) return;
    cl_device_id *const device = calloc(n, sizeof *device);
    all->lost = all->lost || !device;
    if (!device) return;
    if (!told("clGetDeviceIDs", cl->GetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, n, device, NULL), why, why_bytes)) n = 0;
    for (cl_uint i = 0; i < n; i++) {
        opi_cl_found one;
        if (opi_cl_describe(cl, device[i], &one, refused, sizeof refused))
            append(all, &one);
        else if (!*why)
            snprintf(why, why_bytes, "%s", refused);
    }
    free(device);
}

static void find_all(const opi_cl_api *cl, list *all, char *why, size_t why_bytes)
{
    static const char install[] = "install one (Debian: apt-get install pocl-opencl-icd, for the cores)";
    cl_uint n = 0;
    *why = '\0';
    const cl_int error = cl->GetPlatformIDs(0, NULL, &n);
    if (error == CL_PLATFORM_NOT_FOUND_KHR || (error == CL_SUCCESS && n == 0))
        snprintf(why, why_bytes, "OpenCL has no driver here; %s", install);
    if (!told("clGetPlatformIDs", error, why, why_bytes) || n == 0) return;
    cl_platform_id *const platform = calloc(n, sizeof *platform);
    all->lost = !platform;
    if (!platform) return;
    if (!told("clGetPlatformIDs", cl->GetPlatformIDs(n, platform, NULL), why, why_bytes)) n = 0;
    for (cl_uint i = 0; i < n; i++) find_on(cl, platform[i], all, why, why_bytes);
    free(platform);
    if (all->n == 0 && !*why) snprintf(why, why_bytes, "OpenCL has a driver here, but no device for it; %s", install);
}

int opi_cl_find(const opi_cl_api *cl, opi_cl_found **found, char *why, size_t why_bytes)
{
    list all = {0};
    find_all(cl, &all, why, why_bytes);
    if (all.lost) {
        free(all.found);
        all = (list){0};
        snprintf(why, why_bytes, "no host memory for the list of OpenCL devices");
    }
    *found = all.found;
    return all.n;
}
