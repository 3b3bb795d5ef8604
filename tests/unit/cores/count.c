/* The cores that control groups allow (cores/count.h), read from files as Linux has them. */
#include "support/laws.h"

#include "cores/count.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[] = "/tmp/oplus-count-XXXXXX";

/* Writes a file below the root, and its directories; NULL: does nothing. */
static void put(const char *path, const char *content)
{
    char whole[512];
    snprintf(whole, sizeof whole, "%s/%s", root, path);
    for (char *slash = whole + strlen(root); (slash = strchr(slash + 1, '/'));) {
        *slash = '\0';
        mkdir(whole, 0700);
        *slash = '/';
    }
    FILE *const file = must(fopen(whole, "w"));
    fputs(content, file);
    fclose(file);
}

static int make_root(void **state)
{
    (void)state;
    strcpy(root + strlen(root) - 6, "XXXXXX");
    return mkdtemp(root) == NULL;
}

static int remove_root(void **state)
{
    char command[512];
    (void)state;
    snprintf(command, sizeof command, "rm -r '%s'", root);
    return system(command);
}

static double quota(void)
{
    char process[512], groups[512];
    snprintf(process, sizeof process, "%s/process", root);
    snprintf(groups, sizeof groups, "%s/groups", root);
    return opi_cores_quota(process, groups);
}

static void expect_cores(double cores)
{
    const double found = quota();
    if (!(found == cores)) fail_msg("%g cores, not %g", found, cores);
}

static void no_groups(void **state)
{
    (void)state;
    expect_cores(INFINITY); /* no such file */
    put("process", "");
    expect_cores(INFINITY);
    put("process", "no colons\n12\n3:\n0:\n");
    expect_cores(INFINITY);
}

static void version_2(void **state)
{
    (void)state;
    put("process", "0::/user.slice/job\n");
    expect_cores(INFINITY); /* no file says anything */
    put("groups/user.slice/job/cpu.max", "max 100000\n");
    expect_cores(INFINITY);
    put("groups/user.slice/job/cpu.max", "150000 100000\n");
    expect_cores(1.5);
    put("groups/user.slice/cpu.max", "400000 100000\n"); /* above it there is more */
    expect_cores(1.5);
    put("groups/user.slice/cpu.max", "25000 50000\n"); /* and less */
    expect_cores(0.5);
    put("groups/cpu.max", "20000 100000\n"); /* a container's own */
    expect_cores(0.2);
    put("process", "0::/\n");
    expect_cores(0.2);
    put("process", "0::/of/another/container"); /* no newline at the end */
    expect_cores(0.2);
}

static void version_1(void **state)
{
    (void)state;
    put("process", "5:memory:/job\n4:cpu,cpuacct:/job/part\n3:cpuset:/\n0::/\n");
    put("groups/cpu,cpuacct/job/part/cpu.cfs_quota_us", "-1\n");
    put("groups/cpu,cpuacct/job/part/cpu.cfs_period_us", "100000\n");
    put("groups/cpuset/cpu.cfs_quota_us", "1\n"); /* not what is asked */
    put("groups/cpuset/cpu.cfs_period_us", "100000\n");
    expect_cores(INFINITY);
    put("groups/cpu,cpuacct/job/part/cpu.cfs_quota_us", "350000\n");
    expect_cores(3.5);
    put("groups/cpu,cpuacct/job/cpu.cfs_quota_us", "100000\n"); /* without a period */
    expect_cores(3.5);
    put("groups/cpu,cpuacct/job/cpu.cfs_period_us", "50000\n");
    expect_cores(2);
    put("groups/unified/cpu.max", "100000 100000\n"); /* both versions */
    expect_cores(1);
}

static void at_least_one_thread(void **state)
{
    const int all = omp_get_max_threads();
    (void)state;
    assert_in_range(opi_cores_count(), 1, (unsigned long)all);
    omp_set_num_threads(1);
    assert_int_equal(opi_cores_count(), 1);
    omp_set_num_threads(all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(no_groups, make_root, remove_root),
        cmocka_unit_test_setup_teardown(version_2, make_root, remove_root),
        cmocka_unit_test_setup_teardown(version_1, make_root, remove_root),
        cmocka_unit_test(at_least_one_thread),
    };
    return cmocka_run_group_tests_name("count", tests, NULL, NULL);
}
