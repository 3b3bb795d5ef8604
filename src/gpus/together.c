#include "gpus/together.h"

#include "base/error.h"
#include "base/fpenv.h"

#include <stdio.h>

/* Failures have their words on the thread where they happen. */
typedef struct parts {
    opi_gpus_part *part;
    void *context;
    oplus_status status[OPI_MOST_WORKERS];
    char words[OPI_MOST_WORKERS][OPI_FAILURE_BYTES];
} parts;

static void do_part(void *job, size_t worker, size_t w)
{
    OPI_OWN_MODE;
    parts *const p = job;
    (void)worker;
    p->status[w] = p->part(p->context, (unsigned)w);
    if (p->status[w] != OPLUS_OK) snprintf(p->words[w], sizeof p->words[w], "%s", opi_last_error());
}

oplus_status opi_gpus_together(opi_gpus *g, opi_gpus_part *part, void *context)
{
    parts all = {.part = part, .context = context};
    opi_crew_run(&g->crew, (int)g->count, do_part, &all, g->count);
    for (unsigned w = 0; w < g->count; w++)
        if (all.status[w] != OPLUS_OK) return opi_fail(all.status[w], "%s", all.words[w]);
    return OPLUS_OK;
}
