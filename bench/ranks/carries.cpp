// Reduce and scan, against MPI's own collectives on local partials: MPI_Allreduce and MPI_Exscan, with a user's
// operator.
#include "bench.hpp"

#include <cstdio>
#include <cstring>

OPLUS_STRUCT(affine, float a; float b;)
OPLUS_OP(compose, affine, (1, 0), 0, {
    affine r;
    r.a = a.a * b.a;
    r.b = a.b * b.a + b.b;
    return r;
})

// The operator by which MPI combines partials: in is the earlier one.
static void combine_affine(void *in, void *inout, int *n, MPI_Datatype *)
{
    for (int i = 0; i < *n; i++) ((affine *)inout)[i] = compose(((affine *)in)[i], ((affine *)inout)[i]);
}
template <class T> static void combine_sum(void *in, void *inout, int *n, MPI_Datatype *)
{
    for (int i = 0; i < *n; i++) ((T *)inout)[i] = ((T *)in)[i] + ((T *)inout)[i];
}

template <class T> struct problem {
    const char *name;
    const oplus_op *op;
    MPI_User_function *combine;
    T (*element)(uint64_t i);
};

// Small integers: sums are exact, so that all contenders agree.
static float f32_at(uint64_t i) { return (float)(random_at(i) % 3) - 1; }
static int64_t i64_at(uint64_t i) { return (int64_t)(random_at(i) % 2001) - 1000; }
static affine affine_at(uint64_t i) { return affine{random_at(i) & 1 ? 1.0f : -1.0f, (float)(random_at(i) >> 8 & 1)}; }

template <class T> static void compare(const bench &b, const char *what, const T *x, const T *y, size_t n)
{
    if (std::memcmp(x, y, n * sizeof(T)) == 0) return;
    std::fprintf(stderr, "oplus-bench-ranks: %s: rank %d has another result than its peer\n", what, b.rank);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

template <class T> static void run(const bench &b, const problem<T> &p, size_t n)
{
    MPI_Datatype type;
    MPI_Op op;
    MPI_Type_contiguous((int)sizeof(T), MPI_BYTE, &type);
    MPI_Type_commit(&type);
    MPI_Op_create(p.combine, 0, &op);

    std::vector<T> host(n);
    for (size_t i = 0; i < n; i++) host[i] = p.element((uint64_t)b.rank * n + i);
    const array in(b, n * sizeof(T)), out(b, n * sizeof(T));
    in.put(host.data());
    T ours, theirs, partial, before;
    std::string name = std::string(p.name) + " n=" + std::to_string(n);

    const auto reduce_all = [&] { good(oplus_reduce_all(b.dev, &b.comm, p.op, in.mem, n, &ours)); };
    const auto reduce_local = [&] { good(oplus_reduce(b.dev, p.op, in.mem, n, &partial)); };
    const auto allreduce = [&] {
        reduce_local();
        MPI_Allreduce(&partial, &theirs, 1, type, op, MPI_COMM_WORLD);
    };
    if (("reduce " + name).find(b.o.only) != std::string::npos) {
        measure(b, "reduce " + name, n * sizeof(T),
                {{"oplus", {}, reduce_all}, {"local", {}, reduce_local}, {"MPI_Allreduce", {}, allreduce}});
        compare(b, name.c_str(), &ours, &theirs, 1);
    }

    const auto scan_all = [&] { good(oplus_scan_all(b.dev, &b.comm, p.op, OPLUS_INCLUSIVE, in.mem, n, out.mem)); };
    const auto scan_local = [&] { good(oplus_scan(b.dev, p.op, OPLUS_INCLUSIVE, in.mem, n, out.mem)); };
    const auto exscan = [&] {
        oplus_carry *carry;
        reduce_local();
        MPI_Exscan(&partial, &before, 1, type, op, MPI_COMM_WORLD);
        good(oplus_carry_open(p.op, 0, &carry));
        if (b.rank > 0) good(oplus_carry_init(carry, &before));
        good(oplus_scan_from(b.dev, carry, OPLUS_INCLUSIVE, in.mem, n, out.mem));
        oplus_carry_close(carry);
    };
    if (("scan " + name).find(b.o.only) != std::string::npos) {
        measure(b, "scan " + name, 2 * n * sizeof(T),
                {{"oplus", {}, scan_all}, {"local", {}, scan_local}, {"MPI_Exscan", {}, exscan}});
        std::vector<T> mine(n);
        scan_all();
        out.get(mine.data());
        exscan();
        out.get(host.data());
        compare(b, name.c_str(), mine.data(), host.data(), n);
    }
    MPI_Op_free(&op);
    MPI_Type_free(&type);
}

void bench_carries(const bench &b)
{
    for (const size_t n : {(size_t)1000, b.o.n}) {
        run<float>(b, {"f32 sum", &oplus_sum_f32, combine_sum<float>, f32_at}, n);
        run<int64_t>(b, {"i64 sum", &oplus_sum_i64, combine_sum<int64_t>, i64_at}, n);
        run<affine>(b, {"affine", &compose_op, combine_affine, affine_at}, n);
    }
}
