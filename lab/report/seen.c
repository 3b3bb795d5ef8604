/* What this device showed, in sentences that are made of the figures: beside a rung's reason, which is the lecture's.
 */
#include "ladder.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "section.h"
#include "write.h"

/* Runs differ by some percent: less is no gain, and no loss. */
#define SAME 1.05

/* --- what a step did ---------------------------------------------------------------------------------------------- */

report_outcome report_outcome_of(const report_rung *rung)
{
    const double over = report_value(rung->of, "over_before");
    if (rung->role == REPORT_YARDSTICK || isnan(over)) return REPORT_UNKNOWN;
    return over >= SAME ? REPORT_GAIN : over > 1 / SAME ? REPORT_NO_GAIN : REPORT_LOSS;
}

/* The rung that another one is compared with; its index, or -1. */
static int before_of(const report_ladder_facts *facts, const report_rung *rung)
{
    int i = report_rung_named(facts, rung->before);
    if (*rung->before && i >= 0) return i;
    for (i = rung->number - 2; i >= 0; i--)
        if (!isnan(report_rung_of(facts, i).gbs)) return i;
    return -1;
}

static void write_over(FILE *to, const report_rung *rung, const report_rung *before)
{
    static const char *const words[] = {
        [REPORT_GAIN] = "a gain", [REPORT_NO_GAIN] = "no gain", [REPORT_LOSS] = "slower"};
    fprintf(to, "<b>%s</b>: %s × ", words[report_outcome_of(rung)],
            report_number_of(report_value(rung->of, "over_before")).text);
    report_text(to, before->name);
}

/* --- what the counters say of it ---------------------------------------------------------------------------------- */

static const struct {
    const char *name, *title;
} causes[] = {{"conflicts", "bank conflicts"},
              {"divergent", "divergent branches"},
              {"sectors", "sectors"},
              {"requests", "requests"},
              {"warps", "warps launched"}};

/* "bank conflicts went from 90.4 M to 1.98 M": of each counter that fell to half or less, or, where the rung is slower,
 * rose to twice as much or more.  How many it wrote. */
static int write_causes(FILE *to, const report_rung *rung, const report_rung *before, const char *first)
{
    const cJSON *const now = cJSON_GetObjectItemCaseSensitive(rung->of, "counters");
    const cJSON *const then = cJSON_GetObjectItemCaseSensitive(before->of, "counters");
    const bool rose = report_outcome_of(rung) == REPORT_LOSS;
    int written = 0;
    if (strcmp(report_member(now, "source"), report_member(then, "source")) != 0) return 0;
    for (size_t c = 0; c < sizeof causes / sizeof *causes; c++) {
        const double from = report_value(then, causes[c].name), into = report_value(now, causes[c].name);
        const double more = rose ? into : from, less = rose ? from : into;
        if (isnan(from) || isnan(into) || more < 2 * less || more < 100) continue;
        fprintf(to, "%s%s went from %s to %s", written++ ? ", " : first, causes[c].title, report_count_of(from).text,
                report_count_of(into).text);
    }
    return written;
}

/* The least and the most that the lectures' devices gained by the same step. */
static void write_lectures(FILE *to, const report_ladder_facts *facts, const report_rung *rung,
                           const report_rung *before)
{
    double least = INFINITY, most = 0;
    for (int l = 0; l < facts->lectures; l++) {
        const double gain = report_lecture(rung, facts->lecture[l]) / report_lecture(before, facts->lecture[l]);
        if (!isfinite(gain)) continue;
        least = fmin(least, gain);
        most = fmax(most, gain);
    }
    if (most == 0) return;
    fprintf(to, ". The lectures&#39; devices: %s", report_number_of(least).text);
    if (most > least) fprintf(to, " to %s", report_number_of(most).text);
    fputs(" ×", to);
}

void report_seen(FILE *to, const report_ladder_facts *facts, const report_rung *rung)
{
    const report_outcome outcome = report_outcome_of(rung);
    const int i = before_of(facts, rung);
    if (outcome == REPORT_UNKNOWN || i < 0) return;
    const report_rung before = report_rung_of(facts, i);
    fputs("<p class=\"seen\"><b>On this device:</b> ", to);
    write_over(to, rung, &before);
    if (write_causes(to, rung, &before, outcome == REPORT_NO_GAIN ? ", though " : "; ") > 0 &&
        outcome == REPORT_NO_GAIN)
        fputs(": that is not what limits it here", to);
    write_lectures(to, facts, rung, &before);
    fputs(".</p>\n", to);
}

/* --- the ladder as a whole ---------------------------------------------------------------------------------------- */

/* "3 steps paid: first-add (1.99 ×), ..." */
static void write_steps(FILE *to, const report_ladder_facts *facts, report_outcome outcome, const char *did)
{
    int count = 0, written = 0;
    for (int i = 0; i < facts->count; i++) {
        const report_rung rung = report_rung_of(facts, i);
        count += rung.role == REPORT_STEP && report_outcome_of(&rung) == outcome;
    }
    if (count == 0) return;
    fprintf(to, " %d %s %s: ", count, count == 1 ? "step" : "steps", did);
    for (int i = 0; i < facts->count; i++) {
        const report_rung rung = report_rung_of(facts, i);
        if (rung.role != REPORT_STEP || report_outcome_of(&rung) != outcome) continue;
        fputs(written++ ? ", " : "", to);
        report_text(to, rung.name);
        fprintf(to, " (%s ×)", report_number_of(report_value(rung.of, "over_before")).text);
    }
    fputs(".", to);
}

static void write_best(FILE *to, const report_ladder_facts *facts, report_role role, const char *what)
{
    const int i = report_best(facts, role);
    const double share = i < 0 ? NAN : report_value(report_rung_of(facts, i).of, "of_limit");
    if (!isnan(share)) fprintf(to, " %s %s %% of the limit.", what, report_number_of(100 * share).text);
}

void report_ladder_seen(FILE *to, const report_ladder_facts *facts)
{
    fputs("<p class=\"seen\"><b>What this device showed.</b>", to);
    write_steps(to, facts, REPORT_GAIN, "paid");
    write_steps(to, facts, REPORT_NO_GAIN, "changed nothing here");
    write_steps(to, facts, REPORT_LOSS, "made it slower here");
    write_best(to, facts, REPORT_STEP, "The fastest step reaches");
    write_best(to, facts, REPORT_OPLUS, "oplus reaches");
    write_best(to, facts, REPORT_PEER, "CUB reaches");
    fputs("</p>\n", to);
}
