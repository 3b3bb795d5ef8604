/* Every allocation of every call fails once: the call returns OPLUS_ERR_MEMORY, its inputs are intact, the device works
 * afterwards, nothing leaks; and a steady state allocates nothing.
 *
 * The linker sends the library's calls of malloc and its kin through the __wrap_ functions here (faults.link). */
#include "support/laws.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* --- the allocator that fails */

static size_t allocations, failing; /* `failing` counts down to the allocation that fails; 0: none */
static ptrdiff_t living;

static bool fails(void)
{
    allocations++;
    return failing > 0 && --failing == 0;
}

static void *counted(void *mem)
{
    if (mem != NULL) living++;
    return mem;
}

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *mem, size_t bytes);
void *__real_aligned_alloc(size_t align, size_t bytes);
int __real_posix_memalign(void **mem, size_t align, size_t bytes);
char *__real_strdup(const char *text);
void __real_free(void *mem);

void *__wrap_malloc(size_t bytes) { return fails() ? NULL : counted(__real_malloc(bytes)); }
void *__wrap_calloc(size_t n, size_t size) { return fails() ? NULL : counted(__real_calloc(n, size)); }
void *__wrap_aligned_alloc(size_t align, size_t bytes)
{
    return fails() ? NULL : counted(__real_aligned_alloc(align, bytes));
}

void *__wrap_realloc(void *mem, size_t bytes)
{
    if (fails()) return NULL;
    void *const grown = __real_realloc(mem, bytes);
    if (mem == NULL && grown != NULL) living++;
    return grown;
}

int __wrap_posix_memalign(void **mem, size_t align, size_t bytes)
{
    if (fails()) return 12; /* ENOMEM */
    const int error = __real_posix_memalign(mem, align, bytes);
    if (error == 0) living++;
    return error;
}

char *__wrap_strdup(const char *text) { return fails() ? NULL : counted(__real_strdup(text)); }

void __wrap_free(void *mem)
{
    if (mem != NULL) living--;
    __real_free(mem);
}

/* --- one call of each kind */

enum { N = 100003, MANY = 1500007, SEGMENTS = 1000, ROWS = 313, COLS = 307 };

OPLUS_PREDICATE(odd, uint32_t, { return a & 1; })
OPLUS_MAP(twice, uint32_t, uint32_t, { return 2 * a; })
OPLUS_ZIP(rise, uint32_t, uint32_t, uint32_t, { return b - a; })
OPLUS_STRUCT(wide, char bytes[40];)
OPLUS_ZIP(smaller, uint8_t, uint32_t, uint32_t, { return a < b; })

static uint32_t *x, *keys, *out; /* x is input only; MANY keys are sorted in place */
static wide *values;
static uint8_t *heads;
static uint64_t offsets[SEGMENTS + 1];
static size_t kept;
static oplus_carry *carry;

