#define _POSIX_C_SOURCE 200809L
#include "measure.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "data.h"

double bench_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double clock_cost(void)
{
    double cost = 1;
    for (int i = 0; i < 1000; i++) {
        const double begin = bench_now();
        cost = fmin(cost, bench_now() - begin);
    }
    return cost;
}

/* OpenMP's workers spin for a while after a parallel region (about 15 ms with gcc's library), and would take a core
 * from whoever comes next. */
static void settle(const bench_problem *p)
{
    if (p->threads > 1) nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
}

/* Seconds a call, the mean of a batch.  What a sort has sorted is put back outside the time. */
static double time_batch(const bench_contender *c, bench_problem *p, size_t calls)
{
    if (p->primitive != BENCH_SORT && p->primitive != BENCH_PAIRS) {
        const double begin = bench_now();
        for (size_t i = 0; i < calls; i++) c->run(p);
        return (bench_now() - begin) / (double)calls;
    }
    const double cost = clock_cost();
    double sum = 0;
    for (size_t i = 0; i < calls; i++) {
        bench_problem_restore(p);
        const double begin = bench_now();
        c->run(p);
        sum += fmax(bench_now() - begin - cost, 0);
    }
    return sum / (double)calls;
}

static size_t calls_of(double seconds, double batch)
{
    return seconds >= batch ? 1 : (size_t)fmin(batch / fmax(seconds, 1e-9), 1e6) + 1;
}

static int compare_times(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void summarise(bench_result *r)
{
    qsort(r->time, (size_t)r->samples, sizeof *r->time, compare_times);
    r->best = r->time[0];
    r->median = r->time[r->samples / 2];
}

/* --- who takes part ------------------------------------------------------------------------------------------- */

static void enter(bench_results *results, const bench_contender *table, const bench_problem *p)
{
    for (; table->run; table++)
        if (table->primitive == p->primitive && (table->type == p->type || table->type == BENCH_ANY_TYPE) &&
            results->count < BENCH_MAX_RESULTS)
            results->of[results->count++] = (bench_result){.contender = table};
}

static void enter_all(bench_results *results, const bench_problem *p, bool peers)
{
    enter(results, bench_loops, p); /* first: their result is the reference */
    enter(results, bench_limits, p);
    enter(results, bench_ours, p);
    if (!peers) return;
#ifdef BENCH_HAVE_OPENMP_CXX
    enter(results, bench_peers_openmp, p);
#endif
#ifdef BENCH_HAVE_GNU_PARALLEL
    enter(results, bench_peers_gnu, p);
#endif
#ifdef BENCH_HAVE_CXX
    enter(results, bench_peers_std, p);
#endif
#ifdef BENCH_HAVE_TBB
    enter(results, bench_peers_tbb, p);
#endif
#ifdef BENCH_HAVE_HIGHWAY
    enter(results, bench_peers_highway, p);
#endif
#ifdef BENCH_HAVE_BOOST
    enter(results, bench_peers_boost, p);
#endif
#ifdef BENCH_HAVE_THRUST
    enter(results, bench_peers_thrust, p);
#endif
#ifdef BENCH_HAVE_OPENBLAS
    enter(results, bench_peers_openblas, p);
#endif
}

/* --- the first call: is the result right, and how long does it take? --------------------------------------------- */

typedef struct reference {
    bool known;
    uint64_t result, keys;
} reference;

static bool is_right(const bench_contender *c, const bench_problem *p, reference *ref)
{
    if (c->role == BENCH_LIMIT) return true;
    if (c->traits & BENCH_RECORDS) bench_pairs_unzip(p);
    if (!ref->known) *ref = (reference){true, bench_result_hash(p), bench_keys_hash(p)};
    if (p->primitive == BENCH_PAIRS && c->traits & BENCH_UNSTABLE)
        return bench_keys_hash(p) == ref->keys && bench_pairs_belong(p);
    return bench_result_hash(p) == ref->result;
}

/* Returns the seconds of the first call; touches all memory, starts threads, fills scratch. */
static double warm_up(bench_result *r, bench_problem *p, reference *ref)
{
    settle(p);
    bench_problem_restore(p);
    const double begin = bench_now();
    r->contender->run(p);
    const double seconds = bench_now() - begin;
    r->wrong = !is_right(r->contender, p, ref);
    if (r->wrong) fprintf(stderr, "bench: %s: a wrong result\n", r->contender->name);
    return seconds;
}

/* Not worth nine more calls: a peer or a loop that takes long, and much longer than the fastest of its class. */
static bool is_far_behind(const bench_results *results, const double *first, size_t i)
{
    const bench_contender *me = results->of[i].contender;
    double fastest = INFINITY;
    for (size_t j = 0; j < results->count; j++) {
        const bench_contender *c = results->of[j].contender;
        const bool same_class = (c->traits & BENCH_UNSTABLE) == (me->traits & BENCH_UNSTABLE);
        if (c->role != BENCH_LIMIT && same_class) fastest = fmin(fastest, first[j]);
    }
    const bool is_other = me->role == BENCH_LOOP || me->role == BENCH_PEER;
    return is_other && ((first[i] > 0.05 && first[i] > 4 * fastest) || (first[i] > 0.5 && first[i] > 2 * fastest));
}

void bench_measure(bench_problem *p, const bench_plan *plan, bench_results *results)
{
    double first[BENCH_MAX_RESULTS];
    size_t calls[BENCH_MAX_RESULTS];
    bool out[BENCH_MAX_RESULTS];
    reference ref = {0};
    omp_set_num_threads(p->threads);
    *results = (bench_results){0};
    enter_all(results, p, plan->peers);

    /* --- 1. warm up and check --- */
    for (size_t i = 0; i < results->count; i++) first[i] = warm_up(&results->of[i], p, &ref);
    for (size_t i = 0; i < results->count; i++) {
        bench_result *r = &results->of[i];
        out[i] = is_far_behind(results, first, i);
        if (out[i]) r->time[r->samples++] = first[i];
        /* short calls: the first was cold, so a second one says how many fill a batch */
        calls[i] = first[i] < 0.1
                       ? calls_of(time_batch(r->contender, p, calls_of(first[i], plan->batch / 10)), plan->batch)
                       : 1;
    }

    /* --- 2. rounds --- */
    for (int round = 0; round < plan->rounds; round++)
        for (size_t i = 0; i < results->count; i++) {
            bench_result *r = &results->of[i];
            if (out[i]) continue;
            settle(p);
            if (calls[i] > 1) time_batch(r->contender, p, 1);
            r->time[r->samples++] = time_batch(r->contender, p, calls[i]);
        }
    results->bytes = bench_problem_bytes(p);
    for (size_t i = 0; i < results->count; i++) summarise(&results->of[i]);
}

const bench_result *bench_best(const bench_results *results, bench_role role, bench_class class)
{
    const bench_result *best = NULL;
    for (size_t i = 0; i < results->count; i++) {
        const bench_result *r = &results->of[i];
        const bool unstable = r->contender->traits & BENCH_UNSTABLE;
        if (r->contender->role != role || r->wrong) continue;
        if ((class == BENCH_CLASS_STABLE && unstable) || (class == BENCH_CLASS_UNSTABLE && !unstable)) continue;
        if (!best || r->median < best->median) best = r;
    }
    return best;
}
