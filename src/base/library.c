#define _GNU_SOURCE /* dl_iterate_phdr */
#include "base/library.h"

#include <link.h>
#include <stdbool.h>
#include <stddef.h>

/* The first object is the program: it names its loader (PT_INTERP), or was linked without one. */
static int look_at_program(struct dl_phdr_info *object, size_t bytes, void *found)
{
    (void)bytes;
    for (int i = 0; i < object->dlpi_phnum; i++)
        if (object->dlpi_phdr[i].p_type == PT_INTERP) *(bool *)found = true;
    return 1;
}

const char *opi_library_refusal(void)
{
    bool has_loader = false;
    dl_iterate_phdr(look_at_program, &has_loader);
    return has_loader ? NULL : "this program is linked statically, and can load no library; link it without -static";
}
