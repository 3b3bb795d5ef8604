#include "gpus/ways.h"

#include "base/error.h"
#include "gpus/order.h"
#include "task/explain.h"

/* --- where the arrays are ----------------------------------------------------------------------------------------- */

/* The arrays of each primitive as the arguments of its public call are named; further inputs of a map are called so, too. */
static const char *const names[OPI_PRIMITIVES][OPI_HEAD_OUT + 1] = {
    [OPI_REDUCE] = {"in", "heads"},
    [OPI_SCAN] = {"in", "heads"},
    [OPI_SEGREDUCE] = {"in", "offsets"},
    [OPI_SORT] = {"keys", "values"},
    [OPI_TAKE] = {"indices", "out", "in"},
    [OPI_PUT] = {"indices", "in", "out"},
    [OPI_BOUNDS] = {"sorted", "wanted", "places"},
    [OPI_MERGE] = {"a", "b", "a_values", "b_values", "out", "out_values"},
    [OPI_SELECT] = {"in", "mask"},
    [OPI_TOP] = {"keys", "out", "indices"},
    [OPI_NTH] = {"keys", "out"},
    [OPI_SORT_BY] = {"elements", "indices"},
    [OPI_SEGSORT] = {"keys", "offsets", "values"},
    [OPI_BY_INDEX] = {"indices", "in", "out"},
    [OPI_EXTREME_AXIS] = {"in", "indices"},
    [OPI_REPEAT] = {"out", "in", "counts"},
    [OPI_PACK] = {"elements", "keys"},
    [OPI_COUNT] = {[OPI_EDGES] = "edges", [OPI_COUNTS] = "counts"},
};

static const char *name_of(const opi_task *task, int k)
{
    const char *const name = k <= OPI_HEAD_OUT ? names[task->what][k] : NULL;
    if (name) return name;
    if (task->what == OPI_COUNT && task->bins.binning == OPI_BY_NUMBER) return "indices";
    return task->array[k].access == OPI_READS ? "in" : "out";
}

static size_t bytes_of(const opi_array *array)
{
    if (array->items == 0) return 0;
    return array->access == OPI_APPENDS ? 1 : array->items * array->size; /* it need not have room for all items */
}

/* The worker with the most bytes of the arrays that lie on one worker each; or the first one. */
static void choose_home(opi_gpus_job *job)
{
    size_t most = 0;
    job->home = 0;
    job->why = "it can use all of the memory";
    for (int k = 0; k < job->task->arrays; k++) {
        const opi_array *const array = &job->task->array[k];
        const size_t bytes = array->items * array->size;
        if (job->place[k].side != OPI_LIES_ON_ONE || bytes <= most) continue;
        most = bytes;
        job->home = job->place[k].worker;
        job->why = "arrays lie in its own memory";
    }
}

oplus_status opi_gpus_look_at_all(opi_gpus_job *job)
{
    const opi_task *const task = job->task;
    for (int k = 0; k < task->arrays; k++)
        OPI_TRY(opi_gpus_look(job->g, job->call, name_of(task, k), task->array[k].mem, bytes_of(&task->array[k]),
                              &job->place[k]));
    OPI_TRY(opi_gpus_look(job->g, job->call, "out", task->result, task->result_bytes, &job->result));
    choose_home(job);
    return OPLUS_OK;
}

/* --- one: the other workers' memory is used from there ------------------------------------------------------------ */

static oplus_status run_one(opi_gpus_job *job)
{
    oplus_device *const worker = job->g->worker[job->home];
    OPI_TRY(opi_gpus_begin(job->g, job->call, opi_gpus_only(job->home)));
    return worker->machine->run(worker, job->call, job->task, job->carry);
}

static oplus_status take_one(opi_gpus_job *job)
{
    oplus_device *const worker = job->g->worker[job->home];
    return worker->machine->takes(worker, job->call, job->task);
}

/* --- the table ---------------------------------------------------------------------------------------------------- */

static const opi_gpus_way ways[] = {
    {"pages", opi_gpus_pages_can, opi_gpus_pages_suit, opi_gpus_pages_run, opi_gpus_pages_take,
     "each GPU does the pages that it has, and tells the others what they need of it: one pass"},
    {"blocks", opi_gpus_sort_can, opi_gpus_sort_suits, opi_gpus_sort_run, opi_gpus_sort_take,
     "each GPU sorts a block, and merges a part of the result from the blocks of all"},
    {"blocks", opi_gpus_transpose_can, opi_gpus_transpose_suits, opi_gpus_transpose_run, opi_gpus_transpose_take,
     "each GPU turns a block of rows or columns over"},
    {"blocks", opi_gpus_blocks_can, opi_gpus_blocks_suit, opi_gpus_blocks_run, opi_gpus_blocks_take,
     "each GPU does a block, over its own link where arrays are the host's; the host joins what they find"},
    {"one", NULL, NULL, run_one, take_one, "one GPU does all, and uses the memory of the others over the links"},
};
enum { WAYS = sizeof ways / sizeof *ways };

static bool can(const opi_gpus_way *way, const opi_gpus_job *job) { return !way->can || way->can(job); }

const opi_gpus_way *opi_gpus_way_of(const opi_gpus_job *job)
{
    for (int i = 0; i < WAYS && job->g->wanted.count > 0; i++)
        if (opi_way_is_wanted(&job->g->wanted, ways[i].name) && can(&ways[i], job)) return &ways[i];
    const opi_gpus_way *way = ways;
    while (!can(way, job) || (way->suits && !way->suits(job))) way++; /* the last one always suits */
    return way;
}

static void explain_little(const opi_gpus_job *job, opi_saying *to)
{
    const opi_gpus_guess guess = opi_gpus_guess_of(job);
    opi_say(to, "dealt out it would take longer, as little as it is: about %.0f us, and here about %.0f\n", guess.all,
            guess.one);
}

oplus_status opi_gpus_ways_explain(opi_gpus_job *job, opi_saying *to)
{
    const opi_gpus_way *const taken = opi_gpus_way_of(job);
    for (int i = 0; i < WAYS; i++)
        if (can(&ways[i], job)) opi_say_way(to, &ways[i] == taken, ways[i].name, ways[i].words);
    if (taken->run != run_one) return OPLUS_OK;
    oplus_device *const worker = job->g->worker[job->home];
    opi_say(to, "GPU %u of %u does it: %s\n", job->home, job->g->count, job->why);
    if (opi_gpus_too_little(job)) explain_little(job, to);
    return worker->machine->explain(worker, job->call, job->task, to);
}
