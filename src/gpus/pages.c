/* The way "pages": every worker does the pages that it has, in one pass over all (gpu/deal.h). */
#include "base/error.h"
#include "gpu/memory.h"
#include "gpus/order.h"
#include "gpus/pages.h"
#include "gpus/ways.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SMALL_PART = 16 /* an array of at most 1/16 of the bytes that are dealt out is small (an estimate) */ };

void opi_gpus_describe(const opi_gpus *g, const opi_dealt_range *range, const void *mem, opi_gpus_dealing *d)
{
    for (unsigned w = 0; w < g->count; w++) {
        d->all[w] = (opi_accelerator *)g->worker[w];
        d->of[w] = (opi_deal){.workers = g->count,
                              .own = w,
                              .share = g->share,
                              .page = range->page,
                              .beyond = (uint64_t)((const char *)mem - range->mem),
                              .all = d->all};
    }
}

static void describe(const opi_gpus_job *job, opi_gpus_dealing *d)
{
    const int by = opi_deal_by(job->task);
    opi_gpus_describe(job->g, job->place[by].range, job->task->array[by].mem, d);
}

/* What is the host's cannot be reached by kernels; but what only one worker writes it can copy. */
static bool all_on_devices(const opi_gpus_job *job)
{
    if (opi_deal_is_joined(job->task)) return true;
    for (int k = 0; k < job->task->arrays; k++)
        if (job->task->array[k].mem && job->place[k].side == OPI_LIES_ON_HOST) return false;
    return true;
}

/* Whether the host waits for each launch (for a debugger): groups of one worker would then wait for those of workers that
 * have none yet. */
static bool launches_block(void)
{
    const char *const given = getenv("CUDA_LAUNCH_BLOCKING");
    return given && *given && strcmp(given, "0") != 0;
}

/* A carry stays on one worker: what precedes the first element is told to that one alone. */
bool opi_gpus_pages_can(const opi_gpus_job *job)
{
    opi_gpus_dealing d;
    const int by = opi_deal_by(job->task);
    if (job->g->page == 0 || job->carry || job->task->n == 0 || job->place[by].side != OPI_LIES_DEALT) return false;
    if (!all_on_devices(job) || launches_block()) return false;
    describe(job, &d);
    return opi_deal_can(&d.of[0], job->task);
}

/* Whether an array is so small, compared with the one that is dealt out, that it matters little where it lies: the results of
 * rows, for example.  What is looked up at random places is read over and over again. */
static bool is_small(const opi_task *task, int k)
{
    const opi_array *const array = &task->array[k], *const by = &task->array[opi_deal_by(task)];
    const bool is_looked_up =
        (task->what == OPI_BOUNDS && k == OPI_SORTED) || (task->what == OPI_TAKE && k == OPI_TABLE);
    return !is_looked_up && array->items * array->size <= by->items * by->size / SMALL_PART;
}

/* All but what is small, and what one worker alone writes, lies in pages, too; and there is enough of it. */
bool opi_gpus_pages_suit(const opi_gpus_job *job)
{
    const opi_task *const task = job->task;
    const opi_gpus_guess guess = opi_gpus_guess_of(job);
    if (guess.one < guess.all) return false;
    if (opi_deal_is_joined(task)) return true;
    for (int k = 0; k < task->arrays; k++)
        if (task->array[k].mem && job->place[k].side == OPI_LIES_ON_ONE && !is_small(task, k)) return false;
    return true;
}

typedef oplus_status step(const opi_deal *deal, const char *call, const opi_task *task);

static oplus_status each(const opi_gpus_job *job, const opi_gpus_dealing *d, step *does)
{
    for (unsigned w = 0; w < job->g->count; w++) OPI_TRY(does(&d->of[w], job->call, job->task));
    return OPLUS_OK;
}

/* Makes all ready.  Then a worker may have something to do that others need, but mostly has not: whoever comes next waits for
 * it, also if that is another call, because this one fails or only makes ready. */
