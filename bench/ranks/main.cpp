// The benchmark over ranks: mpirun -n 4 oplus-bench-ranks [--n 1e7] [--repeats 9] [--device serial] [--there] [--only
// sort]
//
// All contenders of a problem run in one process, in turn, between barriers; a time is that of the slowest rank, and
// the median is printed.  Results are compared with one another.
#include "bench.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

void good(oplus_status status)
{
    if (status == OPLUS_OK) return;
    std::fprintf(stderr, "oplus-bench-ranks: %s\n", oplus_last_error());
    MPI_Abort(MPI_COMM_WORLD, 1);
}

array::array(const bench &b, size_t bytes) : bytes(bytes), b(b)
{
    if (b.o.there) {
        good(oplus_alloc(b.dev, bytes, &mem));
        return;
    }
    mem = std::aligned_alloc(64, (bytes + 127) / 64 * 64);
    if (!mem) std::abort();
    std::memset(mem, 0, bytes);
}

array::~array()
{
    if (b.o.there)
        oplus_free(b.dev, mem);
    else
        std::free(mem);
}

void array::put(const void *host) const { good(oplus_copy(b.dev, mem, host, bytes)); }
void array::get(void *host) const { good(oplus_copy(b.dev, host, mem, bytes)); }

// Short calls are repeated, so that the time of the clock and the barrier does not matter.
static double slowest(const bench &b, const contender &c, int calls)
{
    if (c.prepare) c.prepare();
    good(oplus_sync(b.dev));
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    for (int i = 0; i < calls; i++) c.run();
    good(oplus_sync(b.dev));
    double own = (MPI_Wtime() - start) / calls, most;
    MPI_Allreduce(&own, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return most;
}

void measure(const bench &b, const std::string &name, size_t bytes, const std::vector<contender> &list)
{
    std::vector<std::vector<double>> times(list.size());
    int calls = 1;
    for (int i = -2; i < b.o.repeats; i++) // twice to warm up: then all ranks know how long a call takes
        for (size_t c = 0; c < list.size(); c++) {
            const double t = slowest(b, list[c], calls);
            if (i >= 0) times[c].push_back(t);
            if (i == -1 && c + 1 == list.size() && !list[c].prepare && t < 1e-3) calls = (int)(1e-3 / t) + 1;
        }
    if (b.rank != 0) return;
    std::vector<double> median;
    for (auto &t : times) {
        std::sort(t.begin(), t.end());
        median.push_back(t[t.size() / 2]);
    }
    std::printf("%-28s %12.1f us %8.2f GB/s a rank", name.c_str(), median[0] * 1e6, (double)bytes / median[0] * 1e-9);
    for (size_t c = 1; c < list.size(); c++)
        std::printf("   %s: %.1f us, x %.2f", list[c].name.c_str(), median[c] * 1e6, median[c] / median[0]);
    std::printf("\n");
    std::fflush(stdout);
}

static options read_options(int argc, char **argv)
{
    options o;
    for (int i = 1; i < argc; i++) {
        const std::string a = argv[i];
        const bool more = i + 1 < argc;
        if (a == "--n" && more)
            o.n = (size_t)std::strtod(argv[++i], nullptr);
        else if (a == "--repeats" && more)
            o.repeats = std::max(1, std::atoi(argv[++i]));
        else if (a == "--device" && more)
            o.device = argv[++i];
        else if (a == "--only" && more)
            o.only = argv[++i];
        else if (a == "--there")
            o.there = true;
        else if (a == "--model")
            o.model = true;
        else {
            std::fprintf(stderr,
                         "oplus-bench-ranks: %s is no option; there are --n N (elements a rank), --repeats K, "
                         "--device NAME (cuda:%% for a GPU a rank), --there (arrays in the device's memory), --only "
                         "PART-OF-A-NAME, --model\n",
                         a.c_str());
            MPI_Abort(MPI_COMM_WORLD, 2);
        }
    }
    return o;
}

// "cuda:%" is a GPU for each rank of the machine, as far as there are enough.
static std::string device_of(const bench &b)
{
    const size_t at = b.o.device.find('%');
    if (at == std::string::npos) return b.o.device;
    const std::string prefix = b.o.device.substr(0, at);
    std::vector<oplus_device_info> info(64);
    info[0].abi = OPLUS_ABI;
    const int rows = std::min(oplus_devices(info.data(), (int)info.size()), (int)info.size());
    int devices = 0, local;
    for (int i = 0; i < rows; i++) devices += info[i].units > 0 && std::string(info[i].where).rfind(prefix, 0) == 0;
    MPI_Comm node;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, &local);
    MPI_Comm_free(&node);
    return prefix + std::to_string(local % std::max(devices, 1));
}

int main(int argc, char **argv)
{
    bench b;
    MPI_Init(&argc, &argv);
    b.o = read_options(argc, argv);
    good(oplus_mpi_comm(MPI_COMM_WORLD, &b.comm));
    b.rank = b.comm.rank;
    b.size = b.comm.size;
    good(oplus_open(device_of(b).c_str(), &b.dev));
    if (b.rank == 0) {
        char version[MPI_MAX_LIBRARY_VERSION_STRING];
        int length;
        MPI_Get_library_version(version, &length);
        std::printf("%d ranks, %zu elements each, on %s%s; %.60s\n", b.size, b.o.n, oplus_device_name(b.dev),
                    b.o.there ? ", arrays there" : "", version);
    }
    if (b.o.model) {
        bench_model(b);
    } else {
        bench_carries(b);
        bench_by_key(b);
        bench_sort(b);
        bench_transpose(b);
    }
    oplus_close(b.dev);
    oplus_mpi_free(&b.comm);
    MPI_Finalize();
    return 0;
}
