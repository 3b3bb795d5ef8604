/* Laws of order: argsort, bounds, merge; compared with what the definition says, at every place, with arrays of the host
 * and of the device. */
#include "support/keys.h"
#include "support/laws.h"

#include <stdlib.h>
#include <string.h>

OPLUS_STRUCT(item, uint32_t key; uint16_t place[3];)
OPLUS_STRUCT(wide, uint64_t word[3];)
OPLUS_ZIP(by_key, uint8_t, item, item, { return a.key < b.key; })
OPLUS_ZIP(by_value, uint8_t, float, float, { return a < b; })

static const oplus_type *const key_types[] = {&oplus_i8,  &oplus_i16, &oplus_i32, &oplus_i64, &oplus_u8,
                                              &oplus_u16, &oplus_u32, &oplus_u64, &oplus_f32, &oplus_f64};
static const oplus_type *const index_types[] = {&oplus_u32, &oplus_u64, &oplus_i32, &oplus_i64};
static const oplus_type *const value_types[] = {&oplus_u32, &oplus_f64, &oplus_u8, &wide_type, &oplus_u16};
enum { ACCELERATOR_TYPES = 3 };

/* The order, by definition: unsigned numbers that compare as the keys do. */
static uint64_t rank_of(const oplus_type *type, oplus_order order, const void *key)
{
    uint64_t bits = 0;
    memcpy(&bits, key, type->size); /* little endian */
    const uint64_t sign = UINT64_C(1) << (8 * type->size - 1), all = sign | (sign - 1);
    const bool is_float = type->scalar == OPLUS_F32 || type->scalar == OPLUS_F64;
    const bool is_unsigned = type->scalar >= OPLUS_U8 && type->scalar <= OPLUS_U64;
    if (is_float)
        bits = bits & sign ? ~bits & all : bits | sign;
    else if (!is_unsigned)
        bits ^= sign;
    return order == OPLUS_DESCENDING ? bits ^ all : bits;
}

/* --- one case ----------------------------------------------------------------------------------------------------- */

/* What a law draws.  Accelerators compile for each type, so that they have few of them. */
typedef struct drawn {
    rng *r;
    const place *at;
    const oplus_type *key, *index, *value;
    oplus_order order;
    bool on_device;
} drawn;

static drawn draw(rng *r, const place *at)
{
    static const oplus_type *const few[ACCELERATOR_TYPES] = {&oplus_f32, &oplus_u8, &oplus_i64};
    const bool some = at->accelerator && !at->thorough;
    drawn d = {.r = r, .at = at};
    d.key = some ? few[rng_below(r, ACCELERATOR_TYPES)] : key_types[rng_below(r, 10)];
    d.index = index_types[rng_below(r, some ? 2 : 4)];
    d.value = value_types[rng_below(r, some ? 4 : 5)];
    d.order = rng_below(r, 2) ? OPLUS_DESCENDING : OPLUS_ASCENDING;
    d.on_device = at->accelerator && rng_below(r, 2);
    return d;
}

static size_t any_size(rng *r) { return rng_below(r, (size_t)1 << (1 + rng_below(r, test_quick() ? 14 : 17))); }

static void *keys_of(const drawn *d, size_t n)
{
    unsigned char *const keys = must(malloc(n * d->key->size + 1));
    const unsigned kind = (unsigned)rng_below(d->r, KEY_KINDS);
    for (size_t i = 0; i < n; i++) {
        const uint64_t key = odd_key(d->r, d->key, kind, i, n);
        memcpy(keys + i * d->key->size, &key, d->key->size);
    }
    return keys;
}

static void *random_bytes(rng *r, size_t bytes)
{
    unsigned char *const mem = must(malloc(bytes + 1));
    for (size_t i = 0; i < bytes; i++) mem[i] = (unsigned char)rng_next(r);
    return mem;
}

static void *sorted_keys_of(const drawn *d, size_t n)
{
    void *const keys = keys_of(d, n);
    size_t count;
    must_be_ok(oplus_sort(all_places(&count)[0].dev, d->key, d->order, keys, n), "sort");
    return keys;
}

/* Where a call finds an array: the host's, or a copy on the device. */
static void wrong(const drawn *d, const char *call, size_t n, size_t i)
{
    fail_msg("%s %s: %s of %zu %s, %s, is wrong at %zu\n    OPLUS_TEST_SEED=%llu", d->at->where, d->at->isa, call, n,
             d->key->name, d->order ? "descending" : "ascending", i, (unsigned long long)test_seed());
}

