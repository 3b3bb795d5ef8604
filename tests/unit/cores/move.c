/* Map, filter, transpose, and what they use, against plain loops: every element size, every instruction set, one to
 * five threads, in place and not, small and larger than the caches. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <oplus/oplus.h>

#include "cores/isa.h"
#include "cores/transpose.h"
#include "type/layout.h"
#include "cores/quiet.h"
#include "support/laws.h"

static const char *const wheres[] = {"serial", "threads:2", "threads:3", "threads:4", "threads:5"};
enum { WHERES = sizeof wheres / sizeof wheres[0] };

/* Runs body with `dev` on every device with the best instruction set, and on one thread and two with each other
 * instruction set. */
static void everywhere(void (*body)(oplus_device *dev, void *with), void *with)
{
    const opi_isa *isas[4];
    const int count = opi_isa_list(isas);
    for (int k = 0; k < count; k++)
        for (size_t w = 0; w < (k == count - 1 ? WHERES : 2); w++) {
            oplus_device *const dev = open_at(wheres[w], isas[k]->name);
            body(dev, with);
            oplus_close(dev);
        }
}

/* --- memory between guards */

enum { GUARD = 64, GUARD_BYTE = 0xa5 };

/* `bytes` that begin `shift` bytes after a multiple of 64. */
typedef struct guarded {
    unsigned char *mem, *at;
    size_t bytes;
} guarded;

static guarded guarded_open(size_t bytes, size_t shift)
{
    guarded g;
    g.bytes = bytes;
    g.mem = must(aligned_alloc(64, (bytes + shift + 2 * GUARD + 63) / 64 * 64));
    g.at = g.mem + GUARD + shift;
    memset(g.mem, GUARD_BYTE, bytes + shift + 2 * GUARD);
    return g;
}

/* Nothing was written but the first `written` bytes. */
static void guarded_close(guarded *g, size_t written)
{
    for (unsigned char *p = g->mem; p < g->at; p++) assert_int_equal(*p, GUARD_BYTE);
    for (unsigned char *p = g->at + written; p < g->at + g->bytes + GUARD; p++) assert_int_equal(*p, GUARD_BYTE);
    free(g->mem);
}

static void fill(unsigned char *x, size_t bytes, const char *name)
{
    rng r = test_rng(name);
    for (size_t i = 0; i < bytes; i++) x[i] = (unsigned char)(rng_next(&r) >> 32);
}

/* --- layout ------------------------------------------------------------------------------------------------------- */

OPLUS_STRUCT(mixed, double x[3]; int32_t k, m; unsigned char c[2][2]; unsigned long long int u; float f;)
OPLUS_STRUCT(pair, float a; float b;)
OPLUS_STRUCT(doubles, double a, b[2];)
OPLUS_STRUCT(nested, pair p;)
OPLUS_STRUCT(pointer, float *p;)
OPLUS_STRUCT(bits, int a : 3; int b : 29;)

static void layout_reads_members(void **state)
{
    (void)state;
    oplus_member m[OPI_MAX_MEMBERS];
    assert_int_equal(opi_layout(&mixed_type, m, OPI_MAX_MEMBERS), 6);
    const oplus_member expected[] = {
        {"x", OPLUS_F64, offsetof(mixed, x), 3}, {"k", OPLUS_I32, offsetof(mixed, k), 1},
        {"m", OPLUS_I32, offsetof(mixed, m), 1}, {"c", OPLUS_U8, offsetof(mixed, c), 4},
        {"u", OPLUS_U64, offsetof(mixed, u), 1}, {"f", OPLUS_F32, offsetof(mixed, f), 1},
    };
    for (int i = 0; i < 6; i++) {
        assert_string_equal(m[i].name, expected[i].name);
        assert_int_equal(m[i].scalar, expected[i].scalar);
        assert_int_equal(m[i].offset, expected[i].offset);
        assert_int_equal(m[i].count, expected[i].count);
    }
    assert_int_equal(opi_layout(&oplus_f64, m, 1), 1);
    assert_int_equal(m[0].scalar, OPLUS_F64);
    assert_int_equal(opi_layout(&mixed_type, m, 5), -1);
}

