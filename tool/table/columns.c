/* columns: names first, numbers otherwise. */
#include "table/columns.h"

#include "die.h"
#include "suggest.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- words -------------------------------------------------------------------------------------------------------- */

enum { SHOWN = 64 };

char *tool_shown(const char *at, const char *end, char *to, size_t bytes)
{
    enum { ESCAPE = 4, DOTS = 3 }; /* \x1b ... */
    size_t used = 0;
    for (; at < end && used + ESCAPE + DOTS < bytes; at++) {
        const unsigned char c = (unsigned char)*at;
        used += (size_t)(c > 31 && c != 127 ? sprintf(to + used, "%c", c) : sprintf(to + used, "\\x%02x", c));
    }
    snprintf(to + used, bytes - used, "%s", at < end ? "..." : "");
    return to;
}

const char *tool_column_words(const tool_table *table, size_t column)
{
    static char words[SHOWN + 8];
    char name[SHOWN];
    if (tool_table_has_header(table)) {
        const char *const text = tool_table_column_name(table, column);
        snprintf(words, sizeof words, "column %s", tool_shown(text, text + strlen(text), name, sizeof name));
    } else {
        snprintf(words, sizeof words, "column %zu", column + 1);
    }
    return words;
}

/* "region, qty, price"; the caller frees it. */
static char *names_of(const tool_table *table)
{
    enum { MOST = 12 };
    const size_t columns = tool_table_columns(table), n = columns < MOST ? columns : MOST;
    char *const text = tool_alloc(n * (SHOWN + 2) + 16), *to = text;
    *to = '\0';
    for (size_t i = 0; i < n; i++) {
        char shown[SHOWN];
        const char *const name = tool_table_column_name(table, i);
        to += sprintf(to, "%s%s", i ? ", " : "", tool_shown(name, name + strlen(name), shown, sizeof shown));
    }
    if (n < columns) sprintf(to, ", ...");
    return text;
}

/* --- delimiters --------------------------------------------------------------------------------------------------- */

static const struct {
    const char *word, *with_article;
    char delimiter;
} delimiters[] = {
    {"tab", "a tab", '\t'},    {"\\t", "a tab", '\t'}, {"comma", "a comma", ','}, {"semicolon", "a semicolon", ';'},
    {"space", "a blank", ' '}, {"pipe", "a bar", '|'},
};

const char *tool_delimiter_words(char delimiter)
{
    static char other[] = "'?'";
    for (size_t i = 0; i < sizeof delimiters / sizeof *delimiters; i++)
        if (delimiters[i].delimiter == delimiter) return delimiters[i].with_article;
    other[1] = delimiter;
    return other;
}

char tool_delimiter_parse(const char *text)
{
    for (size_t i = 0; i < sizeof delimiters / sizeof *delimiters; i++)
        if (strcmp(delimiters[i].word, text) == 0) return delimiters[i].delimiter;
    if (strlen(text) != 1)
        tool_die(TOOL_USAGE,
                 "--delimiter is '%s'; it is one character (one byte), or tab, comma, semicolon, space or pipe", text);
    if (isalnum((unsigned char)*text) || strchr("\"\r\n.+-_", *text) || (unsigned char)*text > 127)
        tool_die(TOOL_USAGE, "--delimiter is '%s', which numbers, names or quotes are made of", text);
    return *text;
}

/* --- lists -------------------------------------------------------------------------------------------------------- */

char **tool_names_parse(const char *option, const char *list, size_t *n)
{
    const size_t bytes = strlen(list);
    *n = csv_fields(',', list, bytes, NULL, 0);
    csv_field *const field = tool_alloc(*n * sizeof *field);
    char **const names = tool_alloc(*n * sizeof *names);
    csv_fields(',', list, bytes, field, *n);
    for (size_t i = 0; i < *n; i++) {
        const size_t length = field[i].end - field[i].begin;
        char *const name = tool_alloc(length + 1);
        name[csv_unquote(',', list + field[i].begin, length, name)] = '\0';
        if (!*name)
            tool_die(TOOL_USAGE, "%s '%s': there is no name before, between or behind its commas", option, list);
        names[i] = name;
    }
    free(field);
    return names;
}

