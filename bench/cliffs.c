#define _POSIX_C_SOURCE 199309L /* clock_gettime */
#include "cliffs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "data.h"
#include "die.h"
#include "kernels.h"
#include "measure.h"
#include "random.h"
#include "shape.h"

/* "At most 1.3 times the time of the plain loop", and for a single small call at most 100 ns more. */
static const double most_ratio = 1.3, most_ns = 100;
enum {
    NEAR_BYTES = 1 << 15, /* in a first-level cache, with results */
    MID_BYTES = 1 << 18,  /* in a second-level one */
    FAR_BYTES = 1 << 26   /* in memory */
};

typedef struct figures {
    FILE *file;
    oplus_device *dev;
    int rounds;
    bool quick, right;
    size_t rows, slow;
} figures;

/* --- data --------------------------------------------------------------------------------------------------------- */

static uint64_t random_state;

static uint64_t random_u64(void) { return bench_random_u64(&random_state); }

static void put_number(void *to, bench_cliff_member member, int v)
{
    switch (member) {
    case BENCH_CLIFF_F32:
        memcpy(to, &(float){(float)v}, sizeof(float));
        return;
    case BENCH_CLIFF_F64:
        memcpy(to, &(double){v}, sizeof(double));
        return;
    case BENCH_CLIFF_I64:
        memcpy(to, &(int64_t){v}, sizeof(int64_t));
        return;
    default:
        memcpy(to, &(uint8_t){(uint8_t)v}, 1);
        return;
    }
}

/* Small integers, 0 on average, so that sums are exact in every type. */
static void *make_elements(const bench_cliff *c, size_t n)
{
    static const size_t sizes[] = {
        [BENCH_CLIFF_BYTES] = 1, [BENCH_CLIFF_F32] = 4, [BENCH_CLIFF_F64] = 8, [BENCH_CLIFF_I64] = 8};
    const size_t size = sizes[c->member], count = n * c->size / size;
    char *const mem = tool_alloc(n * c->size + 1);
    for (size_t i = 0; i < count; i++) {
        const uint64_t r = random_u64();
        const int v = (int)(r & 7) - (int)(r >> 3 & 7);
        put_number(mem + i * size, c->member, !c->maps || i % 2 ? v : r & 64 ? 1 : -1);
    }
    return mem;
}

/* A head at every element with the probability 1 / distance. */
static uint8_t *make_heads(size_t n, double distance)
{
    uint8_t *const heads = tool_alloc(n + 1);
    for (size_t i = 0; i < n; i++) heads[i] = (double)(random_u64() >> 11) * 0x1p-53 * distance < 1;
    return heads;
}

/* Returns the number of elements. */
static size_t make_offsets(size_t *offsets, size_t segments, double mean)
{
    offsets[0] = 0;
    for (size_t s = 0; s < segments; s++) offsets[s + 1] = offsets[s] + bench_random_length(mean, &random_state);
    return offsets[segments];
}

/* --- time --------------------------------------------------------------------------------------------------------- */

/* Time of this thread's own work: other programs on this machine do not count. */
static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double time_calls(void (*run)(bench_cliff_data *), bench_cliff_data *p, size_t calls)
{
    const double begin = cpu_seconds();
    for (size_t i = 0; i < calls; i++) run(p);
    return (cpu_seconds() - begin) / (double)calls;
}

static size_t calls_of(void (*run)(bench_cliff_data *), bench_cliff_data *p, double batch)
{
    run(p);
    size_t calls = 1;
    while (calls < 1 << 20 && time_calls(run, p, calls) * (double)calls < batch / 2) calls *= 2;
    return calls;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *x, int n)
{
    qsort(x, (size_t)n, sizeof *x, compare);
    return x[n / 2];
}

/* Measures both in turn; seconds for each call, medians. */
static void time_both(const figures *f, const bench_cliff *c, bench_cliff_data *p, double seconds[2])
{
    const double batch = f->quick ? 2e-5 : 3e-4;
    const size_t calls[2] = {calls_of(c->ours, p, batch), calls_of(c->loop, p, batch)};
    double times[2][BENCH_MAX_ROUNDS];
    for (int r = 0; r < f->rounds; r++) {
        times[0][r] = time_calls(c->ours, p, calls[0]);
        times[1][r] = time_calls(c->loop, p, calls[1]);
    }
    for (int k = 0; k < 2; k++) seconds[k] = median(times[k], f->rounds);
}

