// What the peers in C++ share: typed views of a problem, the operators, rows of a table, and the module.
#ifndef BENCH_PEER_HPP
#define BENCH_PEER_HPP

#include "../bench.h"

#ifdef __CUDACC__
#define PEER_ANYWHERE __host__ __device__
#else
#define PEER_ANYWHERE
#endif

template <class T> struct view {
    const T *in, *end;
    T *out;
    size_t n;
    explicit view(const bench_problem *p)
        : in(static_cast<const T *>(p->in)), end(in + p->n), out(static_cast<T *>(p->out)), n(p->n)
    {
    }
};

struct sum {
    template <class T> PEER_ANYWHERE T operator()(T a, T b) const { return a + b; }
    PEER_ANYWHERE bench_affine operator()(bench_affine a, bench_affine b) const { return {a.a * b.a, a.b * b.a + b.b}; }
    PEER_ANYWHERE bench_affine64 operator()(bench_affine64 a, bench_affine64 b) const
    {
        return {a.a * b.a, a.b * b.a + b.b};
    }
};

struct maximum {
    template <class T> PEER_ANYWHERE T operator()(T a, T b) const { return a < b ? b : a; }
};

struct square {
    template <class T> PEER_ANYWHERE T operator()(T a) const { return a * a; }
};

struct axpy {
    template <class T> PEER_ANYWHERE T operator()(T a, T b) const { return 2 * a + b; }
};

struct odd {
    template <class T> PEER_ANYWHERE bool operator()(T a) const { return static_cast<int>(a) & 1; }
};

template <class T> inline T identity() { return T(0); }
template <> inline bench_affine identity<bench_affine>() { return {1, 0}; }
template <> inline bench_affine64 identity<bench_affine64>() { return {1, 0}; }

// The order of a sort by members: up by a, then down by b.
struct by_members {
    template <class T> PEER_ANYWHERE bool operator()(T x, T y) const { return x.a < y.a || (x.a == y.a && x.b > y.b); }
};

inline bool operator<(bench_pair a, bench_pair b) { return a.key < b.key; }

// Rows for each type: PEER_NUMBERS("name", REDUCE, 0, function<T>)
#define PEER(name, id, ID, traits, ...)                                                                                \
    {                                                                                                                  \
        name, BENCH_PEER, BENCH_##id, BENCH_##ID, traits, __VA_ARGS__                                                  \
    }
#define PEER_NUMBERS(name, id, traits, f)                                                                              \
    PEER(name, id, F32, traits, f<float>), PEER(name, id, F64, traits, f<double>),                                     \
        PEER(name, id, I32, traits, f<int32_t>), PEER(name, id, I64, traits, f<int64_t>),                              \
        PEER(name, id, U32, traits, f<uint32_t>), PEER(name, id, U64, traits, f<uint64_t>)
#define PEER_ALL(name, id, traits, f)                                                                                  \
    PEER_NUMBERS(name, id, traits, f), PEER(name, id, AFFINE, traits, f<bench_affine>),                                \
        PEER(name, id, AFFINE64, traits, f<bench_affine64>)
#define PEER_END                                                                                                       \
    {                                                                                                                  \
        nullptr, BENCH_PEER, BENCH_MAP, BENCH_ANY_TYPE, 0, nullptr                                                     \
    }

// The module: PEER_MODULE("oneTBB", "2021.8", begin or nullptr, table)
#define PEER_TEXT_(...) #__VA_ARGS__
#define PEER_TEXT(...)  PEER_TEXT_(__VA_ARGS__)
#ifdef __clang__
#define PEER_COMPILER ""
#else
#define PEER_COMPILER "g++ "
#endif
#define PEER_MODULE(title, version, begin, table)                                                                      \
    extern "C" const bench_peer bench_peer_module = {BENCH_ABI, title,                                                 \
                                                     version,   PEER_COMPILER __VERSION__ " " BENCH_FLAGS,             \
                                                     nullptr,   begin,                                                 \
                                                     nullptr,   nullptr,                                               \
                                                     table};

#endif
