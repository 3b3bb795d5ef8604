/* Laws of the nth: it is what stands at a place of the sorted keys, bit for bit, wherever its arrays lie. */
#include "support/keys.h"
#include "support/laws.h"

#include <stdlib.h>
#include <string.h>

static const oplus_type *const key_types[] = {&oplus_f32, &oplus_i64, &oplus_u8,  &oplus_u32, &oplus_f64,
                                              &oplus_i16, &oplus_u16, &oplus_u64, &oplus_i8,  &oplus_i32};
enum { TYPES = 10, ACCELERATOR_TYPES = 2, LARGEST = 8, GUARD = 64, MARK = 0xa5, MORE_KINDS = 3, SKEWS = 3 };

/* A call: what it is given, and where its arrays lie. */
typedef struct drawn {
    const place *at;
    const oplus_type *key;
    oplus_order order;
    size_t n, k, skew;
    unsigned kind;
    bool keys_there, out_there;
} drawn;

/* Places at both ends are as likely as all others. */
static size_t any_k(rng *r, size_t n)
{
    switch (rng_below(r, 5)) {
    case 0:
        return 0;
    case 1:
        return n - 1;
    case 2:
        return n / 2;
    default:
        return rng_below(r, n);
    }
}

static size_t any_n(rng *r)
{
    static const size_t edges[] = {1, 2, 255, 4095, 4096, 8191, 8192, 32767, 32768, 32769};
    if (rng_below(r, 3) == 0) return edges[rng_below(r, 10)];
    return 1 + rng_below(r, (size_t)1 << (1 + rng_below(r, test_quick() ? 17 : 20)));
}

static drawn draw(rng *r, const place *at)
{
    const bool some = at->accelerator && !at->thorough;
    drawn d = {.at = at};
    d.key = key_types[rng_below(r, some ? ACCELERATOR_TYPES : TYPES)];
    d.order = rng_below(r, 2) ? OPLUS_DESCENDING : OPLUS_ASCENDING;
    d.n = any_n(r);
    d.k = any_k(r, d.n);
    d.skew = rng_below(r, SKEWS);
    d.kind = (unsigned)rng_below(r, KEY_KINDS + MORE_KINDS);
    d.keys_there = at->accelerator && rng_below(r, 2);
    d.out_there = at->accelerator && rng_below(r, 2);
    return d;
}

static void *keys_of(rng *r, const drawn *d)
{
    const size_t size = d->key->size, exponent = size == 8 ? 12 : size == 4 ? 9 : 0; /* bits of it, and the sign */
    unsigned char *const keys = must(malloc((d->n + SKEWS) * size));
    memset(keys, MARK, (d->n + SKEWS) * size);
    for (size_t i = 0; i < d->n; i++) {
        uint64_t key = 0;
        if (d->kind < KEY_KINDS)
            key = odd_key(r, d->key, d->kind, i, d->n);
        else if (d->kind == KEY_KINDS)
            key = 3; /* all are equal */
        else if (d->kind == KEY_KINDS + 1)
            key = d->n - i; /* sorted the other way round */
        else                /* zeros of both signs, infinities, and NaNs, of floats */
            key = rng_next(r) << (8 * size - 1 - (rng_below(r, 2) ? 0 : exponent));
        memcpy(keys + (d->skew + i) * size, &key, size);
    }
    return keys;
}

static void wrong(const drawn *d, const char *what)
{
    fail_msg("%s %s: nth %zu of %zu %s, %s, of kind %u: %s\n    OPLUS_TEST_SEED=%llu", d->at->where, d->at->isa, d->k,
             d->n, d->key->name, d->order ? "descending" : "ascending", d->kind, what, (unsigned long long)test_seed());
}

/* Where a call finds an array: the host's, or a copy on the device. */
/* The call; out: room for GUARD bytes, the key, and GUARD bytes. */
static void call(const drawn *d, unsigned char *keys, unsigned char *out)
{
    const size_t size = d->key->size, bytes = (d->n + SKEWS) * size;
    unsigned char *const k = lend(d->at->dev, d->keys_there, keys, bytes);
    unsigned char *const o = lend(d->at->dev, d->out_there, out, 2 * GUARD + LARGEST);
    must_be_ok(oplus_nth(d->at->dev, d->key, d->order, k + d->skew * size, d->n, d->k, o + GUARD), "nth");
    end_loan(d->at->dev, k, keys, bytes);
    end_loan(d->at->dev, o, out, 2 * GUARD + LARGEST);
}

