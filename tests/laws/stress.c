/* Random calls, one after the other: primitive, operator or type, number, alignment, memory, in place or not, and place, which may
 * force a way.  Each has the bits of one core, and changes nothing else between the guards of its arrays.  All draw from
 * a few types, so that programs are compiled once.  One device makes all calls of a place: what one call leaves in its
 * scratch memory is there for the next.
 *
 *     OPLUS_TEST_CALLS=n   so many calls
 *     OPLUS_TEST_CALL=i    call i alone
 *
 * Without OPLUS_TEST_DEVICES the places are the ways of "cuda:0", or OpenCL on the cores with few of the types. */
#include "support/calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { GUARD = 128, ROOM = MOST_BYTES + 2 * GUARD + 64 };

static const char cuda_ways[] =
    "cuda:0 cuda:0,0 cuda:0@@@pipeline+last+windows+partition cuda:0@@@tiles+segments+passes+two-sorts "
    "cuda:0@@@one-group+segments cuda:0@@200K";

/* --- the arrays --------------------------------------------------------------------------------------------------- */

static unsigned char *image[ARRAYS],
    *copy[ARRAYS];                   /* what the cores compute in; what the device is given, or has made */
static unsigned char *there[ARRAYS]; /* memory of c->at, in which the device computes */

static size_t before(const call *c, int k) { return GUARD + c->shift[k] * c->size[k]; }
static size_t whole(const call *c, int k) { return before(c, k) + c->elements[k] * c->size[k] + GUARD; }

/* --- trying it ---------------------------------------------------------------------------------------------------- */

static bool is_there(const call *c, int k) { return c->size[k] > 0 && !c->here[k]; }

static void fails(const call *c, long index, const char *why)
{
    char text[400];
    call_describe(c, text, sizeof text);
    fail_msg("OPLUS_TEST_SEED=%llu OPLUS_TEST_CALL=%ld: %s: %s", (unsigned long long)test_seed(), index, text, why);
}

static void compare(const call *c, long index, int k)
{
    char text[160];
    const size_t bytes = whole(c, k), from = before(c, k);
    if (memcmp(copy[k], image[k], bytes) == 0) return;
    size_t i = 0;
    while (copy[k][i] == image[k][i]) i++;
    snprintf(text, sizeof text, "byte %td of array %d (%zu elements of %zu bytes) is %02x, not %02x",
             (ptrdiff_t)i - (ptrdiff_t)from, k, c->elements[k], c->size[k], copy[k][i], image[k][i]);
    fails(c, index, text);
}

static void try_call(const call *c, long index, oplus_device *core, rng *r)
{
    unsigned char *own[ARRAYS], *given[ARRAYS];
    oplus_device *const dev = c->at->dev;
    for (int k = 0; k < ARRAYS; k++) {
        memset(image[k], 0xa5, whole(c, k));
        own[k] = image[k] + before(c, k);
    }
    call_fill(c, r, own);
    for (int k = 0; k < ARRAYS; k++) {
        given[k] = (c->here[k] ? copy[k] : there[k]) + before(c, k);
        memcpy(copy[k], image[k], whole(c, k));
        if (is_there(c, k)) must_be_ok(oplus_copy(dev, there[k], copy[k], whole(c, k)), "copy");
    }
    if (c->in_place) own[OUT] = own[IN], given[OUT] = given[IN];
    must_be_ok(call_make(c, core, own), "the core");
    if (call_make(c, dev, given) != OPLUS_OK || oplus_sync(dev) != OPLUS_OK) fails(c, index, oplus_last_error());
    for (int k = 0; k < ARRAYS; k++) {
        if (is_there(c, k)) must_be_ok(oplus_copy(dev, copy[k], there[k], whole(c, k)), "copy");
        compare(c, index, k);
    }
}

/* --- the run ------------------------------------------------------------------------------------------------------ */

