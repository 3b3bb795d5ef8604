/* SPDX-License-Identifier: Apache-2.0 */
/** @file typed.h
 *  The calls of oplus.h with their types checked when your program is compiled, at no cost when it runs.
 *
 *      OPLUS_REDUCE(dev, oplus_sum_f32, x, n, &sum)      is      oplus_reduce(dev, &oplus_sum_f32, x, n, &sum)
 *
 *  The line on the left does not compile if x or sum points to doubles.  Each macro has the name and the arguments of
 *  its function and returns what the function returns, with these differences:
 *  - an operator or function is the name of its descriptor, without &: compose_op, axpy_fn, oplus_max_i32.  It may
 *    also be OPLUS_SUM(x) or a macro like it, or OPLUS_WITH(scale_fn, &half), which binds the parameter for this call;
 *  - the inputs of a map, and of a fused call, are a list in parentheses: (x, y), or (x);
 *  - types of keys, values, offsets and matrices are not arguments: they are the types of the arrays; the arrays that a merge
 *    of many lists are not checked, as the list is one of void *;
 *  - calls on a carry name its operator: OPLUS_SCAN_FROM(dev, compose_op, carry, ...).
 *
 *  The C type of an element may be any type of the same size and sign: an array of long long is an array of int64_t.
 *  An array of bool can be read as bytes, but only a function or an operator of bool can write it.  Inputs may be
 *  const.  The target of a void * cannot be checked: cast it, also NULL; or call the plain function.  Call the plain
 *  function too for an operator that is known only at run time or was filled in by hand.  Arguments are evaluated
 *  once. */
#ifndef OPLUS_TYPED_H
#define OPLUS_TYPED_H

#include <oplus/oplus.h>
#include <oplus/detail/typed.h>

/** The list of inputs for one call of oplus_map, in C and in C++:  oplus_map(dev, &axpy_fn, OPLUS_IN(x, y), n, out) */
#ifdef __cplusplus
#define OPLUS_IN(...) (oplus_inputs_of_(__VA_ARGS__).at)
#else
#define OPLUS_IN(...) ((const void *const[]){__VA_ARGS__})
#endif

/* --- the calls of oplus.h ----------------------------------------------------------------------------------------- */

/** @{ @brief As the function of the same name in lower case, with types checked; the beginning of typed.h says how the
 *  arguments differ. */
#define OPLUS_REDUCE(dev, op, in, n, out)                                                                              \
    (OPLUS_CHECK_OP_(op), OPLUS_CHECK_IN_(op, in), OPLUS_CHECK_OUT_(op, out),                                          \
     oplus_reduce(dev, OPLUS_OP_AT_(op), in, n, out))
#define OPLUS_FOLD(dev, op, init, in, n, out)                                                                          \
    (OPLUS_CHECK_OP_(op), OPLUS_CHECK_IN_(op, init), OPLUS_CHECK_IN_(op, in), OPLUS_CHECK_OUT_(op, out),               \
     oplus_fold(dev, OPLUS_OP_AT_(op), init, in, n, out))
#define OPLUS_SCAN(dev, op, kind, in, n, out)                                                                          \
    (OPLUS_CHECK_OP_(op), OPLUS_CHECK_IN_(op, in), OPLUS_CHECK_OUT_(op, out),                                          \
     oplus_scan(dev, OPLUS_OP_AT_(op), kind, in, n, out))
#define OPLUS_SEGSCAN(dev, op, kind, in, heads, n, out)                                                                \
    (OPLUS_CHECK_OP_(op), OPLUS_CHECK_IN_(op, in), OPLUS_CHECK_HEADS_(heads), OPLUS_CHECK_OUT_(op, out),               \
     oplus_segscan(dev, OPLUS_OP_AT_(op), kind, in, (const uint8_t *)(heads), n, out))
#define OPLUS_SEGREDUCE(dev, op, in, n, offsets, segments, out)                                                        \
    (OPLUS_CHECK_OP_(op), OPLUS_CHECK_IN_(op, in), OPLUS_CHECK_OFFSETS_(offsets), OPLUS_CHECK_OUT_(op, out),           \
     oplus_segreduce(dev, OPLUS_OP_AT_(op), in, n, OPLUS_TYPE_AT_(offsets), offsets, segments, out))
