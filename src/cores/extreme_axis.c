/* Argmin and argmax along an axis: how the work is dealt out is that of cores/axis.c.
 *
 *   rows     inner is 1: each row is searched as an array is, by one thread, or by all if rows are few and long
 *   columns  else: pieces of columns, row after row, or, if there are few columns and they are long, rows of all columns
 *
 * Columns are looked through a block of rows at a time, in which a place takes as few bytes as a key. */
#include "cores/extreme_axis.h"

#include "base/error.h"
#include "base/memory.h"
#include "cores/axis.h"
#include "cores/columns.h"
#include "cores/extreme.h"
#include "cores/merge.h"
#include "cores/ways.h"
#include "task/extreme.h"
#include "task/make.h"

#include <assert.h>

enum {
    PIECE_BYTES = 4 << 10, /* of a row of a piece: its keys and places stay in a first-level cache */
    LEAST_BYTES = 256,     /* narrower pieces would read parts of cache lines */
    BLOCK_BYTES = 128 << 10
};

typedef struct extreme_sweep {
    opi_sweep sweep; /* items: rows (inner is 1), pieces of columns, or rows of one slab */
    opi_extreme_sweep row;
    const opi_isa *isa;
    const char *in;
    char *out;
    size_t size, index; /* of an element and of an index, in bytes */
    opi_axis axis;
    opi_key_order order;
    uint64_t infinity;
    size_t width, across; /* columns of a piece; pieces of a slab */
} extreme_sweep;

/* --- what is known of some columns: their least keys, and behind them the rows that have them ----------------------- */

typedef struct columns {
    char *key;
    uint64_t *at;
} columns;

static size_t keys_bytes(const extreme_sweep *plan) { return opi_round_up(plan->width * plan->size, OPI_CACHE_LINE); }

static size_t columns_bytes(const extreme_sweep *plan)
{
    return keys_bytes(plan) + opi_round_up(plan->width * sizeof(uint64_t), OPI_CACHE_LINE);
}

static columns columns_at(const extreme_sweep *plan, void *memory)
{
    return (columns){memory, (uint64_t *)(void *)((char *)memory + keys_bytes(plan))};
}

/* Of rows from `first` on; the first row that has the greatest key is right, if no row has a lesser one. */
static void clear(const extreme_sweep *plan, columns *known, size_t first)
{
    memset(known->key, 0xff, plan->width * plan->size);
    for (size_t c = 0; c < plan->width; c++) known->at[c] = first;
}

/* The keys and places that a block of rows from `first` on has become known. */
#define ADD(name, T)                                                                                                   \
    static void name(columns *known, const void *keys, const void *places, size_t width, size_t first)                 \
    {                                                                                                                  \
        const T *const key = keys, *const place = places;                                                              \
        T *const least = (void *)known->key;                                                                           \
        for (size_t c = 0; c < width; c++) {                                                                           \
            if (key[c] >= least[c]) continue;                                                                          \
            least[c] = key[c];                                                                                         \
            known->at[c] = first + place[c];                                                                           \
        }                                                                                                              \
    }
ADD(add_8, uint8_t)
ADD(add_16, uint16_t)
ADD(add_32, uint32_t)
ADD(add_64, uint64_t)

static void add(const extreme_sweep *plan, columns *known, const void *keys, const void *places, size_t width,
                size_t first)
{
    static void (*const by_size[])(columns *, const void *, const void *, size_t, size_t) = {add_8, add_16, add_32,
                                                                                             add_64};
    by_size[__builtin_ctzl(plan->size)](known, keys, places, width, first);
}

/* Looks through rows [first, end) of `width` columns, of which the first row is at x.  scratch: of a block, twice as much
 * as keys_bytes. */
static void look(const extreme_sweep *plan, const char *x, size_t first, size_t end, size_t width, columns *known,
                 char *scratch)
{
    const size_t stride = plan->axis.inner * plan->size;
    char *const places = scratch + keys_bytes(plan);
    for (size_t i = first; i < end; i += OPI_LEAST_ROWS) {
        const size_t rows = opi_smaller(OPI_LEAST_ROWS, end - i);
        plan->isa->least[__builtin_ctzl(plan->size)](x, stride, rows, width, &plan->order, plan->infinity, scratch,
                                                     places);
        add(plan, known, scratch, places, width, i);
        x += rows * stride;
    }
}

static void give(const extreme_sweep *plan, uint64_t at, size_t to)
{
    const uint32_t narrow = (uint32_t)at;
    memcpy(plan->out + to * plan->index, plan->index == 4 ? (const void *)&narrow : &at, plan->index);
}

