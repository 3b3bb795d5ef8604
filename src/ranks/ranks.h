/* The machine of a cluster: how the ranks of a call agree, join their summaries, and exchange elements.  Each rank's
 * own machine computes on the elements of that rank.
 *
 * A call goes
 *
 *     OPI_TRY(opi_ranks_open(&ranks, dev, comm, __func__));
 *     return opi_ranks_close(&ranks, run(&ranks, ...));
 *
 * `run` must take part in every exchange, whatever has happened on this rank: each exchange tells the other ranks
 * whether something has failed here, and then all ranks return.  So a rank reserves memory for an exchange before the
 * ranks agree to do it. */
#ifndef OPI_RANKS_H
#define OPI_RANKS_H

#include <oplus/ranks.h>

#include "ranks/rank.h"

/* A note: what every rank tells first.  With up to OPI_EARLY_RANKS ranks, a note may also have the rank's summary,
 * made for a guessed index of its first element: if all ranks have guessed right, no other exchange is needed. */
enum { OPI_NOTE_RECORD = 216, OPI_EARLY_RANKS = 64 };
typedef struct opi_note {
    uint32_t status;
    uint32_t flag;                         /* OPI_NOTE_... */
    uint64_t call;                         /* hash of the rank's call and its options */
    uint64_t n, m;                         /* n: elements that it gives; m: elements that it has room for, or wants */
    uint64_t guess;                        /* guessed index of the rank's first element */
    unsigned char record[OPI_NOTE_RECORD]; /* the rank's summary, which is right if the guess is */
} opi_note;

enum {
    OPI_NOTE_DEVICE = 1,      /* the rank's arrays lie in device memory */
    OPI_NOTE_ACCELERATOR = 2, /* the rank may compute on an accelerator, which may fail at any time */
    OPI_NOTE_EARLY = 4,       /* the note has a record */
    OPI_NOTE_APART = 8,       /* the rank's device does not read memory of others', or they do not read its memory */
    OPI_NOTE_WANTED = 256,    /* 256 << 2 k: output k is wanted; 512 << 2 k: it is not */
    OPI_NOTE_UNWANTED = 512
};

typedef struct opi_ranks {
    oplus_device *dev;
    const oplus_comm *comm;
    const char *call;
    const oplus_op *op; /* op, fn, type, value: arguments of the call, for messages; NULL: unknown, or there is none */
    const oplus_fn *fn;
    const oplus_type *type, *value;
    char options[80];
    uint64_t first, total; /* first: index of this rank's first element; total: number of elements of all ranks */
    opi_note mine;         /* this rank's note, before it is sent */
    opi_note *note;        /* the notes of all ranks, after opi_ranks_index; without records if ranks are many */
    char *text;            /* messages of all ranks, if one has failed */
    size_t *counts;        /* four numbers for each rank, for the present exchange */
    opi_buffer alone;      /* memory for notes and messages, if there is no device that keeps it */
} opi_ranks;

/* --- agreement (agree.c) ------------------------------------------------------------------------------------------ */

/* Begins a call.  Fails, on this rank alone, if comm is not a valid transport.  call: __func__ of the public call. */
oplus_status opi_ranks_open(opi_ranks *ranks, oplus_device *dev, const oplus_comm *comm, const char *call);
/* Ends a call: frees its memory and returns `status`. */
oplus_status opi_ranks_close(opi_ranks *ranks, oplus_status status);

/* Name what must be the same on all ranks, after it is checked; `options` has the other arguments in words:
 * "inclusive". */
void opi_ranks_name_op(opi_ranks *ranks, const oplus_op *op, const char *options);
void opi_ranks_name_fn(opi_ranks *ranks, const oplus_fn *fn, const char *options);
void opi_ranks_name_types(opi_ranks *ranks, const oplus_type *type, const oplus_type *value, const char *options);
/* Names the keys of a call by key, and what compares them (NULL: their bits), after one of these. */
void opi_ranks_name_keys(opi_ranks *ranks, const oplus_type *key, const oplus_fn *same);

