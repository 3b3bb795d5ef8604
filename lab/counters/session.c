#include "lab/counters/session.h"

#include "driver/cuda/cuda.h"
#include "lab/counters/cupti_api.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* CUPTI may ask for passes that it did not announce, but only a limited number is made. */
enum { CHIP_BYTES = 32, WORDS_BYTES = 640, SPARE_PASSES = 8 };

#define NO_MEMORY "no memory (%zu bytes) for counters; free some"

struct lab_session {
    const lab_cupti_calls *cupti;
    const opi_cuda_calls *cu;
    const char *version;
    CUcontext context;
    bool initialized;
    char chip[CHIP_BYTES];
    uint8_t *available; /* which counters this very device has, as CUPTI writes it */
    /* State of the current call: its first failure counts; failures during the cleanup do not. */
    bool failed;
    char *why;
    size_t why_bytes;
};

const char *lab_session_version(const lab_session *session) { return session->version; }
const char *lab_session_chip(const lab_session *session) { return session->chip; }

/* --- 1. what CUPTI and the driver answer -------------------------------------------------------------------------- */

static void begin(lab_session *s, char *why, size_t why_bytes)
{
    s->failed = false;
    s->why = why;
    s->why_bytes = why_bytes;
}

static bool fail(lab_session *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool fail(lab_session *s, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (!s->failed) vsnprintf(s->why, s->why_bytes, format, arguments);
    va_end(arguments);
    s->failed = true;
    return false;
}

static bool answered(lab_session *s, const char *call, CUptiResult result)
{
    char words[WORDS_BYTES];
    if (result == CUPTI_SUCCESS) return true;
    lab_cupti_words(s->cupti, call, result, words, sizeof words);
    return fail(s, "%s", words);
}

/* What a call is given: PARAMS(p, RangeProfiler_Enable, .ctx = c); and the call: TRY(s, RangeProfilerEnable, &p). */
#define PARAMS(p, kind, ...) CUpti_##kind##_Params p = {.structSize = kind##_BYTES, __VA_ARGS__}
#define TRY(s, name, p)      answered(s, "cupti" #name, (s)->cupti->name(p))
/* A call without results: TELL(s, RangeProfilerStart, RangeProfiler_Start, .pRangeProfilerObject = o). */
#define TELL(s, name, kind, ...) TRY(s, name, (&(CUpti_##kind##_Params){.structSize = kind##_BYTES, __VA_ARGS__}))

static bool driver_answered(lab_session *s, const char *call, CUresult result)
{
    char words[WORDS_BYTES];
    if (result == CUDA_SUCCESS) return true;
    opi_cuda_words(s->cu, call, result, "", words, sizeof words);
    return fail(s, "%s", words);
}

static uint8_t *allocate(lab_session *s, size_t bytes)
{
    uint8_t *const memory = calloc(bytes ? bytes : 1, 1);
    if (!memory) fail(s, NO_MEMORY, bytes);
    return memory;
}

/* Some calls need the context to be the thread's current one; for the others it does no harm. */
static bool enter(lab_session *s) { return driver_answered(s, "cuCtxPushCurrent", s->cu->CtxPushCurrent(s->context)); }

static void leave(lab_session *s)
{
    CUcontext ours;
    driver_answered(s, "cuCtxPopCurrent", s->cu->CtxPopCurrent(&ours));
}

/* --- 2. the device ------------------------------------------------------------------------------------------------ */

static bool is_supported(lab_session *s, CUdevice device)
{
    PARAMS(p, Profiler_DeviceSupported, .cuDevice = device, .api = CUPTI_PROFILER_RANGE_PROFILING);
    if (!TRY(s, ProfilerDeviceSupported, &p)) return false;
    const struct {
        int level;
        const char *means;
    } features[] = {{p.architecture, "it is too old: use one of compute capability 7.5 or later"},
                    {p.sli, "devices are joined by SLI: switch that off"},
                    {p.vGpu, "it is a virtual device: have the hypervisor's administrator allow profiling"},
                    {p.confidentialCompute, "it computes confidentially: switch that off"},
                    {p.cmp, "it is a device for mining: use another"},
                    {p.wsl, "WSL does not allow it: use Linux itself, or a later driver of Windows"},
                    {p.isSupported, "CUPTI does not say why: install a later CUPTI and driver"}};
    for (size_t i = 0; p.isSupported != CUPTI_PROFILER_CONFIGURATION_SUPPORTED; i++)
        if (features[i].level != CUPTI_PROFILER_CONFIGURATION_SUPPORTED)
            return fail(s, "the counters of this device cannot be read; %s", features[i].means);
    return true;
}

static bool learn_chip(lab_session *s, int ordinal)
{
    PARAMS(p, Device_GetChipName, .deviceIndex = (size_t)ordinal);
    if (!TRY(s, DeviceGetChipName, &p)) return false;
    snprintf(s->chip, sizeof s->chip, "%s", p.pChipName ? p.pChipName : "");
    return true;
}

static bool learn_counters(lab_session *s)
{
    PARAMS(p, Profiler_GetCounterAvailability, .ctx = s->context);
    if (!TRY(s, ProfilerGetCounterAvailability, &p)) return false;
    p.pCounterAvailabilityImage = s->available = allocate(s, p.counterAvailabilityImageSize);
    return s->available && TRY(s, ProfilerGetCounterAvailability, &p);
}

/* --- 3. the session ----------------------------------------------------------------------------------------------- */

static bool enable(lab_session *s, CUpti_RangeProfiler_Object **profiler)
{
    PARAMS(p, RangeProfiler_Enable, .ctx = s->context);
    if (!TRY(s, RangeProfilerEnable, &p)) return false;
    *profiler = p.pRangeProfilerObject;
    return true;
}

static bool disable(lab_session *s, CUpti_RangeProfiler_Object *profiler)
{
    return TELL(s, RangeProfilerDisable, RangeProfiler_Disable, .pRangeProfilerObject = profiler);
}

/* Tries to count here, because it may be forbidden. */
static bool set_up(lab_session *s, int ordinal)
{
    CUpti_RangeProfiler_Object *profiler;
    CUdevice device;
    s->initialized = TELL(s, ProfilerInitialize, Profiler_Initialize, );
    return s->initialized && driver_answered(s, "cuCtxGetDevice", s->cu->CtxGetDevice(&device)) &&
           is_supported(s, device) && learn_chip(s, ordinal) && learn_counters(s) && enable(s, &profiler) &&
           disable(s, profiler);
}

lab_session *lab_session_open(void *context, int ordinal, char *why, size_t why_bytes)
{
    const char *version, *reason;
    const opi_cuda_calls *const cu = opi_cuda_open(&reason);
    const lab_cupti_calls *const cupti = cu ? lab_cupti_library(&version, &reason) : NULL;
    lab_session *const s = cupti ? calloc(1, sizeof *s) : NULL;
    if (!cupti)
        snprintf(why, why_bytes, "%s", reason);
    else if (!s)
        snprintf(why, why_bytes, NO_MEMORY, sizeof *s);
    if (!s) return NULL;
    *s = (lab_session){.cupti = cupti, .cu = cu, .version = version, .context = context};
    begin(s, why, why_bytes);
    if (enter(s)) {
        set_up(s, ordinal);
        leave(s);
    }
    if (!s->failed) return s;
    lab_session_close(s);
    return NULL;
}

void lab_session_close(lab_session *session)
{
    PARAMS(p, Profiler_DeInitialize, );
    if (!session) return;
    if (session->initialized) session->cupti->ProfilerDeInitialize(&p); /* nothing depends on its success */
    free(session->available);
    free(session);
}

/* --- 4. the host's side: what has to be counted ------------------------------------------------------------------- */

static bool begin_host(lab_session *s, CUpti_Profiler_Host_Object **host)
{
    PARAMS(p, Profiler_Host_Initialize, .profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER, .pChipName = s->chip,
           .pCounterAvailabilityImage = s->available);
    if (!TRY(s, ProfilerHostInitialize, &p)) return false;
    *host = p.pHostObject;
    return true;
}

static void end_host(const lab_session *s, CUpti_Profiler_Host_Object *host)
{
    PARAMS(p, Profiler_Host_Deinitialize, .pHostObject = host);
    if (host) s->cupti->ProfilerHostDeinitialize(&p); /* nothing depends on its success */
}

static bool add_metrics(lab_session *s, CUpti_Profiler_Host_Object *host, const char **metrics, size_t count)
{
    return TELL(s, ProfilerHostConfigAddMetrics, Profiler_Host_ConfigAddMetrics, .pHostObject = host,
                .ppMetricNames = metrics, .numMetrics = count);
}

/* A host object that has refused one metric is not asked for others. */
bool lab_session_has(lab_session *session, const char *metric, bool *has, char *why, size_t why_bytes)
{
    CUpti_Profiler_Host_Object *host;
    begin(session, why, why_bytes);
    *has = false;
    if (!begin_host(session, &host)) return false;
    *has = add_metrics(session, host, &metric, 1);
    end_host(session, host);
    return true;
}

/* --- 5. one measurement ------------------------------------------------------------------------------------------- */

typedef struct measurement {
    lab_session *s;
    const char **metrics;
    size_t count;
    void (*run)(void *context);
    void *context;
    CUpti_Profiler_Host_Object *host;
    CUpti_RangeProfiler_Object *profiler;
    bool started;
    uint8_t *config, *data;
    size_t config_bytes, data_bytes, passes;
} measurement;

static bool make_config(measurement *m)
{
    PARAMS(size, Profiler_Host_GetConfigImageSize, .pHostObject = m->host);
    if (!TRY(m->s, ProfilerHostGetConfigImageSize, &size)) return false;
    m->config_bytes = size.configImageSize;
    m->config = allocate(m->s, m->config_bytes);
    PARAMS(passes, Profiler_Host_GetNumOfPasses, .configImageSize = m->config_bytes, .pConfigImage = m->config);
    if (!m->config ||
        !TELL(m->s, ProfilerHostGetConfigImage, Profiler_Host_GetConfigImage, .pHostObject = m->host,
              .configImageSize = m->config_bytes, .pConfigImage = m->config) ||
        !TRY(m->s, ProfilerHostGetNumOfPasses, &passes))
        return false;
    m->passes = passes.numOfPasses;
    return true;
}

static bool make_data(measurement *m)
{
    PARAMS(size, RangeProfiler_GetCounterDataSize, .pRangeProfilerObject = m->profiler, .pMetricNames = m->metrics,
           .numMetrics = m->count, .maxNumOfRanges = 1, .maxNumRangeTreeNodes = 1);
    if (!TRY(m->s, RangeProfilerGetCounterDataSize, &size)) return false;
    m->data_bytes = size.counterDataSize;
    m->data = allocate(m->s, m->data_bytes);
    return m->data &&
           TELL(m->s, RangeProfilerCounterDataImageInitialize, RangeProfiler_CounterDataImage_Initialize,
                .pRangeProfilerObject = m->profiler, .counterDataSize = m->data_bytes, .pCounterData = m->data);
}

/* One range, which we push and pop, and which we run again for each pass. */
static bool set_config(const measurement *m)
{
    return TELL(m->s, RangeProfilerSetConfig, RangeProfiler_SetConfig, .pRangeProfilerObject = m->profiler,
                .configSize = m->config_bytes, .pConfig = m->config, .counterDataImageSize = m->data_bytes,
                .pCounterDataImage = m->data, .range = CUPTI_UserRange, .replayMode = CUPTI_UserReplay,
                .maxRangesPerPass = 1, .numNestingLevels = 1, .minNestingLevel = 1, .targetNestingLevel = 1);
}

static bool stop(measurement *m, bool *all)
{
    PARAMS(p, RangeProfiler_Stop, .pRangeProfilerObject = m->profiler);
    m->started = false;
    if (!TRY(m->s, RangeProfilerStop, &p)) return false;
    *all = p.isAllPassSubmitted;
    return true;
}

static bool one_pass(measurement *m, bool *all)
{
    m->started = TELL(m->s, RangeProfilerStart, RangeProfiler_Start, .pRangeProfilerObject = m->profiler);
    if (!m->started || !TELL(m->s, RangeProfilerPushRange, RangeProfiler_PushRange, .pRangeProfilerObject = m->profiler,
                             .pRangeName = "run"))
        return false;
    m->run(m->context);
    return TELL(m->s, RangeProfilerPopRange, RangeProfiler_PopRange, .pRangeProfilerObject = m->profiler) &&
           stop(m, all);
}

static bool all_passes(measurement *m)
{
    bool all = false;
    for (size_t pass = 0; !all; pass++) {
        if (pass == m->passes + SPARE_PASSES)
            return fail(m->s,
                        "CUPTI announced %zu passes and has not enough after %zu; use another CUPTI "
                        "(OPLUS_CUPTI_LIBRARY can name it)",
                        m->passes, pass);
        if (!one_pass(m, &all)) return false;
    }
    return true;
}

static bool decode(const measurement *m)
{
    PARAMS(p, RangeProfiler_DecodeData, .pRangeProfilerObject = m->profiler);
    PARAMS(info, RangeProfiler_GetCounterDataInfo, .pCounterDataImage = m->data, .counterDataImageSize = m->data_bytes);
    if (!TRY(m->s, RangeProfilerDecodeData, &p) || !TRY(m->s, RangeProfilerGetCounterDataInfo, &info)) return false;
    if (info.numTotalRanges == 1 && p.numOfRangeDropped == 0) return true;
    return fail(
        m->s, "CUPTI counted over %zu ranges, and lost %zu, where 1 was asked for; end other profilers of this device",
        info.numTotalRanges, p.numOfRangeDropped);
}

/* Whatever has happened, the device counts nothing after this. */
static void count_in_context(measurement *m)
{
    bool all;
    if (!enable(m->s, &m->profiler)) return;
    if (make_data(m) && set_config(m) && all_passes(m)) decode(m);
    if (m->started) stop(m, &all);
    disable(m->s, m->profiler);
}

static void measure(measurement *m, double *values)
{
    if (!begin_host(m->s, &m->host) || !add_metrics(m->s, m->host, m->metrics, m->count) || !make_config(m)) return;
    if (!enter(m->s)) return;
    count_in_context(m);
    leave(m->s);
    if (!m->s->failed)
        TELL(m->s, ProfilerHostEvaluateToGpuValues, Profiler_Host_EvaluateToGpuValues, .pHostObject = m->host,
             .pCounterDataImage = m->data, .counterDataImageSize = m->data_bytes, .ppMetricNames = m->metrics,
             .numMetrics = m->count, .pMetricValues = values);
}

bool lab_session_measure(lab_session *session, const char **metrics, size_t count, void (*run)(void *context),
                         void *context, double *values, char *why, size_t why_bytes)
{
    measurement m = {.s = session, .metrics = metrics, .count = count, .run = run, .context = context};
    begin(session, why, why_bytes);
    measure(&m, values);
    end_host(session, m.host);
    free(m.config);
    free(m.data);
    return !session->failed;
}
