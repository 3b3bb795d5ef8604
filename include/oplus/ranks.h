/* SPDX-License-Identifier: Apache-2.0 */
/** @file ranks.h
 *  The primitives over an array that is distributed over the ranks of a cluster.
 *
 *  Rank 0 holds the first elements, rank 1 the next ones, and so on; each holds any number of them, also 0.  Every
 *  call has the name of the call over an array of this process, with _all appended, and takes the transport after the
 *  device.  <oplus/mpi.h> makes a transport of an MPI communicator; oplus_run_ranks runs threads of this process as
 *  ranks.  oplus_map needs no transport: each rank maps the elements that it holds.
 *
 *  In addition to the conventions of oplus.h:
 *  - All ranks make the same calls in the same order, with the same operator, type, kind and order; if one rank makes
 *    another call than the others, all of them return OPLUS_ERR_ARGUMENT.
 *  - Results do not depend on the number of ranks, on where the array is cut, or on what device each rank computes:
 *    they have the bits of one call over the whole array.
 *  - A call returns on a rank when that rank's part is done.  If it fails on one rank, it fails on all of them, and
 *    oplus_last_error() says on which rank and why; if out is in, ranks that had finished may have overwritten their
 *    input.  A rank cannot always tell the others: it may have ended, the network may have failed, or memory may be
 *    too short for this message of a few bytes.  Then the transport decides what happens: with MPI the others may
 *    wait.
 *  - Counts and indices of the whole array must be below 2^63.
 *
 *  p is the number of ranks, N the number of elements of all ranks together.  docs/ranks.md has the cost of each call:
 *  how many exchanges, and how many bytes. */
#ifndef OPLUS_RANKS_H
#define OPLUS_RANKS_H

#include <oplus/oplus.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- the transport ---------------------------------------------------------------------------------------------- */

/** A transport: how ranks exchange bytes.  oplus_mpi_comm or oplus_run_ranks fills it in, or a transport of your own.
 *
 *  All ranks call each function together.  The function returns OPLUS_OK, or what oplus_comm_fail returns.  On each
 *  rank only one thread at a time uses the transport. */
typedef struct oplus_comm {
    unsigned abi;  /**< OPLUS_ABI */
    void *context; /**< first argument of the functions allgather and alltoallv */
    int rank;      /**< number of this rank, from 0 */
    int size;      /**< number of ranks */
    /** 1: the functions take addresses of CUDA memory.  0: they do not, and the library copies such arrays to the host
     *  and back. */
    int device_memory;
    /** Every rank gives `bytes` bytes, the same number on all, and gets the bytes of all ranks in recv, in the order
     *  of the ranks. */
    oplus_status (*allgather)(void *context, const void *send, size_t bytes, void *recv);
    /** Every rank sends rank r the send_bytes[r] bytes at send + send_at[r], and receives from rank r recv_bytes[r]
     *  bytes at recv + recv_at[r].  Sender and receiver know the same number; if it is 0, nothing is sent. */
    oplus_status (*alltoallv)(void *context, const void *send, const size_t *send_bytes, const size_t *send_at,
                              void *recv, const size_t *recv_bytes, const size_t *recv_at);
} oplus_comm;

/** For transports: records `text`, such as "MPI_Allgather: out of memory", for oplus_last_error.
 *
 *  @return OPLUS_ERR_COMM, which the function of the transport returns in turn. */
OPLUS_API oplus_status oplus_comm_fail(const char *text);

/** Runs `body` on several threads of this process, each of which is a rank; their transport uses shared memory.
 *
 *  This is for tests, and for programs that run without MPI.  Each rank opens a device of its own (mostly "serial").
 *  The call returns when every body has returned.  If a body returns while other ranks wait for it, their calls return
 *  OPLUS_ERR_COMM.
 *  @param ranks    number of ranks, 1 to 4096
 *  @param body     function that each thread calls once; comm lives until it returns
 *  @param context  argument for every call of body
 *  @return OPLUS_OK; OPLUS_ERR_ARGUMENT; OPLUS_ERR_MEMORY: memory or threads are too few, and no body was called. */
