/* job: the frame of a subcommand. */
#define _POSIX_C_SOURCE 200809L
#include "job.h"

#include "part.h"
#include "progress.h"
#include "ranks.h"
#include "replace.h"
#include "table/by_row.h"
#include "table/source.h"
#include "threads.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WRITE_BYTES = 16 << 20 }; /* of an array are written before the clock is read again */

/* --- what is asked, before anything is read ----------------------------------------------------------------------- */

static void take_stdin(const char **taken, const char *name, const char *path)
{
    if (path && strcmp(path, "-") != 0 && strcmp(path, "/dev/stdin") != 0) return;
    if (*taken)
        tool_die(TOOL_USAGE, "only one input can be stdin (-), and here are two: %s and %s; put one into a file",
                 *taken, name);
    *taken = name;
}

/* What messages call file i of several; room: for the text. */
static const char *file_words(size_t i, char room[32])
{
    static const char *const words[] = {"the first file", "the second file"};
    if (i < 2) return words[i];
    snprintf(room, 32, "file %zu", i + 1);
    return room;
}

static void check_inputs(const tool_job *job)
{
    const tool_options *const o = &job->options;
    char *const *const file = job->operand + (job->usage->all_files || o->mask ? 0 : job->usage->least);
    const char *taken = NULL;
    char room[2][32]; /* of two names: the third one is not needed */
    const bool all = job->usage->all_files;
    size_t files = 0;
    while (file[files]) files++;
    for (size_t i = 0; i < files; i++) take_stdin(&taken, all ? file_words(i, room[taken != NULL]) : "FILE", file[i]);
    const size_t least = job->usage->least, most = job->usage->most;
    if (all ? files < most && most != TOOL_ANY_NUMBER : files == 0 && most > least) take_stdin(&taken, "FILE", NULL);
    if (o->heads) take_stdin(&taken, "--heads", o->heads);
    if (o->offsets) take_stdin(&taken, "--offsets", o->offsets);
    if (o->lengths) take_stdin(&taken, "--lengths", o->lengths);
    if (o->mask) take_stdin(&taken, "--mask", o->mask);
    if (o->values) take_stdin(&taken, "--values", o->values);
    if (o->edges) take_stdin(&taken, "--edges", o->edges);
    if (o->keys && strcmp(o->keys, "-") == 0) take_stdin(&taken, "--keys", o->keys);
}

static void check_outputs(const tool_options *o)
{
    const char *const array = o->output ? o->output : "-";
    const char *const also = o->values_out ? o->values_out : o->both ? o->both : o->counts ? o->counts : o->keys_out;
    if (also && tool_same_target(array, also))
        tool_die(TOOL_USAGE, "the %s and %s would both go to %s; write one to another file",
                 o->values_out ? "sorted array" : "results",
                 o->values_out ? "--values-out"
                 : o->both     ? "--both"
                 : o->counts   ? "--counts"
                               : "--keys-out",
                 strcmp(array, "-") == 0 ? "stdout" : array);
}

/* --- beginning and end -------------------------------------------------------------------------------------------- */

/* Ends with the library's message, and adds --device if the message does not say where the device was named. */
static _Noreturn void device_failed(oplus_status status, const char *where)
{
    static const char said[] = "there is no device ";
    const enum tool_exit code = status == OPLUS_ERR_ARGUMENT ? TOOL_USAGE
                                : status == OPLUS_ERR_MEMORY ? TOOL_FAILED
                                                             : TOOL_NO_DEVICE;
    const char *words = tool_words(oplus_last_error());
    if (!where || strstr(words, "--device is") || strstr(words, "environment variable OPLUS_ISA"))
        tool_die(code, "%s", words);
    const char *const why = strncmp(words, said, strlen(said)) == 0 ? strstr(words, ": ") : NULL;
    tool_die(code, "--device %s: %s", where, why ? why + strlen(": ") : words);
}

/* Where to compute if no option says so: ranks of one node share its cores. */
static void default_device(char *where, size_t bytes)
{
    const int cores = tool_ranks_cores();
    if (getenv("OMP_NUM_THREADS"))
        snprintf(where, bytes, "threads");
    else
        snprintf(where, bytes, "threads:%d", cores < 1024 ? cores : 1024);
}

