/* Random calls, drawn from a few operators and types, so that their programs are compiled once.  A call says everything but
 * where its arrays lie. */
#ifndef TEST_CALLS_H
#define TEST_CALLS_H

#include "support/laws.h"

typedef enum primitive {
    REDUCE,
    FOLD,
    SCAN,
    SEGSCAN,
    STREAM,
    SEGREDUCE,
    FILTER,
    MAP,
    SORT,
    PAIRS,
    TRANSPOSE,
    TAKE, /* from here on: calls_family.c */
    PUT,
    REPEAT,
    ARGSORT,
    SEARCH,
    MERGE,
    ARGMIN,
    MINMAX,
    PARTITION,
    INDICES,
    MASK,
    UNIQUE,
    REDUCE_BY_KEY,
    MAP_REDUCE,
    MAP_SCAN,
    MAP_FILTER,
    REDUCE_AXIS, /* from here on: calls_shapes.c */
    SCAN_AXIS,
    WINDOW,
    SCAN_REVERSE,
    SCAN_BY_KEY,
    BY_INDEX,
    COUNT_BY_INDEX,
    HISTOGRAM,
    EDGES,
    TOP,
    NTH,
    SEGSORT,
    SEGSORT_PAIRS,
    SORT_BY,
    ARGSORT_BY,
    MERGE_BY,
    SEARCH_BY,
    SORT_BITS,
    PAIRS_BITS,
    SORT_MEMBERS,
    ARGSORT_MEMBERS,
    NEIGHBOURS,
    PRIMITIVES
} primitive;

/* MORE: heads, offsets, values, a second input or output, indices, a mask, counts; NOTE: how many were kept, or runs. */
enum { IN, MORE, OUT, NOTE, ARRAYS };
enum { MOST = 1 << 20, MOST_BYTES = MOST * 24 }; /* elements of an array, and what they take */

typedef struct call {
    primitive what;
    const place *at;
    size_t share;
    const oplus_op *op;
    const oplus_fn *fn, *keep;
    const subject *from[2]; /* what the inputs are filled with */
    const oplus_type *key, *value, *offset;
    oplus_kind kind;
    oplus_order order;
    size_t n, segments, rows, cols, cut, heads; /* of sorts by bits: from bit `cut` up to bit `rows` */
    unsigned style;
    bool in_place;
    _Alignas(max_align_t) unsigned char init[64];
    size_t size[ARRAYS], elements[ARRAYS], shift[ARRAYS]; /* size 0: not used; shift: elements from an aligned place */
    bool here[ARRAYS];                                    /* in host memory */
} call;

/* Draws a call of one of SHARES shares of all operators, functions and types; where compilers are slow it draws from less. */
enum { SHARES = 12 };
call call_draw(rng *r, const place *at, size_t share);
/* Fills the inputs, with the random numbers that follow. */
void call_fill(const call *c, rng *r, unsigned char *const to[]);
/* Makes the call with these arrays. */
oplus_status call_make(const call *c, oplus_device *d, unsigned char *const a[]);
/* Says in words what it is. */
void call_describe(const call *c, char *text, size_t bytes);

#endif
