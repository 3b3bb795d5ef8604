/* The formulas, and how their constants are found. */
#include "lab/cost/cost.h"

#include <math.h>

/* --- 1. formulas -------------------------------------------------------------------------------------------------- */

static double launches(double p) { return p > 1 ? 2 : 1; }

double cost_time(const cost_model *m, double n, double p)
{
    return m->t_c * n / p + m->t_s * log2(p) + m->t_0 * launches(p);
}

double cost_efficiency(const cost_model *m, double n, double p)
{
    return cost_time(m, n, 1) / (p * cost_time(m, n, p));
}

/* e = (t_0 + t_c n) / (t_c n + p h), with h = t_s log2 p + 2 t_0, solved for n. */
double cost_n_for(const cost_model *m, double p, double e)
{
    const double h = m->t_s * log2(p) + m->t_0 * launches(p);
    return p > 1 ? (e * p * h - m->t_0) / (m->t_c * (1 - e)) : NAN;
}

double cost_work(const cost_model *m, double n) { return m->t_c * n / m->t_s; }

/* Where the derivative by p is 0: t_c n / p^2 = t_s / (p ln 2). */
double cost_best_p(const cost_model *m, double n) { return fmax(1, cost_work(m, n) * log(2)); }

double cost_optimal_p(const cost_model *m, double n)
{
    const double work = cost_work(m, n);
    return work > 2 ? work / log2(work) : 1;
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
        if (m[pivot][pivot] < 1e-12) { /* columns have a length of 1: it depends on those before */
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

/* No time is negative: a constant that noise makes so is left out. */
static void solve_positive(double (*matrix)[COST_COLUMNS], const double *vector, double *x)
{
    bool used[COST_COLUMNS] = {true, true, true};
    for (int worst = 0; worst >= 0;) {
        solve(matrix, vector, used, x);
        worst = most_negative(x);
        if (worst >= 0) used[worst] = false;
    }
}

double cost_fit(int rows, int columns, double (*a)[COST_COLUMNS], const double *y, double *x)
{
    double matrix[COST_COLUMNS][COST_COLUMNS] = {{0}}, vector[COST_COLUMNS] = {0}, length[COST_COLUMNS] = {0}, sum = 0;
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++) length[c] += a[r][c] / y[r] * (a[r][c] / y[r]);
    for (int c = 0; c < columns; c++) length[c] = length[c] > 0 ? sqrt(length[c]) : 1;
    for (int r = 0; r < rows; r++) {
        for (int c = 0; c < columns; c++) {
            vector[c] += a[r][c] / y[r] / length[c];
            for (int k = 0; k < columns; k++) matrix[c][k] += a[r][c] / y[r] / length[c] * (a[r][k] / y[r] / length[k]);
        }
    }
    solve_positive(matrix, vector, x);
    for (int c = 0; c < columns; c++) x[c] /= length[c];
    for (int r = 0; r < rows; r++) {
        double error = -1;
        for (int c = 0; c < columns; c++) error += a[r][c] * x[c] / y[r];
        sum += error * error;
    }
    return sqrt(sum / rows);
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

void cost_grid_fit(cost_grid *grid)
{
    double a[COST_SIZES * COST_COUNTS][COST_COLUMNS], y[COST_SIZES * COST_COUNTS], x[COST_COLUMNS] = {0};
    int rows = 0;
    for (int i = 0; i < grid->sizes; i++) {
        for (int k = 0; k < grid->fitted; k++) {
            const double p = grid->p[k];
            if (!(grid->parallel[i][k] > 0)) continue;
            a[rows][0] = grid->n[i] / p;
            a[rows][1] = log2(p);
            a[rows][2] = launches(p);
            y[rows++] = grid->parallel[i][k];
        }
    }
    grid->model.error = rows > 0 ? cost_fit(rows, grid->launches ? 3 : 2, a, y, x) : NAN;
    grid->model.t_c = x[0];
    grid->model.t_s = x[1];
    grid->model.t_0 = x[2];
}
