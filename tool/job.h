/* What every subcommand does around its work: options, device, input, output, progress, report. */
#ifndef TOOL_JOB_H
#define TOOL_JOB_H

#include "json.h"
#include "options.h"
#include "sink.h"
#include "source.h"

enum { TOOL_PIECE_BYTES = 8 << 20 }; /* of results that are computed at once: fits a cache, and keeps threads busy */

typedef struct tool_job {
    const tool_usage *usage;
    tool_options options;
    char **operand;         /* argv behind the options; NULL ends it */
    const oplus_type *type; /* --type, or NULL */
    oplus_device *dev;
    double started; /* seconds */
} tool_job;

/* Reads the options, refuses what contradicts itself (two inputs from stdin, two outputs to one place), and opens the
 * device; ends the command where that fails. */
void tool_job_open(tool_job *job, const tool_usage *usage, int argc, char **argv);
void tool_job_close(tool_job *job);

/* Ends the command if a call of the library failed, with its message in the words of the command line. */
void tool_try(oplus_status status);
/* A message of the library in these words; the caller frees it. */
char *tool_words(const char *message);
/* A type in a sentence: "i64", "struct {float a; float b;}"; the caller frees it. */
char *tool_type_words(const oplus_type *type);

/* FILE as --type and --format say; path NULL: stdin. */
tool_source *tool_job_input(const tool_job *job, const char *path);
/* Where the results go, as -o and --to say; in: the format that came in.  dims, shape: see tool_sink_open. */
tool_sink *tool_job_output(const tool_job *job, tool_format in, const oplus_type *type, int dims,
                           const uint64_t *shape);
/* tool_source_next, with progress. */
bool tool_job_next(const tool_source *watched, tool_source *source, const void **piece, size_t *n);

/* All integers of a small file (heads, offsets, lengths): .npy of any integer type, or text. */
int64_t *tool_job_integers(const tool_job *job, const char *path, size_t *n);

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
/* Closes the sink, adds to the report where the array went and its shape (dims, shape: as for the sink), and prints it;
 * to stderr if the array went to stdout. */
void tool_job_finish(const tool_job *job, tool_sink *sink, cJSON *report, int dims, const uint64_t *shape);

#endif
