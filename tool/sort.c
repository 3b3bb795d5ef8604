/* oplus sort: a stable radix sort, with values that move along. */
#include "axis.h"
#include "by.h"
#include "job.h"
#include "members.h"
#include "number.h"
#include "progress.h"
#include "ranks.h"
#include "segments.h"
#include "table/by_row.h"
#include "tool.h"

#include <stdlib.h>
#include <string.h>

static const tool_usage usage = {
    .name = "sort",
    .operands = "[FILE]",
    .least = 0,
    .most = 1,
    .about = "Sorts the numbers of FILE (default: stdin), and keeps the order of equal numbers.\n"
             "Floats sort in IEEE total order, -NaN < -inf < ... < -0 < +0 < ... < inf < NaN.  The\n"
             "whole array is held in memory, and the sort needs once or twice as much memory in\n"
             "addition.  In a table it sorts whole rows.\n\n"
             "With --by, elements of any type are in the order that a text in C says.  With --lengths or\n"
             "--offsets, each segment is sorted by itself; with --axis each row along that axis; with\n"
             "--bits 8:16 by the second lowest byte alone, as of integers (-t u32).  With --members structs\n"
             "are in the order of some of their members.\n",
    .options = "text descending by members bits axis lengths offsets values values-type values-out " TOOL_TABLE_OPTIONS
        TOOL_INPUT_OPTIONS TOOL_OUTPUT_OPTIONS TOOL_ALL_OPTIONS,
    .examples = {"printf '3 1 2' | oplus sort", "printf '0.5 -1 2' | oplus sort --descending -t f32",
                 "printf '3 1 2' | oplus sort --values index.txt --values-out sorted.txt",
                 "seq 6 -1 1 | oplus sort --lengths lengths.txt",
                 "printf '3 -4 1' | oplus sort --by 'fabs(a) < fabs(b)'",
                 "oplus sort --descending --header --column price sales.csv"},
    .exit_codes = TOOL_EXIT_CODES,
};

static void check_key(const oplus_type *type)
{
    if (type->scalar == OPLUS_RECORD)
        tool_die(
            TOOL_USAGE,
            "keys of type %s have no order; give one with --by, or sort by a number, and give the rest with --values",
            tool_type_words(type));
}

static tool_source *open_values(const tool_job *job)
{
    const tool_options *const o = &job->options;
    if (!o->values != !o->values_out) tool_die(TOOL_USAGE, "--values and --values-out go together");
    if (o->values_type && !o->values) tool_die(TOOL_USAGE, "--values-type is given, but no --values");
    const oplus_type *const type = o->values_type ? tool_type("--values-type", o->values_type) : NULL;
    return o->values ? tool_job_input_as(job, "--values", o->values, type, "--values-type") : NULL;
}

static tool_sink *open_values_out(const tool_job *job, const tool_source *in)
{
    const char *const path = job->options.values_out;
    const tool_format format = tool_sink_choose(TOOL_AUTO, path, tool_source_format(in));
    return tool_job_output_as(job, "--values-out", path, format, tool_source_type(in), -1, NULL);
}

static bool has_segments(const tool_job *job) { return job->options.lengths || job->options.offsets; }

static void check_segments(const tool_job *job)
{
    const tool_options *const o = &job->options;
    if (!has_segments(job)) return;
    const char *const option = o->lengths ? "lengths" : "offsets";
    if (o->lengths && o->offsets) tool_die(TOOL_USAGE, "--lengths and --offsets both say where segments are; give one");
    if (o->all) tool_die(TOOL_USAGE, "--%s: segments are not sorted with --all", option);
    if (o->by) tool_die(TOOL_USAGE, "--%s: segments are sorted by numbers, not with --by", option);
    if (tool_job_is_table(job, job->operand[0]))
        tool_die(TOOL_USAGE, "--%s is for arrays; sort a table by the columns that say the segment, and then by others",
                 option);
}

/* Each segment by itself; value and values NULL: there are only keys. */
static void sort_segments(const tool_job *job, oplus_order order, const oplus_type *key, void *keys,
                          const oplus_type *value, void *values, size_t n)
{
    const tool_segments s = tool_segments_of(job, n);
    tool_progress_work("sorting");
    tool_try(value ? oplus_segsort_pairs(job->dev, key, order, keys, value, values, n, &oplus_u64, s.offsets, s.count)
                   : oplus_segsort(job->dev, key, order, keys, n, &oplus_u64, s.offsets, s.count));
    free(s.offsets);
}

/* --- by some bits */

/* The bits that count: [low, high). */
typedef struct bits {
    unsigned low, high;
} bits;

