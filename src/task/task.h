/* A task says as data what is computed: a public call checks its arguments, makes a task of them, and hands it to a
 * machine (task/machine.h).  The task is const from then on, and knows no machine. */
#ifndef OPI_TASK_H
#define OPI_TASK_H

#include <oplus/oplus.h>

#include "task/bins.h"
#include "task/indices.h"
#include "task/offsets.h"

#include <stdbool.h>
#include <stddef.h>

typedef enum opi_primitive {
    OPI_REDUCE, /* also a fold, and a reduce with heads, which summarises a segmented scan */
    OPI_SCAN,   /* also a segmented scan */
    OPI_MAP,
    OPI_FILTER,
    OPI_SEGREDUCE,
    OPI_SORT, /* also a sort of pairs, and an argsort */
    OPI_TRANSPOSE,
    OPI_TAKE,
    OPI_PUT,
    OPI_EXTREME,     /* the least element, the greatest, or both, and where they are */
    OPI_BOUNDS,      /* where elements belong in a sorted array */
    OPI_MERGE,       /* of two sorted arrays, also of pairs */
    OPI_TOP,         /* the k first keys in an order, and where they were */
    OPI_NTH,         /* the key at a place of the order */
    OPI_SORT_BY,     /* a sort in the order of a function, also an argsort */
    OPI_SEGSORT,     /* of each segment, also of pairs */
    OPI_SELECT,      /* a filter's relatives: partition, indices, filter by a mask, runs of equal keys */
    OPI_REDUCE_AXIS, /* a reduce along one axis of an array of several */
    OPI_SCAN_AXIS,
    OPI_EXTREME_AXIS, /* where the least or the greatest element of each row along an axis is */
    OPI_WINDOW,       /* a reduce of the last w elements at every element */
    OPI_SCAN_REVERSE, /* a scan from the last element to the first */
    OPI_COUNT,        /* of the elements of each bin: a histogram */
    OPI_BY_INDEX,     /* a reduce of the elements of each bin */
    OPI_REPEAT,       /* elements each so many times */
    OPI_COUNT_ENDS,   /* where in a repeat's output each block of elements ends */
    OPI_PACK,         /* of some members of each element a number that is in their order */
    OPI_PRIMITIVES
} opi_primitive;

typedef enum opi_access {
    OPI_READS,
    OPI_WRITES,
    OPI_APPENDS, /* writes some items one after the other; their number is known only at the end */
    OPI_CHANGES  /* reads the array and overwrites it */
} opi_access;

/* What the result of an extreme is. */
typedef enum opi_gives {
    OPI_GIVES_PLACE,  /* where the one that is looked for is: a size_t */
    OPI_GIVES_VALUES, /* the least element, and behind it the greatest */
    OPI_GIVES_RECORD  /* an opi_extreme (task/extreme.h), in host memory */
} opi_gives;
enum { OPI_LEAST = 1, OPI_GREATEST = 2 };

typedef struct opi_array {
    const void *mem; /* NULL: there are no items, or the task has no such array */
    size_t size;     /* size of an item, in bytes */
    size_t items;    /* number of items; if access is OPI_APPENDS, the largest number */
    opi_access access;
} opi_array;

/* The index of each array in opi_task.array.  The output of a map, a scan or a filter comes last: see opi_task_out.  In
 * a fused task further inputs stand before it. */
