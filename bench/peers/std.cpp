// The C++ standard library: its serial algorithms and, where TBB is there, its parallel ones.
#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>
#include <vector>
#ifdef BENCH_HAVE_TBB
#include <execution>
#include <tbb/task_arena.h>
#endif

#include "peer.hpp"

// --- serial ------------------------------------------------------------------------------------------------------

template <class T> static void reduce(bench_problem *p)
{
    const view<T> v(p);
    *v.out = std::reduce(v.in, v.end, identity<T>(), sum());
}

template <class T> static void max(bench_problem *p)
{
    const view<T> v(p);
    *v.out = *std::max_element(v.in, v.end);
}

// The lower bytes of the place.
template <class T> static void argmax(bench_problem *p)
{
    const view<T> v(p);
    const auto at = static_cast<uint64_t>(std::max_element(v.in, v.end) - v.in);
    std::memcpy(v.out, &at, sizeof(T));
}

template <class T> static void scan(bench_problem *p)
{
    const view<T> v(p);
    std::inclusive_scan(v.in, v.end, v.out, sum());
}

template <class T> static void exclusive(bench_problem *p)
{
    const view<T> v(p);
    std::exclusive_scan(v.in, v.end, v.out, identity<T>(), sum());
}

template <class T> static void map(bench_problem *p)
{
    const view<T> v(p);
    std::transform(v.in, v.end, v.out, square());
}

template <class T> static void dot(bench_problem *p)
{
    const view<T> v(p);
    *v.out = std::transform_reduce(v.in, v.end, static_cast<const T *>(p->in2), T(0));
}

template <class T> static void zip(bench_problem *p)
{
    const view<T> v(p);
    std::transform(v.in, v.end, static_cast<const T *>(p->in2), v.out, axpy());
}

template <class T> static void filter(bench_problem *p)
{
    const view<T> v(p);
    p->kept = static_cast<size_t>(std::copy_if(v.in, v.end, v.out, odd()) - v.out);
}

template <class T> static void sort(bench_problem *p) { std::sort(view<T>(p).out, view<T>(p).out + p->n); }
template <class T> static void stable_sort(bench_problem *p)
{
    std::stable_sort(view<T>(p).out, view<T>(p).out + p->n);
}
template <class T> static void segsort(bench_problem *p)
{
    const view<T> v(p);
    for (size_t s = 0; s < p->segments; s++) std::sort(v.out + p->offsets[s], v.out + p->offsets[s + 1]);
}
static bool by_bits(uint64_t a, uint64_t b)
{
    constexpr uint64_t mask = (uint64_t(1) << BENCH_HIGH_BIT) - (uint64_t(1) << BENCH_LOW_BIT);
    return (a & mask) < (b & mask);
}
template <class T> static void stable_sort_bits(bench_problem *p)
{
    const view<T> v(p);
    std::stable_sort(v.out, v.out + v.n, [](T a, T b) { return by_bits(a, b); });
}
template <class T> static void sort_members(bench_problem *p)
{
    const view<T> v(p);
    std::sort(v.out, v.out + v.n, by_members());
}
template <class T> static void stable_sort_members(bench_problem *p)
{
    const view<T> v(p);
    std::stable_sort(v.out, v.out + v.n, by_members());
}
template <class T> static void reverse(bench_problem *p)
{
    const view<T> v(p);
    std::inclusive_scan(std::make_reverse_iterator(v.end), std::make_reverse_iterator(v.in),
                        std::make_reverse_iterator(v.out + v.n), sum());
}
template <class T> static void sort_rows(bench_problem *p)
{
    const view<T> v(p);
    for (size_t r = 0; r < p->rows; r++) std::sort(v.out + r * p->cols, v.out + (r + 1) * p->cols);
}
// Of integers: a float that is incremented stays where it is from 2^24 on.
template <class T> static void iota(bench_problem *p)
{
    const view<T> v(p);
    std::iota(v.out, v.out + v.n, T(0));
}
template <class T> static void argmax_rows(bench_problem *p)
{
    const view<T> v(p);
    for (size_t r = 0; r < p->rows; r++) {
        const T *const row = v.in + r * p->cols;
        const auto at = static_cast<uint64_t>(std::max_element(row, row + p->cols) - row);
        std::memcpy(v.out + r, &at, sizeof(T)); // the lower bytes
    }
}
static void sort_pairs(bench_problem *p) { std::sort(p->out_pairs, p->out_pairs + p->n); }
static void stable_sort_pairs(bench_problem *p) { std::stable_sort(p->out_pairs, p->out_pairs + p->n); }

// --- parallel ----------------------------------------------------------------------------------------------------

#ifdef BENCH_HAVE_TBB

