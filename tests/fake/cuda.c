/* A driver of CUDA, and an NVRTC, that only keep the books: memory is the host's, launches are written down, programs
 * are their sources.  Both in one library, which OPLUS_CUDA_LIBRARY and OPLUS_NVRTC_LIBRARY name.
 *
 * It is stricter than the real ones: what needs a context and finds none fails, and so does a handle of no object.
 * FAKE_CUDA_INIT is what cuInit returns, FAKE_CUDA_DEVICES how many there are. */
#include "fake/cuda.h"

#include "driver/cuda/api.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STACK = 8, RANGES = 64, OBJECTS = 64 };

struct CUctx_st {
    int device;
};
struct CUstream_st {
    CUcontext context;
};
struct CUevent_st {
    CUstream stream;
};
struct CUmod_st {
    char nothing;
};
struct CUfunc_st {
    char nothing;
};
struct _nvrtcProgram {
    bool text;
    char source[];
};

static struct CUctx_st primary[FAKE_DEVICES] = {{0}, {1}}, other[FAKE_DEVICES] = {{0}, {1}};
static struct CUfunc_st function; /* all kernels are this one */
static CUcontext stack[STACK];
static fake_cuda state;

/* --- objects, given back at the latest by reset --- */

static void *objects[OBJECTS];

static void *make(size_t bytes)
{
    for (size_t i = 0; i < OBJECTS; i++)
        if (!objects[i] && (objects[i] = calloc(1, bytes))) return objects[i];
    abort();
}

static void unmake(void *object)
{
    for (size_t i = 0; object && i < OBJECTS; i++)
        if (objects[i] == object) objects[i] = NULL;
    free(object);
}

static void *pointer(CUdeviceptr address)
{
    void *p;
    memcpy(&p, &address, sizeof p);
    return p;
}

/* --- memory that is known --- */

static struct range {
    char *start;
    size_t bytes;
    unsigned type;
    int device;
    bool managed, ours;
} ranges[RANGES];

static void add_range(struct range range)
{
    for (size_t i = 0; i < RANGES; i++)
        if (!ranges[i].start) {
            ranges[i] = range;
            return;
        }
    abort(); /* a test that needs more rooms */
}

static void know(void *p, size_t bytes, unsigned type, int device, bool managed)
{
    add_range((struct range){p, bytes, type, device, managed, false});
}

static CUresult take_memory(size_t bytes, unsigned type, void **mem)
{
    *mem = bytes > 0 && bytes <= (size_t)1 << 30 ? malloc(bytes) : NULL;
    if (!*mem) return CUDA_ERROR_OUT_OF_MEMORY;
    add_range((struct range){*mem, bytes, type, ((CUcontext)state.current)->device, false, true});
    return CUDA_SUCCESS;
}

static CUresult give_memory(const void *mem, unsigned type)
{
    for (size_t i = 0; i < RANGES; i++)
        if (ranges[i].ours && ranges[i].start == mem && ranges[i].type == type) {
            free(ranges[i].start);
            ranges[i] = (struct range){0};
            return CUDA_SUCCESS;
        }
    return CUDA_ERROR_INVALID_VALUE;
}

static struct range *range_of(CUdeviceptr address)
{
    const uintptr_t at = (uintptr_t)address;
    for (size_t i = 0; i < RANGES; i++)
        if (ranges[i].start && at >= (uintptr_t)ranges[i].start && at < (uintptr_t)ranges[i].start + ranges[i].bytes)
            return &ranges[i];
    return NULL;
}

static bool holds(CUdeviceptr address, size_t bytes)
{
    const struct range *const r = range_of(address);
    return r && (uintptr_t)address + bytes <= (uintptr_t)r->start + r->bytes;
}

/* --- the test's side --- */

static void see(void) { state.current = state.depth ? stack[state.depth - 1] : NULL; }

static void push(void *context)
{
    if (state.depth == STACK) abort();
    stack[state.depth++] = context;
    see();
}

static void pop(void)
{
    if (state.depth == 0) abort();
    state.depth--;
    see();
}

static void reset(void)
{
    state.failing = state.calls = state.depth = state.synchronizations = 0;
    state.failed = NULL;
    state.busy = false;
    memset(state.size, 0, sizeof state.size);
    memset(state.live, 0, sizeof state.live);
    for (size_t i = 0; i < OBJECTS; i++) unmake(objects[i]);
    for (size_t i = 0; i < RANGES; i++) {
        if (ranges[i].ours) free(ranges[i].start);
        ranges[i] = (struct range){0};
    }
    see();
}

static void *context(int device) { return &other[device]; }

