/* The crew (cores/crew.h): each item once, in order; with late threads, after fork, in many jobs.  And the sweep in
 * order, which uses the crew (cores/in_order.h): other threads do the work of a thread that stands still. */
#define _GNU_SOURCE /* usleep */
#include "support/laws.h"
#include "support/sanitized.h"

#include "base/memory.h"
#include "cores/blocks.h"
#include "cores/crew.h"
#include "cores/in_order.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- jobs --------------------------------------------------------------------------------------------------------- */

enum { ITEMS = 3000, WORKERS = 7 };

typedef struct tally {
    atomic_int done[ITEMS];
    atomic_size_t begun; /* the next item to begin */
    atomic_int inside[WORKERS];
    atomic_bool wrong;
    unsigned late; /* one item of so many sleeps; 0: none */
} tally;

static void count(void *job, size_t worker, size_t item)
{
    tally *const t = job;
    if (worker >= WORKERS || atomic_fetch_add(&t->inside[worker], 1) != 0) t->wrong = true; /* one item at a time */
    atomic_fetch_add(&t->done[item], 1);
    if (t->late && item % t->late == 0) usleep(200);
    atomic_fetch_sub(&t->inside[worker], 1);
}

static void expect_all(tally *t, size_t items)
{
    if (t->wrong) fail_msg("a worker had two items at once");
    for (size_t i = 0; i < ITEMS; i++)
        if (t->done[i] != (i < items)) fail_msg("item %zu of %zu was done %d times", i, items, (int)t->done[i]);
}

static void run_jobs(opi_crew **crew, int jobs, unsigned late)
{
    rng r = test_rng("jobs");
    for (int j = 0; j < jobs; j++) {
        tally *const t = must(calloc(1, sizeof *t));
        const size_t items = rng_below(&r, j % 8 ? 20 : ITEMS);
        t->late = late;
        opi_crew_run(crew, 1 + (int)rng_below(&r, WORKERS), count, t, items);
        expect_all(t, items);
        free(t);
    }
}

static void each_item_once(void **state)
{
    opi_crew *crew = NULL;
    (void)state;
    run_jobs(&crew, test_quick() ? 2000 : 20000, 0);
    run_jobs(&crew, 100, 7);
    opi_crew_close(crew);
    opi_crew_close(NULL);
}

static void sleeping_workers_wake(void **state)
{
    opi_crew *crew = NULL;
    (void)state;
    for (int i = 0; i < 20; i++) {
        usleep(1000); /* longer than threads look for a job */
        run_jobs(&crew, 3, 0);
    }
    opi_crew_close(crew);
}

/* After pauses a short job wakes nobody, nearly always: unless this thread loses its core meanwhile. */
static void short_jobs_wake_nobody(void **state)
{
    opi_crew *crew = NULL;
    int slept = 0;
    (void)state;
    opi_crew_hesitate(crew, true); /* which does nothing */
    run_jobs(&crew, 10, 0);
    for (int i = 0; i < 100; i++) {
        tally *const t = must(calloc(1, sizeof *t));
        for (int ms = 0; ms < 10000 && !opi_crew_sleeps(crew); ms++) usleep(1000);
        usleep(100); /* longer than jobs that follow one another are apart */
        opi_crew_hesitate(crew, true);
        opi_crew_run(&crew, 2, count, t, 5);
        slept += opi_crew_sleeps(crew);
        expect_all(t, 5);
        free(t);
    }
    if (slept < 50) fail_msg("of 100 short jobs %d woke nobody", slept);
    opi_crew_close(crew);
}

typedef struct waiting {
    atomic_int workers[2];
} waiting;

/* Takes time until both workers have had an item. */
static void wait_for_both(void *job, size_t worker, size_t item)
{
    waiting *const w = job;
    (void)item;
    w->workers[worker] = 1;
    if (!w->workers[0] || !w->workers[1]) usleep(100);
}

/* A job that turns out to be long has all workers all the same. */
static void long_jobs_wake_all_in_the_end(void **state)
{
    opi_crew *crew = NULL;
    (void)state;
    run_jobs(&crew, 10, 0);
    for (int i = 0; i < 10; i++) {
        waiting w = {{0}};
        usleep(1000);
        opi_crew_hesitate(crew, true);
        opi_crew_run(&crew, 2, wait_for_both, &w, 100000);
        if (!w.workers[1]) fail_msg("the caller had no help");
    }
    opi_crew_close(crew);
}

