/* The way "digits" of CUDA, sorts with and without values: elements of any kind, number and alignment in device memory
 * have the bits of one core, and nothing outside of their arrays is touched.  Tiles whose keys are numbered in the wrong
 * order number them again.  If a tile waits in vain, the call says so, and the device goes on.  The same where a pass is
 * several launches, as it is from 2^30 elements on.
 *
 * The linker sends opi_gpu_define, which writes the numbers of a kernel's source, and opi_sort_portion, how many elements a
 * launch then moves, through the __wrap_ functions here (digits.link).  It ends with 77 where no device has this way.
 *
 *     digits          all
 *     digits any_*    the tests of such names
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
    TILE = 4096, /* the least that a work-group moves; large tiles are multiples */
    LOCAL_BYTES = 106 << 10,
    MANY = 7 << 20,
    SOME = 1 << 18,
    GUARD = 64, /* bytes before and behind an array */
    MOST_SKEW = 32,
    WIDEST = 16 /* bytes of a value */
};

static oplus_device *dev, *core;

/* --- random calls ------------------------------------------------------------------------------------------------- */

OPLUS_STRUCT(bytes3, uint8_t x; uint8_t y; uint8_t z;)
OPLUS_STRUCT(words2, uint32_t x; uint32_t y;)
OPLUS_STRUCT(wide2, uint64_t x; uint64_t y;)
static const oplus_type *const keys[] = {&oplus_u32, &oplus_u64, &oplus_i32, &oplus_i64, &oplus_f32,
                                         &oplus_f64, &oplus_u8,  &oplus_i8,  &oplus_u16, &oplus_i16};
static const oplus_type *const values[] = {NULL,       &oplus_u32,   &oplus_u64,   &oplus_u8,
                                           &oplus_u16, &bytes3_type, &words2_type, &wide2_type};
enum { KEYS = sizeof keys / sizeof *keys, VALUES = sizeof values / sizeof *values };

typedef struct call {
    const oplus_type *key, *value;
    oplus_order order;
    unsigned kind;
    size_t n, skew;
} call;

/* An array with what surrounds it: on the device, as it comes back, and as it must be. */
typedef struct array {
    unsigned char *mem, *got, *want;
    size_t before, bytes, room;
} array;
static array arrays[2];

static size_t draw_size(rng *r)
{
    const size_t dice = rng_below(r, 16);
    if (dice < 4) return TILE * (1 + rng_below(r, 9)) - 2 + rng_below(r, 5);
    if (dice < 6) return 1 + rng_below(r, 2 * TILE);
    return 1 + rng_below(r, dice < 8 && !test_quick() ? MANY : dice < 12 ? SOME : SOME / 8);
}

static call draw(rng *r)
{
    call c = {.key = keys[rng_below(r, KEYS)], .value = values[rng_below(r, VALUES)]};
    c.order = rng_below(r, 2) ? OPLUS_DESCENDING : OPLUS_ASCENDING;
    c.kind = (unsigned)rng_below(r, KEY_KINDS);
    c.n = draw_size(r);
    c.skew = rng_below(r, 3) ? rng_below(r, MOST_SKEW) : 0;
    return c;
}

/* Surrounds `want`, whose elements are filled in at its front, with guards, and puts a copy on the device. */
static void put(array *a, size_t size, size_t n, size_t skew)
{
    a->before = GUARD + skew * size;
    a->bytes = n * size;
    a->room = a->before + a->bytes + GUARD;
    must_be_ok(oplus_alloc(dev, a->room, (void **)&a->mem), "alloc");
    memset(a->got, 0xa5, a->room);
    memcpy(a->got + a->before, a->want, a->bytes);
    must_be_ok(oplus_copy(dev, a->mem, a->got, a->room), "copy");
}

static void fill(const call *c, rng *r)
{
    for (size_t i = 0; i < c->n; i++) {
        const uint64_t key = odd_key(r, c->key, c->kind, i, c->n);
        memcpy(arrays[0].want + i * c->key->size, &key, c->key->size); /* little endian */
    }
    if (!c->value) return;
    for (size_t i = 0; i < c->n; i++) {
        const uint64_t value[2] = {i * UINT64_C(0x9e3779b97f4a7c15) + i, i};
        memcpy(arrays[1].want + i * c->value->size, value, c->value->size);
    }
}

