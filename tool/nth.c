/* oplus nth: the number at a place of the sorted ones, a quantile, the median. */
#include "job.h"
#include "progress.h"
#include "tool.h"

#include <oplus/order.h>

#include <float.h>
#include <stdlib.h>
#include <string.h>

static const tool_usage usage = {
    .name = "nth",
    .operands = "K [FILE]",
    .least = 1,
    .most = 2,
    .about = "Writes the number that stands at place K, counted from 0, once FILE (default: stdin) is sorted;\n"
             "with --descending, once it is sorted from the largest to the smallest.  K may be a quantile:\n"
             "P% is the place P (n - 1) / 100, rounded down, so that 0% is the first number and 100% the last;\n"
             "50% is the median of an odd number of numbers, and the lower of both in the middle of an even\n"
             "one.  Floats have the order of oplus sort.  The whole array is held in memory, but not sorted.\n",
    .options = "descending " TOOL_TABLE_OPTIONS TOOL_INPUT_OPTIONS TOOL_OUTPUT_OPTIONS TOOL_CALL_OPTIONS,
    .examples = {"printf '30 10 20' | oplus nth 0", "oplus nth 50% x.npy", "oplus nth 99.9% x.npy --descending"},
    .exit_codes = TOOL_EXIT_CODES,
};

enum { LARGEST = 8 /* bytes of a number */ };

/* K: a place, or a quantile in percent. */
typedef struct wanted {
    bool is_quantile;
    double percent;
    size_t place;
} wanted;

static wanted wanted_of(const char *text)
{
    char *end;
    if (!strchr(text, '%') && strspn(text, "0123456789") != strlen(text))
        tool_die(TOOL_USAGE, "K is '%s'; it is a whole number of at least 0, or a quantile such as 50%%", text);
    if (!strchr(text, '%')) return (wanted){.place = tool_operand_number("K", text, 0)};
    const double percent = strtod(text, &end);
    const bool is_decimal = strspn(text, "0123456789.") == strlen(text) - 1;
    if (end == text || strcmp(end, "%") != 0 || !is_decimal || !(percent >= 0 && percent <= 100))
        tool_die(TOOL_USAGE, "K is '%s'; a quantile is a number from 0 to 100, and %% behind it, as in 99.9%%", text);
    return (wanted){.is_quantile = true, .percent = percent};
}

static size_t place_of(const wanted *k, size_t n)
{
    if (n == 0) tool_die(TOOL_FAILED, "there are no numbers");
    if (!k->is_quantile && k->place >= n)
        tool_die(TOOL_FAILED, "K is %zu, and there %s %zu number%s; places are 0 to %zu", k->place,
                 n == 1 ? "is" : "are", n, n == 1 ? "" : "s", n - 1);
    if (!k->is_quantile) return k->place;
    /* A decimal such as 64.1 may be read as a little less than it is. */
    const size_t place = (size_t)(k->percent * (double)(n - 1) / 100 * (1 + 4 * DBL_EPSILON));
    return place < n ? place : n - 1; /* of more numbers than a double counts */
}

int tool_nth(int argc, char **argv)
{
    tool_job job;
    size_t n;
    _Alignas(LARGEST) char out[LARGEST];
    tool_job_open(&job, &usage, argc, argv);
    const wanted k = wanted_of(job.operand[0]);
    tool_source *const source = tool_job_input(&job, job.operand[1]);
    const oplus_type *const type = tool_source_type(source);
    const oplus_order order = job.options.descending ? OPLUS_DESCENDING : OPLUS_ASCENDING;
    if (type->scalar == OPLUS_RECORD)
        tool_die(TOOL_USAGE, "keys of type %s have no order; give numbers", tool_type_words(type));
    const void *const keys = tool_source_all(source, &n);
    const size_t place = place_of(&k, n);
    tool_sink *const sink = tool_job_output(&job, source, type, -1, NULL);
    tool_progress_work("searching");
    tool_try(oplus_nth(job.dev, type, order, keys, n, place, out));
    tool_job_write(&job, sink, out, 1);
    cJSON *const report = tool_job_report(&job, type, n);
    tool_json_add_count(report, "place", place);
    tool_job_finish(&job, sink, report, -1, NULL);
    tool_source_close(source);
    tool_job_close(&job);
    return TOOL_GOOD;
}
