/* What goes wrong on one rank goes wrong on all of them, with its reason, and nobody waits for ever: wrong arguments,
 * calls that differ, lack of memory, a device or a transport that fails, a rank that is gone.
 *
 * The linker sends the library's calls of malloc and its kin through the __wrap_ functions here (errors.link). */
#include "support/broken.h"
#include "support/team.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- the allocator that fails, for one thread --------------------------------------------------------------------- */

static _Thread_local size_t failing; /* counts down to the allocation that fails; 0: none */

static bool fails(void) { return failing > 0 && --failing == 0; }

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *mem, size_t bytes);
void *__real_aligned_alloc(size_t align, size_t bytes);
int __real_posix_memalign(void **mem, size_t align, size_t bytes);

void *__wrap_malloc(size_t bytes) { return fails() ? NULL : __real_malloc(bytes); }
void *__wrap_calloc(size_t n, size_t size) { return fails() ? NULL : __real_calloc(n, size); }
void *__wrap_realloc(void *mem, size_t bytes) { return fails() ? NULL : __real_realloc(mem, bytes); }
void *__wrap_aligned_alloc(size_t align, size_t bytes) { return fails() ? NULL : __real_aligned_alloc(align, bytes); }
int __wrap_posix_memalign(void **mem, size_t align, size_t bytes)
{
    return fails() ? 12 /* ENOMEM */ : __real_posix_memalign(mem, align, bytes);
}

/* --- every call over ranks ---------------------------------------------------------------------------------------- */

enum {
    FEW = 600,    /* elements of a rank, whose carries go with the first exchange */
    MANY = 30000, /* elements of a rank, whose carries need an exchange of their own */
    COLS = 30
};

OPLUS_SEMIGROUP(later, float, 0, { return a == b ? a : b; })
OPLUS_PREDICATE(positive, float, { return a > 0; })
OPLUS_PREDICATE(negative, float, { return a < 0; })

/* Arguments; each call takes some of them. */
typedef struct args {
    oplus_device *dev;
    const oplus_comm *comm;
    const oplus_op *op;
    oplus_kind kind;
    const oplus_fn *keep;
    const oplus_type *type, *value;
    oplus_order order;
    oplus_layout layout;
    const float *in, *init;
    const uint8_t *heads;
    float *out; /* the array that is sorted lies here */
    uint32_t *values;
    size_t n, m, rows, cols;
    size_t *count; /* number of kept elements, or of keys */
} args;

static oplus_status reduce(const args *a) { return oplus_reduce_all(a->dev, a->comm, a->op, a->in, a->n, a->out); }
static oplus_status fold(const args *a) { return oplus_fold_all(a->dev, a->comm, a->op, a->init, a->in, a->n, a->out); }
static oplus_status scan(const args *a) { return oplus_scan_all(a->dev, a->comm, a->op, a->kind, a->in, a->n, a->out); }
static oplus_status segscan(const args *a)
{
    return oplus_segscan_all(a->dev, a->comm, a->op, a->kind, a->in, a->heads, a->n, a->out);
}
static oplus_status filter(const args *a)
{
    return oplus_filter_all(a->dev, a->comm, a->keep, a->layout, a->in, a->n, a->out, a->m, a->count);
}
static oplus_status sort(const args *a)
{
    return oplus_sort_all(a->dev, a->comm, a->type, a->order, a->layout, a->out, a->count, a->m);
}
static oplus_status sort_pairs(const args *a)
{
    return oplus_sort_pairs_all(a->dev, a->comm, a->type, a->order, a->layout, a->out, a->value, a->values, a->count,
                                a->m);
}
static oplus_status transpose(const args *a)
{
    return oplus_transpose_all(a->dev, a->comm, a->type, a->in, a->n, a->rows, a->cols, a->out, a->m);
}

static oplus_status reduce_by_key(const args *a)
{
    return oplus_reduce_by_key_all(a->dev, a->comm, a->op, a->type, NULL, a->layout, a->heads, a->in, a->n, a->values,
                                   a->out, a->m, a->count);
}
static oplus_status scan_by_key(const args *a)
{
    return oplus_scan_by_key_all(a->dev, a->comm, a->op, a->kind, a->type, NULL, a->heads, a->in, a->n, a->out);
}
static oplus_status unique(const args *a)
{
    return oplus_unique_all(a->dev, a->comm, a->type, NULL, a->layout, a->heads, a->n, a->out, &oplus_u32, a->values,
                            NULL, a->m, NULL, a->count);
}
static oplus_status group(const args *a)
{
    return oplus_group_all(a->dev, a->comm, a->op, a->type, a->order, a->layout, a->heads, a->in, a->n, a->values,
                           a->out, a->m, a->count);
}

static oplus_status histogram(const args *a)
{
    return oplus_histogram_all(a->dev, a->comm, a->type, a->in, a->n, 0, 1, &oplus_u32, a->values, a->cols);
}

