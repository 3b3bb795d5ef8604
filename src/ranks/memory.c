/* Where the arrays of a call lie, and memory that is lent to the call. */
#include "ranks/ranks.h"

#include "base/error.h"
#include "cores/cores.h"

#include <assert.h>
#include <stdlib.h>

/* --- where an array is -------------------------------------------------------------------------------------------- */

oplus_status opi_ranks_home(opi_ranks *ranks, const char *argument, const void *p, size_t bytes, oplus_device **home)
{
    const opi_machine *const machine = ranks->dev->machine;
    *home = NULL;
    if (!machine->look || !p || bytes == 0) return OPLUS_OK;
    return machine->look(ranks->dev, ranks->call, argument, p, bytes, home);
}

oplus_status opi_ranks_look(opi_ranks *ranks, const char *argument, const void *p, size_t bytes, bool *device)
{
    oplus_device *home;
    OPI_TRY(opi_ranks_home(ranks, argument, p, bytes, &home));
    *device = home != NULL;
    return OPLUS_OK;
}

/* --- loans -------------------------------------------------------------------------------------------------------- */

static oplus_device *host_of(oplus_device *dev) { return &opi_cores_of(dev)->dev; }

static oplus_status make(oplus_device *dev, const char *call, opi_loan *loan, size_t bytes)
{
    switch (loan->kind) {
    case OPI_LOAN_PINNED:
        OPI_TRY(dev->machine->pinned_alloc(dev, call, bytes, &loan->mem));
        break;
    case OPI_LOAN_DEVICE:
        OPI_TRY(dev->machine->alloc(dev, call, bytes, &loan->mem));
        break;
    case OPI_LOAN_HOST:
        OPI_TRY(opi_cores_machine.alloc(host_of(dev), call, bytes, &loan->mem));
        break;
    }
    loan->bytes = bytes;
    return OPLUS_OK;
}

static void release(oplus_device *dev, opi_loan *loan)
{
    if (!loan->mem) return;
    switch (loan->kind) {
    case OPI_LOAN_PINNED:
        dev->machine->pinned_free(dev, loan->mem);
        break;
    case OPI_LOAN_DEVICE:
        dev->machine->free(dev, loan->mem);
        break;
    case OPI_LOAN_HOST:
        opi_cores_machine.free(host_of(dev), loan->mem);
        break;
    }
    *loan = (opi_loan){.mem = NULL};
}

/* Returns the smallest loan of that kind that is large enough; else one whose memory is allocated again: an empty
 * place, or the largest of that kind, or any. */
static opi_loan *choose(opi_rank *rank, opi_loan_kind kind, size_t bytes)
{
    opi_loan *fits = NULL, *other = NULL;
    int value_of_other = -1;
    for (int i = 0; i < OPI_LOANS; i++) {
        opi_loan *const loan = &rank->loan[i];
        if (loan->lent) continue;
        const bool same = loan->mem && loan->kind == kind;
        if (same && loan->bytes >= bytes && (!fits || loan->bytes < fits->bytes)) fits = loan;
        const int value = same ? 2 : !loan->mem ? 1 : 0; /* a loan that grows leaves no small one behind */
        if (value > value_of_other) {
            other = loan;
            value_of_other = value;
        }
    }
    return fits ? fits : other;
}

oplus_status opi_ranks_lend(opi_ranks *ranks, bool device, size_t bytes, void **mem)
{
    oplus_device *const dev = ranks->dev;
    const opi_loan_kind kind = device ? OPI_LOAN_DEVICE : dev->machine->pinned_alloc ? OPI_LOAN_PINNED : OPI_LOAN_HOST;
    *mem = NULL;
    if (bytes == 0) return OPLUS_OK;
    opi_loan *const loan = choose(dev->rank, kind, bytes);
    assert(loan);
    if (!loan->mem || loan->kind != kind || loan->bytes < bytes) {
        release(dev, loan);
        loan->kind = kind;
        OPI_TRY(make(dev, ranks->call, loan, bytes));
    }
    loan->lent = true;
    *mem = loan->mem;
    return OPLUS_OK;
}

void opi_ranks_return(opi_ranks *ranks, const void *mem)
{
    for (int i = 0; i < OPI_LOANS && mem; i++)
        if (ranks->dev->rank->loan[i].mem == mem) ranks->dev->rank->loan[i].lent = false;
}

void opi_ranks_take_back(opi_ranks *ranks)
{
    if (!ranks->dev || !ranks->dev->rank) return;
    for (int i = 0; i < OPI_LOANS; i++) ranks->dev->rank->loan[i].lent = false;
}

/* --- of a device -------------------------------------------------------------------------------------------------- */

void opi_rank_trim(oplus_device *dev)
{
    opi_rank *const rank = dev->rank;
    if (!rank) return;
    for (int i = 0; i < OPI_LOANS; i++)
        if (!rank->loan[i].lent) release(dev, &rank->loan[i]);
    opi_buffer_release(&rank->notes);
    opi_buffer_release(&rank->records);
    opi_buffer_release(&rank->offers);
    opi_buffer_release(&rank->carries);
    rank->apart = NULL;
}

void opi_rank_close(oplus_device *dev)
{
    opi_rank_trim(dev);
    free(dev->rank);
    dev->rank = NULL;
}
