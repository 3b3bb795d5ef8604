// Sums by key, runs of which span ranks, against what a program would write with MPI: each rank sums its own runs, all
// ranks tell one another what stands at their ends, and the rank with which a run begins adds what others have of it.
#include "bench.hpp"

#include <cstdio>
#include <cstring>

enum { RUN = 97 }; // elements of a run

// What a rank tells the others: its first and its last run, and how many it has.
struct ends {
    int32_t first_key, last_key;
    int64_t first_sum;
    uint64_t runs;
};

struct by_ends {
    const bench &b;
    std::vector<ends> all;
    std::vector<int64_t> sums;
    size_t begin = 0, runs = 0; // the results of this rank are sums[begin] to sums[begin + runs - 1]

    explicit by_ends(const bench &of, size_t n) : b(of), all((size_t)of.size), sums(n) {}

    void run(const void *keys, const void *values, size_t n, int32_t first_key, int32_t last_key)
    {
        size_t own;
        good(oplus_reduce_by_key(b.dev, &oplus_sum_i64, &oplus_i32, nullptr, keys, values, n, nullptr, sums.data(),
                                 &own));
        ends mine = {first_key, last_key, sums[0], own};
        MPI_Allgather(&mine, sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE, MPI_COMM_WORLD);
        const size_t rank = (size_t)b.rank;
        begin = rank > 0 && all[rank - 1].last_key == first_key;
        runs = own - begin;
        if (runs == 0) return; // the whole part belongs to a run that began before
        for (size_t r = rank + 1; r < all.size() && all[r].first_key == last_key; r++) {
            sums[own - 1] += all[r].first_sum;
            if (all[r].runs > 1) break;
        }
    }
};

static void run(const bench &b, size_t n)
{
    const std::string of = "by key i64 n=" + std::to_string(n);
    if (("reduce " + of).find(b.o.only) == std::string::npos && ("scan " + of).find(b.o.only) == std::string::npos)
        return;
    std::vector<int32_t> keys(n);
    std::vector<int64_t> values(n), ours(n);
    for (size_t i = 0; i < n; i++) {
        const uint64_t at = (uint64_t)b.rank * n + i;
        keys[i] = (int32_t)(at / RUN);
        values[i] = (int64_t)(random_at(at) % 2001) - 1000;
    }
    const array there(b, n * sizeof(int32_t)), in(b, n * sizeof(int64_t)), out(b, n * sizeof(int64_t));
    there.put(keys.data());
    in.put(values.data());
    size_t runs = 0, own;
    by_ends peer(b, n);

    const auto reduce_all = [&] {
        good(oplus_reduce_by_key_all(b.dev, &b.comm, &oplus_sum_i64, &oplus_i32, nullptr, OPLUS_AS_GIVEN, there.mem,
                                     in.mem, n, nullptr, out.mem, n, &runs));
    };
    const auto reduce_local = [&] {
        good(oplus_reduce_by_key(b.dev, &oplus_sum_i64, &oplus_i32, nullptr, there.mem, in.mem, n, nullptr, out.mem,
                                 &own));
    };
    const auto exchange = [&] { peer.run(there.mem, in.mem, n, keys.front(), keys.back()); };
    const size_t bytes = n * (sizeof(int32_t) + sizeof(int64_t));
    measure(b, "reduce " + of, bytes,
            {{"oplus", {}, reduce_all}, {"local", {}, reduce_local}, {"MPI_Allgather of ends", {}, exchange}});
    reduce_all();
    out.get(ours.data());
    exchange();
    if (runs != peer.runs || std::memcmp(ours.data(), &peer.sums[peer.begin], runs * sizeof(int64_t)) != 0) {
        std::fprintf(stderr, "oplus-bench-ranks: reduce %s: rank %d has another result than its peer\n", of.c_str(),
                     b.rank);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }

    const auto scan_all = [&] {
        good(oplus_scan_by_key_all(b.dev, &b.comm, &oplus_sum_i64, OPLUS_INCLUSIVE, &oplus_i32, nullptr, there.mem,
                                   in.mem, n, out.mem));
    };
    const auto scan_local = [&] {
        good(oplus_scan_by_key(b.dev, &oplus_sum_i64, OPLUS_INCLUSIVE, &oplus_i32, nullptr, there.mem, in.mem, n,
                               out.mem));
    };
    measure(b, "scan " + of, bytes + n * sizeof(int64_t), {{"oplus", {}, scan_all}, {"local", {}, scan_local}});
}

void bench_by_key(const bench &b)
{
    for (const size_t n : {(size_t)1000, b.o.n}) run(b, n);
}
