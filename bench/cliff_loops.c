/* What is measured at the cliffs: oplus, and the loops that a C programmer would write instead. */
#include <stdlib.h>
#include <string.h>

#include "cliffs.h"
#include "die.h"
#include "kernels.h"

static void must(oplus_status status)
{
    if (status != OPLUS_OK) tool_die(TOOL_FAILED, "%s", oplus_last_error());
}

/* --- elements and operators: sums by member, and affine maps, which do not commute ------------------------------- */

OPLUS_STRUCT(bytes3, uint8_t x[3];)
OPLUS_STRUCT(bytes5, uint8_t x[5];)
OPLUS_STRUCT(floats3, float x; float y; float z;)
OPLUS_STRUCT(doubles3, double x; double y; double z;)
OPLUS_STRUCT(doubles5, double x[5];)
OPLUS_STRUCT(doubles8, double x[8];)
OPLUS_DESCRIBE(bench_affine, float a; float b;)
OPLUS_DESCRIBE(bench_affine64, double a; double b;)

/* Makes an operator twice from one text: for oplus, and as a user would write it into a loop. */
#define BOTH(name, T, identity, ...)                                                                                   \
    OPLUS_OP(name, T, identity, OPLUS_WIDE, __VA_ARGS__)                                                               \
    static inline T plain_##name(T a, T b) __VA_ARGS__
#define ADD_ARRAYS(name, T, count)                                                                                     \
    BOTH(name, T, ({0}), {                                                                                             \
        T r;                                                                                                           \
        for (int k = 0; k < count; k++) r.x[k] = a.x[k] + b.x[k];                                                      \
        return r;                                                                                                      \
    })
ADD_ARRAYS(add_bytes3, bytes3, 3)
ADD_ARRAYS(add_bytes5, bytes5, 5)
ADD_ARRAYS(add_doubles5, doubles5, 5)
ADD_ARRAYS(add_doubles8, doubles8, 8)
#define ADD_POINTS(name, T)                                                                                            \
    BOTH(name, T, (0, 0, 0), {                                                                                         \
        T r;                                                                                                           \
        r.x = a.x + b.x;                                                                                               \
        r.y = a.y + b.y;                                                                                               \
        r.z = a.z + b.z;                                                                                               \
        return r;                                                                                                      \
    })
ADD_POINTS(add_floats3, floats3)
ADD_POINTS(add_doubles3, doubles3)
#define COMPOSE(name, T)                                                                                               \
    BOTH(name, T, (1, 0), {                                                                                            \
        T r;                                                                                                           \
        r.a = a.a * b.a;                                                                                               \
        r.b = a.b * b.a + b.b;                                                                                         \
        return r;                                                                                                      \
    })
COMPOSE(compose, bench_affine)
COMPOSE(compose64, bench_affine64)
static inline uint32_t plus_u32(uint32_t a, uint32_t b) { return a + b; }
static inline float plus_f32(float a, float b) { return a + b; }
static inline int64_t plus_i64(int64_t a, int64_t b) { return (int64_t)((uint64_t)a + (uint64_t)b); }

/* X(name, C type, oplus's operator, C's) */
#define FOR_SCALARS(X)                                                                                                 \
    X(u32, uint32_t, oplus_sum_u32, plus_u32)                                                                          \
    X(f32, float, oplus_sum_f32, plus_f32)                                                                             \
    X(i64, int64_t, oplus_sum_i64, plus_i64)
#define FOR_STRUCTS(X)                                                                                                 \
    X(s3, bytes3, add_bytes3_op, plain_add_bytes3)                                                                     \
    X(s5, bytes5, add_bytes5_op, plain_add_bytes5)                                                                     \
    X(s8, bench_affine, compose_op, plain_compose)                                                                     \
    X(s12, floats3, add_floats3_op, plain_add_floats3)                                                                 \
    X(s16, bench_affine64, compose64_op, plain_compose64)                                                              \
    X(s24, doubles3, add_doubles3_op, plain_add_doubles3)                                                              \
    X(s40, doubles5, add_doubles5_op, plain_add_doubles5)                                                              \
    X(s64, doubles8, add_doubles8_op, plain_add_doubles8)

