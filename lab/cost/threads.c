/* The textbook's algorithm by threads: each thread adds up a block; then a tree with a barrier for each step. */
#include "lab/cost/cost.h"

#include "cores/cores.h"
#include "die.h"
#include "lab/show.h"
#include "progress.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>

/* One addition after another, as the formula counts them.  The empty statement keeps the compiler from adding up in
 * vectors: t_c would be the time of memory then, which depends on n.  Not inlined, so that all callers have one loop.
 */
__attribute__((noinline)) static uint32_t add_up(const uint32_t *x, size_t begin, size_t end)
{
    uint32_t sum = 0;
    for (size_t i = begin; i < end; i++) {
        sum += x[i];
        __asm__ volatile("" : "+r"(sum));
    }
    return sum;
}

typedef struct partial {
    _Alignas(64) uint32_t sum; /* of a thread, in its own cache line */
} partial;

typedef struct adding {
    const uint32_t *x;
    uint32_t n, sum; /* sum: the right one */
    int p;           /* 0: sequential, without further threads */
    partial *partials[2];
    bool right;
} adding;

/* --- 1. the algorithm --------------------------------------------------------------------------------------------- */

/* What thread `self` does.  Successive sums alternate between two arrays of partial sums: while thread 0 still reads
 * one, the others begin the next sum; so log2 p barriers are enough. */
static void add_as_thread(const adding *a, partial *sums, int self)
{
    const size_t p = (size_t)a->p, me = (size_t)self;
    sums[me].sum = add_up(a->x, a->n * me / p, a->n * (me + 1) / p);
    for (size_t stride = 1; stride < p; stride *= 2) {
#pragma omp barrier
        if (me % (2 * stride) == 0 && me + stride < p) sums[me].sum += sums[me + stride].sum;
    }
}

/* Seconds of this many sums; the threads run already.  NAN: fewer threads than wanted. */
static double seconds_of(adding *a, unsigned sums)
{
    double begin = NAN, end = NAN;
#pragma omp parallel num_threads(a->p)
    {
        const int self = omp_get_thread_num();
        if (omp_get_num_threads() == a->p) {
#pragma omp barrier
            if (self == 0) begin = tool_seconds();
            for (unsigned i = 0; i < sums; i++) {
                partial *const to = a->partials[i % 2];
                add_as_thread(a, to, self);
                if (self == 0 && to[0].sum != a->sum) a->right = false;
            }
            if (self == 0) end = tool_seconds();
        }
    }
    return end - begin;
}

static double sequential_seconds_of(adding *a, unsigned sums)
{
    const double begin = tool_seconds();
    for (unsigned i = 0; i < sums; i++)
        if (add_up(a->x, 0, a->n) != a->sum) a->right = false;
    return tool_seconds() - begin;
}

static double start_seconds_of(adding *a, unsigned sums)
{
    const double begin = tool_seconds();
    for (unsigned i = 0; i < sums; i++) {
#pragma omp parallel num_threads(a->p)
        a->partials[0][omp_get_thread_num()].sum = i;
    }
    return tool_seconds() - begin;
}

/* --- 2. time ------------------------------------------------------------------------------------------------------ */

/* Seconds of one sum: the least of batches that are long enough for the clock, since other programs of the host only
 * add to them. */
static double least(const lab *l, adding *a, double (*seconds)(adding *a, unsigned sums))
{
    const double long_enough = l->options.quick ? 0.0002 : 0.001, enough = 20 * long_enough;
    double shortest = INFINITY;
    unsigned sums = 1;
    double last = seconds(a, sums);
    while (last < long_enough && sums < 1u << 24) last = seconds(a, sums *= 2);
    if (!isfinite(last)) return NAN;
    const double begin = tool_seconds();
    do shortest = fmin(shortest, seconds(a, sums) / sums);
    while (tool_seconds() - begin < enough);
    return shortest;
}

static adding adding_of(const uint32_t *x, uint32_t n, int p)
{
    const size_t bytes = (size_t)(p ? p : 1) * sizeof(partial);
    adding a = {.x = x, .n = n, .sum = cost_sum(x, n), .p = p, .right = true};
    for (int i = 0; i < 2; i++) {
        a.partials[i] = aligned_alloc(_Alignof(partial), bytes);
        if (!a.partials[i]) tool_die(TOOL_FAILED, "no memory for partial sums");
    }
    return a;
}

