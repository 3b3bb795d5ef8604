/* The formulas, and how their constants are found. */
#include "lab/cost/cost.h"

#include <math.h>

/* --- 1. formulas -------------------------------------------------------------------------------------------------- */

static double launches(double p) { return p > 1 ? 2 : 1; }
static double element(const cost_model *m, double n) { return n < m->far ? m->t_c : m->t_far; }

double cost_time(const cost_model *m, double n, double p)
{
    const double work = element(m, n) * n / p + m->t_s * log2(p), handing_over = m->t_0 * launches(p);
    return m->hidden ? fmax(work, handing_over) : work + handing_over;
}

double cost_efficiency(const cost_model *m, double n, double p)
{
    return cost_time(m, n, 1) / (p * cost_time(m, n, p));
}

/* e = T_1 / (p T_p), solved for n, with t_c as the time of an element.  As a sum, with h = t_s log2 p + 2 t_0: e =
 * (t_0 + t_c n) / (t_c n + p h).  Otherwise T_p is the longer of two times, and n must be large enough for both. */
static double n_for(const cost_model *m, double t_c, double p, double e)
{
    const double step = m->t_s * log2(p), handing_over = m->t_0 * launches(p);
    if (m->hidden) return fmax(e * p * step / (1 - e), e * p * handing_over) / t_c;
    return (e * p * (step + handing_over) - m->t_0) / (t_c * (1 - e));
}

double cost_n_for(const cost_model *m, double p, double e)
{
    const double n = p > 1 ? n_for(m, m->t_c, p, e) : NAN;
    return n < m->far || isnan(n) ? n : fmax(m->far, n_for(m, m->t_far, p, e)); /* slower elements need fewer */
}

double cost_work(const cost_model *m, double n) { return element(m, n) * n / m->t_s; }

/* Where the derivative by p is 0: t_c n / p^2 = t_s / (p ln 2).  A single processor has no second launch. */
double cost_best_p(const cost_model *m, double n, double most)
{
    const double p = fmin(fmax(1, cost_work(m, n) * log(2)), most);
    return cost_time(m, n, p) < cost_time(m, n, 1) ? p : 1;
}

double cost_optimal_p(const cost_model *m, double n, double most)
{
    const double work = cost_work(m, n);
    return work > 2 ? fmin(work / log2(work), most) : 1;
}

/* --- 2. least squares --------------------------------------------------------------------------------------------- */

/* The normal equations of those columns that are used, by Gauss's elimination; 0 for the others.  A column without any
 * weight gets 0 as well. */
static void solve(double (*matrix)[COST_COLUMNS], const double *vector, const bool *used, double *x)
{
    double m[COST_COLUMNS][COST_COLUMNS + 1];
    for (int r = 0; r < COST_COLUMNS; r++) {
        for (int c = 0; c < COST_COLUMNS; c++) m[r][c] = used[r] && used[c] ? matrix[r][c] : 0;
        m[r][COST_COLUMNS] = used[r] ? vector[r] : 0;
        if (!used[r]) m[r][r] = 1;
    }
    for (int pivot = 0; pivot < COST_COLUMNS; pivot++) {
        if (m[pivot][pivot] < 1e-12) { /* columns have length 1: this depends on earlier ones */
            for (int c = 0; c <= COST_COLUMNS; c++) m[pivot][c] = 0;
            m[pivot][pivot] = 1;
        }
        for (int r = 0; r < COST_COLUMNS; r++) {
            const double factor = m[r][pivot] / m[pivot][pivot];
            for (int c = pivot; r != pivot && c <= COST_COLUMNS; c++) m[r][c] -= factor * m[pivot][c];
        }
    }
    for (int c = 0; c < COST_COLUMNS; c++) x[c] = m[c][COST_COLUMNS] / m[c][c];
}

static int most_negative(const double *x)
{
    int worst = -1;
    for (int c = 0; c < COST_COLUMNS; c++)
        if (x[c] < 0 && (worst < 0 || x[c] < x[worst])) worst = c;
    return worst;
}

/* No time is negative: a constant that noise makes negative is left out. */
static void solve_positive(double (*matrix)[COST_COLUMNS], const double *vector, double *x)
{
    bool used[COST_COLUMNS] = {true, true, true};
    for (int worst = 0; worst >= 0;) {
        solve(matrix, vector, used, x);
        worst = most_negative(x);
        if (worst >= 0) used[worst] = false;
    }
}

void cost_fit(int rows, int columns, double (*a)[COST_COLUMNS], const double *y, const double *measured, double *x)
{
    double matrix[COST_COLUMNS][COST_COLUMNS] = {{0}}, vector[COST_COLUMNS] = {0}, length[COST_COLUMNS] = {0};
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++) length[c] += a[r][c] / measured[r] * (a[r][c] / measured[r]);
    for (int c = 0; c < COST_COLUMNS; c++) length[c] = length[c] > 0 ? sqrt(length[c]) : 1;
    for (int r = 0; r < rows; r++) {
        for (int c = 0; c < columns; c++) {
            const double part = a[r][c] / measured[r] / length[c];
            vector[c] += part * y[r] / measured[r];
            for (int k = 0; k < columns; k++) matrix[c][k] += part * (a[r][k] / measured[r] / length[k]);
        }
    }
    solve_positive(matrix, vector, x);
    for (int c = 0; c < COST_COLUMNS; c++) x[c] /= length[c];
}