#define SWEEPS(name, T, op, join)                                                                                      \
    static void reduce_##name(bench_cliff_data *p) { must(oplus_reduce(p->dev, &op, p->in[0], p->n, p->out)); }        \
    static void scan_##name(bench_cliff_data *p)                                                                       \
    {                                                                                                                  \
        must(oplus_scan(p->dev, &op, OPLUS_INCLUSIVE, p->in[0], p->n, p->out));                                        \
    }                                                                                                                  \
    static void segscan_##name(bench_cliff_data *p)                                                                    \
    {                                                                                                                  \
        must(oplus_segscan(p->dev, &op, OPLUS_INCLUSIVE, p->in[0], p->heads, p->n, p->out));                           \
    }                                                                                                                  \
    static void segreduce_##name(bench_cliff_data *p)                                                                  \
    {                                                                                                                  \
        must(oplus_segreduce(p->dev, &op, p->in[0], p->n, &oplus_u64, p->offsets, p->segments, p->out));               \
    }                                                                                                                  \
    static void reduce_loop_##name(bench_cliff_data *p)                                                                \
    {                                                                                                                  \
        const T *in = p->in[0];                                                                                        \
        T sum = in[0];                                                                                                 \
        for (size_t i = 1; i < p->n; i++) sum = join(sum, in[i]);                                                      \
        *(T *)p->out = sum;                                                                                            \
    }                                                                                                                  \
    static void scan_loop_##name(bench_cliff_data *p)                                                                  \
    {                                                                                                                  \
        const T *in = p->in[0];                                                                                        \
        T *restrict out = p->out, sum = in[0];                                                                         \
        out[0] = sum;                                                                                                  \
        for (size_t i = 1; i < p->n; i++) out[i] = sum = join(sum, in[i]);                                             \
    }                                                                                                                  \
    static void segscan_loop_##name(bench_cliff_data *p)                                                               \
    {                                                                                                                  \
        const T *in = p->in[0];                                                                                        \
        T *restrict out = p->out, sum = in[0];                                                                         \
        out[0] = sum;                                                                                                  \
        for (size_t i = 1; i < p->n; i++) out[i] = sum = p->heads[i] ? in[i] : join(sum, in[i]);                       \
    }                                                                                                                  \
    static void segreduce_loop_##name(bench_cliff_data *p)                                                             \
    {                                                                                                                  \
        const T *in = p->in[0];                                                                                        \
        T *restrict out = p->out;                                                                                      \
        for (size_t s = 0; s < p->segments; s++) {                                                                     \
            T sum;                                                                                                     \
            memcpy(&sum, op.identity, sizeof sum);                                                                     \
            for (size_t i = p->offsets[s]; i < p->offsets[s + 1]; i++) sum = join(sum, in[i]);                         \
            out[s] = sum;                                                                                              \
        }                                                                                                              \
    }
FOR_SCALARS(SWEEPS)
FOR_STRUCTS(SWEEPS)

/* --- transpose: two loops, the inner one over few rows or columns, whose number the compiler knows ---------------- */

OPLUS_STRUCT(two_words, uint64_t x[2];)
OPLUS_STRUCT(three_words, uint64_t x[3];)
#define FOR_MOVED(X)                                                                                                   \
    X(1, uint8_t, oplus_u8)                                                                                            \
    X(2, uint16_t, oplus_u16)                                                                                          \
    X(4, uint32_t, oplus_u32)                                                                                          \
    X(8, uint64_t, oplus_u64)                                                                                          \
    X(16, two_words, two_words_type)                                                                                   \
    X(24, three_words, three_words_type)

#define BY_ROWS(rows, cols)                                                                                            \
    for (size_t r = 0; r < (rows); r++)                                                                                \
        for (size_t c = 0; c < (cols); c++) out[c * (rows) + r] = in[r * (cols) + c];
#define BY_COLS(rows, cols)                                                                                            \
    for (size_t c = 0; c < (cols); c++)                                                                                \
        for (size_t r = 0; r < (rows); r++) out[c * (rows) + r] = in[r * (cols) + c];
#define MOVES(size, T, type)                                                                                           \
    static void transpose_##size(bench_cliff_data *p)                                                                  \
    {                                                                                                                  \
        must(oplus_transpose(p->dev, &type, p->in[0], p->rows, p->cols, p->out));                                      \
    }                                                                                                                  \
    static void transpose_loop_##size(bench_cliff_data *p)                                                             \
    {                                                                                                                  \
        const T *in = p->in[0];                                                                                        \
        T *restrict out = p->out;                                                                                      \
        if (p->cols == 2) {                                                                                            \
            BY_ROWS(p->rows, 2)                                                                                        \
        } else if (p->cols == 3) {                                                                                     \
            BY_ROWS(p->rows, 3)                                                                                        \
        } else if (p->rows == 2) {                                                                                     \
            BY_COLS(2, p->cols)                                                                                        \
        } else if (p->rows == 3) {                                                                                     \
            BY_COLS(3, p->cols)                                                                                        \
        } else {                                                                                                       \
            BY_COLS(p->rows, p->cols)                                                                                  \
        }                                                                                                              \
    }
FOR_MOVED(MOVES)

/* --- maps, filter, sort ------------------------------------------------------------------------------------------- */

#define SUM_OF_8(at) (at(0) + at(1) + at(2) + at(3) + at(4) + at(5) + at(6) + at(7))
OPLUS_MAP(twice, float, float, { return a + a; })
OPLUS_PREDICATE(odd, uint32_t, { return a & 1; })
#define INPUT(k) OPLUS_INPUT_(float, k)
#define AT(k)    oplus_my_in##k[oplus_my_i]
OPLUS_LEAF_OF_MANY_(sum_of_8, float, 8, (INPUT(0) INPUT(1) INPUT(2) INPUT(3) INPUT(4) INPUT(5) INPUT(6) INPUT(7)),
                    SUM_OF_8(AT))
