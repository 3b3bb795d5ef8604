/* Elements arrive where they should: of any size, from the host or a device, in one round or many. */
#include "base/host.h"
#include "ranks/ranks.h"
#include "support/team.h"

#include <pthread.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef TEST_MPI
enum { RANKS_ARE_THREADS = false }; /* the stand-in for a link is in one process */
#else
enum { RANKS_ARE_THREADS = true };
#endif
enum { SPACE = 3 /* elements between two messages, which nobody may touch */ };

typedef struct plan {
    int ranks;
    size_t size;
    size_t count[MOST_RANKS][MOST_RANKS]; /* elements from one rank to another */
    bool device[MOST_RANKS][2];           /* whether a rank sends from there, and receives there */
    bool takes;                           /* the transport takes addresses of CUDA */
    bool is_whole;                        /* all arrays are there, so that all messages must be pulled */
    bool linked;                          /* ranks' devices copy from each other, */
    int shy, blind; /* ... but for one that offers nothing, and one that accepts nothing; -1: none */
} plan;

/* Byte b of element i from rank q to rank r. */
static unsigned char byte_of(int q, int r, size_t i, size_t b)
{
    return (unsigned char)(1 + (i * 31 + b * 7 + (size_t)q * 17 + (size_t)r * 5) % 250);
}

static void fill(unsigned char *to, const plan *p, int q, int r)
{
    for (size_t i = 0; i < p->count[q][r]; i++)
        for (size_t b = 0; b < p->size; b++) to[i * p->size + b] = byte_of(q, r, i, b);
}

/* Where the messages of a rank begin, with space between.  Returns the number of all elements. */
static size_t lay_out(const plan *p, int rank, bool out, size_t *count, size_t *at)
{
    size_t end = SPACE;
    for (int q = 0; q < p->ranks; q++) {
        count[q] = out ? p->count[rank][q] : p->count[q][rank];
        at[q] = end;
        end += count[q] + SPACE;
    }
    return end;
}

/* The array itself, or a copy of it in the device's memory. */
static bool bring(oplus_device *dev, bool device, unsigned char *array, size_t bytes, void **mem, finding *f)
{
    *mem = array;
    return !device || (succeeded(oplus_alloc(dev, bytes, mem), f) && succeeded(oplus_copy(dev, *mem, array, bytes), f));
}

/* --- a transport that takes addresses of a device, as an MPI may that knows CUDA's --- */

typedef struct taker {
    const oplus_comm *inner;
    oplus_device *dev;
    size_t taken; /* arrays of the device that the transport got */
} taker;

static bool is_there(taker *t, const void *p)
{
    oplus_device *home = NULL;
    if (t->dev->machine->look && p != NULL) t->dev->machine->look(t->dev, "oplus_test", "array", p, 1, &home);
    if (home != NULL) t->taken++;
    return home != NULL;
}

static size_t end_of(const taker *t, const size_t *bytes, const size_t *at)
{
    size_t end = 0;
    for (int q = 0; q < t->inner->size; q++)
        if (bytes[q] > 0 && at[q] + bytes[q] > end) end = at[q] + bytes[q];
    return end;
}

static oplus_status take_allgather(void *context, const void *send, size_t bytes, void *recv)
{
    const taker *const t = context;
    return t->inner->allgather(t->inner->context, send, bytes, recv);
}

static oplus_status take_alltoallv(void *context, const void *send, const size_t *send_bytes, const size_t *send_at,
                                   void *recv, const size_t *recv_bytes, const size_t *recv_at)
{
    taker *const t = context;
    const size_t out = end_of(t, send_bytes, send_at), in = end_of(t, recv_bytes, recv_at);
    unsigned char *const sent = must(malloc(out + 1)), *const got = must(malloc(in + 1));
    const bool from_there = out > 0 && is_there(t, send), to_there = in > 0 && is_there(t, recv);
    oplus_status status = from_there ? oplus_copy(t->dev, sent, send, out) : OPLUS_OK;
    if (status == OPLUS_OK)
        status = t->inner->alltoallv(t->inner->context, from_there ? sent : send, send_bytes, send_at,
                                     to_there ? got : recv, recv_bytes, recv_at);
    for (int q = 0; q < t->inner->size && to_there && status == OPLUS_OK; q++)
        status = oplus_copy(t->dev, (unsigned char *)recv + recv_at[q], got + recv_at[q], recv_bytes[q]);
    free(sent);
    free(got);
    return status;
}

/* Only CUDA's addresses are given to the transport, and all of them. */
static bool took_what_it_takes(const taker *t, const plan *p, finding *f)
{
    const int rank = t->inner->rank;
    const bool cuda = strncmp(oplus_device_name(t->dev), "cuda", 4) == 0;
    size_t out = 0, in = 0;
    for (int q = 0; q < p->ranks; q++) {
        out += p->count[rank][q];
        in += p->count[q][rank];
    }
    const size_t arrays = cuda ? (size_t)(p->device[rank][0] && out > 0) + (size_t)(p->device[rank][1] && in > 0) : 0;
    if (t->taken == arrays) return true;
    snprintf(f->text, sizeof f->text, "%zu arrays of the device were handed over, and not %zu", t->taken, arrays);
    return false;
}

