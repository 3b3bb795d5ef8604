/* oplus as a program uses it: built-in operators from the library, others compiled here. */
#include <oplus/oplus.h>

#include "die.h"
#include "kernels.h"

OPLUS_DESCRIBE(bench_affine, float a; float b;)
OPLUS_OP(compose, bench_affine, (1, 0), OPLUS_WIDE, {
    bench_affine r;
    r.a = a.a * b.a;
    r.b = a.b * b.a + b.b;
    return r;
})

OPLUS_DESCRIBE(bench_affine64, double a; double b;)
OPLUS_OP(compose64, bench_affine64, (1, 0), OPLUS_WIDE, {
    bench_affine64 r;
    r.a = a.a * b.a;
    r.b = a.b * b.a + b.b;
    return r;
})

OPLUS_DESCRIBE(bench_triple, double x; double y; double z;)
OPLUS_DESCRIBE(bench_pixel, uint8_t r; uint8_t g; uint8_t b;)
OPLUS_DESCRIBE(bench_point, float x; float y; float z;)

#define FUNCTIONS(ID, suffix, T, U)                                                                                    \
    OPLUS_MAP(square_##suffix, T, T, { return a * a; })                                                                \
    OPLUS_ZIP(axpy_##suffix, T, T, T, { return 2 * a + b; })                                                           \
    OPLUS_ZIP3(smooth_##suffix, T, T, T, T, { return a + 2 * b + c; })                                                 \
    OPLUS_ZIP(product_##suffix, T, T, T, { return a * b; })                                                            \
    OPLUS_ZIP(less_##suffix, uint8_t, T, T, { return a < b; })                                                         \
    OPLUS_PREDICATE(odd_##suffix, T, { return (int)a & 1; })
BENCH_FOR_NUMBERS(FUNCTIONS)

static const oplus_type *const types[] = {&oplus_f32,       &oplus_f64, &oplus_i32,         &oplus_i64,
                                          &oplus_u32,       &oplus_u64, &bench_affine_type, &bench_affine64_type,
                                          &oplus_u8,        &oplus_u16, &bench_triple_type, &bench_pixel_type,
                                          &bench_point_type};
static const oplus_op *const sums[] = {&oplus_sum_f32, &oplus_sum_f64, &oplus_sum_i32, &oplus_sum_i64, &oplus_sum_u32,
                                       &oplus_sum_u64, &compose_op,    &compose64_op,  &oplus_sum_u8,  &oplus_sum_u16};
static const oplus_op *const maxima[] = {&oplus_max_f32, &oplus_max_f64, &oplus_max_i32,
                                         &oplus_max_i64, &oplus_max_u32, &oplus_max_u64};
static const oplus_fn *const squares[] = {&square_f32_fn, &square_f64_fn, &square_i32_fn,
                                          &square_i64_fn, &square_u32_fn, &square_u64_fn};
static const oplus_fn *const axpys[] = {&axpy_f32_fn, &axpy_f64_fn, &axpy_i32_fn,
                                        &axpy_i64_fn, &axpy_u32_fn, &axpy_u64_fn};
static const oplus_fn *const smooths[] = {&smooth_f32_fn, &smooth_f64_fn, &smooth_i32_fn,
                                          &smooth_i64_fn, &smooth_u32_fn, &smooth_u64_fn};
static const oplus_fn *const products[] = {&product_f32_fn, &product_f64_fn, &product_i32_fn,
                                           &product_i64_fn, &product_u32_fn, &product_u64_fn};
static const oplus_fn *const orders[] = {&less_f32_fn, &less_f64_fn, &less_i32_fn,
                                         &less_i64_fn, &less_u32_fn, &less_u64_fn};
static const oplus_fn *const odds[] = {&odd_f32_fn, &odd_f64_fn, &odd_i32_fn, &odd_i64_fn, &odd_u32_fn, &odd_u64_fn};

/* An accelerator may lack what the cores have: double precision, for example. */
static void must(bench_problem *p, oplus_status status)
{
    if (status == OPLUS_OK) return;
    if (p->place == BENCH_CORES || status != OPLUS_ERR_UNSUPPORTED) tool_die(TOOL_FAILED, "%s", oplus_last_error());
    p->refused = oplus_last_error();
}

static void map(bench_problem *p)
{
    const void *in[] = {p->in};
    must(p, oplus_map(p->dev, squares[p->type], in, p->n, p->out));
}

static void zip(bench_problem *p)
{
    const void *in[] = {p->in, p->in2};
    must(p, oplus_map(p->dev, axpys[p->type], in, p->n, p->out));
}

static void reduce(bench_problem *p) { must(p, oplus_reduce(p->dev, sums[p->type], p->in, p->n, p->out)); }
static void maximum(bench_problem *p) { must(p, oplus_reduce(p->dev, maxima[p->type], p->in, p->n, p->out)); }
/* An array of one element has no room for the place, which is 0. */
static void argmax(bench_problem *p)
{
    size_t at = 0;
    const bool has_room = p->n * p->element >= sizeof at;
    must(p, oplus_argmax(p->dev, types[p->type], p->in, p->n, has_room ? p->out : &at));
    if (!has_room) must(p, oplus_copy(p->dev, p->out, &at, p->element));
}

static void fold(bench_problem *p)
{
    const void *init = p->host ? p->host->in : p->in; /* one value, in the host's memory */
    must(p, oplus_fold(p->dev, sums[p->type], init, p->in, p->n, p->out));
}
static void dot(bench_problem *p)
{
    const void *in[] = {p->in, p->in2};
    must(p, oplus_map_reduce(p->dev, products[p->type], sums[p->type], in, p->n, p->out));
}
static void map_scan(bench_problem *p)
{
    const void *in[] = {p->in, p->in2};
    must(p, oplus_map_scan(p->dev, products[p->type], sums[p->type], OPLUS_INCLUSIVE, NULL, in, p->n, p->out));
}
static void scan(bench_problem *p) { must(p, oplus_scan(p->dev, sums[p->type], OPLUS_INCLUSIVE, p->in, p->n, p->out)); }
static void exclusive(bench_problem *p)
{
    must(p, oplus_scan(p->dev, sums[p->type], OPLUS_EXCLUSIVE, p->in, p->n, p->out));
}
static void reverse(bench_problem *p)
{
    must(p, oplus_scan_reverse(p->dev, sums[p->type], OPLUS_INCLUSIVE, p->in, p->n, p->out));
}
static void window(bench_problem *p)
{
    must(p, oplus_window(p->dev, sums[p->type], p->in, p->n, BENCH_OF_WINDOW, p->out));
}
static void neighbours(bench_problem *p)
{
    must(p, oplus_map_neighbours(p->dev, smooths[p->type], OPLUS_EDGE_NEAREST, NULL, p->in, p->n, p->out));
}
static void iota(bench_problem *p) { must(p, oplus_iota(p->dev, types[p->type], NULL, NULL, 0, p->n, p->out)); }
static void segscan(bench_problem *p)
{
    must(p, oplus_segscan(p->dev, sums[p->type], OPLUS_INCLUSIVE, p->in, p->heads, p->n, p->out));
}
static void segreduce(bench_problem *p)
{
    must(p, oplus_segreduce(p->dev, sums[p->type], p->in, p->n, &oplus_u64, p->offsets, p->segments, p->out));
}
static size_t *count_of(bench_problem *p) { return p->kept_there ? p->kept_there : &p->kept; }
static void filter(bench_problem *p) { must(p, oplus_filter(p->dev, odds[p->type], p->in, p->n, p->out, count_of(p))); }
static void map_filter(bench_problem *p)
{
    const void *in[] = {p->in, p->in2};
    must(p, oplus_map_filter(p->dev, products[p->type], odds[p->type], in, p->n, p->out, count_of(p)));
}
static void unique(bench_problem *p)
{
    must(p, oplus_unique(p->dev, types[p->type], NULL, p->in, p->n, p->out, NULL, NULL, NULL, NULL, count_of(p)));
}
static void run_lengths(bench_problem *p)
{
    must(p,
         oplus_unique(p->dev, types[p->type], NULL, p->in, p->n, p->out, &oplus_u32, p->out2, NULL, NULL, count_of(p)));
}
static void by_key(bench_problem *p)
{
    must(p, oplus_reduce_by_key(p->dev, sums[p->type], &oplus_i32, NULL, p->ids, p->in, p->n, p->out2, p->out,
                                count_of(p)));
}
static void sort(bench_problem *p) { must(p, oplus_sort(p->dev, types[p->type], OPLUS_ASCENDING, p->out, p->n)); }
static void bits(bench_problem *p)
{
    must(p, oplus_sort_bits(p->dev, types[p->type], OPLUS_ASCENDING, BENCH_LOW_BIT, BENCH_HIGH_BIT, p->out, p->n));
}
static const oplus_sort_member members_of_affine[] = {OPLUS_MEMBER(bench_affine, a, &oplus_f32, OPLUS_ASCENDING),
                                                      OPLUS_MEMBER(bench_affine, b, &oplus_f32, OPLUS_DESCENDING)};
static const oplus_sort_member members_of_affine64[] = {OPLUS_MEMBER(bench_affine64, a, &oplus_f64, OPLUS_ASCENDING),
                                                        OPLUS_MEMBER(bench_affine64, b, &oplus_f64, OPLUS_DESCENDING)};
static void members(bench_problem *p)
{
    const oplus_sort_member *const by = p->type == BENCH_AFFINE ? members_of_affine : members_of_affine64;
    must(p, oplus_sort_members(p->dev, types[p->type], by, 2, p->out, p->n));
}
static void sort_by(bench_problem *p) { must(p, oplus_sort_by(p->dev, orders[p->type], p->out, p->n)); }
static void segsort(bench_problem *p)
{
    must(p, oplus_segsort(p->dev, types[p->type], OPLUS_ASCENDING, p->out, p->n, &oplus_u64, p->offsets, p->segments));
}
static void pairs(bench_problem *p)
{
    must(p, oplus_sort_pairs(p->dev, types[p->type], OPLUS_ASCENDING, p->out, &oplus_u32, p->out2, p->n));
}
static void merge(bench_problem *p)
{
    const size_t half = p->n / 2;
    must(p, oplus_merge(p->dev, types[p->type], OPLUS_ASCENDING, p->in, half, (const char *)p->in + half * p->element,
                        p->n - half, p->out));
}
/* Indices have the width of an element. */
static const oplus_type *index_of(const bench_problem *p) { return p->element == 4 ? &oplus_u32 : &oplus_u64; }

static void repeat(bench_problem *p)
{
    size_t total;
    must(p, oplus_repeat(p->dev, types[p->type], p->in, bench_repeated(p), index_of(p), p->in2, p->out, p->n, &total));
}
static void merge_many(bench_problem *p)
{
    const void *in[BENCH_MERGED];
    size_t n[BENCH_MERGED];
    for (size_t k = 0; k < BENCH_MERGED; k++) {
        in[k] = (const char *)p->in + bench_part(p, k) * p->element;
        n[k] = bench_part(p, k + 1) - bench_part(p, k);
    }
    must(p, oplus_merge_many(p->dev, types[p->type], OPLUS_ASCENDING, in, n, BENCH_MERGED, p->out));
}
static void argsort(bench_problem *p)
{
    must(p, oplus_argsort(p->dev, types[p->type], OPLUS_ASCENDING, p->in, p->n, index_of(p), p->out));
}
static void top(bench_problem *p)
{
    must(p, oplus_top(p->dev, types[p->type], OPLUS_DESCENDING, p->in, p->n, bench_top(p), p->out, NULL, NULL));
}
static void nth(bench_problem *p)
{
    must(p, oplus_nth(p->dev, types[p->type], OPLUS_ASCENDING, p->in, p->n, p->n / 2, p->out));
}
static void search(bench_problem *p)
{
    must(p, oplus_search(p->dev, types[p->type], OPLUS_ASCENDING, p->in, p->n, OPLUS_LOWER, p->in2, p->n, index_of(p),
                         p->out));
}
static void take(bench_problem *p)
{
    must(p, oplus_take(p->dev, types[p->type], OPLUS_REFUSE, p->in, p->n, index_of(p), p->in2, p->n, p->out));
}
static void put(bench_problem *p)
{
    must(p, oplus_put(p->dev, types[p->type], OPLUS_REFUSE, p->in, index_of(p), p->in2, p->n, p->out, p->n));
}
static void histogram(bench_problem *p)
{
    const size_t bins = bench_bins(p);
    must(p, oplus_histogram(p->dev, types[p->type], p->in, p->n, 0, (double)bins, index_of(p), p->out, bins));
}
static void bins(bench_problem *p)
{
    must(p, oplus_reduce_by_index(p->dev, sums[p->type], OPLUS_REFUSE, p->in, index_of(p), p->in2, p->n, p->out,
                                  bench_bins(p)));
}
static void rows(bench_problem *p)
{
    must(p, oplus_reduce_axis(p->dev, sums[p->type], p->in, p->rows, p->cols, 1, p->out));
}
static void columns(bench_problem *p)
{
    must(p, oplus_reduce_axis(p->dev, sums[p->type], p->in, 1, p->rows, p->cols, p->out));
}
static void scan_rows(bench_problem *p)
{
    must(p, oplus_scan_axis(p->dev, sums[p->type], OPLUS_INCLUSIVE, p->in, p->rows, p->cols, 1, p->out));
}
static void scan_columns(bench_problem *p)
{
    must(p, oplus_scan_axis(p->dev, sums[p->type], OPLUS_INCLUSIVE, p->in, 1, p->rows, p->cols, p->out));
}
static void argmax_rows(bench_problem *p)
{
    must(p, oplus_argmax_axis(p->dev, types[p->type], p->in, p->rows, p->cols, 1, index_of(p), p->out));
}
static void argmax_columns(bench_problem *p)
{
    must(p, oplus_argmax_axis(p->dev, types[p->type], p->in, 1, p->rows, p->cols, index_of(p), p->out));
}
static void sort_rows(bench_problem *p)
{
    must(p, oplus_sort_axis(p->dev, types[p->type], OPLUS_ASCENDING, p->out, p->rows, p->cols, 1));
}
static void sort_columns(bench_problem *p)
{
    must(p, oplus_sort_axis(p->dev, types[p->type], OPLUS_ASCENDING, p->out, 1, p->rows, p->cols));
}
static void transpose(bench_problem *p)
{
    must(p, oplus_transpose(p->dev, types[p->type], p->in, p->rows, p->cols, p->out));
}

#define OURS(id, run)                                                                                                  \
    {                                                                                                                  \
        "oplus", BENCH_OURS, BENCH_##id, BENCH_ANY_TYPE, 0, run                                                        \
    }

const bench_contender BENCH_TWIN(ours, BENCH_ISA)[] = {OURS(MAP, map),
                                                       OURS(ZIP, zip),
                                                       OURS(REDUCE, reduce),
                                                       OURS(MAXIMUM, maximum),
                                                       OURS(ARGMAX, argmax),
                                                       OURS(FOLD, fold),
                                                       OURS(DOT, dot),
                                                       OURS(MAP_SCAN, map_scan),
                                                       OURS(MAP_FILTER, map_filter),
                                                       OURS(SCAN, scan),
                                                       OURS(EXCLUSIVE, exclusive),
                                                       OURS(REVERSE, reverse),
                                                       OURS(WINDOW, window),
                                                       OURS(NEIGHBOURS, neighbours),
                                                       OURS(IOTA, iota),
                                                       OURS(REPEAT, repeat),
                                                       OURS(SEGSCAN, segscan),
                                                       OURS(FILTER, filter),
                                                       OURS(UNIQUE, unique),
                                                       OURS(BY_KEY, by_key),
                                                       OURS(HISTOGRAM, histogram),
                                                       OURS(BINS, bins),
                                                       OURS(RLE, run_lengths),
                                                       OURS(SORT, sort),
                                                       OURS(BITS, bits),
                                                       OURS(MEMBERS, members),
                                                       OURS(SEGREDUCE, segreduce),
                                                       OURS(SORT_BY, sort_by),
                                                       OURS(SEGSORT, segsort),
                                                       OURS(PAIRS, pairs),
                                                       OURS(MERGE, merge),
                                                       OURS(MERGE_MANY, merge_many),
                                                       OURS(ARGSORT, argsort),
                                                       OURS(TOP, top),
                                                       OURS(NTH, nth),
                                                       OURS(SEARCH, search),
                                                       OURS(TAKE, take),
                                                       OURS(PUT, put),
                                                       OURS(ROWS, rows),
                                                       OURS(COLUMNS, columns),
                                                       OURS(SCAN_ROWS, scan_rows),
                                                       OURS(SCAN_COLUMNS, scan_columns),
                                                       OURS(ARGMAX_ROWS, argmax_rows),
                                                       OURS(ARGMAX_COLUMNS, argmax_columns),
                                                       OURS(SORT_ROWS, sort_rows),
                                                       OURS(SORT_COLUMNS, sort_columns),
                                                       OURS(TRANSPOSE, transpose),
                                                       {0}};
