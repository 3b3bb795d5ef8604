// The methods of oplus.hpp: they give what the standard library gives, and refuse arrays that are too short.
#include <oplus/oplus.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <utility>
#include <vector>

#include <csetjmp>
#include <cstdarg>
#include <cstddef>
extern "C" {
#include <cmocka.h>
}

OPLUS_ZIP(product, int64_t, int32_t, int32_t, { return (int64_t)a * b; })
OPLUS_ZIP3(bend, int32_t, int32_t, int32_t, int32_t, { return a % 1000 - 2 * (b % 1000) + c % 1000; })
OPLUS_MAP(negated, int64_t, int64_t, { return -a; })
OPLUS_ZIP(nearer, uint8_t, int32_t, int32_t, { return a % 1000 < b % 1000; })
OPLUS_PREDICATE(even, int32_t, { return a % 2 == 0; })
OPLUS_PREDICATE(positive, int64_t, { return a > 0; })

namespace
{

constexpr std::size_t n = 4099;
const oplus::device &here()
{
    static const oplus::device dev("threads:3");
    return dev;
}

std::vector<std::int32_t> some_numbers(unsigned seed)
{
    std::vector<std::int32_t> x(n);
    for (auto &value : x) value = std::int32_t((seed = seed * 1664525 + 1013904223) >> 8) % 2000 - 1000;
    return x;
}

template <class Call> void expect_refused(const Call &call)
{
    try {
        call();
    } catch (const oplus::error &e) {
        assert_int_equal(e.status, OPLUS_ERR_ARGUMENT);
        assert_non_null(std::strstr(e.what(), "has room for 3, not "));
        return;
    }
    fail_msg("an array that is too short was taken");
}

void fused(void **)
{
    const auto x = some_numbers(1), y = some_numbers(2);
    std::vector<std::int64_t> products(n), sums(n), out(n);
    std::transform(x.begin(), x.end(), y.begin(), products.begin(), [](auto a, auto b) { return std::int64_t(a) * b; });
    std::partial_sum(products.begin(), products.end(), sums.begin());
    assert_true(here().map_reduce(product_fn, oplus_sum_i64, x, y) == sums.back());

    here().map_scan(product_fn, oplus_sum_i64, OPLUS_INCLUSIVE, negated_fn, out, x, y);
    for (std::size_t i = 0; i < n; i++) assert_true(out[i] == -sums[i]);

    out.resize(here().map_filter(product_fn, positive_fn, out, x, y));
    products.erase(std::remove_if(products.begin(), products.end(), [](auto a) { return a <= 0; }), products.end());
    assert_true(out == products);
}

void selections(void **)
{
    const auto x = some_numbers(3);
    std::vector<std::int32_t> out(n), rest(n), sorted = x;
    const auto odd = std::stable_partition(sorted.begin(), sorted.end(), [](auto a) { return a % 2 == 0; });
    const std::size_t kept = here().partition(even_fn, x, out, rest);
    assert_true(std::equal(sorted.begin(), odd, out.begin(), out.begin() + std::ptrdiff_t(kept)));
    assert_true(std::equal(odd, sorted.end(), rest.begin(), rest.begin() + std::ptrdiff_t(n - kept)));

    std::vector<std::uint32_t> where(n);
    where.resize(here().indices(even_fn, x, where));
    here().take(OPLUS_REFUSE, x, where, rest);
    assert_int_equal(where.size(), kept);
    assert_true(std::equal(sorted.begin(), odd, rest.begin()));

    std::vector<std::int32_t> again(4);
    const std::vector<std::uint64_t> counts = {2, 0, 1};
    assert_int_equal(here().repeat_total(counts), 3);
    assert_int_equal(here().repeat(std::vector<std::int32_t>{5, 6, 7}, counts, again), 3);
    assert_true(again == (std::vector<std::int32_t>{5, 5, 7, 0}));

    std::vector<std::uint8_t> bytes(n), bits(n / 8 + 1);
    for (const auto i : where) {
        bytes[i] = 7;
        bits[i / 8] = std::uint8_t(bits[i / 8] | 1u << i % 8);
    }
    for (const bool by_bits : {false, true}) {
        std::fill(rest.begin(), rest.end(), 1);
        assert_int_equal(
            here().filter_mask(by_bits ? OPLUS_MASK_BITS : OPLUS_MASK_BYTES, x, by_bits ? bits : bytes, rest), kept);
        assert_true(std::equal(sorted.begin(), odd, rest.begin()));
    }
}

void uniques(void **)
{
    auto x = some_numbers(7);
    std::sort(x.begin(), x.end());
    std::vector<std::int32_t> out(n), expected = x, again(n);
    std::vector<std::uint64_t> counts(n);
    expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
    out.resize(here().unique(x, out));
    assert_true(out == expected);
    assert_int_equal(here().unique(x, again, counts), expected.size());
    for (std::size_t k = 0; k < expected.size(); k++)
        assert_int_equal(counts[k], std::count(x.begin(), x.end(), expected[k]));
}

void keys(void **)
{
    const auto x = some_numbers(8);
    std::vector<std::int32_t> key(n), sorted(n), each(n), sums(n), totals(n), running(n);
    for (std::size_t i = 0; i < n; i++) key[i] = std::int32_t(i * i % 7);
    sorted = key;
    std::sort(sorted.begin(), sorted.end());
    const std::size_t groups = here().group(oplus_sum_i32, OPLUS_ASCENDING, key, x, each, sums);
    assert_int_equal(groups, std::unique(sorted.begin(), sorted.end()) - sorted.begin());
    for (std::size_t g = 0; g < groups; g++) {
        std::uint32_t total = 0;
        for (std::size_t i = 0; i < n; i++) total += key[i] == sorted[g] ? std::uint32_t(x[i]) : 0;
        assert_int_equal(each[g], sorted[g]);
        assert_int_equal(std::uint32_t(sums[g]), total);
    }
    const std::size_t runs = here().reduce_by_key(oplus_sum_i32, key, x, each, totals);
    here().scan_by_key(oplus_sum_i32, OPLUS_INCLUSIVE, key, x, running);
    assert_int_equal(totals[runs - 1], running[n - 1]);
    assert_int_equal(each[runs - 1], key[n - 1]);
}

void orders(void **)
{
    const auto x = some_numbers(4), y = some_numbers(5);
    const auto least = std::min_element(x.begin(), x.end());
    assert_int_equal(here().argmin(x), least - x.begin());
    assert_true(here().mean(x) == std::accumulate(x.begin(), x.end(), 0.0) / double(n));
    assert_true(here().variance(0, x) < here().variance(1, x));
    assert_int_equal(here().argmax(x), std::max_element(x.begin(), x.end()) - x.begin());
    std::vector<std::uint32_t> at(1);
    here().argmin_axis(x, 1, n, 1, at);
    assert_int_equal(at[0], least - x.begin());
    here().argmax_axis(x, 1, n, 1, at);
    assert_int_equal(at[0], std::max_element(x.begin(), x.end()) - x.begin());
    std::vector<std::int32_t> rows = x;
    std::vector<std::uint32_t> from(n);
    here().sort_axis(OPLUS_ASCENDING, rows, 1, 1, n);
    assert_true(rows == x);
    here().argsort_axis(OPLUS_ASCENDING, x, 1, n, 1, from);
    here().sort_axis(OPLUS_ASCENDING, rows, 1, n, 1);
    for (std::size_t i = 0; i < n; i++) assert_int_equal(rows[i], x[from[i]]);
    assert_true(here().minmax(x) == std::make_pair(*least, *std::max_element(x.begin(), x.end())));

    std::vector<std::uint64_t> order(n), back(n), places(n);
    std::vector<std::int32_t> sorted(n), other = y, both(2 * n), expected = x;
    std::vector<std::uint64_t> numbers(n);
    here().argsort(OPLUS_ASCENDING, x, order);
    here().take(OPLUS_REFUSE, x, order, sorted);
    std::vector<std::int32_t> first(3);
    std::vector<std::uint64_t> where(3);
    here().top(OPLUS_ASCENDING, x, first, where);
    assert_true(std::equal(first.begin(), first.end(), sorted.begin()));
    assert_true(std::equal(where.begin(), where.end(), order.begin()));
    std::sort(expected.begin(), expected.end());
    assert_true(sorted == expected);
    assert_int_equal(here().nth(OPLUS_ASCENDING, x, n / 3), expected[n / 3]);
    assert_int_equal(here().nth(OPLUS_DESCENDING, x, 0), expected[n - 1]);
    std::iota(numbers.begin(), numbers.end(), 0);
    here().put(OPLUS_REFUSE, numbers, order, back);
    for (std::size_t i = 0; i < n; i++) assert_true(order[back[i]] == i);

    here().search(OPLUS_ASCENDING, sorted, OPLUS_UPPER, y, places);
    for (std::size_t i = 0; i < n; i++)
        assert_int_equal(places[i], std::upper_bound(sorted.begin(), sorted.end(), y[i]) - sorted.begin());
    here().sort(OPLUS_ASCENDING, other);
    here().merge(OPLUS_ASCENDING, sorted, other, both);
    expected.insert(expected.end(), other.begin(), other.end());
    std::sort(expected.begin(), expected.end());
    assert_true(both == expected);

    const std::vector<std::vector<std::int32_t>> three = {sorted, {}, other};
    std::vector<std::int32_t> all(2 * n), again(2 * n), moved(2 * n);
    here().merge_many(OPLUS_ASCENDING, three, all);
    assert_true(all == both);
    here().merge_many_pairs(OPLUS_ASCENDING, three, three, again, moved);
    assert_true(again == both && moved == both);
    std::vector<std::int32_t> near = sorted, nearer = other;
    here().sort_by(nearer_fn, near);
    here().sort_by(nearer_fn, nearer);
    here().merge_many_by(nearer_fn, std::vector<std::vector<std::int32_t>>{near, nearer}, all);
    for (std::size_t i = 1; i < 2 * n; i++) assert_true(all[i - 1] % 1000 <= all[i] % 1000);

    std::vector<std::int32_t> by_size = y, in_two = y;
    const std::vector<std::uint32_t> offsets = {0, n / 3, n};
    here().argsort_by(nearer_fn, y, order);
    here().sort_by(nearer_fn, by_size);
    for (std::size_t i = 0; i < n; i++) assert_int_equal(by_size[i], y[order[i]]);
    for (std::size_t i = 1; i < n; i++) assert_true(by_size[i - 1] % 1000 <= by_size[i] % 1000);
    std::iota(numbers.begin(), numbers.end(), 0);
    here().segsort_pairs(OPLUS_ASCENDING, in_two, numbers, offsets);
    for (std::size_t i = 0; i < n; i++) assert_int_equal(in_two[i], y[numbers[i]]);
    expected = y;
    std::sort(expected.begin(), expected.begin() + n / 3);
    std::sort(expected.begin() + n / 3, expected.end());
    assert_true(in_two == expected);
    in_two = y;
    here().segsort(OPLUS_ASCENDING, in_two, offsets);
    assert_true(in_two == expected);

    struct sold {
        float price;
        std::int32_t shop;
    };
    const oplus_sort_member by[] = {OPLUS_MEMBER(sold, shop, &oplus_i32, OPLUS_DESCENDING),
                                    OPLUS_MEMBER(sold, price, &oplus_f32, OPLUS_ASCENDING)};
    std::vector<sold> sales(n);
    for (std::size_t i = 0; i < n; i++) sales[i] = {static_cast<float>(y[i] % 7), y[i] % 3};
    here().argsort_members(by, sales, order);
    for (std::size_t i = 1; i < n; i++) {
        const sold a = sales[order[i - 1]], b = sales[order[i]];
        assert_true(a.shop > b.shop || (a.shop == b.shop && a.price <= b.price));
    }
    here().sort_members(by, sales);
    for (std::size_t i = 1; i < n; i++)
        assert_true(sales[i - 1].shop > sales[i].shop ||
                    (sales[i - 1].shop == sales[i].shop && sales[i - 1].price <= sales[i].price));

    const auto in_bits = [](std::int32_t a, std::int32_t b) { return (a >> 3 & 15) < (b >> 3 & 15); };
    std::vector<std::int32_t> by_bits = y;
    expected = y;
    std::stable_sort(expected.begin(), expected.end(), in_bits);
    here().sort_bits(OPLUS_ASCENDING, 3, 7, by_bits);
    assert_true(by_bits == expected);
    by_bits = y;
    std::iota(numbers.begin(), numbers.end(), 0);
    here().sort_pairs_bits(OPLUS_ASCENDING, 3, 7, by_bits, numbers);
    assert_true(by_bits == expected);
    for (std::size_t i = 0; i < n; i++) assert_int_equal(by_bits[i], y[numbers[i]]);
}

void sequences(void **)
{
    std::vector<float> x(3);
    std::vector<std::int16_t> y(4);
    here().iota(x, 1.5f, -2);
    here().iota(y);
    assert_true(x[0] == 1.5f && x[1] == -0.5f && x[2] == -2.5f);
    assert_true(y[0] == 0 && y[3] == 3);
}

void windows(void **)
{
    const auto x = some_numbers(7);
    std::vector<std::int32_t> sums(n), from_end(n);
    here().window(oplus_sum_i32, x, 3, sums);
    here().scan_reverse(oplus_sum_i32, OPLUS_INCLUSIVE, x, from_end);
    for (std::size_t i = 0; i < n; i++) {
        std::uint32_t sum = 0;
        for (std::size_t k = i < 2 ? 0 : i - 2; k <= i; k++) sum += static_cast<std::uint32_t>(x[k]);
        assert_int_equal(sums[i], static_cast<std::int32_t>(sum));
        sum = static_cast<std::uint32_t>(x[i]) + (i + 1 < n ? static_cast<std::uint32_t>(from_end[i + 1]) : 0);
        assert_int_equal(from_end[i], static_cast<std::int32_t>(sum));
    }
}

void neighbours(void **)
{
    const auto x = some_numbers(9);
    const std::int32_t ends[] = {7, 11};
    std::vector<std::int32_t> bends(n), given(n);
    here().map_neighbours(bend_fn, OPLUS_EDGE_WRAP, x, bends);
    here().map_neighbours(bend_fn, OPLUS_EDGE_GIVEN, x, given, ends);
    for (std::size_t i = 0; i < n; i++) assert_int_equal(bends[i], bend(x[(i + n - 1) % n], x[i], x[(i + 1) % n]));
    assert_int_equal(given[0], bend(7, x[0], x[1]));
    assert_int_equal(given[n - 1], bend(x[n - 2], x[n - 1], 11));
}

void along_axes(void **)
{
    const auto x = some_numbers(7);
    const std::size_t rows = n / 8;
    std::vector<std::int32_t> sums(rows), scans(n);
    here().reduce_axis(oplus_sum_i32, x, rows / 4, 8, 4, sums);
    here().scan_axis(oplus_sum_i32, OPLUS_EXCLUSIVE, x, rows / 4, 8, 4, scans);
    for (std::size_t r = 0; r < rows; r++) {
        std::int32_t sum = 0;
        for (std::size_t i = 0; i < 8; i++) {
            const std::size_t at = (r / 4 * 8 + i) * 4 + r % 4;
            assert_int_equal(scans[at], sum);
            sum = std::int32_t(std::uint32_t(sum) + std::uint32_t(x[at]));
        }
        assert_int_equal(sums[r], sum);
    }
}

void bins(void **)
{
    const auto x = some_numbers(7);
    std::vector<std::uint32_t> bin(n), counts(5), expected(5), few(3);
    std::vector<std::int32_t> sums(5), expected_sums(5), small(3);
    for (std::size_t i = 0; i < n; i++) {
        bin[i] = static_cast<std::uint32_t>(i * i % 5);
        expected[bin[i]]++;
        expected_sums[bin[i]] = static_cast<std::int32_t>(static_cast<std::uint32_t>(expected_sums[bin[i]]) +
                                                          static_cast<std::uint32_t>(x[i]));
    }
    here().count_by_index(OPLUS_REFUSE, bin, counts);
    assert_true(counts == expected);
    here().reduce_by_index(oplus_sum_i32, OPLUS_REFUSE, x, bin, sums);
    assert_true(sums == expected_sums);
    here().histogram(bin, 0, 5, counts);
    assert_true(counts == expected);
    here().histogram(bin, std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5}, counts);
    assert_true(counts == expected);
    expect_refused([&] { here().reduce_by_index(oplus_sum_i32, OPLUS_REFUSE, small, bin, sums); });
    expect_refused([&] { here().histogram(bin, std::vector<std::uint32_t>{0, 1, 2, 3, 4}, few); });
}

