/* What of CUDA's driver API and of NVRTC is called here, declared anew: the library builds without CUDA's headers.
 *
 * The names and values are NVIDIA's; tests/unit/driver/cuda_declared.c compares them with cuda.h and nvrtc.h where they
 * exist, which is why each part stands back if its header has been included before.  Both libraries are opened at the
 * first use and stay open: neither survives being unloaded. */
#ifndef OPI_CUDA_API_H
#define OPI_CUDA_API_H

#include <stdbool.h>
#include <stddef.h>

/* --- 1. constants ------------------------------------------------------------------------------------------------- */

#define OPI_CUDA_RESULTS(X)                                                                                            \
    X(CUDA_SUCCESS, 0)                                                                                                 \
    X(CUDA_ERROR_INVALID_VALUE, 1)                                                                                     \
    X(CUDA_ERROR_OUT_OF_MEMORY, 2)                                                                                     \
    X(CUDA_ERROR_NOT_INITIALIZED, 3)                                                                                   \
    X(CUDA_ERROR_DEINITIALIZED, 4)                                                                                     \
    X(CUDA_ERROR_STUB_LIBRARY, 34)                                                                                     \
    X(CUDA_ERROR_DEVICE_UNAVAILABLE, 46)                                                                               \
    X(CUDA_ERROR_NO_DEVICE, 100)                                                                                       \
    X(CUDA_ERROR_INVALID_DEVICE, 101)                                                                                  \
    X(CUDA_ERROR_INVALID_IMAGE, 200)                                                                                   \
    X(CUDA_ERROR_INVALID_CONTEXT, 201)                                                                                 \
    X(CUDA_ERROR_NO_BINARY_FOR_GPU, 209)                                                                               \
    X(CUDA_ERROR_ECC_UNCORRECTABLE, 214)                                                                               \
    X(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED, 217)                                                                         \
    X(CUDA_ERROR_INVALID_PTX, 218)                                                                                     \
    X(CUDA_ERROR_NVLINK_UNCORRECTABLE, 220)                                                                            \
    X(CUDA_ERROR_JIT_COMPILER_NOT_FOUND, 221)                                                                          \
    X(CUDA_ERROR_UNSUPPORTED_PTX_VERSION, 222)                                                                         \
    X(CUDA_ERROR_INVALID_HANDLE, 400)                                                                                  \
    X(CUDA_ERROR_NOT_FOUND, 500)                                                                                       \
    X(CUDA_ERROR_NOT_READY, 600)                                                                                       \
    X(CUDA_ERROR_ILLEGAL_ADDRESS, 700)                                                                                 \
    X(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, 701)                                                                         \
    X(CUDA_ERROR_LAUNCH_TIMEOUT, 702)                                                                                  \
    X(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED, 704)                                                                     \
    X(CUDA_ERROR_CONTEXT_IS_DESTROYED, 709)                                                                            \
    X(CUDA_ERROR_ASSERT, 710)                                                                                          \
    X(CUDA_ERROR_TOO_MANY_PEERS, 711)                                                                                  \
    X(CUDA_ERROR_HARDWARE_STACK_ERROR, 714)                                                                            \
    X(CUDA_ERROR_ILLEGAL_INSTRUCTION, 715)                                                                             \
    X(CUDA_ERROR_MISALIGNED_ADDRESS, 716)                                                                              \
    X(CUDA_ERROR_INVALID_ADDRESS_SPACE, 717)                                                                           \
    X(CUDA_ERROR_INVALID_PC, 718)                                                                                      \
    X(CUDA_ERROR_LAUNCH_FAILED, 719)                                                                                   \
    X(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, 720)                                                                    \
    X(CUDA_ERROR_SYSTEM_NOT_READY, 802)                                                                                \
    X(CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, 803)                                                                          \
    X(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, 900)                                                                      \
    X(CUDA_ERROR_INVALID_CLUSTER_SIZE, 912)                                                                            \
    X(CUDA_ERROR_UNKNOWN, 999)

