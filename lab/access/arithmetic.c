/* Arithmetic: division and its replacements, two sines, loops. */
#include "lab/access/access.h"
#include "lab/show.h"

#include "die.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- 1. integers -------------------------------------------------------------------------------------------------- */

enum { BY = 16, MORE = 0x5bd1e995 };

/* The operation as written in the kernel, and whether it is measured with --quick too. */
/* clang-format off */
#define OPERATIONS(X)                                                    \
    X("exclusive or", x ^ by, true)                                      \
    X("multiplication", x * by, false)                                   \
    X("division by a value known at run time (16)", x / by, true)        \
    X("division by the constant 16", x / 16u, false)                     \
    X("shift by 4", x >> 4, true)                                        \
    X("division by the constant 10", x / 10u, false)                     \
    X("remainder by a value known at run time (16)", x % by, false)      \
    X("remainder by the constant 16", x % 16u, false)                    \
    X("and 15", x & 15u, false)                                          \
    X("remainder by the constant 10", x % 10u, false)
/* clang-format on */

static const struct {
    const char *title, *text, *macros;
    bool hurried;
} operations[] = {
#define ROW(title, text, hurried) {title, #text, "#define OPERATION " #text, hurried},
    OPERATIONS(ROW)
#undef ROW
};
enum { OPERATION_COUNT = sizeof operations / sizeof *operations };

/* The host computes with the same text. */
static uint32_t operate(int which, uint32_t x, uint32_t by)
{
    const uint32_t results[] = {
#define RESULT(title, text, hurried) text,
        OPERATIONS(RESULT)
#undef RESULT
    };
    return results[which];
}

typedef struct computing {
    lab *l;
    uint64_t groups;
    uint32_t rounds; /* of READS operations each */
    void *out;
    uint32_t *expected;
} computing;

static size_t items_of(const computing *c) { return c->groups * ITEMS; }
static double operations_of(const computing *c) { return (double)items_of(c) * c->rounds * READS; }

/* Every group computes the same and adds its own number. */
static void expect(const computing *c, int which)
{
    for (uint32_t i = 0; i < ITEMS; i++) {
        uint32_t x = i * 2654435761u;
        for (uint32_t k = 0; k < c->rounds * READS; k++) x = operate(which, x, BY) + MORE;
        c->expected[i] = x;
    }
    for (size_t i = ITEMS; i < items_of(c); i++) c->expected[i] = c->expected[i % ITEMS] + (uint32_t)(i / ITEMS);
}

static computing computing_of(lab *l)
{
    computing c = {.l = l, .rounds = l->options.quick ? 4 : 16};
    c.groups = (uint64_t)lab_facts(l->dev)->units * (access_on_cores(l) ? 64 : 256);
    c.out = lab_alloc(l->dev, items_of(&c) * sizeof(uint32_t));
    c.expected = tool_alloc(items_of(&c) * sizeof(uint32_t));
    return c;
}

static void release(computing *c)
{
    lab_free(c->l->dev, c->out);
    free(c->expected);
}

void access_arithmetic(lab *l)
{
    static const char file[] = "access/plain-arithmetic.cl";
    const uint32_t by = BY, more = MORE;
    computing c = computing_of(l);
    cJSON *const table = lab_table(l->experiment, "Integer arithmetic",
                                   "All work-items compute on registers, each operation on the result of the one "
                                   "before; an addition goes with each. Compare the divisions by 16 with the shift by "
                                   "4, which gives the same: what the compiler is told about the divisor decides.",
                                   "operation|written|time over the first|operations:G/s");
    double first = 0;
    for (int i = 0; i < OPERATION_COUNT; i++) {
        if (l->options.quick && !operations[i].hurried) continue;
        access_trial t = {.dev = l->dev,
                          .kernel = lab_kernel(l->dev, file, "operate", operations[i].macros),
                          .groups = c.groups,
                          .argument = {opi_memory(c.out), opi_value(by), opi_value(more), opi_value(c.rounds)}};
        lab_show_step("Integer arithmetic", operations[i].text, i, OPERATION_COUNT);
        expect(&c, i);
        const double seconds = access_seconds(l, operations[i].title, &t, c.out, c.expected, items_of(&c));
        if (i == 0) first = seconds;
        lab_add_row(table, lab_is_text(operations[i].title), lab_is_text(operations[i].text),
                    lab_is_measured(seconds / first), lab_is_measured(operations_of(&c) / seconds * 1e-9));
    }
    lab_show_section(l, table);
    lab_show_section(l, lab_code(l->experiment, "Integer arithmetic: the kernel", NULL, file));
    release(&c);
}

/* --- 2. sines ----------------------------------------------------------------------------------------------------- */

enum { ARGUMENTS = 1 << 16, SINES = 2 };
static const char sine_file[] = "access/plain-sine.cl";
static const double accurate = 4.0 / (1 << 24); /* 4 units in the last place of 1, as OpenCL promises (CUDA: 2) */
static const double fast = 1e-3;                /* near 0; all known devices reach it */

static const char *sine_name(const lab *l, int which)
{
    static const char *const cuda[] = {"sinf(x)", "__sinf(x)"}, *const opencl[] = {"sin(x)", "native_sin(x)"};
    return (lab_is_cuda(l->dev) ? cuda : opencl)[which];
}

static void *sine_kernel(const lab *l, int which, const char *name)
{
    char macros[64];
    snprintf(macros, sizeof macros, "#define SINE(x) %s", sine_name(l, which));
    return lab_kernel(l->dev, sine_file, name, macros);
}

