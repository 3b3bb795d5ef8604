#include "command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <oplus/oplus.h>

#include "cliffs.h"
#include "company.h"
#include "data.h"
#include "device.h"
#include "die.h"
#include "file.h"
#include "goals.h"
#include "options.h"
#include "plot.h"
#include "report.h"

/* --- measuring -------------------------------------------------------------------------------------------------- */

oplus_device *bench_device(int threads)
{
    char where[32];
    oplus_device *dev;
    snprintf(where, sizeof where, threads == 1 ? "serial" : "threads:%d", threads);
    if (oplus_open(where, &dev) != OPLUS_OK) tool_die(TOOL_NO_DEVICE, "%s: %s", where, oplus_last_error());
    return dev;
}

static bench_accelerator accelerators[BENCH_MAX_LIST]; /* as many as o->device has */

static void on_cores(const bench_options *o, FILE *table, bench_log *log, bench_problem *problem)
{
    for (size_t t = 0; t < o->threads_count; t++) {
        problem->threads = o->threads[t];
        problem->dev = bench_device(problem->threads);
        bench_print_case(table, bench_log_add(log, bench_measure(problem, &o->plan, NULL)), o->all,
                         o->device_count > 0);
        oplus_close(problem->dev);
    }
}

static void on_devices(const bench_options *o, FILE *table, bench_log *log, bench_problem *host)
{
    bench_problem there;
    for (size_t d = 0; d < o->device_count; d++)
        for (int arrays = 0; arrays < BENCH_ARRAY_PLACES; arrays++) {
            if (!o->place[arrays]) continue;
            bench_problem_send(&there, host, &accelerators[d], arrays == BENCH_ARRAYS_HERE);
            const bench_case *measured = bench_log_add(log, bench_measure(&there, &o->plan, accelerators[d].where));
            bench_print_case(table, measured, o->all, true);
            bench_problem_recall(&there);
        }
}

static void one_case(const bench_options *o, FILE *table, bench_log *log, bench_primitive primitive, bench_type type,
                     size_t n, bench_shape shape)
{
    bench_problem problem;
    bench_problem_open(&problem, primitive, type, n, shape, o->huge);
    if (bench_options_cores(o)) on_cores(o, table, log, &problem);
    on_devices(o, table, log, &problem);
    bench_problem_close(&problem);
}

/* A pattern concerns sorts alone. */
static void all_patterns(const bench_options *o, FILE *table, bench_log *log, bench_primitive primitive,
                         bench_type type, size_t n)
{
    if (!bench_is_sort(primitive)) {
        one_case(o, table, log, primitive, type, n, (bench_shape){0});
        return;
    }
    for (int k = 0; k < BENCH_PATTERN_COUNT; k++)
        if (o->pattern[k]) one_case(o, table, log, primitive, type, n, (bench_shape){.pattern = (bench_pattern)k});
}

static void all_sizes(const bench_options *o, FILE *table, bench_log *log, bench_primitive primitive, bench_type type)
{
    const bool shaped = bench_is_matrix(primitive) && o->shape_count > 0;
    const bool cut = bench_is_cut(primitive) && o->segments_count > 0;
    for (size_t k = 0; shaped && k < o->shape_count; k++) one_case(o, table, log, primitive, type, 0, o->shape[k]);
    for (size_t k = 0; cut && k < o->n_count; k++)
        for (size_t s = 0; s < o->segments_count; s++)
            one_case(o, table, log, primitive, type, o->n[k], o->segments[s]);
    for (size_t k = 0; !shaped && !cut && k < o->n_count; k++) all_patterns(o, table, log, primitive, type, o->n[k]);
}

static void all_cases(const bench_options *o, FILE *table, bench_log *log)
{
    bench_print_head(table, o->device_count > 0);
    for (int p = 0; p < BENCH_PRIMITIVE_COUNT; p++)
        for (int t = 0; t < BENCH_TYPE_COUNT; t++)
            if (o->primitive[p] && o->type[t] && bench_primitive_has((bench_primitive)p, (bench_type)t))
                all_sizes(o, table, log, (bench_primitive)p, (bench_type)t);
}

/* The places of cases, as bits: 1 << bench_place. */
static unsigned places_of(const bench_options *o)
{
    unsigned places = bench_options_cores(o) ? 1u << BENCH_CORES : 0;
    if (o->device_count > 0 && o->place[BENCH_ARRAYS_HERE]) places |= 1u << BENCH_ACROSS;
    for (size_t d = 0; d < o->device_count && o->place[BENCH_ARRAYS_THERE]; d++)
        places |= 1u << bench_accelerator_place(&accelerators[d]);
    return places;
}

static void all_goals(const bench_options *o, FILE *table, bench_log *log)
{
    if (bench_options_cores(o)) {
        bench_goals(table, log, o);
        if (!o->latency) bench_latency(table, log, o, 1);
    }
    for (size_t d = 0; d < o->device_count; d++) bench_device_goals(table, log, &accelerators[d], o);
}

/* The other tables compare with the plain loop or with one thread. */
static bool compares_peers(const bench_options *o) { return !o->cliffs && !o->pauses && o->company_count == 0; }

