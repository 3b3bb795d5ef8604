/* Sort over ranks is the stable sort of the whole array, however it is cut, and wherever the result is left.  Each
 * element travels at most once. */
#include "support/broken.h"
#include "support/team.h"

#include "base/error.h"
#include "base/host.h"
#include "cores/cores.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    NOTE_BYTES = 256,  /* bytes that a rank tells each other rank: its call, */
    EXTENT_BYTES = 24, /* whether all is well, its least and its greatest key, */
    VERDICT_BYTES = 24,
    COUNT_BYTES = 8, /* how many elements go there */
    GUARD_BYTES = 16,
    GUARD = 0xa5
};

static const oplus_type *const key_types[] = {&oplus_i8,  &oplus_i16, &oplus_i32, &oplus_i64, &oplus_u8,
                                              &oplus_u16, &oplus_u32, &oplus_u64, &oplus_f32, &oplus_f64};
enum { KEY_TYPES = sizeof key_types / sizeof *key_types };

static const oplus_type small1 = {OPLUS_ABI, "small1", "char bytes[1];", 1, 1, OPLUS_RECORD, NULL},
                        mixed4 = {OPLUS_ABI, "mixed4", "char bytes[4];", 4, 1, OPLUS_RECORD, NULL},
                        wide12 = {OPLUS_ABI, "wide12", "float x[3];", 12, 4, OPLUS_RECORD, NULL},
                        wide40 = {OPLUS_ABI, "wide40", "double x[5];", 40, 8, OPLUS_RECORD, NULL};
/* NULL: keys alone. */
static const oplus_type *const value_types[] = {NULL, &small1, &mixed4, &oplus_u32, &oplus_u64, &wide12, &wide40};
enum { VALUE_TYPES = sizeof value_types / sizeof *value_types };

typedef enum shape { RANDOM, SPECIAL, EQUAL, FEW, SORTED, REVERSED, NARROW, SHAPES } shape;
static const char *const shape_names[] = {"random", "special", "equal", "few", "sorted", "reversed", "narrow"};

typedef struct array {
    const oplus_type *key, *value;
    oplus_order order;
    oplus_layout layout;
    shape shape;
    size_t n, value_size;
    unsigned char *keys, *values;               /* of all ranks */
    unsigned char *sorted_keys, *sorted_values; /* by the reference */
    size_t *origin;                             /* index of each sorted element */
    cuts before, after;
    size_t spare;  /* room beyond what it needs */
    bool there[2]; /* whether keys and values are in the device's memory */
    bool mixed;    /* ... but not on ranks with odd numbers */
    int bad;       /* the rank that does something wrong; -1: none */
    size_t step;   /* step in which its device breaks */
} array;

/* --- the reference: a sort by mapped key, then index -------------------------------------------------------------- */

/* The order, by definition: unsigned numbers that compare as the keys do. */
static uint64_t rank_of(const oplus_type *type, const unsigned char *key)
{
    uint64_t bits = 0;
    memcpy(&bits, key, type->size); /* little endian */
    const uint64_t sign = UINT64_C(1) << (8 * type->size - 1), all = sign | (sign - 1);
    switch (type->scalar) {
    case OPLUS_U8:
    case OPLUS_U16:
    case OPLUS_U32:
    case OPLUS_U64:
        return bits;
    case OPLUS_F32:
    case OPLUS_F64:
        return bits & sign ? ~bits & all : bits | sign;
    default:
        return bits ^ sign;
    }
}

typedef struct ranked {
    uint64_t rank;
    size_t index;
} ranked;

