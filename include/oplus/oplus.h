/* SPDX-License-Identifier: Apache-2.0 */
/** @file oplus.h
 *  Data-parallel primitives over any associative operator and any plain C type.
 *
 *  Conventions, stated once:
 *  - Arguments come in the order device, operator or type, options, input and its extent, output.
 *  - Every call that can fail returns an oplus_status; oplus_last_error() says in words what was wrong, with which
 *    argument, and what to do.  The library never prints and never exits.  After a failed call inputs are intact and
 *    outputs unspecified, as is an array that is both.
 *  - n is a number of elements and may be 0.  `in == out` is allowed; partial overlap is OPLUS_ERR_OVERLAP.
 *  - Memory belongs to the caller; the library keeps no pointer to it after oplus_sync.
 *  - Arrays are aligned to their type.
 *  - One thread at a time per device handle, and per carry; different handles are independent.
 *  - Descriptors (oplus_op, oplus_fn, oplus_type) are read during a call only; see oplus_carry_open for the exception.
 *  - In `a (+) b`, a is always the earlier element: only associativity is assumed, never commutativity.
 *  - Results have the same bits on every device and number of threads (docs/tree-v1.md).
 *
 *  Sections: 1. errors  2. devices and memory  3. primitives  4. streams  5. checks.  With it come text.h: types,
 *  operators and functions given as text; info.h: what devices there are, and the cache; typed.h. */
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

/** One line an error: name, and what it means. */
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

/** What a call returns: the names of OPLUS_STATUS_TABLE, OPLUS_OK being 0. */
typedef enum oplus_status {
#define OPLUS_STATUS_NAME_(name, text) name,
    OPLUS_STATUS_TABLE(OPLUS_STATUS_NAME_)
#undef OPLUS_STATUS_NAME_
} oplus_status;

/** What a status means, in a few words; never NULL. */
OPLUS_API const char *oplus_status_string(oplus_status status);

/** This thread's last failure in words: which argument, its value, the remedy; "" if nothing has failed.
 *  Valid until this thread's next failing call. */
OPLUS_API const char *oplus_last_error(void);

/** The library's version, "0.1.0". */
OPLUS_API const char *oplus_version(void);

/* --- 2. devices and memory ------------------------------------------------------------------------------------ */

/** One place to compute: an in-order queue and its scratch memory. */
typedef struct oplus_device oplus_device;

/** Opens a device.
 *
 *  @param where  "serial": this thread.  "threads": as many as OMP_NUM_THREADS says, else as the affinity mask and
 *                the quotas of the control groups give this process cores (1.5: two).  "threads:8": eight.
 *                "openmp", "openmp:8": the same with OpenMP's threads, for a program that has them anyway; with other
 *                busy programs on the machine they are slower by far.
 *                "gpu": the first GPU, of CUDA or else of OpenCL.
 *                "cuda:0", "cuda": a CUDA device.  "opencl:0", "opencl:gpu", "opencl:cpu", "opencl": an OpenCL one.
 *                "auto" or NULL: threads, or an accelerator that gives the same bits, call by call: by where the arrays
 *                lie, and for those of the host by their size and what was measured (oplus_auto says it in words).
 *  @param dev    set to the device; close it with oplus_close.
 *
 *  Threads belong to the handle: the first call that is worth it starts them, oplus_close ends them.  The caller
 *  works too, and waits for no thread that has not got a core; between calls they sleep.  Where threads cannot start,
 *  as under `ulimit -u` or the limit of a container, calls go on with fewer.  Inside an OpenMP parallel region a call
 *  runs on its own thread.  After fork() the child's calls start threads of their own.
 *  OPLUS_ISA=baseline|avx2|avx512|neon in the environment forces the instruction set of the library's own loops.
 *  @return OPLUS_OK; OPLUS_ERR_ARGUMENT: a number of threads or an OPLUS_ISA that is none; OPLUS_ERR_DEVICE: no such
 *          device; OPLUS_ERR_UNSUPPORTED: an OPLUS_ISA that this processor lacks; OPLUS_ERR_MEMORY. */
