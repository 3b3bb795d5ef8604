/* The leaves of every built-in operator on every instruction set of this machine, against the generic loops of
 * oplus/leaf.h and the plain definition, bit for bit. */
#include "support/laws.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cores/builtin.h"
#include "cores/isa.h"

enum { MOST_BYTES = 16, MOST_LEVEL = 12, MOST = (1 << MOST_LEVEL) + 64, GUARD = 0xa5 };

/* --- the generic loops of every built-in, from the same bodies ------------------------------------------------- */

#define GENERIC(op, suffix, T, identity, flags, ...) GENERIC_(op##_##suffix, T, __VA_ARGS__)
#define GENERIC_(name, T, ...)                                                                                         \
    OPLUS_FN_(T, name, (T a, T b), __VA_ARGS__)                                                                        \
    OPLUS_TYPED_LEAVES_(name, T)
OPI_FOR_BODIES(GENERIC)

typedef struct pair {
    const oplus_op *op;
    const oplus_leaves *generic;
} pair;

static const pair pairs[OPI_BUILTINS] = {
#define PAIR(op, suffix, T, identity, flags, ...) PAIR_(op##_##suffix)
#define PAIR_(name)                               [OPI_BUILTIN_##name] = {&oplus_##name, &oplus_##name##_leaves_},
    OPI_FOR_BODIES(PAIR)};

/* --- elements -------------------------------------------------------------------------------------------------- */

/* Size of a floating-point member, 0 of an integer. */
static size_t float_bytes(const oplus_type *type)
{
    if (type->scalar == OPLUS_F32 || type->scalar == OPLUS_F64) return type->size;
    return type->scalar == OPLUS_RECORD ? type->size / 2 : 0;
}

typedef enum flavour { TAME, WILD, FLAVOURS } flavour; /* WILD: any bits, many NaNs, zeros and denormals */

static void random_float(rng *random, flavour kind, size_t bytes, void *out)
{
    static const float special[] = {0.0f, -0.0f, 1.0f, -1.0f, 1e-42f, -1e-42f, 3e38f, -3e38f};
    const uint64_t bits = rng_next(random);
    double x = ((double)(bits >> 11) * 0x1p-53 - 0.5) * ((bits & 7) ? 4.0 : 1e20);
    if (kind == WILD && bits % 3 == 0) x = (double)special[(bits >> 8) % 8];
    if (kind == WILD && bits % 61 == 0)
        x = (bits & 64 ? 1.0 : -1.0) * (bits & 128 ? __builtin_inf() : __builtin_nan(""));
    if (bytes == 8) {
        memcpy(out, &x, 8);
    } else {
        const float y = (float)x;
        memcpy(out, &y, 4);
    }
}

static void random_elements(rng *random, flavour kind, const oplus_type *type, size_t n, unsigned char *out)
{
    const size_t bytes = float_bytes(type), step = bytes ? bytes : type->size;
    for (size_t at = 0; at < n * type->size; at += step) {
        if (bytes) {
            random_float(random, kind, bytes, out + at);
        } else {
            uint64_t x = rng_next(random);
            if (kind == WILD) x = x % 3 ? x | 1 : x & (x >> 8 & 1);
            memcpy(out + at, &x, step);
        }
    }
}

/* A head about every `spacing` elements, of any value but 0. */
static void random_heads(rng *random, unsigned spacing, size_t n, uint8_t *heads)
{
    for (size_t i = 0; i < n; i++) {
        const uint64_t x = rng_next(random);
        heads[i] = (x >> 32) % spacing == 0 ? (uint8_t)(x | 1) : 0;
    }
}

