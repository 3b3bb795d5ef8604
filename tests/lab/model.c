/* The model of a GPU counts what can be counted by hand. */
#include "support/laws.h"

#include "lab/model/model.h"
#include "lab/model/trace.h"
#include "lab/model/warp.h"
#include "support/launch.h"

#include <stdlib.h>
#include <string.h>

extern const lab_model_kernel lab_model_traced[];

enum { ROOM = 4096 };

static struct {
    opi_gpu *gpu;
    uint32_t *in, *out;
} here;

static int set_up(void **state)
{
    static const opi_gpu_facts facts = {.where = "model"};
    (void)state;
    void *in, *out;
    here.gpu = lab_model_open(&facts);
    assert_non_null(here.gpu);
    lab_model_whole(here.gpu, true);
    assert_int_equal(here.gpu->driver->alloc(here.gpu, "test", ROOM * sizeof(uint32_t), &in), OPLUS_OK);
    assert_int_equal(here.gpu->driver->alloc(here.gpu, "test", ROOM * sizeof(uint32_t), &out), OPLUS_OK);
    here.in = in;
    here.out = out;
    for (uint32_t i = 0; i < ROOM; i++) here.in[i] = i * i;
    memset(here.out, 0, ROOM * sizeof *here.out);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    here.gpu->driver->free(here.gpu, here.in);
    here.gpu->driver->free(here.gpu, here.out);
    here.gpu->driver->close(here.gpu);
    return 0;
}

static const lab_model_kernel *kernel(const char *name)
{
    const lab_model_kernel *k = lab_model_traced;
    while (k->name && strcmp(k->name, name) != 0) k++;
    if (!k->name) fail_msg("there is no kernel %s", name);
    return k;
}

static void launch(const char *name, uint32_t groups, unsigned items, const opi_gpu_argument *argument, int arguments)
{
    assert_int_equal(launch_plain(here.gpu, (void *)(uintptr_t)kernel(name), groups, items, argument, arguments),
                     OPLUS_OK);
}

#define LAUNCH(name, groups, items, ...)                                                                               \
    launch(name, groups, items, (const opi_gpu_argument[]){__VA_ARGS__},                                               \
           (int)(sizeof((const opi_gpu_argument[]){__VA_ARGS__}) / sizeof(opi_gpu_argument)))

/* What has been counted since the last call. */
static void counted(unsigned divergent, unsigned conflicts, unsigned requests, unsigned sectors, unsigned warps)
{
    lab_counts c;
    lab_model_counts(here.gpu, &c);
    assert_int_equal((unsigned)c.of[LAB_DIVERGENT], divergent);
    assert_int_equal((unsigned)c.of[LAB_CONFLICTS], conflicts);
    assert_int_equal((unsigned)c.of[LAB_REQUESTS], requests);
    assert_int_equal((unsigned)c.of[LAB_SECTORS], sectors);
    assert_int_equal((unsigned)c.of[LAB_WARPS], warps);
    assert_false(c.known[LAB_ACTIVE_WARPS] || c.known[LAB_BYTES] || c.known[LAB_OCCUPANCY]);
}

/* --- global memory ------------------------------------------------------------------------------------------------ */