static int by_rank(const void *a, const void *b)
{
    const ranked *const x = a, *const y = b;
    if (x->rank != y->rank) return x->rank < y->rank ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

static void sort_plainly(array *a)
{
    ranked *const all = must(malloc((a->n + 1) * sizeof *all));
    for (size_t i = 0; i < a->n; i++) {
        const uint64_t rank = rank_of(a->key, a->keys + i * a->key->size);
        all[i] = (ranked){a->order == OPLUS_DESCENDING ? ~rank : rank, i};
    }
    qsort(all, a->n, sizeof *all, by_rank);
    for (size_t i = 0; i < a->n; i++) {
        a->origin[i] = all[i].index;
        memcpy(a->sorted_keys + i * a->key->size, a->keys + all[i].index * a->key->size, a->key->size);
        memcpy(a->sorted_values + i * a->value_size, a->values + all[i].index * a->value_size, a->value_size);
    }
    free(all);
}

/* --- problems ----------------------------------------------------------------------------------------------------- */

static uint64_t key_bits(rng *r, const array *a, size_t i)
{
    static const uint32_t f32[] = {0x00000000, 0x80000000, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000,
                                   0x7f800001, 0xffffffff, 0x00000001, 0x80000001, 0x3f800000, 0xbf800000};
    const uint64_t top = UINT64_C(1) << (8 * a->key->size - 1);
    const uint64_t edges[] = {0, 1, top, top - 1, top + 1, UINT64_MAX};
    const uint32_t bits = f32[rng_below(r, sizeof f32 / sizeof *f32)];
    switch (a->shape) {
    case SPECIAL:
        return a->key->scalar == OPLUS_F32   ? bits
               : a->key->scalar == OPLUS_F64 ? (uint64_t)bits << 32 | rng_below(r, 2)
                                             : edges[rng_below(r, 6)];
    case EQUAL:
        return 42;
    case FEW:
        return rng_next(r) % 5 * UINT64_C(0x0101010101010101);
    case SORTED:
        return i / 2;
    case REVERSED:
        return a->n - i;
    case NARROW:
        return top + rng_below(r, 100);
    default:
        return rng_next(r);
    }
}

static void array_open(array *a, rng *r, const oplus_type *key, const oplus_type *value, shape shape, size_t n)
{
    *a = (array){.key = key, .value = value, .shape = shape, .n = n, .value_size = value ? value->size : 0, .bad = -1};
    a->order = rng_below(r, 2) ? OPLUS_DESCENDING : OPLUS_ASCENDING;
    a->keys = must(malloc(n * key->size + 1));
    a->sorted_keys = must(malloc(n * key->size + 1));
    a->values = must(malloc(n * a->value_size + 1));
    a->sorted_values = must(malloc(n * a->value_size + 1));
    a->origin = must(malloc((n + 1) * sizeof *a->origin));
    for (size_t i = 0; i < n; i++) {
        const uint64_t bits = key_bits(r, a, i);
        memcpy(a->keys + i * key->size, &bits, key->size); /* little endian */
        for (size_t b = 0; b < a->value_size; b++) a->values[i * a->value_size + b] = (unsigned char)(i >> 8 * (b % 4));
    }
    sort_plainly(a);
}

static void array_close(array *a)
{
    free(a->keys);
    free(a->sorted_keys);
    free(a->values);
    free(a->sorted_values);
    free(a->origin);
}

static void cut_array(array *a, rng *r, int way, int ranks, oplus_layout layout)
{
    a->before = cut(r, way, a->n, ranks);
    a->layout = layout;
    a->after = a->before;
    const size_t p = (size_t)ranks, whole = a->n / p, rest = a->n % p;
    for (size_t q = 0; q <= p && layout == OPLUS_EVEN; q++) a->after.at[q] = q * whole + (q < rest ? q : rest);
    a->spare = rng_below(r, 3);
}

static const char *words_of(const array *a)
{
    static char words[800];
    snprintf(words, sizeof words, "%zu %s keys (%s), values of %zu bytes, %s, %s, %s", a->n, a->key->name,
             shape_names[a->shape], a->value_size, a->order ? "descending" : "ascending",
             a->layout ? "even" : "as given", cut_words(&a->before));
    return words;
}

/* --- a rank's arrays ---------------------------------------------------------------------------------------------- */

typedef struct part {
    size_t n, room;
    unsigned char *keys, *values; /* of the host, with a guard behind */
    void *keys_there, *values_there;
} part;

static unsigned char *guarded(const unsigned char *from, size_t bytes, size_t room)
{
    unsigned char *const mem = must(malloc(room + GUARD_BYTES));
    memset(mem, GUARD, room + GUARD_BYTES);
    memcpy(mem, from, bytes);
    return mem;
}

static bool is_intact(const unsigned char *mem, size_t room)
{
    for (size_t i = 0; i < GUARD_BYTES; i++)
        if (mem[room + i] != GUARD) return false;
    return true;
}

static bool put_there(oplus_device *dev, const void *from, size_t bytes, void **to, finding *f)
{
    return bytes == 0 || (succeeded(oplus_alloc(dev, bytes, to), f) && succeeded(oplus_copy(dev, *to, from, bytes), f));
}

static bool part_open(part *t, oplus_device *dev, const array *a, int q, finding *f)
{
    const size_t n = cut_count(&a->before, q), m = cut_count(&a->after, q), k = a->key->size, v = a->value_size;
    *t = (part){.n = n, .room = (n > m ? n : m) + a->spare};
    t->keys = guarded(a->keys + a->before.at[q] * k, n * k, t->room * k);
    t->values = guarded(a->values + a->before.at[q] * v, n * v, t->room * v);
    const bool here = a->mixed && q % 2;
    return (!a->there[0] || here || put_there(dev, t->keys, t->room * k, &t->keys_there, f)) &&
           (!a->there[1] || here || put_there(dev, t->values, t->room * v, &t->values_there, f));
}

static void part_close(part *t, oplus_device *dev)
{
    oplus_free(dev, t->keys_there);
    oplus_free(dev, t->values_there);
    free(t->keys);
    free(t->values);
}

static oplus_status sort_part(oplus_device *dev, const oplus_comm *comm, const array *a, part *t)
{
    void *const keys = t->keys_there ? t->keys_there : t->keys;
    void *const values = t->values_there ? t->values_there : t->values;
    return a->value
               ? oplus_sort_pairs_all(dev, comm, a->key, a->order, a->layout, keys, a->value, values, &t->n, t->room)
               : oplus_sort_all(dev, comm, a->key, a->order, a->layout, keys, &t->n, t->room);
}

static bool fetch(oplus_device *dev, const array *a, part *t, finding *f)
{
    return (!t->keys_there || succeeded(oplus_copy(dev, t->keys, t->keys_there, t->n * a->key->size), f)) &&
           (!t->values_there || succeeded(oplus_copy(dev, t->values, t->values_there, t->n * a->value_size), f));
}

static bool is_sorted(const array *a, const part *t, int q, finding *f)
{
    const size_t first = a->after.at[q], n = cut_count(&a->after, q), k = a->key->size, v = a->value_size;
    if (t->n != n) {
        snprintf(f->text, sizeof f->text, "there are %zu elements, expected %zu", t->n, n);
        return false;
    }
    for (size_t i = 0; i < n; i++)
        if (memcmp(t->keys + i * k, a->sorted_keys + (first + i) * k, k) != 0 ||
            memcmp(t->values + i * v, a->sorted_values + (first + i) * v, v) != 0) {
            snprintf(f->text, sizeof f->text, "element %zu of %zu is not what it should be", i, n);
            return false;
        }
    if (is_intact(t->keys, t->room * k) && is_intact(t->values, t->room * v)) return true;
    snprintf(f->text, sizeof f->text, "something was written beyond the %zu elements of room", t->room);
    return false;
}

/* --- it is the sort of the whole ---------------------------------------------------------------------------------- */

static bool sorts(oplus_device *dev, const oplus_comm *comm, const void *given, finding *f)
{
    const array *const a = given;
    part t;
    const bool good = part_open(&t, dev, a, comm->rank, f) && succeeded(sort_part(dev, comm, a, &t), f) &&
                      fetch(dev, a, &t, f) && is_sorted(a, &t, comm->rank, f);
    part_close(&t, dev);
    return good;
}

static int owner_of(const cuts *c, size_t index)
{
    int q = 0;
    while (index >= c->at[q + 1]) q++;
    return q;
}

/* Each element that is wanted elsewhere travels once; rounds: how many rounds there may be at most, with digits of 8
 * bits. */
static void check_traffic(const array *a, const traffic *sent, size_t rounds)
{
    const int p = a->before.ranks;
    const size_t others = (size_t)p - 1, row = sizeof(uint64_t) << 8;
    size_t leave[MOST_RANKS] = {0};
    for (size_t i = 0; i < a->n; i++) {
        const int from = owner_of(&a->before, a->origin[i]);
        leave[from] += from != owner_of(&a->after, i);
    }
    const bool trivial = p == 1 || a->n == 0;
    const size_t fixed = trivial ? 1 : a->value ? 5 : 4; /* cores need not tell at the end that all is well */
    for (int q = 0; q < p; q++) {
        const size_t extra = sent[q].exchanges - fixed, most = trivial ? 0 : 2 * rounds;
        const size_t bytes = leave[q] * (a->key->size + a->value_size) + others * NOTE_BYTES +
                             (trivial ? 0 : others * (EXTENT_BYTES + COUNT_BYTES));
        const size_t bytes_of_rounds = extra / 2 * others * (VERDICT_BYTES + row);
        if (sent[q].exchanges < fixed || extra > most || extra % 2 != 0 || extra != sent[0].exchanges - fixed)
            fail_msg("%s: rank %d takes part in %zu exchanges, expected %zu and at most %zu more", words_of(a), q,
                     sent[q].exchanges, fixed, most);
        if (sent[q].bytes < bytes || sent[q].bytes > bytes + bytes_of_rounds)
            fail_msg("%s: rank %d sends %zu bytes, expected %zu and at most %zu more", words_of(a), q, sent[q].bytes,
                     bytes, bytes_of_rounds);
    }
}

/* How many rounds a sort may take: none if no boundary lies between keys that differ; four if random bits tell the keys
 * apart; else as many as the bits in which keys differ need. */
static size_t most_rounds(const array *a)
{
    if (a->shape == EQUAL) return 0;
    if (a->shape == NARROW && a->key->size > 1) return 1; /* 100 keys, and at most 7 bits in which they differ */
    return a->shape == RANDOM && a->key->size > 4 ? 4 : a->key->size;
}

/* Every size of team.  Each time the next two ways of cutting are tried. */
static void try_cuts(rng *r, array *a, const char *where)
{
    enum { TRIED = 2 };
    static int next;
    traffic sent[MOST_RANKS];
    for (const int *ranks = team_sizes(); *ranks > 0; ranks++)
        for (int time = 0; time < TRIED; time++, next++) {
            cut_array(a, r, next % CUT_WAYS, *ranks, (oplus_layout)(next / CUT_WAYS % 2));
            run_team(*ranks, where, sorts, a, sent, words_of(a));
            check_traffic(a, sent, most_rounds(a));
        }
}

static void every_type_and_shape(void **state)
{
    (void)state;
    rng r = test_rng("types and shapes");
    for (int t = 0; t < KEY_TYPES; t++)
        for (int s = 0; s < SHAPES; s++) {
            array a;
            const size_t n = rng_below(&r, 4) == 0 ? rng_below(&r, 40) : rng_below(&r, 3000);
            array_open(&a, &r, key_types[t], value_types[rng_below(&r, VALUE_TYPES)], (shape)s, n);
            try_cuts(&r, &a, "serial");
            array_close(&a);
        }
}

static void every_value(void **state)
{
    (void)state;
    rng r = test_rng("values");
    for (int v = 0; v < VALUE_TYPES; v++)
        for (int time = 0; time < 4; time++) {
            array a;
            array_open(&a, &r, key_types[rng_below(&r, KEY_TYPES)], value_types[v], time % 2 ? FEW : RANDOM,
                       rng_below(&r, time < 2 ? 2000 : 20000));
            try_cuts(&r, &a, "serial");
            array_close(&a);
        }
}

/* Nothing, one element in all, fewer than there are ranks. */
static void hardly_any(void **state)
{
    (void)state;
    rng r = test_rng("hardly any");
    for (size_t n = 0; n < 20; n += n < 3 ? 1 : 3)
        for (int s = 0; s < SHAPES; s++) {
            array a;
            array_open(&a, &r, key_types[rng_below(&r, KEY_TYPES)], value_types[rng_below(&r, VALUE_TYPES)], (shape)s,
                       n);
            try_cuts(&r, &a, "serial");
            array_close(&a);
        }
}

/* Large enough that threads share the merge, of blocks of a megabyte. */
static void threads(void **state)
{
    (void)state;
    rng r = test_rng("threads");
    const size_t n = test_quick() ? 400000 : 1500000;
    for (int time = 0; time < 4; time++) {
        array a;
        array_open(&a, &r, key_types[2 + rng_below(&r, 2)], value_types[time % 2 ? 3 : 0], time == 3 ? FEW : RANDOM, n);
        for (const int *ranks = team_sizes(); *ranks > 0; ranks++) {
            if (*ranks > 4) continue;
            cut_array(&a, &r, time % CUT_WAYS, *ranks, OPLUS_EVEN);
            run_team(*ranks, "threads:2", sorts, &a, NULL, words_of(&a));
        }
        array_close(&a);
    }
}

/* --- memory ------------------------------------------------------------------------------------------------------- */

/* The scratch of a sort of this rank's own elements. */
static size_t scratch_of_own_sort(const array *a, const part *t)
{
    oplus_device *alone;
    unsigned char *const keys = guarded(t->keys, t->n * a->key->size, t->room * a->key->size),
                         *const values = guarded(t->values, t->n * a->value_size, t->room * a->value_size);
    if (oplus_open("serial", &alone) != OPLUS_OK) abort();
    (void)oplus_sort_pairs(alone, a->key, a->order, keys, a->value, values, t->n);
    const size_t bytes = opi_cores_of(alone)->array.bytes;
    oplus_close(alone);
    free(keys);
    free(values);
    return bytes;
}

/* Besides its arrays a rank takes no more memory than for the elements that it gets, or than its own sort takes, and
 * scratch that does not grow with either. */
static bool takes_one_share(oplus_device *dev, const oplus_comm *comm, const void *given, finding *f)
{
    const array *const a = given;
    part t;
    if (!part_open(&t, dev, a, comm->rank, f)) return false;
    const size_t sorting = scratch_of_own_sort(a, &t), share = t.room * (a->key->size + a->value_size) + 64;
    const size_t most = sorting > share ? sorting : share;
    bool good = succeeded(sort_part(dev, comm, a, &t), f);
    const opi_cores *const cores = opi_cores_of(dev);
    if (good && (cores->array.bytes > most || cores->workspace.bytes > 3u << 20)) {
        snprintf(f->text, sizeof f->text, "it keeps %zu and %zu bytes, of a share of %zu and a sort of %zu",
                 cores->array.bytes, cores->workspace.bytes, share, sorting);
        good = false;
    }
    part_close(&t, dev);
    return good;
}

static void memory(void **state)
{
    (void)state;
    rng r = test_rng("memory");
    array a;
    array_open(&a, &r, &oplus_u64, &oplus_u64, RANDOM, 100000);
    for (const int *ranks = team_sizes(); *ranks > 0; ranks++)
        for (int layout = 0; layout < 2; layout++) {
            cut_array(&a, &r, CUT_EVENLY, *ranks, (oplus_layout)layout);
            run_team(*ranks, "serial", takes_one_share, &a, NULL, words_of(&a));
        }
    array_close(&a);
}

/* --- on a device -------------------------------------------------------------------------------------------------- */

static void devices(void **state)
{
    const char *const where = device_to_try();
    (void)state;
    if (where == NULL) skip();
    rng r = test_rng("devices");
    for (int time = 0; time < 12; time++) {
        const bool mixed = time >= 8;
        array a;
        array_open(&a, &r, time % 2 ? &oplus_f32 : &oplus_u32, time < 4 ? &oplus_u32 : NULL,
                   time % 3 && !mixed ? FEW : RANDOM, rng_below(&r, 3000));
        a.mixed = mixed;
        a.there[0] = time % 4 != 2; /* both, keys, values, none */
        a.there[1] = a.value != NULL && (time % 4 == 0 || time % 4 == 2);
        for (const int *ranks = team_sizes(); *ranks > 0; ranks++) {
            if (*ranks > 3 && *ranks != 8) continue;
            cut_array(&a, &r, time % CUT_WAYS, *ranks, (oplus_layout)(time % 2));
            run_team(*ranks, where, sorts, &a, NULL, words_of(&a));
        }
        array_close(&a);
    }
}

/* Many elements, so that there are many tiles. */
static void many_on_devices(void **state)
{
    static const struct {
        const oplus_type *key, *value;
        shape shape;
    } kinds[] = {{&oplus_u32, NULL, RANDOM},    {&oplus_f64, &oplus_u32, FEW},    {&oplus_u64, NULL, NARROW},
                 {&oplus_u32, &wide12, RANDOM}, {&oplus_i16, &oplus_u64, SORTED}, {&oplus_u32, &wide40, SPECIAL}};
    const char *const where = device_to_try();
    (void)state;
    if (where == NULL) skip();
    rng r = test_rng("many on devices");
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        array a;
        array_open(&a, &r, kinds[k].key, kinds[k].value, kinds[k].shape, 50000 + rng_below(&r, 100000));
        a.there[0] = true;
        a.there[1] = a.value != NULL;
        for (const int *ranks = team_sizes(); *ranks > 0; ranks++) {
            if (*ranks > 3) continue;
            cut_array(&a, &r, (int)(k % CUT_WAYS), *ranks, (oplus_layout)rng_below(&r, 2));
            run_team(*ranks, where, sorts, &a, NULL, words_of(&a));
        }
        array_close(&a);
    }
}

