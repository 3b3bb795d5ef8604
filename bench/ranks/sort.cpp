// Sort, against the usual sample sort: splitters from a random sample, one MPI_Alltoallv, std::sort of what has come.
// Each rank gets about as many elements as it gave, not exactly, and equal keys do not keep their order.
#include "bench.hpp"

#include <algorithm>
#include <cstdio>

template <class T> struct samples {
    std::vector<T> keys, sorted, gathered;
    static constexpr size_t per_rank = 256;

    void sort(const bench &b)
    {
        const size_t p = (size_t)b.size, n = keys.size();
        std::vector<T> mine(per_rank);
        for (size_t i = 0; i < per_rank; i++) mine[i] = keys[random_at(i * 7919 + (size_t)b.rank) % n];
        gathered.resize(per_rank * p);
        MPI_Allgather(mine.data(), (int)(per_rank * sizeof(T)), MPI_BYTE, gathered.data(), (int)(per_rank * sizeof(T)),
                      MPI_BYTE, MPI_COMM_WORLD);
        std::sort(gathered.begin(), gathered.end());
        std::vector<T> splitter;
        for (size_t r = 1; r < p; r++) splitter.push_back(gathered[r * per_rank]);
        exchange(deal(splitter));
        std::sort(sorted.begin(), sorted.end());
    }

  private:
    std::vector<int> deal(const std::vector<T> &splitter)
    {
        std::vector<int> count(splitter.size() + 1);
        std::vector<uint16_t> bucket(keys.size());
        for (size_t i = 0; i < keys.size(); i++) {
            bucket[i] = (uint16_t)(std::upper_bound(splitter.begin(), splitter.end(), keys[i]) - splitter.begin());
            count[bucket[i]]++;
        }
        std::vector<size_t> at(count.size());
        for (size_t r = 1; r < at.size(); r++) at[r] = at[r - 1] + (size_t)count[r - 1];
        std::vector<T> dealt(keys.size());
        for (size_t i = 0; i < keys.size(); i++) dealt[at[bucket[i]]++] = keys[i];
        keys.swap(dealt);
        return count;
    }

    void exchange(std::vector<int> count)
    {
        const int p = (int)count.size();
        std::vector<int> from(count.size()), at(count.size()), from_at(count.size());
        MPI_Alltoall(count.data(), 1, MPI_INT, from.data(), 1, MPI_INT, MPI_COMM_WORLD);
        for (int r = 1; r < p; r++) {
            at[r] = at[r - 1] + count[r - 1];
            from_at[r] = from_at[r - 1] + from[r - 1];
        }
        sorted.resize((size_t)from_at[p - 1] + (size_t)from[p - 1]);
        MPI_Datatype type;
        MPI_Type_contiguous((int)sizeof(T), MPI_BYTE, &type);
        MPI_Type_commit(&type);
        MPI_Alltoallv(keys.data(), count.data(), at.data(), type, sorted.data(), from.data(), from_at.data(), type,
                      MPI_COMM_WORLD);
        MPI_Type_free(&type);
    }
};

template <class T> static void run(const bench &b, const char *type, const oplus_type *key)
{
    const size_t n = b.o.n;
    const std::string name = std::string("sort ") + type + " n=" + std::to_string(n);
    if (name.find(b.o.only) == std::string::npos) return;
    std::vector<T> host(n), mine(n);
    for (size_t i = 0; i < n; i++) host[i] = (T)random_at((uint64_t)b.rank * n + i);
    const array keys(b, n * sizeof(T));
    samples<T> theirs;
    size_t count = n;
    const auto restore = [&] { keys.put(host.data()); };
    const auto restore_theirs = [&] { theirs.keys = host; };
    measure(b, name, 2 * n * sizeof(T),
            {{"oplus", restore,
              [&] { good(oplus_sort_all(b.dev, &b.comm, key, OPLUS_ASCENDING, OPLUS_AS_GIVEN, keys.mem, &count, n)); }},
             {"local", restore, [&] { good(oplus_sort(b.dev, key, OPLUS_ASCENDING, keys.mem, n)); }},
             {"sample sort", restore_theirs, [&] { theirs.sort(b); }}});

    // Is it sorted here, and not less than the last element of the rank before?
    restore();
    good(oplus_sort_all(b.dev, &b.comm, key, OPLUS_ASCENDING, OPLUS_AS_GIVEN, keys.mem, &count, n));
    keys.get(mine.data());
    std::vector<T> last(b.size);
    MPI_Allgather(&mine[n - 1], (int)sizeof(T), MPI_BYTE, last.data(), (int)sizeof(T), MPI_BYTE, MPI_COMM_WORLD);
    if (std::is_sorted(mine.begin(), mine.end()) && (b.rank == 0 || last[b.rank - 1] <= mine[0])) return;
    std::fprintf(stderr, "oplus-bench-ranks: %s: rank %d is not sorted\n", name.c_str(), b.rank);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

void bench_sort(const bench &b)
{
    run<uint32_t>(b, "u32", &oplus_u32);
    run<uint64_t>(b, "u64", &oplus_u64);
}
