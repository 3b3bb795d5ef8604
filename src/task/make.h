/* Makes tasks: each function sets all members that the task's primitive needs. */
#ifndef OPI_MAKE_TASK_H
#define OPI_MAKE_TASK_H

#include "task/task.h"

/* Begins a task of n items that has no result and applies nothing; what it has is set afterwards. */
static inline void opi_task_begin(opi_task *t, opi_primitive what, size_t n)
{
    t->what = what;
    t->exclusive = t->lifted = t->backward = false;
    t->op = NULL;
    t->fn = t->before = t->after = NULL;
    t->n = n;
    t->first = 0;
    t->result = NULL;
    t->result_bytes = 0;
}

/* Makes a task fused with a function before it, whose inputs take the place of the task's own one. */
static inline void opi_task_begin_with(opi_task *t, const oplus_fn *before, const void *const *in)
{
    const opi_array out = *opi_task_out(t);
    t->before = before;
    t->array[OPI_IN] = (opi_array){in[0], before->input[0]->size, t->n, OPI_READS};
    for (unsigned k = 1; k < before->arity; k++)
        t->array[t->arrays++ - 1] = (opi_array){in[k], before->input[k]->size, t->n, OPI_READS};
    *opi_task_out(t) = out;
}

/* Makes the task of a reduce.  out NULL: only the carry is wanted.  heads NULL: there are no heads. */
static inline void opi_task_reduce(opi_task *t, const oplus_op *op, const void *in, const uint8_t *heads, size_t n,
                                   uint64_t first, void *out)
{
    const size_t size = op->type->size;
    opi_task_begin(t, OPI_REDUCE, n);
    t->lifted = heads != NULL;
    t->op = op;
    t->first = first;
    t->result = out;
    t->result_bytes = size;
    t->arrays = 3;
    t->array[OPI_IN] = (opi_array){in, size, n, OPI_READS};
    t->array[OPI_HEADS] = (opi_array){heads, 1, n, OPI_READS};
    *opi_task_out(t) = (opi_array){NULL, size, n, OPI_WRITES};
}

static inline void opi_task_scan(opi_task *t, const oplus_op *op, oplus_kind kind, const void *in, const uint8_t *heads,
                                 size_t n, uint64_t first, void *out)
{
    opi_task_reduce(t, op, in, heads, n, first, NULL);
    t->what = OPI_SCAN;
    t->exclusive = kind == OPLUS_EXCLUSIVE;
    opi_task_out(t)->mem = out;
}

static inline void opi_task_map(opi_task *t, const oplus_fn *fn, const void *const *in, size_t n, void *out)
{
    opi_task_begin(t, OPI_MAP, n);
    t->fn = fn;
    t->arrays = (int)fn->arity + 1;
    for (unsigned k = 0; k < fn->arity; k++) t->array[k] = (opi_array){in[k], fn->input[k]->size, n, OPI_READS};
    t->array[fn->arity] = (opi_array){out, fn->result->size, n, OPI_WRITES};
}

static inline void opi_task_filter(opi_task *t, const oplus_fn *keep, const void *in, size_t n, void *out, size_t *kept)
{
    const size_t size = keep->input[0]->size;
    opi_task_begin(t, OPI_FILTER, n);
    t->fn = keep;
    t->result = kept;
    t->result_bytes = sizeof *kept;
    t->arrays = 2;
    t->array[OPI_IN] = (opi_array){in, size, n, OPI_READS};
    *opi_task_out(t) = (opi_array){out, size, n, OPI_APPENDS};
}

/* Makes the task of a segmented reduce.  The machine checks the order of the offsets, as they may lie in memory that
 * the host cannot read. */
static inline void opi_task_segreduce(opi_task *t, const oplus_op *op, const void *in, size_t n,
                                      const oplus_type *offset, const opi_offsets *offsets, void *out)
{
    const size_t size = op->type->size;
    opi_task_begin(t, OPI_SEGREDUCE, n);
    t->op = op;
    t->segments.offsets = *offsets;
    t->segments.offset = offset;
    t->arrays = 3;
    t->array[OPI_IN] = (opi_array){in, size, n, OPI_READS};
    t->array[OPI_OFFSETS] = (opi_array){offsets->at, offsets->bytes, offsets->segments + 1, OPI_READS};
    t->array[OPI_SEGMENT_OUT] = (opi_array){out, size, offsets->segments, OPI_WRITES};
}

