/* Tasks that are dealt out to several accelerators (gpu/deal.h), and whose work-groups do not wait for each other:
 * takes, puts, bounds, merges of sorted runs, packs, repeats, windows, and reduces, scans and extremes along an
 * axis have the bits of one core, for pages of any size, wherever they begin; nothing outside of the output is
 * touched; and a wrong index is told of, with its position.
 *
 * On CUDA one GPU is enough: it is opened three times.  Where there is none, one accelerator of OpenCL takes the part of each
 * after the other.  It ends with 77 where no device can do this.
 *
 *     OPLUS_TEST_CALLS=n     so many random calls of each kind */
#include "laws/dealing.h"

#include "base/error.h"

#include "task/make.h"

OPLUS_ZIP_WITH(before_by, uint8_t, mixed12, mixed12, uint32_t, { return a.count % p < b.count % p; })

static bool on_cuda;

static long rounds(void) { return on_cuda ? calls() : 1 + calls() / 10; }

static void on_core(const opi_task *task) { must_be_ok(serial->machine->run(serial, "test", task, NULL), "the core"); }

/* --- indices -------------------------------------------------------------------------------------------------------- */

static const oplus_type *const index_types[] = {&oplus_u32, &oplus_i32, &oplus_u64, &oplus_i64};
static const size_t sizes[] = {1, 2, 4, 8, 12, 16, 40};
enum { SIZES = sizeof sizes / sizeof *sizes };

/* A call by index: count indices of elements of `size` bytes; the table has n. */
typedef struct by_index {
    const oplus_type *type;
    size_t size, count, n;
    size_t skew, skew_indices, skew_table;
    bool clip;
} by_index;

static by_index draw_by_index(rng *r)
{
    by_index c = {.type = index_types[rng_below(r, 4)], .size = sizes[rng_below(r, SIZES)]};
    c.count = 1 + rng_below(r, draw_tiles(r) * TILE_BYTES / c.size / 2);
    c.n = rng_below(r, 3) ? 1 + rng_below(r, draw_tiles(r) * TILE_BYTES / c.size) : 1 + rng_below(r, 1000);
    if (c.count > MOST_BYTES / 8) c.count = MOST_BYTES / 8;
    c.skew = rng_below(r, MOST_SKEW) * c.size;
    c.skew_table = rng_below(r, MOST_SKEW) * c.size;
    c.skew_indices = rng_below(r, MOST_SKEW) * c.type->size;
    c.clip = rng_below(r, 2);
    return c;
}

static void set_index(const by_index *c, size_t k, uint64_t index) /* little endian */
{
    memcpy(heads + k * c->type->size, &index, c->type->size);
}

/* Indices to `heads`.  Those that are clipped may be out of range, below and above. */
static void fill_indices(const by_index *c, rng *r)
{
    const uint64_t few = rng_below(r, 3) ? c->n : 1 + rng_below(r, c->n);
    for (size_t k = 0; k < c->count; k++) {
        uint64_t index = rng_below(r, few);
        if (c->clip && rng_below(r, 50) == 0) index = rng_below(r, 2) ? c->n + rng_below(r, 100) : UINT64_MAX;
        set_index(c, k, index);
    }
}

static opi_indices indices_at(const by_index *c, const void *at)
{
    return (opi_indices){.at = at, .count = c->count, .type = c->type, .n = c->n, .clip = c->clip};
}

/* Nothing is written outside, and what is written is what the core has. */
static void try_take(const by_index *c, rng *r)
{
    const size_t bytes = c->count * c->size, before = GUARD + c->skew;
    const opi_indices here = indices_at(c, heads);
    opi_task task;
    fill(subject_named("hash4"), r, c->n * c->size / 4 + 1);
    opi_task_take(&task, c->size, x, &here, expected);
    on_core(&task);
    unsigned char *const in = bring(x, c->skew_table, c->n * c->size);
    unsigned char *const list = bring(heads, c->skew_indices, c->count * c->type->size);
    unsigned char *const out = bring_output(before + bytes + GUARD);
    const opi_indices there = indices_at(c, list + c->skew_indices);
    opi_task_take(&task, c->size, in + c->skew_table, &there, out + before);
    deal_out(r, &task, "a take");
    same_bytes(out, expected, before, bytes, "a take");
    oplus_free(dev, in);
    oplus_free(dev, list);
    oplus_free(dev, out);
}