static void sectors_of_global_memory(void **state)
{
    (void)state;
    LAUNCH("coalesced", 3, 64, opi_memory(here.in), opi_memory(here.out));
    counted(0, 0, 6 * 2, 6 * (4 + 4), 6); /* 128 bytes are 4 sectors */
    assert_memory_equal(here.in, here.out, 3 * 64 * sizeof *here.in);

    LAUNCH("shifted", 1, 32, opi_memory(here.in), opi_memory(here.out));
    counted(0, 0, 2, 5 + 4, 1); /* 128 bytes across 5 */

    static const unsigned sectors[] = {4, 8, 16, 32, 32};
    for (uint32_t i = 0, stride = 1; i < 5; i++, stride *= 2) {
        LAUNCH("apart", 1, 32, opi_memory(here.in), opi_memory(here.out), opi_value(stride));
        counted(0, 0, 2, sectors[i] + 4, 1);
    }
    LAUNCH("wide", 1, 32, opi_memory(here.in), opi_memory(here.out));
    counted(0, 0, 2, 16 + 16, 1);
    LAUNCH("coalesced", 1, 8, opi_memory(here.in), opi_memory(here.out));
    counted(0, 0, 2, 1 + 1, 1); /* a warp with 8 lanes */
    LAUNCH("updates", 1, 32, opi_memory(here.out));
    counted(0, 0, 1 + 2 + 2, 4 * 5, 1); /* += and ++ read and write */
    assert_int_equal(here.out[7], 9);
    memset(here.out, 0, ROOM * sizeof *here.out);
    LAUNCH("members", 1, 32, opi_memory(here.in), opi_memory(here.out));
    counted(0, 0, 1 + 1 + 2, 4 + 16 + 2 * 16, 1);
    assert_int_equal(here.out[4 * 3], 1);
    assert_int_equal(here.out[4 * 3 + 1], 1);
    assert_int_equal(here.out[4 * 4], 0);
}

/* --- shared memory ------------------------------------------------------------------------------------------------ */

static unsigned common(unsigned stride) /* the greatest divisor of 32 and the stride: so many lanes a bank */
{
    unsigned d = 32;
    while (stride % d) d /= 2;
    return d;
}

static void conflicts_of_shared_memory(void **state)
{
    (void)state;
    for (uint32_t stride = 1; stride <= 33; stride++) {
        LAUNCH("banks", 1, 32, opi_memory(here.out), opi_value(stride));
        counted(0, 2 * (common(stride) - 1), 1, 4, 1); /* of the write and of the read */
        assert_int_equal(here.out[31], 31);
    }
    for (uint32_t of = 1; of <= 32; of *= 2) {
        LAUNCH("broadcast", 1, 32, opi_memory(here.out), opi_value(of));
        counted(0, 0, 1, 4, 1); /* lanes that read one word do not conflict */
        assert_int_equal(here.out[31], 3 * (31 / of));
    }
    LAUNCH("bytes", 1, 32, opi_memory(here.out), opi_value((uint32_t){1}));
    counted(0, 0, 1, 4, 1); /* 32 bytes are 8 words */
    LAUNCH("bytes", 1, 32, opi_memory(here.out), opi_value((uint32_t){4}));
    counted(0, 0, 1, 4, 1);
    LAUNCH("bytes", 1, 32, opi_memory(here.out), opi_value((uint32_t){8}));
    counted(0, 2 * 1, 1, 4, 1);
    LAUNCH("bytes", 1, 32, opi_memory(here.out), opi_value((uint32_t){128}));
    counted(0, 2 * 31, 1, 4, 1);
    assert_int_equal(here.out[31], 31);
    /* 16 bytes a lane: 8 lanes at once; neighbours fill the banks, every second one meets one other. */
    LAUNCH("wide_banks", 1, 32, opi_memory(here.out), opi_value((uint32_t){1}));
    counted(0, 0, 1, 16, 1);
    LAUNCH("wide_banks", 1, 32, opi_memory(here.out), opi_value((uint32_t){2}));
    counted(0, 2 * 4, 1, 16, 1);
    LAUNCH("wide_banks", 1, 32, opi_memory(here.out), opi_value((uint32_t){8}));
    counted(0, 2 * 4 * 7, 1, 16, 1);
}

/* --- branches ----------------------------------------------------------------------------------------------------- */

