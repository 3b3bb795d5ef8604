/* The way "pipeline" of CUDA: calls of any size and alignment in device memory have the bits of one core, and touch
 * nothing outside of their arrays.  If a group waits in vain, the call says so, and the device goes on.
 *
 * The linker sends opi_gpu_define, which writes the numbers of a kernel's source, through the __wrap_ function here
 * (pipeline.link).  It ends with 77 where no device has this way. */
#include "support/laws.h"

#include "driver/driver.h"
#include "gpu/gpu.h"
#include "gpu/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    TILE_BYTES = 16 << 10,
    MOST_TILES = 300,
    MOST_BYTES = (MOST_TILES + 2) * TILE_BYTES,
    GUARD = 64, /* bytes before and behind an output */
    MOST_SKEW = 32
};

static oplus_device *dev, *serial;

static void good(oplus_status status, const char *what)
{
    if (status != OPLUS_OK) fail_msg("%s: %s", what, oplus_last_error());
}

/* --- random calls ------------------------------------------------------------------------------------------------- */

static const char *const names[] = {"sum_u8",  "hash1", "hash2",   "sum_i16",   "sum_f32",  "hash4",
                                    "sum_f64", "hash8", "sum_u64", "compose32", "multiply", "modulo"};
enum { NAMES = sizeof names / sizeof *names };

static unsigned char *x, *got, *expected; /* of the host */

/* One call: elements in[skew_in ..] to out[skew_out ..]. */
typedef struct call {
    const subject *s;
    oplus_kind kind;
    bool in_place;
    size_t n, skew_in, skew_out;
} call;

static call draw(rng *r)
{
    call c = {.s = subject_named(names[rng_below(r, NAMES)])};
    const size_t tile = TILE_BYTES / c.s->op->type->size, dice = rng_below(r, 4);
    const size_t tiles = 1 + rng_below(r, rng_below(r, 8) ? 40 : MOST_TILES);
    c.kind = c.s->op->identity && rng_below(r, 2) ? OPLUS_EXCLUSIVE : OPLUS_INCLUSIVE;
    c.in_place = rng_below(r, 4) == 0;
    c.n = tiles * tile + (dice == 0 ? 0 : dice == 1 ? rng_below(r, 40) : rng_below(r, tile));
    c.skew_in = rng_below(r, 3) ? rng_below(r, MOST_SKEW) : 0;
    c.skew_out = rng_below(r, 3) ? rng_below(r, MOST_SKEW) : c.skew_in;
    return c;
}

static void fill(const subject *s, rng *r)
{
    const size_t size = s->op->type->size, some = 4099;
    for (size_t i = 0; i < some; i++) s->random(r, x + i * size);
    for (size_t i = some; i < MOST_BYTES / size; i++) memcpy(x + i * size, x + (i - some) * size, size);
}

static void differs(const call *c, size_t i)
{
    fail_msg("%s, %s, n = %zu, in + %zu, out + %zu%s: byte %zu differs; OPLUS_TEST_SEED=%llu", c->s->name,
             c->kind == OPLUS_EXCLUSIVE ? "exclusive" : "inclusive", c->n, c->skew_in, c->skew_out,
             c->in_place ? " in place" : "", i, (unsigned long long)test_seed());
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

/* The input ends where its memory ends: a tool that looks at accesses sees what is read behind it. */
static void run(const call *c)
{
    const size_t size = c->s->op->type->size, bytes = c->n * size, skew = c->in_place ? c->skew_in : c->skew_out;
    const size_t before = GUARD + skew * size, room = before + bytes + GUARD;
    unsigned char *in, *out;
    good(oplus_scan(serial, c->s->op, c->kind, x, c->n, expected), "the core");
    good(oplus_alloc(dev, c->skew_in * size + bytes, (void **)&in), "alloc");
    good(oplus_alloc(dev, room, (void **)&out), "alloc");
    memset(got, 0xa5, room);
    if (c->in_place) memcpy(got + before, x, bytes);
    good(oplus_copy(dev, out, got, room), "copy");
    good(oplus_copy(dev, in + c->skew_in * size, x, bytes), "copy");
    good(oplus_scan(dev, c->s->op, c->kind, c->in_place ? out + before : in + c->skew_in * size, c->n, out + before),
         c->s->name);
    good(oplus_copy(dev, got, out, room), "copy");
    compare(c, bytes, before);
    oplus_free(dev, in);
    oplus_free(dev, out);
}

static void any_call(void **state)
{
    rng r = test_rng("pipeline");
    const char *const given = getenv("OPLUS_TEST_CALLS");
    const long calls = given ? strtol(given, NULL, 10) : test_quick() ? 30 : 300;
    (void)state;
    for (long i = 0; i < calls; i++) {
        const call c = draw(&r);
        fill(c.s, &r);
        run(&c);
    }
}

/* --- giving up ---------------------------------------------------------------------------------------------------- */

OPLUS_OP(lost_sum, uint32_t, (0), 0, { return a + b; })

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
    good(oplus_copy(dev, mem, x, FEW * sizeof *mem), "copy");
    good(oplus_scan(dev, &oplus_sum_u32, OPLUS_INCLUSIVE, mem, FEW, mem), "a scan after one that gave up");
    good(oplus_copy(dev, got, mem, FEW * sizeof *mem), "copy");
    good(oplus_scan(serial, &oplus_sum_u32, OPLUS_INCLUSIVE, x, FEW, expected), "the core");
    assert_memory_equal(got, expected, FEW * sizeof *mem);
}

static void gives_up(void **state)
{
    uint32_t *mem;
    rng r = test_rng("gives up");
    (void)state;
    fill(subject_named("hash4"), &r);
    good(oplus_alloc(dev, FEW * sizeof *mem, (void **)&mem), "alloc");
    still_works(mem);
    for (int i = 0; i < 3; i++) {
        loses = true;
        good(oplus_scan(dev, &lost_sum_op, OPLUS_INCLUSIVE, mem, FEW, mem), "a call that only enqueues");
        has_given_up(oplus_sync(dev));
        has_given_up(oplus_scan(dev, &lost_sum_op, OPLUS_INCLUSIVE, x, FEW, got)); /* arrays of the host */
        loses = false;
        good(oplus_sync(dev), "the fault is told once");
        still_works(mem);
    }
    oplus_free(dev, mem);
}

/* ------------------------------------------------------------------------------------------------------------------ */

static bool open_both(void)
{
    setenv("OPLUS_WAY", "pipeline", 1);
    if (oplus_open("cuda", &dev) != OPLUS_OK) return printf("not tried: %s\n", oplus_last_error()), false;
    if (opi_gpu_driver_of(dev)->facts.architecture >= 90) return oplus_open("serial", &serial) == OPLUS_OK;
    printf("not tried: %s has no bulk copies\n", opi_gpu_driver_of(dev)->facts.name);
    oplus_close(dev);
    return false;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(any_call), cmocka_unit_test(gives_up)};
    if (!open_both()) return 77;
    x = must(malloc(MOST_BYTES));
    got = must(malloc(MOST_BYTES + 2 * GUARD + MOST_SKEW * 16));
    expected = must(malloc(MOST_BYTES));
    const int failed = cmocka_run_group_tests_name("pipeline", tests, NULL, NULL);
    free(x);
    free(got);
    free(expected);
    oplus_close(dev);
    oplus_close(serial);
    return failed;
}
