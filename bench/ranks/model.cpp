// The cost model, measured: N elements in total on p = 1, 2, 4, ... of the ranks.
//
//     T_S  one rank alone, by the local call     T_P  p ranks
//     S = T_S / T_P   E = S / p   C = p T_P   T_O = C - T_S
//
// and the isoefficiency: how large N must be on p ranks for an efficiency of a half.
#include "bench.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace
{
constexpr double wanted = 0.5;

struct curve {
    const char *name;
    std::function<void(const oplus_comm *, size_t)> all; // on this many elements of this rank
    std::function<void(size_t)> local;
};

double median(std::vector<double> &t)
{
    std::sort(t.begin(), t.end());
    return t[t.size() / 2];
}

// The time of the slowest rank of a communicator; small problems are repeated within one reading.
double time_of(const bench &b, MPI_Comm comm, size_t n, const std::function<void()> &run)
{
    const int inner = n < 100000 ? 20 : 1;
    std::vector<double> times;
    for (int i = 0; i < b.o.repeats + 1; i++) {
        MPI_Barrier(comm);
        const double start = MPI_Wtime();
        for (int k = 0; k < inner; k++) run();
        double own = (MPI_Wtime() - start) / inner, most;
        MPI_Allreduce(&own, &most, 1, MPI_DOUBLE, MPI_MAX, comm);
        if (i > 0) times.push_back(most);
    }
    return median(times);
}

// T_P on the first p ranks; the others wait.
double time_on(const bench &b, int p, size_t total, const curve &c)
{
    MPI_Comm some;
    double t = 0;
    MPI_Comm_split(MPI_COMM_WORLD, b.rank < p ? 0 : MPI_UNDEFINED, b.rank, &some);
    if (some != MPI_COMM_NULL) {
        oplus_comm comm;
        good(oplus_mpi_comm(some, &comm));
        const size_t n = total * (size_t)(b.rank + 1) / (size_t)p - total * (size_t)b.rank / (size_t)p;
        t = time_of(b, some, total, [&] { c.all(&comm, n); });
        oplus_mpi_free(&comm);
        MPI_Comm_free(&some);
    }
    MPI_Bcast(&t, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    return t;
}

// The N at which E passes the wanted value: interpolated between two measured N, on a logarithmic scale.
double crossing(const std::vector<size_t> &n, const std::vector<double> &e)
{
    for (size_t i = 0; i < n.size(); i++) {
        if (e[i] < wanted) continue;
        if (i == 0) return (double)n[0];
        const double f = (wanted - e[i - 1]) / (e[i] - e[i - 1]);
        return std::exp2(std::log2((double)n[i - 1]) + f * std::log2((double)n[i] / (double)n[i - 1]));
    }
    return NAN;
}

void draw(const bench &b, const std::vector<size_t> &sizes, const curve &c)
{
    std::vector<double> alone;
    if (b.rank == 0)
        std::printf("\n%s\n%4s %11s %12s %12s %7s %6s %12s %12s\n", c.name, "p", "N", "T_S us", "T_P us", "S", "E",
                    "C us", "T_O us");
    for (const size_t n : sizes) {
        double t = b.rank == 0 ? time_of(b, MPI_COMM_SELF, n, [&] { c.local(n); }) : 0;
        MPI_Bcast(&t, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        alone.push_back(t);
    }
    for (int p = 1; p <= b.size; p *= 2) {
        std::vector<double> efficiency;
        for (size_t i = 0; i < sizes.size(); i++) {
            const double t = time_on(b, p, sizes[i], c), s = alone[i] / t;
            efficiency.push_back(s / p);
            if (b.rank == 0)
                std::printf("%4d %11zu %12.2f %12.2f %7.2f %6.2f %12.2f %12.2f\n", p, sizes[i], alone[i] * 1e6, t * 1e6,
                            s, s / p, t * p * 1e6, (t * p - alone[i]) * 1e6);
        }
        if (b.rank == 0) std::printf("     E = %.1f from N = %.3g on\n", wanted, crossing(sizes, efficiency));
    }
    std::fflush(stdout);
}
} // namespace

void bench_model(const bench &b)
{
    const size_t most = std::max(b.o.n, (size_t)1 << 12);
    std::vector<size_t> sizes;
    for (size_t n = (size_t)1 << 10; n <= most; n *= 4) sizes.push_back(n);
    std::vector<float> host(most);
    for (size_t i = 0; i < most; i++) host[i] = (float)(random_at(i) % 3) - 1;
    const array in(b, most * sizeof(float)), out(b, most * sizeof(float));
    in.put(host.data());
    float value;
    draw(b, sizes,
         {"reduce f32 sum",
          [&](const oplus_comm *comm, size_t n) {
              good(oplus_reduce_all(b.dev, comm, &oplus_sum_f32, in.mem, n, &value));
          },
          [&](size_t n) { good(oplus_reduce(b.dev, &oplus_sum_f32, in.mem, n, &value)); }});
    draw(b, sizes,
         {"scan f32 sum",
          [&](const oplus_comm *comm, size_t n) {
              good(oplus_scan_all(b.dev, comm, &oplus_sum_f32, OPLUS_INCLUSIVE, in.mem, n, out.mem));
          },
          [&](size_t n) { good(oplus_scan(b.dev, &oplus_sum_f32, OPLUS_INCLUSIVE, in.mem, n, out.mem)); }});
}