/* --- devices that read each other's memory, as GPUs of one host do ---
 *
 * A merge first copies what lies on other devices through the host, one thread after the other. */

#ifdef TEST_MPI
enum { RANKS_ARE_THREADS = false }; /* the stand-in for a link is in one process */
#else
enum { RANKS_ARE_THREADS = true };
#endif

typedef enum flaw { NO_FLAW, SHY, BLIND, SORT_FAILS, MERGE_FAILS, FLAWS } flaw; /* of one rank */

typedef struct linking {
    array a;
    int bad;
    flaw flaw;
} linking;

typedef struct linked {
    const linking *of;
    int rank;
    opi_machine machine;
    opi_transfers transfers;
    const opi_machine *before;
    struct {
        const char *mem;
        oplus_device *dev;
    } accepted[2 * MOST_RANKS];
    size_t open, merges;
} linked;
static _Thread_local linked *link_of_rank;
static pthread_mutex_t link_lock = PTHREAD_MUTEX_INITIALIZER;

static bool has_flaw(flaw flaw)
{
    return link_of_rank->rank == link_of_rank->of->bad && link_of_rank->of->flaw == flaw;
}

static bool link_shares(const oplus_device *dev)
{
    (void)dev;
    return true;
}

static oplus_status link_offer(oplus_device *dev, const char *call, const void *mem, opi_offer *offer)
{
    (void)call;
    *offer = (opi_offer){.host = opi_host_name(), .process = opi_process_name(), .address = (uintptr_t)mem};
    offer->context = (uintptr_t)dev;
    offer->is_exported = !has_flaw(SHY);
    return OPLUS_OK;
}

