/* tool/number: one number as text, against strtod and printf. */
#include <oplus/oplus.h>

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "number.h"
#include "type.h"

static int quick(void) { return getenv("OPLUS_TEST_QUICK") != NULL; }

static uint64_t next_random(uint64_t *x)
{
    *x = *x * 6364136223846793005u + 1442695040888963407u;
    return *x ^ *x >> 33;
}

static double double_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static number_verdict read_text(oplus_scalar scalar, const char *text, void *to)
{
    return number_read(scalar, text, text + strlen(text), to);
}

/* --- writing: read back the same, and no digit too many ---------------------------------------------------------- */

static int digits_of(const char *text)
{
    int digits = 0, zeros = 0; /* zeros that may be at the end */
    for (; *text && *text != 'e'; text++) {
        if (*text < '0' || *text > '9' || (*text == '0' && digits == 0)) continue;
        zeros = *text == '0' ? zeros + 1 : 0;
        digits++;
    }
    return digits - zeros;
}

/* The fewest digits of printf that read back the same; fewer are not possible. */
static int fewest(oplus_scalar scalar, double value)
{
    char text[64];
    for (int digits = 1; digits < 17; digits++) {
        snprintf(text, sizeof text, "%.*e", digits - 1, value);
        if (scalar == OPLUS_F64 ? strtod(text, NULL) == value : strtof(text, NULL) == (float)value) return digits;
    }
    return 17;
}

/* Writes the digits in the form of %g. */
static void expect_form(const char *text, int digits, double value)
{
    char expected[64];
    snprintf(expected, sizeof expected, "%.*e", digits - 1, value);
    const int exponent = atoi(strchr(expected, 'e') + 1);
    snprintf(expected, sizeof expected, "%.*g", digits > exponent ? digits : exponent + 1, value);
    if (!strchr(text, 'e') && digits == 17) assert_string_equal(text, expected);
    assert_true(!strchr(text, 'e') || exponent < -4 || exponent >= digits);
}

static void expect_written(oplus_scalar scalar, const void *value, double wide)
{
    char text[NUMBER_MAX + 1];
    unsigned char again[sizeof(double)];
    char *const end = number_write(scalar, value, text);
    assert_in_range(end - text, 1, NUMBER_MAX - 1);
    *end = '\0';
    assert_int_equal(read_text(scalar, text, again), NUMBER_GOOD);
    if (wide != wide) {
        assert_string_equal(text, "nan");
        return;
    }
    assert_memory_equal(again, value, tool_scalar_size(scalar));
    if (isinf(wide) || wide == 0) return;
    assert_true(scalar == OPLUS_F64 ? strtod(text, NULL) == wide : strtof(text, NULL) == (float)wide);
    if (strchr(text, '.') || strchr(text, 'e')) {
        assert_true(digits_of(text) <= fewest(scalar, wide));
        expect_form(text, digits_of(text), wide);
    }
}

/* Every exponent with both signs, and the mantissas where rounding turns; then bits at random. */
static void test_f32_written(void **state)
{
    (void)state;
    const uint32_t mantissas[] = {0, 1, 2, 0x2aaaaa, 0x3fffff, 0x400000, 0x400001, 0x7ffffe, 0x7fffff};
    for (uint32_t top = 0; top < 512; top++)
        for (size_t i = 0; i < sizeof mantissas / sizeof *mantissas; i++) {
            const float value = float_of(top << 23 | mantissas[i]);
            expect_written(OPLUS_F32, &value, (double)value);
        }
    uint64_t random = 1;
    for (int i = 0, n = quick() ? 30000 : 100000; i < n; i++) {
        const float value = float_of((uint32_t)next_random(&random));
        expect_written(OPLUS_F32, &value, (double)value);
    }
}

static void test_f64_written(void **state)
{
    (void)state;
    const uint64_t mantissas[] = {0, 1, 0x5555555555555, 0x8000000000000, 0xffffffffffffe, 0xfffffffffffff};
    for (uint64_t top = 0; top < 4096; top++)
        for (size_t i = 0; i < sizeof mantissas / sizeof *mantissas; i++) {
            const double value = double_of(top << 52 | mantissas[i]);
            expect_written(OPLUS_F64, &value, value);
        }
    uint64_t random = 1;
    for (int i = 0, n = quick() ? 30000 : 100000; i < n; i++) {
        const uint64_t bits = next_random(&random);
        const double any = double_of(bits), few = (double)(int64_t)(bits % 2000000) / 1000 - 1000,
                     near = (double)bits / 0x1p64, large = ldexp(near, (int)(bits % 80));
        expect_written(OPLUS_F64, &any, any);
        expect_written(OPLUS_F64, &few, few);
        expect_written(OPLUS_F64, &near, near);
        expect_written(OPLUS_F64, &large, large);
    }
}

