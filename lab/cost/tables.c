/* Tables and curves of a grid of measurements. */
#include "lab/cost/cost.h"
#include "lab/show.h"

#include <math.h>
#include <string.h>

static double at_once(const cost_grid *grid, int i, int k) { return grid->sequential[i] / grid->parallel[i][k]; }
static double efficiency(const cost_grid *grid, int i, int k) { return at_once(grid, i, k) / grid->p[k]; }

/* The formula's value for the k-th count; NAN if the device has fewer processors. */
static double formula_at(const cost_grid *grid, int k, double says) { return k < grid->fitted ? says : NAN; }

/* --- 1. times ----------------------------------------------------------------------------------------------------- */

static void add_time(lab *l, cJSON *table, const cost_grid *grid, int i, int k)
{
    const double p = grid->p[k], sequential = grid->sequential[i], parallel = grid->parallel[i][k];
    lab_add_row(table, lab_is(grid->n[i]), lab_is(p), lab_is(sequential * 1e6),
                lab_is_if(grid->right[i][k], parallel * 1e6),
                lab_is(formula_at(grid, k, cost_time(&grid->model, grid->n[i], p)) * 1e6), lab_is(at_once(grid, i, k)),
                lab_is(efficiency(grid, i, k)), lab_is(p * parallel * 1e6), lab_is(p * parallel / sequential));
    if (!grid->right[i][k]) lab_wrong(l);
}

static void show_times(lab *l, const cost_grid *grid)
{
    enum { MOST_ROWS = 40 };
    const int every = grid->sizes * grid->counts > MOST_ROWS ? 2 : 1; /* the curves show all */
    char title[COST_TITLE], about[1024];
    static const char groups[] = "Work-groups are the processors, each of as many work-items as in the lab's "
                                 "reductions; T_S is one group's time. A second launch, of one group, adds the partial "
                                 "sums: inside of a launch groups cannot wait for each other.";
    snprintf(
        about, sizeof about,
        "n elements in p blocks: a block each, then the tree over p partial sums. %s Every sum has been checked.\n\n"
        "What to look for: S grows with p as long as n/p additions take longer than the tree; by the formula, E falls "
        "with p and rises with n; C / T_S = 1 / E stays near 1 where the form is cost-optimal. E above 1 has a reason "
        "that the formula does not know: a cache for each processor, or something that disturbed T_S.",
        grid->launches
            ? groups
            : "Threads are the processors, and a barrier is a step of the tree; they run already when the clock "
              "starts. T_S is a plain loop. Additions are made one by one, not in vectors, so that an addition costs "
              "the same for every n.");
    cJSON *const table = lab_table(l->experiment, cost_title(title, grid, "T_S, T_P, S, E, C"), about,
                                   "n|p|T_S:us|T_P:us|formula:us|S|E|C:us|C / T_S");
    for (int i = (grid->sizes - 1) % every; i < grid->sizes; i += every)
        for (int k = 0; k < grid->counts; k++) add_time(l, table, grid, i, k);
    lab_show_section(l, table);
}

/* --- 2. efficiency ------------------------------------------------------------------------------------------------ */

static void show_efficiency(lab *l, const cost_grid *grid)
{
    enum { CURVES = 4 }; /* sizes that are drawn, including the largest */
    const int every = (grid->sizes + CURVES - 1) / CURVES;
    char title[COST_TITLE], name[64];
    cJSON *const curves = lab_curves(l->experiment, cost_title(title, grid, "efficiency"),
                                     "E = T_S / (p T_P): \"n = ...\" is measured (on the page: dots), \"formula\" is "
                                     "the formula with the constants above (dashed). By the formula it falls with p "
                                     "for any fixed n, and a larger n lifts it.",
                                     "p", grid->workers, true, "efficiency", "S / p", false);
    for (int i = (grid->sizes - 1) % every; i < grid->sizes; i += every) {
        snprintf(name, sizeof name, "n = %u", grid->n[i]);
        cJSON *const measured = lab_series(curves, name, "dots");
        for (int k = 0; k < grid->counts; k++) lab_point(measured, grid->p[k], efficiency(grid, i, k));
        snprintf(name, sizeof name, "n = %u, formula", grid->n[i]);
        cJSON *const formula = lab_series(curves, name, "dashed");
        for (int k = 0; k < grid->fitted; k++)
            lab_point(formula, grid->p[k], cost_efficiency(&grid->model, grid->n[i], grid->p[k]));
    }
    lab_show_section(l, curves);
}