static void any_take(void **state)
{
    rng r = test_rng("dealt takes");
    (void)state;
    for (long i = rounds(); i > 0; i--) {
        const by_index c = draw_by_index(&r);
        fill_indices(&c, &r);
        try_take(&c, &r);
    }
}

/* The elements that no index names stay. */
static void try_put(const by_index *c, rng *r)
{
    const size_t bytes = c->n * c->size, before = GUARD + c->skew_table;
    const opi_indices here = indices_at(c, heads);
    opi_task task;
    fill(subject_named("hash4"), r, c->count * c->size / 4 + 1);
    memset(expected, 0x3c, bytes);
    unsigned char *const out = bring_output(before + bytes + GUARD);
    must_be_ok(oplus_copy(dev, out + before, expected, bytes), "copy");
    opi_task_put(&task, c->size, x, &here, expected);
    on_core(&task);
    unsigned char *const in = bring(x, c->skew, c->count * c->size);
    unsigned char *const list = bring(heads, c->skew_indices, c->count * c->type->size);
    const opi_indices there = indices_at(c, list + c->skew_indices);
    opi_task_put(&task, c->size, in + c->skew, &there, out + before);
    deal_out(r, &task, "a put");
    same_bytes(out, expected, before, bytes, "a put");
    oplus_free(dev, in);
    oplus_free(dev, list);
    oplus_free(dev, out);
}

static void any_put(void **state)
{
    rng r = test_rng("dealt puts");
    (void)state;
    for (long i = rounds(); i > 0; i--) {
        const by_index c = draw_by_index(&r);
        fill_indices(&c, &r);
        try_put(&c, &r);
    }
}

/* --- wrong indices -------------------------------------------------------------------------------------------------- */

/* Does a task in all steps; *told: how many accelerators tell of the index at `place`. */
static void deal_wrong(const opi_deal *dealing, const opi_task *task, size_t place, int *told)
{
    char words[64];
    opi_deal deal = *dealing;
    snprintf(words, sizeof words, "indices[%zu] is out of range", place);
    each(&deal, opi_deal_prepare, task, "prepare");
    sync_all();
    each(&deal, opi_deal_look, task, "look");
    sync_all();
    each(&deal, opi_deal_run, task, "run");
    *told = 0;
    for (unsigned w = 0; w < WORKERS; w++) {
        const oplus_status status = oplus_sync(worker[w]);
        if (status == OPLUS_OK) continue;
        if (status != OPLUS_ERR_ARGUMENT || !strstr(oplus_last_error(), words))
            fail_msg("%s: not \"%s\"; OPLUS_TEST_SEED=%llu", oplus_last_error(), words,
                     (unsigned long long)test_seed());
        ++*told;
    }
}

/* One index is wrong: one accelerator tells it, and everything else is done. */
static void try_wrong(by_index *c, bool puts, rng *r)
{
    opi_accelerator *all[WORKERS];
    const opi_deal deal = draw_deal(r, all_workers(all));
    const size_t items = puts ? c->n : c->count, before = GUARD + (puts ? c->skew_table : c->skew);
    const size_t others = puts ? c->count : c->n, bytes = items * c->size, wrong = rng_below(r, c->count);
    opi_task task;
    int told;
    fill_indices(c, r);
    fill(subject_named("hash4"), r, others * c->size / 4 + 1);
    unsigned char *const out = bring_output(before + bytes + GUARD), *const in = bring(x, 0, others * c->size);
    set_index(c, wrong, c->n + rng_below(r, 100));
    unsigned char *const list = bring(heads, c->skew_indices, c->count * c->type->size);
    const opi_indices there = indices_at(c, list + c->skew_indices);
    (puts ? opi_task_put : opi_task_take)(&task, c->size, in, &there, out + before);
    if (opi_deal_can(&deal, &task)) {
        deal_wrong(&deal, &task, wrong, &told);
        if (told != 1) fail_msg("%d accelerators tell of a wrong index", told);
        memset(expected, 0xa5, bytes);
        for (size_t k = 0; k < c->count; k++) {
            uint64_t at = 0;
            memcpy(&at, heads + k * c->type->size, c->type->size);
            if (k == wrong) continue;
            memcpy(expected + (puts ? at : k) * c->size, x + (puts ? k : at) * c->size, c->size);
        }
        same_bytes(out, expected, before, bytes, "a call with a wrong index");
        dealt++;
    }
    oplus_free(dev, in);
    oplus_free(dev, list);
    oplus_free(dev, out);
}

