// Highway's vqsort: vectorised quicksort, one thread, unstable.
#include <hwy/contrib/sort/vqsort.h>

#include "peer.hpp"

static const hwy::Sorter &sorter()
{
    static const hwy::Sorter one;
    return one;
}

template <class T> static void sort(bench_problem *p)
{
    sorter()(static_cast<T *>(p->out), p->n, hwy::SortAscending());
}

// Its pairs are words with the key in the upper half, like our records on a little-endian machine.
static void sort_pairs(bench_problem *p)
{
    sorter()(reinterpret_cast<hwy::K32V32 *>(p->out_pairs), p->n, hwy::SortAscending());
}

static const bench_contender table[] = {PEER_NUMBERS("vqsort", SORT, BENCH_UNSTABLE, sort),
                                        PEER("vqsort of words", PAIRS, U32, BENCH_UNSTABLE | BENCH_RECORDS, sort_pairs),
                                        PEER_END};

PEER_MODULE("vqsort", "Highway " HIGHWAY_VERSION, nullptr, table)
