/* numbers: fields without their quotes and blanks. */
#include "table/numbers.h"

#include "die.h"
#include "number.h"
#include "table/columns.h"

#include <stdio.h>
#include <string.h>

static bool is_space(char c) { return c == ' ' || c == '\t'; }

/* The letters of a field that count. */
static void strip(char delimiter, const char **at, const char **end)
{
    if (delimiter != CSV_BLANKS && *end - *at > 1 && **at == '"') ++*at, --*end;
    while (*at < *end && is_space(**at)) ++*at;
    while (*end > *at && is_space((*end)[-1])) --*end;
}

static number_verdict read(tool_reading *how, oplus_scalar scalar, const char *at, const char *end, void *to)
{
    return how->exact ? number_read_exact(at, end, to, &how->whole) : number_read(scalar, at, end, to);
}

/* --- errors ------------------------------------------------------------------------------------------------------- */

/* A hint at what may help. */
static const char *hint_of(const tool_reading *how, number_verdict why, oplus_scalar scalar, const char *at,
                           const char *end)
{
    static char hint[96];
    double number;
    const char *other = why == NUMBER_FRACTION ? "f64" : NULL;
    if (why == NUMBER_INEXACT) return "; -t i64 keeps it, -t f64 rounds it";
    if (why == NUMBER_NONE && at < end && memchr(at, ',', (size_t)(end - at))) return ": numbers have no commas";
    if (why == NUMBER_NONE || !how->option) return "";
    if (why == NUMBER_FRACTION && how->integers_for) {
        snprintf(hint, sizeof hint, ": '%.60s' is for integers alone", how->integers_for);
        return hint;
    }
    if (!other && scalar != OPLUS_F32) other = number_integer_type(at, end);
    if (!other && number_read(OPLUS_F64, at, end, &number) == NUMBER_GOOD) other = "f64";
    if (!other) return "";
    snprintf(hint, sizeof hint, "; %s %s would take it", how->option, other);
    return hint;
}

static _Noreturn void refuse(const tool_table *table, const tool_reading *how, size_t k, size_t row, number_verdict why,
                             oplus_scalar scalar, const char *at, const char *end)
{
    static const struct {
        const char *before, *behind; /* the type, if it matters */
        bool type;
    } reasons[] = {
        [NUMBER_NONE] = {"is not a number", "", false},
        [NUMBER_FRACTION] = {"is not an integer, as ", " must be", true},
        [NUMBER_NO_FIT] = {"does not fit ", "", true},
        [NUMBER_INEXACT] = {"is an integer that ", " does not hold exactly", true},
    };
    char token[64];
    const uint64_t line = tool_table_line(table, row);
    const char *const column = tool_column_words(table, tool_table_wanted(table, k)), *const file =
                                                                                          tool_table_name(table);
    if (at == end)
        tool_die(TOOL_FAILED,
                 "%s: line %llu, %s: the field is empty; --empty 0, or nan, says what such a field counts as", file,
                 (unsigned long long)line, column);
    const char *hint = hint_of(how, why, scalar, at, end);
    const bool may_be_names = why == NUMBER_NONE && !tool_table_has_header(table) && line == 1 && !*hint;
    if (may_be_names) hint = "; if the first line names the columns, say --header";
    tool_die(TOOL_FAILED, "%s: line %llu, %s: '%s' %s%s%s%s", file, (unsigned long long)line, column,
             tool_shown(at, end, token, sizeof token), reasons[why].before,
             reasons[why].type ? tool_scalar_name(scalar) : "", reasons[why].behind, hint);
}

/* --- reading ------------------------------------------------------------------------------------------------------ */

static void read_empty(tool_reading *how, oplus_scalar scalar, void *to)
{
    const number_verdict read_it = read(how, scalar, how->empty, how->empty + strlen(how->empty), to);
    if (read_it != NUMBER_GOOD)
        tool_die(TOOL_USAGE, "--empty %s: %s%s", how->empty,
                 read_it == NUMBER_NONE ? "it is not a number" : "it does not fit ",
                 read_it == NUMBER_NONE ? "" : tool_scalar_name(scalar));
}

void tool_table_numbers(const tool_table *table, tool_reading *how, size_t k, size_t first, size_t n,
                        oplus_scalar scalar, void *to, size_t stride)
{
    const char delimiter = tool_table_delimiter(table);
    for (size_t i = first; i < first + n; i++, to = (char *)to + stride) {
        size_t bytes;
        const char *at = tool_table_field(table, i, k, &bytes), *end = at + bytes;
        strip(delimiter, &at, &end);
        if (at == end && how->empty) {
            read_empty(how, scalar, to);
            continue;
        }
        const number_verdict why = at == end ? NUMBER_NONE : read(how, scalar, at, end, to);
        if (why != NUMBER_GOOD) refuse(table, how, k, i, why, scalar, at, end);
    }
}
