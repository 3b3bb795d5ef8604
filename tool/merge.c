/* oplus merge: sorted arrays become one. */
#include "job.h"
#include "progress.h"
#include "tool.h"

#include <oplus/order.h>

#include <stdlib.h>

static const tool_usage usage = {
    .name = "merge",
    .operands = "FILE OTHER...",
    .least = 2,
    .most = TOOL_ANY_NUMBER,
    .all_files = true,
    .about = "Merges files of numbers that are sorted, as oplus sort writes them; - is stdin.  Of equal\n"
             "numbers those of an earlier file come first.  A file that is not sorted ends the command.\n"
             "All are held in memory.  Of tables only the numbers of the column are printed.\n",
    .options = "descending " TOOL_TABLE_OPTIONS TOOL_INPUT_OPTIONS TOOL_OUTPUT_OPTIONS TOOL_CALL_OPTIONS,
    .examples = {"printf '1 3 5' | oplus merge - index.txt", "seq 9 -2 1 | oplus merge --descending - /dev/null",
                 "oplus merge x.npy x.npy x.npy -o all.npy"},
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

/* The files, which are of one type and sorted. */
typedef struct inputs {
    tool_source **source;
    const void **in;
    size_t *n, count, total;
    const oplus_type *type;
} inputs;

static inputs open_all(const tool_job *job)
{
    inputs all = {.count = 0};
    while (job->operand[all.count]) all.count++;
    all.source = tool_alloc(all.count * sizeof(tool_source *));
    all.in = tool_alloc(all.count * sizeof *all.in);
    all.n = tool_alloc(all.count * sizeof *all.n);
    for (size_t k = 0; k < all.count; k++) all.source[k] = tool_job_input(job, job->operand[k]);
    all.type = tool_source_type(all.source[0]);
    return all;
}

static void check_types(const inputs *all)
{
    if (all->type->scalar == OPLUS_RECORD)
        tool_die(TOOL_USAGE, "keys of type %s have no order; give numbers", tool_type_words(all->type));
    for (size_t k = 1; k < all->count; k++) {
        const oplus_type *const other = tool_source_type(all->source[k]);
        if (all->type->scalar != other->scalar)
            tool_die(TOOL_FAILED,
                     "%s has elements of type %s and %s of type %s; they must be of one type; "
                     "-t says it of text, and oplus map a --result f64 converts a file",
                     tool_source_name(all->source[0]), tool_type_words(all->type), tool_source_name(all->source[k]),
                     tool_type_words(other));
    }
}

static void read_all(const tool_job *job, inputs *all, oplus_order order)
{
    for (size_t k = 0; k < all->count; k++) {
        all->in[k] = tool_source_all(all->source[k], &all->n[k]);
        all->total += all->n[k];
    }
    for (size_t k = 0; k < all->count; k++)
        check_sorted(job, tool_source_name(all->source[k]), all->type, order, all->in[k], all->n[k]);
}

static void close_all(inputs *all)
{
    for (size_t k = all->count; k > 0; k--) tool_source_close(all->source[k - 1]);
    free(all->source);
    free(all->in);
    free(all->n);
}

int tool_merge(int argc, char **argv)
{
    tool_job job;
    tool_job_open(&job, &usage, argc, argv);
    const oplus_order order = job.options.descending ? OPLUS_DESCENDING : OPLUS_ASCENDING;
    inputs all = open_all(&job);
    check_types(&all);
    read_all(&job, &all, order);
    void *const out = tool_alloc(all.total * all.type->size + 1);
    tool_sink *const sink = tool_job_output(&job, all.source[0], all.type, -1, NULL);
    tool_progress_work("merging");
    tool_try(oplus_merge_many(job.dev, all.type, order, all.in, all.n, all.count, out));
    tool_job_write(&job, sink, out, all.total);
    tool_job_finish(&job, sink, tool_job_report(&job, all.type, all.total), -1, NULL);
    free(out);
    close_all(&all);
    tool_job_close(&job);
    return TOOL_GOOD;
}
