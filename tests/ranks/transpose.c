/* Transpose over ranks is the plain loop, however matrix and result are cut.  Each element travels at most once. */
#include "support/broken.h"
#include "support/team.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    NOTE_BYTES = 256, /* bytes that a rank tells each other rank: its call, */
    WORD_BYTES = 8,   /* and whether all is well */
    EXCHANGES = 4     /* notes, all is well, elements, all is well */
};

typedef struct matrix {
    problem p; /* its type and its x are used */
    oplus_op op;
    subject s;
    size_t rows, cols;
    unsigned char *y;   /* transposed by the plain loop */
    cuts before, after; /* of x, of y */
    bool there[2];      /* whether x and y are in the device's memory */
    int bad;            /* the rank that does something wrong, */
    size_t step;        /* and the step in which its device breaks */
} matrix;

static void matrix_open(matrix *a, rng *r, const oplus_type *type, size_t rows, size_t cols)
{
    const size_t n = rows * cols, size = type->size;
    memset(a, 0, sizeof *a);
    a->op.type = type;
    a->s.op = &a->op;
    a->p = (problem){.s = &a->s, .size = size, .max = n};
    a->rows = rows;
    a->cols = cols;
    a->p.x = must(malloc(n * size + 1));
    a->y = must(malloc(n * size + 1));
    for (size_t i = 0; i < n * size; i++) a->p.x[i] = (unsigned char)rng_next(r);
    for (size_t i = 0; i < rows; i++)
        for (size_t k = 0; k < cols; k++) memcpy(at(&a->p, a->y, k * rows + i), at(&a->p, a->p.x, i * cols + k), size);
}

static void matrix_close(matrix *a)
{
    free(a->p.x);
    free(a->y);
}

static const char *words_of(const matrix *a)
{
    static char words[1200];
    const int n = snprintf(words, sizeof words, "%zu rows, %zu cols of %zu bytes, %s", a->rows, a->cols, a->p.size,
                           cut_words(&a->before));
    snprintf(words + n, sizeof words - (size_t)n, ", then %s", cut_words(&a->after));
    return words;
}

/* --- it is the plain loop ----------------------------------------------------------------------------------------- */

static bool transposes(oplus_device *dev, const oplus_comm *comm, const void *given, finding *f)
{
    const matrix *const a = given;
    const int q = comm->rank;
    const size_t n = cut_count(&a->before, q), m = cut_count(&a->after, q);
    void *const out = output(&a->p, NULL, m);
    return succeeded(oplus_transpose_all(dev, comm, a->op.type, at(&a->p, a->p.x, a->before.at[q]), n, a->rows, a->cols,
                                         out, m),
                     f) &&
           kept_inside(f) && same(&a->p, out, at(&a->p, a->y, a->after.at[q]), m, f);
}

/* And back: twice is the identity. */
static bool returns(oplus_device *dev, const oplus_comm *comm, const void *given, finding *f)
{
    const matrix *const a = given;
    const int q = comm->rank;
    const size_t n = cut_count(&a->before, q), m = cut_count(&a->after, q);
    unsigned char *const turned = must(malloc(m * a->p.size + 1));
    void *const out = output(&a->p, NULL, n);
    const bool good = succeeded(oplus_transpose_all(dev, comm, a->op.type, at(&a->p, a->p.x, a->before.at[q]), n,
                                                    a->rows, a->cols, turned, m),
                                f) &&
                      succeeded(oplus_transpose_all(dev, comm, a->op.type, turned, m, a->cols, a->rows, out, n), f) &&
                      kept_inside(f) && same(&a->p, out, at(&a->p, a->p.x, a->before.at[q]), n, f);
    free(turned);
    return good;
}

static int owner_of(const cuts *c, size_t index)
{
    int q = 0;
    while (index >= c->at[q + 1]) q++;
    return q;
}

