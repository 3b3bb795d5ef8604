/* Transpose in device memory: its ways (gpu/ways.h). */
#ifndef OPI_GPU_TURNS_H
#define OPI_GPU_TURNS_H

#include "gpu/job.h"

/* A transpose under way, matrix after matrix.  A part's addresses are those of the matrix and of where it goes. */
typedef struct opi_turning {
    opi_job job; /* log_e of its shape is of the side of a square tile */
    size_t size; /* of an element, bytes */
    /* --- the part --- */
    const char *in;
    char *out;                  /* the same: in place */
    size_t rows, cols;          /* of the input, */
    size_t in_pitch, out_pitch; /* between whose rows so many elements are, and between those of the output */
    unsigned unit;              /* bytes that are moved at a time, */
    unsigned block;             /* unless so many elements are moved as one word; 1: they are not */
} opi_turning;

/* The part that the struct describes. */
oplus_status opi_turn(opi_turning *t);

/* --- ways ----------------------------------------------------------------------------------------------------------- */

bool opi_turn_is_in_place(const opi_job *job, uint64_t n);
bool opi_turn_is_apart(const opi_job *job, uint64_t n);
oplus_status opi_turn_prepare(opi_job *job, uint64_t n);
oplus_status opi_turn_squares(opi_job *job, const opi_part *part);
oplus_status opi_turn_tiles(opi_job *job, const opi_part *part);

#endif