static oplus_status reduce(oplus_device *d) { return oplus_reduce(d, &oplus_sum_f32, x, N, out); }
static oplus_status reduce_exact(oplus_device *d) { return oplus_reduce(d, &oplus_sum_u32, x, N, out); }
static oplus_status fold(oplus_device *d) { return oplus_fold(d, &oplus_max_u32, x, x, N, out); }
static oplus_status scan(oplus_device *d) { return oplus_scan(d, &oplus_sum_f32, OPLUS_EXCLUSIVE, x, N, out); }
static oplus_status scan_exact(oplus_device *d) { return oplus_scan(d, &oplus_sum_u32, OPLUS_INCLUSIVE, x, N, out); }
static oplus_status scan_bare(oplus_device *d)
{
    return oplus_scan(d, subject_named("bare")->op, OPLUS_INCLUSIVE, x, N / 2, out);
}
static oplus_status scan_struct(oplus_device *d)
{
    return oplus_scan(d, subject_named("compose32")->op, OPLUS_INCLUSIVE, x, N / 2, out);
}
static oplus_status scan_huge(oplus_device *d)
{
    return oplus_scan(d, subject_named("join5000")->op, OPLUS_INCLUSIVE, x, 4 * (size_t)N / 5000, out);
}
static oplus_status segscan(oplus_device *d)
{
    return oplus_segscan(d, &oplus_sum_f32, OPLUS_INCLUSIVE, x, heads, N, out);
}
static oplus_status segreduce(oplus_device *d)
{
    return oplus_segreduce(d, &oplus_sum_f32, x, N, &oplus_u64, offsets, SEGMENTS, out);
}
static oplus_status reduce_axis(oplus_device *d) { return oplus_reduce_axis(d, &oplus_sum_f32, x, 7, 300, 40, out); }
static oplus_status reduce_long(oplus_device *d)
{
    return oplus_reduce_axis(d, &oplus_sum_f32, keys, 1, MANY / 3, 3, out);
}
static oplus_status argmin_axis(oplus_device *d)
{
    return oplus_argmin_axis(d, &oplus_u32, keys, 1, MANY / 3, 3, &oplus_u32, out);
}
static oplus_status reduce_rows(oplus_device *d) { return oplus_reduce_axis(d, &oplus_sum_f32, x, 1000, 100, 1, out); }
static oplus_status scan_axis(oplus_device *d)
{
    return oplus_scan_axis(d, &oplus_sum_f32, OPLUS_INCLUSIVE, x, 7, 300, 40, out);
}
static oplus_status scan_rows(oplus_device *d)
{
    return oplus_scan_axis(d, &oplus_sum_f32, OPLUS_EXCLUSIVE, x, 1000, 100, 1, out);
}
static oplus_status iota(oplus_device *d) { return oplus_iota(d, &oplus_f32, NULL, NULL, 0, N, out); }
static oplus_status neighbours(oplus_device *d)
{
    return oplus_map_neighbours(d, &rise_fn, OPLUS_EDGE_WRAP, NULL, x, N, out);
}
static oplus_status window(oplus_device *d) { return oplus_window(d, &oplus_sum_f32, x, N, 100, out); }
static oplus_status long_window(oplus_device *d) { return oplus_window(d, &oplus_sum_f32, x, N, 20000, out); }
static oplus_status scan_reverse(oplus_device *d)
{
    return oplus_scan_reverse(d, &oplus_sum_f32, OPLUS_EXCLUSIVE, x, N, out);
}
static oplus_status map(oplus_device *d) { return oplus_map(d, &twice_fn, (const void *const[]){x}, N, out); }
static oplus_status filter(oplus_device *d) { return oplus_filter(d, &odd_fn, x, N, out, &kept); }
static oplus_status partition(oplus_device *d) { return oplus_partition(d, &odd_fn, x, N, out, values, &kept); }
static oplus_status unique(oplus_device *d)
{
    return oplus_unique(d, &oplus_u32, NULL, x, N, out, &oplus_u32, values, NULL, NULL, &kept);
}
static oplus_status reduce_by_key(oplus_device *d)
{
    return oplus_reduce_by_key(d, &oplus_sum_f32, &oplus_u8, NULL, heads, x, N, NULL, out, &kept);
}
static oplus_status scan_by_key(oplus_device *d)
{
    return oplus_scan_by_key(d, &oplus_sum_f32, OPLUS_INCLUSIVE, &oplus_u8, NULL, heads, x, N, out);
}
static oplus_status group(oplus_device *d)
{
    return oplus_group(d, &oplus_sum_f32, &oplus_u8, OPLUS_ASCENDING, heads, x, N, NULL, out, &kept);
}
static oplus_status mask(oplus_device *d)
{
    return oplus_filter_mask(d, &oplus_u32, OPLUS_MASK_BYTES, x, heads, N, out, &kept);
}
static oplus_status sort(oplus_device *d) { return oplus_sort(d, &oplus_u32, OPLUS_ASCENDING, keys, N); }
static oplus_status sort_many(oplus_device *d) { return oplus_sort(d, &oplus_u32, OPLUS_DESCENDING, keys, MANY); }
static oplus_status sort_pairs(oplus_device *d)
{
    return oplus_sort_pairs(d, &oplus_f32, OPLUS_DESCENDING, keys, &oplus_u32, values, N);
}
static oplus_status sort_wide(oplus_device *d)
{
    return oplus_sort_pairs(d, &oplus_i16, OPLUS_ASCENDING, keys, &wide_type, values, N);
}
static oplus_status sort_bits(oplus_device *d)
{
    return oplus_sort_bits(d, &oplus_u32, OPLUS_DESCENDING, 3, 20, keys, MANY);
}
static oplus_status sort_pairs_bits(oplus_device *d)
{
    return oplus_sort_pairs_bits(d, &oplus_u32, OPLUS_ASCENDING, 3, 20, keys, &wide_type, values, N);
}
static const oplus_sort_member halves[] = {{0, &oplus_u16, OPLUS_ASCENDING}, {2, &oplus_i16, OPLUS_DESCENDING}};
static const oplus_sort_member wide_members[] = {{0, &oplus_u64, OPLUS_ASCENDING}, {4, &oplus_f32, OPLUS_DESCENDING}};
static oplus_status sort_members(oplus_device *d) { return oplus_sort_members(d, &oplus_u32, halves, 2, keys, N); }
static oplus_status sort_members_twice(oplus_device *d)
{
    return oplus_sort_members(d, &oplus_u64, wide_members, 2, keys, N / 2);
}
static oplus_status argsort_members(oplus_device *d)
{
    return oplus_argsort_members(d, &oplus_u64, wide_members, 2, x, N / 2, &oplus_u32, out);
}
static oplus_status argsort(oplus_device *d)
{
    return oplus_argsort(d, &oplus_f32, OPLUS_ASCENDING, x, N, &oplus_u32, out);
}
static oplus_status argsort_keys(oplus_device *d)
{
    static const oplus_type *const types[] = {&oplus_u8, &oplus_f32};
    static const oplus_order orders[] = {OPLUS_DESCENDING, OPLUS_ASCENDING};
    const void *const both[] = {x, x};
    return oplus_argsort_keys(d, types, orders, both, 2, N, &oplus_u32, out);
}
static oplus_status top(oplus_device *d)
{
    return oplus_top(d, &oplus_f32, OPLUS_ASCENDING, x, N, N / 100, out, &oplus_u32, (uint32_t *)out + N / 100);
}
static oplus_status top_most(oplus_device *d)
{
    return oplus_top(d, &oplus_f32, OPLUS_DESCENDING, x, N, N / 2, NULL, &oplus_u32, out);
}
static oplus_status nth(oplus_device *d) { return oplus_nth(d, &oplus_f32, OPLUS_ASCENDING, x, N, N / 2, out); }
static oplus_status nth_of_few(oplus_device *d) { return oplus_nth(d, &oplus_f32, OPLUS_ASCENDING, x, 99, 9, out); }
static oplus_status sort_by(oplus_device *d) { return oplus_sort_by(d, &smaller_fn, keys, MANY / 10); }
static oplus_status argsort_by(oplus_device *d) { return oplus_argsort_by(d, &smaller_fn, x, N, &oplus_u32, out); }
static oplus_status segsort(oplus_device *d)
{
    return oplus_segsort(d, &oplus_u32, OPLUS_ASCENDING, keys, N, &oplus_u64, offsets, SEGMENTS);
}
static oplus_status segsort_pairs(oplus_device *d)
{
    return oplus_segsort_pairs(d, &oplus_u32, OPLUS_ASCENDING, keys, &wide_type, values, N, &oplus_u64, offsets,
                               SEGMENTS);
}
/* Short segments, and `large` long ones of 300 elements each. */
static oplus_status segsort_mixed(oplus_device *d, size_t large, bool pairs)
{
    static uint64_t own[SEGMENTS + 1];
    for (size_t s = 0; s < SEGMENTS; s++) own[s + 1] = own[s] + (s % 50 == 0 && s / 50 < large ? 300 : 70);
    return pairs ? oplus_segsort_pairs(d, &oplus_u32, OPLUS_ASCENDING, keys, &oplus_u32, values, N, &oplus_u64, own,
                                       SEGMENTS)
                 : oplus_segsort(d, &oplus_u32, OPLUS_ASCENDING, keys, N, &oplus_u64, own, SEGMENTS);
}
static oplus_status segsort_few(oplus_device *d) { return segsort_mixed(d, 2, false); }
static oplus_status segsort_many(oplus_device *d) { return segsort_mixed(d, 20, false); }
static oplus_status segsort_many_pairs(oplus_device *d) { return segsort_mixed(d, 20, true); }
static oplus_status bounds(oplus_device *d)
{
    return oplus_search(d, &oplus_f32, OPLUS_ASCENDING, x, N, OPLUS_LOWER, x, N, &oplus_u32, out);
}
static oplus_status merge_many(oplus_device *d)
{
    const void *const in[] = {x, x, x};
    const size_t n[] = {N / 4, N / 4, N / 4};
    return oplus_merge_many(d, &oplus_f32, OPLUS_ASCENDING, in, n, 3, out);
}
static oplus_status merge_many_pairs(oplus_device *d)
{
    const void *const in[] = {x, x, x, x, x}, *const moved[] = {heads, heads, heads, heads, heads};
    const size_t n[] = {N / 8, N / 8, N / 8, N / 8, N / 8};
    return oplus_merge_many_pairs(d, &oplus_f32, OPLUS_ASCENDING, in, out, &oplus_u8, moved, out + N * 3 / 4, n, 5);
}
static oplus_status merge_many_by(oplus_device *d)
{
    const void *const in[] = {x, x, x};
    const size_t n[] = {N / 4, N / 4, N / 4};
    return oplus_merge_many_by(d, &smaller_fn, in, n, 3, out);
}
static oplus_status merge_pairs(oplus_device *d)
{
    return oplus_merge_pairs(d, &oplus_f32, OPLUS_ASCENDING, x, x, out, &oplus_u8, heads, heads, out + N / 2, N / 4,
                             N / 4);
}
static oplus_status transpose(oplus_device *d) { return oplus_transpose(d, &oplus_u32, x, ROWS, COLS, out); }
static oplus_status transpose_odd(oplus_device *d) { return oplus_transpose(d, &small3_type, x, ROWS, COLS, out); }
static oplus_status transpose_square(oplus_device *d) { return oplus_transpose(d, &oplus_u32, keys, COLS, COLS, keys); }
static oplus_status variance(oplus_device *d) { return oplus_variance(d, &oplus_f32, 1, x, N, (double *)(void *)out); }
static oplus_status take(oplus_device *d)
{
    return oplus_take(d, &oplus_u32, OPLUS_CLIP, x, N, &oplus_u32, keys, N, out);
}
static oplus_status put(oplus_device *d)
{
    return oplus_put(d, &oplus_u32, OPLUS_CLIP, x, &oplus_u32, keys, N, out, N);
}
static oplus_status repeat(oplus_device *d)
{
    static uint64_t counts[SEGMENTS];
    size_t total;
    for (size_t s = 0; s < SEGMENTS; s++) counts[s] = N / SEGMENTS;
    return oplus_repeat(d, &oplus_u32, x, SEGMENTS, &oplus_u64, counts, out, N, &total);
}
static oplus_status count_by_index(oplus_device *d)
{
    return oplus_count_by_index(d, OPLUS_CLIP, &oplus_u32, keys, N, &oplus_u32, out, N / 4);
}
static oplus_status histogram_edges(oplus_device *d)
{
    static const uint32_t edges[] = {0, 10, 1 << 20};
    return oplus_histogram_edges(d, &oplus_u32, x, N, edges, &oplus_u64, out, 2);
}
static oplus_status reduce_by_index(oplus_device *d)
{
    return oplus_reduce_by_index(d, &oplus_sum_f32, OPLUS_CLIP, x, &oplus_u32, keys, N, out, 100);
}
static oplus_status op_check(oplus_device *d) { return oplus_op_check(d, &oplus_sum_f32, x, 50); }
static oplus_status carry_add(oplus_device *d) { return oplus_carry_add(d, carry, x, N); }
static oplus_status scan_from(oplus_device *d) { return oplus_scan_from(d, carry, OPLUS_INCLUSIVE, x, N, out); }
static oplus_status carry_value(oplus_device *d)
{
    (void)d;
    return oplus_carry_value(carry, out);
}
static oplus_status carry_open_and_join(oplus_device *d)
{
    oplus_carry *right = NULL;
    const oplus_status status = oplus_carry_open(&oplus_sum_f32, 0, &right);
    (void)d;
    if (status != OPLUS_OK) return status;
    oplus_carry *left = NULL;
    oplus_status joined = oplus_carry_open(&oplus_sum_f32, 0, &left);
    if (joined == OPLUS_OK) joined = oplus_carry_join(left, right);
    oplus_carry_close(left);
    oplus_carry_close(right);
    return joined;
}
static oplus_status alloc_and_free(oplus_device *d)
{
    void *mem;
    const oplus_status status = oplus_alloc(d, 1000, &mem);
    if (status == OPLUS_OK) oplus_free(d, mem);
    return status;
}
static oplus_status open_and_close(oplus_device *d)
{
    oplus_device *other;
    const oplus_status status = oplus_open("threads:3", &other);
    (void)d;
    if (status == OPLUS_OK) oplus_close(other);
    return status;
}

