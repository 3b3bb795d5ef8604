#include "task/way.h"

#include <stdlib.h>
#include <string.h>

void opi_ways_read(opi_ways_wanted *wanted)
{
    const char *at = getenv("OPLUS_WAY");
    wanted->count = 0;
    while (at && *at && wanted->count < OPI_MOST_WAYS) {
        const size_t length = strcspn(at, ",+");
        if (length > 0 && length < OPI_WAY_BYTES) {
            char *const name = wanted->name[wanted->count++];
            memcpy(name, at, length);
            name[length] = '\0';
        }
        at += length + (at[length] != 0);
    }
}

bool opi_way_is_wanted(const opi_ways_wanted *wanted, const char *name)
{
    for (int i = 0; i < wanted->count; i++)
        if (strcmp(wanted->name[i], name) == 0) return true;
    return false;
}