static void any_wrong_index(void **state)
{
    rng r = test_rng("dealt wrong indices");
    (void)state;
    if (!on_cuda) skip(); /* others wait, and a host's copy of the indices is looked through */
    for (long i = rounds(); i > 0; i--) {
        by_index c = draw_by_index(&r);
        c.clip = false;
        try_wrong(&c, rng_below(&r, 2), &r);
    }
}

/* --- bounds --------------------------------------------------------------------------------------------------------- */

static const oplus_type *const keys_of[] = {&oplus_u32, &oplus_u64, &oplus_i16, &oplus_f32, &oplus_f64, &oplus_u8};
enum { KEYS = sizeof keys_of / sizeof *keys_of };

typedef struct bounds {
    const oplus_type *key;
    const oplus_fn *less; /* NULL: the order of a sort */
    oplus_order order;
    size_t n, count, index, skew, skew_wanted, skew_places;
    bool upper;
    const char *way; /* NULL: the one that suits */
    bool refused;    /* one accelerator has no memory for a tree */
} bounds;

/* The sorted elements to x, and those that are wanted to heads. */
static void fill_bounds(const bounds *b, rng *r)
{
    const size_t size = b->key->size;
    fill(subject_named("hash4"), r, b->count * size / 4 + 1);
    memcpy(heads, x, b->count * size);
    fill(subject_named("hash4"), r, b->n * size / 4 + 1);
    for (size_t k = 0; k < b->count; k++)
        if (rng_below(r, 2)) memcpy(heads + k * size, x + rng_below(r, b->n) * size, size);
    if (b->less)
        must_be_ok(oplus_sort_by(serial, b->less, x, b->n), "sort");
    else
        must_be_ok(oplus_sort(serial, b->key, b->order, x, b->n), "sort");
}

/* A driver that has no memory for a tree of samples: it has for smaller things, and for the sorted array. */
static const opi_driver *usual;
static opi_driver tight;
static size_t refused_from, refused_to;

static oplus_status refuse(opi_gpu *gpu, const char *call, size_t bytes, void **mem)
{
    if (bytes >= refused_from && bytes < refused_to) return opi_fail(OPLUS_ERR_MEMORY, "%s: no memory", call);
    return usual->alloc(gpu, call, bytes, mem);
}

static void be_tight(const bounds *b)
{
    enum { LEAST_ITEMS = 16 }; /* of a tree */
    opi_gpu *const gpu = ((opi_accelerator *)worker[1])->gpu;
    must_be_ok(oplus_trim(worker[1]), "trim");
    usual = gpu->driver;
    tight = *usual;
    tight.alloc = refuse;
    refused_from = LEAST_ITEMS * b->key->size;
    refused_to = b->n * b->key->size;
    gpu->driver = &tight;
}

/* What follows goes by a way, where it can. */
static void force(const char *way)
{
    if (way)
        setenv("OPLUS_WAY", way, 1);
    else
        unsetenv("OPLUS_WAY");
    for (int w = 0; w < WORKERS; w++) opi_ways_read(&((opi_accelerator *)worker[w])->wanted);
}

static void try_bounds(const bounds *b, rng *r)
{
    const size_t size = b->key->size, bytes = b->count * b->index, before = GUARD + b->skew_places;
    opi_task task;
    fill_bounds(b, r);
    opi_task_bounds(&task, b->key, b->order, b->less, x, b->n, b->upper, heads, b->count, b->index, expected);
    on_core(&task);
    unsigned char *const in = bring(x, b->skew, b->n * size), *const wanted =
                                                                  bring(heads, b->skew_wanted, b->count * size);
    unsigned char *const out = bring_output(before + bytes + GUARD);
    opi_task_bounds(&task, b->key, b->order, b->less, in + b->skew, b->n, b->upper, wanted + b->skew_wanted, b->count,
                    b->index, out + before);
    force(b->way);
    if (b->refused) be_tight(b);
    deal_out(r, &task, "bounds");
    if (b->refused) ((opi_accelerator *)worker[1])->gpu->driver = usual;
    force(NULL);
    same_bytes(out, expected, before, bytes, "bounds");
    oplus_free(dev, in);
    oplus_free(dev, wanted);
    oplus_free(dev, out);
}

