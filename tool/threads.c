/* threads: a lock protects the choice of items; each item takes a good part of a millisecond.  A thread without an
 * item sleeps, so that other running programs slow nothing down. */
#define _GNU_SOURCE /* sigset_t under -std=c11 */
#include "threads.h"

#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static int threads = 1;

void tool_threads_set(int n) { threads = n > 0 ? n : 1; }

void tool_threads_as(const oplus_device *dev)
{
    static const char serial[] = "serial";
    static const char *const several[] = {"threads:", "openmp:"};
    const char *const name = oplus_device_name(dev);
    int n = strncmp(name, serial, strlen(serial)) == 0 ? 1 : omp_get_max_threads();
    for (size_t i = 0; i < sizeof several / sizeof *several; i++)
        if (strncmp(name, several[i], strlen(several[i])) == 0) n = (int)strtol(name + strlen(several[i]), NULL, 10);
    tool_threads_set(n);
}

/* --- the others --------------------------------------------------------------------------------------------------- */

enum { MOST = 256 };

static struct {
    pthread_mutex_t lock;
    pthread_cond_t begins, ends;
    int started, number[MOST]; /* number: of each thread, for itself */
    void (*item)(void *of, size_t i);
    void *of;
    size_t n, next, done;
    int wanted; /* threads, the caller too */
} crew = {.lock = PTHREAD_MUTEX_INITIALIZER, .begins = PTHREAD_COND_INITIALIZER, .ends = PTHREAD_COND_INITIALIZER};

/* Called with the lock held; gives it up during each item. */
static void do_items(void)
{
    while (crew.next < crew.n) {
        const size_t i = crew.next++;
        pthread_mutex_unlock(&crew.lock);
        crew.item(crew.of, i);
        pthread_mutex_lock(&crew.lock);
        if (++crew.done == crew.n) pthread_cond_signal(&crew.ends);
    }
}

static void *live(void *number)
{
    const int mine = *(const int *)number;
    pthread_mutex_lock(&crew.lock);
    for (;;) {
        if (mine < crew.wanted) do_items();
        pthread_cond_wait(&crew.begins, &crew.lock);
    }
    return NULL;
}

/* Signals from outside go to the thread that runs the command; signals caused by a thread's own reading and writing
 * go to that thread. */
static bool start(int number)
{
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGPIPE};
    pthread_t thread;
    sigset_t blocked, before;
    sigfillset(&blocked);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) sigdelset(&blocked, own[i]);
    pthread_sigmask(SIG_SETMASK, &blocked, &before);
    crew.number[number] = number;
    const bool started = pthread_create(&thread, NULL, live, &crew.number[number]) == 0;
    if (started) pthread_detach(thread);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

int tool_threads(void)
{
    if (threads > MOST) threads = MOST;
    pthread_mutex_lock(&crew.lock);
    if (crew.started == 0) crew.started = 1; /* this one */
    while (crew.started < threads && start(crew.started)) crew.started++;
    if (crew.started < threads) threads = crew.started; /* starting is tried only once */
    pthread_mutex_unlock(&crew.lock);
    return threads;
}

void tool_threads_run(void (*item)(void *of, size_t i), void *of, size_t n)
{
    const int wanted = tool_threads();
    if (wanted < 2 || n < 2) {
        for (size_t i = 0; i < n; i++) item(of, i);
        return;
    }
    pthread_mutex_lock(&crew.lock);
    crew.item = item;
    crew.of = of;
    crew.n = n;
    crew.next = crew.done = 0;
    crew.wanted = wanted;
    pthread_cond_broadcast(&crew.begins);
    do_items();
    while (crew.done < n) pthread_cond_wait(&crew.ends, &crew.lock);
    crew.n = crew.next = 0;
    pthread_mutex_unlock(&crew.lock);
}
