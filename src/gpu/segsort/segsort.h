/* A segmented sort on an accelerator: its ways (gpu/ways.h), and what they share. */
#ifndef OPI_GPU_SEGSORT_H
#define OPI_GPU_SEGSORT_H

#include "base/memory.h"
#include "gpu/job.h"
#include "gpu/segreduce/offsets.h"

enum { OPI_SEGSORT_KEYS, OPI_SEGSORT_OFFSETS, OPI_SEGSORT_VALUES, OPI_SEGSORT_ARRAYS };

/* A segmented sort under way. */
typedef struct opi_segsorting {
    opi_job job; /* must be first */
    opi_gpu_side side[OPI_SEGSORT_ARRAYS];
    char *at[OPI_SEGSORT_ARRAYS]; /* the arrays in device memory */
    size_t first, n;              /* elements before the segments, and in them */
    opi_long_segments large;      /* the segments that have more than OPI_SHORT_SEGMENT elements; OPI_NOT_KNOWN of them
                                   * if a call is rehearsed whose offsets lie on the device */
    bool is_short, is_mixed;      /* the way is "short", or "mixed" */
    const char *seen;             /* of a guess: what only the device knows of the offsets; else NULL */
    char *cuts;                   /* scratch memory of these ways, where work-groups begin */
    /* --- of the other ways; of "mixed" only the long segments are meant, if there are many of them --- */
    const oplus_type *place, *number; /* of an index, of a segment's number: unsigned integers */
    const oplus_type *packed; /* of keys alone: of a key and a segment's number together; NULL: none has the bits */
    unsigned unused;          /* bits of it that both do not need */
    char *order;              /* indices of the elements from `first` on; NULL for keys alone */
    char *natural;            /* segments of the elements as they lie; NULL for keys alone */
    char *numbers;            /* segments of the elements in the order so far */
    char *sorted;             /* keys or values in order; of "mixed" keys as they come, then in order; or what is
                                       * packed, so that there are no numbers */
    char *own_values;         /* of "mixed": values as they come */
    char *list;               /* of "mixed": where the long segments begin */
    opi_program *copies;      /* of "mixed": what copies their elements together, and back */
} opi_segsorting;

static inline const opi_array *opi_segsort_array(const opi_segsorting *s, int k) { return &s->job.task->array[k]; }

/* Where the elements of the first segment begin. */
static inline char *opi_segsort_from_first(const opi_segsorting *s, int k)
{
    return s->at[k] + s->first * opi_segsort_array(s, k)->size;
}

/* The smallest unsigned integer that can be `most`. */
const oplus_type *opi_segsort_number_for(uint64_t most);
/* Bits of a key and the number of one of `segments` segments together; 0: they are not packed. */
unsigned opi_segsort_packed_bits(const opi_segsorting *s, uint64_t segments);
/* Sets the type of what is packed. */
void opi_segsort_pack(opi_segsorting *s, uint64_t segments);
/* Defines what is packed for a program, and writes its text, and that of keys. */
void opi_segsort_write_packed(opi_gpu_source *source, const opi_segsorting *s);
/* Sorts the m keys at s->sorted, which are packed. */
oplus_status opi_segsort_sort_packed(const opi_segsorting *s, size_t m);
/* Does a task that is a part of a sort. */
oplus_status opi_segsort_part(const opi_segsorting *s, const opi_task *task, oplus_status (*primitive)(opi_job *job));
/* Room in the memory at `base`, behind *at; base NULL: it is only measured. */
char *opi_segsort_room(char *base, size_t *at, size_t bytes);

/* Allocates scratch memory, brings the arrays of the host, sorts, and takes them back. */
oplus_status opi_segsort_do(opi_segsorting *s, oplus_status (*sort)(const opi_segsorting *s));

/* --- the way "short" (short.c) ------------------------------------------------------------------------------------ */

size_t opi_segsort_short_bytes(const opi_segsorting *s); /* of its scratch memory */
bool opi_segsort_short_takes(const opi_segsorting *s);   /* whether it can move the values, and has the local memory */
oplus_status opi_segsort_short_get(opi_segsorting *s);   /* gets its program, which becomes that of s->job */
/* Sorts the short segments; long ones stay as they are. */
oplus_status opi_segsort_short_sort(const opi_segsorting *s);

/* --- the way "mixed" (mixed.c) ------------------------------------------------------------------------------------ */

/* Divides its scratch memory behind *at, as opi_segsort_room; sets the types of its indices and numbers. */
void opi_segsort_mixed_divide(opi_segsorting *s, char *base, size_t *at);

/* --- ways (gpu/ways.h) -------------------------------------------------------------------------------------------- */

bool opi_segsort_short_can(const opi_job *job, uint64_t n);
oplus_status opi_segsort_short_run(opi_job *job, const opi_part *part);
bool opi_segsort_mixed_can(const opi_job *job, uint64_t n);
bool opi_segsort_mixed_suits(const opi_job *job, uint64_t n);
oplus_status opi_segsort_mixed_run(opi_job *job, const opi_part *part);
oplus_status opi_segsort_two_run(opi_job *job, const opi_part *part);

#endif
