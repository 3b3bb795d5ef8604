/* tool/text: numbers as text, read and written. */
#include <oplus/oplus.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "text.h"

OPLUS_STRUCT(record, int32_t count; double x[2]; uint8_t flag;)

enum { MOST = 64, LARGEST = 32 };

typedef struct result {
    unsigned char elements[MOST * LARGEST];
    size_t n;
    uint64_t columns, line;
    bool whole;
    char error[TOOL_ERROR_BYTES];
} result;

enum how { PLAIN, COMMAS, FREE }; /* commas may separate numbers; no type is given */

/* Reads text of which `step` more bytes come at a time; each piece is in memory of exactly its size. */
static result read_cut(const oplus_type *type, const char *text, size_t bytes, size_t step, enum how how)
{
    static text_reader reader;
    result got = {0};
    assert_true(text_reader_open(&reader, type));
    reader.commas = how == COMMAS;
    reader.free = how == FREE;
    for (size_t at = 0, end = 0;;) {
        end = bytes - end < step ? bytes : end + step;
        char *const piece = malloc(end - at + 1);
        memcpy(piece, text + at, end - at);
        piece[end - at] = '\0';
        size_t n;
        const char *const stop = text_read(&reader, piece, piece + (end - at), end == bytes,
                                           got.elements + got.n * type->size, MOST - got.n, &n, NULL);
        got.n += n;
        at += (size_t)(stop - piece);
        free(piece);
        if (end == bytes || reader.error[0]) break;
    }
    got.columns = reader.ragged ? 0 : reader.columns;
    got.line = reader.line;
    got.whole = reader.whole;
    strcpy(got.error, reader.error);
    return got;
}

/* Writes the elements, one after the other, as the command would. */
static void join(const oplus_type *type, const result *got, char *out)
{
    tool_layout layout;
    assert_true(tool_layout_of(type, &layout));
    char *at = out;
    for (size_t i = 0; i < got->n; i++) {
        if (i) *at++ = '|';
        at = text_write(&layout, got->elements + i * type->size, at);
    }
    *at = '\0';
}

/* --- reading ------------------------------------------------------------------------------------------------------ */

static const struct {
    const oplus_type *type;
    const char *text, *elements;
} good[] = {
    {&oplus_i64, "", ""},
    {&oplus_i64, " \n\t\r\n# only a comment", ""},
    {&oplus_i64, "1 2,3\n4", "1|2|3|4"},
    {&oplus_i64, "1,\r\n2,\r\n", "1|2"},
    {&oplus_i64, "1\n,2", "1|2"},
    {&oplus_i64, "1#2\n3 # 4, 5\n#\n6", "1|3|6"},
    {&oplus_i64, "+7 -0 007 0x1f -0X1F", "7|0|7|31|-31"},
    {&oplus_i64, "9223372036854775807 -9223372036854775808", "9223372036854775807|-9223372036854775808"},
    {&oplus_u64, "18446744073709551615 0xffffffffffffffff -0", "18446744073709551615|18446744073709551615|0"},
    {&oplus_i8, "-128 127 0x7f -0x80", "-128|127|127|-128"},
    {&oplus_u8, "0 255", "0|255"},
    {&oplus_i16, "-32768 32767", "-32768|32767"},
    {&oplus_u16, "65535", "65535"},
    {&oplus_i32, "-2147483648 2147483647", "-2147483648|2147483647"},
    {&oplus_u32, "4294967295", "4294967295"},
    {&oplus_f64, "1 1. .5 -2.5e-3 1E3 0x1p-3 1e+2", "1|1|0.5|-0.0025|1000|0.125|100"},
    {&oplus_f64, "inf -INF Infinity nan -NaN nan(12)", "inf|-inf|inf|nan|nan|nan"},
    {&oplus_f64, "-0 -0.0 0", "-0|-0|0"},
    {&oplus_f64, "0.1 1e22 1e23 1.7976931348623157e308 5e-324 1e-400",
     "0.1|1e+22|1e+23|1.7976931348623157e+308|5e-324|0"},
    {&oplus_f64, "9007199254740993 123456789012345678901234567890", "9007199254740992|1.2345678901234568e+29"},
    {&oplus_f32, "0.1 16777217 16777219 3.4028235e38 1e-45 0.333333333333333333333",
     "0.1|16777216|1.677722e+07|3.4028235e+38|1e-45|0.33333334"},
    /* rounded once: by way of a double it would be 1.00000012 */
    {&oplus_f32, "1.000000059604644775390625 1.00000005960464477539062501", "1|1.0000001"},
    {&record_type, "1 2 3 4\n\n-5,6.5,7,8 # nine\r\n", "1 2 3 4|-5 6.5 7 8"},
    {&record_type, "# x\n1 2 3 4,", "1 2 3 4"},
    {&oplus_c64, "1 -2\n0.5,inf", "1 -2|0.5 inf"},
};