enum {
    REDUCE = 1,
    FOLD = 2,
    SCAN = 4,
    SEGSCAN = 8,
    FILTER = 16,
    SORT = 32,
    SORT_PAIRS = 64,
    TRANSPOSE = 128,
    REDUCE_BY_KEY = 256,
    SCAN_BY_KEY = 512,
    UNIQUE = 1024,
    GROUP = 2048,
    HISTOGRAM = 4096
};
enum {
    SCANS = SCAN | SEGSCAN,
    CARRIES = SCANS | REDUCE | FOLD,
    SORTS = SORT | SORT_PAIRS,
    BY_KEY = REDUCE_BY_KEY | GROUP,
    RUNS = BY_KEY | SCAN_BY_KEY | UNIQUE,
    ALL = 8191
};

typedef struct call {
    int bit;
    const char *name;
    oplus_status (*run)(const args *a);
} call;

static const call calls[] = {
    {REDUCE, "oplus_reduce_all", reduce},
    {FOLD, "oplus_fold_all", fold},
    {SCAN, "oplus_scan_all", scan},
    {SEGSCAN, "oplus_segscan_all", segscan},
    {FILTER, "oplus_filter_all", filter},
    {SORT, "oplus_sort_all", sort},
    {SORT_PAIRS, "oplus_sort_pairs_all", sort_pairs},
    {TRANSPOSE, "oplus_transpose_all", transpose},
    {REDUCE_BY_KEY, "oplus_reduce_by_key_all", reduce_by_key},
    {SCAN_BY_KEY, "oplus_scan_by_key_all", scan_by_key},
    {UNIQUE, "oplus_unique_all", unique},
    {GROUP, "oplus_group_all", group},
    {HISTOGRAM, "oplus_histogram_all", histogram},
};
enum { CALLS = sizeof calls / sizeof *calls };

static const call *call_of(int bit)
{
    int i = 0;
    while (calls[i].bit != bit) i++;
    return &calls[i];
}

/* --- good arguments ----------------------------------------------------------------------------------------------- */

/* What the arguments of a rank point to. */
typedef struct store {
    float in[MANY], init, out[2 * MANY];
    uint8_t heads[MANY];
    uint32_t values[2 * MANY];
    size_t count;
} store;

static void fill(store *s, int rank, size_t n)
{
    rng r = {(uint64_t)rank + 1};
    memset(s, 0, sizeof *s);
    for (size_t i = 0; i < n; i++) {
        s->in[i] = (float)rng_unit(&r);
        s->heads[i] = rng_below(&r, 50) == 0;
        s->out[i] = s->in[i];
        s->values[i] = (uint32_t)i;
    }
    s->init = 0.5f;
    s->count = n;
}

static args good_args(oplus_device *dev, const oplus_comm *comm, store *s, size_t n)
{
    fill(s, comm->rank, n);
    return (args){.dev = dev,
                  .comm = comm,
                  .op = &oplus_sum_f32,
                  .keep = &positive_fn,
                  .type = &oplus_f32,
                  .value = &oplus_u32,
                  .layout = OPLUS_EVEN,
                  .in = s->in,
                  .init = &s->init,
                  .heads = s->heads,
                  .out = s->out,
                  .values = s->values,
                  .n = n,
                  .m = 2 * n,
                  .rows = n / COLS * (size_t)comm->size,
                  .cols = COLS,
                  .count = &s->count};
}

/* A transpose gets as many elements as it gives; in other calls m is room. */
static oplus_status run(const call *c, args *a)
{
    if (c->bit == TRANSPOSE && a->m == 2 * a->n) a->m = a->n;
    if (c->bit & RUNS && a->type == &oplus_f32) a->type = &oplus_u8; /* the heads are keys */
    return c->run(a);
}

/* --- findings ----------------------------------------------------------------------------------------------------- */

static bool expect_status(oplus_status status, oplus_status expected, finding *f)
{
    if (status == expected) return true;
    snprintf(f->text, sizeof f->text, "the status is \"%s\", expected \"%s\"; the message: %s",
             oplus_status_string(status), oplus_status_string(expected), oplus_last_error());
    return false;
}

static bool expect_words(const char *words, finding *f)
{
    if (strstr(oplus_last_error(), words) != NULL) return true;
    snprintf(f->text, sizeof f->text, "\"%s\" is not in the message: %s", words, oplus_last_error());
    return false;
}

/* The call fails here as it should, and says why: the bad rank in its own words, the others with the number of that
 * rank. */
static bool expect_failure(const call *c, const oplus_comm *comm, oplus_status status, oplus_status expected, int bad,
                           const char *words, finding *f)
{
    char begin[80];
    if (!expect_status(status, expected, f) || !expect_words(words, f)) return false;
    if (comm->rank == bad)
        snprintf(begin, sizeof begin, "%s: ", c->name);
    else
        snprintf(begin, sizeof begin, "%s: on rank %d of %d: ", c->name, bad, comm->size);
    if (strncmp(oplus_last_error(), begin, strlen(begin)) == 0) return true;
    snprintf(f->text, sizeof f->text, "the message does not begin with \"%s\": %s", begin, oplus_last_error());
    return false;
}

