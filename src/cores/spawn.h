/* Starts a thread of the library's own.
 *
 * It blocks signals from outside, which are for the program's own threads; signals that a thread itself causes, and a
 * profiler's, stay unblocked.  It may run wherever OpenMP's threads may: with OMP_PROC_BIND or OMP_PLACES in the
 * environment OpenMP binds the program's first thread to one processor when the program starts, and threads that this
 * one starts would be bound to the same processor. */
#ifndef OPI_SPAWN_H
#define OPI_SPAWN_H

#include <pthread.h>
#include <stdbool.h>

/* False: it cannot be started (`ulimit -u`, the limit of a container). */
bool opi_spawn(pthread_t *thread, void *(*run)(void *), void *given);

#endif