static void lanes_that_part_and_meet(void **state)
{
    (void)state;
    LAUNCH("odd_even", 1, 64, opi_memory(here.out));
    /* Two warps part at the first branch, and none at the second; each half stores by itself, one warp updates. */
    counted(2, 0, 2 * 2 + 2, 2 * (4 + 4) + 2 * 4, 2);
    assert_int_equal(here.out[0], 2);
    assert_int_equal(here.out[33], 2);

    LAUNCH("rounds", 1, 32, opi_memory(here.out));
    counted(3, 0, 1, 4, 1); /* at the ends of 0, 1 and 2 rounds some leave; at that of 3 all that are left */
    assert_int_equal(here.out[7], 3);

    LAUNCH("meets_again", 1, 32, opi_memory(here.in), opi_memory(here.out));
    /* In each of 4 rounds 8 lanes read by themselves, 4 sectors, and all together, 4 sectors. */
    counted(4, 0, 4 * 2 + 1, 4 * (4 + 4) + 4, 1);

    LAUNCH("nested", 1, 32, opi_memory(here.out));
    counted(1, 0, 1, 4, 1); /* half a warp goes round the outer loop once more */
    assert_int_equal(here.out[0], 3);
    assert_int_equal(here.out[16], 6);
}

/* --- results ------------------------------------------------------------------------------------------------------ */

static void items_wait_for_each_other(void **state)
{
    (void)state;
    uint32_t x[64], y[64];
    for (uint32_t i = 0; i < 64; i++) x[i] = i;
    for (uint32_t by = 1; by < 32; by *= 2) {
        for (uint32_t i = 0; i < 64; i++)
            y[i] = x[i] + (i % 32 + by < 32 ? x[i + by] : x[i]) + (i % 32 >= by ? x[i - by] : x[i]);
        memcpy(x, y, sizeof x);
    }
    LAUNCH("exchange", 1, 64, opi_memory(here.out));
    assert_memory_equal(here.out, x, sizeof x);
    counted(0, 0, 2, 8, 2);

    const uint32_t n = 5 * 64 - 10;
    memset(here.out, 0, ROOM * sizeof *here.out);
    LAUNCH("reversed", 5, 64, opi_memory(here.out), opi_value(n));
    counted(1, 0, 10, 4 * 10 - 1, 10); /* one warp of the last group ends early: 22 lanes, 3 sectors */
    for (uint32_t i = 0; i < n; i++) assert_int_equal(here.out[i], 63 - i % 64 + 5);
    assert_int_equal(here.out[n], 0);
}

/* --- many groups -------------------------------------------------------------------------------------------------- */

/* Groups that do the same are counted without being run; the sum is that of all groups. */
static void groups_that_do_the_same(void **state)
{
    (void)state;
    for (uint32_t groups = 1; groups <= 64; groups += 9)
        for (uint32_t n = 1; n <= groups * 64; n += 1 + groups * 7) {
            lab_counts all, some;
            lab_model_whole(here.gpu, true);
            LAUNCH("reversed", groups, 64, opi_memory(here.out), opi_value(n));
            lab_model_counts(here.gpu, &all);
            lab_model_whole(here.gpu, false);
            LAUNCH("reversed", groups, 64, opi_memory(here.out), opi_value(n));
            lab_model_counts(here.gpu, &some);
            assert_memory_equal(all.of, some.of, sizeof all.of);
        }
}

/* Groups in rows, of which the last one and the last row do something else: tiles of a matrix. */
static void groups_in_rows(void **state)
{
    static const struct {
        const char *file;
        uint32_t tile;
    } known[] = {{"transpose/05-tiled-32.cl", 32}, {"transpose/06-tiled-48.cl", 48}, {"transpose/10-padded-48.cl", 48}};
    (void)state;
    for (size_t f = 0; f < sizeof known / sizeof *known; f++) {
        const lab_model_kernel *k = NULL;
        for (const lab_model_file *file = lab_model_files; file->name; file++)
            if (strcmp(file->name, known[f].file) == 0) k = file->kernels;
        assert_non_null(k);
        const uint32_t tile = known[f].tile, rows = 9, side = (rows - 1) * tile + 5;
        const unsigned items = 8 * tile;
        void *in, *out;
        lab_counts all, some;
        assert_int_equal(here.gpu->driver->alloc(here.gpu, "test", side * side * sizeof(uint32_t), &in), OPLUS_OK);
        assert_int_equal(here.gpu->driver->alloc(here.gpu, "test", side * side * sizeof(uint32_t), &out), OPLUS_OK);
        for (int whole = 1; whole >= 0; whole--) {
            lab_model_whole(here.gpu, whole);
            lab_model_rows(here.gpu, rows);
            assert_int_equal(launch_plain(here.gpu, (void *)(uintptr_t)k, rows * rows, items,
                                          (const opi_gpu_argument[]){opi_memory(in), opi_memory(out), opi_value(side)},
                                          3),
                             OPLUS_OK);
            lab_model_counts(here.gpu, whole ? &all : &some);
        }
        lab_model_rows(here.gpu, 0);
        assert_memory_equal(all.of, some.of, sizeof all.of);
        here.gpu->driver->free(here.gpu, in);
        here.gpu->driver->free(here.gpu, out);
    }
}