/* --- devices that copy from each other, as GPUs of one host do ---
 *
 * In place of a link there is memory of the host, through which one thread after the other copies. */

typedef struct linked {
    oplus_device *dev;
    const plan *plan;
    int rank;
    opi_machine machine;
    const opi_machine *before;
    const void *own; /* what this rank sends */
    opi_transfers transfers;
    struct {
        const char *mem;
        oplus_device *dev;
    } accepted[MOST_RANKS];
    size_t open, pulls;
} linked;
static _Thread_local linked *link_of_rank;
static pthread_mutex_t link_lock = PTHREAD_MUTEX_INITIALIZER;

static oplus_status link_offer(oplus_device *dev, const char *call, const void *mem, opi_offer *offer)
{
    (void)call;
    *offer = (opi_offer){.host = opi_host_name(), .process = opi_process_name(), .address = (uintptr_t)mem};
    offer->context = (uintptr_t)dev;
    if (link_of_rank->rank == link_of_rank->plan->shy) offer->host = 0;
    return OPLUS_OK;
}

static bool link_accept(oplus_device *dev, const char *call, const opi_offer *offer, const void **mem)
{
    linked *const l = link_of_rank;
    (void)dev, (void)call;
    if (offer->process != opi_process_name() || l->rank == l->plan->blind) return false;
    *mem = (const void *)(uintptr_t)offer->address;
    l->accepted[l->open].mem = *mem;
    l->accepted[l->open++].dev = (oplus_device *)(uintptr_t)offer->context;
    return true;
}

static void link_decline(oplus_device *dev, const opi_offer *offer)
{
    (void)dev, (void)offer;
    link_of_rank->open--;
}

static oplus_status link_pull(oplus_device *dev, const char *call, void *to, const void *from, size_t bytes,
                              const opi_offer *offer)
{
    linked *const l = link_of_rank;
    oplus_device *home = dev;
    const char *nearest = NULL;
    void *const between = must(malloc(bytes));
    (void)call, (void)offer;
    for (size_t i = 0; i < l->open; i++)
        if (l->accepted[i].mem <= (const char *)from && l->accepted[i].mem > nearest) {
            nearest = l->accepted[i].mem;
            home = l->accepted[i].dev;
        }
    if ((const char *)from >= (const char *)l->own && (const char *)l->own > nearest) home = dev;
    pthread_mutex_lock(&link_lock);
    oplus_status status = oplus_copy(home, between, from, bytes);
    if (status == OPLUS_OK) status = oplus_copy(dev, to, between, bytes);
    pthread_mutex_unlock(&link_lock);
    free(between);
    l->pulls++;
    return status;
}

static void link_open(linked *l, oplus_device *dev, const plan *p, int rank, const void *own)
{
    *l = (linked){.dev = dev, .plan = p, .rank = rank, .own = own, .before = dev->machine, .machine = *dev->machine};
    l->transfers = *dev->machine->transfers;
    l->transfers.offer = link_offer;
    l->transfers.accept = link_accept;
    l->transfers.decline = link_decline;
    l->transfers.pull = link_pull;
    l->machine.transfers = &l->transfers;
    dev->machine = &l->machine;
    link_of_rank = l;
}

/* Each message is pulled once, or none is. */
static bool link_close(linked *l, finding *f)
{
    const plan *const p = l->plan;
    size_t messages = 0;
    bool offers = false;
    for (int q = 0; q < p->ranks; q++) {
        messages += p->count[q][l->rank] > 0;
        offers |= p->shy >= 0 && p->count[p->shy][q] > 0;
    }
    l->dev->machine = l->before;
    if (l->open == 0 && (l->pulls == 0 || (l->pulls == messages && !offers))) {
        if (l->pulls == messages || p->shy >= 0 || p->blind >= 0 || !p->is_whole) return true;
    }
    snprintf(f->text, sizeof f->text, "%zu of %zu messages were pulled, and %zu offers are still open", l->pulls,
             messages, l->open);
    return false;
}

static bool travel(oplus_device *dev, const oplus_comm *comm, const plan *p, const opi_parcel *parcel, finding *f)
{
    opi_ranks ranks;
    const bool device = p->device[comm->rank][0] || p->device[comm->rank][1];
    oplus_status status = opi_ranks_open(&ranks, dev, comm, "oplus_test");
    if (status == OPLUS_OK) status = opi_ranks_index(&ranks, OPLUS_OK, 0, 0, device ? OPI_NOTE_DEVICE : 0);
    if (status == OPLUS_OK) status = opi_ranks_exchange(&ranks, parcel);
    return succeeded(opi_ranks_close(&ranks, status), f);
}

