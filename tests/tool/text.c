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
    char error[TOOL_ERROR_BYTES];
} result;

/* Reads text of which `step` bytes more come at a time, each piece in memory of exactly its size. */
static result read_cut(const oplus_type *type, const char *text, size_t bytes, size_t step)
{
    static text_reader reader;
    result got = {{0}, 0, 0, 0, ""};
    assert_true(text_reader_open(&reader, type));
    for (size_t at = 0, end = 0;;) {
        end = bytes - end < step ? bytes : end + step;
        char *const piece = malloc(end - at + 1);
        memcpy(piece, text + at, end - at);
        piece[end - at] = '\0';
        size_t n;
        const char *const stop = text_read(&reader, piece, piece + (end - at), end == bytes,
                                           got.elements + got.n * type->size, MOST - got.n, &n);
        got.n += n;
        at += (size_t)(stop - piece);
        free(piece);
        if (end == bytes || reader.error[0]) break;
    }
    got.columns = reader.ragged ? 0 : reader.columns;
    got.line = reader.line;
    strcpy(got.error, reader.error);
    return got;
}

/* The elements, one after the other as they would be written. */
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
     "0.1|1e+22|1e+23|1.7976931348623157e+308|4.94065645841247e-324|0"},
    {&oplus_f64, "9007199254740993 123456789012345678901234567890", "9007199254740992|1.2345678901234568e+29"},
    {&oplus_f32, "0.1 16777217 16777219 3.4028235e38 1e-45 0.333333333333333333333",
     "0.1|16777216|1.677722e+07|3.4028235e+38|1.4013e-45|0.33333334"},
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
            const result got = read_cut(good[i].type, good[i].text, bytes, step);
            assert_string_equal(got.error, "");
            join(good[i].type, &got, elements);
            assert_string_equal(elements, good[i].elements);
        }
    }
}

static const struct {
    const oplus_type *type;
    const char *text;
    size_t bytes; /* 0: up to the '\0' */
    size_t n;     /* elements before it */
    const char *error;
} bad[] = {
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
    {&oplus_i64, "1\n\n3,,4", 0, 2, "line 3: no number before a comma"},
    {&oplus_i64, ",1", 0, 0, "line 1: no number before a comma"},
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

static void test_refuses(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const size_t bytes = bad[i].bytes ? bad[i].bytes : strlen(bad[i].text);
        for (size_t step = 1; step <= bytes + 1; step++) {
            const result got = read_cut(bad[i].type, bad[i].text, bytes, step);
            assert_string_equal(got.error, bad[i].error);
            assert_int_equal(got.n, bad[i].n);
        }
    }
}

static void test_columns(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t columns, line;
    } rows[] = {
        {"1 2 3\n4 5 6", 3, 2}, {"1 2 3\n\n# x\n4,5,6\n", 3, 5}, {"1 2 3\n4 5", 0, 2}, {"1\n2\n", 1, 3}, {"", 0, 1},
        {"1 2\n3\n4 5\n", 0, 4}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t step = 1; step < 9; step++) {
            const result got = read_cut(&oplus_i64, rows[i].text, strlen(rows[i].text), step);
            assert_int_equal(got.columns, rows[i].columns);
            assert_int_equal(got.line, rows[i].line);
        }
}

