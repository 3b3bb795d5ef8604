/* options: lists of names and sizes; one table, and getopt_long. */
#define _GNU_SOURCE /* getopt_long, strsep */
#include "options.h"

#include <getopt.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data.h"
#include "die.h"
#include "file.h"
#include "plot.h"
#include "replace.h"
#include "suggest.h"

static const char help[] =
    "usage: oplus bench [options]\n\n"
    "Measures each primitive for each type, size and number of threads, and compares it with the\n"
    "limit of this machine, with the plain loop, and with the other libraries that are installed\n"
    "(peers).  All are measured in one process, in turn; the figures are medians.  GB/s: the bytes\n"
    "of the input and of the output, each counted once.\n\n"
    "what is measured:\n"
    "  --primitive LIST  map,zip,reduce,max,argmax,fold,dot,map-scan,map-filter,scan,exclusive,\n"
    "                    reverse,window,neighbours,iota,repeat,segscan,segreduce,filter,unique,rle,\n"
    "                    by-key,histogram,bins,sort,bits,members,sort-by,segsort,pairs,merge,\n"
    "                    merge-many,argsort,top,nth,search,take,put,rows,columns,scan-rows,scan-columns,\n"
    "                    argmax-rows,argmax-columns,sort-rows,sort-columns,transpose or all\n"
    "                    (default); rows and columns are sums of those of a matrix, bins sums\n"
    "                    by index, window sums of 100 elements, nth the median, merge-many a\n"
    "                    merge of eight arrays, rle run lengths, bits a sort by bits 8 to 23,\n"
    "                    members one of structs by two members\n"
    "  -t, --type LIST   f32,f64,i32,i64,u32,u64,affine,affine64 or all; affine: a struct of 8\n"
    "                    bytes, affine64: of 16; for transpose also u8,u16, and structs\n"
    "                    of 3, 12 and 24 bytes: pixel,point,triple;\n"
    "                    default: f32,i64,u32,affine,affine64\n"
    "  --pattern LIST    how the keys of sorts lie: random (default), sorted,reversed,\n"
    "                    equal,few (16 values),pipe (an organ pipe),nearly (sorted, but for one\n"
    "                    key of a hundred),power (a power law) or all\n"
    "  --n LIST          sizes, 1e3 or 2^20, or ranges: 2^10..2^27 (doubling), 1e3..1e8:10;\n"
    "                    default: 1e3,1e5,1e7\n"
    "  --shape LIST      matrices, in place of --n, as 3x1e7,4096x4096\n"
    "  --segments LIST   how many elements segments of segreduce and segsort have on average, at\n"
    "                    random from 0 to twice as many, as 3,100,1e4; or power (a power law),\n"
    "                    mixed (long ones among short ones), empty; default: 100, none of them\n"
    "                    empty\n"
    "  --threads LIST    default: 1 and all\n"
    "  --device LIST     gpu, cuda:N, cuda:N-M, opencl:N ... (see `oplus devices`) instead of cores,\n"
    "                    or, with --threads, as well as cores; may be given several times\n"
    "  --place LIST      where a device's arrays are: device (default), host\n"
    "  --goals           the tables of goals, as Markdown, and --latency on one thread; --primitive\n"
    "                    chooses rows; with --device, the goals of a CUDA device\n"
    "  --latency         what calls on 1 ... 10000 elements cost, as Markdown\n"
    "  --cliffs          compare shapes that are easily slow (short segments, narrow matrices, few\n"
    "                    elements) with the plain loop on one thread, as Markdown; --primitive,\n"
    "                    --rounds and --quick may be given too\n"
    "  --company LIST    what a call costs on one thread and on --threads beside so many processes\n"
    "                    that keep a core busy each, 0,1,2,4 for example, as Markdown; --primitive, --n\n"
    "  --pauses          how many times as fast as one thread --threads are, by the bytes of a call:\n"
    "                    calls in a row, and after pauses, in which threads sleep; --primitive, --n\n"
    "  --from FILE       measure nothing, take the results that --json FILE wrote; --primitive,\n"
    "                    --type, --pattern, --n, --threads, --device and --place choose some of them\n"
    "how it is measured:\n"
    "  --rounds N        samples of each contender; the median counts; default: 9\n"
    "  --peers DIR       where the modules of the peers are; default: $OPLUS_PEERS, or beside oplus\n"
    "  --no-peers        measure without the peers\n"
    "  --huge            ask for 2 MiB pages for the data (default: what malloc gives)\n"
    "  --quick           small sizes and 3 rounds, to see that it works; do not quote the results\n";

