/* The key at a place of the order, in three ways:
 *
 *   sift     a sample gives two bounds between which the key is, hardly ever not.  The keys are read once: those below are
 *            counted, the few between are kept, and searched in their turn
 *   sort     of a copy, where there are few keys
 *   digits   where keys have one byte, or a sample has misled: from the highest digit on, the keys that begin as the one
 *            that is looked for are counted by their next digit */
#include "cores/nth.h"

#include "base/error.h"
#include "cores/merge.h"
#include "cores/sort_passes.h"
#include "cores/ways.h"
#include "task/explain.h"
#include "task/make.h"

#include <stdatomic.h>
#include <string.h>

enum {
    PIECE = 2048,            /* keys between the bounds that a thread has before it keeps them */
    BLOCK_BYTES = 256 << 10, /* of keys */
    LEAST_SIFTED = 1 << 12,  /* keys; fewer are sorted as fast */
    MOST_SAMPLES = 1 << 16,
    DEVIATIONS =
        4, /* so many standard deviations a bound is away from where the key is to be expected in the sample, */
    LEAST_AWAY = 4,     /* ... and so many samples more */
    LONGEST_DIGIT = 11, /* bits */
    MOST_BINS = 1 << LONGEST_DIGIT
};

/* What is searched: the array, or keys that a sift has kept, which are mapped already. */
typedef struct search {
    const oplus_type *key;
    oplus_order order;
    opi_key_order mapping;
    const unsigned char *keys;
    size_t n, k;
} search;

static search search_of(const oplus_type *key, oplus_order order, const void *keys, size_t n, size_t k)
{
    return (search){key, order, opi_key_order_of(key, order), keys, n, k};
}

static unsigned log_size_of(const search *s) { return (unsigned)__builtin_ctzll(s->key->size); }

static uint64_t largest_of(const search *s) { return ~UINT64_C(0) >> (64 - 8 * s->key->size); }

/* --- digits ------------------------------------------------------------------------------------------------------- */

typedef struct digit_sweep {
    opi_sweep sweep; /* first: a leaf finds its sweep through it */
    const search *of;
    uint64_t known, bits; /* the digits in front of the key that is looked for, and which bits they are */
    unsigned shift;       /* of the next digit */
    uint64_t mask;        /* ... once shifted */
} digit_sweep;

static size_t bins_of(const digit_sweep *plan) { return (size_t)plan->mask + 1; }

static void clear_counts(const opi_sweep *sweep, size_t at, void *carry)
{
    (void)at;
    memset(carry, 0, bins_of((const digit_sweep *)sweep) * sizeof(uint64_t));
}

static void add_counts(const opi_sweep *sweep, void *left, const void *right)
{
    uint64_t *const sum = left;
    const uint64_t *const counts = right;
    for (size_t b = 0; b < bins_of((const digit_sweep *)sweep); b++) sum[b] += counts[b];
}

#define COUNT(name, T)                                                                                                 \
    static void name(const digit_sweep *plan, size_t begin, size_t end, uint64_t *counts)                              \
    {                                                                                                                  \
        const opi_key_order *const order = &plan->of->mapping;                                                         \
        const T *const keys = (const T *)(const void *)plan->of->keys;                                                 \
        const T mask = (T)order->float_mask, flip = (T)order->flip, known = (T)plan->known, bits = (T)plan->bits;      \
        for (size_t i = begin; i < end; i++) {                                                                         \
            const T negative = (T)(0 - (T)(keys[i] >> (8 * sizeof(T) - 1)));                                           \
            const T key = (T)(keys[i] ^ (negative & mask) ^ flip);                                                     \
            if ((key & bits) == known) counts[(key >> plan->shift) & plan->mask]++;                                    \
        }                                                                                                              \
    }
COUNT(count_8, uint8_t)
COUNT(count_16, uint16_t)
COUNT(count_32, uint32_t)
COUNT(count_64, uint64_t)

static void count(const opi_sweep *sweep, size_t begin, size_t end, void *carry, void *scratch)
{
    static void (*const by_size[])(const digit_sweep *, size_t, size_t, uint64_t *) = {count_8, count_16, count_32,
                                                                                       count_64};
    const digit_sweep *const plan = (const digit_sweep *)sweep;
    (void)scratch;
    by_size[log_size_of(plan->of)](plan, begin, end, carry);
}

