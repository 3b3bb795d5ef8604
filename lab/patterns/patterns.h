/* Patterns: what all files of this folder know. */
#ifndef LAB_PATTERNS_PATTERNS_H
#define LAB_PATTERNS_PATTERNS_H

#include "lab/drawing.h"

/* Rows of elements, in columns. */
typedef struct drawing {
    lab_drawing rows;
    int label, cell; /* characters of a row's name, and of each element */
} drawing;

enum { LETTERS = 32 }; /* room of a text in a drawn row: two numbers fit */

void drawing_begin(drawing *d, int label, int cell);
void draw_line(drawing *d, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* "in   3   1   7" */
void draw_numbers(drawing *d, const char *name, const unsigned *x, int n);
void draw_texts(drawing *d, const char *name, char (*x)[LETTERS], int n); /* "" stays blank */
void draw_gap(drawing *d);
/* The same as a row of the picture (lab/drawing.h). */
void picture_numbers(drawing *d, const char *name, const unsigned *x, int n);
void picture_texts(drawing *d, const char *name, char (*x)[LETTERS], int n);
/* In that row the first n cells are what stands above them. */
void picture_kept(drawing *d, int n);
/* Records the drawing as a section, shows it, and frees it. */
void drawing_end(drawing *d, lab *l, const char *title, const char *about);

/* The patterns, drawn: each really does its steps on a few elements. */
void draw_map(lab *l);
void draw_reduce(lab *l);
void draw_scan(lab *l);
void draw_segscan(lab *l);
void draw_filter(lab *l);
void draw_sort(lab *l);

/* The patterns, timed. */
void time_patterns(lab *l);

#endif