#define OPLUS_MAP_ARRAYS(dev, fn, in, n, out)                                                                          \
    (OPLUS_CHECK_LIST_(in), OPLUS_CHECK_FN_(fn), OPLUS_CHECK_ARITY_(fn, OPLUS_COUNT_ in),                              \
     OPLUS_CHECK_INPUTS_(fn, OPLUS_UNPAREN_ in), OPLUS_CHECK_RESULT_(fn, out),                                         \
     oplus_map(dev, OPLUS_FN_AT_(fn), OPLUS_IN in, n, out))
#define OPLUS_FILTER(dev, keep, in, n, out, kept)                                                                      \
    (OPLUS_CHECK_FN_(keep), OPLUS_CHECK_KEEP_(keep), OPLUS_CHECK_INPUTS_(keep, in), OPLUS_CHECK_KEPT_(in, out, kept),  \
     oplus_filter(dev, OPLUS_FN_AT_(keep), in, n, out, kept))
#define OPLUS_SORT(dev, order, keys, n) (OPLUS_CHECK_KEYS_(keys), oplus_sort(dev, OPLUS_TYPE_AT_(keys), order, keys, n))
#define OPLUS_SORT_PAIRS(dev, order, keys, values, n)                                                                  \
    (OPLUS_CHECK_KEYS_(keys), OPLUS_CHECK_ANY_(values),                                                                \
     oplus_sort_pairs(dev, OPLUS_TYPE_AT_(keys), order, keys, OPLUS_TYPE_AT_(values), values, n))
#define OPLUS_TRANSPOSE(dev, in, rows, cols, out)                                                                      \
    (OPLUS_CHECK_ANY_(out), OPLUS_CHECK_SAME_(in, out), oplus_transpose(dev, OPLUS_TYPE_AT_(out), in, rows, cols, out))
#define OPLUS_TAKE(dev, bounds, in, n, indices, count, out)                                                            \
    (OPLUS_CHECK_ANY_(out), OPLUS_CHECK_SAME_(in, out), OPLUS_CHECK_OFFSETS_(indices),                                 \
     oplus_take(dev, OPLUS_TYPE_AT_(out), bounds, in, n, OPLUS_TYPE_AT_(indices), indices, count, out))
#define OPLUS_REPEAT(dev, in, n, counts, out, capacity, total)                                                         \
    (OPLUS_CHECK_ANY_(out), OPLUS_CHECK_SAME_(in, out), OPLUS_CHECK_OFFSETS_(counts),                                  \
     oplus_repeat(dev, OPLUS_TYPE_AT_(out), in, n, OPLUS_TYPE_AT_(counts), counts, out, capacity, total))
#define OPLUS_PUT(dev, bounds, in, indices, count, out, n)                                                             \
    (OPLUS_CHECK_ANY_(out), OPLUS_CHECK_SAME_(in, out), OPLUS_CHECK_OFFSETS_(indices),                                 \
     oplus_put(dev, OPLUS_TYPE_AT_(out), bounds, in, OPLUS_TYPE_AT_(indices), indices, count, out, n))
#define OPLUS_REDUCE_BY_INDEX(dev, op, bounds, in, indices, count, out, n)                                             \
    (OPLUS_CHECK_OP_(op), OPLUS_CHECK_IN_(op, in), OPLUS_CHECK_OFFSETS_(indices), OPLUS_CHECK_OUT_(op, out),           \
     oplus_reduce_by_index(dev, OPLUS_OP_AT_(op), bounds, in, OPLUS_TYPE_AT_(indices), indices, count, out, n))
#define OPLUS_COUNT_BY_INDEX(dev, bounds, indices, count, counts, n)                                                   \
    (OPLUS_CHECK_SCALARS_(indices), OPLUS_CHECK_ANY_(counts), OPLUS_CHECK_OFFSETS_(counts),                            \
     oplus_count_by_index(dev, bounds, OPLUS_TYPE_AT_(indices), indices, count, OPLUS_TYPE_AT_(counts), counts, n))