static void test_written_as(void **state)
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
        {0.0001, "0.0001", "0.0001"},
        {1e-5, "1e-05", "1e-05"},
        {1.25e-5, "1.25e-05", "1.25e-05"},
        {-0.0, "-0", "-0"},
        {1234567, "1234567", "1234567"},
        {12345.675, "12345.675", "12345.675"},
        {0x1p53, "9007199254740992", "9.007199e+15"},
        {9007199254740994, "9007199254740994", "9.007199e+15"},
        {9.1e15, "9.1e+15", "9.1e+15"},
        {12345678901234568, "12345678901234568", "1.2345678e+16"},
        {1e16, "1e+16", "1e+16"},
        {1e22, "1e+22", "1e+22"},
        {-0x1p24, "-16777216", "-16777216"},
        {16777218, "16777218", "16777218"},
        {2e7, "20000000", "2e+07"},
        {1e300, "1e+300", "inf"},
        {5e-324, "5e-324", "0"},
        {-INFINITY, "-inf", "-inf"},
        {NAN, "nan", "nan"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[NUMBER_MAX + 1];
        const float narrow = (float)rows[i].value;
        *number_write(OPLUS_F64, &rows[i].value, text) = '\0';
        assert_string_equal(text, rows[i].f64);
        *number_write(OPLUS_F32, &narrow, text) = '\0';
        assert_string_equal(text, rows[i].f32);
    }
}

static void test_integers_written(void **state)
{
    (void)state;
    uint64_t random = 3;
    for (int i = 0; i < 100000; i++) {
        char text[NUMBER_MAX + 1], expected[32];
        const uint64_t any = next_random(&random) >> (random % 64);
        *number_write(OPLUS_I64, &any, text) = '\0';
        snprintf(expected, sizeof expected, "%lld", (long long)any);
        assert_string_equal(text, expected);
        *number_write(OPLUS_U64, &any, text) = '\0';
        snprintf(expected, sizeof expected, "%llu", (unsigned long long)any);
        assert_string_equal(text, expected);
        *number_write(OPLUS_I8, &any, text) = '\0';
        snprintf(expected, sizeof expected, "%d", (int)(int8_t)any);
        assert_string_equal(text, expected);
    }
}

/* --- reading: what strtod and strtof read ------------------------------------------------------------------------- */

static void expect_as_strtod(const char *text)
{
    const double wide_right = strtod(text, NULL);
    const float narrow_right = strtof(text, NULL);
    double wide = 1;
    float narrow = 1;
    assert_int_equal(read_text(OPLUS_F64, text, &wide), isinf(wide_right) ? NUMBER_NO_FIT : NUMBER_GOOD);
    assert_memory_equal(&wide, &wide_right, sizeof wide);
    assert_int_equal(read_text(OPLUS_F32, text, &narrow), isinf(narrow_right) ? NUMBER_NO_FIT : NUMBER_GOOD);
    assert_memory_equal(&narrow, &narrow_right, sizeof narrow);
}

/* A decimal of 1 to 25 digits, a point somewhere, and an exponent now and then. */
static void random_decimal(uint64_t *random, char *text)
{
    const int digits = 1 + (int)(next_random(random) % 25), point = (int)(next_random(random) % 30);
    char *at = text;
    if (next_random(random) % 4 == 0) *at++ = next_random(random) % 2 ? '-' : '+';
    for (int i = 0; i < digits; i++) {
        if (i == point) *at++ = '.';
        *at++ = (char)('0' + next_random(random) % 10);
    }
    const int wide = next_random(random) % 8 == 0;
    if (next_random(random) % 3 == 0)
        at += sprintf(at, "%c%+d", next_random(random) % 2 ? 'e' : 'E',
                      (int)(next_random(random) % (wide ? 800 : 60)) - (wide ? 400 : 30));
    *at = '\0';
}

