// The headers from C++17: operators, functions and overloads compile there, and give the bits that C gives.
#include <oplus/oplus.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <numeric>
#include <type_traits>
#include <vector>

#include <csetjmp>
#include <cstdarg>
#include <cstddef>
extern "C" {
#include <cmocka.h>
}

OPLUS_STRUCT(line, float a; float b;)
OPLUS_OP(then, line, (1, 0), 0, {
    line r;
    r.a = a.a * b.a;
    r.b = a.b * b.a + b.b;
    return r;
})
OPLUS_SEMIGROUP(newest, int32_t, 0, {
    (void)a;
    return b;
})
OPLUS_MAP(halved, double, float, { return a / 2.0; })
OPLUS_ZIP(product, float, float, float, { return a * b; })
OPLUS_MAP_WITH(plus, int32_t, int32_t, int32_t, { return a + p; })
OPLUS_PREDICATE(even, int32_t, { return a % 2 == 0; })
OPLUS_PREDICATE_WITH(under, int32_t, int32_t, { return a < p; })

// What only the compiler knows: a constant, an enumeration, a pointer, a struct of ours.
constexpr int three = 3;
enum class colour : std::int16_t { red, green };
struct point {
    float x, y;
};
OPLUS_STRUCT(typed, float v[three]; colour c; bool flag[2]; const char *name; point p[2]; double d;)
OPLUS_SEMIGROUP(first_typed, typed, 0, { return a; })

// Names that the macros use inside, or that C++ has in other places, are free; tests/unit/front/names.c has more.
namespace taken
{
OPLUS_STRUCT(node, int32_t level; int32_t out;)
OPLUS_OP(head, node, (0, 0), OPLUS_COMMUTATIVE | OPLUS_EXACT, { return {a.level + b.level, a.out + b.out}; })
OPLUS_MAP(in, node, int32_t, { return {a, -a}; })
OPLUS_MAP(out, int32_t, node, { return a.out; })
OPLUS_HELPER int32_t doubled(int32_t a) { return 2 * a; }
OPLUS_OP_WITH(modulo, int32_t, int32_t, (0), OPLUS_EXACT | OPLUS_COMMUTATIVE, { return (a + b) % p; })
OPLUS_MAP_WITH(param, int32_t, int32_t, int32_t, { return doubled(a) + p; })
} // namespace taken

