/* Keys alone, sorted by vectors: the leaves of every instruction set against a sort of ranks digit by digit; at every
 * small size, around every threshold, in the caller's memory and from records; and nothing else is written. */
#include "support/laws.h"

#include "cores/sort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const oplus_type *const key_types[] = {&oplus_u32, &oplus_i32, &oplus_f32, &oplus_u64, &oplus_i64, &oplus_f64};
enum { KEY_TYPES = sizeof key_types / sizeof *key_types, MARGIN = 256, GUARD = 0xa5 };

/* --- keys ---------------------------------------------------------------------------------------------------------- */

typedef enum shape {
    RANDOM,
    EQUAL,
    SORTED,
    REVERSED,
    NEARLY_SORTED,
    ORGAN_PIPE,
    FEW,
    TWO,
    MOSTLY_ONE,
    POWER_LAW,
    EDGES,
    SHAPES
} shape;
static const char *const shape_name[] = {"random", "equal", "sorted",     "reversed",  "nearly sorted", "organ pipe",
                                         "few",    "two",   "mostly one", "power law", "edges"};

/* The least and the greatest key, zeros of both signs, infinities, NaNs of both signs. */
static uint64_t edge(rng *r, const oplus_type *t)
{
    static const uint32_t f32[] = {0,          0x80000000, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000,
                                   0x7f800001, 0xffffffff, 0x7fffffff, 1,          0x80000001, 0x3f800000};
    const uint64_t top = UINT64_C(1) << (8 * t->size - 1), integer[] = {0, 1, top, top - 1, top + 1, UINT64_MAX};
    const uint64_t bits = f32[rng_below(r, sizeof f32 / sizeof *f32)];
    if (t->scalar == OPLUS_F32) return bits;
    return t->scalar == OPLUS_F64 ? bits << 32 : integer[rng_below(r, 6)];
}

static uint64_t key_bits(rng *r, const oplus_type *t, shape s, size_t i, size_t n)
{
    switch (s) {
    case EQUAL:
        return 42;
    case SORTED:
        return i / 2;
    case REVERSED:
        return (n - i) / 2;
    case NEARLY_SORTED:
        return rng_below(r, 50) == 0 ? rng_next(r) % (n + 1) : i;
    case ORGAN_PIPE:
        return i < n / 2 ? i : n - i;
    case FEW:
        return (rng_next(r) & 15) * UINT64_C(0x9e3779b97f4a7c15);
    case TWO:
        return rng_next(r) & 1 ? UINT64_MAX : 0;
    case MOSTLY_ONE:
        return rng_below(r, 20) == 0 ? rng_next(r) : 77;
    case POWER_LAW:
        return rng_next(r) >> rng_next(r) % (8 * t->size);
    case EDGES:
        return edge(r, t);
    default:
        return rng_next(r);
    }
}

static void fill(rng *r, const oplus_type *t, shape s, size_t n, unsigned char *keys)
{
    for (size_t i = 0; i < n; i++) {
        const uint64_t bits = key_bits(r, t, s, i, n);
        memcpy(keys + i * t->size, &bits, t->size); /* little-endian */
    }
}

/* --- the reference ------------------------------------------------------------------------------------------------- */

/* The order by definition: unsigned numbers of the key's size that compare as the keys do. */
static uint64_t rank_of(const oplus_type *t, oplus_order order, const unsigned char *key)
{
    const uint64_t sign = UINT64_C(1) << (8 * t->size - 1), all = sign | (sign - 1);
    uint64_t bits = 0;
    memcpy(&bits, key, t->size);
    if (t->scalar == OPLUS_F32 || t->scalar == OPLUS_F64)
        bits = bits & sign ? ~bits & all : bits | sign;
    else if (t->scalar == OPLUS_I32 || t->scalar == OPLUS_I64)
        bits ^= sign;
    return order == OPLUS_DESCENDING ? ~bits & all : bits;
}

static void sort_by_rank(const oplus_type *t, oplus_order order, unsigned char *keys, unsigned char *other, size_t n)
{
    for (unsigned shift = 0; shift < 8 * t->size; shift += 8) {
        size_t place[256] = {0}, sum = 0;
        for (size_t i = 0; i < n; i++) place[rank_of(t, order, keys + i * t->size) >> shift & 255]++;
        for (size_t d = 0; d < 256; d++) {
            const size_t own = place[d];
            place[d] = sum;
            sum += own;
        }
        for (size_t i = 0; i < n; i++)
            memcpy(other + place[rank_of(t, order, keys + i * t->size) >> shift & 255]++ * t->size, keys + i * t->size,
                   t->size);
        memcpy(keys, other, n * t->size);
    }
}