static void test_reads(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        const size_t bytes = strlen(good[i].text);
        for (size_t step = 1; step <= bytes + 1; step++) {
            char elements[MOST * 40];
            const result got = read_cut(good[i].type, good[i].text, bytes, step, COMMAS);
            assert_string_equal(got.error, "");
            join(good[i].type, &got, elements);
            assert_string_equal(elements, good[i].elements);
        }
    }
}

typedef struct bad_text {
    const oplus_type *type;
    const char *text;
    size_t bytes; /* 0: up to the '\0' */
    size_t n;     /* elements before it */
    const char *error;
} bad_text;

static const bad_text bad[] = {
    {&oplus_i64, "1 2\nabc", 0, 2, "line 2: 'abc' is not a number"},
    {&oplus_i64, "1\n2.5\n", 0, 1, "line 2: '2.5' is not an integer, as i64 must be; -t f64 would take it"},
    {&oplus_i64, "9223372036854775808", 0, 0, "line 1: '9223372036854775808' does not fit i64; -t u64 would take it"},
    {&oplus_i64, "-9223372036854775809", 0, 0, "line 1: '-9223372036854775809' does not fit i64; -t f64 would take it"},
    {&oplus_u64, "18446744073709551616", 0, 0, "line 1: '18446744073709551616' does not fit u64; -t f64 would take it"},
    {&oplus_u8, "255 256", 0, 1, "line 1: '256' does not fit u8; -t i64 would take it"},
    {&oplus_u8, "-1", 0, 0, "line 1: '-1' does not fit u8; -t i64 would take it"},
    {&oplus_i8, "-129", 0, 0, "line 1: '-129' does not fit i8; -t i64 would take it"},
    {&oplus_f64, "1e400", 0, 0, "line 1: '1e400' does not fit f64"},
    {&oplus_f32, "1e39", 0, 0, "line 1: '1e39' does not fit f32; -t f64 would take it"},
    {&oplus_f64, "1 . 2", 0, 1, "line 1: '.' is not a number"},
    {&oplus_f64, "1e", 0, 0, "line 1: '1e' is not a number"},
    {&oplus_f64, "0x", 0, 0, "line 1: '0x' is not a number"},
    {&oplus_f64, "1_000", 0, 0, "line 1: '1_000' is not a number"},
    {&oplus_i64, "-", 0, 0, "line 1: '-' is not a number"},
    {&oplus_i64, "1-2", 0, 0, "line 1: '1-2' is not a number"},
    {&oplus_f64, "1 2\n1,000\n", 0, 3,
     "line 2: a comma: blanks and line ends separate numbers; --delimiter , takes columns between commas"},
    {&oplus_i64, "1\n,2", 0, 1,
     "line 2: a comma: blanks and line ends separate numbers; --delimiter , takes columns between commas"},
    {&record_type, "1 2,3 4", 0, 0,
     "line 1: a comma: blanks and line ends separate numbers; --delimiter , takes columns between commas"},
    {&oplus_i64, "1\0002", 3, 0, "line 1: '1\\x002' is not a number; a binary file needs --format raw and -t TYPE"},
    {&oplus_i64, "\xc3\xa9", 0, 0, "line 1: '\\xc3\\xa9' is not a number"},
    {&oplus_i64, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", 0, 0,
     "line 1: 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa...' is not a number"},
    {&record_type, "1 2 3\n", 0, 0, "line 1 ends too early: it should have 4 numbers, a member each"},
    {&record_type, "1 2 3", 0, 0, "line 1 ends too early: it should have 4 numbers, a member each"},
    {&record_type, "1 2 3 # 4", 0, 0, "line 1 ends too early: it should have 4 numbers, a member each"},
    {&record_type, "1 2 3 4\n1 2 3 4 5\n", 0, 2, "line 2 is too long: it should have 4 numbers, a member each"},
    {&record_type, "1.5 2 3 4", 0, 0, "line 1: '1.5' is not an integer, as member count (i32) must be"},
    {&record_type, "1 2 3 400", 0, 0, "line 1: '400' does not fit member flag (u8)"},
};

