/* The lab's counters by CUPTI: no CUPTI; a fake one that keeps the books (fake/cupti.c), whose calls fail in turn, and
 * every allocation; and of the real one, where it is installed, what it does without a device: which metrics there are.
 * The declarations are compared in cupti_layout.cpp, a device's counts in cupti_real.c. */
#include "fake/cupti.h"
#include "lab/counters/cupti.h"
#include "lab/counters/cupti_api.h"
#include "lab/counters/metrics.h"
#include "support/allocations.h"
#include "support/cuda.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WHY = 1024 };

/* --- 1. the books ------------------------------------------------------------------------------------------------- */

static fake_cupti *cupti;

static void *current(void) { return fake->current; }

/* Every metric has a value of its own. */
static double value_of(const char *metric)
{
    for (int i = 0; i < LAB_METRICS; i++)
        if (strcmp(metric, lab_metrics[i].name) == 0) return 1 << i;
    fail_msg("%s is not asked for", metric);
    return 0;
}

static int find_fakes(void **state)
{
    void *const library = dlopen(FAKE_CUPTI, RTLD_NOW | RTLD_LOCAL);
    void *const address = library ? dlsym(library, "fake_cupti_state") : NULL;
    fake_cupti_of *of;
    if (!address) return -1;
    memcpy(&of, &address, sizeof of);
    cupti = of();
    return find_fake(state);
}

static int begin_both(void **state)
{
    cupti->reset();
    cupti->value = value_of;
    cupti->current = current;
    return begin_books(state);
}

static int end_both(void **state)
{
    int left = end_books(state) != 0 || cupti->wrong != NULL;
    if (cupti->wrong) print_error("a rule of CUPTI is broken: %s\n", cupti->wrong);
    for (int kind = 0; kind < FAKE_CUPTI_KINDS; kind++) left += abs(cupti->live[kind]);
    return left ? -1 : 0;
}

#define WITH_BOTH(test) cmocka_unit_test_setup_teardown(test, begin_both, end_both)

/* --- 2. open and count -------------------------------------------------------------------------------------------- */

static int runs, runs_outside;

static void run(void *context)
{
    ++*(int *)context;
    runs++;
    runs_outside += !cupti->measuring;
}

static lab_cupti *open_first(char *why) { return lab_cupti_open(fake->context(0), 0, why, WHY); }

/* What a metric adds to its counter, as it is written in the table. */
static double part_of(const char *name)
{
    for (int i = 0; i < LAB_METRICS; i++)
        if (strcmp(lab_metrics[i].name, name) == 0) return lab_metrics[i].scale * value_of(name);
    fail_msg("%s is not in the table", name);
    return 0;
}

static void sums(const lab_counts *counts, lab_counter counter, const char *first, const char *second)
{
    assert_true(counts->known[counter]);
    assert_true(counts->of[counter] == part_of(first) + (second ? part_of(second) : 0));
}

#define SHARED "l1tex__data_bank_conflicts_pipe_lsu_mem_shared"
#define GLOBAL "_pipe_lsu_mem_global_op_"

static void two_passes(void **state)
{
    char why[WHY] = "";
    lab_counts counts;
    int mine = 0;
    (void)state;
    runs_outside = 0;
    lab_cupti *const c = open_first(why);
    assert_non_null(c);
    assert_string_equal(lab_cupti_version(c), "CUPTI 13.0");
    for (int i = 1; i <= 3; i++) { /* again, and again */
        assert_true(lab_cupti_count(c, run, &mine, &counts, why, sizeof why));
        assert_int_equal(mine, 2 * i);
    }
    assert_int_equal(runs_outside, 0);
    assert_int_equal(cupti->live[FAKE_PROFILERS], 0); /* nothing counts between measurements */
    assert_int_equal(cupti->metrics, 11);
    sums(&counts, LAB_DIVERGENT, "smsp__sass_branch_targets_threads_divergent.sum", NULL);
    sums(&counts, LAB_CONFLICTS, SHARED ".sum", NULL);
    sums(&counts, LAB_ACTIVE_WARPS, "sm__warps_active.sum", NULL);
    sums(&counts, LAB_WARPS, "smsp__warps_launched.sum", NULL);
    sums(&counts, LAB_REQUESTS, "l1tex__t_requests" GLOBAL "ld.sum", "l1tex__t_requests" GLOBAL "st.sum");
    sums(&counts, LAB_SECTORS, "l1tex__t_sectors" GLOBAL "ld.sum", "l1tex__t_sectors" GLOBAL "st.sum");
    sums(&counts, LAB_BYTES, "dram__bytes_read.sum", "dram__bytes_write.sum");
    sums(&counts, LAB_OCCUPANCY, "sm__warps_active.avg.pct_of_peak_sustained_active", NULL);
    lab_cupti_close(c);
    lab_cupti_close(NULL);
    assert_string_equal(why, "");
}

