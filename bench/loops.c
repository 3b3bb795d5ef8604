/* The plain loops that a C programmer would write instead: the reference for every result; a call on a few elements
 * must not be much slower than they are. */
#include <stdlib.h>
#include <string.h>

#include "die.h"
#include "kernels.h"

#define PLUS(ID, suffix, T, U)                                                                                         \
    static const T identity_##suffix = 0;                                                                              \
    static inline T plus_##suffix(T a, T b) { return (T)((U)a + (U)b); }
BENCH_FOR_NUMBERS(PLUS)

#define COMPOSE(suffix)                                                                                                \
    static const bench_##suffix identity_##suffix = {1, 0};                                                            \
    static inline bench_##suffix plus_##suffix(bench_##suffix a, bench_##suffix b)                                     \
    {                                                                                                                  \
        const bench_##suffix r = {a.a * b.a, a.b * b.a + b.b};                                                         \
        return r;                                                                                                      \
    }
COMPOSE(affine)
COMPOSE(affine64)

/* --- with a sum ----------------------------------------------------------------------------------------------- */

#define SUMS(ID, suffix, T, U)                                                                                         \
    static void reduce_##suffix(bench_problem *p)                                                                      \
    {                                                                                                                  \
        const T *in = p->in;                                                                                           \
        T sum = identity_##suffix;                                                                                     \
        for (size_t i = 0; i < p->n; i++) sum = plus_##suffix(sum, in[i]);                                             \
        *(T *)p->out = sum;                                                                                            \
    }                                                                                                                  \
    static void fold_##suffix(bench_problem *p)                                                                        \
    {                                                                                                                  \
        const T *in = p->in;                                                                                           \
        T sum = in[0];                                                                                                 \
        for (size_t i = 0; i < p->n; i++) sum = plus_##suffix(sum, in[i]);                                             \
        *(T *)p->out = sum;                                                                                            \
    }                                                                                                                  \
    static void scan_##suffix(bench_problem *p)                                                                        \
    {                                                                                                                  \
        const T *in = p->in;                                                                                           \
        T *restrict out = p->out;                                                                                      \
        T sum = identity_##suffix;                                                                                     \
        for (size_t i = 0; i < p->n; i++) out[i] = sum = plus_##suffix(sum, in[i]);                                    \
    }                                                                                                                  \
    static void exclusive_##suffix(bench_problem *p)                                                                   \
    {                                                                                                                  \
        const T *in = p->in;                                                                                           \
        T *restrict out = p->out;                                                                                      \
        T sum = identity_##suffix;                                                                                     \
        for (size_t i = 0; i < p->n; i++) {                                                                            \
            out[i] = sum;                                                                                              \
            sum = plus_##suffix(sum, in[i]);                                                                           \
        }                                                                                                              \
    }
BENCH_FOR_NUMBERS(SUMS)
SUMS(AFFINE, affine, bench_affine, )
SUMS(AFFINE64, affine64, bench_affine64, )

#define SEGMENTS(ID, suffix, T, U)                                                                                     \
    static void segscan_##suffix(bench_problem *p)                                                                     \
    {                                                                                                                  \
        const T *in = p->in;                                                                                           \
        T *restrict out = p->out;                                                                                      \
        T sum = identity_##suffix;                                                                                     \
        for (size_t i = 0; i < p->n; i++) out[i] = sum = p->heads[i] ? in[i] : plus_##suffix(sum, in[i]);              \
    }                                                                                                                  \
    static void segreduce_##suffix(bench_problem *p)                                                                   \
    {                                                                                                                  \
        const T *in = p->in;                                                                                           \
        T *restrict out = p->out;                                                                                      \
        for (size_t s = 0; s < p->segments; s++) {                                                                     \
            T sum = identity_##suffix;                                                                                 \
            for (size_t i = p->offsets[s]; i < p->offsets[s + 1]; i++) sum = plus_##suffix(sum, in[i]);                \
            out[s] = sum;                                                                                              \
        }                                                                                                              \
    }
