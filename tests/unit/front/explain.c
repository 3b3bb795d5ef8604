/* oplus_explain: calls are told in words, and not done. */
#include "support/laws.h"

#include <oplus/ranks.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 200000 };

static float x[N], out[N];
static char text[2048];

OPLUS_PREDICATE(positive, float, { return a > 0; })
OPLUS_MAP(twice, float, float, { return 2 * a; })

static void good(oplus_status status)
{
    if (status != OPLUS_OK) fail_msg("%s", oplus_last_error());
}

static void says(const char *what)
{
    if (strstr(text, what) == NULL) fail_msg("\"%s\" is not in:\n%s", what, text);
}

static void untouched(void)
{
    for (size_t i = 0; i < N; i++)
        if (out[i] != -1) fail_msg("out[%zu] was written", i);
}

static oplus_device *explaining(const char *where)
{
    oplus_device *const dev = open_at(where, NULL);
    for (size_t i = 0; i < N; i++) x[i] = (float)i, out[i] = -1;
    memset(text, 0, sizeof text);
    good(oplus_explain(dev, text, sizeof text));
    return dev;
}

/* Each call is told by its name, its size and its way; and none is done. */
static void cores_say_their_way(void **state)
{
    const void *const in[] = {x};
    static const size_t offsets[] = {0, 1000, N};
    size_t kept = 77;
    float value = -1;
    (void)state;
    oplus_device *const dev = explaining("threads:2");
    good(oplus_scan(dev, &oplus_sum_f32, OPLUS_EXCLUSIVE, x, N, out));
    says("oplus_scan: exclusive scan of 200000 elements by oplus_sum_f32; it reads and writes 1.6 MB\n");
    says("machine: threads:2 ");
    says("way: in-order, on 2 threads\n");
    says("  > in-order ");
    says("    two-pass ");
    good(oplus_reduce(dev, &oplus_max_f32, x, N, &value));
    says("oplus_reduce: reduce of 200000 elements by oplus_max_f32");
    says("way: parts");
    good(oplus_reduce(dev, &oplus_max_f32, x, 10, &value));
    says("why not more threads: there is one block\n");
    good(oplus_map(dev, &twice_fn, in, N, out));
    says("by twice");
    says("way: independent");
    good(oplus_filter(dev, &positive_fn, x, N, out, &kept));
    says("at most 1.6 MB");
    good(oplus_segreduce(dev, &oplus_sum_f32, x, N, &oplus_u64, offsets, 2, out));
    says("in 2 segments");
    good(oplus_sort(dev, &oplus_f32, OPLUS_DESCENDING, out, N));
    says("> partition");
    good(oplus_transpose(dev, &oplus_f32, x, 400, 500, out));
    says("400 rows of 500");
    untouched();
    assert_true(value == -1 && kept == 77);
    oplus_close(dev);
}

static void one_thread_says_so(void **state)
{
    (void)state;
    oplus_device *const dev = explaining("serial");
    good(oplus_scan(dev, &oplus_sum_f32, OPLUS_INCLUSIVE, x, N, out));
    says("why not more threads: the device has one thread\n");
    untouched();
    oplus_close(dev);
}

/* A call without work is explained too, and a wrong one is refused as ever. */
static void calls_without_work(void **state)
{
    (void)state;
    oplus_device *const dev = explaining("threads:2");
    good(oplus_sort(dev, &oplus_f32, OPLUS_ASCENDING, out, 1));
    assert_string_equal(text, "oplus_sort: nothing to compute\n");
    const void *const only[] = {x};
    const size_t n = N;
    good(oplus_merge_many(dev, &oplus_f32, OPLUS_ASCENDING, only, &n, 1, out));
    says("a copy of the 200000 elements");
    untouched();
    assert_int_equal(oplus_scan(dev, &oplus_sum_f32, OPLUS_INCLUSIVE, NULL, N, out), OPLUS_ERR_ARGUMENT);
    assert_non_null(strstr(oplus_last_error(), "in is NULL"));
    oplus_close(dev);
}

static void it_ends(void **state)
{
    (void)state;
    oplus_device *const dev = explaining("threads:2");
    good(oplus_scan(dev, &oplus_sum_f32, OPLUS_INCLUSIVE, x, N, out));
    untouched();
    good(oplus_explain(dev, NULL, 0));
    memset(text, 0, sizeof text);
    good(oplus_scan(dev, &oplus_sum_f32, OPLUS_INCLUSIVE, x, N, out));
    assert_string_equal(text, "");
    assert_true(out[0] == 0 && out[3] == 6);
    oplus_close(dev);
}

