/* The list of devices, and the cache as its user sees it: what is counted, what is removed, and what is left alone. */
#include "base/cache.h"
#include "support/laws.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- calls that fail ---------------------------------------------------------------------------------------------- */

static bool no_memory;
static const char *kept = ""; /* a file that cannot be removed */

void *__real_calloc(size_t n, size_t bytes);
void *__wrap_calloc(size_t n, size_t bytes);
void *__wrap_calloc(size_t n, size_t bytes) { return no_memory ? NULL : __real_calloc(n, bytes); }

int __real_unlinkat(int directory, const char *name, int flags);
int __wrap_unlinkat(int directory, const char *name, int flags);
int __wrap_unlinkat(int directory, const char *name, int flags)
{
    if (strcmp(name, kept) != 0) return __real_unlinkat(directory, name, flags);
    errno = EBUSY;
    return -1;
}

/* --- devices ------------------------------------------------------------------------------------------------------ */

enum { ROOM = 64 };

/* Returns the first row, from that row on, whose name begins so. */
static const oplus_device_info *row_of(const oplus_device_info *row, int n, const char *prefix)
{
    for (int i = 0; i < n; i++)
        if (strncmp(row[i].where, prefix, strlen(prefix)) == 0) return &row[i];
    return NULL;
}

static void rows(void **state)
{
    (void)state;
    static oplus_device_info row[ROOM] = {{.abi = OPLUS_ABI}};
    const int n = oplus_devices(row, ROOM);
    assert_in_range(n, 4, ROOM);
    assert_string_equal(row[0].where, "serial");
    assert_int_equal(row[0].units, 1);
    assert_string_equal(row[1].where, "threads");
    assert_true(row[1].units >= 1);
    for (int i = 0; i < 2; i++) {
        assert_true(*row[i].name && *row[i].driver && row[i].memory > 1 << 20 && row[i].f64 && row[i].same_bits);
        assert_string_equal(row[i].note, "");
    }
    assert_non_null(row_of(row, n, "cuda")); /* a device, or a reason */
    assert_non_null(row_of(row, n, "opencl"));
}

/* A device that is available can be opened by its name; each other row says why not. */
static void rows_are_true(void **state)
{
    (void)state;
    static oplus_device_info row[ROOM] = {{.abi = OPLUS_ABI}};
    const int n = oplus_devices(row, ROOM);
    assert_in_range(n, 4, ROOM);
    for (int i = 0; i < n; i++) {
        oplus_device *dev = NULL;
        if (row[i].units == 0) {
            assert_true(strlen(row[i].note) > 10);
            continue;
        }
        assert_int_equal(oplus_open(row[i].where, &dev), OPLUS_OK);
        assert_true(row[i].same_bits || strstr(row[i].note, "not bit-exact"));
        assert_true(row[i].f64 || strstr(row[i].note, "double precision"));
        oplus_close(dev);
    }
}

static void too_few_rows(void **state)
{
    (void)state;
    static oplus_device_info all[ROOM] = {{.abi = OPLUS_ABI}}, first[2];
    const int n = oplus_devices(all, ROOM);
    assert_int_equal(oplus_devices(NULL, 0), n);
    memset(first, 0xee, sizeof first);
    first[0].abi = OPLUS_ABI;
    assert_int_equal(oplus_devices(first, 1), n);
    assert_string_equal(first[0].where, "serial");
    assert_int_equal((unsigned char)first[1].where[0], 0xee);
    assert_int_equal(oplus_devices(NULL, 1), -1);
    assert_string_equal(oplus_last_error(),
                        "oplus_devices: info is NULL and capacity is 1; give room for that many, or 0");
    assert_int_equal(oplus_devices(all, -1), -1);
}

static void rows_without_memory(void **state)
{
    (void)state;
    static oplus_device_info row[ROOM] = {{.abi = OPLUS_ABI}};
    no_memory = true;
    const int n = oplus_devices(row, ROOM);
    no_memory = false;
    assert_true(n == -1 || n >= 4);
    if (n == -1)
        assert_non_null(strstr(oplus_last_error(), "no memory"));
    else
        assert_true(row[0].units == 0 && strstr(row[0].note, "no memory")); /* no list to be made: no driver */
}