/* Makes all NaNs the same, as the callers of leaves do. */
static void quiet(const oplus_type *type, size_t n, unsigned char *x)
{
    const size_t bytes = float_bytes(type);
    if (!bytes) return;
    for (size_t at = 0; at < n * type->size; at += bytes) {
        float f;
        double d;
        if (bytes == 4 && (memcpy(&f, x + at, 4), f != f)) memcpy(x + at, &(float){__builtin_nanf("")}, 4);
        if (bytes == 8 && (memcpy(&d, x + at, 8), d != d)) memcpy(x + at, &(double){__builtin_nan("")}, 8);
    }
}

static void expect_same(const char *what, const opi_isa *isa, const oplus_op *op, size_t n, unsigned char *got,
                        unsigned char *want, size_t count)
{
    const size_t size = op->type->size;
    quiet(op->type, count, got);
    quiet(op->type, count, want);
    for (size_t i = 0; i < count; i++)
        if (memcmp(got + i * size, want + i * size, size) != 0) {
            char text[2][2 * MOST_BYTES + 1] = {"", ""};
            for (size_t k = 0; k < size; k++) {
                sprintf(text[0] + 2 * k, "%02x", got[i * size + k]);
                sprintf(text[1] + 2 * k, "%02x", want[i * size + k]);
            }
            fail_msg("%s of %s on %s, n = %zu: element %zu has the bytes %s, should have %s (seed %llu)", what,
                     op->name, isa->name, n, i, text[0], text[1], (unsigned long long)test_seed());
        }
}

/* --- buffers: a misaligned input, what is wanted, what comes out ----------------------------------------------- */

static unsigned char in_room[MOST * MOST_BYTES + 64], out_room[MOST * MOST_BYTES + 64];
static unsigned char wanted[MOST * MOST_BYTES];
static uint8_t heads_room[MOST + 64];

/* Where a leaf writes: in its input, or in memory of its own that begins with a guard pattern. */
static unsigned char *target(bool in_place, unsigned char *in, unsigned shift, size_t bytes)
{
    if (in_place) return in;
    memset(out_room, GUARD, bytes + 96);
    return out_room + 32 + shift;
}

static void expect_guard(const char *what, const opi_isa *isa, const oplus_op *op, const unsigned char *out,
                         size_t bytes)
{
    for (size_t i = 1; i <= 16; i++)
        if (out[-(ptrdiff_t)i] != GUARD || out[bytes + i - 1] != GUARD)
            fail_msg("%s of %s on %s writes outside its %zu bytes", what, op->name, isa->name, bytes);
}

/* --- blocks of the canonical tree ------------------------------------------------------------------------------ */

static void check_block(rng *random, const opi_isa *isa, const pair *s, unsigned level, flavour kind, bool heads,
                        bool exclusive, bool in_place)
{
    const oplus_op *op = s->op;
    const oplus_leaves *leaves = &isa->builtin[op->builtin - 1].tree;
    const size_t n = (size_t)1 << level, size = op->type->size, written = exclusive ? n : n - 1;
    const unsigned shift = (unsigned)(rng_next(random) % (16 / op->type->align)) * (unsigned)op->type->align;
    _Alignas(16) unsigned char before[MOST_BYTES], node[2][MOST_BYTES];
    unsigned char *const x = in_room + 32 + shift;
    uint8_t *const h = heads_room + rng_next(random) % 16;
    uint8_t head[2] = {0, 0};

    random_elements(random, kind, op->type, n, x);
    random_elements(random, kind, op->type, 1, before);
    random_heads(random, heads ? 1u + (unsigned)(rng_next(random) % (2 * n)) : UINT32_MAX, n, h);

    if (heads)
        s->generic->segscan(x, h, level, exclusive, before, op->identity, wanted, node[0], &head[0]);
    else
        s->generic->scan(x, level, exclusive, before, wanted, node[0]);
    if (!heads) {
        leaves->node(x, level, node[1]);
        expect_same("the node", isa, op, n, node[1], node[0], 1);
    }
    unsigned char *const out = target(in_place, x, shift, n * size);
    if (heads)
        leaves->segscan(x, h, level, exclusive, before, op->identity, out, node[1], &head[1]);
    else
        leaves->scan(x, level, exclusive, before, out, node[1]);

    const char *const what = heads ? "segscan of a block" : "scan of a block";
    if (!in_place) expect_guard(what, isa, op, out, n * size);
    expect_same(what, isa, op, n, out, wanted, written);
    expect_same("the node beside a scan", isa, op, n, node[1], node[0], 1);
    assert_int_equal(head[0] != 0, head[1] != 0);
}

