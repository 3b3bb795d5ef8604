#define _POSIX_C_SOURCE 200809L /* strnlen */
#include "base/error.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static _Thread_local char message[OPI_FAILURE_BYTES];

static bool continues(char c) { return ((unsigned char)c & 0xc0) == 0x80; }

int opi_cut(const char *text, int bytes)
{
    const int n = (int)strnlen(text, (size_t)bytes);
    if (n < bytes || !(text[n - 1] & 0x80)) return n;
    int first = n - 1; /* the first byte of the last character */
    while (first > 0 && n - first < 4 && continues(text[first])) first--;
    const unsigned char lead = (unsigned char)text[first];
    const int length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2; /* bytes that this character should have */
    return first + length <= n ? n : first;
}

oplus_status opi_fail(oplus_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    message[opi_cut(message, OPI_FAILURE_BYTES - 1)] = '\0';
    return status;
}

const char *opi_last_error(void) { return message; }
