/* Ways: a machine may have several ways to do a task, with the same bits.  Each is a row with a name in a table of the
 * machine, and the first that suits is taken.  OPLUS_WAY in the environment, a list of names with commas or plus signs
 * between them, makes the machine prefer these ways, for tests; it is read when a device is opened. */
#ifndef OPI_WAY_H
#define OPI_WAY_H

#include <stdbool.h>

enum { OPI_MOST_WAYS = 8, OPI_WAY_BYTES = 24 };

typedef struct opi_ways_wanted {
    int count; /* number of names; 0: the first way that suits is taken */
    char name[OPI_MOST_WAYS][OPI_WAY_BYTES];
} opi_ways_wanted;

void opi_ways_read(opi_ways_wanted *wanted);
bool opi_way_is_wanted(const opi_ways_wanted *wanted, const char *name);

#endif
