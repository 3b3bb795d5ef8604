/* The part of NVIDIA's CUPTI that is called here, declared here so that the lab builds without its headers.
 *
 * The names and values are NVIDIA's, the same from the last update of CUDA 12.6, which brought the range profiler,
 * to 13.0; tests/lab/cupti_layout.cpp compares them with the headers where these exist.  A call has one struct of
 * parameters, which begins with its size in bytes: by this size the library knows which members its caller knows.
 * The library is opened at the first use and stays open. */
#ifndef LAB_CUPTI_API_H
#define LAB_CUPTI_API_H

#include "driver/cuda/api.h"

#include <stddef.h>
#include <stdint.h>

/* --- 1. constants ------------------------------------------------------------------------------------------------- */

#define LAB_CUPTI_RESULTS(X)                                                                                           \
    X(CUPTI_SUCCESS, 0)                                                                                                \
    X(CUPTI_ERROR_INVALID_PARAMETER, 1)                                                                                \
    X(CUPTI_ERROR_INVALID_DEVICE, 2)                                                                                   \
    X(CUPTI_ERROR_INVALID_CONTEXT, 3)                                                                                  \
    X(CUPTI_ERROR_INVALID_OPERATION, 7)                                                                                \
    X(CUPTI_ERROR_OUT_OF_MEMORY, 8)                                                                                    \
    X(CUPTI_ERROR_HARDWARE, 9)                                                                                         \
    X(CUPTI_ERROR_NOT_COMPATIBLE, 14)                                                                                  \
    X(CUPTI_ERROR_NOT_INITIALIZED, 15)                                                                                 \
    X(CUPTI_ERROR_INVALID_METRIC_NAME, 17)                                                                             \
    X(CUPTI_ERROR_DISABLED, 23)                                                                                        \
    X(CUPTI_ERROR_HARDWARE_BUSY, 26)                                                                                   \
    X(CUPTI_ERROR_NOT_SUPPORTED, 27)                                                                                   \
    X(CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED, 33)                                                                \
    X(CUPTI_ERROR_INSUFFICIENT_PRIVILEGES, 35)                                                                         \
    X(CUPTI_ERROR_OLD_PROFILER_API_INITIALIZED, 36)                                                                    \
    X(CUPTI_ERROR_LEGACY_PROFILER_NOT_SUPPORTED, 38)                                                                   \
    X(CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED, 39)                                                              \
    X(CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES, 40)                                                      \
    X(CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED, 41)                                                            \
    X(CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED, 42)                                                                        \
    X(CUPTI_ERROR_UNKNOWN, 999)

/* Not in the headers of CUDA 12.6. */
#define LAB_CUPTI_LATER_RESULTS(X)                                                                                     \
    X(CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED, 43)                                                                        \
    X(CUPTI_ERROR_SLI_DEVICE_NOT_SUPPORTED, 44)                                                                        \
    X(CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED, 45)                                                                        \
    X(CUPTI_ERROR_INVALID_CHIP_NAME, 46)

/* The choices of a session: it pushes ranges itself, and runs them again for each pass. */
#define LAB_CUPTI_CHOICES(X)                                                                                           \
    X(CUPTI_UserRange, 2)                                                                                              \
    X(CUPTI_UserReplay, 3)                                                                                             \
    X(CUPTI_PROFILER_TYPE_RANGE_PROFILER, 0)                                                                           \
    X(CUPTI_PROFILER_RANGE_PROFILING, 0)                                                                               \
    X(CUPTI_PROFILER_CONFIGURATION_UNKNOWN, 0)                                                                         \
    X(CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED, 1)                                                                     \
    X(CUPTI_PROFILER_CONFIGURATION_DISABLED, 2)                                                                        \
    X(CUPTI_PROFILER_CONFIGURATION_SUPPORTED, 3)

#define LAB_CUPTI_CONSTANT(name, value) name = value,
typedef enum CUptiResult {
    LAB_CUPTI_RESULTS(LAB_CUPTI_CONSTANT) LAB_CUPTI_LATER_RESULTS(LAB_CUPTI_CONSTANT)
} CUptiResult;
enum { LAB_CUPTI_CHOICES(LAB_CUPTI_CONSTANT) };
#undef LAB_CUPTI_CONSTANT

/* --- 2. parameters ------------------------------------------------------------------------------------------------ */

typedef struct CUpti_Profiler_Host_Object CUpti_Profiler_Host_Object;
typedef struct CUpti_RangeProfiler_Object CUpti_RangeProfiler_Object;

/* The parameters of a call; pPriv is NULL in all.  CUPTI's enumerations are int here. */
#define LAB_CUPTI_PARAMS(kind, ...)                                                                                    \
    typedef struct CUpti_##kind##_Params {                                                                             \
        size_t structSize;                                                                                             \
        void *pPriv;                                                                                                   \
        __VA_ARGS__                                                                                                    \
    } CUpti_##kind##_Params;

