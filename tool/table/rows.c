/* rows: a buffer of text that a sink takes. */
#include "table/rows.h"

#include "number.h"

#include <stdlib.h>
#include <string.h>

enum { BUFFER_BYTES = 1 << 20 };

/* --- the buffer --------------------------------------------------------------------------------------------------- */

static void flush(tool_rows *rows)
{
    if (rows->used > 0) tool_sink_bytes(rows->sink, rows->buffer, rows->used, rows->pending);
    rows->used = 0;
    rows->pending = 0;
}

/* Where the next `bytes` bytes can be written. */
static char *reserve(tool_rows *rows, size_t bytes)
{
    if (rows->used + bytes > rows->room) flush(rows);
    if (bytes > rows->room) {
        rows->room = 2 * bytes;
        rows->buffer = tool_realloc(rows->buffer, rows->room);
    }
    return rows->buffer + rows->used;
}

static void written(tool_rows *rows, const char *end) { rows->used = (size_t)(end - rows->buffer); }

static char *copy(char *to, const char *from, size_t bytes) { return (char *)memcpy(to, from, bytes) + bytes; }

/* --- fields ------------------------------------------------------------------------------------------------------- */

/* A field in the quotes of the rows; `to` has room for 2 * bytes + 2. */
static char *put_field(tool_rows *rows, const char *field, size_t bytes, char *to)
{
    if (!rows->convert) return copy(to, field, bytes);
    if (bytes > rows->scratch_room) {
        rows->scratch_room = 2 * bytes;
        rows->scratch = tool_realloc(rows->scratch, rows->scratch_room);
    }
    const size_t letters = csv_unquote(rows->from, field, bytes, rows->scratch);
    return csv_quote(rows->to, rows->scratch, letters, to);
}

static char *put_cell(const tool_cells *cell, size_t e, char *to)
{
    return number_write(cell->scalar, cell->at + e * cell->stride, to);
}

/* Copies the line end at `behind`, which may be missing at the end of the table. */
static char *put_line_end(const tool_rows *rows, const char *behind, char *to)
{
    const char *const end = *behind == '\r' ? "\r\n" : *behind == '\n' ? "\n" : tool_table_line_end(rows->table);
    return copy(to, end, strlen(end));
}

/* The most bytes that a row of so many bytes can become. */
static size_t most_bytes(const tool_rows *rows, size_t bytes, size_t fields, size_t cells)
{
    return (rows->convert ? 2 * bytes + 3 * fields : bytes) + cells * (NUMBER_MAX + 1) + 4;
}

/* Writes a row field by field: some fields are replaced, or get other quotes.  cells NULL: other quotes only. */
static char *put_fields(tool_rows *rows, const char *row, size_t bytes, const tool_cells *cells, size_t e, char *to)
{
    enum { FEW = 64 };
    csv_field few[FEW], *field = few;
    const size_t n = csv_fields(rows->from, row, bytes, few, FEW);
    if (n > FEW) {
        field = tool_alloc(n * sizeof *field);
        csv_fields(rows->from, row, bytes, field, n);
    }
    size_t at = 0;
    for (size_t i = 0; i < n; i++) {
        if (!rows->convert)
            to = copy(to, row + at, field[i].begin - at);
        else if (i > 0)
            *to++ = rows->between;
        const size_t place = cells && rows->replaces && i < tool_table_columns(rows->table) ? rows->place[i] : SIZE_MAX;
        to = place != SIZE_MAX ? put_cell(&cells[place], e, to)
                               : put_field(rows, row + field[i].begin, field[i].end - field[i].begin, to);
        at = field[i].end;
    }
    if (!rows->convert) to = copy(to, row + at, bytes - at);
    if (field != few) free(field);
    return to;
}

static char *put_row(tool_rows *rows, const char *row, size_t bytes, const tool_cells *cells, size_t e, char *to)
{
    const bool plain = !rows->convert && !(cells && rows->replaces);
    return plain ? copy(to, row, bytes) : put_fields(rows, row, bytes, cells, e, to);
}

void tool_rows_put(tool_rows *rows, size_t i, const tool_cells *cells, size_t e)
{
    size_t bytes;
    const tool_targets *const targets = &rows->targets;
    const size_t columns = tool_table_columns(rows->table);
    const char *const row = tool_table_row(rows->table, i, &bytes);
    char *to = reserve(rows, most_bytes(rows, bytes, columns + bytes / 2, targets->n));
    to = put_row(rows, row, bytes, cells, e, to);
    for (size_t t = 0; t < targets->n; t++) {
        if (targets->at[t] < columns) continue;
        *to++ = rows->between;
        to = put_cell(&cells[t], e, to);
    }
    written(rows, put_line_end(rows, row + bytes, to));
    rows->pending++;
}

void tool_rows_put_keyed(tool_rows *rows, size_t i, size_t k, size_t keys, const tool_cells *cells, size_t results,
                         size_t e)
{
    size_t bytes = 0;
    if (keys > 0) tool_table_row(rows->table, i, &bytes);
    char *to = reserve(rows, most_bytes(rows, keys * bytes, keys, results));
    for (size_t f = 0; f < keys; f++) {
        const char *const field = tool_table_field(rows->table, i, k + f, &bytes);
        if (f > 0) *to++ = rows->between;
        to = put_field(rows, field, bytes, to);
    }
    for (size_t r = 0; r < results; r++) {
        if (keys + r > 0) *to++ = rows->between;
        to = put_cell(&cells[r], e, to);
    }
    const char *const end = tool_table_line_end(rows->table);
    written(rows, copy(to, end, strlen(end)));
    rows->pending++;
}

