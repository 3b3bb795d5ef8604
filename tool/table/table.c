/* table: a buffer that rows are split in, and names. */
#include "table/table.h"

#include "bytes.h"
#include "die.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_BYTES = 1 << 20, FIRST_ROWS = 1 << 15 };

struct tool_table {
    tool_bytes bytes;
    bool header;

    csv_reader reader;
    size_t columns; /* of the first row */
    int *slot_of;   /* [slot_room]: where the field of a column is kept, or -1 */
    size_t slot_room;
    size_t *slot;   /* [wanted] */
    size_t *column; /* [wanted] */
    size_t wanted;

    char *names_text, *header_text; /* the names, each ended by '\0'; the row as it was */
    const char **name;              /* [columns] */
    size_t header_bytes;
    const char *line_end;

    char *text; /* room bytes, and CSV_PADDING */
    size_t at, end, room;
    bool last; /* no more follows */
    csv_rows rows;
};

const char *tool_table_name(const tool_table *table) { return table->bytes.name; }
char tool_table_delimiter(const tool_table *table) { return table->reader.delimiter; }
size_t tool_table_columns(const tool_table *table) { return table->columns; }
bool tool_table_has_header(const tool_table *table) { return table->header; }
const char *tool_table_column_name(const tool_table *table, size_t column) { return table->name[column]; }
char tool_table_between(const tool_table *table)
{
    if (table->reader.delimiter != CSV_BLANKS) return table->reader.delimiter;
    return table->header_text && memchr(table->header_text, '\t', table->header_bytes) ? '\t' : ' ';
}
const char *tool_table_line_end(const tool_table *table) { return table->line_end; }
uint64_t tool_table_done(const tool_table *table) { return table->bytes.done; }
uint64_t tool_table_total(const tool_table *table) { return table->bytes.total; }
size_t tool_table_count(const tool_table *table) { return table->rows.count; }

const char *tool_table_header(const tool_table *table, size_t *bytes)
{
    *bytes = table->header_bytes;
    return table->header_text;
}

/* --- the buffer --------------------------------------------------------------------------------------------------- */

/* Moves what is left to the front and fills up behind it. */
static void read_more(tool_table *table)
{
    const size_t left = table->end - table->at;
    if (table->at > 0) memmove(table->text, table->text + table->at, left);
    if (left == table->room) {
        if (table->room > SIZE_MAX / 4) tool_die(TOOL_FAILED, "out of memory: %s is too long", table->bytes.name);
        table->room *= 2;
        table->text = tool_realloc(table->text, table->room + CSV_PADDING);
    }
    const size_t got = tool_bytes_read(&table->bytes, table->text + left, table->room - left);
    table->at = 0;
    table->end = left + got;
    table->last = table->end < table->room;
    memset(table->text + table->end, 0, CSV_PADDING);
}

/* Adds the rows that are whole, as long as there is room for them. */
static void split(tool_table *table)
{
    const char *const stop = csv_split(&table->reader, table->text, table->text + table->at, table->text + table->end,
                                       table->last, &table->rows);
    table->at = (size_t)(stop - table->text);
}

static void check(const tool_table *table)
{
    if (table->reader.error[0]) tool_die(TOOL_FAILED, "%s: %s", table->bytes.name, table->reader.error);
}

static void make_room(csv_rows *rows, size_t slots, size_t capacity)
{
    rows->row = tool_realloc(rows->row, capacity * sizeof *rows->row);
    rows->field = tool_realloc(rows->field, (capacity * slots + 1) * sizeof *rows->field);
    rows->capacity = capacity;
}

bool tool_table_next(tool_table *table)
{
    if (table->rows.capacity < FIRST_ROWS) make_room(&table->rows, table->reader.slots, FIRST_ROWS);
    table->rows.count = 0;
    for (split(table); table->rows.count == 0; split(table)) {
        check(table);
        if (table->last) return false;
        read_more(table);
    }
    return true;
}

void tool_table_all(tool_table *table)
{
    while (!table->last) read_more(table);
    table->rows.count = 0;
    for (size_t room = FIRST_ROWS; table->at < table->end; room *= 2) {
        make_room(&table->rows, table->reader.slots, room);
        split(table);
        check(table);
    }
}

const char *tool_table_row(const tool_table *table, size_t i, size_t *bytes)
{
    *bytes = table->rows.row[i].bytes;
    return table->text + table->rows.row[i].begin;
}

const char *tool_table_field(const tool_table *table, size_t i, size_t k, size_t *bytes)
{
    const csv_field field = table->rows.field[i * table->reader.slots + table->slot[k]];
    *bytes = field.end - field.begin;
    return table->text + table->rows.row[i].begin + field.begin;
}

uint64_t tool_table_line(const tool_table *table, size_t i)
{
    uint64_t line = table->reader.line;
    const char *const end = table->text + table->at;
    for (const char *at = table->text + table->rows.row[i].begin; (at = memchr(at, '\n', (size_t)(end - at))); at++)
        line--;
    return line - (table->last && table->at == table->end && table->end > 0 && table->text[table->end - 1] != '\n');
}

