/* Threads of this process as ranks, and a transport through the memory that they share. */
#define _POSIX_C_SOURCE 200809L
#include "ranks/inprocess.h"

#include "base/error.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* What a rank shows to the others during an exchange. */
typedef struct shown {
    const unsigned char *send;
    const size_t *send_bytes, *send_at;
} shown;

/* Whether the bodies may begin: not yet, yes, never. */
typedef enum gate { CLOSED, OPEN, SHUT } gate;

/* What all ranks share. */
typedef struct team {
    int size;
    void (*body)(const oplus_comm *comm, void *context);
    void *context;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    gate gate;
    int waiting;        /* ranks that have reached the barrier */
    unsigned long turn; /* how many barriers have been passed */
    int left;           /* ranks whose body has returned */
    shown *shown;
} team;

typedef struct member {
    team *team;
    int rank;
    pthread_t thread;
} member;

/* --- the transport ------------------------------------------------------------------------------------------------ */

/* Waits until all ranks have come.  Fails if one rank will never come. */
static oplus_status barrier(team *t)
{
    pthread_mutex_lock(&t->lock);
    const unsigned long turn = t->turn;
    if (t->left == 0 && ++t->waiting == t->size) {
        t->waiting = 0;
        t->turn++;
        pthread_cond_broadcast(&t->changed);
    }
    while (t->turn == turn && t->left == 0) pthread_cond_wait(&t->changed, &t->lock);
    const bool met = t->turn != turn;
    pthread_mutex_unlock(&t->lock);
    return met ? OPLUS_OK
               : opi_fail(OPLUS_ERR_COMM, "oplus_run_ranks: a rank's body has returned while others wait for it; all "
                                          "ranks must make the same calls");
}

static oplus_status allgather(void *context, const void *send, size_t bytes, void *recv)
{
    const member *const own = context;
    team *const t = own->team;
    t->shown[own->rank].send = send;
    OPI_TRY(barrier(t));
    for (int q = 0; q < t->size && bytes > 0; q++)
        memcpy((unsigned char *)recv + (size_t)q * bytes, t->shown[q].send, bytes);
    return barrier(t); /* what ranks show may change now */
}

static oplus_status alltoallv(void *context, const void *send, const size_t *send_bytes, const size_t *send_at,
                              void *recv, const size_t *recv_bytes, const size_t *recv_at)
{
    const member *const own = context;
    team *const t = own->team;
    t->shown[own->rank] = (shown){send, send_bytes, send_at};
    OPI_TRY(barrier(t));
    bool agrees = true;
    for (int i = 0; i < t->size; i++) {
        const int q = (own->rank + i) % t->size; /* the ranks do not all copy from the same rank at once */
        const shown *const from = &t->shown[q];
        agrees &= from->send_bytes[own->rank] == recv_bytes[q];
        if (agrees && recv_bytes[q] > 0)
            memcpy((unsigned char *)recv + recv_at[q], from->send + from->send_at[own->rank], recv_bytes[q]);
    }
    OPI_TRY(barrier(t));
    return agrees ? OPLUS_OK : opi_fail(OPLUS_ERR_COMM, "oplus_run_ranks: a rank sends more or less than is awaited");
}

/* --- the threads -------------------------------------------------------------------------------------------------- */

static void set_gate(team *t, gate gate)
{
    pthread_mutex_lock(&t->lock);
    t->gate = gate;
    pthread_cond_broadcast(&t->changed);
    pthread_mutex_unlock(&t->lock);
}

/* No body begins before all threads exist. */
static bool may_begin(team *t)
{
    pthread_mutex_lock(&t->lock);
    while (t->gate == CLOSED) pthread_cond_wait(&t->changed, &t->lock);
    const bool open = t->gate == OPEN;
    pthread_mutex_unlock(&t->lock);
    return open;
}

static void *run_member(void *given)
{
    member *const own = given;
    team *const t = own->team;
    const oplus_comm comm = {.abi = OPLUS_ABI,
                             .context = own,
                             .rank = own->rank,
                             .size = t->size,
                             .allgather = allgather,
                             .alltoallv = alltoallv};
    if (!may_begin(t)) return NULL;
    t->body(&comm, t->context);
    pthread_mutex_lock(&t->lock);
    t->left++;
    pthread_cond_broadcast(&t->changed);
    pthread_mutex_unlock(&t->lock);
    return NULL;
}

/* Starts the threads.  Returns how many were started. */
static int start_members(team *t, member *members)
{
    for (int q = 0; q < t->size; q++) {
        members[q].team = t;
        members[q].rank = q;
        if (pthread_create(&members[q].thread, NULL, run_member, &members[q])) return q;
    }
    return t->size;
}

oplus_status opi_inprocess_run(const char *call, int ranks, void (*body)(const oplus_comm *comm, void *context),
                               void *context)
{
    member *const members = calloc((size_t)ranks, sizeof *members);
    shown *const board = calloc((size_t)ranks, sizeof *board);
    team t = {.size = ranks,
              .body = body,
              .context = context,
              .lock = PTHREAD_MUTEX_INITIALIZER,
              .changed = PTHREAD_COND_INITIALIZER,
              .shown = board};
    const int started = members && board ? start_members(&t, members) : 0;
    set_gate(&t, started == ranks ? OPEN : SHUT);
    for (int q = 0; q < started; q++) pthread_join(members[q].thread, NULL);
    free(members);
    free(board);
    if (started == ranks) return OPLUS_OK;
    return opi_fail(OPLUS_ERR_MEMORY, "%s: no memory, or no more threads, for %d ranks; give fewer", call, ranks);
}
