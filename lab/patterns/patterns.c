/* Patterns of data-parallel programs: drawn step by step, then timed. */
#include "lab/patterns/sizes.h"
#include "lab/patterns/patterns.h"

static void run(lab *l)
{
    draw_map(l);
    draw_reduce(l);
    draw_scan(l);
    draw_segscan(l);
    draw_filter(l);
    draw_sort(l);
    time_patterns(l);
}

const lab_experiment lab_patterns = {.name = "patterns",
                                     .title = "Patterns",
                                     .summary = "map, reduce, scan, filter, sort: drawn step by step, then timed",
                                     .about = "Parallel programs are made of a few patterns: map, reduce, scan, and "
                                              "what addresses computed by a scan allow, filter and sort. Each is drawn "
                                              "here as it runs on eight elements, a row a step; what the drawing shows "
                                              "has been computed by these steps. Then the same steps are taken with "
                                              "many elements, and timed against oplus, which computes the same with "
                                              "fewer passes over memory.",
                                     .on_cores = true,
                                     .items = ITEMS,
                                     .run = run};