static bool link_accept(oplus_device *dev, const char *call, const opi_offer *offer, const void **mem)
{
    linked *const l = link_of_rank;
    (void)dev, (void)call;
    if (offer->process != opi_process_name() || has_flaw(BLIND)) return false;
    *mem = (const void *)(uintptr_t)offer->address;
    l->accepted[l->open].mem = *mem;
    l->accepted[l->open++].dev = (oplus_device *)(uintptr_t)offer->context;
    return true;
}

static void link_decline(oplus_device *dev, const opi_offer *offer)
{
    (void)dev, (void)offer;
    link_of_rank->open--;
}

/* For calls that do not merge so: parts of what another rank has offered, through the host. */
static oplus_status link_pull(oplus_device *dev, const char *call, void *to, const void *from, size_t bytes,
                              const opi_offer *offer)
{
    oplus_device *const home = offer ? (oplus_device *)(uintptr_t)offer->context : dev;
    void *const between = must(malloc(bytes));
    (void)call;
    pthread_mutex_lock(&link_lock);
    oplus_status status = oplus_copy(home, between, from, bytes);
    if (status == OPLUS_OK) status = oplus_copy(dev, to, between, bytes);
    pthread_mutex_unlock(&link_lock);
    free(between);
    return status;
}

/* Copies an array of another rank to this one's device. */
static oplus_status fetch_run(oplus_device *dev, const void **mem, size_t bytes, void **fetched)
{
    const linked *const l = link_of_rank;
    oplus_device *home = NULL;
    *fetched = NULL;
    for (size_t i = 0; i < l->open; i++)
        if (l->accepted[i].mem == *mem) home = l->accepted[i].dev;
    if (home == NULL || bytes == 0) return OPLUS_OK;
    void *const between = must(malloc(bytes));
    oplus_status status = oplus_alloc(dev, bytes, fetched);
    if (status == OPLUS_OK) status = oplus_copy(home, between, *mem, bytes);
    if (status == OPLUS_OK) status = oplus_copy(dev, *fetched, between, bytes);
    free(between);
    *mem = *fetched;
    return status;
}

