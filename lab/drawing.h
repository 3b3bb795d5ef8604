/* A drawing: lines of text, which are printed, and pictures of the same steps, which the page draws; a section of
 * steps. */
#ifndef LAB_DRAWING_H
#define LAB_DRAWING_H

#include "lab/lab.h"

/* Must not be moved once begun, because the stream has its address. */
typedef struct lab_drawing {
    FILE *to;
    char *text; /* what was printed, once the drawing is ended */
    size_t bytes;
    cJSON *pictures, *row; /* all pictures; the last row of the last one */
    int label, cell;       /* characters of a drawn row's name, and of each of its elements */
} lab_drawing;

void lab_drawing_begin(lab_drawing *drawing, int label, int cell);
/* Records the drawing without empty lines at its end, shows it, and frees it. */
void lab_drawing_end(lab_drawing *drawing, lab *l, const char *title, const char *about);

/* --- drawn rows of n elements: "in   3   1   7" --- */

enum { LETTERS = 32 }; /* room for a text in a drawn row: two numbers fit */

void draw_line(lab_drawing *drawing, const char *format, ...) __attribute__((format(printf, 2, 3)));
void draw_gap(lab_drawing *drawing);
void draw_numbers(lab_drawing *drawing, const char *name, const unsigned *x, int n);
void draw_texts(lab_drawing *drawing, const char *name, char (*x)[LETTERS], int n); /* "" stays blank */

/* --- pictures: rows of cells below each other, and links between two rows --- */

/* Begins a picture with this number of columns. */
void lab_picture(lab_drawing *drawing, const char *title, int columns);
/* Begins a row of the picture. */
void lab_picture_row(lab_drawing *drawing, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The next cell of the row; "" leaves its place empty. */
void lab_picture_cell(lab_drawing *drawing, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Highlights the cell in this column of the row. */
void lab_picture_mark(lab_drawing *drawing, int column);
/* Gives the next cell of the row a tint, 0 to 1. */
void lab_picture_tint(lab_drawing *drawing, double tint);
/* Draws a link from a cell of the row above to a cell of this row.  taken: the value is an operand there; else it is
 * copied unchanged. */
void lab_picture_link(lab_drawing *drawing, int from, int to, bool taken);

/* The same as draw_numbers and draw_texts, as a row of the picture; picture_kept links the first n cells to the same
 * cells above. */
void picture_numbers(lab_drawing *drawing, const char *name, const unsigned *x, int n);
void picture_texts(lab_drawing *drawing, const char *name, char (*x)[LETTERS], int n);
void picture_kept(lab_drawing *drawing, int n);

#endif
