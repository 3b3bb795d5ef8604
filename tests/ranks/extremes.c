/* Extremes over ranks are those of the whole array, however it is cut; every rank gets them, in two exchanges. */
#include "support/team.h"

#include <stdlib.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 5000 };

typedef struct whole {
    float x[MOST];
    size_t n, least, greatest;
    float values[2];
    cuts cuts;
    const oplus_type *type; /* of one rank another */
    int odd;
} whole;

static bool is(size_t got, size_t expected, const char *what, finding *f)
{
    if (got == expected) return true;
    snprintf(f->text, sizeof f->text, "%s: %zu, not %zu", what, got, expected);
    return false;
}

static bool rank_finds(oplus_device *dev, const oplus_comm *comm, const void *given, finding *f)
{
    const whole *const w = given;
    const float *const x = w->x + w->cuts.at[comm->rank];
    const size_t n = cut_count(&w->cuts, comm->rank);
    size_t at = 0;
    float both[2];
    if (!succeeded(oplus_argmin_all(dev, comm, &oplus_f32, x, n, &at), f) || !is(at, w->least, "argmin", f))
        return false;
    if (!succeeded(oplus_argmax_all(dev, comm, &oplus_f32, x, n, &at), f) || !is(at, w->greatest, "argmax", f))
        return false;
    if (!succeeded(oplus_minmax_all(dev, comm, &oplus_f32, x, n, both), f)) return false;
    return is(memcmp(both, w->values, sizeof both), 0, "minmax", f);
}

/* Few values, so that many are equal, on several ranks. */
static const cuts *draw(rng *r, void *problem, int ranks, int way)
{
    whole *const w = problem;
    w->n = 1 + rng_below(r, MOST);
    const uint64_t values = 1 + rng_below(r, 100);
    for (size_t i = 0; i < w->n; i++) w->x[i] = (float)rng_below(r, values) - 20;
    w->least = w->greatest = 0;
    for (size_t i = 0; i < w->n; i++) {
        if (w->x[i] < w->x[w->least]) w->least = i;
        if (w->x[i] > w->x[w->greatest]) w->greatest = i;
    }
    w->values[0] = w->x[w->least];
    w->values[1] = w->x[w->greatest];
    w->cuts = cut(r, way, w->n, ranks);
    return &w->cuts;
}

static void the_same_over_ranks(void **state)
{
    (void)state;
    run_all_teams_of(sizeof(whole), "extremes over ranks", draw, rank_finds, 6);
}

static void on_a_device(void **state)
{
    (void)state;
    run_team_there_of(sizeof(whole), "extremes of ranks on a device", draw, rank_finds);
}

/* --- what is wrong on one rank is told on all ----------------------------------------------------------------------- */

static bool rank_is_told(oplus_device *dev, const oplus_comm *comm, const void *given, finding *f)
{
    const whole *const w = given;
    const bool odd = comm->rank == w->odd;
    size_t at;
    const oplus_status status = oplus_argmin_all(dev, comm, w->type, odd ? NULL : w->x, w->odd < 0 ? 0 : 1, &at);
    if (status == OPLUS_ERR_ARGUMENT && strstr(oplus_last_error(), w->odd < 0 ? "n is 0 on every rank" : "in is NULL"))
        return true;
    snprintf(f->text, sizeof f->text, "status %d, \"%s\"", (int)status, oplus_last_error());
    return false;
}

static void all_are_told(void **state)
{
    whole *const w = must(calloc(1, sizeof *w));
    (void)state;
    w->type = &oplus_f32;
    for (w->odd = -1; w->odd < some_ranks(); w->odd++)
        run_team(some_ranks(), "serial", rank_is_told, w, NULL, "a wrong call");
    free(w);
}

int main(void)
{
    team_begin();
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_same_over_ranks), cmocka_unit_test(on_a_device),
                                       cmocka_unit_test(all_are_told)};
    const int failed = cmocka_run_group_tests_name("extremes over ranks", tests, NULL, NULL);
    team_end();
    return failed;
}
