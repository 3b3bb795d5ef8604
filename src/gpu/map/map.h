/* Map on an accelerator: its way (gpu/ways.h). */
#ifndef OPI_GPU_MAP_H
#define OPI_GPU_MAP_H

#include "gpu/job.h"

/* Gets the program and the parameter. */
oplus_status opi_gpu_map_ready(opi_job *job);
oplus_status opi_map_blocks(opi_job *job, const opi_part *part);

/* Bytes of a copy between devices for which a kernel is worth its launch. */
enum { OPI_LEAST_MOVED = 1 << 20 };
/* A copy as a map, which moves 16 bytes at a time wherever its arrays begin. */
opi_task opi_task_move(void *to, const void *from, size_t bytes);

#endif
