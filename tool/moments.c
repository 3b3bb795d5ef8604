/* Moments of a stream are those of a carry, to which the moments of each element are added; a file that lies on the disk as
 * an array is reduced where it is.  Both have the bits of oplus_mean and oplus_variance. */
#include "moments.h"

#include "ranks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FEW = 1 << 14 /* elements whose moments are made at a time: they stay in a cache */ };

const oplus_type *tool_moment_type(tool_moment moment) { return moment == TOOL_COUNT ? &oplus_u64 : &oplus_f64; }

static unsigned ddof_of(tool_moment moment) { return moment == TOOL_VAR || moment == TOOL_STD; }

static const oplus_fn *maker_of(const oplus_type *type)
{
#define CASE(suffix, T, scalar)                                                                                        \
    case scalar:                                                                                                       \
        return &oplus_moments_of_##suffix;
    switch (type->scalar) {
        OPLUS_FOR_SCALARS(CASE)
    default:
        return NULL; /* of records there is only a count */
    }
}

/* --- a stream ----------------------------------------------------------------------------------------------------- */

/* Adds every lanes-th of the elements at x, n in all. */
static void add(const tool_job *job, oplus_carry *carry, const oplus_type *type, const char *x, size_t lanes, size_t n)
{
    static oplus_moments made[FEW];
    static uint64_t column[FEW]; /* of any type */
    const size_t size = type->size;
    for (size_t i = 0, some; i < n; i += some) {
        some = n - i < FEW ? n - i : FEW;
        const void *in = x + i * lanes * size;
        for (size_t k = 0; lanes > 1 && k < some; k++)
            memcpy((char *)column + k * size, x + (i + k) * lanes * size, size);
        if (lanes > 1) in = column;
        if (job->options.explain) /* what it is, not the steps that a stream takes; this ends the command */
            tool_try(oplus_map_reduce(job->dev, maker_of(type), &oplus_join_moments, &in, some, made));
        tool_try(oplus_map(job->dev, maker_of(type), &in, some, made));
        tool_try(oplus_carry_add(job->dev, carry, made, some));
    }
}

static void find_of_stream(const tool_job *job, tool_source *source, oplus_moments *found)
{
    const oplus_type *const type = tool_source_type(source);
    const size_t lanes = tool_source_lanes(source);
    oplus_carry **const carry = tool_alloc(lanes * sizeof *carry);
    const void *piece;
    for (size_t l = 0; l < lanes; l++) tool_try(oplus_carry_open(&oplus_join_moments, 0, &carry[l]));
    for (size_t n; tool_job_next(source, source, &piece, &n);)
        for (size_t l = 0; l < lanes; l++)
            add(job, carry[l], type, (const char *)piece + l * type->size, lanes, n / lanes);
    for (size_t l = 0; l < lanes; l++) {
        tool_try(oplus_carry_value(carry[l], &found[l]));
        oplus_carry_close(carry[l]);
    }
    free(carry);
}

static void count(tool_source *source, oplus_moments *found)
{
    const size_t lanes = tool_source_lanes(source);
    const void *piece;
    uint64_t all = 0;
    for (size_t n; tool_job_next(source, source, &piece, &n);) all += n / lanes;
    for (size_t l = 0; l < lanes; l++) found[l] = (oplus_moments){all, 0, 0};
}

/* --- all at once -------------------------------------------------------------------------------------------------- */

/* Whether the elements lie in a file that is mapped, so that they need no memory; or are to be held in memory, to say in
 * words what would be done. */
static bool is_there(const tool_job *job, const tool_source *source)
{
    uint64_t n;
    const char *const path = job->operand[1];
    const bool is_file = path && strcmp(path, "-") != 0 && tool_source_count(source, &n);
    return tool_source_lanes(source) == 1 && (is_file || job->options.explain);
}

