#define _GNU_SOURCE /* cpu_set_t */
#include "cores/sleeper.h"

void opi_sleeper_open(opi_sleeper *s)
{
    sem_init(&s->wake, 0, 0);
    atomic_init(&s->asleep, false);
}

void opi_sleeper_close(opi_sleeper *s) { sem_destroy(&s->wake); }

void opi_sleeper_lie_down(opi_sleeper *s)
{
    s->processor = sched_getcpu();
    s->moved = false;
    atomic_store(&s->asleep, true);
}

void opi_sleeper_sleep(opi_sleeper *s, bool stays_awake)
{
    if (stays_awake && atomic_exchange(&s->asleep, false)) return;
    while (sem_wait(&s->wake) != 0) {
    } /* a signal's handler may interrupt it */
    if (s->moved) pthread_setaffinity_np(pthread_self(), sizeof s->all, &s->all);
}

enum { FEW_PROCESSORS = 4 };

/* False: the thread wakes wherever Linux likes. */
static bool move_away(opi_sleeper *s, pthread_t thread, int from)
{
    if (pthread_getaffinity_np(thread, sizeof s->all, &s->all) != 0) return false;
    if (CPU_COUNT(&s->all) > FEW_PROCESSORS) return false;
    cpu_set_t others = s->all;
    CPU_CLR((size_t)from, &others);
    return CPU_COUNT(&others) > 0 && pthread_setaffinity_np(thread, sizeof others, &others) == 0;
}

void opi_sleeper_wake(opi_sleeper *s, pthread_t thread)
{
    if (!atomic_load(&s->asleep) || !atomic_exchange(&s->asleep, false)) return;
    const int here = sched_getcpu();
    if (here >= 0 && here == s->processor) s->moved = move_away(s, thread, here);
    sem_post(&s->wake);
}
