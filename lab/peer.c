#include "lab/peer.h"

#include "bench/peers.h"
#include "die.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct lab_peer {
    lab_device *dev;
    const bench_peer *module;
    char name[64];
    bench_problem problem; /* that the module has begun */
    bool begun;
};

lab_peer *lab_peer_open(lab_device *dev)
{
    bench_peers peers;
    if (!lab_is_cuda(dev)) return NULL;
    bench_peers_load(&peers, NULL, 1u << BENCH_CUDA);
    for (size_t i = 0; i < peers.count; i++) {
        if (strcmp(peers.of[i]->title, "CUB") != 0) continue;
        lab_peer *const peer = tool_alloc(sizeof *peer);
        *peer = (lab_peer){.dev = dev, .module = peers.of[i]};
        snprintf(peer->name, sizeof peer->name, "CUB %s", peer->module->version);
        return peer;
    }
    return NULL;
}

static void end(lab_peer *peer)
{
    peer->dev->also_wait = NULL;
    if (peer->begun) peer->module->end();
    peer->begun = false;
}

void lab_peer_close(lab_peer *peer)
{
    if (!peer) return;
    end(peer);
    free(peer);
}

const char *lab_peer_missing(const lab_device *dev)
{
    return lab_is_cuda(dev) ? "its module is not here; `./run bench` builds it where the CUDA toolkit is"
                            : "it is there for CUDA alone";
}

const char *lab_peer_name(const lab_peer *peer) { return peer->name; }

/* A problem is begun once for all calls on it; its stream is the module's own. */
static void run(lab_peer *peer, bench_primitive primitive, const void *in, size_t n, void *out)
{
    bench_problem *const p = &peer->problem;
    if (peer->begun && (p->primitive != primitive || p->in != in || p->n != n || p->out != out)) end(peer);
    if (!peer->begun) {
        *p = (bench_problem){.primitive = primitive,
                             .type = BENCH_U32,
                             .n = n,
                             .element = sizeof(uint32_t),
                             .place = BENCH_CUDA,
                             .in = in,
                             .out = out};
        lab_wait(peer->dev); /* the calls that make the input */
        peer->module->begin(p);
        peer->begun = true;
        peer->dev->also_wait = peer->module->wait;
    }
    const bench_contender *c = peer->module->contenders;
    while (c->run && (c->role != BENCH_PEER || c->primitive != primitive || c->type != BENCH_U32)) c++;
    if (!c->run) tool_die(TOOL_FAILED, "%s has no %d of integers", peer->name, (int)primitive);
    c->run(p);
    if (p->refused) tool_die(TOOL_FAILED, "%s: %s", peer->name, p->refused);
}

void lab_peer_reduce(lab_peer *peer, const void *in, size_t n, void *out) { run(peer, BENCH_REDUCE, in, n, out); }
void lab_peer_scan(lab_peer *peer, const void *in, size_t n, void *out) { run(peer, BENCH_SCAN, in, n, out); }
