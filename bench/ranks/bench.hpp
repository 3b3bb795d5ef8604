// What the benchmark over ranks measures with: contenders that take turns, the slowest rank's time, medians.
#ifndef BENCH_RANKS_HPP
#define BENCH_RANKS_HPP

#include <oplus/mpi.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

struct options {
    size_t n = 10000000; // elements for each rank
    int repeats = 9;
    std::string device = "serial"; // of each rank
    bool there = false;            // arrays lie in the device's memory
    std::string only;              // only problems whose names contain this
    bool model = false;            // the cost model instead of the peers
};

// The run: MPI, the transport, this rank's device.
struct bench {
    options o;
    oplus_comm comm;
    oplus_device *dev = nullptr;
    int rank = 0, size = 1;
};

// Ends the run with the library's words if a call has failed.
void good(oplus_status status);

// Memory of the device, if arrays lie there, or of the host, touched by this rank.
class array
{
  public:
    array(const bench &b, size_t bytes);
    ~array();
    array(const array &) = delete;
    array &operator=(const array &) = delete;
    void *mem = nullptr;
    void put(const void *host) const;
    void get(void *host) const;
    size_t bytes;

  private:
    const bench &b;
};

struct contender {
    std::string name;
    std::function<void()> prepare; // before each call, not timed
    std::function<void()> run;
};

// Times the contenders in turn and prints a line.  The first is ours; the second is this rank alone, with its part
// and without the other ranks; further ones are peers.
void measure(const bench &b, const std::string &name, size_t bytes, const std::vector<contender> &list);

void bench_carries(const bench &b); // reduce and scan
void bench_by_key(const bench &b);
void bench_sort(const bench &b);
void bench_transpose(const bench &b);
void bench_model(const bench &b); // --model: one problem on 1, 2, 4, ... ranks

// The same numbers on every machine.
inline uint64_t random_at(uint64_t i)
{
    uint64_t z = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

#endif
