#define _XOPEN_SOURCE 700 /* sigaction, SIGXCPU */
#include "die.h"

#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *subcommand_name;
static bool quiet;

/* --- unfinished files --------------------------------------------------------------------------------------------- */

enum { SLOTS = 8, PATH_BYTES = 4096 };

/* Read by the signal handler, so: a fixed place, and `used` is set last and cleared first. */
static struct {
    volatile sig_atomic_t used;
    char path[PATH_BYTES];
} unfinished[SLOTS];
static pid_t owner; /* a child between fork and exec must not remove our files */

static void remove_unfinished(void)
{
    if (getpid() != owner) return;
    for (int slot = 0; slot < SLOTS; slot++) {
        if (!unfinished[slot].used) continue;
        unlink(unfinished[slot].path);
        unfinished[slot].used = 0;
    }
}

int tool_unfinished(const char *path)
{
    int slot = 0;
    while (slot < SLOTS && unfinished[slot].used) slot++;
    const size_t bytes = strlen(path) + 1;
    if (slot == SLOTS || bytes > PATH_BYTES) {
        unlink(path);
        tool_die(TOOL_FAILED, "cannot write %s: %s", path,
                 slot == SLOTS ? "too many files at once" : "too long a path");
    }
    memcpy(unfinished[slot].path, path, bytes);
    unfinished[slot].used = 1;
    return slot;
}

void tool_finished(int slot) { unfinished[slot].used = 0; }

/* --- signals ------------------------------------------------------------------------------------------------------ */

static const char undefined[] = "oplus: a text divided an integer by 0, or the smallest one by -1; write it so that it "
                                "is defined for all elements, as in b ? a / b : 0\n";

/* NULL: the usual effect, once unfinished files are gone. */
static const struct {
    int number;
    const char *meaning;
} signals[] = {
    {SIGINT, NULL},      {SIGTERM, NULL},
    {SIGHUP, NULL},      {SIGQUIT, NULL},
    {SIGPIPE, NULL},     {SIGXFSZ, NULL},
    {SIGXCPU, NULL},     {SIGBUS, "oplus: an input file became shorter while it was read\n"},
    {SIGFPE, undefined}, {SIGILL, undefined}, /* gcc's trap */
};
enum { SIGNALS = sizeof signals / sizeof signals[0] };

static void on_signal(int number)
{
    remove_unfinished();
    for (int i = 0; i < SIGNALS; i++)
        if (signals[i].number == number && signals[i].meaning) {
            const ssize_t written = write(STDERR_FILENO, signals[i].meaning, strlen(signals[i].meaning));
            (void)written; /* there is nobody else to tell */
            _exit(TOOL_FAILED);
        }
    raise(number); /* SA_RESETHAND has restored the usual effect, and it comes when we return */
}

void tool_begin(const char *subcommand)
{
    static bool begun;
    subcommand_name = subcommand;
    if (begun) return;
    begun = true;
    /* Where a standard stream is closed, no file of ours may take its place: messages would end in it. */
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0) open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    owner = getpid();
    atexit(remove_unfinished);
    for (int i = 0; i < SIGNALS; i++) {
        struct sigaction action, before;
        if (sigaction(signals[i].number, NULL, &before) != 0 || before.sa_handler == SIG_IGN)
            continue; /* nohup: stay so */
        memset(&action, 0, sizeof action);
        action.sa_handler = on_signal;
        action.sa_flags = SA_RESETHAND;
        sigemptyset(&action.sa_mask);
        sigaction(signals[i].number, &action, NULL);
    }
}

/* --- messages ----------------------------------------------------------------------------------------------------- */

static void say(const char *kind, const char *format, va_list arguments)
{
    fflush(stdout); /* what was said before stands before */
    flockfile(stderr);
    fprintf(stderr, "oplus%s%s: %s", subcommand_name ? " " : "", subcommand_name ? subcommand_name : "", kind);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    funlockfile(stderr);
}

void tool_die(enum tool_exit code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say("", format, arguments);
    va_end(arguments);
    exit(code);
}

void tool_warn(const char *format, ...)
{
    if (quiet) return;
    va_list arguments;
    va_start(arguments, format);
    say("warning: ", format, arguments);
    va_end(arguments);
}

void tool_warn_off(void) { quiet = true; }

void tool_hung_up(void)
{
    remove_unfinished();
    signal(SIGPIPE, SIG_DFL);
    raise(SIGPIPE);
    _exit(128 + SIGPIPE); /* where it is blocked */
}

/* --- memory ------------------------------------------------------------------------------------------------------- */

void *tool_realloc(void *mem, size_t bytes)
{
    void *const more = realloc(mem, bytes ? bytes : 1);
    if (!more) tool_die(TOOL_FAILED, "out of memory: no %zu bytes to be had", bytes);
    return more;
}

void *tool_alloc(size_t bytes) { return tool_realloc(NULL, bytes); }

char *tool_copy(const char *text)
{
    const size_t bytes = strlen(text) + 1;
    return memcpy(tool_alloc(bytes), text, bytes);
}
