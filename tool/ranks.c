/* ranks: MPI as a module, and how its ranks end. */
#define _POSIX_C_SOURCE 200809L
#include "ranks.h"

#include "beside.h"
#include "die.h"
#include "mpi/module.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    PATH_BYTES = 4096,
    TEXT_BYTES = 2000, /* of a message on its way to rank 0 */
    HEARD_FIRST = 2    /* seconds: an mpirun ends all ranks when one of them has ended */
};

static struct {
    oplus_comm comm;     /* size 0: the ranks have not met */
    const tool_mpi *mpi; /* NULL: alone, without MPI */
    int cores;
    int *codes;  /* one for each rank */
    char *texts; /* TEXT_BYTES for each rank */
} here;

bool tool_ranks_asked(int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        const size_t n = strlen(argv[i]); /* options may be cut short */
        if (n > 2 && n <= strlen("--all") && strncmp(argv[i], "--all", n) == 0) return true;
    }
    return false;
}

/* --- ending together ---------------------------------------------------------------------------------------------- */

/* The other ranks cannot be told any more; mpirun ends them when it sees that this one has ended. */
static _Noreturn void cut_off(void)
{
    tool_end_by(NULL);
    tool_die(TOOL_FAILED, "rank %d cannot reach the others: %s", here.comm.rank, oplus_last_error());
}

static void gather(const void *mine, size_t bytes, void *all)
{
    if (here.comm.allgather(here.comm.context, mine, bytes, all) != OPLUS_OK) cut_off();
}

/* The first rank that ends with a code other than 0; -1: none does. */
static int first_failure(int code)
{
    gather(&code, sizeof code, here.codes);
    for (int q = 0; q < here.comm.size; q++)
        if (here.codes[q] != TOOL_GOOD) return q;
    return -1;
}

static void leave(void)
{
    if (here.mpi) here.mpi->end(&here.comm);
    here.comm.size = 0;
    free(here.codes);
    free(here.texts);
}

/* Called once all ranks know that one has failed: rank 0 prints why before any of them ends. */
static int fail_together(int failed, const char *text)
{
    char mine[TEXT_BYTES] = "";
    const int code = here.codes[failed];
    snprintf(mine, sizeof mine, "%s", text ? text : "");
    gather(mine, sizeof mine, here.texts);
    if (here.comm.rank == 0 && failed == 0) tool_last_words("%s", text ? text : "out of memory");
    if (here.comm.rank == 0 && failed > 0)
        tool_last_words("on rank %d: %s", failed, here.texts + (size_t)failed * TEXT_BYTES);
    first_failure(code);
    leave();
    return code;
}

/* For tool_die and tool_exit. */
static int end_together(int code, const char *text)
{
    const int failed = first_failure(code);
    if (failed >= 0) return fail_together(failed, text);
    leave();
    return code;
}

void tool_ranks_agree(void)
{
    const int failed = here.comm.size > 0 ? first_failure(TOOL_GOOD) : -1;
    if (failed < 0) return;
    tool_end_by(NULL);
    tool_exit(fail_together(failed, ""));
}

void tool_ranks_gather(const void *mine, size_t bytes, void *all)
{
    tool_ranks_agree();
    gather(mine, bytes, all);
}

void tool_ranks_hear(void *from_first, size_t bytes)
{
    char *const all = tool_alloc((size_t)here.comm.size * bytes);
    tool_ranks_gather(from_first, bytes, all);
    memcpy(from_first, all, bytes);
    free(all);
}

/* --- which MPI ---------------------------------------------------------------------------------------------------- */

/* Environment variables that the launchers of each MPI set, the surest first. */
static const struct launcher {
    const char *variable, *rank, *size; /* size NULL: not told */
    const char *module, *mpi, *package; /* package: Debian's, to build oplus with */
} launchers[] = {
    {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "openmpi", "Open MPI", "libopenmpi-dev"},
    {"PMIX_RANK", "PMIX_RANK", NULL, "openmpi", "Open MPI", "libopenmpi-dev"},
    {"PMI_SIZE", "PMI_RANK", "PMI_SIZE", "mpich", "MPICH", "libmpich-dev"},
    {"PMI_RANK", "PMI_RANK", NULL, "mpich", "MPICH", "libmpich-dev"},
    {"PMI_FD", "PMI_RANK", NULL, "mpich", "MPICH", "libmpich-dev"},
};

static const struct launcher *find_launcher(void)
{
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++)
        if (getenv(launchers[i].variable)) return &launchers[i];
    return NULL;
}

static int number(const char *variable)
{
    const char *const text = variable ? getenv(variable) : NULL;
    return text ? (int)strtol(text, NULL, 10) : 0;
}

/* Before the ranks have met, each would print the same message: the first rank prints it, and the others wait
 * meanwhile. */