static uint64_t index_at(const drawn *d, const void *indices, size_t i)
{
    uint64_t index = 0;
    memcpy(&index, (const char *)indices + i * d->index->size, d->index->size);
    return index;
}

/* --- laws --------------------------------------------------------------------------------------------------------- */

/* The keys in the order of the indices ascend; equal ones are in the order of their indices, so that none comes twice. */
static void argsort_is_stable(rng *r, const place *where)
{
    const drawn d = draw(r, where);
    const size_t n = any_size(r), bytes = n * d.key->size;
    char *const keys = keys_of(&d, n);
    void *const indices = random_bytes(r, n * d.index->size), *const kept = must(malloc(bytes + 1));
    memcpy(kept, keys, bytes);
    void *const k = lend(d.at->dev, d.on_device, keys, bytes), *const x = lend(d.at->dev, d.on_device, indices,
                                                                               n * d.index->size);
    must_be_ok(oplus_argsort(where->dev, d.key, d.order, k, n, d.index, x), "argsort");
    end_loan(d.at->dev, k, keys, bytes);
    end_loan(d.at->dev, x, indices, n * d.index->size);
    assert_memory_equal(keys, kept, bytes);
    for (size_t i = 0; i < n; i++) {
        const uint64_t own = index_at(&d, indices, i), before = i ? index_at(&d, indices, i - 1) : 0;
        if (own >= n) wrong(&d, "argsort", n, i);
        if (i == 0) continue;
        const uint64_t a = rank_of(d.key, d.order, keys + before * d.key->size);
        const uint64_t b = rank_of(d.key, d.order, keys + own * d.key->size);
        if (a > b || (a == b && before >= own)) wrong(&d, "argsort", n, i);
    }
    free(keys);
    free(kept);
    free(indices);
}

/* A search: the arrays are lent with some elements before and behind them, so that they lie at any address. */
typedef struct searched {
    char *sorted, *wanted;
    size_t n, count, skew[3]; /* elements before `sorted`, `wanted` and the places */
    bool upper;
} searched;

static void *with_skew(const void *mem, size_t bytes, size_t skew)
{
    char *const all = must(malloc(skew + bytes + 1));
    memset(all, 0xee, skew);
    memcpy(all + skew, mem, bytes);
    return all;
}

/* Everything before a place comes before the wanted key, and nothing from there on does. */
static void check_places(const drawn *d, const searched *s, const char *places)
{
    const size_t size = d->key->size;
    for (size_t i = 0; i < s->count; i++) {
        const uint64_t at = index_at(d, places, i), key = rank_of(d->key, d->order, s->wanted + i * size);
        const uint64_t before = at > 0 && at <= s->n ? rank_of(d->key, d->order, s->sorted + (at - 1) * size) : 0;
        const uint64_t behind = at < s->n ? rank_of(d->key, d->order, s->sorted + at * size) : UINT64_MAX;
        if (at > s->n || (at > 0 && (s->upper ? before > key : before >= key)) ||
            (at < s->n && (s->upper ? behind <= key : behind < key)))
            wrong(d, s->upper ? "upper bounds" : "lower bounds", s->n, i);
    }
}

static void search(const drawn *d, const searched *s)
{
    const size_t size = d->key->size, index = d->index->size, bytes = s->count * index;
    const size_t x = s->skew[0] * size, y = s->skew[1] * size, z = s->skew[2] * index;
    char *const sorted = with_skew(s->sorted, s->n * size, x), *const wanted = with_skew(s->wanted, s->count * size, y);
    char *const places = random_bytes(d->r, z + bytes + index), *const guards = with_skew(places, z + bytes + index, 0);
    char *const s_lent = lend(d->at->dev, d->on_device, sorted, x + s->n * size),
                *const w = lend(d->at->dev, d->on_device, wanted, y + s->count * size),
                *const p = lend(d->at->dev, d->on_device, places, z + bytes + index);
    must_be_ok(oplus_search(d->at->dev, d->key, d->order, s_lent + x, s->n, s->upper ? OPLUS_UPPER : OPLUS_LOWER, w + y,
                            s->count, d->index, p + z),
               "bounds");
    end_loan(d->at->dev, s_lent, sorted, x + s->n * size);
    end_loan(d->at->dev, w, wanted, y + s->count * size);
    end_loan(d->at->dev, p, places, z + bytes + index);
    assert_memory_equal(sorted + x, s->sorted, s->n * size);
    assert_memory_equal(places, guards, z);
    assert_memory_equal(places + z + bytes, guards + z + bytes, index);
    check_places(d, s, places + z);
    free(sorted);
    free(wanted);
    free(places);
    free(guards);
}

