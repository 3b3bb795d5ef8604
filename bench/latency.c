/* "Any call, n = 1000: never slower than the plain loop by more than 100 ns." */
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
enum { SIZES = sizeof sizes / sizeof *sizes, GOAL_N = 1000, GOAL_NS = 100 };

/* ns of the best of a role; -1 if there is none */
static double ns_of(const bench_case *measured, bench_role role)
{
    const bench_result *r = bench_best(measured, role, BENCH_CLASS_ANY);
    return r ? r->median * 1e9 : -1;
}

void bench_latency(FILE *file, bench_log *log, const bench_plan *plan, int threads)
{
    oplus_device *dev = bench_device(threads);
    bool reached = true;
    fprintf(file, "ns a call on %s: oplus / plain loop (a sort: the better of qsort and the best peer)\n\n| case |",
            oplus_device_name(dev));
    for (size_t s = 0; s < SIZES; s++) fprintf(file, " n = %zu |", sizes[s]);
    fprintf(file, " at %d slower by |\n|---|---|---|---|---|---|---|\n", GOAL_N);

    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        double slower = 0;
        fprintf(file, "| %s %s |", bench_primitive_name(cases[c].primitive), bench_type_name(cases[c].type));
        for (size_t s = 0; s < SIZES; s++) {
            bench_problem problem;
            bench_problem_open(&problem, cases[c].primitive, cases[c].type, sizes[s], 0, false);
            problem.dev = dev;
            const bench_case *measured = bench_log_add(log, bench_measure(&problem, plan, NULL));
            bench_problem_close(&problem);

            const bool is_sort = cases[c].primitive == BENCH_SORT || cases[c].primitive == BENCH_PAIRS;
            const double ours = ns_of(measured, BENCH_OURS), peer = is_sort ? ns_of(measured, BENCH_PEER) : -1;
            double loop = ns_of(measured, BENCH_LOOP);
            if (peer >= 0 && peer < loop) loop = peer;
            fprintf(file, " %.0f / %.0f |", ours, loop);
            if (sizes[s] == GOAL_N) slower = ours - loop;
        }
        fprintf(file, " %.0f |\n", slower);
        fflush(file);
        reached = reached && slower <= GOAL_NS;
    }
    fprintf(file, "\nGoal: at n = %d never slower than the plain loop by more than %d ns: %s.\n", GOAL_N, GOAL_NS,
            reached ? "reached" : "not reached");
    oplus_close(dev);
}
