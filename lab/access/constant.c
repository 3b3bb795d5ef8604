/* Constant memory: lanes at one address, and at several. */
#include "lab/access/access.h"
#include "lab/show.h"

#include "die.h"

#include <stdlib.h>

static const char file[] = "access/plain-constant.cl";

typedef struct lookups {
    lab *l;
    uint32_t rounds;
    uint64_t groups;
    uint32_t table[TABLE];
    void *in, *out; /* the table in global memory; the results */
    uint32_t *expected;
} lookups;

static void expect(const lookups *k, uint32_t same)
{
    for (uint32_t i = 0; i < ITEMS; i++) {
        k->expected[i] = 0;
        for (uint32_t round = 0; round < k->rounds; round++)
            for (uint32_t read = 0; read < READS; read++)
                k->expected[i] += k->table[(i % 32 / same + round) % (TABLE / 2) + read * (TABLE / 2 / READS)];
    }
    for (size_t i = ITEMS; i < k->groups * ITEMS; i++) k->expected[i] = k->expected[i % ITEMS] + (uint32_t)(i / ITEMS);
}

static double seconds_of(const lookups *k, bool constant, uint32_t same)
{
    access_trial t = {
        .dev = k->l->dev,
        .kernel = lab_kernel(k->l->dev, file, constant ? "from_constant" : "from_global", NULL),
        .groups = k->groups,
        .argument = {opi_memory(constant ? k->out : k->in), opi_memory(k->out), opi_value(same), opi_value(k->rounds)}};
    if (constant)
        t.argument[1] = opi_value(same), t.argument[2] = opi_value(k->rounds), t.argument[3] = (opi_gpu_argument){0};
    return access_seconds(k->l, constant ? "constant memory" : "a table in global memory", &t, k->out, k->expected,
                          k->groups * ITEMS);
}

static void measure(const lookups *k)
{
    cJSON *const curves = lab_curves(
        k->l->experiment, "Constant memory",
        "Each work-item looks up some hundred words in a table of 256; the lanes of a warp go to one word at a time, "
        "or to several, up to 32. The same table lies in constant memory and in global memory, where a cache keeps it. "
        "Compare the two times, and look whether and where they cross.",
        "different words", "a warp", true, "time", "x the first", false);
    cJSON *const series[] = {lab_series(curves, "constant memory", "line"),
                             lab_series(curves, "global memory", "line")};
    double first = 0;
    for (uint32_t words = 1; words <= 32; words *= k->l->options.quick ? 32 : 2) {
        expect(k, 32 / words);
        for (int g = 0; g < 2; g++) {
            lab_show_step("Constant memory", g ? "global" : "constant", (int)words - 1, 32);
            const double seconds = seconds_of(k, g == 0, 32 / words);
            if (first == 0) first = seconds;
            lab_point(series[g], words, seconds / first);
        }
    }
    lab_show_section(k->l, curves);
}

void access_constant(lab *l)
{
    lookups k = {.l = l, .rounds = l->options.quick ? 16 : 64};
    k.groups = (uint64_t)lab_facts(l->dev)->units * (access_on_cores(l) ? 8 : 64);
    for (uint32_t i = 0; i < TABLE; i++) k.table[i] = i * 2654435761u ^ 0x5bd1e995u; /* as in the kernel's file */
    k.in = access_upload(l->dev, k.table, TABLE);
    k.out = lab_alloc(l->dev, k.groups * ITEMS * sizeof(uint32_t));
    k.expected = tool_alloc(k.groups * ITEMS * sizeof(uint32_t));
    measure(&k);
    lab_show_section(l, lab_code(l->experiment, "Constant memory: the kernels", NULL, file));
    lab_free(l->dev, k.in);
    lab_free(l->dev, k.out);
    free(k.expected);
}
