#include "ranks/reach.h"

#include "base/error.h"

#include <string.h>

/* What each rank tells the others. */
typedef struct tells {
    opi_offer offer[OPI_REACH_ARRAYS]; /* host 0: nothing */
    uint32_t can, padding;             /* whether all that it has is offered */
} tells;

_Static_assert(sizeof(tells) <= OPI_TELL_BYTES, "there is always room for what is told");

static size_t ranks_of(const opi_reach *reach) { return (size_t)reach->ranks->comm->size; }

bool opi_reach_may(const oplus_device *dev)
{
    const opi_transfers *const transfers = dev->machine->transfers;
    return transfers && transfers->offer && transfers->merge && transfers->shares_addresses(dev);
}

uint32_t opi_reach_flag(const opi_ranks *ranks, bool can)
{
    const bool known = ranks->dev->rank->apart && ranks->dev->rank->apart == ranks->comm->context;
    return can && !known && ranks->comm->size <= OPI_MOST_REACHED && opi_reach_may(ranks->dev) ? 0 : OPI_NOTE_APART;
}

/* A kernel may only read what is exported. */
static oplus_status make_offers(const opi_reach *reach, const void *const *arrays, tells *own)
{
    oplus_device *const dev = reach->ranks->dev;
    own->can = 1;
    for (int k = 0; k < OPI_REACH_ARRAYS; k++) {
        if (!arrays[k]) continue;
        OPI_TRY(dev->machine->transfers->offer(dev, reach->ranks->call, arrays[k], &own->offer[k]));
        if (own->offer[k].host == 0 || !own->offer[k].is_exported) own->can = 0;
    }
    return OPLUS_OK;
}

/* Takes what a rank offers.  Returns whether it has. */
static bool take(opi_reach *reach, size_t rank, const tells *told)
{
    oplus_device *const dev = reach->ranks->dev;
    const opi_transfers *const transfers = dev->machine->transfers;
    for (int k = 0; k < OPI_REACH_ARRAYS; k++) {
        if (told->offer[k].host == 0) continue;
        if (!transfers->accept(dev, reach->ranks->call, &told->offer[k], &reach->mem[k][rank])) return false;
    }
    return true;
}

static bool take_all(opi_reach *reach, const void *const *arrays)
{
    const tells *const told = reach->told;
    const size_t own = (size_t)reach->ranks->comm->rank;
    bool good = true;
    for (size_t q = 0; q < ranks_of(reach); q++) good = good && told[q].can;
    for (size_t q = 0; q < ranks_of(reach) && good; q++) {
        reach->accepted++;
        if (q != own) good = take(reach, q, &told[q]);
    }
    for (int k = 0; k < OPI_REACH_ARRAYS; k++) reach->mem[k][own] = arrays[k];
    return good;
}

oplus_status opi_reach_begin(opi_ranks *ranks, opi_reach *reach, oplus_status status, const void *const *arrays,
                             bool *reached)
{
    const size_t bytes = (size_t)ranks->comm->size * sizeof(tells);
    tells own = {.can = 0};
    const void *all;
    *reach = (opi_reach){.ranks = ranks};
    *reached = false;
    if (opi_buffer_reserve(&ranks->dev->rank->offers, bytes)) reach->told = ranks->dev->rank->offers.mem;
    if (status == OPLUS_OK && reach->told) status = make_offers(reach, arrays, &own);
    OPI_TRY(opi_ranks_tell(ranks, status, &own, sizeof own, &all));
    if (!reach->told) return OPLUS_OK; /* and this rank has told that it cannot */
    memcpy(reach->told, all, bytes);   /* the room is needed for other messages */
    *reached = take_all(reach, arrays);
    return OPLUS_OK;
}

oplus_status opi_reach_agree(opi_reach *reach, oplus_status status, bool reached, bool *all)
{
    uint64_t failed = 0;
    *all = false;
    OPI_TRY(opi_ranks_most(reach->ranks, status, reached ? 0 : 1, &failed));
    *all = failed == 0;
    if (failed) reach->ranks->dev->rank->apart = reach->ranks->comm->context;
    return OPLUS_OK;
}

void opi_reach_end(opi_reach *reach)
{
    oplus_device *const dev = reach->ranks->dev;
    const tells *const told = reach->told;
    for (size_t q = 0; q < reach->accepted; q++)
        for (int k = 0; k < OPI_REACH_ARRAYS; k++)
            if (q != (size_t)reach->ranks->comm->rank && reach->mem[k][q])
                dev->machine->transfers->decline(dev, &told[q].offer[k]);
    reach->accepted = 0;
}