static digit_sweep plan_digits(const search *s)
{
    digit_sweep plan = {.of = s};
    opi_sweep_clear(&plan.sweep);
    plan.sweep.n = s->n;
    plan.sweep.block = opi_elements_in(BLOCK_BYTES, s->key->size);
    plan.sweep.bytes = s->n * s->key->size;
    plan.sweep.start = clear_counts;
    plan.sweep.aggregate = count;
    plan.sweep.join = add_counts;
    return plan;
}

/* The next digit, of so many bits. */
static void next_digit(digit_sweep *plan, unsigned digit)
{
    plan->shift -= digit;
    plan->mask = ((uint64_t)1 << digit) - 1;
    plan->sweep.carry_bytes = bins_of(plan) * sizeof(uint64_t);
}

/* The mapped key; counts: MOST_BINS. */
static oplus_status by_digits(opi_cores *cores, const char *call, const search *s, uint64_t *counts, uint64_t *key)
{
    digit_sweep plan = plan_digits(s);
    size_t left = s->k;
    for (plan.shift = 8 * (unsigned)s->key->size; plan.shift > 0;) {
        next_digit(&plan, plan.shift < LONGEST_DIGIT ? plan.shift : LONGEST_DIGIT);
        clear_counts(&plan.sweep, 0, counts);
        OPI_TRY(opi_cores_sweep(cores, call, &plan.sweep, counts));
        uint64_t digit = 0;
        while (left >= counts[digit]) left -= counts[digit++];
        plan.known |= digit << plan.shift;
        plan.bits |= plan.mask << plan.shift;
    }
    *key = plan.known;
    return OPLUS_OK;
}

/* --- sift --------------------------------------------------------------------------------------------------------- */

/* The whole root of x of the second or the third power. */
static size_t root_of(size_t x, int power)
{
    size_t root = 1;
    while ((power == 2 ? (root + 1) : (root + 1) * (root + 1)) <= x / (root + 1)) root++;
    return root;
}

/* More of them leave less between the bounds, and take longer themselves. */
static size_t samples_of(size_t n)
{
    const size_t root = root_of(n, 3);
    return opi_smaller(root * root, MOST_SAMPLES);
}

/* Room for twice as many keys as are expected between the bounds, where they are most. */
static size_t room_of(size_t n)
{
    const size_t samples = samples_of(n), away = DEVIATIONS * (root_of(samples / 4, 2) + 1) + LEAST_AWAY;
    return 2 * (2 * away + 1) * (n / samples + 1);
}

typedef struct sift_sweep {
    opi_sweep sweep; /* first: a leaf finds its sweep through it */
    const search *of;
    const opi_isa *isa;
    uint64_t low, high; /* bounds, mapped */
    unsigned char *kept;
    size_t room;
    atomic_size_t *found; /* how many keys between the bounds; if more than there is room for, they were not kept */
} sift_sweep;

static void see_nothing(const opi_sweep *sweep, size_t at, void *carry)
{
    const sift_sweep *const plan = (const sift_sweep *)sweep;
    (void)at;
    *(opi_bounded *)carry = (opi_bounded){.low = plan->low, .high = plan->high};
}

static void add_seen(const opi_sweep *sweep, void *left, const void *right)
{
    opi_bounded *const sum = left;
    const opi_bounded *const seen = right;
    (void)sweep;
    sum->below += seen->below;
    sum->lows += seen->lows;
    sum->highs += seen->highs;
}

/* Kept keys come in any order. */
static void keep(const sift_sweep *plan, const void *keys, size_t n)
{
    const size_t size = plan->of->key->size;
    const size_t at = n > 0 ? atomic_fetch_add_explicit(plan->found, n, memory_order_relaxed) : plan->room;
    if (at < plan->room && n <= plan->room - at) memcpy(plan->kept + at * size, keys, n * size);
}

static void see(const opi_sweep *sweep, size_t begin, size_t end, void *carry, void *scratch)
{
    const sift_sweep *const plan = (const sift_sweep *)sweep;
    const search *const s = plan->of;
    for (size_t i = begin, n; i < end; i += n) {
        n = opi_smaller(end - i, PIECE);
        keep(plan, scratch,
             plan->isa->between[log_size_of(s)](s->keys + i * s->key->size, n, &s->mapping, carry, scratch));
    }
}