/* Makes the task of a reduce along an axis. */
static inline void opi_task_reduce_axis(opi_task *t, const oplus_op *op, const void *in, const opi_axis *axis,
                                        void *out)
{
    const size_t size = op->type->size, rows = axis->outer * axis->inner;
    opi_task_begin(t, OPI_REDUCE_AXIS, rows * axis->n);
    t->op = op;
    t->axis = *axis;
    t->arrays = 2;
    t->array[OPI_IN] = (opi_array){in, size, t->n, OPI_READS};
    t->array[OPI_AXIS_OUT] = (opi_array){out, size, rows, OPI_WRITES};
}

/* Makes the task of a scan along an axis. */
static inline void opi_task_scan_axis(opi_task *t, const oplus_op *op, oplus_kind kind, const void *in,
                                      const opi_axis *axis, void *out)
{
    opi_task_reduce_axis(t, op, in, axis, out);
    t->what = OPI_SCAN_AXIS;
    t->exclusive = kind == OPLUS_EXCLUSIVE;
    t->array[OPI_AXIS_OUT].items = t->n;
}

/* Makes the task of a window of w > 0 elements. */
static inline void opi_task_window(opi_task *t, const oplus_op *op, const void *in, size_t n, size_t w, void *out)
{
    const size_t size = op->type->size;
    opi_task_begin(t, OPI_WINDOW, n);
    t->op = op;
    t->window = w;
    t->arrays = 2;
    t->array[OPI_IN] = (opi_array){in, size, n, OPI_READS};
    t->array[OPI_WINDOW_OUT] = (opi_array){out, size, n, OPI_WRITES};
}

/* Makes the task of a scan from the last element to the first. */
static inline void opi_task_scan_reverse(opi_task *t, const oplus_op *op, oplus_kind kind, const void *in, size_t n,
                                         void *out)
{
    opi_task_scan(t, op, kind, in, NULL, n, 0, out);
    t->what = OPI_SCAN_REVERSE;
}

/* Makes the task of a sort.  value and values NULL: there are only keys. */
static inline void opi_task_sort(opi_task *t, const oplus_type *key, oplus_order order, void *keys,
                                 const oplus_type *value, void *values, size_t n)
{
    opi_task_begin(t, OPI_SORT, n);
    t->sort.key = key;
    t->sort.value = value;
    t->sort.order = order;
    t->sort.places = false;
    t->sort.low = 0;
    t->sort.high = 8 * (unsigned)key->size;
    t->arrays = value ? 2 : 1;
    t->array[OPI_KEYS] = (opi_array){keys, key->size, n, OPI_CHANGES};
    t->array[OPI_VALUES] = (opi_array){values, value ? value->size : 0, n, OPI_CHANGES};
}

/* Makes it a sort by the bits [low, high) of the keys, at least one bit. */
static inline void opi_task_sort_by_bits(opi_task *t, unsigned low, unsigned high)
{
    t->sort.low = low;
    t->sort.high = high;
}

/* Makes the task of an argsort.  index: type of an index, an integer of 4 or 8 bytes. */
static inline void opi_task_argsort(opi_task *t, const oplus_type *key, oplus_order order, const void *keys, size_t n,
                                    const oplus_type *index, void *indices)
{
    opi_task_sort(t, key, order, NULL, index, indices, n);
    t->sort.places = true;
    t->array[OPI_KEYS] = (opi_array){keys, key->size, n, OPI_READS};
    t->array[OPI_VALUES].access = OPI_WRITES;
}

/* Makes the task of a sort in the order of `less`. */
static inline void opi_task_sort_by(opi_task *t, const oplus_fn *less, void *elements, size_t n)
{
    opi_task_begin(t, OPI_SORT_BY, n);
    t->fn = less;
    t->arrays = 2;
    t->array[OPI_KEYS] = (opi_array){elements, less->input[0]->size, n, OPI_CHANGES};
    t->array[OPI_VALUES] = (opi_array){NULL, 0, 0, OPI_WRITES};
}

