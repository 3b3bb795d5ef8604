/* oplus reduce, oplus fold: one value of a stream, through a carry. */
#include "axis.h"
#include "job.h"
#include "made.h"
#include "operator.h"
#include "overflow.h"
#include "ranks.h"
#include "rounding.h"
#include "statistics.h"
#include "tool.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static const tool_usage reduce_usage = {
    .name = "reduce",
    .operands = "OP [FILE...]",
    .least = 1,
    .most = 1 + OPLUS_MAX_ARITY,
    .about = "Combines all elements of FILE (default: stdin) into one: x0 OP x1 OP ... OP xn.\n"
             "If there are no elements, the result is the identity of OP.  The elements are read piece\n"
             "by piece, so that a fixed amount of memory is enough; the bits do not depend on the\n"
             "number of threads.  A sum has the type of its elements, and integers wrap around;\n"
             "convert bytes first: --map a --result i64.\n\n"
             "With --map the elements are what FN makes of an element of each FILE: a dot product is\n"
             "oplus reduce sum --map 'a * b' x.npy y.npy.  Files that are no .npy are then read "
             "whole.\n\n"
             "With --axis N each row along that axis is reduced by itself: 'oplus reduce sum --axis 0'\n"
             "adds up columns.  The result has one dimension less.  So do argmin, argmax, mean, var, "
             "...\n\n" TOOL_OPERATOR_ABOUT
             "OP may also be argmin or argmax (where the least or the greatest element is, from 0 on;\n"
             "the first of equal ones), or minmax (both values).  A NaN is the least and the greatest.\n"
             "Or it is count, mean, var or std (variance and standard deviation of a sample, divided by\n"
             "n - 1), pvar or pstd (of a population, divided by n), computed as f64.\n",
    .options = "axis map result check-overflow " TOOL_TABLE_OPTIONS TOOL_INPUT_OPTIONS TOOL_OUTPUT_OPTIONS
        TOOL_OPERATOR_OPTIONS TOOL_ALL_OPTIONS,
    .examples =
        {"seq 1 100 | oplus reduce sum", "oplus reduce sum --map 'a * b' x.npy x.npy",
         "printf '3 1 4 1 5' | oplus reduce argmin", "printf '1 2\\n3 4\\n' | oplus reduce sum --axis 0",
         "printf '0.5 1\\n0.5 2\\n' | oplus reduce -t 'float a; float b' 'r.a = a.a * b.a; r.b = a.b * b.a + b.b;'"},
    .exit_codes = TOOL_EXIT_CODES,
};

static const tool_usage fold_usage = {
    .name = "fold",
    .operands = "OP --init V [FILE]",
    .least = 1,
    .most = 2,
    .about = "Combines V and all elements of FILE (default: stdin) into one: V OP x0 OP ... OP xn.\n"
             "If there are no elements, the result is V.  The elements are read piece by piece, so\n"
             "that a fixed amount of memory is enough.\n\n" TOOL_OPERATOR_ABOUT,
    .options = "init check-overflow " TOOL_TABLE_OPTIONS TOOL_INPUT_OPTIONS TOOL_OUTPUT_OPTIONS TOOL_OPERATOR_OPTIONS
        TOOL_ALL_OPTIONS,
    .examples = {"seq 1 100 | oplus fold sum --init 1000", "seq 1 9 | oplus fold 'a > b ? a : b' --init 5.5 -t f64",
                 "printf '7 8 9' | oplus fold max --init 0 --json"},
    .exit_codes = TOOL_EXIT_CODES,
};

/* One value as it is, several values as a list. */
static cJSON *in_json(const oplus_type *type, const void *value, size_t lanes,
                      cJSON *(*json)(const oplus_type *, const void *))
{
    if (lanes == 1) return json(type, value);
    cJSON *const list = tool_json_made(cJSON_CreateArray());
    for (size_t l = 0; l < lanes; l++) cJSON_AddItemToArray(list, json(type, (const char *)value + l * type->size));
    return list;
}

static void report(const tool_job *job, const oplus_type *type, const void *value, size_t lanes, uint64_t n)
{
    cJSON *const object = tool_job_report(job, type, n);
    cJSON_AddItemToObject(object, "result", in_json(type, value, lanes, tool_json_value));
    cJSON_AddItemToObject(object, "bits", in_json(type, value, lanes, tool_json_bits));
    tool_job_print(job, object);
}

/* init NULL: none.  Both return how many elements there were. */
static uint64_t reduce_stream(const tool_job *job, const oplus_op *op, const void *init, tool_source *source,
                              void *value, tool_overflow *overflow)
{
    oplus_carry *carry;
    const void *piece;
    uint64_t count = 0;
    tool_try(oplus_carry_open(op, 0, &carry));
    if (init) tool_try(oplus_carry_init(carry, init));
    for (size_t n; tool_job_next(source, source, &piece, &n); count += n) {
        tool_try(oplus_carry_add(job->dev, carry, piece, n));
        tool_overflow_add(overflow, piece, n, TOOL_TOTAL);
    }
    tool_overflow_total(overflow);
    tool_try(oplus_carry_value(carry, value));
    oplus_carry_close(carry);
    return count;
}

