/* Means and variances over ranks have the bits of those of the whole array, however it is cut. */
#include "support/team.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 5000 };

typedef struct whole {
    float x[MOST];
    size_t n;
    double mean, variance;
    cuts cuts;
    unsigned ddof;
    int odd;
} whole;

static bool is(double got, double expected, const char *what, finding *f)
{
    if (memcmp(&got, &expected, sizeof got) == 0) return true;
    snprintf(f->text, sizeof f->text, "%s: %a, not %a", what, got, expected);
    return false;
}

static bool rank_finds(oplus_device *dev, const oplus_comm *comm, const void *given, finding *f)
{
    const whole *const w = given;
    const float *const x = w->x + w->cuts.at[comm->rank];
    const size_t n = cut_count(&w->cuts, comm->rank);
    double got = 0;
    if (!succeeded(oplus_mean_all(dev, comm, &oplus_f32, x, n, &got), f) || !is(got, w->mean, "mean", f)) return false;
    if (!succeeded(oplus_variance_all(dev, comm, &oplus_f32, w->ddof, x, n, &got), f)) return false;
    return is(got, w->variance, "variance", f);
}

static const cuts *draw(rng *r, void *problem, int ranks, int way)
{
    whole *const w = problem;
    oplus_device *dev;
    w->ddof = (unsigned)rng_below(r, 2);
    w->n = w->ddof + 1 + rng_below(r, MOST - 1);
    for (size_t i = 0; i < w->n; i++) w->x[i] = (float)rng_unit(r) + 10;
    must_be_ok(oplus_open("serial", &dev), "oplus_open");
    must_be_ok(oplus_mean(dev, &oplus_f32, w->x, w->n, &w->mean), "oplus_mean");
    must_be_ok(oplus_variance(dev, &oplus_f32, w->ddof, w->x, w->n, &w->variance), "oplus_variance");
    oplus_close(dev);
    w->cuts = cut(r, way, w->n, ranks);
    return &w->cuts;
}

static void the_same_over_ranks(void **state)
{
    (void)state;
    run_all_teams_of(sizeof(whole), "moments over ranks", draw, rank_finds, 4);
}

static void on_a_device(void **state)
{
    (void)state;
    run_team_there_of(sizeof(whole), "moments of ranks on a device", draw, rank_finds);
}

/* --- what is wrong on one rank is told on all ----------------------------------------------------------------------- */

static bool rank_is_told(oplus_device *dev, const oplus_comm *comm, const void *given, finding *f)
{
    const whole *const w = given;
    const bool odd = comm->rank == w->odd;
    const size_t n = w->odd == -1 ? 0 : w->odd == -2 ? comm->rank == 0 : 1;
    const char *const said = w->odd == -1   ? "n is 0 on all ranks"
                             : w->odd == -2 ? "n is 1 on all ranks and ddof is 1"
                                            : "in is NULL";
    double got;
    const oplus_status status = oplus_variance_all(dev, comm, &oplus_f32, 1, odd ? NULL : w->x, n, &got);
    if (status == OPLUS_ERR_ARGUMENT && strstr(oplus_last_error(), said)) return true;
    snprintf(f->text, sizeof f->text, "status %d, \"%s\"", (int)status, oplus_last_error());
    return false;
}

static void all_are_told(void **state)
{
    whole *const w = must(calloc(1, sizeof *w));
    (void)state;
    for (w->odd = -2; w->odd < some_ranks(); w->odd++)
        run_team(some_ranks(), "serial", rank_is_told, w, NULL, "a wrong call");
    free(w);
}

int main(void)
{
    team_begin();
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_same_over_ranks), cmocka_unit_test(on_a_device),
                                       cmocka_unit_test(all_are_told)};
    const int failed = cmocka_run_group_tests_name("moments over ranks", tests, NULL, NULL);
    team_end();
    return failed;
}
