/* A directory for temporary files of the library and its compiler, which is removed however the command ends. */
#ifndef TOOL_SCRATCH_H
#define TOOL_SCRATCH_H

typedef struct tool_scratch {
    char *path, *asked; /* path NULL: no directory; asked: TMPDIR as it was, or NULL */
    int slot;
} tool_scratch;

/* TMPDIR names it from here on ... */
tool_scratch tool_scratch_begin(void);
/* ... to here, where it is removed with all its files. */
void tool_scratch_end(tool_scratch *scratch);

#endif
