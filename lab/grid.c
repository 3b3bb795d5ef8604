#include "lab/grid.h"

#include "die.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

lab_grid lab_grid_of(size_t columns)
{
    lab_grid g = {.columns = columns, .left = tool_alloc((columns + 1) * sizeof *g.left)};
    memset(g.left, 0, (columns + 1) * sizeof *g.left);
    return g;
}

void lab_put(lab_grid *g, size_t column, const char *text)
{
    if (column == 0) {
        if (g->rows == g->room) {
            g->room = g->room ? 2 * g->room : 16;
            g->cell = tool_realloc(g->cell, g->room * g->columns * sizeof *g->cell);
        }
        for (size_t c = 0; c < g->columns; c++) g->cell[g->rows * g->columns + c] = NULL;
        g->rows++;
    }
    g->cell[(g->rows - 1) * g->columns + column] = tool_copy(text);
}

/* Characters, not bytes. */
static size_t width_of(const char *text)
{
    size_t width = 0;
    for (; text && *text; text++) width += (*text & 0xc0) != 0x80;
    return width;
}

/* A column without a text in any row but the first is left out. */
static size_t column_width(const lab_grid *g, size_t c)
{
    size_t most = 0, filled = 0;
    for (size_t r = 0; r < g->rows; r++) {
        const char *const text = g->cell[r * g->columns + c];
        const size_t width = width_of(text);
        if (width > most) most = width;
        filled += r > 0 && width > 0;
    }
    return filled ? most : 0;
}

static void print_cell(FILE *out, const char *text, size_t width, bool left, bool last)
{
    const size_t gap = width - width_of(text);
    fprintf(out, "  ");
    if (!left) fprintf(out, "%*s", (int)gap, "");
    fputs(text ? text : "", out);
    if (left && !last) fprintf(out, "%*s", (int)gap, "");
}

void lab_print_grid(FILE *out, lab_grid *g)
{
    size_t last = 0;
    for (size_t c = 0; c < g->columns; c++)
        if (column_width(g, c)) last = c;
    for (size_t r = 0; r < g->rows; r++) {
        for (size_t c = 0; c <= last; c++) {
            const size_t width = column_width(g, c);
            if (width) print_cell(out, g->cell[r * g->columns + c], width, g->left[c], c == last);
        }
        fputc('\n', out);
    }
    for (size_t i = 0; i < g->rows * g->columns; i++) free(g->cell[i]);
    free(g->cell);
    free(g->left);
    fputc('\n', out);
}

/* Three digits that count; whole numbers whole. */
static void number(char text[32], double x)
{
    if (!isfinite(x))
        *text = '\0';
    else if (fabs(x) < 1e15 && (x == floor(x) || fabs(x) >= 100))
        snprintf(text, 32, "%.0f", x);
    else if (fabs(x) >= 10 && fabs(x) < 1e15)
        snprintf(text, 32, "%.1f", x);
    else if (fabs(x) >= 1 && fabs(x) < 1e15)
        snprintf(text, 32, "%.2f", x);
    else
        snprintf(text, 32, "%.3g", x);
}

void lab_put_number(lab_grid *g, size_t column, double x)
{
    char text[32];
    number(text, x);
    lab_put(g, column, text);
}
