/* Elements of a MiB.  If an operator takes them by pointers, none ever lies on the stack; if it takes them by value, it
 * is refused. */
#include "support/laws.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 1 << 20, WORDS = SIZE / 4, N = 9, STACK = 512 << 10 };

static const oplus_type large = {.abi = OPLUS_ABI, .name = "large", .size = SIZE, .align = 4, .scalar = OPLUS_RECORD};

/* The composition of the maps x -> ax + b over 32-bit words, word by word: it does not commute. */
static void compose(void *out, const void *a, const void *b)
{
    uint32_t *const r = out;
    const uint32_t *const x = a, *const y = b;
    for (size_t i = 0; i < WORDS; i += 2) {
        const uint32_t scale = x[i] * y[i], shift = x[i + 1] * y[i] + y[i + 1];
        r[i] = scale;
        r[i + 1] = shift;
    }
}

static void double_all(const void *const *in, const void *param, size_t n, void *out)
{
    (void)param;
    for (size_t i = 0; i < n * WORDS; i++) ((uint32_t *)out)[i] = 2 * ((const uint32_t *)in[0])[i];
}

static void is_odd(const void *const *in, const void *param, size_t n, void *out)
{
    (void)param;
    for (size_t i = 0; i < n; i++) ((uint8_t *)out)[i] = ((const uint32_t *)in[0])[i * WORDS] & 1;
}

static void check(bool holds, const char *what)
{
    if (holds) return;
    fprintf(stderr, "%s: %s\n", what, oplus_last_error());
    abort();
}
#define DO(call)   check((call) == OPLUS_OK, #call)
#define SAME(x, y) check(memcmp(x, y, SIZE) == 0, #x " == " #y)

/* Called on a small stack. */
static void *all_primitives(void *where)
{
    uint32_t *const x = must(malloc((size_t)N * SIZE)), *const y = must(malloc((size_t)N * SIZE)),
                    *const one = must(malloc(SIZE)), *const e = must(calloc(1, SIZE)),
                    *const p = must(malloc((size_t)(N + 1) * SIZE));
    const oplus_op op = {.abi = OPLUS_ABI, .name = "compose", .type = &large, .identity = e, .combine = compose};
    const oplus_fn twice = {
        .abi = OPLUS_ABI, .name = "twice", .result = &large, .arity = 1, .input = {&large}, .leaf = double_all};
    const oplus_fn odd = {
        .abi = OPLUS_ABI, .name = "odd", .result = &oplus_u8, .arity = 1, .input = {&large}, .leaf = is_odd};
    const uint8_t heads[N] = {0, 0, 1, 0, 0, 0, 1, 0, 0};
    const size_t offsets[] = {0, 2, 6, N};
    int32_t keys[N];
    size_t kept;
    oplus_device *dev;
    oplus_carry *carry;
    rng r = test_rng("large elements");
    for (size_t i = 0; i < (size_t)N * WORDS; i++) x[i] = (uint32_t)rng_next(&r);
    for (size_t i = 0; i < WORDS; i += 2) e[i] = 1;
    memcpy(p, e, SIZE); /* integers: every association gives the same bits */
    for (size_t i = 0; i < N; i++) compose(p + (i + 1) * WORDS, p + i * WORDS, x + i * WORDS);

    DO(oplus_open(where, &dev));
    DO(oplus_reduce(dev, &op, x, N, one));
    SAME(one, p + N * WORDS);
    DO(oplus_fold(dev, &op, e, x, N, one));
    SAME(one, p + N * WORDS);
    DO(oplus_scan(dev, &op, OPLUS_EXCLUSIVE, x, N, y));
    for (size_t i = 0; i < N; i++) SAME(y + i * WORDS, p + i * WORDS);
    DO(oplus_segscan(dev, &op, OPLUS_INCLUSIVE, x, heads, N, y));
    compose(one, x + 2 * WORDS, x + 3 * WORDS);
    SAME(y + 3 * WORDS, one);
    DO(oplus_segreduce(dev, &op, x, N, &oplus_u64, offsets, 3, y));
    compose(one, x, x + WORDS);
    SAME(y, one);
    DO(oplus_carry_open(&op, 0, &carry));
    DO(oplus_carry_add(dev, carry, x, 4));
    DO(oplus_scan_from(dev, carry, OPLUS_INCLUSIVE, x + 4 * WORDS, N - 4, y));
    SAME(y + (N - 5) * WORDS, p + N * WORDS);
    DO(oplus_carry_value(carry, one));
    SAME(one, p + N * WORDS);
    oplus_carry_close(carry);
    DO(oplus_op_check(dev, &op, x, 2));
    DO(oplus_map(dev, &twice, (const void *[]){x}, N, y));
    check(y[N * WORDS - 1] == 2 * x[N * WORDS - 1], "map");
    DO(oplus_filter(dev, &odd, x, N, y, &kept));
    DO(oplus_transpose(dev, &large, x, 3, 3, y));
    SAME(y + WORDS, x + 3 * WORDS);
    for (int i = 0; i < N; i++) keys[i] = N - i;
    memcpy(y, x, (size_t)N * SIZE);
    DO(oplus_sort_pairs(dev, &oplus_i32, OPLUS_ASCENDING, keys, &large, y, N));
    SAME(y, x + (N - 1) * WORDS);
    oplus_close(dev);
    free(x), free(y), free(one), free(e), free(p);
    return where;
}

