/* The lab's counters on a real device: kernels whose counts are known, and everything that CUPTI says of them, printed.
 * Skipped if there is no device, no NVRTC or no CUPTI, or if its counters are closed; the output says which. */
#include "driver/cuda/cuda.h"
#include "lab/counters/cupti.h"
#include "lab/counters/metrics.h"
#include "lab/counters/session.h"
#include "support/launch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { SKIPPED = 77, WHY = 1024, ITEMS = 128, GROUPS = 64, MANY_GROUPS = 1 << 19, CASES = 5, TIMES = 9, EXTRA = 16 };

/* --- 1. kernels --------------------------------------------------------------------------------------------------- */

static const char text[] =
    "#define PARAM(name) unsigned char *name##_memory, unsigned long name##_at\n"
    "#define AT(name) ((int *)(name##_memory + name##_at))\n"
    "#define KERNEL(name) extern \"C\" __global__ void name(PARAM(in), PARAM(out))\n"
    "KERNEL(copied) { unsigned i = blockIdx.x * blockDim.x + threadIdx.x; AT(out)[i] = AT(in)[i] + 1; }\n"
    /* Words 2 t of shared memory: two lanes of a warp in each bank that is used, at a store and at a load. */
    "KERNEL(crowded) { __shared__ volatile int s[256]; unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;\n"
    "  s[2 * t] = AT(in)[i]; __syncthreads(); AT(out)[i] = s[2 * (t ^ 1)]; }\n"
    /* Each lane leaves the loop at another time. */
    "KERNEL(parted) { unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t; int x = AT(in)[i];\n"
    "  #pragma unroll 1\n"
    "  for (unsigned k = 0; k < (t & 31); k++) x = x * 3 + (x >> 5);\n"
    "  AT(out)[i] = x; }\n";

enum { COPIED, CROWDED, PARTED, KERNELS };
static const char *const kernel_names[KERNELS] = {"copied", "crowded", "parted"};

/* What the kernels run with. */
typedef struct setting {
    opi_gpu *gpu;
    void *in, *out, *program, *kernel[KERNELS];
    int failures;
} setting;

/* What is run, and what must come out. */
typedef struct kernels_case {
    const char *name;
    int first, last; /* kernels */
    uint64_t groups;
    double conflicts, divergent; /* in each warp; divergent: about */
} kernels_case;

static const kernels_case cases[CASES] = {{"copied: coalesced", COPIED, COPIED, GROUPS, 0, 0},
                                          {"crowded: shared memory with stride 2", CROWDED, CROWDED, GROUPS, 2, 0},
                                          {"parted: 31 branches that part a warp", PARTED, PARTED, GROUPS, 0, 31},
                                          {"all three, one after another", COPIED, PARTED, GROUPS, 2, 31},
                                          {"copied, 256 MiB to 256 MiB", COPIED, COPIED, MANY_GROUPS, 0, 0}};

typedef struct running {
    setting *s;
    const kernels_case *c;
    int times; /* how often it has been run */
} running;

/* --- 2. running them ---------------------------------------------------------------------------------------------- */

static bool good(setting *s, const char *what, oplus_status status)
{
    if (status == OPLUS_OK) return true;
    printf("FAILED: %s: %s\n", what, oplus_last_error());
    s->failures++;
    return false;
}

static void run(void *context)
{
    running *const r = context;
    const opi_gpu_argument argument[] = {opi_memory(r->s->in), opi_memory(r->s->out)};
    for (int k = r->c->first; k <= r->c->last; k++)
        good(r->s, "launch", launch_plain(r->s->gpu, r->s->kernel[k], r->c->groups, ITEMS, argument, 2));
    good(r->s, "sync", opi_cuda.sync(r->s->gpu, "test", OPI_QUEUE_COMPUTE));
    r->times++;
}

static double milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Whether times change because counters are open, or have been. */
static void time_copy(setting *s, const char *when)
{
    running r = {s, &cases[CASES - 1], 0}, small = {s, &cases[0], 0};
    double ms[TIMES], little[TIMES];
    run(&r);
    for (int i = 0; i < TIMES; i++) {
        const double first = milliseconds();
        run(&r);
        const double middle = milliseconds();
        run(&small);
        ms[i] = middle - first;
        little[i] = milliseconds() - middle;
    }
    qsort(ms, TIMES, sizeof *ms, by_size);
    qsort(little, TIMES, sizeof *little, by_size);
    printf("%s: 512 MiB moved in %.4f ms (median of %d; %.4f to %.4f), 64 KiB in %.4f ms\n", when, ms[TIMES / 2], TIMES,
           ms[0], ms[TIMES - 1], little[TIMES / 2]);
}