static oplus_status link_merge(oplus_device *dev, const char *call, const opi_reached *runs)
{
    linked *const l = link_of_rank;
    opi_reached own = *runs;
    void *fetched[2 * OPI_MOST_REACHED] = {NULL};
    oplus_status status = OPLUS_OK;
    if (has_flaw(MERGE_FAILS)) return opi_fail(OPLUS_ERR_DEVICE, "%s: the merge is broken", call);
    pthread_mutex_lock(&link_lock);
    for (unsigned q = 0; q < runs->runs && status == OPLUS_OK; q++) {
        const size_t n = (size_t)runs->n[q];
        if ((int)q == l->rank) continue;
        status = fetch_run(dev, &own.keys[q], n * runs->key->size, &fetched[2 * q]);
        if (status == OPLUS_OK && runs->value)
            status = fetch_run(dev, &own.values[q], n * runs->value->size, &fetched[2 * q + 1]);
    }
    if (status == OPLUS_OK) status = l->before->transfers->merge(dev, call, &own);
    if (status == OPLUS_OK) status = l->before->sync(dev, call);
    for (size_t i = 0; i < sizeof fetched / sizeof *fetched; i++) oplus_free(dev, fetched[i]);
    pthread_mutex_unlock(&link_lock);
    l->merges++;
    return status;
}

