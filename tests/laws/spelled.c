/* A type of C may be spelled in any way in the macros (bool, char, long, long long, unsigned char ...): it is the
 * scalar type of its size and sign, at every place, and a bool is 0 or 1 there. */
#include "support/laws.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* X(name, T, a value that a narrower type or one of the other sign does not hold) */
#define FOR_INTEGERS(X)                                                                                                \
    X(of_char, char, CHAR_MIN < 0 ? -100 : 200)                                                                        \
    X(of_signed_char, signed char, -100)                                                                               \
    X(of_unsigned_char, unsigned char, 200)                                                                            \
    X(of_short, short, -30000)                                                                                         \
    X(of_unsigned_short, unsigned short, 60000)                                                                        \
    X(of_int, int, INT_MIN + 5)                                                                                        \
    X(of_unsigned, unsigned int, UINT_MAX - 5)                                                                         \
    X(of_long, long, LONG_MIN + 5)                                                                                     \
    X(of_unsigned_long, unsigned long, ULONG_MAX - 5)                                                                  \
    X(of_long_long, long long, LLONG_MIN + 5)                                                                          \
    X(of_unsigned_long_long, long long unsigned, ULLONG_MAX - 5)                                                       \
    X(of_size, size_t, SIZE_MAX - 5)                                                                                   \
    X(of_ptrdiff, ptrdiff_t, PTRDIFF_MIN + 5)

enum { N = 4099 };
static unsigned char memory[3][N * sizeof(long long)] __attribute__((aligned(64)));
static const place *here;
static oplus_device *core;

static void good(oplus_status status, const char *what)
{
    if (status != OPLUS_OK) fail_msg("%s at %s: %s", what, here->where, oplus_last_error());
}

/* The larger one, compared at each place with the value here; and half of it, for which the sign matters too.  A
 * device, whose compiler takes seconds, only computes the halves, and of some types: the other primitives spell a type
 * in the same way. */
