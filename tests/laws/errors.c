/* Every call with every bad argument: the status is right, and oplus_last_error() names the call, the argument and its
 * value. */
#include "support/laws.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Under AddressSanitizer a request for too much memory ends the program, unless malloc is told to return NULL. */
__attribute__((visibility("default"))) const char *__asan_default_options(void);
const char *__asan_default_options(void) { return "allocator_may_return_null=1"; }

/* Words that must stand in the message, ended by NULL. */
static void check_failure(int line, const char *call, oplus_status got, oplus_status expected, const char *const *words)
{
    const char *const message = oplus_last_error();
    if (got != expected)
        fail_msg("line %d: %s: status is %s, expected %s (\"%s\")", line, call, oplus_status_string(got),
                 oplus_status_string(expected), message);
    for (; *words != NULL; words++)
        if (strstr(message, *words) == NULL)
            fail_msg("line %d: %s: \"%s\" does not say \"%s\"", line, call, message, *words);
}

#define FAILS(status, call, ...) check_failure(__LINE__, #call, call, status, (const char *const[]){__VA_ARGS__, NULL})
#define BAD(call, ...)           FAILS(OPLUS_ERR_ARGUMENT, call, __VA_ARGS__)
#define OVERLAPS(call, ...)      FAILS(OPLUS_ERR_OVERLAP, call, __VA_ARGS__)
#define FINE(call)               assert_int_equal(call, OPLUS_OK)

OPLUS_SEMIGROUP(earlier, float, 0, {
    (void)b;
    return a;
})
OPLUS_OP_WITH(leaky, float, float, (0), 0, { return a * p + b; })
OPLUS_MAP(negate, float, float, { return -a; })
OPLUS_MAP(widen, double, float, { return (double)a; })
OPLUS_ZIP(add, float, float, float, { return a + b; })
OPLUS_ZIP(same_float, uint8_t, float, float, { return a == b; })
OPLUS_MAP_WITH(scale, float, float, float, { return a * p; })
OPLUS_PREDICATE(negative, float, { return a < 0; })
OPLUS_PREDICATE_WITH(below, float, float, { return a < p; })

enum { N = 64 };
static const size_t too_many = SIZE_MAX / 2; /* times four bytes, more than an address space */

static const char *where = "threads:2";
static oplus_device *dev;
static float x[2 * N], y[2 * N];

static int open_device(void **state)
{
    (void)state;
    return oplus_open(where, &dev);
}

static int close_device(void **state)
{
    (void)state;
    oplus_close(dev);
    return 0;
}

/* --- statuses, devices, memory */

static void statuses_have_words(void **state)
{
    (void)state;
#define HAS_WORDS(name, text) assert_string_equal(oplus_status_string(name), text);
    OPLUS_STATUS_TABLE(HAS_WORDS)
    assert_non_null(oplus_status_string((oplus_status)-1));
    assert_non_null(oplus_status_string((oplus_status)1000));
    assert_string_equal(oplus_version(), "0.1.0");
}

static void devices(void **state)
{
    static const char *const bad_counts[] = {
        "threads:0", "threads:-1", "threads:x", "threads:", "threads:2x", "threads: 2", "threads:99999999999999999999"};
    static const char *const unknown[] = {"thread", "", "serial:2", "Serial", "tpu", "threadss"};
    static const char *const accelerators[] = {"cuda:0", "cuda", "opencl:0", "opencl:cpu"}; /* if they are there */
    oplus_device *d = (oplus_device *)x;
    (void)state;
    BAD(oplus_open("serial", NULL), "oplus_open", "dev is NULL");
    for (size_t i = 0; i < sizeof bad_counts / sizeof *bad_counts; i++) {
        BAD(oplus_open(bad_counts[i], &d), "oplus_open", "where", bad_counts[i]);
        assert_null(d);
    }
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        FAILS(OPLUS_ERR_DEVICE, oplus_open(unknown[i], &d), "oplus_open", "where", unknown[i], "threads:N");
        assert_null(d);
    }
    for (size_t i = 0; i < sizeof accelerators / sizeof *accelerators; i++)
        if (oplus_open(accelerators[i], &d) == OPLUS_OK)
            oplus_close(d);
        else
            FAILS(OPLUS_ERR_DEVICE, oplus_open(accelerators[i], &d), "oplus_open", accelerators[i]);
    oplus_close(NULL);
    assert_non_null(oplus_device_name(NULL));
    BAD(oplus_sync(NULL), "oplus_sync", "dev is NULL");
    BAD(oplus_trim(NULL), "oplus_trim", "dev is NULL");
    FINE(oplus_sync(dev));
    FINE(oplus_open(NULL, &d));
    oplus_close(d);
    FINE(oplus_open("auto", &d));
    oplus_close(d);
}

static void memory(void **state)
{
    void *mem = x;
    (void)state;
    BAD(oplus_alloc(NULL, 8, &mem), "oplus_alloc", "dev is NULL");
    BAD(oplus_alloc(dev, 8, NULL), "oplus_alloc", "mem is NULL");
    FAILS(OPLUS_ERR_MEMORY, oplus_alloc(dev, SIZE_MAX / 4, &mem), "oplus_alloc", "4611686018427387903");
    FAILS(OPLUS_ERR_MEMORY, oplus_alloc(dev, SIZE_MAX, &mem), "oplus_alloc", "18446744073709551615");
    FINE(oplus_alloc(dev, 0, &mem));
    assert_null(mem);
    FINE(oplus_alloc(dev, 100, &mem));
    assert_int_equal((uintptr_t)mem % 64, 0);
    oplus_free(dev, mem);
    oplus_free(dev, NULL);
    BAD(oplus_copy(NULL, y, x, 4), "oplus_copy", "dev is NULL");
    BAD(oplus_copy(dev, NULL, x, 4), "oplus_copy", "dst is NULL");
    BAD(oplus_copy(dev, y, NULL, 4), "oplus_copy", "src is NULL");
    OVERLAPS(oplus_copy(dev, x + 1, x, 8), "oplus_copy", "src", "dst", "8");
    FINE(oplus_copy(dev, x, x, 8));
    FINE(oplus_copy(dev, NULL, NULL, 0));
}

/* --- reduce, fold, scan */

/* Descriptors that are no operators. */
static const oplus_type no_size = {.abi = OPLUS_ABI, .name = "no_size", .align = 4};
static const oplus_type odd_align = {.abi = OPLUS_ABI, .name = "odd_align", .size = 12, .align = 3};
static const oplus_op no_type = {.abi = OPLUS_ABI, .name = "no_type", .combine = oplus_earlier_combine_};
static const oplus_op no_combine = {.abi = OPLUS_ABI, .name = "no_combine", .type = &oplus_f32};
static const oplus_op no_bytes = {
    .abi = OPLUS_ABI, .name = "no_bytes", .type = &no_size, .combine = oplus_earlier_combine_};

/* --- objects of other headers, or of none */

static void other_headers(void **state)
{
    static const unsigned wrong[] = {0, OPLUS_ABI + 1, 0xffffffffu};
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        oplus_type type = oplus_f32;
        oplus_op op = oplus_sum_f32, of_type = oplus_sum_f32;
        oplus_fn fn = negate_fn, keep = negative_fn, of_input = negate_fn;
        oplus_op *bound_op;
        oplus_fn *bound_fn;
        oplus_carry *carry;
        oplus_cache_usage usage = {.abi = wrong[i]};
        oplus_device_info row = {.abi = wrong[i]};
        oplus_member member;
        const float half = 0.5f;
        float out;
        size_t kept;
        char value[32];
        type.abi = op.abi = fn.abi = keep.abi = wrong[i];
        of_type.type = of_input.input[0] = &type;
        snprintf(value, sizeof value, "->abi is %u", wrong[i]);
        const char *const remedy = wrong[i] ? "headers of oplus 0.1.0" : ".abi = OPLUS_ABI (1)";
        BAD(oplus_reduce(dev, &op, x, N, &out), "oplus_reduce: op", value, remedy, wrong[i] ? "headers" : "OPLUS_OP");
        BAD(oplus_fold(dev, &of_type, x, x, N, &out), "oplus_fold: op->type", value, remedy);
        BAD(oplus_scan(dev, &op, OPLUS_INCLUSIVE, x, N, y), "oplus_scan: op", value, remedy);
        BAD(oplus_segreduce(dev, &oplus_sum_f32, x, N, &type, x, 0, y), "oplus_segreduce: offset", value, remedy);
        BAD(oplus_map(dev, &fn, (const void *const[]){x}, N, y), "oplus_map: fn", value, remedy,
            wrong[i] ? "headers" : "OPLUS_MAP");
        BAD(oplus_map(dev, &of_input, (const void *const[]){x}, N, y), "oplus_map: fn->input[0]", value, remedy);
        BAD(oplus_filter(dev, &keep, x, N, y, &kept), "oplus_filter: keep", value, remedy);
        BAD(oplus_sort(dev, &type, OPLUS_ASCENDING, x, N), "oplus_sort: key", value, remedy);
        BAD(oplus_sort_pairs(dev, &oplus_f32, OPLUS_ASCENDING, x, &type, y, N), "oplus_sort_pairs: value", value,
            remedy);
        BAD(oplus_transpose(dev, &type, x, 2, 2, y), "oplus_transpose: type", value, remedy,
            wrong[i] ? "headers" : "OPLUS_STRUCT");
        BAD(oplus_carry_open(&op, 0, &carry), "oplus_carry_open: op", value, remedy);
        BAD(oplus_op_check(dev, &op, x, N), "oplus_op_check: op", value, remedy);
        BAD(oplus_samples(&type, 0, 4, x), "oplus_samples: type", value, remedy);
        BAD(oplus_op_bind(&op, &half, NULL, &bound_op), "oplus_op_bind: op", value, remedy);
        BAD(oplus_fn_bind(&fn, &half, &bound_fn), "oplus_fn_bind: fn", value, remedy);
        BAD(oplus_op_make("m", &type, NULL, 0, NULL, "a + b", NULL, &bound_op), "oplus_op_make: type", value, remedy);
        BAD(oplus_cache_info(&usage), "oplus_cache_info: usage", value, remedy);
        assert_int_equal(usage.abi, wrong[i]);
        BAD(oplus_devices(&row, 1) < 0 ? OPLUS_ERR_ARGUMENT : OPLUS_OK, "oplus_devices: info", value, remedy);
        assert_int_equal(oplus_type_members(&type, &member, 1), -1);
        assert_null(oplus_op_named("sum", &type));
    }
}

/* --- parameters */

static void parameters(void **state)
{
    const oplus_type odd = {.abi = OPLUS_ABI, .name = "odd", .size = 12, .align = 3};
    const float half = 0.5f, zero = 0, one = 1;
    oplus_op wrong = oplus_op_with(&leaky_op, &half), *op = &wrong;
    oplus_fn *fn = (oplus_fn *)&half;
    oplus_carry *a, *b;
    float out;
    (void)state;
    BAD(oplus_reduce(dev, &leaky_op, x, N, &out), "oplus_reduce", "\"leaky\"", "(float)", "oplus_op_with(&leaky_op",
        "oplus_op_bind");
    BAD(oplus_carry_open(&leaky_op, 0, &a), "oplus_carry_open", "oplus_op_bind");
    BAD(oplus_op_check(dev, &leaky_op, x, N), "oplus_op_check", "oplus_op_bind");
    wrong.param_type = &odd;
    BAD(oplus_scan(dev, &wrong, OPLUS_INCLUSIVE, x, N, y), "oplus_scan", "op->param_type", "align 3");

    BAD(oplus_op_bind(NULL, &half, NULL, &op), "oplus_op_bind", "op is NULL");
    assert_null(op);
    BAD(oplus_op_bind(&leaky_op, NULL, NULL, &op), "oplus_op_bind", "param is NULL");
    BAD(oplus_op_bind(&leaky_op, &half, NULL, NULL), "oplus_op_bind", "bound is NULL");
    BAD(oplus_op_bind(&oplus_sum_f32, &half, NULL, &op), "oplus_op_bind", "oplus_sum_f32", "takes no parameter");
    BAD(oplus_op_bind(&wrong, &half, NULL, &op), "oplus_op_bind", "op->param_type");
    BAD(oplus_fn_bind(NULL, &half, &fn), "oplus_fn_bind", "fn is NULL");
    assert_null(fn);
    BAD(oplus_fn_bind(&scale_fn, NULL, &fn), "oplus_fn_bind", "param is NULL");
    BAD(oplus_fn_bind(&scale_fn, &half, NULL), "oplus_fn_bind", "bound is NULL");
    BAD(oplus_fn_bind(&negate_fn, &half, &fn), "oplus_fn_bind", "negate", "takes no parameter");
    BAD(oplus_map(dev, &scale_fn, (const void *const[]){x}, N, y), "oplus_map", "oplus_with(&scale_fn",
        "oplus_fn_bind");

    /* --- carries have copies, and join where these are the same --- */
    float mine[2] = {0.5f, 0};
    FINE(oplus_op_bind(&leaky_op, &mine[0], &mine[1], &op));
    FINE(oplus_carry_open(op, 0, &a));
    oplus_op_free(op);
    const oplus_op other = oplus_op_with(&leaky_op, &one), same = oplus_op_with(&leaky_op, &half);
    mine[0] = mine[1] = 77;
    FINE(oplus_carry_value(a, &out));
    assert_memory_equal(&out, &zero, sizeof out);
    x[0] = 2, x[1] = 3;
    FINE(oplus_carry_add(dev, a, x, 2));
    FINE(oplus_carry_value(a, &out));
    assert_true(out == 4);
    FINE(oplus_carry_open(&other, 2, &b));
    BAD(oplus_carry_join(a, b), "oplus_carry_join", "\"leaky\"", "different parameters");
    oplus_carry_close(b);
    FINE(oplus_carry_open(&same, 2, &b));
    FINE(oplus_carry_join(a, b));
    oplus_carry_close(a);
    oplus_carry_close(b);
}

static void reduce_and_fold(void **state)
{
    const oplus_op *const sum = &oplus_sum_f32;
    float out, init = 1;
    (void)state;
    BAD(oplus_reduce(NULL, sum, x, N, &out), "oplus_reduce", "dev is NULL");
    BAD(oplus_reduce(dev, NULL, x, N, &out), "oplus_reduce", "op is NULL");
    BAD(oplus_reduce(dev, &no_type, x, N, &out), "oplus_reduce", "op->type is NULL");
    BAD(oplus_reduce(dev, &no_combine, x, N, &out), "oplus_reduce", "op->combine", "no_combine");
    BAD(oplus_reduce(dev, &no_bytes, x, N, &out), "oplus_reduce", "no_size", "size 0");
    BAD(oplus_reduce(dev, sum, NULL, N, &out), "oplus_reduce", "in is NULL", "64");
    BAD(oplus_reduce(dev, sum, x, too_many, &out), "oplus_reduce", "n is 9223372036854775807");
    BAD(oplus_reduce(dev, sum, x, N, NULL), "oplus_reduce", "out is NULL");
    BAD(oplus_reduce(dev, &earlier_op, x, 0, &out), "oplus_reduce", "earlier", "identity", "n = 0");
    FINE(oplus_reduce(dev, sum, NULL, 0, &out));

    BAD(oplus_fold(NULL, sum, &init, x, N, &out), "oplus_fold", "dev is NULL");
    BAD(oplus_fold(dev, NULL, &init, x, N, &out), "oplus_fold", "op is NULL");
    BAD(oplus_fold(dev, sum, NULL, x, N, &out), "oplus_fold", "init is NULL");
    BAD(oplus_fold(dev, sum, &init, NULL, N, &out), "oplus_fold", "in is NULL");
    BAD(oplus_fold(dev, sum, &init, x, too_many, &out), "oplus_fold", "n is 9223372036854775807");
    BAD(oplus_fold(dev, sum, &init, x, N, NULL), "oplus_fold", "out is NULL");
    FINE(oplus_fold(dev, &earlier_op, &init, NULL, 0, &out));
}