static void sort(oplus_device *where, const call *c, void *key, void *value)
{
    must_be_ok(c->value ? oplus_sort_pairs(where, c->key, c->order, key, c->value, value, c->n)
                        : oplus_sort(where, c->key, c->order, key, c->n),
               "the sort");
}

static void compare(array *a, const call *c, const char *what)
{
    must_be_ok(oplus_copy(dev, a->got, a->mem, a->room), "copy");
    for (size_t i = 0; i < a->room; i++) {
        const bool inside = i >= a->before && i < a->before + a->bytes;
        if (a->got[i] != (inside ? a->want[i - a->before] : 0xa5))
            fail_msg("%s: %zu %s with %s of kind %u + %zu, %s: byte %zu differs; OPLUS_TEST_SEED=%llu", what, c->n,
                     c->key->name, c->value ? c->value->name : "nothing", c->kind, c->skew,
                     c->order == OPLUS_DESCENDING ? "descending" : "ascending", i, (unsigned long long)test_seed());
    }
    oplus_free(dev, a->mem);
}

static void run(const call *c)
{
    put(&arrays[0], c->key->size, c->n, c->skew);
    if (c->value) put(&arrays[1], c->value->size, c->n, c->skew);
    sort(dev, c, arrays[0].mem + arrays[0].before, c->value ? arrays[1].mem + arrays[1].before : NULL);
    sort(core, c, arrays[0].want, c->value ? arrays[1].want : NULL);
    compare(&arrays[0], c, "keys");
    if (c->value) compare(&arrays[1], c, "values");
}

static long calls(void) { return test_number("OPLUS_TEST_CALLS", test_quick() ? 40 : 400); }

static void any_elements(void **state)
{
    rng r = test_rng("digits");
    (void)state;
    for (long i = calls(); i > 0; i--) {
        const call c = draw(&r);
        fill(&c, &r);
        run(&c);
    }
}

/* --- portions ------------------------------------------------------------------------------------------------------ */

static uint64_t portion; /* 0: the usual one */

uint64_t __real_opi_sort_portion(void);
uint64_t __wrap_opi_sort_portion(void);
uint64_t __wrap_opi_sort_portion(void) { return portion > 0 ? portion : __real_opi_sort_portion(); }

/* From 4 portions on there are that many launches or more. */
static void any_portions(void **state)
{
    rng r = test_rng("portions");
    (void)state;
    for (long i = calls(); i > 0; i--) {
        call c = draw(&r);
        portion = TILE + rng_below(&r, rng_below(&r, 2) ? 2 * TILE : 32 * TILE);
        if (c.n < 4 * portion) c.n += 4 * portion;
        fill(&c, &r);
        run(&c);
    }
    portion = 0;
}

/* The indices of later portions begin where those before end. */
static void argsorts_of_portions(void **state)
{
    static const oplus_type *const index[] = {&oplus_u32, &oplus_u64};
    rng r = test_rng("argsorts");
    (void)state;
    portion = 5 * TILE;
    for (unsigned kind = 0; kind < KEY_KINDS; kind++) {
        const oplus_type *const place = index[kind % 2];
        const call c = {.key = keys[kind % KEYS], .value = place, .kind = kind, .n = SOME - 3 + kind};
        void *places, *keys_there;
        fill(&c, &r);
        must_be_ok(oplus_alloc(dev, c.n * c.key->size, &keys_there), "alloc");
        must_be_ok(oplus_alloc(dev, c.n * place->size, &places), "alloc");
        must_be_ok(oplus_copy(dev, keys_there, arrays[0].want, c.n * c.key->size), "copy");
        must_be_ok(oplus_argsort(dev, c.key, OPLUS_ASCENDING, keys_there, c.n, place, places), "argsort");
        must_be_ok(oplus_argsort(core, c.key, OPLUS_ASCENDING, arrays[0].want, c.n, place, arrays[1].want), "argsort");
        must_be_ok(oplus_copy(dev, arrays[1].got, places, c.n * place->size), "copy");
        assert_memory_equal(arrays[1].got, arrays[1].want, c.n * place->size);
        oplus_free(dev, places);
        oplus_free(dev, keys_there);
    }
    portion = 0;
}

/* --- programs of another device ------------------------------------------------------------------------------------ */

enum { SILENT_GROUP = 1, SHORT_PATIENCE = 50000000 /* cycles */ };
static bool is_late, loses; /* programs that are written number in the wrong order; have a tile that tells nothing */

