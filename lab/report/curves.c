/* Curves that keep their shape at any width.  What lies along x is in percent; the lines alone, which know no percent,
 * are in a picture that is stretched, with strokes that are not.  Labels left of the axis stand outside of the picture,
 * in the margin that the style sheet leaves: nothing has to know how wide the page is. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "die.h"
#include "lab/record.h"
#include "scale.h"
#include "section.h"
#include "write.h"

enum { TOP = 26, HEIGHT = 260, BOTTOM = 46, MOST_MARKS = 40 };

typedef struct axis {
    const char *name, *unit;
    bool log;
    report_scale scale;
} axis;

typedef struct figure {
    const char *id, *title;
    const cJSON *series; /* an array, or NULL */
    axis x, y;
    int count;  /* of series */
    int placed; /* points */
    int lost;   /* points that a logarithmic axis has no place for */
    int *hue;   /* of each series: the number of its colour and mark */
} figure;

/* --- series ------------------------------------------------------------------------------------------------------- */

static const cJSON *points_of(const cJSON *series)
{
    const cJSON *const points = cJSON_GetObjectItemCaseSensitive(series, "points");
    return cJSON_IsArray(points) ? points : NULL;
}

static const char *style_of(const cJSON *series)
{
    const char *const style = report_member(series, "style");
    return strcmp(style, "dots") == 0 || strcmp(style, "dashed") == 0 ? style : "line";
}

static bool has_place(const figure *fig, const cJSON *point)
{
    return report_has_place(fig->x.log, lab_coordinate(point, 0)) &&
           report_has_place(fig->y.log, lab_coordinate(point, 1));
}

static double x_of(const figure *fig, const cJSON *point)
{
    return report_place_on(&fig->x.scale, lab_coordinate(point, 0));
}

static double y_of(const figure *fig, const cJSON *point)
{
    return 1 - report_place_on(&fig->y.scale, lab_coordinate(point, 1));
}

static axis axis_of(const cJSON *section, const char *which)
{
    const cJSON *const of = cJSON_GetObjectItemCaseSensitive(section, which);
    return (axis){report_member(of, "name"),
                  report_member(of, "unit"),
                  cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(of, "log")),
                  {0, 1, false, false}};
}

/* --- colours ------------------------------------------------------------------------------------------------------ */

/* Whether `formula` is named after the series of measurements `name`: "n = 64" or "64" and ", formula" or ": fitted".
 */
static bool is_named_after(const char *formula, const char *name)
{
    const char *const equals = strstr(name, " = ");
    const char *const key = equals && strncmp(formula, name, strlen(name)) != 0 ? equals + 3 : name;
    const size_t length = strlen(key);
    return length > 0 && strncmp(formula, key, length) == 0 && (formula[length] == ',' || formula[length] == ':');
}

/* Which series a dashed one is the formula of: the nearest above it that was measured; -1: none. */
static int measured_by(const figure *fig, const cJSON *series)
{
    const cJSON *other;
    int number = 0, found = -1;
    if (strcmp(style_of(series), "dashed") != 0) return -1;
    cJSON_ArrayForEach (other, fig->series) {
        if (other == series) break;
        const bool named = is_named_after(report_member(series, "name"), report_member(other, "name"));
        if (named && strcmp(style_of(other), "dashed") != 0) found = number;
        number++;
    }
    return found;
}

/* A colour each; a formula has that of what was measured. */
static int *hues_of(const figure *fig)
{
    int *const hue = tool_alloc((size_t)(fig->count + 1) * sizeof *hue);
    const cJSON *series;
    int number = 0, next = 0;
    cJSON_ArrayForEach (series, fig->series) {
        const int measured = measured_by(fig, series);
        hue[number++] = measured < 0 ? next++ : hue[measured];
    }
    return hue;
}