OPLUS_API oplus_status oplus_run_ranks(int ranks, void (*body)(const oplus_comm *comm, void *context), void *context);

/** How the elements of a result are distributed over the ranks. */
typedef enum oplus_layout {
    /** Each rank gets as many elements as it gave (sort), or as it kept (filter). */
    OPLUS_AS_GIVEN = 0,
    /** Every rank gets an equal block: N / p elements, and the first N % p ranks one more. */
    OPLUS_EVEN = 1
} oplus_layout;

/* --- the primitives --------------------------------------------------------------------------------------------- */

/** Reduce of the n elements of each rank, over all ranks; *out is the result on every rank.  As oplus_reduce. */
OPLUS_API oplus_status oplus_reduce_all(oplus_device *dev, const oplus_comm *comm, const oplus_op *op, const void *in,
                                        size_t n, void *out);

/** Fold of the n elements of each rank, over all ranks; *out is the result on every rank.  As oplus_fold.
 *
 *  The value in front is *init of rank 0; init of other ranks is not read and may be NULL. */
OPLUS_API oplus_status oplus_fold_all(oplus_device *dev, const oplus_comm *comm, const oplus_op *op, const void *init,
                                      const void *in, size_t n, void *out);

/** Scan over all ranks: out[i] contains all elements of earlier ranks.  As oplus_scan.
 *
 *  Reads n elements twice, the second time while it writes: nothing can be written before all ranks have read. */
OPLUS_API oplus_status oplus_scan_all(oplus_device *dev, const oplus_comm *comm, const oplus_op *op, oplus_kind kind,
                                      const void *in, size_t n, void *out);

/** Segmented scan over all ranks.  As oplus_segscan.
 *
 *  A segment starts at each head and at the first element of rank 0; it continues on the next rank until a head there
 *  ends it. */
OPLUS_API oplus_status oplus_segscan_all(oplus_device *dev, const oplus_comm *comm, const oplus_op *op, oplus_kind kind,
                                         const void *in, const uint8_t *heads, size_t n, void *out);

/** Filter over all ranks: the kept elements of all ranks, in order.  As oplus_filter.
 *
 *  @param dev,comm  the device of this rank, and the transport
 *  @param keep      a predicate
 *  @param layout    OPLUS_AS_GIVEN: each rank gets the elements that it kept; only failures are exchanged.
 *                   OPLUS_EVEN: each rank gets an equal block; an element is sent at most once, straight to the rank
 *                   that gets it
 *  @param in,n      the elements of this rank, and their number
 *  @param out       the elements of the result that this rank gets
 *  @param capacity  number of elements that out has room for; if that is too few, nothing is written and the message
 *                   says how many are needed
 *  @param kept      set to the number of elements in out; in host memory */
OPLUS_API oplus_status oplus_filter_all(oplus_device *dev, const oplus_comm *comm, const oplus_fn *keep,
                                        oplus_layout layout, const void *in, size_t n, void *out, size_t capacity,
                                        size_t *kept);

/** Stable sort of the keys of all ranks, in place; equal keys stay in the order of the ranks.  As oplus_sort.
 *
 *  Each rank sorts its keys; then all ranks find exactly where each rank's part of the result begins, whatever the
 *  keys are; each key is sent at most once.
 *  @param dev,comm  the device of this rank, and the transport
 *  @param key       type of a key, a scalar
 *  @param order     ascending or descending
 *  @param layout    OPLUS_AS_GIVEN: each rank gets as many keys as it gave; OPLUS_EVEN: each rank gets an equal block
 *  @param keys      the keys of this rank; on return, its part of the result
 *  @param n         *n is the number of keys of this rank; on return, of its part of the result
 *  @param capacity  number of keys that `keys` has room for, *n or more */
