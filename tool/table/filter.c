/* oplus filter of a table: whole rows are kept, as they were read. */
#include "operator.h"
#include "table/by_row.h"
#include "table/rows.h"
#include "tool.h"

#include <stdlib.h>
#include <string.h>

/* Moves the kept ones of n elements together. */
static void pack(char *array, size_t size, const uint8_t *keep, size_t n)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (keep[i]) memmove(array + kept++ * size, array + i * size, size);
}

static uint64_t put_kept(tool_rows *rows, const tool_lanes *lanes, const uint8_t *keep, size_t n)
{
    uint64_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        if (keep[i] && !rows->binary) tool_rows_put(rows, i, NULL, 0);
        kept += keep[i] != 0;
    }
    if (!rows->binary) return kept;
    pack(lanes->in[0], lanes->type->size, keep, n);
    tool_sink_write(rows->sink, lanes->in[0], (size_t)kept);
    return kept;
}

int tool_table_filter(tool_job *job)
{
    const tool_columns none = {0};
    const oplus_type *types[OPLUS_MAX_ARITY];
    tool_table *const table = tool_job_table(job, job->operand[1]);
    tool_lanes lanes = tool_lanes_open(job, table, tool_job_number_type(job), &none);
    if (lanes.n > OPLUS_MAX_ARITY)
        tool_die(TOOL_USAGE, "--column names %zu inputs; a predicate has %d at most", lanes.n, OPLUS_MAX_ARITY);
    if (tool_function_of_integers(job->operand[0], lanes.n, NULL, true))
        tool_lanes_take_integers(&lanes, job->operand[0]);
    for (size_t i = 0; i < lanes.n; i++) types[i] = lanes.type;
    tool_function_made keep = tool_predicate_open(job->operand[0], lanes.n, types);

    tool_rows rows = tool_rows_open(job, table, lanes.type, lanes.n);
    tool_rows_whole(&rows);
    uint8_t *flags = NULL;
    uint64_t count = 0, kept = 0;
    for (size_t n, room = 0; tool_job_next_rows(table); count += n) {
        n = tool_table_count(table);
        tool_lanes_read(&lanes);
        if (n > room) flags = tool_realloc(flags, room = n);
        const oplus_fn part = oplus_from(keep.fn, count);
        tool_try(oplus_map(job->dev, &part, (const void *const *)lanes.in, n, flags));
        kept += put_kept(&rows, &lanes, flags, n);
    }
    tool_rows_end(&rows);
    cJSON *const report = tool_job_report(job, lanes.type, count);
    tool_json_add_count(report, "kept", kept);
    tool_job_finish(job, rows.sink, report, -1, NULL);

    free(flags);
    tool_rows_close(&rows);
    tool_function_close(&keep);
    tool_lanes_close(&lanes);
    tool_table_close(table);
    tool_job_close(job);
    return TOOL_GOOD;
}