#define OPLUS_HISTOGRAM(dev, in, n, low, high, counts, bins)                                                           \
    (OPLUS_CHECK_SCALARS_(in), OPLUS_CHECK_ANY_(counts), OPLUS_CHECK_OFFSETS_(counts),                                 \
     oplus_histogram(dev, OPLUS_TYPE_AT_(in), in, n, low, high, OPLUS_TYPE_AT_(counts), counts, bins))
#define OPLUS_HISTOGRAM_EDGES(dev, in, n, edges, counts, bins)                                                         \
    (OPLUS_CHECK_SCALARS_(in), OPLUS_CHECK_SAME_(edges, in), OPLUS_CHECK_ANY_(counts), OPLUS_CHECK_OFFSETS_(counts),   \
     oplus_histogram_edges(dev, OPLUS_TYPE_AT_(in), in, n, edges, OPLUS_TYPE_AT_(counts), counts, bins))
#define OPLUS_CARRY_INIT(op, carry, init)      (OPLUS_CHECK_IN_(op, init), oplus_carry_init(carry, init))
#define OPLUS_CARRY_ADD(dev, op, carry, in, n) (OPLUS_CHECK_IN_(op, in), oplus_carry_add(dev, carry, in, n))
#define OPLUS_CARRY_VALUE(op, carry, out)      (OPLUS_CHECK_OUT_(op, out), oplus_carry_value(carry, out))
#define OPLUS_SCAN_FROM(dev, op, carry, kind, in, n, out)                                                              \
    (OPLUS_CHECK_IN_(op, in), OPLUS_CHECK_OUT_(op, out), oplus_scan_from(dev, carry, kind, in, n, out))
/** @} */

/* --- the calls of axis.h, fused.h, moments.h, order.h, sorts.h, runs.h, statistics.h and windows.h ---------------- */

/** @{ @brief As the function of the same name in lower case, with types checked.  `after` of OPLUS_MAP_SCAN is a
 *  descriptor: without a function after the scan, call oplus_map_scan.  Keys are compared by their bits: with a
 *  function that compares them, call the plain function. */
#define OPLUS_MAP_REDUCE(dev, before, op, in, n, out)                                                                  \
    (OPLUS_CHECK_BEFORE_(before, in), OPLUS_CHECK_OP_(op), OPLUS_CHECK_JOINS_(before, op), OPLUS_CHECK_OUT_(op, out),  \
     oplus_map_reduce(dev, OPLUS_FN_AT_(before), OPLUS_OP_AT_(op), OPLUS_IN in, n, out))
#define OPLUS_MAP_SCAN(dev, before, op, kind, after, in, n, out)                                                       \
    (OPLUS_CHECK_BEFORE_(before, in), OPLUS_CHECK_OP_(op), OPLUS_CHECK_JOINS_(before, op), OPLUS_CHECK_FN_(after),     \
     OPLUS_CHECK_ARITY_(after, 1), OPLUS_CHECK_AFTER_(op, after), OPLUS_CHECK_RESULT_(after, out),                     \
     oplus_map_scan(dev, OPLUS_FN_AT_(before), OPLUS_OP_AT_(op), kind, OPLUS_FN_AT_(after), OPLUS_IN in, n, out))
#define OPLUS_MAP_FILTER(dev, before, keep, in, n, out, kept)                                                          \
    (OPLUS_CHECK_BEFORE_(before, in), OPLUS_CHECK_FN_(keep), OPLUS_CHECK_KEEP_(keep),                                  \
     OPLUS_CHECK_TESTS_(before, keep), OPLUS_CHECK_RESULT_(before, out), OPLUS_CHECK_NUMBER_(kept),                    \
     oplus_map_filter(dev, OPLUS_FN_AT_(before), OPLUS_FN_AT_(keep), OPLUS_IN in, n, out, kept))