OPLUS_API oplus_status oplus_sort_all(oplus_device *dev, const oplus_comm *comm, const oplus_type *key,
                                      oplus_order order, oplus_layout layout, void *keys, size_t *n, size_t capacity);

/** As oplus_sort_all, with one value of any size for each key: values move with their keys, as in oplus_sort_pairs.
 *  keys and values both have room for `capacity` elements. */
OPLUS_API oplus_status oplus_sort_pairs_all(oplus_device *dev, const oplus_comm *comm, const oplus_type *key,
                                            oplus_order order, oplus_layout layout, void *keys, const oplus_type *value,
                                            void *values, size_t *n, size_t capacity);

/** Reduce by key over all ranks: for each run of equal neighbouring keys of all ranks the key and the reduce of its
 *  values.  As oplus_reduce_by_key.
 *
 *  A run may span several ranks, or all of them.  The rank where it begins makes its result, which has the bits of
 *  oplus_reduce of the whole run.  Other ranks tell it at most 2 log2 N nodes of their parts, not their elements.  Keys of
 *  the first run and of the last one on each rank are read a second time.  If a rank's capacity is less than its n, or the
 *  layout OPLUS_EVEN, all keys are read once more, to count the runs.  A rank needs the memory that oplus_reduce_by_key
 *  needs; if the layout is OPLUS_EVEN, also that of its results.
 *
 *  @param dev,comm     the device of this rank, and the transport
 *  @param op           the operator
 *  @param key          type of a key
 *  @param same         a function of two keys, with a result of type uint8_t; NULL: keys are compared by their bits
 *  @param layout       OPLUS_AS_GIVEN: each rank gets the runs that begin on it.  OPLUS_EVEN: each rank gets an equal block
 *                      of all runs; a result is sent at most once, straight to the rank that gets it
 *  @param keys,values  the keys and values of this rank
 *  @param n            how many keys and how many values it has
 *  @param out_keys     the first key of each run that this rank gets.  NULL on all ranks: keys are not wanted
 *  @param out          the results of these runs
 *  @param capacity     number of results that out_keys and out have room for: at most n are needed as given.  If that is
 *                      too few, nothing is written on any rank, and the message says how many are needed
 *  @param runs         set to the number of results of this rank; in host memory
 *  @return what oplus_reduce_by_key returns, or OPLUS_ERR_COMM: OPLUS_OK on all ranks or on none. */
OPLUS_API oplus_status oplus_reduce_by_key_all(oplus_device *dev, const oplus_comm *comm, const oplus_op *op,
                                               const oplus_type *key, const oplus_fn *same, oplus_layout layout,
                                               const void *keys, const void *values, size_t n, void *out_keys,
                                               void *out, size_t capacity, size_t *runs);

/** Scan by key over all ranks: a scan of the values that begins anew with each run of equal neighbouring keys, and goes on
 *  where a run goes on on the next rank.  As oplus_scan_by_key, with the bits of oplus_segscan_all.
 *
 *  Reads keys once and values twice, the second time while it writes. */
OPLUS_API oplus_status oplus_scan_by_key_all(oplus_device *dev, const oplus_comm *comm, const oplus_op *op,
                                             oplus_kind kind, const oplus_type *key, const oplus_fn *same,
                                             const void *keys, const void *values, size_t n, void *out);