static void scan(void **state)
{
    const oplus_op *const sum = &oplus_sum_f32;
    const oplus_kind in = OPLUS_INCLUSIVE, ex = OPLUS_EXCLUSIVE;
    (void)state;
    BAD(oplus_scan(NULL, sum, in, x, N, y), "oplus_scan", "dev is NULL");
    BAD(oplus_scan(dev, NULL, in, x, N, y), "oplus_scan", "op is NULL");
    BAD(oplus_scan(dev, &no_type, in, x, N, y), "oplus_scan", "op->type is NULL");
    BAD(oplus_scan(dev, &no_combine, in, x, N, y), "oplus_scan", "op->combine");
    BAD(oplus_scan(dev, sum, (oplus_kind)2, x, N, y), "oplus_scan", "kind is 2", "OPLUS_INCLUSIVE");
    BAD(oplus_scan(dev, &earlier_op, ex, x, N, y), "oplus_scan", "earlier", "identity");
    BAD(oplus_scan(dev, sum, in, NULL, N, y), "oplus_scan", "in is NULL", "64");
    BAD(oplus_scan(dev, sum, in, x, N, NULL), "oplus_scan", "out is NULL", "64");
    BAD(oplus_scan(dev, sum, in, x, too_many, y), "oplus_scan", "n is 9223372036854775807");
    OVERLAPS(oplus_scan(dev, sum, in, x, N, x + 1), "oplus_scan", "in", "out", "256");
    OVERLAPS(oplus_scan(dev, sum, in, x + N - 1, N, x), "oplus_scan", "in", "out", "256");
    FINE(oplus_scan(dev, sum, in, x, N, x + N));
    FINE(oplus_scan(dev, sum, in, x + N, N, x));
    FINE(oplus_scan(dev, sum, ex, NULL, 0, NULL));
    FINE(oplus_scan(dev, sum, in, x, 0, x));
}

static void segscan(void **state)
{
    const oplus_op *const sum = &oplus_sum_f32;
    const oplus_kind in = OPLUS_INCLUSIVE, ex = OPLUS_EXCLUSIVE;
    static uint8_t heads[N];
    (void)state;
    BAD(oplus_segscan(NULL, sum, in, x, heads, N, y), "oplus_segscan", "dev is NULL");
    BAD(oplus_segscan(dev, NULL, in, x, heads, N, y), "oplus_segscan", "op is NULL");
    BAD(oplus_segscan(dev, sum, (oplus_kind)-1, x, heads, N, y), "oplus_segscan", "kind is -1");
    BAD(oplus_segscan(dev, &earlier_op, ex, x, heads, N, y), "oplus_segscan", "earlier", "identity");
    BAD(oplus_segscan(dev, sum, in, NULL, heads, N, y), "oplus_segscan", "in is NULL");
    BAD(oplus_segscan(dev, sum, in, x, NULL, N, y), "oplus_segscan", "heads is NULL");
    BAD(oplus_segscan(dev, sum, in, x, heads, N, NULL), "oplus_segscan", "out is NULL");
    BAD(oplus_segscan(dev, sum, in, x, heads, too_many, y), "oplus_segscan", "n is 9223372036854775807");
    OVERLAPS(oplus_segscan(dev, sum, in, x, heads, N, x + 1), "oplus_segscan", "in", "out");
    OVERLAPS(oplus_segscan(dev, sum, in, x, (uint8_t *)y, N, y), "oplus_segscan", "heads", "out");
    FINE(oplus_segscan(dev, sum, in, NULL, NULL, 0, NULL));
}

/* What is wrong with offsets: the first wrong one, its value, and n. */
static const struct {
    const oplus_type *type;
    union {
        uint64_t u64[4];
        uint32_t u32[4];
        int64_t i64[4];
        int32_t i32[4];
    } offsets;
    size_t n;
    const char *words[3];
} wrong[] = {
    {&oplus_u64, {.u64 = {0, 7, 5, 10}}, 10, {"offsets[1] is 7 ", "offsets[2] is 5 ", "n is 10)"}},
    {&oplus_u32, {.u32 = {0, 7, 5, 10}}, 10, {"offsets[1] is 7 ", "offsets[2] is 5 ", "n is 10)"}},
    {&oplus_i64, {.i64 = {0, 7, 5, 10}}, 10, {"offsets[1] is 7 ", "offsets[2] is 5 ", "n is 10)"}},
    {&oplus_u64, {.u64 = {0, 1, SIZE_MAX / 2, 3}}, 10, {"offsets[2] is 9223372036854775807 ", "n is 10;"}},
    {&oplus_u64, {.u64 = {11, 11, 11, 11}}, 10, {"offsets[0] is 11 ", "n is 10;"}},
    {&oplus_u64, {.u64 = {0, 3, 3, 10}}, 9, {"offsets[3] is 10 ", "n is 9;"}},
    {&oplus_u32, {.u32 = {0, 3, 3, 11}}, 10, {"offsets[3] is 11 ", "n is 10;"}},
    {&oplus_u32, {.u32 = {0, 3, UINT32_MAX, 3}}, 10, {"offsets[2] is 4294967295 ", "n is 10;"}},
    {&oplus_i32, {.i32 = {0, -3, 5, 10}}, 10, {"offsets[1] is -3 ", "n is 10;"}},
    {&oplus_i64, {.i64 = {-1, 3, 5, 10}}, 10, {"offsets[0] is -1 ", "n is 10;"}},
    {&oplus_i32, {.i32 = {0, 3, 3, -1}}, (size_t)1 << 32, {"offsets[3] is -1 ", "n is 4294967296;"}},
};

static void wrong_offsets(void **state)
{
    float sums[3]; /* on the stack: more than 4 GiB from x */
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const size_t bytes = 4 * wrong[i].type->size;
        void *there; /* in the device's memory */
        FINE(oplus_alloc(dev, bytes, &there));
        FINE(oplus_copy(dev, there, &wrong[i].offsets, bytes));
        for (int w = 0; w < 2; w++) {
            const oplus_op *const op = wrong[i].n > N ? &oplus_sum_u8 : &oplus_sum_f32;
            const void *const offsets = w == 0 ? (const void *)&wrong[i].offsets : there;
            BAD(oplus_segreduce(dev, op, x, wrong[i].n, wrong[i].type, offsets, 3, sums), "oplus_segreduce",
                wrong[i].words[0], wrong[i].words[1], wrong[i].words[2]);
        }
        oplus_free(dev, there);
    }
}

/* If all arrays are in the device's memory, a call need not wait: then the next call that waits tells of wrong offsets,
 * once. */
static void wrong_offsets_there(void **state)
{
    static const uint32_t good[] = {0, 3, 3, 10};
    void *mem[3]; /* elements, offsets, sums */
    (void)state;
    for (int k = 0; k < 3; k++) FINE(oplus_alloc(dev, N * sizeof(float), &mem[k]));
    FINE(oplus_copy(dev, mem[0], x, N * sizeof *x));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        if (wrong[i].n > N) continue;
        FINE(oplus_copy(dev, mem[1], &wrong[i].offsets, 4 * wrong[i].type->size));
        oplus_status status =
            oplus_segreduce(dev, &oplus_sum_f32, mem[0], wrong[i].n, wrong[i].type, mem[1], 3, mem[2]);
        if (status == OPLUS_OK) status = oplus_sync(dev);
        assert_int_equal(status, OPLUS_ERR_ARGUMENT);
        assert_non_null(strstr(oplus_last_error(), "offsets["));
        FINE(oplus_sync(dev));
    }
    FINE(oplus_copy(dev, mem[1], good, sizeof good));
    FINE(oplus_segreduce(dev, &oplus_sum_f32, mem[0], 10, &oplus_u32, mem[1], 3, mem[2]));
    FINE(oplus_sync(dev));
    for (int k = 0; k < 3; k++) oplus_free(dev, mem[k]);
}

static void segreduce(void **state)
{
    const oplus_op *const sum = &oplus_sum_f32;
    static const uint64_t good[] = {0, 3, 3, 10}, slice[] = {4, 4, 4, 7}, none[] = {0, 0, 0, 0};
    static const uint32_t good32[] = {0, 3, 3, 10};
    static const int32_t good_i32[] = {0, 3, 3, 10};
    static const int64_t good_i64[] = {0, 3, 3, 10};
    const oplus_type *const u64 = &oplus_u64, *const u32 = &oplus_u32, *const i64 = &oplus_i64, *const i32 = &oplus_i32;
    (void)state;
    BAD(oplus_segreduce(NULL, sum, x, N, u64, good, 3, y), "oplus_segreduce", "dev is NULL");
    BAD(oplus_segreduce(dev, NULL, x, N, u64, good, 3, y), "oplus_segreduce", "op is NULL");
    BAD(oplus_segreduce(dev, sum, NULL, N, u64, good, 3, y), "oplus_segreduce", "in is NULL");
    BAD(oplus_segreduce(dev, sum, x, N, NULL, good, 3, y), "oplus_segreduce", "offset is NULL");
    BAD(oplus_segreduce(dev, sum, x, N, &oplus_u16, good, 3, y), "oplus_segreduce", "offset", "\"uint16_t\"",
        "&oplus_u32");
    BAD(oplus_segreduce(dev, sum, x, N, &oplus_f64, good, 0, y), "oplus_segreduce", "offset", "\"double\"");
    BAD(oplus_segreduce(dev, sum, x, N, u64, NULL, 3, y), "oplus_segreduce", "offsets is NULL");
    BAD(oplus_segreduce(dev, sum, x, N, u64, good, 3, NULL), "oplus_segreduce", "out is NULL");
    BAD(oplus_segreduce(dev, sum, x, too_many, u64, good, 3, y), "oplus_segreduce", "n is 9223372036854775807");
    BAD(oplus_segreduce(dev, sum, x, N, u64, good, too_many, y), "oplus_segreduce", "segments is 9223372036854775807");
    BAD(oplus_segreduce(dev, sum, x, N, u64, good, SIZE_MAX, y), "oplus_segreduce", "segments is 18446744073709551615");
    OVERLAPS(oplus_segreduce(dev, sum, x, N, u64, good, 3, x), "oplus_segreduce", "in", "out");
    OVERLAPS(oplus_segreduce(dev, sum, x, N, u64, none, 3, (void *)none), "oplus_segreduce", "offsets", "out");
    OVERLAPS(oplus_segreduce(dev, sum, x, N, u32, good32, 3, (char *)good32 + 12), "oplus_segreduce", "offsets", "out");

    BAD(oplus_segreduce(dev, &earlier_op, x, N, u64, good, 3, y), "oplus_segreduce", "segment 1 is empty", "earlier",
        "identity");

    FINE(oplus_segreduce(dev, sum, NULL, 0, u64, NULL, 0, NULL));
    FINE(oplus_segreduce(dev, sum, NULL, 0, u64, none, 3, y));
    FINE(oplus_segreduce(dev, sum, x, 10, u64, good, 3, y));
    FINE(oplus_segreduce(dev, sum, x, 10, u32, good32, 3, y));
    FINE(oplus_segreduce(dev, sum, x, 10, i32, good_i32, 3, y));
    FINE(oplus_segreduce(dev, sum, x, 10, i64, good_i64, 3, y));
    FINE(oplus_segreduce(dev, sum, x, N, u64, slice, 3, y));
}

/* --- map, filter */

static void map(void **state)
{
    const void *one[] = {x}, *two[] = {x, NULL}, *nothing[] = {NULL, NULL};
    oplus_fn many = negate_fn, zero = negate_fn, no_leaf = negate_fn, no_result = negate_fn, no_input = negate_fn;
    const oplus_fn half = oplus_with(&scale_fn, &(float){0.5f});
    (void)state;
    many.arity = OPLUS_MAX_ARITY + 1;
    zero.arity = 0;
    no_leaf.leaf = NULL;
    no_result.result = NULL;
    no_input.input[0] = NULL;
    BAD(oplus_map(NULL, &negate_fn, one, N, y), "oplus_map", "dev is NULL");
    BAD(oplus_map(dev, NULL, one, N, y), "oplus_map", "fn is NULL");
    BAD(oplus_map(dev, &many, one, N, y), "oplus_map", "arity", "9");
    BAD(oplus_map(dev, &zero, one, N, y), "oplus_map", "arity", "0");
    BAD(oplus_map(dev, &no_leaf, one, N, y), "oplus_map", "leaf", "NULL");
    BAD(oplus_map(dev, &no_result, one, N, y), "oplus_map", "result", "NULL");
    BAD(oplus_map(dev, &no_input, one, N, y), "oplus_map", "input[0]", "NULL");
    BAD(oplus_map(dev, &scale_fn, one, N, y), "oplus_map", "scale", "oplus_with");
    BAD(oplus_map(dev, &negate_fn, NULL, N, y), "oplus_map", "in is NULL");
    BAD(oplus_map(dev, &add_fn, two, N, y), "oplus_map", "in[1] is NULL");
    BAD(oplus_map(dev, &negate_fn, one, N, NULL), "oplus_map", "out is NULL");
    BAD(oplus_map(dev, &negate_fn, one, too_many, y), "oplus_map", "n is 9223372036854775807");
    OVERLAPS(oplus_map(dev, &negate_fn, one, N, x + 1), "oplus_map", "in[0]", "out");
    OVERLAPS(oplus_map(dev, &widen_fn, one, N / 2, x), "oplus_map", "in[0]", "out");
    FINE(oplus_map(dev, &negate_fn, one, N, x));
    FINE(oplus_map(dev, &half, one, N, y));
    FINE(oplus_map(dev, &add_fn, nothing, 0, NULL));
}

static void filter(void **state)
{
    size_t kept = 77;
    oplus_fn two = negative_fn;
    (void)state;
    two.arity = 2;
    two.input[1] = &oplus_f32;
    BAD(oplus_filter(NULL, &negative_fn, x, N, y, &kept), "oplus_filter", "dev is NULL");
    BAD(oplus_filter(dev, NULL, x, N, y, &kept), "oplus_filter", "keep is NULL");
    BAD(oplus_filter(dev, &negate_fn, x, N, y, &kept), "oplus_filter", "keep", "negate");
    BAD(oplus_filter(dev, &two, x, N, y, &kept), "oplus_filter", "keep", "2 inputs");
    BAD(oplus_filter(dev, &below_fn, x, N, y, &kept), "oplus_filter", "below", "oplus_with");
    BAD(oplus_filter(dev, &negative_fn, NULL, N, y, &kept), "oplus_filter", "in is NULL");
    BAD(oplus_filter(dev, &negative_fn, x, N, NULL, &kept), "oplus_filter", "out is NULL");
    BAD(oplus_filter(dev, &negative_fn, x, N, y, NULL), "oplus_filter", "kept is NULL");
    BAD(oplus_filter(dev, &negative_fn, x, too_many, y, &kept), "oplus_filter", "n is 9223372036854775807");
    OVERLAPS(oplus_filter(dev, &negative_fn, x, N, x + 1, &kept), "oplus_filter", "in", "out");
    FINE(oplus_filter(dev, &negative_fn, NULL, 0, NULL, &kept));
}