/* A run is a scan of a block that is cut short, and the nodes of its elements. */
static void check_run(rng *random, const opi_isa *isa, const pair *s, size_t n, flavour kind, bool exclusive,
                      bool in_place)
{
    const oplus_op *op = s->op;
    const oplus_leaves *leaves = &isa->builtin[op->builtin - 1].tree;
    const size_t size = op->type->size, written = exclusive || !(n & (n - 1)) ? n - !exclusive : n;
    unsigned char *const x = in_room + 32;
    unsigned char before[MOST_BYTES], node[MOST_BYTES], nodes[(OPLUS_RUN_LEVEL + 1) * MOST_BYTES];
    unsigned level = 0;
    while ((size_t)1 << level < n) level++;
    random_elements(random, kind, op->type, (size_t)1 << level, x);
    random_elements(random, kind, op->type, 1, before);
    s->generic->scan(x, level, exclusive, before, wanted, node);
    unsigned char *const out = target(in_place, x, 0, n * size);
    unsigned char *const copy = in_place ? memcpy(out_room, x, n * size) : x;
    leaves->run(x, n, exclusive, before, op->identity, out, nodes);
    if (!in_place) expect_guard("a run", isa, op, out, n * size);
    expect_same("a run", isa, op, n, out, wanted, written);
    for (size_t rest = n, at = 0, j = 0; rest > 0; j++) {
        for (level = 0; (size_t)2 << level <= rest; level++) {
        }
        s->generic->node(copy + at * size, level, node);
        expect_same("a node of a run", isa, op, n, nodes + j * size, node, 1);
        at += (size_t)1 << level;
        rest -= (size_t)1 << level;
    }
}

/* Where nothing precedes; on numbers whose sums are exact. */
static void check_first_run(const opi_isa *isa, size_t n, bool exclusive)
{
    const oplus_leaves *leaves = &isa->builtin[OPI_BUILTIN_sum_f32].tree;
    float x[200], out[200], nodes[OPLUS_RUN_LEVEL + 1], sum = 0;
    const float identity = 1000; /* enters no sum */
    for (size_t i = 0; i < n; i++) x[i] = (float)(i % 7 + 1);
    leaves->run(x, n, exclusive, NULL, &identity, out, nodes);
    for (size_t i = 0; i < n; i++) {
        const float want = exclusive ? i ? sum : identity : sum + x[i];
        if (out[i] != want) fail_msg("a first run of %zu on %s: element %zu is wrong", n, isa->name, i);
        sum += x[i];
    }
}

static void runs(void **state)
{
    (void)state;
    const opi_isa *list[4];
    const int count = opi_isa_list(list);
    rng random = test_rng("runs");
    int operators = 0;
    for (int i = 0; i < count; i++) {
        for (int b = 0; b < OPI_BUILTINS; b++) {
            if (!list[i]->builtin[b].tree.run) continue;
            operators++;
            for (size_t n = 1; n <= 256; n += n < 70 ? 1 : 31)
                for (unsigned way = 0; way < 8; way++)
                    check_run(&random, list[i], &pairs[b], n, (flavour)(way & 1), way & 2, way & 4);
        }
        for (size_t n = 1; n <= 200; n++)
            for (int exclusive = 0; exclusive < 2; exclusive++) check_first_run(list[i], n, exclusive);
    }
    assert_int_equal(operators, count * 8);
}

