/* A peer for the test of the benchmark: one contender is right, the other leaves the output unchanged.  LIAR_DEVICE:
 * for an accelerator, with the second contender only. */
#include "bench.h"

#ifndef LIAR_ABI
#define LIAR_ABI BENCH_ABI
#endif

static void idle(bench_problem *p) { (void)p; }

#ifdef LIAR_DEVICE
static const bench_contender table[] = {{"idle", BENCH_PEER, BENCH_MAP, BENCH_F32, BENCH_OPENCL, idle}, {0}};
#else
static void honest(bench_problem *p)
{
    const float *in = p->in;
    float *out = p->out;
    for (size_t i = 0; i < p->n; i++) out[i] = in[i] * in[i];
}

static const bench_contender table[] = {
    {"honest", BENCH_PEER, BENCH_MAP, BENCH_F32, 0, honest}, {"idle", BENCH_PEER, BENCH_MAP, BENCH_F32, 0, idle}, {0}};
#endif

static const char *wait_for_nothing(void) { return NULL; }

const bench_peer bench_peer_module = {LIAR_ABI, "liar", "1", "for the test", NULL, NULL, NULL, wait_for_nothing, table};
