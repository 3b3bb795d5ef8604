/* oplus map of a table: columns are the inputs a, b, ..., and the results are a new column, or the only output. */
#include "operator.h"
#include "rounding.h"
#include "table/by_row.h"
#include "table/rows.h"
#include "tool.h"

#include <stdlib.h>

/* Opens the columns as inputs of the function. */
static tool_lanes open_inputs(const tool_job *job, tool_table *table, const oplus_type *result)
{
    const tool_columns none = {0};
    tool_lanes lanes = tool_lanes_open(job, table, tool_job_number_type(job), &none);
    if (lanes.n > OPLUS_MAX_ARITY)
        tool_die(TOOL_USAGE, "--column names %zu inputs; a function has %d at most", lanes.n, OPLUS_MAX_ARITY);
    if (tool_function_of_integers(job->operand[0], lanes.n, result, false))
        tool_lanes_take_integers(&lanes, job->operand[0]);
    return lanes;
}

/* Returns how many rows there were. */
static uint64_t map_blocks(const tool_job *job, const oplus_fn *fn, tool_lanes *lanes, tool_rows *rows)
{
    uint64_t count = 0;
    char *out = NULL;
    tool_rounding rounding = {0};
    for (size_t n, room = 0; tool_job_next_rows(lanes->table); count += n) {
        n = tool_table_count(lanes->table);
        tool_lanes_read(lanes);
        if (n > room) out = tool_realloc(out, (room = n) * fn->result->size);
        const oplus_fn part = oplus_from(fn, count);
        tool_try(oplus_map(job->dev, &part, (const void *const *)lanes->in, n, out));
        tool_rounding_see_whole(&rounding, tool_lanes_are_whole(lanes), fn->result, out, n);
        tool_rows_emit(rows, &out, n);
    }
    tool_rows_end(rows);
    tool_rounding_tell_whole(&rounding, tool_lanes_are_whole(lanes), tool_table_name(lanes->table), job->operand[0]);
    free(out);
    return count;
}

int tool_table_map(tool_job *job)
{
    const oplus_type *types[OPLUS_MAX_ARITY];
    const oplus_type *const result = job->options.result ? tool_type("--result", job->options.result) : NULL;
    tool_table *const table = tool_job_table(job, job->operand[1]);
    tool_lanes lanes = open_inputs(job, table, result);
    for (size_t i = 0; i < lanes.n; i++) types[i] = lanes.type;
    tool_function_made function = tool_function_open(job->operand[0], lanes.n, types, result);

    const oplus_type *const type = function.fn->result;
    tool_rows rows = tool_rows_open(job, table, type, 1);
    tool_rows_results(&rows, job->options.into, 1);
    const uint64_t count = map_blocks(job, function.fn, &lanes, &rows);
    tool_job_finish(job, rows.sink, tool_job_report(job, type, count), -1, NULL);

    tool_rows_close(&rows);
    tool_function_close(&function);
    tool_lanes_close(&lanes);
    tool_table_close(table);
    tool_job_close(job);
    return TOOL_GOOD;
}
