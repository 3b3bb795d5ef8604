/* The ways of CUDA in one launch, "pipeline" and "look-back", scans, filters and selects: calls of any size and alignment in device memory have
 * the bits of one core, and touch nothing outside of their arrays.  If a group waits in vain, the call says so, and the device goes on.
 *
 * The linker sends opi_gpu_define, which writes the numbers of a kernel's source, through the __wrap_ function here
 * (pipeline.link).  It ends with 77 where no device has such a way.
 *
 *     pipeline          all
 *     pipeline any_*    the tests of such names
 *
 *     OPLUS_TEST_CALLS=n     so many random calls
 *     OPLUS_TEST_WAY=name    that way alone */
#include "laws/pipeline_calls.h"
#include "support/laws.h"

#include "driver/driver.h"
#include "gpus/gpus.h"
#include "gpu/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- random scans --------------------------------------------------------------------------------------------------- */

static long calls(void) { return test_number("OPLUS_TEST_CALLS", test_quick() ? 30 : 300); }

static void try_scan(rng *r, const subject *s)
{
    const call c = draw(r, s);
    fill(c.s, r, c.n);
    for (size_t k = 0; k < c.n; k++) heads[k] = 0;
    for (size_t k = 0; c.heads > 0 && k < c.n; k += 1 + rng_below(r, 2 * c.heads)) heads[k] = (uint8_t)(k | 1);
    run(&c);
}

static void any_scan(void **state)
{
    rng r = test_rng("pipeline");
    (void)state;
    for (long i = calls(); i > 0; i--) try_scan(&r, subject_named(names[rng_below(&r, NAMES)]));
}

static void any_struct(void **state)
{
    rng r = test_rng("structs of a pipeline");
    (void)state;
    for (long i = calls(); i > 0; i--) try_scan(&r, &structs[(size_t)i % STRUCTS]);
}

/* Scans that nobody waits for, each of what the one before has written: in place, or to the other array. */
static const unsigned char *scan_in_a_row(oplus_device *d, const oplus_op *op, size_t n, unsigned turns,
                                          unsigned char *array[2])
{
    for (int i = 0; i < 20; i++, turns >>= 1) {
        unsigned char *const to = array[turns & 1];
        must_be_ok(oplus_scan(d, op, OPLUS_INCLUSIVE, array[0], n, to), "scan");
        array[turns & 1] = array[0];
        array[0] = to;
    }
    return array[0];
}

static void in_a_row(void **state)
{
    rng r = test_rng("in a row");
    (void)state;
    for (long i = calls() / 10; i >= 0; i--) {
        const oplus_op *const op = subject_named(i % 2 ? "hash4" : "sum_u64")->op;
        const size_t n = 1 + rng_below(&r, SOME_TILES * TILE_BYTES / op->type->size), bytes = n * op->type->size;
        const unsigned turns = (unsigned)rng_next(&r);
        unsigned char *there[2], *here[2] = {expected, got};
        fill(subject_named("hash4"), &r, bytes / 4 + 1);
        memcpy(expected, x, bytes);
        for (int k = 0; k < 2; k++) must_be_ok(oplus_alloc(dev, bytes, (void **)&there[k]), "alloc");
        must_be_ok(oplus_copy(dev, there[0], x, bytes), "copy");
        must_be_ok(oplus_copy(dev, x, scan_in_a_row(dev, op, n, turns, there), bytes), "copy");
        if (memcmp(x, scan_in_a_row(serial, op, n, turns, here), bytes) != 0)
            fail_msg("%zu bytes differ; OPLUS_TEST_SEED=%llu", bytes, (unsigned long long)test_seed());
        for (int k = 0; k < 2; k++) oplus_free(dev, there[k]);
    }
}

/* --- random filters ------------------------------------------------------------------------------------------------ */

