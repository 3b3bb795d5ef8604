/* If an operator made of a text breaks a promise, this is found out when it is made, and the answer is kept in the
 * cache. */
#include "support/laws.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static void good(oplus_status status, const char *what)
{
    if (status != OPLUS_OK) fail_msg("%s: %s", what, oplus_last_error());
}

static void checked(const oplus_type *type, const void *identity, unsigned flags, const char *text, const char *found)
{
    oplus_op *op = NULL;
    const oplus_status status = oplus_op_make(NULL, type, identity, flags | OPLUS_CHECK, NULL, text, NULL, &op);
    if (!found) good(status, text);
    if (found && (status != OPLUS_ERR_ARGUMENT || !strstr(oplus_last_error(), found) || op))
        fail_msg("'%s': %d, \"%s\" does not say \"%s\"", text, status, oplus_last_error(), found);
    if (op) assert_int_equal(op->flags, flags);
    oplus_op_free(op);
}

static void all_checked(void)
{
    const int32_t zero = 0;
    const float one = 1;
    checked(&oplus_f64, NULL, 0, "a + b", NULL);
    checked(&oplus_i32, &zero, OPLUS_COMMUTATIVE | OPLUS_EXACT, "a + b", NULL);
    checked(&oplus_f32, NULL, OPLUS_EXACT, "a + b", "not associative to the bit");
    checked(&oplus_f64, NULL, 0, "a - b", "op is not associative: a = 0, b = 0, c = 1");
    checked(&oplus_f32, &one, 0, "a + b", "e = 1 is not the identity");
    checked(&oplus_i64, NULL, OPLUS_COMMUTATIVE, "b", "op is not commutative");
    checked(&oplus_i64, NULL, 0, "a / b", "divides by the integer 0");
    checked(&oplus_i64, NULL, 0, "abort(); return a;", "ends the process by a signal");
}

static size_t texts_kept(void)
{
    oplus_cache_usage usage = {.abi = OPLUS_ABI};
    good(oplus_cache_info(&usage), "cache");
    return usage.texts;
}

/* Seconds of a core that child processes took which have ended. */
static double seconds_of_children(void)
{
    struct rusage used;
    getrusage(RUSAGE_CHILDREN, &used);
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

/* A text that never ends is accepted, because the answer is unknown.  That is kept in the cache only if the check had a
 * core for most of its two seconds: on a busy machine it may have waited, and may be faster another time. */
static void endless_checked(void)
{
    static const char text[] = "while (a == a) ; return b;";
    oplus_op *compiled;
    good(oplus_op_make(NULL, &oplus_i64, NULL, 0, NULL, text, NULL, &compiled), text);
    good(oplus_op_compile(compiled), text); /* by a child process too */
    oplus_op_free(compiled);
    const size_t before = texts_kept();
    const double began = seconds_of_children();
    checked(&oplus_i64, NULL, 0, text, NULL);
    const bool had_a_core = seconds_of_children() - began > 1;
    assert_int_equal(texts_kept(), before + had_a_core);
    if (!had_a_core) printf("not tried whether \"nobody knows\" is kept: the machine is too busy\n");
}

static void checks(void **state)
{
    static char directory[] = "/tmp/oplus-test-XXXXXX";
    char *const before = getenv("OPLUS_CACHE_DIR"), saved[4096];
    (void)state;
    snprintf(saved, sizeof saved, "%s", before ? before : "");
    assert_non_null(mkdtemp(directory));
    setenv("OPLUS_CACHE_DIR", directory, 1);
    all_checked();
    all_checked(); /* the answers are kept */
    assert_int_equal(texts_kept(), 2 * 8);
    endless_checked();
    good(oplus_cache_clear(), "cache");
    setenv("OPLUS_CACHE", "0", 1);
    checked(&oplus_f64, NULL, 0, "a - b", "op is not associative");
    unsetenv("OPLUS_CACHE");
    rmdir(directory);
    before ? setenv("OPLUS_CACHE_DIR", saved, 1) : unsetenv("OPLUS_CACHE_DIR");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(checks)};
    return cmocka_run_group_tests_name("verdict", tests, NULL, NULL);
}