/* One result for each column of a table; the columns' elements come in turn. */
static uint64_t reduce_columns(const tool_job *job, const oplus_op *op, const void *init, tool_source *source,
                               void *value)
{
    const size_t lanes = tool_source_lanes(source), size = op->type->size;
    assert(lanes > 0);
    oplus_carry **const carry = tool_alloc(lanes * sizeof *carry);
    char *column = NULL;
    const void *piece;
    uint64_t count = 0;
    for (size_t l = 0; l < lanes; l++) {
        tool_try(oplus_carry_open(op, 0, &carry[l]));
        if (init) tool_try(oplus_carry_init(carry[l], init));
    }
    for (size_t n; tool_job_next(source, source, &piece, &n); count += n / lanes) {
        column = tool_realloc(column, n / lanes * size);
        for (size_t l = 0; l < lanes; l++) {
            for (size_t i = 0; i < n / lanes; i++)
                memcpy(column + i * size, (const char *)piece + (i * lanes + l) * size, size);
            tool_try(oplus_carry_add(job->dev, carry[l], column, n / lanes));
        }
    }
    for (size_t l = 0; l < lanes; l++) {
        tool_try(oplus_carry_value(carry[l], (char *)value + l * size));
        oplus_carry_close(carry[l]);
    }
    free(column);
    free(carry);
    return count;
}

/* This rank's part. */
static uint64_t reduce_part(const tool_job *job, const oplus_op *op, const void *init, tool_source *source, void *value)
{
    size_t n;
    const void *const in = tool_source_all(source, &n);
    tool_ranks_agree();
    tool_try(init ? oplus_fold_all(job->dev, job->comm, op, init, in, n, value)
                  : oplus_reduce_all(job->dev, job->comm, op, in, n, value));
    return tool_source_extent(source);
}

/* Of what --map makes. */
static uint64_t reduce_made(const tool_job *job, const oplus_op *op, tool_made *made, void *value)
{
    const size_t n = tool_made_read(made);
    tool_try(oplus_map_reduce(job->dev, made->before.fn, op, made->in, n, value));
    return n;
}

/* Warns that the result is an identity: such a value, -128 for example, looks like any other result. */
static void warn_of_nothing(const tool_job *job, const oplus_type *type, const void *value)
{
    if (job->comm && job->comm->rank > 0) return;
    char *const identity = tool_value_print(type, value);
    tool_warn("there are no elements: the result, %s, is the identity of %s", identity, job->operand[0]);
    free(identity);
}

static int run(const tool_usage *usage, int argc, char **argv)
{
    tool_job job;
    tool_job_open(&job, usage, argc, argv);
    const bool fold = usage == &fold_usage;
    const tool_statistic *const statistic = fold ? NULL : tool_statistic_named(job.operand[0]);
    if (statistic && job.options.map)
        tool_die(TOOL_USAGE, "--map is of operators; %s is not one: use oplus map first", job.operand[0]);
    if (statistic && job.operand[1] && job.operand[2])
        tool_die(TOOL_USAGE, "one operand too many, '%s'", job.operand[2]);
    if (job.options.axis) return statistic ? tool_statistic_run_along(&job, statistic) : tool_axis_run(&job, false);
    if (statistic) return tool_statistic_run(&job, statistic);
    if (fold && !job.options.init) tool_die(TOOL_USAGE, "--init is missing: the value to begin with");
    tool_made made;
    const bool is_made = tool_made_open(&job, &made);
    tool_source *const source = is_made ? made.source[0] : tool_job_columns(&job, job.operand[1], false);
    if (!is_made) tool_operator_fit(job.operand[0], source);
    const oplus_type *const type = is_made ? made.before.fn->result : tool_source_type(source);
    const size_t lanes = tool_source_lanes(source); /* columns of a table */
    tool_operator op = tool_operator_open(job.operand[0], type, &job.options);
    void *const init = fold ? tool_alloc(type->size) : NULL, *const value = tool_alloc(lanes * type->size);
    if (fold) tool_value(type, "--init", job.options.init, init);

    tool_overflow *const overflow = tool_overflow_open(&job, type, lanes, init);
    const uint64_t count = is_made     ? reduce_made(&job, op.op, &made, value)
                           : job.comm  ? reduce_part(&job, op.op, init, source, value)
                           : lanes > 1 ? reduce_columns(&job, op.op, init, source, value)
                                       : reduce_stream(&job, op.op, init, source, value, overflow);
    if (count == 0) tool_explain_nothing(&job.options);
    if (count == 0 && !fold) warn_of_nothing(&job, type, value);
    tool_rounding rounding = {0};
    tool_rounding_see(&rounding, source, type, value, lanes);
    const bool shown = job.options.output || !job.options.json;
    if (shown && lanes == 1) tool_job_value(&job, source, type, value);
    if (shown && lanes > 1) tool_job_values(&job, source, type, value, lanes);
    report(&job, type, value, lanes, count);
    tool_rounding_tell(&rounding, source, job.operand[0]);

    tool_overflow_close(overflow);
    free(value);
    free(init);
    tool_operator_close(&op);
    tool_made_close(&made);
    tool_source_close(source);
    tool_job_close(&job);
    return TOOL_GOOD;
}

int tool_reduce(int argc, char **argv) { return run(&reduce_usage, argc, argv); }
int tool_fold(int argc, char **argv) { return run(&fold_usage, argc, argv); }