#define OPI_CUDA_DEVICE_ATTRIBUTES(X)                                                                                  \
    X(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1)                                                                    \
    X(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, 8)                                                              \
    X(CU_DEVICE_ATTRIBUTE_WARP_SIZE, 10)                                                                               \
    X(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 16)                                                                    \
    X(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 75)                                                                \
    X(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 76)                                                                \
    X(CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH, 95)                                                                      \
    X(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 97)

/* Known to the drivers that have OPI_CUDA_LATER_CALLS. */
#define OPI_CUDA_LATER_ATTRIBUTES(X) X(CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH, 120)

#define OPI_CUDA_PEER_ATTRIBUTES(X) X(CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED, 3)

#define OPI_CUDA_FUNCTION_ATTRIBUTES(X)                                                                                \
    X(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 8)                                                              \
    X(CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 9)

#define OPI_CUDA_LAUNCH_ATTRIBUTES(X)                                                                                  \
    X(CU_LAUNCH_ATTRIBUTE_COOPERATIVE, 2)                                                                              \
    X(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, 4)                                                                        \
    X(CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION, 6)

#define OPI_CUDA_POINTER_ATTRIBUTES(X)                                                                                 \
    X(CU_POINTER_ATTRIBUTE_MEMORY_TYPE, 2)                                                                             \
    X(CU_POINTER_ATTRIBUTE_BUFFER_ID, 7)                                                                               \
    X(CU_POINTER_ATTRIBUTE_IS_MANAGED, 8)                                                                              \
    X(CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, 9)                                                                          \
    X(CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, 11)                                                                       \
    X(CU_POINTER_ATTRIBUTE_RANGE_SIZE, 12)

#define OPI_CUDA_JIT_OPTIONS(X)                                                                                        \
    X(CU_JIT_ERROR_LOG_BUFFER, 5)                                                                                      \
    X(CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, 6)

#define OPI_CUDA_CAPTURE_STATUS(X) X(CU_STREAM_CAPTURE_STATUS_NONE, 0)

/* Of memory that is mapped page by page: its kind, whose it is, who may use it, and the pages that are allowed. */
#define OPI_CUDA_MAPPING(X)                                                                                            \
    X(CU_MEM_ALLOCATION_TYPE_PINNED, 1)                                                                                \
    X(CU_MEM_LOCATION_TYPE_DEVICE, 1)                                                                                  \
    X(CU_MEM_ACCESS_FLAGS_PROT_READWRITE, 3)                                                                           \
    X(CU_MEM_ALLOC_GRANULARITY_MINIMUM, 0)

#define OPI_CUDA_FLAGS(X)                                                                                              \
    X(CU_MEMORYTYPE_HOST, 1)                                                                                           \
    X(CU_MEMORYTYPE_DEVICE, 2)                                                                                         \
    X(CU_STREAM_NON_BLOCKING, 1)                                                                                       \
    X(CU_EVENT_DISABLE_TIMING, 2)                                                                                      \
    X(CU_EVENT_WAIT_DEFAULT, 0)                                                                                        \
    X(CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS, 1)

#define OPI_NVRTC_RESULTS(X)                                                                                           \
    X(NVRTC_SUCCESS, 0)                                                                                                \
    X(NVRTC_ERROR_OUT_OF_MEMORY, 1)                                                                                    \
    X(NVRTC_ERROR_INVALID_INPUT, 3)                                                                                    \
    X(NVRTC_ERROR_INVALID_OPTION, 5)                                                                                   \
    X(NVRTC_ERROR_COMPILATION, 6)                                                                                      \
    X(NVRTC_ERROR_BUILTIN_OPERATION_FAILURE, 7)                                                                        \
    X(NVRTC_ERROR_INTERNAL_ERROR, 11)

/* --- 2. types ----------------------------------------------------------------------------------------------------- */

#define OPI_CUDA_CONSTANT(name, value) name = value,