/* --- no transport ------------------------------------------------------------------------------------------------- */

static oplus_status no_gather(void *context, const void *send, size_t bytes, void *recv)
{
    (void)context, (void)send, (void)bytes, (void)recv;
    return oplus_comm_fail("never called");
}

static oplus_status no_exchange(void *context, const void *send, const size_t *send_bytes, const size_t *send_at,
                                void *recv, const size_t *recv_bytes, const size_t *recv_at)
{
    (void)context, (void)send, (void)send_bytes, (void)send_at, (void)recv, (void)recv_bytes, (void)recv_at;
    return oplus_comm_fail("never called");
}

static void a_transport_that_is_none(void **state)
{
    static const struct {
        oplus_comm comm;
        const char *words;
    } none[] = {
        {{.abi = OPLUS_ABI, .size = 0, .allgather = no_gather, .alltoallv = no_exchange}, "comm has rank 0 of size 0"},
        {{.abi = OPLUS_ABI, .size = -3, .allgather = no_gather, .alltoallv = no_exchange},
         "comm has rank 0 of size -3"},
        {{.abi = OPLUS_ABI, .size = 2, .rank = 2, .allgather = no_gather, .alltoallv = no_exchange},
         "comm has rank 2 of size 2"},
        {{.abi = OPLUS_ABI, .size = 2, .rank = -1, .allgather = no_gather, .alltoallv = no_exchange},
         "comm has rank -1"},
        {{.abi = OPLUS_ABI, .size = 2, .alltoallv = no_exchange}, "comm->allgather is NULL"},
        {{.abi = OPLUS_ABI, .size = 2, .allgather = no_gather}, "comm->alltoallv is NULL"},
        {{.size = 2, .allgather = no_gather, .alltoallv = no_exchange}, "comm->abi is 0"},
        {{.abi = OPLUS_ABI + 1, .size = 2, .allgather = no_gather, .alltoallv = no_exchange},
         "comm->abi is 2, and this library's is 1"}};
    const oplus_comm good = {.abi = OPLUS_ABI, .size = 1};
    store *const s = must(malloc(sizeof *s));
    oplus_device *const dev = open_at("serial", NULL);
    finding f;
    (void)state;
    for (int c = 0; c < CALLS; c++)
        for (size_t i = 0; i <= sizeof none / sizeof *none; i++) {
            args a = good_args(dev, &good, s, FEW);
            a.comm = i == 0 ? NULL : &none[i - 1].comm;
            if (!expect_status(run(&calls[c], &a), OPLUS_ERR_ARGUMENT, &f) || !expect_words(calls[c].name, &f) ||
                !expect_words(i == 0 ? "comm is NULL" : none[i - 1].words, &f))
                fail_msg("%s", f.text);
        }
    oplus_close(dev);
    free(s);
}

/* --- wrong arguments on one rank ---------------------------------------------------------------------------------- */

typedef struct wrong {
    int calls;
    void (*make)(args *a);
    oplus_status status;
    const char *words;
} wrong;

static void no_dev(args *a) { a->dev = NULL; }
static void no_op(args *a) { a->op = NULL; }
static void no_keep(args *a) { a->keep = NULL; }
static void no_type(args *a) { a->type = NULL; }
static void no_value(args *a) { a->value = NULL; }
static void no_in(args *a) { a->in = NULL; }
static void no_out(args *a) { a->out = NULL; }
static void no_values(args *a) { a->values = NULL; }
static void no_heads(args *a) { a->heads = NULL; }
static void no_count(args *a) { a->count = NULL; }
static void no_identity(args *a) { a->op = &later_op, a->kind = OPLUS_EXCLUSIVE; }
static void odd_kind(args *a) { a->kind = (oplus_kind)9; }
static void odd_order(args *a) { a->order = (oplus_order)9; }
static void odd_layout(args *a) { a->layout = (oplus_layout)9; }
static void huge_n(args *a) { a->n = SIZE_MAX / 2; }
static void small_capacity(args *a) { a->m = a->n - 1; }
static void overlap(args *a) { a->out = (float *)a->in + 1; }