/* The same of an argsort; index: size of an index, in bytes. */
static inline void opi_task_argsort_by(opi_task *t, const oplus_fn *less, const void *elements, size_t n, size_t index,
                                       void *indices)
{
    opi_task_sort_by(t, less, NULL, n);
    t->array[OPI_KEYS] = (opi_array){elements, less->input[0]->size, n, OPI_READS};
    t->array[OPI_VALUES] = (opi_array){indices, index, n, OPI_WRITES};
}

/* Makes the task of a segmented sort.  value and values NULL: there are only keys.  The machine checks the order of the
 * offsets, as they may lie in memory that the host cannot read. */
static inline void opi_task_segsort(opi_task *t, const oplus_type *key, oplus_order order, void *keys,
                                    const oplus_type *value, void *values, size_t n, const oplus_type *offset,
                                    const opi_offsets *offsets)
{
    opi_task_begin(t, OPI_SEGSORT, n);
    t->segments.offsets = *offsets;
    t->segments.offset = offset;
    t->segments.key = key;
    t->segments.value = value;
    t->segments.order = order;
    t->segments.length = 0;
    t->segments.places = false;
    t->arrays = value ? 3 : 2;
    t->array[OPI_KEYS] = (opi_array){keys, key->size, n, OPI_CHANGES};
    t->array[OPI_OFFSETS] = (opi_array){offsets->at, offsets->bytes, offsets->segments + 1, OPI_READS};
    t->array[OPI_SEGMENT_VALUES] = (opi_array){values, value ? value->size : 0, n, OPI_CHANGES};
}

/* Makes the task of a sort of segments that have `length` keys each, length > 0. */
static inline void opi_task_segsort_even(opi_task *t, const oplus_type *key, oplus_order order, void *keys,
                                         size_t segments, size_t length)
{
    const size_t n = segments * length;
    opi_task_segsort(t, key, order, keys, NULL, NULL, n, &oplus_u64, &(opi_offsets){NULL, segments, 8, n});
    t->segments.length = length;
    t->array[OPI_OFFSETS].items = 0;
}

/* The same of an argsort: keys are only read.  index: type of an index, an integer of 4 or 8 bytes. */
static inline void opi_task_segargsort_even(opi_task *t, const oplus_type *key, oplus_order order, const void *keys,
                                            size_t segments, size_t length, const oplus_type *index, void *indices)
{
    opi_task_segsort_even(t, key, order, NULL, segments, length);
    t->segments.value = index;
    t->segments.places = true;
    t->arrays = 3;
    t->array[OPI_KEYS] = (opi_array){keys, key->size, t->n, OPI_READS};
    t->array[OPI_SEGMENT_VALUES] = (opi_array){indices, index->size, t->n, OPI_WRITES};
}

/* Makes the task of a top of 0 < k <= n keys.  index: size of an index, in bytes. */
static inline void opi_task_top(opi_task *t, const oplus_type *key, oplus_order order, const void *keys, size_t n,
                                size_t k, void *out, size_t index, void *indices)
{
    opi_task_begin(t, OPI_TOP, n);
    t->top.key = key;
    t->top.order = order;
    t->top.k = k;
    t->arrays = 3;
    t->array[OPI_IN] = (opi_array){keys, key->size, n, OPI_READS};
    t->array[OPI_TOP_OUT] = (opi_array){out, key->size, k, OPI_WRITES};
    t->array[OPI_TOP_INDICES] = (opi_array){indices, index, k, OPI_WRITES};
}

/* Makes the task of the key at place k < n of the order. */
static inline void opi_task_nth(opi_task *t, const oplus_type *key, oplus_order order, const void *keys, size_t n,
                                size_t k, void *out)
{
    opi_task_begin(t, OPI_NTH, n);
    t->top.key = key;
    t->top.order = order;
    t->top.k = k;
    t->arrays = 3;
    t->array[OPI_IN] = (opi_array){keys, key->size, n, OPI_READS};
    t->array[OPI_NTH_OUT] = (opi_array){out, key->size, 1, OPI_WRITES};
    t->array[OPI_TOP_INDICES] = (opi_array){NULL, 0, 0, OPI_WRITES};
}

