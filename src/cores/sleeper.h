/* A thread that sleeps until another one wakes it, on a processor other than that one's.
 *
 * On a virtual machine of two processors Linux 6.18 wakes a thread where it went to sleep, also if that processor is
 * busy with the thread that wakes it, and the other one idles.  So a worker that had once run on the caller's processor
 * came back there each time, and took turns with the caller: calls in a row on two threads, of 1 to 4 MiB, took up to
 * twice as long as on one thread, and take 0.5 to 1.0 times as long since (2026-11-23).  Whoever wakes it there takes
 * this processor out of its mask, and the thread puts it back when it is awake: that takes 2 us.  Where there are more
 * than a few processors it was not needed. */
#ifndef OPI_SLEEPER_H
#define OPI_SLEEPER_H

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>

typedef struct opi_sleeper {
    sem_t wake;
    atomic_bool asleep; /* or about to be: whoever clears this must post */
    int processor;      /* on which it went to sleep */
    bool moved;         /* `all` is to be its mask again */
    cpu_set_t all;
} opi_sleeper;

void opi_sleeper_open(opi_sleeper *s);
void opi_sleeper_close(opi_sleeper *s);

/* By the thread itself.  Between the two calls it looks whether there is a reason to stay awake: whoever makes one looks
 * at `asleep` after that, so that one of them sees the other. */
void opi_sleeper_lie_down(opi_sleeper *s);
void opi_sleeper_sleep(opi_sleeper *s, bool stays_awake);

/* By others; `thread` is the one that sleeps. */
static inline bool opi_sleeper_is_asleep(const opi_sleeper *s) { return atomic_load(&s->asleep); }
void opi_sleeper_wake(opi_sleeper *s, pthread_t thread);

#endif
