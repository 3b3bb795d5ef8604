/* Exact splitters of sorted keys: a bisection on the bits of the keys, several bits in a round.
 *
 * Rank j searches for boundary j.  In each round every rank counts the next digits of its keys, among the keys that
 * begin as the key at boundary j does, and sends the counts to rank j.  Rank j adds them up, finds the next digit of
 * the key at the boundary, and tells all ranks. */
#include "ranks/splitters.h"

#include "base/error.h"
#include "base/memory.h"
#include "task/make.h"

#include <assert.h>
#include <string.h>

enum {
    DIGIT_BITS_MIN = 2,
    DIGIT_BITS_MAX = 8,
    ROUND_BYTES = 64 << 10, /* about what a rank sends in a round */
    NEAR_BYTES = 256 << 10, /* of keys that a device's machine need not count: to copy them takes less than a launch, */
    NEAR_LEAST = 32 << 10,  /* ... where each copy counts as so many bytes at least */
    LISTS = 3               /* lists of an exchange of rows: bytes that go, places of the rows, bytes that come */
};
static const uint32_t undecided = UINT32_MAX;

/* What a rank tells about its boundary: the next digit of the key there.  If the boundary is decided: of the keys that
 * begin with these digits, ranks before `rank` have all of theirs before the boundary, ranks after it have none there,
 * and `rank` itself has `share`.  If `rank` is undecided, the next digit is needed. */
typedef struct verdict {
    uint32_t digit, rank;
    uint64_t share;
} verdict;

/* The least and the greatest key of a rank; if it has no keys, the least is greater than the greatest. */
typedef struct extent {
    uint64_t least, greatest;
} extent;

static size_t ranks_of(const opi_ranks *ranks) { return (size_t)ranks->comm->size; }

/* --- memory ------------------------------------------------------------------------------------------------------- */

oplus_status opi_splitters_reserve(opi_ranks *ranks, opi_splitters *s)
{
    const size_t p = ranks_of(ranks), digit = p * sizeof(uint64_t);
    s->digit_bits = DIGIT_BITS_MAX;
    while (s->digit_bits > DIGIT_BITS_MIN && digit << s->digit_bits > ROUND_BYTES) s->digit_bits--;

    const size_t boundaries = (p + 1) * sizeof(opi_boundary), rows = digit << s->digit_bits;
    const size_t asked = s->there ? 2 * rows + NEAR_BYTES : 0;
    const size_t bytes = boundaries + 2 * rows + LISTS * p * sizeof(size_t) + asked;
    if (!opi_buffer_reserve(&s->memory, bytes))
        return opi_fail(OPLUS_ERR_MEMORY, "%s: no memory for %zu bytes of boundaries between %d ranks", ranks->call,
                        bytes, ranks->comm->size);
    s->boundary = s->memory.mem;
    s->row = (uint64_t *)(s->boundary + (p + 1));
    s->rows = s->row + (p << s->digit_bits);
    s->counts = (size_t *)(s->rows + (p << s->digit_bits));
    s->places = (uint64_t *)(s->counts + LISTS * p);
    s->bounds = (unsigned char *)(s->places + (p << s->digit_bits));
    s->copied = s->bounds + rows;
    s->near = false;
    return opi_ranks_room(ranks, sizeof(verdict));
}

void opi_splitters_release(opi_splitters *s) { opi_buffer_release(&s->memory); }

/* --- what is known of a boundary ---------------------------------------------------------------------------------- */

/* Divides keys that begin alike, `left` of which are before the boundary, in the order of the ranks.  count: how many
 * of them rank 0 has; the numbers of the other ranks are `stride` places apart.  Returns how many of these keys rank
 * v->rank has. */
static uint64_t divide(const opi_ranks *ranks, const uint64_t *count, size_t stride, uint64_t left, verdict *v)
{
    v->rank = 0;
    v->share = left;
    while (v->share > *count && v->rank + 1 < (uint32_t)ranks->comm->size) {
        v->share -= *count;
        v->rank++;
        count += stride;
    }
    return *count;
}

static void settle(const opi_ranks *ranks, opi_boundary *b, const verdict *v)
{
    const uint32_t own = (uint32_t)ranks->comm->rank;
    b->begin += own < v->rank ? b->end - b->begin : own == v->rank ? (size_t)v->share : 0;
    b->end = b->begin;
    b->open = false;
}

