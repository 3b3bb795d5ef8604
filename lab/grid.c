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

/* The width of the first `bytes` bytes, in characters. */
static size_t width_of(const char *text, size_t bytes)
{
    size_t width = 0;
    for (size_t i = 0; i < bytes; i++) width += (text[i] & 0xc0) != 0x80;
    return width;
}

/* --- heads in several lines --------------------------------------------------------------------------------------- */

/* The k-th line of a text from below, counted from 0: where it begins, and its bytes; 0 bytes if there is no such
 * line. */
static const char *line_from_below(const char *text, size_t k, size_t *bytes)
{
    const char *end = text + strlen(text);
    for (;; end--) {
        const char *begin = end;
        while (begin > text && begin[-1] != '\n') begin--;
        *bytes = (size_t)(end - begin);
        if (k-- == 0) return begin;
        if (begin == text) return *bytes = 0, text;
        end = begin;
    }
}

static size_t lines_of(const char *text)
{
    size_t lines = 1;
    for (; *text; text++) lines += *text == '\n';
    return lines;
}

static size_t widest_line(const char *text)
{
    size_t widest = 0, bytes;
    for (size_t k = 0; k < lines_of(text); k++) {
        const char *const line = line_from_below(text, k, &bytes);
        if (width_of(line, bytes) > widest) widest = width_of(line, bytes);
    }
    return widest;
}

/* Breaks a head at blanks so that no line is wider than the column must be anyway. */
static void wrap(char *head, size_t width)
{
    size_t column = 0;
    char *blank = NULL; /* before the current word */
    for (char *word = head; *word;) {
        const size_t length = strcspn(word, " ");
        if (blank && column + 1 + width_of(word, length) > width) {
            *blank = '\n';
            column = width_of(word, length);
        } else {
            column += (blank != NULL) + width_of(word, length);
        }
        blank = word[length] ? word + length : NULL;
        word += length + (blank != NULL);
    }
}

/* --- columns ------------------------------------------------------------------------------------------------------ */

/* The width that the rows below the head need. */
static size_t data_width(const lab_grid *g, size_t c)
{
    size_t most = 0;
    for (size_t r = 1; r < g->rows; r++) {
        const char *const text = g->cell[r * g->columns + c];
        const size_t width = text ? width_of(text, strlen(text)) : 0;
        if (width > most) most = width;
    }
    return most;
}

/* 0: the column has nothing below its head and is left out. */
static size_t column_width(const lab_grid *g, size_t c)
{
    const size_t data = data_width(g, c), head = g->cell[c] ? widest_line(g->cell[c]) : 0;
    return data == 0 ? 0 : data > head ? data : head;
}

static void print_cell(FILE *out, const char *text, size_t bytes, size_t width, bool left, bool last)
{
    const int gap = (int)(width - width_of(text, bytes));
    fprintf(out, "  %*s%.*s%*s", left ? 0 : gap, "", (int)bytes, text, left && !last ? gap : 0, "");
}

static void print_head(FILE *out, const lab_grid *g, size_t last)
{
    size_t lines = 1;
    for (size_t c = 0; c < g->columns; c++)
        if (column_width(g, c) && g->cell[c] && lines_of(g->cell[c]) > lines) lines = lines_of(g->cell[c]);
    for (size_t k = lines; k-- > 0;) {
        for (size_t c = 0; c <= last; c++) {
            size_t bytes;
            const char *const line = line_from_below(g->cell[c] ? g->cell[c] : "", k, &bytes);
            if (column_width(g, c)) print_cell(out, line, bytes, column_width(g, c), g->left[c], c == last);
        }
        fputc('\n', out);
    }
}

void lab_print_grid(FILE *out, lab_grid *g)
{
    enum { LEAST = 6 }; /* heads are not wrapped to less than this */
    size_t last = 0;
    for (size_t c = 0; g->rows > 0 && c < g->columns; c++) {
        if (g->cell[c]) wrap(g->cell[c], data_width(g, c) > LEAST ? data_width(g, c) : LEAST);
        if (column_width(g, c)) last = c;
    }
    if (g->rows > 0) print_head(out, g, last);
    for (size_t r = 1; r < g->rows; r++) {
        for (size_t c = 0; c <= last; c++) {
            const char *const text = g->cell[r * g->columns + c] ? g->cell[r * g->columns + c] : "";
            if (column_width(g, c)) print_cell(out, text, strlen(text), column_width(g, c), g->left[c], c == last);
        }
        fputc('\n', out);
    }
    for (size_t i = 0; i < g->rows * g->columns; i++) free(g->cell[i]);
    free(g->cell);
    free(g->left);
    fputc('\n', out);
}

/* --- numbers ------------------------------------------------------------------------------------------------------ */

void lab_number_text(char *text, size_t bytes, double x)
{
    if (!isfinite(x))
        *text = '\0';
    else if (fabs(x) < 1e15 && (x == floor(x) || fabs(x) >= 100))
        snprintf(text, bytes, "%.0f", x);
    else if (fabs(x) >= 10 && fabs(x) < 1e15)
        snprintf(text, bytes, "%.1f", x);
    else if (fabs(x) >= 1 && fabs(x) < 1e15)
        snprintf(text, bytes, "%.2f", x);
    else
        snprintf(text, bytes, "%#.3g", x);
}

void lab_put_number(lab_grid *g, size_t column, double x)
{
    char text[32];
    lab_number_text(text, sizeof text, x);
    lab_put(g, column, text);
}
