/* Runs of equal keys over ranks: each rank finds how far its first run goes and where its last one begins, all ranks
 * exchange this with their first and last keys, and so every rank knows which runs span ranks. */
#include "ranks/ranks.h"

#include "base/error.h"
#include "cores/cores.h"
#include "task/late.h"
#include "task/make.h"

#include <assert.h>
#include <string.h>

/* How many keys are looked at for the end of a run: few first, then more and more. */
enum { FEW = 1 << 12, MOST = 1 << 20, MORE = 16 };

/* What a rank tells; its first key and its last one follow. */
typedef struct edges {
    uint64_t lead, last, runs;
} edges;

static size_t record_bytes(const opi_runs *runs) { return sizeof(edges) + 2 * runs->key->size; }

oplus_status opi_runs_reserve(opi_ranks *ranks, opi_runs *runs, size_t record)
{
    const size_t p = (size_t)ranks->comm->size, size = runs->key->size;
    const size_t parts = opi_round_up(p * sizeof *runs->part, OPI_CACHE_LINE);
    const size_t own = opi_round_up(record_bytes(runs), OPI_CACHE_LINE), pairs = opi_round_up(2 * p * size, 8);
    OPI_TRY(
        opi_late_ready(ranks->call, runs->same ? runs->same->late : NULL)); /* the host compares keys of two ranks */
    if (!opi_buffer_reserve(&runs->memory, parts + own + pairs + 2 * p))
        return opi_fail(OPLUS_ERR_MEMORY, "%s: no memory for the first and last keys of %zu ranks (%zu bytes)",
                        ranks->call, p, parts + own + pairs + 2 * p);
    runs->part = runs->memory.mem;
    runs->record = (char *)runs->memory.mem + parts;
    runs->pairs = runs->record + own;
    runs->heads = (uint8_t *)runs->pairs + pairs;
    return opi_ranks_room(ranks, opi_larger(record_bytes(runs), record));
}

void opi_runs_release(opi_runs *runs) { opi_buffer_release(&runs->memory); }

/* --- on this rank -------------------------------------------------------------------------------------------------- */

static oplus_status copy(opi_ranks *ranks, void *to, const void *from, size_t bytes)
{
    return ranks->dev->machine->copy(ranks->dev, ranks->call, to, from, bytes);
}

/* Looks for beginnings of runs among n > 0 keys from index `at` on, the first of which counts as one.  firsts NULL: only
 * their number is wanted. */
static oplus_status look(opi_ranks *ranks, const opi_runs *runs, size_t at, size_t n, uint32_t *firsts, size_t *found)
{
    opi_task task;
    opi_task_select(&task, OPI_PICKS_HEADS, runs->same, runs->key, runs->keys + at * runs->key->size, NULL, n,
                    &(opi_selected){.index = firsts, .index_bytes = sizeof *firsts}, found);
    return opi_run(ranks->dev, ranks->call, &task, NULL);
}

static size_t next_window(size_t window) { return window < MOST ? MORE * window : window; }

static oplus_status find_lead(opi_ranks *ranks, const opi_runs *runs, uint32_t *firsts, uint64_t *lead)
{
    size_t begin = 0, window = FEW, found = 1; /* the key at `begin` is of the first run */
    uint32_t first = 0;
    for (*lead = 1; *lead < runs->n && found == 1; window = next_window(window)) {
        const size_t m = opi_smaller(window, runs->n - begin);
        OPI_TRY(look(ranks, runs, begin, m, firsts, &found));
        if (found > 1) OPI_TRY(copy(ranks, &first, firsts + 1, sizeof first));
        *lead = begin + (found > 1 ? first : m);
        begin += m - 1;
    }
    return OPLUS_OK;
}

static oplus_status find_last(opi_ranks *ranks, const opi_runs *runs, uint32_t *firsts, uint64_t *last)
{
    size_t end = runs->n, window = FEW, found = 1; /* the key before `end` is of the last run */
    uint32_t first = 0;
    for (*last = end - 1; *last > 0 && found == 1; window = next_window(window)) {
        const size_t m = opi_smaller(window, end);
        OPI_TRY(look(ranks, runs, end - m, m, firsts, &found));
        if (found > 1) OPI_TRY(copy(ranks, &first, firsts + found - 1, sizeof first));
        *last = end - m + (found > 1 ? first : 0);
        end -= m - 1;
    }
    return OPLUS_OK;
}

static oplus_status find_ends(opi_ranks *ranks, const opi_runs *runs, edges *own)
{
    const size_t most = opi_smaller(runs->n, MOST);
    void *firsts;
    OPI_TRY(opi_ranks_lend(ranks, runs->device, most * sizeof(uint32_t), &firsts));
    OPI_TRY(find_lead(ranks, runs, firsts, &own->lead));
    return own->lead < runs->n ? find_last(ranks, runs, firsts, &own->last) : OPLUS_OK;
}

