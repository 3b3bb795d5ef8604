/* The model as a table of driver calls: memory of the host, replayed kernels, and no asynchronous calls. */
#include "lab/model/model.h"

#include "base/error.h"
#include "lab/model/warp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ITEMS = 1024 };

typedef struct model {
    opi_gpu gpu;
    bool whole;
    uint64_t row; /* groups; 0: there are no rows */
    lab_tally tally;
    lab_events events[MOST_ITEMS];
} model;

static model *self(opi_gpu *gpu) { return (model *)gpu; }

/* --- 1. memory ---------------------------------------------------------------------------------------------------- */

static oplus_status no_memory(const char *call, size_t bytes)
{
    return opi_fail(OPLUS_ERR_MEMORY, "%s: no memory (%zu bytes) for the model; free some", call, bytes);
}

static oplus_status alloc(opi_gpu *gpu, const char *call, size_t bytes, void **mem)
{
    (void)gpu;
    const size_t whole = (bytes + 255) / 256 * 256;
    *mem = aligned_alloc(256, whole);
    if (!*mem) return no_memory(call, bytes);
    return OPLUS_OK;
}

static void release(opi_gpu *gpu, void *mem)
{
    (void)gpu;
    free(mem);
}

static oplus_status copy(opi_gpu *gpu, const char *call, opi_gpu_queue queue, void *to, const void *from, size_t bytes)
{
    (void)gpu, (void)call, (void)queue;
    memcpy(to, from, bytes);
    return OPLUS_OK;
}

/* --- 2. launches -------------------------------------------------------------------------------------------------- */

typedef struct launching {
    model *m;
    const char *call;
    const lab_model_kernel *kernel;
    const opi_gpu_argument *argument;
    uint64_t groups;
    unsigned items;
    oplus_status status; /* the first that failed */
} launching;

static void call_item(const void *context)
{
    const launching *const l = context;
    l->kernel->call(l->argument);
}

static lab_tally run_group(launching *l, uint64_t group)
{
    if (l->status == OPLUS_OK &&
        !lab_trace_run(call_item, l, (uint32_t)group, (uint32_t)l->groups, l->items, l->m->events))
        l->status = no_memory(l->call, 0);
    return l->status == OPLUS_OK ? lab_tally_of(l->m->events, l->items) : (lab_tally){0};
}

static bool same(const lab_tally *a, const lab_tally *b) { return memcmp(a, b, sizeof *a) == 0; }

static void add(lab_tally *to, const lab_tally *each, uint64_t times)
{
    to->divergent += times * each->divergent;
    to->conflicts += times * each->conflicts;
    to->requests += times * each->requests;
    to->sectors += times * each->sectors;
    to->warps += times * each->warps;
}

/* NOLINTBEGIN(misc-no-recursion): the depth is at most logarithmic in the number of groups */
static lab_tally run_groups(launching *l, uint64_t begin, uint64_t end, uint64_t unit);

/* Runs the unit that begins at `begin`: one group, or a row of groups. */
static lab_tally run_unit(launching *l, uint64_t begin, uint64_t unit)
{
    const uint64_t end = l->groups - begin < unit ? l->groups : begin + unit;
    return unit == 1 ? run_group(l, begin) : run_groups(l, begin, end, 1);
}

/* Counts the units between two that have been counted: if one in the middle equals both, all are taken as equal;
 * else each half is counted by itself. */
static void run_between(launching *l, uint64_t unit, uint64_t first, const lab_tally *at_first, uint64_t last,
                        const lab_tally *at_last, lab_tally *sum)
{
    const uint64_t between = (last - first) / unit - 1;
    if (between == 0) return;
    const uint64_t middle = first + (between + 1) / 2 * unit;
    const lab_tally at_middle = run_unit(l, middle, unit);
    if (!l->m->whole && same(at_first, &at_middle) && same(&at_middle, at_last)) {
        add(sum, &at_middle, between);
        return;
    }
    add(sum, &at_middle, 1);
    run_between(l, unit, first, at_first, middle, &at_middle, sum);
    run_between(l, unit, middle, &at_middle, last, at_last, sum);
}