/* Reserves room for a record of `bytes` bytes from each rank. */
oplus_status opi_ranks_room(opi_ranks *ranks, size_t bytes);

/* The functions below exchange `status`, whether all is well on this rank; if it is not well on some rank, all ranks
 * fail. */

/* The first exchange, of notes: each rank tells `status`, n, m and flag.  Afterwards note[], first and total are
 * set. */
oplus_status opi_ranks_index(opi_ranks *ranks, oplus_status status, uint64_t n, uint64_t m, uint32_t flag);
/* Sets *most to the largest `value` of all ranks. */
oplus_status opi_ranks_most(opi_ranks *ranks, oplus_status status, uint64_t value, uint64_t *most);
/* Exchanges `status` and a small record of each rank, for which there is always room: sets *all to the records, until the
 * next exchange of messages. */
enum { OPI_TELL_BYTES = 256 };
oplus_status opi_ranks_tell(opi_ranks *ranks, oplus_status status, const void *record, size_t bytes, const void **all);
/* Exchanges only `status`. */
oplus_status opi_ranks_agree(opi_ranks *ranks, oplus_status status);
/* Exchanges `status` and a record of each rank, for which opi_ranks_room has reserved room. */
oplus_status opi_ranks_gather(opi_ranks *ranks, oplus_status status, const void *record, size_t bytes);
/* The record of a rank after opi_ranks_gather. */
const void *opi_ranks_record(const opi_ranks *ranks, int rank, size_t bytes);

/* Whether the note of some rank has this flag. */
bool opi_ranks_any(const opi_ranks *ranks, uint32_t flag);
/* As opi_ranks_agree, after a step at which cores cannot fail, as they have reserved all memory: there is an exchange
 * only if some rank computes on an accelerator. */
oplus_status opi_ranks_agree_at_end(opi_ranks *ranks, oplus_status status);

/* Outputs that may be NULL, on all ranks or on none: the flag of the note for output k, which has room for so many items.
 * NULL says nothing where there is no room. */
static inline uint32_t opi_ranks_wants(unsigned k, const void *out, size_t room)
{
    return out ? (uint32_t)OPI_NOTE_WANTED << 2 * k : room > 0 ? (uint32_t)OPI_NOTE_UNWANTED << 2 * k : 0;
}
/* Sets *wanted to whether output k is wanted; fails, on all ranks alike, if only some ranks want it. */
oplus_status opi_ranks_wanted(const opi_ranks *ranks, unsigned k, const char *output, bool *wanted);

/* The index of the first element of rank `rank` if `total` elements are divided into equal blocks. */
static inline uint64_t opi_ranks_block(const opi_ranks *ranks, uint64_t total, int rank)
{
    const uint64_t p = (uint64_t)ranks->comm->size, q = (uint64_t)rank;
    return total / p * q + (q < total % p ? q : total % p);
}

/* --- memory (memory.c) -------------------------------------------------------------------------------------------- */

/* Sets *device to whether an array lies in device memory, which the host cannot read; an array of 0 bytes does not. */
oplus_status opi_ranks_look(opi_ranks *ranks, const char *argument, const void *p, size_t bytes, bool *device);
/* Sets *home to the accelerator in whose memory an array lies; NULL: it lies in host memory. */
oplus_status opi_ranks_home(opi_ranks *ranks, const char *argument, const void *p, size_t bytes, oplus_device **home);
/* Lends memory until opi_ranks_close, of the device or of the host (pinned, if the device has memory of its own); NULL
 * for 0 bytes.  A call may take OPI_LOANS loans; the device keeps the memory for the next call. */
oplus_status opi_ranks_lend(opi_ranks *ranks, bool device, size_t bytes, void **mem);
/* Ends one loan; NULL: none. */
void opi_ranks_return(opi_ranks *ranks, const void *mem);
/* Ends all loans of the call. */
void opi_ranks_take_back(opi_ranks *ranks);

