#include "goals.h"

#include <string.h>

#include <oplus/oplus.h>

#include "data.h"
#include "die.h"
#include "report.h"

enum { BIG = 1 << 27, TENTH = 10000000, CACHED = 100000, MILLION = 1000000, FAR_BYTES = 1 << 26 };

/* Whose rate the goal is a multiple of. */
typedef enum rival { BEST_ANY, BEST_STABLE, BEST_UNSTABLE, STD_SORT, PLAIN_LOOP, COPY } rival;
static const char *const rivals[] = {"peer", "stable peer", "unstable peer", "std::sort", "loop", "copy"};
static const bench_class classes[] = {/* the peers that a row shows */
                                      BENCH_CLASS_ANY, BENCH_CLASS_STABLE, BENCH_CLASS_UNSTABLE,
                                      BENCH_CLASS_ANY, BENCH_CLASS_ANY,    BENCH_CLASS_ANY};

/* One requirement.  Consecutive rows of one case share its measurement. */
typedef struct goal {
    bench_primitive primitive;
    bench_type type;
    size_t n;
    bench_shape shape;
    int threads;
    rival rival;
    double ratio;          /* at least: ours / the rival's */
    const char *elsewhere; /* published GB/s on another machine (AVX2 EPYC, 2 cores) of peers that are not here */
} goal;

#define BOTH(primitive, type, n, ratio1, ratio2)                                                                       \
    {BENCH_##primitive, BENCH_##type, n, {0}, 1, BEST_ANY, ratio1, ""},                                                \
    {                                                                                                                  \
        BENCH_##primitive, BENCH_##type, n, {0}, 2, BEST_ANY, ratio2, ""                                               \
    }
#define SORT(primitive, type, threads, class, ratio, elsewhere)                                                        \
    {                                                                                                                  \
        BENCH_##primitive, BENCH_##type, TENTH, {0}, threads, BEST_##class, ratio, elsewhere                           \
    }
#define SQUARE(side, ratio1, ratio2)                                                                                   \
    {BENCH_TRANSPOSE, BENCH_F32, 0, {.rows = side, .cols = side}, 1, BEST_ANY, ratio1, ""},                            \
    {                                                                                                                  \
        BENCH_TRANSPOSE, BENCH_F32, 0, {.rows = side, .cols = side}, 2, BEST_ANY, ratio2, ""                           \
    }

static const goal large[] = {
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

/* --- shapes on which an implementation for the usual data may be slow --------------------------------------------- */

typedef struct goal_list {
    size_t count;
    goal of[256];
} goal_list;

static void add(goal_list *list, goal g)
{
    if (list->count == sizeof list->of / sizeof *list->of) tool_die(TOOL_FAILED, "there are too many goals");
    list->of[list->count++] = g;
}

/* Keys alone, however they lie: never below 0.9 of std::sort. */
static void add_patterns(goal_list *list)
{
    static const bench_type types[] = {BENCH_U32, BENCH_U64, BENCH_F32, BENCH_F64};
    static const size_t sizes[] = {1000, MILLION};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            for (int k = 0; k < BENCH_PATTERN_COUNT; k++)
                add(list, (goal){BENCH_SORT, types[t], sizes[s], {.pattern = k}, 1, STD_SORT, 0.9, ""});
}

/* Segments of any length: never below the plain loop over segments.  Few segments need more elements. */
static void add_segments(goal_list *list)
{
    static const bench_type types[] = {BENCH_U32, BENCH_F32, BENCH_I64, BENCH_AFFINE};
    static const double lengths[] = {BENCH_LENGTHS_EMPTY, 1, 3, 10, 100, 1000, 1e6, BENCH_LENGTHS_POWER};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++)
            for (int threads = 1; threads <= 2; threads++)
                add(list, (goal){BENCH_SEGREDUCE,
                                 types[t],
                                 lengths[k] < MILLION ? MILLION : TENTH,
                                 {.length = lengths[k]},
                                 threads,
                                 PLAIN_LOOP,
                                 1.0,
                                 ""});
}

/* Transposes of any shape and size of elements: at least 0.8 of a copy. */
static void add_matrices(goal_list *list, size_t bytes)
{
    static const bench_type types[] = {BENCH_U8, BENCH_U16, BENCH_U32, BENCH_U64, BENCH_AFFINE64, BENCH_TRIPLE};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        const size_t n = bytes / bench_type_size(types[t]);
        size_t power = 1;
        while (4 * power * power <= n) power *= 2;
        const bench_shape shapes[] = {{.rows = 1, .cols = n},         {.rows = n, .cols = 1},
                                      {.rows = 3, .cols = n / 3},     {.rows = n / 3, .cols = 3},
                                      {.rows = power, .cols = power}, {.rows = power - 1, .cols = power + 1}};
        for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
            add(list, (goal){BENCH_TRANSPOSE, types[t], 0, shapes[k], 1, COPY, 0.8, ""});
    }
}