static void layout_knows_what_it_does_not_know(void **state)
{
    (void)state;
    oplus_member m[4];
    assert_int_equal(opi_layout(&nested_type, m, 4), -1);
    assert_int_equal(opi_layout(&pointer_type, m, 4), -1);
    assert_int_equal(opi_layout(&bits_type, m, 4), -1);
    static const char *const wrong[] = {"",
                                        "float",
                                        "float a",
                                        "float a;;",
                                        "float;",
                                        "float a b;",
                                        "float a, ;",
                                        "short float a;",
                                        "int a[N];",
                                        "int a[0];",
                                        "int a[-1];",
                                        "long long long a;",
                                        "float a[",
                                        "_Alignas(4) x;",
                                        "unsigned signed a;",
                                        "float a; int",
                                        "double a;",
                                        "char a[4];",
                                        "float a; float b;",
                                        "int a[18446744073709551617];",
                                        NULL};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        const oplus_type type = {OPLUS_ABI, "t", wrong[i], 4, 4, OPLUS_RECORD, NULL};
        assert_int_equal(opi_layout(&type, m, 4), -1);
    }
    static const char *const right[] = {
        "float a;", "\tint\n_a1 [ 1 ] ;", "unsigned a;", "short int a; unsigned short b;", "signed a;", "int16_t a,b;"};
    for (size_t i = 0; i < sizeof right / sizeof right[0]; i++) {
        const oplus_type type = {OPLUS_ABI, "t", right[i], 4, i == 3 || i == 5 ? 2 : 4, OPLUS_RECORD, NULL};
        assert_true(opi_layout(&type, m, 4) > 0);
    }
}

/* --- canonical NaN ------------------------------------------------------------------------------------------------ */

static const uint32_t odd_floats[] = {0x7fc00000, 0xffc00000, 0x7f800001, 0xff812345, 0x7fffffff, 0x7f800000,
                                      0xff800000, 0x80000000, 0x00000001, 0x3f800000, 0x807fffff, 0};
static const uint64_t odd_doubles[] = {0x7ff8000000000000, 0xfff8000000000000, 0x7ff0000000000001, 0xfff123456789abcd,
                                       0x7ff0000000000000, 0xfff0000000000000, 0x8000000000000000, 1,
                                       0x3ff0000000000000, 0x7fffffffffffffff, 0x000fffffffffffff, 0};
enum { ODD = 12 };

static uint32_t quiet_32(uint32_t u) { return (u & 0x7fffffff) > 0x7f800000 ? 0x7fc00000 : u; }
static uint64_t quiet_64(uint64_t u) { return u << 1 > 0xffe0000000000000 ? 0x7ff8000000000000 : u; }

static void quiet_scalars(void **state)
{
    (void)state;
    const opi_isa *isas[4];
    uint32_t f[1500];
    uint64_t d[1500];
    for (int k = opi_isa_list(isas) - 1; k >= 0; k--)
        for (size_t n = 0; n < 1500; n += n < 70 ? 1 : 137)
            for (size_t odd = 0; odd <= ODD; odd++) { /* one NaN or none among ones, then all of them */
                for (size_t i = 0; i < n; i++) {
                    const bool here = i == n * odd / (ODD + 1);
                    f[i] = odd == ODD ? odd_floats[i % ODD] : here ? odd_floats[odd] : 0x3f800000;
                    d[i] = odd == ODD ? odd_doubles[i % ODD] : here ? odd_doubles[odd] : 0x3ff0000000000000;
                }
                uint32_t ef[1500];
                uint64_t ed[1500];
                for (size_t i = 0; i < n; i++) {
                    ef[i] = quiet_32(f[i]);
                    ed[i] = quiet_64(d[i]);
                }
                isas[k]->quiet_f32((float *)f, n);
                isas[k]->quiet_f64((double *)d, n);
                assert_memory_equal(f, ef, n * sizeof f[0]);
                assert_memory_equal(d, ed, n * sizeof d[0]);
            }
}

