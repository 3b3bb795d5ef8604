/* How elements travel from rank to rank. */
#include "tree/ranks/ranks.h"

#include "base/error.h"

/* The four lists that the transport wants, in bytes. */
typedef struct lists {
    size_t *send_bytes, *send_at, *recv_bytes, *recv_at;
} lists;

static lists lists_of(const opi_ranks *ranks)
{
    const size_t size = (size_t)ranks->comm->size;
    size_t *const c = ranks->counts;
    return (lists){c, c + size, c + 2 * size, c + 3 * size};
}

oplus_status opi_ranks_scatter(opi_ranks *ranks, const void *send, size_t bytes, void *recv)
{
    const lists l = lists_of(ranks);
    for (size_t q = 0; q < (size_t)ranks->comm->size; q++) {
        l.send_bytes[q] = l.recv_bytes[q] = bytes;
        l.send_at[q] = l.recv_at[q] = q * bytes;
    }
    return ranks->comm->alltoallv(ranks->comm->context, send, l.send_bytes, l.send_at, recv, l.recv_bytes, l.recv_at);
}

oplus_status opi_ranks_exchange(opi_ranks *ranks, const opi_parcel *parcel)
{
    const lists l = lists_of(ranks);
    for (int q = 0; q < ranks->comm->size; q++) {
        l.send_bytes[q] = parcel->send_count[q] * parcel->size;
        l.send_at[q] = parcel->send_at[q] * parcel->size;
        l.recv_bytes[q] = parcel->recv_count[q] * parcel->size;
        l.recv_at[q] = parcel->recv_at[q] * parcel->size;
    }
    return ranks->comm->alltoallv(ranks->comm->context, parcel->send, l.send_bytes, l.send_at, parcel->recv,
                                  l.recv_bytes, l.recv_at);
}
