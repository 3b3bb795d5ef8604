/* Laws of what moves elements by index, at every place, beside a plain loop: elements of any size, indices of each type, arrays in
 * the host's memory and in the device's, at any element of an aligned block.  Nothing outside of the output is touched. */
#include "support/guarded.h"

#include <stdio.h>

OPLUS_STRUCT(seven, uint8_t b[7];)
OPLUS_STRUCT(twelve, float f[3];)
OPLUS_STRUCT(sixteen, uint64_t w[2];)
OPLUS_STRUCT(forty, double d[5];)

static const oplus_type *const types[] = {&oplus_f32,  &oplus_u8,     &twelve_type, &oplus_u64,     &oplus_u16,
                                          &seven_type, &sixteen_type, &forty_type,  &huge5000_type, &small3_type};
static const oplus_type *const index_types[] = {&oplus_u32, &oplus_i64, &oplus_i32, &oplus_u64};
enum { TYPES = sizeof types / sizeof *types, INDEX_TYPES = sizeof index_types / sizeof *index_types };

/* --- indices ------------------------------------------------------------------------------------------------------ */

typedef struct drawn {
    const oplus_type *type, *index;
    oplus_bounds bounds;
    size_t n, count; /* count: of the indices */
} drawn;

/* Compilers of accelerators are slow: there few programs are tried, unless it was asked for. */
static drawn draw(rng *r, const place *at)
{
    const bool few = at->accelerator && !at->thorough;
    drawn d = {.type = types[rng_below(r, few ? 3 : TYPES)], .index = index_types[rng_below(r, few ? 2 : INDEX_TYPES)]};
    const size_t most = d.type->size > 1000 ? 300 : (size_t)1 << (2 + rng_below(r, test_quick() ? 13 : 16));
    d.bounds = rng_below(r, 2) ? OPLUS_CLIP : OPLUS_REFUSE;
    d.n = 1 + rng_below(r, most);
    d.count = rng_below(r, most);
    return d;
}

static void put_index(const drawn *d, unsigned char *to, size_t k, uint64_t index)
{
    memcpy(to + k * d->index->size, &index, d->index->size); /* little endian */
}

/* The place that an index means, read by its definition. */
static uint64_t place_of(const drawn *d, const unsigned char *indices, size_t k)
{
    uint64_t index = 0;
    memcpy(&index, indices + k * d->index->size, d->index->size);
    const bool negative = (d->index->scalar == OPLUS_I32 && (int32_t)(uint32_t)index < 0) ||
                          (d->index->scalar == OPLUS_I64 && (int64_t)index < 0);
    if (negative) return 0;
    return index < d->n ? index : d->n - 1;
}

/* Indices in range; with OPLUS_CLIP some are not: just beyond, far beyond, negative. */
static void fill_indices(rng *r, const drawn *d, unsigned char *to)
{
    const size_t style = rng_below(r, 4);
    for (size_t k = 0; k < d->count; k++) {
        const uint64_t beyond[] = {d->n, d->n + 1, UINT64_MAX, UINT64_C(1) << 31, UINT64_C(1) << 63, rng_next(r)};
        uint64_t index = style == 0 ? k % d->n : style == 1 ? d->n - 1 - k % d->n : rng_below(r, d->n);
        if (d->bounds == OPLUS_CLIP && rng_below(r, 5) == 0) index = beyond[rng_below(r, 6)];
        put_index(d, to, k, index);
    }
}

/* --- the laws ----------------------------------------------------------------------------------------------------- */

static void take_is_the_loop(rng *r, const place *at)
{
    char what[160];
    const drawn d = draw(r, at);
    const size_t size = d.type->size;
    array in = array_open(r, at, size, d.n), indices = array_open(r, at, d.index->size, d.count),
          out = array_open(r, at, size, d.count);
    fill_indices(r, &d, own(&indices));
    unsigned char *const expected = must(malloc(out.bytes));
    memcpy(expected, out.host, out.bytes);
    for (size_t k = 0; k < d.count; k++)
        memcpy(expected + out.before + k * size, own(&in) + place_of(&d, own(&indices), k) * size, size);
    snprintf(what, sizeof what, "take of %zu of %zu elements of %zu bytes by %s, bounds %d", d.count, d.n, size,
             d.index->name, (int)d.bounds);
    must_be_ok(oplus_take(at->dev, d.type, d.bounds, given(at, &in), d.n, d.index, given(at, &indices), d.count,
                          given(at, &out)),
               what);
    must_be_ok(oplus_sync(at->dev), what);
    compare(at, &out, expected, what);
    free(expected);
    array_close(at, &in);
    array_close(at, &indices);
    array_close(at, &out);
}

