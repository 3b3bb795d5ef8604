/* Random scans of laws/pipeline: they are drawn, made on a device and on the core, and compared byte by byte. */
#ifndef TEST_LAWS_PIPELINE_CALLS_H
#define TEST_LAWS_PIPELINE_CALLS_H

#include "laws/pipeline_operators.h"
#include "support/laws.h"

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

static inline call draw(rng *r, const subject *of)
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
static inline void fill(const subject *s, rng *r, size_t n)
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
static inline void run(const call *c)
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

#endif