/* clang-format off: a line or two each; what the call fills in stands behind "out" */

/* The device: isSupported is the least of what follows it; the image is asked for its size with NULL; "GH100". */
LAB_CUPTI_PARAMS(Profiler_Initialize, )
LAB_CUPTI_PARAMS(Profiler_DeInitialize, )
LAB_CUPTI_PARAMS(Profiler_DeviceSupported, CUdevice cuDevice;
                 /* out */ int isSupported, architecture, sli, vGpu, confidentialCompute, cmp, wsl; /* in */ int api;)
LAB_CUPTI_PARAMS(Profiler_GetCounterAvailability, CUcontext ctx; size_t counterAvailabilityImageSize;
                 uint8_t * pCounterAvailabilityImage;)
LAB_CUPTI_PARAMS(Device_GetChipName, size_t deviceIndex; /* out */ const char *pChipName;)

/* The host's side: metrics, and what has to be counted for them. */
LAB_CUPTI_PARAMS(Profiler_Host_Initialize, int profilerType; const char *pChipName;
                 const uint8_t *pCounterAvailabilityImage; /* out */ CUpti_Profiler_Host_Object * pHostObject;)
LAB_CUPTI_PARAMS(Profiler_Host_Deinitialize, CUpti_Profiler_Host_Object *pHostObject;)
LAB_CUPTI_PARAMS(Profiler_Host_ConfigAddMetrics, CUpti_Profiler_Host_Object *pHostObject; const char **ppMetricNames;
                 size_t numMetrics;)
LAB_CUPTI_PARAMS(Profiler_Host_GetConfigImageSize, CUpti_Profiler_Host_Object *pHostObject; /* out */
                 size_t configImageSize;)
LAB_CUPTI_PARAMS(Profiler_Host_GetConfigImage, CUpti_Profiler_Host_Object *pHostObject; size_t configImageSize;
                 uint8_t * pConfigImage;)
LAB_CUPTI_PARAMS(Profiler_Host_GetNumOfPasses, size_t configImageSize; uint8_t * pConfigImage; /* out */
                 size_t numOfPasses;)
LAB_CUPTI_PARAMS(Profiler_Host_EvaluateToGpuValues, CUpti_Profiler_Host_Object *pHostObject;
                 const uint8_t *pCounterDataImage; size_t counterDataImageSize; size_t rangeIndex;
                 const char **ppMetricNames; size_t numMetrics; double *pMetricValues;)

/* The device's side: counting.  maxNumRangeTreeNodes is at least maxNumOfRanges. */
LAB_CUPTI_PARAMS(RangeProfiler_Enable, CUcontext ctx; /* out */ CUpti_RangeProfiler_Object * pRangeProfilerObject;)
LAB_CUPTI_PARAMS(RangeProfiler_Disable, CUpti_RangeProfiler_Object *pRangeProfilerObject;)
LAB_CUPTI_PARAMS(RangeProfiler_GetCounterDataSize, CUpti_RangeProfiler_Object *pRangeProfilerObject;
                 const char **pMetricNames; size_t numMetrics; size_t maxNumOfRanges; uint32_t maxNumRangeTreeNodes;
                 /* out */ size_t counterDataSize;)
LAB_CUPTI_PARAMS(RangeProfiler_CounterDataImage_Initialize, CUpti_RangeProfiler_Object *pRangeProfilerObject;
                 size_t counterDataSize; uint8_t * pCounterData;)
LAB_CUPTI_PARAMS(RangeProfiler_SetConfig, CUpti_RangeProfiler_Object *pRangeProfilerObject; size_t configSize;
                 const uint8_t *pConfig; size_t counterDataImageSize; uint8_t * pCounterDataImage; int range;
                 int replayMode; size_t maxRangesPerPass; uint16_t numNestingLevels; uint16_t minNestingLevel;
                 size_t passIndex; uint16_t targetNestingLevel;)
LAB_CUPTI_PARAMS(RangeProfiler_Start, CUpti_RangeProfiler_Object *pRangeProfilerObject;)
LAB_CUPTI_PARAMS(RangeProfiler_PushRange, CUpti_RangeProfiler_Object *pRangeProfilerObject; const char *pRangeName;)
LAB_CUPTI_PARAMS(RangeProfiler_PopRange, CUpti_RangeProfiler_Object *pRangeProfilerObject;)
LAB_CUPTI_PARAMS(RangeProfiler_Stop, CUpti_RangeProfiler_Object *pRangeProfilerObject; /* out */ size_t passIndex;
                 size_t targetNestingLevel; uint8_t isAllPassSubmitted;)
