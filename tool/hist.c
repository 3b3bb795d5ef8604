/* oplus hist: how many numbers are in each bin. */
#include "job.h"
#include "part.h"
#include "progress.h"
#include "ranks.h"
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
    .options = "bins range edges " TOOL_TABLE_OPTIONS TOOL_INPUT_OPTIONS TOOL_OUTPUT_OPTIONS TOOL_ALL_OPTIONS,
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

/* The elements, of which there are n here and `all` on all ranks, and the counts. */
typedef struct counting {
    const tool_job *job;
    const oplus_type *type;
    const void *in;
    size_t n;
    uint64_t all;
    int64_t *counts;
    size_t bins;
} counting;

static oplus_status minmax(const counting *c, void *both)
{
    const tool_job *const job = c->job;
    return job->comm ? oplus_minmax_all(job->dev, job->comm, c->type, c->in, c->n, both)
                     : oplus_minmax(job->dev, c->type, c->in, c->n, both);
}

/* The least number and the greatest; if they are equal, half a unit around it, or more if it is so large that this is nothing. */
static ends find_ends(const counting *c)
{
    const oplus_type *const type = c->type;
    double both[2];
    if (c->all == 0)
        tool_die(TOOL_FAILED, "there are no numbers that say where the bins begin and end; give --range LOW,HIGH");
    tool_try(minmax(c, both));
    const ends e = {value_of(type, both), value_of(type, (const char *)both + type->size)};
    if (!isfinite(e.low) || !isfinite(e.high))
        tool_die(TOOL_FAILED,
                 "there is a NaN or an infinity, so that the numbers do not say where bins begin and end; give "
                 "--range LOW,HIGH");
    const double around = fmax(0.5, fabs(e.low) * DBL_EPSILON);
    return e.low < e.high ? e : (ends){e.low - around, e.high + around};
}

static oplus_status count_in_even_bins(const counting *c)
{
    const tool_job *const job = c->job;
    const ends e = job->options.range ? parse_range(job->options.range) : find_ends(c);
    if (job->comm)
        return oplus_histogram_all(job->dev, job->comm, c->type, c->in, c->n, e.low, e.high, &oplus_i64, c->counts,
                                   c->bins);
    return oplus_histogram(job->dev, c->type, c->in, c->n, e.low, e.high, &oplus_i64, c->counts, c->bins);
}

static oplus_status count_between(const counting *c, const void *edges)
{
    const tool_job *const job = c->job;
    if (job->comm)
        return oplus_histogram_edges_all(job->dev, job->comm, c->type, c->in, c->n, edges, &oplus_i64, c->counts,
                                         c->bins);
    return oplus_histogram_edges(job->dev, c->type, c->in, c->n, edges, &oplus_i64, c->counts, c->bins);
}

/* Opens the file of the edges, which every rank reads as a whole. */
static tool_source *open_edges(const tool_job *job, const char *path, const oplus_type *type)
{
    tool_job own = *job;
    if (job->comm) tool_part_check_input("--edges", path);
    own.comm = NULL;
    return tool_job_input_as(&own, "--edges", path, type, NULL);
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
        between = open_edges(&job, o->edges, type);
        edge = tool_source_all(between, &edges);
        if (edges < 2) tool_die(TOOL_FAILED, "--edges: %s has fewer than two numbers; a bin has two edges", o->edges);
        bins = edges - 1;
    }
    const void *const in = tool_source_all(source, &n);
    const uint64_t all = tool_source_extent(source);
    int64_t *const counts = tool_alloc(bins * sizeof *counts);
    const counting c = {&job, type, in, n, all, counts, bins};
    tool_ranks_agree();
    tool_progress_work("counting");
    tool_try(edge ? count_between(&c, edge) : count_in_even_bins(&c));
    tool_job_list(&job, source, &oplus_i64, counts, bins, tool_job_report(&job, type, all));
    free(counts);
    if (between) tool_source_close(between);
    tool_source_close(source);
    tool_job_close(&job);
    return TOOL_GOOD;
}
