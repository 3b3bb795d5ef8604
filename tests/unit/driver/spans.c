/* Memory by its address (driver/spans.h), compared with a list that is searched from its beginning. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "driver/spans.h"

#include <stdlib.h>

enum { MOST = 200, ADDRESSES = 4000, TIMES = 20000 };

static char memory[ADDRESSES];

/* --- the reference ------------------------------------------------------------------------------------------------ */

static struct {
    opi_span at[MOST]; /* in the order in which they were added */
    size_t count;
} all;

/* The span that begins nearest to p; of several, the one added last. */
static const opi_span *expected(const char *p)
{
    const opi_span *nearest = NULL;
    for (size_t i = 0; i < all.count; i++)
        if (all.at[i].address <= p && (!nearest || all.at[i].address >= nearest->address)) nearest = &all.at[i];
    return nearest && p < nearest->address + nearest->reach ? nearest : NULL;
}

static bool forget(const char *address, opi_span *forgotten)
{
    for (size_t i = all.count; i-- > 0;)
        if (all.at[i].address == address) {
            *forgotten = all.at[i];
            for (size_t k = i + 1; k < all.count; k++) all.at[k - 1] = all.at[k];
            all.count--;
            return true;
        }
    return false;
}

/* --- the laws ----------------------------------------------------------------------------------------------------- */

static uint64_t state_of_chance = 1;

static size_t below(size_t n)
{
    state_of_chance = state_of_chance * 6364136223846793005u + 1442695040888963407u;
    return (size_t)(state_of_chance >> 33) % n;
}

static void same(const opi_span *a, const opi_span *b)
{
    assert_true(!a == !b);
    if (!a || !b) return;
    assert_ptr_equal(a->address, b->address);
    assert_int_equal(a->bytes, b->bytes);
    assert_ptr_equal(a->object, b->object);
}

static void add(opi_spans *spans)
{
    char *const address = memory + below(ADDRESSES - 64);
    const size_t bytes = 1 + below(40);
    const opi_span one = {.address = address,
                          .bytes = bytes,
                          .reach = bytes + below(20),
                          .side = OPI_SIDE_DEVICE,
                          .object = memory + below(ADDRESSES)}; /* by which it is told from others */
    assert_true(opi_spans_reserve(spans));
    opi_spans_add(spans, one);
    all.at[all.count++] = one;
}

static void remove_one(opi_spans *spans)
{
    const char *const address = below(4) == 0 ? memory + below(ADDRESSES) : all.at[below(all.count)].address;
    opi_span removed = {.address = NULL}, forgotten = {.address = NULL};
    assert_int_equal(opi_spans_remove(spans, address, &removed), forget(address, &forgotten));
    same(&removed, &forgotten);
}

static void chances(void **state)
{
    opi_spans spans = {.at = NULL};
    (void)state;
    for (int t = 0; t < TIMES; t++) {
        if (all.count == 0 || (all.count < MOST && below(2) == 0))
            add(&spans);
        else if (below(3) == 0)
            remove_one(&spans);
        const char *const p = memory + below(ADDRESSES);
        same(opi_spans_find(&spans, p), expected(p));
        assert_int_equal(spans.count, all.count);
    }
    opi_spans_free(&spans);
    assert_null(opi_spans_find(&spans, memory));
}

static void holding(void **state)
{
    const opi_span span = {.address = memory + 100, .bytes = 50, .reach = 60};
    (void)state;
    assert_true(opi_span_holds(&span, memory + 100, 50));
    assert_false(opi_span_holds(&span, memory + 100, 51));
    assert_true(opi_span_holds(&span, memory + 150, 0)); /* its end */
    assert_false(opi_span_holds(&span, memory + 150, 1));
    assert_false(opi_span_holds(&span, memory + 155, 0));
    assert_false(opi_span_holds(&span, memory + 120, SIZE_MAX));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(chances), cmocka_unit_test(holding)};
    return cmocka_run_group_tests_name("spans", tests, NULL, NULL);
}