/* Its end: C99 requires no longer strings than of 4095 characters. */
static const char help_output[] =
    "output, in addition to the table; if FILE is -, to stdout in place of the table:\n"
    "  --all             show every contender in the table, not only the best peer\n"
    "  --csv FILE        the figures of every contender\n"
    "  --json FILE       the same, with each sample, the machine and the versions\n"
    "  --plot FILE       a picture, .svg or .png, of GB/s over n; the script and the data of gnuplot\n"
    "                    are kept in the same directory\n"
    "  -h, --help        this text\n\n"
    "examples:\n"
    "  oplus bench --primitive scan -t f32 --n 2^10..2^26:4 --plot scan.svg\n"
    "  oplus bench --no-peers --n 1e7 --threads 1 --csv - >here.csv\n"
    "  oplus bench --json all.json && oplus bench --from all.json --primitive sort --plot sort.png\n\n"
    "exit codes: 0 good, 1 failed, or oplus gave a wrong result, 2 wrong usage,\n"
    "            4 the device is unavailable\n";

/* --- values ------------------------------------------------------------------------------------------------------- */

static const char *primitive_name(size_t i) { return bench_primitive_name((bench_primitive)i); }
static const char *type_name(size_t i) { return bench_type_name((bench_type)i); }
static const char *pattern_name(size_t i) { return bench_pattern_name((bench_pattern)i); }

static void parse_primitives(bench_options *o, const char *list)
{
    bench_list_names("--primitive", list, o->primitive, BENCH_PRIMITIVE_COUNT, primitive_name);
}

static void parse_types(bench_options *o, const char *list)
{
    bench_list_names("--type", list, o->type, BENCH_TYPE_COUNT, type_name);
}

static void parse_patterns(bench_options *o, const char *list)
{
    bench_list_names("--pattern", list, o->pattern, BENCH_PATTERN_COUNT, pattern_name);
}

static void parse_sizes(bench_options *o, const char *list) { o->n_count = bench_list_sizes("--n", list, o->n); }

static void parse_threads(bench_options *o, const char *list)
{
    o->threads_count = bench_list_numbers("--threads", list, o->threads, 1, 4096);
}

static void parse_company(bench_options *o, const char *list)
{
    o->company_count = bench_list_numbers("--company", list, o->company, 0, BENCH_MAX_LIST);
}

static void parse_shapes(bench_options *o, const char *list)
{
    o->shape_count = bench_list_shapes("--shape", list, o->shape);
}

static void parse_segments(bench_options *o, const char *list)
{
    o->segments_count = bench_list_lengths("--segments", list, o->segments);
}

static const char *place_name(size_t i)
{
    static const char *const names[] = {[BENCH_ARRAYS_THERE] = "device", [BENCH_ARRAYS_HERE] = "host"};
    return names[i];
}

static void parse_places(bench_options *o, const char *list)
{
    bench_list_names("--place", list, o->place, BENCH_ARRAY_PLACES, place_name);
}

/* The names stay in memory to the end, because rows of results point to them. */
static void parse_devices(bench_options *o, const char *list)
{
    char *rest = tool_copy(list);
    for (char *word = strsep(&rest, ","); word; word = strsep(&rest, ",")) {
        if (strncmp(word, "cuda", 4) != 0 && strncmp(word, "opencl", 6) != 0)
            tool_die(TOOL_USAGE, "--device: '%s' is no accelerator, as cuda:0 or opencl:cpu; for cores say --threads",
                     word);
        if (o->device_count == BENCH_MAX_LIST) tool_die(TOOL_USAGE, "--device: more than %d devices", BENCH_MAX_LIST);
        o->device[o->device_count++] = word;
    }
}

static void parse_rounds(bench_options *o, const char *text)
{
    o->plan.rounds = bench_list_number("--rounds", text, BENCH_MAX_ROUNDS);
}

/* --- the command line ------------------------------------------------------------------------------------------- */