/* Each element of x that is wanted elsewhere travels once. */
static void check_traffic(const matrix *a, const traffic *sent)
{
    const int p = a->before.ranks;
    const size_t others = (size_t)p - 1, n = a->p.max;
    size_t leave[MOST_RANKS] = {0};
    for (size_t i = 0; i < n; i++) {
        const int from = owner_of(&a->before, i), to = owner_of(&a->after, i % a->cols * a->rows + i / a->cols);
        leave[from] += from != to;
    }
    const bool trivial = p == 1 || n == 0;
    for (int q = 0; q < p; q++) {
        const size_t exchanges = trivial ? 1 : EXCHANGES;
        const size_t bytes = others * (NOTE_BYTES + (trivial ? 0 : 2 * WORD_BYTES)) + leave[q] * a->p.size;
        if (sent[q].exchanges != exchanges || sent[q].bytes != bytes)
            fail_msg("%s: rank %d sends %zu bytes in %zu exchanges, expected %zu in %zu", words_of(a), q, sent[q].bytes,
                     sent[q].exchanges, bytes, exchanges);
    }
}

typedef struct extents {
    size_t rows, cols;
} extents;

static const oplus_type *const types[] = {&oplus_u8,  &oplus_u16,    &small3_type,   &oplus_f32,
                                          &oplus_f64, &mixed12_type, &padded16_type, &huge5000_type};
enum { TYPES = sizeof types / sizeof *types };

static void try_cuts(rng *r, const oplus_type *type, extents e, const char *where, bool counts)
{
    traffic sent[MOST_RANKS];
    for (const int *ranks = team_sizes(); *ranks > 0; ranks++) {
        matrix a;
        matrix_open(&a, r, type, e.rows, e.cols);
        for (int way = 0; way < CUT_WAYS * CUT_WAYS; way++) {
            a.before = cut(r, way % CUT_WAYS, a.p.max, *ranks);
            a.after = cut(r, way / CUT_WAYS, a.p.max, *ranks);
            run_team(*ranks, where, transposes, &a, sent, words_of(&a));
            if (counts) check_traffic(&a, sent);
            if (way == 0) run_team(*ranks, where, returns, &a, NULL, words_of(&a));
        }
        matrix_close(&a);
    }
}

static void all_cuts(void **state)
{
    static const extents all[] = {{0, 5},  {7, 0},    {1, 1},   {1, 301}, {301, 1}, {2, 3},   {3, 90},
                                  {90, 3}, {61, 101}, {64, 64}, {17, 17}, {5, 800}, {800, 5}, {128, 32}};
    (void)state;
    rng r = test_rng("transpose");
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const bool small = all[i].rows * all[i].cols < 500;
        try_cuts(&r, types[small && i % 3 == 0 ? TYPES - 1 : rng_below(&r, TYPES - 1)], all[i], "serial", true);
    }
}

static void all_types(void **state)
{
    (void)state;
    rng r = test_rng("types");
    for (int i = 0; i < TYPES; i++) {
        const size_t most = types[i]->size > 1000 ? 20 : 70;
        try_cuts(&r, types[i], (extents){1 + rng_below(&r, most), 1 + rng_below(&r, most)}, "serial", false);
    }
}

/* Whole rows and whole columns, as most arrays are cut. */
static void whole_rows(void **state)
{
    (void)state;
    rng r = test_rng("rows");
    for (const int *ranks = team_sizes(); *ranks > 0; ranks++)
        for (int time = 0; time < 6; time++) {
            traffic sent[MOST_RANKS];
            matrix a;
            matrix_open(&a, &r, types[rng_below(&r, TYPES - 1)], 1 + rng_below(&r, 100), 1 + rng_below(&r, 100));
            a.before = cut(&r, time % CUT_WAYS, a.rows, *ranks);
            a.after = cut(&r, time / 2, a.cols, *ranks);
            for (int q = 0; q <= *ranks; q++) {
                a.before.at[q] *= a.cols;
                a.after.at[q] *= a.rows;
            }
            run_team(*ranks, "serial", transposes, &a, sent, words_of(&a));
            check_traffic(&a, sent);
            matrix_close(&a);
        }
}

/* Large enough that threads share the work. */
static void threads(void **state)
{
    static const extents all[] = {{600, 700}, {3, 150000}, {150000, 3}};
    (void)state;
    rng r = test_rng("threads");
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (const int *ranks = team_sizes(); *ranks > 0; ranks++) {
            if (*ranks > 4) continue;
            matrix a;
            matrix_open(&a, &r, types[1 + rng_below(&r, TYPES - 2)], all[i].rows, all[i].cols);
            for (int way = 0; way < 2; way++) {
                a.before = cut(&r, way, a.p.max, *ranks);
                a.after = cut(&r, way, a.p.max, *ranks);
                run_team(*ranks, "threads:2", returns, &a, NULL, words_of(&a));
                run_team(*ranks, "threads:2", transposes, &a, NULL, words_of(&a));
            }
            matrix_close(&a);
        }
}

