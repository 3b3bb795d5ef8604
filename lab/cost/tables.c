/* What a grid of measurements says: constants, tables, curves. */
#include "lab/cost/cost.h"
#include "lab/show.h"

#include <math.h>
#include <string.h>

enum { TITLE = 128 };

static const char *title_of(char *title, const cost_grid *grid, const char *what)
{
    snprintf(title, TITLE, "%c%s: %s", grid->workers[0] - 'a' + 'A', grid->workers + 1, what);
    return title;
}

static double at_once(const cost_grid *grid, int i, int k) { return grid->sequential[i] / grid->parallel[i][k]; }
static double efficiency(const cost_grid *grid, int i, int k) { return at_once(grid, i, k) / grid->p[k]; }

/* --- 1. constants ------------------------------------------------------------------------------------------------- */

static void add_constant(cJSON *table, const char *name, double value, const char *unit, const char *what)
{
    cJSON *const row = lab_row(table);
    lab_cell_text(row, name);
    lab_cell_number(row, value);
    lab_cell_text(row, unit);
    lab_cell_text(row, what);
}

static void show_constants(lab *l, const cost_grid *grid)
{
    static const char beyond[] = " Further groups share a unit, and all of them memory: where the measurement leaves "
                                 "the formula beyond, the device has no more processors to give.";
    static const char on_cores[] = " OpenCL on cores runs a work-group as a loop on one core, and may give several "
                                   "groups to the same core while another idles: p counts what could run at once.";
    const bool some = grid->fitted < grid->counts;
    char title[TITLE], about[1024];
    snprintf(about, sizeof about,
             "T_P(n, p) = t_c n/p + t_s log2 p%s, by least squares of the relative errors over all n and p up to "
             "%s%d. A constant that measurement would make negative is 0.%s%s",
             grid->launches ? " + t_0 launches" : "", some ? "one group a unit, " : "", grid->p[grid->fitted - 1],
             some ? beyond : "", grid->on_cores ? on_cores : "");
    cJSON *const table =
        lab_table(l->experiment, title_of(title, grid, "the constants"), about, "constant|value|unit|of");
    add_constant(table, "t_c", grid->model.t_c * 1e9, "ns",
                 grid->launches ? "an element, by one group" : "an addition");
    if (grid->counts > 1)
        add_constant(table, "t_s", grid->model.t_s * 1e9, "ns",
                     grid->launches ? "a step: what doubling p adds" : "a step of the tree: a barrier and an addition");
    if (grid->launches) add_constant(table, "t_0", grid->model.t_0 * 1e9, "ns", "a launch; one for p = 1, else two");
    if (grid->counts > 1)
        add_constant(table, "t_s / t_c", grid->model.t_s / grid->model.t_c, "", "additions in the time of a step");
    add_constant(table, "error", grid->model.error * 100, "%",
                 "root of the mean square of (formula - measured) / measured");
    lab_show_section(l, table);
}

/* --- 2. times ----------------------------------------------------------------------------------------------------- */

static void add_time(lab *l, cJSON *table, const cost_grid *grid, int i, int k)
{
    const double p = grid->p[k], sequential = grid->sequential[i], parallel = grid->parallel[i][k];
    const double cell[] = {grid->n[i],
                           p,
                           sequential * 1e6,
                           parallel * 1e6,
                           cost_time(&grid->model, grid->n[i], p) * 1e6,
                           at_once(grid, i, k),
                           efficiency(grid, i, k),
                           p * parallel * 1e6,
                           p * parallel / sequential};
    cJSON *const row = lab_row(table);
    for (size_t c = 0; c < sizeof cell / sizeof *cell; c++)
        if (c == 3 && !grid->right[i][k])
            lab_cell_text(row, "WRONG");
        else
            lab_cell_number(row, cell[c]);
    if (!grid->right[i][k]) lab_wrong(l);
}

