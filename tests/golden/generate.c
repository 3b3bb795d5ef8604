/* Writes the golden values of tree v1, tests/golden/tree-v1.txt, to standard output:
 *
 *     cc -std=c11 -O2 -ffp-contract=off tests/golden/generate.c -o generate && ./generate > tests/golden/tree-v1.txt
 *
 * It is the definition of docs/tree-v1.md written down once more, by recursion and without a thought of speed, and
 * shares no code with the library. */
#include "data.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* --- the operators, defined anew ------------------------------------------------------------------------------- */

#define OP(op, type, T, expression)                                                                                    \
    static T op##_##type(T a, T b) { return expression; }
OP(sum, f32, float, a + b)
OP(sum, f64, double, a + b)
OP(prod, f32, float, a *b)
OP(prod, f64, double, a *b)
OP(sum, u8, uint8_t, (uint8_t)(a + b))
OP(sum, i32, int32_t, (int32_t)((uint32_t)a + (uint32_t)b))
OP(sum, u64, uint64_t, a + b)
OP(prod, u32, uint32_t, a *b)
OP(max, i16, int16_t, a > b ? a : b)
OP(xor, u64, uint64_t, a ^ b)
OP(third, f32, float, a *b / 3)
OP(plus0, f32, float, a + 0.0f + b)

/* NaN wherever there is one; -0 is less than +0. */
static bool less(double a, double b) { return a < b || (a == b && signbit(a) && !signbit(b)); }
OP(min, f32, float, isnan(a) ? a : isnan(b) ? b : less((double)a, (double)b) ? a : b)
OP(max, f32, float, isnan(a) ? a : isnan(b) ? b : less((double)a, (double)b) ? b : a)
OP(min, f64, double, isnan(a) ? a : isnan(b) ? b : less(a, b) ? a : b)
OP(max, f64, double, isnan(a) ? a : isnan(b) ? b : less(a, b) ? b : a)

OP(sum, c64, golden_c64, ((golden_c64){a.re + b.re, a.im + b.im}))
OP(sum, c128, golden_c128, ((golden_c128){a.re + b.re, a.im + b.im}))
OP(prod, c64, golden_c64, ((golden_c64){a.re * b.re - a.im * b.im, a.re *b.im + a.im *b.re}))
OP(prod, c128, golden_c128, ((golden_c128){a.re * b.re - a.im * b.im, a.re *b.im + a.im *b.re}))
OP(affine, f32, golden_affine32, ((golden_affine32){a.a * b.a, a.b *b.a + b.b}))
OP(affine, f64, golden_affine64, ((golden_affine64){a.a * b.a, a.b *b.a + b.b}))
OP(matrix, u32, golden_matrix,
   ((golden_matrix){{a.m[0] * b.m[0] + a.m[1] * b.m[2], a.m[0] * b.m[1] + a.m[1] * b.m[3],
                     a.m[2] * b.m[0] + a.m[3] * b.m[2], a.m[2] * b.m[1] + a.m[3] * b.m[3]}}))

/* What precedes the first element in an exclusive scan. */
static const float sum_f32_identity = 0, prod_f32_identity = 1, min_f32_identity = INFINITY,
                   max_f32_identity = -INFINITY, third_f32_identity = 3, plus0_f32_identity = 0;
static const double sum_f64_identity = 0, prod_f64_identity = 1, min_f64_identity = INFINITY,
                    max_f64_identity = -INFINITY;
static const golden_c64 sum_c64_identity = {0, 0}, prod_c64_identity = {1, 0};
static const golden_c128 sum_c128_identity = {0, 0}, prod_c128_identity = {1, 0};
static const uint8_t sum_u8_identity = 0;
static const int32_t sum_i32_identity = 0;
static const uint64_t sum_u64_identity = 0, xor_u64_identity = 0;
static const uint32_t prod_u32_identity = 1;
static const int16_t max_i16_identity = INT16_MIN;
static const golden_affine32 affine_f32_identity = {1, 0};
static const golden_affine64 affine_f64_identity = {1, 0};
static const golden_matrix matrix_u32_identity = {{1, 0, 0, 1}};

/* --- any element ----------------------------------------------------------------------------------------------- */

enum { LARGEST = 16 };

/* A value and whether a segment starts in what it stands for. */
typedef struct item {
    bool head;
    _Alignas(16) unsigned char value[LARGEST];
} item;