static void blocks(void **state)
{
    (void)state;
    const opi_isa *list[4];
    const int count = opi_isa_list(list);
    rng random = test_rng("blocks");
    for (int i = 0; i < count; i++)
        for (int b = 0; b < OPI_BUILTINS; b++)
            for (unsigned level = 0; level <= OPLUS_LEAF_LEVEL(pairs[b].op->type->size); level++)
                for (unsigned way = 0; way < 16; way++)
                    check_block(&random, list[i], &pairs[b], level, (flavour)(way & 1), way & 2, way & 4, way & 8);
}

/* --- exact operators: any n, anywhere -------------------------------------------------------------------------- */

/* The plain definition; returns what precedes x[n] in carry. */
static void define(const oplus_op *op, const unsigned char *x, const uint8_t *heads, size_t n, bool exclusive,
                   unsigned char *carry, unsigned char *out)
{
    const size_t size = op->type->size;
    for (size_t i = 0; i < n; i++) {
        const bool head = heads && heads[i];
        if (exclusive) memcpy(out + i * size, head ? op->identity : carry, size);
        if (head)
            memcpy(carry, x + i * size, size);
        else
            op->combine(carry, carry, x + i * size);
        if (!exclusive) memcpy(out + i * size, carry, size);
    }
}

static void check_exact(rng *random, const opi_isa *isa, const pair *s, size_t n, flavour kind, bool heads,
                        bool exclusive, bool in_place)
{
    const oplus_op *op = s->op;
    const opi_builtin *leaves = &isa->builtin[op->builtin - 1];
    const size_t size = op->type->size;
    const unsigned shift = (unsigned)(rng_next(random) % (16 / op->type->align)) * (unsigned)op->type->align;
    _Alignas(16) unsigned char first[MOST_BYTES], carry[2][MOST_BYTES];
    unsigned char *const x = in_room + 32 + shift;
    uint8_t *const h = heads_room + rng_next(random) % 16;

    random_elements(random, kind, op->type, n, x);
    random_elements(random, kind, op->type, 1, first);
    random_heads(random, 1u + (unsigned)(rng_next(random) % (2 * n + 1)), n, h);
    memcpy(carry[0], first, size);
    define(op, x, heads ? h : NULL, n, exclusive, carry[0], wanted);

    if (!heads) {
        memcpy(carry[1], first, size);
        leaves->reduce(x, n, carry[1]);
        expect_same("reduce", isa, op, n, carry[1], carry[0], 1);
    }
    unsigned char *const out = target(in_place, x, shift, n * size);
    memcpy(carry[1], first, size);
    if (heads)
        leaves->segscan(x, h, n, exclusive, carry[1], out);
    else
        leaves->scan(x, n, exclusive, carry[1], out);
    const char *const what = heads ? "segscan" : "scan";
    if (!in_place) expect_guard(what, isa, op, out, n * size);
    expect_same(what, isa, op, n, out, wanted, n);
    expect_same("the carry of a scan", isa, op, n, carry[1], carry[0], 1);
}

static void exact(void **state)
{
    (void)state;
    const opi_isa *list[4];
    const int count = opi_isa_list(list);
    rng random = test_rng("exact");
    int operators = 0;
    for (int i = 0; i < count; i++)
        for (int b = 0; b < OPI_BUILTINS; b++) {
            if (!list[i]->builtin[b].reduce) continue;
            operators++;
            for (size_t n = 0; n <= 300; n += n < 70 ? 1 : 23)
                for (unsigned way = 0; way < 16; way++)
                    check_exact(&random, list[i], &pairs[b], n, (flavour)(way & 1), way & 2, way & 4, way & 8);
        }
    assert_int_equal(operators, count * (OPI_BUILTINS - 8));
}

/* --- the descriptors ------------------------------------------------------------------------------------------- */