/* A single NaN, at each place. */
static void quiet_finds_each(void **state)
{
    (void)state;
    enum { MOST = 1027 };
    const opi_isa *isas[4];
    uint32_t f[MOST];
    uint64_t d[MOST];
    for (int k = opi_isa_list(isas) - 1; k >= 0; k--)
        for (size_t n = 1; n <= MOST; n += n < 34 ? 1 : n < 255 ? 13 : n < 258 ? 1 : n < 511 ? 23 : n < 514 ? 1 : 513) {
            for (size_t i = 0; i < n; i++) {
                f[i] = 0x3f800000;
                d[i] = 0x3ff0000000000000;
            }
            for (size_t i = 0; i < n; i++) {
                f[i] = 0xffc00001;
                d[i] = 0xfff8000000000001;
                isas[k]->quiet_f32((float *)f, n);
                isas[k]->quiet_f64((double *)d, n);
                assert_int_equal(f[i], 0x7fc00000);
                assert_true(d[i] == 0x7ff8000000000000);
                f[i] = 0x3f800000;
                d[i] = 0x3ff0000000000000;
            }
            for (size_t i = 0; i < n; i++) assert_true(f[i] == 0x3f800000 && d[i] == 0x3ff0000000000000);
        }
}

static opi_quiet_mode mode_of(const oplus_type *type)
{
    const opi_isa *isa;
    opi_quiet plan;
    assert_int_equal(opi_isa_choose("test", &isa), OPLUS_OK);
    opi_quiet_plan(&plan, isa, type);
    return plan.mode;
}

static void quiet_structs(void **state)
{
    (void)state;
    assert_int_equal(mode_of(&oplus_f32), OPI_QUIET_F32);
    assert_int_equal(mode_of(&oplus_f64), OPI_QUIET_F64);
    assert_int_equal(mode_of(&oplus_u32), OPI_QUIET_NOTHING);
    assert_int_equal(mode_of(&pair_type), OPI_QUIET_F32);
    assert_int_equal(mode_of(&doubles_type), OPI_QUIET_F64);
    assert_int_equal(mode_of(&nested_type), OPI_QUIET_F32); /* the compiler's sample */
    assert_int_equal(mode_of(&bits_type), OPI_QUIET_NOTHING);
    assert_int_equal(mode_of(&mixed_type), OPI_QUIET_MEMBERS);

    /* Every byte is 0xff: the floats are NaNs, the integers -1. */
    mixed x[5];
    memset(x, 0xff, sizeof x);
    const opi_isa *isa;
    opi_quiet plan;
    assert_int_equal(opi_isa_choose("test", &isa), OPLUS_OK);
    opi_quiet_plan(&plan, isa, &mixed_type);
    opi_quiet_run(&plan, x, 4);
    for (int i = 0; i < 5; i++) {
        uint64_t u;
        uint32_t f;
        memcpy(&u, &x[i].x[2], sizeof u);
        memcpy(&f, &x[i].f, sizeof f);
        assert_true(u == (i < 4 ? 0x7ff8000000000000 : UINT64_MAX));
        assert_int_equal(f, i < 4 ? 0x7fc00000 : UINT32_MAX);
        assert_true(x[i].k == -1 && x[i].m == -1 && x[i].c[1][1] == 255 && x[i].u == UINT64_MAX);
    }
}

/* --- non-temporal copies ------------------------------------------------------------------------------------------ */

static void stream_copies(void **state)
{
    (void)state;
    const opi_isa *isas[4];
    unsigned char from[1024];
    fill(from, sizeof from, "stream");
    for (int k = opi_isa_list(isas) - 1; k >= 0; k--)
        for (size_t shift = 0; shift < 64; shift += shift < 4 ? 1 : 15)
            for (size_t bytes = 0; bytes < 600; bytes++) {
                guarded to = guarded_open(bytes, shift);
                isas[k]->stream(to.at, from + bytes % 7, bytes, bytes & 1 ? from : NULL);
                isas[k]->fence();
                assert_memory_equal(to.at, from + bytes % 7, bytes);
                guarded_close(&to, bytes);
            }
}

/* --- map ---------------------------------------------------------------------------------------------------------- */

OPLUS_MAP(next, uint32_t, uint32_t, { return a + 1; })
OPLUS_ZIP(axpy, float, float, float, { return 2.0f * a + b; })
OPLUS_ZIP_WITH(axpb, double, float, int32_t, pair, { return (double)a * (double)p.a + (double)b * (double)p.b; })
OPLUS_ZIP4(digits, uint16_t, uint8_t, uint8_t, uint8_t, uint8_t,
           { return (uint16_t)(a + 10 * b + 100 * c + 1000 * d); })