typedef struct call {
    const char *name;
    oplus_status (*run)(oplus_device *d);
    bool allocates; /* its nature is to allocate, each time */
} call;

static const call calls[] = {
    {"reduce", reduce, false},
    {"reduce of an exact operator", reduce_exact, false},
    {"fold", fold, false},
    {"scan", scan, false},
    {"scan by an exact operator", scan_exact, false},
    {"scan by combine alone", scan_bare, false},
    {"scan of structs", scan_struct, false},
    {"scan of huge structs", scan_huge, false},
    {"segscan", segscan, false},
    {"segreduce", segreduce, false},
    {"variance", variance, false},
    {"reduce along an axis", reduce_axis, false},
    {"reduce of long columns", reduce_long, false},
    {"argmin of long columns", argmin_axis, false},
    {"reduce of rows", reduce_rows, false},
    {"scan along an axis", scan_axis, false},
    {"scan of rows", scan_rows, false},
    {"iota", iota, false},
    {"neighbours", neighbours, false},
    {"window", window, false},
    {"long window", long_window, false},
    {"scan from the end", scan_reverse, false},
    {"map", map, false},
    {"filter", filter, false},
    {"partition", partition, false},
    {"filter by a mask", mask, false},
    {"unique", unique, false},
    {"reduce_by_key", reduce_by_key, false},
    {"scan_by_key", scan_by_key, false},
    {"group", group, false},
    {"sort", sort, false},
    {"sort of more than a cache holds", sort_many, false},
    {"sort_pairs", sort_pairs, false},
    {"sort_pairs of wide values", sort_wide, false},
    {"sort by bits of more than a cache holds", sort_bits, false},
    {"sort_pairs by bits", sort_pairs_bits, false},
    {"sort by members", sort_members, true},
    {"sort by more members than a number holds", sort_members_twice, true},
    {"argsort by members", argsort_members, true},
    {"argsort", argsort, false},
    {"argsort by two keys", argsort_keys, true},
    {"top", top, false},
    {"top of most", top_most, false},
    {"nth", nth, false},
    {"nth of few", nth_of_few, false},
    {"sort_by", sort_by, false},
    {"argsort_by", argsort_by, false},
    {"segsort", segsort, false},
    {"segsort_pairs of wide values", segsort_pairs, false},
    {"segsort of two long segments", segsort_few, false},
    {"segsort of many long segments", segsort_many, false},
    {"segsort_pairs of many long segments", segsort_many_pairs, false},
    {"bounds", bounds, false},
    {"merge_many", merge_many, true},
    {"merge_many_pairs", merge_many_pairs, true},
    {"merge_many_by", merge_many_by, true},
    {"merge_pairs", merge_pairs, false},
    {"transpose", transpose, false},
    {"transpose of 3 bytes", transpose_odd, false},
    {"transpose in place", transpose_square, false},
    {"take", take, false},
    {"put", put, false},
    {"repeat", repeat, false},
    {"count_by_index", count_by_index, false},
    {"histogram_edges", histogram_edges, true},
    {"reduce_by_index", reduce_by_index, false},
    {"op_check", op_check, true},
    {"carry_add", carry_add, false},
    {"scan_from", scan_from, false},
    {"carry_value", carry_value, false},
    {"carry_open, carry_join", carry_open_and_join, true},
    {"alloc", alloc_and_free, true},
    {"open", open_and_close, true},
};
enum { CALLS = sizeof calls / sizeof *calls };

