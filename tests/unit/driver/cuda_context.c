/* The caller's current context on CUDA: it is used if it is the device's, and is left as it was in every case.  With a
 * fake driver that keeps the books (fake/cuda.c), in which every call needs the right context. */
#include "driver/cuda/cuda.h"
#include "support/cuda.h"

#include <stdlib.h>

static opi_gpu *opened(const char *where)
{
    opi_gpu *gpu;
    good(opi_cuda.open("test", where, NULL, &gpu));
    return gpu;
}

static void *context_of(opi_gpu *gpu) { return opi_cuda_self(gpu)->context; }

/* --- 1. one device ------------------------------------------------------------------------------------------------ */

static void another_is_current(void **state)
{
    opi_gpu *const gpu = opened(":0");
    void *const before = fake->current;
    (void)state;
    const int calls = fake->calls;
    good(opi_enter(gpu, "test"));
    assert_ptr_equal(fake->current, context_of(gpu));
    assert_int_equal(fake->calls, calls + 2); /* asked, and pushed */
    good(opi_leave(gpu, "test", OPLUS_OK));
    assert_int_equal(fake->calls, calls + 3);
    assert_ptr_equal(fake->current, before);
    assert_int_equal(fake->depth, 1);
    opi_cuda.close(gpu);
}

static void it_is_current_already(void **state)
{
    opi_gpu *const gpu = opened(":0");
    (void)state;
    fake->push(context_of(gpu));
    const int calls = fake->calls, depth = fake->depth;
    for (int nested = 0; nested < 3; nested++) good(opi_enter(gpu, "test"));
    assert_int_equal(fake->depth, depth);
    for (int nested = 0; nested < 3; nested++) good(opi_leave(gpu, "test", OPLUS_OK));
    assert_int_equal(fake->depth, depth);
    assert_int_equal(fake->calls, calls + 3); /* nothing but asked */
    assert_ptr_equal(fake->current, context_of(gpu));
    fake->pop();
    opi_cuda.close(gpu);
}

static void nothing_is_current(void **state)
{
    opi_gpu *const gpu = opened(":0");
    void *const before = fake->current;
    (void)state;
    fake->pop();
    assert_null(fake->current);
    good(opi_enter(gpu, "test"));
    good(opi_enter(gpu, "test"));
    assert_int_equal(fake->depth, 1);
    good(opi_leave(gpu, "test", OPLUS_OK));
    assert_int_equal(fake->depth, 1);
    good(opi_leave(gpu, "test", OPLUS_OK));
    assert_null(fake->current);
    fake->push(before);
    opi_cuda.close(gpu);
}

/* --- 2. several --------------------------------------------------------------------------------------------------- */

/* One device inside of another, and the first again inside of that: memory comes from the one that was entered last. */
static void in_each_other(void **state)
{
    opi_gpu *const device[] = {opened(":0"), opened(":1")};
    static const int order[] = {0, 1, 1, 0, 1, 0};
    enum { TIMES = sizeof order / sizeof *order };
    void *mem[TIMES], *before[TIMES];
    (void)state;
    for (int i = 0; i < TIMES; i++) {
        before[i] = fake->current;
        good(opi_enter(device[order[i]], "test"));
        assert_ptr_equal(fake->current, context_of(device[order[i]]));
        good(opi_cuda.alloc(device[order[i]], "test", 64, &mem[i]));
    }
    for (int i = TIMES - 1; i >= 0; i--) {
        opi_gpu *const gpu = device[order[i]], *const other = device[!order[i]];
        opi_gpu_side side;
        assert_int_equal(side_of(gpu, mem[i], 64), OPI_SIDE_DEVICE);
        fails_with(OPLUS_ERR_ARGUMENT, opi_cuda.side(other, "test", "in", mem[i], 64, &side),
                   order[i] ? "cuda:1" : "cuda:0");
        opi_cuda.free(gpu, mem[i]);
        good(opi_leave(gpu, "test", OPLUS_OK));
        assert_ptr_equal(fake->current, before[i]);
    }
    opi_cuda.close(device[0]);
    opi_cuda.close(device[1]);
}