static void test_integers(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool last, integers;
    } rows[] = {
        {"1 2 3", true, true},
        {"1 2.5 3", true, false},
        {"", true, true},
        {"1 # 2.5", true, true},
        {"1 0x1f", true, true},
        {"1 0x1p3", true, false},
        {"nan", true, false},
        {"1e3", true, false},
        {"1 2.5", false, true},
        {"1 2.5 ", false, false},
        {"word 1", true, true},
        {"1 # 2\n2.5", true, false},
        {"18446744073709551616", true, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(text_is_integers(rows[i].text, rows[i].text + strlen(rows[i].text), rows[i].last),
                         rows[i].integers);
}

/* --- writing: the fewest digits, and the same bits again --------------------------------------------------------- */

static uint64_t next_random(uint64_t *x)
{
    *x = *x * 6364136223846793005u + 1442695040888963407u;
    return *x ^ *x >> 33;
}

static void expect_round_trip(const oplus_type *type, const void *value)
{
    char text[TEXT_MAX_SCALAR + 1], error[TOOL_ERROR_BYTES];
    double again = 0;
    char *const end = text_scalar_write(type->scalar, value, text);
    assert_in_range(end - text, 1, TEXT_MAX_SCALAR - 1);
    *end = '\0';
    assert_true(tool_value_parse(type, text, &again, error));
    assert_memory_equal(&again, value, type->size);
}

static void test_round_trip(void **state)
{
    (void)state;
    uint64_t random = 1;
    for (int i = 0; i < 200000; i++) {
        const uint64_t bits = next_random(&random),
                       short_bits = bits & 0xffffffffff000000; /* few digits of a fraction */
        float narrow;
        double wide;
        memcpy(&narrow, &bits, sizeof narrow);
        memcpy(&wide, i % 2 ? &bits : &short_bits, sizeof wide);
        if (narrow == narrow) expect_round_trip(&oplus_f32, &narrow);
        if (wide == wide) expect_round_trip(&oplus_f64, &wide);
        const double decimal = (double)(int64_t)(bits % 2000000) / 1000 - 1000;
        const float small = (float)(bits % 200000) / 100;
        expect_round_trip(&oplus_f64, &decimal);
        expect_round_trip(&oplus_f32, &small);
        expect_round_trip(&oplus_i64, &bits);
        expect_round_trip(&oplus_u64, &bits);
        expect_round_trip(&oplus_i16, &bits);
    }
}

/* The quick way of reading decimals gives what strtod and strtof give. */
static void test_as_strtod(void **state)
{
    (void)state;
    uint64_t random = 7;
    for (int i = 0; i < 200000; i++) {
        char text[64], error[TOOL_ERROR_BYTES];
        const uint64_t bits = next_random(&random), digits = bits >> (bits % 60);
        const int exponent = (int)(next_random(&random) % 60) - 30, point = (int)(next_random(&random) % 4);
        snprintf(text, sizeof text, "%s%llu%s%0*llue%d", i % 3 ? "" : "-", (unsigned long long)digits, point ? "." : "",
                 point, (unsigned long long)(bits % 10), exponent);
        double wide;
        float narrow;
        const double wide_right = strtod(text, NULL);
        const float narrow_right = strtof(text, NULL);
        assert_true(tool_value_parse(&oplus_f64, text, &wide, error));
        assert_memory_equal(&wide, &wide_right, sizeof wide);
        if (narrow_right - narrow_right != 0) continue; /* it does not fit */
        assert_true(tool_value_parse(&oplus_f32, text, &narrow, error));
        assert_memory_equal(&narrow, &narrow_right, sizeof narrow);
    }
}

static void test_fewest_digits(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *f64, *f32;
    } rows[] = {
        {1, "1", "1"},
        {-1, "-1", "-1"},
        {0.1, "0.1", "0.1"},
        {1e6, "1000000", "1000000"},
        {1e15, "1000000000000000", "1e+15"},
        {0.5, "0.5", "0.5"},
        {100, "100", "100"},
        {123456, "123456", "123456"},
        {1e-5, "1e-05", "1e-05"},
        {-0.0, "-0", "-0"},
        {1234567, "1234567", "1234567"},
        {999999, "999999", "999999"},
        {0x1p53, "9007199254740992", "9.007199e+15"},
        {9007199254740994, "9007199254740994", "9.007199e+15"},
        {1e16, "1e+16", "1e+16"},
        {-0x1p24, "-16777216", "-16777216"},
        {16777218, "16777218", "16777218"},
        {2e7, "20000000", "2e+07"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[TEXT_MAX_SCALAR + 1];
        const float narrow = (float)rows[i].value;
        *text_scalar_write(OPLUS_F64, &rows[i].value, text) = '\0';
        assert_string_equal(text, rows[i].f64);
        *text_scalar_write(OPLUS_F32, &narrow, text) = '\0';
        assert_string_equal(text, rows[i].f32);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reads),         cmocka_unit_test(test_refuses),    cmocka_unit_test(test_columns),
        cmocka_unit_test(test_integers),      cmocka_unit_test(test_round_trip), cmocka_unit_test(test_as_strtod),
        cmocka_unit_test(test_fewest_digits),
    };
    return cmocka_run_group_tests_name("tool/text", tests, NULL, NULL);
}
