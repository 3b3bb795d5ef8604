/* The part of OpenCL's host interface that is used here, as the standard (version 1.2) has it: no header of OpenCL is
 * needed to build, and no library to run where no device is asked for. */
#ifndef OPI_OPENCL_API_H
#define OPI_OPENCL_API_H

#include <stddef.h>
#include <stdint.h>

#ifndef CL_VERSION_1_2 /* else <CL/cl.h> was included first: the unit test compares what follows with it */

typedef int32_t cl_int;
typedef uint32_t cl_uint;
typedef uint64_t cl_ulong;
typedef cl_uint cl_bool;
typedef cl_ulong cl_bitfield;
typedef cl_bitfield cl_device_type, cl_device_fp_config, cl_command_queue_properties, cl_mem_flags, cl_map_flags;
typedef cl_uint cl_platform_info, cl_device_info, cl_command_queue_info, cl_mem_info, cl_program_info,
    cl_program_build_info, cl_event_info;
typedef intptr_t cl_context_properties;
typedef struct _cl_platform_id *cl_platform_id;
typedef struct _cl_device_id *cl_device_id;
typedef struct _cl_context *cl_context;
typedef struct _cl_command_queue *cl_command_queue;
typedef struct _cl_mem *cl_mem;
typedef struct _cl_program *cl_program;
typedef struct _cl_kernel *cl_kernel;
typedef struct _cl_event *cl_event;
#endif

/* --- constants: name, value --------------------------------------------------------------------------------------- */

#define OPI_CL_CONSTANTS(X)                                                                                            \
    X(CL_FALSE, 0)                                                                                                     \
    X(CL_TRUE, 1)                                                                                                      \
    X(CL_COMPLETE, 0)                                                                                                  \
    X(CL_PLATFORM_VERSION, 0x0901)                                                                                     \
    X(CL_PLATFORM_NAME, 0x0902)                                                                                        \
    X(CL_DEVICE_TYPE_CPU, 1 << 1)                                                                                      \
    X(CL_DEVICE_TYPE_GPU, 1 << 2)                                                                                      \
    X(CL_DEVICE_TYPE_ACCELERATOR, 1 << 3)                                                                              \
    X(CL_DEVICE_TYPE, 0x1000)                                                                                          \
    X(CL_DEVICE_MAX_COMPUTE_UNITS, 0x1002)                                                                             \
    X(CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS, 0x1003)                                                                      \
    X(CL_DEVICE_MAX_WORK_GROUP_SIZE, 0x1004)                                                                           \
    X(CL_DEVICE_MAX_WORK_ITEM_SIZES, 0x1005)                                                                           \
    X(CL_DEVICE_ADDRESS_BITS, 0x100D)                                                                                  \
    X(CL_DEVICE_MAX_MEM_ALLOC_SIZE, 0x1010)                                                                            \
    X(CL_DEVICE_SINGLE_FP_CONFIG, 0x101B)                                                                              \
    X(CL_DEVICE_GLOBAL_MEM_SIZE, 0x101F)                                                                               \
    X(CL_DEVICE_LOCAL_MEM_SIZE, 0x1023)                                                                                \
    X(CL_DEVICE_ENDIAN_LITTLE, 0x1026)                                                                                 \
    X(CL_DEVICE_AVAILABLE, 0x1027)                                                                                     \
    X(CL_DEVICE_COMPILER_AVAILABLE, 0x1028)                                                                            \
    X(CL_DEVICE_NAME, 0x102B)                                                                                          \
    X(CL_DRIVER_VERSION, 0x102D)                                                                                       \
    X(CL_DEVICE_VERSION, 0x102F)                                                                                       \
    X(CL_DEVICE_EXTENSIONS, 0x1030)                                                                                    \
    X(CL_DEVICE_PLATFORM, 0x1031)                                                                                      \
    X(CL_DEVICE_DOUBLE_FP_CONFIG, 0x1032)                                                                              \
    X(CL_FP_DENORM, 1 << 0)                                                                                            \
    X(CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT, 1 << 7)                                                                     \
    X(CL_QUEUE_CONTEXT, 0x1090)                                                                                        \
    X(CL_QUEUE_DEVICE, 0x1091)                                                                                         \
    X(CL_QUEUE_PROPERTIES, 0x1093)                                                                                     \
    X(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 1 << 0)                                                                  \
    X(CL_MEM_READ_WRITE, 1 << 0)                                                                                       \
    X(CL_MEM_ALLOC_HOST_PTR, 1 << 4)                                                                                   \
    X(CL_MEM_OBJECT_BUFFER, 0x10F0)                                                                                    \
    X(CL_MEM_TYPE, 0x1100)                                                                                             \
    X(CL_MEM_SIZE, 0x1102)                                                                                             \
    X(CL_MEM_HOST_PTR, 0x1103)                                                                                         \
    X(CL_MEM_CONTEXT, 0x1106)                                                                                          \
    X(CL_MAP_READ, 1 << 0)                                                                                             \
    X(CL_MAP_WRITE, 1 << 1)                                                                                            \
    X(CL_PROGRAM_NUM_DEVICES, 0x1162)                                                                                  \
    X(CL_PROGRAM_DEVICES, 0x1163)                                                                                      \
    X(CL_PROGRAM_BINARY_SIZES, 0x1165)                                                                                 \
    X(CL_PROGRAM_BINARIES, 0x1166)                                                                                     \
    X(CL_PROGRAM_BUILD_LOG, 0x1183)                                                                                    \
    X(CL_EVENT_COMMAND_QUEUE, 0x11D0)                                                                                  \
    X(CL_EVENT_COMMAND_EXECUTION_STATUS, 0x11D3)

