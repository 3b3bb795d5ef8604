#include "axis.h"

#include "operator.h"
#include "progress.h"
#include "rounding.h"

#include <errno.h>
#include <stdlib.h>

void tool_axis_refuse(const tool_job *job, const char *option)
{
    const tool_options *const o = &job->options;
    const tool_given others[] = {{o->map, "--map"},       {o->then, "--then"}, {o->check_overflow, "--check-overflow"},
                                 {o->result, "--result"}, {o->into, "--into"}, {o->all, "--all"}};
    tool_refuse_beside(option, others, sizeof others / sizeof *others);
    if (job->operand[1] && job->operand[2])
        tool_die(TOOL_USAGE, "one operand too many, '%s': %s is of one array", job->operand[2], option);
}

static void find_shape(tool_axes *a, const tool_source *source, size_t n)
{
    const uint64_t *shape, columns = tool_source_columns(source);
    a->dims = tool_source_shape(source, &shape);
    for (int d = 0; d < a->dims; d++) a->shape[d] = shape[d];
    if (a->dims >= 0) return;
    const bool raw = tool_source_format(source) == TOOL_RAW;
    if (!raw && n > 0 && columns == 0)
        tool_die(TOOL_FAILED, "the lines of %s have different numbers of elements, and so there are no axes",
                 tool_source_name(source));
    a->dims = !raw && columns > 1 ? 2 : 1;
    a->shape[0] = a->dims == 2 ? n / columns : n;
    a->shape[1] = columns;
}

/* The axis that --axis names: 0 is the first one, -1 the last one. */
static void find_axis(tool_axes *a, const char *text, const char *name)
{
    char *end;
    errno = 0;
    const long value = strtol(text, &end, 10);
    if (errno || end == text || *end)
        tool_die(TOOL_USAGE, "--axis is '%s'; it is a whole number: 0 is the first axis, -1 the last one", text);
    if (a->dims == 0) tool_die(TOOL_FAILED, "%s is a single value, which has no axes", name);
    if (value >= a->dims || value < -a->dims)
        tool_die(TOOL_FAILED, "--axis is %ld, and %s has %d dimension%s; give %d to %d", value, name, a->dims,
                 a->dims == 1 ? "" : "s", -a->dims, a->dims - 1);
    a->axis = (int)(value < 0 ? value + a->dims : value);
    a->outer = a->inner = 1;
    for (int d = 0; d < a->axis; d++) a->outer *= (size_t)a->shape[d];
    for (int d = a->axis + 1; d < a->dims; d++) a->inner *= (size_t)a->shape[d];
    a->n = (size_t)a->shape[a->axis];
}

tool_axes tool_axes_of(const tool_job *job, const tool_source *source, size_t n)
{
    tool_axes a;
    find_shape(&a, source, n);
    find_axis(&a, job->options.axis, tool_source_name(source));
    return a;
}

void tool_axes_remove(tool_axes *a)
{
    a->dims--;
    for (int d = a->axis; d < a->dims; d++) a->shape[d] = a->shape[d + 1];
}

size_t tool_axes_rows(const tool_axes *a) { return a->outer * a->inner; }

int tool_axis_run(tool_job *job, bool scans)
{
    size_t n;
    tool_axis_refuse(job, "--axis");
    tool_source *const source = tool_job_columns(job, job->operand[1], true);
    tool_operator_fit(job->operand[0], source);
    const oplus_type *const type = tool_source_type(source);
    const void *const in = tool_source_all(source, &n);
    tool_axes a = tool_axes_of(job, source, n);
    tool_operator op = tool_operator_open(job->operand[0], type, &job->options);
    if (!scans) tool_axes_remove(&a);

    const size_t count = scans ? n : tool_axes_rows(&a);
    const oplus_kind kind = job->options.exclusive ? OPLUS_EXCLUSIVE : OPLUS_INCLUSIVE;
    void *const out = tool_alloc(count * type->size + 1);
    tool_progress_work(scans ? "scanning" : "reducing");
    tool_try(scans ? oplus_scan_axis(job->dev, op.op, kind, in, a.outer, a.n, a.inner, out)
                   : oplus_reduce_axis(job->dev, op.op, in, a.outer, a.n, a.inner, out));
    tool_sink *const sink = tool_job_output(job, source, type, a.dims, a.shape);
    tool_rounding rounding = {0};
    tool_rounding_see(&rounding, source, type, out, count);
    tool_job_write(job, sink, out, count);
    tool_job_finish(job, sink, tool_job_report(job, type, n), a.dims, a.shape);
    tool_rounding_tell(&rounding, source, job->operand[0]);

    free(out);
    tool_operator_close(&op);
    tool_source_close(source);
    tool_job_close(job);
    return TOOL_GOOD;
}

/* Options of sorts that are not of rows along an axis. */
static void refuse_of_sorts(const tool_options *o)
{
    const tool_given others[] = {{o->by, "--by"},
                                 {o->lengths, "--lengths"},
                                 {o->offsets, "--offsets"},
                                 {o->values, "--values"},
                                 {o->values_out, "--values-out"},
                                 {o->values_type, "--values-type"},
                                 {o->text, "--text"},
                                 {o->all, "--all"}};
    tool_refuse_beside("--axis", others, sizeof others / sizeof *others);
}

int tool_axis_sort(tool_job *job, bool places)
{
    size_t n;
    refuse_of_sorts(&job->options);
    tool_source *const source = tool_job_columns(job, job->operand[0], true);
    const oplus_type *const type = tool_source_type(source), *const result = places ? &oplus_i64 : type;
    const oplus_order order = job->options.descending ? OPLUS_DESCENDING : OPLUS_ASCENDING;
    if (type->scalar == OPLUS_RECORD)
        tool_die(TOOL_USAGE, "keys of type %s have no order; give numbers", tool_type_words(type));
    void *const keys = tool_source_own(source, &n);
    const tool_axes a = tool_axes_of(job, source, n);
    int64_t *const found = places ? tool_alloc(n * sizeof *found + 1) : NULL;
    tool_progress_work("sorting");
    tool_try(places ? oplus_argsort_axis(job->dev, type, order, keys, a.outer, a.n, a.inner, &oplus_i64, found)
                    : oplus_sort_axis(job->dev, type, order, keys, a.outer, a.n, a.inner));
    tool_sink *const sink = tool_job_output(job, source, result, a.dims, a.shape);
    tool_job_write(job, sink, places ? (void *)found : keys, n);
    tool_job_finish(job, sink, tool_job_report(job, type, n), a.dims, a.shape);
    free(found);
    tool_source_close(source);
    tool_job_close(job);
    return TOOL_GOOD;
}
