/* Puts of small elements into outputs that no cache holds, which go by buckets on the cores (cores/put_buckets.h), beside a plain
 * loop: elements of 1 to 16 bytes, indices of each type, many of them equal, some out of range, one thread and several. */
#include "support/laws.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

OPLUS_STRUCT(seven, uint8_t b[7];)
OPLUS_STRUCT(sixteen, uint64_t w[2];)

enum { BYTES = 65 << 20 /* of the output; less does not go by buckets */, COUNT = 300001 };

typedef struct put_case {
    const oplus_type *type, *index;
    oplus_bounds bounds;
    size_t count;
    bool
        crowded; /* the indices are among a few thousand places in two parts of the output: most are equal to another */
} put_case;

static const put_case cases[] = {
    {&oplus_f32, &oplus_u32, OPLUS_REFUSE, COUNT, false},   {&oplus_u64, &oplus_i64, OPLUS_REFUSE, COUNT, true},
    {&oplus_u8, &oplus_i32, OPLUS_CLIP, COUNT, false},      {&seven_type, &oplus_u64, OPLUS_CLIP, COUNT, true},
    {&sixteen_type, &oplus_i64, OPLUS_CLIP, COUNT, false},  {&oplus_u16, &oplus_i32, OPLUS_REFUSE, COUNT, true},
    {&seven_type, &oplus_u32, OPLUS_REFUSE, COUNT, false},  {&oplus_u32, &oplus_u64, OPLUS_CLIP, COUNT, true},
    {&oplus_u64, &oplus_u32, OPLUS_REFUSE, 1 << 18, false},
};
enum { CASES = sizeof cases / sizeof *cases };

/* More elements than are copied at a time (2^25); the quick form leaves it out. */
static const put_case many = {&oplus_u8, &oplus_u32, OPLUS_REFUSE, (1 << 25) + 70001, false};

typedef struct arrays {
    unsigned char *in, *indices, *out, *expected;
    size_t n, size;
} arrays;

static void set_index(const put_case *c, unsigned char *indices, size_t k, uint64_t index)
{
    memcpy(indices + k * c->index->size, &index, c->index->size); /* little endian */
}

/* Draws the indices, and does the loop: for indices out of range with the place that OPLUS_CLIP means. */
static void draw(rng *r, const put_case *c, arrays *a)
{
    const uint64_t sign = c->index->scalar == OPLUS_I32 || c->index->scalar == OPLUS_I64;
    for (size_t i = 0; i < c->count * a->size; i++) a->in[i] = (unsigned char)(i * 167 + (i >> 8));
    for (size_t k = 0; k < c->count; k++) {
        uint64_t place = c->crowded ? rng_below(r, 3000) + (rng_below(r, 2) ? a->n - 3000 : 0) : rng_below(r, a->n);
        uint64_t index = place;
        if (c->bounds == OPLUS_CLIP && rng_below(r, 7) == 0) {
            const bool negative = sign && rng_below(r, 2);
            index = negative ? UINT64_MAX - rng_below(r, 9) : a->n + rng_below(r, 9);
            place = negative ? 0 : a->n - 1;
        }
        set_index(c, a->indices, k, index);
        memcpy(a->expected + place * a->size, a->in + k * a->size, a->size);
    }
}

static arrays arrays_open(rng *r, const put_case *c)
{
    const size_t size = c->type->size, n = BYTES / size, count = c->count;
    arrays a = {must(malloc(count * size)),
                must(malloc(count * c->index->size)),
                must(malloc(n * size)),
                must(calloc(n, size)),
                n,
                size};
    draw(r, c, &a);
    return a;
}

static void arrays_close(arrays *a)
{
    free(a->in);
    free(a->indices);
    free(a->out);
    free(a->expected);
}

static void compare(const char *where, const put_case *c, const arrays *a)
{
    if (memcmp(a->out, a->expected, a->n * a->size) == 0) return;
    size_t i = 0;
    while (a->out[i] == a->expected[i]) i++;
    fail_msg("%s: put of %zu elements of %zu bytes by %s, bounds %d: element %zu is wrong; OPLUS_TEST_SEED=%" PRIu64,
             where, c->count, a->size, c->index->name, (int)c->bounds, i / a->size, test_seed());
}

static oplus_status put(oplus_device *dev, const put_case *c, const arrays *a)
{
    return oplus_put(dev, c->type, c->bounds, a->in, c->index, a->indices, c->count, a->out, a->n);
}

/* Two wrong indices in different blocks: the message names the first. */
static void wrong_index_is_named(rng *r, const char *where, oplus_device *dev, const put_case *c, const arrays *a)
{
    char text[64];
    const size_t first = c->count / 3 + rng_below(r, 1000);
    set_index(c, a->indices, c->count - 1, UINT32_MAX);
    set_index(c, a->indices, first, a->n);
    snprintf(text, sizeof text, "indices[%zu] is %zu and n is %zu", first, a->n, a->n);
    if (put(dev, c, a) != OPLUS_ERR_ARGUMENT || !strstr(oplus_last_error(), text))
        fail_msg("%s: \"%s\" lacks \"%s\"", where, oplus_last_error(), text);
}

static void try_case(rng *r, const char *const *where, const put_case *c)
{
    arrays a = arrays_open(r, c);
    for (; *where; where++) {
        oplus_device *dev;
        char words[2000];
        must_be_ok(oplus_open(*where, &dev), *where);
        memset(a.out, 0, a.n * a.size);
        must_be_ok(oplus_explain(dev, words, sizeof words), "explain");
        must_be_ok(put(dev, c, &a), *where);
        assert_non_null(strstr(words, "way: buckets"));
        must_be_ok(oplus_explain(dev, NULL, 0), "explain");
        must_be_ok(put(dev, c, &a), *where);
        compare(*where, c, &a);
        if (c->bounds == OPLUS_REFUSE && !where[1]) wrong_index_is_named(r, *where, dev, c, &a);
        oplus_close(dev);
    }
    arrays_close(&a);
}

static void puts_go_by_buckets(void **state)
{
    (void)state;
    rng r = test_rng("puts");
    const char *const places[] = {"serial", "threads:3", NULL};
    for (size_t i = 0; i < (test_quick() ? 4 : CASES); i++) try_case(&r, places, &cases[i]);
}

static void puts_of_several_chunks(void **state)
{
    (void)state;
    rng r = test_rng("chunks");
    const char *const places[] = {"threads:2", NULL};
    if (!test_quick() && test_free_bytes() > (uint64_t)1 << 30) try_case(&r, places, &many);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(puts_go_by_buckets), cmocka_unit_test(puts_of_several_chunks)};
    test_seed();
    return cmocka_run_group_tests_name("puts", tests, NULL, NULL);
}