enum {
    OPI_IN = 0,             /* the first input, of every primitive but a sort */
    OPI_HEADS = 1,          /* heads of a reduce or a scan; its mem is NULL if there are no heads */
    OPI_OFFSETS = 1,        /* offsets of a segmented reduce or sort */
    OPI_SEGMENT_OUT = 2,    /* output of a segmented reduce */
    OPI_SEGMENT_VALUES = 2, /* values of a segmented sort of pairs */
    OPI_KEYS = 0,           /* keys of a sort, also of a sort by a function or of segments */
    OPI_VALUES = 1,         /* values of a sort of pairs, or the indices that an argsort writes */
    OPI_TURNED_OUT = 1,     /* output of a transpose */
    OPI_INDICES = 0,        /* indices of a take or a put */
    OPI_TAKEN_OUT = 1,      /* output of a take */
    OPI_PUT_IN = 1,         /* the elements that a put puts */
    OPI_TABLE = 2,          /* what indices name: a take reads, a put writes it; it has an extent of its own */
    OPI_SORTED = 0,         /* the sorted array in which bounds are looked for, */
    OPI_WANTED = 1,         /* ... the elements that are looked for, */
    OPI_BOUNDS_OUT = 2,     /* ... and their places */
    OPI_A_KEYS = 0,         /* keys and values of a merge: of the first array, */
    OPI_B_KEYS = 1,         /* ... of the second one, */
    OPI_A_VALUES = 2,
    OPI_B_VALUES = 3,
    OPI_MERGED_KEYS = 4, /* ... and of the output */
    OPI_MERGED_VALUES = 5,
    OPI_TOP_OUT = 1, /* the keys that a top finds, and their indices; either may be NULL */
    OPI_TOP_INDICES = 2,
    OPI_NTH_OUT = OPI_TOP_OUT, /* the one key that an nth finds; it has no indices */
    OPI_MASK = 1,              /* mask of a select; NULL: it picks by a function, or by runs */
    OPI_PICKED_OUT = 2,        /* the picked elements, of a select; each of its outputs may be NULL */
    OPI_INDEX_OUT = 3,         /* indices of the picked elements */
    OPI_REST_OUT = 4,          /* the elements that are not picked */
    OPI_RUN_OUT = 5,           /* for each element the number of picked ones up to it, less 1: its run */
    OPI_AXIS_OUT = 1,          /* output of a reduce, a scan or a search for extremes along an axis */
    OPI_WINDOW_OUT = 1,        /* output of a window */
    OPI_HEAD_OUT = 6,          /* for each element 1 if it is picked, else 0 */
    OPI_COUNT_OUT =
        7,         /* for each picked element the distance to the next picked one, or to the end: the length of a run */
    OPI_EDGES = 1, /* the edges of bins; NULL: they have none */
    OPI_COUNTS = 2,     /* the counts of bins, of 4 or 8 bytes */
    OPI_BINNED = 1,     /* the elements that are reduced by index; OPI_INDICES has their indices, */
    OPI_BINNED_OUT = 2, /* ... and this one the results */
    OPI_REPEAT_OUT = 0, /* output of a repeat, whose items are those of the task, */
    OPI_REPEATED = 1,   /* ... the elements that it repeats, */
    OPI_ENDS = 2,       /* ... and for each block of them, as uint64_t, where in the output its last repetition ends, */
    OPI_TIMES = 3,      /* ... and how often each is repeated; absent if a block is one element */
    OPI_ENDS_OUT = 1,   /* output of OPI_COUNT_ENDS, whose input are counts */
    OPI_PACKED_OUT = 1, /* output of a pack: unsigned integers of 1, 2, 4 or 8 bytes */
    OPI_MAX_ARRAYS = OPLUS_MAX_ARITY + 2
};

/* A member that a pack reads: `bits` bits from byte `at` of the element on.  Mapped, it is x ^ (x's highest bit is set ?
 * negative : 0) ^ flip. */
typedef struct opi_packed {
    size_t at;
    unsigned bits; /* 8, 16, 32 or 64 */
    uint64_t negative, flip;
} opi_packed;

/* What decides whether a select picks element i. */
typedef enum opi_picks {
    OPI_PICKS_KEPT,  /* the predicate accepts in[i] */
    OPI_PICKS_BYTES, /* mask[i] is not 0 */
    OPI_PICKS_BITS,  /* bit i % 8 of mask[i / 8] is 1 */
    OPI_PICKS_HEADS  /* a run begins: i is 0, or in[i - 1] is not the same as in[i], by the function or by bits */
} opi_picks;

/* The axis of a task: element i of the row (o, c) is in[(o * n + i) * inner + c]. */
typedef struct opi_axis {
    size_t outer, n, inner;
} opi_axis;