/* --- one comparison ------------------------------------------------------------------------------------------------ */

typedef struct rooms {
    unsigned char *keys, *want, *records, *other;
    size_t bytes;
} rooms;

static rooms open_rooms(size_t n)
{
    const size_t bytes = n * 8 + 2 * MARGIN;
    return (rooms){must(malloc(bytes)), must(malloc(bytes)), must(malloc(bytes)), must(malloc(bytes)), bytes};
}

static void close_rooms(rooms *r) { free(r->keys), free(r->want), free(r->records), free(r->other); }

static bool kept(const unsigned char *mem, size_t bytes)
{
    for (size_t i = 0; i < MARGIN; i++)
        if (mem[i] != GUARD || mem[MARGIN + bytes + i] != GUARD) return false;
    return true;
}

/* from_records: the keys come as records, and the caller's memory is only written. */
static void check(const opi_isa *isa, const oplus_type *t, oplus_order order, shape s, size_t n, bool from_records,
                  unsigned splits, rooms *m)
{
    const size_t bytes = n * t->size;
    rng r = {n * 131 + (uint64_t)s * 7 + (uint64_t)order};
    memset(m->keys, GUARD, bytes + 2 * MARGIN);
    memset(m->records, GUARD, bytes + 2 * MARGIN);
    memset(m->other, GUARD, bytes + 2 * MARGIN);
    fill(&r, t, s, n, m->want);
    if (!from_records) memcpy(m->keys + MARGIN, m->want, bytes);
    opi_sort sort = opi_sort_plan(isa, t, order, m->keys + MARGIN, NULL, NULL, n);
    assert_true(sort.by_vectors);
    sort.splits = splits;
    sort.records[0] = m->records + MARGIN;
    for (size_t i = 0; from_records && i < n; i++) {
        const uint64_t rank = rank_of(t, order, m->want + i * t->size);
        memcpy(m->records + MARGIN + i * t->size, &rank, t->size);
    }
    sort_by_rank(t, order, m->want, m->other + MARGIN, n);
    memset(m->other, GUARD, bytes + 2 * MARGIN);
    const opi_sort_place place = from_records ? OPI_SORT_RECORDS_0 : OPI_SORT_CALLER;
    sort.bucket(&sort, (opi_sort_range){.end = n, .place = place}, m->other + MARGIN, NULL);

    size_t i = 0;
    while (i < n && memcmp(m->keys + MARGIN + i * t->size, m->want + i * t->size, t->size) == 0) i++;
    const char *const wrong = i < n                      ? "the keys"
                              : !kept(m->keys, bytes)    ? "what is beside the caller's keys"
                              : !kept(m->records, bytes) ? "what is beside the records"
                              : !kept(m->other, bytes)   ? "what is beside the scratch memory"
                                                         : NULL;
    if (wrong)
        fail_msg("%s: %s, order %d, %s, n = %zu, from %s, %u splits: %s differ (%zu)", isa->name, t->name, (int)order,
                 shape_name[s], n, from_records ? "records" : "the caller", splits, wrong, i);
}

/* Every type, order and shape. */
static void check_all(const opi_isa *isa, size_t n, unsigned splits, rooms *m)
{
    for (int t = 0; t < KEY_TYPES; t++)
        for (int s = 0; s < SHAPES; s++)
            for (int order = 0; order < 2; order++)
                check(isa, key_types[t], (oplus_order)order, (shape)s, n, ((size_t)(t + s + order) + n) % 2 != 0,
                      splits, m);
}

static int instruction_sets(const opi_isa **list)
{
    const opi_isa *all[4];
    const int count = opi_isa_list(all);
    int with_vectors = 0;
    for (int i = 0; i < count; i++)
        if (all[i]->sort[OPI_SORT_U32].by_vectors) list[with_vectors++] = all[i];
    if (with_vectors == 0) print_message("no instruction set of this processor sorts by vectors\n");
    return with_vectors;
}

/* --- the tests ----------------------------------------------------------------------------------------------------- */

