/* oplus unique: runs of equal neighbours. */
#include "job.h"
#include "progress.h"
#include "ranks.h"
#include "replace.h"
#include "tool.h"

#include <oplus/runs.h>

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const tool_usage usage = {
    .name = "unique",
    .operands = "[FILE]",
    .least = 0,
    .most = 1,
    .about = "Writes the first element of each run of equal neighbours in FILE (default: stdin).  Of a\n"
             "sorted file this is each element once.  Elements are equal if their bits are: 0 and -0\n"
             "are not.  The whole array is held in memory.\n",
    .options = "counts indices " TOOL_TABLE_OPTIONS TOOL_INPUT_OPTIONS TOOL_OUTPUT_OPTIONS TOOL_ALL_OPTIONS,
    .examples = {"printf '5 5 5 8 8 5' | oplus unique", "printf '3 1 3 2' | oplus sort | oplus unique",
                 "oplus unique x.npy -o values.npy --counts counts.npy"},
    .exit_codes = TOOL_EXIT_CODES,
};

static void write_counts(tool_job *job, const tool_source *in, const int64_t *counts, size_t runs)
{
    const char *const path = job->options.counts;
    const tool_format format = tool_sink_choose(TOOL_AUTO, path, tool_source_format(in));
    job->also = tool_job_output_as(job, "--counts", path, format, &oplus_i64, -1, NULL);
    tool_job_write(job, job->also, counts, runs);
    tool_sink_complete(job->also);
}

/* Of the runs of several ranks each gets those that begin on it. */
static oplus_status find(const tool_job *job, const oplus_type *type, const void *in, size_t n, void *out,
                         int64_t *counts, int64_t *firsts, size_t *runs)
{
    if (!job->comm) return oplus_unique(job->dev, type, NULL, in, n, out, &oplus_i64, counts, firsts, NULL, runs);
    return oplus_unique_all(job->dev, job->comm, type, NULL, OPLUS_AS_GIVEN, in, n, out, &oplus_i64, counts, firsts, n,
                            NULL, runs);
}

/* uniq -c has no file of its own: `oplus unique --counts data.txt` must not write over the data. */
static void check_counts(const tool_job *job)
{
    struct stat in, there;
    const char *const path = job->options.counts, *const file = job->operand[0];
    if (!path || stat(path, &there) != 0 || !S_ISREG(there.st_mode)) return;
    if (file && tool_same_target(file, path))
        tool_die(TOOL_USAGE, "--counts %s: the counts would be written over the input; give them a file of their own",
                 path);
    if (!file && fstat(STDIN_FILENO, &in) == 0 && S_ISCHR(in.st_mode))
        tool_die(TOOL_USAGE,
                 "--counts %s: the counts are written to this file, which exists, and there is no FILE to read: "
                 "oplus unique FILE --counts COUNTS",
                 path);
}

int tool_unique(int argc, char **argv)
{
    tool_job job;
    size_t n, runs = 0;
    tool_job_open(&job, &usage, argc, argv);
    const tool_options *const o = &job.options;
    check_counts(&job);
    tool_source *const source = tool_job_input(&job, job.operand[0]);
    const oplus_type *const type = tool_source_type(source);
    const void *const in = tool_source_all(source, &n);
    void *const out = tool_alloc(n * type->size + 1);
    int64_t *const counts = o->counts ? tool_alloc(n * sizeof *counts + 1) : NULL;
    int64_t *const firsts = o->indices ? tool_alloc(n * sizeof *firsts + 1) : NULL;
    tool_ranks_agree();
    tool_progress_work("comparing");
    tool_try(find(&job, type, in, n, out, counts, firsts, &runs));
    tool_sink *const sink = tool_job_output(&job, source, firsts ? &oplus_i64 : type, -1, NULL);
    tool_job_write(&job, sink, firsts ? (const void *)firsts : out, runs);
    if (counts) write_counts(&job, source, counts, runs);
    cJSON *const report = tool_job_report(&job, type, tool_source_extent(source));
    tool_json_add_count(report, "runs", tool_sink_count(sink));
    tool_job_finish(&job, sink, report, -1, NULL);

    free(firsts);
    free(counts);
    free(out);
    tool_source_close(source);
    tool_job_close(&job);
    return TOOL_GOOD;
}