/* Sets the boundaries before anything is counted.  A boundary at an end of the result is known; all boundaries are
 * known if all keys are equal, or if one rank has all keys. */
static void begin_boundaries(const opi_ranks *ranks, opi_splitters *s, const void *keys, bool same, uint64_t prefix)
{
    for (size_t q = 0; q < ranks_of(ranks); q++) s->rows[q] = ranks->note[q].n;
    for (size_t j = 0; j <= ranks_of(ranks); j++) {
        opi_boundary *const b = &s->boundary[j];
        *b = (opi_boundary){.target = b->target, .prefix = prefix, .end = (size_t)ranks->note[ranks->comm->rank].n};
        if (!s->there) b->keys = keys;
        verdict v = {.digit = 0};
        const uint64_t most = divide(ranks, s->rows, 1, b->target, &v);
        b->open = !same && b->target > 0 && b->target < ranks->total && most < ranks->total;
        if (!b->open) settle(ranks, b, &v);
    }
    s->left = s->boundary[ranks->comm->rank].target;
}

/* Finds the next digit of the key at the own boundary, from the counts of all ranks. */
static verdict decide(const opi_ranks *ranks, opi_splitters *s, unsigned bits, bool last)
{
    const size_t digits = (size_t)1 << bits;
    uint64_t total[1 << DIGIT_BITS_MAX] = {0};
    for (size_t q = 0; q < ranks_of(ranks); q++)
        for (size_t d = 0; d < digits; d++) total[d] += s->rows[q * digits + d];
    verdict v = {.digit = 0};
    while (v.digit + 1 < digits && s->left >= total[v.digit]) s->left -= total[v.digit++];
    const uint64_t most = divide(ranks, s->rows + v.digit, digits, s->left, &v);
    if (!last && s->left > 0 && most < total[v.digit]) v.rank = undecided;
    return v;
}

/* --- a round ------------------------------------------------------------------------------------------------------ */

/* Counts how many keys that may be at a boundary have each digit; `shift` is the lowest bit of the digit. */
static void count_row(const opi_splitters *s, const opi_boundary *b, unsigned bits, unsigned shift, uint64_t *row)
{
    const size_t digits = (size_t)1 << bits, last = b->end - b->base;
    size_t at = b->begin - b->base;
    for (size_t d = 0; d < digits; d++) {
        const uint64_t bound = b->prefix + ((uint64_t)(d + 1) << shift);
        const size_t end = d + 1 < digits ? opi_key_below(&s->order, b->keys, at, last, bound) : last;
        row[d] = end - at;
        at = end;
    }
}

/* Boundaries between the same keys share their counts. */
static void count_rows_here(const opi_ranks *ranks, opi_splitters *s, unsigned bits, unsigned shift)
{
    size_t before = 0; /* boundary 0 is never open */
    for (size_t j = 1; j < ranks_of(ranks); j++) {
        const opi_boundary *const b = &s->boundary[j];
        if (!b->open) continue;
        uint64_t *const row = s->row + (j << bits);
        if (before > 0 && s->boundary[before].prefix == b->prefix)
            memcpy(row, s->row + (before << bits), sizeof *row << bits);
        else
            count_row(s, b, bits, shift, row);
        before = j;
    }
}

/* The key whose mapped bits these are. */
static uint64_t raw_of(const opi_key_order *order, uint64_t mapped)
{
    const uint64_t raw = mapped ^ order->flip;
    return raw >> (8 * order->size - 1) & 1 ? raw ^ order->float_mask : raw;
}

/* Where `count` keys of s->bounds belong among this rank's keys. */
static oplus_status find_places(const opi_ranks *ranks, const opi_splitters *s, const void *keys, size_t count)
{
    const size_t n = (size_t)ranks->note[ranks->comm->rank].n;
    opi_task task;
    memset(s->places, 0, count * sizeof *s->places);
    if (n == 0 || count == 0) return OPLUS_OK;
    opi_task_bounds(&task, s->key, s->direction, NULL, keys, n, false, s->bounds, count, sizeof *s->places, s->places);
    return ranks->dev->machine->run(ranks->dev, ranks->call, &task, NULL);
}

