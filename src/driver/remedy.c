#include "driver/remedy.h"

#include <stddef.h>
#include <string.h>

const char *opi_gpu_remedy(const char *said)
{
    static const char *const unknown[] = {
        "is undefined",         "undeclared identifier", "unknown type name",
        "implicit declaration", "was not declared",      "undeclared",
        "incomplete type",      "does not name a type",  "must have a constant size",
    };
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        if (strstr(said, unknown[i]))
            return ", as a device knows none of the program's macros, enumeration constants, types and functions "
                   "(write out numbers, members and bodies, or pass values as a parameter)";
    return "";
}
