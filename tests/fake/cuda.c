/* A driver of CUDA, and an NVRTC, that only keep the books: memory is the host's, launches are written down, programs
 * are their sources.  Both in one library, which OPLUS_CUDA_LIBRARY and OPLUS_NVRTC_LIBRARY name.
 *
 * It is stricter than the real ones: what needs a context and finds none fails, and so does a handle of no object.
 * FAKE_CUDA_INIT is what cuInit returns, FAKE_CUDA_DEVICES how many there are.
 *
 * Here are the books, devices, contexts and order. */
#include "fake/books.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { STACK = 8, OBJECTS = 64 };

fake_cuda fake_books;
static struct CUctx_st primary[FAKE_DEVICES] = {{0}, {1}}, other[FAKE_DEVICES] = {{0}, {1}};
static _Thread_local CUcontext stack[STACK];
static _Thread_local int depth;
static _Thread_local bool is_test; /* the thread that reset the books: it sees its contexts there */
static pthread_mutex_t turns = PTHREAD_MUTEX_INITIALIZER;

/* --- objects, given back at the latest by reset --- */

static void *objects[OBJECTS];

void *fake_make(size_t bytes)
{
    for (size_t i = 0; i < OBJECTS; i++)
        if (!objects[i] && (objects[i] = calloc(1, bytes))) return objects[i];
    abort();
}

void fake_unmake(void *object)
{
    for (size_t i = 0; object && i < OBJECTS; i++)
        if (objects[i] == object) objects[i] = NULL;
    free(object);
}

/* --- the test's side --- */

static void see(void)
{
    if (!is_test) return;
    fake_books.depth = depth;
    fake_books.current = fake_current();
}

CUcontext fake_current(void) { return depth ? stack[depth - 1] : NULL; }
int fake_depth(void) { return depth; }

static void push(void *context)
{
    if (depth == STACK) abort();
    stack[depth++] = context;
    see();
}

static void pop(void)
{
    if (depth == 0) abort();
    depth--;
    see();
}

fake_turn fake_take_turn(void) { return pthread_mutex_lock(&turns); }

void fake_end_turn(fake_turn *turn)
{
    (void)turn;
    pthread_mutex_unlock(&turns);
}

static void reset(void)
{
    is_test = true;
    depth = 0;
    fake_books.failing = fake_books.calls = fake_books.synchronizations = 0;
    fake_books.failed = NULL;
    fake_books.busy = fake_books.capturing = fake_books.spoiled = false;
    memset(fake_books.size, 0, sizeof fake_books.size);
    memset(fake_books.live, 0, sizeof fake_books.live);
    fake_books.allowed = fake_books.carve_out = 0;
    fake_books.apart = fake_books.peers = false;
    for (size_t i = 0; i < OBJECTS; i++) fake_unmake(objects[i]);
    fake_forget_memory();
    fake_forget_ranges();
    see();
}

static void *context(int device) { return &other[device]; }

static CUstream make_stream(CUcontext of)
{
    CUstream made = fake_make(sizeof *made);
    made->context = of;
    return made;
}

static void *stream(int device)
{
    static struct CUstream_st streams[FAKE_DEVICES] = {{&other[0]}, {&other[1]}};
    return &streams[device];
}

fake_cuda *fake_cuda_state(void);
fake_cuda *fake_cuda_state(void)
{
    fake_books.reset = reset;
    fake_books.context = context;
    fake_books.stream = stream;
    fake_books.know = fake_know;
    fake_books.push = push;
    fake_books.pop = pop;
    return &fake_books;
}

bool fake_fails(const char *name)
{
    if (fake_books.heard) fake_books.heard(name);
    if (++fake_books.calls != fake_books.failing) return false;
    fake_books.failed = name;
    return true;
}

/* --- the driver --- */

static int number(const char *variable, int otherwise)
{
    const char *const value = getenv(variable);
    return value ? (int)strtol(value, NULL, 10) : otherwise;
}