static figure figure_of(const cJSON *section, const char *id)
{
    const cJSON *const all = cJSON_GetObjectItemCaseSensitive(section, "series"), *series, *point;
    figure fig = {.id = id, .title = report_member(section, "title"), .series = cJSON_IsArray(all) ? all : NULL};
    fig.x = axis_of(section, "x");
    fig.y = axis_of(section, "y");
    report_extent x = report_extent_of(fig.x.log), y = report_extent_of(fig.y.log);
    cJSON_ArrayForEach (series, fig.series) {
        fig.count++;
        cJSON_ArrayForEach (point, points_of(series)) {
            const bool finite = isfinite(lab_coordinate(point, 0)) && isfinite(lab_coordinate(point, 1));
            if (!has_place(&fig, point)) {
                fig.lost += finite;
                continue;
            }
            report_extent_see(&x, lab_coordinate(point, 0));
            report_extent_see(&y, lab_coordinate(point, 1));
            fig.placed++;
        }
    }
    fig.x.scale = report_scale_of(x, false);
    fig.y.scale = report_scale_of(y, true);
    fig.hue = hues_of(&fig);
    return fig;
}

/* --- axes --------------------------------------------------------------------------------------------------------- */

/* "stride, elements" */
static void write_axis_name(FILE *to, const axis *of)
{
    report_text_short(to, of->name, 26);
    if (*of->name && *of->unit) fputs(", ", to);
    report_text_short(to, of->unit, 14);
}

static void write_y_axis(FILE *to, const figure *fig)
{
    report_tick ticks[REPORT_TICKS];
    const int n = report_ticks(&fig->y.scale, fig->y.unit, ticks);
    for (int i = 0; i < n; i++) {
        const double y = TOP + HEIGHT * (1 - ticks[i].at);
        fprintf(to, "<line class=\"grid\" x1=\"0\" x2=\"100%%\" y1=\"%.1f\" y2=\"%.1f\"/>", y, y);
        fprintf(to, "<text class=\"tick left\" x=\"0\" dx=\"-8\" y=\"%.1f\" dy=\"4\">%s</text>\n", y,
                ticks[i].label.text);
    }
    fputs("<text class=\"axis\" x=\"0\" dx=\"-8\" y=\"12\">", to);
    write_axis_name(to, &fig->y);
    fputs("</text>\n", to);
}

static void write_x_axis(FILE *to, const figure *fig)
{
    report_tick ticks[REPORT_TICKS];
    const int n = report_ticks(&fig->x.scale, fig->x.unit, ticks), foot = TOP + HEIGHT;
    fprintf(to, "<line class=\"base\" x1=\"0\" x2=\"100%%\" y1=\"%d\" y2=\"%d\"/>\n", foot, foot);
    for (int i = 0; i < n; i++) {
        const double x = 100 * ticks[i].at;
        fprintf(to, "<line class=\"base\" x1=\"%.2f%%\" x2=\"%.2f%%\" y1=\"%d\" y2=\"%d\"/>", x, x, foot, foot + 5);
        fprintf(to, "<text class=\"tick%s\" x=\"%.2f%%\" y=\"%d\">%s</text>\n", n > 5 && i % 2 ? " spare" : "", x,
                foot + 19, ticks[i].label.text);
    }
    fprintf(to, "<text class=\"axis middle\" x=\"50%%\" y=\"%d\">", foot + BOTTOM - 6);
    write_axis_name(to, &fig->x);
    fputs("</text>\n", to);
}

/* --- lines and marks ---------------------------------------------------------------------------------------------- */

static void write_line(FILE *to, const figure *fig, const cJSON *series, int hue)
{
    const cJSON *point;
    char step = 'M';
    if (strcmp(style_of(series), "dots") == 0) return;
    fprintf(to, "<path class=\"c%d %s\" d=\"M0 0", hue % REPORT_COLOURS, style_of(series));
    cJSON_ArrayForEach (point, points_of(series)) {
        const bool here = has_place(fig, point);
        if (here) fprintf(to, "%c%.1f %.1f", step, 1000 * x_of(fig, point), 1000 * y_of(fig, point));
        step = here ? 'L' : 'M'; /* a gap where nothing is known */
    }
    fputs("\"/>\n", to);
}

static void write_amount(FILE *to, const axis *of, double x)
{
    fprintf(to, "%s ", report_number_of(x).text);
    report_text(to, of->unit);
}

/* Of a line that is dashed or has many points the marks are left out, unless there is no line. */
static void write_points(FILE *to, const figure *fig, const cJSON *series, int hue)
{
    const cJSON *const points = points_of(series), *point;
    const int most = strcmp(style_of(series), "dashed") == 0 ? 1 : MOST_MARKS;
    if (cJSON_GetArraySize(points) > most && strcmp(style_of(series), "dots") != 0) return;
    cJSON_ArrayForEach (point, points) {
        if (!has_place(fig, point)) continue;
        report_mark(to, hue, 100 * x_of(fig, point), TOP + HEIGHT * y_of(fig, point));
        fputs("<title>", to);
        report_text(to, report_member(series, "name"));
        fputs(": ", to);
        write_amount(to, &fig->x, lab_coordinate(point, 0));
        fputs(", ", to);
        write_amount(to, &fig->y, lab_coordinate(point, 1));
        fputs("</title></use>\n", to);
    }
}

