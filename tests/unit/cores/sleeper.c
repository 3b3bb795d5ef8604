/* A thread that sleeps (cores/sleeper.h) wakes on another processor than the one that wakes it, and may then run where
 * it could before. */
#define _GNU_SOURCE /* cpu_set_t */
#include "support/laws.h"

#include "cores/sleeper.h"

#include <unistd.h>

static cpu_set_t all, first;

static int read_masks(void **state)
{
    int processor = 0;
    (void)state;
    if (sched_getaffinity(0, sizeof all, &all) != 0) return 1;
    while (!CPU_ISSET(processor, &all)) processor++;
    CPU_ZERO(&first);
    CPU_SET(processor, &first);
    return 0;
}

static void take_one(cpu_set_t *set)
{
    size_t last = CPU_SETSIZE - 1;
    while (!CPU_ISSET(last, set)) last--;
    CPU_CLR(last, set);
}

static int widen(void **state)
{
    (void)state;
    return sched_setaffinity(0, sizeof all, &all);
}

typedef struct sleeping {
    opi_sleeper sleeper;
    atomic_bool lies, reason;
    int woke_on;
    cpu_set_t mask;
} sleeping;

/* Lies down on the first processor. */
static void *sleep_there(void *given)
{
    sleeping *const s = given;
    pthread_setaffinity_np(pthread_self(), sizeof first, &first);
    opi_sleeper_lie_down(&s->sleeper);
    s->lies = true;
    opi_sleeper_sleep(&s->sleeper, s->reason);
    s->woke_on = sched_getcpu();
    pthread_getaffinity_np(pthread_self(), sizeof s->mask, &s->mask);
    return NULL;
}

/* Wakes a thread with that mask from the first processor; returns where it woke. */
static int wake_with(const cpu_set_t *mask)
{
    sleeping s = {.reason = false};
    pthread_t thread;
    opi_sleeper_open(&s.sleeper);
    assert_int_equal(pthread_create(&thread, NULL, sleep_there, &s), 0);
    while (!s.lies) usleep(100);
    usleep(2000); /* until it sleeps indeed, nearly always */
    assert_int_equal(pthread_setaffinity_np(thread, sizeof *mask, mask), 0);
    assert_int_equal(sched_setaffinity(0, sizeof first, &first), 0);
    assert_true(opi_sleeper_is_asleep(&s.sleeper));
    opi_sleeper_wake(&s.sleeper, thread);
    assert_false(opi_sleeper_is_asleep(&s.sleeper));
    opi_sleeper_wake(&s.sleeper, thread); /* does nothing */
    assert_int_equal(pthread_join(thread, NULL), 0);
    opi_sleeper_close(&s.sleeper);
    if (!CPU_EQUAL(&s.mask, mask)) fail_msg("%d processors are left of %d", CPU_COUNT(&s.mask), CPU_COUNT(mask));
    return s.woke_on;
}

static void wakes_elsewhere(void **state)
{
    int elsewhere = 0;
    (void)state;
    if (CPU_COUNT(&all) < 2) skip();
    while (CPU_COUNT(&all) > 4) take_one(&all); /* with more of them it is left to Linux */
    for (int i = 0; i < 20; i++) elsewhere += !CPU_ISSET((size_t)wake_with(&all), &first);
    if (elsewhere < 10) fail_msg("it woke elsewhere %d times of 20", elsewhere); /* Linux may move it once more */
}

static void wakes_there_if_it_must(void **state)
{
    (void)state;
    for (int i = 0; i < 5; i++) assert_true(CPU_ISSET((size_t)wake_with(&first), &first));
}

static void stays_awake(void **state)
{
    sleeping s = {.reason = true};
    pthread_t thread;
    (void)state;
    opi_sleeper_open(&s.sleeper);
    assert_int_equal(pthread_create(&thread, NULL, sleep_there, &s), 0);
    assert_int_equal(pthread_join(thread, NULL), 0); /* nobody wakes it */
    assert_false(opi_sleeper_is_asleep(&s.sleeper));
    opi_sleeper_close(&s.sleeper);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(wakes_elsewhere, widen),
        cmocka_unit_test_teardown(wakes_there_if_it_must, widen),
        cmocka_unit_test(stays_awake),
    };
    return cmocka_run_group_tests_name("sleeper", tests, read_masks, NULL);
}
