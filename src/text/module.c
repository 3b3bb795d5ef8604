#define _POSIX_C_SOURCE 200809L
#include "text/module.h"

#include "base/cache.h"
#include "base/error.h"
#include "base/file.h"
#include "base/library.h"
#include "base/process.h"
#include "text/source.h"
#include "cores/isa.h"

#include <assert.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

enum {
    VERSION_SECONDS = 20,
    COMPILE_SECONDS = 120,
    SAID_BYTES = 2048,
    COMMAND_BYTES = 1024, /* of OPLUS_CC */
    COMMAND_WORDS = 16,
    FLAGS_BYTES = 256, /* of the flags for an instruction set */
    MAX_WORDS = 64,    /* of the whole command */
    FILE_WORDS = 8,    /* of it, at its end */
    LARGEST_MODULE = 64 << 20
};

/* --- 1. the compiler and its flags -------------------------------------------------------------------------------- */

typedef struct compiler {
    char command[COMMAND_BYTES], flags[FLAGS_BYTES]; /* cut into words */
    const char *argv[MAX_WORDS];
    int count;
    char version[SAID_BYTES]; /* what it says of itself */
} compiler;

/* Values may not depend on them: no contraction (with OPLUS_HELPER), no errno, no floating-point traps.  Warnings that
 * would mean indeterminate values are errors. */
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
static bool add_words(compiler *cc, char *text, int limit)
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

static oplus_status cannot_start(const char *call, const compiler *cc)
{
    return opi_fail(OPLUS_ERR_IO, "%s: cannot start the compiler %s (%s); try again when the system has more to spare",
                    call, cc->argv[0], strerror(errno));
}

/* Asks the compiler in argv[0 .. count) for its version. */
static opi_process ask(compiler *cc)
{
    cc->argv[cc->count] = "--version";
    cc->argv[cc->count + 1] = NULL;
    const opi_process end = opi_process_run(cc->argv, VERSION_SECONDS, cc->version, sizeof cc->version);
    return end == OPI_PROCESS_UNKNOWN && cc->version[0] ? OPI_PROCESS_GOOD : end;
}

static oplus_status find_wanted(const char *call, const char *wanted, compiler *cc, bool *absent)
{
    const bool fits = strlen(wanted) < sizeof cc->command;
    snprintf(cc->command, sizeof cc->command, "%s", wanted);
    if (!fits || !add_words(cc, cc->command, COMMAND_WORDS))
        return opi_fail(OPLUS_ERR_ARGUMENT,
                        "%s: the environment variable OPLUS_CC, \"%.*s...\", is longer than %d bytes or %d words; put "
                        "the arguments into a script, and name that",
                        call, opi_cut(wanted, 80), wanted, COMMAND_BYTES - 1, (int)COMMAND_WORDS);
    const opi_process end = ask(cc);
    if (end == OPI_PROCESS_GOOD) return OPLUS_OK;
    if (end == OPI_PROCESS_ERROR) return cannot_start(call, cc);
    *absent = true;
    return no_compiler(call, end == OPI_PROCESS_LATE);
}

static oplus_status find_compiler(const char *call, compiler *cc, bool *absent)
{
    static const char *const usual[] = {"cc", "gcc", "clang"};
    const char *const wanted = wanted_compiler();
    if (wanted) return find_wanted(call, wanted, cc, absent);
    cc->count = 1;
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
        cc->argv[0] = usual[i];
        const opi_process end = ask(cc);
        if (end == OPI_PROCESS_GOOD) return OPLUS_OK;
        if (end == OPI_PROCESS_ERROR) return cannot_start(call, cc);
    }
    *absent = true;
    return no_compiler(call, false);
}

/* --- 2. a place for temporary files ------------------------------------------------------------------------------- */

typedef struct workshop {
    char directory[OPI_PATH_BYTES - 64], source[OPI_PATH_BYTES], module[OPI_PATH_BYTES];
} workshop;

static void close_workshop(const workshop *w)
{
    unlink(w->module);
    unlink(w->source);
    rmdir(w->directory);
}

static bool write_new(const char *path, const char *content)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0) return false;
    const bool written = opi_file_write(fd, content, strlen(content));
    const int failure = errno;
    const bool closed = close(fd) == 0;
    if (!written) errno = failure;
    return written && closed;
}

static oplus_status open_workshop(const char *call, workshop *w, const char *source)
{
    const char *const given = getenv("TMPDIR"), *const temporary = given && *given ? given : "/tmp";
    snprintf(w->directory, sizeof w->directory, "%s%s/oplus-XXXXXX", *temporary == '/' ? "" : "./", temporary);
    if (!mkdtemp(w->directory))
        return opi_fail(OPLUS_ERR_IO, "%s: cannot make a directory for temporary files in %s (%s); set TMPDIR", call,
                        temporary, strerror(errno));
    snprintf(w->source, sizeof w->source, "%s/module.c", w->directory);
    snprintf(w->module, sizeof w->module, "%s/module.so", w->directory);
    if (write_new(w->source, source)) return OPLUS_OK;
    const oplus_status status =
        opi_fail(OPLUS_ERR_IO, "%s: cannot write a temporary file in %s (%s); make room, or set TMPDIR", call,
                 temporary, strerror(errno));
    close_workshop(w);
    return status;
}