/* Finds what this rank tells. */
static oplus_status find_own(opi_ranks *ranks, opi_runs *runs, opi_find what)
{
    const size_t size = runs->key->size, n = runs->n;
    edges own = {0};
    size_t found = 0;
    memset(runs->record, 0, record_bytes(runs));
    if (n == 0) return OPLUS_OK;
    if (what == OPI_FIND_COUNT) OPI_TRY(look(ranks, runs, 0, n, NULL, &found));
    own.runs = found;
    if (what != OPI_FIND_FIRST) OPI_TRY(find_ends(ranks, runs, &own));
    memcpy(runs->record, &own, sizeof own);
    OPI_TRY(copy(ranks, runs->record + sizeof own, runs->keys, size));
    return copy(ranks, runs->record + sizeof own + size, runs->keys + (n - 1) * size, size);
}

/* --- on all -------------------------------------------------------------------------------------------------------- */

/* Sets all parts, but for whether they continue, and collects pairs of keys that stand beside each other on two ranks.
 * Returns their number. */
static size_t collect(const opi_ranks *ranks, opi_runs *runs)
{
    const size_t size = runs->key->size;
    const char *before = NULL; /* the last key of the ranks before */
    char *pair = runs->pairs;
    for (int q = 0; q < ranks->comm->size; q++) {
        const char *const record = opi_ranks_record(ranks, q, record_bytes(runs)), *const keys = record + sizeof(edges);
        edges theirs;
        memcpy(&theirs, record, sizeof theirs);
        runs->part[q] = (opi_part){theirs.lead, theirs.last, theirs.runs, 0};
        if (ranks->note[q].n == 0) continue;
        if (before) {
            memcpy(pair, before, size);
            memcpy(pair + size, keys, size);
            pair += 2 * size;
        }
        before = keys + size;
    }
    return (size_t)(pair - runs->pairs) / (2 * size);
}

/* Compares the keys of all pairs, on the cores: there are few. */
static oplus_status compare(opi_ranks *ranks, opi_runs *runs)
{
    const size_t pairs = collect(ranks, runs);
    bool is_first = true;
    opi_task task;
    if (pairs == 0) return OPLUS_OK;
    opi_task_select(&task, OPI_PICKS_HEADS, runs->same, runs->key, runs->pairs, NULL, 2 * pairs,
                    &(opi_selected){.head = runs->heads, .index_bytes = sizeof(uint32_t)}, NULL);
    OPI_TRY(opi_cores_run(opi_cores_of(ranks->dev), ranks->call, &task, NULL));
    const uint8_t *head = runs->heads + 1;
    for (int q = 0; q < ranks->comm->size; q++) {
        if (ranks->note[q].n == 0) continue;
        if (!is_first) {
            runs->part[q].continues = !*head;
            head += 2;
        }
        is_first = false;
    }
    return OPLUS_OK;
}

oplus_status opi_runs_find(opi_ranks *ranks, opi_runs *runs, opi_find what)
{
    assert(runs->record);                                   /* otherwise the ranks would not have agreed */
    if (ranks->comm->size == 1 && what != OPI_FIND_COUNT) { /* nothing spans ranks */
        runs->part[0] = (opi_part){.lead = runs->n};
        return OPLUS_OK;
    }
    OPI_TRY(opi_ranks_gather(ranks, find_own(ranks, runs, what), runs->record, record_bytes(runs)));
    return opi_ranks_agree(ranks, compare(ranks, runs));
}

bool opi_runs_goes_on(const opi_ranks *ranks, const opi_runs *runs, int rank)
{
    for (int q = rank + 1; q < ranks->comm->size; q++)
        if (ranks->note[q].n > 0) return runs->part[q].continues;
    return false;
}

/* --- results, one for each run --------------------------------------------------------------------------------------- */

bool opi_runs_must_count(const opi_ranks *ranks, oplus_layout layout)
{
    if (layout == OPLUS_EVEN && ranks->comm->size > 1) return true;
    for (int q = 0; q < ranks->comm->size; q++)
        if (ranks->note[q].m < ranks->note[q].n) return true;
    return false;
}

oplus_status opi_runs_place(const opi_ranks *ranks, const opi_runs *runs, oplus_layout layout, const char *what,
                            opi_blocks *blocks, size_t *gets)
{
    const int p = ranks->comm->size;
    uint64_t total = 0;
    for (int q = 0; q < p; q++) total += opi_runs_begin(runs, q);
    for (int q = 0; q < p; q++) {
        const uint64_t takes = layout == OPLUS_EVEN ? opi_blocks_gets(ranks, total, q) : opi_runs_begin(runs, q);
        if (takes > ranks->note[q].m) return opi_ranks_too_small(ranks, what, q, takes);
        if (q == ranks->comm->rank) *gets = (size_t)takes;
    }
    if (layout == OPLUS_AS_GIVEN || p == 1) return OPLUS_OK;
    blocks->first[0] = 0;
    for (int q = 0; q < p; q++) blocks->first[q + 1] = blocks->first[q] + opi_runs_begin(runs, q);
    opi_blocks_list(ranks, blocks);
    return OPLUS_OK;
}
