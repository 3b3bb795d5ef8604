/* Filter over ranks is the plain loop, however the array is cut, and wherever the result is left.  An element travels
 * at most once, and only if it changes its rank. */
#include "support/broken.h"
#include "support/team.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    NOTE_BYTES = 256, /* bytes that a rank tells each other rank: its call, */
    WORD_BYTES = 8,   /* whether all is well, */
    KEPT_BYTES = 16   /* the same, and how many elements it keeps */
};

OPLUS_STRUCT(tagged, uint32_t key; uint32_t place;)
OPLUS_PREDICATE_WITH(below_u8, uint8_t, uint32_t, { return a < p; })
OPLUS_PREDICATE_WITH(below_u16, uint16_t, uint32_t, { return a % 256u < p; })
OPLUS_PREDICATE_WITH(below_small3, small3, uint32_t, { return a.shift < p; })
OPLUS_PREDICATE_WITH(below_tagged, tagged, uint32_t, { return a.key % 256u < p; })
OPLUS_PREDICATE_WITH(not_below_tagged, tagged, uint32_t, { return !(a.key % 256u < p); })
OPLUS_PREDICATE_INDEXED_WITH(below_index, uint32_t, uint32_t, { return (a + i) % 256u < p; })
OPLUS_PREDICATE_WITH(below_huge5000, huge5000, uint32_t, { return a.v[0] % 256u < p; })

/* A predicate looks at one byte of an element.  Random bytes are below 256, so that p decides how many are kept. */
typedef struct kind {
    const oplus_fn *keep;
    size_t byte;
    bool indexed; /* the index of the element is added to the byte */
} kind;
static const kind kinds[] = {{&below_u8_fn, 0, false},     {&below_u16_fn, 0, false},      {&below_small3_fn, 1, false},
                             {&below_tagged_fn, 0, false}, {&below_huge5000_fn, 0, false}, {&below_index_fn, 0, true}};
enum { KINDS_OF_ELEMENTS = sizeof kinds / sizeof *kinds, TAGGED = 3, LARGE = 4 };

typedef enum room { ROOMY, EXACT, SHORT /* SHORT: by one element, on the bad rank */ } room;

typedef struct subset {
    problem p; /* its type and its x are used */
    oplus_op op;
    subject s;
    oplus_fn keep;
    uint32_t limit;
    unsigned char *y; /* what the plain loop keeps */
    cuts before;      /* of x */
    cuts kept, even;  /* cuts of y */
    oplus_layout layout;
    bool in_place;
    bool there[2]; /* whether x and y are in the device's memory */
    room room;
    int bad;     /* the rank that does something wrong, */
    size_t step; /* and the step in which its device breaks */
} subset;

/* --- a problem ---------------------------------------------------------------------------------------------------- */

static void subset_open(subset *a, rng *r, const kind *kind, size_t n, uint32_t limit)
{
    const oplus_type *const type = kind->keep->input[0];
    memset(a, 0, sizeof *a);
    a->op.type = type;
    a->s.op = &a->op;
    a->p = (problem){.s = &a->s, .size = type->size, .max = n};
    a->limit = limit;
    a->keep = oplus_with(kind->keep, &a->limit);
    a->bad = -1;
    a->p.x = must(malloc(n * type->size + 1));
    a->y = must(malloc(n * type->size + 1));
    for (size_t i = 0; i < n * type->size; i++) a->p.x[i] = (unsigned char)rng_next(r);
}

static void subset_close(subset *a)
{
    free(a->p.x);
    free(a->y);
}

static bool keeps(const subset *a, const kind *kind, size_t i)
{
    const size_t byte = at(&a->p, a->p.x, i)[kind->byte];
    return (kind->indexed ? (byte + i) % 256 : byte) < a->limit;
}

/* Computes y by the plain loop, and what each rank keeps of it. */
static void cut_subset(subset *a, rng *r, const kind *kind, int way, int ranks)
{
    size_t kept = 0;
    a->before = cut(r, way, a->p.max, ranks);
    a->kept.ranks = a->even.ranks = ranks;
    for (int q = 0; q < ranks; q++) {
        a->kept.at[q] = kept;
        for (size_t i = a->before.at[q]; i < a->before.at[q + 1]; i++)
            if (keeps(a, kind, i)) memcpy(at(&a->p, a->y, kept++), at(&a->p, a->p.x, i), a->p.size);
    }
    a->kept.at[ranks] = kept;
    for (int q = 0; q <= ranks; q++) {
        const size_t longer = kept % (size_t)ranks;
        a->even.at[q] = kept / (size_t)ranks * (size_t)q + ((size_t)q < longer ? (size_t)q : longer);
    }
}