void __real_opi_gpu_define(opi_gpu_source *source, const char *name, unsigned long value);
void __wrap_opi_gpu_define(opi_gpu_source *source, const char *name, unsigned long value);
void __wrap_opi_gpu_define(opi_gpu_source *source, const char *name, unsigned long value)
{
    const bool is_patience = strcmp(name, "OPI_PATIENCE") == 0;
    if (is_patience && is_late) __real_opi_gpu_define(source, "OPI_HALVES_LATE", 1);
    if (is_patience && loses) __real_opi_gpu_define(source, "OPI_SILENT_GROUP", SILENT_GROUP);
    __real_opi_gpu_define(source, name, is_patience && loses ? SHORT_PATIENCE : value);
}

/* A few calls of each kind on a device whose tiles must all number their keys again. */
static void late_ones_are_numbered_again(void **state)
{
    oplus_device *const usual = dev;
    rng r = test_rng("late");
    (void)state;
    is_late = true;
    must_be_ok(oplus_open("cuda", &dev), "open");
    for (unsigned kind = 0; kind < KEY_KINDS; kind++)
        for (size_t i = 0; i < 2; i++) {
            const call c = {.key = keys[i], .value = values[(kind + i) % 3], .kind = kind, .n = SOME - 3 + kind};
            fill(&c, &r);
            run(&c);
        }
    oplus_close(dev);
    is_late = false;
    dev = usual;
}

static void has_given_up(oplus_status status)
{
    assert_int_equal(status, OPLUS_ERR_INTERNAL);
    if (!strstr(oplus_last_error(), "gave up") || !strstr(oplus_last_error(), "OPLUS_WAY"))
        fail_msg("the message is \"%s\"", oplus_last_error());
}

static void gives_up(void **state)
{
    const call c = {.key = &oplus_u32, .value = &oplus_u32, .kind = KEY_KINDS - 1, .n = SOME},
               few = {.key = &oplus_u32, .value = &oplus_u32, .kind = KEY_KINDS - 1, .n = TILE};
    oplus_device *const usual = dev;
    rng r = test_rng("digits");
    (void)state;
    loses = true;
    must_be_ok(oplus_open("cuda", &dev), "open");
    for (int i = 0; i < 2; i++) {
        fill(&few, &r);
        run(&few); /* a tile waits for nobody */
        fill(&c, &r);
        put(&arrays[0], sizeof(uint32_t), c.n, 0);
        put(&arrays[1], sizeof(uint32_t), c.n, 0);
        sort(dev, &c, arrays[0].mem + GUARD, arrays[1].mem + GUARD); /* only enqueues */
        has_given_up(oplus_sync(dev));
        must_be_ok(oplus_sync(dev), "the fault is told once");
        oplus_free(dev, arrays[0].mem);
        oplus_free(dev, arrays[1].mem);
    }
    oplus_close(dev);
    loses = false;
    dev = usual;
}

/* ------------------------------------------------------------------------------------------------------------------ */

static bool open_both(void)
{
    setenv("OPLUS_WAY", "digits", 1);
    if (oplus_open("cuda", &dev) != OPLUS_OK) return printf("not tried: %s\n", oplus_last_error()), false;
    const opi_gpu_facts *const facts = &opi_gpus_driver_of(dev)->facts;
    if (facts->architecture >= 80 && facts->local_most >= LOCAL_BYTES)
        return oplus_open("threads:1", &core) == OPLUS_OK;
    printf("not tried: %s does not have it\n", facts->name);
    oplus_close(dev);
    return false;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(any_elements), cmocka_unit_test(any_portions),
                                       cmocka_unit_test(argsorts_of_portions),
                                       cmocka_unit_test(late_ones_are_numbered_again), cmocka_unit_test(gives_up)};
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    if (!open_both()) return 77;
    for (int i = 0; i < 2; i++) {
        arrays[i].want = must(malloc(WIDEST * (size_t)MANY));
        arrays[i].got = must(malloc(WIDEST * ((size_t)MANY + MOST_SKEW) + 2 * GUARD));
    }
    const int failed = cmocka_run_group_tests_name("digits", tests, NULL, NULL);
    for (int i = 0; i < 2; i++) {
        free(arrays[i].want);
        free(arrays[i].got);
    }
    oplus_close(dev);
    oplus_close(core);
    return failed;
}