namespace
{

// Closes what it opened.
struct Device {
    oplus_device *handle = nullptr;
    explicit Device(const char *where) { assert_int_equal(oplus_open(where, &handle), OPLUS_OK); }
    ~Device() { oplus_close(handle); }
    operator oplus_device *() const { return handle; }
};

// --- an overload for every type, which names the operator of that type
// -------------------------------------------------

void expect_named(const oplus_op *op, const char *name)
{
    if (std::strstr(op->name, name) == nullptr) fail_msg("%s is not a %s", op->name, name);
}

template <class T> void sums_and_products(const oplus_type *type)
{
    const T *p = nullptr;
    assert_ptr_equal(OPLUS_SUM(p)->type, type);
    assert_ptr_equal(OPLUS_PROD(p)->type, type);
    expect_named(OPLUS_SUM(p), "sum");
    expect_named(OPLUS_PROD(p), "prod");
}

template <class T> void ordered(const oplus_type *type)
{
    T *p = nullptr;
    sums_and_products<T>(type);
    expect_named(OPLUS_MIN(p), "min");
    expect_named(OPLUS_MAX(p), "max");
    assert_ptr_equal(OPLUS_MIN(p)->type, type);
    assert_ptr_equal(OPLUS_MAX(p)->type, type);
}

template <class T> void bits(const oplus_type *type)
{
    const T *p = nullptr;
    ordered<T>(type);
    const oplus_op *const all[] = {OPLUS_AND(p), OPLUS_OR(p), OPLUS_XOR(p), OPLUS_LAND(p), OPLUS_LOR(p)};
    const char *const names[] = {"_and_", "_or_", "_xor_", "_land_", "_lor_"};
    for (int i = 0; i < 5; i++) {
        assert_ptr_equal(all[i]->type, type);
        expect_named(all[i], names[i]);
    }
}

void overloads_pick_by_type(void **)
{
    bits<std::int8_t>(&oplus_i8);
    bits<std::int16_t>(&oplus_i16);
    bits<std::int32_t>(&oplus_i32);
    bits<std::int64_t>(&oplus_i64);
    bits<std::uint8_t>(&oplus_u8);
    bits<std::uint16_t>(&oplus_u16);
    bits<std::uint32_t>(&oplus_u32);
    bits<std::uint64_t>(&oplus_u64);
    bits<long long>(&oplus_i64); // not always int64_t
    bits<unsigned long long>(&oplus_u64);
    ordered<float>(&oplus_f32);
    ordered<double>(&oplus_f64);
    const oplus_complex64 *c = nullptr;
    const oplus_complex128 *z = nullptr;
    assert_ptr_equal(OPLUS_SUM(c), &oplus_sum_c64);
    assert_ptr_equal(OPLUS_PROD(z), &oplus_prod_c128);
}

// --- operators and functions defined here
// ------------------------------------------------------------------------------

void struct_operator(void **)
{
    static_assert(std::is_trivial<line>::value && sizeof(line) == 8, "a plain struct");
    const Device one("serial"), three("threads:3");
    std::vector<line> x(100003), y(x.size()), z(x.size());
    for (std::size_t i = 0; i < x.size(); i++) x[i] = {1.0f + float(i % 7) / 1000, float(i % 11) - 5};
    assert_int_equal(oplus_scan(one, &then_op, OPLUS_INCLUSIVE, x.data(), x.size(), y.data()), OPLUS_OK);
    assert_int_equal(oplus_scan(three, &then_op, OPLUS_INCLUSIVE, x.data(), x.size(), z.data()), OPLUS_OK);
    assert_memory_equal(y.data(), z.data(), y.size() * sizeof(line));
    const line ab = then(x[0], x[1]), abcd = then(ab, then(x[2], x[3])); // the tree, by hand
    assert_memory_equal(&y[1], &ab, sizeof ab);
    assert_memory_equal(&y[3], &abcd, sizeof abcd);
    line sum;
    assert_int_equal(oplus_reduce(three, &then_op, x.data(), x.size(), &sum), OPLUS_OK);
    assert_memory_equal(&sum, &y.back(), sizeof sum);
}

void integers_as_the_standard_library(void **)
{
    const Device dev("threads:2");
    std::vector<std::int32_t> x(70001), y(x.size()), expected(x.size());
    for (std::size_t i = 0; i < x.size(); i++) x[i] = std::int32_t(i * 7919 % 1000) - 400;
    std::partial_sum(x.begin(), x.end(), expected.begin());
    assert_int_equal(oplus_scan(dev, OPLUS_SUM(x.data()), OPLUS_INCLUSIVE, x.data(), x.size(), y.data()), OPLUS_OK);
    assert_true(y == expected);

    std::int32_t last = 0;
    assert_int_equal(oplus_reduce(dev, &newest_op, x.data(), x.size(), &last), OPLUS_OK);
    assert_int_equal(last, x.back());

    std::size_t kept = 0;
    assert_int_equal(oplus_filter(dev, &even_fn, x.data(), x.size(), y.data(), &kept), OPLUS_OK);
    expected.clear();
    std::copy_if(x.begin(), x.end(), std::back_inserter(expected), [](std::int32_t a) { return a % 2 == 0; });
    assert_true(std::vector<std::int32_t>(y.begin(), y.begin() + std::ptrdiff_t(kept)) == expected);

    const std::int32_t limit = -100;
    const oplus_fn below = oplus_with(&under_fn, &limit);
    assert_int_equal(oplus_filter(dev, &below, x.data(), x.size(), y.data(), &kept), OPLUS_OK);
    assert_int_equal(kept, std::count_if(x.begin(), x.end(), [=](std::int32_t a) { return a < limit; }));

    expected = x;
    std::sort(expected.begin(), expected.end());
    assert_int_equal(oplus_sort(dev, &oplus_i32, OPLUS_ASCENDING, x.data(), x.size()), OPLUS_OK);
    assert_true(x == expected);
}

void functions(void **)
{
    const Device dev("serial");
    const std::vector<float> a = {1, 2, 3}, b = {4, 5, 6};
    const std::vector<std::int32_t> n = {1, 2, 3};
    std::vector<float> c(3);
    std::vector<double> h(3);
    std::vector<std::int32_t> m(3);
    const void *const ab[] = {a.data(), b.data()}, *const only[] = {n.data()};
    const std::int32_t ten = 10;
    const oplus_fn plus_ten = oplus_with(&plus_fn, &ten);
    assert_int_equal(oplus_map(dev, &product_fn, ab, 3, c.data()), OPLUS_OK);
    assert_int_equal(oplus_map(dev, &halved_fn, ab, 3, h.data()), OPLUS_OK);
    assert_int_equal(oplus_map(dev, &plus_ten, only, 3, m.data()), OPLUS_OK);
    assert_true((c == std::vector<float>{4, 10, 18}));
    assert_true((h == std::vector<double>{0.5, 1, 1.5}));
    assert_true((m == std::vector<std::int32_t>{11, 12, 13}));
}

void names(void **)
{
    const Device dev("threads:2");
    std::vector<std::int32_t> x(5000), y(x.size());
    std::vector<taken::node> nodes(x.size());
    std::iota(x.begin(), x.end(), 1);
    const void *const from[] = {x.data()}, *const of[] = {nodes.data()};
    const std::int32_t one = 1;
    const oplus_fn twice_and_one = oplus_with(&taken::param_fn, &one);
    assert_int_equal(oplus_map(dev, &taken::in_fn, from, x.size(), nodes.data()), OPLUS_OK);
    assert_int_equal(oplus_scan(dev, &taken::head_op, OPLUS_INCLUSIVE, of[0], x.size(), nodes.data()), OPLUS_OK);
    assert_int_equal(oplus_map(dev, &taken::out_fn, of, x.size(), y.data()), OPLUS_OK);
    for (std::size_t i = 0, sum = 0; i < x.size(); i++) {
        sum += i + 1;
        assert_int_equal(nodes[i].level, std::int32_t(sum));
        assert_int_equal(y[i], -std::int32_t(sum));
    }
    const std::int32_t seven = 7;
    const oplus_op modulo_seven = oplus_op_with(&taken::modulo_op, &seven);
    assert_int_equal(oplus_scan(dev, &modulo_seven, OPLUS_EXCLUSIVE, x.data(), x.size(), y.data()), OPLUS_OK);
    for (std::size_t i = 1; i < x.size(); i++) assert_int_equal(y[i], i * (i + 1) / 2 % 7);
    assert_int_equal(oplus_map(dev, &twice_and_one, from, x.size(), y.data()), OPLUS_OK);
    for (std::size_t i = 0; i < x.size(); i++) assert_int_equal(y[i], 2 * x[i] + 1);
}

void floats_are_found(void **)
{
    const Device dev("serial");
    typed x{}, y{};
    const std::uint32_t nan = 0xffc01234, canonical = 0x7fc00000;
    for (float *f : {&x.v[0], &x.v[2], &x.p[1].y}) std::memcpy(f, &nan, sizeof nan);
    x.c = colour::green;
    x.name = "name";
    assert_int_equal(oplus_reduce(dev, &first_typed_op, &x, 1, &y), OPLUS_OK);
    for (const float *f : {&y.v[0], &y.v[2], &y.p[1].y}) assert_memory_equal(f, &canonical, sizeof canonical);
    assert_true(y.c == x.c && y.name == x.name && y.v[1] == 0);
}

} // namespace

int main()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(overloads_pick_by_type),
        cmocka_unit_test(struct_operator),
        cmocka_unit_test(integers_as_the_standard_library),
        cmocka_unit_test(functions),
        cmocka_unit_test(names),
        cmocka_unit_test(floats_are_found),
    };
    return cmocka_run_group_tests_name("C++", tests, nullptr, nullptr);
}