/* The same as count_rows_here, of keys that only the machine can read: it searches for all borders between digits at
 * once. */
static oplus_status count_rows_there(const opi_ranks *ranks, opi_splitters *s, const void *keys, unsigned bits,
                                     unsigned shift)
{
    assert(bits <= DIGIT_BITS_MAX);
    const size_t digits = (size_t)1 << bits, size = s->order.size;
    size_t asked = 0;
    for (size_t j = 1; j < ranks_of(ranks); j++)
        for (size_t d = 0; d + 1 < digits && s->boundary[j].open; d++) { /* the last digit ends where the prefix does */
            const uint64_t raw = raw_of(&s->order, s->boundary[j].prefix + ((uint64_t)(d + 1) << shift));
            memcpy(s->bounds + asked++ * size, &raw, size); /* little endian */
        }
    const oplus_status status = find_places(ranks, s, keys, asked);
    const uint64_t *place = s->places;
    for (size_t j = 1; j < ranks_of(ranks); j++) {
        const opi_boundary *const b = &s->boundary[j];
        uint64_t at = b->begin;
        for (size_t d = 0; d < digits && b->open; d++) {
            const uint64_t end = d + 1 < digits && status == OPLUS_OK ? *place++ : b->end;
            s->row[(j << bits) + d] = end - at;
            at = end;
        }
    }
    return status;
}

/* Whether the keys of an open boundary are those of the open one before it, which is boundary `before`; 0: there is none. */
static bool has_same_keys(const opi_splitters *s, size_t before, const opi_boundary *b)
{
    return before > 0 && s->boundary[before].begin == b->begin && s->boundary[before].end == b->end;
}

/* What copying the keys that may be at a boundary takes: in bytes, as if each copy had NEAR_LEAST bytes or more. */
static uint64_t cost_of_copies(const opi_ranks *ranks, const opi_splitters *s)
{
    uint64_t sum = 0;
    size_t before = 0;
    for (size_t j = 1; j < ranks_of(ranks); j++) {
        const opi_boundary *const b = &s->boundary[j];
        if (!b->open) continue;
        if (b->end > b->begin && !has_same_keys(s, before, b))
            sum += opi_larger((b->end - b->begin) * s->order.size, NEAR_LEAST);
        before = j;
    }
    return sum;
}

/* Copies the keys that may be at a boundary to the host, once they are few. */
static oplus_status bring_near(const opi_ranks *ranks, opi_splitters *s, const unsigned char *keys)
{
    unsigned char *to = s->copied;
    size_t before = 0;
    if (cost_of_copies(ranks, s) > NEAR_BYTES) return OPLUS_OK;
    for (size_t j = 1; j < ranks_of(ranks); j++) {
        opi_boundary *const b = &s->boundary[j];
        const size_t bytes = (b->end - b->begin) * s->order.size;
        if (!b->open) continue;
        b->base = b->begin;
        b->keys = has_same_keys(s, before, b) ? s->boundary[before].keys : to;
        before = j;
        if (b->keys != to || bytes == 0) continue;
        OPI_TRY(ranks->dev->machine->copy(ranks->dev, ranks->call, to, keys + b->begin * s->order.size, bytes));
        to += bytes;
    }
    s->near = true;
    return OPLUS_OK;
}

static oplus_status count_rows(const opi_ranks *ranks, opi_splitters *s, const void *keys, unsigned bits,
                               unsigned shift)
{
    const oplus_status brought = s->there && !s->near ? bring_near(ranks, s, keys) : OPLUS_OK;
    if (!s->there || s->near) {
        count_rows_here(ranks, s, bits, shift);
        return OPLUS_OK;
    }
    const oplus_status counted = count_rows_there(ranks, s, keys, bits, shift);
    return brought == OPLUS_OK ? counted : brought;
}