static void try_call(rng *r, const drawn *d)
{
    const size_t size = d->key->size, bytes = (d->n + SKEWS) * size;
    size_t places;
    unsigned char out[2 * GUARD + LARGEST];
    unsigned char *const keys = keys_of(r, d), *const kept = must(malloc(bytes));
    memcpy(kept, keys, bytes);
    memset(out, MARK, sizeof out);
    call(d, keys, out);
    if (memcmp(keys, kept, bytes) != 0) wrong(d, "it changes keys");
    must_be_ok(oplus_sort(all_places(&places)[0].dev, d->key, d->order, kept + d->skew * size, d->n), "sort");
    if (memcmp(out + GUARD, kept + (d->skew + d->k) * size, size) != 0) wrong(d, "another key");
    for (size_t i = 0; i < sizeof out; i++)
        if ((i < GUARD || i >= GUARD + size) && out[i] != MARK) wrong(d, "it writes beside out");
    free(keys);
    free(kept);
}

static void it_is_where_a_sort_puts_it(void **state)
{
    rng r = test_rng("nth");
    size_t count;
    const place *const place = all_places(&count);
    (void)state;
    for (size_t i = 0; i < (test_quick() ? 30 : 150) * count; i++) {
        const drawn d = draw(&r, &place[i % count]);
        if (stand_at(d.at, NULL, false)) try_call(&r, &d);
    }
}

/* All places of few keys. */
static void each_place_of_few(void **state)
{
    rng r = test_rng("few");
    size_t count;
    const place *const place = all_places(&count);
    (void)state;
    for (size_t p = 0; p < count; p++) {
        drawn d = {.at = &place[p], .key = &oplus_f32, .kind = KEY_KINDS + 2};
        if (!stand_at(d.at, NULL, false)) continue;
        for (d.n = 1; d.n < (test_quick() ? 6 : 12); d.n++)
            for (d.k = 0; d.k < d.n; d.k++) try_call(&r, &d);
    }
}

/* Keys of which samples tell nothing: those that are looked at are all less than the others.  Of so many keys of 4 bytes,
 * cores and accelerators draw as many samples, from the same places. */
static void samples_that_mislead(void **state)
{
    enum { N = 1 << 18, SAMPLES = 1 << 12, STRIDE = N / SAMPLES, OTHERS = 1000000 };
    size_t count;
    const place *const place = all_places(&count);
    uint32_t *const keys = must(malloc(N * sizeof *keys)), out = 0;
    (void)state;
    for (uint32_t i = 0; i < N; i++) keys[i] = OTHERS + i;
    for (uint64_t i = 0; i < SAMPLES; i++) {
        const uint64_t mixed = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
        keys[i * STRIDE + (mixed ^ (mixed >> 29)) % STRIDE] = (uint32_t)i;
    }
    for (size_t p = 0; p < count; p++) {
        drawn d = {.at = &place[p], .key = &oplus_u32, .n = N, .k = N / 2};
        uint32_t less = 0, equal = 0;
        if (!stand_at(d.at, NULL, false)) continue;
        must_be_ok(oplus_nth(d.at->dev, d.key, OPLUS_ASCENDING, keys, N, d.k, &out), "nth");
        for (size_t i = 0; i < N; i++) less += keys[i] < out;
        for (size_t i = 0; i < N; i++) equal += keys[i] == out;
        if (less != d.k || equal != 1) wrong(&d, "another key, where samples mislead");
    }
    free(keys);
}

static int close_all(void **state)
{
    (void)state;
    close_places();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(it_is_where_a_sort_puts_it),
                                       cmocka_unit_test(each_place_of_few), cmocka_unit_test(samples_that_mislead)};
    test_seed();
    return cmocka_run_group_tests_name("nth", tests, NULL, close_all);
}
