/* Counts in bins over ranks are those of the whole array, however it is cut; every rank gets all of them. */
#include "support/team.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST = 30000, /* elements of all ranks */
    BINS = 5000,
    EXCHANGES = 3 * 3 /* at most, of the three calls together */
};

typedef struct whole {
    float x[MOST], edges[BINS + 1];
    uint16_t at[MOST];
    uint64_t even[BINS], between[BINS], by_index[BINS]; /* as counter, from their beginning on */
    const oplus_type *counter;
    oplus_bounds bounds;
    size_t n, bins;
    double low, high;
    cuts cuts;
    int odd; /* this rank does something wrong */
} whole;

static const oplus_type *const counters[] = {&oplus_u32, &oplus_u64, &oplus_i32, &oplus_i64};

/* --- a rank -------------------------------------------------------------------------------------------------------- */

/* Arrays of a rank: in the host's memory, or in its device's. */
typedef struct arrays {
    void *x, *at, *edges, *counts;
    bool there;
} arrays;

static bool send(oplus_device *dev, bool there, const void *from, size_t bytes, void **to, finding *f)
{
    *to = NULL;
    if (!there) {
        *to = must(malloc(bytes + 1));
        memcpy(*to, from, bytes);
        return true;
    }
    return succeeded(oplus_alloc(dev, bytes, to), f) && succeeded(oplus_copy(dev, *to, from, bytes), f);
}

static void discard(oplus_device *dev, bool there, void *mem)
{
    if (there)
        oplus_free(dev, mem);
    else
        free(mem);
}

static bool is(oplus_device *dev, oplus_status status, const whole *w, arrays *a, const void *expected,
               const char *what, finding *f)
{
    const size_t bytes = w->bins * w->counter->size;
    void *const got = must(malloc(bytes + 1));
    bool good = succeeded(status, f) && succeeded(oplus_copy(dev, got, a->counts, bytes), f);
    if (good && memcmp(got, expected, bytes) != 0) {
        snprintf(f->text, sizeof f->text, "other counts %s (%zu bins, %s)", what, w->bins, w->counter->name);
        good = false;
    }
    memset(got, 0xa5, bytes);
    good = good && succeeded(oplus_copy(dev, a->counts, got, bytes), f);
    free(got);
    return good;
}

static bool rank_counts(oplus_device *dev, const oplus_comm *comm, const whole *w, bool there, finding *f)
{
    const size_t first = w->cuts.at[comm->rank], n = cut_count(&w->cuts, comm->rank), bins = w->bins;
    const oplus_type *const counter = w->counter;
    arrays a = {.there = there};
    const bool good =
        send(dev, there, w->x + first, n * sizeof *w->x, &a.x, f) &&
        send(dev, there, w->at + first, n * sizeof *w->at, &a.at, f) &&
        send(dev, there, w->edges, (bins + 1) * sizeof *w->edges, &a.edges, f) &&
        send(dev, there, w->even, bins * counter->size, &a.counts, f) &&
        is(dev, oplus_histogram_all(dev, comm, &oplus_f32, a.x, n, w->low, w->high, counter, a.counts, bins), w, &a,
           w->even, "in even bins", f) &&
        is(dev, oplus_histogram_edges_all(dev, comm, &oplus_f32, a.x, n, a.edges, counter, a.counts, bins), w, &a,
           w->between, "between edges", f) &&
        is(dev, oplus_count_by_index_all(dev, comm, w->bounds, &oplus_u16, a.at, n, counter, a.counts, bins), w, &a,
           w->by_index, "by index", f);
    discard(dev, there, a.x);
    discard(dev, there, a.at);
    discard(dev, there, a.edges);
    discard(dev, there, a.counts);
    return good;
}

static bool rank_of_the_host(oplus_device *dev, const oplus_comm *comm, const void *given, finding *f)
{
    return rank_counts(dev, comm, given, false, f);
}

/* Ranks with arrays in their device's memory, and every other one in the host's. */
static bool rank_of_a_device(oplus_device *dev, const oplus_comm *comm, const void *given, finding *f)
{
    return rank_counts(dev, comm, given, comm->rank % 2 == 0, f) && rank_counts(dev, comm, given, true, f);
}

/* --- a problem ----------------------------------------------------------------------------------------------------- */

