/* Where threads cannot start, as under `ulimit -u` or the limit of a container, calls go on with fewer of them, and
 * give the same bits.
 *
 * pthread_create of this program stands before that of the C library. */
#define _GNU_SOURCE /* RTLD_NEXT */
#include "support/laws.h"
#include "support/sanitized.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* --- threads that do not start ------------------------------------------------------------------------------------ */

typedef int create_call(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument);

typedef struct start {
    void *(*run)(void *);
    void *argument;
} start;

static atomic_int living, most = 1000, refused; /* threads that count; how many may live */

static create_call *real_create(void)
{
    void *const address = dlsym(RTLD_NEXT, "pthread_create");
    create_call *call;
    memcpy(&call, &address, sizeof call);
    return call;
}

static void leave(void *unused)
{
    (void)unused;
    living--;
}

/* Some threads end by pthread_exit. */
static void *run_counted(void *given)
{
    const start s = *(start *)given;
    void *result;
    free(given);
    pthread_cleanup_push(leave, NULL);
    result = s.run(s.argument);
    pthread_cleanup_pop(1);
    return result;
}

__attribute__((visibility("default"))) int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                                                          void *(*run)(void *), void *argument)
{
    start *const s = malloc(sizeof *s);
    if (!s || ++living > most) {
        if (s) living--;
        refused++;
        free(s);
        return EAGAIN;
    }
    *s = (start){run, argument};
    const int error = real_create()(thread, attributes, run_counted, s);
    if (error == 0) return 0;
    living--;
    free(s);
    return error;
}

/* --- the calls ---------------------------------------------------------------------------------------------------- */

enum { N = 600011, FEW = 70001, WORKERS = 6 }; /* FEW: fewer blocks than workers */

OPLUS_PREDICATE(is_large, float, { return a > 0.5f; })

typedef struct results {
    float sum, scanned[N], kept[N];
    uint32_t sorted[N];
    size_t count;
} results;

static float x[N];
static results expected, found;

static void run_all(oplus_device *dev, size_t n, results *r)
{
    memset(r, 0, sizeof *r);
    memcpy(r->sorted, x, n * sizeof *x);
    assert_int_equal(oplus_reduce(dev, &oplus_sum_f32, x, n, &r->sum), OPLUS_OK);
    assert_int_equal(oplus_scan(dev, &oplus_sum_f32, OPLUS_INCLUSIVE, x, n, r->scanned), OPLUS_OK);
    assert_int_equal(oplus_filter(dev, &is_large_fn, x, n, r->kept, &r->count), OPLUS_OK);
    assert_int_equal(oplus_sort(dev, &oplus_u32, OPLUS_ASCENDING, r->sorted, n), OPLUS_OK);
}

static void compare(oplus_device *dev, size_t n)
{
    oplus_device *const serial = open_at("serial", NULL);
    run_all(serial, n, &expected);
    run_all(dev, n, &found);
    oplus_close(serial);
    for (size_t i = found.count; i < n; i++) found.kept[i] = expected.kept[i] = 0; /* these elements do not matter */
    if (memcmp(&found, &expected, sizeof found) != 0) fail_msg("other bits with %d threads", (int)living);
}

/* Runs each case in a thread of its own, which does not count. */
static void run_case(void *(*body)(void *), int *argument)
{
    pthread_t thread;
    assert_int_equal(real_create()(&thread, NULL, body, argument), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    most = 1000;
}

/* --- the laws ----------------------------------------------------------------------------------------------------- */

static void *under_limit(void *limit)
{
    oplus_device *const dev = open_at("threads:6", NULL);
    most = living + *(int *)limit;
    refused = 0;
    for (int round = 0; round < 3; round++) compare(dev, N);
    oplus_close(dev);
    return NULL;
}

static void goes_on_with_fewer(void **state)
{
    (void)state;
    for (int limit = 0; limit < WORKERS + 1; limit++) {
        run_case(under_limit, &limit);
        if ((refused > 0) != (limit < WORKERS - 1)) fail_msg("%d threads may start: %d did not", limit, (int)refused);
    }
}

/* Calls that want more threads than the calls before, when few or no threads may start, and later when all may. */
static void *growing(void *limit)
{
    oplus_device *const dev = open_at("threads:6", NULL);
    compare(dev, N);
    compare(dev, FEW);
    most = *(int *)limit;
    compare(dev, N);
    most = 1000;
    compare(dev, N);
    oplus_close(dev);
    return NULL;
}

static void calls_grow(void **state)
{
    (void)state;
    for (int limit = 0; limit < 2 * WORKERS; limit++) run_case(growing, &limit);
}

int main(void)
{
    if (THREAD_SANITIZER) { /* starts threads by a pthread_create of its own, and knows no others */
        print_message("[  SKIPPED ] ThreadSanitizer does not know threads that this test starts\n");
        return 77;
    }
    rng r = test_rng("team");
    for (size_t i = 0; i < N; i++) x[i] = (float)rng_unit(&r);
    const struct CMUnitTest tests[] = {cmocka_unit_test(goes_on_with_fewer), cmocka_unit_test(calls_grow)};
    return cmocka_run_group_tests_name("team", tests, NULL, NULL);
}