/* --- errors: name, number ----------------------------------------------------------------------------------------- */

#define OPI_CL_ERRORS(X)                                                                                               \
    X(CL_SUCCESS, 0)                                                                                                   \
    X(CL_DEVICE_NOT_FOUND, -1)                                                                                         \
    X(CL_DEVICE_NOT_AVAILABLE, -2)                                                                                     \
    X(CL_COMPILER_NOT_AVAILABLE, -3)                                                                                   \
    X(CL_MEM_OBJECT_ALLOCATION_FAILURE, -4)                                                                            \
    X(CL_OUT_OF_RESOURCES, -5)                                                                                         \
    X(CL_OUT_OF_HOST_MEMORY, -6)                                                                                       \
    X(CL_PROFILING_INFO_NOT_AVAILABLE, -7)                                                                             \
    X(CL_MEM_COPY_OVERLAP, -8)                                                                                         \
    X(CL_IMAGE_FORMAT_MISMATCH, -9)                                                                                    \
    X(CL_IMAGE_FORMAT_NOT_SUPPORTED, -10)                                                                              \
    X(CL_BUILD_PROGRAM_FAILURE, -11)                                                                                   \
    X(CL_MAP_FAILURE, -12)                                                                                             \
    X(CL_MISALIGNED_SUB_BUFFER_OFFSET, -13)                                                                            \
    X(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, -14)                                                               \
    X(CL_COMPILE_PROGRAM_FAILURE, -15)                                                                                 \
    X(CL_LINKER_NOT_AVAILABLE, -16)                                                                                    \
    X(CL_LINK_PROGRAM_FAILURE, -17)                                                                                    \
    X(CL_DEVICE_PARTITION_FAILED, -18)                                                                                 \
    X(CL_KERNEL_ARG_INFO_NOT_AVAILABLE, -19)                                                                           \
    X(CL_INVALID_VALUE, -30)                                                                                           \
    X(CL_INVALID_DEVICE_TYPE, -31)                                                                                     \
    X(CL_INVALID_PLATFORM, -32)                                                                                        \
    X(CL_INVALID_DEVICE, -33)                                                                                          \
    X(CL_INVALID_CONTEXT, -34)                                                                                         \
    X(CL_INVALID_QUEUE_PROPERTIES, -35)                                                                                \
    X(CL_INVALID_COMMAND_QUEUE, -36)                                                                                   \
    X(CL_INVALID_HOST_PTR, -37)                                                                                        \
    X(CL_INVALID_MEM_OBJECT, -38)                                                                                      \
    X(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, -39)                                                                         \
    X(CL_INVALID_IMAGE_SIZE, -40)                                                                                      \
    X(CL_INVALID_SAMPLER, -41)                                                                                         \
    X(CL_INVALID_BINARY, -42)                                                                                          \
    X(CL_INVALID_BUILD_OPTIONS, -43)                                                                                   \
    X(CL_INVALID_PROGRAM, -44)                                                                                         \
    X(CL_INVALID_PROGRAM_EXECUTABLE, -45)                                                                              \
    X(CL_INVALID_KERNEL_NAME, -46)                                                                                     \
    X(CL_INVALID_KERNEL_DEFINITION, -47)                                                                               \
    X(CL_INVALID_KERNEL, -48)                                                                                          \
    X(CL_INVALID_ARG_INDEX, -49)                                                                                       \
    X(CL_INVALID_ARG_VALUE, -50)                                                                                       \
    X(CL_INVALID_ARG_SIZE, -51)                                                                                        \
    X(CL_INVALID_KERNEL_ARGS, -52)                                                                                     \
    X(CL_INVALID_WORK_DIMENSION, -53)                                                                                  \
    X(CL_INVALID_WORK_GROUP_SIZE, -54)                                                                                 \
    X(CL_INVALID_WORK_ITEM_SIZE, -55)                                                                                  \
    X(CL_INVALID_GLOBAL_OFFSET, -56)                                                                                   \
    X(CL_INVALID_EVENT_WAIT_LIST, -57)                                                                                 \
    X(CL_INVALID_EVENT, -58)                                                                                           \
    X(CL_INVALID_OPERATION, -59)                                                                                       \
    X(CL_INVALID_GL_OBJECT, -60)                                                                                       \
    X(CL_INVALID_BUFFER_SIZE, -61)                                                                                     \
    X(CL_INVALID_MIP_LEVEL, -62)                                                                                       \
    X(CL_INVALID_GLOBAL_WORK_SIZE, -63)                                                                                \
    X(CL_INVALID_PROPERTY, -64)                                                                                        \
    X(CL_INVALID_IMAGE_DESCRIPTOR, -65)                                                                                \
    X(CL_INVALID_COMPILER_OPTIONS, -66)                                                                                \
    X(CL_INVALID_LINKER_OPTIONS, -67)                                                                                  \
    X(CL_INVALID_DEVICE_PARTITION_COUNT, -68)