static const cuts *after(const subset *a) { return a->layout == OPLUS_AS_GIVEN ? &a->kept : &a->even; }

static const char *words_of(const subset *a)
{
    static const char *const rooms[] = {"with room", "without more room", "with too little room"};
    static char words[1200];
    snprintf(words, sizeof words, "limit %u, %s, %s%s, of %zu bytes, %s", a->limit,
             a->layout == OPLUS_AS_GIVEN ? "as given" : "even", rooms[a->room], a->in_place ? ", in place" : "",
             a->p.size, cut_words(&a->before));
    return words;
}

/* The bad rank has room for one element less than it gets. */
static size_t capacity_of(const subset *a, int rank)
{
    const size_t n = cut_count(&a->before, rank), gets = cut_count(after(a), rank);
    if (a->room == ROOMY) return n > gets ? n : gets;
    return gets - (a->room == SHORT && rank == a->bad);
}

/* --- it is the plain loop ----------------------------------------------------------------------------------------- */

static bool all_are(const unsigned char *bytes, unsigned char value, size_t n)
{
    size_t i = 0;
    while (i < n && bytes[i] == value) i++;
    return i == n;
}

/* Nothing has been written to out, which had so many elements of x, or none. */
static bool is_untouched(const subset *a, const unsigned char *out, const unsigned char *x, size_t n, size_t elements,
                         finding *f)
{
    if (a->in_place) return same(&a->p, out, x, n, f);
    if (all_are(out, 0xa5, elements * a->p.size)) return true;
    snprintf(f->text, sizeof f->text, "something was written by a call that failed");
    return false;
}

static bool says_too_small(const subset *a, oplus_status status, finding *f)
{
    char words[200];
    const size_t takes = cut_count(after(a), a->bad);
    snprintf(words, sizeof words, "capacity on rank %d is %zu, but it gets %zu element%s; give room for %zu", a->bad,
             takes - 1, takes, takes == 1 ? "" : "s", takes);
    if (status == OPLUS_ERR_ARGUMENT && strstr(oplus_last_error(), words) != NULL) return true;
    snprintf(f->text, sizeof f->text, "expected \"%s\", but it is a %s: %s", words, oplus_status_string(status),
             status == OPLUS_OK ? "" : oplus_last_error());
    return false;
}

static bool kept_as_many(size_t kept, size_t expected, finding *f)
{
    if (kept == expected) return true;
    snprintf(f->text, sizeof f->text, "kept is %zu, expected %zu", kept, expected);
    return false;
}

static bool filters(oplus_device *dev, const oplus_comm *comm, const void *given, finding *f)
{
    const subset *const a = given;
    const int q = comm->rank;
    const size_t n = cut_count(&a->before, q), capacity = capacity_of(a, q), gets = cut_count(after(a), q);
    const size_t elements = a->in_place && capacity < n ? n : capacity;
    const unsigned char *const x = at(&a->p, a->p.x, a->before.at[q]);
    unsigned char *const out = output(&a->p, NULL, elements);
    size_t kept = SIZE_MAX;
    if (a->in_place && n > 0) memcpy(out, x, n * a->p.size);
    const oplus_status status =
        oplus_filter_all(dev, comm, &a->keep, a->layout, a->in_place ? out : x, n, out, capacity, &kept);
    if (!kept_inside(f)) return false;
    if (a->room == SHORT) return says_too_small(a, status, f) && is_untouched(a, out, x, n, elements, f);
    return succeeded(status, f) && kept_as_many(kept, gets, f) &&
           same(&a->p, out, at(&a->p, a->y, after(a)->at[q]), gets, f);
}

static size_t common(const cuts *c, const cuts *d, int q, int r)
{
    const size_t begin = c->at[q] > d->at[r] ? c->at[q] : d->at[r];
    const size_t end = c->at[q + 1] < d->at[r + 1] ? c->at[q + 1] : d->at[r + 1];
    return begin < end ? end - begin : 0;
}

static traffic expected_traffic(const subset *a, int q)
{
    const int p = a->before.ranks;
    const size_t others = (size_t)p - 1;
    bool moves = false, roomy = true;
    for (int r = 0; r < p; r++) {
        moves |= a->kept.at[r] != a->even.at[r];
        roomy &= capacity_of(a, r) >= cut_count(&a->before, r);
    }
    if (a->layout == OPLUS_AS_GIVEN || p == 1)
        return (traffic){roomy ? 2 : 3, others * (NOTE_BYTES + (roomy ? 1 : 2) * WORD_BYTES)};
    return (traffic){moves ? 4 : 3, others * (NOTE_BYTES + KEPT_BYTES + WORD_BYTES) +
                                        (cut_count(&a->kept, q) - common(&a->kept, &a->even, q, q)) * a->p.size};
}

