/* oplus filter: the elements that satisfy a predicate, of a stream. */
#include "job.h"
#include "made.h"
#include "operator.h"
#include "ranks.h"
#include "select.h"
#include "table/by_row.h"
#include "tool.h"

#include <stdlib.h>
#include <string.h>

static const tool_usage usage = {
    .name = "filter",
    .operands = "PRED [FILE...]|--mask WHERE [FILE]",
    .least = 1,
    .most = 1 + OPLUS_MAX_ARITY,
    .about = "Keeps the elements of FILE (default: stdin) that satisfy PRED, in their order.\n"
             "The elements are read piece by piece, so that a fixed amount of memory is enough.\n"
             "If input and output are text, numbers are written as they were read, one on each\n"
             "line: 1e3 stays 1e3.\n\n"
             "PRED is zero, nonzero, positive, negative, even, odd, finite, inf or nan; or a text\n"
             "in C over the element a:  'a > 0.5 && a < 1', and its index i, from 0:  'i % 3 == 0'.\n\n"
             "With --map the elements are what FN makes of an element of each FILE.  Files are then\n"
             "read whole.\n",
    .options =
        "mask indices both map result " TOOL_TABLE_OPTIONS TOOL_INPUT_OPTIONS TOOL_OUTPUT_OPTIONS TOOL_ALL_OPTIONS,
    .examples = {"seq -3 3 | oplus filter positive", "seq 1 20 | oplus filter 'a % 3 == 0'",
                 "seq 1 9 | oplus filter 'a > 20' --map 'a * a'",
                 "oplus filter 'a > 10' --header --column qty sales.csv"},
    .exit_codes = TOOL_EXIT_CODES,
};

/* --- text stays as it was written --------------------------------------------------------------------------------- */

/* Writes the letters of the kept elements. */
static void write_letters(tool_sink *sink, const text_span *letters, const uint64_t *index, size_t kept)
{
    size_t bytes = 0, used = 0;
    for (size_t k = 0; k < kept; k++) bytes += (size_t)(letters[index[k]].end - letters[index[k]].at) + 1;
    char *const text = tool_alloc(bytes);
    for (size_t k = 0; k < kept; k++) {
        const text_span *const own = &letters[index[k]];
        const size_t length = (size_t)(own->end - own->at);
        memcpy(text + used, own->at, length);
        text[used + length] = '\n';
        used += length + 1;
    }
    tool_sink_bytes(sink, text, used, kept);
    free(text);
}

/* --- all of it ---------------------------------------------------------------------------------------------------- */

/* Both return how many elements there were. */
static uint64_t filter_stream(const tool_job *job, const oplus_fn *keep, tool_source *source, tool_sink *sink)
{
    const size_t size = keep->input[0]->size, room = TOOL_PIECE_BYTES / size + 1;
    const bool as_written = tool_source_format(source) == TOOL_TEXT && tool_sink_is_text(sink);
    void *const out = tool_alloc(room * (as_written ? sizeof(uint64_t) : size));
    const void *piece;
    uint64_t count = 0;
    if (as_written) tool_source_keep_spans(source);
    for (size_t n; tool_job_next(source, source, &piece, &n); count += n)
        for (size_t done = 0, m, kept; done < n; done += m) {
            const char *const in = (const char *)piece + done * size;
            m = n - done < room ? n - done : room;
            const oplus_fn part = oplus_from(keep, count + done);
            if (as_written) {
                tool_try(oplus_indices(job->dev, &part, in, m, &oplus_u64, out, &kept));
                write_letters(sink, tool_source_spans(source) + done, out, kept);
            } else {
                tool_try(oplus_filter(job->dev, &part, in, m, out, &kept));
                tool_sink_write(sink, out, kept);
            }
        }
    free(out);
    return count;
}

/* This rank's part.  The kept elements stay on this rank: each rank writes its own at their place in the file. */
static uint64_t filter_part(const tool_job *job, const oplus_fn *keep, tool_source *source, tool_sink *sink)
{
    size_t n, kept;
    const void *const in = tool_source_all(source, &n);
    void *const out = tool_alloc(n * keep->input[0]->size);
    tool_ranks_agree();
    tool_try(oplus_filter_all(job->dev, job->comm, keep, OPLUS_AS_GIVEN, in, n, out, n, &kept));
    tool_job_write(job, sink, out, kept);
    free(out);
    return tool_source_extent(source);
}

/* Of what --map makes. */
static uint64_t filter_made(const tool_job *job, const oplus_fn *keep, tool_made *made, tool_sink *sink)
{
    size_t kept;
    const size_t n = tool_made_read(made);
    void *const out = tool_alloc(n * keep->input[0]->size);
    tool_try(oplus_map_filter(job->dev, made->before.fn, keep, made->in, n, out, &kept));
    tool_sink_write(sink, out, kept);
    free(out);
    return n;
}

int tool_filter(int argc, char **argv)
{
    tool_job job;
    tool_job_open(&job, &usage, argc, argv);
    if (tool_select_is_wanted(&job)) return tool_select(&job);
    tool_made made;
    const bool is_made = tool_made_open(&job, &made);
    if (!is_made && tool_job_is_table(&job, job.operand[1])) return tool_table_filter(&job);
    tool_source *const source = is_made ? made.source[0] : tool_job_input(&job, job.operand[1]);
    if (!is_made) tool_predicate_fit(job.operand[0], source);
    const oplus_type *const type = is_made ? made.before.fn->result : tool_source_type(source);
    tool_function_made keep = tool_predicate_open(job.operand[0], 1, &type);

    tool_sink *const sink = tool_job_output(&job, source, type, -1, NULL);
    const uint64_t count = is_made ? filter_made(&job, keep.fn, &made, sink)
                                   : (job.comm ? filter_part : filter_stream)(&job, keep.fn, source, sink);

    cJSON *const report = tool_job_report(&job, type, count);
    tool_json_add_count(report, "kept", tool_sink_count(sink));
    tool_job_finish(&job, sink, report, -1, NULL);

    tool_function_close(&keep);
    tool_made_close(&made);
    tool_source_close(source);
    tool_job_close(&job);
    return TOOL_GOOD;
}