static void test_read_as_strtod(void **state)
{
    (void)state;
    uint64_t random = 7;
    for (int i = 0, n = quick() ? 100000 : 300000; i < n; i++) {
        char text[64];
        random_decimal(&random, text);
        expect_as_strtod(text);
        const double any = double_of(next_random(&random));
        if (any - any != 0) continue;
        snprintf(text, sizeof text, "%.17g", any);
        expect_as_strtod(text);
        snprintf(text, sizeof text, "%.16f", fmod(any, 1e6));
        expect_as_strtod(text);
        snprintf(text, sizeof text, "%a", any);
        expect_as_strtod(text);
    }
}

/* Values exactly between two neighbours, and a digit to either side: rounding twice would show here. */
static void test_between_neighbours(void **state)
{
    (void)state;
    uint64_t random = 11;
    for (int i = 0, n = quick() ? 20000 : 100000; i < n; i++) {
        char text[64];
        const uint64_t bits = next_random(&random);
        const uint64_t odd =
            ((uint64_t)1 << 52 | (bits >> 12)) * 2 + 1; /* of doubles, 54 bits: the last is half a step */
        snprintf(text, sizeof text, "%.18Le", ldexpl((long double)odd, -(int)(bits % 80))); /* 19 digits: very near */
        expect_as_strtod(text);
        snprintf(text, sizeof text, "%llu", (unsigned long long)odd);
        expect_as_strtod(text);
        const uint32_t half = ((uint32_t)1 << 23 | (uint32_t)(bits >> 41)) * 2 + 1; /* of floats, 25 bits */
        for (int shift = 0; shift < 20; shift += 3) {
            const double exact = ldexp((double)half, -shift);
            snprintf(text, sizeof text, "%.*f", shift, exact);
            expect_as_strtod(text);
            const size_t end = strlen(text);
            strcpy(text + end, strchr(text, '.') ? "1" : ".1");
            expect_as_strtod(text);
            text[end - 1]--; /* the last digit is odd */
            strcpy(text + end, strchr(text, '.') ? "9" : ".9");
            expect_as_strtod(text);
        }
    }
}

static void test_read(void **state)
{
    (void)state;
    static const struct {
        oplus_scalar scalar;
        const char *text;
        number_verdict verdict;
    } rows[] = {
        {OPLUS_F64, "", NUMBER_NONE},
        {OPLUS_F64, "+", NUMBER_NONE},
        {OPLUS_F64, ".", NUMBER_NONE},
        {OPLUS_F64, "1e", NUMBER_NONE},
        {OPLUS_F64, "1e+", NUMBER_NONE},
        {OPLUS_F64, "--1", NUMBER_NONE},
        {OPLUS_F64, "+-1", NUMBER_NONE},
        {OPLUS_F64, "1.2.3", NUMBER_NONE},
        {OPLUS_F64, " 1", NUMBER_NONE},
        {OPLUS_F64, "1 ", NUMBER_NONE},
        {OPLUS_F64, "0x", NUMBER_NONE},
        {OPLUS_F64, "1,5", NUMBER_NONE},
        {OPLUS_F64, "infinit", NUMBER_NONE},
        {OPLUS_F64, "1e5x", NUMBER_NONE},
        {OPLUS_F64, "12345678901234567890x", NUMBER_NONE},
        {OPLUS_F64, ".5", NUMBER_GOOD},
        {OPLUS_F64, "5.", NUMBER_GOOD},
        {OPLUS_F64, "+.5e-3", NUMBER_GOOD},
        {OPLUS_F64, "0x1.8p3", NUMBER_GOOD},
        {OPLUS_F64, "-Infinity", NUMBER_GOOD},
        {OPLUS_F64, "nan(7)", NUMBER_GOOD},
        {OPLUS_F64, "1e309", NUMBER_NO_FIT},
        {OPLUS_F64, "1e99999999999", NUMBER_NO_FIT},
        {OPLUS_F64, "1e-99999", NUMBER_GOOD},
        {OPLUS_F64, "0e99999", NUMBER_GOOD},
        {OPLUS_F32, "1e39", NUMBER_NO_FIT},
        {OPLUS_F32, "99999999999999999999999999999999999999999", NUMBER_NO_FIT},
        {OPLUS_I64, "", NUMBER_NONE},
        {OPLUS_I64, "-", NUMBER_NONE},
        {OPLUS_I64, "1.5", NUMBER_FRACTION},
        {OPLUS_I64, "1e3", NUMBER_FRACTION},
        {OPLUS_I64, "1x", NUMBER_NONE},
        {OPLUS_I64, "0x1g", NUMBER_NONE},
        {OPLUS_I64, "00000000000000000000000012", NUMBER_GOOD},
        {OPLUS_I64, "9223372036854775807", NUMBER_GOOD},
        {OPLUS_I64, "9223372036854775808", NUMBER_NO_FIT},
        {OPLUS_I64, "-9223372036854775808", NUMBER_GOOD},
        {OPLUS_I64, "-9223372036854775809", NUMBER_NO_FIT},
        {OPLUS_U64, "18446744073709551615", NUMBER_GOOD},
        {OPLUS_U64, "18446744073709551616", NUMBER_NO_FIT},
        {OPLUS_U64, "-1", NUMBER_NO_FIT},
        {OPLUS_U8, "256", NUMBER_NO_FIT},
        {OPLUS_I8, "-0x80", NUMBER_GOOD},
        {OPLUS_I8, "0x80", NUMBER_NO_FIT},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        unsigned char value[8];
        if (read_text(rows[i].scalar, rows[i].text, value) != rows[i].verdict) fail_msg("%s", rows[i].text);
    }
}

