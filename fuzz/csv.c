/* Any bytes as a table: the same fields or the same error however the text is cut; a row by itself has the same fields
 * again; and what a field says is said again when it is quoted.  The first byte chooses the delimiter, the second how
 * long the pieces are, the third how many columns are asked for. */
#include "table/csv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 5, CAPACITY = 3 };

static void need(int holds, const char *what)
{
    if (holds) return;
    fprintf(stderr, "does not hold: %s\n", what);
    abort();
}

/* All fields of all rows, one after the other, each with its length before it. */
typedef struct result {
    char *letters;
    size_t bytes, rows;
    char error[CSV_ERROR_BYTES];
} result;

static void add(result *got, const char *at, size_t n)
{
    got->letters = realloc(got->letters, got->bytes + n + sizeof n);
    memcpy(got->letters + got->bytes, &n, sizeof n);
    memcpy(got->letters + got->bytes + sizeof n, at, n);
    got->bytes += n + sizeof n;
}

/* A row by itself. */
static void check_row(char delimiter, const char *row, size_t bytes, const csv_field *field, size_t columns)
{
    csv_field again[COLUMNS];
    char *const alone = malloc(bytes + 1); /* of its size: nothing behind it is read */
    memcpy(alone, row, bytes);
    need(csv_fields(delimiter, alone, bytes, again, COLUMNS) >= columns, "as many fields in a row by itself");
    for (size_t k = 0; k < columns; k++) {
        const size_t n = field[k].end - field[k].begin;
        need(field[k].begin <= field[k].end && field[k].end <= bytes, "fields are inside of their row");
        need(again[k].begin == field[k].begin && again[k].end == field[k].end, "the same fields in a row by itself");
        if (delimiter == CSV_BLANKS) continue;
        char *const says = malloc(n + 1), *const quoted = malloc(2 * n + 3), *const twice = malloc(2 * n + 3);
        const size_t letters = csv_unquote(delimiter, alone + field[k].begin, n, says);
        const size_t length = (size_t)(csv_quote(delimiter, says, letters, quoted) - quoted);
        need(length <= 2 * letters + 2, "quotes need no more room");
        need(csv_unquote(delimiter, quoted, length, twice) == letters && memcmp(says, twice, letters) == 0,
             "what is quoted says the same");
        free(says);
        free(quoted);
        free(twice);
    }
    free(alone);
}

static result split_all(char delimiter, size_t columns, const char *text, size_t bytes, size_t step)
{
    static const int slots[COLUMNS] = {0, 1, 2, 3, 4};
    csv_reader reader = {.delimiter = delimiter, .line = 1, .needed = columns, .slots = columns, .slot_of = slots};
    result got = {0};
    for (size_t at = 0, end = 0;;) {
        end = bytes - end < step ? bytes : end + step;
        char *const piece = malloc(end - at + CSV_PADDING);
        memcpy(piece, text + at, end - at);
        memset(piece + (end - at), '\n', CSV_PADDING);
        const char *here = piece;
        csv_row row[CAPACITY];
        csv_field field[CAPACITY * COLUMNS];
        csv_rows rows;
        do {
            rows = (csv_rows){row, field, 0, CAPACITY};
            here = csv_split(&reader, piece, here, piece + (end - at), end == bytes, &rows);
            for (size_t i = 0; i < rows.count; i++, got.rows++) {
                const size_t has = reader.columns < columns ? reader.columns : columns;
                check_row(delimiter, piece + row[i].begin, row[i].bytes, field + i * columns, has);
                for (size_t k = 0; k < has; k++)
                    add(&got, piece + row[i].begin + field[i * columns + k].begin,
                        field[i * columns + k].end - field[i * columns + k].begin);
            }
        } while (rows.count > 0);
        need(!(end == bytes && !reader.error[0]) || here == piece + (end - at), "all is read, or there is an error");
        at += (size_t)(here - piece);
        free(piece);
        if (reader.error[0] || end == bytes) break;
    }
    strcpy(got.error, reader.error);
    return got;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static const char delimiters[] = {',', ';', '\t', ' ', '|', CSV_BLANKS};
    if (n < 3) return 0;
    const char delimiter = delimiters[data[0] % sizeof delimiters];
    const size_t columns = 1 + data[2] % COLUMNS;
    const char *const text = (const char *)data + 3;
    const result whole = split_all(delimiter, columns, text, n - 3, n);
    const result pieces = split_all(delimiter, columns, text, n - 3, 1 + data[1] % 64);
    need(strcmp(whole.error, pieces.error) == 0, "the same error however the text is cut");
    need(whole.rows == pieces.rows && whole.bytes == pieces.bytes, "as many rows and letters however the text is cut");
    need(whole.bytes == 0 || memcmp(whole.letters, pieces.letters, whole.bytes) == 0, "the same fields");
    free(whole.letters);
    free(pieces.letters);
    return 0;
}
