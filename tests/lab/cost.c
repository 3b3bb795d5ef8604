/* The cost model finds the constants from which times were made, and says where its formula does not hold. */
#include "support/laws.h"

#include "lab/cost/cost.h"

#include <math.h>

enum { PROCESSORS = 64 };

/* A grid of times that a model gives, changed by some percent, up and down in turn. */
static cost_grid made_of(const cost_model *m, bool launches, double off)
{
    cost_grid g = {.workers = launches ? "work-groups" : "threads",
                   .launches = launches,
                   .processors = PROCESSORS,
                   .t_0 = launches ? m->t_0 : 0};
    cost_grid_begin(&g, (size_t)1 << 24, 6, PROCESSORS);
    g.fitted = g.counts;
    for (int i = 0; i < g.sizes; i++)
        for (int k = 0; k < g.counts; k++) {
            g.parallel[i][k] = cost_time(m, g.n[i], g.p[k]) * (1 + ((i + k) % 2 ? off : -off));
            g.right[i][k] = true;
            g.sequential[i] = g.parallel[i][0];
        }
    cost_grid_fit(&g);
    return g;
}

static void near(double got, double wanted, double part)
{
    if (!(fabs(got - wanted) <= part * wanted)) fail_msg("%g, and not within %g of %g", got, part, wanted);
}

static void constants_are_found(void **state)
{
    (void)state;
    for (double off = 0; off <= 0.02; off += 0.01) {
        const cost_model threads = {.t_c = 0.4e-9, .t_s = 800e-9, .far = INFINITY};
        cost_grid g = made_of(&threads, false, off);
        near(g.model.t_c, threads.t_c, 0.001 + 2 * off);
        near(g.model.t_s, threads.t_s, 0.001 + 5 * off);
        assert_true(cost_holds(&g) && g.model.error <= off + 0.001);

        for (int hidden = 0; hidden < 2; hidden++) {
            const cost_model groups = {.t_c = 1.3e-9, .t_s = 700e-9, .t_0 = 3.5e-6, .hidden = hidden, .far = INFINITY};
            g = made_of(&groups, true, off);
            assert_int_equal(g.model.hidden, hidden);
            near(g.model.t_c, groups.t_c, 0.01 + 3 * off);
            near(g.model.t_s, groups.t_s, 0.05 + 12 * off);
            assert_true(cost_holds(&g));
        }
    }
}

static void arrays_beyond_the_caches(void **state)
{
    (void)state;
    const cost_model m = {.t_c = 1e-9, .t_s = 500e-9, .t_0 = 3e-6, .hidden = true, .far = 1 << 22, .t_far = 2.5e-9};
    const cost_grid g = made_of(&m, true, 0.01);
    near(g.model.far, 1 << 22, 0);
    near(g.model.t_c, m.t_c, 0.05);
    near(g.model.t_far, m.t_far, 0.05);
    assert_true(cost_holds(&g));
}

/* Times that do not fall with p, or are scattered, are not described. */
static void what_it_does_not_describe(void **state)
{
    (void)state;
    const cost_model m = {.t_c = 1e-9, .t_s = 500e-9, .far = INFINITY};
    cost_grid g = made_of(&m, false, 0.3);
    assert_false(cost_holds(&g));
    for (int i = 0; i < g.sizes; i++)
        for (int k = 0; k < g.counts; k++) g.parallel[i][k] = g.n[i] * 1e-9; /* no processor helps */
    cost_grid_fit(&g);
    assert_false(cost_holds(&g));
}

/* The shortest time is where no other p is shorter; n(E) has efficiency E. */
static void formulas_agree(void **state)
{
    (void)state;
    const cost_model m = {.t_c = 1e-9, .t_s = 200e-9, .far = INFINITY};
    for (double n = 1e4; n < 1e8; n *= 10) {
        const double best = cost_best_p(&m, n, 1e12), time = cost_time(&m, n, best);
        for (double p = 2; p < 1e9; p *= 1.1) assert_true(cost_time(&m, n, p) >= time * (1 - 1e-9));
        near(best, m.t_c * n * log(2) / m.t_s, 1e-6);
        const double few = cost_optimal_p(&m, n, 1e12);
        assert_true(few >= 1 && few <= best);
        assert_true(cost_best_p(&m, n, 3) <= 3);
    }
    for (double p = 2; p <= 1024; p *= 2)
        for (double e = 0.5; e < 0.95; e += 0.2) near(cost_efficiency(&m, cost_n_for(&m, p, e), p), e, 1e-6);
    assert_true(isnan(cost_n_for(&m, 1, 0.5)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constants_are_found),
        cmocka_unit_test(arrays_beyond_the_caches),
        cmocka_unit_test(what_it_does_not_describe),
        cmocka_unit_test(formulas_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
