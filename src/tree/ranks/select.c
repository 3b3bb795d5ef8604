/* Exact splitters of sorted keys, by bisection on the bits of the key, several in a round.
 *
 * Boundary j is rank j's business: every rank tells it how many of its keys have each digit, among those that begin as
 * the key at the boundary does; it adds up, sees in which digit the boundary lies, and tells all. */
#include "tree/ranks/select.h"

#include "base/error.h"

#include <assert.h>
#include <string.h>

enum {
    DIGIT_BITS_MIN = 2,
    DIGIT_BITS_MAX = 8,
    ROUND_BYTES = 64 << 10, /* that a rank sends in a round, about */
    DECIDED = 1,            /* all boundaries that need no rank to tell */
};
static const uint32_t undecided = UINT32_MAX;

/* What a rank tells of its boundary: the digit that the key there has.  Of the keys that begin so, the ranks before
 * `rank` have all of theirs before the boundary, those after it none, and itself `share`; rank undecided: the next
 * digit has to be known. */
typedef struct verdict {
    uint32_t digit, rank;
    uint64_t share;
} verdict;

/* The least and the greatest key of a rank, or the other way round if it has none. */
typedef struct extent {
    uint64_t least, greatest;
} extent;

static size_t ranks_of(const opi_ranks *ranks) { return (size_t)ranks->comm->size; }

/* --- memory ------------------------------------------------------------------------------------------------------- */

oplus_status opi_select_reserve(opi_ranks *ranks, opi_select *select)
{
    const size_t p = ranks_of(ranks), row = sizeof(uint64_t) * p;
    select->digit_bits = DIGIT_BITS_MAX;
    while (select->digit_bits > DIGIT_BITS_MIN && row << select->digit_bits > ROUND_BYTES) select->digit_bits--;

    const size_t list = (p + 1) * sizeof(uint64_t), rows = row << select->digit_bits;
    const size_t bytes = 5 * list + 2 * rows + 4 * p * sizeof(size_t);
    if (!opi_buffer_reserve(&select->memory, bytes))
        return opi_fail(OPLUS_ERR_MEMORY, "%s: no memory for %zu bytes of boundaries between %d ranks", ranks->call,
                        bytes, ranks->comm->size);
    uint64_t *const mem = select->memory.mem;
    select->target = mem;
    select->prefix = mem + (p + 1);
    select->row = mem + 2 * (p + 1);
    select->rows = select->row + (p << select->digit_bits);
    select->cut = (size_t *)(select->rows + (p << select->digit_bits));
    select->begin = select->cut + (p + 1);
    select->end = select->begin + (p + 1);
    select->counts = select->end + (p + 1);
    return opi_ranks_room(ranks, sizeof(verdict) > sizeof(extent) ? sizeof(verdict) : sizeof(extent));
}

void opi_select_release(opi_select *select) { opi_buffer_release(&select->memory); }

/* --- what the owner of a boundary decides ---------------------------------------------------------------------------
 */

/* Divides keys that begin alike, of which `left` are before the boundary, in the order of the ranks; count: how many
 * rank 0 has, every rank's `stride` numbers further on.  Returns how many the rank has that is divided itself. */
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

/* How many of this rank's `n` keys are before the boundary. */
static size_t part_of(const opi_ranks *ranks, const verdict *v, size_t n)
{
    const uint32_t own = (uint32_t)ranks->comm->rank;
    return own < v->rank ? n : own == v->rank ? (size_t)v->share : 0;
}

/* The digit of the own boundary, out of what all ranks have counted. */
static verdict decide(const opi_ranks *ranks, opi_select *s, unsigned bits, bool last)
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

/* --- what every rank does with each boundary ------------------------------------------------------------------------
 */

/* As of a boundary that is found: nothing lies on both sides. */
static void settle(opi_select *s, size_t j, size_t cut) { s->cut[j] = s->begin[j] = s->end[j] = cut; }

/* Boundaries that need no counting: the ends, and all of them if every key is the same, or on one rank. */
static void settle_known(const opi_ranks *ranks, opi_select *s, bool same, bool *open)
{
    const size_t n = (size_t)ranks->note[ranks->comm->rank].n;
    const size_t stride = sizeof *ranks->note / sizeof(uint64_t);
    for (size_t j = 0; j <= ranks_of(ranks); j++) {
        verdict v = {.digit = 0};
        const uint64_t t = s->target[j], most = divide(ranks, &ranks->note[0].n, stride, t, &v);
        open[j] = !same && t > 0 && t < ranks->total && most < ranks->total;
        s->begin[j] = 0;
        s->end[j] = n;
        if (!open[j]) settle(s, j, part_of(ranks, &v, n));
    }
}
