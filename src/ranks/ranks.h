/* A cluster: how the ranks of a call agree, how their summaries meet, how elements travel.  What a rank holds is
 * computed by that rank's machine.
 *
 * A call goes
 *
 *     OPI_TRY(opi_ranks_open(&ranks, dev, comm, __func__));
 *     return opi_ranks_close(&ranks, run(&ranks, ...));
 *
 * and `run` takes part in every exchange, whatever has happened on this rank: each exchange tells the others whether
 * something has failed here, and then all of them return.  So memory is reserved before the exchange that it is for
 * is agreed upon. */
#ifndef OPI_RANKS_H
#define OPI_RANKS_H

#include <oplus/ranks.h>

#include "ranks/rank.h"

/* What every rank says first.  Up to OPI_EARLY_RANKS ranks it may send its summary as well, in case that its guess of
 * where its part begins is right: then nothing more need be exchanged. */
enum { OPI_NOTE_RECORD = 216, OPI_EARLY_RANKS = 64 };
typedef struct opi_note {
    uint32_t status;
    uint32_t flag;                         /* OPI_NOTE_... */
    uint64_t call;                         /* hash of what it calls */
    uint64_t n, m;                         /* elements that it gives; elements that it has room for, or wants */
    uint64_t guess;                        /* index of its first element, as far as it knows */
    unsigned char record[OPI_NOTE_RECORD]; /* its summary, if the guess is right */
} opi_note;

enum {
    OPI_NOTE_DEVICE = 1,      /* arrays are the device's */
    OPI_NOTE_ACCELERATOR = 2, /* the rank may compute on an accelerator, which may fail at any time */
    OPI_NOTE_EARLY = 4        /* there is a record */
};

typedef struct opi_ranks {
    oplus_device *dev;
    const oplus_comm *comm;
    const char *call;
    const oplus_op *op; /* what is called with what, for messages: NULL where it is not known or there is none */
    const oplus_fn *fn;
    const oplus_type *type, *value;
    char options[80];
    uint64_t first, total; /* index of this rank's first element; elements of all ranks */
    opi_note mine;         /* what this rank will say */
    opi_note *note;        /* of each rank, after opi_ranks_index; without records where ranks are many */
    char *text;            /* of each rank, where one has failed */
    size_t *counts;        /* four for each rank, of an exchange under way */
    opi_buffer alone;      /* for notes and texts, where there is no device to keep that memory */
} opi_ranks;

/* --- agreement (agree.c) ------------------------------------------------------------------------------------------ */

/* Refuses a transport that is none, alone.  call: the public one's __func__. */
oplus_status opi_ranks_open(opi_ranks *ranks, oplus_device *dev, const oplus_comm *comm, const char *call);
/* Frees what the call needed; returns status. */
oplus_status opi_ranks_close(opi_ranks *ranks, oplus_status status);

/* What must be the same on all ranks, once its check has passed; `options` is told in words: "inclusive". */
void opi_ranks_name_op(opi_ranks *ranks, const oplus_op *op, const char *options);
void opi_ranks_name_fn(opi_ranks *ranks, const oplus_fn *fn, const char *options);
void opi_ranks_name_types(opi_ranks *ranks, const oplus_type *type, const oplus_type *value, const char *options);

/* Room for records of so many bytes. */
oplus_status opi_ranks_room(opi_ranks *ranks, size_t bytes);

/* The first exchange: whether this rank's arguments are good (status), its n and m.  Then note[], first and total are
 * known. */
oplus_status opi_ranks_index(opi_ranks *ranks, oplus_status status, uint64_t n, uint64_t m, uint32_t flag);
/* The largest of the ranks' values, if all is well. */
oplus_status opi_ranks_most(opi_ranks *ranks, oplus_status status, uint64_t value, uint64_t *most);
/* Only whether all is well so far. */
oplus_status opi_ranks_agree(opi_ranks *ranks, oplus_status status);
/* The same, and every rank's record; there is room for it. */
oplus_status opi_ranks_gather(opi_ranks *ranks, oplus_status status, const void *record, size_t bytes);
/* A rank's record of those that opi_ranks_gather has brought. */
const void *opi_ranks_record(const opi_ranks *ranks, int rank, size_t bytes);

