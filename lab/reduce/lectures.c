/* The counters that the lectures showed, and what this device and the model count. */
#include "lab/model/model.h"
#include "lab/reduce/reduce.h"
#include "lab/show.h"

#include <math.h>
#include <stdio.h>

/* What a profiler showed for one of the 7 multiprocessors of a GTX 460, for 2^22 elements. */
static const struct {
    const char *rung;
    double divergent, conflicts, active, warps;
} shown[] = {{"modulo", 112344, 0, 90435920, 18728},   {"strided", 4689, 211095, 48277598, 18764},
             {"sequential", 4687, 0, 37313361, 18736}, {"first-add", 2343, 0, 19501609, 9376},
             {"last-warp", 294, 0, 5948100, 1180},     {"unrolled", 0, 0, 0, 0}};
enum { SHOWN = sizeof shown / sizeof *shown, LECTURE_N = 1 << 22 };

static void by_model(const lab_work *work, lab_counts *counts)
{
    lab_work there = *work;
    there.dev = work->dev->twin;
    reduce_allocate(&there);
    lab_run_rung(&there);
    reduce_release(&there);
    lab_model_counts(there.dev->gpu, counts);
}

static void add_row(cJSON *table, const char *rung, const char *source, const lab_counts *counts)
{
    static const lab_counter columns[] = {LAB_DIVERGENT, LAB_CONFLICTS, LAB_ACTIVE_WARPS, LAB_WARPS};
    cJSON *const row = lab_row(table);
    lab_cell_text(row, rung);
    lab_cell_text(row, source);
    for (size_t c = 0; c < sizeof columns / sizeof *columns; c++)
        lab_cell_number(row, counts->known[columns[c]] ? counts->of[columns[c]] : NAN);
}

static void add_shown(cJSON *table, int i)
{
    char name[32];
    const lab_cell unknown = lab_is_text("???");
    const bool known = shown[i].warps > 0;
    snprintf(name, sizeof name, "kernel %d", i + 1);
    lab_add_row(table, lab_is_text(name), lab_is_text("lecture"), known ? lab_is(shown[i].divergent) : unknown,
                known ? lab_is(shown[i].conflicts) : unknown, known ? lab_is(shown[i].active) : unknown,
                known ? lab_is(shown[i].warps) : unknown);
}

static const char about[] =
    "A profiler showed these figures for kernels 1 to 5, and left the sixth to the audience: ???. They are of 2^22 "
    "elements (so are ours, unless --n is less) in work-groups of 128 and of one of the seven multiprocessors of a GTX "
    "460; the model's and this device's are of the whole device, so that a seventh of them compares. Seven times "
    "211,095 conflicts are 11.25 a warp, which is what the model finds in the text of the kernel. Divergent branches: "
    "the model counts every branch of the text at which lanes part; compilers turn short ones into predicated "
    "instructions, so that hardware counts fewer. The lectures' kernel 5 launched an eighth of the warps of kernel 4: "
    "it must have given each item more elements than ours does.";

/* The lectures' table, with the rows of this device below each. */
void reduce_as_lectures(lab *l, reducing *r)
{
    cJSON *const table =
        lab_table(l->experiment, "The lectures' counters, and today's", about,
                  "kernel|source|divergent branches|bank conflicts|active warps:warps x cycles|warps launched");
    lab_work *const work = &r->work;
    const uint32_t n = work->n;
    lab_counts counts;
    work->n = n < LECTURE_N ? n : LECTURE_N;
    for (int i = 0; i < SHOWN; i++) {
        lab_show_step("The lectures' counters", shown[i].rung, i, SHOWN);
        work->rung = lab_rung_called(reduce_rungs, shown[i].rung);
        add_shown(table, i);
        by_model(work, &counts);
        add_row(table, shown[i].rung, "model", &counts);
        if (lab_count(work->dev, lab_run_rung, work, &counts))
            add_row(table, shown[i].rung, lab_facts(work->dev)->name, &counts);
    }
    work->n = n;
    lab_show_section(l, table);
}
