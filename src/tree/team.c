/* How many threads a parallel region may have.
 *
 * OpenMP's run-time libraries end the process where a thread of theirs cannot start, as under `ulimit -u` or the limit
 * of a container.  So before a region that needs threads which the last one of this thread did not have, as many are
 * started, all at once, and ended again: as many as live at the same time will start for OpenMP, too, unless somebody
 * else takes their places in between.  gcc's library ends what a smaller region does not need, and starts it anew for
 * the next larger one: hence the last region counts, and not the largest. */
#include "tree/team.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

/* Threads of the pool that OpenMP keeps for this thread, and this thread itself. */
static _Thread_local int last = 1;

static void *wait_for_end(void *end)
{
    while (sem_wait(end) != 0) {
    } /* a signal's handler may interrupt it */
    return NULL;
}

/* How many of so many threads start. */
static int try_threads(int wanted)
{
    enum { AT_ONCE = 64 };
    pthread_t few[AT_ONCE], *const many = wanted > AT_ONCE ? malloc((size_t)wanted * sizeof *many) : few;
    sem_t end;
    int started = 0;
    if (!many || sem_init(&end, 0, 0) != 0) wanted = 0;
    while (started < wanted && pthread_create(&many[started], NULL, wait_for_end, &end) == 0) started++;
    for (int i = 0; i < started; i++) sem_post(&end);
    for (int i = 0; i < started; i++) pthread_join(many[i], NULL);
    if (wanted > 0) sem_destroy(&end);
    if (many != few) free(many);
    return started;
}

int opi_team(int wanted)
{
    if (wanted > last) wanted = last + try_threads(wanted - last);
    if (wanted > 1) last = wanted; /* a region of one leaves the pool as it is */
    return wanted;
}
