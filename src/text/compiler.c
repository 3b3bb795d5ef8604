#define _POSIX_C_SOURCE 200809L
#include "text/compiler.h"

#include "base/error.h"
#include "base/library.h"
#include "cores/isa.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

enum {
    VERSION_SECONDS = 20,
    COMMAND_WORDS = 16, /* words of OPLUS_CC, at most */
    FILE_WORDS = 8      /* words at the end of the command, for its files */
};

/* --- its flags ---------------------------------------------------------------------------------------------------- */

/* Values must not depend on the flags: no contraction (with OPLUS_HELPER), no errno, no floating-point traps.  Warnings
 * that would mean indeterminate values are errors. */
static const char *const flags[] = {"-std=gnu11",
                                    "-O3",
                                    "-fPIC",
                                    "-shared",
                                    "-fvisibility=hidden",
                                    "-ffp-contract=off",
                                    "-fno-math-errno",
                                    "-fno-trapping-math",
                                    "-Ulinux",
                                    "-Uunix",
                                    "-Werror=implicit-function-declaration",
                                    "-Werror=implicit-int",
                                    "-Werror=int-conversion",
                                    "-Werror=incompatible-pointer-types",
                                    "-Werror=return-type"};

/* What CMakeLists.txt gives the library's own loops for this instruction set. */
static const char *isa_flags(const char *isa)
{
    static const struct {
        const char *isa, *flags;
    } table[] = {
#ifdef OPI_FLAGS_avx2
        {"avx2", OPI_FLAGS_avx2},
        {"avx512", OPI_FLAGS_avx512},
#endif
        {"baseline", ""},
        {"neon", ""},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strcmp(table[i].isa, isa) == 0) return table[i].flags;
    return "";
}

/* Cuts text at its blanks into at most `limit` words; false if there are more. */
static bool add_words(opi_compiler *cc, char *text, int limit)
{
    char *rest = text;
    for (char *word = strtok_r(text, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest)) {
        if (limit-- == 0) return false;
        cc->argv[cc->count++] = word;
    }
    return true;
}

/* What OPLUS_CC says, or NULL. */
static const char *wanted_compiler(void)
{
    const char *const wanted = getenv("OPLUS_CC");
    return wanted && wanted[strspn(wanted, " \t")] ? wanted : NULL;
}

static oplus_status no_compiler(const char *call, bool late)
{
    const char *const wanted = wanted_compiler();
    if (!wanted)
        return opi_fail(OPLUS_ERR_COMPILE,
                        "%s: a text needs a C compiler, and none of cc, gcc, clang runs here; install one (Debian: "
                        "apt-get install gcc libc6-dev), or name one in the environment variable OPLUS_CC",
                        call);
    return opi_fail(
        OPLUS_ERR_COMPILE,
        "%s: the compiler in the environment variable OPLUS_CC, \"%.*s\", does not %s (with --version); name "
        "one that does, or unset OPLUS_CC",
        call, opi_cut(wanted, 200), wanted, late ? "answer in 20 seconds" : "run");
}

oplus_status opi_compiler_stuck(const char *call, const opi_compiler *cc)
{
    return opi_fail(OPLUS_ERR_IO, "%s: cannot start the compiler %s (%s); try again when the system has more to spare",
                    call, cc->argv[0], strerror(errno));
}

/* Asks the compiler in argv[0 .. count) for its version. */
static opi_process ask(opi_compiler *cc)
{
    cc->argv[cc->count] = "--version";
    cc->argv[cc->count + 1] = NULL;
    const opi_process end = opi_process_run(cc->argv, VERSION_SECONDS, cc->version, sizeof cc->version);
    return end == OPI_PROCESS_UNKNOWN && cc->version[0] ? OPI_PROCESS_GOOD : end;
}

static oplus_status find_wanted(const char *call, const char *wanted, opi_compiler *cc, bool *absent)
{
    const bool fits = strlen(wanted) < sizeof cc->command;
    snprintf(cc->command, sizeof cc->command, "%s", wanted);
    if (!fits || !add_words(cc, cc->command, COMMAND_WORDS))
        return opi_fail(OPLUS_ERR_ARGUMENT,
                        "%s: the environment variable OPLUS_CC, \"%.*s...\", is longer than %d bytes or %d words; put "
                        "the arguments into a script, and name that",
                        call, opi_cut(wanted, 80), wanted, OPI_COMPILER_COMMAND - 1, (int)COMMAND_WORDS);
    const opi_process end = ask(cc);
    if (end == OPI_PROCESS_GOOD) return OPLUS_OK;
    if (end == OPI_PROCESS_ERROR) return opi_compiler_stuck(call, cc);
    *absent = true;
    return no_compiler(call, end == OPI_PROCESS_LATE);
}

static oplus_status find_compiler(const char *call, opi_compiler *cc, bool *absent)
{
    static const char *const usual[] = {"cc", "gcc", "clang"};
    const char *const wanted = wanted_compiler();
    if (wanted) return find_wanted(call, wanted, cc, absent);
    cc->count = 1;
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
        cc->argv[0] = usual[i];
        const opi_process end = ask(cc);
        if (end == OPI_PROCESS_GOOD) return OPLUS_OK;
        if (end == OPI_PROCESS_ERROR) return opi_compiler_stuck(call, cc);
    }
    *absent = true;
    return no_compiler(call, false);
}

/* --- the command -------------------------------------------------------------------------------------------------- */

oplus_status opi_compiler_choose(const char *call, opi_compiler *cc, bool *absent)
{
    const opi_isa *isa;
    const char *const refusal = opi_library_refusal();
    if (refusal) {
        *absent = true;
        return opi_fail(OPLUS_ERR_COMPILE, "%s: a text would be compiled into a library, but %s, or give combine", call,
                        refusal);
    }
    if (getauxval(AT_SECURE)) { /* the environment, and so the compiler, is another user's */
        *absent = true;
        return opi_fail(OPLUS_ERR_COMPILE, "%s: a set-user-id program does not compile texts; run it without", call);
    }
    oplus_status status = opi_isa_choose(call, &isa);
    if (status == OPLUS_OK) status = find_compiler(call, cc, absent);
    if (status != OPLUS_OK) return status;
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) cc->argv[cc->count++] = flags[i];
    cc->argv[cc->count++] = strstr(cc->version, "clang") ? "-fno-caret-diagnostics" : "-ftrack-macro-expansion=0";
    snprintf(cc->flags, sizeof cc->flags, "%s", isa_flags(isa->name));
    const bool fits = add_words(cc, cc->flags, OPI_COMPILER_WORDS - cc->count - FILE_WORDS);
    assert(fits && strlen(isa_flags(isa->name)) < sizeof cc->flags); /* flags that are cut would make other code */
    (void)fits;
    cc->argv[cc->count] = NULL;
    return OPLUS_OK;
}