static void as_many_passes_as_are_needed(void **state)
{
    char why[WHY];
    lab_counts counts;
    (void)state;
    lab_cupti *const c = open_first(why);
    for (size_t passes = 1; passes < 8; passes++) {
        int mine = 0;
        cupti->passes = passes;
        assert_true(lab_cupti_count(c, run, &mine, &counts, why, sizeof why));
        assert_int_equal(mine, passes);
    }
    int mine = 0;
    cupti->passes = 3;
    cupti->needed = 5; /* more than announced */
    assert_true(lab_cupti_count(c, run, &mine, &counts, why, sizeof why));
    assert_int_equal(mine, 5);
    cupti->needed = 1000;
    assert_false(lab_cupti_count(c, run, &mine, &counts, why, sizeof why));
    assert_non_null(strstr(why, "announced 3 passes and has not enough after 11; "));
    assert_false(counts.known[LAB_WARPS]);
    lab_cupti_close(c);
}

/* --- 3. devices that lack something ------------------------------------------------------------------------------- */

static lab_counts count_without(const char *first, const char *second)
{
    char why[WHY];
    lab_counts counts;
    int mine = 0;
    cupti->lacks[0] = first;
    cupti->lacks[1] = second;
    lab_cupti *const c = open_first(why);
    assert_non_null(c);
    assert_true(lab_cupti_count(c, run, &mine, &counts, why, sizeof why));
    lab_cupti_close(c);
    return counts;
}

/* unknown: the one counter that is unknown; LAB_COUNTERS: none is. */
static void one_is_unknown(const lab_counts *counts, lab_counter unknown)
{
    for (lab_counter i = 0; i < LAB_COUNTERS; i++) {
        assert_int_equal(counts->known[i], i != unknown);
        assert_int_equal(counts->of[i] == 0, i == unknown);
    }
}

static void lacking_metrics(void **state)
{
    (void)state;
    lab_counts counts = count_without("divergent", NULL);
    one_is_unknown(&counts, LAB_DIVERGENT);
    counts = count_without("mem_shared.sum", "smsp__warps_launched"); /* others stand in */
    one_is_unknown(&counts, LAB_COUNTERS);
    sums(&counts, LAB_CONFLICTS, SHARED "_op_ld.sum", SHARED "_op_st.sum");
    sums(&counts, LAB_WARPS, "sm__warps_launched.sum", NULL);
    counts = count_without("mem_shared.sum", "mem_shared_op_st");
    one_is_unknown(&counts, LAB_CONFLICTS);
    counts = count_without("global_op_st", "nothing"); /* a half is none */
    assert_false(counts.known[LAB_REQUESTS] || counts.known[LAB_SECTORS]);
    assert_true(counts.known[LAB_BYTES]);
    counts = count_without("dram__bytes_read", "dram__bytes_write");
    sums(&counts, LAB_BYTES, "dram__bytes_op_read.sum", "dram__bytes_op_write.sum");
    counts = count_without("dram", "pct_of_peak");
    assert_false(counts.known[LAB_BYTES] || counts.known[LAB_OCCUPANCY]);
    sums(&counts, LAB_ACTIVE_WARPS, "sm__warps_active.sum", NULL);
}

static void no_numbers(void **state)
{
    (void)state;
    cupti->undefined = "t_sectors_pipe_lsu_mem_global_op_ld";
    const lab_counts counts = count_without(NULL, NULL);
    one_is_unknown(&counts, LAB_SECTORS);
}

static void no_metrics(void **state)
{
    char why[WHY];
    (void)state;
    cupti->lacks[0] = "_";
    assert_null(lab_cupti_open(fake->context(1), 1, why, sizeof why));
    assert_non_null(strstr(why, "FK101 has none of the counters"));
    assert_non_null(strstr(why, "cuptiProfilerHostConfigAddMetrics failed"));
}

