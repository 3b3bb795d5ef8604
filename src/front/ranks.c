/* oplus_run_ranks: threads of this process as ranks, a transport through their shared memory. */
#define _POSIX_C_SOURCE 200809L
#include "base/error.h"

#include <oplus/ranks.h>

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RANKS = 4096 };

/* What a rank shows the others during an exchange. */
typedef struct shown {
    const unsigned char *send;
    const size_t *send_bytes, *send_at;
} shown;

typedef enum doors { CLOSED, OPEN, SHUT /* for ever */ } doors;

/* What all ranks share. */
typedef struct meeting {
    int size;
    void (*body)(const oplus_comm *comm, void *context);
    void *context;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    doors doors;
    int waiting;        /* ranks that have come to the barrier */
    unsigned long turn; /* barriers passed */
    int left;           /* ranks whose body has returned */
    shown *shown;
} meeting;

typedef struct member {
    meeting *meeting;
    int rank;
    pthread_t thread;
} member;

oplus_status oplus_comm_fail(const char *text) { return opi_fail(OPLUS_ERR_COMM, "%s", text ? text : "?"); }

/* --- the transport ------------------------------------------------------------------------------------------------ */

/* Waits until all ranks have come; fails if one never will. */
static oplus_status barrier(meeting *m)
{
    pthread_mutex_lock(&m->lock);
    const unsigned long turn = m->turn;
    if (m->left == 0 && ++m->waiting == m->size) {
        m->waiting = 0;
        m->turn++;
        pthread_cond_broadcast(&m->changed);
    }
    while (m->turn == turn && m->left == 0) pthread_cond_wait(&m->changed, &m->lock);
    const bool met = m->turn != turn;
    pthread_mutex_unlock(&m->lock);
    return met ? OPLUS_OK
               : opi_fail(OPLUS_ERR_COMM, "oplus_run_ranks: a rank's body has returned while others wait for it; all "
                                          "ranks must make the same calls");
}

static oplus_status allgather(void *context, const void *send, size_t bytes, void *recv)
{
    const member *const own = context;
    meeting *const m = own->meeting;
    m->shown[own->rank].send = send;
    OPI_TRY(barrier(m));
    for (int q = 0; q < m->size && bytes > 0; q++)
        memcpy((unsigned char *)recv + (size_t)q * bytes, m->shown[q].send, bytes);
    return barrier(m); /* what was shown may change now */
}

static oplus_status alltoallv(void *context, const void *send, const size_t *send_bytes, const size_t *send_at,
                              void *recv, const size_t *recv_bytes, const size_t *recv_at)
{
    const member *const own = context;
    meeting *const m = own->meeting;
    m->shown[own->rank] = (shown){send, send_bytes, send_at};
    OPI_TRY(barrier(m));
    bool agrees = true;
    for (int i = 0; i < m->size; i++) {
        const int q = (own->rank + i) % m->size; /* not all from the same one at once */
        const shown *const from = &m->shown[q];
        agrees &= from->send_bytes[own->rank] == recv_bytes[q];
        if (agrees && recv_bytes[q] > 0)
            memcpy((unsigned char *)recv + recv_at[q], from->send + from->send_at[own->rank], recv_bytes[q]);
    }
    OPI_TRY(barrier(m));
    return agrees ? OPLUS_OK : opi_fail(OPLUS_ERR_COMM, "oplus_run_ranks: a rank sends more or less than is awaited");
}

/* --- the threads -------------------------------------------------------------------------------------------------- */

static void set_doors(meeting *m, doors doors)
{
    pthread_mutex_lock(&m->lock);
    m->doors = doors;
    pthread_cond_broadcast(&m->changed);
    pthread_mutex_unlock(&m->lock);
}

/* No body begins before all threads are there. */
static bool may_begin(meeting *m)
{
    pthread_mutex_lock(&m->lock);
    while (m->doors == CLOSED) pthread_cond_wait(&m->changed, &m->lock);
    const bool open = m->doors == OPEN;
    pthread_mutex_unlock(&m->lock);
    return open;
}

static void *run_member(void *given)
{
    member *const own = given;
    meeting *const m = own->meeting;
    const oplus_comm comm = {.abi = OPLUS_ABI,
                             .context = own,
                             .rank = own->rank,
                             .size = m->size,
                             .allgather = allgather,
                             .alltoallv = alltoallv};
    if (!may_begin(m)) return NULL;
    m->body(&comm, m->context);
    pthread_mutex_lock(&m->lock);
    m->left++;
    pthread_cond_broadcast(&m->changed);
    pthread_mutex_unlock(&m->lock);
    return NULL;
}

/* Starts the threads; returns how many there are. */
static int start_members(meeting *m, member *members)
{
    for (int q = 0; q < m->size; q++) {
        members[q].meeting = m;
        members[q].rank = q;
        if (pthread_create(&members[q].thread, NULL, run_member, &members[q])) return q;
    }
    return m->size;
}

oplus_status oplus_run_ranks(int ranks, void (*body)(const oplus_comm *comm, void *context), void *context)
{
    if (ranks < 1 || ranks > MOST_RANKS)
        return opi_fail(OPLUS_ERR_ARGUMENT, "%s: ranks is %d; give 1 to %d", __func__, ranks, (int)MOST_RANKS);
    if (!body) return opi_fail(OPLUS_ERR_ARGUMENT, "%s: body is NULL; give what each rank does", __func__);
    member *const members = calloc((size_t)ranks, sizeof *members);
    shown *const board = calloc((size_t)ranks, sizeof *board);
    meeting m = {.size = ranks,
                 .body = body,
                 .context = context,
                 .lock = PTHREAD_MUTEX_INITIALIZER,
                 .changed = PTHREAD_COND_INITIALIZER,
                 .shown = board};
    const int started = members && board ? start_members(&m, members) : 0;
    set_doors(&m, started == ranks ? OPEN : SHUT);
    for (int q = 0; q < started; q++) pthread_join(members[q].thread, NULL);
    free(members);
    free(board);
    if (started == ranks) return OPLUS_OK;
    return opi_fail(OPLUS_ERR_MEMORY, "%s: no memory, or no more threads, for %d ranks; give fewer", __func__, ranks);
}
