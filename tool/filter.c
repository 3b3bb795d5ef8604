/* oplus filter: the elements that satisfy a predicate, of a stream. */
#include "job.h"
#include "operator.h"
#include "tool.h"

#include <stdlib.h>

static const tool_usage usage = {
    .name = "filter",
    .operands = "PRED [FILE]",
    .least = 1,
    .most = 2,
    .about = "Keeps the elements of FILE (default: stdin) that satisfy PRED, in their order.\n"
             "Memory is fixed, whatever the length.\n\n"
             "PRED is zero, nonzero, positive, negative, even, odd, finite, inf or nan; or a text\n"
             "in C over the element a:  'a > 0.5 && a < 1'.\n",
    .options = TOOL_INPUT_OPTIONS TOOL_OUTPUT_OPTIONS TOOL_RUN_OPTIONS,
    .examples = {"seq -3 3 | oplus filter positive", "seq 1 20 | oplus filter 'a % 3 == 0'",
                 "printf '1 nan 3' | oplus filter finite -t f32"},
    .exit_codes = TOOL_EXIT_CODES,
};

int tool_filter(int argc, char **argv)
{
    tool_job job;
    tool_job_open(&job, &usage, argc, argv);
    tool_source *const source = tool_job_input(&job, job.operand[1]);
    const oplus_type *const type = tool_source_type(source);
    tool_function_made keep = tool_predicate_open(job.operand[0], type);

    tool_sink *const sink = tool_job_output(&job, tool_source_format(source), type, -1, NULL);
    const size_t room = TOOL_PIECE_BYTES / type->size + 1;
    void *const out = tool_alloc(room * type->size);
    const void *piece;
    uint64_t count = 0;
    for (size_t n; tool_job_next(source, source, &piece, &n); count += n)
        for (size_t done = 0, m, kept; done < n; done += m) {
            m = n - done < room ? n - done : room;
            tool_try(oplus_filter(job.dev, keep.fn, (const char *)piece + done * type->size, m, out, &kept));
            tool_sink_write(sink, out, kept);
        }

    cJSON *const report = tool_job_report(&job, type, count);
    tool_json_add_count(report, "kept", tool_sink_count(sink));
    tool_job_finish(&job, sink, report, -1, NULL);

    free(out);
    tool_function_close(&keep);
    tool_source_close(source);
    tool_job_close(&job);
    return TOOL_GOOD;
}
