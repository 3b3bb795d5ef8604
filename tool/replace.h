/* A file that is written beside its target, and takes the target's name when it is complete.
 *
 * All calls end the command if something is wrong; messages name the path. */
#ifndef TOOL_REPLACE_H
#define TOOL_REPLACE_H

#include <stdbool.h>

typedef struct tool_replacement {
    const char *path; /* as given, for messages */
    int fd;
    char *temporary, *target; /* NULL: the target is written directly, as a pipe is */
    int slot;                 /* from tool_unfinished, or -1 */
} tool_replacement;

/* The file at path stays as it was until tool_replace_end; a symbolic link stays a link, and the file's mode is
 * kept. */
void tool_replace_begin(tool_replacement *file, const char *path);
/* Opens the same file in another process of this command, which writes it and closes it by tool_replace_end; the
 * process that has begun the file gives it its name. */
void tool_replace_join(tool_replacement *file, const char *path, const char *temporary);
/* Closes the file and gives it its name. */
void tool_replace_end(tool_replacement *file);

/* Can path be written?  Asked before long work; nothing is changed. */
void tool_replace_check(const char *path);

/* Would output to a and to b ("-": stdout) end in one file or pipe? */
bool tool_same_target(const char *a, const char *b);

/* "cannot write NAME", and what errno says. */
_Noreturn void tool_cannot_write(const char *name);

#endif
