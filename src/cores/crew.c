#define _GNU_SOURCE /* cpu_set_t in cores/sleeper.h */
#include "cores/crew.h"

#include "base/fpenv.h"
#include "base/memory.h"
#include "cores/sleeper.h"
#include "cores/spawn.h"

#include <omp.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    SPIN_NS = 20000,       /* looking for the next job, or for the last item's end, before sleeping */
    HESITATION_NS = 20000, /* of a short job's caller, before it wakes threads that sleep */
    RELAXATIONS = 16       /* between two looks at the clock */
};

/* The state of a crew in one word, so that a worker enters a job and the caller closes it in one step each:
 * 16 bits: workers inside; 15 bits: how many may enter, the caller counted; 1 bit: open; 32 bits: the job's number. */
enum { WANTED_SHIFT = 16, OPEN_SHIFT = 31, JOB_SHIFT = 32 };
static const uint64_t inside_mask = 0xffff, wanted_mask = 0x7fff, open_bit = (uint64_t)1 << OPEN_SHIFT;

/* A thread of the crew. */
typedef struct worker {
    _Alignas(OPI_CACHE_LINE) opi_crew *crew;
    size_t index; /* from 1 */
    pthread_t thread;
    opi_sleeper sleeper; /* while there is no job */
} worker;

struct opi_crew {
    _Alignas(OPI_CACHE_LINE) atomic_uint_least64_t state;
    _Alignas(OPI_CACHE_LINE) atomic_size_t next;  /* item to be claimed */
    _Alignas(OPI_CACHE_LINE) atomic_size_t awake; /* workers with a lower index are awake, or have been woken */
    _Alignas(OPI_CACHE_LINE) opi_crew_item *item; /* the job: written while it is closed */
    void *job;
    size_t items;
    bool is_short;                  /* the next job, as far as the caller knows */
    unsigned long long short_ended; /* when the last short job ended */
    atomic_bool caller_asleep, ending;
    sem_t all_out;
    unsigned generation; /* of the process that started the threads */
    bool openmp;         /* OpenMP's threads work: only this, `generation` and `next` are used */
    size_t started, room;
    worker *workers; /* [room], of which `started` live; workers[0] is not used */
};

/* --- time --------------------------------------------------------------------------------------------------------- */

void opi_crew_relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

unsigned long long opi_crew_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (unsigned long long)t.tv_sec * 1000000000u + (unsigned long long)t.tv_nsec;
}

static void relax_some(void)
{
    for (int i = 0; i < RELAXATIONS; i++) opi_crew_relax();
}

/* --- sleeping and waking ------------------------------------------------------------------------------------------ */

static void wake(worker *w) { opi_sleeper_wake(&w->sleeper, w->thread); }

/* Is there a job that this worker may enter, and has not been in? */
static bool is_open(uint64_t state, size_t index, uint32_t seen)
{
    return (state & open_bit) && (state >> WANTED_SHIFT & wanted_mask) > index &&
           (uint32_t)(state >> JOB_SHIFT) != seen;
}

static bool has_reason(const worker *w, uint32_t seen)
{
    return is_open(atomic_load(&w->crew->state), w->index, seen) || atomic_load(&w->crew->ending);
}

static void await_job(worker *w, uint32_t seen)
{
    for (const unsigned long long begun = opi_crew_now(); opi_crew_now() - begun < SPIN_NS; relax_some())
        if (has_reason(w, seen)) return;
    opi_sleeper_lie_down(&w->sleeper);
    opi_sleeper_sleep(&w->sleeper, has_reason(w, seen));
}

/* As long as there are items, more workers are woken: so all are awake after a few steps, and a short job wakes
 * none. */
static void wake_some(opi_crew *crew, size_t wanted, int some)
{
    for (int i = 0; i < some; i++) {
        if (atomic_load_explicit(&crew->awake, memory_order_relaxed) >= wanted) return;
        const size_t next = atomic_fetch_add(&crew->awake, 1);
        if (next < wanted) wake(&crew->workers[next]);
    }
}

/* --- working ------------------------------------------------------------------------------------------------------ */

/* Returns the number of the next item, which is then this worker's. */
static size_t claim(opi_crew *crew) { return atomic_fetch_add_explicit(&crew->next, 1, memory_order_relaxed); }

