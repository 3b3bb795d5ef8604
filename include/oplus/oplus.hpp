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
template <class Op> using element = typename oplus_of_<decltype(oplus_at_(std::declval<const Op &>()))>::element;
template <class F, class P, class Q, class R, class S, class...>
struct check_inputs : oplus_check_inputs_<F, P, Q, R, S> {
};

/** One place to compute, closed at its end; it can be moved, not copied.  One thread at a time uses it. */
class device
{
    std::unique_ptr<oplus_device, decltype(&oplus_close)> dev{nullptr, oplus_close};

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
        OPLUS_CHECK_FN_(fn), OPLUS_CHECK_ARITY_(fn, sizeof...(In)), OPLUS_CHECK_RESULT_(fn, std::data(out));
        (void)sizeof(check_inputs<OPLUS_OF_(fn), decltype(std::data(in))..., oplus_none_ *, oplus_none_ *,
                                  oplus_none_ *, oplus_none_ *>);
        const size_t length[] = {std::size(in)...};
        (check_room("an input of map", std::size(in), length[0]), ...);
        check_room("the output of map", std::size(out), length[0]);
        check(oplus_map(get(), OPLUS_FN_AT_(fn), OPLUS_IN(std::data(in)...), length[0], std::data(out)));
    }
    template <class Fn, class In, class Out> size_t filter(const Fn &keep, const In &in, Out &&out) const
    {
        size_t kept = 0;
        check_room("the output of filter", std::size(out), std::size(in));
        check(OPLUS_FILTER(get(), keep, std::data(in), std::size(in), std::data(out), &kept));
        return kept;
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
