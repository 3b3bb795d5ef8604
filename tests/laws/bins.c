/* Laws of counts and reduces by bin, at every place: counts are those of a plain loop, for every type, kind of bins, and what
 * becomes of indices out of range; each bin is reduced to what oplus_reduce makes of its elements, bit for bit.  Nothing
 * outside of the output is touched. */
#include "support/guarded.h"

#include <math.h>
#include <stdio.h>

OPLUS_STRUCT(turn, float a; float b;)
OPLUS_OP(turn_then, turn, (1, 0), 0, {
    turn r;
    r.a = a.a * b.a;
    r.b = a.b * b.a + b.b;
    return r;
})
OPLUS_STRUCT(three, uint8_t x[3];)
OPLUS_OP(first_of_three, three, ({255}), 0, { return a.x[0] != 255 ? a : b; })

static const oplus_type *const index_types[] = {&oplus_u32, &oplus_u8,  &oplus_i64, &oplus_i8,
                                                &oplus_u16, &oplus_i16, &oplus_i32, &oplus_u64};
static const oplus_type *const numbers[] = {&oplus_f32, &oplus_i16, &oplus_f64, &oplus_u8,  &oplus_i32,
                                            &oplus_u32, &oplus_i8,  &oplus_i64, &oplus_u16, &oplus_u64};
static const oplus_type *const counters[] = {&oplus_u64, &oplus_u32, &oplus_i32, &oplus_i64};
enum { INDEX_TYPES = 8, NUMBERS = 10, COUNTERS = 4 };

typedef enum kind { BY_INDEX, EVEN, EDGES } kind;

typedef struct drawn {
    kind kind;
    const oplus_type *type, *counter;
    oplus_bounds bounds;
    size_t n, bins;
    double low, high;
} drawn;

/* Where each program must be compiled first few are tried, unless it was asked for. */
static bool is_few(const place *at) { return at->accelerator && !at->thorough; }

static drawn draw(rng *r, const place *at, kind kind)
{
    const size_t all = kind == BY_INDEX ? INDEX_TYPES : NUMBERS;
    const size_t type = rng_below(r, is_few(at) ? 1 : all);
    const size_t most_bins = rng_below(r, 2) ? 256 : rng_below(r, 3) ? 6000 : 100000;
    drawn d = {.kind = kind, .counter = counters[is_few(at) ? 0 : rng_below(r, COUNTERS)]};
    d.type = (kind == BY_INDEX ? index_types : numbers)[type];
    d.bounds = (oplus_bounds)(is_few(at) ? OPLUS_REFUSE : rng_below(r, 3));
    d.bins = 1 + rng_below(r, most_bins);
    if (is_few(at)) d.bins = kind == BY_INDEX && rng_below(r, 2) ? 5000 : 1 + rng_below(r, 256);
    const size_t most = test_quick() ? 15 : at->accelerator || kind == EDGES ? 16 : 18; /* the reference takes long */
    d.n = rng_below(r, (size_t)1 << (2 + rng_below(r, most)));
    d.low = (double)rng_below(r, 100) - 60.0;
    d.high = d.low + (double)(1 + rng_below(r, 90)) / 3;
    return d;
}

/* --- elements as they are read and written one by one -------------------------------------------------------------- */

static void set(const oplus_type *type, unsigned char *to, size_t i, double value)
{
    switch (type->scalar) {
#define SET(suffix, T, id)                                                                                             \
    case id:                                                                                                           \
        memcpy(to + i * sizeof(T), &(T){(T)value}, sizeof(T));                                                         \
        break;
        OPLUS_FOR_SCALARS(SET)
    default:
        fail();
    }
}

/* Exact for all that is drawn here. */
static double get(const oplus_type *type, const unsigned char *from, size_t i)
{
    switch (type->scalar) {
#define GET(suffix, T, id)                                                                                             \
    case id: {                                                                                                         \
        T value;                                                                                                       \
        memcpy(&value, from + i * sizeof(T), sizeof(T));                                                               \
        return (double)value;                                                                                          \
    }
        OPLUS_FOR_SCALARS(GET)
    default:
        return 0;
    }
}

static bool has_sign(const oplus_type *type) { return type->scalar >= OPLUS_I8 && type->scalar <= OPLUS_I64; }

static double largest_of(const oplus_type *type)
{
    const size_t bits = 8 * type->size - has_sign(type);
    return bits > 50 ? 0x1p50 : ldexp(1, (int)bits) - 1;
}