static void rows_of_a_wrong_isa(void **state)
{
    (void)state;
    static oplus_device_info row[ROOM] = {{.abi = OPLUS_ABI}};
    setenv("OPLUS_ISA", "abacus", 1);
    assert_true(oplus_devices(row, ROOM) >= 4);
    unsetenv("OPLUS_ISA");
    assert_int_equal(row[0].units, 0);
    assert_int_equal(strncmp(row[0].note, "the environment variable OPLUS_ISA is \"abacus\"", 46), 0);
}

/* --- the cache ---------------------------------------------------------------------------------------------------- */

static char directory[] = "/tmp/oplus-test-XXXXXX";

static int begin(void **state)
{
    (void)state;
    strcpy(directory, "/tmp/oplus-test-XXXXXX");
    if (!mkdtemp(directory)) return 1;
    unsetenv("OPLUS_CACHE");
    return setenv("OPLUS_CACHE_DIR", directory, 1);
}

static void put(const char *name, size_t bytes)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *const file = fopen(path, "wb");
    assert_non_null(file);
    while (bytes-- > 0) putc('x', file);
    assert_int_equal(fclose(file), 0);
}

static bool is_there(const char *name)
{
    char path[128];
    struct stat info;
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return lstat(path, &info) == 0;
}

static int end(void **state)
{
    (void)state;
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", directory);
    return system(command);
}

#define KEY "0123456789abcdef0123456789abcdef"

static const char *const ours[] = {KEY ".so", KEY ".bin", KEY ".so.AbCd12", KEY ".bin.AbCd12", KEY ".fig", KEY ".txt"};
static const char *const others[] = {
    "README",         KEY,           KEY ".text", KEY ".so.AbCd123",
    KEY "0.so",       "0" KEY ".so", KEY ".soap", "0123456789ABCDEF0123456789abcdef.so",
    KEY ".bin.AbCd1", ".hidden"};
enum { OURS = sizeof ours / sizeof *ours, OTHERS = sizeof others / sizeof *others };

static void usage_and_clear(void **state)
{
    (void)state;
    char link_path[128];
    oplus_cache_usage usage = {.abi = OPLUS_ABI};
    for (int i = 0; i < OURS; i++) put(ours[i], 10u << i); /* 10 + 20 + 40 + 80 + 160 + 320 */
    for (int i = 0; i < OTHERS; i++) put(others[i], 1000);
    snprintf(link_path, sizeof link_path, "%s/%s", directory,
             "f"
             "123456789abcdef0123456789abcdef.so");
    assert_int_equal(symlink("README", link_path), 0);

    assert_int_equal(oplus_cache_info(&usage), OPLUS_OK);
    assert_string_equal(usage.directory, directory);
    assert_string_equal(usage.note, "");
    assert_true(usage.files == 6 && usage.bytes == 630);
    assert_true(usage.texts == 2 && usage.text_bytes == 330 && usage.programs == 1 && usage.program_bytes == 20);
    assert_true(usage.figures == 1 && usage.figure_bytes == 160);

    assert_int_equal(oplus_cache_clear(), OPLUS_OK);
    for (int i = 0; i < OURS; i++) assert_false(is_there(ours[i]));
    for (int i = 0; i < OTHERS; i++) assert_true(is_there(others[i]));
    assert_true(is_there(strrchr(link_path, '/') + 1)); /* not a file of ours */
    assert_int_equal(oplus_cache_info(&usage), OPLUS_OK);
    assert_true(usage.files == 0 && usage.bytes == 0);
}

