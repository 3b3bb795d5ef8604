/* The cost model: what a sum of n elements by p processors takes, by formula and by measurement.
 *
 * T_P(n, p) = t_c n/p + t_s log2 p by threads T_P(n, p) = t_c n/p + t_s log2 p + t_0 launches by kernels, if a launch
 * takes additional time, T_P(n, p) = max(t_c n/p + t_s log2 p, t_0 launches) or if the device works during launches
 *
 * t_c is the time of an addition, t_s that of a step of the tree, in which all wait for all, and t_0 that of a
 * launch; there is one launch for p = 1, and two for larger p. */
#ifndef LAB_COST_COST_H
#define LAB_COST_COST_H

#include "lab/lab.h"

typedef struct cost_model {
    double t_c, t_s, t_0; /* seconds */
    double far, t_far; /* arrays of n >= far do not fit a cache, and t_far is their t_c; INFINITY: none was measured */
    bool hidden;       /* launches count only if they take longer than the work */
    double error;      /* root of the mean square of (formula - measured) / measured */
} cost_model;

double cost_time(const cost_model *m, double n, double p);
double cost_efficiency(const cost_model *m, double n, double p);
/* The n at which p processors have the efficiency e; NAN: p = 1. */
double cost_n_for(const cost_model *m, double p, double e);
/* The work of n elements, counted in steps of the tree. */
double cost_work(const cost_model *m, double n);
/* The p of the shortest time, up to `most`. */
double cost_best_p(const cost_model *m, double n, double most);
/* The p of the shortest cost-optimal time: w / log2 w for the work w, from 1 to `most`. */
double cost_optimal_p(const cost_model *m, double n, double most);

/* Least squares of relative errors: finds `columns` constants x >= 0 (the others are 0) such that the sum over
 * columns of a[row][c] * x[c] is near y[row], relative to measured[row]. */
enum { COST_COLUMNS = 3 };
void cost_fit(int rows, int columns, double (*a)[COST_COLUMNS], const double *y, const double *measured, double *x);

/* Measured: each n by each p. */
enum { COST_SIZES = 8, COST_COUNTS = 24 };
typedef struct cost_grid {
    const char *workers; /* "threads", "work-groups" */
    bool launches;       /* of kernels: t_0 matters */
    bool on_cores;       /* work-groups of OpenCL on the host's cores */
    int sizes, counts;
    int fitted;     /* the formula is fitted to this many counts, the first ones, */
    int processors; /* and assumes at most this many: the device's */
    double t_0;     /* a launch, measured; 0 of threads */
    uint32_t n[COST_SIZES];
    int p[COST_COUNTS];                                               /* from 1, growing */
    double sequential[COST_SIZES], parallel[COST_SIZES][COST_COUNTS]; /* seconds; NAN: not measured */
    bool right[COST_SIZES][COST_COUNTS];
    cost_model model;
    double other_error; /* error of the model with the other form for launches */
} cost_grid;

/* Sizes up to `largest`, each a quarter of the next; counts 1, 2, 4, ... up to `most`, and `most` itself. */
void cost_grid_begin(cost_grid *grid, size_t largest, int sizes, int most);
void cost_grid_fit(cost_grid *grid);

/* Does the formula describe the device?  If there are several n, its error is at most COST_GOOD, and t_s > 0. */
#define COST_GOOD 0.15
bool cost_holds(const cost_grid *grid);

/* The sum of integers, modulo 2^32. */
uint32_t cost_sum(const uint32_t *x, size_t n);

/* The parts of the experiment. */
void cost_formulas(lab *l);
void cost_by_threads(lab *l);
void cost_by_groups(lab *l);
void cost_by_launches(lab *l);
/* The sections that are made of a grid. */
void cost_show(lab *l, const cost_grid *grid);
void cost_show_constants(lab *l, const cost_grid *grid);
enum { COST_TITLE = 128 };
const char *cost_title(char *title, const cost_grid *grid, const char *what); /* "Threads: the constants" */

#endif
