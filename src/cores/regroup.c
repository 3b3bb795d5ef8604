#include "cores/regroup.h"

#include <string.h>

enum { BLOCK_BYTES = 128 << 10 };

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }
static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

/* --- a slice by columns ------------------------------------------------------------------------------------------- */

/* The rows of a column are [first_row, end_row). */
static size_t first_row(const opi_slice *s, size_t col) { return s->begin.row + (col < s->begin.col); }
static size_t end_row(const opi_slice *s, size_t col) { return s->end.row + (col < s->end.col); }

/* Elements before the column. */
static size_t column_begin(const opi_slice *s, size_t col)
{
    return (s->end.row - s->begin.row) * col + smaller(s->end.col, col) - smaller(s->begin.col, col);
}

size_t opi_slice_before(const opi_slice *slice, opi_place place)
{
    const size_t first = first_row(slice, place.col), end = end_row(slice, place.col);
    return column_begin(slice, place.col) + smaller(larger(place.row, first), end) - first;
}

/* The place of the element at an index.  Columns are of equal length up to where the slice begins or ends inside its
 * row. */
static opi_place place_at(const opi_slice *s, size_t cols, size_t index)
{
    const size_t a = smaller(s->begin.col, s->end.col), b = larger(s->begin.col, s->end.col);
    const size_t edge[] = {0, a, b, cols};
    for (int i = 0; i < 3; i++) {
        if (index >= column_begin(s, edge[i + 1])) continue;
        const size_t length = end_row(s, edge[i]) - first_row(s, edge[i]), k = index - column_begin(s, edge[i]);
        const size_t col = edge[i] + k / length;
        return (opi_place){first_row(s, col) + k % length, col};
    }
    return (opi_place){0, cols};
}

/* --- the sweep ---------------------------------------------------------------------------------------------------- */

/* Most runs are a few elements long: those of up to 64 bytes are copied without a call. */
static void copy_run(char *to, const char *from, size_t bytes)
{
    if (bytes > 64) {
        memcpy(to, from, bytes);
    } else if (bytes >= 8) {
        for (size_t i = 0; i + 8 < bytes; i += 8) memcpy(to + i, from + i, 8);
        memcpy(to + bytes - 8, from + bytes - 8, 8); /* the last ones overlap */
    } else if (bytes >= 4) {
        memcpy(to, from, 4);
        memcpy(to + bytes - 4, from + bytes - 4, 4);
    } else {
        for (size_t i = 0; i < bytes; i++) to[i] = from[i];
    }
}

/* Copies what out gets of a part, from the place `a` up to, but without, `z`. */
static void copy_part(const opi_regroup_sweep *plan, const opi_matrix_part *part, opi_place a, opi_place z)
{
    const size_t size = plan->size, k = opi_slice_before(&part->slice, a);
    const char *from = part->from + (k - part->first) * size;
    if (k == opi_slice_before(&part->slice, z)) return;
    size_t column = column_begin(&plan->whole, a.col) - plan->first; /* below 0 where the column begins before out */
    for (size_t col = a.col; col <= z.col; col++) {
        const size_t top = first_row(&plan->whole, col);
        const size_t begin = larger(first_row(&part->slice, col), col == a.col ? a.row : 0);
        const size_t end = smaller(end_row(&part->slice, col), col == z.col ? z.row : SIZE_MAX);
        if (begin < end) {
            copy_run(plan->out + (column + begin - top) * size, from, (end - begin) * size);
            from += (end - begin) * size;
        }
        column += end_row(&plan->whole, col) - top;
    }
}

/* Copies part by part: each is read in one go, and the block of out stays in the cache meanwhile. */
static void apply(const opi_sweep *sweep, size_t begin, size_t end, void *carry, const void *total, bool aggregated,
                  void *scratch)
{
    const opi_regroup_sweep *plan = (const opi_regroup_sweep *)sweep;
    const opi_place a = place_at(&plan->whole, plan->cols, plan->first + begin);
    const opi_place z = place_at(&plan->whole, plan->cols, plan->first + end);
    (void)carry;
    (void)total;
    (void)aggregated;
    (void)scratch;
    for (int q = 0; q < plan->parts; q++) copy_part(plan, &plan->part[q], a, z);
}

void opi_regroup_plan(opi_regroup_sweep *plan, size_t size, size_t cols, const opi_slice *whole,
                      const opi_matrix_part *part, int parts, void *out, size_t first, size_t n)
{
    memset(plan, 0, sizeof *plan);
    plan->size = size;
    plan->cols = cols;
    plan->whole = *whole;
    plan->first = first;
    plan->part = part;
    plan->parts = parts;
    plan->out = out;
    plan->sweep.n = n;
    plan->sweep.block = opi_elements_in(BLOCK_BYTES, size);
    plan->sweep.bytes = 2 * n * size;
    plan->sweep.apply = apply;
}