static void free_names(char **names, size_t n)
{
    for (size_t i = 0; i < n; i++) free(names[i]);
    free(names);
}

static void add(tool_columns *columns, size_t column)
{
    columns->at = tool_realloc(columns->at, (columns->n + 1) * sizeof *columns->at);
    columns->at[columns->n++] = column;
}

/* "3" or "2-4": first to last, from 1. */
static bool read_range(const char *text, size_t *first, size_t *last)
{
    char *end;
    if (!isdigit((unsigned char)*text)) return false;
    *first = *last = strtoull(text, &end, 10);
    if (*end == '-' && isdigit((unsigned char)end[1])) *last = strtoull(end + 1, &end, 10);
    return *end == '\0';
}

/* The column of that name; SIZE_MAX: there is none. */
static size_t find_name(const tool_table *table, const char *option, const char *name)
{
    size_t found = SIZE_MAX;
    for (size_t i = 0; tool_table_has_header(table) && i < tool_table_columns(table); i++) {
        if (strcmp(tool_table_column_name(table, i), name) != 0) continue;
        if (found != SIZE_MAX)
            tool_die(TOOL_USAGE, "%s %s: columns %zu and %zu of %s have that name; say which by its number", option,
                     name, found + 1, i + 1, tool_table_name(table));
        found = i;
    }
    return found;
}

static const tool_table *named; /* for tool_nearest */
static const char *column_name(size_t i)
{
    return i < tool_table_columns(named) ? tool_table_column_name(named, i) : NULL;
}

/* A hint at the delimiter that the first row may have, if the one of now splits nothing. */
static const char *delimiter_hint(const tool_table *table)
{
    static char hint[96];
    size_t bytes;
    const char *const row = tool_table_header(table, &bytes);
    if (tool_table_columns(table) == 0) return "";
    if (tool_table_delimiter(table) != CSV_BLANKS && tool_table_columns(table) > 1) return "";
    const char *const candidates = ",;|";
    for (const char *c = candidates; *c; c++) {
        if (!memchr(row, *c, bytes)) continue;
        snprintf(hint, sizeof hint, "; is it a table with %ss? --delimiter '%c' splits it",
                 tool_delimiter_words(*c) + 2, *c);
        return hint;
    }
    return "";
}

static _Noreturn void no_such_name(const tool_table *table, const char *option, const char *name)
{
    if (!tool_table_has_header(table))
        tool_die(TOOL_USAGE, "%s %s is a name; names need --header: the first line has them (%s has %zu columns)",
                 option, name, tool_table_name(table), tool_table_columns(table));
    named = table;
    const char *const nearest = tool_nearest(name, column_name), *const hint = delimiter_hint(table);
    if (nearest && !*hint)
        tool_die(TOOL_USAGE, "%s %s: %s has no such column; did you mean %s?  It has %s", option, name,
                 tool_table_name(table), nearest, names_of(table));
    tool_die(TOOL_USAGE, "%s %s: %s has no such column; it has %s%s", option, name, tool_table_name(table),
             names_of(table), hint);
}

enum { MOST_COLUMNS = 1 << 20 }; /* largest column number beyond the first row */

static void add_range(const tool_table *table, const char *option, tool_columns *columns, size_t first, size_t last)
{
    const size_t there = tool_table_columns(table);
    const char *const name = tool_table_name(table);
    const bool open_ended = tool_table_delimiter(table) == CSV_BLANKS && !tool_table_has_header(table);
    if (first == 0) tool_die(TOOL_USAGE, "%s 0: columns are counted from 1", option);
    if (last < first) tool_die(TOOL_USAGE, "%s %zu-%zu: the first is behind the last", option, first, last);
    if (last > there && last > MOST_COLUMNS)
        tool_die(TOOL_USAGE, "%s %zu: no row of a table has so many columns; there are %d at most", option, last,
                 MOST_COLUMNS);
    const char *const hint = delimiter_hint(table);
    if (there > 0 && last > there && (!open_ended || *hint || last - first >= there))
        tool_die(TOOL_USAGE, "%s %zu: %s has %zu column%s%s", option, last, name, there, there == 1 ? "" : "s", hint);
    for (size_t i = first; i <= last; i++) add(columns, i - 1);
}

