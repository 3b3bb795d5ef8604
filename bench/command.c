#define _GNU_SOURCE /* getopt_long, strsep */
#include "command.h"

#include <getopt.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <oplus/oplus.h>

#include "data.h"
#include "file.h"
#include "goals.h"
#include "plot.h"
#include "report.h"

#include "../tool/die.h"

enum { MAX_LIST = 64 };

typedef struct options {
    bool primitive[BENCH_PRIMITIVE_COUNT], type[BENCH_TYPE_COUNT];
    size_t n[MAX_LIST], n_count;
    int threads[MAX_LIST];
    size_t threads_count;
    bench_plan plan;
    const char *csv, *json, *plot, *from, *peers;
    bool goals, latency, quick, huge, all, no_peers;
    bool n_given, threads_given, type_given, rounds_given;
} options;

static const char help[] =
    "usage: oplus bench [options]\n\n"
    "Measures each primitive, type, size and number of threads, beside what this machine can do\n"
    "at most, the plain loop, and the other libraries that are here (peers); all in one process,\n"
    "in turn.  GB/s: bytes of the input read + of the output written, each once; medians.\n\n"
    "what:\n"
    "  --primitive LIST  map,zip,reduce,max,fold,scan,exclusive,segscan,segreduce,filter,sort,\n"
    "                    pairs,transpose or all (default)\n"
    "  -t, --type LIST   f32,f64,i32,i64,u32,u64,affine,affine64 or all; affine: 8 bytes of struct,\n"
    "                    affine64: 16; default: f32,i64,u32,affine,affine64\n"
    "  --n LIST          sizes, 1e3 or 2^20, or ranges: 2^10..2^27 (doubling), 1e3..1e8:10;\n"
    "                    default: 1e3,1e5,1e7\n"
    "  --threads LIST    default: 1 and all\n"
    "  --goals           the rows of the table of goals, as Markdown\n"
    "  --latency         what calls on 1 ... 10000 elements cost, as Markdown\n"
    "  --from FILE       measure nothing, take what an earlier --json FILE has; --primitive,\n"
    "                    --type, --n and --threads choose from it\n"
    "how:\n"
    "  --rounds N        samples a contender; the median counts; default 9\n"
    "  --peers DIR       where the modules of the peers are; default: $OPLUS_PEERS, or with oplus\n"
    "  --no-peers        without them\n"
    "  --huge            ask for 2 MiB pages for the data (default: what malloc gives)\n"
    "  --quick           small sizes and 3 rounds: to see that it works, not to be quoted\n"
    "output, besides the table; FILE -: the standard output, instead of the table:\n"
    "  --all             every contender in the table, not only the best peer\n"
    "  --csv FILE        every contender's figures\n"
    "  --json FILE       the same with each sample, the machine and the versions\n"
    "  --plot FILE       a picture, .svg or .png: GB/s over n; gnuplot's script and data beside it\n"
    "  -h, --help        this\n\n"
    "examples:\n"
    "  oplus bench --primitive scan -t f32 --n 2^10..2^26:4 --plot scan.svg\n"
    "  oplus bench --no-peers --n 1e7 --threads 1 --csv - >here.csv\n"
    "  oplus bench --json all.json && oplus bench --from all.json --primitive sort --plot sort.png\n\n"
    "exit codes: 0 good, 1 failed or oplus gave a wrong result, 2 wrong usage,\n"
    "            4 the device is unavailable\n";

/* --- lists on the command line -------------------------------------------------------------------------------- */

/* A list of names, or all, of those there are. */
static void parse_names(const char *option, const char *text, bool *chosen, size_t count, const char *(*name)(size_t))
{
    char *copy = strdup(text), *rest = copy;
    memset(chosen, 0, count * sizeof *chosen);
    for (char *word = strsep(&rest, ","); word; word = strsep(&rest, ",")) {
        bool found = false;
        for (size_t i = 0; i < count; i++)
            if (strcmp(word, "all") == 0 || strcmp(word, name(i)) == 0) chosen[i] = found = true;
        if (!found) tool_die(TOOL_USAGE, "%s: there is no '%s'; see oplus bench --help", option, word);
    }
    free(copy);
}

static const char *primitive_name(size_t i) { return bench_primitive_name((bench_primitive)i); }
static const char *type_name(size_t i) { return bench_type_name((bench_type)i); }

/* "1e6", "1000", "2^20", up to the end of the text, a comma, a colon or two dots; 0 if it is none. */
static double parse_size(const char *text, const char **end)
{
    char word[32], *rest;
    size_t length = 0;
    while (text[length] && !strchr(",:", text[length]) && strncmp(text + length, "..", 2) != 0) length++;
    *end = text + length;
    snprintf(word, sizeof word, "%.*s", (int)length, text);
    double x = strtod(word, &rest);
    if (rest > word && *rest == '^') x = pow(x, strtod(rest + 1, &rest));
    return *rest ? 0 : x;
}

