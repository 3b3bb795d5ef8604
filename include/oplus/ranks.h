/* SPDX-License-Identifier: Apache-2.0 */
/** @file ranks.h
 *  The primitives over an array that is spread over the ranks of a cluster.
 *
 *  Rank 0 holds the first elements, rank 1 the next ones, and so on; each any number of them, 0 included.  Every call
 *  has the name of the one over an array of this process with _all behind it, and takes the transport after the
 *  device.  <oplus/mpi.h> makes a transport of an MPI communicator; oplus_run_ranks runs threads of this process as
 *  ranks.  oplus_map needs no transport: each rank maps what it holds.
 *
 *  On top of the conventions of oplus.h:
 *  - All ranks make the same calls in the same order, with the same operator, type, kind and order; a rank that makes
 *    another call than the others is OPLUS_ERR_ARGUMENT on all of them.
 *  - Results do not depend on the number of ranks, on where the array is cut, or on what device each rank computes:
 *    they have the bits of one call over the whole array.
 *  - A call returns on a rank when that rank's part is done.  If it fails on one rank, it fails on all of them, and
 *    oplus_last_error() says on which rank and why; where out is in, the input may
 *    already be overwritten on ranks that succeeded.  What cannot be told to the others - a rank that has ended, a
 *    network that has failed, no memory for the few bytes of that message - is left to the transport: with MPI the
 *    others may wait.
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

/** How ranks talk: filled in by oplus_mpi_comm or oplus_run_ranks, or by a transport of your own.
 *
 *  Each function is called by all ranks together and returns OPLUS_OK, or what oplus_comm_fail returns.  One thread at
 * a time of each rank uses a transport. */
typedef struct oplus_comm {
    unsigned abi;  /**< OPLUS_ABI */
    void *context; /**< of the functions below */
    int rank;      /**< of this process or thread, from 0 */
    int size;      /**< how many ranks there are */
    /** Whether the functions take addresses of CUDA memory; 0: the library brings it to the host and back. */
    int device_memory;
    /** Every rank gives `bytes` bytes (the same number) and gets those of all, in the order of the ranks. */
    oplus_status (*allgather)(void *context, const void *send, size_t bytes, void *recv);
    /** Every rank gives rank r the send_bytes[r] bytes at send + send_at[r], and gets recv_bytes[r] bytes of it at
     *  recv + recv_at[r].  Both ends know how many there are; where that is 0, nothing is sent. */
    oplus_status (*alltoallv)(void *context, const void *send, const size_t *send_bytes, const size_t *send_at,
                              void *recv, const size_t *recv_bytes, const size_t *recv_at);
} oplus_comm;

/** For transports: records `text`, say "MPI_Allgather: out of memory", for oplus_last_error; returns OPLUS_ERR_COMM. */
OPLUS_API oplus_status oplus_comm_fail(const char *text);

/** Runs `body` on so many threads of this process, which are ranks of a transport through their shared memory.
 *
 *  For tests, and for programs that run without MPI.  Each rank opens a device of its own ("serial" mostly).  Returns
 *  when all bodies have; a rank whose body returns while others wait for it makes their calls OPLUS_ERR_COMM.
 *  @param ranks    1 to 4096
 *  @param body     called once on each thread; comm lives until it returns
 *  @param context  given to every body
 *  @return OPLUS_OK; OPLUS_ERR_ARGUMENT; OPLUS_ERR_MEMORY: no memory, or no thread: no body has been called then. */
OPLUS_API oplus_status oplus_run_ranks(int ranks, void (*body)(const oplus_comm *comm, void *context), void *context);

/** How the elements of a result are laid out over the ranks. */
typedef enum oplus_layout {
    OPLUS_AS_GIVEN =
        0, /**< elements stay where they arise: a rank holds as many as it gave (sort), or as it kept (filter) */
    OPLUS_EVEN = 1 /**< every rank holds an equal block: N / p elements, the first N % p ranks one more */
} oplus_layout;

/* --- the primitives --------------------------------------------------------------------------------------------- */

/** Reduce of all elements of all ranks, to *out on every rank; as oplus_reduce. */
OPLUS_API oplus_status oplus_reduce_all(oplus_device *dev, const oplus_comm *comm, const oplus_op *op, const void *in,
                                        size_t n, void *out);

/** Fold of all elements of all ranks, to *out on every rank; as oplus_fold.  init is that of rank 0; the other ranks'
 *  is not read and may be NULL. */