static bool set_up(setting *s)
{
    const size_t bytes = (size_t)MANY_GROUPS * ITEMS * sizeof(int);
    if (!good(s, "open", opi_cuda.open("test", ":0", NULL, &s->gpu))) return false;
    printf("%s: %s, %s, sm_%u, %u multiprocessors\n", s->gpu->facts.where, s->gpu->facts.name, s->gpu->facts.driver,
           s->gpu->facts.architecture, s->gpu->facts.units);
    if (!good(s, "alloc", opi_cuda.alloc(s->gpu, "test", bytes, &s->in)) ||
        !good(s, "alloc", opi_cuda.alloc(s->gpu, "test", bytes, &s->out)) ||
        !good(s, "compile", opi_cuda.compile(s->gpu, "test", "kernels", text, &s->program)))
        return false;
    for (int k = 0; k < KERNELS; k++)
        if (!good(s, "kernel", opi_cuda.kernel(s->gpu, "test", s->program, kernel_names[k], &s->kernel[k])))
            return false;
    return true;
}

static void give_back(setting *s)
{
    if (!s->gpu) return;
    if (s->program) opi_cuda.unload(s->gpu, s->program);
    opi_cuda.free(s->gpu, s->in);
    opi_cuda.free(s->gpu, s->out);
    opi_cuda.close(s->gpu);
}

/* --- 3. counters -------------------------------------------------------------------------------------------------- */

static const char *const counter_names[LAB_COUNTERS] = {"divergent", "conflicts", "active warps", "warps",
                                                        "requests",  "sectors",   "bytes",        "occupancy"};

static void expect(setting *s, const lab_counts *counts, lab_counter which, double least, double most)
{
    const double value = counts->of[which];
    const bool right = counts->known[which] && value >= least && value <= most;
    printf("  %-12s %20.6g  %s", counter_names[which], value,
           !counts->known[which] ? "UNKNOWN"
           : right               ? "as it has to be"
                                 : "WRONG");
    if (least == most)
        printf(" (%.0f)\n", least);
    else
        printf(" (%g to %g)\n", least, most);
    s->failures += !right;
}

static void check(setting *s, const kernels_case *c, const lab_counts *counts)
{
    const double kernels = c->last - c->first + 1, warps = (double)c->groups * ITEMS / 32,
                 moved = 2.0 * (double)c->groups * ITEMS * sizeof(int);
    const bool many = c->groups == MANY_GROUPS;
    expect(s, counts, LAB_WARPS, kernels * warps, kernels * warps);
    expect(s, counts, LAB_REQUESTS, kernels * 2 * warps, kernels * 2 * warps);
    expect(s, counts, LAB_SECTORS, kernels * 8 * warps, kernels * 8 * warps);
    expect(s, counts, LAB_CONFLICTS, c->conflicts * warps, c->conflicts * warps);
    expect(s, counts, LAB_DIVERGENT, c->divergent > 0 ? 1 : 0, c->divergent > 0 ? 2 * c->divergent * warps : 0);
    expect(s, counts, LAB_ACTIVE_WARPS, 1, INFINITY);
    expect(s, counts, LAB_OCCUPANCY, many ? 0.3 : 0.001, 1.001);
    expect(s, counts, LAB_BYTES, many ? 0.8 * moved : 0, many ? 1.25 * moved : INFINITY);
}

static void count_case(setting *s, lab_cupti *cupti, const kernels_case *c)
{
    running r = {s, c, 0};
    lab_counts counts;
    char why[WHY] = "";
    const double first = milliseconds();
    const bool counted = lab_cupti_count(cupti, run, &r, &counts, why, sizeof why);
    printf("\n%s: run %d times, %.1f ms\n", c->name, r.times, milliseconds() - first);
    if (counted)
        check(s, c, &counts);
    else {
        printf("  FAILED: %s\n", why);
        s->failures++;
    }
}

/* --- 4. each metric ----------------------------------------------------------------------------------------------- */

