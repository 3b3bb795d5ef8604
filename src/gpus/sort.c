/* The way "blocks" of a sort, of keys or pairs:
 *
 *   1. each worker sorts a block of the elements into memory of its own
 *   2. it is found where each block of the result begins in all of these (gpus/splitters.h)
 *   3. each worker merges its block of the result from the parts of all workers, which it reads from their memory
 *
 * Of equal keys those of earlier blocks come first: the sort is stable.  The caller's arrays are written last.
 *
 * If the keys lie in pages that are dealt out, the host need not look for anything, and waits for nothing: each
 * worker writes the pages of the result that it has, and finds itself where the parts of tiles begin, among samples
 * of all blocks that it has been told (gpu/order/merge_runs.cl).  Of keys alone, whose order nobody can see, a
 * block is what lies in the worker's own pages, and each key crosses a link once at most; of pairs it is a copy of
 * neighbouring elements. */
#include "base/error.h"
#include "base/memory.h"
#include "gpus/copy.h"
#include "gpus/order.h"
#include "gpus/pages.h"
#include "gpus/splitters.h"
#include "gpus/together.h"
#include "gpus/ways.h"
#include "task/make.h"

enum {
    LEAST = 1024, /* elements of a block, so that all have some */
    /* Of all keys; fewer are sorted sooner by one GPU: of u32 128 MiB take as long by one, two or four H200, 256
     * MiB 0.92 of one's time by two, 0.78 by four.  Of the host (an estimate): copies take far longer. */
    LEAST_DEALT = 256 << 20,
    LEAST_HOST = 64 << 20
};

/* Keys, and values that go with them. */
typedef struct pieces {
    char *keys, *values;
    size_t n;
} pieces;

typedef struct sorting {
    const opi_gpus_job *job;
    opi_gpus *g;
    size_t key, value;                                  /* bytes of each; value 0: there are only keys */
    pieces own;                                         /* the caller's arrays */
    bool deliver;                                       /* ... are the host's */
    bool gathers;                                       /* a block is a worker's own pages, not neighbouring elements */
    bool deals;                                         /* the merge is dealt out as the keys are, */
    opi_gpus_dealing dealing;                           /* ... in these pages */
    opi_deal_runs runs;                                 /* the blocks, for such a merge */
    size_t begin[OPI_MOST_WORKERS + 1];                 /* of each block of the result */
    size_t size[OPI_MOST_WORKERS];                      /* elements of each block that is sorted */
    pieces block[OPI_MOST_WORKERS];                     /* of each worker, sorted */
    size_t cut[OPI_MOST_WORKERS + 1][OPI_MOST_WORKERS]; /* of each block of the result: where it begins in all blocks */
} sorting;

static pieces part_of(const sorting *s, pieces whole, size_t begin, size_t end)
{
    return (pieces){whole.keys + begin * s->key, s->value ? whole.values + begin * s->value : NULL, end - begin};
}

/* --- memory ------------------------------------------------------------------------------------------------------- */

/* Elements of the largest block, sorted or of the result. */
static size_t most_elements(const sorting *s)
{
    size_t most = 0;
    for (unsigned w = 0; w < s->g->count; w++)
        most = opi_larger(most, opi_larger(s->size[w], s->begin[w + 1] - s->begin[w]));
    return most;
}

static pieces room_of(const sorting *s, unsigned w, unsigned which)
{
    const size_t n = most_elements(s), keys = opi_round_up(n * s->key, OPI_CACHE_LINE);
    const size_t each = keys + opi_round_up(n * s->value, OPI_CACHE_LINE);
    char *const mem = (char *)s->g->scratch[w].mem + which * each;
    return (pieces){mem, s->value ? mem + keys : NULL, n};
}

/* How many times parts are merged by twos before two are left. */
static unsigned rounds(const sorting *s) { return (s->g->count > 2) + (s->g->count > 4); }