tool_columns tool_columns_parse(const tool_table *table, const char *option, const char *list)
{
    tool_columns columns = {0};
    size_t n, first, last;
    char **const names = tool_names_parse(option, list, &n);
    for (size_t i = 0; i < n; i++) {
        const size_t column = find_name(table, option, names[i]);
        if (column != SIZE_MAX)
            add(&columns, column);
        else if (read_range(names[i], &first, &last))
            add_range(table, option, &columns, first, last);
        else
            no_such_name(table, option, names[i]);
    }
    free_names(names, n);
    return columns;
}

tool_columns tool_columns_every(const tool_table *table)
{
    tool_columns columns = {0};
    for (size_t i = 0; i < tool_table_columns(table); i++) add(&columns, i);
    return columns;
}

tool_columns tool_columns_only(const tool_table *table, const char *option, const tool_columns *others)
{
    tool_columns columns = {0};
    const size_t there = tool_table_columns(table);
    for (size_t i = 0; i < there; i++) {
        bool taken = false;
        for (size_t k = 0; k < others->n; k++) taken |= others->at[k] == i;
        if (!taken) add(&columns, i);
    }
    if (there == 0) add(&columns, 0);
    if (columns.n == 1) return columns;
    const bool header = tool_table_has_header(table);
    tool_die(TOOL_USAGE, "%s has %zu columns%s%s%s; %s says which", tool_table_name(table), there, header ? " (" : "",
             header ? names_of(table) : "", header ? ")" : "", option);
}

void tool_columns_free(tool_columns *columns)
{
    free(columns->at);
    *columns = (tool_columns){0};
}

/* --- where results go --------------------------------------------------------------------------------------------- */

/* For a table without a header: the number of an existing column, or of the next one. */
static size_t number_of(const char *option, const char *name, size_t next)
{
    size_t first, last;
    if (!read_range(name, &first, &last) || first != last || first == 0)
        tool_die(TOOL_USAGE, "%s %s: without --header it is a number: of a column to be replaced, or %zu for a new one",
                 option, name, next + 1);
    if (first > next + 1) tool_die(TOOL_USAGE, "%s %s: the next new column is %zu", option, name, next + 1);
    return first - 1;
}

tool_targets tool_targets_parse(const tool_table *table, const char *option, const char *list, size_t results)
{
    tool_targets targets = {0};
    size_t next = tool_table_columns(table);
    char **const names = tool_names_parse(option, list, &targets.n);
    if (targets.n != results)
        tool_die(TOOL_USAGE, "%s %s names %zu column%s, and the results are %zu", option, list, targets.n,
                 targets.n == 1 ? "" : "s", results);
    targets.at = tool_alloc((targets.n + 1) * sizeof *targets.at);
    targets.name = names;
    for (size_t i = 0; i < targets.n; i++) {
        const bool header = tool_table_has_header(table);
        const size_t found = header ? find_name(table, option, names[i]) : number_of(option, names[i], next);
        targets.at[i] = found == SIZE_MAX ? next : found;
        for (size_t k = 0; k < i; k++)
            if (targets.at[k] == targets.at[i] || (header && strcmp(names[k] ? names[k] : "", names[i]) == 0))
                tool_die(TOOL_USAGE, "%s %s: two results would go to one column", option, list);
        if (targets.at[i] == next) {
            next++;
        } else {
            free(names[i]);
            names[i] = NULL;
        }
    }
    return targets;
}

void tool_targets_free(tool_targets *targets)
{
    free_names(targets->name, targets->n);
    free(targets->at);
    *targets = (tool_targets){0};
}
