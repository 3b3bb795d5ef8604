/* oplus segreduce: one value a segment. */
#include "job.h"
#include "keys.h"
#include "operator.h"
#include "progress.h"
#include "rounding.h"
#include "segments.h"
#include "table/by_row.h"
#include "tool.h"

#include <stdlib.h>

static const tool_usage usage = {
    .name = "segreduce",
    .operands = "OP [FILE] --keys|--lengths|--offsets|--heads WHERE",
    .least = 1,
    .most = 2,
    .about = "Combines the elements of each segment of FILE (default: stdin) into one.  One of four\n"
             "options says where the segments are.  The whole array is held in memory.\n\n" TOOL_OPERATOR_ABOUT,
    .options = "keys keys-out into lengths offsets heads " TOOL_TABLE_OPTIONS TOOL_INPUT_OPTIONS TOOL_OUTPUT_OPTIONS
        TOOL_OPERATOR_OPTIONS TOOL_RUN_OPTIONS,
    .examples = {"seq 1 6 | oplus segreduce sum --lengths lengths.txt",
                 "seq 1 6 | oplus segreduce max --offsets offsets.txt", "oplus segreduce min x.npy --heads heads.npy",
                 "oplus segreduce sum --header --keys region --column qty sales.csv"},
    .exit_codes = TOOL_EXIT_CODES,
};

static tool_segments from_heads(const int64_t *heads, size_t count, size_t n, const char *file)
{
    if (count != n)
        tool_die(TOOL_FAILED, "%s has %zu heads; there are %zu elements, and a head for each", file, count, n);
    tool_segments s = {tool_alloc((n + 1) * sizeof *s.offsets), 0};
    for (size_t i = 0; i < n; i++)
        if (i == 0 || heads[i] != 0) s.offsets[s.count++] = i;
    s.offsets[s.count] = n;
    return s;
}

static tool_segments from_keys(tool_job *job, const tool_source *array, size_t n)
{
    tool_segments s = {tool_alloc((n + 1) * sizeof *s.offsets), 0};
    tool_keys keys = tool_keys_open(job, tool_source_name(array), n);
    for (size_t i = 0; i < n; i++)
        if (tool_keys_head(&keys, i)) s.offsets[s.count++] = i;
    s.offsets[s.count] = n;
    tool_keys_check(job, &keys, s.offsets, s.count);
    tool_keys_write(job, &keys, s.offsets, s.count);
    tool_keys_close(&keys);
    return s;
}

static tool_segments find_segments(tool_job *job, const tool_source *array, size_t n)
{
    const tool_options *const o = &job->options;
    if (o->keys) return from_keys(job, array, n);
    return o->heads ? tool_segments_read(job, "--heads", o->heads, n, from_heads) : tool_segments_of(job, n);
}

int tool_segreduce(int argc, char **argv)
{
    tool_job job;
    size_t n;
    tool_job_open(&job, &usage, argc, argv);
    const tool_options *const o = &job.options;
    if (!o->lengths + !o->offsets + !o->heads + !o->keys != 3)
        tool_die(TOOL_USAGE, "where the segments are is said by one of --keys, --lengths, --offsets and --heads");
    if (o->keys && tool_job_is_table(&job, job.operand[1])) return tool_table_segreduce(&job);
    tool_keys_only(o);
    tool_source *const source = tool_job_input(&job, job.operand[1]);
    tool_operator_fit(job.operand[0], source);
    const oplus_type *const type = tool_source_type(source);
    tool_operator op = tool_operator_open(job.operand[0], type, o);

    const void *const in = tool_source_all(source, &n);
    const tool_segments s = find_segments(&job, source, n);
    void *const out = tool_alloc(s.count * type->size + 1);
    tool_progress_work("reducing");
    tool_try(oplus_segreduce(job.dev, op.op, in, n, &oplus_u64, s.offsets, s.count, out));

    tool_sink *const sink = tool_job_output(&job, source, type, -1, NULL);
    tool_rounding rounding = {0};
    tool_rounding_see(&rounding, source, type, out, s.count);
    tool_sink_write(sink, out, s.count);
    cJSON *const report = tool_job_report(&job, type, n);
    tool_json_add_count(report, "segments", s.count);
    tool_job_finish(&job, sink, report, -1, NULL);
    tool_rounding_tell(&rounding, source, job.operand[0]);

    free(out);
    free(s.offsets);
    tool_operator_close(&op);
    tool_source_close(source);
    tool_job_close(&job);
    return TOOL_GOOD;
}
