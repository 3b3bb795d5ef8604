#define _POSIX_C_SOURCE 200809L
#include "measure.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <time.h>

#include "data.h"
#include "die.h"
#include "kernels.h"
#include "progress.h"

static double clock_cost(void)
{
    double cost = 1;
    for (int i = 0; i < 1000; i++) {
        const double begin = tool_seconds();
        cost = fmin(cost, tool_seconds() - begin);
    }
    return cost;
}

/* OpenMP's workers spin for a while after a parallel region (about 15 ms with gcc's library), and would take a core
 * from whoever comes next. */
static void settle(const bench_problem *p, const bench_plan *plan)
{
    if (p->threads > 1) nanosleep(&(struct timespec){.tv_nsec = (long)(plan->settle * 1e9)}, NULL);
}

/* Seconds a call, the mean of a batch.  What a sort has sorted is put back outside the time. */
static double time_batch(const bench_contender *c, bench_problem *p, size_t calls)
{
    if (p->primitive != BENCH_SORT && p->primitive != BENCH_PAIRS) {
        const double begin = tool_seconds();
        for (size_t i = 0; i < calls; i++) c->run(p);
        return (tool_seconds() - begin) / (double)calls;
    }
    const double cost = clock_cost();
    double sum = 0;
    for (size_t i = 0; i < calls; i++) {
        bench_problem_restore(p);
        const double begin = tool_seconds();
        c->run(p);
        sum += fmax(tool_seconds() - begin - cost, 0);
    }
    return fmax(sum / (double)calls, 1e-9); /* what is shorter, the clock does not see */
}

/* After a pause threads sleep deeply, and so may the processor: calls that nobody times, until all are awake.  Not
 * where a call takes so long that waking is nothing. */
