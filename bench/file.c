#define _POSIX_C_SOURCE 200809L
#include "file.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "die.h"
#include "replace.h"

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

char *bench_one_line(char *text)
{
    for (char *c = text; *c; c++)
        if (iscntrl((unsigned char)*c)) *c = ' ';
    return text;
}

static void print_to(int fd, const char *name, void (*print)(FILE *file, const void *data), const void *data)
{
    FILE *const file = fd < 0 ? NULL : fdopen(fd, "w");
    if (!file) tool_cannot_write(name);
    print(file, data);
    const bool failed = ferror(file) != 0;
    if (fclose(file) != 0 || failed) tool_cannot_write(name);
}

void bench_file_write(const char *path, void (*print)(FILE *file, const void *data), const void *data)
{
    tool_replacement file;
    if (strcmp(path, "-") == 0) {
        fflush(stdout);
        print_to(dup(STDOUT_FILENO), "stdout", print, data);
        return;
    }
    tool_replace_begin(&file, path);
    print_to(dup(file.fd), path, print, data); /* fclose closes the stream's descriptor */
    tool_replace_end(&file);
}
