// CUB, of the CUDA toolkit or the newest (CUB_TITLE says which), on arrays in the memory of a CUDA device; and how fast that memory can be read.
//
// The runtime works in the device's primary context, which is oplus's too, so that both know the same addresses.
// Numbers of elements are given as int, for which CUB has its fastest code.  Sorts read `in` and write `out`: CUB's own
// way, which need not put back what it has sorted.
#include <climits>
#include <cstdio>
#include <iterator>
#include <type_traits>

#include <cub/cub.cuh>
#include <thrust/binary_search.h>
#include <thrust/execution_policy.h>
#include <thrust/gather.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/scatter.h>
#include <thrust/sequence.h>
#include <thrust/tuple.h>

#if __has_include(<cub/device/device_topk.cuh>)
#include <cub/device/device_topk.cuh>
#define BENCH_CUB_HAS_TOP 1
#else
#define BENCH_CUB_HAS_TOP 0
#endif
#include "peer.hpp"

// --- the device's stream, scratch memory and width, while a problem lasts -----------------------------------------

static cudaStream_t stream;
static void *scratch; // allocated by the first call, which nobody times
static size_t scratch_bytes;
static void *numbers; // 0, 1, 2, ...: the values of an argsort; behind them there is room for its keys
static unsigned multiprocessors;
static cudaError_t trouble;

// Keeps the first error.
static bool good(cudaError_t error)
{
    if (trouble == cudaSuccess) trouble = error;
    return error == cudaSuccess;
}

static const char *words() { return trouble == cudaSuccess ? nullptr : cudaGetErrorString(trouble); }

// Only arrays that are on a device are told of: their device is the one to use.
static void begin(const bench_problem *p)
{
    cudaPointerAttributes of;
    int count = 0;
    trouble = cudaSuccess;
    if (good(cudaPointerGetAttributes(&of, p->in)) && good(cudaSetDevice(of.device)) &&
        good(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, of.device)))
        good(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    multiprocessors = static_cast<unsigned>(count);
}

static void end()
{
    if (stream) cudaStreamDestroy(stream);
    cudaFree(scratch);
    cudaFree(numbers);
    stream = nullptr;
    numbers = nullptr;
    scratch = nullptr;
    scratch_bytes = 0;
}

static const char *wait()
{
    good(cudaStreamSynchronize(stream));
    return words();
}

// call(scratch, bytes): CUB's habit; without scratch memory it only says how much it needs.
template <class F> static void enqueue(bench_problem *p, F call)
{
    if (p->n > INT_MAX) {
        p->refused = "this module gives CUB at most 2^31 - 1 elements";
        return;
    }
    if (!scratch && trouble == cudaSuccess && good(call(nullptr, scratch_bytes))) {
        if (scratch_bytes == 0) scratch_bytes = 1;
        good(cudaMalloc(&scratch, scratch_bytes));
    }
    if (trouble == cudaSuccess) good(call(scratch, scratch_bytes));
    p->refused = words();
}

// --- the calls --------------------------------------------------------------------------------------------------

template <class T> static void reduce(bench_problem *p)
{
    const view<T> v(p);
    enqueue(p, [&](void *mem, size_t &bytes) {
        return cub::DeviceReduce::Sum(mem, bytes, v.in, v.out, static_cast<int>(v.n), stream);
    });
}

template <class T> struct product_of_two {
    PEER_ANYWHERE T operator()(thrust::tuple<T, T> pair) const { return thrust::get<0>(pair) * thrust::get<1>(pair); }
};

// An iterator over the products of the elements of both inputs.
template <class T> static auto products_of(bench_problem *p)
{
    const auto pairs = thrust::make_zip_iterator(
        thrust::make_tuple(static_cast<const T *>(p->in), static_cast<const T *>(p->in2)));
    return thrust::make_transform_iterator(pairs, product_of_two<T>());
}

template <class T> static void dot(bench_problem *p)
{
    const view<T> v(p);
    enqueue(p, [&](void *mem, size_t &bytes) {
        return cub::DeviceReduce::Sum(mem, bytes, products_of<T>(p), v.out, static_cast<int>(v.n), stream);
    });
}

template <class T> static void map_scan(bench_problem *p)
{
    const view<T> v(p);
    enqueue(p, [&](void *mem, size_t &bytes) {
        return cub::DeviceScan::InclusiveSum(mem, bytes, products_of<T>(p), v.out, static_cast<int>(v.n), stream);
    });
}