/* --- 3. the best p ------------------------------------------------------------------------------------------------ */

static int fastest(const cost_grid *grid, int i)
{
    int best = 0;
    for (int k = 1; k < grid->counts; k++)
        if (grid->parallel[i][k] < grid->parallel[i][best]) best = k;
    return best;
}

/* The fastest of those whose cost is at most twice T_S. */
static int fastest_optimal(const cost_grid *grid, int i)
{
    int best = 0;
    for (int k = 1; k < grid->counts; k++)
        if (efficiency(grid, i, k) >= 0.5 && grid->parallel[i][k] < grid->parallel[i][best]) best = k;
    return best;
}

static void add_best(cJSON *table, const cost_grid *grid, int i, bool holds)
{
    const cost_model *const m = &grid->model;
    const double n = grid->n[i], best = cost_best_p(m, n, grid->processors),
                 optimal = cost_optimal_p(m, n, grid->processors);
    const int fast = fastest(grid, i), cheap = fastest_optimal(grid, i);
    cJSON *const row = lab_row(table);
    lab_add_cells(row,
                  (const lab_cell[]){lab_is(n), lab_is(grid->p[fast]), lab_is(grid->parallel[i][fast] * 1e6),
                                     lab_is(grid->p[cheap]), lab_is(grid->parallel[i][cheap] * 1e6)},
                  5);
    if (holds)
        lab_add_cells(row,
                      (const lab_cell[]){lab_is(cost_work(m, n)), lab_is(best), lab_is(cost_time(m, n, best) * 1e6),
                                         lab_is(optimal), lab_is(cost_time(m, n, optimal) * 1e6),
                                         lab_is(cost_efficiency(m, n, optimal))},
                      6);
}

static void say_best(char *to, size_t size, const cost_grid *grid)
{
    snprintf(to, size,
             "Let w = t_c n / t_s be the work in steps of the tree (n itself, if an addition takes a step). T_P is "
             "shortest where its derivative by p is 0, at p* = w ln 2; then T = t_s (1 / ln 2 + log2 p*), which grows "
             "as log n. The shortest time that is cost-optimal has p = w / log2 w: each processor first adds for as "
             "long as the tree will take, and T is nearly 2 t_s log2 w, also of the order of log n; E is above 1/2 "
             "there, while p* processors waste most of their time.%s\n\n"
             "The formula's p are bounded by the %d processors that there are; measured are 1 to %d %s.",
             grid->model.hidden ? " No T_P is shorter than two launches: where they are the longer, fewer than p* do "
                                  "as well."
             : grid->launches   ? " Two launches come on top."
                                : "",
             grid->processors, grid->p[grid->counts - 1], grid->workers);
}

static void show_best(lab *l, const cost_grid *grid)
{
    static const char optimal[] = " Cost-optimal measured: the fastest with an E of at least 1/2.";
    static const char by_measurement[] = "fastest measured p|its T_P:us|cost-optimal measured p|its T_P:us";
    static const char by_formula[] = "|w:steps|best p by formula|its T_P:us|cost-optimal p by formula|its T_P:us|its E";
    const bool holds = cost_holds(grid);
    char title[COST_TITLE], formula[1280], about[1536], columns[512];
    if (holds)
        say_best(formula, sizeof formula, grid);
    else
        snprintf(formula, sizeof formula,
                 "By measurement only; the section on the constants says why. Measured are 1 to %d %s.",
                 grid->p[grid->counts - 1], grid->workers);
    snprintf(about, sizeof about, "%s%s", formula, optimal);
    snprintf(columns, sizeof columns, "n|%s%s", by_measurement, holds ? by_formula : "");
    cJSON *const table = lab_table(l->experiment, cost_title(title, grid, "the best p"), about, columns);
    for (int i = 0; i < grid->sizes; i++) add_best(table, grid, i, holds);
    lab_show_section(l, table);
}

