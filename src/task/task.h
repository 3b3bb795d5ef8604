/* A task says as data what is computed: a public call checks its arguments, makes a task of them, and hands it to a
 * machine (task/machine.h).  The task is const from then on, and knows no machine. */
#ifndef OPI_TASK_H
#define OPI_TASK_H

#include <oplus/oplus.h>

#include "task/offsets.h"

#include <stdbool.h>
#include <stddef.h>

typedef enum opi_primitive {
    OPI_REDUCE, /* also a fold, and a reduce with heads, which summarises a segmented scan */
    OPI_SCAN,   /* also a segmented scan */
    OPI_MAP,
    OPI_FILTER,
    OPI_SEGREDUCE,
    OPI_SORT, /* also a sort of pairs */
    OPI_TRANSPOSE,
    OPI_PRIMITIVES
} opi_primitive;

typedef enum opi_access {
    OPI_READS,
    OPI_WRITES,
    OPI_APPENDS, /* writes some items one after the other; their number is known only at the end */
    OPI_CHANGES  /* reads the array and overwrites it */
} opi_access;

typedef struct opi_array {
    const void *mem; /* NULL: there are no items, or the task has no such array */
    size_t size;     /* size of an item, in bytes */
    size_t items;    /* number of items; if access is OPI_APPENDS, the largest number */
    opi_access access;
} opi_array;

/* The index of each array in opi_task.array.  The output of a map comes after its inputs. */
enum {
    OPI_IN = 0,          /* the first input, of every primitive but a sort */
    OPI_HEADS = 1,       /* heads of a reduce or a scan; its mem is NULL if there are no heads */
    OPI_SCAN_OUT = 2,    /* output of a scan; for a reduce its mem is NULL */
    OPI_KEPT_OUT = 1,    /* output of a filter */
    OPI_OFFSETS = 1,     /* offsets of a segmented reduce */
    OPI_SEGMENT_OUT = 2, /* output of a segmented reduce */
    OPI_KEYS = 0,        /* keys of a sort */
    OPI_VALUES = 1,      /* values of a sort of pairs */
    OPI_TURNED_OUT = 1,  /* output of a transpose */
    OPI_MAX_ARRAYS = OPLUS_MAX_ARITY + 1
};

/* A task.  Members that a primitive does not need are not set: the functions opi_task_... set the others. */
typedef struct opi_task {
    opi_primitive what;
    bool exclusive; /* true: an exclusive scan, in which out[i] does not contain in[i] */
    bool lifted;    /* true: a reduce or a scan with heads, on this rank or on another */
    int arrays;
    const oplus_op *op; /* what combines, or NULL */
    const oplus_fn *fn; /* what is applied, or NULL */
    size_t n;           /* items: elements of the inputs */
    uint64_t first;     /* global index of item 0 */
    void *
        result; /* room for one value, the result of a reduce or the number that a filter keeps, in memory of the host or
                 * of the device; NULL: it is not wanted */
    size_t result_bytes;
    union {
        struct {
            opi_offsets offsets;
            const oplus_type *offset; /* type of an offset */
        } segments;
        struct {
            const oplus_type *key, *value; /* types of keys and values; value NULL: there are only keys */
            oplus_order order;
        } sort;
        struct {
            size_t rows, cols;
        } matrix; /* size of the input, which is row-major */
    };
    opi_array array[OPI_MAX_ARRAYS];
} opi_task;

/* Makes the task of a reduce.  out NULL: only the carry is wanted.  heads NULL: there are no heads. */
static inline void opi_task_reduce(opi_task *t, const oplus_op *op, const void *in, const uint8_t *heads, size_t n,
                                   uint64_t first, void *out)
{
    const size_t size = op->type->size;
    t->what = OPI_REDUCE;
    t->exclusive = false;
    t->lifted = heads != NULL;
    t->op = op;
    t->fn = NULL;
    t->n = n;
    t->first = first;
    t->result = out;
    t->result_bytes = size;
    t->arrays = 3;
    t->array[OPI_IN] = (opi_array){in, size, n, OPI_READS};
    t->array[OPI_HEADS] = (opi_array){heads, 1, n, OPI_READS};
    t->array[OPI_SCAN_OUT] = (opi_array){NULL, size, n, OPI_WRITES};
}

