#define _POSIX_C_SOURCE 200809L /* nanosleep, kill */
#include "company.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <oplus/oplus.h>

#include "data.h"
#include "die.h"
#include "goals.h"
#include "kernels.h"
#include "progress.h"

typedef struct company_case {
    bench_primitive primitive;
    bench_type type;
} company_case;

static const company_case cases[] = {{BENCH_REDUCE, BENCH_F32}, {BENCH_SCAN, BENCH_U32},
                                     {BENCH_SCAN, BENCH_F32},   {BENCH_MAP, BENCH_U32},
                                     {BENCH_FILTER, BENCH_U32}, {BENCH_TRANSPOSE, BENCH_F32}};
enum { CASES = sizeof cases / sizeof *cases, MOST_SIZES = BENCH_MAX_LIST };

/* --- the devices: one thread, and more ---------------------------------------------------------------------------- */

typedef struct devices {
    size_t count;
    oplus_device *of[1 + BENCH_MAX_LIST];
} devices;

static devices open_devices(const bench_options *o)
{
    devices d = {.count = 1, .of = {bench_device(1)}};
    for (size_t i = 0; i < o->threads_count; i++)
        if (o->threads[i] > 1) d.of[d.count++] = bench_device(o->threads[i]);
    return d;
}

static void close_devices(const devices *d)
{
    for (size_t i = 0; i < d->count; i++) oplus_close(d->of[i]);
}

/* --- the time of single calls: no batches, as a call may wait for a thread that has lost its core ------------------- */

enum { TURN_CALLS = 5, LEAST_CALLS = 3 * TURN_CALLS, MOST_CALLS = 400 };

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static const bench_contender *ours_of(const bench_problem *p)
{
    const bench_contender *c = bench_kernels_here()->ours;
    while (c->run && (c->primitive != p->primitive || (c->type != p->type && c->type != BENCH_ANY_TYPE))) c++;
    if (!c->run) tool_die(TOOL_FAILED, "%s has no contender", bench_primitive_name(p->primitive));
    return c;
}

static double time_call(const bench_contender *ours, bench_problem *p, long pause_ns)
{
    if (pause_ns > 0) nanosleep(&(struct timespec){.tv_nsec = pause_ns}, NULL);
    const double begin = tool_seconds();
    ours->run(p);
    return tool_seconds() - begin;
}

/* What a call costs on each device: the medians of a quarter of a second (quick: of a few calls) with pauses between
 * them.  Devices take turns, so that all have the same company; two calls that do not count begin a turn. */
static void time_devices(bench_problem *p, const devices *d, long pause_ns, bool quick, double *median)
{
    static double time[1 + BENCH_MAX_LIST][MOST_CALLS];
    const bench_contender *const ours = ours_of(p);
    const double end = tool_seconds() + (quick ? 0 : 0.25 * (double)d->count);
    size_t count = 0;
    do {
        for (size_t i = 0; i < d->count; i++) {
            p->dev = d->of[i];
            for (int k = 0; k < 2; k++) time_call(ours, p, pause_ns);
            for (size_t k = 0; k < TURN_CALLS; k++) time[i][count + k] = time_call(ours, p, pause_ns);
        }
        count += TURN_CALLS;
    } while (count < LEAST_CALLS || (count < MOST_CALLS && tool_seconds() < end));
    for (size_t i = 0; i < d->count; i++) {
        qsort(time[i], count, sizeof *time[i], compare);
        median[i] = time[i][count / 2];
    }
}

/* --- sizes -------------------------------------------------------------------------------------------------------- */

typedef struct sizes {
    size_t count, of[MOST_SIZES];
} sizes;

static sizes sizes_of(const bench_options *o, const char *usual)
{
    sizes s = {.count = o->n_count};
    for (size_t i = 0; i < o->n_count; i++) s.of[i] = o->n[i];
    if (!o->n_given) s.count = bench_list_sizes("--n", o->quick ? "2^16" : usual, s.of);
    return s;
}

/* --- in company --------------------------------------------------------------------------------------------------- */

/* Starts a process that keeps a core busy as long as this one lives. */
static pid_t start_busy(void)
{
    const pid_t parent = getpid(), child = fork();
    if (child < 0) tool_die(TOOL_FAILED, "--company: no process can be started");
    if (child > 0) return child;
    for (volatile unsigned long long turns = 0; turns % (1 << 20) != 0 || getppid() == parent;) turns++;
    _exit(0);
}