template <class T> static void reduce_max(bench_problem *p)
{
    const view<T> v(p);
    enqueue(p, [&](void *mem, size_t &bytes) {
        return cub::DeviceReduce::Max(mem, bytes, v.in, v.out, static_cast<int>(v.n), stream);
    });
}

struct less_than { // std::less is not code of the device
    template <class T> __host__ __device__ bool operator()(T a, T b) const { return a < b; }
};

// Two sorted halves.
template <class T> static void merge(bench_problem *p)
{
    const view<T> v(p);
    const auto half = static_cast<int64_t>(v.n / 2), rest = static_cast<int64_t>(v.n) - half;
    enqueue(p, [&](void *mem, size_t &bytes) {
        return cub::DeviceMerge::MergeKeys(mem, bytes, v.in, half, v.in + half, rest, v.out, less_than(), stream);
    });
}

// The place; behind it the value, which is not compared.
template <class T> static void argmax(bench_problem *p)
{
    const view<T> v(p);
    using place = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;
    enqueue(p, [&](void *mem, size_t &bytes) {
        return cub::DeviceReduce::ArgMax(mem, bytes, v.in, v.n > 1 ? v.out + 1 : v.out,
                                         reinterpret_cast<place *>(v.out), static_cast<int64_t>(v.n), stream);
    });
}

template <class T> static void scan(bench_problem *p)
{
    const view<T> v(p);
    enqueue(p, [&](void *mem, size_t &bytes) {
        return cub::DeviceScan::InclusiveScan(mem, bytes, v.in, v.out, sum(), static_cast<int>(v.n), stream);
    });
}

template <class T> static void exclusive(bench_problem *p)
{
    const view<T> v(p);
    enqueue(p, [&](void *mem, size_t &bytes) {
        return cub::DeviceScan::ExclusiveScan(mem, bytes, v.in, v.out, sum(), identity<T>(), static_cast<int>(v.n),
                                              stream);
    });
}

template <class T> static void segscan(bench_problem *p)
{
    const view<T> v(p);
    enqueue(p, [&](void *mem, size_t &bytes) {
        return cub::DeviceScan::InclusiveSumByKey(mem, bytes, p->ids, v.in, v.out, static_cast<int>(v.n),
                                                  ::cuda::std::equal_to<>{}, stream);
    });
}

template <class T> static void segreduce(bench_problem *p)
{
    const view<T> v(p);
    enqueue(p, [&](void *mem, size_t &bytes) {
        return cub::DeviceSegmentedReduce::Sum(mem, bytes, v.in, v.out, static_cast<int64_t>(p->segments), p->offsets,
                                               p->offsets + 1, stream);
    });
}

template <class T> static void filter(bench_problem *p)
{
    const view<T> v(p);
    enqueue(p, [&](void *mem, size_t &bytes) {
        return cub::DeviceSelect::If(mem, bytes, v.in, v.out, p->kept_there, static_cast<int>(v.n), odd(), stream);
    });
}

template <class T> static void map_filter(bench_problem *p)
{
    const view<T> v(p);
    enqueue(p, [&](void *mem, size_t &bytes) {
        return cub::DeviceSelect::If(mem, bytes, products_of<T>(p), v.out, p->kept_there, static_cast<int>(v.n), odd(),
                                     stream);
    });
}

template <class T> static void unique(bench_problem *p)
{
    const view<T> v(p);
    enqueue(p, [&](void *mem, size_t &bytes) {
        return cub::DeviceSelect::Unique(mem, bytes, v.in, v.out, p->kept_there, static_cast<int>(v.n), stream);
    });
}

template <class T> static void by_key(bench_problem *p)
{
    const view<T> v(p);
    enqueue(p, [&](void *mem, size_t &bytes) {
        return cub::DeviceReduce::ReduceByKey(mem, bytes, p->ids, static_cast<int32_t *>(p->out2), v.in, v.out,
                                              p->kept_there, sum(), static_cast<int>(v.n), stream);
    });
}

template <class T> static void run_length(bench_problem *p)
{
    const view<T> v(p);
    enqueue(p, [&](void *mem, size_t &bytes) {
        return cub::DeviceRunLengthEncode::Encode(mem, bytes, v.in, v.out, static_cast<uint32_t *>(p->out2),
                                                  p->kept_there, static_cast<int>(v.n), stream);
    });
}

