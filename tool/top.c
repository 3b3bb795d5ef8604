/* oplus top: the largest elements, or where they are. */
#include "job.h"
#include "progress.h"
#include "ranks.h"
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
    .options = "ascending indices " TOOL_TABLE_OPTIONS TOOL_INPUT_OPTIONS TOOL_OUTPUT_OPTIONS TOOL_ALL_OPTIONS,
    .examples = {"printf '30 10 20' | oplus top 2", "printf '0.5 -1 2' | oplus top 1 --ascending --indices -t f32",
                 "oplus top 100 x.npy -o largest.npy"},
    .exit_codes = TOOL_EXIT_CODES,
};

/* With --all every rank gets what is found. */
static oplus_status find(const tool_job *job, const oplus_type *type, oplus_order order, const void *keys, size_t n,
                         size_t k, bool places, void *out)
{
    void *const found = places ? NULL : out;
    if (job->comm) return oplus_top_all(job->dev, job->comm, type, order, keys, n, k, found, places ? out : NULL);
    return oplus_top(job->dev, type, order, keys, n, k, found, places ? &oplus_i64 : NULL, places ? out : NULL);
}

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
    const uint64_t all = tool_source_extent(source);
    const size_t k = wanted < all ? wanted : (size_t)all;
    const oplus_type *const result = places ? &oplus_i64 : type;
    void *const out = tool_alloc(k * result->size + 1);
    tool_ranks_agree();
    tool_progress_work("searching");
    tool_try(find(&job, type, order, keys, n, k, places, out));
    cJSON *const report = tool_job_report(&job, type, all);
    tool_json_add_count(report, "taken", k);
    tool_job_list(&job, source, result, out, k, report);
    free(out);
    tool_source_close(source);
    tool_job_close(&job);
    return TOOL_GOOD;
}
