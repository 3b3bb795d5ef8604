/* Unique, reduce by key, scan by key and group over ranks are those of the whole array, to the bit: however it is cut, if
 * runs span ranks, if ranks have nothing, and wherever the results are left. */
#include "support/team.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 30000, MOST_EXCHANGES = 200 };

/* Problems on a device: with MPI few, as MPI does not see what is computed, and each compiles. */
#ifdef TEST_MPI
enum { DEVICE_TIMES = 2 };
#else
enum { DEVICE_TIMES = 12 };
#endif

OPLUS_STRUCT(slope, float a; float b;)
OPLUS_OP(compose, slope, (1, 0), 0, {
    slope r;
    r.a = a.a * b.a;
    r.b = a.b * b.a + b.b;
    return r;
})
OPLUS_STRUCT(padded, uint8_t kind; uint32_t key;) /* with bytes that nobody compares */
OPLUS_ZIP(is_same_ten, uint8_t, int32_t, int32_t, { return a / 10 == b / 10; })

/* What the keys are, and what compares them. */
typedef struct key_kind {
    const oplus_type *type;
    const oplus_fn *same;
} key_kind;

typedef struct whole {
    key_kind keys;
    const oplus_op *op;
    const oplus_type *index;
    oplus_kind kind;
    oplus_order order;
    oplus_layout layout;
    int room;  /* 0: as many as a rank has; 1: as many as it gets; 2: one less on the bad rank */
    int bad;   /* a rank that gets something */
    bool some; /* only some outputs are wanted */
    size_t n;
    cuts cuts;
    unsigned char *x, *v; /* keys and values */
    /* what one device makes of the whole array: */
    unsigned char *heads_out, *reduced_keys, *reduced, *scanned, *group_keys, *grouped; /* heads_out: of unique */
    unsigned char *counts, *firsts, *inverse;
    size_t runs, groups;
} whole;

static size_t key_of(const whole *w) { return w->keys.type->size; }
static size_t value_of(const whole *w) { return w->op->type->size; }

/* --- a problem ----------------------------------------------------------------------------------------------------- */

static const key_kind kinds_of_keys[] = {
    {&oplus_i32, NULL}, {&oplus_u8, NULL}, {&padded_type, NULL}, {&oplus_f64, NULL}, {&oplus_i32, &is_same_ten_fn}};
enum { KINDS_OF_KEYS = sizeof kinds_of_keys / sizeof *kinds_of_keys };

static void put_key(const whole *w, size_t i, size_t key)
{
    unsigned char *const at = w->x + i * key_of(w);
    if (w->keys.type == &padded_type) {
        const padded p = {(uint8_t)(key % 3), (uint32_t)key};
        memset(at, (int)(i % 7), sizeof p); /* what nobody compares differs */
        memcpy(at + offsetof(padded, kind), &p.kind, sizeof p.kind);
        memcpy(at + offsetof(padded, key), &p.key, sizeof p.key);
    } else if (w->keys.type == &oplus_f64) {
        const double d = key == 0 ? -0.0 : (double)key - 1;
        memcpy(at, &d, sizeof d);
    } else if (w->keys.type == &oplus_u8) {
        at[0] = (uint8_t)key;
    } else {
        const int32_t k = (int32_t)key;
        memcpy(at, &k, sizeof k);
    }
}

static void put_value(const whole *w, rng *r, size_t i)
{
    unsigned char *const at = w->v + i * value_of(w);
    if (w->op == &compose_op) {
        const slope s = {(float)(0.9 + 0.2 * rng_unit(r)), (float)rng_unit(r)};
        memcpy(at, &s, sizeof s);
    } else if (w->op->type == &oplus_f32) {
        const float f = (float)(rng_unit(r) * (rng_below(r, 10) ? 1 : 1e6));
        memcpy(at, &f, sizeof f);
    } else {
        const uint32_t u = (uint32_t)rng_next(r);
        memcpy(at, &u, sizeof u);
    }
}