/* Runs groups [begin, end), unit by unit. */
static lab_tally run_groups(launching *l, uint64_t begin, uint64_t end, uint64_t unit)
{
    const uint64_t last = begin + (end - begin - 1) / unit * unit;
    lab_tally sum = run_unit(l, begin, unit);
    if (last == begin) return sum;
    const lab_tally at_first = sum, at_last = run_unit(l, last, unit);
    add(&sum, &at_last, 1);
    run_between(l, unit, begin, &at_first, last, &at_last, &sum);
    return sum;
}
/* NOLINTEND(misc-no-recursion) */

static oplus_status launch(opi_gpu *gpu, const char *call, const opi_launch *launch)
{
    launching l = {self(gpu), call, launch->kernel, launch->argument, launch->groups, launch->items, OPLUS_OK};
    if (l.groups == 0) return OPLUS_OK;
    if (l.items > MOST_ITEMS)
        return opi_fail(OPLUS_ERR_UNSUPPORTED, "%s: work-groups of %u; the model has up to %d", call, l.items,
                        (int)MOST_ITEMS);
    const lab_tally all = run_groups(&l, 0, l.groups, l.m->row ? l.m->row : 1);
    add(&l.m->tally, &all, 1);
    return l.status;
}

static oplus_status sync(opi_gpu *gpu, const char *call, opi_gpu_queue queue)
{
    (void)gpu, (void)call, (void)queue;
    return OPLUS_OK;
}

static void close_model(opi_gpu *gpu)
{
    for (unsigned i = 0; i < MOST_ITEMS; i++) free(self(gpu)->events[i].event);
    free(gpu);
}

/* The calls that the lab makes. */
static const opi_driver driver = {.name = "model",
                                  .dialect = "host",
                                  .close = close_model,
                                  .alloc = alloc,
                                  .free = release,
                                  .pinned_alloc = alloc,
                                  .pinned_free = release,
                                  .upload = copy,
                                  .download = copy,
                                  .copy = copy,
                                  .launch = launch,
                                  .sync = sync};

/* --- 3. the model ------------------------------------------------------------------------------------------------- */

opi_gpu *lab_model_open(const opi_gpu_facts *like)
{
    model *const m = calloc(1, sizeof *m);
    if (!m) return NULL;
    m->gpu.driver = &driver;
    m->gpu.facts = *like;
    m->gpu.facts.lanes = 32;
    return (opi_gpu *)m;
}

bool lab_model_whole(opi_gpu *gpu, bool whole)
{
    const bool before = self(gpu)->whole;
    self(gpu)->whole = whole;
    return before;
}

void lab_model_rows(opi_gpu *gpu, uint64_t groups) { self(gpu)->row = groups; }

void lab_model_counts(opi_gpu *gpu, lab_counts *counts)
{
    const lab_tally *const t = &self(gpu)->tally;
    const struct {
        lab_counter which;
        uint64_t value;
    } told[] = {{LAB_DIVERGENT, t->divergent},
                {LAB_CONFLICTS, t->conflicts},
                {LAB_WARPS, t->warps},
                {LAB_REQUESTS, t->requests},
                {LAB_SECTORS, t->sectors}};
    *counts = (lab_counts){{false}, {0}};
    for (size_t i = 0; i < sizeof told / sizeof *told; i++) {
        counts->known[told[i].which] = true;
        counts->of[told[i].which] = (double)told[i].value;
    }
    self(gpu)->tally = (lab_tally){0};
}

const lab_model_kernel *lab_model_find(const char *file, const char *kernel)
{
    for (const lab_model_file *f = lab_model_files; f->name; f++)
        for (const lab_model_kernel *k = f->kernels; strcmp(f->name, file) == 0 && k->name; k++)
            if (strcmp(k->name, kernel) == 0) return k;
    return NULL;
}
