/* A ladder: a picture, a table of what was measured, one of what was counted, the lectures' figures, and the rungs. */
#include "ladder.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "section.h"
#include "write.h"

/* --- what there is ------------------------------------------------------------------------------------------------ */

static void add_lectures(report_ladder_facts *facts, const cJSON *rung)
{
    const cJSON *const lecture = cJSON_GetObjectItemCaseSensitive(rung, "lecture"), *figure;
    if (!cJSON_IsObject(lecture)) return;
    cJSON_ArrayForEach (figure, lecture) {
        int known = 0;
        while (known < facts->lectures && strcmp(facts->lecture[known], figure->string) != 0) known++;
        if (known == facts->lectures && known < REPORT_LECTURES) facts->lecture[facts->lectures++] = figure->string;
    }
}

report_ladder_facts report_ladder_facts_of(const cJSON *section)
{
    const cJSON *const rungs = cJSON_GetObjectItemCaseSensitive(section, "rungs"), *rung;
    report_ladder_facts facts = {.unit = report_member(section, "unit"),
                                 .limit_name = report_member(section, "limit_name"),
                                 .limit = report_value(section, "limit"),
                                 .rungs = cJSON_IsArray(rungs) ? rungs : NULL};
    if (!*facts.unit) facts.unit = "GB/s";
    cJSON_ArrayForEach (rung, facts.rungs) {
        add_lectures(&facts, rung);
        facts.count++;
    }
    return facts;
}

static report_role role_of(const cJSON *rung)
{
    static const char *const names[] = {"step", "yardstick", "oplus", "peer"};
    const char *const name = report_member(rung, "role");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0) return (report_role)i;
    return REPORT_STEP;
}

report_rung report_rung_of(const report_ladder_facts *facts, int i)
{
    const cJSON *const of = cJSON_GetArrayItem(facts->rungs, i);
    report_rung rung = {
        i + 1,       of,    report_member(of, "name"), report_member(of, "title"), report_member(of, "kernel"),
        role_of(of), false, report_value(of, "gbs"),   report_member(of, "before")};
    rung.skipped = cJSON_IsString(cJSON_GetObjectItemCaseSensitive(of, "skipped"));
    if (rung.skipped) rung.gbs = NAN;
    if (!*rung.name) rung.name = *rung.title ? rung.title : "rung";
    return rung;
}

int report_rung_named(const report_ladder_facts *facts, const char *name)
{
    for (int i = 0; i < facts->count; i++)
        if (strcmp(report_rung_of(facts, i).name, name) == 0) return i;
    return -1;
}

int report_best(const report_ladder_facts *facts, report_role role)
{
    int best = -1;
    double most = -1;
    for (int i = 0; i < facts->count; i++) {
        const report_rung rung = report_rung_of(facts, i);
        if (rung.role != role || !(rung.gbs > most)) continue;
        most = rung.gbs;
        best = i;
    }
    return best;
}

double report_lecture(const report_rung *rung, const char *device)
{
    return report_value(cJSON_GetObjectItemCaseSensitive(rung->of, "lecture"), device);
}

/* --- what was measured -------------------------------------------------------------------------------------------- */

enum { MEASURED = 7 }; /* columns */

static void write_column(FILE *to, const char *name)
{
    fputs("<th scope=\"col\" class=\"n\">", to);
    report_text(to, name);
    fputs("</th>", to);
}

static void write_columns(FILE *to, const report_ladder_facts *facts)
{
    fputs("<thead>\n", to);
    if (facts->lectures > 0)
        fprintf(to,
                "<tr class=\"groups\"><td></td><th scope=\"colgroup\" colspan=\"%d\">this device</th><th "
                "scope=\"colgroup\" colspan=\"%d\" class=\"lecture\">lectures, GB/s</th></tr>\n",
                MEASURED, facts->lectures);
    fputs("<tr><th scope=\"col\">rung</th>", to);
    write_column(to, "ms");
    write_column(to, facts->unit);
    write_column(to, "× rung before");
    write_column(to, "× first rung");
    fputs("<th scope=\"col\" class=\"n\">% of ", to);
    report_text(to, *facts->limit_name ? facts->limit_name : "limit");
    fputs("</th>", to);
    write_column(to, "launches");
    write_column(to, "right");
    for (int l = 0; l < facts->lectures; l++) {
        fprintf(to, "<th scope=\"col\" class=\"n lecture%s\">", l == 0 ? " first" : "");
        report_text(to, facts->lecture[l]);
        fputs("</th>", to);
    }
    fputs("</tr>\n</thead>\n", to);
}