static void any_bounds(void **state)
{
    rng r = test_rng("dealt bounds");
    (void)state;
    for (long i = rounds(); i > 0; i--) {
        const uint32_t modulus = (uint32_t)(1 + rng_below(&r, 1000));
        const oplus_fn less = oplus_with(&before_by_fn, &modulus);
        const bool by_text = rng_below(&r, 4) == 0;
        bounds b = {.key = by_text ? &mixed12_type : keys_of[rng_below(&r, KEYS)], .less = by_text ? &less : NULL};
        b.order = !by_text && rng_below(&r, 2) ? OPLUS_DESCENDING : OPLUS_ASCENDING;
        b.n = 1 + rng_below(&r, 100000);
        b.count = 1 + rng_below(&r, draw_tiles(&r) * TILE_BYTES / 8);
        if (b.count > MOST_BYTES / 16) b.count = MOST_BYTES / 16;
        b.index = rng_below(&r, 2) ? 4 : 8;
        b.upper = rng_below(&r, 2);
        b.skew = rng_below(&r, MOST_SKEW) * b.key->size;
        b.skew_wanted = rng_below(&r, MOST_SKEW) * b.key->size;
        b.skew_places = rng_below(&r, MOST_SKEW) * b.index;
        if (rng_below(&r, 8)) b.way = rng_below(&r, 4) ? "tree" : "searches";
        b.refused = rng_below(&r, 4) == 0;
        if (rng_below(&r, 2)) b.skew = 0; /* nodes are read as vectors */
        try_bounds(&b, &r);
    }
}

/* --- merges of runs ------------------------------------------------------------------------------------------------ */

/* Keys of a kind: of all bits, few values, equal, sorted, reversed. */
static void fill_run_keys(rng *r, const oplus_type *key, size_t n)
{
    static const uint64_t few[] = {0, 1, 3, 0x8080808080808080u};
    const unsigned kind = (unsigned)rng_below(r, 6);
    const uint64_t mask = few[rng_below(r, 4)];
    for (size_t i = 0; i < n; i++) {
        uint64_t x_i = rng_next(r);
        if (kind == 1) x_i &= mask;
        if (kind == 2) x_i = i;
        if (kind == 3) x_i = n - i;
        if (kind == 4) x_i = i * 7 / n;
        if (kind == 5 && rng_below(r, 100)) x_i = 77;
        memcpy(x + i * key->size, &x_i, key->size); /* little endian */
    }
}

/* Cuts n keys in x to runs, some of which may be empty, and sorts each. */
static void make_runs(rng *r, const oplus_type *key, oplus_order order, size_t n, unsigned count, size_t *begin)
{
    const bool even = rng_below(r, 2);
    for (unsigned w = 0; w <= count; w++) begin[w] = even ? n * w / count : w == count ? n : rng_below(r, n + 1);
    for (unsigned w = 1; w < count; w++)
        for (unsigned v = w; v > 1 && begin[v] < begin[v - 1]; v--) {
            const size_t larger = begin[v - 1];
            begin[v - 1] = begin[v];
            begin[v] = larger;
        }
    begin[0] = 0;
    for (unsigned w = 0; w < count; w++)
        must_be_ok(oplus_sort(serial, key, order, x + begin[w] * key->size, begin[w + 1] - begin[w]), "sort");
}

typedef oplus_status merge_step(const opi_deal *deal, const char *call, const opi_deal_runs *runs);

static void each_merge(opi_deal *deal, merge_step *of, const opi_deal_runs *runs, const char *what)
{
    for (deal->own = 0; deal->own < deal->workers; deal->own++) must_be_ok(of(deal, "test", runs), what);
    sync_all();
}

/* An array of an output, and of each run, in device memory. */
typedef struct merged {
    size_t size, before;
    unsigned char *out, *in[OPI_MOST_WORKERS];
} merged;

