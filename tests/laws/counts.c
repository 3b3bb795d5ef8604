/* Laws of sorts of keys alone that have 1 or 2 bytes: the result has as many of each key as a plain loop counts, in their
 * order, and nothing outside of the array is touched; any size, kind and address, in host and in device memory.  An
 * accelerator takes the way "counts", also for sizes for which it would choose another; it has several tables of counts, as
 * for 2^31 keys or more, and in one test little memory of a work-group.
 *
 * The linker sends opi_sort_portion, an eighth of the keys that a table counts, through the __wrap_ function here
 * (counts.link). */
#include "support/keys.h"
#include "support/laws.h"

#include "driver/driver.h"
#include "gpus/gpus.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    GUARD = 64,      /* bytes before and behind an array */
    MOST_SKEW = 17,  /* keys by which it is moved */
    LARGEST = 65536, /* different keys */
    PORTION = 10000,
    LITTLE = 20000, /* bytes of a work-group's memory: keys of 2 bytes are cut into 8 ranges */
    KINDS_MORE = KEY_KINDS + 3
};

static const oplus_type *const types[] = {&oplus_u8, &oplus_i8, &oplus_u16, &oplus_i16};

typedef struct call {
    const oplus_type *type;
    oplus_order order;
    unsigned kind;
    size_t n, skew;
    bool there; /* the keys lie on the device */
} call;

uint64_t __wrap_opi_sort_portion(void);
uint64_t __wrap_opi_sort_portion(void) { return PORTION; }

/* --- keys ---------------------------------------------------------------------------------------------------------- */

/* Also: every key as often as others; all equal; all but a few are. */
static uint64_t key_at(rng *r, const call *c, size_t i)
{
    if (c->kind < KEY_KINDS) return odd_key(r, c->type, c->kind, i, c->n);
    if (c->kind == KEY_KINDS) return i * 40503;
    if (c->kind == KEY_KINDS + 1) return 0x8001;
    return rng_below(r, 1000) ? 0x7f7f : rng_next(r);
}

static void fill(rng *r, const call *c, unsigned char *keys)
{
    for (size_t i = 0; i < c->n; i++) {
        const uint64_t key = key_at(r, c, i);
        memcpy(keys + i * c->type->size, &key, c->type->size); /* little endian */
    }
}

/* The number of a key in ascending order, and the other way round. */
static uint32_t ordered(const oplus_type *type, uint32_t key)
{
    const bool is_signed = type == &oplus_i8 || type == &oplus_i16;
    return is_signed ? key ^ 1u << (8 * type->size - 1) : key;
}

/* Sorts keys in the plainest way. */
static void sort_plainly(const call *c, unsigned char *keys)
{
    static size_t count[LARGEST];
    const size_t size = c->type->size, all = (size_t)1 << 8 * size;
    size_t to = 0;
    memset(count, 0, sizeof count);
    for (size_t i = 0; i < c->n; i++) {
        uint16_t key = 0;
        memcpy(&key, keys + i * size, size);
        count[ordered(c->type, key)]++;
    }
    for (size_t k = 0; k < all; k++) {
        const size_t number = c->order == OPLUS_DESCENDING ? all - 1 - k : k;
        const uint16_t key = (uint16_t)ordered(c->type, (uint32_t)number);
        for (size_t i = 0; i < count[number]; i++) memcpy(keys + to++ * size, &key, size);
    }
}

/* --- calls --------------------------------------------------------------------------------------------------------- */

static size_t draw_size(rng *r)
{
    static const size_t edges[] = {0, 16, 32, 64, 4096, 8192, 65536, 131072, 262144};
    const size_t dice = rng_below(r, 8);
    if (dice < 3) {
        const size_t edge = edges[rng_below(r, sizeof edges / sizeof *edges)];
        return edge + rng_below(r, 5) - (edge > 0 ? 2 : 0);
    }
    return rng_below(r, (size_t)1 << (dice < 5 ? 7 : dice < 7 || test_quick() ? 17 : 21));
}

static void sorts_are_counts(rng *r, const place *at)
{
    call c = {.type = types[rng_below(r, 4)], .kind = (unsigned)rng_below(r, KINDS_MORE), .n = draw_size(r)};
    c.order = rng_below(r, 2) ? OPLUS_DESCENDING : OPLUS_ASCENDING;
    c.skew = rng_below(r, 2) ? rng_below(r, MOST_SKEW) : 0;
    c.there = at->accelerator && rng_below(r, 2);
    const size_t before = GUARD + c.skew * c.type->size, bytes = c.n * c.type->size, room = before + bytes + GUARD;
    unsigned char *const want = must(malloc(room)), *const got = must(malloc(room));
    memset(want, 0xa5, room);
    fill(r, &c, want + before);
    memcpy(got, want, room);
    sort_plainly(&c, want + before);
    unsigned char *const mem = lend(at->dev, c.there, got, room);
    must_be_ok(oplus_sort(at->dev, c.type, c.order, mem + before, c.n), "sort");
    end_loan(at->dev, mem, got, room);
    for (size_t i = 0; i < room; i++)
        if (got[i] != want[i])
            fail_msg("%s: %zu %s of kind %u + %zu, %s, %s: byte %zu of %zu differs; OPLUS_TEST_SEED=%llu", at->where,
                     c.n, c.type->name, c.kind, c.skew, c.order == OPLUS_DESCENDING ? "descending" : "ascending",
                     c.there ? "there" : "on the host", i - before, bytes, (unsigned long long)test_seed());
    free(want);
    free(got);
}

static void sorts_often(void **state)
{
    (void)state;
    often_everywhere("counts", 60, 300, sorts_are_counts);
}

/* Where work-groups have little memory of their own; in both shapes. */
static void sorts_with_little_memory(void **state)
{
    static const char *const shapes[] = {"group", "chunk"};
    rng r = test_rng("little");
    (void)state;
    for (int k = 0; k < 2; k++) {
        place at = {.where = "an accelerator with little memory", .accelerator = true};
        if (oplus_open("gpu", &at.dev) != OPLUS_OK && oplus_open("opencl", &at.dev) != OPLUS_OK) {
            printf("not tried: %s\n", oplus_last_error());
            return;
        }
        opi_gpu_facts *const facts = &opi_gpus_driver_of(at.dev)->facts;
        facts->local = facts->local_most = LITTLE;
        setenv("OPLUS_SHAPE", shapes[k], 1);
        for (int i = 0; i < (test_quick() ? 40 : 200); i++) sorts_are_counts(&r, &at);
        unsetenv("OPLUS_SHAPE");
        oplus_close(at.dev);
    }
}

/* ------------------------------------------------------------------------------------------------------------------ */

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sorts_often), cmocka_unit_test(sorts_with_little_memory)};
    setenv("OPLUS_WAY", "counts", 0);
    const int failed = cmocka_run_group_tests_name("counts", tests, NULL, NULL);
    close_places();
    return failed;
}