BENCH_FOR_NUMBERS(SEGMENTS)
SEGMENTS(AFFINE, affine, bench_affine, )
SEGMENTS(AFFINE64, affine64, bench_affine64, )

/* --- without -------------------------------------------------------------------------------------------------- */

#define ELEMENTWISE(ID, suffix, T, U)                                                                                  \
    static void rows_##suffix(bench_problem *p)                                                                        \
    {                                                                                                                  \
        const T *in = p->in;                                                                                           \
        T *restrict out = p->out;                                                                                      \
        for (size_t r = 0; r < p->rows; r++, in += p->cols) {                                                          \
            T sum = 0;                                                                                                 \
            for (size_t c = 0; c < p->cols; c++) sum = (T)(sum + in[c]);                                               \
            out[r] = sum;                                                                                              \
        }                                                                                                              \
    }                                                                                                                  \
    static void columns_##suffix(bench_problem *p)                                                                     \
    {                                                                                                                  \
        const T *in = p->in;                                                                                           \
        T *restrict out = p->out;                                                                                      \
        memset(out, 0, p->cols * sizeof *out);                                                                         \
        for (size_t r = 0; r < p->rows; r++, in += p->cols)                                                            \
            for (size_t c = 0; c < p->cols; c++) out[c] = (T)(out[c] + in[c]);                                         \
    }                                                                                                                  \
    static void scan_rows_##suffix(bench_problem *p)                                                                   \
    {                                                                                                                  \
        const T *in = p->in;                                                                                           \
        T *restrict out = p->out;                                                                                      \
        for (size_t r = 0; r < p->rows; r++, in += p->cols, out += p->cols) {                                          \
            T sum = 0;                                                                                                 \
            for (size_t c = 0; c < p->cols; c++) out[c] = sum = (T)(sum + in[c]);                                      \
        }                                                                                                              \
    }                                                                                                                  \
    static void scan_columns_##suffix(bench_problem *p)                                                                \
    {                                                                                                                  \
        const T *in = p->in;                                                                                           \
        T *out = p->out;                                                                                               \
        memcpy(out, in, p->cols * sizeof *out);                                                                        \
        for (size_t i = p->cols; i < p->n; i++) out[i] = (T)(out[i - p->cols] + in[i]);                                \
    }                                                                                                                  \
    static void map_##suffix(bench_problem *p)                                                                         \
    {                                                                                                                  \
        const T *in = p->in;                                                                                           \
        T *restrict out = p->out;                                                                                      \
        for (size_t i = 0; i < p->n; i++) out[i] = in[i] * in[i];                                                      \
    }                                                                                                                  \
    static void dot_##suffix(bench_problem *p)                                                                         \
    {                                                                                                                  \
        const T *in = p->in, *in2 = p->in2;                                                                            \
        T sum = 0;                                                                                                     \
        for (size_t i = 0; i < p->n; i++) sum = plus_##suffix(sum, in[i] * in2[i]);                                    \
        *(T *)p->out = sum;                                                                                            \
    }                                                                                                                  \
    static void map_scan_##suffix(bench_problem *p)                                                                    \
    {                                                                                                                  \
        const T *in = p->in, *in2 = p->in2;                                                                            \
        T *restrict out = p->out;                                                                                      \
        T sum = 0;                                                                                                     \
        for (size_t i = 0; i < p->n; i++) out[i] = sum = plus_##suffix(sum, in[i] * in2[i]);                           \
    }                                                                                                                  \
    static void map_filter_##suffix(bench_problem *p)                                                                  \
    {                                                                                                                  \
        const T *in = p->in, *in2 = p->in2;                                                                            \
        T *restrict out = p->out;                                                                                      \
        size_t kept = 0;                                                                                               \
        for (size_t i = 0; i < p->n; i++) {                                                                            \
            const T made = in[i] * in2[i];                                                                             \
            if ((int)made & 1) out[kept++] = made;                                                                     \
        }                                                                                                              \
        p->kept = kept;                                                                                                \
    }                                                                                                                  \
    static void zip_##suffix(bench_problem *p)                                                                         \
    {                                                                                                                  \
        const T *in = p->in, *in2 = p->in2;                                                                            \
        T *restrict out = p->out;                                                                                      \
        for (size_t i = 0; i < p->n; i++) out[i] = 2 * in[i] + in2[i];                                                 \
    }                                                                                                                  \
    static void top_##suffix(bench_problem *p) /* the greatest so far, in order */                                     \
    {                                                                                                                  \
        const T *in = p->in;                                                                                           \
        T *restrict out = p->out;                                                                                      \
        const size_t k = bench_top(p);                                                                                 \
        for (size_t i = 0, count = 0; i < p->n; i++) {                                                                 \
            if (count == k && in[i] <= out[k - 1]) continue;                                                           \
            size_t place = count < k ? count++ : k - 1;                                                                \
            for (; place > 0 && out[place - 1] < in[i]; place--) out[place] = out[place - 1];                          \
            out[place] = in[i];                                                                                        \
        }                                                                                                              \
    }                                                                                                                  \
    static void argmax_##suffix(bench_problem *p)                                                                      \
    {                                                                                                                  \
        const T *in = p->in;                                                                                           \
        size_t at = 0;                                                                                                 \
        for (size_t i = 1; i < p->n; i++)                                                                              \
            if (in[i] > in[at]) at = i;                                                                                \
        memcpy(p->out, &at, sizeof(T));                                                                                \
    }                                                                                                                  \
    static void max_##suffix(bench_problem *p)                                                                         \
    {                                                                                                                  \
        const T *in = p->in;                                                                                           \
        T max = in[0];                                                                                                 \
        for (size_t i = 1; i < p->n; i++) max = in[i] > max ? in[i] : max;                                             \
        *(T *)p->out = max;                                                                                            \
    }                                                                                                                  \
    static void filter_##suffix(bench_problem *p)                                                                      \
    {                                                                                                                  \
        const T *in = p->in;                                                                                           \
        T *restrict out = p->out;                                                                                      \
        size_t kept = 0;                                                                                               \
        for (size_t i = 0; i < p->n; i++)                                                                              \
            if ((int)in[i] & 1) out[kept++] = in[i];                                                                   \
        p->kept = kept;                                                                                                \
    }                                                                                                                  \
    static void filter_branchless_##suffix(bench_problem *p)                                                           \
    {                                                                                                                  \
        const T *in = p->in;                                                                                           \
        T *restrict out = p->out;                                                                                      \
        size_t kept = 0;                                                                                               \
        for (size_t i = 0; i < p->n; i++) {                                                                            \
            out[kept] = in[i]; /* never beyond out[i] */                                                               \
            kept += (int)in[i] & 1;                                                                                    \
        }                                                                                                              \
        p->kept = kept;                                                                                                \
    }                                                                                                                  \
    static void unique_##suffix(bench_problem *p)                                                                      \
    {                                                                                                                  \
        const T *in = p->in;                                                                                           \
        T *restrict out = p->out;                                                                                      \
        size_t kept = 0;                                                                                               \
        for (size_t i = 0; i < p->n; i++)                                                                              \
            if (i == 0 || in[i] != in[i - 1]) out[kept++] = in[i];                                                     \
        p->kept = kept;                                                                                                \
    }                                                                                                                  \
    static void run_lengths_##suffix(bench_problem *p)                                                                 \
    {                                                                                                                  \
        const T *in = p->in;                                                                                           \
        T *restrict out = p->out;                                                                                      \
        uint32_t *restrict lengths = p->out2;                                                                          \
        size_t runs = 0;                                                                                               \
        for (size_t i = 0; i < p->n; runs++) {                                                                         \
            size_t end = i + 1;                                                                                        \
            while (end < p->n && in[end] == in[i]) end++;                                                              \
            out[runs] = in[i];                                                                                         \
            lengths[runs] = (uint32_t)(end - i);                                                                       \
            i = end;                                                                                                   \
        }                                                                                                              \
        p->kept = runs;                                                                                                \
    }                                                                                                                  \
    static void by_key_##suffix(bench_problem *p)                                                                      \
    {                                                                                                                  \
        const T *in = p->in;                                                                                           \
        const int32_t *keys = p->ids;                                                                                  \
        T *restrict out = p->out;                                                                                      \
        int32_t *restrict out_keys = p->out2;                                                                          \
        size_t runs = 0;                                                                                               \
        for (size_t i = 0; i < p->n;) {                                                                                \
            T total = in[i];                                                                                           \
            size_t end = i + 1;                                                                                        \
            for (; end < p->n && keys[end] == keys[i]; end++) total += in[end];                                        \
            out_keys[runs] = keys[i];                                                                                  \
            out[runs++] = total;                                                                                       \
            i = end;                                                                                                   \
        }                                                                                                              \
        p->kept = runs;                                                                                                \
    }                                                                                                                  \
    static int compare_##suffix(const void *a, const void *b)                                                          \
    {                                                                                                                  \
        const T x = *(const T *)a, y = *(const T *)b;                                                                  \
        return (x > y) - (x < y);                                                                                      \
    }                                                                                                                  \
    static void sort_##suffix(bench_problem *p) { qsort(p->out, p->n, sizeof(T), compare_##suffix); }                  \
    static void segsort_##suffix(bench_problem *p)                                                                     \
    {                                                                                                                  \
        T *const out = p->out;                                                                                         \
        for (size_t s = 0; s < p->segments; s++)                                                                       \
            qsort(out + p->offsets[s], p->offsets[s + 1] - p->offsets[s], sizeof(T), compare_##suffix);                \
    }                                                                                                                  \
    static void iota_##suffix(bench_problem *p)                                                                        \
    {                                                                                                                  \
        T *restrict out = p->out;                                                                                      \
        for (size_t i = 0; i < p->n; i++) out[i] = (T)i;                                                               \
    }                                                                                                                  \
    static void sort_rows_##suffix(bench_problem *p)                                                                   \
    {                                                                                                                  \
        T *const out = p->out;                                                                                         \
        for (size_t r = 0; r < p->rows; r++) qsort(out + r * p->cols, p->cols, sizeof(T), compare_##suffix);           \
    }                                                                                                                  \
    static void sort_columns_##suffix(bench_problem *p)                                                                \
    {                                                                                                                  \
        T *const out = p->out, *const column = tool_alloc(p->rows * sizeof *column);                                   \
        for (size_t c = 0; c < p->cols; c++) {                                                                         \
            for (size_t r = 0; r < p->rows; r++) column[r] = out[r * p->cols + c];                                     \
            qsort(column, p->rows, sizeof(T), compare_##suffix);                                                       \
            for (size_t r = 0; r < p->rows; r++) out[r * p->cols + c] = column[r];                                     \
        }                                                                                                              \
        free(column);                                                                                                  \
    }                                                                                                                  \
    static void reverse_##suffix(bench_problem *p)                                                                     \
    {                                                                                                                  \
        const T *in = p->in;                                                                                           \
        T *restrict out = p->out;                                                                                      \
        T sum = 0;                                                                                                     \
        for (size_t i = p->n; i-- > 0;) out[i] = sum = (T)(sum + in[i]);                                               \
    }                                                                                                                  \
    static void neighbours_##suffix(bench_problem *p)                                                                  \
    {                                                                                                                  \
        const T *in = p->in;                                                                                           \
        T *restrict out = p->out;                                                                                      \
        const size_t last = p->n - 1;                                                                                  \
        out[0] = (T)(in[0] + 2 * in[0] + in[last > 0]);                                                                \
        for (size_t i = 1; i < last; i++) out[i] = (T)(in[i - 1] + 2 * in[i] + in[i + 1]);                             \
        if (last > 0) out[last] = (T)(in[last - 1] + 2 * in[last] + in[last]);                                         \
    }                                                                                                                  \
    static void window_##suffix(bench_problem *p) /* needs an inverse, and numbers whose sums are exact */             \
    {                                                                                                                  \
        const T *in = p->in;                                                                                           \
        T *restrict out = p->out;                                                                                      \
        T sum = 0;                                                                                                     \
        for (size_t i = 0; i < p->n; i++) {                                                                            \
            sum = (T)(sum + in[i]);                                                                                    \
            if (i >= BENCH_OF_WINDOW) sum = (T)(sum - in[i - BENCH_OF_WINDOW]);                                        \
            out[i] = sum;                                                                                              \
        }                                                                                                              \
    }
BENCH_FOR_NUMBERS(ELEMENTWISE)

#define MOVES(ID, suffix, T, U)                                                                                        \
    static void transpose_##suffix(bench_problem *p)                                                                   \
    {                                                                                                                  \
        const T *in = p->in;                                                                                           \
        T *restrict out = p->out;                                                                                      \
        for (size_t c = 0; c < p->cols; c++)                                                                           \
            for (size_t r = 0; r < p->rows; r++) out[c * p->rows + r] = in[r * p->cols + c];                           \
    }
BENCH_FOR_NUMBERS(MOVES)
BENCH_FOR_MOVED(MOVES)

#define MERGES(ID, suffix, T)                                                                                          \
    static void merge_##suffix(bench_problem *p)                                                                       \
    {                                                                                                                  \
        const T *in = p->in;                                                                                           \
        T *restrict out = p->out;                                                                                      \
        size_t a = 0, half = p->n / 2, b = half;                                                                       \
        for (size_t i = 0; i < p->n; i++) out[i] = b == p->n || (a < half && in[a] <= in[b]) ? in[a++] : in[b++];      \
    }
/* The least of the elements at which the arrays are, each time; of equal ones that of the first array. */
#define MERGES_MANY(suffix, T)                                                                                         \
    static void merge_many_##suffix(bench_problem *p)                                                                  \
    {                                                                                                                  \
        const T *in = p->in;                                                                                           \
        T *restrict out = p->out;                                                                                      \
        size_t at[BENCH_MERGED];                                                                                       \
        for (size_t k = 0; k < BENCH_MERGED; k++) at[k] = bench_part(p, k);                                            \
        for (size_t i = 0; i < p->n; i++) {                                                                            \
            size_t least = BENCH_MERGED;                                                                               \
            for (size_t k = 0; k < BENCH_MERGED; k++)                                                                  \
                if (at[k] < bench_part(p, k + 1) && (least == BENCH_MERGED || in[at[k]] < in[at[least]])) least = k;   \
            out[i] = in[at[least]++];                                                                                  \
        }                                                                                                              \
    }
MERGES_MANY(u32, uint32_t)
MERGES_MANY(u64, uint64_t)

MERGES(U32, u32, uint32_t)
MERGES(U64, u64, uint64_t)

#define BY_INDEX(suffix, T, INDEX)                                                                                     \
    static void take_##suffix(bench_problem *p)                                                                        \
    {                                                                                                                  \
        const T *in = p->in;                                                                                           \
        const INDEX *at = p->in2;                                                                                      \
        T *restrict out = p->out;                                                                                      \
        for (size_t i = 0; i < p->n; i++) out[i] = in[at[i]];                                                          \
    }                                                                                                                  \
    static void put_##suffix(bench_problem *p)                                                                         \
    {                                                                                                                  \
        const T *in = p->in;                                                                                           \
        const INDEX *at = p->in2;                                                                                      \
        T *restrict out = p->out;                                                                                      \
        for (size_t i = 0; i < p->n; i++) out[at[i]] = in[i];                                                          \
    }                                                                                                                  \
    static void repeat_##suffix(bench_problem *p)                                                                      \
    {                                                                                                                  \
        const T *in = p->in;                                                                                           \
        const INDEX *count = p->in2;                                                                                   \
        T *restrict out = p->out;                                                                                      \
        for (size_t i = 0; i < bench_repeated(p); i++)                                                                 \
            for (INDEX k = 0; k < count[i]; k++) *out++ = in[i];                                                       \
    }                                                                                                                  \
    static void argmax_rows_##suffix(bench_problem *p)                                                                 \
    {                                                                                                                  \
        const T *in = p->in;                                                                                           \
        INDEX *restrict out = p->out;                                                                                  \
        for (size_t r = 0; r < p->rows; r++, in += p->cols) {                                                          \
            size_t at = 0;                                                                                             \
            for (size_t c = 1; c < p->cols; c++) at = in[c] > in[at] ? c : at;                                         \
            out[r] = (INDEX)at;                                                                                        \
        }                                                                                                              \
    }                                                                                                                  \
    static void argmax_columns_##suffix(bench_problem *p)                                                              \
    {                                                                                                                  \
        const T *in = p->in;                                                                                           \
        INDEX *restrict out = p->out;                                                                                  \
        memset(out, 0, p->cols * sizeof *out);                                                                         \
        for (size_t r = 1; r < p->rows; r++)                                                                           \
            for (size_t c = 0; c < p->cols; c++)                                                                       \
                if (in[r * p->cols + c] > in[out[c] * p->cols + c]) out[c] = (INDEX)r;                                 \
    }                                                                                                                  \
    static void bins_##suffix(bench_problem *p)                                                                        \
    {                                                                                                                  \
        const T *in = p->in;                                                                                           \
        const INDEX *at = p->in2;                                                                                      \
        T *restrict out = p->out;                                                                                      \
        memset(out, 0, bench_bins(p) * sizeof(T));                                                                     \
        for (size_t i = 0; i < p->n; i++) out[at[i]] += in[i];                                                         \
    }                                                                                                                  \
    static void histogram_##suffix(bench_problem *p) /* bins of width 1 that begin at 0 */                             \
    {                                                                                                                  \
        const T *in = p->in;                                                                                           \
        INDEX *restrict counts = p->out;                                                                               \
        memset(counts, 0, bench_bins(p) * sizeof(INDEX));                                                              \
        for (size_t i = 0; i < p->n; i++) counts[(size_t)in[i]]++;                                                     \
    }
BY_INDEX(f32, float, uint32_t)
BY_INDEX(f64, double, uint64_t)
BY_INDEX(i32, int32_t, uint32_t)
BY_INDEX(i64, int64_t, uint64_t)
BY_INDEX(u32, uint32_t, uint32_t)
BY_INDEX(u64, uint64_t, uint64_t)

#define SEARCHES(suffix, T)                                                                                            \
    static void search_##suffix(bench_problem *p)                                                                      \
    {                                                                                                                  \
        const T *in = p->in, *wanted = p->in2;                                                                         \
        T *restrict out = p->out;                                                                                      \
        for (size_t i = 0; i < p->n; i++) {                                                                            \
            size_t begin = 0, left = p->n;                                                                             \
            for (; left > 0; left -= (left + 1) / 2) begin += in[begin + left / 2] < wanted[i] ? (left + 1) / 2 : 0;   \
            out[i] = (T)begin;                                                                                         \
        }                                                                                                              \
    }
SEARCHES(u32, uint32_t)
SEARCHES(u64, uint64_t)

/* Two passes, each by 8 bits of the range: qsort is not stable. */
#define BITS(suffix, T)                                                                                                \
    static void pass_##suffix(const T *restrict in, T *restrict out, size_t n, int shift)                              \
    {                                                                                                                  \
        size_t at[257] = {0};                                                                                          \
        for (size_t i = 0; i < n; i++) at[(in[i] >> shift & 255) + 1]++;                                               \
        for (size_t d = 1; d < 256; d++) at[d] += at[d - 1];                                                           \
        for (size_t i = 0; i < n; i++) out[at[in[i] >> shift & 255]++] = in[i];                                        \
    }                                                                                                                  \
    static void bits_##suffix(bench_problem *p)                                                                        \
    {                                                                                                                  \
        T *const between = tool_alloc(p->n * sizeof *between);                                                         \
        pass_##suffix(p->out, between, p->n, BENCH_LOW_BIT);                                                           \
        pass_##suffix(between, p->out, p->n, BENCH_HIGH_BIT - 8);                                                      \
        free(between);                                                                                                 \
    }
BITS(u32, uint32_t)
BITS(u64, uint64_t)

/* Up by a, then down by b; elements that are the same in both are the same. */
#define MEMBERS(suffix)                                                                                                \
    static int compare_members_##suffix(const void *one, const void *other)                                            \
    {                                                                                                                  \
        const bench_##suffix *x = one, *y = other;                                                                     \
        return x->a == y->a ? (x->b < y->b) - (x->b > y->b) : x->a < y->a ? -1 : 1;                                    \
    }                                                                                                                  \
    static void members_##suffix(bench_problem *p)                                                                     \
    {                                                                                                                  \
        qsort(p->out, p->n, sizeof(bench_##suffix), compare_members_##suffix);                                         \
    }
MEMBERS(affine)
MEMBERS(affine64)

/* By key, and stable because equal keys are told apart by their index. */
static int compare_pairs(const void *a, const void *b)
{
    const bench_pair *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return (x->value > y->value) - (x->value < y->value);
}

static void sort_pairs(bench_problem *p) { qsort(p->out_pairs, p->n, sizeof *p->out_pairs, compare_pairs); }

/* --- the table ------------------------------------------------------------------------------------------------ */

#define LOOP(id, ID, run)  {"loop", BENCH_LOOP, BENCH_##id, BENCH_##ID, 0, run},
#define QSORT(id, ID, run) {"qsort", BENCH_LOOP, BENCH_##id, BENCH_##ID, 0, run},
#define ALL(ID, suffix, T, U)                                                                                          \
    LOOP(REDUCE, ID, reduce_##suffix)                                                                                  \
    LOOP(FOLD, ID, fold_##suffix)                                                                                      \
    LOOP(SCAN, ID, scan_##suffix)                                                                                      \
    LOOP(EXCLUSIVE, ID, exclusive_##suffix)
#define SEGMENTED(ID, suffix, T, U)                                                                                    \
    LOOP(SEGSCAN, ID, segscan_##suffix)                                                                                \
    LOOP(SEGREDUCE, ID, segreduce_##suffix)
#define MOVED(ID, suffix, T, U) LOOP(TRANSPOSE, ID, transpose_##suffix)
#define NUMBERS(ID, suffix, T, U)                                                                                      \
    SEGMENTED(ID, suffix, T, U)                                                                                        \
    LOOP(MAP, ID, map_##suffix)                                                                                        \
    LOOP(DOT, ID, dot_##suffix)                                                                                        \
    LOOP(MAP_SCAN, ID, map_scan_##suffix)                                                                              \
    LOOP(MAP_FILTER, ID, map_filter_##suffix)                                                                          \
    LOOP(ZIP, ID, zip_##suffix)                                                                                        \
    LOOP(MAXIMUM, ID, max_##suffix)                                                                                    \
    LOOP(TOP, ID, top_##suffix)                                                                                        \
    LOOP(ARGMAX, ID, argmax_##suffix)                                                                                  \
    LOOP(ROWS, ID, rows_##suffix)                                                                                      \
    LOOP(COLUMNS, ID, columns_##suffix)                                                                                \
    LOOP(SCAN_ROWS, ID, scan_rows_##suffix)                                                                            \
    LOOP(SCAN_COLUMNS, ID, scan_columns_##suffix)                                                                      \
    LOOP(TAKE, ID, take_##suffix)                                                                                      \
    LOOP(PUT, ID, put_##suffix)                                                                                        \
    LOOP(UNIQUE, ID, unique_##suffix)                                                                                  \
    LOOP(REVERSE, ID, reverse_##suffix)                                                                                \
    LOOP(NEIGHBOURS, ID, neighbours_##suffix)                                                                          \
    LOOP(WINDOW, ID, window_##suffix)                                                                                  \
    LOOP(IOTA, ID, iota_##suffix)                                                                                      \
    LOOP(REPEAT, ID, repeat_##suffix)                                                                                  \
    LOOP(ARGMAX_ROWS, ID, argmax_rows_##suffix)                                                                        \
    LOOP(ARGMAX_COLUMNS, ID, argmax_columns_##suffix)                                                                  \
    QSORT(SORT_ROWS, ID, sort_rows_##suffix)                                                                           \
    QSORT(SORT_COLUMNS, ID, sort_columns_##suffix)                                                                     \
    QSORT(SORT_BY, ID, sort_##suffix)                                                                                  \
    QSORT(SEGSORT, ID, segsort_##suffix)                                                                               \
    LOOP(RLE, ID, run_lengths_##suffix)                                                                                \
    LOOP(BY_KEY, ID, by_key_##suffix)                                                                                  \
    LOOP(HISTOGRAM, ID, histogram_##suffix)                                                                            \
    LOOP(BINS, ID, bins_##suffix)                                                                                      \
    LOOP(FILTER, ID, filter_##suffix){"loop, no branch", BENCH_LOOP, BENCH_FILTER,                                     \
                                      BENCH_##ID,        0,          filter_branchless_##suffix},                      \
        MOVED(ID, suffix, T, U) QSORT(SORT, ID, sort_##suffix)

const bench_contender BENCH_TWIN(loops, BENCH_ISA)[] = {
    BENCH_FOR_NUMBERS(ALL) ALL(AFFINE, affine, , ) ALL(AFFINE64, affine64, , ) SEGMENTED(AFFINE, affine, , )
        SEGMENTED(AFFINE64, affine64, , ) BENCH_FOR_MOVED(MOVED)
            BENCH_FOR_NUMBERS(NUMBERS){"loop", BENCH_LOOP, BENCH_MERGE, BENCH_U32, 0, merge_u32},
    {"loop", BENCH_LOOP, BENCH_MERGE, BENCH_U64, 0, merge_u64},
    {"loop", BENCH_LOOP, BENCH_MERGE_MANY, BENCH_U32, 0, merge_many_u32},
    {"loop", BENCH_LOOP, BENCH_MERGE_MANY, BENCH_U64, 0, merge_many_u64},
    {"loop", BENCH_LOOP, BENCH_SEARCH, BENCH_U32, 0, search_u32},
    {"loop", BENCH_LOOP, BENCH_SEARCH, BENCH_U64, 0, search_u64},
    {"loop", BENCH_LOOP, BENCH_BITS, BENCH_U32, 0, bits_u32},
    {"loop", BENCH_LOOP, BENCH_BITS, BENCH_U64, 0, bits_u64},
    {"qsort", BENCH_LOOP, BENCH_MEMBERS, BENCH_AFFINE, 0, members_affine},
    {"qsort", BENCH_LOOP, BENCH_MEMBERS, BENCH_AFFINE64, 0, members_affine64},
    {"qsort of records", BENCH_LOOP, BENCH_PAIRS, BENCH_U32, BENCH_RECORDS, sort_pairs},
    {0}};
