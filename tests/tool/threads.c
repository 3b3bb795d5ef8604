/* tool/threads: if threads cannot start, there are fewer (pthread_create is wrapped: threads.link). */
#include <oplus/oplus.h>

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "threads.h"

static int may_start = 1000;

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument)
{
    if (may_start == 0) return EAGAIN;
    may_start--;
    return __real_pthread_create(thread, attributes, run, argument);
}

static void expect(int wanted, int startable, int threads)
{
    may_start = startable;
    tool_threads_set(wanted);
    assert_int_equal(tool_threads(), threads);
    may_start = 0; /* it is tried once */
    assert_int_equal(tool_threads(), threads);
}

static void test_fewer(void **state)
{
    (void)state;
    assert_int_equal(tool_threads(), 1);
    expect(1, 0, 1);
    expect(0, 0, 1);
    expect(8, 0, 1);
    expect(8, 3, 4);
    expect(8, 7, 8);
    expect(3, 100, 3);
}

static void test_devices(void **state)
{
    (void)state;
    oplus_device *dev;
    may_start = 1000;
    assert_int_equal(oplus_open("threads:3", &dev), OPLUS_OK);
    tool_threads_as(dev);
    assert_int_equal(tool_threads(), 3);
    oplus_close(dev);
    assert_int_equal(oplus_open("serial", &dev), OPLUS_OK);
    tool_threads_as(dev);
    assert_int_equal(tool_threads(), 1);
    oplus_close(dev);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_fewer), cmocka_unit_test(test_devices)};
    return cmocka_run_group_tests_name("tool/threads", tests, NULL, NULL);
}