static void parse_sizes(options *o, const char *list)
{
    const char *text = list, *end;
    o->n_count = 0;
    do {
        const double first = parse_size(text, &end);
        double last = first, step = 2;
        if (*end == '.') last = parse_size(end + 2, &end);
        if (*end == ':') step = parse_size(end + 1, &end);
        if ((*end && *end != ',') || !(step > 1) || !(first >= 1) || !(first <= last) || !(last <= 0x1p40))
            tool_die(TOOL_USAGE, "--n: '%s' is no list of sizes of 1 to 2^40, as 1e3,2^20 or 2^10..2^27:4", list);
        double n = first;
        do {
            if (o->n_count == MAX_LIST) tool_die(TOOL_USAGE, "--n: '%s' are more than %d sizes", list, MAX_LIST);
            o->n[o->n_count++] = (size_t)n;
        } while ((n *= step) <= last * 1.0001);
        text = end + 1;
    } while (*end);
}

static long parse_count(const char *option, const char *text, char **end, long most)
{
    const long count = strtol(text, end, 10);
    if (*end == text || count < 1 || count > most || (**end && **end != ','))
        tool_die(TOOL_USAGE, "%s: '%s' is not a number of 1 to %ld", option, text, most);
    return count;
}

static void parse_threads(options *o, const char *text)
{
    char *end;
    o->threads_count = 0;
    do {
        if (o->threads_count == MAX_LIST) tool_die(TOOL_USAGE, "--threads: more than %d numbers", MAX_LIST);
        o->threads[o->threads_count++] = (int)parse_count("--threads", text, &end, 4096);
        text = end + 1;
    } while (*end);
}

static void parse_rounds(options *o, const char *text)
{
    char *end;
    o->plan.rounds = (int)parse_count("--rounds", text, &end, BENCH_MAX_ROUNDS);
    if (*end) tool_die(TOOL_USAGE, "--rounds: '%s' is not one number", text);
}

/* --- the command line ------------------------------------------------------------------------------------------- */

static const struct option names[] = {{"primitive", 1, 0, 'p'}, {"type", 1, 0, 't'},   {"n", 1, 0, 'n'},
                                      {"threads", 1, 0, 'T'},   {"rounds", 1, 0, 'r'}, {"csv", 1, 0, 'c'},
                                      {"json", 1, 0, 'j'},      {"plot", 1, 0, 'P'},   {"from", 1, 0, 'f'},
                                      {"peers", 1, 0, 'd'},     {"goals", 0, 0, 'g'},  {"latency", 0, 0, 'l'},
                                      {"quick", 0, 0, 'q'},     {"huge", 0, 0, 'H'},   {"all", 0, 0, 'a'},
                                      {"no-peers", 0, 0, 'x'},  {"help", 0, 0, 'h'},   {0, 0, 0, 0}};

static void set_option(options *o, int letter)
{
    switch (letter) {
    case 'p':
        parse_names("--primitive", optarg, o->primitive, BENCH_PRIMITIVE_COUNT, primitive_name);
        break;
    case 't':
        parse_names("--type", optarg, o->type, BENCH_TYPE_COUNT, type_name), o->type_given = true;
        break;
    case 'n':
        parse_sizes(o, optarg), o->n_given = true;
        break;
    case 'T':
        parse_threads(o, optarg), o->threads_given = true;
        break;
    case 'r':
        parse_rounds(o, optarg), o->rounds_given = true;
        break;
    case 'c':
        o->csv = optarg;
        break;
    case 'j':
        o->json = optarg;
        break;
    case 'P':
        o->plot = optarg;
        break;
    case 'f':
        o->from = optarg;
        break;
    case 'd':
        o->peers = optarg;
        break;
    case 'g':
        o->goals = true;
        break;
    case 'l':
        o->latency = true;
        break;
    case 'q':
        o->quick = true;
        break;
    case 'H':
        o->huge = true;
        break;
    case 'a':
        o->all = true;
        break;
    case 'x':
        o->no_peers = true;
        break;
    case 'h':
        fputs(help, stdout);
        exit(TOOL_GOOD);
    default: /* getopt has said what */
        tool_die(TOOL_USAGE, "see oplus bench --help");
    }
}

static void parse(options *o, int argc, char **argv)
{
    *o = (options){.plan = {.rounds = 9, .batch = 2e-3, .settle = 0.02}};
    parse_names("--primitive", "all", o->primitive, BENCH_PRIMITIVE_COUNT, primitive_name);
    parse_names("--type", "f32,i64,u32,affine,affine64", o->type, BENCH_TYPE_COUNT, type_name);
    o->threads[o->threads_count++] = 1;
    if (omp_get_max_threads() > 1) o->threads[o->threads_count++] = omp_get_max_threads();

    optind = 0; /* from the beginning */
    for (int c; (c = getopt_long(argc, argv, "t:h", names, NULL)) != -1;) set_option(o, c);
    if (optind < argc) tool_die(TOOL_USAGE, "'%s' is too much: there are options only", argv[optind]);
    if (o->from && (o->goals || o->latency || o->quick || o->huge || o->rounds_given || o->peers || o->no_peers))
        tool_die(TOOL_USAGE, "--from measures nothing: it goes with --primitive, --type, --n, --threads and outputs");
    if (o->peers && o->no_peers) tool_die(TOOL_USAGE, "--peers and --no-peers: which one?");
    if (o->plot) bench_plot_check(o->plot);
    bench_file_check(o->csv);
    bench_file_check(o->json);
    if (!o->n_given) parse_sizes(o, o->quick ? "1e3,1e5" : "1e3,1e5,1e7");
    if (!o->quick) return;
    if (!o->rounds_given) o->plan.rounds = 3;
    o->plan.batch = 5e-4;
    o->plan.settle = 2e-3;
}

