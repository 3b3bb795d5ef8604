/* oplus sort of a table: whole rows by one column or by several, the first of which counts most; by numbers or text. */
#include "table/by_row.h"
#include "table/letters.h"
#include "table/rows.h"
#include "tool.h"

#include <stdlib.h>
#include <string.h>

static void check(const tool_job *job, const oplus_type *type)
{
    const tool_options *const o = &job->options;
    if (o->values || o->values_out || o->values_type)
        tool_die(TOOL_USAGE, "--values are of arrays; of a table whole rows are sorted");
    if (o->text && (job->type || o->empty))
        tool_die(TOOL_USAGE, "--text and %s: %s", job->type ? "--type" : "--empty",
                 job->type ? "letters have no type" : "an empty field is an empty text");
    if (type->scalar == OPLUS_RECORD)
        tool_die(TOOL_USAGE, "keys of type %s have no order; sort by columns of numbers", tool_type_words(type));
}

/* to[i] = from[order[i]] */
static void gather(const char *from, const uint64_t *order, size_t n, size_t size, char *to)
{
    for (size_t i = 0; i < n; i++) memcpy(to + i * size, from + order[i] * size, size);
}

/* Where each row of the sorted table was: a stable sort by each column, the one that counts least first. */
static uint64_t *find_order(const tool_job *job, const tool_lanes *lanes, size_t n)
{
    const size_t size = lanes->type->size;
    const oplus_order direction = job->options.descending ? OPLUS_DESCENDING : OPLUS_ASCENDING;
    uint64_t *const order = tool_alloc((n + 1) * sizeof *order);
    char *const keys = tool_alloc(n * size + 1);
    for (size_t i = 0; i < n; i++) order[i] = i;
    for (size_t l = lanes->n; l-- > 0;) {
        gather(lanes->in[l], order, n, size, keys);
        tool_try(oplus_sort_pairs(job->dev, lanes->type, direction, keys, &oplus_u64, order, n));
    }
    free(keys);
    return order;
}

/* The same by letters, of fields k. */
static uint64_t *find_order_of_text(const tool_job *job, const tool_table *table, size_t k, size_t columns)
{
    const size_t n = tool_table_count(table);
    const oplus_order direction = job->options.descending ? OPLUS_DESCENDING : OPLUS_ASCENDING;
    uint64_t *const order = tool_alloc((n + 1) * sizeof *order);
    for (size_t i = 0; i < n; i++) order[i] = i;
    for (size_t c = columns; c-- > 0;) tool_sort_letters(job, table, k + c, direction, order, n);
    return order;
}

static void put_sorted(tool_rows *rows, const tool_lanes *lanes, const uint64_t *order, size_t n)
{
    const size_t size = lanes->type->size;
    for (size_t i = 0; i < n; i++) {
        if (rows->binary)
            tool_sink_write(rows->sink, lanes->in[0] + order[i] * size, 1);
        else
            tool_rows_put(rows, (size_t)order[i], NULL, 0);
    }
}

int tool_table_sort(tool_job *job)
{
    const tool_columns none = {0};
    tool_table *const table = tool_job_table(job, job->operand[0]);
    const oplus_type *const type = tool_job_number_type(job);
    const bool text = job->options.text;
    check(job, type);
    tool_lanes lanes = tool_lanes_open(job, table, type, &none);
    tool_table_all(table);
    if (!text) tool_lanes_read(&lanes);
    const size_t n = tool_table_count(table);
    uint64_t *const order = text ? find_order_of_text(job, table, lanes.first, lanes.n) : find_order(job, &lanes, n);

    tool_rows rows = tool_rows_open(job, table, type, text ? 0 : lanes.n);
    tool_rows_whole(&rows);
    put_sorted(&rows, &lanes, order, n);
    tool_rows_end(&rows);
    cJSON *const report = tool_job_report(job, type, n);
    if (text) cJSON_ReplaceItemInObject(report, "type", tool_json_made(cJSON_CreateString("text")));
    tool_job_finish(job, rows.sink, report, -1, NULL);

    free(order);
    tool_rows_close(&rows);
    tool_lanes_close(&lanes);
    tool_table_close(table);
    tool_job_close(job);
    return TOOL_GOOD;
}
