#include "lab/ladder.h"

#include "lab/model/model.h"
#include "lab/show.h"
#include "lab/texts.h"

#include <math.h>
#include <string.h>

/* --- 1. what ladders have in common ------------------------------------------------------------------------------- */

void lab_run_rung(void *context)
{
    lab_work *const work = context;
    work->rung->run(work);
}

const lab_rung *lab_rung_called(const lab_rung *rungs, const char *name)
{
    while (strcmp(rungs->name, name) != 0) rungs++;
    return rungs;
}

void lab_allocate_words(lab_work *work)
{
    work->in = lab_alloc(work->dev, work->n * sizeof(uint32_t));
    work->out = lab_alloc(work->dev, work->n * sizeof(uint32_t));
}

void lab_release_words(lab_work *work)
{
    lab_free(work->dev, work->in);
    lab_free(work->dev, work->out);
}

const char *lab_no_shuffles(const lab_work *work)
{
    if (lab_is_cuda(work->dev) || work->dev->model) return NULL;
    return "OpenCL 1.2 cannot exchange registers between work-items";
}

/* --- 2. one rung -------------------------------------------------------------------------------------------------- */

/* Adds the caption of a rung: from the table, else from its kernel's file. */
static void add_caption(cJSON *rung, const lab_rung *r)
{
    lab_caption of_file = {NULL, NULL, NULL, NULL};
    if (r->file) of_file = lab_caption_of(r->file);
    static const char *const roles[] = {"step", "yardstick", "oplus", "peer"};
    lab_add_text(rung, "name", r->name);
    lab_add_text(rung, "role", roles[r->role]);
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

static bool is_right(const lab_ladder *ladder, lab_work *work)
{
    ladder->spoil(work);
    lab_run_rung(work);
    lab_wait(work->dev);
    return ladder->right(work);
}

/* Counts by the device's hardware, or else by its model, which has its own memory. */
static void count(cJSON *rung, const lab_ladder *ladder, lab_work *work)
{
    lab_counts counts;
    lab_work there = *work;
    if (work->rung->uncounted) return;
    if (lab_count(work->dev, lab_run_rung, work, &counts)) {
        lab_add_counts(rung, &counts, true);
    } else if (work->rung->file && ladder->model) {
        there.dev = work->dev->twin;
        ladder->model(&there);
        lab_run_rung(&there);
        ladder->model_free(&there);
        lab_model_counts(there.dev->gpu, &counts);
        lab_add_counts(rung, &counts, false);
    }
}

typedef struct rates {
    double before, first; /* of the rung above, and the first; 0: there is none */
} rates;

/* The rate of the rung with this name; 0: it was skipped. */
static double rate_of(const cJSON *rungs, const char *name)
{
    const cJSON *rung;
    cJSON_ArrayForEach (rung, rungs) {
        const double gbs = lab_number_of(rung, "gbs");
        if (strcmp(lab_text_in(rung, "name", ""), name) == 0 && isfinite(gbs)) return gbs * 1e9;
    }
    return 0;
}

/* The rate of the rung that this one is compared with: the one above, unless it names another that has run. */
static double rate_before(cJSON *rung, const cJSON *rungs, const lab_rung *r, const rates *so_far)
{
    const double named = r->before ? rate_of(rungs, r->before) : 0;
    if (named == 0) return so_far->before;
    lab_add_text(rung, "before", r->before);
    return named;
}

static void measure(cJSON *rung, const cJSON *rungs, const lab_ladder *ladder, lab_work *work, rates *so_far)
{
    const double bytes = (work->rung->bytes > 0 ? work->rung->bytes : ladder->bytes) * work->n;
    const double seconds = lab_seconds(work->dev, lab_run_rung, work);
    const double rate = bytes / seconds;
    lab_add_number(rung, "ms", seconds * 1e3);
    lab_add_number(rung, "gbs", rate * 1e-9);
    if (!isfinite(rate)) return;
    if (so_far->first > 0) {
        lab_add_number(rung, "over_before", rate / rate_before(rung, rungs, work->rung, so_far));
        lab_add_number(rung, "over_first", rate / so_far->first);
    }
    lab_add_number(rung, "of_limit", rate / lab_copy_rate(work->dev));
    so_far->before = rate;
    if (so_far->first == 0) so_far->first = rate;
}

static void climb_one(lab *l, cJSON *rung, const cJSON *rungs, const lab_ladder *ladder, lab_work *work, rates *so_far)
{
    const char *const skipped = work->rung->skip ? work->rung->skip(work) : NULL;
    add_caption(rung, work->rung);
    add_lecture(rung, ladder, work->rung);
    if (skipped) {
        lab_add_text(rung, "skipped", skipped);
        return;
    }
    if (work->rung->note) lab_add_text(rung, "note", work->rung->note(work));
    const uint64_t before = work->dev->launches;
    const bool right = is_right(ladder, work);
    if (work->rung->file) lab_add_number(rung, "launches", (double)(work->dev->launches - before));
    lab_add_flag(rung, "right", right);
    if (!right) lab_wrong(l);
    if (!right) return; /* the rate of a wrong result would mislead */
    measure(rung, rungs, ladder, work, so_far);
    if (!ladder->right(work)) { /* checks the last timed run: a race may be right once */
        cJSON_ReplaceItemInObjectCaseSensitive(rung, "right", cJSON_CreateFalse());
        lab_wrong(l);
    }
    count(rung, ladder, work);
}

/* --- 3. all of them ----------------------------------------------------------------------------------------------- */

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
    rates so_far = {0, 0};
    for (const lab_rung *r = ladder->rungs; r->run; r++) rungs++;
    for (int i = 0; i < rungs; i++) {
        work->rung = &ladder->rungs[i];
        lab_show_step(ladder->title, work->rung->name, i, rungs);
        climb_one(l, lab_append_object(array), array, ladder, work, &so_far);
    }
    lab_show_section(l, section);
    return section;
}

const char *lab_no_cub(const lab_work *work) { return work->cub ? NULL : lab_peer_missing(work->dev); }
const char *lab_cub_name(const lab_work *work) { return lab_peer_name(work->cub); }