/* --- 3. compile --------------------------------------------------------------------------------------------------- */

/* Leaves out what only repeats that there is a function around the text. */
static void drop_line(char *said, const char *containing)
{
    char *const found = strstr(said, containing);
    if (!found) return;
    char *begin = found, *const end = found + strcspn(found, "\n");
    while (begin > said && begin[-1] != '\n') begin--;
    memmove(begin, *end ? end + 1 : end, strlen(*end ? end + 1 : end) + 1);
}

/* Leaves out the lines about our own macros, and calls functions (opi_g_abs_f64) as the user does.  What is wrong in
 * the use of a macro stands at the user's line, by clang's habit and gcc's flag. */
static void drop_ours(char *said)
{
    static const char *const ours[] = {
        "prelude.c:", "generic.cl:", "<scratch space>:", "'opi_0_", "'opi_1_", "'opi_2_"};
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        while (strstr(said, ours[i])) drop_line(said, ours[i]);
    for (char *place; (place = strstr(said, "module:")) && (place == said || place[-1] == '\n');) {
        const char *message = place + strcspn(place, " ");
        if (*message == ' ') message++;
        memmove(place, message, strlen(message) + 1);
    }
    for (char *name; (name = strstr(said, "opi_g_"));) {
        const size_t begin = strlen("opi_g_"), n = strcspn(name + begin, "_");
        memmove(name, name + begin, n);
        const char *const rest = name + begin + n + strspn(name + begin + n, "_fiul0123456789");
        memmove(name + n, rest, strlen(rest) + 1);
    }
}

/* Does the compiler lack something (its own parts, the headers of C), so that the text is not to blame? */
static bool is_broken(const char *said)
{
    static const char our_first[] = "compiler.h:"; /* the first of our headers includes those of C */
    if (!*said || strstr(said, "fatal error:")) return true;
    const char *line = strstr(said, "error:");
    while (line && line > said && line[-1] != '\n') line--;
    return line && strncmp(line, our_first, strlen(our_first)) == 0;
}

/* What gcc and clang say of `a = 3`, and of names in a struct that are the program's. */
static const char *advice(const char *said)
{
    if (strstr(said, OPI_LABEL_MEMBERS) && (strstr(said, "undeclared") || strstr(said, "unknown type name")))
        return "\na text is compiled alone: write out the enumeration constants and the types of the program";
    if (!strstr(said, "read-only") && !strstr(said, "const-qualified")) return "";
    return "\nthe operands of a text are constant: == compares (a == 3); to change one, copy it into r or a variable";
}

/* Is all that is wrong said of the user's own text?  Then it is as wrong tomorrow. */
static bool is_the_users(const char *said)
{
    static const char *const labels[] = {OPI_LABEL_OP ":", OPI_LABEL_FN ":", OPI_LABEL_PREDICATE ":",
                                         OPI_LABEL_MEMBERS};
    if (strstr(said, "internal compiler error")) return false;
    for (const char *line = said; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        bool found = false;
        for (size_t i = 0; i < sizeof labels / sizeof *labels; i++)
            found |= strncmp(line, labels[i], strlen(labels[i])) == 0;
        if (!found) return false;
    }
    return *said != '\0';
}

static oplus_status refuse(const char *call, const char *what, const char *said)
{
    return opi_fail(OPLUS_ERR_COMPILE, "%s: %s does not compile:\n%s%s", call, what, said, advice(said));
}

static oplus_status does_not_compile(const char *call, const char *what, const compiler *cc, opi_hash key, char *said,
                                     bool *absent)
{
    drop_line(said, ": In function");
    drop_line(said, "reported only once");
    drop_line(said, "being treated as errors");
    const char *const first = strstr(said, "error: ");
    if (first && strncmp(first, "error: control", 14) != 0) drop_line(said, "error: control"); /* its consequence */
    if (!is_broken(said)) drop_ours(said);
    const size_t n = strlen(said);
    if (n > 0 && said[n - 1] == '\n') said[n - 1] = '\0';
    if (!is_broken(said)) {
        char path[OPI_PATH_BYTES];
        if (is_the_users(said)) opi_cache_store(key, ".txt", said, strlen(said) + 1, path);
        return refuse(call, what, said);
    }
    *absent = true; /* as good as none */
    return opi_fail(OPLUS_ERR_COMPILE,
                    "%s: the compiler %s cannot compile C here; install what it lacks (Debian: apt-get install gcc "
                    "libc6-dev), or name another in the environment variable OPLUS_CC; it says: %s",
                    call, cc->argv[0], *said ? said : "nothing");
}