/* Makes the task of bounds.  key: type of an element; less NULL: elements have the order of a sort; index: the size of a
 * place, in bytes. */
static inline void opi_task_bounds(opi_task *t, const oplus_type *key, oplus_order order, const oplus_fn *less,
                                   const void *sorted, size_t n, bool upper, const void *wanted, size_t count,
                                   size_t index, void *places)
{
    const size_t size = key->size;
    opi_task_begin(t, OPI_BOUNDS, count);
    t->fn = less;
    t->bounds.key = key;
    t->bounds.order = order;
    t->bounds.upper = upper;
    t->arrays = 3;
    t->array[OPI_SORTED] = (opi_array){sorted, size, n, OPI_READS};
    t->array[OPI_WANTED] = (opi_array){wanted, size, count, OPI_READS};
    t->array[OPI_BOUNDS_OUT] = (opi_array){places, index, count, OPI_WRITES};
}

/* Makes the task of a merge of keys alone; opi_task_merge_values adds values.  key, less: as of bounds. */
static inline void opi_task_merge(opi_task *t, const oplus_type *key, oplus_order order, const oplus_fn *less,
                                  const void *a, size_t a_n, const void *b, size_t b_n, void *out)
{
    const size_t size = key->size;
    opi_task_begin(t, OPI_MERGE, a_n + b_n);
    t->fn = less;
    t->merge.key = key;
    t->merge.value = NULL;
    t->merge.order = order;
    t->arrays = 6;
    t->array[OPI_A_KEYS] = (opi_array){a, size, a_n, OPI_READS};
    t->array[OPI_B_KEYS] = (opi_array){b, size, b_n, OPI_READS};
    t->array[OPI_MERGED_KEYS] = (opi_array){out, size, t->n, OPI_WRITES};
    t->array[OPI_A_VALUES] = t->array[OPI_B_VALUES] = t->array[OPI_MERGED_VALUES] = (opi_array){NULL, 0, 0, OPI_READS};
}

static inline void opi_task_merge_values(opi_task *t, const oplus_type *value, const void *a, const void *b, void *out)
{
    t->merge.value = value;
    t->array[OPI_A_VALUES] = (opi_array){a, value->size, t->array[OPI_A_KEYS].items, OPI_READS};
    t->array[OPI_B_VALUES] = (opi_array){b, value->size, t->array[OPI_B_KEYS].items, OPI_READS};
    t->array[OPI_MERGED_VALUES] = (opi_array){out, value->size, t->n, OPI_WRITES};
}

/* Makes the task of a transpose.  size: size of an element, in bytes.  in == out: a square matrix, in place. */
static inline void opi_task_transpose(opi_task *t, size_t size, const void *in, size_t rows, size_t cols, void *out)
{
    opi_task_begin(t, OPI_TRANSPOSE, rows * cols);
    t->matrix.rows = t->matrix.out_pitch = rows;
    t->matrix.cols = t->matrix.in_pitch = cols;
    t->arrays = 2;
    t->array[OPI_IN] = (opi_array){in, size, t->n, OPI_READS};
    t->array[OPI_TURNED_OUT] = (opi_array){out, size, t->n, OPI_WRITES};
}

/* Makes the task of a take.  size: size of an element, in bytes.  Its items are the indices. */
static inline void opi_task_take(opi_task *t, size_t size, const void *in, const opi_indices *indices, void *out)
{
    opi_task_begin(t, OPI_TAKE, indices->count);
    t->indices = *indices;
    t->arrays = 3;
    t->array[OPI_INDICES] = (opi_array){indices->at, indices->type->size, indices->count, OPI_READS};
    t->array[OPI_TAKEN_OUT] = (opi_array){out, size, indices->count, OPI_WRITES};
    t->array[OPI_TABLE] = (opi_array){in, size, indices->n, OPI_READS};
}

