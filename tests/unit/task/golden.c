/* The golden values of tree v1, tests/golden/tree-v1.txt, on every device and instruction set of this machine. */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <oplus/oplus.h>
#include <oplus/selfcheck.h>

#define GOLDEN_TYPES_DEFINED
OPLUS_STRUCT(golden_affine32, float a; float b;)
OPLUS_STRUCT(golden_affine64, double a; double b;)
OPLUS_STRUCT(golden_matrix, uint32_t m[4];)
typedef oplus_complex64 golden_c64;
typedef oplus_complex128 golden_c128;
#include "golden/data.h"

#include "cores/isa.h"

/* --- the operators ----------------------------------------------------------------------------------------------- */

OPLUS_OP(affine_f32, golden_affine32, (1, 0), 0, {
    golden_affine32 r;
    r.a = a.a * b.a;
    r.b = a.b * b.a + b.b;
    return r;
})
OPLUS_OP(affine_f64, golden_affine64, (1, 0), 0, {
    golden_affine64 r;
    r.a = a.a * b.a;
    r.b = a.b * b.a + b.b;
    return r;
})
OPLUS_OP(matrix_u32, golden_matrix, ({1, 0, 0, 1}), OPLUS_EXACT, {
    golden_matrix r;
    r.m[0] = a.m[0] * b.m[0] + a.m[1] * b.m[2];
    r.m[1] = a.m[0] * b.m[1] + a.m[1] * b.m[3];
    r.m[2] = a.m[2] * b.m[0] + a.m[3] * b.m[2];
    r.m[3] = a.m[2] * b.m[1] + a.m[3] * b.m[3];
    return r;
})
OPLUS_OP(third_f32, float, (3), OPLUS_COMMUTATIVE, { return a * b / 3; })
OPLUS_OP(plus0_f32, float, (0), OPLUS_COMMUTATIVE, { return a + 0.0f + b; })

typedef struct row {
    const char *name; /* "sum f32 plain " */
    const oplus_op *op;
    size_t member; /* bytes of each member */
    void (*fill)(void *x, size_t n);
} row;

#define FILL(op, type, data, T)                                                                                        \
    static void fill_##op##_##type##_##data(void *x, size_t n)                                                         \
    {                                                                                                                  \
        for (size_t i = 0; i < n; i++) ((T *)x)[i] = op##_##type##_##data(i);                                          \
    }
GOLDEN_BUILTIN_ROWS(FILL)
GOLDEN_OWN_ROWS(FILL)