/** Unique over all ranks: each run of equal neighbours of all ranks once, how long it is, where it begins, and which run
 *  each element is in.  As oplus_unique.
 *
 *  A run may span several ranks; the rank where it begins makes its results.  Reads the elements once, those of the first
 *  run and of the last one on each rank a second time, and all of them once more if inverse is wanted, if a rank's capacity
 *  is less than its n or if the layout is OPLUS_EVEN.  Each output but `runs` may be NULL, on all ranks.
 *
 *  @param dev,comm  the device of this rank, and the transport
 *  @param type      the type of an element
 *  @param same      a function of two elements, with a result of type uint8_t; NULL: they are compared by their bits
 *  @param layout    OPLUS_AS_GIVEN: each rank gets the runs that begin on it; OPLUS_EVEN: an equal block of all runs
 *  @param in,n      the elements of this rank, and their number
 *  @param out       the first element of each run that this rank gets
 *  @param index     the type of counts, firsts and inverse, the same on all ranks: &oplus_u32, &oplus_u64, &oplus_i32 or
 *                   &oplus_i64, and can hold the number of elements of all ranks.  NULL on all ranks, if these are NULL
 *  @param counts    the number of elements of each of these runs, on all ranks together
 *  @param firsts    the index of the first element of each of these runs, in the whole array
 *  @param capacity  number of runs that out, counts and firsts have room for: at most n are needed as given.  If that is too
 *                   few, nothing is written on any rank, and the message says how many are needed.  Ignored if all three
 *                   are NULL on all ranks
 *  @param inverse   n numbers: the number of the run that each element of this rank is in, counted from 0 over all ranks
 *  @param runs      set to the number of runs that this rank gets; in host memory
 *  @return what oplus_unique returns, or OPLUS_ERR_COMM: OPLUS_OK on all ranks or on none. */
OPLUS_API oplus_status oplus_unique_all(oplus_device *dev, const oplus_comm *comm, const oplus_type *type,
                                        const oplus_fn *same, oplus_layout layout, const void *in, size_t n, void *out,
                                        const oplus_type *index, void *counts, void *firsts, size_t capacity,
                                        void *inverse, size_t *runs);

/** Group by key over all ranks, for keys in any order: each key of all ranks once, in the order of a sort, and the reduce
 *  of its values in the order of the ranks.  As oplus_group.
 *
 *  It sorts copies of keys and values as oplus_sort_pairs_all does, then reduces by key as oplus_reduce_by_key_all, and
 *  needs the memory of both, and that of the copies.
 *
 *  @param dev,comm     the device of this rank, and the transport
 *  @param op           the operator
 *  @param key          type of a key: a type that oplus_sort takes
 *  @param order        OPLUS_ASCENDING or OPLUS_DESCENDING: the order of the groups
 *  @param layout       OPLUS_AS_GIVEN: each rank gets the groups whose first pair comes to it when as many pairs as it gave
 *                      are sorted to each rank.  OPLUS_EVEN: each rank gets an equal block of all groups
 *  @param keys,values  the keys and values of this rank, which stay as they are
 *  @param n            how many keys and how many values it has
 *  @param out_keys     the key of each group that this rank gets.  NULL on all ranks: keys are not wanted
 *  @param out          the results of these groups
 *  @param capacity     number of results that out_keys and out have room for: at most n are needed as given.  If that is
 *                      too few, nothing is written on any rank, and the message says how many are needed
 *  @param groups       set to the number of results of this rank; in host memory
 *  @return what oplus_group returns, or OPLUS_ERR_COMM: OPLUS_OK on all ranks or on none. */
OPLUS_API oplus_status oplus_group_all(oplus_device *dev, const oplus_comm *comm, const oplus_op *op,
                                       const oplus_type *key, oplus_order order, oplus_layout layout, const void *keys,
                                       const void *values, size_t n, void *out_keys, void *out, size_t capacity,
                                       size_t *groups);

/** Transpose of a row-major rows x cols matrix whose elements are distributed over the ranks.  As oplus_transpose.
 *
 *  The elements of a rank may begin and end inside a row.
 *  @param dev,comm   the device of this rank, and the transport
 *  @param type       type of an element
 *  @param in,n       the elements of the matrix that this rank holds, and their number; all n add up to rows * cols
 *  @param rows,cols  size of the whole matrix
 *  @param out,m      the elements of the result that this rank gets, and their number; all m add up to rows * cols.
 *                    out must not overlap in */
OPLUS_API oplus_status oplus_transpose_all(oplus_device *dev, const oplus_comm *comm, const oplus_type *type,
                                           const void *in, size_t n, size_t rows, size_t cols, void *out, size_t m);

