/* The OpenCL driver: opening devices, order among their queues, and the table of it all. */
#include "driver/opencl/opencl.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- errors ------------------------------------------------------------------------------------------------------- */

/* What an error is for the caller, and what can be done; others are OPLUS_ERR_DEVICE. */
static const struct {
    cl_int error;
    oplus_status status;
    const char *remedy;
} meanings[] = {
    {CL_OUT_OF_HOST_MEMORY, OPLUS_ERR_MEMORY, "free memory, of the host too, or work on fewer elements at once"},
    {CL_MEM_OBJECT_ALLOCATION_FAILURE, OPLUS_ERR_MEMORY,
     "free memory of the device (oplus_free, oplus_trim; other programs use it too), or ask for less"},
    {CL_OUT_OF_RESOURCES, OPLUS_ERR_DEVICE,
     "the device's memory is full, or a kernel needs more registers or shared memory than there are, or went out of "
     "bounds; free memory, use a smaller element type, or look at what the operator indexes"},
    {CL_INVALID_WORK_GROUP_SIZE, OPLUS_ERR_DEVICE,
     "the kernel needs more registers than a work-group of this size leaves it; use a smaller element type"},
    {CL_INVALID_WORK_ITEM_SIZE, OPLUS_ERR_DEVICE, "work-groups of this device are smaller"},
    {CL_DEVICE_NOT_AVAILABLE, OPLUS_ERR_DEVICE, "see with clinfo whether its driver works"},
    {CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, OPLUS_ERR_DEVICE,
     "work enqueued before has failed; open the device anew"},
    {CL_NVIDIA_ILLEGAL_ACCESS, OPLUS_ERR_DEVICE,
     "a kernel touched memory that is not its own; see whether the operator indexes out of bounds, and open the device "
     "anew"},
};

oplus_status opi_cl_check(const opi_cl_gpu *gpu, const char *call, const char *name, cl_int error)
{
    const opi_gpu_facts *const facts = &gpu->gpu.facts;
    oplus_status status = OPLUS_ERR_DEVICE;
    const char *remedy = "see with clinfo whether its driver works, or use another device";
    if (error == CL_SUCCESS) return OPLUS_OK;
    for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++)
        if (meanings[i].error == error) {
            status = meanings[i].status;
            remedy = meanings[i].remedy;
        }
    return opi_fail(status, "%s: %s failed: %s (%d) on %s (%s); %s", call, name, opi_cl_word(error), (int)error,
                    facts->where, facts->name, remedy);
}

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

/* The index of the first that suits, of the best kind there is; -1: there is none. */
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

/* PoCL takes its devices down with the last context, and crashes if they are asked something meanwhile: one thread at a
 * time looks, opens or closes. */
static pthread_mutex_t doors = PTHREAD_MUTEX_INITIALIZER;

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

/* The number of a device in the list of all: -1 of a part of one, and of one that cannot be used. */
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

/* Device and context of a caller's queue, which keep it until close. */
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

/* --- queues ------------------------------------------------------------------------------------------------------- */

oplus_status opi_cl_queue(opi_cl_gpu *gpu, const char *call, opi_gpu_queue which, cl_command_queue *queue)
{
    cl_int error = CL_SUCCESS;
    if (!gpu->queue[which]) {
        cl_command_queue made = gpu->cl->CreateCommandQueue(gpu->context, gpu->device, 0, &error);
        OPI_TRY(opi_cl_check(gpu, call, "clCreateCommandQueue", error));
        gpu->queue[which] = made;
    }
    *queue = gpu->queue[which];
    return OPLUS_OK;
}

void opi_cl_finish(opi_cl_gpu *gpu)
{
    for (int i = 0; i < OPI_QUEUES; i++)
        if (gpu->queue[i]) gpu->cl->Flush(gpu->queue[i]); /* all, for one may wait for another */
    for (int i = 0; i < OPI_QUEUES; i++)
        if (gpu->queue[i]) gpu->cl->Finish(gpu->queue[i]);
}

static oplus_status sync(opi_gpu *base, const char *call, opi_gpu_queue which)
{
    opi_cl_gpu *const gpu = (opi_cl_gpu *)base;
    if (!gpu->queue[which]) return OPLUS_OK; /* never used */
    return OPI_CL_CHECK(gpu, call, Finish, gpu->queue[which]);
}

