#include "made.h"

#include "table/by_row.h"

static void check_usage(const tool_job *job)
{
    if (job->comm)
        tool_die(TOOL_USAGE, "--map is of one process; leave out --all, or write a file with oplus map first");
    if (job->options.check_overflow)
        tool_die(TOOL_USAGE, "--check-overflow is of the elements of a file, not of those that --map makes");
    for (char **path = job->operand + 1; *path; path++)
        if (tool_job_is_table(job, *path))
            tool_die(TOOL_USAGE, "--map is of arrays, and here is a table; use oplus map, and what it writes");
}

static void open_files(const tool_job *job, tool_made *made, const oplus_type *result)
{
    const oplus_type *type[OPLUS_MAX_ARITY];
    char **path = job->operand + 1;
    do {
        made->source[made->arity++] = tool_job_input(job, *path);
    } while (*path && *++path);
    tool_function_fit(job->options.map, made->arity, made->source, result);
    for (size_t k = 0; k < made->arity; k++) type[k] = tool_source_type(made->source[k]);
    made->before = tool_function_open(job->options.map, made->arity, type, result);
}

static void check_without_map(const tool_job *job)
{
    if (job->operand[1] && job->operand[2])
        tool_die(TOOL_USAGE, "one operand too many, '%s': several files need --map FN, over an element of each",
                 job->operand[2]);
    if (job->options.result) tool_die(TOOL_USAGE, "--result is the type of what --map makes, and there is no --map");
    if (job->options.then)
        tool_die(TOOL_USAGE, "--then stands with --map; here, give the results to oplus map: ... | oplus map '%s'",
                 job->options.then);
}

bool tool_made_open(const tool_job *job, tool_made *made)
{
    *made = (tool_made){0};
    if (!job->options.map) {
        check_without_map(job);
        return false;
    }
    check_usage(job);
    open_files(job, made, job->options.result ? tool_type("--result", job->options.result) : NULL);
    return true;
}

size_t tool_made_read(tool_made *made)
{
    size_t first = 0;
    for (size_t k = 0; k < made->arity; k++) {
        size_t n;
        made->in[k] = tool_source_all(made->source[k], &n);
        if (k == 0) first = n;
        if (n != first)
            tool_die(TOOL_FAILED, "%s has %zu elements and %s has %zu; all inputs must be of one length",
                     tool_source_name(made->source[0]), first, tool_source_name(made->source[k]), n);
    }
    return first;
}

void tool_made_close(tool_made *made)
{
    for (size_t k = 1; k < made->arity; k++) tool_source_close(made->source[k]);
    if (made->arity > 0) tool_function_close(&made->before);
}

tool_function_made tool_then_open(const tool_job *job, const oplus_type *type)
{
    if (!job->options.then) return (tool_function_made){0};
    return tool_function_open(job->options.then, 1, &type, NULL);
}
