/* A rehearsal counts what the call itself does: each is done through a driver that counts, and the two are compared. */
#include "support/laws.h"

#include "gpu/gpu.h"
#include "task/make.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 50000, ROWS = 250, COLS = 200, SEGMENTS = 40 };

OPLUS_PREDICATE(all_u32, uint32_t, { return a == a; }) /* a rehearsal assumes that */
OPLUS_ZIP(plus_u32, uint32_t, uint32_t, uint32_t, { return a + b; })

/* --- a driver that counts ----------------------------------------------------------------------------------------- */

static const opi_driver *real;
static opi_rehearsal done;

static oplus_status count_launch(opi_gpu *gpu, const char *call, const opi_launch *launch)
{
    done.launches++;
    return real->launch(gpu, call, launch);
}

static oplus_status count_upload(opi_gpu *gpu, const char *call, opi_gpu_queue queue, void *to, const void *from,
                                 size_t bytes)
{
    done.up += bytes;
    return real->upload(gpu, call, queue, to, from, bytes);
}

static oplus_status count_download(opi_gpu *gpu, const char *call, opi_gpu_queue queue, void *to, const void *from,
                                   size_t bytes)
{
    done.down += bytes;
    return real->download(gpu, call, queue, to, from, bytes);
}

/* --- calls -------------------------------------------------------------------------------------------------------- */

static oplus_device *dev;
static uint32_t *in, *out, *values;
static uint8_t *heads;
static uint64_t *offsets;
static size_t kept;

static void good(oplus_status status, const char *what)
{
    if (status != OPLUS_OK) fail_msg("%s: %s", what, oplus_last_error());
}

/* The same task, rehearsed and done. */
static void compare(const char *what, const opi_task *task)
{
    opi_rehearsal seen;
    good(opi_gpu_rehearse(dev, "test", task, &seen), what);
    memset(&done, 0, sizeof done);
    good(dev->machine->run(dev, "test", task, NULL), what);
    if (seen.launches != done.launches || seen.up != done.up || seen.down != done.down)
        fail_msg("%s: %u launches, %llu bytes up, %llu down; its rehearsal said %u, %llu, %llu", what, done.launches,
                 (unsigned long long)done.up, (unsigned long long)done.down, seen.launches, (unsigned long long)seen.up,
                 (unsigned long long)seen.down);
    if (!seen.way || done.launches == 0) fail_msg("%s: no way was taken, or nothing launched", what);
}

static void all_primitives(size_t n)
{
    uint32_t sum;
    opi_task t;
    const void *const inputs[] = {in, in};
    opi_task_reduce(&t, &oplus_sum_u32, in, NULL, n, 0, &sum);
    compare("reduce", &t);
    opi_task_scan(&t, &oplus_sum_f32, OPLUS_EXCLUSIVE, in, NULL, n, 0, out);
    compare("scan", &t);
    opi_task_scan(&t, &oplus_sum_u32, OPLUS_INCLUSIVE, in, heads, n, 0, out);
    compare("segmented scan", &t);
    opi_task_map(&t, &plus_u32_fn, inputs, n, out);
    compare("map", &t);
    opi_task_filter(&t, &all_u32_fn, in, n, out, &kept);
    compare("filter", &t);
    opi_task_sort(&t, &oplus_u32, OPLUS_ASCENDING, out, &oplus_u32, values, n);
    compare("sort", &t);
    if (n < N) return;
    const opi_offsets all = {offsets, SEGMENTS, sizeof *offsets, N};
    opi_task_segreduce(&t, &oplus_sum_u32, in, N, &oplus_u64, &all, out);
    compare("segmented reduce", &t);
}

static void transposed(void)
{
    opi_task t;
    opi_task_transpose(&t, sizeof *in, in, ROWS, COLS, out);
    compare("transpose", &t);
    opi_task_transpose(&t, sizeof *in, out, COLS, COLS, out);
    compare("transpose in place", &t);
}

