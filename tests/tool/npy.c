/* tool/npy: headers of .npy files, read and written. */
#include <oplus/oplus.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "npy.h"

/* Makes a header with this dictionary, in memory of exactly its size. */
static unsigned char *make(int version, const char *dictionary, size_t *bytes)
{
    const size_t n = strlen(dictionary), prefix = version == 1 ? 10 : 12;
    unsigned char *const header = malloc(prefix + n);
    memcpy(header, "\x93NUMPY", 6);
    header[6] = (unsigned char)version;
    header[7] = 0;
    for (size_t i = 8; i < prefix; i++) header[i] = (unsigned char)(n >> 8 * (i - 8));
    memcpy(header + prefix, dictionary, n);
    *bytes = prefix + n;
    return header;
}

static bool parse(int version, const char *dictionary, npy_header *header, char *error)
{
    size_t bytes;
    unsigned char *const text = make(version, dictionary, &bytes);
    const bool good = npy_parse(text, bytes, header, error);
    free(text);
    return good;
}

/* --- what is read ------------------------------------------------------------------------------------------------- */

static const struct {
    const char *descr, *type; /* as tool_type_name says */
    size_t item;
    bool swap; /* the first member */
} good[] = {
    {"'<f4'", "f32", 4, false},
    {"'<f8'", "f64", 8, false},
    {"'>f8'", "f64", 8, true},
    {"'|i1'", "i8", 1, false},
    {"'>u1'", "u8", 1, false},
    {"'|b1'", "u8", 1, false},
    {"'<i2'", "i16", 2, false},
    {"'>i4'", "i32", 4, true},
    {"'=i8'", "i64", 8, false},
    {"'u8'", "u64", 8, false},
    {"\"<u4\"", "u32", 4, false},
    {"'<c8'", "c64", 8, false},
    {"'>c16'", "c128", 16, true},
    {"[('a', '<f4')]", "float a;", 4, false},
    {"[('a', '|i1'), ('b', '>f8')]", "int8_t a; double b;", 9, false},
    {"[('a', '|i1'), ('', '|V7'), ('b', '<f8'), ('c', '<u2'), ('', '|V6')]", "int8_t a; double b; uint16_t c;", 24,
     false},
    {"[('m', '>f4', (2, 3)), ('n', '|u1', (4,)), ('o', '<i2', 5), ('p', '<i4', ())]",
     "float m[2][3]; uint8_t n[4]; int16_t o[5]; int32_t p;", 42, true},
    {"[ ( \"a\" ,\n'<f4' , ) , ]", "float a;", 4, false},
};

static void test_reads(void **state)
{
    (void)state;
    for (int version = 1; version <= 3; version++)
        for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
            char text[512], error[TOOL_ERROR_BYTES] = "";
            npy_header header;
            oplus_type *made;
            snprintf(text, sizeof text, "{'descr': %s, 'fortran_order': False, 'shape': (3, 2), }  \n", good[i].descr);
            assert_true(parse(version, text, &header, error));
            const oplus_type *const type = npy_type(&header, &made, error);
            assert_non_null(type);
            assert_string_equal(tool_type_name(type), good[i].type);
            assert_int_equal(header.item, good[i].item);
            assert_int_equal(header.field[0].swap, good[i].swap);
            assert_int_equal(header.bytes, strlen(text) + (version == 1 ? 10 : 12));
            assert_int_equal(header.count, 6);
            assert_false(header.fortran);
            oplus_type_free(made);
        }
}

