/* Results of which each rank has made any number are dealt out in equal blocks: each travels at most once, straight to the
 * rank that gets it. */
#include "ranks/ranks.h"

#include "base/error.h"

#include <string.h>

oplus_status opi_blocks_reserve(opi_ranks *ranks, opi_blocks *blocks)
{
    const size_t p = (size_t)ranks->comm->size;
    void *mem;
    OPI_TRY(opi_ranks_lend(ranks, false, (p + 1) * sizeof(uint64_t) + 4 * p * sizeof(size_t), &mem));
    blocks->first = mem;
    blocks->send_count = (size_t *)(blocks->first + p + 1);
    blocks->send_at = blocks->send_count + p;
    blocks->recv_count = blocks->send_at + p;
    blocks->recv_at = blocks->recv_count + p;
    return OPLUS_OK;
}

uint64_t opi_blocks_gets(const opi_ranks *ranks, uint64_t total, int rank)
{
    return opi_ranks_block(ranks, total, rank + 1) - opi_ranks_block(ranks, total, rank);
}

oplus_status opi_ranks_too_small(const opi_ranks *ranks, const char *what, int rank, uint64_t gets)
{
    const int letters = (int)strlen(what) - (gets == 1); /* "1 element" */
    return opi_fail(OPLUS_ERR_ARGUMENT, "%s: capacity on rank %d is %llu, but it gets %llu %.*s; give room for %llu",
                    ranks->call, rank, (unsigned long long)ranks->note[rank].m, (unsigned long long)gets, letters, what,
                    (unsigned long long)gets);
}

/* Of the elements [begin, end), those in [from, to): the index of the first, counted from begin, and their number. */
static size_t common(uint64_t begin, uint64_t end, uint64_t from, uint64_t to, size_t *at)
{
    const uint64_t first = begin > from ? begin : from, last = end < to ? end : to;
    *at = first < last ? (size_t)(first - begin) : 0;
    return first < last ? (size_t)(last - first) : 0;
}

void opi_blocks_list(const opi_ranks *ranks, opi_blocks *b)
{
    const int p = ranks->comm->size, own = ranks->comm->rank;
    const uint64_t total = b->first[p];
    const uint64_t begin = opi_ranks_block(ranks, total, own), end = opi_ranks_block(ranks, total, own + 1);
    b->moves = false;
    for (int q = 0; q < p; q++) {
        const uint64_t theirs = opi_ranks_block(ranks, total, q), next = opi_ranks_block(ranks, total, q + 1);
        b->send_count[q] = common(b->first[own], b->first[own + 1], theirs, next, &b->send_at[q]);
        b->recv_count[q] = common(begin, end, b->first[q], b->first[q + 1], &b->recv_at[q]);
        b->moves |= b->first[q] != theirs;
    }
}

/* Copies what stays on this rank. */
static oplus_status keep(opi_ranks *ranks, const opi_blocks *b, size_t size, const char *from, char *to)
{
    oplus_device *const dev = ranks->dev;
    const int own = ranks->comm->rank;
    if (b->send_count[own] == 0) return OPLUS_OK;
    return dev->machine->copy(dev, ranks->call, to + b->recv_at[own] * size, from + b->send_at[own] * size,
                              b->send_count[own] * size);
}

oplus_status opi_blocks_move(opi_ranks *ranks, const opi_blocks *b, size_t size, const void *from, void *to)
{
    const int own = ranks->comm->rank;
    const size_t stay = b->send_count[own];
    const oplus_status kept = keep(ranks, b, size, from, to);
    if (!b->moves) return kept;
    b->send_count[own] = b->recv_count[own] = 0;
    const opi_parcel parcel = {.size = size,
                               .send = from,
                               .recv = to,
                               .send_count = b->send_count,
                               .send_at = b->send_at,
                               .recv_count = b->recv_count,
                               .recv_at = b->recv_at};
    const oplus_status moved = opi_ranks_exchange(ranks, &parcel);
    b->send_count[own] = b->recv_count[own] = stay;
    return kept != OPLUS_OK ? kept : moved;
}
