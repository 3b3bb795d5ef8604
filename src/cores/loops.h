/* An operator made ready for a call: its typed loops on this processor, and what its results need. */
#ifndef OPI_LOOPS_H
#define OPI_LOOPS_H

#include "cores/isa.h"
#include "cores/quiet.h"
#include "task/range.h"

typedef struct opi_loops {
    const oplus_op *op;
    const oplus_op *code;          /* whose functions are those of op: op itself, or what was compiled late */
    size_t size;                   /* bytes of an element */
    unsigned level;                /* of the largest block */
    unsigned node_level;           /* of the largest block of which only the node is computed */
    unsigned run_level;            /* of the longest run: see oplus_leaves::run */
    bool short_runs;               /* blocks are faster than runs, unless they are small */
    bool far;                      /* what is read comes from memory, and not from a core's own cache */
    oplus_leaves tree;             /* NULL members: see `with` */
    const oplus_leaves_with *with; /* the loops of an operator with a parameter; NULL: it is known by a call alone */
    const opi_builtin *builtin;    /* NULL: an operator of a user */
    const opi_builtin *exact;      /* the any-schedule loops of an exact built-in operator, or NULL */
    const opi_isa *isa;
    opi_quiet quiet; /* canonical NaN in results */
} opi_loops;

/* bytes: how much there is to read, which tells whether it comes from memory or from a cache. */
void opi_loops_plan(opi_loops *loops, const oplus_op *op, const opi_isa *isa, size_t bytes);

static inline bool opi_loops_typed(const opi_loops *loops) { return loops->tree.node || loops->with; }

/* Scratch that the loops below need: nothing for typed ones. */
size_t opi_loops_scratch(const opi_loops *loops);

/* The node of an aligned block of 2^level elements; level <= loops->level. */
void opi_loops_node(const opi_loops *loops, const void *in, unsigned level, void *node, void *scratch);
/* The reduces of some segments of `in`, all short; returns how many it has done: see oplus_leaves::segments.  0 for an
 * operator known by `combine` alone. */
size_t opi_loops_segments(const opi_loops *loops, const void *in, const uint64_t *offsets, size_t segments, void *out);
/* Scan of an aligned block; see oplus_leaves::scan.  segscan: where heads is not NULL. */
void opi_loops_scan(const opi_loops *loops, const void *in, unsigned level, bool exclusive, const void *before,
                    void *out, void *node, void *scratch);
/* Elements of the run, with heads or without, that begins at index `at` and has at most n > 0 elements.  0: a block is
 * to be preferred, or there are no runs. */
size_t opi_loops_run_fit(const opi_loops *loops, bool heads, uint64_t at, size_t n);
/* See oplus_leaves::run, and where heads is not NULL, segrun. */
void opi_loops_run(const opi_loops *loops, const void *in, size_t n, bool exclusive, const void *before, void *out,
                   void *nodes, void *scratch);
void opi_loops_segrun(const opi_loops *loops, const void *in, const uint8_t *heads, size_t n, bool exclusive,
                      const void *before, void *out, void *nodes, uint8_t *node_heads);
void opi_loops_segscan(const opi_loops *loops, const void *in, const uint8_t *heads, unsigned level, bool exclusive,
                       const void *before, void *out, void *node, uint8_t *head, void *scratch);

/* out[i] = a[i] (+) b[i] for n pairs; out may be a or b. */
void opi_loops_zip(const opi_loops *loops, const void *a, const void *b, size_t n, void *out);

/* Prefetches the block after the next, where there are n elements from x on: otherwise nothing would be read while one
 * block is computed.  +5 to +25 % in memory (sums, 8-byte structs; one thread, 2026-11-21, Xeon with AVX-512).  In a
 * cache it takes a sixth of the time of a scan of floats. */
static inline void opi_loops_prefetch(const opi_loops *loops, const char *x, unsigned level, size_t n)
{
    const size_t bytes = loops->size << level;
    if (!loops->far || n >> level < 3) return;
    for (size_t i = 0; i < bytes; i += OPI_CACHE_LINE) __builtin_prefetch(x + 2 * bytes + i, 0, 2);
}

/* Elements in a block of about `bytes`: a power of two, and at least 2^level. */
static inline size_t opi_loops_block(const opi_loops *loops, unsigned level, size_t bytes)
{
    size_t block = (size_t)1 << level;
    while (block * loops->size < bytes) block *= 2;
    return block;
}

/* Level, at most `most`, of the largest aligned block that begins at index `at` and holds at most n > 0 elements. */
static inline unsigned opi_loops_fit(unsigned most, uint64_t at, size_t n)
{
    unsigned level = 63 - (unsigned)__builtin_clzll(n);
    if (at && (unsigned)__builtin_ctzll(at) < level) level = (unsigned)__builtin_ctzll(at);
    return level < most ? level : most;
}

#endif