/* A mark is an event.  Another queue, and whoever asks for its state, may wait for it only once it is flushed. */
static oplus_status mark(opi_gpu *base, const char *call, opi_gpu_queue which, void **made)
{
    opi_cl_gpu *const gpu = (opi_cl_gpu *)base;
    cl_command_queue queue;
    cl_event event = NULL;
    OPI_TRY(opi_cl_queue(gpu, call, which, &queue));
    OPI_TRY(OPI_CL_CHECK(gpu, call, EnqueueMarkerWithWaitList, queue, 0, NULL, &event));
    const oplus_status status = OPI_CL_CHECK(gpu, call, Flush, queue);
    if (status != OPLUS_OK)
        gpu->cl->ReleaseEvent(event);
    else
        *made = event;
    return status;
}

static oplus_status after(opi_gpu *base, const char *call, opi_gpu_queue which, void *mark)
{
    opi_cl_gpu *const gpu = (opi_cl_gpu *)base;
    cl_event event = mark;
    cl_command_queue queue, marked = NULL;
    OPI_TRY(opi_cl_queue(gpu, call, which, &queue));
    OPI_TRY(OPI_CL_CHECK(gpu, call, GetEventInfo, event, CL_EVENT_COMMAND_QUEUE, sizeof marked, &marked, NULL));
    if (marked == queue) return OPLUS_OK; /* it is in order */
    return OPI_CL_CHECK(gpu, call, EnqueueBarrierWithWaitList, queue, 1, &event, NULL);
}

static oplus_status reached(opi_gpu *base, const char *call, void *mark)
{
    const opi_cl_gpu *const gpu = (const opi_cl_gpu *)base;
    cl_event event = mark;
    return OPI_CL_CHECK(gpu, call, WaitForEvents, 1, &event);
}

static oplus_status query(opi_gpu *base, const char *call, void *mark, bool *done)
{
    const opi_cl_gpu *const gpu = (const opi_cl_gpu *)base;
    cl_int state = CL_COMPLETE;
    *done = false;
    OPI_TRY(OPI_CL_CHECK(gpu, call, GetEventInfo, mark, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL));
    *done = state <= CL_COMPLETE;
    return state < 0 ? opi_cl_check(gpu, call, "work enqueued before", state) : OPLUS_OK;
}

static void drop(opi_gpu *base, void *mark)
{
    if (mark) ((opi_cl_gpu *)base)->cl->ReleaseEvent(mark);
}

/* --- the driver --------------------------------------------------------------------------------------------------- */

/* --- one thread at a time ----------------------------------------------------------------------------------------- */

static int list(opi_gpu_facts *facts, int capacity, char *why, size_t why_bytes)
{
    pthread_mutex_lock(&doors);
    const int found = list_devices(facts, capacity, why, why_bytes);
    pthread_mutex_unlock(&doors);
    return found;
}

static oplus_status open_gpu(const char *call, const char *suffix, void *queue, opi_gpu **opened)
{
    pthread_mutex_lock(&doors);
    const oplus_status status = open_device(call, suffix, queue, opened);
    pthread_mutex_unlock(&doors);
    return status;
}

static void close_gpu(opi_gpu *base)
{
    pthread_mutex_lock(&doors);
    close_device(base);
    pthread_mutex_unlock(&doors);
}

const opi_driver opi_opencl = {
    .name = "opencl",
    .dialect = "opencl",
    .list = list,
    .open = open_gpu,
    .close = close_gpu,
    .alloc = opi_cl_alloc,
    .free = opi_cl_free,
    .wrap = opi_cl_wrap,
    .pinned_alloc = opi_cl_pinned_alloc,
    .pinned_free = opi_cl_free,
    .side = opi_cl_side,
    .upload = opi_cl_upload,
    .download = opi_cl_download,
    .copy = opi_cl_copy,
    .compile = opi_cl_compile,
    .load = opi_cl_load,
    .binary = opi_cl_binary,
    .kernel = opi_cl_find_kernel,
    .unload = opi_cl_unload,
    .launch = opi_cl_launch,
    .allow = opi_cl_allow,
    .residents = opi_cl_residents,
    .mark = mark,
    .after = after,
    .reached = reached,
    .query = query,
    .drop = drop,
    .sync = sync,
};
