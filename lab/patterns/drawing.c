#include "lab/patterns/patterns.h"

#include <stdarg.h>
#include <string.h>

enum { MOST = 256 }; /* characters of a line */

void drawing_begin(drawing *d, int label, int cell)
{
    d->label = label;
    d->cell = cell;
    lab_drawing_begin(&d->rows);
}

/* Adds a line, without the blanks at its end. */
static void add(drawing *d, const char *line)
{
    size_t length = strlen(line);
    while (length > 0 && line[length - 1] == ' ') length--;
    fprintf(d->rows.to, "%.*s\n", (int)length, line);
}

void draw_line(drawing *d, const char *format, ...)
{
    char line[MOST];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    add(d, line);
}

void draw_gap(drawing *d) { draw_line(d, "%s", ""); }

void draw_texts(drawing *d, const char *name, char (*x)[LETTERS], int n)
{
    char line[MOST];
    int at = snprintf(line, sizeof line, "%-*s", d->label, name);
    for (int i = 0; i < n && at < MOST; i++) at += snprintf(line + at, (size_t)(MOST - at), "%*s", d->cell, x[i]);
    add(d, line);
}

void draw_numbers(drawing *d, const char *name, const unsigned *x, int n)
{
    char line[MOST];
    int at = snprintf(line, sizeof line, "%-*s", d->label, name);
    for (int i = 0; i < n && at < MOST; i++) at += snprintf(line + at, (size_t)(MOST - at), "%*u", d->cell, x[i]);
    add(d, line);
}

void picture_numbers(drawing *d, const char *name, const unsigned *x, int n)
{
    lab_picture_row(&d->rows, "%s", name);
    for (int i = 0; i < n; i++) lab_picture_cell(&d->rows, "%u", x[i]);
}

void picture_texts(drawing *d, const char *name, char (*x)[LETTERS], int n)
{
    lab_picture_row(&d->rows, "%s", name);
    for (int i = 0; i < n; i++) lab_picture_cell(&d->rows, "%s", x[i]);
}

void picture_kept(drawing *d, int n)
{
    for (int i = 0; i < n; i++) lab_picture_link(&d->rows, i, i, false);
}

void drawing_end(drawing *d, lab *l, const char *title, const char *about)
{
    lab_drawing_end(&d->rows, l, title, about);
}
