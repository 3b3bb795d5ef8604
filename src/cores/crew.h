/* Threads of a handle that work for the thread that calls.
 *
 * A job is a number of items, each done once, by whoever comes next.  The caller begins at once and alone; the others
 * join when they wake.  So nobody waits for a thread that has not got a core: at the end the caller waits only for
 * those that are in the middle of an item, and sleeps meanwhile if that takes long, which leaves them its core.
 *
 * Threads are started by the first job that wants them and stay with the handle.  Between jobs they look for the next
 * one for some microseconds, and then sleep.  Where threads cannot start (`ulimit -u`, the limit of a container) there
 * are fewer.  After fork() the child starts its own. */
#ifndef OPI_CREW_H
#define OPI_CREW_H

#include <stdbool.h>
#include <stddef.h>

typedef struct opi_crew opi_crew;

/* Does one item of a job.  worker: the caller is 0, the others are 1 and so on, less than opi_crew_run's `workers`. */
typedef void opi_crew_item(void *job, size_t worker, size_t item);

/* A crew without threads of its own, for a program that wants one pool: OpenMP's threads do each job, in a parallel
 * region that all of them leave together.  In a child of a process that has had such a job the caller works alone.
 * NULL: no memory. */
opi_crew *opi_crew_of_openmp(void);

/* Allocates memory for so many workers, the caller counted.  Otherwise opi_crew_run does that, and works alone if it
 * fails.  *crew: NULL before the first call. */
bool opi_crew_reserve(opi_crew **crew, int workers);
/* Does all items, on at most `workers` threads.  Items begin in order: when item i begins, all items before it have
 * begun. */
void opi_crew_run(opi_crew **crew, int workers, opi_crew_item *item, void *job, size_t items);
/* Says that the next job is short: if the threads sleep, the caller works alone for as long as it would take them to
 * come, and wakes them only if there is work left then.  A job that follows another one at once wakes them at once.
 * crew: NULL allowed. */
void opi_crew_hesitate(opi_crew *crew, bool is_short);
/* Do its threads sleep?  False if they are OpenMP's, of which nobody knows. */
bool opi_crew_sleeps(const opi_crew *crew);
/* Ends the threads; NULL allowed. */
void opi_crew_close(opi_crew *crew);

/* For loops that wait for another worker. */
void opi_crew_relax(void);
unsigned long long opi_crew_now(void); /* nanoseconds */

#endif