static sift_sweep plan_sift(const opi_isa *isa, const search *s)
{
    const size_t size = s->key->size;
    sift_sweep plan = {.of = s, .isa = isa, .room = room_of(s->n)};
    opi_sweep_clear(&plan.sweep);
    plan.sweep.n = s->n;
    plan.sweep.block = opi_elements_in(BLOCK_BYTES, size);
    plan.sweep.bytes = s->n * size;
    plan.sweep.carry_bytes = sizeof(opi_bounded);
    plan.sweep.scratch_bytes = (PIECE + 1) * size;
    plan.sweep.start = see_nothing;
    plan.sweep.aggregate = see;
    plan.sweep.join = add_seen;
    return plan;
}

/* Sample i: somewhere in its stride. */
static size_t place_of(size_t i, size_t stride)
{
    const uint64_t mixed = ((uint64_t)i + 1) * UINT64_C(0x9e3779b97f4a7c15);
    return i * stride + (size_t)((mixed ^ (mixed >> 29)) % stride);
}

/* Draws samples, sorts them, and takes two as the bounds. */
static oplus_status choose_bounds(opi_cores *cores, const char *call, const search *s, unsigned char *sample,
                                  sift_sweep *plan)
{
    opi_task sort;
    const size_t samples = samples_of(s->n), stride = s->n / samples, size = s->key->size;
    for (size_t i = 0; i < samples; i++) memcpy(sample + i * size, s->keys + place_of(i, stride) * size, size);
    opi_task_sort(&sort, s->key, s->order, sample, NULL, NULL, samples);
    OPI_TRY(opi_sort_run(cores, call, &sort));
    const size_t expected = opi_smaller(s->k / stride, samples - 1);
    const size_t variance = expected * (samples - expected) / samples;
    const size_t away = DEVIATIONS * (root_of(variance + 1, 2) + 1) + LEAST_AWAY;
    plan->low = expected < away ? 0 : opi_key_at(&s->mapping, sample, expected - away);
    plan->high = samples - expected <= away ? largest_of(s) : opi_key_at(&s->mapping, sample, expected + away);
    return OPLUS_OK;
}

/* What a sift has found: the key, or where to search for it. */
typedef enum outcome { IS_LOW, IS_BETWEEN, IS_HIGH, IS_ELSEWHERE } outcome;

/* k becomes the place among the keys between the bounds, if the key is one of them. */
static outcome outcome_of(const sift_sweep *plan, const opi_bounded *seen, size_t *k)
{
    const size_t between = atomic_load(plan->found), highs = plan->low < plan->high ? seen->highs : 0;
    if (*k < seen->below) return IS_ELSEWHERE;
    size_t left = *k - seen->below;
    if (left < seen->lows) return IS_LOW;
    left -= seen->lows;
    if (between <= plan->room && left < between) {
        *k = left;
        return IS_BETWEEN;
    }
    return left >= between && left - between < highs ? IS_HIGH : IS_ELSEWHERE;
}

/* --- memory ------------------------------------------------------------------------------------------------------- */

/* The counts of a digit; samples; then what is kept, or a copy of few keys: in one buffer. */
static size_t place_of_samples(void) { return MOST_BINS * sizeof(uint64_t); }

static bool is_by_digits(const opi_cores *cores, const search *s)
{
    return s->key->size == 1 || opi_way_is_wanted(&cores->wanted, "digits");
}

static bool is_sifted(const opi_cores *cores, const search *s)
{
    return s->n >= LEAST_SIFTED && !is_by_digits(cores, s);
}

static size_t place_of_kept(const opi_cores *cores, const search *s)
{
    const size_t samples = is_sifted(cores, s) ? samples_of(s->n) : 0;
    return place_of_samples() + opi_round_up(samples * s->key->size, OPI_CACHE_LINE);
}

/* What is kept of what is kept lies behind it, and so on. */
static size_t bytes_of(const opi_cores *cores, const search *all)
{
    search s = *all;
    size_t bytes = place_of_kept(cores, all);
    if (is_by_digits(cores, all)) return bytes;
    for (; is_sifted(cores, &s); s.n = room_of(s.n)) bytes += room_of(s.n) * s.key->size;
    return s.n == all->n ? bytes + s.n * s.key->size : bytes;
}

/* --- the ways ----------------------------------------------------------------------------------------------------- */

static const oplus_type *integer_of(size_t size)
{
    return size == 2 ? &oplus_u16 : size == 4 ? &oplus_u32 : &oplus_u64;
}

