#include "lab/counters/cupti.h"

#include "lab/counters/metrics.h"
#include "lab/counters/session.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct lab_cupti {
    lab_session *session;
    size_t count;
    const lab_metric *metric[LAB_METRICS]; /* those that are measured */
};

/* --- 1. which metrics --------------------------------------------------------------------------------------------- */

/* Metrics that the chip lacks are no failure. */
static bool ask(lab_session *session, bool *has, char *why, size_t why_bytes)
{
    for (size_t i = 0; i < LAB_METRICS; i++)
        if (!lab_session_has(session, lab_metrics[i].name, &has[i], why, why_bytes)) return false;
    return true;
}

static bool is_of(const lab_metric *metric, lab_counter counter, int choice)
{
    return metric->counter == counter && metric->choice == choice;
}

/* Whether the device has all metrics of a choice, and there are some. */
static bool is_whole(const bool *has, lab_counter counter, int choice)
{
    bool some = false;
    for (size_t i = 0; i < LAB_METRICS; i++) {
        if (!is_of(&lab_metrics[i], counter, choice)) continue;
        if (!has[i]) return false;
        some = true;
    }
    return some;
}

static void choose(lab_cupti *cupti, const bool *has)
{
    for (lab_counter counter = 0; counter < LAB_COUNTERS; counter++) {
        int choice = 0;
        while (choice < LAB_CHOICES && !is_whole(has, counter, choice)) choice++;
        for (size_t i = 0; i < LAB_METRICS; i++)
            if (is_of(&lab_metrics[i], counter, choice)) cupti->metric[cupti->count++] = &lab_metrics[i];
    }
}

/* --- 2. open and close -------------------------------------------------------------------------------------------- */

static bool set_up(lab_cupti *cupti, char *why, size_t why_bytes)
{
    bool has[LAB_METRICS];
    if (!ask(cupti->session, has, why, why_bytes)) return false;
    choose(cupti, has);
    if (cupti->count == 0) { /* why: of the last missing one */
        char last[512];
        snprintf(last, sizeof last, "%s", why);
        snprintf(why, why_bytes,
                 "%s has none of the counters that the lab knows; install a later CUPTI, or say so to its authors (%s)",
                 lab_session_chip(cupti->session), last);
    }
    return cupti->count > 0;
}

lab_cupti *lab_cupti_open(void *context, int ordinal, char *why, size_t why_bytes)
{
    lab_cupti *const cupti = calloc(1, sizeof *cupti);
    if (!cupti) {
        snprintf(why, why_bytes, "no memory (%zu bytes) for counters; free some", sizeof *cupti);
        return NULL;
    }
    cupti->session = lab_session_open(context, ordinal, why, why_bytes);
    if (cupti->session && set_up(cupti, why, why_bytes)) return cupti;
    lab_cupti_close(cupti);
    return NULL;
}

void lab_cupti_close(lab_cupti *cupti)
{
    if (!cupti) return;
    lab_session_close(cupti->session);
    free(cupti);
}

const char *lab_cupti_version(const lab_cupti *cupti) { return lab_session_version(cupti->session); }

/* --- 3. count ----------------------------------------------------------------------------------------------------- */

/* A metric that CUPTI gives no number for makes its counter unknown. */
static void sum_up(const lab_cupti *cupti, const double *values, lab_counts *counts)
{
    *counts = (lab_counts){.known = {false}};
    for (size_t i = 0; i < cupti->count; i++) {
        const lab_metric *const metric = cupti->metric[i];
        counts->of[metric->counter] += metric->scale * values[i];
        counts->known[metric->counter] = isfinite(counts->of[metric->counter]);
    }
    for (int i = 0; i < LAB_COUNTERS; i++)
        if (!counts->known[i]) counts->of[i] = 0;
}

bool lab_cupti_count(lab_cupti *cupti, void (*run)(void *context), void *context, lab_counts *counts, char *why,
                     size_t why_bytes)
{
    const char *names[LAB_METRICS];
    double values[LAB_METRICS];
    *counts = (lab_counts){.known = {false}};
    for (size_t i = 0; i < cupti->count; i++) names[i] = cupti->metric[i]->name;
    if (!lab_session_measure(cupti->session, names, cupti->count, run, context, values, why, why_bytes)) return false;
    sum_up(cupti, values, counts);
    return true;
}