/* Makes the task of a put.  size: size of an element, in bytes.  Its items are the indices. */
static inline void opi_task_put(opi_task *t, size_t size, const void *in, const opi_indices *indices, void *out)
{
    opi_task_take(t, size, out, indices, NULL);
    t->what = OPI_PUT;
    t->array[OPI_PUT_IN] = (opi_array){in, size, indices->count, OPI_READS};
    t->array[OPI_TABLE].access = OPI_CHANGES;
}

/* Makes the task that looks for extremes of n > 0 elements.  sides: of OPI_LEAST and OPI_GREATEST; one, if the result is
 * its place.  bytes: size of the result. */
static inline void opi_task_extreme(opi_task *t, const oplus_type *type, unsigned sides, const void *in, size_t n,
                                    opi_gives gives, void *out, size_t bytes)
{
    opi_task_begin(t, OPI_EXTREME, n);
    t->result = out;
    t->result_bytes = bytes;
    t->extreme.type = type;
    t->extreme.sides = sides;
    t->extreme.gives = gives;
    t->arrays = 1;
    t->array[OPI_IN] = (opi_array){in, type->size, n, OPI_READS};
}

/* Makes the task that looks for the least or the greatest element of each row along an axis; no row is empty.  index: size
 * of an index, in bytes. */
static inline void opi_task_extreme_axis(opi_task *t, const oplus_type *type, unsigned side, const void *in,
                                         const opi_axis *axis, size_t index, void *indices)
{
    const size_t rows = axis->outer * axis->inner;
    opi_task_begin(t, OPI_EXTREME_AXIS, rows * axis->n);
    t->extreme.type = type;
    t->extreme.sides = side;
    t->extreme.gives = OPI_GIVES_PLACE;
    t->extreme.axis = *axis;
    t->arrays = 2;
    t->array[OPI_IN] = (opi_array){in, type->size, t->n, OPI_READS};
    t->array[OPI_AXIS_OUT] = (opi_array){indices, index, rows, OPI_WRITES};
}

/* What a select writes; NULL: it does not. */
typedef struct opi_selected {
    void *picked, *index, *rest, *run, *head, *count;
    size_t index_bytes; /* of an item of index, run and count: 4 or 8 */
} opi_selected;

/* Makes the task of a select.  fn: the predicate, or what compares neighbours, or NULL; mask: NULL unless it picks. */
static inline void opi_task_select(opi_task *t, opi_picks picks, const oplus_fn *fn, const oplus_type *type,
                                   const void *in, const uint8_t *mask, size_t n, const opi_selected *to, size_t *count)
{
    const size_t size = type->size, items = picks == OPI_PICKS_BITS ? n / 8 + (n % 8 > 0) : n;
    opi_task_begin(t, OPI_SELECT, n);
    t->fn = fn;
    t->result = count;
    t->result_bytes = sizeof *count;
    t->select.picks = picks;
    t->select.type = type;
    t->arrays = 8;
    t->array[OPI_IN] = (opi_array){in, size, n, OPI_READS};
    t->array[OPI_MASK] = (opi_array){mask, 1, mask ? items : 0, OPI_READS};
    t->array[OPI_PICKED_OUT] = (opi_array){to->picked, size, n, OPI_APPENDS};
    t->array[OPI_INDEX_OUT] = (opi_array){to->index, to->index_bytes, n, OPI_APPENDS};
    t->array[OPI_REST_OUT] = (opi_array){to->rest, size, n, OPI_APPENDS};
    t->array[OPI_RUN_OUT] = (opi_array){to->run, to->index_bytes, n, OPI_WRITES};
    t->array[OPI_HEAD_OUT] = (opi_array){to->head, 1, n, OPI_WRITES};
    t->array[OPI_COUNT_OUT] = (opi_array){to->count, to->index_bytes, n, OPI_APPENDS};
}