static _Noreturn void cannot_meet(const struct launcher *launcher, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static _Noreturn void cannot_meet(const struct launcher *launcher, const char *format, ...)
{
    char text[TEXT_BYTES + 2 * PATH_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (!launcher || number(launcher->rank) == 0) tool_die(TOOL_FAILED, "%s", text);
    sleep(HEARD_FIRST);
    tool_exit(TOOL_FAILED);
}

/* --- the module --------------------------------------------------------------------------------------------------- */

/* Where modules are, beside the program: in a build tree, installed. */
static const char *const folders[] = {"", TOOL_MODULES_FROM_PROGRAM "/"};
enum { FOLDERS = sizeof folders / sizeof *folders };

/* FOLDER/oplus-mpi-NAME.so; false: there is none. */
static bool module_path(const char *name, size_t folder, char *path)
{
    char relative[PATH_BYTES];
    const int n = snprintf(relative, sizeof relative, "%soplus-mpi-%s.so", folders[folder], name);
    return n < PATH_BYTES && tool_beside(relative, path, PATH_BYTES);
}

static const char *find_module(const struct launcher *launcher, const char *asked, char *path)
{
    const char *const name = asked ? asked : launcher->module;
    char first[PATH_BYTES] = "";
    for (size_t i = 0; i < FOLDERS; i++) {
        if (module_path(name, i, path)) return path;
        if (i == 0) memcpy(first, path, PATH_BYTES);
    }
    if (asked)
        cannot_meet(launcher,
                    "OPLUS_MPI is '%s', and there is neither %s nor %s; give openmpi, mpich, none or a module's path",
                    name, first, path);
    cannot_meet(launcher,
                "mpirun of %s has started this command, and the module for it is not there: neither %s nor %s; build "
                "oplus where there is an mpicc of %s (Debian: %s), or give the module's path by OPLUS_MPI",
                launcher->mpi, first, path, launcher->mpi, launcher->package);
}

/* RTLD_GLOBAL: Open MPI opens modules of its own, which look for its symbols there. */
static const tool_mpi *load(const struct launcher *launcher, const char *path)
{
    setenv("UCX_HANDLE_ERRORS", "none", 0); /* a library of MPICH; our signal handlers report faults of a text */
    void *const module = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    const tool_mpi *const mpi = module ? dlsym(module, TOOL_MPI_SYMBOL) : NULL;
    if (!mpi)
        cannot_meet(launcher, "the module for MPI cannot be opened: %s", dlerror());
    else if (mpi->abi != TOOL_MPI_ABI || mpi->comm_size != sizeof(oplus_comm))
        cannot_meet(launcher, "%s is of another version of oplus: build it again", path);
    return mpi;
}

/* OPLUS_MPI, or the MPI whose launcher has started us; NULL: none. */
static const tool_mpi *choose(const struct launcher *launcher)
{
    char path[PATH_BYTES];
    const char *const asked = getenv("OPLUS_MPI");
    if (asked && strcmp(asked, "none") == 0) return NULL;
    if (asked && strchr(asked, '/')) return load(launcher, asked);
    if (asked && *asked) return load(launcher, find_module(launcher, asked, path));
    return launcher ? load(launcher, find_module(launcher, NULL, path)) : NULL;
}

/* --- a transport of one rank -------------------------------------------------------------------------------------- */

static oplus_status allgather_alone(void *context, const void *send, size_t bytes, void *recv)
{
    (void)context;
    if (bytes > 0) memcpy(recv, send, bytes);
    return OPLUS_OK;
}

static oplus_status alltoallv_alone(void *context, const void *send, const size_t *send_bytes, const size_t *send_at,
                                    void *recv, const size_t *recv_bytes, const size_t *recv_at)
{
    (void)context;
    (void)recv_bytes;
    if (*send_bytes > 0) memcpy((char *)recv + *recv_at, (const char *)send + *send_at, *send_bytes);
    return OPLUS_OK;
}

/* --- beginning and end -------------------------------------------------------------------------------------------- */

/* A module of another MPI than the mpirun that has started us finds only one rank: then each rank would write the
 * whole. */
static void check_size(const struct launcher *launcher)
{
    const int started = launcher ? number(launcher->size) : 0;
    if (started > 0 && started != here.comm.size)
        cannot_meet(launcher,
                    "mpirun has started %d ranks, but %s knows of %d: that mpirun is of another MPI, or the MPI is "
                    "defective",
                    started, here.mpi->name, here.comm.size);
}

static void be_silent(void)
{
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    fflush(stdout);
    if (nowhere >= 0) dup2(nowhere, STDOUT_FILENO);
    if (nowhere >= 0) close(nowhere);
    tool_warn_off();
}

const oplus_comm *tool_ranks_open(void)
{
    const struct launcher *const launcher = find_launcher();
    here.comm = (oplus_comm){.abi = OPLUS_ABI, .size = 1, .allgather = allgather_alone, .alltoallv = alltoallv_alone};
    here.mpi = choose(launcher);
    if (here.mpi && here.mpi->begin(&here.comm, &here.cores) != OPLUS_OK)
        cannot_meet(launcher, "%s: %s", here.mpi->name, oplus_last_error());
    if (here.mpi) check_size(launcher);
    here.codes = tool_alloc((size_t)here.comm.size * sizeof *here.codes);
    here.texts = tool_alloc((size_t)here.comm.size * TEXT_BYTES);
    if (here.comm.rank > 0) be_silent();
    tool_end_by(end_together);
    return &here.comm;
}

void tool_ranks_close(void)
{
    if (here.comm.size == 0) return;
    tool_end_by(NULL);
    leave();
}

int tool_ranks_cores(void) { return here.cores; }
