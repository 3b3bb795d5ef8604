/* What a primitive does in each step of a task that is dealt out (gpu/deal.h). */
#ifndef OPI_GPU_DEALS_H
#define OPI_GPU_DEALS_H

#include "gpu/deal.h"
#include "gpu/job.h"

typedef oplus_status opi_deal_step(opi_job *job);

typedef struct opi_deal_steps {
    bool (*can)(opi_job *job); /* whether the task can be dealt out; NULL: no task of this primitive can */
    opi_deal_step *prepare, *look, *run, *finish; /* look and finish: NULL: nothing is to be done */
    bool joins;                                   /* see opi_deal_is_joined */
    bool awaits;                                  /* see opi_deal_awaits */
    unsigned (*ends_at)(const opi_job *job);      /* see opi_deal_ends_at; NULL: 0 */
} opi_deal_steps;

extern const opi_deal_steps opi_deals[OPI_PRIMITIVES];

#endif