/* Whether some rank has said so in its note. */
bool opi_ranks_any(const opi_ranks *ranks, uint32_t flag);
/* The same as opi_ranks_agree after what cores cannot fail at, since they have all the memory that it takes: only where
 * some rank computes on an accelerator. */
oplus_status opi_ranks_agree_at_end(opi_ranks *ranks, oplus_status status);

/* Where rank `rank` begins if `total` elements are dealt out in equal blocks. */
static inline uint64_t opi_ranks_block(const opi_ranks *ranks, uint64_t total, int rank)
{
    const uint64_t p = (uint64_t)ranks->comm->size, q = (uint64_t)rank;
    return total / p * q + (q < total % p ? q : total % p);
}

/* --- memory (memory.c) -------------------------------------------------------------------------------------------- */

/* Whether an array is in memory of the device that the host cannot read; of 0 bytes: no. */
oplus_status opi_ranks_look(opi_ranks *ranks, const char *argument, const void *p, size_t bytes, bool *device);
/* The accelerator whose memory it is, or NULL. */
oplus_status opi_ranks_home(opi_ranks *ranks, const char *argument, const void *p, size_t bytes, oplus_device **home);
/* Memory until opi_ranks_close, of the device or of the host (which the device then copies fast, if it is one that
 * has memory of its own); NULL for 0 bytes.  At most OPI_LOANS times; the device keeps it for the next call. */
oplus_status opi_ranks_lend(opi_ranks *ranks, bool device, size_t bytes, void **mem);
/* Ends all loans of the call. */
void opi_ranks_take_back(opi_ranks *ranks);

/* --- elements (exchange.c) ---------------------------------------------------------------------------------------- */

/* Elements of `size` bytes on their way: rank r gets send_count[r] of them, from send_at[r] on, and gives
 * recv_count[r], which go to recv_at[r]; in elements.  send and recv are apart; of the host, or of the rank's device.
 */
typedef struct opi_parcel {
    size_t size;
    const void *send;
    void *recv;
    const size_t *send_count, *send_at, *recv_count, *recv_at;
} opi_parcel;

/* Once all ranks have agreed; those that have arrays in device memory have said so in opi_ranks_index.  A failure may
 * be of this rank alone: to be told in the next exchange. */
oplus_status opi_ranks_exchange(opi_ranks *ranks, const opi_parcel *parcel);
/* Once all is agreed: `bytes` bytes for each rank, from each rank; send and recv are of comm->size times as many. */
oplus_status opi_ranks_scatter(opi_ranks *ranks, const void *send, size_t bytes, void *recv);

/* --- in words (explain.c) ----------------------------------------------------------------------------------------- */

/* Whether the call is to be explained in place of done: see oplus_explain. */
static inline bool opi_ranks_explained(const opi_ranks *ranks) { return ranks->dev && ranks->dev->explained.text; }
oplus_status opi_ranks_explain(opi_ranks *ranks, oplus_status status, const opi_task *task);

/* --- the primitives (carries.c, filter.c, sort.c, transpose.c) -----------------------------------------------------
 * Each does a task whose arrays are this rank's part of them, from the first exchange to the last.  status: what the
 * front has found wrong with this rank's arguments; the task is then not looked at. */

/* A reduce or a scan.  init: precedes all elements; fold says on every rank alike whether there is one, and rank 0 has
 * it.  task->first becomes known here. */
oplus_status opi_ranks_run(opi_ranks *ranks, oplus_status status, opi_task *task, bool fold, const void *init);
/* The task's result, of the host, becomes how many elements this rank has in the end; there is room for `capacity`. */
oplus_status opi_ranks_filter(opi_ranks *ranks, oplus_status status, const opi_task *task, oplus_layout layout,
                              size_t capacity);
/* *n: how many keys this rank has, before and after; there is room for `capacity`.  The task is of *n items. */
oplus_status opi_ranks_sort(opi_ranks *ranks, oplus_status status, const opi_task *task, oplus_layout layout,
                            size_t capacity, size_t *n);
/* The task is the whole matrix's, of elements of that type; the rank gives n elements of it, and wants m. */
oplus_status opi_ranks_transpose(opi_ranks *ranks, oplus_status status, const opi_task *task, const oplus_type *type,
                                 size_t n, size_t m);

#endif