static void bounds_are_between(rng *r, const place *where)
{
    const drawn d = draw(r, where);
    const size_t size = d.key->size;
    searched s = {.n = any_size(r), .count = any_size(r), .upper = rng_below(r, 2)};
    s.sorted = sorted_keys_of(&d, s.n);
    s.wanted = keys_of(&d, s.count);
    for (size_t i = 0; s.n > 0 && i < s.count; i += 2)
        memcpy(s.wanted + i * size, s.sorted + rng_below(r, s.n) * size, size);
    if (rng_below(r, 2))
        for (int k = 0; k < 3; k++) s.skew[k] = rng_below(r, 20);
    search(&d, &s);
    free(s.sorted);
    free(s.wanted);
}

/* Keys in runs of equal ones, of any length, and all that are near them: as many elements as fill a level of a tree of
 * samples (gpu/order/bounds_tree.c), and one more or less. */
static size_t edge(rng *r)
{
    const unsigned most = test_quick() ? 14 : 20;
    const size_t n = ((size_t)1 << (rng_below(r, 2) ? most - rng_below(r, 4) : rng_below(r, most + 1))) *
                     (1 + rng_below(r, 2) * rng_below(r, 16));
    const size_t near = n + rng_below(r, 5) - 2;
    return near > (size_t)1 << most ? n >> 4 : near;
}

static void *runs_of_keys(const drawn *d, size_t n, size_t run, uint64_t gap)
{
    const size_t size = d->key->size;
    unsigned char *const keys = must(malloc(n * size + 1));
    for (size_t i = 0; i < n; i++) {
        const uint64_t key = (uint64_t)(i / run) * gap;
        memcpy(keys + i * size, &key, size);
    }
    size_t count;
    must_be_ok(oplus_sort(all_places(&count)[0].dev, d->key, d->order, keys, n), "sort");
    return keys;
}

static void bounds_at_edges(rng *r, const place *where)
{
    const drawn d = draw(r, where);
    const size_t size = d.key->size, n = edge(r) + 1, run = (size_t)1 << rng_below(r, 18);
    const uint64_t gap = rng_below(r, 2) ? 2 : UINT64_MAX / n / 2;
    searched s = {.n = n, .count = 1 + rng_below(r, rng_below(r, 2) ? 50 : 2 * n), .upper = rng_below(r, 2)};
    s.sorted = runs_of_keys(&d, n, rng_below(r, 2) ? run : run % 37 + 1, gap);
    s.wanted = must(malloc(s.count * size));
    for (size_t i = 0; i < s.count; i++) {
        static const uint64_t ends[] = {0, UINT64_MAX, UINT64_MAX >> 1, UINT64_C(1) << 63};
        uint64_t key = 0;
        memcpy(&key, s.sorted + (rng_below(r, 8) ? rng_below(r, n) : rng_below(r, 2) * (n - 1)) * size, size);
        key += rng_below(r, 3) - 1;
        if (rng_below(r, 16) == 0) key = ends[rng_below(r, 4)] >> (size < 8 ? 64 - 8 * size : 0);
        memcpy(s.wanted + i * size, &key, size);
    }
    for (int k = 0; k < 3; k++) s.skew[k] = rng_below(r, 2) * rng_below(r, 20);
    search(&d, &s);
    free(s.sorted);
    free(s.wanted);
}

