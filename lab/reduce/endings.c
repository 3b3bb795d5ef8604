/* How a reduction ends: by launches or on the host; and in the last warp. */
#include "lab/model/model.h"
#include "lab/reduce/reduce.h"
#include "lab/reduce/sizes.h"
#include "lab/show.h"

/* --- 1. how to finish --------------------------------------------------------------------------------------------- */

/* Adds the last partial sums by further launches, or on the host once there are few enough. */
void reduce_finish(lab *l, reducing *r)
{
    static const uint32_t left[] = {1, 1 << 8, 1 << 12, 1 << 16, REDUCE_BY_HOST};
    cJSON *const table = lab_table(l->experiment, "How to finish",
                                   "The work-groups leave one partial sum each. Either the kernel is launched on these "
                                   "again, until one is left; or, once there are at most so many, the host fetches and "
                                   "adds them. A fetch waits for the device, which a launch does not.",
                                   "left to the host, at most|launches|time:us");
    lab_work *const work = &r->work;
    work->rung = lab_rung_called(reduce_rungs, "unrolled");
    for (size_t i = 0; i < sizeof left / sizeof *left && left[i] < work->n; i++) {
        r->by_host = left[i];
        const uint64_t before = work->dev->launches;
        reduce_spoil(work);
        lab_run_rung(work);
        const double launches = (double)(work->dev->launches - before);
        const bool right = reduce_right(work);
        if (!right) lab_wrong(l);
        lab_add_row(table, left[i] == 1 ? lab_is_text("none: launches to the end") : lab_is(left[i]), lab_is(launches),
                    lab_is_if(right, right ? lab_seconds(work->dev, lab_run_rung, work) * 1e6 : NAN));
    }
    r->by_host = 1;
    lab_show_section(l, table);
}

/* --- 2. the historic form ----------------------------------------------------------------------------------------- */

/* Returns how many of the sums were wrong. */
static int run_historic(lab_device *dev, const char *file, const uint32_t *host, cJSON *table, const char *name)
{
    enum { TRIES = 100, N = REDUCE_LEAST };
    _Static_assert(N == 2 * ITEMS, "a work-group of it adds so many");
    const uint32_t n = N;
    void *const kernel = lab_kernel(dev, file, "reduce", NULL);
    void *const in = lab_alloc(dev, N * sizeof(uint32_t)), *const out = lab_alloc(dev, sizeof(uint32_t));
    uint32_t expected = 0, sum = 0;
    int wrong = 0;
    for (uint32_t i = 0; i < N; i++) expected += host[i];
    lab_upload(dev, in, host, N * sizeof(uint32_t));
    for (int i = 0; i < TRIES; i++) {
        sum = ~expected;
        lab_upload(dev, out, &sum, sizeof sum);
        lab_launch(dev, kernel, 1, ITEMS, opi_memory(in), opi_memory(out), opi_value(n));
        lab_download(dev, &sum, out, sizeof sum);
        wrong += sum != expected;
    }
    lab_free(dev, in);
    lab_free(dev, out);
    lab_add_row(table, lab_is_text(name), lab_is_text(file), lab_is(wrong), lab_is(TRIES));
    return wrong;
}

/* OpenCL on cores runs work-items one after another, so the historic form is wrong there even without warps; the
 * rung above is right everywhere. */
void reduce_historic(lab *l, reducing *r)
{
    cJSON *const table = lab_table(l->experiment, "Why the warp is synchronised",
                                   "The form that was taught before 2017 has nothing between the rounds of the last "
                                   "warp. Since Volta every lane has a program counter of its own, and no order "
                                   "between lanes is promised without a synchronisation. The model takes an order that "
                                   "is allowed: one lane after another. A device that gives the right sum here has "
                                   "been lucky, or its compiler was kind; a next one may not be.",
                                   "where|kernel|wrong|of");
    for (int there = 0; there < 2; there++) {
        lab_device *const dev = there ? l->dev->twin : l->dev;
        const char *const where = there ? "model" : lab_facts(dev)->where;
        run_historic(dev, "reduce/historic.cl", r->host, table, where);
        if (run_historic(dev, "reduce/06-last-warp.cl", r->host, table, where) > 0) lab_wrong(l);
    }
    lab_counts unwanted; /* resets the model: its next counts begin here */
    lab_model_counts(l->dev->twin->gpu, &unwanted);
    lab_show_section(l, table);
    lab_show_section(l, lab_code(l->experiment, "The historic form", NULL, "reduce/historic.cl"));
}