static oplus_status link_sort(oplus_device *dev, const char *call, const opi_task *task, void *keys, void *values)
{
    if (has_flaw(SORT_FAILS)) return opi_fail(OPLUS_ERR_DEVICE, "%s: the sort is broken", call);
    return link_of_rank->before->transfers->sort_to(dev, call, task, keys, values);
}

/* Others may use this device just now. */
static oplus_status link_sync(oplus_device *dev, const char *call)
{
    pthread_mutex_lock(&link_lock);
    const oplus_status status = link_of_rank->before->sync(dev, call);
    pthread_mutex_unlock(&link_lock);
    return status;
}

static void link_open(linked *l, oplus_device *dev, const linking *of, int rank)
{
    *l = (linked){.of = of, .rank = rank, .before = dev->machine, .machine = *dev->machine};
    l->transfers = *dev->machine->transfers;
    l->transfers.shares_addresses = link_shares;
    l->transfers.offer = link_offer;
    l->transfers.accept = link_accept;
    l->transfers.decline = link_decline;
    l->transfers.pull = link_pull;
    l->transfers.sort_to = link_sort;
    l->transfers.merge = link_merge;
    l->machine.transfers = &l->transfers;
    l->machine.sync = link_sync;
    dev->machine = &l->machine;
    link_of_rank = l;
}

/* A rank that gets elements merges once, if all reach all; everything is declined. */
static bool link_close(const linked *l, oplus_device *dev, finding *f)
{
    const array *const a = &l->of->a;
    const bool apart = l->of->flaw == SHY || l->of->flaw == BLIND || !RANKS_ARE_THREADS;
    const bool merges = a->before.ranks > 1 && a->before.ranks <= OPI_MOST_REACHED && a->value_size <= 16;
    const bool gets = cut_count(&a->after, l->rank) > 0;
    dev->machine = l->before;
    if (l->open == 0 && (l->merges == (size_t)(merges && gets) || (l->merges == 0 && apart))) return true;
    snprintf(f->text, sizeof f->text, "it has merged %zu times, and %zu offers are still open", l->merges, l->open);
    return false;
}

/* The second call finds what the first has left. */
static bool sorts_by_link(oplus_device *dev, const oplus_comm *comm, const void *given, finding *f)
{
    const linking *const of = given;
    const array *const a = &of->a;
    for (int time = 0; time < 2; time++) {
        part t;
        linked l;
        bool good = part_open(&t, dev, a, comm->rank, f);
        link_open(&l, dev, of, comm->rank);
        const oplus_status status = sort_part(dev, comm, a, &t);
        if (of->flaw != SORT_FAILS && of->flaw != MERGE_FAILS)
            good = good && succeeded(status, f) && link_close(&l, dev, f) && fetch(dev, a, &t, f) &&
                   is_sorted(a, &t, comm->rank, f);
        dev->machine = l.before;
        if (good && of->flaw == SORT_FAILS) good = failed_as(status, OPLUS_ERR_DEVICE, "the sort is broken", f);
        if (good && of->flaw == MERGE_FAILS) good = failed_as(status, OPLUS_ERR_DEVICE, "the merge is broken", f);
        if (good && l.open > 0) {
            snprintf(f->text, sizeof f->text, "%zu offers are still open", l.open);
            good = false;
        }
        part_close(&t, dev);
        if (!good) return false;
    }
    return true;
}

static void try_link(rng *r, const char *where, const oplus_type *key, const oplus_type *value, size_t n)
{
    linking l = {.bad = -1};
    array_open(&l.a, r, key, value, (shape)rng_below(r, SHAPES), n);
    l.a.there[0] = true;
    l.a.there[1] = value != NULL;
    for (const int *ranks = team_sizes(); *ranks > 0; ranks++) {
        const bool fails = l.a.n > 100 && l.a.value_size <= 16 && *ranks > 1 && *ranks <= OPI_MOST_REACHED;
        cut_array(&l.a, r, (int)rng_below(r, CUT_WAYS), *ranks, (oplus_layout)rng_below(r, 2));
        l.flaw = NO_FLAW;
        run_team(*ranks, where, sorts_by_link, &l, NULL, words_of(&l.a));
        l.bad = (int)rng_below(r, (size_t)*ranks);
        l.flaw = rng_below(r, 2) ? SHY : BLIND;
        run_team(*ranks, where, sorts_by_link, &l, NULL, words_of(&l.a));
        l.flaw = rng_below(r, 2) ? SORT_FAILS : MERGE_FAILS;
        cut_array(&l.a, r, CUT_EVENLY, *ranks, OPLUS_EVEN);
        if (fails && RANKS_ARE_THREADS) run_team(*ranks, where, sorts_by_link, &l, NULL, words_of(&l.a));
    }
    array_close(&l.a);
}