/* --- elements (exchange.c) ---------------------------------------------------------------------------------------- */

/* A parcel: the elements of an exchange, of `size` bytes each.  This rank sends rank r the send_count[r] elements from
 * send[send_at[r]] on, and receives from rank r recv_count[r] elements, which it writes from recv[recv_at[r]] on.
 * Counts and indices are in elements.  send and recv do not overlap; they lie in host memory or in memory of the
 * rank's device. */
typedef struct opi_parcel {
    size_t size;
    const void *send;
    void *recv;
    const size_t *send_count, *send_at, *recv_count, *recv_at;
} opi_parcel;

/* Exchanges elements, after all ranks have agreed.  Ranks with arrays in device memory must have said so in
 * opi_ranks_index.  It may fail on this rank alone, which then tells the others in the next exchange. */
oplus_status opi_ranks_exchange(opi_ranks *ranks, const opi_parcel *parcel);
/* Sends `bytes` bytes to each rank and receives as many from each, after all ranks have agreed; send and recv have
 * comm->size * bytes bytes each. */
oplus_status opi_ranks_scatter(opi_ranks *ranks, const void *send, size_t bytes, void *recv);

/* --- equal blocks (blocks.c) -------------------------------------------------------------------------------------- */

/* Where results go of which each rank has made any number. */
typedef struct opi_blocks {
    uint64_t *first; /* index of each rank's first result among all of them, and their number: the caller's */
    size_t *send_count, *send_at; /* results that go to each rank, and where they are */
    size_t *recv_count, *recv_at; /* results that come from each rank, and where they go */
    bool moves;                   /* whether any result changes its rank, here or elsewhere */
} opi_blocks;

/* Takes memory for the lists, a loan. */
oplus_status opi_blocks_reserve(opi_ranks *ranks, opi_blocks *blocks);
/* How many of so many results a rank gets. */
uint64_t opi_blocks_gets(const opi_ranks *ranks, uint64_t total, int rank);
/* Fills in the lists, after the caller has set `first`. */
void opi_blocks_list(const opi_ranks *ranks, opi_blocks *blocks);
/* Moves results of `size` bytes from where this rank has made its own to where it gets its block.  All ranks call it, and
 * then agree: it may fail on this rank alone. */
oplus_status opi_blocks_move(opi_ranks *ranks, const opi_blocks *blocks, size_t size, const void *from, void *to);
/* Fails, on every rank alike, because a rank has too little room for what it gets; what: its plural, "elements". */
oplus_status opi_ranks_too_small(const opi_ranks *ranks, const char *what, int rank, uint64_t gets);

/* --- runs of equal keys (runs.c) ----------------------------------------------------------------------------------- */

/* A rank's part of an array of keys.  Runs are those of the whole array: the first one on a rank may have begun on an
 * earlier rank, and the last one may go on. */
typedef struct opi_part {
    uint64_t lead;      /* how many of its keys are of the run that its first key is of */
    uint64_t last;      /* index, in the part, of the first key of the run that its last key is of */
    uint64_t runs;      /* runs on this rank, if they are counted */
    uint64_t continues; /* 1: its first key is of a run that began on an earlier rank */
} opi_part;

typedef struct opi_runs {
    const oplus_type *key;
    const oplus_fn *same; /* NULL: keys are compared by their bits */
    const char *keys;     /* of this rank */
    size_t n;
    bool device;    /* the keys lie in the device's memory */
    opi_part *part; /* of each rank; without keys, 0 */
    opi_buffer memory;
    char *record, *pairs; /* what this rank tells; keys that stand beside each other on two ranks */
    uint8_t *heads;
} opi_runs;

