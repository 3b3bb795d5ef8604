/* A function before a primitive: bit for bit what a map into an array gives, and the primitive over that. */
#include "laws/fused_functions.h"
#include "support/laws.h"

#include <stdlib.h>
#include <string.h>

/* --- arrays ------------------------------------------------------------------------------------------------------- */

enum { MOST = 400000, GUARD = 64, SKEW = 64, INPUT_BYTES = MOST * 8 + SKEW };

static fusions parts;
static unsigned char *input[INPUTS], *made, *scanned, *expected, *out;

static int allocate(void **state)
{
    (void)state;
    rng r = test_rng("inputs of fused calls");
    open_fusions(&parts);
    assert_int_equal(parts.count, FUSIONS);
    for (int k = 0; k < INPUTS; k++) {
        input[k] = must(malloc(INPUT_BYTES));
        for (size_t i = 0; i < INPUT_BYTES; i++) input[k][i] = (unsigned char)rng_below(&r, 256);
    }
    made = must(malloc((size_t)MOST * LARGEST));
    scanned = must(malloc((size_t)MOST * LARGEST));
    expected = must(malloc((size_t)MOST * LARGEST));
    out = must(malloc((size_t)MOST * LARGEST + SKEW + GUARD));
    return 0;
}

static int release(void **state)
{
    (void)state;
    for (int k = 0; k < INPUTS; k++) free(input[k]);
    free(made);
    free(scanned);
    free(expected);
    free(out);
    close_fusions(&parts);
    close_places();
    return 0;
}

/* --- a call ------------------------------------------------------------------------------------------------------- */

/* One fused call: where it computes, and where its arrays are. */
typedef struct call {
    const fusion *f;
    const place *at;
    oplus_device *serial;
    size_t n, skew; /* arrays begin `skew` of their elements after an aligned address */
    bool device;    /* the results go to the memory of the device */
    unsigned there; /* bit k: input k lies in the memory of the device */
    int in_place;   /* the input in which the results go, or -1 */
    const void *in[INPUTS];
    unsigned char *to;     /* the results */
    void *mem[INPUTS + 1]; /* of the device */
} call;

static const char *name_of(const char *name) { return name ? name : "a text"; }

static void complain(const call *c, const char *what, const char *how)
{
    fail_msg("%s of %s after %s, n = %zu, skew %zu%s%s, on %s %s: %s\n    OPLUS_TEST_SEED=%llu", what,
             name_of(c->f->op->name), name_of(c->f->before->name), c->n, c->skew, c->device ? ", on the device" : "",
             c->in_place >= 0 ? ", in place" : "", c->at->where, c->at->isa, how, (unsigned long long)test_seed());
}

static void *on_device(const call *c, const void *from, size_t bytes)
{
    void *mem;
    must_be_ok(oplus_alloc(c->at->dev, bytes, &mem), "oplus_alloc");
    must_be_ok(oplus_copy(c->at->dev, mem, from, bytes), "oplus_copy");
    return mem;
}

/* Finds room for results of `size` bytes each, in which there are guards, or in place the elements of an input. */
static void lay_out(call *c, size_t size, size_t results)
{
    const oplus_fn *const before = c->f->before;
    const size_t skew = c->skew * size, bytes = skew + results * size + GUARD;
    memset(out, 0xa5, bytes);
    if (c->in_place >= 0 && before->input[c->in_place]->size != size) c->in_place = -1;
    if (c->in_place >= 0) memcpy(out + skew, input[c->in_place] + skew, c->n * size);
    unsigned char *const base = c->device ? c->mem[INPUTS] = on_device(c, out, bytes) : out;
    c->to = base + skew;
    for (unsigned k = 0; k < before->arity; k++) {
        const size_t own = before->input[k]->size, from = c->skew * own;
        unsigned char *mem = input[k];
        if (c->there >> k & 1) mem = c->mem[k] = on_device(c, input[k], from + c->n * own + 1);
        c->in[k] = (int)k == c->in_place ? c->to : mem + from;
    }
}

/* Brings the results home, compares them, and looks whether nothing was written behind them. */
static void check(call *c, const char *what, size_t size, size_t results, size_t room)
{
    const size_t skew = c->skew * size, bytes = results * size;
    if (c->device) must_be_ok(oplus_copy(c->at->dev, out, c->mem[INPUTS], skew + room * size + GUARD), "oplus_copy");
    for (int k = 0; k <= INPUTS; k++) oplus_free(c->at->dev, c->mem[k]);
    memset(c->mem, 0, sizeof c->mem);
    if (memcmp(out + skew, expected, bytes) != 0) complain(c, what, "other bits");
    const size_t end = c->in_place >= 0 ? room * size : bytes;
    for (size_t i = skew + end; i < skew + room * size + GUARD; i++)
        if (out[i] != 0xa5) complain(c, what, "it writes behind its end");
    for (size_t i = 0; i < skew; i++)
        if (out[i] != 0xa5) complain(c, what, "it writes before its beginning");
}

/* --- the laws ----------------------------------------------------------------------------------------------------- */

static void reduces(call *c)
{
    const size_t size = c->f->op->type->size;
    if (c->n == 0 && !c->f->op->identity) return;
    c->in_place = -1;
    lay_out(c, size, 1);
    must_be_ok(oplus_reduce(c->serial, c->f->op, made, c->n, expected), "the core");
    must_be_ok(oplus_map_reduce(c->at->dev, c->f->before, c->f->op, c->in, c->n, c->to), "oplus_map_reduce");
    check(c, "reduce", size, 1, 1);
}

