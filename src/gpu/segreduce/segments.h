/* Segments in device memory: the way of a segmented reduce (gpu/ways.h). */
#ifndef OPI_GPU_SEGMENTS_H
#define OPI_GPU_SEGMENTS_H

#include "gpu/job.h"

/* A segmented reduce under way, batch after batch of whole segments.  A part's n is the elements of a batch, and may
 * be 0; its addresses are those of the first element, the first offset and the first result. */
typedef struct opi_segments {
    opi_job job;
    size_t size, offset; /* bytes of an element, and of an offset */
    unsigned log_least;  /* shorter segments are a work-item's */
    unsigned gap;        /* words of a gap in local memory, of the way "windows", */
    bool is_sparse;      /* where many segments may be empty, */
    unsigned residents;  /* and work-groups on a multiprocessor */
    uint64_t segments;   /* of the batch, */
    uint64_t first;      /* and the offset of its first element */
    bool are_looked_at;  /* whether the offsets are known to be in order */
} opi_segments;

/* What a segmented reduce is that is dealt out (gpu/deal.h): one batch, whose offsets nobody has looked at. */
oplus_status opi_gpu_segreduce_ready(const opi_job *job, opi_segments *s);

/* How the segments are cut for the way "segments", which all devices have. */
void opi_gpu_segments_shape(opi_segments *s);
oplus_status opi_gpu_segments_prepare(opi_job *job, uint64_t n);
oplus_status opi_gpu_segments_run(opi_job *job, const opi_part *part);

#endif