/* to: the keys themselves, if they are a copy already, or room for one. */
static oplus_status by_sort(opi_cores *cores, const char *call, const search *s, unsigned char *to, uint64_t *key)
{
    opi_task sort;
    if (to != s->keys) memcpy(to, s->keys, s->n * s->key->size);
    opi_task_sort(&sort, s->key, s->order, to, NULL, NULL, s->n);
    OPI_TRY(opi_sort_run(cores, call, &sort));
    *key = opi_key_at(&s->mapping, to, s->k);
    return OPLUS_OK;
}

/* s becomes the search in what is kept, if the key is there; plan: has room for it. */
static oplus_status sift(opi_cores *cores, const char *call, search *s, sift_sweep *plan, uint64_t *key, outcome *is)
{
    opi_bounded seen;
    OPI_TRY(choose_bounds(cores, call, s, (unsigned char *)cores->carry.mem + place_of_samples(), plan));
    see_nothing(&plan->sweep, 0, &seen);
    OPI_TRY(opi_cores_sweep(cores, call, &plan->sweep, &seen));
    *is = outcome_of(plan, &seen, &s->k);
    *key = *is == IS_LOW ? plan->low : plan->high;
    if (*is == IS_BETWEEN)
        *s = search_of(integer_of(s->key->size), OPLUS_ASCENDING, plan->kept, atomic_load(plan->found), s->k);
    return OPLUS_OK;
}

/* Finds the mapped key, in the buffer of so many bytes. */
static oplus_status find(opi_cores *cores, const char *call, search s, size_t bytes, uint64_t *key)
{
    outcome is = IS_BETWEEN;
    unsigned char *const mem = cores->carry.mem, *kept = mem + place_of_kept(cores, &s), *last = kept;
    while (is == IS_BETWEEN && is_sifted(cores, &s)) {
        atomic_size_t found = 0;
        sift_sweep plan = plan_sift(cores->isa, &s);
        plan.found = &found;
        plan.kept = last = kept;
        plan.room = opi_smaller(plan.room, (size_t)(mem + bytes - kept) / s.key->size);
        kept += plan.room * s.key->size;
        OPI_TRY(sift(cores, call, &s, &plan, key, &is));
    }
    if (is == IS_LOW || is == IS_HIGH) return OPLUS_OK;
    if (is == IS_BETWEEN && !is_by_digits(cores, &s)) return by_sort(cores, call, &s, last, key);
    return by_digits(cores, call, &s, cores->carry.mem, key);
}

static search search_of_task(const opi_task *task)
{
    return search_of(task->top.key, task->top.order, task->array[OPI_IN].mem, task->n, task->top.k);
}

oplus_status opi_nth_run(opi_cores *cores, const char *call, const opi_task *task)
{
    uint64_t key;
    const search s = search_of_task(task);
    const size_t bytes = bytes_of(cores, &s);
    if (!opi_buffer_reserve(&cores->carry, bytes))
        return opi_fail(OPLUS_ERR_MEMORY, "%s: no memory for %zu bytes of samples and candidates; free some", call,
                        bytes);
    OPI_TRY(find(cores, call, s, bytes, &key));
    /* The highest bit of a key says whether its others are inverted, and is not itself one of them. */
    key ^= s.mapping.flip;
    if (key >> (8 * s.key->size - 1) & 1) key ^= s.mapping.float_mask;
    memcpy((void *)task->array[OPI_NTH_OUT].mem, &key, s.key->size);
    return OPLUS_OK;
}

void opi_nth_explain(opi_cores *cores, const opi_task *task, opi_saying *to)
{
    const search s = search_of_task(task);
    const bool sifted = is_sifted(cores, &s), digits = is_by_digits(cores, &s);
    opi_say_way(to, sifted, "sift", "a sample gives two bounds; keys are read once, and the few between are searched");
    opi_say_way(to, !sifted && !digits, "sort", "a copy is sorted: there are few keys");
    opi_say_way(to, digits, "digits",
                "digit by digit, each time among all keys: they have one byte, or samples mislead");
    const sift_sweep sift = plan_sift(cores->isa, &s);
    const digit_sweep counts = plan_digits(&s);
    if (sifted || digits) opi_cores_explain_sweep(cores, sifted ? &sift.sweep : &counts.sweep, to);
}
