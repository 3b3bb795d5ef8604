/* SPDX-License-Identifier: Apache-2.0 */
/** @file mpi.h
 *  The transport of <oplus/ranks.h> through MPI; your program compiles it, with its own mpicc or mpicxx.
 *
 *      MPI_Init(&argc, &argv);
 *      oplus_comm comm;
 *      if (oplus_mpi_comm(MPI_COMM_WORLD, &comm) != OPLUS_OK) ... oplus_last_error()
 *      ... oplus_scan_all(dev, &comm, &oplus_sum_f64, OPLUS_INCLUSIVE, in, n, out) ...
 *      oplus_mpi_free(&comm);
 *      MPI_Finalize();
 *
 *  oplus itself links no MPI: the same library works with every MPI, from MPI 3.0 on.
 *
 *  - Only the thread that calls oplus calls MPI.  So MPI_Init_thread with MPI_THREAD_FUNNELED is enough if that is the
 *    main thread, and MPI_THREAD_SERIALIZED if it is another.
 *  - During a call the error handlers of MPI_COMM_WORLD and MPI_COMM_SELF are replaced.  With MPI_THREAD_MULTIPLE,
 *    where other threads may use MPI at the same time, they are not, and each rank sends and receives one message at a
 *    time.
 *  - If MPI fails, calls return OPLUS_ERR_COMM, and oplus_last_error() has MPI's own words.  Nothing here calls
 *    MPI_Abort.  After such a failure MPI may still read the arrays that were being sent, until the communicator is
 *    freed; with most MPIs a program can then do little more than end. */
#ifndef OPLUS_MPI_H
#define OPLUS_MPI_H

#include <oplus/ranks.h>

#include <limits.h>
#include <stdio.h>
#include <string.h>

/** @cond  These macros leave out MPI's old C++ names, which MPI 3 has dropped and which compile with warnings.  A
 *  program that uses these names includes mpi.h first. */
#ifndef OMPI_SKIP_MPICXX
#define OMPI_SKIP_MPICXX 1
#endif
#ifndef MPICH_SKIP_MPICXX
#define MPICH_SKIP_MPICXX 1
#endif
/** @endcond */
#include <mpi.h>
#if defined(OPEN_MPI) && defined(__has_include)
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** The largest message in bytes; longer ones are sent in pieces of this size.  It must be the same in all programs of
 *  a run.  The reason is that counts of MPI 3 are an int; networks handle pieces as well as one long message. */
#ifndef OPLUS_MPI_LARGEST
#define OPLUS_MPI_LARGEST (1 << 30)
#endif

OPLUS_STATIC_ASSERT_(OPLUS_MPI_LARGEST >= 1 && OPLUS_MPI_LARGEST <= INT_MAX, "OPLUS_MPI_LARGEST is 1 to INT_MAX");
OPLUS_STATIC_ASSERT_(sizeof(MPI_Comm) <= sizeof(void *), "the transport's context holds an MPI_Comm");

/* --- the communicator --------------------------------------------------------------------------------------------- */

static inline void *oplus_mpi_context_(MPI_Comm comm)
{
    void *context = NULL; /* a pointer with Open MPI, an int with MPICH */
    memcpy(&context, &comm, sizeof comm);
    return context;
}

static inline MPI_Comm oplus_mpi_handle_(void *context)
{
    MPI_Comm comm;
    memcpy(&comm, &context, sizeof comm);
    return comm;
}

/* Fails with MPI's own words, as one line. */
static inline oplus_status oplus_mpi_fail_(const char *call, int error)
{
    char words[MPI_MAX_ERROR_STRING + 1] = "", text[MPI_MAX_ERROR_STRING + 64];
    int length = 0;
    if (MPI_Error_string(error, words, &length) != MPI_SUCCESS)
        snprintf(words, sizeof words, "error %d, for which MPI has no text", error);
    snprintf(text, sizeof text, "%s: %s", call, words);
    for (char *c = text; *c; c++)
        if (*c == '\n') *c = ' ';
    return oplus_comm_fail(text);
}

/* Whether MPI is running: other calls of MPI before MPI_Init or after MPI_Finalize would end the program; these two
 * are always allowed. */
static inline int oplus_mpi_runs_(void)
{
    int begun = 0, ended = 0;
    return MPI_Initialized(&begun) == MPI_SUCCESS && begun && MPI_Finalized(&ended) == MPI_SUCCESS && !ended;
}

