/* Transpose in device memory: its ways (gpu/ways.h). */
#ifndef OPI_GPU_TURNS_H
#define OPI_GPU_TURNS_H

#include "gpu/job.h"
#include "gpu/source.h"

enum { OPI_MOST_TURNED = 64 }; /* bytes of an element, for the ways "thin" and "lines" */

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

/* Finds the program of a way for the elements, the unit and the shape of the job, and for `own`, a number of the way's. */
oplus_status opi_turn_program(opi_turning *t, const char *way, uint64_t own,
                              void (*write)(opi_gpu_source *source, const void *context));

/* A whole transpose from one array to another that is dealt out (gpu/deal.h), by the way "tiles"; and whether that can be: a
 * page has several rows, so that a tile reads its own page. */
bool opi_turn_deals(const opi_job *job);
void opi_turn_all(const opi_job *job, opi_turning *t);

/* The part that the struct describes. */
oplus_status opi_turn(opi_turning *t);

/* The largest power of two up to OPI_VECTOR_BYTES that divides the size of an element and the addresses of the matrices. */
unsigned opi_turn_unit(const opi_turning *t);
/* Whether the tiles of the way "tiles" or "squares" are moved as words, and whether all of them are whole then. */
bool opi_turn_has_words(const opi_turning *t);
bool opi_turn_is_even(const opi_turning *t);
/* How many pairs of tiles change places, of tiles x tiles; a tile of the diagonal is a pair with itself. */
uint64_t opi_turn_pairs(uint64_t tiles);

/* --- ways ----------------------------------------------------------------------------------------------------------- */

bool opi_turn_is_in_place(const opi_job *job, uint64_t n);
bool opi_turn_is_apart(const opi_job *job, uint64_t n);
bool opi_thin_can(const opi_job *job, uint64_t n);
bool opi_thin_suits(const opi_job *job, uint64_t n);
oplus_status opi_thin_prepare(opi_job *job, uint64_t n);
oplus_status opi_thin_run(opi_job *job, const opi_part *part);
bool opi_lines_can(const opi_job *job, uint64_t n);
bool opi_lines_suits(const opi_job *job, uint64_t n);
oplus_status opi_lines_prepare(opi_job *job, uint64_t n);
oplus_status opi_lines_run(opi_job *job, const opi_part *part);
oplus_status opi_turn_prepare(opi_job *job, uint64_t n);
oplus_status opi_turn_squares(opi_job *job, const opi_part *part);
oplus_status opi_turn_tiles(opi_job *job, const opi_part *part);

#endif