/* A task.  Members that a primitive does not need are not set: the functions opi_task_... set the others. */
typedef struct opi_task {
    opi_primitive what;
    bool exclusive; /* true: an exclusive scan, also along an axis, in which out[i] does not contain in[i] */
    bool backward;  /* true: a scan whose arrays begin at their last items; a machine makes it of OPI_SCAN_REVERSE */
    bool lifted;    /* true: a reduce or a scan with heads, on this rank or on another */
    int arrays;
    const oplus_op *op; /* what combines, or NULL */
    const oplus_fn *fn; /* what is applied, or NULL */
    /* A fused task makes its elements: element i is before(inputs[0][i], inputs[1][i], ...).  And it makes of a scan's
     * results what it writes: after(result). */
    const oplus_fn *before, *after; /* or NULL; only a reduce, a scan and a filter have them */
    size_t n;                       /* items: elements of the inputs */
    uint64_t first;                 /* global index of item 0 */
    void *
        result; /* room for one value, the result of a reduce or the number that a filter keeps, in memory of the host or
                 * of the device; NULL: it is not wanted */
    size_t result_bytes;
    union {
        struct {
            opi_offsets offsets;
            const oplus_type *offset;      /* type of an offset */
            const oplus_type *key, *value; /* of a segmented sort: as those of a sort */
            oplus_order order;
            size_t length; /* of a segmented sort: not 0: each segment has so many keys, and there are no offsets */
            bool places;   /* an argsort of each segment: the keys stay, and indices in the segment are written */
        } segments;
        struct {
            const oplus_type *key, *value; /* types of keys and values; value NULL: there are only keys */
            oplus_order order;
            bool places;        /* an argsort: the keys stay, and the index of each is written in their order */
            unsigned low, high; /* keys are compared by these bits of their image, [low, high), which are all unless
                                 * opi_sort_is_limited: then keys with equal bits keep their order, too */
        } sort;
        struct {
            const oplus_type *key; /* type of an element */
            oplus_order order;     /* if there is no fn that compares */
            bool upper;            /* behind equal elements; else before them */
        } bounds;
        struct {
            const oplus_type *key, *value; /* value NULL: there are only keys */
            oplus_order order;             /* if there is no fn that compares */
        } merge;
        struct {
            const oplus_type *key;
            oplus_order order;
            size_t k; /* how many are looked for: 1 to n; of OPI_NTH the place, less than n */
        } top;        /* of OPI_TOP and OPI_NTH */
        struct {
            size_t rows, cols;          /* of the input, which is row-major */
            size_t in_pitch, out_pitch; /* elements from one row to the next: more than a row has if it is a part of a
                                         * larger matrix, which only a transpose between arrays on a device can be */
        } matrix;
        opi_axis axis;
        size_t window;       /* elements of a window */
        opi_indices indices; /* of a take or a put */
        opi_bins bins;       /* of a count or a reduce by index */
        struct {
            const oplus_type *type; /* a scalar */
            unsigned sides;         /* OPI_LEAST, OPI_GREATEST or both */
            opi_gives gives;
            opi_axis axis; /* of OPI_EXTREME_AXIS, whose one side gives places in its rows */
        } extreme;
        struct {
            const opi_packed
                *member; /* the highest bits first; all have at most as many bits as an item of the output */
            size_t count;
        } pack;
        struct {
            size_t block;            /* so many elements have one end together */
            const oplus_type *index; /* type of a count, of OPI_COUNT_ENDS */
        } repeat;                    /* of OPI_REPEAT and OPI_COUNT_ENDS */
        struct {
            opi_picks picks;
            const oplus_type *type; /* type of an element */
        } select;
    };
    opi_array array[OPI_MAX_ARRAYS];
} opi_task;

/* The array that is written by a scan or a filter; of a reduce its mem is NULL. */
static inline opi_array *opi_task_out(opi_task *t) { return &t->array[t->arrays - 1]; }
static inline const opi_array *opi_task_written(const opi_task *t) { return &t->array[t->arrays - 1]; }

/* The array of input k of the function before. */
static inline const opi_array *opi_task_input(const opi_task *t, unsigned k)
{
    return &t->array[k == 0 ? OPI_IN : t->arrays - 1 - (int)t->before->arity + (int)k];
}

static inline bool opi_task_is_fused(const opi_task *t)
{
    return (t->what == OPI_REDUCE || t->what == OPI_SCAN || t->what == OPI_FILTER) && (t->before || t->after);
}

/* Bytes of an element of a reduce, a scan or a filter. */
static inline size_t opi_task_element(const opi_task *t)
{
    return opi_task_is_fused(t) && t->before ? t->before->result->size : t->array[OPI_IN].size;
}

/* The function of a task that takes elements of its inputs and has their index i; NULL: none has.  If two have it, their
 * indices are the same (front/fused.c). */
static inline const oplus_fn *opi_task_indexed(const opi_task *t)
{
    if (opi_task_is_fused(t) && t->before && t->before->indexed) return t->before;
    return t->fn && t->fn->indexed ? t->fn : NULL;
}

/* Whether a sort compares only some bits of the keys. */
static inline bool opi_sort_is_limited(const opi_task *t) { return t->sort.high - t->sort.low < 8 * t->sort.key->size; }

/* The index i of item 0. */
static inline uint64_t opi_task_index(const opi_task *t)
{
    const oplus_fn *const fn = opi_task_indexed(t);
    return fn ? fn->first + t->first : 0;
}

/* Whether the operator or a function of a task has a parameter. */
static inline bool opi_task_has_param(const opi_task *t)
{
    if ((t->op && t->op->param_type) || (t->fn && t->fn->param_type)) return true;
    return opi_task_is_fused(t) && ((t->before && t->before->param_type) || (t->after && t->after->param_type));
}

#endif
