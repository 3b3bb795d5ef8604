/* bench: every primitive x type x size x threads, beside the machine's limits, the plain loop and the peers. */
#define _GNU_SOURCE /* getopt_long */
#include <ctype.h>
#include <getopt.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <oplus/oplus.h>

#include "data.h"
#include "goals.h"
#include "measure.h"
#include "report.h"

enum { MAX_LIST = 64 };

typedef struct options {
    bool primitive[BENCH_PRIMITIVE_COUNT], type[BENCH_TYPE_COUNT];
    size_t n[MAX_LIST], n_count;
    int threads[MAX_LIST];
    size_t threads_count;
    bench_plan plan;
    const char *csv;
    bool goals, latency, quick, huge, all;
} options;

static const char help[] =
    "usage: bench [options]\n"
    "  --primitive LIST  map,zip,reduce,max,fold,scan,exclusive,segscan,segreduce,filter,sort,pairs,transpose or all\n"
    "  --type LIST       f32,f64,i32,i64,u32,u64,affine or all; default: f32,i64,u32,affine\n"
    "  --n LIST          sizes, 1e3 or 2^20, or ranges: 2^10..2^27 (doubling), 1e3..1e8:10; default: 1e3,1e5,1e7\n"
    "  --threads LIST    default: 1 and all\n"
    "  --rounds N        samples a contender; the median counts; default 9\n"
    "  --goals           the rows of the table of goals, as Markdown\n"
    "  --latency         what calls on 1 ... 10000 elements cost, as Markdown\n"
    "  --csv FILE        every contender's figures too\n"
    "  --all             print every contender, not only the best peer\n"
    "  --no-peers        without the peers\n"
    "  --huge            ask for 2 MiB pages for the data (default: what malloc gives)\n"
    "  --quick           small sizes and 3 rounds: to see that it works, not to be quoted\n"
    "GB/s: bytes of the input read + of the output written, each once; medians; contenders are timed in turn.\n";

static void die(const char *what, const char *value)
{
    fprintf(stderr, "bench: %s: %s\n\n%s", what, value, help);
    exit(2);
}

/* --- lists on the command line -------------------------------------------------------------------------------- */

static void parse_names(const char *text, bool *chosen, size_t count, const char *(*name)(size_t))
{
    char *copy = strdup(text), *rest = copy;
    memset(chosen, 0, count * sizeof *chosen);
    for (char *word = strsep(&rest, ","); word; word = strsep(&rest, ",")) {
        bool found = false;
        for (size_t i = 0; i < count; i++)
            if (strcmp(word, "all") == 0 || strcmp(word, name(i)) == 0) chosen[i] = found = true;
        if (!found) die("no such name", word);
    }
    free(copy);
}

static const char *primitive_name(size_t i) { return bench_primitive_name((bench_primitive)i); }
static const char *type_name(size_t i) { return bench_type_name((bench_type)i); }

/* "1e6", "1000", "2^20" */
static double parse_size(const char *text, char **end)
{
    const double x = strtod(text, end);
    return **end == '^' ? pow(x, strtod(*end + 1, end)) : x;
}

static void add_size(options *o, double n)
{
    if (o->n_count == MAX_LIST || n < 1 || n > 0x1p40) die("bad or too many sizes", "--n");
    o->n[o->n_count++] = (size_t)n;
}

static void parse_sizes(options *o, const char *text)
{
    char *end;
    o->n_count = 0;
    do {
        const double first = parse_size(text, &end);
        double last = first, step = 2;
        if (strncmp(end, "..", 2) == 0) last = parse_size(end + 2, &end);
        if (*end == ':') step = strtod(end + 1, &end);
        if ((*end && *end != ',') || step <= 1) die("not a size", text);
        for (double n = first; n <= last * 1.0001; n *= step) add_size(o, n);
        text = end + 1;
    } while (*end);
}

static void parse_threads(options *o, const char *text)
{
    char *end;
    o->threads_count = 0;
    do {
        const long threads = strtol(text, &end, 10);
        if (threads < 1 || threads > 4096 || (*end && *end != ',') || o->threads_count == MAX_LIST)
            die("not a number of threads", text);
        o->threads[o->threads_count++] = (int)threads;
        text = end + 1;
    } while (*end);
}

