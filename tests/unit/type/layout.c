/* Structs whose text is no list of plain scalars: their NaNs become canonical on every device, oplus_op_check takes
 * their floats for floats, and the message says what is unknown about a struct. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <oplus/oplus.h>

#include "type/layout.h"

/* --- the types, without padding, which has no value --------------------------------------------------------------- */

enum { THREE = 3 };
#define FOUR 4
typedef struct vec2 {
    float x, y;
} vec2;

#define TWO_OF(n)                                                                                                      \
    float f##n;                                                                                                        \
    int32_t i##n;
#define TEN_OF(n)  TWO_OF(n##0) TWO_OF(n##1) TWO_OF(n##2) TWO_OF(n##3) TWO_OF(n##4)
#define SOME_OF(n) TEN_OF(n##0) TEN_OF(n##1) TEN_OF(n##2) TEN_OF(n##3) TEN_OF(n##4)

OPLUS_STRUCT(by_macro, int32_t k; float v[FOUR]; _Bool flag[4]; double w;)
OPLUS_STRUCT(by_enum, float v[THREE]; int32_t k; double d[THREE - 1];)
OPLUS_STRUCT(by_text, float v[0x4]; double w[2 * 3 - (1 << 1)]; uint8_t c[sizeof(int32_t) > 2 ? 010 : 1]; float z[2];)
OPLUS_STRUCT(by_sum, float v[FOUR + 0x3u]; int16_t c[7 / 2 % 2 ? 2 : 1]; double w[2][1 | 2];)
OPLUS_STRUCT(by_typedef, int32_t k[2]; vec2 p[2]; double d;)
OPLUS_STRUCT(
    by_struct, int32_t k[2]; struct {
        float x;
        int16_t n[2];
        struct {
            double d[2];
        } deep;
    } p[3];
    float last[2];)
OPLUS_STRUCT(by_number, SOME_OF(1) SOME_OF(2) int32_t end;)
OPLUS_STRUCT(by_name, float a_name_of_more_than_thirty_one_letters[2]; int32_t k;
             float a_name_of_more_than_thirty_one_letters_too;)
OPLUS_STRUCT(by_size, int32_t k; float v[FOUR * 100]; int32_t l;)

#define FIRST(T) OPLUS_SEMIGROUP(first_##T, T, 0, { return a; })
FIRST(by_macro)
FIRST(by_enum)
FIRST(by_text)
FIRST(by_sum)
FIRST(by_typedef)
FIRST(by_struct)
FIRST(by_number)
FIRST(by_name)
FIRST(by_size)

/* Where the compiler has put floats: offset, number, and width of each. */
typedef struct floats {
    size_t offset, count, size;
} floats;
#define AT(T, member, count, F)                                                                                        \
    {                                                                                                                  \
        offsetof(T, member), count, sizeof(F)                                                                          \
    }

static const struct {
    const oplus_op *op;
    bool here_alone; /* a device knows no enumeration and no typedef */
    floats at[10];   /* of by_number: every second int32_t */
} cases[] = {
    {&first_by_macro_op, false, {AT(by_macro, v, 4, float), AT(by_macro, w, 1, double)}},
    {&first_by_enum_op, true, {AT(by_enum, v, 3, float), AT(by_enum, d, 2, double)}},
    {&first_by_text_op, false, {AT(by_text, v, 4, float), AT(by_text, w, 4, double), AT(by_text, z, 2, float)}},
    {&first_by_sum_op, false, {AT(by_sum, v, 7, float), AT(by_sum, w, 6, double)}},
    {&first_by_typedef_op, true, {AT(by_typedef, p, 4, float), AT(by_typedef, d, 1, double)}},
    {&first_by_struct_op,
     false,
     {AT(by_struct, p[0].x, 1, float), AT(by_struct, p[0].deep, 2, double), AT(by_struct, p[1].x, 1, float),
      AT(by_struct, p[1].deep, 2, double), AT(by_struct, p[2].x, 1, float), AT(by_struct, p[2].deep, 2, double),
      AT(by_struct, last, 2, float)}},
    {&first_by_number_op, false, {{0, 0, 0}}},
    {&first_by_name_op,
     false,
     {AT(by_name, a_name_of_more_than_thirty_one_letters, 2, float),
      AT(by_name, a_name_of_more_than_thirty_one_letters_too, 1, float)}},
    {&first_by_size_op, false, {AT(by_size, v, 400, float)}},
};
enum { CASES = sizeof cases / sizeof *cases };

