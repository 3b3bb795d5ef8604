/* Runs calls of the command in a child, and tells its exit code and its words; and makes a place for files. */
#ifndef TEST_COMMAND_H
#define TEST_COMMAND_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cmocka.h>

#include "die.h"

typedef struct outcome {
    int code;        /* of exit, or -1 */
    int signal;      /* signal that ended it, or 0 */
    char said[4096]; /* to stderr */
} outcome;

/* Runs call(argument) in a child, which exits with 0 if it returns. */
static inline outcome in_child(void (*call)(void *argument), void *argument)
{
    static const int signals[] = {SIGINT, SIGHUP, SIGQUIT, SIGPIPE};
    int ends[2];
    outcome out = {-1, 0, ""};
    fflush(NULL);
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        close(ends[1]);
        for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) signal(signals[i], SIG_DFL); /* as in a shell */
        setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0}); /* a core dump would be one more file */
        tool_begin("test");
        call(argument);
        exit(0);
    }
    close(ends[1]);
    size_t used = 0;
    while (used < sizeof out.said - 1) {
        const ssize_t got = read(ends[0], out.said + used, sizeof out.said - 1 - used);
        if (got <= 0) break;
        used += (size_t)got;
    }
    close(ends[0]);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFEXITED(status)) out.code = WEXITSTATUS(status);
    if (WIFSIGNALED(status)) out.signal = WTERMSIG(status);
    return out;
}

/* The call ends the command with that code, and says why in words that contain these. */
static inline void expect_death(void (*call)(void *argument), void *argument, int code, const char *words)
{
    const outcome out = in_child(call, argument);
    if (out.code != code || !strstr(out.said, words))
        fail_msg("exit %d, signal %d, \"%s\"; expected exit %d, \"%s\"", out.code, out.signal, out.said, code, words);
}

/* --- files: in a folder of the test's own, which is the current one while it runs */

static char test_folder[] = "/tmp/oplus-test-XXXXXX";

static inline int enter_folder(void **state)
{
    (void)state;
    return mkdtemp(test_folder) && chdir(test_folder) == 0 ? 0 : -1;
}

/* How many files there are, hidden ones too. */
static inline int count_files(void)
{
    int files = 0;
    DIR *const folder = opendir(".");
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder));)
        files += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(folder);
    return files;
}

static inline void empty_folder(void)
{
    DIR *const folder = opendir(".");
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder));) unlink(entry->d_name);
    closedir(folder);
}

static inline int leave_folder(void **state)
{
    (void)state;
    empty_folder();
    return chdir("/") == 0 && rmdir(test_folder) == 0 ? 0 : -1;
}

static inline void write_file(const char *path, const void *bytes, size_t n)
{
    FILE *const file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, n, file), n);
    assert_int_equal(fclose(file), 0);
}

/* The bytes of a file, and a '\0'; to be freed. */
static inline char *read_file(const char *path, size_t *n)
{
    FILE *const file = fopen(path, "rb");
    if (!file) fail_msg("there is no %s", path);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    const size_t bytes = (size_t)ftell(file);
    rewind(file);
    char *const text = malloc(bytes + 1);
    assert_int_equal(fread(text, 1, bytes, file), bytes);
    text[bytes] = '\0';
    fclose(file);
    if (n) *n = bytes;
    return text;
}

static inline void expect_file(const char *path, const char *content)
{
    char *const text = read_file(path, NULL);
    assert_string_equal(text, content);
    free(text);
}

#endif
