// The parallel mode of GNU libstdc++ (OpenMP).
#include <parallel/algorithm>
#include <parallel/numeric>

#include <omp.h>

#include "peer.hpp"

// By default it stays serial below certain sizes; here it must run in parallel as asked.
static __gnu_parallel::default_parallel_tag tag(const bench_problem *p)
{
    static const bool forced = [] {
        __gnu_parallel::_Settings s;
        s.algorithm_strategy = __gnu_parallel::force_parallel;
        __gnu_parallel::_Settings::set(s);
        return true;
    }();
    (void)forced;
    return __gnu_parallel::default_parallel_tag(static_cast<__gnu_parallel::_ThreadIndex>(p->threads));
}

template <class T> static void reduce(bench_problem *p)
{
    const view<T> v(p);
    tag(p);
    *v.out = __gnu_parallel::accumulate(v.in, v.end, identity<T>(), sum());
}

template <class T> static void max(bench_problem *p)
{
    const view<T> v(p);
    tag(p);
    *v.out = *__gnu_parallel::max_element(v.in, v.end);
}

template <class T> static void scan(bench_problem *p)
{
    const view<T> v(p);
    tag(p);
    __gnu_parallel::partial_sum(v.in, v.end, v.out, sum());
}

template <class T> static void sort(bench_problem *p)
{
    const view<T> v(p);
    __gnu_parallel::sort(v.out, v.out + v.n, std::less<T>(), tag(p));
}

template <class T> static void stable_sort(bench_problem *p)
{
    const view<T> v(p);
    __gnu_parallel::stable_sort(v.out, v.out + v.n, std::less<T>(), tag(p));
}

static void sort_pairs(bench_problem *p)
{
    __gnu_parallel::sort(p->out_pairs, p->out_pairs + p->n, std::less<bench_pair>(), tag(p));
}

static void stable_sort_pairs(bench_problem *p)
{
    __gnu_parallel::stable_sort(p->out_pairs, p->out_pairs + p->n, std::less<bench_pair>(), tag(p));
}

template <class T> static void unique(bench_problem *p)
{
    const view<T> v(p);
    tag(p);
    p->kept = static_cast<size_t>(__gnu_parallel::unique_copy(v.in, v.end, v.out) - v.out);
}

template <class T> static void merge(bench_problem *p)
{
    const view<T> v(p);
    T *const in = const_cast<T *>(v.in); // it only reads, but asks for a reference that could write
    __gnu_parallel::merge(in, in + v.n / 2, in + v.n / 2, in + v.n, v.out);
}

template <class T> static void merge_many(bench_problem *p)
{
    const view<T> v(p);
    T *const in = const_cast<T *>(v.in);
    std::pair<T *, T *> parts[BENCH_MERGED];
    for (size_t k = 0; k < BENCH_MERGED; k++) parts[k] = {in + bench_part(p, k), in + bench_part(p, k + 1)};
    __gnu_parallel::stable_multiway_merge(parts, parts + BENCH_MERGED, v.out, static_cast<std::ptrdiff_t>(v.n),
                                          std::less<T>(), tag(p));
}

// Calls without a parameter for the number of threads ask OpenMP; a module may have its own OpenMP library.
static void use_threads(const bench_problem *p) { omp_set_num_threads(p->threads); }

static const bench_contender table[] = {
    PEER_ALL("__gnu_parallel::accumulate", REDUCE, 0, reduce),
    PEER_NUMBERS("__gnu_parallel::max_element", MAXIMUM, 0, max),
    PEER_ALL("__gnu_parallel::partial_sum", SCAN, 0, scan),
    PEER_NUMBERS("__gnu_parallel::sort", SORT, BENCH_UNSTABLE, sort),
    PEER_NUMBERS("__gnu_parallel::stable_sort", SORT, 0, stable_sort),
    PEER("__gnu_parallel::sort of records", PAIRS, U32, BENCH_UNSTABLE | BENCH_RECORDS, sort_pairs),
    PEER("__gnu_parallel::stable_sort of records", PAIRS, U32, BENCH_RECORDS, stable_sort_pairs),
    PEER_NUMBERS("__gnu_parallel::unique_copy", UNIQUE, 0, unique),
    PEER("__gnu_parallel::merge", MERGE, U32, 0, merge<uint32_t>),
    PEER("__gnu_parallel::merge", MERGE, U64, 0, merge<uint64_t>),
    PEER("__gnu_parallel::stable_multiway_merge", MERGE_MANY, U32, 0, merge_many<uint32_t>),
    PEER("__gnu_parallel::stable_multiway_merge", MERGE_MANY, U64, 0, merge_many<uint64_t>),
    PEER_END};

PEER_MODULE("GNU parallel", "libstdc++ " PEER_TEXT(_GLIBCXX_RELEASE), use_threads, table)