/* --- what a call reads */

static void open_carry(oplus_device *d)
{
    assert_int_equal(oplus_carry_open(&oplus_sum_f32, 3, &carry), OPLUS_OK);
    assert_int_equal(oplus_carry_add(d, carry, x, 1), OPLUS_OK);
}

static void fill(void)
{
    rng r = test_rng("faults");
    for (size_t i = 0; i < N; i++) {
        const float f = (float)rng_unit(&r);
        memcpy(&x[i], &f, sizeof f);
        heads[i] = rng_below(&r, 100) == 0;
        for (size_t k = 0; k < sizeof *values; k++) values[i].bytes[k] = (char)(i >> (k % 4 * 8));
    }
    for (size_t i = 0; i < MANY; i++) keys[i] = (uint32_t)rng_next(&r);
    for (size_t s = 0; s <= SEGMENTS; s++) offsets[s] = s * (N / SEGMENTS);
}

static uint64_t hash_of(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *const b = bytes;
    size_t k = 0;
    for (uint64_t word; k + sizeof word <= size; k += sizeof word) {
        memcpy(&word, b + k, sizeof word);
        hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    for (; k < size; k++) hash = (hash ^ b[k]) * UINT64_C(0x9e3779b97f4a7c15);
    return hash;
}

/* Inputs, what is sorted in place, and the carry. */
static uint64_t inputs(void)
{
    uint64_t hash = 1;
    float sum;
    assert_int_equal(oplus_carry_value(carry, &sum), OPLUS_OK);
    hash = hash_of(hash, &sum, sizeof sum);
    hash = hash_of(hash, x, N * sizeof *x);
    hash = hash_of(hash, keys, MANY * sizeof *keys);
    hash = hash_of(hash, values, N * sizeof *values);
    hash = hash_of(hash, heads, N);
    return hash_of(hash, offsets, sizeof offsets);
}

/* --- the laws */

static const char *const devices[] = {"serial", "threads:2", "threads:5"};

static void every_allocation_fails_once(void **state)
{
    const call *const c = *state;
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
        bool failed = true;
        for (size_t k = 1; failed; k++) {
            const ptrdiff_t before = living;
            oplus_device *d = open_at(devices[i], NULL);
            fill();
            open_carry(d);
            assert_int_equal(oplus_trim(d), OPLUS_OK);
            const uint64_t intact = inputs();

            /* --- 1. the k-th allocation fails --- */
            allocations = 0;
            failing = k;
            const oplus_status status = c->run(d);
            failed = failing == 0;
            failing = 0;
            if (failed && status != OPLUS_ERR_MEMORY)
                fail_msg("%s on %s: allocation %zu failed, but the status is %s", c->name, devices[i], k,
                         oplus_status_string(status));
            if (failed && strstr(oplus_last_error(), "memory") == NULL)
                fail_msg("%s on %s: allocation %zu failed, and the message is \"%s\"", c->name, devices[i], k,
                         oplus_last_error());
            if (!failed && status != OPLUS_OK) fail_msg("%s on %s: %s", c->name, devices[i], oplus_last_error());
            if (failed && inputs() != intact)
                fail_msg("%s on %s: allocation %zu failed, and an input was changed", c->name, devices[i], k);

            /* --- 2. the device is fine, and nothing is lost --- */
            if (c->run(d) != OPLUS_OK)
                fail_msg("%s on %s, after allocation %zu had failed: %s", c->name, devices[i], k, oplus_last_error());
            oplus_carry_close(carry);
            oplus_close(d);
            if (living != before)
                fail_msg("%s on %s: allocation %zu failed, and %td blocks leaked", c->name, devices[i], k,
                         living - before);
            assert_true(k < 50);
        }
    }
}