#define OPLUS_REDUCE_AXIS(dev, op, in, outer, n, inner, out)                                                           \
    (OPLUS_CHECK_OP_(op), OPLUS_CHECK_IN_(op, in), OPLUS_CHECK_OUT_(op, out),                                          \
     oplus_reduce_axis(dev, OPLUS_OP_AT_(op), in, outer, n, inner, out))
#define OPLUS_SCAN_AXIS(dev, op, kind, in, outer, n, inner, out)                                                       \
    (OPLUS_CHECK_OP_(op), OPLUS_CHECK_IN_(op, in), OPLUS_CHECK_OUT_(op, out),                                          \
     oplus_scan_axis(dev, OPLUS_OP_AT_(op), kind, in, outer, n, inner, out))
#define OPLUS_ARGMIN_AXIS(dev, in, outer, n, inner, indices)                                                           \
    (OPLUS_CHECK_SCALARS_(in), OPLUS_CHECK_OFFSETS_(indices), OPLUS_CHECK_ANY_(indices),                               \
     oplus_argmin_axis(dev, OPLUS_TYPE_AT_(in), in, outer, n, inner, OPLUS_TYPE_AT_(indices), indices))
#define OPLUS_ARGMAX_AXIS(dev, in, outer, n, inner, indices)                                                           \
    (OPLUS_CHECK_SCALARS_(in), OPLUS_CHECK_OFFSETS_(indices), OPLUS_CHECK_ANY_(indices),                               \
     oplus_argmax_axis(dev, OPLUS_TYPE_AT_(in), in, outer, n, inner, OPLUS_TYPE_AT_(indices), indices))
#define OPLUS_SORT_AXIS(dev, order, keys, outer, n, inner)                                                             \
    (OPLUS_CHECK_KEYS_(keys), oplus_sort_axis(dev, OPLUS_TYPE_AT_(keys), order, keys, outer, n, inner))
#define OPLUS_ARGSORT_AXIS(dev, order, keys, outer, n, inner, indices)                                                 \
    (OPLUS_CHECK_SCALARS_(keys), OPLUS_CHECK_OFFSETS_(indices), OPLUS_CHECK_ANY_(indices),                             \
     oplus_argsort_axis(dev, OPLUS_TYPE_AT_(keys), order, keys, outer, n, inner, OPLUS_TYPE_AT_(indices), indices))
#define OPLUS_WINDOW(dev, op, in, n, w, out)                                                                           \
    (OPLUS_CHECK_OP_(op), OPLUS_CHECK_IN_(op, in), OPLUS_CHECK_OUT_(op, out),                                          \
     oplus_window(dev, OPLUS_OP_AT_(op), in, n, w, out))
#define OPLUS_MAP_NEIGHBOURS(dev, fn, edge, ends, in, n, out)                                                          \
    (OPLUS_CHECK_NEIGHBOURS_(fn, ends, in), OPLUS_CHECK_RESULT_(fn, out),                                              \
     oplus_map_neighbours(dev, OPLUS_FN_AT_(fn), edge, ends, in, n, out))
#define OPLUS_SCAN_REVERSE(dev, op, kind, in, n, out)                                                                  \
    (OPLUS_CHECK_OP_(op), OPLUS_CHECK_IN_(op, in), OPLUS_CHECK_OUT_(op, out),                                          \
     oplus_scan_reverse(dev, OPLUS_OP_AT_(op), kind, in, n, out))

#define OPLUS_ARGMIN(dev, in, n, at)                                                                                   \
    (OPLUS_CHECK_SCALARS_(in), OPLUS_CHECK_NUMBER_(at), oplus_argmin(dev, OPLUS_TYPE_AT_(in), in, n, at))
#define OPLUS_ARGMAX(dev, in, n, at)                                                                                   \
    (OPLUS_CHECK_SCALARS_(in), OPLUS_CHECK_NUMBER_(at), oplus_argmax(dev, OPLUS_TYPE_AT_(in), in, n, at))
#define OPLUS_MINMAX(dev, in, n, out)                                                                                  \
    (OPLUS_CHECK_SCALARS_(in), OPLUS_CHECK_ANY_(out), OPLUS_CHECK_SAME_(in, out),                                      \
     oplus_minmax(dev, OPLUS_TYPE_AT_(out), in, n, out))

