/* oplus reduce argmin, argmax, minmax, and what moments.c finds: mean, var, ...  Of a stream, what is known so far is
 * compared with what a piece gives, by the same calls: they say what comes first, and what a NaN is. */
#include "statistics.h"

#include "axis.h"
#include "moments.h"
#include "progress.h"
#include "ranks.h"
#include "type.h"

#include <oplus/statistics.h>

#include <stdlib.h>
#include <string.h>

enum { VALUE_BYTES = 8 /* of the largest scalar */ };

struct tool_statistic {
    const char *name;
    oplus_status (*place)(oplus_device *dev, const oplus_type *type, const void *in, size_t n,
                          size_t *at); /* or NULL */
    oplus_status (*place_all)(oplus_device *dev, const oplus_comm *comm, const oplus_type *type, const void *in,
                              size_t n, size_t *at);
    oplus_status (*along)(oplus_device *dev, const oplus_type *type, const void *in, size_t outer, size_t n,
                          size_t inner, const oplus_type *index, void *indices);
    tool_moment moment; /* or TOOL_NO_MOMENT */
};

static const tool_statistic statistics[] = {
    {"argmin", oplus_argmin, oplus_argmin_all, oplus_argmin_axis, TOOL_NO_MOMENT},
    {"argmax", oplus_argmax, oplus_argmax_all, oplus_argmax_axis, TOOL_NO_MOMENT},
    {"minmax", NULL, NULL, NULL, TOOL_NO_MOMENT},
    {"count", NULL, NULL, NULL, TOOL_COUNT},
    {"mean", NULL, NULL, NULL, TOOL_MEAN},
    {"var", NULL, NULL, NULL, TOOL_VAR},
    {"std", NULL, NULL, NULL, TOOL_STD},
    {"pvar", NULL, NULL, NULL, TOOL_PVAR},
    {"pstd", NULL, NULL, NULL, TOOL_PSTD}};
enum { STATISTICS = sizeof statistics / sizeof *statistics };

const tool_statistic *tool_statistic_named(const char *name)
{
    for (size_t i = 0; i < STATISTICS; i++)
        if (strcmp(statistics[i].name, name) == 0) return &statistics[i];
    return NULL;
}

/* What is known of the elements of a column so far. */
typedef struct column {
    uint64_t n, at;                  /* how many there are; where the one that is looked for is */
    char value[2 * VALUE_BYTES + 1]; /* it; or the least and the greatest */
} column;

/* One more piece of a column's elements, n > 0. */
static void add_place(const tool_job *job, const tool_statistic *s, const oplus_type *type, const char *x, size_t n,
                      column *c)
{
    char two[2 * VALUE_BYTES];
    size_t at = 0, later = 1;
    tool_try(s->place(job->dev, type, x, n, &at));
    memcpy(two, c->value, type->size);
    memcpy(two + type->size, x + at * type->size, type->size);
    if (c->n > 0) tool_try(s->place(job->dev, type, two, 2, &later));
    if (later == 1) {
        memcpy(c->value, two + type->size, type->size);
        c->at = c->n + at;
    }
    c->n += n;
}

static void add_values(const tool_job *job, const oplus_type *type, const char *x, size_t n, column *c)
{
    char four[4 * VALUE_BYTES];
    const size_t both = 2 * type->size;
    tool_try(oplus_minmax(job->dev, type, x, n, four));
    memcpy(four + both, c->n > 0 ? c->value : four, both);
    tool_try(oplus_minmax(job->dev, type, four, 4, c->value));
    c->n += n;
}

/* Reads all; the columns' elements come in turn. */
static void find_of_stream(const tool_job *job, const tool_statistic *s, tool_source *source, column *columns)
{
    const oplus_type *const type = tool_source_type(source);
    const size_t lanes = tool_source_lanes(source), size = type->size;
    const void *piece;
    char *room = NULL;
    for (size_t n; tool_job_next(source, source, &piece, &n);) {
        const size_t rows = n / lanes;
        if (lanes > 1) room = tool_realloc(room, rows * size + 1);
        for (size_t l = 0; l < lanes && rows > 0; l++) {
            for (size_t i = 0; lanes > 1 && i < rows; i++)
                memcpy(room + i * size, (const char *)piece + (i * lanes + l) * size, size);
            const char *const x = lanes > 1 ? room : piece;
            if (s->place)
                add_place(job, s, type, x, rows, &columns[l]);
            else
                add_values(job, type, x, rows, &columns[l]);
        }
    }
    free(room);
}

/* This rank's part. */
static void find_of_part(const tool_job *job, const tool_statistic *s, tool_source *source, column *c)
{
    size_t n, at = 0;
    const oplus_type *const type = tool_source_type(source);
    const void *const in = tool_source_all(source, &n);
    tool_ranks_agree();
    if (tool_source_extent(source) == 0) return;
    tool_try(s->place ? s->place_all(job->dev, job->comm, type, in, n, &at)
                      : oplus_minmax_all(job->dev, job->comm, type, in, n, c->value));
    c->n = tool_source_extent(source);
    c->at = at;
}

