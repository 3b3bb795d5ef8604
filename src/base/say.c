#include "base/say.h"

#include <stdarg.h>
#include <stdio.h>

void opi_say_begin(opi_saying *to, char *text, size_t bytes)
{
    *to = (opi_saying){text, bytes, 0};
    if (text && bytes > 0) *text = '\0';
}

void opi_say(opi_saying *to, const char *format, ...)
{
    va_list arguments;
    if (!to->text || to->used + 1 >= to->bytes) return;
    va_start(arguments, format);
    const int said = vsnprintf(to->text + to->used, to->bytes - to->used, format, arguments);
    va_end(arguments);
    if (said < 0) return;
    to->used += (size_t)said;
    if (to->used >= to->bytes) to->used = to->bytes - 1;
}

void opi_say_bytes(opi_saying *to, double bytes)
{
    static const char *const units[] = {"kB", "MB", "GB", "TB"};
    int unit = -1;
    for (; bytes >= 1000 && unit < 3; unit++) bytes /= 1000;
    if (unit < 0)
        opi_say(to, "%.0f bytes", bytes);
    else
        opi_say(to, "%.3g %s", bytes, units[unit]);
}
