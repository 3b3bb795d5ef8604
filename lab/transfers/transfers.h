/* What the parts of the experiment share: arrays on both sides, and moving them. */
#ifndef LAB_TRANSFERS_TRANSFERS_H
#define LAB_TRANSFERS_TRANSFERS_H

#include "lab/lab.h"

typedef enum lab_way { LAB_UP, LAB_DOWN, LAB_WAYS } lab_way;
/* Memory of the host: from malloc, or pinned by the driver, so that the device can access it by itself. */
typedef enum lab_kept { LAB_PAGEABLE, LAB_PINNED, LAB_KEPTS } lab_kept;

extern const char *const lab_ways[LAB_WAYS], *const lab_kepts[LAB_KEPTS];

/* Seconds for a number of bytes: a + b * bytes. */
typedef struct lab_line {
    double a, b; /* NAN: not known */
} lab_line;

/* Arrays of the same size. */
typedef struct lab_traffic {
    lab *l;
    lab_device *dev;
    size_t bytes;
    uint32_t *host[LAB_KEPTS];          /* what goes up: the same random numbers below 2^16 */
    uint32_t *back[LAB_KEPTS];          /* where it comes back to */
    void *there;                        /* on the device */
    lab_line line[LAB_WAYS][LAB_KEPTS]; /* fitted by the first section */
} lab_traffic;

/* The first bytes of an array, moved in chunks, and waited for. */
typedef struct lab_transfer {
    lab_traffic *t;
    lab_way way;
    lab_kept kept;
    size_t bytes, chunk;
} lab_transfer;

/* The queue of a way; a call that enqueues; a call that waits. */
opi_gpu_queue lab_queue_of(lab_way way);
void lab_move(lab_traffic *t, lab_way way, lab_kept kept, size_t at, size_t bytes);
void lab_finish(lab_traffic *t, opi_gpu_queue queue);

/* Seconds of a transfer, after a check that the data arrive; if they do not, this is reported, and the result is
 * NAN. */
double lab_transfer_seconds(lab_transfer *transfer);

/* "64 KiB" */
const char *lab_bytes_text(char text[32], size_t bytes);

/* The sections. */
void lab_transfers_sizes(lab_traffic *t);
void lab_transfers_chunks(lab_traffic *t);
void lab_transfers_duplex(lab_traffic *t);
void lab_transfers_overlap(lab_traffic *t);

#endif