static void show_times(lab *l, const cost_grid *grid)
{
    enum { MOST_ROWS = 40 };
    const int every = grid->sizes * grid->counts > MOST_ROWS ? 2 : 1; /* the curves have all */
    char title[TITLE], about[1024];
    static const char groups[] = "Work-groups are the processors, each of as many work-items as in the lab's "
                                 "reductions; T_S is one group's time. A second launch, of one group, adds the "
                                 "partial sums: inside of a launch groups cannot wait for each other.";
    snprintf(
        about, sizeof about,
        "n elements in p blocks: a block each, then the tree over p partial sums. %s Every sum has been checked.\n\n"
        "What to look for: S grows with p as long as n/p additions take longer than the tree; E falls with p and "
        "rises with n; C / T_S = 1 / E stays near 1 where the form is cost-optimal.",
        grid->launches
            ? groups
            : "Threads are the processors, and a barrier is a step of the tree; they run already when the clock "
              "starts. T_S is a plain loop. Additions are made one by one, not in vectors, so that an addition costs "
              "the same for every n.");
    cJSON *const table = lab_table(l->experiment, title_of(title, grid, "T_S, T_P, S, E, C"), about,
                                   "n|p|T_S:us|T_P:us|formula:us|S|E|C:us|C / T_S");
    for (int i = (grid->sizes - 1) % every; i < grid->sizes; i += every)
        for (int k = 0; k < grid->counts; k++) add_time(l, table, grid, i, k);
    lab_show_section(l, table);
}

/* --- 3. efficiency ------------------------------------------------------------------------------------------------ */

static void show_efficiency(lab *l, const cost_grid *grid)
{
    enum { CURVES = 4 }; /* sizes that are drawn, the largest among them */
    const int every = (grid->sizes + CURVES - 1) / CURVES;
    char title[TITLE], name[64];
    cJSON *const curves = lab_curves(l->experiment, title_of(title, grid, "efficiency"),
                                     "E = T_S / (p T_P): dots are measured, dashed lines the formula with the "
                                     "constants above. For any fixed n it falls with p; a larger n lifts it.",
                                     "p", grid->workers, true, "efficiency", "S / p", false);
    for (int i = (grid->sizes - 1) % every; i < grid->sizes; i += every) {
        snprintf(name, sizeof name, "n = %u", grid->n[i]);
        cJSON *const measured = lab_series(curves, name, "dots");
        for (int k = 0; k < grid->counts; k++) lab_point(measured, grid->p[k], efficiency(grid, i, k));
        snprintf(name, sizeof name, "%u, formula", grid->n[i]);
        cJSON *const formula = lab_series(curves, name, "dashed");
        for (int k = 0; k < grid->counts; k++)
            lab_point(formula, grid->p[k], cost_efficiency(&grid->model, grid->n[i], grid->p[k]));
    }
    lab_show_section(l, curves);
}

/* --- 4. the best p ------------------------------------------------------------------------------------------------ */

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

static void add_best(cJSON *table, const cost_grid *grid, int i)
{
    const cost_model *const m = &grid->model;
    const double n = grid->n[i], p = cost_best_p(m, n), optimal = cost_optimal_p(m, n);
    const int best = fastest(grid, i), cheap = fastest_optimal(grid, i);
    const bool unlimited = !isfinite(p); /* a step costs nothing: the more the better */
    const double cell[] = {n,
                           cost_work(m, n),
                           p,
                           unlimited ? NAN : cost_time(m, n, p) * 1e6,
                           grid->p[best],
                           grid->parallel[i][best] * 1e6,
                           optimal,
                           unlimited ? NAN : cost_time(m, n, optimal) * 1e6,
                           unlimited ? NAN : cost_efficiency(m, n, optimal),
                           grid->p[cheap],
                           grid->parallel[i][cheap] * 1e6};
    cJSON *const row = lab_row(table);
    for (size_t c = 0; c < sizeof cell / sizeof *cell; c++) lab_cell_number(row, cell[c]);
}

