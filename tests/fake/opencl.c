/* A library in front of OpenCL's: it passes every call on to the installed library, but lets the N-th fail, and counts
 * objects.  A call that ends something (release, finish) is done even if it says that it failed.
 *
 * FAKE_OPENCL_LIBRARY names a library other than libOpenCL.so.1. */
#include "fake/opencl.h"

#include "driver/opencl/api.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

/* --- the installed one -------------------------------------------------------------------------------------------- */

static opi_cl_api real;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void look_up(void)
{
    static const struct {
        const char *name;
        size_t at;
    } symbols[] = {
#define ROW(result, name, parameters) {"cl" #name, offsetof(opi_cl_api, name)},
        OPI_CL_CALLS(ROW)
#undef ROW
    };
    const char *const name = getenv("FAKE_OPENCL_LIBRARY");
    void *const library = dlopen(name ? name : "libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    for (size_t i = 0; library && i < sizeof symbols / sizeof *symbols; i++) {
        void *const found = dlsym(library, symbols[i].name);
        memcpy((char *)&real + symbols[i].at, &found, sizeof found);
    }
}

/* --- the books ---------------------------------------------------------------------------------------------------- */

static fake_opencl state = {.error = CL_OUT_OF_RESOURCES};

EXPORT fake_opencl_of fake_opencl_state;
fake_opencl *fake_opencl_state(void) { return &state; }

/* Whether this call fails. */
static int fails(const char *name)
{
    pthread_once(&once, look_up);
    state.calls++;
    if (state.fail == 0 && !(state.lost && state.failed)) return 0;
    if (state.fail > 0 && --state.fail > 0) return 0;
    if (!state.failed) state.failed = name;
    return 1;
}

static cl_int counted(cl_int error, int more)
{
    if (error == CL_SUCCESS) state.objects += more;
    return error;
}

/* --- calls that return their error -------------------------------------------------------------------------------- */

