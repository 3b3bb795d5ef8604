/* Spans: the memory that a driver has allocated, by address.  With them it is often known which memory a pointer
 * points to, without a call of the driver. */
#ifndef OPI_SPANS_H
#define OPI_SPANS_H

#include "driver/driver.h"

typedef struct opi_span {
    char *address;
    size_t bytes;
    size_t reach;      /* number of addresses that belong to the span: `bytes`, or more */
    opi_gpu_side side; /* OPI_SIDE_PINNED or OPI_SIDE_DEVICE */
    bool lent;         /* true: the memory belongs to the user's program, which frees it */
    void *object;      /* the driver's handle, if it has one */
} opi_span;

/* A list of spans, sorted by address. */
typedef struct opi_spans {
    opi_span *at;
    size_t count, room;
} opi_spans;

/* Makes room for one more span, so that adding it cannot fail; false: there is no memory for that. */
bool opi_spans_reserve(opi_spans *spans);
/* Adds a span, after opi_spans_reserve. */
void opi_spans_add(opi_spans *spans, opi_span span);
/* Removes the span that begins at `address`, the one that was added last if there are several; false: there is
 * none. */
bool opi_spans_remove(opi_spans *spans, const void *address, opi_span *removed);
/* The span in whose reach p lies; NULL: there is none.  If spans overlap, the one whose begin is nearest to p. */
const opi_span *opi_spans_find(const opi_spans *spans, const void *p);
/* Whether [p, p + bytes) lies inside the span; p must be in its reach. */
bool opi_span_holds(const opi_span *span, const void *p, size_t bytes);
void opi_spans_free(opi_spans *spans); /* frees the list, not the memory of the spans */

#endif