OPLUS_API oplus_status oplus_open(const char *where, oplus_device **dev);

/** Opens an accelerator on a queue of the caller's: everything is then enqueued there, in order with the caller's work.
 *
 *  @param where  "cuda", and queue is a CUstream (cudaStream_t), whose context is used; or "opencl", and queue is an
 *                in-order cl_command_queue, whose device and context are used
 *  @param queue  must live until oplus_close
 *  @param dev    as in oplus_open */
OPLUS_API oplus_status oplus_open_on(const char *where, void *queue, oplus_device **dev);

/** Closes a device and frees its scratch memory.  NULL is allowed. */
OPLUS_API void oplus_close(oplus_device *dev);

/** Has calls explained, in place of done.
 *
 *  From here on each call that would compute on dev computes nothing, returns what its arguments deserve, and writes
 *  into text, of that many bytes (2048 are enough), in words: the machine and the way that it would take, and why not
 *  another; kernel launches, exchanges between ranks, and bytes.  The outputs of such a call are left as they are.
 *  text NULL: calls are done again.  text must live until then.
 *
 *      char text[2048];
 *      oplus_explain(dev, text, sizeof text);
 *      oplus_scan(dev, &oplus_sum_f32, OPLUS_INCLUSIVE, in, n, out);
 *      puts(text);
 *      oplus_explain(dev, NULL, 0);
 *
 *  Programs are compiled and memory is taken, as the call itself would.  Calls over ranks are explained on each rank by
 *  itself, without an exchange, so that all ranks must ask for it, or none.  Memory is not explained: oplus_alloc,
 *  oplus_copy and the like do what they do.
 *
 *  Errors: OPLUS_ERR_ARGUMENT. */
OPLUS_API oplus_status oplus_explain(oplus_device *dev, char *text, size_t bytes);

/** Waits until everything that was asked of the device is done. */
OPLUS_API oplus_status oplus_sync(oplus_device *dev);

/** The device in words, "threads:8 avx512"; valid until oplus_close. */
OPLUS_API const char *oplus_device_name(const oplus_device *dev);

/** Gives the device's scratch memory back to the system; the next call that needs some allocates it anew. */
OPLUS_API oplus_status oplus_trim(oplus_device *dev);

/** Memory of the device, aligned to 64 bytes at least; free it with oplus_free.  0 bytes gives NULL. */
OPLUS_API oplus_status oplus_alloc(oplus_device *dev, size_t bytes, void **mem);
/** Frees what oplus_alloc gave.  NULL is allowed. */
OPLUS_API void oplus_free(oplus_device *dev, void *mem);

/** Makes memory of an accelerator that the caller has allocated known to the device: a cl_mem gets an address, under
 *  which calls know it from then on; a CUdeviceptr, cast to a pointer, is known already.
 *
 *  @param dev     an accelerator
 *  @param native  the cl_mem, or the address; stays the caller's, and must live until oplus_free(dev, *mem)
 *  @param bytes   of it
 *  @param mem     set to its address, to which bytes may be added
 *  @return OPLUS_OK; OPLUS_ERR_UNSUPPORTED: the device computes in the host's memory; OPLUS_ERR_ARGUMENT;
 *          OPLUS_ERR_DEVICE; OPLUS_ERR_MEMORY. */
OPLUS_API oplus_status oplus_wrap(oplus_device *dev, void *native, size_t bytes, void **mem);

/** Copies bytes; host or device memory on either side.  The ranges must not overlap in part. */
OPLUS_API oplus_status oplus_copy(oplus_device *dev, void *dst, const void *src, size_t bytes);

/* --- 3. primitives -------------------------------------------------------------------------------------------- */

/** Whether out[i] takes in[i] in. */
typedef enum oplus_kind { OPLUS_INCLUSIVE = 0, OPLUS_EXCLUSIVE = 1 } oplus_kind;
/** Of a sort. */
typedef enum oplus_order { OPLUS_ASCENDING = 0, OPLUS_DESCENDING = 1 } oplus_order;

