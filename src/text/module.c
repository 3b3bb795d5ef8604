#define _POSIX_C_SOURCE 200809L
#include "text/module.h"

#include "base/cache.h"
#include "base/error.h"
#include "base/file.h"
#include "text/compiler.h"
#include "text/source.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COMPILE_SECONDS = 120, LARGEST_MODULE = 64 << 20 };

/* --- 1. a place for temporary files ------------------------------------------------------------------------------- */

typedef struct temp_files {
    char directory[OPI_PATH_BYTES - 64], source[OPI_PATH_BYTES], module[OPI_PATH_BYTES];
} temp_files;

static void remove_temp_files(const temp_files *w)
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

static oplus_status make_temp_files(const char *call, temp_files *w, const char *source)
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
    remove_temp_files(w);
    return status;
}

/* --- 2. compile --------------------------------------------------------------------------------------------------- */

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

/* Advice where gcc or clang complain of `a = 3`, or of names in a struct that belong to the program. */
static const char *advice(const char *said)
{
    if (strstr(said, OPI_LABEL_MEMBERS) && (strstr(said, "undeclared") || strstr(said, "unknown type name")))
        return "\na text is compiled alone: write out the enumeration constants and the types of the program";
    if (!strstr(said, "read-only") && !strstr(said, "const-qualified")) return "";
    return "\nthe operands of a text are constant: == compares (a == 3); to change one, copy it into r or a variable";
}

/* Are all errors in the user's own text?  Then the same text will always fail. */
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

static oplus_status does_not_compile(const char *call, const char *what, const opi_compiler *cc, opi_hash key,
                                     char *said, bool *absent)
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
    *absent = true; /* as if there were no compiler */
    return opi_fail(OPLUS_ERR_COMPILE,
                    "%s: the compiler %s cannot compile C here; install what it lacks (Debian: apt-get install gcc "
                    "libc6-dev), or name another in the environment variable OPLUS_CC; it says: %s",
                    call, cc->argv[0], *said ? said : "nothing");
}

static oplus_status compile(const char *call, const char *what, opi_compiler *cc, opi_hash key, const temp_files *w,
                            bool *absent)
{
    char said[OPI_COMPILER_SAYS];
    const char *const files[] = {"-o", w->module, w->source, "-lm", NULL};
    memcpy(&cc->argv[cc->count], files, sizeof files);
    switch (opi_process_run(cc->argv, COMPILE_SECONDS, said, sizeof said)) {
    case OPI_PROCESS_ERROR:
        return opi_compiler_stuck(call, cc);
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

/* --- 3. load ------------------------------------------------------------------------------------------------------ */

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

/* If there is a cache, stores the module in it and loads it from there; otherwise loads it from where it was made. */
static oplus_status keep_and_load(const char *call, const char *what, opi_hash key, const temp_files *w, void **module)
{
    char path[OPI_PATH_BYTES];
    size_t bytes;
    char *const content = opi_file_read(w->module, LARGEST_MODULE, &bytes);
    const bool kept = content && opi_cache_store(key, ".so", content, bytes, path);
    free(content);
    if (kept && (*module = dlopen(path, RTLD_NOW | RTLD_LOCAL))) return OPLUS_OK;
    return load(call, what, w->module, module);
}

/* A hash of the command up to its files, the version of the compiler, and the source. */
static opi_hash key_of(const opi_compiler *cc, const char *source)
{
    char command[64];
    const opi_hash words = opi_hash_strings(cc->argv);
    snprintf(command, sizeof command, "%llx %llx", (unsigned long long)words.high, (unsigned long long)words.low);
    return opi_hash_strings((const char *const[]){command, cc->version, source, NULL});
}

oplus_status opi_module_open(const char *call, const char *what, const char *source, void **module, bool *absent)
{
    opi_compiler cc = {.count = 0};
    temp_files w = {.directory = ""};
    char path[OPI_PATH_BYTES];
    size_t bytes;
    *module = NULL;
    *absent = false;
    oplus_status status = opi_compiler_choose(call, &cc, absent);
    if (status != OPLUS_OK) return status;
    const opi_hash key = key_of(&cc, source);
    if (opi_cache_find(key, ".so", path) && (*module = dlopen(path, RTLD_NOW | RTLD_LOCAL))) return OPLUS_OK;
    char *const refused = opi_cache_load(key, ".txt", &bytes);
    if (refused) {
        status = refuse(call, what, refused);
        free(refused);
        return status;
    }
    status = make_temp_files(call, &w, source);
    if (status != OPLUS_OK) return status;
    status = compile(call, what, &cc, key, &w, absent);
    if (status == OPLUS_OK) status = keep_and_load(call, what, key, &w, module);
    remove_temp_files(&w);
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
