/* The memory that a driver has handed out, by address: where a pointer leads is often known without asking the driver. */
#ifndef OPI_SPANS_H
#define OPI_SPANS_H

#include "driver/driver.h"

typedef struct opi_span {
    char *address;
    size_t bytes;
    size_t reach;      /* addresses that are its own: bytes, or more */
    opi_gpu_side side; /* OPI_SIDE_PINNED or OPI_SIDE_DEVICE */
    bool lent;         /* by its owner, who frees it */
    void *object;      /* the driver's handle, if it has one */
} opi_span;

/* In the order of their addresses. */
typedef struct opi_spans {
    opi_span *at;
    size_t count, room;
} opi_spans;

/* Makes room for one more, so that nothing can fail once its memory is there; false: there is no memory for that. */
bool opi_spans_reserve(opi_spans *spans);
/* After opi_spans_reserve. */
void opi_spans_add(opi_spans *spans, opi_span span);
/* Removes the span that begins at `address`, the one that was added last if there are several; false: there is none. */
bool opi_spans_remove(opi_spans *spans, const void *address, opi_span *removed);
/* The span in whose reach p lies; NULL: none.  Where spans overlap, the one that begins nearest. */
const opi_span *opi_spans_find(const opi_spans *spans, const void *p);
/* Whether [p, p + bytes) is inside, where p is in its reach. */
bool opi_span_holds(const opi_span *span, const void *p, size_t bytes);
void opi_spans_free(opi_spans *spans); /* the list, not the memory */

#endif