/* --- on a device -------------------------------------------------------------------------------------------------- */

static bool transposes_there(oplus_device *dev, const oplus_comm *comm, const void *given, finding *f)
{
    const matrix *const a = given;
    const int q = comm->rank;
    const size_t n = cut_count(&a->before, q), m = cut_count(&a->after, q), size = a->p.size;
    unsigned char *const in = at(&a->p, a->p.x, a->before.at[q]);
    void *const out = output(&a->p, NULL, m), *from = NULL, *to = NULL;
    bool good = succeeded(oplus_alloc(dev, n * size, &from), f) && succeeded(oplus_alloc(dev, m * size, &to), f) &&
                succeeded(oplus_copy(dev, from, in, n * size), f);
    const bool breaks = a->bad == q;
    if (good) {
        if (breaks) break_device(dev, a->step);
        const oplus_status status = oplus_transpose_all(dev, comm, a->op.type, a->there[0] ? from : in, n, a->rows,
                                                        a->cols, a->there[1] ? to : out, m);
        if (breaks) mend_device(dev);
        good = succeeded(status, f);
    }
    if (good && a->there[1]) good = succeeded(oplus_copy(dev, out, to, m * size), f);
    oplus_free(dev, from);
    oplus_free(dev, to);
    return good && kept_inside(f) && same(&a->p, out, at(&a->p, a->y, a->after.at[q]), m, f);
}

static void devices(void **state)
{
    const char *const where = device_to_try();
    (void)state;
    if (where == NULL) skip();
    rng r = test_rng("devices");
    for (const int *ranks = team_sizes(); *ranks > 0; ranks++) {
        if (*ranks > 3 && *ranks != 8) continue;
        for (int time = 0; time < 12; time++) {
            matrix a;
            matrix_open(&a, &r, &oplus_f32, 1 + rng_below(&r, 90), 1 + rng_below(&r, 90));
            a.bad = -1;
            a.there[0] = time % 4 != 2;
            a.there[1] = time % 4 != 1;
            a.before = cut(&r, time / 4, time < 6 ? a.rows : a.p.max, *ranks);
            a.after = cut(&r, (int)rng_below(&r, CUT_WAYS), a.p.max, *ranks);
            for (int q = 0; q <= *ranks && time < 6; q++) a.before.at[q] *= a.cols;
            run_team(*ranks, where, transposes_there, &a, NULL, words_of(&a));
            matrix_close(&a);
        }
    }
}

/* --- failures ----------------------------------------------------------------------------------------------------- */

/* What the bad rank does wrong, and what all ranks are told. */
typedef enum mistake {
    NO_MISTAKE,
    IN_IS_NULL,
    OUT_IS_NULL,
    IN_IS_OUT,
    TYPE_IS_NULL,
    OTHER_EXTENTS,
    HUGE_EXTENTS,
    GIVES_LESS,
    WANTS_LESS,
    WANTS_MORE,
    MISTAKES
} mistake;

typedef struct wrong {
    const matrix *a;
    mistake mistake;
} wrong;

static const struct {
    oplus_status status;
    const char *words;
} told[MISTAKES] = {
    [NO_MISTAKE] = {OPLUS_OK, ""},
    [IN_IS_NULL] = {OPLUS_ERR_ARGUMENT, "in is NULL"},
    [OUT_IS_NULL] = {OPLUS_ERR_ARGUMENT, "out is NULL"},
    [IN_IS_OUT] = {OPLUS_ERR_OVERLAP, "overlap; keep them apart"},
    [TYPE_IS_NULL] = {OPLUS_ERR_ARGUMENT, "type is NULL"},
    [OTHER_EXTENTS] = {OPLUS_ERR_ARGUMENT, "all ranks must make the same call"},
    [HUGE_EXTENTS] = {OPLUS_ERR_ARGUMENT, "does not fit the address space; give smaller extents"},
    [GIVES_LESS] = {OPLUS_ERR_ARGUMENT, "the ranks' n are 99 elements together, but 10 rows of 10 are 100"},
    [WANTS_LESS] = {OPLUS_ERR_ARGUMENT, "the ranks' m are 99 elements together, but 10 rows of 10 are 100"},
    [WANTS_MORE] = {OPLUS_ERR_ARGUMENT, "wants 101; want each element on one rank"},
};