static const wrong wrongs[] = {
    {ALL, no_dev, OPLUS_ERR_ARGUMENT, "dev is NULL"},
    {CARRIES, no_op, OPLUS_ERR_ARGUMENT, "op is NULL"},
    {FILTER, no_keep, OPLUS_ERR_ARGUMENT, "keep is NULL"},
    {SORTS, no_type, OPLUS_ERR_ARGUMENT, "key is NULL"},
    {TRANSPOSE | HISTOGRAM, no_type, OPLUS_ERR_ARGUMENT, "type is NULL"},
    {HISTOGRAM, no_values, OPLUS_ERR_ARGUMENT, "counts is NULL"},
    {HISTOGRAM, no_in, OPLUS_ERR_ARGUMENT, "in is NULL"},
    {HISTOGRAM, huge_n, OPLUS_ERR_ARGUMENT, "n is 9223372036854775807"},
    {SORT_PAIRS, no_value, OPLUS_ERR_ARGUMENT, "value is NULL"},
    {CARRIES | FILTER | TRANSPOSE, no_in, OPLUS_ERR_ARGUMENT, "in is NULL"},
    {CARRIES | FILTER | TRANSPOSE, no_out, OPLUS_ERR_ARGUMENT, "out is NULL"},
    {SORTS, no_out, OPLUS_ERR_ARGUMENT, "keys is NULL"},
    {SORT_PAIRS, no_values, OPLUS_ERR_ARGUMENT, "values is NULL"},
    {SEGSCAN, no_heads, OPLUS_ERR_ARGUMENT, "heads is NULL"},
    {BY_KEY | SCAN_BY_KEY, no_heads, OPLUS_ERR_ARGUMENT, "keys is NULL"},
    {UNIQUE, no_heads, OPLUS_ERR_ARGUMENT, "in is NULL"},
    {BY_KEY | SCAN_BY_KEY, no_op, OPLUS_ERR_ARGUMENT, "op is NULL"},
    {BY_KEY | SCAN_BY_KEY, no_type, OPLUS_ERR_ARGUMENT, "key is NULL"},
    {UNIQUE, no_type, OPLUS_ERR_ARGUMENT, "type is NULL"},
    {BY_KEY | SCAN_BY_KEY, no_in, OPLUS_ERR_ARGUMENT, "values is NULL"},
    {BY_KEY | SCAN_BY_KEY, no_out, OPLUS_ERR_ARGUMENT, "out is NULL"},
    {REDUCE_BY_KEY | UNIQUE, no_count, OPLUS_ERR_ARGUMENT, "runs is NULL"},
    {GROUP, no_count, OPLUS_ERR_ARGUMENT, "groups is NULL"},
    {SCAN_BY_KEY, no_identity, OPLUS_ERR_ARGUMENT, "exclusive scan"},
    {SCAN_BY_KEY, odd_kind, OPLUS_ERR_ARGUMENT, "kind is 9"},
    {GROUP, odd_order, OPLUS_ERR_ARGUMENT, "order is 9"},
    {BY_KEY | UNIQUE, odd_layout, OPLUS_ERR_ARGUMENT, "layout is 9"},
    {RUNS, huge_n, OPLUS_ERR_ARGUMENT, "n is 9223372036854775807"},
    {BY_KEY | SCAN_BY_KEY, overlap, OPLUS_ERR_OVERLAP, "overlap"},
    {FILTER, no_count, OPLUS_ERR_ARGUMENT, "kept is NULL"},
    {SORTS, no_count, OPLUS_ERR_ARGUMENT, "n is NULL"},
    {SCANS, no_identity, OPLUS_ERR_ARGUMENT, "exclusive scan"},
    {SCANS, odd_kind, OPLUS_ERR_ARGUMENT, "kind is 9"},
    {SORTS, odd_order, OPLUS_ERR_ARGUMENT, "order is 9"},
    {SORTS | FILTER, odd_layout, OPLUS_ERR_ARGUMENT, "layout is 9"},
    {CARRIES | FILTER | TRANSPOSE, huge_n, OPLUS_ERR_ARGUMENT, "n is 9223372036854775807"},
    {SORTS, small_capacity, OPLUS_ERR_ARGUMENT, "capacity is 599"},
    {SCANS | FILTER | TRANSPOSE, overlap, OPLUS_ERR_OVERLAP, "overlap"},
};
enum { WRONGS = sizeof wrongs / sizeof *wrongs };

/* A test's case, as all ranks see it. */
typedef struct mistake {
    const call *call;
    const wrong *wrong;
    int bad; /* the rank that is different */
} mistake;

static bool one_rank_is_wrong(oplus_device *dev, const oplus_comm *comm, const void *given, finding *f)
{
    const mistake *const t = given;
    store *const s = must(malloc(sizeof *s));
    args a = good_args(dev, comm, s, FEW);
    if (comm->rank == t->bad) t->wrong->make(&a);
    const oplus_status status = run(t->call, &a);
    const bool good = expect_failure(t->call, comm, status, t->wrong->status, t->bad, t->wrong->words, f);
    free(s);
    return good;
}

/* Teams of several sizes. */
static bool is_tried(int ranks) { return ranks <= 5; }

static void try_wrong(const mistake *t)
{
    char words[160];
    for (const int *ranks = team_sizes(); *ranks > 0; ranks++)
        for (mistake at = *t; at.bad < *ranks && is_tried(*ranks); at.bad++) {
            snprintf(words, sizeof words, "%s, where \"%s\" on rank %d", t->call->name, t->wrong->words, at.bad);
            run_team(*ranks, "serial", one_rank_is_wrong, &at, NULL, words);
        }
}

static void wrong_on_one_rank(void **state)
{
    const call *const c = *state;
    for (int w = 0; w < WRONGS; w++)
        if (wrongs[w].calls & c->bit) try_wrong(&(mistake){c, &wrongs[w], 0});
}