/* Every network, full and with lanes to spare, and the first sizes that are split. */
static void sorts_every_small_size(void **state)
{
    (void)state;
    const opi_isa *isa[4];
    const int isas = instruction_sets(isa);
    rooms m = open_rooms(600);
    for (int i = 0; i < isas; i++)
        for (size_t n = 1; n <= 600; n += test_quick() && n > 70 ? 7 : 1) check_all(isa[i], n, 2, &m);
    close_rooms(&m);
}

/* Checks each of `count` sizes, in rising order, on each instruction set; splits: as in check_all. */
static void check_sizes(const size_t *sizes, size_t count, unsigned splits)
{
    const opi_isa *isa[4];
    const int isas = instruction_sets(isa);
    rooms m = open_rooms(sizes[count - 1]);
    for (int i = 0; i < isas; i++)
        for (size_t k = 0; k < count; k++) check_all(isa[i], sizes[k], splits, &m);
    close_rooms(&m);
}

/* Around more samples for a pivot, and parts of parts. */
static void sorts_parts_of_parts(void **state)
{
    static const size_t sizes[] = {1023, 1024, 1025, 2047, 2048, 2049, 4095, 4096, 5000, 16384, 40001, 65537};
    (void)state;
    check_sizes(sizes, sizeof sizes / sizeof *sizes, 2);
}

/* If every sampled pivot was bad, the range of the keys is halved instead. */
static void halves_the_range(void **state)
{
    static const size_t sizes[] = {65, 129, 257, 300, 1000, 5000};
    (void)state;
    check_sizes(sizes, sizeof sizes / sizeof *sizes, 0);
}

/* A network that sorts zeros and ones sorts everything: all columns of 16 rows of 8 keys, or of 16. */
static void sorts_zeros_and_ones(void **state)
{
    (void)state;
    const opi_isa *isa[4];
    const int isas = instruction_sets(isa);
    for (int i = 0; i < isas; i++)
        for (size_t lanes = 8; lanes <= 16; lanes += 8)
            for (unsigned bits = 0; bits < 1u << 16; bits += test_quick() ? 5 : 1) {
                uint32_t keys[256], other[256];
                const size_t n = 16 * lanes, ones = lanes * (size_t)__builtin_popcount(bits);
                for (size_t k = 0; k < n; k++) keys[k] = bits >> (k / lanes) & 1;
                const opi_sort sort = opi_sort_plan(isa[i], &oplus_u32, OPLUS_ASCENDING, keys, NULL, NULL, n);
                sort.bucket(&sort, (opi_sort_range){.end = n, .place = OPI_SORT_CALLER}, other, NULL);
                for (size_t k = 0; k < n; k++)
                    if (keys[k] != (k >= n - ones)) fail_msg("%s: rows %#x are not sorted", isa[i]->name, bits);
            }
}

/* Deals keys that are in order: they must stay where they are, as a smaller key never goes to a later bucket. */
static void check_digit(const opi_isa *isa, const oplus_type *t, oplus_order order, const opi_sort_digit *digit,
                        size_t n, rooms *m)
{
    opi_sort sort = opi_sort_plan(isa, t, order, m->keys, NULL, NULL, n);
    opi_sort_summary total = {.all = UINT64_MAX, .empty = true, .sorted = true};
    sort.format->summarise(&sort, OPI_SORT_CALLER, 0, n, digit, &total);
    size_t position[OPI_SORT_DIGITS], sum = 0;
    for (size_t d = 0; d < OPI_SORT_DIGITS; d++) {
        position[d] = sum;
        sum += total.count[d];
    }
    assert_int_equal(sum, n);
    sort.format->scatter(&sort, OPI_SORT_CALLER, 0, n, digit, m->records, position);
    for (size_t i = 0; i < n; i++) {
        const uint64_t want = rank_of(t, order, m->keys + i * t->size);
        if (memcmp(m->records + i * t->size, &want, t->size) != 0)
            fail_msg(
                "%s: %s, order %d, digit %d at %u of keys from %#llx, largest %#llx: key %zu is dealt out of order",
                isa->name, t->name, (int)order, (int)digit->of, digit->shift, (unsigned long long)digit->base,
                (unsigned long long)digit->largest, i);
    }
}