/* A merge is a stable sort of one array behind the other. */
static void merge_is_a_sort(rng *r, const place *where)
{
    const drawn d = draw(r, where);
    const size_t a_n = rng_below(r, 8) ? any_size(r) : 0, b_n = rng_below(r, 8) ? any_size(r) : 0, n = a_n + b_n;
    const size_t size = d.key->size, value = d.value->size;
    const bool pairs = rng_below(r, 2);
    char *const keys = must(malloc(n * size + 1)), *const values = random_bytes(r, n * value);
    char *const a = sorted_keys_of(&d, a_n), *const b = sorted_keys_of(&d, b_n);
    memcpy(keys, a, a_n * size);
    memcpy(keys + a_n * size, b, b_n * size);
    char *const out = random_bytes(r, n * size), *const out_values = random_bytes(r, n * value);
    void *const a_lent = lend(d.at->dev, d.on_device, a, a_n * size),
                *const b_lent = lend(d.at->dev, d.on_device, b, b_n * size),
                *const o = lend(d.at->dev, d.on_device, out, n * size),
                *const v = lend(d.at->dev, d.on_device, values, n * value),
                *const ov = lend(d.at->dev, d.on_device, out_values, n * value);
    if (pairs)
        must_be_ok(oplus_merge_pairs(where->dev, d.key, d.order, a_lent, b_lent, o, d.value, v, (char *)v + a_n * value,
                                     ov, a_n, b_n),
                   "merge_pairs");
    else
        must_be_ok(oplus_merge(where->dev, d.key, d.order, a_lent, a_n, b_lent, b_n, o), "merge");
    end_loan(d.at->dev, a_lent, a, a_n * size);
    end_loan(d.at->dev, b_lent, b, b_n * size);
    end_loan(d.at->dev, o, out, n * size);
    end_loan(d.at->dev, v, values, n * value);
    end_loan(d.at->dev, ov, out_values, n * value);
    size_t count;
    must_be_ok(oplus_sort_pairs(all_places(&count)[0].dev, d.key, d.order, keys, d.value, values, n), "sort_pairs");
    for (size_t i = 0; i < n; i++)
        if (memcmp(out + i * size, keys + i * size, size) != 0 ||
            (pairs && memcmp(out_values + i * value, values + i * value, value) != 0))
            wrong(&d, pairs ? "merge_pairs" : "merge", n, i);
    free(keys);
    free(values);
    free(a);
    free(b);
    free(out);
    free(out_values);
}

/* So is one of many, which may be empty, and lie here or there, and the output with them or not. */
enum { MOST = 9 };

typedef struct many {
    char *keys[MOST], *values[MOST], *all, *all_values; /* the arrays, and one behind the other */
    void *keys_lent[MOST], *values_lent[MOST];
    size_t n[MOST], count, total;
} many;

static void draw_many(const drawn *d, many *m)
{
    const size_t size = d->key->size, value = d->value->size;
    *m = (many){.count = rng_below(d->r, MOST + 1), .all = must(malloc(1)), .all_values = must(malloc(1))};
    for (size_t k = 0; k < m->count; k++) {
        const size_t n = rng_below(d->r, 4) ? any_size(d->r) / MOST : 0, total = m->total + n;
        m->keys[k] = sorted_keys_of(d, n);
        m->values[k] = random_bytes(d->r, n * value);
        m->all = must(realloc(m->all, total * size + 1));
        m->all_values = must(realloc(m->all_values, total * value + 1));
        memcpy(m->all + m->total * size, m->keys[k], n * size);
        memcpy(m->all_values + m->total * value, m->values[k], n * value);
        m->keys_lent[k] = lend(d->at->dev, d->on_device, m->keys[k], n * size);
        m->values_lent[k] = lend(d->at->dev, d->on_device, m->values[k], n * value);
        m->n[k] = n;
        m->total = total;
    }
}

static void free_many(const drawn *d, many *m)
{
    for (size_t k = 0; k < m->count; k++) {
        end_loan(d->at->dev, m->keys_lent[k], m->keys[k], m->n[k] * d->key->size);
        end_loan(d->at->dev, m->values_lent[k], m->values[k], m->n[k] * d->value->size);
        free(m->keys[k]);
        free(m->values[k]);
    }
    free(m->all);
    free(m->all_values);
}

static void merge_of_many_is_a_sort(rng *r, const place *where)
{
    const drawn d = draw(r, where);
    drawn to = d;
    many m;
    size_t places;
    const bool pairs = rng_below(r, 2);
    const size_t size = d.key->size, value = d.value->size;
    draw_many(&d, &m);
    if (where->accelerator && rng_below(r, 4) == 0) to.on_device = !d.on_device;
    char *const out = random_bytes(r, m.total * size), *const out_values = random_bytes(r, m.total * value);
    void *const o = lend(to.at->dev, to.on_device, out, m.total * size), *const v = lend(to.at->dev, to.on_device,
                                                                                         out_values, m.total * value);
    const void *const *const keys = (const void *const *)m.keys_lent;
    must_be_ok(pairs ? oplus_merge_many_pairs(where->dev, d.key, d.order, keys, o, d.value,
                                              (const void *const *)m.values_lent, v, m.n, m.count)
                     : oplus_merge_many(where->dev, d.key, d.order, keys, m.n, m.count, o),
               "merge_many");
    end_loan(to.at->dev, o, out, m.total * size);
    end_loan(to.at->dev, v, out_values, m.total * value);
    must_be_ok(oplus_sort_pairs(all_places(&places)[0].dev, d.key, d.order, m.all, d.value, m.all_values, m.total),
               "sort_pairs");
    for (size_t i = 0; i < m.total; i++)
        if (memcmp(out + i * size, m.all + i * size, size) != 0 ||
            (pairs && memcmp(out_values + i * value, m.all_values + i * value, value) != 0))
            wrong(&d, pairs ? "merge_many_pairs" : "merge_many", m.total, i);
    free_many(&d, &m);
    free(out);
    free(out_values);
}

