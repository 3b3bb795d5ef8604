/* Runs a program, without a shell. */
#ifndef OPI_PROCESS_H
#define OPI_PROCESS_H

#include <stddef.h>

typedef enum opi_process {
    OPI_PROCESS_GOOD,    /* it ended with 0 */
    OPI_PROCESS_FAILED,  /* it ended otherwise, or was killed */
    OPI_PROCESS_UNKNOWN, /* it ended, and the host program, which ignores or collects its children, knows how */
    OPI_PROCESS_ABSENT,  /* there is no such program, or it may not be run */
    OPI_PROCESS_LATE,    /* it took longer than allowed, and was killed, with what it had started */
    OPI_PROCESS_ERROR    /* it could not be started: errno says why */
} opi_process;

/* Runs argv[0], looked up in PATH, with no input and in the locale C; the beginning of what it prints on both streams
 * goes to `said`, cut to `bytes`, ended by 0. */
opi_process opi_process_run(const char *const *argv, int seconds, char *said, size_t bytes);

/* Runs `work` in a copy of this process, which ends with what it returns; what it writes to `out` goes to `said`.  It
 * is alone there, whatever threads this process has: it may take memory, and wait for no other thread. */
opi_process opi_process_fork(int (*work)(void *context, int out), void *context, int seconds, char *said, size_t bytes);

#endif
