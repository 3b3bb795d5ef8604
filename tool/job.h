/* What every subcommand does around its work: options, device, input, output, progress, report. */
#ifndef TOOL_JOB_H
#define TOOL_JOB_H

#include "json.h"
#include "options.h"
#include "sink.h"
#include "source.h"

#include <oplus/ranks.h>

enum { TOOL_PIECE_BYTES = 8 << 20 }; /* of results that are computed at once: fits a cache, and keeps threads busy */

typedef struct tool_job {
    const tool_usage *usage;
    tool_options options;
    char **operand;         /* argv behind the options; NULL ends it */
    const oplus_type *type; /* --type, or NULL */
    oplus_device *dev;
    const oplus_comm *comm; /* --all: of the ranks; else NULL */
    double started;         /* seconds */
    tool_sink *also;        /* a second result; neither takes its name before both are written */
} tool_job;

/* Reads the options, refuses what contradicts itself (two inputs from stdin, two outputs to one place), and opens the
 * device; ends the command where that fails. */
void tool_job_open(tool_job *job, const tool_usage *usage, int argc, char **argv);
void tool_job_close(tool_job *job);

/* Ends the command if a call of the library failed, with its message in the words of the command line. */
void tool_try(oplus_status status);
/* With --explain: the first call that computes is explained in place of being done, and ends the command; tool_try sees
 * to it.  This is for where no such call may come: there is nothing to compute. */
void tool_job_explain_nothing(const tool_job *job);
/* A message of the library in these words; the caller frees it. */
char *tool_words(const char *message);
/* A type in a sentence: "i64", "struct {float a; float b;}"; the caller frees it. */
char *tool_type_words(const oplus_type *type);

/* With --all an input is this rank's part of it, an output is written by all ranks, and the calls from here on are made
 * by all of them. */

/* FILE as --type and --format say; path NULL: stdin. */
tool_source *tool_job_input(const tool_job *job, const char *path);
/* The same; of a table, several columns too, tool_source_lanes of them, whose elements come in turn.  every: all, if
 * none is said; else one. */
tool_source *tool_job_columns(const tool_job *job, const char *path, bool every);
/* Another file, of the type that an option names, --values-type, and `name` is told in messages, --values. */
tool_source *tool_job_input_as(const tool_job *job, const char *name, const char *path, const oplus_type *type,
                               const char *option);
/* Where the results go, as -o and --to say; in: the array that came in, whose format
 * and delimiter they have else; NULL: text.  dims, shape: see tool_sink_open. */
tool_sink *tool_job_output(const tool_job *job, const tool_source *in, const oplus_type *type, int dims,
                           const uint64_t *shape);
tool_sink *tool_job_output_as(const tool_job *job, const char *name, const char *path, tool_format format,
                              const oplus_type *type, int dims, const uint64_t *shape);
/* A single value, as text if nothing else is asked for; of several ranks the first writes it. */
void tool_job_value(const tool_job *job, const tool_source *in, const oplus_type *type, const void *value);
/* The same of n values, a column each: a row. */
void tool_job_values(const tool_job *job, const tool_source *in, const oplus_type *type, const void *values, size_t n);
/* All that there is to write. */
void tool_job_write(const tool_job *job, tool_sink *sink, const void *in, size_t n);
/* tool_source_next, with progress. */
bool tool_job_next(const tool_source *watched, tool_source *source, const void **piece, size_t *n);

/* All integers of a small file (heads, offsets, lengths), of any integer type. */
int64_t *tool_job_integers(tool_source *source, size_t *n);

/* Where a device computes, of its name "threads:2 avx512": as --device takes it, and the instruction set (of an
 * accelerator: what its driver calls it). */
typedef struct tool_place {
    char name[64], isa[192];
} tool_place;
tool_place tool_place_of(const oplus_device *dev);

/* A report for --json: subcommand, type, n, device, seconds so far. */
cJSON *tool_job_report(const tool_job *job, const oplus_type *type, uint64_t n);
/* Prints it to stdout if --json was given, and frees it. */
void tool_job_print(const tool_job *job, cJSON *report);
/* Closes the sink, and job->also if there is one, adds to the report where the array went and its shape (dims, shape:
 * as for the sink), and prints it; to stderr if the array went to stdout. */
void tool_job_finish(const tool_job *job, tool_sink *sink, cJSON *report, int dims, const uint64_t *shape);

#endif
