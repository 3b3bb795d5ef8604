/* Laws of a repeat, at every place, beside a plain loop: elements of any size, counts of each type, arrays in the host's memory and
 * in the device's.  Nothing outside of what the counts make is touched. */
#include "support/guarded.h"

#include <stdio.h>

OPLUS_STRUCT(seven, uint8_t b[7];)
OPLUS_STRUCT(sixteen, uint64_t w[2];)
OPLUS_STRUCT(twenty_four, double d[3];)

static const oplus_type *const types[] = {&oplus_f32,        &oplus_u8,   &small3_type,  &oplus_u64,    &oplus_u16,
                                          &twenty_four_type, &seven_type, &sixteen_type, &huge5000_type};
static const oplus_type *const index_types[] = {&oplus_u32, &oplus_i64, &oplus_i32, &oplus_u64};
enum { TYPES = sizeof types / sizeof *types, INDEX_TYPES = sizeof index_types / sizeof *index_types, STYLES = 8 };

typedef struct drawn {
    const oplus_type *type, *index;
    size_t n;
} drawn;

/* Compilers of accelerators are slow: there few programs are tried, unless it was asked for. */
static drawn draw(rng *r, const place *at)
{
    const bool few = at->accelerator && !at->thorough;
    drawn d = {.type = types[rng_below(r, few ? 3 : TYPES)], .index = index_types[rng_below(r, few ? 2 : INDEX_TYPES)]};
    const size_t most = d.type->size > 1000 ? 200 : (size_t)1 << (1 + rng_below(r, test_quick() ? 13 : 16));
    d.n = rng_below(r, most);
    if (rng_below(r, 3) == 0)
        d.n = d.n / 128 * 128 + rng_below(r, 3) + (d.n < 128) - 1; /* blocks of counts end there */
    return d;
}

static void put_count(const drawn *d, unsigned char *to, size_t k, uint64_t count)
{
    memcpy(to + k * d->index->size, &count, d->index->size); /* little endian */
}

static uint64_t get_count(const drawn *d, const unsigned char *counts, size_t k)
{
    uint64_t count = 0;
    memcpy(&count, counts + k * d->index->size, d->index->size);
    return count;
}

/* Fills in the counts of one style; returns their sum. */
static size_t fill_counts(rng *r, const drawn *d, unsigned char *to)
{
    const size_t style = rng_below(r, STYLES), large = d->type->size > 1000 ? 100 : 60000;
    const size_t only = d->n ? rng_below(r, d->n) : 0;
    size_t sum = 0;
    for (size_t k = 0; k < d->n; k++) {
        size_t count = 0;
        switch (style) {
        case 0: /* nothing at all */
            break;
        case 1: /* a single large one among zeros */
            count = k == only ? large + rng_below(r, large) : 0;
            break;
        case 2: /* the first, or the last */
            count = k == 0 || k == d->n - 1 ? rng_below(r, large) : 0;
            break;
        case 3:
            count = 1;
            break;
        case 4: /* few that are not 0 */
            count = rng_below(r, 300) ? 0 : 1 + rng_below(r, 20);
            break;
        case 5: /* some large ones */
            count = rng_below(r, 200) ? rng_below(r, 3) : rng_below(r, large / 20);
            break;
        case 6:
            count = rng_below(r, 4);
            break;
        default:
            count = rng_below(r, d->type->size > 1000 ? 3 : 40);
        }
        put_count(d, to, k, count);
        sum += count;
    }
    return sum;
}

static void fail_with(const place *at, const char *what, const char *why)
{
    fail_msg("%s %s: %s: %s; OPLUS_TEST_SEED=%" PRIu64, at->where, at->isa, what, why, test_seed());
}

/* --- the laws ----------------------------------------------------------------------------------------------------- */

/* Fits exactly, or leaves room, or lacks some. */
static size_t draw_capacity(rng *r, size_t total)
{
    const size_t style = rng_below(r, 4);
    if (style == 0) return total + rng_below(r, 50);
    if (style == 1 && total > 0) return total - 1 - (total > 1 ? rng_below(r, 2) * rng_below(r, total) : 0);
    return total;
}

