#define _GNU_SOURCE /* pipe2 */
#include "base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { GLANCE_MS = 1, LOOK_MS = 100 }; /* how long to wait for output before looking whether the program has ended */

extern char **environ;

/* --- starting ----------------------------------------------------------------------------------------------------- */

/* The environment, with messages in English ASCII; only the array is ours. */
static const char **plain_environment(void)
{
    size_t n = 0, kept = 0;
    while (environ[n]) n++;
    const char **const plain = malloc((n + 2) * sizeof *plain);
    if (!plain) return NULL;
    for (size_t i = 0; i < n; i++)
        if (strncmp(environ[i], "LC_ALL=", 7) != 0) plain[kept++] = environ[i];
    plain[kept++] = "LC_ALL=C";
    plain[kept] = NULL;
    return plain;
}

/* Gives the program a process group of its own, so that all of it can be ended, and the signals that a program expects,
 * whatever the host has set. */
static int set_attributes(posix_spawnattr_t *attributes)
{
    sigset_t none, usual;
    sigemptyset(&none);
    sigemptyset(&usual);
    sigaddset(&usual, SIGCHLD);
    sigaddset(&usual, SIGPIPE);
    int failure = posix_spawnattr_setpgroup(attributes, 0);
    if (!failure) failure = posix_spawnattr_setsigmask(attributes, &none);
    if (!failure) failure = posix_spawnattr_setsigdefault(attributes, &usual);
    if (failure) return failure;
    return posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
}

static int set_streams(posix_spawn_file_actions_t *streams, int out)
{
    int failure = posix_spawn_file_actions_addopen(streams, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (!failure) failure = posix_spawn_file_actions_adddup2(streams, out, STDOUT_FILENO);
    if (!failure) failure = posix_spawn_file_actions_adddup2(streams, out, STDERR_FILENO);
    return failure;
}

/* Starts the program with an empty standard input and both outputs into `out`; returns 0 or an errno. */
static int start(const char *const *argv, int out, pid_t *pid)
{
    posix_spawn_file_actions_t streams;
    posix_spawnattr_t attributes;
    const char **const environment = plain_environment();
    if (!environment) return ENOMEM;
    int failure = posix_spawn_file_actions_init(&streams);
    if (!failure) {
        failure = posix_spawnattr_init(&attributes);
        if (!failure) {
            failure = set_streams(&streams, out);
            if (!failure) failure = set_attributes(&attributes);
            if (!failure)
                failure =
                    posix_spawnp(pid, argv[0], &streams, &attributes, (char *const *)argv, (char *const *)environment);
            posix_spawnattr_destroy(&attributes);
        }
        posix_spawn_file_actions_destroy(&streams);
    }
    free(environment);
    return failure;
}

static opi_process why_not(int failure)
{
    errno = failure;
    const bool absent = failure == ENOENT || failure == EACCES || failure == ENOTDIR || failure == ENOEXEC;
    return absent ? OPI_PROCESS_ABSENT : OPI_PROCESS_ERROR;
}

/* --- listening ---------------------------------------------------------------------------------------------------- */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct ear {
    int from; /* -1: nothing more comes */
    char *said;
    size_t kept, bytes;
} ear;

/* Takes the output so far; what does not fit is dropped.  Returns false if there was none. */
static bool hear(ear *e)
{
    char chunk[4096];
    const ssize_t n = read(e->from, chunk, sizeof chunk);
    if (n < 0) return errno == EINTR;
    if (n == 0) {
        close(e->from);
        e->from = -1;
        return false;
    }
    for (ssize_t i = 0; i < n && e->kept + 1 < e->bytes; i++) e->said[e->kept++] = chunk[i];
    e->said[e->kept] = '\0';
    return true;
}

static void wait_for_words(ear *e)
{
    struct pollfd ready = {.fd = e->from, .events = POLLIN};
    poll(&ready, 1, e->from < 0 ? GLANCE_MS : LOOK_MS);
    while (e->from >= 0 && hear(e)) {
    }
}

static opi_process ending(pid_t waited, int status)
{
    if (waited < 0) return OPI_PROCESS_UNKNOWN;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127) return OPI_PROCESS_ABSENT;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? OPI_PROCESS_GOOD : OPI_PROCESS_FAILED;
}

/* Listens until the program itself has ended; processes that it leaves behind may keep the pipe open. */
static opi_process attend(ear *e, pid_t pid, double deadline)
{
    int status = 0;
    while (now() < deadline) {
        wait_for_words(e);
        const pid_t waited = waitpid(pid, &status, WNOHANG);
        if (waited == 0 || (waited < 0 && errno == EINTR)) continue;
        while (e->from >= 0 && hear(e)) {
        }
        return ending(waited, status);
    }
    kill(-pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return OPI_PROCESS_LATE;
}

opi_process opi_process_run(const char *const *argv, int seconds, char *said, size_t bytes)
{
    int ends[2];
    pid_t pid;
    said[0] = '\0';
    if (pipe2(ends, O_CLOEXEC) != 0) return OPI_PROCESS_ERROR;
    const int failure = start(argv, ends[1], &pid);
    close(ends[1]);
    if (failure) {
        close(ends[0]);
        return why_not(failure);
    }
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    ear e = {.from = ends[0], .said = said, .bytes = bytes};
    const opi_process end = attend(&e, pid, now() + seconds);
    if (e.from >= 0) close(e.from);
    return end;
}

/* --- this program, once more -------------------------------------------------------------------------------------- */

opi_process opi_process_fork(int (*work)(void *context, int out), void *context, int seconds, char *said, size_t bytes)
{
    int ends[2];
    said[0] = '\0';
    if (pipe2(ends, O_CLOEXEC) != 0) return OPI_PROCESS_ERROR;
    const pid_t pid = fork();
    if (pid == 0) {
        setpgid(0, 0);
        setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
        setrlimit(RLIMIT_CPU, &(struct rlimit){(rlim_t)seconds + 1, (rlim_t)seconds + 1}); /* even if nobody waits */
        _exit(work(context, ends[1]));
    }
    close(ends[1]);
    if (pid < 0) {
        close(ends[0]);
        return OPI_PROCESS_ERROR;
    }
    setpgid(pid, pid); /* both processes do this: either may come first */
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    ear e = {.from = ends[0], .said = said, .bytes = bytes};
    const opi_process end = attend(&e, pid, now() + seconds);
    if (e.from >= 0) close(e.from);
    return end;
}