static void launches_that_it_refuses(void **state)
{
    (void)state;
    assert_int_equal(launch_plain(here.gpu, (void *)(uintptr_t)kernel("exchange"), 1, 1025,
                                  (const opi_gpu_argument[]){opi_memory(here.out)}, 1),
                     OPLUS_ERR_UNSUPPORTED);
    assert_non_null(strstr(oplus_last_error(), "1025"));
    LAUNCH("exchange", 0, 32, opi_memory(here.out));
    counted(0, 0, 0, 0, 0);
}

/* --- kernels of the lab, by hand ---------------------------------------------------------------------------------- */

/* One group of 128 in shared memory: lectures show 11.25 conflicts and 6 divergent branches a warp. */
static void kernels_of_the_lectures(void **state)
{
    static const struct {
        const char *file;
        unsigned groups, divergent, conflicts;
    } known[] = {
        {"reduce/02-modulo.cl", 4, 24, 0},    /* a group: strides 1 to 16 in all 4 warps, 32 in 2, 64 in 1, the end */
        {"reduce/03-strided.cl", 4, 6, 45},   /* 6 + 9 + 9 + 9 + 9 + 3 */
        {"reduce/04-sequential.cl", 4, 6, 0}, /* strides 16 to 1 in the first warp, and the end */
        {"reduce/05-first-add.cl", 2, 6, 0},  {"reduce/06-last-warp.cl", 2, 1, 0},
    };
    (void)state;
    const uint32_t n = 512;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const lab_model_kernel *const k = lab_model_find(known[i].file, "reduce");
        assert_non_null(k);
        assert_int_equal(
            launch_plain(here.gpu, (void *)(uintptr_t)k, known[i].groups, 128,
                         (const opi_gpu_argument[]){opi_memory(here.in), opi_memory(here.out), opi_value(n)}, 3),
            OPLUS_OK);
        lab_counts c;
        lab_model_counts(here.gpu, &c);
        assert_int_equal((unsigned)c.of[LAB_DIVERGENT], known[i].groups * known[i].divergent);
        assert_int_equal((unsigned)c.of[LAB_CONFLICTS], known[i].groups * known[i].conflicts);
        assert_int_equal((unsigned)c.of[LAB_WARPS], known[i].groups * 4);
        uint32_t sum = 0, expected = 0;
        for (uint32_t g = 0; g < known[i].groups; g++) sum += here.out[g];
        for (uint32_t j = 0; j < n; j++) expected += here.in[j];
        assert_int_equal(sum, expected);
    }
    assert_null(lab_model_find("reduce/02-modulo.cl", "pairs"));
    assert_null(lab_model_find("copy.cl", "copy"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(sectors_of_global_memory, set_up, tear_down),
        cmocka_unit_test_setup_teardown(conflicts_of_shared_memory, set_up, tear_down),
        cmocka_unit_test_setup_teardown(lanes_that_part_and_meet, set_up, tear_down),
        cmocka_unit_test_setup_teardown(items_wait_for_each_other, set_up, tear_down),
        cmocka_unit_test_setup_teardown(groups_that_do_the_same, set_up, tear_down),
        cmocka_unit_test_setup_teardown(groups_in_rows, set_up, tear_down),
        cmocka_unit_test_setup_teardown(launches_that_it_refuses, set_up, tear_down),
        cmocka_unit_test_setup_teardown(kernels_of_the_lectures, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
