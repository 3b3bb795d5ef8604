/* What every subcommand does around its work: options, device, input, output, progress, report. */
#ifndef TOOL_JOB_H
#define TOOL_JOB_H

#include "call.h"
#include "json.h"
#include "options.h"
#include "sink.h"
#include "source.h"

#include <oplus/ranks.h>

enum { TOOL_PIECE_BYTES = 8 << 20 }; /* of results computed at once: fits a cache, and keeps threads busy */

typedef struct tool_job {
    const tool_usage *usage;
    tool_options options;
    char **operand;         /* argv behind the options; NULL ends it */
    const oplus_type *type; /* --type, or NULL */
    oplus_device *dev;
    const oplus_comm *comm; /* --all: of the ranks; or NULL */
    double started;         /* seconds */
    tool_sink *also;        /* a second result, or NULL; both files get their names after both are written */
} tool_job;

/* Reads the options, refuses contradictions (two inputs from stdin, two outputs to one place), and opens the device;
 * ends the command where that fails. */
void tool_job_open(tool_job *job, const tool_usage *usage, int argc, char **argv);
void tool_job_close(tool_job *job);

/* With --all, an input is this rank's part of the file, all ranks write an output, and all ranks make the following
 * calls. */

/* Opens FILE with --type and --format; path NULL: stdin. */
tool_source *tool_job_input(const tool_job *job, const char *path);
/* The same, but of a table it may take several columns (tool_source_lanes), whose elements come in turn.  If no
 * option names columns: every column if `every`, else the only one. */
tool_source *tool_job_columns(const tool_job *job, const char *path, bool every);
/* Ends the command if `path`, the operand `name`, is no file of integers but such integers themselves. */
void tool_job_refuse_integers(const tool_job *job, const char *name, const char *path);
/* Opens another file.  An option such as --values-type names its type; messages call the file `name`, such as
 * --values. */
tool_source *tool_job_input_as(const tool_job *job, const char *name, const char *path, const oplus_type *type,
                               const char *option);
/* Opens the output as -o and --to say.  Otherwise it has the format and delimiter of `in`, the input; in NULL: text.
 * dims, shape: see tool_sink_open. */
tool_sink *tool_job_output(const tool_job *job, const tool_source *in, const oplus_type *type, int dims,
                           const uint64_t *shape);
tool_sink *tool_job_output_as(const tool_job *job, const char *name, const char *path, tool_format format,
                              const oplus_type *type, int dims, const uint64_t *shape);
/* Writes a single value, as text if no other format is asked for; of several ranks the first one writes. */
void tool_job_value(const tool_job *job, const tool_source *in, const oplus_type *type, const void *value);
/* Writes n values, one for each column, as a row. */
void tool_job_values(const tool_job *job, const tool_source *in, const oplus_type *type, const void *values, size_t n);
/* Writes n elements, which are all of the output. */
void tool_job_write(const tool_job *job, tool_sink *sink, const void *in, size_t n);
/* tool_source_next, with progress. */
bool tool_job_next(const tool_source *watched, tool_source *source, const void **piece, size_t *n);

/* Opens the output, writes n elements, which every rank has and the first one writes (as text, if no other format is asked
 * for), and ends as tool_job_finish. */
void tool_job_list(const tool_job *job, const tool_source *in, const oplus_type *type, const void *elements, size_t n,
                   cJSON *report);

/* All integers of a small file (heads, offsets, lengths), of any integer type. */
int64_t *tool_job_integers(tool_source *source, size_t *n);

/* The parts of a device's name, such as "threads:2 avx512": the device as --device takes it, and the instruction set
 * (for an accelerator: the driver's name of it). */
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