static void open_device(tool_job *job)
{
    char where[32] = "";
    const tool_options *const o = &job->options;
    if (o->threads && o->device) tool_die(TOOL_USAGE, "--threads and --device both say where; give one of them");
    if (o->threads) snprintf(where, sizeof where, "threads:%zu", tool_options_number("threads", o->threads, 1));
    if (!o->threads && !o->device && tool_ranks_cores() > 0) default_device(where, sizeof where);
    const oplus_status status = oplus_open(*where ? where : o->device, &job->dev);
    const char *const range = o->threads ? strstr(oplus_last_error(), "; ") : NULL;
    if (status == OPLUS_ERR_ARGUMENT && range) tool_die(TOOL_USAGE, "--threads is '%s'%s", o->threads, range);
    if (status != OPLUS_OK) device_failed(status, o->device);
}

/* The argument that looked like --all was something else. */
static void leave_ranks(tool_job *job)
{
    tool_ranks_close();
    job->comm = NULL;
}

/* Of a command whose first operand is no file: refuses the operands the wrong way round. */
static void check_first(const tool_job *job)
{
    const char *const first = job->operand[0], *const second = first ? job->operand[1] : NULL;
    if (!second || job->usage->all_files || job->usage->least == 0 || job->options.mask) return;
    if (strcmp(second, "-") != 0 && access(first, F_OK) == 0 && access(second, F_OK) != 0)
        tool_die(TOOL_USAGE, "there is no file '%s', but a file '%s'; files come last: oplus %s %s", second, first,
                 job->usage->name, job->usage->operands);
}

void tool_job_open(tool_job *job, const tool_usage *usage, int argc, char **argv)
{
    *job = (tool_job){.usage = usage, .started = tool_seconds()};
    if (tool_ranks_asked(argc, argv)) job->comm = tool_ranks_open();
    job->operand = argv + tool_options_parse(usage, argc, argv, &job->options);
    if (!job->options.all) leave_ranks(job);
    if (job->options.quiet) tool_warn_off();
    if (job->options.type) job->type = tool_type("-t", job->options.type);
    if (job->options.format) tool_format_parse("--format", job->options.format);
    if (job->options.to) tool_format_parse("--to", job->options.to);
    check_first(job);
    check_inputs(job);
    check_outputs(&job->options);
    open_device(job);
    tool_threads_as(job->dev);
    tool_explain_begin(&job->options, job->dev);
    tool_progress_begin(job->options.quiet || job->comm); /* each rank reads its part at once */
}

void tool_job_close(tool_job *job)
{
    tool_progress_end();
    oplus_close(job->dev);
    tool_ranks_close();
}

/* --- input and output --------------------------------------------------------------------------------------------- */

static tool_format asked(const char *option, const char *text)
{
    return text ? tool_format_parse(option, text) : TOOL_AUTO;
}

static tool_source *open_input(const tool_job *job, const char *name, const char *path, tool_format format,
                               const oplus_type *type, const char *option)
{
    if (job->comm) tool_part_check_input(name, path);
    tool_source *const source = tool_source_open_as(path, format, type, option, job->dev);
    if (job->comm) tool_part_narrow(job->comm, source);
    return source;
}

tool_source *tool_job_input(const tool_job *job, const char *path)
{
    tool_source *const source = tool_job_columns(job, path, false);
    const size_t lanes = tool_source_lanes(source);
    if (lanes > 1) tool_die(TOOL_USAGE, "--column %s: it is one column here, and not %zu", job->options.column, lanes);
    return source;
}

tool_source *tool_job_columns(const tool_job *job, const char *path, bool every)
{
    if (tool_job_is_table(job, path)) return tool_table_source(job, path, every);
    return open_input(job, "FILE", path, asked("--format", job->options.format), job->type, "-t");
}

void tool_job_refuse_integers(const tool_job *job, const char *name, const char *path)
{
    const bool are = strpbrk(path, "0123456789") && strspn(path, "-,0123456789") == strlen(path);
    if (are && access(path, F_OK) != 0)
        tool_die(TOOL_USAGE,
                 "%s is '%s', and there is no such file; to give the integers themselves: "
                 "echo 2 0 | oplus %s - FILE",
                 name, path, job->usage->name);
}

