/* oplus merge: two sorted arrays become one. */
#include "job.h"
#include "progress.h"
#include "tool.h"

#include <oplus/order.h>

#include <stdlib.h>

static const tool_usage usage = {
    .name = "merge",
    .operands = "FILE OTHER",
    .least = 2,
    .most = 2,
    .all_files = true,
    .about = "Merges two files of numbers that are sorted, as oplus sort writes them; - is stdin.  Of\n"
             "equal numbers those of FILE come first.  A file that is not sorted ends the command.\n"
             "Both are held in memory.\n",
    .options = "descending " TOOL_INPUT_OPTIONS TOOL_OUTPUT_OPTIONS TOOL_CALL_OPTIONS,
    .examples = {"printf '1 3 5' | oplus merge - index.txt", "seq 9 -2 1 | oplus merge --descending - /dev/null",
                 "oplus merge x.npy x.npy -o both.npy"},
    .exit_codes = TOOL_EXIT_CODES,
};

/* Ends the command unless an array is sorted: then its elements in order are those at 0, 1, 2, ... */
static void check_sorted(const tool_job *job, const char *name, const oplus_type *type, oplus_order order,
                         const void *x, size_t n)
{
    if (job->options.explain) return; /* the merge is what is explained */
    int64_t *const places = tool_alloc(n * sizeof *places + 1);
    tool_try(oplus_argsort(job->dev, type, order, x, n, &oplus_i64, places));
    for (size_t i = 0; i < n; i++)
        if (places[i] != (int64_t)i)
            tool_die(TOOL_FAILED,
                     "%s is not sorted in %s order: element %lld belongs before element %llu; sort it first", name,
                     order == OPLUS_DESCENDING ? "descending" : "ascending", (long long)places[i],
                     (unsigned long long)i);
    free(places);
}

int tool_merge(int argc, char **argv)
{
    tool_job job;
    size_t a_n, b_n;
    tool_job_open(&job, &usage, argc, argv);
    tool_source *const a = tool_job_input(&job, job.operand[0]), *const b = tool_job_input(&job, job.operand[1]);
    const oplus_type *const type = tool_source_type(a), *const other = tool_source_type(b);
    const oplus_order order = job.options.descending ? OPLUS_DESCENDING : OPLUS_ASCENDING;
    if (type->scalar == OPLUS_RECORD)
        tool_die(TOOL_USAGE, "keys of type %s have no order; give numbers", tool_type_words(type));
    if (type->scalar != other->scalar)
        tool_die(TOOL_FAILED,
                 "%s has elements of type %s and %s of type %s; they must be of one type; "
                 "-t names it, as in -t f64",
                 tool_source_name(a), tool_type_words(type), tool_source_name(b), tool_type_words(other));
    const void *const x = tool_source_all(a, &a_n), *const y = tool_source_all(b, &b_n);
    check_sorted(&job, tool_source_name(a), type, order, x, a_n);
    check_sorted(&job, tool_source_name(b), type, order, y, b_n);
    void *const out = tool_alloc((a_n + b_n) * type->size + 1);
    tool_sink *const sink = tool_job_output(&job, a, type, -1, NULL);
    tool_progress_work("merging");
    tool_try(oplus_merge(job.dev, type, order, x, a_n, y, b_n, out));
    tool_job_write(&job, sink, out, a_n + b_n);
    tool_job_finish(&job, sink, tool_job_report(&job, type, a_n + b_n), -1, NULL);
    free(out);
    tool_source_close(b);
    tool_source_close(a);
    tool_job_close(&job);
    return TOOL_GOOD;
}
