/* Pictures of steps: rows of cells, and links between two rows.  Everything is in units of the picture, which shrinks
 * as a whole where it has no room. */
#include "section.h"
#include "write.h"

#include <math.h>
#include <stdbool.h>

enum { LABEL = 118, CELL = 62, WIDTH = 46, HEIGHT = 25, GAP = 34, NEAR = 6, MOST_COLUMNS = 64, MOST_LABEL = 20 };

static const cJSON *list(const cJSON *of, const char *name)
{
    const cJSON *const found = cJSON_GetObjectItemCaseSensitive(of, name);
    return cJSON_IsArray(found) ? found : NULL;
}

static double middle_of(double column) { return LABEL + (column + .5) * CELL; }

static bool has(const cJSON *numbers, int wanted)
{
    const cJSON *number;
    cJSON_ArrayForEach (number, numbers) {
        if (report_item(number) == wanted) return true;
    }
    return false;
}

/* A row has room for its links above it. */
static int height_of(const cJSON *row)
{
    const cJSON *const links = list(row, "links");
    return HEIGHT + (links && links->child ? GAP : NEAR);
}

/* From the lower edge of the row above to the upper edge of this one, y. */
static void write_links(FILE *to, const cJSON *row, int y, int columns)
{
    const cJSON *link;
    cJSON_ArrayForEach (link, list(row, "links")) {
        const double from = report_item(cJSON_GetArrayItem(link, 0)), into = report_item(cJSON_GetArrayItem(link, 1));
        const bool taken = report_item(cJSON_GetArrayItem(link, 2)) > 0;
        if (!(from >= 0 && from < columns && into >= 0 && into < columns)) continue;
        fprintf(to, "<line class=\"link%s\" x1=\"%.0f\" y1=\"%d\" x2=\"%.0f\" y2=\"%d\"/>\n", taken ? " taken" : "",
                middle_of(from), y - GAP, middle_of(into), y);
    }
}

static void write_cell(FILE *to, const char *text, double tint, bool marked, int column, int y)
{
    fprintf(to, "<rect class=\"cell%s\" x=\"%.0f\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"5\"/>",
            marked ? " marked" : "", middle_of(column) - WIDTH / 2., y, WIDTH, HEIGHT);
    if (tint >= 0 && tint <= 1)
        fprintf(to, "<rect class=\"tint\" x=\"%.0f\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"5\" opacity=\"%.2f\"/>",
                middle_of(column) - WIDTH / 2., y, WIDTH, HEIGHT, tint);
    fprintf(to, "<text class=\"middle\" x=\"%.0f\" y=\"%d\">", middle_of(column), y + 17);
    report_text_short(to, text, 9);
    fputs("</text>\n", to);
}

static void write_row(FILE *to, const cJSON *row, int y, int columns)
{
    const cJSON *const tints = list(row, "tints"), *cell;
    int column = 0;
    fprintf(to, "<text class=\"axis\" x=\"0\" y=\"%d\">", y + 17);
    report_text_short(to, report_member(row, "label"), MOST_LABEL);
    fputs("</text>\n", to);
    cJSON_ArrayForEach (cell, list(row, "cells")) {
        const char *const text = cJSON_GetStringValue(cell);
        const cJSON *const tint = tints ? cJSON_GetArrayItem(tints, column) : NULL;
        if (text && column < columns)
            write_cell(to, text, tint ? report_item(tint) : NAN, has(list(row, "marks"), column), column, y);
        column++;
    }
}

static void write_picture(FILE *to, const cJSON *picture, const char *id, int number)
{
    const double wanted = report_value(picture, "columns");
    const int columns = wanted >= 1 && wanted <= MOST_COLUMNS ? (int)wanted : 1;
    const cJSON *row;
    int height = 0, y = 0;
    cJSON_ArrayForEach (row, list(picture, "rows")) {
        height += height_of(row);
    }
    fprintf(to,
            "<figure class=\"chart\">\n<svg class=\"picture\" role=\"img\" aria-labelledby=\"%s-p%d\" viewBox=\"0 0 %d "
            "%d\">\n",
            id, number, LABEL + columns * CELL, height + NEAR);
    fprintf(to, "<title id=\"%s-p%d\">", id, number);
    report_text(to, report_member(picture, "title"));
    fputs("</title>\n", to);
    cJSON_ArrayForEach (row, list(picture, "rows")) {
        y += height_of(row);
        write_links(to, row, y - HEIGHT, columns);
        write_row(to, row, y - HEIGHT, columns);
    }
    fputs("</svg>\n<figcaption>", to);
    report_text(to, report_member(picture, "title"));
    fputs("</figcaption>\n</figure>\n", to);
}

void report_pictures(FILE *to, const cJSON *section, const char *id)
{
    const cJSON *picture;
    int number = 0;
    cJSON_ArrayForEach (picture, list(section, "pictures")) {
        write_picture(to, picture, id, ++number);
    }
}