static const bad_text bad_commas[] = {
    {&oplus_i64, "1\n\n3,,4", 0, 2, "line 3: no number before a comma"},
    {&oplus_i64, ",1", 0, 0, "line 1: no number before a comma"},
};

static const bad_text bad_free[] = {
    {&oplus_f64, "1\n9007199254740993", 0, 1,
     "line 2: '9007199254740993' has more digits than f64 holds, which numbers without -t are; -t i64 keeps it, -t f64 "
     "rounds it"},
    {&oplus_f64, "18446744073709551615 ", 0, 0,
     "line 1: '18446744073709551615' has more digits than f64 holds, which numbers without -t are; -t u64 keeps it, -t "
     "f64 rounds it"},
    {&oplus_f64, "\n123456789012345678901234567890 ", 0, 0,
     "line 2: '123456789012345678901234567890' has more digits than f64 holds, which numbers without -t are; -t f64 "
     "rounds it"},
    {&oplus_f64, "x", 0, 0, "line 1: 'x' is not a number"},
    {&oplus_f64, "1e999", 0, 0, "line 1: '1e999' does not fit f64"},
};

static void expect_refused(const bad_text *row, enum how how)
{
    const size_t bytes = row->bytes ? row->bytes : strlen(row->text);
    for (size_t step = 1; step <= bytes + 1; step++) {
        const result got = read_cut(row->type, row->text, bytes, step, how);
        assert_string_equal(got.error, row->error);
        assert_int_equal(got.n, row->n);
    }
}

static void test_refuses(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) expect_refused(&bad[i], PLAIN);
    for (size_t i = 0; i < sizeof bad_commas / sizeof *bad_commas; i++) expect_refused(&bad_commas[i], COMMAS);
    for (size_t i = 0; i < sizeof bad_free / sizeof *bad_free; i++) expect_refused(&bad_free[i], FREE);
}

static void test_columns(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t columns, line;
    } rows[] = {
        {"1 2 3\n4 5 6", 3, 2}, {"1 2 3\n\n# x\n4\t5 6\n", 3, 5}, {"1 2 3\n4 5", 0, 2}, {"1\n2\n", 1, 3}, {"", 0, 1},
        {"1 2\n3\n4 5\n", 0, 4}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t step = 1; step < 9; step++) {
            const result got = read_cut(&oplus_i64, rows[i].text, strlen(rows[i].text), step, PLAIN);
            assert_int_equal(got.columns, rows[i].columns);
            assert_int_equal(got.line, rows[i].line);
        }
}

/* Text without a type: what is written as integers, and what is not. */
static void test_whole(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool whole;
    } rows[] = {
        {"1 2 3", true},      {"1 2.5 3", false}, {"", true},     {"1 # 2.5", true}, {"1 0x1f", true},
        {"0x1p3", false},     {"nan", false},     {"1e3", false}, {"2.0", false},    {"-9007199254740992", true},
        {"1 # 2\n2.5", false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t step = 1; step < 9; step++) {
            const result got = read_cut(&oplus_f64, rows[i].text, strlen(rows[i].text), step, FREE);
            assert_string_equal(got.error, "");
            assert_int_equal(got.whole, rows[i].whole);
        }
}

/* --- where each element stood ------------------------------------------------------------------------------------- */

static void expect_spans(const oplus_type *type, const char *text, const char *expected)
{
    text_reader reader;
    text_span spans[MOST];
    unsigned char elements[MOST * LARGEST];
    char letters[256];
    size_t n, used = 0;
    assert_true(text_reader_open(&reader, type));
    text_read(&reader, text, text + strlen(text), true, elements, MOST, &n, spans);
    assert_string_equal(reader.error, "");
    for (size_t i = 0; i < n; i++)
        used += (size_t)sprintf(letters + used, "%s%.*s", i ? "|" : "", (int)(spans[i].end - spans[i].at), spans[i].at);
    assert_string_equal(letters, expected);
}

static void test_spans(void **state)
{
    (void)state;
    expect_spans(&oplus_f64, " 0.10 1e3\n+7 # 8\n0x10\t123456789012345678901234567890",
                 "0.10|1e3|+7|0x10|123456789012345678901234567890");
    expect_spans(&oplus_i64, "007", "007");
    expect_spans(&record_type, "1  2.50\t3 4 # five\n\n -5 6 7 8", "1  2.50\t3 4|-5 6 7 8");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reads), cmocka_unit_test(test_refuses), cmocka_unit_test(test_columns),
        cmocka_unit_test(test_whole), cmocka_unit_test(test_spans),
    };
    return cmocka_run_group_tests_name("tool/text", tests, NULL, NULL);
}
