/* The way "partition" of CUDA, sorts of keys alone: keys of any kind, number and alignment in device memory have the
 * bits of one core, and nothing outside of their array is touched.  If a group waits in vain, the call says so, and the
 * device goes on.
 *
 * The linker sends opi_gpu_define, which writes the numbers of a kernel's source, through the __wrap_ function here
 * (partition.link).  It ends with 77 where no device has this way.
 *
 *     partition          all
 *     partition any_*    the tests of such names
 *
 *     OPLUS_TEST_CALLS=n   so many random calls */
#include "support/keys.h"
#include "support/laws.h"

#include "driver/driver.h"
#include "gpus/gpus.h"
#include "gpu/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ONE = 4608,              /* keys that a work-group sorts in its own memory, and twice as many in a larger one */
    LOCAL_BYTES = 105 << 10, /* memory of a work-group that the way needs */
    SOME = 1 << 18,
    MANY = 5 << 20,
    GUARD = 64,    /* bytes before and behind the keys */
    MOST_SKEW = 32 /* keys */
};

static oplus_device *dev, *core;
static unsigned char *x, *got; /* of the host */

/* --- random calls ------------------------------------------------------------------------------------------------- */

static const oplus_type *const types[] = {&oplus_u32, &oplus_u64, &oplus_i32, &oplus_i64, &oplus_f32, &oplus_f64};
enum { TYPES = sizeof types / sizeof *types };

typedef struct call {
    const oplus_type *type;
    oplus_order order;
    unsigned kind;
    size_t n, skew;
} call;

/* Sizes at the edges of what one launch sorts, sizes of one deal, and of two. */
static size_t draw_size(rng *r)
{
    const size_t dice = rng_below(r, 16);
    if (dice < 4) return ONE * (1 + dice % 2) - 2 + rng_below(r, 5);
    if (dice < 6) return 1 + rng_below(r, 2 * ONE);
    return 1 + rng_below(r, dice < 8 && !test_quick() ? MANY : dice < 12 ? SOME : SOME / 8);
}

static call draw(rng *r)
{
    call c = {.type = types[rng_below(r, TYPES)]};
    c.order = rng_below(r, 2) ? OPLUS_DESCENDING : OPLUS_ASCENDING;
    c.kind = (unsigned)rng_below(r, KEY_KINDS);
    c.n = draw_size(r);
    c.skew = rng_below(r, 3) ? rng_below(r, MOST_SKEW) : 0;
    return c;
}

static void fill(const call *c, rng *r)
{
    for (size_t i = 0; i < c->n; i++) {
        const uint64_t key = odd_key(r, c->type, c->kind, i, c->n);
        memcpy(x + i * c->type->size, &key, c->type->size); /* little endian */
    }
}

static void run(const call *c)
{
    const size_t size = c->type->size, before = GUARD + c->skew * size, room = before + c->n * size + GUARD;
    unsigned char *mem;
    must_be_ok(oplus_alloc(dev, room, (void **)&mem), "alloc");
    memset(got, 0xa5, room);
    memcpy(got + before, x, c->n * size);
    must_be_ok(oplus_copy(dev, mem, got, room), "copy");
    must_be_ok(oplus_sort(dev, c->type, c->order, mem + before, c->n), "the sort");
    must_be_ok(oplus_copy(dev, got, mem, room), "copy");
    must_be_ok(oplus_sort(core, c->type, c->order, x, c->n), "the core");
    for (size_t i = 0; i < room; i++)
        if (got[i] != (i < before || i >= room - GUARD ? 0xa5 : x[i - before]))
            fail_msg("%zu %s of kind %u + %zu, %s: byte %zu differs; OPLUS_TEST_SEED=%llu", c->n, c->type->name,
                     c->kind, c->skew, c->order == OPLUS_DESCENDING ? "descending" : "ascending", i,
                     (unsigned long long)test_seed());
    oplus_free(dev, mem);
}

static long calls(void) { return test_number("OPLUS_TEST_CALLS", test_quick() ? 40 : 400); }

static void any_keys(void **state)
{
    rng r = test_rng("partition");
    (void)state;
    for (long i = calls(); i > 0; i--) {
        const call c = draw(&r);
        fill(&c, &r);
        run(&c);
    }
}