/** Reduce: *out = in[0] (+) ... (+) in[n-1]; of nothing, the identity (an error where the operator has none).
 *
 *  Reads n elements once.  Rounding error grows with log2 n. */
OPLUS_API oplus_status oplus_reduce(oplus_device *dev, const oplus_op *op, const void *in, size_t n, void *out);

/** Fold: reduce with a value in front: *out = *init (+) in[0] (+) ... (+) in[n-1]; needs no identity.  init is the
 *  host's. */
OPLUS_API oplus_status oplus_fold(oplus_device *dev, const oplus_op *op, const void *init, const void *in, size_t n,
                                  void *out);

/** Inclusive or exclusive scan: out[i] = in[0] (+) ... (+) in[i]   (exclusive: ... (+) in[i-1], out[0] = identity).
 *
 *  Reads n and writes n elements once.  An exclusive scan needs an identity.  Bit for bit, out[i] == reduce of the
 *  first i+1 (exclusive: i) elements. */
OPLUS_API oplus_status oplus_scan(oplus_device *dev, const oplus_op *op, oplus_kind kind, const void *in, size_t n,
                                  void *out);

/** Segmented scan: a scan that starts anew at every i with heads[i] != 0 (and at 0).
 *
 *  It is the scan of the lifted operator (f,s) (+) (g,t) = (f|g, g ? t : s (+) t) at the global index; for an operator
 *  that rounds, the bits may differ from those of a separate scan of each segment (docs/tree-v1.md).
 *  heads must not overlap out. */
OPLUS_API oplus_status oplus_segscan(oplus_device *dev, const oplus_op *op, oplus_kind kind, const void *in,
                                     const uint8_t *heads, size_t n, void *out);

/** Segmented reduce: out[s] = reduce of in[offsets[s] .. offsets[s+1]), with the bits of oplus_reduce of that slice.
 *
 *  An empty segment gives the identity (an error where the operator has none).  Elements before the first offset and
 *  from the last one on belong to no segment.  out overlaps neither in nor offsets.  Reads the elements of segments and
 *  the offsets, once, and the offsets once more before, to check them.  Work is dealt by elements: one long segment
 *  keeps all threads busy.
 *
 *  @param dev       where to compute
 *  @param op        the operator
 *  @param in        n elements
 *  @param n         how many elements there are, of all segments and outside of them
 *  @param offset    of what type offsets are: &oplus_u32, &oplus_u64, &oplus_i32 or &oplus_i64
 *  @param offsets   segments + 1 indices from 0 to n that never decrease; none are read if segments is 0
 *  @param segments  how many segments there are
 *  @param out       room for `segments` elements
 *  @return OPLUS_OK; OPLUS_ERR_ARGUMENT, with the first offset that is wrong, before anything is written. */
OPLUS_API oplus_status oplus_segreduce(oplus_device *dev, const oplus_op *op, const void *in, size_t n,
                                       const oplus_type *offset, const void *offsets, size_t segments, void *out);

/** Map: out[i] = fn(in[0][i], ..., in[arity-1][i]); out may be one of the inputs of the same element size.
 *
 *  in points to fn->arity arrays.  Reads each and writes n elements once. */
OPLUS_API oplus_status oplus_map(oplus_device *dev, const oplus_fn *fn, const void *const *in, size_t n, void *out);

/** Filter: copies the elements that `keep` accepts, in their order, to out, and their number to *kept.
 *
 *  Reads n elements and writes the kept ones, once.  out needs room for these only; n elements always suffice.  It may
 *  be `in`, or begin before it; beginning inside it is OPLUS_ERR_OVERLAP. */
OPLUS_API oplus_status oplus_filter(oplus_device *dev, const oplus_fn *keep, const void *in, size_t n, void *out,
                                    size_t *kept);