static void put_canonical(char *x, size_t size)
{
    const uint32_t narrow = 0x7fc00000;
    const uint64_t wide = UINT64_C(0x7ff8000000000000);
    memcpy(x, size == 8 ? (const void *)&wide : &narrow, size);
}

/* All bits set, except in the floats, which are the canonical NaN. */
static void expected(size_t i, char *x)
{
    memset(x, 0xff, cases[i].op->type->size);
    for (const floats *at = cases[i].at; at->count; at++)
        for (size_t k = 0; k < at->count; k++) put_canonical(x + at->offset + k * at->size, at->size);
    for (size_t k = 0; cases[i].op == &first_by_number_op && k < 50; k++) put_canonical(x + 8 * k, 4);
}

/* --- canonical, everywhere ---------------------------------------------------------------------------------------- */

enum { N = 40 };

static void nan_is_canonical(void **state)
{
    oplus_device *dev;
    if (oplus_open(*state, &dev) != OPLUS_OK) {
        printf("no %s here: %s\n", (const char *)*state, oplus_last_error());
        skip();
    }
    const bool device = strncmp(*state, "opencl", 6) == 0;
    for (size_t i = 0; i < CASES; i++) {
        const oplus_op *const op = cases[i].op;
        const size_t size = op->type->size;
        char *const x = malloc(N * size), *const y = malloc(N * size), *const z = malloc(N * size);
        memset(x, 0xff, N * size);
        for (size_t k = 0; k < N; k++) expected(i, z + k * size);
        const oplus_status status = oplus_scan(dev, op, OPLUS_INCLUSIVE, x, N, y);
        if (device && cases[i].here_alone) {
            assert_int_equal(status, OPLUS_ERR_COMPILE);
            const char *const remedy = strstr(oplus_last_error(), "knows none of the program's macros, enumeration"),
                              *const log = strchr(oplus_last_error(), '\n');
            if (!remedy || !log || log < remedy)
                fail_msg("no remedy before the compiler's words: %s", oplus_last_error());
        } else {
            if (status != OPLUS_OK) fail_msg("%s: %s", op->name, oplus_last_error());
            for (size_t k = 0; k < N * size; k++)
                if (y[k] != z[k])
                    fail_msg("%s on %s: byte %zu of element %zu is %02x instead of %02x", op->type->name,
                             (const char *)*state, k % size, k / size, (unsigned char)y[k], (unsigned char)z[k]);
            memset(y, 0, size);
            assert_int_equal(oplus_reduce(dev, op, x, N, y), OPLUS_OK);
            assert_memory_equal(y, z, size);
        }
        free(x);
        free(y);
        free(z);
    }
    oplus_close(dev);
}

/* --- a struct is what its members are ----------------------------------------------------------------------------- */

#define SUM(T, member, n)                                                                                              \
    OPLUS_OP(sum_##T, T, (0), OPLUS_COMMUTATIVE, {                                                                     \
        T r = a;                                                                                                       \
        for (int i = 0; i < (n); i++) r.member[i] = a.member[i] + b.member[i];                                         \
        return r;                                                                                                      \
    })
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wmissing-braces"
#else
#pragma GCC diagnostic ignored "-Wmissing-braces"
#endif
SUM(by_enum, v, 3)
OPLUS_SEMIGROUP(sum_by_typedef, by_typedef, 0, {
    by_typedef r = a;
    for (int i = 0; i < 2; i++) {
        r.p[i].x = a.p[i].x + b.p[i].x;
        r.p[i].y = a.p[i].y + b.p[i].y;
    }
    r.d = a.d + b.d;
    return r;
})
OPLUS_SEMIGROUP(minus_by_typedef, by_typedef, 0, {
    by_typedef r = a;
    r.p[1].x = a.p[1].x - b.p[1].x;
    return r;
})

