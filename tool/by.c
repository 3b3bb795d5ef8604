/* --by of sort and argsort: elements of any type, in the order that a text in C says. */
#include "by.h"
#include "operator.h"
#include "progress.h"
#include "table/by_row.h"
#include "tool.h"

#include <stdlib.h>

static void refuse_others(const tool_job *job)
{
    const tool_options *const o = &job->options;
    if (o->descending)
        tool_die(TOOL_USAGE, "--by says the order, and --descending another one; exchange a and b in it");
    if (o->all) tool_die(TOOL_USAGE, "--by: there is no such sort with --all");
    if (o->values || o->values_out || o->values_type)
        tool_die(TOOL_USAGE,
                 "--by: values do not move along; let oplus argsort --by give the order, and oplus take the "
                 "values in it");
    if (o->text || tool_job_is_table(job, job->operand[0]))
        tool_die(TOOL_USAGE, "--by is for arrays; rows of a table are sorted by --column");
}

/* Warns of a text such as a <= b, after which nothing holds: no element may come before itself. */
static void check_order(const tool_job *job, const oplus_fn *less, const void *in, size_t n)
{
    enum { MOST = 64 };
    const size_t some = n < MOST ? n : MOST, size = less->result->size;
    if (job->options.explain || job->options.quiet || some == 0) return;
    char *const says = tool_alloc(some * size);
    const void *const both[] = {in, in};
    oplus_device *cores;
    bool wrong = false;
    tool_try(oplus_open("serial", &cores)); /* no kernel is compiled for it */
    tool_try(oplus_map(cores, less, both, some, says));
    oplus_close(cores);
    for (size_t i = 0; i < some * size; i++) wrong |= says[i] != 0;
    free(says);
    if (wrong)
        tool_warn("--by: by '%s' an element comes before itself, which is no order; write a < b rather than a <= b",
                  job->options.by);
}

int tool_by(tool_job *job, bool places)
{
    size_t n;
    refuse_others(job);
    tool_source *const source = tool_job_input(job, job->operand[0]);
    tool_order_fit(job->options.by, source);
    const oplus_type *const type = tool_source_type(source);
    tool_function_made less = tool_predicate_open(job->options.by, 2, (const oplus_type *const[]){type, type});
    void *const in = tool_source_own(source, &n);
    int64_t *const indices = places ? tool_alloc(n * sizeof *indices + 1) : NULL;
    tool_sink *const sink = tool_job_output(job, source, places ? &oplus_i64 : type, -1, NULL);
    check_order(job, less.fn, in, n);
    tool_progress_work("sorting");
    tool_try(places ? oplus_argsort_by(job->dev, less.fn, in, n, &oplus_i64, indices)
                    : oplus_sort_by(job->dev, less.fn, in, n));
    tool_job_write(job, sink, places ? (const void *)indices : in, n);
    tool_job_finish(job, sink, tool_job_report(job, type, tool_source_extent(source)), -1, NULL);
    free(indices);
    tool_function_close(&less);
    tool_source_close(source);
    tool_job_close(job);
    return TOOL_GOOD;
}
