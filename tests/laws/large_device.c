/* More than 2^32 elements in the memory of a device, beside the cores, bit for bit: 6 * 10^9 bytes and 5 * 10^9 floats.
 *
 * It needs OPLUS_TEST_ALL, a GPU with three times as much memory as an array, and as much of the host's; it ends with 77
 * elsewhere. */
#include "support/laws.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 64 << 20, SEGMENTS = 5, MOST_ROWS = 65539 };

static oplus_device *dev, *cores;

typedef struct numbers {
    const oplus_type *type;
    const oplus_op *sum;
    const oplus_fn *keep, *twice;
    uint64_t n, bytes;
    unsigned char *x, *expected; /* of the host; `expected` is as large as x */
    unsigned char *in, *out;     /* of the device */
} numbers;

OPLUS_PREDICATE(low_u8, uint8_t, { return a < 100; })
OPLUS_PREDICATE(low_f32, float, { return a < 0.25f; })
OPLUS_MAP(twice_u8, uint8_t, uint8_t, { return (uint8_t)(2 * a + 1); })
OPLUS_MAP(twice_f32, float, float, { return 2 * a + 1; })

static numbers of_u8 = {&oplus_u8, &oplus_sum_u8, &low_u8_fn, &twice_u8_fn, UINT64_C(6000000007), 0, 0, 0, 0, 0};
static numbers of_f32 = {&oplus_f32, &oplus_sum_f32, &low_f32_fn, &twice_f32_fn, UINT64_C(5000000003), 0, 0, 0, 0, 0};

static void good(oplus_status status, const char *what)
{
    if (status != OPLUS_OK) fail_msg("%s: %s", what, oplus_last_error());
}

/* --- data --------------------------------------------------------------------------------------------------------- */

static uint64_t free_bytes(void)
{
    char line[256];
    unsigned long long kb = 0;
    FILE *const info = fopen("/proc/meminfo", "r");
    if (info == NULL) return 0;
    while (fgets(line, sizeof line, info) != NULL && sscanf(line, "MemAvailable: %llu kB", &kb) != 1) continue;
    fclose(info);
    return (uint64_t)kb * 1024;
}

static uint64_t hash(uint64_t i)
{
    i = (i ^ i >> 31) * UINT64_C(0x7fb5d329728ea185);
    i = (i ^ i >> 27) * UINT64_C(0x81dadef4bc2dd44d);
    return i ^ i >> 33;
}

/* Floats in [0, 1). */
static void fill(const numbers *x)
{
    float *const f = (float *)(void *)x->x;
#pragma omp parallel for
    for (uint64_t i = 0; i < x->n; i++)
        if (x->type == &oplus_u8)
            x->x[i] = (uint8_t)(hash(i) >> 56);
        else
            f[i] = (float)(hash(i) >> 40) / (1 << 24);
}

/* Ends with 77 if there is too little memory. */
static void make(numbers *x)
{
    oplus_device_info info[16] = {{.abi = OPLUS_ABI}};
    const int devices = oplus_devices(info, 16);
    uint64_t memory = 0;
    for (int i = 0; i < devices && i < 16; i++)
        if (strcmp(info[i].where, "cuda:0") == 0) memory = info[i].memory;
    x->bytes = x->n * x->type->size;
    if (memory < 3 * x->bytes || free_bytes() < 2 * x->bytes + ((uint64_t)4 << 30)) {
        printf("not tried: %llu GB of %s need three times as much on the device, and twice as much here\n",
               (unsigned long long)(x->bytes >> 30), x->type->name);
        skip();
    }
    x->x = must(malloc(x->bytes));
    x->expected = must(malloc(x->bytes));
    good(oplus_alloc(dev, x->bytes, (void **)&x->in), "alloc");
    good(oplus_alloc(dev, x->bytes, (void **)&x->out), "alloc");
    fill(x);
    good(oplus_copy(dev, x->in, x->x, x->bytes), "copy");
}

static void unmake(numbers *x)
{
    oplus_free(dev, x->in);
    oplus_free(dev, x->out);
    free(x->x);
    free(x->expected);
}

/* Whether `bytes` bytes of the device are the expected ones. */
static void compare(const numbers *x, const char *what, const unsigned char *device, uint64_t bytes)
{
    unsigned char *const chunk = must(malloc(CHUNK));
    for (uint64_t done = 0; done < bytes; done += CHUNK) {
        const size_t more = bytes - done < CHUNK ? (size_t)(bytes - done) : CHUNK;
        good(oplus_copy(dev, chunk, device + done, more), "copy");
        for (size_t i = 0; memcmp(chunk, x->expected + done, more) != 0 && i < more; i++)
            if (chunk[i] != x->expected[done + i])
                fail_msg("%s of %s: byte %llu differs", what, x->type->name, (unsigned long long)(done + i));
    }
    free(chunk);
    print_message("%s of %llu %s\n", what, (unsigned long long)x->n, x->type->name);
}