static void write_row_head(FILE *to, const report_rung *rung, const char *title, const char *id)
{
    fprintf(to, "<tr><th scope=\"row\"><a href=\"#%s-%d\">%d ", id, rung->number, rung->number);
    report_text(to, rung->name);
    fputs("</a>", to);
    if (*title) fputs("<small>", to);
    report_text(to, title);
    fputs(*title ? "</small></th>" : "</th>", to);
}

static void write_number(FILE *to, double x) { fprintf(to, "<td class=\"n\">%s</td>", report_number_of(x).text); }

/* "2.22", and below it "× tiled-32" where that is not the rung above. */
static void write_over_before(FILE *to, const report_rung *rung)
{
    const double over = report_value(rung->of, "over_before");
    fprintf(to, "<td class=\"n\">%s", report_number_of(over).text);
    if (!isnan(over) && *rung->before) {
        fputs(" <small>× ", to);
        report_text(to, rung->before);
        fputs("</small>", to);
    }
    fputs("</td>", to);
}

static void write_measured(FILE *to, const report_rung *rung)
{
    const cJSON *const right = cJSON_GetObjectItemCaseSensitive(rung->of, "right");
    if (rung->skipped) {
        fprintf(to, "<td class=\"skipped\" colspan=\"%d\">skipped: ", MEASURED);
        report_text(to, report_member(rung->of, "skipped"));
        fputs("</td>", to);
        return;
    }
    write_number(to, report_value(rung->of, "ms"));
    write_number(to, rung->gbs);
    write_over_before(to, rung);
    write_number(to, report_value(rung->of, "over_first"));
    write_number(to, 100 * report_value(rung->of, "of_limit"));
    write_number(to, report_value(rung->of, "launches"));
    fputs(cJSON_IsTrue(right)    ? "<td class=\"n\">yes</td>"
          : cJSON_IsFalse(right) ? "<td class=\"n wrong\">no</td>"
                                 : "<td class=\"n\">–</td>",
          to);
}

static void write_speeds(FILE *to, const report_ladder_facts *facts, const char *id)
{
    report_scroll_begin(to, "what was measured of each rung");
    fputs("<table class=\"ladder\">\n", to);
    write_columns(to, facts);
    fputs("<tbody>\n", to);
    for (int i = 0; i < facts->count; i++) {
        const report_rung rung = report_rung_of(facts, i);
        write_row_head(to, &rung, rung.title, id);
        write_measured(to, &rung);
        for (int l = 0; l < facts->lectures; l++)
            fprintf(to, "<td class=\"n lecture%s\">%s</td>", l == 0 ? " first" : "",
                    report_number_of(report_lecture(&rung, facts->lecture[l])).text);
        fputs("</tr>\n", to);
    }
    fputs("</tbody></table>\n", to);
    report_scroll_end(to);
}

/* --- what was counted --------------------------------------------------------------------------------------------- */

typedef struct counter {
    const char *name, *title, *per; /* per: divided by this one */
    double times;
    report_number (*write)(double x);
} counter;

static const counter counters[] = {
    {"divergent", "divergent branches", NULL, 1, report_count_of},
    {"conflicts", "bank conflicts", NULL, 1, report_count_of},
    {"active_warps", "active warps", NULL, 1, report_count_of},
    {"warps", "warps launched", NULL, 1, report_count_of},
    {"requests", "requests", NULL, 1, report_count_of},
    {"sectors", "sectors", NULL, 1, report_count_of},
    {"sectors", "sectors per request", "requests", 1, report_number_of},
    {"bytes", "bytes", NULL, 1, report_bytes_counted},
    {"occupancy", "occupancy, %", NULL, 100, report_number_of},
};
enum { COUNTERS = sizeof counters / sizeof *counters };

