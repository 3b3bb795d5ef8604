/* The rungs of a ladder one by one: what changes and why, what came of it, and the kernel beside the one before. */
#include <math.h>
#include <string.h>

#include "ladder.h"
#include "listing.h"
#include "section.h"
#include "write.h"

/* "12.3 ms", and a dot before it if it is not the first. */
static void write_fact(FILE *to, const char **gap, double x, const char *unit)
{
    if (isnan(x)) return;
    fprintf(to, "%s%s ", *gap, report_number_of(x).text);
    report_text(to, unit);
    *gap = "\xc2\xa0· "; /* no line begins with the dot */
}

static void write_result(FILE *to, const report_ladder_facts *facts, const report_rung *rung)
{
    const char *gap = "";
    if (rung->skipped) {
        report_note(to, "result", "Skipped: ", report_member(rung->of, "skipped"));
        return;
    }
    fputs("<p class=\"result\">", to);
    write_fact(to, &gap, report_value(rung->of, "ms"), "ms");
    write_fact(to, &gap, rung->gbs, facts->unit);
    write_fact(to, &gap, report_value(rung->of, "over_before"), "× the rung before");
    write_fact(to, &gap, 100 * report_value(rung->of, "of_limit"), "% of the limit");
    if (cJSON_IsFalse(cJSON_GetObjectItemCaseSensitive(rung->of, "right")))
        fprintf(to, "%s<b class=\"wrong\">the result is wrong</b>", gap);
    else if (!*gap)
        fputs("not measured", to);
    fputs("</p>\n", to);
}

static report_listing listing_of(const report_rung *rung, char name[128])
{
    snprintf(name, 128, "%d %.100s", rung->number, rung->name);
    return (report_listing){name, report_member(rung->of, "file"), rung->text};
}

/* The rung nearest above that has a text; -1: none. */
static int text_before(const report_ladder_facts *facts, int i)
{
    while (--i >= 0)
        if (*report_rung_of(facts, i).text) return i;
    return -1;
}

static void write_kernel(FILE *to, const report_ladder_facts *facts, int i)
{
    const report_rung rung = report_rung_of(facts, i);
    const int other = text_before(facts, i);
    char name[128], name_before[128];
    if (!*rung.text) return;
    fputs("<details class=\"kernel\" open=\"open\"><summary>", to);
    fputs(other < 0 ? "The kernel" : "The kernel, beside the one before", to);
    fputs("</summary>\n", to);
    if (other < 0) {
        report_listing_alone(to, listing_of(&rung, name));
    } else {
        const report_rung before = report_rung_of(facts, other);
        report_listing_pair(to, listing_of(&before, name_before), listing_of(&rung, name));
    }
    fputs("</details>\n", to);
}

static void write_rung(FILE *to, const report_ladder_facts *facts, int i, const char *id)
{
    const report_rung rung = report_rung_of(facts, i);
    fprintf(to, "<article class=\"rung\" id=\"%s-%d\">\n<h5>%d ", id, rung.number, rung.number);
    report_text(to, rung.name);
    if (*rung.title && rung.title != rung.name) {
        fputs(": <span>", to);
        report_text(to, rung.title);
        fputs("</span>", to);
    }
    fputs("</h5>\n", to);
    report_note(to, "what", "<b>What changes:</b> ", report_member(rung.of, "what"));
    report_note(to, "why", "<b>Why:</b> ", report_member(rung.of, "why"));
    write_result(to, facts, &rung);
    report_note(to, "note", "<b>Note:</b> ", report_member(rung.of, "note"));
    write_kernel(to, facts, i);
    fputs("</article>\n", to);
}

void report_rungs(FILE *to, const cJSON *section, const char *id)
{
    const report_ladder_facts facts = report_ladder_facts_of(section);
    fputs("<h4>Rung by rung</h4>\n", to);
    for (int i = 0; i < facts.count; i++) write_rung(to, &facts, i, id);
}
