/* oplus top: the largest elements, or where they are. */
#include "job.h"
#include "progress.h"
#include "tool.h"

#include <oplus/order.h>

#include <stdlib.h>

static const tool_usage usage = {
    .name = "top",
    .operands = "K [FILE]",
    .least = 1,
    .most = 2,
    .about = "Writes the K largest numbers of FILE (default: stdin), the largest first, or all of them if\n"
             "there are fewer; with --ascending the K smallest.  Of equal numbers the first ones count.\n"
             "Floats have the order of oplus sort.  The whole array is held in memory.\n",
    .options = "ascending indices " TOOL_TABLE_OPTIONS TOOL_INPUT_OPTIONS TOOL_OUTPUT_OPTIONS TOOL_CALL_OPTIONS,
    .examples = {"printf '30 10 20' | oplus top 2", "printf '0.5 -1 2' | oplus top 1 --ascending --indices -t f32",
                 "oplus top 100 x.npy -o largest.npy"},
    .exit_codes = TOOL_EXIT_CODES,
};

int tool_top(int argc, char **argv)
{
    tool_job job;
    size_t n;
    tool_job_open(&job, &usage, argc, argv);
    const size_t wanted = tool_operand_number("K", job.operand[0], 0);
    tool_source *const source = tool_job_input(&job, job.operand[1]);
    const oplus_type *const type = tool_source_type(source);
    const bool places = job.options.indices;
    const oplus_order order = job.options.ascending ? OPLUS_ASCENDING : OPLUS_DESCENDING;
    if (type->scalar == OPLUS_RECORD)
        tool_die(TOOL_USAGE, "keys of type %s have no order; give numbers", tool_type_words(type));
    const void *const keys = tool_source_all(source, &n);
    const size_t k = wanted < n ? wanted : n;
    const oplus_type *const result = places ? &oplus_i64 : type;
    void *const out = tool_alloc(k * result->size + 1);
    tool_sink *const sink = tool_job_output(&job, source, result, -1, NULL);
    tool_progress_work("searching");
    tool_try(places ? oplus_top(job.dev, type, order, keys, n, k, NULL, &oplus_i64, out)
                    : oplus_top(job.dev, type, order, keys, n, k, out, NULL, NULL));
    tool_job_write(&job, sink, out, k);
    cJSON *const report = tool_job_report(&job, type, n);
    tool_json_add_count(report, "taken", k);
    tool_job_finish(&job, sink, report, -1, NULL);
    free(out);
    tool_source_close(source);
    tool_job_close(&job);
    return TOOL_GOOD;
}