static void *use_a_crew(void *unused)
{
    opi_crew *crew = NULL;
    run_jobs(&crew, 500, 0);
    opi_crew_close(crew);
    return unused;
}

static void several_at_once(void **state)
{
    pthread_t user[4];
    (void)state;
    for (int i = 0; i < 4; i++) assert_int_equal(pthread_create(&user[i], NULL, use_a_crew, NULL), 0);
    for (int i = 0; i < 4; i++) assert_int_equal(pthread_join(user[i], NULL), 0);
}

static void after_fork(void **state)
{
    opi_crew *crew = NULL;
    int status;
    (void)state;
    if (THREAD_SANITIZER) { /* it ends a child that starts threads */
        print_message("skipped: ThreadSanitizer allows no threads after fork\n");
        skip();
    }
    run_jobs(&crew, 10, 0);
    const pid_t child = fork();
    if (child == 0) {
        alarm(60); /* ends the child if it waits for threads of its parent */
        run_jobs(&crew, 10, 0);
        opi_crew_close(crew);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) fail_msg("the child's jobs: status %#x", (unsigned)status);
    run_jobs(&crew, 10, 0);
    opi_crew_close(crew);
}

/* --- in order ----------------------------------------------------------------------------------------------------- */

enum { BLOCK = 100, CATCHES = 20 };

/* The exclusive running sums of 1, 2, 3, ...  A block may stand still until another thread has summed it
 * up. */
typedef struct sums {
    opi_sweep sweep;
    uint64_t *x, *out;    /* the same: in place */
    size_t still;         /* the block that stands still, or SIZE_MAX */
    atomic_int at_once;   /* how many blocks were applied without being summed up before */
    atomic_int times;     /* how often it was summed up */
    atomic_bool helped;   /* the first thread saw the second */
    atomic_size_t begun;  /* the blocks before this have begun */
    atomic_size_t caught; /* the block that stands still while it is applied at once; SIZE_MAX: none yet */
} sums;

/* Block b begins. */
static void begin_block(sums *s, size_t b)
{
    size_t before = s->begun;
    while (before <= b && !atomic_compare_exchange_weak(&s->begun, &before, b + 1)) {
    }
}

/* Up to the block that stands still, waits until another thread has the block behind b: a thread that gets two in a row
 * applies the second one at once, and nobody can help it. */
static void let_others_go_on(sums *s, size_t b)
{
    if (s->still == SIZE_MAX) return;
    for (int i = 0; i < 10000 && b < s->still && s->begun <= b + 1; i++) usleep(1000);
}

static void start(const opi_sweep *sweep, size_t at, void *carry)
{
    (void)sweep, (void)at;
    *(uint64_t *)carry = 0;
}

static void stand_still(sums *s)
{
    for (int i = 0; i < 10000 && s->times < 2; i++) usleep(1000);
    s->helped = s->times == 2;
    usleep(20000); /* until the other thread has gone on */
}

static void aggregate(const opi_sweep *sweep, size_t begin, size_t end, void *carry, void *scratch)
{
    sums *const s = (sums *)sweep;
    (void)scratch;
    begin_block(s, begin / BLOCK);
    for (size_t i = begin; i < end; i++) *(uint64_t *)carry += s->x[i];
    if (begin / BLOCK == s->still && atomic_fetch_add(&s->times, 1) == 0) stand_still(s);
    if (begin / BLOCK == s->caught) s->helped = true;
}

static void join(const opi_sweep *sweep, void *left, const void *right)
{
    (void)sweep;
    *(uint64_t *)left += *(const uint64_t *)right;
}

/* One of the first blocks stands still while it is applied at once, until another thread has summed it up. */
static void catch_at_once(sums *s, size_t b)
{
    size_t none = SIZE_MAX;
    if (s->out == s->x || b >= CATCHES || !atomic_compare_exchange_strong(&s->caught, &none, b)) return;
    for (int i = 0; i < 10000 && !s->helped; i++) usleep(1000);
    usleep(20000); /* until the other thread has gone on */
}