static void print_head(FILE *file, const bench_options *o, const devices *d)
{
    fprintf(file, "\nus a call, medians: ");
    for (size_t i = 0; i < d->count; i++) fprintf(file, "%s%s", i ? " / " : "", oplus_device_name(d->of[i]));
    fprintf(file, "; others: processes that keep a core busy each\n\n| n | others |");
    for (int c = 0; c < CASES; c++)
        if (o->primitive[cases[c].primitive])
            fprintf(file, " %s %s |", bench_primitive_name(cases[c].primitive), bench_type_name(cases[c].type));
    fprintf(file, "\n|---|---|");
    for (int c = 0; c < CASES; c++)
        if (o->primitive[cases[c].primitive]) fprintf(file, "---|");
    fputc('\n', file);
}

static void print_row(FILE *file, const bench_options *o, const devices *d, size_t n, int others)
{
    fprintf(file, "| %zu | %d |", n, others);
    double median[1 + BENCH_MAX_LIST];
    for (int c = 0; c < CASES; c++) {
        bench_problem problem;
        if (!o->primitive[cases[c].primitive]) continue;
        bench_problem_open(&problem, cases[c].primitive, cases[c].type, n, (bench_shape){0}, o->huge);
        time_devices(&problem, d, 0, o->quick, median);
        for (size_t i = 0; i < d->count; i++) fprintf(file, "%s %.0f", i ? " /" : "", median[i] * 1e6);
        fprintf(file, " |");
        fflush(file);
        bench_problem_close(&problem);
    }
    fputc('\n', file);
}

void bench_company(FILE *file, const bench_options *o)
{
    const sizes s = sizes_of(o, "2^16..2^24:4");
    const devices d = open_devices(o);
    print_head(file, o, &d);
    for (size_t k = 0; k < o->company_count; k++) {
        pid_t others[BENCH_MAX_LIST];
        for (int i = 0; i < o->company[k]; i++) others[i] = start_busy();
        for (size_t i = 0; i < s.count; i++) print_row(file, o, &d, s.of[i], o->company[k]);
        for (int i = 0; i < o->company[k]; i++) kill(others[i], SIGKILL);
        for (int i = 0; i < o->company[k]; i++) waitpid(others[i], NULL, 0);
    }
    close_devices(&d);
}

/* --- after pauses ------------------------------------------------------------------------------------------------- */

enum { PAUSE_NS = 300000 };
static const char usual_sizes[] = "2^14..2^21";

static void print_case(FILE *file, const bench_options *o, const devices *d, const company_case *c)
{
    static double row[MOST_SIZES][1 + BENCH_MAX_LIST], paused[MOST_SIZES][1 + BENCH_MAX_LIST];
    const sizes s = sizes_of(o, usual_sizes);
    for (size_t i = 0; i < s.count; i++) {
        bench_problem problem;
        bench_problem_open(&problem, c->primitive, c->type, s.of[i], (bench_shape){0}, o->huge);
        time_devices(&problem, d, 0, o->quick, row[i]);
        time_devices(&problem, d, PAUSE_NS, o->quick, paused[i]);
        bench_problem_close(&problem);
    }
    for (size_t k = 1; k < d->count; k++) {
        fprintf(file, "| %s %s, %s |", bench_primitive_name(c->primitive), bench_type_name(c->type),
                oplus_device_name(d->of[k]));
        for (size_t i = 0; i < s.count; i++)
            fprintf(file, " %.2f, %.2f |", row[i][0] / row[i][k], paused[i][0] / paused[i][k]);
        fputc('\n', file);
    }
    fflush(file);
}

void bench_pauses(FILE *file, const bench_options *o)
{
    const sizes s = sizes_of(o, usual_sizes);
    const devices d = open_devices(o);
    fprintf(file, "\nhow many times as fast as one thread: calls in a row, after pauses of %d us\n\n| n |",
            PAUSE_NS / 1000);
    for (size_t i = 0; i < s.count; i++) fprintf(file, " %zu |", s.of[i]);
    fprintf(file, "\n|---|");
    for (size_t i = 0; i < s.count; i++) fprintf(file, "---|");
    fputc('\n', file);
    for (int c = 0; c < CASES; c++)
        if (o->primitive[cases[c].primitive]) print_case(file, o, &d, &cases[c]);
    close_devices(&d);
}
