/* Tasks that are dealt out to several accelerators (gpu/deal.h), and whose outputs the first one makes of what all have found:
 * extremes, counts, the first k and the one at a place have the bits of one core, for pages of any size, wherever they begin,
 * with results on the device or the host, and nothing outside of the output is touched.
 *
 * On CUDA one GPU is enough: it is opened three times.  Where there is none, one accelerator of OpenCL takes the part of each
 * after the other, with other memory each time.  It ends with 77 where no device can do this.
 *
 *     OPLUS_TEST_CALLS=n     so many random calls of each kind */
#include "laws/dealing.h"

#include "gpu/memory.h"
#include "task/make.h"

static bool on_cuda;

static long rounds(void) { return on_cuda ? calls() : 1 + calls() / 3; }

static const oplus_type *const keys_of[] = {&oplus_u32, &oplus_u64, &oplus_i16, &oplus_f32, &oplus_f64, &oplus_u8};
enum { KEYS = sizeof keys_of / sizeof *keys_of };

/* --- extremes ------------------------------------------------------------------------------------------------------- */

/* Few different ones, mostly in order, so that equal ones are in several parts; or any bits, with NaNs. */
static void fill_some(rng *r, const oplus_type *type, size_t n)
{
    const uint64_t few = 1 + rng_below(r, 200);
    const bool any = rng_below(r, 2);
    for (size_t i = 0; i < n; i++) {
        const uint64_t bits = any ? rng_next(r) : i * few / n + rng_below(r, few);
        memcpy(x + i * type->size, &bits, type->size); /* little endian */
    }
}

static void try_extreme(rng *r, const oplus_type *type, size_t n)
{
    static const size_t bytes_of[] = {[OPI_GIVES_PLACE] = 8, [OPI_GIVES_VALUES] = 0, [OPI_GIVES_RECORD] = 32};
    const size_t skew = rng_below(r, MOST_SKEW) * type->size;
    const opi_gives gives = (opi_gives[]){OPI_GIVES_PLACE, OPI_GIVES_VALUES, OPI_GIVES_RECORD}[rng_below(r, 3)];
    const unsigned sides = gives != OPI_GIVES_PLACE ? OPI_LEAST | OPI_GREATEST
                           : rng_below(r, 2)        ? OPI_LEAST
                                                    : OPI_GREATEST;
    const size_t bytes = gives == OPI_GIVES_VALUES ? 2 * type->size : bytes_of[gives];
    const bool here = gives == OPI_GIVES_RECORD || rng_below(r, 2);
    opi_task task;
    opi_task_extreme(&task, type, sides, x, n, gives, expected, bytes);
    must_be_ok(serial->machine->run(serial, "test", &task, NULL), "the core");
    unsigned char *const in = bring(x, skew, n * type->size), *const there = bring_output(GUARD + bytes + GUARD);
    opi_task_extreme(&task, type, sides, in + skew, n, gives, here ? got : there + GUARD, bytes);
    deal_out(r, &task, "extremes");
    if (here && memcmp(got, expected, bytes) != 0)
        fail_msg("extremes of %zu %s differ; OPLUS_TEST_SEED=%llu", n, type->name, (unsigned long long)test_seed());
    if (!here) same_bytes(there, expected, GUARD, bytes, "extremes");
    oplus_free(dev, in);
    oplus_free(dev, there);
}

static void any_extreme(void **state)
{
    rng r = test_rng("dealt extremes");
    (void)state;
    for (long i = rounds(); i > 0; i--) {
        const oplus_type *const type = keys_of[rng_below(&r, KEYS)];
        const size_t n = 1 + rng_below(&r, draw_tiles(&r) * TILE_BYTES / type->size);
        fill_some(&r, type, n);
        try_extreme(&r, type, n);
    }
}

/* --- counts --------------------------------------------------------------------------------------------------------- */

enum { MOST_BINS = 6000 };

static void put_number(const oplus_type *type, unsigned char *to, uint32_t number)
{
    const float f32 = (float)number;
    const double f64 = (double)number;
    if (type == &oplus_f32)
        memcpy(to, &f32, sizeof f32);
    else if (type == &oplus_f64)
        memcpy(to, &f64, sizeof f64);
    else
        memcpy(to, &(uint64_t){number}, type->size);
}