/* Room 0 is for the block.  Each round has a room of its own, as parts may stay where they are for several rounds; and what
 * is copied to the host has one, too. */
static unsigned rooms(const sorting *s) { return s->deals ? 1 : 1 + rounds(s) + s->deliver; }

static oplus_status reserve(void *context, unsigned w)
{
    const sorting *const s = context;
    const size_t n = most_elements(s);
    const size_t each = opi_round_up(n * s->key, OPI_CACHE_LINE) + opi_round_up(n * s->value, OPI_CACHE_LINE);
    if (!s->deals) return opi_gpus_reserve(s->g, s->job->call, w, rooms(s) * each);
    const size_t more = opi_deal_merge_bytes(&s->dealing.of[w], &s->runs);
    return opi_gpus_reserve(s->g, s->job->call, w, rooms(s) * each + more);
}

/* Makes ready a merge that is dealt out.  The first worker compiles, and the others then find what it has kept in
 * the cache. */
static oplus_status prepare_dealt(sorting *s)
{
    for (unsigned w = 0; w < s->g->count; w++) {
        const pieces block = room_of(s, w, 0);
        s->runs.keys[w] = block.keys;
        s->runs.values[w] = block.values;
        s->runs.memory[w] = room_of(s, w, 1).keys; /* behind the block */
        OPI_TRY(opi_deal_merge_prepare(&s->dealing.of[w], s->job->call, &s->runs));
    }
    return OPLUS_OK;
}

/* --- 1. blocks ---------------------------------------------------------------------------------------------------- */

static oplus_status copy_bytes(const sorting *s, unsigned w, void *to, const void *from, size_t bytes)
{
    oplus_device *const worker = s->g->worker[w];
    if (!s->deliver) return opi_gpus_move(worker, s->job->call, to, from, bytes);
    return worker->machine->copy(worker, s->job->call, to, from, bytes);
}

static oplus_status copy(const sorting *s, unsigned w, pieces to, pieces from)
{
    OPI_TRY(copy_bytes(s, w, to.keys, from.keys, from.n * s->key));
    return s->value ? copy_bytes(s, w, to.values, from.values, from.n * s->value) : OPLUS_OK;
}

static oplus_status sort_block(void *context, unsigned w)
{
    sorting *const s = context;
    const opi_task *const task = s->job->task;
    oplus_device *const worker = s->g->worker[w];
    opi_task own;
    s->block[w] = room_of(s, w, 0);
    s->block[w].n = s->size[w];
    opi_task_sort(&own, task->sort.key, task->sort.order, s->block[w].keys, task->sort.value, s->block[w].values,
                  s->size[w]);
    if (s->gathers) {
        OPI_TRY(opi_deal_sort(&s->dealing.of[w], s->job->call, &own, s->own.keys, s->own.n));
    } else {
        OPI_TRY(copy(s, w, s->block[w], part_of(s, s->own, s->begin[w], s->begin[w + 1])));
        OPI_TRY(worker->machine->run(worker, s->job->call, &own, NULL));
    }
    return s->deals ? opi_deal_merge_sample(&s->dealing.of[w], s->job->call, &s->runs) : OPLUS_OK;
}

/* --- 2. where blocks of the result begin -------------------------------------------------------------------------- */

static oplus_status find_cuts(sorting *s)
{
    opi_gpus_runs runs = {.key = s->job->task->sort.key, .order = s->job->task->sort.order};
    for (unsigned q = 0; q < s->g->count; q++) {
        runs.keys[q] = s->block[q].keys;
        runs.n[q] = s->cut[s->g->count][q] = s->block[q].n;
        s->cut[0][q] = 0;
    }
    for (unsigned w = 1; w < s->g->count; w++)
        OPI_TRY(opi_gpus_split(s->g, s->job->call, &runs, s->begin[w], s->cut[w]));
    return OPLUS_OK;
}

/* --- 3. merges ---------------------------------------------------------------------------------------------------- */