static void partition(void **state)
{
    size_t kept;
    (void)state;
    BAD(oplus_partition(NULL, &negative_fn, x, N, y, y + N, &kept), "oplus_partition", "dev is NULL");
    BAD(oplus_partition(dev, NULL, x, N, y, y + N, &kept), "oplus_partition", "keep is NULL");
    BAD(oplus_partition(dev, &negate_fn, x, N, y, y + N, &kept), "oplus_partition", "keep", "negate",
        "1 of type uint8_t");
    BAD(oplus_partition(dev, &add_fn, x, N, y, y + N, &kept), "oplus_partition", "keep", "2 inputs");
    BAD(oplus_partition(dev, &negative_fn, NULL, N, y, y + N, &kept), "oplus_partition", "in is NULL");
    BAD(oplus_partition(dev, &negative_fn, x, N, NULL, y + N, &kept), "oplus_partition", "out is NULL");
    BAD(oplus_partition(dev, &negative_fn, x, N, y, NULL, &kept), "oplus_partition", "rest is NULL");
    BAD(oplus_partition(dev, &negative_fn, x, N, y, y + N, NULL), "oplus_partition", "kept is NULL");
    BAD(oplus_partition(dev, &negative_fn, x, too_many, y, y, &kept), "oplus_partition", "n is 9223372036854775807");
    OVERLAPS(oplus_partition(dev, &negative_fn, x, N, x + 1, y, &kept), "oplus_partition", "in", "out");
    OVERLAPS(oplus_partition(dev, &negative_fn, x, N, y, x, &kept), "oplus_partition", "in", "rest");
    OVERLAPS(oplus_partition(dev, &negative_fn, x, N, y, y, &kept), "oplus_partition", "out", "rest");
    kept = 1;
    FINE(oplus_partition(dev, &negative_fn, NULL, 0, NULL, NULL, &kept));
    assert_int_equal(kept, 0);
}

static void indices(void **state)
{
    size_t kept;
    (void)state;
    BAD(oplus_indices(NULL, &negative_fn, x, N, &oplus_u32, y, &kept), "oplus_indices", "dev is NULL");
    BAD(oplus_indices(dev, NULL, x, N, &oplus_u32, y, &kept), "oplus_indices", "keep is NULL");
    BAD(oplus_indices(dev, &negative_fn, x, N, NULL, y, &kept), "oplus_indices", "index");
    BAD(oplus_indices(dev, &negative_fn, x, N, &oplus_f32, y, &kept), "oplus_indices", "index is the type",
        "&oplus_u64");
    BAD(oplus_indices(dev, &negative_fn, x, (size_t)UINT32_MAX + 2, &oplus_u32, y, &kept), "oplus_indices",
        "cannot hold the index 4294967296");
    BAD(oplus_indices(dev, &negative_fn, NULL, N, &oplus_u32, y, &kept), "oplus_indices", "in is NULL");
    BAD(oplus_indices(dev, &negative_fn, x, N, &oplus_u32, NULL, &kept), "oplus_indices", "out is NULL");
    BAD(oplus_indices(dev, &negative_fn, x, N, &oplus_u32, y, NULL), "oplus_indices", "kept is NULL");
    OVERLAPS(oplus_indices(dev, &negative_fn, x, N, &oplus_u32, x + 1, &kept), "oplus_indices", "in", "out");
    FINE(oplus_indices(dev, &negative_fn, NULL, 0, &oplus_u32, NULL, &kept));
}

static void filter_mask(void **state)
{
    size_t kept;
    const oplus_mask bytes = OPLUS_MASK_BYTES;
    (void)state;
    BAD(oplus_filter_mask(NULL, &oplus_f32, bytes, x, y, N, y + N, &kept), "oplus_filter_mask", "dev is NULL");
    BAD(oplus_filter_mask(dev, NULL, bytes, x, y, N, y + N, &kept), "oplus_filter_mask", "type");
    BAD(oplus_filter_mask(dev, &oplus_f32, (oplus_mask)2, x, y, N, y + N, &kept), "oplus_filter_mask", "kind is 2");
    BAD(oplus_filter_mask(dev, &oplus_f32, bytes, NULL, y, N, y + N, &kept), "oplus_filter_mask", "in is NULL");
    BAD(oplus_filter_mask(dev, &oplus_f32, bytes, x, NULL, N, y + N, &kept), "oplus_filter_mask", "mask is NULL");
    BAD(oplus_filter_mask(dev, &oplus_f32, bytes, x, y, N, NULL, &kept), "oplus_filter_mask", "out is NULL");
    BAD(oplus_filter_mask(dev, &oplus_f32, bytes, x, y, N, y + N, NULL), "oplus_filter_mask", "kept is NULL");
    BAD(oplus_filter_mask(dev, &oplus_f32, bytes, x, y, too_many, y + N, &kept), "oplus_filter_mask",
        "n is 9223372036854775807");
    OVERLAPS(oplus_filter_mask(dev, &oplus_f32, bytes, x, y, N, x, &kept), "oplus_filter_mask", "in", "out");
    OVERLAPS(oplus_filter_mask(dev, &oplus_f32, bytes, x, y, N, y + 1, &kept), "oplus_filter_mask", "mask", "out");
    FINE(oplus_filter_mask(dev, &oplus_f32, bytes, NULL, NULL, 0, NULL, &kept));
    assert_int_equal(kept, 0);
}

/* A type with padding in so many places that its bits are not compared. */
OPLUS_STRUCT(gap, uint8_t small; uint32_t large;)
OPLUS_STRUCT(gaps, gap of[20];)

static void unique(void **state)
{
    const oplus_type *const f = &oplus_f32, *const u = &oplus_u32;
    uint32_t *const counts = (uint32_t *)(void *)(y + N), *const inverse = (uint32_t *)(void *)(x + N);
    size_t runs;
    (void)state;
    BAD(oplus_unique(NULL, f, NULL, x, N, y, u, counts, NULL, NULL, &runs), "oplus_unique", "dev is NULL");
    BAD(oplus_unique(dev, NULL, NULL, x, N, y, u, counts, NULL, NULL, &runs), "oplus_unique", "type is NULL");
    BAD(oplus_unique(dev, &gaps_type, NULL, x, 1, y, u, counts, NULL, NULL, &runs), "oplus_unique", "\"gaps\"",
        "padding in more than 15 places", "function same");
    BAD(oplus_unique(dev, f, &negative_fn, x, N, y, u, counts, NULL, NULL, &runs), "oplus_unique", "same",
        "\"negative\" of 1 inputs", "give one of 2");
    BAD(oplus_unique(dev, f, &add_fn, x, N, y, u, counts, NULL, NULL, &runs), "oplus_unique", "same", "\"add\"",
        "1 of type uint8_t");
    BAD(oplus_unique(dev, u, &same_float_fn, x, N, y, u, counts, NULL, NULL, &runs), "oplus_unique", "same",
        "\"same_float\" of \"float\"", "type is \"uint32_t\"");
    BAD(oplus_unique(dev, f, NULL, NULL, N, y, u, counts, NULL, NULL, &runs), "oplus_unique", "in is NULL");
    BAD(oplus_unique(dev, f, NULL, x, too_many, y, NULL, NULL, NULL, NULL, &runs), "oplus_unique",
        "n is 9223372036854775807");
    BAD(oplus_unique(dev, f, NULL, x, N, y, NULL, counts, NULL, NULL, &runs), "oplus_unique", "index is NULL");
    BAD(oplus_unique(dev, f, NULL, x, N, y, f, counts, NULL, NULL, &runs), "oplus_unique", "index is the type");
    BAD(oplus_unique(dev, f, NULL, x, (size_t)UINT32_MAX + 1, y, u, counts, NULL, NULL, &runs), "oplus_unique",
        "cannot hold the index 4294967296");
    BAD(oplus_unique(dev, f, NULL, x, N, y, u, counts, NULL, NULL, NULL), "oplus_unique", "runs is NULL");
    OVERLAPS(oplus_unique(dev, f, NULL, x, N, x + 1, u, counts, NULL, NULL, &runs), "oplus_unique", "in", "out");
    OVERLAPS(oplus_unique(dev, f, NULL, x, N, y, u, y, NULL, NULL, &runs), "oplus_unique", "out", "counts");
    OVERLAPS(oplus_unique(dev, f, NULL, x, N, y, u, NULL, x, NULL, &runs), "oplus_unique", "in", "firsts");
    OVERLAPS(oplus_unique(dev, f, NULL, x, N, y, u, counts, NULL, y, &runs), "oplus_unique", "out", "inverse");
    FINE(oplus_unique(dev, f, &same_float_fn, x, N, y, u, counts, NULL, inverse, &runs));
    runs = 1;
    FINE(oplus_unique(dev, f, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, &runs));
    assert_int_equal(runs, 0);
}

static void by_key(void **state)
{
    const oplus_type *const f = &oplus_f32, *const u = &oplus_u32;
    const oplus_op *const sum = &oplus_sum_f32;
    float keys[N] = {0}, out_keys[N];
    size_t runs;
    (void)state;
    BAD(oplus_reduce_by_key(NULL, sum, f, NULL, keys, x, N, out_keys, y, &runs), "oplus_reduce_by_key", "dev is NULL");
    BAD(oplus_reduce_by_key(dev, NULL, f, NULL, keys, x, N, out_keys, y, &runs), "oplus_reduce_by_key", "op is NULL");
    BAD(oplus_reduce_by_key(dev, sum, NULL, NULL, keys, x, N, out_keys, y, &runs), "oplus_reduce_by_key",
        "key is NULL");
    BAD(oplus_reduce_by_key(dev, sum, u, &same_float_fn, keys, x, N, out_keys, y, &runs), "oplus_reduce_by_key", "same",
        "key is \"uint32_t\"");
    BAD(oplus_reduce_by_key(dev, sum, f, NULL, NULL, x, N, out_keys, y, &runs), "oplus_reduce_by_key", "keys is NULL");
    BAD(oplus_reduce_by_key(dev, sum, f, NULL, keys, NULL, N, out_keys, y, &runs), "oplus_reduce_by_key",
        "values is NULL");
    BAD(oplus_reduce_by_key(dev, sum, f, NULL, keys, x, too_many, out_keys, y, &runs), "oplus_reduce_by_key",
        "n is 9223372036854775807");
    BAD(oplus_reduce_by_key(dev, sum, f, NULL, keys, x, N, out_keys, NULL, &runs), "oplus_reduce_by_key",
        "out is NULL");
    BAD(oplus_reduce_by_key(dev, sum, f, NULL, keys, x, N, out_keys, y, NULL), "oplus_reduce_by_key", "runs is NULL");
    OVERLAPS(oplus_reduce_by_key(dev, sum, f, NULL, keys, x, N, keys, y, &runs), "oplus_reduce_by_key", "keys",
             "out_keys");
    OVERLAPS(oplus_reduce_by_key(dev, sum, f, NULL, keys, x, N, out_keys, keys + 1, &runs), "oplus_reduce_by_key",
             "keys", "out");
    OVERLAPS(oplus_reduce_by_key(dev, sum, f, NULL, keys, x, N, x, y, &runs), "oplus_reduce_by_key", "values",
             "out_keys");
    OVERLAPS(oplus_reduce_by_key(dev, sum, f, NULL, keys, x, N, out_keys, x, &runs), "oplus_reduce_by_key", "values",
             "out");
    OVERLAPS(oplus_reduce_by_key(dev, sum, f, NULL, keys, x, N, y, y, &runs), "oplus_reduce_by_key", "out_keys", "out");
    FINE(oplus_reduce_by_key(dev, sum, f, &same_float_fn, keys, x, N, NULL, y, &runs));
    assert_int_equal(runs, 1);
    FINE(oplus_reduce_by_key(dev, &earlier_op, f, NULL, NULL, NULL, 0, NULL, NULL, &runs));
    assert_int_equal(runs, 0);

    const oplus_kind up = OPLUS_INCLUSIVE;
    BAD(oplus_scan_by_key(NULL, sum, up, f, NULL, keys, x, N, y), "oplus_scan_by_key", "dev is NULL");
    BAD(oplus_scan_by_key(dev, NULL, up, f, NULL, keys, x, N, y), "oplus_scan_by_key", "op is NULL");
    BAD(oplus_scan_by_key(dev, sum, (oplus_kind)2, f, NULL, keys, x, N, y), "oplus_scan_by_key", "kind is 2");
    BAD(oplus_scan_by_key(dev, &earlier_op, OPLUS_EXCLUSIVE, f, NULL, keys, x, N, y), "oplus_scan_by_key",
        "no identity");
    BAD(oplus_scan_by_key(dev, sum, up, NULL, NULL, keys, x, N, y), "oplus_scan_by_key", "key is NULL");
    BAD(oplus_scan_by_key(dev, sum, up, f, &add_fn, keys, x, N, y), "oplus_scan_by_key", "same");
    BAD(oplus_scan_by_key(dev, sum, up, f, NULL, NULL, x, N, y), "oplus_scan_by_key", "keys is NULL");
    BAD(oplus_scan_by_key(dev, sum, up, f, NULL, keys, NULL, N, y), "oplus_scan_by_key", "values is NULL");
    BAD(oplus_scan_by_key(dev, sum, up, f, NULL, keys, x, N, NULL), "oplus_scan_by_key", "out is NULL");
    OVERLAPS(oplus_scan_by_key(dev, sum, up, f, NULL, keys, x, N, keys), "oplus_scan_by_key", "keys", "out");
    OVERLAPS(oplus_scan_by_key(dev, sum, up, f, NULL, keys, x, N, x + 1), "oplus_scan_by_key", "values", "out");
    FINE(oplus_scan_by_key(dev, sum, up, f, NULL, keys, y, N, y));
    FINE(oplus_scan_by_key(dev, sum, up, f, NULL, NULL, NULL, 0, NULL));

    BAD(oplus_group(NULL, sum, f, OPLUS_ASCENDING, keys, x, N, out_keys, y, &runs), "oplus_group", "dev is NULL");
    BAD(oplus_group(dev, NULL, f, OPLUS_ASCENDING, keys, x, N, out_keys, y, &runs), "oplus_group", "op is NULL");
    BAD(oplus_group(dev, sum, &gap_type, OPLUS_ASCENDING, keys, x, N, out_keys, y, &runs), "oplus_group",
        "key \"gap\" is not a scalar");
    BAD(oplus_group(dev, sum, f, (oplus_order)2, keys, x, N, out_keys, y, &runs), "oplus_group", "order is 2");
    BAD(oplus_group(dev, sum, f, OPLUS_ASCENDING, NULL, x, N, out_keys, y, &runs), "oplus_group", "keys is NULL");
    BAD(oplus_group(dev, sum, f, OPLUS_ASCENDING, keys, NULL, N, out_keys, y, &runs), "oplus_group", "values is NULL");
    BAD(oplus_group(dev, sum, f, OPLUS_ASCENDING, keys, x, N, out_keys, NULL, &runs), "oplus_group", "out is NULL");
    BAD(oplus_group(dev, sum, f, OPLUS_ASCENDING, keys, x, N, out_keys, y, NULL), "oplus_group", "groups is NULL");
    OVERLAPS(oplus_group(dev, sum, f, OPLUS_ASCENDING, keys, x, N, keys, y, &runs), "oplus_group", "keys", "out_keys");
    OVERLAPS(oplus_group(dev, sum, f, OPLUS_ASCENDING, keys, x, N, out_keys, x, &runs), "oplus_group", "values", "out");
    FINE(oplus_group(dev, sum, f, OPLUS_ASCENDING, NULL, NULL, 0, NULL, NULL, &runs));
    assert_int_equal(runs, 0);
}