static void test_shapes(void **state)
{
    (void)state;
    static const struct {
        const char *shape;
        int dims;
        uint64_t count;
    } rows[] = {
        {"()", 0, 1},
        {"(0,)", 1, 0},
        {"(7,)", 1, 7},
        {"(2,3)", 2, 6},
        {"(2, 3, )", 2, 6},
        {"(5L, 2L)", 2, 10},
        {"(0, 9223372036854775807)", 2, 0},
        {"(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1)", 33, 1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[512], error[TOOL_ERROR_BYTES] = "";
        npy_header header;
        snprintf(text, sizeof text, "{'shape': %s, 'fortran_order': True, 'descr': '|u1'}", rows[i].shape);
        assert_true(parse(1, text, &header, error));
        assert_int_equal(header.dims, rows[i].dims);
        assert_int_equal(header.count, rows[i].count);
        assert_true(header.fortran);
    }
}

/* --- what is refused, and with which words ------------------------------------------------------------------------ */

static const struct {
    const char *descr, *words;
} refused[] = {
    {"'<f2'", "save x.astype('f4')"},
    {"'<f16'", "save x.astype('f8')"},
    {"'<c32'", "save x.astype('c16')"},
    {"'|O'", "Python objects"},
    {"'|O8'", "Python objects"},
    {"'<U5'", "strings"},
    {"'|S3'", "strings"},
    {"'|a3'", "strings"},
    {"'<M8[ns]'", "save x.view('i8')"},
    {"'<m8[s]'", "time spans"},
    {"'|V8'", "raw bytes"},
    {"'<f3'", "unknown type '<f3'"},
    {"'<i16'", "unknown type"},
    {"'?'", "unknown type"},
    {"''", "unknown type"},
    {"'<f99999999999999999999'", "unknown type"},
    {"'\x1b[31m'", "'?[31m'"},
    {"[('a', [('b', '<f4')])]", "the member 'a' is a struct itself"},
    {"[(('title', 'a'), '<f4')]", "titles"},
    {"[('a b', '<f4')]", "'a b' has no name of C"},
    {"[('\\'', '<f4')]", "has no name of C"},
    {"[('a123456789012345678901234567890b', '<f4')]", "at most 31"},
    {"[('a', '<f4'), ('a', '<f4')]", "two members are called 'a'"},
    {"[('a', '|V4')]", "raw bytes"},
    {"[('a', '<c8')]", "the member 'a' is complex"},
    {"[('a', '<f2')]", "16-bit floats"},
    {"[('a', '<f4', (0,))]", "an array of 0 elements"},
    {"[('a', '<f4', (1000000, 1000000))]", "an array of too many elements"},
    {"[('a', '<f4', (262145,))]", "an element of more than"},
    {"[('', '|V4')]", "structs without members"},
    {"[]", "structs without members"},
    {"[('a',)]", "no string"},
    {"3", "no string"},
    {"('<f4', (2,))", "no string"},
    {"'<f4", "unknown type '<f4, '"},
};

static void test_refuses_types(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        char text[512], error[TOOL_ERROR_BYTES] = "";
        npy_header header;
        snprintf(text, sizeof text, "{'descr': %s, 'fortran_order': False, 'shape': (3,)}", refused[i].descr);
        assert_false(parse(1, text, &header, error));
        if (!strstr(error, refused[i].words))
            fail_msg("%s: \"%s\" should say \"%s\"", refused[i].descr, error, refused[i].words);
    }
}

static const struct {
    const char *dictionary, *words;
} damaged[] = {
    {"", "no '{'"},
    {"{}", "it lacks 'descr'"},
    {"{'descr': '<f4', 'fortran_order': False}", "it lacks 'shape'"},
    {"{'descr': '<f4', 'shape': ()}", "it lacks 'fortran_order'"},
    {"{'descr': '<f4', 'descr': '<f4'}", "'descr' should not be there"},
    {"{'other': 1}", "'other' should not be there"},
    {"{'descr': '<f4', 'fortran_order': 1, 'shape': ()}", "neither True nor False"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': 3}", "no '('"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}", "no size"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (3.5,)}", "no ','"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775808,)}", "2^63"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904,)}", "addresses"},
    {"{'descr': '|u1', 'fortran_order': False, 'shape': (4294967296, 4294967296)}", "addresses"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (0, 9223372036854775807)}", "addresses"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': ()} x", "behind its '}'"},
    {"{'descr': '<f4' 'shape': ()}", "no ','"},
    {"{'descr'}", "no ':'"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': "
     "(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,"
     "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)}",
     "more than 64 dimensions"},
};

static void test_refuses_damage(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++) {
        char error[TOOL_ERROR_BYTES] = "";
        npy_header header;
        assert_false(parse(2, damaged[i].dictionary, &header, error));
        if (!strstr(error, damaged[i].words))
            fail_msg("%s: \"%s\" should say \"%s\"", damaged[i].dictionary, error, damaged[i].words);
    }
}

static void test_refuses_prefixes(void **state)
{
    (void)state;
    char error[TOOL_ERROR_BYTES];
    assert_false(npy_magic("\x93NUMP", 5));
    assert_int_equal(npy_header_bytes((const unsigned char *)"PK\3\4", 4, error), 0);
    assert_non_null(strstr(error, "no .npy file"));
    assert_int_equal(npy_header_bytes((const unsigned char *)"\x93NUMPY\1\0\x76", 9, error), 0);
    assert_non_null(strstr(error, "ends inside its header"));
    assert_int_equal(npy_header_bytes((const unsigned char *)"\x93NUMPY\4\0\0\0\0\0", 12, error), 0);
    assert_non_null(strstr(error, "version 4"));
    assert_int_equal(npy_header_bytes((const unsigned char *)"\x93NUMPY\2\0\xff\xff\xff\xff", 12, error), 0);
    assert_non_null(strstr(error, "4294967295 bytes"));
}

/* A header that ends anywhere, or is changed anywhere, is refused or read, with no other effect (for the
 * sanitizers). */
static void test_cut_and_changed(void **state)
{
    (void)state;
    size_t bytes;
    unsigned char *const whole =
        make(1, "{'descr': [('a', '<f4', (2,)), ('', '|V4')], 'fortran_order': False, 'shape': (3,)}", &bytes);
    for (size_t n = 0; n < bytes; n++) {
        char error[TOOL_ERROR_BYTES] = "";
        npy_header header;
        unsigned char *const cut = malloc(n + 1);
        memcpy(cut, whole, n);
        assert_false(npy_parse(cut, n, &header, error));
        assert_string_not_equal(error, "");
        free(cut);
        for (int value = 0; value < 256; value++) {
            const unsigned char before = whole[n];
            whole[n] = (unsigned char)value;
            error[0] = '\0';
            if (!npy_parse(whole, bytes, &header, error)) assert_string_not_equal(error, "");
            whole[n] = before;
        }
    }
    free(whole);
}