/* Brings the parts of an array to where the runs are to be. */
static merged bring_runs(rng *r, const unsigned char *from, size_t size, const size_t *begin, unsigned count,
                         const void **at)
{
    merged m = {.size = size, .before = GUARD + rng_below(r, MOST_SKEW) * size};
    m.out = bring_output(m.before + begin[count] * size + GUARD);
    for (unsigned w = 0; w < count; w++) {
        const size_t skew = rng_below(r, MOST_SKEW) * size;
        m.in[w] = bring(from + begin[w] * size, skew, (begin[w + 1] - begin[w]) * size + 1);
        at[w] = m.in[w] + skew;
    }
    return m;
}

static void free_runs(const merged *m, unsigned count)
{
    for (unsigned w = 0; w < count; w++) oplus_free(dev, m->in[w]);
    oplus_free(dev, m->out);
}

/* Values that tell places apart, to heads. */
static void fill_values(const oplus_type *value, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < value->size; k++) heads[i * value->size + k] = (unsigned char)(i >> 8 * (k % 4));
}

/* The same merges part by part, each by one accelerator alone. */
static void merge_parts(rng *r, const opi_deal *deal, const opi_deal_runs *runs, size_t n, const char *what)
{
    opi_reached of = {.key = runs->key, .value = runs->value, .order = runs->order, .runs = deal->workers};
    memcpy(of.keys, runs->keys, sizeof of.keys);
    memcpy(of.values, runs->values, sizeof of.values);
    for (unsigned w = 0; w < deal->workers; w++) of.n[w] = runs->n[w];
    for (of.first = 0; of.first < n; of.first += of.count) {
        oplus_device *const one = worker[rng_below(r, WORKERS)];
        of.count = 1 + rng_below(r, n - of.first);
        of.out = (unsigned char *)runs->out + of.first * runs->key->size;
        if (runs->value) of.out_values = (unsigned char *)runs->out_values + of.first * runs->value->size;
        must_be_ok(one->machine->transfers->merge_prepare(one, "test", &of), what);
        must_be_ok(one->machine->transfers->merge(one, "test", &of), what);
    }
    sync_all();
}

static void try_merge_runs(rng *r, opi_deal *deal, opi_deal_runs *runs, size_t n, bool apart)
{
    const size_t value = runs->value ? runs->value->size : 0;
    size_t begin[OPI_MOST_WORKERS + 1];
    merged keys, values = {.size = 0};
    char what[96];
    make_runs(r, runs->key, runs->order, n, deal->workers, begin);
    snprintf(what, sizeof what, "a merge of %u runs of %s, values of %zu bytes", deal->workers, runs->key->name, value);
    keys = bring_runs(r, x, runs->key->size, begin, deal->workers, runs->keys);
    runs->out = keys.out + keys.before;
    memcpy(expected, x, n * runs->key->size);
    if (value) {
        fill_values(runs->value, n);
        values = bring_runs(r, heads, value, begin, deal->workers, runs->values);
        runs->out_values = values.out + values.before;
        must_be_ok(oplus_sort_pairs(serial, runs->key, runs->order, expected, runs->value, heads, n), "the core");
    } else {
        must_be_ok(oplus_sort(serial, runs->key, runs->order, expected, n), "the core");
    }
    for (unsigned w = 0; w < deal->workers; w++) runs->n[w] = begin[w + 1] - begin[w];
    for (deal->own = 0; deal->own < deal->workers; deal->own++)
        must_be_ok(
            oplus_alloc(worker[deal->own % WORKERS], opi_deal_merge_bytes(deal, runs) + 1, &runs->memory[deal->own]),
            "alloc");
    if (apart) {
        merge_parts(r, deal, runs, n, what);
    } else {
        each_merge(deal, opi_deal_merge_prepare, runs, what);
        each_merge(deal, opi_deal_merge_sample, runs, what);
        each_merge(deal, opi_deal_merge_run, runs, what);
    }
    same_bytes(keys.out, expected, keys.before, n * runs->key->size, what);
    if (value) same_bytes(values.out, heads, values.before, n * value, what);
    for (unsigned w = 0; w < deal->workers; w++) oplus_free(worker[w % WORKERS], runs->memory[w]);
    free_runs(&keys, deal->workers);
    if (value) free_runs(&values, deal->workers);
}