static void linked_devices(void **state)
{
    const char *const where = device_to_try();
    (void)state;
    if (where == NULL) skip();
    rng r = test_rng("linked devices");
    try_link(&r, where, &oplus_u32, NULL, rng_below(&r, 6000));
    try_link(&r, where, &oplus_f64, &oplus_u32, rng_below(&r, 3000));
    try_link(&r, where, &oplus_i8, NULL, rng_below(&r, 10000));
    try_link(&r, where, &oplus_u32, &wide12, rng_below(&r, 1000));
    try_link(&r, where, &oplus_u32, &wide40, rng_below(&r, 1000));
    for (size_t n = 0; n < 4; n++) try_link(&r, where, &oplus_u64, &oplus_u64, n);
}

/* --- failures ----------------------------------------------------------------------------------------------------- */

/* What the bad rank does wrong, and what all ranks are told. */
typedef enum mistake {
    DEV_IS_NULL,
    KEY_IS_NULL,
    KEY_IS_RECORD,
    KEYS_ARE_NULL,
    VALUES_ARE_NULL,
    VALUE_IS_NULL,
    OVERLAP,
    N_IS_NULL,
    N_TOO_LARGE,
    HUGE_CAPACITY,
    NO_ORDER,
    NO_LAYOUT,
    OTHER_ORDER,
    OTHER_LAYOUT,
    OTHER_VALUE,
    NO_ROOM,
    MISTAKES
} mistake;

static const struct {
    oplus_status status;
    const char *words;
} told[MISTAKES] = {
    [DEV_IS_NULL] = {OPLUS_ERR_ARGUMENT, "dev is NULL"},
    [KEY_IS_NULL] = {OPLUS_ERR_ARGUMENT, "key is NULL"},
    [KEY_IS_RECORD] = {OPLUS_ERR_ARGUMENT, "is not a scalar"},
    [KEYS_ARE_NULL] = {OPLUS_ERR_ARGUMENT, "keys is NULL"},
    [VALUES_ARE_NULL] = {OPLUS_ERR_ARGUMENT, "values is NULL"},
    [VALUE_IS_NULL] = {OPLUS_ERR_ARGUMENT, "value is NULL"},
    [OVERLAP] = {OPLUS_ERR_OVERLAP, "keep them apart"},
    [N_IS_NULL] = {OPLUS_ERR_ARGUMENT, "n is NULL"},
    [N_TOO_LARGE] = {OPLUS_ERR_ARGUMENT, "capacity is 10, but *n is 11"},
    [HUGE_CAPACITY] = {OPLUS_ERR_ARGUMENT, "capacity is"},
    [NO_ORDER] = {OPLUS_ERR_ARGUMENT, "order is 7"},
    [NO_LAYOUT] = {OPLUS_ERR_ARGUMENT, "layout is 7"},
    [OTHER_ORDER] = {OPLUS_ERR_ARGUMENT, "all ranks must make the same call"},
    [OTHER_LAYOUT] = {OPLUS_ERR_ARGUMENT, "all ranks must make the same call"},
    [OTHER_VALUE] = {OPLUS_ERR_ARGUMENT, "all ranks must make the same call"},
    [NO_ROOM] = {OPLUS_ERR_ARGUMENT, "has 10; give room for as many"},
};

typedef struct wrong {
    int bad;
    mistake mistake;
} wrong;

enum { EACH = 10 };

/* Ten elements on each rank, in equal blocks; after a failure they are as they were. */
static bool is_told(oplus_device *dev, const oplus_comm *comm, const void *given, finding *f)
{
    const wrong *const w = given;
    const mistake m = comm->rank == w->bad ? w->mistake : MISTAKES;
    const size_t own = m == NO_ROOM ? EACH - 1 : EACH;
    uint32_t keys[2 * EACH], values[EACH];
    size_t n = m == N_TOO_LARGE                                                   ? own + 1
               : w->mistake == NO_ROOM && comm->rank == (w->bad + 1) % comm->size ? own + 1
                                                                                  : own;
    const size_t capacity = m == HUGE_CAPACITY ? SIZE_MAX / 2 : w->mistake == NO_ROOM ? n : own;
    for (uint32_t i = 0; i < EACH; i++) {
        keys[i] = EACH - i;
        keys[EACH + i] = 0;
        values[i] = i;
    }
    if (w->mistake == NO_ROOM && comm->size == 1) return true;
    const size_t before = n;
    const oplus_status status = oplus_sort_pairs_all(m == DEV_IS_NULL ? NULL : dev, comm,
                                                     m == KEY_IS_NULL     ? NULL
                                                     : m == KEY_IS_RECORD ? &mixed4
                                                                          : &oplus_u32,
                                                     m == NO_ORDER      ? (oplus_order)7
                                                     : m == OTHER_ORDER ? OPLUS_DESCENDING
                                                                        : OPLUS_ASCENDING,
                                                     m == NO_LAYOUT      ? (oplus_layout)7
                                                     : m == OTHER_LAYOUT ? OPLUS_AS_GIVEN
                                                                         : OPLUS_EVEN,
                                                     m == KEYS_ARE_NULL ? NULL : keys,
                                                     m == VALUE_IS_NULL ? NULL
                                                     : m == OTHER_VALUE ? &oplus_f32
                                                                        : &oplus_u32,
                                                     m == VALUES_ARE_NULL ? NULL
                                                     : m == OVERLAP       ? keys + 1
                                                                          : values,
                                                     m == N_IS_NULL ? NULL : &n, capacity);
    if (comm->size == 1 && (m == OTHER_ORDER || m == OTHER_LAYOUT || m == OTHER_VALUE)) return succeeded(status, f);
    for (uint32_t i = 0; i < EACH; i++)
        if (keys[i] != EACH - i || n != before) {
            snprintf(f->text, sizeof f->text, "the call failed, but its arguments have changed");
            return false;
        }
    return failed_as(status, told[w->mistake].status, told[w->mistake].words, f);
}

