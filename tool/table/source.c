/* source: rows of a table as elements, column after column of each row. */
#include "table/source.h"

#include "table/frame.h"

#include <stdlib.h>
#include <string.h>

typedef struct reader {
    tool_outside outside; /* the first member: the source knows only this */
    tool_table *table;
    tool_lanes lanes;
    size_t row, rows; /* of the table's block: rows given, and all rows */
} reader;

static void give(const reader *it, size_t n, char *to)
{
    const size_t size = it->lanes.layout.size;
    if (it->lanes.n == 1) {
        memcpy(to, it->lanes.in[0] + it->row * size, n * size);
        return;
    }
    for (size_t i = it->row; i < it->row + n; i++)
        for (size_t l = 0; l < it->lanes.n; l++, to += size) memcpy(to, it->lanes.in[l] + i * size, size);
}

/* Reads whole rows, at most n elements. */
static size_t fill(tool_outside *outside, void *to, size_t n)
{
    reader *const it = (reader *)outside;
    if (it->row == it->rows) {
        if (!tool_table_next(it->table)) return 0;
        tool_lanes_read(&it->lanes);
        it->row = 0;
        it->rows = tool_table_count(it->table);
    }
    const size_t left = it->rows - it->row, most = n / it->lanes.n, now = left < most ? left : most;
    give(it, now, to);
    it->row += now;
    outside->done = tool_table_done(it->table);
    outside->whole = it->lanes.how.exact && it->lanes.how.whole;
    return now * it->lanes.n;
}

static void take_integers(tool_outside *outside, const char *what)
{
    tool_lanes_take_integers(&((reader *)outside)->lanes, what);
    outside->free = outside->whole = false;
}

static void close_reader(tool_outside *outside)
{
    reader *const it = (reader *)outside;
    tool_lanes_close(&it->lanes);
    tool_table_close(it->table);
    free(it);
}

static tool_source *open_reader(tool_table *table, const tool_lanes *lanes)
{
    reader *const it = tool_alloc(sizeof *it);
    memset(it, 0, sizeof *it);
    it->table = table;
    it->lanes = *lanes;
    it->outside = (tool_outside){
        .name = tool_table_name(table), .fill = fill, .close = close_reader, .take_integers = take_integers};
    it->outside.columns = lanes->n;
    it->outside.free = lanes->how.exact;
    it->outside.between = tool_table_between(table);
    it->outside.format = tool_table_delimiter(table) == '\t'  ? TOOL_TSV
                         : tool_table_delimiter(table) == ',' ? TOOL_CSV
                                                              : TOOL_TEXT;
    it->outside.total = tool_table_total(table);
    return tool_source_of(&it->outside, lanes->type);
}

tool_source *tool_table_source(const tool_job *job, const char *path, bool every)
{
    const tool_columns none = {0};
    tool_table *const table = tool_job_table(job, path);
    const tool_lanes lanes = tool_lanes_open(job, table, tool_job_number_type(job), every ? NULL : &none);
    return open_reader(table, &lanes);
}

tool_source *tool_table_source_as(const tool_job *job, const char *path, const oplus_type *type, const char *option)
{
    const tool_format format = tool_format_of_name(path);
    if (format != TOOL_CSV && format != TOOL_TSV) return NULL;
    tool_job other = {.usage = job->usage, .comm = job->comm};
    other.type = type ? type : option ? NULL : &oplus_i64; /* indices, where no type can be named */
    const tool_columns none = {0};
    tool_table *const table = tool_job_table(&other, path);
    tool_lanes lanes = tool_lanes_open(&other, table, tool_job_number_type(&other), &none);
    lanes.how.option = option;
    return open_reader(table, &lanes);
}