/* Counters that may explain the others. */
static const char *const extra[EXTRA] = {"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
                                         "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
                                         "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
                                         "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
                                         "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
                                         "smsp__inst_executed_op_shared_ld.sum",
                                         "smsp__inst_executed_op_shared_st.sum",
                                         "smsp__sass_branch_targets.sum",
                                         "smsp__sass_branch_targets_threads_uniform.sum",
                                         "smsp__inst_executed_op_branch.sum",
                                         "smsp__inst_executed.sum",
                                         "sm__warps_active.avg.per_cycle_active",
                                         "sm__cycles_active.sum",
                                         "gpu__time_duration.sum",
                                         "lts__t_sectors_op_read.sum",
                                         "lts__t_sectors_op_write.sum"};

enum { ALL = LAB_METRICS + EXTRA };

/* Prints those that the device has; the others are named. */
static size_t find_metrics(setting *s, lab_session *session, const char **names)
{
    size_t count = 0;
    for (int i = 0; i < ALL; i++) {
        const char *const name = i < LAB_METRICS ? lab_metrics[i].name : extra[i - LAB_METRICS];
        char why[WHY] = "";
        bool has;
        if (!lab_session_has(session, name, &has, why, sizeof why)) {
            printf("  FAILED: %s: %s\n", name, why);
            s->failures++;
        } else if (has)
            names[count++] = name;
        else
            printf("  %-66s is not there: %s\n", name, why);
    }
    return count;
}

static void measure_each(setting *s, lab_session *session, const kernels_case *c, const char **names, size_t count)
{
    running together = {s, c, 0};
    double all[ALL] = {0};
    char why[WHY] = "";
    const bool measured = lab_session_measure(session, names, count, run, &together, all, why, sizeof why);
    printf("\n%s: %zu metrics together (run %d times), and each alone\n", c->name, count, together.times);
    if (!measured) printf("  FAILED: %s\n", why);
    s->failures += !measured;
    for (size_t i = 0; i < count; i++) {
        running alone = {s, c, 0};
        double value = 0;
        if (lab_session_measure(session, &names[i], 1, run, &alone, &value, why, sizeof why))
            printf("  %-66s %16.8g %16.8g (run %d times)\n", names[i], all[i], value, alone.times);
        else {
            printf("  %-66s %16.8g FAILED: %s\n", names[i], all[i], why);
            s->failures++;
        }
    }
}

static void look_at_metrics(setting *s)
{
    const opi_cuda_gpu *const g = opi_cuda_self(s->gpu);
    char why[WHY] = "";
    const char *names[ALL];
    lab_session *const session = lab_session_open(g->context, g->ordinal, why, sizeof why);
    if (!session) {
        printf("FAILED: no second session: %s\n", why);
        s->failures++;
        return;
    }
    printf("\nmetrics of %s:\n", lab_session_chip(session));
    const size_t count = find_metrics(s, session, names);
    for (int i = 0; i < CASES; i++)
        if (i != 3) measure_each(s, session, &cases[i], names, count);
    lab_session_close(session);
}

/* --- 5. all of it ------------------------------------------------------------------------------------------------- */

static int skip(const char *why)
{
    printf("skipped: %s\n", why);
    return SKIPPED;
}

static int count_all(setting *s)
{
    const opi_cuda_gpu *const g = opi_cuda_self(s->gpu);
    char why[WHY] = "";
    time_copy(s, "before counters are open");
    const double first = milliseconds();
    lab_cupti *const cupti = lab_cupti_open(g->context, g->ordinal, why, sizeof why);
    if (!cupti) return skip(why);
    printf("%s, opened in %.1f ms\n", lab_cupti_version(cupti), milliseconds() - first);
    time_copy(s, "while they are open, before the first count");
    for (int i = 0; i < CASES; i++) count_case(s, cupti, &cases[i]);
    count_case(s, cupti, &cases[0]); /* the same as before? */
    printf("\n");
    time_copy(s, "while they are open, after counts");
    lab_cupti_close(cupti);
    time_copy(s, "after they are closed");
    look_at_metrics(s);
    printf("\n%d failures\n", s->failures);
    return s->failures != 0;
}

int main(void)
{
    setting s = {0};
    opi_gpu_facts facts;
    const char *reason;
    char why[WHY] = "";
    setvbuf(stdout, NULL, _IOLBF, 0); /* what is known stays known if a library ends the process */
    if (opi_cuda.list(&facts, 1, why, sizeof why) == 0) return skip(why);
    if (!opi_nvrtc_open(&reason)) return skip(reason);
    const int result = set_up(&s) ? count_all(&s) : 1;
    give_back(&s);
    return result;
}
