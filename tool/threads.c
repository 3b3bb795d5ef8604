#include "threads.h"

#include <omp.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>

static int threads = 1;
static bool tried; /* so many threads do start */

void tool_threads_set(int n)
{
    threads = n > 0 ? n : 1;
    tried = false;
}

void tool_threads_as(const oplus_device *dev)
{
    static const char serial[] = "serial", several[] = "threads:";
    const char *const name = oplus_device_name(dev);
    if (strncmp(name, serial, strlen(serial)) == 0)
        tool_threads_set(1);
    else if (strncmp(name, several, strlen(several)) == 0)
        tool_threads_set((int)strtol(name + strlen(several), NULL, 10));
    else
        tool_threads_set(omp_get_max_threads());
}

/* --- how many start ----------------------------------------------------------------------------------------------- */

static void *wait_for_end(void *end)
{
    while (sem_wait(end) != 0) {
    } /* a signal's handler may interrupt it */
    return NULL;
}

/* OpenMP's libraries end the process where a thread of theirs cannot start, as under the limit of a container.  As many
 * as live at the same time now will start for them, too. */
static int count_starting(int wanted)
{
    pthread_t *const started = malloc((size_t)wanted * sizeof *started);
    sem_t end;
    int n = 0;
    if (!started || sem_init(&end, 0, 0) != 0) wanted = 0;
    while (n < wanted && pthread_create(&started[n], NULL, wait_for_end, &end) == 0) n++;
    for (int i = 0; i < n; i++) sem_post(&end);
    for (int i = 0; i < n; i++) pthread_join(started[i], NULL);
    if (wanted > 0) sem_destroy(&end);
    free(started);
    return n;
}

int tool_threads(void)
{
    if (!tried && threads > 1) threads = 1 + count_starting(threads - 1);
    tried = true;
    return threads;
}