static void merge_task(const sorting *s, opi_task *task, pieces a, pieces b, pieces to)
{
    const opi_task *const sort = s->job->task;
    opi_task_merge(task, sort->sort.key, sort->sort.order, NULL, a.keys, a.n, b.keys, b.n, to.keys);
    if (s->value) opi_task_merge_values(task, sort->sort.value, a.values, b.values, to.values);
}

/* Merges neighbours of a list of parts into `to`, and makes the list one of what has been merged.  Returns how many there
 * are then.  An odd one, and one beside nothing, stays where it is, unless it is the last. */
static oplus_status merge_neighbours(const sorting *s, unsigned w, pieces *list, unsigned *count, pieces to)
{
    oplus_device *const worker = s->g->worker[w];
    const bool last = *count <= 2;
    size_t at = 0;
    unsigned made = 0;
    for (unsigned i = 0; i < *count; i += 2) {
        const pieces a = list[i], b = i + 1 < *count ? list[i + 1] : (pieces){NULL, NULL, 0};
        const pieces place = part_of(s, to, at, at + a.n + b.n);
        opi_task task;
        at += place.n;
        if (a.n > 0 && b.n > 0) {
            merge_task(s, &task, a, b, place);
            OPI_TRY(worker->machine->run(worker, s->job->call, &task, NULL));
            list[made++] = place;
        } else if (last && place.n > 0) {
            OPI_TRY(copy(s, w, place, a.n > 0 ? a : b));
        } else {
            list[made++] = a.n > 0 ? a : b;
        }
    }
    *count = made;
    return OPLUS_OK;
}

static oplus_status merge_block(void *context, unsigned w)
{
    const sorting *const s = context;
    pieces list[OPI_MOST_WORKERS];
    const pieces result = part_of(s, s->own, s->begin[w], s->begin[w + 1]);
    unsigned count = s->g->count, room = 1;
    for (unsigned q = 0; q < count; q++) list[q] = part_of(s, s->block[q], s->cut[w][q], s->cut[w + 1][q]);
    for (; count > 2; room++) OPI_TRY(merge_neighbours(s, w, list, &count, room_of(s, w, room)));
    const pieces end = s->deliver ? part_of(s, room_of(s, w, room), 0, result.n) : result;
    OPI_TRY(merge_neighbours(s, w, list, &count, end));
    return s->deliver ? copy(s, w, result, end) : OPLUS_OK;
}

/* Memory and programs that merges need are there before a worker writes to the caller's arrays. */
static oplus_status prepare_merge(void *context, unsigned w)
{
    const sorting *const s = context;
    oplus_device *const worker = s->g->worker[w];
    const size_t n = s->begin[w + 1] - s->begin[w];
    const pieces half = part_of(s, s->block[w], 0, n / 2), rest = part_of(s, s->block[w], n / 2, n);
    opi_task task;
    merge_task(s, &task, half, rest, s->deliver ? room_of(s, w, 1) : part_of(s, s->own, s->begin[w], s->begin[w + 1]));
    return worker->machine->takes(worker, s->job->call, &task);
}

static oplus_status merge_pages(void *context, unsigned w)
{
    const sorting *const s = context;
    return opi_deal_merge_run(&s->dealing.of[w], s->job->call, &s->runs);
}

/* Each worker writes the pages that it has.  The host waits for nothing. */
static oplus_status merge_dealt(sorting *s)
{
    OPI_TRY(opi_gpus_begin_all(s->g, s->job->call));
    return opi_gpus_together(s->g, merge_pages, s);
}

/* The blocks of the result, one by one. */
static oplus_status merge_blocks(sorting *s)
{
    OPI_TRY(find_cuts(s));
    OPI_TRY(opi_gpus_together(s->g, prepare_merge, s));
    OPI_TRY(opi_gpus_begin_all(s->g, s->job->call));
    return opi_gpus_together(s->g, merge_block, s);
}

/* --- the way ------------------------------------------------------------------------------------------------------ */

