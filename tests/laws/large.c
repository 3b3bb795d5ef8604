/* More than 2^32 elements, at a byte each: counts and indices are 64 bits wide everywhere.  Needs 12 GB of free memory,
 * of which it uses 4 to 9, and OPLUS_TEST_ALL; skipped elsewhere. */
#include "support/laws.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t n = (UINT64_C(1) << 32) + 5;
static uint8_t *x;
static oplus_device *dev;

/* Values without a pattern whose length divides any block size. */
static uint8_t element(uint64_t i) { return (uint8_t)((i * UINT64_C(0x9e3779b97f4a7c15)) >> 56); }

static void fill(void)
{
#pragma omp parallel for
    for (uint64_t i = 0; i < n; i++) x[i] = element(i);
}

static int make_problem(void **state)
{
    (void)state;
    if (oplus_open("threads:2", &dev) != OPLUS_OK) return 1;
    x = must(malloc(n));
    fill();
    return 0;
}

static int free_problem(void **state)
{
    (void)state;
    free(x);
    oplus_close(dev);
    return 0;
}

/* --- exact: against a plain loop */

static void integers(void **state)
{
    uint8_t sum = 0, got;
    (void)state;
    for (uint64_t i = 0; i < n; i++) sum = (uint8_t)(sum + x[i]);
    assert_int_equal(oplus_reduce(dev, &oplus_sum_u8, x, n, &got), OPLUS_OK);
    assert_int_equal(got, sum);

    const uint64_t offsets[] = {3, n - 9, n - 9, n};
    uint8_t sums[3], last = 0;
    for (uint64_t i = n - 9; i < n; i++) last = (uint8_t)(last + x[i]);
    assert_int_equal(oplus_segreduce(dev, &oplus_sum_u8, x, n, &oplus_u64, offsets, 3, sums), OPLUS_OK);
    assert_int_equal(sums[0], (uint8_t)(sum - last - x[0] - x[1] - x[2]));
    assert_int_equal(sums[1], 0);
    assert_int_equal(sums[2], last);

    assert_int_equal(oplus_scan(dev, &oplus_sum_u8, OPLUS_INCLUSIVE, x, n, x), OPLUS_OK);
    sum = 0;
    for (uint64_t i = 0; i < n; i++) {
        sum = (uint8_t)(sum + element(i));
        if (x[i] != sum) fail_msg("scan is wrong at %llu", (unsigned long long)i);
    }
    fill();
}

/* --- the canonical tree: the operator is not associative, so that another tree would give other values ------------ */

OPLUS_SEMIGROUP(stir, uint8_t, 0, { return (uint8_t)((a * 167u + 1) ^ ((unsigned)b << 3 | b >> 5) * 5); })
static const subject stirring = {"stir", &stir_op, oplus_stir_combine_, NULL, NULL, NULL, 0};

enum { BLOCK = 4096 };

/* N(12,i), level by level in a block of its own. */
static void block_node(const void *context, uint64_t i, void *out)
{
    uint8_t y[BLOCK];
    (void)context;
    for (uint64_t k = 0; k < BLOCK; k++) y[k] = element(i * BLOCK + k);
    for (size_t half = BLOCK / 2; half > 0; half /= 2)
        for (size_t k = 0; k < half; k++) y[k] = stir(y[2 * k], y[2 * k + 1]);
    *(uint8_t *)out = y[0];
}

static void tree(void **state)
{
    const uint64_t power = n - 5;
    uint8_t p, got;
    (void)state;
    reference_reduce(&stirring, block_node, NULL, power / BLOCK, &p); /* P(2^32) */
    const uint8_t four = stir(stir(element(power), element(power + 1)), stir(element(power + 2), element(power + 3)));
    const uint8_t expected = stir(stir(p, four), element(power + 4));
    assert_int_equal(oplus_reduce(dev, &stir_op, x, n, &got), OPLUS_OK);
    assert_int_equal(got, expected);
    assert_int_equal(oplus_scan(dev, &stir_op, OPLUS_INCLUSIVE, x, n, x), OPLUS_OK);
    assert_int_equal(x[n - 1], expected);
    assert_int_equal(x[n - 2], stir(p, four));
    assert_int_equal(x[power - 1], p);
    for (uint64_t m = power / 2; m >= BLOCK; m /= 2) { /* and every power of two below */
        reference_reduce(&stirring, block_node, NULL, m / BLOCK, &p);
        assert_int_equal(x[m - 1], p);
        if (m == power / 2) m /= 64;
    }
    fill();
}

/* --- filter and transpose */

OPLUS_PREDICATE(rare, uint8_t, { return a == 77; })

static void moves(void **state)
{
    uint64_t expected = 0;
    size_t kept;
    (void)state;
#pragma omp parallel for reduction(+ : expected)
    for (uint64_t i = 0; i < n; i++) expected += element(i) == 77;
    assert_int_equal(oplus_filter(dev, &rare_fn, x, n, x, &kept), OPLUS_OK);
    assert_true(kept == expected);
    for (size_t i = 0; i < kept; i++) assert_int_equal(x[i], 77);
    fill();

    uint8_t *const y = must(malloc(n));
    const size_t rows = 65539, cols = 65533; /* 2^32 - 9 elements: indices of 32 bits with a sign overflow */
    assert_int_equal(oplus_transpose(dev, &oplus_u8, x, rows, cols, y), OPLUS_OK);
    for (size_t k = 0; k < cols; k += 97)
        for (size_t i = 0; i < rows; i++)
            if (y[k * rows + i] != x[i * cols + k]) fail_msg("transpose is wrong at (%zu,%zu)", i, k);
    free(y);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(integers), cmocka_unit_test(tree), cmocka_unit_test(moves)};
    if (test_quick() || !test_all()) {
        printf("large: skipped, OPLUS_TEST_%s set; ./run check all has it\n", test_quick() ? "QUICK is" : "ALL is not");
        return 77;
    }
    if (test_free_bytes() < (UINT64_C(12) << 30)) {
        printf("large: skipped, less than 12 GB of memory are free\n");
        return 77;
    }
    return cmocka_run_group_tests_name("large", tests, make_problem, free_problem);
}