/* The init of a fold is that of rank 0; those of other ranks are not looked at. */
static bool folds_without(oplus_device *dev, const oplus_comm *comm, const void *given, finding *f)
{
    const mistake *const t = given;
    store *const s = must(malloc(sizeof *s));
    args a = good_args(dev, comm, s, FEW);
    if (comm->rank == t->bad) a.init = NULL;
    const oplus_status status = fold(&a);
    const bool good = t->bad > 0 ? succeeded(status, f)
                                 : expect_failure(t->call, comm, status, OPLUS_ERR_ARGUMENT, 0, "init is NULL", f);
    free(s);
    return good;
}

static void a_fold_needs_one_init(void **state)
{
    (void)state;
    for (const int *ranks = team_sizes(); *ranks > 0; ranks++)
        for (mistake t = {.call = call_of(FOLD)}; t.bad < *ranks && is_tried(*ranks); t.bad++)
            run_team(*ranks, "serial", folds_without, &t, NULL, "a fold without init");
}

/* A reduce of nothing at all. */
static bool reduces_nothing(oplus_device *dev, const oplus_comm *comm, const void *given, finding *f)
{
    float out = 7;
    (void)given;
    if (!succeeded(oplus_reduce_all(dev, comm, &oplus_sum_f32, NULL, 0, &out), f)) return false;
    return out == 0 && expect_status(oplus_reduce_all(dev, comm, &later_op, NULL, 0, &out), OPLUS_ERR_ARGUMENT, f) &&
           expect_words("oplus_reduce_all: ", f) && expect_words("identity", f);
}

static void nothing_needs_an_identity(void **state)
{
    (void)state;
    for (const int *ranks = team_sizes(); *ranks > 0; ranks++)
        run_team(*ranks, "serial", reduces_nothing, NULL, NULL, "a reduce of nothing");
}

/* --- calls that differ -------------------------------------------------------------------------------------------- */

static oplus_op namesake; /* of the sum, by another text */

static void as_it_is(args *a) { (void)a; }
static void exclusive(args *a) { a->kind = OPLUS_EXCLUSIVE; }
OPLUS_SEMIGROUP_WITH(leak, float, float, 0, { return a * p + b; })
static oplus_op leak_twice, leak_thrice; /* one operator, two parameters */
static void of_twice(args *a) { a->op = &leak_twice; }
static void of_thrice(args *a) { a->op = &leak_thrice; }
static void of_max(args *a) { a->op = &oplus_max_f32; }
static void of_u32(args *a) { a->op = &oplus_sum_u32; }
static void of_namesake(args *a) { a->op = &namesake; }
static void negatives(args *a) { a->keep = &negative_fn; }
static void kept(args *a) { a->layout = OPLUS_AS_GIVEN; }
static void descending(args *a) { a->order = OPLUS_DESCENDING; }
static void by_u32(args *a) { a->type = &oplus_u32; }
static void with_f32(args *a) { a->value = &oplus_f32; }
static void other_way(args *a)
{
    const size_t rows = a->rows;
    a->rows = a->cols;
    a->cols = rows;
}

typedef struct variant {
    int call;
    void (*make)(args *a);
} variant;

static const variant variants[] = {
    {REDUCE, as_it_is},
    {REDUCE, of_max},
    {REDUCE, of_u32},
    {REDUCE, of_namesake},
    {REDUCE, of_twice},
    {REDUCE, of_thrice},
    {FOLD, as_it_is},
    {SCAN, as_it_is},
    {SCAN, exclusive},
    {SCAN, of_max},
    {SCAN, of_u32},
    {SEGSCAN, as_it_is},
    {SEGSCAN, exclusive},
    {FILTER, as_it_is},
    {FILTER, negatives},
    {FILTER, kept},
    {SORT, as_it_is},
    {SORT, descending},
    {SORT, kept},
    {SORT, by_u32},
    {SORT_PAIRS, as_it_is},
    {SORT_PAIRS, with_f32},
    {TRANSPOSE, as_it_is},
    {TRANSPOSE, by_u32},
    {TRANSPOSE, other_way},
    {REDUCE_BY_KEY, as_it_is},
    {REDUCE_BY_KEY, kept},
    {REDUCE_BY_KEY, of_max},
    {SCAN_BY_KEY, as_it_is},
    {SCAN_BY_KEY, exclusive},
    {UNIQUE, as_it_is},
    {UNIQUE, kept},
    {HISTOGRAM, as_it_is},
    {HISTOGRAM, by_u32},
    {HISTOGRAM, other_way},
    {GROUP, as_it_is},
    {GROUP, descending},
    {GROUP, kept},
};
enum { VARIANTS = sizeof variants / sizeof *variants };

typedef struct difference {
    const variant *most, *other;
    int bad; /* the rank that makes the other call */
} difference;

