/* Laws of sorts by members of structs: elements are in the order of a plain stable sort, at every place, with arrays of the host and
 * of the device; members lie anywhere, also across words, and several of them in the same bytes. */
#include "support/keys.h"
#include "support/laws.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_MEMBERS = 12 };

static const oplus_type *const scalars[] = {&oplus_f64, &oplus_u8,  &oplus_i32, &oplus_i8,  &oplus_u16,
                                            &oplus_f32, &oplus_i16, &oplus_u32, &oplus_u64, &oplus_i64};

/* --- the order, by definition ------------------------------------------------------------------------------------- */

static struct {
    const oplus_sort_member *members;
    size_t count, size;
    const char *elements;
} sorting; /* what compare() is of */

/* Where a member comes, as an unsigned integer. */
static uint64_t rank_of(const oplus_sort_member *m, const char *element)
{
    uint64_t bits = 0;
    memcpy(&bits, element + m->offset, m->type->size); /* little endian */
    const uint64_t sign = (uint64_t)1 << (8 * m->type->size - 1), all = sign | (sign - 1);
    const oplus_scalar s = m->type->scalar;
    if (s == OPLUS_F32 || s == OPLUS_F64)
        bits = bits & sign ? ~bits & all : bits ^ sign;
    else if (s == OPLUS_I8 || s == OPLUS_I16 || s == OPLUS_I32 || s == OPLUS_I64)
        bits ^= sign;
    return m->order == OPLUS_DESCENDING ? all - bits : bits;
}

static int compare(const void *a, const void *b)
{
    const size_t i = *(const size_t *)a, j = *(const size_t *)b;
    for (size_t k = 0; k < sorting.count; k++) {
        const uint64_t x = rank_of(&sorting.members[k], sorting.elements + i * sorting.size);
        const uint64_t y = rank_of(&sorting.members[k], sorting.elements + j * sorting.size);
        if (x != y) return x < y ? -1 : 1;
    }
    return i < j ? -1 : i > j;
}

/* --- one case ----------------------------------------------------------------------------------------------------- */

typedef struct members_case {
    oplus_type type;
    oplus_sort_member members[MOST_MEMBERS];
    size_t count, n;
} members_case;

static void wrong(const place *at, const members_case *c, const char *call, size_t i)
{
    fail_msg("%s %s: %s of %zu elements of %zu bytes by %zu members is wrong at %zu\n    OPLUS_TEST_SEED=%llu",
             at->where, at->isa, call, c->n, c->type.size, c->count, i, (unsigned long long)test_seed());
}

/* Members have few values, so that many are equal, and the odd ones of tests/support/keys.h. */
static void fill(rng *r, const members_case *c, char *elements)
{
    const size_t size = c->type.size;
    for (size_t i = 0; i < c->n * size; i++) elements[i] = (char)rng_next(r);
    for (size_t k = 0; k < c->count; k++) {
        const oplus_sort_member *const m = &c->members[k];
        const unsigned kind = (unsigned)rng_below(r, KEY_KINDS);
        const bool few = rng_below(r, 3) > 0;
        for (size_t i = 0; i < c->n; i++) {
            const uint64_t bits =
                few ? odd_key(r, m->type, kind, rng_below(r, 3), 3) : odd_key(r, m->type, kind, i, c->n);
            memcpy(elements + i * size + m->offset, &bits, m->type->size);
        }
    }
}

static size_t *wanted_order(const members_case *c, const char *elements)
{
    size_t *const order = must(malloc((c->n + 1) * sizeof *order));
    for (size_t i = 0; i < c->n; i++) order[i] = i;
    sorting.members = c->members;
    sorting.count = c->count;
    sorting.size = c->type.size;
    sorting.elements = elements;
    qsort(order, c->n, sizeof *order, compare);
    return order;
}

static void argsort_of(rng *r, const place *at, const members_case *c, char *elements, const size_t *wanted)
{
    static const oplus_type *const types[] = {&oplus_u32, &oplus_u64, &oplus_i32, &oplus_i64};
    const oplus_type *const index = types[rng_below(r, at->accelerator && !at->thorough ? 1 : 4)];
    const size_t bytes = c->n * c->type.size;
    char *const indices = must(malloc(c->n * index->size + 1)), *const before = must(malloc(bytes + 1));
    memcpy(before, elements, bytes);
    void *const there = lend(at->dev, at->accelerator && rng_below(r, 2), elements, bytes);
    void *const to = lend(at->dev, at->accelerator && rng_below(r, 2), indices, c->n * index->size);
    must_be_ok(oplus_argsort_members(at->dev, &c->type, c->members, c->count, there, c->n, index, to),
               "argsort_members");
    end_loan(at->dev, there, elements, bytes);
    end_loan(at->dev, to, indices, c->n * index->size);
    for (size_t i = 0; i < c->n; i++) {
        uint64_t own = 0;
        memcpy(&own, indices + i * index->size, index->size);
        if (own != wanted[i]) wrong(at, c, "argsort_members", i);
    }
    assert_memory_equal(elements, before, bytes);
    free(indices);
    free(before);
}

