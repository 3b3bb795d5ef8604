/* Laws of <oplus/runs.h>: partition, indices, filter by a mask.  Each is compared with a plain loop, with arrays in host
 * memory, in device memory, and in both. */
#include "support/arrays.h"

#include <stdlib.h>
#include <string.h>

OPLUS_STRUCT(tagged, uint32_t key; uint32_t place;)
OPLUS_STRUCT(chunk80, uint32_t key; uint32_t word[19];)
OPLUS_PREDICATE_WITH(key_below, tagged, uint32_t, { return a.key < p; })
OPLUS_PREDICATE(is_odd, uint8_t, { return a & 1; })
OPLUS_PREDICATE(key_is_odd, chunk80, { return a.key % 2 == 1; })

static size_t any_size(rng *r) { return rng_below(r, (size_t)1 << (1 + rng_below(r, test_quick() ? 14 : 18))); }

/* --- partition, indices, masks -------------------------------------------------------------------------------------- */

/* A problem: n elements of a type, which of them are kept, and what the calls must give. */
typedef struct choice {
    const oplus_fn *keep;
    const oplus_type *type;
    size_t n, kept;
    unsigned char *x, *out, *rest, *bytes, *bits;
    uint32_t *narrow;
    uint64_t *wide;
} choice;

static bool is_kept(const choice *p, size_t i, uint32_t limit)
{
    uint32_t key;
    if (p->type->size == 1) return p->x[i] & 1;
    memcpy(&key, p->x + i * p->type->size, sizeof key);
    return p->keep == &key_is_odd_fn ? key % 2 == 1 : key < limit;
}

/* The plain loop. */
static void solve(choice *p, uint32_t limit)
{
    const size_t size = p->type->size;
    p->kept = 0;
    memset(p->bits, 0, p->n / 8 + 1);
    for (size_t i = 0; i < p->n; i++) {
        const bool kept = is_kept(p, i, limit);
        memcpy(kept ? p->out + p->kept * size : p->rest + (i - p->kept) * size, p->x + i * size, size);
        p->narrow[p->kept] = (uint32_t)i;
        p->wide[p->kept] = i;
        p->bytes[i] = kept ? (uint8_t)(1 + i % 255) : 0;
        p->bits[i / 8] |= (uint8_t)(kept << i % 8);
        p->kept += kept;
    }
}

static choice make(rng *r, const oplus_fn *keep, size_t n, uint32_t limit)
{
    const size_t size = keep->input[0]->size;
    choice p = {.keep = keep, .type = keep->input[0], .n = n};
    p.x = must(malloc(n * size + 1));
    p.out = must(malloc(n * size + 1));
    p.rest = must(malloc(n * size + 1));
    p.bytes = must(malloc(n + 1));
    p.bits = must(malloc(n / 8 + 1));
    p.narrow = must(malloc((n + 1) * sizeof *p.narrow));
    p.wide = must(malloc((n + 1) * sizeof *p.wide));
    for (size_t i = 0; i < n * size; i++) p.x[i] = (unsigned char)rng_next(r);
    for (size_t i = 0; size > 1 && i < n; i++) {
        const uint32_t key = (uint32_t)rng_below(r, 1000);
        memcpy(p.x + i * size, &key, sizeof key);
    }
    solve(&p, limit);
    return p;
}

static void forget(choice *p)
{
    free(p->x);
    free(p->out);
    free(p->rest);
    free(p->bytes);
    free(p->bits);
    free(p->narrow);
    free(p->wide);
}

static void selects(rng *r, const place *where)
{
    const uint32_t limit = (uint32_t)rng_below(r, 1001);
    const oplus_fn below = oplus_with(&key_below_fn, &limit), *const keeps[] = {&below, &is_odd_fn, &key_is_odd_fn};
    const oplus_fn *const keep = keeps[rng_below(r, 3)];
    choice p = make(r, keep, any_size(r) / (keep == &key_is_odd_fn ? 8 : 1), limit);
    const size_t n = p.n, size = p.type->size;
    arrays a = {.dev = where->dev};
    uint64_t count;

    const int in = add_array(&a, r, p.x, n * size), out = add_array(&a, r, NULL, n * size),
              rest = add_array(&a, r, NULL, n * size), kept = add_array(&a, r, NULL, sizeof(size_t));
    assert_int_equal(
        oplus_partition(where->dev, keep, a.mem[in], n, a.mem[out], a.mem[rest], (size_t *)(void *)a.mem[kept]),
        OPLUS_OK);
    count = p.kept;
    check_array(&a, where, "the number that a partition keeps", kept, &count, sizeof count);
    check_array(&a, where, "what a partition keeps", out, p.out, p.kept * size);
    check_array(&a, where, "the rest of a partition", rest, p.rest, (n - p.kept) * size);
    drop_arrays(&a);

    const bool narrow = rng_below(r, 2);
    const oplus_type *const index = narrow ? &oplus_u32 : &oplus_u64;
    const int from = add_array(&a, r, p.x, n * size), to = add_array(&a, r, NULL, n * index->size),
              found = add_array(&a, r, NULL, 8);
    assert_int_equal(oplus_indices(where->dev, keep, a.mem[from], n, index, a.mem[to], (size_t *)(void *)a.mem[found]),
                     OPLUS_OK);
    check_array(&a, where, "the number of indices", found, &count, sizeof count);
    check_array(&a, where, "the indices", to, narrow ? (void *)p.narrow : p.wide, p.kept * index->size);
    drop_arrays(&a);

    const bool bits = rng_below(r, 2);
    const int x = add_array(&a, r, p.x, n * size), y = add_array(&a, r, NULL, n * size),
              m = add_array(&a, r, NULL, sizeof(size_t)),
              mask = add_array(&a, r, bits ? p.bits : p.bytes, bits ? (n + 7) / 8 : n);
    assert_int_equal(oplus_filter_mask(where->dev, p.type, bits ? OPLUS_MASK_BITS : OPLUS_MASK_BYTES, a.mem[x],
                                       a.mem[mask], n, a.mem[y], (size_t *)(void *)a.mem[m]),
                     OPLUS_OK);
    check_array(&a, where, "the number that a mask keeps", m, &count, sizeof count);
    check_array(&a, where, bits ? "what bits keep" : "what bytes keep", y, p.out, p.kept * size);
    drop_arrays(&a);
    forget(&p);
}

static void partition_indices_masks(void **state)
{
    (void)state;
    often("partition_indices_masks", 10, 30, selects);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(partition_indices_masks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