static void check_traffic(const subset *a, const traffic *sent)
{
    for (int q = 0; q < a->before.ranks; q++) {
        const traffic e = expected_traffic(a, q);
        if (sent[q].exchanges != e.exchanges || sent[q].bytes != e.bytes)
            fail_msg("%s: rank %d sends %zu bytes in %zu exchanges, expected %zu in %zu", words_of(a), q, sent[q].bytes,
                     sent[q].exchanges, e.bytes, e.exchanges);
    }
}

/* A rank that gets something, and is to get too little room; -1: there is none. */
static int some_receiver(const subset *a, rng *r)
{
    const int p = a->before.ranks, first = (int)rng_below(r, (size_t)p);
    for (int i = 0; i < p; i++)
        if (cut_count(after(a), (first + i) % p) > 0) return (first + i) % p;
    return -1;
}

static void try_rooms(subset *a, rng *r, const char *where)
{
    traffic sent[MOST_RANKS];
    for (int room = ROOMY; room <= SHORT; room++)
        for (int layout = OPLUS_AS_GIVEN; layout <= OPLUS_EVEN; layout++) {
            a->room = (enum room)room;
            a->layout = (oplus_layout)layout;
            a->in_place = rng_below(r, 2);
            a->bad = room == SHORT ? some_receiver(a, r) : -1;
            if (room == SHORT && a->bad < 0) continue;
            run_team(a->before.ranks, where, filters, a, sent, words_of(a));
            if (room != SHORT) check_traffic(a, sent);
        }
}

/* None, all, half, few of them. */
static void all_cuts(void **state)
{
    static const uint32_t limits[] = {0, 256, 128, 5};
    (void)state;
    rng r = test_rng("filter");
    for (const int *ranks = team_sizes(); *ranks > 0; ranks++)
        for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
            for (int way = 0; way < CUT_WAYS; way++) {
                const size_t k = rng_below(&r, KINDS_OF_ELEMENTS);
                const size_t n = rng_below(&r, 5) == 0 ? rng_below(&r, 20) : rng_below(&r, k == LARGE ? 100 : 5000);
                subset a;
                subset_open(&a, &r, &kinds[k], n, limits[i]);
                cut_subset(&a, &r, &kinds[k], way, *ranks);
                try_rooms(&a, &r, "serial");
                subset_close(&a);
            }
}

/* Large enough that threads share the work. */
static void threads(void **state)
{
    (void)state;
    rng r = test_rng("threads");
    for (const int *ranks = team_sizes(); *ranks > 0; ranks++) {
        if (*ranks > 4) continue;
        for (int way = 0; way < CUT_WAYS; way++) {
            subset a;
            subset_open(&a, &r, &kinds[TAGGED], 300007, (uint32_t)rng_below(&r, 257));
            cut_subset(&a, &r, &kinds[TAGGED], way, *ranks);
            try_rooms(&a, &r, "threads:2");
            subset_close(&a);
        }
    }
}

/* --- a law -------------------------------------------------------------------------------------------------------- */

/* filter(p) and filter(!p) are two subsequences that together are all of x. */
static bool parts(oplus_device *dev, const oplus_comm *comm, const void *given, finding *f)
{
    const subset *const a = given;
    const int q = comm->rank;
    const size_t n = cut_count(&a->before, q), size = a->p.size;
    const unsigned char *const x = at(&a->p, a->p.x, a->before.at[q]);
    const oplus_fn not_kept = oplus_with(&not_below_tagged_fn, &a->limit);
    tagged *const yes = must(malloc(n * size + 1)), *const no = must(malloc(n * size + 1));
    size_t kept = 0, left = 0, i = 0, j = 0;
    bool good = succeeded(oplus_filter_all(dev, comm, &a->keep, OPLUS_AS_GIVEN, x, n, yes, n, &kept), f) &&
                succeeded(oplus_filter_all(dev, comm, &not_kept, OPLUS_AS_GIVEN, x, n, no, n, &left), f) &&
                kept_as_many(kept + left, n, f);
    for (size_t k = 0; k < n && good; k++) {
        const unsigned char *const element = x + k * size;
        const bool is_kept = i < kept && memcmp(&yes[i], element, size) == 0;
        good = is_kept || (j < left && memcmp(&no[j], element, size) == 0);
        if (is_kept)
            i++;
        else
            j++;
        if (!good) snprintf(f->text, sizeof f->text, "element %zu is in neither part", k);
    }
    free(yes);
    free(no);
    return good;
}

