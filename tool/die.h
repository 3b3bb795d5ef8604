/* How the command ends: messages, exit codes, and no unfinished file left behind, after Ctrl-C neither. */
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

/* Before anything else: the subcommand that messages name (NULL: none), and what is done on SIGINT and the like:
 * unfinished files are removed, then the signal has its usual effect. */
void tool_begin(const char *subcommand);

/* For atexit: what was printed may not have arrived, which ends the command with TOOL_FAILED; a full disk is seen when
 * the last of it is written. */
void tool_close_stdout(void);

/* Prints "oplus SUBCOMMAND: message" to stderr, removes unfinished files, ends the command. */
_Noreturn void tool_die(enum tool_exit code, const char *format, ...) __attribute__((noreturn, format(printf, 2, 3)));
/* Ends the command without a word. */
_Noreturn void tool_exit(int code);
/* A command of several processes: `end` is called where tool_die would print, with NULL by tool_exit, and returns the
 * code to end with.  NULL: no more. */
void tool_end_by(int (*end)(int code, const char *text));
/* What tool_die prints; and removes unfinished files. */
void tool_last_words(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Prints "oplus SUBCOMMAND: warning: message" to stderr, unless warnings are switched off. */
void tool_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* --quiet */
void tool_warn_off(void);
/* The reader of our output has gone: ends as SIGPIPE would, without a message. */
_Noreturn void tool_hung_up(void);

/* A text of the user's runs from now on, or does not any more: if it does, faults are its, and so is an exit. */
void tool_text_runs(bool runs);

/* Memory, or the end of the command. */
void *tool_alloc(size_t bytes);
void *tool_realloc(void *mem, size_t bytes);
char *tool_copy(const char *text);

/* A file or directory that is to be removed if the command ends before tool_finished(slot). */
int tool_unfinished(const char *path);
void tool_finished(int slot);
/* Removes it now. */
void tool_unfinished_remove(int slot);

#endif
