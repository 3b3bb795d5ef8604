/* Ways: how several accelerators do a task.  Each way is a row of a table.  The first way that suits is taken; or a way
 * that OPLUS_WAY names, if it can do the task. */
#ifndef OPI_GPUS_WAYS_H
#define OPI_GPUS_WAYS_H

#include "gpus/memory.h"

/* A task that several accelerators are doing. */
typedef struct opi_gpus_job {
    opi_gpus *g;
    const char *call;
    const opi_task *task;
    opi_range *carry;                     /* see opi_machine's run */
    opi_gpus_place place[OPI_MAX_ARRAYS]; /* of each of the task's arrays */
    opi_gpus_place result;                /* of the task's result */
    unsigned home;                        /* the worker that does it, if one does */
    const char *why;                      /* why that worker, in words */
} opi_gpus_job;

/* Finds out where the arrays lie, and which worker would do the task alone. */
oplus_status opi_gpus_look_at_all(opi_gpus_job *job);

typedef struct opi_gpus_way {
    const char *name;
    bool (*can)(const opi_gpus_job *job);   /* whether it can do the task, fast or not; NULL: always */
    bool (*suits)(const opi_gpus_job *job); /* whether it is fast, if it can; NULL: always */
    oplus_status (*run)(opi_gpus_job *job);
    oplus_status (*takes)(opi_gpus_job *job); /* makes ready what run needs, and enqueues nothing */
    const char *words;                        /* what it does, for an explanation */
} opi_gpus_way;

/* --- what is worth it ------------------------------------------------------------------------------------------------ */

/* How many µs a task takes if one accelerator does it and if all do, page by page. */
typedef struct opi_gpus_guess {
    double one, all;
} opi_gpus_guess;
opi_gpus_guess opi_gpus_guess_of(const opi_gpus_job *job);
/* Whether a task could be done page by page, and one accelerator does it sooner. */
bool opi_gpus_too_little(const opi_gpus_job *job);

/* --- the ways ------------------------------------------------------------------------------------------------------- */

/* pages.c: each worker does the pages that it has, in one pass over all (gpu/deal.h). */
bool opi_gpus_pages_can(const opi_gpus_job *job);
bool opi_gpus_pages_suit(const opi_gpus_job *job);
oplus_status opi_gpus_pages_run(opi_gpus_job *job);
oplus_status opi_gpus_pages_take(opi_gpus_job *job);

/* sort.c: each worker sorts a block, and merges a block of the result. */
bool opi_gpus_sort_can(const opi_gpus_job *job);
bool opi_gpus_sort_suits(const opi_gpus_job *job);
oplus_status opi_gpus_sort_run(opi_gpus_job *job);
oplus_status opi_gpus_sort_take(opi_gpus_job *job);

/* transpose.c: each worker turns some rows or columns over. */
bool opi_gpus_transpose_can(const opi_gpus_job *job);
bool opi_gpus_transpose_suits(const opi_gpus_job *job);
oplus_status opi_gpus_transpose_run(opi_gpus_job *job);
oplus_status opi_gpus_transpose_take(opi_gpus_job *job);

/* blocks.c: each worker does a contiguous block. */
bool opi_gpus_blocks_can(const opi_gpus_job *job);
bool opi_gpus_blocks_suit(const opi_gpus_job *job);
oplus_status opi_gpus_blocks_run(opi_gpus_job *job);
oplus_status opi_gpus_blocks_take(opi_gpus_job *job);

/* -------------------------------------------------------------------------------------------------------------------- */

const opi_gpus_way *opi_gpus_way_of(const opi_gpus_job *job);
oplus_status opi_gpus_ways_explain(opi_gpus_job *job, opi_saying *to);

#endif
