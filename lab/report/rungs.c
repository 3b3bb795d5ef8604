/* The rungs of a ladder one by one: what changes and why, what came of it, and the kernel beside the one before, or the
 * one that it is compared with. */
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

/* "2.22 × tiled-32" */
static void write_over_before(FILE *to, const char **gap, const report_rung *rung)
{
    const double over = report_value(rung->of, "over_before");
    write_fact(to, gap, over, *rung->before ? "× " : "× the rung before");
    if (!isnan(over)) report_text(to, rung->before);
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
    write_over_before(to, &gap, rung);
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

/* The rung whose text the text of this one is shown beside: the one that it names, or the nearest above that has one;
 * -1: none. */
static int partner_of(const report_ladder_facts *facts, int i)
{
    const int named = report_rung_named(facts, report_rung_of(facts, i).before);
    if (named >= 0 && named != i && *report_rung_of(facts, named).text) return named;
    while (--i >= 0)
        if (*report_rung_of(facts, i).text) return i;
    return -1;
}

static void write_kernel(FILE *to, const report_ladder_facts *facts, int i)
{
    const report_rung rung = report_rung_of(facts, i);
    const int partner = partner_of(facts, i);
    char name[128], name_before[128];
    if (!*rung.text) return;
    fputs("<details class=\"kernel\" open=\"open\"><summary>The kernel", to);
    if (partner < 0) {
        fputs("</summary>\n", to);
        report_listing_alone(to, listing_of(&rung, name));
    } else {
        const report_rung before = report_rung_of(facts, partner);
        fputs(", beside ", to);
        report_text(to, before.name);
        fputs("</summary>\n", to);
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
    report_seen(to, facts, &rung);
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