static void repeat_is_the_loop(rng *r, const place *at)
{
    char what[200];
    const drawn d = draw(r, at);
    const size_t size = d.type->size;
    array in = array_open(r, at, size, d.n), counts = array_open(r, at, d.index->size, d.n);
    const size_t sum = fill_counts(r, &d, own(&counts)), capacity = draw_capacity(r, sum);
    array out = array_open(r, at, size, capacity);
    unsigned char *const expected = must(malloc(out.bytes));
    memcpy(expected, out.host, out.bytes);
    unsigned char *to = expected + out.before;
    for (size_t k = 0; k < d.n && sum <= capacity; k++)
        for (uint64_t i = get_count(&d, own(&counts), k); i > 0; i--, to += size) memcpy(to, own(&in) + k * size, size);
    snprintf(what, sizeof what, "repeat of %zu elements of %zu bytes by %s to %zu, room for %zu", d.n, size,
             d.index->name, sum, capacity);
    size_t total = 12345, counted = 12345;
    const unsigned char *const from = given(at, &in), *const by = given(at, &counts);
    const oplus_status status =
        oplus_repeat(at->dev, d.type, from, d.n, d.index, by, given(at, &out), capacity, &total);
    if (sum <= capacity) {
        must_be_ok(status, what);
    } else {
        char text[80];
        snprintf(text, sizeof text, "give room for %zu", sum);
        if (status != OPLUS_ERR_ARGUMENT || !strstr(oplus_last_error(), text)) fail_with(at, what, "no such error");
    }
    if (total != sum) fail_with(at, what, "another total");
    must_be_ok(oplus_sync(at->dev), what);
    compare(at, &out, expected, what);
    must_be_ok(oplus_repeat(at->dev, d.type, NULL, d.n, d.index, by, NULL, 0, &counted), "only the total");
    if (counted != sum) fail_with(at, what, "another total if only that is wanted");
    free(expected);
    array_close(at, &in);
    array_close(at, &counts);
    array_close(at, &out);
}

/* Some counts are negative: the call names the first, and writes nothing. */
static void negative_is_named(rng *r, const place *at)
{
    char text[80];
    drawn d = draw(r, at);
    d.index = rng_below(r, 2) ? &oplus_i32 : &oplus_i64;
    d.n++;
    array in = array_open(r, at, d.type->size, d.n), counts = array_open(r, at, d.index->size, d.n),
          out = array_open(r, at, d.type->size, 20);
    fill_counts(r, &d, own(&counts));
    unsigned char *const expected = must(malloc(out.bytes));
    memcpy(expected, out.host, out.bytes);
    size_t first = d.n;
    for (int i = 0; i < 3; i++) {
        const size_t k = rng_below(r, d.n);
        put_count(&d, own(&counts), k, (uint64_t) - (int64_t)(k + 1));
        if (k < first) first = k;
    }
    snprintf(text, sizeof text, "counts[%zu] is -%zu;", first, first + 1);
    size_t total = 7;
    const unsigned char *const from = given(at, &in), *const by = given(at, &counts);
    const oplus_status status = oplus_repeat(at->dev, d.type, from, d.n, d.index, by, given(at, &out), 20, &total);
    if (status != OPLUS_ERR_ARGUMENT || !strstr(oplus_last_error(), text)) fail_with(at, text, oplus_last_error());
    must_be_ok(oplus_sync(at->dev), "sync");
    compare(at, &out, expected, "out after a negative count");
    if (oplus_repeat(at->dev, d.type, NULL, d.n, d.index, by, NULL, 0, &total) != OPLUS_ERR_ARGUMENT ||
        !strstr(oplus_last_error(), text) || total != 7)
        fail_with(at, text, "of the total alone");
    free(expected);
    array_close(at, &in);
    array_close(at, &counts);
    array_close(at, &out);
}

static void repeats(void **state)
{
    (void)state;
    often_everywhere("repeat", 40, 200, repeat_is_the_loop);
}

static void negative_counts(void **state)
{
    (void)state;
    often_everywhere("negative counts", 8, 40, negative_is_named);
}

static void must_say_too_large(oplus_status status)
{
    if (status != OPLUS_ERR_ARGUMENT || !strstr(oplus_last_error(), "2^63 or more"))
        fail_msg("status %d, \"%s\"", (int)status, oplus_last_error());
}