/* Whether this MPI, as it runs here, takes addresses of CUDA memory. */
static inline int oplus_mpi_takes_cuda_(void)
{
#if defined(MPIX_GPU_SUPPORT_CUDA)
    int takes = 0;
    return MPIX_GPU_query_support(MPIX_GPU_SUPPORT_CUDA, &takes) == MPI_SUCCESS && takes;
#elif defined(OPEN_MPI) && defined(MPIX_CUDA_AWARE_SUPPORT)
    return MPIX_Query_cuda_support() == 1;
#else
    return 0;
#endif
}

/* Whether another thread of the program may use MPI, its communicators and their error handlers, at this moment. */
static inline int oplus_mpi_is_shared_(void)
{
    int level = MPI_THREAD_SINGLE;
    return MPI_Query_thread(&level) == MPI_SUCCESS && level == MPI_THREAD_MULTIPLE;
}

/* The error handler of a communicator, kept while MPI_ERRORS_RETURN is in its place. */
typedef struct oplus_mpi_handler_ {
    MPI_Comm comm;
    MPI_Errhandler before;
} oplus_mpi_handler_;

static inline int oplus_mpi_hush_(oplus_mpi_handler_ *handler, MPI_Comm comm)
{
    int error = MPI_Comm_get_errhandler(comm, &handler->before);
    handler->comm = error == MPI_SUCCESS ? comm : MPI_COMM_NULL;
    if (error == MPI_SUCCESS) error = MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    return error;
}

static inline void oplus_mpi_unhush_(oplus_mpi_handler_ *handler)
{
    if (handler->comm == MPI_COMM_NULL) return;
    MPI_Comm_set_errhandler(handler->comm, handler->before);
    MPI_Errhandler_free(&handler->before);
}

/* --- pairwise exchange: no lists and no memory, however many ranks there are -------------------------------------- */

enum { OPLUS_MPI_PAIRS_ = 32, OPLUS_MPI_TAG_ = 0 };

/* Pending messages: request[2 * i] receives, request[2 * i + 1] sends.  If MPI_Wait fails, MPICH calls not the error
 * handler of the communicator, but that of MPI_COMM_WORLD or MPI_COMM_SELF, which mostly ends the program: both are
 * replaced during an exchange.  If other threads use MPI they cannot be replaced; then nothing calls MPI_Wait, but
 * MPI_Sendrecv, which calls the handler of the communicator, and that communicator is ours alone. */
typedef struct oplus_mpi_flight_ {
    MPI_Comm comm;
    int rank, size, shared;
    oplus_mpi_handler_ world, self;
    int pairs;
    MPI_Request request[2 * OPLUS_MPI_PAIRS_];
} oplus_mpi_flight_;

/* After a failure: cancels the receives, so that nothing is written after the call has returned.  A send cannot be
 * cancelled, and waiting for it might never end. */
static inline void oplus_mpi_abandon_(oplus_mpi_flight_ *flight)
{
    for (int i = 0; i < 2 * flight->pairs; i++) {
        MPI_Request *const request = &flight->request[i];
        if (*request == MPI_REQUEST_NULL) continue;
        if (i % 2 == 1) {
            MPI_Request_free(request);
        } else if (MPI_Cancel(request) == MPI_SUCCESS) {
            MPI_Wait(request, MPI_STATUS_IGNORE);
        }
    }
    flight->pairs = 0;
}

/* Waits for all pending messages. */
static inline oplus_status oplus_mpi_land_(oplus_mpi_flight_ *flight)
{
    for (int i = 0; i < 2 * flight->pairs; i++) {
        const int error = MPI_Wait(&flight->request[i], MPI_STATUS_IGNORE);
        if (error == MPI_SUCCESS) continue;
        flight->request[i] = MPI_REQUEST_NULL;
        oplus_mpi_abandon_(flight);
        return oplus_mpi_fail_(i % 2 == 0 ? "MPI_Irecv" : "MPI_Isend", error);
    }
    flight->pairs = 0;
    return OPLUS_OK;
}

/* Size in bytes of the next piece of a message of `bytes` bytes, of which `done` are pending or finished. */
static inline int oplus_mpi_piece_(size_t bytes, size_t done)
{
    const size_t left = bytes > done ? bytes - done : 0;
    return left < OPLUS_MPI_LARGEST ? (int)left : OPLUS_MPI_LARGEST;
}

