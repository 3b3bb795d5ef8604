/* Opening an OpenCL device: the one that a name means, or that of the caller's queue. */
#include "driver/opencl/opencl.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- which device a name means ------------------------------------------------------------------------------------ */

/* What follows the name: a number, a kind of device, or nothing. */
typedef struct choice {
    long index;          /* -1: any */
    cl_device_type type; /* 0: any */
} choice;

static const struct kind {
    const char *suffix;
    cl_device_type type;
    const char *words;
} kinds[] = {
    /* the best comes first */
    {":gpu", CL_DEVICE_TYPE_GPU, "GPU"},
    {":accelerator", CL_DEVICE_TYPE_ACCELERATOR, "accelerator"},
    {":cpu", CL_DEVICE_TYPE_CPU, "CPU"},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static oplus_status understand(const char *call, const char *suffix, choice *chosen)
{
    *chosen = (choice){.index = -1};
    if (!*suffix) return OPLUS_OK;
    for (int i = 0; i < KINDS; i++)
        if (strcmp(suffix, kinds[i].suffix) == 0) {
            chosen->type = kinds[i].type;
            return OPLUS_OK;
        }
    const size_t digits = strspn(suffix + 1, "0123456789");
    if (*suffix == ':' && digits > 0 && suffix[1 + digits] == '\0') {
        chosen->index = digits < 9 ? strtol(suffix + 1, NULL, 10) : 999999999; /* more than there are */
        return OPLUS_OK;
    }
    return opi_fail(OPLUS_ERR_ARGUMENT,
                    "%s: where is \"opencl%s\"; after \"opencl\" comes nothing, \":gpu\", \":cpu\", "
                    "\":accelerator\" or the number of a device, as in \"opencl:0\"",
                    call, suffix);
}

static bool suits(const choice *chosen, const opi_cl_found *found, int index)
{
    return (chosen->index < 0 || chosen->index == index) && (!chosen->type || (found->type & chosen->type));
}

/* The index of the first device that suits, of the best kind there is; -1: there is none. */
static int choose(const choice *chosen, const opi_cl_found *found, int n)
{
    for (int k = 0; k <= KINDS; k++)
        for (int i = 0; i < n; i++)
            if (suits(chosen, &found[i], i) && (k == KINDS || (found[i].type & kinds[k].type))) return i;
    return -1;
}

static oplus_status absent(const char *call, const char *suffix, const opi_cl_found *found, int n)
{
    char all[600] = "";
    size_t used = 0;
    for (int i = 0; i < n && used < sizeof all - 1; i++) {
        const int more = snprintf(all + used, sizeof all - used, "%s%d: %s", i ? ", " : "", i, found[i].facts.name);
        used += more > 0 ? (size_t)more : 0;
    }
    return opi_fail(OPLUS_ERR_DEVICE,
                    "%s: where is \"opencl%s\", but there %s %d OpenCL device%s (%.*s); use \"opencl:0\"", call, suffix,
                    n == 1 ? "is" : "are", n, n == 1 ? "" : "s", opi_cut(all, sizeof all - 1), all);
}

/* --- opening and closing ------------------------------------------------------------------------------------------ */

static int list_devices(opi_gpu_facts *facts, int capacity, char *why, size_t why_bytes)
{
    const char *reason;
    opi_cl_found *found = NULL;
    const opi_cl_api *const cl = opi_cl_open(&reason);
    if (!cl) {
        snprintf(why, why_bytes, "%s", reason);
        return 0;
    }
    const int n = opi_cl_find(cl, &found, why, why_bytes);
    for (int i = 0; i < n && i < capacity; i++) facts[i] = found[i].facts;
    free(found);
    return n;
}

/* Fills in device and facts with the device of that name. */
static oplus_status open_named(opi_cl_gpu *gpu, const char *call, const char *suffix, const choice *chosen)
{
    char why[640];
    opi_cl_found *found = NULL;
    const int n = opi_cl_find(gpu->cl, &found, why, sizeof why);
    const int best = choose(chosen, found, n);
    if (best >= 0) {
        gpu->device = found[best].device;
        gpu->gpu.facts = found[best].facts;
    }
    const oplus_status status =
        best >= 0 ? OPLUS_OK
        : n > 0   ? absent(call, suffix, found, n)
                  : opi_fail(OPLUS_ERR_DEVICE, "%s: where is \"opencl%s\", but %s", call, suffix, why);
    free(found);
    if (status != OPLUS_OK) return status;
    cl_int error = CL_SUCCESS;
    gpu->context = gpu->cl->CreateContext(NULL, 1, &gpu->device, NULL, NULL, &error);
    return opi_cl_check(gpu, call, "clCreateContext", error);
}

/* The number of a device in the list of all; -1 for a part of a device, and for a device that cannot be used. */
static int number_of(const opi_cl_api *cl, cl_device_id device)
{
    char why[640];
    opi_cl_found *found = NULL;
    const int n = opi_cl_find(cl, &found, why, sizeof why);
    int at = -1;
    for (int i = 0; i < n; i++)
        if (found[i].device == device) at = i;
    free(found);
    return at;
}

static oplus_status ask_queue(opi_cl_gpu *gpu, const char *call, cl_command_queue queue,
                              cl_command_queue_properties *properties, cl_context *context)
{
    const struct {
        cl_command_queue_info info;
        size_t bytes;
        void *answer;
    } questions[] = {{CL_QUEUE_PROPERTIES, sizeof *properties, properties},
                     {CL_QUEUE_CONTEXT, sizeof *context, context},
                     {CL_QUEUE_DEVICE, sizeof gpu->device, &gpu->device}};
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
        const cl_int error =
            gpu->cl->GetCommandQueueInfo(queue, questions[i].info, questions[i].bytes, questions[i].answer, NULL);
        if (error != CL_SUCCESS)
            return opi_fail(error == CL_INVALID_COMMAND_QUEUE ? OPLUS_ERR_ARGUMENT : OPLUS_ERR_DEVICE,
                            "%s: clGetCommandQueueInfo of the given queue failed: %s (%d); give a cl_command_queue",
                            call, opi_cl_word(error), (int)error);
    }
    return OPLUS_OK;
}

