/* oplus repeat: elements, each so many times. */
#include "job.h"
#include "progress.h"
#include "tool.h"

#include <stdlib.h>

static const tool_usage usage = {
    .name = "repeat",
    .operands = "COUNTS [FILE]",
    .least = 1,
    .most = 2,
    .all_files = true,
    .about = "Prints each element of FILE (default: stdin) as often as the integer in the same place of the\n"
             "file COUNTS says; 0: not at all.  All arrays are held in memory.\n",
    .options = TOOL_TABLE_OPTIONS TOOL_INPUT_OPTIONS TOOL_OUTPUT_OPTIONS TOOL_CALL_OPTIONS,
    .examples = {"seq 10 10 60 | oplus repeat counts.txt", "oplus repeat counts.txt x.npy -o longer.npy",
                 "seq 6 | oplus repeat counts.txt -t u8 -o longer.npy"},
    .exit_codes = TOOL_EXIT_CODES,
};

static void refuse_negative(const tool_source *given, const int64_t *counts, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (counts[i] < 0)
            tool_die(TOOL_FAILED, "%s: count %zu is %lld; give counts of at least 0", tool_source_name(given), i + 1,
                     (long long)counts[i]);
}

int tool_repeat(int argc, char **argv)
{
    tool_job job;
    size_t n, count, total = 0;
    tool_job_open(&job, &usage, argc, argv);
    tool_job_refuse_integers(&job, "COUNTS", job.operand[0]);
    tool_source *const source = tool_job_input(&job, job.operand[1]);
    const oplus_type *const type = tool_source_type(source);
    const void *const in = tool_source_all(source, &n);
    tool_source *const given = tool_job_input_as(&job, "COUNTS", job.operand[0], NULL, NULL);
    int64_t *const counts = tool_job_integers(given, &count);
    if (count != n)
        tool_die(TOOL_FAILED, "%s has %zu counts and %s has %zu elements; give a count for each element",
                 tool_source_name(given), count, tool_source_name(source), n);
    refuse_negative(given, counts, n);
    tool_source_close(given);

    /* An explanation finds no total. */
    if (!job.options.explain) tool_try(oplus_repeat(job.dev, type, NULL, n, &oplus_i64, counts, NULL, 0, &total));
    if (total > PTRDIFF_MAX / type->size - 1)
        tool_die(TOOL_FAILED, "the counts make %zu elements of %zu bytes; so many do not fit into memory", total,
                 type->size);
    void *const out = tool_alloc((total + 1) * type->size);
    tool_progress_work("repeating");
    tool_try(oplus_repeat(job.dev, type, in, n, &oplus_i64, counts, out, total + 1, &total));
    tool_sink *const sink = tool_job_output(&job, source, type, -1, NULL);
    tool_sink_write(sink, out, total);
    cJSON *const report = tool_job_report(&job, type, n);
    tool_json_add_count(report, "made", total);
    tool_job_finish(&job, sink, report, -1, NULL);

    free(out);
    free(counts);
    tool_source_close(source);
    tool_job_close(&job);
    return TOOL_GOOD;
}
