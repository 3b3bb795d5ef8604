/* How ranks exchange elements.
 *
 * Devices of one host copy from each other (ranks/direct.h).  Where they cannot, arrays of a device go through pinned memory of the host, unless the transport can use addresses of the device.  They
 * are exchanged in rounds, and each round has a part of every message.  While the transport works on one round, the
 * next round is copied from the device, and the previous one to it.  The ranks agree on the number of rounds.  If all
 * arrays lie in host memory, there is one round, and the ranks have nothing to agree on. */
#include "ranks/ranks.h"

#include "base/error.h"
#include "ranks/direct.h"

#include <string.h>

enum { SLOTS = 2 };

/* The four lists that the transport takes; their numbers are bytes. */
typedef struct lists {
    size_t *send_bytes, *send_at, *recv_bytes, *recv_at;
} lists;

static lists lists_of(const opi_ranks *ranks)
{
    const size_t size = (size_t)ranks->comm->size;
    size_t *const c = ranks->counts;
    return (lists){c, c + size, c + 2 * size, c + 3 * size};
}

/* Bytes in a slot for a part of all messages. */
static size_t round_bytes(const oplus_device *home) { return home->machine->transfers->bytes(home); }

static oplus_status talk(opi_ranks *ranks, const void *send, void *recv)
{
    const lists l = lists_of(ranks);
    return ranks->comm->alltoallv(ranks->comm->context, send, l.send_bytes, l.send_at, recv, l.recv_bytes, l.recv_at);
}

oplus_status opi_ranks_scatter(opi_ranks *ranks, const void *send, size_t bytes, void *recv)
{
    const lists l = lists_of(ranks);
    for (size_t q = 0; q < (size_t)ranks->comm->size; q++) {
        l.send_bytes[q] = l.recv_bytes[q] = bytes;
        l.send_at[q] = l.recv_at[q] = q * bytes;
    }
    return talk(ranks, send, recv);
}

/* --- one direction of an exchange --------------------------------------------------------------------------------- */

/* The elements that this rank sends to all ranks, or those that it receives from them. */
typedef struct direction {
    bool out; /* true: this rank sends them */
    size_t size;
    unsigned char *array;
    const size_t *count, *at;   /* elements to or from each rank, and where they are in the array */
    size_t *bytes, *place;      /* the transport's lists of a round */
    oplus_device *home;         /* the device that has the array, if the array must be staged; or NULL */
    unsigned char *slot[SLOTS]; /* pinned memory of the host, for every second round */
    void *mark[SLOTS];          /* the last copy to or from the slot; NULL: none is under way */
} direction;

static size_t direction_bytes(const opi_ranks *ranks, const direction *d)
{
    size_t total = 0;
    for (int q = 0; q < ranks->comm->size; q++) total += d->count[q];
    return total * d->size;
}

/* Round k has elements [first, first + many) of the message to or from rank q; there are `rounds` rounds. */
static size_t part_of(const direction *d, int q, uint64_t k, uint64_t rounds, size_t *many)
{
    const size_t whole = d->count[q] / rounds, rest = d->count[q] % rounds;
    const size_t first = (size_t)(k * whole + (k < rest ? k : rest));
    *many = whole + (k < rest);
    return first;
}

/* Finds out where the array is, whether it must be staged, and then in how many rounds. */
static oplus_status look(opi_ranks *ranks, direction *d, uint64_t *rounds)
{
    const size_t bytes = direction_bytes(ranks, d);
    oplus_device *home;
    OPI_TRY(opi_ranks_home(ranks, d->out ? "in" : "out", d->array, bytes, &home));
    if (!home) return OPLUS_OK;
    if (ranks->comm->device_memory && home->machine->transfers->shares_addresses(home))
        return home->machine->sync(home, ranks->call);
    d->home = home;
    const uint64_t needed = (bytes + round_bytes(home) - 1) / round_bytes(home);
    if (needed > *rounds) *rounds = needed;
    return OPLUS_OK;
}

/* Reserves host memory for the rounds of both directions; nothing else uses that memory any more. */
static oplus_status make_slots(opi_ranks *ranks, direction *out, direction *in)
{
    direction *const both[] = {out, in};
    const size_t more = out->size * (size_t)ranks->comm->size; /* a round may have one more element of each message */
    for (int i = 0; i < 2; i++) {
        direction *const d = both[i];
        void *mem;
        if (!d->home) continue;
        const opi_machine *const machine = d->home->machine;
        const size_t slot = opi_round_up(round_bytes(d->home) + more, OPI_CACHE_LINE);
        OPI_TRY(machine->transfers->stage(d->home, ranks->call, 2 * SLOTS * slot, &mem));
        for (int s = 0; s < SLOTS; s++) d->slot[s] = (unsigned char *)mem + (size_t)(i * SLOTS + s) * slot;
        OPI_TRY(machine->sync(d->home, ranks->call));
    }
    return OPLUS_OK;
}

