/* Looking at the offsets of segments in device memory: are they in order, and which work-groups does each segment want?
 * (offsets.cl) */
#ifndef OPI_GPU_OFFSETS_H
#define OPI_GPU_OFFSETS_H

#include "gpu/job.h"

enum { OPI_CHUNK_SEGMENTS = 64 }; /* of a work-item's chunk, at least */

/* The program that looks at offsets, and how many of them a work-group does. */
typedef struct opi_looking {
    const opi_job *job;
    opi_program *program;
    opi_shape shape;
    uint64_t segments, part, parts;
    size_t offset; /* bytes */
} opi_looking;

oplus_status opi_looking_begin(opi_looking *l, const opi_job *job, size_t segments, size_t offset);
oplus_status opi_looking_launch(const opi_looking *l, const char *kernel, uint64_t groups, const opi_gpu_argument *list,
                                int count);
/* counts[] of the parts, of each kind, become what comes before each; behind them stand the sums. */
oplus_status opi_looking_add_up(const opi_looking *l, unsigned kinds, char *counts);
size_t opi_looking_bytes(const opi_looking *l); /* of counts[], and what stands behind */

/* What a check finds out about offsets. */
typedef struct opi_offsets_facts {
    uint64_t first, end;     /* the first and the last one */
    opi_long_segments large; /* the long segments; of offsets in device memory not where they are, and OPI_NOT_KNOWN of
                              * them if the call is rehearsed */
} opi_offsets_facts;
#define OPI_NOT_KNOWN UINT64_MAX

/* Are the task's offsets in order, wherever they are?  If they are not, says which one is wrong.  least: how many elements
 * make a segment long, more than 0; or OPI_NONE_IS_LONG. */
#define OPI_NONE_IS_LONG UINT64_MAX
oplus_status opi_offsets_check(const opi_job *job, opi_gpu_side side, uint64_t least, opi_offsets_facts *facts);
/* The same, with something that is enqueued before the host waits for what is seen of offsets in device memory.  It gets the
 * place of two numbers of 64 bits there: how many offsets are wrong, and how many segments are long. */
typedef struct opi_meanwhile {
    oplus_status (*run)(void *context, const char *seen);
    void *context;
} opi_meanwhile;
oplus_status opi_offsets_check_while(const opi_job *job, opi_gpu_side side, uint64_t least,
                                     const opi_meanwhile *meanwhile, opi_offsets_facts *facts);
/* Lists in device memory the `count` long segments of offsets in device memory: first how many elements the long ones before
 * each of them have, behind these how many all have, then where each begins.  are_seen: opi_offsets_check has just looked at
 * them there, and nothing has been done since. */
static inline size_t opi_offsets_list_bytes(uint64_t count) { return (size_t)(2 * count + 1) * sizeof(uint64_t); }
oplus_status opi_offsets_list(const opi_job *job, const void *offsets, bool are_seen, uint64_t least, uint64_t count,
                              char *list);
/* Offsets in device memory become a copy of the host, in the cores' array. */
oplus_status opi_offsets_read(const opi_job *job, opi_offsets *offsets);

/* Multiprocessors or cores, at least 1. */
static inline unsigned opi_units(const opi_accelerator *g) { return g->gpu->facts.units ? g->gpu->facts.units : 1; }

#endif