static CUstream make_stream(CUcontext of)
{
    CUstream made = make(sizeof *made);
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
    state.reset = reset;
    state.context = context;
    state.stream = stream;
    state.know = know;
    state.push = push;
    state.pop = pop;
    return &state;
}

static bool fails(const char *name)
{
    if (++state.calls != state.failing) return false;
    state.failed = name;
    return true;
}

/* The beginnings of calls: of any, and of one that needs a context. */
#define CALL(name)                                                                                                     \
    if (fails("cu" #name)) return (CUresult)state.error
#define CALL_IN_CONTEXT(name)                                                                                          \
    CALL(name);                                                                                                        \
    if (state.depth == 0) return CUDA_ERROR_INVALID_CONTEXT

/* --- the driver --- */

#define DECLARE(name, suffix, parameters) CUresult cu##name##suffix parameters;
OPI_CUDA_CALLS(DECLARE)
#undef DECLARE

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

/* Not counted: they are called where another has failed. */
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
                 {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, {49152, 32768}},
                 {CU_DEVICE_ATTRIBUTE_WARP_SIZE, {32, 32}},
                 {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, {132, 8}},
                 {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, {9, 12}},
                 {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, {0, 1}}};
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
    state.live[FAKE_RETAINS]++;
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device)
{
    (void)device;
    CALL(DevicePrimaryCtxRelease);
    state.live[FAKE_RETAINS]--;
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
    *context = state.current;
    pop();
    return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice *device)
{
    CALL_IN_CONTEXT(CtxGetDevice);
    *device = ((CUcontext)state.current)->device;
    return CUDA_SUCCESS;
}

CUresult cuStreamCreate(CUstream *out, unsigned flags)
{
    CALL_IN_CONTEXT(StreamCreate);
    if (flags != CU_STREAM_NON_BLOCKING) return CUDA_ERROR_INVALID_VALUE;
    *out = make_stream(state.current);
    state.live[FAKE_STREAMS]++;
    return CUDA_SUCCESS;
}

CUresult cuStreamDestroy_v2(CUstream stream)
{
    CALL_IN_CONTEXT(StreamDestroy);
    unmake(stream);
    state.live[FAKE_STREAMS]--;
    return CUDA_SUCCESS;
}

/* 1 and 2 are the special ones. */
CUresult cuStreamGetCtx(CUstream stream, CUcontext *context)
{
    CALL_IN_CONTEXT(StreamGetCtx);
    *context = (uintptr_t)stream <= 2 ? state.current : stream->context;
    return CUDA_SUCCESS;
}