/* Arrays that are not sorted, and keys in the other order: everything stays inside, and is an element of the inputs. */
static void unsorted_does_no_harm(rng *r, const place *where)
{
    const drawn d = draw(r, where);
    const size_t a_n = any_size(r), b_n = any_size(r), n = a_n + b_n, size = d.key->size;
    unsigned char *const keys = random_bytes(r, n * size), *const out = random_bytes(r, (n + 2) * size);
    for (size_t i = 0; i < n * size; i++) keys[i] |= 1; /* a byte of the guards has no such bit */
    memset(out, 0xee, (n + 2) * size);
    uint32_t *const places = must(malloc((a_n + 1) * sizeof *places));
    must_be_ok(oplus_merge(where->dev, d.key, d.order, keys, a_n, keys + a_n * size, b_n, out + size), "merge");
    must_be_ok(
        oplus_search(where->dev, d.key, d.order, keys + a_n * size, b_n, OPLUS_UPPER, keys, a_n, &oplus_u32, places),
        "bounds");
    for (size_t i = 0; i < (n + 2) * size; i++)
        if ((out[i] == 0xee) != (i < size || i >= (n + 1) * size)) wrong(&d, "merge of what is not sorted", n, i);
    for (size_t i = 0; i < a_n; i++)
        if (places[i] > b_n) wrong(&d, "bounds in what is not sorted", b_n, i);
    free(keys);
    free(out);
    free(places);
}

static int compare_items(const void *a, const void *b)
{
    const uint32_t x = ((const item *)a)->key, y = ((const item *)b)->key;
    return (x > y) - (x < y);
}

static item *sorted_items(rng *r, size_t n, uint32_t keys, uint16_t array)
{
    item *const x = must(malloc((n + 1) * sizeof *x));
    for (size_t i = 0; i < n; i++) x[i].key = (uint32_t)rng_below(r, keys);
    qsort(x, n, sizeof *x, compare_items);
    for (size_t i = 0; i < n; i++) memcpy(x[i].place, (uint16_t[]){array, (uint16_t)i, (uint16_t)(i >> 16)}, 6);
    return x;
}

/* The calls with a function: structs by a member, where equal ones can be told apart. */
static void functions_compare(rng *r, const place *where)
{
    drawn d = draw(r, where);
    d.key = &item_type;
    const size_t a_n = any_size(r), b_n = any_size(r), n = a_n + b_n;
    const uint32_t keys = 1 + (uint32_t)rng_below(r, 5000);
    item *const a = sorted_items(r, a_n, keys, 0), *const b = sorted_items(r, b_n, keys, 1);
    item *const out = random_bytes(r, n * sizeof *out);
    uint32_t *const places = random_bytes(r, b_n * 4);
    item *const a_lent = lend(d.at->dev, d.on_device, a, a_n * sizeof *a),
                *const b_lent = lend(d.at->dev, d.on_device, b, b_n * sizeof *b),
                *const o = lend(d.at->dev, d.on_device, out, n * sizeof *out);
    uint32_t *const p = lend(d.at->dev, d.on_device, places, b_n * 4);
    must_be_ok(oplus_merge_by(where->dev, &by_key_fn, a_lent, a_n, b_lent, b_n, o), "merge_by");
    must_be_ok(oplus_search_by(where->dev, &by_key_fn, a_lent, a_n, OPLUS_UPPER, b_lent, b_n, &oplus_u32, p),
               "bounds_by");
    end_loan(d.at->dev, a_lent, a, a_n * sizeof *a);
    end_loan(d.at->dev, b_lent, b, b_n * sizeof *b);
    end_loan(d.at->dev, o, out, n * sizeof *out);
    end_loan(d.at->dev, p, places, b_n * 4);
    for (size_t i = 0, j = 0, k = 0; k < n; k++) {
        const bool from_b = i == a_n || (j < b_n && b[j].key < a[i].key);
        if (from_b && places[j] != i) wrong(&d, "bounds_by", a_n, j);
        if (memcmp(&out[k], from_b ? &b[j++] : &a[i++], sizeof *out) != 0) wrong(&d, "merge_by", n, k);
    }
    free(a);
    free(b);
    free(out);
    free(places);
}

