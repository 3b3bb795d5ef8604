/* oplus window: the last W elements, at every element. */
#include "job.h"
#include "tool.h"
#include "whole.h"

static const tool_usage usage = {
    .name = "window",
    .operands = "OP W [FILE]",
    .least = 2,
    .most = 3,
    .about = "Element i of the output is x(i-W+1) OP ... OP xi of FILE (default: stdin), the last W\n"
             "elements; the first W-1 results are of fewer, x0 OP ... OP xi.  OP needs no inverse and no\n"
             "identity.  The whole array is held in memory.  Of a table only the results are "
             "printed.\n\n" TOOL_OPERATOR_ABOUT,
    .options = TOOL_TABLE_OPTIONS TOOL_INPUT_OPTIONS TOOL_OUTPUT_OPTIONS TOOL_OPERATOR_OPTIONS TOOL_CALL_OPTIONS,
    .examples = {"seq 1 5 | oplus window sum 2", "printf '3 1 4 1 5' | oplus window max 3",
                 "oplus window 'a < b ? a : b' 24 x.npy -o lowest.npy"},
    .exit_codes = TOOL_EXIT_CODES,
};

static size_t width_of(const tool_job *job) { return tool_operand_number("W", job->operand[1], 1); }

static oplus_status slide(const tool_job *job, const oplus_op *op, const void *in, size_t n, void *out)
{
    return oplus_window(job->dev, op, in, n, width_of(job), out);
}

int tool_window(int argc, char **argv)
{
    tool_job job;
    tool_job_open(&job, &usage, argc, argv);
    width_of(&job); /* which ends the command if it is wrong, before anything is read */
    return tool_whole_run(&job, job.operand[2], "computing", slide);
}