/* --- measuring ---------------------------------------------------------------------------------------------------- */

static double rate_of_rival(const bench_case *c, rival rival)
{
    switch (rival) {
    case STD_SORT:
        for (size_t i = 0; i < c->count; i++)
            if (strcmp(c->of[i].name, "std::sort") == 0) return bench_rate(c, &c->of[i]);
        return 0;
    case PLAIN_LOOP:
        return bench_rate(c, bench_best(c, BENCH_LOOP, BENCH_CLASS_ANY));
    case COPY:
        return bench_limit(c);
    default:
        return bench_rate(c, bench_best(c, BENCH_PEER, classes[rival]));
    }
}

static void print_goal(FILE *file, const goal *g, const bench_case *c)
{
    const bench_result *peer = bench_best(c, BENCH_PEER, classes[g->rival]);
    const double ours = bench_rate(c, bench_best(c, BENCH_OURS, BENCH_CLASS_ANY));
    const double theirs = bench_rate(c, peer), rate = rate_of_rival(c, g->rival), ratio = rate > 0 ? ours / rate : 0;
    fprintf(file, "| %s %s%s%s | %zu | %d | %.2f | %.2f | ", bench_primitive_name(c->primitive),
            bench_type_name(c->type), *c->shape ? ", " : "", c->shape, c->n, c->threads, bench_limit(c), ours);
    if (peer)
        fprintf(file, "%.2f %s, %.2f", theirs, peer->name, ours / theirs);
    else
        fprintf(file, "none");
    fprintf(file, " | %.2f of %s | %.2f | %s | %s |\n", g->ratio, rivals[g->rival], ratio,
            rate <= 0           ? "?"
            : ratio >= g->ratio ? "yes"
                                : "no",
            g->elsewhere);
    fflush(file);
}

static bool same_data(const goal *a, const goal *b)
{
    return a->primitive == b->primitive && a->type == b->type && a->n == b->n && a->shape.pattern == b->shape.pattern &&
           a->shape.length == b->shape.length && a->shape.rows == b->shape.rows && a->shape.cols == b->shape.cols;
}

/* Measures goal i of the list on an open problem; o: how. */
static const bench_case *measure(const goal_list *list, size_t i, bench_problem *problem, bench_log *log,
                                 const bench_options *o)
{
    const goal *g = &list->of[i];
    fprintf(stderr, "oplus bench: %zu of %zu: %s %s%s%s, %d threads\n", i + 1, list->count,
            bench_primitive_name(g->primitive), bench_type_name(g->type), *problem->shape ? ", " : "", problem->shape,
            g->threads);
    problem->threads = g->threads;
    problem->dev = bench_device(g->threads);
    const bench_case *const measured = bench_log_add(log, bench_measure(problem, &o->plan, NULL));
    oplus_close(problem->dev);
    return measured;
}

static void measure_all(FILE *file, const goal_list *list, bench_log *log, const bench_options *o)
{
    bench_problem problem = {0};
    const bench_case *measured = NULL;
    for (size_t i = 0; i < list->count; i++) {
        const goal *g = &list->of[i];
        const bool new_data = i == 0 || !same_data(g, g - 1);
        if (new_data) {
            if (i > 0) bench_problem_close(&problem);
            bench_problem_open(&problem, g->primitive, g->type, o->quick && g->n > CACHED ? g->n / 16 : g->n, g->shape,
                               o->huge);
        }
        if (new_data || g->threads != problem.threads) measured = measure(list, i, &problem, log, o);
        print_goal(file, g, measured);
    }
    if (list->count > 0) bench_problem_close(&problem);
}

static void drop_others(goal_list *list, const bool *chosen)
{
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++)
        if (chosen[list->of[i].primitive]) list->of[kept++] = list->of[i];
    list->count = kept;
}

void bench_goals(FILE *file, bench_log *log, const bench_options *o)
{
    static goal_list list;
    for (size_t i = 0; i < sizeof large / sizeof *large; i++) add(&list, large[i]);
    add_patterns(&list);
    add_segments(&list);
    add_matrices(&list, o->quick ? MILLION : FAR_BYTES);
    drop_others(&list, o->primitive);
    fprintf(file, "| case | n | threads | limit | oplus | best peer here, oplus / peer | goal | is | reached | "
                  "elsewhere: their figure on another machine |\n|---|---|---|---|---|---|---|---|---|---|\n");
    measure_all(file, &list, log, o);
}
