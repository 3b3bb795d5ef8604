// OpenMP as a C or C++ programmer would use it: pragmas on loops.
#include <omp.h>

#include "peer.hpp"

template <class T> static void reduce(bench_problem *p)
{
    const view<T> v(p);
    T all = 0;
    if (p->threads == 1) {
#pragma omp simd reduction(+ : all)
        for (size_t i = 0; i < v.n; i++) all += v.in[i];
    } else {
#pragma omp parallel for simd reduction(+ : all)
        for (size_t i = 0; i < v.n; i++) all += v.in[i];
    }
    *v.out = all;
}

template <class T> static void max(bench_problem *p)
{
    const view<T> v(p);
    T all = v.in[0];
    if (p->threads == 1) {
#pragma omp simd reduction(max : all)
        for (size_t i = 0; i < v.n; i++) all = all < v.in[i] ? v.in[i] : all;
    } else {
#pragma omp parallel for simd reduction(max : all)
        for (size_t i = 0; i < v.n; i++) all = all < v.in[i] ? v.in[i] : all;
    }
    *v.out = all;
}

#ifndef __clang__ // clang 14 crashes on inscan in a template

template <class T> static void scan(bench_problem *p)
{
    const view<T> v(p);
    T all = 0;
    if (p->threads == 1) {
#pragma omp simd reduction(inscan, + : all)
        for (size_t i = 0; i < v.n; i++) {
            all += v.in[i];
#pragma omp scan inclusive(all)
            v.out[i] = all;
        }
    } else {
#pragma omp parallel for simd reduction(inscan, + : all)
        for (size_t i = 0; i < v.n; i++) {
            all += v.in[i];
#pragma omp scan inclusive(all)
            v.out[i] = all;
        }
    }
}

template <class T> static void exclusive(bench_problem *p)
{
    const view<T> v(p);
    T all = 0;
    if (p->threads == 1) {
#pragma omp simd reduction(inscan, + : all)
        for (size_t i = 0; i < v.n; i++) {
            v.out[i] = all;
#pragma omp scan exclusive(all)
            all += v.in[i];
        }
    } else {
#pragma omp parallel for simd reduction(inscan, + : all)
        for (size_t i = 0; i < v.n; i++) {
            v.out[i] = all;
#pragma omp scan exclusive(all)
            all += v.in[i];
        }
    }
}

#endif

template <class T> static void segreduce(bench_problem *p)
{
    const view<T> v(p);
#pragma omp parallel for schedule(dynamic, 64) num_threads(p->threads)
    for (size_t s = 0; s < p->segments; s++) {
        T all = 0;
#pragma omp simd reduction(+ : all)
        for (size_t i = p->offsets[s]; i < p->offsets[s + 1]; i++) all += v.in[i];
        v.out[s] = all;
    }
}

template <class T> static void map(bench_problem *p)
{
    const view<T> v(p);
#pragma omp parallel for simd num_threads(p->threads)
    for (size_t i = 0; i < v.n; i++) v.out[i] = square()(v.in[i]);
}

template <class T> static void zip(bench_problem *p)
{
    const view<T> v(p);
    const T *in2 = static_cast<const T *>(p->in2);
#pragma omp parallel for simd num_threads(p->threads)
    for (size_t i = 0; i < v.n; i++) v.out[i] = axpy()(v.in[i], in2[i]);
}

template <class T> static void transpose(bench_problem *p)
{
    enum : size_t { TILE = 32 };
    const view<T> v(p);
    const size_t rows = p->rows, cols = p->cols;
#pragma omp parallel for collapse(2) num_threads(p->threads)
    for (size_t r = 0; r < rows; r += TILE)
        for (size_t c = 0; c < cols; c += TILE) {
            const size_t r_end = r + TILE < rows ? r + TILE : rows, c_end = c + TILE < cols ? c + TILE : cols;
            for (size_t j = c; j < c_end; j++)
                for (size_t i = r; i < r_end; i++) v.out[j * rows + i] = v.in[i * cols + j];
        }
}

// Calls without a parameter for the number of threads ask OpenMP; a module may have its own OpenMP library.
static void use_threads(const bench_problem *p) { omp_set_num_threads(p->threads); }

// clang-format off
static const bench_contender table[] = {
    PEER_NUMBERS("OpenMP simd reduction", REDUCE, 0, reduce),
    PEER_NUMBERS("OpenMP simd reduction(max)", MAXIMUM, 0, max),
#ifndef __clang__
    PEER_NUMBERS("OpenMP simd inscan", SCAN, 0, scan),
    PEER_NUMBERS("OpenMP simd inscan", EXCLUSIVE, 0, exclusive),
#endif
    PEER_NUMBERS("OpenMP for over segments", SEGREDUCE, 0, segreduce),
    PEER_NUMBERS("OpenMP for simd", MAP, 0, map),
    PEER_NUMBERS("OpenMP for simd", ZIP, 0, zip),
    PEER_NUMBERS("OpenMP tiles of 32 x 32", TRANSPOSE, 0, transpose),
    PEER_END};
// clang-format on

PEER_MODULE("OpenMP", PEER_TEXT(_OPENMP), use_threads, table)
