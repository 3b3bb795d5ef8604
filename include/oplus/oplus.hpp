// SPDX-License-Identifier: Apache-2.0
/** @file oplus.hpp
 *  oplus for C++17 and later: handles that close themselves, arrays that know their length, failures as exceptions.
 *
 *      oplus::device dev;                              // "auto"; or oplus::device dev("cuda:0")
 *      float sum = dev.reduce(oplus_sum_f32, x);       // x: vector, array, std::span, or oplus::view{pointer, n}
 *      dev.scan(compose_op, OPLUS_INCLUSIVE, maps, maps);
 *      dev.map(axpy_fn, y, x, y);                      // the output, then as many inputs as axpy takes
 *      size_t kept = dev.filter(negative_fn, x, x);    // they stand at the beginning of the output
 *
 *  Operators and functions are those of OPLUS_OP, OPLUS_MAP and their like, OPLUS_WITH(scale_fn, &half) among them; a
 *  lambda has no text that a device could compile.  Types are checked when the program is compiled, as in typed.h;
 *  lengths when it runs.  A failure throws oplus::error; who wants a status gives dev.get() to the calls of typed.h. */
#ifndef OPLUS_HPP
#define OPLUS_HPP
#include <oplus/oplus.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace oplus
{
/** A pointer and a length, where there is no std::span; of memory of a device too. */
template <class T> struct view {
    T *pointer;
    size_t length;
    constexpr T *data() const { return pointer; }
    constexpr size_t size() const { return length; }
};
template <class T> view(T *, size_t) -> view<T>;

/** What a failing call throws: its status, and why. */
struct error : std::runtime_error {
    oplus_status status;
    error(oplus_status failed, const std::string &why) : std::runtime_error(why), status(failed) {}
};
inline void check(oplus_status status) { return status ? throw error(status, oplus_last_error()) : void(); }
/** Throws unless an array has room for n elements. */
inline void check_room(const char *array, size_t length, size_t n)
{
    const auto text = [](size_t m) { return std::to_string(m); };
    if (length < n)
        throw error(OPLUS_ERR_ARGUMENT, std::string(array) + " has room for " + text(length) + ", not " + text(n));
}
template <class Out> using number_of = std::decay_t<decltype(*std::data(std::declval<Out &>()))>;
template <class Op> using element = typename oplus_of_<decltype(oplus_at_(std::declval<const Op &>()))>::element;
template <class F, class P, class Q, class R, class S, class...>
struct check_inputs : oplus_check_inputs_<F, P, Q, R, S> {
};

/** The addresses and the lengths of arrays that have elements of the type of an output. */
struct list {
    std::vector<const void *> at;
    std::vector<size_t> n;
    size_t total = 0;
    template <class Arrays, class Out> list(const Arrays &arrays, Out &out)
    {
        for (const auto &x : arrays) {
            OPLUS_CHECK_SAME_(std::data(x), std::data(out));
            at.push_back(std::data(x));
            n.push_back(std::size(x));
            total += std::size(x);
        }
    }
};

/** One place to compute, closed at its end; it can be moved, not copied.  One thread at a time uses it. */
class device
{
    std::unique_ptr<oplus_device, decltype(&oplus_close)> dev{nullptr, oplus_close};

    /** Checks the inputs of a function, their types and their lengths; gives their length. */
    template <class Fn, class... In> static size_t inputs(const Fn &fn, const In &...in)
    {
        OPLUS_CHECK_FN_(fn), OPLUS_CHECK_ARITY_(fn, sizeof...(In));
        (void)sizeof(check_inputs<OPLUS_OF_(fn), decltype(std::data(in))..., oplus_none_ *, oplus_none_ *,
                                  oplus_none_ *, oplus_none_ *>);
        const size_t length[] = {std::size(in)...};
        (check_room("an input", std::size(in), length[0]), ...);
        return length[0];
    }

  public:
    explicit device(const char *where = "auto")
    {
        oplus_device *opened = nullptr;
        check(oplus_open(where, &opened));
        dev.reset(opened);
    }
    oplus_device *get() const { return dev.get(); }

    template <class Op, class In> element<Op> reduce(const Op &op, const In &in) const
    {
        element<Op> out;
        check(OPLUS_REDUCE(get(), op, std::data(in), std::size(in), &out));
        return out;
    }
    template <class Op, class In, class Out> void scan(const Op &op, oplus_kind kind, const In &in, Out &&out) const
    {
        check_room("the output of scan", std::size(out), std::size(in));
        check(OPLUS_SCAN(get(), op, kind, std::data(in), std::size(in), std::data(out)));
    }
    template <class Op, class In, class Heads, class Out>
    void segscan(const Op &op, oplus_kind kind, const In &in, const Heads &heads, Out &&out) const
    {
        check_room("the array of heads of segscan", std::size(heads), std::size(in));
        check_room("the output of segscan", std::size(out), std::size(in));
        check(OPLUS_SEGSCAN(get(), op, kind, std::data(in), std::data(heads), std::size(in), std::data(out)));
    }
    template <class Op, class In, class Offsets, class Out>
    void segreduce(const Op &op, const In &in, const Offsets &offsets, Out &&out) const
    {
        check_room("the array of offsets of segreduce", std::size(offsets), 1);
        const size_t segments = std::size(offsets) - 1;
        check_room("the output of segreduce", std::size(out), segments);
        check(OPLUS_SEGREDUCE(get(), op, std::data(in), std::size(in), std::data(offsets), segments, std::data(out)));
    }
    template <class Fn, class Out, class... In> void map(const Fn &fn, Out &&out, const In &...in) const
    {
        OPLUS_CHECK_RESULT_(fn, std::data(out));
        const size_t n = inputs(fn, in...);
        check_room("the output of map", std::size(out), n);
        check(oplus_map(get(), OPLUS_FN_AT_(fn), OPLUS_IN(std::data(in)...), n, std::data(out)));
    }
    template <class Fn, class In, class Out> size_t filter(const Fn &keep, const In &in, Out &&out) const
    {
        size_t kept = 0;
        check_room("the output of filter", std::size(out), std::size(in));
        check(OPLUS_FILTER(get(), keep, std::data(in), std::size(in), std::data(out), &kept));
        return kept;
    }
    /** dev.map_reduce(product_fn, oplus_sum_f64, x, y) is a dot product. */
    template <class Fn, class Op, class... In>
    element<Op> map_reduce(const Fn &before, const Op &op, const In &...in) const
    {
        OPLUS_CHECK_OP_(op), OPLUS_CHECK_JOINS_(before, op);
        element<Op> out;
        const size_t n = inputs(before, in...);
        check(oplus_map_reduce(get(), OPLUS_FN_AT_(before), OPLUS_OP_AT_(op), OPLUS_IN(std::data(in)...), n, &out));
        return out;
    }
    /** dev.map_scan(before_fn, op, OPLUS_INCLUSIVE, after_fn, out, x, ...) */
    template <class Fn, class Op, class After, class Out, class... In>
    void map_scan(const Fn &before, const Op &op, oplus_kind kind, const After &after, Out &&out, const In &...in) const
    {
        OPLUS_CHECK_OP_(op), OPLUS_CHECK_JOINS_(before, op), OPLUS_CHECK_FN_(after), OPLUS_CHECK_ARITY_(after, 1);
        OPLUS_CHECK_AFTER_(op, after), OPLUS_CHECK_RESULT_(after, std::data(out));
        const size_t n = inputs(before, in...);
        check_room("the output of map_scan", std::size(out), n);
        check(oplus_map_scan(get(), OPLUS_FN_AT_(before), OPLUS_OP_AT_(op), kind, OPLUS_FN_AT_(after),
                             OPLUS_IN(std::data(in)...), n, std::data(out)));
    }
    template <class Fn, class Keep, class Out, class... In>
    size_t map_filter(const Fn &before, const Keep &keep, Out &&out, const In &...in) const
    {
        OPLUS_CHECK_FN_(keep), OPLUS_CHECK_KEEP_(keep), OPLUS_CHECK_TESTS_(before, keep);
        OPLUS_CHECK_RESULT_(before, std::data(out));
        size_t kept = 0;
        const size_t n = inputs(before, in...);
        check_room("the output of map_filter", std::size(out), n);
        check(oplus_map_filter(get(), OPLUS_FN_AT_(before), OPLUS_FN_AT_(keep), OPLUS_IN(std::data(in)...), n,
                               std::data(out), &kept));
        return kept;
    }

    template <class Keep, class In, class Out, class Rest>
    size_t partition(const Keep &keep, const In &in, Out &&out, Rest &&rest) const
    {
        size_t kept = 0;
        check_room("the output of partition", std::size(out), std::size(in));
        check_room("the rest of partition", std::size(rest), std::size(in));
        check(OPLUS_PARTITION(get(), keep, std::data(in), std::size(in), std::data(out), std::data(rest), &kept));
        return kept;
    }
    template <class Keep, class In, class Out> size_t indices(const Keep &keep, const In &in, Out &&out) const
    {
        size_t kept = 0;
        check_room("the output of indices", std::size(out), std::size(in));
        check(OPLUS_INDICES(get(), keep, std::data(in), std::size(in), std::data(out), &kept));
        return kept;
    }
    template <class In, class Mask, class Out>
    size_t filter_mask(oplus_mask kind, const In &in, const Mask &mask, Out &&out) const
    {
        size_t kept = 0;
        const size_t n = std::size(in);
        check_room("the mask of filter_mask", std::size(mask), kind == OPLUS_MASK_BITS ? n / 8 + (n % 8 > 0) : n);
        check_room("the output of filter_mask", std::size(out), n);
        check(OPLUS_FILTER_MASK(get(), kind, std::data(in), std::data(mask), n, std::data(out), &kept));
        return kept;
    }
    template <class In, class Out> size_t unique(const In &in, Out &&out) const
    {
        size_t runs = 0;
        std::uint32_t *const none = nullptr;
        check_room("the output of unique", std::size(out), std::size(in));
        check(OPLUS_UNIQUE(get(), std::data(in), std::size(in), std::data(out), none, none, none, &runs));
        return runs;
    }
    template <class In, class Out, class Counts> size_t unique(const In &in, Out &&out, Counts &&counts) const
    {
        size_t runs = 0;
        const decltype(std::data(counts)) none = nullptr;
        check_room("the output of unique", std::size(out), std::size(in));
        check_room("the counts of unique", std::size(counts), std::size(in));
        check(OPLUS_UNIQUE(get(), std::data(in), std::size(in), std::data(out), std::data(counts), none, none, &runs));
        return runs;
    }

    template <class Op, class Keys, class Values, class OutKeys, class Out>
    size_t reduce_by_key(const Op &op, const Keys &keys, const Values &values, OutKeys &&out_keys, Out &&out) const
    {
        size_t runs = 0;
        const size_t n = std::size(keys);
        check_room("the values of reduce_by_key", std::size(values), n);
        check_room("the keys that reduce_by_key writes", std::size(out_keys), n);
        check_room("the output of reduce_by_key", std::size(out), n);
        check(OPLUS_REDUCE_BY_KEY(get(), op, std::data(keys), std::data(values), n, std::data(out_keys), std::data(out),
                                  &runs));
        return runs;
    }
    template <class Op, class Keys, class Values, class Out>
    void scan_by_key(const Op &op, oplus_kind kind, const Keys &keys, const Values &values, Out &&out) const
    {
        const size_t n = std::size(keys);
        check_room("the values of scan_by_key", std::size(values), n);
        check_room("the output of scan_by_key", std::size(out), n);
        check(OPLUS_SCAN_BY_KEY(get(), op, kind, std::data(keys), std::data(values), n, std::data(out)));
    }
    template <class Op, class Keys, class Values, class OutKeys, class Out>
    size_t group(const Op &op, oplus_order order, const Keys &keys, const Values &values, OutKeys &&out_keys,
                 Out &&out) const
    {
        size_t groups = 0;
        const size_t n = std::size(keys);
        check_room("the values of group", std::size(values), n);
        check_room("the keys that group writes", std::size(out_keys), n);
        check_room("the output of group", std::size(out), n);
        check(OPLUS_GROUP(get(), op, order, std::data(keys), std::data(values), n, std::data(out_keys), std::data(out),
                          &groups));
        return groups;
    }

    /** The reduces of the rows along an axis of an array outer x n x inner (axis.h). */
    template <class Op, class In, class Out>
    void reduce_axis(const Op &op, const In &in, size_t outer, size_t n, size_t inner, Out &&out) const
    {
        check_room("the input of reduce_axis", std::size(in), outer * n * inner);
        check_room("the output of reduce_axis", std::size(out), outer * inner);
        check(OPLUS_REDUCE_AXIS(get(), op, std::data(in), outer, n, inner, std::data(out)));
    }
    template <class Op, class In, class Out>
    void scan_axis(const Op &op, oplus_kind kind, const In &in, size_t outer, size_t n, size_t inner, Out &&out) const
    {
        check_room("the input of scan_axis", std::size(in), outer * n * inner);
        check_room("the output of scan_axis", std::size(out), outer * n * inner);
        check(OPLUS_SCAN_AXIS(get(), op, kind, std::data(in), outer, n, inner, std::data(out)));
    }

    /** The index of the least, or the greatest, element of each row along an axis. */
    template <class In, class Index>
    void argmin_axis(const In &in, size_t outer, size_t n, size_t inner, Index &&indices) const
    {
        check_room("the input of argmin_axis", std::size(in), outer * n * inner);
        check_room("the output of argmin_axis", std::size(indices), outer * inner);
        check(OPLUS_ARGMIN_AXIS(get(), std::data(in), outer, n, inner, std::data(indices)));
    }
    template <class In, class Index>
    void argmax_axis(const In &in, size_t outer, size_t n, size_t inner, Index &&indices) const
    {
        check_room("the input of argmax_axis", std::size(in), outer * n * inner);
        check_room("the output of argmax_axis", std::size(indices), outer * inner);
        check(OPLUS_ARGMAX_AXIS(get(), std::data(in), outer, n, inner, std::data(indices)));
    }

    /** Sorts each row along an axis by itself; or the order of each row, as indices along the axis. */
    template <class Keys> void sort_axis(oplus_order order, Keys &&keys, size_t outer, size_t n, size_t inner) const
    {
        check_room("the input of sort_axis", std::size(keys), outer * n * inner);
        check(OPLUS_SORT_AXIS(get(), order, std::data(keys), outer, n, inner));
    }
    template <class Keys, class Index>
    void argsort_axis(oplus_order order, const Keys &keys, size_t outer, size_t n, size_t inner, Index &&indices) const
    {
        check_room("the input of argsort_axis", std::size(keys), outer * n * inner);
        check_room("the output of argsort_axis", std::size(indices), outer * n * inner);
        check(OPLUS_ARGSORT_AXIS(get(), order, std::data(keys), outer, n, inner, std::data(indices)));
    }

    /** Numbers at equal distances: start, start + step, ... (sequences.h). */
    template <class Out> void iota(Out &&out, number_of<Out> start = 0, number_of<Out> step = 1) const
    {
        check(oplus_iota(get(), OPLUS_TYPE_AT_(std::data(out)), &start, &step, 0, std::size(out), std::data(out)));
    }
    /** The reduces of the last w elements at every element (windows.h). */
    template <class Op, class In, class Out> void window(const Op &op, const In &in, size_t w, Out &&out) const
    {
        check_room("the output of window", std::size(out), std::size(in));
        check(OPLUS_WINDOW(get(), op, std::data(in), std::size(in), w, std::data(out)));
    }
    /** What fn makes of each element and its neighbours; with OPLUS_EDGE_GIVEN, ends are the two beyond (windows.h). */
    template <class Fn, class In, class Out>
    void map_neighbours(const Fn &fn, oplus_edge edge, const In &in, Out &&out,
                        const number_of<const In> *ends = nullptr) const
    {
        check_room("the output of map_neighbours", std::size(out), std::size(in));
        check(OPLUS_MAP_NEIGHBOURS(get(), fn, edge, ends, std::data(in), std::size(in), std::data(out)));
    }
    /** A scan from the last element to the first (windows.h). */
    template <class Op, class In, class Out>
    void scan_reverse(const Op &op, oplus_kind kind, const In &in, Out &&out) const
    {
        check_room("the output of scan_reverse", std::size(out), std::size(in));
        check(OPLUS_SCAN_REVERSE(get(), op, kind, std::data(in), std::size(in), std::data(out)));
    }

    template <class In> size_t argmin(const In &in) const
    {
        size_t at = 0;
        check(OPLUS_ARGMIN(get(), std::data(in), std::size(in), &at));
        return at;
    }
    template <class In> size_t argmax(const In &in) const
    {
        size_t at = 0;
        check(OPLUS_ARGMAX(get(), std::data(in), std::size(in), &at));
        return at;
    }
    /** The least and the greatest element. */
    template <class In> auto minmax(const In &in) const
    {
        oplus_element_t_<decltype(std::data(in))> found[2];
        check(OPLUS_MINMAX(get(), std::data(in), std::size(in), &found[0]));
        return std::make_pair(found[0], found[1]);
    }
    template <class In> double mean(const In &in) const
    {
        double mean = 0;
        check(OPLUS_MEAN(get(), std::data(in), std::size(in), &mean));
        return mean;
    }
    /** ddof: 0 of a whole population, 1 of a sample. */
    template <class In> double variance(unsigned ddof, const In &in) const
    {
        double variance = 0;
        check(OPLUS_VARIANCE(get(), ddof, std::data(in), std::size(in), &variance));
        return variance;
    }

    template <class In, class Indices, class Out>
    void take(oplus_bounds bounds, const In &in, const Indices &indices, Out &&out) const
    {
        check_room("the output of take", std::size(out), std::size(indices));
        check(OPLUS_TAKE(get(), bounds, std::data(in), std::size(in), std::data(indices), std::size(indices),
                         std::data(out)));
    }
    template <class In, class Indices, class Out>
    void put(oplus_bounds bounds, const In &in, const Indices &indices, Out &&out) const
    {
        check_room("the input of put", std::size(in), std::size(indices));
        check(OPLUS_PUT(get(), bounds, std::data(in), std::data(indices), std::size(indices), std::data(out),
                        std::size(out)));
    }

    /** Repeats each element as often as its count says; gives how many elements that makes.  The output may be longer. */
    template <class In, class Counts, class Out> std::size_t repeat(const In &in, const Counts &counts, Out &&out) const
    {
        std::size_t total = 0;
        check_room("the counts of repeat", std::size(counts), std::size(in));
        check(OPLUS_REPEAT(get(), std::data(in), std::size(in), std::data(counts), std::data(out), std::size(out),
                           &total));
        check_room("the output of repeat", std::size(out), total); /* of none the call only counts */
        return total;
    }
    /** How many elements a repeat makes: the sum of its counts. */
    template <class Counts> std::size_t repeat_total(const Counts &counts) const
    {
        std::size_t total = 0;
        std::uint8_t *const nowhere = nullptr;
        check(OPLUS_REPEAT(get(), nowhere, std::size(counts), std::data(counts), nowhere, 0, &total));
        return total;
    }

    /** Reduces the elements of each bin; there are as many bins as out has elements. */
    template <class Op, class In, class Indices, class Out>
    void reduce_by_index(const Op &op, oplus_bounds bounds, const In &in, const Indices &indices, Out &&out) const
    {
        check_room("the input of reduce_by_index", std::size(in), std::size(indices));
        check(OPLUS_REDUCE_BY_INDEX(get(), op, bounds, std::data(in), std::data(indices), std::size(indices),
                                    std::data(out), std::size(out)));
    }
    template <class Indices, class Counts>
    void count_by_index(oplus_bounds bounds, const Indices &indices, Counts &&counts) const
    {
        check(OPLUS_COUNT_BY_INDEX(get(), bounds, std::data(indices), std::size(indices), std::data(counts),
                                   std::size(counts)));
    }
    /** Even bins from low to high, as many as there are counts. */
    template <class In, class Counts> void histogram(const In &in, double low, double high, Counts &&counts) const
    {
        check(OPLUS_HISTOGRAM(get(), std::data(in), std::size(in), low, high, std::data(counts), std::size(counts)));
    }
    /** Bins between edges, one less than there are edges. */
    template <class In, class Edges, class Counts>
    void histogram(const In &in, const Edges &edges, Counts &&counts) const
    {
        check_room("the array of edges of histogram", std::size(edges), 2);
        check_room("the output of histogram", std::size(counts), std::size(edges) - 1);
        check(OPLUS_HISTOGRAM_EDGES(get(), std::data(in), std::size(in), std::data(edges), std::data(counts),
                                    std::size(edges) - 1));
    }

    template <class Keys, class Indices> void argsort(oplus_order order, const Keys &keys, Indices &&indices) const
    {
        check_room("the output of argsort", std::size(indices), std::size(keys));
        check(OPLUS_ARGSORT(get(), order, std::data(keys), std::size(keys), std::data(indices)));
    }
    /* As many as out and indices have room for. */
    template <class Keys, class Out, class Indices>
    void top(oplus_order order, const Keys &keys, Out &&out, Indices &&indices) const
    {
        check_room("the indices of top", std::size(indices), std::size(out));
        check(OPLUS_TOP(get(), order, std::data(keys), std::size(keys), std::size(out), std::data(out),
                        std::data(indices)));
    }
    /** The key at a place of the order. */
    template <class Keys> number_of<const Keys> nth(oplus_order order, const Keys &keys, size_t k) const
    {
        number_of<const Keys> out{};
        check(OPLUS_NTH(get(), order, std::data(keys), std::size(keys), k, &out));
        return out;
    }
    template <class Sorted, class Wanted, class Places>
    void search(oplus_order order, const Sorted &sorted, oplus_bound bound, const Wanted &wanted, Places &&places) const
    {
        check_room("the output of search", std::size(places), std::size(wanted));
        check(OPLUS_SEARCH(get(), order, std::data(sorted), std::size(sorted), bound, std::data(wanted),
                           std::size(wanted), std::data(places)));
    }
    template <class A, class B, class Out> void merge(oplus_order order, const A &a, const B &b, Out &&out) const
    {
        check_room("the output of merge", std::size(out), std::size(a) + std::size(b));
        check(OPLUS_MERGE(get(), order, std::data(a), std::size(a), std::data(b), std::size(b), std::data(out)));
    }

    /** arrays: a vector, say, of arrays. */
    template <class Arrays, class Out> void merge_many(oplus_order order, const Arrays &arrays, Out &&out) const
    {
        const list all(arrays, out);
        check_room("the output of merge_many", std::size(out), all.total);
        check(OPLUS_MERGE_MANY(get(), order, all.at.data(), all.n.data(), all.n.size(), std::data(out)));
    }
    template <class Keys, class Values, class OutKeys, class OutValues>
    void merge_many_pairs(oplus_order order, const Keys &keys, const Values &values, OutKeys &&out_keys,
                          OutValues &&out_values) const
    {
        const list all(keys, out_keys), moved(values, out_values);
        check_room("the list of values of merge_many_pairs", moved.n.size(), all.n.size());
        for (size_t k = 0; k < all.n.size(); k++)
            check_room("an array of values of merge_many_pairs", moved.n[k], all.n[k]);
        check_room("the output of keys of merge_many_pairs", std::size(out_keys), all.total);
        check_room("the output of values of merge_many_pairs", std::size(out_values), all.total);
        check(OPLUS_MERGE_MANY_PAIRS(get(), order, all.at.data(), std::data(out_keys), moved.at.data(),
                                     std::data(out_values), all.n.data(), all.n.size()));
    }
    template <class Fn, class Arrays, class Out>
    void merge_many_by(const Fn &less, const Arrays &arrays, Out &&out) const
    {
        const list all(arrays, out);
        check_room("the output of merge_many_by", std::size(out), all.total);
        check(OPLUS_MERGE_MANY_BY(get(), less, all.at.data(), all.n.data(), all.n.size(), std::data(out)));
    }

    template <class Fn, class Elements> void sort_by(const Fn &less, Elements &&elements) const
    {
        check(OPLUS_SORT_BY(get(), less, std::data(elements), std::size(elements)));
    }
    template <class Fn, class Elements, class Indices>
    void argsort_by(const Fn &less, const Elements &elements, Indices &&indices) const
    {
        check_room("the output of argsort_by", std::size(indices), std::size(elements));
        check(OPLUS_ARGSORT_BY(get(), less, std::data(elements), std::size(elements), std::data(indices)));
    }
    template <class Keys> void sort_bits(oplus_order order, unsigned low, unsigned high, Keys &&keys) const
    {
        check(OPLUS_SORT_BITS(get(), order, low, high, std::data(keys), std::size(keys)));
    }
    template <class Keys, class Values>
    void sort_pairs_bits(oplus_order order, unsigned low, unsigned high, Keys &&keys, Values &&values) const
    {
        check_room("the array of values of sort_pairs_bits", std::size(values), std::size(keys));
        check(OPLUS_SORT_PAIRS_BITS(get(), order, low, high, std::data(keys), std::data(values), std::size(keys)));
    }
    /** By members of structs: const oplus_sort_member by[] = {OPLUS_MEMBER(...), ...}; dev.sort_members(by, elements); */
    template <class Members, class Elements> void sort_members(const Members &members, Elements &&elements) const
    {
        check(OPLUS_SORT_MEMBERS(get(), std::data(members), std::size(members), std::data(elements),
                                 std::size(elements)));
    }
    template <class Members, class Elements, class Indices>
    void argsort_members(const Members &members, const Elements &elements, Indices &&indices) const
    {
        check_room("the output of argsort_members", std::size(indices), std::size(elements));
        check(OPLUS_ARGSORT_MEMBERS(get(), std::data(members), std::size(members), std::data(elements),
                                    std::size(elements), std::data(indices)));
    }
    template <class Keys, class Offsets> void segsort(oplus_order order, Keys &&keys, const Offsets &offsets) const
    {
        check_room("the array of offsets of segsort", std::size(offsets), 1);
        check(
            OPLUS_SEGSORT(get(), order, std::data(keys), std::size(keys), std::data(offsets), std::size(offsets) - 1));
    }
    template <class Keys, class Values, class Offsets>
    void segsort_pairs(oplus_order order, Keys &&keys, Values &&values, const Offsets &offsets) const
    {
        check_room("the array of values of segsort_pairs", std::size(values), std::size(keys));
        check_room("the array of offsets of segsort_pairs", std::size(offsets), 1);
        check(OPLUS_SEGSORT_PAIRS(get(), order, std::data(keys), std::data(values), std::size(keys), std::data(offsets),
                                  std::size(offsets) - 1));
    }

    template <class Keys> void sort(oplus_order order, Keys &&keys) const
    {
        check(OPLUS_SORT(get(), order, std::data(keys), std::size(keys)));
    }
    template <class Keys, class Values> void sort_pairs(oplus_order order, Keys &&keys, Values &&values) const
    {
        check_room("the array of values of sort_pairs", std::size(values), std::size(keys));
        check(OPLUS_SORT_PAIRS(get(), order, std::data(keys), std::data(values), std::size(keys)));
    }
};

/** A stream: carry totals(oplus_sum_f32); totals.scan(dev, OPLUS_INCLUSIVE, piece, piece); totals.value(). */
template <class Op> class carry
{
    Op op;
    std::unique_ptr<oplus_carry, decltype(&oplus_carry_close)> summary{nullptr, oplus_carry_close};

  public:
    explicit carry(const Op &of, uint64_t first = 0) : op(of)
    {
        oplus_carry *opened = nullptr;
        check(oplus_carry_open(oplus_at_(op), first, &opened));
        summary.reset(opened);
    }
    oplus_carry *get() const { return summary.get(); } // for oplus_carry_init and oplus_carry_join
    template <class In> void add(const device &dev, const In &in)
    {
        check(OPLUS_CARRY_ADD(dev.get(), op, get(), std::data(in), std::size(in)));
    }
    template <class In, class Out> void scan(const device &dev, oplus_kind kind, const In &in, Out &&out)
    {
        check_room("the output of scan", std::size(out), std::size(in));
        check(OPLUS_SCAN_FROM(dev.get(), op, get(), kind, std::data(in), std::size(in), std::data(out)));
    }
    element<Op> value() const
    {
        element<Op> out;
        check(OPLUS_CARRY_VALUE(op, get(), &out));
        return out;
    }
};
} // namespace oplus
#endif
