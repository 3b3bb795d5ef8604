/* The module of one MPI: compiled by its mpicc, opened by ranks.c.  It calls oplus_comm_fail of the command's
 * library. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "mpi/module.h"

#include <oplus/mpi.h>

#include <sched.h>
#include <stdbool.h>

#define TEXT_(x) #x
#define TEXT(x)  TEXT_(x)
#if defined(OPEN_MPI)
#define NAME "Open MPI " TEXT(OMPI_MAJOR_VERSION) "." TEXT(OMPI_MINOR_VERSION) "." TEXT(OMPI_RELEASE_VERSION)
#elif defined(MPICH_VERSION)
#define NAME "MPICH " MPICH_VERSION
#else
#define NAME "MPI"
#endif

/* A core that three ranks may use counts as a third for each.  So, however mpirun binds ranks, all cores are busy
 * and none is used twice.  1 if the number cannot be found out. */
static int own_cores(void)
{
    int usable[CPU_SETSIZE] = {0}, ranks[CPU_SETSIZE] = {0};
    double cores = 0;
    cpu_set_t set;
    MPI_Comm node;
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        for (int c = 0; c < CPU_SETSIZE; c++) usable[c] = CPU_ISSET(c, &set) != 0;
    if (MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node) != MPI_SUCCESS) return 1;
    const bool summed = MPI_Allreduce(usable, ranks, CPU_SETSIZE, MPI_INT, MPI_SUM, node) == MPI_SUCCESS;
    MPI_Comm_free(&node);
    for (int c = 0; summed && c < CPU_SETSIZE; c++)
        if (usable[c]) cores += 1.0 / ranks[c];
    return cores < 1 ? 1 : (int)(cores + 1e-6);
}

static oplus_status begin(oplus_comm *comm, int *cores)
{
    int level;
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS)
        return oplus_comm_fail("MPI_Init_thread failed");
    const oplus_status status = oplus_mpi_comm(MPI_COMM_WORLD, comm);
    if (status == OPLUS_OK) *cores = own_cores();
    return status;
}

static void end(oplus_comm *comm)
{
    oplus_mpi_free(comm);
    MPI_Finalize();
}

extern const tool_mpi tool_mpi_module;
__attribute__((visibility("default"))) const tool_mpi tool_mpi_module = {
    .abi = TOOL_MPI_ABI, .comm_size = sizeof(oplus_comm), .name = NAME, .begin = begin, .end = end};