/* --- giving up ---------------------------------------------------------------------------------------------------- */

enum { SILENT_GROUP = 1, SHORT_PATIENCE = 50000000 /* cycles */ };
static bool loses; /* programs that are written have a group that comes to no meeting */

void __real_opi_gpu_define(opi_gpu_source *source, const char *name, unsigned long value);
void __wrap_opi_gpu_define(opi_gpu_source *source, const char *name, unsigned long value);
void __wrap_opi_gpu_define(opi_gpu_source *source, const char *name, unsigned long value)
{
    const bool is_patience = loses && strcmp(name, "OPI_PATIENCE") == 0;
    if (is_patience) __real_opi_gpu_define(source, "OPI_SILENT_GROUP", SILENT_GROUP);
    __real_opi_gpu_define(source, name, is_patience ? SHORT_PATIENCE : value);
}

static void has_given_up(oplus_status status)
{
    assert_int_equal(status, OPLUS_ERR_INTERNAL);
    if (!strstr(oplus_last_error(), "gave up") || !strstr(oplus_last_error(), "OPLUS_WAY"))
        fail_msg("the message is \"%s\"", oplus_last_error());
}

/* Random keys fill no bucket so much that groups must meet. */
static void still_works(oplus_device *where, uint64_t *mem)
{
    rng r = test_rng("still works");
    const call c = {.type = &oplus_u64, .kind = KEY_KINDS - 1, .n = SOME};
    fill(&c, &r);
    must_be_ok(oplus_copy(where, mem, x, SOME * sizeof *mem), "copy");
    must_be_ok(oplus_sort(where, &oplus_u64, OPLUS_ASCENDING, mem, SOME), "a sort after one that gave up");
    must_be_ok(oplus_copy(where, got, mem, SOME * sizeof *mem), "copy");
    must_be_ok(oplus_sort(core, &oplus_u64, OPLUS_ASCENDING, x, SOME), "the core");
    assert_memory_equal(got, x, SOME * sizeof *mem);
}

static void gives_up(void **state)
{
    uint64_t *mem;
    oplus_device *lost;
    (void)state;
    loses = true;
    must_be_ok(oplus_open("cuda", &lost), "open");
    must_be_ok(oplus_alloc(lost, SOME * sizeof *mem, (void **)&mem), "alloc");
    still_works(lost, mem);
    for (int i = 0; i < 3; i++) {
        memset(x, 0, SOME * sizeof *mem); /* two keys fill two buckets */
        memset(x, 1, SOME);
        must_be_ok(oplus_copy(lost, mem, x, SOME * sizeof *mem), "copy");
        must_be_ok(oplus_sort(lost, &oplus_u64, OPLUS_ASCENDING, mem, SOME), "a call that only enqueues");
        has_given_up(oplus_sync(lost));
        must_be_ok(oplus_sync(lost), "the fault is told once");
        has_given_up(oplus_sort(lost, &oplus_u64, OPLUS_ASCENDING, x, SOME)); /* an array of the host */
        still_works(lost, mem);
    }
    oplus_free(lost, mem);
    oplus_close(lost);
    loses = false;
}

/* ------------------------------------------------------------------------------------------------------------------ */

static bool open_both(void)
{
    setenv("OPLUS_WAY", "partition", 1);
    if (oplus_open("cuda", &dev) != OPLUS_OK) return printf("not tried: %s\n", oplus_last_error()), false;
    const opi_gpu_facts *const facts = &opi_gpus_driver_of(dev)->facts;
    if (facts->architecture >= 80 && facts->resident && facts->local_most >= LOCAL_BYTES)
        return oplus_open("threads:1", &core) == OPLUS_OK;
    printf("not tried: %s does not have it\n", facts->name);
    oplus_close(dev);
    return false;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(any_keys), cmocka_unit_test(gives_up)};
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    if (!open_both()) return 77;
    x = must(malloc(8 * (size_t)MANY));
    got = must(malloc(8 * ((size_t)MANY + MOST_SKEW) + 2 * GUARD));
    const int failed = cmocka_run_group_tests_name("partition", tests, NULL, NULL);
    free(x);
    free(got);
    oplus_close(dev);
    oplus_close(core);
    return failed;
}
