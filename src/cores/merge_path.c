/* Merge of two sorted arrays: a block of the result looks for where it begins and ends in both, and merges what is
 * between. */
#include "cores/merge_path.h"

#include "base/memory.h"

#include <string.h>

enum { BLOCK_BYTES = 256 << 10, BLOCK_MOST = 1 << 16 /* elements */ };

typedef opi_merge_path_sweep merging;

static bool is_less(const merging *m, const void *a, const void *b)
{
    uint8_t less;
    m->less((const void *const[]){a, b}, m->fn->param, 1, &less);
    return less != 0;
}

/* Whether element j of b comes before element i of a: of equal elements those of a come first. */
static bool b_is_first(const merging *m, size_t i, size_t j)
{
    if (m->fn) return is_less(m, m->b.keys + j * m->key, m->a.keys + i * m->key);
    return opi_key_at(&m->order, m->b.keys, j) < opi_key_at(&m->order, m->a.keys, i);
}

/* How many of the first t elements of the result are of a. */
static size_t cut_at(const merging *m, size_t t)
{
    size_t low = t > m->b.n ? t - m->b.n : 0, high = opi_smaller(t, m->a.n);
    while (low < high) {
        const size_t i = low + (high - low) / 2;
        const bool b_first = b_is_first(m, i, t - 1 - i);
        low = b_first ? low : i + 1;
        high = b_first ? i : high;
    }
    return low;
}

/* A block: [a, a_end) of one array and [b, b_end) of the other go to the places from `at` on. */
typedef struct block {
    size_t a, a_end, b, b_end, at;
} block;

static void merge_by_text(const merging *m, block x)
{
    const size_t size = m->key;
    unsigned char *out = m->to_keys + x.at * size;
    for (; x.a < x.a_end && x.b < x.b_end; out += size)
        memcpy(out, b_is_first(m, x.a, x.b) ? m->b.keys + x.b++ * size : m->a.keys + x.a++ * size, size);
    if (x.a < x.a_end) memcpy(out, m->a.keys + x.a * size, (x.a_end - x.a) * size);
    if (x.b < x.b_end) memcpy(out, m->b.keys + x.b * size, (x.b_end - x.b) * size);
}

/* Fetches the values of a block, of which `from` says which ones: first those of a, then those of b. */
static void gather(const merging *m, const block *x, const uint32_t *from)
{
    const size_t a_n = x->a_end - x->a, n = a_n + x->b_end - x->b;
    unsigned char *const out = m->to_values + x->at * m->value;
    for (size_t i = 0; i < n; i++) {
        const unsigned char *const value =
            from[i] < a_n ? m->a.values + (x->a + from[i]) * m->value : m->b.values + (x->b + from[i] - a_n) * m->value;
        memcpy(out + i * m->value, value, m->value);
    }
}

static void merge_by_keys(const merging *m, block x, uint32_t *index)
{
    const size_t a_n = x.a_end - x.a, b_n = x.b_end - x.b;
    opi_merge_run a = {.keys = m->a.keys + x.a * m->key, .n = a_n}, b = {.keys = m->b.keys + x.b * m->key, .n = b_n};
    opi_merge_place to = {.keys = m->to_keys + x.at * m->key};
    uint32_t *const merged = index + a_n + b_n;
    if (m->payload == OPI_MERGE_INDEX) {
        for (uint32_t i = 0; i < a_n + b_n; i++) index[i] = i;
        a.payload = (const unsigned char *)index;
        b.payload = (const unsigned char *)(index + a_n);
        to.payload = (unsigned char *)merged;
    } else if (m->payload != OPI_MERGE_NOTHING) {
        a.payload = m->a.values + x.a * m->value;
        b.payload = m->b.values + x.b * m->value;
        to.payload = m->to_values + x.at * m->value;
    }
    opi_merge_two(&m->order, m->payload == OPI_MERGE_INDEX ? OPI_MERGE_VALUE4 : m->payload, a, b, to);
    if (m->payload == OPI_MERGE_INDEX) gather(m, &x, merged);
}

/* An array that has no elements in the block: the other's are copied.  Its address may be NULL. */
static bool copy_alone(const merging *m, const block *x)
{
    const bool a_alone = x->b == x->b_end;
    if (!a_alone && x->a < x->a_end) return false;
    const opi_merge_side *const side = a_alone ? &m->a : &m->b;
    const size_t from = a_alone ? x->a : x->b, n = a_alone ? x->a_end - x->a : x->b_end - x->b;
    memcpy(m->to_keys + x->at * m->key, side->keys + from * m->key, n * m->key);
    if (m->value) memcpy(m->to_values + x->at * m->value, side->values + from * m->value, n * m->value);
    return true;
}

/* Cuts ascend, unless an array is not sorted: then a block must stay inside all the same. */
static size_t between(size_t least, size_t x, size_t most) { return x < least ? least : opi_smaller(x, most); }

static void apply(const opi_sweep *sweep, size_t begin, size_t end, void *carry, const void *total, bool aggregated,
                  void *scratch)
{
    const merging *const m = (const merging *)sweep;
    const size_t a = cut_at(m, begin), a_end = between(a, cut_at(m, end), a + (end - begin));
    const block x = {a, a_end, begin - a, end - a_end, begin};
    (void)carry, (void)total, (void)aggregated;
    if (copy_alone(m, &x)) return;
    if (m->fn)
        merge_by_text(m, x);
    else
        merge_by_keys(m, x, scratch);
}

static opi_merge_side side_of(const opi_task *task, int keys, int values)
{
    return (opi_merge_side){task->array[keys].mem, task->array[values].mem, task->array[keys].items};
}

void opi_merge_path_plan(opi_merge_path_sweep *plan, const opi_task *task)
{
    opi_sweep_clear(&plan->sweep);
    plan->fn = task->fn;
    plan->less = task->fn ? opi_leaf_of(task->fn) : NULL;
    if (!task->fn) plan->order = opi_key_order_of(task->merge.key, task->merge.order);
    plan->key = task->array[OPI_MERGED_KEYS].size;
    plan->value = task->merge.value ? task->merge.value->size : 0;
    plan->payload = plan->value == 0   ? OPI_MERGE_NOTHING
                    : plan->value == 4 ? OPI_MERGE_VALUE4
                    : plan->value == 8 ? OPI_MERGE_VALUE8
                                       : OPI_MERGE_INDEX;
    plan->a = side_of(task, OPI_A_KEYS, OPI_A_VALUES);
    plan->b = side_of(task, OPI_B_KEYS, OPI_B_VALUES);
    plan->to_keys = (unsigned char *)task->array[OPI_MERGED_KEYS].mem;
    plan->to_values = (unsigned char *)task->array[OPI_MERGED_VALUES].mem;
    plan->sweep.n = task->n;
    plan->sweep.block = opi_smaller(opi_elements_in(BLOCK_BYTES, plan->key + plan->value), BLOCK_MOST);
    plan->sweep.bytes = 2 * task->n * (plan->key + plan->value);
    if (plan->payload == OPI_MERGE_INDEX)
        plan->sweep.scratch_bytes = 2 * opi_smaller(plan->sweep.block, task->n) * sizeof(uint32_t);
    plan->sweep.apply = apply;
}