tool_source *tool_job_input_as(const tool_job *job, const char *name, const char *path, const oplus_type *type,
                               const char *option)
{
    tool_source *const table = tool_table_source_as(job, path, type, option);
    return table ? table : open_input(job, name, path, TOOL_AUTO, type, option);
}

tool_sink *tool_job_output_as(const tool_job *job, const char *name, const char *path, tool_format format,
                              const oplus_type *type, int dims, const uint64_t *shape)
{
    if (!job->comm) return tool_sink_open(path, format, type, dims, shape);
    tool_part_check_output(name, path, format);
    return tool_part_sink(job->comm, path, format, type, dims, shape);
}

tool_sink *tool_job_output(const tool_job *job, const tool_source *in, const oplus_type *type, int dims,
                           const uint64_t *shape)
{
    const char *const path = job->options.output;
    const tool_format from = in ? tool_source_format(in) : TOOL_TEXT;
    const tool_format to = tool_sink_choose(asked("--to", job->options.to), path, from);
    tool_sink *const sink = tool_job_output_as(job, "-o", path, to, type, dims, shape);
    if (in) tool_sink_separate(sink, tool_source_between(in));
    if (tool_sink_is_stdout(sink) && isatty(STDOUT_FILENO)) tool_progress_end(); /* results appear as they come */
    return sink;
}

/* dims, shape: see tool_sink_open */
static void write_values(const tool_job *job, const tool_source *in, const oplus_type *type, const void *values,
                         size_t n, int dims, const uint64_t *shape)
{
    const tool_format to = tool_sink_choose(asked("--to", job->options.to), job->options.output, TOOL_TEXT);
    tool_sink *const sink = tool_sink_open(job->options.output, to, type, dims, shape);
    tool_sink_separate(sink, tool_source_between(in));
    if (tool_sink_is_stdout(sink)) tool_progress_end();
    tool_sink_write(sink, values, n);
    tool_sink_close(sink);
}

void tool_job_value(const tool_job *job, const tool_source *in, const oplus_type *type, const void *value)
{
    tool_explain_nothing(&job->options);
    if (!job->comm || job->comm->rank == 0) write_values(job, in, type, value, 1, 0, NULL);
    tool_ranks_agree();
}

void tool_job_values(const tool_job *job, const tool_source *in, const oplus_type *type, const void *values, size_t n)
{
    const uint64_t row[] = {1, n};
    tool_explain_nothing(&job->options);
    const tool_format to = tool_sink_choose(asked("--to", job->options.to), job->options.output, TOOL_TEXT);
    const int dims = to == TOOL_NPY ? 1 : 2;
    write_values(job, in, type, values, n, dims, row + 2 - dims);
}

void tool_job_write(const tool_job *job, tool_sink *sink, const void *in, size_t n)
{
    if (job->comm) {
        tool_part_write(job->comm, sink, in, n);
        return;
    }
    const size_t size = tool_sink_type(sink)->size, piece = WRITE_BYTES / size + 1;
    tool_progress_phase("writing");
    for (size_t at = 0; at < n; at += piece) {
        tool_sink_write(sink, (const char *)in + at * size, piece < n - at ? piece : n - at);
        tool_progress_show((uint64_t)at * size, (uint64_t)n * size);
    }
}

bool tool_job_next(const tool_source *watched, tool_source *source, const void **piece, size_t *n)
{
    tool_progress_show(tool_source_done(watched), tool_source_total(watched));
    if (tool_source_next(source, piece, n)) return true;
    tool_progress_end();
    return false;
}

/* --- lists of integers -------------------------------------------------------------------------------------------- */

static int64_t integer_at(const oplus_type *type, const void *in, size_t i, const char *name)
{
    int64_t value = 0;
    const bool is_signed = type->scalar >= OPLUS_I8 && type->scalar <= OPLUS_I64;
    memcpy(&value, (const char *)in + i * type->size, type->size); /* little-endian: see type.h */
    const int spare = 64 - 8 * (int)type->size;
    if (is_signed) value = (int64_t)((uint64_t)value << spare) >> spare;
    if (!is_signed && value < 0) tool_die(TOOL_FAILED, "%s: element %zu is 2^63 or more", name, i);
    return value;
}

