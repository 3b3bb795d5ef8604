/* Memory that CUDA devices offer each other, with a fake driver (fake/cuda.h): in one process it is found by its address once
 * the devices are linked, in another one by a handle. */
#include "base/host.h"
#include "driver/cuda/cuda.h"
#include "gpu/gpu.h"
#include "support/cuda.h"

#include <string.h>

enum { BYTES = 4096, BEYOND = 64 };

static oplus_device *dev[2];

static const opi_transfers *transfers(void) { return dev[0]->machine->transfers; }

static void open_both(void)
{
    good(oplus_open("cuda:0", &dev[0]));
    good(oplus_open("cuda:1", &dev[1]));
}

static void close_both(void)
{
    for (int d = 0; d < 2; d++) oplus_close(dev[d]);
    assert_int_equal(fake->live[FAKE_OPENED], 0);
    assert_int_equal(fake->live[FAKE_MEMORY], 0);
}

/* Its process closes what it has opened. */
static void close_taker(void)
{
    oplus_close(dev[1]);
    dev[1] = NULL;
    assert_int_equal(fake->live[FAKE_OPENED], 0);
}

static opi_offer offer_of(const void *mem)
{
    opi_offer offer;
    good(transfers()->offer(dev[0], "test", mem, &offer));
    return offer;
}

static bool accepts(const opi_offer *offer, const void **mem)
{
    return transfers()->accept(dev[1], "test", offer, mem);
}

static void in_one_process(void **state)
{
    char *mem;
    const void *found;
    (void)state;
    open_both();
    good(oplus_alloc(dev[0], BYTES, (void **)&mem));
    const opi_offer offer = offer_of(mem + BEYOND);
    assert_true(accepts(&offer, &found));
    assert_ptr_equal(found, mem + BEYOND);
    assert_int_equal(fake->live[FAKE_OPENED], 0);
    transfers()->decline(dev[1], &offer);
    oplus_free(dev[0], mem);
    close_both();
}

static void in_another_process(void **state)
{
    char *mem;
    const void *found = NULL;
    (void)state;
    open_both();
    good(oplus_alloc(dev[0], BYTES, (void **)&mem));
    opi_offer offer = offer_of(mem + BEYOND);
    offer.process++; /* another one offers it */
    assert_true(offer.is_exported && accepts(&offer, &found));
    assert_ptr_equal(found, mem + BEYOND);
    assert_int_equal(fake->live[FAKE_OPENED], 1);
    transfers()->decline(dev[1], &offer);
    assert_int_equal(fake->live[FAKE_OPENED], 1); /* it stays open, ... */
    assert_true(accepts(&offer, &found) && accepts(&offer, &found));
    assert_int_equal(fake->live[FAKE_OPENED], 1);
    for (int k = 0; k < 2; k++) {
        oplus_trim(dev[1]);
        assert_int_equal(fake->live[FAKE_OPENED], 1); /* as long as it is used, */
        transfers()->decline(dev[1], &offer);
    }
    oplus_trim(dev[1]); /* and then until a trim, or the device is closed */
    assert_int_equal(fake->live[FAKE_OPENED], 0);
    assert_true(accepts(&offer, &found));
    transfers()->decline(dev[1], &offer);
    offer.host++;
    assert_false(accepts(&offer, &found)); /* nor does another host */
    offer.host--;
    offer.is_exported = 0;
    assert_false(accepts(&offer, &found));
    close_taker();
    oplus_free(dev[0], mem);
    close_both();
}

enum { MANY = 40, KEPT = 32 };

typedef struct offered {
    void *mem;
    const void *found;
    opi_offer offer;
} offered;

/* Memory of another process, which is opened. */
static void open_one(offered *o, size_t bytes)
{
    good(oplus_alloc(dev[0], BYTES, &o->mem));
    o->offer = offer_of(o->mem);
    assert_int_equal(o->offer.bytes, BYTES);
    o->offer.bytes = bytes;
    o->offer.process++;
    assert_true(accepts(&o->offer, &o->found));
    assert_ptr_equal(o->found, o->mem);
}

/* More than a few, or more than some bytes, do not stay open; those that were used last do. */
static void few_stay_open(void **state)
{
    static offered o[MANY];
    (void)state;
    open_both();
    for (int k = 0; k < MANY; k++) open_one(&o[k], BYTES);
    assert_int_equal(fake->live[FAKE_OPENED], MANY); /* in use */
    for (int k = 0; k < MANY; k++) transfers()->decline(dev[1], &o[k].offer);
    assert_int_equal(fake->live[FAKE_OPENED], KEPT);
    assert_true(accepts(&o[MANY - 1].offer, &o[MANY - 1].found));
    assert_int_equal(fake->live[FAKE_OPENED], KEPT);
    transfers()->decline(dev[1], &o[MANY - 1].offer);
    close_taker();
    for (int k = 0; k < MANY; k++) oplus_free(dev[0], o[k].mem);
    close_both();
}