static cJSON *results_in_json(const oplus_type *type, const void *values, size_t n)
{
    if (n == 1) return tool_json_value(type, values);
    cJSON *const list = tool_json_made(cJSON_CreateArray());
    for (size_t i = 0; i < n; i++)
        cJSON_AddItemToArray(list, tool_json_value(type, (const char *)values + i * type->size));
    return list;
}

/* Options of operators, which these are not. */
static void refuse_options(const tool_options *o, const char *name)
{
    const char *const option = o->result           ? "result"
                               : o->identity       ? "identity"
                               : o->commutative    ? "commutative"
                               : o->exact          ? "exact"
                               : o->check_overflow ? "check-overflow"
                                                   : NULL;
    if (option)
        tool_die(TOOL_USAGE, "--%s is not for %s, which takes the elements as they are; leave it out", option, name);
}

/* Fills in the results of all columns, and returns how many elements each has. */
static uint64_t find(const tool_job *job, const tool_statistic *s, tool_source *source, char *results)
{
    const size_t lanes = tool_source_lanes(source), size = tool_source_type(source)->size;
    column *const columns = tool_alloc(lanes * sizeof *columns);
    memset(columns, 0, lanes * sizeof *columns);
    if (job->comm)
        find_of_part(job, s, source, columns);
    else
        find_of_stream(job, s, source, columns);
    const uint64_t n = columns->n;
    if (n == 0) tool_explain_nothing(&job->options);
    if (n == 0) tool_die(TOOL_FAILED, "there are no elements, and %s of nothing is nowhere", s->name);
    for (size_t l = 0; l < lanes; l++)
        if (s->place)
            memcpy(results + l * sizeof(int64_t), &columns[l].at, sizeof(int64_t));
        else
            memcpy(results + l * 2 * size, columns[l].value, 2 * size);
    free(columns);
    return n;
}

static void refuse_records(const tool_statistic *s, const oplus_type *type)
{
    if (type->scalar != OPLUS_RECORD || s->moment == TOOL_COUNT) return;
    if (s->moment)
        tool_die(TOOL_USAGE, "%s is for numbers; elements of type %s are none", s->name, tool_type_words(type));
    tool_die(TOOL_USAGE, "%s is for numbers with an order; elements of type %s have none", s->name,
             tool_type_words(type));
}

int tool_statistic_run(tool_job *job, const tool_statistic *s)
{
    refuse_options(&job->options, s->name);
    tool_source *const source = tool_job_columns(job, job->operand[1], false);
    const oplus_type *const type = tool_source_type(source);
    const oplus_type *const result = s->moment ? tool_moment_type(s->moment) : s->place ? &oplus_i64 : type;
    const size_t lanes = tool_source_lanes(source), values = lanes * (s->place || s->moment ? 1 : 2);
    refuse_records(s, type);
    char *const results = tool_alloc(values * VALUE_BYTES);
    const uint64_t n =
        s->moment ? tool_moment_find(job, s->moment, s->name, source, results) : find(job, s, source, results);
    const bool shown = job->options.output || !job->options.json;
    if (shown && values == 1) tool_job_value(job, source, result, results);
    if (shown && values > 1) tool_job_values(job, source, result, results, values);
    cJSON *const report = tool_job_report(job, type, n);
    cJSON_AddItemToObject(report, "result", results_in_json(result, results, values));
    tool_job_print(job, report);
    free(results);
    tool_source_close(source);
    tool_job_close(job);
    return TOOL_GOOD;
}

/* --- along an axis ------------------------------------------------------------------------------------------------ */

static void refuse_along(const tool_job *job, const tool_statistic *s)
{
    refuse_options(&job->options, s->name);
    tool_axis_refuse(job, "--axis");
    if (s->moment == TOOL_COUNT)
        tool_die(TOOL_USAGE, "--axis is not for count: each row has as many elements as the axis is long");
    if (!s->along && !s->moment) tool_die(TOOL_USAGE, "--axis is not for %s; min and max have it", s->name);
}

int tool_statistic_run_along(tool_job *job, const tool_statistic *s)
{
    size_t n;
    refuse_along(job, s);
    tool_source *const source = tool_job_columns(job, job->operand[1], true);
    const oplus_type *const type = tool_source_type(source), *const result = s->along ? &oplus_i64 : &oplus_f64;
    refuse_records(s, type);
    const void *const in = tool_source_all(source, &n);
    tool_axes a = tool_axes_of(job, source, n);
    const size_t rows = tool_axes_rows(&a);
    if (rows > 0 && a.n == 0) tool_die(TOOL_FAILED, "the axis has no elements, and so there is no %s", s->name);
    void *const out = tool_alloc(rows * VALUE_BYTES + 1);
    tool_progress_work("reducing");
    if (s->along)
        tool_try(s->along(job->dev, type, in, a.outer, a.n, a.inner, &oplus_i64, out));
    else
        tool_moment_find_along(job, s->moment, s->name, type, in, &a, out);
    tool_axes_remove(&a);
    tool_sink *const sink = tool_job_output(job, source, result, a.dims, a.shape);
    tool_job_write(job, sink, out, rows);
    tool_job_finish(job, sink, tool_job_report(job, type, n), a.dims, a.shape);
    free(out);
    tool_source_close(source);
    tool_job_close(job);
    return TOOL_GOOD;
}