/* Every number of runs, then some drawn; of pairs, too. */
static void any_merge_runs(void **state)
{
    static const oplus_type *const values[] = {&oplus_u32, &oplus_u64, &oplus_u8, &mixed12_type, &oplus_c128};
    rng r = test_rng("dealt merges of runs");
    opi_accelerator *all[OPI_MOST_WORKERS];
    (void)state;
    for (unsigned w = 0; w < OPI_MOST_WORKERS; w++) all[w] = (opi_accelerator *)worker[w % WORKERS];
    for (long i = 7 + 4 * rounds(); i > 0; i--) {
        const oplus_type *const key = keys_of[rng_below(&r, KEYS)];
        opi_deal deal = {.all = all, .page = (size_t)(64 << 10) << rng_below(&r, 3)};
        opi_deal_runs runs = {.key = key, .order = rng_below(&r, 2) ? OPLUS_DESCENDING : OPLUS_ASCENDING};
        if (rng_below(&r, 2)) runs.value = values[rng_below(&r, sizeof values / sizeof *values)];
        const size_t most = draw_tiles(&r) * TILE_BYTES / key->size;
        const size_t n = 1 + rng_below(&r, most < MOST_BYTES / 32 ? most : MOST_BYTES / 32);
        deal.workers = deal.share = i <= 7 ? (unsigned)i + 1 : 2 + (unsigned)rng_below(&r, OPI_MOST_WORKERS - 1);
        deal.beyond = rng_below(&r, 2) ? 0 : rng_below(&r, 2 * deal.page * deal.workers) / key->size * key->size;
        fill_run_keys(&r, key, n);
        try_merge_runs(&r, &deal, &runs, n, false);
        fill_run_keys(&r, key, n);
        try_merge_runs(&r, &deal, &runs, n, true);
        dealt++;
    }
}

/* --- packs ---------------------------------------------------------------------------------------------------------- */

static void any_pack(void **state)
{
    static const opi_packed members[][2] = {{{4, 16, 0, 0x8000}, {8, 32, UINT32_MAX, 1u << 31}},
                                            {{0, 32, 0, 0}, {7, 8, 0, UINT8_MAX}},
                                            {{2, 8, 0, 0}, {3, 8, 0, 0x80}}};
    rng r = test_rng("dealt packs");
    (void)state;
    for (long i = rounds(); i > 0; i--) {
        const size_t which = rng_below(&r, 3), key = which == 2 ? 2 : 8, size = 12 + 8 * rng_below(&r, 3);
        const size_t n = 1 + rng_below(&r, draw_tiles(&r) * TILE_BYTES / size), skew = 4 * rng_below(&r, 40);
        const size_t before = GUARD + rng_below(&r, MOST_SKEW) * key;
        opi_task task;
        fill(subject_named("hash4"), &r, n * size / 4 + 1);
        opi_task_pack(&task, size, x, n, members[which], 2, key, expected);
        on_core(&task);
        unsigned char *const in = bring(x, skew, n * size), *const out = bring_output(before + n * key + GUARD);
        opi_task_pack(&task, size, in + skew, n, members[which], 2, key, out + before);
        deal_out(&r, &task, "a pack");
        same_bytes(out, expected, before, n * key, "a pack");
        oplus_free(dev, in);
        oplus_free(dev, out);
    }
}

/* --- rows ----------------------------------------------------------------------------------------------------------- */

/* Shapes of every kind: short rows, rows that a work-group does, long ones, one matrix, several. */
static opi_axis draw_axis(rng *r, size_t most)
{
    opi_axis a = {1, 1, 1};
    if (rng_below(r, 8) == 0) return (opi_axis){1 + rng_below(r, 6), 65536 + rng_below(r, 3000), 1}; /* few long rows */
    switch (rng_below(r, 5)) {
    case 0:
        a.n = 1 + rng_below(r, 100);
        break;
    case 1:
        a.n = 1 + rng_below(r, 4000);
        break;
    case 2:
        a.n = 1 + rng_below(r, most);
        break;
    case 3:
        a.inner = 1 + rng_below(r, 1u << rng_below(r, 13));
        break;
    default:
        a.inner = 1 + rng_below(r, 300), a.n = 1 + rng_below(r, 1u << rng_below(r, 12));
    }
    if (a.n == 1 && a.inner > 1) a.n = 1 + most / a.inner; /* one matrix */
    while (a.n > 1 && a.n * a.inner > most) a.n /= 2;
    a.outer = 1 + most / opi_larger(a.n * a.inner, 1) / (rng_below(r, 3) ? 1 : 2);
    return a;
}

