#include "lab/ladder.h"

#include "lab/model/model.h"
#include "lab/show.h"
#include "lab/texts.h"

#include <math.h>

/* What a rung says of itself: in the table, else in its kernel's file. */
static void add_caption(cJSON *rung, const lab_rung *r)
{
    lab_caption of_file = {NULL, NULL, NULL, NULL};
    if (r->file) of_file = lab_caption_of(r->file);
    lab_add_text(rung, "name", r->name);
    lab_add_text(rung, "title", r->title ? r->title : of_file.title);
    lab_add_text(rung, "what", r->what ? r->what : of_file.what);
    lab_add_text(rung, "why", r->why ? r->why : of_file.why);
    if (r->file) lab_add_file(rung, r->file);
    lab_add_text(rung, "kernel", of_file.code);
    lab_caption_free(&of_file);
}

static void add_lecture(cJSON *rung, const lab_ladder *ladder, const lab_rung *r)
{
    cJSON *object = NULL;
    for (int i = 0; i < LAB_LECTURES && ladder->lectures[i]; i++) {
        if (r->lecture[i] == 0) continue;
        if (!object) object = lab_add_object(rung, "lecture");
        lab_add_number(object, ladder->lectures[i], r->lecture[i]);
    }
}

static void run_rung(void *context)
{
    lab_work *const work = context;
    work->rung->run(work);
}

static bool is_right(const lab_ladder *ladder, lab_work *work)
{
    ladder->spoil(work);
    run_rung(work);
    lab_wait(work->dev);
    return ladder->right(work);
}

/* Counted by the device's hardware; else by its model, which has memory of its own. */
static void count(cJSON *rung, const lab_ladder *ladder, lab_work *work)
{
    lab_counts counts;
    lab_work there = *work;
    if (work->rung->uncounted) return;
    if (lab_count(work->dev, run_rung, work, &counts)) {
        lab_add_counts(rung, &counts, true);
    } else if (work->rung->file && ladder->model) {
        there.dev = work->dev->twin;
        ladder->model(&there);
        run_rung(&there);
        ladder->model_free(&there);
        lab_model_counts(there.dev->gpu, &counts);
        lab_add_counts(rung, &counts, false);
    }
}

typedef struct rates {
    double before, first; /* of the rung before, and the first; 0: there is none */
} rates;

static void measure(cJSON *rung, const lab_ladder *ladder, lab_work *work, rates *rates)
{
    const double bytes = (work->rung->bytes > 0 ? work->rung->bytes : ladder->bytes) * work->n;
    const double seconds = lab_seconds(work->dev, run_rung, work);
    const double rate = bytes / seconds;
    lab_add_number(rung, "ms", seconds * 1e3);
    lab_add_number(rung, "gbs", rate * 1e-9);
    if (!isfinite(rate)) return;
    if (rates->first > 0) {
        lab_add_number(rung, "over_before", rate / rates->before);
        lab_add_number(rung, "over_first", rate / rates->first);
    }
    lab_add_number(rung, "of_limit", rate / lab_copy_rate(work->dev));
    rates->before = rate;
    if (rates->first == 0) rates->first = rate;
}

static void climb_one(lab *l, cJSON *rung, const lab_ladder *ladder, lab_work *work, rates *rates)
{
    const char *const skipped = work->rung->skip ? work->rung->skip(work) : NULL;
    add_caption(rung, work->rung);
    add_lecture(rung, ladder, work->rung);
    if (skipped) {
        lab_add_text(rung, "skipped", skipped);
        return;
    }
    const uint64_t before = work->dev->launches;
    const bool right = is_right(ladder, work);
    if (work->rung->file) lab_add_number(rung, "launches", (double)(work->dev->launches - before));
    lab_add_flag(rung, "right", right);
    if (!right) lab_wrong(l);
    measure(rung, ladder, work, rates);
    count(rung, ladder, work);
}

cJSON *lab_climb(lab *l, const lab_ladder *ladder, lab_work *work)
{
    cJSON *const section = lab_section(l->experiment, "ladder", ladder->title, ladder->about);
    const double limit = lab_copy_rate(l->dev);
    int rungs = 0;
    lab_add_number(section, "n", work->n);
    lab_add_text(section, "unit", "GB/s");
    lab_add_text(section, "limit_name", "copy");
    lab_add_number(section, "limit", limit * 1e-9);
    lab_add_text(section, "lecture_about", ladder->lecture_about);
    cJSON *const array = lab_add_array(section, "rungs");
    rates rates = {0, 0};
    for (const lab_rung *r = ladder->rungs; r->run; r++) rungs++;
    for (int i = 0; i < rungs; i++) {
        work->rung = &ladder->rungs[i];
        lab_show_step(l, ladder->title, work->rung->name, i, rungs);
        climb_one(l, lab_append_object(array), ladder, work, &rates);
    }
    lab_show_section(l, section);
    return section;
}