void tool_rows_emit(tool_rows *rows, char *const *arrays, size_t n)
{
    if (rows->binary) {
        tool_sink_write(rows->sink, arrays[0], n);
        return;
    }
    size_t results;
    tool_cells *const cells = tool_cells_of(rows->type, arrays, rows->lanes, &results);
    for (size_t i = 0; i < n; i++) {
        if (rows->whole)
            tool_rows_put(rows, i, cells, i);
        else
            tool_rows_put_keyed(rows, i, 0, 0, cells, results, i);
    }
    free(cells);
}

/* --- headers ------------------------------------------------------------------------------------------------------ */

static void put_name(tool_rows *rows, const char *name, bool first)
{
    const size_t bytes = strlen(name);
    char *to = reserve(rows, 2 * bytes + 3);
    if (!first) *to++ = rows->between;
    written(rows, csv_quote(rows->to, name, bytes, to));
}

static void end_header(tool_rows *rows)
{
    const char *const end = tool_table_line_end(rows->table);
    written(rows, copy(reserve(rows, 2), end, strlen(end)));
}

void tool_rows_whole(tool_rows *rows)
{
    size_t bytes;
    const tool_table *const table = rows->table;
    const size_t columns = tool_table_columns(table);
    rows->whole = true;
    if (!tool_table_has_header(table) || rows->binary) return;
    const char *const header = tool_table_header(table, &bytes);
    written(rows, put_row(rows, header, bytes, NULL, 0, reserve(rows, most_bytes(rows, bytes, columns, 0))));
    for (size_t t = 0; t < rows->targets.n; t++)
        if (rows->targets.name[t]) put_name(rows, rows->targets.name[t], false);
    end_header(rows);
}

void tool_rows_results(tool_rows *rows, const char *into, size_t lanes)
{
    tool_layout layout = {0};
    const size_t columns = tool_table_columns(rows->table);
    if (!into) return;
    tool_layout_of(rows->type, &layout);
    rows->targets = tool_targets_parse(rows->table, "--into", into, lanes * layout.scalars);
    rows->place = tool_alloc((columns + 1) * sizeof *rows->place);
    for (size_t i = 0; i < columns; i++) rows->place[i] = SIZE_MAX;
    for (size_t t = 0; t < rows->targets.n; t++) {
        if (rows->targets.at[t] >= columns) continue;
        rows->place[rows->targets.at[t]] = t;
        rows->replaces = true;
    }
    tool_rows_whole(rows);
}

void tool_rows_keyed(tool_rows *rows, size_t k, size_t keys, char *const *names, size_t results)
{
    if (!tool_table_has_header(rows->table) || rows->binary) return;
    for (size_t f = 0; f < keys; f++)
        put_name(rows, tool_table_column_name(rows->table, tool_table_wanted(rows->table, k + f)), f == 0);
    for (size_t r = 0; r < results; r++) put_name(rows, names[r], keys + r == 0);
    end_header(rows);
}

/* --- beginning and end -------------------------------------------------------------------------------------------- */

tool_rows tool_rows_open(const tool_job *job, const tool_table *table, const oplus_type *type, size_t lanes)
{
    const tool_options *const o = &job->options;
    const tool_format to = tool_sink_choose(o->to ? tool_format_parse("--to", o->to) : TOOL_AUTO, o->output, TOOL_TEXT);
    tool_rows rows = {.table = table, .type = type, .lanes = lanes, .binary = to == TOOL_NPY || to == TOOL_RAW};
    if (rows.binary && lanes != 1)
        tool_die(TOOL_USAGE, "%s takes one number a row, and here are %s; write text, csv or tsv", tool_format_name(to),
                 lanes ? "several" : "none");
    rows.from = tool_table_delimiter(table);
    rows.to = tool_delimiter_of(to, rows.from);
    rows.convert = rows.to != rows.from;
    rows.between = tool_table_between(table);
    if (rows.convert) rows.between = rows.to;
    rows.sink = tool_job_output(job, NULL, type, -1, NULL);
    rows.room = BUFFER_BYTES;
    rows.buffer = tool_alloc(BUFFER_BYTES);
    return rows;
}

void tool_rows_end(tool_rows *rows) { flush(rows); }

void tool_rows_close(tool_rows *rows)
{
    tool_targets_free(&rows->targets);
    free(rows->buffer);
    free(rows->scratch);
    free(rows->place);
}

tool_cells *tool_cells_of(const oplus_type *type, char *const *arrays, size_t lanes, size_t *n)
{
    tool_layout layout;
    if (!tool_layout_of(type, &layout))
        tool_die(TOOL_FAILED, "the members of '%s' are not understood", tool_type_name(type));
    tool_cells *const cells = tool_alloc((lanes * layout.scalars + 1) * sizeof *cells);
    *n = 0;
    for (size_t l = 0; l < lanes; l++)
        for (int m = 0; m < layout.members; m++)
            for (size_t i = 0; i < layout.member[m].count; i++)
                cells[(*n)++] =
                    (tool_cells){arrays[l] + layout.member[m].offset + i * tool_scalar_size(layout.member[m].scalar),
                                 layout.size, layout.member[m].scalar};
    return cells;
}