#ifndef CUDA_VERSION /* cuda.h has not been included */
typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUevent_st *CUevent;
typedef struct CUstream_st *CUstream;
typedef enum CUresult { OPI_CUDA_RESULTS(OPI_CUDA_CONSTANT) } CUresult;
typedef enum CUdevice_attribute {
    OPI_CUDA_DEVICE_ATTRIBUTES(OPI_CUDA_CONSTANT) OPI_CUDA_LATER_ATTRIBUTES(OPI_CUDA_CONSTANT)
} CUdevice_attribute;
typedef enum CUdevice_P2PAttribute { OPI_CUDA_PEER_ATTRIBUTES(OPI_CUDA_CONSTANT) } CUdevice_P2PAttribute;
typedef enum CUfunction_attribute { OPI_CUDA_FUNCTION_ATTRIBUTES(OPI_CUDA_CONSTANT) } CUfunction_attribute;
typedef enum CUlaunchAttributeID { OPI_CUDA_LAUNCH_ATTRIBUTES(OPI_CUDA_CONSTANT) } CUlaunchAttributeID;
typedef enum CUstreamCaptureStatus { OPI_CUDA_CAPTURE_STATUS(OPI_CUDA_CONSTANT) } CUstreamCaptureStatus;
typedef enum CUpointer_attribute { OPI_CUDA_POINTER_ATTRIBUTES(OPI_CUDA_CONSTANT) } CUpointer_attribute;
typedef enum CUjit_option { OPI_CUDA_JIT_OPTIONS(OPI_CUDA_CONSTANT) } CUjit_option;
enum { OPI_CUDA_FLAGS(OPI_CUDA_CONSTANT) };
enum { OPI_CUDA_MAPPING(OPI_CUDA_CONSTANT) };
typedef unsigned CUmemAllocationGranularity_flags;
typedef unsigned long long CUmemGenericAllocationHandle;
typedef struct opi_cuda_launch_config CUlaunchConfig;
typedef struct opi_cuda_allocation CUmemAllocationProp;
typedef struct opi_cuda_access CUmemAccessDesc;
typedef struct CUipcMemHandle {
    char reserved[64];
} CUipcMemHandle; /* names an allocation in other processes */
#endif

/* CUlaunchAttribute and CUlaunchConfig, under names of our own so that a test can lay them beside NVIDIA's. */
typedef struct opi_cuda_launch_attribute {
    CUlaunchAttributeID id;
    char pad[8 - sizeof(CUlaunchAttributeID)];
    union {
        unsigned long long room[8]; /* 64 bytes, aligned to 8 */
        int cooperative, programmaticStreamSerializationAllowed;
        struct {
            unsigned x, y, z;
        } clusterDim;
    } value;
} opi_cuda_launch_attribute;

typedef struct opi_cuda_launch_config {
    unsigned gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes;
    CUstream hStream;
    opi_cuda_launch_attribute *attrs;
    unsigned numAttrs;
} opi_cuda_launch_config;

/* CUmemAllocationProp and CUmemAccessDesc, for the same reason. */
typedef struct opi_cuda_location {
    unsigned type;
    int id; /* of a device: its number */
} opi_cuda_location;

typedef struct opi_cuda_allocation {
    unsigned type, requestedHandleTypes;
    opi_cuda_location location;
    void *win32HandleMetaData;
    struct {
        unsigned char compressionType, gpuDirectRDMACapable;
        unsigned short usage;
        unsigned char reserved[4];
    } allocFlags;
} opi_cuda_allocation;

typedef struct opi_cuda_access {
    opi_cuda_location location;
    unsigned flags;
} opi_cuda_access;

#ifndef __NVRTC_H__ /* nvrtc.h has not been included */
typedef struct _nvrtcProgram *nvrtcProgram;
typedef enum nvrtcResult { OPI_NVRTC_RESULTS(OPI_CUDA_CONSTANT) } nvrtcResult;
#endif

/* --- 3. calls ----------------------------------------------------------------------------------------------------- */

/* X(name, suffix of the symbol, parameters): the symbol is cu<name><suffix>; the suffix is what cuda.h adds by a macro,
 * for the plain name is the call as it was before CUDA 4. */