/* Of the loader's extension cl_khr_icd; and what NVIDIA's driver says of a kernel that touched what is not its own. */
#define OPI_CL_MORE_ERRORS(X)                                                                                          \
    X(CL_PLATFORM_NOT_FOUND_KHR, -1001)                                                                                \
    X(CL_NVIDIA_ILLEGAL_ACCESS, -9999)

#define OPI_CL_ENUM(name, value) name = value,
#ifndef CL_VERSION_1_2
#define CL_DEVICE_TYPE_ALL 0xFFFFFFFF /* no enum: it is larger than an int */
enum { OPI_CL_CONSTANTS(OPI_CL_ENUM) };
enum { OPI_CL_ERRORS(OPI_CL_ENUM) };
#endif
enum { OPI_CL_MORE_ERRORS(OPI_CL_ENUM) };
#undef OPI_CL_ENUM

/* --- calls: result, name, parameters ------------------------------------------------------------------------------ */

#define OPI_CL_CALLS(X)                                                                                                \
    X(cl_int, GetPlatformIDs, (cl_uint, cl_platform_id *, cl_uint *))                                                  \
    X(cl_int, GetPlatformInfo, (cl_platform_id, cl_platform_info, size_t, void *, size_t *))                           \
    X(cl_int, GetDeviceIDs, (cl_platform_id, cl_device_type, cl_uint, cl_device_id *, cl_uint *))                      \
    X(cl_int, GetDeviceInfo, (cl_device_id, cl_device_info, size_t, void *, size_t *))                                 \
    X(cl_context, CreateContext,                                                                                       \
      (const cl_context_properties *, cl_uint, const cl_device_id *,                                                   \
       void (*)(const char *, const void *, size_t, void *), void *, cl_int *))                                        \
    X(cl_int, RetainContext, (cl_context))                                                                             \
    X(cl_int, ReleaseContext, (cl_context))                                                                            \
    X(cl_command_queue, CreateCommandQueue, (cl_context, cl_device_id, cl_command_queue_properties, cl_int *))         \
    X(cl_int, RetainCommandQueue, (cl_command_queue))                                                                  \
    X(cl_int, ReleaseCommandQueue, (cl_command_queue))                                                                 \
    X(cl_int, GetCommandQueueInfo, (cl_command_queue, cl_command_queue_info, size_t, void *, size_t *))                \
    X(cl_mem, CreateBuffer, (cl_context, cl_mem_flags, size_t, void *, cl_int *))                                      \
    X(cl_int, RetainMemObject, (cl_mem))                                                                               \
    X(cl_int, ReleaseMemObject, (cl_mem))                                                                              \
    X(cl_int, GetMemObjectInfo, (cl_mem, cl_mem_info, size_t, void *, size_t *))                                       \
    X(void *, EnqueueMapBuffer,                                                                                        \
      (cl_command_queue, cl_mem, cl_bool, cl_map_flags, size_t, size_t, cl_uint, const cl_event *, cl_event *,         \
       cl_int *))                                                                                                      \
    X(cl_int, EnqueueUnmapMemObject, (cl_command_queue, cl_mem, void *, cl_uint, const cl_event *, cl_event *))        \
    X(cl_int, EnqueueReadBuffer,                                                                                       \
      (cl_command_queue, cl_mem, cl_bool, size_t, size_t, void *, cl_uint, const cl_event *, cl_event *))              \
    X(cl_int, EnqueueWriteBuffer,                                                                                      \
      (cl_command_queue, cl_mem, cl_bool, size_t, size_t, const void *, cl_uint, const cl_event *, cl_event *))        \
    X(cl_int, EnqueueCopyBuffer,                                                                                       \
      (cl_command_queue, cl_mem, cl_mem, size_t, size_t, size_t, cl_uint, const cl_event *, cl_event *))               \
    X(cl_program, CreateProgramWithSource, (cl_context, cl_uint, const char **, const size_t *, cl_int *))             \
    X(cl_program, CreateProgramWithBinary,                                                                             \
      (cl_context, cl_uint, const cl_device_id *, const size_t *, const unsigned char **, cl_int *, cl_int *))         \
    X(cl_int, BuildProgram,                                                                                            \
      (cl_program, cl_uint, const cl_device_id *, const char *, void (*)(cl_program, void *), void *))                 \
    X(cl_int, ReleaseProgram, (cl_program))                                                                            \
    X(cl_int, GetProgramInfo, (cl_program, cl_program_info, size_t, void *, size_t *))                                 \
    X(cl_int, GetProgramBuildInfo, (cl_program, cl_device_id, cl_program_build_info, size_t, void *, size_t *))        \
    X(cl_kernel, CreateKernel, (cl_program, const char *, cl_int *))                                                   \
    X(cl_int, ReleaseKernel, (cl_kernel))                                                                              \
    X(cl_int, SetKernelArg, (cl_kernel, cl_uint, size_t, const void *))                                                \
    X(cl_int, EnqueueNDRangeKernel,                                                                                    \
      (cl_command_queue, cl_kernel, cl_uint, const size_t *, const size_t *, const size_t *, cl_uint,                  \
       const cl_event *, cl_event *))                                                                                  \
    X(cl_int, EnqueueMarkerWithWaitList, (cl_command_queue, cl_uint, const cl_event *, cl_event *))                    \
    X(cl_int, EnqueueBarrierWithWaitList, (cl_command_queue, cl_uint, const cl_event *, cl_event *))                   \
    X(cl_int, GetEventInfo, (cl_event, cl_event_info, size_t, void *, size_t *))                                       \
    X(cl_int, WaitForEvents, (cl_uint, const cl_event *))                                                              \
    X(cl_int, ReleaseEvent, (cl_event))                                                                                \
    X(cl_int, Flush, (cl_command_queue))                                                                               \
    X(cl_int, Finish, (cl_command_queue))

/* clGetPlatformIDs is `GetPlatformIDs` here, and so on. */
typedef struct opi_cl_api {
#define OPI_CL_MEMBER(result, name, parameters) result(*name) parameters;
    OPI_CL_CALLS(OPI_CL_MEMBER)
#undef OPI_CL_MEMBER
} opi_cl_api;

/* The calls, looked up once a process; NULL, and why (with the remedy), where there are none. */
const opi_cl_api *opi_cl_open(const char **why);

/* "CL_OUT_OF_RESOURCES"; "an error without a name" of another number. */
const char *opi_cl_word(cl_int error);

#endif
