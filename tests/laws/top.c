/* Laws of the top: it is the beginning of an argsort, whatever k is, and wherever its arrays lie. */
#include "support/keys.h"
#include "support/laws.h"

#include <stdlib.h>
#include <string.h>

static const oplus_type *const key_types[] = {&oplus_f32, &oplus_i64, &oplus_u8,  &oplus_u32, &oplus_f64,
                                              &oplus_i16, &oplus_u16, &oplus_u64, &oplus_i8,  &oplus_i32};
static const oplus_type *const index_types[] = {&oplus_u32, &oplus_u64, &oplus_i32, &oplus_i64};
enum { ACCELERATOR_TYPES = 2 };

/* What is drawn. */
static enum {
    ANY,
    TIES, /* many equal keys in several blocks of the cores, and more of them than are wanted */
    MANY, /* so many keys that an accelerator draws several for each sample, in an order that misleads it or does not */
} kind;

/* A call: what it is given, and where its arrays lie. */
typedef struct drawn {
    const place *at;
    const oplus_type *key, *index;
    oplus_order order;
    size_t n, k;
    bool keys_there, out_there, indices_there, only_keys, only_indices;
} drawn;

static size_t any_k(rng *r, size_t n)
{
    const size_t few = n < 200 ? n : 200;
    switch (rng_below(r, 6)) {
    case 0:
        return rng_below(r, n + 1);
    case 1:
        return n;
    case 2:
        return n / 8 + (n > 8 ? rng_below(r, 3) : 0);
    default:
        return rng_below(r, few + 1);
    }
}

static drawn draw(rng *r, const place *at)
{
    const bool some = at->accelerator && !at->thorough;
    drawn d = {.at = at};
    d.key = key_types[rng_below(r, some ? ACCELERATOR_TYPES : 10)];
    d.index = index_types[rng_below(r, 4)];
    d.order = rng_below(r, 2) ? OPLUS_DESCENDING : OPLUS_ASCENDING;
    d.n = rng_below(r, (size_t)1 << (1 + rng_below(r, test_quick() ? 16 : 19)));
    d.k = any_k(r, d.n);
    if (kind == MANY) {
        d.n = ((size_t)1 << 22) + rng_below(r, 1 << 19);
        d.k = 1 + rng_below(r, rng_below(r, 2) ? 100 : 8192);
    }
    if (kind == TIES) {
        d.key = r->state & 1 ? &oplus_u8 : &oplus_i8;
        d.n = (1 << 20) + rng_below(r, 1 << 19);
        d.k = 200 + rng_below(r, 4000);
    }
    d.keys_there = at->accelerator && rng_below(r, 2);
    d.out_there = at->accelerator && rng_below(r, 2);
    d.indices_there = at->accelerator && rng_below(r, 2);
    const uint64_t wants = rng_below(r, 6);
    d.only_keys = wants == 0;
    d.only_indices = wants == 1;
    return d;
}

/* Keys that ascend, or descend: positive ones, as their bits. */
static uint64_t steady_key(const drawn *d, bool descends, size_t i)
{
    const uint64_t key = descends ? d->n - i : i; /* less than 2^23 */
    return d->key->size < 4 ? key >> (24 - 8 * d->key->size) : key << (8 * d->key->size - 24);
}

static void *keys_of(rng *r, const drawn *d)
{
    unsigned char *const keys = must(malloc(d->n * d->key->size + 2));
    const unsigned sort = (unsigned)rng_below(r, KEY_KINDS);
    const uint64_t steady = kind == MANY ? rng_below(r, 4) : 2; /* 0, 1: in this order or in the opposite one */
    for (size_t i = 0; i < d->n; i++) {
        uint64_t key;
        if (kind == TIES)
            key = 20 - rng_below(r, 300) % 21 * (rng_below(r, 60) == 0);
        else if (steady < 2)
            key = steady_key(d, steady == 1, i);
        else
            key = odd_key(r, d->key, sort, i, d->n);
        memcpy(keys + i * d->key->size, &key, d->key->size);
    }
    return keys;
}

/* An array of results between guards. */
enum { GUARD = 64, MARK = 0xa5 };
static unsigned char *guarded(size_t bytes)
{
    unsigned char *const mem = must(malloc(bytes + 2 * GUARD));
    memset(mem, MARK, bytes + 2 * GUARD);
    return mem;
}