static void rouse(const bench_contender *c, bench_problem *p, const bench_plan *plan, double call)
{
    if (call > 25 * plan->batch) return;
    const double begin = tool_seconds();
    do time_batch(c, p, 1);
    while (tool_seconds() - begin < plan->batch / 2);
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

typedef struct entrant {
    const bench_contender *is;
    double first; /* seconds of the first call */
    size_t calls; /* in a batch */
    bool out;     /* of the rounds: too slow */
} entrant;

typedef struct field {
    const bench_problem *problem;
    entrant *entrants;
    bench_case *results; /* the same contenders in the same order */
} field;

static void enter(field *f, const bench_contender *table, const char *peer)
{
    const bench_problem *p = f->problem;
    for (; table->run; table++) {
        if (table->primitive != p->primitive || (table->type != p->type && table->type != BENCH_ANY_TYPE)) continue;
        const size_t i = f->results->count++;
        f->entrants = tool_realloc(f->entrants, (i + 1) * sizeof *f->entrants);
        f->results->of = tool_realloc(f->results->of, (i + 1) * sizeof *f->results->of);
        f->entrants[i] = (entrant){.is = table};
        f->results->of[i] = (bench_result){.name = table->name,
                                           .peer = peer,
                                           .role = table->role,
                                           .stable = !(table->traits & BENCH_UNSTABLE),
                                           .time = tool_alloc(BENCH_MAX_ROUNDS * sizeof(double))};
    }
}

static void enter_all(field *f, const bench_plan *plan)
{
    const bench_kernels *kernels = bench_kernels_here();
    enter(f, kernels->loops, NULL); /* first: their result is the reference */
    enter(f, kernels->limits, NULL);
    enter(f, kernels->ours, NULL);
    for (size_t i = 0; plan->peers && i < plan->peers->count; i++)
        enter(f, plan->peers->of[i]->contenders, plan->peers->of[i]->title);
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

/* Touches all memory, starts threads, fills scratch. */
static void first_call(entrant *e, bench_result *r, bench_problem *p, reference *ref, const bench_plan *plan)
{
    settle(p, plan);
    bench_problem_spoil(p);
    const double begin = tool_seconds();
    e->is->run(p);
    e->first = tool_seconds() - begin;
    r->right = is_right(e->is, p, ref);
    if (!r->right)
        tool_warn("%s: a wrong result: %s of %zu %s, %d threads", r->name, bench_primitive_name(p->primitive), p->n,
                  bench_type_name(p->type), p->threads);
}

/* Not worth nine more calls: a peer or a loop that takes long, and much longer than the fastest of its class. */
static bool is_far_behind(const field *f, size_t i)
{
    const bench_result *me = &f->results->of[i];
    const double first = f->entrants[i].first;
    double fastest = INFINITY;
    for (size_t j = 0; j < f->results->count; j++) {
        const bench_result *r = &f->results->of[j];
        if (r->role != BENCH_LIMIT && r->stable == me->stable) fastest = fmin(fastest, f->entrants[j].first);
    }
    const bool is_other = me->role == BENCH_LOOP || me->role == BENCH_PEER;
    return is_other && ((first > 0.05 && first > 4 * fastest) || (first > 0.5 && first > 2 * fastest));
}

/* How many calls fill a batch: the first call was cold, so the best of others says it. */
static size_t calibrate(const entrant *e, bench_problem *p, const bench_plan *plan)
{
    if (e->first > 0.1) return 1;
    double call = INFINITY;
    settle(p, plan);
    rouse(e->is, p, plan, e->first);
    for (int i = 0; i < 3; i++)
        call = fmin(call, time_batch(e->is, p, calls_of(fmin(call, e->first), plan->batch / 10)));
    return calls_of(call, plan->batch);
}

static void tell_peers(const bench_plan *plan, const bench_problem *p, bool begins)
{
    for (size_t i = 0; plan->peers && i < plan->peers->count; i++) {
        const bench_peer *peer = plan->peers->of[i];
        if (begins && peer->begin) peer->begin(p);
        if (!begins && peer->end) peer->end();
    }
}

bench_case bench_measure(bench_problem *p, const bench_plan *plan)
{
    bench_case results = {.primitive = p->primitive, .type = p->type, .n = p->n, .threads = p->threads};
    field f = {.problem = p, .results = &results};
    reference ref = {0};
    omp_set_num_threads(p->threads);
    tell_peers(plan, p, true);
    enter_all(&f, plan);

    /* --- 1. warm up and check --- */
    for (size_t i = 0; i < results.count; i++) {
        first_call(&f.entrants[i], &results.of[i], p, &ref, plan);
        if (i == 0) results.bytes = bench_problem_bytes(p); /* how many a filter keeps, the loop has said */
    }
    for (size_t i = 0; i < results.count; i++) {
        entrant *e = &f.entrants[i];
        bench_result *r = &results.of[i];
        e->out = is_far_behind(&f, i);
        if (e->out)
            r->time[r->samples++] = e->first;
        else
            e->calls = calibrate(e, p, plan);
    }

    /* --- 2. rounds --- */
    for (int round = 0; round < plan->rounds; round++)
        for (size_t i = 0; i < results.count; i++) {
            const entrant *e = &f.entrants[i];
            bench_result *r = &results.of[i];
            if (e->out) continue;
            settle(p, plan);
            rouse(e->is, p, plan, e->first);
            r->time[r->samples++] = time_batch(e->is, p, e->calls);
        }
    for (size_t i = 0; i < results.count; i++) summarise(&results.of[i]);
    tell_peers(plan, p, false);
    free(f.entrants);
    return results;
}

void bench_case_free(bench_case *measured)
{
    for (size_t i = 0; i < measured->count; i++) free(measured->of[i].time);
    free(measured->of);
}

/* --- what to make of it --------------------------------------------------------------------------------------- */

const bench_result *bench_best(const bench_case *measured, bench_role role, bench_class class)
{
    const bench_result *best = NULL;
    for (size_t i = 0; i < measured->count; i++) {
        const bench_result *r = &measured->of[i];
        if (r->role != role || !r->right) continue;
        if ((class == BENCH_CLASS_STABLE && !r->stable) || (class == BENCH_CLASS_UNSTABLE && r->stable)) continue;
        if (!best || r->median < best->median) best = r;
    }
    return best;
}

double bench_rate(const bench_case *measured, const bench_result *result)
{
    return result ? measured->bytes / result->median * 1e-9 : 0;
}