/* A value is parsed, or kept as a text; a flag is set, if there is one. */
typedef struct option_row {
    const char *name;
    char letter;                                        /* of the short form, or 0 */
    void (*parse)(bench_options *o, const char *value); /* or NULL */
    size_t text, flag;                                  /* where in bench_options, or NOWHERE */
} option_row;

enum { NOWHERE = sizeof(bench_options) };
/* clang-format off */
#define PARSED(name, letter, parse, given) {name, letter, parse, NOWHERE, given}
#define TEXT(member)                       {#member, 0, NULL, offsetof(bench_options, member), NOWHERE}
#define FLAG(name, letter, member)         {name, letter, NULL, NOWHERE, offsetof(bench_options, member)}
static const option_row rows[] = {
    PARSED("primitive", 0, parse_primitives, NOWHERE),
    PARSED("type", 't', parse_types, offsetof(bench_options, type_given)),
    PARSED("pattern", 0, parse_patterns, offsetof(bench_options, pattern_given)),
    PARSED("n", 0, parse_sizes, offsetof(bench_options, n_given)),
    PARSED("threads", 0, parse_threads, offsetof(bench_options, threads_given)),
    PARSED("device", 0, parse_devices, NOWHERE),
    PARSED("place", 0, parse_places, offsetof(bench_options, place_given)),
    PARSED("shape", 0, parse_shapes, NOWHERE),
    PARSED("segments", 0, parse_segments, NOWHERE),
    PARSED("company", 0, parse_company, NOWHERE),
    PARSED("rounds", 0, parse_rounds, offsetof(bench_options, rounds_given)),
    TEXT(csv),
    TEXT(json),
    TEXT(plot),
    TEXT(from),
    TEXT(peers),
    FLAG("goals", 0, goals),
    FLAG("latency", 0, latency),
    FLAG("cliffs", 0, cliffs),
    FLAG("pauses", 0, pauses),
    FLAG("quick", 0, quick),
    FLAG("huge", 0, huge),
    FLAG("all", 0, all),
    FLAG("no-peers", 0, no_peers),
    FLAG("help", 'h', help),
};
/* clang-format on */
enum { ROWS = sizeof rows / sizeof *rows, FIRST_ROW = 256 };

static bool takes_value(const option_row *row) { return row->parse || row->text != NOWHERE; }
static const char *option_name(size_t i) { return i < ROWS ? rows[i].name : NULL; }

/* Says what getopt_long did not accept, and ends the command. */
static _Noreturn void refuse(const char *given)
{
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(given, "="), given);
    if (strncmp(name, "--", 2) != 0)
        tool_die(TOOL_USAGE, "there is no option %s; `oplus bench --help` lists them", name);
    const char *const word = name + 2;
    size_t starts = 0;
    for (size_t r = 0; r < ROWS; r++) starts += strncmp(rows[r].name, word, strlen(word)) == 0;
    if (starts > 1) tool_die(TOOL_USAGE, "%s may mean several options; write it in full", name);
    if (starts == 1) tool_die(TOOL_USAGE, "%s takes no value", name);
    const char *const nearest = tool_nearest(word, option_name);
    if (nearest) tool_die(TOOL_USAGE, "there is no option %s; did you mean --%s?", name, nearest);
    tool_die(TOOL_USAGE, "there is no option %s; `oplus bench --help` lists them", name);
}

static void set(bench_options *o, const option_row *row, const char *value)
{
    char *const base = (char *)o;
    if (row->parse) row->parse(o, value);
    if (row->text != NOWHERE) memcpy(base + row->text, &value, sizeof value);
    if (row->flag != NOWHERE) memcpy(base + row->flag, &(bool){true}, sizeof(bool));
}

static void read_options(bench_options *o, int argc, char **argv)
{
    struct option names[ROWS + 1] = {0};
    for (size_t r = 0; r < ROWS; r++)
        names[r] = (struct option){rows[r].name, takes_value(&rows[r]), NULL, FIRST_ROW + (int)r};
    optind = 0; /* from the beginning */
    opterr = 0;
    for (int c; (c = getopt_long(argc, argv, ":t:h", names, NULL)) != -1;) {
        if (c == '?' && optopt && optopt < FIRST_ROW) refuse((char[]){'-', (char)optopt, 0});
        if (c == '?') refuse(argv[optind - 1]);
        if (c == ':') tool_die(TOOL_USAGE, "%s needs a value", argv[optind - 1]);
        for (size_t r = 0; r < ROWS; r++)
            if (c == FIRST_ROW + (int)r || c == rows[r].letter) set(o, &rows[r], optarg);
    }
    if (optind < argc) tool_die(TOOL_USAGE, "'%s' is too much: there are options only", argv[optind]);
}

