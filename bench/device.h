/* Accelerators: those that are measured, and problems for them. */
#ifndef BENCH_DEVICE_H
#define BENCH_DEVICE_H

#include "bench.h"

/* An accelerator, open. */
typedef struct bench_accelerator {
    const char *where; /* as it was asked for: "cuda:0" */
    struct oplus_device *dev;
} bench_accelerator;

/* Opens it, or ends the command. */
bench_accelerator bench_accelerator_open(const char *where);
/* The place of problems whose arrays are in its memory. */
bench_place bench_accelerator_place(const bench_accelerator *accelerator);

/* A problem for an accelerator, like the one in the host's memory, which must live as long.  across: the arrays stay in
 * the host's memory; else they are copied into the device's.  Ends the command for lack of memory. */
void bench_problem_send(bench_problem *there, bench_problem *host, const bench_accelerator *accelerator, bool across);
void bench_problem_recall(bench_problem *there);

/* Whether the arrays are in a device's memory. */
bool bench_is_there(const bench_problem *problem);

/* Computes the right result, on the cores, into the host's arrays. */
void bench_problem_solve(bench_problem *there);

/* The same as in data.c, for arrays in a device's memory.  Every call waits until the work is done. */
void bench_there_restore(const bench_problem *there, size_t slots);
void bench_there_spoil(const bench_problem *there);
void bench_there_fetch(const bench_problem *there); /* the result, into the host's arrays */

/* The same problem with slot i of the outputs. */
bench_problem bench_problem_slot(const bench_problem *there, size_t i);

/* Returns when all calls are done, or ends the command. */
void bench_problem_wait(const bench_problem *problem);

/* The limits of accelerators: ends where run is NULL. */
extern const bench_contender bench_device_limits[];

#endif
