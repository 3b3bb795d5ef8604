// Thrust on OpenMP: the primitives with keys.  It takes segments as rising numbers, not flags; rates count the flags.
#include <omp.h>
#include <thrust/copy.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/system/omp/execution_policy.h>
#include <thrust/unique.h>
#include <thrust/version.h>

#include "peer.hpp"

template <class T> static void segscan(bench_problem *p)
{
    const view<T> v(p);
    thrust::inclusive_scan_by_key(thrust::omp::par, p->ids, p->ids + v.n, v.in, v.out);
}

template <class T> static void segreduce(bench_problem *p)
{
    const view<T> v(p);
    thrust::reduce_by_key(thrust::omp::par, p->ids, p->ids + v.n, v.in, thrust::make_discard_iterator(), v.out);
}

template <class T> static void scan(bench_problem *p)
{
    const view<T> v(p);
    thrust::inclusive_scan(thrust::omp::par, v.in, v.end, v.out);
}

template <class T> static void filter(bench_problem *p)
{
    const view<T> v(p);
    p->kept = static_cast<size_t>(thrust::copy_if(thrust::omp::par, v.in, v.end, v.out, odd()) - v.out);
}

template <class T> static void unique(bench_problem *p)
{
    const view<T> v(p);
    p->kept = static_cast<size_t>(thrust::unique_copy(thrust::omp::par, v.in, v.end, v.out) - v.out);
}

template <class T> static void by_key(bench_problem *p)
{
    const view<T> v(p);
    auto *const keys = static_cast<int32_t *>(p->out2);
    const auto ends = thrust::reduce_by_key(thrust::omp::par, p->ids, p->ids + v.n, v.in, keys, v.out);
    p->kept = static_cast<size_t>(ends.second - v.out);
}

template <class T> static void stable_sort(bench_problem *p)
{
    const view<T> v(p);
    thrust::stable_sort(thrust::omp::par, v.out, v.out + v.n);
}

static void sort_pairs(bench_problem *p)
{
    uint32_t *keys = static_cast<uint32_t *>(p->out), *values = static_cast<uint32_t *>(p->out2);
    thrust::stable_sort_by_key(thrust::omp::par, keys, keys + p->n, values);
}

// Calls without a parameter for the number of threads ask OpenMP; a module may have its own OpenMP library.
static void use_threads(const bench_problem *p) { omp_set_num_threads(p->threads); }

static const bench_contender table[] = {
    PEER_NUMBERS("thrust inclusive_scan_by_key (OpenMP)", SEGSCAN, 0, segscan),
    PEER_NUMBERS("thrust reduce_by_key (OpenMP)", SEGREDUCE, BENCH_HEADS, segreduce),
    PEER_NUMBERS("thrust inclusive_scan (OpenMP)", SCAN, 0, scan),
    PEER_NUMBERS("thrust copy_if (OpenMP)", FILTER, 0, filter),
    PEER_NUMBERS("thrust unique_copy (OpenMP)", UNIQUE, 0, unique),
    PEER_NUMBERS("thrust reduce_by_key (OpenMP)", BY_KEY, 0, by_key),
    PEER_NUMBERS("thrust stable_sort (OpenMP)", SORT, 0, stable_sort),
    PEER("thrust stable_sort_by_key (OpenMP)", PAIRS, U32, 0, sort_pairs),
    PEER_END};

PEER_MODULE("Thrust", PEER_TEXT(THRUST_VERSION) " on OpenMP", use_threads, table)