static void check_forgives_rounding(void **state)
{
    (void)state;
    static by_enum x[60];
    static by_typedef y[60];
    oplus_device *dev;
    assert_int_equal(oplus_open("serial", &dev), OPLUS_OK);
    for (int i = 0; i < 60; i++) {
        for (int k = 0; k < 3; k++) x[i].v[k] = (float)((i * 7919 + k) % 1000) * 0.37f;
        y[i].p[0].x = y[i].p[1].y = (float)(i % 11) / 7;
        y[i].p[0].y = y[i].p[1].x = (float)(i % 13) / 3;
        y[i].d = (double)(i % 17) / 9;
    }
    if (oplus_op_check(dev, &sum_by_enum_op, x, 60) != OPLUS_OK) fail_msg("%s", oplus_last_error());
    if (oplus_op_check(dev, &sum_by_typedef_op, y, 60) != OPLUS_OK) fail_msg("%s", oplus_last_error());
    assert_int_equal(oplus_op_check(dev, &minus_by_typedef_op, y, 60), OPLUS_ERR_ARGUMENT);
    assert_non_null(strstr(oplus_last_error(), "minus_by_typedef is not associative: a = {[0, 0], [0, 0, 0, 0], 0}"));
    oplus_close(dev);
}

static void nested_members_have_names(void **state)
{
    (void)state;
    oplus_member m[16];
    assert_int_equal(oplus_type_members(&by_struct_type, m, 16), 11);
    assert_string_equal(m[4].name, "p[1].x");
    assert_int_equal(m[4].offset, offsetof(by_struct, p[1].x));
    assert_string_equal(m[6].name, "p[1].deep.d");
    assert_int_equal(m[6].offset, offsetof(by_struct, p[1].deep.d));
    assert_int_equal(m[6].count, 2);
    assert_int_equal(oplus_type_members(&by_enum_type, m, 16), -1);
    const oplus_type deep = {OPLUS_ABI,
                             "deep",
                             "struct{struct{struct{struct{struct{struct{struct{struct{struct{int a;}b;}b;}b;}b;}b;}"
                             "b;}b;}b;}b;",
                             4,
                             4,
                             OPLUS_RECORD,
                             NULL};
    assert_int_equal(opi_layout(&deep, m, 16), -1);
}

/* --- what is unknown, is too large, or is there twice ------------------------------------------------------------- */

OPLUS_STRUCT(far, int32_t k; float v[THREE * 100];)
OPLUS_STRUCT(extended, float x; long double y;)
OPLUS_STRUCT(turned, float _Complex c; double d;)
OPLUS_STRUCT(
    either, uint32_t tag; union {
        float f;
        uint32_t u;
    } as;)
FIRST(far)
FIRST(extended)
FIRST(turned)
FIRST(either)
OPLUS_MAP(far_map, far, far, { return a; })

static void refuses(oplus_status status, const char *words)
{
    assert_int_equal(status, OPLUS_ERR_UNSUPPORTED);
    if (!strstr(oplus_last_error(), words)) fail_msg("\"%s\"\n  does not say\n\"%s\"", oplus_last_error(), words);
}

static void what_is_unknown_is_said(void **state)
{
    (void)state;
    static far x[2], y[2];
    static extended e[2];
    static turned t[2];
    const either some[2] = {{1, {.u = 0xffc01234}}, {2, {.f = 1}}};
    either result;
    oplus_device *dev;
    oplus_carry *carry;
    assert_int_equal(oplus_open("serial", &dev), OPLUS_OK);
    refuses(oplus_reduce(dev, &first_far_op, x, 2, y),
            "oplus_reduce: op->type \"far\" has the member \"float v[THREE * 100]\", which cannot be read, so that its "
            "NaNs cannot be made canonical; give plain types and numbers (a macro serves");
    refuses(oplus_map(dev, &far_map_fn, (const void *[]){x}, 2, y), "oplus_map: fn->result \"far\" has the member");
    refuses(oplus_carry_open(&first_far_op, 0, &carry), "oplus_carry_open: op->type \"far\"");
    refuses(oplus_reduce(dev, &first_extended_op, e, 2, e), "the member \"long double y\"");
    refuses(oplus_reduce(dev, &first_turned_op, t, 2, t), "the member \"float _Complex c\"");
    /* A union is bytes: what may be no number is not treated as a number. */
    assert_int_equal(oplus_reduce(dev, &first_either_op, some, 2, &result), OPLUS_OK);
    assert_memory_equal(&result, some, sizeof result);
    oplus_close(dev);
}

