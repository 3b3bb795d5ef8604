/* oplus lab: the command line, the experiments, and the output of their findings. */
#define _POSIX_C_SOURCE 200809L /* fdopen, gmtime_r */
#include "die.h"
#include "json.h"
#include "lab/counters/cupti.h"
#include "lab/lab.h"
#include "lab/report/html.h"
#include "lab/show.h"
#include "progress.h"
#include "replace.h"
#include "suggest.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef struct asked {
    const char *device, *report, *from;
    lab_options options;
    bool json;
    bool wanted[LAB_EXPERIMENTS];
    char *command; /* as it was typed */
} asked;

/* --- 1. the command line ------------------------------------------------------------------------------------------ */

static const char help[] =
    "usage: oplus lab [EXPERIMENT...] [options]\n\n"
    "Shows on your own device why a kernel is slow: runs kernels that differ in one thing each,\n"
    "checks every result, and prints the rate of each kernel, what changed, and what the hardware\n"
    "counted.  Without an EXPERIMENT it lists the experiments; `all` runs all of them.\n\n"
    "      --device WHERE  cuda:0, opencl:0, opencl:cpu; for some experiments also threads,\n"
    "                      threads:4, serial, or model, which only counts; default: the first\n"
    "                      that is available\n"
    "      --n N           number of elements, for experiments that have a size\n"
    "      --quick         small sizes and short runs, to see that all works; the rates mean nothing\n"
    "      --report FILE   also write one page of HTML: pictures, kernels side by side, explanations\n"
    "      --json          print the results as JSON, in place of tables\n"
    "      --from FILE     run nothing: read from FILE the results that --json printed\n"
    "  -q, --quiet         show no progress on the terminal\n"
    "  -h, --help          this text\n\n"
    "examples:\n"
    "  oplus lab\n"
    "  oplus lab reduce\n"
    "  oplus lab all --device opencl:cpu --report lab.html\n"
    "  oplus lab all --json > lab.json && oplus lab --from lab.json --report lab.html\n\n"
    "exit codes: 0 good, 1 failed or a wrong result, 2 wrong usage, 4 the device is unavailable\n";

static const char *experiment_name(size_t i)
{
    return i < LAB_EXPERIMENTS ? lab_experiments[i]->name : i == LAB_EXPERIMENTS ? "all" : NULL;
}

static void want(asked *a, const char *name)
{
    bool found = strcmp(name, "all") == 0;
    for (size_t i = 0; i < LAB_EXPERIMENTS; i++)
        if (strcmp(name, "all") == 0 || strcmp(name, lab_experiments[i]->name) == 0) a->wanted[i] = found = true;
    if (found) return;
    const char *const nearest = tool_nearest(name, experiment_name);
    tool_die(TOOL_USAGE,
             nearest ? "there is no experiment '%s'; did you mean %s?"
                     : "there is no experiment '%s'; `oplus lab` lists them",
             name, nearest);
}

static size_t number_of(const char *text)
{
    char *end;
    errno = 0;
    const unsigned long long n = strtoull(text, &end, 10);
    if (!isdigit((unsigned char)*text) || *end || errno || n < 1 || n > LAB_MOST)
        tool_die(TOOL_USAGE, "--n is '%s'; it is a number from 1 to %d", text, (int)LAB_MOST);
    return (size_t)n;
}

static char *joined(int argc, char **argv)
{
    size_t bytes = sizeof "oplus lab";
    for (int i = 1; i < argc; i++) bytes += strlen(argv[i]) + 1;
    char *const text = tool_alloc(bytes), *end = text + sprintf(text, "oplus lab");
    for (int i = 1; i < argc; i++) end += sprintf(end, " %s", argv[i]);
    return text;
}

