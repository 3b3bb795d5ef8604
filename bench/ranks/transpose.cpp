// Transpose, against gathering the matrix on rank 0, transposing it there, and scattering the result.
#include "bench.hpp"

#include <cmath>
#include <cstdio>
#include <cstring>

void bench_transpose(const bench &b)
{
    // A square matrix, with whole rows and about n elements for each rank.
    const size_t p = (size_t)b.size, band = (size_t)std::sqrt((double)b.o.n / (double)p), side = band * p,
                 n = band * side;
    const std::string name = "transpose f32 " + std::to_string(side) + "^2";
    if (name.find(b.o.only) == std::string::npos || n == 0 || n > (size_t)1 << 30) return;
    std::vector<float> host(n), whole(b.rank ? 0 : n * p), turned(b.rank ? 0 : n * p), theirs(n), mine(n);
    for (size_t i = 0; i < n; i++) host[i] = (float)(random_at((uint64_t)b.rank * n + i) >> 40);
    const array in(b, n * sizeof(float)), out(b, n * sizeof(float));
    in.put(host.data());
    oplus_device *cores;
    good(oplus_open("serial", &cores));
    const auto all = [&] { good(oplus_transpose_all(b.dev, &b.comm, &oplus_f32, in.mem, n, side, side, out.mem, n)); };
    const auto local = [&] { good(oplus_transpose(b.dev, &oplus_f32, in.mem, band, side, out.mem)); };
    const auto gather = [&] {
        MPI_Gather(host.data(), (int)n, MPI_FLOAT, whole.data(), (int)n, MPI_FLOAT, 0, MPI_COMM_WORLD);
        if (b.rank == 0) good(oplus_transpose(cores, &oplus_f32, whole.data(), side, side, turned.data()));
        MPI_Scatter(turned.data(), (int)n, MPI_FLOAT, theirs.data(), (int)n, MPI_FLOAT, 0, MPI_COMM_WORLD);
    };
    measure(b, name, 2 * n * sizeof(float),
            {{"oplus", {}, all}, {"local", {}, local}, {"gather, transpose, scatter", {}, gather}});
    all();
    out.get(mine.data());
    oplus_close(cores);
    if (std::memcmp(mine.data(), theirs.data(), n * sizeof(float)) == 0) return;
    std::fprintf(stderr, "oplus-bench-ranks: %s: rank %d has another result than its peer\n", name.c_str(), b.rank);
    MPI_Abort(MPI_COMM_WORLD, 1);
}
