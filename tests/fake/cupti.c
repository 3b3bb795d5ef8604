/* A CUPTI that only keeps the books, for OPLUS_CUPTI_LIBRARY: it counts nothing, and gives the values that a test
 * invents.  It is stricter than the real one: sizes of structs, handles, images and the order of calls are checked, and
 * the first rule that is broken is noted. */
#include "fake/cupti.h"

#include "lab/counters/cupti_api.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { AVAILABLE_BYTES = 48, CONFIG_BYTES = 96, DATA_BYTES = 80, OBJECTS = 8 };

struct CUpti_Profiler_Host_Object {
    bool refused; /* a metric */
    size_t metrics;
};

struct CUpti_RangeProfiler_Object {
    CUcontext context;
    uint8_t *initialized; /* the counter data image */
    const uint8_t *data;  /* the one of the configuration; NULL: there is none */
    bool started, pushed, popped, all, decoded;
};

static double one(const char *metric)
{
    (void)metric;
    return 1;
}

static fake_cupti state;

/* --- objects ------------------------------------------------------------------------------------------------------ */

static void *objects[OBJECTS];

static void *make(size_t bytes)
{
    for (size_t i = 0; i < OBJECTS; i++)
        if (!objects[i] && (objects[i] = calloc(1, bytes))) return objects[i];
    abort();
}

static bool lives(const void *object)
{
    for (size_t i = 0; object && i < OBJECTS; i++)
        if (objects[i] == object) return true;
    return false;
}

static void unmake(void *object)
{
    for (size_t i = 0; object && i < OBJECTS; i++)
        if (objects[i] == object) {
            objects[i] = NULL;
            free(object);
            return;
        }
}

/* --- the test's side ---------------------------------------------------------------------------------------------- */

__attribute__((constructor)) static void reset(void)
{
    for (size_t i = 0; i < OBJECTS; i++) unmake(objects[i]);
    state = (fake_cupti){.passes = 2, .ranges = 1, .value = one, .reset = reset};
}

fake_cupti *fake_cupti_state(void);
fake_cupti *fake_cupti_state(void) { return &state; }

/* --- rules -------------------------------------------------------------------------------------------------------- */

static bool fails(const char *name)
{
    if (++state.calls != state.failing) return false;
    state.failed = name;
    return true;
}

static CUptiResult broken(const char *rule)
{
    if (!state.wrong) state.wrong = rule;
    return CUPTI_ERROR_INVALID_PARAMETER;
}