static void unsupported_devices(void **state)
{
    static const char *const words[] = {"7.5 or later",          "SLI", "hypervisor", "confidentially", "mining", "WSL",
                                        "CUPTI does not say why"};
    (void)state;
    for (int i = 0; i < 7; i++) {
        char why[WHY];
        cupti->unsupported = i + 1;
        assert_null(open_first(why));
        if (!strstr(why, words[i])) fail_msg("%s: %s", words[i], why);
    }
}

static void odd_ranges(void **state)
{
    static const struct {
        size_t ranges, dropped;
    } odd[] = {{0, 0}, {2, 0}, {1, 1}};
    char why[WHY];
    lab_counts counts;
    int mine = 0;
    (void)state;
    lab_cupti *const c = open_first(why);
    for (size_t i = 0; i < 3; i++) {
        cupti->ranges = odd[i].ranges;
        cupti->dropped = odd[i].dropped;
        assert_false(lab_cupti_count(c, run, &mine, &counts, why, sizeof why));
        assert_non_null(strstr(why, "where 1 was asked for; "));
        assert_int_equal(cupti->live[FAKE_PROFILERS], 0);
    }
    lab_cupti_close(c);
}

/* --- 4. every call fails in turn ---------------------------------------------------------------------------------- */

static int calls_of_open;

/* Opens, counts and closes.  Returns whether all went well, and if not, why. */
static bool use(lab_counts *counts, char *why)
{
    int mine = 0;
    lab_cupti *const c = open_first(why);
    if (c) calls_of_open = cupti->calls;
    const bool good = c && lab_cupti_count(c, run, &mine, counts, why, WHY);
    lab_cupti_close(c);
    return good;
}

/* A call that frees something: if it fails, CUPTI keeps the object. */
static bool may_leave(const char *name)
{
    static const char *const parts[] = {"Deinitialize", "DeInitialize", "Disable", "PopRange", "Stop"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strstr(name, parts[i])) return true;
    return false;
}

/* Such a call may also fail without any effect for the caller. */
static bool may_fail(const char *name)
{
    return strcmp(name, "cuptiProfilerHostDeinitialize") == 0 || strcmp(name, "cuptiProfilerDeInitialize") == 0;
}

/* A metric that is refused at first is missing on the device: its counter is unknown, or another metric is used. */
static bool is_question(const char *name, int which)
{
    return strcmp(name, "cuptiProfilerHostConfigAddMetrics") == 0 && which <= calls_of_open;
}

static void one_failure(int which, int error)
{
    char why[WHY] = "";
    lab_counts counts;
    begin_both(NULL);
    cupti->failing = which;
    cupti->error = error;
    const bool good = use(&counts, why);
    assert_non_null(cupti->failed);
    if (may_fail(cupti->failed) || is_question(cupti->failed, which))
        assert_true(good);
    else if (good)
        fail_msg("%s fails, and nobody says so", cupti->failed);
    else {
        if (!strstr(why, cupti->failed) || !strstr(why, "; ")) fail_msg("%s: %s", cupti->failed, why);
        assert_false(error == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES &&
                     !strstr(why, "NVreg_RestrictProfilingToAdminUsers=0"));
        assert_false(error == 12345 && !strstr(why, "error 12345"));
    }
    if (may_leave(cupti->failed))
        begin_both(NULL); /* this frees it */
    else if (end_both(NULL) != 0)
        fail_msg("something is left over after %s, call %d", cupti->failed, which);
}

static void every_call(void **state)
{
    static const int errors[] = {CUPTI_ERROR_UNKNOWN, CUPTI_ERROR_INSUFFICIENT_PRIVILEGES, CUPTI_ERROR_OUT_OF_MEMORY,
                                 12345};
    char why[WHY];
    lab_counts counts;
    (void)state;
    assert_true(use(&counts, why));
    const int calls = cupti->calls;
    assert_true(calls > 70);
    for (int which = 1; which <= calls; which++)
        for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) one_failure(which, errors[i]);
    begin_both(NULL);
}