/* --- the figure --------------------------------------------------------------------------------------------------- */

static void write_legend(FILE *to, const figure *fig)
{
    const cJSON *series;
    int number = 0;
    fputs("<ul class=\"legend\">\n", to);
    cJSON_ArrayForEach (series, fig->series) {
        report_key(to, fig->hue[number++], style_of(series), report_member(series, "name"));
    }
    fputs("</ul>\n", to);
}

static void write_picture(FILE *to, const figure *fig)
{
    const cJSON *series;
    int number = 0;
    fprintf(to, "<svg class=\"plot\" role=\"img\" aria-labelledby=\"%s-p\" height=\"%d\">\n<title id=\"%s-p\">",
            fig->id, TOP + HEIGHT + BOTTOM, fig->id);
    report_text(to, fig->title);
    fputs(": ", to);
    write_axis_name(to, &fig->y);
    fputs(" over ", to);
    write_axis_name(to, &fig->x);
    fputs("</title>\n", to);
    write_y_axis(to, fig);
    write_x_axis(to, fig);
    fprintf(to,
            "<svg class=\"lines\" x=\"0\" y=\"%d\" width=\"100%%\" height=\"%d\" viewBox=\"0 0 1000 1000\" "
            "preserveAspectRatio=\"none\">\n",
            TOP, HEIGHT);
    cJSON_ArrayForEach (series, fig->series) {
        write_line(to, fig, series, fig->hue[number++]);
    }
    fputs("</svg>\n", to);
    number = 0;
    cJSON_ArrayForEach (series, fig->series) {
        write_points(to, fig, series, fig->hue[number++]);
    }
    fputs("</svg>\n", to);
}

/* --- the numbers -------------------------------------------------------------------------------------------------- */

static void write_numbers(FILE *to, const figure *fig)
{
    const cJSON *series;
    double *x;
    const size_t n = lab_every_x(fig->series, &x);
    fprintf(to, "<details class=\"numbers\" style=\"--columns:%d\"><summary>The numbers</summary>\n",
            fig->count < 8 ? 8 / (1 + fig->count) : 1); /* on paper, side by side */
    report_scroll_begin(to, fig->title);
    fputs("<table><thead><tr><th scope=\"col\">", to);
    write_axis_name(to, &fig->x);
    fputs("</th>", to);
    cJSON_ArrayForEach (series, fig->series) {
        fputs("<th scope=\"col\">", to);
        report_text(to, report_member(series, "name"));
        fputs("</th>", to);
    }
    fputs("</tr></thead>\n<tbody>\n", to);
    for (size_t i = 0; i < n; i++) {
        fprintf(to, "<tr><th scope=\"row\" class=\"n\">%s</th>", report_number_of(x[i]).text);
        cJSON_ArrayForEach (series, fig->series) {
            fprintf(to, "<td class=\"n\">%s</td>", report_number_of(lab_y_at(series, x[i])).text);
        }
        fputs("</tr>\n", to);
    }
    fputs("</tbody></table>\n", to);
    report_scroll_end(to);
    fputs("</details>\n", to);
    free(x);
}

void report_curves(FILE *to, const cJSON *section, const char *id)
{
    const figure fig = figure_of(section, id);
    if (fig.placed == 0) {
        fputs("<p class=\"empty\">Nothing was measured that could be drawn.</p>\n", to);
        free(fig.hue);
        return;
    }
    fputs("<figure class=\"chart\">\n", to);
    if (fig.count > 1 || *report_member(fig.series->child, "name")) write_legend(to, &fig);
    write_picture(to, &fig);
    if (fig.lost > 0)
        fprintf(to,
                "<figcaption>Not drawn, as a logarithmic axis has no place for 0 and below: %d point%s.</figcaption>\n",
                fig.lost, fig.lost == 1 ? "" : "s");
    fputs("</figure>\n", to);
    write_numbers(to, &fig);
    free(fig.hue);
}