/* The largest error of sines of arguments all over (-most, most). */
static double error_of(const lab *l, int which, float most)
{
    const uint32_t n = ARGUMENTS;
    uint32_t *const words = lab_random(n);
    float *const x = tool_alloc(n * sizeof *x), *const y = tool_alloc(n * sizeof *y);
    double worst = 0;
    for (uint32_t i = 0; i < n; i++) x[i] = ((float)words[i] / 2147483648.0f - 1) * most;
    void *const in = lab_alloc(l->dev, n * sizeof *x), *const out = lab_alloc(l->dev, n * sizeof *y);
    const access_trial t = {.dev = l->dev,
                            .kernel = sine_kernel(l, which, "each"),
                            .groups = n / ITEMS,
                            .argument = {opi_memory(in), opi_memory(out), opi_value(n)}};
    lab_upload(l->dev, in, x, n * sizeof *x);
    access_run(&t, out, y, n * sizeof *y);
    for (uint32_t i = 0; i < n; i++) {
        const double error = fabs((double)y[i] - sin((double)x[i]));
        if (!(error <= worst)) worst = error; /* true for NaN, too */
    }
    lab_free(l->dev, in);
    lab_free(l->dev, out);
    free(words);
    free(x);
    free(y);
    return worst;
}

/* Are the timed sums right?  The bound allows for the error of each sine and for rounding. */
static bool sums_are_right(const computing *c, const access_trial *t, int which)
{
    float *const sums = tool_alloc(items_of(c) * sizeof *sums);
    const uint32_t count = c->rounds * READS;
    const double bound = count * ((which ? fast : accurate) + count / 16777216.0);
    bool right = true;
    access_run(t, c->out, sums, items_of(c) * sizeof *sums);
    for (uint32_t i = 0; i < ITEMS; i++) {
        double sum = 0;
        for (uint32_t k = 0; k < count; k++) sum += sin((double)i * 4 / ITEMS - 4 + k / 64.0);
        for (size_t g = 0; g < c->groups; g++) right &= fabs((double)sums[g * ITEMS + i] - sum) <= bound;
    }
    free(sums);
    return right;
}

static double sine_seconds(const computing *c, int which)
{
    access_trial t = {.dev = c->l->dev,
                      .kernel = sine_kernel(c->l, which, "steps"),
                      .groups = c->groups,
                      .argument = {opi_memory(c->out), opi_value(c->rounds)}};
    if (sums_are_right(c, &t, which)) return lab_seconds(c->l->dev, access_launch, &t);
    tool_warn("%s: wrong sums", sine_name(c->l, which));
    lab_wrong(c->l);
    return NAN;
}

void access_sines(lab *l)
{
    static const float most[] = {3.14159265f, 1000};
    const double bound[SINES][2] = {{accurate, accurate},
                                    {fast, 2}}; /* |sin| <= 1 anyway: nothing is promised far from 0 */
    computing c = computing_of(l);
    cJSON *const table =
        lab_table(l->experiment, "Two sines",
                  "The library's sine and the hardware's. Errors are the largest absolute differences from the host's "
                  "sine in double precision, over 65,536 random x, from -3.14 to 3.14 and from -1000 to 1000. The "
                  "library's must be within 4 units in the last place; the other within 0.001 near 0 (what it is, the "
                  "table says), and nothing is promised far out.",
                  "sine|time over the first|sines:G/s|error for x within 3.14|error for x within 1000");
    double first = 0;
    for (int which = 0; which < SINES; which++) {
        lab_show_step("Two sines", sine_name(l, which), which, SINES);
        const double seconds = sine_seconds(&c, which);
        if (which == 0) first = seconds;
        lab_cell error[2];
        for (int range = 0; range < 2; range++) {
            const double found = error_of(l, which, most[range]);
            const bool right = found <= bound[which][range];
            if (!right) lab_wrong(l);
            error[range] = lab_is_if(right, found);
        }
        lab_add_row(table, lab_is_text(sine_name(l, which)), lab_is_measured(seconds / first),
                    lab_is_measured(operations_of(&c) / seconds * 1e-9), error[0], error[1]);
    }
    lab_show_section(l, table);
    lab_show_section(l, lab_code(l->experiment, "Two sines: the kernels", NULL, sine_file));
    release(&c);
}

/* --- 3. loops ----------------------------------------------------------------------------------------------------- */

void access_loops(lab *l)
{
    static const char file[] = "access/plain-loop.cl";
    const uint32_t by = BY, more = MORE;
    computing c = computing_of(l);
    const uint32_t count = c.rounds * READS;
    cJSON *const table =
        lab_table(l->experiment, "Rolled and unrolled loops",
                  "The same steps, x = (x ^ by) + more, so many in each turn of a loop. Look where it stops paying.",
                  "steps in a turn|time over the first|steps:G/s");
    double first = 0;
    expect(&c, 0); /* x ^ by */
    for (int steps = 1; steps <= 16; steps *= l->options.quick ? 16 : 2) {
        char macros[32], what[32];
        snprintf(macros, sizeof macros, "#define STEPS %d", steps);
        snprintf(what, sizeof what, "%d steps in a turn", steps);
        access_trial t = {.dev = l->dev,
                          .kernel = lab_kernel(l->dev, file, "turns", macros),
                          .groups = c.groups,
                          .argument = {opi_memory(c.out), opi_value(by), opi_value(more), opi_value(count)}};
        lab_show_step("Loops", what, steps - 1, 16);
        const double seconds = access_seconds(l, what, &t, c.out, c.expected, items_of(&c));
        if (steps == 1) first = seconds;
        lab_add_row(table, lab_is(steps), lab_is_measured(seconds / first),
                    lab_is_measured(operations_of(&c) / seconds * 1e-9));
    }
    lab_show_section(l, table);
    lab_show_section(l, lab_code(l->experiment, "Loops: the kernel", NULL, file));
    release(&c);
}