/* Starts to send one piece and to receive one. */
static inline oplus_status oplus_mpi_start_(oplus_mpi_flight_ *flight, const unsigned char *send, int send_bytes,
                                            int to, unsigned char *recv, int recv_bytes, int from)
{
    MPI_Request *const request = &flight->request[2 * flight->pairs++];
    int error = MPI_SUCCESS;
    request[0] = request[1] = MPI_REQUEST_NULL;
    if (recv_bytes > 0) error = MPI_Irecv(recv, recv_bytes, MPI_BYTE, from, OPLUS_MPI_TAG_, flight->comm, &request[0]);
    if (error != MPI_SUCCESS) {
        request[0] = MPI_REQUEST_NULL;
        oplus_mpi_abandon_(flight);
        return oplus_mpi_fail_("MPI_Irecv", error);
    }
    if (send_bytes > 0) error = MPI_Isend(send, send_bytes, MPI_BYTE, to, OPLUS_MPI_TAG_, flight->comm, &request[1]);
    if (error != MPI_SUCCESS) {
        request[1] = MPI_REQUEST_NULL;
        oplus_mpi_abandon_(flight);
        return oplus_mpi_fail_("MPI_Isend", error);
    }
    return flight->pairs < OPLUS_MPI_PAIRS_ ? OPLUS_OK : oplus_mpi_land_(flight);
}

/* Sends one piece and receives one, and waits for both. */
static inline oplus_status oplus_mpi_swap_(oplus_mpi_flight_ *flight, const unsigned char *send, int send_bytes, int to,
                                           unsigned char *recv, int recv_bytes, int from)
{
    const int error =
        MPI_Sendrecv(send, send_bytes, MPI_BYTE, send_bytes > 0 ? to : MPI_PROC_NULL, OPLUS_MPI_TAG_, recv, recv_bytes,
                     MPI_BYTE, recv_bytes > 0 ? from : MPI_PROC_NULL, OPLUS_MPI_TAG_, flight->comm, MPI_STATUS_IGNORE);
    return error == MPI_SUCCESS ? OPLUS_OK : oplus_mpi_fail_("MPI_Sendrecv", error);
}

/* Sends all pieces for one rank, and receives all pieces from another. */
static inline oplus_status oplus_mpi_trade_(oplus_mpi_flight_ *flight, const unsigned char *send, size_t send_bytes,
                                            int to, unsigned char *recv, size_t recv_bytes, int from)
{
    for (size_t done = 0; done < send_bytes || done < recv_bytes; done += OPLUS_MPI_LARGEST) {
        const int out = oplus_mpi_piece_(send_bytes, done), in = oplus_mpi_piece_(recv_bytes, done);
        const unsigned char *const here = out > 0 ? send + done : NULL;
        unsigned char *const there = in > 0 ? recv + done : NULL;
        const oplus_status status = flight->shared ? oplus_mpi_swap_(flight, here, out, to, there, in, from)
                                                   : oplus_mpi_start_(flight, here, out, to, there, in, from);
        if (status != OPLUS_OK) return status;
    }
    return OPLUS_OK;
}

/* --- the transport's functions ------------------------------------------------------------------------------------ */

/* Begins an exchange.  oplus_mpi_leave_ ends it, also if oplus_mpi_enter_ has failed. */
static inline oplus_status oplus_mpi_enter_(oplus_mpi_flight_ *flight, void *context)
{
    flight->comm = oplus_mpi_handle_(context);
    flight->world.comm = flight->self.comm = MPI_COMM_NULL;
    flight->pairs = flight->rank = flight->size = flight->shared = 0;
    if (!oplus_mpi_runs_()) return oplus_comm_fail("MPI is not running: call between MPI_Init and MPI_Finalize");
    int error = MPI_SUCCESS;
    flight->shared = oplus_mpi_is_shared_();
    if (!flight->shared) error = oplus_mpi_hush_(&flight->world, MPI_COMM_WORLD);
    if (!flight->shared && error == MPI_SUCCESS) error = oplus_mpi_hush_(&flight->self, MPI_COMM_SELF);
    if (error == MPI_SUCCESS) error = MPI_Comm_rank(flight->comm, &flight->rank);
    if (error == MPI_SUCCESS) error = MPI_Comm_size(flight->comm, &flight->size);
    return error == MPI_SUCCESS ? OPLUS_OK : oplus_mpi_fail_("MPI_Comm_rank", error);
}