/* Runs of so many elements at most; 0: of random lengths, few of them long. */
static void put_keys(const whole *w, rng *r, size_t most)
{
    size_t key = 0;
    for (size_t i = 0; i < w->n;) {
        const size_t longest = most ? most : (size_t)1 << rng_below(r, 13);
        const size_t length = most == SIZE_MAX ? w->n : 1 + rng_below(r, longest);
        key = (key + 1 + rng_below(r, 40)) % 100;
        for (size_t end = i + length; i < end && i < w->n; i++) put_key(w, i, key);
    }
}

static void *room(size_t n, size_t size) { return must(calloc(n + 1, size)); }

static whole open_whole(void)
{
    whole w = {.n = 0};
    w.x = room(MOST, 8);
    w.v = room(MOST, 8);
    w.heads_out = room(MOST, 8);
    w.reduced_keys = room(MOST, 8);
    w.reduced = room(MOST, 8);
    w.scanned = room(MOST, 8);
    w.group_keys = room(MOST, 8);
    w.grouped = room(MOST, 8);
    w.counts = room(MOST, 8);
    w.firsts = room(MOST, 8);
    w.inverse = room(MOST, 8);
    return w;
}

static void close_whole(whole *w)
{
    unsigned char *const all[] = {w->x,          w->v,       w->heads_out, w->reduced_keys, w->reduced, w->scanned,
                                  w->group_keys, w->grouped, w->counts,    w->firsts,       w->inverse};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}

static bool can_group(const whole *w) { return w->keys.type != &padded_type; }

/* Asks one core. */
static void solve(whole *w)
{
    oplus_device *serial;
    const oplus_type *const key = w->keys.type;
    must_be_ok(oplus_open("serial", &serial), "serial");
    must_be_ok(oplus_unique(serial, key, w->keys.same, w->x, w->n, w->heads_out, w->index, w->counts, w->firsts,
                            w->inverse, &w->runs),
               "unique");
    must_be_ok(
        oplus_reduce_by_key(serial, w->op, key, w->keys.same, w->x, w->v, w->n, w->reduced_keys, w->reduced, &w->runs),
        "reduce by key");
    must_be_ok(oplus_scan_by_key(serial, w->op, w->kind, key, w->keys.same, w->x, w->v, w->n, w->scanned),
               "scan by key");
    if (can_group(w))
        must_be_ok(oplus_group(serial, w->op, key, w->order, w->x, w->v, w->n, w->group_keys, w->grouped, &w->groups),
                   "group");
    oplus_close(serial);
}

static const cuts *draw(rng *r, void *problem, int ranks, int way)
{
    static const oplus_op *const ops[] = {&oplus_sum_f32, &compose_op, &oplus_sum_u32};
    static const oplus_type *const indices[] = {&oplus_u32, &oplus_u64, &oplus_i32, &oplus_i64};
    static const size_t lengths[] = {0, 0, 1, 3, 5000, SIZE_MAX};
    whole *const w = problem;
    w->keys = kinds_of_keys[rng_below(r, KINDS_OF_KEYS)];
    w->op = ops[rng_below(r, 3)];
    w->index = indices[rng_below(r, 4)];
    w->kind = rng_below(r, 2) ? OPLUS_EXCLUSIVE : OPLUS_INCLUSIVE;
    w->order = rng_below(r, 2) ? OPLUS_DESCENDING : OPLUS_ASCENDING;
    w->layout = rng_below(r, 2) ? OPLUS_EVEN : OPLUS_AS_GIVEN;
    w->some = rng_below(r, 4) == 0;
    w->room = (int)rng_below(r, 2);
    w->n = rng_below(r, (size_t)1 << (1 + rng_below(r, 14)));
    put_keys(w, r, lengths[rng_below(r, 6)]);
    for (size_t i = 0; i < w->n; i++) put_value(w, r, i);
    w->cuts = cut(r, way, w->n, ranks);
    solve(w);
    return &w->cuts;
}