static size_t most_elements(rng *r, size_t size)
{
    const size_t most = draw_tiles(r) * TILE_BYTES / size, room = MOST_BYTES / 4 / size;
    return 1 + (most < room ? most : room);
}

/* Mostly one matrix of several pages, whose parts are dealt out. */
static opi_axis draw_matrix(rng *r, size_t most)
{
    const opi_axis a = {1, most, 1 + rng_below(r, 1u << rng_below(r, 11))};
    if (rng_below(r, 4) == 0 || most < a.inner) return draw_axis(r, most);
    return (opi_axis){1, most / a.inner, a.inner};
}

static void try_axis(const oplus_op *op, const opi_axis *a, bool scans, rng *r)
{
    const size_t size = op->type->size, n = a->outer * a->n * a->inner, results = scans ? n : a->outer * a->inner;
    const size_t skew = rng_below(r, MOST_SKEW) * size, before = GUARD + rng_below(r, MOST_SKEW) * size;
    const bool in_place = scans && rng_below(r, 4) == 0;
    const oplus_kind kind = op->identity && rng_below(r, 2) ? OPLUS_EXCLUSIVE : OPLUS_INCLUSIVE;
    char what[128];
    opi_task task;
    snprintf(what, sizeof what, "%s of %zu x %zu x %zu", scans ? "a scan" : "a reduce", a->outer, a->n, a->inner);
    opi_task_reduce_axis(&task, op, x, a, expected);
    if (scans) opi_task_scan_axis(&task, op, kind, x, a, expected);
    on_core(&task);
    unsigned char *const in = bring(x, skew, n * size), *const out = bring_output(before + results * size + GUARD);
    if (in_place) must_be_ok(oplus_copy(dev, out + before, x, n * size), "copy");
    const unsigned char *const from = in_place ? out + before : in + skew;
    opi_task_reduce_axis(&task, op, from, a, out + before);
    if (scans) opi_task_scan_axis(&task, op, kind, from, a, out + before);
    deal_out(r, &task, what);
    same_bytes(out, expected, before, results * size, what);
    oplus_free(dev, in);
    oplus_free(dev, out);
}

static void any_axis(void **state)
{
    rng r = test_rng("dealt rows");
    (void)state;
    for (long i = 2 * rounds(); i > 0; i--) {
        const subject *const s = subject_named(on_cuda            ? names[rng_below(&r, NAMES)]
                                               : rng_below(&r, 2) ? "hash4"
                                                                  : "hash8");
        const size_t most = most_elements(&r, s->op->type->size);
        const opi_axis a = rng_below(&r, 2) ? draw_axis(&r, most) : draw_matrix(&r, most);
        fill(s, &r, a.outer * a.n * a.inner);
        try_axis(s->op, &a, rng_below(&r, 2), &r);
    }
}

static void any_extreme_axis(void **state)
{
    rng r = test_rng("dealt extremes of rows");
    (void)state;
    for (long i = rounds(); i > 0; i--) {
        const oplus_type *const type = keys_of[rng_below(&r, KEYS)];
        const size_t size = type->size, index = rng_below(&r, 2) ? 4 : 8;
        const opi_axis a = draw_matrix(&r, most_elements(&r, opi_larger(size, 8)));
        const size_t rows = a.outer * a.inner, n = rows * a.n, skew = rng_below(&r, MOST_SKEW) * size;
        const size_t before = GUARD + rng_below(&r, MOST_SKEW) * index;
        const unsigned side = rng_below(&r, 2) ? OPI_LEAST : OPI_GREATEST;
        char what[128];
        opi_task task;
        snprintf(what, sizeof what, "an extreme of %s, %zu x %zu x %zu", type->name, a.outer, a.n, a.inner);
        fill(subject_named("hash4"), &r, n * size / 4 + 1);
        for (size_t k = 0, few = rng_below(&r, 2); few && k < n * size; k++) x[k] &= 1; /* the first of equals counts */
        opi_task_extreme_axis(&task, type, side, x, &a, index, expected);
        on_core(&task);
        unsigned char *const in = bring(x, skew, n * size), *const out = bring_output(before + rows * index + GUARD);
        opi_task_extreme_axis(&task, type, side, in + skew, &a, index, out + before);
        deal_out(&r, &task, what);
        same_bytes(out, expected, before, rows * index, what);
        oplus_free(dev, in);
        oplus_free(dev, out);
    }
}