/* Bins of numbers below `below`, and their edges. */
static opi_bins draw_bins(rng *r, const oplus_type *type, uint32_t below, unsigned char *edges)
{
    const bool is_float = type == &oplus_f32 || type == &oplus_f64;
    opi_bins bins = {.binning = is_float ? (opi_binning[]){OPI_BY_EVEN, OPI_BY_EDGES}[rng_below(r, 2)]
                                         : (opi_binning[]){OPI_BY_NUMBER, OPI_BY_EDGES}[rng_below(r, 2)],
                     .type = type,
                     .n = 1 + rng_below(r, rng_below(r, 2)     ? 100
                                           : below > MOST_BINS ? MOST_BINS
                                                               : below)};
    bins.bounds = (oplus_bounds[]){OPLUS_CLIP, OPLUS_IGNORE, OPLUS_REFUSE}[rng_below(r, 3)];
    if (bins.binning == OPI_BY_NUMBER && bins.bounds == OPLUS_REFUSE) bins.n = below;
    bins.low = (double)rng_below(r, 20);
    bins.high = bins.low + 1 + (double)rng_below(r, below);
    bins.scale = (double)bins.n / (bins.high - bins.low);
    for (uint64_t b = 0; b <= bins.n; b++) put_number(type, edges + b * type->size, (uint32_t)(b * below / bins.n));
    return bins;
}

static void try_count(rng *r, const opi_bins *bins, const unsigned char *edges, size_t n)
{
    const oplus_type *const type = bins->type;
    const size_t skew = rng_below(r, MOST_SKEW) * type->size, counter = rng_below(r, 2) ? 4 : 8;
    const size_t bytes = (size_t)bins->n * counter, edge_bytes = ((size_t)bins->n + 1) * type->size;
    const bool has_edges = bins->binning == OPI_BY_EDGES, here = rng_below(r, 2);
    opi_task task;
    opi_task_count(&task, bins, x, n, has_edges ? edges : NULL, counter, expected);
    must_be_ok(serial->machine->run(serial, "test", &task, NULL), "the core");
    unsigned char *const in = bring(x, skew, n * type->size), *const there = bring_output(GUARD + bytes + GUARD);
    unsigned char *const edges_there = bring(edges, 0, edge_bytes);
    opi_task_count(&task, bins, in + skew, n,
                   !has_edges        ? NULL
                   : rng_below(r, 2) ? edges_there
                                     : edges,
                   counter, here ? got + GUARD : there + GUARD);
    memset(got, 0xa5, GUARD + bytes + GUARD);
    deal_out(r, &task, "counts");
    if (here) must_be_ok(oplus_copy(dev, there, got, GUARD + bytes + GUARD), "copy");
    same_bytes(there, expected, GUARD, bytes, "counts");
    oplus_free(dev, in);
    oplus_free(dev, there);
    oplus_free(dev, edges_there);
}

static void any_count(void **state)
{
    static const oplus_type *const types[] = {&oplus_u32, &oplus_u8, &oplus_i16, &oplus_f32, &oplus_f64, &oplus_u64};
    unsigned char *const edges = must(malloc(8 * (MOST_BINS + 1)));
    rng r = test_rng("dealt counts");
    (void)state;
    for (long i = rounds(); i > 0; i--) {
        const oplus_type *const type = types[rng_below(&r, 6)];
        const size_t n = 1 + rng_below(&r, draw_tiles(&r) * TILE_BYTES / type->size);
        const uint32_t below = type->size == 1 ? 200 : 1 + (uint32_t)rng_below(&r, MOST_BINS);
        for (size_t k = 0; k < n; k++) put_number(type, x + k * type->size, (uint32_t)rng_below(&r, below));
        const opi_bins bins = draw_bins(&r, type, below, edges);
        try_count(&r, &bins, edges, n);
    }
    free(edges);
}

/* --- the first k, and the one at a place ----------------------------------------------------------------------------- */

/* Now and then an accelerator has all that is wanted, or all keys are equal. */
static void fill_order(rng *r, const oplus_type *type, size_t n)
{
    const size_t dice = rng_below(r, 4);
    for (size_t i = 0; i < n; i++) {
        const uint64_t bits = dice == 0 ? 7 : dice == 1 ? n - i : dice == 2 ? rng_below(r, 300) : rng_next(r);
        memcpy(x + i * type->size, &bits, type->size); /* little endian */
    }
}