/* An index in range, if the type has one that large; now and then one that is not, where it need not be refused. */
static double an_index(rng *r, const drawn *d)
{
    const double largest = largest_of(d->type);
    const double in_range = fmin((double)rng_below(r, d->bins), largest);
    if (d->bounds == OPLUS_REFUSE || rng_below(r, 6)) return in_range;
    if (has_sign(d->type) && rng_below(r, 2)) return -1.0 - (double)rng_below(r, 5);
    return rng_below(r, 2) ? largest : fmin((double)(d->bins + rng_below(r, 3)), largest);
}

static void fill_indices(rng *r, const drawn *d, unsigned char *to)
{
    const bool one = rng_below(r, 4) == 0; /* nearly all are the same */
    const double common = an_index(r, d);
    for (size_t i = 0; i < d->n; i++) set(d->type, to, i, one && rng_below(r, 9) ? common : an_index(r, d));
}

/* Numbers around the bins, many of them at an edge; floats may be NaN. */
static void fill_numbers(rng *r, const drawn *d, const unsigned char *edges, unsigned char *to)
{
    const bool floats = d->type->scalar == OPLUS_F32 || d->type->scalar == OPLUS_F64;
    const double least = has_sign(d->type) || floats ? -100.0 : 0.0;
    for (size_t i = 0; i < d->n; i++) {
        double x =
            fmin(fmax(d->low - 3 + (d->high - d->low + 6) * (double)rng_below(r, 1 << 20) * 0x1p-20, least), 100);
        if (edges && rng_below(r, 3) == 0) x = get(d->type, edges, rng_below(r, d->bins + 1));
        if (floats && rng_below(r, 50) == 0) x = rng_below(r, 2) ? (double)NAN : (double)INFINITY;
        set(d->type, to, i, x);
    }
}

/* Ascending numbers; some are equal. */
static void fill_edges(rng *r, const drawn *d, unsigned char *to)
{
    double x = has_sign(d->type) || d->type->scalar >= OPLUS_F32 ? d->low : 0;
    for (size_t b = 0; b <= d->bins; b++) {
        set(d->type, to, b, x);
        if (rng_below(r, 5)) x = fmin(x + (double)(1 + rng_below(r, 8)) / 4, 100);
    }
}

/* The bin of a number by its definition; bins: none. */
static size_t bin_of(const drawn *d, const unsigned char *edges, double x)
{
    if (d->kind == BY_INDEX) {
        if (x < 0) return d->bounds == OPLUS_CLIP ? 0 : d->bins;
        if (x >= (double)d->bins) return d->bounds == OPLUS_CLIP ? d->bins - 1 : d->bins;
        return (size_t)x;
    }
    if (d->kind == EVEN) {
        if (!(x >= d->low && x <= d->high)) return d->bins;
        const size_t bin = (size_t)((x - d->low) * ((double)d->bins / (d->high - d->low)));
        return bin < d->bins ? bin : d->bins - 1;
    }
    if (!(x >= get(d->type, edges, 0) && x <= get(d->type, edges, d->bins))) return d->bins;
    if (x == get(d->type, edges, d->bins)) return d->bins - 1;
    size_t bin = 0;
    while (get(d->type, edges, bin + 1) <= x) bin++;
    return bin;
}

/* --- counts ------------------------------------------------------------------------------------------------------- */

static oplus_status count(const place *at, const drawn *d, const void *in, const void *edges, void *counts)
{
    if (d->kind == BY_INDEX)
        return oplus_count_by_index(at->dev, d->bounds, d->type, in, d->n, d->counter, counts, d->bins);
    if (d->kind == EVEN)
        return oplus_histogram(at->dev, d->type, in, d->n, d->low, d->high, d->counter, counts, d->bins);
    return oplus_histogram_edges(at->dev, d->type, in, d->n, edges, d->counter, counts, d->bins);
}