// The standard has no way to set the number of threads; TBB, which does the work, has one.
template <class F> static void with_threads(const bench_problem *p, F work)
{
    static tbb::task_arena arena;
    if (!arena.is_active() || arena.max_concurrency() != p->threads) {
        arena.terminate();
        arena.initialize(p->threads);
    }
    arena.execute(work);
}

static constexpr auto &par = std::execution::par;
static constexpr auto &unseq = std::execution::par_unseq;

template <class T> static void par_reduce(bench_problem *p)
{
    const view<T> v(p);
    with_threads(p, [&] { *v.out = std::reduce(par, v.in, v.end, identity<T>(), sum()); });
}

template <class T> static void unseq_reduce(bench_problem *p)
{
    const view<T> v(p);
    with_threads(p, [&] { *v.out = std::reduce(unseq, v.in, v.end, identity<T>(), sum()); });
}

template <class T> static void par_max(bench_problem *p)
{
    const view<T> v(p);
    with_threads(p, [&] { *v.out = std::reduce(par, v.in, v.end, *v.in, maximum()); });
}

template <class T> static void unseq_max(bench_problem *p)
{
    const view<T> v(p);
    with_threads(p, [&] { *v.out = std::reduce(unseq, v.in, v.end, *v.in, maximum()); });
}

template <class T> static void par_scan(bench_problem *p)
{
    const view<T> v(p);
    with_threads(p, [&] { std::inclusive_scan(par, v.in, v.end, v.out, sum(), identity<T>()); });
}

template <class T> static void unseq_scan(bench_problem *p)
{
    const view<T> v(p);
    with_threads(p, [&] { std::inclusive_scan(unseq, v.in, v.end, v.out, sum(), identity<T>()); });
}

template <class T> static void par_exclusive(bench_problem *p)
{
    const view<T> v(p);
    with_threads(p, [&] { std::exclusive_scan(par, v.in, v.end, v.out, identity<T>(), sum()); });
}

template <class T> static void unseq_map(bench_problem *p)
{
    const view<T> v(p);
    with_threads(p, [&] { std::transform(unseq, v.in, v.end, v.out, square()); });
}

template <class T> static void unseq_dot(bench_problem *p)
{
    const view<T> v(p);
    with_threads(p, [&] {
        *v.out = std::transform_reduce(unseq, v.in, v.end, static_cast<const T *>(p->in2), T(0), sum(),
                                       std::multiplies<T>());
    });
}

template <class T> static void unseq_zip(bench_problem *p)
{
    const view<T> v(p);
    with_threads(p, [&] { std::transform(unseq, v.in, v.end, static_cast<const T *>(p->in2), v.out, axpy()); });
}

template <class T> static void par_filter(bench_problem *p)
{
    const view<T> v(p);
    with_threads(p, [&] { p->kept = static_cast<size_t>(std::copy_if(par, v.in, v.end, v.out, odd()) - v.out); });
}

template <class T> static void unseq_filter(bench_problem *p)
{
    const view<T> v(p);
    with_threads(p, [&] { p->kept = static_cast<size_t>(std::copy_if(unseq, v.in, v.end, v.out, odd()) - v.out); });
}

template <class T> static void par_sort(bench_problem *p)
{
    const view<T> v(p);
    with_threads(p, [&] { std::sort(par, v.out, v.out + v.n); });
}

template <class T> static void par_stable_sort(bench_problem *p)
{
    const view<T> v(p);
    with_threads(p, [&] { std::stable_sort(par, v.out, v.out + v.n); });
}

template <class T> static void par_stable_sort_bits(bench_problem *p)
{
    const view<T> v(p);
    with_threads(p, [&] { std::stable_sort(par, v.out, v.out + v.n, [](T a, T b) { return by_bits(a, b); }); });
}

template <class T> static void par_sort_members(bench_problem *p)
{
    const view<T> v(p);
    with_threads(p, [&] { std::sort(par, v.out, v.out + v.n, by_members()); });
}

static void par_sort_pairs(bench_problem *p)
{
    with_threads(p, [&] { std::sort(par, p->out_pairs, p->out_pairs + p->n); });
}

static void par_stable_sort_pairs(bench_problem *p)
{
    with_threads(p, [&] { std::stable_sort(par, p->out_pairs, p->out_pairs + p->n); });
}
#endif

template <class T> static void merge(bench_problem *p)
{
    const view<T> v(p);
    std::merge(v.in, v.in + v.n / 2, v.in + v.n / 2, v.end, v.out);
}

// Indices have the width of an element.
template <class T> using index_of = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;

template <class T, class Sort> static void argsort_by(bench_problem *p, const Sort &sort)
{
    const view<T> v(p);
    auto *const order = reinterpret_cast<index_of<T> *>(v.out);
    std::iota(order, order + v.n, index_of<T>(0));
    sort(order, order + v.n, [in = v.in](auto a, auto b) { return in[a] < in[b]; });
}

