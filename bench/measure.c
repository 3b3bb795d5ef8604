#define _POSIX_C_SOURCE 200809L
#include "measure.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <oplus/oplus.h>

#include "data.h"
#include "device.h"
#include "die.h"
#include "kernels.h"
#include "progress.h"

enum { DEVICE_CALLS = 1000 }; /* at most, in a batch: a queue has limited room */

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
 * from the next contender. */
static void settle(const bench_problem *p, const bench_plan *plan)
{
    if (p->threads > 1) nanosleep(&(struct timespec){.tv_nsec = (long)(plan->settle * 1e9)}, NULL);
}

/* --- who takes part ------------------------------------------------------------------------------------------- */

typedef struct entrant {
    const bench_contender *is;
    const bench_peer *peer; /* the peer that it belongs to, or NULL */
    double first;           /* seconds of the first call */
    double *waits;          /* for each round, on a device: seconds of a call with a wait */
    size_t calls;           /* in a batch */
    bool out;               /* left out of the rounds: too slow */
} entrant;

typedef struct field {
    const bench_problem *problem;
    entrant *entrants;
    bench_case *results; /* the same contenders in the same order */
} field;

static bool takes_part(const bench_contender *c, const bench_problem *p)
{
    const bool here = c->role == BENCH_OURS || (c->traits & BENCH_PLACES) == p->place;
    if (c->traits & BENCH_HEADS && !p->ids) return false;
    return here && c->primitive == p->primitive && (c->type == p->type || c->type == BENCH_ANY_TYPE);
}

static double bytes_of(const bench_contender *c, const bench_problem *p)
{
    const double once = (double)p->n * (double)p->element;
    return c->traits & BENCH_READS ? once : c->traits & BENCH_COPIES ? 2 * once : 0;
}

static void enter(field *f, const bench_contender *table, const bench_peer *peer)
{
    const bench_problem *p = f->problem;
    for (; table->run; table++) {
        if (!takes_part(table, p)) continue;
        const size_t i = f->results->count++;
        f->entrants = tool_realloc(f->entrants, (i + 1) * sizeof *f->entrants);
        f->results->of = tool_realloc(f->results->of, (i + 1) * sizeof *f->results->of);
        f->entrants[i] = (entrant){.is = table, .peer = peer, .waits = tool_alloc(BENCH_MAX_ROUNDS * sizeof(double))};
        f->results->of[i] = (bench_result){.name = table->name,
                                           .peer = peer ? peer->title : NULL,
                                           .role = table->role,
                                           .stable = !(table->traits & BENCH_UNSTABLE),
                                           .bytes = bytes_of(table, p),
                                           .time = tool_alloc(BENCH_MAX_ROUNDS * sizeof(double))};
    }
}

static void enter_all(field *f, const bench_plan *plan)
{
    const bench_kernels *kernels = bench_kernels_here();
    enter(f, kernels->loops, NULL); /* first: their result is the reference */
    enter(f, kernels->limits, NULL);
    enter(f, bench_device_limits, NULL);
    enter(f, kernels->ours, NULL);
    for (size_t i = 0; plan->peers && i < plan->peers->count; i++)
        enter(f, plan->peers->of[i]->contenders, plan->peers->of[i]);
}

static void leave(field *f, size_t i)
{
    const size_t behind = --f->results->count - i;
    free(f->entrants[i].waits);
    free(f->results->of[i].time);
    memmove(f->entrants + i, f->entrants + i + 1, behind * sizeof *f->entrants);
    memmove(f->results->of + i, f->results->of + i + 1, behind * sizeof *f->results->of);
}

/* --- the time of calls ---------------------------------------------------------------------------------------- */

/* Waits until all calls are done; on cores a call is done when it returns. */
static void wait_for(const entrant *e, const bench_problem *p)
{
    if (p->place == BENCH_CORES) return;
    const char *const why = e->peer && e->peer->wait ? e->peer->wait() : NULL;
    if (why) tool_die(TOOL_FAILED, "%s: %s", e->is->name, why);
    if (!e->peer) bench_problem_wait(p);
}

/* Each call sorts a slot of its own, so that no wait is needed between calls; calls: at most the number of slots. */
static double time_slots(const entrant *e, const bench_problem *p, size_t calls)
{
    bench_there_restore(p, calls);
    const double begin = tool_seconds();
    for (size_t i = 0; i < calls; i++) {
        bench_problem at = bench_problem_slot(p, i);
        e->is->run(&at);
    }
    wait_for(e, p);
    return (tool_seconds() - begin) / (double)calls;
}

