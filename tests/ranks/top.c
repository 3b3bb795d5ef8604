/* The top over ranks is that of the whole array, however it is cut; every rank gets it, in three exchanges. */
#include "support/team.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 5000 };

typedef struct whole {
    int32_t x[MOST], out[MOST];
    uint64_t indices[MOST];
    size_t n, k;
    oplus_order order;
    cuts cuts;
    int odd; /* this rank does something wrong */
} whole;

static bool is(const void *got, const void *expected, size_t bytes, const char *what, finding *f)
{
    if (memcmp(got, expected, bytes) == 0) return true;
    snprintf(f->text, sizeof f->text, "other %s", what);
    return false;
}

static bool rank_finds(oplus_device *dev, const oplus_comm *comm, const void *given, finding *f)
{
    const whole *const w = given;
    const int32_t *const x = w->x + w->cuts.at[comm->rank];
    const size_t n = cut_count(&w->cuts, comm->rank), k = w->k;
    int32_t *const out = must(malloc(k * sizeof *out + 1));
    uint64_t *const indices = must(malloc(k * sizeof *indices + 1));
    bool good = succeeded(oplus_top_all(dev, comm, &oplus_i32, w->order, x, n, k, out, indices), f) &&
                is(out, w->out, k * sizeof *out, "keys", f) &&
                is(indices, w->indices, k * sizeof *indices, "indices", f);
    memset(out, 0, k * sizeof *out);
    memset(indices, 0, k * sizeof *indices);
    good = good && succeeded(oplus_top_all(dev, comm, &oplus_i32, w->order, x, n, k, out, k ? NULL : indices), f) &&
           is(out, w->out, k * sizeof *out, "keys alone", f);
    good = good && succeeded(oplus_top_all(dev, comm, &oplus_i32, w->order, x, n, k, k ? NULL : out, indices), f) &&
           is(indices, w->indices, k * sizeof *indices, "indices alone", f);
    free(out);
    free(indices);
    return good;
}

/* Few values, so that many are equal, on several ranks. */
static const cuts *draw(rng *r, void *problem, int ranks, int way)
{
    whole *const w = problem;
    oplus_device *serial;
    w->n = rng_below(r, MOST);
    w->k = rng_below(r, 3) ? rng_below(r, w->n < 50 ? w->n + 1 : 50) : rng_below(r, w->n + 1);
    w->order = rng_below(r, 2) ? OPLUS_DESCENDING : OPLUS_ASCENDING;
    const uint64_t values = 1 + rng_below(r, 100);
    for (size_t i = 0; i < w->n; i++) w->x[i] = (int32_t)rng_below(r, values) - 20;
    must_be_ok(oplus_open("serial", &serial), "serial");
    must_be_ok(oplus_top(serial, &oplus_i32, w->order, w->x, w->n, w->k, w->out, &oplus_u64, w->indices), "top");
    oplus_close(serial);
    w->cuts = cut(r, way, w->n, ranks);
    return &w->cuts;
}

static void the_same_over_ranks(void **state)
{
    (void)state;
    run_all_teams_of(sizeof(whole), "top over ranks", draw, rank_finds, 9);
}

static void on_a_device(void **state)
{
    (void)state;
    run_team_there_of(sizeof(whole), "top of ranks on a device", draw, rank_finds);
}

/* --- what is wrong on one rank is told on all ----------------------------------------------------------------------- */

static bool rank_is_told(oplus_device *dev, const oplus_comm *comm, const void *given, finding *f)
{
    const whole *const w = given;
    int32_t out[4];
    const bool odd = comm->rank == w->odd;
    return failed_as(oplus_top_all(dev, comm, &oplus_i32, OPLUS_ASCENDING, odd ? NULL : w->x, 1, 1, out, NULL),
                     OPLUS_ERR_ARGUMENT, "keys is NULL", f) &&
           failed_as(oplus_top_all(dev, comm, &oplus_i32, OPLUS_ASCENDING, w->x, 0, odd ? 2 : 1, out, NULL),
                     OPLUS_ERR_ARGUMENT, comm->size == 1 ? "k is" : "k = ", f) &&
           failed_as(oplus_top_all(dev, comm, &oplus_i32, OPLUS_ASCENDING, w->x, 0, 3, out, NULL), OPLUS_ERR_ARGUMENT,
                     "k is 3, and all ranks together have 0 elements", f) &&
           failed_as(oplus_top_all(dev, comm, &oplus_i32, OPLUS_ASCENDING, w->x, 9, 3, NULL, NULL), OPLUS_ERR_ARGUMENT,
                     "out and indices are NULL", f) &&
           failed_as(oplus_top_all(dev, comm, &oplus_i32, OPLUS_ASCENDING, out, 4, 3, out, NULL), OPLUS_ERR_OVERLAP,
                     "keys", f);
}

static void all_are_told(void **state)
{
    whole *const w = must(calloc(1, sizeof *w));
    (void)state;
    for (w->odd = 0; w->odd < some_ranks(); w->odd++)
        run_team(some_ranks(), "serial", rank_is_told, w, NULL, "a wrong call");
    free(w);
}

int main(void)
{
    team_begin();
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_same_over_ranks), cmocka_unit_test(on_a_device),
                                       cmocka_unit_test(all_are_told)};
    const int failed = cmocka_run_group_tests_name("top over ranks", tests, NULL, NULL);
    team_end();
    return failed;
}
