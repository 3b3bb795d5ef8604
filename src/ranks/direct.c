/* Exchanges between devices of one host, without the transport: each rank offers the memory that it sends, and copies what
 * it receives from there to its own.  The transport carries only the offers, in each process or between them.
 *
 * All ranks do it, or none: a rank that has an array on the host, or that does not reach another rank's memory, says so
 * first. */
#include "ranks/direct.h"

#include "base/error.h"

#include <stdio.h>
#include <string.h>

/* What each rank tells the others. */
typedef struct tells {
    opi_offer offer;
    uint32_t can, padding; /* whether it can do its part */
} tells;

/* An exchange on this rank. */
typedef struct direct {
    opi_ranks *ranks;
    const opi_parcel *parcel;
    const opi_transfers *transfers;
    tells *told;            /* by each rank */
    const void **mem;       /* the memory that each rank sends; NULL: this rank needs nothing of it */
    uint64_t *send_at, *at; /* bytes at which each rank finds its part in this rank's memory, and this one in theirs */
} direct;

static size_t ranks_of(const direct *d) { return (size_t)d->ranks->comm->size; }

static size_t total(const direct *d, const size_t *count)
{
    size_t sum = 0;
    for (size_t q = 0; q < ranks_of(d); q++) sum += count[q];
    return sum;
}

/* Whether an array is in the memory of this rank's device, or empty. */
static bool is_there(const direct *d, const void *mem, const size_t *count)
{
    oplus_device *home;
    const size_t bytes = total(d, count) * d->parcel->size;
    if (bytes == 0) return true;
    return opi_ranks_home(d->ranks, "an array", mem, bytes, &home) == OPLUS_OK && home == d->ranks->dev;
}

/* Reserves memory, and makes this rank's offer, once all that it offers has been computed. */
static oplus_status make_offer(direct *d, tells *own)
{
    opi_ranks *const ranks = d->ranks;
    const size_t p = ranks_of(d), each = sizeof *d->told + sizeof *d->mem + 2 * sizeof *d->at;
    const opi_parcel *const parcel = d->parcel;
    memset(own, 0, sizeof *own);
    if (!opi_buffer_reserve(&ranks->dev->rank->offers, p * each)) return OPLUS_OK;
    d->told = ranks->dev->rank->offers.mem;
    d->mem = (const void **)(d->told + p);
    d->send_at = (uint64_t *)(d->mem + p);
    d->at = d->send_at + p;
    memset(d->mem, 0, p * sizeof *d->mem);
    for (size_t q = 0; q < p; q++) d->send_at[q] = parcel->send_at[q] * parcel->size;
    d->transfers = ranks->dev->machine->transfers;
    if (!d->transfers || !d->transfers->offer) return OPLUS_OK;
    if (!is_there(d, parcel->send, parcel->send_count) || !is_there(d, parcel->recv, parcel->recv_count))
        return OPLUS_OK;
    OPI_TRY(ranks->dev->machine->sync(ranks->dev, ranks->call));
    if (total(d, parcel->send_count) > 0)
        OPI_TRY(d->transfers->offer(ranks->dev, ranks->call, parcel->send, &own->offer));
    own->can = total(d, parcel->send_count) == 0 || own->offer.host != 0;
    return OPLUS_OK;
}

/* Finds the memory of all ranks that send something to this one.  Returns whether it has. */
static bool reach_all(direct *d)
{
    const size_t own = (size_t)d->ranks->comm->rank;
    bool good = true;
    for (size_t q = 0; q < ranks_of(d) && good; q++) {
        if (d->parcel->recv_count[q] == 0) continue;
        if (q == own)
            d->mem[q] = d->parcel->send;
        else
            good = d->transfers->accept(d->ranks->dev, d->ranks->call, &d->told[q].offer, &d->mem[q]);
    }
    return good;
}

static void leave_all(direct *d)
{
    for (size_t q = 0; q < ranks_of(d); q++)
        if (d->mem && d->mem[q] && q != (size_t)d->ranks->comm->rank)
            d->transfers->decline(d->ranks->dev, &d->told[q].offer);
}

/* Each rank begins with another one, so that not all read the same memory. */
static oplus_status pull_all(direct *d)
{
    const opi_parcel *const parcel = d->parcel;
    opi_ranks *const ranks = d->ranks;
    const size_t p = ranks_of(d);
    oplus_status status = OPLUS_OK;
    for (size_t i = 0; i < p && status == OPLUS_OK; i++) {
        const size_t q = ((size_t)ranks->comm->rank + i) % p, bytes = parcel->recv_count[q] * parcel->size;
        if (bytes == 0) continue;
        status = d->transfers->pull(ranks->dev, ranks->call, (char *)parcel->recv + parcel->recv_at[q] * parcel->size,
                                    (const char *)d->mem[q] + d->at[q], bytes,
                                    q == (size_t)ranks->comm->rank ? NULL : &d->told[q].offer);
    }
    if (status == OPLUS_OK) return d->transfers->settle(ranks->dev, ranks->call, OPI_TO_MACHINE);
    char words[OPI_FAILURE_BYTES]; /* after a failure, too, nothing is under way any more */
    snprintf(words, sizeof words, "%s", opi_last_error());
    d->transfers->settle(ranks->dev, ranks->call, OPI_TO_MACHINE);
    ranks->dev->machine->sync(ranks->dev, ranks->call); /* nor a kernel for which that did not wait */
    return opi_fail(status, "%s", words);
}

/* No rank goes on, and changes what it has offered, before all have read. */
static oplus_status exchange(direct *d, bool *done)
{
    opi_ranks *const ranks = d->ranks;
    uint64_t failed;
    OPI_TRY(opi_ranks_most(ranks, OPLUS_OK, reach_all(d) ? 0 : 1, &failed));
    if (failed) return OPLUS_OK;
    OPI_TRY(opi_ranks_scatter(ranks, d->send_at, sizeof *d->at, d->at));
    *done = true;
    return opi_ranks_agree(ranks, pull_all(d));
}

oplus_status opi_ranks_directly(opi_ranks *ranks, const opi_parcel *parcel, bool *done)
{
    direct d = {.ranks = ranks, .parcel = parcel};
    tells own;
    *done = false;
    const oplus_status status = make_offer(&d, &own);
    const tells *all;
    OPI_TRY(opi_ranks_tell(ranks, status, &own, sizeof own, (const void **)&all));
    for (int q = 0; q < ranks->comm->size; q++)
        if (!all[q].can) return OPLUS_OK;
    if (!d.told) return OPLUS_OK;                    /* then this rank has said that it cannot */
    memcpy(d.told, all, ranks_of(&d) * sizeof *all); /* the room is needed for other messages */
    const oplus_status exchanged = exchange(&d, done);
    leave_all(&d);
    return exchanged;
}
