/* How the command ends: messages, exit codes, and no unfinished file is left behind, not even after Ctrl-C. */
#ifndef TOOL_DIE_H
#define TOOL_DIE_H

#include <stdbool.h>
#include <stddef.h>

enum tool_exit {
    TOOL_GOOD = 0,
    TOOL_FAILED = 1,
    TOOL_USAGE = 2,
    TOOL_DIFFERENCE = 3, /* check found a counterexample */
    TOOL_NO_DEVICE = 4   /* the device is not there */
};

/* To be called before anything else.  Sets the subcommand that messages name (NULL: none).  On SIGINT and similar
 * signals unfinished files are removed, then the signal has its usual effect. */
void tool_begin(const char *subcommand);

/* For atexit: if not all output could be written, ends the command with TOOL_FAILED. A full disk shows only when the
 * last bytes are written. */
void tool_close_stdout(void);

/* Prints "oplus SUBCOMMAND: message" to stderr, removes unfinished files, ends the command. */
_Noreturn void tool_die(enum tool_exit code, const char *format, ...) __attribute__((noreturn, format(printf, 2, 3)));
/* Ends the command if one of these options is given beside `option`, with which it cannot go together. */
typedef struct tool_given {
    bool given;
    const char *name;
} tool_given;
void tool_refuse_beside(const char *option, const tool_given *others, size_t count);
/* Ends the command without a word. */
_Noreturn void tool_exit(int code);
/* For a command of several processes: tool_die calls `end` instead of printing, tool_exit calls it with NULL as the
 * text; it returns the exit code.  NULL: stop doing so. */
void tool_end_by(int (*end)(int code, const char *text));
/* Prints what tool_die prints and removes unfinished files, but does not end the command. */
void tool_last_words(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Prints "oplus SUBCOMMAND: warning: message" to stderr, unless warnings are switched off. */
void tool_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* --quiet */
void tool_warn_off(void);
/* The reader of our output has gone: ends as SIGPIPE would, without a message. */
_Noreturn void tool_hung_up(void);

/* Tells that a text of the user begins to run, or has ended.  While it runs, a fault or an exit is taken as the
 * text's. */
void tool_text_runs(bool runs);

/* Allocates memory; ends the command if there is none. */
void *tool_alloc(size_t bytes);
void *tool_realloc(void *mem, size_t bytes);
char *tool_copy(const char *text);

/* A file or directory that is to be removed if the command ends before tool_finished(slot). */
int tool_unfinished(const char *path);
void tool_finished(int slot);
/* Removes it now. */
void tool_unfinished_remove(int slot);

#endif