static const oplus_fn sum_of_8_fn = {
    .abi = OPLUS_ABI,
    .name = "sum_of_8",
    .result = &oplus_f32,
    .arity = 8,
    .input = {&oplus_f32, &oplus_f32, &oplus_f32, &oplus_f32, &oplus_f32, &oplus_f32, &oplus_f32, &oplus_f32},
    .leaf = oplus_sum_of_8_leaf_};

static void map_8(bench_cliff_data *p) { must(oplus_map(p->dev, &sum_of_8_fn, p->in, p->n, p->out)); }
static void map_8_loop(bench_cliff_data *p)
{
    const float *in[8];
    float *restrict out = p->out;
    memcpy(in, p->in, sizeof in);
#define OF(k) in[k][i]
    for (size_t i = 0; i < p->n; i++) out[i] = SUM_OF_8(OF);
#undef OF
}
static void map_same_loop(bench_cliff_data *p)
{
    const float *in = p->in[0];
    float *restrict out = p->out;
#define OF(k) in[i]
    for (size_t i = 0; i < p->n; i++) out[i] = SUM_OF_8(OF);
#undef OF
}
static void map_1(bench_cliff_data *p) { must(oplus_map(p->dev, &twice_fn, p->in, p->n, p->out)); }
static void map_1_loop(bench_cliff_data *p)
{
    const float *in = p->in[0];
    float *restrict out = p->out;
    for (size_t i = 0; i < p->n; i++) out[i] = in[i] + in[i];
}
static void filter_u32(bench_cliff_data *p) { must(oplus_filter(p->dev, &odd_fn, p->in[0], p->n, p->out, &p->kept)); }
static void filter_loop_u32(bench_cliff_data *p)
{
    const uint32_t *in = p->in[0];
    uint32_t *restrict out = p->out;
    size_t kept = 0;
    for (size_t i = 0; i < p->n; i++)
        if (in[i] & 1) out[kept++] = in[i];
    p->kept = kept;
}
/* Each call sorts anew; the copy that it makes first costs the same in both. */
static void sort_u32(bench_cliff_data *p)
{
    memcpy(p->out, p->in[0], p->n * sizeof(uint32_t));
    must(oplus_sort(p->dev, &oplus_u32, OPLUS_ASCENDING, p->out, p->n));
}
static int compare_u32(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}
static void sort_loop_u32(bench_cliff_data *p)
{
    memcpy(p->out, p->in[0], p->n * sizeof(uint32_t));
    qsort(p->out, p->n, sizeof(uint32_t), compare_u32);
}

/* --- the tables --------------------------------------------------------------------------------------------------- */

#define ROWS(name, text, T, member, maps)                                                                              \
    {BENCH_REDUCE, text, sizeof(T), member, maps, reduce_##name, reduce_loop_##name},                                  \
        {BENCH_SCAN, text, sizeof(T), member, maps, scan_##name, scan_loop_##name},                                    \
        {BENCH_SEGSCAN, text, sizeof(T), member, maps, segscan_##name, segscan_loop_##name},                           \
        {BENCH_SEGREDUCE, text, sizeof(T), member, maps, segreduce_##name, segreduce_loop_##name},
#define MOVE_ROW(size, T, type)                                                                                        \
    {BENCH_TRANSPOSE, #size " bytes", size, BENCH_CLIFF_BYTES, false, transpose_##size, transpose_loop_##size},

const bench_cliff BENCH_TWIN(cliffs, BENCH_ISA)[] = {
    ROWS(u32, "u32", uint32_t, BENCH_CLIFF_BYTES, false) ROWS(f32, "f32", float, BENCH_CLIFF_F32, false)
        ROWS(i64, "i64", int64_t, BENCH_CLIFF_I64, false) ROWS(s3, "uint8_t[3]", bytes3, BENCH_CLIFF_BYTES, false)
            ROWS(s5, "uint8_t[5]", bytes5, BENCH_CLIFF_BYTES, false)
                ROWS(s8, "affine f32", bench_affine, BENCH_CLIFF_F32, true)
                    ROWS(s12, "3 floats", floats3, BENCH_CLIFF_F32, false)
                        ROWS(s16, "affine f64", bench_affine64, BENCH_CLIFF_F64, true)
                            ROWS(s24, "3 doubles", doubles3, BENCH_CLIFF_F64, false)
                                ROWS(s40, "double[5]", doubles5, BENCH_CLIFF_F64, false)
                                    ROWS(s64, "double[8]", doubles8, BENCH_CLIFF_F64, false) FOR_MOVED(MOVE_ROW){
                                        BENCH_MAP, "f32, 8 the same", 4, BENCH_CLIFF_F32, false, map_8, map_same_loop},
    {BENCH_MAP, "f32, 8 arrays", 4, BENCH_CLIFF_F32, false, map_8, map_8_loop},
    {BENCH_MAP, "f32", 4, BENCH_CLIFF_F32, false, map_1, map_1_loop},
    {BENCH_FILTER, "u32", 4, BENCH_CLIFF_BYTES, false, filter_u32, filter_loop_u32},
    {BENCH_SORT, "u32", 4, BENCH_CLIFF_BYTES, false, sort_u32, sort_loop_u32},
    {0}};
