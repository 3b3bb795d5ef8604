/* The page in one picture and three sentences: where each ladder begins and ends, in percent of the device's limit. */
#include "ladder.h"
#include "scale.h"
#include "section.h"
#include "write.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

enum { MOST = 16, HEAD = 10, ROW = 40, FOOT = 46 };

/* The colours are those of the bars of a ladder. */
enum { FIRST, FASTEST, OPLUS, CUB, SHOWN };
static const struct {
    const char *name;
    report_role role;
    int series;
} shown[SHOWN] = {
    [FIRST] = {"the first kernel", REPORT_STEP, 7},
    [FASTEST] = {"the fastest kernel of the ladder", REPORT_STEP, 0},
    [OPLUS] = {"oplus", REPORT_OPLUS, 2},
    [CUB] = {"CUB", REPORT_PEER, 1},
};

typedef struct line {
    const char *title;
    double share[SHOWN]; /* of the limit; NaN: not known */
} line;

typedef struct summary {
    line lines[MOST];
    int count;
    double gain; /* the largest of one step, and whose */
    const char *step, *where;
} summary;

/* --- 1. what the ladders showed ----------------------------------------------------------------------------------- */

static double share_of(const report_ladder_facts *facts, int i)
{
    return i < 0 ? NAN : report_value(report_rung_of(facts, i).of, "of_limit");
}

static int first_of(const report_ladder_facts *facts)
{
    for (int i = 0; i < facts->count; i++) {
        const report_rung rung = report_rung_of(facts, i);
        if (rung.role == REPORT_STEP && !isnan(rung.gbs)) return i;
    }
    return -1;
}

static void see_steps(summary *s, const report_ladder_facts *facts, const char *title)
{
    for (int i = 0; i < facts->count; i++) {
        const report_rung rung = report_rung_of(facts, i);
        const double over = report_value(rung.of, "over_before");
        if (rung.role != REPORT_STEP || !(over > s->gain)) continue;
        s->gain = over;
        s->step = rung.name;
        s->where = title;
    }
}

static void see_ladder(summary *s, const cJSON *section)
{
    const report_ladder_facts facts = report_ladder_facts_of(section);
    const int first = first_of(&facts);
    if (first < 0 || s->count == MOST || report_best(&facts, REPORT_OPLUS) < 0) return;
    line *const l = &s->lines[s->count++];
    l->title = report_member(section, "title");
    l->share[FIRST] = share_of(&facts, first);
    for (int k = FASTEST; k < SHOWN; k++) l->share[k] = share_of(&facts, report_best(&facts, shown[k].role));
    see_steps(s, &facts, l->title);
}

/* --- 2. the picture ----------------------------------------------------------------------------------------------- */

static report_scale scale_of(const summary *s)
{
    report_extent extent = report_extent_of(false);
    report_extent_see(&extent, 0);
    report_extent_see(&extent, 100);
    for (int i = 0; i < s->count; i++)
        for (int k = 0; k < SHOWN; k++) report_extent_see(&extent, 100 * s->lines[i].share[k]);
    return report_scale_of(extent, false);
}

static void write_axis(FILE *to, const report_scale *scale, int rows)
{
    report_tick ticks[REPORT_TICKS];
    const int n = report_ticks(scale, "%", ticks), foot = HEAD + rows * ROW + 4;
    for (int i = 0; i < n; i++) {
        const double x = 100 * ticks[i].at;
        fprintf(to, "<line class=\"grid\" x1=\"%.2f%%\" x2=\"%.2f%%\" y1=\"%d\" y2=\"%d\"/>", x, x, HEAD, foot);
        fprintf(to, "<text class=\"tick\" x=\"%.2f%%\" y=\"%d\">%s</text>\n", x, foot + 15, ticks[i].label.text);
    }
    fprintf(to, "<text class=\"axis middle\" x=\"50%%\" y=\"%d\">%% of the rate of a copy</text>\n", foot + 34);
}