static inline oplus_status oplus_mpi_leave_(oplus_mpi_flight_ *flight, oplus_status status)
{
    oplus_mpi_unhush_(&flight->self);
    oplus_mpi_unhush_(&flight->world);
    return status;
}

/* The exchange is pairwise, and not by MPI_Alltoallv: before MPI 4 its counts are an int.  MPI_Alltoallv_c takes lists
 * of a type of its own, for which memory would be needed, and a rank without memory would let the others wait.
 * Pairwise is not slower, as MPIs do the same inside: 64 bytes to 16 MiB, to every rank or to one neighbour, take
 * equal times within noise (2026-11-21, MPICH 4.0.2 and Open MPI 4.1.4, 2 and 4 ranks on two cores of a Xeon). */
static inline oplus_status oplus_mpi_exchange_(oplus_mpi_flight_ *flight, const unsigned char *send,
                                               const size_t *send_bytes, const size_t *send_at, unsigned char *recv,
                                               const size_t *recv_bytes, const size_t *recv_at)
{
    const int rank = flight->rank, size = flight->size;
    oplus_status status = OPLUS_OK;
    int step = 0;
    if (send_bytes[rank] != recv_bytes[rank]) return oplus_comm_fail("a rank gives itself more or less than it awaits");
    if (!oplus_mpi_takes_cuda_()) { /* else these may be addresses of CUDA memory: MPI sends a rank's own part too */
        if (send_bytes[rank] > 0) memcpy(recv + recv_at[rank], send + send_at[rank], send_bytes[rank]);
        step = 1;
    }
    for (; step < size && status == OPLUS_OK; step++) {
        const int to = (rank + step) % size, from = (rank + size - step) % size;
        status = oplus_mpi_trade_(flight, send_bytes[to] > 0 ? send + send_at[to] : NULL, send_bytes[to], to,
                                  recv_bytes[from] > 0 ? recv + recv_at[from] : NULL, recv_bytes[from], from);
    }
    return status == OPLUS_OK ? oplus_mpi_land_(flight) : status;
}

static inline oplus_status oplus_mpi_alltoallv_(void *context, const void *send, const size_t *send_bytes,
                                                const size_t *send_at, void *recv, const size_t *recv_bytes,
                                                const size_t *recv_at)
{
    oplus_mpi_flight_ flight;
    oplus_status status = oplus_mpi_enter_(&flight, context);
    if (status == OPLUS_OK)
        status = oplus_mpi_exchange_(&flight, (const unsigned char *)send, send_bytes, send_at, (unsigned char *)recv,
                                     recv_bytes, recv_at);
    return oplus_mpi_leave_(&flight, status);
}

/* Does what MPI_Allgather does, for more bytes than an int can count. */
static inline oplus_status oplus_mpi_gather_pairwise_(oplus_mpi_flight_ *flight, const unsigned char *send,
                                                      size_t bytes, unsigned char *recv)
{
    oplus_status status = OPLUS_OK;
    for (int step = 0; step < flight->size && status == OPLUS_OK; step++) {
        const int to = (flight->rank + step) % flight->size;
        const int from = (flight->rank + flight->size - step) % flight->size;
        status = oplus_mpi_trade_(flight, send, bytes, to, recv + (size_t)from * bytes, bytes, from);
    }
    return status == OPLUS_OK ? oplus_mpi_land_(flight) : status;
}

/* OPLUS_MPI_INT_COUNTS makes an MPI 4 take the way of MPI 3, for tests. */
static inline oplus_status oplus_mpi_gather_(oplus_mpi_flight_ *flight, const void *send, size_t bytes, void *recv)
{
    int error;
#if MPI_VERSION >= 4 && !defined(OPLUS_MPI_INT_COUNTS)
    const MPI_Count count = (MPI_Count)bytes;
    error = MPI_Allgather_c(send, count, MPI_BYTE, recv, count, MPI_BYTE, flight->comm);
#else
    const int count = (int)bytes;
    if (bytes > OPLUS_MPI_LARGEST / (size_t)flight->size) /* some MPIs count the bytes of all ranks in an int */
        return oplus_mpi_gather_pairwise_(flight, (const unsigned char *)send, bytes, (unsigned char *)recv);
    error = MPI_Allgather(send, count, MPI_BYTE, recv, count, MPI_BYTE, flight->comm);
#endif
    return error == MPI_SUCCESS ? OPLUS_OK : oplus_mpi_fail_("MPI_Allgather", error);
}

