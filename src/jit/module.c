#define _POSIX_C_SOURCE 200809L
#include "jit/module.h"

#include "base/cache.h"
#include "base/error.h"
#include "base/file.h"
#include "base/process.h"
#include "leaf/isa.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { VERSION_SECONDS = 20, COMPILE_SECONDS = 120, SAID_BYTES = 2048, MAX_FLAGS = 48, LARGEST_MODULE = 64 << 20 };

/* --- 1. the compiler and its flags ----------------------------------------------------------------------------------
 */

typedef struct compiler {
    char words[256]; /* OPLUS_CC, cut at its blanks */
    const char *argv[MAX_FLAGS + 8];
    int count;
    char version[SAID_BYTES]; /* what it says of itself */
} compiler;

/* Values may not depend on them: no contraction (with OPLUS_HELPER), no errno, no floating-point traps. */
static const char *const flags[] = {
    "-std=gnu11",        "-O3", "-fPIC", "-shared", "-w", "-fvisibility=hidden", "-ffp-contract=off", "-fno-math-errno",
    "-fno-trapping-math"};

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

/* Cuts text at its blanks into arguments. */
static void add_words(compiler *cc, char *text, int limit)
{
    char *rest = text;
    for (char *word = strtok_r(text, " ", &rest); word && cc->count < limit; word = strtok_r(NULL, " ", &rest))
        cc->argv[cc->count++] = word;
}

/* Whether this is a compiler that runs; keeps its version. */
static bool answers(compiler *cc)
{
    const int count = cc->count;
    cc->argv[cc->count] = "--version";
    cc->argv[cc->count + 1] = NULL;
    const opi_process end = opi_process_run(cc->argv, VERSION_SECONDS, cc->version, sizeof cc->version);
    cc->count = count;
    return end == OPI_PROCESS_GOOD;
}

static bool find_compiler(compiler *cc)
{
    static const char *const usual[] = {"cc", "gcc", "clang"};
    const char *const wanted = getenv("OPLUS_CC");
    cc->count = 0;
    if (wanted && *wanted) {
        snprintf(cc->words, sizeof cc->words, "%s", wanted);
        add_words(cc, cc->words, 8);
        return cc->count > 0 && answers(cc);
    }
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
        cc->argv[0] = usual[i];
        cc->count = 1;
        if (answers(cc)) return true;
    }
    return false;
}

static oplus_status no_compiler(const char *call)
{
    const char *const wanted = getenv("OPLUS_CC");
    if (wanted && *wanted)
        return opi_fail(OPLUS_ERR_COMPILE,
                        "%s: the compiler in the environment variable OPLUS_CC, \"%s\", does not run (with --version); "
                        "name one that does, or unset OPLUS_CC",
                        call, wanted);
    return opi_fail(OPLUS_ERR_COMPILE,
                    "%s: a text needs a C compiler, and none of cc, gcc, clang runs here; install one (Debian: apt-get "
                    "install gcc libc6-dev), or name one in the environment variable OPLUS_CC",
                    call);
}

/* --- 2. a place for temporary files ---------------------------------------------------------------------------------
 */

typedef struct workshop {
    char directory[OPI_PATH_BYTES - 64], source[OPI_PATH_BYTES], module[OPI_PATH_BYTES];
} workshop;

