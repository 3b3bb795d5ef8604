/* A drawing made of text: printed line by line, then a section of steps. */
#ifndef LAB_DRAWING_H
#define LAB_DRAWING_H

#include "lab/lab.h"

/* Stays where it was begun: the stream knows its address. */
typedef struct lab_drawing {
    FILE *to;
    char *text; /* what was printed, once it is ended */
    size_t bytes;
} lab_drawing;

void lab_drawing_begin(lab_drawing *drawing);
/* Records it without empty lines at its end, shows it, and frees it. */
void lab_drawing_end(lab_drawing *drawing, lab *l, const char *title, const char *about);

#endif