static bool one_rank_differs(oplus_device *dev, const oplus_comm *comm, const void *given, finding *f)
{
    const difference *const d = given;
    const variant *const v = comm->rank == d->bad ? d->other : d->most;
    store *const s = must(malloc(sizeof *s));
    args a = good_args(dev, comm, s, FEW);
    char first[200], second[200];
    v->make(&a);
    const bool refused = expect_status(run(call_of(v->call), &a), OPLUS_ERR_ARGUMENT, f);
    free(s);
    snprintf(first, sizeof first, "%s: rank 0 calls %s of ", call_of(v->call)->name,
             call_of((d->bad == 0 ? d->other : d->most)->call)->name);
    snprintf(second, sizeof second, ", but rank %d %s of ", d->bad == 0 ? 1 : d->bad,
             call_of((d->bad == 0 ? d->most : d->other)->call)->name);
    const bool in_layout = d->most->call == d->other->call && (d->most->make == kept) != (d->other->make == kept);
    if (refused && in_layout && (!expect_words(", even", f) || !expect_words(", as given", f))) return false;
    return refused && expect_words(first, f) && expect_words(second, f) &&
           expect_words("all ranks must make the same call", f);
}

static void try_difference(int ranks, const variant *most, const variant *other)
{
    char words[160];
    for (difference d = {most, other, 0}; d.bad < ranks; d.bad++) {
        snprintf(words, sizeof words, "%s (variant %td), and on rank %d %s (variant %td)", call_of(most->call)->name,
                 most - variants, d.bad, call_of(other->call)->name, other - variants);
        run_team(ranks, "serial", one_rank_differs, &d, NULL, words);
    }
}

static void calls_that_differ(void **state)
{
    (void)state;
    static const float two = 2, three = 3;
    leak_twice = oplus_op_with(&leak_op, &two);
    leak_thrice = oplus_op_with(&leak_op, &three);
    namesake = oplus_sum_f32;
    namesake.text = "return b + a;";
    for (const int *ranks = team_sizes(); *ranks > 0; ranks++)
        for (int i = 0; i<VARIANTS && * ranks> 1 && is_tried(*ranks); i++)
            for (int j = 0; j < VARIANTS; j++)
                if (i != j) try_difference(*ranks, &variants[i], &variants[j]);
}

/* --- one trouble after the other --- */

/* Something that fails at its k-th use on this rank; k is counted from 1. */
typedef struct trouble {
    const char *name;
    void (*begin)(oplus_device *dev, size_t k);
    bool (*end)(oplus_device *dev, oplus_status status); /* whether it has failed; status: of the call */
    size_t first;                                        /* the first k to try */
} trouble;

static void begin_no_memory(oplus_device *dev, size_t k)
{
    (void)dev;
    failing = k;
}

static bool end_no_memory(oplus_device *dev, oplus_status status)
{
    const bool failed = failing == 0;
    (void)dev, (void)status;
    failing = 0;
    return failed;
}

static void begin_broken(oplus_device *dev, size_t k) { break_device(dev, k - 1); }

static bool end_broken(oplus_device *dev, oplus_status status)
{
    mend_device(dev);
    return status != OPLUS_OK;
}

/* The first allocation is that of opi_ranks_open, without which a rank cannot tell the others. */
static const trouble no_memory = {"memory", begin_no_memory, end_no_memory, 2};
static const trouble broken_device = {"the device", begin_broken, end_broken, 1};

typedef struct troubled {
    const call *call;
    const trouble *trouble;
    oplus_layout layout;
    int bad;
    size_t n;
} troubled;

/* What a rank says about a call to the others. */
typedef struct verdict {
    bool failed;         /* what was to fail has failed */
    oplus_status status; /* of the call */
} verdict;

static bool is_same_result(const store *s, const store *expected)
{
    return memcmp(s->out, expected->out, sizeof s->out) == 0 &&
           memcmp(s->values, expected->values, sizeof s->values) == 0 && s->count == expected->count;
}

static oplus_status call_well(const troubled *t, oplus_device *dev, const oplus_comm *comm, store *s)
{
    args a = good_args(dev, comm, s, t->n);
    a.layout = t->layout;
    return run(t->call, &a);
}

static oplus_status call_in_trouble(const troubled *t, oplus_device *dev, const oplus_comm *comm, store *s, size_t k,
                                    bool *failed)
{
    args a = good_args(dev, comm, s, t->n);
    a.layout = t->layout;
    *failed = false;
    if (comm->rank != t->bad) return run(t->call, &a);
    t->trouble->begin(dev, k);
    const oplus_status status = run(t->call, &a);
    *failed = t->trouble->end(dev, status);
    return status;
}

/* Either all ranks have succeeded, or none. */
static bool agree(const verdict *all, const oplus_comm *comm, size_t k, finding *f)
{
    for (int q = 1; q < comm->size; q++)
        if ((all[q].status == OPLUS_OK) != (all[0].status == OPLUS_OK)) {
            snprintf(f->text, sizeof f->text, "failure %zu: on rank 0 the status is \"%s\", on rank %d \"%s\"", k,
                     oplus_status_string(all[0].status), q, oplus_status_string(all[q].status));
            return false;
        }
    return true;
}