/* The data are restored between calls; the restoring is not timed. */
static double time_sorts(const entrant *e, bench_problem *p, size_t calls)
{
    const double cost = clock_cost();
    double sum = 0;
    for (size_t i = 0; i < calls; i++) {
        bench_problem_restore(p);
        const double begin = tool_seconds();
        e->is->run(p);
        wait_for(e, p);
        sum += fmax(tool_seconds() - begin - cost, 0);
    }
    return fmax(sum / (double)calls, 1e-9); /* the clock cannot measure less */
}

/* Seconds for each call, the mean of a batch.  On a device only the last call is waited for. */
static double time_batch(const entrant *e, bench_problem *p, size_t calls)
{
    if (bench_is_sort(p->primitive)) return bench_is_there(p) ? time_slots(e, p, calls) : time_sorts(e, p, calls);
    const double begin = tool_seconds();
    for (size_t i = 0; i < calls; i++) e->is->run(p);
    wait_for(e, p);
    return (tool_seconds() - begin) / (double)calls;
}

/* After a pause threads sleep, and the processor may be in a sleep state: makes calls that are not timed until all
 * are awake; makes none if a call takes so long that waking does not matter. */
static void rouse(const entrant *e, bench_problem *p, const bench_plan *plan, double call)
{
    if (call > 25 * plan->batch) return;
    const double begin = tool_seconds();
    do time_batch(e, p, 1);
    while (tool_seconds() - begin < plan->batch / 2);
}

static size_t calls_of(const bench_problem *p, double seconds, double batch)
{
    const size_t calls = seconds >= batch ? 1 : (size_t)fmin(batch / fmax(seconds, 1e-9), 1e6) + 1;
    const size_t most = p->place == BENCH_CORES                            ? calls
                        : bench_is_there(p) && bench_is_sort(p->primitive) ? p->slots
                                                                           : DEVICE_CALLS;
    return calls < most ? calls : most;
}