// Counts have the width of an element.
template <class T> static void histogram(bench_problem *p)
{
    const view<T> v(p);
    using count = std::conditional_t<sizeof(T) == 4, unsigned int, unsigned long long>;
    const int bins = static_cast<int>(bench_bins(p));
    enqueue(p, [&](void *mem, size_t &bytes) {
        return cub::DeviceHistogram::HistogramEven(mem, bytes, v.in, reinterpret_cast<count *>(v.out), bins + 1, T(0),
                                                   static_cast<T>(bins), static_cast<int>(v.n), stream);
    });
}

template <class T> static void map(bench_problem *p)
{
    const view<T> v(p);
    enqueue(p, [&](void *mem, size_t &) {
        return mem ? cub::DeviceTransform::Transform(v.in, v.out, static_cast<int>(v.n), square(), stream)
                   : cudaSuccess;
    });
}

template <class T> static void zip(bench_problem *p)
{
    const view<T> v(p);
    const ::cuda::std::tuple<const T *, const T *> in{v.in, static_cast<const T *>(p->in2)};
    enqueue(p, [&](void *mem, size_t &) {
        return mem ? cub::DeviceTransform::Transform(in, v.out, static_cast<int>(v.n), axpy(), stream) : cudaSuccess;
    });
}

template <class T> static void sort(bench_problem *p)
{
    const view<T> v(p);
    enqueue(p, [&](void *mem, size_t &bytes) {
        return cub::DeviceRadixSort::SortKeys(mem, bytes, v.in, v.out, static_cast<int>(v.n), 0, 8 * sizeof(T), stream);
    });
}

template <class T> static void sort_bits(bench_problem *p)
{
    const view<T> v(p);
    enqueue(p, [&](void *mem, size_t &bytes) {
        return cub::DeviceRadixSort::SortKeys(mem, bytes, v.in, v.out, static_cast<int>(v.n), BENCH_LOW_BIT,
                                              BENCH_HIGH_BIT, stream);
    });
}

// By a comparison: CUB's radix sort of tuples takes one direction for all members.
template <class T> static void sort_members(bench_problem *p)
{
    const view<T> v(p);
    enqueue(p, [&](void *mem, size_t &bytes) {
        return cub::DeviceMergeSort::StableSortKeys(mem, bytes, v.out, static_cast<int>(v.n), by_members(), stream);
    });
}

struct less {
    template <class T> PEER_ANYWHERE bool operator()(T a, T b) const { return a < b; }
};

// In place, as a merge sort is.
template <class T> static void sort_by(bench_problem *p)
{
    const view<T> v(p);
    enqueue(p, [&](void *mem, size_t &bytes) {
        return cub::DeviceMergeSort::StableSortKeys(mem, bytes, v.out, static_cast<int>(v.n), less(), stream);
    });
}

template <class T> static void segsort(bench_problem *p)
{
    const view<T> v(p);
    enqueue(p, [&](void *mem, size_t &bytes) {
        return cub::DeviceSegmentedSort::SortKeys(mem, bytes, v.in, v.out, static_cast<int>(v.n),
                                                  static_cast<int>(p->segments), p->offsets, p->offsets + 1, stream);
    });
}

// Where the rows of a matrix begin.
struct row_begin {
    int64_t cols;
    PEER_ANYWHERE int64_t operator()(int64_t row) const { return row * cols; }
};

static auto row_begins(const bench_problem *p)
{
    return thrust::make_transform_iterator(thrust::make_counting_iterator(int64_t(0)),
                                           row_begin{static_cast<int64_t>(p->cols)});
}

template <class T> static void sort_rows(bench_problem *p)
{
    const view<T> v(p);
    enqueue(p, [&](void *mem, size_t &bytes) {
        return cub::DeviceSegmentedSort::SortKeys(mem, bytes, v.in, v.out, static_cast<int>(v.n),
                                                  static_cast<int>(p->rows), row_begins(p), row_begins(p) + 1, stream);
    });
}

