/* Ways: a machine may have several to do the same.  Each stands in a table of the machine with a name, the first that
 * suits is taken, and OPLUS_WAY in the environment, names between commas or plus signs, prefers those it names.  It is read
 * when a device is opened, for tests: every way gives the same bits. */
#ifndef OPI_WAY_H
#define OPI_WAY_H

#include <stdbool.h>

enum { OPI_MOST_WAYS = 8, OPI_WAY_BYTES = 24 };

typedef struct opi_ways_wanted {
    int count; /* 0: the first that suits */
    char name[OPI_MOST_WAYS][OPI_WAY_BYTES];
} opi_ways_wanted;

void opi_ways_read(opi_ways_wanted *wanted);
bool opi_way_is_wanted(const opi_ways_wanted *wanted, const char *name);

#endif
