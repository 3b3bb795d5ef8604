/* The sweep: where leaves and trees meet.
 *
 * A primitive describes itself as three steps over contiguous blocks, with a carry that flows from left to right:
 * aggregate a block, join neighbouring carries, apply what precedes a block to it.  A leaf fills this in and knows
 * nothing of parallelism; a tree (src/tree) runs it and knows nothing of primitives.
 *
 *   reduce, fold                     aggregate, join, finish
 *   scan, segmented scan and reduce  aggregate, join, apply
 *   filter                           aggregate, join, apply, finish
 *   radix-sort pass                  aggregate, join, apply with `whole`
 *   map, transpose                   apply alone, carry_bytes == 0
 */
#ifndef OPI_LEAF_SWEEP_H
#define OPI_LEAF_SWEEP_H

#include <oplus/oplus.h>

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* --- the sweep in words, for a machine that has memory and compilers of its own (src/gpu) ----------------- */

typedef enum opi_access {
    OPI_READS,
    OPI_WRITES,
    OPI_APPENDS /* writes some of the items, one after the other; the carry says how many */
} opi_access;

/* An array that a sweep goes over, item by item. */
typedef struct opi_array {
    const void *mem; /* NULL: the sweep of this kind can have one, and this has none */
    size_t size;     /* bytes of an item */
    opi_access access;
} opi_array;

enum { OPI_MAX_ARRAYS = OPLUS_MAX_ARITY + 1 };

/* What is computed, apart from how. */
typedef struct opi_form {
    const char *kernels; /* the text of that name in src/gpu/kernels; NULL: the host's arrays, for the host alone */
    const oplus_op *op;  /* what combines, or NULL */
    const oplus_fn *fn;  /* what is applied, or NULL */
    uint64_t first;      /* global index of item 0 */
    bool exclusive;      /* of a scan */
    bool lifted;         /* with heads */
    int arrays;          /* in the order of the kernels' parameters */
    opi_array array[OPI_MAX_ARRAYS];
} opi_form;

/* --- the sweep as steps over blocks ------------------------------------------------------------------------------- */

/* Where the parts of a longer sweep meet: once all items of this part have been aggregated, and before any is applied.
 */
typedef struct opi_meeting opi_meeting;
struct opi_meeting {
    /* The carry is the part's summary, and becomes what precedes item 0.  Called once, unless the sweep fails before.
     */
    oplus_status (*hold)(opi_meeting *meeting, void *carry);
    bool held; /* it has been called */
};

typedef struct opi_sweep opi_sweep;
struct opi_sweep {
    size_t n;             /* items to sweep over (elements, rows, ...) */
    size_t block;         /* items a leaf takes at a time, so that a block stays in cache between its two readings */
    size_t skew;          /* blocks end where (skew + index) is a multiple of block: global alignment */
    size_t bytes;         /* moved in all: a tree runs small work on one thread */
    size_t carry_bytes;   /* 0: blocks are independent */
    size_t scratch_bytes; /* of a worker, kept between aggregate and apply of the same block; aligned to 64 */
    bool whole;     /* apply also wants the summary of everything: all blocks are aggregated before any is applied */
    bool overtakes; /* apply may write over items of the blocks before: those must have been aggregated by whoever
                     * applies them */

    /* An empty carry at item `at`. */
    void (*start)(const opi_sweep *sweep, size_t at, void *carry);
    /* Extends a carry that ends at `begin` by the block [begin, end). */
    void (*aggregate)(const opi_sweep *sweep, size_t begin, size_t end, void *carry, void *scratch);
    /* left becomes left then right. */
    void (*join)(const opi_sweep *sweep, void *left, const void *right);
    /* Copies a carry; NULL: carry_bytes as they are. */
    void (*copy)(const opi_sweep *sweep, void *to, const void *from);
    /* Finishes the block [begin, end).  carry: what precedes it, extended by the block on return (unless `whole`).
     * aggregated: whether aggregate has seen this block with this scratch.  total: with `whole`, the summary of
     * everything, else NULL.  NULL: nothing to write. */
    void (*apply)(const opi_sweep *sweep, size_t begin, size_t end, void *carry, const void *total, bool aggregated,
                  void *scratch);

    opi_meeting *meeting; /* of a part of a longer sweep; NULL: what precedes item 0 is known */

    /* Writes what is made of the final carry to out, which is `result` in the end; NULL: nothing is.  The caller has
     * then no use for the carry. */
    void (*finish)(const opi_sweep *sweep, void *carry, void *out);
    void *result;        /* one value; may be memory of the device */
    size_t result_bytes; /* of it */

    opi_form form;
};

/* Nothing is in it yet; of its arrays only those that `form.arrays` counts will be read.  In parts, which become
 * plain stores: of 128 bytes at once gcc 12 makes `rep stos`, which costs a small call a tenth of its time. */
static inline void opi_sweep_clear(opi_sweep *sweep)
{
    memset(sweep, 0, offsetof(opi_sweep, start));
    memset(&sweep->start, 0, offsetof(opi_sweep, form) - offsetof(opi_sweep, start));
    memset(&sweep->form, 0, offsetof(opi_form, array));
}

/* --- sizes that several leaves share ------------------------------------------------------------------------------ */

/* Output from here on bypasses the caches: it would not fit them anyway, and a store then need not read first. */
enum { OPI_STREAMING_BYTES = 8 << 20 };

/* How many elements of `size` bytes there are in `bytes`, at least one. */
static inline size_t opi_elements_in(size_t bytes, size_t size) { return size < bytes ? bytes / size : 1; }

#endif