/* Fills in the device and the context of a caller's queue, which is kept until close. */
static oplus_status open_queue(opi_cl_gpu *gpu, const char *call, const char *suffix, const choice *chosen,
                               cl_command_queue queue)
{
    char why[640];
    opi_cl_found found;
    cl_command_queue_properties properties = 0;
    cl_context context = NULL;
    OPI_TRY(ask_queue(gpu, call, queue, &properties, &context));
    if (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)
        return opi_fail(OPLUS_ERR_ARGUMENT,
                        "%s: the given queue is out-of-order; make it without "
                        "CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE",
                        call);
    if (!opi_cl_describe(gpu->cl, gpu->device, &found, why, sizeof why))
        return opi_fail(OPLUS_ERR_DEVICE, "%s: the device of the given queue, %s", call, why);
    gpu->gpu.facts = found.facts;
    const int number = number_of(gpu->cl, gpu->device);
    if (number >= 0) snprintf(gpu->gpu.facts.where, sizeof gpu->gpu.facts.where, "opencl:%d", number);
    if (!suits(chosen, &found, number))
        return opi_fail(OPLUS_ERR_ARGUMENT,
                        "%s: where is \"opencl%s\", but the given queue is one of %s (%s); use "
                        "\"opencl\"",
                        call, suffix, gpu->gpu.facts.where, gpu->gpu.facts.name);
    OPI_TRY(OPI_CL_CHECK(gpu, call, RetainContext, context));
    gpu->context = context;
    OPI_TRY(OPI_CL_CHECK(gpu, call, RetainCommandQueue, queue));
    gpu->queue[OPI_QUEUE_COMPUTE] = queue;
    return OPLUS_OK;
}

static void close_device(opi_gpu *base)
{
    opi_cl_gpu *const gpu = (opi_cl_gpu *)base;
    if (!gpu) return;
    opi_cl_finish(gpu);
    opi_cl_free_all(gpu);
    for (int i = 0; i < OPI_QUEUES; i++)
        if (gpu->queue[i]) gpu->cl->ReleaseCommandQueue(gpu->queue[i]);
    if (gpu->context) gpu->cl->ReleaseContext(gpu->context);
    free(gpu);
}

static oplus_status open_device(const char *call, const char *suffix, void *queue, opi_gpu **opened)
{
    const char *why;
    choice chosen;
    cl_command_queue compute;
    OPI_TRY(understand(call, suffix, &chosen));
    const opi_cl_api *const cl = opi_cl_open(&why);
    if (!cl) return opi_fail(OPLUS_ERR_DEVICE, "%s: where is \"opencl%s\", but %s", call, suffix, why);
    opi_cl_gpu *const gpu = calloc(1, sizeof *gpu);
    if (!gpu) return opi_fail(OPLUS_ERR_MEMORY, "%s: no memory for a device handle (%zu bytes)", call, sizeof *gpu);
    gpu->gpu.driver = &opi_opencl;
    gpu->cl = cl;
    oplus_status status =
        queue ? open_queue(gpu, call, suffix, &chosen, queue) : open_named(gpu, call, suffix, &chosen);
    if (status == OPLUS_OK) status = opi_cl_queue(gpu, call, OPI_QUEUE_COMPUTE, &compute);
    if (status != OPLUS_OK) {
        close_device(&gpu->gpu);
        return status;
    }
    *opened = (opi_gpu *)gpu;
    return OPLUS_OK;
}

/* --- one thread at a time -------------------------------------------------------------------------------------- */

/* PoCL takes its devices down with the last context, and crashes if they are asked something meanwhile: one thread at a
 * time looks, opens or closes. */
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

int opi_cl_list(opi_gpu_facts *facts, int capacity, char *why, size_t why_bytes)
{
    pthread_mutex_lock(&gate);
    const int found = list_devices(facts, capacity, why, why_bytes);
    pthread_mutex_unlock(&gate);
    return found;
}

oplus_status opi_cl_device_open(const char *call, const char *suffix, void *queue, opi_gpu **opened)
{
    pthread_mutex_lock(&gate);
    const oplus_status status = open_device(call, suffix, queue, opened);
    pthread_mutex_unlock(&gate);
    return status;
}

void opi_cl_device_close(opi_gpu *base)
{
    pthread_mutex_lock(&gate);
    close_device(base);
    pthread_mutex_unlock(&gate);
}