/** Stable sort of keys in place.  Keys are scalars; floats sort in IEEE total order,
 *  -NaN < -inf < ... < -0 < +0 < ... < +inf < NaN.  Descending is stable too.
 *
 *  Radix sort: n is partitioned into buckets that fit a core's cache, and those are sorted there.  Scratch memory, kept
 *  in the device, is of the size of the array (4 bytes a key at least), and twice that where buckets are partitioned
 *  again because keys crowd or n is huge.  Fails only before anything is written. */
OPLUS_API oplus_status oplus_sort(oplus_device *dev, const oplus_type *key, oplus_order order, void *keys, size_t n);

/** Stable sort of keys, carrying along a value of any size each.
 *
 *  Values of up to 8 bytes travel with their keys (scratch: 8 or 16 bytes an element, or twice that); larger ones are
 *  fetched once at the end, by index (scratch: the values' size more).  keys and values must not overlap. */
OPLUS_API oplus_status oplus_sort_pairs(oplus_device *dev, const oplus_type *key, oplus_order order, void *keys,
                                        const oplus_type *value, void *values, size_t n);

/** Transpose of a row-major rows x cols matrix into a cols x rows one; in place when rows == cols or either is 1. */
OPLUS_API oplus_status oplus_transpose(oplus_device *dev, const oplus_type *type, const void *in, size_t rows,
                                       size_t cols, void *out);

/* --- 4. streams ----------------------------------------------------------------------------------------------- */

/** A summary of the elements [first, first + count) of a longer sequence: at most 2 log2(n) values.
 *  What comes out of a carry has the bits of one call over the whole sequence, however it was cut. */
typedef struct oplus_carry oplus_carry;

/** Opens an empty carry at element index `first`; close it with oplus_carry_close.
 *
 *  *op, its identity and its parameter are copied; what else it points to (type, texts, functions) must live until
 *  then.  A carry holds up to 260 elements. */
OPLUS_API oplus_status oplus_carry_open(const oplus_op *op, uint64_t first, oplus_carry **carry);

/** Puts a value in front of everything, as the init of a fold: scans and the value then begin with it.  The carry must
 *  be empty, and cannot be the right one of a join.  Bit for bit, the value is that of oplus_fold. */
OPLUS_API oplus_status oplus_carry_init(oplus_carry *carry, const void *init);

/** Adds the next n elements; reads them once.  A call that fails leaves the carry as it was. */
OPLUS_API oplus_status oplus_carry_add(oplus_device *dev, oplus_carry *carry, const void *in, size_t n);

/** Scans the next n elements, continuing from the carry, and adds them to it.  As oplus_scan in what it reads, writes
 *  and asks of in and out; a call that fails leaves the carry as it was. */
OPLUS_API oplus_status oplus_scan_from(oplus_device *dev, oplus_carry *carry, oplus_kind kind, const void *in, size_t n,
                                       void *out);

/** Joins: left becomes the summary of both; right, which stays as it is, must be of the same operator and begin where
 *  left ends.  Exactly associative, for any operator. */
OPLUS_API oplus_status oplus_carry_join(oplus_carry *left, const oplus_carry *right);

/** The reduce of what was added; of nothing, the identity (an error where the operator has none). */
OPLUS_API oplus_status oplus_carry_value(const oplus_carry *carry, void *out);

/** Frees a carry.  NULL is allowed. */
OPLUS_API void oplus_carry_close(oplus_carry *carry);

/* --- 5. checks ------------------------------------------------------------------------------------------------ */

/** Is the operator associative on these samples, is its identity one, is a claimed commutativity (or exactness) true?
 *
 *  And do its compiled loops give the bits of its function?  Tries all triples of up to 32 samples, and about as many
 *  at random of more.  Floating-point members may differ by rounding, unless the operator claims to be OPLUS_EXACT.
 *  @return OPLUS_OK, or OPLUS_ERR_ARGUMENT with the counterexample in oplus_last_error(). */
OPLUS_API oplus_status oplus_op_check(oplus_device *dev, const oplus_op *op, const void *samples, size_t n);

#ifdef __cplusplus
}
#endif
#include <oplus/info.h>
#include <oplus/text.h>
#include <oplus/typed.h>
#endif