/* in[skew_in ..] to other memory; or, if `back` is not SIZE_MAX, to `back` elements before `in`. */
static void filter(const oplus_fn *keep, size_t n, size_t skew_in, size_t skew_out, size_t back)
{
    const size_t size = keep->input[0]->size, bytes = n * size;
    const size_t skew = back == SIZE_MAX ? skew_out : skew_in, before = GUARD + skew * size;
    size_t kept, kept_there, moved = back == SIZE_MAX ? 0 : back * size, room = before + moved + bytes + GUARD;
    unsigned char *in, *out;
    must_be_ok(oplus_filter(serial, keep, x, n, expected, &kept), "the core");
    must_be_ok(oplus_alloc(dev, skew_in * size + bytes, (void **)&in), "alloc");
    must_be_ok(oplus_alloc(dev, room, (void **)&out), "alloc");
    memset(got, 0xa5, room);
    if (back != SIZE_MAX) memcpy(got + before + moved, x, bytes);
    must_be_ok(oplus_copy(dev, out, got, room), "copy");
    must_be_ok(oplus_copy(dev, in + skew_in * size, x, bytes), "copy");
    must_be_ok(oplus_filter(dev, keep, back == SIZE_MAX ? in + skew_in * size : out + before + moved, n, out + before,
                            &kept_there),
               keep->name);
    must_be_ok(oplus_copy(dev, got, out, room), "copy");
    if (kept != kept_there || memcmp(got + before, expected, kept * size) != 0)
        fail_msg("%s of %zu, in + %zu, out + %zu, %ld back: %zu are kept, not %zu, or others; OPLUS_TEST_SEED=%llu",
                 keep->name, n, skew_in, skew_out, (long)back, kept_there, kept, (unsigned long long)test_seed());
    for (size_t i = 0; i < room; i++)
        if ((i < before || i >= before + kept * size) && back == SIZE_MAX && got[i] != 0xa5)
            fail_msg("%s of %zu has written outside, at byte %zu", keep->name, n, i);
    oplus_free(dev, in);
    oplus_free(dev, out);
}

static void any_filter(void **state)
{
    rng r = test_rng("filters of a pipeline");
    (void)state;
    for (long i = calls(); i > 0; i--) {
        const oplus_fn keep = draw_predicate(&r);
        const size_t size = keep.input[0]->size, tiles = draw_tiles(&r);
        const size_t tile = TILE_BYTES / size, more = rng_below(&r, 4) ? rng_below(&r, tile) : 0;
        const size_t n = rng_below(&r, 8) ? tiles * tile + more : 1 + rng_below(&r, 2 * tile);
        const size_t skew = rng_below(&r, MOST_SKEW), back = rng_below(&r, 4) ? SIZE_MAX : rng_below(&r, MOST_BACK);
        fill(subject_named("hash4"), &r, n * size / 4 + 1);
        filter(&keep, n, rng_below(&r, 2) ? skew : 0, rng_below(&r, MOST_SKEW), back);
    }
}

/* --- random selects ------------------------------------------------------------------------------------------------- */

OPLUS_STRUCT(two32, uint32_t a; uint32_t b;)
OPLUS_ZIP(alike, uint8_t, uint32_t, uint32_t, { return (a ^ b) >> 28 == 0; })

/* What is picked of n elements: those with which runs begin, or those that `keep` accepts; and what is wanted of them. */
typedef struct select_call {
    const oplus_type *type, *index;
    const oplus_fn *same, *keep;
    size_t n, skew_in, skew_out, skew_index;
    bool picked, indices, lengths;
} select_call;

static oplus_status run_select(oplus_device *d, const select_call *c, const void *in, void *out, void *index,
                               void *length, size_t *count)
{
    if (c->keep) return oplus_indices(d, c->keep, in, c->n, c->index, index, count);
    return oplus_unique(d, c->type, c->same, in, c->n, c->picked ? out : NULL, c->index, c->lengths ? length : NULL,
                        c->indices ? index : NULL, NULL, count);
}

