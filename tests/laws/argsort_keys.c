/* The law of an argsort by several keys: neighbours are in lexicographic order, and equal ones in that of their indices. */
#include "support/keys.h"
#include "support/laws.h"

#include <stdlib.h>
#include <string.h>

static const oplus_type *const key_types[] = {&oplus_f32, &oplus_u8,  &oplus_i64, &oplus_u32, &oplus_f64,
                                              &oplus_i16, &oplus_u16, &oplus_u64, &oplus_i8,  &oplus_i32};
static const oplus_type *const index_types[] = {&oplus_u32, &oplus_u64, &oplus_i32, &oplus_i64};
enum { ACCELERATOR_TYPES = 2, MOST_KEYS = 4 };

/* A call. */
typedef struct drawn {
    const place *at;
    size_t count, n;
    const oplus_type *key[MOST_KEYS], *index;
    oplus_order order[MOST_KEYS];
    unsigned char *keys[MOST_KEYS];
    bool there[MOST_KEYS], indices_there; /* in memory of the device */
} drawn;

/* Few different keys, but the last: so that the others matter. */
static unsigned char *keys_of(rng *r, const drawn *d, size_t k)
{
    const size_t size = d->key[k]->size;
    unsigned char *const keys = must(malloc(d->n * size + 1));
    const unsigned kind = (unsigned)rng_below(r, KEY_KINDS);
    const uint64_t few = 1 + rng_below(r, 12);
    for (size_t i = 0; i < d->n; i++) {
        const uint64_t odd = odd_key(r, d->key[k], kind, i, d->n);
        memcpy(keys + i * size, &odd, size);
        if (k + 1 < d->count && i >= few) memcpy(keys + i * size, keys + rng_below(r, few) * size, size);
    }
    return keys;
}

static drawn draw(rng *r, const place *at)
{
    const bool some = at->accelerator && !at->thorough;
    drawn d = {.at = at};
    d.count = 1 + rng_below(r, MOST_KEYS);
    d.n = rng_below(r, (size_t)1 << (1 + rng_below(r, test_quick() ? 12 : 16)));
    d.index = index_types[rng_below(r, some ? 2 : 4)];
    d.indices_there = at->accelerator && rng_below(r, 2);
    for (size_t k = 0; k < d.count; k++) {
        d.key[k] = key_types[rng_below(r, some ? ACCELERATOR_TYPES : 10)];
        d.order[k] = rng_below(r, 2) ? OPLUS_DESCENDING : OPLUS_ASCENDING;
        d.keys[k] = keys_of(r, &d, k);
        d.there[k] = at->accelerator && rng_below(r, 2);
    }
    return d;
}

/* The order of one key, by definition: unsigned numbers that compare as the keys do. */
static uint64_t rank_of(const drawn *d, size_t k, size_t i)
{
    const oplus_type *const type = d->key[k];
    const uint64_t sign = UINT64_C(1) << (8 * type->size - 1), all = sign | (sign - 1);
    const bool is_float = type->scalar == OPLUS_F32 || type->scalar == OPLUS_F64;
    const bool is_unsigned = type->scalar >= OPLUS_U8 && type->scalar <= OPLUS_U64;
    uint64_t bits = 0;
    memcpy(&bits, d->keys[k] + i * type->size, type->size); /* little endian */
    if (is_float)
        bits = bits & sign ? ~bits & all : bits | sign;
    else if (!is_unsigned)
        bits ^= sign;
    return d->order[k] == OPLUS_DESCENDING ? bits ^ all : bits;
}

/* Whether element i comes before element j. */
static bool is_before(const drawn *d, size_t i, size_t j)
{
    for (size_t k = 0; k < d->count; k++) {
        const uint64_t a = rank_of(d, k, i), b = rank_of(d, k, j);
        if (a != b) return a < b;
    }
    return i < j;
}

static void neighbours_are_in_order(rng *r, const place *where)
{
    const drawn d = draw(r, where);
    const size_t bytes = d.n * d.index->size;
    void *lent[MOST_KEYS], *const indices = must(calloc(d.n + 1, d.index->size));
    for (size_t k = 0; k < d.count; k++) lent[k] = lend(d.at->dev, d.there[k], d.keys[k], d.n * d.key[k]->size);
    void *const out = lend(d.at->dev, d.indices_there, indices, bytes);
    must_be_ok(oplus_argsort_keys(where->dev, d.key, d.order, (const void *const *)lent, d.count, d.n, d.index, out),
               "argsort_keys");
    end_loan(d.at->dev, out, indices, bytes);
    for (size_t i = 0, before = 0; i < d.n; i++) {
        uint64_t own = 0;
        memcpy(&own, (const char *)indices + i * d.index->size, d.index->size);
        if (own >= d.n || (i > 0 && !is_before(&d, before, (size_t)own)))
            fail_msg("%s %s: argsort of %zu by %zu keys is wrong at %zu\n    OPLUS_TEST_SEED=%llu", where->where,
                     where->isa, d.n, d.count, i, (unsigned long long)test_seed());
        before = (size_t)own;
    }
    for (size_t k = 0; k < d.count; k++) {
        end_loan(d.at->dev, lent[k], d.keys[k], d.n * d.key[k]->size);
        free(d.keys[k]);
    }
    free(indices);
}

static void neighbours_are_in_order_often(void **state)
{
    rng r = test_rng("argsort_keys");
    size_t count;
    const place *const place = all_places(&count);
    (void)state;
    for (size_t i = 0; i < (test_quick() ? 8 : 30) * count; i++)
        if (stand_at(&place[i % count], NULL, false)) neighbours_are_in_order(&r, &place[i % count]);
}

static int close_all(void **state)
{
    (void)state;
    close_places();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(neighbours_are_in_order_often)};
    test_seed();
    return cmocka_run_group_tests_name("argsort_keys", tests, NULL, close_all);
}
