/* Scans of n elements by kernels that scan blocks: what the ladders of this folder share. */
#ifndef LAB_SCAN_SCAN_H
#define LAB_SCAN_SCAN_H

#include "lab/ladder.h"
#include "lab/peer.h"
#include "lab/scan/sizes.h"

/* The sums of blocks, the sums of blocks of those, and so on: with 2^30 elements in blocks of at least ITEMS, the
 * last level is one block. */
enum { SCAN_LEVELS = 4 };

/* What the rungs of a ladder work on, beyond lab_work: its context. */
typedef struct scan_data {
    size_t element;             /* bytes of one: 4, a uint, or 8, a double */
    void *sums[SCAN_LEVELS];    /* memory of the device */
    bool segmented;             /* it has heads and flags: */
    void *heads;                /* a byte for each element: a segment begins */
    void *flags[SCAN_LEVELS];   /* a byte for each of the sums: a segment begins in the block */
    void *copy;                 /* n elements on the host, for any use */
    const void *input;          /* on the host, for the segmented ladder only: the contents of in */
    const uint8_t *input_heads; /* and heads */
    const void *expected;       /* what out must contain */
    bool on_host;               /* the result is in copy */
} scan_data;

static inline scan_data *scan_data_of(const lab_work *work) { return work->context; }

/* --- what a ladder is made of --- */

/* Allocates memory on work->dev: in, out, sums; heads and flags if segmented. */
void scan_allocate(lab_work *work);
void scan_release(lab_work *work);
/* The same in the memory of a model, with a context of its own. */
void scan_model(lab_work *work);
void scan_model_free(lab_work *work);
void scan_spoil(lab_work *work);
bool scan_right(lab_work *work);

/* The array; or the sums of the blocks of a level, one each, in place. */
typedef struct scan_level {
    void *in, *heads, *out, *sums, *flags; /* heads and flags: if segmented */
    uint32_t n, blocks;
} scan_level;

/* Fills in the levels until a single block is left; returns how many. */
int scan_levels_of(const lab_work *work, uint32_t block, scan_level level[SCAN_LEVELS]);

/* --- passes over the array, by the kernels of work->rung->file --- */

/* Kernel scan on blocks of `block` elements; the host scans their sums; kernel `add` of the file. */
void scan_with_host(lab_work *work, const char *add, uint32_t block);
/* Kernel scan on blocks; their sums are scanned in the same way; kernel `add`. */
void scan_with_add(lab_work *work, const char *add, uint32_t block);
/* Kernel reduce on tiles; the same for their sums; kernel scan on tiles. */
void scan_after_reduce(lab_work *work);

/* --- the sections --- */
void scan_draw(lab *l);     /* steps on a few elements */
void scan_doubles(lab *l);  /* in double precision */
void scan_segments(lab *l); /* segmented */
/* From three launches to one, on the same work. */
void scan_once(lab *l, lab_work *work);

#endif