static void every_call_of_the_driver(void **state)
{
    char why[WHY];
    lab_counts counts;
    (void)state;
    const int before = fake->calls;
    assert_true(use(&counts, why));
    const int calls = fake->calls - before;
    for (int which = 1; which <= calls; which++) {
        begin_both(NULL);
        fake->failing = which;
        fake->error = CUDA_ERROR_CONTEXT_IS_DESTROYED;
        assert_false(use(&counts, why));
        assert_non_null(fake->failed);
        assert_non_null(strstr(why, fake->failed));
        assert_non_null(strstr(why, "close the device and open it again"));
        for (int kind = 0; kind < FAKE_CUPTI_KINDS; kind++) assert_int_equal(cupti->live[kind], 0);
        if (!strstr(fake->failed, "Pop")) assert_int_equal(end_both(NULL), 0);
    }
    begin_both(NULL);
}

static void every_allocation(void **state)
{
    (void)state;
    for (int which = 1;; which++) {
        char why[WHY] = "";
        lab_counts counts;
        begin_both(NULL);
        failing_allocation = which;
        const bool good = use(&counts, why);
        const bool reached_it = failing_allocation == 0;
        failing_allocation = 0;
        assert_int_equal(end_both(NULL), 0);
        if (!reached_it) {
            assert_true(good);
            break;
        }
        assert_false(good);
        assert_non_null(strstr(why, "free some"));
        assert_true(which < 50);
    }
    assert_true(allocations >= 5);
}

/* --- 5. no CUPTI, and others -------------------------------------------------------------------------------------- */

static void there_is_none(void **state)
{
    char why[WHY] = "", little[8];
    (void)state;
    assert_null(lab_cupti_open(NULL, 0, why, sizeof why));
    if (!strstr(why, this_part->reason)) fail_msg("%s", why);
    assert_null(lab_cupti_open(NULL, 0, little, sizeof little)); /* cut */
    assert_int_equal(strlen(little), sizeof little - 1);
}

static void versions(void **state)
{
    char why[WHY];
    (void)state;
    lab_cupti *const c = open_first(why);
    assert_non_null(c);
    assert_string_equal(lab_cupti_version(c), this_part->reason);
    lab_cupti_close(c);
}

/* --- 6. the real one's half that needs no device ------------------------------------------------------------------ */

static const char *name_of(const lab_cupti_calls *real, CUptiResult result)
{
    const char *name = "?";
    real->GetResultString(result, &name);
    return name;
}

static size_t passes_of(const lab_cupti_calls *real, CUpti_Profiler_Host_Object *host)
{
    CUpti_Profiler_Host_GetConfigImageSize_Params size = {Profiler_Host_GetConfigImageSize_BYTES, .pHostObject = host};
    assert_int_equal(real->ProfilerHostGetConfigImageSize(&size), CUPTI_SUCCESS);
    uint8_t *const config = calloc(size.configImageSize, 1);
    CUpti_Profiler_Host_GetConfigImage_Params image = {Profiler_Host_GetConfigImage_BYTES, .pHostObject = host,
                                                       .configImageSize = size.configImageSize, .pConfigImage = config};
    CUpti_Profiler_Host_GetNumOfPasses_Params passes = {
        Profiler_Host_GetNumOfPasses_BYTES, .configImageSize = size.configImageSize, .pConfigImage = config};
    assert_int_equal(real->ProfilerHostGetConfigImage(&image), CUPTI_SUCCESS);
    assert_int_equal(real->ProfilerHostGetNumOfPasses(&passes), CUPTI_SUCCESS);
    free(config);
    return passes.numOfPasses;
}

static bool real_has(const lab_cupti_calls *real, const char *chip, const char **metrics, size_t count, size_t *passes)
{
    CUpti_Profiler_Host_Initialize_Params begin = {
        Profiler_Host_Initialize_BYTES, .profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER, .pChipName = chip};
    assert_int_equal(real->ProfilerHostInitialize(&begin), CUPTI_SUCCESS);
    CUpti_Profiler_Host_ConfigAddMetrics_Params add = {Profiler_Host_ConfigAddMetrics_BYTES,
                                                       .pHostObject = begin.pHostObject, .ppMetricNames = metrics,
                                                       .numMetrics = count};
    const CUptiResult result = real->ProfilerHostConfigAddMetrics(&add);
    if (result != CUPTI_SUCCESS) print_message("%s: %s: %s\n", chip, *metrics, name_of(real, result));
    if (passes && result == CUPTI_SUCCESS) *passes = passes_of(real, begin.pHostObject);
    CUpti_Profiler_Host_Deinitialize_Params end = {Profiler_Host_Deinitialize_BYTES, .pHostObject = begin.pHostObject};
    assert_int_equal(real->ProfilerHostDeinitialize(&end), CUPTI_SUCCESS);
    return result == CUPTI_SUCCESS;
}