static oplus_status make_ready(const opi_gpus_job *job, const opi_gpus_dealing *d)
{
    const uint64_t before = opi_gpus_enqueued(job->g);
    const oplus_status status = each(job, d, opi_deal_prepare);
    if (opi_gpus_enqueued(job->g) != before) opi_gpus_all_are_busy(job->g);
    return status;
}

static oplus_status prepare(const opi_gpus_job *job, const opi_gpus_dealing *d)
{
    OPI_TRY(make_ready(job, d));
    return opi_gpus_begin(job->g, job->call, opi_gpus_everyone(job->g));
}

/* For most tasks there is nothing to look at. */
static oplus_status look(const opi_gpus_job *job, const opi_gpus_dealing *d)
{
    const uint64_t before = opi_gpus_enqueued(job->g);
    OPI_TRY(each(job, d, opi_deal_look));
    return opi_gpus_enqueued(job->g) == before ? OPLUS_OK : opi_gpus_begin_all(job->g, job->call);
}

/* Whether the call gives something to the host: a result, or an array of a task that one worker joins. */
static bool gives_to_host(const opi_gpus_job *job)
{
    const opi_task *const task = job->task;
    if (task->result && job->result.side == OPI_LIES_ON_HOST) return true;
    for (int k = 0; k < task->arrays && opi_deal_is_joined(task); k++)
        if (task->array[k].mem && task->array[k].access == OPI_WRITES && job->place[k].side == OPI_LIES_ON_HOST)
            return true;
    return false;
}

/* The first worker, which has waited for the others, still reads memory of theirs: what comes next waits for it, and nobody
 * frees that memory before. */
static oplus_status follow_first(const opi_gpus_job *job)
{
    OPI_TRY(opi_gpus_begin(job->g, job->call, opi_gpus_everyone(job->g)));
    job->g->joined = true;
    return OPLUS_OK;
}

/* If a step has failed, waits for what has been enqueued, so that nobody frees what it uses; its failure is the one that is told. */
static oplus_status end_of_failed(const opi_gpus_job *job, oplus_status status)
{
    char words[OPI_FAILURE_BYTES];
    if (status == OPLUS_OK) return OPLUS_OK;
    snprintf(words, sizeof words, "%s", opi_last_error());
    opi_gpus_sync(job->g, job->call);
    return opi_fail(status, "%s", words);
}

/* A result is made by one worker from what all have found, and comes to the host after all have ended. */
static oplus_status finish(const opi_gpus_job *job, const opi_gpus_dealing *d)
{
    const unsigned end = opi_deal_ends_at(&d->of[0], job->task);
    if (!opi_deal_awaits(job->task)) OPI_TRY(opi_gpus_gather(job->g, job->call, end));
    OPI_TRY(end_of_failed(job, opi_deal_finish(&d->of[end], job->call, job->task)));
    job->g->busy = opi_gpus_only(end); /* which has waited for all others */
    if (!gives_to_host(job)) return opi_deal_is_joined(job->task) ? follow_first(job) : OPLUS_OK;
    opi_gpus_idle(job->g);
    return opi_gpus_faults(job->g, job->call, opi_gpu_fault);
}

/* If a worker fails, those before it wait in vain for what it does not tell: until they have given up, which is not told
 * again. */
static oplus_status launch(const opi_gpus_job *job, const opi_gpus_dealing *d)
{
    return end_of_failed(job, each(job, d, opi_deal_run));
}

oplus_status opi_gpus_pages_run(opi_gpus_job *job)
{
    opi_gpus_dealing d;
    describe(job, &d);
    /* An earlier launch that gave up has mostly done so on all workers: it is told once, before anything is launched. */
    OPI_TRY(opi_gpus_faults(job->g, job->call, opi_pipeline_fault));
    OPI_TRY(prepare(job, &d));
    OPI_TRY(look(job, &d));
    OPI_TRY(launch(job, &d));
    return job->task->result || opi_deal_is_joined(job->task) ? finish(job, &d) : OPLUS_OK;
}

oplus_status opi_gpus_pages_take(opi_gpus_job *job)
{
    opi_gpus_dealing d;
    describe(job, &d);
    return make_ready(job, &d);
}
