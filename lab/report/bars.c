/* How fast the rungs of a ladder are, a row each: its name above, so that there is room for it on a phone, and a bar or
 * marks below.  What lies along x is in percent (see curves.c). */
#include <math.h>
#include <string.h>

#include "ladder.h"
#include "scale.h"
#include "section.h"
#include "write.h"

enum { HEAD = 24, ROW = 36, FOOT = 44, MOST_NAME = 30 };

/* --- the frame ---------------------------------------------------------------------------------------------------- */

static void begin(FILE *to, const char *id, int rows)
{
    fprintf(to, "<svg class=\"plot\" role=\"img\" aria-labelledby=\"%s\" height=\"%d\">\n<title id=\"%s\">", id,
            HEAD + rows * ROW + FOOT, id);
}

static void write_axis(FILE *to, const report_scale *scale, int rows, const char *unit)
{
    report_tick ticks[REPORT_TICKS];
    const int n = report_ticks(scale, unit, ticks), foot = HEAD + rows * ROW + 4;
    for (int i = 0; i < n; i++) {
        const double x = 100 * ticks[i].at;
        fprintf(to, "<line class=\"grid\" x1=\"%.2f%%\" x2=\"%.2f%%\" y1=\"%d\" y2=\"%d\"/>", x, x, HEAD, foot);
        fprintf(to, "<text class=\"tick%s\" x=\"%.2f%%\" y=\"%d\">%s</text>\n", n > 5 && i % 2 ? " spare" : "", x,
                foot + 15, ticks[i].label.text);
    }
    fprintf(to, "<text class=\"axis middle\" x=\"50%%\" y=\"%d\">", foot + 34);
    report_text_short(to, unit, 44);
    fputs("</text>\n", to);
}

static void write_row_name(FILE *to, const report_rung *rung, int row)
{
    fprintf(to, "<text class=\"row\" x=\"0\" y=\"%d\">%d ", HEAD + row * ROW + 14, rung->number);
    report_text_short(to, rung->name, MOST_NAME);
    fputs("</text>\n", to);
}

/* Classes of the style sheet. */
static const char *const roles[] = {"step", "yardstick", "oplus", "peer"};

/* --- GB/s --------------------------------------------------------------------------------------------------------- */

static void write_limit(FILE *to, const report_ladder_facts *facts, const report_scale *scale, int rows)
{
    const double x = 100 * report_place_on(scale, facts->limit);
    fprintf(to, "<line class=\"limit\" x1=\"%.2f%%\" x2=\"%.2f%%\" y1=\"%d\" y2=\"%d\"/>", x, x, HEAD - 6,
            HEAD + rows * ROW + 4);
    fprintf(to, "<text class=\"limit %s\" x=\"%.2f%%\" y=\"12\">", x > 50 ? "left" : "", x);
    report_text_short(to, *facts->limit_name ? facts->limit_name : "limit", 20);
    fprintf(to, ": %s ", report_number_of(facts->limit).text);
    report_text_short(to, facts->unit, 12);
    fputs("</text>\n", to);
}

static void write_bar(FILE *to, const report_ladder_facts *facts, const report_scale *scale, int row)
{
    const report_rung rung = report_rung_of(facts, row);
    const int y = HEAD + row * ROW + 20;
    write_row_name(to, &rung, row);
    if (isnan(rung.gbs)) {
        fprintf(to, "<text class=\"value\" x=\"0\" y=\"%d\">%s</text>\n", y + 9, rung.skipped ? "skipped" : "–");
        return;
    }
    const double share = 100 * report_place_on(scale, rung.gbs);
    fprintf(to, "<rect class=\"bar %s\" x=\"0\" y=\"%d\" width=\"%.2f%%\" height=\"11\"/>", roles[rung.role], y, share);
    fprintf(to, "<text class=\"value\" x=\"%.2f%%\" dx=\"6\" y=\"%d\">%s</text>\n", share, y + 10,
            report_number_of(rung.gbs).text);
}

/* What the colours mean, of those that are there. */
static void write_roles(FILE *to, const report_ladder_facts *facts)
{
    static const char *const means[] = {"a step", "a yardstick", "oplus", "CUB"};
    bool there[sizeof means / sizeof *means] = {false};
    for (int i = 0; i < facts->count; i++) there[report_rung_of(facts, i).role] = true;
    fputs("<ul class=\"legend\">\n", to);
    for (size_t r = 0; r < sizeof means / sizeof *means; r++)
        if (there[r])
            fprintf(to,
                    "<li><svg class=\"key\" width=\"14\" height=\"11\" aria-hidden=\"true\"><rect class=\"bar %s\" "
                    "width=\"14\" height=\"11\"/></svg> %s</li>\n",
                    roles[r], means[r]);
    fputs("</ul>\n", to);
}