/* Fewer bins than ranks, a few, or many; some numbers are in none. */
static const cuts *draw(rng *r, void *problem, int ranks, int way)
{
    whole *const w = problem;
    oplus_device *serial;
    w->n = rng_below(r, rng_below(r, 4) ? 3000 : MOST);
    w->bins = 1 + rng_below(r, rng_below(r, 3) == 0 ? 3 : rng_below(r, 2) ? 100 : BINS);
    w->counter = counters[rng_below(r, 4)];
    w->bounds = rng_below(r, 2) ? OPLUS_CLIP : OPLUS_IGNORE;
    w->low = -0.1;
    w->high = 0.9;
    for (size_t i = 0; i < w->n; i++) {
        w->x[i] = (float)(rng_unit(r) * 1.2);
        w->at[i] = (uint16_t)rng_below(r, w->bins + 2);
    }
    for (size_t b = 0; b <= w->bins; b++) w->edges[b] = (float)b / (float)w->bins;
    must_be_ok(oplus_open("serial", &serial), "serial");
    must_be_ok(oplus_histogram(serial, &oplus_f32, w->x, w->n, w->low, w->high, w->counter, w->even, w->bins), "even");
    must_be_ok(oplus_histogram_edges(serial, &oplus_f32, w->x, w->n, w->edges, w->counter, w->between, w->bins),
               "edges");
    must_be_ok(oplus_count_by_index(serial, w->bounds, &oplus_u16, w->at, w->n, w->counter, w->by_index, w->bins),
               "index");
    oplus_close(serial);
    w->cuts = cut(r, way, w->n, ranks);
    return &w->cuts;
}

static void the_same_over_ranks(void **state)
{
    (void)state;
    for (int times = 0; times < 3; times++)
        run_all_teams_of(sizeof(whole), "bins over ranks", draw, rank_of_the_host, EXCHANGES);
}

static void on_a_device(void **state)
{
    (void)state;
    run_team_there_of(sizeof(whole), "bins of ranks on a device", draw, rank_of_a_device);
}

/* --- what is wrong on one rank is told on all ----------------------------------------------------------------------- */

static bool rank_is_told(oplus_device *dev, const oplus_comm *comm, const void *given, finding *f)
{
    const whole *const w = given;
    const float edges[] = {0, 1, 2}, others[] = {0, 1, 3}, falls[] = {0, 2, 1};
    const uint16_t out_of_range[] = {0, 2};
    uint32_t counts[2];
    const bool odd = comm->rank == w->odd, alone = comm->size == 1;
    const char *const same = "all ranks must make the same call";
    bool good =
        failed_as(oplus_count_by_index_all(dev, comm, OPLUS_REFUSE, &oplus_u16, out_of_range, odd ? 2 : 1, &oplus_u32,
                                           counts, 2),
                  OPLUS_ERR_ARGUMENT, "indices[1] is 2", f) &&
        failed_as(oplus_histogram_all(dev, comm, &oplus_f32, w->x, 1, 0, odd ? 0 : 1, &oplus_u32, counts, 2),
                  OPLUS_ERR_ARGUMENT, "low is 0 and high is 0", f) &&
        failed_as(oplus_histogram_edges_all(dev, comm, &oplus_f32, w->x, 1, odd ? falls : edges, &oplus_u32, counts, 2),
                  OPLUS_ERR_ARGUMENT, "edges[2] is NaN or less than the edge before it", f) &&
        failed_as(oplus_histogram_all(dev, comm, &oplus_f32, w->x, 1, 0, 1, &oplus_u32, odd ? NULL : counts, 2),
                  OPLUS_ERR_ARGUMENT, "counts is NULL", f) &&
        failed_as(oplus_histogram_all(dev, comm, &oplus_f32, counts, 2, 0, 1, &oplus_u32, counts, 2), OPLUS_ERR_OVERLAP,
                  "counts", f) &&
        succeeded(oplus_count_by_index_all(dev, comm, OPLUS_IGNORE, &oplus_u16, out_of_range, 2, &oplus_u32, counts, 0),
                  f);
    if (!good || alone) return good;
    return failed_as(oplus_histogram_all(dev, comm, &oplus_f32, w->x, 1, 0, odd ? 1 : 2, &oplus_u32, counts, 2),
                     OPLUS_ERR_ARGUMENT, same, f) &&
           failed_as(
               oplus_histogram_all(dev, comm, &oplus_f32, w->x, 1, 0, 1, odd ? &oplus_i32 : &oplus_u32, counts, 2),
               OPLUS_ERR_ARGUMENT, same, f) &&
           failed_as(oplus_count_by_index_all(dev, comm, odd ? OPLUS_CLIP : OPLUS_IGNORE, &oplus_u16, out_of_range, 2,
                                              &oplus_u32, counts, 2),
                     OPLUS_ERR_ARGUMENT, same, f) &&
           failed_as(
               oplus_histogram_edges_all(dev, comm, &oplus_f32, w->x, 1, odd ? others : edges, &oplus_u32, counts, 2),
               OPLUS_ERR_ARGUMENT, "edges whose bits have the hash", f);
}