static void scans(call *c, oplus_kind kind)
{
    const oplus_fn *const after = c->f->after;
    const size_t size = after ? after->result->size : c->f->op->type->size;
    const void *const results[] = {scanned};
    if (kind == OPLUS_EXCLUSIVE && !c->f->op->identity) return;
    must_be_ok(oplus_scan(c->serial, c->f->op, kind, made, c->n, after ? scanned : expected), "the core");
    if (after) must_be_ok(oplus_map(c->serial, after, results, c->n, expected), "the core");
    lay_out(c, size, c->n);
    must_be_ok(oplus_map_scan(c->at->dev, c->f->before, c->f->op, kind, after, c->in, c->n, c->to), "oplus_map_scan");
    check(c, kind == OPLUS_EXCLUSIVE ? "exclusive scan" : "inclusive scan", size, c->n, c->n);
}

static void filters(call *c)
{
    size_t kept, kept_here;
    const size_t size = c->f->before->result->size;
    must_be_ok(oplus_filter(c->serial, c->f->keep, made, c->n, expected, &kept), "the core");
    lay_out(c, size, c->n);
    must_be_ok(oplus_map_filter(c->at->dev, c->f->before, c->f->keep, c->in, c->n, c->to, &kept_here),
               "oplus_map_filter");
    if (kept_here != kept) complain(c, "filter", "another number of elements is kept");
    check(c, "filter", size, kept, c->n);
}

/* Sizes around the edges of everything, and any. */
static size_t draw_size(rng *r, size_t most)
{
    const size_t edge = (size_t)1 << rng_below(r, 19);
    const size_t n = rng_below(r, 2) ? edge * (1 + rng_below(r, 3)) + rng_below(r, 3) - 1 : rng_below(r, most + 1);
    return n <= most ? n : rng_below(r, most + 1);
}

static void try_once(const fusion *f, const place *at, oplus_device *serial, rng *r, size_t most)
{
    call c = {.f = f, .at = at, .serial = serial, .n = draw_size(r, most)};
    const void *in[INPUTS];
    c.skew = rng_below(r, 3) ? 0 : rng_below(r, 4);
    c.device = at->accelerator && rng_below(r, 2);
    c.there = rng_below(r, 3) ? (c.device ? ~0u : 0u) : at->accelerator ? (unsigned)rng_below(r, 1 << INPUTS) : 0u;
    for (unsigned k = 0; k < f->before->arity; k++) in[k] = input[k] + c.skew * f->before->input[k]->size;
    must_be_ok(oplus_map(serial, f->before, in, c.n, made), "the core");
    const bool in_place = rng_below(r, 2);
    const int which = (int)rng_below(r, f->before->arity);
    reduces(&c);
    c.in_place = in_place ? which : -1;
    scans(&c, rng_below(r, 2) ? OPLUS_EXCLUSIVE : OPLUS_INCLUSIVE);
    c.in_place = in_place ? which : -1;
    if (f->keep) filters(&c);
}

/* How many of the fusions are tried at a place: where each must be compiled first, a few. */
static int tried_at(const place *at)
{
    if (!at->accelerator || at->thorough) return FUSIONS;
    return test_quick() ? 2 : 4;
}

static void fused_is_map_then(void **state)
{
    size_t places;
    const place *const place = all_places(&places);
    const int times = test_quick() ? 8 : 30;
    rng r = test_rng("fused calls");
    (void)state;
    for (size_t p = 0; p < places; p++)
        for (int f = 0; f < tried_at(&place[p]); f++) {
            stand_at(&place[p], NULL, false);
            for (int i = 0; i < times; i++)
                try_once(&parts.all[f], &place[p], place[0].dev, &r, i % 5 == 4 ? MOST : i % 5 == 3 ? 40000 : 3000);
        }
}

/* --- what is refused ---------------------------------------------------------------------------------------------- */

static void refused(oplus_status status, const char *words)
{
    assert_int_equal(status, OPLUS_ERR_ARGUMENT);
    if (!strstr(oplus_last_error(), words)) fail_msg("\"%s\" does not say \"%s\"", oplus_last_error(), words);
}

static void parts_must_fit(void **state)
{
    size_t places, kept;
    oplus_device *const dev = all_places(&places)[0].dev;
    const void *const in[] = {input[0], input[1]};
    (void)state;
    refused(oplus_map_reduce(dev, &product_fn, &oplus_sum_f64, in, 5, out),
            "before makes elements of type float, and op takes elements of type double");
    refused(oplus_map_reduce(dev, NULL, &oplus_sum_f32, in, 5, out), "before is NULL");
    refused(oplus_map_scan(dev, &product_fn, &oplus_sum_f32, OPLUS_INCLUSIVE, &start_of_fn, in, 5, out),
            "op makes elements of type float, and after takes elements of type line");
    refused(oplus_map_scan(dev, &product_fn, &oplus_sum_f32, OPLUS_INCLUSIVE, &product_fn, in, 5, out),
            "after is function \"product\" of 2 inputs");
    assert_int_equal(oplus_map_scan(dev, &product_fn, &oplus_sum_f32, OPLUS_INCLUSIVE, NULL, in, 5, input[0] + 4),
                     OPLUS_ERR_OVERLAP);
    refused(oplus_map_filter(dev, &product_fn, &top_fn, in, 5, out, &kept), "keep takes elements of type uint32_t");
    refused(oplus_map_filter(dev, &product_fn, &large_fn, in, 5, out, NULL), "kept is NULL");
    must_be_ok(oplus_map_reduce(dev, &product_fn, &oplus_sum_f32, in, 0, out), "nothing");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(fused_is_map_then), cmocka_unit_test(parts_must_fit)};
    return cmocka_run_group_tests_name("fused", tests, allocate, release);
}