void report_bars(FILE *to, const cJSON *section, const char *id)
{
    const report_ladder_facts facts = report_ladder_facts_of(section);
    report_extent extent = report_extent_of(false);
    char name[64];
    for (int i = 0; i < facts.count; i++) report_extent_see(&extent, report_rung_of(&facts, i).gbs);
    if (extent.count == 0) return;
    report_extent_see(&extent, facts.limit);
    report_extent_see(&extent, 0);
    const report_scale scale = report_scale_of(extent, false);

    snprintf(name, sizeof name, "%s-b", id);
    fputs("<figure class=\"chart\">\n", to);
    write_roles(to, &facts);
    begin(to, name, facts.count);
    report_text(to, facts.unit);
    fputs(" of each rung", to);
    if (!isnan(facts.limit)) fputs(", and the limit", to);
    fputs("</title>\n", to);
    write_axis(to, &scale, facts.count, facts.unit);
    if (facts.limit > 0) write_limit(to, &facts, &scale, facts.count);
    for (int i = 0; i < facts.count; i++) write_bar(to, &facts, &scale, i);
    fputs("</svg>\n</figure>\n", to);
}

/* --- how much faster than the first, beside the lectures' --------------------------------------------------------- */

/* The first rung that has figures both of ours and of a lecture; -1 if none has. */
static int common_rung(const report_ladder_facts *facts)
{
    for (int i = 0; i < facts->count; i++) {
        const report_rung rung = report_rung_of(facts, i);
        for (int l = 0; rung.gbs > 0 && l < facts->lectures; l++)
            if (report_lecture(&rung, facts->lecture[l]) > 0) return i;
    }
    return -1;
}

/* Of one device, l = -1: of ours; NaN if it is unknown. */
static double figure_of(const report_ladder_facts *facts, int row, int l)
{
    const report_rung rung = report_rung_of(facts, row);
    const double gbs = l < 0 ? rung.gbs : report_lecture(&rung, facts->lecture[l]);
    return gbs > 0 ? gbs : NAN;
}

static double gain(const report_ladder_facts *facts, int base, int row, int l)
{
    return figure_of(facts, row, l) / figure_of(facts, base, l);
}

static void write_gain(FILE *to, const report_ladder_facts *facts, const report_scale *scale, int base, int row)
{
    const report_rung rung = report_rung_of(facts, row);
    const int y = HEAD + (row - base) * ROW + 25;
    write_row_name(to, &rung, row - base);
    fprintf(to, "<line class=\"base thin\" x1=\"0\" x2=\"100%%\" y1=\"%d\" y2=\"%d\"/>\n", y, y);
    for (int l = facts->lectures; l-- > -1;) { /* ours the last, above the others */
        const double x = gain(facts, base, row, l);
        if (isnan(x)) continue;
        report_mark(to, l + 1, 100 * report_place_on(scale, x), y);
        fputs("<title>", to);
        report_text(to, l < 0 ? "this device" : facts->lecture[l]);
        fprintf(to, ": %s ×</title></use>\n", report_number_of(x).text);
    }
    const double ours = gain(facts, base, row, -1);
    if (!isnan(ours))
        fprintf(to, "<text class=\"value gain\" x=\"100%%\" dx=\"12\" y=\"%d\">%s ×</text>\n", y + 4,
                report_number_of(ours).text);
}

static report_scale scale_of_gains(const report_ladder_facts *facts, int base)
{
    report_extent extent = report_extent_of(true);
    for (int row = base; row < facts->count; row++)
        for (int l = -1; l < facts->lectures; l++) report_extent_see(&extent, gain(facts, base, row, l));
    extent.twos = true; /* from a power of two to another: a doubling is a step */
    extent.least = exp2(floor(log2(extent.least)));
    extent.most = exp2(ceil(log2(extent.most)));
    return report_scale_of(extent, false);
}

static void write_gains_legend(FILE *to, const report_ladder_facts *facts)
{
    fputs("<ul class=\"legend\">\n", to);
    report_key(to, 0, "dots", "this device");
    for (int l = 0; l < facts->lectures; l++) report_key(to, l + 1, "dots", facts->lecture[l]);
    fputs("</ul>\n", to);
}

void report_gains(FILE *to, const cJSON *section, const char *id)
{
    const report_ladder_facts facts = report_ladder_facts_of(section);
    const int base = common_rung(&facts), rows = facts.count - base;
    char name[64];
    if (base < 0 || rows < 2) return;
    const report_scale scale = scale_of_gains(&facts, base);
    const report_rung first = report_rung_of(&facts, base);

    snprintf(name, sizeof name, "%s-g", id);
    fputs("<figure class=\"chart\">\n", to);
    write_gains_legend(to, &facts);
    begin(to, name, rows);
    fputs("How many times as fast as ", to);
    report_text(to, first.name);
    fputs(" each rung is, on this device and on the lectures'</title>\n", to);
    write_axis(to, &scale, rows, "times as fast, each step a doubling");
    for (int row = base; row < facts.count; row++) write_gain(to, &facts, &scale, base, row);
    fputs("</svg>\n<figcaption>Each device beside its own speed in rung ", to);
    fprintf(to, "%d (", first.number);
    report_text(to, first.name);
    fputs("); the numbers at the right are this device's.</figcaption>\n</figure>\n", to);
}
