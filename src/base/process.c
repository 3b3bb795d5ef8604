#define _GNU_SOURCE /* pipe2 */
#include "base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

/* Starts it with standard input from nothing and both outputs into `out`; 0 or an errno. */
static int start(const char *const *argv, int out, pid_t *pid)
{
    posix_spawn_file_actions_t streams;
    int failure = posix_spawn_file_actions_init(&streams);
    if (failure) return failure;
    failure = posix_spawn_file_actions_addopen(&streams, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (!failure) failure = posix_spawn_file_actions_adddup2(&streams, out, STDOUT_FILENO);
    if (!failure) failure = posix_spawn_file_actions_adddup2(&streams, out, STDERR_FILENO);
    if (!failure) failure = posix_spawnp(pid, argv[0], &streams, NULL, (char *const *)argv, environ);
    posix_spawn_file_actions_destroy(&streams);
    return failure;
}

static long now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (long)t.tv_sec;
}

/* Reads until the other side closes; false if that takes too long.  What does not fit is read and dropped. */
static bool listen(int from, long deadline, char *said, size_t bytes)
{
    size_t kept = 0;
    for (;;) {
        char chunk[4096];
        struct pollfd ready = {.fd = from, .events = POLLIN};
        const long left = deadline - now();
        const int event = left > 0 ? poll(&ready, 1, (int)left * 1000) : 0;
        if (event < 0 && errno == EINTR) continue;
        if (event <= 0) return false;
        const ssize_t n = read(from, chunk, sizeof chunk);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return true;
        for (ssize_t i = 0; i < n && kept + 1 < bytes; i++) said[kept++] = chunk[i];
        said[kept] = '\0';
    }
}

opi_process opi_process_run(const char *const *argv, int seconds, char *said, size_t bytes)
{
    int ends[2], status = 0;
    pid_t pid;
    said[0] = '\0';
    if (pipe2(ends, O_CLOEXEC) != 0) return OPI_PROCESS_ABSENT;
    const int failure = start(argv, ends[1], &pid);
    close(ends[1]);
    if (failure) {
        close(ends[0]);
        return OPI_PROCESS_ABSENT;
    }
    const bool in_time = listen(ends[0], now() + seconds, said, bytes);
    close(ends[0]);
    if (!in_time) kill(pid, SIGKILL);
    pid_t waited;
    while ((waited = waitpid(pid, &status, 0)) < 0 && errno == EINTR) {
    }
    if (!in_time) return OPI_PROCESS_LATE;
    if (waited < 0) return OPI_PROCESS_GOOD; /* the program ignores SIGCHLD: what it made will tell */
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127) return OPI_PROCESS_ABSENT;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? OPI_PROCESS_GOOD : OPI_PROCESS_FAILED;
}
