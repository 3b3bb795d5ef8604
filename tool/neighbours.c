#include "neighbours.h"

#include "functions.h"
#include "operator.h"
#include "progress.h"
#include "rounding.h"
#include "tool.h"
#include "type.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *word;
    oplus_edge edge;
} rules[] = {{"nearest", OPLUS_EDGE_NEAREST}, {"wrap", OPLUS_EDGE_WRAP}, {"mirror", OPLUS_EDGE_MIRROR}};

/* What lies beyond the ends. */
typedef struct beyond {
    oplus_edge edge;
    void *ends; /* NULL, or the same given element twice */
} beyond;

/* A word, or a value. */
static beyond beyond_of(const char *text, const oplus_type *type)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (strcmp(text, rules[i].word) == 0) return (beyond){rules[i].edge, NULL};
    char error[256];
    char *const ends = tool_alloc(2 * type->size);
    if (!tool_value_parse(type, text, ends, error))
        tool_die(TOOL_USAGE, "--neighbours is '%s'; give nearest, wrap or mirror, or the element beyond the ends: %s",
                 text, error);
    memcpy(ends + type->size, ends, type->size);
    return (beyond){OPLUS_EDGE_GIVEN, ends};
}

/* How many elements FN takes: a text may name all three. */
static size_t arity_of(const char *text, const oplus_type *type)
{
    const oplus_fn *const named = tool_function(text, type);
    if (named && named->arity == 1)
        tool_die(
            TOOL_USAGE,
            "%s takes one element, and --neighbours gives it the one before, too; give add, sub, mul, div, min or max, "
            "or a text in C over a, b and c: 'c - a'",
            text);
    return named ? named->arity : 3;
}

static void refuse(const tool_job *job)
{
    if (job->options.into)
        tool_die(TOOL_USAGE, "--into is not for --neighbours; leave it out, and the results are written");
    if (job->operand[1] && job->operand[2])
        tool_die(TOOL_USAGE, "--neighbours is for one file, whose elements are a, b and c; here is another: '%s'",
                 job->operand[2]);
}

int tool_neighbours_run(tool_job *job)
{
    size_t n;
    const char *const text = job->operand[0];
    refuse(job);
    const oplus_type *const wanted = job->options.result ? tool_type("--result", job->options.result) : NULL;
    tool_source *const source = tool_job_input(job, job->operand[1]), *const same[] = {source, source, source};
    tool_function_fit(text, arity_of(text, tool_source_type(source)), same, wanted);
    const oplus_type *const type = tool_source_type(source), *const types[] = {type, type, type};
    tool_function_made function = tool_function_open(text, arity_of(text, type), types, wanted);
    const beyond edge = beyond_of(job->options.neighbours, type);
    const oplus_type *const result = function.fn->result;
    const uint64_t *shape;
    const int dims = tool_source_shape(source, &shape);
    const void *const in = tool_source_all(source, &n);
    void *const out = tool_alloc(n * result->size + 1);
    tool_progress_work("computing");
    tool_try(oplus_map_neighbours(job->dev, function.fn, edge.edge, edge.ends, in, n, out));
    tool_sink *const sink = tool_job_output(job, source, result, dims, shape);
    tool_rounding rounding = {0};
    tool_rounding_see(&rounding, source, result, out, n);
    tool_job_write(job, sink, out, n);
    tool_job_finish(job, sink, tool_job_report(job, result, n), dims, shape);
    tool_rounding_tell(&rounding, source, text);

    free(out);
    free(edge.ends);
    tool_function_close(&function);
    tool_source_close(source);
    tool_job_close(job);
    return TOOL_GOOD;
}