/* --- the sweeps --------------------------------------------------------------------------------------------------- */

static void apply_rows(const opi_sweep *sweep, size_t begin, size_t end, void *carry, const void *total,
                       bool aggregated, void *scratch)
{
    const extreme_sweep *const plan = (const extreme_sweep *)sweep;
    const opi_sweep *const row = &plan->row.sweep;
    const size_t n = plan->axis.n;
    const int side = plan->row.sides == OPI_GREATEST;
    (void)carry;
    (void)total;
    (void)aggregated;
    for (size_t o = begin; o < end; o++) {
        opi_extreme found;
        row->start(row, o * n, &found);
        row->aggregate(row, o * n, (o + 1) * n, &found, scratch);
        give(plan, found.side[side].at - o * n, o);
    }
}

static void apply_pieces(const opi_sweep *sweep, size_t begin, size_t end, void *carry, const void *total,
                         bool aggregated, void *scratch)
{
    const extreme_sweep *const plan = (const extreme_sweep *)sweep;
    const size_t n = plan->axis.n, inner = plan->axis.inner;
    columns known = columns_at(plan, scratch);
    (void)carry;
    (void)total;
    (void)aggregated;
    for (size_t item = begin; item < end; item++) {
        const size_t o = item / plan->across, c = item % plan->across * plan->width;
        const size_t width = opi_smaller(plan->width, inner - c);
        clear(plan, &known, 0);
        look(plan, plan->in + (o * n * inner + c) * plan->size, 0, n, width, &known,
             (char *)scratch + columns_bytes(plan));
        for (size_t k = 0; k < width; k++) give(plan, known.at[k], o * inner + c + k);
    }
}

static void start_slab(const opi_sweep *sweep, size_t at, void *carry)
{
    const extreme_sweep *const plan = (const extreme_sweep *)sweep;
    columns known = columns_at(plan, carry);
    clear(plan, &known, at);
}

static void aggregate_slab(const opi_sweep *sweep, size_t begin, size_t end, void *carry, void *scratch)
{
    const extreme_sweep *const plan = (const extreme_sweep *)sweep;
    columns known = columns_at(plan, carry);
    look(plan, plan->in + begin * plan->axis.inner * plan->size, begin, end, plan->width, &known, scratch);
}

static void join_slab(const opi_sweep *sweep, void *left, const void *right)
{
    const extreme_sweep *const plan = (const extreme_sweep *)sweep;
    const columns known = columns_at(plan, left);
    const char *const key = right;
    const uint64_t *const at = (const void *)(key + keys_bytes(plan));
    for (size_t c = 0; c < plan->width; c++) {
        const size_t k = c * plan->size;
        if (opi_scalar_bits(key + k, plan->size) >= opi_scalar_bits(known.key + k, plan->size)) continue;
        memcpy(known.key + k, key + k, plan->size);
        known.at[c] = at[c];
    }
}

static void finish_slab(const opi_sweep *sweep, void *carry, void *out)
{
    const extreme_sweep *const plan = (const extreme_sweep *)sweep;
    const columns known = columns_at(plan, carry);
    (void)out; /* the plan's own */
    for (size_t c = 0; c < plan->width; c++) give(plan, known.at[c], c);
}

/* --- the plans ---------------------------------------------------------------------------------------------------- */

static void plan_any(extreme_sweep *plan, opi_cores *cores, const opi_task *task)
{
    const oplus_type *const type = task->extreme.type;
    opi_sweep_clear(&plan->sweep);
    plan->isa = cores->isa;
    plan->in = task->array[OPI_IN].mem;
    plan->out = (char *)task->array[OPI_AXIS_OUT].mem;
    plan->size = type->size;
    plan->index = task->array[OPI_AXIS_OUT].size;
    plan->axis = task->extreme.axis;
    plan->order = opi_key_order_of(type, task->extreme.sides == OPI_GREATEST ? OPLUS_DESCENDING : OPLUS_ASCENDING);
    plan->infinity = opi_is_floating(type->scalar) ? opi_infinity_bits(type->size) : UINT64_MAX;
    plan->sweep.bytes = task->n * plan->size;
}

static void plan_rows(extreme_sweep *plan, opi_cores *cores, const opi_task *task)
{
    plan_any(plan, cores, task);
    opi_extreme_plan(&plan->row, cores->isa, task);
    plan->sweep.n = plan->axis.outer;
    plan->sweep.block = opi_elements_in(BLOCK_BYTES, plan->axis.n * plan->size);
    plan->sweep.apply = apply_rows;
}