/* How calls begin: any call, one that needs a live object, and one that needs the context to be current. */
#define CALL(name, kind)                                                                                               \
    if (fails("cupti" #name)) return (CUptiResult)state.error;                                                         \
    if (p->structSize != kind##_BYTES) return broken("cupti" #name ": structSize");                                    \
    if (p->pPriv) return broken("cupti" #name ": pPriv")
#define CALL_WITH(object, name, kind)                                                                                  \
    CALL(name, kind);                                                                                                  \
    if (!lives(object)) return broken("cupti" #name ": an object that does not live")
#define RULE(holds)                                                                                                    \
    if (!(holds)) return broken(__func__)
#define INSIDE(context)                                                                                                \
    if (state.current && state.current() != (void *)(context)) return broken(__func__)

#define DECLARE(name, kind, last) CUptiResult cupti##name(CUpti_##kind##_Params *p);
LAB_CUPTI_CALLS(DECLARE)
#undef DECLARE
CUptiResult cuptiGetVersion(uint32_t *version);
CUptiResult cuptiGetResultString(CUptiResult result, const char **text);

/* --- not counted: when the library is opened, and where another call has failed ----------------------------------- */

CUptiResult cuptiGetVersion(uint32_t *version)
{
    const char *const told = getenv("FAKE_CUPTI_VERSION");
    *version = told ? (uint32_t)strtoul(told, NULL, 10) : 130001;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiGetResultString(CUptiResult result, const char **text)
{
    static const struct {
        CUptiResult result;
        const char *name;
    } names[] = {
#define NAME(name, value) {name, #name},
        LAB_CUPTI_RESULTS(NAME) LAB_CUPTI_LATER_RESULTS(NAME)
#undef NAME
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].result == result) {
            *text = names[i].name;
            return CUPTI_SUCCESS;
        }
    return CUPTI_ERROR_INVALID_PARAMETER;
}

/* --- the device --------------------------------------------------------------------------------------------------- */

CUptiResult cuptiProfilerInitialize(CUpti_Profiler_Initialize_Params *p)
{
    CALL(ProfilerInitialize, Profiler_Initialize);
    state.live[FAKE_INITIALIZED]++;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerDeInitialize(CUpti_Profiler_DeInitialize_Params *p)
{
    CALL(ProfilerDeInitialize, Profiler_DeInitialize);
    state.live[FAKE_INITIALIZED]--;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerDeviceSupported(CUpti_Profiler_DeviceSupported_Params *p)
{
    int *const levels[] = {&p->architecture, &p->sli, &p->vGpu, &p->confidentialCompute, &p->cmp, &p->wsl};
    CALL(ProfilerDeviceSupported, Profiler_DeviceSupported);
    RULE(p->api == CUPTI_PROFILER_RANGE_PROFILING);
    for (int i = 0; i < 6; i++)
        *levels[i] =
            state.unsupported == i + 1 ? CUPTI_PROFILER_CONFIGURATION_DISABLED : CUPTI_PROFILER_CONFIGURATION_SUPPORTED;
    p->isSupported =
        state.unsupported ? CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED : CUPTI_PROFILER_CONFIGURATION_SUPPORTED;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiDeviceGetChipName(CUpti_Device_GetChipName_Params *p)
{
    CALL(DeviceGetChipName, Device_GetChipName);
    p->pChipName = p->deviceIndex == 1 ? "FK101" : "FK100";
    return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerGetCounterAvailability(CUpti_Profiler_GetCounterAvailability_Params *p)
{
    CALL(ProfilerGetCounterAvailability, Profiler_GetCounterAvailability);
    INSIDE(p->ctx);
    if (!p->pCounterAvailabilityImage) {
        p->counterAvailabilityImageSize = AVAILABLE_BYTES;
        return CUPTI_SUCCESS;
    }
    RULE(p->counterAvailabilityImageSize == AVAILABLE_BYTES);
    memset(p->pCounterAvailabilityImage, 'a', AVAILABLE_BYTES);
    return CUPTI_SUCCESS;
}

/* --- the host's side ---------------------------------------------------------------------------------------------- */

static bool is_filled(const uint8_t *image, size_t bytes, uint8_t with)
{
    for (size_t i = 0; i < bytes; i++)
        if (image[i] != with) return false;
    return true;
}

static bool has(const char *metric)
{
    for (size_t i = 0; i < sizeof state.lacks / sizeof *state.lacks; i++)
        if (state.lacks[i] && strstr(metric, state.lacks[i])) return false;
    return true;
}

CUptiResult cuptiProfilerHostInitialize(CUpti_Profiler_Host_Initialize_Params *p)
{
    CALL(ProfilerHostInitialize, Profiler_Host_Initialize);
    RULE(p->profilerType == CUPTI_PROFILER_TYPE_RANGE_PROFILER && strncmp(p->pChipName, "FK10", 4) == 0);
    RULE(is_filled(p->pCounterAvailabilityImage, AVAILABLE_BYTES, 'a'));
    p->pHostObject = make(sizeof *p->pHostObject);
    state.live[FAKE_HOSTS]++;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostDeinitialize(CUpti_Profiler_Host_Deinitialize_Params *p)
{
    CALL_WITH(p->pHostObject, ProfilerHostDeinitialize, Profiler_Host_Deinitialize);
    unmake(p->pHostObject);
    state.live[FAKE_HOSTS]--;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostConfigAddMetrics(CUpti_Profiler_Host_ConfigAddMetrics_Params *p)
{
    CALL_WITH(p->pHostObject, ProfilerHostConfigAddMetrics, Profiler_Host_ConfigAddMetrics);
    RULE(!p->pHostObject->refused && p->numMetrics > 0);
    for (size_t i = 0; i < p->numMetrics; i++)
        if (!has(p->ppMetricNames[i])) {
            p->pHostObject->refused = true;
            return CUPTI_ERROR_INVALID_PARAMETER;
        }
    p->pHostObject->metrics += p->numMetrics;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostGetConfigImageSize(CUpti_Profiler_Host_GetConfigImageSize_Params *p)
{
    CALL_WITH(p->pHostObject, ProfilerHostGetConfigImageSize, Profiler_Host_GetConfigImageSize);
    RULE(p->pHostObject->metrics > 0);
    p->configImageSize = CONFIG_BYTES;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostGetConfigImage(CUpti_Profiler_Host_GetConfigImage_Params *p)
{
    CALL_WITH(p->pHostObject, ProfilerHostGetConfigImage, Profiler_Host_GetConfigImage);
    RULE(p->configImageSize == CONFIG_BYTES && p->pConfigImage);
    memset(p->pConfigImage, 'c', CONFIG_BYTES);
    return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostGetNumOfPasses(CUpti_Profiler_Host_GetNumOfPasses_Params *p)
{
    CALL(ProfilerHostGetNumOfPasses, Profiler_Host_GetNumOfPasses);
    RULE(p->configImageSize == CONFIG_BYTES && is_filled(p->pConfigImage, CONFIG_BYTES, 'c'));
    p->numOfPasses = state.passes;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostEvaluateToGpuValues(CUpti_Profiler_Host_EvaluateToGpuValues_Params *p)
{
    CALL_WITH(p->pHostObject, ProfilerHostEvaluateToGpuValues, Profiler_Host_EvaluateToGpuValues);
    RULE(p->counterDataImageSize == DATA_BYTES && is_filled(p->pCounterDataImage, DATA_BYTES, 'v'));
    RULE(p->rangeIndex == 0 && p->numMetrics == p->pHostObject->metrics);
    for (size_t i = 0; i < p->numMetrics; i++)
        p->pMetricValues[i] = state.undefined && strstr(p->ppMetricNames[i], state.undefined)
                                  ? (double)NAN
                                  : state.value(p->ppMetricNames[i]);
    return CUPTI_SUCCESS;
}

/* --- the device's side -------------------------------------------------------------------------------------------- */

CUptiResult cuptiRangeProfilerEnable(CUpti_RangeProfiler_Enable_Params *p)
{
    CALL(RangeProfilerEnable, RangeProfiler_Enable);
    INSIDE(p->ctx);
    RULE(state.live[FAKE_INITIALIZED] == 1 && state.live[FAKE_PROFILERS] == 0);
    p->pRangeProfilerObject = make(sizeof *p->pRangeProfilerObject);
    p->pRangeProfilerObject->context = p->ctx;
    state.live[FAKE_PROFILERS]++;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerDisable(CUpti_RangeProfiler_Disable_Params *p)
{
    CUpti_RangeProfiler_Object *const o = p->pRangeProfilerObject;
    CALL_WITH(o, RangeProfilerDisable, RangeProfiler_Disable);
    INSIDE(o->context);
    RULE(!o->started && !o->pushed);
    unmake(o);
    state.live[FAKE_PROFILERS]--;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerGetCounterDataSize(CUpti_RangeProfiler_GetCounterDataSize_Params *p)
{
    CALL_WITH(p->pRangeProfilerObject, RangeProfilerGetCounterDataSize, RangeProfiler_GetCounterDataSize);
    RULE(p->maxNumOfRanges == 1 && p->maxNumRangeTreeNodes >= 1);
    RULE(p->numMetrics > 0 && p->numMetrics <= sizeof state.last / sizeof *state.last);
    state.metrics = p->numMetrics;
    memcpy(state.last, p->pMetricNames, p->numMetrics * sizeof *state.last);
    p->counterDataSize = DATA_BYTES;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerCounterDataImageInitialize(CUpti_RangeProfiler_CounterDataImage_Initialize_Params *p)
{
    CALL_WITH(p->pRangeProfilerObject, RangeProfilerCounterDataImageInitialize,
              RangeProfiler_CounterDataImage_Initialize);
    RULE(p->counterDataSize == DATA_BYTES && p->pCounterData);
    p->pRangeProfilerObject->initialized = p->pCounterData;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerSetConfig(CUpti_RangeProfiler_SetConfig_Params *p)
{
    CALL_WITH(p->pRangeProfilerObject, RangeProfilerSetConfig, RangeProfiler_SetConfig);
    RULE(p->configSize == CONFIG_BYTES && is_filled(p->pConfig, CONFIG_BYTES, 'c'));
    RULE(p->counterDataImageSize == DATA_BYTES && p->pCounterDataImage == p->pRangeProfilerObject->initialized);
    RULE(p->range == CUPTI_UserRange && p->replayMode == CUPTI_UserReplay && p->maxRangesPerPass == 1);
    RULE(p->numNestingLevels == 1 && p->minNestingLevel == 1 && p->passIndex == 0 && p->targetNestingLevel == 1);
    p->pRangeProfilerObject->data = p->pCounterDataImage;
    state.done = 0;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerStart(CUpti_RangeProfiler_Start_Params *p)
{
    CUpti_RangeProfiler_Object *const o = p->pRangeProfilerObject;
    CALL_WITH(o, RangeProfilerStart, RangeProfiler_Start);
    INSIDE(o->context);
    RULE(o->data && !o->started && !o->all);
    o->started = true;
    o->popped = false;
    state.live[FAKE_STARTED]++;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerPushRange(CUpti_RangeProfiler_PushRange_Params *p)
{
    CUpti_RangeProfiler_Object *const o = p->pRangeProfilerObject;
    CALL_WITH(o, RangeProfilerPushRange, RangeProfiler_PushRange);
    INSIDE(o->context);
    RULE(o->started && !o->pushed && !o->popped && p->pRangeName && *p->pRangeName);
    o->pushed = state.measuring = true;
    state.live[FAKE_PUSHED]++;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerPopRange(CUpti_RangeProfiler_PopRange_Params *p)
{
    CUpti_RangeProfiler_Object *const o = p->pRangeProfilerObject;
    CALL_WITH(o, RangeProfilerPopRange, RangeProfiler_PopRange);
    INSIDE(o->context);
    RULE(o->pushed);
    o->pushed = state.measuring = false;
    o->popped = true;
    state.live[FAKE_PUSHED]--;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerStop(CUpti_RangeProfiler_Stop_Params *p)
{
    CUpti_RangeProfiler_Object *const o = p->pRangeProfilerObject;
    CALL_WITH(o, RangeProfilerStop, RangeProfiler_Stop);
    INSIDE(o->context);
    RULE(o->started && !o->pushed);
    o->started = false;
    state.live[FAKE_STARTED]--;
    state.done += o->popped;
    o->all = state.done == (state.needed ? state.needed : state.passes);
    p->isAllPassSubmitted = o->all;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerDecodeData(CUpti_RangeProfiler_DecodeData_Params *p)
{
    CUpti_RangeProfiler_Object *const o = p->pRangeProfilerObject;
    CALL_WITH(o, RangeProfilerDecodeData, RangeProfiler_DecodeData);
    INSIDE(o->context);
    RULE(o->all && !o->started && o->data == o->initialized);
    memset(o->initialized, 'v', DATA_BYTES);
    p->numOfRangeDropped = state.dropped;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerGetCounterDataInfo(CUpti_RangeProfiler_GetCounterDataInfo_Params *p)
{
    CALL(RangeProfilerGetCounterDataInfo, RangeProfiler_GetCounterDataInfo);
    RULE(p->counterDataImageSize == DATA_BYTES && is_filled(p->pCounterDataImage, DATA_BYTES, 'v'));
    p->numTotalRanges = state.ranges;
    return CUPTI_SUCCESS;
}
