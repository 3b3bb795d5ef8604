/* oplus segscan: a scan that starts anew at every head. */
#include "job.h"
#include "keys.h"
#include "operator.h"
#include "progress.h"
#include "ranks.h"
#include "rounding.h"
#include "table/by_row.h"
#include "tool.h"

#include <stdlib.h>

static const tool_usage usage = {
    .name = "segscan",
    .operands = "OP [FILE] --keys|--heads WHERE",
    .least = 1,
    .most = 2,
    .about = "Running results that start again where the key changes (--keys), or at every element\n"
             "whose head is not 0 (--heads).  The whole array is held in memory.\n\n" TOOL_OPERATOR_ABOUT,
    .options = "keys heads exclusive into " TOOL_TABLE_OPTIONS TOOL_INPUT_OPTIONS TOOL_OUTPUT_OPTIONS
        TOOL_OPERATOR_OPTIONS TOOL_ALL_OPTIONS,
    .examples = {"seq 1 6 | oplus segscan sum --heads heads.txt", "oplus segscan max x.npy --heads heads.npy",
                 "seq 1 6 | oplus segscan sum --exclusive --heads heads.txt",
                 "oplus segscan sum --header --keys region --column qty --into running sales.csv"},
    .exit_codes = TOOL_EXIT_CODES,
};

/* A byte for each of the n elements of a source. */
static uint8_t *read_heads(const tool_job *job, const tool_source *source, size_t n)
{
    size_t heads_n;
    tool_source *const file = tool_job_input_as(job, "--heads", job->options.heads, NULL, NULL);
    int64_t *const heads = tool_job_integers(file, &heads_n);
    const unsigned long long there = tool_source_extent(file), wanted = tool_source_extent(source);
    if (there != wanted)
        tool_die(TOOL_FAILED, "%s has %llu heads and %s %llu elements; there is one for each", job->options.heads,
                 there, tool_source_name(source), wanted);
    tool_source_close(file);
    uint8_t *const flags = tool_alloc(n + 1);
    for (size_t i = 0; i < n; i++) flags[i] = heads[i] != 0;
    free(heads);
    return flags;
}

/* The same, with heads where neighbouring keys differ. */
static uint8_t *heads_of_keys(const tool_job *job, const tool_source *source, size_t n)
{
    tool_keys keys = tool_keys_open(job, source);
    uint8_t *const flags = tool_alloc(n + 1);
    uint64_t *const first = tool_alloc((n + 1) * sizeof *first);
    size_t segments = 0;
    for (size_t i = 0; i < n; i++) {
        flags[i] = tool_keys_head(&keys, i);
        if (flags[i]) first[segments++] = i;
    }
    tool_keys_check(job, &keys, first, segments);
    free(first);
    tool_keys_close(&keys);
    return flags;
}

/* Scans in place.  Returns the output, not yet written. */
static tool_sink *scan(const tool_job *job, const oplus_op *op, const tool_source *source, void *x, size_t n)
{
    const bool by_key = job->comm && job->options.keys; /* segments may begin on one rank and end on another */
    const oplus_kind kind = job->options.exclusive ? OPLUS_EXCLUSIVE : OPLUS_INCLUSIVE;
    uint8_t *const heads = by_key ? NULL : (job->options.keys ? heads_of_keys : read_heads)(job, source, n);
    tool_keys keys = by_key ? tool_keys_open(job, source) : (tool_keys){.source = NULL};
    tool_sink *const sink = tool_job_output(job, source, tool_source_type(source), -1, NULL);
    tool_ranks_agree();
    tool_progress_work("scanning");
    if (by_key)
        tool_try(oplus_scan_by_key_all(job->dev, job->comm, op, kind, tool_source_type(keys.source), NULL, keys.key, x,
                                       n, x));
    else
        tool_try(job->comm ? oplus_segscan_all(job->dev, job->comm, op, kind, x, heads, n, x)
                           : oplus_segscan(job->dev, op, kind, x, heads, n, x));
    if (by_key) tool_keys_close(&keys);
    free(heads);
    return sink;
}

int tool_segscan(int argc, char **argv)
{
    tool_job job;
    size_t n;
    tool_job_open(&job, &usage, argc, argv);
    const tool_options *const o = &job.options;
    if (!o->heads == !o->keys)
        tool_die(TOOL_USAGE,
                 "where the segments are is said by --keys or by --heads, a file with an integer an element");
    if (o->keys && tool_job_is_table(&job, job.operand[1])) return tool_table_segscan(&job);
    tool_keys_only(o);
    tool_source *const source = tool_job_input(&job, job.operand[1]);
    tool_operator_fit(job.operand[0], source);
    const oplus_type *const type = tool_source_type(source);
    tool_operator op = tool_operator_open(job.operand[0], type, &job.options);

    void *const x = tool_source_own(source, &n);
    tool_sink *const sink = scan(&job, op.op, source, x, n);
    tool_rounding rounding = {0};
    tool_rounding_see(&rounding, source, type, x, n);
    tool_job_write(&job, sink, x, n);
    tool_job_finish(&job, sink, tool_job_report(&job, type, tool_source_extent(source)), -1, NULL);
    tool_rounding_tell(&rounding, source, job.operand[0]);

    tool_operator_close(&op);
    tool_source_close(source);
    tool_job_close(&job);
    return TOOL_GOOD;
}