static select_call draw_select(rng *r)
{
    static const oplus_type *const types[] = {&oplus_u8, &oplus_i16, &oplus_u32, &oplus_f32, &oplus_u64, &two32_type};
    select_call c = {.type = types[rng_below(r, 6)], .index = rng_below(r, 2) ? &oplus_u32 : &oplus_u64};
    const size_t dice = rng_below(r, 6), tile = TILE_BYTES / c.type->size;
    c.picked = dice < 2 || dice == 5;
    c.indices = !c.picked || dice == 1;
    c.lengths = dice != 4 && rng_below(r, 2);
    if (dice == 4) c.keep = &odd_u32_fn;
    if (dice == 5) c.same = &alike_fn;
    if (c.keep || c.same) c.type = &oplus_u32;
    c.n = (1 + rng_below(r, MANY_TILES)) * tile + (rng_below(r, 3) ? rng_below(r, tile) : rng_below(r, 3));
    if (rng_below(r, 8) == 0) c.n = 1 + rng_below(r, 2 * tile);
    c.skew_in = rng_below(r, 3) ? rng_below(r, MOST_SKEW) : 0;
    c.skew_out = rng_below(r, MOST_SKEW);
    c.skew_index = rng_below(r, MOST_SKEW);
    return c;
}

/* Runs of `length` elements on average: 1, or more than a tile, or more than all.  Many begin or end with tiles. */
static void fill_runs(rng *r, size_t size, size_t n, size_t length)
{
    fill(subject_named("hash4"), r, n * size / 4 + 1);
    for (size_t i = 1; i < n; i++)
        if (i % 4096 == 0 ? rng_below(r, length < 8192 ? 2 : 20) : rng_below(r, length))
            memcpy(x + i * size, x + (i - 1) * size, size);
}

static void *copied(const void *from, size_t before, size_t bytes, size_t behind)
{
    unsigned char *mem;
    must_be_ok(oplus_alloc(dev, before + bytes + behind, (void **)&mem), "alloc");
    memset(got, 0xa5, before + bytes + behind);
    if (from) memcpy(got + before, from, bytes);
    must_be_ok(oplus_copy(dev, mem, got, before + bytes + behind), "copy");
    return mem + before;
}

/* Compares what is at `there`, between guards, and frees it. */
static void compare_select(const select_call *c, const char *what, unsigned char *there, const unsigned char *here,
                           size_t before, size_t bytes, size_t room)
{
    must_be_ok(oplus_copy(dev, got, there - before, before + room + GUARD), "copy");
    for (size_t i = 0; i < before + room + GUARD; i++) {
        const bool inside = i >= before && i < before + bytes;
        if (got[i] != (inside ? here[i - before] : 0xa5))
            fail_msg("%s of %zu \"%s\", in + %zu, out + %zu, index + %zu: byte %zu differs; OPLUS_TEST_SEED=%llu", what,
                     c->n, c->type->name, c->skew_in, c->skew_out, c->skew_index, i, (unsigned long long)test_seed());
    }
    oplus_free(dev, there - before);
}

static void any_select(void **state)
{
    rng r = test_rng("selects of a pipeline");
    (void)state;
    for (long i = calls(); i > 0; i--) {
        const select_call c = draw_select(&r);
        const size_t size = c.type->size, index = c.index->size;
        const size_t before = GUARD + c.skew_out * size, before_index = GUARD + c.skew_index * index;
        size_t count, count_there;
        unsigned char *const numbers = must(malloc(c.n * index)), *const measured = must(malloc(c.n * index));
        fill_runs(&r, size, c.n, (size_t)1 << rng_below(&r, 20));
        must_be_ok(run_select(serial, &c, x, expected, numbers, measured, &count), "the core");
        unsigned char *const in = copied(x, c.skew_in * size, c.n * size, 0);
        unsigned char *const out = copied(NULL, before, c.n * size, GUARD);
        unsigned char *const found = copied(NULL, before_index, c.n * index, GUARD);
        unsigned char *const lengths = copied(NULL, before_index, c.n * index, GUARD);
        must_be_ok(run_select(dev, &c, in, out, found, lengths, &count_there), "a select");
        assert_int_equal(count, count_there);
        compare_select(&c, "picked", out, expected, before, c.picked ? count * size : 0, c.n * size);
        compare_select(&c, "indices", found, numbers, before_index, c.indices ? count * index : 0, c.n * index);
        compare_select(&c, "lengths", lengths, measured, before_index, c.lengths ? count * index : 0, c.n * index);
        oplus_free(dev, in - c.skew_in * size);
        free(measured);
        free(numbers);
    }
}

