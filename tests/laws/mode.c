/* The caller's floating-point mode: traps, flushing and another rounding change no result of a public call and end no
 * process, and after the call the mode is as it was. */
#define _GNU_SOURCE /* feenableexcept */
#include "support/laws.h"

#include <oplus/ranks.h>

#include <fenv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

enum { N = 5000, SEGMENTS = 40, ROWS = 50, RANKS = 3 };

/* --- the modes ---------------------------------------------------------------------------------------------------- */

typedef struct mode {
    const char *name;
    bool traps;
    unsigned csr; /* bits to set in MXCSR */
    int rounding;
} mode;

static const mode modes[] = {
    {"as it is", false, 0, FE_TONEAREST},
    {"traps", true, 0, FE_TONEAREST},
    {"upward", false, 0, FE_UPWARD},
    {"traps, toward zero", true, 0, FE_TOWARDZERO},
#if defined(__SSE__)
    {"flush to zero, denormals are zero", false, 0x8040, FE_TONEAREST},
    {"all of them", true, 0x8040, FE_DOWNWARD},
#endif
};

/* Ranks are threads, each with a mode of its own. */
static _Thread_local const mode *now = modes;
static _Thread_local fenv_t outside;

static void enter(void)
{
    fegetenv(&outside);
    fesetround(now->rounding);
#if defined(__SSE__)
    _mm_setcsr(_mm_getcsr() | now->csr);
#endif
    feclearexcept(FE_ALL_EXCEPT);
    if (now->traps) feenableexcept(FE_ALL_EXCEPT);
}

/* The mode is as it was set. */
static void leave(const char *call)
{
    const bool traps = fegetexcept() == (now->traps ? FE_ALL_EXCEPT : 0), rounding = fegetround() == now->rounding;
    bool flushing = true;
#if defined(__SSE__)
    flushing = (_mm_getcsr() & 0x8040) == now->csr;
#endif
    fesetenv(&outside);
    if (!traps || !rounding || !flushing) fail_msg("%s\n  leaves another mode than \"%s\"", call, now->name);
}

static void good(oplus_status status, const char *call)
{
    if (status != OPLUS_OK) fail_msg("%s\n  in the mode \"%s\": %s", call, now->name, oplus_last_error());
}