/* Memory of the device in place of the host's. */
static void *there(const void *from, size_t bytes)
{
    void *mem;
    good(oplus_alloc(dev, bytes, &mem), "oplus_alloc");
    good(oplus_copy(dev, mem, from, bytes), "oplus_copy");
    return mem;
}

static void open_counted(const char *where, opi_driver *counting)
{
    good(oplus_open(where, &dev), where);
    opi_gpu *const gpu = opi_gpu_driver_of(dev);
    real = gpu->driver;
    *counting = *real;
    counting->launch = count_launch;
    counting->upload = count_upload;
    counting->download = count_download;
    gpu->driver = counting;
}

static void fill(void)
{
    in = must(calloc(N, sizeof *in));
    out = must(calloc(N, sizeof *out));
    values = must(calloc(N, sizeof *values));
    heads = must(calloc(N, sizeof *heads));
    offsets = must(calloc(SEGMENTS + 1, sizeof *offsets));
    for (size_t i = 0; i < N; i++) in[i] = (uint32_t)(i * 2654435761u) >> 3;
    for (size_t i = 0; i < N; i += 97) heads[i] = 1;
    for (size_t s = 0; s <= SEGMENTS; s++) offsets[s] = s * s * N / ((size_t)SEGMENTS * SEGMENTS);
}

static void release(void)
{
    free(in);
    free(out);
    free(values);
    free(heads);
    free(offsets);
}

static void of_the_host(const char *memory)
{
    opi_driver counting;
    fill();
    if (memory) setenv("OPLUS_DEVICE_MEMORY", memory, 1);
    open_counted("opencl:cpu", &counting);
    unsetenv("OPLUS_DEVICE_MEMORY");
    all_primitives(N);
    all_primitives(3);
    if (!memory) transposed(); /* the host transposes if the device has little memory */
    oplus_close(dev);
    release();
}

static void host(void **state)
{
    (void)state;
    of_the_host(NULL);
}

static void host_in_pieces(void **state)
{
    (void)state;
    of_the_host("100K");
}

static void device(void **state)
{
    (void)state;
    opi_driver counting;
    fill();
    open_counted("opencl:cpu", &counting);
    uint32_t *const own[] = {in, out, values};
    uint8_t *const own_heads = heads;
    uint64_t *const own_offsets = offsets;
    in = there(in, N * sizeof *in);
    out = there(out, N * sizeof *out);
    values = there(values, N * sizeof *values);
    heads = there(heads, N);
    offsets = there(offsets, (SEGMENTS + 1) * sizeof *offsets);
    all_primitives(N);
    transposed();
    void *const all[] = {in, out, values, heads, offsets};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) oplus_free(dev, all[i]);
    oplus_close(dev);
    in = own[0], out = own[1], values = own[2], heads = own_heads, offsets = own_offsets;
    release();
}

/* What a rehearsal finds missing is what the call finds missing: here a text. */
static void says_what_is_missing(void **state)
{
    (void)state;
    oplus_op op = oplus_sum_u32;
    opi_driver counting;
    opi_rehearsal seen;
    opi_task t;
    uint32_t one = 1, sum;
    op.text = NULL;
    open_counted("opencl:cpu", &counting);
    opi_task_reduce(&t, &op, &one, NULL, 1, 0, &sum);
    assert_int_equal(opi_gpu_rehearse(dev, "test", &t, &seen), OPLUS_ERR_UNSUPPORTED);
    assert_non_null(strstr(oplus_last_error(), "has no text"));
    assert_int_equal(dev->machine->takes(dev, "test", &t), OPLUS_ERR_UNSUPPORTED);
    assert_int_equal(seen.launches, 0);
    oplus_close(dev);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(host), cmocka_unit_test(host_in_pieces),
                                       cmocka_unit_test(device), cmocka_unit_test(says_what_is_missing)};
    if (oplus_open("opencl:cpu", &dev) != OPLUS_OK) return printf("not tried: %s\n", oplus_last_error()), 77;
    oplus_close(dev);
    return cmocka_run_group_tests_name("rehearsal", tests, NULL, NULL);
}