static oplus_status compile(const char *call, const char *what, compiler *cc, opi_hash key, const workshop *w,
                            bool *absent)
{
    char said[SAID_BYTES];
    const char *const files[] = {"-o", w->module, w->source, "-lm", NULL};
    memcpy(&cc->argv[cc->count], files, sizeof files);
    switch (opi_process_run(cc->argv, COMPILE_SECONDS, said, sizeof said)) {
    case OPI_PROCESS_ERROR:
        return cannot_start(call, cc);
    case OPI_PROCESS_LATE:
        return opi_fail(OPLUS_ERR_COMPILE, "%s: %s was not compiled after %d seconds by %s; make it simpler", call,
                        what, (int)COMPILE_SECONDS, cc->argv[0]);
    case OPI_PROCESS_GOOD:
    case OPI_PROCESS_UNKNOWN:
        if (access(w->module, F_OK) == 0) return OPLUS_OK;
        break;
    case OPI_PROCESS_ABSENT:
    case OPI_PROCESS_FAILED:
        break;
    }
    return does_not_compile(call, what, cc, key, said, absent);
}

/* --- 4. load ------------------------------------------------------------------------------------------------------ */

static oplus_status load(const char *call, const char *what, const char *path, void **module)
{
    *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (*module) return OPLUS_OK;
    const char *why = dlerror(); /* the file's name, and then the reason */
    const size_t name = strlen(path);
    if (why && strncmp(why, path, name) == 0 && strncmp(why + name, ": ", 2) == 0) why += name + 2;
    return opi_fail(OPLUS_ERR_COMPILE, "%s: %s was compiled but cannot be loaded: %s; %s", call, what, why ? why : "?",
                    why && strstr(why, "undefined symbol")
                        ? "a text may use what <math.h>, <stdlib.h> and <string.h> declare"
                        : "if the directory for temporary files may not hold programs (noexec), set OPLUS_CACHE_DIR or "
                          "TMPDIR to another");
}

/* Into the cache if there is one, and from there; otherwise from where it was made. */
static oplus_status keep_and_load(const char *call, const char *what, opi_hash key, const workshop *w, void **module)
{
    char path[OPI_PATH_BYTES];
    size_t bytes;
    char *const content = opi_file_read(w->module, LARGEST_MODULE, &bytes);
    const bool kept = content && opi_cache_store(key, ".so", content, bytes, path);
    free(content);
    if (kept && (*module = dlopen(path, RTLD_NOW | RTLD_LOCAL))) return OPLUS_OK;
    return load(call, what, w->module, module);
}

/* Of the command up to its files, the version of the compiler, and the source. */
static opi_hash key_of(const compiler *cc, const char *source)
{
    char command[64];
    const opi_hash words = opi_hash_strings(cc->argv);
    snprintf(command, sizeof command, "%llx %llx", (unsigned long long)words.high, (unsigned long long)words.low);
    return opi_hash_strings((const char *const[]){command, cc->version, source, NULL});
}

static oplus_status choose_command(const char *call, compiler *cc, bool *absent)
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
    const bool fits = add_words(cc, cc->flags, MAX_WORDS - cc->count - FILE_WORDS);
    assert(fits && strlen(isa_flags(isa->name)) < sizeof cc->flags); /* other flags would be other code */
    (void)fits;
    cc->argv[cc->count] = NULL;
    return OPLUS_OK;
}

oplus_status opi_module_open(const char *call, const char *what, const char *source, void **module, bool *absent)
{
    compiler cc = {.count = 0};
    workshop w = {.directory = ""};
    char path[OPI_PATH_BYTES];
    size_t bytes;
    *module = NULL;
    *absent = false;
    oplus_status status = choose_command(call, &cc, absent);
    if (status != OPLUS_OK) return status;
    const opi_hash key = key_of(&cc, source);
    if (opi_cache_find(key, ".so", path) && (*module = dlopen(path, RTLD_NOW | RTLD_LOCAL))) return OPLUS_OK;
    char *const refused = opi_cache_load(key, ".txt", &bytes);
    if (refused) {
        status = refuse(call, what, refused);
        free(refused);
        return status;
    }
    status = open_workshop(call, &w, source);
    if (status != OPLUS_OK) return status;
    status = compile(call, what, &cc, key, &w, absent);
    if (status == OPLUS_OK) status = keep_and_load(call, what, key, &w, module);
    close_workshop(&w);
    return status;
}

oplus_status opi_module_symbol(const char *call, void *module, const char *name, void **address)
{
    *address = dlsym(module, name);
    if (*address) return OPLUS_OK;
    return opi_fail(OPLUS_ERR_INTERNAL, "%s: the compiled module has no %s", call, name);
}

void opi_module_close(void *module)
{
    if (module) dlclose(module);
}