/* --- what a rank must get ------------------------------------------------------------------------------------------ */

static uint64_t number_at(const whole *w, const unsigned char *numbers, size_t i)
{
    uint32_t narrow;
    uint64_t wide;
    if (w->index->size == 8) {
        memcpy(&wide, numbers + i * 8, 8);
        return wide;
    }
    memcpy(&narrow, numbers + i * 4, 4);
    return narrow;
}

static size_t even(size_t n, int q, int ranks)
{
    const size_t longer = n % (size_t)ranks;
    return n / (size_t)ranks * (size_t)q + ((size_t)q < longer ? (size_t)q : longer);
}

/* The first of the runs that rank q gets, if those that begin before an index are so many. */
static size_t first_run(const whole *w, int q)
{
    size_t k = 0;
    if (w->layout == OPLUS_EVEN) return even(w->runs, q, w->cuts.ranks);
    while (k < w->runs && number_at(w, w->firsts, k) < w->cuts.at[q]) k++;
    return k;
}

static size_t capacity_of(const whole *w, int q, size_t gets)
{
    const size_t n = cut_count(&w->cuts, q);
    if (w->room == 0) return n > gets ? n : gets;
    return gets - (w->room == 2 && q == w->bad);
}

static bool is(const void *got, const void *expected, size_t bytes, const char *what, finding *f)
{
    if (bytes == 0 || memcmp(got, expected, bytes) == 0) return true;
    const unsigned char *const g = got, *const e = expected;
    size_t i = 0;
    while (g[i] == e[i]) i++;
    snprintf(f->text, sizeof f->text, "other %s, from byte %zu of %zu on", what, i, bytes);
    return false;
}

static bool are(size_t got, size_t expected, const char *what, finding *f)
{
    if (got == expected) return true;
    snprintf(f->text, sizeof f->text, "%zu %s, expected %zu", got, what, expected);
    return false;
}

/* --- arrays of a rank, in the memory of the host or of the device ---------------------------------------------------- */

enum { ARRAYS = 8 };
typedef struct store {
    oplus_device *dev;
    bool there;
    int count;
    void *mem[ARRAYS], *host[ARRAYS];
} store;

/* Room for n elements of `size` bytes, and for one that must stay as it is. */
static void *array(store *s, const void *from, size_t n, size_t size)
{
    const size_t bytes = (n + 1) * size;
    const int k = s->count++;
    s->host[k] = must(malloc(bytes));
    memset(s->host[k], 0xa5, bytes);
    if (from && n > 0) memcpy(s->host[k], from, n * size);
    s->mem[k] = s->host[k];
    if (!s->there) return s->mem[k];
    must_be_ok(oplus_alloc(s->dev, bytes, &s->mem[k]), "memory");
    must_be_ok(oplus_copy(s->dev, s->mem[k], s->host[k], bytes), "copy");
    return s->mem[k];
}

/* Whether an array begins with these bytes, and has not changed behind them. */
static bool holds(store *s, const void *mem, const void *expected, size_t n, size_t capacity, size_t size,
                  const char *what, finding *f)
{
    int k = 0;
    while (s->mem[k] != mem) k++;
    const unsigned char *const host = s->host[k];
    if (s->there) must_be_ok(oplus_copy(s->dev, s->host[k], mem, (capacity + 1) * size), "copy back");
    if (!is(host, expected, n * size, what, f)) return false;
    for (size_t i = n * size; i < (capacity + 1) * size; i++)
        if (host[i] != 0xa5) {
            snprintf(f->text, sizeof f->text, "%s: something was written behind the %zu that a rank gets", what, n);
            return false;
        }
    return true;
}

static void drop(store *s)
{
    for (int k = 0; k < s->count; k++) {
        if (s->there) oplus_free(s->dev, s->mem[k]);
        free(s->host[k]);
    }
    s->count = 0;
}

/* --- the calls of a rank --------------------------------------------------------------------------------------------- */

