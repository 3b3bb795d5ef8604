/* 4. On a cluster: mpirun -n 4 ./4-cluster.  Each rank makes its own steps, and the calls end in _all. */
#include <oplus/mpi.h>

#include "walk.h"

int main(int argc, char **argv)
{
    oplus_device *dev;
    oplus_comm comm;
    float highest;
    MPI_Init(&argc, &argv);
    must(oplus_mpi_comm(MPI_COMM_WORLD, &comm));
    must(oplus_open("serial", &dev)); /* one core each; or "cuda", "threads:8", ... */

    size_t first = STEPS * (size_t)comm.rank / (size_t)comm.size;
    size_t n = STEPS * ((size_t)comm.rank + 1) / (size_t)comm.size - first;
    float *walk = steps(first, n);
    must(oplus_scan_all(dev, &comm, &oplus_sum_f32, OPLUS_INCLUSIVE, walk, n, walk));
    must(oplus_reduce_all(dev, &comm, &oplus_max_f32, walk, n, &highest));
    if (comm.rank == 0) say(highest);

    free(walk);
    oplus_close(dev);
    oplus_mpi_free(&comm);
    MPI_Finalize();
    return 0;
}
