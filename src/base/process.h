/* Runs a program, without a shell. */
#ifndef OPI_PROCESS_H
#define OPI_PROCESS_H

#include <stddef.h>

typedef enum opi_process {
    OPI_PROCESS_GOOD,    /* it ended with exit code 0 */
    OPI_PROCESS_FAILED,  /* it ended with another exit code, or was killed */
    OPI_PROCESS_UNKNOWN, /* its exit code is lost: the user's program ignores or collects its children */
    OPI_PROCESS_ABSENT,  /* there is no such program, or it may not be run */
    OPI_PROCESS_LATE,    /* it took longer than allowed, and was killed, with what it had started */
    OPI_PROCESS_ERROR    /* it could not be started: errno says why */
} opi_process;

/* Runs argv[0], which is looked up in PATH, with no input and in the locale C, for at most `seconds`.  The beginning
 * of what it prints on stdout and stderr goes to `said`, cut to `bytes` bytes with the 0 at the end. */
opi_process opi_process_run(const char *const *argv, int seconds, char *said, size_t bytes);

/* Runs `work` in a forked copy of this process, for at most `seconds`; its result is the exit code of the copy.  What
 * it writes to the descriptor `out` goes to `said`.  `work` is the only thread there, whatever threads this process
 * has: it may allocate memory, but must not wait for another thread. */
opi_process opi_process_fork(int (*work)(void *context, int out), void *context, int seconds, char *said, size_t bytes);

#endif
