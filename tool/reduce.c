/* oplus reduce, oplus fold: one value of a stream, through a carry. */
#include "job.h"
#include "operator.h"
#include "ranks.h"
#include "tool.h"

#include <stdlib.h>

static const tool_usage reduce_usage = {
    .name = "reduce",
    .operands = "OP [FILE]",
    .least = 1,
    .most = 2,
    .about =
        "Combines all elements of FILE (default: stdin) into one: x0 OP x1 OP ... OP xn.\n"
        "Of no elements that is the identity of OP.  Memory is fixed, whatever the length,\n"
        "and the bits do not depend on the number of threads.  A sum has the type of its elements;\n"
        "integers wrap around: of bytes, oplus map a x.npy --result i64 | oplus reduce sum.\n\n" TOOL_OPERATOR_ABOUT,
    .options = TOOL_INPUT_OPTIONS TOOL_OUTPUT_OPTIONS TOOL_OPERATOR_OPTIONS TOOL_ALL_OPTIONS,
    .examples =
        {"seq 1 100 | oplus reduce sum", "seq 1 9 | oplus reduce 'a > b ? a : b' --type f32 --json",
         "printf '0.5 1\\n0.5 2\\n' | oplus reduce -t 'float a; float b' 'r.a = a.a * b.a; r.b = a.b * b.a + b.b;'"},
    .exit_codes = TOOL_EXIT_CODES,
};

static const tool_usage fold_usage = {
    .name = "fold",
    .operands = "OP --init V [FILE]",
    .least = 1,
    .most = 2,
    .about = "Combines V and all elements of FILE (default: stdin) into one: V OP x0 OP ... OP xn.\n"
             "Of no elements that is V.  Memory is fixed, whatever the length.\n\n" TOOL_OPERATOR_ABOUT,
    .options = "init " TOOL_INPUT_OPTIONS TOOL_OUTPUT_OPTIONS TOOL_OPERATOR_OPTIONS TOOL_ALL_OPTIONS,
    .examples = {"seq 1 100 | oplus fold sum --init 1000", "seq 1 9 | oplus fold 'a > b ? a : b' --init 5.5 -t f64",
                 "printf '7 8 9' | oplus fold max --init 0 --json"},
    .exit_codes = TOOL_EXIT_CODES,
};

static void report(const tool_job *job, const oplus_type *type, const void *value, uint64_t n)
{
    cJSON *const object = tool_job_report(job, type, n);
    cJSON_AddItemToObject(object, "result", tool_json_value(type, value));
    cJSON_AddItemToObject(object, "bits", tool_json_bits(type, value));
    tool_job_print(job, object);
}

/* init NULL: none.  Both return how many elements there were. */
static uint64_t reduce_stream(const tool_job *job, const oplus_op *op, const void *init, tool_source *source,
                              void *value)
{
    oplus_carry *carry;
    const void *piece;
    uint64_t count = 0;
    tool_try(oplus_carry_open(op, 0, &carry));
    if (init) tool_try(oplus_carry_init(carry, init));
    for (size_t n; tool_job_next(source, source, &piece, &n); count += n)
        tool_try(oplus_carry_add(job->dev, carry, piece, n));
    tool_try(oplus_carry_value(carry, value));
    oplus_carry_close(carry);
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

static int run(const tool_usage *usage, int argc, char **argv)
{
    tool_job job;
    tool_job_open(&job, usage, argc, argv);
    const bool fold = usage == &fold_usage;
    if (fold && !job.options.init) tool_die(TOOL_USAGE, "--init is missing: the value to begin with");
    tool_source *const source = tool_job_input(&job, job.operand[1]);
    const oplus_type *const type = tool_source_type(source);
    tool_operator op = tool_operator_open(job.operand[0], type, &job.options);
    void *const init = fold ? tool_alloc(type->size) : NULL, *const value = tool_alloc(type->size);
    if (fold) tool_value(type, "--init", job.options.init, init);

    const uint64_t count = (job.comm ? reduce_part : reduce_stream)(&job, op.op, init, source, value);
    if (job.options.output || !job.options.json) tool_job_value(&job, type, value);
    report(&job, type, value, count);

    free(value);
    free(init);
    tool_operator_close(&op);
    tool_source_close(source);
    tool_job_close(&job);
    return TOOL_GOOD;
}

int tool_reduce(int argc, char **argv) { return run(&reduce_usage, argc, argv); }
int tool_fold(int argc, char **argv) { return run(&fold_usage, argc, argv); }