int64_t *tool_job_integers(tool_source *source, size_t *n)
{
    const oplus_type *const type = tool_source_type(source);
    const void *const in = tool_source_all(source, n);
    if (*n > 0 && (type->scalar < OPLUS_I8 || type->scalar > OPLUS_U64))
        tool_die(TOOL_FAILED, "%s: its elements are %s; integers are needed", tool_source_name(source),
                 tool_type_name(type));
    int64_t *const values = tool_alloc((*n + 1) * sizeof *values); /* room for one more */
    for (size_t i = 0; i < *n; i++) values[i] = integer_at(type, in, i, tool_source_name(source));
    return values;
}

/* --- the report --------------------------------------------------------------------------------------------------- */

tool_place tool_place_of(const oplus_device *dev)
{
    tool_place place;
    const char *const name = oplus_device_name(dev), *const blank = strchr(name, ' ');
    snprintf(place.name, sizeof place.name, "%.*s", blank ? (int)(blank - name) : (int)strlen(name), name);
    snprintf(place.isa, sizeof place.isa, "%s", blank ? blank + 1 : "");
    return place;
}

cJSON *tool_job_report(const tool_job *job, const oplus_type *type, uint64_t n)
{
    tool_explain_nothing(&job->options);
    cJSON *const report = cJSON_CreateObject();
    if (!report) tool_die(TOOL_FAILED, "out of memory");
    cJSON_AddStringToObject(report, "command", job->usage->name);
    cJSON_AddStringToObject(report, "type", tool_type_name(type));
    tool_json_add_count(report, "n", n);
    const tool_place place = tool_place_of(job->dev);
    cJSON_AddStringToObject(report, "device", place.name);
    cJSON_AddStringToObject(report, "isa", place.isa);
    if (job->comm) cJSON_AddNumberToObject(report, "ranks", job->comm->size);
    char seconds[32];
    snprintf(seconds, sizeof seconds, "%.6f", tool_seconds() - job->started);
    cJSON_AddRawToObject(report, "seconds", seconds);
    return report;
}

static void print(const tool_job *job, cJSON *report, FILE *to)
{
    tool_progress_end();
    if (job->options.json)
        tool_json_print(to, report);
    else
        cJSON_Delete(report);
}

void tool_job_print(const tool_job *job, cJSON *report) { print(job, report, stdout); }

static void close_sinks(const tool_job *job, tool_sink *sink)
{
    if (job->comm) {
        tool_part_close(job->comm, sink, job->also);
    } else {
        tool_sink_complete(sink);
        if (job->also) tool_sink_close(job->also);
        tool_sink_close(sink);
    }
}

void tool_job_finish(const tool_job *job, tool_sink *sink, cJSON *report, int dims, const uint64_t *shape)
{
    const uint64_t n = tool_sink_count(sink);
    const bool on_stdout = tool_sink_is_stdout(sink);
    cJSON *const extents = cJSON_AddArrayToObject(report, "shape");
    for (int d = 0; d < (dims < 0 ? 1 : dims); d++)
        cJSON_AddItemToArray(extents, tool_json_value(&oplus_u64, dims < 0 ? &n : &shape[d]));
    cJSON_AddStringToObject(report, "output", tool_sink_name(sink));
    tool_progress_end();
    close_sinks(job, sink);
    print(job, report, on_stdout ? stderr : stdout);
}

void tool_job_list(const tool_job *job, const tool_source *in, const oplus_type *type, const void *elements, size_t n,
                   cJSON *report)
{
    tool_job own = *job;
    own.comm = NULL;
    if (!job->comm || job->comm->rank == 0) {
        tool_sink *const sink = tool_job_output(&own, job->comm ? NULL : in, type, -1, NULL);
        tool_job_write(&own, sink, elements, n);
        tool_job_finish(&own, sink, report, -1, NULL);
    } else {
        cJSON_Delete(report);
    }
    tool_ranks_agree();
}
