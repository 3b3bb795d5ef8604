/* What the command asks of MPI.  The command links no MPI.  For each MPI that was present when oplus was built, there
 * is a module that fills this struct; the command opens the module if that MPI's mpirun has started it. */
#ifndef TOOL_MPI_MODULE_H
#define TOOL_MPI_MODULE_H

#include <oplus/ranks.h>

enum { TOOL_MPI_ABI = 1 }; /* of this file and oplus_comm */
#define TOOL_MPI_SYMBOL "tool_mpi_module"

typedef struct tool_mpi {
    int abi;          /* TOOL_MPI_ABI */
    size_t comm_size; /* sizeof(oplus_comm) */
    const char *name; /* "Open MPI 4.1.4" */
    /* Begins MPI and makes a transport of all its ranks.  cores: how many this rank has to itself; a core that
     * several ranks of a node may use counts as a fraction.  Failures are described in oplus_last_error. */
    oplus_status (*begin)(oplus_comm *comm, int *cores);
    /* Ends MPI; all ranks call it. */
    void (*end)(oplus_comm *comm);
} tool_mpi;

#endif
