/* Every kernel of every primitive on every accelerator, small enough for a simulator (Oclgrind) that looks at each
 * access.
 *
 *     kernels            all of them, and their results are right
 *     kernels race       a kernel in which work-items write to one place: the simulator must say so
 *     kernels overrun    one that reads beyond its buffer */
#include "support/laws.h"

#include "driver/opencl/opencl.h"
#include "support/launch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Four tiles of 16-byte elements, and something before and behind them, in either shape. */
enum { N = 5 * 1024 + 77, FEW = 700, SEGMENTS = 40 };

OPLUS_STRUCT(quad, uint32_t a; uint32_t b; uint32_t c; uint32_t d;)
OPLUS_OP(chain, quad, (1, 0, 1, 0), 0, {
    quad r;
    r.a = a.a * b.a;
    r.b = a.b * b.a + b.b;
    r.c = a.c * b.c;
    r.d = a.d * b.c + b.d;
    return r;
})
OPLUS_MAP(third_f32, float, float, { return a / 3.0f; })
OPLUS_ZIP(widen_both, quad, uint32_t, uint8_t, {
    quad r;
    r.a = a;
    r.b = b;
    r.c = a + b;
    r.d = 0;
    return r;
})
OPLUS_PREDICATE_WITH(first_below, quad, uint32_t, { return a.a < p; })

static unsigned char *in, *got, *expected;
static size_t bytes_seen;
static oplus_device *dev, *serial;
static const place *here;

static void good(oplus_status status, const char *what)
{
    if (status != OPLUS_OK) fail_msg("%s on %s: %s", what, here->where, oplus_last_error());
}

/* The same call on the accelerator and on this thread. */
#define SAME(what, bytes, call, ...)                                                                                   \
    do {                                                                                                               \
        memset(got, 1, bytes_seen);                                                                                    \
        memset(expected, 1, bytes_seen);                                                                               \
        good(call(dev, __VA_ARGS__, got), what);                                                                       \
        good(call(serial, __VA_ARGS__, expected), what);                                                               \
        if (memcmp(got, expected, bytes) != 0) fail_msg("%s on %s is wrong", what, here->where);                       \
    } while (0)

static void combine(const oplus_op *op, size_t n)
{
    const size_t bytes = n * op->type->size;
    uint8_t heads[N];
    uint32_t narrow[SEGMENTS + 1];
    uint64_t offsets[SEGMENTS + 1];
    for (size_t i = 0; i < n; i++) heads[i] = i % 301 == 17;
    for (size_t s = 0; s <= SEGMENTS; s++) narrow[s] = (uint32_t)(offsets[s] = s * s * n / (SEGMENTS * SEGMENTS));
    SAME("reduce", op->type->size, oplus_reduce, op, in, n);
    SAME("scan", bytes, oplus_scan, op, OPLUS_INCLUSIVE, in, n);
    if (op->identity) SAME("scan", bytes, oplus_scan, op, OPLUS_EXCLUSIVE, in, n);
    SAME("segscan", bytes, oplus_segscan, op, OPLUS_INCLUSIVE, in, heads, n);
    SAME("scan_axis", n / 7 / 9 * 63 * op->type->size, oplus_scan_axis, op, OPLUS_INCLUSIVE, in, 7, n / 63, 9);
    if (n >= 1200)
        SAME("scan_axis", n / 600 * 600 * op->type->size, oplus_scan_axis, op, OPLUS_INCLUSIVE, in, n / 600, 600, 1);
    SAME("window", bytes, oplus_window, op, in, n, 37);
    SAME("scan_reverse", bytes, oplus_scan_reverse, op, OPLUS_INCLUSIVE, in, n);
    if (!op->identity) return;
    SAME("reduce_axis", 63 * op->type->size, oplus_reduce_axis, op, in, 7, n / 63, 9);
    SAME("reduce_axis", 3 * op->type->size, oplus_reduce_axis, op, in, 1, n / 3, 3);
    SAME("segreduce", SEGMENTS * op->type->size, oplus_segreduce, op, in, n, &oplus_u64, offsets, SEGMENTS);
    SAME("segreduce", SEGMENTS * op->type->size, oplus_segreduce, op, in, n, &oplus_u32, narrow, SEGMENTS);
}

static void move(void)
{
    const uint32_t limit = 1u << 30;
    const oplus_fn below = oplus_with(&first_below_fn, &limit);
    const void *const arrays[] = {in, in};
    size_t kept, kept_serially;
    SAME("map", N * sizeof(float), oplus_map, &third_f32_fn, arrays, N);
    SAME("map", FEW * sizeof(quad), oplus_map, &widen_both_fn, arrays, FEW);
    good(oplus_filter(dev, &below, in, N, got, &kept), "filter");
    good(oplus_filter(serial, &below, in, N, expected, &kept_serially), "filter");
    assert_int_equal(kept, kept_serially);
    assert_memory_equal(got, expected, kept * sizeof(quad));
    SAME("argsort_axis", 300 * 8, oplus_argsort_axis, &oplus_u16, OPLUS_ASCENDING, in, 30, 10, 1, &oplus_u64);
    SAME("argmin_axis", 5 * 4, oplus_argmin_axis, &oplus_i16, in, 1, N / 5, 5, &oplus_u32);
    SAME("argmax_axis", 7 * 8, oplus_argmax_axis, &oplus_f32, in, 7, N / 7, 1, &oplus_u64);
    SAME("transpose", 50 * 70 * 4, oplus_transpose, &oplus_u32, in, 50, 70);
    SAME("transpose", 30 * 41 * 3, oplus_transpose, &small3_type, in, 30, 41);
}