static void apply(const opi_sweep *sweep, size_t begin, size_t end, void *carry, const void *total, bool aggregated,
                  void *scratch)
{
    sums *const s = (sums *)sweep;
    uint64_t sum = *(uint64_t *)carry;
    (void)total, (void)scratch;
    if (!aggregated) {
        atomic_fetch_add(&s->at_once, 1);
        catch_at_once(s, begin / BLOCK);
    }
    for (size_t i = begin; i < end; i++) {
        const uint64_t x = s->x[i];
        s->out[i] = sum;
        sum += x;
    }
    *(uint64_t *)carry = sum;
    let_others_go_on(s, begin / BLOCK);
}

static void run_sums(opi_crew **crew, int workers, size_t n, size_t still, bool in_place)
{
    uint64_t *const x = must(malloc(n * sizeof *x)), *const out = in_place ? x : must(malloc(n * sizeof *x));
    sums s = {.sweep = {.n = n,
                        .block = BLOCK,
                        .carry_bytes = sizeof(uint64_t),
                        .replaces = in_place,
                        .start = start,
                        .aggregate = aggregate,
                        .join = join,
                        .apply = apply},
              .x = x,
              .out = out,
              .still = still,
              .caught = SIZE_MAX};
    uint64_t carry = 7;
    char *const scratch = must(opi_alloc((size_t)workers)), *const memory = must(opi_alloc(
                                                                opi_in_order_bytes(&s.sweep, (size_t)workers)));
    for (size_t i = 0; i < n; i++) s.x[i] = i + 1;
    opi_in_order_run(crew, workers, &s.sweep, &carry, scratch, memory);
    for (size_t i = 0; i < n; i++)
        if (out[i] != 7 + (uint64_t)i * (i + 1) / 2)
            fail_msg("%d threads, block %zu still: [%zu] is %llu", workers, still, i, (unsigned long long)out[i]);
    if (carry != 7 + (uint64_t)n * (n + 1) / 2)
        fail_msg("%d threads: the end is %llu", workers, (unsigned long long)carry);
    if (workers == 1 && (size_t)s.at_once < n / BLOCK / 10 * 9) /* all but the first ones of rounds */
        fail_msg("one thread summed up %zu blocks before it applied them", n / BLOCK - (size_t)s.at_once);
    if (still < n / BLOCK && !s.helped) fail_msg("%d threads: nobody helped with block %zu", workers, still);
    if (s.caught != SIZE_MAX && workers > 1 && !s.helped)
        fail_msg("%d threads: nobody helped with block %zu, which was applied at once", workers, (size_t)s.caught);
    if (!in_place) free(out);
    free(x);
    opi_free(scratch);
    opi_free(memory);
}

static void others_do_the_work_of_one_that_stands_still(void **state)
{
    opi_crew *crew = NULL;
    (void)state;
    for (int workers = 2; workers <= WORKERS; workers++)
        for (size_t still = 0; still < 10; still += 3) run_sums(&crew, workers, 40 * BLOCK, still, true);
    opi_crew_close(crew);
}

static void others_do_the_work_of_one_that_stands_still_at_once(void **state)
{
    opi_crew *crew = NULL;
    (void)state;
    for (int workers = 2; workers <= WORKERS; workers++)
        for (int i = 0; i < 5; i++) run_sums(&crew, workers, 40 * BLOCK, SIZE_MAX, false);
    opi_crew_close(crew);
}

/* More blocks than a round has. */
static void many_rounds(void **state)
{
    opi_crew *crew = NULL;
    (void)state;
    for (int workers = 1; workers <= WORKERS; workers += 3) run_sums(&crew, workers, 3000 * BLOCK + 17, SIZE_MAX, true);
    opi_crew_close(crew);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_jobs_wake_nobody),
        cmocka_unit_test(long_jobs_wake_all_in_the_end),
        cmocka_unit_test(each_item_once),
        cmocka_unit_test(sleeping_workers_wake),
        cmocka_unit_test(several_at_once),
        cmocka_unit_test(after_fork),
        cmocka_unit_test(many_rounds),
        cmocka_unit_test(others_do_the_work_of_one_that_stands_still),
        cmocka_unit_test(others_do_the_work_of_one_that_stands_still_at_once),
    };
    return cmocka_run_group_tests_name("crew", tests, NULL, NULL);
}