static void large_memory_does_not_stay_open(void **state)
{
    static const size_t bytes[] = {(size_t)200 << 20, (size_t)100 << 20, (size_t)300 << 20, SIZE_MAX};
    static const int open_after[] = {1, 1, 1, 1}; /* 200; 100, in place of it; and nothing else */
    offered o[4];
    (void)state;
    open_both();
    for (int k = 0; k < 4; k++) {
        open_one(&o[k], bytes[k]);
        transfers()->decline(dev[1], &o[k].offer);
        assert_int_equal(fake->live[FAKE_OPENED], open_after[k]);
    }
    assert_true(accepts(&o[1].offer, &o[1].found));
    assert_int_equal(fake->live[FAKE_OPENED], 1);
    transfers()->decline(dev[1], &o[1].offer);
    close_taker();
    for (int k = 0; k < 4; k++) oplus_free(dev[0], o[k].mem);
    close_both();
}

/* Memory of the host is not offered; memory that is no allocation's beginning has no handle. */
static void what_is_not_offered(void **state)
{
    static char host[BYTES], caller[BYTES];
    const void *found;
    (void)state;
    open_both();
    opi_offer offer = offer_of(host);
    assert_true(offer.host == 0 && !accepts(&offer, &found));
    fake->know(caller, sizeof caller, 2, 0, false);
    offer = offer_of(caller);
    assert_true(offer.host != 0 && !offer.is_exported && accepts(&offer, &found));
    close_both();
}

static int handles;

static void count_handles(const char *name) { handles += strstr(name, "IpcGetMemHandle") != NULL; }

/* The driver makes a handle once for an allocation, and another one for what lies at the same address later. */
static void a_handle_is_made_once(void **state)
{
    enum { MORE = 12 };
    void *mem[MORE], *again;
    (void)state;
    open_both();
    fake->heard = count_handles;
    for (int k = 0; k < MORE; k++) good(oplus_alloc(dev[0], BYTES, &mem[k]));
    const opi_offer first = offer_of(mem[0]), same = offer_of((char *)mem[0] + BEYOND);
    assert_memory_equal(first.handle, same.handle, sizeof first.handle);
    assert_int_equal(handles, 1);
    for (int k = 1; k < MORE; k++) offer_of(mem[k]); /* more than are kept: those of last time are */
    for (int k = MORE; k-- > MORE - 4;) offer_of(mem[k]);
    assert_int_equal(handles, MORE);
    offer_of(mem[0]);
    assert_int_equal(handles, MORE + 1);
    for (int k = 0; k < MORE; k++) oplus_free(dev[0], mem[k]);
    good(oplus_alloc(dev[0], BYTES, &again));
    offer_of(again); /* perhaps where one of them was */
    assert_int_equal(handles, MORE + 2);
    fake->heard = NULL;
    oplus_free(dev[0], again);
    close_both();
}

static int copies;

static void count_copies(const char *name) { copies += strstr(name, "MemcpyDtoDAsync") != NULL; }

/* Kernels of another device may not be allowed to read memory of a pool, which has no handle: the driver copies it. */
static void what_kernels_may_not_read(void **state)
{
    enum { MANY = 4 << 20 };
    static char caller[MANY];
    const void *found;
    char *own;
    (void)state;
    open_both();
    fake->know(caller, sizeof caller, 2, 0, false);
    memset(caller, 7, sizeof caller);
    const opi_offer offer = offer_of(caller);
    assert_true(!offer.is_exported && accepts(&offer, &found));
    good(oplus_alloc(dev[1], MANY, (void **)&own));
    fake->heard = count_copies;
    good(transfers()->pull(dev[1], "test", own, found, MANY, &offer));
    good(transfers()->settle(dev[1], "test", OPI_TO_MACHINE));
    fake->heard = NULL;
    assert_int_equal(copies, 1);
    assert_memory_equal(own, caller, MANY);
    transfers()->decline(dev[1], &offer);
    oplus_free(dev[1], own);
    close_both();
}

static int run_fake(void)
{
    const struct CMUnitTest tests[] = {WITH_BOOKS(in_one_process),       WITH_BOOKS(in_another_process),
                                       WITH_BOOKS(few_stay_open),        WITH_BOOKS(large_memory_does_not_stay_open),
                                       WITH_BOOKS(what_is_not_offered),  WITH_BOOKS(what_kernels_may_not_read),
                                       WITH_BOOKS(a_handle_is_made_once)};
    return cmocka_run_group_tests_name("offers", tests, find_fake, NULL);
}

int main(void)
{
    const part parts[] = {{FAKE_CUDA, FAKE_CUDA, "OPLUS_CACHE", "0", NULL, run_fake}};
    return run_parts(parts, 1);
}