/* Of equal indices, of which there are many, the last one counts; elements without an index stay as they are. */
static void put_is_the_loop(rng *r, const place *at)
{
    char what[160];
    const drawn d = draw(r, at);
    const size_t size = d.type->size;
    array in = array_open(r, at, size, d.count), indices = array_open(r, at, d.index->size, d.count),
          out = array_open(r, at, size, d.n);
    fill_indices(r, &d, own(&indices));
    unsigned char *const expected = must(malloc(out.bytes));
    memcpy(expected, out.host, out.bytes);
    for (size_t k = 0; k < d.count; k++)
        memcpy(expected + out.before + place_of(&d, own(&indices), k) * size, own(&in) + k * size, size);
    snprintf(what, sizeof what, "put of %zu into %zu elements of %zu bytes by %s, bounds %d", d.count, d.n, size,
             d.index->name, (int)d.bounds);
    must_be_ok(oplus_put(at->dev, d.type, d.bounds, given(at, &in), d.index, given(at, &indices), d.count,
                         given(at, &out), d.n),
               what);
    must_be_ok(oplus_sync(at->dev), what);
    compare(at, &out, expected, what);
    free(expected);
    array_close(at, &in);
    array_close(at, &indices);
    array_close(at, &out);
}

/* The text of index k, in the message about it. */
static void name_index(const drawn *d, const unsigned char *indices, size_t k, char text[64])
{
    uint64_t index = 0;
    memcpy(&index, indices + k * d->index->size, d->index->size);
    if (d->index->scalar == OPLUS_I32)
        snprintf(text, 64, "indices[%zu] is %" PRId32 " ", k, (int32_t)(uint32_t)index);
    else
        snprintf(text, 64,
                 d->index->scalar == OPLUS_I64 ? "indices[%zu] is %" PRId64 " " : "indices[%zu] is %" PRIu64 " ", k,
                 index);
}

/* Some indices are wrong: the call, or on CUDA the next one that waits, says which is the first, and the device works on. */
static void wrong_index_is_named(rng *r, const place *at, bool puts)
{
    char text[64];
    drawn d = draw(r, at);
    d.bounds = OPLUS_REFUSE;
    d.count++;
    array in = array_open(r, at, d.type->size, puts ? d.count : d.n),
          indices = array_open(r, at, d.index->size, d.count),
          out = array_open(r, at, d.type->size, puts ? d.n : d.count);
    unsigned char *const expected = must(malloc(out.bytes));
    fill_indices(r, &d, own(&indices));
    size_t first = d.count;
    const uint64_t wrong[] = {d.n, d.n + 7, UINT64_MAX, UINT64_C(1) << 31 | UINT64_C(1) << 63};
    for (size_t i = 0; i < 3; i++) {
        const size_t k = rng_below(r, d.count);
        put_index(&d, own(&indices), k, wrong[rng_below(r, 4)]);
        if (k < first) first = k;
    }
    name_index(&d, own(&indices), first, text);
    const unsigned char *const from = given(at, &in), *const by = given(at, &indices);
    unsigned char *const to = given(at, &out);
    oplus_status status = puts ? oplus_put(at->dev, d.type, d.bounds, from, d.index, by, d.count, to, d.n)
                               : oplus_take(at->dev, d.type, d.bounds, from, d.n, d.index, by, d.count, to);
    const bool late = status == OPLUS_OK;
    if (late) {
        status = oplus_sync(at->dev);
        snprintf(text, sizeof text, "indices[");
    }
    if (late && !(in.there && indices.there && out.there)) fail_msg("%s: the call did not wait", at->where);
    if (status != OPLUS_ERR_ARGUMENT || !strstr(oplus_last_error(), text))
        fail_msg("%s %s: status %d, \"%s\" lacks \"%s\"; OPLUS_TEST_SEED=%" PRIu64, at->where, at->isa, (int)status,
                 oplus_last_error(), text, test_seed());
    must_be_ok(oplus_sync(at->dev), "the error is told once");

    /* --- nothing outside of the output was written --- */
    memcpy(expected, out.host, out.bytes);
    if (out.there) must_be_ok(oplus_copy(at->dev, out.host, out.there, out.bytes), "copy");
    assert_memory_equal(out.host, expected, out.before);
    assert_memory_equal(out.host + out.bytes - GUARD, expected + out.bytes - GUARD, GUARD);
    free(expected);
    array_close(at, &in);
    array_close(at, &indices);
    array_close(at, &out);
}