static void counts_are_the_loop(rng *r, const place *at, kind kind)
{
    char what[160];
    drawn d = draw(r, at, kind);
    if (kind == EDGES && d.bins > 300) d.bins = 300; /* the loop searches one by one */
    array in = array_open(r, at, d.type->size, d.n), edges = array_open(r, at, d.type->size, d.bins + 1),
          out = array_open(r, at, d.counter->size, d.bins);
    uint64_t *const counts = must(calloc(d.bins + 1, sizeof *counts));
    if (kind == EDGES) fill_edges(r, &d, own(&edges));
    if (kind == BY_INDEX)
        fill_indices(r, &d, own(&in));
    else
        fill_numbers(r, &d, kind == EDGES ? own(&edges) : NULL, own(&in));
    for (size_t i = 0; i < d.n; i++) counts[bin_of(&d, own(&edges), get(d.type, own(&in), i))]++;
    unsigned char *const expected = must(malloc(out.bytes));
    memcpy(expected, out.host, out.bytes);
    for (size_t b = 0; b < d.bins; b++)
        memcpy(expected + out.before + b * d.counter->size, &counts[b], d.counter->size);
    snprintf(what, sizeof what, "counts of kind %d of %zu elements %s in %zu bins, bounds %d", (int)kind, d.n,
             d.type->name, d.bins, (int)d.bounds);
    const unsigned char *const from = given(at, &in), *const between = given(at, &edges);
    must_be_ok(count(at, &d, from, between, given(at, &out)), what);
    must_be_ok(oplus_sync(at->dev), what);
    compare(at, &out, expected, what);
    free(expected);
    free(counts);
    array_close(at, &in);
    array_close(at, &edges);
    array_close(at, &out);
}

/* --- reduces ------------------------------------------------------------------------------------------------------ */

static const oplus_op *const operators[] = {&oplus_sum_f32, &turn_then_op,   &oplus_sum_u64, &first_of_three_op,
                                            &oplus_min_i16, &oplus_prod_f64, &oplus_lor_u8,  &oplus_min_f32,
                                            &oplus_xor_i32, &oplus_sum_u8};
enum { OPERATORS = sizeof operators / sizeof *operators };

/* Elements of any bits, but floats near 1, so that no product is infinite. */
static void fill_elements(rng *r, const oplus_op *op, size_t n, unsigned char *to)
{
    for (size_t i = 0; i < n; i++) {
        const float f[2] = {0.75f + (float)rng_below(r, 500) / 1000, (float)rng_below(r, 100) / 7};
        const double d = 0.75 + (double)rng_below(r, 500) / 1000;
        if (op == &oplus_sum_f32 || op == &turn_then_op) memcpy(to + i * op->type->size, f, op->type->size);
        if (op == &oplus_prod_f64) memcpy(to + i * sizeof d, &d, sizeof d);
        if (op == &first_of_three_op && rng_below(r, 2)) to[3 * i] = 255;
    }
}

/* What oplus_reduce makes of the elements of each bin. */
static void reduce_each(const oplus_op *op, const drawn *d, const unsigned char *indices, const unsigned char *in,
                        unsigned char *out)
{
    const size_t size = op->type->size;
    size_t places;
    oplus_device *const dev = all_places(&places)->dev; /* one thread */
    size_t *const begin = must(calloc(d->bins + 2, sizeof *begin));
    unsigned char *const dealt = must(malloc(d->n * size + 1));
    for (size_t i = 0; i < d->n; i++) begin[bin_of(d, NULL, get(d->type, indices, i)) + 1]++;
    for (size_t b = 0; b <= d->bins; b++) begin[b + 1] += begin[b];
    for (size_t i = 0; i < d->n; i++)
        memcpy(dealt + begin[bin_of(d, NULL, get(d->type, indices, i))]++ * size, in + i * size, size);
    for (size_t b = 0; b < d->bins; b++) { /* now begin[b] is where bin b ends */
        const size_t from = b > 0 ? begin[b - 1] : 0;
        must_be_ok(oplus_reduce(dev, op, dealt + from * size, begin[b] - from, out + b * size), "reduce");
    }
    free(dealt);
    free(begin);
}

static drawn draw_reduce(rng *r, const place *at)
{
    static const oplus_type *const types[] = {&oplus_u32, &oplus_i64, &oplus_i32, &oplus_u64};
    drawn d = draw(r, at, BY_INDEX);
    const size_t type = rng_below(r, is_few(at) ? 1 : 4);
    d.type = types[type];
    d.bounds = is_few(at) ? OPLUS_CLIP : (oplus_bounds)rng_below(r, 3);
    return d;
}

static void reduce_drawn(rng *r, const place *at, drawn d)
{
    char what[160];
    const oplus_op *const op = operators[rng_below(r, is_few(at) ? 1 : OPERATORS)];
    const size_t size = op->type->size;
    array in = array_open(r, at, size, d.n), indices = array_open(r, at, d.type->size, d.n),
          out = array_open(r, at, size, d.bins);
    fill_indices(r, &d, own(&indices));
    fill_elements(r, op, d.n, own(&in));
    unsigned char *const expected = must(malloc(out.bytes));
    memcpy(expected, out.host, out.bytes);
    reduce_each(op, &d, own(&indices), own(&in), expected + out.before);
    snprintf(what, sizeof what, "%s of %zu elements by %s in %zu bins, bounds %d", op->name, d.n, d.type->name, d.bins,
             (int)d.bounds);
    const unsigned char *const from = given(at, &in), *const by = given(at, &indices);
    must_be_ok(oplus_reduce_by_index(at->dev, op, d.bounds, from, d.type, by, d.n, given(at, &out), d.bins), what);
    must_be_ok(oplus_sync(at->dev), what);
    compare(at, &out, expected, what);
    free(expected);
    array_close(at, &in);
    array_close(at, &indices);
    array_close(at, &out);
}