typedef struct sizes {
    size_t at[32], count;
} sizes;

/* Around the edges of pieces and blocks of elements of `size` bytes, and beyond the caches. */
static sizes sizes_for(size_t size)
{
    sizes s = {{0, 1, 2, 3, 7, 31, 32, 33, 64, 97, 1000, 4095, 4096, 4097, 65537, 262147}, 16};
    if (!test_quick()) s.at[s.count++] = ((size_t)8 << 20) / size + 13;
    return s;
}

static void map_on(oplus_device *dev, void *with)
{
    (void)with;
    const sizes s = sizes_for(4);
    const size_t most = s.at[s.count - 1];
    guarded a = guarded_open(most * 4, 0), b = guarded_open(most * 4, 0);
    fill(a.at, most * 4, "map a");
    fill(b.at, most * 4, "map b");
    const float *const x = (const float *)a.at;
    const int32_t *const y = (const int32_t *)b.at;
    const uint8_t *const u = a.at;
    const pair p = {0.5f, 3.0f};
    const oplus_fn bound = oplus_with(&axpb_fn, &p);
    for (size_t k = 0; k < s.count; k++) {
        const size_t n = s.at[k];
        guarded out = guarded_open(n * 8, n % 3 * 8);
        assert_int_equal(oplus_map(dev, &bound, (const void *[]){x, y}, n, out.at), OPLUS_OK);
        for (size_t i = 0; i < n; i++) { /* NaN inputs among the random bits give the canonical one */
            const double e = (double)x[i] * 0.5 + (double)y[i] * 3.0;
            uint64_t expected, got;
            memcpy(&expected, &e, 8);
            memcpy(&got, out.at + 8 * i, 8);
            assert_true(got == quiet_64(expected));
        }
        guarded_close(&out, n * 8);

        out = guarded_open(n * 2, 2);
        assert_int_equal(oplus_map(dev, &digits_fn, (const void *[]){u, u + n, u + 2 * n, u + 3 * n}, n, out.at),
                         OPLUS_OK);
        for (size_t i = 0; i < n; i++)
            assert_int_equal(((uint16_t *)out.at)[i],
                             (uint16_t)(u[i] + 10 * u[n + i] + 100 * u[2 * n + i] + 1000 * u[3 * n + i]));
        guarded_close(&out, n * 2);

        out = guarded_open(n * 4, 0); /* in place */
        memcpy(out.at, a.at, n * 4);
        assert_int_equal(oplus_map(dev, &next_fn, (const void *[]){out.at}, n, out.at), OPLUS_OK);
        for (size_t i = 0; i < n; i++) assert_int_equal(((uint32_t *)out.at)[i], ((uint32_t *)a.at)[i] + 1);
        guarded_close(&out, n * 4);

        out = guarded_open(n * 4, 4); /* the second input is the output */
        memcpy(out.at, b.at, n * 4);
        assert_int_equal(oplus_map(dev, &axpy_fn, (const void *[]){x, out.at}, n, out.at), OPLUS_OK);
        for (size_t i = 0; i < n; i++) {
            const float e = axpy(x[i], ((float *)b.at)[i]);
            uint32_t expected, got;
            memcpy(&expected, &e, 4);
            memcpy(&got, out.at + 4 * i, 4);
            assert_int_equal(got, quiet_32(expected));
        }
        guarded_close(&out, n * 4);
    }
    guarded_close(&a, most * 4);
    guarded_close(&b, most * 4);
}

static void map_is_the_loop(void **state)
{
    (void)state;
    everywhere(map_on, NULL);
}

