// Boost.Sort.
#include <boost/version.hpp>

#include <boost/sort/block_indirect_sort/block_indirect_sort.hpp>
#include <boost/sort/parallel_stable_sort/parallel_stable_sort.hpp>
#include <boost/sort/sample_sort/sample_sort.hpp>
#include <boost/sort/spinsort/spinsort.hpp>
#include <boost/sort/spreadsort/spreadsort.hpp>

#include "peer.hpp"

template <class T> static void spread(bench_problem *p)
{
    const view<T> v(p);
    boost::sort::spreadsort::spreadsort(v.out, v.out + v.n);
}

template <class T> static void spin(bench_problem *p) { boost::sort::spinsort(view<T>(p).out, view<T>(p).out + p->n); }

template <class T> static void block_indirect(bench_problem *p)
{
    const view<T> v(p);
    boost::sort::block_indirect_sort(v.out, v.out + v.n, static_cast<uint32_t>(p->threads));
}

template <class T> static void sample(bench_problem *p)
{
    const view<T> v(p);
    boost::sort::sample_sort(v.out, v.out + v.n, static_cast<uint32_t>(p->threads));
}

template <class T> static void parallel_stable(bench_problem *p)
{
    const view<T> v(p);
    boost::sort::parallel_stable_sort(v.out, v.out + v.n, static_cast<uint32_t>(p->threads));
}

static void spread_pairs(bench_problem *p)
{
    boost::sort::spreadsort::integer_sort(
        p->out_pairs, p->out_pairs + p->n, [](bench_pair x, unsigned shift) { return x.key >> shift; },
        [](bench_pair a, bench_pair b) { return a < b; });
}

static void sample_pairs(bench_problem *p)
{
    boost::sort::sample_sort(p->out_pairs, p->out_pairs + p->n, static_cast<uint32_t>(p->threads));
}

static void block_indirect_pairs(bench_problem *p)
{
    boost::sort::block_indirect_sort(p->out_pairs, p->out_pairs + p->n, static_cast<uint32_t>(p->threads));
}

static const bench_contender table[] = {
    PEER_NUMBERS("boost spreadsort", SORT, BENCH_UNSTABLE, spread),
    PEER_NUMBERS("boost spinsort", SORT, 0, spin),
    PEER_NUMBERS("boost block_indirect_sort", SORT, BENCH_UNSTABLE, block_indirect),
    PEER_NUMBERS("boost sample_sort", SORT, 0, sample),
    PEER_NUMBERS("boost parallel_stable_sort", SORT, 0, parallel_stable),
    PEER("boost spreadsort of records", PAIRS, U32, BENCH_UNSTABLE | BENCH_RECORDS, spread_pairs),
    PEER("boost block_indirect_sort of records", PAIRS, U32, BENCH_UNSTABLE | BENCH_RECORDS, block_indirect_pairs),
    PEER("boost sample_sort of records", PAIRS, U32, BENCH_RECORDS, sample_pairs),
    PEER_END};

PEER_MODULE("Boost.Sort", BOOST_LIB_VERSION, nullptr, table)
