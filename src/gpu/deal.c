#include "gpu/deal.h"

#include "base/error.h"
#include "gpu/deals.h"
#include "gpu/memory.h"

/* --- who has what -------------------------------------------------------------------------------------------------- */

/* How many of the first x items are this accelerator's: all runs that are whole, and a part of the one that x cuts. */
static uint64_t own_of(const opi_dealt *d, uint64_t x)
{
    const uint64_t run = (uint64_t)1 << d->log_run, round = run * d->workers, in_round = x % round;
    const uint64_t before = d->own * run;
    return x / round * run + (in_round <= before ? 0 : opi_smaller(in_round - before, run));
}

uint64_t opi_deal_items(const opi_deal *deal, uint64_t items, size_t bytes, opi_dealt *dealt)
{
    dealt->workers = deal->workers;
    dealt->own = deal->own;
    dealt->log_run = 0;
    while (bytes << (dealt->log_run + 1) <= deal->page) dealt->log_run++;
    const uint64_t round = (uint64_t)deal->workers << dealt->log_run;
    dealt->lead = (uint32_t)(deal->beyond / bytes % round);
    dealt->first = (uint32_t)own_of(dealt, dealt->lead);
    return own_of(dealt, dealt->lead + items) - dealt->first;
}

size_t opi_deal_item_bytes(const opi_deal *deal, uint64_t bytes, size_t least)
{
    enum { ITEMS = 1024 /* of each accelerator: its work-groups all have some */ };
    size_t own = 1;
    while (own < least && 2 * own <= deal->page) own *= 2;
    while (2 * own <= deal->page && bytes / (2 * own) >= (uint64_t)ITEMS * deal->workers) own *= 2;
    return own;
}

/* Others may still be at work for an earlier call. */
static oplus_status wait_for_all(const opi_deal *deal, const char *call)
{
    for (unsigned w = 0; w < deal->workers; w++) {
        opi_gpu *const gpu = deal->all[w]->gpu;
        OPI_TRY(opi_enter(gpu, call));
        OPI_TRY(opi_leave(gpu, call, gpu->driver->sync(gpu, call, OPI_QUEUE_COMPUTE)));
    }
    return OPLUS_OK;
}

oplus_status opi_deal_reserve(const opi_deal *deal, const char *call, opi_gpu_buffer *buffer, size_t bytes)
{
    if (buffer->mem && bytes > buffer->bytes) OPI_TRY(wait_for_all(deal, call));
    return opi_gpu_reserve(deal->all[deal->own], call, buffer, bytes);
}

unsigned opi_deal_owner(const opi_dealt *dealt, uint64_t i)
{
    return (unsigned)(((dealt->lead + i) >> dealt->log_run) % dealt->workers);
}

void opi_deal_write(const opi_deal *deal, opi_gpu_source *source)
{
    opi_gpu_define(source, "OPI_DEALT", deal != NULL);
    opi_gpu_write_kernels(source, "dealt");
}

opi_dealt_pages opi_deal_pages(const opi_deal *deal)
{
    opi_dealt_pages p = {.workers = 1};
    if (!deal) return p;
    p = (opi_dealt_pages){.beyond = deal->beyond, .workers = deal->workers, .own = deal->own};
    while ((size_t)2 << p.log_page <= deal->page) p.log_page++;
    return p;
}

void opi_deal_write_pages(const opi_deal *deal, opi_gpu_source *source)
{
    opi_gpu_define(source, "OPI_DEALT", deal != NULL);
    opi_gpu_write_kernels(source, "pages");
}

/* So many bytes are dealt out page by page, from the beginning of a page of accelerator 0 on. */
static uint64_t own_pages(const opi_shares *s, uint64_t bytes)
{
    const uint64_t pages = bytes == 0 ? 0 : (bytes - 1) / s->page + 1;
    return pages > s->own ? (pages - 1 - s->own) / s->workers + 1 : 0;
}