/* --- windows and repeats -------------------------------------------------------------------------------------------- */

static void any_window(void **state)
{
    rng r = test_rng("dealt windows");
    (void)state;
    for (long i = rounds(); i > 0; i--) {
        const subject *const s = subject_named(on_cuda            ? names[rng_below(&r, NAMES)]
                                               : rng_below(&r, 2) ? "hash4"
                                                                  : "hash8");
        const size_t size = s->op->type->size, n = most_elements(&r, size);
        const size_t w = 1 + rng_below(&r, rng_below(&r, 8) ? 200 : 3000), skew = rng_below(&r, MOST_SKEW) * size;
        const size_t before = GUARD + rng_below(&r, MOST_SKEW) * size;
        opi_task task;
        fill(s, &r, n);
        opi_task_window(&task, s->op, x, n, w, expected);
        on_core(&task);
        unsigned char *const in = bring(x, skew, n * size), *const out = bring_output(before + n * size + GUARD);
        opi_task_window(&task, s->op, in + skew, n, w, out + before);
        deal_out(&r, &task, "a window");
        same_bytes(out, expected, before, n * size, "a window");
        oplus_free(dev, in);
        oplus_free(dev, out);
    }
}

/* Counts of every kind: mostly 0, mostly the same, or one that has nearly all.  Returns their sum. */
static size_t fill_ends(rng *r, size_t n, size_t most, uint64_t *ends)
{
    const size_t usual = rng_below(r, 3) ? 1 + rng_below(r, 2 * most / n + 1) : 1, large = rng_below(r, 2 * n);
    const bool few = rng_below(r, 4) == 0;
    size_t sum = 0;
    for (size_t s = 0; s < n; s++) {
        const size_t count = s == large ? most / 2 : few ? rng_below(r, 50) == 0 : rng_below(r, usual + 1);
        sum = sum + count <= most ? sum + count : sum;
        ends[s] = sum;
    }
    return sum;
}

static void any_repeat(void **state)
{
    rng r = test_rng("dealt repeats");
    (void)state;
    for (long i = rounds(); i > 0; i--) {
        const size_t size = sizes[rng_below(&r, SIZES)], most = most_elements(&r, size), n = 1 + rng_below(&r, 100000);
        uint64_t *const ends = must(malloc(n * sizeof *ends));
        const size_t total = fill_ends(&r, n, most, ends), before = GUARD + rng_below(&r, MOST_SKEW) * size;
        const size_t skew = rng_below(&r, MOST_SKEW) * size;
        opi_task task;
        fill(subject_named("hash4"), &r, n * size / 4 + 1);
        opi_task_repeat(&task, size, x, n, ends, total, expected);
        if (total > 0) on_core(&task);
        unsigned char *const in = bring(x, skew, n * size), *const there = bring(ends, 0, n * sizeof *ends);
        unsigned char *const out = bring_output(before + total * size + GUARD);
        opi_task_repeat(&task, size, in + skew, n, (const uint64_t *)(const void *)there, total, out + before);
        if (total > 0) deal_out(&r, &task, "a repeat");
        same_bytes(out, expected, before, total * size, "a repeat");
        oplus_free(dev, in);
        oplus_free(dev, there);
        oplus_free(dev, out);
        free(ends);
    }
}

/* ------------------------------------------------------------------------------------------------------------------ */

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(any_take),        cmocka_unit_test(any_put),
                                       cmocka_unit_test(any_wrong_index), cmocka_unit_test(any_bounds),
                                       cmocka_unit_test(any_pack),        cmocka_unit_test(any_axis),
                                       cmocka_unit_test(any_merge_runs),  cmocka_unit_test(any_extreme_axis),
                                       cmocka_unit_test(any_window),      cmocka_unit_test(any_repeat)};
    int failed = 77;
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    make_arrays();
    on_cuda = open_workers();
    if (on_cuda || open_one("opencl:cpu")) {
        failed = cmocka_run_group_tests_name("dealt apart", tests, NULL, NULL);
        printf("%ld calls were dealt out, %ld were done whole\n", dealt, whole);
        if (failed == 0 && dealt == 0 && argc == 1) failed = 1;
    }
    end_all();
    return failed;
}