/** Top of the keys of all ranks: the k that come first in the order, sorted, and where they are.  As oplus_top.
 *
 *  Each rank finds the k first of its own; all ranks exchange these, so that k should be small.  Every rank gets the result, in
 *  host memory.
 *  @param dev,comm  the device of this rank, and the transport
 *  @param key       type of a key, a scalar; the same on all ranks
 *  @param order     OPLUS_DESCENDING for the largest keys, OPLUS_ASCENDING for the smallest ones; the same on all ranks
 *  @param keys,n    the keys of this rank, and their number
 *  @param k         how many are wanted: at most as many as there are on all ranks; the same on all ranks
 *  @param out       room for k keys; must not overlap the keys.  NULL: only the indices are wanted
 *  @param indices   room for k indices, which count the keys of all ranks in their order; must not overlap the keys or out.
 *                   NULL: only the keys are wanted
 *  @return OPLUS_OK; OPLUS_ERR_ARGUMENT; OPLUS_ERR_MEMORY; OPLUS_ERR_COMM; OPLUS_ERR_DEVICE: the same on all ranks */
OPLUS_API oplus_status oplus_top_all(oplus_device *dev, const oplus_comm *comm, const oplus_type *key,
                                     oplus_order order, const void *keys, size_t n, size_t k, void *out,
                                     uint64_t *indices);

/** @{ @brief As the call of the same name in bins.h, for the elements of each rank, over all ranks: the number in each bin.
 *  Every rank gets all counts, in its own array, of the host or of its device.
 *
 *  Each rank counts its own elements; the counts travel, the elements do not.  Bounds, the number of bins, where they are, and
 *  the types are the same on all ranks; edges have the same bits.  Beside its arrays, and what the call of bins.h needs, a
 *  rank needs 24 bytes for each bin.
 *  @return what the call of bins.h returns, or OPLUS_ERR_COMM: OPLUS_OK on all ranks or on none.  OPLUS_ERR_ARGUMENT also if
 *          `counter` cannot hold the number of elements of all ranks */
OPLUS_API oplus_status oplus_count_by_index_all(oplus_device *dev, const oplus_comm *comm, oplus_bounds bounds,
                                                const oplus_type *index, const void *indices, size_t count,
                                                const oplus_type *counter, void *counts, size_t n);
OPLUS_API oplus_status oplus_histogram_all(oplus_device *dev, const oplus_comm *comm, const oplus_type *type,
                                           const void *in, size_t n, double low, double high, const oplus_type *counter,
                                           void *counts, size_t bins);
OPLUS_API oplus_status oplus_histogram_edges_all(oplus_device *dev, const oplus_comm *comm, const oplus_type *type,
                                                 const void *in, size_t n, const void *edges, const oplus_type *counter,
                                                 void *counts, size_t bins);
/** @} */

/** @{ @brief As the call of the same name in statistics.h, for the n elements of each rank, over all ranks.  Some rank
 *  has at least one element; indices count the elements of all ranks in their order.  Every rank gets the result, in
 *  host memory. */
OPLUS_API oplus_status oplus_argmin_all(oplus_device *dev, const oplus_comm *comm, const oplus_type *type,
                                        const void *in, size_t n, size_t *at);
OPLUS_API oplus_status oplus_argmax_all(oplus_device *dev, const oplus_comm *comm, const oplus_type *type,
                                        const void *in, size_t n, size_t *at);
OPLUS_API oplus_status oplus_minmax_all(oplus_device *dev, const oplus_comm *comm, const oplus_type *type,
                                        const void *in, size_t n, void *out);
/** @} */

/** @{ @brief As the call of the same name in moments.h, for the n elements of each rank, over all ranks: together they
 *  have more than ddof elements, and at least one.  Every rank gets the result, in host memory. */
OPLUS_API oplus_status oplus_mean_all(oplus_device *dev, const oplus_comm *comm, const oplus_type *type, const void *in,
                                      size_t n, double *mean);
