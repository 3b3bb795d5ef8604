/* How many processors this process may use, looked at afresh now and then: an affinity mask and a quota may change while
 * a handle is open. */
#ifndef OPI_PROCESSORS_H
#define OPI_PROCESSORS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct opi_processors {
    bool unlimited;                       /* OPLUS_ALL_THREADS=1: as many as anybody asks for */
    double mask, quota;                   /* how many each of them allows; before the first look any number */
    unsigned long long mask_at, quota_at; /* when they were looked at, in nanoseconds; 0: never */
    const char *process, *root;           /* the files of the control groups, as opi_cores_quota's */
} opi_processors;

/* Reads OPLUS_ALL_THREADS, and looks at nothing yet. */
void opi_processors_open(opi_processors *processors);
/* How many there are for a call that moves so many bytes; at least one.  The mask is looked at every 10 ms, which takes
 * 0.4 us; the quota every second, which takes 40 us, and only before a call that takes longer.  A small call looks at
 * nothing. */
size_t opi_processors_now(opi_processors *processors, size_t bytes);

#endif
