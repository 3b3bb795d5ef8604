/* The data that the patterns are timed on: arrays of the device, or of the host if the device has no kernels. */
#ifndef LAB_PATTERNS_TIMED_H
#define LAB_PATTERNS_TIMED_H

#include "lab/patterns/patterns.h"

typedef struct timing {
    lab_device *dev;
    uint32_t n;
    uint32_t *in, *out, *scratch[2], *scanned; /* n elements each */
    uint8_t *heads, *flags[2];
    size_t kept;         /* of a filter */
    unsigned passes;     /* over the data in the last run: launches, loops, calls of oplus_scan */
    uint32_t *host;      /* the input again, */
    uint8_t *host_heads; /* and the heads, always on the host */
    uint32_t *expected, *result;
    size_t expected_kept;
} timing;

typedef enum timing_pattern { MAP, NEIGHBOURS, HALVES, SCAN, SEGSCAN, FILTER, SORT, PATTERNS } timing_pattern;

/* A form of a pattern: takes a timing, leaves the result in out, and enqueues or waits.  NULL: there is none. */
typedef void (*timing_form)(void *);

extern const timing_form timed_drawn[PATTERNS]; /* as drawn; without kernels, on one core */
extern const timing_form timed_loops[PATTERNS]; /* as one writes it for one core, if not as drawn */
extern const timing_form timed_oplus[PATTERNS];

#endif
