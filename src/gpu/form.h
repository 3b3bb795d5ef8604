/* From what a sweep computes (opi_form) to the program that computes it on a device. */
#ifndef OPI_GPU_FORM_H
#define OPI_GPU_FORM_H

#include "gpu/program.h"
#include "cores/sweep.h"

typedef struct opi_formed {
    opi_program *program;
    opi_shape shape;
    size_t node; /* bytes of what is carried; 0: blocks are independent */
} opi_formed;

oplus_status opi_form_program(opi_programs *programs, const char *call, const opi_form *form, opi_formed *formed);

#endif