/* --- epochs -------------------------------------------------------------------------------------------------------- */

/* Launches are numbered, and after 2^32 - 1 numbers begin again. */
static void epochs_end(void **state)
{
    const uint64_t soon = UINT64_C(0xfffffff0) << 32;
    const opi_accelerator *const g = (const opi_accelerator *)dev;
    rng r = test_rng("epochs");
    (void)state;
    const call whole = {.s = subject_named("hash4"), .n = 1000 * TILE_BYTES / 4};
    fill(whole.s, &r, whole.n);
    run(&whole);
    if (strcmp(getenv("OPLUS_WAY"), "look-back") != 0) skip(); /* calls that "pipeline" cannot do may have used it */
    must_be_ok(oplus_copy(dev, g->told.mem, &soon, sizeof soon), "copy");
    for (int i = 0; i < 40; i++) {
        call c = draw(&r, subject_named(names[rng_below(&r, NAMES)]));
        c.heads = 0;
        fill(c.s, &r, c.n);
        run(&c);
    }
    uint64_t next;
    must_be_ok(oplus_copy(dev, &next, g->told.mem, sizeof next), "copy");
    assert_in_range(next >> 32, 1, 40);
}

/* --- giving up ---------------------------------------------------------------------------------------------------- */

OPLUS_OP(lost_sum, uint32_t, (0), 0, { return a + b; })
OPLUS_PREDICATE(lost, uint32_t, { return a >> 31 == 0; })

enum {
    SILENT_TILE = 40,
    SHORT_PATIENCE = 50000000 /* cycles */,
    FEW = 200 * TILE_BYTES / 4,
    ONE_PIECE = FEW / 2 /* of the host */
};
static bool loses; /* programs that are written lose the node of a tile */

void __real_opi_gpu_define(opi_gpu_source *source, const char *name, unsigned long value);
void __wrap_opi_gpu_define(opi_gpu_source *source, const char *name, unsigned long value);
void __wrap_opi_gpu_define(opi_gpu_source *source, const char *name, unsigned long value)
{
    const bool is_patience = loses && strcmp(name, "OPI_PATIENCE") == 0;
    if (is_patience) __real_opi_gpu_define(source, "OPI_SILENT_TILE", SILENT_TILE);
    __real_opi_gpu_define(source, name, is_patience ? SHORT_PATIENCE : value);
}

static void has_given_up(oplus_status status)
{
    assert_int_equal(status, OPLUS_ERR_INTERNAL);
    if (!strstr(oplus_last_error(), "gave up") || !strstr(oplus_last_error(), "OPLUS_WAY"))
        fail_msg("the message is \"%s\"", oplus_last_error());
}

