#include <string.h>

#include <oplus/oplus.h>

#include "data.h"
#include "goals.h"
#include "report.h"

/* A limit that is not required is 0. */
typedef struct device_goal {
    bench_primitive primitive;
    bench_type type;
    size_t n, side;
    double limit, peer; /* ours / the device's limit, ours / best peer: at least */
    double us;          /* at most: microseconds for each call, back to back */
} device_goal;

enum { WHOLE = 1 << 28, LARGE = 1 << 24, MIDDLE = 1 << 20, FEW = 1 << 16, SMALL = 1 << 10 };

#define REACH(primitive, type, n, limit, peer, us)                                                                     \
    {                                                                                                                  \
        BENCH_##primitive, BENCH_##type, n, 0, limit, peer, us                                                         \
    }

/* Set by measurements of CUB 3.0 and 3.6 and of prototypes on an H200. */
static const device_goal device_goals[] = {
    REACH(REDUCE, F32, WHOLE, 0, 1.00, 0),
    REACH(REDUCE, F32, LARGE, 0, 1.00, 18.5),
    REACH(REDUCE, F32, MIDDLE, 0, 0, 6.2),
    REACH(REDUCE, F32, SMALL, 0, 0, 4),
    REACH(REDUCE, F64, WHOLE, 0, 1.00, 0),
    REACH(REDUCE, AFFINE, WHOLE, 0.98, 0, 0),
    REACH(SCAN, F32, WHOLE, 0.93, 1.26, 0),
    REACH(SCAN, U64, WHOLE, 0.93, 1.13, 0),
    REACH(SCAN, AFFINE, WHOLE, 0.90, 1.36, 0),
    REACH(SCAN, U8, WHOLE, 0.80, 0, 0),
    REACH(SCAN, U16, WHOLE, 0.80, 0, 0),
    REACH(SCAN, F32, MIDDLE, 0, 0, 5.5),
    REACH(SCAN, F32, SMALL, 0, 0, 3.8),
    REACH(SEGSCAN, F32, WHOLE, 0, 0, 620),
    REACH(FILTER, F32, WHOLE, 0, 1.38, 430),
    REACH(FILTER, F32, SMALL, 0, 0, 4.5),
    REACH(ZIP, F32, WHOLE, 0, 1.00, 0),
    REACH(SORT, U32, WHOLE, 0, 1.90, 2800),
    REACH(SORT, U32, MIDDLE, 0, 0, 18),
    REACH(SORT, U32, FEW, 0, 0, 9.5),
    REACH(SORT, U32, SMALL, 0, 0, 3.9),
    REACH(SORT, F32, WHOLE, 0, 0, 3200),
    REACH(SORT, U64, WHOLE, 0, 0, 5000),
    REACH(PAIRS, U32, WHOLE, 0, 1.25, 6800),
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

/* Prints a name without what stands before its last "::". */
static void print_peer(FILE *file, const bench_case *c, const bench_result *r)
{
    const char *name = r->name;
    for (const char *next; (next = strstr(name, "::")) != NULL;) name = next + 2;
    fprintf(file, "%.1f %s%s%s", bench_rate(c, r), r->peer ? r->peer : "", r->peer ? ", " : "", name);
}

/* The other peers, and what their rates are. */
static void print_others(FILE *file, const bench_case *c, const bench_result *best)
{
    const char *separator = "";
    for (size_t i = 0; i < c->count; i++) {
        const bench_result *const r = &c->of[i];
        if (r->role != BENCH_PEER || r == best) continue;
        fputs(separator, file);
        if (r->right)
            print_peer(file, c, r);
        else
            fprintf(file, "%s: wrong", r->peer ? r->peer : r->name);
        separator = "; ";
    }
}

static void print_device_goal(FILE *file, const device_goal *g, const bench_case *c)
{
    const bench_result *ours = bench_best(c, BENCH_OURS, BENCH_CLASS_ANY);
    const bench_result *peer = bench_best(c, BENCH_PEER, BENCH_CLASS_ANY);
    const double limit = bench_limit(c), rate = bench_rate(c, ours), us = ours ? ours->median * 1e6 : 0;
    const double of_limit = limit > 0 ? rate / limit : 0, of_peer = peer ? rate / bench_rate(c, peer) : 0;
    const char *separator = "";
    fprintf(file, "| %s %s | %zu | %.1f | %.1f | %.2f | %.2f | ", bench_primitive_name(c->primitive),
            bench_type_name(c->type), c->n, limit, rate, us, of_limit);
    if (peer) print_peer(file, c, peer);
    fputs(" | ", file);
    if (peer) fprintf(file, "%.2f", of_peer);
    fputs(" | ", file);
    print_others(file, c, peer);
    fputs(" | ", file);
    print_bound(file, "%.2f of limit", g->limit, &separator);
    print_bound(file, "%.2f of peer", g->peer, &separator);
    print_bound(file, "%.1f us", g->us, &separator);
    fprintf(file, " | %s |\n", verdict(g, of_limit, of_peer, us));
    fflush(file);
}

static void measure_goal(FILE *file, bench_log *log, const bench_accelerator *accelerator, const bench_options *o,
                         const device_goal *g)
{
    const size_t n = o->quick && g->n > MIDDLE ? MIDDLE : g->n, side = o->quick && g->side ? 1000 : g->side;
    bench_problem host, there;
    bench_problem_open(&host, g->primitive, g->type, n, (bench_shape){.rows = side, .cols = side}, false);
    bench_problem_send(&there, &host, accelerator, false);
    print_device_goal(file, g, bench_log_add(log, bench_measure(&there, &o->plan, accelerator->where)));
    bench_problem_recall(&there);
    bench_problem_close(&host);
}

void bench_device_goals(FILE *file, bench_log *log, const bench_accelerator *accelerator, const bench_options *o)
{
    enum { GOALS = sizeof device_goals / sizeof *device_goals };
    fprintf(file,
            "%s, arrays in its memory\n\n| case | n | limit | oplus | us a call | oplus / limit | best peer here "
            "| oplus / peer | other peers | goal | reached |\n|---|---|---|---|---|---|---|---|---|---|---|\n",
            oplus_device_name(accelerator->dev));
    for (size_t i = 0; i < GOALS; i++) {
        const device_goal *g = &device_goals[i];
        if (!o->primitive[g->primitive]) continue;
        fprintf(stderr, "oplus bench: %zu of %d: %s %s\n", i + 1, GOALS, bench_primitive_name(g->primitive),
                bench_type_name(g->type));
        measure_goal(file, log, accelerator, o, g);
    }
}