static void small_texts_are_cut(void **state)
{
    char small[20];
    (void)state;
    oplus_device *const dev = explaining("threads:2");
    memset(small, '#', sizeof small);
    good(oplus_explain(dev, small, 10));
    good(oplus_scan(dev, &oplus_sum_f32, OPLUS_INCLUSIVE, x, N, out));
    assert_string_equal(small, "oplus_sca");
    assert_int_equal(small[10], '#');
    oplus_close(dev);
}

static void wrong_arguments(void **state)
{
    (void)state;
    oplus_device *const dev = open_at("serial", NULL);
    assert_int_equal(oplus_explain(NULL, text, sizeof text), OPLUS_ERR_ARGUMENT);
    assert_int_equal(oplus_explain(dev, text, 0), OPLUS_ERR_ARGUMENT);
    assert_non_null(strstr(oplus_last_error(), "bytes is 0"));
    oplus_close(dev);
}

/* How cores reduce by index depends on the operator, and on how many elements there are for a bin. */
static void bins_have_ways(void **state)
{
    static const uint32_t index[N];
    static const struct {
        const oplus_op *op;
        size_t bins;
        const char *way;
    } cases[] = {{&oplus_sum_u32, 1000, "way: tables"},
                 {&oplus_lor_u32, 100, "way: blocks"},
                 {&oplus_sum_f32, 100, "way: blocks\n  > blocks "},
                 {&oplus_sum_f32, 10000, "way: deal\n  > deal "}};
    (void)state;
    oplus_device *const dev = explaining("serial");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        memset(text, 0, sizeof text);
        good(oplus_explain(dev, text, sizeof text));
        good(oplus_reduce_by_index(dev, cases[i].op, OPLUS_REFUSE, x, &oplus_u32, index, N, out, cases[i].bins));
        says(cases[i].way);
    }
    untouched();
    oplus_close(dev);
}

/* A forced way says why it is taken. */
static void a_wish_is_named(void **state)
{
    (void)state;
    setenv("OPLUS_WAY", "two-pass", 1);
    oplus_device *const dev = explaining("threads:2");
    unsetenv("OPLUS_WAY");
    good(oplus_scan(dev, &oplus_sum_f32, OPLUS_INCLUSIVE, x, N, out));
    says("way: two-pass");
    says("why: OPLUS_WAY asks for it\n");
    oplus_close(dev);
}

/* Without an exchange: the second rank does not even call. */
static void on_the_first(const oplus_comm *comm, void *context)
{
    oplus_device *const dev = context;
    if (comm->rank > 0) return;
    good(oplus_scan_all(dev, comm, &oplus_sum_f32, OPLUS_INCLUSIVE, x, N, out));
}

/* Only a reduce of runs exchanges summaries of its own. */
static void unique_on_the_first(const oplus_comm *comm, void *dev)
{
    size_t runs;
    if (comm->rank > 0) return;
    good(oplus_unique_all(dev, comm, &oplus_f32, NULL, OPLUS_EVEN, x, N, out, NULL, NULL, NULL, N, NULL, &runs));
}

static void runs_on_the_first(const oplus_comm *comm, void *dev)
{
    size_t runs;
    if (comm->rank > 0) return;
    good(
        oplus_reduce_by_key_all(dev, comm, &oplus_sum_f32, &oplus_f32, NULL, OPLUS_EVEN, x, x, N, NULL, out, N, &runs));
}

static void ranks_are_told_of_runs(void **state)
{
    (void)state;
    oplus_device *const dev = explaining("serial");
    good(oplus_run_ranks(2, unique_on_the_first, dev));
    says("  runs: one of 32 bytes from each rank");
    if (strstr(text, "summaries") != NULL) fail_msg("unique exchanges no summaries:\n%s", text);
    good(oplus_run_ranks(2, runs_on_the_first, dev));
    says("one of summaries where runs span ranks");
    says("then: each rank reduces the values of its runs");
    untouched();
    oplus_close(dev);
}

/* Without bins there is nothing to say. */
static void counts_on_the_first(const oplus_comm *comm, void *dev)
{
    if (comm->rank > 0) return;
    good(oplus_count_by_index_all(dev, comm, OPLUS_IGNORE, &oplus_u32, x, N, &oplus_u32, out, 0));
    good(oplus_histogram_all(dev, comm, &oplus_f32, x, N, 0, 1, &oplus_u32, out, 25));
}

static void ranks_are_told_of_counts(void **state)
{
    (void)state;
    oplus_device *const dev = explaining("serial");
    good(oplus_run_ranks(2, counts_on_the_first, dev));
    says("  counts: one of 104 bytes from each rank to each other one");
    untouched();
    oplus_close(dev);
}

