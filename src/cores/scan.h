/* Scan and segmented scan of a block, continued from what precedes it. */
#ifndef OPI_SCAN_H
#define OPI_SCAN_H

#include "cores/reduce.h"

#include <string.h>

/* All scans as one sweep; the carry is an opi_range (lifted where there are heads).  A scan from the end goes over the
 * elements in the opposite order. */
typedef struct opi_scan_sweep {
    opi_sweep sweep;
    opi_loops loops;
    opi_lens lens;
    bool exchanges; /* it is a scan from the end by an operator whose operands matter: `loops` are of `exchanged`, */
    oplus_op exchanged;
    opi_loops plain;       /* ... and these of the operator as it is */
    const oplus_fn *after; /* what is made of a result; NULL: it is written as it is */
    void (*after_leaf)(const void *const *in, const void *param, size_t n, void *out);
    opi_quiet after_quiet;
    const uint8_t *heads; /* NULL: not segmented, or nothing to read */
    bool lifted;          /* what is carried is (value, flag) */
    char *out;
    size_t out_size; /* of what is written for an element, bytes */
    bool exclusive;
    bool streaming; /* results go through a cached piece and non-temporal stores */
    uint64_t first; /* global index of in[0] */
} opi_scan_sweep;

/* Plans a scan, or a reduce with heads, which is the summary of a segmented scan. */
void opi_scan_plan(opi_scan_sweep *plan, const opi_isa *isa, const opi_task *task);

/* Ends an exact scan that started from the identity, because nothing precedes x[0]: writes x[0] itself where the scan
 * wrote the identity joined with x[0].  A logical operator makes 0 or 1 of that.  first: a copy of x[0]; heads: NULL if
 * the scan is not segmented. */
static inline void opi_scan_put_first(const opi_loops *loops, const void *first, const uint8_t *heads, size_t n,
                                      bool exclusive, char *out)
{
    const size_t own = exclusive ? 1 : 0; /* the result that is x[0] */
    if (own < n && !(heads && exclusive && heads[1])) memcpy(out + own * loops->size, first, loops->size);
}

#endif