/* Whether the keys lie in pages that are dealt out: enough of them, and none across the end of a page. */
static bool lies_dealt(const sorting *s)
{
    const opi_gpus_place *const place = &s->job->place[OPI_KEYS];
    return !s->deliver && place->side == OPI_LIES_DEALT && (uintptr_t)s->own.keys % s->key == 0 &&
           s->own.n * s->key >= place->range->page * s->g->count;
}

static void cut(sorting *s)
{
    const size_t n = s->own.n, count = s->g->count;
    opi_dealt dealt;
    for (unsigned w = 0; w <= count; w++)
        s->begin[w] = w == count ? n : n / count * w / OPI_CACHE_LINE * OPI_CACHE_LINE;
    for (unsigned w = 0; w < count; w++)
        s->size[w] =
            s->gathers ? (size_t)opi_deal_items(&s->dealing.of[w], n, s->key, &dealt) : s->begin[w + 1] - s->begin[w];
}

static void look(sorting *s, const opi_gpus_job *job)
{
    const opi_task *const task = job->task;
    *s = (sorting){.job = job,
                   .g = job->g,
                   .key = task->sort.key->size,
                   .value = task->sort.value ? task->sort.value->size : 0,
                   .own = {.n = task->n}};
    s->own.keys = (char *)task->array[OPI_KEYS].mem;
    s->own.values = s->value ? (char *)task->array[OPI_VALUES].mem : NULL;
    s->deliver =
        job->place[OPI_KEYS].side == OPI_LIES_ON_HOST || (s->value && job->place[OPI_VALUES].side == OPI_LIES_ON_HOST);
    s->runs = (opi_deal_runs){.key = task->sort.key,
                              .value = task->sort.value,
                              .order = task->sort.order,
                              .out = s->own.keys,
                              .out_values = s->own.values};
    if (lies_dealt(s) && opi_deal_merge_can(&s->runs)) {
        opi_gpus_describe(s->g, job->place[OPI_KEYS].range, s->own.keys, &s->dealing);
        s->deals = true;
        s->gathers = s->value == 0;
    }
    cut(s);
    for (unsigned w = 0; w < s->g->count; w++) s->runs.n[w] = s->size[w];
}

bool opi_gpus_sort_can(const opi_gpus_job *job)
{
    const opi_task *const task = job->task;
    return task->what == OPI_SORT && !task->sort.places && !opi_sort_is_limited(task) &&
           task->n >= (size_t)job->g->count * LEAST;
}

bool opi_gpus_sort_suits(const opi_gpus_job *job)
{
    const opi_task *const task = job->task;
    const size_t least = job->place[OPI_KEYS].side == OPI_LIES_ON_HOST ? LEAST_HOST : LEAST_DEALT;
    if (task->n * task->sort.key->size < least) return false;
    for (int k = 0; k < task->arrays; k++)
        if (job->place[k].side == OPI_LIES_ON_ONE) return false;
    return true;
}

oplus_status opi_gpus_sort_run(opi_gpus_job *job)
{
    sorting s;
    look(&s, job);
    OPI_TRY(opi_gpus_begin_all(job->g, job->call)); /* also before the scratch memory is freed that others read */
    OPI_TRY(opi_gpus_together(job->g, reserve, &s));
    if (s.deals) OPI_TRY(prepare_dealt(&s));
    OPI_TRY(opi_gpus_together(job->g, sort_block, &s));
    OPI_TRY(s.deals ? merge_dealt(&s) : merge_blocks(&s));
    return opi_gpus_join(job->g, job->call);
}

oplus_status opi_gpus_sort_take(opi_gpus_job *job)
{
    sorting s;
    look(&s, job);
    OPI_TRY(opi_gpus_sync(job->g, job->call));
    OPI_TRY(opi_gpus_together(job->g, reserve, &s));
    return s.deals ? prepare_dealt(&s) : OPLUS_OK;
}