/* --- primitives --------------------------------------------------------------------------------------------------- */

static void scans(const numbers *x)
{
    for (int exclusive = 0; exclusive < 2; exclusive++) {
        const oplus_kind kind = exclusive ? OPLUS_EXCLUSIVE : OPLUS_INCLUSIVE;
        good(oplus_scan(cores, x->sum, kind, x->x, x->n, x->expected), "scan");
        good(oplus_scan(dev, x->sum, kind, x->in, x->n, x->out), "scan");
        compare(x, exclusive ? "exclusive scan" : "scan", x->out, x->bytes);
    }
    uint8_t *const heads = must(calloc(x->n, 1)), *there;
    for (uint64_t i = 0; i < x->n; i += 1 + hash(i) % 2000003) heads[i] = 1;
    good(oplus_alloc(dev, x->n, (void **)&there), "alloc");
    good(oplus_copy(dev, there, heads, x->n), "copy");
    good(oplus_segscan(cores, x->sum, OPLUS_INCLUSIVE, x->x, heads, x->n, x->expected), "segscan");
    good(oplus_segscan(dev, x->sum, OPLUS_INCLUSIVE, x->in, there, x->n, x->out), "segscan");
    compare(x, "segmented scan", x->out, x->bytes);
    free(heads);
    oplus_free(dev, there);
}

static void reduces(const numbers *x)
{
    const uint64_t offsets[SEGMENTS + 1] = {3, 1000, 1000, x->n - 9, x->n - 4, x->n};
    unsigned char sums[SEGMENTS * 8];
    good(oplus_reduce(cores, x->sum, x->x, x->n, x->expected), "reduce");
    good(oplus_reduce(dev, x->sum, x->in, x->n, x->out), "reduce");
    compare(x, "reduce", x->out, x->type->size);
    good(oplus_segreduce(cores, x->sum, x->x, x->n, &oplus_u64, offsets, SEGMENTS, x->expected), "segreduce");
    good(oplus_segreduce(dev, x->sum, x->in, x->n, &oplus_u64, offsets, SEGMENTS, sums), "segreduce");
    assert_memory_equal(sums, x->expected, SEGMENTS * x->type->size);
}

static void moves(const numbers *x)
{
    size_t kept, kept_there;
    good(oplus_map(cores, x->twice, (const void *const[]){x->x}, x->n, x->expected), "map");
    good(oplus_map(dev, x->twice, (const void *const[]){x->in}, x->n, x->out), "map");
    compare(x, "map", x->out, x->bytes);
    good(oplus_filter(cores, x->keep, x->x, x->n, x->expected, &kept), "filter");
    good(oplus_filter(dev, x->keep, x->in, x->n, x->out, &kept_there), "filter");
    assert_true(kept == kept_there);
    compare(x, "filter", x->out, kept * x->type->size);
    const uint64_t cols = x->n / MOST_ROWS;
    good(oplus_transpose(cores, x->type, x->x, MOST_ROWS, cols, x->expected), "transpose");
    good(oplus_transpose(dev, x->type, x->in, MOST_ROWS, cols, x->out), "transpose");
    compare(x, "transpose", x->out, MOST_ROWS * cols * x->type->size);
}

/* The last: it changes `in`. */
static void sorts(const numbers *x)
{
    memcpy(x->expected, x->x, x->bytes);
    good(oplus_sort(cores, x->type, OPLUS_ASCENDING, x->expected, x->n), "sort");
    oplus_trim(cores);
    oplus_free(dev, x->out); /* a sort needs room for as much */
    good(oplus_sort(dev, x->type, OPLUS_ASCENDING, x->in, x->n), "sort");
    compare(x, "sort", x->in, x->bytes);
    oplus_trim(dev);
}

static void all(numbers *x)
{
    make(x);
    reduces(x);
    scans(x);
    moves(x);
    sorts(x);
    x->out = NULL;
    unmake(x);
}

static void bytes(void **state)
{
    (void)state;
    all(&of_u8);
}

static void floats(void **state)
{
    (void)state;
    all(&of_f32);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bytes), cmocka_unit_test(floats)};
    if (!test_all()) return printf("large_device: skipped, OPLUS_TEST_ALL is not set; ./run check all has it\n"), 77;
    if (oplus_open("cuda:0", &dev) != OPLUS_OK) return printf("not tried: %s\n", oplus_last_error()), 77;
    if (oplus_open("threads", &cores) != OPLUS_OK) return 1;
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    const int failed = cmocka_run_group_tests_name("more than 2^32 elements on a device", tests, NULL, NULL);
    oplus_close(dev);
    oplus_close(cores);
    return failed;
}
