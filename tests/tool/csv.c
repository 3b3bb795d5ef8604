/* tool/table/csv: the fields of tables, however the text is cut. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "table/csv.h"

enum { MOST_ROWS = 64, MOST_COLUMNS = 8, MOST_TEXT = 4096 };

typedef struct result {
    char shown[MOST_TEXT]; /* [field|field][field|field] as they were read */
    char error[CSV_ERROR_BYTES];
    uint64_t line;
} result;

static void show(result *got, const csv_rows *rows, const char *text, size_t columns)
{
    for (size_t i = 0; i < rows->count; i++) {
        const char *const row = text + rows->row[i].begin;
        char *to = got->shown + strlen(got->shown);
        const size_t n = columns < MOST_COLUMNS ? columns : MOST_COLUMNS;
        for (size_t k = 0; k < n; k++) {
            const csv_field field = rows->field[i * MOST_COLUMNS + k];
            to += sprintf(to, "%s%.*s", k ? "|" : "[", (int)(field.end - field.begin), row + field.begin);
        }
        strcpy(to, "]");
    }
}

/* Splits text of which `step` more bytes come at a time; each piece is in memory of its size and the padding,
 * `capacity` rows at a time; `needed` columns are needed. */
static result split_cut(char delimiter, size_t needed, const char *text, size_t bytes, size_t step, size_t capacity)
{
    static const int slots[MOST_COLUMNS] = {0, 1, 2, 3, 4, 5, 6, 7};
    static csv_row row[MOST_ROWS];
    static csv_field field[MOST_ROWS * MOST_COLUMNS];
    csv_reader reader = {.delimiter = delimiter, .line = 1, .needed = needed, .slots = MOST_COLUMNS, .slot_of = slots};
    result got = {"", "", 0};
    for (size_t at = 0, end = 0; !reader.error[0];) {
        end = bytes - end < step ? bytes : end + step;
        char *const piece = malloc(end - at + CSV_PADDING);
        memcpy(piece, text + at, end - at);
        memcpy(piece + (end - at), "x,\n,\"\n,", CSV_PADDING); /* these bytes mean nothing */
        const char *here = piece;
        csv_rows rows;
        do {
            rows = (csv_rows){row, field, 0, capacity};
            here = csv_split(&reader, piece, here, piece + (end - at), end == bytes, &rows);
            show(&got, &rows, piece, needed);
        } while (rows.count > 0);
        at += (size_t)(here - piece);
        free(piece);
        if (end == bytes) break;
    }
    got.line = reader.line;
    strcpy(got.error, reader.error);
    return got;
}

static const struct {
    char delimiter;
    size_t needed;
    const char *text, *shown, *error;
} cases[] = {
    {',', 2, "", "", ""},
    {',', 1, "a", "[a]", ""},
    {',', 2, "a,b\nc,d\n", "[a|b][c|d]", ""},
    {',', 2, "a,b\r\nc,d\r\n", "[a|b][c|d]", ""},
    {',', 2, "a,b\nc,d", "[a|b][c|d]", ""},
    {',', 2, "a,b\r\nc,d\r", "[a|b][c|d]", ""},
    {',', 2, ",\n,", "[|][|]", ""},
    {',', 2, "\n\r\na,b\n\n\nc,d\n\n", "[a|b][c|d]", ""},
    {',', 2, "\"a,b\",\"c\nd\"\n\"\",\"x\"\"y\"\n", "[\"a,b\"|\"c\nd\"][\"\"|\"x\"\"y\"]", ""},
    {',', 2, "\"a\r\nb\",\"c\"\r\nd,e", "[\"a\r\nb\"|\"c\"][d|e]", ""},
    {',', 1, "\"\"\n\"\"\"\"\n", "[\"\"][\"\"\"\"]", ""},
    {',', 2, "5\" pipe,a\"b\n", "[5\" pipe|a\"b]", ""},
    {',', 2, "long enough a field for several words of eight,and another one of them\n",
     "[long enough a field for several words of eight|and another one of them]", ""},
    {',', 2, "\x8c\xac\xff,\x0b\x2d\n", "[\x8c\xac\xff|\x0b\x2d]", ""},
    {',', 2, "a\rb,c\n", "[a\rb|c]", ""},
    {'\t', 2, "a,b\tc d\n", "[a,b|c d]", ""},
    {' ', 3, "a  b\n", "[a||b]", ""},
    {',', 2, "a,b\nc\nd,e\n", "[a|b]", "line 2 has 1 field, and line 1 has 2; all rows have as many"},
    {',', 2, "\na,b\nc,d,e\n", "[a|b]", "line 3 has 3 fields, and line 2 has 2; all rows have as many"},
    {',', 2, "a,\"b\nc\"\nd\n", "[a|\"b\nc\"]", "line 3 has 1 field, and line 1 has 2; all rows have as many"},
    {',', 2, "a,b\nc,\"d\ne,f\n", "[a|b]", "line 2, column 2: a quote is opened here and never closed"},
    {',', 2, "a,\"b\nc\",\"d", "", "line 2, column 3: a quote is opened here and never closed"},
    {',', 2, "a,\"b\"c\n", "",
     "line 1, column 2: letters behind a closing quote; a quote inside of a quoted field is written twice, \"\""},
    {',', 2, "a,\"b\"\rc\n", "",
     "line 1, column 2: letters behind a closing quote; a quote inside of a quoted field is written twice, \"\""},
    {CSV_BLANKS, 2, "a b\n", "[a|b]", ""},
    {CSV_BLANKS, 2, "  a\t b  \r\n\n # c\nd e f\n", "[a|b][d|e]", ""},
    {CSV_BLANKS, 1, "\"a b\"\nc#d\n", "[\"a][c#d]", ""},
    {CSV_BLANKS, 2, "a b\nc", "[a|b]", "line 2 has 1 field, and there is to be a column 2"},
};

