/* A directory for temporary files of the library and its compiler, which is gone whatever ends the command. */
#ifndef TOOL_SCRATCH_H
#define TOOL_SCRATCH_H

typedef struct tool_scratch {
    char *path, *asked; /* NULL: there is none; TMPDIR as it was, or NULL */
    int slot;
} tool_scratch;

/* TMPDIR names it from here on ... */
tool_scratch tool_scratch_begin(void);
/* ... to here, where it goes with all that is in it. */
void tool_scratch_end(tool_scratch *scratch);

#endif
