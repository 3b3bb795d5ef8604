#define _POSIX_C_SOURCE 200809L /* readlink */
#include "beside.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool tool_beside(const char *relative, char *path, size_t bytes)
{
    char program[4096];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    *path = '\0';
    if (length <= 0) return false;
    program[length] = '\0';
    *(strrchr(program, '/') + 1) = '\0';
    const int n = snprintf(path, bytes, "%s%s", program, relative);
    return n > 0 && (size_t)n < bytes && access(path, R_OK) == 0;
}
