/* Programs of accelerators in the cache on disk: they are found again, never used when damaged, and never needed.
 *
 * Each use is a process of its own, because a device also remembers its programs: `cache compute DEVICE` computes one
 * thing and compares the result.  It ends with 77 if there is no accelerator. */
#define _POSIX_C_SOURCE 200809L /* setenv, mkdtemp */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include <oplus/oplus.h>

#include "base/cache.h"
#include "base/file.h"

static bool quick;
static char device[64];
static char directory[] = "/tmp/oplus-cache-XXXXXX";
static char program[4096]; /* the file of the program in the cache */

/* --- the child ---------------------------------------------------------------------------------------------------- */

static int compute(const char *where)
{
    enum { N = 1000 };
    uint32_t x[N], sum = 0, expected = 0;
    oplus_device *dev;
    for (uint32_t i = 0; i < N; i++) expected += x[i] = i * 2654435761u;
    if (oplus_open(where, &dev) != OPLUS_OK || oplus_reduce(dev, &oplus_sum_u32, x, N, &sum) != OPLUS_OK)
        return fprintf(stderr, "%s\n", oplus_last_error()), 1;
    oplus_close(dev);
    return sum == expected ? 0 : (fprintf(stderr, "%u instead of %u\n", sum, expected), 1);
}

static pid_t begin(void)
{
    const pid_t child = fork();
    if (child == 0) {
        execl("/proc/self/exe", "cache", "compute", device, (char *)NULL);
        _exit(127);
    }
    assert_true(child > 0);
    return child;
}