static double measure(const lab *l, const uint32_t *x, uint32_t n, int p, bool *right,
                      double (*seconds)(adding *a, unsigned sums))
{
    adding a = adding_of(x, n, p);
    const double shortest = least(l, &a, seconds);
    *right = a.right;
    for (int i = 0; i < 2; i++) free(a.partials[i]);
    return shortest;
}

/* --- 3. n = p ----------------------------------------------------------------------------------------------------- */

static void one_each(lab *l, const cost_grid *grid, const uint32_t *x)
{
    cJSON *const table = lab_table(l->experiment, "Threads, an element each: n = p",
                                   "The tree alone: T_P = t_s log2 n, with the t_s found above. The sequential form "
                                   "needs n - 1 additions, the tree keeps n processors for log2 n steps: C = n log2 n "
                                   "steps, which is not cost-optimal even if a step took no longer than an addition. "
                                   "What to look for: S far below 1. A step makes threads wait for each other, and "
                                   "that takes as long as many additions. And whether T_P grows faster than the "
                                   "formula: then a step takes the longer, the more threads wait, which no single t_s "
                                   "describes.",
                                   "n = p|T_S:us|T_P:us|formula:us|S|E|C:us|C / T_S");
    for (int k = 1; k < grid->counts; k++) {
        bool alone_right, right;
        const int p = grid->p[k];
        const double alone = measure(l, x, (uint32_t)p, 0, &alone_right, sequential_seconds_of);
        const double time = measure(l, x, (uint32_t)p, p, &right, seconds_of);
        const bool both = right && alone_right;
        if (!both) lab_wrong(l);
        lab_add_row(table, lab_is(p), lab_is(alone * 1e6), lab_is_if(both, time * 1e6),
                    lab_is(grid->model.t_s * log2(p) * 1e6), lab_is(alone / time), lab_is(alone / time / p),
                    lab_is(p * time * 1e6), lab_is(p * time / alone));
    }
    lab_show_section(l, table);
}

static void show_start(lab *l, const cost_grid *grid, const uint32_t *x)
{
    cJSON *const table = lab_table(
        l->experiment, "Threads: what a parallel region costs",
        "Not in any of the times above: the start of the threads. This is a parallel region that does nothing. A "
        "program that opens one for every sum pays that in addition.",
        "p|time:us|steps of the tree");
    for (int k = 0; k < grid->counts; k++) {
        bool right;
        const double seconds = measure(l, x, 1, grid->p[k], &right, start_seconds_of);
        lab_add_row(table, lab_is(grid->p[k]), lab_is(seconds * 1e6), lab_is(seconds / grid->model.t_s));
    }
    lab_show_section(l, table);
}

/* --- 4. all of it ------------------------------------------------------------------------------------------------- */

/* As many as the device has, but no more than there are cores: further threads would have to share cores. */
static int most_threads(const lab *l)
{
    const int cores = omp_get_num_procs(), workers = opi_cores_of(l->dev->oplus)->workers;
    return !l->dev->gpu && workers > 1 && workers < cores ? workers : cores;
}

void cost_by_threads(lab *l)
{
    const size_t largest = lab_size(l, (size_t)1 << 22, (size_t)1 << 22, (size_t)1 << 18);
    cost_grid grid = {.workers = "threads"};
    cost_grid_begin(&grid, largest, l->options.quick ? 3 : 6, most_threads(l));
    grid.processors = grid.p[grid.counts - 1];
    const size_t n = grid.n[grid.sizes - 1], most = (size_t)grid.processors;
    uint32_t *const x = lab_random(n > most ? n : most);
    for (int i = 0; i < grid.sizes; i++) {
        bool right;
        lab_show_step("Cost model", "threads", i, grid.sizes);
        grid.sequential[i] = measure(l, x, grid.n[i], 0, &right, sequential_seconds_of);
        for (int k = 0; k < grid.counts; k++) {
            grid.parallel[i][k] = measure(l, x, grid.n[i], grid.p[k], &grid.right[i][k], seconds_of);
            grid.right[i][k] &= right;
        }
    }
    cost_grid_fit(&grid);
    cost_show(l, &grid);
    if (grid.counts > 1) {
        one_each(l, &grid, x);
        show_start(l, &grid, x);
    }
    free(x);
}