#define OPI_CUDA_CALLS(X)                                                                                              \
    X(Init, , (unsigned))                                                                                              \
    X(DriverGetVersion, , (int *))                                                                                     \
    X(GetErrorName, , (CUresult, const char **))                                                                       \
    X(GetErrorString, , (CUresult, const char **))                                                                     \
    X(DeviceGetCount, , (int *))                                                                                       \
    X(DeviceGet, , (CUdevice *, int))                                                                                  \
    X(DeviceGetName, , (char *, int, CUdevice))                                                                        \
    X(DeviceTotalMem, _v2, (size_t *, CUdevice))                                                                       \
    X(DeviceGetAttribute, , (int *, CUdevice_attribute, CUdevice))                                                     \
    X(DevicePrimaryCtxRetain, , (CUcontext *, CUdevice))                                                               \
    X(DevicePrimaryCtxRelease, _v2, (CUdevice))                                                                        \
    X(CtxGetCurrent, , (CUcontext *))                                                                                  \
    X(CtxPushCurrent, _v2, (CUcontext))                                                                                \
    X(CtxPopCurrent, _v2, (CUcontext *))                                                                               \
    X(CtxGetDevice, , (CUdevice *))                                                                                    \
    X(DeviceCanAccessPeer, , (int *, CUdevice, CUdevice))                                                              \
    X(DeviceGetP2PAttribute, , (int *, CUdevice_P2PAttribute, CUdevice, CUdevice))                                     \
    X(CtxEnablePeerAccess, , (CUcontext, unsigned))                                                                    \
    X(StreamCreate, , (CUstream *, unsigned))                                                                          \
    X(StreamDestroy, _v2, (CUstream))                                                                                  \
    X(StreamGetCtx, , (CUstream, CUcontext *))                                                                         \
    X(StreamIsCapturing, , (CUstream, CUstreamCaptureStatus *))                                                        \
    X(StreamSynchronize, , (CUstream))                                                                                 \
    X(StreamWaitEvent, , (CUstream, CUevent, unsigned))                                                                \
    X(EventCreate, , (CUevent *, unsigned))                                                                            \
    X(EventDestroy, _v2, (CUevent))                                                                                    \
    X(EventRecord, , (CUevent, CUstream))                                                                              \
    X(EventQuery, , (CUevent))                                                                                         \
    X(EventSynchronize, , (CUevent))                                                                                   \
    X(MemAlloc, _v2, (CUdeviceptr *, size_t))                                                                          \
    X(MemFree, _v2, (CUdeviceptr))                                                                                     \
    X(MemHostAlloc, , (void **, size_t, unsigned))                                                                     \
    X(MemFreeHost, , (void *))                                                                                         \
    X(MemGetAllocationGranularity, , (size_t *, const CUmemAllocationProp *, CUmemAllocationGranularity_flags))        \
    X(MemAddressReserve, , (CUdeviceptr *, size_t, size_t, CUdeviceptr, unsigned long long))                           \
    X(MemAddressFree, , (CUdeviceptr, size_t))                                                                         \
    X(MemCreate, , (CUmemGenericAllocationHandle *, size_t, const CUmemAllocationProp *, unsigned long long))          \
    X(MemRelease, , (CUmemGenericAllocationHandle))                                                                    \
    X(MemMap, , (CUdeviceptr, size_t, size_t, CUmemGenericAllocationHandle, unsigned long long))                       \
    X(MemUnmap, , (CUdeviceptr, size_t))                                                                               \
    X(MemSetAccess, , (CUdeviceptr, size_t, const CUmemAccessDesc *, size_t))                                          \
    X(IpcGetMemHandle, , (CUipcMemHandle *, CUdeviceptr))                                                              \
    X(IpcOpenMemHandle, _v2, (CUdeviceptr *, CUipcMemHandle, unsigned))                                                \
    X(IpcCloseMemHandle, , (CUdeviceptr))                                                                              \
    X(MemcpyHtoDAsync, _v2, (CUdeviceptr, const void *, size_t, CUstream))                                             \
    X(MemcpyDtoHAsync, _v2, (void *, CUdeviceptr, size_t, CUstream))                                                   \
    X(MemcpyDtoDAsync, _v2, (CUdeviceptr, CUdeviceptr, size_t, CUstream))                                              \
    X(PointerGetAttributes, , (unsigned, CUpointer_attribute *, void **, CUdeviceptr))                                 \
    X(ModuleLoadDataEx, , (CUmodule *, const void *, unsigned, CUjit_option *, void **))                               \
    X(ModuleUnload, , (CUmodule))                                                                                      \
    X(ModuleGetFunction, , (CUfunction *, CUmodule, const char *))                                                     \
    X(FuncSetAttribute, , (CUfunction, CUfunction_attribute, int))                                                     \
    X(OccupancyMaxActiveBlocksPerMultiprocessor, , (int *, CUfunction, int, size_t))                                   \
    X(LaunchKernel, ,                                                                                                  \
      (CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream, void **, void **))

