/* MPICH's waits spin, so that four ranks on two cores take some 12 ms for an exchange of 10 us.  Here they give up the
 * core instead, by MPI's profiling interface: we define the functions, and MPI's own have the same name with a P in
 * front.  Open MPI does this itself if it is told to.  adaptor.c is tested without this. */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>

#if defined(MPICH_VERSION)
#include <sched.h>

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    for (int done = 0;;) {
        const int error = PMPI_Test(request, &done, status);
        if (error != MPI_SUCCESS || done) return error;
        sched_yield();
    }
}

int MPI_Allgather(const void *send, int send_count, MPI_Datatype send_type, void *recv, int recv_count,
                  MPI_Datatype recv_type, MPI_Comm comm)
{
    MPI_Request request;
    const int error = PMPI_Iallgather(send, send_count, send_type, recv, recv_count, recv_type, comm, &request);
    return error == MPI_SUCCESS ? MPI_Wait(&request, MPI_STATUS_IGNORE) : error;
}

#if MPI_VERSION >= 4
int MPI_Allgather_c(const void *send, MPI_Count send_count, MPI_Datatype send_type, void *recv, MPI_Count recv_count,
                    MPI_Datatype recv_type, MPI_Comm comm)
{
    MPI_Request request;
    const int error = PMPI_Iallgather_c(send, send_count, send_type, recv, recv_count, recv_type, comm, &request);
    return error == MPI_SUCCESS ? MPI_Wait(&request, MPI_STATUS_IGNORE) : error;
}
#endif
#else
typedef int none; /* a file of C has a declaration */
#endif