static void complement(void **state)
{
    (void)state;
    rng r = test_rng("complement");
    for (const int *ranks = team_sizes(); *ranks > 0; ranks++) {
        subset a;
        subset_open(&a, &r, &kinds[TAGGED], rng_below(&r, 20000), (uint32_t)rng_below(&r, 257));
        cut_subset(&a, &r, &kinds[TAGGED], CUT_ANYHOW, *ranks);
        run_team(*ranks, "serial", parts, &a, NULL, words_of(&a));
        subset_close(&a);
    }
}

/* --- on a device -------------------------------------------------------------------------------------------------- */

static bool filters_there(oplus_device *dev, const oplus_comm *comm, const void *given, finding *f)
{
    const subset *const a = given;
    const int q = comm->rank;
    const size_t n = cut_count(&a->before, q), capacity = capacity_of(a, q), gets = cut_count(after(a), q);
    const size_t size = a->p.size;
    const unsigned char *const x = at(&a->p, a->p.x, a->before.at[q]);
    unsigned char *const out = output(&a->p, NULL, capacity);
    void *from = NULL, *to = NULL;
    size_t kept = SIZE_MAX;
    bool good = succeeded(oplus_alloc(dev, n * size, &from), f) &&
                succeeded(oplus_alloc(dev, capacity * size, &to), f) &&
                succeeded(oplus_copy(dev, from, x, n * size), f);
    if (good) {
        if (a->bad == q) break_device(dev, a->step);
        const oplus_status status = oplus_filter_all(dev, comm, &a->keep, a->layout, a->there[0] ? from : x, n,
                                                     a->there[1] ? to : out, capacity, &kept);
        if (a->bad == q) mend_device(dev);
        good = succeeded(status, f);
    }
    if (good && a->there[1]) good = succeeded(oplus_copy(dev, out, to, gets * size), f);
    oplus_free(dev, from);
    oplus_free(dev, to);
    return good && kept_inside(f) && kept_as_many(kept, gets, f) &&
           same(&a->p, out, at(&a->p, a->y, after(a)->at[q]), gets, f);
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
            subset a;
            subset_open(&a, &r, &kinds[TAGGED], rng_below(&r, 30000), (uint32_t)rng_below(&r, 257));
            a.there[0] = time % 4 != 2;
            a.there[1] = time % 4 != 1;
            a.layout = time % 2 ? OPLUS_EVEN : OPLUS_AS_GIVEN;
            a.room = rng_below(&r, 2) ? EXACT : ROOMY;
            cut_subset(&a, &r, &kinds[TAGGED], time / 4, *ranks);
            run_team(*ranks, where, filters_there, &a, NULL, words_of(&a));
            subset_close(&a);
        }
    }
}

/* --- failures ----------------------------------------------------------------------------------------------------- */

/* What the bad rank does wrong, and what all ranks are told. */
typedef enum mistake {
    NO_MISTAKE,
    KEEP_IS_NULL,
    NO_SUCH_LAYOUT,
    OTHER_LAYOUT,
    OUT_IS_NULL,
    IN_IS_NULL,
    HUGE_N,
    KEPT_IS_NULL,
    INSIDE,
    MISTAKES
} mistake;

typedef struct wrong {
    const subset *a;
    mistake mistake;
} wrong;

static const struct {
    oplus_status status;
    const char *words;
} told[MISTAKES] = {
    [NO_MISTAKE] = {OPLUS_OK, ""},
    [KEEP_IS_NULL] = {OPLUS_ERR_ARGUMENT, "keep is NULL"},
    [NO_SUCH_LAYOUT] = {OPLUS_ERR_ARGUMENT, "layout is 7; give OPLUS_AS_GIVEN (0) or OPLUS_EVEN (1)"},
    [OTHER_LAYOUT] = {OPLUS_ERR_ARGUMENT, "all ranks must make the same call"},
    [OUT_IS_NULL] = {OPLUS_ERR_ARGUMENT, "out is NULL though capacity is "},
    [IN_IS_NULL] = {OPLUS_ERR_ARGUMENT, "in is NULL"},
    [HUGE_N] = {OPLUS_ERR_ARGUMENT, "does not fit the address space"},
    [KEPT_IS_NULL] = {OPLUS_ERR_ARGUMENT, "kept is NULL"},
    [INSIDE] = {OPLUS_ERR_OVERLAP, "overlap; keep them apart"},
};

