#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include "lab/drawing.h"

#include "die.h"
#include "lab/show.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const char no_memory[] = "no memory for a drawing";

void lab_drawing_begin(lab_drawing *drawing, int label, int cell)
{
    *drawing = (lab_drawing){.label = label, .cell = cell};
    drawing->to = open_memstream(&drawing->text, &drawing->bytes);
    drawing->pictures = cJSON_CreateArray();
    if (!drawing->to || !drawing->pictures) tool_die(TOOL_FAILED, "%s", no_memory);
}

void lab_drawing_end(lab_drawing *drawing, lab *l, const char *title, const char *about)
{
    if (fclose(drawing->to) != 0) tool_die(TOOL_FAILED, "%s", no_memory);
    while (drawing->bytes > 0 && drawing->text[drawing->bytes - 1] == '\n') drawing->text[--drawing->bytes] = '\0';
    cJSON *const section = lab_steps(l->experiment, title, about, drawing->text);
    if (drawing->pictures->child)
        cJSON_AddItemToObject(section, "pictures", drawing->pictures);
    else
        cJSON_Delete(drawing->pictures);
    lab_show_section(l, section);
    free(drawing->text);
}

/* --- drawn rows --------------------------------------------------------------------------------------------------- */

enum { MOST = 64, MOST_LINE = 256 }; /* characters of a label or a cell; of a line */

/* Adds a line, without the blanks at its end. */
static void add(lab_drawing *d, const char *line)
{
    size_t length = strlen(line);
    while (length > 0 && line[length - 1] == ' ') length--;
    fprintf(d->to, "%.*s\n", (int)length, line);
}

void draw_line(lab_drawing *d, const char *format, ...)
{
    char line[MOST_LINE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    add(d, line);
}

void draw_gap(lab_drawing *d) { add(d, ""); }

void draw_texts(lab_drawing *d, const char *name, char (*x)[LETTERS], int n)
{
    char line[MOST_LINE];
    int at = snprintf(line, sizeof line, "%-*s", d->label, name);
    for (int i = 0; i < n && at < MOST_LINE; i++)
        at += snprintf(line + at, (size_t)(MOST_LINE - at), "%*s", d->cell, x[i]);
    add(d, line);
}

/* Converts up to MOST numbers to texts. */
static void with_texts(lab_drawing *d, const char *name, const unsigned *x, int n,
                       void (*show)(lab_drawing *d, const char *name, char (*x)[LETTERS], int n))
{
    char text[MOST][LETTERS];
    for (int i = 0; i < n && i < MOST; i++) snprintf(text[i], LETTERS, "%u", x[i]);
    show(d, name, text, n < MOST ? n : MOST);
}

void draw_numbers(lab_drawing *d, const char *name, const unsigned *x, int n) { with_texts(d, name, x, n, draw_texts); }

/* --- pictures ----------------------------------------------------------------------------------------------------- */

void lab_picture(lab_drawing *drawing, const char *title, int columns)
{
    cJSON *const picture = lab_append_object(drawing->pictures);
    lab_add_text(picture, "title", title);
    lab_add_number(picture, "columns", columns);
    lab_add_array(picture, "rows");
}

void lab_picture_row(lab_drawing *drawing, const char *format, ...)
{
    char label[MOST];
    va_list arguments;
    const cJSON *const picture = cJSON_GetArrayItem(drawing->pictures, cJSON_GetArraySize(drawing->pictures) - 1);
    va_start(arguments, format);
    vsnprintf(label, sizeof label, format, arguments);
    va_end(arguments);
    drawing->row = lab_append_object(cJSON_GetObjectItemCaseSensitive(picture, "rows"));
    lab_add_text(drawing->row, "label", label);
    lab_add_array(drawing->row, "cells");
    lab_add_array(drawing->row, "tints");
    lab_add_array(drawing->row, "marks");
    lab_add_array(drawing->row, "links");
}

static cJSON *list(const lab_drawing *drawing, const char *name)
{
    return cJSON_GetObjectItemCaseSensitive(drawing->row, name);
}

void lab_picture_cell(lab_drawing *drawing, const char *format, ...)
{
    char cell[MOST];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(cell, sizeof cell, format, arguments);
    va_end(arguments);
    lab_cell_text(list(drawing, "cells"), cell);
}

void lab_picture_mark(lab_drawing *drawing, int column) { lab_cell_number(list(drawing, "marks"), column); }

void lab_picture_tint(lab_drawing *drawing, double tint) { lab_cell_number(list(drawing, "tints"), tint); }

void lab_picture_link(lab_drawing *drawing, int from, int to, bool taken)
{
    cJSON *const link = lab_append_array(list(drawing, "links"));
    lab_cell_number(link, from);
    lab_cell_number(link, to);
    lab_cell_number(link, taken);
}

void picture_texts(lab_drawing *d, const char *name, char (*x)[LETTERS], int n)
{
    lab_picture_row(d, "%s", name);
    for (int i = 0; i < n; i++) lab_picture_cell(d, "%s", x[i]);
}

void picture_numbers(lab_drawing *d, const char *name, const unsigned *x, int n)
{
    with_texts(d, name, x, n, picture_texts);
}

void picture_kept(lab_drawing *d, int n)
{
    for (int i = 0; i < n; i++) lab_picture_link(d, i, i, false);
}