/* --- 3. grids ----------------------------------------------------------------------------------------------------- */

void cost_grid_begin(cost_grid *grid, size_t largest, int sizes, int most)
{
    enum { SMALLEST = 1 << 10 };
    for (size_t n = largest; grid->sizes < sizes && grid->sizes < COST_SIZES && (n >= SMALLEST || grid->sizes == 0);
         n /= 4)
        grid->n[grid->sizes++] = (uint32_t)n;
    for (int i = 0, k = grid->sizes - 1; i < k; i++, k--) { /* the smallest first */
        const uint32_t n = grid->n[i];
        grid->n[i] = grid->n[k];
        grid->n[k] = n;
    }
    for (int p = 1; p < most && grid->counts < COST_COUNTS - 1; p *= 2) grid->p[grid->counts++] = p;
    grid->p[grid->counts++] = most;
    grid->fitted = grid->counts;
}

/* The time that one processor takes for an element. */
static double rate(const cost_grid *grid, int i) { return grid->parallel[i][0] / grid->n[i]; }

/* The first size of those that do not fit a cache: an element of it and of all larger ones takes clearly longer than
 * one of some smaller array.  grid->sizes: none. */
static int first_far(const cost_grid *grid)
{
    const double clearly = 1.4;
    double near[COST_SIZES] = {INFINITY}, far = INFINITY; /* the least before, and from there on */
    int first = grid->sizes;
    for (int i = 1; i < grid->sizes; i++) near[i] = fmin(near[i - 1], rate(grid, i - 1));
    for (int i = grid->sizes - 1; i > 0; i--) {
        far = fmin(far, rate(grid, i));
        if (isfinite(far) && far > clearly * near[i]) first = i;
    }
    return first;
}

static bool is_measured(const cost_grid *grid, int i, int k) { return grid->parallel[i][k] > 0; }

static double error_of(const cost_grid *grid, const cost_model *m)
{
    double sum = 0;
    int count = 0;
    for (int i = 0; i < grid->sizes; i++) {
        for (int k = 0; k < grid->fitted; k++) {
            if (!is_measured(grid, i, k)) continue;
            const double error = cost_time(m, grid->n[i], grid->p[k]) / grid->parallel[i][k] - 1;
            sum += error * error;
            count++;
        }
    }
    return count > 0 ? sqrt(sum / count) : NAN;
}

/* If launches are hidden, times longer than the launches do not depend on t_0; the other times are those of the
 * launches, and say nothing about t_c and t_s. */
static cost_model fit_form(const cost_grid *grid, bool hidden)
{
    enum { NEAR, FAR, STEP };
    const double longer = 1.1;
    const int far = first_far(grid);
    double a[COST_SIZES * COST_COUNTS][COST_COLUMNS], x[COST_COLUMNS];
    double y[COST_SIZES * COST_COUNTS] = {0}, measured[COST_SIZES * COST_COUNTS] = {0};
    cost_model m = {
        .t_0 = grid->t_0, .far = far < grid->sizes ? (double)grid->n[far] : (double)INFINITY, .hidden = hidden};
    int rows = 0;
    for (int i = 0; i < grid->sizes; i++) {
        for (int k = 0; k < grid->fitted; k++) {
            const double p = grid->p[k], time = grid->parallel[i][k], handing_over = m.t_0 * launches(p);
            if (!is_measured(grid, i, k) || (hidden && time < longer * handing_over)) continue;
            a[rows][NEAR] = i < far ? grid->n[i] / p : 0;
            a[rows][FAR] = i < far ? 0 : grid->n[i] / p;
            a[rows][STEP] = log2(p);
            y[rows] = hidden ? time : time - handing_over;
            measured[rows++] = time;
        }
    }
    cost_fit(rows, COST_COLUMNS, a, y, measured, x);
    m.t_c = x[NEAR];
    m.t_far = x[FAR];
    m.t_s = x[STEP];
    m.error = error_of(grid, &m);
    return m;
}

/* The sum is the textbook's form: the other form must be better by more than chance. */
void cost_grid_fit(cost_grid *grid)
{
    const double clearly = 0.8;
    const cost_model hidden = fit_form(grid, true), sum = fit_form(grid, false);
    const bool is_hidden = grid->launches && hidden.error < clearly * sum.error;
    grid->model = is_hidden ? hidden : sum;
    grid->other_error = is_hidden ? sum.error : hidden.error;
}

bool cost_holds(const cost_grid *grid)
{
    return grid->sizes > 1 && grid->model.error <= COST_GOOD && grid->model.t_c > 0 && grid->model.t_s > 0;
}
