/* The sweep: where leaves and schedules meet.
 *
 * A primitive describes itself as three steps over contiguous blocks, with a carry that flows from left to right:
 * aggregate a block, join neighbouring carries, apply what precedes a block to it.  A leaf fills this in from a task
 * and knows nothing of parallelism; a schedule (cores/ways.h) runs it and knows nothing of primitives.
 *
 *   reduce, fold                     aggregate, join, finish
 *   scan, segmented scan and reduce  aggregate, join, apply
 *   filter                           aggregate, join, apply, finish
 *   radix-sort pass                  aggregate, join, apply with `whole`
 *   map, transpose                   apply alone, carry_bytes == 0
 */
#ifndef OPI_LEAF_SWEEP_H
#define OPI_LEAF_SWEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct opi_sweep opi_sweep;
struct opi_sweep {
    size_t n;             /* items to sweep over (elements, rows, ...) */
    size_t block;         /* items a leaf takes at a time, so that a block stays in cache between its two readings */
    size_t skew;          /* blocks end where (skew + index) is a multiple of block: global alignment */
    size_t bytes;         /* moved in all: a schedule runs small work on one thread */
    size_t carry_bytes;   /* 0: blocks are independent */
    size_t scratch_bytes; /* of a worker, kept between aggregate and apply of the same block; aligned to 64 */
    bool whole;     /* apply also wants the summary of everything: all blocks are aggregated before any is applied */
    bool overtakes; /* apply may write over items of the blocks before: those must have been aggregated by whoever
                     * applies them */
    bool replaces;  /* apply writes over the block's own items */

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

    /* Writes what is made of the final carry to out; NULL: nothing is.  The caller has then no use for the carry. */
    void (*finish)(const opi_sweep *sweep, void *carry, void *out);
};

/* Clears a sweep, in parts, which become plain stores: for 128 bytes at once gcc 12 makes `rep stos`, which costs a
 * small call a tenth of its time. */
static inline void opi_sweep_clear(opi_sweep *sweep)
{
    memset(sweep, 0, offsetof(opi_sweep, start));
    memset(&sweep->start, 0, sizeof *sweep - offsetof(opi_sweep, start));
}

/* --- sizes that several leaves share ------------------------------------------------------------------------------ */

/* Output of at least so many bytes bypasses the caches: it would not fit them, and such a store need not read first. */
enum { OPI_STREAMING_BYTES = 8 << 20 };

/* How many elements of `size` bytes there are in `bytes`, at least one. */
static inline size_t opi_elements_in(size_t bytes, size_t size) { return size < bytes ? bytes / size : 1; }

#endif