/* --- repeat */

static void repeat(void **state)
{
    const oplus_type *const f = &oplus_f32, *const u = &oplus_u32, *const s = &oplus_i32;
    uint32_t counts[N] = {1, 0, 2};
    size_t total = 9;
    (void)state;
    BAD(oplus_repeat(NULL, f, x, N, u, counts, y, N, &total), "oplus_repeat", "dev is NULL");
    BAD(oplus_repeat(dev, NULL, x, N, u, counts, y, N, &total), "oplus_repeat", "type is NULL");
    BAD(oplus_repeat(dev, &no_size, x, N, u, counts, y, N, &total), "oplus_repeat", "no_size", "size 0");
    BAD(oplus_repeat(dev, f, NULL, N, u, counts, y, N, &total), "oplus_repeat", "in is NULL");
    BAD(oplus_repeat(dev, f, x, too_many, u, counts, y, N, &total), "oplus_repeat", "n is 9223372036854775807");
    BAD(oplus_repeat(dev, &oplus_u8, x, too_many / 4, u, counts, y, N, &total), "oplus_repeat", "n is ");
    BAD(oplus_repeat(dev, f, x, N, NULL, counts, y, N, &total), "oplus_repeat", "index is NULL");
    BAD(oplus_repeat(dev, f, x, N, &oplus_u16, counts, y, N, &total), "oplus_repeat", "index", "uint16_t");
    BAD(oplus_repeat(dev, f, x, N, u, NULL, y, N, &total), "oplus_repeat", "counts is NULL");
    BAD(oplus_repeat(dev, f, x, N, u, counts, NULL, N, &total), "oplus_repeat", "out is NULL");
    BAD(oplus_repeat(dev, f, x, N, u, counts, y, too_many, &total), "oplus_repeat", "capacity is 9223372036854775807");
    BAD(oplus_repeat(dev, f, x, N, u, counts, y, N, NULL), "oplus_repeat", "total is NULL");
    OVERLAPS(oplus_repeat(dev, f, x, N, u, counts, x, N, &total), "oplus_repeat", "in", "out");
    OVERLAPS(oplus_repeat(dev, f, x, N, u, counts, counts, N, &total), "oplus_repeat", "counts", "out");
    OVERLAPS(oplus_repeat(dev, f, x, N, u, counts, y, N, (size_t *)(void *)y), "oplus_repeat", "out", "total");
    OVERLAPS(oplus_repeat(dev, f, x, N, u, counts, y, N, (size_t *)(void *)x), "oplus_repeat", "in", "total");
    OVERLAPS(oplus_repeat(dev, f, x, N, u, counts, y, N, (size_t *)(void *)counts), "oplus_repeat", "counts", "total");
    assert_int_equal(total, 9);
    BAD(oplus_repeat(dev, f, x, N, u, counts, y, 2, &total), "oplus_repeat", "capacity is 2", "make 3", "room for 3");
    assert_int_equal(total, 3);
    BAD(oplus_repeat(dev, f, x, N, u, counts, y, 0, &total), "oplus_repeat", "capacity is 0", "room for 3");
    FINE(oplus_repeat(dev, f, x, N, u, counts, y, N, &total));
    FINE(oplus_repeat(dev, f, NULL, N, u, counts, NULL, 0, &total));
    counts[1] = counts[4] = UINT32_MAX;
    BAD(oplus_repeat(dev, f, x, N, s, counts, y, N, &total), "oplus_repeat", "counts[1] is -1", "at least 0");
    BAD(oplus_repeat(dev, f, x, N, u, counts, y, N, &total), "oplus_repeat", "room for 8589934593");
    FINE(oplus_repeat(dev, f, NULL, 0, u, NULL, NULL, 0, &total));
    assert_int_equal(total, 0);
}

/* --- take */

static void take(void **state)
{
    const oplus_type *const f = &oplus_f32, *const u = &oplus_u32;
    uint32_t indices[N] = {0};
    (void)state;
    BAD(oplus_take(NULL, f, OPLUS_REFUSE, x, N, u, indices, N, y), "oplus_take", "dev is NULL");
    BAD(oplus_take(dev, NULL, OPLUS_REFUSE, x, N, u, indices, N, y), "oplus_take", "type is NULL");
    BAD(oplus_take(dev, &no_size, OPLUS_REFUSE, x, N, u, indices, N, y), "oplus_take", "no_size", "size 0");
    BAD(oplus_take(dev, f, (oplus_bounds)2, x, N, u, indices, N, y), "oplus_take", "bounds is 2", "OPLUS_CLIP");
    BAD(oplus_take(dev, f, OPLUS_REFUSE, NULL, N, u, indices, N, y), "oplus_take", "in is NULL");
    BAD(oplus_take(dev, f, OPLUS_REFUSE, x, too_many, u, indices, N, y), "oplus_take", "n is 9223372036854775807");
    BAD(oplus_take(dev, f, OPLUS_REFUSE, x, N, NULL, indices, N, y), "oplus_take", "index is NULL");
    BAD(oplus_take(dev, f, OPLUS_REFUSE, x, N, f, indices, N, y), "oplus_take", "index", "float", "oplus_i64");
    BAD(oplus_take(dev, f, OPLUS_REFUSE, x, N, &oplus_u16, indices, N, y), "oplus_take", "index", "uint16_t");
    BAD(oplus_take(dev, f, OPLUS_REFUSE, x, N, u, NULL, N, y), "oplus_take", "indices is NULL");
    BAD(oplus_take(dev, f, OPLUS_REFUSE, x, N, u, indices, N, NULL), "oplus_take", "out is NULL");
    BAD(oplus_take(dev, f, OPLUS_REFUSE, x, N, u, indices, too_many, y), "oplus_take", "count is 9223372036854775807");
    BAD(oplus_take(dev, f, OPLUS_REFUSE, x, 0, u, indices, N, y), "oplus_take", "n is 0");
    BAD(oplus_take(dev, f, OPLUS_CLIP, x, 0, u, indices, N, y), "oplus_take", "n is 0");
    OVERLAPS(oplus_take(dev, f, OPLUS_REFUSE, x, N, u, indices, N, x), "oplus_take", "in", "out");
    OVERLAPS(oplus_take(dev, f, OPLUS_REFUSE, x, N, u, indices, N, indices), "oplus_take", "indices", "out");
    indices[3] = N;
    BAD(oplus_take(dev, f, OPLUS_REFUSE, x, N, u, indices, N, y), "oplus_take", "indices[3] is", "OPLUS_CLIP");
    FINE(oplus_take(dev, f, OPLUS_CLIP, x, N, u, indices, N, y));
    FINE(oplus_take(dev, f, OPLUS_REFUSE, x, N, u, indices, 3, y));
    FINE(oplus_take(dev, f, OPLUS_REFUSE, NULL, 0, u, NULL, 0, NULL));
}

/* --- put */

static void put(void **state)
{
    const oplus_type *const f = &oplus_f32, *const u = &oplus_u32;
    uint32_t indices[N] = {0};
    (void)state;
    BAD(oplus_put(NULL, f, OPLUS_REFUSE, x, u, indices, N, y, N), "oplus_put", "dev is NULL");
    BAD(oplus_put(dev, NULL, OPLUS_REFUSE, x, u, indices, N, y, N), "oplus_put", "type is NULL");
    BAD(oplus_put(dev, &odd_align, OPLUS_REFUSE, x, u, indices, N, y, N), "oplus_put", "odd_align", "align 3");
    BAD(oplus_put(dev, f, (oplus_bounds)-1, x, u, indices, N, y, N), "oplus_put", "bounds is -1", "OPLUS_CLIP");
    BAD(oplus_put(dev, f, OPLUS_REFUSE, NULL, u, indices, N, y, N), "oplus_put", "in is NULL");
    BAD(oplus_put(dev, f, OPLUS_REFUSE, x, NULL, indices, N, y, N), "oplus_put", "index is NULL");
    BAD(oplus_put(dev, f, OPLUS_REFUSE, x, &oplus_i8, indices, N, y, N), "oplus_put", "index", "int8_t");
    BAD(oplus_put(dev, f, OPLUS_REFUSE, x, u, NULL, N, y, N), "oplus_put", "indices is NULL");
    BAD(oplus_put(dev, f, OPLUS_REFUSE, x, u, indices, N, NULL, N), "oplus_put", "out is NULL");
    BAD(oplus_put(dev, f, OPLUS_REFUSE, x, u, indices, too_many, y, N), "oplus_put", "count is 9223372036854775807");
    BAD(oplus_put(dev, f, OPLUS_REFUSE, x, u, indices, N, y, too_many), "oplus_put", "n is 9223372036854775807");
    BAD(oplus_put(dev, f, OPLUS_CLIP, x, u, indices, N, y, 0), "oplus_put", "n is 0");
    OVERLAPS(oplus_put(dev, f, OPLUS_REFUSE, x, u, indices, N, x, N), "oplus_put", "in", "out");
    OVERLAPS(oplus_put(dev, f, OPLUS_REFUSE, x, u, indices, N, indices, N), "oplus_put", "indices", "out");
    indices[2] = N;
    BAD(oplus_put(dev, f, OPLUS_REFUSE, x, u, indices, N, y, N), "oplus_put", "indices[2] is", "OPLUS_CLIP");
    FINE(oplus_put(dev, f, OPLUS_CLIP, x, u, indices, N, y, N));
    FINE(oplus_put(dev, f, OPLUS_REFUSE, NULL, u, NULL, 0, NULL, 0));
}

/* --- bins */

static void by_index(void **state)
{
    const oplus_op *const sum = &oplus_sum_f32;
    const oplus_type *const u = &oplus_u32;
    uint32_t at[N] = {0}, counts[N];
    (void)state;
    BAD(oplus_count_by_index(NULL, OPLUS_CLIP, u, at, N, u, counts, N), "oplus_count_by_index", "dev is NULL");
    BAD(oplus_count_by_index(dev, (oplus_bounds)3, u, at, N, u, counts, N), "bounds is 3", "OPLUS_IGNORE");
    BAD(oplus_count_by_index(dev, OPLUS_CLIP, &oplus_f32, at, N, u, counts, N), "index", "float", "give an integer");
    BAD(oplus_count_by_index(dev, OPLUS_CLIP, NULL, at, N, u, counts, N), "index is NULL");
    BAD(oplus_count_by_index(dev, OPLUS_CLIP, u, NULL, N, u, counts, N), "indices is NULL");
    BAD(oplus_count_by_index(dev, OPLUS_CLIP, u, at, too_many, u, counts, N), "count is 9223372036854775807");
    BAD(oplus_count_by_index(dev, OPLUS_CLIP, u, at, N, NULL, counts, N), "counter is NULL");
    BAD(oplus_count_by_index(dev, OPLUS_CLIP, u, at, N, &oplus_u16, counts, N), "counter", "uint16_t");
    BAD(oplus_count_by_index(dev, OPLUS_CLIP, &oplus_u8, at, UINT32_MAX, &oplus_i32, counts, N), "counter \"int32_t\"",
        "4294967295", "oplus_u64");
    BAD(oplus_count_by_index(dev, OPLUS_CLIP, u, at, N, u, NULL, N), "counts is NULL");
    BAD(oplus_count_by_index(dev, OPLUS_CLIP, u, at, N, u, counts, 0), "n is 0", "count is 64");
    OVERLAPS(oplus_count_by_index(dev, OPLUS_CLIP, u, at, N, u, at, N), "indices", "counts");
    at[5] = N;
    BAD(oplus_count_by_index(dev, OPLUS_REFUSE, u, at, N, u, counts, N), "indices[5] is 64", "n is 64", "OPLUS_IGNORE");
    FINE(oplus_count_by_index(dev, OPLUS_IGNORE, u, at, N, u, counts, N));
    FINE(oplus_count_by_index(dev, OPLUS_IGNORE, u, at, N, u, NULL, 0));

    BAD(oplus_reduce_by_index(NULL, sum, OPLUS_CLIP, x, u, at, N, y, N), "oplus_reduce_by_index", "dev is NULL");
    BAD(oplus_reduce_by_index(dev, NULL, OPLUS_CLIP, x, u, at, N, y, N), "op is NULL");
    BAD(oplus_reduce_by_index(dev, &earlier_op, OPLUS_CLIP, x, u, at, N, y, N), "earlier", "no identity", "OPLUS_OP");
    BAD(oplus_reduce_by_index(dev, sum, (oplus_bounds)-1, x, u, at, N, y, N), "bounds is -1");
    BAD(oplus_reduce_by_index(dev, sum, OPLUS_CLIP, NULL, u, at, N, y, N), "in is NULL");
    BAD(oplus_reduce_by_index(dev, sum, OPLUS_CLIP, x, &oplus_u8, at, N, y, N), "index", "uint8_t", "oplus_u32");
    BAD(oplus_reduce_by_index(dev, sum, OPLUS_CLIP, x, u, NULL, N, y, N), "indices is NULL");
    BAD(oplus_reduce_by_index(dev, sum, OPLUS_CLIP, x, u, at, too_many, y, N), "count is 9223372036854775807");
    BAD(oplus_reduce_by_index(dev, sum, OPLUS_CLIP, x, u, at, N, NULL, N), "out is NULL");
    BAD(oplus_reduce_by_index(dev, sum, OPLUS_CLIP, x, u, at, N, y, too_many), "n is 9223372036854775807");
    BAD(oplus_reduce_by_index(dev, sum, OPLUS_CLIP, x, u, at, N, y, 0), "n is 0", "at least one bin");
    OVERLAPS(oplus_reduce_by_index(dev, sum, OPLUS_CLIP, x, u, at, N, x + 1, N), "in", "out");
    OVERLAPS(oplus_reduce_by_index(dev, sum, OPLUS_CLIP, x, u, at, N, at, N), "indices", "out");
    BAD(oplus_reduce_by_index(dev, sum, OPLUS_REFUSE, x, u, at, N, y, N), "indices[5] is 64", "OPLUS_CLIP");
    FINE(oplus_reduce_by_index(dev, sum, OPLUS_CLIP, x, u, at, N, y, N));
    FINE(oplus_reduce_by_index(dev, sum, OPLUS_REFUSE, NULL, u, NULL, 0, y, N));
}