typedef struct row {
    const char *op, *type, *data;
    size_t size, member; /* bytes of an element, and of each of its members */
    bool floating;
    const void *identity;
    void (*combine)(void *out, const void *a, const void *b);
    void (*element)(uint64_t i, void *out);
} row;

#define COMBINE(op, type, T)                                                                                           \
    static void op##_##type##_combine(void *out, const void *a, const void *b)                                         \
    {                                                                                                                  \
        *(T *)out = op##_##type(*(const T *)a, *(const T *)b);                                                         \
    }
COMBINE(sum, f32, float)
COMBINE(sum, f64, double)
COMBINE(sum, c64, golden_c64)
COMBINE(sum, c128, golden_c128)
COMBINE(prod, f32, float)
COMBINE(prod, f64, double)
COMBINE(prod, c64, golden_c64)
COMBINE(prod, c128, golden_c128)
COMBINE(min, f32, float)
COMBINE(min, f64, double)
COMBINE(max, f32, float)
COMBINE(max, f64, double)
COMBINE(sum, u8, uint8_t)
COMBINE(sum, i32, int32_t)
COMBINE(sum, u64, uint64_t)
COMBINE(prod, u32, uint32_t)
COMBINE(max, i16, int16_t)
COMBINE(xor, u64, uint64_t)
COMBINE(affine, f32, golden_affine32)
COMBINE(affine, f64, golden_affine64)
COMBINE(matrix, u32, golden_matrix)
COMBINE(third, f32, float)
COMBINE(plus0, f32, float)

#define ELEMENT(op, type, data, T)                                                                                     \
    static void op##_##type##_##data##_element(uint64_t i, void *out) { *(T *)out = op##_##type##_##data(i); }
GOLDEN_BUILTIN_ROWS(ELEMENT)
GOLDEN_OWN_ROWS(ELEMENT)