static void map_speaks(void **state)
{
    (void)state;
    oplus_device *const dev = open_at("serial", NULL);
    float x[8] = {0}, y[8];
    const void *in[] = {x, x};
#define FAILS(call, status, word)                                                                                      \
    do {                                                                                                               \
        assert_int_equal(call, status);                                                                                \
        if (!strstr(oplus_last_error(), word)) fail_msg("\"%s\" does not name %s", oplus_last_error(), word);          \
    } while (0)
    FAILS(oplus_map(NULL, &axpy_fn, in, 8, y), OPLUS_ERR_ARGUMENT, "oplus_map: dev is NULL");
    FAILS(oplus_map(dev, NULL, in, 8, y), OPLUS_ERR_ARGUMENT, "oplus_map: fn is NULL");
    FAILS(oplus_map(dev, &axpy_fn, NULL, 8, y), OPLUS_ERR_ARGUMENT, "oplus_map: in is NULL");
    FAILS(oplus_map(dev, &axpy_fn, in, 8, NULL), OPLUS_ERR_ARGUMENT, "oplus_map: out is NULL");
    FAILS(oplus_map(dev, &axpy_fn, (const void *[]){x, NULL}, 8, y), OPLUS_ERR_ARGUMENT, "oplus_map: in[1] is NULL");
    FAILS(oplus_map(dev, &axpy_fn, in, SIZE_MAX / 4, y), OPLUS_ERR_ARGUMENT, "oplus_map: n is");
    FAILS(oplus_map(dev, &axpy_fn, in, 4, x + 2), OPLUS_ERR_OVERLAP, "oplus_map: in[0]");
    FAILS(oplus_map(dev, &axpb_fn, in, 4, y), OPLUS_ERR_ARGUMENT, "oplus_with(&axpb_fn");
    const oplus_fn bound = oplus_with(&axpb_fn, &(pair){1, 1});
    FAILS(oplus_map(dev, &bound, in, 4, x), OPLUS_ERR_OVERLAP, "oplus_map: in[0]");
    oplus_fn bad = axpy_fn;
    bad.arity = OPLUS_MAX_ARITY + 1;
    FAILS(oplus_map(dev, &bad, in, 4, y), OPLUS_ERR_ARGUMENT, "arity");
    bad = axpy_fn;
    bad.leaf = NULL;
    FAILS(oplus_map(dev, &bad, in, 4, y), OPLUS_ERR_ARGUMENT, "leaf");
    bad = axpy_fn;
    bad.input[1] = NULL;
    FAILS(oplus_map(dev, &bad, in, 4, y), OPLUS_ERR_ARGUMENT, "fn->input[1]");
    assert_int_equal(oplus_map(dev, &axpy_fn, (const void *[]){NULL, NULL}, 0, NULL), OPLUS_OK);
    oplus_close(dev);
}

/* --- filter ------------------------------------------------------------------------------------------------------- */