static void histograms(void **state)
{
    const oplus_type *const f = &oplus_f32, *const u = &oplus_u32;
    uint32_t counts[N];
    const double infinite = (double)INFINITY;
    (void)state;
    BAD(oplus_histogram(NULL, f, x, N, 0, 1, u, counts, N), "oplus_histogram", "dev is NULL");
    BAD(oplus_histogram(dev, &oplus_complex64_type, x, N, 0, 1, u, counts, N), "oplus_complex64", "no number");
    BAD(oplus_histogram(dev, f, NULL, N, 0, 1, u, counts, N), "in is NULL");
    BAD(oplus_histogram(dev, f, x, too_many, 0, 1, &oplus_u64, counts, N), "n is 9223372036854775807");
    BAD(oplus_histogram(dev, f, x, N, 1, 1, u, counts, N), "low is 1 and high is 1", "low < high");
    BAD(oplus_histogram(dev, f, x, N, 0, infinite, u, counts, N), "high is inf");
    BAD(oplus_histogram(dev, f, x, N, (double)NAN, 1, u, counts, N), "low is nan");
    BAD(oplus_histogram(dev, f, x, N, -1e308, 1e308, u, counts, N), "low is -1e+308", "finite");
    BAD(oplus_histogram(dev, f, x, N, 0, 1, &oplus_f32, counts, N), "counter", "float");
    BAD(oplus_histogram(dev, f, x, N, 0, 1, u, NULL, N), "counts is NULL");
    BAD(oplus_histogram(dev, f, x, N, 0, 1, u, counts, 0), "bins is 0");
    OVERLAPS(oplus_histogram(dev, f, x, N, 0, 1, u, x, N), "in", "counts");
    FINE(oplus_histogram(dev, f, NULL, 0, 0, 1, u, counts, N));

    float edges[3] = {0, 1, 2};
    BAD(oplus_histogram_edges(dev, NULL, x, N, edges, u, counts, 2), "oplus_histogram_edges", "type is NULL");
    BAD(oplus_histogram_edges(dev, f, x, N, NULL, u, counts, 2), "edges is NULL");
    BAD(oplus_histogram_edges(dev, f, x, N, edges, u, counts, 0), "bins is 0");
    OVERLAPS(oplus_histogram_edges(dev, f, x, N, edges, u, edges, 2), "edges", "counts");
    edges[2] = 0.5f;
    BAD(oplus_histogram_edges(dev, f, x, N, edges, u, counts, 2), "edges[2]", "ascending");
    edges[0] = NAN;
    BAD(oplus_histogram_edges(dev, f, x, N, edges, u, counts, 2), "edges[0] is NaN");
}

/* --- sort, transpose */

static void sort(void **state)
{
    const oplus_type *const f = &oplus_f32;
    (void)state;
    BAD(oplus_sort(NULL, f, OPLUS_ASCENDING, x, N), "oplus_sort", "dev is NULL");
    BAD(oplus_sort(dev, NULL, OPLUS_ASCENDING, x, N), "oplus_sort", "key is NULL");
    BAD(oplus_sort(dev, &oplus_complex64_type, OPLUS_ASCENDING, x, N), "oplus_sort", "key", "oplus_complex64");
    BAD(oplus_sort(dev, f, (oplus_order)2, x, N), "oplus_sort", "order is 2", "OPLUS_ASCENDING");
    BAD(oplus_sort(dev, f, OPLUS_ASCENDING, NULL, N), "oplus_sort", "keys is NULL");
    BAD(oplus_sort(dev, f, OPLUS_ASCENDING, x, too_many), "oplus_sort", "n is 9223372036854775807");
    FINE(oplus_sort(dev, f, OPLUS_DESCENDING, NULL, 0));

    BAD(oplus_sort_pairs(NULL, f, OPLUS_ASCENDING, x, f, y, N), "oplus_sort_pairs", "dev is NULL");
    BAD(oplus_sort_pairs(dev, NULL, OPLUS_ASCENDING, x, f, y, N), "oplus_sort_pairs", "key is NULL");
    BAD(oplus_sort_pairs(dev, f, OPLUS_ASCENDING, x, NULL, y, N), "oplus_sort_pairs", "value is NULL");
    BAD(oplus_sort_pairs(dev, f, OPLUS_ASCENDING, x, &odd_align, y, 4), "oplus_sort_pairs", "value", "odd_align",
        "align 3");
    BAD(oplus_sort_pairs(dev, &affine32_type, OPLUS_ASCENDING, x, f, y, N), "oplus_sort_pairs", "key", "affine32");
    BAD(oplus_sort_pairs(dev, f, (oplus_order)-1, x, f, y, N), "oplus_sort_pairs", "order is -1");
    BAD(oplus_sort_pairs(dev, f, OPLUS_ASCENDING, NULL, f, y, N), "oplus_sort_pairs", "keys is NULL");
    BAD(oplus_sort_pairs(dev, f, OPLUS_ASCENDING, x, f, NULL, N), "oplus_sort_pairs", "values is NULL");
    BAD(oplus_sort_pairs(dev, f, OPLUS_ASCENDING, x, f, y, too_many), "oplus_sort_pairs", "n is 9223372036854775807");
    BAD(oplus_sort_pairs(dev, &oplus_u8, OPLUS_ASCENDING, x, f, y, too_many), "oplus_sort_pairs",
        "9223372036854775807");
    OVERLAPS(oplus_sort_pairs(dev, f, OPLUS_ASCENDING, x, f, x + 1, N), "oplus_sort_pairs", "keys", "values");
    OVERLAPS(oplus_sort_pairs(dev, f, OPLUS_ASCENDING, x, f, x, N), "oplus_sort_pairs", "keys", "values");
    FINE(oplus_sort_pairs(dev, f, OPLUS_ASCENDING, NULL, f, NULL, 0));
}

static void extremes(void **state)
{
    (void)state;
    size_t at;
    FAILS(OPLUS_ERR_ARGUMENT, oplus_argmin(NULL, &oplus_f32, x, N, &at), "oplus_argmin: dev is NULL");
    BAD(oplus_argmin(dev, NULL, x, N, &at), "oplus_argmin: type is NULL");
    BAD(oplus_argmax(dev, &oplus_c64, x, N / 2, &at), "oplus_argmax: type", "no order");
    BAD(oplus_argmax(dev, &oplus_f32, NULL, N, &at), "oplus_argmax: in is NULL", "64");
    BAD(oplus_argmin(dev, &oplus_f32, x, too_many, &at), "oplus_argmin: n is 9223372036854775807");
    BAD(oplus_argmin(dev, &oplus_f32, x, N, NULL), "oplus_argmin: at is NULL");
    BAD(oplus_minmax(dev, &oplus_f32, x, N, NULL), "oplus_minmax: out is NULL");
    BAD(oplus_argmin(dev, &oplus_f32, x, 0, &at), "oplus_argmin: n is 0", "at least one element");
    BAD(oplus_minmax(dev, &oplus_f32, NULL, 0, y), "oplus_minmax: n is 0");
}

static void moments(void **state)
{
    double value;
    (void)state;
    FAILS(OPLUS_ERR_ARGUMENT, oplus_mean(NULL, &oplus_f32, x, N, &value), "oplus_mean: dev is NULL");
    BAD(oplus_mean(dev, NULL, x, N, &value), "oplus_mean: type is NULL");
    BAD(oplus_mean(dev, &oplus_c64, x, N / 2, &value), "oplus_mean: type", "oplus_join_moments");
    BAD(oplus_mean(dev, &oplus_f32, NULL, N, &value), "oplus_mean: in is NULL", "64");
    BAD(oplus_mean(dev, &oplus_f32, x, too_many, &value), "oplus_mean: n is 9223372036854775807");
    BAD(oplus_mean(dev, &oplus_f32, x, N, NULL), "oplus_mean: mean is NULL");
    BAD(oplus_mean(dev, &oplus_f32, NULL, 0, &value), "oplus_mean: n is 0", "at least one element");
    BAD(oplus_variance(dev, &oplus_f32, 1, x, N, NULL), "oplus_variance: variance is NULL");
    BAD(oplus_variance(dev, &oplus_f32, 1, x, 0, &value), "oplus_variance: n is 0");
    BAD(oplus_variance(dev, &oplus_f32, 1, x, 1, &value), "oplus_variance: n is 1 and ddof is 1", "more elements");
}

OPLUS_ZIP(before, uint8_t, float, float, { return a < b; })
OPLUS_STRUCT(complex32_like, float x; float y;)
OPLUS_ZIP(of_two_structs, uint8_t, affine32, complex32_like, { return a.a < b.x; })
OPLUS_ZIP(of_two_types, uint8_t, float, int32_t, { return a < (float)b; })
OPLUS_ZIP(difference, float, float, float, { return a - b; })

static void order(void **state)
{
    const oplus_type *const f = &oplus_f32, *const u = &oplus_u32, *const byte = &oplus_u8;
    const oplus_order up = OPLUS_ASCENDING;
    const size_t many = (size_t)1 << 31; /* more than an i32 can number */
    float *const z = y + N;
    (void)state;
    BAD(oplus_argsort(NULL, f, up, x, N, u, y), "oplus_argsort", "dev is NULL");
    BAD(oplus_argsort(dev, NULL, up, x, N, u, y), "oplus_argsort", "key is NULL");
    BAD(oplus_argsort(dev, f, (oplus_order)3, x, N, u, y), "oplus_argsort", "order is 3");
    BAD(oplus_argsort(dev, f, up, NULL, N, u, y), "oplus_argsort", "keys is NULL");
    BAD(oplus_argsort(dev, f, up, x, N, NULL, y), "oplus_argsort", "index is NULL");
    BAD(oplus_argsort(dev, f, up, x, N, f, y), "oplus_argsort", "index is the type \"float\"", "oplus_u64");
    BAD(oplus_argsort(dev, byte, up, x, many + 1, &oplus_i32, y), "oplus_argsort", "cannot hold the index 2147483648",
        "oplus_i64");
    BAD(oplus_argsort(dev, f, up, x, N, u, NULL), "oplus_argsort", "indices is NULL");
    BAD(oplus_argsort(dev, f, up, x, too_many, u, y), "oplus_argsort", "n is 9223372036854775807");
    OVERLAPS(oplus_argsort(dev, f, up, x, N, u, x + 1), "oplus_argsort", "keys", "indices");
    FINE(oplus_argsort(dev, f, up, NULL, 0, u, NULL));

    const oplus_type *const two[] = {f, byte}, *const bad_type[] = {f, &affine32_type};
    const oplus_order ways[] = {OPLUS_ASCENDING, OPLUS_DESCENDING}, bad_order[] = {OPLUS_ASCENDING, (oplus_order)7};
    const void *const both[] = {x, y}, *const no_second[] = {x, NULL};
    BAD(oplus_argsort_keys(NULL, two, ways, both, 2, N, u, z), "oplus_argsort_keys", "dev is NULL");
    BAD(oplus_argsort_keys(dev, two, ways, both, 0, N, u, z), "oplus_argsort_keys", "count is 0");
    BAD(oplus_argsort_keys(dev, NULL, ways, both, 2, N, u, z), "oplus_argsort_keys", "key is NULL");
    BAD(oplus_argsort_keys(dev, two, NULL, both, 2, N, u, z), "oplus_argsort_keys", "order is NULL");
    BAD(oplus_argsort_keys(dev, two, ways, NULL, 2, N, u, z), "oplus_argsort_keys", "keys is NULL");
    BAD(oplus_argsort_keys(dev, two, ways, no_second, 2, N, u, z), "oplus_argsort_keys", "keys[1] is NULL");
    BAD(oplus_argsort_keys(dev, bad_type, ways, both, 2, N, u, z), "oplus_argsort_keys", "affine32");
    BAD(oplus_argsort_keys(dev, two, bad_order, both, 2, N, u, z), "oplus_argsort_keys", "order is 7");
    BAD(oplus_argsort_keys(dev, two, ways, both, 2, N, f, z), "oplus_argsort_keys", "index is the type \"float\"");
    BAD(oplus_argsort_keys(dev, two, ways, both, 2, N, u, NULL), "oplus_argsort_keys", "indices is NULL");
    OVERLAPS(oplus_argsort_keys(dev, two, ways, both, 2, 9, u, y + 1), "oplus_argsort_keys", "keys[1]", "indices");
    FINE(oplus_argsort_keys(dev, two, ways, no_second, 2, 0, u, NULL));

    BAD(oplus_top(NULL, f, up, x, N, 1, y, u, y + N), "oplus_top", "dev is NULL");
    BAD(oplus_top(dev, &affine32_type, up, x, N, 1, y, u, z), "oplus_top", "affine32");
    BAD(oplus_top(dev, f, (oplus_order)3, x, N, 1, y, u, z), "oplus_top", "order is 3");
    BAD(oplus_top(dev, f, up, NULL, N, 1, y, u, z), "oplus_top", "keys is NULL");
    BAD(oplus_top(dev, f, up, x, 5, 6, y, u, z), "oplus_top", "k is 6, and n is 5", "at most n");
    BAD(oplus_top(dev, f, up, x, N, 1, y, f, z), "oplus_top", "index is the type \"float\"", "oplus_u64");
    BAD(oplus_top(dev, f, up, x, N, 1, y, NULL, z), "oplus_top", "index is NULL");
    BAD(oplus_top(dev, byte, up, x, many + 1, 1, y, &oplus_i32, z), "oplus_top", "cannot hold the index 2147483648");
    BAD(oplus_top(dev, f, up, x, N, 1, NULL, u, NULL), "oplus_top", "out and indices are NULL");
    BAD(oplus_top(dev, f, up, x, too_many, 1, y, u, z), "oplus_top", "n is 9223372036854775807");
    OVERLAPS(oplus_top(dev, f, up, x, N, 2, x + 1, u, y), "oplus_top", "keys", "out");
    OVERLAPS(oplus_top(dev, f, up, x, N, 2, y, u, x), "oplus_top", "keys", "indices");
    OVERLAPS(oplus_top(dev, f, up, x, N, 2, y, u, y + 1), "oplus_top", "out", "indices");
    FINE(oplus_top(dev, f, up, NULL, 0, 0, NULL, NULL, NULL));
    FINE(oplus_top(dev, f, up, x, N, 0, NULL, u, NULL));

    BAD(oplus_nth(NULL, f, up, x, N, 1, y), "oplus_nth", "dev is NULL");
    BAD(oplus_nth(dev, &affine32_type, up, x, N, 1, y), "oplus_nth", "affine32");
    BAD(oplus_nth(dev, f, (oplus_order)3, x, N, 1, y), "oplus_nth", "order is 3");
    BAD(oplus_nth(dev, f, up, NULL, N, 1, y), "oplus_nth", "keys is NULL");
    BAD(oplus_nth(dev, f, up, x, 5, 5, y), "oplus_nth", "k is 5, and n is 5", "0 to 4");
    BAD(oplus_nth(dev, f, up, NULL, 0, 2, y), "oplus_nth", "k is 2, and n is 0", "give some keys");
    BAD(oplus_nth(dev, f, up, x, N, 1, NULL), "oplus_nth", "out is NULL");
    BAD(oplus_nth(dev, f, up, x, too_many, 1, y), "oplus_nth", "n is 9223372036854775807");
    OVERLAPS(oplus_nth(dev, f, up, x, N, 2, x + 1), "oplus_nth", "keys", "out");
    OVERLAPS(oplus_nth(dev, f, up, x, N, 2, x), "oplus_nth", "keys", "out");

    BAD(oplus_search(dev, f, up, x, N, (oplus_bound)2, x, N, u, y), "oplus_search", "bound is 2", "OPLUS_UPPER");
    BAD(oplus_search(dev, &affine32_type, up, x, N, OPLUS_LOWER, x, N, u, y), "oplus_search", "affine32");
    BAD(oplus_search(dev, f, up, NULL, N, OPLUS_LOWER, x, N, u, y), "oplus_search", "sorted is NULL");
    BAD(oplus_search(dev, f, up, x, N, OPLUS_LOWER, NULL, N, u, y), "oplus_search", "wanted is NULL");
    BAD(oplus_search(dev, f, up, x, N, OPLUS_LOWER, x, N, u, NULL), "oplus_search", "places is NULL");
    BAD(oplus_search(dev, f, up, x, N, OPLUS_LOWER, x, N, byte, y), "oplus_search", "index is the type \"uint8_t\"");
    BAD(oplus_search(dev, byte, up, x, many, OPLUS_LOWER, x, N, &oplus_i32, y), "oplus_search", "2147483648");
    BAD(oplus_search(dev, f, up, x, N, OPLUS_LOWER, x, too_many, u, y), "oplus_search", "count is 9223372036854775807");
    OVERLAPS(oplus_search(dev, f, up, x, N, OPLUS_LOWER, y, N, u, x + 1), "oplus_search", "sorted", "places");
    OVERLAPS(oplus_search(dev, f, up, x, N, OPLUS_LOWER, y, N, u, y), "oplus_search", "wanted", "places");
    FINE(oplus_search(dev, f, up, NULL, 0, OPLUS_LOWER, x, N, u, y));
    FINE(oplus_search(dev, f, up, x, N, OPLUS_LOWER, NULL, 0, u, NULL));
    BAD(oplus_search_by(dev, NULL, x, N, OPLUS_LOWER, x, N, u, y), "oplus_search_by", "less is NULL");
    BAD(oplus_search_by(dev, &of_two_structs_fn, x, N / 2, OPLUS_LOWER, x, N / 2, u, y), "oplus_search_by",
        "of_two_structs", "two inputs of the same type");
    BAD(oplus_search_by(dev, &of_two_types_fn, x, N, OPLUS_LOWER, x, N, u, y), "oplus_search_by", "of_two_types",
        "two inputs of the same type");
    BAD(oplus_search_by(dev, &difference_fn, x, N, OPLUS_LOWER, x, N, u, y), "oplus_search_by", "difference",
        "uint8_t");

    BAD(oplus_merge(NULL, f, up, x, N, x, N, y), "oplus_merge", "dev is NULL");
    BAD(oplus_merge(dev, f, up, NULL, N, x, N, y), "oplus_merge", "a is NULL");
    BAD(oplus_merge(dev, f, up, x, N, NULL, N, y), "oplus_merge", "b is NULL");
    BAD(oplus_merge(dev, f, up, x, N, x, N, NULL), "oplus_merge", "out is NULL");
    BAD(oplus_merge(dev, byte, up, x, too_many, x, too_many, y), "oplus_merge", "a_n + b_n is 18446744073709551614");
    OVERLAPS(oplus_merge(dev, f, up, x, N, y, N / 2, x), "oplus_merge", "a", "out");
    OVERLAPS(oplus_merge(dev, f, up, x, N / 2, z, N / 2, y + N - 1), "oplus_merge", "b", "out");
    FINE(oplus_merge(dev, f, up, NULL, 0, NULL, 0, NULL));
    FINE(oplus_merge(dev, f, up, NULL, 0, x, N, y));
    BAD(oplus_merge_pairs(dev, f, up, x, x, y, NULL, x, x, z, N / 2, N / 2), "oplus_merge_pairs", "value is NULL");
    BAD(oplus_merge_pairs(dev, f, up, x, x, y, f, x, NULL, z, N / 2, N / 2), "oplus_merge_pairs", "b_values is NULL");
    OVERLAPS(oplus_merge_pairs(dev, f, up, x, x, y, f, x, x, y, N / 2, N / 2), "oplus_merge_pairs", "out_keys",
             "out_values");
    OVERLAPS(oplus_merge_pairs(dev, f, up, x, z, y, f, x, x, z, N / 2, N / 2), "oplus_merge_pairs", "b_keys",
             "out_values");
    const void *const some[] = {x, x, NULL};
    const size_t lengths[] = {N / 4, N / 4, 0}, wrong[] = {1, too_many, 1};
    BAD(oplus_merge_many(NULL, f, up, some, lengths, 3, y), "oplus_merge_many", "dev is NULL");
    BAD(oplus_merge_many(dev, NULL, up, some, lengths, 3, y), "oplus_merge_many", "key is NULL");
    BAD(oplus_merge_many(dev, f, (oplus_order)7, some, lengths, 3, y), "oplus_merge_many", "order is 7");
    BAD(oplus_merge_many(dev, f, up, NULL, lengths, 3, y), "oplus_merge_many", "in is NULL");
    BAD(oplus_merge_many(dev, f, up, some, NULL, 3, y), "oplus_merge_many", "n is NULL");
    BAD(oplus_merge_many(dev, f, up, some + 1, lengths, 2, y), "oplus_merge_many", "in[1] is NULL");
    BAD(oplus_merge_many(dev, f, up, some, wrong, 2, y), "oplus_merge_many", "n[0] + n[1]");
    BAD(oplus_merge_many(dev, f, up, some, lengths, 3, NULL), "oplus_merge_many", "out is NULL");
    OVERLAPS(oplus_merge_many(dev, f, up, some, lengths, 3, x + 1), "oplus_merge_many", "in[0]", "out");
    FINE(oplus_merge_many(dev, f, up, NULL, NULL, 0, NULL));
    FINE(oplus_merge_many(dev, f, up, some + 2, lengths + 2, 1, NULL));
    FINE(oplus_merge_many(dev, f, up, some, lengths, 3, y));
    BAD(oplus_merge_many_by(NULL, &before_fn, some, lengths, 3, y), "oplus_merge_many_by", "dev is NULL");
    BAD(oplus_merge_many_by(dev, NULL, some, lengths, 3, y), "oplus_merge_many_by", "less is NULL");
    BAD(oplus_merge_many_by(dev, &difference_fn, some, lengths, 3, y), "oplus_merge_many_by", "difference", "uint8_t");
    BAD(oplus_merge_many_by(dev, &before_fn, NULL, lengths, 3, y), "oplus_merge_many_by", "in is NULL");
    BAD(oplus_merge_many_by(dev, &before_fn, some, NULL, 3, y), "oplus_merge_many_by", "n is NULL");
    BAD(oplus_merge_many_by(dev, &before_fn, some, lengths, 3, NULL), "oplus_merge_many_by", "out is NULL");
    OVERLAPS(oplus_merge_many_by(dev, &before_fn, some, lengths, 3, x), "oplus_merge_many_by", "in[0]", "out");
    FINE(oplus_merge_many_by(dev, &before_fn, NULL, NULL, 0, NULL));
    FINE(oplus_merge_many_by(dev, &before_fn, some, lengths, 3, y));
    BAD(oplus_merge_by(dev, &difference_fn, x, N, x, N, y), "oplus_merge_by", "difference");
    BAD(oplus_merge_by(dev, &before_fn, NULL, N, x, N, y), "oplus_merge_by", "a is NULL");
}