static void members_of_case(rng *r, const place *at, const members_case *c)
{
    const size_t size = c->type.size, bytes = c->n * size, skew = c->type.align == 1 ? rng_below(r, 4) : 0;
    char *const base = must(malloc(bytes + skew + 1)), *const elements = must(malloc(bytes + 1));
    memset(base, 0, skew);
    fill(r, c, elements);
    memcpy(base + skew, elements, bytes);
    size_t *const wanted = wanted_order(c, elements);
    argsort_of(r, at, c, elements, wanted);
    char *const there = lend(at->dev, at->accelerator && rng_below(r, 2), base, bytes + skew);
    must_be_ok(oplus_sort_members(at->dev, &c->type, c->members, c->count, there + skew, c->n), "sort_members");
    end_loan(at->dev, there, base, bytes + skew);
    for (size_t i = 0; i < c->n; i++)
        if (memcmp(base + skew + i * size, elements + wanted[i] * size, size) != 0) wrong(at, c, "sort_members", i);
    free(base);
    free(elements);
    free(wanted);
}

/* --- the laws ----------------------------------------------------------------------------------------------------- */

/* A struct that no compiler laid out: any size, members at any offset. */
static members_case packed_case(rng *r)
{
    members_case c = {
        .type = {OPLUS_ABI, "packed", NULL, 8 + rng_below(r, rng_below(r, 4) ? 33 : 3000), 1, OPLUS_RECORD, NULL}};
    c.count = 1 + rng_below(r, rng_below(r, 2) ? 3 : MOST_MEMBERS);
    for (size_t k = 0; k < c.count; k++) {
        const oplus_type *const type = scalars[rng_below(r, sizeof scalars / sizeof *scalars)];
        c.members[k] = (oplus_sort_member){rng_below(r, c.type.size - type->size + 1), type,
                                           rng_below(r, 2) ? OPLUS_DESCENDING : OPLUS_ASCENDING};
    }
    return c;
}

OPLUS_STRUCT(item, double price; int32_t shop; uint16_t day; int8_t kind;)

/* Members as a compiler lays them out: all of them fit 64 bits but for the price. */
static members_case item_case(rng *r)
{
    const bool up = rng_below(r, 2), by_price = rng_below(r, 2);
    const oplus_order a = up ? OPLUS_ASCENDING : OPLUS_DESCENDING, b = up ? OPLUS_DESCENDING : OPLUS_ASCENDING;
    members_case c = {.type = item_type,
                      .members = {OPLUS_MEMBER(item, kind, &oplus_i8, a), OPLUS_MEMBER(item, shop, &oplus_i32, b),
                                  OPLUS_MEMBER(item, day, &oplus_u16, a), OPLUS_MEMBER(item, price, &oplus_f64, b)}};
    c.count = by_price ? 4 : 1 + rng_below(r, 3);
    return c;
}

static size_t any_size(rng *r)
{
    const size_t power = (size_t)1 << rng_below(r, test_quick() ? 12 : 14);
    return rng_below(r, 2) ? rng_below(r, 2 * power) : power + rng_below(r, 3) - (power > 1);
}

static void members_are_compared(rng *r, const place *at)
{
    members_case c = item_case(r);
    c.n = any_size(r);
    members_of_case(r, at, &c);
}

/* Each struct is a program of its own on an accelerator. */
static void members_lie_anywhere(rng *r, const place *at)
{
    for (unsigned i = 0; i < (at->accelerator ? 2 : 10); i++) {
        members_case c = packed_case(r);
        c.n = any_size(r) / (1 + c.type.size / 100);
        members_of_case(r, at, &c);
    }
}

/* All threads have some. */
static void many_are_compared(rng *r, const place *at)
{
    members_case c = item_case(r);
    c.n = 100000;
    if (!at->accelerator) members_of_case(r, at, &c);
}

/* --- the run ------------------------------------------------------------------------------------------------------ */

#define OFTEN(law) LAW_OFTEN(law, 4, 10)
OFTEN(members_are_compared)
OFTEN(members_lie_anywhere)
OFTEN(many_are_compared)

static int close_all(void **state)
{
    (void)state;
    close_places();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_are_compared_often),
        cmocka_unit_test(members_lie_anywhere_often),
        cmocka_unit_test(many_are_compared_often),
    };
    test_seed();
    return cmocka_run_group_tests_name("members", tests, NULL, close_all);
}
