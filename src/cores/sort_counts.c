#include "cores/sort_counts.h"

#include "base/error.h"

enum {
    BLOCK = 64 << 10,
    KEYS = 256,
    TABLES = 4 /* next to each other, equal keys are counted in others: no addition waits for the one before */
};

typedef struct counts_sweep {
    opi_sweep sweep; /* must be first */
    const opi_sort *sort;
    const size_t *starts; /* of what is written: where the keys of each number begin; one more is where all end */
} counts_sweep;

/* --- counting ------------------------------------------------------------------------------------------------------ */

static void start(const opi_sweep *sweep, size_t at, void *carry)
{
    (void)sweep, (void)at;
    memset(carry, 0, KEYS * sizeof(size_t));
}

static void join(const opi_sweep *sweep, void *left, const void *right)
{
    size_t *const to = left;
    const size_t *const from = right;
    (void)sweep;
    for (size_t k = 0; k < KEYS; k++) to[k] += from[k];
}

/* Counts a block or a few. */
static void count_block(const unsigned char *key, size_t n, size_t *counts)
{
    uint32_t table[TABLES][KEYS];
    size_t i = 0;
    memset(table, 0, sizeof table);
    for (; i + TABLES <= n; i += TABLES)
        for (size_t t = 0; t < TABLES; t++) table[t][key[i + t]]++;
    for (; i < n; i++) table[0][key[i]]++;
    for (size_t t = 0; t < TABLES; t++)
        for (size_t k = 0; k < KEYS; k++) counts[k] += table[t][k];
}

static void count(const opi_sweep *sweep, size_t begin, size_t end, void *carry, void *scratch)
{
    const counts_sweep *const plan = (const counts_sweep *)sweep;
    (void)scratch;
    for (size_t i = begin; i < end; i += BLOCK) count_block(plan->sort->keys + i, opi_smaller(BLOCK, end - i), carry);
}

/* --- writing ------------------------------------------------------------------------------------------------------- */

/* The key that comes as number r in the order of keys. */
static unsigned char key_of(const opi_sort *sort, size_t r)
{
    const size_t raw = r ^ (sort->flip & (KEYS - 1));
    return (unsigned char)(raw < KEYS / 2 ? raw : raw ^ (sort->float_mask & (KEYS - 1)));
}

static void fill(const opi_sweep *sweep, size_t begin, size_t end, void *carry, const void *total, bool aggregated,
                 void *scratch)
{
    const counts_sweep *const plan = (const counts_sweep *)sweep;
    (void)carry, (void)total, (void)aggregated, (void)scratch;
    for (size_t r = 0; r < KEYS; r++) {
        const size_t from = opi_larger(plan->starts[r], begin), to = opi_smaller(plan->starts[r + 1], end);
        if (from < to) memset(plan->sort->keys + from, key_of(plan->sort, r), to - from);
    }
}

/* --- the sort ------------------------------------------------------------------------------------------------------ */

bool opi_sort_counts_can(const opi_sort *sort)
{
    return sort->payload == OPI_SORT_KEY_ALONE && sort->key_size == 1 && !sort->limited && sort->n > OPI_SORT_SMALL;
}

static void plan_of(counts_sweep *plan, const opi_sort *sort)
{
    opi_sweep_clear(&plan->sweep);
    plan->sort = sort;
    plan->sweep.n = plan->sweep.bytes = sort->n;
    plan->sweep.block = BLOCK;
}

oplus_status opi_sort_counts_run(opi_cores *cores, const char *call, const opi_sort *sort)
{
    counts_sweep counting, writing;
    size_t counts[KEYS], starts[KEYS + 1] = {0};
    plan_of(&counting, sort);
    counting.sweep.carry_bytes = sizeof counts;
    counting.sweep.start = start;
    counting.sweep.aggregate = count;
    counting.sweep.join = join;
    start(&counting.sweep, 0, counts);
    OPI_TRY(opi_cores_sweep(cores, call, &counting.sweep, counts));
    for (size_t r = 0; r < KEYS; r++) starts[r + 1] = starts[r] + counts[key_of(sort, r)];
    plan_of(&writing, sort);
    writing.starts = starts;
    writing.sweep.apply = fill;
    writing.sweep.replaces = true;
    return opi_cores_sweep(cores, call, &writing.sweep, NULL);
}
