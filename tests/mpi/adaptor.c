/* <oplus/mpi.h> by itself: what it moves, what it says, and what it leaves to the program.  If anything goes wrong, all
 * ranks end. */
#include <oplus/mpi.h>

#include "support/rng.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef TEST_SHARED
#include <pthread.h>
#include <stdatomic.h>
#endif

/* --- what is checked ---------------------------------------------------------------------------------------------- */

#ifndef RECEIVE
#define RECEIVE "MPI_Irecv" /* the call that fails if more bytes come than are expected */
#endif

static int world_rank, world_size;

static void check_(bool good, const char *what, int line)
{
    if (good) return;
    fprintf(stderr, "%s:%d: on rank %d of %d this does not hold: %s\n    the last error: %s\n", __FILE__, line,
            world_rank, world_size, what, oplus_last_error());
    MPI_Abort(MPI_COMM_WORLD, 1);
}
#define CHECK(condition) check_(condition, #condition, __LINE__)

/* The call was refused in these words, on one line. */
static bool refused(oplus_status status, const char *words)
{
    const char *const said = oplus_last_error();
    return status == OPLUS_ERR_COMM && strstr(said, words) != NULL && strchr(said, '\n') == NULL;
}

static oplus_comm transport_of(MPI_Comm comm)
{
    oplus_comm made;
    CHECK(oplus_mpi_comm(comm, &made) == OPLUS_OK);
    return made;
}

/* --- what it moves ------------------------------------------------------------------------------------------------ */

enum { MOST = 4096 };

/* Byte k of what one rank gives another. */
static unsigned char byte_of(size_t from, size_t to, size_t k)
{
    return (unsigned char)(from * 83 + to * 29 + k * 7 + k / 251);
}

/* How many bytes one rank gives another: around the edges of a piece, or none. */
static size_t bytes_between(uint64_t seed, int from, int to)
{
    static const size_t piece = OPLUS_MPI_LARGEST < 10000 ? OPLUS_MPI_LARGEST : 10000;
    rng r = {seed ^ ((uint64_t)from * 1000 + (uint64_t)to + 1)};
    switch (rng_below(&r, 5)) {
    case 0:
        return 0;
    case 1:
        return piece - 1 + rng_below(&r, 3);
    case 2:
        return piece * (1 + rng_below(&r, 3)) - 1 + rng_below(&r, 3);
    case 3:
        return rng_below(&r, 20);
    default:
        return rng_below(&r, 70 * piece); /* more pieces than are under way at once */
    }
}

typedef struct lists {
    size_t send_bytes[MOST], send_at[MOST], recv_bytes[MOST], recv_at[MOST], send_total, recv_total;
} lists;

/* With gaps, which nobody may touch. */
static void deal(lists *l, uint64_t seed, const oplus_comm *comm)
{
    l->send_total = l->recv_total = 0;
    for (int q = 0; q < comm->size; q++) {
        l->send_bytes[q] = bytes_between(seed, comm->rank, q);
        l->recv_bytes[q] = bytes_between(seed, q, comm->rank);
        l->send_at[q] = l->send_total += 3;
        l->recv_at[q] = l->recv_total += 5;
        l->send_total += l->send_bytes[q];
        l->recv_total += l->recv_bytes[q];
    }
    l->recv_total += 5;
}

static void exchange(const oplus_comm *comm, uint64_t seed)
{
    static lists l;
    const size_t own = (size_t)comm->rank;
    deal(&l, seed, comm);
    unsigned char *const send = malloc(l.send_total + 1), *const recv = malloc(l.recv_total);
    CHECK(send != NULL && recv != NULL);
    memset(recv, 0xee, l.recv_total);
    for (size_t q = 0; q < (size_t)comm->size; q++)
        for (size_t k = 0; k < l.send_bytes[q]; k++) send[l.send_at[q] + k] = byte_of(own, q, k);
    CHECK(comm->alltoallv(comm->context, send, l.send_bytes, l.send_at, recv, l.recv_bytes, l.recv_at) == OPLUS_OK);
    size_t at = 0;
    for (size_t q = 0; q < (size_t)comm->size; q++) {
        for (; at < l.recv_at[q]; at++) CHECK(recv[at] == 0xee);
        for (size_t k = 0; k < l.recv_bytes[q]; k++) CHECK(recv[at++] == byte_of(q, own, k));
    }
    for (; at < l.recv_total; at++) CHECK(recv[at] == 0xee);
    free(send);
    free(recv);
}

