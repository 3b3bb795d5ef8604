/* The constants of a formula, how they were found, and whether it describes the device. */
#include "lab/cost/cost.h"
#include "lab/show.h"

#include <math.h>

const char *cost_title(char *title, const cost_grid *grid, const char *what)
{
    snprintf(title, COST_TITLE, "%c%s: %s", grid->workers[0] - 'a' + 'A', grid->workers + 1, what);
    return title;
}

static void add_constant(cJSON *table, const char *name, double value, const char *unit, const char *what)
{
    lab_add_row(table, lab_is_text(name), lab_is(value), lab_is_text(unit), lab_is_text(what));
}

/* Writes which form T_P has. */
static void say_form(char *to, size_t size, const cost_grid *grid)
{
    static const char hidden[] = ", but no less than t_0 launches: as where launches are handed over while the device "
                                 "is still busy with those before, and only the longer of both counts.";
    static const char sum[] = " + t_0 launches: as where each launch takes a time of its own.";
    char other[128] = "";
    if (grid->sizes > 1)
        snprintf(other, sizeof other, " (By the %s of both the error would be %.1f%%, not %.1f%%.)",
                 grid->model.hidden ? "sum" : "longer", grid->other_error * 100, grid->model.error * 100);
    snprintf(to, size, "T_P(n, p) = t_c n/p + t_s log2 p%s%s",
             !grid->launches      ? "."
             : grid->model.hidden ? hidden
                                  : sum,
             grid->launches ? other : "");
}

static void say_fit(char *to, size_t size, const cost_grid *grid)
{
    char far[256] = "";
    if (isfinite(grid->model.far))
        snprintf(far, sizeof far,
                 " From n = %.0f on, an element takes one processor clearly longer than an element of a smaller array, "
                 "as where an array does not fit a cache: these n have a t_c of their own.",
                 grid->model.far);
    snprintf(to, size,
             "%st_c and t_s by least squares of the relative errors over n = %u to %u and p = 1 to %d; a constant that "
             "would be negative is 0.%s",
             grid->launches ? "t_0 is measured, by launches for one element, one behind the other; " : "", grid->n[0],
             grid->n[grid->sizes - 1], grid->p[grid->fitted - 1], far);
}

/* Writes why conclusions from the formula are not reliable here; "" if they are. */
static void say_whether(char *to, size_t size, const cost_grid *grid)
{
    const cost_model *const m = &grid->model;
    char why[128];
    *to = '\0';
    if (cost_holds(grid) || grid->counts == 1) return;
    if (grid->sizes == 1)
        snprintf(why, sizeof why, "Nothing tests the formula here: any two constants agree with a single n.");
    else if (m->error > COST_GOOD)
        snprintf(why, sizeof why, "The formula does not describe this device: it is %.1f%% off, more than %.0f%%.",
                 m->error * 100, COST_GOOD * 100);
    else
        snprintf(why, sizeof why, "The formula does not describe this device: %s takes no time that could be measured.",
                 m->t_s > 0 ? "t_c" : "t_s");
    snprintf(to, size,
             "%s What would follow from it, the best p and isoefficiency, is left out below; the measurements stand.",
             why);
}

void cost_show_constants(lab *l, const cost_grid *grid)
{
    static const char beyond[] = " Further groups share the device's processors (its multiprocessors, or cores), and "
                                 "the formula has none for them.";
    static const char on_cores[] = " OpenCL on cores runs a work-group as a loop on one core, and may give several "
                                   "groups to the same core while another idles: p counts what could run at once.";
    const cost_model *const m = &grid->model;
    char title[COST_TITLE], about[2560], form[512], fit[768], whether[384];
    say_form(form, sizeof form, grid);
    say_fit(fit, sizeof fit, grid);
    say_whether(whether, sizeof whether, grid);
    snprintf(about, sizeof about, "%s\n\n%s%s%s\n\n%s", form, fit, grid->fitted < grid->counts ? beyond : "",
             grid->on_cores ? on_cores : "", whether);
    cJSON *const table =
        lab_table(l->experiment, cost_title(title, grid, "the constants"), about, "constant|value|unit|of");
    add_constant(table, "t_c", m->t_c * 1e9, "ns", grid->launches ? "an element, by one group" : "an addition");
    if (isfinite(m->far))
        add_constant(table, "t_c, large n", m->t_far * 1e9, "ns", "the same, of the n that have a t_c of their own");
    if (grid->counts > 1)
        add_constant(table, "t_s", m->t_s * 1e9, "ns",
                     grid->launches ? "a step: what doubling p adds" : "a step of the tree: a barrier and an addition");
    if (grid->launches) add_constant(table, "t_0", m->t_0 * 1e9, "ns", "a launch; one for p = 1, else two");
    if (grid->counts > 1) add_constant(table, "t_s / t_c", m->t_s / m->t_c, "", "additions in the time of a step");
    if (grid->sizes > 1)
        add_constant(table, "error", m->error * 100, "%", "root of the mean square of (formula - measured) / measured");
    lab_show_section(l, table);
}