#define INTEGER(name, T, extreme)                                                                                      \
    OPLUS_SEMIGROUP(largest_##name, T, OPLUS_COMMUTATIVE | OPLUS_EXACT, { return a < b ? b : a; })                     \
    OPLUS_ZIP(halves_##name, T, T, T, { return a / 2 - b / 2; })                                                       \
    OPLUS_PREDICATE(above_##name, T, { return a > 5; })                                                                \
    static void try_##name(void)                                                                                       \
    {                                                                                                                  \
        T *const x = (void *)memory[0], *const y = (void *)memory[1], *const z = (void *)memory[2], most;              \
        size_t kept, expected = 0;                                                                                     \
        for (size_t i = 0; i < N; i++) x[i] = i % 3 ? (T)(i % 11) : (T)(extreme);                                      \
        good(oplus_scan(here->accelerator ? core : here->dev, &largest_##name##_op, OPLUS_INCLUSIVE, x, N, y), #name); \
        good(oplus_map(here->dev, &halves_##name##_fn, (const void *[]){x, y}, N, z), #name);                          \
        most = x[0];                                                                                                   \
        for (size_t i = 0; i < N; i++) {                                                                               \
            most = most < x[i] ? x[i] : most;                                                                          \
            if (y[i] != most || z[i] != (T)(x[i] / 2 - most / 2))                                                      \
                fail_msg(#name " at %s: [%zu]: of %lld the largest is %lld, not %lld; halves %lld", here->where, i,    \
                         (long long)x[i], (long long)most, (long long)y[i], (long long)z[i]);                          \
            expected += x[i] > 5;                                                                                      \
        }                                                                                                              \
        good(oplus_filter(here->accelerator ? core : here->dev, &above_##name##_fn, x, N, z, &kept), #name);           \
        assert_int_equal(kept, expected);                                                                              \
        assert_int_equal(largest_##name##_op.type->size, sizeof(T));                                                   \
    }
FOR_INTEGERS(INTEGER)

/* --- a bool: what a body returns becomes 0 or 1 ------------------------------------------------------------------- */

OPLUS_OP(any, bool, (false), OPLUS_COMMUTATIVE | OPLUS_EXACT, { return a + b; })
OPLUS_MAP(has_256, bool, int, { return a & 256; })
OPLUS_MAP_WITH(minus, int, _Bool, bool, { return a - p; })
OPLUS_PREDICATE(is_set, bool, { return a; })

static void try_bool(void)
{
    int *const x = (void *)memory[0], *const z = (void *)memory[2], *const sum = (void *)memory[0];
    bool *const y = (void *)memory[1], seen = false, one = true;
    size_t kept, expected = 0;
    oplus_fn less_one = oplus_with(&minus_fn, &one);
    for (int i = 0; i < N; i++) x[i] = i * 64;
    good(oplus_map(here->dev, &has_256_fn, (const void *[]){x}, N, y), "map to bool");
    for (int i = 0; i < N; i++) expected += (size_t)y[i];
    for (int i = 0; i < N; i++) assert_int_equal(((unsigned char *)y)[i], i >> 2 & 1);
    good(oplus_map(here->accelerator ? core : here->dev, &less_one, (const void *[]){y}, N, z), "map of bool");
    for (int i = 0; i < N; i++) assert_int_equal(z[i], y[i] - 1);
    good(oplus_filter(here->accelerator ? core : here->dev, &is_set_fn, y, N, sum, &kept), "filter of bool");
    assert_int_equal(kept, expected);
    good(oplus_scan(here->dev, &any_op, OPLUS_EXCLUSIVE, y, N, memory[0]), "scan of bool");
    for (int i = 0; i < N; i++) {
        assert_int_equal(memory[0][i], seen);
        seen = seen || y[i];
    }
    good(oplus_reduce(here->accelerator ? core : here->dev, &any_op, y, N, &one), "reduce of bool");
    assert_true(one);
}

/* --- at every place ----------------------------------------------------------------------------------------------- */

static void at_every_place(void (*attempt)(void), bool accelerators)
{
    size_t count, tried = 0;
    const place *const places = all_places(&count);
    core = places[0].dev;
    for (size_t i = 0; i < count; i++) {
        here = &places[i];
        if (here->accelerator && (!accelerators || tried++ > 0)) continue;
        if (stand_at(here, NULL, false)) attempt();
    }
}

static void integers(void **state)
{
    (void)state;
#define TRY(name, T, extreme) at_every_place(try_##name, sizeof(T) == 1 || strcmp(#T, "long long") == 0);
    FOR_INTEGERS(TRY)
}

static void truth(void **state)
{
    (void)state;
    at_every_place(try_bool, true);
}

/* The descriptor is that of the scalar type of that size and sign, in a struct too. */
static void descriptors(void **state)
{
    (void)state;
    assert_ptr_equal(any_op.type, &oplus_bool);
    assert_int_equal(oplus_bool.scalar, OPLUS_U8);
    assert_ptr_equal(largest_of_unsigned_char_op.type, &oplus_u8);
    assert_ptr_equal(largest_of_char_op.type, CHAR_MIN < 0 ? &oplus_i8 : &oplus_u8);
    assert_ptr_equal(largest_of_short_op.type, &oplus_i16);
    assert_ptr_equal(largest_of_long_op.type, sizeof(long) == 8 ? &oplus_i64 : &oplus_i32);
    assert_ptr_equal(largest_of_long_long_op.type, &oplus_i64);
    assert_ptr_equal(largest_of_unsigned_long_long_op.type, &oplus_u64);
}

/* The same from texts. */
static void texts(void **state)
{
    const bool x[] = {true, false, true};
    bool y[3];
    oplus_op *op;
    oplus_fn *fn;
    const oplus_type *const input[] = {&oplus_bool};
    size_t count;
    (void)state;
    here = all_places(&count);
    good(oplus_op_make("count", &oplus_bool, NULL, 0, NULL, "a + b", NULL, &op), "oplus_op_make");
    good(oplus_reduce(here->dev, op, x, 3, y), "reduce");
    assert_int_equal(*(const unsigned char *)y, 1);
    good(oplus_fn_make("twice", &oplus_bool, 1, input, NULL, "a * 2", &fn), "oplus_fn_make");
    good(oplus_map(here->dev, fn, (const void *[]){x}, 3, y), "map");
    assert_memory_equal(x, y, sizeof x);
    oplus_op_free(op), oplus_fn_free(fn);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers),
        cmocka_unit_test(truth),
        cmocka_unit_test(descriptors),
        cmocka_unit_test(texts),
    };
    const int failed = cmocka_run_group_tests_name("spelled", tests, NULL, NULL);
    close_places();
    return failed;
}