/* --- 4. isoefficiency --------------------------------------------------------------------------------------------- */

/* The n at which the measured E crosses e, between two sizes on a logarithmic scale; NAN: it does not. */
static double crossing(const cost_grid *grid, int k, double e)
{
    for (int i = 1; i < grid->sizes; i++) {
        const double before = efficiency(grid, i - 1, k), behind = efficiency(grid, i, k);
        if (before < e && behind >= e)
            return exp(log(grid->n[i - 1]) +
                       (e - before) / (behind - before) * log((double)grid->n[i] / grid->n[i - 1]));
    }
    return NAN;
}

static const char *isoefficiency_of(const cost_grid *grid)
{
    if (!grid->launches)
        return "n = E / (1 - E) * t_s / t_c * p log2 p, of the order of p log p. A form for which n has to grow faster "
               "scales worse.";
    if (grid->model.hidden)
        return "n = E / (1 - E) * t_s / t_c * p log2 p, of the order of p log p, and not less than 2 E p t_0 / t_c, "
               "for the launches.";
    return "with h = t_s log2 p + 2 t_0 the overhead of each, n = (E p h - t_0) / ((1 - E) t_c), of the order of p log "
           "p.";
}

static void add_isoefficiency(cJSON *curves, const cost_grid *grid, double e)
{
    char name[64];
    snprintf(name, sizeof name, "E = %.1f", e);
    cJSON *const measured = lab_series(curves, name, "dots");
    for (int k = 1; k < grid->counts; k++) lab_point(measured, grid->p[k], crossing(grid, k, e));
    if (!cost_holds(grid)) return;
    snprintf(name, sizeof name, "E = %.1f, formula", e);
    cJSON *const formula = lab_series(curves, name, "dashed");
    for (int k = 1; k < grid->fitted; k++) {
        const double n = cost_n_for(&grid->model, grid->p[k], e);
        if (n > 0) lab_point(formula, grid->p[k], n);
    }
}

static void show_isoefficiency(lab *l, const cost_grid *grid)
{
    static const double levels[] = {0.5, 0.8, 0.9};
    char title[COST_TITLE], about[1024];
    if (cost_holds(grid))
        snprintf(about, sizeof about,
                 "How much larger n must be for p %s to stay as efficient: by the formula (on the page: dashed) %s The "
                 "nearer E is to 1, the more a small error of T_P moves n.",
                 grid->workers, isoefficiency_of(grid));
    else
        snprintf(about, sizeof about,
                 "How much larger n must be for p %s to stay as efficient; by measurement only; the section on the "
                 "constants says why.",
                 grid->workers);
    const size_t length = strlen(about);
    snprintf(about + length, sizeof about - length,
             " Measured (on the page: dots): where measured efficiencies cross E, between two n; there is none where "
             "every n, or none, reaches it.");
    cJSON *const curves = lab_curves(l->experiment, cost_title(title, grid, "isoefficiency"), about, "p", grid->workers,
                                     true, "n", "elements", true);
    for (size_t e = 0; e < sizeof levels / sizeof *levels; e++) add_isoefficiency(curves, grid, levels[e]);
    lab_show_section(l, curves);
}

void cost_show(lab *l, const cost_grid *grid)
{
    cost_show_constants(l, grid);
    show_times(l, grid);
    if (grid->counts > 1) {
        show_efficiency(l, grid);
        show_best(l, grid);
        show_isoefficiency(l, grid);
        return;
    }
    lab_show_section(l, lab_steps(l->experiment, "Threads: only one", NULL,
                                  "There is a single core for threads here: nothing runs in parallel."));
}
