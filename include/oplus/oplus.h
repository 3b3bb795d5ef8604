/* SPDX-License-Identifier: Apache-2.0 */
/** @file oplus.h
 *  Data-parallel primitives over any associative operator and any plain C type.
 *
 *  Conventions, stated once:
 *  - Arguments come in the order device, operator or type, options, input and its extent, output.
 *  - Every call that can fail returns an oplus_status; oplus_last_error() says in words what was wrong, with which
 *    argument, and what to do.  The library never prints and never exits.  After a failed call the inputs are intact;
 *    the contents of an output, and of an array that is input and output, are unspecified.
 *  - n is a number of elements and may be 0.  `in == out` is allowed unless a call says otherwise; partial overlap is
 *    OPLUS_ERR_OVERLAP.
 *  - Memory belongs to the caller; the library keeps no pointer to it after oplus_sync.
 *  - Arrays are aligned to their type.
 *  - Only one thread at a time may use a device handle, or a carry; different handles are independent.
 *  - A call reads descriptors (oplus_op, oplus_fn, oplus_type) only until it returns; oplus_carry_open is the
 *    exception.
 *  - In `a (+) b`, a is always the earlier element: only associativity is assumed, never commutativity.
 *  - Results have the same bits on every device and number of threads (docs/tree-v1.md).
 *
 *  Sections: 1. errors  2. devices and memory  3. primitives  4. streams  5. checks.  This header includes more
 *  primitives: elements.h (take, put, repeat), bins.h (reduce by index, histograms), fused.h (a function before or after a
 *  primitive), order.h (argsort, top, nth, search, merge), sorts.h (sort by a function, segmented sort), runs.h (partition,
 *  indices, filter by a mask, unique, reduce and scan by key, group), statistics.h (argmin, argmax, minmax), moments.h
 *  (mean, variance), axis.h (reduces, scans, extremes and sorts along an axis), windows.h (running windows, functions of
 *  neighbours, scans from the end) and sequences.h (numbers at equal distances).  It also includes text.h (types,
 *  operators and functions given as text), info.h (the devices, and the cache) and typed.h (the calls with their types
 *  checked by the compiler). */
#ifndef OPLUS_OPLUS_H
#define OPLUS_OPLUS_H

#include <oplus/op.h>
#include <oplus/ops.h>

/** @{ @brief The version of these headers; see oplus_version for the library's. */
#define OPLUS_VERSION_MAJOR 0
#define OPLUS_VERSION_MINOR 1
#define OPLUS_VERSION_PATCH 0
/** @} */

