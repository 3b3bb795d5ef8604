/* What the pipelines of a scan, of a filter and of a select have in common on the host: the shape of their groups, the memory in which
 * groups tell each other what they have found, and the launch. */
#ifndef OPI_GPU_GROUPS_H
#define OPI_GPU_GROUPS_H

#include "gpu/deal.h"
#include "gpu/launch.h"

/* A kernel whose groups stay and wait for each other. */
typedef struct opi_groups {
    opi_program *program;
    const char *kernel;
    size_t element, node; /* bytes of an element, and of what groups tell each other of a tile */
    size_t beside;        /* bytes of shared memory beside the stages of the ring */
    bool lifted;          /* each element has a head: a byte of another array */
    bool slow;            /* a vector is much work: two teams of warps write, and take tiles in turn */
    bool counts;          /* a node is a number, of what a filter keeps */
    size_t makes;         /* bytes of which an element is made before it comes into the ring; 0: an array has it */
} opi_groups;

/* The arguments of a launch that opi_groups_add adds by their addresses. */
typedef struct opi_groups_told {
    uint64_t places;
    opi_dealt dealt;
    uint64_t tiles; /* of this accelerator */
} opi_groups_told;

uint64_t opi_groups_tile(size_t element);              /* elements */
uint64_t opi_groups_tiles(size_t element, uint64_t n); /* so many have n elements */
uint64_t opi_groups_most_tiles(void);                  /* of one launch and what precedes it */
/* Bytes in which a team of a filter puts the kept elements side by side, or their indices; widest: bytes of the larger one of
 * both. */
size_t opi_groups_heaps(size_t element, size_t widest);

/* If the tiles of a task are dealt out: the accelerator that has the last one. */
unsigned opi_groups_last_owner(const opi_job *job, size_t element);

/* Whether a device can run such groups. */
bool opi_groups_fit(const opi_gpu_facts *facts, const opi_groups *groups);

/* The numbers of the shape, and the texts; a program writes its type and its node between them. */
opi_shape opi_groups_write_shape(opi_gpu_source *source, const opi_job *job, const opi_groups *groups);
void opi_groups_write_kernels(opi_gpu_source *source);
opi_shape opi_groups_shape(size_t element);

/* Bytes of the elements of all inputs of which a scan or a filter makes one; 0: its input has elements as they are needed. */
size_t opi_groups_makes(const opi_task *task);

/* Reserves memory for launches of up to `tiles` tiles, and finds out how many groups are resident.  If none are, nothing
 * may be launched. */
oplus_status opi_groups_prepare(const opi_job *job, const opi_groups *groups, uint64_t tiles);
/* Adds the memory that opi_groups_prepare has reserved, for a launch of `tiles` tiles of all accelerators: states, fault,
 * places, and how tiles are dealt out if they are.  `told` must live until the launch. */
void opi_groups_add(const opi_job *job, const opi_groups *groups, uint64_t tiles, opi_arguments *to,
                    opi_groups_told *told);
oplus_status opi_groups_launch(const opi_job *job, const opi_groups *groups, const opi_groups_told *told,
                               const opi_arguments *a);

#endif
