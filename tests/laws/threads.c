/* Threads: the same bits for 1 .. 17 of them, inside a parallel region, from several threads of the program at once;
 * and what OMP_NUM_THREADS says. */
#include "support/laws.h"
#include "support/sanitized.h"

#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 400009 };

/* The results of one call of everything that threads can disturb, for comparison. */
typedef struct results {
    affine32 *scan, sum;
    float *segscan, *segsums;
    uint32_t *sorted, *kept;
    size_t kept_count;
} results;

static affine32 *x;
static float *floats;
static uint32_t *numbers;
static uint8_t *heads;
static uint32_t offsets[101];

OPLUS_PREDICATE(mixed_bits, uint32_t, { return (a * 2654435761u) >> 31; })

static results room_for_results(void)
{
    return (results){.scan = must(malloc(N * sizeof(affine32))),
                     .segscan = must(malloc(N * sizeof(float))),
                     .segsums = must(malloc(100 * sizeof(float))),
                     .sorted = must(malloc(N * sizeof(uint32_t))),
                     .kept = must(malloc(N * sizeof(uint32_t)))};
}

static void free_results(results *r)
{
    free(r->scan);
    free(r->segscan);
    free(r->segsums);
    free(r->sorted);
    free(r->kept);
}

/* Returns NULL, or which call failed. */
static const char *compute(oplus_device *dev, results *r)
{
    const oplus_op *const compose = subject_named("compose32")->op;
    memcpy(r->sorted, numbers, N * sizeof *numbers);
    if (oplus_scan(dev, compose, OPLUS_INCLUSIVE, x, N, r->scan) != OPLUS_OK) return "scan";
    if (oplus_reduce(dev, compose, x, N, &r->sum) != OPLUS_OK) return "reduce";
    if (oplus_segscan(dev, &oplus_sum_f32, OPLUS_EXCLUSIVE, floats, heads, N, r->segscan) != OPLUS_OK) return "segscan";
    if (oplus_segreduce(dev, &oplus_sum_f32, floats, N, &oplus_u32, offsets, 100, r->segsums) != OPLUS_OK)
        return "segreduce";
    if (oplus_sort(dev, &oplus_u32, OPLUS_ASCENDING, r->sorted, N) != OPLUS_OK) return "sort";
    if (oplus_filter(dev, &mixed_bits_fn, numbers, N, r->kept, &r->kept_count) != OPLUS_OK) return "filter";
    return NULL;
}

/* Returns NULL, or what differs. */
static const char *difference(const results *a, const results *b)
{
    if (memcmp(a->scan, b->scan, N * sizeof *x) != 0) return "scan";
    if (memcmp(&a->sum, &b->sum, sizeof a->sum) != 0) return "reduce";
    if (memcmp(a->segscan, b->segscan, N * sizeof(float)) != 0) return "segscan";
    if (memcmp(a->segsums, b->segsums, 100 * sizeof(float)) != 0) return "segreduce";
    if (memcmp(a->sorted, b->sorted, N * sizeof *numbers) != 0) return "sort";
    if (a->kept_count != b->kept_count) return "filter's number";
    if (memcmp(a->kept, b->kept, a->kept_count * sizeof *numbers) != 0) return "filter";
    return NULL;
}

static results expected; /* serial */

static int make_problem(void **state)
{
    rng r = test_rng("threads");
    oplus_device *dev = open_at("serial", NULL);
    (void)state;
    x = must(malloc(N * sizeof *x));
    floats = must(malloc(N * sizeof *floats));
    numbers = must(malloc(N * sizeof *numbers));
    heads = must(calloc(N, 1));
    for (size_t i = 0; i < N; i++) {
        subject_named("compose32")->random(&r, &x[i]);
        floats[i] = (float)rng_unit(&r);
        numbers[i] = (uint32_t)rng_next(&r);
        heads[i] = rng_below(&r, 5000) == 0;
    }
    for (size_t s = 1; s < 100; s++) offsets[s] = offsets[s - 1] + (uint32_t)rng_below(&r, N / 100);
    offsets[100] = N;
    expected = room_for_results();
    const char *const failed = compute(dev, &expected);
    oplus_close(dev);
    if (failed != NULL) printf("%s: %s\n", failed, oplus_last_error());
    return failed != NULL;
}

static int free_problem(void **state)
{
    (void)state;
    free_results(&expected);
    free(x);
    free(floats);
    free(numbers);
    free(heads);
    return 0;
}

/* Returns NULL, or what went wrong on a device of that name, which is used `times` times. */
static const char *wrong_on(const char *where, int times)
{
    oplus_device *dev;
    if (oplus_open(where, &dev) != OPLUS_OK) return "open";
    results r = room_for_results();
    const char *wrong = NULL;
    for (int i = 0; i < times && wrong == NULL; i++) {
        wrong = compute(dev, &r);
        if (wrong == NULL) wrong = difference(&r, &expected);
    }
    free_results(&r);
    oplus_close(dev);
    return wrong;
}

/* --- the laws */

static void any_number_of_threads(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 17; threads++) {
        char where[32];
        snprintf(where, sizeof where, "threads:%d", threads);
        const char *const wrong = wrong_on(where, test_quick() ? 1 : 5);
        if (wrong != NULL) fail_msg("%s: %s differs from serial", where, wrong);
        snprintf(where, sizeof where, "openmp:%d", threads);
        const char *const openmp = wrong_on(where, 1);
        if (openmp != NULL) fail_msg("%s: %s differs from serial", where, openmp);
    }
}

