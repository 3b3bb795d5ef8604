/* What driver/cuda/api.h declares of CUDA's driver and of NVRTC, against NVIDIA's headers where these are: names,
 * values, the types of calls, the layout of structs.  All of it is compared when this file is compiled. */
#if defined(__has_include)
#if __has_include(<cuda.h>) && __has_include(<nvrtc.h>)
#include <cuda.h>
#include <nvrtc.h>
#endif
#endif

#include "driver/cuda/api.h"

#include <stdio.h>

#if defined(CUDA_VERSION) && CUDA_VERSION >= 11080 && CUDA_VERSION < 14000 /* later, plain names may mean later calls */
#define WITH_HEADERS 1

/* --- 1. constants --- */
#define SAME_VALUE(name, value) _Static_assert((int)(name) == (value), #name);
OPI_CUDA_RESULTS(SAME_VALUE)
OPI_CUDA_DEVICE_ATTRIBUTES(SAME_VALUE)
OPI_CUDA_LATER_ATTRIBUTES(SAME_VALUE)
OPI_CUDA_POINTER_ATTRIBUTES(SAME_VALUE)
OPI_CUDA_PEER_ATTRIBUTES(SAME_VALUE)
OPI_CUDA_FUNCTION_ATTRIBUTES(SAME_VALUE)
OPI_CUDA_LAUNCH_ATTRIBUTES(SAME_VALUE)
OPI_CUDA_JIT_OPTIONS(SAME_VALUE)
OPI_CUDA_CAPTURE_STATUS(SAME_VALUE)
OPI_CUDA_FLAGS(SAME_VALUE)
OPI_CUDA_MAPPING(SAME_VALUE)
OPI_NVRTC_RESULTS(SAME_VALUE)
_Static_assert(sizeof(CUdeviceptr) == sizeof(void *) && sizeof(CUdevice) == sizeof(int), "handles");

/* --- 2. calls --- */
#define SAME_CALL(name, suffix, parameters)                                                                            \
    _Static_assert(__builtin_types_compatible_p(__typeof__(&cu##name##suffix), CUresult(*) parameters), "cu" #name);
#define SAME_COMPILER_CALL(name, result, parameters)                                                                   \
    _Static_assert(__builtin_types_compatible_p(__typeof__(&nvrtc##name), result(*) parameters), "nvrtc" #name);
OPI_CUDA_CALLS(SAME_CALL)
OPI_CUDA_LATER_CALLS(SAME_CALL)
OPI_NVRTC_CALLS(SAME_COMPILER_CALL)

/* --- 3. structs --- */
#define SAME_SIZE(ours, theirs)                                                                                        \
    _Static_assert(sizeof(ours) == sizeof(theirs) && _Alignof(ours) == _Alignof(theirs), #theirs);
#define SAME_MEMBER(ours, theirs, member)                                                                              \
    _Static_assert(offsetof(ours, member) == offsetof(theirs, member) &&                                               \
                       sizeof(((ours *)0)->member) == sizeof(((theirs *)0)->member),                                   \
                   #theirs "." #member);
#define SAME_CONFIG(member)    SAME_MEMBER(opi_cuda_launch_config, CUlaunchConfig, member)
#define SAME_ATTRIBUTE(member) SAME_MEMBER(opi_cuda_launch_attribute, CUlaunchAttribute, member)
SAME_SIZE(opi_cuda_launch_config, CUlaunchConfig)
SAME_CONFIG(gridDimX)
SAME_CONFIG(gridDimY)
SAME_CONFIG(gridDimZ)
SAME_CONFIG(blockDimX)
SAME_CONFIG(blockDimY)
SAME_CONFIG(blockDimZ)
SAME_CONFIG(sharedMemBytes)
SAME_CONFIG(hStream)
SAME_CONFIG(attrs)
SAME_CONFIG(numAttrs)
SAME_SIZE(opi_cuda_launch_attribute, CUlaunchAttribute)
SAME_ATTRIBUTE(id)
SAME_ATTRIBUTE(value)
SAME_ATTRIBUTE(value.cooperative)
SAME_ATTRIBUTE(value.clusterDim.x)
SAME_ATTRIBUTE(value.clusterDim.y)
SAME_ATTRIBUTE(value.clusterDim.z)
#define SAME_ALLOCATION(member) SAME_MEMBER(opi_cuda_allocation, CUmemAllocationProp, member)
#define SAME_ACCESS(member)     SAME_MEMBER(opi_cuda_access, CUmemAccessDesc, member)
SAME_SIZE(opi_cuda_allocation, CUmemAllocationProp)
SAME_ALLOCATION(type)
SAME_ALLOCATION(requestedHandleTypes)
SAME_ALLOCATION(location)
SAME_ALLOCATION(location.id)
SAME_ALLOCATION(win32HandleMetaData)
SAME_ALLOCATION(allocFlags)
SAME_SIZE(opi_cuda_access, CUmemAccessDesc)
SAME_ACCESS(location)
SAME_ACCESS(location.id)
SAME_ACCESS(flags)
#endif

int main(void)
{
#ifdef WITH_HEADERS
    printf("[  PASSED  ] 1 test(s): as cuda.h %d and nvrtc.h declare them.\n", CUDA_VERSION);
    return 0;
#else
    printf("[  SKIPPED ] NVIDIA's headers (CUDA 11.8 to 13) are not installed\n");
    return 77;
#endif
}