static void plan_pieces(extreme_sweep *plan, opi_cores *cores, const opi_task *task)
{
    plan_any(plan, cores, task);
    const opi_axis *const axis = &plan->axis;
    const size_t pieces = opi_axis_pieces(cores, axis, plan->size);
    size_t bytes = PIECE_BYTES;
    while (bytes > LEAST_BYTES && (axis->inner * plan->size + bytes - 1) / bytes * axis->outer < pieces) bytes /= 2;
    plan->width = opi_smaller(axis->inner, opi_elements_in(bytes, plan->size));
    assert(plan->width > 0);
    plan->across = (axis->inner - 1) / plan->width + 1;
    plan->sweep.n = axis->outer * plan->across;
    plan->sweep.block = opi_elements_in(BLOCK_BYTES, plan->width * plan->size * axis->n);
    plan->sweep.scratch_bytes = columns_bytes(plan) + 2 * keys_bytes(plan);
    plan->sweep.apply = apply_pieces;
}

/* Slab o as one piece, whose rows are dealt out. */
static void plan_slab(extreme_sweep *plan, opi_cores *cores, const opi_task *task, size_t o)
{
    plan_any(plan, cores, task);
    const size_t row = plan->axis.inner * plan->size;
    plan->width = plan->axis.inner;
    plan->in += o * plan->axis.n * row;
    plan->out += o * plan->axis.inner * plan->index;
    plan->sweep.n = plan->axis.n;
    plan->sweep.block = opi_elements_in(BLOCK_BYTES, row);
    plan->sweep.bytes = plan->axis.n * row;
    plan->sweep.carry_bytes = columns_bytes(plan);
    plan->sweep.scratch_bytes = 2 * keys_bytes(plan);
    plan->sweep.start = start_slab;
    plan->sweep.aggregate = aggregate_slab;
    plan->sweep.join = join_slab;
    plan->sweep.finish = finish_slab;
}

/* --- the task ----------------------------------------------------------------------------------------------------- */

/* Row o by all threads. */
static oplus_status run_row(opi_cores *cores, const char *call, const opi_task *task, const extreme_sweep *plan,
                            size_t o)
{
    opi_task row;
    size_t at = 0;
    const size_t n = plan->axis.n;
    opi_task_extreme(&row, task->extreme.type, task->extreme.sides, plan->in + o * n * plan->size, n, OPI_GIVES_PLACE,
                     &at, sizeof at);
    OPI_TRY(opi_cores_run(cores, call, &row, NULL));
    give(plan, at, o);
    return OPLUS_OK;
}

static oplus_status run_slab(opi_cores *cores, const char *call, const opi_task *task, size_t o)
{
    extreme_sweep plan;
    plan_slab(&plan, cores, task, o);
    if (!opi_buffer_reserve(&cores->carry, plan.sweep.carry_bytes))
        return opi_fail(OPLUS_ERR_MEMORY, "%s: no memory for %zu bytes of carry", call, plan.sweep.carry_bytes);
    plan.sweep.start(&plan.sweep, 0, cores->carry.mem);
    OPI_TRY(opi_cores_sweep(cores, call, &plan.sweep, cores->carry.mem));
    plan.sweep.finish(&plan.sweep, cores->carry.mem, NULL);
    return OPLUS_OK;
}

/* Plans rows or pieces; true: each slab is dealt out by itself instead. */
static bool is_by_slab(extreme_sweep *plan, opi_cores *cores, const opi_task *task)
{
    const opi_axis *const axis = &task->extreme.axis;
    const size_t size = task->extreme.type->size;
    if (axis->inner == 1)
        plan_rows(plan, cores, task);
    else
        plan_pieces(plan, cores, task);
    return opi_columns_are_few(axis->inner * size) && opi_axis_is_dealt_by_slab(cores, axis, size, plan->sweep.n);
}

oplus_status opi_extreme_axis_run(opi_cores *cores, const char *call, const opi_task *task)
{
    extreme_sweep plan;
    if (!is_by_slab(&plan, cores, task)) return opi_cores_sweep(cores, call, &plan.sweep, NULL);
    for (size_t o = 0; o < plan.axis.outer; o++)
        OPI_TRY(plan.axis.inner == 1 ? run_row(cores, call, task, &plan, o) : run_slab(cores, call, task, o));
    return OPLUS_OK;
}

void opi_extreme_axis_explain(opi_cores *cores, const opi_task *task, opi_saying *to)
{
    extreme_sweep plan;
    if (is_by_slab(&plan, cores, task))
        opi_axis_say_slabs(to, plan.axis.outer);
    else
        opi_cores_explain_sweep(cores, &plan.sweep, to);
}
