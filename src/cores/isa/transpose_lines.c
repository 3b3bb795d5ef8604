/* Transpose from memory to memory, by whole cache lines of the result. */
#include "cores/isa/leaves.h"
#include "cores/isa/stream.h"
#include "cores/isa/turn.h"
#include "cores/transpose.h"

#include <stdbool.h>

enum {
    AHEAD = 8 * LINE, /* bytes of each row: what is prefetched while a piece is turned */
    PAGE = 4096,      /* lines so far apart are in one set of a first-level cache, */
    WAYS = 8          /* which holds so many of them */
};

/* Less than a line, as at the ends of runs: two pieces that overlap; a call of memcpy would take longer than all else. */
OPI_INLINE void copy_few(char *to, const char *from, size_t bytes)
{
#define TWO(piece)                                                                                                     \
    if (bytes >= (piece)) {                                                                                            \
        char first[piece], last[piece];                                                                                \
        memcpy(first, from, piece);                                                                                    \
        memcpy(last, from + bytes - (piece), piece);                                                                   \
        memcpy(to, first, piece);                                                                                      \
        memcpy(to + bytes - (piece), last, piece);                                                                     \
        return;                                                                                                        \
    }
    TWO(32)
    TWO(16)
    TWO(8)
    TWO(4)
    for (size_t i = 0; i < bytes; i++) to[i] = from[i];
#undef TWO
}

/* Writes the whole lines that end in the run [to, to + bytes).  Before `from` stands what precedes the run, unless it
 * `begins` here; what follows the last line is written only if it `ends` here. */
OPI_INLINE void put_run(char *to, const char *from, size_t bytes, bool begins, bool ends)
{
    char *const end = to + bytes;
    const size_t behind = (uintptr_t)to % LINE;
    to -= behind;
    from -= behind;
    if (begins && behind > 0) {
        const size_t head = LINE - behind < bytes ? LINE - behind : bytes;
        copy_few(to + behind, from + behind, head);
        to += LINE;
        from += LINE;
    }
    for (; to + LINE <= end; to += LINE, from += LINE) stream_line(to, from);
    if (ends && to < end) copy_few(to, from, (size_t)(end - to));
}

/* Whether the lines of one column of a piece need more of one set of a first-level cache than it has. */
OPI_INLINE bool is_crowded(size_t stride, size_t rows)
{
    const size_t apart = stride & -stride;
    return rows * (apart < PAGE ? apart : PAGE) > (size_t)WAYS * PAGE;
}

/* Prefetches what is read some lines after the line at `at` of rows of `bytes`: of these `down` rows, or of those below
 * them, if there are as many; `left` are left. */
OPI_INLINE void prefetch(const char *rows, size_t stride, size_t down, size_t left, size_t at, size_t bytes)
{
    at += AHEAD;
    if (at >= bytes) {
        at = at - bytes < bytes ? at - bytes : 0;
        rows += down * stride;
        if (left < 2 * down) return;
    }
    for (size_t r = 0; r < down; r++) __builtin_prefetch(rows + r * stride + at, 0, 2);
}

/* A tile is read by steps of so many rows that they are whole lines of a column, and a step by pieces of a line of each
 * row.  A piece is turned into windows, one for each of its columns: first the step before, of which the last line is
 * kept, then what is new. */
typedef struct lines_tile {
    const char *in;
    char *out;
    size_t in_stride, out_stride, rows, cols;
    char *gathered, *windows;
    bool aligned; /* columns begin with a line: a step leaves nothing for the next one */
    bool crowded; /* rows crowd a set of the cache: the lines of a piece are copied to where they do not */
} lines_tile;

/* The piece of `down` rows from row r and `width` columns from column c; fresh: what is new of the first window. */
OPI_INLINE void turn_piece(const lines_tile *t, size_t r, size_t c, size_t down, size_t width, char *fresh,
                           size_t window, size_t size)
{
    const char *const from = t->in + r * t->in_stride + c * size;
    if (t->crowded && width * size == LINE) {
        for (size_t i = 0; i < down; i++) memcpy(t->gathered + i * LINE, from + i * t->in_stride, LINE);
        turn(t->gathered, LINE, fresh, window, down, width, size);
    } else {
        turn(from, t->in_stride, fresh, window, down, width, size);
    }
}

OPI_INLINE void put_piece(const lines_tile *t, size_t r, size_t c, size_t down, size_t width, char *fresh,
                          size_t window, size_t size)
{
    const bool begins = r == 0, ends = r + down == t->rows;
    char *const to = t->out + c * t->out_stride + r * size;
    for (size_t i = 0; i < width; i++) {
        char *const new = fresh + i *window;
        put_run(to + i * t->out_stride, new, down * size, begins, ends);
        if (!t->aligned && !ends) memcpy(new - LINE, new + down *size - LINE, LINE);
    }
}

/* The same for a whole piece of whole lines. */
OPI_INLINE void put_lines(const lines_tile *t, size_t r, size_t c, size_t step, size_t across, const char *fresh,
                          size_t window, size_t size)
{
    char *const to = t->out + c * t->out_stride + r * size;
    for (size_t i = 0; i < across; i++)
        for (size_t line = 0; line < step * size; line += LINE)
            stream_line(to + i * t->out_stride + line, fresh + i * window + line);
}

/* step: rows, a constant. */
OPI_INLINE void lines_by(const lines_tile *t, size_t step, size_t size)
{
    const size_t across = size < LINE ? LINE / size : 1, window = 2 * step * size;
    for (size_t r = 0; r < t->rows; r += step) {
        const size_t down = opi_smaller(step, t->rows - r);
        for (size_t c = 0; c < t->cols; c += across) {
            const size_t width = opi_smaller(across, t->cols - c);
            char *const fresh = t->windows + (t->aligned ? 0 : c) * window + step * size;
            prefetch(t->in + r * t->in_stride, t->in_stride, down, t->rows - r, c * size, t->cols * size);
            if (down < step || width < across) {
                turn_piece(t, r, c, down, width, fresh, window, size);
                put_piece(t, r, c, down, width, fresh, window, size);
                continue;
            }
            turn_piece(t, r, c, step, across, fresh, window, size);
            if (t->aligned)
                put_lines(t, r, c, step, across, fresh, window, size);
            else
                put_piece(t, r, c, step, across, fresh, window, size);
        }
    }
}

/* Rows that crowd a set of the cache are read by as few as can be. */
OPI_INLINE void lines(lines_tile *t, size_t size)
{
    const size_t most = opi_transpose_step(size), fewest = opi_transpose_rows(size);
    t->in_stride *= size;
    t->out_stride *= size;
    t->aligned = (uintptr_t)t->out % LINE == 0 && t->out_stride % LINE == 0;
    if (fewest < most && is_crowded(t->in_stride, most)) {
        t->crowded = is_crowded(t->in_stride, fewest);
        lines_by(t, fewest, size);
    } else {
        t->crowded = is_crowded(t->in_stride, most);
        lines_by(t, most, size);
    }
}

void OPI_ISA_NAME(opi_transpose_lines)(const void *in, size_t in_stride, void *out, size_t out_stride, size_t rows,
                                       size_t cols, size_t size, void *scratch)
{
    lines_tile t = {in, out, in_stride, out_stride, rows, cols, scratch, (char *)scratch + LINE * LINE, false, false};
    TURN_BY_SIZE(lines, size, &t)
}
