#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

enum { MESSAGE_BYTES = 1024 };

static _Thread_local char message[MESSAGE_BYTES];

oplus_status opi_fail(oplus_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return status;
}

const char *oplus_last_error(void) { return message; }

const char *oplus_status_string(oplus_status status)
{
    switch (status) {
#define STATUS_TEXT(name, text)                                                                                        \
    case name:                                                                                                         \
        return text;
        OPLUS_STATUS_TABLE(STATUS_TEXT)
#undef STATUS_TEXT
    }
    return "not a status of oplus";
}