// Takes pairs of a place and a value, and keeps the place.
template <class T, class Place> struct places_only {
    using value_type = cub::KeyValuePair<int, T>;
    using difference_type = int64_t;
    using pointer = void;
    using iterator_category = std::random_access_iterator_tag;
    struct reference {
        Place *at;
        PEER_ANYWHERE const reference &operator=(const value_type &pair) const
        {
            *at = static_cast<Place>(pair.key);
            return *this;
        }
    };
    Place *out;
    PEER_ANYWHERE reference operator*() const { return {out}; }
    PEER_ANYWHERE reference operator[](int64_t i) const { return {out + i}; }
    PEER_ANYWHERE places_only operator+(int64_t i) const { return {out + i}; }
    PEER_ANYWHERE places_only &operator+=(int64_t i)
    {
        out += i;
        return *this;
    }
};

template <class T> static void argmax_rows(bench_problem *p)
{
    const view<T> v(p);
    using place = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
    const places_only<T, place> out{reinterpret_cast<place *>(v.out)};
    enqueue(p, [&](void *mem, size_t &bytes) {
        return cub::DeviceSegmentedReduce::ArgMax(mem, bytes, v.in, out, static_cast<int64_t>(p->rows), row_begins(p),
                                                  row_begins(p) + 1, stream);
    });
}

static void sort_pairs(bench_problem *p)
{
    const view<uint32_t> v(p);
    enqueue(p, [&](void *mem, size_t &bytes) {
        return cub::DeviceRadixSort::SortPairs(mem, bytes, v.in, v.out, static_cast<const uint32_t *>(p->in2),
                                               static_cast<uint32_t *>(p->out2), static_cast<int>(v.n), 0, 32, stream);
    });
}

// Indices have the width of an element.
template <class T> using index_of = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;

static auto on_stream() { return thrust::cuda::par_nosync.on(stream); }

template <class T> static void argsort(bench_problem *p)
{
    const view<T> v(p);
    if (!numbers && good(cudaMalloc(&numbers, 2 * v.n * sizeof(T)))) {
        auto *const first = static_cast<index_of<T> *>(numbers);
        thrust::sequence(on_stream(), first, first + v.n);
    }
    if (!numbers) return;
    const auto *const number = static_cast<const index_of<T> *>(numbers);
    auto *const sorted = static_cast<T *>(numbers) + v.n;
    enqueue(p, [&](void *mem, size_t &bytes) {
        return cub::DeviceRadixSort::SortPairs(mem, bytes, v.in, sorted, number, reinterpret_cast<index_of<T> *>(v.out),
                                               static_cast<int>(v.n), 0, 8 * sizeof(T), stream);
    });
}

// Newer versions have it.  It gives the greatest ones in any order, and of equal ones any.
#if BENCH_CUB_HAS_TOP
template <class T> static void top(bench_problem *p)
{
    const view<T> v(p);
    const auto k = static_cast<int>(bench_top(p));
    size_t sorting = 1 << 20; // more than enough scratch memory for a sort of so few
    if (!numbers) good(cudaMalloc(&numbers, sorting + k * sizeof(T)));
    if (!numbers) return;
    auto *const greatest = reinterpret_cast<T *>(static_cast<char *>(numbers) + sorting);
    const auto as_it_comes = cuda::execution::require(cuda::execution::determinism::not_guaranteed,
                                                      cuda::execution::output_ordering::unsorted);
    const auto env = cuda::std::execution::env{cuda::stream_ref{stream}, as_it_comes};
    enqueue(p, [&](void *mem, size_t &bytes) {
        return cub::DeviceTopK::MaxKeys(mem, bytes, v.in, greatest, static_cast<int64_t>(v.n), k, env);
    });
    if (p->refused) return;
    good(cub::DeviceRadixSort::SortKeysDescending(numbers, sorting, greatest, v.out, k, 0, 8 * sizeof(T), stream));
    p->refused = words();
}
#endif

// Thrust has these; CUB has none.
template <class T> static void search(bench_problem *p)
{
    const view<T> v(p);
    const auto *const wanted = static_cast<const T *>(p->in2);
    thrust::lower_bound(on_stream(), v.in, v.end, wanted, wanted + v.n, v.out);
    good(cudaGetLastError());
    p->refused = words();
}

template <class T> static void take(bench_problem *p)
{
    const view<T> v(p);
    const auto *const at = static_cast<const index_of<T> *>(p->in2);
    thrust::gather(on_stream(), at, at + v.n, v.in, v.out);
    good(cudaGetLastError());
    p->refused = words();
}