static void merge_many_pairs(void **state)
{
    const oplus_type *const f = &oplus_f32, *const byte = &oplus_u8;
    const oplus_order up = OPLUS_ASCENDING;
    const char *const call = "oplus_merge_many_pairs";
    float *const z = y + N;
    const void *const some[] = {x, x, NULL}, *const others[] = {x, z, NULL};
    const size_t n[] = {N / 4, N / 4, 0}, wrong[] = {1, too_many / 4, 1};
    (void)state;
    BAD(oplus_merge_many_pairs(NULL, f, up, some, y, f, some, z, n, 3), call, "dev is NULL");
    BAD(oplus_merge_many_pairs(dev, NULL, up, some, y, f, some, z, n, 3), call, "key is NULL");
    BAD(oplus_merge_many_pairs(dev, f, (oplus_order)7, some, y, f, some, z, n, 3), call, "order is 7");
    BAD(oplus_merge_many_pairs(dev, f, up, some, y, NULL, some, z, n, 3), call, "value is NULL");
    BAD(oplus_merge_many_pairs(dev, f, up, NULL, y, f, some, z, n, 3), call, "keys is NULL");
    BAD(oplus_merge_many_pairs(dev, f, up, some, y, f, NULL, z, n, 3), call, "values is NULL");
    BAD(oplus_merge_many_pairs(dev, f, up, some, y, f, some, z, NULL, 3), call, "n is NULL");
    BAD(oplus_merge_many_pairs(dev, f, up, some + 1, y, f, some, z, n, 2), call, "keys[1] is NULL");
    BAD(oplus_merge_many_pairs(dev, f, up, some, y, f, some + 1, z, n, 2), call, "values[1] is NULL");
    BAD(oplus_merge_many_pairs(dev, byte, up, some, y, &oplus_f64, some, z, wrong, 2), call, "n[0] + n[1]");
    BAD(oplus_merge_many_pairs(dev, f, up, some, NULL, f, some, z, n, 3), call, "out_keys is NULL");
    BAD(oplus_merge_many_pairs(dev, f, up, some, y, f, some, NULL, n, 3), call, "out_values is NULL");
    OVERLAPS(oplus_merge_many_pairs(dev, f, up, some, x + 1, f, some, z, n, 3), call, "keys[0]", "out_keys");
    OVERLAPS(oplus_merge_many_pairs(dev, f, up, others, y, f, some, z, n, 3), call, "keys[1]", "out_values");
    OVERLAPS(oplus_merge_many_pairs(dev, f, up, some, z, f, others, y, n, 3), call, "values[1]", "out_keys");
    OVERLAPS(oplus_merge_many_pairs(dev, f, up, some, y, f, some, y + 1, n, 3), call, "out_keys", "out_values");
    FINE(oplus_merge_many_pairs(dev, f, up, NULL, NULL, f, NULL, NULL, NULL, 0));
    FINE(oplus_merge_many_pairs(dev, f, up, some, y, f, some, z, n, 1));
    FINE(oplus_merge_many_pairs(dev, f, up, some, y, f, some, z, n, 3));
}

static void sort_by(void **state)
{
    const oplus_type *const u = &oplus_u32, *const f = &oplus_f32;
    (void)state;
    BAD(oplus_sort_by(NULL, &before_fn, x, N), "oplus_sort_by", "dev is NULL");
    BAD(oplus_sort_by(dev, NULL, x, N), "oplus_sort_by", "less is NULL");
    BAD(oplus_sort_by(dev, &difference_fn, x, N), "oplus_sort_by", "difference", "OPLUS_ZIP");
    BAD(oplus_sort_by(dev, &before_fn, NULL, N), "oplus_sort_by", "elements is NULL");
    BAD(oplus_sort_by(dev, &before_fn, x, too_many), "oplus_sort_by", "n is 9223372036854775807");
    FINE(oplus_sort_by(dev, &before_fn, NULL, 0));
    FINE(oplus_sort_by(dev, &before_fn, y, 1));
    BAD(oplus_argsort_by(NULL, &before_fn, x, N, u, y), "oplus_argsort_by", "dev is NULL");
    BAD(oplus_argsort_by(dev, &difference_fn, x, N, u, y), "oplus_argsort_by", "difference");
    BAD(oplus_argsort_by(dev, &before_fn, NULL, N, u, y), "oplus_argsort_by", "elements is NULL");
    BAD(oplus_argsort_by(dev, &before_fn, x, N, f, y), "oplus_argsort_by", "index is the type \"float\"");
    BAD(oplus_argsort_by(dev, &before_fn, x, N, NULL, y), "oplus_argsort_by", "index is NULL");
    BAD(oplus_argsort_by(dev, &before_fn, x, N, u, NULL), "oplus_argsort_by", "indices is NULL");
    OVERLAPS(oplus_argsort_by(dev, &before_fn, x, N, u, x), "oplus_argsort_by", "elements", "indices");
    FINE(oplus_argsort_by(dev, &before_fn, NULL, 0, u, NULL));
}

static void sort_bits(void **state)
{
    const oplus_type *const f = &oplus_f32, *const byte = &oplus_u8;
    const oplus_order up = OPLUS_ASCENDING;
    float z[N];
    (void)state;
    BAD(oplus_sort_bits(NULL, f, up, 0, 8, y, N), "oplus_sort_bits", "dev is NULL");
    BAD(oplus_sort_bits(dev, &affine32_type, up, 0, 8, y, N), "oplus_sort_bits", "affine32");
    BAD(oplus_sort_bits(dev, f, (oplus_order)3, 0, 8, y, N), "oplus_sort_bits", "order is 3");
    BAD(oplus_sort_bits(dev, f, up, 0, 8, NULL, N), "oplus_sort_bits", "keys is NULL");
    BAD(oplus_sort_bits(dev, f, up, 0, 8, y, too_many), "oplus_sort_bits", "n is 9223372036854775807");
    BAD(oplus_sort_bits(dev, f, up, 0, 33, y, N), "oplus_sort_bits", "high is 33", "has 32 bits", "at most 32");
    BAD(oplus_sort_bits(dev, byte, up, 9, 9, y, 0), "oplus_sort_bits", "high is 9", "\"uint8_t\"", "at most 8");
    BAD(oplus_sort_bits(dev, f, up, 9, 8, y, N), "oplus_sort_bits", "low is 9 and high is 8", "low of at most high");
    FINE(oplus_sort_bits(dev, f, up, 0, 32, NULL, 0));
    FINE(oplus_sort_bits(dev, f, up, 32, 32, y, N));
    FINE(oplus_sort_bits(dev, f, up, 31, 32, y, 1));
    BAD(oplus_sort_pairs_bits(NULL, f, up, 0, 8, y, f, z, N), "oplus_sort_pairs_bits", "dev is NULL");
    BAD(oplus_sort_pairs_bits(dev, f, up, 0, 8, y, NULL, z, N), "oplus_sort_pairs_bits", "value is NULL");
    BAD(oplus_sort_pairs_bits(dev, f, up, 0, 8, y, f, NULL, N), "oplus_sort_pairs_bits", "values is NULL");
    BAD(oplus_sort_pairs_bits(dev, f, up, 0, 64, y, f, z, N), "oplus_sort_pairs_bits", "high is 64", "at most 32");
    BAD(oplus_sort_pairs_bits(dev, f, up, 2, 1, y, f, z, N), "oplus_sort_pairs_bits", "low is 2 and high is 1");
    OVERLAPS(oplus_sort_pairs_bits(dev, f, up, 0, 8, y, f, y + 1, N), "oplus_sort_pairs_bits", "keys", "values");
    OVERLAPS(oplus_sort_pairs_bits(dev, f, up, 8, 8, y, f, y, N), "oplus_sort_pairs_bits", "keys", "values");
    FINE(oplus_sort_pairs_bits(dev, f, up, 0, 32, NULL, f, NULL, 0));
}

