/* Colour and shape say the same, so that who cannot tell colours apart, or prints without them, loses nothing. */
#include <string.h>

#include "section.h"
#include "write.h"

void report_marks(FILE *to)
{
    static const char *const shapes[REPORT_SHAPES] = {
        "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z", "M-3.7 -3.7h7.4v7.4h-7.4z", "M0 -4.8L4.6 3.4h-9.2z",
        "M0 -5.2L5.2 0L0 5.2L-5.2 0z",         "M0 4.8L4.6 -3.4h-9.2z",    "M-1.5 -4.5h3v3h3v3h-3v3h-3v-3h-3v-3h3z",
    };
    fputs("<svg class=\"marks\" width=\"0\" height=\"0\" aria-hidden=\"true\"><defs>\n", to);
    for (int i = 0; i < REPORT_SHAPES; i++) fprintf(to, "<path id=\"mark%d\" d=\"%s\"/>\n", i, shapes[i]);
    fputs("</defs></svg>\n", to);
}

void report_mark(FILE *to, int series, double x, double y)
{
    fprintf(to, "<use class=\"c%d mark\" href=\"#mark%d\" x=\"%.2f%%\" y=\"%.1f\">", series % REPORT_COLOURS,
            series % REPORT_SHAPES, x, y);
}

void report_key(FILE *to, int series, const char *style, const char *name)
{
    fputs("<li><svg class=\"key\" width=\"30\" height=\"12\" aria-hidden=\"true\">", to);
    if (strcmp(style, "dots") != 0)
        fprintf(to, "<line class=\"c%d %s\" x1=\"0\" x2=\"30\" y1=\"6\" y2=\"6\"/>", series % REPORT_COLOURS, style);
    if (strcmp(style, "dashed") != 0) {
        report_mark(to, series, 50, 6);
        fputs("</use>", to);
    }
    fputs("</svg> ", to);
    report_text(to, name);
    fputs("</li>\n", to);
}
