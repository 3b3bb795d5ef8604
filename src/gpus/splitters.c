/* The element at a boundary is searched for in all runs at the same time.  Of each run it is known that its cut is from
 * `low` to `high`.  In a round every worker gives some of its keys in between, at equal distances; each of them bounds the
 * rank of its element in the result, and most of them are therefore known to be before the boundary, or behind it. */
#include "gpus/splitters.h"

#include "base/error.h"
#include "base/memory.h"
#include "cores/merge.h"
#include "gpus/together.h"
#include "task/make.h"

#include <string.h>

enum { SAMPLES = 2048 /* of all runs together, in a round */ };

/* What is known of a run: elements before `low` are before the boundary, those from `high` on are not. */
typedef struct span {
    size_t low, high;
    size_t count;          /* samples */
    size_t at[SAMPLES];    /* their places, */
    uint64_t key[SAMPLES]; /* ... and their keys, as numbers */
} span;

typedef struct search {
    opi_gpus *g;
    const char *call;
    const opi_gpus_runs *runs;
    opi_key_order order;
    span of[OPI_MOST_WORKERS];
} search;

/* --- samples ------------------------------------------------------------------------------------------------------ */

/* Fetches the keys of the samples of a run. */
static oplus_status fetch(void *context, unsigned w)
{
    search *const s = context;
    span *const run = &s->of[w];
    oplus_device *const worker = s->g->worker[w];
    uint64_t index[SAMPLES], keys[SAMPLES]; /* room for keys of any size */
    opi_task task;
    if (run->count == 0) return OPLUS_OK;
    for (size_t i = 0; i < run->count; i++) index[i] = run->at[i];
    const opi_indices indices = {
        .at = index, .count = run->count, .type = &oplus_u64, .n = s->runs->n[w], .clip = true};
    opi_task_take(&task, s->order.size, s->runs->keys[w], &indices, keys);
    OPI_TRY(worker->machine->run(worker, s->call, &task, NULL));
    for (size_t i = 0; i < run->count; i++) run->key[i] = opi_key_at(&s->order, keys, i);
    return OPLUS_OK;
}

/* Places at equal distances, from `low` on; all of them if they are few. */
static bool choose(const search *s, span *run)
{
    const size_t most = SAMPLES / s->g->count, left = run->high - run->low;
    const size_t step = left <= most ? 1 : (left + most - 1) / most;
    run->count = 0;
    for (size_t at = run->low; at < run->high; at += step) run->at[run->count++] = at;
    return left > 0;
}

/* --- ranks -------------------------------------------------------------------------------------------------------- */

/* How many samples of run r come before an element of run q with that key. */
static size_t samples_before(const span *run, uint64_t key, bool earlier)
{
    size_t low = 0, high = run->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (run->key[middle] < key || (earlier && run->key[middle] == key))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Bounds of how many elements come before sample i of run q.  If the sample is before the boundary, so are all that `least`
 * counts, and there are less than `target` of them; if it is not, then neither is anything that `most` does not count. */
static void bound_rank(const search *s, unsigned q, size_t i, size_t *least, size_t *most)
{
    *least = *most = s->of[q].at[i];
    for (unsigned r = 0; r < s->g->count; r++) {
        const span *const run = &s->of[r];
        if (r == q) continue;
        const size_t k = samples_before(run, s->of[q].key[i], r < q);
        *least += k == 0 ? run->low : run->at[k - 1] + 1;
        *most += k == run->count ? run->high : run->at[k];
    }
}

typedef struct bounds {
    size_t low, high;
} bounds;

/* Narrows the cut of run q by its samples, whose ranks grow. */
static bounds narrowed(const search *s, unsigned q, size_t target)
{
    bounds cut = {s->of[q].low, s->of[q].high};
    size_t least, most;
    for (size_t i = 0; i < s->of[q].count; i++) {
        bound_rank(s, q, i, &least, &most);
        if (most < target) cut.low = s->of[q].at[i] + 1;
        if (least < target) continue;
        cut.high = s->of[q].at[i];
        break;
    }
    return cut;
}

static void narrow(search *s, size_t target)
{
    bounds next[OPI_MOST_WORKERS];
    for (unsigned q = 0; q < s->g->count; q++) next[q] = narrowed(s, q, target);
    for (unsigned q = 0; q < s->g->count; q++) {
        s->of[q].low = next[q].low;
        s->of[q].high = next[q].high;
    }
}

/* --- all of it ---------------------------------------------------------------------------------------------------- */

static oplus_status search_cuts(search *s, size_t target)
{
    for (unsigned q = 0; q < s->g->count; q++) {
        s->of[q].low = 0;
        s->of[q].high = s->runs->n[q];
    }
    for (;;) {
        bool open = false;
        for (unsigned q = 0; q < s->g->count; q++) open |= choose(s, &s->of[q]);
        if (!open) return OPLUS_OK;
        OPI_TRY(opi_gpus_together(s->g, fetch, s));
        narrow(s, target);
    }
}

oplus_status opi_gpus_split(opi_gpus *g, const char *call, const opi_gpus_runs *runs, size_t target,
                            size_t cut[OPI_MOST_WORKERS])
{
    search *const s = opi_alloc(sizeof *s);
    if (!s) return opi_fail(OPLUS_ERR_MEMORY, "%s: no memory for %zu bytes of samples; free some", call, sizeof *s);
    s->g = g;
    s->call = call;
    s->runs = runs;
    s->order = opi_key_order_of(runs->key, runs->order);
    const oplus_status status = search_cuts(s, target);
    for (unsigned q = 0; q < g->count; q++) cut[q] = s->of[q].low;
    opi_free(s);
    return status;
}