void short_arrays_are_refused(void **)
{
    const auto x = some_numbers(6);
    std::vector<std::int32_t> out(n), small(3);
    std::vector<std::int64_t> wide(3);
    std::vector<std::uint32_t> few(3), where(n);
    std::vector<std::uint8_t> mask(3);
    expect_refused([&] { here().map_reduce(product_fn, oplus_sum_i64, x, small); });
    expect_refused([&] { here().map_scan(product_fn, oplus_sum_i64, OPLUS_INCLUSIVE, negated_fn, wide, x, x); });
    expect_refused([&] { here().map_filter(product_fn, positive_fn, wide, x, x); });
    expect_refused([&] { here().reduce_axis(oplus_sum_i32, x, 4, 2, 2, small); });
    expect_refused([&] { here().window(oplus_sum_i32, x, 2, small); });
    expect_refused([&] { here().map_neighbours(bend_fn, OPLUS_EDGE_WRAP, x, small); });
    expect_refused([&] { here().scan_reverse(oplus_sum_i32, OPLUS_INCLUSIVE, x, small); });
    expect_refused([&] { here().scan_axis(oplus_sum_i32, OPLUS_INCLUSIVE, x, 2, 2, 1, small); });
    expect_refused([&] { here().partition(even_fn, x, out, small); });
    expect_refused([&] { here().indices(even_fn, x, few); });
    expect_refused([&] { here().filter_mask(OPLUS_MASK_BITS, x, mask, out); });
    expect_refused([&] { here().unique(x, small); });
    expect_refused([&] { here().unique(x, out, few); });
    expect_refused([&] { here().reduce_by_key(oplus_sum_i32, x, x, out, small); });
    expect_refused([&] { here().scan_by_key(oplus_sum_i32, OPLUS_INCLUSIVE, x, small, out); });
    expect_refused([&] { here().group(oplus_sum_i32, OPLUS_ASCENDING, x, x, small, out); });
    expect_refused([&] { here().take(OPLUS_CLIP, x, where, small); });
    expect_refused([&] { here().repeat(x, few, out); });
    expect_refused([&] { here().put(OPLUS_CLIP, small, where, out); });
    expect_refused([&] { here().argsort(OPLUS_ASCENDING, x, few); });
    expect_refused([&] { here().search(OPLUS_ASCENDING, x, OPLUS_LOWER, x, few); });
    expect_refused([&] { here().merge(OPLUS_ASCENDING, x, x, small); });
    expect_refused([&] { here().merge_many(OPLUS_ASCENDING, std::vector<std::vector<std::int32_t>>{x, x}, small); });
    expect_refused([&] { here().argsort_by(nearer_fn, x, few); });
    const oplus_sort_member whole[] = {{0, &oplus_i32, OPLUS_ASCENDING}};
    expect_refused([&] { here().argsort_members(whole, x, few); });
    expect_refused([&] { here().sort_pairs_bits(OPLUS_ASCENDING, 0, 1, out, small); });
    expect_refused([&] { here().segsort_pairs(OPLUS_ASCENDING, out, small, where); });
}

} // namespace

int main()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fused),
        cmocka_unit_test(selections),
        cmocka_unit_test(uniques),
        cmocka_unit_test(keys),
        cmocka_unit_test(orders),
        cmocka_unit_test(windows),
        cmocka_unit_test(neighbours),
        cmocka_unit_test(sequences),
        cmocka_unit_test(along_axes),
        cmocka_unit_test(bins),
        cmocka_unit_test(short_arrays_are_refused),
    };
    return cmocka_run_group_tests_name("oplus.hpp", tests, nullptr, nullptr);
}
