/* Jobs that need their arrays whole, not in pieces: arrays of the host are copied to the device and back. */
#ifndef OPI_GPU_WHOLE_H
#define OPI_GPU_WHOLE_H

#include "gpu/job.h"

typedef struct opi_whole {
    opi_gpu_side side[OPI_MAX_ARRAYS];
    opi_part part;                /* all items, in device memory */
    size_t place[OPI_MAX_ARRAYS]; /* of an array of the host: where its copy begins, in bytes */
    size_t bytes;                 /* of all such copies */
    bool is_host;                 /* all arrays lie on the host */
} opi_whole;

/* Looks where the arrays lie; names: those of the public call's arguments, for messages. */
oplus_status opi_whole_look(const opi_job *job, const char *const *names, opi_whole *whole);
/* Whether all arrays lie on the host, and do not fit `room` bytes of the device: then the cores do the task. */
bool opi_whole_is_too_large(const opi_job *job, const opi_whole *whole, size_t room);
/* Reserves memory for the copies, in g->array[0], and finds where the part's arrays are. */
oplus_status opi_whole_place(const opi_job *job, opi_whole *whole);
/* Copies what the task reads to the device. */
oplus_status opi_whole_bring(const opi_job *job, const opi_whole *whole);
/* Copies the first items of array k back, if it has a copy. */
oplus_status opi_whole_take(const opi_job *job, const opi_whole *whole, int k, size_t items);
/* All of it: chooses a way, prepares it, copies, runs it, and copies back what the task writes. */
oplus_status opi_whole_run(opi_job *job, opi_whole *whole);

#endif