/* --- outputs ------------------------------------------------------------------------------------------------------ */

static void check_outputs(const bench_options *o)
{
    char *const script = o->plot ? bench_file_beside(o->plot, ".gp") : NULL;
    char *const data = o->plot ? bench_file_beside(o->plot, ".dat") : NULL;
    const struct {
        const char *option, *path;
    } outputs[] = {{"--csv", o->csv}, {"--json", o->json}, {"--plot", o->plot}, {"--plot", script}, {"--plot", data}};
    enum { OUTPUTS = sizeof outputs / sizeof *outputs };

    if (o->plot) bench_plot_check(o->plot);
    for (size_t i = 0; i < OUTPUTS; i++)
        for (size_t j = i + 1; j < OUTPUTS; j++)
            if (outputs[i].path && outputs[j].path && tool_same_target(outputs[i].path, outputs[j].path))
                tool_die(TOOL_USAGE, "%s and %s would both write %s; give each its own file", outputs[i].option,
                         outputs[j].option, strcmp(outputs[j].path, "-") == 0 ? "stdout" : outputs[j].path);
    for (size_t i = 0; i < OUTPUTS; i++)
        if (outputs[i].path && strcmp(outputs[i].path, "-") != 0) tool_replace_check(outputs[i].path);
    free(script);
    free(data);
}

/* --- all ---------------------------------------------------------------------------------------------------------- */

static void defaults(bench_options *o)
{
    *o = (bench_options){.plan = {.rounds = 9, .batch = 2e-3, .settle = 0.02}};
    parse_primitives(o, "all");
    parse_types(o, "f32,i64,u32,affine,affine64");
    parse_patterns(o, "random");
    o->place[BENCH_ARRAYS_THERE] = true;
    o->threads[o->threads_count++] = 1;
    if (omp_get_max_threads() > 1) o->threads[o->threads_count++] = omp_get_max_threads();
}

static bool own_tables(const bench_options *o)
{
    return o->goals || o->latency || o->cliffs || o->pauses || o->company_count > 0;
}

bool bench_options_cores(const bench_options *o) { return o->threads_given || o->device_count == 0; }

void bench_options_parse(bench_options *o, int argc, char **argv)
{
    defaults(o);
    read_options(o, argc, argv);
    if (o->help) {
        fputs(help, stdout);
        fputs(help_output, stdout);
        exit(TOOL_GOOD);
    }
    if (o->from && (own_tables(o) || o->shape_count > 0 || o->segments_count > 0 || o->quick || o->huge ||
                    o->rounds_given || o->peers || o->no_peers))
        tool_die(TOOL_USAGE, "--from measures nothing: it goes with --primitive, --type, --pattern, --n, --threads, "
                             "--device, --place and outputs");
    if (o->peers && o->no_peers) tool_die(TOOL_USAGE, "--peers and --no-peers: which one?");
    if (o->place_given && o->device_count == 0 && !o->from)
        tool_die(TOOL_USAGE, "--place says where a device's arrays are: which device? --device cuda:0, for example");
    if (o->latency && o->device_count > 0)
        tool_die(TOOL_USAGE,
                 "--latency is of cores; of a device, the table says what a call costs: --device %s --n 1e3",
                 o->device[0]);
    if ((o->company_count > 0 || o->pauses) && o->device_count > 0)
        tool_die(TOOL_USAGE, "--company and --pauses are of threads: they do not go with --device");
    if (o->cliffs && (o->device_count > 0 || o->type_given || o->pattern_given || o->n_given || o->threads_given))
        tool_die(TOOL_USAGE, "--cliffs has types and sizes of its own, on one thread of the cores: it goes with "
                             "--primitive, --rounds and --quick");
    check_outputs(o);
    if (!o->n_given) parse_sizes(o, o->quick ? "1e3,1e5" : "1e3,1e5,1e7");
    if (!o->quick) return;
    if (!o->rounds_given) o->plan.rounds = 3;
    o->plan.batch = 5e-4;
    o->plan.settle = 2e-3;
}