static bool is_told(oplus_device *dev, const oplus_comm *comm, const void *given, finding *f)
{
    const wrong *const w = given;
    const subset *const a = w->a;
    const int q = comm->rank;
    const mistake m = q == a->bad ? w->mistake : NO_MISTAKE;
    const size_t n = cut_count(&a->before, q);
    const unsigned char *const x = at(&a->p, a->p.x, a->before.at[q]);
    unsigned char *const out = output(&a->p, NULL, a->p.max);
    const void *const in = m == IN_IS_NULL ? NULL : m == INSIDE ? out - a->p.size : x;
    const oplus_layout other = a->layout == OPLUS_AS_GIVEN ? OPLUS_EVEN : OPLUS_AS_GIVEN;
    size_t kept = SIZE_MAX;
    const oplus_status status = oplus_filter_all(dev, comm, m == KEEP_IS_NULL ? NULL : &a->keep,
                                                 m == NO_SUCH_LAYOUT ? (oplus_layout)7
                                                 : m == OTHER_LAYOUT ? other
                                                                     : a->layout,
                                                 in, m == HUGE_N ? SIZE_MAX / 2 : n, m == OUT_IS_NULL ? NULL : out,
                                                 a->p.max, m == KEPT_IS_NULL ? NULL : &kept);
    if (!failed_as(status, told[w->mistake].status, told[w->mistake].words, f)) return false;
    char words[40];
    snprintf(words, sizeof words, "on rank %d of %d", a->bad, comm->size);
    const bool tells_rank = w->mistake != OTHER_LAYOUT && q != a->bad;
    return kept_as_many(kept, SIZE_MAX, f) && (!tells_rank || failed_as(status, told[w->mistake].status, words, f));
}

static void mistakes(void **state)
{
    (void)state;
    rng r = test_rng("mistakes");
    for (const int *ranks = team_sizes(); *ranks > 0; ranks++)
        for (int m = NO_MISTAKE + 1; m < MISTAKES; m++) {
            subset a;
            if (m == OTHER_LAYOUT && *ranks == 1) continue; /* there is no other rank */
            subset_open(&a, &r, &kinds[TAGGED], 100, 128);
            cut_subset(&a, &r, &kinds[TAGGED], CUT_EVENLY, *ranks);
            a.layout = rng_below(&r, 2) ? OPLUS_EVEN : OPLUS_AS_GIVEN;
            a.bad = (int)rng_below(&r, (size_t)*ranks);
            const wrong w = {&a, (mistake)m};
            run_team(*ranks, "serial", is_told, &w, NULL, words_of(&a));
            subset_close(&a);
        }
}

static bool breaks(oplus_device *dev, const oplus_comm *comm, const void *given, finding *f)
{
    subset tried = *(const subset *)given, whole = tried;
    whole.bad = -1;
    return break_each_step(dev, comm, filters_there, &tried, &tried.step, &whole, tried.bad, f) &&
           steps_were(tried.step, 1, f); /* at least filtering itself */
}

static void breaking(const char *where, bool there)
{
    rng r = test_rng(where);
    for (const int *ranks = team_sizes(); *ranks > 0; ranks++) {
        if (*ranks != 2 && *ranks != 3 && *ranks != 8) continue;
        for (int way = 0; way < 4; way++) {
            subset a;
            subset_open(&a, &r, &kinds[TAGGED], 3000, 128);
            a.layout = way % 2 ? OPLUS_EVEN : OPLUS_AS_GIVEN;
            a.room = way < 2 ? ROOMY : EXACT;
            a.bad = (int)rng_below(&r, (size_t)*ranks);
            a.there[0] = a.there[1] = there;
            cut_subset(&a, &r, &kinds[TAGGED], way < 2 ? CUT_ANYHOW : CUT_EVENLY, *ranks);
            run_team(*ranks, where, breaks, &a, NULL, words_of(&a));
            subset_close(&a);
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
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_cuts), cmocka_unit_test(threads), cmocka_unit_test(complement),  cmocka_unit_test(devices),
        cmocka_unit_test(mistakes), cmocka_unit_test(broken),  cmocka_unit_test(broken_there)};
    team_begin();
    const int failed = cmocka_run_group_tests_name("ranks: filter", tests, NULL, NULL);
    team_end();
    return failed;
}