/* --- what is written: what numpy.save writes (1.24) --------------------------------------------------------------- */

OPLUS_STRUCT(plain, float scale; float shift;)
OPLUS_STRUCT(padded, int8_t a; double b; uint16_t c, d[3];)
OPLUS_STRUCT(arrays, float m[2][3], x; uint8_t float_m[4]; uint16_t t[2];)

OPLUS_STRUCT(long_names, float multiplication; float displacement;) /* for which the room to grow shows */

static const struct {
    const oplus_type *type;
    int dims;
    uint64_t shape[3];
    size_t bytes;
    const char *descr, *shown;
} written[] = {
    {&oplus_f32, 1, {3}, 128, "'<f4'", "(3,)"},
    {&oplus_u8, 0, {0}, 128, "'|u1'", "()"},
    {&oplus_i8, 1, {0}, 128, "'|i1'", "(0,)"},
    {&oplus_i64, 2, {2, 30}, 128, "'<i8'", "(2, 30)"},
    {&oplus_c64, 3, {1, 2, 3}, 128, "'<c8'", "(1, 2, 3)"},
    {&oplus_c128, 0, {0}, 128, "'<c16'", "()"},
    {&plain_type, 1, {5}, 128, "[('scale', '<f4'), ('shift', '<f4')]", "(5,)"},
    {&padded_type, 1, {5}, 192, "[('a', '|i1'), ('', '|V7'), ('b', '<f8'), ('c', '<u2'), ('d', '<u2', (3,))]", "(5,)"},
    {&arrays_type,
     1,
     {5},
     192,
     "[('m', '<f4', (2, 3)), ('x', '<f4'), ('float_m', '|u1', (4,)), ('t', '<u2', (2,))]",
     "(5,)"},
    {&long_names_type, 1, {5}, 192, "[('multiplication', '<f4'), ('displacement', '<f4')]", "(5,)"},
};

static void test_writes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof written / sizeof *written; i++) {
        char error[TOOL_ERROR_BYTES] = "";
        size_t bytes;
        unsigned char *const header = npy_write(written[i].type, written[i].dims, written[i].shape, &bytes, error);
        assert_non_null(header);
        assert_int_equal(bytes, written[i].bytes);
        char dictionary[512];
        const size_t n =
            (size_t)snprintf(dictionary, sizeof dictionary, "{'descr': %s, 'fortran_order': False, 'shape': %s, }",
                             written[i].descr, written[i].shown);
        assert_memory_equal(header, "\x93NUMPY\1\0", 8);
        assert_int_equal(header[8] + 256 * header[9] + 10, bytes);
        assert_memory_equal(header + 10, dictionary, n);
        for (size_t k = 10 + n; k + 1 < bytes; k++) assert_int_equal(header[k], ' ');
        assert_int_equal(header[bytes - 1], '\n');

        npy_header again;
        assert_true(npy_parse(header, bytes, &again, error));
        assert_int_equal(again.item, written[i].type->size);
        free(header);
    }
}

/* The length of a header does not depend on how many elements there are, so that it can be filled in later. */
static void test_room_to_grow(void **state)
{
    (void)state;
    char error[TOOL_ERROR_BYTES];
    size_t first = 0;
    for (uint64_t n = 1; n < UINT64_MAX / 10; n *= 10) {
        size_t bytes;
        free(npy_write(&oplus_f64, 1, &n, &bytes, error));
        if (n == 1) first = bytes;
        assert_int_equal(bytes, first);
    }
    assert_int_equal(first, 128);
}

static void test_too_long_to_write(void **state)
{
    (void)state;
    char error[TOOL_ERROR_BYTES] = "";
    enum { DIMS = 20000 };
    char *const text = malloc(DIMS * 3 + 16);
    char *at = text + sprintf(text, "float x");
    for (int i = 0; i < DIMS; i++) at += sprintf(at, "[1]");
    strcpy(at, ";");
    oplus_type *type;
    size_t bytes;
    const uint64_t n = 1;
    if (oplus_type_make("element", text, &type) == OPLUS_OK) { /* the library may well refuse it */
        assert_null(npy_write(type, 1, &n, &bytes, error));
        assert_non_null(strstr(error, "too long"));
        oplus_type_free(type);
    }
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reads),
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_refuses_types),
        cmocka_unit_test(test_refuses_damage),
        cmocka_unit_test(test_refuses_prefixes),
        cmocka_unit_test(test_cut_and_changed),
        cmocka_unit_test(test_writes),
        cmocka_unit_test(test_room_to_grow),
        cmocka_unit_test(test_too_long_to_write),
    };
    return cmocka_run_group_tests_name("tool/npy", tests, NULL, NULL);
}