OPLUS_API oplus_status oplus_variance_all(oplus_device *dev, const oplus_comm *comm, const oplus_type *type,
                                          unsigned ddof, const void *in, size_t n, double *variance);
/** @} */

/* --- the same with their types checked (typed.h) ------------------------------------------------------------------ */

/** @{ @brief As the function of the same name in lower case, with types checked and the arguments changed as typed.h
 *  describes. */
#define OPLUS_REDUCE_ALL(dev, comm, op, in, n, out)                                                                    \
    (OPLUS_CHECK_OP_(op), OPLUS_CHECK_IN_(op, in), OPLUS_CHECK_OUT_(op, out),                                          \
     oplus_reduce_all(dev, comm, OPLUS_OP_AT_(op), in, n, out))
#define OPLUS_FOLD_ALL(dev, comm, op, init, in, n, out)                                                                \
    (OPLUS_CHECK_OP_(op), OPLUS_CHECK_IN_(op, init), OPLUS_CHECK_IN_(op, in), OPLUS_CHECK_OUT_(op, out),               \
     oplus_fold_all(dev, comm, OPLUS_OP_AT_(op), init, in, n, out))
#define OPLUS_SCAN_ALL(dev, comm, op, kind, in, n, out)                                                                \
    (OPLUS_CHECK_OP_(op), OPLUS_CHECK_IN_(op, in), OPLUS_CHECK_OUT_(op, out),                                          \
     oplus_scan_all(dev, comm, OPLUS_OP_AT_(op), kind, in, n, out))
#define OPLUS_SEGSCAN_ALL(dev, comm, op, kind, in, heads, n, out)                                                      \
    (OPLUS_CHECK_OP_(op), OPLUS_CHECK_IN_(op, in), OPLUS_CHECK_HEADS_(heads), OPLUS_CHECK_OUT_(op, out),               \
     oplus_segscan_all(dev, comm, OPLUS_OP_AT_(op), kind, in, (const uint8_t *)(heads), n, out))
#define OPLUS_FILTER_ALL(dev, comm, keep, layout, in, n, out, capacity, kept)                                          \
    (OPLUS_CHECK_FN_(keep), OPLUS_CHECK_KEEP_(keep), OPLUS_CHECK_INPUTS_(keep, in), OPLUS_CHECK_KEPT_(in, out, kept),  \
     oplus_filter_all(dev, comm, OPLUS_FN_AT_(keep), layout, in, n, out, capacity, kept))
#define OPLUS_SORT_ALL(dev, comm, order, layout, keys, n, capacity)                                                    \
    (OPLUS_CHECK_KEYS_(keys), oplus_sort_all(dev, comm, OPLUS_TYPE_AT_(keys), order, layout, keys, n, capacity))
#define OPLUS_SORT_PAIRS_ALL(dev, comm, order, layout, keys, values, n, capacity)                                      \
    (OPLUS_CHECK_KEYS_(keys), OPLUS_CHECK_ANY_(values),                                                                \
     oplus_sort_pairs_all(dev, comm, OPLUS_TYPE_AT_(keys), order, layout, keys, OPLUS_TYPE_AT_(values), values, n,     \
                          capacity))
#define OPLUS_REDUCE_BY_KEY_ALL(dev, comm, op, layout, keys, values, n, out_keys, out, capacity, runs)                 \
    (OPLUS_CHECK_OP_(op), OPLUS_CHECK_IN_(op, values), OPLUS_CHECK_OUT_(op, out), OPLUS_CHECK_ANY_(out_keys),          \
     OPLUS_CHECK_SAME_(keys, out_keys), OPLUS_CHECK_NUMBER_(runs),                                                     \
     oplus_reduce_by_key_all(dev, comm, OPLUS_OP_AT_(op), OPLUS_TYPE_AT_(out_keys), NULL, layout, keys, values, n,     \
                             out_keys, out, capacity, runs))