/* Elements of every size; their first byte decides whether they are kept. */
#define FOR_SIZES(X) X(1) X(2) X(3) X(4) X(5) X(6) X(8) X(12) X(16) X(20) X(24) X(32) X(40) X(48) X(64) X(100)
#define SIZED(N)                                                                                                       \
    OPLUS_STRUCT(bytes_##N, uint8_t b[N];)                                                                             \
    OPLUS_PREDICATE_WITH(below_##N, bytes_##N, uint8_t, { return a.b[0] < p; })
FOR_SIZES(SIZED)
#define SIZED_FN(N) &below_##N##_fn,
static const oplus_fn *const below[] = {FOR_SIZES(SIZED_FN)};
enum { ELEMENT_SIZES = sizeof below / sizeof below[0] };

static size_t filter_loop(const unsigned char *in, size_t n, size_t size, uint8_t limit, unsigned char *out)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (in[i * size] < limit) memcpy(out + kept++ * size, in + i * size, size);
    return kept;
}

typedef struct filter_case {
    const oplus_fn *keep;
    size_t size, n;
    uint8_t limit;
    const unsigned char *in;
    unsigned char *expected;
    size_t kept;
} filter_case;

static void filter_on(oplus_device *dev, void *with)
{
    const filter_case *const c = with;
    const oplus_fn keep = oplus_with(c->keep, &c->limit);
    const size_t bytes = c->n * c->size;
    size_t kept = 77;

    guarded out = guarded_open(c->kept * c->size, c->n % 2 * c->size); /* room for the kept ones only */
    assert_int_equal(oplus_filter(dev, &keep, c->in, c->n, out.at, &kept), OPLUS_OK);
    assert_int_equal(kept, c->kept);
    assert_memory_equal(out.at, c->expected, kept * c->size);
    guarded_close(&out, kept * c->size);

    out = guarded_open(bytes, 0); /* in place */
    memcpy(out.at, c->in, bytes);
    assert_int_equal(oplus_filter(dev, &keep, out.at, c->n, out.at, &kept), OPLUS_OK);
    assert_int_equal(kept, c->kept);
    assert_memory_equal(out.at, c->expected, kept * c->size);
    assert_memory_equal(out.at + kept * c->size, c->in + kept * c->size, bytes - kept * c->size);
    guarded_close(&out, bytes);
}

static void filter_is_the_loop(void **state)
{
    (void)state;
    static const uint8_t limits[] = {0, 1, 128, 255};
    for (size_t s = 0; s < ELEMENT_SIZES; s++) {
        filter_case c = {.keep = below[s], .size = below[s]->input[0]->size};
        const sizes n = sizes_for(c.size);
        const size_t most = n.at[n.count - 1];
        unsigned char *const in = must(malloc(most * c.size)), *const expected = must(malloc(most * c.size));
        c.in = in;
        c.expected = expected;
        for (int alternate = 0; alternate < 2; alternate++) {
            fill(in, most * c.size, "filter");
            for (size_t i = 0; i < most; i++) /* 255 would never be kept */
                in[i * c.size] = (unsigned char)(alternate ? (i % 2 ? 254 : 1) : in[i * c.size] % 255);
            for (size_t k = 0; k < n.count; k++)
                for (size_t l = alternate ? 2 : 0; l < (alternate ? 3 : 4); l++) {
                    if (n.at[k] * c.size > 4 << 20 && (c.size > 16 || l != 2)) continue;
                    c.n = n.at[k];
                    c.limit = limits[l];
                    c.kept = filter_loop(in, c.n, c.size, c.limit, expected);
                    everywhere(filter_on, &c);
                }
        }
        free(in);
        free(expected);
    }
}

OPLUS_MAP(parity, uint8_t, uint32_t, { return (uint8_t)(a & 1); })

static void filter_speaks(void **state)
{
    (void)state;
    oplus_device *const dev = open_at("serial", NULL);
    uint32_t x[8] = {1, 2, 3, 4, 5, 6, 7, 8}, y[8];
    const uint8_t limit = 4;
    const oplus_fn keep = oplus_with(&below_4_fn, &limit);
    size_t kept;
    FAILS(oplus_filter(NULL, &keep, x, 8, y, &kept), OPLUS_ERR_ARGUMENT, "oplus_filter: dev is NULL");
    FAILS(oplus_filter(dev, NULL, x, 8, y, &kept), OPLUS_ERR_ARGUMENT, "oplus_filter: keep is NULL");
    FAILS(oplus_filter(dev, &below_4_fn, x, 8, y, &kept), OPLUS_ERR_ARGUMENT, "oplus_with");
    FAILS(oplus_filter(dev, &next_fn, x, 8, y, &kept), OPLUS_ERR_ARGUMENT, "OPLUS_PREDICATE");
    FAILS(oplus_filter(dev, &axpy_fn, x, 8, y, &kept), OPLUS_ERR_ARGUMENT, "2 inputs");
    FAILS(oplus_filter(dev, &keep, NULL, 8, y, &kept), OPLUS_ERR_ARGUMENT, "oplus_filter: in is NULL");
    FAILS(oplus_filter(dev, &keep, x, 8, NULL, &kept), OPLUS_ERR_ARGUMENT, "oplus_filter: out is NULL");
    FAILS(oplus_filter(dev, &keep, x, 8, y, NULL), OPLUS_ERR_ARGUMENT, "oplus_filter: kept is NULL");
    FAILS(oplus_filter(dev, &keep, x, SIZE_MAX / 2, y, &kept), OPLUS_ERR_ARGUMENT, "oplus_filter: n is");
    FAILS(oplus_filter(dev, &keep, x, 4, x + 2, &kept), OPLUS_ERR_OVERLAP, "oplus_filter: in");
    assert_int_equal(oplus_filter(dev, &keep, NULL, 0, NULL, &kept), OPLUS_OK);
    assert_int_equal(kept, 0);
    assert_int_equal(oplus_filter(dev, &parity_fn, x, 8, y, &kept), OPLUS_OK); /* a map to 0 and 1 is a predicate */
    assert_int_equal(kept, 4);
    assert_int_equal(y[3], 7);
    oplus_close(dev);
}

/* --- transpose ---------------------------------------------------------------------------------------------------- */

typedef struct tall_or_wide {
    size_t size, rows, cols;
    const unsigned char *in;
    unsigned char *expected;
} tall_or_wide;

static void transpose_on(oplus_device *dev, void *with)
{
    const tall_or_wide *const m = with;
    const oplus_type type = {OPLUS_ABI, "bytes", NULL, m->size, 1, OPLUS_RECORD, NULL};
    const size_t bytes = m->rows * m->cols * m->size;
    guarded out = guarded_open(bytes, m->cols % 3 * m->size);
    assert_int_equal(oplus_transpose(dev, &type, m->in, m->rows, m->cols, out.at), OPLUS_OK);
    assert_memory_equal(out.at, m->expected, bytes);
    guarded_close(&out, bytes);
    if (m->rows != m->cols && m->rows > 1 && m->cols > 1) return;
    out = guarded_open(bytes, 0);
    memcpy(out.at, m->in, bytes);
    assert_int_equal(oplus_transpose(dev, &type, out.at, m->rows, m->cols, out.at), OPLUS_OK);
    assert_memory_equal(out.at, m->expected, bytes);
    guarded_close(&out, bytes);
}

static void transpose_is_the_loop(void **state)
{
    (void)state;
    static const size_t element[] = {1, 2, 3, 4, 5, 6, 8, 12, 16, 24, 32, 100, 200, 9000};
    static const size_t extents[][2] = {
        {0, 5},     {5, 0},     {1, 1},     {1, 37},   {37, 1},    {2, 2},    {3, 1000},  {1000, 3},
        {7, 13},    {16, 16},   {31, 33},   {32, 32},  {64, 64},   {65, 63},  {128, 128}, {129, 127},
        {100, 300}, {257, 257}, {700, 450}, {1, 5000}, {256, 512}, {2, 1001}, {1001, 2},  {4, 777},
        {777, 4},   {2, 3},     {3, 2},     {5, 333},  {333, 8},   {8, 40},   {9, 100}};
    static const size_t large[][2] = {{2, 1300001}, {1300001, 4}, {1499, 1501}, {1536, 1536},
                                      {3, 800000},  {800001, 3},  {1, 2300000}, {2048, 1024}};
    enum { EXTENTS = sizeof extents / sizeof extents[0], LARGE = sizeof large / sizeof large[0] };
    for (size_t e = 0; e < sizeof element / sizeof element[0]; e++)
        for (size_t k = 0; k < EXTENTS + LARGE; k++) {
            const size_t *const extent = k < EXTENTS ? extents[k] : large[k - EXTENTS];
            tall_or_wide m = {.size = element[e], .rows = extent[0], .cols = extent[1]};
            if (k >= EXTENTS && (test_quick() || (m.size != 4 && m.size != 8))) continue; /* beyond the caches */
            const size_t bytes = m.rows * m.cols * m.size;
            if (m.size > 16 && bytes > (8 << 20)) continue;
            unsigned char *const in = must(malloc(bytes + 1));
            m.in = in;
            m.expected = must(malloc(bytes + 1));
            fill(in, bytes, "transpose");
            for (size_t r = 0; r < m.rows; r++)
                for (size_t c = 0; c < m.cols; c++)
                    memcpy(m.expected + (c * m.rows + r) * m.size, in + (r * m.cols + c) * m.size, m.size);
            everywhere(transpose_on, &m);
            free(in);
            free(m.expected);
        }
}

/* A tile of a larger matrix, written by whole lines: nothing beside its columns is. */
static void lines_of(const opi_isa *isa, size_t size, size_t rows, size_t cols, size_t in_stride, size_t out_stride,
                     size_t shift)
{
    const size_t in_bytes = rows * in_stride * size, out_bytes = cols * out_stride * size;
    unsigned char *const in = must(malloc(in_bytes)), *const expected = must(malloc(out_bytes));
    char *const scratch = must(aligned_alloc(64, (opi_transpose_scratch(size, cols) + 63) / 64 * 64));
    guarded out = guarded_open(out_bytes, shift);
    fill(in, in_bytes, "lines");
    memset(expected, GUARD_BYTE, out_bytes);
    for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < cols; c++)
            memcpy(expected + (c * out_stride + r) * size, in + (r * in_stride + c) * size, size);
    isa->transpose_lines(in, in_stride, out.at, out_stride, rows, cols, size, scratch);
    isa->fence();
    if (memcmp(out.at, expected, out_bytes) != 0)
        fail_msg("%s: %zu x %zu elements of %zu bytes, strides %zu and %zu, %zu bytes after a line", isa->name, rows,
                 cols, size, in_stride, out_stride, shift);
    guarded_close(&out, out_bytes);
    free(scratch);
    free(expected);
    free(in);
}