/* All that we ask for by its first name, at once. */
static size_t first_choices(const char **names)
{
    size_t count = 0;
    for (int i = 0; i < LAB_METRICS; i++)
        if (lab_metrics[i].choice == 0) names[count++] = lab_metrics[i].name;
    return count;
}

static void real_metrics(void **state)
{
    static const char *const chips[] = {"TU102", "GA100", "GA102", "GH100", "AD102"};
    const char *version, *why, *names[LAB_METRICS], *absent = "sm__no_such_metric.sum";
    (void)state;
    if (SANITIZED) {
        print_message("CUPTI opens libraries of its own as a sanitizer does not allow (RTLD_DEEPBIND)\n");
        skip();
    }
    const lab_cupti_calls *const real = lab_cupti_library(&version, &why);
    if (!real) {
        print_message("no CUPTI: %s\n", why);
        skip();
    }
    const size_t count = first_choices(names);
    for (size_t i = 0; i < sizeof chips / sizeof *chips; i++) {
        size_t passes = 0;
        assert_true(real_has(real, chips[i], names, count, &passes));
        print_message("%s: %s: %zu metrics in %zu passes\n", version, chips[i], count, passes);
        assert_true(passes >= 1 && passes <= count);
        assert_false(real_has(real, chips[i], &absent, 1, NULL));
    }
}

/* --- 7. the parts ------------------------------------------------------------------------------------------------- */

static int run_absent(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(there_is_none)};
    return cmocka_run_group_tests_name("without CUPTI", tests, NULL, NULL);
}

static int run_version(const char *version)
{
    const struct CMUnitTest tests[] = {WITH_BOTH(versions)};
    setenv("FAKE_CUPTI_VERSION", version, 1);
    return cmocka_run_group_tests_name("another version of CUPTI", tests, find_fakes, NULL);
}

static int run_older(void) { return run_version("26"); }
static int run_later(void) { return run_version("130201"); }
static int run_unknown(void) { return run_version("99"); }

static int run_fake(void)
{
    const struct CMUnitTest tests[] = {WITH_BOTH(two_passes),
                                       WITH_BOTH(as_many_passes_as_are_needed),
                                       WITH_BOTH(lacking_metrics),
                                       WITH_BOTH(no_numbers),
                                       WITH_BOTH(no_metrics),
                                       WITH_BOTH(unsupported_devices),
                                       WITH_BOTH(odd_ranges),
                                       WITH_BOTH(every_call),
                                       WITH_BOTH(every_call_of_the_driver),
                                       WITH_BOTH(every_allocation)};
    return cmocka_run_group_tests_name("a fake CUPTI", tests, find_fakes, NULL);
}

static int run_real(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(real_metrics)};
    return cmocka_run_group_tests_name("the real CUPTI, without a device", tests, NULL, NULL);
}

int main(void)
{
    static const char library[] = "OPLUS_CUPTI_LIBRARY";
    const part parts[] = {
        {"/nowhere/libcuda.so", NULL, library, FAKE_CUPTI, "OPLUS_CUDA_LIBRARY", run_absent},
        {FAKE_CUDA, NULL, library, "/nowhere/libcupti.so", "OPLUS_CUPTI_LIBRARY, \"/nowhere/libcupti.so\"", run_absent},
        {FAKE_CUDA, NULL, library, "libm.so.6", "lacks cuptiProfilerInitialize; install", run_absent},
        {FAKE_CUDA, NULL, library, FAKE_CUPTI, "CUPTI 12.8", run_older},
        {FAKE_CUDA, NULL, library, FAKE_CUPTI, "CUPTI 13.2", run_later},
        {FAKE_CUDA, NULL, library, FAKE_CUPTI, "CUPTI, version 99", run_unknown},
        {FAKE_CUDA, NULL, library, FAKE_CUPTI, NULL, run_fake},
        {FAKE_CUDA, NULL, NULL, NULL, NULL, run_real},
    };
    return run_parts(parts, sizeof parts / sizeof *parts);
}