/* The same of CUDA 11.8; NULL in an older driver, whose devices have neither clusters nor resident launches. */
#define OPI_CUDA_LATER_CALLS(X)                                                                                        \
    X(LaunchKernelEx, , (const CUlaunchConfig *, CUfunction, void **, void **))                                        \
    X(OccupancyMaxActiveClusters, , (int *, CUfunction, const CUlaunchConfig *))

/* X(name, what it returns, parameters): the symbol is nvrtc<name>. */
#define OPI_NVRTC_CALLS(X)                                                                                             \
    X(Version, nvrtcResult, (int *, int *))                                                                            \
    X(GetErrorString, const char *, (nvrtcResult))                                                                     \
    X(GetNumSupportedArchs, nvrtcResult, (int *))                                                                      \
    X(GetSupportedArchs, nvrtcResult, (int *))                                                                         \
    X(CreateProgram, nvrtcResult,                                                                                      \
      (nvrtcProgram *, const char *, const char *, int, const char *const *, const char *const *))                     \
    X(DestroyProgram, nvrtcResult, (nvrtcProgram *))                                                                   \
    X(CompileProgram, nvrtcResult, (nvrtcProgram, int, const char *const *))                                           \
    X(GetProgramLogSize, nvrtcResult, (nvrtcProgram, size_t *))                                                        \
    X(GetProgramLog, nvrtcResult, (nvrtcProgram, char *))                                                              \
    X(GetPTXSize, nvrtcResult, (nvrtcProgram, size_t *))                                                               \
    X(GetPTX, nvrtcResult, (nvrtcProgram, char *))                                                                     \
    X(GetCUBINSize, nvrtcResult, (nvrtcProgram, size_t *))                                                             \
    X(GetCUBIN, nvrtcResult, (nvrtcProgram, char *))

typedef struct opi_cuda_calls {
#define OPI_CUDA_MEMBER(name, suffix, parameters) CUresult(*name) parameters;
    OPI_CUDA_CALLS(OPI_CUDA_MEMBER)
    OPI_CUDA_LATER_CALLS(OPI_CUDA_MEMBER)
#undef OPI_CUDA_MEMBER
} opi_cuda_calls;

typedef struct opi_nvrtc_calls {
#define OPI_NVRTC_MEMBER(name, result, parameters) result(*name) parameters;
    OPI_NVRTC_CALLS(OPI_NVRTC_MEMBER)
#undef OPI_NVRTC_MEMBER
} opi_nvrtc_calls;

/* --- 4. libraries ------------------------------------------------------------------------------------------------- */

/* The driver, initialised; NULL, and why with a remedy, where there is none.  OPLUS_CUDA_LIBRARY=file names the
 * library. */
const opi_cuda_calls *opi_cuda_open(const char **why);
/* opi_driver::installed and loaded: of the library that opi_cuda_open would take. */
bool opi_cuda_installed(void);
bool opi_cuda_loaded(void);
/* NVRTC; NULL, and why with a remedy.  OPLUS_NVRTC_LIBRARY=file names the library; otherwise one that is not newer than
 * the driver is preferred, which may not know what a newer one makes. */
const opi_nvrtc_calls *opi_nvrtc_open(const char **why);
/* "CUDA 13.0, NVRTC 13.0": the versions of what is there. */
void opi_cuda_versions(char *text, size_t bytes);

#endif
