/* A user's program under mpirun, in the C that is C++ too: a scan over all ranks.  Returns 0 if this rank's part is
 * right. */
#include <oplus/mpi.h>

#include <stdio.h>

enum { N = 1000 };

int main(int argc, char **argv)
{
    static int in[N], out[N];
    oplus_device *dev = NULL;
    oplus_comm comm;
    int wrong = 0;

    MPI_Init(&argc, &argv);
    for (int i = 0; i < N; i++) in[i] = 1;
    oplus_status status = oplus_mpi_comm(MPI_COMM_WORLD, &comm);
    if (!status) status = oplus_open("serial", &dev);
    if (!status) status = oplus_scan_all(dev, &comm, OPLUS_SUM(in), OPLUS_INCLUSIVE, in, N, out);
    if (status) fprintf(stderr, "%s\n", oplus_last_error());
    for (int i = 0; !status && i < N; i++) wrong += out[i] != comm.rank * N + i + 1;
    oplus_close(dev);
    oplus_mpi_free(&comm);
    MPI_Finalize();
    return status || wrong > 0;
}