CUresult cuStreamSynchronize(CUstream stream)
{
    const int most = sizeof state.synchronized / sizeof *state.synchronized;
    CALL_IN_CONTEXT(StreamSynchronize);
    state.synchronized[state.synchronizations++ % most] = stream;
    return CUDA_SUCCESS;
}

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags)
{
    CALL_IN_CONTEXT(StreamWaitEvent);
    return stream && event && event->stream && flags == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuEventCreate(CUevent *event, unsigned flags)
{
    CALL_IN_CONTEXT(EventCreate);
    if (flags != CU_EVENT_DISABLE_TIMING) return CUDA_ERROR_INVALID_VALUE;
    *event = make(sizeof **event);
    state.live[FAKE_EVENTS]++;
    return CUDA_SUCCESS;
}

CUresult cuEventDestroy_v2(CUevent event)
{
    CALL_IN_CONTEXT(EventDestroy);
    unmake(event);
    state.live[FAKE_EVENTS]--;
    return CUDA_SUCCESS;
}

CUresult cuEventRecord(CUevent event, CUstream stream)
{
    CALL_IN_CONTEXT(EventRecord);
    event->stream = stream;
    return CUDA_SUCCESS;
}

CUresult cuEventQuery(CUevent event)
{
    CALL_IN_CONTEXT(EventQuery);
    if (!event->stream) return CUDA_ERROR_INVALID_HANDLE;
    return state.busy ? CUDA_ERROR_NOT_READY : CUDA_SUCCESS;
}

CUresult cuEventSynchronize(CUevent event)
{
    CALL_IN_CONTEXT(EventSynchronize);
    return event->stream ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuMemAlloc_v2(CUdeviceptr *address, size_t bytes)
{
    void *mem;
    CALL_IN_CONTEXT(MemAlloc);
    const CUresult result = take_memory(bytes, CU_MEMORYTYPE_DEVICE, &mem);
    if (result != CUDA_SUCCESS) return result;
    *address = (uintptr_t)mem;
    state.live[FAKE_MEMORY]++;
    return CUDA_SUCCESS;
}

CUresult cuMemFree_v2(CUdeviceptr address)
{
    CALL_IN_CONTEXT(MemFree);
    const CUresult result = give_memory(pointer(address), CU_MEMORYTYPE_DEVICE);
    if (result == CUDA_SUCCESS) state.live[FAKE_MEMORY]--;
    return result;
}

CUresult cuMemHostAlloc(void **mem, size_t bytes, unsigned flags)
{
    CALL_IN_CONTEXT(MemHostAlloc);
    if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
    const CUresult result = take_memory(bytes, CU_MEMORYTYPE_HOST, mem);
    if (result == CUDA_SUCCESS) state.live[FAKE_PINNED]++;
    return result;
}

CUresult cuMemFreeHost(void *mem)
{
    CALL_IN_CONTEXT(MemFreeHost);
    const CUresult result = give_memory(mem, CU_MEMORYTYPE_HOST);
    if (result == CUDA_SUCCESS) state.live[FAKE_PINNED]--;
    return result;
}

static CUresult move(bool known, void *to, const void *from, size_t bytes, CUstream stream)
{
    if (!stream) return CUDA_ERROR_INVALID_HANDLE;
    if (!known) return CUDA_ERROR_INVALID_VALUE;
    memcpy(to, from, bytes);
    return CUDA_SUCCESS;
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t bytes, CUstream stream)
{
    CALL_IN_CONTEXT(MemcpyHtoDAsync);
    return move(holds(to, bytes), pointer(to), from, bytes, stream);
}

CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    CALL_IN_CONTEXT(MemcpyDtoHAsync);
    return move(holds(from, bytes), to, pointer(from), bytes, stream);
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    CALL_IN_CONTEXT(MemcpyDtoDAsync);
    return move(holds(to, bytes) && holds(from, bytes), pointer(to), pointer(from), bytes, stream);
}

/* As the driver: unknown memory is no failure, and gives zeros, and no device. */
CUresult cuPointerGetAttributes(unsigned count, CUpointer_attribute *which, void **data, CUdeviceptr address)
{
    CALL_IN_CONTEXT(PointerGetAttributes);
    static const struct range none = {.device = -2};
    const struct range *const found = range_of(address), *const r = found ? found : &none;
    for (unsigned i = 0; i < count; i++) {
        const CUdeviceptr start = (uintptr_t)r->start;
        const unsigned char managed = r->managed;
        const struct {
            CUpointer_attribute which;
            const void *value;
            size_t bytes;
        } table[] = {{CU_POINTER_ATTRIBUTE_MEMORY_TYPE, &r->type, sizeof r->type},
                     {CU_POINTER_ATTRIBUTE_IS_MANAGED, &managed, sizeof managed},
                     {CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, &r->device, sizeof r->device},
                     {CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, &start, sizeof start},
                     {CU_POINTER_ATTRIBUTE_RANGE_SIZE, &r->bytes, sizeof r->bytes}};
        for (size_t k = 0; k < sizeof table / sizeof *table; k++)
            if (table[k].which == which[i]) memcpy(data[i], table[k].value, table[k].bytes);
    }
    return CUDA_SUCCESS;
}

/* --- programs --- */

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned count, CUjit_option *options, void **values)
{
    CALL_IN_CONTEXT(ModuleLoadDataEx);
    const char *const text = image;
    const bool cubin = memcmp(text, ELFMAG, SELFMAG) == 0;
    if (count == 2 && strstr(text + (cubin ? sizeof(Elf64_Ehdr) : 0), "damaged")) {
        if (options[0] == CU_JIT_ERROR_LOG_BUFFER && options[1] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
            snprintf(values[0], (uintptr_t)values[1], "the fake does not like it");
        return cubin ? CUDA_ERROR_INVALID_IMAGE : CUDA_ERROR_INVALID_PTX;
    }
    *module = make(sizeof **module);
    state.live[FAKE_MODULES]++;
    return CUDA_SUCCESS;
}

CUresult cuModuleUnload(CUmodule module)
{
    CALL_IN_CONTEXT(ModuleUnload);
    unmake(module);
    state.live[FAKE_MODULES]--;
    return CUDA_SUCCESS;
}

CUresult cuModuleGetFunction(CUfunction *out, CUmodule module, const char *name)
{
    CALL_IN_CONTEXT(ModuleGetFunction);
    if (!module || strcmp(name, "absent") == 0) return CUDA_ERROR_NOT_FOUND;
    *out = &function;
    return CUDA_SUCCESS;
}

CUresult cuLaunchKernel(CUfunction kernel, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                        unsigned block_y, unsigned block_z, unsigned shared, CUstream stream, void **parameters,
                        void **extra)
{
    CALL_IN_CONTEXT(LaunchKernel);
    if (kernel != &function || !stream) return CUDA_ERROR_INVALID_HANDLE;
    state.launch = (fake_launch){{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared, stream, extra, {0}};
    for (int i = 0; i < FAKE_PARAMETERS && state.size[i]; i++)
        memcpy(&state.launch.parameter[i], parameters[i], (size_t)state.size[i]);
    return CUDA_SUCCESS;
}

/* --- NVRTC --- */

#define DECLARE(name, result, parameters) result nvrtc##name parameters;
OPI_NVRTC_CALLS(DECLARE)
#undef DECLARE

/* Running out of memory has another number here. */
#define COMPILER_CALL(name)                                                                                            \
    if (fails("nvrtc" #name))                                                                                          \
    return state.error == CUDA_ERROR_OUT_OF_MEMORY ? NVRTC_ERROR_OUT_OF_MEMORY : NVRTC_ERROR_INTERNAL_ERROR

nvrtcResult nvrtcVersion(int *major, int *minor)
{
    *major = 12;
    *minor = 8;
    return NVRTC_SUCCESS;
}

const char *nvrtcGetErrorString(nvrtcResult result)
{
    return result == NVRTC_ERROR_OUT_OF_MEMORY ? "NVRTC_ERROR_OUT_OF_MEMORY" : "NVRTC_ERROR_INTERNAL_ERROR";
}

nvrtcResult nvrtcGetNumSupportedArchs(int *count)
{
    COMPILER_CALL(GetNumSupportedArchs);
    *count = FAKE_ARCHS;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetSupportedArchs(int *archs)
{
    static const int known[FAKE_ARCHS] = {75, 80, 90};
    COMPILER_CALL(GetSupportedArchs);
    memcpy(archs, known, sizeof known);
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCreateProgram(nvrtcProgram *program, const char *source, const char *name, int count,
                               const char *const *headers, const char *const *names)
{
    (void)name;
    (void)headers;
    (void)names;
    COMPILER_CALL(CreateProgram);
    if (count != 0) return NVRTC_ERROR_INVALID_INPUT;
    *program = make(sizeof **program + strlen(source) + 1);
    memcpy((*program)->source, source, strlen(source) + 1);
    state.live[FAKE_PROGRAMS]++;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcDestroyProgram(nvrtcProgram *program)
{
    COMPILER_CALL(DestroyProgram);
    unmake(*program);
    *program = NULL;
    state.live[FAKE_PROGRAMS]--;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int count, const char *const *options)
{
    COMPILER_CALL(CompileProgram);
    for (int i = 0; i < count; i++)
        if (strncmp(options[i], "--gpu-architecture=", 19) == 0)
            snprintf(state.architecture, sizeof state.architecture, "%s", options[i] + 19);
    program->text = strncmp(state.architecture, "compute_", 8) == 0;
    return strstr(program->source, "#error") ? NVRTC_ERROR_COMPILATION : NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram program, size_t *bytes)
{
    (void)program;
    COMPILER_CALL(GetProgramLogSize);
    *bytes = strlen(state.log) + 1;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetProgramLog(nvrtcProgram program, char *log)
{
    (void)program;
    COMPILER_CALL(GetProgramLog);
    memcpy(log, state.log, strlen(state.log) + 1);
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetPTXSize(nvrtcProgram program, size_t *bytes)
{
    COMPILER_CALL(GetPTXSize);
    *bytes = strlen("//\n") + strlen(program->source) + 1;
    return program->text ? NVRTC_SUCCESS : NVRTC_ERROR_INVALID_INPUT;
}

nvrtcResult nvrtcGetPTX(nvrtcProgram program, char *text)
{
    COMPILER_CALL(GetPTX);
    sprintf(text, "//\n%s", program->source);
    return NVRTC_SUCCESS;
}

/* A header with nothing in it, and the source behind. */
nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, size_t *bytes)
{
    COMPILER_CALL(GetCUBINSize);
    *bytes = sizeof(Elf64_Ehdr) + strlen(program->source) + 1;
    return program->text ? NVRTC_ERROR_INVALID_INPUT : NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char *binary)
{
    COMPILER_CALL(GetCUBIN);
    Elf64_Ehdr head = {.e_shoff = 0};
    memcpy(head.e_ident, ELFMAG, SELFMAG);
    head.e_ident[EI_CLASS] = ELFCLASS64;
    memcpy(binary, &head, sizeof head);
    memcpy(binary + sizeof head, program->source, strlen(program->source) + 1);
    return NVRTC_SUCCESS;
}
