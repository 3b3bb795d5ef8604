#include "goals.h"

#include <oplus/oplus.h>

#include "data.h"
#include "report.h"

enum { BIG = 1 << 27, TENTH = 10000000, CACHED = 100000 };

/* One requirement.  Consecutive rows of one case share its measurement. */
typedef struct goal {
    bench_primitive primitive;
    bench_type type;
    size_t n, side;
    int threads;
    bench_class class;
    double ratio;          /* at least: ours / best peer */
    const char *elsewhere; /* published GB/s on another machine (AVX2 EPYC, 2 cores) of peers that are not here */
} goal;

#define BOTH(primitive, type, n, ratio1, ratio2)                                                                       \
    {BENCH_##primitive, BENCH_##type, n, 0, 1, BENCH_CLASS_ANY, ratio1, ""},                                           \
    {                                                                                                                  \
        BENCH_##primitive, BENCH_##type, n, 0, 2, BENCH_CLASS_ANY, ratio2, ""                                          \
    }
#define SORT(primitive, type, threads, class, ratio, elsewhere)                                                        \
    {                                                                                                                  \
        BENCH_##primitive, BENCH_##type, TENTH, 0, threads, BENCH_CLASS_##class, ratio, elsewhere                      \
    }
#define SQUARE(side, ratio1, ratio2)                                                                                   \
    {BENCH_TRANSPOSE, BENCH_F32, (side) * (side), side, 1, BENCH_CLASS_ANY, ratio1, ""},                               \
    {                                                                                                                  \
        BENCH_TRANSPOSE, BENCH_F32, (side) * (side), side, 2, BENCH_CLASS_ANY, ratio2, ""                              \
    }

static const goal goals[] = {
    BOTH(REDUCE, F32, BIG, 1.0, 1.0),
    BOTH(REDUCE, F32, CACHED, 1.8, 1.2),
    BOTH(REDUCE, F64, BIG, 1.0, 1.0),
    BOTH(MAXIMUM, F32, BIG, 0.95, 0.95),
    BOTH(REDUCE, AFFINE, BIG, 1.1, 1.1),
    BOTH(SCAN, F32, BIG, 1.3, 2.2),
    BOTH(SCAN, I32, BIG, 1.4, 1.6),
    BOTH(SCAN, I64, BIG, 1.4, 1.4),
    BOTH(SCAN, AFFINE, BIG, 1.0, 1.4),
    BOTH(SEGSCAN, I32, BIG, 1.3, 1.8),
    BOTH(FILTER, U32, BIG, 8.0, 8.0),
    SORT(SORT, U32, 1, UNSTABLE, 1.3, "x86-simd-sort 0.91 (vqsort there 1.01)"),
    SORT(SORT, U32, 1, STABLE, 1.4, "ParlayLib 0.45"),
    SORT(SORT, U32, 2, UNSTABLE, 0.9, "x86-simd-sort 1.43, ips2ra 0.53"),
    SORT(SORT, U32, 2, STABLE, 1.4, "ParlayLib 0.86"),
    SORT(SORT, U64, 1, UNSTABLE, 1.3, "(vqsort there 0.90)"),
    SORT(SORT, U64, 1, STABLE, 1.3, "ParlayLib 0.47"),
    SORT(SORT, U64, 2, UNSTABLE, 0.75, "x86-simd-sort 1.61, ips2ra 1.23"),
    SORT(SORT, U64, 2, STABLE, 1.2, "ParlayLib 0.96"),
    SORT(SORT, F32, 1, UNSTABLE, 1.3, "(vqsort there 0.92)"),
    SORT(SORT, F32, 2, UNSTABLE, 0.7, "x86-simd-sort 1.53"),
    SORT(SORT, F64, 1, UNSTABLE, 1.3, ""),
    SORT(PAIRS, U32, 1, ANY, 1.1, "x86-simd-sort 0.96, ParlayLib 0.90"),
    SORT(PAIRS, U32, 2, ANY, 1.2, "x86-simd-sort 1.81, ParlayLib 1.71"),
    SQUARE(4000, 1.3, 1.8),
    SQUARE(4096, 1.3, 1.8),
};

static const char *const classes[] = {"", ", of stable", ", of unstable"};

static void print_goal(FILE *file, const goal *g, const bench_case *c)
{
    const bench_result *peer = bench_best(c, BENCH_PEER, g->class);
    const double ours = bench_rate(c, bench_best(c, BENCH_OURS, BENCH_CLASS_ANY));
    const double theirs = bench_rate(c, peer), ratio = theirs > 0 ? ours / theirs : 0;
    fprintf(file, "| %s %s%s | %zu | %d | %.2f | %.2f | %.2f %s | %.2f | %.2f | %s | %s |\n",
            bench_primitive_name(c->primitive), bench_type_name(c->type), classes[g->class], c->n, c->threads,
            bench_limit(c), ours, theirs, peer ? peer->name : "no peer", ratio, g->ratio,
            !peer               ? "?"
            : ratio >= g->ratio ? "yes"
                                : "no",
            g->elsewhere);
    fflush(file);
}

static bool same_data(const goal *a, const goal *b)
{
    return a->primitive == b->primitive && a->type == b->type && a->n == b->n && a->side == b->side;
}

void bench_goals(FILE *file, bench_log *log, const bench_plan *plan, bool huge, bool quick)
{
    bench_problem problem = {0};
    const bench_case *measured = NULL;
    fprintf(file, "| case | n | threads | limit | oplus | best peer here | oplus / peer | goal | reached | elsewhere: "
                  "their figure on another machine |\n|---|---|---|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < sizeof goals / sizeof *goals; i++) {
        const goal *g = &goals[i];
        const bool new_data = i == 0 || !same_data(g, g - 1);
        if (new_data) {
            if (i > 0) bench_problem_close(&problem);
            const size_t n = quick && g->n > CACHED && !g->side ? g->n / 16 : g->n;
            bench_problem_open(&problem, g->primitive, g->type, n, g->side, huge);
        }
        if (new_data || g->threads != problem.threads) {
            fprintf(stderr, "oplus bench: %zu of %zu: %s %s, %d threads\n", i + 1, sizeof goals / sizeof *goals,
                    bench_primitive_name(g->primitive), bench_type_name(g->type), g->threads);
            problem.threads = g->threads;
            problem.dev = bench_device(g->threads);
            measured = bench_log_add(log, bench_measure(&problem, plan, NULL));
            oplus_close(problem.dev);
        }
        print_goal(file, g, measured);
    }
    bench_problem_close(&problem);
}

/* --- accelerators --------------------------------------------------------------------------------------------- */

/* A limit that is not required is 0. */
typedef struct device_goal {
    bench_primitive primitive;
    bench_type type;
    size_t n, side;
    double limit, peer; /* ours / the device's limit, ours / best peer: at least */
    double us;          /* at most: microseconds for each call, back to back */
} device_goal;

enum { WHOLE = 1 << 28, LARGE = 1 << 24, MIDDLE = 1 << 20, SMALL = 1 << 10 };

#define REACH(primitive, type, n, limit, peer, us)                                                                     \
    {                                                                                                                  \
        BENCH_##primitive, BENCH_##type, n, 0, limit, peer, us                                                         \
    }

/* Set by measurements of CUB 3.0 and of prototypes on an H200. */
static const device_goal device_goals[] = {
    REACH(REDUCE, F32, WHOLE, 0, 1.00, 0),
    REACH(REDUCE, F32, LARGE, 0, 1.00, 0),
    REACH(REDUCE, F32, MIDDLE, 0, 1.50, 0),
    REACH(REDUCE, F32, SMALL, 0, 1.00, 0),
    REACH(REDUCE, F64, WHOLE, 0, 1.00, 0),
    REACH(REDUCE, AFFINE, WHOLE, 0.95, 0, 0),
    REACH(SCAN, F32, WHOLE, 0.93, 1.27, 0),
    REACH(SCAN, U64, WHOLE, 0.93, 1.13, 0),
    REACH(SCAN, AFFINE, WHOLE, 0.88, 2.8, 0),
    REACH(SCAN, F32, SMALL, 0, 0, 5.4),
    REACH(SEGSCAN, F32, WHOLE, 0.88, 0, 650),
    REACH(FILTER, F32, WHOLE, 0.85, 1.35, 0),
    REACH(FILTER, F32, SMALL, 0, 0, 5.4),
    REACH(ZIP, F32, WHOLE, 0, 1.00, 0),
    REACH(SORT, U32, WHOLE, 0, 1.15, 0),
    REACH(SORT, U32, MIDDLE, 0, 1.50, 0),
    REACH(SORT, U32, SMALL, 0, 0, 7),
    REACH(SORT, F32, WHOLE, 0, 1.15, 0),
    REACH(SORT, U64, WHOLE, 0, 1.15, 0),
    REACH(PAIRS, U32, WHOLE, 0, 1.15, 0),
    {BENCH_TRANSPOSE, BENCH_F32, 16384 * 16384, 16384, 0.97, 0, 0},
    {BENCH_TRANSPOSE, BENCH_F32, 4000 * 4000, 4000, 0.97, 0, 0},
};

/* If a peer is missing, the verdict is open, unless another requirement was not met. */
static const char *verdict(const device_goal *g, double of_limit, double of_peer, double us)
{
    const bool missed =
        us <= 0 || of_limit < g->limit || (of_peer > 0 && of_peer < g->peer) || (g->us > 0 && us > g->us);
    return missed ? "no" : g->peer > 0 && of_peer <= 0 ? "?" : "yes";
}

static void print_bound(FILE *file, const char *format, double bound, const char **separator)
{
    if (bound <= 0) return;
    fputs(*separator, file);
    fprintf(file, format, bound);
    *separator = ", ";
}

static void print_device_goal(FILE *file, const device_goal *g, const bench_case *c)
{
    const bench_result *ours = bench_best(c, BENCH_OURS, BENCH_CLASS_ANY);
    const bench_result *peer = bench_best(c, BENCH_PEER, BENCH_CLASS_ANY);
    const double limit = bench_limit(c), rate = bench_rate(c, ours), us = ours ? ours->median * 1e6 : 0;
    const double of_limit = limit > 0 ? rate / limit : 0, of_peer = peer ? rate / bench_rate(c, peer) : 0;
    const char *separator = "";
    fprintf(file, "| %s %s | %zu | %.1f | %.1f | %.2f | %.2f | %.1f %s | %.2f | ", bench_primitive_name(c->primitive),
            bench_type_name(c->type), c->n, limit, rate, us, of_limit, bench_rate(c, peer),
            peer ? peer->name : "no peer", of_peer);
    print_bound(file, "%.2f of limit", g->limit, &separator);
    print_bound(file, "%.2f of peer", g->peer, &separator);
    print_bound(file, "%.1f us", g->us, &separator);
    fprintf(file, " | %s |\n", verdict(g, of_limit, of_peer, us));
    fflush(file);
}

void bench_device_goals(FILE *file, bench_log *log, const bench_plan *plan, const bench_accelerator *accelerator,
                        bool quick)
{
    enum { GOALS = sizeof device_goals / sizeof *device_goals };
    fprintf(file,
            "%s, arrays in its memory\n\n| case | n | limit | oplus | us a call | oplus / limit | best peer here "
            "| oplus / peer | goal | reached |\n|---|---|---|---|---|---|---|---|---|---|\n",
            oplus_device_name(accelerator->dev));
    for (size_t i = 0; i < GOALS; i++) {
        const device_goal *g = &device_goals[i];
        const size_t n = quick && g->n > MIDDLE ? MIDDLE : g->n;
        bench_problem host, there;
        fprintf(stderr, "oplus bench: %zu of %d: %s %s\n", i + 1, GOALS, bench_primitive_name(g->primitive),
                bench_type_name(g->type));
        bench_problem_open(&host, g->primitive, g->type, n, quick && g->side ? 1000 : g->side, false);
        bench_problem_send(&there, &host, accelerator, false);
        print_device_goal(file, g, bench_log_add(log, bench_measure(&there, plan, accelerator->where)));
        bench_problem_recall(&there);
        bench_problem_close(&host);
    }
}