/* The digits of a partition, those chosen and all others, keep the order: of all edges, denormals and NaNs too. */
static void deals_in_order(void **state)
{
    enum { KEYS = 3000 };
    (void)state;
    const opi_isa *isa[4];
    const int isas = instruction_sets(isa);
    rooms m = open_rooms(KEYS);
    rng r = {7};
    for (int i = 0; i < isas; i++)
        for (int t = 0; t < KEY_TYPES; t++)
            for (int s = 0; s < SHAPES; s++) {
                const oplus_type *const type = key_types[t];
                const oplus_order order = (oplus_order)(s % 2);
                const unsigned bits = 8 * (unsigned)type->size;
                fill(&r, type, (shape)s, KEYS, m.keys);
                sort_by_rank(type, order, m.keys, m.other, KEYS);
                const opi_sort sort = opi_sort_plan(isa[i], type, order, m.keys, NULL, NULL, KEYS);
                const opi_sort_range all = {.end = KEYS, .place = OPI_SORT_CALLER};
                const opi_sort_digit chosen = sort.format->choose_digit(&sort, &all);
                check_digit(isa[i], type, order, &chosen, KEYS, &m);
                const bool is_float = sort.float_mask != 0;
                for (int k = 0; k < 40; k++) {
                    const uint64_t mask = UINT64_MAX >> (64 - bits), largest = k % 4 ? rng_next(&r) : edge(&r, type);
                    const opi_sort_digit digit = {.of = is_float && k % 2 ? OPI_SORT_FLOAT_DISTANCE : OPI_SORT_DISTANCE,
                                                  .shift = (unsigned)rng_below(&r, bits),
                                                  .base = (k % 3 ? rng_next(&r) : 0) & mask,
                                                  .largest = largest & (mask >> 1)};
                    check_digit(isa[i], type, order, &digit, KEYS, &m);
                }
            }
    close_rooms(&m);
}

/* Uniform floats are dealt into even buckets, and so are floats of all exponents alike. */
static void deals_evenly(void **state)
{
    enum { KEYS = 1 << 16 };
    (void)state;
    const opi_isa *isa[4];
    const int isas = instruction_sets(isa);
    rooms m = open_rooms(KEYS);
    for (int i = 0; i < isas; i++)
        for (int all_exponents = 0; all_exponents < 2; all_exponents++) {
            rng r = {11};
            for (size_t k = 0; k < KEYS; k++) {
                const double uniform = (double)(rng_next(&r) >> 11) * 0x1p-52 - 1;
                const float key = (float)(all_exponents ? ldexp(uniform, (int)rng_below(&r, 200) - 100) : uniform);
                memcpy(m.keys + k * sizeof key, &key, sizeof key);
            }
            const opi_sort sort = opi_sort_plan(isa[i], &oplus_f32, OPLUS_ASCENDING, m.keys, NULL, NULL, KEYS);
            const opi_sort_range all = {.end = KEYS, .place = OPI_SORT_CALLER};
            const opi_sort_digit digit = sort.format->choose_digit(&sort, &all);
            opi_sort_summary total = {.all = UINT64_MAX, .empty = true, .sorted = true};
            sort.format->summarise(&sort, OPI_SORT_CALLER, 0, KEYS, &digit, &total);
            assert_int_equal(digit.of, all_exponents ? OPI_SORT_DISTANCE : OPI_SORT_FLOAT_DISTANCE);
            for (size_t d = 0; d < OPI_SORT_DIGITS; d++) assert_true(total.count[d] < KEYS / 32);
        }
    close_rooms(&m);
}

/* Vectors have no words for keys of other sizes, nor for values. */
static void takes_keys_of_words_alone(void **state)
{
    (void)state;
    const opi_isa *isa[4];
    const int isas = instruction_sets(isa);
    char keys[8], values[8];
    for (int i = 0; i < isas; i++) {
        assert_false(opi_sort_plan(isa[i], &oplus_u16, OPLUS_ASCENDING, keys, NULL, NULL, 1).by_vectors);
        assert_false(opi_sort_plan(isa[i], &oplus_i8, OPLUS_ASCENDING, keys, NULL, NULL, 1).by_vectors);
        assert_false(opi_sort_plan(isa[i], &oplus_u32, OPLUS_ASCENDING, keys, &oplus_u8, values, 1).by_vectors);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sorts_every_small_size),
        cmocka_unit_test(sorts_parts_of_parts),
        cmocka_unit_test(halves_the_range),
        cmocka_unit_test(sorts_zeros_and_ones),
        cmocka_unit_test(deals_in_order),
        cmocka_unit_test(deals_evenly),
        cmocka_unit_test(takes_keys_of_words_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