/* --- a row -------------------------------------------------------------------------------------------------------- */

static size_t result_bytes(const bench_cliff *c, const bench_cliff_data *p)
{
    switch (c->primitive) {
    case BENCH_REDUCE:
        return c->size;
    case BENCH_SEGREDUCE:
        return p->segments * c->size;
    case BENCH_FILTER:
        return p->kept * c->size;
    default:
        return p->n * c->size;
    }
}

/* Whether oplus gives what the loop gives, bit for bit. */
static bool is_right(const bench_cliff *c, bench_cliff_data *p, size_t room)
{
    void *const mine = p->out, *const theirs = tool_alloc(room);
    memset(mine, 0x5a, room);
    c->ours(p);
    const size_t kept = p->kept;
    p->out = theirs;
    c->loop(p);
    const bool same = kept == p->kept && memcmp(mine, theirs, result_bytes(c, p)) == 0;
    p->out = mine;
    free(theirs);
    return same;
}

/* single: calls on a few elements, which are judged by nanoseconds. */
static void measure(figures *f, const bench_cliff *c, bench_cliff_data *p, const char *shape, bool single)
{
    const size_t room = (p->n + p->segments + 1) * c->size;
    double seconds[2];
    p->dev = f->dev;
    p->out = tool_alloc(room);
    const bool right = is_right(c, p, room);
    time_both(f, c, p, seconds);
    free(p->out);
    const double ours = seconds[0] * 1e9, loop = seconds[1] * 1e9, ratio = ours / loop;
    const bool good = ratio <= most_ratio || (single && ours - loop <= most_ns);
    const double per = single ? 1 : (double)(p->n + p->segments);
    fprintf(f->file, "| %s %s | %s | %.3g | %.3g | %.2f | %s |\n", bench_primitive_name(c->primitive), c->type, shape,
            ours / per, loop / per, ratio,
            !right ? "WRONG RESULT"
            : good ? ""
                   : "slow");
    fflush(f->file);
    f->right = f->right && right;
    f->rows++;
    f->slow += !good;
}

/* n elements in each of `inputs` arrays, all the same if `same`. */
static void open_data(bench_cliff_data *p, const bench_cliff *c, size_t n, int inputs, bool same)
{
    memset(p, 0, sizeof *p);
    random_state = 1;
    p->n = n;
    for (int k = 0; k < inputs; k++) p->in[k] = k > 0 && same ? p->in[0] : make_elements(c, n);
}

static void close_data(bench_cliff_data *p)
{
    for (int k = 0; k < BENCH_CLIFF_INPUTS; k++)
        if (k == 0 || p->in[k] != p->in[0]) free((void *)p->in[k]);
    free((void *)p->heads);
    free((void *)p->offsets);
}

/* --- shapes ------------------------------------------------------------------------------------------------------- */

static bool is_small_struct_or_scalar(const bench_cliff *c) { return c->size <= 24; }

static void measure_lengths(figures *f, const bench_cliff *c)
{
    static const size_t bytes[] = {NEAR_BYTES, MID_BYTES, FAR_BYTES};
    static const char *const names[] = {"32 KiB", "256 KiB", "64 MiB"};
    const bool same = strstr(c->type, "same") != NULL;
    bench_cliff_data p;
    for (int k = 0; k < (f->quick ? 1 : 3); k++) {
        open_data(&p, c, bytes[k] / c->size, BENCH_CLIFF_INPUTS, same || c->primitive != BENCH_MAP);
        measure(f, c, &p, names[k], false);
        close_data(&p);
    }
}

static void measure_heads(figures *f, const bench_cliff *c)
{
    static const double distances[] = {1, 3, 10, 100};
    bench_cliff_data p;
    char shape[64];
    for (size_t k = 0; k < sizeof distances / sizeof *distances; k++) {
        open_data(&p, c, (f->quick ? NEAR_BYTES : MID_BYTES) / c->size, 1, false);
        p.heads = make_heads(p.n, distances[k]);
        snprintf(shape, sizeof shape, "a head every %g", distances[k]);
        measure(f, c, &p, shape, false);
        close_data(&p);
    }
}