/* The files counted are the files stored. */
static void what_is_stored_counts(void **state)
{
    (void)state;
    char path[OPI_PATH_BYTES];
    oplus_cache_usage usage = {.abi = OPLUS_ABI};
    const opi_hash key = opi_hash_bytes("a", 1);
    size_t bytes;
    assert_true(opi_cache_store(key, ".bin", "content", 7, path));
    assert_true(opi_cache_store(key, ".so", "content", 7, path));
    assert_int_equal(oplus_cache_info(&usage), OPLUS_OK);
    assert_true(usage.files == 2 && usage.programs == 1 && usage.texts == 1 && usage.program_bytes > 7);
    assert_int_equal(oplus_cache_clear(), OPLUS_OK);
    assert_null(opi_cache_load(key, ".bin", &bytes));
}

static void one_file_stays(void **state)
{
    (void)state;
    for (int i = 0; i < OURS; i++) put(ours[i], 1);
    kept = ours[1];
    assert_int_equal(oplus_cache_clear(), OPLUS_ERR_IO);
    kept = "";
    assert_non_null(strstr(oplus_last_error(), ours[1]));
    assert_non_null(strstr(oplus_last_error(), strerror(EBUSY)));
    for (int i = 0; i < OURS; i++) assert_int_equal(is_there(ours[i]), i == 1);
}

static void no_cache(void **state)
{
    (void)state;
    oplus_cache_usage usage = {.abi = OPLUS_ABI};
    put(ours[0], 1);
    setenv("OPLUS_CACHE", "0", 1);
    assert_int_equal(oplus_cache_info(&usage), OPLUS_OK);
    assert_true(!*usage.directory && *usage.note && usage.files == 0);
    assert_int_equal(oplus_cache_clear(), OPLUS_OK);
    unsetenv("OPLUS_CACHE");
    assert_true(is_there(ours[0]));

    setenv("OPLUS_CACHE_DIR", "/tmp/oplus-test-that-is-not-there", 1); /* and is not made by looking at it */
    assert_int_equal(oplus_cache_info(&usage), OPLUS_OK);
    assert_true(usage.files == 0 && !*usage.note);
    assert_int_equal(oplus_cache_clear(), OPLUS_OK);
    assert_int_not_equal(access("/tmp/oplus-test-that-is-not-there", F_OK), 0);

    setenv("OPLUS_CACHE_DIR", "/dev/null", 1);
    assert_int_equal(oplus_cache_info(&usage), OPLUS_OK);
    assert_string_equal(usage.note, "it is no directory");
    assert_int_equal(oplus_cache_clear(), OPLUS_ERR_IO);

    char long_path[5000];
    memset(long_path, 'x', sizeof long_path - 1);
    *long_path = '/';
    long_path[sizeof long_path - 1] = '\0';
    setenv("OPLUS_CACHE_DIR", long_path, 1);
    assert_int_equal(oplus_cache_info(&usage), OPLUS_OK);
    assert_true(!*usage.directory && *usage.note);
    assert_int_equal(oplus_cache_info(NULL), OPLUS_ERR_ARGUMENT);
}

static void unsafe_cache(void **state)
{
    (void)state;
    oplus_cache_usage usage = {.abi = OPLUS_ABI};
    put(ours[0], 1);
    assert_int_equal(chmod(directory, 0777), 0);
    assert_int_equal(oplus_cache_info(&usage), OPLUS_OK);
    assert_non_null(strstr(usage.note, "chmod go-w"));
    assert_int_equal(oplus_cache_clear(), OPLUS_ERR_IO);
    assert_non_null(strstr(oplus_last_error(), directory));
    assert_true(is_there(ours[0]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows),
        cmocka_unit_test(rows_are_true),
        cmocka_unit_test(too_few_rows),
        cmocka_unit_test(rows_without_memory),
        cmocka_unit_test(rows_of_a_wrong_isa),
        cmocka_unit_test_setup_teardown(usage_and_clear, begin, end),
        cmocka_unit_test_setup_teardown(what_is_stored_counts, begin, end),
        cmocka_unit_test_setup_teardown(one_file_stays, begin, end),
        cmocka_unit_test_setup_teardown(no_cache, begin, end),
        cmocka_unit_test_setup_teardown(unsafe_cache, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