/* Does items until it is time to wake others. */
static void work_alone(opi_crew *crew, unsigned long long until)
{
    for (size_t i; opi_crew_now() < until && (i = claim(crew)) < crew->items;) crew->item(crew->job, 0, i);
}

static void work(opi_crew *crew, size_t index, size_t wanted)
{
    enum { AT_ENTRY = 2, AT_ITEM = 1 };
    const size_t items = crew->items;
    if (atomic_load_explicit(&crew->next, memory_order_relaxed) + 1 < items) wake_some(crew, wanted, AT_ENTRY);
    for (size_t i; (i = claim(crew)) < items;) {
        crew->item(crew->job, index, i);
        if (i + 1 < items) wake_some(crew, wanted, AT_ITEM);
    }
}

/* Enters the job; false: it is over, or not for this worker. */
static bool enter(opi_crew *crew, size_t index, uint32_t *seen)
{
    uint64_t state = atomic_load(&crew->state);
    do {
        if (!is_open(state, index, *seen)) return false;
    } while (!atomic_compare_exchange_weak(&crew->state, &state, state + 1));
    *seen = (uint32_t)(state >> JOB_SHIFT);
    return true;
}

static void leave(opi_crew *crew)
{
    const uint64_t state = atomic_fetch_sub(&crew->state, 1) - 1;
    if (!(state & open_bit) && (state & inside_mask) == 0 && atomic_exchange(&crew->caller_asleep, false))
        sem_post(&crew->all_out);
}

static void *live(void *given)
{
    worker *const w = given;
    opi_crew *const crew = w->crew;
    uint32_t seen = 0; /* no job has that number */
    opi_fpenv_enter();
    while (!atomic_load(&crew->ending)) {
        if (enter(crew, w->index, &seen)) {
            work(crew, w->index, atomic_load(&crew->state) >> WANTED_SHIFT & wanted_mask);
            leave(crew);
        } else {
            await_job(w, seen);
        }
    }
    return NULL;
}

/* --- starting and ending ------------------------------------------------------------------------------------------ */

static atomic_uint generation;
static void count_fork(void) { atomic_fetch_add(&generation, 1); }
static void watch_forks(void) { pthread_atfork(NULL, NULL, count_fork); }

static opi_crew *open_crew(size_t workers)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_forks);
    opi_crew *const crew = opi_alloc(opi_round_up(sizeof *crew, OPI_CACHE_LINE) + workers * sizeof(worker));
    if (!crew) return NULL;
    memset(crew, 0, sizeof *crew);
    crew->workers = (worker *)((char *)crew + opi_round_up(sizeof *crew, OPI_CACHE_LINE));
    crew->room = workers;
    crew->started = 1; /* the caller */
    crew->generation = atomic_load(&generation);
    sem_init(&crew->all_out, 0, 0);
    return crew;
}

opi_crew *opi_crew_of_openmp(void)
{
    opi_crew *const crew = open_crew(0);
    if (crew) crew->openmp = true;
    return crew;
}

/* Returns how many threads there are, this one counted. */
static size_t start_threads(opi_crew *crew, size_t wanted)
{
    for (; crew->started < wanted; crew->started++) {
        worker *const w = &crew->workers[crew->started];
        *w = (worker){.crew = crew, .index = crew->started};
        opi_sleeper_open(&w->sleeper);
        if (opi_spawn(&w->thread, live, w)) continue;
        opi_sleeper_close(&w->sleeper);
        break;
    }
    return crew->started < wanted ? crew->started : wanted;
}

static bool is_of_parent(const opi_crew *crew) { return crew->generation != atomic_load(&generation); }

void opi_crew_close(opi_crew *crew)
{
    if (!crew) return;
    const bool mine = !is_of_parent(crew);
    atomic_store(&crew->ending, true);
    for (size_t i = 1; mine && i < crew->started; i++) wake(&crew->workers[i]);
    for (size_t i = 1; mine && i < crew->started; i++) {
        pthread_join(crew->workers[i].thread, NULL);
        opi_sleeper_close(&crew->workers[i].sleeper);
    }
    if (mine) sem_destroy(&crew->all_out);
    opi_free(crew);
}

/* --- a job -------------------------------------------------------------------------------------------------------- */

static bool anybody_inside(opi_crew *crew) { return (atomic_load(&crew->state) & inside_mask) != 0; }

