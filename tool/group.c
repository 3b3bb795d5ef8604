/* oplus group: one value a key, for keys in any order. */
#include "job.h"
#include "keys.h"
#include "operator.h"
#include "progress.h"
#include "ranks.h"
#include "rounding.h"
#include "table/by_row.h"
#include "tool.h"

#include <oplus/runs.h>

#include <stdlib.h>

#define IN_TWO "a table is grouped by two commands: oplus sort by its keys, then oplus segreduce --keys"

static const tool_usage usage = {
    .name = "group",
    .operands = "OP [FILE] --keys KEYS",
    .least = 1,
    .most = 2,
    .about = "Combines the elements of FILE (default: stdin) that have equal keys into one.  KEYS is a\n"
             "file with a number for each element, in any order.  Results come in the order of the\n"
             "keys; the elements of a key are combined in their order.  There is no hash: the bits do\n"
             "not depend on threads or devices.  All is held in memory.  For tables:\n"
             "oplus sort, then oplus segreduce --keys.\n\n" TOOL_OPERATOR_ABOUT,
    .options =
        "keys keys-out descending " TOOL_INPUT_OPTIONS TOOL_OUTPUT_OPTIONS TOOL_OPERATOR_OPTIONS TOOL_ALL_OPTIONS,
    .examples = {"seq 6 | oplus group sum --keys heads.txt", "seq 6 | oplus group max --keys heads.txt --descending",
                 "oplus group sum x.npy --keys heads.npy -o sums.npy --keys-out keys.npy"},
    .exit_codes = TOOL_EXIT_CODES,
    .tables = IN_TWO,
};

static void write_keys(tool_job *job, const tool_source *source, const void *keys, size_t groups)
{
    const char *const path = job->options.keys_out;
    if (!path) return;
    const tool_format format = tool_sink_choose(TOOL_AUTO, path, tool_source_format(source));
    job->also = tool_job_output_as(job, "--keys-out", path, format, tool_source_type(source), -1, NULL);
    tool_job_write(job, job->also, keys, groups);
    tool_sink_complete(job->also);
}

/* Of the groups of several ranks each gets some, in their order. */
static oplus_status group(const tool_job *job, const oplus_op *op, const tool_keys *keys, const void *in, size_t n,
                          void *each, void *out, size_t *groups)
{
    const oplus_type *const key = tool_source_type(keys->source);
    const oplus_order order = job->options.descending ? OPLUS_DESCENDING : OPLUS_ASCENDING;
    if (!job->comm) return oplus_group(job->dev, op, key, order, keys->key, in, n, each, out, groups);
    return oplus_group_all(job->dev, job->comm, op, key, order, OPLUS_AS_GIVEN, keys->key, in, n, each, out, n, groups);
}

int tool_group(int argc, char **argv)
{
    tool_job job;
    size_t n, groups = 0;
    tool_job_open(&job, &usage, argc, argv);
    const tool_options *const o = &job.options;
    if (!o->keys) tool_die(TOOL_USAGE, "which elements belong together is said by --keys FILE, a key for each");
    if (tool_job_is_table(&job, job.operand[1])) tool_die(TOOL_USAGE, IN_TWO);
    tool_source *const source = tool_job_input(&job, job.operand[1]);
    tool_operator_fit(job.operand[0], source);
    const oplus_type *const type = tool_source_type(source);
    tool_operator op = tool_operator_open(job.operand[0], type, o);
    const void *const in = tool_source_all(source, &n);
    tool_keys keys = tool_keys_open(&job, source);
    const oplus_type *const key = tool_source_type(keys.source);
    if (key->scalar == OPLUS_RECORD)
        tool_die(TOOL_USAGE, "keys of type %s have no order; give numbers", tool_type_words(key));

    void *const out = tool_alloc(n * type->size + 1), *const each = tool_alloc(n * key->size + 1);
    tool_ranks_agree();
    tool_progress_work("grouping");
    tool_try(group(&job, op.op, &keys, in, n, each, out, &groups));
    tool_sink *const sink = tool_job_output(&job, source, type, -1, NULL);
    tool_rounding rounding = {0};
    tool_rounding_see(&rounding, source, type, out, groups);
    tool_job_write(&job, sink, out, groups);
    write_keys(&job, keys.source, each, groups);
    cJSON *const report = tool_job_report(&job, type, tool_source_extent(source));
    tool_json_add_count(report, "groups", tool_sink_count(sink));
    tool_job_finish(&job, sink, report, -1, NULL);
    tool_rounding_tell(&rounding, source, job.operand[0]);

    free(each);
    free(out);
    tool_keys_close(&keys);
    tool_operator_close(&op);
    tool_source_close(source);
    tool_job_close(&job);
    return TOOL_GOOD;
}