LAB_CUPTI_PARAMS(RangeProfiler_DecodeData, CUpti_RangeProfiler_Object *pRangeProfilerObject; /* out */
                 size_t numOfRangeDropped;)
LAB_CUPTI_PARAMS(RangeProfiler_GetCounterDataInfo, const uint8_t *pCounterDataImage; size_t counterDataImageSize;
                 /* out */ size_t numTotalRanges;)
/* clang-format on */

/* --- 3. calls ----------------------------------------------------------------------------------------------------- */

/* X(name, struct, its last member): the symbol is cupti<name>, the type CUpti_<struct>_Params. */
#define LAB_CUPTI_CALLS(X)                                                                                             \
    X(ProfilerInitialize, Profiler_Initialize, pPriv)                                                                  \
    X(ProfilerDeInitialize, Profiler_DeInitialize, pPriv)                                                              \
    X(ProfilerDeviceSupported, Profiler_DeviceSupported, api)                                                          \
    X(ProfilerGetCounterAvailability, Profiler_GetCounterAvailability, pCounterAvailabilityImage)                      \
    X(DeviceGetChipName, Device_GetChipName, pChipName)                                                                \
    X(ProfilerHostInitialize, Profiler_Host_Initialize, pHostObject)                                                   \
    X(ProfilerHostDeinitialize, Profiler_Host_Deinitialize, pHostObject)                                               \
    X(ProfilerHostConfigAddMetrics, Profiler_Host_ConfigAddMetrics, numMetrics)                                        \
    X(ProfilerHostGetConfigImageSize, Profiler_Host_GetConfigImageSize, configImageSize)                               \
    X(ProfilerHostGetConfigImage, Profiler_Host_GetConfigImage, pConfigImage)                                          \
    X(ProfilerHostGetNumOfPasses, Profiler_Host_GetNumOfPasses, numOfPasses)                                           \
    X(ProfilerHostEvaluateToGpuValues, Profiler_Host_EvaluateToGpuValues, pMetricValues)                               \
    X(RangeProfilerEnable, RangeProfiler_Enable, pRangeProfilerObject)                                                 \
    X(RangeProfilerDisable, RangeProfiler_Disable, pRangeProfilerObject)                                               \
    X(RangeProfilerGetCounterDataSize, RangeProfiler_GetCounterDataSize, counterDataSize)                              \
    X(RangeProfilerCounterDataImageInitialize, RangeProfiler_CounterDataImage_Initialize, pCounterData)                \
    X(RangeProfilerSetConfig, RangeProfiler_SetConfig, targetNestingLevel)                                             \
    X(RangeProfilerStart, RangeProfiler_Start, pRangeProfilerObject)                                                   \
    X(RangeProfilerPushRange, RangeProfiler_PushRange, pRangeName)                                                     \
    X(RangeProfilerPopRange, RangeProfiler_PopRange, pRangeProfilerObject)                                             \
    X(RangeProfilerStop, RangeProfiler_Stop, isAllPassSubmitted)                                                       \
    X(RangeProfilerDecodeData, RangeProfiler_DecodeData, numOfRangeDropped)                                            \
    X(RangeProfilerGetCounterDataInfo, RangeProfiler_GetCounterDataInfo, numTotalRanges)

/* RangeProfiler_Stop_BYTES and so on, for structSize: to the end of the last member, without padding behind it. */
enum {
#define LAB_CUPTI_BYTES(name, kind, last)                                                                              \
    kind##_BYTES = offsetof(CUpti_##kind##_Params, last) + sizeof(((CUpti_##kind##_Params *)0)->last),
    LAB_CUPTI_CALLS(LAB_CUPTI_BYTES)
#undef LAB_CUPTI_BYTES
};

typedef struct lab_cupti_calls {
#define LAB_CUPTI_MEMBER(name, kind, last) CUptiResult (*name)(CUpti_##kind##_Params *);
    LAB_CUPTI_CALLS(LAB_CUPTI_MEMBER)
#undef LAB_CUPTI_MEMBER
    CUptiResult (*GetVersion)(uint32_t *);
    CUptiResult (*GetResultString)(CUptiResult, const char **);
} lab_cupti_calls;

/* --- 4. the library ----------------------------------------------------------------------------------------------- */

/* NULL, with reason and remedy in why, if there is no library that has all these calls.  OPLUS_CUPTI_LIBRARY=file
 * names it; otherwise one that is not newer than the driver is preferred.  version: "CUPTI 13.0". */
const lab_cupti_calls *lab_cupti_library(const char **version, const char **why);

/* "cuptiRangeProfilerEnable failed: CUPTI_ERROR_HARDWARE_BUSY (another profiler counts); end ..." */
void lab_cupti_words(const lab_cupti_calls *cupti, const char *call, CUptiResult result, char *text, size_t bytes);

#endif