static void open_job(opi_crew *crew, size_t wanted, opi_crew_item *item, void *job, size_t items)
{
    crew->item = item;
    crew->job = job;
    crew->items = items;
    atomic_store_explicit(&crew->next, 0, memory_order_relaxed);
    atomic_store_explicit(&crew->awake, 1, memory_order_relaxed);
    uint32_t number = (uint32_t)(atomic_load(&crew->state) >> JOB_SHIFT) + 1;
    if (number == 0) number = 1;
    atomic_store(&crew->state, (uint64_t)number << JOB_SHIFT | open_bit | (uint64_t)wanted << WANTED_SHIFT);
}

/* Nobody enters any more; waits for those inside. */
static void close_job(opi_crew *crew)
{
    atomic_fetch_and(&crew->state, ~open_bit);
    for (const unsigned long long begun = opi_crew_now(); anybody_inside(crew); relax_some())
        if (opi_crew_now() - begun >= SPIN_NS) break;
    while (anybody_inside(crew)) {
        atomic_store(&crew->caller_asleep, true);
        if (!anybody_inside(crew) && atomic_exchange(&crew->caller_asleep, false)) return;
        while (sem_wait(&crew->all_out) != 0) {
        } /* a signal's handler may interrupt it */
    }
}

static void do_alone(opi_crew_item *item, void *job, size_t items)
{
    for (size_t i = 0; i < items; i++) item(job, 0, i);
}

/* OpenMP's threads live in the process that first used them: in its children a region would wait for them for ever. */
static bool has_regions(void)
{
    static atomic_uint first; /* generation, and 1 */
    const unsigned now = atomic_load(&generation) + 1;
    unsigned none = 0;
    return atomic_compare_exchange_strong(&first, &none, now) || none == now;
}

static void do_in_region(opi_crew *crew, size_t wanted, opi_crew_item *item, void *job, size_t items)
{
    if (wanted < 2 || !has_regions()) {
        do_alone(item, job, items);
        return;
    }
    atomic_store_explicit(&crew->next, 0, memory_order_relaxed);
#pragma omp parallel num_threads((int)wanted)
    {
        OPI_OWN_MODE; /* the threads are the program's */
        const size_t worker = (size_t)omp_get_thread_num();
        for (size_t i; (i = claim(crew)) < items;) item(job, worker, i);
    }
}

bool opi_crew_sleeps(const opi_crew *crew)
{
    return !crew->openmp && (crew->started < 2 || opi_sleeper_is_asleep(&crew->workers[1].sleeper));
}

void opi_crew_hesitate(opi_crew *crew, bool is_short)
{
    if (crew) crew->is_short = is_short;
}

static void do_together(opi_crew *crew, size_t wanted, opi_crew_item *item, void *job, size_t items)
{
    const bool is_short = crew->is_short;
    crew->is_short = false;
    open_job(crew, wanted, item, job, items);
    if (is_short && opi_crew_sleeps(crew)) {
        const unsigned long long now = opi_crew_now();
        if (now - crew->short_ended >= SPIN_NS) work_alone(crew, now + HESITATION_NS);
    }
    work(crew, 0, wanted);
    close_job(crew);
    if (is_short) crew->short_ended = opi_crew_now();
}

bool opi_crew_reserve(opi_crew **crew, int workers)
{
    if (*crew && (*crew)->openmp) return true;
    if (*crew && (is_of_parent(*crew) || (*crew)->room < (size_t)workers)) {
        opi_crew_close(*crew);
        *crew = NULL;
    }
    if (!*crew) *crew = open_crew((size_t)workers);
    return *crew != NULL;
}

void opi_crew_run(opi_crew **crew, int workers, opi_crew_item *item, void *job, size_t items)
{
    size_t wanted = (size_t)workers < items ? (size_t)workers : items;
    if (wanted > wanted_mask) wanted = wanted_mask;
    if (*crew && (*crew)->openmp) {
        do_in_region(*crew, wanted, item, job, items);
        return;
    }
    if (wanted > 1) wanted = opi_crew_reserve(crew, workers) ? start_threads(*crew, wanted) : 1;
    if (wanted < 2) {
        do_alone(item, job, items);
        return;
    }
    do_together(*crew, wanted, item, job, items);
}
