/* Threads of this process as the ranks of a cluster. */
#ifndef OPI_INPROCESS_H
#define OPI_INPROCESS_H

#include <oplus/ranks.h>

enum { OPI_INPROCESS_MOST = 4096 }; /* the largest number of ranks */

/* Runs the body once for each rank, all at the same time; call: the name of the public call, for messages. */
oplus_status opi_inprocess_run(const char *call, int ranks, void (*body)(const oplus_comm *comm, void *context),
                               void *context);

#endif
