#define _POSIX_C_SOURCE 200809L
#include "file.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../tool/die.h"

char *bench_format(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    const int length = vsnprintf(NULL, 0, format, list);
    va_end(list);
    if (length < 0) tool_die(TOOL_FAILED, "a text cannot be made: %s", strerror(errno));
    char *text = tool_alloc((size_t)length + 1);
    va_start(list, format);
    vsnprintf(text, (size_t)length + 1, format, list);
    va_end(list);
    return text;
}

char *bench_file_beside(const char *path, const char *ending)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.'), *name = slash ? slash + 1 : path;
    const size_t stem = dot && dot > name ? (size_t)(dot - path) : strlen(path);
    return bench_format("%.*s%s", (int)stem, path, ending);
}

static void fail(const char *path) { tool_die(TOOL_FAILED, "%s cannot be written: %s", path, strerror(errno)); }

/* Where path is written: itself if it is a pipe or a device, which it shall stay; else a file that is renamed. */
static char *part_of(const char *path, bool *direct)
{
    struct stat there;
    *direct = stat(path, &there) == 0 && !S_ISREG(there.st_mode);
    return bench_format("%s%s", path, *direct ? "" : ".part");
}

void bench_file_check(const char *path)
{
    bool direct;
    if (!path || strcmp(path, "-") == 0) return;
    char *part = part_of(path, &direct);
    FILE *file = direct ? NULL : fopen(part, "w");
    if (!direct && !file) fail(path);
    if (file) {
        fclose(file);
        remove(part);
    }
    free(part);
}

void bench_file_write(const char *path, void (*print)(FILE *file, const void *data), const void *data)
{
    bool direct;
    if (strcmp(path, "-") == 0) {
        print(stdout, data);
        if (fflush(stdout) != 0) fail("the standard output");
        return;
    }
    char *part = part_of(path, &direct);
    FILE *file = fopen(part, "w");
    if (!file) fail(path);
    const int slot = direct ? -1 : tool_unfinished(part);
    print(file, data);
    const int failed = ferror(file);
    if (fclose(file) != 0 || failed || (!direct && rename(part, path) != 0)) fail(path);
    if (!direct) tool_finished(slot);
    free(part);
}