static inline oplus_status oplus_mpi_allgather_(void *context, const void *send, size_t bytes, void *recv)
{
    oplus_mpi_flight_ flight;
    oplus_status status = oplus_mpi_enter_(&flight, context);
    if (status == OPLUS_OK && bytes > 0) status = oplus_mpi_gather_(&flight, send, bytes, recv);
    return oplus_mpi_leave_(&flight, status);
}

/* --- the two calls ------------------------------------------------------------------------------------------------ */

/* Duplicates comm.  Errors on the duplicate are returned, whatever error handler the program has set.  An error of
 * MPI_Comm_dup itself is returned too, unless another thread may be using comm: then comm's own handler gets it. */
static inline int oplus_mpi_duplicate_(MPI_Comm comm, MPI_Comm *own)
{
    oplus_mpi_handler_ handler;
    int error = MPI_SUCCESS;
    handler.comm = MPI_COMM_NULL;
    if (!oplus_mpi_is_shared_()) error = oplus_mpi_hush_(&handler, comm);
    if (error == MPI_SUCCESS) error = MPI_Comm_dup(comm, own);
    oplus_mpi_unhush_(&handler);
    return error == MPI_SUCCESS ? MPI_Comm_set_errhandler(*own, MPI_ERRORS_RETURN) : error;
}

/** Makes a transport of the ranks of an MPI communicator.
 *
 *  All ranks of comm call it together.  It duplicates comm, so that messages of oplus never mix with those of the
 *  program.  With MPI_THREAD_MULTIPLE a failure of MPI_Comm_dup goes to comm's own error handler.
 *  out->device_memory says whether this MPI takes addresses of CUDA memory.  You may then set it to 0, on all ranks:
 *  oplus copies what it sends to the host first.
 *  @param comm  the communicator; it must not be an inter-communicator
 *  @param out   filled in; free it with oplus_mpi_free.  After a failure its size is 0
 *  @return OPLUS_OK; OPLUS_ERR_COMM: MPI is not running, or one of its calls failed. */
static inline oplus_status oplus_mpi_comm(MPI_Comm comm, oplus_comm *out)
{
    MPI_Comm own = MPI_COMM_NULL;
    int inter = 0;
    if (!out) return oplus_comm_fail("oplus_mpi_comm: out is NULL; give the address of an oplus_comm");
    memset(out, 0, sizeof *out);
    if (!oplus_mpi_runs_())
        return oplus_comm_fail("oplus_mpi_comm: MPI is not running; call between MPI_Init and MPI_Finalize");
    if (comm == MPI_COMM_NULL)
        return oplus_comm_fail("oplus_mpi_comm: comm is MPI_COMM_NULL; give one that this process is in");
    int error = MPI_Comm_test_inter(comm, &inter);
    if (error != MPI_SUCCESS) return oplus_mpi_fail_("oplus_mpi_comm: MPI_Comm_test_inter", error);
    if (inter)
        return oplus_comm_fail("oplus_mpi_comm: comm is an inter-communicator; make one group of it by "
                               "MPI_Intercomm_merge");
    error = oplus_mpi_duplicate_(comm, &own);
    if (error == MPI_SUCCESS) error = MPI_Comm_rank(own, &out->rank);
    if (error == MPI_SUCCESS) error = MPI_Comm_size(own, &out->size);
    if (error != MPI_SUCCESS) {
        memset(out, 0, sizeof *out);
        return oplus_mpi_fail_("oplus_mpi_comm: MPI_Comm_dup", error);
    }
    out->abi = OPLUS_ABI;
    out->context = oplus_mpi_context_(own);
    out->device_memory = oplus_mpi_takes_cuda_();
    out->allgather = oplus_mpi_allgather_;
    out->alltoallv = oplus_mpi_alltoallv_;
    return OPLUS_OK;
}

/** Frees the transport that oplus_mpi_comm has made; all its ranks call it together.  After a failure of
 *  oplus_mpi_comm, a second time, or after MPI_Finalize it does nothing. */
static inline void oplus_mpi_free(oplus_comm *comm)
{
    if (!comm || comm->size == 0) return;
    MPI_Comm own = oplus_mpi_handle_(comm->context);
    memset(comm, 0, sizeof *comm);
    if (oplus_mpi_runs_()) MPI_Comm_free(&own);
}

#ifdef __cplusplus
}
#endif
#endif