#ifdef __cplusplus
extern "C" {
#endif

/* --- 1. errors ------------------------------------------------------------------------------------------------ */

/** X(name, meaning) for every status. */
#define OPLUS_STATUS_TABLE(X)                                                                                          \
    X(OPLUS_OK, "success")                                                                                             \
    X(OPLUS_ERR_ARGUMENT, "an argument is not valid")                                                                  \
    X(OPLUS_ERR_OVERLAP, "input and output overlap in part")                                                           \
    X(OPLUS_ERR_MEMORY, "out of memory")                                                                               \
    X(OPLUS_ERR_DEVICE, "the device is absent or failed")                                                              \
    X(OPLUS_ERR_COMPILE, "an operator's text did not compile")                                                         \
    X(OPLUS_ERR_UNSUPPORTED, "the device cannot do this")                                                              \
    X(OPLUS_ERR_COMM, "communication between ranks failed")                                                            \
    X(OPLUS_ERR_IO, "reading or writing a file failed")                                                                \
    X(OPLUS_ERR_INTERNAL, "a defect of oplus itself; please report it")

/** What a call returns: one of the names in OPLUS_STATUS_TABLE.  OPLUS_OK is 0. */
typedef enum oplus_status {
#define OPLUS_STATUS_NAME_(name, text) name,
    OPLUS_STATUS_TABLE(OPLUS_STATUS_NAME_)
#undef OPLUS_STATUS_NAME_
} oplus_status;

/** Returns what a status means, in a few words; never NULL.  The string lives as long as the program. */
OPLUS_API const char *oplus_status_string(oplus_status status);

/** Returns the last failure of a call on this thread in words: which argument, its value, what to do; "" if no call
 *  has failed.  The string is valid until the next call on this thread that fails. */
OPLUS_API const char *oplus_last_error(void);

/** Returns the version of the library, "0.1.0"; the string lives as long as the program. */
OPLUS_API const char *oplus_version(void);

/* --- 2. devices and memory ------------------------------------------------------------------------------------ */

/** A device: one place to compute, with an in-order queue and scratch memory. */
typedef struct oplus_device oplus_device;

/** Opens a device.
 *
 *  @param where  "serial": this thread.  "threads": as many threads as OMP_NUM_THREADS says, else one for each core
 *                that the affinity mask and the quota of the control group give this process (1.5 cores: two threads).
 *                "threads:8": eight threads.  "openmp", "openmp:8": the same with OpenMP's threads, for a program that
 *                has them anyway; beside other busy programs they are far slower.
 *                "gpu": the first GPU of CUDA, or else of OpenCL.
 *                "cuda:0", "cuda": a CUDA device.  "cuda:0-3", "cuda:0,2", "cuda:*": several of one host as one, up to
 *                8, which must reach each other's memory.  "opencl:0", "opencl:gpu", "opencl:cpu", "opencl": an OpenCL device.
 *                "auto" or NULL: each call runs on threads, or on an accelerator that gives the same bits.  Where the
 *                arrays lie decides; for arrays in host memory their size and measured times decide (oplus_auto says
 *                in words what is taken).
 *  @param dev    set to the device; close it with oplus_close.
 *
 *  Threads belong to the handle: the first call that is large enough starts them, oplus_close ends them.  Between
 *  calls they sleep.  The calling thread works too, and does not wait for a thread that has no core to run on.  Where
 *  threads cannot start, as under `ulimit -u` or the limit of a container, calls use fewer.  No more threads take part
 *  in a call than there are processors for this process at that time, however many were asked for; results do not
 *  depend on it.  OPLUS_ALL_THREADS=1 in the environment, for tests, lifts this limit.  Inside an OpenMP parallel
 *  region a call runs on the calling thread alone.  After fork() the child's calls start threads of their own.
 *  OPLUS_ISA=baseline|avx2|avx512|neon in the environment forces the instruction set of the library's own loops.
 *  @return OPLUS_OK; OPLUS_ERR_ARGUMENT: the number of threads, or OPLUS_ISA, is not valid; OPLUS_ERR_DEVICE: there is
 *          no such device; OPLUS_ERR_UNSUPPORTED: this processor lacks the instruction set in OPLUS_ISA;
 *          OPLUS_ERR_MEMORY. */
OPLUS_API oplus_status oplus_open(const char *where, oplus_device **dev);

/** Opens an accelerator on a queue that the caller has made: calls enqueue their work there, in order with the
 *  caller's work.
 *
 *  @param where  "cuda" or "opencl"
 *  @param queue  with "cuda", a CUstream (cudaStream_t), whose context is used; with "opencl", an in-order
 *                cl_command_queue, whose device and context are used.  The caller keeps it until after oplus_close.
 *  @param dev    as in oplus_open */
OPLUS_API oplus_status oplus_open_on(const char *where, void *queue, oplus_device **dev);

/** Closes a device and frees its scratch memory.  NULL is allowed. */
OPLUS_API void oplus_close(oplus_device *dev);

/** Makes later calls on a device explain what they would do, and not do it.
 *
 *  From now on a call that would compute on dev computes nothing and leaves its outputs as they are.  It checks its
 *  arguments as usual, returns the status that they give, and writes in words into `text`: which machine and which way
 *  it would take, and why not another; how many kernel launches, exchanges between ranks, and bytes.
 *
 *  @param dev    the device
 *  @param text   room for the words; the caller's, must live until explaining ends.  NULL ends it: calls compute again
 *  @param bytes  size of text; 2048 are enough
 *  @return OPLUS_OK; OPLUS_ERR_ARGUMENT.
 *
 *      char text[2048];
 *      oplus_explain(dev, text, sizeof text);
 *      oplus_scan(dev, &oplus_sum_f32, OPLUS_INCLUSIVE, in, n, out);
 *      puts(text);
 *      oplus_explain(dev, NULL, 0);
 *
 *  An explained call compiles programs and takes scratch memory, as the call itself would.  A call over ranks is
 *  explained on each rank alone, without an exchange: so either all ranks explain, or none.  Calls about memory, such
 *  as oplus_alloc and oplus_copy, work as usual. */
OPLUS_API oplus_status oplus_explain(oplus_device *dev, char *text, size_t bytes);

/** Waits until the device has done everything that earlier calls asked of it.
 *
 *  @return OPLUS_OK; OPLUS_ERR_ARGUMENT; OPLUS_ERR_DEVICE. */
OPLUS_API oplus_status oplus_sync(oplus_device *dev);

/** Returns the device in words, such as "threads:8 avx512"; the string is valid until oplus_close. */
OPLUS_API const char *oplus_device_name(const oplus_device *dev);

/** Gives the device's scratch memory back to the system; the next call that needs some allocates it anew. */
OPLUS_API oplus_status oplus_trim(oplus_device *dev);

/** Allocates memory of the device, aligned to at least 64 bytes, and sets *mem to its address.
 *
 *  Free it with oplus_free.  0 bytes give NULL.  Of the host's memory nothing is touched.  On a host with several
 *  memory nodes (NUMA) the pages of an array of 64 MiB and more for a device with several threads lie on the nodes in
 *  turn, so that all of them serve it, whichever thread fills it; unless the process has a policy of its own, as by
 *  numactl, or the kernel refuses.
 *  @return OPLUS_OK; OPLUS_ERR_ARGUMENT; OPLUS_ERR_MEMORY; OPLUS_ERR_DEVICE. */
OPLUS_API oplus_status oplus_alloc(oplus_device *dev, size_t bytes, void **mem);
/** Frees memory that oplus_alloc gave on the same device, or releases what oplus_wrap made.  NULL is allowed. */
OPLUS_API void oplus_free(oplus_device *dev, void *mem);

/** Gives an address to accelerator memory that the caller has allocated, so that calls can use it: a cl_mem gets an
 *  address of the library's; a CUdeviceptr, cast to a pointer, is an address already.
 *
 *  @param dev     an accelerator
 *  @param native  the cl_mem, or the address; it stays the caller's, and must live until oplus_free(dev, *mem)
 *  @param bytes   size of that memory
 *  @param mem     set to the address; calls also take addresses inside, *mem plus a number of bytes
 *  @return OPLUS_OK; OPLUS_ERR_UNSUPPORTED: the device computes in the host's memory; OPLUS_ERR_ARGUMENT;
 *          OPLUS_ERR_DEVICE; OPLUS_ERR_MEMORY. */
OPLUS_API oplus_status oplus_wrap(oplus_device *dev, void *native, size_t bytes, void **mem);

/** Copies `bytes` bytes from src to dst; each of the two may be host memory or memory of the device.
 *
 *  @return OPLUS_OK; OPLUS_ERR_OVERLAP: the ranges overlap in part; OPLUS_ERR_ARGUMENT; OPLUS_ERR_DEVICE. */
OPLUS_API oplus_status oplus_copy(oplus_device *dev, void *dst, const void *src, size_t bytes);

/* --- 3. primitives -------------------------------------------------------------------------------------------- */

/** The kind of a scan.  Inclusive: out[i] contains in[i].  Exclusive: out[i] contains only the elements before
 *  in[i]. */
typedef enum oplus_kind { OPLUS_INCLUSIVE = 0, OPLUS_EXCLUSIVE = 1 } oplus_kind;
/** The direction of a sort. */
typedef enum oplus_order { OPLUS_ASCENDING = 0, OPLUS_DESCENDING = 1 } oplus_order;

/** Reduce: *out = in[0] (+) ... (+) in[n-1].  With n = 0 it is the identity (OPLUS_ERR_ARGUMENT if the operator has
 *  none).
 *
 *  Reads n elements once.  The rounding error of a floating-point sum grows with log2 n. */
OPLUS_API oplus_status oplus_reduce(oplus_device *dev, const oplus_op *op, const void *in, size_t n, void *out);

/** Fold: a reduce with a value in front, *out = *init (+) in[0] (+) ... (+) in[n-1].
 *
 *  The operator needs no identity.  init lies in host memory. */
OPLUS_API oplus_status oplus_fold(oplus_device *dev, const oplus_op *op, const void *init, const void *in, size_t n,
                                  void *out);

/** Scan.  Inclusive: out[i] = in[0] (+) ... (+) in[i].  Exclusive: out[i] = in[0] (+) ... (+) in[i-1], and out[0] is
 *  the identity.
 *
 *  Reads n and writes n elements once.  An exclusive scan needs an operator with an identity.  out[i] has the bits of
 *  the reduce of the first i + 1 (exclusive: i) elements. */
OPLUS_API oplus_status oplus_scan(oplus_device *dev, const oplus_op *op, oplus_kind kind, const void *in, size_t n,
                                  void *out);

/** Segmented scan: a scan that starts anew at index 0 and at every i with heads[i] != 0.
 *
 *  It is the scan of the lifted operator (f,s) (+) (g,t) = (f|g, g ? t : s (+) t), whose tree is placed by the index
 *  in the whole array: for an operator that rounds, the bits may differ from those of a separate scan of each segment
 *  (docs/tree-v1.md).  heads has n bytes and must not overlap out. */
OPLUS_API oplus_status oplus_segscan(oplus_device *dev, const oplus_op *op, oplus_kind kind, const void *in,
                                     const uint8_t *heads, size_t n, void *out);

/** Segmented reduce: out[s] = reduce of in[offsets[s] .. offsets[s+1]), with the bits of oplus_reduce of that slice.
 *
 *  An empty segment gives the identity (OPLUS_ERR_ARGUMENT if the operator has none).  Elements before the first
 *  offset, and from the last offset on, belong to no segment.  out must not overlap in or offsets.  The call reads the
 *  offsets once to check them, then the offsets and the elements of the segments once.  Work is divided by elements:
 *  one long segment keeps all threads busy.
 *
 *  On CUDA, with all arrays in the device's memory and elements of 1, 2 or 4 to 24 bytes whose alignment is 4 or their
 *  size, the call does not wait for the check: offsets and elements are read once, results of segments near a wrong
 *  offset are not written, and the next call that waits, such as oplus_sync, returns the error.
 *
 *  @param dev       where to compute
 *  @param op        the operator
 *  @param in        n elements
 *  @param n         how many elements `in` has, inside and outside of segments
 *  @param offset    the type of the offsets: &oplus_u32, &oplus_u64, &oplus_i32 or &oplus_i64
 *  @param offsets   segments + 1 indices from 0 to n that never decrease; none are read if segments is 0
 *  @param segments  how many segments there are
 *  @param out       room for `segments` elements
 *  @return OPLUS_OK; OPLUS_ERR_ARGUMENT: also for a wrong offset, before anything is written (but see above); the
 *          message names the first one. */
OPLUS_API oplus_status oplus_segreduce(oplus_device *dev, const oplus_op *op, const void *in, size_t n,
                                       const oplus_type *offset, const void *offsets, size_t segments, void *out);

/** Map: out[i] = fn(in[0][i], ..., in[arity-1][i]).
 *
 *  `in` points to fn->arity addresses of arrays of n elements.  out may be one of these arrays if its elements have
 *  the same size.  Reads each array once and writes n elements once. */
OPLUS_API oplus_status oplus_map(oplus_device *dev, const oplus_fn *fn, const void *const *in, size_t n, void *out);

/** Filter: copies the elements that `keep` accepts, in their order, to out, and sets *kept to their number.
 *
 *  Reads n elements and writes the kept ones, once.  out needs room for the kept elements only; n elements always
 *  suffice.  out may be `in`, or begin before it; if it begins inside of `in`, the call returns OPLUS_ERR_OVERLAP. */
OPLUS_API oplus_status oplus_filter(oplus_device *dev, const oplus_fn *keep, const void *in, size_t n, void *out,
                                    size_t *kept);

/** Stable sort of n keys in place.  Keys are scalars; floats sort in IEEE total order,
 *  -NaN < -inf < ... < -0 < +0 < ... < +inf < NaN.  A descending sort is stable too.
 *
 *  It is a radix sort: keys are partitioned into buckets that fit a core's cache, and each bucket is sorted there.
 *  Scratch memory, which the device keeps, is as large as the array (4 bytes a key at least); it is twice that where
 *  buckets are partitioned again, because many keys are close together or n is huge.  Keys of 1 byte on the cores, and many
 *  of 1 or 2 bytes on an accelerator, are counted, and so many of each are written: that needs hardly any scratch memory.
 *  The call fails only before anything is written. */
OPLUS_API oplus_status oplus_sort(oplus_device *dev, const oplus_type *key, oplus_order order, void *keys, size_t n);

/** Stable sort of n keys in place, with one value of any size for each key: values move with their keys.
 *
 *  As oplus_sort.  Values of up to 8 bytes move together with their keys (scratch: 8 or 16 bytes an element, or twice
 *  that).  Larger values are moved once, at the end (scratch: the size of the values more).  keys and values must not
 *  overlap. */
OPLUS_API oplus_status oplus_sort_pairs(oplus_device *dev, const oplus_type *key, oplus_order order, void *keys,
                                        const oplus_type *value, void *values, size_t n);

/** Transpose: writes a row-major rows x cols matrix to out as its transpose, a row-major cols x rows matrix.
 *
 *  out may be `in` if rows == cols, or if one of them is 1. */
OPLUS_API oplus_status oplus_transpose(oplus_device *dev, const oplus_type *type, const void *in, size_t rows,
                                       size_t cols, void *out);

/* --- 4. streams ----------------------------------------------------------------------------------------------- */

/** A carry: a summary of the elements [first, first + count) of a longer sequence, of at most 2 log2(n) values.
 *  Results that are made through a carry have the bits of one call over the whole sequence, wherever it was cut. */
typedef struct oplus_carry oplus_carry;

/** Opens an empty carry at element index `first`; close it with oplus_carry_close.
 *
 *  *op, its identity and its parameter are copied; everything else that op points to (type, texts, functions) must
 *  live until oplus_carry_close.  A carry holds up to 260 elements.
 *  @return OPLUS_OK; OPLUS_ERR_ARGUMENT; OPLUS_ERR_MEMORY. */
OPLUS_API oplus_status oplus_carry_open(const oplus_op *op, uint64_t first, oplus_carry **carry);

/** Puts the value *init in front of all elements, as in a fold: the results of oplus_scan_from and oplus_carry_value
 *  then begin with it.
 *
 *  init lies in host memory.  The carry must be empty, and afterwards it cannot be the right one of a join.
 *  oplus_carry_value then has the bits of oplus_fold. */
OPLUS_API oplus_status oplus_carry_init(oplus_carry *carry, const void *init);

/** Adds the next n elements to the carry.  Reads them once; a call that fails leaves the carry as it was. */
OPLUS_API oplus_status oplus_carry_add(oplus_device *dev, oplus_carry *carry, const void *in, size_t n);

/** Scans the next n elements, continuing from the carry, and adds them to the carry.
 *
 *  in, out and cost are as in oplus_scan.  A call that fails leaves the carry as it was. */
OPLUS_API oplus_status oplus_scan_from(oplus_device *dev, oplus_carry *carry, oplus_kind kind, const void *in, size_t n,
                                       void *out);

/** Joins two carries: left becomes the summary of the elements of both, right stays as it is.
 *
 *  Both must have the same operator, and right must begin at the index where left ends.  Joins are associative to the
 *  bit, for any operator. */
OPLUS_API oplus_status oplus_carry_join(oplus_carry *left, const oplus_carry *right);

/** Writes the reduce of the added elements to *out, in host memory; of no elements, the identity (OPLUS_ERR_ARGUMENT
 *  if the operator has none). */
OPLUS_API oplus_status oplus_carry_value(const oplus_carry *carry, void *out);

/** Frees a carry.  NULL is allowed. */
OPLUS_API void oplus_carry_close(oplus_carry *carry);

/* --- 5. checks ------------------------------------------------------------------------------------------------ */

/** Checks an operator on n samples: that it is associative, that its identity is one, that it is commutative or exact
 *  if its flags claim so, and that its compiled loops give the bits of its function.
 *
 *  Tries all triples of up to 32 samples; of more samples, about as many triples at random.  Floating-point members
 *  may differ by rounding, unless the operator claims to be OPLUS_EXACT.
 *  @return OPLUS_OK; OPLUS_ERR_ARGUMENT: oplus_last_error() has the counterexample. */
OPLUS_API oplus_status oplus_op_check(oplus_device *dev, const oplus_op *op, const void *samples, size_t n);

/* --- by index ----------------------------------------------------------------------------------------------------- */

/** What becomes of an index that is out of range, in the calls of elements.h and bins.h. */
typedef enum oplus_bounds {
    OPLUS_REFUSE = 0, /**< the call fails with OPLUS_ERR_ARGUMENT */
    OPLUS_CLIP = 1,   /**< the nearest index in range is taken: 0 for a negative one, else the last one */
    OPLUS_IGNORE = 2  /**< the element is left out; only the calls of bins.h can do that */
} oplus_bounds;

#ifdef __cplusplus
}
#endif
#include <oplus/axis.h>
#include <oplus/bins.h>
#include <oplus/elements.h>
#include <oplus/fused.h>
#include <oplus/info.h>
#include <oplus/moments.h>
#include <oplus/order.h>
#include <oplus/runs.h>
#include <oplus/sequences.h>
#include <oplus/sorts.h>
#include <oplus/text.h>
#include <oplus/typed.h>
#include <oplus/statistics.h>
#include <oplus/windows.h>
#endif