static void sort_members(void **state)
{
    typedef struct sold {
        float price;
        int32_t shop;
    } sold;
    sold s[N] = {{1, 2}};
    uint32_t z[N];
    const oplus_type type = {OPLUS_ABI, "sold", NULL, sizeof(sold), _Alignof(sold), OPLUS_RECORD, NULL};
    const oplus_sort_member good[] = {OPLUS_MEMBER(sold, shop, &oplus_i32, OPLUS_DESCENDING),
                                      OPLUS_MEMBER(sold, price, &oplus_f32, OPLUS_ASCENDING)};
    const oplus_sort_member no_type[] = {{0, NULL, OPLUS_ASCENDING}},
                            record[] = {{0, &oplus_f32, OPLUS_ASCENDING}, {0, &affine32_type, OPLUS_ASCENDING}},
                            no_order[] = {{0, &oplus_f32, (oplus_order)5}},
                            beyond[] = {{5, &oplus_f32, OPLUS_ASCENDING}},
                            far[] = {{SIZE_MAX, &oplus_u8, OPLUS_ASCENDING}};
    const oplus_type *const u = &oplus_u32;
    (void)state;
    BAD(oplus_sort_members(NULL, &type, good, 2, s, N), "oplus_sort_members", "dev is NULL");
    BAD(oplus_sort_members(dev, NULL, good, 2, s, N), "oplus_sort_members", "type is NULL");
    BAD(oplus_sort_members(dev, &type, NULL, 2, s, N), "oplus_sort_members", "members is NULL");
    BAD(oplus_sort_members(dev, &type, good, 0, s, N), "oplus_sort_members", "count is 0", "at least one");
    BAD(oplus_sort_members(dev, &type, no_type, 1, s, N), "oplus_sort_members", "members[0].type is NULL");
    BAD(oplus_sort_members(dev, &type, record, 2, s, N), "oplus_sort_members", "members[1].type", "affine32",
        "not a scalar");
    BAD(oplus_sort_members(dev, &type, no_order, 1, s, N), "oplus_sort_members", "members[0].order is 5");
    BAD(oplus_sort_members(dev, &type, beyond, 1, s, 0), "oplus_sort_members", "members[0] has 4 bytes at offset 5",
        "\"sold\" has 8 bytes", "OPLUS_MEMBER");
    BAD(oplus_sort_members(dev, &type, far, 1, s, N), "oplus_sort_members", "at offset 18446744073709551615");
    BAD(oplus_sort_members(dev, &type, good, 2, NULL, N), "oplus_sort_members", "elements is NULL");
    BAD(oplus_sort_members(dev, &type, good, 2, s, too_many), "oplus_sort_members", "n is 9223372036854775807");
    FINE(oplus_sort_members(dev, &type, good, 2, NULL, 0));
    FINE(oplus_sort_members(dev, &type, good, 2, s, 1));
    BAD(oplus_argsort_members(NULL, &type, good, 2, s, N, u, z), "oplus_argsort_members", "dev is NULL");
    BAD(oplus_argsort_members(dev, &type, beyond, 1, s, N, u, z), "oplus_argsort_members", "members[0] has 4 bytes");
    BAD(oplus_argsort_members(dev, &type, good, 2, NULL, N, u, z), "oplus_argsort_members", "elements is NULL");
    BAD(oplus_argsort_members(dev, &type, good, 2, s, N, NULL, z), "oplus_argsort_members", "index is NULL");
    BAD(oplus_argsort_members(dev, &type, good, 2, s, N, &oplus_f32, z), "oplus_argsort_members",
        "index is the type \"float\"");
    BAD(oplus_argsort_members(dev, &type, good, 2, s, N, u, NULL), "oplus_argsort_members", "indices is NULL");
    OVERLAPS(oplus_argsort_members(dev, &type, good, 2, s, N, u, s), "oplus_argsort_members", "elements", "indices");
    FINE(oplus_argsort_members(dev, &type, good, 2, NULL, 0, u, NULL));
}

static void segsort(void **state)
{
    static const uint64_t good[] = {0, 3, 3, 10}, falling[] = {0, 5, 3, 10};
    static const int32_t below[] = {-1, 3, 3, 10};
    const oplus_type *const f = &oplus_f32, *const u = &oplus_u64;
    const oplus_order up = OPLUS_ASCENDING;
    float *const z = y + N;
    (void)state;
    BAD(oplus_segsort(NULL, f, up, y, N, u, good, 3), "oplus_segsort", "dev is NULL");
    BAD(oplus_segsort(dev, &affine32_type, up, y, N, u, good, 3), "oplus_segsort", "affine32");
    BAD(oplus_segsort(dev, f, (oplus_order)3, y, N, u, good, 3), "oplus_segsort", "order is 3");
    BAD(oplus_segsort(dev, f, up, NULL, N, u, good, 3), "oplus_segsort", "keys is NULL");
    BAD(oplus_segsort(dev, f, up, y, N, NULL, good, 3), "oplus_segsort", "offset is NULL");
    BAD(oplus_segsort(dev, f, up, y, N, &oplus_u16, good, 3), "oplus_segsort", "offset", "\"uint16_t\"");
    BAD(oplus_segsort(dev, f, up, y, N, u, NULL, 3), "oplus_segsort", "offsets is NULL");
    BAD(oplus_segsort(dev, f, up, y, N, u, good, too_many), "oplus_segsort", "segments is 9223372036854775807");
    BAD(oplus_segsort(dev, f, up, y, 9, u, good, 3), "oplus_segsort", "offsets[3] is 10 and n is 9");
    BAD(oplus_segsort(dev, f, up, NULL, 0, u, good, 3), "oplus_segsort", "offsets[1] is 3 and n is 0");
    BAD(oplus_segsort(dev, f, up, y, N, u, falling, 3), "oplus_segsort", "offsets[1] is 5 but offsets[2] is 3");
    BAD(oplus_segsort(dev, f, up, y, N, &oplus_i32, below, 3), "oplus_segsort", "offsets[0] is -1");
    OVERLAPS(oplus_segsort(dev, f, up, y, N, u, y, 3), "oplus_segsort", "keys", "offsets");
    FINE(oplus_segsort(dev, f, up, NULL, 0, u, NULL, 0));
    FINE(oplus_segsort(dev, f, up, y, 10, u, good, 3));
    BAD(oplus_segsort_pairs(dev, f, up, y, NULL, z, N, u, good, 3), "oplus_segsort_pairs", "value is NULL");
    BAD(oplus_segsort_pairs(dev, f, up, y, f, NULL, N, u, good, 3), "oplus_segsort_pairs", "values is NULL");
    OVERLAPS(oplus_segsort_pairs(dev, f, up, y, f, y + 1, N, u, good, 3), "oplus_segsort_pairs", "keys", "values");
    OVERLAPS(oplus_segsort_pairs(dev, f, up, y, f, z, N, u, z, 3), "oplus_segsort_pairs", "values", "offsets");
}

static void transpose(void **state)
{
    const oplus_type *const f = &oplus_f32;
    const size_t root = (size_t)1 << 32;
    (void)state;
    BAD(oplus_transpose(NULL, f, x, 8, 8, y), "oplus_transpose", "dev is NULL");
    BAD(oplus_transpose(dev, NULL, x, 8, 8, y), "oplus_transpose", "type is NULL");
    BAD(oplus_transpose(dev, &no_size, x, 8, 8, y), "oplus_transpose", "no_size", "size 0");
    BAD(oplus_transpose(dev, f, NULL, 8, 8, y), "oplus_transpose", "in is NULL");
    BAD(oplus_transpose(dev, f, x, 8, 8, NULL), "oplus_transpose", "out is NULL");
    BAD(oplus_transpose(dev, f, x, root, root, y), "oplus_transpose", "rows", "cols", "4294967296");
    BAD(oplus_transpose(dev, f, x, too_many, 1, y), "oplus_transpose", "rows", "9223372036854775807");
    OVERLAPS(oplus_transpose(dev, f, x, 4, 8, x), "oplus_transpose", "in", "out");
    OVERLAPS(oplus_transpose(dev, f, x, 8, 8, x + 1), "oplus_transpose", "in", "out");
    FINE(oplus_transpose(dev, f, x, 8, 8, x));
    FINE(oplus_transpose(dev, f, x, 1, 8, x));
    FINE(oplus_transpose(dev, f, NULL, 0, 8, NULL));
    FINE(oplus_transpose(dev, f, NULL, 8, 0, NULL));
    FINE(oplus_transpose(dev, f, NULL, SIZE_MAX, 0, NULL));
}

/* --- along an axis */

static void axes(void **state)
{
    const oplus_op *const sum = &oplus_sum_f32;
    const size_t root = (size_t)1 << 32;
    (void)state;
    BAD(oplus_reduce_axis(NULL, sum, x, 2, 4, 2, y), "oplus_reduce_axis", "dev is NULL");
    BAD(oplus_reduce_axis(dev, NULL, x, 2, 4, 2, y), "oplus_reduce_axis", "op is NULL");
    BAD(oplus_reduce_axis(dev, sum, NULL, 2, 4, 2, y), "oplus_reduce_axis", "in is NULL");
    BAD(oplus_reduce_axis(dev, sum, x, 2, 4, 2, NULL), "oplus_reduce_axis", "out is NULL");
    BAD(oplus_reduce_axis(dev, sum, x, root, 1, root, y), "oplus_reduce_axis", "outer 4294967296", "inner 4294967296",
        "smaller");
    BAD(oplus_reduce_axis(dev, sum, NULL, root, 0, root, y), "oplus_reduce_axis", "outer", "n 0");
    BAD(oplus_reduce_axis(dev, sum, x, too_many, 1, 1, y), "oplus_reduce_axis", "outer 9223372036854775807");
    BAD(oplus_reduce_axis(dev, &earlier_op, x, 2, 0, 2, y), "oplus_reduce_axis", "earlier", "n = 0", "identity");
    OVERLAPS(oplus_reduce_axis(dev, sum, x, 2, 4, 2, x), "oplus_reduce_axis", "in", "out");
    OVERLAPS(oplus_reduce_axis(dev, sum, x, 2, 4, 2, x + 15), "oplus_reduce_axis", "in", "out");
    FINE(oplus_reduce_axis(dev, sum, x, 2, 4, 2, y));
    FINE(oplus_reduce_axis(dev, sum, NULL, 2, 0, 2, y));
    FINE(oplus_reduce_axis(dev, sum, NULL, 0, 4, SIZE_MAX, NULL));
    FINE(oplus_reduce_axis(dev, &earlier_op, NULL, 0, 0, 2, NULL));
    uint32_t at[8];
    BAD(oplus_argmin_axis(NULL, &oplus_f32, x, 2, 4, 2, &oplus_u32, at), "oplus_argmin_axis", "dev is NULL");
    BAD(oplus_argmin_axis(dev, NULL, x, 2, 4, 2, &oplus_u32, at), "oplus_argmin_axis", "type is NULL");
    BAD(oplus_argmax_axis(dev, &oplus_moments_type, x, 1, 1, 1, &oplus_u32, at), "oplus_argmax_axis", "not a scalar");
    BAD(oplus_argmin_axis(dev, &oplus_f32, NULL, 2, 4, 2, &oplus_u32, at), "oplus_argmin_axis", "in is NULL");
    BAD(oplus_argmin_axis(dev, &oplus_f32, x, 2, 4, 2, &oplus_u32, NULL), "oplus_argmin_axis", "indices is NULL");
    BAD(oplus_argmin_axis(dev, &oplus_f32, x, 2, 4, 2, &oplus_f32, at), "oplus_argmin_axis", "index");
    BAD(oplus_argmax_axis(dev, &oplus_u8, x, 1, (size_t)UINT32_MAX + 2, 1, &oplus_u32, at), "oplus_argmax_axis",
        "4294967296");
    BAD(oplus_argmax_axis(dev, &oplus_f32, x, root, 1, root, &oplus_u32, at), "oplus_argmax_axis", "outer 4294967296");
    BAD(oplus_argmax_axis(dev, &oplus_f32, x, 2, 0, 2, &oplus_u32, at), "oplus_argmax_axis", "n is 0", "at least one");
    OVERLAPS(oplus_argmin_axis(dev, &oplus_f32, x, 2, 4, 2, &oplus_u32, x), "oplus_argmin_axis", "in", "indices");
    FINE(oplus_argmin_axis(dev, &oplus_f32, NULL, 0, 0, 2, &oplus_u32, NULL));
    FINE(oplus_argmin_axis(dev, &oplus_f32, x, 2, 4, 1, &oplus_u32, at));
    const oplus_order up = OPLUS_ASCENDING;
    BAD(oplus_sort_axis(NULL, &oplus_f32, up, x, 2, 4, 2), "oplus_sort_axis", "dev is NULL");
    BAD(oplus_sort_axis(dev, NULL, up, x, 2, 4, 2), "oplus_sort_axis", "key is NULL");
    BAD(oplus_sort_axis(dev, &oplus_moments_type, up, x, 1, 1, 1), "oplus_sort_axis", "not a scalar");
    BAD(oplus_sort_axis(dev, &oplus_f32, (oplus_order)7, x, 2, 4, 2), "oplus_sort_axis", "order is 7");
    BAD(oplus_sort_axis(dev, &oplus_f32, up, NULL, 2, 4, 2), "oplus_sort_axis", "keys is NULL");
    BAD(oplus_sort_axis(dev, &oplus_f32, up, x, root, 1, root), "oplus_sort_axis", "outer 4294967296");
    BAD(oplus_argsort_axis(dev, &oplus_f32, up, x, 2, 2, 2, &oplus_f64, at), "oplus_argsort_axis", "index");
    BAD(oplus_argsort_axis(dev, &oplus_f32, up, x, 2, 2, 2, &oplus_u32, NULL), "oplus_argsort_axis", "indices is NULL");
    OVERLAPS(oplus_argsort_axis(dev, &oplus_f32, up, x, 2, 2, 2, &oplus_u32, x), "oplus_argsort_axis", "keys",
             "indices");
    FINE(oplus_sort_axis(dev, &oplus_f32, up, NULL, 2, 0, 2));
    FINE(oplus_argsort_axis(dev, &oplus_f32, up, x, 2, 2, 2, &oplus_u32, at));

    BAD(oplus_scan_axis(NULL, sum, OPLUS_INCLUSIVE, x, 2, 4, 2, y), "oplus_scan_axis", "dev is NULL");
    BAD(oplus_scan_axis(dev, NULL, OPLUS_INCLUSIVE, x, 2, 4, 2, y), "oplus_scan_axis", "op is NULL");
    BAD(oplus_scan_axis(dev, sum, (oplus_kind)7, x, 2, 4, 2, y), "oplus_scan_axis", "kind is 7");
    BAD(oplus_scan_axis(dev, sum, OPLUS_INCLUSIVE, NULL, 2, 4, 2, y), "oplus_scan_axis", "in is NULL");
    BAD(oplus_scan_axis(dev, sum, OPLUS_INCLUSIVE, x, 2, 4, 2, NULL), "oplus_scan_axis", "out is NULL");
    BAD(oplus_scan_axis(dev, sum, OPLUS_INCLUSIVE, x, 2, too_many, 2, y), "oplus_scan_axis", "n 9223372036854775807");
    BAD(oplus_scan_axis(dev, &earlier_op, OPLUS_EXCLUSIVE, x, 2, 4, 2, y), "oplus_scan_axis", "earlier", "identity");
    OVERLAPS(oplus_scan_axis(dev, sum, OPLUS_INCLUSIVE, x, 2, 4, 2, x + 1), "oplus_scan_axis", "in", "out");
    FINE(oplus_scan_axis(dev, sum, OPLUS_INCLUSIVE, x, 2, 4, 2, x));
    FINE(oplus_scan_axis(dev, sum, OPLUS_EXCLUSIVE, x, 2, 4, 2, y));
    FINE(oplus_scan_axis(dev, sum, OPLUS_EXCLUSIVE, NULL, 2, 0, 2, NULL));
}

/* --- sequences */

static void sequences(void **state)
{
    const float start = 1, step = 2;
    const oplus_type pair = {.abi = OPLUS_ABI, .name = "pair", .text = "float a; float b;", .size = 8, .align = 4};
    (void)state;
    BAD(oplus_iota(NULL, &oplus_f32, &start, &step, 0, 8, y), "oplus_iota", "dev is NULL");
    BAD(oplus_iota(dev, NULL, &start, &step, 0, 8, y), "oplus_iota", "type is NULL");
    BAD(oplus_iota(dev, &pair, NULL, NULL, 0, 8, y), "oplus_iota", "is no number", "OPLUS_MAP_INDEXED");
    BAD(oplus_iota(dev, &oplus_bool, NULL, NULL, 0, 8, y), "oplus_iota", "type \"bool\" is no number");
    BAD(oplus_iota(dev, &oplus_f32, &start, &step, 0, 8, NULL), "oplus_iota", "out is NULL");
    BAD(oplus_iota(dev, &oplus_f32, &start, &step, 0, too_many, y), "oplus_iota", "n is 9223372036854775807");
    BAD(oplus_iota(dev, &oplus_f32, &start, &step, INT64_MAX - 4, 8, y), "oplus_iota", "first is 9223372036854775803");
    FINE(oplus_iota(dev, &oplus_f32, &start, &step, INT64_MAX - 8, 8, y));
    FINE(oplus_iota(dev, &oplus_f32, NULL, NULL, 0, 8, y));
    FINE(oplus_iota(dev, &oplus_f32, &start, &step, 0, 0, NULL));
}