typedef struct rank {
    const whole *w;
    oplus_device *dev;
    const oplus_comm *comm;
    size_t at, n;
    store s;
} rank;

static bool says_too_small(oplus_status status, const whole *w, size_t gets, const char *what, finding *f)
{
    char words[160];
    snprintf(words, sizeof words, "capacity on rank %d is %zu, but it gets %zu %.*s; give room for %zu", w->bad,
             gets - 1, gets, (int)strlen(what) - (gets == 1), what, gets);
    return failed_as(status, OPLUS_ERR_ARGUMENT, words, f);
}

/* The runs that the bad rank gets. */
static size_t gets_bad(const whole *w) { return first_run(w, w->bad + 1) - first_run(w, w->bad); }

static bool reduces(rank *a, finding *f)
{
    const whole *const w = a->w;
    const int q = a->comm->rank;
    const size_t first = first_run(w, q), gets = first_run(w, q + 1) - first, capacity = capacity_of(w, q, gets);
    const void *const keys = array(&a->s, w->x + a->at * key_of(w), a->n, key_of(w));
    const void *const values = array(&a->s, w->v + a->at * value_of(w), a->n, value_of(w));
    void *const out_keys = w->some ? NULL : array(&a->s, NULL, capacity, key_of(w));
    void *const out = array(&a->s, NULL, capacity, value_of(w));
    size_t runs = SIZE_MAX;
    const oplus_status status = oplus_reduce_by_key_all(a->dev, a->comm, w->op, w->keys.type, w->keys.same, w->layout,
                                                        keys, values, a->n, out_keys, out, capacity, &runs);
    if (w->room == 2)
        return says_too_small(status, w, gets_bad(w), "runs", f) && are(runs, SIZE_MAX, "runs", f) &&
               holds(&a->s, out, NULL, 0, capacity, value_of(w), "results", f);
    return succeeded(status, f) && are(runs, gets, "runs of a reduce", f) &&
           (!out_keys ||
            holds(&a->s, out_keys, w->reduced_keys + first * key_of(w), gets, capacity, key_of(w), "keys", f)) &&
           holds(&a->s, out, w->reduced + first * value_of(w), gets, capacity, value_of(w), "results", f);
}

static bool scans(rank *a, finding *f)
{
    const whole *const w = a->w;
    const size_t size = value_of(w);
    const void *const keys = array(&a->s, w->x + a->at * key_of(w), a->n, key_of(w));
    void *const values = array(&a->s, w->v + a->at * size, a->n, size);
    void *const out = w->some ? values : array(&a->s, NULL, a->n, size);
    return succeeded(oplus_scan_by_key_all(a->dev, a->comm, w->op, w->kind, w->keys.type, w->keys.same, keys, values,
                                           a->n, out),
                     f) &&
           holds(&a->s, out, w->scanned + a->at * size, a->n, a->n, size, "scan", f);
}

static bool is_unique(rank *a, finding *f)
{
    const whole *const w = a->w;
    const int q = a->comm->rank;
    const size_t first = first_run(w, q), gets = first_run(w, q + 1) - first, capacity = capacity_of(w, q, gets);
    const size_t bytes = w->index->size;
    const void *const in = array(&a->s, w->x + a->at * key_of(w), a->n, key_of(w));
    void *const out = w->some ? NULL : array(&a->s, NULL, capacity, key_of(w));
    void *const counts = array(&a->s, NULL, capacity, bytes);
    void *const firsts = w->some ? NULL : array(&a->s, NULL, capacity, bytes);
    void *const inverse = w->some && w->kind ? NULL : array(&a->s, NULL, a->n, bytes);
    size_t runs = SIZE_MAX;
    const oplus_status status = oplus_unique_all(a->dev, a->comm, w->keys.type, w->keys.same, w->layout, in, a->n, out,
                                                 w->index, counts, firsts, capacity, inverse, &runs);
    if (w->room == 2)
        return says_too_small(status, w, gets_bad(w), "runs", f) &&
               holds(&a->s, counts, NULL, 0, capacity, bytes, "counts", f);
    return succeeded(status, f) && are(runs, gets, "runs", f) &&
           (!out ||
            holds(&a->s, out, w->heads_out + first * key_of(w), gets, capacity, key_of(w), "first elements", f)) &&
           holds(&a->s, counts, w->counts + first * bytes, gets, capacity, bytes, "counts", f) &&
           (!firsts || holds(&a->s, firsts, w->firsts + first * bytes, gets, capacity, bytes, "firsts", f)) &&
           (!inverse || holds(&a->s, inverse, w->inverse + a->at * bytes, a->n, a->n, bytes, "inverse", f));
}