#define OPLUS_SCAN_BY_KEY_ALL(dev, comm, op, kind, keys, values, n, out)                                               \
    (OPLUS_CHECK_OP_(op), OPLUS_CHECK_IN_(op, values), OPLUS_CHECK_OUT_(op, out),                                      \
     oplus_scan_by_key_all(dev, comm, OPLUS_OP_AT_(op), kind, OPLUS_TYPE_AT_(keys), NULL, keys, values, n, out))
#define OPLUS_UNIQUE_ALL(dev, comm, layout, in, n, out, counts, firsts, capacity, inverse, runs)                       \
    (OPLUS_CHECK_ANY_(out), OPLUS_CHECK_SAME_(in, out), OPLUS_CHECK_OFFSETS_(counts), OPLUS_CHECK_ANY_(counts),        \
     OPLUS_CHECK_ANY_(firsts), OPLUS_CHECK_SAME_(firsts, counts), OPLUS_CHECK_ANY_(inverse),                           \
     OPLUS_CHECK_SAME_(inverse, counts), OPLUS_CHECK_NUMBER_(runs),                                                    \
     oplus_unique_all(dev, comm, OPLUS_TYPE_AT_(out), NULL, layout, in, n, out, OPLUS_TYPE_AT_(counts), counts,        \
                      firsts, capacity, inverse, runs))
#define OPLUS_GROUP_ALL(dev, comm, op, order, layout, keys, values, n, out_keys, out, capacity, groups)                \
    (OPLUS_CHECK_OP_(op), OPLUS_CHECK_IN_(op, values), OPLUS_CHECK_OUT_(op, out), OPLUS_CHECK_KEYS_(out_keys),         \
     OPLUS_CHECK_SAME_(keys, out_keys), OPLUS_CHECK_NUMBER_(groups),                                                   \
     oplus_group_all(dev, comm, OPLUS_OP_AT_(op), OPLUS_TYPE_AT_(out_keys), order, layout, keys, values, n, out_keys,  \
                     out, capacity, groups))
#define OPLUS_COUNT_BY_INDEX_ALL(dev, comm, bounds, indices, count, counts, n)                                         \
    (OPLUS_CHECK_SCALARS_(indices), OPLUS_CHECK_ANY_(counts), OPLUS_CHECK_OFFSETS_(counts),                            \
     oplus_count_by_index_all(dev, comm, bounds, OPLUS_TYPE_AT_(indices), indices, count, OPLUS_TYPE_AT_(counts),      \
                              counts, n))
#define OPLUS_HISTOGRAM_ALL(dev, comm, in, n, low, high, counts, bins)                                                 \
    (OPLUS_CHECK_SCALARS_(in), OPLUS_CHECK_ANY_(counts), OPLUS_CHECK_OFFSETS_(counts),                                 \
     oplus_histogram_all(dev, comm, OPLUS_TYPE_AT_(in), in, n, low, high, OPLUS_TYPE_AT_(counts), counts, bins))
#define OPLUS_HISTOGRAM_EDGES_ALL(dev, comm, in, n, edges, counts, bins)                                               \
    (OPLUS_CHECK_SCALARS_(in), OPLUS_CHECK_SAME_(edges, in), OPLUS_CHECK_ANY_(counts), OPLUS_CHECK_OFFSETS_(counts),   \
     oplus_histogram_edges_all(dev, comm, OPLUS_TYPE_AT_(in), in, n, edges, OPLUS_TYPE_AT_(counts), counts, bins))
#define OPLUS_TRANSPOSE_ALL(dev, comm, in, n, rows, cols, out, m)                                                      \
    (OPLUS_CHECK_ANY_(out), OPLUS_CHECK_SAME_(in, out),                                                                \
     oplus_transpose_all(dev, comm, OPLUS_TYPE_AT_(out), in, n, rows, cols, out, m))
/** @} */

#ifdef __cplusplus
}
#endif
#endif
