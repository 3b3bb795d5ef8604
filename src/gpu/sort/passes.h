/* Sorting in device memory: the ways of a sort (gpu/ways.h), and what its values need. */
#ifndef OPI_GPU_PASSES_H
#define OPI_GPU_PASSES_H

#include "gpu/job.h"

/* Where elements are: device memory, or the host's.  values NULL: there are none, or they are indices to be made. */
typedef struct opi_place {
    char *keys, *values;
} opi_place;

/* A sort under way.  A part's addresses are those of the keys and of what travels with them; it is sorted to `to`. */
typedef struct opi_sorting {
    opi_job job;
    uint64_t negative, flip;    /* the order, as sort.cl has it */
    size_t key, value, payload; /* bytes: of a key, of a value, of what travels with a key */
    unsigned low, high;         /* the bits of the keys that are compared */
    bool limited;               /* they are not all: also of keys alone, those with equal bits keep their order */
    bool swaps;                 /* the way's passes go between place 0 and where it ends, as opi_sort_last says */
    size_t unit;                /* of the integers that a value is made of */
    bool indexed;               /* an index travels instead of the value */
    bool places;                /* an argsort: the indices are the result, and the keys stay as they are */
    bool staged;                /* the keys lie on the host */
    bool direct;                /* keys and values lie on the device, and the values themselves travel */
    bool stays;                 /* the way may end where it begins, and its place is 1 */
    bool small;                 /* the program is for as many elements as one work-group sorts */
    bool wide;                  /* ... or, by the way "digits", for as many as take several launches a pass */
    uint64_t dealt;             /* keys of all accelerators, if they are dealt out (job.deal) */
    opi_place to;               /* may be opi_sort_scratch(s, n, opi_sort_last(s)) */
} opi_sorting;

void opi_sort_shape(opi_sorting *s);

/* Passes of OPI_DIGIT_BITS bits each, or less. */
unsigned opi_sort_passes_of(const opi_sorting *s);

/* 2^28: elements that a launch of the way "digits" moves where a pass is several launches; the way "counts" has a table for 8
 * times as many.  Tests have another number. */
uint64_t opi_sort_portion(void);

/* One of the two places in g->array[0 .. 1] that elements go to and fro between; they are there once a way has
 * prepared. */
opi_place opi_sort_scratch(const opi_sorting *s, uint64_t n, unsigned i);
/* The bytes of such a place. */
size_t opi_sort_bytes(const opi_sorting *s, uint64_t n);
/* The one that a sort may end in. */
unsigned opi_sort_last(const opi_sorting *s);
/* Whether it may end where it begins. */
bool opi_sort_ends_at_begin(const opi_sorting *s);
/* to[i] = from[index[i]], values that stayed where they were. */
oplus_status opi_sort_gather(const opi_sorting *s, const char *from, const char *index, uint64_t n, char *to);

/* --- ways ------------------------------------------------------------------------------------------------------------ */

bool opi_sort_fits_one(const opi_job *job, uint64_t n);
oplus_status opi_sort_one_prepare(opi_job *job, uint64_t n);
oplus_status opi_sort_one_run(opi_job *job, const opi_part *part);
oplus_status opi_sort_passes_prepare(opi_job *job, uint64_t n);
oplus_status opi_sort_passes_run(opi_job *job, const opi_part *part);

#endif