static void try_top(rng *r, const oplus_type *key, oplus_order order, size_t n)
{
    const size_t skew = rng_below(r, MOST_SKEW) * key->size, most = rng_below(r, 3) ? 20 : 2000;
    const size_t k = 1 + rng_below(r, opi_smaller(n, most)), index = rng_below(r, 2) ? 4 : 8;
    const size_t bytes = k * key->size, index_bytes = k * index, room = GUARD + 8 * k + GUARD;
    const bool here = rng_below(r, 2), here_indices = rng_below(r, 2), keys_alone = rng_below(r, 4) == 0;
    unsigned char *const indices = must(malloc(index_bytes)), *const mine = must(malloc(room));
    opi_task task;
    opi_task_top(&task, key, order, x, n, k, expected, index, indices);
    must_be_ok(serial->machine->run(serial, "test", &task, NULL), "the core");
    unsigned char *const in = bring(x, skew, n * key->size);
    unsigned char *const out = bring_output(room), *const places = bring_output(room);
    memset(mine, 0xa5, room);
    opi_task_top(&task, key, order, in + skew, n, k, here ? got + GUARD : out + GUARD, keys_alone ? 0 : index,
                 keys_alone     ? NULL
                 : here_indices ? mine + GUARD
                                : places + GUARD);
    memset(got, 0xa5, room);
    deal_out(r, &task, "a top");
    if (here) must_be_ok(oplus_copy(dev, out, got, room), "copy");
    if (here_indices) must_be_ok(oplus_copy(dev, places, mine, room), "copy");
    same_bytes(out, expected, GUARD, bytes, "a top");
    if (!keys_alone) same_bytes(places, indices, GUARD, index_bytes, "indices of a top");
    unsigned char *const mem[] = {in, out, places};
    for (size_t m = 0; m < 3; m++) oplus_free(dev, mem[m]);
    free(indices);
    free(mine);
}

static void any_top(void **state)
{
    rng r = test_rng("dealt tops");
    (void)state;
    for (long i = rounds(); i > 0; i--) {
        const oplus_type *const key = keys_of[rng_below(&r, KEYS)];
        const size_t n = 1 + rng_below(&r, draw_tiles(&r) * TILE_BYTES / key->size);
        fill_order(&r, key, n);
        try_top(&r, key, rng_below(&r, 2) ? OPLUS_DESCENDING : OPLUS_ASCENDING, n);
    }
}

static void try_nth(rng *r, const oplus_type *key, oplus_order order, size_t n)
{
    const size_t skew = rng_below(r, MOST_SKEW) * key->size, room = GUARD + key->size + GUARD;
    const size_t k = rng_below(r, 4) ? rng_below(r, n) : (n - 1) * rng_below(r, 2);
    const bool here = rng_below(r, 2);
    opi_task task;
    opi_task_nth(&task, key, order, x, n, k, expected);
    must_be_ok(serial->machine->run(serial, "test", &task, NULL), "the core");
    unsigned char *const in = bring(x, skew, n * key->size), *const out = bring_output(room);
    opi_task_nth(&task, key, order, in + skew, n, k, here ? got + GUARD : out + GUARD);
    memset(got, 0xa5, room);
    deal_out(r, &task, "an nth");
    if (here) must_be_ok(oplus_copy(dev, out, got, room), "copy");
    same_bytes(out, expected, GUARD, key->size, "an nth");
    oplus_free(dev, in);
    oplus_free(dev, out);
}

static void any_nth(void **state)
{
    rng r = test_rng("dealt nths");
    (void)state;
    for (long i = rounds(); i > 0; i--) {
        const oplus_type *const key = keys_of[rng_below(&r, KEYS)];
        const size_t n = 1 + rng_below(&r, draw_tiles(&r) * TILE_BYTES / key->size);
        fill_order(&r, key, n);
        try_nth(&r, key, rng_below(&r, 2) ? OPLUS_DESCENDING : OPLUS_ASCENDING, n);
    }
}

/* --- the accelerators ----------------------------------------------------------------------------------------------- */

/* Memory of one context of OpenCL cannot be used in another: the others are the first one, with memory of their own. */
static bool open_twins(const char *where)
{
    if (!open_one(where)) return false;
    const opi_accelerator *const first = (const opi_accelerator *)dev;
    for (int w = 1; w < WORKERS; w++) {
        opi_accelerator *const twin = must(calloc(1, sizeof *twin));
        twin->dev = first->dev;
        twin->gpu = first->gpu;
        twin->programs.gpu = first->gpu;
        twin->piece_bytes = first->piece_bytes;
        twin->memory_bytes = first->memory_bytes;
        worker[w] = &twin->dev;
    }
    return true;
}

static void close_twins(void)
{
    for (int w = 1; w < WORKERS; w++) {
        opi_accelerator *const twin = (opi_accelerator *)worker[w];
        opi_gpu_release_all(twin);
        opi_programs_release(&twin->programs);
        opi_gpu_release_words(twin);
        free(twin);
        worker[w] = dev;
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(any_extreme), cmocka_unit_test(any_count),
                                       cmocka_unit_test(any_top), cmocka_unit_test(any_nth)};
    int failed = 77;
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    make_arrays();
    on_cuda = open_workers();
    if (on_cuda || open_twins("opencl:cpu")) {
        failed = cmocka_run_group_tests_name("dealt joined", tests, NULL, NULL);
        printf("%ld calls were dealt out, %ld were done whole\n", dealt, whole);
        if (failed == 0 && dealt == 0 && argc == 1) failed = 1;
        if (!on_cuda) close_twins();
    }
    end_all();
    return failed;
}