static void mistakes(void **state)
{
    (void)state;
    rng r = test_rng("mistakes");
    for (const int *ranks = team_sizes(); *ranks > 0; ranks++)
        for (int m = 0; m < MISTAKES; m++) {
            const wrong w = {.bad = (int)rng_below(&r, (size_t)*ranks), .mistake = (mistake)m};
            run_team(*ranks, "serial", is_told, &w, NULL, told[m].words);
        }
}

static bool is_no_transport(oplus_device *dev, const oplus_comm *comm, const void *given, finding *f)
{
    uint32_t key = 1;
    size_t n = 1;
    const oplus_comm none = {.abi = OPLUS_ABI, .size = 1};
    (void)comm;
    (void)given;
    return failed_as(oplus_sort_all(dev, NULL, &oplus_u32, OPLUS_ASCENDING, OPLUS_AS_GIVEN, &key, &n, 1),
                     OPLUS_ERR_ARGUMENT, "comm is NULL", f) &&
           failed_as(oplus_sort_all(dev, &none, &oplus_u32, OPLUS_ASCENDING, OPLUS_AS_GIVEN, &key, &n, 1),
                     OPLUS_ERR_ARGUMENT, "allgather is NULL", f);
}

static void no_transport(void **state)
{
    (void)state;
    run_team(*team_sizes(), "serial", is_no_transport, NULL, NULL, "no transport");
}

/* If a rank's device breaks, nobody is left waiting: all ranks fail, or none. */
static bool fails_together(oplus_device *dev, const oplus_comm *comm, const void *given, finding *f)
{
    const array *const a = given;
    oplus_status all[MOST_RANKS];
    part t;
    bool good = part_open(&t, dev, a, comm->rank, f);
    if (comm->rank == a->bad) break_device(dev, a->step);
    const oplus_status status = sort_part(dev, comm, a, &t);
    if (comm->rank == a->bad) mend_device(dev);
    char text[200];
    snprintf(text, sizeof text, "%.199s", status == OPLUS_OK ? "" : oplus_last_error());
    good = good && succeeded(comm->allgather(comm->context, &status, sizeof status, all), f);
    for (int q = 0; q < comm->size && good; q++)
        if ((all[q] == OPLUS_OK) != (status == OPLUS_OK)) {
            snprintf(f->text, sizeof f->text, "this rank returns %s (%.150s), rank %d %s", oplus_status_string(status),
                     text, q, oplus_status_string(all[q]));
            good = false;
        }
    if (good && status == OPLUS_OK) good = fetch(dev, a, &t, f) && is_sorted(a, &t, comm->rank, f);
    if (good && status != OPLUS_OK && (status != OPLUS_ERR_DEVICE || strstr(text, "broken") == NULL)) {
        snprintf(f->text, sizeof f->text, "it says \"%s\"", text);
        good = false;
    }
    part_close(&t, dev);
    return good;
}

static void try_breaking(const char *where, const char *name, size_t steps, bool there)
{
    rng r = test_rng(name);
    array a;
    array_open(&a, &r, &oplus_u32, &oplus_u32, RANDOM, 5000);
    a.there[0] = a.there[1] = there;
    for (const int *ranks = team_sizes(); *ranks > 0; ranks++) {
        if (*ranks > 3 && *ranks != 8) continue;
        for (a.step = 0; a.step < steps; a.step++) {
            cut_array(&a, &r, CUT_EVENLY, *ranks, OPLUS_EVEN);
            a.bad = (int)rng_below(&r, (size_t)*ranks);
            run_team(*ranks, where, fails_together, &a, NULL, words_of(&a));
        }
    }
    array_close(&a);
}

static void broken_cores(void **state)
{
    (void)state;
    try_breaking("serial", "broken cores", 5, false);
}

static void broken_device(void **state)
{
    const char *const where = device_to_try();
    (void)state;
    if (where == NULL) skip();
    try_breaking(where, "broken device", 8, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_and_shape),
        cmocka_unit_test(every_value),
        cmocka_unit_test(hardly_any),
        cmocka_unit_test(threads),
        cmocka_unit_test(memory),
        cmocka_unit_test(devices),
        cmocka_unit_test(many_on_devices),
        cmocka_unit_test(linked_devices),
        cmocka_unit_test(mistakes),
        cmocka_unit_test(no_transport),
        cmocka_unit_test(broken_cores),
        cmocka_unit_test(broken_device),
    };
    team_begin();
    const int failed = cmocka_run_group_tests_name("ranks: sort", tests, NULL, NULL);
    team_end();
    return failed;
}
