/* How many processors there are (cores/processors.h) while the affinity mask and the quota change; and that so many
 * threads take part in a call, with the same bits. */
#define _GNU_SOURCE /* sched_setaffinity */
#include "support/laws.h"

#include "cores/count.h"
#include "cores/processors.h"

#include <dirent.h>
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LARGE = 64 << 20 };

/* --- the mask ----------------------------------------------------------------------------------------------------- */

static cpu_set_t all;

/* Allows this thread only the first of its processors. */
static void narrow(void)
{
    cpu_set_t one;
    int first = 0;
    while (!CPU_ISSET(first, &all)) first++;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
}

static int widen(void **state)
{
    (void)state;
    return sched_setaffinity(0, sizeof all, &all);
}

static int read_mask(void **state)
{
    (void)state;
    return sched_getaffinity(0, sizeof all, &all);
}

static void wait_for_a_look(void) { usleep(11000); }

static opi_processors opened(const char *every)
{
    opi_processors p;
    setenv("OPLUS_ALL_THREADS", every, 1);
    opi_processors_open(&p);
    unsetenv("OPLUS_ALL_THREADS");
    return p;
}

static void a_mask_changes(void **state)
{
    opi_processors p = opened("0");
    (void)state;
    p.root = "/nowhere";
    assert_int_equal(opi_processors_now(&p, 1000), OPI_MOST_THREADS); /* a small call does not look */
    assert_int_equal(opi_processors_now(&p, LARGE), omp_get_num_procs());
    narrow();
    wait_for_a_look();
    if (omp_get_num_procs() != 1) skip(); /* an OpenMP that reads the mask only once */
    assert_int_equal(opi_processors_now(&p, LARGE), 1);
    assert_int_equal(widen(state), 0);
    wait_for_a_look();
    assert_int_equal(opi_processors_now(&p, 1000), 1);
    assert_int_equal(opi_processors_now(&p, LARGE), omp_get_num_procs());
}

static void tests_have_them_all(void **state)
{
    opi_processors p = opened("1");
    (void)state;
    narrow();
    assert_in_range(opi_processors_now(&p, LARGE), OPI_MOST_THREADS, SIZE_MAX);
    assert_int_equal(widen(state), 0);
}

/* --- the quota ---------------------------------------------------------------------------------------------------- */

static char root[] = "/tmp/oplus-processors-XXXXXX";

static void put(const char *name, const char *content)
{
    char path[64];
    snprintf(path, sizeof path, "%s/%s", root, name);
    FILE *const file = must(fopen(path, "w"));
    fputs(content, file);
    fclose(file);
}

static void a_quota_changes(void **state)
{
    char process[64], command[64];
    opi_processors p = opened("0");
    (void)state;
    assert_non_null(mkdtemp(root));
    snprintf(process, sizeof process, "%s/process", root);
    p.process = process;
    p.root = root;
    put("process", "0::/\n");
    put("cpu.max", "50000 100000\n"); /* half a processor */
    assert_int_equal(opi_processors_now(&p, LARGE), 1);
    put("cpu.max", "max 100000\n");
    assert_int_equal(opi_processors_now(&p, LARGE), 1); /* it was looked at a moment ago */
    p.quota_at -= 1000000000;
    assert_int_equal(opi_processors_now(&p, 1 << 20), 1); /* not before a call that takes less time than the look */
    assert_int_equal(opi_processors_now(&p, LARGE), omp_get_num_procs());
    snprintf(command, sizeof command, "rm -r '%s'", root);
    assert_int_equal(system(command), 0);
}

/* --- a device ----------------------------------------------------------------------------------------------------- */

enum { N = 3000000, THREADS = 9 };

static int threads_now(void)
{
    int count = 0;
    DIR *const tasks = must(opendir("/proc/self/task"));
    for (const struct dirent *e; (e = readdir(tasks)) != NULL;) count += e->d_name[0] != '.';
    closedir(tasks);
    return count;
}

/* A thread that has been joined may be seen for a moment. */
static int living(void)
{
    int count = threads_now();
    for (int before = -1; count != before; count = threads_now()) {
        before = count;
        usleep(5000);
    }
    return count;
}

static void scan_on(oplus_device *dev, const float *x, const float *expected, float *out)
{
    memset(out, 0, N * sizeof *out);
    assert_int_equal(oplus_scan(dev, &oplus_sum_f32, OPLUS_INCLUSIVE, x, N, out), OPLUS_OK);
    if (memcmp(out, expected, N * sizeof *out) != 0) fail_msg("other bits with %d threads alive", living());
}

static oplus_device *open_with(const char *every)
{
    setenv("OPLUS_ALL_THREADS", every, 1);
    oplus_device *const dev = open_at("threads:9", NULL);
    unsetenv("OPLUS_ALL_THREADS");
    return dev;
}

