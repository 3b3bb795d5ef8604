/* A partition's loops over one record format: the summary of a run of keys, and the scatter to their buckets; included
 * by cores/isa/sort_format.h, whose macros it uses. */

#include "cores/isa/sort_digits.h"

static bool FORMAT(ascends)(const RECORD *in, size_t n, unsigned drop)
{
    (void)drop;
    for (size_t begin = 1; begin < n; begin += CHUNK) { /* the first chunk is mostly enough */
        const size_t end = n - begin < CHUNK ? n : begin + CHUNK;
        bool breaks = false;
        for (size_t i = begin; i < end; i++) breaks |= ORDER_OF(in[i - 1]) > ORDER_OF(in[i]);
        if (breaks) return false;
    }
    return true;
}

/* Whether keys descend strictly, so that no two are the same. */
static bool FORMAT(descends)(const RECORD *in, size_t n, unsigned drop)
{
    (void)drop;
    size_t i = 1;
    while (i < n && ORDER_OF(in[i - 1]) > ORDER_OF(in[i])) i++;
    return i == n;
}

static void FORMAT(summarise)(const opi_sort *sort, opi_sort_place place, size_t begin, size_t end,
                              const opi_sort_digit *digit, opi_sort_summary *summary)
{
    RECORD chunk[CHUNK];
    uint8_t d[CHUNK];
    const unsigned drop = sort->drop;
    while (begin < end) {
        uint32_t count[4][OPI_SORT_DIGITS] = {{0}}; /* four: neighbours often have the same digit */
        size_t left = end - begin < HISTOGRAM_CHUNK ? end - begin : HISTOGRAM_CHUNK;
        while (left > 0) {
            size_t n = left < CHUNK ? left : CHUNK;
            const RECORD *in = FORMAT(fetch)(sort, place, begin, &n, chunk);
            KEY any = 0, all = (KEY)-1;
            for (size_t i = 0; i < n; i++) {
                any |= ORDER_OF(in[i]);
                all &= ORDER_OF(in[i]);
            }
            FORMAT(digits)(in, n, digit, drop, d);
            size_t i = 0;
            for (; i + 4 <= n; i += 4)
                for (size_t k = 0; k < 4; k++) count[k][d[i + k]]++;
            for (; i < n; i++) count[0][d[i]]++;
            if (summary->sorted)
                summary->sorted = (summary->empty || summary->last <= ORDER_OF(in[0])) && FORMAT(ascends)(in, n, drop);
            if (summary->empty) summary->first = ORDER_OF(in[0]);
            summary->empty = false;
            summary->last = ORDER_OF(in[n - 1]);
            summary->any |= any;
            summary->all &= all;
            begin += n;
            left -= n;
        }
        for (size_t d = 0; d < OPI_SORT_DIGITS; d++)
            summary->count[d] += (uint64_t)count[0][d] + count[1][d] + count[2][d] + count[3][d];
    }
}

/* Writes each record straight to its bucket: fast as long as the buckets' open lines fit the first-level cache.  The line
 * that a bucket opens next is prefetched: some processors fetch the lines that stores miss one after the other (an Intel
 * Xeon took 5 ns a key instead of 1.4).  next: the keys that come next, `stride` bytes apart, are prefetched too, as all
 * their digits will be wanted at once. */
static void FORMAT(scatter_directly)(const RECORD *OPLUS_RESTRICT_ in, const uint8_t *OPLUS_RESTRICT_ d, size_t n,
                                     uintptr_t next, size_t stride, RECORD *OPLUS_RESTRICT_ out,
                                     size_t *OPLUS_RESTRICT_ position)
{
    size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        __builtin_prefetch((const void *)(next + i * stride));
        for (size_t k = 0; k < 4; k++) {
            const size_t p = position[d[i + k]]++;
            prefetch_line((const void *)((uintptr_t)(out + p) + OPI_CACHE_LINE));
            out[p] = in[i + k];
        }
    }
    for (; i < n; i++) out[position[d[i]]++] = in[i];
}

/* Records that wait to be written, some lines of each bucket; first[d]: where those of digit d begin. */
enum { FORMAT(WAITING) = WAITING_LINES * OPI_CACHE_LINE / sizeof(RECORD) };
typedef struct FORMAT(waiting) {
    _Alignas(OPI_CACHE_LINE) RECORD record[OPI_SORT_DIGITS][FORMAT(WAITING)];
    size_t first[OPI_SORT_DIGITS];
} FORMAT(waiting);

/* Records go to their bucket some cache lines at a time, past the caches. */
static void FORMAT(scatter_lines)(const RECORD *in, const uint8_t *digit, size_t n, RECORD *out, size_t *position,
                                  FORMAT(waiting) * waiting)
{
    enum { ROOM = FORMAT(WAITING), LINE = OPI_CACHE_LINE / sizeof(RECORD) };
    for (size_t i = 0; i < n; i++) {
        const size_t d = digit[i], p = position[d]++;
        RECORD *const line = waiting->record[d];
        line[p % ROOM] = in[i];
        if (p % ROOM != ROOM - 1) continue;
        const size_t start = p - (ROOM - 1), first = waiting->first[d];
        if (start >= first)
            for (size_t k = 0; k < ROOM; k += LINE) stream_line(out + start + k, line + k);
        else /* the bucket's first line is not ours alone */
            memcpy(out + first, line + first % ROOM, (p + 1 - first) * sizeof(RECORD));
    }
}

static void FORMAT(write_waiting)(RECORD *out, const size_t *position, const FORMAT(waiting) * waiting)
{
    enum { ROOM = FORMAT(WAITING) };
    for (size_t d = 0; d < OPI_SORT_DIGITS; d++) {
        const size_t end = position[d], start = end - end % ROOM;
        const size_t from = start > waiting->first[d] ? start : waiting->first[d];
        memcpy(out + from, waiting->record[d] + from % ROOM, (end - from) * sizeof(RECORD));
    }
    stream_fence();
}

/* position[d]: where the next record of digit d goes; advanced. */
static void FORMAT(scatter)(const opi_sort *sort, opi_sort_place place, size_t begin, size_t end,
                            const opi_sort_digit *digit, unsigned char *to, size_t position[OPI_SORT_DIGITS])
{
    RECORD *const out = (RECORD *)to, chunk[CHUNK];
    uint8_t d[CHUNK];
    const unsigned drop = sort->drop;
    FORMAT(waiting) waiting; /* touched only where lines collide */
    const size_t stride = place == OPI_SORT_CALLER ? sort->key_size : sizeof(RECORD);
    const uintptr_t from = (uintptr_t)(place == OPI_SORT_CALLER ? sort->keys : sort->records[place]);
    const bool collide = lines_collide(position, sizeof(RECORD));
    if (collide) memcpy(waiting.first, position, sizeof waiting.first);
    for (size_t n; begin < end; begin += n) {
        n = end - begin < CHUNK ? end - begin : CHUNK;
        const RECORD *const in = FORMAT(fetch)(sort, place, begin, &n, chunk);
        FORMAT(digits)(in, n, digit, drop, d);
        if (collide)
            FORMAT(scatter_lines)(in, d, n, out, position, &waiting);
        else
            FORMAT(scatter_directly)(in, d, n, from + (begin + CHUNK) * stride, stride, out, position);
    }
    if (collide) FORMAT(write_waiting)(out, position, &waiting);
}
