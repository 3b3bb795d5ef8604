/* An aligned block of the elements in the opposite order is a run of neighbours in the array, and its node is the one that
 * the operator's own loops make of them.
 *
 * For results there is no such loop.  A piece is cut into runs, which are laid side by side as columns, so that all of them
 * take the same steps: each step joins two rows, pair by pair, and pairs can be joined in either order. */
#include "cores/scan_back.h"

#include "task/combine.h"

#include <string.h>

enum { MOST_RUN = 6 /* a run has at most 2^6 elements, and what precedes it is found by calls */ };

static void combine_exchanged(void *out, const void *a, const void *b, const void *param)
{
    opi_combine(*(const oplus_op *const *)param, out, b, a);
}

void opi_exchange(oplus_op *exchanged, const oplus_op *const *op)
{
    *exchanged = (oplus_op){.abi = OPLUS_ABI, .type = (*op)->type, .identity = (*op)->identity};
    exchanged->flags = (*op)->flags & OPLUS_EXACT;
    exchanged->combine_with = combine_exchanged;
    exchanged->param = op;
}

void opi_back_append(const opi_loops *plain, const opi_lens *lens, size_t begin, size_t end, opi_range *range,
                     char *scratch)
{
    char *const node = scratch, *const own = node + opi_round_up(plain->size, OPI_CACHE_LINE);
    for (size_t i = begin, count; i < end; i += count) {
        const unsigned level = opi_loops_fit(plain->level, range->end, end - i);
        count = (size_t)1 << level;
        opi_loops_node(plain, lens->in[0] + (lens->n - i - count) * plain->size, level, node, own);
        opi_range_push(range, level, node, 0);
    }
}

/* --- results ------------------------------------------------------------------------------------------------------ */

/* Runs side by side, all as they lie in the array: the last column is met first, and in a column the last row. */
typedef struct columns {
    const opi_loops *plain;
    unsigned level;      /* a run has 2^level elements */
    size_t width, bytes; /* runs, and bytes of a row */
    char *at, *ends; /* the rows, behind them one of what precedes the runs; and a row of what precedes their ends */
} columns;

static size_t height(const columns *c) { return (size_t)1 << c->level; }

/* The runs of n elements; they have no memory yet. */
static columns columns_of(const opi_loops *plain, size_t n)
{
    columns c = {.plain = plain};
    while (c.level < MOST_RUN && n >> (c.level + 1) > 0) c.level++;
    c.width = n >> c.level;
    c.bytes = c.width * plain->size;
    return c;
}

/* The row of what the first m rows that are met make; 0: of what precedes them all. */
static char *row_of(const columns *c, size_t m) { return c->at + (height(c) - m) * c->bytes; }

/* Row m becomes the join of row q, which is met before and comes later in the array, and itself. */
static void join(const columns *c, size_t q, size_t m)
{
    opi_loops_zip(c->plain, row_of(c, m), row_of(c, q), c->width, row_of(c, m));
}

/* Row m becomes the node that ends there, of 2^k elements if 2^k is the lowest bit of m. */
static void climb(const columns *c)
{
    for (unsigned k = 0; k < c->level; k++)
        for (size_t m = (size_t)2 << k; m <= height(c); m += (size_t)2 << k) join(c, m - ((size_t)1 << k), m);
}

/* Finds what precedes the runs and their ends. */
static void find_before(const columns *c, opi_range *range)
{
    const size_t size = c->plain->size;
    for (size_t at = c->bytes; at > 0;) {
        at -= size;
        memcpy(row_of(c, 0) + at, opi_range_fold(range), size);
        opi_range_push(range, c->level, row_of(c, height(c)) + at, 0);
        memcpy(c->ends + at, opi_range_fold(range), size);
    }
}

/* Row m becomes P(m) = P(q) joined with its node, q = m without its lowest bit. */
static void descend(const columns *c)
{
    for (unsigned k = c->level; k-- > 0;)
        for (size_t q = 0; q < height(c); q += (size_t)2 << k) join(c, q, q + ((size_t)1 << k));
    memcpy(row_of(c, height(c)), c->ends, c->bytes);
}

void opi_back_scan(const opi_loops *plain, const char *x, size_t n, bool exclusive, char *out, opi_range *range,
                   char *scratch)
{
    columns c = columns_of(plain, n);
    c.at = scratch;
    c.ends = c.at + (height(&c) + 1) * c.bytes;
    plain->isa->transpose(x, height(&c), c.at, c.width, c.width, height(&c), plain->size);
    climb(&c);
    find_before(&c, range);
    descend(&c);
    plain->isa->transpose(c.at + (exclusive ? c.bytes : 0), c.width, out, height(&c), height(&c), c.width, plain->size);
    opi_quiet_run(&plain->quiet, out, n);
}

size_t opi_back_scratch(const opi_loops *plain, size_t n)
{
    const size_t node = opi_round_up(plain->size, OPI_CACHE_LINE) + opi_loops_scratch(plain);
    const columns c = columns_of(plain, n);
    return opi_round_up(opi_larger(node, (height(&c) + 2) * c.bytes), OPI_CACHE_LINE);
}