/* --- 3. what fails ------------------------------------------------------------------------------------------------ */

static void failures(void **state)
{
    opi_gpu *const gpu = opened(":0");
    void *const before = fake->current, *program;
    (void)state;
    fake->error = CUDA_ERROR_CONTEXT_IS_DESTROYED;
    for (int which = 1; which <= 2; which++) {
        fake->failing = fake->calls + which;
        fails_with(OPLUS_ERR_DEVICE, opi_enter(gpu, "oplus_scan"),
                   which == 1 ? "oplus_scan: cuCtxGetCurrent failed" : "oplus_scan: cuCtxPushCurrent failed");
        assert_ptr_equal(fake->current, before); /* nobody has entered: nobody leaves */
    }
    good(opi_enter(gpu, "oplus_scan"));
    fake->failing = fake->calls + 1;
    fails_with(OPLUS_ERR_DEVICE, opi_leave(gpu, "oplus_scan", OPLUS_OK), "oplus_scan: cuCtxPopCurrent failed");
    fake->pop();
    good(opi_enter(gpu, "oplus_scan"));
    fails_with(OPLUS_ERR_DEVICE, opi_cuda.load(gpu, "oplus_scan", "", 0, &program), "is damaged");
    fake->failing = fake->calls + 1;
    assert_int_equal(opi_leave(gpu, "oplus_scan", OPLUS_ERR_DEVICE), OPLUS_ERR_DEVICE);
    says("is damaged"); /* the first failure counts */
    fake->pop();
    opi_cuda.close(gpu);
}

/* --- 4. public calls ---------------------------------------------------------------------------------------------- */

/* Whatever the result is, they leave the thread as it was. */
static void public_calls(void **state)
{
    static char host[64];
    void *const before = fake->current;
    oplus_device *dev[2];
    void *mem[2], *none;
    (void)state;
    good(oplus_open("cuda:0", &dev[0]));
    good(oplus_open("cuda:1", &dev[1]));
    for (int i = 0; i < 2; i++) {
        good(oplus_alloc(dev[i], 64, &mem[i]));
        good(oplus_copy(dev[i], mem[i], host, 64));
        assert_int_equal(oplus_alloc(dev[i], (size_t)1 << 40, &none), OPLUS_ERR_MEMORY);
        assert_int_equal(oplus_wrap(dev[i], host, 64, &none), OPLUS_ERR_ARGUMENT);
        assert_ptr_equal(fake->current, before);
    }
    assert_int_equal(oplus_copy(dev[0], host, mem[1], 64), OPLUS_ERR_ARGUMENT); /* another device's */
    assert_int_equal(oplus_reduce(dev[0], &oplus_sum_i32, mem[1], 4, host), OPLUS_ERR_ARGUMENT);
    for (int i = 0; i < 2; i++) {
        good(oplus_copy(dev[i], host, mem[i], 64));
        good(oplus_sync(dev[i]));
        oplus_free(dev[i], mem[i]);
        good(oplus_trim(dev[i]));
        assert_ptr_equal(fake->current, before);
        assert_int_equal(fake->depth, 1);
    }
    oplus_close(dev[0]);
    oplus_close(dev[1]);
}

/* --- 5. the part -------------------------------------------------------------------------------------------------- */

static int run_fake(void)
{
    const struct CMUnitTest tests[] = {WITH_BOOKS(another_is_current), WITH_BOOKS(it_is_current_already),
                                       WITH_BOOKS(nothing_is_current), WITH_BOOKS(in_each_other),
                                       WITH_BOOKS(failures),           WITH_BOOKS(public_calls)};
    return cmocka_run_group_tests_name("contexts of a fake driver", tests, find_fake, NULL);
}

int main(void)
{
    const part parts[] = {{FAKE_CUDA, FAKE_CUDA, "OPLUS_CACHE", "0", NULL, run_fake}};
    return run_parts(parts, 1);
}
