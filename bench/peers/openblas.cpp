// OpenBLAS' dot product, and its out-of-place transpose.
#include <cblas.h>

#include "peer.hpp"

static void transpose_f32(bench_problem *p)
{
    const view<float> v(p);
    const blasint rows = static_cast<blasint>(p->rows), cols = static_cast<blasint>(p->cols);
    openblas_set_num_threads(p->threads);
    cblas_somatcopy(CblasRowMajor, CblasTrans, rows, cols, 1, v.in, cols, v.out, rows);
}

static void transpose_f64(bench_problem *p)
{
    const view<double> v(p);
    const blasint rows = static_cast<blasint>(p->rows), cols = static_cast<blasint>(p->cols);
    openblas_set_num_threads(p->threads);
    cblas_domatcopy(CblasRowMajor, CblasTrans, rows, cols, 1, v.in, cols, v.out, rows);
}

static void dot_f32(bench_problem *p)
{
    const view<float> v(p);
    openblas_set_num_threads(p->threads);
    *v.out = cblas_sdot(static_cast<blasint>(v.n), v.in, 1, static_cast<const float *>(p->in2), 1);
}

static void dot_f64(bench_problem *p)
{
    const view<double> v(p);
    openblas_set_num_threads(p->threads);
    *v.out = cblas_ddot(static_cast<blasint>(v.n), v.in, 1, static_cast<const double *>(p->in2), 1);
}

static const bench_contender table[] = {PEER("OpenBLAS sdot", DOT, F32, 0, dot_f32),
                                        PEER("OpenBLAS ddot", DOT, F64, 0, dot_f64),
                                        PEER("OpenBLAS somatcopy", TRANSPOSE, F32, 0, transpose_f32),
                                        PEER("OpenBLAS domatcopy", TRANSPOSE, F64, 0, transpose_f64), PEER_END};

// " OpenBLAS 0.3.21 "
PEER_MODULE("OpenBLAS", &OPENBLAS_VERSION[sizeof " OpenBLAS"], nullptr, table)