static bits parse_bits(const tool_job *job, const oplus_type *type)
{
    static const char form[] = "two whole numbers, LOW at most HIGH; bits LOW to HIGH - 1 count";
    const char *const text = job->options.bits, *const colon = text ? strchr(text, ':') : NULL;
    const unsigned all = 8 * (unsigned)type->size;
    bits b = {0, all};
    if (!text) return b;
    if (!colon || number_read(OPLUS_U32, text, colon, &b.low) != NUMBER_GOOD ||
        number_read(OPLUS_U32, colon + 1, colon + strlen(colon), &b.high) != NUMBER_GOOD || b.low > b.high)
        tool_die(TOOL_USAGE, "--bits is '%s'; it is LOW:HIGH, %s", text, form);
    if (b.high > all)
        tool_die(TOOL_USAGE, "--bits is '%s', and %s has %u bits; give a HIGH of at most %u", text,
                 tool_type_words(type), all, all);
    return b;
}

static void check_bits(const tool_job *job)
{
    const tool_options *const o = &job->options;
    if (!o->bits) return;
    const tool_given others[] = {{o->by, "--by"},           {o->axis, "--axis"}, {o->lengths, "--lengths"},
                                 {o->offsets, "--offsets"}, {o->all, "--all"},   {o->text, "--text"}};
    tool_refuse_beside("--bits", others, sizeof others / sizeof *others);
    if (tool_job_is_table(job, job->operand[0])) tool_die(TOOL_USAGE, "--bits is for arrays, and the input is a table");
}

static void sort_keys(const tool_job *job, oplus_order order, const oplus_type *key, void *keys, size_t n)
{
    if (has_segments(job)) {
        sort_segments(job, order, key, keys, NULL, NULL, n);
        return;
    }
    tool_ranks_agree();
    tool_progress_work("sorting");
    const bits b = parse_bits(job, key);
    tool_try(job->comm           ? oplus_sort_all(job->dev, job->comm, key, order, OPLUS_AS_GIVEN, keys, &n, n)
             : job->options.bits ? oplus_sort_bits(job->dev, key, order, b.low, b.high, keys, n)
                                 : oplus_sort(job->dev, key, order, keys, n));
}

/* Sorts and writes keys and the values that move with them. */
static void sort_pairs(tool_job *job, oplus_order order, const tool_source *source, void *keys, size_t n,
                       tool_source *values_source)
{
    size_t values_n;
    void *const values = tool_source_own(values_source, &values_n);
    const unsigned long long there = tool_source_extent(values_source), wanted = tool_source_extent(source);
    if (there != wanted)
        tool_die(TOOL_FAILED, "%s has %llu values and %s %llu keys; there is one for each",
                 tool_source_name(values_source), there, tool_source_name(source), wanted);
    const oplus_type *const key = tool_source_type(source), *const value = tool_source_type(values_source);
    job->also = open_values_out(job, values_source);
    tool_ranks_agree();
    if (has_segments(job)) {
        sort_segments(job, order, key, keys, value, values, n);
    } else {
        tool_progress_work("sorting");
        const bits b = parse_bits(job, key);
        tool_try(job->comm
                     ? oplus_sort_pairs_all(job->dev, job->comm, key, order, OPLUS_AS_GIVEN, keys, value, values, &n, n)
                 : job->options.bits
                     ? oplus_sort_pairs_bits(job->dev, key, order, b.low, b.high, keys, value, values, n)
                     : oplus_sort_pairs(job->dev, key, order, keys, value, values, n));
    }
    tool_job_write(job, job->also, values, n);
    tool_sink_complete(job->also);
}

int tool_sort(int argc, char **argv)
{
    tool_job job;
    size_t n;
    tool_job_open(&job, &usage, argc, argv);
    if (job.options.members) return tool_members(&job, false);
    check_bits(&job);
    if (job.options.axis) return tool_axis_sort(&job, false);
    check_segments(&job);
    if (job.options.by) return tool_by(&job, false);
    if (tool_job_is_table(&job, job.operand[0])) return tool_table_sort(&job);
    if (job.options.text) tool_die(TOOL_USAGE, "--text is of tables; say with --column which column has the text");
    tool_source *const values_source = open_values(&job), *const source = tool_job_input(&job, job.operand[0]);
    const oplus_type *const type = tool_source_type(source);
    const oplus_order order = job.options.descending ? OPLUS_DESCENDING : OPLUS_ASCENDING;
    check_key(type);
    parse_bits(&job, type); /* before the input is read */
    if (job.options.bits && tool_source_is_free(source))
        tool_warn("--bits: numbers without -t are f64, and these are the bits of f64; -t i64, for one, reads integers");

    void *const keys = tool_source_own(source, &n);
    tool_sink *const sink = tool_job_output(&job, source, type, -1, NULL);
    if (values_source)
        sort_pairs(&job, order, source, keys, n, values_source);
    else
        sort_keys(&job, order, type, keys, n);
    tool_job_write(&job, sink, keys, n);
    tool_job_finish(&job, sink, tool_job_report(&job, type, tool_source_extent(source)), -1, NULL);

    tool_source_close(values_source);
    tool_source_close(source);
    tool_job_close(&job);
    return TOOL_GOOD;
}