/* Fills in the transport's lists of round k.  Returns where the messages are. */
static unsigned char *describe(const opi_ranks *ranks, const direction *d, uint64_t k, uint64_t rounds)
{
    size_t at = 0, many;
    for (int q = 0; q < ranks->comm->size; q++) {
        const size_t first = part_of(d, q, k, rounds, &many);
        d->bytes[q] = many * d->size;
        d->place[q] = d->home ? at : (d->at[q] + first) * d->size;
        at += d->bytes[q];
    }
    return d->home ? d->slot[k % SLOTS] : d->array;
}

/* The direction of copies between host and machine, for elements that this rank sends or receives. */
static opi_way_home side_of(const direction *d) { return d->out ? OPI_TO_HOST : OPI_TO_MACHINE; }

/* Begins the copies between the device and the slot of round k. */
static oplus_status copy_round(opi_ranks *ranks, direction *d, uint64_t k, uint64_t rounds)
{
    if (!d->home || k >= rounds) return OPLUS_OK;
    const opi_transfers *const transfers = d->home->machine->transfers;
    unsigned char *slot = d->slot[k % SLOTS];
    size_t many;
    for (int q = 0; q < ranks->comm->size; q++) {
        const size_t first = part_of(d, q, k, rounds, &many), bytes = many * d->size;
        unsigned char *const there = d->array + (d->at[q] + first) * d->size;
        if (bytes == 0) continue;
        OPI_TRY(
            transfers->begin(d->home, ranks->call, side_of(d), d->out ? slot : there, d->out ? there : slot, bytes));
        slot += bytes;
    }
    return transfers->mark(d->home, ranks->call, side_of(d), &d->mark[k % SLOTS]);
}

/* Waits until the copies of round k are done, so that the host may use its slot. */
static oplus_status await_round(opi_ranks *ranks, direction *d, uint64_t k)
{
    void *const mark = d->mark[k % SLOTS];
    if (!mark) return OPLUS_OK;
    d->mark[k % SLOTS] = NULL;
    return d->home->machine->transfers->reached(d->home, ranks->call, mark);
}

/* What this rank does in round k before the exchange, and after it. */
static oplus_status before_round(opi_ranks *ranks, direction *out, direction *in, uint64_t k, uint64_t rounds)
{
    OPI_TRY(await_round(ranks, out, k));
    OPI_TRY(copy_round(ranks, out, k + 1, rounds));
    return await_round(ranks, in, k);
}

/* Waits for all copies to and from the slots.  status: of what was done before. */
static oplus_status await_all(opi_ranks *ranks, direction *out, direction *in, oplus_status status)
{
    direction *const both[] = {out, in};
    for (int i = 0; i < 2; i++) {
        direction *const d = both[i];
        if (!d->home) continue;
        for (uint64_t k = 0; k < SLOTS; k++) {
            const oplus_status late = await_round(ranks, d, k);
            if (status == OPLUS_OK) status = late;
        }
        /* A copy that failed has left no mark. */
        if (status != OPLUS_OK) d->home->machine->transfers->settle(d->home, ranks->call, side_of(d));
    }
    return status;
}

static oplus_status run_rounds(opi_ranks *ranks, direction *out, direction *in, uint64_t rounds)
{
    oplus_status status = copy_round(ranks, out, 0, rounds);
    for (uint64_t k = 0; k < rounds; k++) {
        if (status == OPLUS_OK) status = before_round(ranks, out, in, k, rounds);
        unsigned char *const send = describe(ranks, out, k, rounds), *const recv = describe(ranks, in, k, rounds);
        /* Takes part even after a failure, because the others do not know of it yet; but not if the transport has
         * failed. */
        const oplus_status talked = talk(ranks, send, recv);
        if (talked != OPLUS_OK) return await_all(ranks, out, in, talked);
        if (status == OPLUS_OK) status = copy_round(ranks, in, k, rounds);
    }
    return await_all(ranks, out, in, status);
}

oplus_status opi_ranks_exchange(opi_ranks *ranks, const opi_parcel *parcel)
{
    const lists l = lists_of(ranks);
    direction out = {.out = true, .size = parcel->size, .array = (unsigned char *)parcel->send};
    direction in = {.out = false, .size = parcel->size, .array = parcel->recv};
    uint64_t rounds = 1;
    bool done = false;
    if (opi_ranks_any(ranks, OPI_NOTE_DEVICE) && !ranks->comm->device_memory)
        OPI_TRY(opi_ranks_directly(ranks, parcel, &done));
    if (done) return OPLUS_OK;
    out.count = parcel->send_count, out.at = parcel->send_at, out.bytes = l.send_bytes, out.place = l.send_at;
    in.count = parcel->recv_count, in.at = parcel->recv_at, in.bytes = l.recv_bytes, in.place = l.recv_at;
    if (opi_ranks_any(ranks, OPI_NOTE_DEVICE)) { /* then all ranks agree on the rounds */
        oplus_status status = look(ranks, &out, &rounds);
        if (status == OPLUS_OK) status = look(ranks, &in, &rounds);
        if (status == OPLUS_OK) status = make_slots(ranks, &out, &in);
        OPI_TRY(opi_ranks_most(ranks, status, rounds, &rounds));
    }
    return run_rounds(ranks, &out, &in, rounds);
}
