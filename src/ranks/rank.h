/* What a rank keeps from one call over ranks to the next.  The first such call on a device makes it; the memory stays
 * until oplus_trim, because fresh pages cost as much as writing them does. */
#ifndef OPI_RANK_H
#define OPI_RANK_H

#include "task/machine.h"

/* Memory that is lent to a call: in the device's memory, in the host's, or in the host's where the device copies
 * without the processor's help. */
typedef enum opi_loan_kind { OPI_LOAN_HOST, OPI_LOAN_PINNED, OPI_LOAN_DEVICE } opi_loan_kind;

typedef struct opi_loan {
    opi_loan_kind kind;
    void *mem; /* NULL: nothing yet */
    size_t bytes;
    bool lent; /* a call has it */
} opi_loan;

enum { OPI_LOANS = 8 }; /* that a call takes at most */

typedef struct opi_rank {
    opi_loan loan[OPI_LOANS];
    opi_buffer notes;   /* what all ranks say first, and lists of an exchange */
    opi_buffer records; /* what all ranks say afterwards */
    opi_buffer carries; /* a range, the same as a record, and a result */
    /* The last reduce or scan, which the next one probably resembles. */
    uint64_t last_n;     /* elements of this rank */
    uint64_t last_first; /* index of the first of them */
    size_t last_nodes;   /* nodes of the rank that had most, of an operator that rounds */
} opi_rank;

/* Of a device, before its own trim and close; a device without calls over ranks has nothing to free. */
void opi_rank_trim(oplus_device *dev);
void opi_rank_close(oplus_device *dev);

#endif