template <class T> static void argsort(bench_problem *p)
{
    argsort_by<T>(p, [](auto... arguments) { std::stable_sort(arguments...); });
}

template <class T> static void top(bench_problem *p)
{
    const view<T> v(p);
    std::partial_sort_copy(v.in, v.end, v.out, v.out + bench_top(p), std::greater<T>());
}

// It permutes what it is given, so that it needs a copy.
template <class T> static void nth(bench_problem *p)
{
    const view<T> v(p);
    static std::vector<T> copy;
    copy.assign(v.in, v.end);
    const auto middle = copy.begin() + static_cast<std::ptrdiff_t>(v.n / 2);
    std::nth_element(copy.begin(), middle, copy.end());
    *v.out = *middle;
}

template <class T> static void unique(bench_problem *p)
{
    const view<T> v(p);
    p->kept = static_cast<size_t>(std::unique_copy(v.in, v.end, v.out) - v.out);
}

template <class T> static void search(bench_problem *p)
{
    const view<T> v(p);
    const auto *const wanted = static_cast<const T *>(p->in2);
    std::transform(wanted, wanted + v.n, v.out,
                   [&](T x) { return static_cast<T>(std::lower_bound(v.in, v.end, x) - v.in); });
}

#ifdef BENCH_HAVE_TBB
template <class T> static void par_argsort(bench_problem *p)
{
    with_threads(p, [&] { argsort_by<T>(p, [](auto... arguments) { std::stable_sort(par, arguments...); }); });
}

template <class T> static void par_unique(bench_problem *p)
{
    const view<T> v(p);
    with_threads(p, [&] { p->kept = static_cast<size_t>(std::unique_copy(par, v.in, v.end, v.out) - v.out); });
}

template <class T> static void par_search(bench_problem *p)
{
    const view<T> v(p);
    const auto *const wanted = static_cast<const T *>(p->in2);
    with_threads(p, [&] {
        std::transform(par, wanted, wanted + v.n, v.out,
                       [&](T x) { return static_cast<T>(std::lower_bound(v.in, v.end, x) - v.in); });
    });
}

template <class T> static void unseq_take(bench_problem *p)
{
    const view<T> v(p);
    const auto *const at = static_cast<const index_of<T> *>(p->in2);
    with_threads(p, [&] { std::transform(unseq, at, at + v.n, v.out, [&](auto i) { return v.in[i]; }); });
}

template <class T> static void par_merge(bench_problem *p)
{
    const view<T> v(p);
    with_threads(p, [&] { std::merge(par, v.in, v.in + v.n / 2, v.in + v.n / 2, v.end, v.out); });
}
#endif

#ifdef BENCH_HAVE_TBB
#define BACKEND " on oneTBB"
#else
#define BACKEND ""
#endif

// --- the table ---------------------------------------------------------------------------------------------------