/* Sets *own to the first of n > 0 keys and the last one. */
static oplus_status look_at_ends(const opi_ranks *ranks, const opi_splitters *s, const void *keys, size_t n,
                                 extent *own)
{
    unsigned char ends[2 * sizeof(uint64_t)] = {0};
    const unsigned char *const first = keys, *const last = first + (n - 1) * s->order.size;
    if (s->there) {
        OPI_TRY(ranks->dev->machine->copy(ranks->dev, ranks->call, ends, first, s->order.size));
        OPI_TRY(ranks->dev->machine->copy(ranks->dev, ranks->call, ends + s->order.size, last, s->order.size));
    } else {
        memcpy(ends, first, s->order.size);
        memcpy(ends + s->order.size, last, s->order.size);
    }
    *own = (extent){opi_key_at(&s->order, ends, 0), opi_key_at(&s->order, ends, 1)};
    return OPLUS_OK;
}

/* Sends each row to the rank whose boundary it belongs to. */
static oplus_status exchange_rows(opi_ranks *ranks, const opi_splitters *s, unsigned bits)
{
    assert(bits <= DIGIT_BITS_MAX);
    const size_t p = ranks_of(ranks), bytes = sizeof(uint64_t) << bits;
    size_t *const give = s->counts, *const place = give + p, *const get = place + p;
    const bool own = s->boundary[ranks->comm->rank].open;
    for (size_t q = 0; q < p; q++) {
        give[q] = s->boundary[q].open ? bytes : 0;
        place[q] = q * bytes;
        get[q] = own ? bytes : 0;
    }
    return ranks->comm->alltoallv(ranks->comm->context, s->row, give, place, s->rows, get, place);
}

/* Takes what the ranks have told about their boundaries.  Returns whether a boundary is still open. */
static bool narrow(const opi_ranks *ranks, opi_splitters *s, unsigned bits, unsigned shift)
{
    bool any = false;
    for (size_t j = 1; j < ranks_of(ranks); j++) {
        opi_boundary *const b = &s->boundary[j];
        if (!b->open) continue;
        const uint64_t *const row = s->row + (j << bits);
        verdict v;
        memcpy(&v, opi_ranks_record(ranks, (int)j, sizeof v), sizeof v);
        for (size_t d = 0; d < v.digit; d++) b->begin += (size_t)row[d];
        b->end = b->begin + (size_t)row[v.digit];
        b->prefix += (uint64_t)v.digit << shift;
        if (v.rank == undecided)
            any = true;
        else
            settle(ranks, b, &v);
    }
    return any;
}

/* --- all of it ---------------------------------------------------------------------------------------------------- */

/* Finds the bits in which keys differ: those below *shift.  Returns the bits that all keys begin with. */
static uint64_t common_bits(const opi_ranks *ranks, unsigned *shift)
{
    extent all = {UINT64_MAX, 0};
    for (int q = 0; q < ranks->comm->size; q++) {
        extent one;
        memcpy(&one, opi_ranks_record(ranks, q, sizeof one), sizeof one);
        if (one.least < all.least) all.least = one.least;
        if (one.greatest > all.greatest) all.greatest = one.greatest;
    }
    *shift = all.least >= all.greatest ? 0 : 64 - (unsigned)__builtin_clzll(all.least ^ all.greatest);
    return *shift == 64 ? 0 : all.least >> *shift << *shift;
}

oplus_status opi_splitters_find(opi_ranks *ranks, opi_splitters *s, oplus_status status, const void *keys)
{
    const size_t n = (size_t)ranks->note[ranks->comm->rank].n;
    extent own = {UINT64_MAX, 0};
    if (n > 0 && status == OPLUS_OK) status = look_at_ends(ranks, s, keys, n, &own);
    OPI_TRY(opi_ranks_gather(ranks, status, &own, sizeof own));

    unsigned shift;
    const uint64_t prefix = common_bits(ranks, &shift);
    begin_boundaries(ranks, s, keys, shift == 0, prefix);
    bool open = false;
    for (size_t j = 0; j <= ranks_of(ranks); j++) open |= s->boundary[j].open;
    while (open) {
        const unsigned bits = shift < s->digit_bits ? shift : s->digit_bits;
        shift -= bits;
        const oplus_status counted = count_rows(ranks, s, keys, bits, shift);
        OPI_TRY(exchange_rows(ranks, s, bits));
        verdict v = {.digit = 0};
        if (s->boundary[ranks->comm->rank].open) v = decide(ranks, s, bits, shift == 0);
        OPI_TRY(opi_ranks_gather(ranks, counted, &v, sizeof v));
        open = narrow(ranks, s, bits, shift);
    }
    return OPLUS_OK;
}
