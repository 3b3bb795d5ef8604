// OpenBLAS' out-of-place transpose.
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

static const bench_contender table[] = {PEER("OpenBLAS somatcopy", TRANSPOSE, F32, 0, transpose_f32),
                                        PEER("OpenBLAS domatcopy", TRANSPOSE, F64, 0, transpose_f64), PEER_END};

// " OpenBLAS 0.3.21 "
PEER_MODULE("OpenBLAS", &OPENBLAS_VERSION[sizeof " OpenBLAS"], nullptr, table)
