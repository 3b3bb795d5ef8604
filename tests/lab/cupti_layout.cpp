// What lab/counters/cupti_api.h declares of CUPTI, against NVIDIA's headers where these are (one of them is for C++
// alone): names, values, types, sizes, offsets.
#include <cstdio>

#if defined(__has_include)
#if __has_include(<cupti_range_profiler.h>) && __has_include(<cuda.h>)
#define WITH_HEADERS 1
#endif
#endif

#ifdef WITH_HEADERS
#include <cuda.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_result.h>
#include <cupti_target.h>
#include <cupti_version.h>

#include "driver/cuda/api.h"

#include <cstddef>
#include <cstdint>
#include <type_traits>

// Ours have the same names, so they get a place of their own.
namespace ours
{
#include "lab/counters/cupti_api.h"
}

// --- constants ---
#define SAME_VALUE(name, value)                                                                                        \
    static_assert(static_cast<int>(::name) == (value) && static_cast<int>(ours::name) == (value), #name);
LAB_CUPTI_RESULTS(SAME_VALUE)
#if CUPTI_API_VERSION >= 130000
LAB_CUPTI_LATER_RESULTS(SAME_VALUE)
#endif
LAB_CUPTI_CHOICES(SAME_VALUE)

// --- calls: their types, and the sizes that are passed ---
#define SAME_CALL(name, kind, last)                                                                                    \
    static_assert(std::is_same<decltype(&::cupti##name), ::CUptiResult (*)(::CUpti_##kind##_Params *)>::value, #name); \
    static_assert(sizeof(::CUpti_##kind##_Params) == sizeof(ours::CUpti_##kind##_Params), #kind);                      \
    static_assert(CUpti_##kind##_Params_STRUCT_SIZE == static_cast<size_t>(ours::kind##_BYTES), #kind);
LAB_CUPTI_CALLS(SAME_CALL)
static_assert(std::is_same<decltype(&::cuptiGetVersion), ::CUptiResult (*)(uint32_t *)>::value, "cuptiGetVersion");
static_assert(std::is_same<decltype(&::cuptiGetResultString), ::CUptiResult (*)(::CUptiResult, const char **)>::value,
              "cuptiGetResultString");

// --- members: where they are, and what ---

// An object of CUPTI's, or a constant, is one of ours by another name.
template <class T> struct plain {
    using type = typename std::conditional<std::is_enum<T>::value, int, T>::type;
};
template <> struct plain<::CUpti_Profiler_Host_Object *> {
    using type = ours::CUpti_Profiler_Host_Object *;
};
template <> struct plain<::CUpti_RangeProfiler_Object *> {
    using type = ours::CUpti_RangeProfiler_Object *;
};

#define SAME_MEMBER(kind, member)                                                                                      \
    static_assert(offsetof(::CUpti_##kind##_Params, member) == offsetof(ours::CUpti_##kind##_Params, member) &&        \
                      std::is_same<plain<decltype(::CUpti_##kind##_Params::member)>::type,                             \
                                   plain<decltype(ours::CUpti_##kind##_Params::member)>::type>::value,                 \
                  #kind "." #member);
#define SAME_HEAD(name, kind, last)                                                                                    \
    SAME_MEMBER(kind, structSize)                                                                                      \
    SAME_MEMBER(kind, pPriv)                                                                                           \
    SAME_MEMBER(kind, last)
LAB_CUPTI_CALLS(SAME_HEAD)
SAME_MEMBER(Profiler_DeviceSupported, cuDevice)
SAME_MEMBER(Profiler_DeviceSupported, isSupported)
SAME_MEMBER(Profiler_DeviceSupported, architecture)
SAME_MEMBER(Profiler_DeviceSupported, sli)
SAME_MEMBER(Profiler_DeviceSupported, vGpu)
SAME_MEMBER(Profiler_DeviceSupported, confidentialCompute)
SAME_MEMBER(Profiler_DeviceSupported, cmp)
SAME_MEMBER(Profiler_DeviceSupported, wsl)
SAME_MEMBER(Profiler_GetCounterAvailability, ctx)
SAME_MEMBER(Profiler_GetCounterAvailability, counterAvailabilityImageSize)
SAME_MEMBER(Device_GetChipName, deviceIndex)
SAME_MEMBER(Profiler_Host_Initialize, profilerType)
SAME_MEMBER(Profiler_Host_Initialize, pChipName)
SAME_MEMBER(Profiler_Host_Initialize, pCounterAvailabilityImage)
SAME_MEMBER(Profiler_Host_ConfigAddMetrics, pHostObject)
SAME_MEMBER(Profiler_Host_ConfigAddMetrics, ppMetricNames)
SAME_MEMBER(Profiler_Host_GetConfigImageSize, pHostObject)
SAME_MEMBER(Profiler_Host_GetConfigImage, pHostObject)
SAME_MEMBER(Profiler_Host_GetConfigImage, configImageSize)
SAME_MEMBER(Profiler_Host_GetNumOfPasses, configImageSize)
SAME_MEMBER(Profiler_Host_GetNumOfPasses, pConfigImage)
SAME_MEMBER(Profiler_Host_EvaluateToGpuValues, pHostObject)
SAME_MEMBER(Profiler_Host_EvaluateToGpuValues, pCounterDataImage)
SAME_MEMBER(Profiler_Host_EvaluateToGpuValues, counterDataImageSize)
SAME_MEMBER(Profiler_Host_EvaluateToGpuValues, rangeIndex)
SAME_MEMBER(Profiler_Host_EvaluateToGpuValues, ppMetricNames)
SAME_MEMBER(Profiler_Host_EvaluateToGpuValues, numMetrics)
SAME_MEMBER(RangeProfiler_Enable, ctx)
SAME_MEMBER(RangeProfiler_GetCounterDataSize, pRangeProfilerObject)
SAME_MEMBER(RangeProfiler_GetCounterDataSize, pMetricNames)
SAME_MEMBER(RangeProfiler_GetCounterDataSize, numMetrics)
SAME_MEMBER(RangeProfiler_GetCounterDataSize, maxNumOfRanges)
SAME_MEMBER(RangeProfiler_GetCounterDataSize, maxNumRangeTreeNodes)
SAME_MEMBER(RangeProfiler_CounterDataImage_Initialize, pRangeProfilerObject)
SAME_MEMBER(RangeProfiler_CounterDataImage_Initialize, counterDataSize)
SAME_MEMBER(RangeProfiler_SetConfig, pRangeProfilerObject)
SAME_MEMBER(RangeProfiler_SetConfig, configSize)
SAME_MEMBER(RangeProfiler_SetConfig, pConfig)
SAME_MEMBER(RangeProfiler_SetConfig, counterDataImageSize)
SAME_MEMBER(RangeProfiler_SetConfig, pCounterDataImage)
SAME_MEMBER(RangeProfiler_SetConfig, range)
SAME_MEMBER(RangeProfiler_SetConfig, replayMode)
SAME_MEMBER(RangeProfiler_SetConfig, maxRangesPerPass)
SAME_MEMBER(RangeProfiler_SetConfig, numNestingLevels)
SAME_MEMBER(RangeProfiler_SetConfig, minNestingLevel)
SAME_MEMBER(RangeProfiler_SetConfig, passIndex)
SAME_MEMBER(RangeProfiler_PushRange, pRangeProfilerObject)
SAME_MEMBER(RangeProfiler_Stop, pRangeProfilerObject)
SAME_MEMBER(RangeProfiler_Stop, passIndex)
SAME_MEMBER(RangeProfiler_Stop, targetNestingLevel)
SAME_MEMBER(RangeProfiler_DecodeData, pRangeProfilerObject)
SAME_MEMBER(RangeProfiler_GetCounterDataInfo, pCounterDataImage)
SAME_MEMBER(RangeProfiler_GetCounterDataInfo, counterDataImageSize)
#endif

int main()
{
#ifdef WITH_HEADERS
    std::printf("compared with CUPTI's headers, version %d, while this was compiled\n", CUPTI_API_VERSION);
    return 0;
#else
    std::printf("skipped: CUPTI's headers were not there when this was compiled (package cuda-cupti-dev-13-0)\n");
    return 77;
#endif
}