static oplus_status open_workshop(const char *call, workshop *w, const char *source)
{
    const char *const temporary = getenv("TMPDIR");
    snprintf(w->directory, sizeof w->directory, "%s/oplus-XXXXXX", temporary && *temporary ? temporary : "/tmp");
    if (!mkdtemp(w->directory))
        return opi_fail(OPLUS_ERR_IO, "%s: cannot make the directory %s for temporary files (%s); set TMPDIR", call,
                        w->directory, strerror(errno));
    snprintf(w->source, sizeof w->source, "%s/module.c", w->directory);
    snprintf(w->module, sizeof w->module, "%s/module.so", w->directory);
    const int fd = open(w->source, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    const bool written = fd >= 0 && opi_file_write(fd, source, strlen(source));
    const int failure = errno;
    if (fd >= 0 && close(fd) == 0 && written) return OPLUS_OK;
    unlink(w->source);
    rmdir(w->directory);
    return opi_fail(OPLUS_ERR_IO, "%s: cannot write %s (%s); make room, or set TMPDIR", call, w->source,
                    strerror(failure));
}

static void close_workshop(const workshop *w)
{
    unlink(w->module);
    unlink(w->source);
    rmdir(w->directory);
}

/* --- 3. compile and load
 * ---------------------------------------------------------------------------------------------- */

/* Leaves out what only repeats that there is a function around the text. */
static void drop_line(char *said, const char *containing)
{
    char *const found = strstr(said, containing);
    if (!found) return;
    char *begin = found, *const end = found + strcspn(found, "\n");
    while (begin > said && begin[-1] != '\n') begin--;
    memmove(begin, *end ? end + 1 : end, strlen(*end ? end + 1 : end) + 1);
}

static oplus_status compile(const char *call, const char *what, compiler *cc, const workshop *w)
{
    char said[SAID_BYTES];
    const char *const files[] = {"-o", w->module, w->source, "-lm", NULL};
    memcpy(&cc->argv[cc->count], files, sizeof files);
    switch (opi_process_run(cc->argv, COMPILE_SECONDS, said, sizeof said)) {
    case OPI_PROCESS_GOOD:
        return OPLUS_OK;
    case OPI_PROCESS_ABSENT:
        return no_compiler(call);
    case OPI_PROCESS_LATE:
        return opi_fail(OPLUS_ERR_COMPILE, "%s: %s was not compiled after %d seconds by %s; make it simpler", call,
                        what, (int)COMPILE_SECONDS, cc->argv[0]);
    case OPI_PROCESS_FAILED:
        break;
    }
    drop_line(said, "oplus_text_");
    drop_line(said, "reported only once");
    const size_t n = strlen(said);
    if (n > 0 && said[n - 1] == '\n') said[n - 1] = '\0';
    return opi_fail(OPLUS_ERR_COMPILE, "%s: %s does not compile:\n%s", call, what, said);
}

static oplus_status load(const char *call, const char *what, const char *path, void **module)
{
    *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (*module) return OPLUS_OK;
    return opi_fail(OPLUS_ERR_COMPILE,
                    "%s: %s was compiled but cannot be loaded: %s; if its directory may not hold "
                    "programs (noexec), set OPLUS_CACHE_DIR and TMPDIR to others",
                    call, what, dlerror());
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

oplus_status opi_module_open(const char *call, const char *what, const char *source, void **module, bool *absent)
{
    compiler cc;
    const opi_isa *isa;
    char path[OPI_PATH_BYTES], for_isa[256];
    *module = NULL;
    oplus_status status = opi_isa_choose(&isa);
    if (status != OPLUS_OK) return status;
    *absent = !find_compiler(&cc);
    if (*absent) return no_compiler(call);

    /* --- the command, up to the files: with the source and the version of the compiler it makes up the key --- */
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) cc.argv[cc.count++] = flags[i];
    snprintf(for_isa, sizeof for_isa, "%s", isa_flags(isa->name));
    add_words(&cc, for_isa, MAX_FLAGS);
    cc.argv[cc.count] = NULL;
    const opi_hash command = opi_hash_strings(cc.argv);
    char numbers[64];
    snprintf(numbers, sizeof numbers, "%llx %llx", (unsigned long long)command.high, (unsigned long long)command.low);
    const opi_hash key = opi_hash_strings((const char *const[]){numbers, cc.version, source, NULL});

    if (opi_cache_find(key, ".so", path) && (*module = dlopen(path, RTLD_NOW | RTLD_LOCAL))) return OPLUS_OK;
    workshop w = {0};
    status = open_workshop(call, &w, source);
    if (status != OPLUS_OK) return status;
    status = compile(call, what, &cc, &w);
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