static void all_are_told(void **state)
{
    whole *const w = must(calloc(1, sizeof *w));
    (void)state;
    for (w->odd = 0; w->odd < some_ranks(); w->odd++)
        run_team(some_ranks(), "serial", rank_is_told, w, NULL, "a wrong call");
    w->odd = 0;
    run_team(1, "serial", rank_is_told, w, NULL, "a wrong call alone");
    free(w);
}

/* --- the same calls with their types checked ------------------------------------------------------------------------- */

static bool rank_is_checked(oplus_device *dev, const oplus_comm *comm, const void *given, finding *f)
{
    const float x[] = {0.5f, 1.5f, 1.75f}, edges[] = {0, 1.5f, 2};
    const uint8_t at[] = {1, 1, 0};
    uint32_t even[2], between[2], often[2];
    const uint32_t ranks = (uint32_t)comm->size;
    (void)given;
    if (!succeeded(OPLUS_HISTOGRAM_ALL(dev, comm, x, 3, 0.0, 2.0, even, 2), f) ||
        !succeeded(OPLUS_HISTOGRAM_EDGES_ALL(dev, comm, x, 3, edges, between, 2), f) ||
        !succeeded(OPLUS_COUNT_BY_INDEX_ALL(dev, comm, OPLUS_REFUSE, at, 3, often, 2), f))
        return false;
    const uint32_t expected[] = {ranks, 2 * ranks};
    if (memcmp(even, expected, sizeof even) == 0 && memcmp(between, expected, sizeof between) == 0 &&
        memcmp(often, expected, sizeof often) == 0)
        return true;
    snprintf(f->text, sizeof f->text, "other counts: %u %u, %u %u, %u %u", even[0], even[1], between[0], between[1],
             often[0], often[1]);
    return false;
}

static void checked(void **state)
{
    (void)state;
    run_team(some_ranks(), "serial", rank_is_checked, NULL, NULL, "checked calls");
}

/* --- more elements than a count holds ------------------------------------------------------------------------------- */

enum { HALF = 1 << 30 }; /* elements of a rank; two ranks together have one more than an i32 counts */

typedef struct many {
    const uint8_t *zeros;
} many;

static bool rank_has_many(oplus_device *dev, const oplus_comm *comm, const void *given, finding *f)
{
    const many *const m = given;
    const size_t n = comm->rank < 2 ? HALF : 0;
    int32_t narrow[3];
    uint32_t wide[3];
    if (comm->size == 1) return true;
    if (!failed_as(oplus_count_by_index_all(dev, comm, OPLUS_REFUSE, &oplus_u8, m->zeros, n, &oplus_i32, narrow, 3),
                   OPLUS_ERR_ARGUMENT, "cannot hold the count 2147483648, which is that of the elements of all ranks",
                   f))
        return false;
    if (!succeeded(oplus_count_by_index_all(dev, comm, OPLUS_REFUSE, &oplus_u8, m->zeros, n, &oplus_u32, wide, 3), f))
        return false;
    if (wide[0] == UINT32_C(1) << 31 && wide[1] == 0 && wide[2] == 0) return true;
    snprintf(f->text, sizeof f->text, "the counts are %u, %u and %u", wide[0], wide[1], wide[2]);
    return false;
}

static void more_than_a_count_holds(void **state)
{
    (void)state;
    if (test_quick()) {
        puts("not tried: OPLUS_TEST_QUICK");
        return;
    }
    void *const zeros = must(calloc(HALF, 1)); /* only read, so that it takes little memory */
    run_team(some_ranks(), "serial", rank_has_many, &(many){zeros}, NULL, "many elements");
    free(zeros);
}

int main(void)
{
    team_begin();
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_same_over_ranks), cmocka_unit_test(on_a_device),
                                       cmocka_unit_test(all_are_told), cmocka_unit_test(checked),
                                       cmocka_unit_test(more_than_a_count_holds)};
    const int failed = cmocka_run_group_tests_name("bins over ranks", tests, NULL, NULL);
    team_end();
    return failed;
}
