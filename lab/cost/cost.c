/* The cost model of parallel algorithms, by the example of a sum. */
#include "lab/reduce/sizes.h"
#include "lab/cost/cost.h"

#include "lab/show.h"

uint32_t cost_sum(const uint32_t *x, size_t n)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < n; i++) sum += x[i];
    return sum;
}

void cost_formulas(lab *l)
{
    static const char text[] =
        "T_S(n)     time of the best sequential form\nT_P(n, p)  time of p processors\nS = T_S / T_P      "
        "speed-up\nE = S / p          efficiency: the part of p processors that is used\nC = p T_P          cost: "
        "what p processors could have done in that time\n                   cost-optimal: C grows as T_S does, E "
        "does not fall to 0\n\n"
        "A sum of n elements          T_P                      C\n\n"
        "one loop                     t_c n                    t_c n\na tree, n = p                t_s log2 n          "
        "     "
        "t_s n log2 n\np blocks, a tree over them   t_c n/p + t_s log2 p     t_c n + t_s p log2 p\n\n"
        "The tree alone is not cost-optimal: log n too much.  Blocks are, as long as\np log p grows no faster than "
        "n:\n\n"
        "E = 1 / (1 + t_s p log2 p / (t_c n))\nisoefficiency      n = E / (1 - E) * t_s / t_c * p log2 p\nthe best p   "
        "      "
        "p = ln 2 * t_c n / t_s        T_P of the order of log n\nthe largest that   p = w / log2 w                T_P "
        "nearly 2 t_s log2 w,\nis cost-optimal    with w = t_c n / t_s          of the order of log n, too";
    static const char about[] = "t_c is the time of an addition, t_s that of a step of the tree, at the end of which "
                                "processors wait for each other.";
    lab_show_section(l, lab_steps(l->experiment, "The quantities", about, text));
}

static void run(lab *l)
{
    cost_formulas(l);
    cost_by_threads(l);
    if (!l->dev->gpu) return;
    cost_by_groups(l);
    cost_by_launches(l);
}

const lab_experiment lab_cost = {.name = "cost",
                                 .title = "Cost model",
                                 .summary = "time, speed-up, efficiency and cost: formulas against measurement",
                                 .about = "What do more processors bring, and what do they cost? The textbook answers "
                                          "with formulas. Here is its standard example, a sum, in both of its forms: a "
                                          "tree with as many processors as elements, and blocks that are added up "
                                          "first, the cost-optimal form. Both are measured, the formulas' constants "
                                          "fitted to the measurement, and the two compared: first on the threads of "
                                          "the host, then, if the device has kernels, on its work-groups.",
                                 .on_cores = true,
                                 .items = ITEMS,
                                 .run = run};