static inline void opi_task_scan(opi_task *t, const oplus_op *op, oplus_kind kind, const void *in, const uint8_t *heads,
                                 size_t n, uint64_t first, void *out)
{
    opi_task_reduce(t, op, in, heads, n, first, NULL);
    t->what = OPI_SCAN;
    t->exclusive = kind == OPLUS_EXCLUSIVE;
    t->array[OPI_SCAN_OUT].mem = out;
}

static inline void opi_task_map(opi_task *t, const oplus_fn *fn, const void *const *in, size_t n, void *out)
{
    t->what = OPI_MAP;
    t->exclusive = t->lifted = false;
    t->op = NULL;
    t->fn = fn;
    t->n = n;
    t->first = 0;
    t->result = NULL;
    t->arrays = (int)fn->arity + 1;
    for (unsigned k = 0; k < fn->arity; k++) t->array[k] = (opi_array){in[k], fn->input[k]->size, n, OPI_READS};
    t->array[fn->arity] = (opi_array){out, fn->result->size, n, OPI_WRITES};
}

static inline void opi_task_filter(opi_task *t, const oplus_fn *keep, const void *in, size_t n, void *out, size_t *kept)
{
    const size_t size = keep->input[0]->size;
    t->what = OPI_FILTER;
    t->exclusive = t->lifted = false;
    t->op = NULL;
    t->fn = keep;
    t->n = n;
    t->first = 0;
    t->result = kept;
    t->result_bytes = sizeof *kept;
    t->arrays = 2;
    t->array[OPI_IN] = (opi_array){in, size, n, OPI_READS};
    t->array[OPI_KEPT_OUT] = (opi_array){out, size, n, OPI_APPENDS};
}

/* Makes the task of a segmented reduce.  The machine checks the order of the offsets, as they may lie in memory that
 * the host cannot read. */
static inline void opi_task_segreduce(opi_task *t, const oplus_op *op, const void *in, size_t n,
                                      const oplus_type *offset, const opi_offsets *offsets, void *out)
{
    const size_t size = op->type->size;
    t->what = OPI_SEGREDUCE;
    t->exclusive = t->lifted = false;
    t->op = op;
    t->fn = NULL;
    t->n = n;
    t->first = 0;
    t->result = NULL;
    t->segments.offsets = *offsets;
    t->segments.offset = offset;
    t->arrays = 3;
    t->array[OPI_IN] = (opi_array){in, size, n, OPI_READS};
    t->array[OPI_OFFSETS] = (opi_array){offsets->at, offsets->bytes, offsets->segments + 1, OPI_READS};
    t->array[OPI_SEGMENT_OUT] = (opi_array){out, size, offsets->segments, OPI_WRITES};
}

/* Makes the task of a sort.  value and values NULL: there are only keys. */
static inline void opi_task_sort(opi_task *t, const oplus_type *key, oplus_order order, void *keys,
                                 const oplus_type *value, void *values, size_t n)
{
    t->what = OPI_SORT;
    t->exclusive = t->lifted = false;
    t->op = NULL;
    t->fn = NULL;
    t->n = n;
    t->first = 0;
    t->result = NULL;
    t->sort.key = key;
    t->sort.value = value;
    t->sort.order = order;
    t->arrays = value ? 2 : 1;
    t->array[OPI_KEYS] = (opi_array){keys, key->size, n, OPI_CHANGES};
    t->array[OPI_VALUES] = (opi_array){values, value ? value->size : 0, n, OPI_CHANGES};
}

/* Makes the task of a transpose.  size: size of an element, in bytes.  in == out: a square matrix, in place. */
static inline void opi_task_transpose(opi_task *t, size_t size, const void *in, size_t rows, size_t cols, void *out)
{
    t->what = OPI_TRANSPOSE;
    t->exclusive = t->lifted = false;
    t->op = NULL;
    t->fn = NULL;
    t->n = rows * cols;
    t->first = 0;
    t->result = NULL;
    t->matrix.rows = rows;
    t->matrix.cols = cols;
    t->arrays = 2;
    t->array[OPI_IN] = (opi_array){in, size, t->n, OPI_READS};
    t->array[OPI_TURNED_OUT] = (opi_array){out, size, t->n, OPI_WRITES};
}

/* The task that only summarises a scan: it reads, and writes no results. */
static inline opi_task opi_task_reading(const opi_task *scan)
{
    opi_task t = *scan;
    t.what = OPI_REDUCE;
    t.exclusive = false;
    t.result = NULL;
    t.array[OPI_SCAN_OUT].mem = NULL;
    return t;
}

#endif