/* Makes the task that counts n elements by bin.  edges: NULL if the bins have none; counter: size of a count, in bytes. */
static inline void opi_task_count(opi_task *t, const opi_bins *bins, const void *in, size_t n, const void *edges,
                                  size_t counter, void *counts)
{
    const size_t size = bins->type->size;
    opi_task_begin(t, OPI_COUNT, n);
    t->bins = *bins;
    t->arrays = 3;
    t->array[OPI_IN] = (opi_array){in, size, n, OPI_READS};
    t->array[OPI_EDGES] = (opi_array){edges, size, edges ? (size_t)bins->n + 1 : 0, OPI_READS};
    t->array[OPI_COUNTS] = (opi_array){counts, counter, (size_t)bins->n, OPI_WRITES};
}

/* Makes the task that reduces n elements by the bins that their indices name. */
static inline void opi_task_by_index(opi_task *t, const oplus_op *op, const opi_bins *bins, const void *in,
                                     const void *indices, size_t n, void *out)
{
    const size_t size = op->type->size;
    opi_task_begin(t, OPI_BY_INDEX, n);
    t->op = op;
    t->bins = *bins;
    t->arrays = 3;
    t->array[OPI_INDICES] = (opi_array){indices, bins->type->size, n, OPI_READS};
    t->array[OPI_BINNED] = (opi_array){in, size, n, OPI_READS};
    t->array[OPI_BINNED_OUT] = (opi_array){out, size, (size_t)bins->n, OPI_WRITES};
}

/* Makes the task of a repeat of n elements of `size` bytes, which together make total > 0 elements. */
static inline void opi_task_repeat(opi_task *t, size_t size, const void *in, size_t n, const uint64_t *ends,
                                   size_t total, void *out)
{
    opi_task_begin(t, OPI_REPEAT, total);
    t->repeat.block = 1;
    t->arrays = 3;
    t->array[OPI_REPEAT_OUT] = (opi_array){out, size, total, OPI_WRITES};
    t->array[OPI_REPEATED] = (opi_array){in, size, n, OPI_READS};
    t->array[OPI_ENDS] = (opi_array){ends, sizeof *ends, n, OPI_READS};
}

/* How many blocks n elements have. */
static inline size_t opi_blocks_of(size_t n, size_t block) { return n / block + (n % block > 0); }

/* Makes of a repeat one whose ends are those of blocks, so that the counts are needed, too. */
static inline void opi_task_repeat_blocks(opi_task *t, const oplus_type *index, const void *counts, size_t block)
{
    const size_t n = t->array[OPI_REPEATED].items;
    t->repeat.block = block;
    t->array[OPI_ENDS].items = opi_blocks_of(n, block);
    t->array[OPI_TIMES] = (opi_array){counts, index->size, n, OPI_READS};
    t->arrays = OPI_TIMES + 1;
}

/* Makes the task that adds up n > 0 counts, and writes where each block of them ends.  op: the sum, of uint64_t. */
static inline void opi_task_count_ends(opi_task *t, const oplus_op *op, const oplus_type *index, const void *counts,
                                       size_t n, size_t block, uint64_t *ends)
{
    opi_task_begin(t, OPI_COUNT_ENDS, n);
    t->op = op;
    t->repeat.block = block;
    t->repeat.index = index;
    t->arrays = 2;
    t->array[OPI_IN] = (opi_array){counts, index->size, n, OPI_READS};
    t->array[OPI_ENDS_OUT] = (opi_array){ends, sizeof *ends, opi_blocks_of(n, block), OPI_WRITES};
}

/* Makes the task that packs members of n elements of `size` bytes into numbers of key_size bytes. */
static inline void opi_task_pack(opi_task *t, size_t size, const void *elements, size_t n, const opi_packed *member,
                                 size_t count, size_t key_size, void *keys)
{
    opi_task_begin(t, OPI_PACK, n);
    t->pack.member = member;
    t->pack.count = count;
    t->arrays = 2;
    t->array[OPI_IN] = (opi_array){elements, size, n, OPI_READS};
    t->array[OPI_PACKED_OUT] = (opi_array){keys, key_size, n, OPI_WRITES};
}

/* The task that only summarises a scan: it reads, and writes no results. */
static inline opi_task opi_task_reading(const opi_task *scan)
{
    opi_task t = *scan;
    t.what = OPI_REDUCE;
    t.exclusive = false;
    t.result = NULL;
    opi_task_out(&t)->mem = NULL;
    return t;
}

#endif