static void parse(options *o, int argc, char **argv)
{
    static const struct option names[] = {
        {"primitive", 1, 0, 'p'}, {"type", 1, 0, 't'}, {"n", 1, 0, 'n'},     {"threads", 1, 0, 'T'},
        {"rounds", 1, 0, 'r'},    {"csv", 1, 0, 'c'},  {"goals", 0, 0, 'g'}, {"latency", 0, 0, 'l'},
        {"quick", 0, 0, 'q'},     {"huge", 0, 0, 'h'}, {"all", 0, 0, 'a'},   {"no-peers", 0, 0, 'x'},
        {"help", 0, 0, 'H'},      {0, 0, 0, 0}};
    bool rounds_given = false, n_given = false;
    *o = (options){.plan = {.rounds = 9, .batch = 2e-3, .peers = true}};
    parse_names("all", o->primitive, BENCH_PRIMITIVE_COUNT, primitive_name);
    parse_names("f32,i64,u32,affine", o->type, BENCH_TYPE_COUNT, type_name);
    o->threads[o->threads_count++] = 1;
    if (omp_get_max_threads() > 1) o->threads[o->threads_count++] = omp_get_max_threads();
    for (int c; (c = getopt_long(argc, argv, "", names, NULL)) != -1;) switch (c) {
        case 'p':
            parse_names(optarg, o->primitive, BENCH_PRIMITIVE_COUNT, primitive_name);
            break;
        case 't':
            parse_names(optarg, o->type, BENCH_TYPE_COUNT, type_name);
            break;
        case 'n':
            parse_sizes(o, optarg), n_given = true;
            break;
        case 'T':
            parse_threads(o, optarg);
            break;
        case 'r':
            o->plan.rounds = atoi(optarg), rounds_given = true;
            break;
        case 'c':
            o->csv = optarg;
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
        case 'h':
            o->huge = true;
            break;
        case 'a':
            o->all = true;
            break;
        case 'x':
            o->plan.peers = false;
            break;
        case 'H':
            fputs(help, stdout);
            exit(0);
        default:
            fputs(help, stderr);
            exit(2);
        }
    if (optind < argc) die("what is this", argv[optind]);
    if (!n_given) parse_sizes(o, o->quick ? "1e3..1e6:10" : "1e3,1e5,1e7");
    if (o->quick && !rounds_given) o->plan.rounds = 3;
    if (o->plan.rounds < 1 || o->plan.rounds > BENCH_MAX_ROUNDS) die("rounds must be 1 to 101", "--rounds");
}

/* --- the work ------------------------------------------------------------------------------------------------- */

oplus_device *bench_device(int threads)
{
    char where[32];
    oplus_device *dev;
    snprintf(where, sizeof where, threads == 1 ? "serial" : "threads:%d", threads);
    if (oplus_open(where, &dev) == OPLUS_OK) return dev;
    fprintf(stderr, "bench: %s: %s\n", where, oplus_last_error());
    exit(1);
}

static void one_case(const options *o, FILE *csv, bench_primitive primitive, bench_type type, size_t n)
{
    bench_problem problem;
    bench_results results;
    bench_problem_open(&problem, primitive, type, n, 0, o->huge);
    for (size_t t = 0; t < o->threads_count; t++) {
        problem.threads = o->threads[t];
        problem.dev = bench_device(problem.threads);
        bench_measure(&problem, &o->plan, &results);
        oplus_close(problem.dev);
        bench_print_case(stdout, &problem, &results, o->all);
        if (csv) bench_csv_case(csv, &problem, &results);
    }
    bench_problem_close(&problem);
}

static void all_cases(const options *o, FILE *csv)
{
    bench_print_head(stdout);
    for (int p = 0; p < BENCH_PRIMITIVE_COUNT; p++)
        for (int t = 0; t < BENCH_TYPE_COUNT; t++)
            for (size_t k = 0; k < o->n_count; k++)
                if (o->primitive[p] && o->type[t] && bench_primitive_has((bench_primitive)p, (bench_type)t))
                    one_case(o, csv, (bench_primitive)p, (bench_type)t, o->n[k]);
}

int main(int argc, char **argv)
{
    options o;
    parse(&o, argc, argv);
    FILE *csv = o.csv ? fopen(o.csv, "w") : NULL;
    if (o.csv && !csv) die("cannot write", o.csv);
    if (csv) bench_csv_head(csv);

    bench_print_machine(stdout, argc, argv);
    if (o.goals) bench_goals(stdout, csv, &o.plan, o.huge, o.quick);
    if (o.latency) {
        const bench_plan plan = {.rounds = o.plan.rounds, .batch = o.plan.batch / 8, .peers = o.plan.peers};
        bench_latency(stdout, csv, &plan, o.threads[o.threads_count - 1]);
    }
    if (!o.goals && !o.latency) all_cases(&o, csv);
    if (csv && fclose(csv) != 0) die("cannot write", o.csv);
    return 0;
}