static void parse(asked *a, int argc, char **argv)
{
    int quick = false, json = false, quiet = false;
    const struct option options[] = {{"device", required_argument, NULL, 'd'},
                                     {"n", required_argument, NULL, 'n'},
                                     {"report", required_argument, NULL, 'r'},
                                     {"from", required_argument, NULL, 'f'},
                                     {"quick", no_argument, &quick, true},
                                     {"json", no_argument, &json, true},
                                     {"quiet", no_argument, &quiet, true},
                                     {"help", no_argument, NULL, 'h'},
                                     {NULL, 0, NULL, 0}};
    *a = (asked){.command = joined(argc, argv)};
    opterr = 0;
    for (int c; (c = getopt_long(argc, argv, ":qh", options, NULL)) != -1;) {
        if (c == 'd') a->device = optarg;
        if (c == 'n') a->options.n = number_of(optarg);
        if (c == 'r') a->report = optarg;
        if (c == 'f') a->from = optarg;
        if (c == 'q') quiet = true;
        if (c == 'h') fputs(help, stdout), exit(TOOL_GOOD);
        if (c == ':') tool_die(TOOL_USAGE, "%s wants a value; see oplus lab --help", argv[optind - 1]);
        if (c == '?') tool_die(TOOL_USAGE, "there is no option %s; see oplus lab --help", argv[optind - 1]);
    }
    a->options.quick = quick;
    a->options.quiet = quiet;
    a->json = json;
    for (int i = optind; i < argc; i++) want(a, argv[i]);
    if (a->from && optind < argc)
        tool_die(TOOL_USAGE, "--from %s runs nothing, so that '%s' cannot be chosen; leave one of them out", a->from,
                 argv[optind]);
}

/* --- 2. the document ---------------------------------------------------------------------------------------------- */

static const char *where_of(const lab_device *dev)
{
    return dev->gpu ? lab_facts(dev)->where : oplus_device_name(dev->oplus);
}

static void describe_device(cJSON *device, lab_device *dev)
{
    const opi_gpu_facts *const facts = dev->gpu ? lab_facts(dev) : NULL;
    char none[600];
    lab_add_text(device, "where", where_of(dev));
    lab_add_text(device, "name", facts ? facts->name : "the cores of this machine");
    lab_add_text(device, "driver", facts ? facts->driver : NULL);
    lab_add_number(device, "units", facts ? (double)facts->units : NAN);
    lab_add_number(device, "memory", facts ? (double)facts->memory : NAN);
    lab_add_number(device, "copy_gbs", lab_copy_rate(dev) * 1e-9);
    if (dev->cupti) lab_add_text(device, "counters", lab_cupti_version(dev->cupti));
    if (dev->cupti || !*dev->no_counters) return;
    snprintf(none, sizeof none, "model: %s", dev->no_counters);
    lab_add_text(device, "counters", none);
}

/* A caution for the reader of all figures; NULL: none. */
static const char *caution_of(const asked *a, const lab_device *dev)
{
    if (a->options.quick) return "In a hurry (--quick): small and short. Rates mean nothing; counts are right.";
    if (dev->model) return "A model: it counts, and has no times.";
    if (dev->gpu && lab_facts(dev)->host_cores)
        return "This device is the cores of a processor. A work-group is a loop there, shared memory plain memory, and "
               "a barrier splits the loop, so that the order of the times is not a GPU's. The counts are a GPU's.";
    return NULL;
}

static cJSON *begin_document(const asked *a, lab_device *dev)
{
    char date[32];
    const time_t now = time(NULL);
    struct tm utc;
    strftime(date, sizeof date, "%Y-%m-%d %H:%M UTC", gmtime_r(&now, &utc));
    cJSON *const document = tool_json_made(cJSON_CreateObject());
    lab_add_text(document, "oplus", oplus_version());
    lab_add_text(document, "date", date);
    lab_add_text(document, "command", a->command);
    lab_add_text(document, "caution", caution_of(a, dev));
    describe_device(lab_add_object(document, "device"), dev);
    lab_add_array(document, "experiments");
    return document;
}

