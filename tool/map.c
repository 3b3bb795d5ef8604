/* oplus map: a function of one element from each of several streams. */
#include "job.h"
#include "neighbours.h"
#include "operator.h"
#include "rounding.h"
#include "table/by_row.h"
#include "tool.h"

#include <stdlib.h>

static const tool_usage usage = {
    .name = "map",
    .operands = "FN [FILE...]",
    .least = 1,
    .most = 1 + OPLUS_MAX_ARITY,
    .about = "Applies FN to every element of FILE (default: stdin), or to one element of each of\n"
             "several files of equal length.  The elements are read piece by piece, so that a\n"
             "fixed amount of memory is enough; the shape of the first file is kept.\n\n"
             "FN is copy, neg, abs, square, sign, sqrt, floor, ceil, trunc, round, not (of bits),\n"
             "real, imag, conj; of two files add, sub, mul, div, min, max; or a text in C over a, b, c,\n"
             "..., an element of each file:  'sqrt(a) + 1'.  The result of a text has the type that\n"
             "it has in C (for integers, a * 0.5 is f64), unless --result gives another.  In a text i is\n"
             "the index of the element, a u64 from 0:  'a * (double)i'.\n\n"
             "With --neighbours, FN takes of one FILE the element before (a), the element (b) and the one\n"
             "behind (c):  'b - a'.  The whole array is held in memory.\n",
    .options = "result neighbours into " TOOL_TABLE_OPTIONS TOOL_INPUT_OPTIONS TOOL_OUTPUT_OPTIONS TOOL_CALL_OPTIONS,
    .examples = {"printf '1 4 9' | oplus map 'b - a' --neighbours 0", "seq 1 5 | oplus map square",
                 "seq 1 5 | oplus map 'sqrtf(a) + 1' -t f32", "seq 1 5 | oplus map 'a > 2' --result u8",
                 "seq 5 5 25 | oplus map 'a - i'",
                 "oplus map 'a * b' --header --column price,qty --into total sales.csv"},
    .exit_codes = TOOL_EXIT_CODES,
};

/* Elements of one input that have been read and not used yet. */
typedef struct input {
    tool_source *source;
    const char *at;
    size_t n, size;
} input;

/* The number of elements that all inputs have ready; 0 at the end of all of them. */
static size_t ready(input *in, size_t arity)
{
    size_t least = SIZE_MAX, ended = SIZE_MAX;
    for (size_t i = 0; i < arity; i++) {
        const void *piece;
        if (in[i].n == 0 && tool_job_next(in[0].source, in[i].source, &piece, &in[i].n)) in[i].at = piece;
        if (in[i].n == 0) ended = i;
        if (in[i].n < least) least = in[i].n;
    }
    for (size_t i = 0; ended != SIZE_MAX && i < arity; i++)
        if (in[i].n > 0)
            tool_die(TOOL_FAILED, "%s has fewer elements than %s; all inputs must be of one length",
                     tool_source_name(in[ended].source), tool_source_name(in[i].source));
    return least;
}

/* Compares the lengths that are known beforehand, before anything is written. */
static void check_counts(const input *in, size_t arity)
{
    uint64_t first, other;
    for (size_t i = 1; i < arity; i++)
        if (tool_source_count(in[0].source, &first) && tool_source_count(in[i].source, &other) && first != other)
            tool_die(TOOL_FAILED, "%s has %llu elements and %s has %llu; all inputs must be of one length",
                     tool_source_name(in[0].source), (unsigned long long)first, tool_source_name(in[i].source),
                     (unsigned long long)other);
}

static size_t open_inputs(const tool_job *job, input *in, const oplus_type **types, const oplus_type *result)
{
    tool_source *source[OPLUS_MAX_ARITY];
    char **path = job->operand + 1;
    size_t arity = 0;
    do {
        source[arity++] = tool_job_input(job, *path);
    } while (*path && *++path);
    tool_function_fit(job->operand[0], arity, source, result);
    for (size_t i = 0; i < arity; i++) {
        types[i] = tool_source_type(source[i]);
        in[i].source = source[i];
        in[i].size = types[i]->size;
    }
    return arity;
}

/* An input that has fractions, if there is one. */
static const tool_source *least_whole(const input *in, size_t arity)
{
    for (size_t i = 1; i < arity; i++)
        if (!tool_source_is_whole(in[i].source)) return in[i].source;
    return in[0].source;
}

int tool_map(int argc, char **argv)
{
    /* --- 1. what is asked --- */
    tool_job job;
    input in[OPLUS_MAX_ARITY] = {0};
    const oplus_type *types[OPLUS_MAX_ARITY];
    tool_job_open(&job, &usage, argc, argv);
    if (job.options.neighbours) return tool_neighbours_run(&job);
    const bool several = job.operand[1] && job.operand[2];
    if (job.options.into && several) tool_die(TOOL_USAGE, "--into is of one table; here are several files");
    if (!several && tool_job_is_table(&job, job.operand[1])) return tool_table_map(&job);
    const oplus_type *const result = job.options.result ? tool_type("--result", job.options.result) : NULL;
    const size_t arity = open_inputs(&job, in, types, result);
    tool_function_made function = tool_function_open(job.operand[0], arity, types, result);
    check_counts(in, arity);

    /* --- 2. piece by piece --- */
    const oplus_type *const type = function.fn->result;
    const uint64_t *shape;
    const int dims = tool_source_shape(in[0].source, &shape);
    tool_sink *const sink = tool_job_output(&job, in[0].source, type, dims, shape);
    const size_t room = TOOL_PIECE_BYTES / type->size + 1;
    uint64_t done = 0;
    tool_rounding rounding = {0};
    void *const out = tool_alloc(room * type->size);
    for (size_t n; (n = ready(in, arity)) > 0;) {
        const void *at[OPLUS_MAX_ARITY];
        if (n > room) n = room;
        for (size_t i = 0; i < arity; i++) at[i] = in[i].at;
        const oplus_fn part = oplus_from(function.fn, done);
        tool_try(oplus_map(job.dev, &part, at, n, out));
        done += n;
        tool_rounding_see(&rounding, least_whole(in, arity), type, out, n);
        tool_sink_write(sink, out, n);
        for (size_t i = 0; i < arity; i++) in[i].at += n * in[i].size, in[i].n -= n;
    }
    tool_job_finish(&job, sink, tool_job_report(&job, type, tool_sink_count(sink)), dims, shape);
    tool_rounding_tell(&rounding, least_whole(in, arity), job.operand[0]);

    free(out);
    tool_function_close(&function);
    for (size_t i = 0; i < arity; i++) tool_source_close(in[i].source);
    tool_job_close(&job);
    return TOOL_GOOD;
}
