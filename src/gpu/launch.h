/* Launches of kernels. */
#ifndef OPI_GPU_LAUNCH_H
#define OPI_GPU_LAUNCH_H

#include "gpu/job.h"

/* The arguments of a kernel, one after the other. */
typedef struct opi_arguments {
    opi_gpu_argument list[24];
    int count;
} opi_arguments;

static inline void opi_add(opi_arguments *a, opi_gpu_argument argument) { a->list[a->count++] = argument; }

/* The index i of the first element, which a kernel has behind its inputs if a function has the index (OPI_INDEXED). */
static inline void opi_add_index(opi_arguments *a, const opi_job *job)
{
    if (opi_task_indexed(job->task)) opi_add(a, opi_value(job->index));
}

/* Adds the inputs of a reduce, a scan or a filter, and that index behind them; the output follows. */
static inline void opi_add_inputs(opi_arguments *a, const opi_job *job, const char *const *address)
{
    for (int k = 0; k < job->task->arrays - 1; k++) opi_add(a, opi_memory(address[k]));
    opi_add_index(a, job);
}

/* Launches a kernel of the job's program with `groups` work-groups, each with the work-items of the job's shape;
 * arguments are made by opi_memory(...) and opi_value(...).  A rehearsal looks up the kernel, and counts the
 * launch. */
oplus_status opi_gpu_launch(const opi_job *job, const char *kernel, uint64_t groups, const opi_gpu_argument *argument,
                            int arguments);
/* The same for a kernel that begins with OPI_AFTER_LAUNCHES: it may be launched before the launches before it have ended. */
oplus_status opi_gpu_launch_early(const opi_job *job, const char *kernel, uint64_t groups,
                                  const opi_gpu_argument *argument, int arguments);
/* Launches a kernel of another program, with `items` work-items in each group; as opi_gpu_launch. */
oplus_status opi_gpu_launch_of(const opi_job *job, opi_program *program, const char *kernel, uint64_t groups,
                               unsigned items, const opi_gpu_argument *argument, int arguments);

/* What the first launch of a program does before: compares the layout of structs on the device with the host's.  It
 * waits for the device. */
oplus_status opi_gpu_check_layout(const opi_job *job, opi_program *program);

/* Launches a kernel of another program as `launch` says, whose kernel is set here; as opi_gpu_launch. */
oplus_status opi_gpu_launch_as(const opi_job *job, opi_program *program, const char *kernel, const opi_launch *launch);

#endif