static bool is_told(oplus_device *dev, const oplus_comm *comm, const void *given, finding *f)
{
    const wrong *const w = given;
    const matrix *const a = w->a;
    const int q = comm->rank;
    const mistake m = q == a->bad ? w->mistake : NO_MISTAKE;
    const size_t n = cut_count(&a->before, q), room = cut_count(&a->after, q);
    unsigned char *const out = output(&a->p, NULL, room + 101), *const in = at(&a->p, a->p.x, a->before.at[q]);
    const size_t gets = m == WANTS_LESS ? room - 1 : m == WANTS_MORE ? 101 : room;
    const oplus_status status =
        oplus_transpose_all(dev, comm, m == TYPE_IS_NULL ? NULL : a->op.type,
                            m == IN_IS_NULL  ? NULL
                            : m == IN_IS_OUT ? out
                                             : in,
                            n - (m == GIVES_LESS), m == HUGE_EXTENTS ? SIZE_MAX / 2 : a->rows,
                            m == OTHER_EXTENTS ? 20 : a->cols, m == OUT_IS_NULL ? NULL : out, gets);
    if (!failed_as(status, told[w->mistake].status, told[w->mistake].words, f)) return false;
    char words[40];
    snprintf(words, sizeof words, "on rank %d of %d", a->bad, comm->size);
    const bool tells_rank = w->mistake < GIVES_LESS && w->mistake != OTHER_EXTENTS && q != a->bad;
    return !tells_rank || failed_as(status, told[w->mistake].status, words, f);
}

static void mistakes(void **state)
{
    (void)state;
    rng r = test_rng("mistakes");
    for (const int *ranks = team_sizes(); *ranks > 0; ranks++)
        for (int m = NO_MISTAKE + 1; m < MISTAKES; m++) {
            matrix a;
            if (m == OTHER_EXTENTS && *ranks == 1) continue; /* there is no other rank */
            matrix_open(&a, &r, &oplus_f32, 10, 10);
            a.before = cut(&r, CUT_EVENLY, 100, *ranks);
            a.after = cut(&r, CUT_EVENLY, 100, *ranks);
            a.bad = (int)rng_below(&r, (size_t)*ranks);
            const wrong w = {&a, (mistake)m};
            run_team(*ranks, "serial", is_told, &w, NULL, words_of(&a));
            matrix_close(&a);
        }
}

static bool breaks(oplus_device *dev, const oplus_comm *comm, const void *given, finding *f)
{
    matrix tried = *(const matrix *)given, whole = tried;
    whole.bad = -1;
    return break_each_step(dev, comm, transposes_there, &tried, &tried.step, &whole, tried.bad, f) &&
           steps_were(tried.step, 2, f); /* at least memory, and turning or copying */
}

static void breaking(const char *where, bool there)
{
    rng r = test_rng(where);
    for (const int *ranks = team_sizes(); *ranks > 0; ranks++) {
        if (*ranks != 2 && *ranks != 3 && *ranks != 8) continue;
        for (int way = 0; way < 3; way++) {
            matrix a;
            matrix_open(&a, &r, &oplus_f32, 40, 50);
            a.bad = (int)rng_below(&r, (size_t)*ranks);
            a.there[0] = a.there[1] = there;
            a.before = cut(&r, CUT_EVENLY, way == 0 ? a.rows : a.p.max, *ranks);
            for (int q = 0; q <= *ranks && way == 0; q++) a.before.at[q] *= a.cols;
            a.after = cut(&r, way, a.p.max, *ranks);
            run_team(*ranks, where, breaks, &a, NULL, words_of(&a));
            matrix_close(&a);
        }
    }
}

static void broken(void **state)
{
    (void)state;
    breaking("serial", false);
}

static void broken_there(void **state)
{
    const char *const where = device_to_try();
    (void)state;
    if (where == NULL) skip();
    breaking(where, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_cuts),   cmocka_unit_test(all_types),
                                       cmocka_unit_test(whole_rows), cmocka_unit_test(threads),
                                       cmocka_unit_test(devices),    cmocka_unit_test(mistakes),
                                       cmocka_unit_test(broken),     cmocka_unit_test(broken_there)};
    team_begin();
    const int failed = cmocka_run_group_tests_name("ranks: transpose", tests, NULL, NULL);
    team_end();
    return failed;
}