static void print_device(FILE *out, const cJSON *document)
{
    const cJSON *const device = cJSON_GetObjectItemCaseSensitive(document, "device");
    const double copy = lab_number_of(device, "copy_gbs");
    fprintf(out, "%s (%s)", lab_text_in(device, "where", "?"), lab_text_in(device, "name", "?"));
    fprintf(out, isfinite(copy) ? "; a copy moves %.4g GB/s\n" : "\n", copy);
    const char *const counters = lab_text_in(device, "counters", NULL);
    const char *const caution = lab_text_in(document, "caution", NULL);
    if (counters) fprintf(out, "counters: %s\n", counters);
    fputc('\n', out);
    if (caution) lab_print_wrapped(out, caution);
}

/* Why an experiment has no meaning on a device, or NULL. */
static const char *cannot(const lab_experiment *e, const lab_device *dev)
{
    if (!dev->gpu && !e->on_cores)
        return "It runs kernels: give --device cuda:N or opencl:N. Without a GPU, OpenCL on the cores does too "
               "(Debian: apt-get install pocl-opencl-icd), and --device model runs some on an imitation.";
    if (dev->model && !e->on_model)
        return "It measures, which a model cannot: give --device cuda:N, opencl:N, or for some threads.";
    if (dev->gpu && e->items > lab_facts(dev)->group)
        return "Its work-groups have more work-items than those of this device may have.";
    return NULL;
}

/* Begins an experiment, which must be able to run. */
static void begin_experiment(lab *l, cJSON *document, const lab_experiment *e)
{
    l->experiment = lab_append_object(cJSON_GetObjectItemCaseSensitive(document, "experiments"));
    lab_add_text(l->experiment, "name", e->name);
    lab_add_text(l->experiment, "title", e->title);
    lab_add_paragraphs(l->experiment, "about", e->about);
    lab_add_array(l->experiment, "sections");
    if (l->out) lab_show_experiment(l->out, l->experiment);
}

/* Runs the wanted experiments; false: a result was wrong. */
static bool run(const asked *a, cJSON *document, lab_device *dev)
{
    lab l = {.dev = dev, .options = a->options, .out = a->json ? NULL : stdout};
    const char *why = NULL;
    int done = 0;
    for (size_t i = 0; i < LAB_EXPERIMENTS; i++) {
        if (!a->wanted[i]) continue;
        const char *const not_run = cannot(lab_experiments[i], dev);
        begin_experiment(&l, document, lab_experiments[i]);
        if (not_run) {
            lab_show_section(&l, lab_section(l.experiment, "steps", "Not run", why = not_run));
        } else {
            lab_experiments[i]->run(&l);
            done++;
        }
    }
    if (done == 0) tool_die(TOOL_NO_DEVICE, "nothing was run on %s. %s", where_of(dev), why);
    return !l.wrong;
}

/* --- 3. what is made of it ---------------------------------------------------------------------------------------- */

static void write_report(const char *path, const cJSON *document)
{
    tool_replacement file;
    tool_replace_begin(&file, path);
    FILE *const to = fdopen(dup(file.fd), "w");
    bool written = false;
    if (to) {
        lab_report_write(to, document);
        written = !ferror(to);
        written &= fclose(to) == 0;
    }
    if (!written) tool_cannot_write(path);
    tool_replace_end(&file);
}

/* The whole text of a file, to be freed. */
static char *text_of(const char *path)
{
    size_t bytes = 0, room = 1 << 16;
    const bool standard = strcmp(path, "-") == 0;
    FILE *const file = standard ? stdin : fopen(path, "r");
    if (!file) tool_die(TOOL_FAILED, "--from %s: %s", path, strerror(errno));
    char *text = tool_alloc(room);
    for (size_t got; (got = fread(text + bytes, 1, room - bytes - 1, file)) > 0;) {
        bytes += got;
        if (room - bytes < 2) text = tool_realloc(text, room *= 2);
    }
    text[bytes] = '\0';
    const int error = ferror(file) ? errno : 0;
    if (!standard) fclose(file);
    if (!error) return text;
    free(text);
    tool_die(TOOL_FAILED, "--from %s: %s", path, strerror(error));
}