OPLUS_API oplus_status oplus_fold_all(oplus_device *dev, const oplus_comm *comm, const oplus_op *op, const void *init,
                                      const void *in, size_t n, void *out);

/** Scan: out[i] includes all elements of earlier ranks; as oplus_scan.
 *
 *  Reads n elements twice, the second time while it writes: nothing can be written before all ranks have read. */
OPLUS_API oplus_status oplus_scan_all(oplus_device *dev, const oplus_comm *comm, const oplus_op *op, oplus_kind kind,
                                      const void *in, size_t n, void *out);

/** Segmented scan, of segments that may cross ranks; as oplus_segscan.  A segment starts at a head and at the first
 *  element of all, and goes on into the next rank until a head ends it. */
OPLUS_API oplus_status oplus_segscan_all(oplus_device *dev, const oplus_comm *comm, const oplus_op *op, oplus_kind kind,
                                         const void *in, const uint8_t *heads, size_t n, void *out);

/** Filter: the kept elements of all ranks, in order; as oplus_filter.
 *
 *  @param dev,comm  where this rank computes, and how ranks talk
 *  @param keep      a predicate
 *  @param layout    OPLUS_AS_GIVEN: each rank holds those that it kept; only failures are exchanged.  OPLUS_EVEN: each
 *                   rank holds an equal block; elements travel only between ranks that exchange some, and none twice.
 *  @param in,n      what this rank holds
 *  @param out       what it gets
 *  @param capacity  elements that out has room for; with too little, nothing is written and the message says how many
 *                   it takes
 *  @param kept      set to the number of elements that out holds; the host's */
OPLUS_API oplus_status oplus_filter_all(oplus_device *dev, const oplus_comm *comm, const oplus_fn *keep,
                                        oplus_layout layout, const void *in, size_t n, void *out, size_t capacity,
                                        size_t *kept);

/** Stable sort of all keys of all ranks, as oplus_sort; equal keys stay in the order of the ranks.
 *
 *  Each rank sorts what it holds; where the ranks' parts of the result begin is found exactly, whatever the keys are;
 *  each element travels at most once.
 *  @param dev,comm  where this rank computes, and how ranks talk
 *  @param key       a scalar
 *  @param order     ascending or descending
 *  @param layout    OPLUS_AS_GIVEN: each rank gets as many as it gave; OPLUS_EVEN: each rank gets an equal block
 *  @param keys      in place
 *  @param n         elements; set to how many there are on return
 *  @param capacity  elements that keys has room for, *n or more */
OPLUS_API oplus_status oplus_sort_all(oplus_device *dev, const oplus_comm *comm, const oplus_type *key,
                                      oplus_order order, oplus_layout layout, void *keys, size_t *n, size_t capacity);

/** The same, carrying along a value of any size each; as oplus_sort_pairs.  Both arrays have room for `capacity`. */
OPLUS_API oplus_status oplus_sort_pairs_all(oplus_device *dev, const oplus_comm *comm, const oplus_type *key,
                                            oplus_order order, oplus_layout layout, void *keys, const oplus_type *value,
                                            void *values, size_t *n, size_t capacity);

/** Transpose of a row-major rows x cols matrix, spread element by element over the ranks; as oplus_transpose.
 *
 *  @param dev,comm   where this rank computes, and how ranks talk
 *  @param type       of an element
 *  @param in,n       the elements of the matrix that this rank holds; the ranks' n are rows * cols together
 *  @param rows,cols  of the whole matrix
 *  @param out,m      the elements of the result that this rank gets, apart from in; the ranks' m are rows * cols
 *                    together.  Cuts may fall inside a row. */
OPLUS_API oplus_status oplus_transpose_all(oplus_device *dev, const oplus_comm *comm, const oplus_type *type,
                                           const void *in, size_t n, size_t rows, size_t cols, void *out, size_t m);

/* --- the same with their types checked (typed.h) ------------------------------------------------------------------ */

/** @{ @brief As the call of that name, with the changes that typed.h describes. */
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
#define OPLUS_TRANSPOSE_ALL(dev, comm, in, n, rows, cols, out, m)                                                      \
    (OPLUS_CHECK_ANY_(out), OPLUS_CHECK_SAME_(in, out),                                                                \
     oplus_transpose_all(dev, comm, OPLUS_TYPE_AT_(out), in, n, rows, cols, out, m))
/** @} */

#ifdef __cplusplus
}
#endif
#endif