static void lines_are_the_loop(void **state)
{
    (void)state;
    static const size_t element[] = {1, 2, 3, 4, 5, 8, 12, 16, 24, 40, 63, 64, 100};
    static const size_t extent[] = {1, 7, 16, 17, 63, 64, 65, 130};
    enum { EXTENTS = sizeof extent / sizeof extent[0] };
    const opi_isa *isas[4];
    const int count = opi_isa_list(isas);
    for (int k = 0; k < count; k++)
        for (size_t e = 0; e < sizeof element / sizeof element[0]; e++)
            for (size_t i = 0; i < EXTENTS * EXTENTS; i++) {
                const size_t size = element[e], rows = extent[i / EXTENTS], cols = extent[i % EXTENTS];
                const size_t crowded = opi_larger(cols, 4096 / size); /* rows that crowd a set of a cache */
                const size_t whole = (rows + 63) / 64 * 64; /* columns of whole lines, where size is a power of two */
                lines_of(isas[k], size, rows, cols, cols, rows, 0);
                lines_of(isas[k], size, rows, cols, cols + 1, whole, 0);
                lines_of(isas[k], size, rows, cols, crowded, whole, 0);
                lines_of(isas[k], size, rows, cols, cols, rows + 5, size % 64);
                lines_of(isas[k], size, rows, cols, crowded, rows + 1, 17);
            }
}