static void inside_a_parallel_region(void **state)
{
    const char *wrong[4] = {NULL};
    int teams = 0;
    (void)state;
#pragma omp parallel num_threads(4)
    {
        wrong[omp_get_thread_num()] = wrong_on(omp_get_thread_num() % 2 ? "threads:3" : "threads", 2);
#pragma omp atomic
        teams++;
    }
    assert_true(teams >= 1);
    for (int i = 0; i < 4; i++)
        if (wrong[i] != NULL) fail_msg("thread %d of a parallel region: %s differs", i, wrong[i]);
}

/* With nested parallelism allowed, too. */
static void inside_nested_regions(void **state)
{
    const int levels = omp_get_max_active_levels();
    (void)state;
    omp_set_max_active_levels(3);
    inside_a_parallel_region(state);
    omp_set_max_active_levels(levels);
}

/* A child process has the handles of its parent, and none of the parent's threads. */
static void fork_with(const char *where, const char *anew)
{
    oplus_device *dev, *another = NULL;
    results r = room_for_results();
    int status;
    assert_int_equal(oplus_open(where, &dev), OPLUS_OK);
    assert_null(compute(dev, &r));
    const pid_t child = fork();
    if (child == 0) {
        alarm(60); /* ends the child if it waits for threads of its parent */
        bool good = compute(dev, &r) == NULL && difference(&r, &expected) == NULL;
        good = good && oplus_open(anew, &another) == OPLUS_OK && compute(another, &r) == NULL &&
               difference(&r, &expected) == NULL;
        oplus_close(another);
        oplus_close(dev);
        _exit(good ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) fail_msg("%s: the child: status %#x", where, (unsigned)status);
    assert_null(compute(dev, &r));
    if (difference(&r, &expected) != NULL) fail_msg("after fork %s differs in the parent", difference(&r, &expected));
    oplus_close(dev);
    free_results(&r);
}

static void after_fork(void **state)
{
    (void)state;
    if (THREAD_SANITIZER) { /* it ends a child that starts threads */
        print_message("skipped: ThreadSanitizer allows no threads after fork\n");
        skip();
    }
    fork_with("threads:3", "threads:2");
    fork_with("openmp:3", "openmp:2");
    fork_with("threads:2", "openmp:2");
}

static void *use_a_device(void *where) { return (void *)wrong_on(where, test_quick() ? 2 : 4); }

static void several_devices_at_once(void **state)
{
    static char *const where[] = {"threads:2", "openmp:3", "threads:3", "openmp:2"};
    enum { USERS = sizeof where / sizeof *where };
    pthread_t users[USERS];
    (void)state;
    for (int i = 0; i < USERS; i++) assert_int_equal(pthread_create(&users[i], NULL, use_a_device, where[i]), 0);
    for (int i = 0; i < USERS; i++) {
        void *wrong;
        assert_int_equal(pthread_join(users[i], &wrong), 0);
        if (wrong != NULL) fail_msg("user %d of %s: %s differs", i, where[i], (char *)wrong);
    }
}

/* --- each thread has its own words of failure */

static void *fail_elsewhere(void *state)
{
    (void)state;
    (void)oplus_sync(NULL);
    return strstr(oplus_last_error(), "oplus_sync") != NULL ? NULL : "no message";
}

static void errors_belong_to_a_thread(void **state)
{
    pthread_t other;
    void *wrong;
    (void)state;
    assert_int_equal(oplus_trim(NULL), OPLUS_ERR_ARGUMENT);
    assert_int_equal(pthread_create(&other, NULL, fail_elsewhere, NULL), 0);
    assert_int_equal(pthread_join(other, &wrong), 0);
    assert_null(wrong);
    assert_non_null(strstr(oplus_last_error(), "oplus_trim"));
}

/* --- OMP_NUM_THREADS is read when a program starts */

static int print_name(const char *where)
{
    oplus_device *dev;
    if (oplus_open(where, &dev) != OPLUS_OK) return 1;
    printf("%s\n", oplus_device_name(dev));
    oplus_close(dev);
    return 0;
}

static const char *program;

static void expect_name(const char *threads, const char *where, const char *name)
{
    char command[4096], line[256] = "";
    snprintf(command, sizeof command, "OMP_NUM_THREADS=%s '%s' --name %s", threads, program, where);
    FILE *const child = popen(command, "r");
    assert_non_null(child);
    const char *const read = fgets(line, sizeof line, child);
    assert_int_equal(pclose(child), 0);
    if (read == NULL || strncmp(line, name, strlen(name)) != 0)
        fail_msg("OMP_NUM_THREADS=%s: %s is \"%s\", not \"%s\"", threads, where, line, name);
}

static void as_many_as_the_environment_says(void **state)
{
    (void)state;
    expect_name("3", "threads", "threads:3 ");
    expect_name("5", "auto", "threads:5 ");
    expect_name("3", "threads:6", "threads:6 ");
    expect_name("1", "threads", "serial ");
    expect_name("4", "openmp", "openmp:4 ");
    expect_name("4", "openmp:5", "openmp:5 ");
    expect_name("1", "openmp", "serial ");
    expect_name("3", "serial", "serial ");
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number_of_threads),           cmocka_unit_test(inside_a_parallel_region),
        cmocka_unit_test(inside_nested_regions),           cmocka_unit_test(after_fork),
        cmocka_unit_test(several_devices_at_once),         cmocka_unit_test(errors_belong_to_a_thread),
        cmocka_unit_test(as_many_as_the_environment_says),
    };
    if (count == 3 && strcmp(arguments[1], "--name") == 0) return print_name(arguments[2]);
    program = arguments[0];
    test_seed();
    return cmocka_run_group_tests_name("threads", tests, make_problem, free_problem);
}
