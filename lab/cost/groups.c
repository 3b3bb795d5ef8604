/* The same on a device: work-groups instead of threads; and the tree alone, one launch for each step. */
#include "lab/cost/cost.h"
#include "lab/reduce/reduce.h"
#include "lab/reduce/sizes.h"
#include "lab/show.h"

#include <math.h>
#include <stdlib.h>

typedef struct summing {
    lab_device *dev;
    uint32_t n;
    uint32_t groups; /* p */
    void *in, *out, *scratch[2];
} summing;

/* --- 1. p work-groups --------------------------------------------------------------------------------------------- */

/* Each group leaves a partial sum; one group adds these. */
static void by_groups(void *context)
{
    const summing *const s = context;
    void *const kernel = lab_kernel(s->dev, "reduce/08-many.cl", "reduce", NULL);
    void *const to = s->groups > 1 ? s->scratch[0] : s->out;
    lab_launch(s->dev, kernel, s->groups, ITEMS, opi_memory(s->in), opi_memory(to), opi_value(s->n));
    if (s->groups > 1) lab_launch(s->dev, kernel, 1, ITEMS, opi_memory(to), opi_memory(s->out), opi_value(s->groups));
}

static void by_launches(void *context)
{
    const summing *const s = context;
    reduce_in_pairs(s->dev, s->in, s->n, s->scratch, s->out);
}

static bool is_right(summing *s, void (*run)(void *context), uint32_t expected)
{
    uint32_t sum = ~expected;
    lab_upload(s->dev, s->out, &sum, sizeof sum);
    run(s);
    lab_download(s->dev, &sum, s->out, sizeof sum);
    return sum == expected;
}

static summing summing_of(lab_device *dev, const uint32_t *x, size_t n)
{
    summing s = {.dev = dev, .in = lab_alloc(dev, n * sizeof *x), .out = lab_alloc(dev, sizeof *x)};
    for (int i = 0; i < 2; i++) s.scratch[i] = lab_alloc(dev, (n / 2 + 1) * sizeof *x);
    lab_upload(dev, s.in, x, n * sizeof *x);
    return s;
}

static void release(summing *s)
{
    lab_free(s->dev, s->in);
    lab_free(s->dev, s->out);
    for (int i = 0; i < 2; i++) lab_free(s->dev, s->scratch[i]);
}

/* For one element, where nothing is added: the least of a few times, since other programs only make it longer. */
static double launch_seconds(summing *s)
{
    enum { TIMES = 3 };
    double least = INFINITY;
    s->n = s->groups = 1;
    for (int i = 0; i < TIMES; i++) least = fmin(least, lab_seconds(s->dev, by_groups, s));
    return least;
}

static void measure_grid(lab *l, cost_grid *grid, summing *s, const uint32_t *x)
{
    grid->t_0 = launch_seconds(s);
    for (int i = 0; i < grid->sizes; i++) {
        s->n = grid->n[i];
        const uint32_t expected = cost_sum(x, s->n);
        for (int k = 0; k < grid->counts; k++) {
            lab_show_step("Cost model", "work-groups", i * grid->counts + k, grid->sizes * grid->counts);
            s->groups = (uint32_t)grid->p[k];
            grid->right[i][k] = is_right(s, by_groups, expected);
            grid->parallel[i][k] = lab_seconds(l->dev, by_groups, s);
        }
        grid->sequential[i] = grid->parallel[i][0];
    }
}

/* Up to eight groups for each unit; the formula is fitted to the counts at which each group has its own unit. */
void cost_by_groups(lab *l)
{
    enum { A_UNIT = 8 };
    const unsigned units = lab_facts(l->dev)->units > 0 ? lab_facts(l->dev)->units : 1;
    const size_t largest = lab_size(l, (size_t)1 << 24, (size_t)1 << 22, (size_t)1 << 18);
    cost_grid grid = {.workers = "work-groups",
                      .launches = true,
                      .on_cores = lab_facts(l->dev)->host_cores,
                      .processors = (int)units};
    cost_grid_begin(&grid, largest, l->options.quick ? 2 : 5, (int)units * A_UNIT);
    while (grid.fitted > 2 && grid.p[grid.fitted - 1] > grid.processors) grid.fitted--;
    const size_t n = grid.n[grid.sizes - 1];
    const size_t room = n > 2 * (size_t)units * A_UNIT ? n : 2 * (size_t)units * A_UNIT; /* for the partial sums too */
    uint32_t *const x = lab_random(room);
    summing s = summing_of(l->dev, x, room);
    measure_grid(l, &grid, &s, x);
    cost_grid_fit(&grid);
    cost_show(l, &grid);
    release(&s);
    free(x);
}