static int compare_times(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void sort_times(double *time, int samples) { qsort(time, (size_t)samples, sizeof *time, compare_times); }

static void summarise(bench_result *r, const entrant *e, const bench_problem *p)
{
    sort_times(r->time, r->samples);
    r->best = r->time[0];
    r->median = r->time[r->samples / 2];
    if (p->place == BENCH_CORES || e->out) return;
    sort_times(e->waits, r->samples);
    r->waited = e->waits[r->samples / 2];
}

/* --- the first call: is the result right, and how long does it take? --------------------------------------------- */

typedef struct reference {
    bool known;
    uint64_t result, keys;
} reference;

static bool is_right(const bench_contender *c, const bench_problem *p, reference *ref)
{
    if (c->role == BENCH_LIMIT) return true;
    if (bench_is_there(p)) {
        bench_there_fetch(p);
        p = p->host;
    }
    if (c->traits & BENCH_RECORDS) bench_pairs_unzip(p);
    if (!ref->known) *ref = (reference){true, bench_result_hash(p), bench_keys_hash(p)};
    if (p->primitive == BENCH_PAIRS && c->traits & BENCH_UNSTABLE)
        return bench_keys_hash(p) == ref->keys && bench_pairs_belong(p);
    return bench_result_hash(p) == ref->result;
}

static void spoil(bench_problem *p)
{
    if (bench_is_there(p))
        bench_there_spoil(p);
    else
        bench_problem_spoil(p);
}

static const char *device_name(const bench_problem *p) { return p->dev ? oplus_device_name(p->dev) : "?"; }

/* Touches all memory, starts threads, compiles kernels, fills scratch.  False: the contender cannot do this. */
static bool first_call(entrant *e, bench_result *r, bench_problem *p, reference *ref, const bench_plan *plan)
{
    settle(p, plan);
    spoil(p);
    p->refused = NULL;
    const double begin = tool_seconds();
    e->is->run(p);
    if (p->refused) {
        tool_warn("%s is left out of %s %s: %s", r->name, bench_primitive_name(p->primitive), bench_type_name(p->type),
                  p->refused);
        return false;
    }
    wait_for(e, p);
    e->first = tool_seconds() - begin;
    r->right = is_right(e->is, p, ref);
    if (!r->right)
        tool_warn("%s: a wrong result: %s of %zu %s, %s", r->name, bench_primitive_name(p->primitive), p->n,
                  bench_type_name(p->type), device_name(p));
    if (p->place != BENCH_CORES) e->first = time_batch(e, p, 1); /* without the time to compile */
    return true;
}

/* Not worth nine more calls: a peer or a loop that is slow, and much slower than the fastest of its class. */
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

/* How many calls fill a batch: computed from the best of further calls, because the first one was cold. */
static size_t calibrate(const entrant *e, bench_problem *p, const bench_plan *plan)
{
    if (e->first > 0.1) return 1;
    double call = INFINITY;
    settle(p, plan);
    rouse(e, p, plan, e->first);
    for (int i = 0; i < 3; i++)
        call = fmin(call, time_batch(e, p, calls_of(p, fmin(call, e->first), plan->batch / 10)));
    return calls_of(p, call, plan->batch);
}

static void tell_peers(const bench_plan *plan, const bench_problem *p, bool begins)
{
    for (size_t i = 0; plan->peers && i < plan->peers->count; i++) {
        const bench_peer *peer = plan->peers->of[i];
        if (bench_peer_place(peer) != p->place) continue;
        if (begins && peer->begin) peer->begin(p);
        if (!begins && peer->end) peer->end();
    }
}

static void warm_up(field *f, bench_problem *p, const bench_plan *plan)
{
    bench_case *const results = f->results;
    reference ref = {0};
    if (p->place != BENCH_CORES) {
        bench_problem_solve(p);
        ref = (reference){true, bench_result_hash(p->host), bench_keys_hash(p->host)};
        results->bytes = bench_problem_bytes(p);
    }
    for (size_t i = 0; i < results->count;) {
        const bool took_part = first_call(&f->entrants[i], &results->of[i], p, &ref, plan);
        if (results->bytes == 0)
            results->bytes = bench_problem_bytes(p); /* the loop, which ran first, has set how many a filter keeps */
        if (took_part)
            i++;
        else
            leave(f, i);
    }
    for (size_t i = 0; i < results->count; i++) {
        entrant *e = &f->entrants[i];
        bench_result *r = &results->of[i];
        e->out = is_far_behind(f, i);
        if (e->out)
            r->time[r->samples++] = e->first;
        else
            e->calls = calibrate(e, p, plan);
    }
}

static void one_round(field *f, bench_problem *p, const bench_plan *plan)
{
    for (size_t i = 0; i < f->results->count; i++) {
        const entrant *e = &f->entrants[i];
        bench_result *r = &f->results->of[i];
        if (e->out) continue;
        settle(p, plan);
        rouse(e, p, plan, e->first);
        const double call = time_batch(e, p, e->calls);
        e->waits[r->samples] = p->place == BENCH_CORES || e->calls == 1 ? call : time_batch(e, p, 1);
        r->time[r->samples++] = call;
    }
}

bench_case bench_measure(bench_problem *p, const bench_plan *plan, const char *where)
{
    bench_case results = {.primitive = p->primitive,
                          .type = p->type,
                          .n = p->n,
                          .threads = p->threads,
                          .device = where,
                          .across = p->place == BENCH_ACROSS};
    field f = {.problem = p, .results = &results};
    memcpy(results.shape, p->shape, sizeof results.shape);
    omp_set_num_threads(p->place == BENCH_CORES ? p->threads : omp_get_num_procs());
    tell_peers(plan, p, true);
    enter_all(&f, plan);
    warm_up(&f, p, plan);
    for (int round = 0; round < plan->rounds; round++) one_round(&f, p, plan);
    for (size_t i = 0; i < results.count; i++) {
        summarise(&results.of[i], &f.entrants[i], p);
        free(f.entrants[i].waits);
    }
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

static double counted(const bench_case *measured, const bench_result *r)
{
    return r->bytes > 0 ? r->bytes : measured->bytes;
}

double bench_rate(const bench_case *measured, const bench_result *result)
{
    return result ? counted(measured, result) / result->median * 1e-9 : 0;
}

/* Limits may move different numbers of bytes, so the rate decides; if there are both a read and a copy, the read
 * counts. */
double bench_limit(const bench_case *measured)
{
    const bool reads = bench_reads_only(measured->primitive);
    double most = 0, least_bytes = INFINITY;
    for (size_t i = 0; i < measured->count; i++) {
        const bench_result *r = &measured->of[i];
        const double bytes = reads ? counted(measured, r) : 0;
        if (r->role != BENCH_LIMIT || bytes > least_bytes) continue;
        most = bytes < least_bytes ? bench_rate(measured, r) : fmax(most, bench_rate(measured, r));
        least_bytes = bytes;
    }
    return most;
}
