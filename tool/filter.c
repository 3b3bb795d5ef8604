/* oplus filter: the elements that satisfy a predicate, of a stream. */
#include "job.h"
#include "operator.h"
#include "ranks.h"
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
    .options = TOOL_INPUT_OPTIONS TOOL_OUTPUT_OPTIONS TOOL_ALL_OPTIONS,
    .examples = {"seq -3 3 | oplus filter positive", "seq 1 20 | oplus filter 'a % 3 == 0'",
                 "printf '1 nan 3' | oplus filter finite -t f32"},
    .exit_codes = TOOL_EXIT_CODES,
};

/* Both return how many elements there were. */
static uint64_t filter_stream(const tool_job *job, const oplus_fn *keep, tool_source *source, tool_sink *sink)
{
    const size_t size = keep->input[0]->size, room = TOOL_PIECE_BYTES / size + 1;
    void *const out = tool_alloc(room * size);
    const void *piece;
    uint64_t count = 0;
    for (size_t n; tool_job_next(source, source, &piece, &n); count += n)
        for (size_t done = 0, m, kept; done < n; done += m) {
            m = n - done < room ? n - done : room;
            tool_try(oplus_filter(job->dev, keep, (const char *)piece + done * size, m, out, &kept));
            tool_sink_write(sink, out, kept);
        }
    free(out);
    return count;
}

/* This rank's part; what it keeps need not move for the file, which each rank writes in its place. */
static uint64_t filter_part(const tool_job *job, const oplus_fn *keep, tool_source *source, tool_sink *sink)
{
    size_t n, kept;
    const void *const in = tool_source_all(source, &n);
    void *const out = tool_alloc(n * keep->input[0]->size);
    tool_ranks_agree();
    tool_try(oplus_filter_all(job->dev, job->comm, keep, OPLUS_KEPT, in, n, out, n, &kept));
    tool_job_write(job, sink, out, kept);
    free(out);
    return tool_source_extent(source);
}

int tool_filter(int argc, char **argv)
{
    tool_job job;
    tool_job_open(&job, &usage, argc, argv);
    tool_source *const source = tool_job_input(&job, job.operand[1]);
    const oplus_type *const type = tool_source_type(source);
    tool_function_made keep = tool_predicate_open(job.operand[0], type);

    tool_sink *const sink = tool_job_output(&job, tool_source_format(source), type, -1, NULL);
    const uint64_t count = (job.comm ? filter_part : filter_stream)(&job, keep.fn, source, sink);

    cJSON *const report = tool_job_report(&job, type, count);
    tool_json_add_count(report, "kept", tool_sink_count(sink));
    tool_job_finish(&job, sink, report, -1, NULL);

    tool_function_close(&keep);
    tool_source_close(source);
    tool_job_close(&job);
    return TOOL_GOOD;
}