static void show_best(lab *l, const cost_grid *grid)
{
    char title[TITLE], about[1536];
    snprintf(
        about, sizeof about,
        "Let w = t_c n / t_s be the work in steps of the tree (n itself, if an addition takes a step). T_P is "
        "shortest where its derivative by p is 0, at p* = w ln 2; then T = t_s (1 / ln 2 + log2 p*), which grows as "
        "log n. The shortest time that is cost-optimal has p = w / log2 w: each processor first adds for as long as "
        "the tree will take, and T is nearly 2 t_s log2 w, also of the order of log n; E is above 1/2 there, while "
        "p* processors waste most of their time.\n\n"
        "The formula knows no bound of p; measured are 1 to %d %s. Measured cost-optimal means E of at least 1/2.%s",
        grid->p[grid->counts - 1], grid->workers,
        grid->model.t_s > 0 ? ""
                            : " On this device a step costs nothing that could be measured: the more the better, and "
                              "no column of the formula.");
    cJSON *const table = lab_table(
        l->experiment, title_of(title, grid, "the best p"), about,
        "n|w:steps|best p|shortest T_P:us|measured p|T_P:us|cost-optimal p|its T_P:us|its E|measured p|T_P:us");
    for (int i = 0; i < grid->sizes; i++) add_best(table, grid, i);
    lab_show_section(l, table);
}

/* --- 5. isoefficiency --------------------------------------------------------------------------------------------- */

/* The n at which E crosses e by measurement, between two sizes on a logarithmic scale; NAN: it does not. */
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

static void show_isoefficiency(lab *l, const cost_grid *grid)
{
    static const double levels[] = {0.5, 0.8, 0.9};
    char title[TITLE], name[64];
    cJSON *const curves = lab_curves(l->experiment, title_of(title, grid, "isoefficiency"),
                                     grid->launches ? "How much larger n must be for p groups to stay as efficient: "
                                                      "with h = t_s log2 p + 2 t_0 the overhead of each, n = (E p h "
                                                      "- t_0) / ((1 - E) t_c), of the order of p log p. Dots: where "
                                                      "measured efficiencies cross E, between two n; there is none "
                                                      "where no n reaches it."
                                                    : "How much larger n must be for p threads to stay as efficient: "
                                                      "n = E / (1 - E) * t_s / t_c * p log2 p, of the order of p log "
                                                      "p. A form with a steeper curve scales worse. Dots: where "
                                                      "measured efficiencies cross E, between two n; there is none "
                                                      "where every n, or none, reaches it.",
                                     "p", grid->workers, true, "n", "elements", true);
    for (size_t e = 0; e < sizeof levels / sizeof *levels; e++) {
        snprintf(name, sizeof name, "E = %.1f", levels[e]);
        cJSON *const measured = lab_series(curves, name, "dots");
        for (int k = 1; k < grid->counts; k++) lab_point(measured, grid->p[k], crossing(grid, k, levels[e]));
        snprintf(name, sizeof name, "%.1f, formula", levels[e]);
        cJSON *const formula = lab_series(curves, name, "dashed");
        for (int k = 1; k < grid->counts; k++) {
            const double n = cost_n_for(&grid->model, grid->p[k], levels[e]);
            if (n > 0) lab_point(formula, grid->p[k], n);
        }
    }
    lab_show_section(l, curves);
}

void cost_show(lab *l, const cost_grid *grid)
{
    show_constants(l, grid);
    show_times(l, grid);
    if (grid->counts > 1) {
        show_efficiency(l, grid);
        show_best(l, grid);
        show_isoefficiency(l, grid);
        return;
    }
    cJSON *const alone = lab_section(l->experiment, "steps", "Threads: only one", NULL);
    lab_add_text(alone, "text", "There is a single core for threads here: nothing runs in parallel.");
    lab_show_section(l, alone);
}