static void test_every_cut(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const size_t bytes = strlen(cases[i].text);
        for (size_t step = 1; step <= bytes + 1; step++)
            for (size_t capacity = 1; capacity <= 3; capacity++) {
                const result got = split_cut(cases[i].delimiter, cases[i].needed, cases[i].text, bytes, step, capacity);
                assert_string_equal(got.error, cases[i].error);
                assert_string_equal(got.shown, cases[i].shown);
            }
    }
}

/* A NUL is reported with its line; an error before it is reported first. */
static void test_nul(void **state)
{
    (void)state;
    static const struct {
        const char text[16];
        size_t bytes;
        const char *error;
    } rows[] = {{"a,b\nc\0,d\n", 9, "line 2: a NUL"},
                {"a,\"b\nc\0\"\n", 9, "line 2: a NUL"},
                {"a\nb,c\nd\0", 8, "line 2 has 2 fields"},
                {"\"a\"b\0\n", 6, "line 1, column 1: letters"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t step = 1; step <= rows[i].bytes; step++) {
            const result got = split_cut(',', 1, rows[i].text, rows[i].bytes, step, 2);
            assert_memory_equal(got.error, rows[i].error, strlen(rows[i].error));
        }
}

static void test_fields(void **state)
{
    (void)state;
    csv_field field[4];
    static const char row[] = "a,\"b,c\",,\"\"\"\"";
    assert_int_equal(csv_fields(',', row, strlen(row), field, 4), 4);
    assert_int_equal(field[1].begin, 2);
    assert_int_equal(field[1].end, 7);
    assert_int_equal(field[2].begin, field[2].end);
    assert_int_equal(csv_fields(',', row, strlen(row), NULL, 0), 4);
    assert_int_equal(csv_fields(',', "", 0, NULL, 0), 1);
    assert_int_equal(csv_fields(CSV_BLANKS, " a  b ", 6, field, 4), 2);
    assert_int_equal(field[1].begin, 4);
    assert_int_equal(field[1].end, 5);
}

/* What is quoted reads back as the same. */
static void test_quotes(void **state)
{
    (void)state;
    static const struct {
        const char *letters, *quoted;
    } rows[] = {{"a", "a"},           {"", "\"\""},         {"a,b", "\"a,b\""}, {"\"a\"", "\"\"\"a\"\"\""},
                {"5\"", "\"5\"\"\""}, {"a\nb", "\"a\nb\""}, {"a;b", "a;b"},     {"a\r", "\"a\r\""}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char quoted[32], again[32];
        *csv_quote(',', rows[i].letters, strlen(rows[i].letters), quoted) = '\0';
        assert_string_equal(quoted, rows[i].quoted);
        again[csv_unquote(',', quoted, strlen(quoted), again)] = '\0';
        assert_string_equal(again, rows[i].letters);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_cut),
        cmocka_unit_test(test_nul),
        cmocka_unit_test(test_fields),
        cmocka_unit_test(test_quotes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