#define OPLUS_MEAN(dev, in, n, mean) (OPLUS_CHECK_SCALARS_(in), oplus_mean(dev, OPLUS_TYPE_AT_(in), in, n, mean))
#define OPLUS_VARIANCE(dev, ddof, in, n, variance)                                                                     \
    (OPLUS_CHECK_SCALARS_(in), oplus_variance(dev, OPLUS_TYPE_AT_(in), ddof, in, n, variance))

#define OPLUS_ARGSORT(dev, order, keys, n, indices)                                                                    \
    (OPLUS_CHECK_SCALARS_(keys), OPLUS_CHECK_OFFSETS_(indices), OPLUS_CHECK_ANY_(indices),                             \
     oplus_argsort(dev, OPLUS_TYPE_AT_(keys), order, keys, n, OPLUS_TYPE_AT_(indices), indices))
#define OPLUS_TOP(dev, order, keys, n, k, out, indices)                                                                \
    (OPLUS_CHECK_SCALARS_(keys), OPLUS_CHECK_KEYS_(out), OPLUS_CHECK_SAME_(keys, out), OPLUS_CHECK_OFFSETS_(indices),  \
     OPLUS_CHECK_ANY_(indices),                                                                                        \
     oplus_top(dev, OPLUS_TYPE_AT_(keys), order, keys, n, k, out, OPLUS_TYPE_AT_(indices), indices))
#define OPLUS_NTH(dev, order, keys, n, k, out)                                                                         \
    (OPLUS_CHECK_SCALARS_(keys), OPLUS_CHECK_KEYS_(out), OPLUS_CHECK_SAME_(keys, out),                                 \
     oplus_nth(dev, OPLUS_TYPE_AT_(keys), order, keys, n, k, out))
#define OPLUS_SEARCH(dev, order, sorted, n, bound, wanted, count, places)                                              \
    (OPLUS_CHECK_SCALARS_(sorted), OPLUS_CHECK_SAME_(wanted, sorted), OPLUS_CHECK_OFFSETS_(places),                    \
     OPLUS_CHECK_ANY_(places),                                                                                         \
     oplus_search(dev, OPLUS_TYPE_AT_(sorted), order, sorted, n, bound, wanted, count, OPLUS_TYPE_AT_(places),         \
                  places))
#define OPLUS_SEARCH_BY(dev, less, sorted, n, bound, wanted, count, places)                                            \
    (OPLUS_CHECK_LESS_(less, sorted, wanted), OPLUS_CHECK_OFFSETS_(places), OPLUS_CHECK_ANY_(places),                  \
     oplus_search_by(dev, OPLUS_FN_AT_(less), sorted, n, bound, wanted, count, OPLUS_TYPE_AT_(places), places))
#define OPLUS_MERGE(dev, order, a, a_n, b, b_n, out)                                                                   \
    (OPLUS_CHECK_KEYS_(out), OPLUS_CHECK_SAME_(a, out), OPLUS_CHECK_SAME_(b, out),                                     \
     oplus_merge(dev, OPLUS_TYPE_AT_(out), order, a, a_n, b, b_n, out))
#define OPLUS_MERGE_MANY(dev, order, in, n, count, out)                                                                \
    (OPLUS_CHECK_KEYS_(out), oplus_merge_many(dev, OPLUS_TYPE_AT_(out), order, in, n, count, out))
#define OPLUS_MERGE_MANY_PAIRS(dev, order, keys, out_keys, values, out_values, n, count)                               \
    (OPLUS_CHECK_KEYS_(out_keys), OPLUS_CHECK_ANY_(out_values),                                                        \
     oplus_merge_many_pairs(dev, OPLUS_TYPE_AT_(out_keys), order, keys, out_keys, OPLUS_TYPE_AT_(out_values), values,  \
                            out_values, n, count))
#define OPLUS_MERGE_MANY_BY(dev, less, in, n, count, out)                                                              \
    (OPLUS_CHECK_LESS_(less, out, out), OPLUS_CHECK_ANY_(out),                                                         \
     oplus_merge_many_by(dev, OPLUS_FN_AT_(less), in, n, count, out))
