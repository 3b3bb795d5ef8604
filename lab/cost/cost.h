/* The cost model: what a sum of n elements by p processors takes, by formula and by measurement.
 *
 *   T_P(n, p) = t_c n/p + t_s log2 p + t_0 launches
 *
 * t_c is the time of an addition, t_s that of a step of the tree, in which everyone waits for everyone; t_0 that of a
 * launch, of which there is one for p = 1 and two for more, and none among threads. */
#ifndef LAB_COST_COST_H
#define LAB_COST_COST_H

#include "lab/lab.h"

typedef struct cost_model {
    double t_c, t_s, t_0; /* seconds */
    double error;         /* root of the mean square of (formula - measured) / measured */
} cost_model;

double cost_time(const cost_model *m, double n, double p);
double cost_efficiency(const cost_model *m, double n, double p);
/* The n at which p processors have the efficiency e; NAN: p = 1. */
double cost_n_for(const cost_model *m, double p, double e);
/* The work of n elements, counted in steps of the tree. */
double cost_work(const cost_model *m, double n);
/* The p of the shortest time; infinite where a step costs nothing. */
double cost_best_p(const cost_model *m, double n);
/* The p of the shortest cost-optimal time: w / log2 w of the work w; at least 1. */
double cost_optimal_p(const cost_model *m, double n);

/* Least squares of relative errors: constants x >= 0, `columns` of them and 0 behind, such that the sum over columns of
 * a[row][c] * x[c] is near y[row], measured in y[row].  Returns the root of the mean square. */
enum { COST_COLUMNS = 3 };
double cost_fit(int rows, int columns, double (*a)[COST_COLUMNS], const double *y, double *x);

/* Measured: each n by each p. */
enum { COST_SIZES = 8, COST_COUNTS = 24 };
typedef struct cost_grid {
    const char *workers; /* "threads", "work-groups" */
    bool launches;       /* of kernels: t_0 counts */
    bool on_cores;       /* work-groups, but of OpenCL on the host's cores */
    int sizes, counts;
    int fitted; /* the formula is fitted to the first so many counts */
    uint32_t n[COST_SIZES];
    int p[COST_COUNTS];                                               /* from 1, growing */
    double sequential[COST_SIZES], parallel[COST_SIZES][COST_COUNTS]; /* seconds; NAN: not measured */
    bool right[COST_SIZES][COST_COUNTS];
    cost_model model;
} cost_grid;

/* Sizes up to `largest`, each a quarter of the next; counts 1, 2, 4, ... up to `most`, and that. */
void cost_grid_begin(cost_grid *grid, size_t largest, int sizes, int most);
void cost_grid_fit(cost_grid *grid);

/* Random elements, and their sum. */
uint32_t *cost_elements(size_t n);
uint32_t cost_sum(const uint32_t *x, size_t n);

/* The parts of the experiment. */
void cost_formulas(lab *l);
void cost_by_threads(lab *l);
void cost_by_groups(lab *l);
void cost_by_launches(lab *l);
/* The sections that are made of a grid. */
void cost_show(lab *l, const cost_grid *grid);

#endif