static void wrong(const drawn *d, const char *what, size_t i)
{
    fail_msg("%s %s: the top %zu of %zu %s, %s: %s wrong at %zu\n    OPLUS_TEST_SEED=%llu", d->at->where, d->at->isa,
             d->k, d->n, d->key->name, d->order ? "descending" : "ascending", what, i, (unsigned long long)test_seed());
}

static void check_guards(const drawn *d, const unsigned char *mem, size_t bytes)
{
    for (size_t i = 0; i < GUARD; i++)
        if (mem[i] != MARK || mem[GUARD + bytes + i] != MARK) wrong(d, "memory beside the results", i);
}

static void top_begins_an_argsort(rng *r, const place *where)
{
    const drawn d = draw(r, where);
    const size_t size = d.key->size, bytes = d.n * size;
    const size_t out_bytes = d.only_indices ? 0 : d.k * size, index_bytes = d.only_keys ? 0 : d.k * d.index->size;
    size_t places;
    unsigned char *const keys = keys_of(r, &d), *const kept = must(malloc(bytes + 1));
    unsigned char *const out = guarded(out_bytes), *const indices = guarded(index_bytes);
    uint64_t *const sorted = must(malloc((d.n + 1) * sizeof *sorted));
    memcpy(kept, keys, bytes);
    must_be_ok(oplus_argsort(all_places(&places)[0].dev, d.key, d.order, keys, d.n, &oplus_u64, sorted), "argsort");

    void *const k = lend(d.at->dev, d.keys_there, keys, bytes);
    char *const o = lend(d.at->dev, d.out_there, out, out_bytes + 2 * GUARD);
    char *const x = lend(d.at->dev, d.indices_there, indices, index_bytes + 2 * GUARD);
    must_be_ok(oplus_top(where->dev, d.key, d.order, k, d.n, d.k, d.only_indices ? NULL : o + GUARD,
                         d.only_keys ? NULL : d.index, d.only_keys ? NULL : x + GUARD),
               "top");
    end_loan(d.at->dev, k, keys, bytes);
    end_loan(d.at->dev, o, out, out_bytes + 2 * GUARD);
    end_loan(d.at->dev, x, indices, index_bytes + 2 * GUARD);

    assert_memory_equal(keys, kept, bytes);
    check_guards(&d, out, out_bytes);
    check_guards(&d, indices, index_bytes);
    for (size_t i = 0; i < d.k; i++) {
        uint64_t index = 0;
        memcpy(&index, indices + GUARD + i * d.index->size, d.only_keys ? 0 : d.index->size);
        if (!d.only_keys && index != sorted[i]) wrong(&d, "indices", i);
        if (!d.only_indices && memcmp(out + GUARD + i * size, keys + sorted[i] * size, size) != 0) wrong(&d, "keys", i);
    }
    free(keys);
    free(kept);
    free(out);
    free(indices);
    free(sorted);
}

/* Tries problems of a kind so many times at each place, or, in a quick try, `quick` times. */
enum { AT_CORES = 1, AT_ACCELERATORS = 2 };
static void try_often(const char *name, int what, unsigned where, size_t quick, size_t times)
{
    rng r = test_rng(name);
    size_t count;
    const place *const place = all_places(&count);
    kind = what;
    for (size_t i = 0; i < (test_quick() ? quick : times) * count; i++) {
        const unsigned at = place[i % count].accelerator ? AT_ACCELERATORS : AT_CORES;
        if ((where & at) && stand_at(&place[i % count], NULL, false)) top_begins_an_argsort(&r, &place[i % count]);
    }
    kind = ANY;
}

static void top_begins_an_argsort_often(void **state)
{
    (void)state;
    try_often("top", ANY, AT_CORES | AT_ACCELERATORS, 12, 60);
}

static void many_keys_of_an_accelerator(void **state)
{
    (void)state;
    try_often("many", MANY, AT_ACCELERATORS, 4, 12);
}

static void equal_keys_of_many_blocks(void **state)
{
    (void)state;
    try_often("ties", TIES, AT_CORES, 2, 6);
}

static int close_all(void **state)
{
    (void)state;
    close_places();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(top_begins_an_argsort_often),
                                       cmocka_unit_test(many_keys_of_an_accelerator),
                                       cmocka_unit_test(equal_keys_of_many_blocks)};
    test_seed();
    return cmocka_run_group_tests_name("top", tests, NULL, close_all);
}
