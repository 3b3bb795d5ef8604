/* Bounds in a sorted array. */
#include "cores/bounds.h"

#include <oplus/leaf.h>

#include "base/memory.h"

#include <string.h>

enum {
    LANES = 8,
    PIECE = 256,     /* places that are found before they are written */
    BLOCK = 1 << 12, /* elements that are looked for by one thread */
    STEP_BYTES = 64  /* a search counts as so many bytes moved, for each halving */
};

#define T uint8_t
#include "cores/bounds_keys.h"
#define T uint16_t
#include "cores/bounds_keys.h"
#define T uint32_t
#include "cores/bounds_keys.h"
#define T uint64_t
#include "cores/bounds_keys.h"

/* Whether a comes before b, as the function says. */
static bool is_less(const opi_bounds_sweep *plan, const void *a, const void *b)
{
    uint8_t less;
    plan->less((const void *const[]){a, b}, plan->fn->param, 1, &less);
    return less != 0;
}

static void find_by_text(const opi_bounds_sweep *plan, const unsigned char *wanted, size_t count, size_t *place)
{
    for (size_t i = 0; i < count; i++) {
        const unsigned char *const key = wanted + i * plan->size;
        size_t at = 0;
        for (size_t left = plan->n, half; left > 0; left -= half) {
            half = (left + 1) / 2;
            const unsigned char *const there = plan->sorted + (at + half - 1) * plan->size;
            at += (plan->upper ? !is_less(plan, key, there) : is_less(plan, there, key)) ? half : 0;
        }
        place[i] = at;
    }
}

static void apply(const opi_sweep *sweep, size_t begin, size_t end, void *carry, const void *total, bool aggregated,
                  void *scratch)
{
    const opi_bounds_sweep *const plan = (const opi_bounds_sweep *)sweep;
    (void)carry, (void)total, (void)aggregated, (void)scratch;
    for (size_t i = begin, count; i < end; i += count) {
        size_t place[PIECE];
        count = opi_smaller(end - i, PIECE);
        plan->find(plan, plan->wanted + i * plan->size, count, place);
        unsigned char *const out = plan->places + i * plan->index;
        for (size_t k = 0; k < count; k++) {
            const uint32_t narrow = (uint32_t)place[k];
            const uint64_t wide = place[k];
            memcpy(out + k * plan->index, plan->index == 4 ? (const void *)&narrow : &wide, plan->index);
        }
    }
}

void opi_bounds_plan(opi_bounds_sweep *plan, const opi_task *task)
{
    static void (*const find[])(const opi_bounds_sweep *plan, const unsigned char *wanted, size_t count,
                                size_t *place) = {
        [1] = find_uint8_t, [2] = find_uint16_t, [4] = find_uint32_t, [8] = find_uint64_t};
    const opi_array *const sorted = &task->array[OPI_SORTED], *const out = &task->array[OPI_BOUNDS_OUT];
    opi_sweep_clear(&plan->sweep);
    plan->fn = task->fn;
    plan->less = task->fn ? opi_leaf_of(task->fn) : NULL;
    plan->find = task->fn ? find_by_text : find[sorted->size];
    if (!task->fn) plan->order = opi_key_order_of(task->bounds.key, task->bounds.order);
    plan->upper = task->bounds.upper;
    plan->sorted = sorted->mem;
    plan->wanted = task->array[OPI_WANTED].mem;
    plan->places = (unsigned char *)out->mem;
    plan->n = sorted->items;
    plan->size = sorted->size;
    plan->index = out->size;
    plan->sweep.n = task->n;
    plan->sweep.block = BLOCK;
    size_t step = plan->size + plan->index;
    for (size_t left = plan->n; left > 0; left /= 2) step += STEP_BYTES;
    plan->sweep.bytes = task->n * step;
    plan->sweep.apply = apply;
}