static const bench_contender table[] = {
    PEER_ALL("std::reduce", REDUCE, 0, reduce),
    PEER_NUMBERS("std::max_element", MAXIMUM, 0, max),
    PEER_NUMBERS("std::transform_reduce", DOT, 0, dot),
    PEER_NUMBERS("std::max_element", ARGMAX, 0, argmax),
    PEER_ALL("std::inclusive_scan", SCAN, 0, scan),
    PEER_ALL("std::exclusive_scan", EXCLUSIVE, 0, exclusive),
    PEER_NUMBERS("std::transform", MAP, 0, map),
    PEER_NUMBERS("std::transform", ZIP, 0, zip),
    PEER_NUMBERS("std::copy_if", FILTER, 0, filter),
    PEER_NUMBERS("std::unique_copy", UNIQUE, 0, unique),
    PEER_NUMBERS("std::sort", SORT, BENCH_UNSTABLE, sort),
    PEER_NUMBERS("std::stable_sort", SORT, 0, stable_sort),
    PEER("std::stable_sort by bits", BITS, U32, 0, stable_sort_bits<uint32_t>),
    PEER("std::stable_sort by bits", BITS, U64, 0, stable_sort_bits<uint64_t>),
    PEER("std::sort", MEMBERS, AFFINE, BENCH_UNSTABLE, sort_members<bench_affine>),
    PEER("std::sort", MEMBERS, AFFINE64, BENCH_UNSTABLE, sort_members<bench_affine64>),
    PEER("std::stable_sort", MEMBERS, AFFINE, 0, stable_sort_members<bench_affine>),
    PEER("std::stable_sort", MEMBERS, AFFINE64, 0, stable_sort_members<bench_affine64>),
    PEER_NUMBERS("std::stable_sort", SORT_BY, 0, stable_sort),
    PEER_NUMBERS("std::sort of each", SEGSORT, 0, segsort),
    PEER_NUMBERS("std::inclusive_scan in reverse", REVERSE, 0, reverse),
    PEER_NUMBERS("std::sort of each", SORT_ROWS, 0, sort_rows),
    PEER_NUMBERS("std::max_element of each", ARGMAX_ROWS, 0, argmax_rows),
    PEER("std::iota", IOTA, I32, 0, iota<int32_t>),
    PEER("std::iota", IOTA, I64, 0, iota<int64_t>),
    PEER("std::iota", IOTA, U32, 0, iota<uint32_t>),
    PEER("std::iota", IOTA, U64, 0, iota<uint64_t>),
    PEER("std::sort of records", PAIRS, U32, BENCH_UNSTABLE | BENCH_RECORDS, sort_pairs),
    PEER("std::stable_sort of records", PAIRS, U32, BENCH_RECORDS, stable_sort_pairs),
    PEER("std::merge", MERGE, U32, 0, merge<uint32_t>),
    PEER("std::merge", MERGE, U64, 0, merge<uint64_t>),
    PEER_NUMBERS("std::stable_sort of indices", ARGSORT, 0, argsort),
    PEER_NUMBERS("std::partial_sort_copy", TOP, 0, top),
    PEER_NUMBERS("std::nth_element of a copy", NTH, 0, nth),
    PEER("std::lower_bound", SEARCH, U32, 0, search<uint32_t>),
    PEER("std::lower_bound", SEARCH, U64, 0, search<uint64_t>),
#ifdef BENCH_HAVE_TBB
    PEER_ALL("std::reduce(par)", REDUCE, 0, par_reduce),
    PEER_NUMBERS("std::reduce(par_unseq)", REDUCE, 0, unseq_reduce),
    PEER_NUMBERS("std::reduce(par)", MAXIMUM, 0, par_max),
    PEER_NUMBERS("std::reduce(par_unseq)", MAXIMUM, 0, unseq_max),
    PEER_NUMBERS("std::transform_reduce(par_unseq)", DOT, 0, unseq_dot),
    PEER_ALL("std::inclusive_scan(par)", SCAN, 0, par_scan),
    PEER_NUMBERS("std::inclusive_scan(par_unseq)", SCAN, 0, unseq_scan),
    PEER_ALL("std::exclusive_scan(par)", EXCLUSIVE, 0, par_exclusive),
    PEER_NUMBERS("std::transform(par_unseq)", MAP, 0, unseq_map),
    PEER_NUMBERS("std::transform(par_unseq)", ZIP, 0, unseq_zip),
    PEER_NUMBERS("std::copy_if(par)", FILTER, 0, par_filter),
    PEER_NUMBERS("std::unique_copy(par)", UNIQUE, 0, par_unique),
    PEER_NUMBERS("std::copy_if(par_unseq)", FILTER, 0, unseq_filter),
    PEER_NUMBERS("std::sort(par)", SORT, BENCH_UNSTABLE, par_sort),
    PEER_NUMBERS("std::stable_sort(par)", SORT, 0, par_stable_sort),
    PEER("std::stable_sort(par) by bits", BITS, U32, 0, par_stable_sort_bits<uint32_t>),
    PEER("std::stable_sort(par) by bits", BITS, U64, 0, par_stable_sort_bits<uint64_t>),
    PEER("std::sort(par)", MEMBERS, AFFINE, BENCH_UNSTABLE, par_sort_members<bench_affine>),
    PEER("std::sort(par)", MEMBERS, AFFINE64, BENCH_UNSTABLE, par_sort_members<bench_affine64>),
    PEER_NUMBERS("std::stable_sort(par)", SORT_BY, 0, par_stable_sort),
    PEER("std::sort(par) of records", PAIRS, U32, BENCH_UNSTABLE | BENCH_RECORDS, par_sort_pairs),
    PEER("std::stable_sort(par) of records", PAIRS, U32, BENCH_RECORDS, par_stable_sort_pairs),
    PEER("std::merge(par)", MERGE, U32, 0, par_merge<uint32_t>),
    PEER("std::merge(par)", MERGE, U64, 0, par_merge<uint64_t>),
    PEER_NUMBERS("std::stable_sort(par) of indices", ARGSORT, 0, par_argsort),
    PEER("std::transform(par), std::lower_bound", SEARCH, U32, 0, par_search<uint32_t>),
    PEER("std::transform(par), std::lower_bound", SEARCH, U64, 0, par_search<uint64_t>),
    PEER_NUMBERS("std::transform(par_unseq)", TAKE, 0, unseq_take),
#endif
    PEER_END};

PEER_MODULE("libstdc++", PEER_TEXT(_GLIBCXX_RELEASE) BACKEND, nullptr, table)