enum { MEMBER_u8 = 1, MEMBER_i16 = 2, MEMBER_i32 = 4, MEMBER_u32 = 4, MEMBER_u64 = 8 };
enum { MEMBER_f32 = 4, MEMBER_f64 = 8, MEMBER_c64 = 4, MEMBER_c128 = 8 };
#define BUILTIN_ROW(op, type, data, T)                                                                                 \
    {#op " " #type " " #data " ", &oplus_##op##_##type, MEMBER_##type, fill_##op##_##type##_##data},
#define OWN_ROW(op, type, data, T)                                                                                     \
    {#op " " #type " " #data " ", &op##_##type##_op, MEMBER_##type, fill_##op##_##type##_##data},
static const row rows[] = {GOLDEN_BUILTIN_ROWS(BUILTIN_ROW) GOLDEN_OWN_ROWS(OWN_ROW)};
enum { ROWS = sizeof rows / sizeof rows[0], LARGEST = 16 };

/* --- one line of the file */

static char *file; /* the text of tree-v1.txt */
static uint8_t *heads;
static uint64_t *offsets;
static size_t segments;
static unsigned char *in, *out;

typedef struct text {
    size_t used;
    char line[512];
} text;

static void say_value(text *to, const void *value, size_t size, size_t member)
{
    for (size_t at = 0; at < size; at += member) {
        to->line[to->used++] = at ? ',' : ' ';
        for (size_t byte = member; byte-- > 0;)
            to->used += (size_t)sprintf(to->line + to->used, "%02x", ((const unsigned char *)value)[at + byte]);
    }
}

static void say_hash(text *to, const void *x, size_t bytes)
{
    const uint64_t hash = golden_hash(GOLDEN_HASH_START, x, bytes);
    to->used += (size_t)sprintf(to->line + to->used, " %016llx", (unsigned long long)hash);
}

static void must(oplus_status status)
{
    if (status != OPLUS_OK) fail_msg("%s: %s", oplus_status_string(status), oplus_last_error());
}

/* Where segments begin, up to n, and where the last one ends. */
static void cut(size_t n)
{
    segments = 0;
    for (size_t i = 0; i < n; i++) {
        heads[i] = golden_head(i);
        if (i == 0 || heads[i]) offsets[segments++] = i;
    }
    offsets[segments] = n;
}

/* The line that this device makes for the first n elements of in. */
static void write_line(text *to, oplus_device *dev, const row *r, size_t n)
{
    const size_t size = r->op->type->size;
    double value[LARGEST / sizeof(double)];
    cut(n);
    to->used = (size_t)sprintf(to->line, "%s%zu", r->name, n);
    must(oplus_reduce(dev, r->op, in, n, value));
    say_value(to, value, size, r->member);
    must(oplus_fold(dev, r->op, in + n * size, in, n, value));
    say_value(to, value, size, r->member);
    must(oplus_scan(dev, r->op, OPLUS_INCLUSIVE, in, n, out));
    say_hash(to, out, n * size);
    must(oplus_scan(dev, r->op, OPLUS_EXCLUSIVE, in, n, out));
    say_hash(to, out, n * size);
    must(oplus_segscan(dev, r->op, OPLUS_INCLUSIVE, in, heads, n, out));
    say_hash(to, out, n * size);
    must(oplus_segscan(dev, r->op, OPLUS_EXCLUSIVE, in, heads, n, out));
    say_hash(to, out, n * size);
    must(oplus_segreduce(dev, r->op, in, n, &oplus_u64, offsets, segments, out));
    say_hash(to, out, segments * size);
    to->line[to->used] = '\0';
}

/* The line of the file that begins as the given line. */
static const char *golden_line(const char *line)
{
    const char *value = line;
    for (int spaces = 0; spaces < 4; value++) spaces += *value == ' ';
    for (const char *at = file; at; at = strchr(at, '\n')) {
        at += *at == '\n';
        if (strncmp(at, line, (size_t)(value - line)) == 0) return at;
    }
    fail_msg("tests/golden/tree-v1.txt has no line %.*s", (int)(value - line), line);
    return NULL;
}

static void run_row(oplus_device *dev, const row *r)
{
    const int sizes = getenv("OPLUS_TEST_QUICK") ? GOLDEN_SIZES - 1 : GOLDEN_SIZES;
    for (int s = 0; s < sizes; s++) {
        text line;
        write_line(&line, dev, r, golden_n[s]);
        const char *const expected = golden_line(line.line);
        if (strncmp(line.line, expected, line.used) != 0 || expected[line.used] != '\n')
            fail_msg("%s\n     gives %s\n  expected %.*s", oplus_device_name(dev), line.line,
                     (int)strcspn(expected, "\n"), expected);
    }
}

/* --- every device ------------------------------------------------------------------------------------------------- */

static const char *const devices[] = {"serial", "threads:2", "threads:3"};
enum { DEVICES = sizeof devices / sizeof devices[0] };

static void on_every_device(void (*run)(oplus_device *dev, const row *r), const row *r)
{
    const opi_isa *isa[4];
    const int isas = opi_isa_list(isa);
    assert_true(isas > 0);
    for (int i = 0; i < isas; i++)
        for (int d = 0; d < DEVICES; d++) {
            setenv("OPLUS_ISA", isa[i]->name, 1);
            oplus_device *dev;
            must(oplus_open(devices[d], &dev));
            run(dev, r);
            oplus_close(dev);
        }
    unsetenv("OPLUS_ISA");
}

/* Accelerators: with OPLUS_TEST_DEVICES="cuda:0 opencl:1" all rows are tried on them; without it, OpenCL's cores are
 * tried with the rows whose programs the laws have compiled. */
static bool is_compiled(const row *r)
{
    static const oplus_op *const ops[] = {&oplus_sum_f32, &oplus_sum_u8};
    size_t i = 0;
    while (i < sizeof ops / sizeof ops[0] && ops[i] != r->op) i++;
    return i < sizeof ops / sizeof ops[0];
}

static void on_accelerators(const row *r)
{
    const char *const given = getenv("OPLUS_TEST_DEVICES");
    char list[256], *rest = list;
    oplus_device *dev;
    if (!given && !is_compiled(r)) return;
    snprintf(list, sizeof list, "%s", given ? given : "opencl:cpu");
    for (char *name; (name = strtok_r(rest, " ", &rest)) != NULL;) {
        name[strcspn(name, "@")] = '\0'; /* see tests/support/laws.h */
        if (oplus_open(name, &dev) == OPLUS_OK) {
            run_row(dev, r);
            oplus_close(dev);
        } else if (given) {
            fail_msg("%s", oplus_last_error());
        } else {
            printf("not tried on \"%s\": %s\n", name, oplus_last_error());
        }
    }
}

static void golden(void **state)
{
    const row *const r = *state;
    r->fill(in, golden_n[GOLDEN_SIZES - 1] + 1);
    on_every_device(run_row, r);
    on_accelerators(r);
}

static void selfcheck_once(oplus_device *dev, const row *r)
{
    (void)r;
    must(oplus_selfcheck(dev));
}

static void selfcheck(void **state)
{
    (void)state;
    on_every_device(selfcheck_once, NULL);
}

/* A wrong result is reported in words. */
static void selfcheck_speaks(void **state)
{
    (void)state;
    assert_int_equal(oplus_selfcheck_compare_("some_op", "x", 1, 0, "remove -ffast-math"), OPLUS_ERR_INTERNAL);
    assert_non_null(strstr(oplus_last_error(), "some_op"));
    assert_non_null(strstr(oplus_last_error(), "remove -ffast-math"));
}

static char *read_file(const char *path)
{
    FILE *const stream = fopen(path, "rb");
    if (!stream) return NULL;
    char *const whole = calloc(1, 1 << 20);
    const size_t bytes = whole ? fread(whole, 1, (1 << 20) - 1, stream) : 0;
    fclose(stream);
    return bytes ? whole : NULL;
}

int main(int argc, char **argv)
{
    const char *const path = argc > 1 ? argv[1] : "tests/golden/tree-v1.txt";
    const size_t most = golden_n[GOLDEN_SIZES - 1] + 1;
    file = read_file(path);
    if (!file) return fprintf(stderr, "golden: cannot read %s; run from the root of the sources\n", path), 1;
    heads = malloc(most);
    offsets = malloc((most + 1) * sizeof *offsets);
    in = aligned_alloc(64, (most * LARGEST + 63) / 64 * 64);
    out = aligned_alloc(64, (most * LARGEST + 63) / 64 * 64);
    if (!heads || !offsets || !in || !out) return fprintf(stderr, "golden: out of memory\n"), 1;

    struct CMUnitTest tests[ROWS + 2];
    for (int k = 0; k < ROWS; k++) tests[k] = (struct CMUnitTest){rows[k].name, golden, NULL, NULL, (void *)&rows[k]};
    tests[ROWS] = (struct CMUnitTest)cmocka_unit_test(selfcheck);
    tests[ROWS + 1] = (struct CMUnitTest)cmocka_unit_test(selfcheck_speaks);
    const int failed = _cmocka_run_group_tests("golden", tests, ROWS + 2, NULL, NULL);
    free(file);
    free(heads);
    free(offsets);
    free(in);
    free(out);
    return failed;
}