template <class T> static void iota(bench_problem *p)
{
    const view<T> v(p);
    thrust::sequence(on_stream(), v.out, v.out + v.n);
    good(cudaGetLastError());
    p->refused = words();
}

template <class T> static void put(bench_problem *p)
{
    const view<T> v(p);
    thrust::scatter(on_stream(), v.in, v.end, static_cast<const index_of<T> *>(p->in2), v.out);
    good(cudaGetLastError());
    p->refused = words();
}

// --- the limit of what only reads -------------------------------------------------------------------------------

enum { READERS = 256, GROUPS = 8, AHEAD = 4 };

// Every word takes part in what the last line depends on, so that none is left unread.
static __global__ void read_all(const uint4 *in, size_t n, uint32_t *out)
{
    const size_t step = static_cast<size_t>(gridDim.x) * blockDim.x;
    size_t i = blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x;
    uint32_t all = 0;
    for (; i + (AHEAD - 1) * step < n; i += AHEAD * step) {
        uint4 x[AHEAD];
#pragma unroll
        for (int k = 0; k < AHEAD; k++) x[k] = in[i + k * step];
#pragma unroll
        for (int k = 0; k < AHEAD; k++) all ^= x[k].x ^ x[k].y ^ x[k].z ^ x[k].w;
    }
    for (; i < n; i += step) all ^= in[i].x ^ in[i].y ^ in[i].z ^ in[i].w;
    if (all == 0x12345678u) *out = all;
}

static void read_limit(bench_problem *p)
{
    const size_t n = p->n * p->element / sizeof(uint4);
    const size_t most = GROUPS * static_cast<size_t>(multiprocessors), need = (n + READERS - 1) / READERS;
    if (trouble == cudaSuccess && n > 0) {
        read_all<<<static_cast<unsigned>(need < most ? need : most), READERS, 0, stream>>>(
            static_cast<const uint4 *>(p->in), n, static_cast<uint32_t *>(p->out));
        good(cudaGetLastError());
    }
    p->refused = words();
}

// --- the table --------------------------------------------------------------------------------------------------

#define READ_LIMIT(id)                                                                                                 \
    {                                                                                                                  \
        "read", BENCH_LIMIT, BENCH_##id, BENCH_ANY_TYPE, BENCH_CUDA | BENCH_READS, read_limit                          \
    }

