#include "driver/cuda/cuda.h"

#include "base/error.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    CLUSTER = 8,              /* the portable size: every device with clusters allows it */
    FAST_BYTES = 16,          /* ld.global.v4 */
    LARGEST_ELEMENT = 1 << 10 /* NVRTC 13 takes seconds for 800 bytes, and minutes for 5000 */
};

#define VISIBLE "see that CUDA_VISIBLE_DEVICES does not hide it"

/* --- 1. facts ----------------------------------------------------------------------------------------------------- */

/* Asking a device one thing after another; after the first failure nothing more is asked. */
typedef struct asking {
    const opi_cuda_calls *cu;
    CUdevice device;
    CUresult result;
    const char *name; /* of the call with this result */
} asking;

static bool heard(asking *a, const char *name, CUresult result)
{
    a->name = name;
    a->result = result;
    return result == CUDA_SUCCESS;
}

static unsigned attribute(asking *a, CUdevice_attribute which)
{
    int value = 0;
    if (a->result == CUDA_SUCCESS)
        heard(a, "cuDeviceGetAttribute", a->cu->DeviceGetAttribute(&value, which, a->device));
    return (unsigned)value;
}

static void ask_attributes(asking *a, opi_gpu_facts *facts)
{
    facts->architecture = 10 * attribute(a, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
                          attribute(a, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
    facts->local = attribute(a, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
    facts->local_most = attribute(a, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
    if (a->cu->LaunchKernelEx && a->cu->OccupancyMaxActiveClusters) {
        facts->resident = attribute(a, CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH) != 0;
        facts->cluster = attribute(a, CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH) ? CLUSTER : 0;
    }
    facts->group = attribute(a, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
    facts->lanes = attribute(a, CU_DEVICE_ATTRIBUTE_WARP_SIZE);
    facts->units = attribute(a, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
}

/* Needs no context. */
static asking ask(const opi_cuda_calls *cu, int ordinal, opi_gpu_facts *facts)
{
    size_t memory = 0;
    asking a = {.cu = cu, .result = CUDA_SUCCESS};
    *facts = (opi_gpu_facts){
        .f64 = true, .denormals = true, .divides = true, .fast_bytes = FAST_BYTES, .element = LARGEST_ELEMENT};
    snprintf(facts->where, sizeof facts->where, "cuda:%d", ordinal);
    opi_cuda_versions(facts->driver, sizeof facts->driver);
    if (heard(&a, "cuDeviceGet", cu->DeviceGet(&a.device, ordinal)) &&
        heard(&a, "cuDeviceGetName", cu->DeviceGetName(facts->name, sizeof facts->name, a.device)) &&
        heard(&a, "cuDeviceTotalMem", cu->DeviceTotalMem(&memory, a.device)))
        ask_attributes(&a, facts);
    facts->memory = facts->largest = memory;
    return a;
}

int opi_cuda_list(opi_gpu_facts *facts, int capacity, char *why, size_t why_bytes)
{
    const char *reason;
    int count = 0;
    const opi_cuda_calls *const cu = opi_cuda_open(&reason);
    if (!cu) {
        snprintf(why, why_bytes, "%s", reason);
        return 0;
    }
    asking a = {.cu = cu};
    char where[sizeof facts->where + 8] = "";
    if (heard(&a, "cuDeviceGetCount", cu->DeviceGetCount(&count)) && count == 0)
        snprintf(why, why_bytes, "the driver has no device; " VISIBLE);
    for (int i = 0; a.result == CUDA_SUCCESS && i < count && i < capacity; i++) {
        a = ask(cu, i, &facts[i]);
        snprintf(where, sizeof where, " on %s", facts[i].where);
    }
    if (a.result == CUDA_SUCCESS) return count;
    opi_cuda_words(cu, a.name, a.result, where, why, why_bytes);
    return 0;
}

/* --- 2. open ------------------------------------------------------------------------------------------------------ */

/* The context that a stream belongs to becomes the device's.  For one of the driver's special streams (legacy, per
 * thread) that is the current one, hence the primary. */
static oplus_status adopt_stream(opi_cuda_gpu *g, const char *call, CUstream stream)
{
    CUcontext context = NULL;
    CUdevice device = g->device;
    oplus_status status = opi_cuda_enter(&g->gpu, call);
    if (status != OPLUS_OK) return status;
    status = opi_cuda_leave(&g->gpu, call, OPI_CUDA_TRY(g, call, StreamGetCtx, stream, &context));
    if (status != OPLUS_OK || context == g->context) return status;

    g->cu->DevicePrimaryCtxRelease(g->device);
    g->primary = false;
    g->context = context;
    status = opi_cuda_enter(&g->gpu, call);
    if (status != OPLUS_OK) return status;
    status = opi_cuda_leave(&g->gpu, call, OPI_CUDA_TRY(g, call, CtxGetDevice, &device));
    if (status != OPLUS_OK || device == g->device) return status;
    return opi_fail(OPLUS_ERR_ARGUMENT, "%s: the stream %p belongs to device %d, not to %s; open that with it", call,
                    (void *)stream, (int)device, g->gpu.facts.where);
}

/* Own streams do not wait for the legacy default stream, nor it for them. */
static oplus_status create_streams(opi_cuda_gpu *g, const char *call)
{
    oplus_status status = opi_cuda_enter(&g->gpu, call);
    if (status != OPLUS_OK) return status;
    for (int q = 0; status == OPLUS_OK && q < OPI_QUEUES; q++)
        if (!g->stream[q]) status = OPI_CUDA_TRY(g, call, StreamCreate, &g->stream[q], CU_STREAM_NON_BLOCKING);
    return opi_cuda_leave(&g->gpu, call, status);
}

/* Whether the driver has so many devices. */
static oplus_status look_for(const opi_cuda_gpu *g, const char *call)
{
    int count = 0;
    const oplus_status status = OPI_CUDA_TRY(g, call, DeviceGetCount, &count);
    if (status != OPLUS_OK || g->ordinal < count) return status;
    if (count == 0)
        return opi_fail(OPLUS_ERR_DEVICE, "%s: there is no device %s: the driver has none; " VISIBLE, call,
                        g->gpu.facts.where);
    return opi_fail(OPLUS_ERR_DEVICE, "%s: there is no device %s; %s cuda:%d", call, g->gpu.facts.where,
                    count == 1 ? "there is only" : "they go up to", count - 1);
}

static oplus_status set_up(opi_cuda_gpu *g, const char *call, CUstream stream)
{
    oplus_status status = look_for(g, call);
    if (status != OPLUS_OK) return status;
    const asking a = ask(g->cu, g->ordinal, &g->gpu.facts);
    if (a.result != CUDA_SUCCESS) return opi_cuda_fail(g, call, a.name, a.result, "");
    g->device = a.device;
    status = OPI_CUDA_TRY(g, call, DevicePrimaryCtxRetain, &g->context, g->device);
    if (status != OPLUS_OK) return status;
    g->primary = true;
    if (stream) status = adopt_stream(g, call, stream);
    if (status != OPLUS_OK) return status;
    g->given = stream != NULL;
    g->stream[OPI_QUEUE_COMPUTE] = stream;
    return create_streams(g, call);
}

/* The device's number in "" (0) or ":N"; -1 for anything else. */
static int ordinal_of(const char *where)
{
    if (!*where) return 0;
    const char *const digits = where + 1;
    const size_t length = strspn(digits, "0123456789");
    if (*where != ':' || length == 0 || digits[length] != '\0') return -1;
    const unsigned long value = strtoul(digits, NULL, 10);
    return value < INT_MAX ? (int)value : INT_MAX;
}

oplus_status opi_cuda_device_open(const char *call, const char *where, void *queue, opi_gpu **gpu)
{
    const char *why;
    const int ordinal = ordinal_of(where);
    *gpu = NULL;
    if (ordinal < 0)
        return opi_fail(OPLUS_ERR_ARGUMENT,
                        "%s: \"cuda%.*s\" names no device; write \"cuda\" for the first, \"cuda:1\" for the second",
                        call, opi_cut(where, 40), where);
    const opi_cuda_calls *const cu = opi_cuda_open(&why);
    if (!cu) return opi_fail(OPLUS_ERR_DEVICE, "%s: there is no device cuda:%d: %s", call, ordinal, why);
    opi_cuda_gpu *const g = calloc(1, sizeof *g);
    if (!g) return opi_fail(OPLUS_ERR_MEMORY, "%s: no memory to open cuda:%d; free some", call, ordinal);
    g->gpu.driver = &opi_cuda;
    g->cu = cu;
    g->ordinal = ordinal;
    snprintf(g->gpu.facts.where, sizeof g->gpu.facts.where, "cuda:%d", ordinal);
    const oplus_status status = set_up(g, call, queue);
    if (status == OPLUS_OK)
        *gpu = &g->gpu;
    else
        opi_cuda_device_close(&g->gpu);
    return status;
}

/* --- 3. close ----------------------------------------------------------------------------------------------------- */

void opi_cuda_wait(const opi_cuda_gpu *g)
{
    for (int q = 0; q < OPI_QUEUES; q++)
        if (g->stream[q]) g->cu->StreamSynchronize(g->stream[q]);
}

void opi_cuda_device_close(opi_gpu *gpu)
{
    opi_cuda_gpu *const g = opi_cuda_self(gpu);
    CUcontext ours;
    if (g->context && g->cu->CtxPushCurrent(g->context) == CUDA_SUCCESS) {
        opi_cuda_wait(g);
        while (g->marks > 0) g->cu->EventDestroy(g->mark[--g->marks]);
        for (int q = 0; q < OPI_QUEUES; q++)
            if (g->stream[q] && !(g->given && q == OPI_QUEUE_COMPUTE)) g->cu->StreamDestroy(g->stream[q]);
        g->cu->CtxPopCurrent(&ours);
    }
    if (g->primary) g->cu->DevicePrimaryCtxRelease(g->device);
    opi_spans_free(&g->spans);
    free(g);
}