static void elements_are_not_on_the_stack(void **state)
{
    pthread_attr_t attributes;
    pthread_t thread;
    void *done;
    pthread_attr_init(&attributes);
    assert_int_equal(pthread_attr_setstacksize(&attributes, STACK), 0);
    assert_int_equal(pthread_create(&thread, &attributes, all_primitives, *state), 0);
    assert_int_equal(pthread_join(thread, &done), 0);
    assert_ptr_equal(done, *state);
    pthread_attr_destroy(&attributes);
}

OPLUS_STRUCT(by_value, uint32_t v[WORDS];)
OPLUS_SEMIGROUP(take_first, by_value, 0, { return a; })
OPLUS_MAP(take_it, by_value, by_value, { return a; })
OPLUS_MAP(shrink, uint32_t, by_value, { return a.v[0]; })

OPLUS_MAP_WITH(add_param, uint32_t, uint32_t, by_value, { return a + p.v[0]; })

static void refused(oplus_status status, const char *words)
{
    assert_int_equal(status, OPLUS_ERR_UNSUPPORTED);
    if (!strstr(oplus_last_error(), words)) fail_msg("\"%s\"\n  does not say\n\"%s\"", oplus_last_error(), words);
}

static void what_goes_by_value_has_a_limit(void **state)
{
    (void)state;
    by_value *const x = must(calloc(4, sizeof *x));
    const void *in[] = {x};
    oplus_device *dev;
    oplus_carry *carry;
    assert_int_equal(oplus_open("serial", &dev), OPLUS_OK);
    refused(oplus_scan(dev, &take_first_op, OPLUS_INCLUSIVE, x, 4, x),
            "oplus_scan: op->type \"by_value\" has 1048576 bytes, and what a macro or a text defines takes elements by "
            "value, "
            "on the stack: 65536 at most");
    refused(oplus_carry_open(&take_first_op, 0, &carry), "oplus_carry_open: op->type \"by_value\"");
    refused(oplus_op_check(dev, &take_first_op, x, 2), "oplus_op_check: op->type");
    refused(oplus_map(dev, &take_it_fn, in, 4, x), "oplus_map: fn->result \"by_value\" has 1048576 bytes");
    refused(oplus_map(dev, &shrink_fn, in, 4, x), "oplus_map: fn->input[0] \"by_value\" has 1048576 bytes");
    const oplus_fn bound = oplus_with(&add_param_fn, x);
    refused(oplus_map(dev, &bound, in, 4, x), "oplus_map: fn->param_type \"by_value\" has 1048576 bytes");
    oplus_close(dev);
    free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        {"serial", elements_are_not_on_the_stack, NULL, NULL, "serial"},
        {"threads", elements_are_not_on_the_stack, NULL, NULL, "threads:3"},
        cmocka_unit_test(what_goes_by_value_has_a_limit),
    };
    test_seed();
    return cmocka_run_group_tests_name("large elements", tests, NULL, NULL);
}
