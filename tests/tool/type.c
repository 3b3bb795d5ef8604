/* tool/type: types by name, and single values. */
#include <oplus/oplus.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "type.h"

OPLUS_STRUCT(pair, float re; float im;)

static void test_names(void **state)
{
    (void)state;
    static const struct {
        const char *text, *name;
        size_t size;
    } rows[] = {
        {"f32", "f32", 4},
        {"float", "f32", 4},
        {"double", "f64", 8},
        {"i8", "i8", 1},
        {"int64_t", "i64", 8},
        {"uint16_t", "u16", 2},
        {"c64", "c64", 8},
        {"c128", "c128", 16},
        {"u8", "u8", 1},
        {"float scale; float shift", "float scale; float shift;", 8},
        {"struct {float scale; float shift;}", "float scale; float shift;", 8},
        {" struct\n{ int a } ", " int a;", 4},
        {"{int a;}", "int a;", 4},
        {"char a; double x[2][2];", "char a; double x[2][2];", 40},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char error[TOOL_ERROR_BYTES] = "";
        const oplus_type *const type = tool_type_parse(rows[i].text, error);
        if (!type) fail_msg("%s: %s", rows[i].text, error);
        assert_int_equal(type->size, rows[i].size);
        assert_string_equal(tool_type_name(type), rows[i].name);
    }
}

static void test_refuses(void **state)
{
    (void)state;
    static const struct {
        const char *text, *words;
    } rows[] = {
        {"f16", "'f16' is no type; there are f32"},
        {"", "'' is no type"},
        {"float *p;", "'float *p;' is no type: "},
        {"{", "'{' is no type: "},
        {"{}", "'{}' is no type: "},
        {"struct {int a;", "'struct {int a;' is no type: "},
        {"struct point {int x;}", "'struct point {int x;}' is no type: "},
        {"float a b;", "is no type: "},
        {"float a23456789012345678901234567890123;", "more than 31 letters"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char error[TOOL_ERROR_BYTES] = "";
        assert_null(tool_type_parse(rows[i].text, error));
        if (!strstr(error, rows[i].words)) fail_msg("%s: \"%s\" should say \"%s\"", rows[i].text, error, rows[i].words);
    }
}

static void test_same(void **state)
{
    (void)state;
    char error[TOOL_ERROR_BYTES];
    const oplus_type *const other = tool_type_parse("float x, y", error);
    assert_non_null(other);
    assert_true(tool_type_same(other, &pair_type));
    assert_true(tool_type_same(&oplus_c64, &pair_type));
    assert_false(tool_type_same(&oplus_c128, &pair_type));
    assert_false(tool_type_same(&oplus_f64, &pair_type));
    assert_false(tool_type_same(&oplus_i32, &oplus_u32));
    assert_true(tool_type_is_complex(&oplus_c64));
    assert_false(tool_type_is_complex(&pair_type));
    assert_false(tool_type_is_complex(&oplus_f64));
}

static void test_values(void **state)
{
    (void)state;
    static const struct {
        const oplus_type *type;
        const char *text, *again, *error; /* one of these */
    } rows[] = {
        {&oplus_f32, "1.5", "1.5", NULL},
        {&oplus_i8, " -128 ", "-128", NULL},
        {&pair_type, "1, 0.25", "1 0.25", NULL},
        {&pair_type, "1 -inf", "1 -inf", NULL},
        {&oplus_i8, "128", NULL, "'128' does not fit i8; -t i64 would take it"},
        {&oplus_i8, "x", NULL, "'x' is not a number"},
        {&oplus_i8, "", NULL, "'' should be one i8"},
        {&oplus_i8, "1 2", NULL, "'1 2' should be one i8"},
        {&pair_type, "1", NULL, "'1' ends too early: it should have 2 numbers, a member each"},
        {&pair_type, "1 2 3", NULL, "'1 2 3' should be one float re; float im;"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char error[TOOL_ERROR_BYTES] = "";
        uint64_t value = 0;
        const bool good = tool_value_parse(rows[i].type, rows[i].text, &value, error);
        assert_int_equal(good, rows[i].again != NULL);
        if (!good && !strstr(error, rows[i].error)) fail_msg("\"%s\" should say \"%s\"", error, rows[i].error);
        if (!good) continue;
        char *const again = tool_value_print(rows[i].type, &value);
        assert_string_equal(again, rows[i].again);
        free(again);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_refuses),
        cmocka_unit_test(test_same),
        cmocka_unit_test(test_values),
    };
    return cmocka_run_group_tests_name("tool/type", tests, NULL, NULL);
}