static bool arrives(oplus_device *dev, const oplus_comm *comm, const void *given, finding *f)
{
    const plan *const p = given;
    const int rank = comm->rank;
    size_t send_count[MOST_RANKS], send_at[MOST_RANKS], recv_count[MOST_RANKS], recv_at[MOST_RANKS];
    const size_t out_bytes = lay_out(p, rank, true, send_count, send_at) * p->size;
    const size_t in_bytes = lay_out(p, rank, false, recv_count, recv_at) * p->size;
    unsigned char *const out = must(calloc(1, out_bytes)), *const in = must(calloc(1, in_bytes)),
                         *const expected = must(calloc(1, in_bytes));
    void *send, *recv;
    for (int q = 0; q < p->ranks; q++) {
        fill(out + send_at[q] * p->size, p, rank, q);
        fill(expected + recv_at[q] * p->size, p, q, rank);
    }
    bool good = bring(dev, p->device[rank][0], out, out_bytes, &send, f) &&
                bring(dev, p->device[rank][1], in, in_bytes, &recv, f);
    if (good) {
        const opi_parcel parcel = {p->size, send, recv, send_count, send_at, recv_count, recv_at};
        taker t = {.inner = comm, .dev = dev};
        const oplus_comm taking = {.abi = OPLUS_ABI,
                                   .context = &t,
                                   .rank = rank,
                                   .size = comm->size,
                                   .device_memory = 1,
                                   .allgather = take_allgather,
                                   .alltoallv = take_alltoallv};
        linked l;
        if (p->linked) link_open(&l, dev, p, rank, send);
        good = travel(dev, p->takes ? &taking : comm, p, &parcel, f);
        if (p->linked) good = link_close(&l, f) && good;
        good = good && (!p->takes || took_what_it_takes(&t, p, f)) && succeeded(oplus_copy(dev, in, recv, in_bytes), f);
        if (send != out) oplus_free(dev, send);
        if (recv != in) oplus_free(dev, recv);
    }
    if (good && memcmp(in, expected, in_bytes) != 0) {
        snprintf(f->text, sizeof f->text, "something else has arrived than was sent");
        good = false;
    }
    free(out);
    free(in);
    free(expected);
    return good;
}

typedef enum setting { HOST, DEVICE, TAKES, LINKED, WHOLLY_LINKED } setting;

static void try_some(const char *where, setting setting, int times, size_t most)
{
    static const size_t sizes[] = {1, 4, 8, 12, 40};
    rng r = test_rng(where);
    plan *const p = must(malloc(sizeof *p));
    for (const int *ranks = team_sizes(); *ranks > 0; ranks++)
        for (int time = 0; time < times; time++) {
            char words[80];
            p->ranks = *ranks;
            p->takes = setting == TAKES;
            p->linked = setting >= LINKED;
            p->is_whole = setting == WHOLLY_LINKED && RANKS_ARE_THREADS;
            p->shy = p->blind = -1;
            if (setting == LINKED) p->shy = (int)rng_below(&r, 2 * (size_t)*ranks) - *ranks;
            if (setting == LINKED) p->blind = (int)rng_below(&r, 2 * (size_t)*ranks) - *ranks;
            p->size = sizes[rng_below(&r, sizeof sizes / sizeof *sizes)];
            for (int q = 0; q < *ranks; q++) {
                p->device[q][0] = setting == WHOLLY_LINKED || (setting != HOST && rng_below(&r, 3) > 0);
                p->device[q][1] = setting == WHOLLY_LINKED || (setting != HOST && rng_below(&r, 3) > 0);
                for (int to = 0; to < *ranks; to++) p->count[q][to] = rng_below(&r, 2) ? rng_below(&r, most) : 0;
            }
            snprintf(words, sizeof words, "elements of %zu bytes", p->size);
            run_team(*ranks, where, arrives, p, NULL, words);
        }
    free(p);
}

static void on_the_host(void **state)
{
    (void)state;
    try_some("serial", HOST, 5, 1000);
}

static void on_a_device(void **state)
{
    (void)state;
    const char *const where = device_to_try();
    if (where == NULL) skip();
    try_some(where, DEVICE, 2, 1000);
    try_some(where, TAKES, 2, 1000);
    try_some(where, LINKED, 3, 1000);
    try_some(where, WHOLLY_LINKED, 2, 1000);
    setenv("OPLUS_DEVICE_MEMORY", "64K", 1); /* a round is 10 KiB then */
    try_some(where, DEVICE, 2, 3000);
    unsetenv("OPLUS_DEVICE_MEMORY");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(on_the_host), cmocka_unit_test(on_a_device)};
    team_begin();
    const int failed = cmocka_run_group_tests_name("ranks: exchange", tests, NULL, NULL);
    team_end();
    return failed;
}