#define OPLUS_MERGE_PAIRS(dev, order, a_keys, b_keys, out_keys, a_values, b_values, out_values, a_n, b_n)              \
    (OPLUS_CHECK_KEYS_(out_keys), OPLUS_CHECK_SAME_(a_keys, out_keys), OPLUS_CHECK_SAME_(b_keys, out_keys),            \
     OPLUS_CHECK_ANY_(out_values), OPLUS_CHECK_SAME_(a_values, out_values), OPLUS_CHECK_SAME_(b_values, out_values),   \
     oplus_merge_pairs(dev, OPLUS_TYPE_AT_(out_keys), order, a_keys, b_keys, out_keys, OPLUS_TYPE_AT_(out_values),     \
                       a_values, b_values, out_values, a_n, b_n))
#define OPLUS_MERGE_BY(dev, less, a, a_n, b, b_n, out)                                                                 \
    (OPLUS_CHECK_LESS_(less, a, b), OPLUS_CHECK_ANY_(out), OPLUS_CHECK_SAME_(a, out),                                  \
     oplus_merge_by(dev, OPLUS_FN_AT_(less), a, a_n, b, b_n, out))

#define OPLUS_SORT_BY(dev, less, elements, n)                                                                          \
    (OPLUS_CHECK_LESS_(less, elements, elements), OPLUS_CHECK_ANY_(elements),                                          \
     oplus_sort_by(dev, OPLUS_FN_AT_(less), elements, n))
#define OPLUS_ARGSORT_BY(dev, less, elements, n, indices)                                                              \
    (OPLUS_CHECK_LESS_(less, elements, elements), OPLUS_CHECK_OFFSETS_(indices), OPLUS_CHECK_ANY_(indices),            \
     oplus_argsort_by(dev, OPLUS_FN_AT_(less), elements, n, OPLUS_TYPE_AT_(indices), indices))
#define OPLUS_SORT_BITS(dev, order, low, high, keys, n)                                                                \
    (OPLUS_CHECK_KEYS_(keys), oplus_sort_bits(dev, OPLUS_TYPE_AT_(keys), order, low, high, keys, n))
#define OPLUS_SORT_PAIRS_BITS(dev, order, low, high, keys, values, n)                                                  \
    (OPLUS_CHECK_KEYS_(keys), OPLUS_CHECK_ANY_(values),                                                                \
     oplus_sort_pairs_bits(dev, OPLUS_TYPE_AT_(keys), order, low, high, keys, OPLUS_TYPE_AT_(values), values, n))
#define OPLUS_SORT_MEMBERS(dev, members, count, elements, n)                                                           \
    (OPLUS_CHECK_ANY_(elements), oplus_sort_members(dev, OPLUS_TYPE_AT_(elements), members, count, elements, n))
#define OPLUS_ARGSORT_MEMBERS(dev, members, count, elements, n, indices)                                               \
    (OPLUS_CHECK_OFFSETS_(indices), OPLUS_CHECK_ANY_(indices),                                                         \
     oplus_argsort_members(dev, OPLUS_TYPE_AT_(elements), members, count, elements, n, OPLUS_TYPE_AT_(indices),        \
                           indices))
#define OPLUS_SEGSORT(dev, order, keys, n, offsets, segments)                                                          \
    (OPLUS_CHECK_KEYS_(keys), OPLUS_CHECK_OFFSETS_(offsets),                                                           \
     oplus_segsort(dev, OPLUS_TYPE_AT_(keys), order, keys, n, OPLUS_TYPE_AT_(offsets), offsets, segments))
#define OPLUS_SEGSORT_PAIRS(dev, order, keys, values, n, offsets, segments)                                            \
    (OPLUS_CHECK_KEYS_(keys), OPLUS_CHECK_ANY_(values), OPLUS_CHECK_OFFSETS_(offsets),                                 \
     oplus_segsort_pairs(dev, OPLUS_TYPE_AT_(keys), order, keys, OPLUS_TYPE_AT_(values), values, n,                    \
                         OPLUS_TYPE_AT_(offsets), offsets, segments))