static void end(pid_t child)
{
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void computed(void) { end(begin()); }

/* --- the directory ------------------------------------------------------------------------------------------------ */

/* Returns how many files are in the cache; `program` becomes the name of one. */
static int files(void)
{
    int count = 0;
    DIR *const open = opendir(directory);
    assert_non_null(open);
    for (const struct dirent *entry; (entry = readdir(open)) != NULL;) {
        if (*entry->d_name == '.') continue;
        snprintf(program, sizeof program, "%s/%s", directory, entry->d_name);
        count++;
    }
    closedir(open);
    return count;
}

static void empty_it(void)
{
    while (files() > 0) assert_int_equal(remove(program), 0);
}

static ino_t identity_of(const char *path)
{
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    return info.st_ino;
}

static char *content_of(const char *path, size_t *bytes)
{
    char *const content = opi_file_read(path, 1 << 28, bytes);
    assert_non_null(content);
    return content;
}

/* Writes over the content of the file; it stays the same file. */
static void put(const char *path, const char *content, size_t bytes)
{
    FILE *const to = fopen(path, "wb");
    assert_non_null(to);
    assert_int_equal(fwrite(content, 1, bytes, to), bytes);
    assert_int_equal(fclose(to), 0);
}

/* Leaves one good file, which is `program`. */
static int fill(void **state)
{
    (void)state;
    chmod(directory, 0700);
    setenv("OPLUS_CACHE_DIR", directory, 1);
    unsetenv("OPLUS_CACHE");
    empty_it();
    computed();
    assert_int_equal(files(), 1);
    return 0;
}

/* --- the cases ---------------------------------------------------------------------------------------------------- */

static void found_again(void **state)
{
    (void)state;
    struct stat info;
    const ino_t before = identity_of(program);
    computed();
    assert_int_equal(files(), 1);
    assert_true(identity_of(program) == before);
    assert_int_equal(stat(program, &info), 0);
    assert_int_equal(info.st_mode & 077, 0); /* nobody else may read it */
}

/* Whatever was done to the file, the result is right, and afterwards the file is whole again. */
static void is_replaced(const char *content, size_t bytes)
{
    put(program, content, bytes);
    computed();
    assert_int_equal(files(), 1);
    const ino_t anew = identity_of(program);
    computed();
    assert_true(identity_of(program) == anew); /* this file was used */
    size_t now;
    free(content_of(program, &now));
    assert_true(now > 100);
}

static void damaged(void **state)
{
    static const double at[] = {0, 0.001, 0.3, 0.5, 0.9, 0.9999};
    (void)state;
    size_t bytes;
    char *const good = content_of(program, &bytes), *const bad = malloc(bytes + 10);
    assert_non_null(bad);
    for (size_t i = 0; i < sizeof at / sizeof *at; i += quick ? 3 : 1) { /* one bit */
        memcpy(bad, good, bytes);
        bad[(size_t)((double)bytes * at[i])] ^= 4;
        is_replaced(bad, bytes);
    }
    memcpy(bad, good, bytes);
    memset(bad + bytes, 0, 10);
    is_replaced(bad, bytes - 1); /* one byte less */
    is_replaced(bad, bytes + 1); /* one byte more */
    is_replaced(bad, bytes / 2);
    is_replaced(bad, 1);
    is_replaced(bad, 0);
    free(bad);
    free(good);
}

/* The file is whole, but is no program: as if another driver of the same name had made it. */
static void refused_by_the_driver(void **state)
{
    static const char rubbish[] = "this is no program of any device, although its checksum is right";
    char path[OPI_PATH_BYTES];
    opi_hash key;
    unsigned long long high, low;
    (void)state;
    assert_int_equal(sscanf(strrchr(program, '/') + 1, "%16llx%16llx", &high, &low), 2);
    key.high = high;
    key.low = low;
    assert_true(opi_cache_store(key, ".bin", rubbish, sizeof rubbish, path));
    assert_string_equal(path, program);
    const ino_t before = identity_of(program);
    computed();
    assert_int_equal(files(), 1);
    assert_true(identity_of(program) != before);
}

static void switched_off(void **state)
{
    (void)state;
    empty_it();
    setenv("OPLUS_CACHE", "0", 1);
    computed();
    assert_int_equal(files(), 0);
}

static void nowhere_to_write(void **state)
{
    (void)state;
    empty_it();
    setenv("OPLUS_CACHE_DIR", "/dev/null/cache", 1);
    computed();
    setenv("OPLUS_CACHE_DIR", directory, 1);
    chmod(directory, 0500);
    computed();
    if (geteuid() != 0) assert_int_equal(files(), 0); /* root writes anyway */
    chmod(directory, 0700);
}

/* A file that others can write to is not used. */
static void others_can_write(void **state)
{
    static const char rubbish[] = "whatever others put there";
    (void)state;
    chmod(directory, 0777);
    put(program, rubbish, sizeof rubbish);
    const ino_t before = identity_of(program);
    computed();
    assert_int_equal(files(), 1);
    assert_true(identity_of(program) == before);
    chmod(directory, 0700);
}

/* Several processes that find nothing: each computes, and one whole file is left. */
static void race(void **state)
{
    enum { RUNNERS = 4 };
    pid_t runner[RUNNERS];
    (void)state;
    for (int round = 0; round < (quick ? 1 : 3); round++) {
        empty_it();
        for (int i = 0; i < RUNNERS; i++) runner[i] = begin();
        for (int i = 0; i < RUNNERS; i++) end(runner[i]);
        assert_int_equal(files(), 1);
        found_again(NULL);
    }
}

/* The file is deleted and damaged while others use it. */
static void race_with_damage(void **state)
{
    enum { RUNNERS = 12 };
    pid_t runner[RUNNERS];
    char path[sizeof program];
    (void)state;
    strcpy(path, program);
    for (int i = 0; i < RUNNERS; i++) {
        runner[i] = begin();
        if (i % 3 == 0) put(path, "", 0);
        if (i % 3 == 1) remove(path);
    }
    for (int i = 0; i < RUNNERS; i++) end(runner[i]);
    computed();
    assert_int_equal(files(), 1);
    found_again(NULL);
}

static int remove_it(void **state)
{
    (void)state;
    chmod(directory, 0700);
    empty_it();
    return rmdir(directory);
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "compute") == 0) return compute(argv[2]);
    const char *const given = getenv("OPLUS_TEST_DEVICES");
    oplus_device *dev;
    quick = getenv("OPLUS_TEST_QUICK") != NULL;
    snprintf(device, sizeof device, "%s", given ? given : "opencl:cpu");
    device[strcspn(device, " ,@")] = '\0';
    if (*device == '\0') return printf("no accelerator is wanted\n"), 77;
    if (oplus_open(device, &dev) != OPLUS_OK) return printf("not tried: %s\n", oplus_last_error()), 77;
    oplus_close(dev);
    if (!mkdtemp(directory)) return perror(directory), 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(found_again, fill),
        cmocka_unit_test_setup(damaged, fill),
        cmocka_unit_test_setup(switched_off, fill),
        cmocka_unit_test_setup(nowhere_to_write, fill),
        cmocka_unit_test_setup(others_can_write, fill),
        cmocka_unit_test_setup(refused_by_the_driver, fill),
        cmocka_unit_test_setup(race, fill),
        cmocka_unit_test_setup(race_with_damage, fill),
    };
    return cmocka_run_group_tests_name("cache", tests, NULL, remove_it);
}