/* Where groups begin among the sorted keys decides which rank gets them. */
static size_t first_group(const whole *w, int q)
{
    const size_t size = key_of(w);
    size_t before = 0, k = 0;
    if (w->layout == OPLUS_EVEN) return even(w->groups, q, w->cuts.ranks);
    for (; k < w->groups && before < w->cuts.at[q]; k++)
        for (size_t i = 0; i < w->n; i++) before += memcmp(w->x + i * size, w->group_keys + k * size, size) == 0;
    return k;
}

static bool groups(rank *a, finding *f)
{
    const whole *const w = a->w;
    const int q = a->comm->rank;
    if (!can_group(w)) return true;
    const size_t first = first_group(w, q), gets = first_group(w, q + 1) - first;
    const size_t capacity = w->room ? gets : gets > a->n ? gets : a->n;
    const void *const keys = array(&a->s, w->x + a->at * key_of(w), a->n, key_of(w));
    const void *const values = array(&a->s, w->v + a->at * value_of(w), a->n, value_of(w));
    void *const out_keys = w->some ? NULL : array(&a->s, NULL, capacity, key_of(w));
    void *const out = array(&a->s, NULL, capacity, value_of(w));
    size_t got = SIZE_MAX;
    return succeeded(oplus_group_all(a->dev, a->comm, w->op, w->keys.type, w->order, w->layout, keys, values, a->n,
                                     out_keys, out, capacity, &got),
                     f) &&
           are(got, gets, "groups", f) &&
           (!out_keys ||
            holds(&a->s, out_keys, w->group_keys + first * key_of(w), gets, capacity, key_of(w), "keys", f)) &&
           holds(&a->s, out, w->grouped + first * value_of(w), gets, capacity, value_of(w), "groups", f) &&
           holds(&a->s, keys, w->x + a->at * key_of(w), a->n, a->n, key_of(w), "keys given", f);
}

static bool make_calls(oplus_device *dev, const oplus_comm *comm, const whole *w, bool there, finding *f)
{
    static bool (*const calls[])(rank *, finding *) = {reduces, scans, is_unique, groups};
    rank a = {w, dev, comm, w->cuts.at[comm->rank], cut_count(&w->cuts, comm->rank), {.dev = dev, .there = there}};
    bool good = true;
    for (size_t i = 0; good && i < sizeof calls / sizeof *calls; i++) {
        if (w->room == 2 && i % 2 == 1) continue; /* scans and groups have tests of room of their own */
        good = calls[i](&a, f);
        drop(&a.s);
    }
    return good;
}

static bool on_a_rank(oplus_device *dev, const oplus_comm *comm, const void *given, finding *f)
{
    return make_calls(dev, comm, given, false, f);
}

/* --- the laws -------------------------------------------------------------------------------------------------------- */

static void over_ranks(void **state)
{
    whole w = open_whole();
    (void)state;
    for (int time = 0; time < (test_quick() ? 2 : 8); time++) {
        char name[40];
        snprintf(name, sizeof name, "runs over ranks, %d", time);
        run_all_teams(name, draw, on_a_rank, &w, MOST_EXCHANGES);
    }
    close_whole(&w);
}

