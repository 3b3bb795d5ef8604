/* csv: eight bytes at a time to the next delimiter or line end; quoted fields are searched from quote to quote. */
#include "table/csv.h"

#include <stdio.h>
#include <string.h>

enum { LONGEST_ROW = 1 << 30 };

/* --- the end of a field ------------------------------------------------------------------------------------------- */

static const uint64_t ones = 0x0101010101010101u, low_bits = 0x7f7f7f7f7f7f7f7fu;

/* The highest bit of each byte of x that is 0, and no other. */
static uint64_t zero_bytes(uint64_t x) { return ~(((x & low_bits) + low_bits) | x | low_bits); }

/* The next delimiter or line feed from `at` on, or end. */
static const char *find(const char *at, const char *end, char delimiter)
{
    const uint64_t delimiters = ones * (unsigned char)delimiter, feeds = ones * '\n';
    for (; at < end; at += sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, at, sizeof word); /* little-endian: see type.h */
        const uint64_t hits = zero_bytes(word ^ delimiters) | zero_bytes(word ^ feeds);
        if (!hits) continue;
        at += __builtin_ctzll(hits) / 8;
        return at < end ? at : end;
    }
    return end;
}

/* Behind the quote that closes the one at `at`; NULL: there is none before end. */
static const char *close_quote(const char *at, const char *end)
{
    for (at++; (at = memchr(at, '"', (size_t)(end - at))); at += 2)
        if (at + 1 == end || at[1] != '"') return at + 1;
    return NULL;
}

static uint64_t count_lines(const char *at, const char *end)
{
    uint64_t lines = 0;
    while ((at = memchr(at, '\n', (size_t)(end - at)))) lines++, at++;
    return lines;
}

/* --- rows with a delimiter ---------------------------------------------------------------------------------------- */

typedef enum outcome { SPLIT, MORE, WRONG } outcome;

/* A row that is being split, and the parts found so far. */
typedef struct row_state {
    const char *begin, *end, *next; /* end: of its last field; next: behind its line end */
    csv_field *field;
    size_t columns;
    uint64_t lines; /* line ends inside quotes */
} row_state;

static void keep(const csv_reader *reader, row_state *row, const char *begin, const char *end)
{
    const size_t column = row->columns++;
    if (column >= reader->needed || reader->slot_of[column] < 0) return;
    row->field[reader->slot_of[column]] = (csv_field){(uint32_t)(begin - row->begin), (uint32_t)(end - row->begin)};
}

static outcome wrong_quote(csv_reader *reader, const row_state *row, const char *what)
{
    const unsigned long long line = reader->line + row->lines;
    snprintf(reader->error, sizeof reader->error, "line %llu, column %zu: %s", line, row->columns + 1, what);
    return WRONG;
}

/* Moves *at behind the quoted field that begins there. */
static outcome skip_quoted(csv_reader *reader, row_state *row, const char **at, const char *end, bool last)
{
    const char *const closed = close_quote(*at, end);
    if (!closed && last) return wrong_quote(reader, row, "a quote is opened here and never closed");
    if (!closed) return MORE;
    const bool ends = closed == end || *closed == '\n' || *closed == reader->delimiter;
    if (!ends && *closed == '\r' && closed + 1 == end && !last) return MORE;
    if (!ends && (*closed != '\r' || (closed + 1 < end && closed[1] != '\n')))
        return wrong_quote(reader, row,
                           "letters behind a closing quote; a quote inside of a quoted field is written twice, \"\"");
    row->lines += count_lines(*at, closed);
    *at = closed;
    return SPLIT;
}

/* Splits the row up to its line end. */
static outcome split_row(csv_reader *reader, row_state *row, const char *end, bool last)
{
    for (const char *at = row->begin;; at++) {
        const char *stop = at;
        if (at < end && *at == '"') {
            const outcome quoted = skip_quoted(reader, row, &stop, end, last);
            if (quoted != SPLIT) return quoted;
        }
        stop = find(stop, end, reader->delimiter);
        if (stop == end && !last) return MORE;
        const bool line_ends = stop == end || *stop == '\n';
        row->end = line_ends && stop > at && stop[-1] == '\r' ? stop - 1 : stop;
        keep(reader, row, at, row->end);
        row->next = stop < end ? stop + 1 : end;
        if (line_ends) return SPLIT;
        at = stop;
    }
}

static outcome check_columns(csv_reader *reader, const row_state *row)
{
    if (reader->columns == 0) reader->columns = row->columns, reader->first = reader->line;
    if (row->columns == reader->columns) return SPLIT;
    snprintf(reader->error, sizeof reader->error,
             "line %llu has %zu field%s, and line %llu has %zu; all rows have as many",
             (unsigned long long)reader->line, row->columns, row->columns == 1 ? "" : "s",
             (unsigned long long)reader->first, reader->columns);
    return WRONG;
}

/* --- rows with blanks --------------------------------------------------------------------------------------------- */

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f'; }

