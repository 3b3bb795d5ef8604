/* oplus scan: running results of a stream, through a carry. */
#include "axis.h"
#include "job.h"
#include "made.h"
#include "operator.h"
#include "overflow.h"
#include "ranks.h"
#include "rounding.h"
#include "table/by_row.h"
#include "tool.h"
#include "whole.h"

#include <stdlib.h>

static const tool_usage usage = {
    .name = "scan",
    .operands = "OP [FILE...]",
    .least = 1,
    .most = 1 + OPLUS_MAX_ARITY,
    .about = "Running results: element i of the output is x0 OP x1 OP ... OP xi of FILE (default:\n"
             "stdin).  The elements are read piece by piece, so that a fixed amount of memory is\n"
             "enough; the bits do not depend on the number of threads.  An array of several\n"
             "dimensions counts as one sequence; with --axis N each row along that axis is scanned by\n"
             "itself.  With --reverse element i of the output is xi OP ... OP the last one; the array is\n"
             "held in memory, and of a table only the results are printed.\n\n"
             "With --map the elements are what FN makes of an element of each FILE, and with --then\n"
             "another FN makes of each result what is written.  Files are then read whole.\n\n" TOOL_OPERATOR_ABOUT,
    .options = "axis reverse map result then exclusive check-overflow into " TOOL_TABLE_OPTIONS TOOL_INPUT_OPTIONS
        TOOL_OUTPUT_OPTIONS TOOL_OPERATOR_OPTIONS TOOL_ALL_OPTIONS,
    .examples =
        {"seq 1 5 | oplus scan sum", "seq 1 5 | oplus scan sum --map 'a * a' --then 'sqrt(a)'",
         "printf '3 1 4 1 5' | oplus scan sum --exclusive", "printf '1 2\\n3 4\\n' | oplus scan sum --axis 1",
         "printf '0.5 1\\n0.5 2\\n' | oplus scan -t 'float a; float b' 'r.a = a.a * b.a; r.b = a.b * b.a + b.b;'"},
    .exit_codes = TOOL_EXIT_CODES,
};

static void scan_stream(const tool_job *job, const oplus_op *op, oplus_kind kind, tool_source *source, tool_sink *sink,
                        tool_rounding *rounding, tool_overflow *overflow)
{
    const tool_prefixes prefixes = kind == OPLUS_INCLUSIVE ? TOOL_INCLUSIVE : TOOL_EXCLUSIVE;
    const size_t size = op->type->size, room = TOOL_PIECE_BYTES / size + 1;
    void *const out = tool_alloc(room * size);
    oplus_carry *carry;
    const void *piece;
    tool_try(oplus_carry_open(op, 0, &carry));
    for (size_t n; tool_job_next(source, source, &piece, &n);)
        for (size_t done = 0, m; done < n; done += m) {
            m = n - done < room ? n - done : room;
            tool_overflow_add(overflow, (const char *)piece + done * size, m, prefixes);
            tool_try(oplus_scan_from(job->dev, carry, kind, (const char *)piece + done * size, m, out));
            tool_rounding_see(rounding, source, op->type, out, m);
            tool_sink_write(sink, out, m);
        }
    oplus_carry_close(carry);
    free(out);
}

/* This rank's part. */
static void scan_part(const tool_job *job, const oplus_op *op, oplus_kind kind, tool_source *source, tool_sink *sink,
                      tool_rounding *rounding, tool_overflow *overflow)
{
    (void)rounding, (void)overflow; /* unused: parts are never text, and --check-overflow is refused */
    size_t n;
    const void *const in = tool_source_all(source, &n);
    void *const out = tool_alloc(n * op->type->size);
    tool_ranks_agree();
    tool_try(oplus_scan_all(job->dev, job->comm, op, kind, in, n, out));
    tool_job_write(job, sink, out, n);
    free(out);
}

/* Of what --map makes; then: or NULL. */
static void scan_made(const tool_job *job, const oplus_op *op, oplus_kind kind, tool_made *made, const oplus_fn *then,
                      tool_sink *sink)
{
    const size_t n = tool_made_read(made);
    void *const out = tool_alloc(n * (then ? then->result : op->type)->size);
    tool_try(oplus_map_scan(job->dev, made->before.fn, op, kind, then, made->in, n, out));
    tool_sink_write(sink, out, n);
    free(out);
}

static oplus_status from_end(const tool_job *job, const oplus_op *op, const void *in, size_t n, void *out)
{
    return oplus_scan_reverse(job->dev, op, job->options.exclusive ? OPLUS_EXCLUSIVE : OPLUS_INCLUSIVE, in, n, out);
}

static int scan_reverse(tool_job *job)
{
    tool_axis_refuse(job, "--reverse");
    return tool_whole_run(job, job->operand[1], "scanning", from_end);
}

int tool_scan(int argc, char **argv)
{
    tool_job job;
    tool_job_open(&job, &usage, argc, argv);
    if (job.options.axis && job.options.reverse) tool_die(TOOL_USAGE, "--axis and --reverse cannot go together");
    if (job.options.axis) return tool_axis_run(&job, true);
    if (job.options.reverse) return scan_reverse(&job);
    const bool is_table = tool_job_is_table(&job, job.operand[1]);
    if (is_table && job.options.check_overflow)
        tool_die(TOOL_USAGE, "--check-overflow is of elements, not of the rows of a table");
    tool_made made;
    const bool is_made = tool_made_open(&job, &made);
    if (is_table) return tool_table_scan(&job);
    tool_source *const source = is_made ? made.source[0] : tool_job_input(&job, job.operand[1]);
    if (!is_made) tool_operator_fit(job.operand[0], source);
    const oplus_type *const type = is_made ? made.before.fn->result : tool_source_type(source);
    tool_function_made then = tool_then_open(&job, type);
    const oplus_type *const written = then.fn ? then.fn->result : type;
    tool_operator op = tool_operator_open(job.operand[0], type, &job.options);
    const oplus_kind kind = job.options.exclusive ? OPLUS_EXCLUSIVE : OPLUS_INCLUSIVE;
    tool_overflow *const overflow = tool_overflow_open(&job, type, 1, NULL);

    tool_sink *const sink = tool_job_output(&job, source, written, -1, NULL);
    tool_rounding rounding = {0};
    if (is_made)
        scan_made(&job, op.op, kind, &made, then.fn, sink);
    else
        (job.comm ? scan_part : scan_stream)(&job, op.op, kind, source, sink, &rounding, overflow);
    tool_job_finish(&job, sink, tool_job_report(&job, written, tool_sink_count(sink)), -1, NULL);
    tool_rounding_tell(&rounding, source, job.operand[0]);

    tool_overflow_close(overflow);
    tool_operator_close(&op);
    tool_function_close(&then);
    tool_made_close(&made);
    tool_source_close(source);
    tool_job_close(&job);
    return TOOL_GOOD;
}
