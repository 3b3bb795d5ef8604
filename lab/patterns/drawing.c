#include "lab/patterns/patterns.h"

#include "die.h"
#include "lab/show.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 256 }; /* characters of a line */

drawing drawing_of(int label, int cell)
{
    drawing d = {.text = tool_alloc(MOST), .room = MOST, .label = label, .cell = cell};
    *d.text = '\0';
    return d;
}

/* Adds a line, without the blanks at its end. */
static void add(drawing *d, char *line)
{
    size_t length = strlen(line);
    while (length > 0 && line[length - 1] == ' ') length--;
    if (d->length + length + 2 > d->room) d->text = tool_realloc(d->text, d->room = 2 * d->room + length + 2);
    memcpy(d->text + d->length, line, length);
    d->length += length;
    d->text[d->length++] = '\n';
    d->text[d->length] = '\0';
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

void drawing_end(drawing *d, lab *l, const char *title, const char *about)
{
    if (d->length > 0) d->text[d->length - 1] = '\0'; /* the section ends the last line */
    lab_steps(l->experiment, title, about, d->text);
    const cJSON *const sections = cJSON_GetObjectItemCaseSensitive(l->experiment, "sections");
    lab_show_section(l, cJSON_GetArrayItem(sections, cJSON_GetArraySize(sections) - 1));
    free(d->text);
}
