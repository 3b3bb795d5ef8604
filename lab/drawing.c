#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include "lab/drawing.h"

#include "die.h"
#include "lab/show.h"

#include <stdlib.h>

static const char no_memory[] = "no memory for a drawing";

void lab_drawing_begin(lab_drawing *drawing)
{
    *drawing = (lab_drawing){.text = NULL};
    drawing->to = open_memstream(&drawing->text, &drawing->bytes);
    if (!drawing->to) tool_die(TOOL_FAILED, "%s", no_memory);
}

void lab_drawing_end(lab_drawing *drawing, lab *l, const char *title, const char *about)
{
    if (fclose(drawing->to) != 0) tool_die(TOOL_FAILED, "%s", no_memory);
    while (drawing->bytes > 0 && drawing->text[drawing->bytes - 1] == '\n') drawing->text[--drawing->bytes] = '\0';
    lab_show_section(l, lab_steps(l->experiment, title, about, drawing->text));
    free(drawing->text);
}