static void take_names_it(rng *r, const place *at) { wrong_index_is_named(r, at, false); }
static void put_names_it(rng *r, const place *at) { wrong_index_is_named(r, at, true); }

static void take(void **state)
{
    (void)state;
    often_everywhere("take", 20, 100, take_is_the_loop);
}

static void take_refuses(void **state)
{
    (void)state;
    often_everywhere("take refuses", 10, 50, take_names_it);
}

static void put(void **state)
{
    (void)state;
    often_everywhere("put", 20, 100, put_is_the_loop);
}

static void put_refuses(void **state)
{
    (void)state;
    often_everywhere("put refuses", 10, 50, put_names_it);
}

/* A table that is larger than the memory that host arrays may take there. */
static void take_from_more_than_fits(void **state)
{
    enum { N = 300000, COUNT = 1000 };
    static uint32_t in[N], indices[COUNT], out[COUNT];
    size_t count;
    (void)state;
    const place *const places = all_places(&count);
    for (size_t i = 0; i < N; i++) in[i] = (uint32_t)i * 2654435761u;
    for (size_t i = 0; i < COUNT; i++) indices[i] = (uint32_t)(i * 299) % N;
    for (size_t p = 0; p < count; p++) {
        void *there;
        if (!places[p].accelerator) continue;
        char where[64];
        snprintf(where, sizeof where, "%.*s", (int)strcspn(places[p].where, "@"), places[p].where);
        oplus_device *dev;
        setenv("OPLUS_DEVICE_MEMORY", "1M", 1);
        must_be_ok(oplus_open(where, &dev), where);
        unsetenv("OPLUS_DEVICE_MEMORY");
        must_be_ok(oplus_take(dev, &oplus_u32, OPLUS_REFUSE, in, N, &oplus_u32, indices, COUNT, out), "take");
        for (size_t i = 0; i < COUNT; i++) assert_int_equal(out[i], in[indices[i]]);
        must_be_ok(oplus_alloc(dev, sizeof out, &there), "alloc");
        must_be_ok(oplus_take(dev, &oplus_u32, OPLUS_REFUSE, in, N, &oplus_u32, indices, COUNT, there), "take");
        memset(out, 0, sizeof out);
        must_be_ok(oplus_copy(dev, out, there, sizeof out), "copy");
        for (size_t i = 0; i < COUNT; i++) assert_int_equal(out[i], in[indices[i]]);
        must_be_ok(oplus_copy(dev, there, indices, sizeof out), "copy");
        memset(out, 0, sizeof out);
        must_be_ok(oplus_take(dev, &oplus_u32, OPLUS_REFUSE, in, N, &oplus_u32, there, COUNT, out), "take");
        for (size_t i = 0; i < COUNT; i++) assert_int_equal(out[i], in[indices[i]]);
        oplus_free(dev, there);
        oplus_close(dev);
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(take), cmocka_unit_test(take_refuses), cmocka_unit_test(put),
                                       cmocka_unit_test(put_refuses), cmocka_unit_test(take_from_more_than_fits)};
    test_seed();
    return cmocka_run_group_tests_name("elements", tests, NULL, close_all);
}