static void on_threads(void **state)
{
    whole w = open_whole();
    rng r = test_rng("runs of ranks with threads");
    (void)state;
    for (int way = 0; way < CUT_WAYS; way++) {
        const cuts *const where = draw(&r, &w, some_ranks(), way);
        run_team(some_ranks(), "threads:2", on_a_rank, &w, NULL, cut_words(where));
    }
    close_whole(&w);
}

static bool there_on_a_rank(oplus_device *dev, const oplus_comm *comm, const void *given, finding *f)
{
    return make_calls(dev, comm, given, true, f) && make_calls(dev, comm, given, false, f);
}

static void on_a_device(void **state)
{
    whole w = open_whole();
    (void)state;
    for (int time = 0; time < (test_quick() ? 2 : DEVICE_TIMES); time++) {
        char name[40];
        snprintf(name, sizeof name, "runs of ranks on a device, %d", time);
        run_team_there(name, draw, there_on_a_rank, &w);
    }
    close_whole(&w);
}

/* --- what is exchanged ----------------------------------------------------------------------------------------------- */

static bool reduces_on_a_rank(oplus_device *dev, const oplus_comm *comm, const void *given, finding *f)
{
    const whole *const w = given;
    rank a = {w, dev, comm, w->cuts.at[comm->rank], cut_count(&w->cuts, comm->rank), {.dev = dev}};
    const bool good = reduces(&a, f);
    drop(&a.s);
    return good;
}

static bool is_unique_on_a_rank(oplus_device *dev, const oplus_comm *comm, const void *given, finding *f)
{
    const whole *const w = given;
    rank a = {w, dev, comm, w->cuts.at[comm->rank], cut_count(&w->cuts, comm->rank), {.dev = dev}};
    const bool good = is_unique(&a, f);
    drop(&a.s);
    return good;
}

static void sends(const whole *w, rank_body body, size_t exchanges, size_t bytes)
{
    traffic sent[MOST_RANKS];
    const size_t ranks = (size_t)w->cuts.ranks;
    run_team(w->cuts.ranks, "serial", body, w, sent, cut_words(&w->cuts));
    for (size_t q = 0; q < ranks; q++)
        if (sent[q].exchanges != exchanges || sent[q].bytes != (ranks - 1) * bytes)
            fail_msg("%s: rank %zu sends %zu bytes in %zu exchanges, expected %zu in %zu", cut_words(&w->cuts), q,
                     sent[q].bytes, sent[q].exchanges, (ranks - 1) * bytes, exchanges);
}

/* What docs/ranks.md says: integers have one node; either every element is a run, or all are one. */
static void few_bytes_are_exchanged(void **state)
{
    whole w = open_whole();
    rng r = test_rng("what runs exchange");
    (void)state;
    for (const int *ranks = team_sizes(); *ranks; ranks++)
        for (int is_one = 0; is_one < 2 && *ranks > 1; is_one++) {
            w.keys = kinds_of_keys[0];
            w.op = &oplus_sum_u32;
            w.index = &oplus_u64;
            w.layout = OPLUS_AS_GIVEN;
            w.room = 0;
            w.n = 1000;
            for (size_t i = 0; i < w.n; i++) put_key(&w, i, is_one ? 7 : i);
            for (size_t i = 0; i < w.n; i++) put_value(&w, &r, i);
            w.cuts = cut(&r, CUT_EVENLY, w.n, *ranks);
            solve(&w);
            sends(&w, reduces_on_a_rank, 5, 312 + 2 * 4 + (is_one ? 8 : 0)); /* 1 + 1 (4 + 2), rounded up */
            sends(&w, is_unique_on_a_rank, 4, 304 + 2 * 4);
        }
    close_whole(&w);
}

/* --- too little room on one rank ------------------------------------------------------------------------------------- */

