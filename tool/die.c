#define _GNU_SOURCE /* _Fork, sigaltstack */
#include "die.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
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

/* Calls only what a signal handler may: fork would wait for a lock that the interrupted thread holds. */
static void remove_tree(const char *path)
{
    if (rmdir(path) == 0 || errno != ENOTEMPTY) return;
    const pid_t child = _Fork();
    if (child == 0) {
        execl("/bin/rm", "rm", "-rf", "--", path, (char *)NULL);
        _exit(TOOL_FAILED);
    }
    while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR) continue;
}

void tool_unfinished_remove(int slot)
{
    if (!unfinished[slot].used) return;
    if (unlink(unfinished[slot].path) != 0) remove_tree(unfinished[slot].path);
    unfinished[slot].used = 0;
}

static void remove_unfinished(void)
{
    for (int slot = 0; getpid() == owner && slot < SLOTS; slot++) tool_unfinished_remove(slot);
}

int tool_unfinished(const char *path)
{
    int slot = 0;
    while (slot < SLOTS && unfinished[slot].used) slot++;
    const size_t bytes = strlen(path) + 1;
    if (slot == SLOTS || bytes > PATH_BYTES) {
        if (unlink(path) != 0) remove_tree(path);
        tool_die(TOOL_FAILED, "cannot write %s: %s", path,
                 slot == SLOTS ? "too many files at once" : "too long a path");
    }
    memcpy(unfinished[slot].path, path, bytes);
    unfinished[slot].used = 1;
    return slot;
}

void tool_finished(int slot) { unfinished[slot].used = 0; }

/* --- signals ------------------------------------------------------------------------------------------------------ */

static volatile sig_atomic_t text_runs;
void tool_text_runs(bool runs) { text_runs = runs; }

static const char shrunk[] = "oplus: an input file became shorter while it was read\n";
static const char trapped[] = "oplus: the processor refused an instruction, by a defect of oplus; please report it\n";
static const char undefined[] = "oplus: a text divided an integer by 0, or the smallest one by -1; write it so that it "
                                "is defined for all elements, as in b ? a / b : 0\n";
static const char strayed[] = "oplus: a text read or wrote memory that is not its own, or called itself too deep\n";
static const char aborted[] = "oplus: a text called abort, or ruined memory\n";
static const char exited[] = "oplus: a text called exit; results are not complete\n";
static const char refused[] = "oplus: a text made a call that is not allowed here\n";

/* The messages: while a text of the user runs, and at any time.  NULL: the signal has its usual effect after
 * unfinished files are removed. */
static const struct {
    int number;
    const char *of_text, *meaning;
} signals[] = {
    {SIGINT, NULL, NULL},         {SIGTERM, NULL, NULL},        {SIGHUP, NULL, NULL},    {SIGQUIT, NULL, NULL},
    {SIGPIPE, NULL, NULL},        {SIGXFSZ, NULL, NULL},        {SIGXCPU, NULL, NULL},   {SIGBUS, shrunk, shrunk},
    {SIGFPE, undefined, trapped}, {SIGILL, undefined, trapped}, /* gcc's trap */
    {SIGSEGV, strayed, NULL},     {SIGABRT, aborted, NULL},     {SIGSYS, refused, NULL},
};
enum { SIGNALS = sizeof signals / sizeof signals[0] };
static struct sigaction before[SIGNALS];

/* Threads may fault together: one of them ends the command, and the others wait for that. */
static void on_signal(int number)
{
    static atomic_flag ending = ATOMIC_FLAG_INIT;
    while (atomic_flag_test_and_set(&ending)) pause();
    remove_unfinished();
    int i = 0;
    while (signals[i].number != number) i++;
    const char *const says = text_runs && signals[i].of_text ? signals[i].of_text : signals[i].meaning;
    if (says) {
        const ssize_t written = write(STDERR_FILENO, says, strlen(says));
        (void)written; /* a failed write cannot be reported */
        _exit(TOOL_FAILED);
    }
    sigaction(number, &before[i], NULL);
    raise(number); /* the signal is delivered when we return */
}

/* If a text overflows the stack, the handler needs a stack of its own. */
static void give_handler_a_stack(void)
{
    static char memory[1 << 16];
    const stack_t stack = {.ss_sp = memory, .ss_size = sizeof memory};
    sigaltstack(&stack, NULL);
}

