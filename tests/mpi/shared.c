/* The same as adaptor.c with MPI_THREAD_MULTIPLE, while another thread uses MPI. */
#define TEST_SHARED 1
#define RECEIVE     "MPI_Sendrecv"
#include "adaptor.c"