/* Of many arrays, too: of equal elements those of an earlier array come first. */
static void function_merges_many(rng *r, const place *where)
{
    drawn d = draw(r, where);
    d.key = &item_type;
    item *array[MOST] = {NULL}, *lent[MOST];
    size_t n[MOST], at[MOST] = {0}, total = 0;
    const size_t count = rng_below(r, MOST + 1);
    const uint32_t keys = 1 + (uint32_t)rng_below(r, 5000);
    for (size_t k = 0; k < count; k++) {
        n[k] = rng_below(r, 4) ? any_size(r) / MOST : 0;
        array[k] = sorted_items(r, n[k], keys, (uint16_t)k);
        lent[k] = lend(d.at->dev, d.on_device, array[k], n[k] * sizeof(item));
        total += n[k];
    }
    item *const out = random_bytes(r, total * sizeof *out), *const o =
                                                                lend(d.at->dev, d.on_device, out, total * sizeof *out);
    must_be_ok(oplus_merge_many_by(where->dev, &by_key_fn, (const void *const *)lent, n, count, o), "merge_many_by");
    end_loan(d.at->dev, o, out, total * sizeof *out);
    for (size_t i = 0; i < total; i++) {
        size_t from = count;
        for (size_t k = 0; k < count; k++)
            if (at[k] < n[k] && (from == count || array[k][at[k]].key < array[from][at[from]].key)) from = k;
        if (from == count || memcmp(&out[i], &array[from][at[from]++], sizeof *out) != 0)
            wrong(&d, "merge_many_by", total, i);
    }
    for (size_t k = 0; k < count; k++) {
        end_loan(d.at->dev, lent[k], array[k], n[k] * sizeof(item));
        free(array[k]);
    }
    free(out);
}

/* For floats without NaNs and zeros of both signs, `a < b` is the order of the type. */
static void function_as_type(rng *r, const place *where)
{
    const size_t n = any_size(r), count = any_size(r);
    float *const x = must(malloc((n + count + 1) * sizeof *x)), *const wanted = x + n;
    uint32_t *const one = must(malloc((2 * count + 1) * sizeof *one)), *const other = one + count;
    for (size_t i = 0; i < n + count; i++) x[i] = (float)rng_below(r, 1000) - 499.5f;
    must_be_ok(oplus_sort(where->dev, &oplus_f32, OPLUS_ASCENDING, x, n), "sort");
    must_be_ok(oplus_search_by(where->dev, &by_value_fn, x, n, OPLUS_LOWER, wanted, count, &oplus_u32, one), "by");
    must_be_ok(
        oplus_search(where->dev, &oplus_f32, OPLUS_ASCENDING, x, n, OPLUS_LOWER, wanted, count, &oplus_u32, other),
        "bounds");
    assert_memory_equal(one, other, count * sizeof *one);
    free(x);
    free(one);
}

/* --- the run ------------------------------------------------------------------------------------------------------ */

#define OFTEN(law) LAW_OFTEN(law, 8, 40)
OFTEN(argsort_is_stable)
OFTEN(bounds_are_between)
OFTEN(bounds_at_edges)
OFTEN(merge_is_a_sort)
OFTEN(merge_of_many_is_a_sort)
OFTEN(unsorted_does_no_harm)
OFTEN(functions_compare)
OFTEN(function_merges_many)
OFTEN(function_as_type)

static int close_all(void **state)
{
    (void)state;
    close_places();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(argsort_is_stable_often),    cmocka_unit_test(bounds_are_between_often),
        cmocka_unit_test(bounds_at_edges_often),      cmocka_unit_test(merge_of_many_is_a_sort_often),
        cmocka_unit_test(merge_is_a_sort_often),      cmocka_unit_test(functions_compare_often),
        cmocka_unit_test(function_as_type_often),     cmocka_unit_test(unsorted_does_no_harm_often),
        cmocka_unit_test(function_merges_many_often),
    };
    test_seed();
    return cmocka_run_group_tests_name("order", tests, NULL, close_all);
}
