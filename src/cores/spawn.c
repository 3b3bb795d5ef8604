#define _GNU_SOURCE /* cpu_set_t; pthread_sigmask's signal sets under -std=c11 */
#include "cores/spawn.h"

#include <omp.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>

static void add_place(cpu_set_t *all, int place)
{
    const int count = omp_get_place_num_procs(place);
    int *const ids = count > 0 ? calloc((size_t)count, sizeof *ids) : NULL;
    if (!ids) return;
    omp_get_place_proc_ids(place, ids);
    for (int i = 0; i < count; i++)
        if (ids[i] >= 0 && ids[i] < CPU_SETSIZE) CPU_SET((size_t)ids[i], all);
    free(ids);
}

/* Sets `all` to the processors of all places; false: OpenMP binds no threads. */
static bool find_places(cpu_set_t *all)
{
    CPU_ZERO(all);
    if (omp_get_proc_bind() == omp_proc_bind_false) return false;
    for (int place = omp_get_num_places() - 1; place >= 0; place--) add_place(all, place);
    return CPU_COUNT(all) > 0;
}

static bool create(pthread_t *thread, void *(*run)(void *), void *given)
{
    cpu_set_t all;
    pthread_attr_t attributes;
    if (!find_places(&all) || pthread_attr_init(&attributes) != 0) return pthread_create(thread, NULL, run, given) == 0;
    pthread_attr_setaffinity_np(&attributes, sizeof all, &all);
    const bool created = pthread_create(thread, &attributes, run, given) == 0;
    pthread_attr_destroy(&attributes);
    return created;
}

bool opi_spawn(pthread_t *thread, void *(*run)(void *), void *given)
{
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGPROF};
    sigset_t blocked, before;
    sigfillset(&blocked);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) sigdelset(&blocked, own[i]);
    pthread_sigmask(SIG_SETMASK, &blocked, &before);
    const bool created = create(thread, run, given);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return created;
}