/* Each call has random numbers of its own, so that it can be made alone. */
static void make_call(const place *at, oplus_device *core, long index)
{
    rng seeds = test_rng("stress");
    rng r = {seeds.state + (uint64_t)index * UINT64_C(0xd1342543de82ef95)};
    const call c = call_draw(&r, at, (size_t)index % SHARES);
    try_call(&c, index, core, &r);
}

/* The calls of this process: of the numbers first .. end - 1, those of its shares. */
static long first, end, process, processes;

static bool is_mine(long i, long k, long places)
{
    return i / SHARES % places == k && i % SHARES % processes == process;
}

/* Call i is made at place i / SHARES % places, all calls of a place one after the other. */
static void any_call(void **state)
{
    size_t count;
    const place *const all = all_places(&count); /* the first is one core */
    const long places = (long)count - 1;
    (void)state;
    for (long k = 0; k < places; k++) {
        const place *const at = &all[k + 1];
        const time_t begin = time(NULL);
        long made = 0;
        if (!at->thorough && !test_long()) continue; /* where compilers are slow, kernels of both shapes take long */
        stand_at(at, NULL, false);                   /* sets the shape of kernels */
        for (int a = 0; a < ARRAYS; a++) must_be_ok(oplus_alloc(at->dev, ROOM, (void **)&there[a]), "alloc");
        for (long i = first; i < end; i++)
            if (is_mine(i, k, places)) make_call(at, all->dev, i), made++;
        for (int a = 0; a < ARRAYS; a++) oplus_free(at->dev, there[a]);
        if (made > 0) printf("%ld calls at %s, %.0f s\n", made, at->where, difftime(time(NULL), begin));
        fflush(stdout);
    }
}

/* Ways of CUDA, where it is and nothing else was asked for. */
static void choose_places(void)
{
    oplus_device *dev;
    setenv("OPLUS_TEST_CORES", "0", 1);
    if (oplus_open("cuda:0", &dev) != OPLUS_OK) return;
    setenv("OPLUS_TEST_DEVICES", cuda_ways, 0);
    oplus_close(dev);
}

static int run(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(any_call)};
    size_t count;
    choose_places();
    all_places(&count);
    if (count < 2) return puts("not tried: there is no accelerator, or OPLUS_TEST_DEVICES is empty"), 77;
    for (int k = 0; k < ARRAYS; k++) {
        image[k] = must(aligned_alloc(64, ROOM));
        copy[k] = must(aligned_alloc(64, ROOM));
    }
    const int failed = cmocka_run_group_tests_name("stress", tests, NULL, NULL);
    for (int k = 0; k < ARRAYS; k++) free(image[k]), free(copy[k]);
    close_places();
    return failed;
}

/* A device is opened in the child. */
static int run_children(long count)
{
    int worst = 0;
    processes = count;
    for (process = 0; process < processes; process++) {
        const pid_t child = fork();
        if (child < 0) return perror("fork"), 1;
        if (child == 0) exit(run());
    }
    for (int status; wait(&status) > 0;) {
        const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
        if (code != 0 && worst != 1) worst = code == 77 ? 77 : 1;
    }
    return worst;
}

/* The first calls compile nearly all programs: a process for each core makes them, which have different shares.  One process
 * makes the others: a GPU would go from process to process at every call, which takes milliseconds. */
int main(void)
{
    enum { COMPILING = 2000 };
    const long one = test_number("OPLUS_TEST_CALL", -1),
               calls = test_number("OPLUS_TEST_CALLS", test_quick() ? 200 : COMPILING);
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    test_seed();
    first = one < 0 ? 0 : one;
    end = one < 0 ? calls < COMPILING ? calls : COMPILING : one + 1;
    int result = run_children(one >= 0 || cores < 1 ? 1 : cores < SHARES ? cores : SHARES);
    first = end;
    end = calls;
    if (result == 0 && one < 0 && first < end) result = run_children(1);
    return result;
}