static void find_at_once(const tool_job *job, tool_source *source, oplus_moments *found)
{
    size_t n;
    const void *const in = tool_source_all(source, &n);
    if (n == 0) return;
    tool_try(
        oplus_map_reduce(job->dev, maker_of(tool_source_type(source)), &oplus_join_moments, OPLUS_IN(in), n, found));
}

/* --- what is made of them ----------------------------------------------------------------------------------------- */

static void need(const tool_job *job, tool_moment moment, const char *name, uint64_t n)
{
    if (n == 0 && moment != TOOL_COUNT) tool_explain_nothing(&job->options);
    if (n == 0 && moment != TOOL_COUNT) tool_die(TOOL_FAILED, "there are no elements, and so there is no %s", name);
    if (n <= ddof_of(moment) && moment != TOOL_COUNT)
        tool_die(TOOL_FAILED, "there is one element, and %s is of a sample of two or more; p%s is of all there is",
                 name, name);
}

/* This rank's part; every rank gets the result. */
static uint64_t find_of_part(const tool_job *job, tool_moment moment, const char *name, tool_source *source,
                             void *result)
{
    size_t n;
    double value = 0;
    const oplus_type *const type = tool_source_type(source);
    const void *const in = tool_source_all(source, &n);
    tool_ranks_agree();
    const uint64_t all = tool_source_extent(source);
    need(job, moment, name, all);
    if (moment == TOOL_COUNT) {
        memcpy(result, &all, sizeof all);
        return all;
    }
    tool_try(moment == TOOL_MEAN ? oplus_mean_all(job->dev, job->comm, type, in, n, &value)
                                 : oplus_variance_all(job->dev, job->comm, type, ddof_of(moment), in, n, &value));
    if (moment == TOOL_STD || moment == TOOL_PSTD) value = sqrt(value);
    memcpy(result, &value, sizeof value);
    return all;
}

static double value_of(oplus_moments found, tool_moment moment)
{
    if (moment == TOOL_MEAN) return oplus_mean_of(found);
    const double variance = oplus_variance_of(found, ddof_of(moment));
    return moment == TOOL_STD || moment == TOOL_PSTD ? sqrt(variance) : variance;
}

uint64_t tool_moment_find(const tool_job *job, tool_moment moment, const char *name, tool_source *source, void *results)
{
    const size_t lanes = tool_source_lanes(source);
    if (moment == TOOL_COUNT && job->options.explain)
        tool_die(TOOL_USAGE, "--explain is of a computation, and a count needs none; leave it out");
    if (job->comm) return find_of_part(job, moment, name, source, results);
    oplus_moments *const found = tool_alloc(lanes * sizeof *found);
    memset(found, 0, lanes * sizeof *found);
    if (moment == TOOL_COUNT)
        count(source, found);
    else if (is_there(job, source))
        find_at_once(job, source, found);
    else
        find_of_stream(job, source, found);
    need(job, moment, name, found->n);
    for (size_t l = 0; l < lanes; l++)
        if (moment == TOOL_COUNT)
            ((uint64_t *)results)[l] = found[l].n;
        else
            ((double *)results)[l] = value_of(found[l], moment);
    const uint64_t n = found->n;
    free(found);
    return n;
}

void tool_moment_find_along(const tool_job *job, tool_moment moment, const char *name, const oplus_type *type,
                            const void *in, const tool_axes *a, double *results)
{
    const size_t rows = tool_axes_rows(a), n = rows * a->n;
    if (rows == 0) return;
    need(job, moment, name, a->n);
    oplus_moments *const made = tool_alloc((n + rows) * sizeof *made), *const found = made + n;
    tool_try(oplus_map(job->dev, maker_of(type), OPLUS_IN(in), n, made));
    tool_try(oplus_reduce_axis(job->dev, &oplus_join_moments, made, a->outer, a->n, a->inner, found));
    for (size_t r = 0; r < rows; r++) results[r] = value_of(found[r], moment);
    free(made);
}
