/* The fields of a table in text, found row by row; pure functions that never end the command.
 *
 * With a delimiter, a table is as RFC 4180 has it: a field that begins with a quote goes on to the closing one, over
 * delimiters and line ends, and "" in it is a quote; a quote elsewhere in a field is a letter.  Every row has as many
 * fields as the first.  Without one (CSV_BLANKS), runs of blanks and tabs stand between fields, quotes are letters, a
 * row needs the columns that are asked for and no more, and a line that begins with # is a comment.
 *
 * A line ends with LF or CR LF; the last line may have no line end.  Empty lines are no rows. */
#ifndef TOOL_TABLE_CSV_H
#define TOOL_TABLE_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    CSV_BLANKS = 0,  /* in place of a delimiter */
    CSV_PADDING = 8, /* bytes behind the text that are read, whatever they are */
    CSV_ERROR_BYTES = 256
};

/* A field as it was read, quotes and all: bytes begin to end - 1 of its row. */
typedef struct csv_field {
    uint32_t begin, end;
} csv_field;

/* A row without its line end: `bytes` bytes from text + begin on. */
typedef struct csv_row {
    size_t begin;
    uint32_t bytes;
} csv_row;

/* Where the rows of a text are.  The arrays are the caller's. */
typedef struct csv_rows {
    csv_row *row;     /* [capacity] */
    csv_field *field; /* [capacity][slots]: the fields that are asked for */
    size_t count, capacity;
} csv_rows;

typedef struct csv_reader {
    char delimiter;
    uint64_t line;               /* where the next row begins, from 1 */
    uint64_t first;              /* line of the first row */
    size_t columns;              /* of every row; 0: as many as the first row has */
    size_t needed;               /* least number of columns of a row */
    size_t slots;                /* fields that are kept of a row */
    const int *slot_of;          /* [needed]: where the field of a column is kept, or -1 */
    char error[CSV_ERROR_BYTES]; /* "line 3: ..."; "" while all is well */
} csv_reader;

/* Adds the rows of [at, end) to `rows` while there is room; rows->row[i].begin counts from `text`.  Returns where it
 * stopped: at a row that may go on behind `end`, or before an error.  last: no text follows `end`, so the last row
 * is complete. */
const char *csv_split(csv_reader *reader, const char *text, const char *at, const char *end, bool last, csv_rows *rows);

/* Finds all fields of one row and stores as many as fit into `field`; returns how many there are. */
size_t csv_fields(char delimiter, const char *row, size_t bytes, csv_field *field, size_t capacity);

/* What a field says: its letters without the quotes.  Returns its bytes; `to` has room for as many as the field has. */
size_t csv_unquote(char delimiter, const char *field, size_t bytes, char *to);
/* Writes these letters as a field, quoted if necessary, in at most 2 * bytes + 2 bytes; returns its end. */
char *csv_quote(char delimiter, const char *letters, size_t bytes, char *to);

#endif
