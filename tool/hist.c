/* oplus hist: how many numbers are in each bin. */
#include "job.h"
#include "progress.h"
#include "tool.h"

#include <oplus/bins.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>

static const tool_usage usage = {
    .name = "hist",
    .operands = "[FILE]",
    .least = 0,
    .most = 1,
    .about = "Counts the numbers of FILE (default: stdin) in bins, and writes the counts.  The bins have one\n"
             "width, from LOW to HIGH (default: from the least number to the greatest); or their edges are\n"
             "the numbers of a file.  The last bin contains its upper end.  Numbers outside of all bins, and\n"
             "NaN, are not counted.  The whole array is held in memory.\n",
    .options = "bins range edges " TOOL_TABLE_OPTIONS TOOL_INPUT_OPTIONS TOOL_OUTPUT_OPTIONS TOOL_CALL_OPTIONS,
    .examples = {"seq 100 | oplus hist --bins 4 --range 0,100", "oplus hist x.npy --bins 256 -o counts.npy",
                 "printf '1 5 7' | oplus hist --edges edges.txt"},
    .exit_codes = TOOL_EXIT_CODES,
};

/* Where even bins begin and end. */
typedef struct ends {
    double low, high;
} ends;

static ends parse_range(const char *text)
{
    ends e;
    char *comma, *end;
    e.low = strtod(text, &comma);
    e.high = *comma == ',' ? strtod(comma + 1, &end) : (double)NAN;
    if (comma == text || *comma != ',' || end == comma + 1 || *end || !(e.low < e.high) || !isfinite(e.high - e.low))
        tool_die(TOOL_USAGE, "--range is '%s'; it is LOW,HIGH, two finite numbers, LOW less than HIGH", text);
    return e;
}

static double value_of(const oplus_type *type, const void *at)
{
    switch (type->scalar) {
#define VALUE(suffix, T, id)                                                                                           \
    case id:                                                                                                           \
        return (double)*(const T *)at;
        OPLUS_FOR_SCALARS(VALUE)
    default:
        return (double)NAN;
    }
}

/* The least number and the greatest; if they are equal, half a unit around it, or more if it is so large that this is nothing. */
static ends find_ends(const tool_job *job, const oplus_type *type, const void *in, size_t n)
{
    double both[2];
    if (n == 0)
        tool_die(TOOL_FAILED, "there are no numbers that say where the bins begin and end; give --range LOW,HIGH");
    tool_try(oplus_minmax(job->dev, type, in, n, both));
    const ends e = {value_of(type, both), value_of(type, (const char *)both + type->size)};
    if (!isfinite(e.low) || !isfinite(e.high))
        tool_die(TOOL_FAILED,
                 "there is a NaN or an infinity, so that the numbers do not say where bins begin and end; give "
                 "--range LOW,HIGH");
    const double around = fmax(0.5, fabs(e.low) * DBL_EPSILON);
    return e.low < e.high ? e : (ends){e.low - around, e.high + around};
}

static void count_in_even_bins(const tool_job *job, const oplus_type *type, const void *in, size_t n, int64_t *counts,
                               size_t bins)
{
    const ends e = job->options.range ? parse_range(job->options.range) : find_ends(job, type, in, n);
    tool_try(oplus_histogram(job->dev, type, in, n, e.low, e.high, &oplus_i64, counts, bins));
}

int tool_hist(int argc, char **argv)
{
    tool_job job;
    size_t n, bins = 0, edges = 0;
    const void *edge = NULL;
    tool_source *between = NULL;
    tool_job_open(&job, &usage, argc, argv);
    const tool_options *const o = &job.options;
    if (!o->bins == !o->edges) tool_die(TOOL_USAGE, "give --bins N or --edges FILE, one of them");
    if (o->edges && o->range) tool_die(TOOL_USAGE, "--range is for --bins; the edges say where bins begin and end");
    if (o->bins) bins = tool_options_number("bins", o->bins, 1);
    tool_source *const source = tool_job_input(&job, job.operand[0]);
    const oplus_type *const type = tool_source_type(source);
    if (type->scalar == OPLUS_RECORD)
        tool_die(TOOL_USAGE, "elements of type %s have no order; give numbers", tool_type_words(type));
    if (o->edges) {
        between = tool_job_input_as(&job, "--edges", o->edges, type, NULL);
        edge = tool_source_all(between, &edges);
        if (edges < 2) tool_die(TOOL_FAILED, "--edges: %s has fewer than two numbers; a bin has two edges", o->edges);
        bins = edges - 1;
    }
    const void *const in = tool_source_all(source, &n);
    int64_t *const counts = tool_alloc(bins * sizeof *counts);
    tool_progress_work("counting");
    if (edge)
        tool_try(oplus_histogram_edges(job.dev, type, in, n, edge, &oplus_i64, counts, bins));
    else
        count_in_even_bins(&job, type, in, n, counts, bins);
    tool_sink *const sink = tool_job_output(&job, source, &oplus_i64, -1, NULL);
    tool_job_write(&job, sink, counts, bins);
    tool_job_finish(&job, sink, tool_job_report(&job, type, n), -1, NULL);
    free(counts);
    if (between) tool_source_close(between);
    tool_source_close(source);
    tool_job_close(&job);
    return TOOL_GOOD;
}