static void write_line(FILE *to, const line *l, const report_scale *scale, int row)
{
    const int y = HEAD + row * ROW + 28;
    fprintf(to, "<text class=\"row\" x=\"0\" y=\"%d\">", y - 13);
    report_text_short(to, l->title, 40);
    fprintf(to, "</text>\n<line class=\"base thin\" x1=\"0\" x2=\"100%%\" y1=\"%d\" y2=\"%d\"/>\n", y, y);
    for (int k = 0; k < SHOWN; k++) {
        if (isnan(l->share[k])) continue;
        report_mark(to, shown[k].series, 100 * report_place_on(scale, 100 * l->share[k]), y);
        fprintf(to, "<title>%s: %s %%</title></use>\n", shown[k].name, report_number_of(100 * l->share[k]).text);
    }
}

static bool any(const summary *s, int k)
{
    for (int i = 0; i < s->count; i++)
        if (!isnan(s->lines[i].share[k])) return true;
    return false;
}

static void write_picture(FILE *to, const summary *s)
{
    const report_scale scale = scale_of(s);
    fputs("<figure class=\"chart\">\n<ul class=\"legend\">\n", to);
    for (int k = 0; k < SHOWN; k++)
        if (any(s, k)) report_key(to, shown[k].series, "dots", shown[k].name);
    fprintf(to,
            "</ul>\n<svg class=\"plot\" role=\"img\" aria-labelledby=\"summary-p\" height=\"%d\">\n"
            "<title id=\"summary-p\">How near to the rate of a copy each ladder begins and ends</title>\n",
            HEAD + s->count * ROW + FOOT);
    write_axis(to, &scale, s->count);
    for (int i = 0; i < s->count; i++) write_line(to, &s->lines[i], &scale, i);
    fputs("</svg>\n</figure>\n", to);
}

/* --- 3. the sentences --------------------------------------------------------------------------------------------- */

/* "18 to 40 %", over all ladders */
static void write_range(FILE *to, const summary *s, int k)
{
    double least = INFINITY, most = -INFINITY;
    for (int i = 0; i < s->count; i++) {
        least = fmin(least, s->lines[i].share[k]);
        most = fmax(most, s->lines[i].share[k]);
    }
    if (most > least) fprintf(to, "%s to ", report_number_of(100 * least).text);
    fprintf(to, "%s %%", report_number_of(100 * most).text);
}

/* oplus over CUB, where both ran. */
static void write_peer(FILE *to, const summary *s)
{
    int written = 0;
    for (int i = 0; i < s->count; i++) {
        const double ratio = s->lines[i].share[OPLUS] / s->lines[i].share[CUB];
        if (isnan(ratio)) continue;
        fprintf(to, "%s%s times as fast as CUB in ", written++ ? ", " : "; it is ", report_number_of(ratio).text);
        report_text(to, s->lines[i].title);
    }
}

static void write_sentences(FILE *to, const summary *s)
{
    fputs("<p>On this device the first kernels of the ladders reach ", to);
    write_range(to, s, FIRST);
    fputs(" of the rate of a copy, the fastest ", to);
    write_range(to, s, FASTEST);
    fputs(".", to);
    if (s->step) {
        fputs(" The step that pays most is ", to);
        report_text(to, s->step);
        fprintf(to, ": %s ×, in ", report_number_of(s->gain).text);
        report_text(to, s->where);
        fputs(".", to);
    }
    fputs(" oplus itself reaches ", to);
    write_range(to, s, OPLUS);
    write_peer(to, s);
    fputs(".</p>\n", to);
}

void report_summary(FILE *to, const cJSON *experiments)
{
    summary s = {.gain = 1};
    const cJSON *experiment, *section;
    cJSON_ArrayForEach (experiment, experiments) {
        cJSON_ArrayForEach (section, cJSON_GetObjectItemCaseSensitive(experiment, "sections")) {
            see_ladder(&s, section);
        }
    }
    if (s.count == 0) return;
    fputs("<section id=\"summary\" aria-labelledby=\"summary-t\">\n<h2 id=\"summary-t\">In short</h2>\n", to);
    write_sentences(to, &s);
    write_picture(to, &s);
    fputs("</section>\n", to);
}