/* Reserves memory, and room for records: also for those of `record` bytes that the caller gathers. */
oplus_status opi_runs_reserve(opi_ranks *ranks, opi_runs *runs, size_t record);
void opi_runs_release(opi_runs *runs);
/* Finds all parts; the ranks have exchanged notes.  `what` is the same on all ranks.  Fails on all ranks or on none. */
typedef enum opi_find {
    OPI_FIND_FIRST, /* only whether parts continue: lead, last and runs are not set */
    OPI_FIND_ENDS,  /* all but the number of runs */
    OPI_FIND_COUNT  /* all */
} opi_find;
oplus_status opi_runs_find(opi_ranks *ranks, opi_runs *runs, opi_find what);
/* How many runs begin on a rank, if they are counted. */
static inline uint64_t opi_runs_begin(const opi_runs *runs, int rank)
{
    return runs->part[rank].runs - runs->part[rank].continues;
}
/* For calls with a result for each run, which its rank makes, the one where the run begins: whether runs must be counted
 * before, because some rank may have too little room, or because results are dealt out. */
bool opi_runs_must_count(const opi_ranks *ranks, oplus_layout layout);
/* Fails, on all ranks alike, if some rank has too little room for the results that it gets.  blocks: filled in if they are
 * dealt out evenly.  Sets *gets to the number of results of this rank.  Runs are counted. */
oplus_status opi_runs_place(const opi_ranks *ranks, const opi_runs *runs, oplus_layout layout, const char *what,
                            opi_blocks *blocks, size_t *gets);
/* Whether the last run of a rank that has keys goes on on a later rank. */
bool opi_runs_goes_on(const opi_ranks *ranks, const opi_runs *runs, int rank);

/* --- in words (explain.c) ----------------------------------------------------------------------------------------- */

/* Whether the call is to be explained, and not done: see oplus_explain. */
static inline bool opi_ranks_explained(const opi_ranks *ranks) { return ranks->dev && ranks->dev->explained.text; }
oplus_status opi_ranks_explain(opi_ranks *ranks, oplus_status status, const opi_task *task);

/* --- the primitives (carries.c, filter.c, sort.c, transpose.c, extreme.c, top.c, count.c) ---------------------------
 * Each does a task whose arrays are this rank's parts, from the first exchange to the last.  status: what front has
 * found out about this rank's arguments; if they are wrong, the task is not read. */

/* Does a reduce or a scan.  fold, which is the same on every rank: there is an init, which precedes all elements; init
 * of rank 0 points to it.  The call sets task->first. */
oplus_status opi_ranks_run(opi_ranks *ranks, oplus_status status, opi_task *task, bool fold, const void *init);
/* Does a filter.  task->result, in host memory, is set to the number of elements that this rank gets; there is room
 * for `capacity`. */
oplus_status opi_ranks_filter(opi_ranks *ranks, oplus_status status, const opi_task *task, oplus_layout layout,
                              size_t capacity);
/* Does a sort.  *n is the number of keys of this rank, before and after; there is room for `capacity`.  The task has
 * *n items. */
oplus_status opi_ranks_sort(opi_ranks *ranks, oplus_status status, const opi_task *task, oplus_layout layout,
                            size_t capacity, size_t *n);
/* Does a transpose.  The task is that of the whole matrix, of elements of this type; this rank gives n of its
 * elements, and gets m of the result. */
oplus_status opi_ranks_transpose(opi_ranks *ranks, oplus_status status, const opi_task *task, const oplus_type *type,
                                 size_t n, size_t m);
/* Looks for extremes; the result lies in host memory. */
oplus_status opi_ranks_extreme(opi_ranks *ranks, oplus_status status, const opi_task *task);
/* Does a top, whose k may exceed the elements of this rank; keys, and indices in the whole array, lie in host memory or are
 * NULL. */
oplus_status opi_ranks_top(opi_ranks *ranks, oplus_status status, const opi_task *task, uint64_t *indices);
/* Counts in bins, which are the same on all ranks; every rank gets all counts, of which none can be more than `most`. */
oplus_status opi_ranks_count(opi_ranks *ranks, oplus_status status, const opi_task *task, uint64_t most);

#endif
