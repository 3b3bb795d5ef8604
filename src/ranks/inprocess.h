/* Threads of this process as the ranks of a cluster. */
#ifndef OPI_INPROCESS_H
#define OPI_INPROCESS_H

#include <oplus/ranks.h>

enum { OPI_INPROCESS_MOST = 4096 }; /* ranks */

/* Runs the body once for each rank, all at the same time, for the public call of that name. */
oplus_status opi_inprocess_run(const char *call, int ranks, void (*body)(const oplus_comm *comm, void *context),
                               void *context);

#endif
