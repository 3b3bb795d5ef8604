#include "lab/lab.h"

#include "die.h"

const lab_experiment *const lab_experiments[LAB_EXPERIMENTS] = {
    &lab_reduce, &lab_scan, &lab_transpose, &lab_access, &lab_transfers, &lab_patterns, &lab_cost};

enum { MODELLED = 1 << 14 }; /* work-items that the host runs one by one in seconds */

size_t lab_size(const lab *l, size_t gpu, size_t cores, size_t quick)
{
    if (l->options.n) return l->options.n;
    if (l->dev->model) return quick < MODELLED ? quick : MODELLED;
    if (l->options.quick) return quick;
    if (!l->dev->gpu || lab_facts(l->dev)->host_cores) return cores;
    /* Five arrays of this many 4-byte elements should fit half of the memory, and each be one allocation. */
    while (gpu * 4 > lab_facts(l->dev)->largest || gpu * 4 * 5 > lab_facts(l->dev)->memory / 2) gpu /= 2;
    return gpu;
}

uint32_t *lab_random(size_t n)
{
    uint32_t *const words = tool_alloc(n * sizeof *words), x = 2463534242u;
    for (size_t i = 0; i < n; i++) {
        x ^= x << 13, x ^= x >> 17, x ^= x << 5; /* Marsaglia's xorshift */
        words[i] = x;
    }
    return words;
}