/* The k-th failure on the bad rank.  Returns false if there was none any more, or if something is wrong. */
static bool survives(const troubled *t, oplus_device *dev, const oplus_comm *comm, store *s, const store *expected,
                     size_t k, finding *f)
{
    verdict own, all[MOST_RANKS];
    memset(&own, 0, sizeof own);
    if (t->trouble == &no_memory) oplus_trim(dev);
    own.status = call_in_trouble(t, dev, comm, s, k, &own.failed);
    const bool told = own.status == OPLUS_OK || comm->rank == t->bad || expect_words(": on rank ", f);
    if (!succeeded(comm->allgather(comm->context, &own, sizeof own, all), f)) return false;
    const bool agrees = agree(all, comm, k, f);
    const bool again = succeeded(call_well(t, dev, comm, s), f);
    if (again && !is_same_result(s, expected))
        snprintf(f->text, sizeof f->text, "after failure %zu the result is another one", k);
    if (!told || !agrees || !again || !is_same_result(s, expected)) return false;
    if (!all[t->bad].failed) f->text[0] = '\0';
    return all[t->bad].failed;
}

static bool survives_all(oplus_device *dev, const oplus_comm *comm, const void *given, finding *f)
{
    enum { MOST = 200 };
    const troubled *const t = given;
    store *const s = must(malloc(sizeof *s)), *const expected = must(malloc(sizeof *expected));
    bool good = succeeded(call_well(t, dev, comm, expected), f);
    size_t k = t->trouble->first;
    while (good && k < MOST && survives(t, dev, comm, s, expected, k, f)) k++;
    if (good && (k == MOST || k == t->trouble->first))
        snprintf(f->text, sizeof f->text, k == MOST ? "it never ends to fail" : "it never fails");
    free(s);
    free(expected);
    return good && f->text[0] == '\0';
}

static void try_trouble(const troubled *given, int ranks, const char *where)
{
    char words[160];
    const int step = ranks > 2 ? ranks / 2 : 1;
    for (troubled t = *given; t.bad < ranks; t.bad += step) {
        snprintf(words, sizeof words, "%s (layout %d, %zu elements each), where %s fails on rank %d", t.call->name,
                 (int)t.layout, t.n, t.trouble->name, t.bad);
        run_team(ranks, where, survives_all, &t, NULL, words);
    }
}

static void try_troubles(const trouble *trouble, const call *call)
{
    for (const int *ranks = team_sizes(); *ranks > 0; ranks++)
        for (int layout = OPLUS_AS_GIVEN; layout <= OPLUS_EVEN && is_tried(*ranks); layout++) {
            if (layout == OPLUS_EVEN && !(call->bit & (SORTS | FILTER | BY_KEY | UNIQUE))) break;
            try_trouble(&(troubled){call, trouble, (oplus_layout)layout, 0, FEW}, *ranks, "serial");
            try_trouble(&(troubled){call, trouble, (oplus_layout)layout, 0, MANY}, *ranks, "threads:2");
        }
}

static void no_memory_on_one_rank(void **state) { try_troubles(&no_memory, *state); }

static void a_device_that_fails_on_one_rank(void **state) { try_troubles(&broken_device, *state); }

/* --- a transport that fails --------------------------------------------------------------------------------------- */

/* The last call of the transport fails. */
typedef struct wire {
    const oplus_comm *inner;
    size_t left;
    bool cut;
} wire;

static bool is_cut(wire *w)
{
    w->cut = w->left == 0 || --w->left == 0;
    return w->cut;
}

static oplus_status cut_gather(void *context, const void *send, size_t bytes, void *recv)
{
    wire *const w = context;
    if (is_cut(w)) return oplus_comm_fail("somebody has cut the wire");
    return w->inner->allgather(w->inner->context, send, bytes, recv);
}

static oplus_status cut_exchange(void *context, const void *send, const size_t *send_bytes, const size_t *send_at,
                                 void *recv, const size_t *recv_bytes, const size_t *recv_at)
{
    wire *const w = context;
    if (is_cut(w)) return oplus_comm_fail("somebody has cut the wire");
    return w->inner->alltoallv(w->inner->context, send, send_bytes, send_at, recv, recv_bytes, recv_at);
}

static oplus_comm cut_comm(const oplus_comm *comm, wire *w, size_t k)
{
    *w = (wire){.inner = comm, .left = k};
    oplus_comm c = *comm;
    c.context = w;
    c.allgather = cut_gather;
    c.alltoallv = cut_exchange;
    return c;
}