static void steady_state_allocates_nothing(void **state)
{
    const call *const c = *state;
    if (c->allocates) skip();
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
        oplus_device *d = open_at(devices[i], NULL);
        fill();
        open_carry(d);
        for (int warm = 0; warm < 4; warm++) { /* a stream's pieces begin at other places of a block each time */
            fill();                            /* and the arrays to sort might be sorted in another way */
            assert_int_equal(c->run(d), OPLUS_OK);
        }
        fill();
        allocations = 0;
        assert_int_equal(c->run(d), OPLUS_OK);
        if (allocations != 0) fail_msg("%s on %s still allocates %zu times", c->name, devices[i], allocations);
        oplus_carry_close(carry);
        oplus_close(d);
    }
}

int main(void)
{
    static struct CMUnitTest failures[CALLS], steady[CALLS];
    static char names[2][CALLS][80];
    for (int i = 0; i < CALLS; i++) {
        snprintf(names[0][i], sizeof names[0][i], "%s: every allocation fails once", calls[i].name);
        snprintf(names[1][i], sizeof names[1][i], "%s: a steady state allocates nothing", calls[i].name);
        failures[i] = (struct CMUnitTest){names[0][i], every_allocation_fails_once, NULL, NULL, (void *)&calls[i]};
        steady[i] = (struct CMUnitTest){names[1][i], steady_state_allocates_nothing, NULL, NULL, (void *)&calls[i]};
    }
    x = must(opi_alloc(N * sizeof *x));
    keys = must(opi_alloc(MANY * sizeof *keys));
    out = must(opi_alloc(N * sizeof *out));
    values = must(opi_alloc(N * sizeof *values));
    heads = must(opi_alloc(N));
    test_seed();
    const int failed = cmocka_run_group_tests_name("failures", failures, NULL, NULL) +
                       cmocka_run_group_tests_name("steady state", steady, NULL, NULL);
    opi_free(x);
    opi_free(keys);
    opi_free(out);
    opi_free(values);
    opi_free(heads);
    return failed;
}
