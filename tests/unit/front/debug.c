/* A program that is compiled with OPLUS_DEBUG: operators are called once a join, and give the same bits. */
#define OPLUS_DEBUG
#include <oplus/oplus.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { N = 3000 };

static size_t calls;
OPLUS_OP(add, float, (0), OPLUS_COMMUTATIVE, {
    calls++;
    return a + b;
})
OPLUS_STRUCT(affine, uint32_t scale; uint32_t shift;)
OPLUS_OP(compose, affine, (1, 0), OPLUS_EXACT, {
    affine r;
    r.scale = a.scale * b.scale;
    r.shift = a.shift * b.scale + b.shift;
    return r;
})
OPLUS_OP_WITH(add_modulo, uint32_t, uint32_t, (0), OPLUS_EXACT | OPLUS_COMMUTATIVE, { return (a + b) % p; })
OPLUS_HELPER float twice(float a) { return a + a; }
OPLUS_ZIP(axpy, float, float, float, { return twice(a) + b; })
OPLUS_PREDICATE_WITH(below, float, float, { return a < p; })

static oplus_device *dev;
static float x[N], y[N], expected[N];

static int open_serial(void **state)
{
    (void)state;
    for (int i = 0; i < N; i++) x[i] = (float)(i * 7919 % 1000) * 0.37f - 100;
    return oplus_open("serial", &dev) != OPLUS_OK;
}

static int close_it(void **state)
{
    (void)state;
    oplus_close(dev);
    return 0;
}

static void a_call_a_join(void **state)
{
    float sum, same;
    (void)state;
    assert_null(add_op.leaves);
    calls = 0;
    assert_int_equal(oplus_reduce(dev, &add_op, x, N, &sum), OPLUS_OK);
    assert_int_equal(calls, N - 1);
    assert_int_equal(oplus_reduce(dev, &oplus_sum_f32, x, N, &same), OPLUS_OK);
    assert_memory_equal(&sum, &same, sizeof sum);
}

static void the_same_bits(void **state)
{
    (void)state;
    for (int kind = OPLUS_INCLUSIVE; kind <= OPLUS_EXCLUSIVE; kind++) {
        assert_int_equal(oplus_scan(dev, &add_op, (oplus_kind)kind, x, N, y), OPLUS_OK);
        assert_int_equal(oplus_scan(dev, &oplus_sum_f32, (oplus_kind)kind, x, N, expected), OPLUS_OK);
        assert_memory_equal(y, expected, sizeof y);
    }
}

static void in_order(void **state)
{
    static affine m[N];
    affine all, plain = {1, 0};
    (void)state;
    for (uint32_t i = 0; i < N; i++) {
        m[i] = (affine){2 * i + 1, i};
        plain = (affine){plain.scale * m[i].scale, plain.shift * m[i].scale + m[i].shift};
    }
    assert_int_equal(oplus_reduce(dev, &compose_op, m, N, &all), OPLUS_OK);
    assert_memory_equal(&all, &plain, sizeof all);
}

static void parameters(void **state)
{
    static uint32_t u[N];
    const uint32_t seven = 7;
    const float zero = 0;
    const oplus_op add7 = oplus_op_with(&add_modulo_op, &seven);
    const oplus_fn negative = oplus_with(&below_fn, &zero);
    uint32_t sum, plain = 0;
    size_t kept, count = 0;
    (void)state;
    for (uint32_t i = 0; i < N; i++) {
        u[i] = i % 7;
        plain = (plain + u[i]) % 7;
        count += x[i] < 0;
    }
    assert_int_equal(oplus_reduce(dev, &add7, u, N, &sum), OPLUS_OK);
    assert_int_equal(sum, plain);
    assert_int_equal(oplus_filter(dev, &negative, x, N, y, &kept), OPLUS_OK);
    assert_int_equal(kept, count);
    assert_int_equal(oplus_map(dev, &axpy_fn, OPLUS_IN(x, x), N, y), OPLUS_OK);
    for (int i = 0; i < N; i++) assert_true(y[i] == 2 * x[i] + x[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_call_a_join),
        cmocka_unit_test(the_same_bits),
        cmocka_unit_test(in_order),
        cmocka_unit_test(parameters),
    };
    return cmocka_run_group_tests_name("debug", tests, open_serial, close_it);
}