#define OPLUS_PARTITION(dev, keep, in, n, out, rest, kept)                                                             \
    (OPLUS_CHECK_FN_(keep), OPLUS_CHECK_KEEP_(keep), OPLUS_CHECK_INPUTS_(keep, in), OPLUS_CHECK_KEPT_(in, out, kept),  \
     OPLUS_CHECK_KEPT_(in, rest, kept), oplus_partition(dev, OPLUS_FN_AT_(keep), in, n, out, rest, kept))
#define OPLUS_INDICES(dev, keep, in, n, out, kept)                                                                     \
    (OPLUS_CHECK_FN_(keep), OPLUS_CHECK_KEEP_(keep), OPLUS_CHECK_INPUTS_(keep, in), OPLUS_CHECK_OFFSETS_(out),         \
     OPLUS_CHECK_ANY_(out), OPLUS_CHECK_NUMBER_(kept),                                                                 \
     oplus_indices(dev, OPLUS_FN_AT_(keep), in, n, OPLUS_TYPE_AT_(out), out, kept))
#define OPLUS_FILTER_MASK(dev, kind, in, mask, n, out, kept)                                                           \
    (OPLUS_CHECK_ANY_(out), OPLUS_CHECK_SAME_(in, out), OPLUS_CHECK_MASK_(mask), OPLUS_CHECK_NUMBER_(kept),            \
     oplus_filter_mask(dev, OPLUS_TYPE_AT_(out), kind, in, mask, n, out, kept))
#define OPLUS_UNIQUE(dev, in, n, out, counts, firsts, inverse, runs)                                                   \
    (OPLUS_CHECK_ANY_(out), OPLUS_CHECK_SAME_(in, out), OPLUS_CHECK_OFFSETS_(counts), OPLUS_CHECK_ANY_(counts),        \
     OPLUS_CHECK_ANY_(firsts), OPLUS_CHECK_SAME_(firsts, counts), OPLUS_CHECK_ANY_(inverse),                           \
     OPLUS_CHECK_SAME_(inverse, counts), OPLUS_CHECK_NUMBER_(runs),                                                    \
     oplus_unique(dev, OPLUS_TYPE_AT_(out), NULL, in, n, out, OPLUS_TYPE_AT_(counts), counts, firsts, inverse, runs))
#define OPLUS_REDUCE_BY_KEY(dev, op, keys, values, n, out_keys, out, runs)                                             \
    (OPLUS_CHECK_OP_(op), OPLUS_CHECK_IN_(op, values), OPLUS_CHECK_OUT_(op, out), OPLUS_CHECK_ANY_(out_keys),          \
     OPLUS_CHECK_SAME_(keys, out_keys), OPLUS_CHECK_NUMBER_(runs),                                                     \
     oplus_reduce_by_key(dev, OPLUS_OP_AT_(op), OPLUS_TYPE_AT_(out_keys), NULL, keys, values, n, out_keys, out, runs))
#define OPLUS_SCAN_BY_KEY(dev, op, kind, keys, values, n, out)                                                         \
    (OPLUS_CHECK_OP_(op), OPLUS_CHECK_IN_(op, values), OPLUS_CHECK_OUT_(op, out),                                      \
     oplus_scan_by_key(dev, OPLUS_OP_AT_(op), kind, OPLUS_TYPE_AT_(keys), NULL, keys, values, n, out))
#define OPLUS_GROUP(dev, op, order, keys, values, n, out_keys, out, groups)                                            \
    (OPLUS_CHECK_OP_(op), OPLUS_CHECK_IN_(op, values), OPLUS_CHECK_OUT_(op, out), OPLUS_CHECK_KEYS_(out_keys),         \
     OPLUS_CHECK_SAME_(keys, out_keys), OPLUS_CHECK_NUMBER_(groups),                                                   \
     oplus_group(dev, OPLUS_OP_AT_(op), OPLUS_TYPE_AT_(out_keys), order, keys, values, n, out_keys, out, groups))
/** @} */

#endif
