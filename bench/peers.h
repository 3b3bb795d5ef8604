/* Peers: libraries to compare with, each a module in a directory, loaded if it is there. */
#ifndef BENCH_PEERS_H
#define BENCH_PEERS_H

#include <stdio.h>

#include "bench.h"

enum { BENCH_MAX_PEERS = 32 };

typedef struct bench_peers {
    size_t count;
    const bench_peer *of[BENCH_MAX_PEERS];
} bench_peers;

/* The place of all its contenders. */
bench_place bench_peer_place(const bench_peer *peer);

/* Loads the modules of a directory: dir; else $OPLUS_PEERS; else that of the program's build tree, or where they are
 * installed with it.  Keeps only peers for these places; places: bits, 1 << bench_place.  A module that does not
 * load is reported and left out; a directory that was named must be there. */
void bench_peers_load(bench_peers *peers, const char *dir, unsigned places);

/* Prints lines that begin with `begin`: the known peers for these places that are missing, and the package of each. */
void bench_peers_print_absent(FILE *file, const char *begin, const bench_peers *peers, unsigned places);

#endif