/* What a text gave is remembered by its content, size and alignment: not by its address. */
static void a_text_may_change(void **state)
{
    (void)state;
    char text[400];
    const oplus_type type = {OPLUS_ABI, "changing", text, 8, 4, OPLUS_RECORD, NULL};
    const uint32_t nans[2] = {0xffc00001, 0xffc00001};
    static const char *const texts[] = {"float a; float b;",   "float a; int32_t b;",
                                        "int32_t a; float b;", "float a; double b;" /* not 8 bytes */,
                                        "int32_t a, b;",       "float v[2];"};
    static const struct {
        bool known, quiet[2];
    } expected[] = {{true, {1, 1}}, {true, {1, 0}}, {true, {0, 1}}, {false, {0, 0}}, {true, {0, 0}}, {true, {1, 1}}};
    enum { TEXTS = sizeof texts / sizeof texts[0] };
    const oplus_op op = {.abi = OPLUS_ABI, .name = "first", .type = &type, .combine = first_either_op.combine};
    oplus_device *dev;
    assert_int_equal(oplus_open("serial", &dev), OPLUS_OK);
    for (int round = 0; round < 3; round++)
        for (size_t i = 0; i < TEXTS; i++) {
            memset(text, ' ', sizeof text); /* round 1: too long to be remembered */
            strcpy(text + (round == 1 ? 300 : 0), texts[i]);
            uint32_t x[2];
            memcpy(x, nans, sizeof x);
            const oplus_status status = oplus_reduce(dev, &op, x, 1, x);
            assert_int_equal(status, expected[i].known ? OPLUS_OK : OPLUS_ERR_UNSUPPORTED);
            for (int k = 0; k < 2; k++) assert_int_equal(x[k], expected[i].quiet[k] ? 0x7fc00000 : nans[k]);
        }
    oplus_close(dev);
}

static void two_structs_of_one_name(void **state)
{
    (void)state;
    oplus_device *dev;
    const oplus_type other = {OPLUS_ABI, "by_macro", "double x;", 8, 8, OPLUS_RECORD, NULL};
    if (oplus_open("opencl:cpu", &dev) != OPLUS_OK) {
        printf("no OpenCL on the processor here: %s\n", oplus_last_error());
        skip();
    }
    by_macro x[4] = {{0}};
    double y[4] = {0};
    oplus_fn fn = {.abi = OPLUS_ABI,
                   .name = "mix",
                   .result = &other,
                   .arity = 1,
                   .input = {&by_macro_type},
                   .text = "{ return (by_macro){0}; }"};
    fn.leaf = far_map_fn.leaf;
    assert_int_equal(oplus_map(dev, &fn, (const void *[]){x}, 4, y), OPLUS_ERR_ARGUMENT);
    if (!strstr(oplus_last_error(),
                "two struct types are called \"by_macro\": \"double x;\" of 8 bytes and \"int32_t k; "
                "float v[4]; _Bool flag[4]; double w;\" of 32"))
        fail_msg("%s", oplus_last_error());
    oplus_close(dev);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        {"nan_is_canonical, serial", nan_is_canonical, NULL, NULL, "serial"},
        {"nan_is_canonical, threads", nan_is_canonical, NULL, NULL, "threads:2"},
        {"nan_is_canonical, OpenCL", nan_is_canonical, NULL, NULL, "opencl:cpu"},
        cmocka_unit_test(check_forgives_rounding),
        cmocka_unit_test(nested_members_have_names),
        cmocka_unit_test(what_is_unknown_is_said),
        cmocka_unit_test(a_text_may_change),
        cmocka_unit_test(two_structs_of_one_name),
    };
    return cmocka_run_group_tests_name("layout", tests, NULL, NULL);
}