opi_shares opi_deal_shares(const opi_deal *deal, uint64_t items, uint64_t bytes)
{
    opi_shares s = {.page = bytes, .bytes = bytes, .items = items, .each = 1, .workers = 1};
    if (deal) {
        s.workers = deal->workers;
        s.own = deal->own;
    }
    if (deal && bytes < deal->page) {
        s.page = deal->page;
        s.beyond = deal->beyond % (deal->page * deal->workers);
        s.each = (uint32_t)((deal->page - 1) / bytes + 1);
    }
    s.slots = own_pages(&s, s.beyond + items * bytes) * s.each;
    return s;
}

void opi_deal_write_shares(const opi_deal *deal, opi_gpu_source *source)
{
    opi_gpu_define(source, "OPI_DEALT", deal != NULL);
    opi_gpu_write_kernels(source, "shares");
}

/* --- the steps ----------------------------------------------------------------------------------------------------- */

static opi_job job_of(const opi_deal *deal, const char *call, const opi_task *task)
{
    return (opi_job){
        .g = deal->all[deal->own], .call = call, .task = task, .deal = deal, .index = opi_task_index(task)};
}

/* Of two arrays with as many items each the one with more bytes. */
static int larger_of(const opi_task *task, int a, int b) { return task->array[a].size < task->array[b].size ? b : a; }

int opi_deal_by(const opi_task *task)
{
    switch (task->what) {
    case OPI_MERGE:
        return OPI_MERGED_KEYS;
    case OPI_TAKE:
        return larger_of(task, OPI_TAKEN_OUT, OPI_INDICES);
    case OPI_PUT:
        return OPI_TABLE;
    case OPI_BOUNDS:
        return larger_of(task, OPI_WANTED, OPI_BOUNDS_OUT);
    default:
        return OPI_IN;
    }
}

/* Each accelerator has a page at least, if arrays lie in pages that are dealt out. */
static bool is_enough(const opi_deal *deal, const opi_task *task)
{
    const opi_array *const by = &task->array[opi_deal_by(task)];
    return by->items >= deal->page / by->size * deal->workers;
}

bool opi_deal_can(const opi_deal *deal, const opi_task *task)
{
    opi_job job = job_of(deal, "oplus", task);
    return opi_deals[task->what].can && task->first == 0 && is_enough(deal, task) && opi_deals[task->what].can(&job);
}

bool opi_deal_is_joined(const opi_task *task) { return opi_deals[task->what].joins; }

static oplus_status take_step(const opi_deal *deal, const char *call, const opi_task *task, opi_deal_step *of)
{
    opi_job job = job_of(deal, call, task);
    if (!of) return OPLUS_OK;
    OPI_INSIDE(job.g->gpu, call, of(&job));
}

oplus_status opi_deal_prepare(const opi_deal *deal, const char *call, const opi_task *task)
{
    deal->all[deal->own]->ticket = 0;
    return take_step(deal, call, task, opi_deals[task->what].prepare);
}

oplus_status opi_deal_look(const opi_deal *deal, const char *call, const opi_task *task)
{
    return take_step(deal, call, task, opi_deals[task->what].look);
}

oplus_status opi_deal_run(const opi_deal *deal, const char *call, const opi_task *task)
{
    return take_step(deal, call, task, opi_deals[task->what].run);
}

bool opi_deal_awaits(const opi_task *task) { return opi_deals[task->what].awaits; }

unsigned opi_deal_ends_at(const opi_deal *deal, const opi_task *task)
{
    const opi_job job = job_of(deal, "oplus", task);
    return opi_deals[task->what].ends_at ? opi_deals[task->what].ends_at(&job) : 0;
}

oplus_status opi_deal_finish(const opi_deal *deal, const char *call, const opi_task *task)
{
    if (deal->own != opi_deal_ends_at(deal, task)) return OPLUS_OK;
    return take_step(deal, call, task, opi_deals[task->what].finish);
}
