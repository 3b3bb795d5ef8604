/* oplus scan of a table: running results of each column, as new columns, or as the only output. */
#include "operator.h"
#include "rounding.h"
#include "table/by_row.h"
#include "table/rows.h"
#include "tool.h"

#include <stdlib.h>

int tool_table_scan(tool_job *job)
{
    const tool_columns none = {0};
    const oplus_kind kind = job->options.exclusive ? OPLUS_EXCLUSIVE : OPLUS_INCLUSIVE;
    tool_table *const table = tool_job_table(job, job->operand[1]);
    tool_lanes lanes = tool_lanes_open(job, table, tool_job_number_type(job), &none);
    if (tool_operator_of_integers(job->operand[0])) tool_lanes_take_integers(&lanes, job->operand[0]);
    tool_operator op = tool_operator_open(job->operand[0], lanes.type, &job->options);

    oplus_carry **const carry = tool_alloc((lanes.n + 1) * sizeof *carry);
    for (size_t l = 0; l < lanes.n; l++) tool_try(oplus_carry_open(op.op, 0, &carry[l]));
    tool_rows rows = tool_rows_open(job, table, lanes.type, lanes.n);
    tool_rows_results(&rows, job->options.into, lanes.n);
    uint64_t count = 0;
    tool_rounding rounding = {0};
    for (size_t n; tool_job_next_rows(table); count += n) {
        n = tool_table_count(table);
        tool_lanes_read(&lanes);
        for (size_t l = 0; l < lanes.n; l++) {
            tool_try(oplus_scan_from(job->dev, carry[l], kind, lanes.in[l], n, lanes.in[l]));
            tool_rounding_see_whole(&rounding, tool_lanes_are_whole(&lanes), lanes.type, lanes.in[l], n);
        }
        tool_rows_emit(&rows, lanes.in, n);
    }
    tool_rows_end(&rows);
    tool_job_finish(job, rows.sink, tool_job_report(job, lanes.type, count), -1, NULL);

    tool_rounding_tell_whole(&rounding, tool_lanes_are_whole(&lanes), tool_table_name(table), job->operand[0]);
    for (size_t l = 0; l < lanes.n; l++) oplus_carry_close(carry[l]);
    free(carry);
    tool_rows_close(&rows);
    tool_operator_close(&op);
    tool_lanes_close(&lanes);
    tool_table_close(table);
    tool_job_close(job);
    return TOOL_GOOD;
}
