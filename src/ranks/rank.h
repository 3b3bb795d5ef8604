/* What a rank keeps from one call over ranks to the next.  The first such call on a device makes it.  Its memory is
 * kept until oplus_trim, because fresh pages cost as much time as writing them. */
#ifndef OPI_RANK_H
#define OPI_RANK_H

#include "task/machine.h"

/* The kind of memory that is lent to a call: host memory, pinned host memory, which the device copies without the
 * processor's help, or device memory. */
typedef enum opi_loan_kind { OPI_LOAN_HOST, OPI_LOAN_PINNED, OPI_LOAN_DEVICE } opi_loan_kind;

typedef struct opi_loan {
    opi_loan_kind kind;
    void *mem; /* NULL: nothing is allocated yet */
    size_t bytes;
    bool lent; /* true: a call is using it */
} opi_loan;

enum { OPI_LOANS = 8 }; /* the largest number of loans of a call */

typedef struct opi_rank {
    opi_loan loan[OPI_LOANS];
    opi_buffer notes;   /* notes of all ranks, and lists of an exchange */
    opi_buffer records; /* records of all ranks */
    opi_buffer offers;  /* what ranks offer each other in an exchange between devices */
    opi_buffer carries; /* a range, the same range as a record, and a result */
    const void *apart;  /* context of a transport with ranks that do not reach each other's memory; NULL: not known */
    /* The last reduce or scan; the next one is probably similar. */
    uint64_t last_n;     /* number of elements of this rank */
    uint64_t last_first; /* index of this rank's first element */
    size_t last_nodes;   /* the largest number of nodes of a rank, for an operator that rounds */
} opi_rank;

/* Frees what a rank keeps, before the trim or close of its device; does nothing if there were no calls over ranks. */
void opi_rank_trim(oplus_device *dev);
void opi_rank_close(oplus_device *dev);

#endif