static void expect_threads(oplus_device *dev, const char *words)
{
    char text[2048] = "";
    static float x[N];
    assert_int_equal(oplus_explain(dev, text, sizeof text), OPLUS_OK);
    assert_int_equal(oplus_scan(dev, &oplus_sum_f32, OPLUS_INCLUSIVE, x, N, x), OPLUS_OK);
    assert_int_equal(oplus_explain(dev, NULL, 0), OPLUS_OK);
    if (!strstr(text, words)) fail_msg("\"%s\" is not in:\n%s", words, text);
}

static void *do_nothing(void *unused) { return unused; }

/* A sanitizer has a thread of its own, which the first thread of the program brings. */
static void start_what_threads_need(void)
{
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, do_nothing, NULL), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
}

static void no_more_threads_than_processors(void **state)
{
    rng r = test_rng("processors");
    float *const x = must(malloc(N * sizeof *x)), *const expected = must(malloc(N * sizeof *x)),
                 *const out = must(malloc(N * sizeof *x));
    const int processors = omp_get_num_procs();
    (void)state;
    for (size_t i = 0; i < N; i++) x[i] = (float)rng_unit(&r);
    oplus_device *const serial = open_at("serial", NULL), *const dev = open_with("0");
    assert_int_equal(oplus_scan(serial, &oplus_sum_f32, OPLUS_INCLUSIVE, x, N, expected), OPLUS_OK);
    start_what_threads_need();
    const int before = living();
    narrow();
    scan_on(dev, x, expected, out);
    if (omp_get_num_procs() == 1) {
        assert_int_equal(living(), before);
        expect_threads(dev, "why not more threads: there is one processor for this process\n");
    }
    assert_int_equal(widen(state), 0);
    wait_for_a_look();
    scan_on(dev, x, expected, out);
    assert_in_range(living(), before, before + processors - 1);
    if (processors > 1 && processors < THREADS) expect_threads(dev, "why not 9 threads: there are ");
    narrow();
    wait_for_a_look();
    scan_on(dev, x, expected, out);
    assert_int_equal(widen(state), 0);
    oplus_close(dev);

    oplus_device *const every = open_with("1");
    scan_on(every, x, expected, out);
    assert_int_equal(living(), before + THREADS - 1);
    expect_threads(every, "on 9 threads\n");
    oplus_close(every);
    oplus_close(serial);
    free(x);
    free(expected);
    free(out);
}

/* --- a program whose threads OpenMP binds ------------------------------------------------------------------------- */

/* How many threads of this process may use more than one processor. */
static int unbound(void)
{
    int count = 0;
    DIR *const tasks = must(opendir("/proc/self/task"));
    for (const struct dirent *e; (e = readdir(tasks)) != NULL;) {
        cpu_set_t mask;
        if (e->d_name[0] == '.' || sched_getaffinity(atoi(e->d_name), sizeof mask, &mask) != 0) continue;
        count += CPU_COUNT(&mask) > 1;
    }
    closedir(tasks);
    return count;
}

/* The exit code of a program that OpenMP binds: 0 if its first thread is bound, and two others are not, after a while:
 * a thread that has been woken has a narrower mask until it runs (cores/sleeper.h). */
static int use_threads(void)
{
    static float x[N];
    float sum;
    oplus_device *dev;
    if (unbound() != 0) return 2;
    if (oplus_open("threads:3", &dev) != OPLUS_OK) return 1;
    if (oplus_reduce(dev, &oplus_sum_f32, x, N, &sum) != OPLUS_OK) return 1;
    for (int ms = 0; ms < 10000 && unbound() != 2; ms++) usleep(1000);
    const int threads = unbound();
    oplus_close(dev);
    return threads == 2 ? 0 : 3;
}

static const char *program;

/* OpenMP binds the first thread; the others may run wherever the program may. */
static void threads_are_not_bound_with_their_caller(void **state)
{
    char command[4096];
    (void)state;
    if (CPU_COUNT(&all) < 2) skip();
    snprintf(command, sizeof command, "OMP_PLACES=threads OMP_PROC_BIND=true '%s' --bound", program);
    const int ended = system(command), code = WIFEXITED(ended) ? WEXITSTATUS(ended) : -1;
    if (code == 2) skip(); /* an OpenMP that binds only when a region begins */
    if (code != 0) fail_msg("exit code %d", code);
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_mask_changes, widen),
        cmocka_unit_test_teardown(tests_have_them_all, widen),
        cmocka_unit_test(a_quota_changes),
        cmocka_unit_test_teardown(no_more_threads_than_processors, widen),
        cmocka_unit_test(threads_are_not_bound_with_their_caller),
    };
    if (count == 2 && strcmp(arguments[1], "--bound") == 0) return use_threads();
    program = arguments[0];
    return cmocka_run_group_tests_name("processors", tests, read_mask, NULL);
}
