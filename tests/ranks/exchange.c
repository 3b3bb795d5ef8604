/* Elements arrive where they should: of any size, from the host or a device, in one round or many. */
#include "ranks/ranks.h"
#include "support/team.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SPACE = 3 /* elements between two messages, which nobody may touch */ };

typedef struct plan {
    int ranks;
    size_t size;
    size_t count[MOST_RANKS][MOST_RANKS]; /* elements from one rank to another */
    bool device[MOST_RANKS][2];           /* whether a rank sends from there, and receives there */
    bool takes;                           /* the transport takes addresses of CUDA */
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
        good = travel(dev, p->takes ? &taking : comm, p, &parcel, f) && (!p->takes || took_what_it_takes(&t, p, f)) &&
               succeeded(oplus_copy(dev, in, recv, in_bytes), f);
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

static void try_some(const char *where, bool devices, bool takes, int times, size_t most)
{
    static const size_t sizes[] = {1, 4, 8, 12, 40};
    rng r = test_rng(where);
    plan *const p = must(malloc(sizeof *p));
    for (const int *ranks = team_sizes(); *ranks > 0; ranks++)
        for (int time = 0; time < times; time++) {
            char words[80];
            p->ranks = *ranks;
            p->takes = takes;
            p->size = sizes[rng_below(&r, sizeof sizes / sizeof *sizes)];
            for (int q = 0; q < *ranks; q++) {
                p->device[q][0] = devices && rng_below(&r, 3) > 0;
                p->device[q][1] = devices && rng_below(&r, 3) > 0;
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
    try_some("serial", false, false, 5, 1000);
}

static void on_a_device(void **state)
{
    (void)state;
    const char *const where = device_to_try();
    if (where == NULL) skip();
    try_some(where, true, false, 2, 1000);
    try_some(where, true, true, 2, 1000);
    setenv("OPLUS_DEVICE_MEMORY", "64K", 1); /* a round is 10 KiB then */
    try_some(where, true, false, 2, 3000);
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