static void handle_signals(void)
{
    give_handler_a_stack();
    for (int i = 0; i < SIGNALS; i++) {
        struct sigaction action;
        if (sigaction(signals[i].number, NULL, &before[i]) != 0 || before[i].sa_handler == SIG_IGN)
            continue; /* ignored, as by nohup: it stays ignored */
        memset(&action, 0, sizeof action);
        action.sa_handler = on_signal;
        action.sa_flags = SA_ONSTACK;
        sigfillset(&action.sa_mask);
        sigaction(signals[i].number, &action, NULL);
    }
}

/* --- beginning and end -------------------------------------------------------------------------------------------- */

/* Threads of a text that call exit at the same time use one registration each; only the first prints a message. */
enum { EXITS = 64 };

static void at_exit(void)
{
    static atomic_flag spoken = ATOMIC_FLAG_INIT;
    if (getpid() != owner) return;
    remove_unfinished();
    if (!text_runs) return;
    while (atomic_flag_test_and_set(&spoken)) pause();
    fputs(exited, stderr);
    _exit(TOOL_FAILED);
}

void tool_close_stdout(void)
{
    const bool arrived = fflush(stdout) == 0 && !ferror(stdout);
    if (arrived && (fclose(stdout) == 0 || errno == EBADF)) return; /* EBADF: closed before, no failure */
    fprintf(stderr, "oplus: cannot write stdout: %s\n", strerror(errno));
    _exit(TOOL_FAILED);
}

void tool_begin(const char *subcommand)
{
    static bool begun;
    subcommand_name = subcommand;
    if (begun) return;
    begun = true;
    /* If a standard stream is closed, no file of ours may get its number: messages would be written into that file. */
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0) open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    owner = getpid();
    for (int i = 0; i < EXITS; i++) atexit(at_exit);
    handle_signals();
}

/* --- messages ----------------------------------------------------------------------------------------------------- */

/* Names and texts of the user must not reach a terminal as its commands. */
static void print_plainly(const char *text)
{
    for (; *text; text++) fputc(iscntrl((unsigned char)*text) && !strchr("\n\t", *text) ? '?' : *text, stderr);
}

static void say(const char *kind, const char *text)
{
    fflush(stdout); /* earlier output must stand before the message */
    flockfile(stderr);
    fprintf(stderr, "oplus%s%s: %s", subcommand_name ? " " : "", subcommand_name ? subcommand_name : "", kind);
    print_plainly(text ? text : "out of memory");
    fputc('\n', stderr);
    funlockfile(stderr);
}

/* Returns the text, or NULL if there is no memory. */
static char *compose(const char *format, va_list arguments)
{
    char *text;
    return vasprintf(&text, format, arguments) < 0 ? NULL : text;
}

static int (*end_by)(int code, const char *text);
void tool_end_by(int (*end)(int code, const char *text)) { end_by = end; }

/* A process that fails during the common end ends alone. */
static _Noreturn void end(int code, const char *text, bool speaks)
{
    int (*const by)(int, const char *) = end_by;
    end_by = NULL;
    text_runs = false; /* this exit is ours, not the text's */
    if (by)
        code = by(code, text);
    else if (speaks)
        say("", text);
    exit(code);
}

void tool_exit(int code) { end(code, NULL, false); }

void tool_die(enum tool_exit code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char *const text = compose(format, arguments);
    va_end(arguments);
    end((int)code, text, true);
}

void tool_refuse_beside(const char *option, const tool_given *others, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (others[i].given) tool_die(TOOL_USAGE, "%s and %s cannot go together", option, others[i].name);
}

void tool_last_words(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *const text = compose(format, arguments);
    va_end(arguments);
    say("", text);
    free(text);
    remove_unfinished();
}

void tool_warn(const char *format, ...)
{
    if (quiet) return;
    va_list arguments;
    va_start(arguments, format);
    char *const text = compose(format, arguments);
    va_end(arguments);
    say("warning: ", text);
    free(text);
}

void tool_warn_off(void) { quiet = true; }

void tool_hung_up(void)
{
    remove_unfinished();
    signal(SIGPIPE, SIG_DFL);
    raise(SIGPIPE);
    _exit(128 + SIGPIPE); /* if SIGPIPE is blocked */
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