/* --- 2. n = p ----------------------------------------------------------------------------------------------------- */

enum { MOST_TREES = 16 };

typedef struct trees {
    int count;
    uint32_t n[MOST_TREES];
    double sequential[MOST_TREES], seconds[MOST_TREES];
    bool right[MOST_TREES];
    double t_launch, t_element, error;
} trees;

static double steps(uint32_t n) { return ceil(log2(n)); }
static double formula_of(const trees *t, int i) { return t->t_launch * steps(t->n[i]) + t->t_element * t->n[i]; }

static void fit_trees(trees *t)
{
    double a[MOST_TREES][COST_COLUMNS], x[COST_COLUMNS];
    for (int i = 0; i < t->count; i++) {
        a[i][0] = steps(t->n[i]);
        a[i][1] = t->n[i];
    }
    cost_fit(t->count, 2, a, t->seconds, t->seconds, x);
    t->t_launch = x[0];
    t->t_element = x[1];
    double sum = 0;
    for (int i = 0; i < t->count; i++) {
        const double error = formula_of(t, i) / t->seconds[i] - 1;
        sum += error * error;
    }
    t->error = sqrt(sum / t->count);
}

static void add_tree(lab *l, cJSON *table, const trees *t, int i)
{
    const uint32_t n = t->n[i], groups = lab_ceiling(lab_ceiling(n, 2), ITEMS);
    const double parallel = t->seconds[i], sequential = t->sequential[i];
    lab_add_row(table, lab_is(n), lab_is(groups), lab_is(steps(n)), lab_is(sequential * 1e6),
                lab_is_if(t->right[i], parallel * 1e6), lab_is(formula_of(t, i) * 1e6), lab_is(sequential / parallel),
                lab_is(sequential / parallel / groups), lab_is(groups * parallel * 1e6),
                lab_is(groups * parallel / sequential), lab_is(n * steps(n) / (n - 1)));
    if (!t->right[i]) lab_wrong(l);
}

static void show_trees(lab *l, const trees *t)
{
    char about[2048];
    snprintf(about, sizeof about,
             "The tree alone, lab/reduce/01-launches.cl: every launch adds pairs and is a step, so that T_P = t_s "
             "log2 n if there are work-items for all pairs at once. They stay for all log2 n steps: n log2 n "
             "processor-steps for n - 1 additions, which is not cost-optimal. p counts the work-groups of the first "
             "launch; T_S is one work-group, as above.\n\n"
             "No device has n processors for every n: those that it has take turns (Brent), for n/2 + n/4 + ... pairs "
             "in all. The formula therefore is T_P = t_s log2 n + t_e n, by least squares of relative errors: t_s = "
             "%.3g us a launch (compare t_0 above), t_e = %.3g ns an element; error %.0f%%. While the first term is "
             "the larger, a tree of twice as many elements takes one launch more; later it takes twice as long.%s",
             t->t_launch * 1e6, t->t_element * 1e9, t->error * 100,
             t->error <= COST_GOOD ? "" : "\n\nThe formula does not describe this device: its error is above 15%.");
    cJSON *const table = lab_table(l->experiment, "Work-groups, one element a work-item: n = p", about,
                                   "n|p|launches|T_S:us|T_P:us|formula:us|S|E|C:us|C / T_S|n log2 n / (n - 1)");
    for (int i = 0; i < t->count; i++) add_tree(l, table, t, i);
    lab_show_section(l, table);
}

void cost_by_launches(lab *l)
{
    const size_t wanted = lab_size(l, (size_t)1 << 24, (size_t)1 << 22, (size_t)1 << 16);
    const size_t n = wanted < 4 ? 4 : wanted;
    trees t = {.count = 0};
    uint32_t *const x = lab_random(n);
    summing s = summing_of(l->dev, x, n);
    s.groups = 1;
    for (size_t at = 4; at <= n && t.count < MOST_TREES; at *= 4) {
        const int i = t.count++;
        lab_show_step("Cost model", "a launch a step", i, (int)(log2((double)n) / 2));
        s.n = t.n[i] = (uint32_t)at;
        t.right[i] = is_right(&s, by_launches, cost_sum(x, at));
        t.seconds[i] = lab_seconds(l->dev, by_launches, &s);
        t.sequential[i] = lab_seconds(l->dev, by_groups, &s);
    }
    fit_trees(&t);
    show_trees(l, &t);
    release(&s);
    free(x);
}
