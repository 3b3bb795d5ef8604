/* The system's C compiler, as it is called for texts. */
#ifndef OPI_COMPILER_H
#define OPI_COMPILER_H

#include <oplus/oplus.h>

#include "base/process.h"

#include <stdbool.h>

enum {
    OPI_COMPILER_COMMAND = 1024, /* bytes of OPLUS_CC */
    OPI_COMPILER_FLAGS = 256,    /* bytes of the flags for an instruction set */
    OPI_COMPILER_WORDS = 64,     /* of the whole command */
    OPI_COMPILER_SAYS = 2048     /* bytes of what it says that are kept */
};

typedef struct opi_compiler {
    char command[OPI_COMPILER_COMMAND], flags[OPI_COMPILER_FLAGS]; /* cut into words */
    const char *argv[OPI_COMPILER_WORDS];                          /* of the command up to its files, then NULL */
    int count;
    char version[OPI_COMPILER_SAYS]; /* what it says of itself */
} opi_compiler;

/* The compiler and all of its flags: of OPLUS_CC, or the first of cc, gcc and clang that runs.  *absent: the failure is that
 * there is none. */
oplus_status opi_compiler_choose(const char *call, opi_compiler *cc, bool *absent);
/* The failure to start it, which errno says. */
oplus_status opi_compiler_stuck(const char *call, const opi_compiler *cc);

#endif