/* Sums that do not fit, each of counts that do. */
static void sums_that_are_too_large(void **state)
{
    enum { N = 3000 };
    static uint64_t counts[N];
    uint32_t x[1] = {0};
    size_t count, total = 7;
    (void)state;
    const place *const places = all_places(&count);
    for (size_t i = 0; i < N; i++) counts[i] = i % 1000 == 999 ? UINT64_C(1) << 62 : 1;
    for (size_t p = 0; p < count; p++) {
        oplus_device *const dev = places[p].dev;
        stand_at(&places[p], NULL, false);
        must_say_too_large(oplus_repeat(dev, &oplus_u32, counts, N, &oplus_u64, counts, x, 1, &total));
        must_say_too_large(oplus_repeat(dev, &oplus_u32, NULL, N, &oplus_i64, counts, NULL, 0, &total));
        assert_int_equal(total, 7);
        must_be_ok(oplus_repeat(dev, &oplus_u32, NULL, 1999, &oplus_i64, counts, NULL, 0, &total), "one is allowed");
        assert_true(total == (UINT64_C(1) << 62) + 1998);
        total = 7;
    }
}

/* Larger than the memory that host arrays may take there; and an output of several pieces. */
static void more_than_fits(void **state)
{
    enum { N = 200000, MOST = 1 << 20 };
    static uint32_t in[N], counts[N];
    static uint32_t out[MOST];
    size_t count;
    (void)state;
    const place *const places = all_places(&count);
    for (size_t i = 0; i < N; i++) in[i] = (uint32_t)i * 2654435761u, counts[i] = (uint32_t)i % 11;
    for (size_t p = 0; p < count; p++) {
        char where[64];
        if (!places[p].accelerator) continue;
        snprintf(where, sizeof where, "%.*s", (int)strcspn(places[p].where, "@"), places[p].where);
        for (size_t n = N / 100; n <= N; n *= 100) {
            oplus_device *dev;
            size_t total, k = 0;
            setenv("OPLUS_DEVICE_MEMORY", "1M", 1);
            must_be_ok(oplus_open(where, &dev), where);
            unsetenv("OPLUS_DEVICE_MEMORY");
            must_be_ok(oplus_repeat(dev, &oplus_u32, in, n, &oplus_u32, counts, out, MOST, &total), "repeat");
            for (size_t i = 0; i < n; i++)
                for (uint32_t j = 0; j < counts[i]; j++) assert_int_equal(out[k++], in[i]);
            assert_int_equal(k, total);
            oplus_close(dev);
        }
    }
}

/* The total may lie where the arrays may. */
static void totals_of_devices(void **state)
{
    static const uint32_t in[] = {5, 6, 7}, counts[] = {2, 0, 3};
    uint32_t out[8];
    size_t count;
    (void)state;
    const place *const places = all_places(&count);
    for (size_t p = 0; p < count; p++) {
        oplus_device *const dev = places[p].dev;
        size_t total = 12345;
        void *there;
        stand_at(&places[p], NULL, false);
        must_be_ok(oplus_alloc(dev, sizeof total, &there), "alloc");
        for (int k = 0; k < 3; k++) {
            static const size_t expected[] = {5, 2, 0};
            const size_t n = k == 0 ? 3 : k == 1 ? 1 : 0;
            must_be_ok(oplus_copy(dev, there, &total, sizeof total), "copy");
            must_be_ok(oplus_repeat(dev, &oplus_u32, in, n, &oplus_u32, counts, out, 8, there), "repeat");
            must_be_ok(oplus_copy(dev, &total, there, sizeof total), "copy");
            assert_int_equal(total, expected[k]);
            total = 12345;
            must_be_ok(oplus_copy(dev, there, &total, sizeof total), "copy");
            must_be_ok(oplus_repeat(dev, &oplus_u32, NULL, n, &oplus_u32, counts, NULL, 0, there), "the total alone");
            must_be_ok(oplus_copy(dev, &total, there, sizeof total), "copy");
            assert_int_equal(total, expected[k]);
        }
        oplus_free(dev, there);
    }
}

static int close_all(void **state)
{
    (void)state;
    close_places();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(repeats), cmocka_unit_test(negative_counts),
                                       cmocka_unit_test(sums_that_are_too_large), cmocka_unit_test(totals_of_devices),
                                       cmocka_unit_test(more_than_fits)};
    test_seed();
    return cmocka_run_group_tests_name("repeat_elements", tests, NULL, close_all);
}
