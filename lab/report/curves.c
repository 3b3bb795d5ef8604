/* Curves that keep their shape at any width.  What lies along x is in percent; the lines alone, which know no percent,
 * are in a picture that is stretched, with strokes that are not.  Labels left of the axis and right of a line stand
 * outside of the picture, in the margins that the style sheet leaves: nothing has to know how wide the page is. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "die.h"
#include "scale.h"
#include "section.h"
#include "write.h"

enum { TOP = 26, HEIGHT = 260, BOTTOM = 46, LABEL = 15, MOST_MARKS = 40, MOST_LABEL = 22, MOST_LABELS = 8 };

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
} figure;

/* --- points ------------------------------------------------------------------------------------------------------- */

static double coordinate(const cJSON *point, int i)
{
    return report_item(cJSON_IsArray(point) ? cJSON_GetArrayItem(point, i) : NULL);
}

static const cJSON *points_of(const cJSON *series)
{
    const cJSON *const points = cJSON_GetObjectItemCaseSensitive(series, "points");
    return cJSON_IsArray(points) ? points : NULL;
}

static bool has_place(const figure *fig, const cJSON *point)
{
    return report_has_place(fig->x.log, coordinate(point, 0)) && report_has_place(fig->y.log, coordinate(point, 1));
}

static double x_of(const figure *fig, const cJSON *point)
{
    return report_place_on(&fig->x.scale, coordinate(point, 0));
}

static double y_of(const figure *fig, const cJSON *point)
{
    return 1 - report_place_on(&fig->y.scale, coordinate(point, 1));
}

static axis axis_of(const cJSON *section, const char *which)
{
    const cJSON *const of = cJSON_GetObjectItemCaseSensitive(section, which);
    return (axis){report_member(of, "name"),
                  report_member(of, "unit"),
                  cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(of, "log")),
                  {0, 1, false, false}};
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
            const bool finite = isfinite(coordinate(point, 0)) && isfinite(coordinate(point, 1));
            if (!has_place(&fig, point)) {
                fig.lost += finite;
                continue;
            }
            report_extent_see(&x, coordinate(point, 0));
            report_extent_see(&y, coordinate(point, 1));
            fig.placed++;
        }
    }
    fig.x.scale = report_scale_of(x, false);
    fig.y.scale = report_scale_of(y, true);
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

static const char *style_of(const cJSON *series)
{
    const char *const style = report_member(series, "style");
    return strcmp(style, "dots") == 0 || strcmp(style, "dashed") == 0 ? style : "line";
}