static void still_works(uint32_t *mem)
{
    size_t kept, kept_there;
    must_be_ok(oplus_copy(dev, mem, x, FEW * sizeof *mem), "copy");
    must_be_ok(oplus_scan(dev, &oplus_sum_u32, OPLUS_INCLUSIVE, mem, FEW, mem), "a scan after one that gave up");
    must_be_ok(oplus_copy(dev, got, mem, FEW * sizeof *mem), "copy");
    must_be_ok(oplus_scan(serial, &oplus_sum_u32, OPLUS_INCLUSIVE, x, FEW, expected), "the core");
    assert_memory_equal(got, expected, FEW * sizeof *mem);
    must_be_ok(oplus_filter(dev, &odd_u32_fn, mem, FEW, mem, &kept_there), "a filter after one that gave up");
    must_be_ok(oplus_filter(serial, &odd_u32_fn, expected, FEW, expected, &kept), "the core");
    must_be_ok(oplus_copy(dev, got, mem, kept * sizeof *mem), "copy");
    assert_int_equal(kept, kept_there);
    assert_memory_equal(got, expected, kept * sizeof *mem);
}

static void gives_up(void **state)
{
    uint32_t *mem;
    size_t *kept;
    rng r = test_rng("gives up");
    (void)state;
    fill(subject_named("hash4"), &r, FEW);
    must_be_ok(oplus_alloc(dev, FEW * sizeof *mem, (void **)&mem), "alloc");
    must_be_ok(oplus_alloc(dev, sizeof *kept, (void **)&kept), "alloc");
    still_works(mem);
    for (int i = 0; i < 3; i++) {
        loses = true;
        must_be_ok(oplus_scan(dev, &lost_sum_op, OPLUS_INCLUSIVE, mem, FEW, mem), "a call that only enqueues");
        has_given_up(oplus_sync(dev));
        has_given_up(oplus_scan(dev, &lost_sum_op, OPLUS_INCLUSIVE, x, ONE_PIECE, got));
        must_be_ok(oplus_filter(dev, &lost_fn, mem, FEW, mem, kept), "a call that only enqueues");
        has_given_up(oplus_sync(dev));
        loses = false;
        must_be_ok(oplus_sync(dev), "the fault is told once");
        still_works(mem);
    }
    oplus_free(dev, mem);
    oplus_free(dev, kept);
}

/* ------------------------------------------------------------------------------------------------------------------ */

static const struct {
    const char *name, *lacks;
    unsigned architecture;
} ways[] = {{"pipeline", "bulk copies", 90}, {"look-back", "work-items that wait for others", 70}};
enum { WAYS = sizeof ways / sizeof *ways };

static bool open_dev(int way)
{
    const char *const wanted = getenv("OPLUS_TEST_WAY");
    if (wanted && strcmp(wanted, ways[way].name) != 0) return false;
    setenv("OPLUS_WAY", ways[way].name, 1);
    if (oplus_open("cuda", &dev) != OPLUS_OK) return printf("not tried: %s\n", oplus_last_error()), false;
    if (opi_gpus_driver_of(dev)->facts.architecture >= ways[way].architecture) return true;
    printf("%s is not tried: %s has no %s\n", ways[way].name, opi_gpus_driver_of(dev)->facts.name, ways[way].lacks);
    oplus_close(dev);
    return false;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(any_scan),   cmocka_unit_test(any_struct),
                                       cmocka_unit_test(any_filter), cmocka_unit_test(any_select),
                                       cmocka_unit_test(in_a_row),   cmocka_unit_test(epochs_end),
                                       cmocka_unit_test(gives_up)};
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    int failed = 0, tried = 0;
    must_be_ok(oplus_open("serial", &serial), "serial");
    x = must(aligned_alloc(64, MOST_BYTES)); /* the largest alignment of an element */
    got = must(aligned_alloc(64, MOST_BYTES + 2 * GUARD + (MOST_SKEW + MOST_BACK) * 64));
    expected = must(aligned_alloc(64, MOST_BYTES));
    heads = must(malloc(MOST_BYTES));
    for (int way = 0; way < WAYS; way++) {
        if (!open_dev(way)) continue;
        failed += cmocka_run_group_tests_name(ways[way].name, tests, NULL, NULL);
        tried++;
        oplus_close(dev);
    }
    free(x);
    free(got);
    free(expected);
    free(heads);
    oplus_close(serial);
    return tried > 0 ? failed : 77;
}