enum { FLOATING_f32 = 1, FLOATING_f64 = 1, FLOATING_c64 = 1, FLOATING_c128 = 1 };
enum { FLOATING_u8 = 0, FLOATING_i16 = 0, FLOATING_i32 = 0, FLOATING_u32 = 0, FLOATING_u64 = 0 };
enum { MEMBER_u8 = 1, MEMBER_i16 = 2, MEMBER_i32 = 4, MEMBER_u32 = 4, MEMBER_u64 = 8 };
enum { MEMBER_f32 = 4, MEMBER_f64 = 8, MEMBER_c64 = 4, MEMBER_c128 = 8 };
#define ROW(op, type, data, T)                                                                                         \
    {#op,                                                                                                              \
     #type,                                                                                                            \
     #data,                                                                                                            \
     sizeof(T),                                                                                                        \
     MEMBER_##type,                                                                                                    \
     FLOATING_##type,                                                                                                  \
     &op##_##type##_identity,                                                                                          \
     op##_##type##_combine,                                                                                            \
     op##_##type##_##data##_element},
static const row rows[] = {GOLDEN_BUILTIN_ROWS(ROW) GOLDEN_OWN_ROWS(ROW)};

/* --- the tree ---------------------------------------------------------------------------------------------------- */

/* (f,s) (+) (g,t) = (f|g, g ? t : s (+) t); without heads, the operator itself. */
static item join(const row *r, const item *a, const item *b)
{
    item out = *b;
    if (!b->head) r->combine(out.value, a->value, b->value);
    out.head = a->head || b->head;
    return out;
}

/* N(k,i) = N(k-1,2i) (+) N(k-1,2i+1), N(0,i) = x[i] */
static item node(const row *r, const item *x, unsigned k, size_t i)
{
    if (k == 0) return x[i];
    const item a = node(r, x, k - 1, 2 * i), b = node(r, x, k - 1, 2 * i + 1);
    return join(r, &a, &b);
}

/* prefix[m] = P(m) = P(q) (+) N(k, q / 2^k) for m = 1 ... n, q = m without its lowest set bit 2^k; P(0) = init, or
 * absent */
static void prefixes(const row *r, const item *init, const item *x, size_t n, item *prefix)
{
    for (size_t m = 1; m <= n; m++) {
        const size_t q = m & (m - 1);
        unsigned k = 0;
        while (!(m >> k & 1)) k++;
        const item last = node(r, x, k, q >> k);
        const item *const before = q > 0 ? &prefix[q] : init;
        prefix[m] = before ? join(r, before, &last) : last;
    }
}

/* --- writing ------------------------------------------------------------------------------------------------------ */

/* A NaN in a result is the positive quiet one without payload. */
static void canonical(const row *r, unsigned char *value)
{
    for (size_t at = 0; r->floating && at < r->size; at += r->member) {
        const uint32_t narrow = 0x7fc00000u;
        const uint64_t wide = 0x7ff8000000000000u;
        float f;
        double d;
        if (r->member == 4 && (memcpy(&f, value + at, 4), isnan(f))) memcpy(value + at, &narrow, 4);
        if (r->member == 8 && (memcpy(&d, value + at, 8), isnan(d))) memcpy(value + at, &wide, 8);
    }
}

/* The members as hexadecimal numbers, "3f800000,00000000". */
static void write_value(const row *r, item value)
{
    canonical(r, value.value);
    for (size_t at = 0; at < r->size; at += r->member) {
        printf("%s", at ? "," : " ");
        for (size_t byte = r->member; byte-- > 0;) printf("%02x", value.value[at + byte]);
    }
}

static uint64_t add(const row *r, uint64_t hash, item value)
{
    canonical(r, value.value);
    return golden_hash(hash, value.value, r->size);
}

/* Checksums of the inclusive and the exclusive (segmented) scan whose prefixes are given. */
static void write_scans(const row *r, const item *x, const item *prefix, size_t n)
{
    item identity = {0};
    memcpy(identity.value, r->identity, r->size);
    uint64_t inclusive = GOLDEN_HASH_START, exclusive = GOLDEN_HASH_START;
    for (size_t i = 0; i < n; i++) {
        inclusive = add(r, inclusive, prefix[i + 1]);
        exclusive = add(r, exclusive, i == 0 || x[i].head ? identity : prefix[i]);
    }
    printf(" %016llx %016llx", (unsigned long long)inclusive, (unsigned long long)exclusive);
}

/* Checksum of the reduces of the segments, each on its own. */
static void write_segments(const row *r, item *x, size_t n, item *prefix)
{
    uint64_t hash = GOLDEN_HASH_START;
    for (size_t begin = 0, end; begin < n; begin = end) {
        for (end = begin + 1; end < n && !golden_head(end);) end++;
        prefixes(r, NULL, x + begin, end - begin, prefix);
        hash = add(r, hash, prefix[end - begin]);
    }
    printf(" %016llx", (unsigned long long)hash);
}

static void write_line(const row *r, size_t n, item *x, item *prefix)
{
    item init = {0};
    r->element(n, init.value);
    for (size_t i = 0; i < n; i++) {
        x[i] = (item){0};
        r->element(i, x[i].value);
    }
    printf("%s %s %s %zu", r->op, r->type, r->data, n);

    prefixes(r, &init, x, n, prefix);
    const item fold = prefix[n];
    prefixes(r, NULL, x, n, prefix);
    write_value(r, prefix[n]);
    write_value(r, fold);
    write_scans(r, x, prefix, n);

    for (size_t i = 0; i < n; i++) x[i].head = golden_head(i);
    prefixes(r, NULL, x, n, prefix);
    write_scans(r, x, prefix, n);
    for (size_t i = 0; i < n; i++) x[i].head = false;
    write_segments(r, x, n, prefix);
    printf("\n");
}

int main(void)
{
    const size_t most = golden_n[GOLDEN_SIZES - 1];
    item *const x = aligned_alloc(16, most * sizeof *x), *const prefix = aligned_alloc(16, (most + 1) * sizeof *prefix);
    if (!x || !prefix) return fprintf(stderr, "generate: out of memory\n"), 1;
    printf("# Golden values of tree v1 (docs/tree-v1.md); made by tests/golden/generate.c, from the data of data.h.\n"
           "# Values are the members' bits; the rest is the 64-bit FNV-1a hash of all bytes of a result.\n"
           "# operator type data n  reduce  fold(init = element n)  scan inclusive  exclusive  segscan inclusive  "
           "exclusive  segreduce\n");
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++)
        for (size_t s = 0; s < GOLDEN_SIZES; s++) write_line(&rows[k], golden_n[s], x, prefix);
    free(x);
    free(prefix);
    return 0;
}