static outcome split_blanks(csv_reader *reader, row_state *row, const char *end, bool last)
{
    const char *const feed = memchr(row->begin, '\n', (size_t)(end - row->begin));
    if (!feed && !last) return MORE;
    row->next = feed ? feed + 1 : end;
    row->end = feed ? feed : end;
    if (row->end > row->begin && row->end[-1] == '\r') row->end--;
    for (const char *at = row->begin; at < row->end;) {
        while (at < row->end && is_blank(*at)) at++;
        if (at < row->end && *at == '#' && row->columns == 0) break;
        const char *const begin = at;
        while (at < row->end && !is_blank(*at)) at++;
        if (at > begin) keep(reader, row, begin, at);
    }
    return SPLIT;
}

static outcome check_needed(csv_reader *reader, const row_state *row)
{
    if (reader->columns == 0) reader->columns = row->columns, reader->first = reader->line;
    if (row->columns >= reader->needed) return SPLIT;
    snprintf(reader->error, sizeof reader->error, "line %llu has %zu field%s, and there is to be a column %zu",
             (unsigned long long)reader->line, row->columns, row->columns == 1 ? "" : "s", reader->needed);
    return WRONG;
}

/* --- all rows ----------------------------------------------------------------------------------------------------- */

static void refuse_nul(csv_reader *reader, const char *begin, const char *nul)
{
    const unsigned long long line = reader->line + count_lines(begin, nul);
    snprintf(reader->error, sizeof reader->error,
             "line %llu: a NUL byte, which no text has; UTF-16 becomes text by iconv -f UTF-16 -t UTF-8", line);
}

/* One row from `begin` on; an empty line, or a comment, is none. */
static outcome take_row(csv_reader *reader, const char *text, row_state *row, const char *end, bool last,
                        csv_rows *rows)
{
    const bool blanks = reader->delimiter == CSV_BLANKS;
    const outcome split = (blanks ? split_blanks : split_row)(reader, row, end, last);
    if (split != WRONG && (split == MORE ? end : row->end) - row->begin > LONGEST_ROW) {
        snprintf(reader->error, sizeof reader->error, "line %llu: a row of more than 1 GiB; is a quote not closed?",
                 (unsigned long long)reader->line);
        return WRONG;
    }
    if (split != SPLIT) return split;
    if (blanks ? row->columns > 0 : row->end > row->begin) {
        if ((blanks ? check_needed : check_columns)(reader, row) != SPLIT) return WRONG;
        rows->row[rows->count++] = (csv_row){(size_t)(row->begin - text), (uint32_t)(row->end - row->begin)};
    }
    reader->line += row->lines + 1;
    return SPLIT;
}

const char *csv_split(csv_reader *reader, const char *text, const char *at, const char *end, bool last, csv_rows *rows)
{
    if (reader->error[0]) return at;
    const char *const nul = memchr(at, '\0', (size_t)(end - at));
    if (nul) end = nul, last = false; /* errors before it are reported first, wherever the text is cut */
    outcome taken = SPLIT;
    while (at < end && rows->count < rows->capacity) {
        row_state row = {.begin = at, .field = rows->field + rows->count * reader->slots};
        taken = take_row(reader, text, &row, end, last, rows);
        if (taken != SPLIT) break;
        at = row.next;
    }
    if (nul && (taken == MORE || (taken == SPLIT && at == end))) refuse_nul(reader, at, nul);
    return at;
}

/* --- single rows and fields --------------------------------------------------------------------------------------- */

size_t csv_fields(char delimiter, const char *row, size_t bytes, csv_field *field, size_t capacity)
{
    const char *at = row, *const end = row + bytes;
    size_t n = 0;
    for (;; at++) {
        const char *begin = at;
        if (delimiter == CSV_BLANKS) {
            while (begin < end && is_blank(*begin)) begin++;
            if (begin == end) return n;
            for (at = begin; at < end && !is_blank(*at);) at++;
        } else {
            const char *const closed = at < end && *at == '"' ? close_quote(at, end) : NULL;
            at = closed ? closed : at;
            while (at < end && *at != delimiter) at++;
        }
        if (n < capacity) field[n] = (csv_field){(uint32_t)(begin - row), (uint32_t)(at - row)};
        n++;
        if (at == end) return n;
    }
}

size_t csv_unquote(char delimiter, const char *field, size_t bytes, char *to)
{
    if (delimiter == CSV_BLANKS || bytes < 2 || *field != '"') {
        memcpy(to, field, bytes);
        return bytes;
    }
    size_t n = 0;
    for (size_t i = 1; i + 1 < bytes; i++) {
        to[n++] = field[i];
        i += field[i] == '"'; /* its twin */
    }
    return n;
}

char *csv_quote(char delimiter, const char *letters, size_t bytes, char *to)
{
    bool must = bytes == 0;
    for (size_t i = 0; i < bytes && !must; i++)
        must = letters[i] == delimiter || letters[i] == '"' || letters[i] == '\n' || letters[i] == '\r';
    if (!must || delimiter == CSV_BLANKS) return (char *)memcpy(to, letters, bytes) + bytes;
    *to++ = '"';
    for (size_t i = 0; i < bytes; i++) {
        *to++ = letters[i];
        if (letters[i] == '"') *to++ = '"';
    }
    *to++ = '"';
    return to;
}