/* --- measuring -------------------------------------------------------------------------------------------------- */

oplus_device *bench_device(int threads)
{
    char where[32];
    oplus_device *dev;
    snprintf(where, sizeof where, threads == 1 ? "serial" : "threads:%d", threads);
    if (oplus_open(where, &dev) != OPLUS_OK) tool_die(TOOL_NO_DEVICE, "%s: %s", where, oplus_last_error());
    return dev;
}

static void one_case(const options *o, FILE *table, bench_log *log, bench_primitive primitive, bench_type type,
                     size_t n)
{
    bench_problem problem;
    bench_problem_open(&problem, primitive, type, n, 0, o->huge);
    for (size_t t = 0; t < o->threads_count; t++) {
        problem.threads = o->threads[t];
        problem.dev = bench_device(problem.threads);
        bench_print_case(table, bench_log_add(log, bench_measure(&problem, &o->plan)), o->all);
        oplus_close(problem.dev);
    }
    bench_problem_close(&problem);
}

static void all_cases(const options *o, FILE *table, bench_log *log)
{
    bench_print_head(table);
    for (int p = 0; p < BENCH_PRIMITIVE_COUNT; p++)
        for (int t = 0; t < BENCH_TYPE_COUNT; t++)
            for (size_t k = 0; k < o->n_count; k++)
                if (o->primitive[p] && o->type[t] && bench_primitive_has((bench_primitive)p, (bench_type)t))
                    one_case(o, table, log, (bench_primitive)p, (bench_type)t, o->n[k]);
}

static void measure(options *o, FILE *table, bench_log *log, int argc, char **argv)
{
    static bench_peers peers;
    if (!o->no_peers) {
        bench_peers_load(&peers, o->peers);
        o->plan.peers = &peers;
    }
    bench_log_open(log, argc, argv, o->plan.peers);
    bench_print_about(table, log);
    if (!o->no_peers) bench_peers_print_absent(table, "# peer ", &peers);
    if (o->goals) bench_goals(table, log, &o->plan, o->huge, o->quick);
    if (o->latency) {
        bench_plan plan = o->plan;
        plan.batch /= 8;
        bench_latency(table, log, &plan, o->threads[o->threads_count - 1]);
    }
    if (!o->goals && !o->latency) all_cases(o, table, log);
}

/* --- an earlier run --------------------------------------------------------------------------------------------- */

/* A size counts if one like it is in the list: a transpose takes the largest square. */
static bool is_chosen(const options *o, const bench_case *c)
{
    bool n = !o->n_given, threads = !o->threads_given;
    for (size_t i = 0; i < o->n_count; i++) n |= c->n <= o->n[i] && (double)c->n > 0.8 * (double)o->n[i];
    for (size_t i = 0; i < o->threads_count; i++) threads |= c->threads == o->threads[i];
    return o->primitive[c->primitive] && (!o->type_given || o->type[c->type]) && n && threads;
}

static void choose(const options *o, FILE *table, bench_log *log)
{
    size_t kept = 0;
    bench_print_about(table, log);
    bench_print_head(table);
    for (size_t i = 0; i < log->count; i++) {
        if (!is_chosen(o, &log->cases[i])) {
            bench_case_free(&log->cases[i]);
            continue;
        }
        log->cases[kept] = log->cases[i];
        bench_print_case(table, &log->cases[kept++], o->all);
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
    options o;
    bench_log log;
    parse(&o, argc, argv);
    FILE *table = is_stdout(o.csv) || is_stdout(o.json) ? fopen("/dev/null", "w") : stdout;
    if (!table) tool_die(TOOL_FAILED, "/dev/null cannot be opened");

    if (o.from) {
        bench_log_read(&log, o.from);
        choose(&o, table, &log);
    } else {
        measure(&o, table, &log, argc, argv);
    }
    if (o.csv) bench_file_write(o.csv, bench_log_print_csv, &log);
    if (o.json) bench_file_write(o.json, bench_log_print_json, &log);
    if (o.plot) bench_plot(o.plot, &log);
    if (table != stdout) fclose(table);
    if (fflush(stdout) != 0) tool_die(TOOL_FAILED, "the standard output cannot be written");

    const bool good = ours_are_right(&log);
    bench_log_close(&log);
    return good ? TOOL_GOOD : TOOL_FAILED;
}