/* Names and arguments; `more`: how many objects there are then. */
#define CALL(name, parameters, arguments, more)                                                                        \
    EXPORT cl_int cl##name parameters;                                                                                 \
    cl_int cl##name parameters                                                                                         \
    {                                                                                                                  \
        if (fails("cl" #name)) return state.error;                                                                     \
        return counted(real.name arguments, more);                                                                     \
    }
/* These are done in any case. */
#define LAST_CALL(name, parameters, arguments, more)                                                                   \
    EXPORT cl_int cl##name parameters;                                                                                 \
    cl_int cl##name parameters                                                                                         \
    {                                                                                                                  \
        const int failed = fails("cl" #name);                                                                          \
        const cl_int error = counted(real.name arguments, more);                                                       \
        return failed ? state.error : error;                                                                           \
    }
#define INFO(name, object, what)                                                                                       \
    CALL(name, (object o, what w, size_t bytes, void *value, size_t *is), (o, w, bytes, value, is), 0)
#define WAITS cl_uint waits, const cl_event *list, cl_event *event

EXPORT cl_int clGetPlatformIDs(cl_uint n, cl_platform_id *platforms, cl_uint *is);
cl_int clGetPlatformIDs(cl_uint n, cl_platform_id *platforms, cl_uint *is)
{
    if (fails("clGetPlatformIDs")) return state.error;
    return real.GetPlatformIDs ? real.GetPlatformIDs(n, platforms, is) : CL_PLATFORM_NOT_FOUND_KHR;
}

INFO(GetPlatformInfo, cl_platform_id, cl_platform_info)
CALL(GetDeviceIDs, (cl_platform_id p, cl_device_type type, cl_uint n, cl_device_id *devices, cl_uint *is),
     (p, type, n, devices, is), 0)
EXPORT cl_int clGetDeviceInfo(cl_device_id d, cl_device_info what, size_t bytes, void *value, size_t *is);
cl_int clGetDeviceInfo(cl_device_id d, cl_device_info what, size_t bytes, void *value, size_t *is)
{
    static const cl_device_type gpu = CL_DEVICE_TYPE_GPU;
    if (fails("clGetDeviceInfo")) return state.error;
    const cl_int error = real.GetDeviceInfo(d, what, bytes, value, is);
    if (state.as_gpu && error == CL_SUCCESS && what == CL_DEVICE_TYPE && value) memcpy(value, &gpu, sizeof gpu);
    return error;
}
CALL(RetainContext, (cl_context c), (c), 1)
LAST_CALL(ReleaseContext, (cl_context c), (c), -1)
CALL(RetainCommandQueue, (cl_command_queue q), (q), 1)
LAST_CALL(ReleaseCommandQueue, (cl_command_queue q), (q), -1)
INFO(GetCommandQueueInfo, cl_command_queue, cl_command_queue_info)
CALL(RetainMemObject, (cl_mem m), (m), 1)
LAST_CALL(ReleaseMemObject, (cl_mem m), (m), -1)
INFO(GetMemObjectInfo, cl_mem, cl_mem_info)
LAST_CALL(EnqueueUnmapMemObject, (cl_command_queue q, cl_mem m, void *p, WAITS), (q, m, p, waits, list, event),
          event != NULL)
CALL(EnqueueReadBuffer, (cl_command_queue q, cl_mem m, cl_bool wait, size_t at, size_t bytes, void *to, WAITS),
     (q, m, wait, at, bytes, to, waits, list, event), event != NULL)
CALL(EnqueueWriteBuffer, (cl_command_queue q, cl_mem m, cl_bool wait, size_t at, size_t bytes, const void *from, WAITS),
     (q, m, wait, at, bytes, from, waits, list, event), event != NULL)
CALL(EnqueueCopyBuffer, (cl_command_queue q, cl_mem from, cl_mem to, size_t from_at, size_t to_at, size_t bytes, WAITS),
     (q, from, to, from_at, to_at, bytes, waits, list, event), event != NULL)
CALL(BuildProgram,
     (cl_program p, cl_uint n, const cl_device_id *devices, const char *options, void (*notify)(cl_program, void *),
      void *data),
     (p, n, devices, options, notify, data), 0)
LAST_CALL(ReleaseProgram, (cl_program p), (p), -1)
INFO(GetProgramInfo, cl_program, cl_program_info)
CALL(GetProgramBuildInfo,
     (cl_program p, cl_device_id d, cl_program_build_info w, size_t bytes, void *value, size_t *is),
     (p, d, w, bytes, value, is), 0)
LAST_CALL(ReleaseKernel, (cl_kernel k), (k), -1)
CALL(SetKernelArg, (cl_kernel k, cl_uint i, size_t bytes, const void *value), (k, i, bytes, value), 0)
CALL(EnqueueNDRangeKernel,
     (cl_command_queue q, cl_kernel k, cl_uint n, const size_t *at, const size_t *global, const size_t *local, WAITS),
     (q, k, n, at, global, local, waits, list, event), event != NULL)
CALL(EnqueueMarkerWithWaitList, (cl_command_queue q, WAITS), (q, waits, list, event), event != NULL)
CALL(EnqueueBarrierWithWaitList, (cl_command_queue q, WAITS), (q, waits, list, event), event != NULL)
INFO(GetEventInfo, cl_event, cl_event_info)
LAST_CALL(WaitForEvents, (cl_uint n, const cl_event *events), (n, events), 0)
LAST_CALL(ReleaseEvent, (cl_event e), (e), -1)
LAST_CALL(Flush, (cl_command_queue q), (q), 0)
LAST_CALL(Finish, (cl_command_queue q), (q), 0)

/* --- calls that return an object ---------------------------------------------------------------------------------- */

#define MAKE(result, name, parameters, arguments, more)                                                                \
    EXPORT result cl##name parameters;                                                                                 \
    result cl##name parameters                                                                                         \
    {                                                                                                                  \
        if (fails("cl" #name)) {                                                                                       \
            if (error) *error = state.error;                                                                           \
            return NULL;                                                                                               \
        }                                                                                                              \
        const result made = real.name arguments;                                                                       \
        if (made) state.objects += more;                                                                               \
        return made;                                                                                                   \
    }
typedef void *mapping;

MAKE(cl_context, CreateContext,
     (const cl_context_properties *properties, cl_uint n, const cl_device_id *devices,
      void (*notify)(const char *, const void *, size_t, void *), void *data, cl_int *error),
     (properties, n, devices, notify, data, error), 1)
MAKE(cl_command_queue, CreateCommandQueue,
     (cl_context c, cl_device_id d, cl_command_queue_properties properties, cl_int *error), (c, d, properties, error),
     1)
MAKE(cl_mem, CreateBuffer, (cl_context c, cl_mem_flags flags, size_t bytes, void *host, cl_int *error),
     (c, flags, bytes, host, error), 1)
MAKE(mapping, EnqueueMapBuffer,
     (cl_command_queue q, cl_mem m, cl_bool wait, cl_map_flags flags, size_t at, size_t bytes, WAITS, cl_int *error),
     (q, m, wait, flags, at, bytes, waits, list, event, error), event != NULL)
MAKE(cl_program, CreateProgramWithSource,
     (cl_context c, cl_uint n, const char **texts, const size_t *bytes, cl_int *error), (c, n, texts, bytes, error), 1)
MAKE(cl_program, CreateProgramWithBinary,
     (cl_context c, cl_uint n, const cl_device_id *devices, const size_t *bytes, const unsigned char **binaries,
      cl_int *states, cl_int *error),
     (c, n, devices, bytes, binaries, states, error), 1)
MAKE(cl_kernel, CreateKernel, (cl_program p, const char *name, cl_int *error), (p, name, error), 1)