/* Takes so many segments that the branch predictor cannot learn their lengths, as it can for a few thousand. */
static void measure_segments(figures *f, const bench_cliff *c)
{
    static const double means[] = {0, 0.1, 1, 2, 3, 5, 7, 10, 30, 100, 1000, 1e6, BENCH_LENGTHS_POWER};
    bench_cliff_data p;
    char shape[64];
    for (size_t k = 0; is_small_struct_or_scalar(c) && k < sizeof means / sizeof *means; k++) {
        const size_t n = f->quick ? 1 << 12 : 1 << 19;
        const size_t segments = 1 + (size_t)((double)n / fmax(bench_mean_length(means[k]), 0.5));
        size_t *const offsets = tool_alloc((segments + 1) * sizeof *offsets);
        random_state = 7;
        const size_t elements = make_offsets(offsets, segments, means[k]);
        open_data(&p, c, elements, 1, false);
        p.offsets = offsets;
        p.segments = segments;
        if (means[k] == BENCH_LENGTHS_POWER)
            snprintf(shape, sizeof shape, "segments by a power law");
        else
            snprintf(shape, sizeof shape, "segments of %g", means[k]);
        measure(f, c, &p, shape, false);
        close_data(&p);
    }
}

static void measure_matrices(figures *f, const bench_cliff *c)
{
    static const struct {
        size_t rows, cols;
    } shapes[] = {{0, 2}, {2, 0}, {3, 0}, {0, 3}, {0, 5}, {5, 0}};
    static const size_t bytes[] = {MID_BYTES, FAR_BYTES};
    bench_cliff_data p;
    char shape[64];
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
        for (int b = 0; b < (f->quick ? 1 : 2); b++) {
            const size_t few = shapes[k].rows + shapes[k].cols, many = bytes[b] / c->size / few;
            open_data(&p, c, few * many, 1, false);
            p.rows = shapes[k].rows ? shapes[k].rows : many;
            p.cols = shapes[k].cols ? shapes[k].cols : many;
            snprintf(shape, sizeof shape, "%zu x %zu", p.rows, p.cols);
            measure(f, c, &p, shape, false);
            close_data(&p);
        }
}

static void measure_singles(figures *f, const bench_cliff *c)
{
    static const size_t sizes[] = {1, 3, 10, 100};
    bench_cliff_data p;
    char shape[64];
    for (size_t k = 0; is_small_struct_or_scalar(c) && k < sizeof sizes / sizeof *sizes; k++) {
        const size_t n = sizes[k];
        open_data(&p, c, n, BENCH_CLIFF_INPUTS, strstr(c->type, "arrays") == NULL);
        p.heads = make_heads(n, 3);
        p.segments = c->primitive == BENCH_SEGREDUCE ? (n + 2) / 3 : 0;
        size_t *const offsets = tool_alloc((p.segments + 1) * sizeof *offsets);
        for (size_t s = 0; s <= p.segments; s++) offsets[s] = s * 3 < n ? s * 3 : n;
        p.offsets = offsets;
        p.rows = n == 100 ? 10 : n == 10 ? 2 : 1;
        p.cols = n / p.rows;
        snprintf(shape, sizeof shape, "one call, n = %zu", n);
        measure(f, c, &p, shape, true);
        close_data(&p);
    }
}

static void measure_cliff(figures *f, const bench_cliff *c)
{
    if (c->primitive == BENCH_SEGREDUCE)
        measure_segments(f, c);
    else if (c->primitive == BENCH_SEGSCAN)
        measure_heads(f, c);
    else if (c->primitive == BENCH_TRANSPOSE)
        measure_matrices(f, c);
    else if (c->primitive != BENCH_SORT)
        measure_lengths(f, c);
    measure_singles(f, c);
}

bool bench_cliffs(FILE *file, const bool *chosen, int rounds, bool quick)
{
    figures f = {.file = file, .rounds = rounds, .quick = quick, .right = true};
    if (oplus_open("threads:1", &f.dev) != OPLUS_OK) tool_die(TOOL_NO_DEVICE, "%s", oplus_last_error());
    fprintf(file,
            "ns an element and segment (of a single call: ns a call) of the processor's time on %s\n\n"
            "| case | shape | oplus | plain loop | ratio | |\n|---|---|---|---|---|---|\n",
            oplus_device_name(f.dev));
    for (const bench_cliff *c = bench_kernels_here()->cliffs; c->ours; c++)
        if (chosen[c->primitive]) measure_cliff(&f, c);
    fprintf(file,
            "\nGoal: at most %.1f times the plain loop, a single call at most %.0f ns more: %zu of %zu rows do not "
            "reach it.\n",
            most_ratio, most_ns, f.slow, f.rows);
    oplus_close(f.dev);
    return f.right;
}
