/* The ways of CUDA in one launch, "pipeline" and "look-back", scans and filters: calls of any size and alignment in device memory have
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
#include "laws/pipeline_operators.h"
#include "support/laws.h"

#include "driver/driver.h"
#include "gpu/gpu.h"
#include "gpu/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    TILE_BYTES = 16 << 10,
    SOME_TILES = 40,
    MANY_TILES = 300,
    MOST_TILES = 4000, /* the ring of each group goes round more than once */
    MOST_BYTES = (MOST_TILES + 2) * TILE_BYTES,
    GUARD = 64,     /* bytes before and behind an output */
    MOST_SKEW = 32, /* elements */
    MOST_BACK = 3000
};

static oplus_device *dev, *serial;

/* --- random calls ------------------------------------------------------------------------------------------------- */

static const char *const names[] = {"sum_u8",  "hash1", "hash2",   "sum_i16",   "sum_f32",  "hash4",
                                    "sum_f64", "hash8", "sum_u64", "compose32", "multiply", "modulo"};
enum { NAMES = sizeof names / sizeof *names };

static unsigned char *x, *got, *expected, *heads; /* of the host */

/* One call: elements in[skew_in ..] to out[skew_out ..]. */
typedef struct call {
    const subject *s;
    oplus_kind kind;
    bool in_place;
    size_t n, skew_in, skew_out, skew_heads;
    size_t heads; /* one of so many elements is a head; 0: there are none */
} call;

static size_t draw_tiles(rng *r)
{
    const size_t dice = rng_below(r, 50);
    return 1 + rng_below(r, dice == 0 && !test_quick() ? MOST_TILES : dice < 8 ? MANY_TILES : SOME_TILES);
}

static call draw(rng *r, const subject *of)
{
    call c = {.s = of};
    const size_t tile = TILE_BYTES / c.s->op->type->size, dice = rng_below(r, 4);
    const size_t tiles = draw_tiles(r);
    c.kind = c.s->op->identity && rng_below(r, 2) ? OPLUS_EXCLUSIVE : OPLUS_INCLUSIVE;
    c.in_place = rng_below(r, 4) == 0;
    c.n = tiles * tile + (dice == 0 ? 0 : dice == 1 ? rng_below(r, 40) : rng_below(r, tile));
    if (rng_below(r, 8) == 0) c.n = 1 + rng_below(r, 2 * tile);
    c.skew_in = rng_below(r, 3) ? rng_below(r, MOST_SKEW) : 0;
    c.skew_out = rng_below(r, 3) ? rng_below(r, MOST_SKEW) : c.skew_in;
    c.skew_heads = rng_below(r, 2) * rng_below(r, MOST_SKEW);
    c.heads = rng_below(r, 2) ? 0 : (size_t)1 << rng_below(r, 14);
    return c;
}

/* x[0 .. n) becomes random; it repeats itself, but not as tiles do. */
static void fill(const subject *s, rng *r, size_t n)
{
    const size_t size = s->op->type->size, some = n < 4099 ? n : 4099;
    for (size_t i = 0; i < some; i++) s->random(r, x + i * size);
    for (size_t done = some, more; done < n; done += more) {
        more = done < n - done ? done : n - done;
        memcpy(x + done * size, x, more * size);
    }
}

static void differs(const call *c, size_t i)
{
    fail_msg("%s, %s, n = %zu, in + %zu, out + %zu, heads 1 in %zu, + %zu%s: byte %zu differs; OPLUS_TEST_SEED=%llu",
             c->s->name, c->kind == OPLUS_EXCLUSIVE ? "exclusive" : "inclusive", c->n, c->skew_in, c->skew_out,
             c->heads, c->skew_heads, c->in_place ? " in place" : "", i, (unsigned long long)test_seed());
}

/* `got` has the output between its guards. */
static void compare(const call *c, size_t bytes, size_t before)
{
    for (size_t i = 0; i < before + GUARD; i++)
        if (got[i < before ? i : i + bytes] != 0xa5) differs(c, i < before ? i : i + bytes);
    if (memcmp(got + before, expected, bytes) == 0) return;
    for (size_t i = 0; i < bytes; i++)
        if (got[before + i] != expected[i]) differs(c, before + i);
}

static oplus_status scan(oplus_device *d, const call *c, const void *in, const uint8_t *flags, void *out)
{
    if (c->heads > 0) return oplus_segscan(d, c->s->op, c->kind, in, flags, c->n, out);
    return oplus_scan(d, c->s->op, c->kind, in, c->n, out);
}

/* The input ends where its memory ends: a tool that looks at accesses sees what is read behind it. */
static void run(const call *c)
{
    const size_t size = c->s->op->type->size, bytes = c->n * size, skew = c->in_place ? c->skew_in : c->skew_out;
    const size_t before = GUARD + skew * size, room = before + bytes + GUARD;
    unsigned char *in, *out, *flags;
    must_be_ok(scan(serial, c, x, heads, expected), "the core");
    must_be_ok(oplus_alloc(dev, c->skew_in * size + bytes, (void **)&in), "alloc");
    must_be_ok(oplus_alloc(dev, c->skew_heads + c->n, (void **)&flags), "alloc");
    must_be_ok(oplus_alloc(dev, room, (void **)&out), "alloc");
    memset(got, 0xa5, room);
    if (c->in_place) memcpy(got + before, x, bytes);
    must_be_ok(oplus_copy(dev, out, got, room), "copy");
    must_be_ok(oplus_copy(dev, in + c->skew_in * size, x, bytes), "copy");
    must_be_ok(oplus_copy(dev, flags + c->skew_heads, heads, c->n), "copy");
    must_be_ok(scan(dev, c, c->in_place ? out + before : in + c->skew_in * size, flags + c->skew_heads, out + before),
               c->s->name);
    must_be_ok(oplus_copy(dev, got, out, room), "copy");
    compare(c, bytes, before);
    oplus_free(dev, flags);
    oplus_free(dev, in);
    oplus_free(dev, out);
}

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
    if (!g->told.mem) skip(); /* another way than "look-back" */
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

enum { SILENT_TILE = 40, SHORT_PATIENCE = 50000000 /* cycles */, FEW = 200 * TILE_BYTES / 4 };
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
        has_given_up(oplus_scan(dev, &lost_sum_op, OPLUS_INCLUSIVE, x, FEW, got)); /* arrays of the host */
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
    if (opi_gpu_driver_of(dev)->facts.architecture >= ways[way].architecture) return true;
    printf("%s is not tried: %s has no %s\n", ways[way].name, opi_gpu_driver_of(dev)->facts.name, ways[way].lacks);
    oplus_close(dev);
    return false;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(any_scan), cmocka_unit_test(any_struct),
                                       cmocka_unit_test(any_filter), cmocka_unit_test(epochs_end),
                                       cmocka_unit_test(gives_up)};
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    int failed = 0, tried = 0;
    must_be_ok(oplus_open("serial", &serial), "serial");
    x = must(malloc(MOST_BYTES));
    got = must(malloc(MOST_BYTES + 2 * GUARD + (MOST_SKEW + MOST_BACK) * 64));
    expected = must(malloc(MOST_BYTES));
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