/* --- the first row ------------------------------------------------------------------------------------------------ */

/* Learns about the table from the first row; a row that is no header is read again later. */
static void take_first(tool_table *table, const csv_row *row, size_t before)
{
    const char *const end = table->text + table->at;
    const bool carriage_return = table->at > 1 && end[-1] == '\n' && end[-2] == '\r';
    table->columns = table->reader.columns;
    table->line_end = carriage_return ? "\r\n" : "\n";
    table->header_bytes = row->bytes;
    table->header_text = memcpy(tool_alloc(row->bytes + 1), table->text + row->begin, row->bytes);
    if (table->header) return;
    table->at = before;
    table->reader.line = 1;
}

/* False: there is no row. */
static bool find_first(tool_table *table)
{
    for (;; read_more(table)) {
        csv_row row;
        csv_field none;
        const size_t before = table->at;
        table->rows = (csv_rows){&row, &none, 0, 1};
        split(table);
        const bool found = table->rows.count > 0;
        table->rows = (csv_rows){0};
        check(table);
        if (found) take_first(table, &row, before);
        if (found || table->last) return found;
    }
}

static bool is_space(char c) { return c == ' ' || c == '\t'; }

/* The names, without blanks around them. */
static void take_names(tool_table *table)
{
    const char delimiter = table->reader.delimiter;
    const char *const row = table->header_text;
    csv_field *const field = tool_alloc(table->columns * sizeof *field);
    table->names_text = tool_alloc(table->header_bytes + table->columns);
    table->name = tool_alloc(table->columns * sizeof *table->name);
    csv_fields(delimiter, row, table->header_bytes, field, table->columns);
    char *to = table->names_text;
    for (size_t i = 0; i < table->columns; i++) {
        char *end = to + csv_unquote(delimiter, row + field[i].begin, field[i].end - field[i].begin, to);
        while (to < end && is_space(*to)) to++;
        while (end > to && is_space(end[-1])) end--;
        table->name[i] = to;
        *end = '\0';
        to = end + 1;
    }
    free(field);
}

/* --- opening and closing ------------------------------------------------------------------------------------------ */

tool_table *tool_table_open(const char *path, char delimiter, bool header)
{
    static const char mark[] = "\xef\xbb\xbf"; /* the byte order mark of UTF-8 */
    tool_table *const table = tool_alloc(sizeof *table);
    memset(table, 0, sizeof *table);
    tool_bytes_open(&table->bytes, path);
    table->header = header;
    table->line_end = "\n";
    table->reader = (csv_reader){.delimiter = delimiter, .line = 1};
    table->room = TEXT_BYTES;
    table->text = tool_alloc(TEXT_BYTES + CSV_PADDING);
    read_more(table);
    if (table->end >= 6 && memcmp(table->text, "\x93NUMPY", 6) == 0)
        tool_die(TOOL_FAILED, "%s is a .npy file, and not a table of text", table->bytes.name);
    if (table->end >= 3 && memcmp(table->text, mark, 3) == 0) table->at = 3;
    const bool found = find_first(table);
    if (!found && header)
        tool_die(TOOL_FAILED, "%s is empty; with --header, its first line names the columns", table->bytes.name);
    if (header) take_names(table);
    return table;
}

void tool_table_close(tool_table *table)
{
    if (!table) return;
    free(table->header_text);
    tool_bytes_close(&table->bytes);
    free(table->names_text);
    free(table->name);
    free(table->slot_of);
    free(table->slot);
    free(table->column);
    free(table->text);
    free(table->rows.row);
    free(table->rows.field);
    free(table);
}

/* In a table with blanks, later rows may have more columns than the first one. */
static void make_slots(tool_table *table, const size_t *columns, size_t n)
{
    size_t room = table->slot_room;
    for (size_t i = 0; i < n; i++)
        if (columns[i] >= room) room = columns[i] + 1;
    if (room == table->slot_room) return;
    table->slot_of = tool_realloc(table->slot_of, room * sizeof *table->slot_of);
    for (size_t i = table->slot_room; i < room; i++) table->slot_of[i] = -1;
    table->slot_room = room;
}

size_t tool_table_want(tool_table *table, const size_t *columns, size_t n)
{
    const size_t first = table->wanted;
    table->slot = tool_realloc(table->slot, (first + n) * sizeof *table->slot);
    table->column = tool_realloc(table->column, (first + n) * sizeof *table->column);
    make_slots(table, columns, n);
    for (size_t i = 0; i < n; i++) {
        int *const slot = &table->slot_of[columns[i]];
        if (*slot < 0) *slot = (int)table->reader.slots++;
        table->slot[table->wanted] = (size_t)*slot;
        table->column[table->wanted++] = columns[i];
        if (columns[i] >= table->reader.needed) table->reader.needed = columns[i] + 1;
    }
    table->reader.slot_of = table->slot_of;
    return first;
}

size_t tool_table_wanted(const tool_table *table, size_t k) { return table->column[k]; }