static void bins_are_reduced(rng *r, const place *at) { reduce_drawn(r, at, draw_reduce(r, at)); }

/* Few bins of many elements each: the cores collect them in blocks. */
static void few_bins_are_reduced(rng *r, const place *at)
{
    drawn d = draw_reduce(r, at);
    d.bins = 1 + rng_below(r, 20);
    d.n = (size_t)1000 * d.bins + rng_below(r, 40000);
    reduce_drawn(r, at, d);
}

/* --- indices that are refused ------------------------------------------------------------------------------------- */

/* Some indices are wrong: the call, or on CUDA the next one that waits, says which is the first, and the device works on. */
static void wrong_index_is_named(rng *r, const place *at)
{
    char text[96];
    drawn d = draw_reduce(r, at);
    const bool reduces = rng_below(r, 2);
    d.bounds = OPLUS_REFUSE;
    d.n++;
    array indices = array_open(r, at, d.type->size, d.n), in = array_open(r, at, sizeof(float), d.n),
          out = array_open(r, at, 8, d.bins);
    fill_indices(r, &d, own(&indices));
    size_t first = d.n;
    for (size_t i = 0; i < 3; i++) {
        const size_t k = rng_below(r, d.n);
        set(d.type, own(&indices), k, has_sign(d.type) && i == 1 ? -7.0 : (double)(d.bins + 7 * i));
        if (k < first) first = k;
    }
    snprintf(text, sizeof text, "indices[%zu] is %.0f and n is %zu", first, get(d.type, own(&indices), first), d.bins);
    const unsigned char *const from = given(at, &in), *const by = given(at, &indices);
    unsigned char *const to = given(at, &out);
    oplus_status status =
        reduces ? oplus_reduce_by_index(at->dev, &oplus_sum_f32, d.bounds, from, d.type, by, d.n, to, d.bins)
                : oplus_count_by_index(at->dev, d.bounds, d.type, by, d.n, &oplus_u64, to, d.bins);
    const bool late = status == OPLUS_OK;
    if (late) {
        status = oplus_sync(at->dev);
        snprintf(text, sizeof text, "indices[");
    }
    if (late && !(indices.there && out.there)) fail_msg("%s: the call did not wait", at->where);
    if (status != OPLUS_ERR_ARGUMENT || !strstr(oplus_last_error(), text))
        fail_msg("%s %s: status %d, \"%s\" lacks \"%s\"; OPLUS_TEST_SEED=%" PRIu64, at->where, at->isa, (int)status,
                 oplus_last_error(), text, test_seed());
    must_be_ok(oplus_sync(at->dev), "the error is told once");
    array_close(at, &in);
    array_close(at, &indices);
    array_close(at, &out);
}

/* --- the tests ---------------------------------------------------------------------------------------------------- */

static void counts_by_index(rng *r, const place *at) { counts_are_the_loop(r, at, BY_INDEX); }
static void counts_in_even_bins(rng *r, const place *at) { counts_are_the_loop(r, at, EVEN); }
static void counts_between_edges(rng *r, const place *at) { counts_are_the_loop(r, at, EDGES); }

#define TEST(name, law, rounds)                                                                                        \
    static void name(void **state)                                                                                     \
    {                                                                                                                  \
        (void)state;                                                                                                   \
        often_everywhere(#name, rounds, 4 * (rounds), law);                                                            \
    }
TEST(count_by_index, counts_by_index, 8)
TEST(histogram, counts_in_even_bins, 5)
TEST(histogram_edges, counts_between_edges, 5)
TEST(reduce_by_index, bins_are_reduced, 8)
TEST(reduce_into_few, few_bins_are_reduced, 8)
TEST(refused, wrong_index_is_named, 6)

static int close_all(void **state)
{
    (void)state;
    close_places();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(count_by_index),  cmocka_unit_test(histogram),
                                       cmocka_unit_test(histogram_edges), cmocka_unit_test(reduce_by_index),
                                       cmocka_unit_test(reduce_into_few), cmocka_unit_test(refused)};
    test_seed();
    return cmocka_run_group_tests_name("bins", tests, NULL, close_all);
}