static void descriptors(void **state)
{
    (void)state;
    rng random = test_rng("descriptors");
    for (int b = 0; b < OPI_BUILTINS; b++) {
        const oplus_op *op = pairs[b].op;
        assert_int_equal(op->builtin, b + 1);
        assert_non_null(op->text);
        assert_non_null(op->leaves);
        assert_true(op->flags & OPLUS_COMMUTATIVE);
        _Alignas(16) unsigned char x[2][MOST_BYTES], joined[2][MOST_BYTES];
        for (int trial = 0; trial < 200; trial++) {
            random_elements(&random, (flavour)(trial & 1), op->type, 2, in_room);
            memcpy(x[0], in_room, op->type->size);
            memcpy(x[1], in_room + op->type->size, op->type->size);
            op->combine(joined[0], x[0], x[1]);
            op->combine(joined[1], x[1], x[0]);
            quiet(op->type, 1, joined[0]);
            quiet(op->type, 1, joined[1]);
            assert_memory_equal(joined[0], joined[1], op->type->size);
            /* The identity does not change anything that has been joined already. */
            op->combine(joined[1], op->identity, joined[0]);
            quiet(op->type, 1, joined[1]);
            if (!float_bytes(op->type) || (op->flags & OPLUS_EXACT))
                assert_memory_equal(joined[0], joined[1], op->type->size);
        }
    }
}

static void rules_of_minimum_and_maximum(void **state)
{
    (void)state;
    const float nan = __builtin_nanf(""), inf = __builtin_inff();
    const struct {
        float a, b, least, most;
    } rows[] = {{1, 2, 1, 2},       {-0.0f, 0.0f, -0.0f, 0.0f}, {0.0f, 0.0f, 0.0f, 0.0f}, {-0.0f, -0.0f, -0.0f, -0.0f},
                {nan, 1, nan, nan}, {-inf, nan, nan, nan},      {inf, -inf, -inf, inf},   {-3, -3, -3, -3}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        float want[2] = {rows[i].least, rows[i].most}, got[2];
        oplus_min_f32.combine(&got[0], &rows[i].a, &rows[i].b);
        oplus_max_f32.combine(&got[1], &rows[i].a, &rows[i].b);
        quiet(&oplus_f32, 2, (unsigned char *)got);
        quiet(&oplus_f32, 2, (unsigned char *)want);
        assert_memory_equal(got, want, sizeof got);
    }
}

/* --- the choice by OPLUS_ISA ----------------------------------------------------------------------------------- */

static void choice(void **state)
{
    (void)state;
    const opi_isa *list[4];
    const int count = opi_isa_list(list);
    assert_in_range(count, 1, 4);
    const opi_isa *isa;
    for (int i = 0; i < count; i++) {
        setenv("OPLUS_ISA", list[i]->name, 1);
        assert_int_equal(opi_isa_choose("test", &isa), OPLUS_OK);
        assert_ptr_equal(isa, list[i]);
    }
    unsetenv("OPLUS_ISA");
    assert_int_equal(opi_isa_choose("test", &isa), OPLUS_OK);
    assert_ptr_equal(isa, list[count - 1]);
    setenv("OPLUS_ISA", "avx1024", 1);
    assert_int_equal(opi_isa_choose("test", &isa), OPLUS_ERR_ARGUMENT);
    assert_non_null(strstr(oplus_last_error(), "OPLUS_ISA"));
    assert_non_null(strstr(oplus_last_error(), "avx1024"));
    assert_non_null(strstr(oplus_last_error(), list[0]->name));
    setenv("OPLUS_ISA", strcmp(list[0]->name, "neon") ? "neon" : "avx2", 1);
    assert_int_equal(opi_isa_choose("test", &isa), OPLUS_ERR_UNSUPPORTED);
    unsetenv("OPLUS_ISA");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(descriptors), cmocka_unit_test(rules_of_minimum_and_maximum),
        cmocka_unit_test(choice),      cmocka_unit_test(blocks),
        cmocka_unit_test(runs),        cmocka_unit_test(exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