static void test_longest(void **state)
{
    (void)state;
    enum { LONG = 100000 };
    char *const text = malloc(LONG + 8);
    double value;
    memset(text, '0', LONG);
    strcpy(text + LONG, "1e-1");
    assert_int_equal(read_text(OPLUS_F64, text, &value), NUMBER_GOOD);
    assert_true(value == 0.1);
    text[0] = '7';
    assert_int_equal(read_text(OPLUS_F64, text, &value), NUMBER_NO_FIT);
    text[1] = '.';
    assert_int_equal(read_text(OPLUS_F64, text, &value), NUMBER_GOOD);
    assert_true(value == 0.7);
    free(text);
}

/* --- integers as f64 ---------------------------------------------------------------------------------------------- */

static void test_exact(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        number_verdict verdict;
        bool whole;
    } rows[] = {
        {"0", NUMBER_GOOD, true},
        {"-9007199254740992", NUMBER_GOOD, true},
        {"9007199254740993", NUMBER_INEXACT, true},
        {"-9007199254740993", NUMBER_INEXACT, true},
        {"9007199254740993.0", NUMBER_GOOD, false}, /* written as a float: rounded as one */
        {"9007199254740994", NUMBER_GOOD, true},
        {"0009007199254740993", NUMBER_INEXACT, true},
        {"1152921504606846976", NUMBER_GOOD, true}, /* 2^60 */
        {"1152921504606846977", NUMBER_INEXACT, true},
        {"18446744073709551616", NUMBER_GOOD, true}, /* 2^64 */
        {"18446744073709551615", NUMBER_INEXACT, true},
        {"100000000000000000000000", NUMBER_INEXACT, true}, /* 1e23 is no double */
        {"10000000000000000000000", NUMBER_GOOD, true},
        {"0x20000000000001", NUMBER_INEXACT, true},
        {"0x20000000000002", NUMBER_GOOD, true},
        {"0xffffffffffffffff", NUMBER_INEXACT, true},
        {"1.5", NUMBER_GOOD, false},
        {"1e3", NUMBER_GOOD, false},
        {"nan", NUMBER_GOOD, false},
        {"x", NUMBER_NONE, true},
        {"1e999", NUMBER_NO_FIT, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bool whole = true;
        double value;
        const char *const text = rows[i].text;
        if (number_read_exact(text, text + strlen(text), &value, &whole) != rows[i].verdict || whole != rows[i].whole)
            fail_msg("%s", text);
        whole = false;
        number_read_exact("1", &"1"[1], &value, &whole);
        assert_false(whole);
    }
    assert_string_equal(number_integer_type("12", &"12"[2]), "i64");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_f32_written),    cmocka_unit_test(test_f64_written),
        cmocka_unit_test(test_written_as),     cmocka_unit_test(test_integers_written),
        cmocka_unit_test(test_read_as_strtod), cmocka_unit_test(test_between_neighbours),
        cmocka_unit_test(test_read),           cmocka_unit_test(test_longest),
        cmocka_unit_test(test_exact),
    };
    return cmocka_run_group_tests_name("tool/number", tests, NULL, NULL);
}