CUresult cuInit(unsigned flags)
{
    (void)flags;
    return (CUresult)number("FAKE_CUDA_INIT", CUDA_SUCCESS);
}

CUresult cuDriverGetVersion(int *version)
{
    *version = 12080;
    return CUDA_SUCCESS;
}

/* Not counted: these are called after another call has failed. */
static const char *name_of(CUresult result)
{
    static const struct {
        int result;
        const char *name;
    } names[] = {
#define NAME(name, value) {value, #name},
        OPI_CUDA_RESULTS(NAME)
#undef NAME
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].result == (int)result) return names[i].name;
    return NULL;
}

CUresult cuGetErrorName(CUresult result, const char **name)
{
    *name = name_of(result);
    return *name ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult result, const char **means)
{
    *means = name_of(result) ? "as the fake says" : NULL;
    return *means ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuDeviceGetCount(int *count)
{
    CALL(DeviceGetCount);
    *count = number("FAKE_CUDA_DEVICES", FAKE_DEVICES);
    return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice *device, int ordinal)
{
    CALL(DeviceGet);
    if (ordinal < 0 || ordinal >= FAKE_DEVICES) return CUDA_ERROR_INVALID_DEVICE;
    *device = ordinal;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char *name, int bytes, CUdevice device)
{
    CALL(DeviceGetName);
    snprintf(name, (size_t)bytes, "Fake %c", 'A' + device);
    return CUDA_SUCCESS;
}

CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device)
{
    CALL(DeviceTotalMem);
    *bytes = (size_t)(device + 1) << 33;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute which, CUdevice device)
{
    static const struct {
        CUdevice_attribute which;
        int value[FAKE_DEVICES];
    } table[] = {{CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, {1024, 512}},
                 {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, {FAKE_SHARED, 32768}},
                 {CU_DEVICE_ATTRIBUTE_WARP_SIZE, {32, 32}},
                 {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, {FAKE_UNITS, 8}},
                 {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, {9, 12}},
                 {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, {0, 1}},
                 {CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH, {1, 0}},
                 {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, {FAKE_SHARED_MOST, 32768}},
                 {CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH, {1, 0}}};
    CALL(DeviceGetAttribute);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].which == which) {
            *value = table[i].value[device];
            return CUDA_SUCCESS;
        }
    return CUDA_ERROR_INVALID_VALUE;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *out, CUdevice device)
{
    CALL(DevicePrimaryCtxRetain);
    *out = &primary[device];
    fake_books.live[FAKE_RETAINS]++;
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device)
{
    (void)device;
    CALL(DevicePrimaryCtxRelease);
    fake_books.live[FAKE_RETAINS]--;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext *context)
{
    CALL(CtxGetCurrent);
    *context = fake_current();
    return CUDA_SUCCESS;
}

CUresult cuCtxPushCurrent_v2(CUcontext context)
{
    CALL(CtxPushCurrent);
    push(context);
    return CUDA_SUCCESS;
}

CUresult cuCtxPopCurrent_v2(CUcontext *context)
{
    CALL_IN_CONTEXT(CtxPopCurrent);
    *context = fake_current();
    pop();
    return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice *device)
{
    CALL_IN_CONTEXT(CtxGetDevice);
    *device = fake_current()->device;
    return CUDA_SUCCESS;
}

CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice other)
{
    CALL(DeviceCanAccessPeer);
    *can = device != other && !fake_books.apart;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetP2PAttribute(int *value, CUdevice_P2PAttribute which, CUdevice device, CUdevice other)
{
    CALL(DeviceGetP2PAttribute);
    *value = which == CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED && device != other;
    return CUDA_SUCCESS;
}

CUresult cuCtxEnablePeerAccess(CUcontext context, unsigned flags)
{
    static unsigned linked; /* a bit for each device: they stay linked */
    CALL_IN_CONTEXT(CtxEnablePeerAccess);
    const CUcontext own = fake_current();
    if (flags != 0 || own->device == context->device) return CUDA_ERROR_INVALID_VALUE;
    const bool already = linked >> own->device & 1;
    linked |= 1u << own->device;
    fake_books.peers = linked == (1u << FAKE_DEVICES) - 1;
    return already ? CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED : CUDA_SUCCESS;
}

CUresult cuStreamCreate(CUstream *out, unsigned flags)
{
    CALL_IN_CONTEXT(StreamCreate);
    if (flags != CU_STREAM_NON_BLOCKING) return CUDA_ERROR_INVALID_VALUE;
    *out = make_stream(fake_current());
    fake_books.live[FAKE_STREAMS]++;
    return CUDA_SUCCESS;
}

CUresult cuStreamDestroy_v2(CUstream stream)
{
    CALL_IN_CONTEXT(StreamDestroy);
    if (!fake_is_here(stream)) return CUDA_ERROR_INVALID_HANDLE;
    fake_unmake(stream);
    fake_books.live[FAKE_STREAMS]--;
    return CUDA_SUCCESS;
}

/* 1 and 2 are special streams, which belong to any context. */
bool fake_is_here(CUstream stream) { return stream && ((uintptr_t)stream <= 2 || stream->context == fake_current()); }

CUresult cuStreamGetCtx(CUstream stream, CUcontext *context)
{
    CALL_IN_CONTEXT(StreamGetCtx);
    *context = (uintptr_t)stream <= 2 ? fake_current() : stream->context;
    return CUDA_SUCCESS;
}

CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus *status)
{
    if (!stream) return CUDA_ERROR_INVALID_HANDLE;         /* not counted: it enqueues nothing */
    *status = (CUstreamCaptureStatus)fake_books.capturing; /* 1: CU_STREAM_CAPTURE_STATUS_ACTIVE */
    return CUDA_SUCCESS;
}

CUresult cuStreamSynchronize(CUstream stream)
{
    const int most = sizeof fake_books.synchronized / sizeof *fake_books.synchronized;
    CALL_OUT_OF_CAPTURE(StreamSynchronize);
    if (!fake_is_here(stream)) return CUDA_ERROR_INVALID_HANDLE;
    fake_books.synchronized[fake_books.synchronizations++ % most] = stream;
    return CUDA_SUCCESS;
}

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags)
{
    CALL_IN_CONTEXT(StreamWaitEvent);
    return fake_is_here(stream) && event && event->stream && flags == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuEventCreate(CUevent *event, unsigned flags)
{
    CALL_IN_CONTEXT(EventCreate);
    if (flags != CU_EVENT_DISABLE_TIMING) return CUDA_ERROR_INVALID_VALUE;
    *event = fake_make(sizeof **event);
    fake_books.live[FAKE_EVENTS]++;
    return CUDA_SUCCESS;
}

CUresult cuEventDestroy_v2(CUevent event)
{
    CALL_IN_CONTEXT(EventDestroy);
    fake_unmake(event);
    fake_books.live[FAKE_EVENTS]--;
    return CUDA_SUCCESS;
}

CUresult cuEventRecord(CUevent event, CUstream stream)
{
    CALL_IN_CONTEXT(EventRecord);
    if (!fake_is_here(stream)) return CUDA_ERROR_INVALID_HANDLE;
    event->stream = stream;
    return CUDA_SUCCESS;
}

CUresult cuEventQuery(CUevent event)
{
    CALL_OUT_OF_CAPTURE(EventQuery);
    if (!event->stream) return CUDA_ERROR_INVALID_HANDLE;
    return fake_books.busy ? CUDA_ERROR_NOT_READY : CUDA_SUCCESS;
}

CUresult cuEventSynchronize(CUevent event)
{
    CALL_OUT_OF_CAPTURE(EventSynchronize);
    return event->stream ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}