/* --- neighbours, windows, and scans from the end */

OPLUS_ZIP3(third, float, float, float, int32_t, { return a + b + (float)c; })

static void neighbours(void **state)
{
    static const oplus_edge near = OPLUS_EDGE_NEAREST, given = OPLUS_EDGE_GIVEN;
    const char *const call = "oplus_map_neighbours";
    (void)state;
    BAD(oplus_map_neighbours(NULL, &add_fn, near, NULL, x, 8, y), call, "dev is NULL");
    BAD(oplus_map_neighbours(dev, NULL, near, NULL, x, 8, y), call, "fn is NULL");
    BAD(oplus_map_neighbours(dev, &negate_fn, near, NULL, x, 8, y), call, "\"negate\" of 1 input;", "OPLUS_ZIP3");
    BAD(oplus_map_neighbours(dev, &third_fn, near, NULL, x, 8, y), call, "\"third\"", "float and int32_t");
    BAD(oplus_map_neighbours(dev, &add_fn, (oplus_edge)4, NULL, x, 8, y), call, "edge is 4", "OPLUS_EDGE_WRAP");
    BAD(oplus_map_neighbours(dev, &add_fn, (oplus_edge)-1, NULL, x, 8, y), call, "edge is -1");
    BAD(oplus_map_neighbours(dev, &add_fn, given, NULL, x, 8, y), call, "ends is NULL");
    BAD(oplus_map_neighbours(dev, &add_fn, near, x + 9, x, 8, y), call, "ends is given", "give NULL");
    BAD(oplus_map_neighbours(dev, &add_fn, near, NULL, NULL, 8, y), call, "in is NULL");
    BAD(oplus_map_neighbours(dev, &add_fn, near, NULL, x, 8, NULL), call, "out is NULL");
    BAD(oplus_map_neighbours(dev, &add_fn, near, NULL, x, too_many, y), call, "n is 9223372036854775807");
    OVERLAPS(oplus_map_neighbours(dev, &add_fn, near, NULL, x, 8, x), call, "in", "out");
    OVERLAPS(oplus_map_neighbours(dev, &add_fn, near, NULL, x, 8, x + 7), call, "in", "out");
    OVERLAPS(oplus_map_neighbours(dev, &add_fn, given, y + 7, x, 8, y), call, "ends", "out");
    FINE(oplus_map_neighbours(dev, &add_fn, given, y + 8, x, 8, y));
    FINE(oplus_map_neighbours(dev, &add_fn, near, NULL, x, 8, y));
    FINE(oplus_map_neighbours(dev, &add_fn, given, x + 8, x, 8, y));
    FINE(oplus_map_neighbours(dev, &add_fn, OPLUS_EDGE_WRAP, NULL, NULL, 0, NULL));
}

static void windows(void **state)
{
    const oplus_op *const sum = &oplus_sum_f32;
    (void)state;
    BAD(oplus_window(NULL, sum, x, 8, 3, y), "oplus_window", "dev is NULL");
    BAD(oplus_window(dev, NULL, x, 8, 3, y), "oplus_window", "op is NULL");
    BAD(oplus_window(dev, sum, NULL, 8, 3, y), "oplus_window", "in is NULL");
    BAD(oplus_window(dev, sum, x, 8, 3, NULL), "oplus_window", "out is NULL");
    BAD(oplus_window(dev, sum, x, 8, 0, y), "oplus_window", "w is 0", "at least 1");
    BAD(oplus_window(dev, sum, x, too_many, 3, y), "oplus_window", "n is 9223372036854775807");
    OVERLAPS(oplus_window(dev, sum, x, 8, 3, x), "oplus_window", "in", "out");
    OVERLAPS(oplus_window(dev, sum, x, 8, 3, x + 7), "oplus_window", "in", "out");
    FINE(oplus_window(dev, sum, x, 8, 3, y));
    FINE(oplus_window(dev, sum, x, 8, SIZE_MAX, y));
    FINE(oplus_window(dev, &earlier_op, x, 8, 3, y));
    FINE(oplus_window(dev, sum, NULL, 0, 3, NULL));

    BAD(oplus_scan_reverse(NULL, sum, OPLUS_INCLUSIVE, x, 8, y), "oplus_scan_reverse", "dev is NULL");
    BAD(oplus_scan_reverse(dev, NULL, OPLUS_INCLUSIVE, x, 8, y), "oplus_scan_reverse", "op is NULL");
    BAD(oplus_scan_reverse(dev, sum, (oplus_kind)7, x, 8, y), "oplus_scan_reverse", "kind is 7");
    BAD(oplus_scan_reverse(dev, sum, OPLUS_INCLUSIVE, NULL, 8, y), "oplus_scan_reverse", "in is NULL");
    BAD(oplus_scan_reverse(dev, sum, OPLUS_INCLUSIVE, x, 8, NULL), "oplus_scan_reverse", "out is NULL");
    BAD(oplus_scan_reverse(dev, sum, OPLUS_INCLUSIVE, x, too_many, y), "oplus_scan_reverse",
        "n is 9223372036854775807");
    BAD(oplus_scan_reverse(dev, &earlier_op, OPLUS_EXCLUSIVE, x, 8, y), "oplus_scan_reverse", "earlier", "identity");
    OVERLAPS(oplus_scan_reverse(dev, sum, OPLUS_INCLUSIVE, x, 8, x + 1), "oplus_scan_reverse", "in", "out");
    FINE(oplus_scan_reverse(dev, sum, OPLUS_INCLUSIVE, x, 8, x));
    FINE(oplus_scan_reverse(dev, sum, OPLUS_EXCLUSIVE, x, 8, y));
    FINE(oplus_scan_reverse(dev, sum, OPLUS_EXCLUSIVE, NULL, 0, NULL));
}

/* --- carries, checks */

static void carries(void **state)
{
    const oplus_op *const sum = &oplus_sum_f32;
    oplus_carry *a, *b, *none, *other;
    float out;
    (void)state;
    BAD(oplus_carry_open(NULL, 0, &a), "oplus_carry_open", "op is NULL");
    BAD(oplus_carry_open(&no_type, 0, &a), "oplus_carry_open", "op->type is NULL");
    BAD(oplus_carry_open(sum, 0, NULL), "oplus_carry_open", "carry is NULL");
    FINE(oplus_carry_open(sum, 0, &a));
    FINE(oplus_carry_open(sum, 2 * N, &b));
    FINE(oplus_carry_open(&earlier_op, 0, &none));
    FINE(oplus_carry_open(&oplus_prod_f32, N, &other));

    BAD(oplus_carry_add(NULL, a, x, N), "oplus_carry_add", "dev is NULL");
    BAD(oplus_carry_add(dev, NULL, x, N), "oplus_carry_add", "carry is NULL");
    BAD(oplus_carry_add(dev, a, NULL, N), "oplus_carry_add", "in is NULL");
    BAD(oplus_carry_add(dev, a, x, too_many), "oplus_carry_add", "n is 9223372036854775807");
    FINE(oplus_carry_add(dev, a, NULL, 0));

    BAD(oplus_scan_from(NULL, a, OPLUS_INCLUSIVE, x, N, y), "oplus_scan_from", "dev is NULL");
    BAD(oplus_scan_from(dev, NULL, OPLUS_INCLUSIVE, x, N, y), "oplus_scan_from", "carry is NULL");
    BAD(oplus_scan_from(dev, a, (oplus_kind)7, x, N, y), "oplus_scan_from", "kind is 7");
    BAD(oplus_scan_from(dev, none, OPLUS_EXCLUSIVE, x, N, y), "oplus_scan_from", "earlier", "identity");
    BAD(oplus_scan_from(dev, a, OPLUS_INCLUSIVE, NULL, N, y), "oplus_scan_from", "in is NULL");
    BAD(oplus_scan_from(dev, a, OPLUS_INCLUSIVE, x, N, NULL), "oplus_scan_from", "out is NULL");
    BAD(oplus_scan_from(dev, a, OPLUS_INCLUSIVE, x, too_many, y), "oplus_scan_from", "n is 9223372036854775807");
    OVERLAPS(oplus_scan_from(dev, a, OPLUS_INCLUSIVE, x, N, x + 1), "oplus_scan_from", "in", "out");

    FINE(oplus_carry_add(dev, a, x, N));
    BAD(oplus_carry_join(NULL, b), "oplus_carry_join", "left is NULL");
    BAD(oplus_carry_join(a, NULL), "oplus_carry_join", "right is NULL");
    BAD(oplus_carry_join(a, a), "oplus_carry_join", "same");
    BAD(oplus_carry_join(a, b), "oplus_carry_join", "right begins at index 128", "left ends at 64");
    BAD(oplus_carry_join(a, other), "oplus_carry_join", "left", "right", "sum", "prod");

    BAD(oplus_carry_value(NULL, &out), "oplus_carry_value", "carry is NULL");
    BAD(oplus_carry_value(a, NULL), "oplus_carry_value", "out is NULL");
    BAD(oplus_carry_value(none, &out), "oplus_carry_value", "earlier", "identity");
    oplus_carry_close(b);
    FINE(oplus_carry_open(sum, UINT64_MAX - 3, &b));
    BAD(oplus_carry_add(dev, b, x, N), "oplus_carry_add", "n is 64", "18446744073709551612");
    oplus_carry_close(a);
    oplus_carry_close(b);
    oplus_carry_close(none);
    oplus_carry_close(other);
}

static void op_check(void **state)
{
    const oplus_op *const sum = &oplus_sum_f32;
    (void)state;
    for (int i = 0; i < N; i++) x[i] = (float)(i - 7);
    BAD(oplus_op_check(NULL, sum, x, 8), "oplus_op_check", "dev is NULL");
    BAD(oplus_op_check(dev, NULL, x, 8), "oplus_op_check", "op is NULL");
    BAD(oplus_op_check(dev, sum, NULL, 8), "oplus_op_check", "samples is NULL");
    BAD(oplus_op_check(dev, sum, x, 0), "oplus_op_check", "sample");
    BAD(oplus_op_check(dev, sum, x, too_many), "oplus_op_check", "n is 9223372036854775807");
    FINE(oplus_op_check(dev, sum, x, 8));
    FINE(oplus_op_check(dev, subject_named("compose32")->op, x, 8));
    BAD(oplus_op_check(dev, subject_named("hash8")->op, x, 8), "oplus_op_check", "hash8", "associative");
}

/* A failed call leaves words about its own failure, and a later success does not change them. */
static void last_error_is_the_last(void **state)
{
    float out;
    (void)state;
    BAD(oplus_reduce(dev, NULL, x, N, &out), "oplus_reduce");
    FINE(oplus_reduce(dev, &oplus_sum_f32, x, N, &out));
    assert_non_null(strstr(oplus_last_error(), "oplus_reduce"));
    BAD(oplus_sync(NULL), "oplus_sync");
    assert_null(strstr(oplus_last_error(), "oplus_reduce"));
}

static void instruction_sets(void **state)
{
    const char *const given = getenv("OPLUS_ISA");
    char before[32] = "";
    oplus_device *d = (oplus_device *)x;
    (void)state;
    if (given != NULL) snprintf(before, sizeof before, "%s", given);
    setenv("OPLUS_ISA", "abacus", 1);
    const oplus_status status = oplus_open("serial", &d);
    if (given != NULL)
        setenv("OPLUS_ISA", before, 1);
    else
        unsetenv("OPLUS_ISA");
    assert_int_equal(status, OPLUS_ERR_ARGUMENT);
    assert_null(d);
    assert_non_null(strstr(oplus_last_error(), "OPLUS_ISA"));
    assert_non_null(strstr(oplus_last_error(), "abacus"));
    assert_non_null(strstr(oplus_last_error(), "baseline"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statuses_have_words),
        cmocka_unit_test(devices),
        cmocka_unit_test(memory),
        cmocka_unit_test(other_headers),
        cmocka_unit_test(parameters),
        cmocka_unit_test(reduce_and_fold),
        cmocka_unit_test(scan),
        cmocka_unit_test(segscan),
        cmocka_unit_test(segreduce),
        cmocka_unit_test(axes),
        cmocka_unit_test(sequences),
        cmocka_unit_test(neighbours),
        cmocka_unit_test(windows),
        cmocka_unit_test(wrong_offsets),
        cmocka_unit_test(wrong_offsets_there),
        cmocka_unit_test(map),
        cmocka_unit_test(filter),
        cmocka_unit_test(partition),
        cmocka_unit_test(unique),
        cmocka_unit_test(by_key),
        cmocka_unit_test(indices),
        cmocka_unit_test(filter_mask),
        cmocka_unit_test(sort),
        cmocka_unit_test(order),
        cmocka_unit_test(merge_many_pairs),
        cmocka_unit_test(sort_by),
        cmocka_unit_test(sort_bits),
        cmocka_unit_test(sort_members),
        cmocka_unit_test(segsort),
        cmocka_unit_test(transpose),
        cmocka_unit_test(repeat),
        cmocka_unit_test(take),
        cmocka_unit_test(put),
        cmocka_unit_test(by_index),
        cmocka_unit_test(histograms),
        cmocka_unit_test(extremes),
        cmocka_unit_test(moments),
        cmocka_unit_test(carries),
        cmocka_unit_test(op_check),
        cmocka_unit_test(last_error_is_the_last),
        cmocka_unit_test(instruction_sets),
    };
    if (oplus_last_error()[0] != '\0') return 1; /* nothing has failed yet */
    const int failed = cmocka_run_group_tests_name("errors", tests, open_device, close_device);

    /* --- an accelerator says the same --- */
    const struct CMUnitTest of_arguments[] = {
        cmocka_unit_test(other_headers), cmocka_unit_test(parameters),    cmocka_unit_test(reduce_and_fold),
        cmocka_unit_test(scan),          cmocka_unit_test(segscan),       cmocka_unit_test(segreduce),
        cmocka_unit_test(axes),          cmocka_unit_test(wrong_offsets), cmocka_unit_test(map),
        cmocka_unit_test(filter),        cmocka_unit_test(sort),          cmocka_unit_test(order),
        cmocka_unit_test(sort_by),       cmocka_unit_test(segsort),       cmocka_unit_test(transpose),
        cmocka_unit_test(repeat),        cmocka_unit_test(take),          cmocka_unit_test(put),
        cmocka_unit_test(by_index),      cmocka_unit_test(histograms),    cmocka_unit_test(extremes),
        cmocka_unit_test(moments),       cmocka_unit_test(carries),       cmocka_unit_test(wrong_offsets_there),
        cmocka_unit_test(sort_bits),     cmocka_unit_test(sort_members),
    };
    const char *const given = getenv("OPLUS_TEST_DEVICES");
    static char name[64];
    snprintf(name, sizeof name, "%s", given ? given : "opencl:cpu");
    name[strcspn(name, " ,@")] = '\0'; /* the first name; see support/laws.h */
    where = name;
    if (*name == '\0') return failed;
    if (oplus_open(where, &dev) != OPLUS_OK) {
        printf("not tried on \"%s\": %s\n", where, oplus_last_error());
        return failed + (given != NULL);
    }
    oplus_close(dev);
    return failed + cmocka_run_group_tests_name("errors of an accelerator", of_arguments, open_device, close_device);
}