/* The transport fails on all ranks in the same call; afterwards they go on with a whole transport. */
static bool is_cut_everywhere(oplus_device *dev, const oplus_comm *comm, const void *given, finding *f)
{
    const call *const c = given;
    store *const s = must(malloc(sizeof *s));
    bool good = true, cut = true;
    for (size_t k = 1; good && cut && k < 300; k++) {
        wire w;
        const oplus_comm wired = cut_comm(comm, &w, k);
        args a = good_args(dev, &wired, s, FEW);
        const oplus_status status = run(c, &a);
        cut = w.cut;
        good = cut ? expect_status(status, OPLUS_ERR_COMM, f) && expect_words("somebody has cut the wire", f)
                   : succeeded(status, f);
        a = good_args(dev, comm, s, FEW);
        if (good) good = succeeded(run(c, &a), f);
    }
    free(s);
    return good && !cut;
}

static void a_transport_that_fails(void **state)
{
    const call *const c = *state;
    for (const int *ranks = team_sizes(); *ranks > 0; ranks++)
        if (is_tried(*ranks)) run_team(*ranks, "serial", is_cut_everywhere, c, NULL, c->name);
}

/* --- a rank that is gone: with MPI the others may wait ------------------------------------------------------------ */

#ifndef TEST_MPI

/* How a rank leaves: without a call, or after the k-th exchange of a call, or because it lacks the first memory. */
typedef struct leaving {
    const call *call;
    size_t after; /* number of exchanges */
    bool memory;
    int bad;
    atomic_bool *left; /* whether the call was not over */
} leaving;

static oplus_status leave(const leaving *l, oplus_device *dev, const oplus_comm *comm, store *s)
{
    wire w;
    const oplus_comm wired = cut_comm(comm, &w, l->after + 1);
    args a = good_args(dev, &wired, s, FEW);
    if (l->memory) failing = 1;
    const oplus_status status = run(l->call, &a);
    failing = 0;
    if (status != OPLUS_OK) atomic_store(l->left, true);
    return status;
}

static bool one_rank_leaves(oplus_device *dev, const oplus_comm *comm, const void *given, finding *f)
{
    const leaving *const l = given;
    store *const s = must(malloc(sizeof *s));
    bool good = true;
    if (comm->rank == l->bad) {
        const oplus_status status = leave(l, dev, comm, s);
        if (l->memory) good = expect_status(status, OPLUS_ERR_MEMORY, f) && expect_words("no memory", f);
    } else {
        args a = good_args(dev, comm, s, FEW);
        const oplus_status status = run(l->call, &a);
        const bool over = status == OPLUS_OK && l->after > 0; /* before the other rank left */
        good = over || (expect_status(status, OPLUS_ERR_COMM, f) && expect_words("a rank's body has returned", f));
    }
    free(s);
    return good;
}

/* Returns whether the rank left before the call was over. */
static bool try_leaving(int ranks, const call *c, size_t after, bool memory, int bad)
{
    char words[160];
    atomic_bool left = false;
    const leaving l = {c, after, memory, bad, &left};
    snprintf(words, sizeof words, "%s, which rank %d leaves after %zu exchanges%s", c->name, bad, after,
             memory ? " for want of memory" : "");
    run_team(ranks, "serial", one_rank_leaves, &l, NULL, words);
    return left;
}

static void a_rank_that_is_gone(void **state)
{
    const call *const c = *state;
    for (const int *ranks = team_sizes(); *ranks > 0; ranks++)
        for (int bad = 0; *ranks > 1 && is_tried(*ranks) && bad < *ranks; bad += *ranks - 1) {
            size_t after = 0;
            while (after < 300 && try_leaving(*ranks, c, after, false, bad)) after++;
            assert_true(after > 0 && after < 300);
            assert_true(try_leaving(*ranks, c, 0, true, bad));
        }
}

#endif

/* Each call goes wrong in each of these ways. */
static const struct {
    const char *words;
    void (*test)(void **state);
} ways[] = {
    {"a wrong argument on one rank", wrong_on_one_rank},
    {"no memory on one rank", no_memory_on_one_rank},
    {"a device that fails on one rank", a_device_that_fails_on_one_rank},
    {"a transport that fails", a_transport_that_fails},
#ifndef TEST_MPI
    {"a rank that is gone", a_rank_that_is_gone},
#endif
};
enum { WAYS = sizeof ways / sizeof *ways };

int main(void)
{
    const struct CMUnitTest all[] = {
        cmocka_unit_test(a_transport_that_is_none),
        cmocka_unit_test(a_fold_needs_one_init),
        cmocka_unit_test(nothing_needs_an_identity),
        cmocka_unit_test(calls_that_differ),
    };
    static struct CMUnitTest each[WAYS * CALLS];
    static char names[WAYS * CALLS][80];
    for (int i = 0; i < WAYS * CALLS; i++) {
        snprintf(names[i], sizeof names[i], "%s: %s", calls[i % CALLS].name, ways[i / CALLS].words);
        each[i] = (struct CMUnitTest){names[i], ways[i / CALLS].test, NULL, NULL, (void *)&calls[i % CALLS]};
    }
    team_begin();
    const int failed = cmocka_run_group_tests_name("ranks: errors", all, NULL, NULL) +
                       cmocka_run_group_tests_name("ranks: errors of each call", each, NULL, NULL);
    team_end();
    return failed;
}
