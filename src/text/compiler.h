/* The system's C compiler, as it is called for texts. */
#ifndef OPI_COMPILER_H
#define OPI_COMPILER_H

#include <oplus/oplus.h>

#include "base/process.h"

#include <stdbool.h>

enum {
    OPI_COMPILER_COMMAND = 1024, /* the most bytes of OPLUS_CC */
    OPI_COMPILER_FLAGS = 256,    /* the most bytes of the flags for an instruction set */
    OPI_COMPILER_WORDS = 64,     /* the most words of the whole command */
    OPI_COMPILER_SAYS = 2048     /* how many bytes of the compiler's messages are kept */
};

typedef struct opi_compiler {
    char command[OPI_COMPILER_COMMAND], flags[OPI_COMPILER_FLAGS]; /* cut into words */
    const char *argv[OPI_COMPILER_WORDS];                          /* the command up to its files, then NULL */
    int count;                                                     /* number of words in argv */
    char version[OPI_COMPILER_SAYS]; /* the words in which the compiler gives its version */
} opi_compiler;

/* Finds the compiler, and all its flags: that of OPLUS_CC, or the first of cc, gcc and clang that runs.  After a
 * failure *absent says whether there is no compiler. */
oplus_status opi_compiler_choose(const char *call, opi_compiler *cc, bool *absent);
/* Fails because the compiler could not be started; errno says why. */
oplus_status opi_compiler_stuck(const char *call, const opi_compiler *cc);

#endif
