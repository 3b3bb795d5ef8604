/* "Any call, n = 1 to 1000: never slower than the plain loop by more than 60 ns." */
#include <math.h>

#include <oplus/oplus.h>

#include "data.h"
#include "goals.h"
#include "report.h"

typedef struct small_case {
    bench_primitive primitive;
    bench_type type;
} small_case;

static const small_case cases[] = {
    {BENCH_MAP, BENCH_F32},       {BENCH_ZIP, BENCH_F32},         {BENCH_REDUCE, BENCH_F32},
    {BENCH_REDUCE, BENCH_I32},    {BENCH_REDUCE, BENCH_F64},      {BENCH_MAXIMUM, BENCH_F32},
    {BENCH_REDUCE, BENCH_AFFINE}, {BENCH_REDUCE, BENCH_AFFINE64}, {BENCH_FOLD, BENCH_F32},
    {BENCH_SCAN, BENCH_F32},      {BENCH_SCAN, BENCH_I32},        {BENCH_SCAN, BENCH_I64},
    {BENCH_SCAN, BENCH_AFFINE},   {BENCH_SCAN, BENCH_AFFINE64},   {BENCH_EXCLUSIVE, BENCH_F32},
    {BENCH_SEGSCAN, BENCH_I32},   {BENCH_SEGREDUCE, BENCH_F32},   {BENCH_FILTER, BENCH_U32},
    {BENCH_SORT, BENCH_U32},      {BENCH_SORT, BENCH_F32},        {BENCH_PAIRS, BENCH_U32},
    {BENCH_TRANSPOSE, BENCH_F32},
};
static const size_t sizes[] = {1, 10, 100, 1000, 10000};
enum { SIZES = sizeof sizes / sizeof *sizes, GOAL_N = 1000, GOAL_NS = 60 };

/* ns of the best of a role; -1 if there is none */
static double ns_of(const bench_case *measured, bench_role role)
{
    const bench_result *r = bench_best(measured, role, BENCH_CLASS_ANY);
    return r ? r->median * 1e9 : -1;
}

/* Prints ns a call, ours / the loop's; returns how many more ours are. */
static double measure_size(FILE *file, bench_log *log, const bench_plan *plan, const small_case *c, oplus_device *dev,
                           size_t n)
{
    bench_problem problem;
    bench_problem_open(&problem, c->primitive, c->type, n, (bench_shape){0}, false);
    problem.dev = dev;
    const bench_case *measured = bench_log_add(log, bench_measure(&problem, plan, NULL));
    bench_problem_close(&problem);

    const double ours = ns_of(measured, BENCH_OURS);
    const double peer = bench_is_sort(c->primitive) ? ns_of(measured, BENCH_PEER) : -1;
    double loop = ns_of(measured, BENCH_LOOP);
    if (peer >= 0 && peer < loop) loop = peer;
    fprintf(file, " %.0f / %.0f |", ours, loop);
    return ours - loop;
}

void bench_latency(FILE *file, bench_log *log, const bench_options *o, int threads)
{
    oplus_device *dev = bench_device(threads);
    size_t missed = 0, rows = 0;
    bench_plan plan = o->plan;
    plan.batch /= 8;
    fprintf(file, "\nns a call on %s: oplus / plain loop (a sort: the better of qsort and the best peer)\n\n| case |",
            oplus_device_name(dev));
    for (size_t s = 0; s < SIZES; s++) fprintf(file, " n = %zu |", sizes[s]);
    fprintf(file, " up to %d slower by | reached |\n|---|---|---|---|---|---|---|---|\n", GOAL_N);

    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        double slower = -INFINITY;
        if (!o->primitive[cases[c].primitive]) continue;
        fprintf(file, "| %s %s |", bench_primitive_name(cases[c].primitive), bench_type_name(cases[c].type));
        for (size_t s = 0; s < SIZES; s++) {
            const double by = measure_size(file, log, &plan, &cases[c], dev, sizes[s]);
            if (sizes[s] <= GOAL_N) slower = fmax(slower, by);
        }
        fprintf(file, " %.0f | %s |\n", slower, slower <= GOAL_NS ? "yes" : "no");
        fflush(file);
        rows++;
        missed += slower > GOAL_NS;
    }
    fprintf(file,
            "\nGoal: up to n = %d never slower than the plain loop by more than %d ns: %zu of %zu rows do not "
            "reach it.\n",
            GOAL_N, GOAL_NS, missed, rows);
    oplus_close(dev);
}