static void ranks_are_told_of(void **state)
{
    (void)state;
    oplus_device *const dev = explaining("serial");
    good(oplus_run_ranks(2, on_the_first, dev));
    says("oplus_scan_all: inclusive scan of 200000 elements");
    says("over 2 ranks, each so with its own elements");
    says("summaries: none where they fit the notes, else one of at most ");
    untouched();
    oplus_close(dev);
}

/* An accelerator rehearses the call: launches and bytes are those that the call would take. */
static void an_accelerator_rehearses(void **state)
{
    oplus_device *dev;
    void *mem;
    (void)state;
    if (oplus_open("opencl:cpu", &dev) != OPLUS_OK) {
        print_message("skipped: %s\n", oplus_last_error());
        skip();
    }
    for (size_t i = 0; i < N; i++) out[i] = -1;
    good(oplus_explain(dev, text, sizeof text));
    good(oplus_scan(dev, &oplus_sum_f32, OPLUS_INCLUSIVE, x, N, out));
    says("machine: opencl:");
    says("800 kB to the device and 800 kB back\n");
    untouched();
    good(oplus_alloc(dev, sizeof x, &mem));
    good(oplus_scan(dev, &oplus_sum_f32, OPLUS_INCLUSIVE, mem, N, mem));
    says("0 bytes to the device and 0 bytes back\n");
    good(oplus_reduce(dev, &oplus_sum_f32, mem, 1000, mem)); /* the launch that finds the result writes it */
    says("  1 launch, 0 bytes to the device and 0 bytes back\n");
    oplus_free(dev, mem);
    oplus_close(dev);
}

/* Long segments among short ones have a way of their own, which is known before the call. */
static void an_accelerator_says_how_it_sorts_segments(void **state)
{
    enum { SEGMENTS = 101 };
    oplus_device *dev;
    void *mem;
    uint32_t offsets[SEGMENTS + 1];
    (void)state;
    if (oplus_open("opencl:cpu", &dev) != OPLUS_OK) {
        print_message("skipped: %s\n", oplus_last_error());
        skip();
    }
    good(oplus_alloc(dev, sizeof x, &mem));
    good(oplus_explain(dev, text, sizeof text));
    for (uint32_t s = 0; s <= SEGMENTS; s++) offsets[s] = s < SEGMENTS ? 50 * s : N;
    good(oplus_segsort(dev, &oplus_f32, OPLUS_ASCENDING, mem, N, &oplus_u32, offsets, SEGMENTS));
    says("  > mixed ");
    for (uint32_t s = 0; s <= SEGMENTS; s++) offsets[s] = 50 * s;
    good(oplus_segsort(dev, &oplus_f32, OPLUS_ASCENDING, mem, N, &oplus_u32, offsets, SEGMENTS));
    says("  > short ");
    oplus_free(dev, mem);
    oplus_close(dev);
}

/* What a call makes of tasks of the library's own is said in words. */
static void a_repeat_names_nothing_of_ours(void **state)
{
    static const int64_t counts[] = {1, 0, 2};
    size_t total = 7;
    (void)state;
    oplus_device *const dev = explaining("serial");
    good(oplus_repeat(dev, &oplus_f32, x, 3, &oplus_i64, counts, out, N, &total));
    says("oplus_repeat: inclusive scan of 3 elements; it reads and writes 48 bytes\n");
    says("the scan adds up the counts");
    says("then: a repeat of the 3 elements");
    if (strstr(text, "opi_") != NULL) fail_msg("a name of ours:\n%s", text);
    good(oplus_repeat(dev, &oplus_f32, NULL, 3, &oplus_i64, counts, NULL, 0, &total));
    says("oplus_repeat: reduce of 3 elements; ");
    says("adds up the counts");
    assert_int_equal(total, 7);
    untouched();
    oplus_close(dev);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cores_say_their_way),
        cmocka_unit_test(one_thread_says_so),
        cmocka_unit_test(calls_without_work),
        cmocka_unit_test(it_ends),
        cmocka_unit_test(small_texts_are_cut),
        cmocka_unit_test(wrong_arguments),
        cmocka_unit_test(bins_have_ways),
        cmocka_unit_test(a_wish_is_named),
        cmocka_unit_test(a_repeat_names_nothing_of_ours),
        cmocka_unit_test(an_accelerator_says_how_it_sorts_segments),
        cmocka_unit_test(ranks_are_told_of_counts),
        cmocka_unit_test(ranks_are_told_of),
        cmocka_unit_test(ranks_are_told_of_runs),
        cmocka_unit_test(an_accelerator_rehearses),
    };
    return cmocka_run_group_tests_name("explain", tests, NULL, NULL);
}