#define DO(call)                                                                                                       \
    do {                                                                                                               \
        enter();                                                                                                       \
        call;                                                                                                          \
        leave(#call);                                                                                                  \
    } while (0)
#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        oplus_status status_;                                                                                          \
        DO(status_ = call);                                                                                            \
        good(status_, #call);                                                                                          \
    } while (0)

/* --- what is computed: all that raises an exception --------------------------------------------------------------- */

OPLUS_STRUCT(mode_affine, float a; float b;)
OPLUS_OP(mode_compose, mode_affine, (1, 0), 0, {
    mode_affine r;
    r.a = a.a * b.a;
    r.b = a.b * b.a + b.b;
    return r;
})
OPLUS_MAP(mode_third, float, float, { return a / 3.0f; })
OPLUS_PREDICATE(mode_large, float, { return a > 0.5f; })

/* Signalling NaNs, infinities, denormals, what overflows and what rounds. */
static void fill(float *x, size_t n)
{
    static const uint32_t special[] = {0x7fa00001, 0x7f800000, 0xff800000, 1, 0x80000003, 0x7f7fffff, 0x00800000, 0};
    rng r = test_rng("mode");
    for (size_t i = 0; i < n; i++) {
        const uint32_t bits = special[rng_below(&r, 8)];
        const float value = (float)rng_unit(&r);
        memcpy(&x[i], rng_below(&r, 4) ? (const void *)&value : &bits, sizeof bits);
    }
}

typedef struct results {
    float reduced, folded, carried, scan[N], part[N], segscan[N], slices[SEGMENTS], mapped[N], made[N], kept[N], leaked,
        scaled[N];
    float sorted[N], by_key[N], transposed[N], there[N];
    double pairs[N];
    mode_affine composed, carried_pair;
    size_t count;
    float reduced_all[RANKS], folded_all[RANKS], scan_all[RANKS][N], segscan_all[RANKS][N], kept_all[RANKS][N];
    float sorted_all[RANKS][N], by_key_all[RANKS][N], transposed_all[RANKS][N];
    double pairs_all[RANKS][N];
    size_t count_all[RANKS];
} results;

static float input[N];
static uint8_t heads[N];
static uint64_t offsets[SEGMENTS + 1];
static const float init = 0x1p-140f;
static const char *where;

static void primitives(oplus_device *dev, results *r)
{
    const void *in[] = {input};
    TRY(oplus_reduce(dev, &oplus_sum_f32, input, N, &r->reduced));
    TRY(oplus_reduce(dev, &mode_compose_op, input, N / 2, &r->composed));
    TRY(oplus_fold(dev, &oplus_max_f32, &init, input + 8, 4, &r->folded));
    TRY(oplus_scan(dev, &oplus_prod_f32, OPLUS_INCLUSIVE, input, N, r->scan));
    TRY(oplus_segscan(dev, &oplus_sum_f32, OPLUS_EXCLUSIVE, input, heads, N, r->segscan));
    TRY(oplus_segreduce(dev, &oplus_sum_f32, input, N, &oplus_u64, offsets, SEGMENTS, r->slices));
    TRY(oplus_map(dev, &mode_third_fn, in, N, r->mapped));
    TRY(oplus_filter(dev, &mode_large_fn, input, N, r->kept, &r->count));
    memcpy(r->sorted, input, sizeof input);
    memcpy(r->by_key, input, sizeof input);
    for (size_t i = 0; i < N; i++) r->pairs[i] = (double)i;
    TRY(oplus_sort(dev, &oplus_f32, OPLUS_ASCENDING, r->sorted, N));
    TRY(oplus_sort_pairs(dev, &oplus_f32, OPLUS_DESCENDING, r->by_key, &oplus_f64, r->pairs, N));
    TRY(oplus_transpose(dev, &oplus_f32, input, ROWS, N / ROWS, r->transposed));
}

static void carries(oplus_device *dev, results *r)
{
    oplus_carry *left, *right, *signalling, *pair;
    TRY(oplus_carry_open(&oplus_sum_f32, 0, &left));
    TRY(oplus_carry_open(&oplus_sum_f32, N / 2, &right));
    TRY(oplus_carry_init(left, &init));
    TRY(oplus_scan_from(dev, left, OPLUS_INCLUSIVE, input, N / 2, r->part));
    TRY(oplus_carry_add(dev, right, input + N / 2, N / 2));
    TRY(oplus_carry_join(left, right));
    TRY(oplus_carry_value(left, &r->carried));
    TRY(oplus_carry_open(&mode_compose_op, 0, &pair));
    TRY(oplus_carry_add(dev, pair, input, N / 2));
    TRY(oplus_carry_value(pair, &r->carried_pair));

    const uint32_t bits = 0x7fa00001; /* passes through a carry unchanged, and is made canonical at the end */
    float alone, value;
    memcpy(&alone, &bits, sizeof bits);
    TRY(oplus_carry_open(&oplus_sum_f32, 0, &signalling));
    TRY(oplus_carry_add(dev, signalling, &alone, 1));
    TRY(oplus_carry_value(signalling, &value));
    assert_memory_equal(&value, &(uint32_t){0x7fc00000}, sizeof value);
    DO(oplus_carry_close(left));
    DO(oplus_carry_close(right));
    DO(oplus_carry_close(pair));
    DO(oplus_carry_close(signalling));
}

static void memory(oplus_device *dev, results *r)
{
    void *there;
    TRY(oplus_alloc(dev, sizeof input, &there));
    TRY(oplus_copy(dev, there, input, sizeof input));
    TRY(oplus_scan(dev, &oplus_sum_f32, OPLUS_INCLUSIVE, there, N, there));
    TRY(oplus_sync(dev));
    TRY(oplus_copy(dev, r->there, there, sizeof r->there));
    DO(oplus_free(dev, there));
    TRY(oplus_trim(dev));
}

OPLUS_SEMIGROUP_WITH(mode_leak, float, float, 0, { return a * p + b; })
OPLUS_MAP_WITH(mode_scale, float, float, float, { return a * p; })

static void bound(oplus_device *dev, results *r)
{
    const float tenth = 0.1f;
    const void *in[] = {input};
    oplus_op *op;
    oplus_fn *fn;
    TRY(oplus_op_bind(&mode_leak_op, &tenth, NULL, &op));
    TRY(oplus_fn_bind(&mode_scale_fn, &tenth, &fn));
    TRY(oplus_reduce(dev, op, input, N, &r->leaked));
    TRY(oplus_map(dev, fn, in, N, r->scaled));
    DO(oplus_fn_free(fn));
    DO(oplus_op_free(op));
}

/* Texts are compiled; on a machine without a compiler this is left out. */
static void made(oplus_device *dev, results *r)
{
    const oplus_type *const inputs[] = {&oplus_f32};
    const void *in[] = {input};
    oplus_type *type;
    oplus_op *op = NULL;
    oplus_fn *fn = NULL;
    oplus_status status;
    TRY(oplus_type_make("mode_pair", "float x; double y;", &type));
    DO(oplus_type_free(type));
    DO(status = oplus_fn_make("tenth", &oplus_f32, 1, inputs, NULL, "a * 0.1f", &fn));
    if (status == OPLUS_ERR_UNSUPPORTED) return;
    good(status, "oplus_fn_make");
    TRY(oplus_op_make("mean", &oplus_f32, NULL, 0, NULL, "a * 0.5f + b * 0.5f", NULL, &op));
    TRY(oplus_map(dev, fn, in, N, r->made));
    DO(oplus_fn_free(fn));
    DO(oplus_op_free(op));
    const oplus_type *given;
    TRY(oplus_text_type(1, inputs, NULL, "a * 0.1f", &given));
    float samples[64];
    TRY(oplus_samples(&oplus_f32, OPLUS_SAMPLES_SPECIAL, 64, samples));
}

static void questions(oplus_device *dev)
{
    oplus_device_info info[8] = {{.abi = OPLUS_ABI}};
    char text[400];
    float samples[40];
    int count;
    for (size_t i = 0; i < 40; i++) samples[i] = (float)i / 7 * 0x1p-130f;
    TRY(oplus_op_check(dev, &oplus_sum_f32, samples, 40));
    samples[7] = input[0] == input[0] ? samples[7] : input[0];
    TRY(oplus_op_check(dev, &oplus_max_f32, samples, 40));
    DO(count = oplus_devices(info, 8));
    assert_true(count > 0);
    TRY(oplus_auto(text, sizeof text));
}

/* --- over ranks --------------------------------------------------------------------------------------------------- */

typedef struct team_run {
    results *r;
    const mode *mode;
} team_run;

static void one_rank(const oplus_comm *comm, void *context)
{
    team_run *const run = context;
    results *const r = run->r;
    const int k = comm->rank;
    const size_t n = N / RANKS, first = (size_t)k * n;
    oplus_device *dev;
    fesetenv(FE_DFL_ENV); /* a thread inherits the mode, in which 0 as a double may be -0 */
    now = run->mode;
    TRY(oplus_open("serial", &dev));
    TRY(oplus_reduce_all(dev, comm, &oplus_sum_f32, input + first, n, &r->reduced_all[k]));
    TRY(oplus_fold_all(dev, comm, &oplus_sum_f32, &init, input + first, n, &r->folded_all[k]));
    TRY(oplus_scan_all(dev, comm, &oplus_prod_f32, OPLUS_INCLUSIVE, input + first, n, r->scan_all[k]));
    TRY(oplus_segscan_all(dev, comm, &oplus_sum_f32, OPLUS_EXCLUSIVE, input + first, heads + first, n,
                          r->segscan_all[k]));
    TRY(oplus_filter_all(dev, comm, &mode_large_fn, OPLUS_AS_GIVEN, input + first, n, r->kept_all[k], N,
                         &r->count_all[k]));
    memcpy(r->sorted_all[k], input + first, n * sizeof *input);
    memcpy(r->by_key_all[k], input + first, n * sizeof *input);
    for (size_t i = 0; i < n; i++) r->pairs_all[k][i] = (double)(first + i);
    size_t held = n;
    TRY(oplus_sort_all(dev, comm, &oplus_f32, OPLUS_ASCENDING, OPLUS_AS_GIVEN, r->sorted_all[k], &held, N));
    held = n;
    TRY(oplus_sort_pairs_all(dev, comm, &oplus_f32, OPLUS_DESCENDING, OPLUS_AS_GIVEN, r->by_key_all[k], &oplus_f64,
                             r->pairs_all[k], &held, N));
    TRY(oplus_transpose_all(dev, comm, &oplus_f32, input + first, n, RANKS, n, r->transposed_all[k], n));
    DO(oplus_close(dev));
}

/* --- the law ------------------------------------------------------------------------------------------------------ */

static void compute(results *r)
{
    oplus_device *dev;
    memset(r, 0, sizeof *r);
    TRY(oplus_open(where, &dev));
    primitives(dev, r);
    carries(dev, r);
    memory(dev, r);
    bound(dev, r);
    made(dev, r);
    questions(dev);
    DO(oplus_close(dev));
    team_run run = {r, now};
    if (strcmp(where, "serial") == 0) TRY(oplus_run_ranks(RANKS, one_rank, &run));
}

static size_t first_difference(const results *x, const results *y)
{
    size_t i = 0;
    while (i < sizeof *x && ((const char *)x)[i] == ((const char *)y)[i]) i++;
    return i;
}

static void no_mode_changes_a_bit(void **state)
{
    static results plain, other;
    where = *state;
    oplus_device *dev;
    if (oplus_open(where, &dev) != OPLUS_OK) {
        printf("no %s here: %s\n", where, oplus_last_error());
        skip();
    }
    oplus_close(dev);
    for (size_t m = 0; m < sizeof modes / sizeof *modes; m++) {
        now = &modes[m];
        compute(m ? &other : &plain);
        if (m && memcmp(&plain, &other, sizeof plain) != 0)
            fail_msg("%s: other results in the mode \"%s\", the first at byte %zu of results", where, now->name,
                     first_difference(&plain, &other));
    }
    now = modes;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        {"serial", no_mode_changes_a_bit, NULL, NULL, "serial"},
        {"threads", no_mode_changes_a_bit, NULL, NULL, "threads:3"},
        {"opencl", no_mode_changes_a_bit, NULL, NULL, "opencl:cpu"},
        {"auto", no_mode_changes_a_bit, NULL, NULL, "auto"},
    };
    test_seed();
    fill(input, N);
    for (size_t i = 0; i < N; i++) heads[i] = i % 37 == 0;
    for (size_t s = 0; s <= SEGMENTS; s++) offsets[s] = s * N / SEGMENTS;
    return cmocka_run_group_tests_name("mode", tests, NULL, NULL);
}