static void write_line(FILE *to, const figure *fig, const cJSON *series, int number)
{
    const cJSON *point;
    char step = 'M';
    if (strcmp(style_of(series), "dots") == 0) return;
    fprintf(to, "<path class=\"c%d %s\" d=\"M0 0", number % REPORT_COLOURS, style_of(series));
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

static void write_points(FILE *to, const figure *fig, const cJSON *series, int number)
{
    const cJSON *const points = points_of(series), *point;
    const bool dense = cJSON_GetArraySize(points) > MOST_MARKS && strcmp(style_of(series), "dots") != 0;
    if (dense) return;
    cJSON_ArrayForEach (point, points) {
        if (!has_place(fig, point)) continue;
        report_mark(to, number, 100 * x_of(fig, point), TOP + HEIGHT * y_of(fig, point));
        fputs("<title>", to);
        report_text(to, report_member(series, "name"));
        fputs(": ", to);
        write_amount(to, &fig->x, coordinate(point, 0));
        fputs(", ", to);
        write_amount(to, &fig->y, coordinate(point, 1));
        fputs("</title></use>\n", to);
    }
}

/* --- names at the ends of lines ----------------------------------------------------------------------------------- */

typedef struct label {
    const cJSON *series;
    int number;
    double x, y;
} label;

/* How many characters the longest name has, if the names fit beside the lines; or 0. */
static int room_for_labels(const figure *fig)
{
    const cJSON *series;
    int room = 0;
    cJSON_ArrayForEach (series, fig->series) {
        const int length = report_text_length(report_member(series, "name"));
        if (length > room) room = length;
    }
    return fig->count >= 2 && fig->count <= MOST_LABELS && room <= MOST_LABEL ? room : 0;
}

static int by_height(const void *a, const void *b)
{
    const double one = ((const label *)a)->y, two = ((const label *)b)->y;
    return (one > two) - (one < two);
}

/* Apart from each other: downwards from above, and up again from the foot. */
static void part_labels(label *labels, int n)
{
    qsort(labels, (size_t)n, sizeof *labels, by_height);
    for (int i = 1; i < n; i++) labels[i].y = fmax(labels[i].y, labels[i - 1].y + LABEL);
    for (int i = n; i-- > 0;) labels[i].y = fmin(labels[i].y, i + 1 < n ? labels[i + 1].y - LABEL : TOP + HEIGHT);
}

static void write_labels(FILE *to, const figure *fig)
{
    label labels[MOST_LABELS];
    const cJSON *series, *point;
    int n = 0, number = 0;
    cJSON_ArrayForEach (series, fig->series) {
        const cJSON *last = NULL;
        cJSON_ArrayForEach (point, points_of(series)) {
            if (has_place(fig, point)) last = point;
        }
        if (last) labels[n++] = (label){series, number, 100 * x_of(fig, last), TOP + HEIGHT * y_of(fig, last)};
        number++;
    }
    part_labels(labels, n);
    for (int i = 0; i < n; i++) {
        fprintf(to, "<text class=\"name n%d\" x=\"%.2f%%\" dx=\"11\" y=\"%.1f\" dy=\"4\">",
                labels[i].number % REPORT_COLOURS, labels[i].x, labels[i].y);
        report_text(to, report_member(labels[i].series, "name"));
        fputs("</text>\n", to);
    }
}

/* --- the figure --------------------------------------------------------------------------------------------------- */

static void write_legend(FILE *to, const figure *fig)
{
    const cJSON *series;
    int number = 0;
    fputs("<ul class=\"legend\">\n", to);
    cJSON_ArrayForEach (series, fig->series) {
        report_key(to, number++, style_of(series), report_member(series, "name"));
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
        write_line(to, fig, series, number++);
    }
    fputs("</svg>\n", to);
    number = 0;
    cJSON_ArrayForEach (series, fig->series) {
        write_points(to, fig, series, number++);
    }
    if (room_for_labels(fig)) write_labels(to, fig);
    fputs("</svg>\n", to);
}

/* --- the numbers -------------------------------------------------------------------------------------------------- */

static int by_value(const void *a, const void *b)
{
    const double one = *(const double *)a, two = *(const double *)b;
    return (one > two) - (one < two);
}

/* All x of all series, each once, in order. */
static size_t every_x(const figure *fig, double **out)
{
    const cJSON *series, *point;
    size_t room = 0, n = 0, once = 0;
    cJSON_ArrayForEach (series, fig->series) {
        room += (size_t)cJSON_GetArraySize(points_of(series));
    }
    double *const x = *out = tool_alloc((room + 1) * sizeof *x);
    cJSON_ArrayForEach (series, fig->series) {
        cJSON_ArrayForEach (point, points_of(series)) {
            if (isfinite(coordinate(point, 0))) x[n++] = coordinate(point, 0);
        }
    }
    qsort(x, n, sizeof *x, by_value);
    for (size_t i = 0; i < n; i++)
        if (once == 0 || x[i] != x[once - 1]) x[once++] = x[i];
    return once;
}

static double y_at(const cJSON *series, double x)
{
    const cJSON *point;
    cJSON_ArrayForEach (point, points_of(series)) {
        if (coordinate(point, 0) == x) return coordinate(point, 1);
    }
    return NAN;
}

static void write_numbers(FILE *to, const figure *fig)
{
    const cJSON *series;
    double *x;
    const size_t n = every_x(fig, &x);
    fprintf(to, "<details class=\"numbers%s\"><summary>The numbers</summary>\n", fig->count == 1 ? " slim" : "");
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
            fprintf(to, "<td class=\"n\">%s</td>", report_number_of(y_at(series, x[i])).text);
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
    const int room = room_for_labels(&fig);
    if (fig.placed == 0) {
        fputs("<p class=\"empty\">Nothing was measured that could be drawn.</p>\n", to);
        return;
    }
    fprintf(to, "<figure class=\"chart%s\" style=\"--room:%d\">\n", room ? " direct" : "", room);
    if (fig.count > 1 || *report_member(fig.series->child, "name")) write_legend(to, &fig);
    write_picture(to, &fig);
    if (fig.lost > 0)
        fprintf(to,
                "<figcaption>Not drawn, as a logarithmic axis has no place for 0 and below: %d point%s.</figcaption>\n",
                fig.lost, fig.lost == 1 ? "" : "s");
    fputs("</figure>\n", to);
    write_numbers(to, &fig);
}
