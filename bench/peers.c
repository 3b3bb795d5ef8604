#define _GNU_SOURCE /* scandir */
#include "peers.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "beside.h"
#include "die.h"

/* The peers that the project has modules for. */
static const struct {
    const char *title, *where;
    bench_place place;
} known[] = {
    {"OpenMP", "Debian has g++", BENCH_CORES},
    {"GNU parallel", "Debian has g++", BENCH_CORES},
    {"libstdc++", "Debian has g++ libtbb-dev", BENCH_CORES},
    {"oneTBB", "Debian has g++ libtbb-dev", BENCH_CORES},
    {"vqsort", "Debian has g++ libhwy-dev", BENCH_CORES},
    {"Boost.Sort", "Debian has g++ libboost-dev", BENCH_CORES},
    {"Thrust", "Debian has g++ libthrust-dev", BENCH_CORES},
    {"OpenBLAS", "Debian has g++ libopenblas-dev", BENCH_CORES},
    {"NumPy", "Debian has python3-dev python3-numpy", BENCH_CORES},
    {"CUB", "nvcc is, of the CUDA toolkit", BENCH_CUDA},
    {"newest CUB", "nvcc is, with nvidia-cuda-cccl of PyPI (./run bench)", BENCH_CUDA},
};

bench_place bench_peer_place(const bench_peer *peer) { return (bench_place)(peer->contenders->traits & BENCH_PLACES); }

/* --- where ---------------------------------------------------------------------------------------------------- */

/* The first existing directory of those beside the program: in a build tree, or where it is installed. */
static char *beside_program(void)
{
    static const char *const places[] = {"../bench/peers", BENCH_PEERS_FROM_PROGRAM};
    static char path[4096 + 256];
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (tool_beside(places[i], path, sizeof path)) return path;
    return NULL;
}

/* --- a module --------------------------------------------------------------------------------------------------- */

/* The module's libraries stay loaded to the end, because their threads may be waiting.  *peer is NULL if the module
 * is for another place. */
static const char *load(const char *path, unsigned places, const bench_peer **peer)
{
    void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!module) return dlerror();
    const bench_peer *const found = dlsym(module, "bench_peer_module");
    if (!found) return "it is no peer: it has no bench_peer_module";
    if (found->abi != BENCH_ABI) return "it was built for another version of oplus: build it again";
    if (!(places >> bench_peer_place(found) & 1)) return NULL;
    *peer = found;
    return found->open ? found->open() : NULL;
}

static int is_module(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');
    return dot && strcmp(dot, ".so") == 0;
}

void bench_peers_load(bench_peers *peers, const char *dir, unsigned places)
{
    struct dirent **entries = NULL;
    const char *variable = getenv("OPLUS_PEERS"), *named = dir ? dir : variable && *variable ? variable : NULL;
    peers->count = 0;
    dir = named ? named : beside_program();
    const int count = dir ? scandir(dir, &entries, is_module, alphasort) : 0;
    if (count < 0 && named)
        tool_die(TOOL_USAGE, "%s: the directory of peers %s cannot be read: %s",
                 named == variable ? "OPLUS_PEERS" : "--peers", named, strerror(errno));
    for (int i = 0; i < count; i++) {
        char path[4096 + 512];
        const bench_peer *peer = NULL;
        snprintf(path, sizeof path, "%s/%s", dir, entries[i]->d_name);
        const char *why = peers->count == BENCH_MAX_PEERS ? "there are too many" : load(path, places, &peer);
        if (why)
            tool_warn("the peer %s is left out: %s", path, why);
        else if (peer)
            peers->of[peers->count++] = peer;
        free(entries[i]);
    }
    free(entries);
}

void bench_peers_print_absent(FILE *file, const char *begin, const bench_peers *peers, unsigned places)
{
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        bool present = !(places >> known[k].place & 1);
        for (size_t i = 0; i < peers->count; i++) present |= strcmp(peers->of[i]->title, known[k].title) == 0;
        if (!present)
            fprintf(file, "%s%s: not here; its module is built where %s\n", begin, known[k].title, known[k].where);
    }
}
