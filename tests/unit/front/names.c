/* The macros of oplus/op.h take no names but `name`, `name_op`, `name_fn` and `name_type`: all names that they use
 * inside are free for types, operators and functions.  Most of this test is that it compiles; see also laws/cxx.cpp. */
#include <oplus/oplus.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include <cmocka.h>

/* --- 1. types, each with an operator and functions that see it ---------------------------------------------------- */

#define AFFINE(T)                                                                                                      \
    OPLUS_STRUCT(T, uint32_t scale; uint32_t shift;)                                                                   \
    OPLUS_OP(compose_##T, T, (1, 0), OPLUS_EXACT, {                                                                    \
        T r;                                                                                                           \
        r.scale = a.scale * b.scale;                                                                                   \
        r.shift = a.shift * b.scale + b.shift;                                                                         \
        return r;                                                                                                      \
    })                                                                                                                 \
    OPLUS_SEMIGROUP_WITH(moved_##T, T, T, OPLUS_EXACT, {                                                               \
        T r;                                                                                                           \
        r.scale = a.scale + b.scale - p.scale;                                                                         \
        r.shift = a.shift ^ b.shift ^ p.shift;                                                                         \
        return r;                                                                                                      \
    })                                                                                                                 \
    OPLUS_ZIP_WITH(make_##T, T, uint32_t, uint32_t, T, {                                                               \
        T r;                                                                                                           \
        r.scale = p.scale + a;                                                                                         \
        r.shift = p.shift ^ b;                                                                                         \
        return r;                                                                                                      \
    })                                                                                                                 \
    OPLUS_MAP(shift_##T, uint32_t, T, { return a.shift; })                                                             \
    OPLUS_PREDICATE_WITH(is_##T, T, T, { return a.shift != p.shift; })
#define FOR_TYPES(X)                                                                                                   \
    X(node)                                                                                                            \
    X(in)                                                                                                              \
    X(out)                                                                                                             \
    X(level)                                                                                                           \
    X(before)                                                                                                          \
    X(head)                                                                                                            \
    X(heads)                                                                                                           \
    X(identity)                                                                                                        \
    X(flags)                                                                                                           \
    X(e)                                                                                                               \
    X(nodes)                                                                                                           \
    X(ladder)                                                                                                          \
    X(exclusive)                                                                                                       \
    X(size)                                                                                                            \
    X(first)                                                                                                           \
    X(size_)                                                                                                           \
    X(in_)                                                                                                             \
    X(out_)                                                                                                            \
    X(level_)                                                                                                          \
    X(before_)                                                                                                         \
    X(head_)                                                                                                           \
    X(heads_)                                                                                                          \
    X(identity_)                                                                                                       \
    X(flags_)                                                                                                          \
    X(e_)                                                                                                              \
    X(nodes_)                                                                                                          \
    X(node_)                                                                                                           \
    X(ladder_)                                                                                                         \
    X(exclusive_)                                                                                                      \
    X(first_)                                                                                                          \
    X(a_)                                                                                                              \
    X(b_)                                                                                                              \
    X(x_)                                                                                                              \
    X(y_)                                                                                                              \
    X(n_)                                                                                                              \
    X(i_)                                                                                                              \
    X(p_)                                                                                                              \
    X(joined_)                                                                                                         \
    X(param_)                                                                                                          \
    X(in0_)                                                                                                            \
    X(in1_)                                                                                                            \
    X(free)                                                                                                            \
    X(make)                                                                                                            \
    X(named)                                                                                                           \
    X(members)                                                                                                         \
    X(with)
FOR_TYPES(AFFINE)

/* --- 2. operators and functions ----------------------------------------------------------------------------------- */

#define FOR_SUMS(X)    X(joined) X(x) X(y) X(a) X(out2_) X(own_out_) X(combine) X(lift_)
#define FOR_SQUARES(X) X(n) X(i) X(param) X(p) X(in0) X(call) X(own_n_) X(leaf_)
#define SUM(name)      OPLUS_OP(name, uint32_t, (0), OPLUS_COMMUTATIVE | OPLUS_EXACT, { return a + b; })
#define SQUARE(name)   OPLUS_MAP(name, uint32_t, uint32_t, { return a * a; })
FOR_SUMS(SUM)
FOR_SQUARES(SQUARE)

/* The user's own functions beside an operator; they are the user's, whatever it is. */
#define OWN(suffix)                                                                                                    \
    static int matrix_##suffix(void) { return (int)sizeof #suffix; }
#define FOR_SUFFIXES(X) X(copy) X(pick) X(lift) X(combine) X(identity) X(node) X(scan) X(segscan) X(leaves) X(leaf)
FOR_SUFFIXES(OWN)
OPLUS_STRUCT(matrix_described, uint32_t m[4];)
OPLUS_OP(matrix, matrix_described, ({1, 0, 0, 1}), 0, {
    matrix_described r;
    for (int row = 0; row < 4; row += 2)
        for (int k = 0; k < 2; k++) r.m[row + k] = a.m[row] * b.m[k] + a.m[row + 1] * b.m[2 + k];
    return r;
})

/* --- 3. a macro for a type, and a function that bodies call ------------------------------------------------------- */

#define real double
OPLUS_HELPER real fused(real a, real b, real c) { return a * b + c; }
OPLUS_HELPER __attribute__((always_inline)) real larger(real a, real b) { return a < b ? b : a; }
OPLUS_OP(largest, real, (-1), OPLUS_COMMUTATIVE, { return larger(a, b); })
OPLUS_OP_WITH(largest_below, real, real, (-1), OPLUS_COMMUTATIVE, { return larger(larger(a, b), -p); })
OPLUS_MAP(halved, real, real, { return a / 2; })
OPLUS_ZIP3(residue, real, real, real, real, { return fused(a, b, c); })
OPLUS_ZIP4(inner, real, real, real, real, real, { return a * b + c * d; })
OPLUS_ZIP_WITH(blend, real, real, real, real, { return larger(a, b) * p; })
OPLUS_PREDICATE(positive, real, { return a > 0; })

/* --- the tests ---------------------------------------------------------------------------------------------------- */

enum { N = 5000 };
static oplus_device *dev;
static uint32_t one[N], two[N], results[N];

static void fill(void)
{
    for (uint32_t at = 0; at < N; at++) {
        one[at] = at * 2654435761u;
        two[at] = at * 40503u + 7;
    }
}

/* Makes N affine maps with scale 1 + 2 one[] and shift 5 ^ two[], scans them, and takes out what is wanted. */
static void chain(const oplus_op *compose, const oplus_fn *make, const oplus_fn *shift, const oplus_fn *differs)
{
    static uint32_t maps[N][2];
    static uint8_t starts[N];
    const uint32_t offset[2] = {1, 5}, last_shift[2] = {0, 0};
    const oplus_fn made = oplus_with(make, offset), other = oplus_with(differs, last_shift);
    uint32_t scale = 1, sum = 0;
    size_t kept = 0, expected = 0;

    fill();
    for (size_t at = 0; at < N; at++) one[at] *= 2;
    assert_int_equal(oplus_map(dev, &made, (const void *const[]){one, two}, N, maps), OPLUS_OK);
    assert_int_equal(oplus_scan(dev, compose, OPLUS_EXCLUSIVE, maps, N, maps), OPLUS_OK);
    assert_int_equal(oplus_map(dev, shift, (const void *const[]){maps}, N, results), OPLUS_OK);
    for (size_t at = 0; at < N; at++) {
        assert_int_equal(maps[at][0], scale);
        assert_int_equal(results[at], sum);
        expected += sum != 0;
        scale *= 1 + one[at];
        sum = sum * (1 + one[at]) + (5 ^ two[at]);
    }
    assert_int_equal(oplus_filter(dev, &other, maps, N, maps, &kept), OPLUS_OK);
    assert_int_equal(kept, expected);

    assert_int_equal(oplus_map(dev, &made, (const void *const[]){one, two}, N, maps), OPLUS_OK);
    for (size_t at = 0; at < N; at++) starts[at] = at % 77 == 3;
    assert_int_equal(oplus_segscan(dev, compose, OPLUS_INCLUSIVE, maps, starts, N, maps), OPLUS_OK);
    sum = 0;
    for (size_t at = 0; at < N; at++) {
        sum = (starts[at] ? 0 : sum * (1 + one[at])) + (5 ^ two[at]);
        assert_int_equal(maps[at][1], sum);
    }
}

/* An operator whose parameter is of the element's type: the sum, p taken off between any two. */
static void sums_less_p(const oplus_op *moved)
{
    static uint32_t maps[N][2];
    const uint32_t p[2] = {3, 9};
    uint32_t scale = 0, shift = 0, total[2];
    fill();
    for (size_t at = 0; at < N; at++) {
        scale += (maps[at][0] = one[at]) - (at > 0 ? p[0] : 0);
        shift ^= (maps[at][1] = two[at]) ^ (at > 0 ? p[1] : 0);
    }
    const oplus_op bound = oplus_op_with(moved, p);
    assert_int_equal(oplus_reduce(dev, &bound, maps, N, total), OPLUS_OK);
    assert_int_equal(total[0], scale);
    assert_int_equal(total[1], shift);
}

static void types(void **state)
{
    (void)state;
#define MOVED(T) sums_less_p(&moved_##T##_op);
    FOR_TYPES(MOVED)
#define CHAIN(T) chain(&compose_##T##_op, &make_##T##_fn, &shift_##T##_fn, &is_##T##_fn);
    FOR_TYPES(CHAIN)
}

static void operators(void **state)
{
    const oplus_op *const sums[] = {
#define OP(name) &name##_op,
        FOR_SUMS(OP)};
    (void)state;
    fill();
    for (size_t which = 0; which < sizeof sums / sizeof *sums; which++) {
        uint32_t sum = 0;
        assert_int_equal(oplus_scan(dev, sums[which], OPLUS_INCLUSIVE, one, N, results), OPLUS_OK);
        for (size_t at = 0; at < N; at++) assert_int_equal(results[at], sum += one[at]);
    }
}

static void functions(void **state)
{
    const oplus_fn *const squares[] = {
#define FN(name) &name##_fn,
        FOR_SQUARES(FN)};
    (void)state;
    fill();
    for (size_t which = 0; which < sizeof squares / sizeof *squares; which++) {
        assert_int_equal(oplus_map(dev, squares[which], (const void *const[]){two}, N, results), OPLUS_OK);
        for (size_t at = 0; at < N; at++) assert_int_equal(results[at], two[at] * two[at]);
    }
}

static void suffixes(void **state)
{
    const matrix_described fibonacci[3] = {{{1, 1, 1, 0}}, {{1, 1, 1, 0}}, {{1, 1, 1, 0}}};
    matrix_described power;
    (void)state;
#define CALL(suffix) assert_int_equal(matrix_##suffix(), sizeof #suffix);
    FOR_SUFFIXES(CALL)
    assert_int_equal(oplus_reduce(dev, &matrix_op, fibonacci, 3, &power), OPLUS_OK);
    assert_memory_equal(&power, &((matrix_described){{3, 2, 2, 1}}), sizeof power);
    assert_int_equal(oplus_reduce(dev, &matrix_op, fibonacci, 0, &power), OPLUS_OK);
    assert_memory_equal(&power, &((matrix_described){{1, 0, 0, 1}}), sizeof power);
}

/* size_t is a type, and a body need not use all that it is given (a warning would be an error here). */
OPLUS_SEMIGROUP(first_of, size_t, 0, { return a; })
OPLUS_SEMIGROUP_WITH(last_of, size_t, float, 0, { return b; })
OPLUS_ZIP_WITH(nothing_of, size_t, size_t, float, float, { return 7; })

static void sizes(void **state)
{
    (void)state;
    const size_t x[3] = {5, 6, 7};
    const float y[3] = {0}, p = 0;
    size_t out[3];
    const oplus_fn nothing = oplus_with(&nothing_of_fn, &p);
    assert_int_equal(oplus_reduce(dev, &first_of_op, x, 3, out), OPLUS_OK);
    assert_int_equal(out[0], 5);
    const oplus_op last = oplus_op_with(&last_of_op, &p);
    assert_int_equal(oplus_reduce(dev, &last, x, 3, out), OPLUS_OK);
    assert_int_equal(out[0], 7);
    assert_int_equal(oplus_map(dev, &nothing, (const void *const[]){x, y}, 3, out), OPLUS_OK);
    assert_int_equal(out[2], 7);
    assert_ptr_equal(oplus_type_named("size_t"), sizeof(size_t) == 8 ? &oplus_u64 : &oplus_u32);
}

static void macros_for_types(void **state)
{
    static double sums[4];
    /* (1 + e)(1 - e) - 1 = -e^2 rounds to 0 in two steps, and is -e^2 where they are fused. */
    const double u[4] = {1 + 0x1p-30, 2, -3, 4}, v[4] = {1 - 0x1p-30, 1, 1, 1}, w[4] = {-1, 0, 0, 0.5};
    const double ten = 10;
    const oplus_fn tenfold = oplus_with(&blend_fn, &ten);
    size_t kept;
    (void)state;
    assert_ptr_equal(largest_op.type, &oplus_f64);
    assert_ptr_equal(halved_fn.result, &oplus_f64);
    assert_int_equal(oplus_map(dev, &residue_fn, (const void *const[]){u, v, w}, 4, sums), OPLUS_OK);
    assert_true(sums[0] == 0 && sums[1] == 2 && sums[2] == -3 && sums[3] == 4.5);
    assert_int_equal(oplus_map(dev, &inner_fn, (const void *const[]){u, v, w, v}, 4, sums), OPLUS_OK);
    assert_true(sums[1] == 2 && sums[3] == 4.5);
    assert_int_equal(oplus_map(dev, &tenfold, (const void *const[]){u, w}, 4, sums), OPLUS_OK);
    assert_true(sums[2] == 0 && sums[3] == 40);
    assert_int_equal(oplus_map(dev, &halved_fn, (const void *const[]){u}, 4, sums), OPLUS_OK);
    assert_true(sums[1] == 1 && sums[2] == -1.5);
    assert_int_equal(oplus_scan(dev, &largest_op, OPLUS_INCLUSIVE, u, 4, sums), OPLUS_OK);
    assert_true(sums[0] == u[0] && sums[2] == 2 && sums[3] == 4);
    assert_int_equal(oplus_filter(dev, &positive_fn, u, 4, sums, &kept), OPLUS_OK);
    assert_true(kept == 3 && sums[2] == 4);
}

static int setup(void **state)
{
    (void)state;
    return oplus_open("threads:2", &dev) != OPLUS_OK;
}

static int teardown(void **state)
{
    (void)state;
    oplus_close(dev);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types),    cmocka_unit_test(operators),        cmocka_unit_test(functions),
        cmocka_unit_test(suffixes), cmocka_unit_test(macros_for_types), cmocka_unit_test(sizes),
    };
    return cmocka_run_group_tests_name("names", tests, setup, teardown);
}
