/* Texts in rows and columns, on a terminal. */
#ifndef LAB_GRID_H
#define LAB_GRID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct lab_grid {
    size_t columns, rows, room;
    char **cell; /* rows * columns; NULL: empty */
    bool *left;  /* for each column: it holds words, aligned left; numbers are aligned right */
} lab_grid;

lab_grid lab_grid_of(size_t columns);
/* Column 0 begins a row; the first row is the head, which is wrapped at blanks. */
void lab_put(lab_grid *g, size_t column, const char *text);
void lab_put_number(lab_grid *g, size_t column, double x); /* three significant digits; nothing if not finite */
/* Three significant digits, whole numbers in full; "" if it is not finite. */
void lab_number_text(char *text, size_t bytes, double x);
/* Prints the grid without columns that have nothing below their head, and frees it. */
void lab_print_grid(FILE *out, lab_grid *g);

#endif