/* Counts of all kinds: one that is larger than a tile, many zeros, and small ones. */
static void repeat(void)
{
    enum { COUNTS = 2000, ROOM = 12000 };
    static const oplus_type *const types[] = {&oplus_u32, &oplus_u8, &small3_type};
    static uint32_t counts[COUNTS];
    size_t total, serially;
    for (size_t i = 0; i < COUNTS; i++) counts[i] = i == 300 ? 5000 : i > 500 && i < 1200 ? 0 : (uint32_t)(i * 7 % 5);
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        const oplus_type *const type = types[t];
        good(oplus_repeat(dev, type, in, COUNTS, &oplus_u32, counts, got, ROOM, &total), "repeat");
        good(oplus_repeat(serial, type, in, COUNTS, &oplus_u32, counts, expected, ROOM, &serially), "repeat");
        assert_int_equal(total, serially);
        assert_memory_equal(got, expected, total * type->size);
    }
}

/* In the device's memory, where only its kernels can compute. */
static void move_on_device(void)
{
    static const oplus_type *const keys[] = {&oplus_u8, &oplus_f32};
    char *mem;
    good(oplus_alloc(dev, 2 * bytes_seen, (void **)&mem), "alloc");
    char *const other = mem + bytes_seen;
    good(oplus_copy(dev, mem, in, bytes_seen), "copy");
    good(oplus_transpose(dev, &oplus_u32, mem, 50, 70, other), "transpose");
    good(oplus_transpose(serial, &oplus_u32, in, 50, 70, expected), "transpose");
    good(oplus_copy(dev, got, other, 50 * 70 * 4), "copy");
    assert_memory_equal(got, expected, 50 * 70 * 4);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const size_t bytes = FEW * keys[i]->size;
        good(oplus_copy(dev, mem, in, bytes), "copy");
        good(oplus_copy(dev, other, in, FEW * 4), "copy");
        memcpy(expected, in, bytes);
        memcpy(expected + bytes, in, FEW * 4);
        good(oplus_sort_pairs(dev, keys[i], OPLUS_ASCENDING, mem, &oplus_u32, other, FEW), "sort_pairs");
        good(oplus_sort_pairs(serial, keys[i], OPLUS_ASCENDING, expected, &oplus_u32, expected + bytes, FEW),
             "sort_pairs");
        good(oplus_copy(dev, got, mem, bytes), "copy");
        good(oplus_copy(dev, got + bytes, other, FEW * 4), "copy");
        assert_memory_equal(got, expected, bytes + FEW * 4);
    }
    oplus_free(dev, mem);
}

static void kernels(void **state)
{
    size_t count;
    const place *const place = all_places(&count);
    (void)state;
    serial = place[0].dev;
    for (size_t i = 0; i < count; i++) {
        if (!place[i].accelerator || !stand_at(&place[i], NULL, false)) continue;
        here = &place[i];
        dev = here->dev;
        combine(&chain_op, N);
        combine(&oplus_sum_u8, FEW);
        move();
        repeat();
        move_on_device();
    }
}

/* --- canaries: what a simulator must find ------------------------------------------------------------------------- */

static const char canaries[] = //
    "kernel void race(global uint *out, const ulong at) { out[0] = (uint)get_global_id(0); }\n"
    "kernel void overrun(global uint *out, const ulong at) { out[get_global_id(0)] = out[get_global_id(0) + 60]; }\n";

static int run_canary(const char *name)
{
    opi_gpu *gpu;
    void *program, *kernel, *mem;
    const opi_driver *const driver = &opi_opencl;
    if (driver->open("canary", "", NULL, &gpu) != OPLUS_OK ||
        driver->compile(gpu, "canary", "canary", canaries, &program) != OPLUS_OK ||
        driver->kernel(gpu, "canary", program, name, &kernel) != OPLUS_OK ||
        driver->alloc(gpu, "canary", 64 * sizeof(uint32_t), &mem) != OPLUS_OK)
        return fprintf(stderr, "%s\n", oplus_last_error()), 1;
    const opi_gpu_argument list[] = {opi_memory(mem)};
    launch_plain(gpu, kernel, 2, 32, list, 1);
    driver->sync(gpu, "canary", OPI_QUEUE_COMPUTE);
    driver->unload(gpu, program);
    driver->close(gpu);
    return 0;
}

static int close_all(void **state)
{
    (void)state;
    close_places();
    return 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(kernels)};
    if (argc > 1) return run_canary(argv[1]);
    bytes_seen = (N + 1) * sizeof(quad);
    in = must(malloc(bytes_seen));
    got = must(malloc(bytes_seen));
    expected = must(malloc(bytes_seen));
    for (size_t i = 0; i < bytes_seen; i++) in[i] = (unsigned char)((i * 2654435761u) >> 13);
    for (size_t i = 0; i < bytes_seen; i += 4) in[i + 3] &= 0x7e; /* no NaN */
    const int failed = cmocka_run_group_tests_name("kernels", tests, NULL, close_all);
    free(in);
    free(got);
    free(expected);
    return failed;
}