static const bench_contender table[] = {
    PEER_NUMBERS("cub::DeviceReduce::Sum", REDUCE, BENCH_CUDA, reduce),
    PEER_NUMBERS("cub::DeviceReduce::Max", MAXIMUM, BENCH_CUDA, reduce_max),
    PEER_NUMBERS("cub::DeviceReduce::Sum of products", DOT, BENCH_CUDA, dot),
    PEER_NUMBERS("cub::DeviceScan::InclusiveSum of products", MAP_SCAN, BENCH_CUDA, map_scan),
    PEER_NUMBERS("cub::DeviceSelect::If of products", MAP_FILTER, BENCH_CUDA, map_filter),
    PEER_NUMBERS("cub::DeviceReduce::ArgMax", ARGMAX, BENCH_CUDA, argmax),
    PEER_ALL("cub::DeviceScan::InclusiveScan", SCAN, BENCH_CUDA, scan),
    PEER("cub::DeviceScan::InclusiveScan", SCAN, U8, BENCH_CUDA, scan<uint8_t>),
    PEER("cub::DeviceScan::InclusiveScan", SCAN, U16, BENCH_CUDA, scan<uint16_t>),
    PEER_ALL("cub::DeviceScan::ExclusiveScan", EXCLUSIVE, BENCH_CUDA, exclusive),
    PEER_NUMBERS("cub::DeviceScan::InclusiveSumByKey", SEGSCAN, BENCH_CUDA, segscan),
    PEER_NUMBERS("cub::DeviceSegmentedReduce::Sum", SEGREDUCE, BENCH_CUDA, segreduce),
    PEER_NUMBERS("cub::DeviceSelect::If", FILTER, BENCH_CUDA, filter),
    PEER_NUMBERS("cub::DeviceSelect::Unique", UNIQUE, BENCH_CUDA, unique),
    PEER_NUMBERS("cub::DeviceRunLengthEncode::Encode", RLE, BENCH_CUDA, run_length),
    PEER_NUMBERS("cub::DeviceReduce::ReduceByKey", BY_KEY, BENCH_CUDA, by_key),
    PEER_NUMBERS("cub::DeviceHistogram::HistogramEven", HISTOGRAM, BENCH_CUDA, histogram),
    PEER_NUMBERS("cub::DeviceTransform", MAP, BENCH_CUDA, map),
    PEER_NUMBERS("cub::DeviceTransform", ZIP, BENCH_CUDA, zip),
    PEER_NUMBERS("cub::DeviceRadixSort::SortKeys", SORT, BENCH_CUDA, sort),
    PEER("cub::DeviceRadixSort::SortKeys of bits", BITS, U32, BENCH_CUDA, sort_bits<uint32_t>),
    PEER("cub::DeviceRadixSort::SortKeys of bits", BITS, U64, BENCH_CUDA, sort_bits<uint64_t>),
    PEER("cub::DeviceMergeSort::StableSortKeys", MEMBERS, AFFINE, BENCH_CUDA, sort_members<bench_affine>),
    PEER("cub::DeviceMergeSort::StableSortKeys", MEMBERS, AFFINE64, BENCH_CUDA, sort_members<bench_affine64>),
    PEER_NUMBERS("cub::DeviceMergeSort::StableSortKeys", SORT_BY, BENCH_CUDA, sort_by),
    PEER_NUMBERS("cub::DeviceSegmentedSort::SortKeys", SEGSORT, BENCH_CUDA, segsort),
    PEER_NUMBERS("cub::DeviceSegmentedSort::SortKeys", SORT_ROWS, BENCH_CUDA, sort_rows),
    PEER_NUMBERS("cub::DeviceSegmentedReduce::ArgMax", ARGMAX_ROWS, BENCH_CUDA, argmax_rows),
    PEER_NUMBERS("thrust::sequence", IOTA, BENCH_CUDA, iota),
    PEER("cub::DeviceMerge::MergeKeys", MERGE, U32, BENCH_CUDA, merge<uint32_t>),
    PEER("cub::DeviceMerge::MergeKeys", MERGE, U64, BENCH_CUDA, merge<uint64_t>),
    PEER_NUMBERS("cub::DeviceRadixSort::SortPairs", ARGSORT, BENCH_CUDA, argsort),
#if BENCH_CUB_HAS_TOP
    PEER_NUMBERS("cub::DeviceTopK::MaxKeys and a sort", TOP, BENCH_CUDA, top),
#endif
    PEER("thrust::lower_bound", SEARCH, U32, BENCH_CUDA, search<uint32_t>),
    PEER("thrust::lower_bound", SEARCH, U64, BENCH_CUDA, search<uint64_t>),
    PEER_NUMBERS("thrust::gather", TAKE, BENCH_CUDA, take),
    PEER_NUMBERS("thrust::scatter", PUT, BENCH_CUDA, put),
    PEER("cub::DeviceRadixSort::SortPairs", PAIRS, U32, BENCH_CUDA, sort_pairs),
    READ_LIMIT(REDUCE),
    READ_LIMIT(MAXIMUM),
    READ_LIMIT(ARGMAX),
    READ_LIMIT(FOLD),
    READ_LIMIT(DOT),
    READ_LIMIT(SEGREDUCE),
    READ_LIMIT(BY_KEY),
    READ_LIMIT(HISTOGRAM),
    READ_LIMIT(BINS),
    READ_LIMIT(ARGMAX_ROWS),
    READ_LIMIT(ARGMAX_COLUMNS),
    PEER_END};

static char version[32];

static const char *open_cub()
{
    snprintf(version, sizeof version, "%d.%d.%d", CUB_VERSION / 100000, CUB_VERSION / 100 % 1000, CUB_VERSION % 100);
    return nullptr; // where there is no CUDA device, nobody asks for more
}

#ifndef CUB_TITLE
#define CUB_TITLE "CUB"
#endif
#define NVCC PEER_TEXT(__CUDACC_VER_MAJOR__) "." PEER_TEXT(__CUDACC_VER_MINOR__)
extern "C" const bench_peer bench_peer_module = {
    BENCH_ABI, CUB_TITLE, version, "nvcc " NVCC " " BENCH_FLAGS, open_cub, begin, end, wait, table};