/* False: a result at a cliff was wrong; the log tells of other wrong results. */
static bool measure(bench_options *o, FILE *table, bench_log *log, int argc, char **argv)
{
    bool right = true;
    static bench_peers peers;
    for (size_t d = 0; d < o->device_count; d++) accelerators[d] = bench_accelerator_open(o->device[d]);
    if (!o->no_peers && compares_peers(o)) {
        bench_peers_load(&peers, o->peers, places_of(o));
        o->plan.peers = &peers;
    }
    bench_log_open(log, argc, argv, o->plan.peers);
    for (size_t d = 0; d < o->device_count; d++) bench_log_add_device(log, o->device[d], accelerators[d].dev);
    bench_print_about(table, log);
    if (!o->no_peers && compares_peers(o)) bench_peers_print_absent(table, "# peer ", &peers, places_of(o));
    if (o->goals) all_goals(o, table, log);
    if (o->latency) bench_latency(table, log, o, o->threads[o->threads_count - 1]);
    if (o->cliffs) right = bench_cliffs(table, o->primitive, o->plan.rounds, o->quick);
    if (o->company_count > 0) bench_company(table, o);
    if (o->pauses) bench_pauses(table, o);
    if (!o->goals && !o->latency && compares_peers(o)) all_cases(o, table, log);
    for (size_t d = 0; d < o->device_count; d++) oplus_close(accelerators[d].dev);
    return right;
}

/* --- an earlier run --------------------------------------------------------------------------------------------- */

static bool is_chosen_shape(const bench_options *o, const bench_case *c)
{
    bool chosen = !o->pattern_given || !bench_is_sort(c->primitive) || (o->pattern[BENCH_PATTERN_RANDOM] && !*c->shape);
    for (int k = 0; k < BENCH_PATTERN_COUNT; k++)
        chosen |= o->pattern[k] && strcmp(c->shape, bench_pattern_name((bench_pattern)k)) == 0;
    return chosen;
}

/* A size counts if a similar one is in the list, because a transpose takes the largest square. */
static bool is_chosen(const bench_options *o, const bench_case *c)
{
    const bool anywhere = !o->threads_given && o->device_count == 0;
    bool n = !o->n_given, where = anywhere && (!o->place_given || c->device);
    for (size_t i = 0; i < o->n_count; i++) n |= c->n <= o->n[i] && (double)c->n > 0.8 * (double)o->n[i];
    for (size_t i = 0; !c->device && o->threads_given && i < o->threads_count; i++)
        where |= c->threads == o->threads[i];
    for (size_t i = 0; c->device && i < o->device_count; i++) where |= strcmp(c->device, o->device[i]) == 0;
    if (c->device && o->place_given) where &= o->place[c->across ? BENCH_ARRAYS_HERE : BENCH_ARRAYS_THERE];
    return o->primitive[c->primitive] && (!o->type_given || o->type[c->type]) && n && where && is_chosen_shape(o, c);
}

static void choose(const bench_options *o, FILE *table, bench_log *log)
{
    size_t kept = 0;
    bool devices = false;
    for (size_t i = 0; i < log->count; i++) devices |= is_chosen(o, &log->cases[i]) && log->cases[i].device;
    bench_print_about(table, log);
    bench_print_head(table, devices);
    for (size_t i = 0; i < log->count; i++) {
        if (!is_chosen(o, &log->cases[i])) {
            bench_case_free(&log->cases[i]);
            continue;
        }
        log->cases[kept] = log->cases[i];
        bench_print_case(table, &log->cases[kept++], o->all, devices);
    }
    log->count = kept;
}

/* --- all ---------------------------------------------------------------------------------------------------------- */

static bool ours_are_right(const bench_log *log)
{
    for (size_t k = 0; k < log->count; k++)
        for (size_t i = 0; i < log->cases[k].count; i++)
            if (log->cases[k].of[i].role == BENCH_OURS && !log->cases[k].of[i].right) return false;
    return true;
}

static bool is_stdout(const char *path) { return path && strcmp(path, "-") == 0; }

int bench_command(int argc, char **argv)
{
    bench_options o;
    bench_log log;
    bool good = true;
    bench_options_parse(&o, argc, argv);
    FILE *table = is_stdout(o.csv) || is_stdout(o.json) ? fopen("/dev/null", "w") : stdout;
    if (!table) tool_die(TOOL_FAILED, "/dev/null cannot be opened");

    if (o.from) {
        bench_log_read(&log, o.from);
        choose(&o, table, &log);
    } else {
        good = measure(&o, table, &log, argc, argv);
    }
    if (o.csv) bench_file_write(o.csv, bench_log_print_csv, &log);
    if (o.json) bench_file_write(o.json, bench_log_print_json, &log);
    if (o.plot) bench_plot(o.plot, &log);
    if (table != stdout) fclose(table);
    if (fflush(stdout) != 0) tool_die(TOOL_FAILED, "the standard output cannot be written");

    good = ours_are_right(&log) && good;
    bench_log_close(&log);
    return good ? TOOL_GOOD : TOOL_FAILED;
}
