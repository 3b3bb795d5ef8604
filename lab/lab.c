#include "lab/lab.h"

const lab_experiment *const lab_experiments[LAB_EXPERIMENTS] = {
    &lab_reduce, &lab_scan, &lab_transpose, &lab_access, &lab_transfers, &lab_patterns, &lab_cost};

size_t lab_size(const lab *l, size_t gpu, size_t cores, size_t quick)
{
    if (l->options.n) return l->options.n;
    if (l->options.quick) return quick;
    return !l->dev->gpu || lab_facts(l->dev)->host_cores ? cores : gpu;
}