static void too_little_room(void **state)
{
    whole w = open_whole();
    rng r = test_rng("runs without room");
    (void)state;
    for (const int *ranks = team_sizes(); *ranks; ranks++)
        for (int way = 0; way < CUT_WAYS; way++) {
            const cuts *const where = draw(&r, &w, *ranks, way);
            w.room = 2;
            w.some = false;
            for (w.bad = 0; w.bad < *ranks && gets_bad(&w) == 0;) w.bad++;
            if (w.bad < *ranks) run_team(*ranks, "serial", on_a_rank, &w, NULL, cut_words(where));
        }
    close_whole(&w);
}

/* --- what is wrong on one rank is told on all ----------------------------------------------------------------------- */

static bool is_told(oplus_device *dev, const oplus_comm *comm, const void *given, finding *f)
{
    const int bad = *(const int *)given;
    const bool odd = comm->rank == bad, alone = comm->size == 1;
    const int32_t keys[] = {1, 1, 2, 2};
    const float values[] = {1, 2, 3, 4};
    const char *const differ = "all ranks must make the same call";
    int32_t out_keys[4];
    float out[4];
    uint32_t counts[4];
    size_t runs;
    char words[80];
    snprintf(words, sizeof words, "out_keys is NULL on rank %d, but not on rank", bad);
    if (!alone && !failed_as(oplus_reduce_by_key_all(dev, comm, &oplus_sum_f32, &oplus_i32, NULL, OPLUS_EVEN, keys,
                                                     values, 4, odd ? NULL : out_keys, out, 4, &runs),
                             OPLUS_ERR_ARGUMENT, words, f))
        return false;
    snprintf(words, sizeof words, "counts is NULL on rank %d, but not on rank", bad);
    if (!alone && !failed_as(oplus_unique_all(dev, comm, &oplus_i32, NULL, OPLUS_AS_GIVEN, keys, 4, out_keys,
                                              &oplus_u32, odd ? NULL : counts, NULL, 4, NULL, &runs),
                             OPLUS_ERR_ARGUMENT, words, f))
        return false;
    if (!alone && !failed_as(oplus_unique_all(dev, comm, &oplus_i32, NULL, OPLUS_AS_GIVEN, keys, 4, out_keys,
                                              odd ? &oplus_i32 : &oplus_u32, counts, NULL, 4, NULL, &runs),
                             OPLUS_ERR_ARGUMENT, differ, f))
        return false;
    if (!alone && !failed_as(oplus_scan_by_key_all(dev, comm, &oplus_sum_f32, OPLUS_INCLUSIVE, &oplus_i32,
                                                   odd ? &is_same_ten_fn : NULL, keys, values, 4, out),
                             OPLUS_ERR_ARGUMENT, differ, f))
        return false;
    if (!alone &&
        !failed_as(oplus_group_all(dev, comm, &oplus_sum_f32, &oplus_i32, odd ? OPLUS_DESCENDING : OPLUS_ASCENDING,
                                   OPLUS_AS_GIVEN, keys, values, 4, out_keys, out, 4, &runs),
                   OPLUS_ERR_ARGUMENT, differ, f))
        return false;
    return failed_as(oplus_unique_all(dev, comm, &oplus_i32, NULL, OPLUS_EVEN, keys, 4, out_keys, NULL, counts, NULL, 4,
                                      NULL, odd ? &runs : NULL),
                     OPLUS_ERR_ARGUMENT, alone || odd ? "index is NULL" : "", f) &&
           failed_as(oplus_reduce_by_key_all(dev, comm, &oplus_sum_f32, &oplus_i32, NULL, OPLUS_EVEN, keys, values, 4,
                                             odd ? (void *)keys : out_keys, out, 4, &runs),
                     OPLUS_ERR_OVERLAP, "overlap; keep them apart", f) &&
           failed_as(oplus_reduce_by_key_all(dev, comm, &oplus_sum_f32, &oplus_i32, NULL, OPLUS_AS_GIVEN, keys, values,
                                             4, out_keys, odd ? NULL : out, 4, &runs),
                     OPLUS_ERR_ARGUMENT, "out is NULL though capacity is 4; give memory for 4 results", f);
}

