/* oplus segreduce: one value a segment. */
#include "job.h"
#include "keys.h"
#include "operator.h"
#include "progress.h"
#include "ranks.h"
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
        TOOL_OPERATOR_OPTIONS "all " TOOL_RUN_OPTIONS,
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
    tool_keys keys = tool_keys_open(job, array);
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

/* Reduces one value for each segment, and sets *segments to the number that this rank has of them. */
static void *reduce(tool_job *job, const oplus_op *op, const tool_source *source, const void *in, size_t n,
                    size_t *segments)
{
    const tool_segments s = find_segments(job, source, n);
    void *const out = tool_alloc(s.count * op->type->size + 1);
    tool_progress_work("reducing");
    tool_try(oplus_segreduce(job->dev, op, in, n, &oplus_u64, s.offsets, s.count, out));
    free(s.offsets);
    *segments = s.count;
    return out;
}

/* The same of this rank's part: segments may begin on one rank and end on another. */
static void *reduce_part(tool_job *job, const oplus_op *op, const tool_source *source, const void *in, size_t n,
                         size_t *segments)
{
    const char *const path = job->options.keys_out;
    if (!job->options.keys) tool_die(TOOL_USAGE, "with --all, segments are said by --keys");
    tool_keys keys = tool_keys_open(job, source);
    const oplus_type *const key = tool_source_type(keys.source);
    void *const each = tool_alloc(n * key->size + 1), *const out = tool_alloc(n * op->type->size + 1);
    tool_ranks_agree();
    tool_try(oplus_reduce_by_key_all(job->dev, job->comm, op, key, NULL, OPLUS_AS_GIVEN, keys.key, in, n, each, out, n,
                                     segments));
    if (path) {
        const tool_format to = tool_sink_choose(TOOL_AUTO, path, tool_source_format(keys.source));
        job->also = tool_job_output_as(job, "--keys-out", path, to, key, -1, NULL);
        tool_job_write(job, job->also, each, *segments);
        tool_sink_complete(job->also);
    }
    free(each);
    tool_keys_close(&keys);
    return out;
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
    size_t segments = 0;
    void *const out = (job.comm ? reduce_part : reduce)(&job, op.op, source, in, n, &segments);
    tool_sink *const sink = tool_job_output(&job, source, type, -1, NULL);
    tool_rounding rounding = {0};
    tool_rounding_see(&rounding, source, type, out, segments);
    tool_job_write(&job, sink, out, segments);
    cJSON *const report = tool_job_report(&job, type, tool_source_extent(source));
    tool_json_add_count(report, "segments", tool_sink_count(sink));
    tool_job_finish(&job, sink, report, -1, NULL);
    tool_rounding_tell(&rounding, source, job.operand[0]);

    free(out);
    tool_operator_close(&op);
    tool_source_close(source);
    tool_job_close(&job);
    return TOOL_GOOD;
}