static double counted(const report_rung *rung, const counter *c)
{
    const cJSON *const all = cJSON_GetObjectItemCaseSensitive(rung->of, "counters");
    if (rung->skipped) return NAN;
    const double x = report_value(all, c->name), by = c->per ? report_value(all, c->per) : 1;
    return by > 0 ? x / by * c->times : NAN;
}

static const char *source_of(const report_rung *rung)
{
    return rung->skipped ? "" : report_member(cJSON_GetObjectItemCaseSensitive(rung->of, "counters"), "source");
}

static bool any_counted(const report_ladder_facts *facts, const counter *c)
{
    for (int i = 0; i < facts->count; i++) {
        const report_rung rung = report_rung_of(facts, i);
        if (!isnan(counted(&rung, c))) return true;
    }
    return false;
}

static void write_source(FILE *to, const char *source)
{
    if (strcmp(source, "model") == 0)
        fputs("<td><span class=\"model\">model</span></td>", to);
    else {
        fputs("<td>", to);
        report_text(to, *source ? source : "–");
        fputs("</td>", to);
    }
}

static void write_counters(FILE *to, const report_ladder_facts *facts, const char *id)
{
    bool shown[COUNTERS], any = false;
    for (int c = 0; c < COUNTERS; c++) any |= shown[c] = any_counted(facts, &counters[c]);
    if (!any) return;
    report_scroll_begin(to, "what was counted of each rung");
    fputs("<table class=\"ladder counted\">\n<thead><tr><th scope=\"col\">rung</th><th scope=\"col\">counted by</th>",
          to);
    for (int c = 0; c < COUNTERS; c++)
        if (shown[c]) write_column(to, counters[c].title);
    fputs("</tr></thead>\n<tbody>\n", to);
    for (int i = 0; i < facts->count; i++) {
        const report_rung rung = report_rung_of(facts, i);
        write_row_head(to, &rung, "", id);
        write_source(to, source_of(&rung));
        for (int c = 0; c < COUNTERS; c++)
            if (shown[c]) fprintf(to, "<td class=\"n\">%s</td>", counters[c].write(counted(&rung, &counters[c])).text);
        fputs("</tr>\n", to);
    }
    fputs("</tbody></table>\n", to);
    report_scroll_end(to);
    fputs(
        "<p class=\"small\">Counted in one run of all launches of a rung. <b>hardware</b>: read from the device's own "
        "counters; <b>model</b>: computed on the host, by replaying the addresses and branches of the kernel.</p>\n",
        to);
}

/* --- the ladder --------------------------------------------------------------------------------------------------- */

static void write_size(FILE *to, const cJSON *section, const report_ladder_facts *facts)
{
    const double n = report_value(section, "n");
    if (isnan(n) && isnan(facts->limit)) return;
    fputs("<p class=\"size\">", to);
    if (!isnan(n)) fprintf(to, "<i>n</i> = %s elements", report_number_of(n).text);
    if (!isnan(facts->limit)) {
        fputs(isnan(n) ? "Limit: " : "; limit: ", to);
        report_text(to, facts->limit_name);
        fprintf(to, " %s ", report_number_of(facts->limit).text);
        report_text(to, facts->unit);
    }
    fputs("</p>\n", to);
}

void report_ladder(FILE *to, const cJSON *section, const char *id)
{
    const report_ladder_facts facts = report_ladder_facts_of(section);
    if (facts.count == 0) {
        fputs("<p class=\"empty\">No rung was run.</p>\n", to);
        return;
    }
    write_size(to, section, &facts);
    report_ladder_seen(to, &facts);
    report_bars(to, section, id);
    write_speeds(to, &facts, id);
    write_counters(to, &facts, id);
    if (facts.lectures > 0) {
        fputs("<h4>Beside the lectures</h4>\n", to);
        report_paragraphs(to, cJSON_GetObjectItemCaseSensitive(section, "lecture_about"));
        report_gains(to, section, id);
    }
    report_rungs(to, section, id);
}
