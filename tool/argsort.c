/* oplus argsort: where the elements of a sorted array were. */
#include "axis.h"
#include "by.h"
#include "job.h"
#include "members.h"
#include "progress.h"
#include "tool.h"

#include <oplus/order.h>

#include <stdlib.h>

static const tool_usage usage = {
    .name = "argsort",
    .operands = "[FILE]",
    .least = 0,
    .most = 1,
    .about = "Writes the places of the numbers of FILE (default: stdin) in the order of the numbers:\n"
             "first where the smallest stands, counted from 0.  Equal numbers keep their order; floats\n"
             "have the order of oplus sort.  The whole array is held in memory.\n\n"
             "With --by, elements of any type are in the order that a text in C says.  With\n"
             "--axis each row along that axis has an order of its own: places along the axis.  With\n"
             "--members structs are in the order of some of their members.\n",
    .options =
        "descending by members axis " TOOL_TABLE_OPTIONS TOOL_INPUT_OPTIONS TOOL_OUTPUT_OPTIONS TOOL_CALL_OPTIONS,
    .examples = {"printf '30 10 20' | oplus argsort", "printf '0.5 -1 2' | oplus argsort --descending -t f32",
                 "oplus argsort x.npy -o order.npy"},
    .exit_codes = TOOL_EXIT_CODES,
};

int tool_argsort(int argc, char **argv)
{
    tool_job job;
    size_t n;
    tool_job_open(&job, &usage, argc, argv);
    if (job.options.members) return tool_members(&job, true);
    if (job.options.axis) return tool_axis_sort(&job, true);
    if (job.options.by) return tool_by(&job, true);
    tool_source *const source = tool_job_input(&job, job.operand[0]);
    const oplus_type *const type = tool_source_type(source);
    const oplus_order order = job.options.descending ? OPLUS_DESCENDING : OPLUS_ASCENDING;
    if (type->scalar == OPLUS_RECORD)
        tool_die(TOOL_USAGE, "keys of type %s have no order; give numbers, or an order with --by",
                 tool_type_words(type));
    const void *const keys = tool_source_all(source, &n);
    int64_t *const places = tool_alloc(n * sizeof *places + 1);
    tool_sink *const sink = tool_job_output(&job, source, &oplus_i64, -1, NULL);
    tool_progress_work("sorting");
    tool_try(oplus_argsort(job.dev, type, order, keys, n, &oplus_i64, places));
    tool_job_write(&job, sink, places, n);
    tool_job_finish(&job, sink, tool_job_report(&job, type, tool_source_extent(source)), -1, NULL);
    free(places);
    tool_source_close(source);
    tool_job_close(&job);
    return TOOL_GOOD;
}