/* The macros that know the types, for a run that spans all ranks. */
static bool types_are_known(oplus_device *dev, const oplus_comm *comm, const void *given, finding *f)
{
    const int32_t keys[] = {7, 7, 7};
    const float values[] = {1, 2, 3};
    int32_t out_keys[3], unique[3];
    float out[3] = {0}, sums[3] = {0}, scanned[3];
    uint64_t counts[3] = {0}, firsts[3] = {1}, inverse[3];
    size_t runs[3];
    const bool first = comm->rank == 0;
    const uint64_t all = 3 * (uint64_t)comm->size;
    const float sum = 6 * (float)comm->size;
    (void)given;
    return succeeded(OPLUS_REDUCE_BY_KEY_ALL(dev, comm, OPLUS_SUM(values), OPLUS_AS_GIVEN, keys, values, 3, out_keys,
                                             out, 3, &runs[0]),
                     f) &&
           succeeded(OPLUS_SCAN_BY_KEY_ALL(dev, comm, OPLUS_SUM(values), OPLUS_INCLUSIVE, keys, values, 3, scanned),
                     f) &&
           succeeded(OPLUS_UNIQUE_ALL(dev, comm, OPLUS_AS_GIVEN, keys, 3, unique, counts, firsts, 3, inverse, &runs[1]),
                     f) &&
           succeeded(OPLUS_GROUP_ALL(dev, comm, OPLUS_SUM(values), OPLUS_DESCENDING, OPLUS_EVEN, keys, values, 3,
                                     out_keys, sums, 3, &runs[2]),
                     f) &&
           are(runs[0], first, "runs", f) && are(runs[1], first, "runs", f) && are(runs[2], first, "groups", f) &&
           are(inverse[2], 0, "is the number of the run", f) &&
           are((size_t)scanned[2], 6 * ((size_t)comm->rank + 1), "is the sum so far", f) &&
           (!first || (is(&out[0], &sum, sizeof sum, "sum", f) && is(&sums[0], &sum, sizeof sum, "sum of a group", f) &&
                       are((size_t)counts[0], (size_t)all, "elements", f) && are((size_t)firsts[0], 0, "is first", f)));
}

static void macros_know_types(void **state)
{
    (void)state;
    for (const int *ranks = team_sizes(); *ranks; ranks++)
        run_team(*ranks, "serial", types_are_known, NULL, NULL, "macros");
}

/* No output is wanted: the capacity is ignored, whatever it is. */
static bool are_counted(oplus_device *dev, const oplus_comm *comm, const void *given, finding *f)
{
    const int32_t keys[] = {7, 7, 7};
    size_t runs = 9;
    (void)given;
    return succeeded(oplus_unique_all(dev, comm, &oplus_i32, NULL, OPLUS_AS_GIVEN, keys, 3, NULL, NULL, NULL, NULL,
                                      SIZE_MAX, NULL, &runs),
                     f) &&
           are(runs, comm->rank == 0, "runs", f);
}

static void only_their_number(void **state)
{
    (void)state;
    for (const int *ranks = team_sizes(); *ranks; ranks++)
        run_team(*ranks, "serial", are_counted, NULL, NULL, "a count of runs");
}

static void all_are_told(void **state)
{
    (void)state;
    for (int bad = 0; bad < some_ranks(); bad++) run_team(some_ranks(), "serial", is_told, &bad, NULL, "a wrong call");
}

int main(void)
{
    team_begin();
    const struct CMUnitTest tests[] = {cmocka_unit_test(over_ranks),        cmocka_unit_test(on_threads),
                                       cmocka_unit_test(on_a_device),       cmocka_unit_test(few_bytes_are_exchanged),
                                       cmocka_unit_test(too_little_room),   cmocka_unit_test(macros_know_types),
                                       cmocka_unit_test(only_their_number), cmocka_unit_test(all_are_told)};
    const int failed = cmocka_run_group_tests_name("runs over ranks", tests, NULL, NULL);
    team_end();
    return failed;
}
