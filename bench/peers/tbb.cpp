// oneTBB, called directly.
#include <algorithm>

#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>
#include <tbb/parallel_scan.h>
#include <tbb/parallel_sort.h>
#include <tbb/task_arena.h>
#include <tbb/version.h>

#include "peer.hpp"

using range = tbb::blocked_range<size_t>;

template <class F> static void with_threads(const bench_problem *p, F work)
{
    static tbb::task_arena arena;
    if (!arena.is_active() || arena.max_concurrency() != p->threads) {
        arena.terminate();
        arena.initialize(p->threads);
    }
    arena.execute(work);
}

template <class T, class Op> static void reduce_by(bench_problem *p, T start, Op op)
{
    const view<T> v(p);
    with_threads(p, [&] {
        *v.out = tbb::parallel_reduce(
            range(0, v.n), start,
            [&](const range &r, T all) {
                for (size_t i = r.begin(); i != r.end(); i++) all = op(all, v.in[i]);
                return all;
            },
            op);
    });
}

template <class T> static void reduce(bench_problem *p) { reduce_by(p, identity<T>(), sum()); }
template <class T> static void max(bench_problem *p) { reduce_by(p, *static_cast<const T *>(p->in), maximum()); }

template <class T> static void dot(bench_problem *p)
{
    const view<T> v(p);
    const T *const in2 = static_cast<const T *>(p->in2);
    with_threads(p, [&] {
        *v.out = tbb::parallel_reduce(
            range(0, v.n), T(0),
            [&](const range &r, T all) {
                for (size_t i = r.begin(); i != r.end(); i++) all += v.in[i] * in2[i];
                return all;
            },
            sum());
    });
}

template <class T> static void scan(bench_problem *p)
{
    const view<T> v(p);
    with_threads(p, [&] {
        tbb::parallel_scan(
            range(0, v.n), identity<T>(),
            [&](const range &r, T all, bool is_final) {
                for (size_t i = r.begin(); i != r.end(); i++) {
                    all = sum()(all, v.in[i]);
                    if (is_final) v.out[i] = all;
                }
                return all;
            },
            sum());
    });
}

template <class T> static void exclusive(bench_problem *p)
{
    const view<T> v(p);
    with_threads(p, [&] {
        tbb::parallel_scan(
            range(0, v.n), identity<T>(),
            [&](const range &r, T all, bool is_final) {
                for (size_t i = r.begin(); i != r.end(); i++) {
                    if (is_final) v.out[i] = all;
                    all = sum()(all, v.in[i]);
                }
                return all;
            },
            sum());
    });
}

template <class T> struct flagged {
    T value;
    bool head;
};

template <class T> static void segscan(bench_problem *p)
{
    const view<T> v(p);
    with_threads(p, [&] {
        tbb::parallel_scan(
            range(0, v.n), flagged<T>{identity<T>(), false},
            [&](const range &r, flagged<T> all, bool is_final) {
                for (size_t i = r.begin(); i != r.end(); i++) {
                    all.value = p->heads[i] ? v.in[i] : sum()(all.value, v.in[i]);
                    all.head |= p->heads[i] != 0;
                    if (is_final) v.out[i] = all.value;
                }
                return all;
            },
            [](flagged<T> a, flagged<T> b) {
                return flagged<T>{b.head ? b.value : sum()(a.value, b.value), a.head || b.head};
            });
    });
}

template <class T> static void sort(bench_problem *p)
{
    const view<T> v(p);
    with_threads(p, [&] { tbb::parallel_sort(v.out, v.out + v.n); });
}

static void sort_pairs(bench_problem *p)
{
    with_threads(p, [&] { tbb::parallel_sort(p->out_pairs, p->out_pairs + p->n); });
}

static const bench_contender table[] = {
    PEER_ALL("tbb::parallel_reduce", REDUCE, 0, reduce),
    PEER_NUMBERS("tbb::parallel_reduce", MAXIMUM, 0, max),
    PEER_NUMBERS("tbb::parallel_reduce", DOT, 0, dot),
    PEER_ALL("tbb::parallel_scan", SCAN, 0, scan),
    PEER_ALL("tbb::parallel_scan", EXCLUSIVE, 0, exclusive),
    PEER_NUMBERS("tbb::parallel_scan with heads", SEGSCAN, 0, segscan),
    PEER_NUMBERS("tbb::parallel_sort", SORT, BENCH_UNSTABLE, sort),
    PEER("tbb::parallel_sort of records", PAIRS, U32, BENCH_UNSTABLE | BENCH_RECORDS, sort_pairs),
    PEER_END};

PEER_MODULE("oneTBB", PEER_TEXT(TBB_VERSION_MAJOR) "." PEER_TEXT(TBB_VERSION_MINOR), nullptr, table)