static void transpose_speaks(void **state)
{
    (void)state;
    oplus_device *const dev = open_at("serial", NULL);
    float x[12] = {0}, y[12];
    FAILS(oplus_transpose(NULL, &oplus_f32, x, 3, 4, y), OPLUS_ERR_ARGUMENT, "oplus_transpose: dev is NULL");
    FAILS(oplus_transpose(dev, NULL, x, 3, 4, y), OPLUS_ERR_ARGUMENT, "oplus_transpose: type is NULL");
    FAILS(oplus_transpose(dev, &oplus_f32, NULL, 3, 4, y), OPLUS_ERR_ARGUMENT, "oplus_transpose: in is NULL");
    FAILS(oplus_transpose(dev, &oplus_f32, x, 3, 4, NULL), OPLUS_ERR_ARGUMENT, "oplus_transpose: out is NULL");
    FAILS(oplus_transpose(dev, &oplus_f32, x, SIZE_MAX / 4, 5, y), OPLUS_ERR_ARGUMENT, "oplus_transpose: rows");
    FAILS(oplus_transpose(dev, &oplus_f32, x, 3, 4, x), OPLUS_ERR_OVERLAP, "square");
    FAILS(oplus_transpose(dev, &oplus_f32, x, 2, 2, x + 1), OPLUS_ERR_OVERLAP, "overlap");
    assert_int_equal(oplus_transpose(dev, &oplus_f32, NULL, 0, 4, NULL), OPLUS_OK);
    oplus_close(dev);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layout_reads_members),  cmocka_unit_test(layout_knows_what_it_does_not_know),
        cmocka_unit_test(quiet_scalars),         cmocka_unit_test(quiet_finds_each),
        cmocka_unit_test(quiet_structs),         cmocka_unit_test(stream_copies),
        cmocka_unit_test(map_is_the_loop),       cmocka_unit_test(map_speaks),
        cmocka_unit_test(filter_is_the_loop),    cmocka_unit_test(filter_speaks),
        cmocka_unit_test(transpose_is_the_loop), cmocka_unit_test(lines_are_the_loop),
        cmocka_unit_test(transpose_speaks),
    };
    return cmocka_run_group_tests_name("move", tests, NULL, NULL);
}