static void gather(const oplus_comm *comm, size_t bytes)
{
    const size_t all = bytes * (size_t)comm->size;
    unsigned char *const send = malloc(bytes + 1), *const recv = malloc(all + 1);
    CHECK(send != NULL && recv != NULL);
    for (size_t k = 0; k < bytes; k++) send[k] = byte_of((size_t)comm->rank, 0, k);
    recv[all] = 0xee;
    CHECK(comm->allgather(comm->context, send, bytes, recv) == OPLUS_OK);
    for (size_t q = 0; q < (size_t)comm->size; q++)
        for (size_t k = 0; k < bytes; k++) CHECK(recv[q * bytes + k] == byte_of(q, 0, k));
    CHECK(recv[all] == 0xee);
    free(send);
    free(recv);
}

static void moves(const oplus_comm *comm)
{
    static const size_t bytes[] = {0, 1, 17, 249, 250, 251, 333, 334, 499, 500, 501, 1000, 1001, 5003, 70001};
    for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++) gather(comm, bytes[i]);
    for (uint64_t seed = 1; seed <= 12; seed++) exchange(comm, seed * UINT64_C(0x9e3779b97f4a7c15));
}

/* --- what it leaves to the program -------------------------------------------------------------------------------- */

/* A receive of anything, by the program, does not get what oplus sends. */
static void messages_do_not_mix(const oplus_comm *comm)
{
    const int to = (world_rank + 1) % world_size, from = (world_rank + world_size - 1) % world_size;
    int got = -1;
    MPI_Request request;
    MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
    exchange(comm, 77);
    gather(comm, 4);
    CHECK(got == -1);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Send(&world_rank, 1, MPI_INT, to, 5, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(got == from);
}

static void handler_is_as_before(void)
{
    const MPI_Comm comms[] = {MPI_COMM_WORLD, MPI_COMM_SELF};
    for (size_t i = 0; i < 2; i++) {
        MPI_Errhandler handler;
        MPI_Comm_get_errhandler(comms[i], &handler);
        CHECK(handler == MPI_ERRORS_ARE_FATAL);
        MPI_Errhandler_free(&handler);
    }
}

/* Ranks are those of the communicator: here the other way round, and in two halves. */
static void parts_of_the_world(void)
{
    MPI_Comm reversed, half;
    MPI_Comm_split(MPI_COMM_WORLD, 0, -world_rank, &reversed);
    MPI_Comm_split(MPI_COMM_WORLD, world_rank % 2, world_rank, &half);
    oplus_comm all = transport_of(reversed), some = transport_of(half);
    MPI_Comm_free(&reversed); /* the duplicate stays */
    MPI_Comm_free(&half);
    CHECK(all.rank == world_size - 1 - world_rank && all.size == world_size);
    CHECK(some.rank == world_rank / 2 && some.size == (world_size + 1 - world_rank % 2) / 2);
    exchange(&some, 5);
    exchange(&all, 6);
    gather(&some, 300);
    oplus_mpi_free(&all);
    oplus_mpi_free(&some);
    CHECK(all.size == 0 && all.allgather == NULL);
    oplus_mpi_free(&all); /* nothing */
    oplus_mpi_free(NULL);
}

/* --- what it says ------------------------------------------------------------------------------------------------- */

static void refuses(void)
{
    oplus_comm comm = {.abi = OPLUS_ABI, .size = 7};
    CHECK(refused(oplus_mpi_comm(MPI_COMM_WORLD, NULL), "oplus_mpi_comm: out is NULL"));
    CHECK(refused(oplus_mpi_comm(MPI_COMM_NULL, &comm), "oplus_mpi_comm: comm is MPI_COMM_NULL"));
    CHECK(comm.size == 0);
    oplus_mpi_free(&comm); /* fine after a failure */
    if (world_size < 2) return;
    MPI_Comm half, inter;
    MPI_Comm_split(MPI_COMM_WORLD, world_rank == 0, 0, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, world_rank == 0 ? 1 : 0, 3, &inter);
    CHECK(refused(oplus_mpi_comm(inter, &comm), "oplus_mpi_comm: comm is an inter-communicator"));
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
}

/* Rank 0 gives rank 1 more than rank 1 expects: MPI says so there, in its own words, and no process ends. */
static void mpi_says_what_failed(void)
{
    oplus_comm comm = transport_of(MPI_COMM_WORLD);
    static size_t none[MOST], some[MOST], at[MOST];
    unsigned char send[100] = {0}, recv[100] = {0};
    if (comm.rank == 0) {
        some[1] = 100;
        CHECK(comm.alltoallv(comm.context, send, some, at, recv, none, at) == OPLUS_OK);
    } else if (comm.rank == 1) {
        some[0] = 10;
        CHECK(refused(comm.alltoallv(comm.context, send, none, at, recv, some, at), RECEIVE ": "));
        CHECK(strstr(oplus_last_error(), "trunc") != NULL); /* MPI_ERR_TRUNCATE: message truncated */
        CHECK(recv[10] == 0);
    }
    gather(&comm, 100); /* the communicator can still be used */
    oplus_mpi_free(&comm);
}

static void own_part_must_agree(const oplus_comm *comm)
{
    static size_t give[MOST], await[MOST], at[MOST];
    unsigned char send[8] = {0}, recv[8];
    give[comm->rank] = 8;
    await[comm->rank] = 4;
    CHECK(refused(comm->alltoallv(comm->context, send, give, at, recv, await, at), "gives itself"));
}

#ifndef TEST_SHARED
/* Receives that nobody answers end, and do not take messages that come later. */
static void abandoned_receives_end(void)
{
    oplus_comm comm = transport_of(MPI_COMM_WORLD);
    unsigned char recv[64] = {0};
    oplus_mpi_flight_ flight;
    CHECK(oplus_mpi_enter_(&flight, comm.context) == OPLUS_OK);
    const int from = (comm.rank + 1) % comm.size;
    for (int i = 0; i < 5; i++) CHECK(oplus_mpi_start_(&flight, NULL, 0, 0, recv, 64, from) == OPLUS_OK);
    CHECK(flight.pairs == 5);
    oplus_mpi_abandon_(&flight);
    CHECK(oplus_mpi_leave_(&flight, OPLUS_OK) == OPLUS_OK && flight.pairs == 0);
    for (int i = 0; i < 10; i++) CHECK(flight.request[i] == MPI_REQUEST_NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    exchange(&comm, 99);
    oplus_mpi_free(&comm);
}
#endif

/* --- all of it ---------------------------------------------------------------------------------------------------- */

static void skip(void)
{
    MPI_Finalize();
    exit(77);
}

static void skip_alone(void)
{
    const char *const wanted = getenv("TEST_MPI_RANKS");
    if (wanted == NULL || atoi(wanted) <= 1 || world_size > 1) return;
    printf("skipped: mpirun -n %s started processes that know nothing of each other: this MPI's mpirun is broken\n",
           wanted);
    skip();
}

/* How the program begins and ends MPI. */
#ifdef TEST_SHARED
static atomic_bool over;

/* Another thread of the program: the handlers of its communicators are never changed. */
static void *watch(void *unused)
{
    (void)unused;
    while (!over) handler_is_as_before();
    return NULL;
}

static pthread_t watcher;

static void begin(int *argc, char ***argv)
{
    int level;
    MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &level);
    if (level != MPI_THREAD_MULTIPLE) {
        printf("skipped: this MPI has no MPI_THREAD_MULTIPLE\n");
        skip();
    }
    CHECK(pthread_create(&watcher, NULL, watch, NULL) == 0);
}

static void end(void)
{
    over = true;
    CHECK(pthread_join(watcher, NULL) == 0);
    MPI_Finalize();
}
#else
static void begin(int *argc, char ***argv) { MPI_Init(argc, argv); }

static void end(void) { MPI_Finalize(); }
#endif

int main(int argc, char **argv)
{
    oplus_comm early, late;
    if (!refused(oplus_mpi_comm(MPI_COMM_WORLD, &early), "MPI is not running") || early.size != 0) {
        fprintf(stderr, "before MPI_Init: %s\n", oplus_last_error());
        return 1;
    }
    begin(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
    skip_alone();

    oplus_comm comm = transport_of(MPI_COMM_WORLD);
    CHECK(comm.rank == world_rank && comm.size == world_size);
    moves(&comm);
    messages_do_not_mix(&comm);
    own_part_must_agree(&comm);
    parts_of_the_world();
    refuses();
    mpi_says_what_failed();
#ifndef TEST_SHARED
    abandoned_receives_end();
#endif
    handler_is_as_before();
    late = comm;

    end();
    unsigned char byte = 0, bytes[MOST];
    const bool good = refused(late.allgather(late.context, &byte, 1, bytes), "MPI is not running") &&
                      refused(oplus_mpi_comm(MPI_COMM_WORLD, &early), "MPI is not running");
    if (!good) fprintf(stderr, "after MPI_Finalize: %s\n", oplus_last_error());
    oplus_mpi_free(&late); /* nothing */
    return good ? 0 : 1;
}