/* A document from elsewhere must not control the terminal: control characters become question marks.  cJSON has
 * refused documents nested too deeply for this recursion. */
static void make_plain(cJSON *item) /* NOLINT(misc-no-recursion) */
{
    for (char *c = cJSON_IsString(item) ? item->valuestring : NULL; c && *c; c++)
        if (iscntrl((unsigned char)*c) && *c != '\n' && *c != '\t') *c = '?';
    for (cJSON *child = item ? item->child : NULL; child; child = child->next) make_plain(child);
}

static cJSON *read_document(const char *path)
{
    char *const text = text_of(path);
    cJSON *const document = cJSON_Parse(text);
    free(text);
    make_plain(document);
    if (!cJSON_IsArray(cJSON_GetObjectItemCaseSensitive(document, "experiments")))
        tool_die(TOOL_FAILED, "--from %s: that is no result of oplus lab; make it by oplus lab all --json > %s", path,
                 path);
    return document;
}

static void list(void)
{
    fputs("experiments:\n", stdout);
    for (size_t i = 0; i < LAB_EXPERIMENTS; i++)
        printf("  %-10s %s\n", lab_experiments[i]->name, lab_experiments[i]->summary);
    fputs("\n`oplus lab reduce` runs one, `oplus lab all --report lab.html` all; see oplus lab --help\n", stdout);
}

/* Runs the experiments, shows sections as they are finished, and returns the document; right: were all results
 * right? */
static cJSON *make_document(const asked *a, bool *right)
{
    enum { MOST_MODELLED = 1 << 20 }; /* work-items that the host runs one by one: a minute */
    tool_progress_begin(a->options.quiet);
    bool counts = false;
    for (size_t i = 0; i < LAB_EXPERIMENTS; i++) counts |= a->wanted[i] && lab_experiments[i]->counts;
    lab_device *const dev = lab_device_open(a->device, counts);
    if (dev->model && a->options.n > MOST_MODELLED)
        tool_die(TOOL_USAGE, "--n is %zu; the model runs every work-item on the host: up to %d", a->options.n,
                 (int)MOST_MODELLED);
    dev->hurried = a->options.quick;
    cJSON *const document = begin_document(a, dev);
    if (!a->json) print_device(stdout, document);
    *right = run(a, document, dev);
    lab_device_close(dev);
    return document;
}

/* Reads the document of an earlier run; shows it unless other output is asked for. */
static cJSON *take_document(const asked *a)
{
    cJSON *const document = read_document(a->from);
    const cJSON *e;
    if (a->json || a->report) return document;
    print_device(stdout, document);
    cJSON_ArrayForEach (e, cJSON_GetObjectItemCaseSensitive(document, "experiments")) {
        lab_show_experiment(stdout, e);
    }
    return document;
}

int main(int argc, char **argv)
{
    asked a;
    bool any = false, right = true;
    atexit(tool_close_stdout);
    tool_begin("lab");
    parse(&a, argc, argv);
    for (size_t i = 0; i < LAB_EXPERIMENTS; i++) any |= a.wanted[i];
    if (!any && !a.from) return list(), TOOL_GOOD;
    if (a.report && strcmp(a.report, "-") == 0)
        tool_die(TOOL_USAGE, "--report -: the page goes to a file, not to stdout; give its name");
    if (a.report) tool_replace_check(a.report);

    cJSON *const document = a.from ? take_document(&a) : make_document(&a, &right);
    if (a.json) tool_json_print(stdout, cJSON_Duplicate(document, true));
    if (a.report) write_report(a.report, document);
    cJSON_Delete(document);
    free(a.command);
    return right ? TOOL_GOOD : TOOL_FAILED;
}
