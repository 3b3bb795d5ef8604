/* A segmented sort on an accelerator: its ways (gpu/ways.h), and what they share. */
#ifndef OPI_GPU_SEGSORT_H
#define OPI_GPU_SEGSORT_H

#include "base/memory.h"
#include "gpu/job.h"

enum { OPI_SEGSORT_KEYS, OPI_SEGSORT_OFFSETS, OPI_SEGSORT_VALUES, OPI_SEGSORT_ARRAYS };

/* A segmented sort under way. */
typedef struct opi_segsorting {
    opi_job job; /* must be first */
    opi_gpu_side side[OPI_SEGSORT_ARRAYS];
    char *at[OPI_SEGSORT_ARRAYS]; /* the arrays in device memory */
    size_t first, n;              /* elements before the segments, and in them */
    bool has_long;                /* a segment has more than OPI_SHORT_SEGMENT elements, or it is not known */
    bool is_short;                /* the way is "short" */
    char *cuts;                   /* scratch memory of that way */
    /* --- of the other way --- */
    const oplus_type *place, *number; /* of an index, of a segment's number: unsigned integers */
    char *order;                      /* indices of the elements from `first` on; NULL for keys alone */
    char *natural;                    /* segments of the elements as they lie; NULL for keys alone */
    char *numbers;                    /* segments of the elements in the order so far */
    char *sorted;                     /* keys or values in order */
} opi_segsorting;

static inline const opi_array *opi_segsort_array(const opi_segsorting *s, int k) { return &s->job.task->array[k]; }

/* Where the elements of the first segment begin. */
static inline char *opi_segsort_from_first(const opi_segsorting *s, int k)
{
    return s->at[k] + s->first * opi_segsort_array(s, k)->size;
}

/* Allocates scratch memory, brings the arrays of the host, sorts, and takes them back. */
oplus_status opi_segsort_do(opi_segsorting *s, oplus_status (*sort)(const opi_segsorting *s));

/* --- the way "short" (short.c) ------------------------------------------------------------------------------------ */

size_t opi_segsort_short_bytes(const opi_segsorting *s); /* of its scratch memory */

/* --- ways (gpu/ways.h) -------------------------------------------------------------------------------------------- */

bool opi_segsort_short_can(const opi_job *job, uint64_t n);
oplus_status opi_segsort_short_run(opi_job *job, const opi_part *part);
oplus_status opi_segsort_two_run(opi_job *job, const opi_part *part);

#endif
